//! Operations on whole arrays, element by element. Each makes a new array.
//!
//! If lanes run together, all of them do an element before any of them does the next.

use std::rc::Rc;

use ir::interp::ErrorKind;

use super::machine::{Machine, Run, Value};
use super::memory::Cells;
use super::places::{Cell, View};
use super::sizes::{n_cells, n_elements, sizes_of};
use super::{Element, StopCode};
use crate::ExprId;
use crate::ty::Ty;

/// The work on one element of each operand, like an expression of scalars.
type Once<'a, 'p> = &'a mut dyn FnMut(&mut Machine<'p>, &[Vec<Value>], &[usize]) -> Run<Vec<Value>>;

/// An array that is being made, element by element.
pub(super) struct Made {
    element: Option<Element>,
    cells: Cells,
}

impl<'p> Machine<'p> {
    /// Does something of scalars with operands, each of which may be an array: then it is done for the elements of all arrays
    /// together, and scalars count for each element.
    pub(super) fn elementwise(
        &mut self,
        id: ExprId,
        operands: &[Vec<Value>],
        active: &[usize],
        once: Once<'_, 'p>,
    ) -> Run<Vec<Value>> {
        if !operands.iter().any(|values| matches!(values[0], Value::View(_))) {
            return once(self, operands, active);
        }
        let sizes = self.each(active, |machine, n, lane| machine.common_sizes(operands, n, id, lane))?;
        let counts: Vec<_> = sizes.iter().map(|sizes| n_elements(sizes)).collect();
        let mut made = self.each(active, |machine, n, lane| machine.start(counts[n], id, lane))?;
        for iteration in 0.. {
            let inside: Vec<_> = (0..active.len()).filter(|&n| iteration < counts[n]).collect();
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            let mut elements = Vec::new();
            for values in operands {
                elements.push(self.elements_of(values, &inside, iteration, id, &lanes)?);
            }
            for (&n, value) in inside.iter().zip(once(self, &elements, &lanes)?) {
                self.put(&mut made[n], &value, id, active[n])?;
            }
        }
        let mut arrays = Vec::new();
        for (made, sizes) in made.into_iter().zip(&sizes) {
            arrays.push(self.finish(made, sizes, id)?);
        }
        Ok(arrays)
    }

    /// Copies arrays as they are now. What is no array stays what it is.
    pub(super) fn copies(&mut self, values: Vec<Value>, at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        self.elementwise(at, &[values], active, &mut |_, elements, _| Ok(elements[0].clone()))
    }

    /// The sizes of the arrays among the operands of a lane.
    fn common_sizes(&self, operands: &[Vec<Value>], n: usize, id: ExprId, lane: usize) -> Run<Vec<i64>> {
        let mut views = operands.iter().filter_map(|values| match &values[n] {
            Value::View(view) => Some(sizes_of(view)),
            _ => None,
        });
        let Some(sizes) = views.next() else {
            return Err(self.error(StopCode::HasErrors, self.at(id), lane, "there is no array here"));
        };
        match views.find(|other| *other != sizes) {
            Some(other) => Err(self.sizes_differ(&sizes, &other, id, lane)),
            None => Ok(sizes),
        }
    }

    /// The error for arrays that have to have one size.
    pub(super) fn sizes_differ(&self, a: &[i64], b: &[i64], id: ExprId, lane: usize) -> Box<super::Error> {
        let (a, b) = a.iter().zip(b).find(|(a, b)| a != b).unwrap_or((&0, &0));
        self.fault(ErrorKind::SizesDiffer((*a).into(), (*b).into()), self.at(id), lane)
    }

    /// The element with a number, of the operand of each lane that is inside.
    fn elements_of(
        &mut self,
        values: &[Value],
        inside: &[usize],
        iteration: usize,
        id: ExprId,
        lanes: &[usize],
    ) -> Run<Vec<Value>> {
        let cells: Option<Vec<_>> = inside
            .iter()
            .map(|&n| match &values[n] {
                Value::View(view) => Some(Cell::in_order(view, iteration)),
                _ => None,
            })
            .collect();
        match cells {
            Some(cells) => self.load(&cells, id, lanes),
            None => Ok(inside.iter().map(|&n| values[n].clone()).collect()),
        }
    }

    /// Stores to all cells of each lane's view: the cells of an array of the same sizes, or one value.
    pub(super) fn store_all(&mut self, views: &[Rc<View>], values: &[Value], at: ExprId, active: &[usize]) -> Run<()> {
        for (n, &lane) in active.iter().enumerate() {
            if let Value::View(given) = &values[n]
                && sizes_of(given) != sizes_of(&views[n])
            {
                return Err(self.sizes_differ(&sizes_of(&views[n]), &sizes_of(given), at, lane));
            }
        }
        let counts: Vec<_> = views.iter().map(|view| n_elements(&sizes_of(view))).collect();
        for iteration in 0.. {
            let inside: Vec<_> = (0..active.len()).filter(|&n| iteration < counts[n]).collect();
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            self.burn(self.at(at), lanes[0])?;
            let elements = self.elements_of(values, &inside, iteration, at, &lanes)?;
            let cells: Vec<_> = inside.iter().map(|&n| Cell::in_order(&views[n], iteration)).collect();
            self.store(&cells, &elements, at, &lanes)?;
        }
        Ok(())
    }

    // New arrays.

    /// Starts an array that will have so many elements, of the type that `at` has.
    pub(super) fn start(&self, n_elements: usize, at: ExprId, lane: usize) -> Run<Made> {
        let width = self.made_of(at).map_or(1, |element| element.fields().len());
        match n_elements.checked_mul(width) {
            Some(n_scalars) if self.room.holds(n_scalars) => Ok(Made { element: None, cells: Cells::none(&self.room) }),
            _ => Err(self.out_of_memory(at, lane)),
        }
    }

    /// Adds a scalar or a struct.
    pub(super) fn put(&mut self, made: &mut Made, value: &Value, at: ExprId, lane: usize) -> Run<()> {
        self.burn(self.at(at), lane)?;
        let (element, held) = match value {
            Value::Scalar(scalar) => (Element::Scalar(scalar.elem()), made.cells.extend(std::slice::from_ref(scalar))),
            Value::Struct(fields) => {
                let elems = fields.iter().map(|field| field.elem()).collect();
                (Element::Struct(elems), made.cells.extend(fields))
            }
            _ => return Err(self.error(StopCode::HasErrors, self.at(at), lane, "no array holds this")),
        };
        made.element.get_or_insert(element);
        held.ok_or_else(|| self.out_of_memory(at, lane))
    }

    /// The array that was made.
    pub(super) fn finish(&mut self, made: Made, sizes: &[i64], at: ExprId) -> Run<Value> {
        let Some(element) = made.element.or_else(|| self.made_of(at)) else {
            return Err(self.error(StopCode::HasErrors, self.at(at), 0, "there is no array here"));
        };
        let memory = self.memory(element, made.cells);
        Ok(Value::View(Rc::new(View::new(memory, 0, sizes))))
    }

    /// A new array that has the elements of another one.
    pub(super) fn copy(&mut self, view: &View, at: ExprId, lane: usize) -> Run<Value> {
        let sizes = sizes_of(view);
        let mut made = self.start(n_elements(&sizes), at, lane)?;
        for number in 0..n_elements(&sizes) {
            let element = self.load(&[Cell::in_order(view, number)], at, &[lane])?;
            self.put(&mut made, &element[0], at, lane)?;
        }
        self.finish(made, &sizes, at)
    }

    /// A new array of a type, all of whose cells have one value.
    pub(super) fn filled(&mut self, ty: &Ty, value: &Value, at: ExprId, lane: usize) -> Run<Value> {
        let (element, known) = match ty {
            Ty::Array(element, sizes) => (self.element(element), &sizes[..]),
            _ => (None, &[][..]),
        };
        let Some(element) = element else {
            return Err(self.error(StopCode::HasErrors, self.at(at), lane, "there is no array here"));
        };
        let mut sizes = Vec::new();
        for size in known.iter().rev() {
            match self.size_value(size, lane) {
                Some(size) if size >= 0 => sizes.insert(0, size),
                // No array has a size that no number stands for.
                size => return Err(self.fault(ErrorKind::BadSize(size.unwrap_or(-1).into()), self.at(at), lane)),
            }
        }
        let scalars = match value {
            Value::Scalar(scalar) => std::slice::from_ref(scalar),
            Value::Struct(leaves) => leaves,
            _ => &[],
        };
        if !n_cells(&sizes, &element).is_some_and(|n_scalars| self.room.holds(n_scalars)) {
            return Err(self.out_of_memory(at, lane));
        }
        let mut cells = Cells::none(&self.room);
        for _ in 0..n_elements(&sizes) {
            self.burn(self.at(at), lane)?;
            cells.extend(scalars).ok_or_else(|| self.out_of_memory(at, lane))?;
        }
        let memory = self.memory(element, cells);
        Ok(Value::View(Rc::new(View::new(memory, 0, &sizes))))
    }

    /// The type of the elements of the array that an expression gives, or that its result is if it is a function.
    fn made_of(&self, at: ExprId) -> Option<Element> {
        let given = match self.type_of(at) {
            Ty::Fn(_, result) => *result,
            ty => ty,
        };
        match given {
            Ty::Array(element, _) => self.element(&element),
            _ => None,
        }
    }

    fn out_of_memory(&self, at: ExprId, lane: usize) -> Box<super::Error> {
        self.error(StopCode::OutOfMemory, self.at(at), lane, "the arrays that the run has made take too much memory")
    }
}
