//! Interleaving: several groups of lanes in each iteration of a loop, before the loop goes on group by group with the
//! rest.
//!
//! ```text
//! vector_for base in range(0, n, LANES):              let end = (n -% (n % 32))
//!     vector_store(o, base, x(base))                  @rolled
//!                                                     vector_for base in range(0, end, (LANES * 4)):
//!                                                         … x(base), x(advance(base, 8)), x(advance(base, 16)), …
//!                                                         … and the four stores
//!                                                     @rolled
//!                                                     vector_for base in range(end, n, LANES): as before
//! ```
//!
//! This serves two ends. A group that joins something waits for the group before it, so each interleaved group gets a
//! *partial result* of its own, and those are joined behind the loop. For sums in the fixed order of the language these are
//! the partial results that the order has, all in registers, where group by group each round has to find its own in memory.
//! And where no group touches a cell that another one writes, each op is done for all groups before the next op is, so that
//! loads stand together and none waits for a store.
//!
//! In a loop whose lanes take every second cell or the like, the last of a group's loads moves on to where the next group begins, and
//! reaches back to no cell that the load before has. Then an iteration has to be left for the rest, as there is always a
//! next cell then.

mod plan;
mod write;

use super::Context;
use crate::decision::Decision;
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};

use plan::Plan;

/// Interleaves groups of lanes; says whether there is a loop where that helps.
pub fn interleave(kernel: &mut Kernel, context: &mut Context) -> bool {
    let (forest, uses) = (context.forest(kernel), context.uses(kernel));
    let in_lanes = forest.loops().iter().filter(|&&op| kernel.ops[op].code == Code::VectorFor);
    let loops: Vec<(Region, Op)> = in_lanes.map(|&op| (forest.region_of(op), op)).collect();
    let mut decisions: Vec<Decision> = Vec::new();
    let mut replaced: Vec<(Value, Value)> = Vec::new();
    let mut marked = false;
    for (region, op) in loops {
        let Some(plan) = Plan::of(kernel, context.options.target, &uses, op) else {
            // One group in each round, if that is asked for, is one in machine code, too.
            if let Attr::Control(control) = &mut kernel.ops[op].attr
                && control.marks.unroll == Some(1)
            {
                marked |= !control.marks.rolled;
                control.marks.rolled = true;
            }
            continue;
        };
        let decision = Decision::taken(kernel.ops[op].origin, ReasonCode::GroupsInterleaved, plan.because());
        let n_before = kernel.ops.len();
        let made = write::write(kernel, op, &plan, &mut replaced);
        context.outcomes.were_copied(kernel, n_before, &made);
        // Where nothing is left for it to do, the loop as it was is gone with all of its accesses.
        if !made.contains(&op) {
            kernel.walk_inside(op, &mut |inner| context.outcomes.was_dropped(kernel, inner));
        }
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place..=place, made);
        decisions.push(decision);
    }
    let changed = marked || !decisions.is_empty();
    let mut new = EntityVec::filled(kernel.values.len(), None);
    replaced.into_iter().for_each(|(old, value)| new[old] = Some(value));
    kernel.replace_uses(&new);
    // A loop may stand there twice, once for arrays that overlap.
    let mut told: Vec<Decision> = Vec::new();
    for decision in decisions {
        if !told.contains(&decision) {
            told.push(decision.clone());
            context.decide(decision);
        }
    }
    changed
}
