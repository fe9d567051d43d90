//! Arrays and parts of them: views, subscripts, loads and stores, and the collisions of `foreach` iterations.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::{AtomicRule, RunCode, Scalar};
use rustc_hash::FxHashMap;

use super::loops::Steps;
use super::machine::{Machine, Run, Value};
use super::memory::Memory;
use super::sizes::sizes_of;
use super::{Iteration, StopCode};
use crate::layout::{Layouts, Part, PartStep};
use crate::size::Size;
use crate::ty::Ty;
use crate::{Expr, ExprId, LocalId, Name, Subscript};

/// The place of the cells of an array, or of a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// The memory of the array.
    pub(super) array: Rc<Memory>,
    /// The number of the element that comes first.
    pub(super) start: i64,
    pub(super) dims: Vec<Dim>,
}

/// A dimension of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dim {
    pub(super) size: i64,
    /// The elements from one subscript to the next.
    pub(super) stride: i64,
}

impl View {
    /// A view of rows that follow each other without gaps.
    pub(super) fn new(array: Rc<Memory>, start: i64, sizes: &[i64]) -> View {
        let mut stride: i64 = 1;
        let mut dims: Vec<_> = sizes
            .iter()
            .rev()
            .map(|&size| {
                let dim = Dim { size, stride };
                // If this overflows, another dimension is empty.
                stride = stride.saturating_mul(size);
                dim
            })
            .collect();
        dims.reverse();
        View { array, start, dims }
    }

    /// The part at an index of the first dimension, which it has.
    pub(super) fn row(&self, index: i64) -> View {
        let start = self.start.wrapping_add(index.wrapping_mul(self.dims[0].stride));
        View { array: self.array.clone(), start, dims: self.dims[1..].to_vec() }
    }
}

/// An element of an array, or a part of it.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    array: Rc<Memory>,
    element: usize,
    pub(super) field: Option<Part>,
}

/// The left side of an assignment.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Local(LocalId),
    /// A part of a variable that is a struct.
    Field(LocalId, Part),
    Cell(Cell),
    /// All cells of an array, a row or a slice.
    View(Rc<View>),
}

/// The cells that the iterations of a `foreach` have touched, of arrays that were there before it. One that an iteration makes is its
/// own.
pub(super) struct Tracker {
    /// The number of arrays before the loop.
    n_arrays: usize,
    names: Vec<Name>,
    /// The ranges of each lane's loops; one entry where all lanes share the iterations.
    steps: Vec<Vec<Steps>>,
    /// The number of the iteration that is being run, in each lane.
    pub(super) current: Vec<i128>,
    /// The iterations that touched each cell, by the number of the steps, and by array and element.
    touched: FxHashMap<(usize, (usize, usize)), Touch>,
}

/// The iterations that touched a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Touch {
    writer: Option<i128>,
    /// Up to two different ones: more are not needed to find one that is not the writer.
    readers: [Option<i128>; 2],
    /// Up to two different ones that joined something to the cell in any order, each with the rule.
    joiners: [Option<(AtomicRule, i128)>; 2],
}

/// The way in which an iteration touches a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touching {
    Reads,
    Writes,
    /// By an atomic operation whose order is free: others by the same rule do not mind.
    Joins(AtomicRule),
}

/// Adds an entry to a list, unless it is there or the list is full.
fn note<T: Copy + PartialEq>(list: &mut [Option<T>; 2], entry: T) {
    if !list.contains(&Some(entry))
        && let Some(free) = list.iter_mut().find(|known| known.is_none())
    {
        *free = Some(entry);
    }
}

impl Tracker {
    pub(super) fn new(n_arrays: usize, names: Vec<Name>, steps: Vec<Vec<Steps>>) -> Tracker {
        Tracker { n_arrays, names, steps, current: Vec::new(), touched: FxHashMap::default() }
    }

    /// Notes that a lane touches a cell; gives the iteration with which its own collides, and what that did.
    fn touch(&mut self, cell: (usize, usize), lane: usize, how: Touching) -> Option<(i128, &'static str)> {
        if cell.0 > self.n_arrays {
            return None;
        }
        let own = *self.current.get(lane).or(self.current.first())?;
        let touch = self.touched.entry((self.around(lane), cell)).or_default();
        let other = |seen: &Option<i128>| seen.filter(|&seen| seen != own);
        let reader = touch.readers.iter().find_map(other).filter(|_| how != Touching::Reads);
        let joiners = touch.joiners.iter().flatten().filter(|(rule, _)| how != Touching::Joins(*rule));
        let joiner = joiners.map(|&(_, by)| by).find(|&by| by != own);
        let wrote = other(&touch.writer).or(joiner);
        let collides = wrote.map(|by| (by, "wrote")).or(reader.map(|by| (by, "read")));
        match how {
            Touching::Writes => touch.writer = Some(own),
            Touching::Reads => note(&mut touch.readers, own),
            Touching::Joins(rule) => note(&mut touch.joiners, (rule, own)),
        }
        collides
    }

    /// Returns the number of the steps for a lane.
    fn around(&self, lane: usize) -> usize {
        if self.steps.len() > 1 { lane } else { 0 }
    }

    /// The indices of an iteration of a lane.
    fn indices(&self, lane: usize, number: i128) -> Iteration {
        let mut left = number;
        let mut indices: Vec<_> = self
            .names
            .iter()
            .zip(&self.steps[self.around(lane)])
            .rev()
            .map(|(name, steps)| {
                let iteration = left % steps.count;
                left /= steps.count;
                (name.clone(), steps.at(iteration))
            })
            .collect();
        indices.reverse();
        indices
    }
}

fn shown(indices: &Iteration) -> String {
    let parts: Vec<_> = indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    parts.join(", ")
}

/// The way from a struct to a part of it.
enum Parts {
    /// All lanes mean the same part.
    Known(Part),
    /// There are subscripts on the way.
    Within {
        /// The struct.
        whole: Part,
        steps: Vec<StepTaken>,
    },
}

/// A step to a part of a struct.
enum StepTaken {
    Field(Name),
    /// The values of the subscripts of a field that is an array, each in all active lanes.
    Cells(Vec<Vec<i128>>),
}

/// A subscript, with its value in each lane.
enum At {
    Index(Vec<i128>),
    Slice { lo: Option<Vec<i128>>, hi: Option<Vec<i128>>, step: Option<Vec<i128>> },
}

impl Machine<'_> {
    // Subscripts.

    /// The part of the array that an access leaves: a view without dimensions is a single element. `at` is the whole access.
    fn subscripted(&mut self, base: ExprId, subscripts: &[Subscript], at: ExprId, active: &[usize]) -> Run<Vec<View>> {
        let bases = self.expr(base, active)?;
        let parts: Vec<At> =
            subscripts.iter().map(|subscript| self.subscript(subscript, active)).collect::<Run<_>>()?;
        self.each(active, |machine, n, lane| match &bases[n] {
            Value::View(view) => machine.part_of(view, &parts, n, at, lane),
            _ => Err(machine.error(StopCode::HasErrors, machine.at(base), lane, "there is no array here")),
        })
    }

    fn subscript(&mut self, subscript: &Subscript, active: &[usize]) -> Run<At> {
        match *subscript {
            Subscript::At(index) => self.integers(index, active).map(At::Index),
            Subscript::Slice { lo, hi, step } => {
                let mut part = |part: Option<ExprId>| part.map(|part| self.integers(part, active)).transpose();
                Ok(At::Slice { lo: part(lo)?, hi: part(hi)?, step: part(step)? })
            }
        }
    }

    pub(super) fn integers(&mut self, expr: ExprId, active: &[usize]) -> Run<Vec<i128>> {
        let values = self.expr(expr, active)?;
        self.each(active, |machine, n, lane| {
            let wide = machine.scalar(&values[n], expr)?.wide();
            wide.ok_or_else(|| machine.error(StopCode::HasErrors, machine.at(expr), lane, "there is no integer here"))
        })
    }

    /// Applies the subscripts of one lane to a view.
    fn part_of(&self, view: &View, parts: &[At], n: usize, at: ExprId, lane: usize) -> Run<View> {
        let mut left = View { array: view.array.clone(), start: view.start, dims: Vec::new() };
        for (number, dim) in view.dims.iter().enumerate() {
            let inside = |index: i128| match i64::try_from(index).ok().filter(|index| (0..dim.size).contains(index)) {
                Some(index) => Ok(index),
                None => Err(self.fault(ErrorKind::IndexOutOfRange { index, size: dim.size }, self.at(at), lane)),
            };
            match parts.get(number) {
                None => left.dims.push(*dim),
                // In an array without elements, a stride may be beyond all bounds.
                Some(At::Index(index)) => {
                    left.start = left.start.wrapping_add(inside(index[n])?.wrapping_mul(dim.stride))
                }
                Some(At::Slice { lo, hi, step }) => {
                    let (size, step) = (i128::from(dim.size), step.as_ref().map_or(1, |step| step[n]));
                    if step == 0 {
                        return Err(self.fault(ErrorKind::ZeroStep, self.at(at), lane));
                    }
                    let (first, behind) = if step > 0 { (0, size) } else { (size - 1, -1) };
                    let lo = lo.as_ref().map_or(first, |lo| lo[n]);
                    let hi = hi.as_ref().map_or(behind, |hi| hi[n]);
                    let count = ((hi - lo) * step.signum() + step.abs() - 1).div_euclid(step.abs()).max(0);
                    if count > 0 {
                        left.start = left.start.wrapping_add(inside(lo)?.wrapping_mul(dim.stride));
                        inside(lo + (count - 1) * step)?;
                    }
                    // A step that no array has room for is one of a slice of one cell or none.
                    let stride = if count > 1 { dim.stride.wrapping_mul(step as i64) } else { dim.stride };
                    left.dims.push(Dim { size: count as i64, stride });
                }
            }
        }
        Ok(left)
    }

    // Places.

    /// The value of `a[i]`: an element, or what is left of the array.
    pub(super) fn access(
        &mut self,
        expr: ExprId,
        base: ExprId,
        subs: &[Subscript],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        if let Some(values) = self.part_of_struct(expr, active)? {
            return Ok(values);
        }
        let views = self.subscripted(base, subs, expr, active)?;
        // Each lane has subscripted as many dimensions as any other.
        if views[0].dims.is_empty() {
            let cells: Vec<_> = views.iter().map(|view| Cell::of(view, None)).collect();
            return self.load(&cells, expr, active);
        }
        Ok(views.into_iter().map(|view| Value::View(Rc::new(view))).collect())
    }

    /// The value of a part of a struct, `p.x` or `p.hits[k]`; `None` for what is none.
    pub(super) fn part_of_struct(&mut self, expr: ExprId, active: &[usize]) -> Run<Option<Vec<Value>>> {
        let unit = self.frame().unit;
        let (whole, steps) = unit.body.part_of_struct(expr, &unit.types.like_fields);
        if steps.is_empty() {
            return Ok(None);
        }
        if let Expr::Index(array, subscripts) = &unit.body.exprs[whole] {
            let cells = self.cells_within((whole, *array, subscripts), &steps, expr, active)?;
            return self.load(&cells, expr, active).map(Some);
        }
        let structs = self.expr(whole, active)?;
        let parts = self.parts(whole, &steps, active)?;
        let values = self.each(active, |machine, n, lane| match &structs[n] {
            Value::Struct(leaves) => {
                let part = machine.part_at(&parts, n, expr, lane)?;
                machine.value_of(&leaves[part.leaves], &part.ty, expr, lane)
            }
            _ => Err(machine.error(StopCode::HasErrors, machine.at(whole), lane, "there is no struct here")),
        });
        values.map(Some)
    }

    /// The cells of parts of structs in an array: `p[i].x`. All subscripts are evaluated before the first is checked.
    fn cells_within(
        &mut self,
        (whole, array, subscripts): (ExprId, ExprId, &[Subscript]),
        steps: &[PartStep<'_>],
        at: ExprId,
        active: &[usize],
    ) -> Run<Vec<Cell>> {
        let bases = self.expr(array, active)?;
        let own: Vec<At> = subscripts.iter().map(|subscript| self.subscript(subscript, active)).collect::<Run<_>>()?;
        let parts = self.parts(whole, steps, active)?;
        self.each(active, |machine, n, lane| match &bases[n] {
            Value::View(view) => {
                let element = machine.part_of(view, &own, n, at, lane)?;
                let part = machine.part_at(&parts, n, at, lane)?;
                Ok(Cell::of(&element, Some(&part)))
            }
            _ => Err(machine.error(StopCode::HasErrors, machine.at(array), lane, "there is no array here")),
        })
    }

    /// The way from a struct to a part of it, with the subscripts on it evaluated.
    fn parts(&mut self, whole: ExprId, steps: &[PartStep<'_>], active: &[usize]) -> Run<Parts> {
        let mut taken = Vec::new();
        for step in steps {
            taken.push(match step {
                PartStep::Field(name) => StepTaken::Field((*name).clone()),
                PartStep::Cells(subscripts) => {
                    let mut values = Vec::new();
                    for subscript in *subscripts {
                        let Subscript::At(index) = subscript else { continue };
                        values.push(self.integers(*index, active)?);
                    }
                    StepTaken::Cells(values)
                }
            });
        }
        let fields_of = self.program.fields_of();
        let all = match self.type_of(whole) {
            Ty::Struct(of) => Layouts::default().part(&fields_of, &of, &[]),
            _ => None,
        };
        let no_struct = || self.error(StopCode::HasErrors, self.at(whole), active[0], "there is no struct here");
        let all = all.ok_or_else(no_struct)?;
        if taken.iter().any(|step| matches!(step, StepTaken::Cells(_))) {
            return Ok(Parts::Within { whole: all, steps: taken });
        }
        self.follow(&all, &taken, 0, whole, active[0]).map(Parts::Known)
    }

    /// The part of a struct in one lane, the position `n` among the active ones.
    fn part_at(&self, parts: &Parts, n: usize, at: ExprId, lane: usize) -> Run<Part> {
        match parts {
            Parts::Known(part) => Ok(part.clone()),
            Parts::Within { whole, steps } => self.follow(whole, steps, n, at, lane),
        }
    }

    fn follow(&self, whole: &Part, steps: &[StepTaken], n: usize, at: ExprId, lane: usize) -> Run<Part> {
        let (fields_of, layouts) = (self.program.fields_of(), Layouts::default());
        let mut part = whole.clone();
        for step in steps {
            let next = match step {
                StepTaken::Field(name) => layouts.field(&fields_of, &part, name),
                StepTaken::Cells(values) => {
                    let subscripts: Vec<_> = values.iter().map(|lanes| lanes[n]).collect();
                    let sizes = part.sizes();
                    for (&index, &size) in subscripts.iter().zip(&sizes) {
                        if !(0..i128::from(size)).contains(&index) {
                            let kind = ErrorKind::IndexOutOfRange { index, size: size.into() };
                            return Err(self.fault(kind, self.at(at), lane));
                        }
                    }
                    part.at(&subscripts)
                }
            };
            let no_part = || self.error(StopCode::HasErrors, self.at(at), lane, "there is no such part here");
            part = next.ok_or_else(no_part)?;
        }
        Ok(part)
    }

    /// The targets of an assignment, one in each lane.
    pub(super) fn targets(&mut self, target: ExprId, active: &[usize]) -> Run<Vec<Target>> {
        let unit = self.frame().unit;
        let body = &unit.body;
        let (whole, steps) = body.part_of_struct(target, &unit.types.like_fields);
        let no_place =
            |machine: &Self| machine.error(StopCode::HasErrors, machine.at(target), active[0], "this is no place");
        match (&body.exprs[whole], steps.is_empty()) {
            (Expr::Local(local), true) => Ok(vec![Target::Local(*local); active.len()]),
            (Expr::Local(local), false) => {
                let parts = self.parts(whole, &steps, active)?;
                self.each(active, |machine, n, lane| {
                    Ok(Target::Field(*local, machine.part_at(&parts, n, target, lane)?))
                })
            }
            (Expr::Index(base, subscripts), true) => {
                let of_view = |view: View| match view.dims[..] {
                    [] => Target::Cell(Cell::of(&view, None)),
                    _ => Target::View(Rc::new(view)),
                };
                Ok(self.subscripted(*base, subscripts, target, active)?.into_iter().map(of_view).collect())
            }
            (Expr::Index(array, subscripts), false) => {
                let cells = self.cells_within((whole, *array, subscripts), &steps, target, active)?;
                Ok(cells.into_iter().map(Target::Cell).collect())
            }
            _ => Err(no_place(self)),
        }
    }

    /// What a part of a struct that is an array holds, from a value that it is given: an array, or one value for all cells. Any other
    /// value is what it holds itself.
    pub(super) fn leaves_for(&mut self, part: &Part, value: Value, at: ExprId, lane: usize) -> Run<Value> {
        if !matches!(part.ty, Ty::Array(..)) {
            return Ok(value);
        }
        match value {
            Value::Scalar(scalar) => Ok(Value::Struct(vec![scalar; part.leaves.len()].into())),
            Value::View(view) => {
                let (sizes, wanted) = (sizes_of(&view), part.sizes());
                let wanted: Vec<i64> = wanted.into_iter().map(i64::from).collect();
                if sizes != wanted {
                    return Err(self.sizes_differ(&wanted, &sizes, at, lane));
                }
                let mut leaves = Vec::new();
                for number in 0..part.leaves.len() {
                    let held = self.load(&[Cell::in_order(&view, number)], at, &[lane])?;
                    leaves.push(self.scalar(&held[0], at)?);
                }
                Ok(Value::Struct(leaves.into()))
            }
            other => Ok(other),
        }
    }

    /// The value of a part of a struct, by its leaves. An array is a new one.
    pub(super) fn value_of(&mut self, leaves: &[Scalar], ty: &Ty, at: ExprId, lane: usize) -> Run<Value> {
        match ty {
            Ty::Struct(_) => Ok(Value::Struct(leaves.into())),
            Ty::Array(_, sizes) => {
                let sizes: Option<Vec<i64>> = sizes.iter().map(Size::as_constant).collect();
                let mut made = self.start(leaves.len(), at, lane)?;
                for leaf in leaves {
                    self.put(&mut made, &Value::Scalar(*leaf), at, lane)?;
                }
                self.finish(made, &sizes.unwrap_or_default(), at)
            }
            _ => Ok(Value::Scalar(leaves[0])),
        }
    }

    // Memory.

    /// The content of each active lane's cell. A struct is read field by field, each in all lanes; an array in it becomes a new one.
    pub(super) fn load(&mut self, cells: &[Cell], at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        for field in 0..cells[0].positions().len() {
            for (cell, &lane) in cells.iter().zip(active) {
                self.touch(cell, field, Touching::Reads, at, lane)?;
            }
        }
        self.each(active, |machine, n, lane| {
            let cell = &cells[n];
            let held = cell.array.cells.borrow().scalars[cell.positions()].to_vec();
            match (&cell.array.element, &cell.field) {
                (super::Element::Struct(_), None) => Ok(Value::Struct(held.into())),
                (_, Some(field)) => machine.value_of(&held, &field.ty, at, lane),
                _ => Ok(Value::Scalar(held[0])),
            }
        })
    }

    /// Changes the cell of each active lane, in the same order.
    pub(super) fn store(&mut self, cells: &[Cell], values: &[Value], at: ExprId, active: &[usize]) -> Run<()> {
        for field in 0..cells[0].positions().len() {
            for ((cell, value), &lane) in cells.iter().zip(values).zip(active) {
                let new = match value {
                    Value::Scalar(scalar) if field == 0 => *scalar,
                    Value::Struct(fields) if field < fields.len() => fields[field],
                    _ => return Err(self.error(StopCode::HasErrors, self.at(at), lane, "no cell holds this")),
                };
                if self.tables.contains(&cell.array.number) {
                    return Err(self.error(StopCode::HasErrors, self.at(at), lane, "a constant is not written to"));
                }
                self.touch(cell, field, Touching::Writes, at, lane)?;
                cell.array.cells.borrow_mut().scalars[cell.positions().start + field] = new;
            }
        }
        Ok(())
    }

    /// Joins a value to a cell in one step; gives what that held before.
    pub(super) fn join(
        &mut self,
        cell: &Cell,
        rule: AtomicRule,
        value: Scalar,
        how: Touching,
        (at, lane): (ExprId, usize),
    ) -> Run<Scalar> {
        if self.tables.contains(&cell.array.number) {
            return Err(self.error(StopCode::HasErrors, self.at(at), lane, "a constant is not written to"));
        }
        self.touch(cell, 0, how, at, lane)?;
        let held = &mut cell.array.cells.borrow_mut().scalars[cell.positions().start];
        let old = *held;
        *held = rule.apply(old, value);
        Ok(old)
    }

    /// Notes an access for every `foreach` around; an error if it collides with another iteration.
    pub(super) fn touch(&mut self, cell: &Cell, field: usize, how: Touching, at: ExprId, lane: usize) -> Run<()> {
        let (array, position) = (cell.array.number, cell.positions().start + field);
        let collision = self.trackers.iter_mut().find_map(|tracker| {
            let (other, did) = tracker.touch((array, position), lane, how)?;
            Some((tracker.indices(lane, other), did))
        });
        let Some((other, did)) = collision else { return Ok(()) };
        let does = if how == Touching::Reads { "reads" } else { "writes" };
        let message = format!("this iteration {does} what the one with {} {did}", shown(&other));
        let mut error = self.error(RunCode::IterationsCollide, self.at(at), lane, message);
        error.other = Some(other);
        Err(error)
    }
}

impl Cell {
    /// The element that a view without dimensions is.
    pub(super) fn of(view: &View, field: Option<&Part>) -> Cell {
        Cell { array: view.array.clone(), element: view.start as usize, field: field.cloned() }
    }

    /// An element of a one-dimensional view, if it has that many.
    pub(super) fn nth(view: &View, n: i128) -> Option<Cell> {
        let dim = view.dims.first()?;
        let n = i64::try_from(n).ok().filter(|n| (0..dim.size).contains(n))?;
        Some(Cell { array: view.array.clone(), element: (view.start + n * dim.stride) as usize, field: None })
    }

    /// An element of a view of any rank, by its number in the order of the rows.
    pub(super) fn in_order(view: &View, n: usize) -> Cell {
        let (mut left, mut element) = (n as i64, view.start);
        for dim in view.dims.iter().rev() {
            element += left % dim.size * dim.stride;
            left /= dim.size;
        }
        Cell { array: view.array.clone(), element: element as usize, field: None }
    }

    /// The positions of the cell's scalars in its array.
    pub(super) fn positions(&self) -> std::ops::Range<usize> {
        let width = self.array.element.fields().len();
        let first = self.element * width;
        match &self.field {
            Some(field) => first + field.leaves.start..first + field.leaves.end,
            None => first..first + width,
        }
    }
}
