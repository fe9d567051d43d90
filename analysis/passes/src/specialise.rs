//! Specialisation: a `vector_for` becomes a main loop over whole groups of lanes, without a mask for the lanes past the
//! end, and a peeled tail for the remaining iterations, unless there are none. A loop with a reduction in a fixed order
//! stays one loop, with a branch in it: whole groups take one side and the remaining iterations the other. Where the target
//! has no accesses under a mask, the tail may be a group that overlaps the one before it ([`last_group`]).

mod last_group;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::Context;
use crate::decision::Decision;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy::Copier;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::is_loop;
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel, RegionData, ValueData, Values};
use ir::scalar::Scalar;
use ir::target::Target;
use ir::types::Type;
use ir::typing;
use ir::typing::OperandRole;

/// Makes bodies for whole groups; says whether there are any.
pub fn specialise(kernel: &mut Kernel, context: &mut Context) -> bool {
    let forest = context.forest(kernel);
    let in_lanes = forest.loops().iter().filter(|&&op| kernel.ops[op].code == Code::VectorFor);
    let loops: Vec<(Region, Op)> = in_lanes.map(|&op| (forest.region_of(op), op)).collect();
    if loops.is_empty() {
        return false;
    }
    // The bounds of the loops are all that is asked for.
    let mut has_lanes_inside = EntityVec::filled(kernel.ops.len(), false);
    loops.iter().flat_map(|&(_, op)| forest.around(op)).for_each(|around| has_lanes_inside[around] = true);
    let facts = facts::facts_around(kernel, &|op| is_loop(kernel.ops[op].code) && !has_lanes_inside[op]);
    let (mut changed, mut replaced) = (false, Vec::new());
    for (region, op) in loops {
        // A loop around this one may have taken its block elsewhere, where it stays as it is.
        if !kernel.regions[region].ops.contains(&op) {
            continue;
        }
        let Some(plan) = Plan::of(kernel, &facts, op, context.options.target) else { continue };
        if plan.overlaps {
            let because = vec![
                "the last".into(),
                plan.group.into(),
                "iterations are done together, though some of them were done before, to the same effect: for some of their accesses the \
                 target has no instruction under a mask"
                    .into(),
            ];
            context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::LastGroupOverlaps, because));
        }
        let made = match plan.is_whole {
            true => split_inside(kernel, op, &plan),
            false => split(kernel, op, &plan, &mut replaced),
        };
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place..=place, made);
        changed = true;
    }
    let mut new = EntityVec::filled(kernel.values.len(), None);
    replaced.into_iter().for_each(|(old, result)| new[old] = Some(result));
    kernel.replace_uses(&new);
    changed
}

/// The plan for a loop.
struct Plan {
    /// The bools that are true in every lane of a whole group.
    all_on: Vec<Value>,
    /// True if the last iterations may not fill a group.
    has_tail: bool,
    /// The peeled tail is part of the same loop: a reduction in a fixed order goes over the whole of it.
    is_whole: bool,
    /// Where there is a whole group, the tail is another one, which ends with the last iteration.
    overlaps: bool,
    /// The distance between the first indices of two groups.
    group: i128,
}

impl Plan {
    /// `None` for a loop that stays as it is.
    fn of(kernel: &Kernel, facts: &facts::Facts, op: Op, target: &Target) -> Option<Plan> {
        let data = &kernel.ops[op];
        let control = kernel.control(op)?;
        let lanes = i128::from(control.width?);
        let [lo, hi, step] = [data.operands[0], data.operands[1], data.operands[2]];
        let by = kernel.as_const(step).and_then(Scalar::wide).filter(|by| *by != 0)?;
        let group = (lanes * by).abs();
        // A few iterations of known number fill no group: the loop is what a tail would be.
        let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
        if number(lo).zip(number(hi)).is_some_and(|(lo, hi)| (hi - lo) * by.signum() < group) {
            return None;
        }
        let form = |value: Value| facts.values[value].exact_form();
        let span = || form(hi)?.sub(form(lo)?)?.divide_exactly(group);
        let has_tail = span().is_none() && !is_so_far_behind(kernel, lo, hi, by > 0, group);
        let (_, last) = kernel.ty(lo).data_elem()?.integer_range()?;
        if has_tail && group > last {
            return None;
        }
        let is_whole = has_tail && !control.reductions.is_empty();
        let all_on = active(kernel, op, hi, by > 0);
        let overlaps = has_tail && !is_whole && last_group::overlaps(kernel, op, &all_on, target);
        (!all_on.is_empty()).then_some(Plan { all_on, has_tail, is_whole, overlaps, group })
    }
}

/// Says whether a bound lies whole groups behind the other one. Where that sum has wrapped there is no index between the two.
fn is_so_far_behind(kernel: &Kernel, lo: Value, hi: Value, upwards: bool, group: i128) -> bool {
    let Some(sum) = kernel.def_op(hi).map(|op| &kernel.ops[op]) else { return false };
    let moves = if upwards { [Code::Add, Code::WrappingAdd] } else { [Code::Sub, Code::WrappingSub] };
    let by = sum.operands.get(1).and_then(|&by| kernel.as_const(by)?.wide());
    moves.contains(&sum.code) && sum.operands[0] == lo && by.is_some_and(|by| by > 0 && by % group == 0)
}

/// The values of a loop's body that say whether a lane's index is before the end.
fn active(kernel: &Kernel, op: Op, hi: Value, upwards: bool) -> Vec<Value> {
    let region = kernel.ops[op].regions[0];
    let base = kernel.regions[region].args[0];
    let is_index = |value: Value| {
        kernel
            .def_op(value)
            .is_some_and(|op| kernel.ops[op].code == Code::LaneIndex && kernel.ops[op].operands[0] == base)
    };
    let wanted = if upwards { Code::Lt } else { Code::Gt };
    let own = kernel.regions[region].ops.iter().map(|&inner| &kernel.ops[inner]);
    let tests = own.filter(|data| data.code == wanted && is_index(data.operands[0]) && data.operands[1] == hi);
    tests.map(|data| data.results[0]).collect()
}

/// The ops that stand for a loop. Results of the loop that are those of another one now are noted in `replaced`.
fn split(kernel: &mut Kernel, op: Op, plan: &Plan, replaced: &mut Vec<(Value, Value)>) -> Vec<Op> {
    let data = kernel.ops[op].clone();
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    b.set_origin(data.origin);
    let [lo, hi, step] = [data.operands[0], data.operands[1], data.operands[2]];
    let end = match plan.has_tail {
        true => {
            let end = end_of_whole_groups(&mut b, lo, hi, step, plan.group);
            b.name(end, "whole")
        }
        false => hi,
    };
    let has_overlap = plan.overlaps.then(|| {
        let (has_whole, has_rest) = (b.op(Code::Lt, &[lo, end]), b.op(Code::Lt, &[end, hi]));
        b.op(Code::And, &[has_whole, has_rest])
    });
    let (mut made, region) = b.detach();
    let main = unmasked(&mut made, op, plan, [lo, end]);
    let results = made.ops[main].results.clone();
    made.regions[region].ops.push(main);
    if plan.has_tail {
        let last = has_overlap.map(|test| (test, last_group(&mut made, op, plan)));
        // The tail is the loop as it was, from where the whole groups end.
        let tail = &mut made.ops[op].operands;
        tail[0] = end;
        tail[3..].copy_from_slice(&results);
        let tail = match last {
            Some((test, last)) => {
                let otherwise = made.regions.push(RegionData { ops: vec![op], ..RegionData::default() });
                let attr = Attr::Control(Box::default());
                let branch = made.add_op(Code::If, attr, smallvec![test], &[], data.origin);
                made.ops[branch].regions = [last, otherwise].into_iter().collect();
                branch
            }
            None => op,
        };
        made.regions[region].ops.push(tail);
        made.mark_as_rest(&[tail]);
    } else {
        replaced.extend(data.results.iter().copied().zip(results));
    }
    *kernel = made;
    std::mem::take(&mut kernel.regions[region].ops)
}

/// A copy of a loop that goes from one bound to the other by whole groups, without the masks for what is left.
fn unmasked(kernel: &mut Kernel, op: Op, plan: &Plan, [lo, hi]: [Value; 2]) -> Op {
    let mut operands: Values = kernel.ops[op].operands.clone();
    (operands[0], operands[1]) = (lo, hi);
    let mut copier = Unmasker { kernel, new: FxHashMap::default(), lanes: None };
    copier.all_on(&plan.all_on);
    copier.control(op, operands)
}

/// A block that does the last group of a loop, up to its last iteration. There is one.
fn last_group(kernel: &mut Kernel, op: Op, plan: &Plan) -> Region {
    let (hi, origin) = (kernel.ops[op].operands[1], kernel.ops[op].origin);
    let ty = kernel.ty(hi);
    let group = kernel.constant(Scalar::wrap(ty.data_elem().expect("bounds are integers"), plan.group));
    let before = kernel.add_op(Code::Sub, Attr::None, smallvec![hi, group], &[ty], origin);
    let start = kernel.ops[before].results[0];
    let group = unmasked(kernel, op, plan, [start, hi]);
    kernel.regions.push(RegionData { ops: vec![before, group], ..RegionData::default() })
}

/// The ops that stand for a loop in which whole groups and what is left go different ways.
fn split_inside(kernel: &mut Kernel, op: Op, plan: &Plan) -> Vec<Op> {
    let data = kernel.ops[op].clone();
    let body = data.regions[0];
    let base = kernel.regions[body].args[0];
    let [lo, hi, step] = [data.operands[0], data.operands[1], data.operands[2]];
    let upwards = kernel.as_const(step).and_then(Scalar::wide).is_none_or(|step| step > 0);
    let lanes = data.attr.as_control().and_then(|control| control.width).unwrap_or(1);
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    b.set_origin(data.origin);
    let end = end_of_whole_groups(&mut b, lo, hi, step, plan.group);
    b.name(end, "whole");
    let (mut made, region) = b.detach();
    let whole = made.regions.push(RegionData::default());
    let mut copier = Unmasker { kernel: &mut made, new: FxHashMap::default(), lanes: Some(lanes) };
    copier.all_on(&plan.all_on);
    for inner in copier.kernel.regions[body].ops.clone() {
        copier.op(inner, whole);
    }
    let old = copier.kernel.regions[body].yields.clone();
    let yields: Values = old.iter().map(|&value| copier.value(value, whole)).collect();
    copier.kernel.regions[whole].yields = yields;
    // The old block of the loop is one side of a branch now.
    let ops = std::mem::take(&mut made.regions[body].ops);
    made.mark_as_rest(&ops);
    let rest = made.regions.push(RegionData { ops, yields: old.clone(), ..RegionData::default() });
    let mut copier = Unmasker { kernel: &mut made, new: FxHashMap::default(), lanes: Some(lanes) };
    let code = if upwards { Code::Lt } else { Code::Gt };
    let is_before = copier.push(code, Attr::None, &[base, end], body, data.origin);
    let types: Vec<_> = old.iter().map(|&value| made.ty(value)).collect();
    let branch =
        made.add_op(Code::If, Attr::Control(Box::default()), [is_before].into_iter().collect(), &types, data.origin);
    made.ops[branch].regions = [whole, rest].into_iter().collect();
    let results: Values = made.ops[branch].results.iter().copied().collect();
    made.regions[body].ops.push(branch);
    made.regions[body].yields = results;
    made.regions[region].ops.push(op);
    *kernel = made;
    std::mem::take(&mut kernel.regions[region].ops)
}

/// The bound behind the last whole group that lies before `hi` with all the distance to the next one. What is left is a group at most.
fn end_of_whole_groups(b: &mut Builder, lo: Value, hi: Value, step: Value, group: i128) -> Value {
    let elem = b.kernel().ty(lo).data_elem().expect("bounds are integers");
    let count = b.constant(Scalar::wrap(elem, group));
    let upwards = b.kernel().as_const(step).and_then(Scalar::wide).is_none_or(|step| step > 0);
    let from_zero = b.kernel().as_const(lo).is_some_and(|lo| lo == Scalar::zero(elem));
    if from_zero && upwards {
        // A negative bound leaves a negative rest, and no whole group.
        let rest = b.op(Code::Rem, &[hi, count]);
        return b.op(Code::WrappingSub, &[hi, rest]);
    }
    // The distance fits the unsigned type, whatever the bounds are.
    let unsigned = Attr::Elem(elem.to_unsigned());
    let (from, to) = if upwards { (lo, hi) } else { (hi, lo) };
    let far = b.op(Code::Max, &[from, to]);
    let distance = b.op(Code::WrappingSub, &[far, from]);
    let distance = if elem.is_signed() { b.op_with(Code::Cast, unsigned, &[distance]) } else { distance };
    let count = b.constant(Scalar::wrap(elem.to_unsigned(), group));
    let rest = b.op(Code::Rem, &[distance, count]);
    let whole = b.op(Code::WrappingSub, &[distance, rest]);
    let whole = if elem.is_signed() { b.op_with(Code::Cast, Attr::Elem(elem), &[whole]) } else { whole };
    let code = if upwards { Code::WrappingAdd } else { Code::WrappingSub };
    b.op(code, &[lo, whole])
}

/// Says whether `end` is where the whole groups of an upward range end, as this pass has computed it: from `lo`, or from wherever
/// they begin; `group` is the distance between two groups.
pub(super) fn ends_whole_groups(kernel: &Kernel, end: Value, lo: Option<Value>, hi: Value, group: i128) -> bool {
    let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
    if let (Some(end), Some(lo), Some(hi)) = (number(end), lo.and_then(number), number(hi)) {
        return end == hi - (hi - lo).max(0) % group;
    }
    let made = |value: Value, code: Code| -> Option<[Value; 2]> {
        let data = &kernel.ops[kernel.def_op(value)?];
        (data.code == code).then(|| [data.operands[0], data.operands[1]])
    };
    let plain = |value: Value| match kernel.def_op(value).map(|op| &kernel.ops[op]) {
        Some(data) if data.code == Code::Cast => data.operands[0],
        _ => value,
    };
    // `x - x % group`
    let rounded = |value: Value| {
        let [x, rest] = made(value, Code::WrappingSub)?;
        let [same, count] = made(rest, Code::Rem)?;
        (same == x && number(count) == Some(group)).then_some(x)
    };
    if rounded(end) == Some(hi) {
        return lo.is_none_or(|lo| number(lo) == Some(0));
    }
    let from_anywhere = || {
        let [from, whole] = made(end, Code::WrappingAdd)?;
        let [far, start] = made(plain(rounded(plain(whole))?), Code::WrappingSub)?;
        let bounds = made(far, Code::Max)?;
        let same = start == from && bounds.contains(&from) && bounds.contains(&hi);
        Some(same && lo.is_none_or(|lo| lo == from))
    };
    from_anywhere().unwrap_or(false)
}

/// The replacement of a value in a copy.
#[derive(Debug, Clone, Copy)]
enum Known {
    /// The value is another one in the copy.
    Is(Value),
    /// A mask in which every lane is on.
    AllOn,
}

/// Copies a block, with masks that are known to be on taken out.
struct Unmasker<'k> {
    kernel: &'k mut Kernel,
    new: FxHashMap<Value, Known>,
    /// The lanes of the loop that is copied.
    lanes: Option<u16>,
}

impl Copier for Unmasker<'_> {
    fn source(&self) -> &Kernel {
        self.kernel
    }

    fn target(&mut self) -> &mut Kernel {
        self.kernel
    }

    fn value(&mut self, old: Value, into: Region) -> Value {
        match self.known(old) {
            Known::Is(new) => new,
            Known::AllOn => {
                let on = self.kernel.constant(Scalar::Bool(true));
                let origin = self.kernel.whole();
                let lanes = Attr::Lanes(self.lanes.unwrap_or(1));
                self.push(Code::Splat, lanes, &[on], into, origin)
            }
        }
    }

    fn note(&mut self, old: Value, new: Value) {
        self.new.insert(old, Known::Is(new));
    }

    fn op(&mut self, old: Op, into: Region) {
        let data = &self.kernel.ops[old];
        let (first, origin, is_control) = (data.results.first().copied(), data.origin, data.code.is_control());
        // A mask that is known is not computed.
        if first.is_some_and(|result| matches!(self.new.get(&result), Some(Known::AllOn))) {
            return;
        }
        if let Some(known) = self.simpler(old, into) {
            self.new.extend(first.map(|result| (result, known)));
            return;
        }
        if is_control {
            let operands = self.operands(old, into);
            let op = self.control(old, operands);
            self.kernel.regions[into].ops.push(op);
            return;
        }
        let (code, attr, operands) = self.unmasked(old, into);
        let op = self.kernel.add_op(code, attr, operands, &[], origin);
        for number in 0..self.kernel.ops[old].results.len() {
            let ValueData { ty, name, .. } = self.kernel.values[self.kernel.ops[old].results[number]].clone();
            let value = self.kernel.add_value(ty, Def::Result(op, number as u32), name);
            self.kernel.ops[op].results.push(value);
            self.new.insert(self.kernel.ops[old].results[number], Known::Is(value));
        }
        self.kernel.regions[into].ops.push(op);
    }
}

impl Unmasker<'_> {
    fn all_on(&mut self, masks: &[Value]) {
        self.new.extend(masks.iter().map(|&mask| (mask, Known::AllOn)));
    }

    fn known(&self, value: Value) -> Known {
        self.new.get(&value).copied().unwrap_or(Known::Is(value))
    }

    /// A copy of a control op, with these operands.
    fn control(&mut self, old: Op, operands: Values) -> Op {
        let outer = self.lanes;
        self.lanes = self.kernel.control(old).and_then(|control| control.width).or(outer);
        let op = self.copy_op(old, operands);
        self.lanes = outer;
        op
    }

    fn push(
        &mut self,
        code: Code,
        attr: Attr,
        operands: &[Value],
        into: Region,
        origin: ir::entities::Origin,
    ) -> Value {
        let types: Vec<_> = operands.iter().map(|&value| self.kernel.ty(value)).collect();
        let results = typing::results(&self.kernel.structs, code, &attr, &types).expect("operands that fit");
        let op = self.kernel.add_op(code, attr, operands.into(), &results, origin);
        self.kernel.regions[into].ops.push(op);
        self.kernel.ops[op].results.first().copied().unwrap_or(operands[0])
    }

    /// The result of an op on a mask that is on.
    fn simpler(&mut self, old: Op, into: Region) -> Option<Known> {
        let data = &self.kernel.ops[old];
        let (code, operands, origin) = (data.code, data.operands.clone(), data.origin);
        let on = |copier: &Self, n: usize| matches!(copier.known(operands[n]), Known::AllOn);
        let constant = |copier: &mut Self, scalar| Some(Known::Is(copier.kernel.constant(scalar)));
        let in_lanes = |copier: &mut Self, n: usize| {
            let value = copier.value(operands[n], into);
            // A scalar that stands for all lanes becomes a vector here.
            let lanes = match copier.kernel.ty(value).lanes() {
                Some(_) => value,
                None => copier.push(Code::Splat, Attr::Lanes(copier.lanes.unwrap_or(1)), &[value], into, origin),
            };
            Some(Known::Is(lanes))
        };
        match code {
            Code::And if on(self, 0) && on(self, 1) => Some(Known::AllOn),
            Code::And if on(self, 0) => in_lanes(self, 1),
            Code::And if on(self, 1) => in_lanes(self, 0),
            Code::Or if on(self, 0) || on(self, 1) => Some(Known::AllOn),
            Code::Any | Code::All if operands.len() == 1 && on(self, 0) => constant(self, Scalar::Bool(true)),
            Code::None if operands.len() == 1 && on(self, 0) => constant(self, Scalar::Bool(false)),
            Code::FirstOn if operands.len() == 1 && on(self, 0) => constant(self, Scalar::I32(0)),
            Code::LastOn if operands.len() == 1 && on(self, 0) => {
                let lanes = self.lanes.unwrap_or(1);
                constant(self, Scalar::I32(i32::from(lanes) - 1))
            }
            Code::CountOn if operands.len() == 1 && on(self, 0) => {
                let lanes = self.lanes.unwrap_or(1);
                constant(self, Scalar::I32(lanes.into()))
            }
            Code::Extract if on(self, 0) => constant(self, Scalar::Bool(true)),
            Code::Select if on(self, 0) => in_lanes(self, 1),
            _ => None,
        }
    }

    /// The op without the mask that is on.
    fn unmasked(&mut self, old: Op, into: Region) -> (Code, Attr, Values) {
        let data = &self.kernel.ops[old];
        let types: SmallVec<[Type; 4]> = data.operands.iter().map(|&value| self.kernel.ty(value)).collect();
        let roles = typing::roles(data.code, &types).expect("a verified op");
        let mask = roles.iter().position(|role| *role == OperandRole::Mask);
        let mask = mask.filter(|&mask| matches!(self.known(data.operands[mask]), Known::AllOn));
        let code = match data.code {
            Code::MaskedLoad => Some(Code::VectorLoad),
            // With every lane there, one cell for each is simply the next one.
            Code::ExpandLoad => Some(Code::VectorLoad),
            Code::MaskedStore | Code::CompressStore => Some(Code::VectorStore),
            // A group's mask stands between its subscripts and what it stores.
            Code::InterleavedStore => None,
            code => Some(code),
        };
        let (own, attr, operands) = (data.code, data.attr.clone(), data.operands.clone());
        if let (Some(mask), Some(code)) = (mask, code) {
            let mut operands = operands.clone();
            operands.remove(mask);
            let operands: Values = operands.iter().map(|&value| self.value(value, into)).collect();
            let in_lanes = operands.iter().any(|&value| self.kernel.ty(value).lanes().is_some());
            match code {
                _ if in_lanes => return (code, attr, operands),
                Code::VectorLoad => return (code, Attr::Lanes(self.lanes.unwrap_or(1)), operands),
                // Without its mask the op would no longer be a vector op.
                _ => {}
            }
        }
        (own, attr, operands.iter().map(|&value| self.value(value, into)).collect())
    }
}
