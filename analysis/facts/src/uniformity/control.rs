//! Branches and the loops that each lane goes through by itself.

use super::Finder;
use crate::form::Form;
use crate::range::ValueRange;
use crate::shape::Shape;
use crate::{Cause, Fact, Flow, VaryingReason};
use ir::entities::{Op, Region, Value};

impl Finder<'_> {
    /// Stays in what it is inside of: a branch or loop in divergent control has no more lanes than that.
    fn inside(&self, outer: Flow, shape: &Shape) -> Flow {
        match (outer, shape) {
            (Flow::Divergent, _) => Flow::Divergent,
            (_, Shape::Uniform) if self.lanes.is_some() => Flow::Uniform,
            (_, Shape::Uniform) => outer,
            _ => Flow::Divergent,
        }
    }

    pub(super) fn branch(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let condition = data.operands[0];
        let inner = self.inside(flow, &self.shape(condition).clone());
        for (n, &region) in data.regions.iter().enumerate() {
            // In an iteration that goes on it is known where it goes.
            let inner = if self.going.get(&condition) == Some(&(n == 0)) { flow } else { inner };
            self.knowing(|finder| {
                finder.assume(condition, n == 0);
                finder.region(region, inner);
            });
        }
        let yields = |n: usize| &self.kernel.regions[data.regions[n]].yields;
        for (n, &result) in data.results.iter().enumerate() {
            let (a, b) = (yields(0)[n], yields(1)[n]);
            self.facts.ranges[result] = self.range(a).and_then(|range| Some(range.join(self.range(b)?)));
            let is_uniform = self.shape(condition).is_uniform();
            let cause = self.cause_among(&[a, b], VaryingReason::Operand);
            let cause = match is_uniform {
                true => cause,
                false => Some(Cause { reason: VaryingReason::Condition, value: Some(condition) }),
            };
            match (self.form(a).cloned(), self.form(b).cloned()) {
                _ if self.known(condition).is_some() => {
                    let taken = if self.known(condition) == Some(0) { b } else { a };
                    self.facts.ranges[result] = self.range(taken);
                    self.set(
                        result,
                        Fact { cause: self.cause_among(&[taken], VaryingReason::Operand), ..self.fact(taken).clone() },
                    );
                }
                (Some(x), Some(y)) if x == y => {
                    let cause = self.cause_among(&[a, b], VaryingReason::Operand);
                    self.formed(result, x, true, self.shape(a).clone(), cause);
                }
                (Some(x), Some(y)) if is_uniform && x.varying_part() == y.varying_part() => {
                    self.moved(result, x.varying_part(), self.chosen(condition, a, b), cause);
                }
                _ => self.opaque(result, self.chosen(condition, a, b), cause),
            }
        }
    }

    /// A loop whose iterations each lane runs one after the other.
    pub(super) fn inner_loop(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let region = data.regions[0];
        let n_ranges = self.kernel.n_ranges(op);
        let args = self.kernel.regions[region].args.clone();
        let ranges = &data.operands[..3 * n_ranges];
        // Lanes go through the same number of iterations if the distance and the step are the same for all of them.
        let together = |range: &[Value]| {
            let [start, stop, step] = [range[0], range[1], range[2]];
            let same_distance = self.difference(start, stop).is_some_and(|distance| !distance.varies());
            self.shape(step).is_uniform()
                && (same_distance || (self.shape(start).is_uniform() && self.shape(stop).is_uniform()))
        };
        let together: Vec<bool> = ranges.chunks(3).map(together).collect();
        let mut leaves = None;
        for (n, range) in ranges.chunks(3).enumerate() {
            let [start, stop, step] = [range[0], range[1], range[2]];
            let index = args[n];
            self.facts.ranges[index] = self.index_range(range);
            if !together[n] {
                leaves = leaves
                    .or(self.cause_among(&[stop, start, step], VaryingReason::Operand).and_then(|cause| cause.value));
            }
            // If there are several indices, those further in start over, and after lanes have done so at different times, neither
            // they nor those around them are what they are in other lanes.
            let parted = (n.max(1)..n_ranges).any(|inner| !together[inner]);
            let cause = match parted {
                true => self.cause_among(ranges, VaryingReason::Operand),
                false => self.cause_among(range, VaryingReason::Operand),
            };
            match self.form(start).map(Form::varying_part) {
                _ if parted || !self.shape(step).is_uniform() => self.opaque(index, Shape::Arbitrary, cause),
                Some(varying) => self.moved(index, varying, self.shape(start).computed(), cause),
                None => self.opaque(index, self.shape(start).computed(), cause),
            }
        }
        let shape = if leaves.is_some() { Shape::Arbitrary } else { Shape::Uniform };
        let inner = self.inside(flow, &shape);
        let outer = std::mem::replace(&mut self.leaving, leaves);
        let n_carried = args.len() - n_ranges;
        self.carry(op, region, &args[n_ranges..], &data.operands[3 * n_ranges..3 * n_ranges + n_carried], |finder| {
            finder.knowing(|finder| {
                for (&index, range) in args.iter().zip(ranges.chunks(3)) {
                    finder.assume_in_range(index, range);
                }
                finder.region(region, inner);
            });
        });
        // The joined result varies if the values that are joined do, or if lanes join different numbers of them.
        let yields = &self.kernel.regions[region].yields;
        for (n, &result) in data.results.iter().enumerate().skip(n_carried) {
            self.facts.ranges[result] = None;
            let start = data.operands[3 * n_ranges + n];
            let shape = self.joined(&[start, yields[n]]);
            match leaves {
                Some(value) => self.opaque(
                    result,
                    Shape::Arbitrary,
                    Some(Cause { reason: VaryingReason::Leaves, value: Some(value) }),
                ),
                None => self.opaque(result, shape, self.cause_among(&[yields[n], start], VaryingReason::Operand)),
            }
        }
        self.leaving = outer;
    }

    /// A loop outside of lanes whose body is not looked at: what it hands on is a value of its own.
    pub(super) fn passed_loop(&mut self, op: Op) {
        let kernel = self.kernel;
        for &result in &kernel.ops[op].results {
            self.facts.ranges[result] = None;
            self.opaque(result, Shape::Uniform, None);
        }
    }

    pub(super) fn while_loop(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let [test, body] = data.regions.as_slice() else { return };
        let (test, body) = (*test, *body);
        let args = self.kernel.regions[test].args.clone();
        let outer = self.leaving;
        self.carry(op, body, &args, &data.operands, |finder| {
            finder.region(test, flow);
            let condition = finder.kernel.regions[test].yields[0];
            let shape = finder.shape(condition).clone();
            finder.leaving = (!shape.is_uniform()).then_some(condition);
            // The lanes that come back to the test are those that did not leave.
            let inner = finder.inside(flow, &shape);
            if inner == Flow::Divergent {
                finder.region(test, Flow::Divergent);
            }
            finder.knowing(|finder| {
                finder.assume(condition, true);
                finder.region(body, inner);
            });
        });
        self.leaving = outer;
    }

    /// Goes through a loop's block until what is taken for granted of what it carries agrees with what it yields; then
    /// says what its results are.
    fn carry(&mut self, op: Op, region: Region, args: &[Value], starts: &[Value], mut block: impl FnMut(&mut Self)) {
        let yields = self.kernel.regions[region].yields.clone();
        loop {
            for (&arg, &start) in args.iter().zip(starts) {
                self.facts.ranges[arg] = None;
                match self.guesses[arg].clone() {
                    Some(guess) if guess.form.is_none() => self.opaque(arg, guess.shape, guess.cause),
                    _ => self.start_guess(arg, start),
                }
            }
            block(self);
            let mut again = false;
            for ((&arg, &start), &next) in args.iter().zip(starts).zip(&yields) {
                again |= self.weaken(arg, start, next);
            }
            if !again {
                break;
            }
        }
        let results = self.kernel.ops[op].results.clone();
        for (n, &result) in results.iter().take(args.len()).enumerate() {
            self.facts.ranges[result] = None;
            let (arg, next) = (args[n], yields[n]);
            let shape = self.shape(arg).clone();
            match self.leaving {
                // Lanes that leave at different times take different iterations' values with them.
                Some(value) if next != arg => {
                    let cause = Cause { reason: VaryingReason::Leaves, value: Some(value) };
                    self.opaque(result, Shape::Arbitrary, Some(cause));
                }
                _ => {
                    let cause = self.fact(arg).cause;
                    match self.claimed(arg).map(Form::varying_part) {
                        Some(varying) => self.moved(result, varying, shape, cause),
                        None => self.opaque(result, shape, cause),
                    }
                }
            }
        }
    }

    /// A carried value varies as its start does.
    fn start_guess(&mut self, arg: Value, start: Value) {
        let cause = self.cause_among(&[start], VaryingReason::Operand);
        match self.form(start).map(Form::varying_part) {
            Some(varying) => self.moved(arg, varying, self.shape(start).computed(), cause),
            None => self.opaque(arg, self.shape(start).computed(), cause),
        }
    }

    /// The assumed form of an argument, if that is more than that the argument is what it is.
    fn claimed(&self, arg: Value) -> Option<&Form> {
        self.form(arg).filter(|form| **form != Form::varying(arg))
    }

    /// Weakens what is taken for granted of an argument if what is yielded for it disagrees; says whether it did.
    fn weaken(&mut self, arg: Value, start: Value, next: Value) -> bool {
        if next == arg {
            return false;
        }
        let agrees = match (self.claimed(arg), self.form(next)) {
            (Some(arg), Some(next)) => arg.varying_part() == next.varying_part(),
            (Some(arg), None) if arg.varies() => false,
            _ => {
                let (arg, next) = (self.shape(arg), self.shape(next));
                next.is_uniform()
                    || arg.with(next) == *arg
                        && matches!(arg, Shape::Arbitrary | Shape::Periodic(_) | Shape::Repeated(_))
            }
        };
        if agrees {
            return false;
        }
        let shape = self.shape(arg).with(self.shape(next)).with(self.shape(start));
        let cause = self.cause_among(&[next, start], VaryingReason::Operand);
        let already = self.guesses[arg].as_ref().is_some_and(|guess| guess.shape == shape);
        let shape = if already { Shape::Arbitrary } else { shape };
        self.guesses[arg] = Some(Fact { shape, form: None, exact: true, cause });
        true
    }

    /// The range of a loop's index: from where it starts to just before where it stops.
    pub(super) fn index_range(&self, range: &[Value]) -> Option<ValueRange> {
        let (start, stop) = (self.range(range[0])?, self.range(range[1])?);
        let step = self.range(range[2])?;
        let all = self.elem(range[0]).and_then(ValueRange::of)?;
        if step.lo > 0 {
            return Some(ValueRange::new(start.lo, stop.hi - 1).unwrap_or(ValueRange { lo: start.lo, hi: start.lo }));
        }
        if step.hi < 0 {
            return Some(ValueRange::new(stop.lo + 1, start.hi).unwrap_or(ValueRange { lo: start.hi, hi: start.hi }));
        }
        Some(all)
    }
}
