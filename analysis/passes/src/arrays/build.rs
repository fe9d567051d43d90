//! Loops that store arrays, and those that go over their elements.

use std::rc::Rc;

use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Name, Values};

use super::ArrayRefusal;
use super::element::{Array, Bound, Kind, Subview};
use super::translate::{Made, Scope, Translator};

impl Translator<'_> {
    /// Stores arrays, which have one size and may be results of one op, in their places; gives the outermost loop.
    pub(super) fn build(&mut self, places: &[Subview], arrays: &[Rc<Array>], backwards: bool) -> Made<Op> {
        let count = self.dim(&arrays[0], 0)?;
        let around = self.block;
        let (op, index) = self.open_loop(count, backwards, &[]);
        self.want_rows(arrays, places, index);
        let mut rows: Vec<(Subview, Bound)> = Vec::with_capacity(arrays.len());
        for (place, array) in places.iter().zip(arrays) {
            let mut place = place.clone();
            place.prefix.push(index);
            rows.push((place, self.at(array, index)?));
        }
        for rows in rows.chunk_by(|(_, a), (_, b)| are_of_one_map(a, b)) {
            self.store_rows(rows)?;
        }
        self.close_loop(around, Values::new());
        Ok(op)
    }

    /// Stores a scalar or an array in its place.
    pub(super) fn store(&mut self, place: &Subview, element: Bound) -> Made<()> {
        match element {
            Bound::Data(value) => {
                let operands = [&[place.view], &place.prefix[..], &[value]].concat();
                let named = self.target.filter(|(view, _)| *view == place.view).map(|(_, origin)| origin);
                let store_at = named.unwrap_or(self.origin);
                let origin = std::mem::replace(&mut self.origin, store_at);
                self.push(Code::Store, Attr::None, &operands);
                self.origin = origin;
            }
            // The row was built at that place.
            Bound::Array(row) if matches!(&row.kind, Kind::Stored(own) if own == place) => {}
            Bound::Array(row) => {
                self.check_row(place, &row)?;
                self.build(std::slice::from_ref(place), &[row], false)?;
            }
        }
        Ok(())
    }

    /// Stores results of one op in their places, so that what gives them all runs once.
    fn store_rows(&mut self, rows: &[(Subview, Bound)]) -> Made<()> {
        if let [(place, element)] = rows {
            return self.store(place, element.clone());
        }
        let mut places = Vec::with_capacity(rows.len());
        let mut arrays = Vec::with_capacity(rows.len());
        for (place, element) in rows {
            if let Bound::Array(row) = element {
                self.check_row(place, row)?;
                places.push(place.clone());
                arrays.push(row.clone());
            }
        }
        self.build(&places, &arrays, false)?;
        Ok(())
    }

    /// Checks that a row has the sizes of its place.
    pub(super) fn check_row(&mut self, place: &Subview, row: &Array) -> Made<()> {
        for dim in 0..usize::from(row.ty.rank()) {
            let own = self.dim(row, dim)?;
            let whole = Array { ty: row.ty, kind: Kind::Stored(place.clone()), origin: None };
            let wanted = self.dim(&whole, dim)?;
            self.assert_equal(wanted, own);
        }
        Ok(())
    }

    /// Checks that two sizes are the same, unless that is known already; from here on it is.
    pub(super) fn assert_equal(&mut self, a: Value, b: Value) {
        if self.same(a) != self.same(b) {
            self.push(Code::AssertSize, Attr::None, &[a, b]);
            self.know_same(a, b);
        }
    }

    /// The size that stands for all that are known to be the same.
    pub(super) fn same(&self, size: Value) -> Value {
        let next = |size: Value| self.known.iter().rev().find_map(|known| known.same.get(&size)).copied();
        std::iter::successors(Some(size), |&size| next(size)).last().unwrap_or(size)
    }

    /// From here on two sizes are known to be the same.
    pub(super) fn know_same(&mut self, a: Value, b: Value) {
        let (a, b) = (self.same(a), self.same(b));
        if a != b {
            self.known.last_mut().expect("a block is open").same.insert(b, a);
        }
    }

    /// Checks that the arrays that an op works on have the same sizes.
    pub(super) fn same_sizes(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let n_arrays = if data.code.is_over_elements() { from.n_arrays(op) } else { data.operands.len() };
        if matches!(data.code, Code::Replicate | Code::Iota | Code::Elements) {
            return Ok(());
        }
        let arrays: Vec<_> = data.operands[..n_arrays].iter().filter(|&&operand| from.ty(operand).is_view()).collect();
        let arrays: Vec<_> = arrays.into_iter().map(|&operand| self.array(operand)).collect();
        let n_dims = if data.code.is_over_elements() { 1 } else { arrays[0].ty.rank().into() };
        for dim in 0..n_dims {
            let first = self.dim(&arrays[0], dim)?;
            for other in &arrays[1..] {
                let size = self.dim(other, dim)?;
                self.assert_equal(first, size);
            }
        }
        Ok(())
    }

    /// Runs a block over elements for one of them, with what is carried; gives what it yields.
    fn run_block(&mut self, op: Op, arrays: &[Rc<Array>], index: Value, carried: &[Bound]) -> Made<Vec<Bound>> {
        let from = self.from;
        let region = from.ops[op].regions[0];
        let outside = self.scope.clone();
        self.scope = Scope::inside(&outside);
        self.done.regions.entry(region).or_insert(self.block);
        let args = &from.regions[region].args;
        for (array, &arg) in arrays.iter().zip(args) {
            let element = self.at(array, index)?;
            if let Bound::Data(value) = element {
                self.name(value, arg);
            }
            self.bind(arg, element);
        }
        for (carried, &arg) in carried.iter().zip(&args[arrays.len()..]) {
            self.bind(arg, carried.clone());
        }
        self.ops(region);
        let yields = from.regions[region].yields.iter().map(|&value| self.bound(value)).collect();
        self.scope = outside;
        Ok(yields)
    }

    /// A `reduce`: a loop that carries the values.
    pub(super) fn reduce(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        if self.plan.shows_copies(from, op) {
            return Err(ArrayRefusal::WrittenChoice);
        }
        self.same_sizes(op)?;
        let n_arrays = from.n_arrays(op);
        let arrays: Vec<_> = data.operands[..n_arrays].iter().map(|&array| self.array(array)).collect();
        let region = data.regions[0];
        let folds = self.control_of(op).reductions;
        let count = self.dim(&arrays[0], 0)?;
        let mut cells = Vec::new();
        let mut inits = Vec::new();
        for (number, &init) in data.operands[n_arrays..].iter().enumerate() {
            let name = from.regions[region].args.get(n_arrays + number).and_then(|&arg| from.values[arg].name.clone());
            let name: Name = name.unwrap_or_else(|| "s".into());
            match self.bound(init) {
                Bound::Data(value) => inits.push((name, value)),
                Bound::Array(array) => cells.push((number, self.cell(op, number, init, &array)?)),
            }
        }
        let is_double_buffered = cells.iter().any(|(_, cell)| cell.is_double_buffered());
        if is_double_buffered {
            inits.push(("turn".into(), self.i64(0)));
        }
        let around = self.block;
        let carried_inits = if folds.is_empty() { inits.clone() } else { Vec::new() };
        let (new, index) = self.open_loop(count, false, &carried_inits);
        if !folds.is_empty() {
            let control = ir::program::Control { reductions: folds.clone(), ..Default::default() };
            self.to.ops[new].attr = Attr::Control(Box::new(control));
            for (_, init) in &inits {
                self.to.ops[new].operands.push(*init);
                let (ty, number) = (self.to.ty(*init), self.to.ops[new].results.len() as u32);
                let value = self.to.add_value(ty, ir::program::Def::Result(new, number), None);
                self.to.ops[new].results.push(value);
            }
        }
        let block = self.block;
        let args: Vec<Value> = self.to.regions[block].args[1..].to_vec();
        let turn = args.last().copied().filter(|_| is_double_buffered);
        let mut args = args.into_iter();
        let n_carried = if folds.is_empty() { data.operands.len() - n_arrays } else { 0 };
        let carried: Vec<Bound> = (0..n_carried)
            .map(|number| match cells.iter().find(|(own, _)| *own == number) {
                Some((_, cell)) => Bound::Array(cell.array(turn)),
                None => Bound::Data(args.next().expect("it is carried")),
            })
            .collect();
        let next = turn.map(|turn| self.other_half(op, turn, &cells));
        let yields = self.run_block(op, &arrays, index, &carried)?;
        let scalars = yields.iter().filter_map(|bound| match bound {
            Bound::Data(value) => Some(*value),
            Bound::Array(_) => None,
        });
        let scalars: Values = scalars.chain(next).collect();
        let updates: Vec<_> = cells
            .iter()
            .filter_map(|(number, cell)| match &yields[*number] {
                Bound::Array(array) => Some((cell.clone(), array.clone())),
                Bound::Data(_) => None,
            })
            .collect();
        self.next_arrays(op, next, updates)?;
        self.close_loop(around, scalars);
        let results: Vec<Value> = self.to.ops[new].results.to_vec();
        let turn = results.last().copied().filter(|_| is_double_buffered);
        let mut results = results.into_iter();
        for (number, &result) in data.results.iter().enumerate() {
            let bound = match cells.iter().find(|(own, _)| *own == number) {
                Some((_, cell)) => Bound::Array(cell.array(turn)),
                None => {
                    let value = results.next().expect("it is a result");
                    self.name(value, result);
                    Bound::Data(value)
                }
            };
            self.bind(result, bound);
        }
        Ok(())
    }

    /// A `scan`: a loop that carries the values, and stores each.
    pub(super) fn scan(&mut self, op: Op, places: &[Subview]) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let n_arrays = from.n_arrays(op);
        let arrays: Vec<_> = data.operands[..n_arrays].iter().map(|&array| self.array(array)).collect();
        let region = data.regions[0];
        let count = self.dim(&arrays[0], 0)?;
        let mut inits = Vec::new();
        let mut cells: Vec<Option<Rc<Array>>> = Vec::new();
        for (number, &init) in data.operands[n_arrays..].iter().enumerate() {
            let name = from.values[from.regions[region].args[n_arrays + number]].name.clone();
            match self.bound(init) {
                Bound::Data(value) => {
                    inits.push((name.unwrap_or_else(|| "s".into()), value));
                    cells.push(None);
                }
                Bound::Array(array) => cells.push(Some(self.kept(op, init, &array)?)),
            }
        }
        let around = self.block;
        let (_, index) = self.open_loop(count, false, &inits);
        let args: Vec<Value> = self.to.regions[self.block].args[1..].to_vec();
        let mut args = args.into_iter();
        let carried = cells.iter().map(|cell| match cell {
            Some(array) => Bound::Array(array.clone()),
            None => Bound::Data(args.next().expect("it is carried")),
        });
        let carried: Vec<_> = carried.collect();
        let yields = self.run_block(op, &arrays, index, &carried)?;
        let mut ends = Values::new();
        let mut updates = Vec::new();
        for ((place, yielded), cell) in places.iter().zip(yields).zip(cells) {
            let mut place = place.clone();
            place.prefix.push(index);
            let ty = match &yielded {
                Bound::Data(value) => {
                    ends.push(*value);
                    None
                }
                Bound::Array(row) => Some(row.ty),
            };
            self.store(&place, yielded)?;
            // The next prefix goes on from this one.
            if let (Some(cell), Some(ty)) = (cell, ty) {
                updates.push((cell, Rc::new(Array { ty, kind: Kind::Stored(place), origin: None })));
            }
        }
        self.update_all(op, &updates)?;
        self.close_loop(around, ends);
        Ok(())
    }

    /// An array whose elements are given one by one.
    pub(super) fn elements(&mut self, op: Op, place: &Subview) -> Made<()> {
        let from = self.from;
        for (number, &operand) in from.ops[op].operands.iter().enumerate() {
            let element = self.bound(operand);
            let mut place = place.clone();
            place.prefix.push(self.i64(number as i64));
            self.store(&place, element)?;
        }
        Ok(())
    }

    /// A copy of an array, in memory of its own.
    pub(super) fn copied(&mut self, array: &Rc<Array>) -> Made<Rc<Array>> {
        let mut sizes = Vec::new();
        for dim in 0..usize::from(array.ty.rank()) {
            sizes.push(self.dim(array, dim)?);
        }
        let copy = self.new_array(array.ty, &sizes);
        let Kind::Stored(place) = &copy.kind else { unreachable!("a new array is stored") };
        let place = place.clone();
        self.build(&[place], std::slice::from_ref(array), false)?;
        Ok(Rc::new(copy))
    }
}

/// Says whether two elements are results of one `map`, which is run where they are used.
fn are_of_one_map(a: &Bound, b: &Bound) -> bool {
    let map = |bound: &Bound| match bound {
        Bound::Array(row) => row.kind.as_map().cloned(),
        Bound::Data(_) => None,
    };
    map(a).zip(map(b)).is_some_and(|(a, b)| Rc::ptr_eq(&a, &b))
}
