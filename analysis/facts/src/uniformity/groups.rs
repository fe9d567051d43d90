//! Kernels that are already vectorised: the facts about the values of a `vector_for`, as one group of its lanes sees
//! them.
//!
//! The *group* is the iteration of the `vector_for`. Its number is the same in all lanes, so each lane's index is
//! `first + lanes * step * group + step * lane`. Facts about `first` say how groups are aligned: if it is 0 and there
//! are eight lanes, two cells with the same `i / 2` are always in one group.

use super::Finder;
use super::lane_loop::Lanes;
use crate::form::{Form, FormAtom};
use crate::range::ValueRange;
use crate::shape::Shape;
use crate::{Cause, Flow, VaryingReason};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;
use ir::types::Elem;

/// The first index of a loop, up to a number of whole groups.
struct First {
    form: Form,
    range: ValueRange,
}

impl Finder<'_> {
    /// Finds the facts of a loop that is already vectorised.
    pub(super) fn group_loop(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let region = data.regions[0];
        let args = self.kernel.regions[region].args.clone();
        let range = [data.operands[0], data.operands[1], data.operands[2]];
        let lanes = self.kernel.control(op).and_then(|control| control.width).unwrap_or(1);
        let last = i128::from(lanes) - 1;
        let within = Lanes { op, written: Default::default(), private: Default::default(), apart: true, last };
        let outer = self.lanes.replace(within);
        let base = args[0];
        let first = self.first_index(range, lanes);
        self.facts.ranges[base] = first.as_ref().and_then(|first| self.indices_from(first.range, range));
        let step = self.known(range[2]);
        let form = first.zip(step).and_then(|(first, step)| {
            let groups = Form::atom(FormAtom::Group(base)).scale(step.checked_mul(lanes.into())?)?;
            first.form.add(&groups)
        });
        match form {
            Some(form) => self.formed(base, form, true, Shape::Arbitrary, None),
            None => self.opaque(base, Shape::Uniform, None),
        }
        // A value that groups carry is one for all lanes, or a vector.
        for &arg in &args[1..] {
            self.carried_by_groups(arg);
        }
        self.region(region, Flow::AllOn);
        self.lanes = outer;
        for &result in &self.kernel.ops[op].results {
            self.carried_by_groups(result);
        }
    }

    fn carried_by_groups(&mut self, value: Value) {
        let shape = if self.is_in_lanes(value) { Shape::Arbitrary } else { Shape::Uniform };
        self.facts.ranges[value] = None;
        self.opaque(value, shape, Some(Cause { reason: VaryingReason::Carried, value: None }));
    }

    pub(super) fn is_in_lanes(&self, value: Value) -> bool {
        self.kernel.ty(value).lanes().is_some()
    }

    /// Finds the facts of an op that gives each lane its index.
    pub(super) fn lane_index(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (result, base, step) = (data.results[0], data.operands[0], data.operands[1]);
        let own_loop = self.lanes.as_ref().map(|lanes| lanes.op);
        if let Some(of) = own_loop {
            let kernel = self.kernel;
            let is_base = kernel.regions[kernel.ops[of].regions[0]].args[0] == base;
            let operands = &kernel.ops[of].operands;
            // An index past the end is one of no active lane.
            self.facts.ranges[result] = self
                .range(base)
                .filter(|_| is_base)
                .and_then(|range| self.indices_from(range, [operands[0], operands[1], operands[2]]));
        }
        let cause = Some(Cause { reason: VaryingReason::LaneNumber, value: None });
        let form =
            self.form(base).zip(self.form(step)).and_then(|(base, step)| base.add(&step.mul(&Form::iteration())?));
        match form {
            Some(form) => self.formed(result, form, true, Shape::Arbitrary, cause),
            None => self.opaque(result, Shape::Arbitrary, cause),
        }
    }

    /// The range of indices that a loop over a range has, if the first one is in this range.
    fn indices_from(&self, first: ValueRange, range: [Value; 3]) -> Option<ValueRange> {
        let (stop, step) = (self.range(range[1])?, self.range(range[2])?);
        match (step.lo > 0, step.hi < 0) {
            (true, _) => {
                Some(ValueRange::new(first.lo, stop.hi - 1).unwrap_or(ValueRange { lo: first.lo, hi: first.lo }))
            }
            (_, true) => {
                Some(ValueRange::new(stop.lo + 1, first.hi).unwrap_or(ValueRange { lo: first.hi, hi: first.hi }))
            }
            _ => self.elem(range[0]).and_then(ValueRange::of),
        }
    }

    /// Returns the first index of a loop, up to a number of whole groups.
    fn first_index(&self, range: [Value; 3], lanes: u16) -> Option<First> {
        let [lo, hi, _] = range;
        let step = self.known(range[2])?;
        let rest = behind_whole_groups(self.kernel, lo).filter(|rest| {
            i128::from(rest.lanes) == i128::from(lanes) && if rest.upwards { step == 1 } else { step == -1 }
        });
        match rest {
            // The rest runs up to the end that the groups are counted to and is not empty, so the end is positive.
            Some(Rest { from: None, end, .. }) if end == hi => {
                let all = self.elem(lo).and_then(ValueRange::of)?;
                Some(First { form: Form::default(), range: ValueRange { lo: 0, hi: all.hi } })
            }
            Some(Rest { from: Some(from), upwards, .. }) => {
                let (all, from_range) = (self.elem(lo).and_then(ValueRange::of)?, self.range(from)?);
                let range = match upwards {
                    true => ValueRange { lo: from_range.lo, hi: all.hi },
                    false => ValueRange { lo: all.lo, hi: from_range.hi },
                };
                Some(First { form: self.form(from)?.clone(), range })
            }
            _ => Some(First { form: self.form(lo)?.clone(), range: self.range(lo)? }),
        }
    }
}

/// An index behind whole groups of lanes, that what is left starts from.
struct Rest {
    /// The start of the groups; `None` for 0.
    from: Option<Value>,
    /// To where they are counted.
    end: Value,
    /// The number of lanes of a group.
    lanes: i64,
    upwards: bool,
}

/// Reads an index behind whole groups, in the two forms in which [`passes::specialise`] computes it:
/// `end - end % lanes`, and `from` plus (or minus) the same of the distance to the end.
fn behind_whole_groups(kernel: &Kernel, value: Value) -> Option<Rest> {
    if let Some((end, lanes)) = whole_part(kernel, value) {
        return Some(Rest { from: None, end, lanes, upwards: true });
    }
    let (code, [from, whole]) = binary(kernel, value)?;
    let upwards = match code {
        Code::WrappingAdd => true,
        Code::WrappingSub => false,
        _ => return None,
    };
    let (distance, lanes) = whole_part(kernel, uncast(kernel, whole))?;
    // The distance from `from` on is never negative: the farther of both ends, less the nearer one.
    let (far, near) = match binary(kernel, uncast(kernel, distance))? {
        (Code::WrappingSub, [far, near]) => (far, near),
        _ => return None,
    };
    let (Code::Max, ends) = binary(kernel, far)? else { return None };
    let other = |one: Value| ends.iter().copied().find(|end| *end != one);
    let end = if upwards { other(from).filter(|_| near == from)? } else { near };
    (ends.contains(&from) && ends.contains(&end)).then_some(Rest { from: Some(from), end, lanes, upwards })
}

/// `x - x % lanes`: `x`, and the lanes.
fn whole_part(kernel: &Kernel, value: Value) -> Option<(Value, i64)> {
    let (Code::WrappingSub, [x, rest]) = binary(kernel, value)? else { return None };
    let (Code::Rem, [same, lanes]) = binary(kernel, rest)? else { return None };
    let lanes = kernel.as_const(lanes).and_then(Scalar::wide)?;
    (same == x && lanes > 0).then_some((x, i64::try_from(lanes).ok()?))
}

fn binary(kernel: &Kernel, value: Value) -> Option<(Code, [Value; 2])> {
    let data = &kernel.ops[kernel.def_op(value)?];
    Some((data.code, data.operands.as_slice().try_into().ok()?))
}

/// The operand of a cast between an integer type and the unsigned one of its size.
fn uncast(kernel: &Kernel, value: Value) -> Value {
    let bytes = |value: Value| kernel.ty(value).data_elem().filter(|elem| elem.is_integer()).map(Elem::bytes);
    match kernel.def_op(value).map(|op| &kernel.ops[op]) {
        Some(data) if data.code == Code::Cast && bytes(data.operands[0]) == bytes(value) => data.operands[0],
        _ => value,
    }
}
