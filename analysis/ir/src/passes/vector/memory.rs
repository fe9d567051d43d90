//! Loads and stores in lanes.

use super::{Lowerer, Operands};
use crate::entities::{Op, Value};
use crate::facts::{Class, Shape};
use crate::ops::Code;
use crate::program::{Attr, Values};

impl Lowerer<'_> {
    /// A load: one for all lanes, of neighbouring cells, or of each lane's own.
    pub(super) fn load(&mut self, op: Op) {
        let cells = self.operands(op);
        let result = self.kernel().ops[op].results[0];
        if let Some(at) = self.packed(op, &cells) {
            let made = self.b.op(Code::ExpandLoad, &[cells.view, at, self.mask]);
            return self.stand_for(&[result], &[made]);
        }
        let mut operands: Values = std::iter::once(cells.view).chain(cells.subscripts.iter().copied()).collect();
        let code = if !operands.iter().any(|&value| self.is_in_lanes(value)) {
            Code::Load
        } else {
            operands.push(self.mask);
            if self.is_plain(op, &cells) { Code::MaskedLoad } else { Code::Gather }
        };
        let made = self.b.op(code, &operands);
        self.stand_for(&[result], &[made]);
    }

    /// A store: one for all lanes, to neighbouring cells, or to each lane's own.
    pub(super) fn store(&mut self, op: Op) {
        let cells = self.operands(op);
        let Some(stored) = cells.stored else { return };
        if let Some(at) = self.packed(op, &cells) {
            let stored = self.in_lanes(stored);
            self.b.push(Code::CompressStore, Attr::None, &[cells.view, at, stored, self.mask]);
            return;
        }
        let mut operands: Values = std::iter::once(cells.view).chain(cells.subscripts.iter().copied()).collect();
        operands.push(stored);
        let code = if !operands.iter().any(|&value| self.is_in_lanes(value)) {
            Code::Store
        } else {
            operands.push(self.mask);
            if self.is_plain(op, &cells) { Code::MaskedStore } else { Code::Scatter }
        };
        self.b.push(code, Attr::None, &operands);
    }

    /// The first cell, where those of the lanes that are there lie side by side as long as others are left out.
    fn packed(&self, op: Op, cells: &Operands) -> Option<Value> {
        let rank = cells.subscripts.len();
        let old = &self.kernel().ops[op].operands[1..=rank];
        self.packed_at(old).filter(|_| !self.is_in_lanes(cells.view))
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

    /// Whether neighbouring lanes touch neighbouring cells along the last dimension of one view, and those lie side by
    /// side in memory.
    fn is_plain(&self, op: Op, cells: &Operands) -> bool {
        let rank = cells.subscripts.len();
        let old = &self.kernel().ops[op].operands[1..=rank];
        let contiguous = self.facts.access(op).is_some_and(|access| access.class == Class::Contiguous);
        let one_by_one = |value: &Value| matches!(self.facts.shape(*value), Shape::Linear(stride) if stride.as_constant() == Some(1));
        let others = &cells.subscripts[..rank.saturating_sub(1)];
        contiguous
            && old.last().is_some_and(one_by_one)
            && !self.is_in_lanes(cells.view)
            && !others.iter().any(|&value| self.is_in_lanes(value))
    }
}
