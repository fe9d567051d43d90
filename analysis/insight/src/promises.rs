//! Promises of loops: `@simd`, `@no_gather` and `@no_scatter`, held against the verdicts; and `foreach`, which promises that
//! its iterations are independent.
//!
//! What stands above a kernel is said of all loops that are written in it. Then a nest has kept its promise as soon as one of
//! its loops takes the lanes; what stands above a loop is about that very one.

use facts::Facts;
use ir::{Code, Kernel, Marks, Op, ReasonCode};
use report::lanes::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Loop, Promised, Site};

/// All that stands in loops with a mark.
pub(super) fn inside(kernel: &Kernel, is_marked: impl Fn(&Marks) -> bool) -> FxHashSet<Op> {
    let mut found = FxHashSet::default();
    kernel.walk(kernel.body, &mut |_, op| {
        if kernel.control(op).is_some_and(|control| is_marked(&control.marks)) {
            for &region in &kernel.ops[op].regions {
                kernel.walk(region, &mut |_, inner| {
                    found.insert(inner);
                });
            }
        }
    });
    found
}

/// The loops that are promised to become vector code. `known` are all loops, with their verdicts.
pub(super) fn find(
    kernel: &Kernel,
    facts: &Facts,
    known: &FxHashMap<Op, &Loop>,
    site: impl Fn(Op) -> Site,
) -> Vec<Promised> {
    // That a `foreach` is wrong is an error of its own.
    let runs = |it: &Loop| it.verdict.is_vector || it.verdict.reasons.iter().any(|reason| reason.code == COLLIDE);
    let taken: FxHashSet<Op> = known.iter().filter(|(_, it)| runs(it)).map(|(&op, _)| op).collect();
    let in_promised = inside(kernel, |marks| marks.simd);
    let mut promised = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let is_promised = kernel.control(op).is_some_and(|control| control.marks.simd);
        let Some(it) = known.get(&op).filter(|_| is_promised) else { return };
        let takes_lanes = taken.contains(&op);
        let is_inside = facts.lane_loops[region].is_some_and(|around| taken.contains(&around));
        promised.push(Promised {
            site: site(op),
            is_inside: in_promised.contains(&op),
            takes_lanes,
            has_lanes: takes_lanes || is_inside || hold_lanes(kernel, op, &taken),
            blockers: it.verdict.reasons.iter().filter(|reason| reason.blocks).cloned().collect(),
        });
    });
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

/// Whether all that a loop does over and over is in loops that take the lanes.
fn hold_lanes(kernel: &Kernel, op: Op, taken: &FxHashSet<Op>) -> bool {
    let (mut any, mut all) = (false, true);
    for &region in &kernel.ops[op].regions {
        kernel.walk(region, &mut |_, inner| {
            let is_leaf = matches!(kernel.ops[inner].code, Code::For | Code::Foreach) && !has_loop(kernel, inner);
            if taken.contains(&inner) {
                any = true;
            } else if is_leaf && !is_in(kernel, inner, taken) {
                all = false;
            }
        });
    }
    any && all
}

fn has_loop(kernel: &Kernel, op: Op) -> bool {
    let mut found = false;
    for &region in &kernel.ops[op].regions {
        kernel.walk(region, &mut |_, inner| found |= matches!(kernel.ops[inner].code, Code::For | Code::Foreach));
    }
    found
}

/// Whether an op stands in one of these loops.
fn is_in(kernel: &Kernel, wanted: Op, loops: &FxHashSet<Op>) -> bool {
    let regions = loops.iter().flat_map(|&op| &kernel.ops[op].regions);
    let mut found = false;
    regions.for_each(|&region| kernel.walk(region, &mut |_, op| found |= op == wanted));
    found
}
