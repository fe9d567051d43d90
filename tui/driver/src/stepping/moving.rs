//! Steps of each size, in both directions.
//!
//! Functions are inlined, so what is called has no entry of its own: the first op that a call runs stands in the function already. As long as
//! nobody has stepped into it, it is *seen* from the call: a run is seen at a depth of calls, and frames within are hidden.
//!
//! A *group* is the iterations that run together in the lanes of a loop, or one iteration of a loop that runs in order.

use queries::stepping::{Halt, LoopPosition, Origin, Stepping};

use super::places::Places;

/// The place of a run as far as a step by lines tells places apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The line of the source.
    line: u32,
    /// The number of calls that lead to the line, the kernel among them: the depth at which the run is seen.
    n_calls: usize,
    /// The call that led to the line.
    call: Option<Origin>,
    /// The index of each open loop.
    iteration: Vec<i128>,
    /// The number of open loops and branches.
    n_open: usize,
}

impl Position {
    /// The position of a run seen with so many frames hidden; `None` where its next op came from no line.
    pub fn of(stepping: &Stepping, places: &Places, n_hidden: usize) -> Option<Position> {
        let calls = places.calls(stepping.next_op()?);
        let call = calls.get(n_hidden)?;
        Some(Position {
            line: call.at.line,
            n_calls: calls.len() - n_hidden,
            call: call.call,
            iteration: stepping.iteration(),
            n_open: stepping.depth(),
        })
    }
}

/// The end of a movement, but for breakpoints.
#[derive(Debug, Clone)]
pub enum Goal {
    /// The next op.
    Op,
    /// Another line, of the same function or a caller.
    Line(Option<Position>),
    /// Another line, of whatever function.
    Into(Option<Position>),
    /// A place outside of the innermost call, loop or branch.
    Out(Option<Position>),
    /// None: the run goes on to a breakpoint or its end.
    End,
}

impl Goal {
    /// Returns the number of frames to hide, if a run stands where the movement ends.
    pub fn reached(&self, stepping: &Stepping, places: &Places) -> Option<usize> {
        let from = match self {
            Goal::Op => return Some(0),
            Goal::End => return None,
            Goal::Line(from) | Goal::Into(from) | Goal::Out(from) => from,
        };
        let calls = places.calls(stepping.next_op()?);
        if calls.is_empty() {
            return None;
        }
        let Some(from) = from else { return Some(calls.len() - 1) };
        // A function has been left.
        let Some(n_inside) = calls.len().checked_sub(from.n_calls) else { return Some(0) };
        let frame = &calls[n_inside];
        if frame.call != from.call {
            return Some(n_inside + usize::from(n_inside + 1 < calls.len()));
        }
        let iteration = stepping.iteration();
        let is_same_iteration =
            if n_inside > 0 { iteration.starts_with(&from.iteration) } else { iteration == from.iteration };
        let is_on_line = frame.at.line == from.line && is_same_iteration;
        match self {
            Goal::Out(_) => (from.n_calls == 1 && stepping.depth() < from.n_open).then_some(n_inside),
            _ if !is_on_line => Some(n_inside),
            Goal::Into(_) if n_inside > 0 => Some(n_inside - 1),
            _ => None,
        }
    }
}

/// Goes back to the first op of the line before this one. Returns the number of frames to hide there.
pub fn back_by_line(stepping: &mut Stepping, places: &Places, from: Option<Position>) -> (Halt, usize) {
    let mut n_hidden = 0;
    let goal = Goal::Line(from);
    let mut is_other = |stepping: &mut Stepping| match goal.reached(stepping, places) {
        Some(n) => {
            n_hidden = n;
            true
        }
        None => false,
    };
    match stepping.back(&mut is_other, &mut || false) {
        Halt::Reached => to_start_of_line(stepping, places, n_hidden),
        halt => (halt, 0),
    }
}

/// Goes back to the first op of the line that a run stands in, seen with so many frames hidden. Returns the number of frames to hide there,
/// which are those of functions that the line calls.
pub fn to_start_of_line(stepping: &mut Stepping, places: &Places, n_hidden: usize) -> (Halt, usize) {
    let Some(line) = Position::of(stepping, places, n_hidden) else { return (Halt::Reached, n_hidden) };
    let n_calls = line.n_calls;
    let goal = Goal::Line(Some(line));
    let is_on_line = |stepping: &Stepping| {
        let has_place = stepping.next_op().is_some_and(|op| !places.calls(op).is_empty());
        has_place && goal.reached(stepping, places).is_none()
    };
    // Back to what comes before the line, and from there to its first op.
    let halt = stepping.back(&mut |stepping| goal.reached(stepping, places).is_some(), &mut || false);
    let halt = match halt {
        Halt::Start if is_on_line(stepping) => Halt::Reached,
        _ => stepping.forward(&mut |stepping| is_on_line(stepping), &mut || false),
    };
    let n_frames = stepping.next_op().map_or(0, |op| places.calls(op).len());
    (halt, n_frames.saturating_sub(n_calls))
}

/// Goes back to the first op of the group that a run stands in; from there, to that of the group before.
pub fn back_by_group(stepping: &mut Stepping) -> Halt {
    let halt = stepping.back(&mut |_| true, &mut || false);
    if halt != Halt::Reached {
        return halt;
    }
    let group = group_of(stepping);
    match stepping.back(&mut |stepping| has_left(stepping, &group), &mut || false) {
        // The op before the group was reached; the next one is the first of the group.
        Halt::Reached => stepping.forward(&mut |_| true, &mut || false),
        halt => halt,
    }
}

/// The group that a run stands in, as its position among the loops around it; `None` outside of loops.
pub(super) fn group_of(stepping: &Stepping) -> Option<LoopPosition> {
    Some(stepping.loop_position(stepping.lane_loop()?))
}

/// Returns true if a run stands in another group. A loop that lies within the group belongs to it.
pub(super) fn has_left(stepping: &Stepping, from: &Option<LoopPosition>) -> bool {
    match from {
        Some(from) => stepping.loop_position(from.len()) != *from,
        None => stepping.lane_loop().is_some(),
    }
}
