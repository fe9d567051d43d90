//! The lanes that run at a place: the loop whose iterations they are, the group of them, and the mask.
//!
//! Behind the passes a loop in lanes is a `vector_for`, and which lanes are active is a value like others, the *mask* of loads,
//! stores and ops that ask lanes. Between two of those the mask of the next one is in force, as far as it is known already, and
//! else that of the last one. Before the passes it is a `foreach` whose iterations run together, and each block knows its lanes.

use std::sync::Arc;

use ir::interp::OpenRegion;
use ir::typing::{OperandRole, roles};
use ir::{Code, Def, Kernel, Op, Type, Value};

use super::{Cell, Reg, Scalar, Stepping};

/// The lanes that run at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanesHere {
    /// For each lane, true if it is active.
    pub on: Vec<bool>,
    /// The name of the value that says so, if it has one.
    pub mask: Option<Arc<str>>,
}

/// The position of a run among the loops around it: for each open block its op and the number of the iteration.
pub type LoopPosition = Vec<(Option<Op>, u128)>;

impl Stepping {
    /// Returns the number of open blocks down to that of the innermost loop in lanes; of loops that run in order, down to the
    /// innermost loop. `None` outside of loops.
    pub fn lane_loop(&self) -> Option<usize> {
        let open: Vec<OpenRegion> = self.machine.open_regions().collect();
        let is_of = |wanted: &dyn Fn(Op) -> bool| open.iter().rposition(|open| open.op.is_some_and(wanted));
        let in_lanes = is_of(&|op| self.width(op).is_some());
        let is_loop = |op: Op| self.kernel.ops[op].code != Code::If;
        in_lanes.or_else(|| is_of(&is_loop)).map(|n| n + 1)
    }

    /// Returns the position among so many of the outermost open blocks.
    pub fn loop_position(&self, n_open: usize) -> LoopPosition {
        self.machine.open_regions().take(n_open).map(|open| (open.op, open.iteration)).collect()
    }

    /// Returns the lanes of a loop whose iterations run in groups.
    fn width(&self, op: Op) -> Option<u16> {
        let vector = self.kernel.control(op).and_then(|control| control.width);
        vector.filter(|_| self.kernel.ops[op].code == Code::VectorFor).or_else(|| self.kernel.lanes_of_foreach(op))
    }

    /// Returns the lanes that run here; `None` outside of loops in lanes.
    pub fn lanes_here(&self) -> Option<LanesHere> {
        if let Some(on) = self.running_lanes() {
            return Some(LanesHere { on: on.to_vec(), mask: None });
        }
        let width = self.machine.open_regions().filter_map(|open| self.width(open.op?)).next_back()?;
        let all = || LanesHere { on: vec![true; width.into()], mask: None };
        let masked = self.mask_in_force().and_then(|mask| {
            let on = self.as_mask(mask)?;
            Some(LanesHere { on, mask: self.kernel.values[mask].name.clone() })
        });
        Some(masked.unwrap_or_else(all))
    }

    /// Returns the index of each open loop, outermost first, and that of the last lane of the group where the innermost of them is in
    /// lanes.
    pub fn iterations(&self) -> (Vec<i128>, Option<i128>) {
        let indices = self.iteration();
        let is_loop = |open: &OpenRegion| open.op.is_some_and(|op| self.kernel.ops[op].code != Code::If);
        let innermost = self.machine.open_regions().rfind(is_loop).and_then(|open| open.op);
        let last = innermost.filter(|&op| self.kernel.ops[op].code == Code::VectorFor).and_then(|op| {
            let width = self.width(op)?;
            let step = self.reg(*self.kernel.ops[op].operands.get(2)?).scalar()?.wide()?;
            Some(indices.last()? + step * i128::from(width - 1))
        });
        (indices, last)
    }

    /// Finds the mask of the op that comes next, or else the one around it.
    fn mask_in_force(&self) -> Option<Value> {
        let open = self.machine.open_regions().next_back()?;
        let ops = &self.kernel.regions[open.region].ops;
        let (before, behind) = ops.split_at(open.next.min(ops.len()));
        // What is yet to be made has what it was in the iteration before, or nothing.
        let is_made = |mask: &Value| match self.kernel.values[*mask].def {
            Def::Result(op, _) => !behind.contains(&op),
            Def::Param(_) | Def::Const(_) | Def::Arg(..) => true,
        };
        let next = behind.iter().find_map(|&op| mask_of(&self.kernel, op).filter(is_made));
        next.or_else(|| before.iter().rev().find_map(|&op| mask_of(&self.kernel, op)))
    }

    fn as_mask(&self, mask: Value) -> Option<Vec<bool>> {
        let is_on = |cell: &Cell| matches!(cell, Cell::Data(Scalar::Bool(true)));
        match self.reg(mask) {
            Reg::Lanes(cells) => Some(cells.iter().map(is_on).collect()),
            Reg::Empty | Reg::One(_) => None,
        }
    }
}

/// The mask of an op in lanes, if it has one.
fn mask_of(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let types: Vec<Type> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
    let last = *data.operands.last().filter(|&&last| kernel.ty(last).lanes().is_some())?;
    let roles = roles(data.code, &types).ok()?;
    (roles.last() == Some(&OperandRole::Mask)).then_some(last)
}
