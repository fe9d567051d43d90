//! `lanescope run`: runs a kernel on data that the command line describes.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use driver::arguments::arguments;
use driver::document::Document;
use driver::failure::diagnostic;
use driver::ispc_files::{Command, is_ispc};
use driver::spec::{self, Given};
use driver::{machine_code, running, stages};
use native::protocol::{Failure, Job};
use queries::check;
use queries::db::Item;
use queries::run::{Argument, NotRun, ResultArray, RunOutcome as Run, run as interpret};
use queries::stages::Stage;
use report::Diagnostic;

use crate::cli::wrong_usage;
use crate::commands::check::{draw, outcome_of};
use crate::console::{Console, Outcome};
use crate::ispc_runs::{self, IspcRunRequest, NativeRun};
use crate::lanes::LaneArgs;
use crate::{documents, json};

const EXAMPLES: &str = "\
Examples:
  lanescope run examples/scale_audio.lane --kernel scale_audio \\
      --arg 'samples=ramp(4)' --arg 'out=zeros(4)' --arg n=4 --arg volume=0.5
  lanescope run examples/scale_audio.lane --engine native \\
      --arg 'samples=ramp(4)' --arg 'out=zeros(4)' --arg n=4 --arg volume=0.5

A SPEC is a number, `[1, 2.5, 3]`, `\"text\"`, `ramp(n)`, `random(n, seed)`, `zeros(n)`,
`fill(n, x)`, `@file.npy`, or `a[3:]` (the array of parameter `a` from element 3 on).";

/// Maximum number of array elements in the output for people.
const SHOWN: usize = 16;

/// The arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: PathBuf,
    /// The kernel to run; may be left out when the file has only one
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A parameter and its numbers; one for each parameter
    #[arg(long = "arg", value_name = "NAME=SPEC", value_parser = spec::parse)]
    args: Vec<Given>,
    /// What runs it: the interpreter of Lane IR, the plain evaluator of the language (`scalar`), or this machine, by
    /// native code (`native`), after the interpreter has looked for an error of the program in the first three million steps
    #[arg(long, value_enum, default_value_t = Engine::Interp)]
    engine: Engine,
    /// Run machine code: the same as `--engine native`
    #[arg(long, conflicts_with = "engine")]
    native: bool,
    /// The stage that the interpreter runs, `sequential` when left out (`lower --stage list` names all)
    #[arg(long, value_parser = stages::parse_run_stage)]
    stage: Option<&'static Stage>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// Stop a run that takes more steps than this
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000_000)]
    fuel: u64,
    /// Stop native code that takes longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// The number of threads that run a kernel under `@threads` natively; left out, one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// A folder of headers for ISPC files; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// A macro for ISPC files; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// The engines that run kernels. (The variants have no doc comments, which would appear in `--help`; the names suffice
/// there.)
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Engine {
    // The interpreter, on the kernel at a stage.
    Interp,
    // The reference evaluator of the language, which knows nothing of Lane IR.
    Scalar,
    // Machine code, compiled from the last stage.
    Native,
}

impl Args {
    /// Returns the engine of the analysis that is requested, or none for machine code.
    fn engine(&self) -> Option<queries::run::Engine> {
        let conflict = |message: &str| wrong_usage("run", ErrorKind::ArgumentConflict, message);
        let engine = if self.native { Engine::Native } else { self.engine };
        Some(match (engine, self.stage) {
            (Engine::Interp, stage) => {
                let stage = stage.unwrap_or_else(queries::stages::in_order);
                queries::run::Engine::Interp(stage, self.lanes.options())
            }
            (Engine::Scalar, None) => queries::run::Engine::Scalar,
            (Engine::Scalar, Some(_)) => conflict(
                "`--stage` says what the interpreter runs; `--engine scalar` runs the program as it is written",
            ),
            (Engine::Native, Some(_)) => {
                conflict("`--stage` says what the interpreter runs; native code is made of the last stage")
            }
            (Engine::Native, None) => return None,
        })
    }
}

/// Runs the command: runs the kernel, unless it has errors, and prints the results.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let engine = args.engine();
    if is_ispc(&args.file) {
        return run_ispc(args, console);
    }
    let Some(document) = documents::one(&args.file, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[args.lanes.options()]);
    let item = match choose(&document, args.kernel.as_deref()) {
        Ok(item) => item,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let diagnostics = document.diagnostics_of(&check::reachable(document.db(), &[item]));
    if outcome_of(&diagnostics) == Outcome::Refused {
        return refuse(args, &document, &diagnostics, console);
    }
    let findings = queries::sequential(document.db(), item).findings.iter();
    let findings: Vec<_> = findings.map(|finding| check::rendered(document.db(), item, finding)).collect();
    if !findings.is_empty() {
        return refuse(args, &document, &findings, console);
    }
    let given = match arguments(&args.args) {
        Ok(given) => given,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let ran = match engine {
        Some(engine) => interpret(document.db(), item, engine, &given, args.fuel, &mut || false),
        None => run_natively(args.lanes, args.timeout, args.threads.map(usize::from), &document, item, &given),
    };
    let ran = match ran {
        Ok(ran) => ran,
        Err(unfit @ (NotRun::Missing(_) | NotRun::Unfit(_))) => {
            return console.trouble(&spec::not_run(&unfit)).map(|()| Outcome::Trouble);
        }
        Err(NotRun::Stopped(message)) => return console.trouble(&message).map(|()| Outcome::Refused),
    };
    if args.json {
        json::print(&json::RunReport::of(&document, &ran), console)?;
    } else {
        show(&document, &ran, console)?;
    }
    Ok(if ran.failure.is_some() { Outcome::Refused } else { Outcome::Done })
}

/// Runs a function of an ISPC file, by the interpreter of lane blocks or natively.
fn run_ispc(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if matches!(args.engine, Engine::Scalar) || args.stage.is_some() {
        let message = "ISPC files are run by the interpreter, at the one stage that they have, or by `--engine native`: leave out `--stage` and `--engine scalar`";
        wrong_usage("run", ErrorKind::ArgumentConflict, message);
    }
    let is_native = args.native || matches!(args.engine, Engine::Native);
    let command = Command { include: &args.include, define: &args.define, target: args.lanes.options() };
    let request = IspcRunRequest {
        path: &args.file,
        name: args.kernel.as_deref(),
        given: &args.args,
        fuel: args.fuel,
        native: is_native.then(|| NativeRun { chosen: args.lanes.target(), timeout: args.timeout }),
        as_json: args.json,
    };
    ispc_runs::run(&request, &command, console)
}

/// Runs the kernel's machine code, for so many seconds at most.
pub(crate) fn run_natively(
    lanes: LaneArgs,
    timeout: u64,
    threads: Option<usize>,
    document: &Document,
    item: Item<'_>,
    given: &[Argument],
) -> Result<Run, NotRun> {
    let chosen = lanes.target();
    if !native::host::runs(chosen.row) {
        return Err(NotRun::Unfit(format!("this machine does not run code for `{}`", chosen.row.name)));
    }
    let client = machine_code::client().map_err(NotRun::Unfit)?;
    let ask = |job: Job, memory: &[u8]| client.ask(job, memory).wait(Duration::from_secs(timeout));
    let ran = running::natively(document, item, given, lanes.options(), &chosen.machine(), threads, ask)?;
    ran.map_err(|failure| match failure {
        Failure::Refused(why) => NotRun::Unfit(why),
        failure => NotRun::Stopped(why_stopped(&failure, timeout)),
    })
}

/// Explains why native code with a time limit of `seconds` gave no result, and what can be done about it.
pub(crate) fn why_stopped(failure: &Failure, seconds: u64) -> String {
    let s = if seconds == 1 { "" } else { "s" };
    match failure {
        Failure::TimedOut => {
            format!("it took longer than {seconds} second{s}, and was stopped; `--timeout` gives it more")
        }
        failure => failure.to_string(),
    }
}

/// Reports why the kernel is not run.
fn refuse(args: &Args, document: &Document, why: &[Diagnostic], console: &mut Console) -> io::Result<Outcome> {
    if args.json {
        json::print(&json::RunReport::refused(document, why), console)?;
    } else {
        draw(document, why, console)?;
    }
    Ok(Outcome::Refused)
}

/// Returns the kernel of a name, or the only kernel.
pub(crate) fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Item<'d>, String> {
    document.kernel(name, "say which with `--kernel`")
}

fn show(document: &Document, ran: &Run, console: &mut Console) -> io::Result<()> {
    if let Some(result) = ran.result {
        writeln!(console, "{result}")?;
    }
    for array in &ran.arrays {
        writeln!(console, "{} = {}", array.name, elements(array))?;
    }
    match &ran.failure {
        Some(failure) => draw(document, &[diagnostic(failure)], console),
        None => Ok(()),
    }
}

/// Formats the first elements of an array, with an ellipsis if there are more.
fn elements(array: &ResultArray) -> String {
    let mut shown: Vec<_> = array.elements.iter().take(SHOWN).map(ToString::to_string).collect();
    if array.elements.len() > SHOWN {
        shown.push("…".to_owned());
    }
    format!("[{}]", shown.join(", "))
}
