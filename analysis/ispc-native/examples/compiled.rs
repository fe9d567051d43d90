//! Compiles ISPC files and tells what cannot be: `cargo run -p ispc-native --example compiled -- [-I DIR]… [-D NAME[=VALUE]]… [--target ROW]…
//! [--lanes N] [-o DIR] [-v] FILES…`
//!
//! Of each file that has exported functions these are made to an object for each target, a row of Lanescope's table, by default that of
//! this machine. With `-o` the assembly is kept. The last lines have the counts, and the causes for which files are not compiled.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc_native::module::{ModuleDoors, module};
use ispc_types::unit::declarations;
use native::client::Client;
use native::host;
use native::protocol::{CompiledForm, Outcome, Spec};

/// How long a file may take.
const PATIENCE: Duration = Duration::from_secs(300);

struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(Arc::new(FileText::new(path, text)))
    }
}

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|arg| arg == "worker") {
        return native::worker::serve(native::worker::Syntax::Att).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let mut config = Config::default();
    let (mut paths, mut targets, mut lanes, mut out, mut is_verbose) = (Vec::new(), Vec::new(), None, None, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-I" => config.include_folders.extend(args.next()),
            "-D" => config.define(&args.next().unwrap_or_default()),
            "-v" => is_verbose = true,
            "-o" => out = args.next(),
            "--lanes" => lanes = args.next().and_then(|lanes| lanes.parse::<u32>().ok()),
            "--target" => {
                let name = args.next().unwrap_or_default();
                targets.extend(ir::target::find(&name).cloned());
            }
            _ => paths.push(arg),
        }
    }
    if targets.is_empty() {
        targets.push(host::tuned(host::row()));
    }
    let program = std::env::current_exe().expect("the path of this program");
    let client = Client::new(program, &["worker"]);
    for target in &targets {
        config.target = Target::closest(&target.triple, target.register_bytes, lanes);
        let (mut n_files, mut n_functions, mut n_bytes) = (0, 0, 0);
        let mut causes: BTreeMap<String, usize> = BTreeMap::new();
        let start = Instant::now();
        for path in &paths {
            match compile(path, &config, target, &client, out.as_deref()) {
                Ok(None) => {}
                Ok(Some((functions, bytes))) => {
                    n_files += 1;
                    n_functions += functions;
                    n_bytes += bytes;
                }
                Err(cause) => {
                    if is_verbose {
                        println!("{path}: {cause}");
                    }
                    *causes.entry(cause).or_default() += 1;
                }
            }
        }
        for (cause, count) in causes.iter().take(40) {
            println!("{count:6} {cause}");
        }
        let n_failed: usize = causes.values().sum();
        println!(
            "{}, {} lanes: {n_files} files, {n_functions} exported functions, {n_bytes} bytes of objects, {n_failed} files not compiled, {:.1} s",
            target.name,
            config.target.width,
            start.elapsed().as_secs_f64()
        );
    }
    ExitCode::SUCCESS
}

/// The number of exported functions, and of the object's bytes; nothing for a file that has no such function.
fn compile(
    path: &str,
    config: &Config,
    target: &ir::Target,
    client: &Client,
    out: Option<&str>,
) -> Result<Option<(usize, usize)>, String> {
    let Some(file) = Disk.file(path) else { return Ok(None) };
    let unit = ispc::read(file, config, &Disk);
    if let Some(problem) = unit.problems.iter().find(|problem| !problem.is_warning) {
        return Err(format!("not read: {}", problem.message));
    }
    if let Some(problem) = ispc_types::whole::check(&unit).first() {
        return Err(format!("not typed: {}", problem.message));
    }
    let types = declarations(&unit, None);
    let exported = ispc_lowering::entries::exported(&unit, &types);
    if exported.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = exported.iter().map(|(name, _)| &**name).collect();
    let lowered = ispc_lowering::lower(&unit, &types, config.target.width, &names);
    if let Some(problem) = lowered.problems.first() {
        return Err(format!("not lowered: {}", problem.message));
    }
    let entries = lowered.entries.iter().filter(|entry| entry.is_exported);
    let exports: Vec<(String, usize)> = entries.map(|entry| (entry.name.to_string(), entry.function)).collect();
    let text = module(&lowered.module, target, ModuleDoors::Exports(&exports)).map_err(|refused| refused.message)?;
    let stem = Path::new(path).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = |ending: &str| format!("{}/{stem}.{}.{ending}", out.unwrap_or_default(), target.name);
    if out.is_some() {
        fs::write(name("ll"), &text).map_err(|error| error.to_string())?;
        let made = client.compile(text.clone(), Spec::of(target), CompiledForm::Assembly, PATIENCE);
        if let Ok((Outcome::Text(text), _)) = made {
            fs::write(name("s"), text).map_err(|error| error.to_string())?;
        }
    }
    let made = client.compile(text, Spec::of(target), CompiledForm::Object, PATIENCE);
    let (_, bytes) = made.map_err(|failure| failure.to_string())?;
    Ok(Some((exports.len(), bytes.len())))
}
