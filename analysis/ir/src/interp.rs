//! The interpreter: runs a kernel of any stage on real data, as a machine that can be stopped at every op.
//!
//! A [`Machine`] holds the whole state of a run: values, memory, and a stack of frames, one for each region that is
//! open. [`Machine::step`] does one op (or ends one region), [`Machine::undo`] takes it back exactly, and
//! [`Machine::run`] goes on until one of its limits. The values and cells of a step can be watched.
//!
//! - `for`, `foreach` and `while` run their iterations in order; a `vector_for` runs one group of lanes after
//!   the other, and each op in it lane by lane.
//! - So does a `foreach` whose lanes run together, with scalars that each lane has its own of. Every region that is
//!   open inside of it knows the lanes that are active there: an `if` runs one block for the lanes where its condition
//!   holds, then the other for those where it does not; a loop goes around until its last lane has left it, and gives
//!   each lane what was carried when that lane left. A step is one op, for all lanes that are active.
//! - An error names the op, where it came from, the lane, and the iteration of each loop around it. An
//!   inactive lane never causes one (see [`crate::ops`]).
//! - Two iterations of a `foreach` that touch one cell, one of them writing, are an error that names both.
//! - Whole arrays are worked on in one step, but for `map`, `reduce` and `scan`, which are loops over their elements. Each
//!   new array has a memory of its own, which stays until the run is over.
//! - The promises of passes about addresses are checked: a `masked_load` whose lanes are not neighbours is an
//!   error of the compiler, not of the program.
//!
//! The machine works on memory of its own: whoever started a run and gave it up finds nothing changed.

mod access;
mod arrays;
mod atomics;
mod collisions;
mod control;
mod data;
mod elementwise;
mod inputs;
mod lanes;
mod machine;
mod undo;
mod words;

use std::sync::Arc;

use crate::entities::{Op, Origin, Value};
use crate::program::Name;
use crate::run_code::RunCode;
use crate::scalar::{Fault, Scalar};

pub use data::{Cell, Reg, View};
pub use elementwise::evaluate;
pub use inputs::{Arg, Inputs, scalars_of};
pub use machine::{Limits, Machine, MachineStatus, NextStep, OpenRegion, Stop};

/// An error of the program that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    /// The kind of the error, with its details.
    pub kind: ErrorKind,
    /// The op that did it.
    pub op: Op,
    /// The place that the op came from.
    pub origin: Origin,
    /// The lane, of a vector op, or where lanes run together.
    pub lane: Option<u16>,
    /// The index of each loop around the op, outermost first.
    pub iteration: Vec<i128>,
}

/// The kinds of errors that a run can end in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// Arithmetic on operands for which it has no result.
    Arithmetic(Fault),
    /// A subscript outside of its dimension.
    IndexOutOfRange {
        /// The subscript that is out of range.
        index: i128,
        /// The size of the dimension.
        size: i64,
    },
    /// `assert` of what does not hold.
    AssertFailed,
    /// Two sizes that have to be the same.
    SizesDiffer(i128, i128),
    /// A range or slice with a step of 0.
    ZeroStep,
    /// A temporary array of a size that cannot be.
    BadSize(i128),
    /// New arrays that take more memory, all together, than a run may use.
    OutOfMemory,
    /// A lane that there is not.
    NoSuchLane(i128),
    /// A lane that is not active.
    LaneNotActive(i128),
    /// Active lanes that do not mean one place.
    LanesDiffer,
    /// Two iterations of a `foreach` that are not independent.
    Collision {
        /// The array that both iterations touched.
        array: Name,
        /// The cell's subscripts in that array.
        cell: Vec<i64>,
        /// The indices of the iteration that came first.
        first: Vec<i128>,
        /// The indices of the iteration that met it.
        second: Vec<i128>,
    },
    /// A program that was not understood cannot be run.
    Unknown,
    /// The addresses are not what the op says of them: a bug of a pass.
    BrokenPromise,
}

impl ErrorKind {
    /// The code of the error.
    pub fn code(&self) -> RunCode {
        match self {
            ErrorKind::Arithmetic(fault) => fault.code(),
            ErrorKind::IndexOutOfRange { .. } => RunCode::IndexOutOfRange,
            ErrorKind::AssertFailed => RunCode::AssertFailed,
            ErrorKind::SizesDiffer(..) => RunCode::SizeMismatch,
            ErrorKind::ZeroStep => RunCode::ZeroStep,
            ErrorKind::BadSize(_) | ErrorKind::OutOfMemory => RunCode::BadSize,
            ErrorKind::NoSuchLane(_) => RunCode::NoSuchLane,
            ErrorKind::LaneNotActive(_) => RunCode::LaneNotActive,
            ErrorKind::LanesDiffer => RunCode::LanesDiffer,
            ErrorKind::Collision { .. } => RunCode::IterationsCollide,
            ErrorKind::Unknown => RunCode::NotUnderstood,
            ErrorKind::BrokenPromise => RunCode::BrokenPromise,
        }
    }
}

/// An event: an observable part of a step, for whoever watches the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A value was made, or carried around a loop.
    Made(Value),
    /// A vector op, or an op where lanes run together, ran with these lanes active.
    Active {
        /// The op that ran.
        op: Op,
        /// For each lane, true if it was active.
        lanes: Vec<bool>,
    },
    /// A cell was read or written.
    Touched {
        /// The load or store.
        op: Op,
        /// The lane, of a vector op, or where lanes run together.
        lane: Option<u16>,
        /// The number of the memory that the cell is in.
        memory: usize,
        /// The byte where the cell starts.
        byte: usize,
        /// The element that was read or written.
        value: Scalar,
        /// True if it was written.
        write: bool,
    },
}

/// A result, or the error that stops the program.
type Run<T> = Result<T, Arc<RunError>>;

#[cfg(test)]
mod tests;
