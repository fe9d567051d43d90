//! Ops on whole arrays, and the results of `map` and `scan`.
//!
//! Each new array lies in a memory of its own, behind those of inputs and temporaries, to the end of the run: an array may
//! be carried around a loop, so nobody knows earlier that it is not needed any more. What an op reads of older arrays is
//! read cell by cell, as a load would, so that a `foreach` finds iterations that collide.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::data::{Active, Cell, Reg, View, load, on};
use super::elementwise::evaluate;
use super::machine::{Machine, UNSET};
use super::undo::Undo;
use super::{ErrorKind, Run, RunError};
use crate::entities::{Op, Value};
use crate::ops::Code;
use crate::program::{Attr, Def};
use crate::scalar::Scalar;
use crate::types::Elem;

/// The bytes of the largest array that a kernel may make; more than any has reason to ask for.
const MOST_BYTES: i128 = 1 << 28;

/// The bytes that all arrays of a run may take which live to its end.
pub(super) const MOST_BYTES_IN_ALL: usize = 1 << 30;

/// The sizes of an array.
type Sizes = SmallVec<[i64; 4]>;

/// The bytes of memory that an array counts for: even an empty one takes some.
pub(super) fn counted_bytes(array: &[u8]) -> usize {
    array.len().max(64)
}

impl Machine {
    /// The arrays that an op makes: elementwise, `iota`, `replicate` or `elements`. Lanes go from element to element in step, so of
    /// several errors the one at the first element counts.
    pub(super) fn make_arrays(&mut self, op: Op) -> Run<()> {
        let result = self.kernel().ops[op].results[0];
        let mut first: Option<(Option<usize>, Arc<RunError>)> = None;
        self.make_each(result, |machine, lane| {
            let mut number = None;
            machine.make_array(op, lane, &mut number).or_else(|error| {
                if first.as_ref().is_none_or(|(other, _)| number < *other) {
                    first = Some((number, error));
                }
                Ok(Cell::Off)
            })
        })?;
        first.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// The array that an op makes in a lane. `number` is the element that it is at.
    fn make_array(&mut self, op: Op, lane: Option<u16>, number: &mut Option<usize>) -> Run<Cell> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let elem = kernel.ty(data.results[0]).elem().expect("an array of elements");
        let (sizes, bytes) = match data.code {
            Code::Iota => {
                let count = self.size_from(op, lane, data.operands[0])?;
                self.room(op, lane, elem, &[count])?;
                let numbers = (0..count).map(|number| Scalar::wrap(elem, number.into()));
                (smallvec![count], numbers.flat_map(bytes_of).collect())
            }
            Code::Replicate => {
                let count = self.size_from(op, lane, data.operands[0])?;
                let element = data.operands[1];
                let (inner, bytes) = match count {
                    // An element that is never repeated is not read.
                    0 if self.kernel().ty(element).is_view() => {
                        (sizes_of(&*self.view(element, lane.map_or(0, usize::from))?), Vec::new())
                    }
                    _ => self.contents(op, lane, element)?,
                };
                let sizes: Sizes = std::iter::once(count).chain(inner).collect();
                let room = self.room(op, lane, elem, &sizes)?;
                (sizes, bytes.into_iter().cycle().take(room).collect())
            }
            Code::Elements => self.listed(op, lane, &data.operands)?,
            _ => self.each_element(op, lane, elem, number)?,
        };
        self.room(op, lane, elem, &sizes)?;
        Ok(Cell::View(self.place_array(data.results[0], &sizes, bytes)))
    }

    /// The sizes and contents of an array of these elements.
    fn listed(&mut self, op: Op, lane: Option<u16>, elements: &[Value]) -> Run<(Sizes, Vec<u8>)> {
        let (inner, mut bytes) = self.contents(op, lane, elements[0])?;
        for &element in &elements[1..] {
            let (sizes, more) = self.contents(op, lane, element)?;
            self.check_sizes(op, lane, &inner, &sizes)?;
            bytes.extend(more);
        }
        Ok((std::iter::once(elements.len() as i64).chain(inner).collect(), bytes))
    }

    /// The sizes and contents of what an elementwise op makes of arrays, and of scalars that count for each element.
    fn each_element(&mut self, op: Op, lane: Option<u16>, elem: Elem, at: &mut Option<usize>) -> Run<(Sizes, Vec<u8>)> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let mut sizes: Option<Sizes> = None;
        let mut sides: SmallVec<[(Elem, Vec<u8>); 3]> = SmallVec::new();
        for &operand in &data.operands {
            let (own, bytes) = self.contents(op, lane, operand)?;
            if kernel.ty(operand).is_view() {
                let sizes = sizes.get_or_insert_with(|| own.clone());
                self.check_sizes(op, lane, sizes, &own)?;
            }
            sides.push((kernel.ty(operand).elem().expect("elements"), bytes));
        }
        let sizes = sizes.expect("an array among the operands");
        let room = self.room(op, lane, elem, &sizes)?;
        let mut made = Vec::with_capacity(room);
        let mut scalars: SmallVec<[Scalar; 3]> = SmallVec::new();
        for number in 0..room / elem.bytes() {
            *at = Some(number);
            scalars.clear();
            for ((elem, bytes), &operand) in sides.iter().zip(&data.operands) {
                let at = if kernel.ty(operand).is_view() { number * elem.bytes() } else { 0 };
                scalars.push(load(bytes, at, *elem));
            }
            let checked = evaluate(data.code, &data.attr, &scalars).expect("a verified elementwise op");
            let scalar = checked.map_err(|fault| self.error(op, lane, ErrorKind::Arithmetic(fault)))?;
            made.extend(bytes_of(scalar));
        }
        Ok((sizes, made))
    }

    /// `assign`: what is given is read wholly before the first cell is written. Lanes write their cells in step.
    pub(super) fn assign(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let &[target, source] = &kernel.ops[op].operands[..] else { panic!("{op}: an assignment of two operands") };
        let elem = kernel.ty(target).elem().expect("a view of elements");
        let is_array = kernel.ty(source).is_view();
        let mut given = Vec::new();
        for lane in self.each_lane() {
            let (sizes, bytes) = self.contents(op, lane, source)?;
            let view = self.view(target, lane.map_or(0, usize::from))?;
            if is_array {
                self.check_sizes(op, lane, &sizes_of(&view), &sizes)?;
            }
            let cells: Vec<usize> = view.cells().collect();
            given.push((lane, view.memory, cells, bytes));
        }
        let most = given.iter().map(|(_, _, cells, _)| cells.len()).max().unwrap_or(0);
        for number in 0..most {
            for (lane, memory, cells, bytes) in &given {
                let Some(&at) = cells.get(number) else { continue };
                let scalar = load(bytes, if is_array { number * elem.bytes() } else { 0 }, elem);
                self.write(op, *lane, target, (*memory, at), scalar)?;
            }
        }
        Ok(())
    }

    /// The sizes and the contents of an array, its rows joined; of a scalar its bytes, and no sizes.
    fn contents(&mut self, op: Op, lane: Option<u16>, value: Value) -> Run<(Sizes, Vec<u8>)> {
        let ty = self.kernel().ty(value);
        if !ty.is_view() {
            return Ok((Sizes::new(), bytes_of(self.scalar(value, lane)).collect()));
        }
        let elem = ty.elem().expect("a view of elements");
        let view = self.view(value, lane.map_or(0, usize::from))?;
        let mut bytes = Vec::new();
        for at in view.cells() {
            bytes.extend(bytes_of(self.read(op, lane, value, (view.memory, at), elem)?));
        }
        Ok((sizes_of(&view), bytes))
    }

    /// The size that an operand says, which is not negative.
    fn size_from(&self, op: Op, lane: Option<u16>, operand: Value) -> Run<i64> {
        let size = self.wide(operand, lane);
        let fits = i64::try_from(size).ok().filter(|&size| size >= 0);
        fits.ok_or_else(|| self.error(op, lane, ErrorKind::BadSize(size)))
    }

    fn check_sizes(&self, op: Op, lane: Option<u16>, a: &[i64], b: &[i64]) -> Run<()> {
        match a.iter().zip(b).find(|(a, b)| a != b) {
            Some((&a, &b)) => Err(self.error(op, lane, ErrorKind::SizesDiffer(a.into(), b.into()))),
            None => Ok(()),
        }
    }

    /// The array of a `temp`, or one in scratch memory.
    pub(super) fn make_temporary(&mut self, op: Op, lane: Option<u16>) -> Run<Cell> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let elem = kernel.ty(data.results[0]).elem().expect("an array of elements");
        let is_placed = data.code == Code::Scratch;
        let sizes = data.operands[usize::from(is_placed)..].iter().map(|&operand| self.size_from(op, lane, operand));
        let sizes: Sizes = sizes.collect::<Run<_>>()?;
        let byte = if matches!(data.attr, Attr::Unset(_)) { UNSET } else { 0 };
        if self.shapes.is_some() {
            let room = self.room(op, lane, elem, &sizes)?;
            let start = cells_of(&data.attr).unwrap_or_else(|| vec![byte; room]);
            return Ok(Cell::View(self.place_array(data.results[0], &sizes, start)));
        }
        let bytes = self.bytes_for(op, lane, elem, &sizes)?;
        let start = if is_placed { self.wide(data.operands[0], lane) } else { 0 };
        let memory = if is_placed { self.scratch } else { self.temporaries[&op] + lane.map_or(0, usize::from) };
        if is_placed {
            let end = start + bytes as i128;
            // A place outside of the memory is one whose bytes are more than what can be told.
            if start < 0 || end > self.state.memory[memory].len() as i128 {
                return Err(self.error(op, lane, ErrorKind::BadSize(sizes.first().copied().unwrap_or(0).into())));
            }
            let (at, cells) = (start as usize, &mut self.state.memory[memory][start as usize..end as usize]);
            let old = if self.recording { cells.to_vec() } else { Vec::new() };
            cells.fill(byte);
            self.log(|| Undo::Range { memory, at, old });
        } else {
            let start = cells_of(&data.attr).unwrap_or_else(|| vec![byte; bytes]);
            let old = std::mem::replace(&mut self.state.memory[memory], start);
            self.log(|| Undo::Memory(memory, old));
        }
        let view = View::whole(data.results[0], memory, start as usize, &sizes, elem.bytes());
        Ok(Cell::View(Arc::new(View { depth: self.state.frames.len(), ..view })))
    }

    /// The bytes of an array with these sizes, if it is not too large for itself.
    fn bytes_for(&self, op: Op, lane: Option<u16>, elem: Elem, sizes: &[i64]) -> Run<usize> {
        let mut bytes = elem.bytes() as i128;
        for &size in sizes {
            bytes = bytes.saturating_mul(size.into());
            if bytes > MOST_BYTES {
                return Err(self.error(op, lane, ErrorKind::BadSize(size.into())));
            }
        }
        Ok(bytes as usize)
    }

    /// The bytes of an array that is to live to the end of the run, if there is room for it.
    fn room(&self, op: Op, lane: Option<u16>, elem: Elem, sizes: &[i64]) -> Run<usize> {
        let bytes = self.bytes_for(op, lane, elem, sizes)?;
        match self.state.made_bytes + bytes <= MOST_BYTES_IN_ALL {
            true => Ok(bytes),
            false => Err(self.error(op, lane, ErrorKind::OutOfMemory)),
        }
    }

    /// Puts a new array with this content into a memory of its own.
    fn place_array(&mut self, value: Value, sizes: &[i64], bytes: Vec<u8>) -> Arc<View> {
        let elem_bytes = self.kernel().ty(value).elem().map_or(1, Elem::bytes);
        let memory = self.state.memory.len();
        self.state.made_bytes += counted_bytes(&bytes);
        self.state.memory.push(bytes);
        self.log(|| Undo::Allocated);
        let view = View::whole(value, memory, 0, sizes, elem_bytes);
        Arc::new(View { depth: self.state.frames.len(), ..view })
    }

    /// The element of an array that the innermost loop is at: a scalar, or a row.
    pub(super) fn element(&mut self, op: Op, lane: Option<u16>, array: Value) -> Run<Cell> {
        let view = self.view(array, lane.map_or(0, usize::from))?;
        let number = self.state.frames.last().map_or(0, |frame| frame.at.iteration);
        let start = view.start + view.dims[0].stride * number as i64;
        if view.dims.len() == 1 {
            let elem = self.kernel().ty(array).elem().expect("a view of elements");
            return self.read(op, lane, array, (view.memory, start as usize), elem).map(Cell::Data);
        }
        let dims = view.dims[1..].into();
        Ok(Cell::View(Arc::new(View { start, dims, ..View::clone(&view) })))
    }

    /// The number of elements that arrays have, which are gone over together.
    pub(super) fn count_elements(&self, op: Op, lane: Option<u16>, arrays: &[Value]) -> Run<i64> {
        let size = |array| -> Run<i64> { Ok(self.view(array, lane.map_or(0, usize::from))?.dims[0].size) };
        let first = size(arrays[0])?;
        for &array in &arrays[1..] {
            self.check_sizes(op, lane, &[first], &[size(array)?])?;
        }
        Ok(first)
    }

    /// Copies what an iteration yields to the result of a `map` or `scan`. The first one says how large the result is.
    pub(super) fn keep(&mut self, op: Op, lane: Option<u16>, number: usize, value: Value) -> Run<()> {
        let (inner, bytes) = self.contents(op, lane, value)?;
        // A joined array keeps the sizes that it starts with.
        if let Some(start) = self.start_of_scan(op, lane, number)? {
            self.check_sizes(op, lane, &start, &inner)?;
        }
        let position = lane.map_or(0, usize::from);
        let Some(frame) = self.state.frames.last() else { return Ok(()) };
        let iteration = frame.at.iteration as usize;
        let Some(loop_state) = &frame.loop_state else { return Ok(()) };
        let memory = match &loop_state.lanes[position].made[number] {
            Some(view) => {
                self.check_sizes(op, lane, &sizes_of(view)[1..], &inner)?;
                view.memory
            }
            None => {
                let sizes: Sizes = std::iter::once(loop_state.lanes[position].count as i64).chain(inner).collect();
                let result = self.kernel().ops[op].results[number];
                let elem = self.kernel().ty(result).elem().expect("an array of elements");
                let room = self.room(op, lane, elem, &sizes)?;
                let view = self.place_array(result, &sizes, vec![0; room]);
                let memory = view.memory;
                if let Some(loop_state) = self.state.frames.last_mut().and_then(|frame| frame.loop_state.as_mut()) {
                    loop_state.lanes[position].made[number] = Some(view);
                }
                self.log(|| Undo::Kept { lane: position, result: number });
                memory
            }
        };
        let (at, len) = (iteration * bytes.len(), bytes.len());
        self.state.memory[memory][at..at + len].copy_from_slice(&bytes);
        self.log(|| Undo::Zeroed { memory, at, len });
        Ok(())
    }

    /// Gives the results of a `map` or `scan` in the lanes that came to it; behind its block, `depth` regions are open.
    pub(super) fn finish_arrays(&mut self, op: Op, entered: &Active, depth: usize) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        for (number, &result) in kernel.ops[op].results.iter().enumerate() {
            let reg = match entered {
                None => Reg::One(self.made(op, None, number, depth)?),
                Some(active) => {
                    let mut cells = vec![Cell::Off; active.len()];
                    for lane in on(active) {
                        cells[lane] = self.made(op, Some(lane as u16), number, depth)?;
                    }
                    Reg::Lanes(cells.into())
                }
            };
            self.set(result, reg);
        }
        Ok(())
    }

    /// The array that a lane has made of what was yielded; an empty one if nothing was.
    fn made(&mut self, op: Op, lane: Option<u16>, number: usize, depth: usize) -> Run<Cell> {
        let frame = self.state.frames.last().filter(|frame| frame.op == Some(op));
        let loop_state = frame.and_then(|frame| frame.loop_state.as_ref());
        let made = loop_state.and_then(|loop_state| loop_state.lanes[lane.map_or(0, usize::from)].made[number].clone());
        let view = match made {
            Some(view) => view,
            None => {
                let kernel = Arc::clone(&self.kernel);
                let result = kernel.ops[op].results[number];
                let sizes = match self.start_of_scan(op, lane, number)? {
                    Some(start) => std::iter::once(0).chain(start).collect(),
                    None => self.empty_sizes(op, lane, number),
                };
                let elem = self.kernel().ty(result).elem().expect("an array of elements");
                let room = self.room(op, lane, elem, &sizes)?;
                self.place_array(result, &sizes, vec![0; room])
            }
        };
        Ok(Cell::View(Arc::new(View { depth, ..View::clone(&view) })))
    }

    /// The sizes of the array that a `scan` starts with, if it joins arrays.
    fn start_of_scan(&self, op: Op, lane: Option<u16>, number: usize) -> Run<Option<Sizes>> {
        let data = &self.kernel.ops[op];
        if data.code != Code::Scan || self.kernel.ty(data.results[number]).rank() < 2 {
            return Ok(None);
        }
        let start = data.operands[self.kernel.n_head_operands(op) + number];
        self.view(start, lane.map_or(0, usize::from)).map(|start| Some(sizes_of(&start)))
    }

    /// The sizes of a `map` over no elements: for the inner ones what the kernel shows, then those of the array that
    /// it goes over where each element would have been one of the same sizes, or else 0.
    fn empty_sizes(&self, op: Op, lane: Option<u16>, number: usize) -> Sizes {
        let data = &self.kernel.ops[op];
        let result = data.results[number];
        let param = |param: Value| self.reg(param).scalar().and_then(Scalar::wide);
        let known = self.shapes.as_ref().map_or(&[][..], |shapes| shapes.sizes(result));
        let row = self.kernel.regions[data.regions[0]].yields[number];
        let inner = (1..usize::from(self.kernel.ty(result).rank())).map(|dim| {
            let shown = known.get(dim).and_then(|size| size.evaluate(&param)).and_then(|size| size.try_into().ok());
            shown.or_else(|| self.size_inside(&[op], lane, row, dim - 1)).unwrap_or(0).max(0)
        });
        std::iter::once(0).chain(inner).collect()
    }

    /// The size that a value inside of `maps`, the first of which has no elements, would have if it had some: where that
    /// is the size of what they go over.
    fn size_inside(&self, maps: &[Op], lane: Option<u16>, value: Value, dim: usize) -> Option<i64> {
        let kernel = &self.kernel;
        match kernel.values[value].def {
            Def::Arg(region, number) => {
                let depth = maps.iter().position(|&map| kernel.ops[map].regions[0] == region)?;
                let array = *kernel.ops[maps[depth]].operands[..kernel.n_arrays(maps[depth])].get(number as usize)?;
                match depth {
                    0 => {
                        let view = self.view(array, lane.map_or(0, usize::from)).ok()?;
                        view.dims.get(dim + 1).map(|dim| dim.size)
                    }
                    _ => self.size_inside(&maps[..depth], lane, array, dim + 1),
                }
            }
            Def::Result(op, number) => {
                let data = &kernel.ops[op];
                match data.code {
                    Code::Map if dim == 0 => self.size_inside(maps, lane, data.operands[0], 0),
                    Code::Map => {
                        let inner = kernel.regions[data.regions[0]].yields[number as usize];
                        self.size_inside(&[maps, &[op]].concat(), lane, inner, dim - 1)
                    }
                    code if code.is_elementwise() => {
                        let array = data.operands.iter().find(|&&operand| kernel.ty(operand).is_view())?;
                        self.size_inside(maps, lane, *array, dim)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The bytes that a constant array consists of.
fn cells_of(attr: &Attr) -> Option<Vec<u8>> {
    match attr {
        Attr::Cells(_, cells) => Some(cells.iter().flat_map(|&cell| bytes_of(cell)).collect()),
        _ => None,
    }
}

/// The bytes of a scalar in memory.
fn bytes_of(scalar: Scalar) -> impl Iterator<Item = u8> {
    scalar.bits().to_le_bytes().into_iter().take(scalar.elem().bytes())
}

fn sizes_of(view: &View) -> Sizes {
    view.dims.iter().map(|dim| dim.size).collect()
}
