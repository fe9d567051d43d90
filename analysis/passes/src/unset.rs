//! New arrays whose cells are all written before any of them is read: those need no zeros.
//!
//! ```text
//! let t = temp(n, type=f32)               let t = temp(n, unset=f32)
//! for i in range(0, n):                   for i in range(0, n):
//!     t[i] = (a[i] * 2.0)                     t[i] = (a[i] * 2.0)
//! ```
//!
//! The first op behind the `temp` that touches the array has to write all of it: a loop over the whole range of each dimension, inside
//! of each other, with a store to the cell of their indices. What stands behind the store in them touches that very cell, or only
//! stores. A branch may stand between them, if both of its sides write the cell.
//!
//! This is found as long as loops are scalar; passes keep the order of a write and the reads behind it, in lanes too.

use crate::same::{is_same, plain};
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;

/// Leaves arrays unset where that shows nowhere; says whether there are any.
pub fn unset(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let data = &kernel.ops[op];
        let Attr::Elem(elem) = data.attr else { return };
        if data.code != Code::Temp {
            return;
        }
        let ops = &kernel.regions[region].ops;
        let behind = ops.iter().position(|&other| other == op).map_or(&[][..], |at| &ops[at + 1..]);
        let array = Array { kernel, array: data.results[0], sizes: &data.operands };
        if array.is_written_first(behind, &mut Vec::new()) {
            found.push((op, elem));
        }
    });
    found.iter().for_each(|&(op, elem)| kernel.ops[op].attr = Attr::Unset(elem));
    !found.is_empty()
}

/// A new array.
struct Array<'k> {
    kernel: &'k Kernel,
    array: Value,
    sizes: &'k [Value],
}

impl Array<'_> {
    /// Says whether ops, one after the other, write the cell of these indices (of all dimensions that no loop around has an index for,
    /// the whole range) before they touch anything else of the array. No op that touches it is as good.
    fn is_written_first(&self, ops: &[Op], indices: &mut Vec<Value>) -> bool {
        let Some(at) = ops.iter().position(|&op| self.touches(op)) else { return indices.is_empty() };
        let data = &self.kernel.ops[ops[at]];
        let written = match data.code {
            Code::Store => self.cell(ops[at]).is_some_and(|cell| cell == *indices && cell.len() == self.sizes.len()),
            Code::If => data.regions.iter().all(|&side| self.is_written_in(side, indices)),
            Code::For | Code::Foreach => self.is_written_in_loop(ops[at], indices),
            _ => false,
        };
        // Behind it the array is written wholly, or inside of a loop that one cell of it is.
        written && (indices.is_empty() || ops[at + 1..].iter().all(|&op| self.keeps_to(op, indices)))
    }

    /// Likewise for a block, which has to touch the array.
    fn is_written_in(&self, region: Region, indices: &mut Vec<Value>) -> bool {
        let ops = &self.kernel.regions[region].ops;
        ops.iter().any(|&op| self.touches(op)) && self.is_written_first(ops, indices)
    }

    fn is_written_in_loop(&self, op: Op, indices: &mut Vec<Value>) -> bool {
        let (kernel, outer) = (self.kernel, indices.len());
        let data = &kernel.ops[op];
        let ranges = data.operands.chunks(3).take(kernel.n_ranges(op));
        for (number, range) in ranges.enumerate() {
            let Some(&size) = self.sizes.get(outer + number) else { break };
            let [is_zero, is_one] = [(range[0], 0), (range[2], 1)]
                .map(|(value, wanted)| kernel.as_const(value).and_then(Scalar::wide) == Some(wanted));
            if is_zero && is_one && self.is_size(range[1], size, outer + number) {
                indices.push(kernel.regions[data.regions[0]].args[number]);
            }
        }
        let is_whole = indices.len() == outer + kernel.n_ranges(op);
        let written = is_whole && self.is_written_in(data.regions[0], indices);
        indices.truncate(outer);
        written
    }

    /// Says whether a bound is the size of a dimension.
    fn is_size(&self, bound: Value, size: Value, dim: usize) -> bool {
        let is_asked = |op: Op| {
            let data = &self.kernel.ops[op];
            data.code == Code::Size && data.operands[0] == self.array && data.attr == Attr::Number(dim as i64)
        };
        let bound = plain(self.kernel, bound);
        self.kernel.def_op(bound).is_some_and(is_asked) || is_same(self.kernel, bound, size)
    }

    /// Says whether an op, or something inside of it, reads or writes the array, or does something with it that is not known.
    fn touches(&self, op: Op) -> bool {
        let mut touches = self.touches_itself(op);
        self.kernel.walk_inside(op, &mut |inner| touches |= self.touches_itself(inner));
        touches
    }

    fn touches_itself(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        let is_view = matches!(data.code, Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size);
        !is_view
            && data
                .operands
                .iter()
                .any(|&value| self.kernel.ty(value).is_view() && self.kernel.root(value) == self.array)
    }

    /// Says whether all that an op does to the array is to store to it, and to load the cell of these indices.
    fn keeps_to(&self, op: Op, indices: &[Value]) -> bool {
        let keeps = |op: Op| match self.kernel.ops[op].code {
            _ if !self.touches_itself(op) => true,
            Code::Load => self.cell(op).is_some_and(|cell| cell == indices && cell.len() == self.sizes.len()),
            Code::Store => true,
            _ => self.kernel.effect(op) < Effect::Reads,
        };
        let mut all = keeps(op);
        self.kernel.walk_inside(op, &mut |inner| all &= keeps(inner));
        all
    }

    /// The subscripts of the cell that a load or store touches, those of rows with them.
    fn cell(&self, op: Op) -> Option<Vec<Value>> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let rank = usize::from(kernel.ty(data.operands[0]).rank());
        let mut cell = data.operands[1..=rank].to_vec();
        let mut view = data.operands[0];
        while view != self.array {
            let row = &kernel.ops[kernel.def_op(view)?];
            let Attr::Number(dim) = row.attr else { return None };
            if row.code != Code::Row {
                return None;
            }
            cell.insert(dim as usize, row.operands[1]);
            view = row.operands[0];
        }
        Some(cell.into_iter().map(|subscript| plain(kernel, subscript)).collect())
    }
}
