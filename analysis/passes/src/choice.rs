//! Choice: decides which loop of a nest takes the lanes.
//!
//! A `foreach` takes them, because the programmer says so. Of nested `for` loops any may whose verdict allows it, and
//! the one is chosen that makes the [cost](crate::cost) of the whole nest least: because neighbouring lanes touch
//! neighbouring cells, because there are enough iterations to fill the lanes, because no value is carried from lane to
//! lane. One that is marked `@simd` or `@lanes` comes before those that are not. A `for` with a `while` inside, which lanes leave at
//! times of their own, takes them if that costs less than to run in order, too. A loop by itself that only moves and computes, iteration by
//! iteration, stays in order where its lanes would take [longer](Counter::side_by_side): where most of what it does are gathers and scatters.
//! That is asked on processors whose times are known: what a gather takes depends on the processor more than all else.
//! In a nest that goes through large arrays in columns, gathers wait for several lines at once, so there they may gain; of nests it is asked
//! for rows of many lengths alone, as those of a triangle.
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
//! If no loop may, facts are computed for the innermost ones.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use super::trial::share;
use super::vector::{Refusal, refusals};
use crate::by_depth::FactsByDepth;
use crate::cost::{Counter, USUAL_TRIPS};
use crate::decision::{Decision, Said};
use crate::outcome::Outcomes;
use facts::lane_loops::{self, outermost_ranges};
use facts::loops::Loops;
use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::forest::LoopForest;
use ir::program::Kernel;
use ir::target::Target;

/// The loops whose iterations are the lanes, and those that they were chosen from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaneChoice {
    /// The loops, in order; none is inside of another.
    pub loops: Vec<Op>,
    /// The loops of nests in which there was something to choose, in order.
    pub candidates: Vec<Candidate>,
    /// The outermost loops of those nests, with their costs.
    pub nests: Vec<(Op, u64)>,
    /// The loops by themselves that may have lanes and stay in order, since lanes would take longer; with the time in per cent of that in order.
    pub left: Vec<(Op, i128)>,
    /// The costs of those nests by their loops, and the loops that take the lanes.
    costs: FxHashMap<Op, u64>,
    taken: FxHashSet<Op>,
}

/// A loop that may be chosen, with its costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The op of the loop.
    pub op: Op,
    /// The outermost loop of its nest.
    pub nest: Op,
    /// The cost of the loop with its iterations as lanes; `None` if they cannot be lanes.
    pub in_lanes: Option<u64>,
    /// The cost of the loop if it runs in order, whatever loops inside of it do.
    pub in_order: u64,
}

impl LaneChoice {
    /// Says whether a loop takes the lanes.
    pub fn takes(&self, op: Op) -> bool {
        self.taken.contains(&op)
    }

    /// The cost of a nest in which there was something to choose, by its outermost loop.
    pub(super) fn cost_of_nest(&self, nest: Op) -> Option<u64> {
        self.costs.get(&nest).copied()
    }
}

/// Chooses the loops of a scalar kernel whose iterations are the lanes, by the costs of a target.
pub fn choose(kernel: &Kernel, known: &Loops, target: &'static Target) -> LaneChoice {
    choose_by(kernel, known, Arc::new(FactsByDepth::new(kernel, &known.forest)), target)
}

/// Chooses by facts that may be known already.
pub(super) fn choose_by(
    kernel: &Kernel,
    known: &Loops,
    facts: Arc<FactsByDepth>,
    target: &'static Target,
) -> LaneChoice {
    let counter = Counter::new(kernel, known, facts, target);
    let mut chooser = Chooser { kernel, known, target, counter, choice: LaneChoice::default() };
    let loops = lane_loops::choose(kernel, &known.forest, |nest| {
        if known.forest.loops_inside(nest).is_empty() {
            return if chooser.loses(nest) { Vec::new() } else { vec![nest] };
        }
        let best = chooser.nest(nest, nest);
        chooser.choice.nests.push((nest, best.cost));
        best.loops
    });
    let (costs, taken) = (chooser.choice.nests.iter().copied().collect(), loops.iter().copied().collect());
    LaneChoice { loops, costs, taken, ..chooser.choice }
}

/// The loops of a scalar kernel whose iterations are the lanes: those that were given lanes, if that is known, else those that
/// are chosen by the costs of a target.
pub fn lane_loops(kernel: &Kernel, known: &Loops, made: Option<&Outcomes>, target: &'static Target) -> Vec<Op> {
    let forest = &known.forest;
    let given = made.map_or_else(Vec::new, |made| made.loops_in_lanes(kernel, forest));
    let choice = choose(kernel, known, target);
    // Of those that stay in order it is told what their lanes would do.
    let chosen: Vec<Op> = choice.loops.iter().copied().chain(choice.left.iter().map(|(op, _)| *op)).collect();
    lane_loops::lane_loops(kernel, forest, &given, Some(&chosen))
}

/// The time that lanes may take of that in order, in per cent: what lies between is not known well enough.
const MOST_PERCENT: i128 = 110;

struct Chooser<'k> {
    kernel: &'k Kernel,
    known: &'k Loops,
    target: &'static Target,
    counter: Counter<'k>,
    choice: LaneChoice,
}

/// The best choice for a loop and those inside of it.
struct Best {
    /// The loops that take the lanes.
    loops: Vec<Op>,
    /// True if one of them is marked in the source.
    marked: bool,
    /// The cost of the whole loop.
    cost: u64,
}

impl<'k> Chooser<'k> {
    /// Chooses for a loop and those inside of it.
    fn nest(&mut self, op: Op, nest: Op) -> Best {
        let at = self.choice.candidates.len();
        self.choice.candidates.push(Candidate { op, nest, in_lanes: None, in_order: 0 });
        let forest = &self.known.forest;
        let inner = outermost_ranges(self.kernel, forest, forest.loops_inside(op));
        let inside: Vec<(Op, Best)> = inner.into_iter().map(|op| (op, self.nest(op, nest))).collect();
        let known: FxHashMap<Op, u64> = inside.iter().map(|(op, best)| (*op, best.cost)).collect();
        let marked = inside.iter().any(|(_, best)| best.marked);
        let counter = &self.counter;
        let in_order = counter.in_order(op, &known);
        let in_lanes = lanes_of(self.kernel, self.known, counter, op).and_then(|lanes| counter.in_lanes(op, lanes));
        let candidate = &mut self.choice.candidates[at];
        (candidate.in_lanes, candidate.in_order) = (in_lanes, in_order);
        let own_mark = is_marked(self.kernel, op);
        let is_leaf = inside.is_empty();
        // Lanes that leave a `while` at times of their own wait for each other.
        let waits = !forest.loops_inside(op).is_empty();
        match in_lanes {
            Some(cost) if (is_leaf && !waits) || (own_mark && !marked) || (own_mark == marked && cost < in_order) => {
                // Of the rows of a triangle many are so short that most of their groups are not full.
                let loses = is_leaf && !waits && self.is_of_many_lengths(op) && self.loses(op);
                let loops = if loses { Vec::new() } else { vec![op] };
                Best { loops, marked: own_mark, cost }
            }
            None if is_leaf => Best { loops: vec![op], marked: false, cost: in_order },
            _ => {
                let loops = inside.into_iter().flat_map(|(_, best)| best.loops).collect();
                Best { loops, marked, cost: in_order }
            }
        }
    }

    /// Says whether a loop stays in order, since its iterations would take longer as lanes. That is asked where
    /// each lane has a cell of its own. A loop whose iterations wait for each other gains by lanes what they wait less, so it is not asked;
    /// neither is one for which lanes are asked.
    fn loses(&mut self, op: Op) -> bool {
        if !self.target.costs.measured {
            return false;
        }
        let (kernel, known, counter) = (self.kernel, self.known, &self.counter);
        let hands_on = !kernel.ops[op].results.is_empty() || known.of(op).is_none_or(|known| known.turns.is_some());
        if hands_on || is_marked(kernel, op) || !counter.has_scattered_cells(op) {
            return false;
        }
        let lanes = lanes_of(kernel, known, counter, op);
        let times = lanes.and_then(|lanes| {
            let (in_lanes, in_order) = counter.side_by_side(op, lanes)?;
            // The last group of each length counts as a whole one.
            let part = if self.is_of_many_lengths(op) { u64::from(lanes) } else { 0 };
            Some((in_lanes.saturating_mul(USUAL_TRIPS + part) / USUAL_TRIPS, in_order))
        });
        let percent = times.map_or(0, |(in_lanes, in_order)| share(in_lanes, in_order));
        let loses = percent > MOST_PERCENT;
        if loses {
            self.choice.left.push((op, percent));
        }
        loses
    }

    /// Says whether the index of the loop around it says how many iterations a loop has: as in the rows of a triangle, which are half as long
    /// as the longest in the mean.
    fn is_of_many_lengths(&self, op: Op) -> bool {
        let (kernel, forest) = (self.kernel, &self.known.forest);
        let Some(around) = forest.parent(op).filter(|&around| kernel.n_ranges(around) > 0) else { return false };
        let indices = &kernel.regions[kernel.ops[around].regions[0]].args[..kernel.n_ranges(around)];
        let mut open: Vec<Value> = kernel.ops[op].operands.iter().take(3 * kernel.n_ranges(op)).copied().collect();
        let mut seen = FxHashSet::default();
        while let Some(value) = open.pop() {
            if indices.contains(&value) {
                return true;
            }
            let maker = kernel.def_op(value).filter(|&maker| forest.encloses(around, maker));
            if let Some(maker) = maker.filter(|&maker| seen.insert(maker)) {
                open.extend(kernel.inputs(maker));
            }
        }
        false
    }
}

/// Says whether the source asks for lanes along this very loop.
fn is_marked(kernel: &Kernel, op: Op) -> bool {
    kernel.control(op).is_some_and(|control| control.marks.simd || control.marks.lanes.is_some())
}

/// Returns the number of lanes that a loop would get; `None` if its iterations cannot be lanes.
pub(super) fn lanes_of(kernel: &Kernel, known: &Loops, counter: &Counter<'_>, op: Op) -> Option<u16> {
    let facts = counter.facts_of(op)?;
    // An op that is not understood may be one that is still being typed, so it does not keep the loop from having
    // lanes.
    let lifted = |refusal: &Refusal| refusal.is_lifted || refusal.code == ReasonCode::NotUnderstood;
    if !refusals(kernel, facts, known, op).iter().all(lifted) {
        return None;
    }
    let marked = kernel.control(op).and_then(|control| control.marks.lanes);
    let wanted = marked.unwrap_or_else(|| counter.usual_lanes(op));
    let most = known.of(op).and_then(|known| known.verdict.max_lanes).and_then(|most| u16::try_from(most).ok());
    Some(most.map_or(wanted, |most| wanted.min(most)))
}

/// The loops that may have lanes in nests where none has, because that would cost more than the nest in order, and those by themselves that
/// stay in order; with the cost in percent of that.
pub(super) fn too_dear(forest: &LoopForest, choice: &LaneChoice, taken: impl Fn(Op) -> bool) -> Vec<(Op, i128)> {
    let has_none_near = |op: Op| {
        !taken(op) && !forest.around(op).any(&taken) && !forest.loops_inside(op).iter().any(|&inner| taken(inner))
    };
    let dear = choice.candidates.iter().filter_map(|candidate| {
        let in_lanes = candidate.in_lanes.filter(|cost| *cost >= candidate.in_order)?;
        Some((candidate.op, share(in_lanes, candidate.in_order)))
    });
    dear.chain(choice.left.iter().copied()).filter(|(op, _)| has_none_near(*op)).collect()
}

/// Records which loops of nests take the lanes, and the cost along the others.
pub(super) fn record(kernel: &Kernel, forest: &LoopForest, choice: &LaneChoice, context: &mut Context) {
    // Those of a nest follow each other.
    let nests = choice.candidates.chunk_by(|one, next| one.nest == next.nest);
    for (of_nest, taken) in nests.flat_map(|of_nest| of_nest.iter().map(move |candidate| (of_nest, candidate))) {
        let Some(cost) = taken.in_lanes.filter(|_| choice.takes(taken.op)) else { continue };
        let mut because: Vec<Said> = Vec::new();
        for other in of_nest {
            let percent = if forest.encloses(other.op, taken.op) {
                // The other loop in order costs what the taken loop makes it cost, because that is the best choice
                // inside of it.
                other.in_lanes.map(|in_lanes| share(in_lanes, other.in_order))
            } else if forest.encloses(taken.op, other.op) {
                other.in_lanes.map(|_| share(taken.in_order, cost))
            } else {
                continue;
            };
            let index = kernel.regions[kernel.ops[other.op].regions[0]].args[0];
            let along = if because.is_empty() { "lanes along" } else { ", lanes along" };
            because.extend([along.into(), Said::value(kernel, index)]);
            match percent {
                None => because.push("are not possible".into()),
                Some(percent) => because.extend(["would cost".into(), percent.into(), "% of this".into()]),
            }
        }
        context.decide(Decision::taken(kernel.ops[taken.op].origin, ReasonCode::LanesAlongThisLoop, because));
    }
}
