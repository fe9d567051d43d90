//! Early exits: a loop that may be left early runs in early-exit blocks. Each block first tests whether the loop is left in
//! one of its iterations, before it does any of them.
//!
//! ```text
//! for i in range(n):               while at least a block is left:
//!     if a[i] == 0:                    for i in range(at, at + 8):        the test: runs as lanes
//!         break                            leaves |= a[i] == 0
//!     b[i] = a[i]                      if not leaves:
//!                                          for i in range(at, at + 8):    the work: runs as lanes
//!                                              b[i] = a[i]
//!                                  the loop as it was, from where the blocks end
//! ```
//!
//! The test also covers iterations that the program never reaches: those behind the one that leaves. So it may contain
//! nothing that fails. Sums wrap; a load is done if its cell is proven to be in its array, by the loop's range or by a
//! test, and an iteration whose cell is not in its array counts as one that may leave. The loop as it was runs all
//! remaining iterations: the block in which an iteration leaves, and the iterations that are less than a block. So
//! errors and exits happen there as in the program.
//!
//! A load of the test may read what the loop stores: the value from before the block where no earlier iteration stores to its cell, the stored
//! value where its own iteration has just done so.
//!
//! The step may be any constant: a block of 8 iterations then spans 8 steps, upwards or downwards. A `while` without a bound (`while text[i] != 0:
//! i += 1`) gets blocks, too, as far as the array is known to reach, and stays as it was behind them.
//!
//! A loop that only searches (nothing is done where no iteration leaves, and nothing but the index is carried) first runs in blocks of
//! several groups of lanes: what it takes to leave a block or go on to the next one is then done once for all of them. Behind these
//! come blocks of one group.
//!
//! Blocks are only made if both loops over a block can run as lanes, and no loop around this one takes them.
//!
//! - `body`: the ops that test if an iteration is the last one, and those that run if it is not
//! - `unbounded`: a `while` without a bound as a loop that counts
//! - `write`: the blocks

mod body;
#[cfg(test)]
mod tests;
mod unbounded;
mod write;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Context;
use super::dce;
use super::trial::{Change, keep_better};
use crate::choice::LaneChoice;
use crate::decision::{Decision, Said};
use crate::pipeline::Options;
use body::{Body, Needed};
use facts::Facts;
use facts::counting::Counting;
use facts::loops::Loops;
use ir::codes::ReasonCode;
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;
use unbounded::Unbounded;

/// The groups of lanes that a search asks about together.
const MOST_GROUPS: u16 = 4;

/// The most ops of a test that is done for several groups together: beside more, what it takes to go on is little.
const LARGEST_TEST: usize = 12;

/// Rewrites loops that may be left early to early-exit blocks; says whether there are any.
pub fn early_exit(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let unbounded = unbounded::candidates(kernel, context);
    if unbounded.is_empty() {
        return bounded(kernel, context, &[]);
    }
    let (mut copy, forest) = (kernel.clone(), context.forest(kernel));
    // A loop is put before each, and none is moved to another region.
    let write = |op: Op| Unbounded::write(&mut copy, op, forest.region_of(op));
    let counted: Vec<Unbounded> = unbounded.into_iter().filter_map(write).collect();
    if counted.is_empty() {
        return bounded(kernel, context, &[]);
    }
    context.forget();
    let of_whiles: Vec<Op> = counted.iter().map(|it| it.counted).collect();
    let changed = bounded(&mut copy, context, &of_whiles);
    context.forget();
    if changed {
        counted.iter().for_each(|it| it.remove(&mut copy));
        dce(&mut copy);
        *kernel = copy;
    }
    changed
}

/// Says whether a loop will have lanes: it may, and they cost less than its iterations in order.
fn has_lanes(found: &Loops, choice: &LaneChoice, op: Op) -> bool {
    choice.takes(op) && found.of(op).is_some_and(|known| known.verdict.is_vector)
}

/// Rewrites loops that count to early-exit blocks; says whether there are any. Nothing is said against loops that were made for a `while`
/// without a bound.
fn bounded(kernel: &mut Kernel, context: &mut Context, of_whiles: &[Op]) -> bool {
    let candidates = candidates(kernel);
    if candidates.is_empty() {
        return false;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let facts = facts::facts_without_causes(kernel, &[]);
    let forest = &found.forest;
    let mut plans = Vec::new();
    for op in candidates {
        let plan = match forest.around(op).any(|outer| has_lanes(&found, &choice, outer)) {
            true => Err(vec!["a loop around this one runs as lanes".into()]),
            // No planned loop contains another, so each keeps its place while the others are rewritten.
            false => Plan::of(kernel, &facts, &found, op, context.options),
        };
        match plan {
            Ok(plan) => plans.push(plan),
            Err(_) if of_whiles.contains(&op) => {}
            Err(why) => context.decide(Decision::left(kernel.ops[op].origin, ReasonCode::EarlyExit, why)),
        }
    }
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &plans, context, |trial, plan, made| {
        let is_vector = |op: &Op| trial.after.loops().of(*op).is_some_and(|known| known.verdict.is_vector);
        let runs = made.iter().all(is_vector);
        if runs || !of_whiles.contains(&plan.op) {
            decisions.push(plan.decision(trial.before.kernel, runs));
        }
        runs
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// Loops that count and may be left early, with no other such loop inside, outside of all that has lanes by its word.
fn candidates(kernel: &Kernel) -> Vec<Op> {
    fn collect(kernel: &Kernel, region: Region, found: &mut Vec<Op>) {
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.code == Code::Foreach {
                continue;
            }
            let start = found.len();
            data.regions.iter().for_each(|&inner| collect(kernel, inner, found));
            let counts = kernel.control(op).is_some_and(|control| control.marks.counts);
            if counts && found.len() == start {
                found.push(op);
            }
        }
    }
    let mut found = Vec::new();
    collect(kernel, kernel.body, &mut found);
    found
}

/// The plan for a loop that runs in early-exit blocks.
struct Plan {
    op: Op,
    /// The block that it stands in.
    home: Region,
    /// The number of iterations in a block.
    block: u16,
    /// The distance from the index at which a block starts to that at which the next one does.
    span: i128,
    /// The number of such blocks that are asked about together first; 1 for none.
    groups: u16,
    hi: Value,
    upwards: bool,
    step: Value,
    /// The condition on which the loop goes on, besides its range.
    goes_on: Value,
    /// The conditions that are known where it does.
    known: FxHashMap<Value, bool>,
    /// The carried values that change, by number.
    changing: Vec<usize>,
    /// The ops that tell that the loop goes on.
    test: Needed,
    /// The carried values that the test needs, by number, and the ops that make them.
    handed_on: BTreeSet<usize>,
    next: Needed,
    /// The ops that are done where no iteration leaves.
    work: Needed,
    /// The loads that the test does, each with the dimensions in which its cell has to be tested.
    tested: FxHashMap<Op, Vec<usize>>,
    /// The loads of the test in place of which it takes what its iteration would have stored.
    forwarded: FxHashMap<Op, Value>,
}

impl Change for Plan {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.write(kernel)
    }
}

impl Plan {
    /// The decision, by whether both loops over a block can run as lanes.
    fn decision(&self, kernel: &Kernel, runs: bool) -> Decision {
        let origin = kernel.ops[self.op].origin;
        if !runs {
            let because = vec!["a block of iterations could not run as lanes".into()];
            return Decision::left(origin, ReasonCode::EarlyExit, because);
        }
        let because = vec![
            "whether one of".into(),
            (i128::from(self.block) * i128::from(self.groups)).into(),
            "iterations is the last one is asked before they are done".into(),
        ];
        Decision::taken(origin, ReasonCode::EarlyExit, because)
    }

    /// Plans a loop, or returns the words of a decision against it, empty if there is nothing to say.
    fn of(kernel: &Kernel, facts: &Facts, loops: &Loops, op: Op, options: &Options) -> Result<Plan, Vec<Said>> {
        let not = |words: &str| vec![words.into()];
        let Some(range) = Counting::of(kernel, op) else {
            return Err(not("its step is not a constant"));
        };
        let step = kernel.as_const(range.step).and_then(Scalar::wide).map_or(1, i128::abs);
        let forest = &loops.forest;
        let body = Body::of(kernel, facts, loops, op, &range);
        let block = lanes(kernel, facts, forest, op, options);
        let most = kernel.ty(range.hi).data_elem().and_then(facts::ValueRange::of).map_or(0, |range| range.hi);
        let span = i128::from(block) * step;
        if block < 2 || span > most {
            return Err(not("there is no more than one lane"));
        }
        let mut test = Needed::default();
        let mut next = Needed::default();
        let first = || not("whether it goes on cannot be known before an iteration is done");
        body.test(range.goes_on, &FxHashMap::default(), &mut test).ok_or_else(first)?;
        let mut handed_on = BTreeSet::new();
        while let Some(&number) = test.carried.iter().chain(&next.carried).find(|number| !handed_on.contains(*number)) {
            handed_on.insert(number);
            body.test(body.yielded(number), &body.known, &mut next).ok_or_else(first)?;
        }
        handed_on.retain(|&number| body.changes(number));
        let mut tested = FxHashMap::default();
        let forwarded = body.forwarded(test.ops.union(&next.ops).copied());
        let loads = |op: &&Op| kernel.ops[**op].code == Code::Load && !forwarded.contains_key(*op);
        for &load in test.ops.union(&next.ops).filter(loads) {
            let dims = body.to_be_tested(facts, &range, load).ok_or_else(|| {
                let array = Said::value(kernel, kernel.root(kernel.ops[load].operands[0]));
                vec![
                    "iterations behind the last one might load outside of".into(),
                    array,
                    "whose size is not known".into(),
                ]
            })?;
            tested.insert(load, dims);
        }
        let changing: Vec<usize> = (2..kernel.ops[op].results.len()).filter(|&number| body.changes(number)).collect();
        let mut work = Needed::default();
        body.done(kernel.ops[op].regions[1], &tested, &mut work);
        body.need(changing.iter().map(|&number| body.yielded(number)).collect(), &mut work);
        // The test is done for some groups side by side, if there is nothing else to do and registers are left.
        let only_searches = work.ops.is_empty() && changing.is_empty() && handed_on.is_empty();
        let is_short = test.ops.len() <= LARGEST_TEST && span * i128::from(MOST_GROUPS) <= most;
        let groups = if only_searches && is_short { MOST_GROUPS } else { 1 };
        let Counting { hi, upwards, step, goes_on, .. } = range;
        Ok(Plan {
            op,
            home: forest.region_of(op),
            block,
            span,
            groups,
            hi,
            upwards,
            step,
            goes_on,
            known: body.known,
            changing,
            test,
            handed_on,
            next,
            work,
            tested,
            forwarded,
        })
    }
}

/// Returns the number of iterations in a block: the lanes that are asked for, or else those that fill a register with
/// the narrowest cells that the loop touches.
fn lanes(kernel: &Kernel, facts: &Facts, forest: &LoopForest, op: Op, options: &Options) -> u16 {
    let marked = kernel.control(op).and_then(|control| control.marks.lanes);
    marked.or(options.lanes).unwrap_or_else(|| {
        let inside = forest.inside(op);
        let narrowest =
            inside.iter().filter_map(|&op| facts.access(op)).map(|access| access.bytes).min().unwrap_or(4).max(1);
        options.target.lanes_for(narrowest as usize)
    })
}
