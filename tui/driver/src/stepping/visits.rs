//! Visits of a run to lines of the source: an op after the other of one line is one visit, and a line is left before it is visited
//! again.

use queries::stepping::{Op, Stepping};

use super::places::Places;

/// A visit of a run to a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineVisit {
    /// The number of calls that led to the line.
    n_calls: usize,
    /// The index of each open loop.
    iteration: Vec<i128>,
}

impl LineVisit {
    /// Returns true if a run that has come to another place is still on the same visit, perhaps in a loop of a function that the line
    /// calls.
    pub fn contains(&self, other: &LineVisit) -> bool {
        self.n_calls == other.n_calls && other.iteration.starts_with(&self.iteration)
    }
}

/// The visit to a line that is asked for, by an op that came from there, or the innermost one from which a function was called that it
/// came from. Returns the line, the number of calls from there, and the visit.
pub fn visit_of(
    stepping: &Stepping,
    places: &Places,
    op: Op,
    is_asked: impl Fn(u32) -> bool,
) -> Option<(u32, usize, LineVisit)> {
    let calls = places.calls(op);
    let found = calls.iter().position(|call| is_asked(call.at.line))?;
    Some((calls[found].at.line, found, LineVisit { n_calls: calls.len() - found, iteration: stepping.iteration() }))
}
