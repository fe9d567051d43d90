//! Carried values from group to group: values that change by the same amount, parts that lanes join for themselves
//! and that are joined behind the loop, and what is joined in the language's fixed order.
//!
//! ```text
//! for i in range(n) with s = s0, k = k0:          vector_for base in range(0, n, LANES) with s = splat(0), k = k0:
//!     yield s + a[i], k + 2                            …
//!                                                      yield select(active, s +% x, s), k +% count_on(active) *% 2
//!                                                  s0 +% reduce_add(s), k
//! ```
//!
//! Each lane's part of a sum is another number than the program ever has, and may overflow where the program's sum does
//! not. So parts wrap: the low bits of the total are right in any order, and the total fits, or the program has an error.

use std::collections::BTreeSet;

use super::Lowerer;
use super::fallback::Fallback;
use super::turns::InTurn;
use crate::reduce_late::codes;
use facts::dependence::Amount;
use facts::loops::LaneForm;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Values};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;

/// The values that a loop carries, with their forms in the vector loop.
pub(super) struct Ways {
    values: Vec<Way>,
    fallback: Option<Fallback>,
    turns: Option<InTurn>,
}

/// A carried value with its form in the vector loop.
struct Way {
    /// The block's argument in the scalar loop.
    old: Value,
    /// The value before the loop.
    start: Value,
    form: LaneForm,
    /// The block's argument in the loop over groups, if that carries something for it.
    arg: Option<Value>,
}

/// The step of a value that changes by the same amount in each iteration.
#[derive(Clone, Copy)]
struct Step {
    by: Amount,
    falls: bool,
    /// True if a sum may wrap.
    wraps: bool,
}

impl Ways {
    /// The form of the value with this number in the loop over groups.
    pub(super) fn arg(&self, number: usize) -> Option<Value> {
        self.values.get(number).and_then(|way| way.arg)
    }

    /// The values that lanes compute one after the other.
    pub(super) fn turns(&self) -> Option<&InTurn> {
        self.turns.as_ref()
    }
}

impl Lowerer<'_> {
    /// Opens the loop over groups, with what it carries, from these starts; gives the first lane's index, too.
    pub(super) fn open_carrying(&mut self, op: Op, range: [Value; 3], starts: &[Value]) -> (Value, Ways) {
        let data = self.kernel().ops[op].clone();
        let mut values: Vec<Way> = self
            .carried
            .iter()
            .zip(starts)
            .map(|(value, &start)| Way { old: value.arg, start, form: value.form.unwrap_or(LaneForm::Same), arg: None })
            .collect();
        let folds = data.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default();
        let joined: Vec<_> = folds.into_iter().zip(starts[values.len()..].iter().copied()).collect();
        let mut inits = Vec::new();
        for way in values.iter().filter(|way| way.form != LaneForm::Same) {
            inits.push((self.name_of(way.old), self.init(way)));
        }
        let named: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let control = Control { width: Some(self.lanes), ..Control::default() };
        let args = self.b.open_loop(Code::VectorFor, control, "base", range, &named, &joined);
        let mut given = args[1..].iter();
        for way in values.iter_mut().filter(|way| way.form != LaneForm::Same) {
            way.arg = given.next().copied();
        }
        let fallback: BTreeSet<usize> =
            (0..values.len()).filter(|&number| values[number].form == LaneForm::AssumedUniform).collect();
        let fallback = (!fallback.is_empty()).then(|| Fallback::of(&self.slicer(op), fallback));
        let turns = self.chain.clone().map(|turns| InTurn::of(self.kernel(), op, turns));
        self.left_out(op, &values, fallback.as_ref());
        self.left_out.extend(turns.iter().flat_map(|turns| turns.chain()));
        (args[0], Ways { values, fallback, turns })
    }

    /// The starts of the loop over groups.
    fn init(&mut self, way: &Way) -> Value {
        match way.form {
            LaneForm::Parts(fold) => {
                let identity = fold.identity(self.elem(way.old));
                let identity = self.b.constant(identity);
                self.in_lanes(identity)
            }
            LaneForm::Held => self.in_lanes(way.start),
            LaneForm::Blocks if self.is_in_front(way.old) => self.in_lanes(way.start),
            _ => way.start,
        }
    }

    /// Notes the ops that wrap, and those that are not vectorised.
    fn left_out(&mut self, op: Op, values: &[Way], fallback: Option<&Fallback>) {
        let body = self.kernel().regions[self.kernel().ops[op].regions[0]].clone();
        let slicer = self.slicer(op);
        let (mut wraps, mut left_out) = (Vec::new(), Vec::new());
        for (number, way) in values.iter().enumerate() {
            match way.form {
                LaneForm::Parts(_) => {
                    let slice = slicer.slice(&BTreeSet::from([number]));
                    wraps.extend(slice.values.iter().filter_map(|&value| self.kernel().def_op(value)));
                }
                // The next group's is computed from this one's, so each lane's next is for its own users only.
                LaneForm::Closed { .. } if self.uses.only_user(body.yields[number]).is_some() => {
                    let made = self.kernel().def_op(body.yields[number]);
                    left_out.extend(made.filter(|&made| !self.kernel().ops[made].code.is_control()));
                }
                _ => {}
            }
        }
        self.wraps.extend(wraps);
        self.left_out.extend(left_out);
        self.left_out.extend(fallback.iter().flat_map(|fallback| fallback.left_out()));
    }

    /// Says what stands for each value that is carried, at the start of a group.
    pub(super) fn start_carried(&mut self, op: Op, ways: &Ways) {
        let at_once = |way: &&Way| {
            !matches!(way.form, LaneForm::Shifted | LaneForm::Running | LaneForm::Scanned | LaneForm::InTurn)
        };
        for way in ways.values.iter().filter(at_once) {
            let new = match (way.form, way.arg) {
                (LaneForm::Closed { step, falls, wraps }, Some(arg)) => {
                    let name = self.name_of(way.old);
                    let value = self.each_lanes(arg, (step, falls), wraps);
                    self.b.name(value, &name)
                }
                (_, Some(arg)) => arg,
                (_, None) => way.start,
            };
            self.new.insert(way.old, new);
        }
        self.know_lanes_before(op, ways);
    }

    /// A value that changes by the same amount in each iteration: each lane's. Where it does not wrap in the program, it is a lane's index:
    /// one that no active lane has may be any, and its cells lie at a known distance from each other.
    fn each_lanes(&mut self, first: Value, (step, falls): (Amount, bool), wraps: bool) -> Value {
        let elem = self.elem(first);
        let number = match step {
            Amount::Number(by) => Some(by),
            Amount::Value(step) => self.kernel().as_const(step).and_then(Scalar::wide),
        };
        if let Some(by) = number.filter(|_| !wraps) {
            let step = self.b.constant(Scalar::wrap(elem, if falls { -by } else { by }));
            return self.b.op_with(Code::LaneIndex, Attr::Lanes(self.lanes), &[first, step]);
        }
        let lane = self.b.op_with(Code::LaneId, Attr::Lanes(self.lanes), &[]);
        self.moved(first, lane, elem, Step { by: step, falls, wraps: true })
    }

    /// Says whether the distance of two groups is a number of a type, whatever lanes there are in them.
    fn fits_groups(&self, elem: Elem, step: Amount) -> bool {
        let by = match step {
            Amount::Number(by) => Some(by),
            Amount::Value(step) => self.kernel().as_const(step).and_then(Scalar::wide),
        };
        let range = elem.integer_range().filter(|_| elem.is_signed());
        by.zip(range).is_some_and(|(by, (_, most))| by.abs() * i128::from(self.lanes) <= most)
    }

    /// A value after some steps. Where it wraps neither here nor in the program, the program has this very value at the end of an
    /// iteration, so the sum is one that does not wrap.
    fn moved(&mut self, from: Value, count: Value, elem: Elem, Step { by, falls, wraps }: Step) -> Value {
        let step = match by {
            Amount::Value(step) => step,
            Amount::Number(by) => self.b.constant(Scalar::wrap(elem, by)),
        };
        let count =
            if self.elem(count) == elem { count } else { self.b.op_with(Code::Cast, Attr::Elem(elem), &[count]) };
        let is_one = self.kernel().as_const(step) == Some(Scalar::one(elem));
        let distance = if is_one { count } else { self.b.op(Code::WrappingMul, &[count, step]) };
        let code = match (falls, wraps) {
            (true, true) => Code::WrappingSub,
            (false, true) => Code::WrappingAdd,
            (true, false) => Code::Sub,
            (false, false) => Code::Add,
        };
        self.b.op(code, &[from, distance])
    }

    /// Closes the loop over groups; gives what stands for the loop's results.
    pub(super) fn close_carrying(&mut self, op: Op, ways: &Ways) -> Values {
        let data = self.kernel().ops[op].clone();
        let yields = self.kernel().regions[data.regions[0]].yields.clone();
        let turns = ways.turns.as_ref().map(|turns| self.after_turns(turns, ways)).unwrap_or_default();
        let fallback = ways.fallback.as_ref().map(|fallback| self.with_fallback(op, fallback)).unwrap_or_default();
        let mut next = Values::new();
        for (number, way) in ways.values.iter().enumerate() {
            let Some(arg) = way.arg else { continue };
            next.push(match way.form {
                LaneForm::Same => arg,
                LaneForm::Closed { step, falls, wraps } => {
                    let count = self.b.op(Code::CountOn, &[self.mask]);
                    let elem = self.elem(arg);
                    let wraps = wraps || !self.fits_groups(elem, step);
                    self.moved(arg, count, elem, Step { by: step, falls, wraps })
                }
                LaneForm::Parts(_) => {
                    let joined = self.at(yields[number]);
                    self.b.op(Code::Select, &[self.mask, joined, arg])
                }
                LaneForm::Scanned if self.scanned_on.contains_key(&number) => self.scanned_on[&number],
                LaneForm::Running if self.is_count(number) => self.counted_on(number, arg),
                LaneForm::Shifted | LaneForm::Running | LaneForm::Scanned => {
                    let next_one = self.at(yields[number]);
                    self.last(next_one)
                }
                LaneForm::Held => self.held_on(number, yields[number]),
                // The group's own has been joined to it.
                LaneForm::Blocks => self.at(yields[number]),
                LaneForm::Group => {
                    let next_one = self.at(yields[number]);
                    self.scalar(next_one)
                }
                LaneForm::AssumedUniform => fallback.get(&number).copied().unwrap_or(arg),
                LaneForm::InTurn => turns.get(&number).copied().unwrap_or(arg),
            });
        }
        let folds = data.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default();
        for (fold, &old) in folds.iter().zip(&yields[ways.values.len()..]) {
            let joined = self.at(old);
            let nothing = fold.identity(self.elem(joined));
            let nothing = self.b.constant(nothing);
            let joined = self.b.op(Code::Select, &[self.mask, joined, nothing]);
            next.push(joined);
        }
        let closed = self.b.close(&next);
        let mut closed = closed.iter().copied();
        let mut results = Values::new();
        for way in &ways.values {
            let end = if way.arg.is_some() { closed.next() } else { None };
            results.push(match (way.form, end) {
                (LaneForm::Parts(fold), Some(end)) => self.whole(fold, way.start, end),
                (LaneForm::Held | LaneForm::Blocks, Some(end)) if self.is_in_lanes(end) => {
                    let first = self.b.constant(Scalar::I32(0));
                    self.b.op(Code::Extract, &[end, first])
                }
                (_, end) => end.unwrap_or(way.start),
            });
        }
        results.extend(closed);
        self.stand_for(&data.results, &results);
        results
    }

    /// All lanes' parts joined, and joined to what the loop started from.
    fn whole(&mut self, fold: Fold, start: Value, parts: Value) -> Value {
        let elem = self.elem(parts);
        let (reduce, join) = codes(fold);
        // Signed sums of lanes fail where they overflow, and parts may.
        let fails = elem.is_signed() && matches!(fold, Fold::Add | Fold::Mul);
        let total = match fails {
            true => {
                let parts = self.b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[parts]);
                let total = self.b.op(reduce, &[parts]);
                self.b.op_with(Code::Cast, Attr::Elem(elem), &[total])
            }
            false => self.b.op(reduce, &[parts]),
        };
        match self.kernel().as_const(start) == Some(fold.identity(elem)) {
            true => total,
            false => self.b.op(join, &[start, total]),
        }
    }
}
