//! Lowers ISPC files and tells what cannot be: `cargo run -p ispc-lowering --example lowered -- [-I DIR]… [-D NAME[=VALUE]]… [-v] FILES…`
//!
//! Each file is a unit of its own, and all its functions that are no templates are lowered, those of its headers too. The last lines have
//! the counts: functions, what breaks an invariant, and what was not lowered by its cause.

#[path = "../../../syntax/ispc/examples/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use ispc_types::unit::declarations;
use support::{Request, is_whole};

fn main() -> ExitCode {
    let request = Request::of_args();
    let (mut n_read, mut n_functions, mut n_external, mut n_broken) = (0, 0, 0, 0);
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    let start = Instant::now();
    for (path, unit) in request.units() {
        if !is_whole(&unit) || !ispc_types::whole::check(&unit).is_empty() {
            continue;
        }
        n_read += 1;
        let lowered = ispc_lowering::lower(&unit, &declarations(&unit, None), request.config.target.width, &[]);
        n_functions += lowered.module.functions.len();
        n_external += lowered.module.functions.iter().filter(|function| function.is_external).count();
        for error in ispc_ir::verify::verify(&lowered.module) {
            n_broken += 1;
            println!("{path}: `{}` breaks an invariant: {}", error.function, error.message);
        }
        for problem in &lowered.problems {
            if request.has("-v") {
                println!("{path}: `{}`: {}", problem.function, problem.message);
            }
            *causes.entry(problem.message.clone()).or_default() += 1;
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    causes.iter().take(40).for_each(|(cause, count)| println!("{count:6} {cause}"));
    let n_problems: usize = causes.iter().map(|(_, count)| count).sum();
    println!(
        "{} files, {n_read} without a mistake, {n_functions} functions, {n_problems} not lowered, {} elsewhere, {n_broken} break an invariant, {:.2} s",
        request.paths.len(),
        n_external - n_problems,
        start.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}
