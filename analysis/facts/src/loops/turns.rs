//! Turns: what a loop hands on from iteration to iteration, computed lane after lane while all else is done by lanes together.
//!
//! ```text
//! for i in range(n):                         terms = a * a / (1 + a)      for all lanes at once
//!     s = s + a[i] * a[i] / (1.0 + a[i])     s = s + terms[0]             lane after lane
//!                                            s = s + terms[1]
//!                                            …
//! ```
//!
//! The ops that lead from a carried value to the one that is handed on are the *chain*. They run in the program's order, so a sum of
//! floats has the program's bits. What they need of the rest of an iteration is computed before them, for all lanes; what the rest
//! needs of them is put together in vectors behind them. So nothing that they need may stand behind what needs them, unless it can
//! be done early.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::early::{Behind, Stores, is_early};
use super::lanes::Slicer;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};

/// The most ops of a chain: what a lane does by itself is written once for each lane.
const MOST_OPS: usize = 64;

/// The most values that a chain shares with the rest of the iteration.
const MOST_SHARED: usize = 64;

/// The chain of a loop: all that leads from some carried values to what is handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turns {
    /// The carried values, by their numbers.
    pub carried: BTreeSet<usize>,
    /// The ops of the chain, in the order of the body.
    pub chain: Vec<Op>,
    /// The values of the chain, with those that are carried.
    pub values: FxHashSet<Value>,
    /// The values among those that ops outside of the chain use.
    pub seen: Vec<Value>,
    /// The values from the rest of the iteration that the chain uses.
    pub needs: Vec<Value>,
    /// The ops that have to be done earlier than they stand, in order.
    pub early: Vec<Op>,
}

impl Turns {
    /// The chain of the carried values with these numbers; `None` if it does more than compute, or if something that it needs
    /// cannot be computed before it.
    pub fn of(slicer: &Slicer<'_>, carried: BTreeSet<usize>) -> Option<Turns> {
        let (kernel, op) = (slicer.kernel, slicer.op);
        let data = &kernel.ops[op];
        if data.code != Code::For || kernel.n_ranges(op) != 1 || carried.is_empty() {
            return None;
        }
        let body = &kernel.regions[data.regions[0]];
        let args = &body.args[1..];
        let depends = slicer.slice(&carried).values;
        let (chain, values) = chain(kernel, op, &carried, &depends);
        let mut n_ops = chain.len();
        chain.iter().for_each(|&inner| kernel.walk_inside(inner, &mut |_| n_ops += 1));
        // The values that are carried besides have to be known by then: another chain is part of this one.
        let is_own =
            |value: &Value| args.iter().position(|arg| arg == value).is_none_or(|number| carried.contains(&number));
        if n_ops > MOST_OPS || !values.iter().all(is_own) {
            return None;
        }
        let behind = Behind::of(kernel, op);
        if !behind.can_do(chain.iter().copied()) {
            return None;
        }
        let in_chain: FxHashSet<Op> = chain.iter().copied().collect();
        let inputs = chain.iter().flat_map(|&inner| kernel.inputs(inner));
        let inputs = inputs.chain(carried.iter().map(|&number| body.yields[number]));
        let needs = without_repeats(inputs.filter(|value| !values.contains(value)));
        let rest = body.ops.iter().enumerate().filter(|(_, inner)| !in_chain.contains(inner));
        let uses = rest.flat_map(|(place, &inner)| kernel.inputs(inner).into_iter().map(move |value| (place, value)));
        let uses: Vec<(usize, Value)> = uses.filter(|(_, value)| values.contains(value)).collect();
        let first_use = uses.first().map_or(body.ops.len(), |(place, _)| *place);
        let handed_on = body.yields.iter().enumerate().filter(|(number, _)| !carried.contains(number));
        let handed_on = handed_on.map(|(_, &value)| value).filter(|value| values.contains(value));
        let seen = without_repeats(uses.iter().map(|(_, value)| *value).chain(handed_on));
        if needs.len() + seen.len() > MOST_SHARED {
            return None;
        }
        let early = early(kernel, op, &needs, first_use, &behind.stores)?;
        Some(Turns { carried, chain, values, seen, needs, early })
    }
}

fn without_repeats(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut known: FxHashSet<Value> = FxHashSet::default();
    values.filter(|&value| known.insert(value)).collect()
}

/// The ops on the way from the carried values to those that are handed on, and their values.
fn chain(
    kernel: &Kernel,
    op: Op,
    carried: &BTreeSet<usize>,
    depends: &FxHashSet<Value>,
) -> (Vec<Op>, FxHashSet<Value>) {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let waits = waits(kernel, op, depends);
    let mut wanted: FxHashSet<Value> = carried.iter().map(|&number| body.yields[number]).collect();
    let mut values: FxHashSet<Value> = carried.iter().map(|&number| body.args[1 + number]).collect();
    let mut chain = Vec::new();
    for &inner in body.ops.iter().rev() {
        let results = &kernel.ops[inner].results;
        if results.iter().any(|result| wanted.contains(result) && waits.contains(result)) {
            chain.push(inner);
            values.extend(results);
            wanted.extend(kernel.inputs(inner));
        }
    }
    // What another carried value is, if the chain asks for it, belongs to those that are asked about by the caller.
    let others = body.args[1..].iter().filter(|arg| wanted.contains(arg) && waits.contains(arg));
    values.extend(others);
    chain.reverse();
    (chain, values)
}

/// The values of a loop that cannot be known before some carried values, with all that depends on these. A branch is done as a whole: if one
/// of its results waits, the others do.
fn waits(kernel: &Kernel, op: Op, depends: &FxHashSet<Value>) -> FxHashSet<Value> {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let mut waits: FxHashSet<Value> = body.args[1..].iter().copied().filter(|arg| depends.contains(arg)).collect();
    loop {
        for &inner in &body.ops {
            if kernel.inputs(inner).iter().any(|input| waits.contains(input)) {
                waits.extend(&kernel.ops[inner].results);
            }
        }
        let handed_on = body.args[1..].iter().zip(&body.yields).filter(|(_, next)| waits.contains(next));
        let handed_on: Vec<Value> = handed_on.map(|(&arg, _)| arg).filter(|arg| !waits.contains(arg)).collect();
        if handed_on.is_empty() {
            return waits;
        }
        waits.extend(handed_on);
    }
}

/// The ops behind a place that make what is needed before it, and need nothing of the chain themselves; `None` if one of them has to stay
/// where it is.
fn early(kernel: &Kernel, op: Op, needs: &[Value], place: usize, stores: &Stores) -> Option<Vec<Op>> {
    let body = &kernel.regions[kernel.ops[op].regions[0]];
    let behind: FxHashSet<Op> = body.ops[place..].iter().copied().collect();
    let mut wanted: FxHashSet<Op> = FxHashSet::default();
    let mut open = needs.to_vec();
    while let Some(value) = open.pop() {
        let Def::Result(maker, _) = kernel.values[value].def else { continue };
        if !behind.contains(&maker) || wanted.contains(&maker) {
            continue;
        }
        if !is_early(kernel, stores, maker) {
            return None;
        }
        wanted.insert(maker);
        open.extend(kernel.inputs(maker));
    }
    Some(body.ops[place..].iter().copied().filter(|op| wanted.contains(op)).collect())
}
