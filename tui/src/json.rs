//! The objects that `--json` prints, as documented in `docs/json.md`.
//!
//! Each output is one object with a version. Fields may be added to it, but none is removed or changes its meaning.

mod explain;

use std::io::{self, Write};

use driver::document::Document;
use report::TextRange;
use report::lanes::Decision;
use serde::Serialize;

pub(crate) use explain::ExplainReport;

/// Value of `"version"` in all reports.
pub(crate) const VERSION: u32 = 1;

/// The output of `check --json`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// All findings, by file and position.
    pub diagnostics: Vec<Diagnostic>,
}

/// The output of `lower --json`.
#[derive(Debug, Serialize)]
pub(crate) struct LowerReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// Name of the file, as in `diagnostics`.
    pub file: String,
    /// The requested stages, in order.
    pub stages: Vec<Stage>,
    /// Findings about the requested items.
    pub diagnostics: Vec<Diagnostic>,
}

/// A program at a stage.
#[derive(Debug, Serialize)]
pub(crate) struct Stage {
    /// Name of the stage.
    pub name: &'static str,
    /// True if the program differs from that at the stage before.
    pub changed: bool,
    /// The passes between the stage before and this one, in order.
    pub passes: Vec<Pass>,
    /// Program at the stage, as text.
    pub text: String,
    /// Source positions of the lines of the text.
    pub lines: Vec<StageLine>,
    /// Decisions of those passes, in order; the range of one about what stands in another file is `null`.
    pub decisions: Vec<Decision<Option<Range>>>,
}

/// An application of a pass.
#[derive(Debug, Serialize)]
pub(crate) struct Pass {
    /// Name of the pass.
    pub name: &'static str,
    /// True if the pass changed the program.
    pub changed: bool,
}

/// A line of a stage's text.
#[derive(Debug, Serialize)]
pub(crate) struct StageLine {
    /// Line number, counted from 1.
    pub line: usize,
    /// Source range that the line comes from, or `null` if it has none.
    pub source_range: Option<Range>,
}

/// The output of `run --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RunReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// Result of the kernel: a number, a bool or `null`.
    pub result: serde_json::Value,
    /// All array parameters that the kernel writes; matrices in row-major order.
    pub arrays: serde_json::Map<String, serde_json::Value>,
    /// What a function of an ISPC file printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// Error that stopped the run, or `null`.
    pub error: Option<RunError>,
    /// Findings that kept the kernel from running, as `check` reports them.
    pub diagnostics: Vec<Diagnostic>,
}

/// An error that stopped a run.
#[derive(Debug, Serialize)]
pub(crate) struct RunError {
    /// Description and position of the error.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// Lane of the error, or `null`.
    pub lane: Option<u16>,
    /// Iteration of each enclosing loop, outermost first.
    pub iteration: Vec<i64>,
}

impl RunReport {
    /// The report of a run that gave nothing.
    pub(crate) fn empty() -> RunReport {
        RunReport {
            version: VERSION,
            result: serde_json::Value::Null,
            arrays: serde_json::Map::new(),
            printed: None,
            error: None,
            diagnostics: Vec::new(),
        }
    }

    /// Builds the report of a run.
    pub(crate) fn of(document: &Document, ran: &queries::run::RunOutcome) -> RunReport {
        let elements =
            |array: &queries::run::ResultArray| array.elements.iter().map(|&scalar| number(scalar)).collect();
        let error = |failure: &queries::run::RunFailure| RunError {
            diagnostic: Diagnostic::of(document, &driver::failure::diagnostic(failure)),
            lane: failure.lane,
            iteration: failure.iteration.iter().map(|&index| i64::try_from(index).unwrap_or(i64::MAX)).collect(),
        };
        RunReport {
            result: ran.result.map_or(serde_json::Value::Null, number),
            arrays: ran.arrays.iter().map(|array| (array.name.clone(), elements(array))).collect(),
            error: ran.failure.as_ref().map(error),
            ..RunReport::empty()
        }
    }

    /// Builds the report of a kernel that cannot be run.
    pub(crate) fn refused(document: &Document, findings: &[report::Diagnostic]) -> RunReport {
        let diagnostics = findings.iter().map(|found| Diagnostic::of(document, found)).collect();
        RunReport { diagnostics, ..RunReport::empty() }
    }
}

/// The output of `bench --sweep --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SweepsReport<'a> {
    /// Always [`VERSION`].
    pub version: u32,
    /// The sweeps.
    #[serde(flatten)]
    pub report: &'a driver::sweeping::SweepReport,
}

/// The output of `bench --json`.
#[derive(Debug, Serialize)]
pub(crate) struct BenchReport<'a> {
    /// Always [`VERSION`].
    pub version: u32,
    /// The measurements.
    #[serde(flatten)]
    pub report: &'a driver::measuring::Report,
}

/// Formats a number so that its digits read back to the same bits.
fn number(scalar: queries::run::Scalar) -> serde_json::Value {
    use queries::run::Json;
    match queries::run::json(scalar) {
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

/// A finding of `check`, or an error of a run, with its fixes.
#[derive(Debug, Serialize)]
pub(crate) struct Diagnostic {
    /// Path of the file as it was given, or `<stdin>`.
    pub file: String,
    /// Position of the finding; empty where something is missing.
    pub range: Range,
    /// Severity: `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Code of the finding, which never changes.
    pub code: &'static str,
    /// Description of the problem, in one sentence.
    pub message: String,
    /// Advice on the problem, or `null`.
    pub help: Option<String>,
    /// Other places that explain the finding.
    pub related: Vec<Related>,
    /// Changes that resolve the finding, surest first.
    pub fixes: Vec<Fix>,
    /// Names of the targets on which a promise does not hold, if several were requested; left out if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<&'static str>,
}

/// A place that explains a finding.
#[derive(Debug, Serialize)]
pub(crate) struct Related {
    /// Source range of the place.
    pub range: Range,
    /// Relation of the place to the finding.
    pub message: String,
}

/// A change that resolves a finding.
#[derive(Debug, Serialize)]
pub(crate) struct Fix {
    /// Description of the change.
    pub title: String,
    /// Edits in order, without overlap.
    pub edits: Vec<Edit>,
}

/// A replacement of the text of a range.
#[derive(Debug, Serialize)]
pub(crate) struct Edit {
    /// Replaced range; empty for an insertion.
    pub range: Range,
    /// Replacement text.
    pub text: String,
}

/// A range of a file. Lines and columns count from 1, columns are Unicode scalar values, and the end is exclusive.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub(crate) struct Range {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Range {
    /// Converts a range of a document.
    pub(crate) fn of(document: &Document, range: TextRange) -> Range {
        let (start, end) = document.places(range);
        Range { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

impl Diagnostic {
    /// Converts a finding about a document.
    pub(crate) fn of(document: &Document, diagnostic: &report::Diagnostic) -> Diagnostic {
        let related = |related: &report::Related| Related {
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
    fn of(document: &Document, fix: &report::Fix) -> Fix {
        Fix { title: fix.title.clone(), edits: fix.edits.iter().map(|edit| Edit::of(document, edit)).collect() }
    }
}

impl Edit {
    /// Converts an edit of a document.
    pub(crate) fn of(document: &Document, edit: &report::TextEdit) -> Edit {
        Edit { range: Range::of(document, edit.range), text: edit.text.clone() }
    }
}

/// Prints an object, indented for human readers.
pub(crate) fn print(report: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
