//! The parts of what a key costs that is typed into one kernel of 1,000 lines: each query on the way from its text to its hints, in the
//! order in which it is answered.
//!
//! `cargo bench -p ide --bench keys`. Figures are medians of one run; `perf record` on it shows where a part spends its time, and a word
//! behind `--` chooses the kernels whose description has it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide::hints::{HintOptions, type_hints};
use queries::check;
use queries::db::{Database, File, Item};
use queries::lanes;
use queries::stage_cache;
use salsa::Setter;
use syntax::{TextRange, TextSize};

const N_KEYS: usize = 60;

/// A query, or several, by name, with the number of things it found.
type Part = (&'static str, fn(&dyn salsa::Database, File, Item<'_>) -> usize);

/// The way from a text to its hints.
const PARTS: [Part; 11] = [
    ("cut and parse", |db, _, item| queries::db::parse(db, item).errors.len()),
    ("to HIR", |db, _, item| queries::lowered(db, item).findings.len()),
    ("types", |db, _, item| queries::infer(db, item).findings.len()),
    ("findings of types", |db, _, item| check::findings(db, item).len()),
    ("to Lane IR", |db, _, item| queries::sequential(db, item).findings.len()),
    ("verdicts", |db, _, item| queries::verdicts(db, item).list.len()),
    ("passes", |db, _, item| Arc::strong_count(&stage_cache::outcomes(db, item, queries::db::made_for(db)))),
    ("facts of lanes", |db, _, item| lanes::of_item(db, item).accesses.len()),
    ("notes", |db, _, item| lanes::notes::notes(db, item).len()),
    ("the other diagnostics", |db, file, _| check::diagnostics(db, file).len()),
    ("hints of 60 lines", |db, file, item| {
        let middle = TextSize::from(item.text(db).len() as u32 / 2);
        let range = TextRange::at(middle, TextSize::from(2_400));
        type_hints(db, file, range, &HintOptions::default()).len()
    }),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (what, line) in KERNELS {
        if words.is_empty() || words.iter().any(|word| what.contains(word.as_str())) {
            measure(what, line);
        }
    }
}

/// The lines of a kernel, by their number.
type Line = fn(usize) -> String;

const KERNELS: [(&str, Line); 3] = [
    ("definitions", |k| format!("let x{k} = x{} * 0.5 + {k}.0", k.saturating_sub(1))),
    ("stores and loads of four arrays, with notes", |k| match k % 4 {
        0 => format!("let x{k} = a[2 * i] * {k}.0"),
        1 => format!("c[i] = x{} + b[3 * i]", k - 1),
        2 => format!("let x{k} = c[i] + d[i]"),
        _ => format!("d[i] = x{} - x{}", k - 1, k - 3),
    }),
    ("stores and loads of three stencils", |k| {
        let [to, from] = [k % 3, (k + 1) % 3].map(|k| ["a", "b", "c"][k]);
        format!("{to}[i] = {from}[i - {}] * {k}.5 + {from}[i + {}]", k % 4 + 1, k % 5 + 1)
    }),
];

fn measure(what: &str, line: Line) {
    let mut text = "kernel long(a: f32[m], b: f32[m], c: f32[m], d: f32[m], m: i32):\n".to_owned();
    text += "    for i in range(8, m / 3 - 8):\n        let x0 = a[i]\n";
    for k in 0..1_000 {
        if k == 490 {
            text += "        let key = x0 * 0.5\n";
        }
        text += &format!("        {}\n", line(k)).replace("let x0 = x0", "x0 = x0").replace("let x0 = a[2", "x0 = a[2");
    }
    let at = text.find("key = x0 * 0.5").expect("the line") + "key = x0 * 0.5".len();
    let mut db = Database::default();
    let file = File::new(&db, Arc::from(text.as_str()));
    let mut times = vec![Vec::new(); PARTS.len() + 1];
    for key in 0..N_KEYS {
        let (head, tail) = text.split_at(at);
        let start = Instant::now();
        file.set_text(&mut db).to(Arc::from(format!("{head}{}{tail}", key % 2)));
        let item = queries::db::file_items(&db, file)[0];
        times[0].push(start.elapsed());
        for (n, (_, part)) in PARTS.iter().enumerate() {
            let start = Instant::now();
            black_box(part(&db, file, item));
            times[n + 1].push(start.elapsed());
        }
    }
    let median = |times: &[Duration]| {
        let mut times = times[times.len() / 4..].to_vec();
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e3
    };
    let medians: Vec<f64> = times.iter().map(|times| median(times)).collect();
    println!("\none kernel of 1,000 lines: {what}; a key takes {:.1} ms", medians.iter().sum::<f64>());
    let names = ["the edit"].into_iter().chain(PARTS.iter().map(|(name, _)| *name));
    names.zip(&medians).for_each(|(name, time)| println!("  {name:24}{time:8.2} ms"));
}
