//! The text of a file under edit: cursor, selection, undo.
//!
//! The text is one string, and positions are byte offsets into it, as in the analysis, so that edits and results need
//! no translation. (The editor crates that exist keep a list of lines, count characters, and turn all three kinds of
//! line break into one.)

use std::ops::Range;

use report::{TextEdit, TextRange, TextSize};
use syntax::text::LineIndex;
use unicode_segmentation::UnicodeSegmentation;

use crate::glyphs;

/// The text of a file, with a cursor, a selection and a history.
#[derive(Debug, Clone)]
pub struct Buffer {
    text: String,
    lines: LineIndex,
    cursor: usize,
    /// The other end of the selection.
    anchor: Option<usize>,
    /// The column that vertical moves aim at, even across shorter lines.
    goal: Option<usize>,
    undo: Vec<Step>,
    redo: Vec<Step>,
    version: u64,
    saved: String,
    dirty: bool,
}

/// The unit of undo.
#[derive(Debug, Clone)]
struct Step {
    splices: Vec<Splice>,
    cursor_before: usize,
    /// True while further typing extends this step.
    open: bool,
}

/// A replacement of one range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte offset of the replaced range.
    pub at: usize,
    /// The text before the replacement.
    pub removed: String,
    /// The text after the replacement.
    pub inserted: String,
}

impl Splice {
    /// Maps a position in the old text to the new one. A position inside the removed text maps to its start.
    pub fn moved(&self, offset: TextSize) -> TextSize {
        let offset = usize::from(offset);
        let end = self.at + self.removed.len();
        let moved = match offset {
            _ if offset < self.at || (offset == self.at && !self.removed.is_empty()) => offset,
            _ if offset >= end => offset - self.removed.len() + self.inserted.len(),
            _ => self.at,
        };
        size(moved)
    }

    /// Maps a range of the old text to the new one. The range does not grow by text that is typed at its ends.
    pub fn moved_range(&self, range: TextRange) -> TextRange {
        let start = self.moved(range.start());
        let end = if usize::from(range.end()) == self.at && !range.is_empty() {
            range.end()
        } else {
            self.moved(range.end())
        };
        TextRange::new(start, end.max(start))
    }
}

fn size(offset: usize) -> TextSize {
    TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX))
}

/// Number of spaces per level of indentation.
const INDENT: usize = 4;

impl Buffer {
    /// Creates a buffer for a text as it was read.
    pub fn new(text: impl Into<String>) -> Buffer {
        let text = text.into();
        Buffer {
            lines: LineIndex::new(&text),
            saved: text.clone(),
            text,
            cursor: 0,
            anchor: None,
            goal: None,
            undo: Vec::new(),
            redo: Vec::new(),
            version: 0,
            dirty: false,
        }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns a number that changes with every edit of the text.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the index of line starts.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Returns the number of lines, including the empty one behind a final line break, where text can be typed.
    pub fn n_lines(&self) -> usize {
        self.lines.n_lines() as usize
    }

    /// Returns the range of a line without its line break.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let range = self.lines.line_range(u32::try_from(line).unwrap_or(u32::MAX));
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    /// Returns a line without its line break.
    pub fn line(&self, line: usize) -> &str {
        &self.text[self.line_range(line)]
    }

    /// Returns the line that contains an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.lines.line(size(offset)) as usize
    }

    /// Returns the byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Returns the line of the cursor.
    pub fn cursor_line(&self) -> usize {
        self.line_of(self.cursor)
    }

    /// Returns the display column of the cursor.
    pub fn cursor_column(&self) -> usize {
        let range = self.line_range(self.cursor_line());
        glyphs::column(&self.text[range.clone()], self.cursor.min(range.end) - range.start)
    }

    /// Returns the selected range, unless it is empty.
    pub fn selection(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        (anchor != self.cursor).then(|| anchor.min(self.cursor)..anchor.max(self.cursor))
    }

    /// Returns true if the text differs from the one that was last saved.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Returns the text that was last read or saved.
    pub fn saved(&self) -> &str {
        &self.saved
    }

    /// Records the text that the file now has on disk.
    pub fn mark_saved(&mut self, text: &str) {
        text.clone_into(&mut self.saved);
        self.dirty = self.saved != self.text;
    }

    // Movement of the cursor.

    /// Moves the cursor to an offset; with `select`, the selection extends to there.
    pub fn go(&mut self, offset: usize, select: bool) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        self.anchor = select.then(|| self.anchor.unwrap_or(self.cursor));
        self.cursor = offset;
        self.goal = None;
        self.close_step();
    }

    /// Moves the cursor by `n` lines, down if positive.
    pub fn go_lines(&mut self, n: isize, select: bool) {
        let line = self.cursor_line().saturating_add_signed(n).min(self.n_lines() - 1);
        let goal = self.goal.unwrap_or_else(|| self.cursor_column());
        self.go_to_line(line, goal, select);
        self.goal = Some(goal);
    }

    /// Moves the cursor to a column of a line.
    pub fn go_to_line(&mut self, line: usize, column: usize, select: bool) {
        let range = self.line_range(line.min(self.n_lines() - 1));
        self.go(range.start + glyphs::offset(&self.text[range.clone()], column), select);
    }

    /// Returns the offset one character back; a line break counts as one character.
    pub fn before(&self, offset: usize) -> usize {
        self.text[..offset].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    /// Returns the offset one character ahead.
    pub fn behind(&self, offset: usize) -> usize {
        offset + self.text[offset..].graphemes(true).next().map_or(0, str::len)
    }

    /// Returns the start of the word before the cursor.
    pub fn word_left(&self) -> usize {
        let mut words = self.text[..self.cursor].unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    /// Returns the end of the word at or behind the cursor.
    pub fn word_right(&self) -> usize {
        let mut words = self.text[self.cursor..].unicode_word_indices();
        words.next().map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
    }

    // Editing. Each function returns its splices, so that the owners of positions in the text can adjust them.

    /// Replaces the selection by a text.
    pub fn insert(&mut self, text: &str) -> Vec<Splice> {
        let range = self.selection().unwrap_or(self.cursor..self.cursor);
        let joins = range.is_empty() && text.graphemes(true).count() == 1 && !text.contains(['\n', '\r']);
        self.replace(range, text, joins)
    }

    /// Breaks the line, and indents the new one as its block requires.
    pub fn break_line(&mut self) -> Vec<Splice> {
        let start = self.line_range(self.cursor_line()).start;
        let before = &self.text[start..self.cursor.max(start)];
        let indent = before.len() - before.trim_start_matches(' ').len();
        let deeper = if ide::formatting::heads_block(before) { INDENT } else { 0 };
        let line_break = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        self.insert(&format!("{line_break}{}", " ".repeat(indent + deeper)))
    }

    /// Indents to the next multiple of the indentation width.
    pub fn indent(&mut self) -> Vec<Splice> {
        let column = self.cursor_column();
        self.insert(&" ".repeat(INDENT - column % INDENT))
    }

    /// Deletes the selection, or the character before the cursor; within an indentation, one level.
    pub fn delete_back(&mut self) -> Vec<Splice> {
        let start = self.line_range(self.cursor_line()).start;
        let before = &self.text[start..self.cursor.max(start)];
        let spaces = !before.is_empty() && before.bytes().all(|byte| byte == b' ');
        let back = if spaces { self.cursor - ((before.len() - 1) % INDENT + 1) } else { self.before(self.cursor) };
        let range = self.selection().unwrap_or(back..self.cursor);
        self.replace(range, "", false)
    }

    /// Deletes the selection, or the character behind the cursor.
    pub fn delete(&mut self) -> Vec<Splice> {
        let range = self.selection().unwrap_or(self.cursor..self.behind(self.cursor));
        self.replace(range, "", false)
    }

    /// Returns the range that copying takes: the selection, or the cursor's line with its line break.
    pub fn taken(&self) -> Range<usize> {
        self.selection().unwrap_or_else(|| {
            let range = self.lines.line_range(self.cursor_line() as u32);
            range.start().into()..range.end().into()
        })
    }

    /// Removes a range of the text.
    pub fn remove(&mut self, range: Range<usize>) -> Vec<Splice> {
        self.replace(range, "", false)
    }

    /// Applies edits, which must be sorted and disjoint, as one step of undo.
    pub fn apply(&mut self, edits: &[TextEdit]) -> Vec<Splice> {
        let cursor_before = self.cursor;
        let mut splices = Vec::new();
        // Edits run from the end, so that the offsets of earlier ones stay valid.
        for edit in edits.iter().rev() {
            let range = usize::from(edit.range.start())..usize::from(edit.range.end());
            if self.text.get(range.clone()).is_none_or(|old| old == edit.text) {
                continue;
            }
            splices.push(self.splice(range, &edit.text));
        }
        for splice in &splices {
            self.cursor = splice.moved(size(self.cursor)).into();
        }
        self.remember(splices.clone(), cursor_before, false);
        splices
    }

    /// Replaces the whole text as one step of undo that touches only the part that differs.
    pub fn become_text(&mut self, text: &str) -> Vec<Splice> {
        let same_start: usize =
            self.text.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (old, new) = (&self.text[same_start..], &text[same_start..]);
        let same_end: usize =
            old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let range = TextRange::new(size(same_start), size(self.text.len() - same_end));
        self.apply(&[TextEdit { range, text: new[..new.len() - same_end].to_owned() }])
    }

    /// Undoes the last step.
    pub fn undo(&mut self) -> Vec<Splice> {
        let Some(step) = self.undo.pop() else { return Vec::new() };
        let inverse = step.splices.iter().rev().map(|done| (done.at, done.inserted.clone(), done.removed.clone()));
        let splices: Vec<_> = inverse
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(at, old, new)| self.splice(at..at + old.len(), &new))
            .collect();
        self.settle_at(step.cursor_before);
        self.redo.push(step);
        splices
    }

    /// Redoes the step that was last undone.
    pub fn redo(&mut self) -> Vec<Splice> {
        let Some(step) = self.redo.pop() else { return Vec::new() };
        let again = step.splices.clone();
        let splices: Vec<_> =
            again.iter().map(|done| self.splice(done.at..done.at + done.removed.len(), &done.inserted)).collect();
        let end = splices.last().map_or(self.cursor, |splice| splice.at + splice.inserted.len());
        self.settle_at(end);
        self.undo.push(step);
        splices
    }

    fn settle_at(&mut self, offset: usize) {
        self.cursor = offset.min(self.text.len());
        self.anchor = None;
        self.goal = None;
    }

    fn replace(&mut self, range: Range<usize>, text: &str, joins: bool) -> Vec<Splice> {
        if range.is_empty() && text.is_empty() {
            return Vec::new();
        }
        let cursor_before = self.cursor;
        let splice = self.splice(range, text);
        self.settle_at(splice.at + text.len());
        self.remember(vec![splice.clone()], cursor_before, joins);
        vec![splice]
    }

    /// Records splices as a step of undo, or joins them to the last one: a word that was typed is undone as a word.
    fn remember(&mut self, splices: Vec<Splice>, cursor_before: usize, joins: bool) {
        let Some(last) = splices.last() else { return };
        self.redo.clear();
        let starts_word = |text: &str| text.starts_with(' ');
        if let Some(step) = self.undo.last_mut().filter(|step| step.open && joins && !starts_word(&last.inserted))
            && let [typed] = &mut step.splices[..]
            && typed.at + typed.inserted.len() == last.at
        {
            typed.inserted.push_str(&last.inserted);
            return;
        }
        self.undo.push(Step { splices, cursor_before, open: joins });
    }

    fn close_step(&mut self) {
        if let Some(step) = self.undo.last_mut() {
            step.open = false;
        }
    }

    fn splice(&mut self, range: Range<usize>, text: &str) -> Splice {
        let removed = self.text[range.clone()].to_owned();
        let at = range.start;
        self.text.replace_range(range, text);
        self.lines = LineIndex::new(&self.text);
        self.version += 1;
        self.dirty = self.text != self.saved;
        self.anchor = None;
        self.goal = None;
        Splice { at, removed, inserted: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text after `edit`, with `|` at the cursor.
    fn after(text: &str, edit: impl FnOnce(&mut Buffer)) -> String {
        let cursor = text.find('|').expect("a cursor");
        let mut buffer = Buffer::new(text.replacen('|', "", 1));
        buffer.go(cursor, false);
        edit(&mut buffer);
        let (before, behind) = buffer.text().split_at(buffer.cursor());
        format!("{before}|{behind}")
    }

    #[test]
    fn a_new_line_is_indented_as_its_block() {
        let broken = |text| {
            after(text, |buffer| {
                buffer.break_line();
            })
        };
        assert_eq!(broken("for i in range(n):|"), "for i in range(n):\n    |");
        assert_eq!(broken("kernel k(a)  # no colon|"), "kernel k(a)  # no colon\n    |");
        assert_eq!(broken("    if c|:"), "    if c\n        |:");
        assert_eq!(broken("    x = 1|"), "    x = 1\n    |");
        assert_eq!(broken("a\r\nb|"), "a\r\nb\r\n|");
    }

    #[test]
    fn backspace_goes_back_a_step_in_an_indentation_and_a_character_elsewhere() {
        let back = |text| {
            after(text, |buffer| {
                buffer.delete_back();
            })
        };
        assert_eq!(back("        |x"), "    |x");
        assert_eq!(back("      |x"), "    |x");
        assert_eq!(back("x  |"), "x |");
        assert_eq!(back("a\r\n|b"), "a|b");
        assert_eq!(back("e\u{301}|"), "|");
        assert_eq!(back("|a"), "|a");
    }

    #[test]
    fn a_word_is_undone_as_a_word() {
        let undone = |n: usize| {
            after("a = |", |buffer| {
                for c in ["b", " ", "+", " ", "c"] {
                    buffer.insert(c);
                }
                for _ in 0..n {
                    buffer.undo();
                }
            })
        };
        assert_eq!([undone(0), undone(1), undone(2), undone(3)], ["a = b + c|", "a = b +|", "a = b|", "a = |"]);
    }

    #[test]
    fn going_down_past_a_short_line_keeps_the_column() {
        let at = after("abcd|e\n\n漢字漢字\n", |buffer| {
            buffer.go_lines(1, false);
            buffer.go_lines(1, false);
        });
        assert_eq!(at, "abcde\n\n漢字|漢字\n");
    }

    #[test]
    fn random_edits_undo_to_the_start_and_redo_to_the_end() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let mut buffer = Buffer::new("kernel a(x):\r\n    x[0] = 漢 # 😀\n\n\rend");
            let start = buffer.text().to_owned();
            for _ in 0..30 {
                let at = random.usize(..=buffer.text().len());
                buffer.go(at, random.bool());
                let before = buffer.text().to_owned();
                let splices = match random.u8(..8) {
                    0 => buffer.delete_back(),
                    1 => buffer.delete(),
                    2 => buffer.break_line(),
                    3 => buffer.indent(),
                    4 => buffer.remove(buffer.taken()),
                    5 => buffer.undo(),
                    6 => buffer.become_text("kernel b(y):\n    y[0] = 漢\n"),
                    _ => buffer.insert(["x", "é", "two\nlines", " "][random.usize(..4)]),
                };
                let mut replayed = before;
                for splice in &splices {
                    assert_eq!(replayed[splice.at..splice.at + splice.removed.len()], splice.removed);
                    replayed.replace_range(splice.at..splice.at + splice.removed.len(), &splice.inserted);
                }
                assert_eq!(replayed, buffer.text());
                assert!(buffer.text().is_char_boundary(buffer.cursor()));
                assert_eq!(buffer.is_dirty(), buffer.text() != start);
            }
            while !buffer.redo().is_empty() {}
            let end = buffer.text().to_owned();
            while !buffer.undo().is_empty() {}
            assert_eq!(buffer.text(), start);
            while !buffer.redo().is_empty() {}
            assert_eq!(buffer.text(), end);
        }
    }

    #[test]
    fn places_move_with_the_text_around_them() {
        let splice = Splice { at: 4, removed: "ab".into(), inserted: "xyz".into() };
        let moved = |start: u32, end: u32| splice.moved_range(TextRange::new(start.into(), end.into()));
        assert_eq!(moved(0, 4), TextRange::new(0.into(), 4.into()));
        assert_eq!(moved(6, 8), TextRange::new(7.into(), 9.into()));
        assert_eq!(moved(0, 9), TextRange::new(0.into(), 10.into()));
        assert_eq!(moved(5, 6), TextRange::new(4.into(), 7.into()));
        let typed = Splice { at: 4, removed: String::new(), inserted: "!".into() };
        assert_eq!(typed.moved_range(TextRange::new(0.into(), 4.into())), TextRange::new(0.into(), 4.into()));
        assert_eq!(typed.moved_range(TextRange::new(4.into(), 5.into())), TextRange::new(5.into(), 6.into()));
    }
}
