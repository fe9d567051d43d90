//! Verdicts: each loop is marked with the verdict about its lanes, so that the text of the stage `parallel` says for itself which loops
//! have lanes at the next one.
//!
//! ```text
//! @in_order(loop-carried-flow)
//! for i in range(1, n):
//!     a[i] = (a[(i - 1)] + b[i])
//! @in_lanes(8)
//! for j in range(0, n):
//!     @inside_lanes
//!     for k in range(0, m):
//!         b[j] = (b[j] + c[k, j])
//! ```
//!
//! All transformations that make loops fit for lanes are done by then, so the verdict is final: it is the very choice that
//! [vectorisation](crate::vector) makes. That takes the marks away from the loops that get lanes and from those inside, because a
//! `vector_for` says for itself that it has them; a loop that stays in order keeps its reason.

use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::too_dear;
use super::vector::{refusal, taken};
use crate::Context;
use ir::codes::ReasonCode;
use ir::entities::Op;
use ir::program::{Kernel, LaneVerdict};

/// Marks the loops of a kernel in which nothing is vectorised yet; says whether there are any.
pub fn verdicts(kernel: &mut Kernel, context: &mut Context) -> bool {
    let forest = context.forest(kernel);
    if kernel.lanes.is_some() || forest.loops().is_empty() {
        return false;
    }
    let taken: FxHashMap<Op, u16> = taken(kernel, context).into_iter().collect();
    let dear: FxHashSet<Op> = too_dear(&forest, &context.choice(kernel), |op| taken.contains_key(&op))
        .into_iter()
        .map(|(op, _)| op)
        .collect();
    let mut found = Vec::new();
    for &op in forest.loops() {
        let verdict = match taken.get(&op) {
            Some(&lanes) => LaneVerdict::InLanes(lanes),
            None if forest.around(op).any(|outer| taken.contains_key(&outer)) => LaneVerdict::InsideLanes,
            None => LaneVerdict::InOrder(reason(kernel, context, &dear, op)),
        };
        found.push((op, verdict));
    }
    // What lanes take turns in, or go through together, is in order.
    let has_order = |op: Op, verdict: LaneVerdict| {
        let takes_turns = kernel.control(op).is_some_and(|control| control.marks.in_turn);
        !matches!(verdict, LaneVerdict::InLanes(_)) || takes_turns
    };
    let in_order = found.iter().filter(|&&(op, verdict)| has_order(op, verdict)).map(|(op, _)| *op);
    context.outcomes.have_order(kernel, in_order);
    for (op, verdict) in found {
        kernel.set_verdict(op, Some(verdict));
    }
    true
}

/// Takes the verdicts away from a loop that gets its lanes, and from those inside of it.
pub(super) fn clear(kernel: &mut Kernel, op: Op) {
    let mut marked = vec![op];
    kernel.walk_inside(op, &mut |inner| marked.push(inner));
    for op in marked {
        kernel.set_verdict(op, None);
    }
}

/// The reason why the iterations of a loop stay in order: what its own iterations do, else what lanes would cost, else that another
/// loop of the nest would have them, else an op that has no form in lanes.
fn reason(kernel: &Kernel, context: &mut Context, dear: &FxHashSet<Op>, op: Op) -> Option<ReasonCode> {
    let (known, choice, facts) = (context.loops(kernel), context.choice(kernel), context.facts(kernel));
    // There is no verdict about a loop that does nothing.
    let of_loop = &known.of(op)?.verdict;
    if let Some(own) = of_loop.reasons.iter().find(|reason| reason.blocks) {
        return Some(own.code);
    }
    if dear.contains(&op) {
        return Some(ReasonCode::LanesCostMore);
    }
    let takes = |other: Op| choice.takes(other);
    if known.forest.around(op).any(takes) || known.forest.loops_inside(op).iter().copied().any(takes) {
        return Some(ReasonCode::LanesElsewhere);
    }
    refusal(kernel, &facts, &known, op).map(|refusal| refusal.code)
}
