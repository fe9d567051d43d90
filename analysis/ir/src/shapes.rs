//! Shapes: the sizes of a kernel's arrays as formulas of its parameters, as far as its ops show them.
//!
//! One walk over the kernel gives each view a formula for each dimension: a parameter array has its declared sizes, a new
//! array those that its op is given or takes from its operands, a row or slice what is left of its array. Integers that
//! are computed from parameters and constants by `+ - *` and conversions are followed; every other integer stands for
//! itself while formulas are built, so that `slice(a, i, (i + 4), 1)` has 4 cells, and a size that still depends on one
//! in the end is not known. What is carried around a loop has the sizes that it starts with where each iteration keeps
//! them.
//!
//! The formulas say what holds if the kernel gets there without an error: of a slice that would have fewer than no cells,
//! they say less than 0.

use crate::entities::{EntityVec, Op, Region, Value};
use crate::ops::Code;
use crate::program::{Attr, Def, DimSize, Kernel, SizeOperator};
use crate::types::{CellType, Elem, Type};

/// The sizes of all arrays and views of a kernel, for one state of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shapes {
    sizes: EntityVec<Value, Vec<DimSize>>,
}

/// Finds the sizes of a kernel's arrays and views.
pub fn of(kernel: &Kernel) -> Shapes {
    let mut finder = Finder {
        kernel,
        sizes: EntityVec::filled(kernel.values.len(), Vec::new()),
        scalars: EntityVec::filled(kernel.values.len(), None),
        depth: 0,
    };
    for param in &kernel.params {
        finder.sizes[param.value] = param.sizes.clone();
    }
    finder.region(kernel.body);
    let mut sizes = std::mem::take(&mut finder.sizes);
    for (value, sizes) in kernel.values.keys().zip(sizes.values_mut()) {
        sizes.resize(kernel.ty(value).rank().into(), DimSize::Own);
        sizes.iter_mut().filter(|size| !finder.is_known(size)).for_each(|size| *size = DimSize::Own);
    }
    Shapes { sizes }
}

impl Shapes {
    /// The size of each dimension of a view, `Own` where it is not known; empty for data.
    pub fn sizes(&self, value: Value) -> &[DimSize] {
        self.sizes.get(value).map_or(&[], Vec::as_slice)
    }

    /// The type of a value with the sizes, as one would write it: `f32[n, 2 * m]`.
    pub fn text(&self, kernel: &Kernel, value: Value) -> String {
        let written = |size: &DimSize| {
            let text = size_text(kernel, size);
            match size {
                DimSize::Arithmetic(..) => text[1..text.len() - 1].to_owned(),
                _ => text,
            }
        };
        let sizes: Vec<String> = self.sizes(value).iter().map(written).collect();
        match kernel.ty(value) {
            Type::View { item: CellType::Elem(elem), .. } => format!("{elem}[{}]", sizes.join(", ")),
            Type::View { item: CellType::Struct(decl), .. } => {
                format!("{}[{}]", kernel.structs[decl].name, sizes.join(", "))
            }
            data => data.to_string(),
        }
    }
}

/// A formula as text, with the names of the parameters: `(n - 1)`, and `?` where it is not known.
pub fn size_text(kernel: &Kernel, size: &DimSize) -> String {
    match size {
        DimSize::Own => "?".to_owned(),
        DimSize::Constant(size) => size.to_string(),
        DimSize::Param(value) => kernel.values[*value].name.as_deref().unwrap_or("?").to_owned(),
        DimSize::Arithmetic(operator, a, b) => {
            format!("({} {} {})", size_text(kernel, a), operator.symbol(), size_text(kernel, b))
        }
    }
}

/// The limit on the numbers and names in a formula; a longer one is of no use to anyone.
const LONGEST: usize = 16;

/// The number of loops around a loop that carries arrays up to which what it carries is followed through its block, for
/// which the block may be walked three times.
const DEEPEST: usize = 4;

struct Finder<'k> {
    kernel: &'k Kernel,
    /// The sizes that are found so far. Values that are no parameters occur in them, too.
    sizes: EntityVec<Value, Vec<DimSize>>,
    /// The formulas of integers that are computed from others.
    scalars: EntityVec<Value, Option<DimSize>>,
    /// The number of loops around the present op.
    depth: usize,
}

impl Finder<'_> {
    fn region(&mut self, region: Region) {
        for &op in &self.kernel.regions[region].ops {
            if self.kernel.ops[op].code.is_control() { self.control(op) } else { self.op(op) }
        }
    }

    /// Says whether a formula is made of parameters and constants alone.
    fn is_known(&self, size: &DimSize) -> bool {
        match size {
            DimSize::Own => false,
            DimSize::Constant(_) => true,
            DimSize::Param(value) => matches!(self.kernel.values[*value].def, Def::Param(_)),
            DimSize::Arithmetic(_, a, b) => self.is_known(a) && self.is_known(b),
        }
    }

    /// The formula of an integer.
    fn scalar(&self, value: Value) -> DimSize {
        match (self.kernel.as_const(value), &self.scalars[value]) {
            (Some(scalar), _) => {
                scalar.wide().and_then(|wide| wide.try_into().ok()).map_or(DimSize::Own, DimSize::Constant)
            }
            (None, Some(formula)) => formula.clone(),
            (None, None) => DimSize::Param(value),
        }
    }

    /// The size of a dimension of a view.
    fn size(&self, view: Value, dim: usize) -> DimSize {
        self.sizes[view].get(dim).cloned().unwrap_or(DimSize::Own)
    }

    /// The first of several formulas of one size that is known; else the first that says anything.
    fn best(&self, sizes: impl Iterator<Item = DimSize> + Clone) -> DimSize {
        let known = sizes.clone().find(|size| self.is_known(size));
        known.or_else(|| sizes.clone().find(|size| *size != DimSize::Own)).unwrap_or(DimSize::Own)
    }

    /// Returns the sizes that several arrays share, each by the formula that says most.
    fn shared_sizes(&self, arrays: &[Value]) -> Vec<DimSize> {
        let views = || arrays.iter().copied().filter(|&value| self.kernel.ty(value).is_view());
        let rank = views().next().map_or(0, |view| self.kernel.ty(view).rank());
        (0..rank.into()).map(|dim| self.best(views().map(|view| self.size(view, dim)))).collect()
    }

    fn op(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let Some(&result) = data.results.first() else { return };
        if self.kernel.ty(result).is_view() {
            self.sizes[result] = self.of_view(op);
        } else if self.kernel.ty(result).data_elem().is_some_and(Elem::is_integer) {
            self.scalars[result] = self.computed(op);
        }
    }

    /// The formula of an integer that an op computes.
    fn computed(&self, op: Op) -> Option<DimSize> {
        let data = &self.kernel.ops[op];
        let is_integer = |value: &Value| self.kernel.ty(*value).data_elem().is_some_and(Elem::is_integer);
        let join = |operator| match data.operands[..] {
            [a, b] => Some(arithmetic(operator, self.scalar(a), self.scalar(b))),
            _ => None,
        };
        let formula = match (data.code, &data.attr) {
            (Code::Size, Attr::Number(dim)) => self.size(data.operands[0], *dim as usize),
            (Code::Index | Code::Cast, _) if is_integer(&data.operands[0]) => self.scalar(data.operands[0]),
            (Code::Add, _) => join(SizeOperator::Add)?,
            (Code::Sub, _) => join(SizeOperator::Sub)?,
            (Code::Mul, _) => join(SizeOperator::Mul)?,
            _ => return None,
        };
        Some(formula).filter(|formula| *formula != DimSize::Own && length(formula) <= LONGEST)
    }

    /// The sizes of a view that an op makes.
    fn of_view(&self, op: Op) -> Vec<DimSize> {
        let data = &self.kernel.ops[op];
        let mut sizes = data.operands.first().map_or(Vec::new(), |&first| self.sizes[first].clone());
        match (data.code, &data.attr) {
            (Code::Row, Attr::Number(dim)) if (*dim as usize) < sizes.len() => drop(sizes.remove(*dim as usize)),
            (Code::Slice, Attr::Number(dim)) if (*dim as usize) < sizes.len() => {
                sizes[*dim as usize] = self.of_slice(&data.operands);
            }
            (Code::Field, _) => {
                sizes.resize(self.kernel.ty(data.operands[0]).rank().into(), DimSize::Own);
                let inner = self.kernel.sizes_of_field(op).iter();
                sizes.extend(inner.map(|&size| DimSize::Constant(size.into())));
            }
            (Code::Flat, Attr::Elem(elem)) => {
                let same = self.kernel.ty(data.operands[0]).item().map(|item| self.kernel.item_bytes(item));
                let cells = sizes.into_iter().fold(DimSize::Constant(1), |a, b| arithmetic(SizeOperator::Mul, a, b));
                sizes = vec![if same == Some(elem.bytes()) { cells } else { DimSize::Own }];
            }
            (Code::Temp | Code::Table | Code::Iota, _) => {
                sizes = data.operands.iter().map(|&size| self.scalar(size)).collect()
            }
            (Code::Replicate, _) => {
                sizes = vec![self.scalar(data.operands[0])];
                sizes.extend(self.sizes[data.operands[1]].iter().cloned());
            }
            (Code::Elements, _) => {
                sizes = vec![DimSize::Constant(data.operands.len() as i64)];
                sizes.extend(self.shared_sizes(&data.operands));
            }
            (code, _) if code.is_elementwise() => sizes = self.shared_sizes(&data.operands),
            _ => {}
        }
        sizes
    }

    /// The size of `slice(a, lo, hi, step)`.
    fn of_slice(&self, operands: &[Value]) -> DimSize {
        let &[_, lo, hi, step] = operands else { return DimSize::Own };
        let (lo, hi) = (self.scalar(lo), self.scalar(hi));
        let (span, step) = match self.scalar(step) {
            DimSize::Constant(step @ 1..) => (arithmetic(SizeOperator::Sub, hi, lo), step),
            DimSize::Constant(step @ ..=-1) => (arithmetic(SizeOperator::Sub, lo, hi), step.saturating_neg()),
            _ => return DimSize::Own,
        };
        match span {
            DimSize::Constant(span) => DimSize::Constant((span.max(0) as u64).div_ceil(step as u64) as i64),
            span if step == 1 => span,
            span => {
                let whole = arithmetic(SizeOperator::Add, span, DimSize::Constant(step - 1));
                arithmetic(SizeOperator::FloorDiv, whole, DimSize::Constant(step))
            }
        }
    }

    fn control(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if data.code == Code::If {
            data.regions.iter().for_each(|&region| self.region(region));
            let [then, other] = [0, 1].map(|block| kernel.regions[data.regions[block]].yields.as_slice());
            for (&result, (&a, &b)) in data.results.iter().zip(then.iter().zip(other)) {
                self.sizes[result] = meet(&self.sizes[a], &self.sizes[b]);
            }
            return;
        }
        let args = &kernel.regions[data.regions[0]].args;
        for (&arg, &array) in args.iter().zip(&data.operands[..kernel.n_arrays(op)]) {
            self.sizes[arg] = self.sizes[array].iter().skip(1).cloned().collect();
        }
        let carried = &args[kernel.n_head_args(op).min(args.len())..];
        let inits = &data.operands[kernel.n_head_operands(op)..];
        self.depth += 1;
        self.loop_block(op, carried, inits);
        self.depth -= 1;
        let yields = data.regions.last().map_or(&[][..], |&region| &kernel.regions[region].yields);
        let first = self.best(data.operands[..kernel.n_arrays(op)].iter().map(|&array| self.size(array, 0)));
        for (number, &result) in data.results.iter().enumerate() {
            self.sizes[result] = match data.code {
                Code::Map | Code::Scan => {
                    // A row of a scan has the sizes of what it starts with, which is there even if there is no row.
                    let row = if data.code == Code::Scan { inits.get(number) } else { yields.get(number) };
                    let inner = row.map_or(&[][..], |&value| &self.sizes[value]);
                    std::iter::once(first.clone()).chain(inner.iter().cloned()).collect()
                }
                _ => carried.get(number).map_or(Vec::new(), |&arg| self.sizes[arg].clone()),
            };
        }
    }

    /// Walks a loop's blocks with sizes for what it carries that each iteration keeps.
    fn loop_block(&mut self, op: Op, carried: &[Value], inits: &[Value]) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let yields = data.regions.last().map_or(&[][..], |&region| &kernel.regions[region].yields);
        for (&arg, &init) in carried.iter().zip(inits) {
            self.sizes[arg] = self.sizes[init].clone();
        }
        for round in 0..3 {
            if round == 2 || self.depth > DEEPEST {
                carried.iter().for_each(|&arg| self.sizes[arg].fill(DimSize::Own));
            }
            data.regions.iter().for_each(|&region| self.region(region));
            let mut stable = true;
            for (&arg, &value) in carried.iter().zip(yields) {
                let kept = meet(&self.sizes[arg], &self.sizes[value]);
                stable &= kept == self.sizes[arg];
                self.sizes[arg] = kept;
            }
            if stable {
                break;
            }
        }
    }
}

/// The sizes that two arrays, one of which a value is, have in common.
fn meet(a: &[DimSize], b: &[DimSize]) -> Vec<DimSize> {
    let both = a.iter().zip(b);
    both.map(|(a, b)| if a == b { a.clone() } else { DimSize::Own }).collect()
}

/// The number of numbers and names in a formula.
fn length(size: &DimSize) -> usize {
    match size {
        DimSize::Arithmetic(_, a, b) => length(a) + length(b),
        _ => 1,
    }
}

/// Joins two formulas, with constants folded and gathered at the end of sums; `Own` if one is not known.
fn arithmetic(operator: SizeOperator, a: DimSize, b: DimSize) -> DimSize {
    use SizeOperator::{Add, FloorDiv, Mul, Sub};
    let plain = |a, b| DimSize::Arithmetic(operator, Box::new(a), Box::new(b));
    if let (DimSize::Constant(a), DimSize::Constant(b)) = (&a, &b) {
        let joined = operator.join((*a).into(), (*b).into());
        return joined.and_then(|size| size.try_into().ok()).map_or(DimSize::Own, DimSize::Constant);
    }
    match (operator, a, b) {
        (_, DimSize::Own, _) | (_, _, DimSize::Own) => DimSize::Own,
        (Add, a, b) => {
            let ((a, more), (b, still_more)) = (split_constant(a), split_constant(b));
            let sum = match (a, b) {
                (Some(a), Some(b)) => Some(restored(a, b)),
                (a, b) => a.or(b),
            };
            together(sum, more.checked_add(still_more))
        }
        (Sub, a, b) => {
            let ((a, more), (b, less)) = (split_constant(a), split_constant(b));
            let rest = match (a, b) {
                (a, None) => a,
                (None, Some(b)) => Some(plain(DimSize::Constant(0), b)),
                (Some(a), Some(b)) => without(a, b),
            };
            together(rest, more.checked_sub(less))
        }
        (Mul, DimSize::Constant(1), a) | (Mul | FloorDiv, a, DimSize::Constant(1)) => a,
        (Mul, DimSize::Constant(0), _) | (Mul, _, DimSize::Constant(0)) => DimSize::Constant(0),
        (Mul, a, DimSize::Constant(factor)) => plain(DimSize::Constant(factor), a),
        (_, a, b) => plain(a, b),
    }
}

/// A sum of two formulas without constants; what the first was reduced by is not written twice.
fn restored(a: DimSize, b: DimSize) -> DimSize {
    match a {
        DimSize::Arithmetic(SizeOperator::Sub, rest, less) if *less == b => *rest,
        a => DimSize::Arithmetic(SizeOperator::Add, Box::new(a), Box::new(b)),
    }
}

/// The difference of two formulas without constants; nothing is left of equal ones.
fn without(a: DimSize, b: DimSize) -> Option<DimSize> {
    match (a, b) {
        (a, b) if a == b => None,
        (DimSize::Arithmetic(SizeOperator::Add, x, y), b) if *x == b => Some(*y),
        (DimSize::Arithmetic(SizeOperator::Add, x, y), b) if *y == b => Some(*x),
        (a, DimSize::Arithmetic(SizeOperator::Sub, x, y)) if *x == a => Some(*y),
        (a, b) => Some(DimSize::Arithmetic(SizeOperator::Sub, Box::new(a), Box::new(b))),
    }
}

/// Splits a formula into one without a constant at its end, and that constant.
fn split_constant(size: DimSize) -> (Option<DimSize>, i64) {
    match size {
        DimSize::Constant(more) => (None, more),
        DimSize::Arithmetic(operator @ (SizeOperator::Add | SizeOperator::Sub), rest, last) => {
            match (operator, *last) {
                (SizeOperator::Add, DimSize::Constant(more)) => (Some(*rest), more),
                (SizeOperator::Sub, DimSize::Constant(less)) if less != i64::MIN => (Some(*rest), -less),
                (operator, last) => (Some(DimSize::Arithmetic(operator, rest, Box::new(last))), 0),
            }
        }
        size => (Some(size), 0),
    }
}

/// A formula and a constant that is added to it; `Own` where no integer is wide enough.
fn together(size: Option<DimSize>, more: Option<i64>) -> DimSize {
    let join =
        |operator, size, number| DimSize::Arithmetic(operator, Box::new(size), Box::new(DimSize::Constant(number)));
    match (size, more) {
        (_, None | Some(i64::MIN)) => DimSize::Own,
        (None, Some(more)) => DimSize::Constant(more),
        (Some(size), Some(0)) => size,
        (Some(size), Some(more @ 1..)) => join(SizeOperator::Add, size, more),
        (Some(size), Some(less)) => join(SizeOperator::Sub, size, -less),
    }
}

#[cfg(test)]
mod tests;
