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
//!   depend on it run lane by lane. That is exact whatever the values are, NaN and zeros included;
//! - *in turn*: in a loop that is marked so, lanes compute the others one after the other (see [`Turns`](super::Turns)).
//!
//! Parts and rare changes require that nothing but the value itself depends on its intermediate values. The ops that do
//! are its [`Slice`].

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::early::{Early, Stores, made_inside};
use super::turns::Turns;
use super::{Carried, CarriedRole};
use crate::dependence::{Amount, Nest, induction_of};
use ir::entities::{Op, Region, Value};
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
    /// Lanes compute it one after the other, beside what they do together.
    InTurn,
}

/// The slice of a loop's body that depends on some of the carried values, within one iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The values, those that are carried among them.
    pub values: FxHashSet<Value>,
    /// The values that are carried from iteration to iteration and depend on them, by their numbers.
    pub carried: BTreeSet<usize>,
    /// True if an effect depends on the values: a store, its condition, or what is joined to a result of the loop.
    pub acts: bool,
}

impl Slice {
    /// The slice of the values with these numbers.
    pub fn of(kernel: &Kernel, op: Op, numbers: &BTreeSet<usize>) -> Slice {
        let region = kernel.ops[op].regions[0];
        let args = &kernel.regions[region].args[kernel.n_ranges(op)..];
        let values = numbers.iter().map(|&number| args[number]).collect();
        let mut slice = Slice { values, carried: BTreeSet::new(), acts: false };
        slice.region(kernel, region, false);
        // Behind the values that it carries, a loop yields those that it joins to its results.
        let (handed_on, joined) = kernel.regions[region].yields.split_at(args.len());
        let yields = handed_on.iter().enumerate();
        slice.carried = yields.filter(|(_, next)| slice.values.contains(next)).map(|(number, _)| number).collect();
        slice.acts |= joined.iter().any(|value| slice.values.contains(value));
        slice
    }

    /// Goes through a region; inside of a branch that depends on the values, all effects are known to depend on them.
    fn region(&mut self, kernel: &Kernel, region: Region, is_inside: bool) {
        for &op in &kernel.regions[region].ops {
            self.op(kernel, op, is_inside);
        }
    }

    fn op(&mut self, kernel: &Kernel, op: Op, is_inside: bool) {
        let data = &kernel.ops[op];
        let depends = data.operands.iter().any(|value| self.values.contains(value));
        match data.code {
            Code::If if depends => {
                self.values.extend(&data.results);
                if !is_inside {
                    kernel.walk_effects(op, &mut |inner, effect| {
                        let acts = matches!(effect, Effect::Writes | Effect::Fails);
                        self.acts |= kernel.ops[inner].results.is_empty() && acts;
                    });
                }
                data.regions.iter().for_each(|&region| self.region(kernel, region, true));
            }
            Code::If => {
                data.regions.iter().for_each(|&region| self.region(kernel, region, is_inside));
                for (number, &result) in data.results.iter().enumerate() {
                    if data.regions.iter().any(|&region| self.values.contains(&kernel.regions[region].yields[number])) {
                        self.values.insert(result);
                    }
                }
            }
            // A loop inside is one thing.
            _ if !data.regions.is_empty() => {
                let mut inside = depends;
                kernel.walk_inside(op, &mut |inner| {
                    inside |= kernel.ops[inner].operands.iter().any(|value| self.values.contains(value));
                });
                let yields = data.regions.iter().flat_map(|&region| &kernel.regions[region].yields);
                inside |= yields.into_iter().any(|value| self.values.contains(value));
                self.acts |= inside;
            }
            _ if depends => {
                self.values.extend(&data.results);
                self.acts |= data.results.is_empty();
            }
            _ => {}
        }
    }
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
    let mut forms: Vec<Option<LaneForm>> =
        carried.iter().enumerate().map(|(number, value)| alone(nest, op, number, value)).collect();
    for number in in_turn(kernel, op, carried, &forms) {
        let is_shifted = carried[number].role == CarriedRole::Previous;
        forms[number] = Some(if is_shifted { LaneForm::Shifted } else { LaneForm::Running });
    }
    for group in groups(nest, op, carried, &forms) {
        group.into_iter().for_each(|number| forms[number] = Some(LaneForm::AssumedUniform));
    }
    if kernel.control(op).is_some_and(|control| control.marks.in_turn) {
        let turns = Turns::of(kernel, op, without_form(&forms));
        turns.into_iter().flat_map(|turns| turns.carried).for_each(|number| forms[number] = Some(LaneForm::InTurn));
    }
    forms
}

/// The values that have no form, by their numbers.
fn without_form(forms: &[Option<LaneForm>]) -> BTreeSet<usize> {
    (0..forms.len()).filter(|&number| forms[number].is_none()).collect()
}

/// The form of a value that does not depend on what else is carried.
fn alone(nest: &Nest<'_>, op: Op, number: usize, value: &Carried) -> Option<LaneForm> {
    let is_float = nest.kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
    match value.role {
        CarriedRole::Unchanged => Some(LaneForm::Same),
        CarriedRole::Induction => {
            let induction = induction_of(nest, op, number)?;
            Some(LaneForm::Closed { step: induction.step, falls: induction.falls })
        }
        CarriedRole::Reduction { fold, .. } if !is_float => {
            let slice = Slice::of(nest.kernel, op, &BTreeSet::from([number]));
            let is_own = !slice.acts && slice.carried == BTreeSet::from([number]);
            // A minimum or maximum only selects among values that are compared anyway, so doing it in parts adds no error.
            let is_extreme = matches!(fold, Fold::Min | Fold::Max);
            (is_own && (is_extreme || !is_rash(nest, op, &slice, |_| false))).then_some(LaneForm::Parts(fold))
        }
        _ => None,
    }
}

/// Returns the values that lanes get from the lanes before them, in an order in which each is known in time. What they
/// add, or take from the iteration before, has to be computable first, from carried values that are known by then.
fn in_turn(kernel: &Kernel, op: Op, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<usize> {
    let known = |form: Option<LaneForm>| matches!(form, Some(LaneForm::Same | LaneForm::Closed { .. }));
    let mut waiting: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for number in (0..carried.len()).filter(|&number| forms[number].is_none()) {
        let needs = handed_on(kernel, op, number, carried[number].role).and_then(|v| Early::of(kernel, op, &v));
        waiting.extend(needs.map(|early| (number, early.carried)));
    }
    let mut done: Vec<usize> = Vec::new();
    while let Some(at) =
        waiting.iter().position(|(_, needs)| needs.iter().all(|&need| known(forms[need]) || done.contains(&need)))
    {
        done.push(waiting.remove(at).0);
    }
    done
}

/// The part of a value that an iteration computes itself: all of it, or what it adds.
pub fn handed_on(kernel: &Kernel, op: Op, number: usize, role: CarriedRole) -> Option<Vec<Value>> {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let arg = body.args[kernel.n_ranges(op) + number];
    match role {
        CarriedRole::Previous => Some(vec![body.yields[number]]),
        CarriedRole::Scan(Fold::Add) | CarriedRole::Compress | CarriedRole::Expand => {
            let is_integer = kernel.ty(arg).data_elem().is_some_and(Elem::is_integer);
            let slice = Slice::of(kernel, op, &BTreeSet::from([number]));
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

/// Values that change rarely, those together that depend on each other.
fn groups(nest: &Nest<'_>, op: Op, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<BTreeSet<usize>> {
    let kernel = nest.kernel;
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
    for number in (0..carried.len()).filter(|&number| may_be_assumed(number)) {
        let mut group = Slice::of(kernel, op, &BTreeSet::from([number])).carried;
        group.insert(number);
        let (met, apart) = groups.into_iter().partition(|other: &BTreeSet<usize>| !other.is_disjoint(&group));
        groups = apart;
        met.into_iter().for_each(|other: BTreeSet<usize>| group.extend(other));
        groups.push(group);
    }
    groups.retain(|group| {
        let slice = Slice::of(kernel, op, group);
        group.iter().all(|&number| may_be_assumed(number))
            && !slice.acts
            && slice.carried.is_subset(group)
            && can_repeat(kernel, op, &slice)
            && !is_rash(nest, op, &slice, |choice| is_last(kernel, op, group, &slice, choice))
    });
    groups
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

/// Says whether lanes would run an op that can fail where the program does not: a lane runs the ops under a condition
/// of the slice before it knows the results of the lanes before it. Conditions for which `is_left_out` holds do not
/// count.
fn is_rash(nest: &Nest<'_>, op: Op, slice: &Slice, is_left_out: impl Fn(Op) -> bool) -> bool {
    /// Looks into a block, which may be inside of such a condition.
    fn in_region(nest: &Nest<'_>, region: Region, is_guarded: bool, guards: &dyn Fn(Op) -> bool) -> bool {
        let kernel = nest.kernel;
        kernel.regions[region].ops.iter().any(|&inner| {
            let data = &kernel.ops[inner];
            let is_rash = is_guarded
                && match data.code {
                    Code::If => false,
                    Code::Load => !is_there(nest, inner),
                    _ => kernel.effect(inner) != Effect::Pure,
                };
            let is_guarded = is_guarded || guards(inner);
            is_rash || data.regions.iter().any(|&region| in_region(nest, region, is_guarded, guards))
        })
    }

    let kernel = nest.kernel;
    let guards = |inner: Op| {
        let data = &kernel.ops[inner];
        data.code == Code::If && slice.values.contains(&data.operands[0]) && !is_left_out(inner)
    };
    kernel.ops[op].regions.iter().any(|&region| in_region(nest, region, false, &guards))
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

/// Says whether what a slice computes can be done again, iteration by iteration, behind the rest of the loop's body.
fn can_repeat(kernel: &Kernel, op: Op, slice: &Slice) -> bool {
    let body = kernel.ops[op].regions[0];
    let (inside, stores) = (made_inside(kernel, op), Stores::of(kernel, op));
    let mut repeats = true;
    let mut check = |inner: Op| {
        let data = &kernel.ops[inner];
        repeats &= match data.code {
            Code::Load => {
                !inside.contains(&data.operands[0]) && !stores.may_touch(kernel, kernel.root(data.operands[0]))
            }
            Code::If => true,
            code => code.is_elementwise(),
        };
    };
    for &inner in &kernel.regions[body].ops {
        if kernel.ops[inner].results.iter().any(|result| slice.values.contains(result)) {
            check(inner);
            kernel.walk_inside(inner, &mut check);
        }
    }
    repeats
}
