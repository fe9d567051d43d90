//! Types and values as LLVM writes them.

use std::fmt;

use ir::{Elem, Scalar};

/// The type of one element, as LLVM has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// An integer of so many bits; a bool is one of 1.
    Int(u16),
    /// A float of 2 bytes, between two conversions: values are integers.
    Half,
    /// A float of 4 bytes.
    Float,
    /// A float of 8 bytes.
    Double,
    /// An address, without the type that it points to.
    Ptr,
}

impl Unit {
    /// The type that holds an element in a register.
    pub(super) fn of(elem: Elem) -> Unit {
        match elem {
            Elem::Bool => Unit::Int(1),
            Elem::F32 => Unit::Float,
            Elem::F64 => Unit::Double,
            integer => Unit::Int(8 * integer.bytes() as u16),
        }
    }

    /// The type that holds an element in memory, where a bool takes a byte.
    pub(super) fn in_memory(elem: Elem) -> Unit {
        if elem == Elem::Bool { Unit::Int(8) } else { Unit::of(elem) }
    }

    /// The unit as LLVM's intrinsics spell it in their names: `f32`, `i8`, `p0`.
    fn suffix(self) -> String {
        match self {
            Unit::Int(bits) => format!("i{bits}"),
            Unit::Half => "f16".to_owned(),
            Unit::Float => "f32".to_owned(),
            Unit::Double => "f64".to_owned(),
            Unit::Ptr => "p0".to_owned(),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Int(bits) => write!(f, "i{bits}"),
            Unit::Half => f.write_str("half"),
            Unit::Float => f.write_str("float"),
            Unit::Double => f.write_str("double"),
            Unit::Ptr => f.write_str("ptr"),
        }
    }
}

/// The LLVM type of a scalar or a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ty {
    pub(super) unit: Unit,
    pub(super) lanes: Option<u16>,
}

impl Ty {
    pub(super) const I1: Ty = Ty { unit: Unit::Int(1), lanes: None };
    pub(super) const I64: Ty = Ty { unit: Unit::Int(64), lanes: None };
    pub(super) const PTR: Ty = Ty { unit: Unit::Ptr, lanes: None };

    pub(super) fn one(unit: Unit) -> Ty {
        Ty { unit, lanes: None }
    }

    pub(super) fn lanes(unit: Unit, lanes: u16) -> Ty {
        Ty { unit, lanes: Some(lanes) }
    }

    /// A type with as many lanes, of another unit.
    pub(super) fn with(self, unit: Unit) -> Ty {
        Ty { unit, ..self }
    }

    /// The type as LLVM's intrinsics spell it in their names: `v8f32`.
    pub(super) fn suffix(self) -> String {
        match self.lanes {
            Some(lanes) => format!("v{lanes}{}", self.unit.suffix()),
            None => self.unit.suffix(),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            Some(lanes) => write!(f, "<{lanes} x {}>", self.unit),
            None => self.unit.fmt(f),
        }
    }
}

/// A value: what an instruction writes for it, and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Val {
    pub(super) text: String,
    pub(super) ty: Ty,
}

impl Val {
    pub(super) fn new(text: impl Into<String>, ty: Ty) -> Val {
        Val { text: text.into(), ty }
    }

    /// Returns an integer constant of a type.
    pub(super) fn int(unit: Unit, number: i128) -> Val {
        Val::new(number.to_string(), Ty::one(unit))
    }

    /// Returns a constant of type `i64`.
    pub(super) fn i64(number: i64) -> Val {
        Val::int(Unit::Int(64), number.into())
    }

    /// A constant of the language.
    pub(super) fn scalar(scalar: Scalar) -> Val {
        let unit = Unit::of(scalar.elem());
        let text = match scalar {
            Scalar::Bool(bool) => bool.to_string(),
            // LLVM writes a float of 4 bytes as the bits of the equal one of 8.
            Scalar::F32(float) => format!("0x{:016X}", f64::from(float).to_bits()),
            Scalar::F64(float) => format!("0x{:016X}", float.to_bits()),
            // In registers these are their bits.
            Scalar::F16(_) | Scalar::Bf16(_) => scalar.bits().to_string(),
            integer => integer.wide().unwrap_or_default().to_string(),
        };
        Val::new(text, Ty::one(unit))
    }

    /// The number, of an integer constant.
    pub(super) fn number(&self) -> Option<i128> {
        self.text.parse().ok()
    }

    /// True if the value is a constant scalar.
    pub(super) fn is_const(&self) -> bool {
        !self.text.starts_with('%')
    }

    /// A constant, in each lane a number.
    pub(super) fn numbers(unit: Unit, numbers: impl IntoIterator<Item = i128>) -> Val {
        let cells: Vec<String> = numbers.into_iter().map(|number| format!("{unit} {number}")).collect();
        Val::new(format!("<{}>", cells.join(", ")), Ty::lanes(unit, cells.len() as u16))
    }

    /// A vector with this constant in each lane.
    pub(super) fn splat(&self, lanes: u16) -> Val {
        Val::new(format!("splat ({self})"), Ty::lanes(self.ty.unit, lanes))
    }
}

/// With its type, as operands are written.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.text)
    }
}
