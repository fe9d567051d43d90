//! `lanescope test`: runs the examples in the documentation of kernels, and compares what they give with what they say.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use driver::document::Document;
use driver::examples::{self, Difference, Example, Settings, Verdict, judge};
use driver::inputs::Input;
use driver::words::{count, visible};
use driver::{files, machine_code};
use native::protocol::Outcome as Answer;
use queries::db::Item;
use queries::run::Argument;
use serde::Serialize;

use crate::cli::wrong_usage;
use crate::commands::run::run_natively;
use crate::console::{Console, Outcome};
use crate::lanes::LaneArgs;
use crate::{documents, highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope test kernels/
  lanescope test blur.lane --target sse4
  lanescope test blur.lane --update

An example stands in the `##` lines above a kernel: a call behind `>`, and below it what it gives.

  ## > scale([1, 2], out = zeros(2), n = 2, by = 0.5)
  ## out = [0.5, 1.0]

Arguments are those of `lanescope run`. Expected are a result (`3.5`), arrays that the
kernel writes (`out = [0.5, …]`), or the error that ends the run (`error[overflow]`);
behind `≈` numbers may differ by one part in ten thousand. Each example runs in the plain
evaluator of the language, in the interpreter on the last stage, and natively.";

/// The arguments of `test`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` files in and under them), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// Write below each call what it gives, in place of what is there
    #[arg(long)]
    update: bool,
    /// Stop a run that takes more steps than this
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    fuel: u64,
    /// Stop native code that takes longer than this
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    examples: Vec<Row>,
    /// Reason why no example ran natively, if none did.
    not_native: Option<String>,
}

/// An example after its runs.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    line: u32,
    call: String,
    passed: bool,
    /// Engine that gave something else than expected.
    engine: Option<&'static str>,
    /// The expected line that differs, and what there is in its place.
    expected: Option<String>,
    actual: Option<String>,
    /// Reason why the example could not be run.
    trouble: Option<String>,
}

/// Runs the command: runs all examples of the files, and prints those that differ and how many passed.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if args.update && args.files.iter().any(|path| path.as_os_str() == "-") {
        wrong_usage("test", ErrorKind::ArgumentConflict, "`--update` writes to files, and standard input is none");
    }
    let not_native = why_not_native(args);
    let mut report = Report { version: json::VERSION, examples: Vec::new(), not_native };
    let outcome = documents::each(&args.files, "testing", console, |document, input, console| {
        let document = document.made_for(&[args.lanes.options()]);
        test(args, &document, input, &mut report, console)
    })?;
    if args.json {
        json::print(&report, console)?;
        return Ok(outcome);
    }
    if let Some(why) = report.not_native.as_ref().filter(|_| !report.examples.is_empty()) {
        console.note(&format!("lanescope: the examples did not run natively: {why}"))?;
    }
    let n_passed = report.examples.iter().filter(|row| row.passed).count();
    match report.examples.len() {
        0 if outcome == Outcome::Trouble => {}
        0 => writeln!(console, "no examples; one is a `## > kernel(arguments)` line above a kernel")?,
        n if n == n_passed => writeln!(console, "{} passed", count(n, "example"))?,
        n => writeln!(console, "{n_passed} of {} passed", count(n, "example"))?,
    }
    Ok(outcome)
}

/// Returns the reason why examples cannot run natively.
fn why_not_native(args: &Args) -> Option<String> {
    let row = args.lanes.target().row;
    if !native::host::runs(row) {
        return Some(format!("this machine does not run code for `{}`", row.name));
    }
    match machine_code::hello() {
        Ok(Answer::Hello { .. }) => None,
        Ok(_) => Some("the worker gives no answer".to_owned()),
        Err(trouble) => Some(trouble),
    }
}

/// Runs the examples of a document.
fn test(
    args: &Args,
    document: &Document,
    input: &Input,
    report: &mut Report,
    console: &mut Console,
) -> io::Result<Outcome> {
    let settings = Settings { options: args.lanes.options(), fuel: args.fuel };
    let folder = match input {
        Input::File(path) => path.parent().unwrap_or(Path::new("")),
        Input::Stdin => Path::new(""),
    };
    let natively = |document: &Document, item: Item<'_>, given: &[Argument]| {
        run_natively(args.lanes, args.timeout, None, document, item, given)
    };
    let natively: Option<examples::RunNatively<'_>> = report.not_native.is_none().then_some(&natively);
    let (mut outcome, mut outcomes) = (Outcome::Done, Vec::new());
    let examples = examples::examples(document);
    for example in &examples {
        let (verdict, first) = judge(document, example, settings, folder, natively);
        let stale = matches!(&verdict, Verdict::Differs { engine: "evaluated", .. }) || example.expected.is_empty();
        let verdict = match first {
            Some(first) if args.update && stale => {
                outcomes.push((example, first));
                Verdict::Passed
            }
            _ => verdict,
        };
        if !matches!(verdict, Verdict::Passed) {
            outcome = Outcome::Refused;
        }
        if !args.json {
            show(document, example, &verdict, console)?;
        }
        report.examples.push(row(document, example, verdict));
    }
    if let (false, Input::File(path)) = (outcomes.is_empty(), input) {
        if let Err(error) = files::write_whole(path, &examples::updated(document, &outcomes)) {
            console.trouble(&format!("{}: {error}", document.name))?;
            return Ok(Outcome::Trouble);
        }
        console.note(&format!("{}: {} written", document.name, count(outcomes.len(), "example")))?;
    }
    Ok(outcome)
}

fn row(document: &Document, example: &Example, verdict: Verdict) -> Row {
    let row = Row {
        file: document.name.clone(),
        line: example.line,
        call: example.text.clone(),
        passed: matches!(verdict, Verdict::Passed),
        engine: None,
        expected: None,
        actual: None,
        trouble: None,
    };
    match verdict {
        Verdict::Passed => row,
        Verdict::Differs { engine, difference: Difference { expected, actual } } => {
            Row { engine: Some(engine), expected: Some(expected), actual: Some(actual), ..row }
        }
        Verdict::Broken(trouble) => Row { trouble: Some(trouble), ..row },
    }
}

/// Prints an example that did not pass.
fn show(document: &Document, example: &Example, verdict: &Verdict, console: &mut Console) -> io::Result<()> {
    let look = console.look();
    let place = look.paint(highlight::STRONG, &format!("{}:{}", document.name, example.line));
    let call = visible(&example.text);
    match verdict {
        Verdict::Passed => Ok(()),
        Verdict::Differs { engine, difference } => {
            writeln!(console, "{place}: {call}")?;
            writeln!(console, "  expected     {}", visible(&difference.expected))?;
            writeln!(console, "  {engine:<12} {}\n", visible(&difference.actual))
        }
        Verdict::Broken(why) => writeln!(console, "{place}: {call}\n  cannot be run: {}\n", visible(why)),
    }
}
