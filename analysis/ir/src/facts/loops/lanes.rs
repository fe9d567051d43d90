//! What a loop carries, in lanes: which form each value takes there, if it has one.
//!
//! Lanes run an op for all iterations of a group before the next op, so no lane can wait for what the one before it makes.
//! What is carried has to be had in another way:
//!
//! - what no iteration changes is the same in all lanes, and what each changes by the same amount is a product (*closed*);
//! - where the order does not matter, each lane joins what it has to a part of its own, and the parts are joined behind
//!   the loop (*parts*);
//! - what changes rarely is taken for unchanged; in a group where a lane would change it, what depends on it is done lane
//!   by lane (*rare*). That is exact whatever the values are, NaN and zeros included.
//!
//! The last two ask that nothing but the value itself depends on what it is in between. What does is its [`Slice`].

use std::collections::{BTreeSet, HashSet};

use super::{Carried, Role};
use crate::entities::{Op, Region, Value};
use crate::facts::dependence::{Nest, induction_of};
use crate::ops::{Code, Effect};
use crate::program::Kernel;
use crate::scalar::Fold;
use crate::types::Elem;

/// How lanes have a value that their loop carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneForm {
    /// It stays what it was before the loop.
    Same,
    /// Each iteration adds the step, or takes it away.
    Closed {
        /// By how much it changes.
        step: Value,
        /// It is taken away.
        falls: bool,
    },
    /// Each lane has a part, joined by this operator.
    Parts(Fold),
    /// It is the same in all lanes of a group; where that is wrong, lanes are done one by one.
    Rare,
}

/// What depends on some of the values that a loop carries, within one iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The values, those that are carried among them.
    pub values: HashSet<Value>,
    /// The values that are carried from iteration to iteration and depend on them, by their numbers.
    pub carried: BTreeSet<usize>,
    /// Something that is done depends on them: what is stored, or whether.
    pub acts: bool,
}

impl Slice {
    /// What depends on the values with these numbers.
    pub fn of(kernel: &Kernel, op: Op, numbers: &BTreeSet<usize>) -> Slice {
        let region = kernel.ops[op].regions[0];
        let args = &kernel.regions[region].args[kernel.n_ranges(op)..];
        let values = numbers.iter().map(|&number| args[number]).collect();
        let mut slice = Slice { values, carried: BTreeSet::new(), acts: false };
        slice.region(kernel, region);
        let yields = kernel.regions[region].yields.iter().enumerate();
        slice.carried = yields.filter(|(_, next)| slice.values.contains(next)).map(|(number, _)| number).collect();
        slice
    }

    fn region(&mut self, kernel: &Kernel, region: Region) {
        for &op in &kernel.regions[region].ops {
            self.op(kernel, op);
        }
    }

    fn op(&mut self, kernel: &Kernel, op: Op) {
        let data = &kernel.ops[op];
        let depends = data.operands.iter().any(|value| self.values.contains(value));
        match data.code {
            Code::If if depends => {
                self.values.extend(&data.results);
                let acts = |effect| matches!(effect, Effect::Writes | Effect::Fails);
                kernel.walk_inside(op, &mut |inner| {
                    self.acts |= kernel.ops[inner].results.is_empty() && acts(kernel.effect(inner))
                });
                data.regions.iter().for_each(|&region| self.region(kernel, region));
            }
            Code::If => {
                data.regions.iter().for_each(|&region| self.region(kernel, region));
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

/// The form in lanes of all that a loop carries, in order.
pub(super) fn forms(nest: &Nest<'_>, op: Op, carried: &[Carried]) -> Vec<Option<LaneForm>> {
    let kernel = nest.kernel;
    if kernel.ops[op].code != Code::For {
        return vec![None; carried.len()];
    }
    let mut forms: Vec<Option<LaneForm>> =
        carried.iter().enumerate().map(|(number, value)| alone(nest, op, number, value)).collect();
    for group in groups(kernel, op, carried, &forms) {
        group.into_iter().for_each(|number| forms[number] = Some(LaneForm::Rare));
    }
    forms
}

/// The form of a value that does not depend on what else is carried.
fn alone(nest: &Nest<'_>, op: Op, number: usize, value: &Carried) -> Option<LaneForm> {
    let is_float = nest.kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
    match value.role {
        Role::Unchanged => Some(LaneForm::Same),
        Role::Induction => {
            let induction = induction_of(nest, op, number)?;
            Some(LaneForm::Closed { step: induction.step, falls: induction.falls })
        }
        Role::Reduction { fold, .. } if !is_float => {
            let slice = Slice::of(nest.kernel, op, &BTreeSet::from([number]));
            let is_own = !slice.acts && slice.carried == BTreeSet::from([number]);
            is_own.then_some(LaneForm::Parts(fold))
        }
        _ => None,
    }
}

/// Values that change rarely, those together that depend on each other.
fn groups(kernel: &Kernel, op: Op, carried: &[Carried], forms: &[Option<LaneForm>]) -> Vec<BTreeSet<usize>> {
    let is_rare = |number: usize| {
        forms[number].is_none()
            && matches!(
                carried[number].role,
                Role::Reduction { fold: Fold::Min | Fold::Max, .. } | Role::Position { .. } | Role::First | Role::Last
            )
    };
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for number in (0..carried.len()).filter(|&number| is_rare(number)) {
        let mut group = Slice::of(kernel, op, &BTreeSet::from([number])).carried;
        group.insert(number);
        let (met, apart) = groups.into_iter().partition(|other: &BTreeSet<usize>| !other.is_disjoint(&group));
        groups = apart;
        met.into_iter().for_each(|other: BTreeSet<usize>| group.extend(other));
        groups.push(group);
    }
    groups.retain(|group| {
        let slice = Slice::of(kernel, op, group);
        group.iter().all(|&number| is_rare(number))
            && !slice.acts
            && slice.carried.is_subset(group)
            && can_repeat(kernel, op, &slice)
    });
    groups
}

/// Whether what a slice computes can be done again, iteration by iteration, behind the rest of the loop's body.
fn can_repeat(kernel: &Kernel, op: Op, slice: &Slice) -> bool {
    let body = kernel.ops[op].regions[0];
    let mut inside = HashSet::new();
    kernel.walk(body, &mut |_, inner| inside.extend(kernel.ops[inner].results.iter().copied()));
    let mut stored = HashSet::new();
    kernel.walk(body, &mut |_, inner| {
        let data = &kernel.ops[inner];
        if !data.code.is_control() && kernel.effect(inner) == Effect::Writes {
            stored.insert(kernel.root(data.operands[0]));
        }
    });
    let overlaps = |root: Value| {
        let with = |a: Value, b: Value| a == root && stored.contains(&b);
        stored.contains(&root) || kernel.marks.alias.iter().any(|&(a, b)| with(a, b) || with(b, a))
    };
    let mut repeats = true;
    let mut check = |inner: Op| {
        let data = &kernel.ops[inner];
        repeats &= match data.code {
            Code::Load => !inside.contains(&data.operands[0]) && !overlaps(kernel.root(data.operands[0])),
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
