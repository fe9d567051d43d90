//! The types of registers: a number, one for all lanes or one a lane.

use std::fmt;

/// The type of one number in a register or in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "each is called as it is spelled")]
pub enum NumberType {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// An address, of data or of a function.
    Pointer,
}

impl NumberType {
    /// The size in memory, in bytes.
    pub fn bytes(self) -> u64 {
        use NumberType::*;
        match self {
            Bool | I8 | U8 => 1,
            I16 | U16 | F16 => 2,
            I32 | U32 | F32 => 4,
            I64 | U64 | F64 | Pointer => 8,
        }
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        if self == NumberType::Bool { 1 } else { self.bytes() as u32 * 8 }
    }

    /// Returns true for numbers below zero and above.
    pub fn is_signed(self) -> bool {
        use NumberType::*;
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// Returns true for floating-point numbers.
    pub fn is_float(self) -> bool {
        use NumberType::*;
        matches!(self, F16 | F32 | F64)
    }

    /// Returns true for whole numbers, addresses and truth values.
    pub fn is_whole(self) -> bool {
        !self.is_float()
    }

    /// The word for it in the text.
    pub fn word(self) -> &'static str {
        use NumberType::*;
        match self {
            Bool => "bool",
            I8 => "int8",
            U8 => "uint8",
            I16 => "int16",
            U16 => "uint16",
            I32 => "int32",
            U32 => "uint32",
            I64 => "int64",
            U64 => "uint64",
            F16 => "float16",
            F32 => "float",
            F64 => "double",
            Pointer => "pointer",
        }
    }
}

/// The type of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GangType {
    /// The number.
    pub number: NumberType,
    /// True for one number a lane.
    pub is_varying: bool,
}

impl GangType {
    /// One number for all lanes.
    pub fn uniform(number: NumberType) -> GangType {
        GangType { number, is_varying: false }
    }

    /// One number a lane.
    pub fn varying(number: NumberType) -> GangType {
        GangType { number, is_varying: true }
    }
}

impl fmt::Display for GangType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_varying { "varying" } else { "uniform" }, self.number.word())
    }
}
