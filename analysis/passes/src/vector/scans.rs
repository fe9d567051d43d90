//! Values from the lanes before: those of the previous iteration, and running sums.
//!
//! ```text
//! out[i] = a[i] - before          let x = masked_load(a, i, active)
//! before = a[i]                   let before_1 = permute(splat(before), x, pattern=[0, 4, 5, 6])
//!                                 masked_store(out, i, (x - before_1), active)
//!                                 yield extract(x, (count_on(active) -% 1))
//! ```
//!
//! The value that a lane passes to the next one is computed first, before anything in the loop uses the one that it
//! gets.

use std::collections::BTreeSet;

use super::Lowerer;
use super::carried::Ways;
use facts::loops::{Early, LaneForm, Slice, Slicer, SumStep, split_constant, step};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::Attr;
use ir::scalar::Scalar;
use ir::types::Elem;

impl Lowerer<'_> {
    /// Finds slices of the loop as it was.
    pub(super) fn slicer(&self, op: Op) -> Slicer<'_> {
        Slicer::new(self.kernel(), self.forest, self.uses, op)
    }

    /// Makes known what lanes have from the lanes before them, at the start of a group.
    pub(super) fn know_lanes_before(&mut self, op: Op, ways: &Ways) {
        for number in 0..self.carried.len() {
            self.know(op, ways, number);
        }
    }

    /// Makes a value known, and before it all that it needs.
    fn know(&mut self, op: Op, ways: &Ways, number: usize) {
        let carried = self.carried[number];
        let form =
            carried.form.filter(|form| matches!(form, LaneForm::Shifted | LaneForm::Running | LaneForm::Scanned));
        let (Some(form), false) = (form, self.new.contains_key(&carried.arg)) else { return };
        if self.slicer(op).is_only_left(number, carried.role) {
            return;
        }
        let handed_on = self.slicer(op).handed_on(number, carried.role).unwrap_or_default();
        let Some(early) = Early::in_iteration(self.kernel(), op, &handed_on) else { return };
        for need in early.carried {
            self.know(op, ways, need);
        }
        for op in early.ops {
            if self.left_out.insert(op) {
                self.one(op);
            }
        }
        let Some(before) = ways.arg(number) else { return };
        let value = match form {
            LaneForm::Running => self.running(op, number, before),
            LaneForm::Scanned => self.scanned(op, number, before),
            _ => self.shifted(handed_on[0], before),
        };
        let name = self.name_of(carried.arg);
        self.b.name(value, &name);
        self.new.insert(carried.arg, value);
        if form == LaneForm::Running
            && let Some(condition) = self.counts(op, number)
        {
            self.packs.insert(carried.arg, (condition, before));
        }
    }

    /// The condition that a running sum counts: it is one more where that holds.
    fn counts(&self, op: Op, number: usize) -> Option<Value> {
        let kernel = self.kernel();
        let arg = self.carried[number].arg;
        let slice = self.slicer(op).slice(&BTreeSet::from([number]));
        let next = kernel.regions[kernel.ops[op].regions[0]].yields[number];
        let Some(SumStep::Choice(condition, more, same)) = step(kernel, &slice, next) else { return None };
        let is_one = |by: Value| kernel.as_const(by).is_some_and(|by| by == Scalar::one(by.elem()));
        match step(kernel, &slice, more) {
            Some(SumStep::Moved { from, by, falls: false }) if from == arg && same == arg && is_one(by) => {
                Some(condition)
            }
            _ => None,
        }
    }

    /// Returns the start of a packed access: the active lanes' cells are contiguous if the subscript counts just those
    /// lanes. If it is the count that an iteration leaves, or another constant away from the one that it begins with, so is the start.
    pub(super) fn packed_at(&mut self, subscripts: &[Value]) -> Option<Value> {
        let (&subscript, others) = subscripts.split_last()?;
        let (count, added) = split_constant(self.kernel(), subscript);
        let (condition, before) = *self.packs.get(&count)?;
        let in_one_row = others.iter().all(|&other| self.facts.shape(other).is_uniform());
        if !in_one_row || self.under != [(condition, true)] {
            return None;
        }
        if added == 0 {
            return Some(before);
        }
        // No lane may be active, so a sum that does not fit is no error. The first active lane's own is this one.
        let by = self.b.constant(Scalar::wrap(self.elem(before), added));
        Some(self.b.op(Code::WrappingAdd, &[before, by]))
    }

    /// The lane before's value; for the first lane, the group before's.
    fn shifted(&mut self, made: Value, before: Value) -> Value {
        let made = self.at(made);
        let (made, before) = (self.in_lanes(made), self.in_lanes(before));
        let pattern = (0..self.lanes).map(|lane| if lane == 0 { 0 } else { self.lanes + lane - 1 });
        self.b.op_with(Code::Permute, Attr::Pattern(pattern.collect()), &[before, made])
    }

    /// The sum of the lanes before. The sum wraps: its low bits are right, and the program's sums fit.
    fn running(&mut self, op: Op, number: usize, before: Value) -> Value {
        let slice = self.slicer(op).slice(&BTreeSet::from([number]));
        let next = self.kernel().regions[self.kernel().ops[op].regions[0]].yields[number];
        let elem = self.elem(before);
        let added = match self.added(&slice, self.carried[number].arg, next) {
            Some(added) => added,
            None => self.b.constant(Scalar::zero(elem)),
        };
        let added = self.in_lanes(added);
        let sums = match elem.is_signed() {
            true => {
                let added = self.b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[added]);
                let sums = self.b.op(Code::ScanAdd, &[added, self.mask]);
                self.b.op_with(Code::Cast, Attr::Elem(elem), &[sums])
            }
            false => self.b.op(Code::ScanAdd, &[added, self.mask]),
        };
        self.b.op(Code::WrappingAdd, &[before, sums])
    }

    /// The amount that an iteration adds to `arg` on the way to a value; `None` for nothing.
    fn added(&mut self, slice: &Slice, arg: Value, value: Value) -> Option<Value> {
        if value == arg {
            return None;
        }
        let elem = self.kernel().ty(arg).data_elem()?;
        match step(self.kernel(), slice, value)? {
            SumStep::Choice(condition, a, b) => {
                let [a, b] = [a, b].map(|side| self.added(slice, arg, side));
                if a.is_none() && b.is_none() {
                    return None;
                }
                let nothing = self.b.constant(Scalar::zero(elem));
                let condition = self.at(condition);
                Some(self.b.op(Code::Select, &[condition, a.unwrap_or(nothing), b.unwrap_or(nothing)]))
            }
            SumStep::Moved { from, by, falls } => {
                let (before, by) = (self.added(slice, arg, from), self.at(by));
                let nothing = self.b.constant(Scalar::zero(elem));
                match (before, falls) {
                    (None, false) => Some(by),
                    (before, true) => Some(self.b.op(Code::WrappingSub, &[before.unwrap_or(nothing), by])),
                    (Some(before), false) => Some(self.b.op(Code::WrappingAdd, &[before, by])),
                }
            }
        }
    }

    /// Says whether a running sum counts the lanes for which a condition holds.
    pub(super) fn is_count(&self, number: usize) -> bool {
        self.packs.contains_key(&self.carried[number].arg)
    }

    /// The count after a group: no lane has to know its own for that.
    pub(super) fn counted_on(&mut self, number: usize, before: Value) -> Value {
        let (condition, _) = self.packs[&self.carried[number].arg];
        let condition = self.at(condition);
        let condition = self.in_lanes(condition);
        let count = self.b.op(Code::CountOn, &[condition, self.mask]);
        let elem = self.elem(before);
        let count = if elem == Elem::I32 { count } else { self.b.op_with(Code::Cast, Attr::Elem(elem), &[count]) };
        self.b.op(Code::WrappingAdd, &[before, count])
    }

    /// The last lane's element, which the next group starts from.
    pub(super) fn last(&mut self, value: Value) -> Value {
        if !self.is_in_lanes(value) {
            return value;
        }
        let count = self.b.op(Code::CountOn, &[self.mask]);
        let one = self.b.constant(Scalar::I32(1));
        let last = self.b.op(Code::WrappingSub, &[count, one]);
        self.b.op(Code::Extract, &[value, last])
    }
}
