//! Loop fusion: loops that follow each other, over the same range, run as one if they share cells.
//!
//! ```text
//! let t = temp(n, type=f32)
//! for i in range(0, n):                   for i in range(0, n):
//!     t[i] = (a[i] * 2.0)                     let x = (a[i] * 2.0)
//! for j in range(0, n):                       out[i] = x
//!     out[j] = t[j]                           yield max(most, x)
//! let m = for k in range(0, n) with most:
//!     yield max(most, t[k])
//! ```
//!
//! Ops between two loops go in front of both if the second one needs them, or if it is checked there, and behind them
//! otherwise ([`between`]). Two nests are fused loop by loop, from the outside in. Whether that keeps what the kernel means is asked of
//! the dependence solver on a copy: of the fused loops none may carry a dependence from what was in the second to what was in the first, for
//! the iteration that comes later now came earlier before. It is done where a cell that one loop loads is loaded or stored by the other one
//! in the same iteration, and the loop [costs](crate::cost) no more than the two.
//!
//! Afterwards, new arrays whose elements live within one iteration become values ([`contract`]).

mod between;
mod contract;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::between::Between;
use super::trial::{Change, State, Trial, keep_better, share};
use crate::Context;
use crate::decision::{Decision, Said};
use crate::same::is_same;
use facts::dependence::{Dependence, Dependences, Kind, dependences_of};
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};

/// The limit on how often loops are fused, one pair after the other.
const MAX_ROUNDS: usize = 8;

/// The limit on the number of ops in a fused loop: more of them wait for registers.
const MOST_OPS: usize = 640;

/// The limit on the number of arrays that a fused loop goes through, each of which the machine has to follow.
const MOST_ARRAYS: usize = 12;

/// The limit on the number of loops behind a loop, in its block, that it is compared with: the cells that one further away shares have
/// left the cache.
const MOST_APART: usize = 32;

/// Fuses loops that share cells, where that costs no more; says whether it changed anything.
pub fn fuse_loops(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut fused = false;
    let mut refused = FxHashSet::default();
    for _ in 0..MAX_ROUNDS {
        let Some(effects) = has_siblings(kernel, &context.forest(kernel)).then(|| Effects::of(kernel)) else { break };
        let plans = plans(kernel, &refused, &effects, context);
        if plans.is_empty() {
            break;
        }
        let kept = round(kernel, &plans, context);
        for (plan, kept) in plans.iter().zip(&kept) {
            match kept {
                true => context.outcomes.runs_with(kernel, plan.second, plan.first),
                false => _ = refused.insert((plan.first, plan.second)),
            }
        }
        fused |= kept.contains(&true);
    }
    if fused {
        contract::contract(kernel, context);
    }
    fused
}

/// Fuses the loops of those plans that are good ones; gives which.
fn round(kernel: &mut Kernel, plans: &[Plan<'_>], context: &mut Context) -> Vec<bool> {
    let mut decisions: Vec<Option<Decision>> = vec![None; plans.len()];
    let mut possible = Vec::new();
    for (number, answer) in are_possible(kernel, plans, context).into_iter().enumerate() {
        match answer {
            Some(Ok(shared)) => possible.push(Possible { number, plan: &plans[number], shared }),
            Some(Err(left)) => decisions[number] = Some(left),
            None => {}
        }
    }
    let mut kept = vec![false; plans.len()];
    if !possible.is_empty() {
        // Trials ask about the kernel as it is, and so do the passes that follow.
        context.choice(kernel);
        let are_kept = keep_better(kernel, &possible, context, |trial, possible, _| {
            let (is_kept, decision) = possible.judge(trial);
            decisions[possible.number] = Some(decision);
            is_kept
        });
        possible.iter().zip(are_kept).for_each(|(possible, is_kept)| kept[possible.number] = is_kept);
    }
    decisions.into_iter().flatten().for_each(|decision| context.decide(decision));
    kept
}

/// For each plan, if it keeps what the kernel means, the view of an array that both loops go through, and else the decision to leave
/// the loops as they are; nothing where they share no cell.
fn are_possible(kernel: &Kernel, plans: &[Plan<'_>], context: &Context) -> Vec<Option<Result<Said, Decision>>> {
    let mut copy = kernel.clone();
    let made: Vec<Vec<Op>> = plans.iter().map(|plan| plan.apply(&mut copy)).collect();
    let shared = plans.iter().zip(&made).map(|(plan, fused)| fused.iter().find_map(|&op| plan.shared(&copy, op)));
    let shared: Vec<Option<Value>> = shared.collect();
    let asked: Vec<Op> = plans.iter().zip(&shared).filter(|(_, it)| it.is_some()).map(|(plan, _)| plan.first).collect();
    if asked.is_empty() {
        return vec![None; plans.len()];
    }
    let forest = Arc::new(LoopForest::of(&copy));
    let dependences = dependences_of(&copy, forest.clone(), &asked, &context.limits());
    let fused = Fused { kernel: &copy, forest: &forest, dependences: &dependences };
    let answers = plans.iter().zip(&made).zip(shared).map(|((plan, loops), shared)| {
        let shared = Said::value(&copy, copy.root(shared?));
        Some(match fused.obstacle(plan, loops) {
            Some(because) => Err(plan.left(kernel, &shared, because)),
            None => Ok(shared),
        })
    });
    answers.collect()
}

/// Two loops that may become one.
struct Plan<'e> {
    region: Region,
    first: Op,
    second: Op,
    /// The outermost loop around both, if there is one.
    nest: Option<Op>,
    /// The ops of the second loop.
    moved: FxHashSet<Op>,
    between: Between,
    /// The effects of all ops, as they were before any loops were fused.
    effects: &'e Effects,
}

impl Change for Plan<'_> {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let mut fused = Vec::new();
        fuse(kernel, self.effects, self.region, (self.first, self.second), &self.between, &mut fused);
        fused
    }
}

impl Plan<'_> {
    /// The decision to leave the two loops apart.
    fn left(&self, kernel: &Kernel, shared: &Said, because: Vec<Said>) -> Decision {
        let first = Said::Place(kernel.ops[self.first].origin);
        let whole =
            ["it does not run as one with".into(), first, ", which shares".into(), shared.clone(), ", because".into()];
        let origin = kernel.ops[self.second].origin;
        Decision::left(origin, ReasonCode::LoopsFused, whole.into_iter().chain(because).collect())
    }

    /// A view of which the second loop loads a cell in a block of a fused loop that the first one loads or stores there, too.
    fn shared(&self, kernel: &Kernel, fused: Op) -> Option<Value> {
        let (mut first, mut second): (Vec<Op>, Vec<Op>) = (Vec::new(), Vec::new());
        for &op in &kernel.regions[kernel.ops[fused].regions[0]].ops {
            match (self.moved.contains(&op), kernel.ops[op].code) {
                (false, Code::Load | Code::Store) => first.push(op),
                (true, Code::Load) => second.push(op),
                _ => {}
            }
        }
        let touch_one_cell = |first: Op, second: Op| {
            let (one, other) = (&kernel.ops[first].operands, &kernel.ops[second].operands);
            let n_operands = other.len();
            one.len() >= n_operands
                && kernel.root(one[0]) == kernel.root(other[0])
                && one[..n_operands].iter().zip(other).all(|(&one, &other)| is_same(kernel, one, other))
        };
        let found = second.iter().find(|&&second| first.iter().any(|&first| touch_one_cell(first, second)))?;
        Some(kernel.ops[*found].operands[0])
    }
}

/// A kernel in which loops are fused, for the question whether it means what it did before.
struct Fused<'k> {
    kernel: &'k Kernel,
    forest: &'k LoopForest,
    dependences: &'k Dependences,
}

impl Fused<'_> {
    /// The dependences that keep the loops of a plan apart, in words.
    fn obstacle(&self, plan: &Plan<'_>, fused: &[Op]) -> Option<Vec<Said>> {
        if !self.dependences.unseen.is_empty() {
            return Some(vec!["there are too many accesses to compare".into()]);
        }
        if let Some(dependence) = self.turned_round(plan, fused) {
            let witness = dependence.meeting.witness.as_ref();
            let index = |indices: &[i128]| indices.last().copied().unwrap_or_default();
            let array = Said::value(self.kernel, dependence.array);
            return Some(match witness {
                Some(witness) => vec![
                    "iteration".into(),
                    index(&witness.source).into(),
                    "of this loop would come before iteration".into(),
                    index(&witness.sink).into(),
                    "of the other one, and both touch one cell of".into(),
                    array,
                ],
                None => vec!["iterations of both may touch one cell of".into(), array],
            });
        }
        let dependence = self.waits_for_store(plan, fused)?;
        Some(vec![
            "iterations would load from".into(),
            Said::value(self.kernel, dependence.array),
            "what earlier ones have only just stored, and wait for it".into(),
        ])
    }

    /// A dependence, of an iteration of the second loop on a later one of the first, that fused loops turn round.
    fn turned_round(&self, plan: &Plan<'_>, fused: &[Op]) -> Option<&Dependence> {
        self.dependences.inside(plan.first).map(|(_, dependence)| dependence).find(|dependence| {
            let is_carried = dependence.carrier().is_some_and(|level| fused.contains(&level.op));
            is_carried && plan.moved.contains(&dependence.source) && !plan.moved.contains(&dependence.sink)
        })
    }

    /// A dependence by which the second loop's part of an iteration of the innermost loop loads what the first one's part of an earlier
    /// iteration has stored. A group of lanes then loads from several groups' stores, before these have come to the cache.
    fn waits_for_store(&self, plan: &Plan<'_>, fused: &[Op]) -> Option<&Dependence> {
        let is_innermost = |op: Op| !fused.iter().any(|&other| self.forest.encloses(op, other));
        self.dependences.inside(plan.first).map(|(_, dependence)| dependence).find(|dependence| {
            let is_carried =
                dependence.carrier().is_some_and(|level| fused.contains(&level.op) && is_innermost(level.op));
            let is_across = !plan.moved.contains(&dependence.source) && plan.moved.contains(&dependence.sink);
            is_carried && is_across && dependence.kind == Kind::Flow
        })
    }
}

/// A plan that keeps what the kernel means.
struct Possible<'p> {
    /// The plan's position among all.
    number: usize,
    plan: &'p Plan<'p>,
    /// An array that both loops go through.
    shared: Said,
}

impl Change for Possible<'_> {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.plan.apply(kernel)
    }
}

impl Possible<'_> {
    /// Says whether the fused loop costs no more than the two, and what is decided.
    fn judge(&self, trial: &Trial<'_>) -> (bool, Decision) {
        let (plan, before) = (self.plan, trial.before.kernel);
        let left = |because: Vec<Said>| (false, plan.left(before, &self.shared, because));
        let had_lanes = [plan.first, plan.second].map(|op| takes_lanes(&trial.before, op));
        let has_lanes = takes_lanes(&trial.after, plan.first);
        if had_lanes.contains(&true) && !has_lanes {
            return left(vec!["the lanes that one of them has would be lost".into()]);
        }
        let percent = match plan.nest {
            Some(nest) => trial.share(nest, &[nest]),
            None => {
                let apart = trial.before.cost(plan.first).saturating_add(trial.before.cost(plan.second));
                share(trial.after.cost(plan.first), apart)
            }
        };
        if percent > 100 {
            return left(vec!["that would cost".into(), percent.into(), "% of the two".into()]);
        }
        let first = Said::Place(before.ops[plan.first].origin);
        let because = vec!["it runs as one with".into(), first, ", since both go through".into(), self.shared.clone()];
        (true, Decision::taken(before.ops[plan.second].origin, ReasonCode::LoopsFused, because))
    }
}

/// Says whether a loop takes the lanes, or one inside of it.
fn takes_lanes(state: &State<'_>, op: Op) -> bool {
    let (loops, choice) = (state.loops(), state.choice());
    let is_vector = |taker: Op| loops.of(taker).is_some_and(|known| known.verdict.is_vector);
    let inside = loops.forest.loops_inside(op).iter();
    // The takers are in the order of the text.
    let takes = |taker: Op| {
        let of = |other: &Op| loops.forest.order(*other);
        choice.loops.binary_search_by_key(&of(&taker), of).is_ok()
    };
    [op].iter().chain(inside).any(|&taker| takes(taker) && is_vector(taker))
}

/// Says whether any block has several loops over ranges.
fn has_siblings(kernel: &Kernel, forest: &LoopForest) -> bool {
    let mut seen = FxHashSet::default();
    let mut loops = forest.loops().iter().filter(|&&op| kernel.ops[op].code == Code::For);
    loops.any(|&op| !seen.insert(forest.region_of(op)))
}

/// Finds pairs of loops that could be fused and were not tried. No two of them overlap or stand inside each other.
fn plans<'e>(
    kernel: &Kernel,
    refused: &FxHashSet<(Op, Op)>,
    effects: &'e Effects,
    context: &mut Context,
) -> Vec<Plan<'e>> {
    let mut plans = Vec::new();
    plans_in(kernel, kernel.body, refused, effects, &mut plans);
    if !plans.is_empty() {
        let forest = context.forest(kernel);
        for plan in &mut plans {
            plan.nest = forest.around(plan.first).take_while(|&op| kernel.ops[op].code == Code::For).last();
        }
    }
    plans
}

fn plans_in<'e>(
    kernel: &Kernel,
    region: Region,
    refused: &FxHashSet<(Op, Op)>,
    effects: &'e Effects,
    plans: &mut Vec<Plan<'e>>,
) {
    // The positions of the loops in the block; what else has blocks is only looked into.
    let control = kernel.regions[region].ops.iter().copied().filter(|&op| !kernel.ops[op].regions.is_empty());
    let control: Vec<Op> = control.collect();
    let is_loop = |op: &Op| kernel.for_loop(*op).is_some();
    let mut at = 0;
    while let Some(&first) = control.get(at) {
        at += 1;
        let plan_with = |(behind, &second): (usize, &Op)| {
            let fits = !refused.contains(&(first, second))
                && are_alike(kernel, first, second)
                && share_arrays(effects, first, second);
            let between = fits.then(|| Between::of(kernel, effects, region, (first, second)))??;
            Some((at + behind + 1, second, between))
        };
        let behind = control[at..].iter().enumerate().filter(|(_, op)| is_loop(op)).take(MOST_APART);
        let found = if is_loop(&first) { behind.into_iter().find_map(plan_with) } else { None };
        if let Some((next, second, between)) = found {
            let mut moved = FxHashSet::default();
            kernel.walk_inside(second, &mut |op| _ = moved.insert(op));
            plans.push(Plan { region, first, second, nest: None, moved, between, effects });
            at = next;
            continue;
        }
        kernel.ops[first].regions.iter().for_each(|&inner| plans_in(kernel, inner, refused, effects, plans));
    }
}

/// Says whether two ops are loops over the same range, with the same marks.
fn are_alike(kernel: &Kernel, first: Op, second: Op) -> bool {
    let (Some(one), Some(other)) = (kernel.for_loop(first), kernel.for_loop(second)) else { return false };
    let index = |op: Op| kernel.ty(kernel.regions[kernel.ops[op].regions[0]].args[0]);
    let bounds = |op: Op| kernel.ops[op].operands[..3].iter().copied();
    one.marks == other.marks
        && one.width == other.width
        && index(first) == index(second)
        && bounds(first).zip(bounds(second)).all(|(one, other)| is_same(kernel, one, other))
}

/// Says whether an array that a loop reads is one that another loop reads or writes, as far as one loop can do for both.
fn share_arrays(effects: &Effects, first: Op, second: Op) -> bool {
    let (one, other) = (effects.touched_inside(first), effects.touched_inside(second));
    let shared = other.iter().filter(|(array, _)| one.iter().any(|(known, _)| known == array)).count();
    shared > 0 && one.len() + other.len() - shared <= MOST_ARRAYS
}

/// Puts the body of a loop behind that of another one, and the loops inside of it into those there that go over the same ranges; notes the
/// loops that are fused.
fn fuse(
    kernel: &mut Kernel,
    effects: &Effects,
    home: Region,
    (first, second): (Op, Op),
    between: &Between,
    fused: &mut Vec<Op>,
) {
    if kernel.count_inside(first) + kernel.count_inside(second) > MOST_OPS {
        return;
    }
    fused.push(first);
    between.put_in_front(kernel, home, (first, second));
    let [into, from] = [first, second].map(|op| kernel.ops[op].regions[0]);
    let [own, mut others] = [into, from].map(|region| {
        let loops = kernel.regions[region].ops.iter().copied().filter(|&op| kernel.for_loop(op).is_some());
        loops.collect::<Vec<Op>>()
    });
    count_with(kernel, second, kernel.regions[into].args[0]);
    let moved = std::mem::take(&mut kernel.regions[from].ops);
    kernel.regions[into].ops.extend(moved);
    carry_both(kernel, first, second);
    // Both bodies are one now, and so may be the loops inside.
    for inner in own {
        let found = others.iter().enumerate().find_map(|(at, &other)| {
            let between = || Between::of(kernel, effects, into, (inner, other));
            Some((at, are_alike(kernel, inner, other).then(between)??))
        });
        if let Some((at, between)) = found {
            let pair = (inner, others.remove(at));
            fuse(kernel, effects, into, pair, &between, fused);
        }
    }
}

/// Makes the body of a loop count with the index of another one.
fn count_with(kernel: &mut Kernel, op: Op, index: Value) {
    let body = kernel.ops[op].regions[0];
    let own = kernel.regions[body].args[0];
    let (mut ops, mut regions) = (Vec::new(), vec![body]);
    kernel.walk_inside(op, &mut |inner| {
        ops.push(inner);
        regions.extend(&kernel.ops[inner].regions);
    });
    let is_own = |value: &&mut Value| **value == own;
    for op in ops {
        kernel.ops[op].operands.iter_mut().filter(is_own).for_each(|value| *value = index);
    }
    for region in regions {
        kernel.regions[region].yields.iter_mut().filter(is_own).for_each(|value| *value = index);
    }
}

/// Makes a loop carry and join what another one does, too, whose body it has already. What is joined in the fixed order comes last.
fn carry_both(kernel: &mut Kernel, first: Op, second: Op) {
    let parts = [first, second].map(|op| {
        let data = kernel.ops[op].clone();
        let body = kernel.regions[data.regions[0]].clone();
        let n_carried = body.args.len() - 1;
        (data, body, n_carried)
    });
    let (into, mut data) = (parts[0].0.regions[0], parts[0].0.clone());
    data.operands.truncate(3);
    data.results.clear();
    let (mut args, mut yields) = (kernel.regions[into].args.clone(), kernel.regions[into].yields.clone());
    args.truncate(1);
    yields.clear();
    let mut reductions = Vec::new();
    for is_joined in [false, true] {
        for (own, body, n_carried) in &parts {
            let numbers = if is_joined { *n_carried..own.results.len() } else { 0..*n_carried };
            for number in numbers {
                data.operands.push(own.operands[3 + number]);
                data.results.push(own.results[number]);
                yields.push(body.yields[number]);
                if !is_joined {
                    args.push(body.args[1 + number]);
                }
            }
            if is_joined {
                reductions.extend(own.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default());
            }
        }
    }
    if let Attr::Control(control) = &mut data.attr {
        control.reductions = reductions;
    }
    args.iter().enumerate().for_each(|(at, &arg)| kernel.values[arg].def = Def::Arg(into, at as u32));
    data.results.iter().enumerate().for_each(|(at, &result)| kernel.values[result].def = Def::Result(first, at as u32));
    (kernel.regions[into].args, kernel.regions[into].yields) = (args, yields);
    kernel.ops[first] = data;
}

#[cfg(test)]
mod tests;
