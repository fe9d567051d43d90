//! Arrays while they are translated: what they are, their sizes, and their elements.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use ir::entities::{Op, Origin, Value};
use ir::ops::Code;
use ir::program::Attr;
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use super::plan::{Fate, makes_arrays};
use super::translate::{Made, Scope, Translator};

/// The new kernel's form of an old value.
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
pub(super) struct Subview {
    pub(super) view: Value,
    pub(super) prefix: Vec<Value>,
}

/// The representations of an array.
pub(super) enum Kind {
    /// The array is in memory.
    Stored(Subview),
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
    pub(super) op: Op,
    pub(super) arrays: Vec<Rc<Array>>,
    pub(super) scope: Rc<Scope>,
}

impl Array {
    pub(super) fn stored(ty: Type, view: Value) -> Array {
        Array { ty, kind: Kind::Stored(Subview { view, prefix: Vec::new() }), origin: None }
    }

    /// The view of it, if it is a whole view in memory.
    pub(super) fn whole(&self) -> Option<Value> {
        match &self.kind {
            Kind::Stored(Subview { view, prefix }) if prefix.is_empty() => Some(*view),
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
                Kind::Stored(Subview { view: part, prefix: Vec::new() })
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
    pub(super) fn old_place(&mut self, old: Value) -> Option<Subview> {
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
        Some(Subview { view: part, prefix: Vec::new() })
    }

    /// A view of an array in memory.
    pub(super) fn view(&mut self, array: &Array) -> Made<Value> {
        let Kind::Stored(Subview { view, prefix }) = &array.kind else {
            unreachable!("the plan stores an array of which a view is taken")
        };
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
        let (outside, reader) = (std::mem::replace(&mut self.origin, data.origin), self.reader);
        self.reader = self.reader_for(op);
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
        (self.origin, self.reader) = (outside, reader);
        let known = self.known.last_mut().expect("a block is open");
        known.elements.insert(key, (array.clone(), element.clone()));
        Ok(element)
    }

    /// The position of what reads, in the block of assignments that are done together: that of the op itself, or of what it is inside of.
    fn reader_for(&self, op: Op) -> usize {
        let Some(home) = self.home else { return 0 };
        match self.plan.place(op) {
            (region, position) if region == home => position,
            _ if self.plan.is_inside(op, home) => self.reader,
            _ => 0,
        }
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

    /// Returns the yields of a `map`'s block for an element: the block is run here, unless it was already.
    fn yields(&mut self, map: &Rc<Map>, index: Value) -> Made<Vec<Bound>> {
        let key = (map.number, index);
        if let Some(known) = self.known.iter().find_map(|known| known.yields.get(&key)) {
            return Ok(known.clone());
        }
        let from = self.from;
        let data = &from.ops[map.op];
        let (outside, origin, reader) = (self.scope.clone(), self.origin, self.reader);
        self.scope = Scope::inside(&map.scope);
        self.reader = self.reader_for(map.op);
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
        (self.scope, self.origin, self.reader) = (outside, origin, reader);
        self.known.last_mut().expect("a block is open").yields.insert(key, yields.clone());
        Ok(yields)
    }

    /// Says in what places the rows are wanted that a `map` yields, for the iteration that follows.
    pub(super) fn want_rows(&mut self, arrays: &[Rc<Array>], places: &[Subview], index: Value) {
        let from = self.from;
        for (array, place) in arrays.iter().zip(places) {
            let Kind::Map(map, number) = &array.kind else { continue };
            let region = from.ops[map.op].regions[0];
            let yielded = from.regions[region].yields[*number];
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
    pub(super) fn want(&mut self, old: Value, place: Subview) {
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
        // The yields of the block are read where its rows are used.
        let region = from.ops[map.op].regions[0];
        let mut values: Vec<Value> = from.regions[region].yields.to_vec();
        from.walk(region, &mut |_, op| {
            values.extend(&from.ops[op].operands);
            from.ops[op].regions.iter().for_each(|&inner| values.extend(&from.regions[inner].yields));
        });
        values.into_iter().filter(|&value| from.ty(value).is_view()).any(|value| {
            let mut arrays = FxHashSet::default();
            self.plan.arrays_of(from, value, &mut arrays);
            // A carried array has another memory than the one that the loop starts with.
            arrays.insert(from.root(value));
            arrays.iter().any(|&array| match map.scope.find(array) {
                Some(Bound::Array(array)) => self.reads(&array, root, seen),
                _ => false,
            })
        })
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
