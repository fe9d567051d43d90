//! Arrays while they are translated: what they are, their sizes, and their elements.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use ir::entities::{Op, Origin, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Size};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use super::Refusal;
use super::plan::{Fate, makes_arrays};
use super::translate::{Made, Scope, Translator};

/// What an old value is in the new kernel.
#[derive(Clone)]
pub(super) enum Bound {
    /// A scalar.
    Data(Value),
    /// An array, or a part of one.
    Array(Rc<Array>),
}

/// An array.
pub(super) struct Array {
    /// The type of a view of it.
    pub(super) ty: Type,
    pub(super) kind: Kind,
    /// The place at which it is a part of another array; its elements are read there.
    pub(super) origin: Option<Origin>,
}

/// A part of memory: a view with its first subscripts.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) view: Value,
    pub(super) prefix: Vec<Value>,
}

/// What an array is.
pub(super) enum Kind {
    /// It is in memory.
    Stored(Place),
    /// An op works on each element.
    Each(Op, Vec<Bound>),
    /// The numbers up to a size.
    Iota(Value),
    /// One value, so many times.
    Replicate(Value, Bound),
    /// The result with this number of an op that runs its block for each element.
    Map(Rc<Map>, usize),
    /// Every so many elements of another array, from one on, along a dimension.
    Slice { of: Rc<Array>, dim: usize, lo: Value, step: Value, count: Value },
    /// A subscript along another dimension than the first.
    Row { of: Rc<Array>, dim: usize, index: Value },
}

/// A `map` whose block is run where an element is used.
pub(super) struct Map {
    /// Its own number among such ops.
    number: u32,
    op: Op,
    arrays: Vec<Rc<Array>>,
    scope: Rc<Scope>,
}

impl Array {
    pub(super) fn stored(ty: Type, view: Value) -> Array {
        Array { ty, kind: Kind::Stored(Place { view, prefix: Vec::new() }), origin: None }
    }

    /// The view of it, if it is a whole view in memory.
    pub(super) fn whole(&self) -> Option<Value> {
        match &self.kind {
            Kind::Stored(Place { view, prefix }) if prefix.is_empty() => Some(*view),
            _ => None,
        }
    }
}

impl Translator<'_> {
    /// The arrays that an op makes, as they are before anything is computed.
    pub(super) fn delayed(&mut self, op: Op) -> Made<Vec<Array>> {
        let from = self.from;
        let data = &from.ops[op];
        let types: Vec<Type> = data.results.iter().map(|&result| from.ty(result)).collect();
        let kind = match data.code {
            Code::Map | Code::Scan => {
                let arrays = data.operands[..from.n_arrays(op)].iter().map(|&array| self.array(array)).collect();
                self.n_delayed += 1;
                let map = Rc::new(Map { number: self.n_delayed, op, arrays, scope: self.scope.clone() });
                let made = types.into_iter().enumerate();
                return Ok(made.map(|(n, ty)| Array { ty, kind: Kind::Map(map.clone(), n), origin: None }).collect());
            }
            Code::Iota => Kind::Iota(self.data(data.operands[0])),
            Code::Replicate => {
                let n = self.data(data.operands[0]);
                Kind::Replicate(n, self.bound(data.operands[1]))
            }
            // Its sizes are those of an array of its first element.
            Code::Elements => {
                let n = self.i64(data.operands.len() as i64);
                Kind::Replicate(n, self.bound(data.operands[0]))
            }
            _ => Kind::Each(op, data.operands.iter().map(|&operand| self.bound(operand)).collect()),
        };
        Ok(vec![Array { ty: types[0], kind, origin: None }])
    }

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
                found.ok_or(Refusal::UnknownSize)?
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
                Code::Field => return self.dim_of_view(operands[0], dim),
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
                    Code::Temp => self.old_index(data.operands[dim]),
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
                    Code::If => self.old_dim(from.regions[data.regions[0]].yields[number as usize], dim),
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
            sizes.any(|size| matches!(size, Size::Param(of) if *of == param))
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
        match step_number.map(i128::unsigned_abs) {
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

    /// A row or slice of an array.
    pub(super) fn part(&mut self, op: Op) -> Made<Array> {
        let from = self.from;
        let data = &from.ops[op];
        let of = self.array(data.operands[0]);
        let Attr::Number(dim) = data.attr else { panic!("a row says its dimension") };
        let operands: Vec<Value> = data.operands[1..].iter().map(|&operand| self.data(operand)).collect();
        let ty = from.ty(data.results[0]);
        let kind = match (&of.kind, data.code, dim) {
            (Kind::Stored(place), Code::Row, 0) => {
                let mut place = place.clone();
                place.prefix.push(operands[0]);
                Kind::Stored(place)
            }
            (Kind::Stored(place), Code::Slice, dim) if self.is_whole(&of, dim as usize, &operands)? => {
                Kind::Stored(place.clone())
            }
            (Kind::Stored(_), code, dim) => {
                let view = self.view(&of)?;
                let part = self.pure(code, Attr::Number(dim), &[&[view], &operands[..]].concat());
                self.name(part, data.results[0]);
                Kind::Stored(Place { view: part, prefix: Vec::new() })
            }
            (_, Code::Row, 0) => {
                return match self.at(&of, operands[0])? {
                    Bound::Array(row) => Ok(Array {
                        ty,
                        origin: Some(data.origin),
                        kind: Kind::Slice {
                            count: self.dim(&row, 0)?,
                            lo: self.i64(0),
                            step: self.i64(1),
                            dim: 0,
                            of: row,
                        },
                    }),
                    Bound::Data(_) => panic!("a row is an array"),
                };
            }
            (_, Code::Row, dim) => Kind::Row { of, dim: dim as usize, index: operands[0] },
            (_, _, dim) => {
                let count = self.count(operands[0], operands[1], operands[2]);
                Kind::Slice { of, dim: dim as usize, lo: operands[0], step: operands[2], count }
            }
        };
        Ok(Array { ty, kind, origin: Some(data.origin) })
    }

    /// Says whether a slice is all of a dimension.
    fn is_whole(&mut self, of: &Array, dim: usize, operands: &[Value]) -> Made<bool> {
        let [lo, hi, step] = operands else { return Ok(false) };
        let is = |value: Value, number: i128| self.to.as_const(value).and_then(Scalar::wide) == Some(number);
        if !is(*lo, 0) || !is(*step, 1) {
            return Ok(false);
        }
        let hi = self.index(*hi);
        Ok(self.dim(of, dim)? == hi)
    }

    /// The place of an array in memory that may not have been named yet.
    pub(super) fn old_place(&mut self, old: Value) -> Option<Place> {
        if let Some(Bound::Array(array)) = self.get(old) {
            return match &array.kind {
                Kind::Stored(place) => Some(place.clone()),
                _ => None,
            };
        }
        let from = self.from;
        let data = &from.ops[from.def_op(old)?];
        let Attr::Number(dim) = data.attr else { return None };
        if !matches!(data.code, Code::Row | Code::Slice) {
            return None;
        }
        let mut place = self.old_place(data.operands[0])?;
        let operands =
            data.operands[1..].iter().map(|&operand| self.old_scalar(operand)).collect::<Option<Vec<_>>>()?;
        if data.code == Code::Row && dim == 0 {
            place.prefix.push(operands[0]);
            return Some(place);
        }
        let of = Array { ty: from.ty(data.operands[0]), kind: Kind::Stored(place.clone()), origin: None };
        if data.code == Code::Slice && self.is_whole(&of, dim as usize, &operands).ok()? {
            return Some(place);
        }
        let view = self.view(&of).ok()?;
        let part = self.pure(data.code, Attr::Number(dim), &[&[view], &operands[..]].concat());
        Some(Place { view: part, prefix: Vec::new() })
    }

    /// A view of an array in memory.
    pub(super) fn view(&mut self, array: &Array) -> Made<Value> {
        let Kind::Stored(Place { view, prefix }) = &array.kind else { return Err(Refusal::WrittenChoice) };
        let mut view = *view;
        for &index in prefix {
            view = self.pure(Code::Row, Attr::Number(0), &[view, index]);
        }
        Ok(view)
    }

    /// An element of an array: a scalar, or a row.
    pub(super) fn at(&mut self, array: &Rc<Array>, index: Value) -> Made<Bound> {
        let ty = array.ty.of_element();
        let row = |kind: Kind| Bound::Array(Rc::new(Array { ty, kind, origin: array.origin }));
        Ok(match &array.kind {
            Kind::Stored(place) => {
                let mut place = place.clone();
                place.prefix.push(index);
                match ty.is_view() {
                    true => row(Kind::Stored(place)),
                    false => {
                        let operands = [&[place.view], &place.prefix[..]].concat();
                        let read_at = array.origin.unwrap_or(self.origin);
                        let origin = std::mem::replace(&mut self.origin, read_at);
                        let value = self.make(Code::Load, Attr::None, &operands);
                        self.origin = origin;
                        Bound::Data(value)
                    }
                }
            }
            Kind::Each(op, operands) => self.each(array, *op, operands, index)?,
            Kind::Iota(n) => {
                let to = self.to.ty(*n).data_elem().unwrap_or(Elem::I64);
                Bound::Data(self.cast(index, to))
            }
            Kind::Replicate(_, element) => element.clone(),
            Kind::Map(map, result) => self.yields(map, index)?[*result].clone(),
            Kind::Slice { of, dim: 0, lo, step, .. } => {
                let index = self.moved(*lo, *step, index);
                self.at(of, index)?
            }
            Kind::Slice { of, dim, lo, step, count } => match self.at(of, index)? {
                Bound::Array(of) => row(Kind::Slice { of, dim: dim - 1, lo: *lo, step: *step, count: *count }),
                Bound::Data(_) => panic!("a slice is of an array"),
            },
            Kind::Row { of, dim, index: second } => match (self.at(of, index)?, dim) {
                (Bound::Array(of), 1) => self.at(&of, *second)?,
                (Bound::Array(of), dim) => row(Kind::Row { of, dim: dim - 1, index: *second }),
                (Bound::Data(_), _) => panic!("a row is of an array"),
            },
        })
    }

    /// An element of an array whose elements an op works on. It is computed once for all that want it in a block.
    fn each(&mut self, array: &Rc<Array>, op: Op, operands: &[Bound], index: Value) -> Made<Bound> {
        let key = (Rc::as_ptr(array), index);
        if let Some((_, known)) = self.known.iter().find_map(|known| known.elements.get(&key)) {
            return Ok(known.clone());
        }
        let data = &self.from.ops[op];
        let outside = std::mem::replace(&mut self.origin, data.origin);
        let mut parts = Vec::new();
        for operand in operands {
            parts.push(match operand {
                Bound::Array(operand) => self.at(operand, index)?,
                data => data.clone(),
            });
        }
        let ty = array.ty.of_element();
        let element = match ty.is_view() {
            true => Bound::Array(Rc::new(Array { ty, kind: Kind::Each(op, parts), origin: array.origin })),
            false => {
                let operands = parts.iter().map(|part| match part {
                    Bound::Data(value) => *value,
                    Bound::Array(_) => panic!("an element is a scalar"),
                });
                let operands: Vec<Value> = operands.collect();
                self.origin = data.origin;
                Bound::Data(self.make(data.code, data.attr.clone(), &operands))
            }
        };
        self.origin = outside;
        let known = self.known.last_mut().expect("a block is open");
        known.elements.insert(key, (array.clone(), element.clone()));
        Ok(element)
    }

    /// A scalar of an array.
    pub(super) fn element(&mut self, array: &Rc<Array>, indices: &[Value]) -> Made<Value> {
        let mut array = array.clone();
        for &index in indices {
            match self.at(&array, index)? {
                Bound::Data(value) => return Ok(value),
                Bound::Array(row) => array = row,
            }
        }
        panic!("an element has a subscript for each dimension")
    }

    /// The index of an element of a slice in its array.
    fn moved(&mut self, lo: Value, step: Value, index: Value) -> Value {
        let is = |translator: &Self, value: Value, number: i128| {
            translator.to.as_const(value).and_then(Scalar::wide) == Some(number)
        };
        let (from_start, by_one) = (is(self, lo, 0), is(self, step, 1));
        if from_start && by_one {
            return index;
        }
        let types = [lo, step, index].map(|value| self.to.ty(value).data_elem().unwrap_or(Elem::I64));
        let known = |value: Value| self.to.as_const(value).is_some();
        // In the type of the index, if what is not known has that, too.
        let common = (known(lo) || types[0] == types[2]) && (known(step) || types[1] == types[2]);
        let elem = if common && types[2].is_signed() { types[2] } else { Elem::I64 };
        let [lo, step, index] = [lo, step, index].map(|value| self.cast(value, elem));
        let far = if by_one { index } else { self.pure(Code::Mul, Attr::None, &[index, step]) };
        if from_start { far } else { self.pure(Code::Add, Attr::None, &[lo, far]) }
    }

    /// An integer in another type.
    pub(super) fn cast(&mut self, value: Value, to: Elem) -> Value {
        if self.to.ty(value) == Type::scalar(to) {
            return value;
        }
        match self.to.as_const(value).and_then(Scalar::wide) {
            Some(number) => self.to.constant(Scalar::wrap(to, number)),
            None => self.pure(Code::Cast, Attr::Elem(to), &[value]),
        }
    }

    /// What the block of a `map` yields for an element: it is run here, unless it was already.
    fn yields(&mut self, map: &Rc<Map>, index: Value) -> Made<Vec<Bound>> {
        let key = (map.number, index);
        if let Some(known) = self.known.iter().find_map(|known| known.yields.get(&key)) {
            return Ok(known.clone());
        }
        let from = self.from;
        let data = &from.ops[map.op];
        let (outside, origin) = (self.scope.clone(), self.origin);
        self.scope = Scope::inside(&map.scope);
        let region = data.regions[0];
        self.done.regions.entry(region).or_insert(self.block);
        for (array, &arg) in map.arrays.iter().zip(&from.regions[region].args) {
            let element = self.at(array, index)?;
            if let Bound::Data(value) = element {
                self.name(value, arg);
            }
            self.bind(arg, element);
        }
        self.ops(region);
        let yields: Vec<Bound> = from.regions[region].yields.iter().map(|&value| self.bound(value)).collect();
        (self.scope, self.origin) = (outside, origin);
        self.known.last_mut().expect("a block is open").yields.insert(key, yields.clone());
        Ok(yields)
    }

    /// Says in what places the rows are wanted that a `map` yields, for the iteration that follows.
    pub(super) fn want_rows(&mut self, map: &Map, places: &[Place], index: Value) {
        let from = self.from;
        let region = from.ops[map.op].regions[0];
        for (&yielded, place) in from.regions[region].yields.iter().zip(places) {
            let maker = from.def_op(yielded).filter(|&maker| makes_arrays(from, maker));
            let is_own = maker.is_some_and(|maker| self.plan.place(maker).0 == region);
            let mut place = place.clone();
            place.prefix.push(index);
            if is_own && !self.is_touched(place.view, region) {
                self.want(yielded, place);
            }
        }
    }

    /// Says in what place an array is wanted. One that is computed where it is used passes that on to an array of which it takes each
    /// element for its own, and that is not used afterwards.
    pub(super) fn want(&mut self, old: Value, place: Place) {
        let mut at = old;
        while let Some(maker) = self.from.def_op(at) {
            match self.plan.fates.get(&maker) {
                Some(Fate::Stored(_)) => {
                    self.wanted.insert(at, place);
                    return;
                }
                Some(Fate::Delayed) => match self.plan.aligned(self.from, maker) {
                    Some(source) => at = source,
                    None => return,
                },
                None => return,
            }
        }
    }

    /// Says whether a block uses the memory of a view by an array from outside.
    fn is_touched(&self, view: Value, region: ir::entities::Region) -> bool {
        let from = self.from;
        let root = self.to.root(view);
        let mut found = false;
        from.walk(region, &mut |_, op| {
            for &operand in &from.ops[op].operands {
                if !from.ty(operand).is_view() {
                    continue;
                }
                let mut arrays = FxHashSet::default();
                self.plan.arrays_of(from, operand, &mut arrays);
                found |= arrays.iter().any(|&array| {
                    if from.def_op(array).is_some_and(|maker| self.plan.is_inside(maker, region)) {
                        return false;
                    }
                    let new = self.done.values.get(&array).map(|&new| self.to.root(new));
                    new.is_some_and(|new| self.to.may_overlap(new, root))
                });
            }
        });
        found
    }

    /// Says whether an array may be computed from the memory of a view.
    pub(super) fn reads_memory(&self, array: &Array, root: Value) -> bool {
        self.reads(array, root, &mut FxHashSet::default())
    }

    /// The blocks of the ops that were `seen` are looked at already: what a loop carries may be made of what it was before.
    fn reads(&self, array: &Array, root: Value, seen: &mut FxHashSet<u32>) -> bool {
        let mut of_bound = |bound: &Bound| match bound {
            Bound::Array(array) => self.reads(array, root, seen),
            Bound::Data(_) => false,
        };
        match &array.kind {
            Kind::Stored(place) => self.to.may_overlap(self.to.root(place.view), root),
            Kind::Each(_, operands) => operands.iter().any(of_bound),
            Kind::Iota(_) => false,
            Kind::Replicate(_, element) => of_bound(element),
            Kind::Slice { of, .. } | Kind::Row { of, .. } => self.reads(of, root, seen),
            Kind::Map(map, _) => {
                seen.insert(map.number)
                    && (map.arrays.iter().any(|array| self.reads(array, root, seen))
                        || self.block_reads(map, root, seen))
            }
        }
    }

    /// Says whether the block of a `map` may read the memory of a view by itself.
    fn block_reads(&self, map: &Map, root: Value, seen: &mut FxHashSet<u32>) -> bool {
        let from = self.from;
        let mut found = false;
        from.walk(from.ops[map.op].regions[0], &mut |_, op| {
            for &operand in &from.ops[op].operands {
                if !from.ty(operand).is_view() {
                    continue;
                }
                let mut arrays = FxHashSet::default();
                self.plan.arrays_of(from, operand, &mut arrays);
                found |= arrays.iter().any(|&array| match map.scope.find(array) {
                    Some(Bound::Array(array)) => self.reads(&array, root, seen),
                    _ => false,
                });
            }
        });
        found
    }
}

impl Kind {
    /// The `map` that it is a result of.
    pub(super) fn as_map(&self) -> Option<&Rc<Map>> {
        match self {
            Kind::Map(map, _) => Some(map),
            _ => None,
        }
    }
}
