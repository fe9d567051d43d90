//! Split: a loop that some statements keep from being vectorised is split in several, so that the others can be.
//!
//! ```text
//! for i in range(1, n):               for i in range(1, n):
//!     a[i] = a[i - 1] + b[i]              c[i] = b[i] * 2
//!     c[i] = b[i] * 2                 for i in range(1, n):
//!                                         a[i] = a[i - 1] + b[i]
//! ```
//!
//! Statements that need each other in both directions (a *strongly connected component*) stay together, and components
//! follow each other in an order that keeps all dependences. An op without effects is computed again in each part that
//! needs it; a load that two parts need is loaded again, if the loop does not store there; anything else that two parts
//! need keeps them together. A carried value is carried by each part that needs it, and its final value comes from one
//! of them, its *home*. The split is only made where the whole nest [costs](crate::cost) less. Any loop of a nest may
//! be split, outer ones first: statements beside an inner loop may then have lanes along the outer one, and the inner
//! loop its own.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::trial::{Change, Trial, keep_better, share};
use crate::Context;
use crate::decision::{Decision, Said};
use facts::dependence::Doubt;
use facts::loops::{Loop, Loops, Order, Orders, VerdictReason};
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, RegionData};

/// The limit on the number of loops of a nest that are tried, one after the other.
const MAX_ROUNDS: usize = 6;

/// Splits loops where that costs less; says whether it changed any.
pub fn split(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut changed = false;
    let mut tried = FxHashSet::default();
    for _ in 0..MAX_ROUNDS {
        let plans = plans(kernel, &mut tried, context);
        let mut decisions = Vec::new();
        let kept = keep_better(kernel, &plans, context, |trial, plan, made| {
            let decision = plan.judge(trial, made);
            let is_kept = decision.taken;
            decisions.push(decision);
            is_kept
        });
        decisions.into_iter().for_each(|decision| context.decide(decision));
        changed |= kept.contains(&true);
        // What was one statement of the loops around is several now.
        let split = plans.iter().zip(&kept).filter(|(_, kept)| **kept);
        split.for_each(|(plan, _)| plan.around.iter().for_each(|op| _ = tried.remove(op)));
        if plans.is_empty() {
            break;
        }
    }
    changed
}

/// A way to split a loop.
struct Plan {
    op: Op,
    /// The outermost loop of its nest.
    nest: Op,
    /// The loops around it.
    around: Vec<Op>,
    /// The region that it stands in.
    region: Region,
    parts: Vec<Part>,
}

impl Change for Plan {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        distribute(kernel, self)
    }
}

impl Plan {
    /// Keeps the parts if they cost less than the whole.
    fn judge(&self, trial: &Trial<'_>, made: &[Op]) -> Decision {
        let becomes = if self.op == self.nest { made } else { &[self.nest] };
        let most = trial.costs().split_share.into();
        let apart = self.share_of_single(trial, made).filter(|percent| *percent > most);
        let percent = apart.unwrap_or_else(|| trial.share(self.nest, becomes));
        let origin = trial.before.kernel.ops[self.op].origin;
        let said = |words: &str| -> Vec<Said> { vec![words.into(), percent.into(), "% of the whole loop".into()] };
        match percent <= most {
            true => Decision::taken(
                origin,
                ReasonCode::LoopSplit,
                said("what can run as lanes has a loop of its own; the loops together cost"),
            ),
            false => {
                let mut because = said("what can run as lanes stays with what cannot: two loops would cost");
                because.extend((percent < 100).then(|| ", which is too little less".into()));
                Decision::left(origin, ReasonCode::LoopSplit, because)
            }
        }
    }
}

impl Plan {
    /// The cost of the parts as a share of the whole, in per cent, where no part has a loop inside. What the parts cost that are stuck is
    /// counted in the loop as it is: they are nearly all of a long body, and nearly all of the time that its trial takes.
    fn share_of_single(&self, trial: &Trial<'_>, made: &[Op]) -> Option<i128> {
        let is_single = self.op == self.nest && trial.before.loops().forest.loops_inside(self.op).is_empty();
        if !is_single || !self.parts.iter().any(|part| part.is_stuck) {
            return None;
        }
        let parts: Vec<&[Op]> = self.parts.iter().map(|part| &part.ops[..]).collect();
        let in_order = trial.before.in_order_of_parts(self.op, &parts);
        let stuck = self.parts.iter().zip(in_order).filter(|(part, _)| part.is_stuck).map(|(_, cost)| cost);
        let others: Vec<Op> =
            self.parts.iter().zip(made).filter(|(part, _)| !part.is_stuck).map(|(_, &op)| op).collect();
        let cost = stuck.fold(trial.after.cost_of_single(&others), u64::saturating_add);
        Some(share(cost, trial.before.cost(self.nest)))
    }
}

/// Finds in each nest the outermost loop that could be split and was not tried. Loops inside of one that takes the
/// lanes are left alone: it has all lanes already.
fn plans(kernel: &Kernel, tried: &mut FxHashSet<Op>, context: &mut Context) -> Vec<Plan> {
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let forest = &found.forest;
    let of_nests = choice.candidates.iter().map(|candidate| (candidate.op, candidate.nest));
    let nested: FxHashSet<Op> = of_nests.clone().map(|(op, _)| op).collect();
    let single = choice.loops.iter().filter(|op| !nested.contains(op)).map(|&op| (op, op));
    let taken: FxHashSet<Op> = choice.loops.iter().copied().collect();
    let mut in_lanes: FxHashMap<Op, Vec<Op>> = FxHashMap::default();
    for it in choice.candidates.iter().filter(|it| it.in_lanes.is_some() && taken.contains(&it.op)) {
        in_lanes.entry(it.nest).or_default().push(it.op);
    }
    let orders = Orders::new(kernel, &found, context.uses(kernel));
    let mut plans: Vec<Plan> = Vec::new();
    for (op, nest) in of_nests.chain(single) {
        let is_open = plans.last().is_none_or(|plan| plan.nest != nest)
            && !tried.contains(&op)
            && !in_lanes.get(&nest).is_some_and(|all| all.iter().any(|&it| it == op || forest.encloses(it, op)));
        let Some(known) = found.of(op).filter(|_| is_open) else { continue };
        tried.insert(op);
        plans.extend(plan(kernel, &found, &orders, known).map(|parts| Plan {
            op,
            nest,
            around: forest.around(op).collect(),
            region: forest.region_of(op),
            parts,
        }));
    }
    plans
}

/// A part of a loop.
struct Part {
    /// The ops of the part, in the block's order, with those that are computed again for it.
    ops: Vec<Op>,
    /// The values that it carries, by their numbers in the loop.
    carried: BTreeSet<usize>,
    /// The values among those that it is the home of.
    homes: BTreeSet<usize>,
    /// True if both ends of a dependence that keeps the loop in order are in it, which keeps the part in order, too.
    is_stuck: bool,
}

/// The parts, in order; nothing for a loop that stays as it is.
fn plan(kernel: &Kernel, found: &Loops, orders: &Orders<'_>, known: &Loop) -> Option<Vec<Part>> {
    let data = &kernel.ops[known.op];
    let splits = data.code == Code::For && !known.verdict.is_vector;
    if !splits || known.verdict.is_tested || !found.dependences.unseen.is_empty() {
        return None;
    }
    let body = Body::of(kernel, known.op);
    let blocking: Vec<&VerdictReason> = known.verdict.reasons.iter().filter(|reason| reason.blocks).collect();
    // Only what stands against some statements leaves others alone. Where arrays overlap all may meet.
    let is_local = |reason: &&VerdictReason| reason.dependence.is_some() || body.is_carried(reason);
    if !blocking.iter().all(is_local) {
        return None;
    }
    let order = orders.of(known.op);
    let stuck: BTreeSet<Op> = blocking
        .iter()
        .flat_map(|reason| &reason.places)
        .filter_map(|&op| found.forest.ancestor_in(body.block, op))
        .collect();
    let parts = body.parts(&order, &stuck);
    if parts.len() <= 1 {
        return None;
    }
    let mut parts = body.completed(parts);
    let numbers = blocking.iter().filter_map(|reason| reason.dependence);
    let ends = numbers.map(|number| &found.dependences.list[number]).filter(|it| {
        // What took too long to find out may turn out to be nothing in a smaller loop.
        !it.meeting.doubts.contains(&Doubt::TooHard)
    });
    let ends: Vec<[Option<Op>; 2]> =
        ends.map(|it| [it.source, it.sink].map(|end| found.forest.ancestor_in(body.block, end))).collect();
    for part in &mut parts {
        let own: FxHashSet<Op> = part.ops.iter().copied().collect();
        let is_own = |end: &Option<Op>| end.is_some_and(|end| own.contains(&end));
        part.is_stuck = ends.iter().any(|ends| ends.iter().all(is_own));
    }
    Some(parts)
}

/// The body of a loop that is to be split.
struct Body<'k> {
    kernel: &'k Kernel,
    op: Op,
    block: Region,
    /// The position of each op of the block.
    positions: FxHashMap<Op, usize>,
    /// The arrays that it stores to.
    stored: FxHashSet<Value>,
}

impl<'k> Body<'k> {
    fn of(kernel: &'k Kernel, op: Op) -> Body<'k> {
        let block = kernel.ops[op].regions[0];
        let stored = ir::effects::written(kernel, block);
        let positions = kernel.regions[block].ops.iter().enumerate().map(|(at, &own)| (own, at)).collect();
        Body { kernel, op, block, positions, stored }
    }
}

impl Body<'_> {
    /// Says whether a reason is about a value that the loop carries, and the op that makes the next one.
    fn is_carried(&self, reason: &VerdictReason) -> bool {
        let [first, maker] = reason.places[..] else { return false };
        first == self.op && self.hands_on(maker)
    }

    /// Says whether the next iteration gets what an op makes.
    fn hands_on(&self, op: Op) -> bool {
        self.kernel.ops[op].results.iter().any(|result| self.kernel.regions[self.block].yields.contains(result))
    }

    /// Neighbouring components of one kind go together; then whatever shares what cannot be computed again.
    fn parts(&self, order: &Order, stuck: &BTreeSet<Op>) -> Vec<Vec<Op>> {
        let mut parts: Vec<(bool, Vec<Op>)> = Vec::new();
        for component in &order.components {
            let ops: Vec<Op> = component.iter().flat_map(|&statement| &order.statements[statement]).copied().collect();
            if ops.iter().all(|&op| self.can_repeat(op) && !self.hands_on(op)) {
                continue;
            }
            // The ops that are computed again for the part count, too.
            let is_stuck = self.complete(&ops, &BTreeSet::new()).0.iter().any(|op| stuck.contains(op));
            match parts.last_mut() {
                Some((kind, last)) if *kind == is_stuck => last.extend(ops),
                _ => parts.push((is_stuck, ops)),
            }
        }
        self.joined(parts.into_iter().map(|(_, ops)| ops).collect())
    }

    /// Binds a part whose values cannot be made again to the last part that needs them, and to all between.
    fn joined(&self, parts: Vec<Vec<Op>>) -> Vec<Vec<Op>> {
        let makers: FxHashMap<Op, usize> =
            parts.iter().enumerate().flat_map(|(at, own)| own.iter().map(move |&op| (op, at))).collect();
        let mut bound: Vec<usize> = (0..parts.len()).collect();
        for (at, own) in parts.iter().enumerate() {
            for op in self.complete(own, &BTreeSet::new()).0.iter().filter(|op| !self.can_repeat(**op)) {
                if let Some(&maker) = makers.get(op) {
                    bound[maker] = bound[maker].max(at);
                }
            }
        }
        let mut joined: Vec<Vec<Op>> = Vec::new();
        let mut end = None;
        for (at, own) in parts.into_iter().enumerate() {
            match joined.last_mut().filter(|_| end.is_some_and(|end| at <= end)) {
                Some(last) => last.extend(own),
                None => joined.push(own),
            }
            end = end.max(Some(bound[at]));
        }
        joined
    }

    /// Says whether an op can be done again, with the same result, anywhere in the iteration or in a loop behind.
    fn can_repeat(&self, op: Op) -> bool {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        match data.code {
            Code::Load => {
                let root = kernel.root(data.operands[0]);
                !self.stored.iter().any(|&stored| kernel.may_overlap(stored, root))
            }
            Code::Unknown | Code::Temp => false,
            code => !code.is_control() && !data.results.is_empty() && kernel.effect(op) <= Effect::Fails,
        }
    }

    /// The carried value that is handed on to the next iteration under a number, as it is or under others before.
    fn handed_on_from(&self, number: usize) -> usize {
        let data = &self.kernel.regions[self.block];
        let n_ranges = self.kernel.n_ranges(self.op);
        let mut from = number;
        // Some may only go around among each other.
        for _ in 0..data.yields.len() {
            match data.args[n_ranges..].iter().position(|&arg| arg == data.yields[from]) {
                Some(before) => from = before,
                None => break,
            }
        }
        from
    }

    /// Completes the parts with all ops that they need. The home of a carried value is the part that computes its next
    /// value, if only for another one that it is handed on from, else the first part that uses it.
    fn completed(&self, parts: Vec<Vec<Op>>) -> Vec<Part> {
        let yields = &self.kernel.regions[self.block].yields;
        let complete = |own: &Vec<Op>| self.complete(own, &BTreeSet::new());
        let uses: Vec<BTreeSet<usize>> = parts.iter().map(|own| complete(own).1).collect();
        let home = |number: usize| {
            let maker = self.kernel.def_op(yields[self.handed_on_from(number)]);
            let makes = parts.iter().position(|own| maker.is_some_and(|maker| own.contains(&maker)));
            makes.or_else(|| uses.iter().position(|uses| uses.contains(&number))).unwrap_or(0)
        };
        let homes: Vec<usize> = (0..yields.len()).map(home).collect();
        let finish = |(at, own): (usize, Vec<Op>)| {
            let homes = (0..yields.len()).filter(|&number| homes[number] == at).collect();
            let (ops, carried) = self.complete(&own, &homes);
            Part { ops, carried, homes, is_stuck: false }
        };
        parts.into_iter().enumerate().map(finish).collect()
    }

    /// Returns the ops of a part and all ops of the block that are computed again for them, in the block's order; and
    /// the numbers of the values that it carries: those that its ops need, and those that it is the home of.
    fn complete(&self, part: &[Op], homes: &BTreeSet<usize>) -> (Vec<Op>, BTreeSet<usize>) {
        let kernel = self.kernel;
        let yields = &kernel.regions[self.block].yields;
        let n_ranges = kernel.n_ranges(self.op);
        let mut wanted: FxHashSet<Op> = part.iter().copied().collect();
        let mut carried = homes.clone();
        let mut open: Vec<Value> = Vec::new();
        part.iter().for_each(|&op| needs(kernel, op, &mut open));
        open.extend(homes.iter().map(|&number| yields[number]));
        while let Some(value) = open.pop() {
            match kernel.values[value].def {
                Def::Result(op, _) if self.positions.contains_key(&op) && wanted.insert(op) => {
                    needs(kernel, op, &mut open)
                }
                Def::Arg(region, number) if region == self.block && number as usize >= n_ranges => {
                    let number = number as usize - n_ranges;
                    if carried.insert(number) {
                        open.push(yields[number]);
                    }
                }
                _ => {}
            }
        }
        let mut positions: Vec<usize> = wanted.iter().map(|op| self.positions[op]).collect();
        positions.sort_unstable();
        let all = &kernel.regions[self.block].ops;
        (positions.into_iter().map(|position| all[position]).collect(), carried)
    }
}

/// Adds the values that an op, and what is inside of it, works on.
fn needs(kernel: &Kernel, op: Op, values: &mut Vec<Value>) {
    values.extend(&kernel.ops[op].operands);
    for &region in &kernel.ops[op].regions {
        values.extend(&kernel.regions[region].yields);
        kernel.walk(region, &mut |_, inner| {
            values.extend(&kernel.ops[inner].operands);
            kernel.ops[inner].regions.iter().for_each(|&region| values.extend(&kernel.regions[region].yields));
        });
    }
}

/// Puts a loop for each part in the place of a loop; gives those.
fn distribute(kernel: &mut Kernel, &Plan { op, region: home, ref parts, .. }: &Plan) -> Vec<Op> {
    let old = kernel.ops[op].clone();
    let body = old.regions[0];
    let n_ranges = kernel.n_ranges(op);
    let folds = old.attr.as_control().map(|control| control.reductions.clone()).unwrap_or_default();
    // Results that are joined in the fixed order come last, and the block has no arguments for them.
    let n_handed_on = old.results.len() - folds.len();
    let (args, yields) = (kernel.regions[body].args.clone(), kernel.regions[body].yields.clone());
    let mut loops = Vec::new();
    for part in parts {
        let region = kernel.regions.push(RegionData::default());
        let mut copied = FxHashMap::default();
        let handed_on = part.carried.iter().filter(|&&number| number < n_handed_on);
        let own_args = (0..n_ranges).chain(handed_on.map(|number| n_ranges + number));
        own_args.for_each(|number| copy::arg(kernel, args[number], region, &mut copied));
        for &inner in &part.ops {
            let inner = copy::op(kernel, inner, &mut copied);
            kernel.regions[region].ops.push(inner);
        }
        let at = |value: Value| copied.get(&value).copied().unwrap_or(value);
        kernel.regions[region].yields = part.carried.iter().map(|&number| at(yields[number])).collect();
        let mut data = old.clone();
        data.regions = [region].into_iter().collect();
        data.operands.truncate(3 * n_ranges);
        data.operands.extend(part.carried.iter().map(|&number| old.operands[3 * n_ranges + number]));
        data.results.clear();
        if let Attr::Control(control) = &mut data.attr {
            let joined = part.carried.iter().filter_map(|number| number.checked_sub(n_handed_on));
            control.reductions = joined.map(|number| folds[number]).collect();
        }
        let new = kernel.ops.push(data);
        for (at, &number) in part.carried.iter().enumerate() {
            let result = old.results[number];
            let def = Def::Result(new, at as u32);
            let result = match part.homes.contains(&number) {
                true => result,
                false => kernel.add_value(kernel.ty(result), def, None),
            };
            kernel.values[result].def = def;
            kernel.ops[new].results.push(result);
        }
        loops.push(new);
    }
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
    ops.splice(place..=place, loops.iter().copied());
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Options;

    /// The parts' share of a loop by the way that leaves out what is stuck, beside the one by a trial of all of it; of the first loop
    /// that could be split.
    fn shares(text: &str) -> (Option<i128>, i128) {
        let mut kernel = ir::read(text, None).expect("a kernel").remove(0);
        let options = Options::default();
        let mut context = Context::new(&options);
        let plans = plans(&kernel, &mut FxHashSet::default(), &mut context);
        let mut shares = Vec::new();
        keep_better(&mut kernel, &plans[..1], &mut context, |trial, plan, made| {
            let becomes = if plan.op == plan.nest { made } else { &[plan.nest] };
            shares.push((plan.share_of_single(trial, made), trial.share(plan.nest, becomes)));
            false
        });
        shares.remove(0)
    }

    #[test]
    fn what_is_stuck_costs_the_same_without_a_trial() {
        let head = "kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], t: f32[4], n: i32):\n    for i in range(8, (n - 8)):\n";
        let bodies = [
            // A recurrence beside what may have lanes.
            "        a[i] = (a[(i - 1)] + b[i])\n        c[i] = (b[i] * 2.0)\n",
            // Loads that both parts have, some of them twice.
            "        a[i] = (a[(i - 1)] + b[i])\n        c[i] = ((b[i] * 2.0) + (d[i] * d[i]))\n        \
             a[i] = ((a[i] * b[i]) + d[i])\n",
            // Two stencils, and a branch.
            "        a[i] = ((b[(i - 1)] * 0.5) + b[(i + 1)])\n        b[i] = ((a[(i - 2)] * 0.5) + a[(i + 1)])\n        \
             if (d[i] > 0.0):\n            c[i] = ((d[i] * t[1]) + (t[2] * t[1]))\n",
        ];
        for body in bodies {
            let (apart, whole) = shares(&format!("{head}{body}"));
            assert_eq!(apart, Some(whole), "{body}");
        }
        // A part whose loop inside may have lanes needs the trial.
        let nest =
            "        a[i] = (a[(i - 1)] + b[i])\n        for j in range(0, 4):\n            c[((4 * i) + j)] = b[i]\n";
        assert_eq!(shares(&format!("{head}{nest}")).0, None);
    }
}
