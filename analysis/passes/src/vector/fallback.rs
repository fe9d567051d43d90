//! Values that change rarely: the least so far, where it was found, the first or last place at which something holds.
//!
//! ```text
//! if a[i] < least:            let less = (x < least)
//!     least = a[i]            let changes = (active & less)
//!     at = i                  let least, at = if any(changes):
//!                                 for k in range(first_on(changes), LANES): … lane by lane, as the program says it
//!                             else:
//!                                 yield least, at
//! ```
//!
//! For a whole group the values are taken for what they were before it. If no lane would change them then, none does:
//! the first lane sees just those values, and hands them on. So nothing has to be known about what is compared, and a NaN
//! or the sign of a zero is what it is in order.
//!
//! The least or greatest of floats is the same in whatever halves they are compared, as long as the halves are in order and
//! no number is a NaN. So lanes go one by one only where one is. Where several such values change, each is joined for itself, and lanes
//! for which a condition fails have nothing to join.
//!
//! Where neither the condition nor what is assigned depends on such a value, no lane has to be alone: of the lanes that change
//! it, the last one's is the value after the group.
//!
//! ```text
//! if a[i] < 0.0:              let at = if any(changes):
//!     at = i                      yield extract(i, last_on(changes))
//!                             else:
//!                                 yield at
//! ```

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowerer;
use super::scanned::halves;
use facts::loops::{CarriedRole, Extreme, Slice, Slicer};
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel, Values};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;

/// The values of a loop that change rarely.
pub(super) struct Fallback {
    /// The numbers of the values, with the test that a lane would change them.
    guards: Vec<(usize, Guard)>,
    slice: Slice,
    /// The ops of the loop's body that depend on them, in order.
    ops: Vec<Op>,
    /// The ops that are vectorised: those that the test for a change, or a value outside of the slice, needs.
    needed: FxHashSet<Op>,
}

/// A change of which all is known but whether it comes: lanes that change the value after others win.
struct KnownChange {
    /// The lane changes the value if this condition is true, or if it is false.
    condition: Value,
    when: bool,
    /// What it changes it to.
    new: Value,
}

/// The choice of the least or greatest float among those of lanes.
struct ExtremeOfLanes {
    choice: Extreme,
    fold: Fold,
    /// The condition under which a lane has a share in it, and whether it has to hold or fail.
    condition: Option<(Value, bool)>,
}

/// The test by which a lane would change a value.
#[derive(Debug, Clone, Copy)]
enum Guard {
    /// The lane changes the value if this condition is true, or if it is false.
    Condition(Value, bool),
    /// The lane changes the value if this one, which would be the next, has other bits.
    Differs(Value),
}

impl Fallback {
    /// The values with these numbers.
    pub(super) fn of(slicer: &Slicer<'_>, numbers: BTreeSet<usize>) -> Fallback {
        let slice = slicer.slice(&numbers);
        let (kernel, op) = (slicer.kernel, slicer.op);
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        // A branch that gives nothing and does nothing depends on them by its condition.
        let depends = |op: &Op| match &kernel.ops[*op].results[..] {
            [] => kernel.inputs(*op).iter().any(|input| slice.values.contains(input)),
            results => results.iter().any(|result| slice.values.contains(result)),
        };
        let ops: Vec<Op> = body.ops.iter().copied().filter(depends).collect();
        let n_ranges = kernel.n_ranges(op);
        let guard = |number: usize| guard(kernel, &slice, body.args[n_ranges + number], body.yields[number]);
        let guards: Vec<(usize, Guard)> = numbers.into_iter().map(|number| (number, guard(number))).collect();
        let needed = needed(kernel, &slice, &ops, &guards);
        Fallback { guards, slice, ops, needed }
    }

    /// Returns the ops that are not vectorised.
    pub(super) fn left_out(&self) -> impl Iterator<Item = Op> {
        self.ops.iter().copied().filter(|op| !self.needed.contains(op))
    }
}

/// The test by which a value changes: the condition under which something else is chosen, or its bits.
fn guard(kernel: &Kernel, slice: &Slice, arg: Value, next: Value) -> Guard {
    let Some((condition, a, b)) = sides(kernel, next) else { return Guard::Differs(next) };
    match (a == arg, b == arg) {
        (true, false) if !slice.values.contains(&b) => Guard::Condition(condition, false),
        (false, true) if !slice.values.contains(&a) => Guard::Condition(condition, true),
        _ => Guard::Differs(next),
    }
}

/// The condition and the sides of a choice.
fn sides(kernel: &Kernel, value: Value) -> Option<(Value, Value, Value)> {
    let Def::Result(op, number) = kernel.values[value].def else { return None };
    let data = &kernel.ops[op];
    match data.code {
        Code::Select => Some((data.operands[0], data.operands[1], data.operands[2])),
        Code::If => {
            let yields = |side: usize| kernel.regions[data.regions[side]].yields[number as usize];
            Some((data.operands[0], yields(0), yields(1)))
        }
        _ => None,
    }
}

/// Returns the ops that compute the test for a change, and those that also compute a value outside of the slice.
fn needed(kernel: &Kernel, slice: &Slice, ops: &[Op], guards: &[(usize, Guard)]) -> FxHashSet<Op> {
    let mut wanted: FxHashSet<Value> = FxHashSet::default();
    for &(_, guard) in guards {
        let (Guard::Condition(value, _) | Guard::Differs(value)) = guard;
        wanted.insert(value);
    }
    let mut needed = FxHashSet::default();
    for &op in ops.iter().rev() {
        let results = &kernel.ops[op].results;
        if results.iter().any(|result| wanted.contains(result) || !slice.values.contains(result)) {
            needed.insert(op);
            wanted.extend(kernel.inputs(op));
        }
    }
    needed
}

impl Lowerer<'_> {
    /// The values after a group, by their numbers.
    pub(super) fn with_fallback(&mut self, op: Op, fallback: &Fallback) -> FxHashMap<usize, Value> {
        let n_ranges = self.kernel().n_ranges(op);
        let body = self.kernel().regions[self.kernel().ops[op].regions[0]].clone();
        let olds: Vec<Value> = fallback.guards.iter().map(|&(number, _)| body.args[n_ranges + number]).collect();
        let before: Values = olds.iter().map(|&old| self.at(old)).collect();
        if let Some(changes) = self.known_changes(op, fallback, &body.yields) {
            let after = changes.iter().zip(&before).map(|(change, &before)| self.by_last(change, before));
            let after: Values = after.collect();
            return fallback.guards.iter().map(|&(number, _)| number).zip(after).collect();
        }
        let changes = self.changes(fallback, &before);
        let some = self.b.op(Code::Any, &[changes]);
        self.b.open_if(some);
        let extremes = self.only_extremes(op, fallback);
        if let Some(extremes) = &extremes {
            let nan = self.is_nan_among(extremes, &before);
            self.b.open_if(nan);
        }
        let mut after = self.lane_by_lane(fallback, &body.yields, &olds, &before, changes);
        if let Some(extremes) = &extremes {
            self.b.next_block(&after);
            let whole: Values =
                extremes.iter().zip(&before).map(|(it, &before)| self.extreme_of_group(it, before)).collect();
            after = self.b.close(&whole).iter().copied().collect();
        }
        self.b.next_block(&after);
        let results = self.b.close(&before);
        fallback.guards.iter().map(|&(number, _)| number).zip(results).collect()
    }

    /// The choices of the least or greatest floats, where those alone change.
    fn only_extremes(&self, op: Op, fallback: &Fallback) -> Option<Vec<ExtremeOfLanes>> {
        let body = self.kernel().ops[op].regions[0];
        let is_visible = |value: Value| {
            let home = self.forest.region_of_value(self.kernel(), value);
            home == body || !self.forest.is_made_inside(self.kernel(), op, value)
        };
        let extreme = |&(number, _): &(usize, Guard)| {
            let role = self.carried[number].role;
            let CarriedRole::Reduction { fold, .. } = role else { return None };
            let (choice, condition) = Extreme::under_condition(&self.slicer(op), number, role)?;
            let is_free = !fallback.slice.values.contains(&choice.other);
            let is_known = is_free && is_visible(choice.other) && condition.is_none_or(|(it, _)| is_visible(it));
            let x = self.new.get(&choice.other).copied().filter(|&x| is_known && self.is_in_lanes(x))?;
            self.elem(x).is_float().then_some(ExtremeOfLanes { choice, fold, condition })
        };
        fallback.guards.iter().map(extreme).collect()
    }

    /// The lanes that have a share in an extreme.
    fn sharing(&mut self, extreme: &ExtremeOfLanes) -> Value {
        let Some((condition, when)) = extreme.condition else { return self.mask };
        let condition = self.at(condition);
        let condition = self.in_lanes(condition);
        let condition = if when { condition } else { self.b.op(Code::Not, &[condition]) };
        self.b.op(Code::And, &[self.mask, condition])
    }

    /// Says whether a NaN is in front of the group, or among what lanes compare.
    fn is_nan_among(&mut self, extremes: &[ExtremeOfLanes], before: &Values) -> Value {
        let mut found = None;
        for (extreme, &before) in extremes.iter().zip(before) {
            let x = self.at(extreme.choice.other);
            let nan = self.b.op(Code::Isnan, &[x]);
            let sharing = self.sharing(extreme);
            let is_in_lanes = self.b.op(Code::Any, &[nan, sharing]);
            let is_in_front = self.b.op(Code::Isnan, &[before]);
            let is_somewhere = self.b.op(Code::Or, &[is_in_lanes, is_in_front]);
            found = Some(found.map_or(is_somewhere, |found| self.b.op(Code::Or, &[found, is_somewhere])));
        }
        found.expect("something changes rarely")
    }

    /// The least or greatest of a group and of what is in front of it, none of which is a NaN.
    fn extreme_of_group(&mut self, extreme: &ExtremeOfLanes, before: Value) -> Value {
        let choice = &extreme.choice;
        let x = self.at(choice.other);
        let nothing = self.b.constant(extreme.fold.identity(self.elem(x)));
        let nothing = self.in_lanes(nothing);
        let sharing = self.sharing(extreme);
        let mut x = self.b.op(Code::Select, &[sharing, x, nothing]);
        let lanes = self.lanes;
        for half in halves(lanes) {
            let of_latter = |lane: u16| if lane + half < lanes { lane + half } else { lanes + lane };
            let pattern = Attr::Pattern((0..lanes).map(of_latter).collect());
            let latter = self.b.op_with(Code::Permute, pattern, &[x, nothing]);
            x = self.chosen(choice, x, latter);
        }
        let first = self.b.constant(Scalar::I32(0));
        let whole = self.b.op(Code::Extract, &[x, first]);
        self.chosen(choice, before, whole)
    }

    /// What each value is changed to, and in which lanes, where neither depends on the values and all is known in front of the loop's end.
    fn known_changes(&self, op: Op, fallback: &Fallback, yields: &Values) -> Option<Vec<KnownChange>> {
        let body = self.kernel().ops[op].regions[0];
        let is_visible = |value: &Value| {
            let home = self.forest.region_of_value(self.kernel(), *value);
            home == body || !self.forest.is_made_inside(self.kernel(), op, *value)
        };
        let is_known = |value: &Value| !fallback.slice.values.contains(value) && is_visible(value);
        let change = |&(number, guard): &(usize, Guard)| {
            let Guard::Condition(condition, when) = guard else { return None };
            let (_, holds, fails) = sides(self.kernel(), yields[number])?;
            let new = if when { holds } else { fails };
            (is_known(&condition) && is_known(&new)).then_some(KnownChange { condition, when, new })
        };
        fallback.guards.iter().map(change).collect()
    }

    /// A value after a group: what the last of the lanes that change it gives it.
    fn by_last(&mut self, change: &KnownChange, before: Value) -> Value {
        let condition = self.at(change.condition);
        let condition = if change.when { condition } else { self.b.op(Code::Not, &[condition]) };
        let changes = self.b.op(Code::And, &[self.mask, condition]);
        self.b.name(changes, "changes");
        let some = self.b.op(Code::Any, &[changes]);
        let new = self.at(change.new);
        if !self.is_in_lanes(new) {
            return self.b.op(Code::Select, &[some, new, before]);
        }
        self.b.open_if(some);
        let last = self.b.op(Code::LastOn, &[changes]);
        let new = self.of_active_lane(new, last);
        self.b.next_block(&[new]);
        let after = self.b.close(&[before]);
        after[0]
    }

    /// The value of a lane that is active. A lane's index is a sum then, for which no vector is needed.
    fn of_active_lane(&mut self, value: Value, lane: Value) -> Value {
        let kernel = self.b.kernel();
        let index = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::LaneIndex);
        let Some(&[base, step]) = index.map(|data| &data.operands[..]) else {
            return self.b.op(Code::Extract, &[value, lane]);
        };
        let elem = self.elem(base);
        let lane = if elem == Elem::I32 { lane } else { self.b.op_with(Code::Cast, Attr::Elem(elem), &[lane]) };
        let is_one = self.b.kernel().as_const(step) == Some(Scalar::one(elem));
        let by = if is_one { lane } else { self.b.op(Code::WrappingMul, &[lane, step]) };
        self.b.op(Code::WrappingAdd, &[base, by])
    }

    /// The lanes that would change something.
    fn changes(&mut self, fallback: &Fallback, before: &Values) -> Value {
        let mut seen: Vec<Value> = Vec::new();
        let mut all = None;
        for (&(_, guard), &before) in fallback.guards.iter().zip(before) {
            let changes = match guard {
                Guard::Condition(value, _) if seen.contains(&value) => continue,
                Guard::Condition(value, when) => {
                    seen.push(value);
                    let condition = self.at(value);
                    if when { condition } else { self.b.op(Code::Not, &[condition]) }
                }
                Guard::Differs(next) => {
                    let next = self.at(next);
                    let (next, before) = (self.bits(next), self.bits(before));
                    self.b.op(Code::Ne, &[next, before])
                }
            };
            all = Some(all.map_or(changes, |all| self.b.op(Code::Or, &[all, changes])));
        }
        let all = all.expect("something changes rarely");
        let changes = self.b.op(Code::And, &[self.mask, all]);
        self.b.name(changes, "changes")
    }

    /// The bits of a value, as what can be compared.
    fn bits(&mut self, value: Value) -> Value {
        let elem = self.elem(value);
        match elem {
            float if float.is_float() => self.b.op_with(Code::Bitcast, Attr::Elem(float.bits_of_same_size()), &[value]),
            _ => value,
        }
    }

    /// The values after the lanes from the first that changes one, in order.
    fn lane_by_lane(
        &mut self,
        fallback: &Fallback,
        yields: &Values,
        olds: &[Value],
        before: &Values,
        changes: Value,
    ) -> Values {
        let first = self.b.op(Code::FirstOn, &[changes]);
        let (lanes, one) = (self.b.constant(Scalar::I32(self.lanes.into())), self.b.constant(Scalar::I32(1)));
        let names: Vec<String> = olds.iter().map(|&old| self.name_of(old)).collect();
        let named: Vec<(&str, Value)> = names.iter().map(String::as_str).zip(before.iter().copied()).collect();
        let args = self.b.open_for("lane", [first, lanes, one], &named);
        let is_there = self.b.op(Code::Extract, &[self.mask, args[0]]);
        self.b.open_if(is_there);
        let mut alone: FxHashMap<Value, Value> = olds.iter().copied().zip(args[1..].iter().copied()).collect();
        let mut wanted: Vec<Value> = fallback.ops.iter().flat_map(|&op| self.kernel().inputs(op)).collect();
        wanted.extend(fallback.guards.iter().map(|&(number, _)| yields[number]));
        wanted.retain(|value| !fallback.slice.values.contains(value));
        self.inputs_of_lane(&wanted, args[0], &mut alone);
        for &op in &fallback.ops {
            self.alone(op, &mut alone);
        }
        let after: Values = fallback.guards.iter().map(|&(number, _)| alone_value(&alone, yields[number])).collect();
        self.b.next_block(&after);
        let results = self.b.close(&args[1..]);
        self.b.close(&results)
    }

    /// Fills in what one lane needs from the rest of the loop's body: of a vector, the lane's element.
    pub(super) fn inputs_of_lane(&mut self, wanted: &[Value], lane: Value, alone: &mut FxHashMap<Value, Value>) {
        for &old in wanted {
            let Some(&new) = self.new.get(&old) else { continue };
            if let Entry::Vacant(entry) = alone.entry(old) {
                let new = if self.is_in_lanes(new) { self.of_active_lane(new, lane) } else { new };
                entry.insert(new);
            }
        }
    }

    /// An op as the scalar loop has it.
    pub(super) fn alone(&mut self, op: Op, alone: &mut FxHashMap<Value, Value>) {
        let data = self.kernel().ops[op].clone();
        let outer = self.b.set_origin(data.origin);
        let operands: Values = data.operands.iter().map(|&value| alone_value(alone, value)).collect();
        let results: Values = match data.code {
            Code::If => {
                self.b.open_if(operands[0]);
                let then = self.block_alone(data.regions[0], alone);
                self.b.next_block(&then);
                let otherwise = self.block_alone(data.regions[1], alone);
                self.b.close(&otherwise)
            }
            code => {
                let made = self.b.push(code, data.attr, &operands);
                self.kernel().ops[made].results.iter().copied().collect()
            }
        };
        alone.extend(data.results.iter().copied().zip(results));
        self.b.set_origin(outer);
    }

    fn block_alone(&mut self, region: Region, alone: &mut FxHashMap<Value, Value>) -> Values {
        let data = self.kernel().regions[region].clone();
        for &op in &data.ops {
            self.alone(op, alone);
        }
        data.yields.iter().map(|&value| alone_value(alone, value)).collect()
    }
}

/// The replacement of a value where a lane is alone; a value from outside of the loop stands for itself.
pub(super) fn alone_value(alone: &FxHashMap<Value, Value>, value: Value) -> Value {
    alone.get(&value).copied().unwrap_or(value)
}
