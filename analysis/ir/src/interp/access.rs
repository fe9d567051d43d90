//! Views, and ops that read or write cells of memory.

use std::sync::Arc;

use smallvec::SmallVec;

use super::data::{Cell, Dim, Reg, View, load, on};
use super::machine::{Machine, Steps, Touching};
use super::undo::Undo;
use super::{ErrorKind, Event, Run};
use crate::entities::{Op, Value};
use crate::ops::Code;
use crate::program::{Attr, OpData};
use crate::scalar::Scalar;
use crate::types::{CellType, Elem, Type};
use crate::typing::{self, OperandRole};

/// The operands of an access, by what they are for.
pub(super) struct Access {
    pub(super) view: Value,
    subscripts: SmallVec<[Value; 4]>,
    pub(super) stored: SmallVec<[Value; 4]>,
    pub(super) mask: Option<Value>,
    pub(super) elem: Elem,
    /// The lanes; `None` for one cell.
    pub(super) lanes: Option<u16>,
}

/// A cell's place, or nothing for a lane that touches none.
type Spot = Option<(usize, usize)>;

impl Machine {
    /// An op that makes a view, or asks one for a size.
    pub(super) fn view_op(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let Some(lanes) = kernel.ty(data.results[0]).lanes() else {
            return self.make_each(data.results[0], |machine, lane| machine.view_cell(op, data, lane));
        };
        let cells = (0..lanes).map(|lane| match self.view_cell(op, data, Some(lane)) {
            Ok(cell) => cell,
            Err(error) => Cell::Failed(error),
        });
        let cells = cells.collect();
        self.set(data.results[0], Reg::Lanes(cells));
        Ok(())
    }

    fn view_cell(&self, op: Op, data: &OpData, lane: Option<u16>) -> Run<Cell> {
        let number = lane.map_or(0, usize::from);
        let view = self.view(data.operands[0], number)?;
        let wide = |operand: usize| -> Run<i128> {
            Ok(self.in_lane(data.operands[operand], number)?.wide().unwrap_or_default())
        };
        match (data.code, &data.attr) {
            (Code::Size, Attr::Number(dim)) => Ok(Cell::Data(Scalar::I64(view.dims[*dim as usize].size))),
            (Code::Overlap, _) => {
                let other = self.view(data.operands[1], number)?;
                let bytes = |operand: usize| match self.kernel().ty(data.operands[operand]) {
                    Type::View { item, .. } => self.kernel().item_bytes(item) as i64,
                    Type::Data { .. } => 0,
                };
                let (a, b) = (view.extent(bytes(0)), other.extent(bytes(1)));
                let meet = view.memory == other.memory && a.start < b.end && b.start < a.end;
                Ok(Cell::Data(Scalar::Bool(meet && !a.is_empty() && !b.is_empty())))
            }
            (Code::Row, Attr::Number(dim)) => {
                let dim = *dim as usize;
                let mut row = View::clone(&view);
                row.start += self.offset(op, lane, &view, dim, wide(1)?)?;
                row.dims.remove(dim);
                Ok(Cell::View(Arc::new(row)))
            }
            (Code::Slice, Attr::Number(dim)) => {
                let dim = *dim as usize;
                let steps = Steps::new(wide(1)?, wide(2)?, wide(3)?);
                let Some(steps) = steps else { return Err(self.error(op, lane, ErrorKind::ZeroStep)) };
                let mut slice = View::clone(&view);
                if steps.count > 0 {
                    let last = steps.lo + steps.step * (steps.count - 1) as i128;
                    slice.start += self.offset(op, lane, &view, dim, steps.lo)?;
                    self.offset(op, lane, &view, dim, last)?;
                }
                // Both ends lie within the dimension, so neither number is larger than its size.
                let stride = if steps.count > 1 { view.dims[dim].stride * steps.step as i64 } else { 0 };
                slice.dims[dim] = Dim { size: steps.count as i64, stride };
                Ok(Cell::View(Arc::new(slice)))
            }
            (Code::Field, Attr::Field(field)) => {
                let mut part = View::clone(&view);
                if let Type::View { item: CellType::Struct(decl), .. } = self.kernel().ty(data.operands[0]) {
                    let (decl, number) = (&self.kernel().structs[decl], usize::from(*field));
                    part.start += decl.offset(number) as i64;
                    let field = &decl.fields[number];
                    let inner = field.sizes.iter().enumerate();
                    part.dims
                        .extend(inner.map(|(dim, &size)| Dim { size: size.into(), stride: field.stride(dim) as i64 }));
                }
                Ok(Cell::View(Arc::new(part)))
            }
            (Code::Flat, Attr::Elem(elem)) => {
                let ty = self.kernel().ty(data.operands[0]);
                let item = ty.item().map_or(0, |item| self.kernel().item_bytes(item));
                let bytes = view.dims.iter().fold(item as i64, |bytes, dim| bytes * dim.size);
                let stride = elem.bytes() as i64;
                let dims = [Dim { size: bytes / stride, stride }];
                Ok(Cell::View(Arc::new(View { dims: dims.into_iter().collect(), ..View::clone(&view) })))
            }
            other => panic!("{op}: {other:?} makes no view"),
        }
    }

    pub(super) fn view(&self, value: Value, lane: usize) -> Run<Arc<View>> {
        match self.reg(value).lane(lane) {
            Some(Cell::View(view)) => Ok(Arc::clone(view)),
            Some(Cell::Failed(error)) => Err(Arc::clone(error)),
            other => panic!("{value} is {other:?}, and no view"),
        }
    }

    /// The bytes from the first cell along a dimension to the one at a subscript, which has to exist.
    fn offset(&self, op: Op, lane: Option<u16>, view: &View, dim: usize, index: i128) -> Run<i64> {
        let Dim { size, stride } = view.dims[dim];
        if 0 <= index && index < size.into() {
            return Ok(index as i64 * stride);
        }
        Err(self.error(op, lane, ErrorKind::IndexOutOfRange { index, size }))
    }

    /// An op that reads or writes memory.
    pub(super) fn access(&mut self, op: Op) -> Run<()> {
        let kernel = Arc::clone(&self.kernel);
        let data = &kernel.ops[op];
        let access = self.sort_operands(data);
        if let Some(rule) = data.code.as_atomic() {
            return self.atomic(op, rule, &access);
        }
        let Some(lanes) = access.lanes else {
            return match self.active() {
                Some(active) => self.own_cells(op, data, &access, &active),
                None => self.one_cell(op, data, &access),
            };
        };
        let active = self.active_lanes(op, access.mask, lanes)?;
        for (member, spots) in self.spots(op, data, &access, &active)?.into_iter().enumerate() {
            match data.results.get(member) {
                Some(&result) => self.load_lanes(op, &access, result, &spots)?,
                None => self.store_lanes(op, &access, access.stored[member], &spots)?,
            }
        }
        Ok(())
    }

    fn load_lanes(&mut self, op: Op, access: &Access, result: Value, spots: &[Spot]) -> Run<()> {
        let mut cells = Vec::with_capacity(spots.len());
        for (lane, spot) in spots.iter().enumerate() {
            let loaded = spot.map(|spot| self.read(op, Some(lane as u16), access.view, spot, access.elem));
            cells.push(Cell::Data(loaded.unwrap_or(Ok(Scalar::zero(access.elem)))?));
        }
        self.set(result, Reg::Lanes(cells.into()));
        Ok(())
    }

    fn store_lanes(&mut self, op: Op, access: &Access, stored: Value, spots: &[Spot]) -> Run<()> {
        for (lane, spot) in spots.iter().enumerate() {
            if let Some(spot) = *spot {
                let scalar = self.in_lane(stored, lane)?;
                self.write(op, Some(lane as u16), access.view, spot, scalar)?;
            }
        }
        Ok(())
    }

    /// Each active lane's own cell; of an op that asks lanes, the cells from one place on.
    fn own_cells(&mut self, op: Op, data: &OpData, access: &Access, active: &[bool]) -> Run<()> {
        let packs = data.code.asks_lanes();
        if packs {
            self.check_agreement(op, access, active)?;
        }
        let mut spots: Vec<Spot> = vec![None; active.len()];
        for (ahead, lane) in on(active).enumerate() {
            let more = if packs { ahead as i128 } else { 0 };
            spots[lane] = Some(self.spot(op, Some(lane as u16), access, lane, more)?);
        }
        match data.results.first() {
            Some(&result) => self.load_lanes(op, access, result, &spots),
            None => self.store_lanes(op, access, access.stored[0], &spots),
        }
    }

    /// Checks that all active lanes access one and the same place.
    fn check_agreement(&self, op: Op, access: &Access, active: &[bool]) -> Run<()> {
        let place = |lane: usize| -> Run<_> {
            let subscripts = access.subscripts.iter().map(|&subscript| self.in_lane(subscript, lane));
            Ok((self.view(access.view, lane)?, subscripts.collect::<Run<SmallVec<[Scalar; 4]>>>()?))
        };
        let Some(first) = on(active).next().map(place).transpose()? else { return Ok(()) };
        for lane in on(active) {
            if place(lane)? != first {
                return Err(self.error(op, Some(lane as u16), ErrorKind::LanesDiffer));
            }
        }
        Ok(())
    }

    fn one_cell(&mut self, op: Op, data: &OpData, access: &Access) -> Run<()> {
        let spot = self.spot(op, None, access, 0, 0)?;
        match access.stored.first() {
            Some(&stored) => self.write(op, None, access.view, spot, self.scalar(stored, None)),
            None => {
                let loaded = self.read(op, None, access.view, spot, access.elem)?;
                self.set(data.results[0], loaded.into());
                Ok(())
            }
        }
    }

    fn sort_operands(&self, data: &OpData) -> Access {
        let kernel = self.kernel();
        let types: SmallVec<[Type; 4]> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
        let roles = typing::roles(data.code, &types).expect("a verified access");
        let of = |wanted: fn(&OperandRole) -> bool| -> SmallVec<[Value; 4]> {
            roles.iter().zip(&data.operands).filter(|(role, _)| wanted(role)).map(|(_, &value)| value).collect()
        };
        let lanes = data.results.iter().map(|&value| kernel.ty(value)).chain(types.iter().copied());
        Access {
            view: data.operands[0],
            subscripts: of(|role| matches!(role, OperandRole::Index(_))),
            stored: of(|role| matches!(role, OperandRole::Stored(_))),
            mask: of(|role| matches!(role, OperandRole::Mask)).first().copied(),
            elem: types[0].elem().expect("a view of elements"),
            lanes: lanes.filter_map(Type::lanes).next(),
        }
    }

    /// Evaluates the mask of an op; without one, all lanes are active.
    pub(super) fn active_lanes(&mut self, op: Op, mask: Option<Value>, lanes: u16) -> Run<Vec<bool>> {
        let active: Run<Vec<bool>> = match mask {
            None => Ok(vec![true; lanes.into()]),
            Some(mask) => (0..lanes).map(|lane| Ok(self.in_lane(mask, lane.into())?.is_true())).collect(),
        };
        let active = active?;
        self.note(|| Event::Active { op, lanes: active.clone() });
        Ok(active)
    }

    /// The cell of each lane, for each member of a group.
    fn spots(&mut self, op: Op, data: &OpData, access: &Access, active: &[bool]) -> Run<Vec<Vec<Spot>>> {
        self.check_promise(op, data, access, active)?;
        let members = access.stored.len().max(data.results.len());
        let last_in_lanes = access.subscripts.last().is_some_and(|&last| self.kernel().ty(last).lanes().is_some());
        let packs = matches!(data.code, Code::ExpandLoad | Code::CompressStore);
        let spreads = !last_in_lanes && !matches!(data.code, Code::Gather | Code::Scatter);
        let mut spots = Vec::with_capacity(members);
        for member in 0..members {
            let mut ahead = 0;
            let mut of_member = Vec::with_capacity(active.len());
            for (lane, &active) in active.iter().enumerate() {
                let more = match (packs, spreads) {
                    (true, _) => ahead,
                    (false, true) => (lane * members + member) as i128,
                    (false, false) => member as i128,
                };
                ahead += i128::from(active);
                let spot = active.then(|| self.spot(op, Some(lane as u16), access, lane, more)).transpose()?;
                of_member.push(spot);
            }
            spots.push(of_member);
        }
        Ok(spots)
    }

    /// The place of a lane's cell, `more` subscripts further along the last dimension.
    pub(super) fn spot(
        &self,
        op: Op,
        lane: Option<u16>,
        access: &Access,
        number: usize,
        more: i128,
    ) -> Run<(usize, usize)> {
        let view = self.view(access.view, number)?;
        let mut at = view.start;
        for (dim, &subscript) in access.subscripts.iter().enumerate() {
            let is_last = dim + 1 == access.subscripts.len();
            let index = self.in_lane(subscript, number)?.wide().unwrap_or_default();
            at += self.offset(op, lane, &view, dim, index + if is_last { more } else { 0 })?;
        }
        Ok((view.memory, at as usize))
    }

    /// Says whether the active lanes' subscripts are what the op says of them.
    fn check_promise(&self, op: Op, data: &OpData, access: &Access, active: &[bool]) -> Run<()> {
        let Some((last, leading)) = access.subscripts.split_last() else { return Ok(()) };
        if matches!(data.code, Code::Gather | Code::Scatter | Code::ExpandLoad | Code::CompressStore) {
            return Ok(());
        }
        let lanes = || active.iter().enumerate().filter(|(_, active)| **active).map(|(lane, _)| lane);
        let wide =
            |value: Value, lane: usize| -> Run<i128> { Ok(self.in_lane(value, lane)?.wide().unwrap_or_default()) };
        for &subscript in leading {
            for lane in lanes() {
                if Some(wide(subscript, lane)?) != lanes().next().map(|first| wide(subscript, first)).transpose()? {
                    return Err(self.error(op, Some(lane as u16), ErrorKind::BrokenPromise));
                }
            }
        }
        if self.kernel().ty(*last).lanes().is_none() {
            return Ok(());
        }
        let indices: Run<Vec<(i128, i128)>> = lanes().map(|lane| Ok((lane as i128, wide(*last, lane)?))).collect();
        let members = access.stored.len().max(data.results.len()) as i128;
        match keeps(data.code, &data.attr, members, &indices?) {
            true => Ok(()),
            false => Err(self.error(op, None, ErrorKind::BrokenPromise)),
        }
    }

    pub(super) fn read(
        &mut self,
        op: Op,
        lane: Option<u16>,
        view: Value,
        spot: (usize, usize),
        elem: Elem,
    ) -> Run<Scalar> {
        let value = load(&self.state.memory[spot.0], spot.1, elem);
        self.touch(op, lane, spot, self.kernel.root(view), Touching::Reads)?;
        let (memory, byte) = spot;
        self.note(|| Event::Touched { op, lane, memory, byte, value, write: false });
        Ok(value)
    }

    pub(super) fn write(
        &mut self,
        op: Op,
        lane: Option<u16>,
        view: Value,
        spot: (usize, usize),
        value: Scalar,
    ) -> Run<()> {
        self.touch(op, lane, spot, self.kernel.root(view), Touching::Writes)?;
        self.put(op, lane, spot, value);
        Ok(())
    }

    /// Gives a cell a value.
    pub(super) fn put(&mut self, op: Op, lane: Option<u16>, spot: (usize, usize), value: Scalar) {
        let (memory, byte) = spot;
        let len = value.elem().bytes();
        let cell = &mut self.state.memory[memory][byte..byte + len];
        let mut old = [0; 8];
        old[..len].copy_from_slice(cell);
        cell.copy_from_slice(&value.bits().to_le_bytes()[..len]);
        self.log(|| Undo::Bytes { memory, at: byte, len: len as u8, old });
        self.note(|| Event::Touched { op, lane, memory, byte, value, write: true });
    }
}

/// Says whether lanes with these last subscripts are what an op says of them.
fn keeps(code: Code, attr: &Attr, members: i128, indices: &[(i128, i128)]) -> bool {
    let Some(&(first_lane, first)) = indices.first() else { return true };
    let number = match attr {
        Attr::Number(number) => i128::from(*number),
        _ => 1,
    };
    let lanes = indices.last().map_or(0, |&(lane, _)| lane);
    let strided = |stride: i128| indices.iter().all(|&(lane, index)| index - first == stride * (lane - first_lane));
    match code {
        Code::VectorLoad | Code::MaskedLoad | Code::VectorStore | Code::MaskedStore => strided(1),
        Code::ReversedLoad | Code::ReversedStore => strided(-1),
        Code::StridedLoad | Code::StridedStore => strided(number),
        Code::InterleavedLoad | Code::InterleavedStore => strided(members),
        // Only the last phases differ in where the first few lanes change cells.
        Code::RepeatedLoad => ((number - 1 - lanes).max(0)..number).any(|phase| {
            let cell = |lane: i128| (lane + phase) / number;
            indices.iter().all(|&(lane, index)| index - first == cell(lane) - cell(first_lane))
        }),
        Code::PeriodicLoad => indices
            .iter()
            .all(|&(lane, index)| indices.iter().all(|&(other, cell)| (lane - other) % number != 0 || index == cell)),
        _ => true,
    }
}
