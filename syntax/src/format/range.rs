//! Formatting of a range: the rows that it touches, and as many around them as their meaning needs.
//!
//! Statements of one block start in one column, so a statement cannot always be moved alone. The rows that the range touches are
//! tried first, then the block they stand in, then the enclosing block; the first set that keeps the item's meaning is formatted.

use std::ops::Range;

use rowan::{TextRange, TextSize};

use super::gaps::text_range;
use super::{FormattedItem, items};
use report::TextEdit;

pub(super) fn range_edits(text: &str, range: TextRange) -> Vec<TextEdit> {
    let lines = touched_lines(text, range);
    let mut edits = Vec::new();
    for item in items(text, &lines) {
        let lines = lines.start.saturating_sub(item.start)..lines.end.saturating_sub(item.start);
        let is_last = item.start + item.text.len() == text.len();
        edits.extend(item_edits(&item, &lines, is_last).into_iter().map(|edit| super::shifted(edit, item.start)));
    }
    edits
}

/// The lines that a range touches, in bytes, including the line break of the last one. A range that ends at the start of a line
/// does not touch that line.
fn touched_lines(text: &str, range: TextRange) -> Range<usize> {
    let boundary = |offset: TextSize| {
        let mut offset = usize::from(offset).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (from, to) = (boundary(range.start()), boundary(range.end()));
    let line_start = |at: usize| text[..at].rfind(['\n', '\r']).map_or(0, |before| before + 1);
    // A place between `\r` and `\n` is the end of a line, not the start of one.
    let start =
        line_start(if text[..from].ends_with('\r') && text[from..].starts_with('\n') { from - 1 } else { from });
    let last = if to > from && line_start(to) == to { to - 1 } else { to };
    let end = text[last..].find(['\n', '\r']).map_or(text.len(), |at| last + at);
    let n_break = if text[end..].starts_with("\r\n") { 2 } else { usize::from(end < text.len()) };
    start..end + n_break
}

/// Edits of an item for the touched lines, all relative to the item.
fn item_edits(item: &FormattedItem<'_>, lines: &Range<usize>, is_last: bool) -> Vec<TextEdit> {
    let touches = |n: usize| {
        let place = item.row_place(n);
        place.start < lines.end && place.end >= lines.start
    };
    let first = (0..item.rows.len()).find(|&n| touches(n));
    let last = (0..item.rows.len()).rfind(|&n| touches(n));
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let mut rows = first..last + 1;
    loop {
        let edits = row_edits(item, &rows, lines, is_last);
        if item.keeps_meaning(&edits) {
            return edits;
        }
        match widened(item, &rows) {
            Some(wider) => rows = wider,
            None => return Vec::new(),
        }
    }
}

/// The next larger set of rows that forms a block.
fn widened(item: &FormattedItem<'_>, rows: &Range<usize>) -> Option<Range<usize>> {
    let least = item.rows[rows.clone()].iter().map(|row| row.depth).min()?;
    (0..=least)
        .rev()
        .map(|depth| {
            let inside = |n: usize| item.rows[n].depth >= depth;
            let start = (0..rows.start).rev().take_while(|&n| inside(n)).last().unwrap_or(rows.start);
            let end = (rows.end..item.rows.len()).take_while(|&n| inside(n)).last().map_or(rows.end, |n| n + 1);
            start..end
        })
        .find(|wider| wider != rows)
}

/// Edits of some rows. The white space around them is changed only on their own lines.
fn row_edits(item: &FormattedItem<'_>, rows: &Range<usize>, lines: &Range<usize>, is_last: bool) -> Vec<TextEdit> {
    let gaps = item.first_gaps[rows.start]..item.first_gaps[rows.end] + 1;
    let last = gaps.end - 1;
    let mut edits = Vec::new();
    for n in gaps.clone() {
        let Some(edit) = item.gaps[n].edit(item.text, item.line_end) else { continue };
        let gap = &item.gaps[n].range;
        let ends_file = is_last && gap.end == item.text.len() && gap.end <= lines.end;
        let whole = gap.start >= lines.start && (gap.end < lines.end || ends_file);
        let edit = match n {
            _ if whole => Some(edit),
            n if n == gaps.start => indentation(item.text, gap, edit),
            n if n == last => trailing_space(item.text, gap),
            _ => Some(edit),
        };
        edits.extend(edit);
    }
    edits
}

/// The part of a gap's edit behind the gap's last line break.
fn indentation(text: &str, gap: &Range<usize>, edit: TextEdit) -> Option<TextEdit> {
    let line = gap.start + text[gap.clone()].rfind(['\n', '\r'])? + 1;
    let wanted = edit.text.rsplit(['\n', '\r']).next()?.to_owned();
    (text[line..gap.end] != wanted).then(|| TextEdit { range: text_range(&(line..gap.end)), text: wanted })
}

/// Removes the white space before a gap's first line break.
fn trailing_space(text: &str, gap: &Range<usize>) -> Option<TextEdit> {
    let found = &text[gap.clone()];
    let end = found.find(['\n', '\r'])?;
    let removable = end > 0 && found[..end].is_ascii();
    removable.then(|| TextEdit { range: text_range(&(gap.start..gap.start + end)), text: String::new() })
}
