//! Ops without blocks: what they make of the shapes of their operands.

use super::Finder;
use crate::form::{Form, FormAtom};
use crate::range::ValueRange;
use crate::shape::Shape;
use crate::{Cause, VaryingReason, access};
use ir::entities::{Op, Value};
use ir::ops::{Code, Gives};
use ir::program::Def;
use ir::scalar::Scalar;
use ir::types::Elem;

impl Finder<'_> {
    /// Says what an op's results are.
    pub(super) fn plain(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let cause = self.cause_among(&data.operands, VaryingReason::Operand);
        if let [value] = data.results.as_slice() {
            self.facts.ranges[*value] = self.range_of(op, *value);
        }
        match data.code {
            Code::Load => self.load(op),
            Code::Unknown => {
                let shape = if self.lanes.is_some() { Shape::Arbitrary } else { Shape::Uniform };
                let cause = Some(Cause { reason: VaryingReason::Unknown, value: None });
                data.results.iter().for_each(|&value| self.opaque(value, shape.clone(), cause));
            }
            Code::LaneIndex => self.lane_index(op),
            Code::LaneId if self.lanes.is_some() && self.is_in_lanes(data.results[0]) => {
                let cause = Some(Cause { reason: VaryingReason::LaneNumber, value: None });
                self.formed(data.results[0], Form::iteration(), true, Shape::Arbitrary, cause);
            }
            Code::LaneId if self.lanes.is_some() => {
                let cause = Some(Cause { reason: VaryingReason::LaneNumber, value: None });
                self.moved(data.results[0], Form::iteration(), Shape::Arbitrary, cause);
            }
            code if code.as_atomic().is_some() && self.lanes.is_some() => {
                let cause = Some(Cause { reason: VaryingReason::Lanes, value: None });
                self.opaque(data.results[0], Shape::Arbitrary, cause);
            }
            Code::Assert => self.assume(data.operands[0], true),
            Code::AssertSize => self.assume_same(data.operands[0], data.operands[1]),
            Code::FirstOf => self.first_of(op),
            // All lanes take the same lane's.
            Code::Shuffle if self.shape(data.operands[1]).is_uniform() => {
                self.opaque(data.results[0], Shape::Uniform, None);
            }
            _ if self.tells_lanes_apart(op) => {
                let value = data.operands.iter().copied().find(|value| !self.shape(*value).is_uniform());
                let cause = Some(Cause { reason: VaryingReason::Lanes, value });
                data.results.iter().for_each(|&result| self.opaque(result, Shape::Arbitrary, cause));
            }
            _ => {
                for &value in &data.results {
                    self.computed(op, value, cause);
                }
            }
        }
    }

    /// The value that a variable of all lanes has behind a block that some of them enter: those have to agree about it.
    fn first_of(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (x, y, condition) = (data.operands[0], data.operands[1], data.operands[2]);
        let entered = self.made_in_branch(x, condition).unwrap_or(x);
        let is_said = |value: Value| self.shape(value).is_uniform();
        let parts = [entered, y].into_iter().find(|&value| !is_said(value));
        // The results of a loop that lanes leave one by one differ, but the lanes that stayed longest agree.
        let agrees = parts.is_none() || entered == x && is_said(y) && self.is_of_loop(x);
        let cause = parts.map(|value| Cause { reason: VaryingReason::Operand, value: Some(value) });
        match agrees {
            true => self.opaque(data.results[0], Shape::Uniform, None),
            false => self.opaque(data.results[0], Shape::Arbitrary, cause),
        }
    }

    /// Returns the value that a result of a branch has where the condition holds.
    fn made_in_branch(&self, value: Value, condition: Value) -> Option<Value> {
        let Def::Result(branch, number) = self.kernel.values[value].def else { return None };
        let data = &self.kernel.ops[branch];
        let is_it = data.code == Code::If && data.operands[0] == condition;
        is_it.then(|| self.kernel.regions[data.regions[0]].yields[number as usize])
    }

    fn is_of_loop(&self, value: Value) -> bool {
        let Def::Result(made, number) = self.kernel.values[value].def else { return false };
        let data = &self.kernel.ops[made];
        let region = data.regions.first().map(|&region| &self.kernel.regions[region]);
        let first = match data.code {
            Code::While => 0,
            Code::For => 1,
            _ => return false,
        };
        let arg = region.and_then(|region| region.args.get(first + number as usize));
        arg.is_some_and(|&arg| self.shape(arg).is_uniform())
    }

    /// Says whether lanes get what lies in other lanes, or in neighbouring cells of one that all of them name.
    fn tells_lanes_apart(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        match data.code {
            Code::Rotate | Code::Shuffle | Code::ScanAdd | Code::ExpandLoad => self.lanes.is_some(),
            Code::ActiveLanes
            | Code::Pack
            | Code::Permute
            | Code::Regroup
            | Code::Sad
            | Code::Lookup
            | Code::Reverse
            | Code::VectorLoad
            | Code::MaskedLoad
            | Code::InterleavedLoad => true,
            Code::LaneId => self.is_in_lanes(data.results[0]),
            _ => false,
        }
    }

    /// A load: what it gives depends on where it reads, and on who writes there.
    fn load(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (result, view) = (data.results[0], data.operands[0]);
        let mut cause = self.cause_among(&data.operands[1..], VaryingReason::Address);
        cause = cause.or_else(|| self.cause_among(&data.operands[..1], VaryingReason::Address));
        let Some(lanes) = &self.lanes else { return self.opaque(result, Shape::Uniform, None) };
        let root = self.kernel.root(view);
        let is_written = lanes.private.contains(&root) || (!lanes.apart && lanes.written.contains(&root));
        if is_written && !self.facts.alike.contains(&root) {
            let cause = cause.unwrap_or(Cause { reason: VaryingReason::Written, value: Some(root) });
            return self.opaque(result, Shape::Arbitrary, Some(cause));
        }
        let shape = access::shape(self.kernel, &self.facts, op).computed();
        self.opaque(result, shape, cause);
    }

    /// The shape computed from values of these shapes.
    pub(super) fn joined(&self, values: &[Value]) -> Shape {
        values.iter().fold(Shape::Uniform, |shape, &value| shape.with(self.shape(value)))
    }

    fn computed(&mut self, op: Op, value: Value, cause: Option<Cause>) {
        let data = &self.kernel.ops[op];
        // In code that is already vectorised, a comparison may be the very mask that says for which lanes the facts
        // hold.
        if let [a, b] = data.operands[..]
            && !self.is_in_lanes(value)
            && let Some(truth) = self.decided(data.code, a, b)
        {
            return self.formed(value, Form::constant(truth.into()), true, Shape::Uniform, None);
        }
        if data.code == Code::Select
            && self.shape(data.operands[0]).is_uniform()
            && let (Some(a), Some(b)) = (self.form(data.operands[1]), self.form(data.operands[2]))
            && a != b
            && self.known(data.operands[0]).is_none()
            && a.varying_part() == b.varying_part()
        {
            return self.moved(value, a.varying_part(), self.shape_of(op), cause);
        }
        // A result that all lanes compute together is the same in all of them.
        let together = matches!(data.code.row().gives, Gives::ScalarOf(_) | Gives::SameScalar);
        if together || data.operands.iter().all(|&operand| self.shape(operand).is_uniform()) {
            return match self.integer(op, value) {
                Some((form, true)) if !together => self.formed(value, form, true, Shape::Uniform, None),
                _ => self.opaque(value, Shape::Uniform, None),
            };
        }
        let shape = self.shape_of(op);
        match self.integer(op, value) {
            Some((form, exact)) => self.formed(value, form, exact, shape, cause),
            None => self.opaque(value, shape, cause),
        }
    }

    /// The shape of what an op computes, where it has no form.
    fn shape_of(&self, op: Op) -> Shape {
        let data = &self.kernel.ops[op];
        let operands = &data.operands;
        let bools = |at: usize| self.elem(operands[at]) == Some(Elem::Bool);
        match data.code {
            Code::And | Code::Or if bools(0) => self.shape(operands[0]).joined(self.shape(operands[1])),
            Code::Not if bools(0) => self.shape(operands[0]).not(),
            Code::Lt | Code::Le => self.compared(operands[0], operands[1]),
            Code::Gt | Code::Ge => self.compared(operands[1], operands[0]),
            Code::Eq => self.same(operands[0], operands[1]),
            Code::Ne => self.same(operands[0], operands[1]).not(),
            Code::And => self.masked(operands[0], operands[1]).unwrap_or_else(|| self.joined(operands)),
            Code::Rem => self.low_bits(operands[0], operands[1]).unwrap_or_else(|| self.joined(operands)),
            Code::Select => self.chosen(operands[0], operands[1], operands[2]),
            _ => self.joined(operands),
        }
    }

    /// Returns the shape of the bool that one value is below another.
    fn compared(&self, a: Value, b: Value) -> Shape {
        match self.of_difference(a, b, Shape::is_negative) {
            Shape::Arbitrary => self.difference(a, b).map_or(Shape::Arbitrary, |difference| self.sign(&difference)),
            shape => shape,
        }
    }

    /// Returns the shape of the bool that two values are equal.
    fn same(&self, a: Value, b: Value) -> Shape {
        let shape = self.of_difference(a, b, Shape::computed);
        let difference = self.difference(a, b).filter(|_| shape == Shape::Arbitrary);
        // If the difference is never negative, its least value is 0, so equality is a sign; likewise if it is never
        // positive.
        let at_an_end = difference.and_then(|difference| match self.bounds(&difference)? {
            range if range.lo >= 0 => Some(self.sign(&difference)),
            range if range.hi <= 0 => Some(self.sign(&difference.scale(-1)?)),
            _ => None,
        });
        at_an_end.unwrap_or(shape)
    }

    /// Returns the shape of the bool that an integer is negative, by the change of its form from lane to lane.
    fn sign(&self, form: &Form) -> Shape {
        let is_natural = |atom: &FormAtom| self.bounds(&Form::atom(atom.clone())).is_some_and(ValueRange::is_natural);
        match form.grows(&is_natural) {
            Some(true) => Shape::Prefix,
            Some(false) => Shape::Suffix,
            None => Shape::Arbitrary,
        }
    }

    /// The shape that follows from the difference of two values; from both of them, where the difference says nothing.
    fn of_difference(&self, a: Value, b: Value, tell: fn(&Shape) -> Shape) -> Shape {
        let told = self.difference(a, b).map(|difference| tell(&Shape::of(&difference)));
        told.filter(|shape| *shape != Shape::Arbitrary).unwrap_or_else(|| self.joined(&[a, b]))
    }

    /// `x & constant`: it depends on the bits below the constant's highest.
    fn masked(&self, a: Value, b: Value) -> Option<Shape> {
        let (x, mask) = self.with_known(a, b)?;
        let form = self.fact(x).form.as_ref()?;
        let bits = 128 - mask.leading_zeros();
        let shape = (mask > 0 && bits <= 62).then(|| Shape::of_low_bits(form, bits));
        shape.filter(|shape| *shape != Shape::Arbitrary)
    }

    /// `x % power`, of an unsigned number that may have wrapped.
    fn low_bits(&self, a: Value, b: Value) -> Option<Shape> {
        let power = self.known(b)?;
        let is_power = power > 0 && power & (power - 1) == 0 && !self.elem(a)?.is_signed();
        let shape = Shape::of_low_bits(self.fact(a).form.as_ref().filter(|_| is_power)?, power.trailing_zeros());
        Some(shape).filter(|shape| *shape != Shape::Arbitrary)
    }

    /// Returns the shape of a choice between two values.
    pub(super) fn chosen(&self, condition: Value, a: Value, b: Value) -> Shape {
        // `and` and `or` are choices, too, where their right side is computed only if it decides.
        let known = |value: Value| self.kernel.as_const(value);
        if known(a) == Some(Scalar::Bool(true)) {
            return self.shape(condition).joined(self.shape(b));
        }
        if known(b) == Some(Scalar::Bool(false)) {
            return self.shape(condition).joined(self.shape(a));
        }
        let (a, b) = (self.fact(a), self.fact(b));
        if a.form.is_some() && a.form == b.form && a.exact && b.exact {
            return a.shape.clone();
        }
        let bools = matches!(a.shape, Shape::Prefix | Shape::Suffix) && a.shape == b.shape;
        if bools && self.shape(condition).is_uniform() {
            return a.shape.clone();
        }
        a.shape.with(&b.shape).with(&self.as_data(condition))
    }

    /// The shape of a bool that decides between values: that some lanes come first says nothing of those, but what is
    /// compared may.
    fn as_data(&self, condition: Value) -> Shape {
        let Some(op) = self.kernel.def_op(condition) else { return self.shape(condition).computed() };
        let data = &self.kernel.ops[op];
        match (self.shape(condition), data.code) {
            (Shape::Prefix | Shape::Suffix, Code::Not) => self.as_data(data.operands[0]),
            (Shape::Prefix | Shape::Suffix, Code::Lt | Code::Le | Code::Gt | Code::Ge) => self.joined(&data.operands),
            (shape, _) => shape.computed(),
        }
    }
}
