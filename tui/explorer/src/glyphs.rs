//! Text as cells of a terminal: the glyph drawn for each part of a line, and its width in columns.
//!
//! A *glyph* is a user-perceived character (a grapheme cluster), or a picture in place of a control character that
//! could steer the terminal. Columns count cells: a wide character has two, a tab four, a combining mark by itself
//! none.

use std::borrow::Cow;
use std::ops::Range;

use driver::words::visible;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A part of a line, as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glyph<'t> {
    /// Byte offset in the line.
    pub at: usize,
    /// Number of bytes of the line that it stands for.
    pub len: usize,
    /// Text to draw.
    pub shown: Cow<'t, str>,
    /// Width in columns.
    pub width: usize,
}

/// Splits a line, which must have no line break, into glyphs.
pub(crate) fn glyphs(line: &str) -> impl Iterator<Item = Glyph<'_>> {
    line.grapheme_indices(true).map(|(at, grapheme)| {
        let shown = match grapheme.chars().next() {
            Some(c) if c.is_ascii_graphic() || c == ' ' => Cow::Borrowed(grapheme),
            Some(c) if c.is_control() => Cow::Owned(visible(grapheme)),
            Some(c) if is_invisible(c) => Cow::Owned(format!("<U+{:04X}>", c as u32)),
            _ => Cow::Borrowed(grapheme),
        };
        Glyph { at, len: grapheme.len(), width: shown.width(), shown }
    })
}

/// Returns true for characters that affect the display of others and are invisible themselves: in a source they could
/// make one text look like another.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns the column of a byte offset in a line.
pub(crate) fn column(line: &str, offset: usize) -> usize {
    glyphs(line).take_while(|glyph| glyph.at + glyph.len <= offset).map(|glyph| glyph.width).sum()
}

/// Returns the number of columns that a text takes.
pub(crate) fn width(line: &str) -> usize {
    if line.is_ascii() && !line.contains(|c: char| c.is_ascii_control()) {
        return line.len();
    }
    glyphs(line).map(|glyph| glyph.width).sum()
}

/// Returns the byte offset of the glyph at a column, or the length of the line for columns past its end.
pub(crate) fn offset(line: &str, column: usize) -> usize {
    let mut left = column;
    for glyph in glyphs(line) {
        if left < glyph.width {
            return glyph.at;
        }
        left -= glyph.width;
    }
    line.len()
}

/// Cuts a text to a number of columns; an ellipsis marks the cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return glyphs(text).map(|glyph| glyph.shown).collect();
    }
    let mut left = columns.saturating_sub(1);
    let mut out = String::new();
    for glyph in glyphs(text) {
        if glyph.width > left {
            break;
        }
        left -= glyph.width;
        out.push_str(&glyph.shown);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// Breaks a text into lines of at most `columns` columns, between words where possible.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    wrapped(text, columns, 0).into_iter().map(|range| text[range].to_owned()).collect()
}

/// Breaks a text like [`wrap`], as ranges of it; all lines but the first are narrower by `hang`. The blanks between two
/// lines belong to neither.
pub(crate) fn wrapped(text: &str, columns: usize, hang: usize) -> Vec<Range<usize>> {
    let mut columns = columns.max(1);
    let mut lines = Vec::new();
    let (mut start, mut used) = (0, 0);
    // Offset behind the last blank that follows a word of the current line.
    let mut between = None;
    for glyph in glyphs(text) {
        if glyph.shown == " " {
            let indents = text[start..glyph.at].trim_start().is_empty();
            between = (!indents).then_some(glyph.at + glyph.len).or(between);
            // Blanks at the edge of a line take no columns.
            used = (used + glyph.width).min(columns);
            continue;
        }
        if used + glyph.width > columns && glyph.at > start {
            let end = between.take().unwrap_or(glyph.at);
            lines.push(start..end);
            if start == 0 {
                columns = columns.saturating_sub(hang).max(1);
            }
            start = end;
            used = width(&text[start..glyph.at]);
        }
        used += glyph.width;
    }
    lines.push(start..text.len());
    let trimmed = |line: Range<usize>| line.start..line.start + text[line].trim_end_matches(' ').len();
    lines.into_iter().map(trimmed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_offsets_go_there_and_back() {
        for line in ["", "abc", "a\tb", "漢字 x", "e\u{301}x", "👩‍👩‍👧‍👦!", "a\u{202e}b\0c"] {
            for glyph in glyphs(line).filter(|glyph| glyph.width > 0) {
                assert_eq!(offset(line, column(line, glyph.at)), glyph.at, "{line:?}");
            }
            assert_eq!(column(line, line.len()), width(line));
            assert_eq!(offset(line, 1000), line.len());
        }
        assert_eq!(width("漢字"), 4);
        assert_eq!(width("a\tb"), 6);
        assert_eq!(glyphs("a\u{202e}\x1b").map(|glyph| glyph.shown).collect::<String>(), "a<U+202E>␛");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!((cut("scale_audio", 11), cut("scale_audio", 6)), ("scale_audio".to_owned(), "scale…".to_owned()));
        assert_eq!((cut("漢字漢", 4), cut("abc", 1), cut("abc", 0)), ("漢…".to_owned(), "…".to_owned(), String::new()));
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("onetwothree", 4), ["onet", "woth", "ree"]);
        assert_eq!(wrap("  one two", 5), ["  one", "two"]);
        assert_eq!(wrapped("  one two", 7, 4), [0..5, 6..9]);
        assert_eq!(wrapped("one two three", 7, 4), [0..7, 8..11, 11..13]);
        assert_eq!(wrap("out: f32[_], n", 9), ["out:", "f32[_], n"]);
        assert_eq!((wrap("", 4), wrap("漢字", 1)), (vec![String::new()], vec!["漢".to_owned(), "字".to_owned()]));
    }
}
