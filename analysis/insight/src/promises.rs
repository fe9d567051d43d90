//! Promises of loops: `@simd`, `@no_gather` and `@no_scatter`, held against the verdicts; and `foreach`, which promises that
//! its iterations are independent.
//!
//! A mark above a kernel is copied to all loops that are written in it. Then a nest keeps the promise as soon as one of its loops
//! takes the lanes; a mark above a loop is about this very loop.

use facts::Facts;
use ir::{Code, Kernel, LoopForest, Marks, Op, ReasonCode};
use report::lanes::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Loop, Promised, Site};

/// Returns true if a loop around an op has a mark.
pub(super) fn is_in_marked(kernel: &Kernel, forest: &LoopForest, op: Op, is_marked: impl Fn(&Marks) -> bool) -> bool {
    forest.around(op).any(|outer| kernel.control(outer).is_some_and(|control| is_marked(&control.marks)))
}

/// The loops that are promised to become vector code. `known` are all loops, with their verdicts.
pub(super) fn find(
    kernel: &Kernel,
    forest: &LoopForest,
    facts: &Facts,
    known: &FxHashMap<Op, &Loop>,
    site: impl Fn(Op) -> Site,
) -> Vec<Promised> {
    // A `foreach` with colliding iterations is an error of its own (see `collisions`), and no broken promise besides.
    let runs = |it: &Loop| it.verdict.is_vector || it.verdict.reasons.iter().any(|reason| reason.code == COLLIDE);
    let taken: FxHashSet<Op> = known.iter().filter(|(_, it)| runs(it)).map(|(&op, _)| op).collect();
    let mut promised = Vec::new();
    for &op in forest.loops() {
        let is_promised = kernel.control(op).is_some_and(|control| control.marks.simd);
        let Some(it) = known.get(&op).filter(|_| is_promised) else { continue };
        let takes_lanes = taken.contains(&op);
        let is_inside = facts.lane_loops[forest.region_of(op)].is_some_and(|around| taken.contains(&around));
        promised.push(Promised {
            site: site(op),
            is_inside: is_in_marked(kernel, forest, op, |marks| marks.simd),
            takes_lanes,
            has_lanes: takes_lanes || is_inside || hold_lanes(kernel, forest, op, &taken),
            blockers: it.verdict.reasons.iter().filter(|reason| reason.blocks).cloned().collect(),
        });
    }
    promised
}

/// The code of a `foreach` whose iterations are known to touch one cell.
const COLLIDE: ReasonCode = ReasonCode::IterationsCollide;

/// Each `foreach` whose iterations are known to touch one cell, with the first two that do.
pub(super) fn collisions(known: &FxHashMap<Op, &Loop>, site: impl Fn(Op) -> Site) -> Vec<(Site, Reason<Site>)> {
    let collide = known.iter().filter_map(|(&op, it)| {
        let reason = it.verdict.reasons.iter().find(|reason| reason.code == COLLIDE)?;
        Some((op, reason.clone()))
    });
    let mut collide: Vec<(Op, Reason<Site>)> = collide.collect();
    collide.sort_by_key(|(op, _)| *op);
    collide.into_iter().map(|(op, reason)| (site(op), reason)).collect()
}

/// Returns true if some loops inside of a loop take the lanes, and no innermost loop over a range is left without.
fn hold_lanes(kernel: &Kernel, forest: &LoopForest, op: Op, taken: &FxHashSet<Op>) -> bool {
    let is_range = |&op: &Op| matches!(kernel.ops[op].code, Code::For | Code::Foreach);
    let has_lanes = |op: Op| taken.contains(&op) || forest.around(op).any(|outer| taken.contains(&outer));
    let is_leaf = |op: &Op| is_range(op) && !forest.loops_inside(*op).iter().any(is_range);
    let inside = forest.loops_inside(op);
    inside.iter().any(|op| taken.contains(op)) && inside.iter().copied().filter(is_leaf).all(has_lanes)
}
