//! The ops between two loops that are to be one.

use rustc_hash::FxHashSet;

use ir::effects::Effects;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;

/// A way to take the ops between two loops out of it.
pub(super) struct Between {
    /// The ops that go in front of the loops, in order; all others go behind.
    front: Vec<Op>,
}

impl Between {
    /// The way, if there is one that shows in no run that ends well.
    pub(super) fn of(kernel: &Kernel, effects: &Effects, region: Region, (first, second): (Op, Op)) -> Option<Between> {
        let mut wanted: FxHashSet<Value> = kernel.inputs(second).into_iter().collect();
        let mut open: FxHashSet<Value> = kernel.ops[first].results.iter().copied().collect();
        if open.iter().any(|value| wanted.contains(value)) {
            return None;
        }
        let ops = &kernel.regions[region].ops;
        let from = ops.iter().position(|&other| other == first)? + 1;
        let ops = &ops[from..from + ops[from..].iter().position(|&other| other == second)?];
        if ops.is_empty() {
            return Some(Between { front: Vec::new() });
        }
        // From the last one on: an op that another one in front needs goes there, too.
        let mut front: FxHashSet<Op> = FxHashSet::default();
        for &op in ops.iter().rev() {
            if kernel.ops[op].results.iter().any(|result| wanted.contains(result)) {
                wanted.extend(kernel.inputs(op));
                front.insert(op);
            }
        }
        // Checks go in front if they can: what they state is known inside of the loops then.
        let checks = checks(kernel, ops);
        let of_second = effects.touched(kernel, second);
        let (mut kept, mut behind) = (Vec::new(), effects.touched(kernel, first));
        for &op in ops {
            let own = effects.touched(kernel, op);
            let may_go = effects.effect(op) < Effect::Writes
                && !kernel.inputs(op).iter().any(|value| open.contains(value))
                && !meet(kernel, &own, &behind);
            match (front.contains(&op), may_go) {
                (true, false) => return None,
                (true, true) => kept.push(op),
                (false, true) if checks.contains(&op) => kept.push(op),
                (false, _) if meet(kernel, &own, &of_second) => return None,
                (false, _) => {
                    open.extend(&kernel.ops[op].results);
                    behind.extend(own);
                }
            }
        }
        Some(Between { front: kept })
    }

    /// Moves the ops in front of the first loop, and drops the second one from the block.
    pub(super) fn put_in_front(&self, kernel: &mut Kernel, region: Region, (first, second): (Op, Op)) {
        let ops = &mut kernel.regions[region].ops;
        let front: FxHashSet<Op> = self.front.iter().copied().collect();
        let place = |from: &[Op], op: Op| from.iter().position(|&other| other == op).expect("the block lists the loop");
        let at = place(ops, first);
        let end = at + place(&ops[at..], second);
        // A block of many loops has many pairs of them, so no more of it is gone through than lies between the two.
        let stay = ops[at..end].iter().copied().filter(|op| !front.contains(op));
        let window: Vec<Op> = self.front.iter().copied().chain(stay).collect();
        ops.splice(at..=end, window);
    }
}

/// The checks among some ops, and what is computed for checks alone.
fn checks(kernel: &Kernel, ops: &[Op]) -> FxHashSet<Op> {
    let mut found = FxHashSet::default();
    let (mut checked, mut used): (FxHashSet<Value>, FxHashSet<Value>) = Default::default();
    for &op in ops.iter().rev() {
        let data = &kernel.ops[op];
        let is_checked = |result: &Value| checked.contains(result) && !used.contains(result);
        let is_check = matches!(data.code, Code::Assert | Code::AssertSize | Code::AssertSome)
            || data.regions.is_empty() && !data.results.is_empty() && data.results.iter().all(is_checked);
        match is_check {
            true => {
                checked.extend(&data.operands);
                found.insert(op);
            }
            false => used.extend(kernel.inputs(op)),
        }
    }
    found
}

/// Says whether some array is touched by both, and written by one of them.
fn meet(kernel: &Kernel, one: &[(Value, bool)], other: &[(Value, bool)]) -> bool {
    one.iter().any(|&(own, writes)| {
        other.iter().any(|&(array, written)| (writes || written) && kernel.may_overlap(own, array))
    })
}
