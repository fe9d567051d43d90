//! A run of a function of an ISPC file that is looked at op by op and lane by lane, as [`crate::stepping`] does it for kernels.
//!
//! - `history`: the run, which goes on op by op, and comes back to each place where it was
//! - `places`: the lines of the source and of the text that ops came from
//! - `breakpoints`: places to stop at
//! - `counting`: the lanes that were on, and those that took branches
//! - `looking`: what is to be seen where the run stands
//!
//! A machine can only go on. Copies of it are kept now and then, and a step back is a run from the last copy in front: runs of one
//! program on one set of data are all alike.

mod breakpoints;
mod counting;
mod history;
mod looking;
mod places;

use ispc_ir::machine::GangFault;
use queries::run::Argument;
use queries::stepping::Halt;

use crate::ispc_running::{self, BegunRun, LoweredUnit};
use crate::stepping::looking::LanesView;
use crate::stepping::{Arrival, Movement, SteppedRun, Stops, never_asked};

use breakpoints::StopBook;
use counting::LaneCounts;
use history::{RunHistory, RunState};
use places::{RunPlaces, RunPosition};

/// Runs a function on described data and hands the run, before its first op, to who steps through it; else says why there is none.
/// `text` is that of the function's file.
pub fn stepped<T>(
    lowered: &LoweredUnit,
    text: &str,
    name: &str,
    given: &[Argument],
    serve: impl FnOnce(&mut dyn SteppedRun) -> T,
) -> Result<T, String> {
    let in_words = |fault: GangFault| ispc_running::failure(&fault).message;
    let mut begun = ispc_running::begin(lowered, name, given, u64::MAX)?.map_err(in_words)?;
    begun.machine.begin(begun.entry.function, &begun.args).map_err(in_words)?;
    let places = RunPlaces::of(&lowered.module, text);
    let history = RunHistory::new(RunState::new(begun.machine.clone(), &places));
    let counts = LaneCounts::of(&lowered.module, &places);
    let stepper = &mut IspcStepper { begun, places, history, counts, book: StopBook::default(), was_over: false };
    Ok(serve(stepper))
}

/// A run that stands at some op.
struct IspcStepper<'l> {
    /// The function and its arrays. The run itself is in the history.
    begun: BegunRun<'l>,
    places: RunPlaces<'l>,
    history: RunHistory<'l>,
    counts: LaneCounts<'l>,
    book: StopBook,
    /// True once the run has come to its end.
    was_over: bool,
}

impl SteppedRun for IspcStepper<'_> {
    fn go(&mut self, movement: Movement, stops: &Stops, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        self.book.set(stops, &self.places);
        let arrival = match movement {
            Movement::OpBack => self.back(&mut |_| true, interrupted),
            Movement::LineBack => self.line_back(interrupted),
            Movement::GroupBack => self.group_back(interrupted),
            Movement::RunBack => self.run_back(interrupted),
            Movement::BackToDivergence => self.back_to_divergence(interrupted),
            Movement::ToStart => {
                self.book.start();
                self.history.go_to(0, &self.places);
                Arrival::Start
            }
            _ => self.forward(movement, interrupted),
        };
        self.was_over |= arrival == Arrival::Over;
        arrival
    }

    fn look(&mut self) -> LanesView {
        self.view()
    }

    fn unasked_condition(&self) -> Option<String> {
        self.book.trouble().map(|(place, why)| never_asked(place, &why))
    }
}

impl IspcStepper<'_> {
    fn forward(&mut self, movement: Movement, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let IspcStepper { begun, places, history, counts, book, .. } = self;
        let from = history.now.position(places);
        let group = history.now.group();
        let heeds_breakpoints = !matches!(movement, Movement::OpOn | Movement::ToEnd | Movement::ToStep(_));
        let mut arrival = Arrival::There;
        counts.observe(&history.now);
        let mut is_there = |now: &RunState<'_>| {
            if heeds_breakpoints && book.hit(now, places, &begun.arrays, false).is_some() {
                arrival = Arrival::Breakpoint;
                return true;
            }
            match movement {
                Movement::OpOn => true,
                Movement::ToStep(n_steps) => now.n_steps >= n_steps,
                Movement::LineOn => now.position(places).is_some_and(|here| here.follows(from.as_ref())),
                Movement::GroupOn => now.has_left(&group),
                Movement::ToDivergence if now.parts_here => {
                    arrival = Arrival::Diverged;
                    true
                }
                _ => false,
            }
        };
        let halt = history.forward(places, counts, &mut is_there, interrupted);
        if halt == Halt::Reached { arrival } else { arrived(halt) }
    }

    /// Goes back to the last place in front of this one for which something holds.
    fn back(&mut self, is_it: &mut dyn FnMut(&RunState<'_>) -> bool, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        arrived(self.history.back(&self.places, is_it, interrupted))
    }

    /// Goes back to the first op of the line in front, of the same function or a caller.
    fn line_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let IspcStepper { places, history, .. } = self;
        let from = history.now.position(places);
        let mut line = None;
        let mut is_other = |now: &RunState<'_>| {
            let Some(here) = now.position(places).filter(|here| here.follows(from.as_ref())) else { return false };
            line = Some(here);
            true
        };
        match history.back(places, &mut is_other, interrupted) {
            Halt::Reached => self.start_of_line(line, interrupted),
            halt => arrived(halt),
        }
    }

    /// Goes back to the first op of a line that the run stands in.
    fn start_of_line(&mut self, line: Option<RunPosition>, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let IspcStepper { places, history, .. } = self;
        let is_in_front = |now: &RunState<'_>| now.position(places).is_some_and(|here| here.follows(line.as_ref()));
        match history.back(places, &mut |now| is_in_front(now), interrupted) {
            Halt::Reached | Halt::Start => {
                if history.now.position(places) != line {
                    history.on(places, &mut |now| now.position(places) == line);
                }
                Arrival::There
            }
            halt => arrived(halt),
        }
    }

    fn group_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        if self.history.back(&self.places, &mut |_| true, interrupted) != Halt::Reached {
            return Arrival::Start;
        }
        let group = self.history.now.group();
        match self.history.back(&self.places, &mut |now| now.has_left(&group), interrupted) {
            // The op in front of the group was reached; the next one is the first of the group.
            Halt::Reached => {
                self.history.on(&self.places, &mut |_| true);
                Arrival::There
            }
            halt => arrived(halt),
        }
    }

    fn run_back(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        let IspcStepper { begun, places, history, book, .. } = self;
        let mut is_hit = |now: &RunState<'_>| book.hit(now, places, &begun.arrays, true).is_some();
        match history.back(places, &mut is_hit, interrupted) {
            Halt::Reached => Arrival::Breakpoint,
            halt => arrived(halt),
        }
    }

    /// Goes back to the last place in front of this one to which [`Movement::ToDivergence`] would have come.
    fn back_to_divergence(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Arrival {
        match self.history.back(&self.places, &mut |now| now.parts_here, interrupted) {
            Halt::Reached => Arrival::Diverged,
            halt => arrived(halt),
        }
    }
}

fn arrived(halt: Halt) -> Arrival {
    match halt {
        Halt::Reached => Arrival::There,
        Halt::Over => Arrival::Over,
        Halt::Start => Arrival::Start,
        Halt::Interrupted => Arrival::Interrupted,
    }
}

#[cfg(test)]
mod tests;
