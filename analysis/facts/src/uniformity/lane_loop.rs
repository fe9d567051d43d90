//! The loop whose iterations are lanes: its index, what it carries, and which arrays its iterations write.

use rustc_hash::FxHashSet;

use super::Finder;
use crate::counting::Counting;
use crate::form::Form;
use crate::shape::Shape;
use crate::{Cause, Fact, Flow, VaryingReason};
use ir::effects::written_inside;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::Kernel;
use ir::types::Elem;

/// The loop whose iterations are lanes, while the walk is inside of it.
#[derive(Clone)]
pub(super) struct Lanes {
    pub(super) op: Op,
    /// The arrays that its iterations write.
    pub(super) written: FxHashSet<Value>,
    /// The arrays that each iteration has of its own.
    pub(super) private: FxHashSet<Value>,
    /// The iterations do not see each other's stores.
    pub(super) apart: bool,
    /// No iteration has a greater number.
    pub(super) last: i128,
}

impl Finder<'_> {
    /// A loop whose iterations are lanes. Of the arrays that each of them makes, it is assumed first that all lanes' hold the same, and the
    /// loop is analysed again without those for which something else follows.
    pub(super) fn lane_loop(&mut self, op: Op) {
        let carried = self.kernel.regions[self.kernel.ops[op].regions[0]].args.clone();
        self.facts.alike.extend(private(self.kernel, op));
        loop {
            self.iterations_in_lanes(op);
            let differing = self.differing(op);
            if differing.is_empty() {
                break;
            }
            self.facts.alike.retain(|array| !differing.contains(array));
            carried.iter().for_each(|&arg| self.guesses[arg] = None);
            self.kernel.ops[op].regions.iter().for_each(|&region| self.forget_guesses(region));
        }
    }

    /// The arrays inside of a lane loop that were assumed to be alike in all lanes, and are not.
    fn differing(&self, op: Op) -> FxHashSet<Value> {
        let mut differing = FxHashSet::default();
        if self.facts.alike.is_empty() {
            return differing;
        }
        let kernel = self.kernel;
        for &region in &kernel.ops[op].regions {
            kernel.walk(region, &mut |home, inner| {
                let data = &kernel.ops[inner];
                let is_uniform =
                    data.operands.iter().all(|&value| kernel.ty(value).is_view() || self.shape(value).is_uniform());
                let keeps = match data.code {
                    // A load that is the lane's own does nothing to the array.
                    Code::Load => true,
                    Code::Temp => is_uniform,
                    Code::Store => is_uniform && self.facts.flows[home] != Flow::Divergent,
                    // A part of an array is the same part for all lanes, or the array is seen as another one.
                    _ => {
                        data.results.iter().any(|&result| kernel.ty(result).is_view())
                            && is_uniform
                            && data.regions.is_empty()
                    }
                };
                if !keeps {
                    let yields = data.regions.iter().flat_map(|&inside| &kernel.regions[inside].yields);
                    let views = data
                        .operands
                        .iter()
                        .chain(&data.results)
                        .chain(yields)
                        .filter(|&&value| kernel.ty(value).is_view());
                    differing
                        .extend(views.map(|&view| kernel.root(view)).filter(|root| self.facts.alike.contains(root)));
                }
            });
        }
        differing
    }

    fn iterations_in_lanes(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let region = data.regions[0];
        let n_ranges = self.kernel.n_ranges(op);
        let args = self.kernel.regions[region].args.clone();
        let outer = self.lanes.replace(Lanes {
            op,
            written: written(self.kernel, op),
            private: private(self.kernel, op),
            apart: data.code == Code::Foreach,
            last: self.last_iteration(&data.operands[3 * n_ranges - 3..3 * n_ranges]),
        });
        let in_tiles = is_in_tiles(self.kernel, op);
        for (n, &index) in args[..n_ranges].iter().enumerate() {
            let range: Vec<Value> = data.operands[3 * n..3 * n + 3].to_vec();
            self.facts.ranges[index] = self.index_range(&range);
            let cause = Some(Cause { reason: VaryingReason::Iteration, value: None });
            if in_tiles {
                self.opaque(index, Shape::Arbitrary, cause);
                continue;
            }
            // If there are several indices, lanes run along the last; the others stay while they do.
            if n + 1 < n_ranges {
                self.opaque(index, Shape::Uniform, None);
                continue;
            }
            let form = self
                .form(range[0])
                .zip(self.form(range[2]))
                .and_then(|(start, step)| start.add(&step.mul(&Form::iteration())?));
            match form {
                Some(form) => self.formed(index, form, true, Shape::Arbitrary, cause),
                None => self.opaque(index, Shape::Arbitrary, cause),
            }
        }
        self.iterations((region, 0), &args[n_ranges..], &data.operands[3 * n_ranges..], |finder| {
            finder.knowing(|finder| {
                for (&index, range) in args.iter().zip(data.operands[..3 * n_ranges].chunks(3)) {
                    finder.assume_in_range(index, range);
                }
                finder.region(region, Flow::AllOn);
            });
        });
        self.leave_lanes(op, outer);
    }

    /// A loop that counts and may be left early, whose iterations are lanes as long as none leaves it.
    pub(super) fn counting_lanes(&mut self, op: Op, counting: &Counting) {
        let data = &self.kernel.ops[op];
        let (test, body) = (data.regions[0], data.regions[1]);
        let args = self.kernel.regions[test].args.clone();
        let Counting { index, goes, lo, hi, step, .. } = *counting;
        let range = [lo, hi, step];
        let outer = self.lanes.replace(Lanes {
            op,
            written: written(self.kernel, op),
            private: private(self.kernel, op),
            apart: false,
            // The test is come to once more than the body.
            last: self.last_iteration(&range) + 1,
        });
        let going = std::mem::replace(&mut self.going, counting.known(self.kernel, op));
        self.facts.ranges[index] = None;
        let cause = Some(Cause { reason: VaryingReason::Iteration, value: None });
        let form = self.form(lo).zip(self.form(step));
        let form = form.and_then(|(start, step)| start.add(&step.mul(&Form::iteration())?));
        match form {
            Some(form) => self.formed(index, form, true, Shape::Arbitrary, cause),
            None => self.opaque(index, Shape::Arbitrary, cause),
        }
        self.opaque(goes, Shape::Prefix, cause);
        self.iterations((body, 2), &args[2..], &data.operands[2..], |finder| {
            finder.region(test, Flow::AllOn);
            finder.knowing(|finder| {
                finder.assume_in_range(index, &range);
                finder.region(body, Flow::AllOn);
            });
        });
        self.going = going;
        self.leave_lanes(op, outer);
    }

    /// Analyses the body of a lane loop until the facts about its carried values no longer change. The region `yielded`
    /// yields the next values from position `first` on.
    fn iterations(
        &mut self,
        (yielded, first): (Region, usize),
        carried: &[Value],
        starts: &[Value],
        mut block: impl FnMut(&mut Self),
    ) {
        let together = self.lanes.as_ref().is_some_and(|lanes| self.kernel.lanes_of_foreach(lanes.op).is_some());
        loop {
            for &arg in carried {
                self.facts.ranges[arg] = None;
                match self.guesses[arg].clone() {
                    Some(guess) => self.set(arg, guess),
                    // All lanes of a group have the same one, unless the group before makes several of it.
                    None if together => self.opaque(arg, Shape::Uniform, None),
                    // To find inductions, what is carried is an unknown first, with which the yield is compared.
                    None => {
                        let form = self.is_integer(arg).then(|| Form::varying(arg));
                        let cause = Some(Cause { reason: VaryingReason::Carried, value: None });
                        self.set(arg, Fact { shape: Shape::Arbitrary, form, exact: true, cause });
                    }
                }
            }
            block(self);
            let again = match together {
                true => self.find_parting(yielded, first, carried),
                false => self.find_inductions(yielded, first, carried, starts),
            };
            if !again {
                break;
            }
            // The facts of the body rest on the old guesses, so the body is analysed again.
            self.forget_guesses(yielded);
        }
        // A carried value that is no induction varies because of the value that it gets next.
        for &arg in carried {
            self.facts.values[arg].cause = self.guesses[arg].as_ref().and_then(|guess| guess.cause);
        }
    }

    fn leave_lanes(&mut self, op: Op, outer: Option<Lanes>) {
        self.lanes = outer;
        for &result in &self.kernel.ops[op].results {
            self.facts.ranges[result] = None;
            self.opaque(result, Shape::Uniform, None);
        }
    }

    /// The greatest number that an iteration of the lane loop may have, by the ranges of its bounds.
    fn last_iteration(&self, range: &[Value]) -> i128 {
        let span = |from: Value, to: Value, step: i128| {
            let (from, to) = (self.range(from)?, self.range(to)?);
            Some(((to.hi - from.lo - 1) / step).max(0))
        };
        let last = self.range(range[2]).and_then(|step| match () {
            _ if step.lo > 0 => span(range[0], range[1], step.lo),
            _ if step.hi < 0 => span(range[1], range[0], -step.hi),
            _ => None,
        });
        last.unwrap_or(1 << 65)
    }

    /// Finds what the lane loop carries and each iteration changes by the same amount, or not at all, if that was not
    /// done yet; says whether the block has to be seen again with it.
    fn find_inductions(&mut self, region: Region, first: usize, carried: &[Value], starts: &[Value]) -> bool {
        let yields = self.kernel.regions[region].yields.clone();
        let mut again = false;
        for ((&arg, &start), &next) in carried.iter().zip(starts).zip(&yields[first..]) {
            if self.guesses[arg].is_some() {
                continue;
            }
            let cause = Some(Cause { reason: VaryingReason::Carried, value: Some(next) });
            let guess = match self.induction(arg, start, next) {
                Some(form) => {
                    let shape = Shape::of(&form);
                    let cause = cause.filter(|_| !shape.is_uniform());
                    Fact { shape, form: Some(form), exact: true, cause }
                }
                // A value that no iteration changes is the same in all of them.
                None if next == arg => Fact { shape: Shape::Uniform, form: None, exact: true, cause: None },
                None => Fact { shape: Shape::Arbitrary, form: None, exact: true, cause },
            };
            again |= guess.shape != Shape::Arbitrary;
            self.guesses[arg] = Some(guess);
        }
        again
    }

    /// Finds what groups of lanes carry and lanes do not agree about; says whether the block has to be seen again with it.
    fn find_parting(&mut self, region: Region, first: usize, carried: &[Value]) -> bool {
        let yields = self.kernel.regions[region].yields.clone();
        let mut again = false;
        for (&arg, &next) in carried.iter().zip(&yields[first..]) {
            if self.guesses[arg].is_none() && !self.shape(next).is_uniform() {
                let cause = Some(Cause { reason: VaryingReason::Carried, value: Some(next) });
                let form = self.is_integer(arg).then(|| Form::varying(arg));
                self.guesses[arg] = Some(Fact { shape: Shape::Arbitrary, form, exact: true, cause });
                again = true;
            }
        }
        again
    }

    fn forget_guesses(&mut self, region: Region) {
        let kernel = self.kernel;
        kernel.walk(region, &mut |_, op| {
            let args = kernel.ops[op].regions.iter().flat_map(|&inner| &kernel.regions[inner].args);
            args.for_each(|&arg| self.guesses[arg] = None);
        });
    }

    /// The form of what grows by the same amount in each iteration.
    fn induction(&self, arg: Value, start: Value, next: Value) -> Option<Form> {
        let grown = self.form(next)?.sub(&Form::varying(arg))?;
        let fits = self.elem(arg).is_some_and(Elem::is_signed) || grown.is_zero();
        (fits && !grown.varies()).then(|| self.form(start)?.add(&grown.mul(&Form::iteration())?))?
    }
}

/// The arrays that a loop may write: those it stores to, and those that may overlap them.
fn written(kernel: &Kernel, op: Op) -> FxHashSet<Value> {
    let mut written = written_inside(kernel, op);
    for &(a, b) in &kernel.marks.alias {
        if written.contains(&a) || written.contains(&b) {
            written.extend([a, b]);
        }
    }
    written
}

/// The arrays that are made anew in each iteration of a loop.
fn private(kernel: &Kernel, op: Op) -> FxHashSet<Value> {
    let mut private = FxHashSet::default();
    for &region in &kernel.ops[op].regions {
        kernel.walk(region, &mut |_, inner| {
            if kernel.ops[inner].code == Code::Temp {
                private.extend(kernel.ops[inner].results.iter().copied());
            }
        });
    }
    private
}

/// Says whether the lanes of a loop run neighbours in all of its ranges together.
fn is_in_tiles(kernel: &Kernel, op: Op) -> bool {
    let is_marked = kernel.control(op).is_some_and(|control| control.marks.tiled && control.width.is_none());
    is_marked && kernel.n_ranges(op) > 1 && kernel.ops[op].results.is_empty()
}
