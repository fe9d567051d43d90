//! Values that iterations replace under a condition: `if b[i] > 0: s = c[i]` above what uses `s`.

use std::collections::BTreeSet;

use super::lanes::{Slicer, SumStep, step};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::uses::Use;

/// A carried value that iterations replace under a condition, and the choice by which they do so.
///
/// ```text
/// let held = if (b[i] > 0.0):        lanes in which the condition holds:   . x . . x . . .
///     yield c[i]                     each lane's value is that of lane:    - 1 1 1 4 4 4 4
/// else:
///     yield s                        `-` is the value from before the group
/// ```
///
/// Nothing but the choice sees the value as it was before the iteration, and neither the condition nor what is chosen depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The op that chooses.
    pub choice: Op,
    /// The value behind it, which the loop hands on.
    pub next: Value,
    /// The condition.
    pub condition: Value,
    /// True if the value is replaced where the condition holds, false if it is where it does not.
    pub when: bool,
}

impl Held {
    /// The choice that replaces the carried value with this number, if that is all that becomes of it.
    pub fn of(slicer: &Slicer<'_>, number: usize) -> Option<Held> {
        let kernel = slicer.kernel;
        let body = &kernel.regions[slicer.body];
        let (arg, next) = (body.args[kernel.n_ranges(slicer.op) + number], body.yields[number]);
        let choice = kernel.def_op(next).filter(|&op| slicer.forest.region_of(op) == slicer.body)?;
        let slice = slicer.slice(&BTreeSet::from([number]));
        let Some(SumStep::Choice(condition, a, b)) = step(kernel, &slice, next) else { return None };
        let (new, when) = if b == arg { (a, true) } else { (b, false) };
        let sides = &kernel.ops[choice].regions;
        let is_choice = |user: &Use| match *user {
            Use::Operand(op, _) => op == choice,
            Use::Yield(region) => sides.contains(&region),
        };
        // The branch may choose other values by what it was, too.
        let is_once = match kernel.ops[choice].code {
            Code::If => {
                sides.iter().flat_map(|&side| &kernel.regions[side].yields).filter(|&&it| it == arg).count() == 1
            }
            _ => true,
        };
        let is_own = (a == arg || b == arg) && !slice.values.contains(&new) && is_once;
        (is_own && slicer.uses.users(arg).iter().all(is_choice)).then_some(Held { choice, next, condition, when })
    }
}
