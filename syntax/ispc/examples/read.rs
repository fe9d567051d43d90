//! Reads ISPC files and tells what does not parse: `cargo run -p ispc --example read -- [-I DIR]… [-D NAME[=VALUE]]… [-v | -E] FILES…`
//!
//! `-E` prints the expanded tokens instead, one a line, as `.ci/ispc-preprocessed` compares them with another preprocessor's; without
//! files it prints the definitions that stand in front of each unit.
//!
//! Each file is a unit of its own, read as `lanescope check` reads it. The last line has the counts.

mod support;

use std::process::ExitCode;
use std::time::Instant;

use ispc::kinds::Kind;
use ispc::unit::{FileId, Unit};
use support::{Request, line};

fn main() -> ExitCode {
    let request = Request::of_args();
    if request.has("-E") {
        request.units().for_each(|(_, unit)| print_expanded(&unit));
        if request.paths.is_empty() {
            print!("{}", request.config.predefined());
        }
        return ExitCode::SUCCESS;
    }
    let (mut n_whole, mut n_lacking, mut n_tokens) = (0, 0, 0);
    let start = Instant::now();
    for (path, unit) in request.units() {
        n_tokens += unit.tokens.len();
        let errors: Vec<_> = unit.problems.iter().filter(|problem| !problem.is_warning).collect();
        if errors.is_empty() {
            n_whole += 1;
            continue;
        }
        n_lacking += usize::from(errors.iter().any(|problem| problem.code == "ispc-include"));
        for problem in errors.iter().take(if request.has("-v") { 20 } else { 1 }) {
            println!("{path}: {}: {} [{}]", line(&unit, problem.place), problem.message, problem.code);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} files, {n_whole} without an error, {n_lacking} lack a header, {n_tokens} tokens, {seconds:.2} s",
        request.paths.len()
    );
    ExitCode::SUCCESS
}

fn print_expanded(unit: &Unit) {
    for token in &unit.tokens {
        let is_shown = unit.place(token).file != FileId::PREDEFINED && !matches!(token.kind, Kind::Pragma | Kind::End);
        if is_shown {
            println!("{}", unit.token_text(token).replace('\n', " "));
        }
    }
}
