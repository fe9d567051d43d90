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
//! - *scanned*: running minima and maxima, and products and linear recurrences of integers, are joined by halves (see [`Scanned`](super::Scanned));
//! - *held*: a value that iterations replace under a condition, and use, is for each lane that of the last lane up to it in which the
//!   condition holds (see [`Held`](super::Held));
//! - *assumed uniform*: a value that changes rarely is assumed unchanged; in a group where a lane would change it, the ops that
//!   depend on it run lane by lane. That is exact whatever the values are, NaN and zeros included;
//! - *blocks*: what runs on in the language's fixed order is joined by blocks of iterations: lanes halve the blocks, and what is in front
//!   of a group's is one value for all of them;
//! - *in turn*: in a loop that is marked so, lanes compute the others one after the other (see [`Turns`](super::Turns)).
//!
//! Parts and rare changes require that nothing but the value itself depends on its intermediate values. The ops that do
//! are its [`Slice`].

use std::cell::OnceCell;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::early::{Beginning, Behind};
use super::held::Held;
use super::scanned::Scanned;
use super::turns::Turns;
use super::{Carried, CarriedRole};
use crate::dependence::{Amount, Nest, induction_of};
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::{Def, DimSize, Kernel, Values};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;
use ir::uses::{Use, Uses};

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
        /// True if the value may wrap on the way; if not, that is the program's error.
        wraps: bool,
    },
    /// Each lane has a part, joined by this operator.
    Parts(Fold),
    /// The value is the same in all lanes of a group, which changes it for the next one.
    Group,
    /// Each lane has what the one before it makes.
    Shifted,
    /// Each lane has the sum of what those before it add.
    Running,
    /// Each lane has what those before it make of the value, which they compute of each other by halves.
    Scanned,
    /// Each lane has what the last lane up to it put in the value's place.
    Held,
    /// The value is assumed to stay the same over a group; in a group where a lane changes it, lanes are done one by one.
    AssumedUniform,
    /// A group has what is in front of its blocks, and joins its own to that.
    Blocks,
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
    /// The slice of the values with these numbers, for who asks once.
    pub fn of(kernel: &Kernel, op: Op, numbers: &BTreeSet<usize>) -> Slice {
        Slicer::new(kernel, &LoopForest::of(kernel), &Uses::of(kernel), op).slice(numbers)
    }
}

/// Finds the slices of the values that a loop carries. It goes from values to their users, so that those of all values together take no
/// longer than the loop is.
#[derive(Debug)]
pub struct Slicer<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    pub(super) forest: &'k LoopForest,
    pub(super) uses: &'k Uses,
    /// The loop.
    pub op: Op,
    pub(super) body: Region,
    /// The numbers under which the body hands on each value.
    handed_on: FxHashMap<Value, Vec<usize>>,
    /// The values that are joined to results of the loop.
    joined: FxHashSet<Value>,
}

impl<'k> Slicer<'k> {
    /// The slices of a loop of a kernel, whose forest and uses are known.
    pub fn new(kernel: &'k Kernel, forest: &'k LoopForest, uses: &'k Uses, op: Op) -> Slicer<'k> {
        let body = kernel.ops[op].regions[0];
        let data = &kernel.regions[body];
        // Behind the values that it carries, a loop yields those that it joins to its results.
        let (next, joined) = data.yields.split_at(data.args.len() - kernel.n_ranges(op));
        let mut handed_on: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        next.iter().enumerate().for_each(|(number, &value)| handed_on.entry(value).or_default().push(number));
        Slicer { kernel, forest, uses, op, body, handed_on, joined: joined.iter().copied().collect() }
    }

    /// The slice of the values with these numbers.
    pub fn slice(&self, numbers: &BTreeSet<usize>) -> Slice {
        let args = &self.kernel.regions[self.body].args[self.kernel.n_ranges(self.op)..];
        let mut open: Vec<Value> = numbers.iter().map(|&number| args[number]).collect();
        let mut slice = Slice { values: open.iter().copied().collect(), carried: BTreeSet::new(), acts: false };
        while let Some(value) = open.pop() {
            slice.carried.extend(self.handed_on.get(&value).into_iter().flatten());
            slice.acts |= self.joined.contains(&value);
            for user in self.uses.users(value) {
                let new = match *user {
                    Use::Operand(op, _) => self.used(op, &mut slice.acts),
                    Use::Yield(region) => self.yielded(value, region, &mut slice.acts),
                };
                open.extend(new.into_iter().filter(|&value| slice.values.insert(value)));
            }
        }
        slice
    }

    /// The values that depend on an operand of an op. A loop inside is one thing, which acts.
    fn used(&self, op: Op, acts: &mut bool) -> Values {
        let data = &self.kernel.ops[op];
        if !self.is_in_branches(op) || !(data.code == Code::If || data.regions.is_empty()) {
            *acts = true;
            return Values::new();
        }
        if data.code == Code::If {
            // All effects inside of it depend on the value, too.
            self.kernel.walk_effects(op, &mut |inner, effect| {
                *acts |= self.kernel.ops[inner].results.is_empty() && matches!(effect, Effect::Writes | Effect::Fails);
            });
        } else {
            *acts |= data.results.is_empty();
        }
        data.results.iter().copied().collect()
    }

    /// The values that depend on one that a region yields.
    fn yielded(&self, value: Value, region: Region, acts: &mut bool) -> Values {
        let Some(owner) = self.forest.owner(region).filter(|_| region != self.body) else { return Values::new() };
        let data = &self.kernel.ops[owner];
        if data.code != Code::If || !self.is_in_branches(owner) {
            *acts = true;
            return Values::new();
        }
        let results = data.results.iter().zip(&self.kernel.regions[region].yields);
        results.filter(|(_, yielded)| **yielded == value).map(|(&result, _)| result).collect()
    }

    /// Says whether an op of the body stands in no loop inside of it.
    fn is_in_branches(&self, op: Op) -> bool {
        let mut region = self.forest.region_of(op);
        while region != self.body {
            match self.forest.owner(region).filter(|&owner| self.kernel.ops[owner].code == Code::If) {
                Some(owner) => region = self.forest.region_of(owner),
                None => return false,
            }
        }
        true
    }
}

/// The forms in lanes of all values that a loop carries, in order.
pub(super) struct Forms {
    pub(super) list: Vec<Option<LaneForm>>,
    /// What lanes compute one after the other.
    pub(super) turns: Option<Turns>,
}

/// Returns the forms in lanes of the values that a loop carries.
pub(super) fn forms(nest: &Nest<'_>, uses: &Uses, op: Op, carried: &[Carried]) -> Forms {
    let kernel = nest.kernel;
    let of_all = |form: Option<LaneForm>| Forms { list: vec![form; carried.len()], turns: None };
    if kernel.lanes_of_foreach(op).is_some() {
        return of_all(Some(LaneForm::Group));
    }
    if !matches!(kernel.ops[op].code, Code::For | Code::Foreach) {
        return of_all(None);
    }
    let slicer = Slicer::new(kernel, &nest.forest, uses, op);
    let mut forms: Vec<Option<LaneForm>> =
        carried.iter().enumerate().map(|(number, value)| alone(nest, &slicer, number, value)).collect();
    for number in in_turn(&slicer, carried, &forms) {
        let role = carried[number].role;
        forms[number] = Some(match role {
            CarriedRole::Previous => LaneForm::Shifted,
            _ if Scanned::of(&slicer, number, role).is_some() => LaneForm::Scanned,
            _ => LaneForm::Running,
        });
    }
    for group in groups(nest, &slicer, carried, &forms) {
        group.into_iter().for_each(|number| forms[number] = Some(LaneForm::AssumedUniform));
    }
    for number in without_form(&forms) {
        let is_held = carried[number].role == CarriedRole::LastSoFar && Held::of(&slicer, number).is_some();
        forms[number] = is_held.then_some(LaneForm::Held);
    }
    let takes_turns = kernel.control(op).is_some_and(|control| control.marks.in_turn);
    if takes_turns {
        with_turns(&slicer, &mut forms);
    }
    let turns = takes_turns.then(|| Turns::of(&slicer, without_form(&forms))).flatten();
    turns.iter().flat_map(|turns| &turns.carried).for_each(|&number| forms[number] = Some(LaneForm::InTurn));
    Forms { list: forms, turns }
}

/// Takes the form of values away that change by what is computed in turns: when they do is not known to lanes together, so they take
/// turns as well. Those that are held do so in any case.
fn with_turns(slicer: &Slicer<'_>, forms: &mut [Option<LaneForm>]) {
    forms.iter_mut().filter(|form| **form == Some(LaneForm::Held)).for_each(|form| *form = None);
    loop {
        let changing = slicer.slice(&without_form(forms)).carried;
        let is_asked = |number: &usize| forms[*number] == Some(LaneForm::AssumedUniform);
        let asked: Vec<usize> = changing.into_iter().filter(is_asked).collect();
        if asked.is_empty() {
            return;
        }
        asked.into_iter().for_each(|number| forms[number] = None);
    }
}

/// The values that have no form, by their numbers.
fn without_form(forms: &[Option<LaneForm>]) -> BTreeSet<usize> {
    (0..forms.len()).filter(|&number| forms[number].is_none()).collect()
}

/// The form of a value that does not depend on what else is carried.
fn alone(nest: &Nest<'_>, slicer: &Slicer<'_>, number: usize, value: &Carried) -> Option<LaneForm> {
    let is_float = nest.kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
    let in_any_order = |fold: Fold| {
        let is_so = nest.kernel.control(slicer.op).is_some_and(|control| control.marks.any_order);
        is_so && matches!(fold, Fold::Min | Fold::Max)
    };
    match value.role {
        CarriedRole::Unchanged => Some(LaneForm::Same),
        CarriedRole::Induction => {
            let induction = induction_of(nest, slicer.op, number)?;
            let is_signed = nest.kernel.ty(value.arg).data_elem().is_some_and(Elem::is_signed);
            let wraps = induction.wraps || !is_signed;
            Some(LaneForm::Closed { step: induction.step, falls: induction.falls, wraps })
        }
        CarriedRole::Reduction { fold, .. } if !is_float || in_any_order(fold) => {
            let slice = slicer.slice(&BTreeSet::from([number]));
            let is_own = !slice.acts && slice.carried == BTreeSet::from([number]);
            // A minimum or maximum only selects among values that are compared anyway, so doing it in parts adds no error.
            let is_extreme = matches!(fold, Fold::Min | Fold::Max);
            (is_own && (is_extreme || !is_rash(nest, slicer, &slice, |_| false))).then_some(LaneForm::Parts(fold))
        }
        CarriedRole::Blocks { .. } => Some(LaneForm::Blocks),
        _ => None,
    }
}

/// Returns the values that lanes get from the lanes before them, in an order in which each is known in time. What they
/// add, or take from the iteration before, has to be computable first, from carried values that are known by then.
fn in_turn(slicer: &Slicer<'_>, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<usize> {
    let known =
        |form: Option<LaneForm>| matches!(form, Some(LaneForm::Same | LaneForm::Closed { .. } | LaneForm::Blocks));
    let begins = OnceCell::new();
    let mut waiting: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    for number in (0..carried.len()).filter(|&number| forms[number].is_none()) {
        let begins = || begins.get_or_init(|| Beginning::of(slicer.kernel, slicer.op));
        // What no iteration uses is the last one's behind the loop, and has no need to be known before that.
        let needs = match slicer.is_only_left(number, carried[number].role) {
            true => Some(BTreeSet::new()),
            false => slicer
                .handed_on(number, carried[number].role)
                .and_then(|values| begins().early(&values))
                .map(|early| early.carried),
        };
        waiting.extend(needs.map(|needs| (number, needs)));
    }
    let mut done: Vec<usize> = Vec::new();
    while let Some(at) =
        waiting.iter().position(|(_, needs)| needs.iter().all(|&need| known(forms[need]) || done.contains(&need)))
    {
        done.push(waiting.remove(at).0);
    }
    done
}

impl Slicer<'_> {
    /// Says whether a value that iterations compute anew is used by none of them, but behind the loop.
    pub fn is_only_left(&self, number: usize, role: CarriedRole) -> bool {
        let arg = self.kernel.regions[self.body].args[self.kernel.n_ranges(self.op) + number];
        role == CarriedRole::Previous && self.uses.users(arg).is_empty()
    }

    /// The part of a value that an iteration computes itself: all of it, or what it adds.
    pub fn handed_on(&self, number: usize, role: CarriedRole) -> Option<Vec<Value>> {
        let kernel = self.kernel;
        let body = &kernel.regions[self.body];
        let arg = body.args[kernel.n_ranges(self.op) + number];
        match role {
            CarriedRole::Previous => Some(vec![body.yields[number]]),
            CarriedRole::Scan(Fold::Add) | CarriedRole::Compress | CarriedRole::Expand => {
                let is_integer = kernel.ty(arg).data_elem().is_some_and(Elem::is_integer);
                let slice = self.slice(&BTreeSet::from([number]));
                let mut values = Vec::new();
                (is_integer && added(kernel, &slice, arg, body.yields[number], &mut values)).then_some(values)
            }
            _ => Scanned::of(self, number, role).map(|scanned| scanned.needs()),
        }
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
fn groups(
    nest: &Nest<'_>,
    slicer: &Slicer<'_>,
    carried: &[Carried],
    forms: &[Option<LaneForm>],
) -> Vec<BTreeSet<usize>> {
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
    // The place among the groups of each value that is in one. A group that went into a later one is left empty.
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    for number in (0..carried.len()).filter(|&number| may_be_assumed(number)) {
        let mut group = slicer.slice(&BTreeSet::from([number])).carried;
        group.insert(number);
        let met: BTreeSet<usize> = group.iter().filter_map(|member| places.get(member)).copied().collect();
        met.into_iter().for_each(|place| group.extend(std::mem::take(&mut groups[place])));
        group.iter().for_each(|&member| _ = places.insert(member, groups.len()));
        groups.push(group);
    }
    let behind = OnceCell::new();
    let can_repeat = |slice: &Slice| {
        let makers: BTreeSet<Op> = slice.values.iter().filter_map(|&value| kernel.def_op(value)).collect();
        let of_body = makers.into_iter().filter(|&maker| slicer.forest.region_of(maker) == slicer.body);
        behind.get_or_init(|| Behind::of(kernel, slicer.op)).can_do(of_body)
    };
    groups.retain(|group| {
        let slice = slicer.slice(group);
        !group.is_empty()
            && group.iter().all(|&number| may_be_assumed(number))
            && !slice.acts
            && slice.carried.is_subset(group)
            && can_repeat(&slice)
            && !is_rash(nest, slicer, &slice, |choice| is_last(kernel, slicer.op, group, &slice, choice))
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
fn is_rash(nest: &Nest<'_>, slicer: &Slicer<'_>, slice: &Slice, is_left_out: impl Fn(Op) -> bool) -> bool {
    let kernel = nest.kernel;
    let guarded_by = |value: &Value| {
        slicer.uses.users(*value).iter().filter_map(|user| match *user {
            Use::Operand(op, 0) if kernel.ops[op].code == Code::If => Some(op),
            _ => None,
        })
    };
    let is_rash = |inner: Op| match kernel.ops[inner].code {
        Code::If => false,
        Code::Load => !is_there(nest, inner),
        _ => kernel.effect(inner) != Effect::Pure,
    };
    slice.values.iter().flat_map(guarded_by).any(|choice| {
        let mut found = false;
        if !is_left_out(choice) {
            kernel.walk_inside(choice, &mut |inner| found |= is_rash(inner));
        }
        found
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
