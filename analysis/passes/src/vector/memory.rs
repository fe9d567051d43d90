//! Vector loads and stores.
//!
//! A temporary array of each iteration becomes one array with a cell for each lane behind every cell: where lanes agree
//! on the cell, theirs are contiguous.

use super::{Lowerer, Operands};
use facts::{Class, Shape};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Values};
use ir::scalar::Scalar;

impl Lowerer<'_> {
    /// An array of each lane's own; where all of these hold the same, one for all lanes.
    pub(super) fn temporary(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let mut sizes: Values = data.operands.iter().map(|&size| self.uniform(size)).collect();
        if self.facts.alike.contains(&data.results[0]) {
            let array = self.b.op_with(Code::Temp, data.attr, &sizes);
            return self.stand_for(&data.results, &[array]);
        }
        sizes.push(self.b.constant(Scalar::I32(self.lanes.into())));
        let array = self.b.op_with(Code::Temp, data.attr, &sizes);
        self.stand_for(&data.results, &[array]);
        self.own.insert(array);
    }

    /// The subscripts of a cell, with the lane's own behind them where each lane has an array of its own.
    fn with_lane(&mut self, cells: &mut Operands) -> bool {
        let is_own = self.own.contains(&self.kernel().root(cells.view));
        if is_own {
            cells.subscripts.push(self.b.op_with(Code::LaneId, Attr::Lanes(self.lanes), &[]));
        }
        is_own
    }

    /// A load: one for all lanes, of neighbouring cells, or of each lane's own.
    pub(super) fn load(&mut self, op: Op) {
        let mut cells = self.operands(op);
        let is_own = self.with_lane(&mut cells);
        let result = self.kernel().ops[op].results[0];
        if let Some(first) = self.packed(op, &cells) {
            let operands: Values = first.into_iter().chain([self.mask]).collect();
            let made = self.b.op(Code::ExpandLoad, &operands);
            return self.stand_for(&[result], &[made]);
        }
        let mut operands: Values = std::iter::once(cells.view).chain(cells.subscripts.iter().copied()).collect();
        let code = if !operands.iter().any(|&value| self.is_in_lanes(value)) {
            Code::Load
        } else {
            operands.push(self.mask);
            if self.is_plain(op, &cells, is_own) { Code::MaskedLoad } else { Code::Gather }
        };
        let made = self.b.op(code, &operands);
        self.stand_for(&[result], &[made]);
    }

    /// A store: one for all lanes, to neighbouring cells, or to each lane's own.
    pub(super) fn store(&mut self, op: Op) {
        let mut cells = self.operands(op);
        let is_own = self.with_lane(&mut cells);
        let Some(mut stored) = cells.stored else { return };
        let (view, old) = (self.kernel().ops[op].operands[0], self.kernel().ops[op].operands.last().copied());
        if let Some(old) = old.filter(|_| self.facts.alike.contains(&self.kernel().root(view))) {
            stored = self.uniform(old);
        }
        if let Some(first) = self.packed(op, &cells) {
            let operands: Values = first.into_iter().chain([self.in_lanes(stored), self.mask]).collect();
            self.b.push(Code::CompressStore, Attr::None, &operands);
            return;
        }
        let mut operands: Values = std::iter::once(cells.view).chain(cells.subscripts.iter().copied()).collect();
        operands.push(stored);
        let code = if !operands.iter().any(|&value| self.is_in_lanes(value)) {
            Code::Store
        } else {
            operands.push(self.mask);
            if self.is_plain(op, &cells, is_own) { Code::MaskedStore } else { Code::Scatter }
        };
        self.b.push(code, Attr::None, &operands);
    }

    /// An atomic op of the active lanes, one after the other, even where all of them have one cell.
    pub(super) fn atomic(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let cells = self.operands(op);
        let mut operands: Values = std::iter::once(cells.view).chain(cells.subscripts).chain(cells.stored).collect();
        operands.push(self.mask);
        let made = self.b.op_with(data.code, data.attr, &operands);
        self.stand_for(&data.results, &[made]);
    }

    /// A prefetch of all lanes' cells: those that do not exist are no matter, so it needs no mask.
    pub(super) fn prefetch(&mut self, op: Op) {
        let cells = self.operands(op);
        let operands: Values = std::iter::once(cells.view).chain(cells.subscripts.iter().copied()).collect();
        let (last, others) = operands.split_last().expect("a view and a subscript");
        let steps = cells.subscripts.len();
        let old = self.kernel().ops[op].operands[steps];
        let one_by_one = matches!(self.facts.shape(old), Shape::Linear(stride) if stride.as_constant() == Some(1));
        let is_row = one_by_one && self.is_in_lanes(*last) && !others.iter().any(|&value| self.is_in_lanes(value));
        self.b.push(if is_row { Code::PrefetchRow } else { Code::Prefetch }, Attr::None, &operands);
    }

    /// The view and the subscripts of the first cell of an access whose active lanes have contiguous cells, in one row: inactive lanes
    /// are left out of the count.
    fn packed(&mut self, op: Op, cells: &Operands) -> Option<Values> {
        if self.is_in_lanes(cells.view) {
            return None;
        }
        let rank = usize::from(self.kernel().ty(self.kernel().ops[op].operands[0]).rank());
        let old: Values = self.kernel().ops[op].operands[1..=rank].into();
        let at = self.packed_at(&old)?;
        let others = cells.subscripts[..rank - 1].iter().copied();
        Some(std::iter::once(cells.view).chain(others).chain([at]).collect())
    }

    fn operands(&mut self, op: Op) -> Operands {
        let data = self.kernel().ops[op].clone();
        let rank = self.kernel().ty(data.operands[0]).rank() as usize;
        let subscripts = data.operands[1..=rank].iter().map(|&value| self.subscript(value)).collect();
        let stored = data.operands.get(rank + 1).map(|&value| self.at(value));
        Operands { view: self.at(data.operands[0]), subscripts, stored }
    }

    /// A subscript, as a scalar where it is known to be the same in all lanes.
    fn subscript(&mut self, old: Value) -> Value {
        if self.facts.shape(old).is_uniform() { self.uniform(old) } else { self.at(old) }
    }

    /// Says whether neighbouring lanes touch neighbouring cells along the last dimension of one view, and those lie side by
    /// side in memory.
    fn is_plain(&self, op: Op, cells: &Operands, is_own: bool) -> bool {
        let rank = cells.subscripts.len();
        let others = &cells.subscripts[..rank.saturating_sub(1)];
        if self.is_in_lanes(cells.view) || others.iter().any(|&value| self.is_in_lanes(value)) {
            return false;
        }
        if is_own {
            return true;
        }
        let old = &self.kernel().ops[op].operands[1..=rank];
        let contiguous = self.facts.access(op).is_some_and(|access| access.class == Class::Contiguous);
        let one_by_one = |value: &Value| matches!(self.facts.shape(*value), Shape::Linear(stride) if stride.as_constant() == Some(1));
        contiguous && old.last().is_some_and(one_by_one)
    }
}
