//! Turns: a loop that hands something on in a way that lanes cannot share gets lanes for all the rest of its work.
//!
//! ```text
//! for i in range(n):                             for each group of lanes:
//!     s = s + exp(a[i]) / (1.0 + a[i])               terms = exp(a) / (1.0 + a)      in lanes
//!                                                    s = s + terms[0]                lane after lane
//!                                                    s = s + terms[1]
//!                                                    …
//! ```
//!
//! The chain of what is handed on keeps the order of the program, so a strict sum of floats, a filter or a table of states has the
//! same bits as before. That pays where the rest is more than the chain: the time in which one iteration waits for the one
//! before stays what it is. The loop is marked `@in_turn`, and the verdict about its lanes goes by that.

use rustc_hash::FxHashMap;

use super::Context;
use super::trial::{Change, Trial, keep_better, share};
use crate::cost::{self, Counter};
use crate::decision::{Decision, Said};
use facts::loops::{Carried, Loop, Turns};
use ir::codes::ReasonCode;
use ir::entities::Op;
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Kernel};

/// Marks loops whose lanes take turns with what is handed on; says whether there are any.
pub fn in_turn(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let forest = &found.forest;
    let costs = &context.options.target.costs;
    let counter = Counter::new(kernel, &found, context.by_depth(kernel), context.options.target);
    let has_lanes = |op: Op| choice.takes(op) && found.of(op).is_some_and(|known| known.verdict.is_vector);
    let is_open = |known: &&Loop| {
        !known.verdict.is_vector
            && forest.loops_inside(known.op).is_empty()
            && kernel.ops[known.op].code == Code::For
            && !forest.around(known.op).any(has_lanes)
            && only_carries(known)
    };
    let plans = found.list.iter().filter(is_open).filter_map(|known| {
        let pending = |(number, value): (usize, &Carried)| value.form.is_none().then_some(number);
        let turns = Turns::of(kernel, known.op, known.carried.iter().enumerate().filter_map(pending).collect())?;
        let waiting = cost::latency(kernel, &turns, costs).saturating_mul(cost::trips(kernel, known.op));
        let plan = Plan { op: known.op, nest: outermost(forest, known.op), waiting };
        let in_order = counter.in_order(known.op, &FxHashMap::default());
        (share(waiting, in_order.max(waiting)) <= costs.split_share.into()).then_some(plan)
    });
    let plans: Vec<Plan> = plans.collect();
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &plans, context, |trial, plan, _| {
        let decision = plan.judge(trial);
        let is_kept = decision.as_ref().is_some_and(|decision| decision.taken);
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// Says whether nothing but what a loop hands on keeps its iterations in order.
fn only_carries(known: &Loop) -> bool {
    let mut blocking = known.verdict.reasons.iter().filter(|reason| reason.blocks).peekable();
    blocking.peek().is_some() && blocking.all(|reason| reason.dependence.is_none())
}

/// The outermost loop around one, or that itself.
fn outermost(forest: &LoopForest, op: Op) -> Op {
    forest.around(op).last().unwrap_or(op)
}

/// A loop whose lanes may take turns.
struct Plan {
    op: Op,
    nest: Op,
    /// The time that the iterations wait for each other.
    waiting: u64,
}

impl Change for Plan {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        if let Attr::Control(control) = &mut kernel.ops[self.op].attr {
            control.marks.in_turn = true;
        }
        vec![self.op]
    }
}

impl Plan {
    /// The decision about the loop: nothing is said of one that lanes would not gain anything for.
    fn judge(&self, trial: &Trial<'_>) -> Option<Decision> {
        let kernel = trial.before.kernel;
        let in_order = trial.before.in_order(self.op).max(self.waiting);
        let percent = share(trial.after.in_lanes(self.op)?, in_order);
        let pays = percent <= trial.costs().split_share.into();
        let is_taken = trial.after.choice().takes(self.op) && trial.share(self.nest, &[self.nest]) < 100;
        let said = |words: &'static str| -> Vec<Said> {
            vec![words.into(), percent.into(), "% of the loop in order".into()]
        };
        let origin = kernel.ops[self.op].origin;
        match pays && is_taken {
            true => Some(Decision::taken(
                origin,
                ReasonCode::CarriedInTurn,
                said("what it hands on is computed lane after lane, in order, and all else by lanes together: it costs"),
            )),
            false if percent < 100 => Some(Decision::left(
                origin,
                ReasonCode::CarriedInTurn,
                said(
                    "the rest of its work is not done in lanes beside what it hands on, which an iteration waits for: it would cost",
                ),
            )),
            false => None,
        }
    }
}
