//! Reads ISPC files and tells what does not parse: `cargo run -p ispc --example read -- [-I DIR]… [-D NAME[=VALUE]]… [-v | -E] FILES…`
//!
//! `-E` prints the expanded tokens instead, one a line, as `.ci/ispc-preprocessed` compares them with another preprocessor's; without
//! files it prints the definitions that stand in front of each unit.
//!
//! Each file is a unit of its own, read as `lanescope check` reads it. The last line has the counts.

use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc::kinds::Kind;
use ispc::unit::FileId;

struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(Arc::new(FileText::new(path, text)))
    }
}

fn main() -> ExitCode {
    let mut config = Config::default();
    let mut paths = Vec::new();
    let (mut is_verbose, mut is_expanded) = (false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-I" => config.include_folders.extend(args.next()),
            "-D" => config.define(&args.next().unwrap_or_default()),
            "-v" => is_verbose = true,
            "-E" => is_expanded = true,
            "--target" => config.target = args.next().and_then(|name| Target::named(&name)).expect("a target"),
            _ => paths.push(arg),
        }
    }
    if is_expanded {
        paths.iter().for_each(|path| print_expanded(path, &config));
        if paths.is_empty() {
            print!("{}", config.predefined());
        }
        return ExitCode::SUCCESS;
    }
    let (mut n_whole, mut n_lacking, mut n_tokens) = (0, 0, 0);
    let start = Instant::now();
    for path in &paths {
        let Some(file) = Disk.file(path) else { continue };
        let unit = ispc::read(file, &config, &Disk);
        n_tokens += unit.tokens.len();
        let errors: Vec<_> = unit.problems.iter().filter(|problem| !problem.is_warning).collect();
        if errors.is_empty() {
            n_whole += 1;
            continue;
        }
        n_lacking += usize::from(errors.iter().any(|problem| problem.code == "ispc-include"));
        for problem in errors.iter().take(if is_verbose { 20 } else { 1 }) {
            let text = unit.text(problem.place.file);
            let line = text.get(..problem.place.start as usize).unwrap_or_default().matches('\n').count() + 1;
            println!("{path}: {}:{line}: {} [{}]", unit.path(problem.place.file), problem.message, problem.code);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} files, {n_whole} without an error, {n_lacking} lack a header, {n_tokens} tokens, {seconds:.2} s",
        paths.len()
    );
    ExitCode::SUCCESS
}

fn print_expanded(path: &str, config: &Config) {
    let Some(file) = Disk.file(path) else { return };
    let unit = ispc::read(file, config, &Disk);
    for token in &unit.tokens {
        let is_shown = unit.place(token).file != FileId::PREDEFINED && !matches!(token.kind, Kind::Pragma | Kind::End);
        if is_shown {
            println!("{}", unit.token_text(token).replace('\n', " "));
        }
    }
}
