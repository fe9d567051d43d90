//! The ops between two loops that are to be one.

use rustc_hash::FxHashSet;

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
    pub(super) fn of(kernel: &Kernel, region: Region, (first, second): (Op, Op)) -> Option<Between> {
        let ops = &kernel.regions[region].ops;
        let at = |op: Op| ops.iter().position(|&other| other == op);
        let ops = &ops[at(first)? + 1..at(second)?];
        let touched = |op: Op| Touched::of(kernel, op);
        let (of_first, of_second) = (touched(first), touched(second));
        let mut wanted: FxHashSet<Value> = kernel.inputs(second).into_iter().collect();
        let mut open: FxHashSet<Value> = kernel.ops[first].results.iter().copied().collect();
        if wanted.iter().any(|value| open.contains(value)) {
            return None;
        }
        // From the last one on: an op that another one in front needs goes there, too.
        let mut front = Vec::new();
        for &op in ops.iter().rev() {
            if kernel.ops[op].results.iter().any(|result| wanted.contains(result)) {
                wanted.extend(kernel.inputs(op));
                front.push(op);
            }
        }
        front.reverse();
        // Checks go in front if they can: what they state is known inside of the loops then.
        let checks = checks(kernel, ops);
        let (mut kept, mut behind) = (Vec::new(), of_first);
        for &op in ops {
            let own = touched(op);
            let inputs = kernel.inputs(op);
            let may_go = kernel.effect(op) < Effect::Writes
                && !inputs.iter().any(|value| open.contains(value))
                && !own.meets(kernel, &behind);
            match (front.contains(&op), may_go) {
                (true, false) => return None,
                (true, true) => kept.push(op),
                (false, true) if checks.contains(&op) => kept.push(op),
                (false, _) if own.meets(kernel, &of_second) => return None,
                (false, _) => {
                    open.extend(&kernel.ops[op].results);
                    behind.arrays.extend(own.arrays);
                }
            }
        }
        Some(Between { front: kept })
    }

    /// Moves the ops in front of the first loop, and drops the second one from the block.
    pub(super) fn put_in_front(&self, kernel: &mut Kernel, region: Region, (first, second): (Op, Op)) {
        let ops = &mut kernel.regions[region].ops;
        ops.retain(|op| *op != second && !self.front.contains(op));
        let at = ops.iter().position(|&op| op == first).expect("the block lists the loop");
        ops.splice(at..at, self.front.iter().copied());
    }
}

/// The checks among some ops, and what is computed for checks alone.
fn checks(kernel: &Kernel, ops: &[Op]) -> FxHashSet<Op> {
    let mut found = FxHashSet::default();
    let (mut checked, mut used): (FxHashSet<Value>, FxHashSet<Value>) = Default::default();
    for &op in ops.iter().rev() {
        let data = &kernel.ops[op];
        let is_checked = |result: &Value| checked.contains(result) && !used.contains(result);
        let is_check = matches!(data.code, Code::Assert | Code::AssertSize)
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

/// The arrays that an op touches, or something inside of it, each with whether it is written.
struct Touched {
    arrays: Vec<(Value, bool)>,
}

impl Touched {
    fn of(kernel: &Kernel, op: Op) -> Touched {
        let mut arrays = Vec::new();
        let mut add = |op: Op| {
            let effect = kernel.effect(op);
            if effect < Effect::Reads || !kernel.ops[op].regions.is_empty() {
                return;
            }
            let views = kernel.ops[op].operands.iter().enumerate().filter(|(_, value)| kernel.ty(**value).is_view());
            arrays.extend(views.map(|(at, &view)| (kernel.root(view), at == 0 && effect == Effect::Writes)));
        };
        add(op);
        kernel.walk_inside(op, &mut add);
        Touched { arrays }
    }

    /// Says whether some array is touched by both, and written by one of them.
    fn meets(&self, kernel: &Kernel, other: &Touched) -> bool {
        self.arrays.iter().any(|&(own, writes)| {
            other.arrays.iter().any(|&(array, written)| (writes || written) && kernel.may_overlap(own, array))
        })
    }
}
