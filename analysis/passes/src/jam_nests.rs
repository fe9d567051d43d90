//! Unroll and jam of nests: several iterations of an outer loop go through all loops inside of it together, where they load the same.
//!
//! ```text
//! for i in range(0, n):                                 for i in range(0, (n - (n % 4)), 4):
//!     for j in range(0, m):                                 for j in range(0, m):
//!         let s = for p in range(0, k) with t = 0.0:            let s, s_1, s_2, s_3 = for p in range(0, k) with t = 0.0, …:
//!             yield (t + (a[i, p] * b[p, j]))                       let b_1 = b[p, j]
//!         c[i, j] = s                                               yield (t + (a[i, p] * b_1)), (t_1 + (a[(i + 1), p] * b_1)), …
//!                                                           c[i, j] = s
//!                                                           …
//!                                                       for i in range((n - (n % 4)), n):
//!                                                           …
//! ```
//!
//! What is loaded alike in all iterations is loaded once, and what each of them waits for comes while the others wait, too. The iterations
//! of the outer loop have to be independent, so that it is no matter how their ops are mixed, and the loops inside have to go over the same
//! ranges. It is done around a loop that takes the lanes, where a row that its lanes load is needed again in each iteration of the outer
//! loop: there is a third loop then, between the two or inside of both.
//!
//! Loops are chosen while facts about them are known ([`share_rows`]), and written when those inside have their lanes ([`jam_nests`]): the
//! copies would cost the dependence analysis many times as much, and tell it nothing new.

use rustc_hash::FxHashSet;

use super::Context;
use crate::decision::Decision;
use facts::loops::Loops;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy::Copied;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Control, Kernel, OpData, Values};
use ir::scalar::Scalar;

/// The loops from the outer one to what loads a row: with two alone, each row is loaded once as it is.
const LEAST_DEPTH: usize = 3;

/// The limit on the ops of the innermost block that each iteration has for itself.
const MOST_OWN_OPS: usize = 24;

/// The limit on those of twice as many iterations, which are taken together where each waits for what it hands on to itself.
const MOST_WAITING_OPS: usize = 5;

/// The limit on all ops of a loop whose iterations go together, before the loops inside have lanes and after: each is copied.
const MOST_OPS: usize = 160;
const MOST_OPS_IN_LANES: usize = 400;

/// Marks outer loops of which several iterations are to go together; says whether there are any.
pub fn share_rows(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let iterations = context.options.target.costs.jammed_iterations;
    let mut plans: Vec<Plan> = Vec::new();
    for &lanes in &choice.loops {
        let outer = found.forest.around(lanes).find(|&outer| is_independent(kernel, &found, outer));
        if let Some(plan) = outer.and_then(|outer| Plan::of(kernel, &found, outer, lanes, iterations))
            && !plans.iter().any(|other| other.outer == plan.outer)
        {
            plans.push(plan);
        }
    }
    for plan in &plans {
        let because = vec![
            i128::from(plan.iterations).into(),
            "iterations go together; rows that are loaded once for all of them:".into(),
            (plan.n_shared as i128).into(),
        ];
        context.decide(Decision::taken(kernel.ops[plan.outer].origin, ReasonCode::RowsShared, because));
        if let Attr::Control(control) = &mut kernel.ops[plan.outer].attr {
            control.marks.together = Some(plan.iterations);
        }
    }
    !plans.is_empty()
}

/// Takes the iterations together that are marked so; says whether there are any.
pub fn jam_nests(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut marked = Vec::new();
    kernel.walk(kernel.body, &mut |home, op| {
        let times = kernel.for_loop(op).and_then(|control| control.marks.together);
        marked.extend(times.map(|times| (home, op, times)));
    });
    for &(home, op, times) in &marked {
        if let Attr::Control(control) = &mut kernel.ops[op].attr {
            control.marks.together = None;
        }
        if makes_arrays(kernel, op) || kernel.count_inside(op) > MOST_OPS_IN_LANES {
            continue;
        }
        // Those that are left over by many go together by fewer.
        let least = context.options.target.costs.jammed_iterations.max(2);
        let mut times = times;
        while times >= least {
            let n_before = kernel.ops.len();
            let made = Jam::of(kernel, op).apply(kernel, home, times.into());
            context.outcomes.were_copied(kernel, n_before, &made);
            times /= 2;
        }
    }
    !marked.is_empty()
}

/// Says whether the iterations of a loop have nothing to do with each other: no value and no cell leads from one to another.
fn is_independent(kernel: &Kernel, found: &Loops, op: Op) -> bool {
    let may_be_lanes = found.of(op).is_some_and(|known| known.verdict.is_vector && known.carried.is_empty());
    let dependences = &found.dependences;
    let is_seen =
        found.forest.around(op).chain([op]).all(|outer| dependences.unseen.iter().all(|&(_, it)| it != outer));
    may_be_lanes && is_seen && is_plain(kernel, op) && dependences.carried_by(op).next().is_none()
}

/// Says whether iterations of a loop make arrays of their own, of which each copy would need one.
fn makes_arrays(kernel: &Kernel, op: Op) -> bool {
    let mut makes = false;
    kernel.walk_inside(op, &mut |inner| makes |= kernel.ops[inner].code == Code::Temp);
    makes
}

/// Says whether an op is a loop over a range that joins nothing.
fn is_plain(kernel: &Kernel, op: Op) -> bool {
    kernel.for_loop(op).is_some_and(|control| control.reductions.is_empty())
}

/// A loop of which several iterations are to go together.
struct Plan {
    outer: Op,
    /// The number of them, a power of two.
    iterations: u16,
    /// The rows that are loaded once for all of them.
    n_shared: usize,
}

/// The innermost block of a nest.
struct Innermost {
    /// The rows that are loaded once for all iterations.
    n_shared: usize,
    /// The ops that each of them has for itself.
    n_own: usize,
    /// True if its loop hands on what each lane computes, so that each iteration waits for the one before.
    waits: bool,
}

impl Plan {
    fn of(kernel: &Kernel, found: &Loops, outer: Op, lanes: Op, iterations: u16) -> Option<Plan> {
        let data = &kernel.ops[outer];
        let [first, last, step] = [0, 1, 2].map(|number| kernel.as_const(data.operands[number]).and_then(Scalar::wide));
        let count = first.zip(last).map_or(i128::MAX, |(first, last)| last - first);
        if !data.results.is_empty() || step != Some(1) || count < iterations.into() {
            return None;
        }
        if makes_arrays(kernel, outer) || kernel.count_inside(outer) > MOST_OPS {
            return None;
        }
        let jam = Jam::of(kernel, outer);
        // From the lanes outwards, all loops go together.
        let around: Vec<Op> = found.forest.around(lanes).take_while(|&op| op != outer).collect();
        let depth = around.len() + 2;
        if !around.iter().chain([&lanes]).all(|&op| jam.goes_together(kernel, op)) {
            return None;
        }
        let along = depending(kernel, &FxHashSet::default(), kernel.ops[lanes].regions[0]);
        let innermost = jam.innermost(kernel, kernel.ops[lanes].regions[0], &along, depth)?;
        let twice = innermost.waits && innermost.n_own <= MOST_WAITING_OPS && count >= 2 * i128::from(iterations);
        let iterations = if twice { 2 * iterations } else { iterations };
        let pays = innermost.n_shared > 0 && innermost.n_own <= MOST_OWN_OPS;
        pays.then_some(Plan { outer, iterations, n_shared: innermost.n_shared })
    }
}

/// A loop, with what is known of what its iterations have in common.
struct Jam {
    outer: Op,
    /// The values inside that differ from one iteration to the next.
    own: FxHashSet<Value>,
    /// The arrays that are written inside.
    written: FxHashSet<Value>,
}

impl Jam {
    fn of(kernel: &Kernel, outer: Op) -> Jam {
        let body = kernel.ops[outer].regions[0];
        let written = ir::effects::written(kernel, body);
        let own = depending(kernel, &written, body);
        Jam { outer, own, written }
    }

    /// Looks for the innermost block of a loop; `along` are the values that differ between lanes, `depth` is the number of loops around.
    /// `None` if it has branches, or more than a single loop inside.
    fn innermost(&self, kernel: &Kernel, block: Region, along: &FxHashSet<Value>, depth: usize) -> Option<Innermost> {
        let ops = &kernel.regions[block].ops;
        let mut inside = ops.iter().copied().filter(|&op| !kernel.ops[op].regions.is_empty());
        if let Some(inner) = inside.next() {
            let is_alone = inside.next().is_none() && self.goes_together(kernel, inner);
            let mut innermost = self.innermost(kernel, kernel.ops[inner].regions[0], along, depth + 1);
            // What the lanes' own loop hands on, they carry for themselves.
            innermost.iter_mut().for_each(|it| it.waits |= !kernel.ops[inner].results.is_empty());
            return innermost.filter(|_| is_alone);
        }
        if depth < LEAST_DEPTH {
            return None;
        }
        let is_row = |op: Op| {
            let data = &kernel.ops[op];
            data.code == Code::Load && data.operands[1..].iter().any(|subscript| along.contains(subscript))
        };
        let (shared, own): (Vec<Op>, Vec<Op>) = ops.iter().partition(|&&op| self.is_shared(kernel, op));
        let n_shared = shared.into_iter().filter(|&op| is_row(op)).count();
        Some(Innermost { n_shared, n_own: own.len(), waits: false })
    }

    /// Says whether an op gives the same in all iterations, so that one does for all.
    fn is_shared(&self, kernel: &Kernel, op: Op) -> bool {
        is_alike(kernel, &self.written, &self.own, op)
    }

    /// Says whether all iterations can go through an op with blocks together: a loop over the same range in all of them, or a branch that
    /// they take alike.
    fn goes_together(&self, kernel: &Kernel, op: Op) -> bool {
        is_alike_outside(kernel, &self.own, op)
    }

    /// Puts the loop over several iterations before the one that does the rest; gives what it put there.
    fn apply(&self, kernel: &mut Kernel, home: Region, iterations: i128) -> Vec<Op> {
        let data = kernel.ops[self.outer].clone();
        let mut writer =
            Writer { b: Builder::detached(std::mem::replace(kernel, Kernel::new(""))), jam: self, iterations };
        writer.b.set_origin(data.origin);
        let (lo, hi) = (data.operands[0], data.operands[1]);
        let elem = writer.b.kernel().ty(hi).data_elem().expect("a bound is a number");
        let count = writer.b.constant(Scalar::wrap(elem, iterations));
        let end = match writer.b.kernel().as_const(lo).and_then(Scalar::wide) {
            Some(0) => {
                let rest = writer.b.op(Code::Rem, &[hi, count]);
                writer.b.op(Code::Sub, &[hi, rest])
            }
            // The difference of the bounds may be too large for their type, but its last bits are right.
            _ => {
                let last = writer.b.op(Code::Max, &[lo, hi]);
                let all = writer.b.op(Code::WrappingSub, &[last, lo]);
                let bits = writer.b.constant(Scalar::wrap(elem, iterations - 1));
                let rest = writer.b.op(Code::And, &[all, bits]);
                writer.b.op(Code::WrappingSub, &[last, rest])
            }
        };
        writer.outer(&data, [lo, end, count]);
        let (rewritten, region) = writer.b.detach();
        *kernel = rewritten;
        kernel.ops[self.outer].operands[0] = end;
        let made = std::mem::take(&mut kernel.regions[region].ops);
        let ops = &mut kernel.regions[home].ops;
        let place = ops.iter().position(|&op| op == self.outer).expect("the block lists the loop");
        ops.splice(place..place, made.iter().copied());
        kernel.mark_as_rest(&[self.outer]);
        made
    }
}

/// Says whether the bounds of a loop that joins nothing, or the condition of a branch, are none of some values.
fn is_alike_outside(kernel: &Kernel, own: &FxHashSet<Value>, op: Op) -> bool {
    let data = &kernel.ops[op];
    let joins = || kernel.control(op).is_some_and(|control| !control.reductions.is_empty());
    let asked = match data.code {
        Code::For | Code::VectorFor if !joins() => &data.operands[..3],
        Code::If => &data.operands[..1],
        _ => return false,
    };
    asked.iter().all(|value| !own.contains(value))
}

/// The values inside of a block that may differ with its arguments: computed from these, or loaded from an array that is written inside.
fn depending(kernel: &Kernel, written: &FxHashSet<Value>, block: Region) -> FxHashSet<Value> {
    let mut own: FxHashSet<Value> = kernel.regions[block].args.iter().copied().collect();
    // What a loop inside hands on is known once its block has been looked at.
    loop {
        let before = own.len();
        spread(kernel, written, block, &mut own);
        if own.len() == before {
            return own;
        }
    }
}

fn spread(kernel: &Kernel, written: &FxHashSet<Value>, block: Region, own: &mut FxHashSet<Value>) {
    for &op in &kernel.regions[block].ops {
        let data = &kernel.ops[op];
        if data.regions.is_empty() {
            if !is_alike(kernel, written, own, op) {
                own.extend(&data.results);
            }
            continue;
        }
        let is_alike = is_alike_outside(kernel, own, op);
        for &inner in &data.regions {
            let region = &kernel.regions[inner];
            match data.code {
                Code::For | Code::VectorFor if is_alike => {
                    // The index is the same in all of them.
                    let handed = region.args[1..].iter().zip(&data.operands[3..]).zip(&region.yields);
                    let differing = handed.filter(|((_, start), next)| own.contains(start) || own.contains(next));
                    let differing: Vec<Value> = differing.map(|((&arg, _), _)| arg).collect();
                    own.extend(differing);
                }
                _ => own.extend(&region.args),
            }
            spread(kernel, written, inner, own);
        }
        own.extend(&data.results);
    }
}

/// Says whether an op without blocks gives the same wherever its operands do, as these are: it computes something, or loads from an array
/// that nothing inside writes.
fn is_alike(kernel: &Kernel, written: &FxHashSet<Value>, own: &FxHashSet<Value>, op: Op) -> bool {
    let data = &kernel.ops[op];
    let is_stable = |array: Value| !written.iter().any(|&other| kernel.may_overlap(other, array));
    let repeats = match kernel.effect(op) {
        Effect::Writes => false,
        Effect::Reads => kernel.ty(data.operands[0]).is_view() && is_stable(kernel.root(data.operands[0])),
        _ => data.code != Code::Temp,
    };
    repeats
        && data.regions.is_empty()
        && !data.results.is_empty()
        && data.operands.iter().all(|value| !own.contains(value))
}

struct Writer<'p> {
    b: Builder,
    jam: &'p Jam,
    iterations: i128,
}

impl Writer<'_> {
    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    /// Opens a loop like another one, which it comes from; gives its arguments.
    fn open_like(&mut self, data: &OpData, range: [Value; 3], inits: &[Value]) -> Values {
        let args = self.kernel().regions[data.regions[0]].args.clone();
        let name = |value: Value| self.kernel().values[value].name.as_deref().unwrap_or("i").to_owned();
        let index = name(args[0]);
        let names: Vec<String> = args[1..].iter().map(|&arg| name(arg)).collect();
        let named: Vec<(&str, Value)> = names.iter().map(String::as_str).cycle().zip(inits.iter().copied()).collect();
        let outside = self.b.set_origin(data.origin);
        let args = self.b.open_loop(data.code, Control::default(), &index, range, &named, &[]);
        self.b.set_origin(outside);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            *control = old.clone();
        }
        args
    }

    /// The outer loop over several iterations at a time.
    fn outer(&mut self, data: &OpData, range: [Value; 3]) {
        let index = self.open_like(data, range, &[])[0];
        let body = data.regions[0];
        let arg = self.kernel().regions[body].args[0];
        let elem = self.kernel().ty(index).data_elem().expect("an index is a number");
        let mut iterations: Vec<Copied> = Vec::new();
        for number in 0..self.iterations {
            let own = if number == 0 {
                index
            } else {
                let number = self.b.constant(Scalar::wrap(elem, number));
                self.b.op(Code::Add, &[index, number])
            };
            iterations.push(Copied::from_iter([(arg, own)]));
        }
        self.block(body, &mut iterations);
        self.b.close(&[]);
    }

    /// The ops of a block, for each iteration; gives what these yield, one after the other.
    fn block(&mut self, block: Region, iterations: &mut [Copied]) -> Values {
        for op in self.kernel().regions[block].ops.clone() {
            if self.jam.is_shared(self.kernel(), op) {
                self.b.copy(op, &mut iterations[0]);
                for result in self.kernel().ops[op].results.clone() {
                    let made = iterations[0][&result];
                    iterations[1..].iter_mut().for_each(|copied| {
                        copied.insert(result, made);
                    });
                }
            } else if self.jam.goes_together(self.kernel(), op) {
                match self.kernel().ops[op].code {
                    Code::If => self.branch(op, iterations),
                    _ => self.together(op, iterations),
                }
            } else {
                iterations.iter_mut().for_each(|copied| {
                    self.b.copy(op, copied);
                });
            }
        }
        let yields = &self.kernel().regions[block].yields;
        iterations.iter().flat_map(|copied| yields.iter().map(|value| stands_for(copied, *value))).collect()
    }

    /// A branch that all iterations take alike.
    fn branch(&mut self, op: Op, iterations: &mut [Copied]) {
        let data = self.kernel().ops[op].clone();
        let outside = self.b.set_origin(data.origin);
        self.b.open_if(stands_for(&iterations[0], data.operands[0]));
        self.b.set_origin(outside);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            *control = old.clone();
        }
        let yields = self.block(data.regions[0], iterations);
        self.b.next_block(&yields);
        let yields = self.block(data.regions[1], iterations);
        let results = self.b.close(&yields);
        for (number, copied) in iterations.iter_mut().enumerate() {
            let own = results[number * data.results.len()..].iter().copied();
            copied.extend(data.results.iter().copied().zip(own));
        }
    }

    /// A loop that all iterations go through together.
    fn together(&mut self, op: Op, iterations: &mut [Copied]) {
        let data = self.kernel().ops[op].clone();
        let args = self.kernel().regions[data.regions[0]].args.clone();
        let range = [0, 1, 2].map(|number| stands_for(&iterations[0], data.operands[number]));
        let inits =
            iterations.iter().flat_map(|copied| data.operands[3..].iter().map(|init| stands_for(copied, *init)));
        let inits: Vec<Value> = inits.collect();
        let made = self.open_like(&data, range, &inits);
        let n_carried = args.len() - 1;
        for (number, copied) in iterations.iter_mut().enumerate() {
            copied.insert(args[0], made[0]);
            let own = made[1 + number * n_carried..].iter().copied();
            copied.extend(args[1..].iter().copied().zip(own));
        }
        let yields = self.block(data.regions[0], iterations);
        let results = self.b.close(&yields);
        for (number, copied) in iterations.iter_mut().enumerate() {
            copied.extend(data.results.iter().copied().zip(results[number * n_carried..].iter().copied()));
        }
    }
}

/// The replacement of a value in an iteration's copy; a value from outside stands for itself.
fn stands_for(copied: &Copied, value: Value) -> Value {
    copied.get(&value).copied().unwrap_or(value)
}
