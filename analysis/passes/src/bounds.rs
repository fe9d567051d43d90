//! Bounds of sizes, as formulas of the parameters: a number that a value never exceeds, and one that it is never below.
//!
//! A parameter is its own bound, and so is arithmetic on such values. The index of a loop lies within its range, and of two values
//! that may be chosen the greater one counts. What is loaded, or carried around a loop, has no bound.
//!
//! Arithmetic that overflows is an error of the program, and assumed not to happen. Where it wraps around instead, the bounds of its
//! operands say nothing; the result is known only if they are known exactly.

use rustc_hash::FxHashMap;

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, DimSize, Kernel, SizeOperator};
use ir::scratch::{Join, SizeFormula};
use ir::types::Elem;

/// The depth to which the making of a value is followed.
const DEEPEST: usize = 24;
/// The length of formulas that are still told, in characters as a kernel's text has them.
const LONGEST: usize = 400;

/// The bounds of a kernel's values.
pub(crate) struct Bounds<'k> {
    kernel: &'k Kernel,
    /// The op that each region is of.
    owners: FxHashMap<Region, Op>,
    known: FxHashMap<(Value, End), Option<SizeFormula>>,
}

/// An end of the range that a value lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    Least,
    Most,
}

impl End {
    fn other(self) -> End {
        if self == End::Least { End::Most } else { End::Least }
    }

    /// The operator that gives this end of two ranges together.
    fn outer(self) -> Join {
        if self == End::Least { Join::Min } else { Join::Max }
    }
}

impl Bounds<'_> {
    pub(crate) fn of(kernel: &Kernel) -> Bounds<'_> {
        let mut owners = FxHashMap::default();
        kernel.walk(kernel.body, &mut |_, op| owners.extend(kernel.ops[op].regions.iter().map(|&region| (region, op))));
        Bounds { kernel, owners, known: FxHashMap::default() }
    }

    /// A formula that an integer never exceeds.
    pub(crate) fn most(&mut self, value: Value) -> Option<SizeFormula> {
        self.bound(value, End::Most, 0)
    }

    /// The formula of an integer, where all of its bounds are the same: the integer wherever the run gets to what makes it.
    pub(crate) fn known(&mut self, value: Value) -> Option<SizeFormula> {
        self.exact(value, 0)
    }

    fn bound(&mut self, value: Value, end: End, depth: usize) -> Option<SizeFormula> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(known) = self.known.get(&(value, end)) {
            return known.clone();
        }
        let found = self.found(value, end, depth).filter(|found| found.written(&|_| "x".to_owned()).len() <= LONGEST);
        self.known.insert((value, end), found.clone());
        found
    }

    /// The value as a formula, where both of its ends are the same.
    fn exact(&mut self, value: Value, depth: usize) -> Option<SizeFormula> {
        let most = self.bound(value, End::Most, depth)?;
        (self.bound(value, End::Least, depth)? == most).then_some(most)
    }

    fn found(&mut self, value: Value, end: End, depth: usize) -> Option<SizeFormula> {
        match self.kernel.values[value].def {
            Def::Const(scalar) => Some(SizeFormula::Constant(scalar.wide()?.try_into().ok()?)),
            Def::Param(number) => {
                let is_integer = self.kernel.ty(value).data_elem().is_some_and(Elem::is_integer);
                is_integer.then_some(SizeFormula::Param(number as usize))
            }
            Def::Arg(region, number) => self.index(region, number as usize, end, depth),
            Def::Result(op, number) if self.kernel.ops[op].code == Code::If => {
                let sides =
                    self.kernel.ops[op].regions.iter().map(|&side| self.kernel.regions[side].yields[number as usize]);
                self.one_of(&sides.collect::<Vec<_>>(), end, depth)
            }
            Def::Result(op, _) => self.made(op, end, depth),
        }
    }

    /// One end of all values together.
    fn one_of(&mut self, values: &[Value], end: End, depth: usize) -> Option<SizeFormula> {
        let bounds: Option<Vec<SizeFormula>> = values.iter().map(|&value| self.bound(value, end, depth + 1)).collect();
        bounds?.into_iter().reduce(|a, b| SizeFormula::join(end.outer(), a, b))
    }

    /// The index of a loop: its range says what it is, while there are iterations.
    fn index(&mut self, region: Region, number: usize, end: End, depth: usize) -> Option<SizeFormula> {
        let kernel = self.kernel;
        let op = *self.owners.get(&region)?;
        if number >= kernel.n_ranges(op) {
            return None;
        }
        let [lo, hi, step] = kernel.ops[op].operands.get(3 * number..3 * number + 3)? else { return None };
        let step = kernel.as_const(*step)?.wide().filter(|step| *step != 0)?;
        let one = SizeFormula::Constant(1);
        match (end, step > 0) {
            (End::Least, true) | (End::Most, false) => self.bound(*lo, end, depth + 1),
            (End::Most, true) => Some(SizeFormula::join(Join::Sub, self.bound(*hi, end, depth + 1)?, one)),
            (End::Least, false) => Some(SizeFormula::join(Join::Add, self.bound(*hi, end, depth + 1)?, one)),
        }
    }

    fn made(&mut self, op: Op, end: End, depth: usize) -> Option<SizeFormula> {
        let data = &self.kernel.ops[op];
        let constant = |value: Value| self.kernel.as_const(value).and_then(|scalar| i64::try_from(scalar.wide()?).ok());
        let last = data.operands.last().and_then(|&value| constant(value));
        let wraps = |elem: Elem| elem != Elem::I64 && !elem.is_signed();
        let elem = data
            .results
            .first()
            .and_then(|&value| self.kernel.ty(value).data_elem())
            .filter(|elem| elem.is_integer())?;
        match (data.code, &data.operands[..]) {
            (Code::Index, &[x]) => self.bound(x, end, depth + 1),
            (Code::Cast, &[x]) => {
                let from = self.kernel.ty(x).data_elem().filter(|elem| elem.is_integer())?;
                let (least, most) = elem.integer_range()?;
                if from.integer_range().is_some_and(|(low, high)| least <= low && high <= most) {
                    return self.bound(x, end, depth + 1);
                }
                Some(SizeFormula::Wrapped(elem, Box::new(self.exact(x, depth + 1)?)))
            }
            (Code::Size, &[view]) => {
                let Attr::Number(dim) = data.attr else { return None };
                self.size(view, dim as usize, end, depth + 1)
            }
            (Code::Add | Code::Sub | Code::Mul, &[a, b]) if !wraps(elem) => {
                self.arithmetic(data.code, a, b, end, depth)
            }
            (Code::WrappingAdd | Code::WrappingSub | Code::WrappingMul, &[a, b]) if elem == Elem::I64 => {
                self.arithmetic(data.code, a, b, end, depth)
            }
            // Without a sign, what wraps around is less than it would have been.
            (Code::Add | Code::Mul | Code::WrappingAdd | Code::WrappingMul, &[a, b]) if !elem.is_signed() => {
                match end {
                    End::Most => {
                        let (a, b) = (self.bound(a, end, depth + 1)?, self.bound(b, end, depth + 1)?);
                        Some(SizeFormula::join(join_of(data.code)?, a, b))
                    }
                    End::Least => Some(SizeFormula::Constant(0)),
                }
            }
            (
                Code::Add | Code::Sub | Code::Mul | Code::WrappingAdd | Code::WrappingSub | Code::WrappingMul,
                &[a, b],
            ) => {
                let (a, b) = (self.exact(a, depth + 1)?, self.exact(b, depth + 1)?);
                Some(SizeFormula::Wrapped(elem, Box::new(SizeFormula::join(join_of(data.code)?, a, b))))
            }
            (Code::Advance, &[a, b]) => self.arithmetic(Code::Add, a, b, end, depth),
            (Code::Div | Code::FloorDiv, &[a, _]) if let Some(by @ 1..) = last => {
                Some(SizeFormula::join(join_of(data.code)?, self.bound(a, end, depth + 1)?, SizeFormula::Constant(by)))
            }
            (Code::Rem, &[a, _]) if let Some(by @ 1..) = last => match (self.exact(a, depth + 1), end) {
                (Some(a), _) => Some(SizeFormula::join(Join::Rem, a, SizeFormula::Constant(by))),
                (None, End::Most) => Some(SizeFormula::Constant(by - 1)),
                (None, End::Least) => Some(SizeFormula::Constant(if elem.is_signed() { 1 - by } else { 0 })),
            },
            (Code::Shr, &[a, _]) if let Some(bits @ 0..=62) = last => Some(SizeFormula::join(
                Join::FloorDiv,
                self.bound(a, end, depth + 1)?,
                SizeFormula::Constant(1 << bits),
            )),
            (Code::And, _) if let Some(mask @ 0..) = last => {
                Some(SizeFormula::Constant(if end == End::Most { mask } else { 0 }))
            }
            // The number rounded down to a multiple of a power of two.
            (Code::And, &[a, _]) if let Some(mask) = last.filter(|mask| mask.unsigned_abs().is_power_of_two()) => {
                let unit = || SizeFormula::Constant(mask.wrapping_neg());
                let parts = SizeFormula::join(Join::FloorDiv, self.bound(a, end, depth + 1)?, unit());
                Some(SizeFormula::join(Join::Mul, parts, unit()))
            }
            (Code::Min | Code::Max, &[a, b]) => {
                let outer = (data.code == Code::Max) == (end == End::Most);
                let join = join_of(data.code)?;
                match (self.bound(a, end, depth + 1), self.bound(b, end, depth + 1)) {
                    (Some(a), Some(b)) => Some(SizeFormula::join(join, a, b)),
                    // The least of two is at most either of them.
                    (a, b) => a.or(b).filter(|_| !outer),
                }
            }
            (Code::Select, &[_, a, b]) => self.one_of(&[a, b], end, depth),
            _ => None,
        }
    }

    /// Arithmetic that does not wrap around.
    fn arithmetic(&mut self, code: Code, a: Value, b: Value, end: End, depth: usize) -> Option<SizeFormula> {
        let join = join_of(code)?;
        match join {
            Join::Add => Some(SizeFormula::join(join, self.bound(a, end, depth + 1)?, self.bound(b, end, depth + 1)?)),
            Join::Sub => {
                Some(SizeFormula::join(join, self.bound(a, end, depth + 1)?, self.bound(b, end.other(), depth + 1)?))
            }
            _ => {
                let constants = [a, b].map(|value| self.kernel.as_const(value).and_then(|scalar| scalar.wide()));
                let (factor, by) = match constants {
                    [Some(by), _] => (b, by),
                    [_, Some(by)] => (a, by),
                    _ => return Some(SizeFormula::join(join, self.exact(a, depth + 1)?, self.exact(b, depth + 1)?)),
                };
                let end = if by < 0 { end.other() } else { end };
                let by = SizeFormula::Constant(by.try_into().ok()?);
                Some(SizeFormula::join(join, by, self.bound(factor, end, depth + 1)?))
            }
        }
    }

    /// The size of a dimension of a view.
    fn size(&mut self, view: Value, dim: usize, end: End, depth: usize) -> Option<SizeFormula> {
        let kernel = self.kernel;
        let op = match kernel.values[view].def {
            Def::Param(number) => {
                let size = kernel.params[number as usize].sizes.get(dim)?;
                return if *size == DimSize::Own {
                    Some(SizeFormula::Size(number as usize, dim))
                } else {
                    declared(kernel, size)
                };
            }
            Def::Result(op, _) => op,
            _ => return None,
        };
        let data = &kernel.ops[op];
        let own = match data.attr {
            Attr::Number(own) => own as usize,
            _ => 0,
        };
        match data.code {
            Code::Temp | Code::Table => self.bound(data.operands[dim], end, depth + 1),
            Code::Scratch => self.bound(data.operands[dim + 1], end, depth + 1),
            Code::Field => match dim.checked_sub(kernel.ty(data.operands[0]).rank().into()) {
                Some(inner) => Some(SizeFormula::Constant((*kernel.sizes_of_field(op).get(inner)?).into())),
                None => self.size(data.operands[0], dim, end, depth + 1),
            },
            Code::Row => self.size(data.operands[0], dim + usize::from(dim >= own), end, depth + 1),
            Code::Slice if dim != own => self.size(data.operands[0], dim, end, depth + 1),
            Code::Slice => {
                let step = kernel.as_const(data.operands[3]).and_then(|step| i64::try_from(step.wide()?).ok());
                let (lo, hi) = (data.operands[1], data.operands[2]);
                let span = match step {
                    Some(step) if step > 0 => self.arithmetic(Code::Sub, hi, lo, end, depth),
                    Some(step) if step < 0 => self.arithmetic(Code::Sub, lo, hi, end, depth),
                    _ => None,
                };
                let width = step.and_then(i64::checked_abs).unwrap_or(1);
                match span.map(|span| SizeFormula::join(Join::Max, span, SizeFormula::Constant(0))) {
                    Some(span) if width == 1 => Some(span),
                    Some(span) => {
                        let up = SizeFormula::join(Join::Add, span, SizeFormula::Constant(width - 1));
                        Some(SizeFormula::join(Join::Div, up, SizeFormula::Constant(width)))
                    }
                    // A slice has no more cells than what it is of.
                    None if end == End::Most => self.size(data.operands[0], dim, end, depth + 1),
                    None => Some(SizeFormula::Constant(0)),
                }
            }
            _ => None,
        }
    }
}

/// The size that a parameter declares.
pub(crate) fn declared(kernel: &Kernel, size: &DimSize) -> Option<SizeFormula> {
    Some(match size {
        DimSize::Own => return None,
        DimSize::Constant(size) => SizeFormula::Constant(*size),
        DimSize::Param(value) => SizeFormula::Param(kernel.params.iter().position(|param| param.value == *value)?),
        DimSize::Arithmetic(operator, a, b) => {
            let (a, b) = (declared(kernel, a)?, declared(kernel, b)?);
            let join = match operator {
                SizeOperator::Add => Join::Add,
                SizeOperator::Sub => Join::Sub,
                SizeOperator::Mul => Join::Mul,
                SizeOperator::Div => Join::Div,
                SizeOperator::FloorDiv => Join::FloorDiv,
                SizeOperator::Rem => Join::Rem,
            };
            let divides = matches!(join, Join::Div | Join::FloorDiv | Join::Rem);
            if divides && b.as_constant().is_none_or(|by| by == 0 || by == -1) {
                return None;
            }
            SizeFormula::join(join, a, b)
        }
    })
}

/// The operator of a formula that is an op.
fn join_of(code: Code) -> Option<Join> {
    Some(match code {
        Code::Add | Code::WrappingAdd => Join::Add,
        Code::Sub | Code::WrappingSub => Join::Sub,
        Code::Mul | Code::WrappingMul => Join::Mul,
        Code::Div => Join::Div,
        Code::FloorDiv => Join::FloorDiv,
        Code::Min => Join::Min,
        Code::Max => Join::Max,
        _ => return None,
    })
}
