//! What is wrong with an item, before anyone asks where that is on the screen.
//!
//! A finding's places are ranges of the dense text (see [`dense`](crate::dense)), and its fixes are *intents*: what to
//! change, not yet which characters. Both stay equal while white space and comments are edited. [`render`]
//! turns a finding into a [`Diagnostic`] for the text as it is now.

use std::sync::Arc;

use report::Code;
use syntax::{Diagnostic, Fix, ItemKind, Related, Severity, TextEdit, TextRange, TextSize};

/// Which item of a file, or of the prelude.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemKey {
    /// What its line starts with.
    pub kind: ItemKind,
    /// Its name.
    pub name: Arc<str>,
    /// How many of that kind and name stand before it.
    pub nth: u32,
    /// It is one of the prelude.
    pub in_prelude: bool,
}

/// A place that explains a finding. That of another item is its name and no range, so that an edit in there leaves the
/// finding equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A place in the dense text of the item that the finding is about.
    Here(TextRange),
    /// The name of an item, where it is defined.
    NameOf(ItemKey),
}

impl From<TextRange> for Place {
    fn from(range: TextRange) -> Self {
        Place::Here(range)
    }
}

/// One finding about one item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Its code; each has a page in `docs/reasons.md`.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// Where it is, in the item's dense text.
    pub at: TextRange,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that explain it.
    pub related: Vec<(Place, String)>,
    /// Changes that lift it.
    pub fixes: Vec<Intent>,
    /// The targets on which it is so; empty where that is not asked, or of no matter.
    pub targets: Vec<&'static str>,
}

/// A change, in terms of the dense text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Intent {
    /// What the change does, as an order.
    pub title: String,
    /// Its parts; of two that put something at one place, the one that comes before the other there.
    pub edits: Vec<Edit>,
}

/// One part of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Edit {
    /// Writes `text` in place of what is there; at an empty range, behind the token before it.
    Replace(TextRange, String),
    /// Writes something before and behind what is there.
    Surround(TextRange, String, String),
    /// Removes what is there, with the white space up to the next token.
    Remove(TextRange),
    /// Puts a line of its own, of the same indentation, before the line of the statement at the range.
    LineBefore(TextRange, String),
    /// Removes the statement at the range with its line.
    RemoveLine(TextRange),
}

impl Edit {
    /// What it does away with, and puts something else in the place of.
    pub fn replaced(&self) -> Option<TextRange> {
        match self {
            Edit::Replace(at, _) | Edit::Remove(at) | Edit::RemoveLine(at) => Some(*at),
            Edit::Surround(..) | Edit::LineBefore(..) => None,
        }
    }
}

impl Finding {
    /// An error.
    pub fn error(code: impl Into<Code>, at: TextRange, message: impl Into<String>) -> Finding {
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

    /// Something that is likely not meant, in a kernel that works.
    pub fn warning(code: impl Into<Code>, at: TextRange, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Warning, ..Finding::error(code, at, message) }
    }

    /// Something worth knowing about a kernel that works.
    pub fn note(code: impl Into<Code>, at: TextRange, message: impl Into<String>) -> Finding {
        Finding { severity: Severity::Note, ..Finding::error(code, at, message) }
    }

    /// Whether a place that explains it is in another item.
    pub fn names_others(&self) -> bool {
        self.related.iter().any(|(place, _)| matches!(place, Place::NameOf(_)))
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

/// An item's text, and how its dense text maps to it.
pub struct Rendered<'a> {
    /// The text of the item.
    pub text: &'a str,
    /// The way from its dense text.
    pub dense: &'a crate::dense::Dense,
    /// Where it starts, relative to what the ranges of the result are relative to.
    pub start: TextSize,
}

/// A finding as it shows now. `name_of` tells where the name of another item stands; one that is gone is left out.
pub fn render(finding: &Finding, own: &Rendered<'_>, name_of: impl Fn(&ItemKey) -> Option<TextRange>) -> Diagnostic {
    let range = |rendered: &Rendered<'_>, range| rendered.dense.to_text(range) + rendered.start;
    let related = finding.related.iter().filter_map(|(place, message)| {
        let at = match place {
            Place::Here(at) => range(own, *at),
            Place::NameOf(item) => name_of(item)?,
        };
        Some(Related { range: at, message: message.clone() })
    });
    let fixes = finding.fixes.iter().map(|intent| Fix {
        title: intent.title.clone(),
        edits: in_order(intent.edits.iter().flat_map(|edit| text_edits(edit, own)).collect()),
    });
    Diagnostic {
        code: finding.code,
        severity: finding.severity,
        range: range(own, finding.at),
        message: with_targets(&finding.message, &finding.targets),
        help: finding.help.clone(),
        related: related.collect(),
        fixes: fixes.collect(),
        targets: finding.targets.clone(),
    }
}

/// A message with the targets that it is about: `… is a gather (on sse4, neon)`.
fn with_targets(message: &str, targets: &[&str]) -> String {
    if targets.is_empty() { message.to_owned() } else { format!("{message} (on {})", targets.join(", ")) }
}

/// Edits as [`TextEdit`]s have to be: what is put at one place by several is put there by one, in the order of the intent.
fn in_order(mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    edits.dedup_by(|next, edit| {
        let is_one = edit.range.is_empty() && edit.range == next.range;
        if is_one {
            edit.text.push_str(&next.text);
        }
        is_one
    });
    edits
}

fn text_edits(edit: &Edit, own: &Rendered<'_>) -> Vec<TextEdit> {
    let at = |range: TextRange| own.dense.to_text(range) + own.start;
    match edit {
        Edit::Replace(range, text) => vec![TextEdit { range: at(*range), text: text.clone() }],
        Edit::Surround(range, before, behind) => {
            let range = at(*range);
            vec![
                TextEdit { range: TextRange::empty(range.start()), text: before.clone() },
                TextEdit { range: TextRange::empty(range.end()), text: behind.clone() },
            ]
        }
        Edit::Remove(range) => {
            let (start, end) = (own.dense.to_text(*range).start(), own.dense.to_text(*range).end());
            let rest = &own.text[usize::from(end)..];
            let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let range = TextRange::new(start, end + TextSize::new(gap as u32));
            vec![TextEdit { range: range + own.start, text: String::new() }]
        }
        Edit::LineBefore(range, line) => {
            let statement = own.dense.to_text(*range).start();
            let start = line_start(own.text, statement);
            let indentation = &own.text[TextRange::new(start, statement)];
            let width = indentation.len() - indentation.trim_start().len();
            let text = format!("{}{line}{}", &indentation[..width], line_break(own.text));
            vec![TextEdit { range: TextRange::empty(start + own.start), text }]
        }
        Edit::RemoveLine(range) => {
            let range = own.dense.to_text(*range);
            let (start, end) = (line_start(own.text, range.start()), line_end(own.text, range.end()));
            vec![TextEdit { range: TextRange::new(start, end) + own.start, text: String::new() }]
        }
    }
}

fn line_start(text: &str, offset: TextSize) -> TextSize {
    let before = &text[..usize::from(offset)];
    TextSize::new(before.rfind(['\n', '\r']).map_or(0, |at| at + 1) as u32)
}

/// Behind the line break of the line that `offset` is in.
fn line_end(text: &str, offset: TextSize) -> TextSize {
    let rest = &text[usize::from(offset)..];
    let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let len = if rest[end..].starts_with("\r\n") { 2 } else { usize::from(end < rest.len()) };
    offset + TextSize::new((end + len) as u32)
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
