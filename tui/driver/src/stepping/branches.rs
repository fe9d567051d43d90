//! How many lanes take a branch, or stay in a loop: the lanes that its condition holds in, which an `any` joins.
//!
//! Behind the passes only loads, stores and ops that ask lanes have masks. In a loop that goes around until its last lane has left it
//! there may be none of those, and still lanes wait: its condition tells how many.

use std::collections::HashMap;

use queries::run::Scalar;
use queries::stepping::{ActiveCount, Cell, Code, Kernel, Op, Reg, Stepping, Value};

/// The conditions of branches and loops in lanes, and the lanes they held in so far.
pub(super) struct BranchCounts {
    conditions: HashMap<Op, Value>,
    /// The number of steps up to which all is counted.
    until: u64,
    counts: HashMap<Op, ActiveCount>,
}

impl BranchCounts {
    /// Finds the conditions of a kernel.
    pub(super) fn of(kernel: &Kernel) -> BranchCounts {
        let mut conditions = HashMap::new();
        kernel.walk(kernel.body, &mut |_, op| {
            conditions.extend(joined(kernel, op).map(|condition| (op, condition)));
        });
        BranchCounts { conditions, until: 0, counts: HashMap::new() }
    }

    /// Counts the condition that the next op of a run joins, unless it was counted before.
    pub(super) fn count(&mut self, stepping: &Stepping) {
        if stepping.n_steps() < self.until {
            return;
        }
        self.until = stepping.n_steps() + 1;
        let Some(op) = stepping.next_op() else { return };
        if let Some(on) = self.conditions.get(&op).and_then(|&condition| lanes_of(stepping, condition)) {
            let n_active = on.iter().filter(|on| **on).count() as u64;
            let of_op = self.counts.entry(op).or_default();
            *of_op = of_op.and(ActiveCount { n_runs: 1, n_active, n_lanes: on.len() as u64 });
        }
    }

    /// Returns the ops that join conditions, with the lanes those held in.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Op, ActiveCount)> {
        self.counts.iter().map(|(&op, &count)| (op, count))
    }
}

/// The condition in lanes that an op joins to whether it holds in any.
fn joined(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let condition = *data.operands.first().filter(|_| data.code == Code::Any)?;
    kernel.ty(condition).lanes().map(|_| condition)
}

/// The lanes that stay in the innermost loop that goes around until its last lane has left it, where a run stands in its block.
pub(super) fn loop_mask(stepping: &Stepping) -> Option<(Option<String>, Vec<bool>)> {
    let kernel = stepping.kernel();
    let next = stepping.next_op()?;
    let open = stepping.loop_position(usize::MAX);
    let code = |op: &Op| kernel.ops[*op].code.row().name;
    let around =
        open.iter().rev().filter_map(|(op, _)| *op).find(|op| code(op) != "if").filter(|op| code(op) == "while")?;
    let test = *kernel.ops[around].regions.first()?;
    // While the condition is computed, it is that of the round before.
    let mut is_test = false;
    kernel.walk(test, &mut |_, op| is_test |= op == next);
    let join = kernel.def_op(*kernel.regions[test].yields.first()?).filter(|_| !is_test)?;
    let condition = joined(kernel, join)?;
    let name = kernel.values[condition].name.as_deref().filter(|name| !name.is_empty());
    Some((name.map(str::to_owned), lanes_of(stepping, condition)?))
}

fn lanes_of(stepping: &Stepping, condition: Value) -> Option<Vec<bool>> {
    let is_on = |cell: &Cell| matches!(cell, Cell::Data(Scalar::Bool(true)));
    match stepping.reg(condition) {
        Reg::Lanes(cells) => Some(cells.iter().map(is_on).collect()),
        Reg::Empty | Reg::One(_) => None,
    }
}
