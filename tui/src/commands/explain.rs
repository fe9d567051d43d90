//! `lanescope explain`: the facts about the lanes of a program, value by value and access by access; or the page of the
//! catalogue for a code.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use driver::catalogue::{page, parse_code};
use driver::document::Document;
use driver::ispc_files::is_ispc;
use ide::explain::{Explained, explain_item};
use ide::fixes::TrialText;
use ide::graph::{StatementGraph, statement_graphs};
use queries::check::reachable;
use queries::db::Item;
use queries::templates;
use report::{Diagnostic, ItemKind, Severity};

use crate::cli::wrong_usage;
use crate::commands::check::outcome_of;
use crate::console::{Console, Look, Outcome};
use crate::ispc_explained::{self, IspcExplainRequest};
use crate::lanes::TargetsArgs;
use crate::{documents, explained, highlight, json, render};

const EXAMPLES: &str = "\
Examples:
  lanescope explain examples/color_by_number.lane
  lanescope explain blur.lane --kernel blur_rows --line 12
  lanescope explain blur.lane --target sse4,avx512
  lanescope explain blur.lane --graph
  lanescope explain kernel.ispc -I include --kernel shade
  lanescope explain gather-varying-index";

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file, `-` for standard input, or the code of a finding, as `check` prints it in brackets
    #[arg(value_name = "FILE|CODE", value_parser = parse_subject)]
    subject: Subject,
    /// Explain only this kernel (or `fn`), of an ISPC file the functions of this name
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Explain only what stands on this line, down to its single expressions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    line: Option<u32>,
    #[command(flatten)]
    targets: TargetsArgs,
    /// Draw the statements of each loop and what they need of each other: as text, with `=svg` as a picture, with `=dot` for Graphviz
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "text", value_enum, conflicts_with_all = ["json", "line"])]
    graph: Option<GraphForm>,
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

/// The forms of statement graphs. (The variants have no doc comments, which would appear in `--help`.)
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum GraphForm {
    // Lines of text, with arrows beside the statements.
    Text,
    // The language of Graphviz.
    Dot,
    // A picture, of all loops.
    Svg,
}

/// The subject of the explanation.
#[derive(Debug, Clone)]
enum Subject {
    Code(&'static str),
    File(PathBuf),
}

/// Parses a subject: a code if the word is one, and a file if the word cannot be a code.
fn parse_subject(word: &str) -> Result<Subject, String> {
    let is_file = word == "-" || word.contains(['/', '.', std::path::MAIN_SEPARATOR]) || Path::new(word).exists();
    match parse_code(word) {
        Ok(code) => Ok(Subject::Code(code)),
        Err(_) if is_file => Ok(Subject::File(word.into())),
        Err(message) => Err(message),
    }
}

/// Runs the command: prints the facts about the file, or the page of the code.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    match &args.subject {
        Subject::Code(_) if args.kernel.is_some() || args.line.is_some() || args.json || args.graph.is_some() => {
            let message = "`--kernel`, `--line`, `--graph` and `--json` are about a file";
            wrong_usage("explain", ErrorKind::ArgumentConflict, message)
        }
        Subject::Code(code) => {
            let look = console.look();
            for line in highlight::markdown(page(code).unwrap_or_default(), look) {
                writeln!(console, "{line}")?;
            }
            Ok(Outcome::Done)
        }
        Subject::File(path) if is_ispc(path) => {
            if args.graph.is_some() {
                let message = "the statement graph is one of Lane's kernels: of an ISPC file, leave out `--graph`";
                wrong_usage("explain", ErrorKind::ArgumentConflict, message);
            }
            let request = IspcExplainRequest {
                path,
                name: args.kernel.as_deref(),
                line: args.line,
                include: &args.include,
                define: &args.define,
                as_json: args.json,
            };
            ispc_explained::explain(&request, &args.targets.options(native::host::row()), console)
        }
        Subject::File(path) => match args.graph {
            Some(form) => graph(path, form, args, console),
            None => explain(path, args, console),
        },
    }
}

/// Draws the statement graphs of kernels.
fn graph(path: &Path, form: GraphForm, args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let Some(document) = documents::one(path, console)? else { return Ok(Outcome::Trouble) };
    let targets = args.targets.options(native::host::row());
    let document = document.made_for(&targets[..1]);
    let items = match choose(&document, args.kernel.as_deref()) {
        Ok(items) => items,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let look = console.look();
    let graphs: Vec<(&str, Vec<StatementGraph>)> =
        items.iter().map(|&item| (&**item.name(document.db()), statement_graphs(document.db(), item))).collect();
    let is_empty = graphs.iter().all(|(_, graphs)| graphs.is_empty());
    let single = graphs.iter().flat_map(|(name, graphs)| graphs.iter().map(move |graph| (*name, graph)));
    match form {
        GraphForm::Text => {
            for (name, graphs) in &graphs {
                write!(console, "{}", explained::graph::text(&document, name, graphs, look))?;
            }
        }
        GraphForm::Dot => {
            for (name, graph) in single {
                let line = document.place(graph.header.start()).line;
                let label = explained::graph::header(&document, graph);
                write!(console, "{}", ide::graph::dot(graph, &format!("{name}, line {line}"), label))?;
            }
        }
        GraphForm::Svg if is_empty => {}
        GraphForm::Svg => {
            let titled = single.map(|(name, graph)| (explained::graph::title(&document, name, graph), graph));
            write!(console, "{}", ide::graph::svg(&titled.collect::<Vec<_>>()))?;
        }
    }
    let mut errors = document.diagnostics_of(&reachable(document.db(), &items));
    errors.retain(|found| found.severity == Severity::Error);
    note_errors(&document, &errors, console)?;
    if is_empty && errors.is_empty() {
        console.note("there is no loop to draw")?;
    }
    Ok(outcome_of(&errors))
}

fn explain(path: &Path, args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let Some(mut document) = documents::one(path, console)? else { return Ok(Outcome::Trouble) };
    let targets = args.targets.options(native::host::row());
    let mut report = json::ExplainReport::new(&document.name);
    let mut text = String::new();
    let look = console.look();
    for (n, &options) in targets.iter().enumerate() {
        document = document.made_for(&[options]);
        let explained = match explained_items(&document, args) {
            Ok(explained) => explained,
            Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
        };
        report.add(&document, &explained);
        if targets.len() > 1 {
            let gap = if n > 0 { "\n" } else { "" };
            text += &format!("{gap}{}\n", look.paint(highlight::STRONG, &format!("# {}", options.target.name)));
        }
        for (n, item) in explained.iter().enumerate() {
            let gap = if n > 0 { "\n" } else { "" };
            text += &format!("{gap}{}", explained::item(&document, item, args.line.is_some(), look));
        }
    }
    // Only errors keep lanes from being explained; the other findings are left to `check`.
    let document = document.made_for(&targets);
    let items = choose(&document, args.kernel.as_deref()).unwrap_or_default();
    let mut errors = document.diagnostics_of(&reachable(document.db(), &items));
    errors.retain(|found| found.severity == Severity::Error);
    if args.json {
        json::print(&report.with_errors(&document, &errors), console)?;
    } else {
        write!(console, "{text}")?;
        note_errors(&document, &errors, console)?;
        if report.is_empty() && errors.is_empty() {
            console.note(match args.line {
                Some(_) => "there is nothing to explain on this line",
                None => "there is no kernel to explain",
            })?;
        }
    }
    Ok(outcome_of(&errors))
}

/// Explains the requested items for the document's target; an error reports that no item has the requested name.
fn explained_items(document: &Document, args: &Args) -> Result<Vec<Explained>, String> {
    let items = choose(document, args.kernel.as_deref())?;
    let tried = TrialText::new(&document.text)
        .among(document.around())
        .made_for(&document.promised_for())
        .tried(document.diagnostics_of(&items));
    let explained = items.iter().filter_map(|&item| explain_item(document.db(), item));
    let mut explained: Vec<_> = explained.map(|item| item.with_lifts(&tried)).collect();
    if let Some(line) = args.line {
        explained.retain_mut(|item| keep_line(document, item, line));
    }
    Ok(explained)
}

fn note_errors(document: &Document, errors: &[Diagnostic], console: &mut Console) -> io::Result<()> {
    let drawn: Vec<_> = errors.iter().map(|found| render::diagnostic(document, found, Look::PLAIN)).collect();
    if drawn.is_empty() { Ok(()) } else { console.note(drawn.concat().trim_end()) }
}

/// Returns the kernels and functions with a name, or all of them.
fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Vec<Item<'d>>, String> {
    let db = document.db();
    let is_code = |item: &Item<'d>| matches!(item.kind(db), ItemKind::Kernel | ItemKind::Fn);
    let items = document.items().iter().copied().filter(is_code).filter(|item| !templates::is_open(db, *item));
    let items: Vec<_> = items.map(|item| queries::kernel_of(db, item)).collect();
    let Some(name) = name else { return Ok(items) };
    let name_of = |item: &Item<'d>| -> &'d str { item.name(db) };
    let chosen: Vec<_> = items.iter().copied().filter(|item| name_of(item) == name).collect();
    if !chosen.is_empty() && !name.is_empty() {
        return Ok(chosen);
    }
    document.kernel_named(name).map(|kernel| vec![kernel])
}

/// Reduces an item to the facts that start on a line, and returns true if any are left.
fn keep_line(document: &Document, item: &mut Explained, line: u32) -> bool {
    let is_there = |range: report::TextRange| document.place(range.start()).line == line;
    item.values.retain(|value| is_there(value.range));
    item.accesses.retain(|access| is_there(access.range));
    item.branches.retain(|branch| is_there(branch.range));
    item.loops.retain(|it| {
        is_there(it.range) || it.dependences.iter().any(|met| is_there(met.source.range) || is_there(met.sink.range))
    });
    item.decisions.retain(|decision| is_there(decision.range));
    !(item.values.is_empty() && item.accesses.is_empty() && item.branches.is_empty() && item.loops.is_empty())
}
