//! ISPC files in `explain`: the facts about the lanes of their functions, as text or JSON.

use std::io::{self, Write};
use std::path::Path;

use annotate_snippets::Level;
use driver::ispc_files::{Command, ReadFile, explained, function_names, lanes, means_a_function, read};
use driver::spelling::did_you_mean;
use ide::ispc::explain::{ExplainedFunction, UniformAdvice};
use ispc::problems::Problem;
use ispc::unit::{FileId, Unit};
use queries::stages::Options;
use report::lanes::Explained;
use report::{ItemKind, TextRange};
use serde::Serialize;
use syntax::text::{ColumnUnit, LineIndex};

use crate::console::{Console, Look, Outcome};
use crate::explained::ispc::{IspcText, blocks};
use crate::{highlight, ispc_findings, json};

/// A question about the functions of a file.
pub(crate) struct IspcExplainRequest<'a> {
    pub(crate) path: &'a Path,
    /// The functions of this name alone.
    pub(crate) name: Option<&'a str>,
    /// The facts of this line alone, counted from 1.
    pub(crate) line: Option<u32>,
    pub(crate) include: &'a [String],
    pub(crate) define: &'a [String],
    pub(crate) as_json: bool,
}

/// The output of `explain --json` for an ISPC file.
#[derive(Serialize)]
struct IspcReport {
    version: u32,
    file: String,
    /// The functions that other programs call, and tasks; repeated for each requested target.
    kernels: Vec<FunctionJson>,
    /// The other functions.
    functions: Vec<FunctionJson>,
    diagnostics: Vec<json::Diagnostic>,
}

/// A function: what Lane's kernels have, and what ISPC's functions have beside it.
#[derive(Serialize)]
struct FunctionJson {
    #[serde(flatten)]
    facts: Explained<json::Range>,
    lanes: u32,
    could_be_uniform: Vec<UniformJson>,
}

#[derive(Serialize)]
struct UniformJson {
    range: json::Range,
    name: String,
    message: String,
    lift: Option<String>,
}

/// Explains the functions of a file, for each target.
pub(crate) fn explain(
    request: &IspcExplainRequest<'_>,
    targets: &[Options],
    console: &mut Console,
) -> io::Result<Outcome> {
    let look = console.look();
    let name = request.path.display().to_string();
    let mut report = IspcReport {
        version: json::VERSION,
        file: name.clone(),
        kernels: Vec::new(),
        functions: Vec::new(),
        diagnostics: Vec::new(),
    };
    let (mut text, mut last) = (String::new(), None);
    for (n, &target) in targets.iter().enumerate() {
        let command = Command { include: request.include, define: request.define, target };
        let unit = match read(request.path, &command) {
            Ok(ReadFile { unit, .. }) => unit,
            Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
        };
        let source = unit.text(FileId::MAIN);
        let index = LineIndex::new(source);
        let shown = IspcText { name: &name, text: source, lines: &index };
        let mut found = explained(&unit, lanes(request.path, &command), target.target.name, request.name);
        if let Some(line) = request.line {
            found.retain_mut(|function| keep_line(shown, function, line - 1));
        }
        if targets.len() > 1 {
            let gap = if n > 0 { "\n" } else { "" };
            text += &format!("{gap}{}\n", look.paint(highlight::STRONG, &format!("# {}", target.target.name)));
        }
        text += &drawn(shown, &found, request.line, look);
        for function in found {
            let of_kind = match function.facts.kind {
                ItemKind::Kernel => &mut report.kernels,
                _ => &mut report.functions,
            };
            of_kind.push(FunctionJson::of(shown, &function));
        }
        last = Some(unit);
    }
    let Some(unit) = last else { return Ok(Outcome::Done) };
    if let Some(message) = unknown_name(&unit, request.name) {
        return console.trouble(&format!("{name}: {message}")).map(|()| Outcome::Trouble);
    }
    let errors: Vec<&Problem> = unit.problems.iter().filter(|problem| !problem.is_warning).collect();
    if request.as_json {
        report.diagnostics.extend(errors.iter().map(|error| ispc_findings::of_problem(&unit, error)));
        json::print(&report, console)?;
    } else {
        write!(console, "{text}")?;
        let drawn = errors.iter().map(|error| ispc_findings::drawn(&unit, error, Level::ERROR, None, Look::PLAIN));
        let drawn = drawn.collect::<String>();
        if !drawn.is_empty() {
            console.note(drawn.trim_end())?;
        } else if text.is_empty() {
            console.note(match request.line {
                Some(_) => "there is nothing to explain on this line",
                None => "there is no function with a body to explain",
            })?;
        }
    }
    Ok(if errors.is_empty() { Outcome::Done } else { Outcome::Refused })
}

fn unknown_name(unit: &Unit, name: Option<&str>) -> Option<String> {
    let names = function_names(unit);
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let name = name.filter(|name| !means_a_function(unit, name))?;
    Some(format!("there is no function `{name}` with a body{}", did_you_mean(name, &words)))
}

fn drawn(text: IspcText<'_>, functions: &[ExplainedFunction], line: Option<u32>, look: Look) -> String {
    let of_function = |function: &ExplainedFunction| -> String {
        blocks(text, function, line.map(|line| line - 1), look).into_iter().map(|(_, block)| block).collect()
    };
    functions.iter().map(of_function).collect::<Vec<_>>().join("\n")
}

/// Reduces a function to the facts that start on a line, counted from 0, and returns true if any are left.
fn keep_line(text: IspcText<'_>, function: &mut ExplainedFunction, line: u32) -> bool {
    let is_there = |range: TextRange| text.lines.line(range.start()) == line;
    let facts = &mut function.facts;
    let mut kept = facts.accesses.iter().map(|access| is_there(access.range));
    function.orders.retain(|_| kept.next().unwrap_or(false));
    facts.accesses.retain(|access| is_there(access.range));
    facts.values.retain(|value| is_there(value.range));
    facts.branches.retain(|branch| is_there(branch.range));
    facts.loops.retain(|it| is_there(it.range));
    function.ways.retain(|way| is_there(way.range));
    function.uniforms.retain(|variable| is_there(variable.range));
    let is_empty = facts.accesses.is_empty() && facts.values.is_empty() && facts.loops.is_empty();
    !(is_empty && function.ways.is_empty() && function.uniforms.is_empty())
}

impl FunctionJson {
    fn of(text: IspcText<'_>, function: &ExplainedFunction) -> FunctionJson {
        let range = |range: &TextRange| range_of(text, *range);
        let uniform = |variable: &UniformAdvice| UniformJson {
            range: range(&variable.range),
            name: variable.name.clone(),
            message: variable.message.clone(),
            lift: variable.lift.clone(),
        };
        FunctionJson {
            facts: function.facts.map(&range),
            lanes: function.lanes,
            could_be_uniform: function.uniforms.iter().map(uniform).collect(),
        }
    }
}

fn range_of(text: IspcText<'_>, range: TextRange) -> json::Range {
    let place = |offset| text.lines.line_column(text.text, offset, ColumnUnit::Utf32);
    let (start, end) = (place(range.start()), place(range.end()));
    json::Range { line: start.line + 1, column: start.column + 1, end_line: end.line + 1, end_column: end.column + 1 }
}
