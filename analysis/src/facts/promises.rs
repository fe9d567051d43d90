//! Promises of loops: `@simd`, `@no_gather` and `@no_scatter`, held against the verdicts; and `foreach`, which promises that
//! its iterations are independent.
//!
//! What stands above a kernel is said of all loops that are written in it. Then a nest has kept its promise as soon as one of
//! its loops takes the lanes; what stands above a loop is about that very one.

use ir::facts::Facts;
use ir::facts::counting::Counting;
use ir::facts::loops::{CODES, Loops, Part, Reason};
use ir::{Code, Kernel, Marks, Op, passes};
use rustc_hash::FxHashSet;

use super::judged::Made;
use super::{Blocker, Promised, Site};

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

/// The loops that are promised to become vector code; `made` is what became of the kernel, if all of it was understood.
pub(super) fn find(
    kernel: &Kernel,
    facts: &Facts,
    verdicts: &Loops,
    made: Option<&Made>,
    site: impl Fn(Op) -> Site,
) -> Vec<Promised> {
    // A loop that may be left early has lanes where it goes in blocks, which no verdict about it tells.
    let goes_in_blocks = |op: Op| {
        let place = kernel.origins[kernel.ops[op].origin].place;
        Counting::of(kernel, op).is_some() && made.is_none_or(|made| made.lanes(place).is_some())
    };
    let runs = |op: Op| {
        goes_in_blocks(op) || passes::refusal(kernel, facts, verdicts, op).is_none_or(|refusal| refusal.is_lifted)
    };
    let taken: FxHashSet<Op> = facts.loops.iter().copied().filter(|&op| runs(op)).collect();
    let in_promised = inside(kernel, |marks| marks.simd);
    let mut promised = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let is_loop = matches!(kernel.ops[op].code, Code::For | Code::Foreach | Code::While);
        if !is_loop || !kernel.control(op).is_some_and(|control| control.marks.simd) {
            return;
        }
        let takes_lanes = taken.contains(&op);
        let is_inside = facts.lane_loops[region].is_some_and(|around| taken.contains(&around));
        let reasons = verdicts.of(op).map(|known| known.verdict.reasons.as_slice()).unwrap_or_default();
        promised.push(Promised {
            site: site(op),
            is_inside: in_promised.contains(&op),
            takes_lanes,
            has_lanes: takes_lanes || is_inside || hold_lanes(kernel, op, &taken),
            blockers: reasons.iter().filter(|it| it.blocks).map(|reason| blocker(kernel, reason, &site)).collect(),
        });
    });
    promised
}

/// Each `foreach` whose iterations are known to touch one cell, with the first two that do.
pub(super) fn collisions(kernel: &Kernel, verdicts: &Loops, site: impl Fn(Op) -> Site) -> Vec<(Site, Blocker)> {
    let collide = verdicts.list.iter().filter_map(|known| {
        let reason = known.verdict.reasons.iter().find(|reason| reason.code == "iterations-collide")?;
        Some((site(known.op), blocker(kernel, reason, &site)))
    });
    collide.collect()
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

fn blocker(kernel: &Kernel, reason: &Reason, site: &impl Fn(Op) -> Site) -> Blocker {
    let meaning = CODES.iter().find(|row| row.code == reason.code).map_or("", |row| row.meaning);
    let mut happens = reason.message.chunks(3).map_while(|parts| touches(kernel, parts));
    let places = match reason.dependence {
        Some(_) => reason.places.iter().map_while(|&op| Some((site(op), happens.next()?))).collect(),
        // The first is the loop itself.
        None => reason.places.iter().skip(1).map(|&op| (site(op), String::from("it is made here"))).collect(),
    };
    Blocker { code: reason.code, meaning, places }
}

/// What an iteration does to a cell.
fn touches(kernel: &Kernel, parts: &[Part]) -> Option<String> {
    let [Part::Iteration(indices), Part::Text(verb), Part::Cell(array, cell)] = parts else { return None };
    let list = |numbers: &[i128]| numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
    let array = kernel.values[*array].name.as_deref().unwrap_or("_");
    Some(format!("iteration {} {verb} `{array}[{}]`", list(indices), list(cell)))
}
