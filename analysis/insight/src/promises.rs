//! Promises of loops: `@simd`, `@no_gather` and `@no_scatter`, held against the verdicts; and `foreach`, which promises that
//! its iterations are independent.
//!
//! A mark above a kernel is copied to all loops that are written in it. Then a nest keeps the promise as soon as one of its loops
//! takes the lanes; a mark above a loop is about this very loop.

use facts::Facts;
use facts::loops::CarriedRole;
use ir::program::Def;
use ir::{Code, Kernel, LoopForest, Marks, Op, ReasonCode, Value};
use report::lanes::Reason;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Loop, Promised, Site, Unshared};

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

/// The variables that iterations of a `foreach` update and cannot share: those that need an order, and those that lanes disagree
/// about. `step` finds the step that a value is at.
pub(super) fn unshared(
    kernel: &Kernel,
    facts: &Facts,
    verdicts: &facts::loops::Loops,
    told: &FxHashMap<Op, &Loop>,
    site: impl Fn(Op) -> Site,
    step: impl Fn(Value) -> Option<u32>,
) -> Vec<Unshared> {
    let mut found = Vec::new();
    for known in verdicts.list.iter().filter(|known| kernel.ops[known.op].code == Code::Foreach) {
        let together = kernel.lanes_of_foreach(known.op).is_some();
        let yields = &kernel.regions[kernel.ops[known.op].regions[0]].yields;
        for (carried, &next) in known.carried.iter().zip(yields) {
            let cannot = match together {
                true => !facts.shape(carried.arg).is_uniform(),
                false => {
                    let is_last = carried.role == CarriedRole::Previous && n_uses(kernel, known.op, carried.arg) == 0;
                    needs_order(carried.role) && !is_last && !is_handed_on(kernel, known.op, carried.arg, next)
                }
            };
            let Some(name) = kernel.values[carried.arg].name.as_deref().filter(|_| cannot) else { continue };
            let step = step(varying_part(kernel, facts, next)).or_else(|| step(next));
            let range = told.get(&known.op).map_or(site(known.op), |it| it.range);
            found.push(Unshared { site: site(known.op), range, name: name.to_owned(), varies: together, step });
        }
    }
    found
}

/// Says whether an iteration needs what the one before made of a value.
fn needs_order(role: CarriedRole) -> bool {
    matches!(
        role,
        CarriedRole::Scan(_)
            | CarriedRole::Previous
            | CarriedRole::LinearRecurrence
            | CarriedRole::Recurrence
            | CarriedRole::First
            | CarriedRole::LastSoFar
            | CarriedRole::Expand
    )
}

/// Says whether a loop hands what it carries to a `foreach` inside of it, whose result is what it goes on with: then that one says
/// whether there is an order.
fn is_handed_on(kernel: &Kernel, op: Op, carried: Value, next: Value) -> bool {
    let Def::Result(inner, number) = kernel.values[next].def else { return false };
    let data = &kernel.ops[inner];
    let start = 3 * kernel.n_ranges(inner) + number as usize;
    if data.code != Code::Foreach || data.operands.get(start) != Some(&carried) {
        return false;
    }
    n_uses(kernel, op, carried) == 1
}

/// The number of times that a loop's body uses what it carries: none of a value that each iteration gives anew, so that only the last one's
/// is seen behind the loop.
fn n_uses(kernel: &Kernel, op: Op, carried: Value) -> usize {
    let mut n_uses = 0;
    let body = kernel.ops[op].regions[0];
    kernel.walk(body, &mut |_, user| {
        n_uses += kernel.ops[user].operands.iter().filter(|&&operand| operand == carried).count();
        for &region in &kernel.ops[user].regions {
            n_uses += kernel.regions[region].yields.iter().filter(|&&yielded| yielded == carried).count();
        }
    });
    n_uses
}

/// The value that lanes disagree about, of those that are joined by what all lanes have behind a block.
fn varying_part(kernel: &Kernel, facts: &Facts, value: Value) -> Value {
    let mut at = value;
    while let Some(op) = kernel.def_op(at).filter(|&op| kernel.ops[op].code == Code::FirstOf) {
        let inside = kernel.values[kernel.ops[op].operands[0]].def;
        let made = match inside {
            Def::Result(branch, number) if kernel.ops[branch].code == Code::If => {
                kernel.regions[kernel.ops[branch].regions[0]].yields[number as usize]
            }
            _ => kernel.ops[op].operands[0],
        };
        let parts = [made, kernel.ops[op].operands[1]];
        let Some(part) = parts.into_iter().find(|&part| !facts.shape(part).is_uniform()) else { break };
        at = part;
    }
    at
}

/// Returns true if some loops inside of a loop take the lanes, and no innermost loop over a range is left without.
fn hold_lanes(kernel: &Kernel, forest: &LoopForest, op: Op, taken: &FxHashSet<Op>) -> bool {
    let is_range = |&op: &Op| matches!(kernel.ops[op].code, Code::For | Code::Foreach);
    let has_lanes = |op: Op| taken.contains(&op) || forest.around(op).any(|outer| taken.contains(&outer));
    let is_leaf = |op: &Op| is_range(op) && !forest.loops_inside(*op).iter().any(is_range);
    let inside = forest.loops_inside(op);
    inside.iter().any(|op| taken.contains(op)) && inside.iter().copied().filter(is_leaf).all(has_lanes)
}
