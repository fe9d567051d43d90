//! An open file: its text, what is known of its words, and which part of it is on the screen.

use std::path::PathBuf;

use syntax::{TextRange, TextSize};

use crate::explorer::buffer::{Buffer, Splice};
use crate::explorer::glyphs;
use crate::explorer::page::{Page, Role};
use crate::explorer::questions::{Inlay, Which, Words};

/// An open file.
#[derive(Debug, Clone)]
pub struct OpenFile {
    /// What it is called.
    pub name: String,
    /// Where it is; standard input is nowhere.
    pub path: Option<PathBuf>,
    /// Its text.
    pub buffer: Buffer,
    /// What is known of its words; it moves along with the text until it is heard anew.
    pub words: Words,
    /// The item that stage and run are about.
    pub subject: Option<Which>,
    /// The error that stopped a run, at its place.
    pub failure: Option<(TextRange, String)>,
    /// The first line on the screen.
    pub top: usize,
    /// The first column on the screen.
    pub left: usize,
    /// The lines whose colours are known or asked for.
    window: (usize, usize),
    /// The size of the pane.
    size: (u16, u16),
    /// Whether hints are shown, and whether in the cursor's line too: one that is typed is shown as it is.
    hints: Hints,
}

/// Where hints are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hints {
    /// Nowhere.
    #[default]
    Nowhere,
    /// In every line but the cursor's.
    Elsewhere,
    /// In every line.
    Everywhere,
}

/// Columns for a mark and a space beside the line numbers.
pub const MARKS: usize = 2;

impl OpenFile {
    /// A file as it was read.
    pub fn new(name: impl Into<String>, path: Option<PathBuf>, text: impl Into<String>) -> OpenFile {
        OpenFile {
            name: name.into(),
            path,
            buffer: Buffer::new(text),
            words: Words::default(),
            subject: None,
            failure: None,
            top: 0,
            left: 0,
            window: (0, 0),
            size: (0, 0),
            hints: Hints::default(),
        }
    }

    /// How many columns line numbers and marks take.
    pub fn gutter(&self) -> usize {
        self.buffer.n_lines().to_string().len().max(2) + MARKS
    }

    /// How many columns there are for text.
    pub fn text_width(&self) -> usize {
        usize::from(self.size.0).saturating_sub(self.gutter())
    }

    /// The text range whose colours and hints are wanted.
    pub fn window(&self) -> TextRange {
        let lines = self.buffer.lines();
        let range = |line: usize| lines.line_range(u32::try_from(line).unwrap_or(u32::MAX));
        TextRange::new(range(self.window.0).start(), range(self.window.1).end())
    }

    /// Fits the screen to the cursor, and the window to the screen. Where the file is not on the screen it stays as it
    /// was there.
    pub fn fit(&mut self, width: u16, height: u16, hints: Hints) {
        self.hints = hints;
        if width == 0 {
            return;
        }
        self.size = (width, height);
        let height = usize::from(height).max(1);
        let (line, last) = (self.buffer.cursor_line(), self.buffer.n_lines() - 1);
        self.top = self.top.min(line).max((line + 1).saturating_sub(height));
        // Where there is room again, what had none comes back.
        self.top = self.top.min((last + 1).saturating_sub(height));
        let column = self.cursor_column();
        let width = self.text_width().max(1);
        // The starts of lines are worth more than an unmoved picture: they say how deep in a loop one is.
        self.left = if column < width { 0 } else { self.left.min(column).max(column + 1 - width) };
        let bottom = (self.top + height).min(last);
        // A window of several screens, so that going a page down finds its colours there.
        let fits = self.window.0 <= self.top && bottom <= self.window.1.min(last);
        if !fits || self.window.1 - self.window.0 > 8 * height {
            self.window = (self.top.saturating_sub(2 * height), bottom + 2 * height);
        }
    }

    /// The column that the cursor is drawn in, with the hints before it.
    pub fn cursor_column(&self) -> usize {
        let hints = self.hints_of(self.buffer.cursor_line()).into_iter();
        let before = hints.take_while(|hint| usize::from(hint.at) < self.buffer.cursor());
        self.buffer.cursor_column() + before.map(|hint| glyphs::width(&hint.text)).sum::<usize>()
    }

    /// The hints that are shown in a line: those it has, unless they would push its end out of the pane; what varies is
    /// marked even then.
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

    /// Scrolls so many lines down, or up; the cursor stays on the screen.
    pub fn scroll(&mut self, n: isize) {
        let height = usize::from(self.size.1).max(1);
        self.top = self.top.saturating_add_signed(n).min(self.buffer.n_lines().saturating_sub(height));
        let line = self.buffer.cursor_line();
        let seen = line.clamp(self.top, self.top + height - 1);
        if seen != line {
            self.buffer.go_lines(seen as isize - line as isize, false);
        }
    }

    /// Brings a line on the screen, with the lines around it.
    pub fn reveal(&mut self, line: usize) {
        let height = usize::from(self.size.1).max(1);
        if !(self.top..self.top + height).contains(&line) {
            self.top = line.saturating_sub(height / 3);
        }
    }

    /// The first and last line of a range.
    pub fn lines_of(&self, range: TextRange) -> (usize, usize) {
        let line = |offset: TextSize| self.buffer.line_of(offset.into());
        let first = line(range.start());
        // A range that ends with a line break ends in the line before.
        let last = if range.is_empty() { first } else { line(range.end() - TextSize::new(1)) };
        (first, last.max(first))
    }

    /// Lets everything that has a place in the text move along with an edit of it.
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
                // What is typed at an item's end belongs to it.
                item.range = TextRange::new(splice.moved(item.range.start()), splice.moved(item.range.end()));
                item.name = splice.moved_range(item.name);
            }
        }
        self.failure = self
            .failure
            .take()
            .filter(|(range, _)| splices.iter().all(|splice| splice.moved_range(*range).len() == range.len()));
        if let Some((range, _)) = &mut self.failure {
            *range = splices.iter().fold(*range, |range, splice| splice.moved_range(range));
        }
    }

    /// Notes the error of a run where it happened.
    pub fn note_failure(&mut self, outcome: &Page) {
        let first = outcome.lines.first();
        self.failure = first.and_then(|line| Some((line.source?, line.text.clone())));
    }
}
