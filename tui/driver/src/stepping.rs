//! A run of a kernel at a stage that is looked at op by op and lane by lane: for the debug adapter, and for the explorer.
//!
//! - [`places`]: the lines of the source and of the stage that ops came from
//! - [`moving`]: steps of each size, in both directions
//! - [`visits`]: visits of a run to lines, for breakpoints
//! - [`breakpoints`]: places to stop at, with conditions and numbers of hits
//! - [`expressions`]: expressions over variables in scope, for conditions, hovers and watches
//! - `branches`: the lanes that take a branch or stay in a loop
//! - [`grid`]: the values of the lanes, and which lanes are active
//! - [`strips`]: the cells that the next op touches, and how they lie
//! - [`looking`]: all that is to be seen where a run stands, as data
//!
//! A [`Stepper`] moves a run and tells where it arrived. Nothing here decides about kernels: the interpreter is asked.

mod branches;
pub mod breakpoints;
pub mod expressions;
pub mod grid;
pub mod looking;
pub mod moving;
pub mod places;
pub mod strips;
pub mod visits;

use std::collections::BTreeSet;
use std::sync::Arc;

use queries::db::Item;
use queries::run::Argument;
use queries::stages::{Options, Stage};
use queries::stepping::{self, Cell, Halt, Peek, Reg, Stepping};
use report::TextRange;

use crate::document::Document;
use crate::machine_code;
pub use branches::BranchFlow;
pub use breakpoints::{StopTerms, Stops};

use branches::BranchCounts;
use breakpoints::{Breakpoints, StopHit, StopPlace};
use looking::LanesView;
use moving::{Goal, Position, back_by_group, back_by_line, group_of, has_left, to_start_of_line};
use places::Places;

/// A run that stands at some op.
pub struct Stepper {
    stepping: Stepping,
    places: Places,
    /// The names that values have in the source.
    source_names: BTreeSet<Arc<str>>,
    /// The number of calls that nobody has stepped into yet, innermost first.
    n_hidden: usize,
    branches: BranchCounts,
    breakpoints: Breakpoints,
    /// True once the run has come to its end.
    was_over: bool,
}

/// A movement of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Movement {
    /// To the next op.
    OpOn,
    /// To the op before.
    OpBack,
    /// To the next line of the source.
    LineOn,
    /// To the line before.
    LineBack,
    /// To the next group of lanes; of loops that run in order, to the next iteration.
    GroupOn,
    /// To the start of the group, or of the one before.
    GroupBack,
    /// To the next breakpoint, or the end.
    RunOn,
    /// To the breakpoint before, or the start.
    RunBack,
    /// To where some lanes are active and others are not, or a breakpoint.
    ToDivergence,
    /// Back to where that was last.
    BackToDivergence,
    /// To the start.
    ToStart,
    /// To the end, past all breakpoints.
    ToEnd,
    /// On until so many steps are made since the start, past all breakpoints.
    ToStep(u64),
}

/// The end of a movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// The place that was asked for.
    There,
    /// A breakpoint.
    Breakpoint,
    /// Some lanes are active, and others are not.
    Diverged,
    /// The end of the run, or an error of the program.
    Over,
    /// The start of the run.
    Start,
    /// A place before which nothing is remembered, because the run is long.
    Forgotten,
    /// The movement was interrupted on its way.
    Interrupted,
}

/// A run that is stepped through, of whatever language.
pub trait SteppedRun {
    /// Moves the run. `interrupted` is asked now and then, and ends the movement where it is.
    fn go(&mut self, movement: Movement, stops: &Stops, interrupted: &mut dyn FnMut() -> bool) -> Arrival;
    /// Looks at the run where it stands.
    fn look(&mut self) -> LanesView;
    /// Returns a breakpoint's condition that had no value wherever the run came to it, with its place and why.
    fn unasked_condition(&self) -> Option<String>;
}

impl SteppedRun for Stepper {
    fn go(&mut self, movement: Movement, stops: &Stops, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        Stepper::go(self, movement, stops, interrupted)
    }

    fn look(&mut self) -> LanesView {
        Stepper::look(self)
    }

    fn unasked_condition(&self) -> Option<String> {
        Stepper::unasked_condition(self)
    }
}

impl Stepper {
    /// Starts a run, before its first op; else says why there is none.
    pub fn start(
        document: &Document,
        item: Item<'_>,
        stage: &Stage,
        options: Options,
        arguments: &[Argument],
    ) -> Result<Stepper, String> {
        if let Some(error) = machine_code::errors(document, &[item]).first() {
            return Err(error.message.clone());
        }
        let stepping = stepping::start(document.db(), item, stage, options, arguments);
        let stepping = stepping.map_err(|why| why.to_string())?;
        let places = Places::of(document, item, stepping.kernel());
        let source_names = stepping::source_names(document.db(), item);
        let mut branches = BranchCounts::of(stepping.kernel());
        let explained = ide::explain::explain_item(document.db(), item);
        let known = explained.map(|known| known.branches).unwrap_or_default();
        let flows = known.into_iter().map(|branch| flow_of(document, branch.range, branch.text)).collect();
        branches.watch(stepping.kernel(), &places, flows);
        Ok(Stepper {
            stepping,
            places,
            source_names,
            n_hidden: 0,
            branches,
            breakpoints: Breakpoints::default(),
            was_over: false,
        })
    }

    /// Moves the run. `interrupted` is asked now and then, and ends the movement where it is.
    pub fn go(&mut self, movement: Movement, stops: &Stops, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        // A line from which nothing came stands for the next one from which something did.
        let lines =
            stops.lines.iter().filter_map(|(line, terms)| Some((self.places.next_reached(*line)?, terms.clone())));
        self.breakpoints.set(&Stops { lines: lines.collect(), text_lines: stops.text_lines.clone() });
        let arrival = match movement {
            Movement::OpBack => {
                self.n_hidden = 0;
                let halt = self.stepping.back(&mut |_| true, &mut || false);
                self.arrival(halt)
            }
            Movement::LineBack => {
                let from = Position::of(&self.stepping, &self.places, self.n_hidden);
                let (halt, n_hidden) = back_by_line(&mut self.stepping, &self.places, from);
                self.n_hidden = n_hidden;
                self.arrival(halt)
            }
            Movement::GroupBack => {
                self.n_hidden = 0;
                let halt = back_by_group(&mut self.stepping);
                self.arrival(halt)
            }
            Movement::RunBack => self.run_back(interrupted),
            Movement::BackToDivergence => self.back_to_divergence(interrupted),
            Movement::ToStart => {
                self.stepping.restart();
                self.breakpoints.start();
                self.n_hidden = 0;
                Arrival::Start
            }
            Movement::OpOn
            | Movement::LineOn
            | Movement::GroupOn
            | Movement::RunOn
            | Movement::ToDivergence
            | Movement::ToEnd
            | Movement::ToStep(_) => self.forward(movement, interrupted),
        };
        self.was_over |= arrival == Arrival::Over;
        arrival
    }

    fn forward(&mut self, movement: Movement, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let Stepper { stepping, places, n_hidden, branches, breakpoints, .. } = self;
        let line = Goal::Line(Position::of(stepping, places, *n_hidden));
        let group = group_of(stepping);
        let mut was_partial = is_partial(stepping);
        breakpoints.leave(stepping, places);
        let heeds_breakpoints = !matches!(movement, Movement::OpOn | Movement::ToEnd | Movement::ToStep(_));
        let mut arrival = Arrival::There;
        *n_hidden = 0;
        let mut is_there = |stepping: &mut Stepping| {
            branches.count(stepping);
            if let Some(hit) = breakpoints.hit(stepping, places, false).filter(|_| heeds_breakpoints) {
                (arrival, *n_hidden) = (Arrival::Breakpoint, hit.n_inside);
                return true;
            }
            match movement {
                Movement::OpOn => true,
                Movement::ToStep(n_steps) => stepping.n_steps() >= n_steps,
                Movement::LineOn => match line.reached(stepping, places) {
                    Some(n) => {
                        *n_hidden = n;
                        true
                    }
                    None => false,
                },
                Movement::GroupOn => has_left(stepping, &group),
                Movement::ToDivergence => {
                    let is_partial = is_partial(stepping);
                    let diverges = stepping.has_diverged() || (is_partial && !was_partial);
                    was_partial = is_partial;
                    if diverges {
                        arrival = Arrival::Diverged;
                    }
                    diverges
                }
                _ => false,
            }
        };
        match stepping.forward(&mut is_there, interrupted) {
            Halt::Reached => arrival,
            halt => {
                self.stand_at_op(halt);
                self.arrival(halt)
            }
        }
    }

    /// Goes on to the next op where a movement was interrupted at the end of a block, where nothing is to be seen.
    fn stand_at_op(&mut self, halt: Halt) {
        if halt == Halt::Interrupted && self.stepping.next_op().is_none() {
            self.stepping.forward(&mut |_| true, &mut || false);
        }
    }

    fn run_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let Stepper { stepping, places, n_hidden, breakpoints, .. } = self;
        breakpoints.leave(stepping, places);
        let mut hit = None;
        *n_hidden = 0;
        let mut is_there = |stepping: &mut Stepping| {
            hit = breakpoints.hit(stepping, places, true);
            hit.is_some()
        };
        let halt = stepping.back(&mut is_there, interrupted);
        let Some(StopHit { place, n_inside }) = hit else {
            self.stand_at_op(halt);
            return self.arrival(halt);
        };
        if matches!(place, StopPlace::Line(_)) {
            (_, *n_hidden) = to_start_of_line(stepping, places, n_inside);
        }
        Arrival::Breakpoint
    }

    /// Goes back to the last place before this one to which [`Movement::ToDivergence`] would have come.
    fn back_to_divergence(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        self.n_hidden = 0;
        let stepping = &mut self.stepping;
        // Whether a place is one is known at the op before it: there it is seen what that op makes, and which lanes run.
        let halt = stepping.back(&mut |_| true, &mut || false);
        if halt != Halt::Reached {
            return self.arrival(halt);
        }
        let mut later_is_partial = is_partial(stepping);
        let mut is_before_one = |stepping: &mut Stepping| {
            let is_here = is_partial(stepping);
            let parts = std::mem::replace(&mut later_is_partial, is_here) && !is_here;
            parts || stepping.peek().is_some_and(|peek| is_mixed(&peek))
        };
        match stepping.back(&mut is_before_one, interrupted) {
            Halt::Reached => {
                stepping.forward(&mut |_| true, &mut || false);
                Arrival::Diverged
            }
            halt => {
                self.stand_at_op(halt);
                self.arrival(halt)
            }
        }
    }

    fn arrival(&self, halt: Halt) -> Arrival {
        match halt {
            Halt::Reached => Arrival::There,
            Halt::Over => Arrival::Over,
            Halt::Start if self.stepping.n_steps() == 0 => Arrival::Start,
            Halt::Start => Arrival::Forgotten,
            Halt::Interrupted => Arrival::Interrupted,
        }
    }

    /// Returns a breakpoint's condition that had no value wherever the run came to it, with its place and why.
    pub fn unasked_condition(&self) -> Option<String> {
        self.breakpoints.trouble().map(|(place, why)| never_asked(place, &why))
    }

    /// Returns the run itself.
    pub fn stepping(&self) -> &Stepping {
        &self.stepping
    }

    /// Returns the places of its ops.
    pub fn places(&self) -> &Places {
        &self.places
    }
}

/// The sentence about a condition that had no value wherever a run came to it.
pub(crate) fn never_asked(place: StopPlace, why: &str) -> String {
    match place {
        StopPlace::Line(line) => format!("the condition in line {} was never asked: {why}", line + 1),
        StopPlace::TextLine(line) => format!("the condition in line {} of the stage was never asked: {why}", line + 1),
    }
}

/// Returns true if an op is about to make a condition that holds in some lanes and not in others.
fn is_mixed(peek: &Peek) -> bool {
    let holds = |wanted: bool| move |cell: &Cell| *cell == Cell::Data(queries::run::Scalar::Bool(wanted));
    peek.made.iter().any(|(_, made)| match made {
        Reg::Lanes(cells) => cells.iter().any(holds(true)) && cells.iter().any(holds(false)),
        Reg::Empty | Reg::One(_) => false,
    })
}

/// A branch before anything came to it.
fn flow_of(document: &Document, range: TextRange, text: String) -> BranchFlow {
    let line = document.lines().line(range.start());
    let start = usize::from(document.lines().line_range(line).start());
    let indent = document.text[start..].bytes().take_while(|byte| *byte == b' ').count();
    BranchFlow { range, line, indent, text, n_came: 0, n_held: 0, last: None }
}

/// Returns true if some lanes run here and others do not.
fn is_partial(stepping: &Stepping) -> bool {
    stepping.running_lanes().is_some_and(|lanes| lanes.contains(&false))
}

#[cfg(test)]
mod tests;
