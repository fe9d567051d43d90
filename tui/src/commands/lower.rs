//! `lanescope lower`: prints a program as it is at a stage on its way to vector code.

use std::io::{self, Write};
use std::path::PathBuf;

use analysis::check;
use analysis::db::Item;
use analysis::stages::{STAGES, Stage, StageText};
use clap::error::ErrorKind;
use syntax::Diagnostic;

use crate::cli::wrong_usage;
use crate::commands::check::outcome_of;
use crate::console::{Console, Look, Outcome};
use crate::difference::diff;
use crate::document::Document;
use crate::lanes::LaneArgs;
use crate::spelling::did_you_mean;
use crate::stages;
use crate::{highlight, inputs, json, render};

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
    stage: Option<Choice>,
    #[command(flatten)]
    lanes: LaneArgs,
    /// Print what differs from the stage before
    #[arg(long, conflicts_with = "json")]
    diff: bool,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// What `--stage` asks for.
#[derive(Debug, Clone)]
enum Choice {
    List,
    Stage(&'static Stage),
}

fn parse_choice(word: &str) -> Result<Choice, String> {
    if word == "list" { Ok(Choice::List) } else { stages::parse_stage(word).map(Choice::Stage) }
}

/// Prints the stage. The errors of what is printed go to standard error: they are no part of the program.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let stage = match args.stage {
        Some(Choice::List) => return list(console),
        Some(Choice::Stage(stage)) => stage,
        None => analysis::stages::usual(),
    };
    let Some(path) = &args.file else {
        wrong_usage(
            "lower",
            ErrorKind::MissingRequiredArgument,
            "a file to lower is missing, or `-` for standard input",
        )
    };
    let Some(document) = inputs::one(path, console)? else { return Ok(Outcome::Trouble) };
    let items = match choose(&document, args.kernel.as_deref()) {
        Ok(items) => items,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let lowered = stages::lower(&document, stage, &items, args.lanes.options());
    let mut diagnostics = document.diagnostics_of(&check::reachable(document.db(), &items));
    diagnostics.extend(items.iter().flat_map(|&item| stages::findings(&document, stage, item)));
    diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
    if args.json {
        json::print(&report(&document, stage, &lowered, &diagnostics), console)?;
    } else {
        let text = match stages::before(stage).filter(|_| args.diff) {
            Some(before) => diff(
                &stages::lower(&document, before, &items, args.lanes.options()).text(),
                &lowered.text(),
                console.look(),
            ),
            None => lowered.text(),
        };
        write!(console, "{text}")?;
        let drawn: Vec<_> = diagnostics.iter().map(|found| render::diagnostic(&document, found, Look::PLAIN)).collect();
        if !drawn.is_empty() {
            console.note(drawn.concat().trim_end())?;
        }
    }
    Ok(outcome_of(&diagnostics))
}

fn list(console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let width = STAGES.iter().map(|stage| stage.name.len()).max().unwrap_or(0);
    for stage in STAGES.iter() {
        let name = look.paint(highlight::STRONG, stage.name);
        writeln!(console, "{name}{:pad$}  {}", "", stage.description, pad = width - stage.name.len())?;
    }
    Ok(Outcome::Done)
}

/// The items with a name, or all.
fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Vec<Item<'d>>, String> {
    let Some(name) = name else { return Ok(document.items().to_vec()) };
    let name_of = |item: &Item<'d>| -> &'d str { item.name(document.db()) };
    let chosen: Vec<_> = document.items().iter().copied().filter(|item| name_of(item) == name).collect();
    if !chosen.is_empty() && !name.is_empty() {
        return Ok(chosen);
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
    let stage = json::Stage {
        name: stage.name,
        changed: lowered.changed,
        passes: passes.collect(),
        text: lowered.text(),
        lines: lines.collect(),
    };
    json::LowerReport {
        version: json::VERSION,
        file: document.name.clone(),
        stages: vec![stage],
        diagnostics: diagnostics.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
    }
}
