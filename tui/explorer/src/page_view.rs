//! A page in a pane: the lines that are shown, and the cursor and scroll position.
//!
//! A page's *lines* are its content; its *rows* are the part of it that can be seen: the lines that pass the filter,
//! with sentences wrapped to the pane's width.

use std::ops::Range;

use syntax::TextRange;

use crate::buffer::Splice;
use crate::glyphs;
use crate::page::{Line, Page, matches};

/// A page with its rows, filter, cursor and scroll position.
#[derive(Debug, Clone, Default)]
pub struct PageView {
    page: Page,
    rows: Vec<Row>,
    /// The pane width that the rows were computed for.
    width: Option<u16>,
    filter: String,
    /// The row of the cursor.
    cursor: usize,
    /// The first row on the screen.
    top: usize,
    /// The first column on the screen.
    left: usize,
}

/// A row: a line, or a piece of a wrapped line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Index of the line in the page.
    pub line: usize,
    /// Byte range of the line's text that the row shows.
    pub range: Range<usize>,
    /// Distance from the pane's edge in columns, so that continuation rows align with the text that they continue.
    pub indent: usize,
}

impl PageView {
    /// Returns the page that is shown.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// Returns the rows that the page is shown in.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the row of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Returns the first row on the screen.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Returns the first column on the screen.
    pub fn left(&self) -> usize {
        self.left
    }

    /// Returns the text that lines must contain to be shown; empty for no filter.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Returns the line of the cursor.
    pub fn line(&self) -> Option<&Line> {
        self.page.lines.get(self.rows.get(self.cursor)?.line)
    }

    /// Shows another page. The cursor moves to a line that comes from the source of its old line, or else keeps its
    /// place on the screen.
    pub fn show(&mut self, page: Page) {
        if page == self.page {
            return;
        }
        let source = self.line().and_then(|line| line.source);
        let (had, above) = (!self.page.lines.is_empty(), self.cursor.saturating_sub(self.top));
        self.page = page;
        self.make_rows();
        let same = source.and_then(|source| {
            let is_same = |row: &Row| self.page.lines[row.line].source.is_some_and(|other| same_start(other, source));
            self.rows.iter().position(is_same)
        });
        if let (Some(row), true) = (same, had) {
            self.cursor = row;
            self.top = row.saturating_sub(above);
        }
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    /// Shows only the lines that contain a text; an empty text shows all.
    pub fn set_filter(&mut self, filter: String) {
        let line = self.rows.get(self.cursor).map(|row| row.line);
        self.filter = filter;
        self.make_rows();
        self.cursor = self.rows.iter().position(|row| Some(row.line) >= line).unwrap_or(0);
    }

    /// Wraps the rows to the pane's size, and scrolls until the cursor is visible.
    pub fn fit(&mut self, width: u16, height: u16) {
        if self.width != Some(width) {
            let line = self.rows.get(self.cursor).map(|row| row.line);
            self.width = Some(width);
            if self.page.prose || self.rows.is_empty() || self.page.lines.iter().any(|line| line.is_sentence) {
                self.make_rows();
                self.cursor = self.rows.iter().position(|row| Some(row.line) == line).unwrap_or(0);
            }
        }
        let height = usize::from(height).max(1);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
        if self.page.prose {
            self.left = 0;
        }
    }

    fn make_rows(&mut self) {
        let width = usize::from(self.width.unwrap_or(u16::MAX)).saturating_sub(GUTTER);
        let frames = if self.page.has_frames() { FRAMES } else { 0 };
        let mut rows = Vec::with_capacity(self.page.lines.len());
        for (n, line) in self.page.lines.iter().enumerate() {
            if !self.filter.is_empty() && matches(&line.text, &self.filter).is_empty() {
                continue;
            }
            if self.page.prose || line.is_sentence {
                let hang = hang(&line.text).min(width / 3);
                let pieces = glyphs::wrapped(&line.text, width.saturating_sub(frames), hang).into_iter();
                let indent = |range: &Range<usize>| if range.start == 0 { 0 } else { hang };
                rows.extend(pieces.map(|range| Row { line: n, indent: indent(&range), range }));
            } else {
                rows.push(Row { line: n, range: 0..line.text.len(), indent: 0 });
            }
        }
        self.rows = rows;
    }

    /// Moves the cursor by `n` rows, down if positive.
    pub fn go_rows(&mut self, n: isize) {
        self.cursor = self.cursor.saturating_add_signed(n).min(self.rows.len().saturating_sub(1));
    }

    /// Moves the cursor to the first row, and scrolls there.
    pub fn begin(&mut self) {
        (self.cursor, self.top) = (0, 0);
    }

    /// Moves the cursor to a row.
    pub fn go_to(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
    }

    /// Scrolls by `n` columns, to the right if positive.
    pub fn scroll_columns(&mut self, n: isize) {
        let widest = self.page.lines.iter().map(|line| glyphs::width(&line.text)).max().unwrap_or(0);
        self.left = self.left.saturating_add_signed(n).min(widest);
    }

    /// Scrolls by `n` rows, down if positive; the cursor stays on the screen.
    pub fn scroll_rows(&mut self, n: isize, height: u16) {
        let height = usize::from(height).max(1);
        self.top = self.top.saturating_add_signed(n).min(self.rows.len().saturating_sub(height));
        self.cursor = self.cursor.clamp(self.top, self.top + height - 1).min(self.rows.len().saturating_sub(1));
    }

    /// Scrolls and moves the cursor to one of some lines, unless one of them is visible already.
    pub fn reveal(&mut self, lines: &[usize], height: u16) {
        let height = usize::from(height).max(1);
        let rows = || self.rows.iter().enumerate().filter(|(_, row)| lines.binary_search(&row.line).is_ok());
        let seen = rows().find(|(n, _)| (self.top..self.top + height).contains(n));
        if let Some((row, _)) = seen.or_else(|| rows().next()) {
            if seen.is_none() {
                self.top = row.saturating_sub(height / 3);
            }
            self.cursor = row;
        }
    }

    /// Moves the cursor to a line, and scrolls until as many of the lines behind it as possible are visible.
    pub fn reveal_from(&mut self, line: usize, height: u16) {
        let Some(row) = self.rows.iter().position(|row| row.line >= line) else { return };
        let last_screen = self.rows.len().saturating_sub(usize::from(height).max(1));
        self.top = self.top.max(last_screen).min(row);
        self.cursor = row;
    }

    /// Finds the next row that contains a text, or the previous one; the search wraps around at the ends.
    pub fn find(&self, wanted: &str, backwards: bool) -> Option<usize> {
        let n_rows = self.rows.len();
        let is_match = |&row: &usize| {
            let Row { line, range, .. } = &self.rows[row];
            !matches(&self.page.lines[*line].text[range.clone()], wanted).is_empty()
        };
        if backwards {
            (0..self.cursor.min(n_rows)).rev().chain((self.cursor..n_rows).rev()).find(is_match)
        } else {
            (self.cursor + 1..n_rows).chain(0..n_rows.min(self.cursor + 1)).find(is_match)
        }
    }

    /// Adjusts the source ranges of the lines to an edit of the source.
    pub fn move_along(&mut self, splices: &[Splice]) {
        self.page.move_along(splices);
    }
}

fn same_start(one: TextRange, other: TextRange) -> bool {
    one.start() == other.start()
}

/// Columns for marks at the left edge of a pane.
pub(crate) const GUTTER: usize = 2;

/// Columns for frames behind the marks, on pages that have frames.
const FRAMES: usize = 2;

/// Returns the lines of a page to highlight for a source range: those whose source touches it, and of them only the
/// closest, so that a line of a loop's body does not highlight the whole loop.
pub(crate) fn lit_lines(page: &Page, range: TextRange, line_of: impl Fn(TextRange) -> (usize, usize)) -> Vec<usize> {
    let touching = page.lines.iter().enumerate().filter_map(|(n, line)| {
        let source = line.source?;
        let overlap = source.intersect(range)?;
        let touches = !overlap.is_empty() || source.is_empty() || range.is_empty();
        let (first, last) = line_of(source);
        touches.then_some((n, last - first))
    });
    let touching: Vec<_> = touching.collect();
    let closest = touching.iter().map(|(_, n_lines)| *n_lines).min();
    touching.into_iter().filter(|(_, n_lines)| Some(*n_lines) == closest).map(|(n, _)| n).collect()
}

/// Returns the lines of a page whose source lies within a range, or equals it if `exactly` is set.
pub(crate) fn lines_within(page: &Page, range: TextRange, exactly: bool) -> Vec<usize> {
    let is_from = |source: TextRange| if exactly { source == range } else { range.contains_range(source) };
    let lines = page.lines.iter().enumerate();
    lines.filter(|(_, line)| line.source.is_some_and(is_from)).map(|(n, _)| n).collect()
}

/// Returns the offset of the first word of a line, behind a list dash or comment sign.
fn hang(text: &str) -> usize {
    let words = text.trim_start();
    let words = ["- ", "# "].iter().find_map(|sign| words.strip_prefix(sign)).unwrap_or(words);
    text.len() - words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(texts: &[&str], prose: bool) -> PageView {
        let mut view = PageView::default();
        view.fit(12, 3);
        view.show(Page { lines: texts.iter().map(|text| Line::new(*text)).collect(), prose });
        view.fit(12, 3);
        view
    }

    fn seen(view: &PageView) -> Vec<&str> {
        view.rows().iter().map(|row| &view.page().lines[row.line].text[row.range.clone()]).collect()
    }

    #[test]
    fn sentences_are_broken_and_code_is_not() {
        assert_eq!(seen(&view(&["one two three four"], true)), ["one two", "three four"]);
        assert_eq!(seen(&view(&["one two three four"], false)), ["one two three four"]);
        assert_eq!(seen(&view(&["", "a"], true)), ["", "a"]);
    }

    #[test]
    fn a_filter_keeps_the_cursor_near_its_line() {
        let mut view = view(&["load a", "add", "load b", "store"], false);
        view.go_to(1);
        view.set_filter("load".to_owned());
        assert_eq!((seen(&view), view.cursor()), (vec!["load a", "load b"], 1));
        view.set_filter(String::new());
        assert_eq!(view.cursor(), 2);
    }

    #[test]
    fn the_cursor_stays_on_the_screen() {
        let mut view = view(&["a", "b", "c", "d", "e"], false);
        view.go_rows(9);
        view.fit(12, 3);
        assert_eq!((view.cursor(), view.top()), (4, 2));
        view.scroll_rows(-2, 3);
        assert_eq!((view.cursor(), view.top()), (2, 0));
        view.reveal(&[4], 3);
        view.fit(12, 3);
        assert_eq!((view.cursor(), view.top()), (4, 2));
    }

    #[test]
    fn a_search_goes_round() {
        let mut view = view(&["load", "x", "load"], false);
        assert_eq!(view.find("load", false), Some(2));
        view.go_to(2);
        assert_eq!((view.find("load", false), view.find("load", true)), (Some(0), Some(0)));
        assert_eq!(view.find("nothing", false), None);
    }
}
