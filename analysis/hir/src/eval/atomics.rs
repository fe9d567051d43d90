//! Atomic operations: each active lane's step, one lane after the other.

use ir::AtomicRule;
use ir::interp::ErrorKind;

use super::machine::{Machine, Run, Value};
use super::places::{Cell, Touching};
use crate::ExprId;

impl Machine<'_> {
    /// The old contents of the cells. Where nobody asks for them, the order of integers' operations is free.
    pub(super) fn atomic(
        &mut self,
        id: ExprId,
        rule: AtomicRule,
        (array, at, x): (ExprId, ExprId, ExprId),
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let (arrays, places) = (self.expr(array, active)?, self.integers(at, active)?);
        let values = self.expr(x, active)?;
        let is_statement = self.frame().unit.body.is_statement(id);
        self.each(active, |machine, n, lane| {
            let value = machine.scalar(&values[n], x)?;
            let Value::View(view) = &arrays[n] else { return Err(machine.no_meaning(id, lane)) };
            let Some(cell) = Cell::nth(view, places[n]) else {
                let size = view.dims[0].size;
                let kind = ErrorKind::IndexOutOfRange { index: places[n], size };
                return Err(machine.fault(kind, machine.at(id), lane));
            };
            let is_free = is_statement && rule.commutes(value.elem());
            let how = if is_free { Touching::Joins(rule) } else { Touching::Writes };
            machine.join(&cell, rule, value, how, (id, lane)).map(Value::Scalar)
        })
    }
}
