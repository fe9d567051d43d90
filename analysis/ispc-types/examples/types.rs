//! Types ISPC files and tells what is wrong: `cargo run -p ispc-types --example types -- [-I DIR]… [-D NAME[=VALUE]]… [-v] FILES…`
//!
//! Each file is a unit of its own. The last lines have the counts: files by what was found, findings by their code, and the share of
//! expressions whose type is known.

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc_types::ty::Ty;
use ispc_types::whole;

struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(Arc::new(FileText::new(path, text)))
    }
}

fn main() -> ExitCode {
    let mut config = Config::default();
    let (mut paths, mut is_verbose) = (Vec::new(), false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-I" => config.include_folders.extend(args.next()),
            "-D" => config.define(&args.next().unwrap_or_default()),
            "-v" => is_verbose = true,
            "--target" => config.target = args.next().and_then(|name| Target::named(&name)).expect("a target"),
            _ => paths.push(arg),
        }
    }
    let (mut n_read, mut n_found, mut n_known, mut n_expressions) = (0, 0, 0, 0);
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut seconds = 0.0;
    for path in &paths {
        let Some(file) = Disk.file(path) else { continue };
        let unit = ispc::read(file, &config, &Disk);
        if unit.problems.iter().any(|problem| !problem.is_warning) {
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
        for problem in problems.iter().take(if is_verbose { 50 } else { 1 }) {
            let text = unit.text(problem.place.file);
            let line = text.get(..problem.place.start as usize).unwrap_or_default().matches('\n').count() + 1;
            println!("{path}: {}:{line}: {} [{}]", unit.path(problem.place.file), problem.message, problem.code);
            for (_, note) in problem.related.iter().filter(|_| is_verbose) {
                println!("    {note}");
            }
        }
    }
    codes.iter().for_each(|(code, n)| println!("{n:6} {code}"));
    println!(
        "{} files, {n_read} read, {n_found} with findings, {n_known} of {n_expressions} types known, {seconds:.2} s",
        paths.len()
    );
    ExitCode::SUCCESS
}
