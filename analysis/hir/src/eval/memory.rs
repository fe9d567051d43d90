//! The memory of arrays: each array has its own, which lives as long as something refers to it.

use std::cell::RefCell;
use std::rc::Rc;

use ir::Scalar;

use super::Element;

/// The bytes that the evaluator takes for a scalar, of whatever type.
const SCALAR_BYTES: u64 = size_of::<Scalar>() as u64;

/// The memory of one array.
#[derive(Debug)]
pub(super) struct Memory {
    /// The number of the array, which no other one of the run has: a later one has a greater number.
    pub(super) number: usize,
    pub(super) element: Element,
    /// The elements, row after row; the fields of a struct stand side by side.
    pub(super) cells: RefCell<Cells>,
}

impl PartialEq for Memory {
    fn eq(&self, other: &Memory) -> bool {
        self.number == other.number
    }
}

impl Eq for Memory {}

/// The bytes that are left for the arrays that a run makes.
#[derive(Debug, Clone)]
pub(super) struct Room(Rc<RefCell<u64>>);

impl Room {
    pub(super) fn new(bytes: u64) -> Room {
        Room(Rc::new(RefCell::new(bytes)))
    }

    /// Says whether so many scalars have room.
    pub(super) fn holds(&self, n_scalars: usize) -> bool {
        (n_scalars as u64).checked_mul(SCALAR_BYTES).is_some_and(|bytes| bytes <= *self.0.borrow())
    }
}

/// Scalars in memory. Those of arrays that are made count for as long as they are there; those of arguments do not.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) scalars: Vec<Scalar>,
    room: Option<Room>,
}

impl Cells {
    /// The cells of an argument.
    pub(super) fn given(scalars: Vec<Scalar>) -> Cells {
        Cells { scalars, room: None }
    }

    /// The cells of an array that is to be made.
    pub(super) fn none(room: &Room) -> Cells {
        Cells { scalars: Vec::new(), room: Some(room.clone()) }
    }

    /// Takes room for some more scalars; `None` if there is none left.
    pub(super) fn extend(&mut self, scalars: &[Scalar]) -> Option<()> {
        if let Some(Room(left)) = &self.room {
            let mut left = left.borrow_mut();
            *left = left.checked_sub(scalars.len() as u64 * SCALAR_BYTES)?;
        }
        self.scalars.extend_from_slice(scalars);
        Some(())
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        if let Some(Room(left)) = &self.room {
            *left.borrow_mut() += self.scalars.len() as u64 * SCALAR_BYTES;
        }
    }
}
