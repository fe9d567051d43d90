//! `lanescope lower`: prints a program at a stage of its lowering to vector code.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::ErrorKind;
use driver::document::Document;
use driver::ispc_files::{Command, is_ispc};
use driver::machine_code::{self, MACHINE_STAGES, MachineForm, NoCode};
use driver::spelling::did_you_mean;
use driver::stages;
use native::protocol::CompiledForm;
use queries::check;
use queries::db::Item;
use queries::stages::{STAGES, Stage, StageText};
use queries::templates;
use report::{Diagnostic, Severity, TextRange};

use crate::cli::wrong_usage;
use crate::commands::check::outcome_of;
use crate::console::{Console, Look, Outcome};
use crate::difference::diff_of_stages;
use crate::lanes::LaneArgs;
use crate::{documents, highlight, ispc_runs, json, render};

const EXAMPLES: &str = "\
Examples:
  lanescope lower examples/scale_audio.lane
  lanescope lower blur.lane --kernel blur_rows --stage parsed
  lanescope lower blur.lane --stage final --diff
  lanescope lower --stage list";

/// The arguments of `lower`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, or `-` for standard input
    file: Option<PathBuf>,
    /// Print only this kernel (or `fn`, `struct`, `const`)
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The stage to print, `vector` when left out; `list` names all and what they show
    #[arg(long, value_parser = parse_choice)]
    stage: Option<StageArg>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// Print what differs from the stage before
    #[arg(long, conflicts_with = "json")]
    diff: bool,
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

/// The value of `--stage`.
#[derive(Debug, Clone)]
enum StageArg {
    List,
    Stage(&'static Stage),
    Machine(MachineForm),
}

fn parse_choice(word: &str) -> Result<StageArg, String> {
    if word == "list" {
        return Ok(StageArg::List);
    }
    match MachineForm::of_stage(word) {
        Some(form) => Ok(StageArg::Machine(form)),
        None => stages::parse_stage(word).map(StageArg::Stage),
    }
}

/// Runs the command: prints the stage. Errors of the printed items go to standard error, because they are no part of
/// the program.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let stage = match args.stage {
        Some(StageArg::List) => return list(console),
        Some(StageArg::Stage(stage)) => Ok(stage),
        Some(StageArg::Machine(form)) => Err(form),
        None => Ok(queries::stages::usual()),
    };
    let Some(path) = &args.file else {
        wrong_usage(
            "lower",
            ErrorKind::MissingRequiredArgument,
            "a file to lower is missing, or `-` for standard input",
        )
    };
    if is_ispc(path) {
        if args.stage.is_some() || args.diff || args.json {
            let message =
                "ISPC files have one stage, which is printed as text: leave out `--stage`, `--diff` and `--json`";
            wrong_usage("lower", ErrorKind::ArgumentConflict, message);
        }
        let command = Command { include: &args.include, define: &args.define, target: args.lanes.options() };
        return ispc_runs::lower(path, args.kernel.as_deref(), &command, console);
    }
    let Some(document) = documents::one(path, console)? else { return Ok(Outcome::Trouble) };
    let document = document.made_for(&[args.lanes.options()]);
    let stage = match stage {
        Ok(stage) => stage,
        Err(form) => return machine(args, &document, form, console),
    };
    let items = match choose(&document, args.kernel.as_deref()) {
        Ok(items) => items,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let lowered = stages::lower(&document, stage, &items, args.lanes.options());
    let mut diagnostics = document.diagnostics_of(&check::reachable(document.db(), &items));
    // What keeps a kernel from this stage may be found already.
    let of_stage: Vec<_> = items.iter().flat_map(|&item| stages::findings(&document, stage, item)).collect();
    diagnostics.retain(|diagnostic| !of_stage.contains(diagnostic));
    diagnostics.extend(of_stage);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
    if args.json {
        json::print(&report(&document, stage, &lowered, &diagnostics), console)?;
    } else {
        let text = match stage.before().filter(|_| args.diff) {
            Some(before) => diff_of_stages(
                &stages::lower(&document, before, &items, args.lanes.options()).text(),
                &lowered.text(),
                console.look(),
            ),
            None => lowered.text(),
        };
        write!(console, "{text}")?;
        // What its lanes cost is the matter of `check`; here it would stand once more for each access.
        let troubles = diagnostics.iter().filter(|found| found.severity != Severity::Note);
        let drawn: Vec<_> = troubles.map(|found| render::diagnostic(&document, found, Look::PLAIN)).collect();
        if !drawn.is_empty() {
            console.note(drawn.concat().trim_end())?;
        }
    }
    Ok(outcome_of(&diagnostics))
}

/// Prints a form after Lane IR.
fn machine(args: &Args, document: &Document, form: MachineForm, console: &mut Console) -> io::Result<Outcome> {
    let (text, errors) = match machine_text(args, document, form) {
        Ok(both) => both,
        Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
            return console.trouble(&message).map(|()| Outcome::Trouble);
        }
        Err(NoCode::Errors(errors)) => (String::new(), errors),
    };
    if args.json {
        json::print(&machine_report(document, form, &text, &errors), console)?;
    } else {
        write!(console, "{text}")?;
        let drawn: Vec<_> = errors.iter().map(|found| render::diagnostic(document, found, Look::PLAIN)).collect();
        if !drawn.is_empty() {
            console.note(drawn.concat().trim_end())?;
        }
    }
    Ok(outcome_of(&errors))
}

/// Prints the kernels that reach the form, and collects the errors of the others.
fn machine_text(args: &Args, document: &Document, form: MachineForm) -> Result<(String, Vec<Diagnostic>), NoCode> {
    let items = machine_code::choose(document, args.kernel.as_deref())?;
    let (items, errors) = machine_code::sound(document, &items);
    if items.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    let machine = args.lanes.target().machine();
    let ir = machine_code::llvm_ir(document, &items, args.lanes.options(), &machine, Default::default())?;
    let text = match form {
        MachineForm::Llvm => ir,
        MachineForm::LlvmOpt => machine_code::text(ir, &machine, CompiledForm::Optimised)?,
        MachineForm::Asm => {
            let listing =
                native::asm::listing(&machine_code::text(ir, &machine, CompiledForm::Assembly)?, machine.family);
            let functions = listing.functions.iter().flat_map(|function| &function.lines);
            functions.chain(&listing.constants).flat_map(|line| [line.text.as_str(), "\n"]).collect()
        }
    };
    Ok((text, errors))
}

fn machine_report(document: &Document, form: MachineForm, text: &str, errors: &[Diagnostic]) -> json::LowerReport {
    let lines = (1..=text.lines().count()).map(|line| json::StageLine { line, source_range: None }).collect();
    json::LowerReport {
        version: json::VERSION,
        file: document.name.clone(),
        stages: vec![json::Stage {
            name: form.stage().name,
            changed: true,
            passes: Vec::new(),
            text: text.to_owned(),
            lines,
            decisions: Vec::new(),
        }],
        diagnostics: errors.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
    }
}

fn list(console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let of_machine = MACHINE_STAGES.iter().map(|stage| (stage.name, stage.description));
    let all: Vec<_> = STAGES.iter().map(|stage| (stage.name, stage.description)).chain(of_machine).collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, shows) in all {
        let pad = width - name.len();
        writeln!(console, "{}{:pad$}  {shows}", look.paint(highlight::STRONG, name), "")?;
    }
    Ok(Outcome::Done)
}

/// Returns the items with a name, or all of them.
fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Vec<Item<'d>>, String> {
    let db = document.db();
    let all = document.items().iter().filter(|item| !templates::is_open(db, **item));
    let all: Vec<_> = all.map(|&item| queries::kernel_of(db, item)).collect();
    let Some(name) = name else { return Ok(all) };
    let name_of = |item: &Item<'d>| -> &'d str { item.name(document.db()) };
    let chosen: Vec<_> = all.iter().copied().filter(|item| name_of(item) == name).collect();
    if !chosen.is_empty() && !name.is_empty() {
        return Ok(chosen);
    }
    if let Ok(kernel) = document.kernel_named(name) {
        return Ok(vec![kernel]);
    }
    let names: Vec<_> = document.items().iter().map(name_of).collect();
    Err(format!("{}: there is no `{name}` in this file{}", document.name, did_you_mean(name, &names)))
}

fn report(document: &Document, stage: &Stage, lowered: &StageText, diagnostics: &[Diagnostic]) -> json::LowerReport {
    let lines = lowered.lines.iter().enumerate().map(|(n, line)| json::StageLine {
        line: n + 1,
        source_range: line.source.map(|range| json::Range::of(document, range)),
    });
    let passes = lowered.passes.iter().map(|pass| json::Pass { name: pass.name, changed: pass.changed });
    let in_document = |range: &Option<TextRange>| range.map(|range| json::Range::of(document, range));
    let decisions = lowered.decisions.iter().map(|decision| decision.map(in_document));
    let stage = json::Stage {
        name: stage.name,
        changed: lowered.changed,
        passes: passes.collect(),
        text: lowered.text(),
        lines: lines.collect(),
        decisions: decisions.collect(),
    };
    json::LowerReport {
        version: json::VERSION,
        file: document.name.clone(),
        stages: vec![stage],
        diagnostics: diagnostics.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
    }
}
