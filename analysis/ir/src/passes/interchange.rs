//! Interchange: of two loops, one right inside the other, the one whose iterations can run as lanes goes inside.
//!
//! ```text
//! for i in range(n):                  for j in range(1, n):
//!     for j in range(1, n):               for i in range(n):
//!         m[j, i] = m[j - 1, i] + 1           m[j, i] = m[j - 1, i] + 1
//! ```
//!
//! The loops have to be nothing but each other, with bounds that do not depend on one another. Iterations keep their
//! order wherever they meet: none that comes later in the outer loop may meet one that is earlier in the inner one. And
//! it has to be less [work](crate::work): the lanes run along the inner loop then, and so does the way through memory.

use std::collections::HashSet;
use std::sync::Arc;

use super::choice::{Choice, choose, share};
use crate::decision::Decision;
use crate::entities::{Op, Region};
use crate::facts::dependence::{Dependence, Dependences, Limits};
use crate::facts::loops::{self, Loops};
use crate::ops::Code;
use crate::passes::Context;
use crate::program::{Def, Kernel};

/// How many loops of a nest are moved, one after the other.
const MAX_ROUNDS: usize = 4;

/// Exchanges loops where that is less work; says whether it changed any.
pub fn interchange(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || pairs(kernel).is_empty() {
        return false;
    }
    let mut known = (context.loops(kernel), context.choice(kernel));
    let mut changed = false;
    let mut refused = HashSet::new();
    for _ in 0..MAX_ROUNDS {
        if changed {
            known = look(kernel);
        }
        let moved = round(kernel, (&known.0, &known.1), &mut refused, context);
        changed |= moved;
        if !moved {
            break;
        }
    }
    changed
}

/// What is known about the kernel as it is now.
fn look(kernel: &Kernel) -> (Arc<Loops>, Arc<Choice>) {
    let found = loops::loops(kernel, &Limits::default());
    let choice = choose(kernel, &found);
    (Arc::new(found), Arc::new(choice))
}

/// A loop that is moved inwards to see what comes of it.
struct Trial {
    /// The outermost loop of its nest.
    nest: Op,
    /// The work of the nest as it was.
    work: u64,
    /// The exchanges up to now.
    path: Vec<(Op, Op)>,
}

/// In each nest moves one loop as far inwards as makes it less work, and notes the loops of which none does; says whether
/// any is left moved.
fn round(
    kernel: &mut Kernel,
    (found, choice): (&Loops, &Choice),
    refused: &mut HashSet<Op>,
    context: &mut Context,
) -> bool {
    let mut trials = trials(kernel, found, choice, refused);
    let mut moved = false;
    while !trials.is_empty() {
        trials.iter().for_each(|trial| trial.path.last().into_iter().for_each(|&pair| exchange(kernel, pair)));
        let (found, choice) = look(kernel);
        let mut open = Vec::new();
        for mut trial in trials {
            let after = work(&choice, trial.nest);
            if after < trial.work {
                context.decide(exchanged(kernel, &trial, after));
                moved = true;
                continue;
            }
            let next = trial.path.last().and_then(|&(_, inner)| Some((inner, only_loop_inside(kernel, inner)?)));
            match next.filter(|&pair| keeps_order(&found.dependences, pair)) {
                Some(next) => {
                    trial.path.push(next);
                    open.push(trial);
                }
                None => {
                    refused.insert(trial.path[0].0);
                    trial.path.iter().rev().for_each(|&pair| exchange(kernel, pair));
                    context.decide(left(kernel, &trial, after));
                }
            }
        }
        trials = open;
    }
    moved
}

/// The loop that a trial has moved inwards has stayed there.
fn exchanged(kernel: &Kernel, trial: &Trial, after: u64) -> Decision {
    let moved = trial.path.last().map_or(trial.nest, |&(_, inner)| inner);
    let percent = share(after, trial.work);
    let because = ["with this loop inside there is less work:".into(), percent.into(), "% of what there was".into()];
    Decision::taken(kernel.ops[moved].origin, "loops-exchanged", because.into())
}

/// It is back where it was, and could have stayed.
fn left(kernel: &Kernel, trial: &Trial, after: u64) -> Decision {
    let percent = share(after, trial.work);
    let because = ["with this loop inside there is no less work:".into(), percent.into(), "% of what there is".into()];
    Decision::left(kernel.ops[trial.path[0].0].origin, "loops-exchanged", because.into())
}

/// In each nest the first loop that may take the lanes, could move inwards and was not tried.
fn trials(kernel: &Kernel, found: &Loops, choice: &Choice, refused: &HashSet<Op>) -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for pair in pairs(kernel) {
        let Some(candidate) = choice.candidates.iter().find(|candidate| candidate.op == pair.0) else { continue };
        let is_new = !refused.contains(&pair.0) && trials.iter().all(|trial| trial.nest != candidate.nest);
        if is_new && candidate.in_lanes.is_some() && keeps_order(&found.dependences, pair) {
            trials.push(Trial { nest: candidate.nest, work: work(choice, candidate.nest), path: vec![pair] });
        }
    }
    trials
}

fn work(choice: &Choice, nest: Op) -> u64 {
    choice.nests.iter().find(|(op, _)| *op == nest).map_or(u64::MAX, |(_, work)| *work)
}

/// Loops with another one right inside, and nothing else.
fn pairs(kernel: &Kernel) -> Vec<(Op, Op)> {
    let mut pairs = Vec::new();
    kernel.walk(kernel.body, &mut |_, outer| pairs.extend(only_loop_inside(kernel, outer).map(|inner| (outer, inner))));
    pairs
}

/// The loop that is all that a loop does, if its range is the same in each iteration.
fn only_loop_inside(kernel: &Kernel, outer: Op) -> Option<Op> {
    let data = &kernel.ops[outer];
    if data.code != Code::For {
        return None;
    }
    let [inner] = kernel.regions[data.regions[0]].ops[..] else { return None };
    let own = &kernel.ops[inner];
    if own.code != Code::For || !data.results.is_empty() || !own.results.is_empty() {
        return None;
    }
    let body = data.regions[0];
    let fixed =
        own.operands.iter().all(|&bound| !matches!(kernel.values[bound].def, Def::Arg(region, _) if region == body));
    // A step of 0 is an error only where the loop is reached.
    let steps = [data.operands[2], own.operands[2]];
    let never_zero = steps.iter().all(|&step| kernel.as_const(step).is_some());
    (fixed && never_zero).then_some(inner)
}

/// Whether iterations that meet keep their order: none is later in the outer loop and earlier in the inner one.
fn keeps_order(dependences: &Dependences, (outer, inner): (Op, Op)) -> bool {
    let crossing = |position: usize, dependence: &Dependence| {
        let at = dependence.levels.iter().position(|level| level.op == inner);
        let direction = at.and_then(|at| dependence.meeting.directions.get(at));
        dependence.meeting.carried == Some(position) && direction.is_none_or(|direction| direction.earlier)
    };
    let about = dependences.inside(outer).filter_map(|(_, dependence)| {
        let position = dependence.levels.iter().position(|level| level.op == outer)?;
        Some((position, dependence))
    });
    dependences.unseen.is_empty() && about.into_iter().all(|(position, dependence)| !crossing(position, dependence))
}

/// The outer loop takes the inner one's place and the other way round: they exchange ranges, marks and arguments.
fn exchange(kernel: &mut Kernel, (outer, inner): (Op, Op)) {
    let (outer_data, inner_data) = (kernel.ops[outer].clone(), kernel.ops[inner].clone());
    kernel.ops[outer].operands = inner_data.operands;
    kernel.ops[outer].attr = inner_data.attr;
    kernel.ops[outer].origin = inner_data.origin;
    kernel.ops[inner].operands = outer_data.operands;
    kernel.ops[inner].attr = outer_data.attr;
    kernel.ops[inner].origin = outer_data.origin;
    let (body, inside) = (outer_data.regions[0], inner_data.regions[0]);
    let (outer_args, inner_args) = (kernel.regions[body].args.clone(), kernel.regions[inside].args.clone());
    set_args(kernel, body, inner_args);
    set_args(kernel, inside, outer_args);
}

fn set_args(kernel: &mut Kernel, region: Region, args: crate::program::Values) {
    for (number, &arg) in args.iter().enumerate() {
        kernel.values[arg].def = Def::Arg(region, number as u32);
    }
    kernel.regions[region].args = args;
}
