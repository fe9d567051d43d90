//! Values that lanes compute of each other by halves: running minima and maxima, products and linear recurrences of integers, and bits.
//!
//! ```text
//! m = max(m, a[i])       let x_1 = select(((lane_id & 1) == 1), max(permute(x, [0, 0, 2, 2, …]), x), x)
//! out[i] = m             …                                                        # of halves of 4 lanes, of 8
//!                        let m_1 = permute(splat(m), max(m, x_3), pattern=[0, 8, 9, 10, …])
//! ```
//!
//! What iterations add and multiply is joined before anything is applied to the value in front of the group. Integers wrap in that: each
//! lane's value is right in its low bits, and the program's own fits. Of floats a NaN is neither less nor greater, so a group that has one
//! goes lane by lane.

use super::Lowerer;
use super::running::Building;
use facts::loops::{Bits, Extreme, Scanned};
use ir::entities::{Op, Value};
use ir::linear::{FormulaMath, LinearFormula, LinearOp};
use ir::ops::Code;
use ir::program::Attr;
use ir::running::{RunningKind, RunningStep};
use ir::scalar::Scalar;
use ir::types::Elem;

/// The values that lanes have made.
#[derive(Clone, Copy)]
struct Made {
    /// The value at the end of each lane's iteration.
    ends: Value,
    /// The value that the group hands on.
    carry: Value,
}

impl Lowerer<'_> {
    /// The value that each lane has at the start of its iteration, made of the one in front of the group.
    pub(super) fn scanned(&mut self, op: Op, number: usize, before: Value) -> Value {
        let role = self.carried[number].role;
        let made = match Scanned::of(&self.slicer(op), number, role) {
            Some(Scanned::Extreme(extreme)) => self.extremes(&extreme, before),
            Some(Scanned::Linear(linear)) => {
                let elem = self.elem(before);
                let mut formulas = Formulas { lowerer: self, one: Scalar::one(elem) };
                let [factor, term] = [linear.factor(), linear.term.as_ref()]
                    .map(|formula| formula.map(|it| computed(it, &mut formulas)));
                self.linear(before, factor, term)
            }
            Some(Scanned::Bits(bits)) => self.bits_so_far(&bits, before),
            None => return before,
        };
        self.scanned_on.insert(number, made.carry);
        self.behind(before, made.ends)
    }

    /// The values at the ends of iterations, of an integer that is multiplied and added to.
    fn linear(&mut self, before: Value, factor: Option<Value>, term: Option<Value>) -> Made {
        let (kind, step) = match (factor, term) {
            (Some(factor), None) => (RunningKind::Product, RunningStep::of_term(self.of_active(factor))),
            (factor, term) => {
                let nothing = self.b.constant(Scalar::zero(self.elem(before)));
                let terms = vec![self.of_active(term.unwrap_or(nothing))];
                let factors = factor.into_iter().map(|factor| self.of_active(factor)).collect();
                (RunningKind::Linear, RunningStep { terms, factors })
            }
        };
        let lanes = self.lanes;
        let mut math = Building::of_integers(self, lanes);
        let mut step = step;
        for half in halves(lanes) {
            let former = math.ends_of_halves(&step, half);
            let joined = kind.join(&mut math, &former, &step);
            step = math.in_latter_half(half, &joined, &step);
        }
        let ends = kind.apply(&mut math, &[before], &step)[0];
        let last = self.last_of(&step);
        let carry = kind.apply(&mut Building::of_integers(self, lanes), &[before], &last)[0];
        Made { ends, carry }
    }

    /// The step of the last active lane. What the group hands on is computed from it alone, so that groups wait for no more than one step.
    fn last_of(&mut self, step: &RunningStep<Value>) -> RunningStep<Value> {
        step.map(|value| self.last(value))
    }

    /// The values at the ends of iterations, of the least or greatest so far.
    fn extremes(&mut self, extreme: &Extreme, before: Value) -> Made {
        let other = self.at(extreme.other);
        let x = self.of_active(other);
        if !self.elem(before).is_float() {
            return self.extremes_by_halves(extreme, before, x);
        }
        let nan = self.b.op(Code::Isnan, &[x]);
        let is_in_lanes = self.b.op(Code::Any, &[nan, self.mask]);
        let is_in_front = self.b.op(Code::Isnan, &[before]);
        let is_somewhere = self.b.op(Code::Or, &[is_in_lanes, is_in_front]);
        self.b.open_if(is_somewhere);
        let mut so_far = before;
        let in_order: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let lane = self.b.constant(Scalar::I32(lane.into()));
                let own = self.b.op(Code::Extract, &[x, lane]);
                so_far = self.chosen(extreme, so_far, own);
                so_far
            })
            .collect();
        let in_order = self.b.op(Code::Pack, &in_order);
        let last = self.last(in_order);
        self.b.next_block(&[in_order, last]);
        let Made { ends, carry } = self.extremes_by_halves(extreme, before, x);
        let results = self.b.close(&[ends, carry]);
        Made { ends: results[0], carry: results[1] }
    }

    /// The values at the ends of iterations, of bits that are joined to, or of a condition. Conditions move from lane to lane as integers:
    /// a mask would be made one for each move.
    fn bits_so_far(&mut self, bits: &Bits, before: Value) -> Made {
        let mut other = self.at(bits.other);
        if bits.is_opposite {
            other = self.b.op(Code::Not, &[other]);
        }
        let lanes = self.lanes;
        let mut x = self.of_active(other);
        let is_condition = self.elem(before) == Elem::Bool;
        if is_condition {
            // As wide as the lanes of the widest registers are.
            let elem = match lanes {
                33.. => Elem::I8,
                17..33 => Elem::I16,
                _ => Elem::I32,
            };
            let [all, none] = [-1, 0].map(|number| self.b.constant(Scalar::wrap(elem, number)));
            x = self.b.op(Code::Select, &[x, all, none]);
        }
        for half in halves(lanes) {
            let step = RunningStep::of_term(x);
            let mut math = Building::of_integers(self, lanes);
            let former = math.ends_of_halves(&step, half);
            let joined = RunningStep::of_term(self.b.op(bits.code, &[former.terms[0], x]));
            x = Building::of_integers(self, lanes).in_latter_half(half, &joined, &step).terms[0];
        }
        if is_condition {
            let none = self.b.constant(Scalar::zero(self.elem(x)));
            x = self.b.op(Code::Ne, &[x, none]);
        }
        let last = self.last(x);
        Made { ends: self.b.op(bits.code, &[before, x]), carry: self.b.op(bits.code, &[before, last]) }
    }

    fn extremes_by_halves(&mut self, extreme: &Extreme, before: Value, x: Value) -> Made {
        let lanes = self.lanes;
        let mut x = x;
        for half in halves(lanes) {
            let step = RunningStep::of_term(x);
            let mut math = Building::of_integers(self, lanes);
            let former = math.ends_of_halves(&step, half);
            let joined = RunningStep::of_term(self.chosen(extreme, former.terms[0], x));
            x = Building::of_integers(self, lanes).in_latter_half(half, &joined, &step).terms[0];
        }
        let last = self.last(x);
        Made { ends: self.chosen(extreme, before, x), carry: self.chosen(extreme, before, last) }
    }

    /// One step: the extreme so far, or the new number.
    pub(super) fn chosen(&mut self, extreme: &Extreme, so_far: Value, new: Value) -> Value {
        let operands = if extreme.is_first { [so_far, new] } else { [new, so_far] };
        let made = self.b.op(extreme.code, &operands);
        match extreme.code {
            Code::Min | Code::Max => made,
            _ if extreme.takes_where_true => self.b.op(Code::Select, &[made, new, so_far]),
            _ => self.b.op(Code::Select, &[made, so_far, new]),
        }
    }

    /// The value of the lane before, in each lane; the first one has the value in front of the group.
    fn behind(&mut self, before: Value, made: Value) -> Value {
        let (before, made) = (self.in_lanes(before), self.in_lanes(made));
        let pattern = (0..self.lanes).map(|lane| if lane == 0 { 0 } else { self.lanes + lane - 1 });
        self.b.op_with(Code::Permute, Attr::Pattern(pattern.collect()), &[before, made])
    }
}

/// The halves of groups that are twice as large each time, up to all lanes.
pub(super) fn halves(lanes: u16) -> impl Iterator<Item = u16> {
    (0..16).map(|level| 1 << level).take_while(move |&half| half < lanes)
}

/// Builds formulas of integers, which wrap.
struct Formulas<'l, 'f> {
    lowerer: &'l mut Lowerer<'f>,
    one: Scalar,
}

fn computed(formula: &LinearFormula<Value>, formulas: &mut Formulas<'_, '_>) -> Value {
    match formula.compute(formulas) {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

impl FormulaMath<Value> for Formulas<'_, '_> {
    type Number = Value;
    type Error = std::convert::Infallible;

    fn zero(&mut self) -> Value {
        self.lowerer.b.constant(Scalar::zero(self.one.elem()))
    }

    fn one(&mut self) -> Value {
        self.lowerer.b.constant(self.one)
    }

    fn choice(&mut self, condition: &Value, a: Value, b: Value) -> Result<Value, Self::Error> {
        let condition = self.lowerer.at(*condition);
        Ok(self.lowerer.b.op(Code::Select, &[condition, a, b]))
    }

    fn leaf(&mut self, leaf: &Value) -> Result<Value, Self::Error> {
        Ok(self.lowerer.at(*leaf))
    }

    fn neg(&mut self, a: Value) -> Result<Value, Self::Error> {
        let zero = self.zero();
        Ok(self.lowerer.b.op(Code::WrappingSub, &[zero, a]))
    }

    fn binary(&mut self, op: LinearOp, a: Value, b: Value) -> Result<Value, Self::Error> {
        let code = match op {
            LinearOp::Add => Code::WrappingAdd,
            LinearOp::Sub => Code::WrappingSub,
            LinearOp::Mul => Code::WrappingMul,
        };
        Ok(self.lowerer.b.op(code, &[a, b]))
    }
}
