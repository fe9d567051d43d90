//! Constant folding: what is known before the kernel runs is computed now.

use super::{Context, Replacements, replace, replaced};
use crate::outcome::Outcomes;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::interp;
use ir::ops::Code;
use ir::program::{Attr, DimSize, Kernel};
use ir::scalar;
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// Computes what is known, and drops what changes nothing. What would fail stays as it is.
pub fn fold(kernel: &mut Kernel, context: &mut Context) -> bool {
    let new = EntityVec::filled(kernel.values.len(), None);
    let mut folder = Folder { new, changed: false, kernel, outcomes: &mut context.outcomes };
    folder.region(folder.kernel.body);
    folder.changed
}

struct Folder<'k> {
    kernel: &'k mut Kernel,
    outcomes: &'k mut Outcomes,
    new: Replacements,
    changed: bool,
}

/// The fate of an op.
enum Fate {
    /// The op stays as it is.
    Stays,
    /// The results of the op are these values.
    Is(Vec<Value>),
    /// The results are the yields of this region of the op, after the region's ops.
    Becomes(Region),
}

impl Folder<'_> {
    fn region(&mut self, region: Region) {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        self.ops(ops, &mut kept);
        self.kernel.regions[region].ops = kept;
        let mut yields = std::mem::take(&mut self.kernel.regions[region].yields);
        self.resolve(&mut yields);
        self.kernel.regions[region].yields = yields;
    }

    /// Folds ops in order; those that stay are added to `kept`.
    fn ops(&mut self, ops: Vec<Op>, kept: &mut Vec<Op>) {
        for op in ops {
            let mut operands = std::mem::take(&mut self.kernel.ops[op].operands);
            self.resolve(&mut operands);
            self.kernel.ops[op].operands = operands;
            kept.extend(self.widen_index(op));
            self.name_condition(op);
            match self.fate(op) {
                Fate::Stays => {
                    kept.push(op);
                    for region in self.kernel.ops[op].regions.clone() {
                        self.region(region);
                    }
                }
                Fate::Is(values) => {
                    self.drop_accesses(op, None);
                    self.replace_results(op, &values);
                }
                Fate::Becomes(region) => {
                    self.drop_accesses(op, Some(region));
                    let inner = std::mem::take(&mut self.kernel.regions[region].ops);
                    self.ops(inner, kept);
                    let mut yields = self.kernel.regions[region].yields.clone();
                    self.resolve(&mut yields);
                    self.replace_results(op, &yields);
                }
            }
        }
    }

    /// Makes a lane index that is converted to a wider type one of that type: a conversion of one number, which is returned, in the place of
    /// one of all lanes.
    fn widen_index(&mut self, op: Op) -> Option<Op> {
        let data = &self.kernel.ops[op];
        let index = &self.kernel.ops[self.kernel.def_op(*data.operands.first()?)?];
        if data.code != Code::Cast || index.code != Code::LaneIndex {
            return None;
        }
        let (base, step, attr) = (index.operands[0], self.kernel.as_const(index.operands[1])?, index.attr.clone());
        let to = self.kernel.ty(data.results[0]).data_elem().filter(|to| to.is_integer() && to.holds(step.elem()))?;
        let step = self.kernel.constant(Scalar::wrap(to, step.wide()?));
        let origin = self.kernel.ops[op].origin;
        let cast =
            self.kernel.add_op(Code::Cast, Attr::Elem(to), [base].into_iter().collect(), &[Type::scalar(to)], origin);
        let base = self.kernel.ops[cast].results[0];
        let data = &mut self.kernel.ops[op];
        (data.code, data.attr, data.operands) = (Code::LaneIndex, attr, [base, step].into_iter().collect());
        self.changed = true;
        Some(cast)
    }

    /// Makes a choice between `false` and `true` what it is: the opposite of its condition.
    fn name_condition(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let truth = |number: usize| {
            let known = constant(self.kernel, data.operands[number]).filter(|known| known.elem() == Elem::Bool);
            known.map(Scalar::is_true)
        };
        let is_opposite = data.code == Code::Select
            && self.kernel.ty(data.results[0]) == self.kernel.ty(data.operands[0])
            && truth(1) == Some(false)
            && truth(2) == Some(true);
        if is_opposite {
            let data = &mut self.kernel.ops[op];
            data.code = Code::Not;
            data.operands.truncate(1);
            self.changed = true;
        }
    }

    /// Records that nothing comes to what stands inside of an op, but for a region that takes its place.
    fn drop_accesses(&mut self, op: Op, but: Option<Region>) {
        for &region in self.kernel.ops[op].regions.iter().filter(|&&region| Some(region) != but) {
            let mut inside = Vec::new();
            self.kernel.walk(region, &mut |_, inner| inside.push(inner));
            self.outcomes.were_dropped(self.kernel, &inside);
        }
    }

    fn resolve(&mut self, values: &mut [Value]) {
        self.new.grow(self.kernel.values.len(), None);
        values.iter_mut().for_each(|value| *value = replaced(&self.new, *value));
    }

    fn replace_results(&mut self, op: Op, values: &[Value]) {
        self.changed = true;
        self.new.grow(self.kernel.values.len(), None);
        for (result, &value) in self.kernel.ops[op].results.clone().into_iter().zip(values) {
            replace(self.kernel, &mut self.new, result, value);
        }
    }

    /// Says whether two integers are known to be equal.
    fn are_same(&self, a: Value, b: Value) -> bool {
        let known = |value: Value| self.kernel.as_const(value)?.wide();
        a == b || known(a).is_some_and(|a| known(b) == Some(a))
    }

    fn fate(&mut self, op: Op) -> Fate {
        let data = &self.kernel.ops[op];
        let known = |value: Value| self.kernel.as_const(value);
        match data.code {
            Code::If => match known(data.operands[0]) {
                Some(condition) => Fate::Becomes(data.regions[if condition.is_true() { 0 } else { 1 }]),
                None => Fate::Stays,
            },
            Code::For | Code::VectorFor if self.never_runs(op) => Fate::Is(data.operands[3..].to_vec()),
            Code::VectorFor if self.is_one_group(op) => self.once(op),
            Code::Assert if known(data.operands[0]).is_some_and(Scalar::is_true) => Fate::Is(Vec::new()),
            Code::AssertSome if known(data.operands[0]).and_then(Scalar::wide).is_some_and(|size| size > 0) => {
                Fate::Is(Vec::new())
            }
            Code::AssertSize if self.are_same(data.operands[0], data.operands[1]) => Fate::Is(Vec::new()),
            _ => {
                let result = data.results.first().map(|&result| self.kernel.ty(result));
                let value = self.value(op).filter(|&value| Some(self.kernel.ty(value)) == result);
                value.map_or(Fate::Stays, |value| Fate::Is(vec![value]))
            }
        }
    }

    fn never_runs(&self, op: Op) -> bool {
        let wide = |number: usize| self.kernel.as_const(self.kernel.ops[op].operands[number])?.wide();
        match (wide(0), wide(1), wide(2)) {
            (Some(lo), Some(hi), Some(step)) => (step > 0 && lo >= hi) || (step < 0 && lo <= hi),
            _ => false,
        }
    }

    /// Says whether a loop over groups of lanes has just one of them: it ends a number of indices behind its start.
    fn is_one_group(&self, op: Op) -> bool {
        let kernel = &self.kernel;
        let data = &kernel.ops[op];
        let Some(control) = kernel.control(op).filter(|control| control.reductions.is_empty()) else { return false };
        let known = |value: Value| kernel.as_const(value)?.wide();
        let Some(step) = known(data.operands[2]) else { return false };
        let distance = match (known(data.operands[0]), known(data.operands[1])) {
            (Some(lo), Some(hi)) => Some(hi - lo),
            _ => {
                let [lo, hi] = [data.operands[0], data.operands[1]];
                moved(kernel, hi, lo).or_else(|| moved(kernel, lo, hi).map(|by| -by))
            }
        };
        let width = i128::from(control.width.unwrap_or(1));
        distance.is_some_and(|distance| distance * step > 0 && distance.abs() <= width * step.abs())
    }

    /// A loop of one iteration is none.
    fn once(&mut self, op: Op) -> Fate {
        let data = &self.kernel.ops[op];
        let (region, lo) = (data.regions[0], data.operands[0]);
        let starts: Vec<Value> = std::iter::once(lo).chain(data.operands[3..].iter().copied()).collect();
        self.new.grow(self.kernel.values.len(), None);
        for (arg, start) in self.kernel.regions[region].args.clone().into_iter().zip(starts) {
            replace(self.kernel, &mut self.new, arg, start);
        }
        Fate::Becomes(region)
    }

    /// The value that the result of an op is known to be.
    fn value(&mut self, op: Op) -> Option<Value> {
        let data = &self.kernel.ops[op];
        let scalars: Option<Vec<Scalar>> = data.operands.iter().map(|&value| self.kernel.as_const(value)).collect();
        if let Some(scalars) = scalars.filter(|_| data.code.is_elementwise()) {
            let computed = interp::evaluate(data.code, &data.attr, &scalars)?.ok()?;
            return Some(self.kernel.constant(computed));
        }
        match (data.code, &data.attr) {
            (Code::Load, _) => {
                let element = self.element_of_table(&data.operands)?;
                Some(self.kernel.constant(element))
            }
            (Code::Size, &Attr::Number(dim)) => {
                let size = self.known_size(data.operands[0], dim as usize)?;
                Some(self.kernel.constant(Scalar::I64(size)))
            }
            _ => same_as(self.kernel, op),
        }
    }

    /// The element of a constant array at subscripts that are known, and inside.
    fn element_of_table(&self, operands: &[Value]) -> Option<Scalar> {
        let (&view, subscripts) = operands.split_first()?;
        let table = &self.kernel.ops[self.kernel.def_op(view)?];
        let Attr::Cells(_, cells) = &table.attr else { return None };
        let number = |value: Value| self.kernel.as_const(value)?.wide();
        let at = subscripts.iter().zip(&table.operands).try_fold(0, |at, (&index, &size)| {
            let (index, size) = (number(index)?, number(size)?);
            (0..size).contains(&index).then_some(at * size + index)
        })?;
        cells.get(usize::try_from(at).ok()?).copied()
    }

    /// The size of a dimension of a whole parameter, or of a constant array, if it is a constant.
    fn known_size(&self, view: Value, dim: usize) -> Option<i64> {
        if let Some(op) = self.kernel.def_op(view) {
            let data = &self.kernel.ops[op];
            let size = (data.code == Code::Table).then(|| self.kernel.as_const(data.operands[dim]))??;
            return i64::try_from(size.wide()?).ok();
        }
        let param = self.kernel.params.iter().find(|param| param.value == view)?;
        match param.sizes[dim] {
            DimSize::Constant(size) => Some(size),
            _ => None,
        }
    }
}

/// The number by which a value lies above another one, as it is computed from that. A signed sum that wraps would have been an error.
pub(crate) fn moved(kernel: &Kernel, value: Value, from: Value) -> Option<i128> {
    let made = &kernel.ops[kernel.def_op(value)?];
    let is_signed = kernel.ty(from).data_elem().is_some_and(Elem::is_signed);
    let is_moved = is_signed && *made.operands.first()? == from;
    let by = kernel.as_const(*made.operands.get(1)?).filter(|_| is_moved)?.wide()?;
    match made.code {
        Code::Add => Some(by),
        Code::Sub => Some(-by),
        _ => None,
    }
}

/// The constant that a value is, in all lanes if it has lanes.
pub(crate) fn constant(kernel: &Kernel, value: Value) -> Option<Scalar> {
    let splat = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::Splat);
    kernel.as_const(splat.map_or(value, |data| data.operands[0]))
}

/// The operand that an op gives unchanged, bit for bit.
fn same_as(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let known = |number: usize| constant(kernel, data.operands[number]);
    let x = *data.operands.first()?;
    let is =
        |number: usize, wanted: fn(Elem) -> Scalar| known(number).is_some_and(|known| known == wanted(known.elem()));
    let truth = |number: usize| known(number).filter(|known| known.elem() == Elem::Bool).map(Scalar::is_true);
    let elem = kernel.ty(x).data_elem()?;
    // 0.0 is no identity of `+`: it turns -0.0 into 0.0.
    let nothing: fn(Elem) -> Scalar = |elem| scalar::Fold::Add.identity(elem);
    let first = |yes: bool| yes.then_some(x);
    let second = |yes: bool| yes.then(|| data.operands[1]);
    match data.code {
        Code::Add | Code::WrappingAdd => first(is(1, nothing)).or(second(is(0, nothing))),
        Code::Sub | Code::WrappingSub => first(is(1, Scalar::zero)),
        Code::Mul | Code::WrappingMul => first(is(1, Scalar::one)).or(second(is(0, Scalar::one))),
        Code::Div => first(is(1, Scalar::one)),
        Code::FloorDiv if elem.is_integer() => first(is(1, Scalar::one)),
        Code::Shl | Code::Shr => first(is(1, Scalar::zero)),
        Code::Or | Code::Xor if is(1, Scalar::zero) => Some(x),
        Code::Or | Code::Xor if is(0, Scalar::zero) => Some(data.operands[1]),
        Code::And if is(1, all_ones) => Some(x),
        Code::And if is(0, all_ones) => Some(data.operands[1]),
        Code::And | Code::Or => first(x == data.operands[1]),
        Code::Select if known(0).is_some() => Some(data.operands[if known(0)?.is_true() { 1 } else { 2 }]),
        Code::Select if truth(1) == Some(true) && truth(2) == Some(false) => Some(x),
        Code::Select => second(data.operands[1] == data.operands[2] && kernel.ty(x).lanes().is_none()),
        Code::Cast | Code::Index => first(kernel.ty(x) == kernel.ty(data.results[0])),
        Code::Not => {
            let inner = kernel.def_op(x).filter(|&inner| kernel.ops[inner].code == Code::Not)?;
            Some(kernel.ops[inner].operands[0])
        }
        _ => None,
    }
}

fn all_ones(elem: Elem) -> Scalar {
    scalar::Fold::And.identity(elem)
}
