//! `lanescope lower`: prints a program as it is at a stage on its way to vector code.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::ErrorKind;
use syntax::ast::{AstNode, Item};
use syntax::{Diagnostic, FileItem, SyntaxNode};

use crate::cli::wrong_usage;
use crate::commands::check::outcome_of;
use crate::console::{Console, Look, Outcome};
use crate::document::Document;
use crate::spelling::did_you_mean;
use crate::stages::{self, STAGES, Stage, StageText};
use crate::{highlight, inputs, json, render};

const EXAMPLES: &str = "\
Examples:
  lanescope lower examples/scale_audio.lane
  lanescope lower blur.lane --kernel blur_rows --stage parsed
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
    /// The stage to print, the furthest when left out; `list` names all and what they show
    #[arg(long, value_parser = parse_choice)]
    stage: Option<Choice>,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// What `--stage` asks for.
#[derive(Clone)]
enum Choice {
    List,
    Stage(&'static Stage),
}

impl std::fmt::Debug for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Choice::List => "list",
            Choice::Stage(stage) => stage.name,
        })
    }
}

fn parse_choice(word: &str) -> Result<Choice, String> {
    if word == "list" { Ok(Choice::List) } else { stages::parse_stage(word).map(Choice::Stage) }
}

/// Prints the stage. The errors of what is printed go to standard error: they are no part of the program.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let stage = match args.stage {
        Some(Choice::List) => return list(console),
        Some(Choice::Stage(stage)) => stage,
        None => stages::last(),
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
    let lowered = (stage.lower)(&document, &items);
    let diagnostics = document.diagnostics_of(&items);
    if args.json {
        json::print(&report(&document, stage, &lowered, &diagnostics), console)?;
    } else {
        write!(console, "{}", lowered.text())?;
        for found in &diagnostics {
            console.note(render::diagnostic(&document, found, Look::PLAIN).trim_end())?;
        }
    }
    Ok(outcome_of(&diagnostics))
}

fn list(console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    let width = STAGES.iter().map(|stage| stage.name.len()).max().unwrap_or(0);
    for stage in STAGES {
        let name = look.paint(highlight::STRONG, stage.name);
        writeln!(console, "{name}{:pad$}  {}", "", stage.description, pad = width - stage.name.len())?;
    }
    Ok(Outcome::Done)
}

/// The items with a name, or all.
fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Vec<&'d FileItem>, String> {
    let items = document.file.items();
    let Some(name) = name else { return Ok(items.iter().collect()) };
    let names: Vec<_> = items.iter().map(|item| name_of(item).unwrap_or_default()).collect();
    let chosen: Vec<_> = items.iter().zip(&names).filter(|(_, own)| *own == name).map(|(item, _)| item).collect();
    if !chosen.is_empty() && !name.is_empty() {
        return Ok(chosen);
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Err(format!("{}: there is no `{name}` in this file{}", document.name, did_you_mean(name, &names)))
}

fn name_of(item: &FileItem) -> Option<String> {
    Item::cast(SyntaxNode::new_root(item.parse.green.clone()))?.name()?.text()
}

fn report(document: &Document, stage: &Stage, lowered: &StageText, diagnostics: &[Diagnostic]) -> json::LowerReport {
    let lines = lowered.lines.iter().enumerate().map(|(n, line)| json::StageLine {
        line: n + 1,
        source_range: line.source.map(|range| json::Range::of(document, range)),
    });
    let stage =
        json::Stage { name: stage.name, changed: lowered.changed, text: lowered.text(), lines: lines.collect() };
    json::LowerReport {
        version: json::VERSION,
        file: document.name.clone(),
        stages: vec![stage],
        diagnostics: diagnostics.iter().map(|found| json::Diagnostic::of(document, found)).collect(),
    }
}
