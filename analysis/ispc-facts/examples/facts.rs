//! Finds the facts of ISPC files: `cargo run -p ispc-facts --example facts -- [-I DIR]… [-D NAME[=VALUE]]… [-v] FILES…`
//!
//! Each file is a unit of its own, and its own functions are counted, with the functions of its headers for the time alone. The last lines
//! have the counts: values by their shapes, accesses by the order of their cells, notes by their codes. `-v` prints the notes.

#[path = "../../../syntax/ispc/examples/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ispc::unit::FileId;
use ispc_facts::access::{AccessKind, CellOrder};
use ispc_facts::shape::LaneShape;
use ispc_facts::whole::{PlacedNote, SilencedLines, is_own, notes_beside, notes_of};
use ispc_types::body::type_body;
use ispc_types::source::Piece;
use ispc_types::unit::declarations;
use support::{Request, is_whole, line};

fn main() -> ExitCode {
    let request = Request::of_args();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_files, mut n_functions, mut slowest) = (0, 0, (Duration::ZERO, String::new()));
    let mut time = Duration::ZERO;
    for (path, unit) in request.units() {
        if !is_whole(&unit) {
            continue;
        }
        n_files += 1;
        let types = declarations(&unit, None);
        for body in types.bodies.iter().filter(|body| !body.is_template) {
            let piece = Piece::cut(&unit, &types.entities, body, types.layer.n_entities(), false);
            let typed = type_body(&types.layer, &piece);
            let start = Instant::now();
            let Some(facts) = ispc_facts::facts(&types.layer, &piece, &typed) else { continue };
            let taken = start.elapsed();
            (time, n_functions) = (time + taken, n_functions + 1);
            let name = &types.layer.entity(body.entity).name;
            slowest = slowest.max((taken, format!("{path}: {name}")));
            if !is_own(&unit, body) {
                continue;
            }
            let mut count = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
            for (node, value) in facts.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let is_varying = typed.types[node].is_known() && typed.layer.is_varying(typed.types[node]);
                match value.shape {
                    _ if !is_varying => count("value uniform by type"),
                    LaneShape::Uniform => count("value uniform by proof"),
                    LaneShape::Linear(_) => count("value in a row"),
                    LaneShape::Varying => count("value varying"),
                    LaneShape::Unknown => count("value unknown"),
                }
            }
            for access in &facts.accesses {
                let order = match access.order {
                    CellOrder::Broadcast if !access.is_spread => "one cell by type",
                    CellOrder::Broadcast => "one cell by proof",
                    CellOrder::Vector => "neighbours",
                    CellOrder::Groups(_) => "groups",
                    CellOrder::Strided(_) => "strided",
                    CellOrder::Gather => "apart",
                };
                let kind = if access.kind == AccessKind::Load { "load" } else { "store" };
                count(&format!("{kind}: {order}"));
            }
        }
        let silenced = SilencedLines::of(&unit);
        let all = notes_beside(&unit, &types, false, &SilencedLines::default());
        for (file, line) in silenced.lines.iter().filter(|(file, _)| *file == FileId::MAIN) {
            let one = SilencedLines { lines: vec![(*file, *line)] };
            let is_there = |note: &&PlacedNote| one.have(&unit, note.place);
            let found: Vec<&str> = all.iter().filter(is_there).map(|note| note.code).collect();
            *counts.entry(format!("silenced: {}", found.first().unwrap_or(&"nothing is told"))).or_default() += 1;
            if request.has("-v") {
                println!("{path}:{}: silenced: {found:?}", line + 1);
            }
        }
        for note in notes_of(&unit, &types, false) {
            *counts.entry(note.code.to_owned()).or_default() += 1;
            if request.has("-v") {
                println!("{path}: {}: {} [{}]", line(&unit, note.place), note.message, note.code);
            }
        }
    }
    counts.iter().for_each(|(what, n)| println!("{n:8} {what}"));
    let each = time.as_secs_f64() * 1e6 / f64::from(n_functions.max(1));
    println!(
        "{} files, {n_files} read, {n_functions} functions in {:.2} s, {each:.0} us each, the slowest {:.1} ms ({})",
        request.paths.len(),
        time.as_secs_f64(),
        slowest.0.as_secs_f64() * 1e3,
        slowest.1
    );
    ExitCode::SUCCESS
}
