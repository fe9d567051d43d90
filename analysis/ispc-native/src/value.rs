//! Registers as LLVM's values, and what is known of how they differ from lane to lane.
//!
//! A varying number is a vector, if nothing better is known of it. A *row* is a whole number that grows by a constant step from lane to
//! lane, which is kept as its number in lane 0 until someone wants the vector. An address keeps its parts: a pointer that all lanes
//! share, what all lanes move it by, and what each lane does, so that neighbouring cells are seen where they are loaded or stored.

use std::rc::Rc;

/// A value as LLVM IR writes it, without its type: `%t3`, `5`, `<i32 0, i32 1>`.
pub(crate) type Operand = Rc<str>;

/// The value of a register.
#[derive(Clone, Debug)]
pub(crate) enum RegValue {
    /// A value of LLVM's.
    Plain(Operand),
    /// A whole number in each lane, from that of lane 0 on.
    Row(Row),
    /// An address.
    Address(Address),
    /// The lanes of a row of step one that is below a limit, which all of them share: those in front.
    Below {
        /// The row's number in lane 0.
        start: Operand,
        /// The limit.
        limit: Operand,
        /// The truth value of each lane.
        plain: Operand,
    },
}

/// A whole number that grows by a constant step from lane to lane.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The number in lane 0.
    pub(crate) start: Operand,
    /// The step.
    pub(crate) step: i64,
}

impl Row {
    /// The number that all lanes have, if it is a constant.
    pub(crate) fn constant(&self) -> Option<i64> {
        if self.step == 0 { literal(&self.start) } else { None }
    }
}

/// The number of a constant.
pub(crate) fn literal(operand: &str) -> Option<i64> {
    operand.parse().ok()
}

/// An address, or a number of bytes that one is moved by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Address {
    /// The pointer that it starts from.
    pub(crate) base: Option<Operand>,
    /// The bytes that all lanes move by.
    pub(crate) moved: Option<Operand>,
    /// More such bytes.
    pub(crate) constant: i64,
    /// The bytes that each lane moves by.
    pub(crate) lanes: LaneBytes,
    /// True if the pointer is that of a local variable of the function.
    pub(crate) is_local: bool,
}

/// The bytes by which lanes move an address.
#[derive(Clone, Debug, Default)]
pub(crate) enum LaneBytes {
    /// None.
    #[default]
    Same,
    /// Each so many more than the lane in front.
    Row(i64),
    /// Each by its own index, times a size.
    Each {
        /// The index, of 64 bits.
        index: Operand,
        /// The size.
        scale: i64,
    },
}

impl Address {
    /// The address that a pointer is.
    pub(crate) fn of(pointer: Operand) -> Address {
        Address { base: Some(pointer), ..Address::default() }
    }

    /// Returns true for a number of bytes that is constant.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match (&self.base, &self.moved, &self.lanes) {
            (None, None, LaneBytes::Same) => Some(self.constant),
            _ => None,
        }
    }
}
