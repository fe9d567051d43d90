//! Ends: between what an integer of a nest lies, as sums over values that are known before the nest.
//!
//! ```text
//! for i in range(n):
//!     for j in range(i):
//!         a[2 * i + j]        2 * i + j  lies between  0  and  2 * (n - 1) + (n - 1) - 1
//! ```
//!
//! They hold in every iteration that there is; where there is none they may be the wrong way round. A sum stays small
//! enough to be computed in 64 bits; values that may be large themselves are assumed not to be, and the caller tests that.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, DimSize, Kernel, SizeOperator};
use ir::scalar::Scalar;
use ir::types::Elem;

/// The bound that a value of 64 bits is assumed to keep, on either side of 0: more cells than there is memory for.
pub(super) const LARGE: i128 = 1 << 40;

/// No sum may get further from 0 than this.
const MOST: i128 = 1 << 60;

/// The limit on the depth to which an expression is followed.
const MAX_DEPTH: usize = 24;

/// The limit on the number of terms of a sum.
const MAX_TERMS: usize = 8;

/// A part of a sum.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A value that is defined before the nest.
    Value(Value),
    /// The least of some sums.
    Least(Vec<Sum>),
    /// The greatest of some sums.
    Greatest(Vec<Sum>),
    /// The product of two sums.
    Product(Box<Sum>, Box<Sum>),
    /// A sum divided by a constant, rounded as this op does.
    Quotient(Code, Box<Sum>, i64),
}

/// Parts, each so many times, and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Sum {
    pub(super) terms: BTreeMap<Atom, i128>,
    pub(super) constant: i128,
}

impl Sum {
    pub(super) fn constant(constant: i128) -> Sum {
        Sum { terms: BTreeMap::new(), constant }
    }

    fn atom(atom: Atom) -> Sum {
        Sum { terms: BTreeMap::from([(atom, 1)]), constant: 0 }
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn add(&self, other: &Sum) -> Sum {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (atom, times) in &other.terms {
            let own = sum.terms.entry(atom.clone()).or_default();
            *own += times;
            if *own == 0 {
                sum.terms.remove(atom);
            }
        }
        sum
    }

    pub(super) fn plus(&self, constant: i128) -> Sum {
        self.add(&Sum::constant(constant))
    }

    fn scale(&self, by: i128) -> Sum {
        if by == 0 {
            return Sum::default();
        }
        let terms = self.terms.iter().map(|(atom, times)| (atom.clone(), times * by)).collect();
        Sum { terms, constant: self.constant * by }
    }

    fn multiplied(&self, other: &Sum) -> Sum {
        match (self.as_constant(), other.as_constant()) {
            (Some(by), _) => other.scale(by),
            (_, Some(by)) => self.scale(by),
            _ => {
                let (a, b) = if self <= other { (self, other) } else { (other, self) };
                Sum::atom(Atom::Product(Box::new(a.clone()), Box::new(b.clone())))
            }
        }
    }

    /// The size of a dimension of an array parameter, where the kernel says it.
    pub(super) fn size(size: &DimSize) -> Option<Sum> {
        Some(match size {
            DimSize::Constant(size) => Sum::constant((*size).into()),
            DimSize::Param(value) => Sum::atom(Atom::Value(*value)),
            DimSize::Arithmetic(operator, a, b) => {
                let (a, b) = (Sum::size(a)?, Sum::size(b)?);
                match operator {
                    SizeOperator::Add => a.add(&b),
                    SizeOperator::Sub => a.add(&b.scale(-1)),
                    SizeOperator::Mul => a.multiplied(&b),
                    SizeOperator::Div | SizeOperator::FloorDiv | SizeOperator::Rem => return None,
                }
            }
            DimSize::Own => return None,
        })
    }

    /// Returns a bound of the sum's distance from 0; `None` if that is too large.
    fn magnitude(&self, kernel: &Kernel) -> Option<i128> {
        let of_atom = |atom: &Atom| match atom {
            Atom::Value(value) => {
                let (low, high) = kernel.ty(*value).data_elem()?.integer_range()?;
                Some((-low).max(high).min(LARGE))
            }
            Atom::Least(sums) | Atom::Greatest(sums) => {
                sums.iter().try_fold(0, |most: i128, sum| Some(most.max(sum.magnitude(kernel)?)))
            }
            Atom::Product(a, b) => a.magnitude(kernel)?.checked_mul(b.magnitude(kernel)?),
            Atom::Quotient(_, sum, _) => sum.magnitude(kernel),
        };
        let total = self.terms.iter().try_fold(self.constant.abs(), |sum, (atom, times)| {
            sum.checked_add(of_atom(atom)?.checked_mul(times.abs())?)
        })?;
        (total <= MOST && self.terms.len() <= MAX_TERMS).then_some(total)
    }

    /// The values of 64 bits that it is made from.
    pub(super) fn large(&self, kernel: &Kernel, found: &mut BTreeSet<Value>) {
        for atom in self.terms.keys() {
            match atom {
                Atom::Value(value) => {
                    if matches!(kernel.ty(*value).data_elem(), Some(Elem::I64 | Elem::U64)) {
                        found.insert(*value);
                    }
                }
                Atom::Least(sums) | Atom::Greatest(sums) => sums.iter().for_each(|sum| sum.large(kernel, found)),
                Atom::Product(a, b) => [a, b].into_iter().for_each(|sum| sum.large(kernel, found)),
                Atom::Quotient(_, sum, _) => sum.large(kernel, found),
            }
        }
    }
}

/// The sums of which none is always as far out as another one.
fn outermost(sums: impl IntoIterator<Item = Sum>, is_further: impl Fn(i128) -> bool) -> Vec<Sum> {
    let mut kept: Vec<Sum> = Vec::new();
    for sum in sums {
        let apart = |other: &Sum| other.add(&sum.scale(-1)).as_constant();
        match kept.iter_mut().find_map(|other| apart(other).map(|by| (by, other))) {
            Some((by, other)) if is_further(by) => *other = sum,
            Some(_) => {}
            None => kept.push(sum),
        }
    }
    kept.sort();
    kept
}

fn one_or(mut sums: Vec<Sum>, join: impl Fn(Vec<Sum>) -> Atom) -> Sum {
    match sums.len() {
        1 => sums.remove(0),
        _ => Sum::atom(join(sums)),
    }
}

/// The least and the greatest that an integer may be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ends {
    pub(super) low: Sum,
    pub(super) high: Sum,
}

impl Ends {
    fn exactly(sum: Sum) -> Ends {
        Ends { low: sum.clone(), high: sum }
    }

    /// Returns the smallest ends that contain all of some.
    pub(super) fn hull(all: impl IntoIterator<Item = Ends> + Clone) -> Ends {
        let low = outermost(all.clone().into_iter().map(|ends| ends.low), |by| by > 0);
        let high = outermost(all.into_iter().map(|ends| ends.high), |by| by < 0);
        Ends { low: one_or(low, Atom::Least), high: one_or(high, Atom::Greatest) }
    }

    pub(super) fn add(&self, other: &Ends) -> Ends {
        Ends { low: self.low.add(&other.low), high: self.high.add(&other.high) }
    }

    /// Multiplies both ends by a positive number.
    pub(super) fn scaled(&self, by: i128) -> Ends {
        Ends { low: self.low.scale(by), high: self.high.scale(by) }
    }

    fn negated(&self) -> Ends {
        Ends { low: self.high.scale(-1), high: self.low.scale(-1) }
    }

    fn multiplied(&self, other: &Ends) -> Ends {
        let corner = |a: &Sum, b: &Sum| Ends::exactly(a.multiplied(b));
        let corners = [
            corner(&self.low, &other.low),
            corner(&self.low, &other.high),
            corner(&self.high, &other.low),
            corner(&self.high, &other.high),
        ];
        Ends::hull(corners)
    }

    /// Divides both ends by a positive constant, rounding as the op does: a quotient never falls where its dividend
    /// grows.
    fn divided(&self, code: Code, by: i64) -> Ends {
        let divided = |sum: &Sum| match sum.as_constant() {
            Some(constant) if code == Code::Div => Sum::constant(constant / i128::from(by)),
            Some(constant) => Sum::constant(constant.div_euclid(by.into())),
            None => Sum::atom(Atom::Quotient(code, Box::new(sum.clone()), by)),
        };
        Ends { low: divided(&self.low), high: divided(&self.high) }
    }
}

/// A nest, and what is inside of it.
pub(super) struct Inside<'k> {
    kernel: &'k Kernel,
    ops: BTreeSet<Op>,
    /// The loop or branch that each region inside is a part of.
    owners: FxHashMap<Region, Op>,
    known: FxHashMap<Value, Option<Ends>>,
}

impl<'k> Inside<'k> {
    pub(super) fn of(kernel: &'k Kernel, nest: Op) -> Inside<'k> {
        let mut inside =
            Inside { kernel, ops: BTreeSet::from([nest]), owners: FxHashMap::default(), known: FxHashMap::default() };
        kernel.walk_inside(nest, &mut |op| {
            inside.ops.insert(op);
        });
        for &op in &inside.ops {
            kernel.ops[op].regions.iter().for_each(|&region| {
                inside.owners.insert(region, op);
            });
        }
        inside
    }

    /// The ops inside, the nest itself among them.
    pub(super) fn ops(&self) -> impl Iterator<Item = Op> + use<'_> {
        self.ops.iter().copied()
    }

    /// Says whether a value is defined before the nest.
    pub(super) fn is_before(&self, value: Value) -> bool {
        match self.kernel.values[value].def {
            Def::Param(_) | Def::Const(_) => true,
            Def::Result(op, _) => !self.ops.contains(&op),
            Def::Arg(region, _) => !self.owners.contains_key(&region),
        }
    }

    /// Returns sums that bound an integer wherever it is computed; `None` where no such sums are known.
    pub(super) fn ends(&mut self, value: Value) -> Option<Ends> {
        self.at_depth(value, 0)
    }

    fn at_depth(&mut self, value: Value, depth: usize) -> Option<Ends> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = if depth > MAX_DEPTH { None } else { self.find(value, depth + 1) };
        let small = |ends: &Ends| [&ends.low, &ends.high].iter().all(|end| end.magnitude(self.kernel).is_some());
        let found = found.filter(small);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: Value, depth: usize) -> Option<Ends> {
        let kernel = self.kernel;
        let ty = kernel.ty(value);
        let elem = ty.data_elem().filter(|elem| elem.is_integer() && ty.lanes().is_none())?;
        if let Some(constant) = kernel.as_const(value) {
            return constant.wide().map(Sum::constant).map(Ends::exactly);
        }
        if self.is_before(value) {
            return Some(Ends::exactly(Sum::atom(Atom::Value(value))));
        }
        match kernel.values[value].def {
            Def::Arg(region, number) => self.index(region, number as usize, depth),
            Def::Result(op, number) => self.computed(op, number as usize, elem, depth),
            Def::Param(_) | Def::Const(_) => None,
        }
    }

    /// An index, which starts at one end of its range and stops before the other.
    fn index(&mut self, region: Region, number: usize, depth: usize) -> Option<Ends> {
        let kernel = self.kernel;
        let owner = self.owners[&region];
        if number >= kernel.n_ranges(owner) {
            return None;
        }
        let range = &kernel.ops[owner].operands[3 * number..3 * number + 3];
        let (start, stop) = (self.at_depth(range[0], depth)?, self.at_depth(range[1], depth)?);
        let rising = Ends { low: start.low.clone(), high: stop.high.plus(-1) };
        let falling = Ends { low: stop.low.plus(1), high: start.high };
        Some(match kernel.as_const(range[2]).and_then(Scalar::wide) {
            Some(step) if step > 0 => rising,
            Some(_) => falling,
            None => Ends::hull([rising, falling]),
        })
    }

    fn computed(&mut self, op: Op, number: usize, elem: Elem, depth: usize) -> Option<Ends> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let mut of = |operand: usize| self.at_depth(data.operands[operand], depth);
        let by = || data.operands.get(1).and_then(|&by| kernel.as_const(by)?.wide()).filter(|by| *by > 0);
        match data.code {
            // Unsigned arithmetic may wrap, so its ends are not those of the sum.
            Code::Add if elem.is_signed() => Some(of(0)?.add(&of(1)?)),
            Code::Sub if elem.is_signed() => Some(of(0)?.add(&of(1)?.negated())),
            Code::Mul if elem.is_signed() => Some(of(0)?.multiplied(&of(1)?)),
            Code::Neg if elem.is_signed() => Some(of(0)?.negated()),
            Code::Cast | Code::Index => {
                let from = kernel.ty(data.operands[0]).data_elem()?.integer_range()?;
                let to = elem.integer_range()?;
                if from.0 < to.0 || from.1 > to.1 { None } else { of(0) }
            }
            Code::Div | Code::FloorDiv => Some(of(0)?.divided(data.code, i64::try_from(by()?).ok()?)),
            Code::Rem => {
                let by = by()?;
                let low = if elem.is_signed() { 1 - by } else { 0 };
                Some(Ends { low: Sum::constant(low), high: Sum::constant(by - 1) })
            }
            // Bits can only be taken away from what is not negative.
            Code::And => Some(Ends { low: Sum::constant(0), high: Sum::constant(by()?) }),
            Code::Min | Code::Max | Code::Select => {
                let [.., a, b] = data.operands[..] else { return None };
                Some(Ends::hull([self.at_depth(a, depth)?, self.at_depth(b, depth)?]))
            }
            Code::If => {
                let sides = data.regions.iter().map(|&side| kernel.regions[side].yields[number]);
                let sides: Option<Vec<Ends>> = sides.map(|side| self.at_depth(side, depth)).collect();
                sides.map(Ends::hull)
            }
            _ => None,
        }
    }
}
