//! ISPC files in `asm`: the machine code of their functions, with the lines of the source that it comes from.

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use driver::ispc_building::{CompiledPart, NoIspcModule, compiled};
use driver::ispc_files::{Command, lanes};
use driver::ispc_lines::{ListedLine, ListedLines, hot_loops, source_loops};
use driver::machine_code::{self, NoCode};
use driver::targets::Chosen;
use driver::words::visible;
use ispc::problems::Problem;
use ispc::unit::{FileId, Unit};
use native::asm::hot::Hot;
use native::asm::{Function, Line, Listing, listing};
use native::protocol::CompiledForm;

use crate::commands::asm::{FunctionReport, LineReport, Report, line_text, mark, summary};
use crate::console::{Console, Outcome};
use crate::ispc_runs::{draw, sound_unit};
use crate::{highlight, ispc_findings, json};

/// The functions whose machine code is wanted.
pub(crate) struct IspcAsmRequest<'a> {
    pub(crate) path: &'a Path,
    /// This function; else all that are exported.
    pub(crate) name: Option<&'a str>,
    pub(crate) chosen: Chosen,
    /// Prints each line of the source in front of its instructions.
    pub(crate) with_source: bool,
    pub(crate) as_json: bool,
}

/// Prints the assembly of functions.
pub(crate) fn assembly(
    request: &IspcAsmRequest<'_>,
    command: &Command<'_>,
    console: &mut Console,
) -> io::Result<Outcome> {
    let unit = match sound_unit(request.path, command, console)? {
        Ok(unit) => unit,
        Err(outcome) => return Ok(outcome),
    };
    let machine = request.chosen.machine();
    let lines = Rc::new(ListedLines::of(&unit));
    let n_lanes = lanes(request.path, command);
    let part = request.name.map_or(CompiledPart::Exports, CompiledPart::Function);
    let module = match compiled(&unit, n_lanes, &machine, part, None, lines.clone()) {
        Ok(module) => module,
        Err(NoIspcModule::Problems(problems)) => return refuse(request, &unit, &problems, console),
        Err(NoIspcModule::Trouble(message)) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    match machine_code::text(module.ir, &machine, CompiledForm::Assembly) {
        Ok(text) => {
            let listing = listing(&text, machine.family);
            let listed = lines.listed();
            let loops = source_loops(&unit);
            let hot = |function: &Function| hot_loops(function, &loops, n_lanes);
            match request.as_json {
                true => json::print(&report(request, &unit, &listing, &listed, &hot), console)?,
                false => show(request, &unit, &listing, &listed, &hot, console)?,
            }
            Ok(Outcome::Done)
        }
        Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
            console.trouble(&format!("{}: {message}", request.path.display())).map(|()| Outcome::Trouble)
        }
        Err(NoCode::Errors(_)) => Ok(Outcome::Refused),
    }
}

fn refuse(
    request: &IspcAsmRequest<'_>,
    unit: &Unit,
    problems: &[Problem],
    console: &mut Console,
) -> io::Result<Outcome> {
    if request.as_json {
        let diagnostics = problems.iter().map(|problem| ispc_findings::of_problem(unit, problem)).collect();
        json::print(&Report { diagnostics, ..empty(request) }, console)?;
    } else {
        draw(unit, problems, console)?;
    }
    Ok(Outcome::Refused)
}

fn empty(request: &IspcAsmRequest<'_>) -> Report<'static> {
    Report {
        version: json::VERSION,
        file: request.path.display().to_string(),
        target: request.chosen.row.name,
        functions: Vec::new(),
        asm: Vec::new(),
        audit: &[],
        diagnostics: Vec::new(),
    }
}

/// The line of the source that a line of the listing comes from.
fn source_of<'l>(line: &Line, listed: &'l [ListedLine]) -> Option<&'l ListedLine> {
    listed.get(line.source_line?.checked_sub(1)? as usize)
}

/// A line of the listing, with the line of the file itself that it comes from.
fn placed(line: &Line, listed: &[ListedLine]) -> Line {
    let own = source_of(line, listed).filter(|source| source.file == FileId::MAIN.0);
    Line { source_line: own.map(|source| source.line), ..line.clone() }
}

fn show(
    request: &IspcAsmRequest<'_>,
    unit: &Unit,
    listing: &Listing,
    listed: &[ListedLine],
    hot: &dyn Fn(&Function) -> Vec<Hot>,
    console: &mut Console,
) -> io::Result<()> {
    let look = console.look();
    for (number, function) in listing.functions.iter().enumerate() {
        if number > 0 {
            writeln!(console)?;
        }
        let mut shown: Option<&ListedLine> = None;
        let hot = hot(function);
        for (at, line) in function.lines.iter().enumerate() {
            let source = source_of(line, listed).filter(|source| request.with_source && Some(*source) != shown);
            if let Some(source) = source {
                shown = Some(source);
                writeln!(console, "{}", look.paint(highlight::FAINT, &source_text(unit, source)))?;
            }
            writeln!(console, "{}", line_text(&placed(line, listed), request.with_source, mark(&hot, at)))?;
        }
        for line in summary(function, &hot) {
            writeln!(console, "{}", look.paint(highlight::FAINT, &line))?;
        }
    }
    if !listing.constants.is_empty() {
        writeln!(console)?;
    }
    listing.constants.iter().try_for_each(|line| writeln!(console, "{}", line_text(line, true, None)))
}

/// A line of the source: one of a header with its name.
fn source_text(unit: &Unit, source: &ListedLine) -> String {
    let text = unit.text(FileId(source.file)).lines().nth(source.line as usize - 1).unwrap_or_default();
    let line = match source.file == FileId::MAIN.0 {
        true => source.line.to_string(),
        false => format!("{}:{}", source.path, source.line),
    };
    format!("{line:>6}  # {}", visible(text.trim()))
}

fn report(
    request: &IspcAsmRequest<'_>,
    unit: &Unit,
    listing: &Listing,
    listed: &[ListedLine],
    hot: &dyn Fn(&Function) -> Vec<Hot>,
) -> Report<'static> {
    let lines = listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants);
    let line = |(n, line): (usize, &Line)| {
        let source = source_of(line, listed);
        let header = source.filter(|source| source.file != FileId::MAIN.0).map(|source| source.path.clone());
        LineReport { source_line: source.map(|source| source.line), source_file: header, ..LineReport::of(n + 1, line) }
    };
    let warnings = unit.problems.iter().filter(|problem| problem.is_warning);
    let mut functions = Vec::new();
    let mut first_line = 1;
    for function in &listing.functions {
        functions.push(FunctionReport::of(function, &hot(function), first_line));
        first_line += function.lines.len();
    }
    Report {
        functions,
        asm: lines.enumerate().map(line).collect(),
        diagnostics: warnings.map(|problem| ispc_findings::of_problem(unit, problem)).collect(),
        ..empty(request)
    }
}
