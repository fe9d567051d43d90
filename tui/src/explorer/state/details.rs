//! The pages about the place under the cursor: why it is as it is, what is wrong, how a run went.

use syntax::ItemKind;

use super::run_form::RunForm;
use super::{State, Topic};
use crate::explorer::answers::{problem, problems};
use crate::explorer::layout::Pane;
use crate::explorer::page::{Line, Offer, Page, Role};
use crate::explorer::questions::{Version, Which};

/// What a page of details was made of: as long as that is the same, so is the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    topic: Topic,
    of: Version,
    line: usize,
    epoch: u64,
    subject: Option<Which>,
    running: bool,
}

impl State {
    /// Makes the page of details, unless it is made.
    pub(super) fn show_details(&mut self) {
        let key = Key {
            topic: self.topic,
            of: self.version(),
            line: self.file().buffer.cursor_line(),
            epoch: self.details_epoch,
            subject: self.file().subject.clone(),
            running: self.running.is_some(),
        };
        if self.details_key.as_ref() == Some(&key) {
            return;
        }
        // A page that is being read does not change under the reader because the source scrolls along.
        let reading = self.focus == Pane::Details && self.topic == Topic::Why;
        let is_new = self.details_key.as_ref().is_none_or(|old| old.topic != key.topic || old.epoch != key.epoch);
        if reading && !is_new {
            return;
        }
        let page = match self.topic {
            Topic::Why => self.why_page(),
            Topic::Problems => problems(&self.file().words.diagnostics, &self.file().buffer),
            Topic::Run => self.run_page(),
        };
        let has_run = self.details_key.as_ref().is_some_and(|old| old.running) && !key.running;
        self.details_pane.show(page);
        self.details_key = Some(key);
        if has_run && self.topic == Topic::Run {
            self.reveal_outcome();
        }
    }

    /// Brings the outcome of a run on the screen, which the data may fill.
    fn reveal_outcome(&mut self) {
        let form = self.subject().and_then(|item| self.forms.get(&(self.current, item.clone())));
        if let Some(line) = form.and_then(RunForm::outcome_line) {
            let height = self.body(Pane::Details).h;
            self.details_pane.reveal(&[line], height);
        }
    }

    /// What is wrong in the cursor's line, and what is known about the place.
    fn why_page(&self) -> Page {
        let file = self.file();
        let line = file.buffer.cursor_line();
        let mut lines = Vec::new();
        for (n, diagnostic) in file.words.diagnostics.iter().enumerate() {
            let (first, last) = file.lines_of(diagnostic.range);
            if first == line || (first..=last).contains(&line) && last - first < 2 {
                lines.extend(problem(n, diagnostic, "", Some(&file.buffer)));
            }
        }
        if let Some((range, text)) = file.failure.as_ref().filter(|(range, _)| file.lines_of(*range).0 == line) {
            lines.push(Line::of(Role::Error, text.clone()).from_source(Some(*range)).offering(Offer::Source));
        }
        if !lines.is_empty() && !self.place.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(self.place.iter().cloned());
        if lines.is_empty() {
            lines.push(Line::of(
                Role::Faint,
                "Put the cursor on a name, an operator or an access to see what is known of it.",
            ));
        }
        Page::prose(lines)
    }

    fn run_page(&self) -> Page {
        let Some(item) = self.subject() else { return Page::notice("There is no kernel in this file.") };
        if item.kind != ItemKind::Kernel {
            return Page::notice(format!("{} is no kernel; put the cursor in one, or pick one with o.", item.name));
        }
        let form = self.forms.get(&(self.current, item.clone()));
        match form {
            Some(form) => form.page(&item.name, self.engine, self.running.is_some()),
            None => Page::notice(format!("{} has errors and cannot be run; e lists them.", item.name)),
        }
    }
}
