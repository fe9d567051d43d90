//! The run that is stepped through: its start, which follows from what is shown, its movements, which keys ask for, and the marks
//! at the op that comes next.

use std::collections::BTreeMap;
use std::sync::Arc;

use driver::stepping::looking::{LanesView, RunEnd};
use driver::stepping::{Arrival, Movement, StopTerms};
use driver::words::count;
use report::{ItemKind, TextRange, TextSize};

use super::{State, Topic};
use crate::event::Effect;
use crate::lanes::page::page;
use crate::lanes::{LanesAsk, LanesKey, Stepped};
use crate::layout::Pane;
use crate::page::{Change, Line, Page, Role};
use crate::page_view::{GUTTER, lines_within, lit_lines};
use crate::questions::Which;

/// The run that is stepped through, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct LaneRun {
    /// Identity of the run that was asked for.
    pub(super) key: Option<LanesKey>,
    /// Numbers of the request that started it, and of the last one.
    since: u64,
    last: u64,
    /// True until the last request is answered.
    pub is_pending: bool,
    /// The last movement.
    movement: Option<Movement>,
    /// Number of steps that the movement in progress has made, if it takes long.
    n_moved: Option<u64>,
    seen: Seen,
    /// True if the run has moved since the panes were scrolled to its op.
    has_moved: bool,
    /// Largest number of rows that the page of this run had, so that the pane does not change its size with each step.
    pub n_rows: usize,
    /// Lines of a stage's text with breakpoints, and what they are of.
    pub(super) text_stops: Option<(LanesKey, BTreeMap<usize, StopTerms>)>,
}

/// What is known of a run.
#[derive(Debug, Clone, Default)]
enum Seen {
    #[default]
    Nothing,
    Refused(String),
    At(Arc<LanesView>),
}

impl LaneRun {
    /// Returns the sight of the run, if there is one.
    pub fn view(&self) -> Option<&Arc<LanesView>> {
        match &self.seen {
            Seen::At(view) => Some(view),
            Seen::Nothing | Seen::Refused(_) => None,
        }
    }
}

impl State {
    /// Returns true if the lanes are shown, or would be if the details had room.
    pub fn shows_lanes(&self) -> bool {
        self.settings.details && self.topic == Topic::Lanes
    }

    /// Returns the run that the shown stage and data ask for, if they can be run.
    pub(super) fn wanted_run(&self) -> Option<LanesKey> {
        let can_run = self.stage_shown().runs;
        let item = self.subject().filter(|item| item.kind == ItemKind::Kernel && can_run)?;
        let form = self.forms.get(&(self.current, item.clone()))?;
        Some(LanesKey {
            of: self.version(),
            item: item.clone(),
            stage: self.shown_stage(),
            options: self.settings.goal.options,
            arguments: form.arguments(),
            headers: self.settings.headers.clone(),
        })
    }

    /// Starts the run that is asked for, unless it is the present one; returns true if it did. While the text is typed, the run
    /// of the earlier text stays.
    pub(super) fn start_lanes(&mut self, effects: &mut Vec<Effect>) -> bool {
        if !self.shows_lanes() || self.editing {
            return false;
        }
        let Some(key) = self.wanted_run().filter(|key| self.lanes.key.as_ref() != Some(key)) else { return false };
        let file = self.file();
        let ask = LanesAsk::Start(file.name.clone(), file.buffer.text().into(), key.clone());
        let LaneRun { last, text_stops, .. } = std::mem::take(&mut self.lanes);
        self.lanes = LaneRun { key: Some(key), since: last + 1, last, text_stops, ..LaneRun::default() };
        self.ask_lanes(ask, effects);
        true
    }

    fn ask_lanes(&mut self, ask: LanesAsk, effects: &mut Vec<Effect>) {
        self.lanes.last += 1;
        self.lanes.is_pending = true;
        self.lanes.n_moved = None;
        self.waited = 0;
        self.details_epoch += 1;
        effects.push(Effect::Lanes(self.lanes.last, ask));
    }

    /// Moves the run; where the lanes are not shown, shows them.
    pub(super) fn step(&mut self, movement: Movement, effects: &mut Vec<Effect>) {
        let was_shown = self.shows_lanes();
        if !was_shown {
            self.show_topic(Topic::Lanes);
        }
        let is_current = self.lanes.key.is_some() && self.wanted_run() == self.lanes.key;
        if !is_current {
            return match was_shown {
                true if self.waits() => self.tell(Role::Faint, "the run is being started; try again in a moment"),
                true => self.tell(Role::Faint, "there is no run to step through; the details say why"),
                false => self.tell(Role::Faint, "the run stands at its start; the same key moves it"),
            };
        }
        let is_back = matches!(
            movement,
            Movement::OpBack
                | Movement::LineBack
                | Movement::GroupBack
                | Movement::RunBack
                | Movement::BackToDivergence
                | Movement::ToStart
        );
        let refusal = match self.lanes.view() {
            None if self.lanes.is_pending => None,
            None => Some("there is no run to step through; the details say why"),
            Some(_) if self.lanes.is_pending => None,
            Some(view) if is_back && view.n_steps == 0 => Some("this is the start of the run"),
            Some(view) if !is_back && view.end.is_some() => Some("the run is over; ( { P Z and ^ lead back into it"),
            Some(_) => None,
        };
        if let Some(why) = refusal {
            return self.tell(Role::Faint, why);
        }
        self.lanes.movement = Some(movement);
        let stops = self.stops();
        self.ask_lanes(LanesAsk::Go(movement, stops), effects);
    }

    /// Ends a movement that takes long, and returns true if there is one.
    pub(super) fn halt_lanes(&mut self, effects: &mut Vec<Effect>) -> bool {
        let moves = self.lanes.is_pending && self.lanes.movement.is_some();
        if moves {
            self.lanes.movement = None;
            self.ask_lanes(LanesAsk::Halt, effects);
        }
        moves
    }

    /// Returns the item whose run stands at a place of the source, in a function that it calls.
    pub(super) fn stepped_at(&self, at: TextSize) -> Option<&Which> {
        let key = self.lanes.key.as_ref().filter(|key| self.shows_lanes() && key.of == self.version())?;
        let op = self.lanes.view()?.op.as_ref().filter(|op| op.function.is_some())?;
        op.range.is_some_and(|range| range.start() == at).then_some(&key.item)
    }

    /// Accepts an answer about the present run.
    pub(super) fn hear_lanes(&mut self, number: u64, stepped: Stepped) {
        if number < self.lanes.since || self.lanes.key.is_none() {
            return;
        }
        self.details_epoch += 1;
        let is_last = number == self.lanes.last;
        match stepped {
            Stepped::Moving(n_steps) => self.lanes.n_moved = is_last.then_some(n_steps),
            Stepped::Refused(why) => {
                self.lanes.seen = Seen::Refused(why);
                self.lanes_to = None;
                self.lanes.is_pending &= !is_last;
            }
            Stepped::At { view, arrival, is_spent, unasked } => {
                self.lanes.is_pending &= !is_last;
                self.lanes.has_moved = true;
                if is_last {
                    self.tell_arrival(&view, arrival, is_spent);
                    if let Some(why) = unasked.filter(|_| matches!(arrival, Arrival::Over)) {
                        self.tell(Role::Warning, why);
                    }
                }
                self.go_to_op(&view);
                self.lanes.seen = Seen::At(view);
            }
        }
    }

    fn tell_arrival(&mut self, view: &LanesView, arrival: Arrival, is_spent: bool) {
        let grid = &view.grid;
        let n_on = (0..grid.n_lanes).filter(|lane| grid.is_on(*lane)).count();
        match (arrival, self.lanes.movement.take()) {
            (Arrival::Interrupted, _) if is_spent => {
                self.tell(Role::Warning, "very many steps were made, and the run is not over; the same key goes on");
            }
            (Arrival::Interrupted, _) => self.tell(Role::Faint, "the run was stopped here"),
            (Arrival::Breakpoint, _) => self.tell(Role::Note, "a breakpoint"),
            (Arrival::Diverged, _) if n_on < grid.n_lanes => {
                self.tell(Role::Note, format!("the lanes part here: {n_on} of {} are active", grid.n_lanes));
            }
            (Arrival::Diverged, _) => {
                self.tell(Role::Note, "the lanes part here: a condition holds in some and not in others");
            }
            (Arrival::Over, Some(Movement::ToDivergence)) => {
                self.tell(Role::Faint, "the lanes did not part on the way to the end");
            }
            (Arrival::Start, Some(Movement::BackToDivergence)) => {
                self.tell(Role::Faint, "the lanes did not part before; this is the start of the run");
            }
            (Arrival::Forgotten, _) => {
                self.tell(Role::Warning, "of this long run no earlier step is remembered; ^ goes back to its start");
            }
            (Arrival::There | Arrival::Over | Arrival::Start, _) => {}
        }
        if let Some(RunEnd::Failed(why)) = &view.end {
            self.tell(Role::Error, why.clone());
        }
    }

    /// Moves the cursor of the source to the op at hand.
    fn go_to_op(&mut self, view: &LanesView) {
        let is_of_text = self.lanes.key.as_ref().is_some_and(|key| key.of == self.version());
        let Some(range) = view.op.as_ref().and_then(|op| op.range).filter(|_| is_of_text && !self.editing) else {
            return;
        };
        let file = self.file_mut();
        file.buffer.go(range.start().into(), false);
        let line = file.buffer.cursor_line();
        file.reveal(line);
    }

    /// Returns the page of the lanes.
    pub(super) fn lanes_page(&self) -> Page {
        let stage = self.stage_shown();
        let Some(item) = self.subject() else {
            return self.no_subject();
        };
        if item.kind != ItemKind::Kernel {
            return self.no_kernel(item);
        }
        if !stage.runs {
            let name = stage.name;
            return Page::notice(format!(
                "The stage {name} is there to be read, and nothing runs it; . , and s go to others."
            ));
        }
        if !self.forms.contains_key(&(self.current, item.clone())) {
            let text = if self.waits() {
                "The text is being analysed.".to_owned()
            } else {
                format!("{} has errors and cannot be run; e lists them.", item.name)
            };
            return Page::notice(text);
        }
        let columns = usize::from(self.body(Pane::Details).w).saturating_sub(GUTTER);
        let mut page = match &self.lanes.seen {
            Seen::Nothing => Page::notice("The run is being started."),
            Seen::Refused(why) => Page::prose(vec![Line::of(Role::Error, "not run: ").and(Role::Text, why.clone())]),
            Seen::At(view) => page(view, columns),
        };
        if let Some(n_steps) = self.lanes.n_moved {
            let n_steps = count(usize::try_from(n_steps).unwrap_or(usize::MAX), "step");
            page.lines.insert(0, Line::of(Role::Note, format!("running: {n_steps} … (esc stops)")));
        }
        if self.lanes.key.as_ref().is_some_and(|key| key.of != self.version()) {
            let text = "The text has changed since; the run starts anew when its editing ends.";
            page.lines.insert(0, Line::of(Role::Warning, text));
        }
        page
    }

    /// Scrolls the stage to the op at hand, and the assembly to what it became if that has the keys. Called before and after
    /// the highlights are updated: before, since they follow from the cursor; after, since they scroll the stage, too.
    pub(super) fn follow_op(&mut self, is_settled: bool) {
        if !self.lanes.has_moved || !self.shows_lanes() {
            return;
        }
        let range = self.lanes.view().and_then(|view| view.op.as_ref()?.range);
        let op_line = self.op_line();
        if !is_settled && matches!(self.focus, Pane::Assembly | Pane::Beside) {
            let lines = range.map(|range| self.lines_from(self.focus, range)).unwrap_or_default();
            let height = self.body(self.focus).h;
            if let Some(view) = self.page_view_mut(self.focus) {
                view.reveal(&lines, height);
            }
        }
        if let Some(line) = op_line.filter(|_| is_settled || self.focus == Pane::Stage) {
            let height = self.body(Pane::Stage).h;
            self.stage_pane.reveal(&[line], height);
        }
        if is_settled {
            // An op without a line is none that the stage could be scrolled to later.
            let has_line =
                self.lanes.view().is_some_and(|view| view.op.as_ref().is_some_and(|op| op.text_line.is_some()));
            self.lanes.has_moved = has_line && op_line.is_none();
        }
    }

    /// Returns the lines of a page that come from a range of the source.
    fn lines_from(&self, pane: Pane, range: TextRange) -> Vec<usize> {
        let Some(view) = self.page_view(pane) else { return Vec::new() };
        let within = lines_within(view.page(), range, false);
        if within.is_empty() { lit_lines(view.page(), range, |range| self.file().lines_of(range)) } else { within }
    }

    /// Returns true if the stage pane shows the program of a run.
    pub(super) fn shows_program_of(&self, key: &LanesKey) -> bool {
        self.stage_kept.is_none()
            && self.shown_stage.as_ref().is_some_and(|shown| {
                (shown.of, &shown.item, shown.stage, shown.options) == (key.of, &key.item, key.stage, key.options)
            })
    }

    /// Returns the lines of the stage's page that are lines of the program, in order.
    pub(super) fn program_lines(&self) -> impl Iterator<Item = usize> {
        let lines = self.stage_pane.page().lines.iter().enumerate().skip(self.stage_view.n_missing);
        lines.filter(|(_, line)| line.change != Change::Removed).map(|(n, _)| n)
    }

    /// Returns the line of the stage's page that has the op at hand.
    pub fn op_line(&self) -> Option<usize> {
        let key = self.lanes.key.as_ref().filter(|key| self.shows_lanes() && self.shows_program_of(key))?;
        let line = self.lanes.view().filter(|_| key.of == self.version())?.op.as_ref()?.text_line?;
        self.program_lines().nth(line)
    }

    /// Returns the line of the source that has the op at hand.
    pub fn op_line_of_source(&self) -> Option<usize> {
        let key = self.lanes.key.as_ref().filter(|key| self.shows_lanes() && key.of == self.version())?;
        let range = self.lanes.view().filter(|_| key.of.file == self.current)?.op.as_ref()?.range?;
        Some(self.file().lines_of(range).0)
    }
}
