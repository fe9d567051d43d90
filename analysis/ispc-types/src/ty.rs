//! Types as ispc has them.
//!
//! Each level of a type has a *variability*: one value for all lanes, one a lane, or *unbound*, which takes that of what it becomes a
//! part of: a member's that of its struct, a typedef's that of its use. What a pointer points to and the pointer itself have one each:
//! `uniform float * varying`. A [`Ty`] is a number in the [`Layer`](crate::layer::Layer) that made it, or in one in front of that.

use crate::layer::Entity;

/// A type's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ty(pub u32);

impl Ty {
    /// The type of what is wrong, or of what nobody can know here: all that follows from it is left alone.
    pub const UNKNOWN: Ty = Ty(0);
    /// No type at all, of nodes that are no expressions.
    pub const NONE: Ty = Ty(u32::MAX);

    /// Returns true for a type of which something is known.
    pub fn is_known(self) -> bool {
        self != Ty::UNKNOWN && self != Ty::NONE
    }
}

/// One value for all lanes, or one a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lanes {
    /// One value for all lanes.
    Uniform,
    /// One value a lane.
    Varying,
    /// Not said: what it becomes a part of says it.
    Unbound,
    /// Groups of so many values: `soa<8>`.
    Soa(u32),
}

/// The types that are made of no others, in the order by which ispc takes the more general of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "each is called as it is spelled")]
pub enum Atomic {
    Void,
    Bool,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float16,
    Float,
    Int64,
    Uint64,
    Double,
}

impl Atomic {
    /// The word for it, as ispc's users write it.
    pub fn word(self) -> &'static str {
        match self {
            Atomic::Void => "void",
            Atomic::Bool => "bool",
            Atomic::Int8 => "int8",
            Atomic::Uint8 => "uint8",
            Atomic::Int16 => "int16",
            Atomic::Uint16 => "uint16",
            Atomic::Int32 => "int",
            Atomic::Uint32 => "uint",
            Atomic::Float16 => "float16",
            Atomic::Float => "float",
            Atomic::Int64 => "int64",
            Atomic::Uint64 => "uint64",
            Atomic::Double => "double",
        }
    }

    /// Returns true for whole numbers.
    pub fn is_int(self) -> bool {
        use Atomic::*;
        matches!(self, Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64)
    }

    /// Returns true for `float` and its like.
    pub fn is_float(self) -> bool {
        matches!(self, Atomic::Float16 | Atomic::Float | Atomic::Double)
    }

    /// The type with the other sign.
    pub(crate) fn unsigned(self) -> Atomic {
        match self {
            Atomic::Int8 => Atomic::Uint8,
            Atomic::Int16 => Atomic::Uint16,
            Atomic::Int32 => Atomic::Uint32,
            Atomic::Int64 => Atomic::Uint64,
            other => other,
        }
    }
}

/// The number of elements of an array or short vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Count {
    /// So many.
    Known(u64),
    /// `[]`.
    Unsized,
    /// So many as a parameter of a template says.
    Of(Entity),
    /// Nobody can compute it here.
    Unknown,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The values it has.
    pub kind: TypeKind,
    /// They cannot be set.
    pub is_const: bool,
}

/// The form of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// See [`Ty::UNKNOWN`].
    Unknown,
    /// A number, a truth value, or nothing.
    Atomic(Atomic, Lanes),
    /// An enumeration.
    Enum(Entity, Lanes),
    /// A pointer.
    Pointer(Ty, Lanes),
    /// A reference.
    Reference(Ty),
    /// An array.
    Array(Ty, Count),
    /// A struct, by its first declaration, or by its first member if it has no name.
    Struct(Entity, Lanes),
    /// A short vector.
    Vector(Ty, Count),
    /// A function: what it gives, and what it takes.
    Function(Ty, Box<[Ty]>),
    /// A type that a template takes.
    Param(Entity, Lanes),
}
