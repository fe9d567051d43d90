//! `lanescope targets`: the targets of code generation, the LLVM in use, and a description of this machine.

use std::io::{self, Write};

use driver::machine_code;
use native::protocol::Outcome as Answer;
use queries::stages::target::{self, Target};
use serde::Serialize;

use crate::console::{Console, Outcome};
use crate::{highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope targets
  lanescope targets --json";

/// The arguments of `targets`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    targets: Vec<Row>,
    /// Name of the target that `native` stands for here.
    native: &'static str,
    llvm: Option<Llvm>,
    /// Reason why there is no LLVM.
    trouble: Option<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    meaning: &'static str,
    triple: String,
    cpu: String,
    features: String,
    register_bytes: u16,
    registers: u16,
    runs_here: bool,
}

#[derive(Debug, Serialize)]
struct Llvm {
    version: String,
    library: String,
    /// Name of this machine's processor, as LLVM spells it.
    cpu: String,
}

/// Runs the command: prints the targets, LLVM's version and this machine's processor.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let (llvm, trouble) = match machine_code::hello() {
        Ok(Answer::Hello { version: (major, minor, patch), library, host }) => {
            (Some(Llvm { version: format!("{major}.{minor}.{patch}"), library, cpu: host.cpu }), None)
        }
        Ok(_) => (None, Some("the worker gives no answer".to_owned())),
        Err(trouble) => (None, Some(trouble)),
    };
    let targets = target::rows().map(row).collect();
    let native = native::host::row().name;
    let report = Report { version: json::VERSION, targets, native, llvm, trouble };
    if args.json {
        json::print(&report, console)?;
        return Ok(Outcome::Done);
    }
    show(&report, console)
}

fn row(target: &Target) -> Row {
    Row {
        name: target.name,
        meaning: target.meaning,
        triple: target.triple.to_string(),
        cpu: target.cpu.to_string(),
        features: target.features.to_string(),
        register_bytes: target.register_bytes,
        registers: target.registers,
        runs_here: native::host::runs(target),
    }
}

fn show(report: &Report, console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let width = |text: fn(&Row) -> &str| report.targets.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (names, meanings) = (width(|row| row.name), width(|row| row.meaning));
    for row in &report.targets {
        let name = look.paint(highlight::STRONG, &format!("{:names$}", row.name));
        let runs = if row.runs_here { "runs here" } else { "" };
        let line = format!("{name}  {:meanings$}  {runs}", row.meaning);
        writeln!(console, "{}", line.trim_end())?;
    }
    writeln!(console, "\n`native` is {} here.", report.native)?;
    match (&report.llvm, &report.trouble) {
        (Some(llvm), _) => writeln!(console, "LLVM {} ({}), for {}", llvm.version, llvm.library, llvm.cpu)?,
        (None, trouble) => writeln!(console, "{}", trouble.as_deref().unwrap_or("There is no LLVM."))?,
    }
    Ok(Outcome::Done)
}
