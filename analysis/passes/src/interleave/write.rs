//! The rewriting: the loop over rounds of several groups, what joins their partial results, and the loop over the rest.

use super::plan::{Induction, Plan, Step};
use crate::fold::moved;
use crate::rounds;
use ir::builder::Builder;
use ir::copy;
use ir::copy::Copied;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel, OpData, Values};
use ir::scalar::{Fold, Scalar};

/// Interleaves a loop; gives the ops that stand for it, the loop over the rest among them. `replaced` takes which values stand for the loop's results.
pub(super) fn write(kernel: &mut Kernel, op: Op, plan: &Plan, replaced: &mut Vec<(Value, Value)>) -> Vec<Op> {
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    let data = b.kernel().ops[op].clone();
    b.set_origin(data.origin);
    let mut writer = Writer { b, op, data, plan };
    let hi = writer.data.operands[1];
    let rounds_known = writer.whole_rounds();
    let end = if rounds_known.is_some() { hi } else { writer.end_of_rounds() };
    if end != hi && writer.b.kernel().as_const(end).is_none() {
        writer.b.name(end, "end");
    }
    let rounds = writer.carried();
    let results = match rounds_known {
        Some(1) => writer.only_round(&rounds),
        _ => writer.main_loop(end, &rounds),
    };
    let starts = writer.joined(&rounds, results);
    match rounds_known {
        // What the rounds give stands for the results of the old loop, which is gone.
        Some(_) => replaced.extend(writer.data.results.iter().copied().zip(starts)),
        None => writer.rest(end, starts, replaced),
    }
    let (made, region) = writer.b.detach();
    *kernel = made;
    std::mem::take(&mut kernel.regions[region].ops)
}

struct Writer<'p> {
    b: Builder,
    op: Op,
    data: OpData,
    plan: &'p Plan,
}

/// The values that the loop over rounds carries for a carried value or a reduction: that value itself, or its partial results.
struct Round {
    name: String,
    starts: Values,
    /// The operator that joins partial results.
    fold: Option<Fold>,
}

impl Writer<'_> {
    fn control(&self) -> Control {
        self.data.attr.as_control().cloned().unwrap_or_default()
    }

    fn width(&self) -> u16 {
        self.control().width.unwrap_or(1)
    }

    fn n_carried(&self) -> usize {
        self.plan.parts.len()
    }

    fn number(&mut self, number: i128) -> Value {
        let elem = self.b.kernel().ty(self.data.operands[0]).data_elem().expect("bounds are integers");
        self.b.constant(Scalar::wrap(elem, number))
    }

    /// The number of rounds, if it is known and leaves no rest: both bounds are known, or the range ends a number of indices behind its start.
    fn whole_rounds(&self) -> Option<i128> {
        let kernel = self.b.kernel();
        let [lo, hi] = [self.data.operands[0], self.data.operands[1]];
        let known = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
        let distance = match (known(lo), known(hi)) {
            (Some(lo), Some(hi)) => hi - lo,
            _ => moved(kernel, hi, lo)?,
        };
        let by = self.plan.by * i128::from(self.plan.groups);
        let leaves_none = self.plan.moved.is_empty() && self.control().reductions.is_empty();
        (leaves_none && distance > 0 && distance % by == 0).then_some(distance / by)
    }

    /// The end of the rounds: as many indices behind the first one as fill rounds, and one less where some are to be left.
    fn end_of_rounds(&mut self) -> Value {
        let range = [self.data.operands[0], self.data.operands[1]];
        let by = self.plan.by * i128::from(self.plan.groups);
        rounds::end(&mut self.b, range, by, i128::from(!self.plan.moved.is_empty()))
    }

    /// The values that the loop over rounds carries: those of carried values, then those of reductions.
    fn carried(&mut self) -> Vec<Round> {
        let (control, width, n_carried) = (self.control(), self.width(), self.n_carried());
        let args = self.b.kernel().regions[self.data.regions[0]].args.clone();
        let groups = usize::from(self.plan.groups);
        let mut rounds = Vec::new();
        for (number, fold) in self.plan.parts.iter().copied().enumerate() {
            let start = self.data.operands[3 + number];
            let name = self.name(args[1 + number], "carried");
            let mut starts: Values = [start].into_iter().collect();
            if let Some(fold) = fold.filter(|_| groups > 1) {
                let nothing = self.nothing(fold, start, width);
                starts.extend(std::iter::repeat_n(nothing, groups - 1));
            }
            rounds.push(Round { name, starts, fold });
        }
        for (number, fold) in control.reductions.into_iter().enumerate() {
            let start = self.data.operands[3 + n_carried + number];
            let name = self.name(self.data.results[n_carried + number], "partial");
            let elem = self.b.kernel().ty(start).data_elem().expect("what is joined is data");
            let (starts, fold) = match fold.partials(elem) {
                Some(count) => {
                    let nothing = self.nothing(fold, start, width);
                    (std::iter::repeat_n(nothing, count / usize::from(width)).collect(), Some(fold))
                }
                // Elements are joined in the order in which they come.
                None => ([start].into_iter().collect(), Some(fold)),
            };
            rounds.push(Round { name, starts, fold });
        }
        rounds
    }

    fn name(&self, value: Value, otherwise: &str) -> String {
        let own = self.b.kernel().values[value].name.as_ref();
        own.map_or_else(|| otherwise.to_owned(), ToString::to_string)
    }

    /// Lanes that change nothing that they are joined to.
    fn nothing(&mut self, fold: Fold, like: Value, width: u16) -> Value {
        let elem = self.b.kernel().ty(like).data_elem().expect("what is joined is data");
        let identity = self.b.constant(fold.identity(elem));
        self.b.op_with(Code::Splat, Attr::Lanes(width), &[identity])
    }

    /// The loop over rounds; gives its results.
    fn main_loop(&mut self, end: Value, rounds: &[Round]) -> Values {
        let region = self.data.regions[0];
        let args = self.b.kernel().regions[region].args.clone();
        let step = self.b.kernel().as_const(self.data.operands[2]).and_then(Scalar::wide).unwrap_or(1);
        let step = self.number(step * i128::from(self.plan.groups));
        let mut control = Control { reductions: Vec::new(), ..self.control() };
        control.marks.rolled = true;
        let carried: Vec<(&str, Value)> =
            rounds.iter().flat_map(|round| round.starts.iter().map(|&start| (round.name.as_str(), start))).collect();
        let index = self.name(args[0], "base");
        let new = self.b.open_loop(Code::VectorFor, control, &index, [self.data.operands[0], end, step], &carried, &[]);
        let mut given = new[1..].iter().copied();
        let parts: Vec<Values> = rounds.iter().map(|round| given.by_ref().take(round.starts.len()).collect()).collect();
        let mut groups = self.start_groups(new[0], &args, &parts);
        let yields = self.bodies(&args, &mut groups);
        let ends = self.ends(rounds, &parts, &yields);
        self.b.close(&ends)
    }

    /// The only round there is; gives what a loop over it would.
    fn only_round(&mut self, rounds: &[Round]) -> Values {
        let args = self.b.kernel().regions[self.data.regions[0]].args.clone();
        let parts: Vec<Values> = rounds.iter().map(|round| round.starts.clone()).collect();
        let mut groups = self.start_groups(self.data.operands[0], &args, &parts);
        let yields = self.bodies(&args, &mut groups);
        self.ends(rounds, &parts, &yields)
    }

    /// The copies that each group begins with: its index, and what is carried.
    fn start_groups(&mut self, base: Value, args: &[Value], parts: &[Values]) -> Vec<Copied> {
        let on: Vec<Value> = self.plan.all_on.iter().map(|&test| self.b.kernel().ops[test].results[0]).collect();
        let all_on = (!on.is_empty()).then(|| {
            let holds = self.b.constant(Scalar::Bool(true));
            self.b.op_with(Code::Splat, Attr::Lanes(self.width()), &[holds])
        });
        let mut groups = Vec::new();
        for group in 0..usize::from(self.plan.groups) {
            let first = match group {
                _ if !self.plan.uses_index => base,
                0 => base,
                _ => {
                    let distance = self.number(self.plan.by * group as i128);
                    self.b.op(Code::Advance, &[base, distance])
                }
            };
            let mut copied = Copied::from_iter([(args[0], first)]);
            for (number, (&arg, parts)) in args[1..].iter().zip(parts).enumerate() {
                let own = match self.plan.inductions.get(number).copied().flatten() {
                    Some(induction) if group > 0 && self.plan.by_op => self.ahead(parts[0], induction, group),
                    _ => parts.get(group).copied().unwrap_or(parts[0]),
                };
                copied.insert(arg, own);
            }
            copied.extend(on.iter().copied().zip(all_on.iter().copied().cycle()));
            groups.push(copied);
        }
        groups
    }

    /// An induction some groups ahead.
    fn ahead(&mut self, first: Value, induction: Induction, groups: usize) -> Value {
        let elem = self.b.kernel().ty(first).data_elem().expect("an induction is a number");
        let by = self.b.constant(Scalar::wrap(elem, induction.by * groups as i128));
        self.b.op(induction.code, &[first, by])
    }

    /// The body for each group; gives what each yields.
    fn bodies(&mut self, args: &[Value], groups: &mut [Copied]) -> Vec<Values> {
        let plan = self.plan;
        let old = self.b.kernel().regions[self.data.regions[0]].yields.clone();
        let yields = |copied: &Copied| old.iter().map(|value| copied.get(value).copied().unwrap_or(*value)).collect();
        if self.plan.by_op {
            for &step in &plan.steps {
                groups.iter_mut().for_each(|copied| self.step(step, copied));
            }
            return groups.iter().map(yields).collect();
        }
        let mut all: Vec<Values> = Vec::new();
        for copied in groups {
            let handed_on = all.last().cloned().unwrap_or_default();
            for ((&arg, fold), value) in args[1..].iter().zip(&plan.parts).zip(handed_on) {
                if fold.is_none() {
                    copied.insert(arg, value);
                }
            }
            plan.steps.iter().for_each(|&step| self.step(step, copied));
            all.push(yields(copied));
        }
        all
    }

    fn step(&mut self, step: Step, copied: &mut Copied) {
        match step {
            Step::Is(value, other) => {
                let other = copied.get(&other).copied().unwrap_or(other);
                copied.insert(value, other);
            }
            Step::Op(op) if self.plan.all_on.contains(&op) => {}
            Step::Op(op) => {
                let start = self.plan.moved.get(&op).map(|&further| self.moved_start(op, further, copied));
                let region = self.b.block();
                let kernel = self.b.kernel_mut();
                let new = copy::op(kernel, op, copied);
                if let Some(start) = start {
                    let last = kernel.ops[new].operands.len() - 1;
                    kernel.ops[new].operands[last] = start;
                }
                self.reach_back(op, new);
                self.b.kernel_mut().regions[region].ops.push(new);
            }
        }
    }

    /// The subscript of a load that moves on.
    fn moved_start(&mut self, op: Op, further: u16, copied: &Copied) -> Value {
        let kernel = self.b.kernel();
        let start = kernel.ops[op].operands[kernel.ops[op].operands.len() - 1];
        let sum = kernel.ops[kernel.def_op(start).expect("a sum")].clone();
        let distance = kernel.as_const(sum.operands[1]).and_then(Scalar::wide).unwrap_or(0) + i128::from(further);
        let elem = kernel.ty(start).data_elem().expect("a subscript is data");
        let distance = self.b.constant(Scalar::wrap(elem, distance));
        let from = copied.get(&sum.operands[0]).copied().unwrap_or(sum.operands[0]);
        self.b.op(sum.code, &[from, distance])
    }

    /// Makes lanes that are chosen from a load that has moved on come from where their cells are now.
    fn reach_back(&mut self, old: Op, new: Op) {
        let kernel = self.b.kernel();
        let (Code::Permute, Attr::Pattern(pattern)) = (kernel.ops[old].code, &kernel.ops[old].attr) else { return };
        let operands = &kernel.ops[old].operands;
        let Some(&last) = operands.last() else { return };
        let Some(&further) = kernel.def_op(last).and_then(|load| self.plan.moved.get(&load)) else { return };
        let lanes = kernel.ty(last).lanes().unwrap_or(1);
        let offset = lanes * (operands.len() as u16 - 1);
        let pattern = pattern.iter().map(|&place| if place < offset { place } else { place - further }).collect();
        self.b.kernel_mut().ops[new].attr = Attr::Pattern(pattern);
    }

    /// The values that the next round begins with.
    fn ends(&mut self, rounds: &[Round], parts: &[Values], yields: &[Values]) -> Values {
        let mut ends = Values::new();
        for (number, (round, parts)) in rounds.iter().zip(parts).enumerate() {
            if number < self.n_carried() {
                let from = yields.len() - parts.len();
                ends.extend(yields[from..].iter().map(|yields| yields[number]));
                continue;
            }
            let fold = round.fold.expect("a reduction joins");
            let mut parts = parts.clone();
            for (group, yields) in yields.iter().enumerate() {
                let part = group % parts.len();
                let is_scalar = self.b.kernel().ty(parts[part]).lanes().is_none();
                let code = if is_scalar { in_order(fold) } else { joining(self.b.kernel(), fold, parts[part]) };
                parts[part] = self.b.op(code, &[parts[part], yields[number]]);
            }
            ends.extend(parts);
        }
        ends
    }

    /// The start of the loop over the rest: partial results joined, or side by side where their order is fixed.
    fn joined(&mut self, rounds: &[Round], results: Values) -> Values {
        let mut results = results.into_iter();
        let mut starts = Values::new();
        for (number, round) in rounds.iter().enumerate() {
            let ends: Values = results.by_ref().take(round.starts.len()).collect();
            let joined = match round.fold {
                Some(fold) if number < self.n_carried() => {
                    let code = joining(self.b.kernel(), fold, ends[0]);
                    ends[1..].iter().fold(ends[0], |all, &end| self.b.op(code, &[all, end]))
                }
                Some(_) if self.b.kernel().ty(ends[0]).lanes().is_some() => {
                    let lanes = self.width() * ends.len() as u16;
                    self.b.op_with(Code::Permute, Attr::Pattern((0..lanes).collect()), &ends)
                }
                _ => ends[0],
            };
            starts.push(joined);
        }
        starts
    }

    /// Makes the old loop the tail, and joins the partial results that remain behind it.
    fn rest(&mut self, end: Value, starts: Values, replaced: &mut Vec<(Value, Value)>) {
        let (op, n_carried) = (self.op, self.n_carried());
        let region = self.b.block();
        let kernel = self.b.kernel_mut();
        let operands = &mut kernel.ops[op].operands;
        operands[0] = end;
        operands[3..].copy_from_slice(&starts);
        if let Attr::Control(control) = &mut kernel.ops[op].attr {
            control.marks.rolled = true;
        }
        kernel.regions[region].ops.push(op);
        for (number, fold) in self.control().reductions.into_iter().enumerate() {
            let at = n_carried + number;
            let (old, init) = (self.data.results[at], self.data.operands[3 + at]);
            let ty = self.b.kernel().ty(starts[at]);
            if ty.lanes().is_none() {
                continue;
            }
            let partials = self.b.kernel_mut().add_value(ty, Def::Result(op, at as u32), None);
            self.b.kernel_mut().ops[op].results[at] = partials;
            let code = if fold == Fold::Mul { Code::ReduceMul } else { Code::ReduceAdd };
            let total = self.b.op(code, &[partials]);
            let code = joining(self.b.kernel(), fold, init);
            let total = self.b.op(code, &[init, total]);
            let name = self.b.kernel().values[old].name.clone();
            self.b.kernel_mut().values[total].name = name;
            replaced.push((old, total));
        }
    }
}

/// The op that joins two values as a reduction does.
fn joining(kernel: &Kernel, fold: Fold, like: Value) -> Code {
    let is_float = kernel.ty(like).data_elem().is_some_and(ir::Elem::is_float);
    match fold {
        Fold::Add if is_float => Code::Add,
        Fold::Mul if is_float => Code::Mul,
        Fold::Add => Code::WrappingAdd,
        Fold::Mul => Code::WrappingMul,
        Fold::Min => Code::Min,
        Fold::Max => Code::Max,
        Fold::And => Code::And,
        Fold::Or => Code::Or,
        Fold::Xor => Code::Xor,
    }
}

/// The op that joins lanes to a scalar in their order.
fn in_order(fold: Fold) -> Code {
    match fold {
        Fold::Mul => Code::FoldMul,
        Fold::Min => Code::FoldMin,
        Fold::Max => Code::FoldMax,
        _ => Code::FoldAdd,
    }
}
