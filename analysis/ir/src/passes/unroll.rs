//! Unroll: an inner loop of few rounds, inside of a loop that takes the lanes, stands there round by round.
//!
//! ```text
//! for i in range(n):                          for i in range(n):
//!     for c in range(3):                          q[3 * i] = p[3 * i] >> 1
//!         q[3 * i + c] = p[3 * i + c] >> 1        q[3 * i + 1] = p[3 * i + 1] >> 1
//!                                                 q[3 * i + 2] = p[3 * i + 2] >> 1
//! ```
//!
//! What each round touches lies apart from lane to lane; what all of them touch together may be neighbours, which `memory`
//! only sees where they stand beside each other. A short loop that would take the lanes itself leaves them to one around it,
//! where that is less [work](crate::work). `@unroll(n)` above the inner loop is the programmer's word for it up to `n`
//! rounds; `@unroll(1)` keeps the loop.

use super::choice::{Choice, is_around, look, share, work};
use super::copy::{self, Copied};
use super::vector::homes;
use super::{Context, Replacements};
use crate::codes::ReasonCode;
use crate::decision::Decision;
use crate::entities::{EntityVec, Op, Region};
use crate::facts::loops::Loops;
use crate::ops::Code;
use crate::program::Kernel;
use crate::scalar::Scalar;
use crate::target;
use crate::work::Counter;

/// A loop of more rounds stays one, if nobody asks for anything else.
const MOST_ROUNDS: i128 = 8;

/// So does one that would become more ops than this.
const MOST_OPS: i128 = 96;

/// Writes loops of few rounds out; says whether there are any.
pub fn unroll(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let (loops, choice) = (context.loops(kernel), context.choice(kernel));
    let made_way = make_way(kernel, (&loops, &choice), context);
    let (loops, choice) = if made_way { look(kernel, &context.limits) } else { (loops, choice) };
    write_out_inside_of_lanes(kernel, (&loops, &choice), context) || made_way
}

/// Writes out loops that would take the lanes of a nest, if it is less work that one around them does; few rounds fill few
/// lanes. A loop that is marked to have lanes keeps them.
fn make_way(kernel: &mut Kernel, (loops, choice): (&Loops, &Choice), context: &mut Context) -> bool {
    let is_marked = |op| kernel.control(op).is_some_and(|it| it.marks.simd || it.marks.lanes.is_some());
    let takers = choice.candidates.iter().filter(|it| it.op != it.nest && choice.takes(it.op) && !is_marked(it.op));
    let short: Vec<(Op, Op, Vec<Scalar>)> =
        takers.filter_map(|it| Some((it.op, it.nest, rounds(kernel, it.op)?))).collect();
    if short.is_empty() {
        return false;
    }
    let homes = homes(kernel, &short.iter().map(|(op, ..)| *op).collect::<Vec<_>>());
    let mut trial = kernel.clone();
    short.iter().for_each(|(op, _, rounds)| write_out(&mut trial, homes[op], *op, rounds));
    let (trial_loops, trial_choice) = look(&trial, &context.limits);
    let (before, after) = (Counter::new(kernel, target::reference()), Counter::new(&trial, target::reference()));
    let has_lanes = |op: Op| trial_loops.of(op).is_some_and(|known| known.verdict.is_vector);
    let percent = |&(_, nest, _): &(Op, Op, Vec<Scalar>)| {
        let is_taken = |&taker: &Op| (taker == nest || is_around(&trial, nest, taker)) && has_lanes(taker);
        trial_choice.loops.iter().any(is_taken).then(|| {
            let whole = work(kernel, loops, choice, &before, nest);
            share(work(&trial, &trial_loops, &trial_choice, &after, nest), whole)
        })
    };
    let shares: Vec<Option<i128>> = short.iter().map(percent).collect();
    let mut changed = false;
    for ((op, _, rounds), percent) in short.into_iter().zip(shares) {
        let Some(percent) = percent.filter(|percent| *percent < 100) else { continue };
        let because =
            vec!["lanes along a loop around it, with its rounds beside each other, are".into(), percent.into()];
        let because = because.into_iter().chain(["% of the work".into()]).collect();
        context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::RoundsWrittenOut, because));
        write_out(kernel, homes[&op], op, &rounds);
        changed = true;
    }
    changed
}

/// Writes out what is inside of loops that take lanes.
fn write_out_inside_of_lanes(kernel: &mut Kernel, (loops, choice): (&Loops, &Choice), context: &mut Context) -> bool {
    let takes_lanes =
        |op: &Op| kernel.ops[*op].code == Code::Foreach || loops.of(*op).is_some_and(|known| known.verdict.is_vector);
    let mut inside = Vec::new();
    for &taker in choice.loops.iter().filter(|op| takes_lanes(op)) {
        for &region in &kernel.ops[taker].regions {
            kernel
                .walk(region, &mut |home, op| inside.extend((kernel.ops[op].code == Code::For).then_some((home, op))));
        }
    }
    let mut changed = false;
    // What is inside of another one is written out first, so that the outer one knows how much it would become.
    for (home, op) in inside.into_iter().rev() {
        let Some(rounds) = rounds(kernel, op) else { continue };
        let because = vec!["rounds that stand beside each other now:".into(), (rounds.len() as i128).into()];
        context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::RoundsWrittenOut, because));
        write_out(kernel, home, op, &rounds);
        changed = true;
    }
    changed
}

/// The index in each round of a loop that is to be written out.
fn rounds(kernel: &Kernel, op: Op) -> Option<Vec<Scalar>> {
    let data = &kernel.ops[op];
    let control = data.attr.as_control().filter(|control| control.reductions.is_empty())?;
    let [lo, hi, step] = [0, 1, 2].map(|bound| kernel.as_const(data.operands[bound]));
    let (lo, hi, step) = (lo?, hi?.wide()?, step?.wide()?);
    let (first, elem) = (lo.wide()?, lo.elem());
    let n_rounds = if step > 0 { hi - first + step - 1 } else { hi - first + step + 1 }.checked_div(step)?.max(0);
    let mut n_ops = 0;
    kernel.walk_inside(op, &mut |_| n_ops += 1);
    let is_asked_for = control.marks.unroll.is_some();
    let most = control.marks.unroll.map_or(MOST_ROUNDS, i128::from);
    let is_short = n_rounds <= most && (is_asked_for || n_rounds * n_ops <= MOST_OPS);
    (is_short && n_rounds > 0 && most > 1)
        .then(|| (0..n_rounds).map(|round| Scalar::wrap(elem, first + round * step)).collect())
}

/// Puts the rounds in the place of the loop.
fn write_out(kernel: &mut Kernel, home: Region, op: Op, rounds: &[Scalar]) {
    let data = kernel.ops[op].clone();
    let body = kernel.regions[data.regions[0]].clone();
    let mut handed_on = data.operands[3..].to_vec();
    let mut made = Vec::new();
    for &index in rounds {
        let mut copied = Copied::new();
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
