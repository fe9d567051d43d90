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
//! What stands between two loops goes in front of both if the second one needs it, or if it is checked there, and behind them
//! otherwise ([`between`]). Two nests are fused loop by loop, from the outside in. Whether that keeps what the kernel means is asked of
//! the dependence solver on a copy: of the fused loops none may carry a dependence from what was in the second to what was in the first, for
//! the iteration that comes later now came earlier before. It is done where a cell that one loop loads is loaded or stored by the other one
//! in the same iteration, and the loop [costs](crate::cost) no more than the two.
//!
//! Afterwards, new arrays whose elements live within one iteration become values ([`contract`]).

mod between;
mod contract;

use rustc_hash::FxHashSet;

use self::between::Between;
use super::trial::{Change, State, Trial, keep_better, share};
use crate::Context;
use crate::decision::{Decision, Said};
use crate::same::is_same;
use facts::dependence::{Dependence, Kind};
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel};

/// The limit on how often loops are fused, one pair after the other.
const MAX_ROUNDS: usize = 8;

/// The limit on the number of ops in a fused loop: more of them wait for registers.
const MOST_OPS: usize = 640;

/// The limit on the number of arrays that a fused loop goes through, each of which the machine has to follow.
const MOST_ARRAYS: usize = 12;

/// Fuses loops that share cells, where that costs no more; says whether it changed anything.
pub fn fuse_loops(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut fused = false;
    let mut refused = FxHashSet::default();
    for _ in 0..MAX_ROUNDS {
        let plans = plans(kernel, &refused, context);
        if plans.is_empty() {
            break;
        }
        // Trials ask about the kernel as it is, and so do the passes that follow.
        context.choice(kernel);
        let mut decisions = Vec::new();
        let kept = keep_better(kernel, &plans, context, |trial, plan, made| match plan.judge(trial, made) {
            Judged::Kept(decision) => {
                decisions.push(decision);
                true
            }
            Judged::Left(decision) => {
                decisions.push(decision);
                false
            }
            Judged::Useless => false,
        });
        decisions.into_iter().for_each(|decision| context.decide(decision));
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

/// Two loops that may become one.
struct Plan {
    region: Region,
    first: Op,
    second: Op,
    /// The outermost loop around both, if there is one.
    nest: Option<Op>,
    /// The ops of the second loop.
    moved: FxHashSet<Op>,
}

/// What comes of a plan.
enum Judged {
    Kept(Decision),
    Left(Decision),
    /// The loops share nothing.
    Useless,
}

impl Change for Plan {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let mut fused = Vec::new();
        if let Some(between) = Between::of(kernel, self.region, (self.first, self.second)) {
            fuse(kernel, self.region, (self.first, self.second), &between, &mut fused);
        }
        fused
    }
}

impl Plan {
    fn judge(&self, trial: &Trial<'_>, fused: &[Op]) -> Judged {
        let kernel = trial.after.kernel;
        let Some(shared) = fused.iter().find_map(|&op| self.shared(kernel, op)) else { return Judged::Useless };
        let before = trial.before.kernel;
        let origin = before.ops[self.second].origin;
        let first = Said::Place(before.ops[self.first].origin);
        let shared = Said::value(kernel, kernel.root(shared));
        let left = |because: Vec<Said>| {
            let whole = [
                "it does not run as one with".into(),
                first.clone(),
                ", which shares".into(),
                shared.clone(),
                ", because".into(),
            ];
            Judged::Left(Decision::left(origin, ReasonCode::LoopsFused, whole.into_iter().chain(because).collect()))
        };
        let dependences = &trial.after.loops().dependences;
        if !dependences.unseen.is_empty() {
            return left(vec!["there are too many accesses to compare".into()]);
        }
        if let Some(dependence) = self.turned_round(trial, fused) {
            let witness = dependence.meeting.witness.as_ref();
            let index = |indices: &[i128]| indices.last().copied().unwrap_or_default();
            return left(match witness {
                Some(witness) => vec![
                    "iteration".into(),
                    index(&witness.source).into(),
                    "of this loop would come before iteration".into(),
                    index(&witness.sink).into(),
                    "of the other one, and both touch one cell of".into(),
                    Said::value(kernel, dependence.array),
                ],
                None => vec!["iterations of both may touch one cell of".into(), Said::value(kernel, dependence.array)],
            });
        }
        if let Some(dependence) = self.waits_for_store(trial, fused) {
            return left(vec![
                "iterations would load from".into(),
                Said::value(kernel, dependence.array),
                "what earlier ones have only just stored, and wait for it".into(),
            ]);
        }
        let had_lanes = [self.first, self.second].map(|op| takes_lanes(&trial.before, op));
        let has_lanes = takes_lanes(&trial.after, self.first);
        if had_lanes.contains(&true) && !has_lanes {
            return left(vec!["the lanes that one of them has would be lost".into()]);
        }
        let percent = match self.nest {
            Some(nest) => trial.share(nest, &[nest]),
            None => {
                let apart = trial.before.cost(self.first).saturating_add(trial.before.cost(self.second));
                share(trial.after.cost(self.first), apart)
            }
        };
        if percent > 100 {
            return left(vec!["that would cost".into(), percent.into(), "% of the two".into()]);
        }
        let because = vec!["it runs as one with".into(), first, ", since both go through".into(), shared];
        Judged::Kept(Decision::taken(origin, ReasonCode::LoopsFused, because))
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

    /// A dependence, of an iteration of the second loop on a later one of the first, that fused loops turn round.
    fn turned_round<'t>(&self, trial: &'t Trial<'_>, fused: &[Op]) -> Option<&'t Dependence> {
        let dependences = &trial.after.loops().dependences;
        dependences.inside(self.first).map(|(_, dependence)| dependence).find(|dependence| {
            let is_carried = dependence.carrier().is_some_and(|level| fused.contains(&level.op));
            is_carried && self.moved.contains(&dependence.source) && !self.moved.contains(&dependence.sink)
        })
    }

    /// A dependence by which the second loop's part of an iteration of the innermost loop loads what the first one's part of an earlier
    /// iteration has stored. A group of lanes then loads from several groups' stores, before these have come to the cache.
    fn waits_for_store<'t>(&self, trial: &'t Trial<'_>, fused: &[Op]) -> Option<&'t Dependence> {
        let loops = trial.after.loops();
        let is_innermost = |op: Op| !fused.iter().any(|&other| loops.forest.encloses(op, other));
        loops.dependences.inside(self.first).map(|(_, dependence)| dependence).find(|dependence| {
            let is_carried =
                dependence.carrier().is_some_and(|level| fused.contains(&level.op) && is_innermost(level.op));
            let is_across = !self.moved.contains(&dependence.source) && self.moved.contains(&dependence.sink);
            is_carried && is_across && dependence.kind == Kind::Flow
        })
    }
}

/// Says whether a loop takes the lanes, or one inside of it.
fn takes_lanes(state: &State<'_>, op: Op) -> bool {
    let loops = state.loops();
    let is_vector = |taker: Op| loops.of(taker).is_some_and(|known| known.verdict.is_vector);
    let is_part = |taker: Op| taker == op || loops.forest.encloses(op, taker);
    state.choice().loops.iter().any(|&taker| is_part(taker) && is_vector(taker))
}

/// Finds pairs of loops that could be fused and were not tried. No two of them overlap or stand inside each other.
fn plans(kernel: &Kernel, refused: &FxHashSet<(Op, Op)>, context: &mut Context) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut n_loops = 0;
    kernel.walk(kernel.body, &mut |_, op| n_loops += usize::from(kernel.ops[op].code == Code::For));
    if n_loops > 1 {
        let effects = Effects::of(kernel);
        let forest = context.forest(kernel);
        plans_in(kernel, kernel.body, refused, &effects, &mut plans);
        for plan in &mut plans {
            plan.nest = forest.around(plan.first).take_while(|&op| kernel.ops[op].code == Code::For).last();
        }
    }
    plans
}

fn plans_in(kernel: &Kernel, region: Region, refused: &FxHashSet<(Op, Op)>, effects: &Effects, plans: &mut Vec<Plan>) {
    let ops = &kernel.regions[region].ops;
    let mut at = 0;
    while let Some(&first) = ops.get(at) {
        at += 1;
        let fits = |&second: &Op| {
            !refused.contains(&(first, second))
                && are_alike(kernel, first, second)
                && share_arrays(effects, first, second)
                && Between::of(kernel, region, (first, second)).is_some()
        };
        if let Some(second) = ops[at..].iter().copied().find(fits) {
            let mut moved = FxHashSet::default();
            kernel.walk_inside(second, &mut |op| _ = moved.insert(op));
            plans.push(Plan { region, first, second, nest: None, moved });
            at = ops.iter().position(|&op| op == second).map_or(ops.len(), |at| at + 1);
            continue;
        }
        kernel.ops[first].regions.iter().for_each(|&inner| plans_in(kernel, inner, refused, effects, plans));
    }
}

/// The control data of a loop over a range; `None` for another op.
fn control(kernel: &Kernel, op: Op) -> Option<&Control> {
    kernel.control(op).filter(|_| kernel.ops[op].code == Code::For)
}

/// Says whether two ops are loops over the same range, with the same marks.
fn are_alike(kernel: &Kernel, first: Op, second: Op) -> bool {
    let (Some(one), Some(other)) = (control(kernel, first), control(kernel, second)) else { return false };
    let index = |op: Op| kernel.ty(kernel.regions[kernel.ops[op].regions[0]].args[0]);
    let bounds = |op: Op| kernel.ops[op].operands[..3].to_vec();
    one.marks == other.marks
        && one.width == other.width
        && index(first) == index(second)
        && bounds(first).into_iter().zip(bounds(second)).all(|(one, other)| is_same(kernel, one, other))
}

/// Says whether an array that a loop reads is one that another loop reads or writes, as far as one loop can do for both.
fn share_arrays(effects: &Effects, first: Op, second: Op) -> bool {
    let (one, other) = (effects.touched_inside(first), effects.touched_inside(second));
    let shared = other.iter().filter(|(array, _)| one.iter().any(|(known, _)| known == array)).count();
    shared > 0 && one.len() + other.len() - shared <= MOST_ARRAYS
}

/// Puts the body of a loop behind that of another one, and the loops inside of it into those there that go over the same ranges; notes the
/// loops that are fused.
fn fuse(kernel: &mut Kernel, home: Region, (first, second): (Op, Op), between: &Between, fused: &mut Vec<Op>) {
    let mut n_ops = 0;
    [first, second].iter().for_each(|&op| kernel.walk_inside(op, &mut |_| n_ops += 1));
    if n_ops > MOST_OPS {
        return;
    }
    fused.push(first);
    between.put_in_front(kernel, home, (first, second));
    let (one, other) = (kernel.ops[first].clone(), kernel.ops[second].clone());
    let (into, from) = (one.regions[0], other.regions[0]);
    let moved = std::mem::take(&mut kernel.regions[from].ops);
    kernel.regions[into].ops.extend(&moved);
    let index = kernel.regions[into].args[0];
    let mut new = EntityVec::filled(kernel.values.len(), None);
    new[kernel.regions[from].args[0]] = Some(index);
    kernel.replace_uses(&new);
    carry_both(kernel, first, second);
    // Both bodies are one now, and so may be the loops inside.
    let is_of_second = |op: &Op| moved.contains(op);
    let inside = kernel.regions[into].ops.clone();
    for &inner in inside.iter().filter(|op| !is_of_second(op)) {
        let pair = inside.iter().filter(|op| is_of_second(op)).map(|&other| (inner, other));
        let is_there = |kernel: &Kernel, op: Op| kernel.regions[into].ops.contains(&op);
        let found = pair
            .filter(|&(one, other)| is_there(kernel, other) && are_alike(kernel, one, other))
            .find_map(|pair| Some((pair, Between::of(kernel, into, pair)?)));
        if let Some((pair, between)) = found {
            fuse(kernel, into, pair, &between, fused);
        }
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
