//! Choice: which loop of a nest takes the lanes.
//!
//! A `foreach` takes them, by the programmer's word. Of `for` loops inside of each other each one may whose verdict
//! allows it, and the one is chosen with which there is the least [work](crate::work) in the whole nest: where cells
//! that neighbouring lanes touch lie side by side, where there are enough iterations to fill the lanes, where nothing is
//! handed from lane to lane. One that is marked `@simd` or `@lanes` comes before those that are not.
//!
//! ```text
//! for i in range(n):
//!     for j in range(n):              takes the lanes: b[k, j] and c[i, j] are contiguous
//!         let s = 0.0
//!         for k in range(n):          cannot: its sum keeps its order
//!             s += a[i, k] * b[k, j]
//!         c[i, j] = s
//! ```
//!
//! Where no loop may, the innermost ones are those that facts are about.

use std::collections::HashMap;
use std::sync::Arc;

use super::Context;
use super::vector::{Refusal, refusals};
use crate::codes::ReasonCode;
use crate::decision::{Decision, Said};
use crate::entities::{Op, Region};
use crate::facts::dependence::Limits;
use crate::facts::loops::{self, Loops};
use crate::ops::Code;
use crate::program::Kernel;
use crate::target;
use crate::work::Counter;

/// The loops whose iterations are the lanes, and those that they were chosen from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The loops, in order; none is inside of another.
    pub loops: Vec<Op>,
    /// The loops of nests in which there was something to choose, in order.
    pub candidates: Vec<Candidate>,
    /// The outermost loops of those nests, with the work that there is in them.
    pub nests: Vec<(Op, u64)>,
}

/// A loop that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The loop.
    pub op: Op,
    /// The outermost loop of its nest.
    pub nest: Op,
    /// The work of the loop with its iterations as lanes; `None` if they cannot be.
    pub in_lanes: Option<u64>,
    /// Its work if it runs in order, whatever loops inside of it do.
    pub in_order: u64,
}

impl Choice {
    /// Whether a loop takes the lanes.
    pub fn takes(&self, op: Op) -> bool {
        self.loops.contains(&op)
    }
}

/// What is known about a kernel that a pass has changed.
pub(super) fn look(kernel: &Kernel, limits: &Limits<'_>) -> (Arc<Loops>, Arc<Choice>) {
    let found = loops::loops(kernel, limits);
    let choice = choose(kernel, &found);
    (Arc::new(found), Arc::new(choice))
}

/// Chooses the loops of a scalar kernel whose iterations are the lanes.
///
/// It is the same choice for every target, so that what is shown of a kernel does not depend on what it is made for.
pub fn choose(kernel: &Kernel, known: &Loops) -> Choice {
    let mut chooser = Chooser { kernel, known, counter: None, choice: Choice::default() };
    chooser.block(kernel.body);
    chooser.choice
}

struct Chooser<'k> {
    kernel: &'k Kernel,
    known: &'k Loops,
    /// Made when the first nest is met.
    counter: Option<Counter<'k>>,
    choice: Choice,
}

/// What is best for a loop and those inside of it.
struct Best {
    /// The loops that take the lanes.
    loops: Vec<Op>,
    /// Whether any of them may.
    any: bool,
    /// One of them is marked.
    marked: bool,
    /// The work of the whole loop.
    work: u64,
}

impl<'k> Chooser<'k> {
    /// Chooses for the outermost loops of a block.
    fn block(&mut self, region: Region) {
        for op in loops_in(self.kernel, region) {
            let data = &self.kernel.ops[op];
            let inner: Vec<Op> = data.regions.iter().flat_map(|&region| loops_in(self.kernel, region)).collect();
            let together = self.kernel.lanes_of_foreach(op).is_some();
            if inner.is_empty() || together || data.code == Code::Foreach && !self.has_foreach(op) {
                self.choice.loops.push(op);
            } else if self.has_foreach(op) {
                data.regions.iter().for_each(|&region| self.block(region));
            } else {
                let best = self.nest(op, op);
                self.choice.loops.extend(best.loops);
                self.choice.nests.push((op, best.work));
            }
        }
    }

    fn has_foreach(&self, op: Op) -> bool {
        let mut any = false;
        for &region in &self.kernel.ops[op].regions {
            self.kernel.walk(region, &mut |_, inner| any |= self.kernel.ops[inner].code == Code::Foreach);
        }
        any
    }

    /// Chooses for a loop and those inside of it.
    fn nest(&mut self, op: Op, nest: Op) -> Best {
        let at = self.choice.candidates.len();
        self.choice.candidates.push(Candidate { op, nest, in_lanes: None, in_order: 0 });
        let regions = self.kernel.ops[op].regions.clone();
        let inner: Vec<Op> = regions.iter().flat_map(|&region| loops_in(self.kernel, region)).collect();
        let inside: Vec<(Op, Best)> = inner.into_iter().map(|op| (op, self.nest(op, nest))).collect();
        let known: HashMap<Op, u64> = inside.iter().map(|(op, best)| (*op, best.work)).collect();
        let any = inside.iter().any(|(_, best)| best.any);
        let marked = inside.iter().any(|(_, best)| best.marked);
        let counter = self.counter.get_or_insert_with(|| Counter::new(self.kernel, target::reference()));
        let in_order = counter.in_order(op, &known);
        let in_lanes = lanes_of(self.kernel, self.known, counter, op).and_then(|lanes| counter.in_lanes(op, lanes));
        let candidate = &mut self.choice.candidates[at];
        (candidate.in_lanes, candidate.in_order) = (in_lanes, in_order);
        let own_mark = is_marked(self.kernel, op);
        let is_leaf = inside.is_empty();
        match in_lanes {
            Some(work) if is_leaf || (own_mark && !marked) || (own_mark == marked && work < in_order) => {
                Best { loops: vec![op], any: true, marked: own_mark, work }
            }
            _ if is_leaf => Best { loops: vec![op], any: false, marked: false, work: in_order },
            _ => {
                let loops = inside.into_iter().flat_map(|(_, best)| best.loops).collect();
                Best { loops, any, marked, work: in_order }
            }
        }
    }
}

/// The outermost loops over ranges in a block.
fn loops_in(kernel: &Kernel, region: Region) -> Vec<Op> {
    let mut loops = Vec::new();
    for &op in &kernel.regions[region].ops {
        match kernel.ops[op].code {
            Code::For | Code::Foreach => loops.push(op),
            _ => kernel.ops[op].regions.iter().for_each(|&inner| loops.extend(loops_in(kernel, inner))),
        }
    }
    loops
}

/// Whether the source asks for lanes along this very loop.
fn is_marked(kernel: &Kernel, op: Op) -> bool {
    kernel.control(op).is_some_and(|control| control.marks.simd || control.marks.lanes.is_some())
}

/// How many lanes a loop would have; nothing if its iterations cannot be lanes.
pub(super) fn lanes_of(kernel: &Kernel, known: &Loops, counter: &Counter<'_>, op: Op) -> Option<u16> {
    let facts = counter.facts_of(op)?;
    // While something in a loop is not understood, because it is still being typed, the rest is seen as it will be.
    let lifted = |refusal: &Refusal| refusal.is_lifted || refusal.code == ReasonCode::NotUnderstood;
    if !refusals(kernel, facts, known, op).iter().all(lifted) {
        return None;
    }
    let marked = kernel.control(op).and_then(|control| control.marks.lanes);
    let wanted = marked.unwrap_or_else(|| counter.usual_lanes(op));
    let most = known.of(op).and_then(|known| known.verdict.max_lanes).and_then(|most| u16::try_from(most).ok());
    Some(most.map_or(wanted, |most| wanted.min(most)))
}

/// The work of an outermost loop, with whatever lanes there are in it.
pub(super) fn work(kernel: &Kernel, known: &Loops, choice: &Choice, counter: &Counter<'_>, op: Op) -> u64 {
    if let Some((_, work)) = choice.nests.iter().find(|(nest, _)| *nest == op) {
        return *work;
    }
    let lanes = lanes_of(kernel, known, counter, op);
    lanes.and_then(|lanes| counter.in_lanes(op, lanes)).unwrap_or_else(|| counter.in_order(op, &HashMap::new()))
}

/// The work of all loops of a scalar kernel, with whatever lanes they would have.
pub fn total_work(kernel: &Kernel) -> u64 {
    let (known, choice) = look(kernel, &Limits::default());
    let counter = Counter::new(kernel, target::reference());
    let loops = loops_in(kernel, kernel.body);
    loops.into_iter().map(|op| work(kernel, &known, &choice, &counter, op)).fold(0, u64::saturating_add)
}

/// Records which loops of nests take the lanes, and how much work there would be along the others.
pub(super) fn record(kernel: &Kernel, choice: &Choice, context: &mut Context) {
    for taken in choice.candidates.iter().filter(|candidate| choice.takes(candidate.op)) {
        let Some(work) = taken.in_lanes else { continue };
        let mut because: Vec<Said> = Vec::new();
        for other in &choice.candidates {
            let percent = if is_around(kernel, other.op, taken.op) {
                // What is best inside of the other loop is what was taken.
                other.in_lanes.map(|in_lanes| share(in_lanes, other.in_order))
            } else if is_around(kernel, taken.op, other.op) {
                other.in_lanes.map(|_| share(taken.in_order, work))
            } else {
                continue;
            };
            let index = kernel.regions[kernel.ops[other.op].regions[0]].args[0];
            let along = if because.is_empty() { "along" } else { ", along" };
            because.extend([along.into(), Said::value(kernel, index)]);
            match percent {
                None => because.push("iterations cannot be lanes".into()),
                Some(percent) => because.extend(["there would be".into(), percent.into(), "% of the work".into()]),
            }
        }
        context.decide(Decision::taken(kernel.ops[taken.op].origin, ReasonCode::LanesAlongThisLoop, because));
    }
}

/// Work as a share of other work, in per cent.
pub(super) fn share(work: u64, of: u64) -> i128 {
    i128::from(work) * 100 / i128::from(of.max(1))
}

/// Whether a loop is around another one.
pub(super) fn is_around(kernel: &Kernel, outer: Op, inner: Op) -> bool {
    let mut found = false;
    for &region in &kernel.ops[outer].regions {
        kernel.walk(region, &mut |_, op| found |= op == inner);
    }
    found
}
