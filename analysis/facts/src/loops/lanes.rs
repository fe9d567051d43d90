//! Carried values in lanes: the form that each value takes there, if it has one.
//!
//! Lanes run an op for all iterations of a group before the next op, so no lane can wait for a value that the one
//! before it computes. Carried values take other forms:
//!
//! - *closed*: a value that no iteration changes is the same in all lanes, and one that each changes by the same amount
//!   is a product;
//! - *parts*: if the order does not matter, each lane has a partial result of its own, and they are joined behind the
//!   loop;
//! - *shifted*: if each iteration only carries a value that it has computed itself, lanes take it from their
//!   neighbours;
//! - *running*: a running sum of integers is the sum of what the lanes before have added, if that can be computed
//!   first;
//! - *assumed uniform*: a value that changes rarely is assumed unchanged; in a group where a lane would change it, the ops that
//!   depend on it run lane by lane. That is exact whatever the values are, NaN and zeros included.
//!
//! Parts and rare changes require that nothing but the value itself depends on its intermediate values. The ops that do
//! are its [`Slice`].

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::early::{EarlySearch, Stores, made_inside};
use super::slices::{Slice, Slices};
use super::{Carried, CarriedRole};
use crate::dependence::{Amount, Nest, induction_of};
use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, DimSize, Kernel};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;

/// The form in lanes of a value that the loop carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneForm {
    /// The value stays what it was before the loop.
    Same,
    /// Each iteration adds the step, or takes it away.
    Closed {
        /// The amount of the change, which no iteration changes.
        step: Amount,
        /// True if the step is subtracted, not added.
        falls: bool,
    },
    /// Each lane has a part, joined by this operator.
    Parts(Fold),
    /// The value is the same in all lanes of a group, which changes it for the next one.
    Group,
    /// Each lane has what the one before it makes.
    Shifted,
    /// Each lane has the sum of what those before it add.
    Running,
    /// The value is assumed to stay the same over a group; in a group where a lane changes it, lanes are done one by one.
    AssumedUniform,
}

/// Returns the forms in lanes of all values that a loop carries, in order.
pub(super) fn forms(nest: &Nest<'_>, op: Op, carried: &[Carried]) -> Vec<Option<LaneForm>> {
    let kernel = nest.kernel;
    if kernel.lanes_of_foreach(op).is_some() {
        return vec![Some(LaneForm::Group); carried.len()];
    }
    if !matches!(kernel.ops[op].code, Code::For | Code::Foreach) {
        return vec![None; carried.len()];
    }
    let mut search = Search { nest, op, slices: Slices::new(kernel, op), rash: FxHashMap::default() };
    let mut forms: Vec<Option<LaneForm>> =
        carried.iter().enumerate().map(|(number, value)| search.alone(number, value)).collect();
    for number in search.in_turn(carried, &forms) {
        let is_shifted = carried[number].role == CarriedRole::Previous;
        forms[number] = Some(if is_shifted { LaneForm::Shifted } else { LaneForm::Running });
    }
    for group in search.groups(carried, &forms) {
        group.into_iter().for_each(|number| forms[number] = Some(LaneForm::AssumedUniform));
    }
    forms
}

/// The search for the forms of one loop's values.
struct Search<'n, 'k> {
    nest: &'n Nest<'k>,
    op: Op,
    slices: Slices<'k>,
    /// The branches that were looked into: true if an op inside can fail.
    rash: FxHashMap<Op, bool>,
}

impl Search<'_, '_> {
    /// The form of a value that does not depend on what else is carried.
    fn alone(&mut self, number: usize, value: &Carried) -> Option<LaneForm> {
        let nest = self.nest;
        let is_float = nest.kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
        match value.role {
            CarriedRole::Unchanged => Some(LaneForm::Same),
            CarriedRole::Induction => {
                let induction = induction_of(nest, self.op, number)?;
                Some(LaneForm::Closed { step: induction.step, falls: induction.falls })
            }
            CarriedRole::Reduction { fold, .. } if !is_float => {
                let slice = self.slices.of(&BTreeSet::from([number]));
                let is_own = !slice.acts && slice.carried == BTreeSet::from([number]);
                // A minimum or maximum only selects among values that are compared anyway, so doing it in parts adds no error.
                let is_extreme = matches!(fold, Fold::Min | Fold::Max);
                (is_own && (is_extreme || !self.is_rash(&slice, |_| false))).then_some(LaneForm::Parts(fold))
            }
            _ => None,
        }
    }

    /// Returns the values that lanes get from the lanes before them. What they add, or take from the iteration before, has to
    /// be computable first, from carried values that are known by then.
    fn in_turn(&self, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<usize> {
        let kernel = self.nest.kernel;
        let is_known = |number: &usize| matches!(forms[*number], Some(LaneForm::Same | LaneForm::Closed { .. }));
        let mut early: Option<EarlySearch<'_>> = None;
        let mut n_missing: FxHashMap<usize, usize> = FxHashMap::default();
        let mut waiting_for: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut done: Vec<usize> = Vec::new();
        for number in (0..carried.len()).filter(|&number| forms[number].is_none()) {
            let Some(values) = handed_on_in(&self.slices, kernel, self.op, number, carried[number].role) else {
                continue;
            };
            let early = early.get_or_insert_with(|| EarlySearch::new(kernel, self.op));
            let Some((_, needs)) = early.find(&values) else { continue };
            let missing: Vec<usize> = needs.into_iter().filter(|need| !is_known(need)).collect();
            if missing.is_empty() {
                done.push(number);
            }
            n_missing.insert(number, missing.len());
            missing.into_iter().for_each(|need| waiting_for.entry(need).or_default().push(number));
        }
        let mut next = 0;
        while let Some(&known) = done.get(next) {
            next += 1;
            for waiting in waiting_for.remove(&known).unwrap_or_default() {
                let n_missing = n_missing.entry(waiting).or_default();
                *n_missing -= 1;
                if *n_missing == 0 {
                    done.push(waiting);
                }
            }
        }
        done
    }

    /// Values that change rarely, those together that depend on each other.
    fn groups(&mut self, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<BTreeSet<usize>> {
        let may_be_assumed = |number: usize| {
            forms[number].is_none()
                && matches!(
                    carried[number].role,
                    CarriedRole::Reduction { fold: Fold::Min | Fold::Max, .. }
                        | CarriedRole::Position { .. }
                        | CarriedRole::First
                        | CarriedRole::Last
                        | CarriedRole::LastSoFar
                )
        };
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        let mut group_of: FxHashMap<usize, usize> = FxHashMap::default();
        for number in (0..carried.len()).filter(|&number| may_be_assumed(number)) {
            let mut group = self.slices.of(&BTreeSet::from([number])).carried;
            group.insert(number);
            let met: BTreeSet<usize> = group.iter().filter_map(|number| group_of.get(number)).copied().collect();
            met.into_iter().for_each(|met| group.append(&mut groups[met]));
            group.iter().for_each(|&number| _ = group_of.insert(number, groups.len()));
            groups.push(group);
        }
        let (kernel, op) = (self.nest.kernel, self.op);
        let mut repeated: Option<Repeated> = None;
        groups.retain(|group| {
            let slice = self.slices.of(group);
            !group.is_empty()
                && group.iter().all(|&number| may_be_assumed(number))
                && !slice.acts
                && slice.carried.is_subset(group)
                && repeated.get_or_insert_with(|| Repeated::new(kernel, op)).may_be(kernel, &slice)
                && !self.is_rash(&slice, |choice| is_last(kernel, op, group, &slice, choice))
        });
        groups
    }

    /// Says whether lanes would run an op that can fail where the program does not: a lane runs the ops under a condition
    /// of the slice before it knows the results of the lanes before it. Conditions for which `is_left_out` holds do not
    /// count.
    fn is_rash(&mut self, slice: &Slice, is_left_out: impl Fn(Op) -> bool) -> bool {
        slice.branches.iter().any(|&branch| !is_left_out(branch) && self.can_fail_in(branch))
    }

    /// Says whether an op inside of a branch can fail.
    fn can_fail_in(&mut self, branch: Op) -> bool {
        if let Some(&known) = self.rash.get(&branch) {
            return known;
        }
        let kernel = self.nest.kernel;
        let mut inside = kernel.ops[branch].regions.iter().flat_map(|&region| &kernel.regions[region].ops);
        let can_fail = inside.any(|&inner| match kernel.ops[inner].code {
            Code::If => self.can_fail_in(inner),
            Code::Load => !is_there(self.nest, inner),
            _ => kernel.effect(inner) != Effect::Pure,
        });
        self.rash.insert(branch, can_fail);
        can_fail
    }
}

/// The part of a value that an iteration computes itself: all of it, or what it adds.
pub fn handed_on(kernel: &Kernel, op: Op, number: usize, role: CarriedRole) -> Option<Vec<Value>> {
    handed_on_in(&Slices::new(kernel, op), kernel, op, number, role)
}

fn handed_on_in(slices: &Slices<'_>, kernel: &Kernel, op: Op, number: usize, role: CarriedRole) -> Option<Vec<Value>> {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let arg = body.args[kernel.n_ranges(op) + number];
    match role {
        CarriedRole::Previous => Some(vec![body.yields[number]]),
        CarriedRole::Scan(Fold::Add) | CarriedRole::Compress | CarriedRole::Expand => {
            let is_integer = kernel.ty(arg).data_elem().is_some_and(Elem::is_integer);
            let slice = slices.of(&BTreeSet::from([number]));
            let mut values = Vec::new();
            (is_integer && added(kernel, &slice, arg, body.yields[number], &mut values)).then_some(values)
        }
        _ => None,
    }
}

/// Collects what is added to a value on the way to another one, and under which conditions; says whether it is no more
/// than that.
fn added(kernel: &Kernel, slice: &Slice, arg: Value, value: Value, values: &mut Vec<Value>) -> bool {
    if value == arg {
        return true;
    }
    match step(kernel, slice, value) {
        Some(SumStep::Choice(condition, a, b)) => {
            values.push(condition);
            added(kernel, slice, arg, a, values) && added(kernel, slice, arg, b, values)
        }
        Some(SumStep::Moved { from, by, .. }) => {
            values.push(by);
            added(kernel, slice, arg, from, values)
        }
        None => false,
    }
}

/// One step of the computation of a running sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumStep {
    /// One of two values, by a condition: the condition, and the values where it is true and false.
    Choice(Value, Value, Value),
    /// A sum or a difference of the running value and an amount.
    Moved {
        /// The running value.
        from: Value,
        /// The amount.
        by: Value,
        /// True if the amount is subtracted, not added.
        falls: bool,
    },
}

/// The step that makes a value of a slice.
pub fn step(kernel: &Kernel, slice: &Slice, value: Value) -> Option<SumStep> {
    let Def::Result(op, number) = kernel.values[value].def else { return None };
    let data = &kernel.ops[op];
    let depends = |n: usize| slice.values.contains(&data.operands[n]);
    match data.code {
        Code::Select if !depends(0) => Some(SumStep::Choice(data.operands[0], data.operands[1], data.operands[2])),
        Code::If if !depends(0) => {
            let yields = |side: usize| kernel.regions[data.regions[side]].yields[number as usize];
            Some(SumStep::Choice(data.operands[0], yields(0), yields(1)))
        }
        Code::Add | Code::WrappingAdd | Code::Sub | Code::WrappingSub => {
            let falls = matches!(data.code, Code::Sub | Code::WrappingSub);
            let (a, b) = (data.operands[0], data.operands[1]);
            match (depends(0), depends(1)) {
                (true, false) => Some(SumStep::Moved { from: a, by: b, falls }),
                (false, true) if !falls => Some(SumStep::Moved { from: b, by: a, falls }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Tells if an `if` only chooses between a value of this group, as it is carried, and a new one that is yielded. Where
/// the choice has to be made, it is made lane by lane.
fn is_last(kernel: &Kernel, op: Op, group: &BTreeSet<usize>, slice: &Slice, choice: Op) -> bool {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let data = &kernel.ops[choice];
    data.results.iter().enumerate().all(|(at, result)| {
        let sides = [0, 1].map(|side| kernel.regions[data.regions[side]].yields[at]);
        let is_choice = |number: &usize| {
            let arg = body.args[kernel.n_ranges(op) + number];
            let (kept, new) = if sides[0] == arg { (sides[0], sides[1]) } else { (sides[1], sides[0]) };
            body.yields[*number] == *result && kept == arg && !slice.values.contains(&new)
        };
        group.iter().any(is_choice)
    })
}

/// Says whether a load's cell is certain to exist: each subscript is an index of a loop that ends with the array.
fn is_there(nest: &Nest<'_>, load: Op) -> bool {
    let kernel = nest.kernel;
    let operands = &kernel.ops[load].operands;
    let Some(param) = kernel.params.iter().find(|param| param.value == operands[0]) else { return false };
    let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
    let ends_with = |size: &DimSize, stop: Value| match size {
        DimSize::Param(value) => *value == stop,
        DimSize::Constant(size) => number(stop).is_some_and(|stop| stop <= (*size).into()),
        _ => false,
    };
    param.sizes.iter().zip(&operands[1..]).all(|(size, &subscript)| {
        let Def::Arg(region, 0) = kernel.values[subscript].def else { return false };
        let Some(owner) =
            nest.forest.owner(region).filter(|&owner| matches!(kernel.ops[owner].code, Code::For | Code::Foreach))
        else {
            return false;
        };
        let range = &kernel.ops[owner].operands;
        let counts_up =
            number(range[0]).is_some_and(|start| start >= 0) && number(range[2]).is_some_and(|step| step > 0);
        counts_up && ends_with(size, range[1])
    })
}

/// A loop's body, of which parts may be done again, iteration by iteration, behind the rest.
struct Repeated {
    /// The ops that stand in the body itself.
    block: FxHashSet<Op>,
    inside: FxHashSet<Value>,
    stores: Stores,
}

impl Repeated {
    fn new(kernel: &Kernel, op: Op) -> Repeated {
        let block = kernel.regions[kernel.ops[op].regions[0]].ops.iter().copied().collect();
        Repeated { block, inside: made_inside(kernel, op), stores: Stores::of(kernel, op) }
    }

    /// Says whether what a slice computes can be done again.
    fn may_be(&self, kernel: &Kernel, slice: &Slice) -> bool {
        let mut repeats = true;
        let mut check = |inner: Op| {
            let data = &kernel.ops[inner];
            repeats &= match data.code {
                Code::Load => {
                    let array = data.operands[0];
                    !self.inside.contains(&array) && !self.stores.may_touch(kernel, kernel.root(array))
                }
                Code::If => true,
                code => code.is_elementwise(),
            };
        };
        let made = slice.values.iter().filter_map(|value| match kernel.values[*value].def {
            Def::Result(op, _) => Some(op),
            _ => None,
        });
        for inner in made.filter(|inner| self.block.contains(inner)).collect::<FxHashSet<Op>>() {
            check(inner);
            kernel.walk_inside(inner, &mut check);
        }
        repeats
    }
}
