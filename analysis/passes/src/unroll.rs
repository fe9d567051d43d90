//! Unroll: an inner loop of few iterations, inside of a loop that takes the lanes, is unrolled completely.
//!
//! ```text
//! for i in range(n):                          for i in range(n):
//!     for c in range(3):                          q[3 * i] = p[3 * i] >> 1
//!         q[3 * i + c] = p[3 * i + c] >> 1        q[3 * i + 1] = p[3 * i + 1] >> 1
//!                                                 q[3 * i + 2] = p[3 * i + 2] >> 1
//! ```
//!
//! The cells of one iteration lie apart from lane to lane; those of all iterations together may be neighbours, which
//! `memory` only sees in straight-line code. A short loop that would take the lanes itself leaves them to one around
//! it, where that [costs](crate::cost) less. `@unroll(n)` above the inner loop asks for up to `n` iterations to be
//! unrolled; `@unroll(1)` keeps the loop. Of a loop with more iterations, or one in order, some are unrolled by
//! [`partial_unroll`](crate::partial_unroll).

use super::trial::{Change, Trial, keep_better};
use super::{Context, Replacements};
use crate::decision::Decision;
use ir::codes::ReasonCode;
use ir::copy;
use ir::copy::Copied;
use ir::entities::{EntityVec, Op, Region};
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;
use ir::target::Costs;

/// The most rounds of a loop that are written out, whoever asks for it.
const MOST_ROUNDS: i128 = 64;

/// Writes loops of few rounds out; says whether there are any.
pub fn unroll(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let made_way = make_way(kernel, context);
    write_out_inside_of_lanes(kernel, context) || made_way
}

/// Unrolls loops that would take the lanes of a nest, where it costs less if a loop around them does: few iterations
/// fill few lanes. A loop that is marked to have lanes keeps them.
fn make_way(kernel: &mut Kernel, context: &mut Context) -> bool {
    let (loops, choice) = (context.loops(kernel), context.choice(kernel));
    let is_marked = |op| kernel.control(op).is_some_and(|it| it.marks.simd || it.marks.lanes.is_some());
    let takers = choice.candidates.iter().filter(|it| it.op != it.nest && choice.takes(it.op) && !is_marked(it.op));
    let costs = &context.options.target.costs;
    let short = takers.filter_map(|it| {
        let rounds = rounds(kernel, it.op, costs)?;
        Some(Short { op: it.op, nest: it.nest, region: loops.forest.region_of(it.op), rounds })
    });
    let short: Vec<Short> = short.collect();
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &short, context, |trial, short, _| {
        let decision = short.judge(trial);
        let is_kept = decision.is_some();
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// A loop of few rounds that would take the lanes of its nest.
struct Short {
    op: Op,
    nest: Op,
    region: Region,
    rounds: Vec<Scalar>,
}

impl Change for Short {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        write_out(kernel, self.region, self.op, &self.rounds);
        Vec::new()
    }
}

impl Short {
    /// The decision to write the loop out, if the nest costs less then.
    fn judge(&self, trial: &Trial<'_>) -> Option<Decision> {
        let (loops, nest) = (trial.after.loops(), self.nest);
        let has_lanes = |op: Op| loops.of(op).is_some_and(|known| known.verdict.is_vector);
        let is_taken = |&taker: &Op| (taker == nest || loops.forest.encloses(nest, taker)) && has_lanes(taker);
        let any = trial.after.choice().loops.iter().any(is_taken);
        let percent = any.then(|| trial.share(nest, &[nest])).filter(|percent| *percent < 100)?;
        let because = ["with this loop unrolled, lanes along a loop around it cost".into(), percent.into()];
        let because = because.into_iter().chain(["% of what they cost otherwise".into()]).collect();
        let origin = trial.before.kernel.ops[self.op].origin;
        Some(Decision::taken(origin, ReasonCode::RoundsWrittenOut, because))
    }
}

/// Unrolls the short loops inside of loops that take the lanes.
fn write_out_inside_of_lanes(kernel: &mut Kernel, context: &mut Context) -> bool {
    let (loops, choice) = (context.loops(kernel), context.choice(kernel));
    let takes_lanes =
        |op: &Op| kernel.ops[*op].code == Code::Foreach || loops.of(*op).is_some_and(|known| known.verdict.is_vector);
    let mut inside = Vec::new();
    for &taker in choice.loops.iter().filter(|op| takes_lanes(op)) {
        let own = loops.forest.loops_inside(taker).iter().filter(|&&op| kernel.ops[op].code == Code::For);
        inside.extend(own.map(|&op| (loops.forest.region_of(op), op)));
    }
    let mut changed = false;
    // Inner loops are unrolled first, so that the size of the outer one is known.
    for (home, op) in inside.into_iter().rev() {
        changed |= write_out_if_short(kernel, context, home, op);
    }
    changed
}

/// Writes a loop of few rounds out; says whether it is one.
pub(super) fn write_out_if_short(kernel: &mut Kernel, context: &mut Context, home: Region, op: Op) -> bool {
    let Some(rounds) = rounds(kernel, op, &context.options.target.costs) else { return false };
    let because = vec!["iterations that stand one after the other now:".into(), (rounds.len() as i128).into()];
    context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::RoundsWrittenOut, because));
    write_out(kernel, home, op, &rounds);
    true
}

/// The index in each round of a loop that is to be written out.
fn rounds(kernel: &Kernel, op: Op, costs: &Costs) -> Option<Vec<Scalar>> {
    let control = kernel.control(op).filter(|control| control.reductions.is_empty())?;
    let n_ops = kernel.count_inside(op);
    let is_asked_for = control.marks.unroll.is_some();
    let most = control.marks.unroll.unwrap_or(costs.unrolled_iterations);
    let rounds = known_rounds(kernel, op).filter(|rounds| !rounds.is_empty() && rounds.len() <= usize::from(most))?;
    let is_short = is_asked_for || rounds.len() * n_ops <= usize::from(costs.unrolled_ops);
    (is_short && most > 1).then_some(rounds)
}

/// The index in each iteration of a loop over a range that is known, and short.
pub(super) fn known_rounds(kernel: &Kernel, op: Op) -> Option<Vec<Scalar>> {
    let data = &kernel.ops[op];
    let [lo, hi, step] = [0, 1, 2].map(|bound| kernel.as_const(data.operands[bound]));
    let (lo, hi, step) = (lo?, hi?.wide()?, step?.wide()?);
    let (first, elem) = (lo.wide()?, lo.elem());
    let n_rounds = if step > 0 { hi - first + step - 1 } else { hi - first + step + 1 }.checked_div(step)?.max(0);
    let is_short = n_rounds <= MOST_ROUNDS;
    is_short.then(|| (0..n_rounds).map(|round| Scalar::wrap(elem, first + round * step)).collect())
}

/// Puts the rounds in the place of the loop.
pub(super) fn write_out(kernel: &mut Kernel, home: Region, op: Op, rounds: &[Scalar]) {
    let data = kernel.ops[op].clone();
    let body = kernel.regions[data.regions[0]].clone();
    let mut handed_on = data.operands[3..].to_vec();
    let mut made = Vec::new();
    for &index in rounds {
        let mut copied = Copied::default();
        copied.insert(body.args[0], kernel.constant(index));
        copied.extend(body.args[1..].iter().copied().zip(handed_on.iter().copied()));
        made.extend(body.ops.iter().map(|&inner| copy::op(kernel, inner, &mut copied)));
        let next = body.yields.iter().map(|value| copied.get(value).copied().unwrap_or(*value));
        handed_on = next.collect();
    }
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
    ops.splice(place..=place, made);
    if data.results.is_empty() {
        return;
    }
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    for (&result, by) in data.results.iter().zip(handed_on) {
        new[result] = Some(by);
    }
    kernel.replace_uses(&new);
}
