//! Runs and measurements that keys ask for, and the rows of sweeps that are kept.

use driver::sweeping::pins::Pin;

use super::{State, Topic};
use crate::event::Effect;
use crate::page::{Line, Role};
use crate::questions::{How, Run};
use crate::sweeps;

impl State {
    /// Shows the data to run the kernel on; if they are shown already, runs the kernel on them.
    pub(super) fn run(&mut self, how: How, effects: &mut Vec<Effect>) {
        let shown = self.settings.details && self.topic == Topic::Run;
        self.show_topic(Topic::Run);
        self.focus_details();
        if shown {
            self.start_run(how, effects);
        } else if how == How::Measured {
            self.tell(
                Role::Faint,
                "these are the data; the same key again measures, on about a million elements where you have given none",
            );
        } else if how == How::Swept {
            self.tell(
                Role::Faint,
                "the same key again measures sizes through the caches, lanes, and the targets that run here",
            );
        }
    }

    pub(super) fn start_run(&mut self, how: How, effects: &mut Vec<Effect>) {
        let Some(item) = self.subject().cloned() else { return };
        let Some(form) = self.forms.get(&(self.current, item.clone())) else { return };
        // Without a word from the user, a run that is looked at gets few elements, and one that is measured gets many.
        let arguments = if matches!(how, How::Measured | How::Swept) { form.to_measure() } else { form.arguments() };
        let (goal, headers) = (self.settings.goal, self.settings.headers.clone());
        let run = Run { of: self.version(), item, arguments, goal, how, headers };
        self.file_mut().failure = None;
        self.running = Some(run.clone());
        self.waited = 0;
        let file = self.file();
        effects.push(Effect::Run(file.name.clone(), file.buffer.text().into(), run));
    }

    /// Keeps a row of the last sweep, to compare others with.
    pub(super) fn keep_row(&mut self, sweep: usize, row: usize) {
        let Some(item) = self.subject().cloned() else { return };
        let slot = (self.current, item);
        let report = self.forms.get(&slot).and_then(|form| form.sweep.clone());
        let found = report.as_ref().and_then(|report| report.sweeps.get(sweep)?.rows.get(row));
        let Some(row) = found.cloned() else {
            return self.tell(Role::Faint, "the sweep that this row is of is gone; W measures it again");
        };
        let pin = Pin { row, edit: self.version().version };
        let name = pin.name();
        let pins = self.pins.entry(slot).or_default();
        if pins.contains(&pin) {
            return self.tell(Role::Faint, format!("{name} is kept already, below the sweeps"));
        }
        pins.push(pin);
        let text = match pins.len() {
            1 => format!("{name} is kept; rows that are kept after it are compared with it"),
            _ => format!("{name} is kept, below the sweeps"),
        };
        self.details_epoch += 1;
        self.tell(Role::Added, text);
    }

    /// Lets go of a row that is kept.
    pub(super) fn let_go(&mut self, n: usize) {
        let Some(item) = self.subject().cloned() else { return };
        let Some(pins) = self.pins.get_mut(&(self.current, item)).filter(|pins| n < pins.len()) else { return };
        let name = pins.remove(n).name();
        self.details_epoch += 1;
        self.tell(Role::Faint, format!("{name} is kept no longer"));
    }

    /// Returns the lines of the rows of the kernel that are kept.
    pub(super) fn kept_rows(&self) -> Vec<Line> {
        let pins = self.subject().and_then(|item| self.pins.get(&(self.current, item.clone())));
        pins.map_or_else(Vec::new, |pins| sweeps::kept(pins))
    }
}
