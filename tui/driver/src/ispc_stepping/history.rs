//! A run that goes on op by op, and comes back to each place where it was.

use ispc_ir::machine::{CallFrame, GangFault, GangMachine};
use ispc_ir::module::GangInst;
use queries::stepping::Halt;

use super::counting::LaneCounts;
use super::places::{RunPlaces, RunPosition};

/// The most copies of the machine that are kept. When there are so many, every second one goes, and the next ones are twice as far apart.
const MOST_KEPT: usize = 48;

/// The number of steps between two copies, at first.
const FIRST_INTERVAL: u64 = 256;

/// The number of steps between two questions whether a movement is interrupted.
const POLL: u64 = 4096;

/// A place of a run.
#[derive(Clone)]
pub(super) struct RunState<'l> {
    pub(super) machine: GangMachine<'l>,
    /// The number of steps that led here.
    pub(super) n_steps: u64,
    /// The fault of the last step, and the op.
    pub(super) fault: Option<(GangFault, Option<&'l GangInst>)>,
    /// For each call that runs, the line that it was seen on last.
    visits: Vec<Option<RunPosition>>,
    /// True if the run has just come to the line on which it stands, or in another round.
    pub(super) is_new_visit: bool,
    /// True if some lanes are on and others are not, and all were one step before.
    pub(super) parts_here: bool,
}

impl<'l> RunState<'l> {
    pub(super) fn new(machine: GangMachine<'l>, places: &RunPlaces<'l>) -> RunState<'l> {
        let visits = Vec::new();
        let mut state = RunState { machine, n_steps: 0, fault: None, visits, is_new_visit: false, parts_here: false };
        state.arrive(places);
        state
    }

    /// The innermost call; none where the run is over.
    pub(super) fn frame(&self) -> Option<&CallFrame<'l>> {
        self.machine.calls().last()
    }

    /// The op that comes next.
    pub(super) fn next_op(&self) -> Option<&'l GangInst> {
        self.frame().filter(|_| self.fault.is_none())?.next_op()
    }

    pub(super) fn is_over(&self) -> bool {
        self.next_op().is_none()
    }

    /// The lanes of the gang, all on.
    pub(super) fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.machine.module().lanes.clamp(1, 64))
    }

    /// Returns true if some lanes are on here and others are not.
    pub(super) fn is_partial(&self) -> bool {
        self.frame().is_some_and(|frame| frame.lanes_on() != self.all_lanes())
    }

    /// The place as steps by lines see it; none for an op that came from no line of the file.
    pub(super) fn position(&self, places: &RunPlaces<'l>) -> Option<RunPosition> {
        let (frame, op) = (self.frame()?, self.next_op()?);
        Some(RunPosition { n_calls: self.machine.calls().len(), line: places.line(op)?, rounds: frame.rounds() })
    }

    /// The number of calls, and the rounds of the loops around in the innermost one: what runs together.
    pub(super) fn group(&self) -> (usize, Vec<u64>) {
        (self.machine.calls().len(), self.frame().map(CallFrame::rounds).unwrap_or_default())
    }

    /// Returns true if this is outside of a group. A loop within the group, and a function that is called there, belong to it.
    pub(super) fn has_left(&self, (n_calls, rounds): &(usize, Vec<u64>)) -> bool {
        let calls = self.machine.calls();
        let Some(frame) = n_calls.checked_sub(1).and_then(|nth| calls.get(nth)) else { return true };
        let here = frame.rounds();
        // Outside of loops, the group ends where a loop of the function begins.
        if rounds.is_empty() { calls.len() == *n_calls && !here.is_empty() } else { !here.starts_with(rounds) }
    }

    /// Makes a step. Returns false at the end of the run.
    fn step(&mut self, places: &RunPlaces<'l>) -> bool {
        let Some(op) = self.next_op() else { return false };
        let was_partial = self.is_partial();
        self.n_steps += 1;
        if let Err(fault) = self.machine.step() {
            self.fault = Some((fault, Some(op)));
        }
        self.arrive(places);
        self.parts_here = self.is_partial() && !was_partial;
        true
    }

    fn arrive(&mut self, places: &RunPlaces<'l>) {
        self.visits.resize(self.machine.calls().len(), None);
        let here = self.position(places);
        self.is_new_visit = false;
        if let (Some(last), true) = (self.visits.last_mut(), here.is_some()) {
            self.is_new_visit = *last != here;
            *last = here;
        }
    }
}

/// A run with the places that it can come back to.
pub(super) struct RunHistory<'l> {
    pub(super) now: RunState<'l>,
    /// Copies of earlier places, in order. The first is the start.
    kept: Vec<RunState<'l>>,
    interval: u64,
}

impl<'l> RunHistory<'l> {
    pub(super) fn new(start: RunState<'l>) -> RunHistory<'l> {
        RunHistory { kept: vec![start.clone()], now: start, interval: FIRST_INTERVAL }
    }

    /// Makes a step. Returns false at the end of the run.
    fn step(&mut self, places: &RunPlaces<'l>) -> bool {
        if !self.now.step(places) {
            return false;
        }
        let last = self.kept.last().map_or(0, |kept| kept.n_steps);
        if self.now.n_steps >= last + self.interval {
            if self.kept.len() >= MOST_KEPT {
                let mut nth = 0;
                self.kept.retain(|_| {
                    nth += 1;
                    nth % 2 == 1
                });
                self.interval *= 2;
            }
            self.kept.push(self.now.clone());
        }
        true
    }

    /// Goes on to the next place for which something holds.
    pub(super) fn forward(
        &mut self,
        places: &RunPlaces<'l>,
        counts: &mut LaneCounts<'l>,
        is_there: &mut dyn FnMut(&RunState<'_>) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Halt {
        let mut n_steps = 0u64;
        while self.step(places) {
            counts.observe(&self.now);
            if self.now.is_over() {
                break;
            }
            if is_there(&self.now) {
                return Halt::Reached;
            }
            n_steps += 1;
            if n_steps.is_multiple_of(POLL) && interrupted() {
                return Halt::Interrupted;
            }
        }
        Halt::Over
    }

    /// Goes on over places where the run was before.
    pub(super) fn on(&mut self, places: &RunPlaces<'l>, is_there: &mut dyn FnMut(&RunState<'_>) -> bool) {
        while self.step(places) && !is_there(&self.now) {}
    }

    /// Goes back to the last place in front of this one for which something holds, or to the start.
    pub(super) fn back(
        &mut self,
        places: &RunPlaces<'l>,
        is_there: &mut dyn FnMut(&RunState<'_>) -> bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Halt {
        let mut end = self.now.n_steps;
        let mut n_steps = 0u64;
        for nth in (0..self.kept.len()).rev() {
            if self.kept[nth].n_steps >= end {
                continue;
            }
            let mut state = self.kept[nth].clone();
            let mut found = None;
            loop {
                if is_there(&state) {
                    found = Some(state.n_steps);
                }
                if state.n_steps + 1 >= end || !state.step(places) {
                    break;
                }
                n_steps += 1;
                if n_steps.is_multiple_of(POLL) && interrupted() {
                    self.now = state;
                    return Halt::Interrupted;
                }
            }
            if let Some(found) = found {
                self.go_to(found, places);
                return Halt::Reached;
            }
            end = self.kept[nth].n_steps;
        }
        self.go_to(0, places);
        Halt::Start
    }

    /// Goes to a place where the run was before.
    pub(super) fn go_to(&mut self, n_steps: u64, places: &RunPlaces<'l>) {
        let last = self.kept.iter().rfind(|kept| kept.n_steps <= n_steps);
        if let Some(last) = last {
            self.now = last.clone();
        }
        while self.now.n_steps < n_steps && self.now.step(places) {}
    }
}
