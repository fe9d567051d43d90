//! Interchange: of two loops, one right inside the other, the one whose iterations can run as lanes goes inside.
//!
//! ```text
//! for i in range(n):                  for j in range(1, n):
//!     for j in range(1, n):               for i in range(n):
//!         m[j, i] = m[j - 1, i] + 1           m[j, i] = m[j - 1, i] + 1
//! ```
//!
//! The outer loop has to hold nothing but the inner one, with bounds that do not depend on one another. Iterations that
//! touch the same cell keep their order: none that comes later in the outer loop may depend on one that is earlier in
//! the inner one. Carried values have to pass through both loops alike, joined only by an operator for which the order
//! does not matter; a sum of floats has an order. And the result has to [cost](crate::cost) less: the lanes then run
//! along the inner loop, and so does the path through memory. A loop that has lanes and is inside already goes around one in order where
//! each lane then walks along a row of its own, of which a part is loaded at once ([`rows`](crate::rows)).

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::choice::{Candidate, LaneChoice};
use super::hoist::hoist_from_nests;
use super::trial::{Change, State, keep_better, share};
use crate::Context;
use crate::by_depth::FactsByDepth;
use crate::decision::{Decision, Said};
use facts::Class;
use facts::dependence::{Dependence, Dependences};
use facts::loops::{Carried, CarriedRole, Loops, Slice};
use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel};
use ir::types::Elem;

/// The most that a nest may cost after a move, in percent of before. A smaller gain is that of the loops themselves, whose numbers of
/// iterations are assumed, and would let a matrix be walked column by column that is filled row by row.
const WORTHWHILE: u64 = 95;

/// The limit on the number of loops of a nest that are moved, one after the other.
const MAX_ROUNDS: usize = 4;

/// Exchanges loops where that costs less; says whether it changed any.
pub fn interchange(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || nested(kernel).is_empty() {
        return false;
    }
    let mut freed = kernel.clone();
    let as_it_was = hoist_from_nests(&mut freed).then(|| std::mem::replace(kernel, freed));
    if as_it_was.is_some() {
        context.forget();
    }
    let mut changed = false;
    let mut refused = FxHashSet::default();
    for _ in 0..MAX_ROUNDS {
        if !round(kernel, &mut refused, context) {
            break;
        }
        changed = true;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    for (outer, inner) in nested(kernel) {
        let candidate = choice.candidates.iter().find(|candidate| candidate.op == outer);
        let is_open = candidate.is_some_and(|it| may_have_lanes(kernel, it)) && !refused.contains(&outer);
        if let Some(why) = why_not(kernel, &found, (outer, inner)).filter(|_| is_open) {
            context.decide(Decision::left(kernel.ops[outer].origin, ReasonCode::LoopsExchanged, why));
        }
    }
    if let Some(kept) = as_it_was.filter(|_| !changed) {
        *kernel = kept;
        context.forget();
    }
    changed
}

/// A loop that is moved inwards to see what comes of it.
struct Move {
    /// The outermost loop of its nest.
    nest: Op,
    /// The cost of the nest as it was.
    cost: u64,
    /// The exchanges up to now.
    path: Vec<(Op, Op)>,
}

impl Change for Move {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.path.iter().for_each(|&pair| exchange(kernel, pair));
        vec![self.nest]
    }
}

impl Move {
    /// The move by one loop more, where that keeps what the kernel means.
    fn further(&self, after: &State<'_>) -> Option<Move> {
        let &(_, inner) = self.path.last()?;
        let next = (inner, loop_inside(after.kernel, inner)?);
        let found = after.loops();
        let may = is_plain(after.kernel, next)
            && joins_alike(after.kernel, found, next)
            && keeps_order(&found.dependences, next);
        let path = self.path.iter().copied().chain([next]).collect();
        may.then_some(Move { path, ..*self })
    }

    /// The loop that was moved inwards has stayed there.
    fn kept(&self, after: &State<'_>, cost: u64) -> Decision {
        let moved = self.path.last().map_or(self.nest, |&(_, inner)| inner);
        let percent = share(cost, self.cost);
        let because =
            ["with this loop inside there is less work:".into(), percent.into(), "% of what there was".into()];
        Decision::taken(after.kernel.ops[moved].origin, ReasonCode::LoopsExchanged, because.into())
    }

    /// The decision for a loop that is back where it was, and could have stayed.
    fn left(&self, before: &State<'_>, cost: u64) -> Decision {
        let percent = share(cost, self.cost);
        let words = match percent < 100 {
            true => "with this loop inside there is hardly less work:",
            false => "with this loop inside there is no less work:",
        };
        let because = [words.into(), percent.into(), "% of what there is".into()];
        Decision::left(before.kernel.ops[self.path[0].0].origin, ReasonCode::LoopsExchanged, because.into())
    }
}

/// Moves one loop of each nest as far inwards as costs less, and notes the loops that no move makes cheaper; says
/// whether any was moved.
fn round(kernel: &mut Kernel, refused: &mut FxHashSet<Op>, context: &mut Context) -> bool {
    let (found, choice, facts) = (context.loops(kernel), context.choice(kernel), context.by_depth(kernel));
    let mut open = moves(kernel, &found, &choice, &facts, refused);
    let mut moved = false;
    while !open.is_empty() {
        let (mut decisions, mut further) = (Vec::new(), Vec::new());
        let kept = keep_better(kernel, &open, context, |trial, own, _| {
            let cost = trial.after.choice().cost_of_nest(own.nest).unwrap_or(u64::MAX);
            if cost < own.cost / 100 * WORTHWHILE {
                decisions.push(own.kept(&trial.after, cost));
                return true;
            }
            match own.further(&trial.after) {
                Some(own) => further.push(own),
                None => {
                    refused.insert(own.path[0].0);
                    decisions.push(own.left(&trial.before, cost));
                }
            }
            false
        });
        decisions.into_iter().for_each(|decision| context.decide(decision));
        for own in open.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(own, _)| own) {
            moved = true;
            let wrapped = own.path.iter().map(|&(outer, inner)| wrap(kernel, outer, inner)).fold(false, |a, b| a | b);
            if wrapped {
                context.forget();
            }
        }
        open = further;
    }
    moved
}

/// Finds in each nest the first loop that may take the lanes, or along which they could go, could move inwards and was not tried.
fn moves(
    kernel: &Kernel,
    found: &Loops,
    choice: &LaneChoice,
    facts: &FactsByDepth,
    refused: &FxHashSet<Op>,
) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for pair in pairs(kernel) {
        let of = |op: Op| choice.candidates.iter().find(|candidate| candidate.op == op);
        let Some(candidate) = of(pair.0) else { continue };
        let along_rows = || of(pair.1).is_some_and(|inner| inner.in_lanes.is_some()) && has_rows(kernel, facts, pair);
        let is_new = !refused.contains(&pair.0) && moves.iter().all(|other| other.nest != candidate.nest);
        if is_new
            && (may_have_lanes(kernel, candidate) || along_rows())
            && joins_alike(kernel, found, pair)
            && keeps_order(&found.dependences, pair)
        {
            let cost = choice.cost_of_nest(candidate.nest).unwrap_or(u64::MAX);
            moves.push(Move { nest: candidate.nest, cost, path: vec![pair] });
        }
    }
    moves
}

/// Says whether lanes along the inner loop gather what each of them finds in a row of its own if it goes along the outer one.
fn has_rows(kernel: &Kernel, facts: &FactsByDepth, (outer, inner): (Op, Op)) -> bool {
    let Some((along_outer, along_inner)) = facts.of(kernel, outer).zip(facts.of(kernel, inner)) else { return false };
    let mut found = false;
    kernel.walk_inside(inner, &mut |op| {
        let is_load = kernel.ops[op].code == Code::Load;
        let known = along_outer.access(op).zip(along_inner.access(op)).filter(|_| is_load && !found);
        found |= known.is_some_and(|(outer, inner)| {
            matches!(inner.class, Class::Strided | Class::Gather) && outer.stride_in_bytes() == Some(outer.bytes)
        });
    });
    found
}

/// Says whether a loop may have lanes further inside. One that hands something on has none where it is, while another loop does so
/// inside of it.
fn may_have_lanes(kernel: &Kernel, candidate: &Candidate) -> bool {
    candidate.in_lanes.is_some() || !kernel.ops[candidate.op].results.is_empty()
}

/// Loops with another one right inside, and nothing else, whose range is the same in each iteration.
fn pairs(kernel: &Kernel) -> Vec<(Op, Op)> {
    nested(kernel).into_iter().filter(|&pair| is_plain(kernel, pair)).collect()
}

fn is_plain(kernel: &Kernel, pair: (Op, Op)) -> bool {
    beside(kernel, pair.0).is_none() && bound_by_outer(kernel, pair).is_none() && has_known_steps(kernel, pair)
}

/// Loops each with the first of those that stand right inside.
fn nested(kernel: &Kernel) -> Vec<(Op, Op)> {
    let mut nested = Vec::new();
    kernel.walk(kernel.body, &mut |_, outer| nested.extend(loop_inside(kernel, outer).map(|inner| (outer, inner))));
    nested
}

fn loop_inside(kernel: &Kernel, outer: Op) -> Option<Op> {
    let data = &kernel.ops[outer];
    let body = data.regions.first().filter(|_| data.code == Code::For)?;
    kernel.regions[*body].ops.iter().copied().find(|&op| kernel.ops[op].code == Code::For)
}

/// An op that stands in a loop beside the first loop inside; one that writes, if there is such.
fn beside(kernel: &Kernel, outer: Op) -> Option<Op> {
    let inner = loop_inside(kernel, outer)?;
    let others = || kernel.regions[kernel.ops[outer].regions[0]].ops.iter().copied().filter(|&op| op != inner);
    others().find(|&op| kernel.effect(op) == Effect::Writes).or_else(|| others().next())
}

/// A bound or the step of an inner loop that is another one in each iteration of the outer one.
fn bound_by_outer(kernel: &Kernel, (outer, inner): (Op, Op)) -> Option<Value> {
    let body = kernel.ops[outer].regions[0];
    let mut bounds = kernel.ops[inner].operands[..3].iter().copied();
    bounds.find(|&bound| matches!(kernel.values[bound].def, Def::Arg(region, _) if region == body))
}

/// Says whether no step may be 0, which is an error only where the loop is reached.
fn has_known_steps(kernel: &Kernel, (outer, inner): (Op, Op)) -> bool {
    [outer, inner].iter().all(|&op| kernel.as_const(kernel.ops[op].operands[2]).is_some())
}

/// Explains why two loops, of which the outer one could have lanes, cannot change places.
fn why_not(kernel: &Kernel, found: &Loops, pair: (Op, Op)) -> Option<Vec<Said>> {
    let (outer, inner) = pair;
    let index = |op: Op| Said::value(kernel, kernel.regions[kernel.ops[op].regions[0]].args[0]);
    let exchanged = || vec!["the loop over".into(), index(inner), "cannot go around this one:".into()];
    let with = |more: Vec<Said>| Some(exchanged().into_iter().chain(more).collect());
    if let Some(other) = beside(kernel, outer) {
        return with(vec![
            "statements other than that loop stand in this one,".into(),
            Said::Place(kernel.ops[other].origin),
        ]);
    }
    if let Some(bound) = bound_by_outer(kernel, pair) {
        return with(vec!["its range depends on".into(), Said::value(kernel, bound)]);
    }
    if !has_known_steps(kernel, pair) {
        return with(vec!["a step that is not known may be 0".into()]);
    }
    if !joins_alike(kernel, found, pair) {
        return with(vec!["what both hand on depends on their order".into()]);
    }
    let crossing = crossing(&found.dependences, pair);
    if let Some(witness) = crossing.and_then(|dependence| dependence.meeting.witness.as_ref()) {
        return with(vec![
            "iterations".into(),
            iteration(&witness.source),
            "and".into(),
            iteration(&witness.sink),
            "touch one cell, and would change places".into(),
        ]);
    }
    if crossing.is_some() || !found.dependences.unseen.is_empty() {
        return with(vec!["iterations that may touch one cell would change places".into()]);
    }
    None
}

/// Returns the indices as `(1, 2)`.
fn iteration(indices: &[i128]) -> Said {
    let indices: Vec<String> = indices.iter().map(i128::to_string).collect();
    Said::Text(format!("({})", indices.join(", ")))
}

/// Says whether two loops carry nothing, or both the same, to which the inner one only joins something in any order.
fn joins_alike(kernel: &Kernel, found: &Loops, (outer, inner): (Op, Op)) -> bool {
    let (data, own) = (&kernel.ops[outer], &kernel.ops[inner]);
    let in_fixed_order = |op: Op| kernel.control(op).is_some_and(|control| !control.reductions.is_empty());
    if data.results.is_empty() && own.results.is_empty() {
        return true;
    }
    let body = &kernel.regions[data.regions[0]];
    let is_handed_in = own.operands[3..] == body.args[1..] && body.yields[..] == own.results[..];
    let mut is_used = false;
    kernel.walk_inside(inner, &mut |op| {
        let yields = kernel.ops[op].regions.iter().flat_map(|&region| &kernel.regions[region].yields);
        is_used |= kernel.ops[op].operands.iter().chain(yields).any(|value| body.args[1..].contains(value));
    });
    let carried = found.of(inner).map_or(&[][..], |known| &known.carried);
    let is_free = |value: &Carried| {
        let is_float = kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
        matches!(value.role, CarriedRole::Reduction { .. }) && !is_float
    };
    let numbers = (0..carried.len()).collect();
    // A loop further inside would have its own way to join.
    let all_free =
        carried.len() == own.results.len() && carried.iter().all(is_free) && !Slice::of(kernel, inner, &numbers).acts;
    is_handed_in && !is_used && all_free && ![outer, inner].into_iter().any(in_fixed_order)
}

/// Lets sums of integers wrap: in another order their intermediate values differ and may overflow where the program's
/// do not, while the total stays the same. Says whether there are any.
fn wrap(kernel: &mut Kernel, outer: Op, inner: Op) -> bool {
    if kernel.ops[outer].results.is_empty() {
        return false;
    }
    let carried: BTreeSet<usize> = (0..kernel.ops[inner].results.len()).collect();
    let slice = Slice::of(kernel, inner, &carried);
    let mut sums = Vec::new();
    kernel.walk_inside(inner, &mut |op| {
        let is_sum = kernel.ops[op].results.iter().any(|result| slice.values.contains(result));
        let wrapping = match kernel.ops[op].code {
            Code::Add => Code::WrappingAdd,
            Code::Sub => Code::WrappingSub,
            Code::Mul => Code::WrappingMul,
            _ => return,
        };
        if is_sum {
            sums.push((op, wrapping));
        }
    });
    sums.iter().for_each(|&(op, code)| kernel.ops[op].code = code);
    !sums.is_empty()
}

/// Says whether iterations that meet keep their order.
fn keeps_order(dependences: &Dependences, pair: (Op, Op)) -> bool {
    dependences.unseen.is_empty() && crossing(dependences, pair).is_none()
}

/// Iterations that meet, of which the one that is later in the outer loop may be earlier in the inner one.
fn crossing(dependences: &Dependences, (outer, inner): (Op, Op)) -> Option<&Dependence> {
    let crosses = |position: usize, dependence: &Dependence| {
        let at = dependence.levels.iter().position(|level| level.op == inner);
        let direction = at.and_then(|at| dependence.meeting.directions.get(at));
        dependence.meeting.carried == Some(position) && direction.is_none_or(|direction| direction.earlier)
    };
    dependences.inside(outer).map(|(_, dependence)| dependence).find(|dependence| {
        let position = dependence.levels.iter().position(|level| level.op == outer);
        position.is_some_and(|position| crosses(position, dependence))
    })
}

/// The outer loop takes the inner one's place and the other way round: they exchange ranges, marks and indices. What they
/// carry goes on through both of them.
fn exchange(kernel: &mut Kernel, (outer, inner): (Op, Op)) {
    let (outer_data, inner_data) = (kernel.ops[outer].clone(), kernel.ops[inner].clone());
    for (to, from) in [(outer, &inner_data), (inner, &outer_data)] {
        kernel.ops[to].operands[..3].copy_from_slice(&from.operands[..3]);
        kernel.ops[to].attr = from.attr.clone();
        kernel.ops[to].origin = from.origin;
    }
    let (body, inside) = (outer_data.regions[0], inner_data.regions[0]);
    let (outer_index, inner_index) = (kernel.regions[body].args[0], kernel.regions[inside].args[0]);
    for (region, index) in [(body, inner_index), (inside, outer_index)] {
        kernel.regions[region].args[0] = index;
        kernel.values[index].def = Def::Arg(region, 0);
    }
}
