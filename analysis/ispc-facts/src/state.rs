//! The values of a function's variables at a place.
//!
//! Each value knows the *definition* that it is from: an assignment, or a node at which ways meet. Two ways on which a variable has one
//! definition have given it one value, so nothing happens to it where they meet, whichever lanes went which way.

use crate::shape::{LaneShape, LaneValue};

/// The definition of a variable that has no value yet.
pub(crate) const NO_DEF: u32 = u32::MAX;
/// The definition of a parameter: its value at the call.
pub(crate) const AT_CALL: u32 = u32::MAX - 1;

/// The value of a variable, and its definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Held {
    pub(crate) def: u32,
    pub(crate) value: LaneValue,
}

/// The values of all variables, by their numbers in the function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct State {
    pub(crate) held: Vec<Held>,
}

/// The way in which lanes come to a place from two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meeting {
    /// All from one of them.
    Together,
    /// Some from the one and some from the other, for the reason that a node tells.
    Apart(u32),
}

/// The ways in which a node defines variables: no two of them mean one value.
#[derive(Clone, Copy)]
pub(crate) enum DefKind {
    /// By an assignment.
    Assigned,
    /// Where ways meet in front of it.
    InFront,
    /// Where ways meet behind it.
    Behind,
    /// Where lanes that went on to the next round come back.
    Continued,
    /// Where other lanes come to run.
    OtherLanes,
}

/// The definition that a node makes.
pub(crate) fn def(node: usize, kind: DefKind) -> u32 {
    node as u32 * 8 + kind as u32
}

/// The node of a definition that is an assignment.
pub(crate) fn assigning_node(def: u32) -> Option<u32> {
    (def < AT_CALL && def % 8 == DefKind::Assigned as u32).then_some(def / 8)
}

impl State {
    /// The state behind two ways.
    pub(crate) fn meet(&self, other: &State, meeting: Meeting, def: u32) -> State {
        let held = self.held.iter().zip(&other.held).map(|(one, other)| {
            if one.def == other.def {
                return Held { def: one.def, value: one.value.or(&other.value) };
            }
            let value = match meeting {
                Meeting::Together => LaneValue { everywhere: false, ..one.value.or(&other.value) },
                Meeting::Apart(cause) => apart(cause, &one.value, &other.value),
            };
            Held { def, value }
        });
        State { held: held.collect() }
    }

    /// The state of lanes that leave a loop in different rounds: what the loop has set differs.
    pub(crate) fn leave(&mut self, entry: &State, cause: u32) {
        for (held, entry) in self.held.iter_mut().zip(&entry.held) {
            if held.def != entry.def {
                *held =
                    Held { def: def(cause as usize, DefKind::Behind), value: apart(cause, &held.value, &held.value) };
            }
        }
    }

    /// Returns true if two states have equal facts.
    pub(crate) fn is_like(&self, other: &State) -> bool {
        self.held.iter().zip(&other.held).all(|(one, other)| one.def == other.def && one.value.is_like(&other.value))
    }
}

/// The value of lanes that went apart; a number that all of them have stays one.
fn apart(cause: u32, one: &LaneValue, other: &LaneValue) -> LaneValue {
    match one.value {
        Some(_) if one.value == other.value => LaneValue { everywhere: false, ..one.or(other) },
        _ if one.shape == LaneShape::Unknown || other.shape == LaneShape::Unknown => LaneValue::UNKNOWN,
        _ => LaneValue { is_nonneg: one.is_nonneg && other.is_nonneg, everywhere: false, ..LaneValue::varying(cause) },
    }
}
