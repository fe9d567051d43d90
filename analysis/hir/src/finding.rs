//! Findings about an item as data, without places on a screen.
//!
//! A finding's places are ranges of the dense text, and its fixes are *intents*: they say what to change, not yet which
//! characters. Both stay equal while white space and comments are edited. The surface turns a finding into a
//! [`Diagnostic`](report::Diagnostic) for the text as it is now.

pub use report::ItemKey;
use report::{ReportCode, Severity, TextRange};

/// A place that explains a finding. That of another item is its name, or a number, and no range, so that an edit in there leaves the
/// finding equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A place in the dense text of the item that the finding is about.
    Here(TextRange),
    /// The name of an item, where it is defined.
    NameOf(ItemKey),
    /// A place in the dense text of another item, for findings that are made anew whenever that changes.
    In(ItemKey, TextRange),
    /// A constant of another item, by the number of its place there (see [`crate::Inference::need_places`]).
    Need(ItemKey, u32),
}

impl From<TextRange> for Place {
    fn from(range: TextRange) -> Self {
        Place::Here(range)
    }
}

/// A finding about an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The code; each has a page in `docs/reasons.md`.
    pub code: ReportCode,
    /// The severity, from note to error.
    pub severity: Severity,
    /// The range in the item's dense text.
    pub at: TextRange,
    /// The cause, and its consequence.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
    /// Other places that explain it.
    pub related: Vec<(Place, String)>,
    /// Changes that lift the finding.
    pub fixes: Vec<Intent>,
    /// The targets on which it is so; empty where that is not asked, or of no matter.
    pub targets: Vec<&'static str>,
}

/// A change, in terms of the dense text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Intent {
    /// The effect of the change, as an order.
    pub title: String,
    /// Its parts; of two that put something at one place, the one that comes before the other there.
    pub edits: Vec<Edit>,
}

/// A part of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Edit {
    /// Replaces a range by `text`; an empty range inserts it behind the token before.
    Replace(TextRange, String),
    /// Writes a text before a range and another one behind it.
    Surround(TextRange, String, String),
    /// Removes a range, with the white space up to the next token.
    Remove(TextRange),
    /// Replaces a range, with the white space before it, by a text.
    ReplaceWithSpace(TextRange, String),
    /// Puts a line of its own, of the same indentation, before the line of the statement at the range.
    LineBefore(TextRange, String),
    /// Puts a line of its own behind the lines of the statement at the range, with the indentation of its first.
    LineBehind(TextRange, String),
    /// Removes the statement at the range with its line.
    RemoveLine(TextRange),
    /// Puts an item of its own above this one, with its documentation and attributes.
    ItemAbove(String),
}

impl Edit {
    /// The range that it does away with, and puts something else in the place of.
    pub fn replaced(&self) -> Option<TextRange> {
        match self {
            Edit::Replace(at, _) | Edit::ReplaceWithSpace(at, _) | Edit::Remove(at) | Edit::RemoveLine(at) => Some(*at),
            Edit::Surround(..) | Edit::LineBefore(..) | Edit::LineBehind(..) | Edit::ItemAbove(..) => None,
        }
    }
}

impl Finding {
    /// Returns an error, without help or fixes.
    pub fn error(code: impl Into<ReportCode>, at: TextRange, message: impl Into<String>) -> Finding {
        Finding {
            code: code.into(),
            severity: Severity::Error,
            at,
            message: message.into(),
            help: None,
            related: Vec::new(),
            fixes: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Returns a warning: the kernel works, but likely not as it is meant.
    pub fn warning(code: impl Into<ReportCode>, at: TextRange, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(code, at, message) }
    }

    /// Returns a note: a fact worth knowing about a kernel that works.
    pub fn note(code: impl Into<ReportCode>, at: TextRange, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Note, ..Finding::error(code, at, message) }
    }

    /// A place that explains it is in another item.
    pub fn names_others(&self) -> bool {
        self.related.iter().any(|(place, _)| !matches!(place, Place::Here(_)))
    }

    /// Adds what to do about it.
    pub fn with_help(mut self, help: impl Into<String>) -> Finding {
        self.help = Some(help.into());
        self
    }

    /// Adds a place that explains it.
    pub fn with_related(mut self, place: impl Into<Place>, message: impl Into<String>) -> Finding {
        self.related.push((place.into(), message.into()));
        self
    }

    /// Adds a change of one part.
    pub fn with_fix(mut self, title: impl Into<String>, edit: Edit) -> Finding {
        self.fixes.push(Intent { title: title.into(), edits: vec![edit] });
        self
    }
}
