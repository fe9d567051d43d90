//! Types: what a value is made of.
//!
//! A value is *data* or a *view* of an array. Data is one element (a *scalar*) or one element for each of
//! `L` *lanes*; a *mask* is `bool` for each lane. A view says where the cells of an array (or of a part of
//! one) are; it has a rank, and what each cell is: an element, or a struct of elements. A view may differ
//! from lane to lane, too: the row `a[i]` in each lane.

use std::fmt;

use crate::entities::Struct;

/// The type of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Elem {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Elem {
    /// All element types.
    pub const ALL: [Elem; 11] = [
        Elem::Bool,
        Elem::I8,
        Elem::I16,
        Elem::I32,
        Elem::I64,
        Elem::U8,
        Elem::U16,
        Elem::U32,
        Elem::U64,
        Elem::F32,
        Elem::F64,
    ];

    /// The name in Lane and in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Elem::Bool => "bool",
            Elem::I8 => "i8",
            Elem::I16 => "i16",
            Elem::I32 => "i32",
            Elem::I64 => "i64",
            Elem::U8 => "u8",
            Elem::U16 => "u16",
            Elem::U32 => "u32",
            Elem::U64 => "u64",
            Elem::F32 => "f32",
            Elem::F64 => "f64",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Elem> {
        Elem::ALL.into_iter().find(|elem| elem.name() == name)
    }

    /// Bytes one cell takes in memory.
    pub fn bytes(self) -> usize {
        match self {
            Elem::Bool | Elem::I8 | Elem::U8 => 1,
            Elem::I16 | Elem::U16 => 2,
            Elem::I32 | Elem::U32 | Elem::F32 => 4,
            Elem::I64 | Elem::U64 | Elem::F64 => 8,
        }
    }

    /// `i8` to `i64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Elem::I8 | Elem::I16 | Elem::I32 | Elem::I64)
    }

    /// The type of whole numbers that has as many bytes, and keeps all bits.
    pub fn bits_of_same_size(self) -> Elem {
        match self.bytes() {
            1 => Elem::U8,
            2 => Elem::U16,
            4 => Elem::U32,
            _ => Elem::U64,
        }
    }

    /// The unsigned type of the same size, for an integer.
    pub fn to_unsigned(self) -> Elem {
        match self {
            Elem::I8 => Elem::U8,
            Elem::I16 => Elem::U16,
            Elem::I32 => Elem::U32,
            Elem::I64 => Elem::U64,
            other => other,
        }
    }

    /// Any integer type.
    pub fn is_integer(self) -> bool {
        INTEGER.has(self)
    }

    /// `f32` or `f64`.
    pub fn is_float(self) -> bool {
        FLOAT.has(self)
    }

    /// The least and greatest value of an integer type.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.bytes() as u32;
        match self.is_integer() {
            true if self.is_signed() => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            true => Some((0, (1 << bits) - 1)),
            false => None,
        }
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of element types: what an op accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    set: u16,
    /// The name of an element of the set in messages.
    pub name: &'static str,
}

impl Class {
    const fn new(name: &'static str, elems: &[Elem]) -> Class {
        let mut set = 0;
        let mut at = 0;
        while at < elems.len() {
            set |= 1 << elems[at] as u16;
            at += 1;
        }
        Class { set, name }
    }

    /// Says whether the element type is in the set.
    pub fn has(self, elem: Elem) -> bool {
        self.set & (1 << elem as u16) != 0
    }
}

/// Every element type.
pub const ANY: Class = Class::new("an element", &Elem::ALL);
/// Truth values.
pub const BOOL: Class = Class::new("a bool", &[Elem::Bool]);
/// Integers.
pub const INTEGER: Class =
    Class::new("an integer", &[Elem::I8, Elem::I16, Elem::I32, Elem::I64, Elem::U8, Elem::U16, Elem::U32, Elem::U64]);
/// Floats.
pub const FLOAT: Class = Class::new("a float", &[Elem::F32, Elem::F64]);
/// Integers and floats.
pub const NUMBER: Class = Class { set: INTEGER.set | FLOAT.set, name: "a number" };
/// Integers and truth values.
pub const BITS: Class = Class { set: INTEGER.set | BOOL.set, name: "an integer or a bool" };

/// The item type of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// An element.
    Elem(Elem),
    /// A struct of elements; a `field` view has to choose one before a cell can be loaded or stored.
    Struct(Struct),
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// One element, or one for each lane.
    Data {
        /// Of this type.
        elem: Elem,
        /// How many lanes; `None` is a scalar.
        lanes: Option<u16>,
    },
    /// A view of an array, or one for each lane.
    View {
        /// The item type of its cells.
        item: Item,
        /// How many subscripts it takes.
        rank: u8,
        /// How many lanes; `None` is one view.
        lanes: Option<u16>,
    },
}

impl Type {
    /// One element.
    pub const fn scalar(elem: Elem) -> Type {
        Type::Data { elem, lanes: None }
    }

    /// One element for each of `lanes` lanes.
    pub fn lanes_of(elem: Elem, lanes: u16) -> Type {
        Type::Data { elem, lanes: Some(lanes) }
    }

    /// A view of elements.
    pub fn view(elem: Elem, rank: u8) -> Type {
        Type::View { item: Item::Elem(elem), rank, lanes: None }
    }

    /// How many lanes it has; `None` for a scalar or a single view.
    pub fn lanes(self) -> Option<u16> {
        match self {
            Type::Data { lanes, .. } | Type::View { lanes, .. } => lanes,
        }
    }

    /// The element type of data, or of the cells of a view of elements.
    pub fn elem(self) -> Option<Elem> {
        match self {
            Type::Data { elem, .. } | Type::View { item: Item::Elem(elem), .. } => Some(elem),
            Type::View { item: Item::Struct(_), .. } => None,
        }
    }

    /// The element type of data.
    pub fn data_elem(self) -> Option<Elem> {
        match self {
            Type::Data { elem, .. } => Some(elem),
            Type::View { .. } => None,
        }
    }

    /// The item type of a view.
    pub fn item(self) -> Option<Item> {
        match self {
            Type::View { item, .. } => Some(item),
            Type::Data { .. } => None,
        }
    }

    /// Says whether it is a view.
    pub fn is_view(self) -> bool {
        matches!(self, Type::View { .. })
    }

    /// How many subscripts a view takes; 0 for data.
    pub fn rank(self) -> u8 {
        match self {
            Type::View { rank, .. } => rank,
            Type::Data { .. } => 0,
        }
    }

    /// The type with another element type (a view of structs stays what it is).
    pub fn with_elem(self, new: Elem) -> Type {
        match self {
            Type::Data { lanes, .. } => Type::Data { elem: new, lanes },
            Type::View { item: Item::Elem(_), rank, lanes } => Type::View { item: Item::Elem(new), rank, lanes },
            Type::View { .. } => self,
        }
    }

    /// The type with another number of lanes.
    pub fn with_lanes(self, lanes: Option<u16>) -> Type {
        match self {
            Type::Data { elem, .. } => Type::Data { elem, lanes },
            Type::View { item, rank, .. } => Type::View { item, rank, lanes },
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Data { elem, .. } => write!(f, "{elem}")?,
            Type::View { item: Item::Elem(elem), rank, .. } => write!(f, "view{rank} of {elem}")?,
            Type::View { item: Item::Struct(decl), rank, .. } => write!(f, "view{rank} of {decl}")?,
        }
        match self.lanes() {
            Some(lanes) => write!(f, "x{lanes}"),
            None => Ok(()),
        }
    }
}
