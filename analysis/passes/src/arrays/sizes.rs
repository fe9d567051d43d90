//! The sizes of arrays, which may be asked for before an array is made.

use ir::entities::{Op, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, DimSize};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use super::ArrayRefusal;
use super::element::{Array, Bound, Kind};
use super::plan::makes_arrays;
use super::translate::{Made, Translator};

impl Translator<'_> {
    /// The size of an array's dimension.
    pub(super) fn dim(&mut self, array: &Array, dim: usize) -> Made<Value> {
        Ok(match &array.kind {
            Kind::Stored(place) => self.dim_of_view(place.view, place.prefix.len() + dim),
            Kind::Each(_, operands) => {
                let array = operands.iter().find_map(|operand| match operand {
                    Bound::Array(array) => Some(array.clone()),
                    Bound::Data(_) => None,
                });
                self.dim(&array.expect("an op on whole arrays has one"), dim)?
            }
            Kind::Iota(n) => self.index(*n),
            Kind::Replicate(n, _) if dim == 0 => self.index(*n),
            Kind::Replicate(_, Bound::Array(inner)) => self.dim(inner, dim - 1)?,
            Kind::Replicate(..) => panic!("an array of scalars has one dimension"),
            Kind::Map(map, _) if dim == 0 => self.dim(&map.arrays[0].clone(), 0)?,
            Kind::Map(map, result) => {
                let yielded = self.row_of(map.op, *result);
                let scope = self.scope.clone();
                self.scope = map.scope.clone();
                let found = self.old_dim(yielded, dim - 1);
                self.scope = scope;
                found.ok_or(ArrayRefusal::LateSize)?
            }
            Kind::Slice { dim: along, count, .. } if *along == dim => *count,
            Kind::Slice { of, .. } => self.dim(&of.clone(), dim)?,
            Kind::Row { of, dim: along, .. } => self.dim(&of.clone(), dim + usize::from(dim >= *along))?,
        })
    }

    /// A value with the sizes of the rows that a `map` or `scan` makes: what it yields, or starts with.
    fn row_of(&self, op: Op, number: usize) -> Value {
        let data = &self.from.ops[op];
        match data.code {
            Code::Scan => data.operands[self.from.n_head_operands(op) + number],
            _ => self.from.regions[data.regions[0]].yields[number],
        }
    }

    fn dim_of_view(&mut self, view: Value, dim: usize) -> Value {
        if let Some(sizes) = self.temps.get(&view) {
            return sizes[dim];
        }
        if let Some(op) = self.to.def_op(view) {
            let data = &self.to.ops[op];
            let (code, operands) = (data.code, data.operands.clone());
            let along = match data.attr {
                Attr::Number(along) => along as usize,
                _ => 0,
            };
            match code {
                Code::Field => {
                    let rank = usize::from(self.to.ty(operands[0]).rank());
                    return match dim.checked_sub(rank).map(|inner| self.to.sizes_of_field(op)[inner]) {
                        Some(size) => self.i64(size.into()),
                        None => self.dim_of_view(operands[0], dim),
                    };
                }
                Code::Row => return self.dim_of_view(operands[0], dim + usize::from(dim >= along)),
                Code::Slice if dim != along => return self.dim_of_view(operands[0], dim),
                Code::Slice if operands[1..].iter().all(|&operand| self.to.as_const(operand).is_some()) => {
                    return self.count(operands[1], operands[2], operands[3]);
                }
                _ => {}
            }
        }
        let declared = self.to.params.iter().find(|param| param.value == view).map(|param| param.sizes[dim].clone());
        if let Some(size) = declared.and_then(|size| self.size(&size)) {
            return size;
        }
        self.pure(Code::Size, Attr::Number(dim as i64), &[view])
    }

    /// The size of a dimension of an array that may not have been made yet; `None` where it is not known before that.
    pub(super) fn old_dim(&mut self, old: Value, dim: usize) -> Option<Value> {
        if let Some(Bound::Array(array)) = self.get(old) {
            return self.dim(&array, dim).ok();
        }
        let from = self.from;
        match from.values[old].def {
            Def::Arg(region, number) => {
                let owner = self.plan.owner(region)?;
                let data = &from.ops[owner];
                let number = number as usize;
                if !data.code.is_over_elements() {
                    let init = data.operands.get(number + 2 * from.n_ranges(owner)).copied()?;
                    return self.old_dim(init, dim);
                }
                match number < from.n_arrays(owner) {
                    true => self.old_dim(data.operands[number], dim + 1),
                    false => self.old_dim(data.operands[number], dim),
                }
            }
            Def::Result(op, number) => {
                let data = &from.ops[op];
                match data.code {
                    Code::Iota => self.old_index(data.operands[0]),
                    Code::Replicate if dim == 0 => self.old_index(data.operands[0]),
                    Code::Replicate => self.old_dim(data.operands[1], dim - 1),
                    Code::Elements if dim == 0 => Some(self.i64(data.operands.len() as i64)),
                    Code::Elements => self.old_dim(data.operands[0], dim - 1),
                    Code::Map | Code::Scan if dim == 0 => self.old_dim(data.operands[0], 0),
                    Code::Map | Code::Scan => self.old_dim(self.row_of(op, number as usize), dim - 1),
                    Code::Temp | Code::Table => self.old_index(data.operands[dim]),
                    Code::Row => {
                        let Attr::Number(along) = data.attr else { return None };
                        self.old_dim(data.operands[0], dim + usize::from(dim >= along as usize))
                    }
                    Code::Slice => {
                        let Attr::Number(along) = data.attr else { return None };
                        match along as usize == dim {
                            true => {
                                let [lo, hi, step] = [1, 2, 3].map(|n| self.old_scalar(data.operands[n]));
                                Some(self.count(lo?, hi?, step?))
                            }
                            false => self.old_dim(data.operands[0], dim),
                        }
                    }
                    Code::If => {
                        let sides = data.regions.iter().map(|&region| from.regions[region].yields[number as usize]);
                        let seen: Vec<Value> = sides.filter(|&side| !self.is_nothing(side)).collect();
                        let sides: Option<Vec<_>> = seen.into_iter().map(|side| self.old_dim(side, dim)).collect();
                        match sides?[..] {
                            [a, b] if a != b => match self.old_scalar(data.operands[0]) {
                                Some(condition) => Some(self.pure(Code::Select, Attr::None, &[condition, a, b])),
                                // Nothing says which one it is, and they ought to be equal.
                                None => Some(a),
                            },
                            [size, ..] => Some(size),
                            [] => Some(self.i64(0)),
                        }
                    }
                    Code::For | Code::While | Code::Reduce => {
                        let first = data.operands.len() - data.results.len();
                        self.old_dim(data.operands[first + number as usize], dim)
                    }
                    _ if makes_arrays(from, op) => {
                        let array = data.operands.iter().copied().find(|&operand| from.ty(operand).is_view())?;
                        self.old_dim(array, dim)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn old_index(&mut self, old: Value) -> Option<Value> {
        let value = self.old_scalar(old)?;
        Some(self.index(value))
    }

    /// An integer as the type of sizes.
    pub(super) fn index(&mut self, value: Value) -> Value {
        match self.to.ty(value) == Type::scalar(Elem::I64) {
            true => value,
            false => self.pure(Code::Index, Attr::None, &[value]),
        }
    }

    /// A scalar that may not have been computed yet: what it takes is computed here.
    pub(super) fn old_scalar(&mut self, old: Value) -> Option<Value> {
        if let Some(scalar) = self.from.as_const(old) {
            return Some(self.to.constant(scalar));
        }
        if let Some(bound) = self.get(old) {
            return match bound {
                Bound::Data(value) => Some(value),
                Bound::Array(_) => None,
            };
        }
        let from = self.from;
        if let Def::Arg(region, number) = from.values[old].def {
            // Outside of the block of a `map` its rows are asked for, which have the sizes of the first one.
            let data = &from.ops[self.plan.owner(region)?];
            let array = data.operands.get(number as usize).filter(|_| data.code == Code::Map)?;
            let maker = from.def_op(*array).filter(|&maker| from.ops[maker].code == Code::Iota)?;
            let ty = from.ty(old).data_elem().filter(|_| from.ops[maker].results.contains(array))?;
            return Some(self.to.constant(Scalar::zero(ty)));
        }
        let op = from.def_op(old)?;
        let data = &from.ops[op];
        if data.code == Code::Size {
            let Attr::Number(dim) = data.attr else { return None };
            return self.old_dim(data.operands[0], dim as usize);
        }
        if from.effect(op) > Effect::Fails || !data.regions.is_empty() || !data.code.is_elementwise() {
            return None;
        }
        let operands = data.operands.iter().map(|&operand| self.old_scalar(operand)).collect::<Option<Vec<_>>>()?;
        Some(self.pure(data.code, data.attr.clone(), &operands))
    }

    /// Says whether a number is the size of an array, so that it is not negative.
    fn is_size(&self, value: Value) -> bool {
        let Some(data) = self.to.def_op(value).map(|op| &self.to.ops[op]) else { return false };
        let declares = |param: Value| {
            let mut sizes = self.to.params.iter().flat_map(|own| &own.sizes);
            sizes.any(|size| matches!(size, DimSize::Param(of) if *of == param))
        };
        data.code == Code::Size || data.code == Code::Index && declares(data.operands[0])
    }

    /// The number of cells of a slice.
    pub(super) fn count(&mut self, lo: Value, hi: Value, step: Value) -> Value {
        let step_number = self.to.as_const(step).and_then(Scalar::wide);
        let [lo, hi] = [lo, hi].map(|value| self.index(value));
        let zero = self.i64(0);
        let (from, to) = if step_number.is_some_and(|step| step < 0) { (hi, lo) } else { (lo, hi) };
        let span = self.pure(Code::WrappingSub, Attr::None, &[to, from]);
        let starts_at_0 = self.to.as_const(from) == Some(Scalar::I64(0));
        let span = match starts_at_0 && self.is_size(to) {
            true => to,
            false => self.pure(Code::Max, Attr::None, &[span, zero]),
        };
        // A step of 0 ends the program where the slice is made. A choice among arrays that are there on some ways alone has such a step
        // on the others, and a size may be computed on all of them.
        match step_number.map(|step| step.unsigned_abs().max(1)) {
            Some(1) => span,
            Some(width) => {
                let (more, width) = (self.i64(width as i64 - 1), self.i64(width as i64));
                let up = self.pure(Code::WrappingAdd, Attr::None, &[span, more]);
                self.pure(Code::Div, Attr::None, &[up, width])
            }
            None => {
                // The step may go either way.
                let step = self.index(step);
                let back = self.pure(Code::WrappingSub, Attr::None, &[lo, hi]);
                let forth = self.pure(Code::WrappingSub, Attr::None, &[hi, lo]);
                let falls = self.pure(Code::Lt, Attr::None, &[step, zero]);
                let span = self.pure(Code::Select, Attr::None, &[falls, back, forth]);
                let span = self.pure(Code::Max, Attr::None, &[span, zero]);
                let (width, one) = (self.pure(Code::Abs, Attr::None, &[step]), self.i64(1));
                let width = self.pure(Code::Max, Attr::None, &[width, one]);
                let more = self.pure(Code::WrappingSub, Attr::None, &[width, one]);
                let up = self.pure(Code::WrappingAdd, Attr::None, &[span, more]);
                self.pure(Code::Div, Attr::None, &[up, width])
            }
        }
    }
}
