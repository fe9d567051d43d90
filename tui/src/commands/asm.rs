//! `lanescope asm`: the assembly of kernels, with the source line of each instruction, marks on inner loops, counts of what
//! instructions do, of hot loops for each iteration of the source's loop as well, and notes where the code deviates from the
//! facts about the kernel's lanes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use driver::document::Document;
use driver::ispc_files::{Command, is_ispc};
use driver::machine_code::{self, NoCode};
use driver::spills;
use driver::words::visible;
use native::asm::critical::{ChainMark, LatencyChain, LoopEstimate};
use native::asm::hot::{Hot, hot_loops};
use native::asm::{Counts, Function, Kind, Line, Listing, listing};
use native::audit::audit;
use native::emit;
use native::protocol::CompiledForm;
use queries::db::Item;
use report::Diagnostic;
use serde::Serialize;

use crate::commands::check::draw;
use crate::console::{Console, Outcome};
use crate::ispc_assembly::{self, IspcAsmRequest};
use crate::lanes::LaneArgs;
use crate::{documents, highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope asm examples/scale_audio.lane
  lanescope asm blur.lane --kernel blur_rows --target avx2 --source
  lanescope asm blur.lane --target neon --json
  lanescope asm kernel.ispc --target avx2-i32x8";

/// The arguments of `asm`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: PathBuf,
    /// Print only this kernel
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// Print each source line before the instructions that came from it
    #[arg(long)]
    source: bool,
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

/// Runs the command: prints the assembly of the sound kernels, and the errors of the others.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    if is_ispc(&args.file) {
        let command = Command { include: &args.include, define: &args.define, target: args.lanes.options() };
        let request = IspcAsmRequest {
            path: &args.file,
            name: args.kernel.as_deref(),
            chosen: args.lanes.target(),
            with_source: args.source,
            as_json: args.json,
        };
        return ispc_assembly::assembly(&request, &command, console);
    }
    let Some(document) = documents::one(&args.file, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[args.lanes.options()]);
    let made = match assembly(&document, args) {
        Ok(made) => made,
        Err(NoCode::Errors(errors)) => Made { errors, ..Made::default() },
        Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
            return console.trouble(&message).map(|()| Outcome::Trouble);
        }
    };
    if args.json {
        json::print(&Report::of(&document, args, &made), console)?;
    } else {
        show(&document, args, &made, console)?;
        draw(&document, &made.errors, console)?;
    }
    Ok(if made.errors.is_empty() { Outcome::Done } else { Outcome::Refused })
}

/// The result of the command.
#[derive(Default)]
struct Made {
    listing: Listing,
    /// The hot loops of each function.
    hot: Vec<Vec<Hot>>,
    /// Deviations of the code from the facts about lanes.
    audit: Vec<Audited>,
    /// Errors that keep kernels from having code.
    errors: Vec<Diagnostic>,
}

/// A finding of the audit of a kernel.
#[derive(Debug, Serialize)]
pub(crate) struct Audited {
    kernel: String,
    code: &'static str,
    message: String,
    source_line: Option<u32>,
}

/// Compiles the kernels that have no errors, and collects the errors of the others.
fn assembly(document: &Document, args: &Args) -> Result<Made, NoCode> {
    let items = machine_code::choose(document, args.kernel.as_deref())?;
    let (items, mut errors) = machine_code::sound(document, &items);
    if items.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    let machine = args.lanes.target().machine();
    let ir = machine_code::llvm_ir(document, &items, args.lanes.options(), &machine, emit::ModuleOptions::default())?;
    let text = machine_code::text(ir, &machine, CompiledForm::Assembly)?;
    let listing = listing(&text, machine.family);
    let audit = items.iter().flat_map(|&item| audited(document, item, args, &listing)).collect();
    let hot = listing.functions.iter().map(|function| hot_loops_of(document, &items, args, function)).collect();
    let target = args.lanes.target().row.name;
    for &item in &items {
        let kernel = machine_code::finished(document, item, args.lanes.options());
        errors.extend(kernel.into_iter().flat_map(|kernel| spills::broken(document, item, &kernel, &listing, target)));
    }
    spills::told_once(&mut errors);
    Ok(Made { listing, hot, audit, errors })
}

/// The hot loops of a function, if it is a kernel's own code.
fn hot_loops_of(document: &Document, items: &[Item<'_>], args: &Args, function: &Function) -> Vec<Hot> {
    let is_made_of = |item: &&Item<'_>| function.is_of(item.name(document.db()));
    let Some(&item) = items.iter().find(is_made_of) else { return Vec::new() };
    let kernel = machine_code::finished(document, item, args.lanes.options());
    let source = machine_code::source(document, item);
    kernel.map_or_else(Vec::new, |kernel| hot_loops(function, &kernel, &source))
}

/// Audits a kernel: returns where its code deviates from the facts about its lanes.
fn audited(document: &Document, item: Item<'_>, args: &Args, listing: &Listing) -> Vec<Audited> {
    let (Some(kernel), source) =
        (machine_code::finished(document, item, args.lanes.options()), machine_code::source(document, item))
    else {
        return Vec::new();
    };
    let Some(function) = listing.functions.iter().find(|function| function.is_of(&kernel.name)) else {
        return Vec::new();
    };
    let told = audit(&kernel, function).into_iter().map(|decision| Audited {
        kernel: kernel.name.to_string(),
        code: decision.code.name(),
        message: decision.because.iter().map(ToString::to_string).collect(),
        source_line: source.place(kernel.origins[decision.origin].place).map(|place| place.line),
    });
    told.collect()
}

fn show(document: &Document, args: &Args, made: &Made, console: &mut Console) -> io::Result<()> {
    let (look, listing) = (console.look(), &made.listing);
    for (number, function) in listing.functions.iter().enumerate() {
        if number > 0 {
            writeln!(console)?;
        }
        let mut shown = None;
        for (at, line) in function.lines.iter().enumerate() {
            if let Some(source) = line.source_line.filter(|_| args.source).filter(|&source| shown != Some(source)) {
                shown = Some(source);
                let text = document.text.lines().nth(source as usize - 1).unwrap_or_default();
                let text = visible(text.trim());
                writeln!(console, "{}", look.paint(highlight::FAINT, &format!("{source:>6}  # {text}")))?;
            }
            writeln!(console, "{}", line_text(line, args.source, mark(&made.hot[number], at)))?;
        }
        for line in summary(function, &made.hot[number]) {
            writeln!(console, "{}", look.paint(highlight::FAINT, &line))?;
        }
        for Audited { code, message, source_line, .. } in
            made.audit.iter().filter(|audited| function.is_of(&audited.kernel))
        {
            let line = source_line.map_or_else(String::new, |line| format!(", line {line}"));
            writeln!(console, "# {code}{line}: {message}")?;
        }
    }
    if !listing.constants.is_empty() {
        writeln!(console)?;
    }
    listing.constants.iter().try_for_each(|line| writeln!(console, "{}", line_text(line, true, None)))
}

/// The chain that a line of a function is in.
pub(crate) fn mark(hot: &[Hot], at: usize) -> Option<ChainMark> {
    let mut around = hot.iter().filter(|hot| hot.lines.contains(&at));
    around.find_map(|hot| hot.estimate.as_ref().ok()?.mark(at))
}

/// Formats a line: the source line number (unless the source itself is shown), a bar along inner loops, the mark of the chain that it is
/// in, and the instruction.
pub(crate) fn line_text(line: &Line, no_number: bool, mark: Option<ChainMark>) -> String {
    let number = line.source_line.filter(|_| !no_number).map_or(String::new(), |number| number.to_string());
    let bar = if line.in_inner_loop { "|" } else { "" };
    let text = match line.text.strip_prefix('\t') {
        Some(instruction) => format!("  {} {instruction}", mark.map_or(' ', ChainMark::sign)),
        None => line.text.clone(),
    };
    format!("{number:>6} {bar:1} {text}").trim_end().to_owned()
}

/// Counts what is done in a function, and in a turn and an iteration of its hot loops.
pub(crate) fn summary(function: &Function, hot: &[Hot]) -> Vec<String> {
    let mut all = Counts::default();
    function.lines.iter().for_each(|line| all += line.counts);
    let counts = |counts: &Counts| {
        let counts: Vec<_> = counts.counted().map(|(kind, number)| format!("{number} {}", kind.name())).collect();
        counts.join(", ")
    };
    let mut lines = vec![format!("# {}: {}", function.name, counts(&all))];
    for hot in hot {
        lines.push(format!("#   {}: {}", driver::words::hot_loop(hot), counts(&hot.counts)));
        if hot.iterations > 1 {
            lines.push(format!("#     an iteration: {}", driver::words::of_an_iteration(hot)));
        }
        lines.extend(driver::words::estimate_of(hot).iter().map(|words| format!("#     {words}")));
    }
    lines
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'r> {
    pub(crate) version: u32,
    pub(crate) file: String,
    pub(crate) target: &'static str,
    pub(crate) functions: Vec<FunctionReport>,
    pub(crate) asm: Vec<LineReport>,
    pub(crate) audit: &'r [Audited],
    pub(crate) diagnostics: Vec<json::Diagnostic>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FunctionReport {
    name: String,
    counts: Vec<CountReport>,
    hot_loops: Vec<HotReport>,
}

#[derive(Debug, Serialize)]
struct HotReport {
    source_line: Option<u32>,
    iterations: u64,
    instructions: usize,
    counts: Vec<HotCountReport>,
    /// The numbers of its lines in `asm`.
    lines: Vec<usize>,
    estimate: Option<EstimateReport>,
    /// The reason why there is no estimate.
    trouble: Option<String>,
}

#[derive(Debug, Serialize)]
struct EstimateReport {
    processor: &'static str,
    a_turn: f64,
    an_iteration: f64,
    bound_by: &'static str,
    carried: ChainReport,
    through: ChainReport,
    units: UnitsReport,
    front_end: f64,
}

#[derive(Debug, Serialize)]
struct ChainReport {
    cycles: f64,
    turns: usize,
    steps: Vec<StepReport>,
}

#[derive(Debug, Serialize)]
struct StepReport {
    line: usize,
    cycles: u32,
}

#[derive(Debug, Serialize)]
struct UnitsReport {
    cycles: f64,
    names: String,
}

impl EstimateReport {
    fn of(estimate: &LoopEstimate, iterations: u64, first_line: usize) -> EstimateReport {
        let chain = |chain: &LatencyChain| ChainReport {
            cycles: chain.cycles,
            turns: chain.turns,
            steps: chain
                .steps
                .iter()
                .map(|(at, cycles)| StepReport { line: first_line + at, cycles: *cycles })
                .collect(),
        };
        EstimateReport {
            processor: estimate.processor,
            a_turn: estimate.cycles(),
            an_iteration: estimate.cycles() / iterations.max(1) as f64,
            bound_by: estimate.bound().name(),
            carried: chain(&estimate.carried),
            through: chain(&estimate.through),
            units: UnitsReport { cycles: estimate.units.0, names: estimate.units.1.clone() },
            front_end: estimate.front,
        }
    }
}

#[derive(Debug, Serialize)]
struct HotCountReport {
    kind: &'static str,
    a_turn: usize,
    an_iteration: f64,
}

#[derive(Debug, Serialize)]
struct CountReport {
    kind: &'static str,
    all: usize,
    in_inner_loops: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct LineReport {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) source_line: Option<u32>,
    /// The header that the line is in, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_file: Option<String>,
    pub(crate) kind: Option<&'static str>,
    pub(crate) counts: BTreeMap<&'static str, usize>,
    pub(crate) in_inner_loop: bool,
}

impl<'r> Report<'r> {
    fn of(document: &Document, args: &Args, made: &'r Made) -> Report<'r> {
        let listing = &made.listing;
        let lines = listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants);
        let mut functions = Vec::new();
        let mut first_line = 1;
        for (function, hot) in listing.functions.iter().zip(&made.hot) {
            functions.push(FunctionReport::of(function, hot, first_line));
            first_line += function.lines.len();
        }
        Report {
            version: json::VERSION,
            file: document.name.clone(),
            target: args.lanes.target().row.name,
            functions,
            asm: lines.enumerate().map(|(n, line)| LineReport::of(n + 1, line)).collect(),
            audit: &made.audit,
            diagnostics: made.errors.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
        }
    }
}

impl LineReport {
    pub(crate) fn of(number: usize, line: &Line) -> LineReport {
        LineReport {
            line: number,
            text: line.text.clone(),
            source_line: line.source_line,
            source_file: None,
            kind: line.kind.map(Kind::name),
            counts: line.counts.counted().map(|(kind, number)| (kind.name(), number)).collect(),
            in_inner_loop: line.in_inner_loop,
        }
    }
}

impl FunctionReport {
    pub(crate) fn of(function: &Function, hot: &[Hot], first_line: usize) -> FunctionReport {
        let count = |kind: Kind| CountReport {
            kind: kind.name(),
            all: function.count(kind, false),
            in_inner_loops: function.count(kind, true),
        };
        FunctionReport {
            name: function.name.clone(),
            counts: Kind::ALL.into_iter().map(count).collect(),
            hot_loops: hot.iter().map(|hot| HotReport::of(hot, first_line)).collect(),
        }
    }
}

impl HotReport {
    fn of(hot: &Hot, first_line: usize) -> HotReport {
        let count = |(kind, number): (Kind, usize)| HotCountReport {
            kind: kind.name(),
            a_turn: number,
            an_iteration: hot.per_iteration(number),
        };
        HotReport {
            source_line: hot.source_line,
            iterations: hot.iterations,
            instructions: hot.instructions,
            counts: hot.counts.counted().map(count).collect(),
            lines: hot.lines.iter().map(|at| first_line + at).collect(),
            estimate: hot.estimate.as_ref().ok().map(|it| EstimateReport::of(it, hot.iterations, first_line)),
            trouble: hot.estimate.as_ref().err().cloned(),
        }
    }
}
