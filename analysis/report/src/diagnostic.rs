//! Findings of a stage, as data: a stable code, a place, a sentence, and ways out.
//!
//! Every face (command line, editor, explorer) renders these and adds nothing of its own.

use text_size::{TextRange, TextSize};

use crate::ReportCode;

/// The severity of a finding, from refusal to remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The kernel is refused.
    Error,
    /// The kernel works; something in it is likely not meant.
    Warning,
    /// Worth knowing, mostly about speed.
    Note,
}

impl Severity {
    /// The word that outputs use.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One finding. Ranges are relative to whatever text the stage was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Words joined by hyphens, stable for good; each has a page in `docs/reasons.md`.
    pub code: ReportCode,
    /// The severity, which orders and colours findings.
    pub severity: Severity,
    /// The range in the text. An empty range is a place between tokens where something is missing.
    pub range: TextRange,
    /// The problem in one sentence, lower case, no full stop.
    pub message: String,
    /// Advice on what to do about the problem, when the message alone does not say.
    pub help: Option<String>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// Edits that lift it, surest first.
    pub fixes: Vec<Fix>,
    /// The targets on which it is so; empty where that is not asked, or of no matter. The message names them, too.
    pub targets: Vec<&'static str>,
}

/// A place that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Related {
    /// The place.
    pub range: TextRange,
    /// The connection of the place to the finding, as a phrase.
    pub message: String,
}

/// A change that lifts a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fix {
    /// The change as an order: "write `==`".
    pub title: String,
    /// The edits, in order, without overlap.
    pub edits: Vec<TextEdit>,
}

/// Replaces the text of a range.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEdit {
    /// The range that is replaced; empty to insert.
    pub range: TextRange,
    /// The text that replaces the range.
    pub text: String,
}

impl Diagnostic {
    /// An error with a message; the rest is added by the `with_` functions.
    pub fn error(code: impl Into<ReportCode>, range: TextRange, message: impl Into<String>) -> Self {
        Diagnostic {
            code: code.into(),
            severity: Severity::Error,
            range,
            message: message.into(),
            help: None,
            related: Vec::new(),
            fixes: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Adds what to do about it.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a place that explains it.
    pub fn with_related(mut self, range: TextRange, message: impl Into<String>) -> Self {
        self.related.push(Related { range, message: message.into() });
        self
    }

    /// Adds a fix that replaces one range.
    pub fn with_fix(mut self, title: impl Into<String>, range: TextRange, text: impl Into<String>) -> Self {
        self.fixes.push(Fix { title: title.into(), edits: vec![TextEdit { range, text: text.into() }] });
        self
    }

    /// Takes in the edits of a like finding further on, which from then on is one with this.
    pub fn join_fix(&mut self, other: Diagnostic) {
        for (fix, other) in self.fixes.iter_mut().zip(other.fixes) {
            fix.edits.extend(other.edits);
        }
    }

    /// Moves the finding into a text in which its own text starts at `offset`.
    pub fn shifted(mut self, offset: TextSize) -> Self {
        self.range += offset;
        for related in &mut self.related {
            related.range += offset;
        }
        for edit in self.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
            edit.range += offset;
        }
        self
    }
}

/// Applies edits, which must be in order and not overlap.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for edit in edits {
        out.push_str(&text[end..edit.range.start().into()]);
        out.push_str(&edit.text);
        end = edit.range.end().into();
    }
    out + &text[end..]
}
