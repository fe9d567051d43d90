//! Partial unrolling: several iterations of a loop in order stand one after the other in each round, as `@unroll(4)` above it asks for, and the
//! loop goes on iteration by iteration with the rest.
//!
//! ```text
//! @unroll(2)                                       let end = n -% n % 2
//! for i in range(n) with s = 0.0:                  let s_1 = for i in range(0, end, 2) with s = 0.0:
//!     yield s * k + a[i]                               let s_2 = s * k + a[i]
//!                                                      yield s_2 * k + a[i + 1]
//!                                                  for i in range(end, n) with s = s_1:
//!                                                      yield s * k + a[i]
//! ```
//!
//! Statements of neighbouring iterations are neighbours in one block then, of which [`pack`](crate::pack) can make vectors. A loop that has no
//! more iterations than are asked for goes away. Loops in lanes have groups of lanes in each round instead, by
//! [`interleave`](crate::interleave).

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::Context;
use crate::decision::{Decision, Said};
use crate::rounds::{self, Round};
use crate::unroll;
use ir::codes::ReasonCode;
use ir::entities::{Op, Region};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;

/// The most ops of all iterations of a round.
const MOST_COPIES: usize = 4096;

/// Unrolls the loops in order that are marked `@unroll`; says whether there are any.
pub fn partial_unroll(kernel: &mut Kernel, context: &mut Context) -> bool {
    let forest = context.forest(kernel);
    let is_marked = |op: Op| kernel.control(op).is_some_and(|control| control.marks.unroll.is_some());
    let in_order = forest.loops().iter().filter(|&&op| kernel.ops[op].code == Code::For && is_marked(op));
    let marked: Vec<(Region, Op)> = in_order.map(|&op| (forest.region_of(op), op)).collect();
    let mut changed = false;
    // Inner loops first: a round of an outer one has copies of what they are by then.
    for (home, op) in marked.into_iter().rev() {
        changed |= unroll_one(kernel, context, home, op);
    }
    changed
}

/// Unrolls a loop as its mark says; says whether anything is changed.
fn unroll_one(kernel: &mut Kernel, context: &mut Context, home: Region, op: Op) -> bool {
    let origin = kernel.ops[op].origin;
    let n_before = kernel.ops.len();
    if unroll::write_out_if_short(kernel, context, home, op) {
        kernel.walk_inside(op, &mut |inner| context.outcomes.was_dropped(kernel, inner));
        context.outcomes.were_copied(kernel, n_before, &kernel.regions[home].ops);
        return true;
    }
    match Plan::of(kernel, op) {
        Ok(None) => {
            // One iteration in each round, if that is asked for, is one in machine code, too.
            if let Attr::Control(control) = &mut kernel.ops[op].attr {
                (control.marks.unroll, control.marks.rolled) = (None, true);
            }
            true
        }
        Ok(Some(plan)) => {
            let because = vec![
                i128::from(plan.times).into(),
                Said::from("iterations are done in each round, as `@unroll` asks for"),
            ];
            context.decide(Decision::taken(origin, ReasonCode::UnrolledInPart, because));
            let round = Round { times: plan.times, step: plan.step };
            let (made, _) = rounds::write(kernel, plan.op, round, |_| (), |_, (), _| FxHashMap::default());
            context.outcomes.were_copied(kernel, n_before, &made);
            let ops = &mut kernel.regions[home].ops;
            let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
            ops.splice(place..=place, made);
            true
        }
        Err(why) => {
            context.decide(Decision::left(origin, ReasonCode::UnrolledInPart, vec![why.into()]));
            false
        }
    }
}

/// A loop that is to do several iterations in each round.
struct Plan {
    op: Op,
    times: u16,
    /// The loop's own step.
    step: i128,
}

impl Plan {
    /// How a loop is unrolled that is marked so; nothing for one that is marked not to be, and the reason against one that cannot be.
    fn of(kernel: &Kernel, op: Op) -> Result<Option<Plan>, &'static str> {
        let data = &kernel.ops[op];
        let control = kernel.control(op).expect("a loop has a control");
        let Some(times) = control.marks.unroll.filter(|&times| times > 1) else { return Ok(None) };
        if !control.reductions.is_empty() {
            return Err("its sum has a fixed order, which takes iterations one by one");
        }
        let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide);
        let Some(step) = step.filter(|&step| step != 0) else {
            return Err("its step is not known before the program runs");
        };
        let last = kernel.ty(data.operands[0]).data_elem().and_then(|elem| Some(elem.integer_range()?.1));
        if last.is_none_or(|last| step.abs() * i128::from(times) > last) {
            return Err("so many iterations go beyond its index's type");
        }
        let n_ops = kernel.count_inside(op);
        if n_ops * usize::from(times) > MOST_COPIES {
            return Err("so many copies of its body are more code than any program needs");
        }
        Ok(Some(Plan { op, times, step }))
    }
}
