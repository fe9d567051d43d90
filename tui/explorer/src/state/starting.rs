//! The starting page, and the way from it to a file.

use super::{State, Topic};
use crate::layout::Pane;
use crate::page::{Page, Role};

impl State {
    /// Shows the starting page on the whole screen.
    pub fn show_start(&mut self) {
        if self.start.is_none() {
            return self.tell(Role::Faint, "the starting page is there when `lanescope` is started without a file");
        }
        self.topic = Topic::Start;
        self.settings.details = true;
        self.focus = Pane::Details;
        self.zoomed = true;
    }

    /// Returns true while the starting page has the whole screen, so that no file is looked at.
    pub fn is_starting(&self) -> bool {
        self.topic == Topic::Start && self.zoomed && self.focus == Pane::Details
    }

    /// Goes from the starting page to a file.
    pub(super) fn go_from_start(&mut self, file: usize) {
        if file >= self.files.len() {
            return;
        }
        self.show_file(file);
        self.zoomed = false;
        self.focus = Pane::Source;
        self.topic = match self.file().lesson {
            Some(_) => Topic::Task,
            None => Topic::Why,
        };
    }

    pub(super) fn start_page(&self) -> Page {
        self.start.as_ref().map_or_else(Page::default, |start| start.page())
    }

    /// Notes that the file at hand is looked at, for the list of recent files.
    pub(super) fn note_shown(&mut self) {
        if !self.is_starting() && self.last_shown != Some(self.current) {
            self.last_shown = Some(self.current);
            self.n_shown += 1;
            self.files[self.current].shown = self.n_shown;
        }
    }
}
