//! The constraints that hold at a place: the bounds of loops around it, the conditions of branches, and what was asserted.
//!
//! They hold for the lanes that are active there, which are those that facts are about.

use super::Finder;
use crate::bounds::Known;
use crate::form::{Form, FormAtom};
use crate::range::ValueRange;
use ir::entities::Value;
use ir::ops::Code;
use ir::scalar::Scalar;

/// Conditions that are joined deeper than this say nothing.
const DEPTH: u32 = 8;

impl Finder<'_> {
    /// Looks at a part of the kernel, and forgets behind it what became known in there.
    pub(super) fn knowing(&mut self, part: impl FnOnce(&mut Self)) {
        let outside = self.known.len();
        part(self);
        self.known.truncate(outside);
    }

    /// From here on a condition holds, or does not.
    pub(super) fn assume(&mut self, condition: Value, holds: bool) {
        self.assume_joined(condition, holds, DEPTH);
    }

    fn assume_joined(&mut self, condition: Value, holds: bool, depth: u32) {
        let Some(op) = self.kernel.def_op(condition).filter(|_| depth > 0) else { return };
        let data = &self.kernel.ops[op];
        let at = |n: usize| data.operands[n];
        let both = |finder: &mut Self, a: Value, b: Value| {
            finder.assume_joined(a, holds, depth - 1);
            finder.assume_joined(b, holds, depth - 1);
        };
        let is = |n: usize, truth: bool| self.kernel.as_const(at(n)) == Some(Scalar::Bool(truth));
        match (data.code, holds) {
            (Code::And, true) | (Code::Or, false) => both(self, at(0), at(1)),
            // `and` and `or` are choices, too.
            (Code::Select, true) if is(2, false) => both(self, at(0), at(1)),
            (Code::Select, false) if is(1, true) => both(self, at(0), at(2)),
            (Code::Not, _) => self.assume_joined(at(0), !holds, depth - 1),
            (Code::Lt, true) | (Code::Ge, false) => self.assume_above(at(1), at(0), 1),
            (Code::Lt, false) | (Code::Ge, true) => self.assume_above(at(0), at(1), 0),
            (Code::Gt, true) | (Code::Le, false) => self.assume_above(at(0), at(1), 1),
            (Code::Gt, false) | (Code::Le, true) => self.assume_above(at(1), at(0), 0),
            (Code::Eq, true) | (Code::Ne, false) => self.assume_same(at(0), at(1)),
            _ => {}
        }
    }

    /// Two integers are the same.
    pub(super) fn assume_same(&mut self, a: Value, b: Value) {
        self.assume_above(a, b, 0);
        self.assume_above(b, a, 0);
    }

    /// Records that one integer is at least `by` above another.
    fn assume_above(&mut self, high: Value, low: Value, by: i128) {
        let above = self.difference(high, low).and_then(|above| above.sub(&Form::constant(by)));
        self.known.extend(above.filter(|above| above.as_constant().is_none()));
    }

    /// The index of a loop lies in its range.
    pub(super) fn assume_in_range(&mut self, index: Value, range: &[Value]) {
        let (start, stop) = (range[0], range[1]);
        match self.range(range[2]) {
            Some(step) if step.lo > 0 => {
                self.assume_above(index, start, 0);
                self.assume_above(stop, index, 1);
            }
            Some(step) if step.hi < 0 => {
                self.assume_above(start, index, 0);
                self.assume_above(index, stop, 1);
            }
            _ => {}
        }
    }

    /// Says whether a comparison of integers comes out the same in all lanes, and how.
    pub(super) fn decided(&self, code: Code, a: Value, b: Value) -> Option<bool> {
        let by_form = |a, b| self.difference(a, b).and_then(|above| self.bounds(&above));
        let by_range = |a, b| self.lies(a)?.added(self.lies(b)?.negated());
        let above = |a, b| match (by_form(a, b), by_range(a, b)) {
            (Some(one), Some(other)) => Some(one.meet(other)),
            (one, other) => one.or(other),
        };
        let below = |a, b, by: i128| match above(b, a)? {
            range if range.lo >= by => Some(true),
            range if range.hi < by => Some(false),
            _ => None,
        };
        match code {
            Code::Lt => below(a, b, 1),
            Code::Le => below(a, b, 0),
            Code::Gt => below(b, a, 1),
            Code::Ge => below(b, a, 0),
            Code::Eq | Code::Ne => {
                let range = above(a, b)?;
                let same = (range.lo == 0 && range.hi == 0).then_some(true);
                let differs = (range.lo > 0 || range.hi < 0).then_some(false);
                same.or(differs).map(|same| same == (code == Code::Eq))
            }
            _ => None,
        }
    }

    /// Returns the bounds of an integer at this place.
    pub(super) fn lies(&self, value: Value) -> Option<ValueRange> {
        let range = self.range(value)?;
        let bounds = self.form(value).and_then(|form| self.bounds(form));
        Some(bounds.map_or(range, |bounds| bounds.meet(range)))
    }

    /// Returns the bounds of a form at this place.
    pub(super) fn bounds(&self, form: &Form) -> Option<ValueRange> {
        let range = |atom: &FormAtom| match atom {
            FormAtom::Iteration => Some(ValueRange { lo: 0, hi: self.lanes.as_ref()?.last }),
            // The atom is the uniform part of a value that varies, and nothing is known about that part.
            FormAtom::Value(value) if !self.shape(*value).is_uniform() => None,
            FormAtom::Value(value) | FormAtom::Varying(value) => self.range(*value),
            FormAtom::Size(..) => Some(ValueRange { lo: 0, hi: i64::MAX.into() }),
            FormAtom::Group(_) => None,
            FormAtom::Floor(_) => None,
        };
        Known { not_negative: &self.known, range: &range }.bounds(form)
    }
}
