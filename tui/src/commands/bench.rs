//! `lanescope bench`: the running times of a kernel as scalar and as vector code, beside the peak rates of this
//! machine.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use driver::arguments::arguments;
use driver::document::Document;
use driver::ispc_files::{HeaderArguments, is_ispc};
use driver::machine_code::{self, NoCode};
use driver::measuring::{Ask, Report, Wanted, chart, measure};
use driver::spec::{self, Given};
use driver::spelling::did_you_mean;
use driver::sweeping::table::{SweepWidth, table};
use driver::sweeping::{SweepOver, SweepReport, sweep};
use native::protocol::{Failure, Job};

use crate::commands::check::draw;
use crate::commands::run::{choose, why_stopped};
use crate::console::{Console, Outcome};
use crate::ispc_runs::{self, IspcBenchRequest};
use crate::lanes::LaneArgs;
use crate::{documents, highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope bench examples/scale_audio.lane
  lanescope bench examples/scale_audio.lane \\
      --arg 'samples=random(1000000, 1)' --arg 'out=zeros(1000000)' --arg n=1000000 --arg volume=0.5
  lanescope bench examples/scale_audio.lane --sweep sizes,lanes,targets
  lanescope bench kernel.ispc --kernel scale -I include";

/// Length of the longest bar of the chart, in columns.
const WIDEST: usize = 40;

/// The arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: PathBuf,
    /// The kernel to measure; may be left out when the file has only one
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A parameter and its numbers; an array that is not given has about a million elements
    #[arg(long = "arg", value_name = "NAME=SPEC", value_parser = spec::parse)]
    args: Vec<Given>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// The length of each measurement
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 300)]
    time: u64,
    /// Stop native code that takes longer than this, besides the time it is measured for
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// The number of threads that a kernel under `@threads` is measured with as well; left out, one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Measure the kernel on data of many sizes, with many numbers of lanes, or for all targets that run here: sizes, lanes or
    /// targets, joined by commas
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = parse_sweep)]
    sweep: Vec<SweepOver>,
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

/// Runs the command: measures the kernel and prints the report.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if is_ispc(&args.file) {
        return of_ispc(args, console);
    }
    let Some(document) = documents::one(&args.file, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[args.lanes.options()]);
    if !args.sweep.is_empty() {
        return match sweep_here(&document, args) {
            Ok(report) if args.json => {
                let report = json::SweepsReport { version: json::VERSION, report: &report };
                json::print(&report, console).map(|()| Outcome::Done)
            }
            Ok(report) => show_sweeps(&report, console).map(|()| Outcome::Done),
            Err(why) => refuse(&document, why, console),
        };
    }
    match measure_here(&document, args) {
        Ok(report) if args.json => {
            let report = json::BenchReport { version: json::VERSION, report: &report };
            json::print(&report, console).map(|()| Outcome::Done)
        }
        Ok(report) => show(&report, console).map(|()| Outcome::Done),
        Err(why) => refuse(&document, why, console),
    }
}

/// Tells why nothing was measured.
fn refuse(document: &Document, why: NoCode, console: &mut Console) -> io::Result<Outcome> {
    match why {
        NoCode::Errors(errors) => draw(document, &errors, console).map(|()| Outcome::Refused),
        NoCode::Trouble(message) => console.trouble(&message).map(|()| Outcome::Trouble),
        NoCode::Stopped(message) => console.trouble(&message).map(|()| Outcome::Refused),
    }
}

fn parse_sweep(word: &str) -> Result<SweepOver, String> {
    let found = SweepOver::ALL.into_iter().find(|over| over.name() == word);
    found.ok_or_else(|| {
        let names = SweepOver::ALL.map(SweepOver::name);
        format!("nothing is swept by that name{}; it is one of {}", did_you_mean(word, &names), names.join(", "))
    })
}

/// Measures a function of an ISPC file.
fn of_ispc(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if !args.sweep.is_empty() {
        let why = "functions of ISPC files are not swept; `--target` and `--lanes` measure them one way at a time";
        return console.trouble(why).map(|()| Outcome::Trouble);
    }
    let chosen = args.lanes.target();
    let ready =
        arguments(&args.args).and_then(|given| Ok((given, asking(args.time, args.timeout).map_err(message_of)?)));
    let (given, ask) = match ready {
        Ok(ready) => ready,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let request = IspcBenchRequest {
        path: &args.file,
        name: args.kernel.as_deref(),
        headers: &HeaderArguments { include: args.include.clone(), define: args.define.clone() },
        options: args.lanes.options(),
        machine: &chosen.machine(),
        given,
        milliseconds: args.time,
    };
    match ispc_runs::bench(request, &*ask, console)? {
        Ok(report) if args.json => {
            let report = json::BenchReport { version: json::VERSION, report: &report };
            json::print(&report, console).map(|()| Outcome::Done)
        }
        Ok(report) => show(&report, console).map(|()| Outcome::Done),
        Err(outcome) => Ok(outcome),
    }
}

fn message_of(why: NoCode) -> String {
    match why {
        NoCode::Trouble(message) | NoCode::Stopped(message) => message,
        NoCode::Errors(errors) => errors.first().map_or_else(String::new, |error| error.message.clone()),
    }
}

fn measure_here(document: &Document, args: &Args) -> Result<Report, NoCode> {
    let item = choose(document, args.kernel.as_deref()).map_err(NoCode::Trouble)?;
    let chosen = args.lanes.target();
    let mut given = arguments(&args.args).map_err(NoCode::Trouble)?;
    let filled = queries::run::to_measure(document.db(), item, &given).unwrap_or_default();
    let shown = spec::all_spelled(&filled);
    given.extend(filled);
    let wanted = Wanted {
        item,
        row: chosen.row,
        machine: chosen.machine(),
        options: args.lanes.options(),
        given: &given,
        threads: args.threads.map(usize::from),
        milliseconds: args.time,
    };
    let ask = asking(args.time, args.timeout)?;
    let mut report = measure(document, &wanted, &*ask, &mut |_, _| {})?;
    report.chosen = shown;
    Ok(report)
}

/// Measures the sweeps that were asked for, in the order in which they are measured.
fn sweep_here(document: &Document, args: &Args) -> Result<SweepReport, NoCode> {
    let item = choose(document, args.kernel.as_deref()).map_err(NoCode::Trouble)?;
    let chosen = args.lanes.target();
    let given = arguments(&args.args).map_err(NoCode::Trouble)?;
    let wanted = Wanted {
        item,
        row: chosen.row,
        machine: chosen.machine(),
        options: args.lanes.options(),
        given: &given,
        threads: None,
        milliseconds: args.time,
    };
    let ask = asking(args.time, args.timeout)?;
    let over: Vec<SweepOver> = SweepOver::ALL.into_iter().filter(|over| args.sweep.contains(over)).collect();
    sweep(document, &wanted, &over, &*ask, &mut |_, _| {})
}

/// Hands jobs to this process's worker, and waits for so many milliseconds of measuring and seconds of all else.
pub(crate) fn asking(milliseconds: u64, timeout: u64) -> Result<Box<Ask<'static>>, NoCode> {
    asking_unless(milliseconds, timeout, &|| false)
}

/// Does as [`asking`] does, and waits no longer than until `stopped` returns true.
pub(crate) fn asking_unless(
    milliseconds: u64,
    timeout: u64,
    stopped: &dyn Fn() -> bool,
) -> Result<Box<Ask<'_>>, NoCode> {
    let client = machine_code::client().map_err(NoCode::Trouble)?;
    let patience = Duration::from_millis(milliseconds).saturating_add(Duration::from_secs(timeout));
    Ok(Box::new(move |job: Job, memory: &[u8]| {
        client.ask(job, memory).wait_unless(patience, stopped).map_err(|failure| match failure {
            Failure::Refused(why) => NoCode::Trouble(why),
            failure => NoCode::Stopped(why_stopped(&failure, timeout)),
        })
    }))
}

fn show(report: &Report, console: &mut Console) -> io::Result<()> {
    let look = console.look();
    writeln!(console, "{}", look.paint(highlight::STRONG, &report.kernel))?;
    if !report.chosen.is_empty() {
        writeln!(console, "  on {}; `--arg` says other data", report.chosen.join(" "))?;
    }
    chart(report, WIDEST).iter().try_for_each(|line| writeln!(console, "{line}"))
}

fn show_sweeps(report: &SweepReport, console: &mut Console) -> io::Result<()> {
    let look = console.look();
    writeln!(console, "{}", look.paint(highlight::STRONG, &report.kernel))?;
    table(report, SweepWidth::Wide).iter().try_for_each(|line| {
        let text = if line.is_title { look.paint(highlight::STRONG, &line.text) } else { line.text.clone() };
        writeln!(console, "{text}")
    })
}
