//! Findings and their intents as diagnostics and edits of the text as it is now.

use report::{Diagnostic, Fix, Related, TextEdit, TextRange, TextSize};

use super::dense::Dense;
use hir::finding::{Edit, Finding, Place};

/// An item's text, and how its dense text maps to it.
pub struct Rendered<'a> {
    /// The text of the item.
    pub text: &'a str,
    /// The way from its dense text.
    pub dense: &'a Dense,
    /// The offset of the item, in terms of the ranges of the result.
    pub start: TextSize,
}

/// A finding as it shows now. `place_of` tells where a place of another item stands; one that is gone is left out.
pub fn render(finding: &Finding, own: &Rendered<'_>, place_of: impl Fn(&Place) -> Option<TextRange>) -> Diagnostic {
    let range = |rendered: &Rendered<'_>, range| rendered.dense.to_text(range) + rendered.start;
    let related = finding.related.iter().filter_map(|(place, message)| {
        let at = match place {
            Place::Here(at) => range(own, *at),
            elsewhere => place_of(elsewhere)?,
        };
        Some(Related { range: at, message: message.clone() })
    });
    let fixes = finding.fixes.iter().map(|intent| Fix {
        title: intent.title.clone(),
        edits: in_order(each_once(&intent.edits).flat_map(|edit| text_edits(edit, own)).collect()),
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

/// The parts of a change without those that an earlier one is equal to: what a `static for` writes out several times stands in the text once.
fn each_once(edits: &[Edit]) -> impl Iterator<Item = &Edit> {
    edits.iter().enumerate().filter(|(number, edit)| !edits[..*number].contains(edit)).map(|(_, edit)| edit)
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
            let sides =
                [(range.start(), before), (range.end(), behind)].into_iter().filter(|(_, text)| !text.is_empty());
            sides.map(|(at, text)| TextEdit { range: TextRange::empty(at), text: text.clone() }).collect()
        }
        Edit::Remove(range) => {
            let (start, end) = (own.dense.to_text(*range).start(), own.dense.to_text(*range).end());
            let rest = &own.text[usize::from(end)..];
            let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let range = TextRange::new(start, end + TextSize::new(gap as u32));
            vec![TextEdit { range: range + own.start, text: String::new() }]
        }
        Edit::ReplaceWithSpace(range, text) => {
            let (start, end) = (own.dense.to_text(*range).start(), own.dense.to_text(*range).end());
            let rest = &own.text[..usize::from(start)];
            let gap = rest.len() - rest.trim_end_matches([' ', '\t']).len();
            let range = TextRange::new(start - TextSize::new(gap as u32), end);
            vec![TextEdit { range: range + own.start, text: text.clone() }]
        }
        Edit::LineBefore(range, line) => {
            let statement = own.dense.to_text(*range).start();
            let start = line_start(own.text, statement);
            let indentation = &own.text[TextRange::new(start, statement)];
            let width = indentation.len() - indentation.trim_start().len();
            let text = format!("{}{line}{}", &indentation[..width], line_break(own.text));
            vec![TextEdit { range: TextRange::empty(start + own.start), text }]
        }
        Edit::LineBehind(range, line) => {
            let range = own.dense.to_text(*range);
            let start = line_start(own.text, range.start());
            let indentation = &own.text[TextRange::new(start, range.start())];
            let width = indentation.len() - indentation.trim_start().len();
            let rest = &own.text[usize::from(range.end())..];
            let end = range.end() + TextSize::new(rest.find(['\n', '\r']).unwrap_or(rest.len()) as u32);
            let lead = format!("{}{}", line_break(own.text), &indentation[..width]);
            let text: String = line.lines().map(|line| format!("{lead}{line}")).collect();
            vec![TextEdit { range: TextRange::empty(end + own.start), text }]
        }
        Edit::ItemAbove(lines) => {
            let text = format!("{lines}\n\n").replace('\n', line_break(own.text));
            vec![TextEdit { range: TextRange::empty(own.start), text }]
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

/// The line break of a text, which is that of its first line.
fn line_break(text: &str) -> &'static str {
    let first = text.find('\n').map_or(text, |end| &text[..end]);
    if first.ends_with('\r') { "\r\n" } else { "\n" }
}
