//! Values that run on in the language's fixed order, by blocks of iterations: lanes halve a block as often as they can.
//!
//! ```text
//! s = a * s + b           let f, t = a, b                                                     # each lane's step
//!                         let f0, t0 = permute(f, [0, 0, 2, 2, …]), permute(t, [0, 0, 2, 2, …])
//! with c in front of      f, t = (f * f0), (f * t0 + t) where a lane is the latter of a pair
//! a group of 8 lanes      …                                                                   # of a half of 4, of a half of 8
//!                         s = f * c + t
//!                         yield permute(f, [7, 7, 7, …]) * c + permute(t, [7, 7, 7, …])
//! ```
//!
//! What is in front of a group is in all lanes of a vector, so that groups wait for each other along one step. A group that is several
//! blocks applies one after the other. One that is a part of a block joins its steps behind those of the groups before it that the block's
//! order joins them to.

use super::Lowerer;
use facts::loops::{Carried, CarriedRole, LaneForm};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::Attr;
use ir::running::{BLOCK, Running, RunningKind, RunningMath, RunningStep, in_order};
use ir::scalar::{Fold, Scalar};
use ir::target::Masks;

impl Lowerer<'_> {
    /// Rebuilds an op that computes a part of what runs on: the part of each lane, or what the group hands on. All parts are made at
    /// once, where the first of them stands.
    pub(super) fn running_part(&mut self, op: Op, kind: RunningKind) {
        let data = self.kernel().ops[op].clone();
        let in_front = |value: &Carried| value.form == Some(LaneForm::Blocks) && value.arg == data.operands[1];
        let own = self.carried.iter().any(in_front);
        let Attr::Number(part) = data.attr else { return };
        if !own {
            // A loop inside of this one: each lane has its own.
            return self.same(op);
        }
        if !self.blocks.contains_key(&data.operands[1]) {
            let parts = self.parts(kind, &data.operands);
            self.blocks.insert(data.operands[1], parts);
        }
        let made = self.blocks[&data.operands[1]][part as usize];
        self.stand_for(&data.results, &[made]);
    }

    /// Says whether a carried value is what is in front of a block, which is in all lanes.
    pub(super) fn is_in_front(&self, arg: Value) -> bool {
        self.carried
            .iter()
            .any(|value| value.arg == arg && matches!(value.role, CarriedRole::Blocks { leads: true, .. }))
    }

    /// A value in lanes, where those that are not active have a number: what a group hands on is made of all lanes.
    pub(super) fn of_active(&mut self, value: Value) -> Value {
        if !self.is_in_lanes(value) {
            return self.in_lanes(value);
        }
        let nothing = self.b.constant(Scalar::zero(self.elem(value)));
        self.b.op(Code::Select, &[self.mask, value, nothing])
    }

    /// All parts: in lanes, and of the group.
    fn parts(&mut self, kind: RunningKind, operands: &[Value]) -> Vec<Value> {
        let lanes = self.lanes;
        let number = self.at(operands[0]);
        let new: Vec<Value> = operands[1..].iter().map(|&value| self.at(value)).collect();
        let Some(Running { fronts, own, before }) = Running::of(kind, &new) else { return Vec::new() };
        let mut step = own.map(|value| self.of_active(value));
        let mut math = Building { lowerer: self, number: Some(number), lanes };
        let mut next = Vec::new();
        for (level, before) in before.iter().enumerate() {
            let half = 1 << level;
            if half < lanes {
                // What comes before the group has no part in it, so what it hands on is never asked for.
                next.push(before.clone());
                step = math.joined_by_halves(kind, &step, half);
                continue;
            }
            // All lanes are in one half. The last group of a former half hands on what is joined to the latter one.
            let all = math.last_lane(&step);
            next.push(all.zip(before, |own, before| math.where_group(half - lanes, own, before)));
            let joined = kind.join(&mut math, before, &step);
            step = joined.zip(&step, |joined, own| math.where_group(half, joined, own));
        }
        let (values, ends) = math.applied(kind, &fronts, &step);
        let handed_on = |(&end, &front): (&Value, &Value)| match lanes < BLOCK {
            true => math.where_group(BLOCK - lanes, end, front),
            false => end,
        };
        let fronts: Vec<Value> = ends.iter().zip(&fronts).map(handed_on).collect();
        values.into_iter().chain(in_order(&fronts, &next)).collect()
    }
}

/// Builds the ops of a group of lanes.
pub(super) struct Building<'l, 'f> {
    lowerer: &'l mut Lowerer<'f>,
    /// The number of each lane's iteration; `None` for integers, which need no order.
    number: Option<Value>,
    lanes: u16,
}

impl Building<'_, '_> {
    /// Builds steps of integers, which wrap.
    pub(super) fn of_integers<'l, 'f>(lowerer: &'l mut Lowerer<'f>, lanes: u16) -> Building<'l, 'f> {
        Building { lowerer, number: None, lanes }
    }

    /// For each lane of a latter half, the step at the end of the former one.
    pub(super) fn ends_of_halves(&mut self, step: &RunningStep<Value>, half: u16) -> RunningStep<Value> {
        let end = |lane: u16| if lane & half == 0 { lane } else { (lane & !(half - 1)) - 1 };
        let pattern: Box<[u16]> = (0..self.lanes).map(end).collect();
        step.map(|value| self.lowerer.b.op_with(Code::Permute, Attr::Pattern(pattern.clone()), &[value]))
    }

    /// Joins the steps of latter halves of so many lanes behind those of the former ones.
    fn joined_by_halves(&mut self, kind: RunningKind, step: &RunningStep<Value>, half: u16) -> RunningStep<Value> {
        // Nothing leaves both rows of a step of two values as they are, bit by bit: 0 times an infinity is none.
        if self.lowerer.masks == Masks::Lanes && kind != RunningKind::Pair {
            return self.joined_with_identities(kind, step, half);
        }
        let former = self.ends_of_halves(step, half);
        let joined = kind.join(self, &former, step);
        self.in_latter_half(half, &joined, step)
    }

    /// Does so for targets that choose by a blend of its own: lanes of former halves join what changes nothing. A blend behind the sum
    /// would leave open what is in them before, and machine code would take some register for that, perhaps one that waits for another group.
    fn joined_with_identities(
        &mut self,
        kind: RunningKind,
        step: &RunningStep<Value>,
        half: u16,
    ) -> RunningStep<Value> {
        let elem = self.lowerer.elem(step.terms[0]);
        let (zero, one) = (Fold::Add.identity(elem), Fold::Mul.identity(elem));
        let nothing = if kind == RunningKind::Product { one } else { zero };
        let former: Vec<Value> = step.terms.iter().map(|&term| self.ends_or(term, half, nothing)).collect();
        // -0.0 times a factor that is negative is no -0.0.
        let factor = |&factor: &Value| {
            let one = self.lowerer.b.constant(one);
            let is_latter = self.is_latter(half);
            self.lowerer.b.op(Code::Select, &[is_latter, factor, one])
        };
        let factors = step.factors.iter().map(factor).collect();
        let terms = kind.apply(self, &former, &RunningStep { terms: step.terms.clone(), factors });
        let joined = |&own: &Value| {
            let former = self.ends_or(own, half, one);
            self.mul(own, former)
        };
        RunningStep { terms, factors: step.factors.iter().map(joined).collect() }
    }

    /// For each lane of a latter half, the element at the end of the former one; in others a number that changes nothing.
    fn ends_or(&mut self, value: Value, half: u16, other: Scalar) -> Value {
        let other = self.lowerer.b.constant(other);
        let other = self.lowerer.in_lanes(other);
        let lanes = self.lanes;
        let end = |lane: u16| if lane & half == 0 { lanes + lane } else { (lane & !(half - 1)) - 1 };
        self.lowerer.b.op_with(Code::Permute, Attr::Pattern((0..lanes).map(end).collect()), &[value, other])
    }

    /// The lanes of latter halves.
    fn is_latter(&mut self, half: u16) -> Value {
        let builder = &mut self.lowerer.b;
        let lane = builder.op_with(Code::LaneId, Attr::Lanes(self.lanes), &[]);
        let half = builder.constant(Scalar::I32(half.into()));
        let bit = builder.op(Code::And, &[lane, half]);
        builder.op(Code::Eq, &[bit, half])
    }

    /// The first step in lanes of a latter half of so many lanes, else the second.
    pub(super) fn in_latter_half(
        &mut self,
        half: u16,
        a: &RunningStep<Value>,
        b: &RunningStep<Value>,
    ) -> RunningStep<Value> {
        let is_latter = self.is_latter(half);
        a.zip(b, |a, b| self.lowerer.b.op(Code::Select, &[is_latter, a, b]))
    }

    /// The step of the last lane.
    fn last_lane(&mut self, step: &RunningStep<Value>) -> RunningStep<Value> {
        let last = Scalar::I32((self.lanes - 1).into());
        step.map(|value| {
            let last = self.lowerer.b.constant(last);
            self.lowerer.b.op(Code::Extract, &[value, last])
        })
    }

    /// The first value where the number of the group's first iteration has all bits of the mask, else the second.
    fn where_group(&mut self, mask: u16, a: Value, b: Value) -> Value {
        let Some(number) = self.number.filter(|_| mask != 0) else { return a };
        let lowerer = &mut *self.lowerer;
        let elem = lowerer.elem(number);
        let first = match lowerer.is_in_lanes(number) {
            true => {
                let zero = lowerer.b.constant(Scalar::I32(0));
                lowerer.b.op(Code::Extract, &[number, zero])
            }
            false => number,
        };
        let mask = lowerer.b.constant(Scalar::wrap(elem, mask.into()));
        let bits = lowerer.b.op(Code::And, &[first, mask]);
        let has = lowerer.b.op(Code::Eq, &[bits, mask]);
        lowerer.b.op(Code::Select, &[has, a, b])
    }

    /// The step of one lane, in all lanes.
    fn in_all_lanes(&mut self, step: &RunningStep<Value>, lane: u16) -> RunningStep<Value> {
        let pattern: Box<[u16]> = vec![lane; self.lanes.into()].into();
        step.map(|value| self.lowerer.b.op_with(Code::Permute, Attr::Pattern(pattern.clone()), &[value]))
    }

    /// Each lane's step applied to what is in front of its block, and what is in front of the next group's, in all lanes.
    fn applied(&mut self, kind: RunningKind, fronts: &[Value], step: &RunningStep<Value>) -> (Vec<Value>, Vec<Value>) {
        let (mut fronts, mut ends) = (fronts.to_vec(), fronts.to_vec());
        for block in 1..self.lanes.div_ceil(BLOCK) {
            let first = block * BLOCK;
            let end = self.in_all_lanes(step, first - 1);
            ends = kind.apply(self, &ends, &end);
            let pattern = (0..self.lanes).map(|lane| if lane < first { lane } else { self.lanes + lane });
            let pattern: Box<[u16]> = pattern.collect();
            for (front, &end) in fronts.iter_mut().zip(&ends) {
                *front = self.lowerer.b.op_with(Code::Permute, Attr::Pattern(pattern.clone()), &[*front, end]);
            }
        }
        let end = self.in_all_lanes(step, self.lanes - 1);
        let ends = kind.apply(self, &ends, &end);
        (kind.apply(self, &fronts, step), ends)
    }
}

impl RunningMath for Building<'_, '_> {
    type Number = Value;

    fn add(&mut self, a: Value, b: Value) -> Value {
        let code = if self.number.is_some() { Code::Add } else { Code::WrappingAdd };
        self.lowerer.b.op(code, &[a, b])
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        let code = if self.number.is_some() { Code::Mul } else { Code::WrappingMul };
        self.lowerer.b.op(code, &[a, b])
    }

    fn where_bits(&mut self, mask: u16, a: Value, b: Value) -> Value {
        self.where_group(mask, a, b)
    }
}
