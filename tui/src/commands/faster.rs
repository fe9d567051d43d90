//! `lanescope faster`: tries every change that is known on a kernel, measures each, and says which make it faster and what they do to results.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::error::ErrorKind;
use driver::arguments::arguments;
use driver::document::Document;
use driver::faster::{ChangeFate, ChangesTogether, ResultsEffect, SpeedReport, SpeedSearch, TriedChange, search};
use driver::files::write_whole;
use driver::machine_code::NoCode;
use driver::spec::{self, Given};
use serde::Serialize;

use crate::cli::wrong_usage;
use crate::commands::bench::asking;
use crate::commands::check::draw;
use crate::commands::run::choose;
use crate::console::{Console, Outcome};
use crate::json::Edit;
use crate::lanes::LaneArgs;
use crate::{documents, json, trials};

const EXAMPLES: &str = "\
Examples:
  lanescope faster examples/audio.lane --kernel mix
  lanescope faster kernel.lane --arg n=4096 --write
  lanescope faster kernel.lane --write=any-bits --json";

/// The arguments of `faster`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: PathBuf,
    /// The kernel to make faster; may be left out when the file has only one
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A parameter and its numbers; an array that is not given has about a million elements
    #[arg(long = "arg", value_name = "NAME=SPEC", value_parser = spec::parse)]
    args: Vec<Given>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// The time for which each change is measured, and the kernel as it is beside it
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 100)]
    time: u64,
    /// Stop native code that takes longer than this, besides the time it is measured for
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Write the best changes to the file: those that keep the bits of all results, or any
    #[arg(long, value_name = "BITS", num_args = 0..=1, require_equals = true, default_missing_value = "same-bits", value_enum)]
    write: Option<Written>,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// Which changes are written. (The variants have no doc comments, which would appear in `--help`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Written {
    SameBits,
    AnyBits,
}

/// Runs the command: tries the changes and prints them, the fastest first.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if args.write.is_some() && args.file.as_os_str() == "-" {
        wrong_usage("faster", ErrorKind::ArgumentConflict, "standard input cannot be written to; name a file");
    }
    let Some(document) = documents::one(&args.file, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[args.lanes.options()]);
    let report = match search_here(&document, args, console) {
        Ok(report) => report,
        Err(NoCode::Errors(errors)) => return draw(&document, &errors, console).map(|()| Outcome::Refused),
        Err(NoCode::Trouble(message)) => return console.trouble(&message).map(|()| Outcome::Trouble),
        Err(NoCode::Stopped(message)) => return console.trouble(&message).map(|()| Outcome::Refused),
    };
    if args.json {
        json::print(&FasterReport::of(&document, &report), console)?;
    } else {
        let look = console.look();
        write!(console, "{}", trials::drawn(&document, &report, "; `--arg` says other data", look))?;
    }
    let Some(written) = args.write else { return Ok(Outcome::Done) };
    let best = match written {
        Written::SameBits => report.same_bits,
        Written::AnyBits => report.any_bits.or(report.same_bits),
    };
    let Some(best) = best else { return Ok(Outcome::Done) };
    match write_whole(&args.file, &best.text) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) => console.trouble(&format!("{}: {error}", document.name)).map(|()| Outcome::Trouble),
    }
}

fn search_here(document: &Document, args: &Args, console: &mut Console) -> Result<SpeedReport, NoCode> {
    let item = choose(document, args.kernel.as_deref()).map_err(NoCode::Trouble)?;
    let chosen = args.lanes.target();
    let given = arguments(&args.args).map_err(NoCode::Trouble)?;
    let wanted = SpeedSearch {
        kernel: item.name(document.db()),
        row: chosen.row,
        machine: chosen.machine(),
        options: args.lanes.options(),
        given: &given,
        milliseconds: args.time,
    };
    let ask = asking(args.time, args.timeout)?;
    search(document, &wanted, &*ask, &mut |n_done, n_all, title| {
        // Where nobody sees how far it is, the results still matter.
        let _ = console.progress("trying", n_done, n_all, title);
        ControlFlow::Continue(())
    })
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct FasterReport<'r> {
    version: u32,
    file: String,
    kernel: &'r str,
    target: &'static str,
    chosen: &'r [String],
    changes: Vec<ChangeReport<'r>>,
    same_bits: Option<&'r ChangesTogether>,
    any_bits: Option<&'r ChangesTogether>,
}

#[derive(Debug, Serialize)]
struct ChangeReport<'r> {
    title: &'r str,
    allows: Option<&'static str>,
    times: Option<f64>,
    spread: Option<f64>,
    gains: bool,
    results: Option<&'r ResultsEffect>,
    why_not: Option<String>,
    edits: Vec<Edit>,
}

impl<'r> FasterReport<'r> {
    fn of(document: &Document, report: &'r SpeedReport) -> FasterReport<'r> {
        FasterReport {
            version: json::VERSION,
            file: document.name.clone(),
            kernel: &report.kernel,
            target: report.target,
            chosen: &report.chosen,
            changes: report.changes.iter().map(|change| ChangeReport::of(document, change)).collect(),
            same_bits: report.same_bits.as_ref(),
            any_bits: report.any_bits.as_ref(),
        }
    }
}

impl<'r> ChangeReport<'r> {
    fn of(document: &Document, change: &'r TriedChange) -> ChangeReport<'r> {
        let mut report = ChangeReport {
            title: &change.title,
            allows: Some(change.allows).filter(|words| !words.is_empty()),
            times: None,
            spread: None,
            gains: false,
            results: None,
            why_not: None,
            edits: change.edits.iter().map(|edit| Edit::of(document, edit)).collect(),
        };
        match &change.fate {
            ChangeFate::Measured { times, spread, gains, results } => {
                report.times = Some(*times);
                report.spread = Some(*spread);
                report.gains = *gains;
                report.results = Some(results);
            }
            fate => report.why_not = Some(fate.in_words()),
        }
        report
    }
}
