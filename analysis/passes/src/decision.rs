//! Decisions: what a pass chose, where, and why. They are recorded where the choice is made and only put into words
//! later, so that no kernel has to be read again to find out what an earlier pass knew.
//!
//! A decision outlives the kernel it was made about, whose ops and values get other numbers with the next pass. So it
//! names the place by its origin, which all stages share, and values by what they are called.

use std::fmt;

use facts::loops::MessagePart;
use ir::codes::ReasonCode;
use ir::entities::{Origin, Value};
use ir::program::Kernel;
use rustc_hash::FxHashMap;

/// A choice, and why it was made. Its code is a [`ReasonCode`], unless another package decides something about a
/// kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<C = ReasonCode> {
    /// The place that it is about: a loop, an access, a branch.
    pub origin: Origin,
    /// The code: what was done, or was left.
    pub code: C,
    /// True if something was done.
    pub taken: bool,
    /// The reasons, as parts of one sentence.
    pub because: Vec<Said>,
}

/// A part of what a decision says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Words, or what a value or a cell is called.
    Text(String),
    /// A number that the reason rests on.
    Number(i128),
    /// A place in the program, shown as its source text.
    Place(Origin),
}

impl<C> Decision<C> {
    /// The decision that a change was made.
    pub fn taken(origin: Origin, code: C, because: Vec<Said>) -> Decision<C> {
        Decision { origin, code, taken: true, because }
    }

    /// The decision that a possible change was not made.
    pub fn left(origin: Origin, code: C, because: Vec<Said>) -> Decision<C> {
        Decision { origin, code, taken: false, because }
    }
}

/// Decisions in the order in which they were made, each once.
#[derive(Debug, Default)]
pub(crate) struct Told {
    list: Vec<Decision>,
    /// The numbers of those about each place.
    of_place: FxHashMap<Origin, Vec<usize>>,
}

impl Told {
    /// Adds a decision, unless the same one was made before.
    pub(crate) fn push(&mut self, decision: Decision) {
        let of_place = self.of_place.entry(decision.origin).or_default();
        if !of_place.iter().any(|&known| self.list[known] == decision) {
            of_place.push(self.list.len());
            self.list.push(decision);
        }
    }

    /// Says whether something was decided about a place.
    pub(crate) fn is_about(&self, origin: Origin) -> bool {
        self.of_place.contains_key(&origin)
    }

    /// All of them.
    pub(crate) fn into_list(self) -> Vec<Decision> {
        self.list
    }
}

impl Said {
    /// The name of a value; an expression without a name of its own is said by its place.
    pub fn value(kernel: &Kernel, value: Value) -> Said {
        match (&kernel.values[value].name, kernel.as_const(value), kernel.def_op(value)) {
            (Some(name), _, _) => Said::Text(format!("`{name}`")),
            (None, Some(constant), _) => Said::Text(format!("`{constant}`")),
            (None, None, Some(op)) => Said::Place(kernel.ops[op].origin),
            (None, None, None) => Said::Text(String::from("a value")),
        }
    }

    /// The words of a part of a verdict's reason.
    pub fn part(kernel: &Kernel, part: &MessagePart) -> Said {
        match part {
            MessagePart::Text(words) => Said::Text((*words).to_owned()),
            MessagePart::Number(number) => Said::Number(*number),
            MessagePart::Value(value) => Said::value(kernel, *value),
            MessagePart::Iteration(indices) => Said::Text(format!("iteration {}", list(indices))),
            MessagePart::Cell(array, subscripts) => {
                let name = kernel.values[*array].name.as_deref().unwrap_or("_");
                Said::Text(format!("`{name}[{}]`", list(subscripts)))
            }
        }
    }
}

impl From<&str> for Said {
    fn from(words: &str) -> Said {
        Said::Text(words.to_owned())
    }
}

impl From<i128> for Said {
    fn from(number: i128) -> Said {
        Said::Number(number)
    }
}

/// The words of a decision, where its places are shown in another way.
impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Text(words) => f.write_str(words),
            Said::Number(number) => number.fmt(f),
            Said::Place(_) => f.write_str("this"),
        }
    }
}

fn list(numbers: &[i128]) -> String {
    numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(", ")
}
