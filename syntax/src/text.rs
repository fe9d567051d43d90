//! Conversion of offsets to lines and columns, and back, in the units of editors.
//!
//! A line ends with `\n`, `\r\n` or a lone `\r`, as in the lexer and in the language server protocol.
//!
//! Beside them stands what a token in quotes says, for arguments of runs, too: all of this module is about text without a tree.

use rowan::{TextRange, TextSize};

pub use crate::quoted::{Quoted, quoted};

/// Unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnUnit {
    /// Bytes of the UTF-8 text.
    Utf8,
    /// UTF-16 code units, the default of editors.
    Utf16,
    /// Unicode scalar values, used for display and in `--json`.
    Utf32,
}

/// A line and a column, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// Index of the line.
    pub line: u32,
    /// Column, in the requested unit.
    pub column: u32,
}

/// Index of the starts of a text's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<TextSize>,
    len: TextSize,
}

impl LineIndex {
    /// Builds the index of a text.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![TextSize::from(0)];
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(TextSize::new(at as u32 + 1));
            }
        }
        LineIndex { starts, len: TextSize::of(text) }
    }

    /// Updates the index after an edit: `range` of the indexed text was replaced by `inserted` bytes, which gave `text`. Only the
    /// edited part is scanned, so that a key press in a long text is cheap.
    pub fn edit(&mut self, range: TextRange, inserted: TextSize, text: &str) {
        // The bytes on both sides of a place decide whether a line starts there.
        let first = self.starts.partition_point(|&start| start < range.start());
        let rest = self.starts.partition_point(|&start| start <= range.end());
        for start in &mut self.starts[rest..] {
            *start = *start - range.end() + range.start() + inserted;
        }
        let bytes = text.as_bytes();
        let places = usize::from(range.start())..=usize::from(range.start() + inserted);
        let starts = |at: &usize| {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            before.is_none() || before == Some(b'\n') || (before == Some(b'\r') && bytes.get(*at) != Some(&b'\n'))
        };
        self.starts.splice(first..rest, places.filter(starts).map(|at| TextSize::new(at as u32)));
        self.len = TextSize::of(text);
    }

    /// Number of lines; an empty text has one.
    pub fn n_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Index of the line that contains an offset.
    pub fn line(&self, offset: TextSize) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32 - 1
    }

    /// Range of a line, its line break included. A line past the end is the empty range at the end.
    pub fn line_range(&self, line: u32) -> TextRange {
        let start = |line: u32| self.starts.get(line as usize).copied().unwrap_or(self.len);
        TextRange::new(start(line), start(line.saturating_add(1)))
    }

    /// Line and column of an offset into `text`, which must be the indexed text. An offset inside a character counts as the
    /// character's start, one past the end as the end.
    pub fn line_column(&self, text: &str, offset: TextSize, unit: ColumnUnit) -> LineColumn {
        let mut offset = usize::from(offset.min(self.len));
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(TextSize::new(offset as u32));
        let before = &text[usize::from(self.starts[line as usize])..offset];
        LineColumn { line, column: width(before, unit) }
    }

    /// Offset of a line and column. A column past the line's end is the line's end (before its line break), a line past the end
    /// the text's end, a column inside a character the character's start.
    pub fn offset(&self, text: &str, at: LineColumn, unit: ColumnUnit) -> TextSize {
        let range = self.line_range(at.line);
        let line = text[range].trim_end_matches(['\n', '\r']);
        let mut left = at.column;
        for (offset, c) in line.char_indices() {
            let width = char_width(c, unit);
            if left < width {
                return range.start() + TextSize::new(offset as u32);
            }
            left -= width;
        }
        range.start() + TextSize::of(line)
    }
}

fn width(text: &str, unit: ColumnUnit) -> u32 {
    text.chars().map(|c| char_width(c, unit)).sum()
}

fn char_width(c: char, unit: ColumnUnit) -> u32 {
    match unit {
        ColumnUnit::Utf8 => c.len_utf8() as u32,
        ColumnUnit::Utf16 => c.len_utf16() as u32,
        ColumnUnit::Utf32 => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé\r\n😀b\rc\n";

    #[test]
    fn an_edited_index_is_that_of_the_edited_text() {
        let pieces = ["", "a", "\n", "\r", "\r\n", "é", "x\ny", "\n\r", "long line of text"];
        let mut random = fastrand::Rng::with_seed(7);
        let mut text = String::new();
        let mut index = LineIndex::new(&text);
        for _ in 0..20_000 {
            let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = random.usize(..places.len());
            let to = (from + random.usize(..4)).min(places.len() - 1);
            let piece = if text.len() < 200 { pieces[random.usize(..pieces.len())] } else { "" };
            let range = TextRange::new(TextSize::new(places[from] as u32), TextSize::new(places[to] as u32));
            text.replace_range(places[from]..places[to], piece);
            index.edit(range, TextSize::of(piece), &text);
            assert_eq!(index, LineIndex::new(&text), "{text:?}");
        }
    }

    #[test]
    fn every_offset_goes_there_and_back_in_every_unit() {
        let index = LineIndex::new(TEXT);
        assert_eq!(index.n_lines(), 4);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::Utf32] {
            for (offset, c) in TEXT.char_indices().chain([(TEXT.len(), ' ')]) {
                if c == '\n' && TEXT[..offset].ends_with('\r') {
                    continue;
                }
                let offset = TextSize::new(offset as u32);
                let at = index.line_column(TEXT, offset, unit);
                assert_eq!(index.offset(TEXT, at, unit), offset, "{at:?} {unit:?}");
            }
        }
    }

    #[test]
    fn positions_that_are_not_there_go_to_the_nearest_that_is() {
        let index = LineIndex::new(TEXT);
        let offset = |line, column, unit| u32::from(index.offset(TEXT, LineColumn { line, column }, unit));
        assert_eq!(offset(0, 99, ColumnUnit::Utf16), 3);
        assert_eq!(offset(1, 1, ColumnUnit::Utf16), 5);
        assert_eq!(offset(1, 2, ColumnUnit::Utf16), 9);
        assert_eq!(offset(99, 0, ColumnUnit::Utf16), TEXT.len() as u32);
        let inside = index.line_column(TEXT, TextSize::new(7), ColumnUnit::Utf16);
        assert_eq!(inside, LineColumn { line: 1, column: 0 });
    }
}
