//! Reach: the cells of an array that a nest touches, at most, as a view that is made before the nest.
//!
//! Along each dimension it is as wide as the ends of all subscripts there (see [`ends`](super::ends)), and never wider than
//! the array, so that making it cannot fail.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{Atom, Ends, Inside, LARGE, Sum};
use ir::entities::{Op, Origin, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Kernel, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// The part of an array that a nest may touch, dimension by dimension; `None` for all of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reach {
    array: Value,
    dims: Vec<Option<Ends>>,
}

/// The reach of all that a nest does to an array, and of what it stores there; nothing where there is none.
pub(super) fn of(kernel: &Kernel, inside: &mut Inside<'_>, array: Value) -> (Option<Reach>, Option<Reach>) {
    let mut all = Vec::new();
    let mut stored = Vec::new();
    let ops: Vec<Op> = inside.ops().collect();
    for op in ops {
        let data = &kernel.ops[op];
        // Ops that make views touch no cell.
        let touches = !data.code.is_control() && kernel.effect(op) >= Effect::Reads;
        let views = data.operands.iter().filter(|&&value| matches!(kernel.ty(value), Type::View { .. }));
        for &view in views.filter(|&&view| touches && kernel.root(view) == array) {
            let rank = usize::from(kernel.ty(view).rank());
            let subscripts = match data.code {
                Code::Load | Code::Store => data.operands[1..=rank].iter().map(|&at| inside.ends(at)).collect(),
                _ => vec![None; rank],
            };
            let dims = in_array(kernel, inside, view, subscripts);
            if kernel.effect(op) == Effect::Writes {
                stored.push(dims.clone());
            }
            all.push(dims);
        }
    }
    let join = |accesses: Vec<Vec<Option<Ends>>>| {
        let rank = accesses.first()?.len();
        let dims = (0..rank).map(|dim| {
            let all: Option<Vec<Ends>> = accesses.iter().map(|dims| dims.get(dim).cloned().flatten()).collect();
            all.map(Ends::hull).filter(|_| accesses.iter().all(|dims| dims.len() == rank))
        });
        Some(Reach { array, dims: dims.collect() })
    };
    (join(all), join(stored))
}

/// From the subscripts of a view to those of the array that it is a part of.
fn in_array(kernel: &Kernel, inside: &mut Inside<'_>, view: Value, subscripts: Vec<Option<Ends>>) -> Vec<Option<Ends>> {
    let mut dims = subscripts;
    let mut at = view;
    while let Some(op) = kernel.def_op(at) {
        let data = &kernel.ops[op];
        match (data.code, &data.attr) {
            // The cells of an array in a struct are told from those of another struct alone.
            (Code::Field, _) => dims.truncate(kernel.ty(data.operands[0]).rank().into()),
            (Code::Row, Attr::Number(dim)) => dims.insert(*dim as usize, inside.ends(data.operands[1])),
            (Code::Slice, Attr::Number(dim)) => {
                let step = kernel.as_const(data.operands[3]).and_then(Scalar::wide).filter(|&step| step > 0);
                let own = dims[*dim as usize].take();
                dims[*dim as usize] = step.and_then(|step| {
                    let from = inside.ends(data.operands[1])?;
                    Some(own?.scaled(step).add(&from))
                });
            }
            (Code::Flat, _) => {
                let rank = usize::from(kernel.ty(data.operands[0]).rank());
                dims = vec![None; rank];
            }
            _ => break,
        }
        at = data.operands[0];
    }
    dims
}

impl Reach {
    /// The values of 64 bits that it rests on: it is right only where none of them is [`LARGE`].
    pub(super) fn large(&self, kernel: &Kernel, found: &mut BTreeSet<Value>) {
        self.dims.iter().flatten().for_each(|ends| {
            ends.low.large(kernel, found);
            ends.high.large(kernel, found);
        });
    }
}

/// Makes ops before a nest.
pub(super) struct Maker<'k> {
    pub(super) kernel: &'k mut Kernel,
    pub(super) origin: Origin,
    pub(super) made: Vec<Op>,
    sums: BTreeMap<Sum, Value>,
    views: BTreeMap<Reach, Value>,
}

impl<'k> Maker<'k> {
    pub(super) fn new(kernel: &'k mut Kernel, origin: Origin) -> Maker<'k> {
        Maker { kernel, origin, made: Vec::new(), sums: BTreeMap::new(), views: BTreeMap::new() }
    }

    pub(super) fn op<const N: usize>(&mut self, code: Code, attr: Attr, operands: [Value; N], ty: Type) -> Value {
        let operands: Values = operands.into_iter().collect();
        let op = self.kernel.add_op(code, attr, operands, &[ty], self.origin);
        self.made.push(op);
        self.kernel.ops[op].results[0]
    }

    /// A view of the cells that a nest reaches.
    pub(super) fn view(&mut self, reach: &Reach) -> Value {
        if let Some(&view) = self.views.get(reach) {
            return view;
        }
        let mut view = reach.array;
        for (dim, ends) in reach.dims.iter().enumerate() {
            if let Some(ends) = ends.as_ref().filter(|ends| !self.is_whole(reach.array, dim, ends)) {
                view = self.part(view, dim, ends);
            }
        }
        self.views.insert(reach.clone(), view);
        view
    }

    fn is_whole(&self, array: Value, dim: usize, ends: &Ends) -> bool {
        let param = self.kernel.params.iter().find(|param| param.value == array);
        let size = param.and_then(|param| Sum::size(param.sizes.get(dim)?));
        ends.low.as_constant().is_some_and(|low| low <= 0) && size.is_some_and(|size| ends.high.plus(1) == size)
    }

    /// The cells of a view between two ends along a dimension, as far as it has those.
    fn part(&mut self, view: Value, dim: usize, ends: &Ends) -> Value {
        let number = Attr::Number(dim as i64);
        let size = self.op(Code::Size, number.clone(), [view], Type::scalar(Elem::I64));
        let zero = self.number(0);
        let low = match ends.low.as_constant() {
            Some(low) if low <= 0 => zero,
            Some(low) => self.number(low),
            None => {
                let low = self.sum(&ends.low);
                self.join(Code::Max, low, zero)
            }
        };
        let low = if low == zero { zero } else { self.join(Code::Min, low, size) };
        let end = self.sum(&ends.high.plus(1));
        let end = self.join(Code::Max, end, low);
        let end = self.join(Code::Min, end, size);
        let one = self.number(1);
        let ty = self.kernel.ty(view);
        self.op(Code::Slice, number, [view, low, end, one], ty)
    }

    fn number(&mut self, number: i128) -> Value {
        self.kernel.constant(Scalar::I64(i64::try_from(number).unwrap_or(i64::MAX)))
    }

    fn join(&mut self, code: Code, a: Value, b: Value) -> Value {
        self.op(code, Attr::None, [a, b], Type::scalar(Elem::I64))
    }

    /// A sum in 64 bits. Only where a value is [`LARGE`] may it wrap around.
    fn sum(&mut self, sum: &Sum) -> Value {
        if let Some(&value) = self.sums.get(sum) {
            return value;
        }
        let mut large = BTreeSet::new();
        sum.large(self.kernel, &mut large);
        let (add, multiply) = match large.is_empty() {
            true => (Code::Add, Code::Mul),
            false => (Code::WrappingAdd, Code::WrappingMul),
        };
        let mut total = None;
        for (atom, &times) in &sum.terms {
            let mut term = self.atom(atom, multiply);
            if times != 1 {
                let times = self.number(times);
                term = self.join(multiply, term, times);
            }
            total = Some(match total {
                None => term,
                Some(before) => self.join(add, before, term),
            });
        }
        let value = match total {
            None => self.number(sum.constant),
            Some(total) if sum.constant == 0 => total,
            Some(total) => {
                let constant = self.number(sum.constant);
                self.join(add, total, constant)
            }
        };
        self.sums.insert(sum.clone(), value);
        value
    }

    fn atom(&mut self, atom: &Atom, multiply: Code) -> Value {
        match atom {
            Atom::Value(value) if self.kernel.ty(*value).data_elem() == Some(Elem::I64) => *value,
            Atom::Value(value) => self.op(Code::Index, Attr::None, [*value], Type::scalar(Elem::I64)),
            Atom::Least(sums) => self.joined(Code::Min, sums),
            Atom::Greatest(sums) => self.joined(Code::Max, sums),
            Atom::Product(a, b) => {
                let (a, b) = (self.sum(a), self.sum(b));
                self.join(multiply, a, b)
            }
            Atom::Quotient(code, of, by) => {
                let (of, by) = (self.sum(of), self.number((*by).into()));
                self.join(*code, of, by)
            }
        }
    }

    fn joined(&mut self, code: Code, sums: &[Sum]) -> Value {
        let values: Vec<Value> = sums.iter().map(|sum| self.sum(sum)).collect();
        values.into_iter().reduce(|a, b| self.join(code, a, b)).expect("what is joined is something")
    }

    /// Adds the ops that tell if a value is [`LARGE`]; returns their result.
    pub(super) fn is_large(&mut self, value: Value) -> Value {
        let wide = self.atom(&Atom::Value(value), Code::Mul);
        let (least, most) = (self.number(-LARGE), self.number(LARGE));
        let bool = Type::scalar(Elem::Bool);
        let below = self.op(Code::Lt, Attr::None, [wide, least], bool);
        let above = self.op(Code::Gt, Attr::None, [wide, most], bool);
        self.op(Code::Or, Attr::None, [below, above], bool)
    }
}
