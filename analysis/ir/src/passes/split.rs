//! Split: a loop that cannot run as lanes because of some statements is taken apart, so that the others can.
//!
//! ```text
//! for i in range(1, n):               for i in range(1, n):
//!     a[i] = a[i - 1] + b[i]              c[i] = b[i] * 2
//!     c[i] = b[i] * 2                 for i in range(1, n):
//!                                         a[i] = a[i - 1] + b[i]
//! ```
//!
//! Statements that need each other in both directions (a *knot*) stay together, and knots follow each other in an order
//! that keeps all that meets in order. What is only computed is computed again in each part that needs it; a load that
//! two parts need is loaded again, if the loop does not store there; anything else that two parts need keeps them
//! together. The parts are only made where they are less work by a plain count: an op in lanes counts for a quarter,
//! and a loop itself for three.

use std::collections::{BTreeSet, HashMap};

use super::copy;
use crate::entities::{Op, Region};
use crate::facts;
use crate::facts::dependence::Dependences;
use crate::facts::loops::{self, Loop, Order};
use crate::ops::{Code, Effect};
use crate::passes::Context;
use crate::program::{Kernel, RegionData};

/// How many lanes are counted on.
const LANES: usize = 4;

/// What a loop costs, in ops of each iteration.
const LOOP: usize = 3;

/// Takes loops apart where that gives lanes; says whether it changed any.
pub fn split(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let found = context.loops(kernel);
    let mut plans = Vec::new();
    for op in facts::lane_loops(kernel) {
        if let Some(known) = found.of(op) {
            plans.extend(plan(kernel, &found.dependences, known).map(|parts| (op, parts)));
        }
    }
    let changed = !plans.is_empty();
    for (op, parts) in plans {
        take_apart(kernel, op, &parts);
    }
    changed
}

/// The ops of each part, in order; nothing for a loop that stays as it is.
fn plan(kernel: &Kernel, dependences: &Dependences, known: &Loop) -> Option<Vec<Vec<Op>>> {
    let data = &kernel.ops[known.op];
    let splits = data.code == Code::For && data.results.is_empty() && !known.verdict.is_vector;
    let blocking: Vec<&loops::Reason> = known.verdict.reasons.iter().filter(|reason| reason.blocks).collect();
    // Only what stands against two statements leaves others alone.
    if !splits || !dependences.unseen.is_empty() || blocking.iter().any(|reason| reason.dependence.is_none()) {
        return None;
    }
    let body = data.regions[0];
    let order = loops::order(kernel, dependences, known.op);
    let stuck: BTreeSet<Op> =
        blocking.iter().flat_map(|reason| &reason.places).filter_map(|&op| outermost(kernel, body, op)).collect();
    let parts = parts(kernel, body, &order, &stuck);
    (parts.len() > 1 && pays(kernel, body, &parts, &stuck)).then_some(parts)
}

/// The op of a block that an op is, or is inside of.
fn outermost(kernel: &Kernel, block: Region, wanted: Op) -> Option<Op> {
    kernel.regions[block].ops.iter().copied().find(|&op| {
        let mut found = op == wanted;
        kernel.ops[op].regions.iter().for_each(|&inner| kernel.walk(inner, &mut |_, other| found |= other == wanted));
        found
    })
}

/// Neighbouring knots of one kind go together; then whatever shares what cannot be computed again.
fn parts(kernel: &Kernel, body: Region, order: &Order, stuck: &BTreeSet<Op>) -> Vec<Vec<Op>> {
    let mut parts: Vec<(bool, Vec<Op>)> = Vec::new();
    for knot in &order.knots {
        let ops: Vec<Op> = knot.iter().flat_map(|&statement| &order.statements[statement]).copied().collect();
        if ops.iter().all(|&op| can_repeat(kernel, body, op)) {
            continue;
        }
        let is_stuck = ops.iter().any(|op| stuck.contains(op));
        match parts.last_mut() {
            Some((kind, last)) if *kind == is_stuck => last.extend(ops),
            _ => parts.push((is_stuck, ops)),
        }
    }
    let mut parts: Vec<Vec<Op>> = parts.into_iter().map(|(_, ops)| ops).collect();
    // What a part makes and cannot be made again binds it to the last part that needs it, and all between.
    let mut at = 0;
    while at < parts.len() {
        let bound = |later: &usize| {
            let all = complete(kernel, body, &parts[*later]);
            all.iter().any(|op| parts[at].contains(op) && !can_repeat(kernel, body, *op))
        };
        match (at + 1..parts.len()).rev().find(bound) {
            Some(last) => {
                let merged: Vec<Op> = parts.drain(at + 1..=last).flatten().collect();
                parts[at].extend(merged);
            }
            None => at += 1,
        }
    }
    parts
}

/// Whether an op can be done again, with the same result, anywhere in the iteration or in a loop behind.
fn can_repeat(kernel: &Kernel, body: Region, op: Op) -> bool {
    let data = &kernel.ops[op];
    match data.code {
        Code::Load => {
            let root = kernel.root(data.operands[0]);
            let mut stored = false;
            kernel.walk(body, &mut |_, other| {
                let data = &kernel.ops[other];
                stored |= data.code == Code::Store && overlap(kernel, kernel.root(data.operands[0]), root);
            });
            !stored
        }
        Code::Unknown | Code::Temp => false,
        code => !code.is_control() && !data.results.is_empty() && kernel.effect(op) <= Effect::Fails,
    }
}

fn overlap(kernel: &Kernel, a: crate::entities::Value, b: crate::entities::Value) -> bool {
    a == b || kernel.marks.alias.iter().any(|&pair| pair == (a, b) || pair == (b, a))
}

/// The ops that an op, and what is inside of it, takes values from.
fn needs(kernel: &Kernel, op: Op) -> Vec<Op> {
    let mut values: Vec<_> = kernel.ops[op].operands.to_vec();
    for &region in &kernel.ops[op].regions {
        values.extend(&kernel.regions[region].yields);
        kernel.walk(region, &mut |_, inner| {
            values.extend(&kernel.ops[inner].operands);
            kernel.ops[inner].regions.iter().for_each(|&region| values.extend(&kernel.regions[region].yields));
        });
    }
    values.into_iter().filter_map(|value| kernel.def_op(value)).collect()
}

/// The ops of a part and, of the block, all that they need and that is done again for them, in the block's order.
fn complete(kernel: &Kernel, body: Region, part: &[Op]) -> Vec<Op> {
    let mut wanted: BTreeSet<Op> = part.iter().copied().collect();
    let mut open: Vec<Op> = part.to_vec();
    let block: BTreeSet<Op> = kernel.regions[body].ops.iter().copied().collect();
    while let Some(op) = open.pop() {
        for need in needs(kernel, op) {
            if block.contains(&need) && wanted.insert(need) {
                open.push(need);
            }
        }
    }
    kernel.regions[body].ops.iter().copied().filter(|op| wanted.contains(op)).collect()
}

/// Whether the parts are less work than the whole.
fn pays(kernel: &Kernel, body: Region, parts: &[Vec<Op>], stuck: &BTreeSet<Op>) -> bool {
    let count = |ops: &[Op]| {
        let mut n = ops.len();
        for &region in ops.iter().flat_map(|&op| &kernel.ops[op].regions) {
            kernel.walk(region, &mut |_, _| n += 1);
        }
        n
    };
    let whole = LOOP + count(&kernel.regions[body].ops);
    let work = |part: &Vec<Op>| {
        let work = LOOP + count(&complete(kernel, body, part));
        // In quarters of an op, so that nothing is lost by rounding.
        if part.iter().any(|op| stuck.contains(op)) { LANES * work } else { work }
    };
    parts.iter().map(work).sum::<usize>() < LANES * whole
}

/// Puts a loop for each part in the place of a loop.
fn take_apart(kernel: &mut Kernel, op: Op, parts: &[Vec<Op>]) {
    let body = kernel.ops[op].regions[0];
    let mut loops = Vec::new();
    for part in parts {
        let ops = complete(kernel, body, part);
        let mut data = kernel.ops[op].clone();
        let region = kernel.regions.push(RegionData::default());
        data.regions = [region].into_iter().collect();
        let mut copied = HashMap::new();
        copy::args(kernel, body, region, &mut copied);
        for inner in ops {
            let inner = copy::op(kernel, inner, &mut copied);
            kernel.regions[region].ops.push(inner);
        }
        loops.push(kernel.ops.push(data));
    }
    let home = home(kernel, op);
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
    ops.splice(place..=place, loops);
}

/// The block that an op stands in.
fn home(kernel: &Kernel, wanted: Op) -> Region {
    let mut found = kernel.body;
    kernel.walk(kernel.body, &mut |region, op| {
        if op == wanted {
            found = region;
        }
    });
    found
}
