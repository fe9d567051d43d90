//! Control flow under lanes: uniform control flow stays as it is, and where lanes diverge, masks say which of them are
//! active.

use rustc_hash::FxHashSet;

use super::Lowerer;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Marks, OpData, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// A carried value of a loop that is vectorised around it.
#[derive(Clone, Copy)]
struct Carried {
    /// The block's argument in the scalar loop.
    old: Value,
    /// The value before the loop.
    start: Value,
    /// True if lanes that leave keep the value of that time, though it is uniform for the active ones.
    is_kept: bool,
}

/// The range of a loop whose lanes leave at different times.
#[derive(Clone, Copy)]
struct LaneRange {
    index: Value,
    lo: Value,
    hi: Value,
    step: Value,
}

/// A loop whose lanes leave at different times, while it is rebuilt.
struct Around<'a> {
    body: Region,
    range: Option<LaneRange>,
    carried: &'a [Carried],
    /// The arguments of the block of the vectorised loop.
    args: &'a Values,
    /// The number of the first of them that the scalar loop carries.
    first: usize,
}

/// How much is known of whether lanes part at a branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parting {
    /// Some lane takes each side.
    Known,
    /// A side may have no lane.
    Perhaps,
}

/// The limit on the nesting of tests for coherence: each one copies its blocks two or three times.
const MAX_TESTS: usize = 2;

impl Lowerer<'_> {
    /// A branch: taken as it is if all lanes agree, else both sides under masks, and each lane takes its own results.
    pub(super) fn branch(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let uniform = self.facts.shape(data.operands[0]).is_uniform();
        if uniform {
            let condition = self.uniform(data.operands[0]);
            return self.taken_by_all(op, condition);
        }
        let condition = self.at(data.operands[0]);
        let condition = self.in_lanes(condition);
        let results = match self.unmasked.contains(&op) && self.n_tests < MAX_TESTS {
            true => self.tested(&data, condition),
            false => self.both_sides(&data, condition, Parting::Perhaps),
        };
        self.stand_for(&data.results, &results);
    }

    /// A branch that lanes are said to take together: tested for all of them and for none, each of which is computed without further
    /// masks, so that only where they part both sides are done.
    fn tested(&mut self, data: &OpData, condition: Value) -> Values {
        self.n_tests += 1;
        let others = self.b.op(Code::Not, &[condition]);
        let [takers, others] = [condition, others].map(|side| self.b.op(Code::And, &[self.mask, side]));
        let all = self.b.op(Code::None, &[others]);
        self.b.open_if(all);
        let then = self.taken_whole(data.regions[0]);
        self.b.next_block(&then);
        let none = self.b.op(Code::None, &[takers]);
        self.b.open_if(none);
        let otherwise = self.taken_whole(data.regions[1]);
        self.b.next_block(&otherwise);
        let both = self.both_sides(data, condition, Parting::Known);
        let both: Values = both.iter().map(|&value| self.in_lanes(value)).collect();
        let rest = self.b.close(&both);
        self.n_tests -= 1;
        self.b.close(&rest)
    }

    /// Rebuilds a side that all active lanes take; returns its results as vectors.
    fn taken_whole(&mut self, region: Region) -> Values {
        self.region(region);
        self.yields(region).iter().map(|&value| self.in_lanes(value)).collect()
    }

    /// Rebuilds both sides under masks; returns for each result the value of the side that the lane takes.
    fn both_sides(&mut self, data: &OpData, condition: Value, parting: Parting) -> Values {
        let outer = self.mask;
        let sides = [true, false].map(|then| {
            let region = data.regions[usize::from(!then)];
            if self.kernel().regions[region].ops.is_empty() {
                return self.yields(region);
            }
            let takes = if then { condition } else { self.b.op(Code::Not, &[condition]) };
            self.mask = self.b.op(Code::And, &[outer, takes]);
            self.under.push((data.operands[0], then));
            let yields = self.side(region, parting);
            self.under.pop();
            self.mask = outer;
            yields
        });
        // Inside of a test for coherence a side's values end with it.
        if self.n_tests == 0 {
            let made = data.results.iter().zip(&sides[0]);
            self.entered.extend(made.map(|(&result, &made)| (result, (made, data.operands[0]))));
        }
        let sides = sides[0].iter().zip(&sides[1]);
        sides.map(|(&a, &b)| if a == b { a } else { self.b.op(Code::Select, &[condition, a, b]) }).collect()
    }

    /// A branch that all lanes take together.
    fn taken_by_all(&mut self, op: Op, condition: Value) {
        let data = self.kernel().ops[op].clone();
        let old_yields = data.regions.iter().map(|&region| self.kernel().regions[region].yields.clone());
        let old_yields: Vec<Values> = old_yields.collect();
        // A result is a vector if either side yields a varying value for it.
        let varies = |n: usize| old_yields.iter().any(|yields| !self.facts.shape(yields[n]).is_uniform());
        let in_lanes: Vec<bool> = (0..data.results.len()).map(varies).collect();
        self.b.open_if(condition);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            control.marks = old.marks.clone();
        }
        let mut last = Values::new();
        for (n, &region) in data.regions.iter().enumerate() {
            self.region(region);
            let yields = old_yields[n].iter().zip(&in_lanes);
            let yields: Values = yields.map(|(&old, &lanes)| self.shaped(old, lanes)).collect();
            match n {
                0 => self.b.next_block(&yields),
                _ => last = yields,
            }
        }
        let results = self.b.close(&last);
        self.stand_for(&data.results, &results);
    }

    /// Returns the replacement of a value, as a vector or as a scalar.
    fn shaped(&mut self, old: Value, in_lanes: bool) -> Value {
        if !in_lanes && self.facts.shape(old).is_uniform() {
            return self.uniform(old);
        }
        let new = self.at(old);
        if in_lanes { self.in_lanes(new) } else { self.scalar(new) }
    }

    fn yields(&self, region: Region) -> Values {
        self.kernel().regions[region].yields.iter().map(|&value| self.at(value)).collect()
    }

    /// Rebuilds one side of a branch under its mask. If it may run only for some active lane, a branch of its own is
    /// around it.
    fn side(&mut self, region: Region, parting: Parting) -> Values {
        if parting == Parting::Known {
            let outer = std::mem::replace(&mut self.perhaps_none, false);
            self.region(region);
            self.perhaps_none = outer;
            return self.yields(region);
        }
        if !self.skipped.contains(&region) {
            let outer = std::mem::replace(&mut self.perhaps_none, true);
            self.region(region);
            self.perhaps_none = outer;
            return self.yields(region);
        }
        let some = self.b.op(Code::Any, &[self.mask]);
        self.b.open_if(some);
        let outer = std::mem::replace(&mut self.perhaps_none, false);
        self.region(region);
        self.perhaps_none = outer;
        // Lanes that do not come here take nothing of this side, so what is known around it needs no choice.
        let is_made = self.are_made_in(region);
        let mut yields = self.yields(region);
        let made: Values = yields.iter().zip(&is_made).filter(|(_, made)| **made).map(|(&value, _)| value).collect();
        let types: Vec<Type> = made.iter().map(|&value| self.kernel().ty(value)).collect();
        self.b.next_block(&made);
        // No lane is active here, so the results may be any values.
        let nothing: Values = types.iter().map(|ty| self.nothing(*ty)).collect();
        let results = self.b.close(&nothing);
        let places = yields.iter_mut().zip(&is_made).filter(|(_, made)| **made).map(|(place, _)| place);
        places.zip(results).for_each(|(place, result)| *place = result);
        yields
    }

    /// Of each value that a block yields, says whether the block makes it.
    fn are_made_in(&self, region: Region) -> Vec<bool> {
        let data = &self.kernel().regions[region];
        let ops: FxHashSet<Op> = data.ops.iter().copied().collect();
        data.yields.iter().map(|&value| self.kernel().def_op(value).is_some_and(|op| ops.contains(&op))).collect()
    }

    fn nothing(&mut self, ty: Type) -> Value {
        let zero = self.b.constant(Scalar::zero(ty.data_elem().unwrap_or(Elem::Bool)));
        match ty.lanes() {
            Some(_) => self.in_lanes(zero),
            None => zero,
        }
    }

    /// A loop over a range: as it is if the range is the same in all lanes.
    pub(super) fn inner_loop(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let region = data.regions[0];
        let args = self.kernel().regions[region].args.clone();
        let [lo, hi, step] = [data.operands[0], data.operands[1], data.operands[2]];
        let starts = &data.operands[3..];
        if ![lo, hi, step].iter().all(|&value| self.facts.shape(value).is_uniform()) {
            let range = LaneRange { index: args[0], lo, hi, step };
            let carried: Vec<(Value, Value)> = args[1..].iter().copied().zip(starts.iter().copied()).collect();
            return self.leave_one_by_one(op, None, Some(range), region, &carried);
        }
        let range = [lo, hi, step].map(|value| self.as_it_varies(value));
        let reductions = data.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default();
        let n_carried = starts.len() - reductions.len();
        let mut inits = Vec::new();
        for (n, &start) in starts[..n_carried].iter().enumerate() {
            let varies = !self.facts.shape(args[n + 1]).is_uniform();
            inits.push(self.shaped(start, varies));
        }
        let names: Vec<String> = args[1..].iter().map(|&arg| self.name_of(arg)).collect();
        let named: Vec<(&str, Value)> = names.iter().map(String::as_str).zip(inits).collect();
        let joined: Vec<_> = starts[n_carried..].iter().map(|&start| self.as_it_varies(start)).collect();
        let joined: Vec<_> = reductions.into_iter().zip(joined).collect();
        let index = self.name_of(args[0]);
        let new = self.b.open_loop(Code::For, Default::default(), &index, range, &named, &joined);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            control.marks = old.marks.clone();
        }
        self.new.extend(args.iter().copied().zip(new.iter().copied()));
        self.region(region);
        let yields = self.kernel().regions[region].yields.clone();
        let yields = yields.iter().enumerate().map(|(n, &old)| match args.get(n + 1) {
            Some(&arg) => {
                let varies = !self.facts.shape(arg).is_uniform();
                self.shaped(old, varies)
            }
            None => self.as_it_varies(old),
        });
        let yields: Values = yields.collect();
        let results = self.b.close(&yields);
        self.stand_for(&data.results, &results);
    }

    /// A `while`: as it is if its test is the same in all lanes.
    pub(super) fn while_loop(&mut self, op: Op) {
        let data = self.kernel().ops[op].clone();
        let [test, body] = [data.regions[0], data.regions[1]];
        let args = self.kernel().regions[test].args.clone();
        let condition = self.kernel().regions[test].yields[0];
        let carried: Vec<(Value, Value)> = args.iter().copied().zip(data.operands.iter().copied()).collect();
        if !self.facts.shape(condition).is_uniform() {
            return self.leave_one_by_one(op, Some(test), None, body, &carried);
        }
        let mut inits = Vec::new();
        for &(arg, start) in &carried {
            let varies = !self.facts.shape(arg).is_uniform();
            inits.push((self.name_of(arg), self.shaped(start, varies)));
        }
        let named: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let new = self.b.open_while(&named);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            control.marks = old.marks.clone();
        }
        self.new.extend(args.iter().copied().zip(new.iter().copied()));
        self.region(test);
        let holds = self.at(condition);
        let holds = self.scalar(holds);
        self.b.next_block(&[holds]);
        self.region(body);
        let yields = self.kernel().regions[body].yields.clone();
        let yields = args.iter().zip(yields).map(|(&arg, old)| {
            let varies = !self.facts.shape(arg).is_uniform();
            self.shaped(old, varies)
        });
        let yields: Values = yields.collect();
        let results = self.b.close(&yields);
        self.stand_for(&data.results, &results);
    }

    /// Rebuilds a loop that lanes leave at different times: it goes on as long as some lane is active, and a lane that
    /// has left keeps the values that it left with.
    fn leave_one_by_one(
        &mut self,
        op: Op,
        test: Option<Region>,
        range: Option<LaneRange>,
        body: Region,
        carried: &[(Value, Value)],
    ) {
        let data = self.kernel().ops[op].clone();
        let outer = self.mask;
        let carried: Vec<Carried> = carried
            .iter()
            .zip(&data.results)
            .map(|(&(old, start), &result)| {
                let same = self.facts.shape(old).is_uniform();
                Carried { old, start, is_kept: same && !self.facts.shape(result).is_uniform() }
            })
            .collect();
        // The arguments: the active lanes, the index, the carried values, and what leaving lanes keep of those.
        let there = match range {
            Some(range) => self.enters(range),
            None => outer,
        };
        let mut inits = vec![("there".to_owned(), there)];
        if let Some(range) = range {
            let lo = self.as_it_varies_in(range.index, range.lo);
            inits.push((self.name_of(range.index), lo));
        }
        for carried in &carried {
            let start = self.as_it_varies_in(carried.old, carried.start);
            inits.push((self.name_of(carried.old), start));
        }
        for carried in carried.iter().filter(|carried| carried.is_kept) {
            let start = self.at(carried.start);
            let start = self.in_lanes(start);
            inits.push((format!("{}_kept", self.name_of(carried.old)), start));
        }
        let named: Vec<(&str, Value)> = inits.iter().map(|(name, init)| (name.as_str(), *init)).collect();
        let new = self.b.open_while(&named);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            // The first that is carried is not the index any more.
            control.marks = Marks { counts: false, ..old.marks.clone() };
        }
        let first = usize::from(range.is_some()) + 1;
        self.new.extend(range.map(|range| (range.index, new[1])));
        self.new.extend(carried.iter().zip(&new[first..]).map(|(carried, &arg)| (carried.old, arg)));
        // The test is for the lanes that came back to it.
        self.mask = new[0];
        if let Some(test) = test {
            self.region(test);
            let condition = self.at(self.kernel().regions[test].yields[0]);
            self.mask = self.b.op(Code::And, &[new[0], condition]);
            self.b.name(self.mask, "stays");
        }
        let some = self.b.op(Code::Any, &[self.mask]);
        self.b.next_block(&[some]);
        let under = std::mem::take(&mut self.under);
        let around = Around { body, range, carried: &carried, args: &new, first };
        let is_told = data.attr.as_control().is_some_and(|control| control.marks.coherent);
        let yields = match is_told && self.n_tests < MAX_TESTS {
            true => self.all_go_on(&around, outer),
            false => self.around(&around),
        };
        self.under = under;
        let results = self.b.close(&yields);
        self.mask = outer;
        let mut kept = results[first + carried.len()..].iter();
        let results = carried.iter().enumerate().map(|(n, carried)| match carried.is_kept {
            true => kept.next().copied().unwrap_or(results[first + n]),
            false => results[first + n],
        });
        let results: Values = results.collect();
        self.stand_for(&data.results, &results);
    }

    /// The block of such a loop, for the lanes that go on; where all do, without their mask.
    fn all_go_on(&mut self, around: &Around, outer: Value) -> Values {
        self.n_tests += 1;
        let stays = self.mask;
        let leave = self.b.op(Code::Not, &[stays]);
        let leave = self.b.op(Code::And, &[outer, leave]);
        let all = self.b.op(Code::None, &[leave]);
        self.b.open_if(all);
        self.mask = outer;
        let yields = self.around(around);
        self.b.next_block(&yields);
        self.mask = stays;
        let yields = self.around(around);
        self.n_tests -= 1;
        self.b.close(&yields)
    }

    /// The block of such a loop; gives what it yields.
    fn around(&mut self, around: &Around) -> Values {
        self.region(around.body);
        self.loop_yields(around)
    }

    /// The yields of such a loop's block: lanes that are not there any more keep what they have.
    fn loop_yields(&mut self, around: &Around) -> Values {
        let &Around { body, range, carried, args, first } = around;
        let old_yields = self.kernel().regions[body].yields.clone();
        let mut yields = Values::new();
        let there = self.mask;
        match range {
            Some(range) => {
                let index = args[1];
                let (goes_on, next) = self.goes_on(range, index);
                yields.push(self.b.op(Code::And, &[there, goes_on]));
                yields.push(next);
            }
            None => yields.push(there),
        }
        let mut kept = Values::new();
        for (n, carried) in carried.iter().enumerate() {
            let next = self.as_it_varies_in(carried.old, old_yields[n]);
            let arg = args[first + n];
            let is_unchanged = next == arg;
            let next = match self.is_in_lanes(arg) && !is_unchanged {
                true => self.b.op(Code::Select, &[there, next, arg]),
                false => next,
            };
            yields.push(next);
            if carried.is_kept {
                kept.push(next);
            }
        }
        let n_args = first + carried.len();
        for (n, next) in kept.into_iter().enumerate() {
            yields.push(self.b.op(Code::Select, &[there, next, args[n_args + n]]));
        }
        yields
    }

    /// Returns the replacement of `value`, as a vector exactly if `model` varies.
    fn as_it_varies_in(&mut self, model: Value, value: Value) -> Value {
        let varies = !self.facts.shape(model).is_uniform();
        self.shaped(value, varies)
    }

    /// The lanes whose range is not empty.
    fn enters(&mut self, range: LaneRange) -> Value {
        let [lo, hi, step] = [range.lo, range.hi, range.step].map(|value| self.at(value));
        let enters = self.before_end(lo, hi, step);
        self.b.op(Code::And, &[self.mask, enters])
    }

    /// The lanes whose range has another index, and that index. The distance to the end is compared with the step, since
    /// the next index may not fit the type.
    fn goes_on(&mut self, range: LaneRange, index: Value) -> (Value, Value) {
        let [hi, step] = [range.hi, range.step].map(|value| self.at(value));
        let next = self.b.op(Code::WrappingAdd, &[index, step]);
        let up = |l: &mut Self| (l.b.op(Code::WrappingSub, &[hi, index]), step);
        let down = |l: &mut Self| {
            let elem = l.elem(step);
            let zero = l.b.constant(Scalar::zero(elem));
            (l.b.op(Code::WrappingSub, &[index, hi]), l.b.op(Code::WrappingSub, &[zero, step]))
        };
        let (distance, size) = match self.kernel().as_const(step).and_then(Scalar::wide) {
            Some(step) if step > 0 => up(self),
            Some(step) => {
                let (distance, _) = down(self);
                let elem = self.elem(index);
                (distance, self.b.constant(Scalar::wrap(elem, -step)))
            }
            None => {
                let upwards = self.is_upwards(step);
                let (a, b) = (up(self), down(self));
                (self.b.op(Code::Select, &[upwards, a.0, b.0]), self.b.op(Code::Select, &[upwards, a.1, b.1]))
            }
        };
        let [distance, size] = [distance, size].map(|value| self.unsigned(value));
        (self.b.op(Code::Gt, &[distance, size]), next)
    }

    /// The bits of a value as an unsigned integer.
    fn unsigned(&mut self, value: Value) -> Value {
        let elem = self.elem(value);
        match self.kernel().as_const(value).and_then(Scalar::wide) {
            _ if !elem.is_signed() => value,
            Some(wide) => self.b.constant(Scalar::wrap(elem.to_unsigned(), wide)),
            None => self.b.op_with(Code::Cast, Attr::Elem(elem.to_unsigned()), &[value]),
        }
    }
}
