//! Searches in panes, and the way from one difference to the next.

use report::TextRange;

use super::State;
use crate::page::{Change, Role, matches};

impl State {
    /// Finds the next difference, if differences are shown and no search is active.
    fn next_difference(&self, backwards: bool) -> Option<usize> {
        let view = self.page_view(self.focus)?;
        let starts = |row: usize| {
            let change = |row: usize| view.page().lines[view.rows()[row].line].change;
            change(row) != Change::Same && (row == 0 || change(row - 1) == Change::Same)
        };
        let n_rows = view.rows().len();
        if backwards {
            (0..view.cursor()).rev().find(|row| starts(*row))
        } else {
            (view.cursor() + 1..n_rows).find(|row| starts(*row))
        }
    }

    /// Goes to the next match of the search, or without one to the next difference.
    pub(super) fn go_to_match(&mut self, backwards: bool) {
        if self.search.is_empty() {
            return match self.next_difference(backwards) {
                Some(row) => self.go_to_row(row),
                None => self.tell(Role::Faint, "nothing was searched for; / does"),
            };
        }
        let wanted = self.search.clone();
        let found = match self.page_view(self.focus) {
            Some(_) => {
                let found = self.page_view_mut(self.focus).is_some_and(|view| view.go_to_match(&wanted, backwards));
                found.then_some(())
            }
            None => self.match_in_source(&wanted, backwards).map(|at| {
                self.go_to_source(TextRange::empty((at as u32).into()));
            }),
        };
        match found {
            None => self.tell(Role::Warning, format!("`{wanted}` is not in this pane")),
            Some(()) => {
                let (nth, of) = self.match_number(&wanted);
                self.tell(Role::Faint, format!("`{wanted}`: {nth} of {of}"));
            }
        }
    }

    /// Returns the number of the match at the cursor, from 1 on, and that of all matches in the pane. In a page, every
    /// line with a match counts as one, since the cursor goes from line to line there.
    fn match_number(&self, wanted: &str) -> (usize, usize) {
        match self.page_view(self.focus) {
            Some(view) => view.count_matches(wanted),
            None => {
                let buffer = &self.file().buffer;
                let found = matches(buffer.text(), wanted);
                (found.iter().filter(|range| range.start <= buffer.cursor()).count(), found.len())
            }
        }
    }

    pub(super) fn go_to_row(&mut self, row: usize) {
        if let Some(view) = self.page_view_mut(self.focus) {
            view.go_to(row);
        }
    }

    fn match_in_source(&self, wanted: &str, backwards: bool) -> Option<usize> {
        let buffer = &self.file().buffer;
        let found = matches(buffer.text(), wanted);
        let at = buffer.cursor();
        let found = if backwards {
            found.iter().rev().find(|range| range.start < at).or(found.last())
        } else {
            found.iter().find(|range| range.start > at).or(found.first())
        };
        found.map(|range| range.start)
    }

    /// Searches for a text from the cursor on.
    pub(super) fn search_for(&mut self, wanted: String) {
        self.search = wanted;
        self.go_to_match(false);
    }
}
