//! The objects that `--json` prints, as `docs/json.md` describes them.
//!
//! Each is one object with a version; fields may be added to it, and none changes its meaning or goes away.

mod explain;

use std::io::{self, Write};

use serde::Serialize;
use syntax::TextRange;

use crate::document::Document;

pub use explain::ExplainReport;

/// What `"version"` says.
pub const VERSION: u32 = 1;

/// What `check --json` prints.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// Everything found, by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

/// What `lower --json` prints.
#[derive(Debug, Serialize)]
pub struct LowerReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// The file, as `diagnostics` name it.
    pub file: String,
    /// The stages that were asked for, in order.
    pub stages: Vec<Stage>,
    /// What is wrong with the items that were asked for.
    pub diagnostics: Vec<Diagnostic>,
}

/// A program at a stage.
#[derive(Debug, Serialize)]
pub struct Stage {
    /// The stage's name.
    pub name: &'static str,
    /// Whether it differs from the stage before.
    pub changed: bool,
    /// The passes that led here from the stage before, in order.
    pub passes: Vec<Pass>,
    /// The program as text.
    pub text: String,
    /// Where each line of the text comes from.
    pub lines: Vec<StageLine>,
    /// What those passes chose, in order.
    pub decisions: Vec<Decision>,
}

/// What a pass chose.
#[derive(Debug, Serialize)]
pub struct Decision {
    /// The header of the loop, or the access, that it is about; `null` for what stands in another file.
    pub range: Option<Range>,
    /// The pass.
    pub pass: &'static str,
    /// The code of what was done, or of what was left.
    pub code: &'static str,
    /// Whether it was done.
    pub taken: bool,
    /// Why, in words.
    pub because: String,
}

/// What a pass did.
#[derive(Debug, Serialize)]
pub struct Pass {
    /// The pass's name.
    pub name: &'static str,
    /// Whether it changed anything.
    pub changed: bool,
}

/// A line of a stage's text.
#[derive(Debug, Serialize)]
pub struct StageLine {
    /// Its number, from 1.
    pub line: usize,
    /// The source that it shows; `null` for a line that has none.
    pub source_range: Option<Range>,
}

/// What `run --json` prints.
#[derive(Debug, Serialize)]
pub struct RunReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// The kernel's result: a number, a bool or `null`.
    pub result: serde_json::Value,
    /// Every array parameter that the kernel writes, rows joined.
    pub arrays: serde_json::Map<String, serde_json::Value>,
    /// The error that stopped the run, or `null`.
    pub error: Option<RunError>,
    /// Why the kernel was not run at all: what `check` would say of it.
    pub diagnostics: Vec<Diagnostic>,
}

/// An error that stopped a run.
#[derive(Debug, Serialize)]
pub struct RunError {
    /// What went wrong, and where.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// In which lane, or `null`.
    pub lane: Option<u16>,
    /// In which iteration of each loop around it, outermost first.
    pub iteration: Vec<i64>,
}

impl RunReport {
    /// What a run of a kernel in a document gave.
    pub fn of(document: &Document, ran: &analysis::run::Outcome) -> RunReport {
        let elements = |array: &analysis::run::Array| array.elements.iter().map(|&scalar| number(scalar)).collect();
        let error = |failure: &analysis::run::Failure| RunError {
            diagnostic: Diagnostic::of(document, &crate::commands::run::diagnostic(failure)),
            lane: failure.lane,
            iteration: failure.iteration.iter().map(|&index| i64::try_from(index).unwrap_or(i64::MAX)).collect(),
        };
        RunReport {
            version: VERSION,
            result: ran.result.map_or(serde_json::Value::Null, number),
            arrays: ran.arrays.iter().map(|array| (array.name.clone(), elements(array))).collect(),
            error: ran.failure.as_ref().map(error),
            diagnostics: Vec::new(),
        }
    }

    /// What there is to say of a kernel that is not run.
    pub fn refused(document: &Document, findings: &[syntax::Diagnostic]) -> RunReport {
        RunReport {
            version: VERSION,
            result: serde_json::Value::Null,
            arrays: serde_json::Map::new(),
            error: None,
            diagnostics: findings.iter().map(|found| Diagnostic::of(document, found)).collect(),
        }
    }
}

/// A number whose digits read back to the same bits.
fn number(scalar: analysis::run::Scalar) -> serde_json::Value {
    use analysis::run::Json;
    match analysis::run::json(scalar) {
        Json::Bool(value) => value.into(),
        Json::Int(value) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => value.into(),
            (_, Ok(value)) => value.into(),
            _ => serde_json::Value::Null,
        },
        Json::Float(value) => value.into(),
        Json::Name(name) => name.into(),
    }
}

/// A finding.
#[derive(Debug, Serialize)]
pub struct Diagnostic {
    /// The file's path as it was given, or `<stdin>`.
    pub file: String,
    /// Where it is; empty for a place where something is missing.
    pub range: Range,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Stable for good.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it, or `null`.
    pub help: Option<String>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Changes that lift it, surest first.
    pub fixes: Vec<Fix>,
    /// Where several targets were asked for, those on which a promise does not hold; left out where there is nothing to tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<&'static str>,
}

/// A place that explains a finding.
#[derive(Debug, Serialize)]
pub struct Related {
    /// The place.
    pub range: Range,
    /// What it has to do with the finding.
    pub message: String,
}

/// A change that lifts a finding.
#[derive(Debug, Serialize)]
pub struct Fix {
    /// What the change does.
    pub title: String,
    /// Its edits, in order, without overlap.
    pub edits: Vec<Edit>,
}

/// Replaces the text of a range.
#[derive(Debug, Serialize)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub range: Range,
    /// What stands there afterwards.
    pub text: String,
}

/// A range of a file. Lines and columns are from 1, columns count Unicode scalar values, and the end is just behind the
/// last character.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct Range {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Range {
    /// The range in a document.
    pub fn of(document: &Document, range: TextRange) -> Range {
        let (start, end) = document.places(range);
        Range { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

impl Diagnostic {
    /// The finding in a document.
    pub fn of(document: &Document, diagnostic: &syntax::Diagnostic) -> Diagnostic {
        let related = |related: &syntax::Related| Related {
            range: Range::of(document, related.range),
            message: related.message.clone(),
        };
        Diagnostic {
            file: document.name.clone(),
            range: Range::of(document, diagnostic.range),
            severity: diagnostic.severity.name(),
            code: diagnostic.code.name(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            related: diagnostic.related.iter().map(related).collect(),
            fixes: diagnostic.fixes.iter().map(|fix| Fix::of(document, fix)).collect(),
            targets: diagnostic.targets.clone(),
        }
    }
}

impl Fix {
    fn of(document: &Document, fix: &syntax::Fix) -> Fix {
        let edit = |edit: &syntax::TextEdit| Edit { range: Range::of(document, edit.range), text: edit.text.clone() };
        Fix { title: fix.title.clone(), edits: fix.edits.iter().map(edit).collect() }
    }
}

/// Prints an object, for programs as well as for people.
pub fn print(report: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
