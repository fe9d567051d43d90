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
//! before stays what it is. What goes from one iteration to the next through a cell is carried as a value first (`handed_on`). The loop is
//! marked `@in_turn`, and the verdict about its lanes goes by that.

use rustc_hash::FxHashMap;

use super::Context;
use super::trial::{Change, Trial, keep_better, share};
use crate::cost::{self, Counter};
use crate::decision::{Decision, Said};
use crate::handed_on::{Cell, InOrderBy, open_loops};
use facts::loops::{Carried, Loop, Slicer, Turns};
use ir::codes::ReasonCode;
use ir::entities::{Op, Region};
use ir::program::{Attr, Kernel};
use ir::target::Costs;

/// Marks loops whose lanes take turns with what is handed on; says whether there are any.
pub fn in_turn(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let plans = plans(kernel, context);
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &plans, context, |trial, plan, _| {
        let decision = plan.judge(trial);
        let is_kept = decision.as_ref().is_some_and(|decision| decision.taken);
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    let carried = plans.iter().zip(&kept).filter(|(_, kept)| **kept).filter_map(|(plan, _)| plan.cell);
    carried.for_each(|cell| context.outcomes.was_dropped(kernel, cell.load));
    kept.contains(&true)
}

/// The innermost loops that nothing but what they hand on keeps in order.
fn plans(kernel: &Kernel, context: &mut Context) -> Vec<Plan> {
    let (found, choice, uses) = (context.loops(kernel), context.choice(kernel), context.uses(kernel));
    let forest = &found.forest;
    let counter = Counter::new(kernel, &found, context.by_depth(kernel), context.options.target);
    let plans = open_loops(kernel, &found, &choice).filter_map(|known| {
        let plan = |cell| Plan {
            op: known.op,
            nest: forest.around(known.op).last().unwrap_or(known.op),
            home: forest.region_of(known.op),
            cell,
        };
        match InOrderBy::of(kernel, &found, known, counter.facts_of(known.op)) {
            InOrderBy::Cell(cell) => Some(plan(Some(cell))),
            InOrderBy::Values => {
                let slicer = Slicer::new(kernel, forest, &uses, known.op);
                may_pay(kernel, &slicer, &counter, known, &context.options.target.costs).then(|| plan(None))
            }
            InOrderBy::More => None,
        }
    });
    plans.collect()
}

/// Says whether lanes can gain anything, by the time that iterations wait for each other.
fn may_pay(kernel: &Kernel, slicer: &Slicer<'_>, counter: &Counter<'_>, known: &Loop, costs: &Costs) -> bool {
    let pending = |(number, value): (usize, &Carried)| value.form.is_none().then_some(number);
    let pending = known.carried.iter().enumerate().filter_map(pending).collect();
    let Some(turns) = Turns::of(slicer, pending) else { return false };
    let waiting = cost::latency(kernel, &turns, costs).saturating_mul(cost::trips(kernel, known.op));
    let in_order = counter.in_order(known.op, &FxHashMap::default());
    share(waiting, in_order.max(waiting)) <= costs.turns_share.into()
}

/// A loop whose lanes may take turns.
struct Plan {
    op: Op,
    nest: Op,
    /// The block that the loop stands in.
    home: Region,
    /// The cell by which it hands something on.
    cell: Option<Cell>,
}

impl Change for Plan {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        if let Some(cell) = self.cell {
            cell.apply(kernel, self.op, self.home);
        }
        if let Attr::Control(control) = &mut kernel.ops[self.op].attr {
            control.marks.in_turn = true;
        }
        vec![self.op]
    }
}

impl Plan {
    /// The decision about the loop: nothing is said of one that lanes would not gain anything for.
    fn judge(&self, trial: &Trial<'_>) -> Option<Decision> {
        let (before, after) = (&trial.before, &trial.after);
        let turns = after.loops().of(self.op)?.turns.as_ref()?;
        let waiting = cost::latency(after.kernel, turns, trial.costs());
        let waiting = waiting.saturating_mul(cost::trips(before.kernel, self.op));
        let percent = share(after.in_lanes(self.op)?, before.in_order(self.op).max(waiting));
        let pays = percent <= trial.costs().turns_share.into();
        let is_taken = after.choice().takes(self.op) && trial.share(self.nest, &[self.nest]) < 100;
        let said =
            |words: &'static str| -> Vec<Said> { vec![words.into(), percent.into(), "% of the loop in order".into()] };
        let origin = before.kernel.ops[self.op].origin;
        match pays && is_taken {
            true => Some(Decision::taken(
                origin,
                ReasonCode::CarriedInTurn,
                said(
                    "what it hands on is computed lane after lane, in order, and all else by lanes together: it costs",
                ),
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
