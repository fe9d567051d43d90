//! Sums in each lane: a sum in the fixed order of the language, in a loop inside of one whose iterations can be lanes, is computed by each of
//! those lanes for itself, where that costs less than lanes along the sum.
//!
//! ```text
//! for x in range(1, (w - 1)):                          for x in range(1, (w - 1)):
//!     let s = for j in range(0, 3) reducing + from 0.0:    let e_0, e_1, e_2 = …
//!         yield (a[((x + j) - 1)] * k[j])                  out[x] = (0.0 + ((e_0 + e_2) + e_1))
//!     out[x] = s
//! ```
//!
//! A sum of few iterations is written out, and one of more keeps its partial results in an array of each lane, as
//! [legalisation](crate::legalise) does it inside of a `foreach`. The bits are those of the fixed order either way. Sums inside of a sum
//! become that together with it.

#[cfg(test)]
mod tests;

use super::Context;
use super::trial::{Change, Trial, keep_better};
use super::vector::refusals;
use crate::decision::Decision;
use crate::legalise::{OWN_PARTIALS, reduce_in_each_lane};
use ir::codes::ReasonCode;
use ir::entities::{Op, Region};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;

/// Gives sums a form for lanes along loops around them, where those cost less; says whether there are any.
pub fn lane_sums(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let sums = sums(kernel, context);
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &sums, context, |trial, sum, _| {
        let decision = sum.judge(trial);
        let is_kept = decision.as_ref().is_some_and(|decision| decision.taken);
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// The sums that alone keep a loop around them from lanes.
fn sums(kernel: &Kernel, context: &mut Context) -> Vec<Sum> {
    let forest = context.forest(kernel);
    let is_for = |op: Op| kernel.ops[op].code == Code::For;
    let is_sum = |op: Op| is_for(op) && kernel.control(op).is_some_and(|control| !control.reductions.is_empty());
    let is_marked = |op: Op| kernel.control(op).is_some_and(|it| it.marks.simd || it.marks.lanes.is_some());
    let inside = |op: Op| forest.parent(op).filter(|&outer| is_for(outer) && !is_sum(outer));
    let candidates: Vec<(Op, Op)> = forest
        .loops()
        .iter()
        .filter(|&&op| is_sum(op) && !forest.loops_inside(op).iter().chain([&op]).any(|&it| is_marked(it)))
        .filter_map(|&op| Some((op, inside(op)?)))
        .filter(|&(op, _)| forest.around(op).all(is_for))
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let (loops, choice, by_depth) = (context.loops(kernel), context.choice(kernel), context.by_depth(kernel));
    let stands_against_lanes = |outer: Op| {
        let Some(facts) = by_depth.of(kernel, outer) else { return false };
        let against = refusals(kernel, facts, &loops, outer);
        !against.is_empty() && against.iter().all(|refusal| refusal.code == ReasonCode::ReductionInLanes)
    };
    let is_open = |&(_, outer): &(Op, Op)| {
        !choice.takes(outer) && !forest.around(outer).any(|op| choice.takes(op)) && stands_against_lanes(outer)
    };
    candidates.into_iter().filter(is_open).map(|(op, outer)| Sum::new(&forest, op, outer, is_sum)).collect()
}

/// A sum, with those inside of it.
struct Sum {
    op: Op,
    /// The loop around it whose iterations may be lanes.
    outer: Op,
    /// The outermost loop around it.
    nest: Op,
    /// The loops that join something, each with the block that it stands in, inner ones first.
    loops: Vec<(Region, Op)>,
}

impl Change for Sum {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.loops.iter().for_each(|&(home, op)| reduce_in_each_lane(kernel, home, op));
        Vec::new()
    }
}

impl Sum {
    fn new(forest: &LoopForest, op: Op, outer: Op, is_sum: impl Fn(Op) -> bool) -> Sum {
        let with_inner = [op].into_iter().chain(forest.loops_inside(op).iter().copied());
        let loops = with_inner.filter(|&op| is_sum(op)).map(|op| (forest.region_of(op), op));
        let mut loops: Vec<(Region, Op)> = loops.collect();
        loops.reverse();
        Sum { op, outer, nest: forest.around(outer).last().unwrap_or(outer), loops }
    }

    /// The decision about having each lane compute the sum; `None` if no loop around it has lanes even then.
    fn judge(&self, trial: &Trial<'_>) -> Option<Decision> {
        let (loops, choice) = (trial.after.loops(), trial.after.choice());
        let may_have_lanes = |op: Op| loops.of(op).is_some_and(|known| known.verdict.is_vector);
        if !may_have_lanes(self.outer) {
            return None;
        }
        let has_lanes = |op: Op| choice.takes(op) && may_have_lanes(op);
        let around = [self.outer].into_iter().chain(loops.forest.around(self.outer)).any(has_lanes);
        let percent = trial.share(self.nest, &[self.nest]);
        let costs = |words: &'static str| {
            vec![OWN_PARTIALS.into(), words.into(), percent.into(), "% of what lanes along this one cost".into()]
        };
        let origin = trial.before.kernel.ops[self.op].origin;
        Some(match around && percent < 100 {
            true => Decision::taken(
                origin,
                ReasonCode::ReductionInLanes,
                costs("along a loop around this one, which costs"),
            ),
            false => Decision::left(
                origin,
                ReasonCode::ReductionInLanes,
                costs("if they run along a loop around this one, which would cost"),
            ),
        })
    }
}
