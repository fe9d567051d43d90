//! Values while a kernel runs.

use std::sync::Arc;

use smallvec::SmallVec;

use super::RunError;
use crate::entities::Value;
use crate::scalar::Scalar;
use crate::types::Elem;

/// The value of one lane, or a scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// A scalar that has a value.
    Data(Scalar),
    /// A view of an array.
    View(Arc<View>),
    /// No value: computing it failed in this lane.
    Failed(Arc<RunError>),
    /// No value: the lane was inactive.
    Off,
}

/// The contents of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reg {
    /// No value yet: the op has not run.
    Empty,
    /// A scalar, or one view.
    One(Cell),
    /// A cell for each lane, of a vector, or of a scalar inside of a `foreach` whose lanes run together.
    Lanes(Box<[Cell]>),
}

/// The lanes of a group that run a block; `None` where no lanes run together.
pub(super) type Active = Option<Arc<[bool]>>;

/// The lanes that are active, in order.
pub(super) fn on(active: &[bool]) -> impl Iterator<Item = usize> {
    active.iter().enumerate().filter(|(_, on)| **on).map(|(lane, _)| lane)
}

impl Reg {
    /// The element of a lane; a scalar is the same in all of them.
    pub fn lane(&self, lane: usize) -> Option<&Cell> {
        match self {
            Reg::Empty => None,
            Reg::One(cell) => Some(cell),
            Reg::Lanes(cells) => cells.get(lane),
        }
    }

    /// The element of a scalar.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Reg::One(Cell::Data(scalar)) => Some(*scalar),
            _ => None,
        }
    }

    /// The contents after the active lanes become those of another one.
    pub(super) fn updated(&self, new: Reg, active: &[bool]) -> Reg {
        if active.iter().all(|on| *on) {
            return new;
        }
        let cell = |(lane, on): (usize, &bool)| if *on { new.lane(lane) } else { self.lane(lane) };
        Reg::Lanes(active.iter().enumerate().map(|lane| cell(lane).cloned().unwrap_or(Cell::Off)).collect())
    }
}

impl Reg {
    /// The contents where only so many regions are open: an array that was made further inside lives on there.
    pub(super) fn outside(self, depth: usize) -> Reg {
        let moved = |cell: Cell| match cell {
            Cell::View(view) if view.depth > depth => Cell::View(Arc::new(View { depth, ..View::clone(&view) })),
            cell => cell,
        };
        match self {
            Reg::Empty => Reg::Empty,
            Reg::One(cell) => Reg::One(moved(cell)),
            Reg::Lanes(cells) => Reg::Lanes(cells.into_iter().map(moved).collect()),
        }
    }
}

impl From<Scalar> for Reg {
    fn from(scalar: Scalar) -> Reg {
        Reg::One(Cell::Data(scalar))
    }
}

/// The place of the cells of an array, or of a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The array: a parameter, or the result of the op that made it.
    pub root: Value,
    /// The number of the machine's memory that it is in.
    pub memory: usize,
    /// The byte at which its first cell starts.
    pub start: i64,
    /// The dimensions, outermost first.
    pub dims: SmallVec<[Dim; 2]>,
    /// The number of regions that were open when the array was made: each iteration of the loops among them has its
    /// own.
    pub depth: usize,
}

/// A dimension of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim {
    /// The number of subscripts.
    pub size: i64,
    /// The bytes from one to the next.
    pub stride: i64,
}

impl View {
    /// The bytes from the first of its cells in memory to the end of the last.
    pub(super) fn extent(&self, item_bytes: i64) -> std::ops::Range<i64> {
        if self.dims.iter().any(|dim| dim.size == 0) {
            return self.start..self.start;
        }
        let ways = self.dims.iter().map(|dim| (dim.size - 1) * dim.stride);
        let (back, forth) = ways.fold((0, 0), |(back, forth), way| (back + way.min(0), forth + way.max(0)));
        self.start + back..self.start + forth + item_bytes
    }

    /// The bytes at which its cells start, the last dimension fastest.
    pub(super) fn cells(&self) -> impl Iterator<Item = usize> + use<> {
        let dims = self.dims.clone();
        let is_empty = dims.iter().any(|dim| dim.size == 0);
        let mut left = if is_empty { 0 } else { dims.iter().map(|dim| dim.size).product::<i64>() };
        let mut subscripts: SmallVec<[i64; 4]> = SmallVec::from_elem(0, dims.len());
        let mut next = self.start;
        std::iter::from_fn(move || {
            let at = (left > 0).then_some(next as usize)?;
            left -= 1;
            for (subscript, dim) in subscripts.iter_mut().zip(&dims).rev() {
                *subscript += 1;
                next += dim.stride;
                if *subscript < dim.size {
                    break;
                }
                next -= dim.stride * dim.size;
                *subscript = 0;
            }
            Some(at)
        })
    }

    /// A whole array whose rows follow each other without gaps.
    pub(super) fn whole(root: Value, memory: usize, start: usize, sizes: &[i64], item_bytes: usize) -> View {
        let mut dims: SmallVec<[Dim; 2]> = sizes.iter().map(|&size| Dim { size, stride: 0 }).collect();
        let mut stride = item_bytes as i64;
        for dim in dims.iter_mut().rev() {
            dim.stride = stride;
            stride = stride.saturating_mul(dim.size);
        }
        View { root, memory, start: start as i64, dims, depth: 0 }
    }
}

/// Reads an element from memory.
pub(super) fn load(memory: &[u8], at: usize, elem: Elem) -> Scalar {
    let mut bytes = [0; 8];
    bytes[..elem.bytes()].copy_from_slice(&memory[at..at + elem.bytes()]);
    Scalar::from_bits(elem, u64::from_le_bytes(bytes))
}
