//! `lanescope compare`: kernels on other targets, with other lanes and under other attributes, side by side in one table.

use std::io::{self, Write};
use std::path::PathBuf;

use driver::document::Document;
use driver::machine_code::{self, NoCode};
use driver::targets::parse_target;
use driver::variants::{Compared, ComparedRow, HotFigures, LEGEND, TableWidth, compare, table};
use ide::variants::{WantedVariants, gains};
use queries::stages::target::{TARGETS, Target};
use report::lanes::LoopCost;
use serde::Serialize;

use crate::commands::check::draw;
use crate::console::{Console, Outcome};
use crate::json::{Edit, Range};
use crate::{documents, highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope compare examples/color_by_number.lane
  lanescope compare examples/audio.lane mix --targets avx2,avx512,neon --asm
  lanescope compare examples/audio.lane mix --lanes 4,8,16 --json";

/// The arguments of `compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: PathBuf,
    /// The kernel to compare; left out, all of the file
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// The targets to compare with, joined by commas; left out, all of them
    #[arg(long, value_name = "TARGET", value_delimiter = ',', value_parser = parse_row)]
    targets: Vec<&'static Target>,
    /// The numbers of lanes to try; left out, 4, 8, 16 and 32
    #[arg(long = "lanes", value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=64))]
    tried_lanes: Vec<u16>,
    /// Whether attributes are tried: `@reassoc` and `@fast`, written above the kernel or taken away
    #[arg(long, value_name = "yes|no", num_args = 0..=1, default_value = "yes", default_missing_value = "yes", value_enum)]
    attributes: Tried,
    /// The target that all is compared with: native, sse4, avx2, avx512, neon, sve, rvv or scalar
    #[arg(long, value_name = "TARGET", default_value = "native", value_parser = parse_row)]
    target: &'static Target,
    /// Count instructions, vector registers and spills in the assembly of each variant, too
    #[arg(long)]
    asm: bool,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// Says whether something is tried. (The variants have no doc comments, which would appear in `--help`.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Tried {
    Yes,
    No,
}

fn parse_row(word: &str) -> Result<&'static Target, String> {
    parse_target(word).map(|chosen| chosen.row)
}

/// Runs the command: prints a table for each kernel.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let Some(document) = documents::one(&args.file, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[queries::stages::Options { lanes: None, target: args.target }]);
    let items = match machine_code::choose(&document, args.kernel.as_deref()) {
        Ok(items) => items,
        Err(NoCode::Trouble(message)) => return console.trouble(&message).map(|()| Outcome::Trouble),
        Err(NoCode::Errors(_) | NoCode::Stopped(_)) => return Ok(Outcome::Refused),
    };
    let (items, errors) = machine_code::sound(&document, &items);
    let wanted = wanted(args);
    let compared: Vec<Compared> = items.iter().map(|&item| compare(&document, item, &wanted, args.asm)).collect();
    if args.json {
        json::print(&Report::of(&document, args.target, &compared, &errors), console)?;
    } else {
        show(&compared, console)?;
        draw(&document, &errors, console)?;
    }
    Ok(if errors.is_empty() { Outcome::Done } else { Outcome::Refused })
}

fn wanted(args: &Args) -> WantedVariants {
    // Who names one thing wants that alone.
    let is_named = !args.targets.is_empty() || !args.tried_lanes.is_empty();
    let all = WantedVariants::all();
    WantedVariants {
        targets: if is_named { args.targets.clone() } else { TARGETS.iter().collect() },
        lanes: if is_named { args.tried_lanes.clone() } else { all.lanes },
        attributes: args.attributes == Tried::Yes,
    }
}

fn show(compared: &[Compared], console: &mut Console) -> io::Result<()> {
    let look = console.look();
    for (n, kernel) in compared.iter().enumerate() {
        if n > 0 {
            writeln!(console)?;
        }
        for line in table(kernel, TableWidth::Wide) {
            let style = match line.row {
                None => highlight::FAINT,
                Some(0) => highlight::STRONG,
                Some(_) if line.gains => highlight::GAIN,
                Some(_) => anstyle::Style::new(),
            };
            writeln!(console, "{}", look.paint(style, &line.text))?;
        }
        for row in kernel.rows.iter().filter(|row| gains(&kernel.rows[0].row, &row.row)) {
            let results = row.row.variant.change.as_ref().map_or("", |change| change.results);
            if let Some(change) = row.row.variant.change.as_ref().filter(|_| !results.is_empty()) {
                writeln!(console, "{}", look.paint(highlight::FAINT, &format!("{}: {results}", change.title)))?;
            }
        }
    }
    if !compared.is_empty() {
        writeln!(console)?;
    }
    LEGEND.iter().filter(|_| !compared.is_empty()).try_for_each(|line| {
        let line = look.paint(highlight::FAINT, line);
        writeln!(console, "{line}")
    })
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct Report<'c> {
    version: u32,
    file: String,
    target: &'static str,
    kernels: Vec<KernelReport<'c>>,
    diagnostics: Vec<json::Diagnostic>,
}

#[derive(Debug, Serialize)]
struct KernelReport<'c> {
    name: &'c str,
    variants: Vec<VariantReport<'c>>,
}

#[derive(Debug, Serialize)]
struct VariantReport<'c> {
    name: String,
    target: &'static str,
    lanes: Option<u16>,
    attribute: Option<&'c str>,
    results: Option<&'static str>,
    present: bool,
    gains: bool,
    cycles: f64,
    differs: &'c str,
    loops: Vec<LoopReport>,
    edits: Vec<Edit>,
    trouble: Option<&'c str>,
}

#[derive(Debug, Serialize)]
struct LoopReport {
    range: Range,
    lanes: u16,
    headline: String,
    cost: LoopCost<Range>,
    machine_code: Option<MachineReport>,
}

#[derive(Debug, Serialize)]
struct MachineReport {
    instructions: f64,
    registers: usize,
    spills: usize,
}

impl MachineReport {
    fn of(figures: HotFigures) -> MachineReport {
        let HotFigures { instructions, registers, spills } = figures;
        MachineReport { instructions, registers, spills }
    }
}

impl<'c> Report<'c> {
    fn of(document: &Document, target: &Target, compared: &'c [Compared], errors: &[report::Diagnostic]) -> Report<'c> {
        let kernel = |kernel: &'c Compared| KernelReport {
            name: &kernel.kernel,
            variants: kernel.rows.iter().map(|row| VariantReport::of(document, &kernel.rows[0], row)).collect(),
        };
        Report {
            version: json::VERSION,
            file: document.name.clone(),
            target: target.name,
            kernels: compared.iter().map(kernel).collect(),
            diagnostics: errors.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
        }
    }
}

impl<'c> VariantReport<'c> {
    fn of(document: &Document, present: &ComparedRow, of: &'c ComparedRow) -> VariantReport<'c> {
        let row = &of.row;
        let change = row.variant.change.as_ref();
        let loop_ = |(it, figures): (&ide::variants::VariantLoop, &Option<HotFigures>)| LoopReport {
            range: Range::of(document, it.header),
            lanes: it.cost.lanes,
            headline: it.headline.clone(),
            cost: it.cost.map(&|at| Some(Range::of(document, *at))),
            machine_code: figures.map(MachineReport::of),
        };
        let edits = change.iter().flat_map(|change| &change.edits);
        VariantReport {
            name: row.name(),
            target: row.variant.options.target.name,
            lanes: row.variant.options.lanes,
            attribute: change.map(|change| &*change.title),
            results: change.map(|change| change.results).filter(|results| !results.is_empty()),
            present: row.is_present,
            gains: gains(&present.row, row),
            cycles: row.cycles(),
            differs: &row.differs,
            loops: row.loops.iter().zip(&of.machine).map(loop_).collect(),
            edits: edits.map(|edit| Edit::of(document, edit)).collect(),
            trouble: of.trouble.as_deref(),
        }
    }
}
