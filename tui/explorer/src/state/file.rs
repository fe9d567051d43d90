//! An open file: its text, the word-level information about it, and its scroll position.

use std::path::PathBuf;

use driver::stepping::StopTerms;
use report::{TextRange, TextSize};

use super::sharing::GivenData;
use crate::buffer::{Buffer, Splice};
use crate::glyphs;
use crate::page::{Page, Role};
use crate::questions::{Inlay, Which, Words};

/// An open file, with its own cursor and scroll position.
#[derive(Debug, Clone)]
pub struct OpenFile {
    /// Display name of the file.
    pub name: String,
    /// Path of the file; none for standard input.
    pub path: Option<PathBuf>,
    /// Text of the file.
    pub buffer: Buffer,
    /// Latest word-level information, whose positions are adjusted to edits until new information arrives.
    pub words: Words,
    /// The item that stage and run are about.
    pub subject: Option<Which>,
    /// The lesson that the file is of, by its number in the list.
    pub lesson: Option<usize>,
    /// The number of files that had been shown when this one was, the last time; 0 if it never was.
    pub shown: u64,
    /// Position and message of the error that stopped a run.
    pub failure: Option<(TextRange, String)>,
    /// The breakpoints.
    pub breakpoints: Vec<SourceBreakpoint>,
    /// Data that the file was opened with, until its kernel's parameters are known.
    pub(super) given: Option<GivenData>,
    /// The first line on the screen.
    pub top: usize,
    /// The first column on the screen.
    pub left: usize,
    /// First and last line whose colours are known or requested.
    window: (usize, usize),
    /// The size of the pane.
    size: (u16, u16),
    /// The lines that show hints.
    hints: Hints,
}

/// A breakpoint in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceBreakpoint {
    /// An offset in the line.
    pub at: TextSize,
    /// The terms on which it stops a run.
    pub terms: StopTerms,
}

/// The lines that show hints. The cursor's line may be exempt, because a line that is typed is shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hints {
    /// No line.
    #[default]
    Nowhere,
    /// Every line but the cursor's.
    Elsewhere,
    /// Every line.
    Everywhere,
}

/// Number of columns for a mark and a space beside the line numbers.
pub const MARKS: usize = 2;

impl OpenFile {
    /// Creates an open file from a text as it was read.
    pub fn new(name: impl Into<String>, path: Option<PathBuf>, text: impl Into<String>) -> OpenFile {
        OpenFile {
            name: name.into(),
            path,
            buffer: Buffer::new(text),
            words: Words::default(),
            subject: None,
            lesson: None,
            shown: 0,
            failure: None,
            breakpoints: Vec::new(),
            given: None,
            top: 0,
            left: 0,
            window: (0, 0),
            size: (0, 0),
            hints: Hints::default(),
        }
    }

    /// Returns the number of columns for line numbers and marks.
    pub fn gutter(&self) -> usize {
        self.buffer.n_lines().to_string().len().max(2) + MARKS
    }

    /// Returns the number of columns for text.
    pub fn text_width(&self) -> usize {
        usize::from(self.size.0).saturating_sub(self.gutter())
    }

    /// Returns the text range that needs colours and hints.
    pub fn window(&self) -> TextRange {
        let lines = self.buffer.lines();
        let range = |line: usize| lines.line_range(u32::try_from(line).unwrap_or(u32::MAX));
        TextRange::new(range(self.window.0).start(), range(self.window.1).end())
    }

    /// Scrolls until the cursor is visible, and extends the window to the visible lines. While the file is not on the
    /// screen, its scroll position is kept.
    pub fn fit(&mut self, width: u16, height: u16, hints: Hints) {
        self.hints = hints;
        if width == 0 {
            return;
        }
        self.size = (width, height);
        let height = usize::from(height).max(1);
        let (line, last) = (self.buffer.cursor_line(), self.buffer.n_lines() - 1);
        self.top = self.top.min(line).max((line + 1).saturating_sub(height));
        // When the pane grows, lines above that had no room return.
        self.top = self.top.min((last + 1).saturating_sub(height));
        let column = self.cursor_column();
        let width = self.text_width().max(1);
        // Column 0 is preferred over a stable scroll position, because the indentation shows the nesting of loops.
        self.left = if column < width { 0 } else { self.left.min(column).max(column + 1 - width) };
        let bottom = (self.top + height).min(last);
        // The window spans several screens, so that paging down finds its colours ready.
        let fits = self.window.0 <= self.top && bottom <= self.window.1.min(last);
        if !fits || self.window.1 - self.window.0 > 8 * height {
            self.window = (self.top.saturating_sub(2 * height), bottom + 2 * height);
        }
    }

    /// Returns the display column of the cursor, including the hints before it.
    pub fn cursor_column(&self) -> usize {
        let hints = self.hints_of(self.buffer.cursor_line()).into_iter();
        let before = hints.take_while(|hint| usize::from(hint.at) < self.buffer.cursor());
        self.buffer.cursor_column() + before.map(|hint| glyphs::width(&hint.text)).sum::<usize>()
    }

    /// Returns the hints that are shown in a line: all of them, unless they would push the end of the line out of the
    /// pane; the marks of varying names are always shown.
    pub fn hints_of(&self, line: usize) -> Vec<&Inlay> {
        let shown = match self.hints {
            Hints::Nowhere => false,
            Hints::Elsewhere => line != self.buffer.cursor_line(),
            Hints::Everywhere => true,
        };
        let range = self.buffer.line_range(line);
        let first = self.words.hints.partition_point(|hint| usize::from(hint.at) < range.start);
        let n = self.words.hints[first..].partition_point(|hint| usize::from(hint.at) <= range.end);
        let hints = &self.words.hints[first..first + n];
        let width = || hints.iter().map(|hint| glyphs::width(&hint.text)).sum::<usize>();
        let fits = n == 0 || glyphs::width(&self.buffer.text()[range]) + width() <= self.text_width();
        hints.iter().filter(|hint| shown && (fits || hint.role == Role::Varying)).collect()
    }

    /// Scrolls by `n` lines, down if positive; the cursor stays on the screen.
    pub fn scroll(&mut self, n: isize) {
        let height = usize::from(self.size.1).max(1);
        self.top = self.top.saturating_add_signed(n).min(self.buffer.n_lines().saturating_sub(height));
        let line = self.buffer.cursor_line();
        let seen = line.clamp(self.top, self.top + height - 1);
        if seen != line {
            self.buffer.go_lines(seen as isize - line as isize, false);
        }
    }

    /// Scrolls until a line is visible with its context.
    pub fn reveal(&mut self, line: usize) {
        let height = usize::from(self.size.1).max(1);
        if !(self.top..self.top + height).contains(&line) {
            self.top = line.saturating_sub(height / 3);
        }
    }

    /// Returns the first and last line of a range.
    pub fn lines_of(&self, range: TextRange) -> (usize, usize) {
        let line = |offset: TextSize| self.buffer.line_of(offset.into());
        let first = line(range.start());
        // A range that ends with a line break ends in the line of that break.
        let last = if range.is_empty() { first } else { line(range.end() - TextSize::new(1)) };
        (first, last.max(first))
    }

    /// Adjusts everything that has a position in the text to an edit.
    pub fn move_along(&mut self, splices: &[Splice]) {
        for splice in splices {
            let words = &mut self.words;
            words.roles.iter_mut().for_each(|(range, _)| *range = splice.moved_range(*range));
            words.hints.iter_mut().for_each(|hint| hint.at = splice.moved(hint.at));
            for diagnostic in &mut words.diagnostics {
                diagnostic.range = splice.moved_range(diagnostic.range);
                diagnostic.related.iter_mut().for_each(|related| related.range = splice.moved_range(related.range));
            }
            for item in &mut words.outline {
                // Text that is typed at the end of an item belongs to it.
                item.range = TextRange::new(splice.moved(item.range.start()), splice.moved(item.range.end()));
                item.name = splice.moved_range(item.name);
            }
        }
        for set in &mut self.breakpoints {
            set.at = splices.iter().fold(set.at, |at, splice| splice.moved(at));
        }
        self.failure = self
            .failure
            .take()
            .filter(|(range, _)| splices.iter().all(|splice| splice.moved_range(*range).len() == range.len()));
        if let Some((range, _)) = &mut self.failure {
            *range = splices.iter().fold(*range, |range, splice| splice.moved_range(range));
        }
    }

    /// Returns the terms of the breakpoint in a line, if it has one.
    pub fn breakpoint_in(&self, line: usize) -> Option<&StopTerms> {
        let here = self.breakpoints.iter().find(|set| self.buffer.line_of(usize::from(set.at)) == line);
        here.map(|set| &set.terms)
    }

    /// Records the error of a run at the position where it occurred.
    pub fn note_failure(&mut self, outcome: &Page) {
        let first = outcome.lines.first();
        self.failure = first.and_then(|line| Some((line.source?, line.text.clone())));
    }
}
