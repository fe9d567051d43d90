//! Types ISPC files and tells what is wrong: `cargo run -p ispc-types --example types -- [-I DIR]… [-D NAME[=VALUE]]… [-v] FILES…`
//!
//! Each file is a unit of its own. The last lines have the counts: files by what was found, findings by their code, and the share of
//! expressions whose type is known.

#[path = "../../../syntax/ispc/examples/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use ispc_types::ty::Ty;
use ispc_types::whole;
use support::{Request, is_whole, line};

fn main() -> ExitCode {
    let request = Request::of_args();
    let (mut n_read, mut n_found, mut n_known, mut n_expressions) = (0, 0, 0, 0);
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seconds = 0.0;
    for (path, unit) in request.units() {
        if !is_whole(&unit) {
            continue;
        }
        n_read += 1;
        let start = Instant::now();
        let problems = whole::check(&unit);
        seconds += start.elapsed().as_secs_f64();
        let types = ispc_types::unit::declarations(&unit, None);
        for body in types.bodies.iter().filter(|body| !body.is_template) {
            let found = whole::type_at(&unit, &types, body, false);
            n_expressions += found.types.iter().filter(|ty| **ty != Ty::NONE).count();
            n_known += found.types.iter().filter(|ty| ty.is_known()).count();
        }
        n_found += usize::from(!problems.is_empty());
        for problem in &problems {
            *codes.entry(problem.code).or_default() += 1;
        }
        for problem in problems.iter().take(if request.has("-v") { 50 } else { 1 }) {
            println!("{path}: {}: {} [{}]", line(&unit, problem.place), problem.message, problem.code);
            for (_, note) in problem.related.iter().filter(|_| request.has("-v")) {
                println!("    {note}");
            }
        }
    }
    codes.iter().for_each(|(code, n)| println!("{n:6} {code}"));
    println!(
        "{} files, {n_read} read, {n_found} with findings, {n_known} of {n_expressions} types known, {seconds:.2} s",
        request.paths.len()
    );
    ExitCode::SUCCESS
}
