//! A page in a pane: the lines that are shown, and the cursor and scroll position.
//!
//! A page's *lines* are its content; its *rows* are the part of it that can be seen: the lines that pass the filter,
//! with sentences wrapped to the pane's width.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use report::TextRange;

use crate::buffer::Splice;
use driver::words::count;

use crate::glyphs;
use crate::page::{Fold, Line, Page, matches};

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
    /// Numbers of the folds that are open, which stay open when the page changes.
    opened: BTreeSet<usize>,
    /// True if the next page is shown from its start.
    begins: bool,
    /// The line to scroll to once the pane has a size.
    start: Option<usize>,
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
    /// Number of the fold that the row stands for.
    pub fold: Option<usize>,
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
        if std::mem::take(&mut self.begins) {
            return self.begin();
        }
        let same = source.and_then(|source| {
            let is_same = |row: &Row| self.page.lines[row.line].source.is_some_and(|other| same_start(other, source));
            self.rows.iter().position(is_same)
        });
        if let (Some(row), true) = (same, had) {
            self.cursor = row;
            self.top = row.saturating_sub(above);
        }
        self.start = self.page.start.filter(|_| !had).or(self.start);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    /// Shows another page, and keeps cursor and scroll position where they are on it.
    pub fn show_in_place(&mut self, page: Page) {
        let (cursor, top) = (self.cursor, self.top);
        self.show(page);
        (self.cursor, self.top) = (cursor.min(self.rows.len().saturating_sub(1)), top);
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
        if let Some(row) = self.start.take().and_then(|start| self.rows.iter().position(|row| row.line >= start)) {
            self.cursor = row;
            // The lines above are of interest too, as long as the line is in the upper half.
            self.top = if row <= height / 2 { 0 } else { row.saturating_sub(1) };
        }
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(height));
        self.top = self.top.min(self.rows.len().saturating_sub(height));
        if self.page.prose && !self.page.lines.iter().any(|line| line.is_whole) {
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
            // A filter looks into what is folded, too.
            let fold = self.page.folds.iter().position(|fold| fold.lines.contains(&n));
            if let Some(fold) = fold.filter(|fold| self.filter.is_empty() && !self.opened.contains(fold)) {
                if self.page.folds[fold].lines.start == n {
                    rows.push(Row { line: n, range: 0..0, indent: 0, fold: Some(fold) });
                }
                continue;
            }
            if (self.page.prose && !line.is_whole) || line.is_sentence {
                let hang = hang(&line.text).min(width / 3);
                let pieces = glyphs::wrapped(&line.text, width.saturating_sub(frames), hang).into_iter();
                let indent = |range: &Range<usize>| if range.start == 0 { 0 } else { hang };
                rows.extend(pieces.map(|range| Row { line: n, indent: indent(&range), range, fold: None }));
            } else {
                rows.push(Row { line: n, range: 0..line.text.len(), indent: 0, fold: None });
            }
        }
        self.rows = rows;
    }

    /// Returns the text of a row.
    pub fn text(&self, row: &Row) -> Cow<'_, str> {
        match row.fold {
            None => Cow::Borrowed(&self.page.lines[row.line].text[row.range.clone()]),
            Some(fold) => {
                let Fold { lines, title } = &self.page.folds[fold];
                Cow::Owned(format!("▸ {}: {title}", count(lines.len(), "line")))
            }
        }
    }

    /// Opens the fold under the cursor, and returns true if there is one.
    pub fn open_fold(&mut self) -> bool {
        let Some(fold) = self.rows.get(self.cursor).and_then(|row| row.fold) else { return false };
        self.opened.insert(fold);
        self.make_rows();
        true
    }

    /// Opens all folds, or closes them if all are open; returns false if the page has none.
    pub fn switch_folds(&mut self) -> bool {
        let line = self.rows.get(self.cursor).map(|row| row.line);
        let all: BTreeSet<_> = (0..self.page.folds.len()).collect();
        self.opened = if self.opened.is_superset(&all) { BTreeSet::new() } else { all };
        self.make_rows();
        let is_there = |row: &Row| match row.fold {
            Some(fold) => line.is_some_and(|line| self.page.folds[fold].lines.contains(&line)),
            None => Some(row.line) == line,
        };
        self.cursor = self.rows.iter().position(is_there).unwrap_or(0);
        !self.page.folds.is_empty()
    }

    /// Moves the cursor by `n` rows, down if positive.
    pub fn go_rows(&mut self, n: isize) {
        self.cursor = self.cursor.saturating_add_signed(n).min(self.rows.len().saturating_sub(1));
    }

    /// Moves the cursor to the first row, and scrolls there.
    pub fn begin(&mut self) {
        (self.cursor, self.top) = (0, 0);
    }

    /// Lets the next page begin at its start, because what was asked for stands there.
    pub fn begin_with_next(&mut self) {
        self.begins = true;
    }

    /// Moves the cursor to a row.
    pub fn go_to(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
    }

    /// Scrolls by `n` columns, to the right if positive.
    pub fn scroll_columns(&mut self, n: isize) {
        // At the far end, the last column of the longest line is at the right edge.
        let widest = self.page.lines.iter().map(|line| glyphs::width(&line.text)).max().unwrap_or(0);
        let frames = if self.page.has_frames() { FRAMES } else { 0 };
        let width = usize::from(self.width.unwrap_or(0)).saturating_sub(GUTTER + frames);
        self.left = self.left.saturating_add_signed(n).min(widest.saturating_sub(width));
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

    /// Returns the number of lines with a text down to the cursor, and that of all lines with it.
    pub fn count_matches(&self, wanted: &str) -> (usize, usize) {
        let passes = |line: &Line| self.filter.is_empty() || !matches(&line.text, &self.filter).is_empty();
        let lines = self.page.lines.iter().enumerate().filter(|(_, line)| passes(line));
        let found: Vec<_> = lines.filter(|(_, line)| !matches(&line.text, wanted).is_empty()).map(|(n, _)| n).collect();
        let here = self.rows.get(self.cursor).map_or(0, |row| row.line);
        (found.iter().filter(|n| **n <= here).count(), found.len())
    }

    /// Goes to the next line that contains a text, or to the previous one, and returns false if there is none. Lines that
    /// are folded are opened.
    pub fn go_to_match(&mut self, wanted: &str, backwards: bool) -> bool {
        let Some(row) = self.find(wanted, backwards) else { return false };
        self.cursor = row;
        if self.open_fold() {
            let has_match = |row: &Row| !matches(&self.text(row), wanted).is_empty();
            self.cursor = (row..self.rows.len()).find(|&row| has_match(&self.rows[row])).unwrap_or(row);
        }
        true
    }

    /// Finds the next row that contains a text, or the previous one; the search wraps around at the ends.
    pub fn find(&self, wanted: &str, backwards: bool) -> Option<usize> {
        let n_rows = self.rows.len();
        let is_match = |&row: &usize| {
            let row = &self.rows[row];
            match row.fold {
                None => !matches(&self.text(row), wanted).is_empty(),
                Some(fold) => {
                    let lines = &self.page.lines[self.page.folds[fold].lines.clone()];
                    lines.iter().any(|line| !matches(&line.text, wanted).is_empty())
                }
            }
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
pub(crate) const FRAMES: usize = 2;

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
        view.show(Page { lines: texts.iter().map(|text| Line::new(*text)).collect(), prose, ..Page::default() });
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
    fn what_is_folded_is_one_row_until_it_is_opened_or_found() {
        let lines = ["k:", "a", "b", "loop", "c", "d"].map(Line::new).to_vec();
        let fold = |lines, title| Fold { lines, title };
        let folds = vec![fold(1..3, "prologue"), fold(4..6, "remainder")];
        let mut view = PageView::default();
        view.show(Page { lines, folds, start: Some(3), ..Page::default() });
        view.fit(40, 3);
        let shown = |view: &PageView| view.rows().iter().map(|row| view.text(row).into_owned()).collect::<Vec<_>>();
        assert_eq!(shown(&view), ["k:", "▸ 2 lines: prologue", "loop", "▸ 2 lines: remainder"]);
        assert_eq!(view.cursor(), 2, "it opens on the loop");
        assert!(view.go_to_match("d", false));
        assert_eq!((shown(&view).len(), view.cursor(), view.count_matches("d")), (5, 4, (1, 1)));
        view.go_to(1);
        assert!(view.open_fold() && !view.open_fold());
        assert_eq!(shown(&view), ["k:", "a", "b", "loop", "c", "d"]);
        assert!(view.switch_folds());
        assert_eq!((shown(&view).len(), view.cursor()), (4, 1));
    }

    #[test]
    fn the_end_of_the_longest_line_is_reached_and_no_further() {
        let mut view = view(&["one two three four", "x"], false);
        view.scroll_columns(isize::MAX / 2);
        assert_eq!(view.left(), 18 - (12 - GUTTER));
        view.scroll_columns(isize::MIN / 2);
        assert_eq!(view.left(), 0);
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
