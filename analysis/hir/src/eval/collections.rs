//! `map`, `reduce`, `scan`, `zip`, `iota` and `replicate`.
//!
//! Calls of a function go along the first dimension, in order: the function gets elements, or rows as views.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::{Elem, Fold, Scalar, scalar};

use super::StopCode;
use super::arrays::Made;
use super::machine::{Machine, Run, Value};
use super::places::{Cell, View};
use super::sizes::{n_elements, sizes_of};
use crate::builtins::TypeRule;
use crate::ty::Ty;
use crate::{BinOp, ExprId};

/// Arrays of one first size, in each active lane.
pub(super) struct Columns {
    /// The arrays, each with its view in each lane.
    views: Vec<Vec<Rc<View>>>,
    /// The first size, in each lane.
    pub(super) counts: Vec<i64>,
}

impl Columns {
    /// The lanes that have an element of this number, by their positions among the active ones.
    fn inside(&self, iteration: i64) -> Vec<usize> {
        (0..self.counts.len()).filter(|&n| iteration < self.counts[n]).collect()
    }
}

/// An array that is being made out of elements or rows.
struct Rows {
    /// The sizes of each row; `None` before there is one.
    inner: Option<Vec<i64>>,
    made: Made,
}

impl Machine<'_> {
    pub(super) fn collection(
        &mut self,
        id: ExprId,
        shape: TypeRule,
        values: &[Vec<Value>],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        match (shape, values) {
            (TypeRule::Map, [functions, arrays @ ..]) => self.map(id, functions, arrays, active),
            (TypeRule::Reduce, [functions, zero, arrays @ ..]) => match self.fixed_order(functions, zero) {
                Some(fold) => self.reduce_in_fixed_order(id, fold, zero, arrays, active),
                None => self.fold(id, functions, zero, arrays, active, false),
            },
            (TypeRule::Scan, [functions, zero, arrays @ ..]) => self.fold(id, functions, zero, arrays, active, true),
            (TypeRule::Zip, arrays) => {
                // What types say of sizes comes first: that of `a[m:0]` is `-m`, and no array's.
                self.check_assumed(&[id], active)?;
                let columns = self.columns(id, arrays, active)?;
                let of = |n: usize| columns.views.iter().map(|lanes| lanes[n].clone()).collect();
                Ok((0..active.len()).map(|n| Value::Columns(of(n))).collect())
            }
            (TypeRule::Iota, [sizes]) => self.iota(id, sizes, active),
            (TypeRule::Length, [arrays, dims @ ..]) => self.length(id, arrays, dims.first(), active),
            (TypeRule::Replicate, [sizes, values]) => self.replicate(id, sizes, values, active),
            _ => Err(self.no_meaning(id, active[0])),
        }
    }

    // Elements.

    /// The arrays among values, those that are zipped one by one. Their first sizes have to be the same.
    pub(super) fn columns(&self, id: ExprId, arrays: &[Vec<Value>], active: &[usize]) -> Run<Columns> {
        let mut views: Vec<Vec<Rc<View>>> = Vec::new();
        for (n, &lane) in active.iter().enumerate() {
            let mut own: Vec<Rc<View>> = Vec::new();
            for values in arrays {
                match &values[n] {
                    Value::View(view) => own.push(view.clone()),
                    Value::Columns(columns) => own.extend(columns.iter().cloned()),
                    _ => return Err(self.error(StopCode::HasErrors, self.at(id), lane, "there is no array here")),
                }
            }
            let size = |view: &View| view.dims[0].size;
            if let Some(other) = own.iter().find(|view| size(view) != size(&own[0])) {
                return Err(self.sizes_differ(&[size(&own[0])], &[size(other)], id, lane));
            }
            views.resize(own.len(), Vec::new());
            views.iter_mut().zip(own).for_each(|(column, view)| column.push(view));
        }
        let counts = views.first().map_or(Vec::new(), |first| first.iter().map(|view| view.dims[0].size).collect());
        Ok(Columns { views, counts })
    }

    /// The elements, or rows, with a number: one of each array, for each lane that is inside.
    pub(super) fn elements(
        &mut self,
        id: ExprId,
        columns: &Columns,
        inside: &[usize],
        iteration: i64,
        lanes: &[usize],
    ) -> Run<Vec<Vec<Value>>> {
        let mut elements = Vec::new();
        for column in &columns.views {
            let rows: Vec<_> = inside.iter().map(|&n| column[n].row(iteration)).collect();
            elements.push(if rows[0].dims.is_empty() {
                let cells: Vec<_> = rows.iter().map(|row| Cell::of(row, None)).collect();
                self.load(&cells, id, lanes)?
            } else {
                rows.into_iter().map(|row| Value::View(Rc::new(row))).collect()
            });
        }
        Ok(elements)
    }

    // With a function.

    fn map(&mut self, id: ExprId, functions: &[Value], arrays: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        let columns = self.columns(id, arrays, active)?;
        let mut rows = self.each(active, |machine, _, lane| machine.rows(id, lane))?;
        for iteration in 0.. {
            let inside = columns.inside(iteration);
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            self.burn(self.at(id), lanes[0])?;
            let elements = self.elements(id, &columns, &inside, iteration, &lanes)?;
            let own: Vec<_> = inside.iter().map(|&n| functions[n].clone()).collect();
            let results = self.apply(id, &own, &elements, &lanes)?;
            for (&n, result) in inside.iter().zip(&results) {
                self.push(&mut rows[n], result, id, active[n])?;
            }
        }
        self.finish_rows(rows, &columns.counts, id, active)
    }

    /// `reduce`, or `scan` if it `keeps` what it comes to: one element after the other joins.
    fn fold(
        &mut self,
        id: ExprId,
        functions: &[Value],
        zero: &[Value],
        arrays: &[Vec<Value>],
        active: &[usize],
        keeps: bool,
    ) -> Run<Vec<Value>> {
        let columns = self.columns(id, arrays, active)?;
        // The sizes that the function is known to give are those of the start, also over no elements.
        self.check_known_behind(id, usize::from(keeps), zero, active)?;
        let mut joined = zero.to_vec();
        let mut rows = self.each(active, |machine, _, lane| machine.rows(id, lane))?;
        for iteration in 0.. {
            let inside = columns.inside(iteration);
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            self.burn(self.at(id), lanes[0])?;
            let mut args = vec![inside.iter().map(|&n| joined[n].clone()).collect()];
            args.extend(self.elements(id, &columns, &inside, iteration, &lanes)?);
            let own: Vec<_> = inside.iter().map(|&n| functions[n].clone()).collect();
            let results = self.apply(id, &own, &args, &lanes)?;
            for (&n, result) in inside.iter().zip(results) {
                // The joined value keeps its sizes.
                if let (Value::View(old), Value::View(new)) = (&joined[n], &result)
                    && sizes_of(old) != sizes_of(new)
                {
                    return Err(self.sizes_differ(&sizes_of(old), &sizes_of(new), id, active[n]));
                }
                if keeps {
                    self.push(&mut rows[n], &result, id, active[n])?;
                }
                joined[n] = result;
            }
        }
        if !keeps {
            return Ok(joined);
        }
        for (rows, start) in rows.iter_mut().zip(zero) {
            if let Value::View(start) = start {
                rows.inner.get_or_insert_with(|| sizes_of(start));
            }
        }
        self.finish_rows(rows, &columns.counts, id, active)
    }

    /// The way to join of a reduction that has the language's fixed order, like a loop in an item marked `@reassoc` or `@fast`: a
    /// sum or a product of floats. Only these can tell one order from another.
    fn fixed_order(&self, functions: &[Value], zero: &[Value]) -> Option<Fold> {
        if !self.frame().reassoc {
            return None;
        }
        let (Value::Function(function), Value::Scalar(zero)) = (&functions[0], &zero[0]) else { return None };
        let fold = match self.operator(function)? {
            BinOp::Add => Fold::Add,
            BinOp::Mul => Fold::Mul,
            _ => return None,
        };
        fold.partials(zero.elem()).map(|_| fold)
    }

    fn reduce_in_fixed_order(
        &mut self,
        id: ExprId,
        fold: Fold,
        zero: &[Value],
        arrays: &[Vec<Value>],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let columns = self.columns(id, arrays, active)?;
        let zero = self.each(active, |machine, n, _| machine.scalar(&zero[n], id))?;
        let identity = fold.identity(zero[0].elem());
        let n_partials = fold.partials(zero[0].elem()).unwrap_or(1);
        let mut partials = vec![vec![identity; n_partials]; active.len()];
        for iteration in 0.. {
            let inside = columns.inside(iteration);
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            self.burn(self.at(id), lanes[0])?;
            let elements = self.elements(id, &columns, &inside, iteration, &lanes)?;
            for (&n, element) in inside.iter().zip(&elements[0]) {
                let element = self.scalar(element, id)?;
                let partial = &mut partials[n][iteration as usize % n_partials];
                *partial = self.checked(fold.join(*partial, element), id, active[n])?;
            }
        }
        let mut joined = Vec::new();
        for ((partials, zero), &lane) in partials.into_iter().zip(zero).zip(active) {
            let total = self.checked(scalar::join_halving(fold, partials), id, lane)?;
            joined.push(Value::Scalar(self.checked(fold.join(zero, total), id, lane)?));
        }
        Ok(joined)
    }

    // Without one.

    /// The first size of a new array.
    fn count(&self, size: &Value, id: ExprId, lane: usize) -> Run<i64> {
        let size = self.scalar(size, id)?.wide().unwrap_or(-1);
        match i64::try_from(size) {
            Ok(size) if size >= 0 => Ok(size),
            _ => Err(self.fault(ErrorKind::BadSize(size), self.at(id), lane)),
        }
    }

    fn iota(&mut self, id: ExprId, sizes: &[Value], active: &[usize]) -> Run<Vec<Value>> {
        self.each(active, |machine, n, lane| {
            let count = machine.count(&sizes[n], id, lane)?;
            let elem = machine.scalar(&sizes[n], id)?.elem();
            let mut made = machine.start(usize::try_from(count).unwrap_or(usize::MAX), id, lane)?;
            for number in 0..count {
                machine.put(&mut made, &Value::Scalar(Scalar::wrap(elem, number.into())), id, lane)?;
            }
            machine.finish(made, &[count], id)
        })
    }

    fn replicate(&mut self, id: ExprId, sizes: &[Value], values: &[Value], active: &[usize]) -> Run<Vec<Value>> {
        self.each(active, |machine, n, lane| {
            let count = machine.count(&sizes[n], id, lane)?;
            let inner = match &values[n] {
                Value::View(view) => sizes_of(view),
                _ => Vec::new(),
            };
            let n_cells = usize::try_from(count).ok().and_then(|count| count.checked_mul(n_elements(&inner)));
            let made = machine.start(n_cells.unwrap_or(usize::MAX), id, lane)?;
            let mut rows = Rows { inner: Some(inner.clone()), made };
            // Rows without elements are there without being written.
            let n_turns = if n_cells == Some(0) { 0 } else { count };
            for _ in 0..n_turns {
                machine.push(&mut rows, &values[n], id, lane)?;
            }
            let sizes = [vec![count], inner].concat();
            machine.finish(rows.made, &sizes, id)
        })
    }

    /// An array of values that are written down, or of rows.
    pub(super) fn array_of(&mut self, id: ExprId, parts: &[ExprId], active: &[usize]) -> Run<Vec<Value>> {
        let values: Vec<_> = parts.iter().map(|&part| self.expr(part, active)).collect::<Run<_>>()?;
        let mut rows = self.each(active, |machine, _, lane| machine.rows(id, lane))?;
        for values in &values {
            for (n, &lane) in active.iter().enumerate() {
                self.push(&mut rows[n], &values[n], id, lane)?;
            }
        }
        self.finish_rows(rows, &vec![parts.len() as i64; active.len()], id, active)
    }

    /// The size of a dimension, in the type that is asked for.
    fn length(&mut self, id: ExprId, arrays: &[Value], dims: Option<&Vec<Value>>, active: &[usize]) -> Run<Vec<Value>> {
        let elem = self.type_of(id).scalar().unwrap_or(Elem::I32);
        self.each(active, |machine, n, lane| {
            let dim = match dims {
                Some(dims) => machine.scalar(&dims[n], id)?.wide().and_then(|dim| usize::try_from(dim).ok()),
                None => Some(0),
            };
            let view = match &arrays[n] {
                Value::View(view) => Some(view),
                Value::Columns(columns) => columns.first(),
                _ => None,
            };
            match view.zip(dim).and_then(|(view, dim)| view.dims.get(dim)) {
                Some(dim) => Ok(Value::Scalar(Scalar::wrap(elem, dim.size.into()))),
                None => Err(machine.error(StopCode::HasErrors, machine.at(id), lane, "there is no array here")),
            }
        })
    }

    // Arrays of rows.

    fn rows(&self, id: ExprId, lane: usize) -> Run<Rows> {
        Ok(Rows { inner: None, made: self.start(0, id, lane)? })
    }

    /// Adds an element, or the content of a row, which has to have the sizes of all rows before.
    fn push(&mut self, rows: &mut Rows, value: &Value, id: ExprId, lane: usize) -> Run<()> {
        let Value::View(view) = value else {
            rows.inner = Some(Vec::new());
            return self.put(&mut rows.made, value, id, lane);
        };
        let sizes = sizes_of(view);
        let inner = rows.inner.get_or_insert_with(|| sizes.clone());
        if *inner != sizes {
            return Err(self.sizes_differ(inner, &sizes, id, lane));
        }
        for number in 0..n_elements(&sizes) {
            let element = self.load(&[Cell::in_order(view, number)], id, &[lane])?;
            self.put(&mut rows.made, &element[0], id, lane)?;
        }
        Ok(())
    }

    fn finish_rows(&mut self, rows: Vec<Rows>, counts: &[i64], id: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let mut arrays = Vec::new();
        for ((rows, &count), &lane) in rows.into_iter().zip(counts).zip(active) {
            let inner = rows.inner.unwrap_or_else(|| self.inner_sizes(id, lane));
            arrays.push(self.finish(rows.made, &[vec![count], inner].concat(), id)?);
        }
        Ok(arrays)
    }

    /// The sizes of the rows of an array that has none: those that its type knows, and 0.
    fn inner_sizes(&self, id: ExprId, lane: usize) -> Vec<i64> {
        let Ty::Array(_, sizes) = self.type_of(id) else { return Vec::new() };
        sizes[1..].iter().map(|size| self.size_value(size, lane).unwrap_or(0).max(0)).collect()
    }
}
