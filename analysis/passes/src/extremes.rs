//! Extremes: lanes keep the least or greatest float of their own over all iterations of a loop, or over all rows of a nest, and whether
//! they may is asked once, behind it.
//!
//! ```text
//! let least = for y in range(0, h) with a = far:                let fast = @any_order for y in range(0, h) with a = far:
//!     let row = for x in range(0, 16) with b = a:                   let row = @any_order for x in range(0, 16) with b = a:
//!         yield min(b, z[y, x])                             =>          yield min(b, z[y, x])
//!     yield row                                                     yield row
//!                                                               let least = if (a NaN or, where fast == 0.0, a -0.0 was among them):
//!                                                                   yield for y in range(0, h) with a = far: …
//!                                                               else:
//!                                                                   yield fast
//! ```
//!
//! What is least or greatest is the same in any order, unless a NaN is among the numbers, which order alone decides about, or it is a zero
//! and there are zeros of both signs: then it is the last one or the first. In these cases the nest runs again as it was, where each
//! group of lanes asks for itself. It stores nothing, so that this changes nothing but the result.
//!
//! Both are found by integers that the loops carry: bits that a NaN sets, and the least of the numbers' bits as integers. A number that is
//! joined only if it has compared as less, equal or greater is no NaN, and one that is taken only where it compares as less or greater
//! (`if x < m: m = x`, `min(x, m)`) may be one: lanes leave it out as the program does.

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::Context;
use crate::cost;
use crate::decision::{Decision, Said};
use facts::loops::{Carried, CarriedRole, Extreme, Loops, Slicer};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, Values};
use ir::scalar::{Fold, Scalar};
use ir::types::{Elem, Type};

/// The most ops of a nest that is written down twice.
const MOST_OPS: usize = 120;

/// The most ops of a loop by itself: of a longer one it is a small part that each group of lanes asks, and to run it again costs more.
const MOST_OPS_ALONE: usize = 24;

/// The most iterations of a loop by itself that are a group or a few, which are asked where they are.
const FEW: u64 = 32;

/// Lets lanes keep extremes over loops and the rows of nests; says whether there are any.
pub fn extremes(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let (known, choice, uses) = (context.loops(kernel), context.choice(kernel), context.uses(kernel));
    let mut nests = Vec::new();
    for &row in choice.loops.iter() {
        let slicer = Slicer::new(kernel, &known.forest, &uses, row);
        nests.extend(Nest::of(kernel, &known, &slicer, row));
    }
    for nest in &nests {
        context.decide(nest.decision(kernel));
        nest.write(kernel);
    }
    !nests.is_empty()
}

/// A loop that hands extremes on, or a nest that does from row to row.
struct Nest {
    /// The block that the nest stands in.
    home: Region,
    /// The loops, outermost first.
    loops: Vec<Op>,
    /// The extremes, by the numbers of what each loop carries, outermost first.
    extremes: Vec<Vec<usize>>,
    /// What is joined, and its type.
    joined: Vec<Joined>,
    elem: Elem,
}

/// A number that is joined to an extreme.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Joined {
    number: Value,
    /// The condition under which it is, and whether that holds or fails then.
    condition: Option<(Value, bool)>,
    /// True if it is taken where it is a NaN.
    takes_nan: bool,
}

/// What may be among the numbers that makes a result depend on the order.
#[derive(Clone, Copy)]
enum Odd {
    Nan,
    /// -0.0
    Minus,
}

impl Nest {
    /// The largest nest around a loop with lanes.
    fn of(kernel: &Kernel, known: &Loops, slicer: &Slicer<'_>, row: Op) -> Option<Nest> {
        let forest = &known.forest;
        let facts = known.of(row).filter(|facts| is_plain(kernel, row) && facts.verdict.is_vector)?;
        // The place of an extreme is that of a number that came first, or last.
        if facts.carried.iter().any(|value| matches!(value.role, CarriedRole::Position { .. })) {
            return None;
        }
        let body = kernel.ops[row].regions[0];
        let (mut of_row, mut joined, mut elem) = (Vec::new(), Vec::new(), None);
        for (number, value) in facts.carried.iter().enumerate().filter(|(_, value)| is_extreme(kernel, value)) {
            // The mark is about all extremes of a loop.
            let (extreme, condition) = Extreme::under_condition(slicer, number, value.role)?;
            let is_visible = |value: Value| {
                let home = forest.region_of_value(kernel, value);
                home == body || !forest.is_made_inside(kernel, row, value)
            };
            let own = kernel.ty(value.arg).data_elem();
            let is_alike = elem.is_none() || elem == own;
            if !is_alike || !is_visible(extreme.other) || condition.is_some_and(|(it, _)| !is_visible(it)) {
                return None;
            }
            let one = Joined { number: extreme.other, condition, takes_nan: extreme.takes_nan() };
            joined.extend((!joined.contains(&one)).then_some(one));
            of_row.push(number);
            elem = own;
        }
        let mut nest =
            Nest { home: forest.region_of(row), loops: vec![row], extremes: vec![of_row], joined, elem: elem? };
        while let Some(outer) = forest.owner(nest.home).filter(|&outer| nest.may_grow(kernel, known, outer)) {
            let inner = nest.loops[0];
            let around = nest.extremes[0].iter().map(|&number| handed_on(kernel, outer, inner, number));
            let Some(around) = around.collect::<Option<Vec<usize>>>() else { break };
            let Some(facts) = known.of(outer) else { break };
            let of_outer = (0..facts.carried.len()).filter(|&number| is_extreme(kernel, &facts.carried[number]));
            if around.len() != of_outer.clone().count() || !of_outer.clone().all(|number| around.contains(&number)) {
                break;
            }
            nest.loops.insert(0, outer);
            nest.extremes.insert(0, around);
            nest.home = forest.region_of(outer);
        }
        let is_short = || cost::trips_if_known(kernel, row).is_some_and(|trips| trips <= FEW);
        let is_worth_it = nest.loops.len() > 1 || may_run_again(kernel, row, MOST_OPS_ALONE) && !is_short();
        is_worth_it.then_some(nest)
    }

    /// Says whether a loop around the nest may be a part of it.
    fn may_grow(&self, kernel: &Kernel, known: &Loops, outer: Op) -> bool {
        let is_only_loop = known.forest.loops_inside(outer).len() == self.loops.len();
        is_plain(kernel, outer) && is_only_loop && may_run_again(kernel, outer, MOST_OPS)
    }

    fn decision(&self, kernel: &Kernel) -> Decision {
        let row = *self.loops.last().expect("a nest has a row");
        let mut because: Vec<Said> = Vec::new();
        for &number in self.extremes.last().into_iter().flatten() {
            let arg = kernel.regions[kernel.ops[row].regions[0]].args[1 + number];
            because.extend((!because.is_empty()).then(|| "and".into()));
            because.push(Said::value(kernel, arg));
        }
        let (code, words) = match self.loops.len() {
            1 => (
                ReasonCode::ExtremeInLanes,
                "is joined by each lane for itself; if order decides about the result, the loop runs again, group by group",
            ),
            _ => (
                ReasonCode::ExtremeOverRows,
                "is joined by lanes over all rows; with a NaN among the numbers, or zeros of both signs and a zero as the result, the loops \
                 run again, row by row",
            ),
        };
        because.push(words.into());
        Decision::taken(kernel.ops[row].origin, code, because)
    }

    /// Writes the nest as one whose lanes join what they will, and behind it the same one as it was.
    fn write(&self, kernel: &mut Kernel) {
        let outer = self.loops[0];
        let again = copy::op(kernel, outer, &mut FxHashMap::default());
        for &op in &self.loops {
            if let Attr::Control(control) = &mut kernel.ops[op].attr {
                control.marks.any_order = true;
            }
        }
        let results = std::mem::take(&mut kernel.ops[outer].results);
        for (number, &result) in results.iter().enumerate() {
            let (ty, name) = (kernel.ty(result), kernel.values[result].name.clone());
            let own = kernel.add_value(ty, Def::Result(outer, number as u32), name);
            kernel.ops[outer].results.push(own);
        }
        let own = kernel.ops[outer].results.clone();
        let [nan, minus] = [Odd::Nan, Odd::Minus].map(|odd| self.carry(kernel, odd));

        let origin = kernel.ops[outer].origin;
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(origin);
        // What is asked first costs little and is rarely so; the rest is found out where it is.
        let doubts = self.doubts(&mut b, nan);
        b.open_if(doubts);
        let condition = self.runs_again(&mut b, nan, minus);
        b.open_if(condition);
        let side = b.block();
        b.kernel_mut().regions[side].ops.push(again);
        let from_again = b.kernel().ops[again].results.clone();
        b.next_block(&from_again);
        let found = b.close(&own).to_vec();
        b.next_block(&found);
        let chosen = b.close(&own);
        let (made, block) = b.detach();
        *kernel = made;
        let behind = std::mem::take(&mut kernel.regions[block].ops);

        // The branch defines what the nest defined.
        let branch = kernel.def_op(chosen[0]).expect("the branch yields what the nest does");
        for (number, &result) in results.iter().enumerate() {
            kernel.values[result].def = Def::Result(branch, number as u32);
        }
        kernel.ops[branch].results = results;
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == outer).expect("the block lists the loop");
        ops.splice(place + 1..place + 1, behind);
    }

    /// Lets all loops carry an integer that tells whether something odd is among the numbers; gives it as it is behind the nest. `None` if
    /// there can be none.
    fn carry(&self, kernel: &mut Kernel, odd: Odd) -> Option<Value> {
        let is_possible = |joined: &&Joined| match odd {
            Odd::Nan => joined.takes_nan && !is_never_nan(kernel, joined),
            Odd::Minus => true,
        };
        let joined: Vec<Joined> = self.joined.iter().filter(is_possible).copied().collect();
        if joined.is_empty() {
            return None;
        }
        let row = *self.loops.last().expect("a nest has a row");
        let (body, origin) = (kernel.ops[row].regions[0], kernel.ops[row].origin);
        let elem = self.integer();
        let ty = Type::scalar(elem);
        let none = kernel.constant(Scalar::zero(elem));
        let name = match odd {
            Odd::Nan => "nan",
            Odd::Minus => "minus",
        };
        let mut start = none;
        for &op in &self.loops {
            kernel.ops[op].operands.push(start);
            start = kernel.add_arg(kernel.ops[op].regions[0], ty, Some(name.into()));
        }
        let add = |kernel: &mut Kernel, code: Code, operands: Values, elem: Elem| {
            let attr = if code == Code::Bitcast { Attr::Elem(elem) } else { Attr::None };
            let op = kernel.add_op(code, attr, operands, &[Type::scalar(elem)], origin);
            kernel.regions[body].ops.push(op);
            kernel.ops[op].results[0]
        };
        let mut next = start;
        for Joined { number, condition, .. } in joined {
            // The bits of -0.0 are the least of all integers.
            let (own, join) = match odd {
                Odd::Nan => {
                    let bits = kernel.constant(Scalar::wrap(elem, -1));
                    let is_nan = add(kernel, Code::Isnan, smallvec![number], Elem::Bool);
                    (add(kernel, Code::Select, smallvec![is_nan, bits, none], elem), Code::Or)
                }
                Odd::Minus => (add(kernel, Code::Bitcast, smallvec![number], elem), Code::Min),
            };
            let with = add(kernel, join, smallvec![next, own], elem);
            next = match condition {
                Some((condition, true)) => add(kernel, Code::Select, smallvec![condition, with, next], elem),
                Some((condition, false)) => add(kernel, Code::Select, smallvec![condition, next, with], elem),
                None => with,
            };
        }
        for &op in self.loops.iter().rev() {
            kernel.regions[kernel.ops[op].regions[0]].yields.push(next);
            let number = kernel.ops[op].results.len() as u32;
            next = kernel.add_value(ty, Def::Result(op, number), None);
            kernel.ops[op].results.push(next);
        }
        Some(next)
    }

    /// The type of the numbers' bits, with a sign.
    fn integer(&self) -> Elem {
        self.elem.bits_of_same_size().to_signed()
    }

    /// Builds the condition under which order may decide about a result: a NaN is among the numbers, or a result is zero.
    fn doubts(&self, b: &mut Builder, nan: Option<Value>) -> Value {
        let outer = self.loops[0];
        let zero = b.constant(Scalar::zero(self.elem));
        let mut parts: Vec<Value> = nan.map(|nan| self.is_some(b, nan)).into_iter().collect();
        for &number in &self.extremes[0] {
            let data = &b.kernel().ops[outer];
            let (start, end) = (data.operands[3 + number], data.results[number]);
            parts.push(b.op(Code::Eq, &[end, zero]));
            parts.push(b.op(Code::Isnan, &[start]));
        }
        any(b, parts)
    }

    /// Builds the condition under which it does so, where it may: zeros have both signs.
    fn runs_again(&self, b: &mut Builder, nan: Option<Value>, minus: Option<Value>) -> Value {
        let outer = self.loops[0];
        let elem = self.integer();
        let least = b.constant(Scalar::wrap(elem, -1 << (8 * elem.bytes() - 1)));
        let zero = b.constant(Scalar::zero(self.elem));
        let mut parts: Vec<Value> = nan.map(|nan| self.is_some(b, nan)).into_iter().collect();
        let is_minus = minus.map(|minus| b.op(Code::Eq, &[minus, least]));
        for &number in &self.extremes[0] {
            let data = &b.kernel().ops[outer];
            let (start, end) = (data.operands[3 + number], data.results[number]);
            // What the nest starts from is one of the numbers, too.
            let bits = b.op_with(Code::Bitcast, Attr::Elem(elem), &[start]);
            let starts_so = b.op(Code::Eq, &[bits, least]);
            let is_minus = is_minus.map_or(starts_so, |is_minus| b.op(Code::Or, &[is_minus, starts_so]));
            let is_zero = b.op(Code::Eq, &[end, zero]);
            parts.push(b.op(Code::And, &[is_zero, is_minus]));
            parts.push(b.op(Code::Isnan, &[start]));
        }
        any(b, parts)
    }

    /// Builds the condition that bits are set.
    fn is_some(&self, b: &mut Builder, bits: Value) -> Value {
        let none = b.constant(Scalar::zero(self.integer()));
        b.op(Code::Ne, &[bits, none])
    }
}

/// Builds the condition that one of some holds.
fn any(b: &mut Builder, parts: Vec<Value>) -> Value {
    let any = parts.into_iter().reduce(|one, other| b.op(Code::Or, &[one, other]));
    any.expect("a nest hands on an extreme")
}

/// Says whether a value that a loop carries is the least or greatest of floats.
fn is_extreme(kernel: &Kernel, value: &Carried) -> bool {
    matches!(value.role, CarriedRole::Reduction { fold: Fold::Min | Fold::Max, .. })
        && kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float)
}

/// Says whether a loop may run twice: it stores nothing, and is not too long to be written down twice.
fn may_run_again(kernel: &Kernel, op: Op, most_ops: usize) -> bool {
    let mut writes = false;
    kernel.walk_effects(op, &mut |_, effect| writes |= effect == Effect::Writes);
    !writes && kernel.count_inside(op) <= most_ops
}

/// Says whether a loop goes over one range, and hands on only what it carries.
fn is_plain(kernel: &Kernel, op: Op) -> bool {
    let control = kernel.for_loop(op).filter(|_| kernel.ops[op].code == Code::For);
    control.is_some_and(|control| control.reductions.is_empty() && !control.marks.in_turn && !control.marks.any_order)
}

/// The number under which a loop carries what a loop inside of it carries on, from where that begins to where it ends.
fn handed_on(kernel: &Kernel, outer: Op, inner: Op, number: usize) -> Option<usize> {
    let body = &kernel.regions[kernel.ops[outer].regions[0]];
    let start = kernel.ops[inner].operands[3 + number];
    let around = body.args[1..].iter().position(|&arg| arg == start)?;
    (body.yields[around] == kernel.ops[inner].results[number]).then_some(around)
}

/// Says whether a number that is joined is never NaN: it is so only where it has compared as in some order with another one.
fn is_never_nan(kernel: &Kernel, joined: &Joined) -> bool {
    let Some((condition, true)) = joined.condition else { return false };
    let mut open = vec![condition];
    while let Some(value) = open.pop() {
        let Some(made) = kernel.def_op(value).map(|op| &kernel.ops[op]) else { continue };
        match made.code {
            Code::And => open.extend(&made.operands),
            // One that is only computed where the first one holds.
            Code::If if made.results.len() == 1 => {
                let [holds, fails] = [0, 1].map(|side: usize| kernel.regions[made.regions[side]].yields[0]);
                if kernel.as_const(fails) == Some(Scalar::Bool(false)) {
                    open.extend([made.operands[0], holds]);
                }
            }
            Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq if made.operands.contains(&joined.number) => {
                return true;
            }
            _ => {}
        }
    }
    false
}
