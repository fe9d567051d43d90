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
    F16,
    Bf16,
}

impl Elem {
    /// All element types, in the order of their declaration.
    pub const ALL: [Elem; 13] = [
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
        Elem::F16,
        Elem::Bf16,
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
            Elem::F16 => "f16",
            Elem::Bf16 => "bf16",
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
            Elem::I16 | Elem::U16 | Elem::F16 | Elem::Bf16 => 2,
            Elem::I32 | Elem::U32 | Elem::F32 => 4,
            Elem::I64 | Elem::U64 | Elem::F64 => 8,
        }
    }

    /// Bits of one value in memory.
    pub fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// Says whether every value of `other` is a value of this type too.
    pub fn holds(self, other: Elem) -> bool {
        match (self.integer_range(), other.integer_range()) {
            (Some((min, max)), Some((least, most))) => min <= least && most <= max,
            // All integers of so many bits are floats without rounding.
            (None, Some(_)) => self.precision().is_some_and(|bits| other.bits() <= bits),
            _ if self.is_float() && other.is_float() => self == other || self.bytes() > other.bytes(),
            _ => self == other,
        }
    }

    /// The bits of a float that count, with the leading one.
    pub fn precision(self) -> Option<u32> {
        match self {
            Elem::F16 => Some(11),
            Elem::Bf16 => Some(8),
            Elem::F32 => Some(24),
            Elem::F64 => Some(53),
            _ => None,
        }
    }

    /// Returns true for `f16` and `bf16`, whose arithmetic is that of `f32`, rounded.
    pub fn is_half(self) -> bool {
        matches!(self, Elem::F16 | Elem::Bf16)
    }

    /// Returns true for `i8` to `i64`.
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

    /// The signed type of the same size, for an integer.
    pub fn to_signed(self) -> Elem {
        match self {
            Elem::U8 => Elem::I8,
            Elem::U16 => Elem::I16,
            Elem::U32 => Elem::I32,
            Elem::U64 => Elem::I64,
            other => other,
        }
    }

    /// Returns true for all integer types.
    pub fn is_integer(self) -> bool {
        ElemSet::INTEGERS.contains(self)
    }

    /// Returns true for `f16`, `bf16`, `f32` and `f64`.
    pub fn is_float(self) -> bool {
        ElemSet::FLOATS.contains(self)
    }

    /// The least and greatest value of an integer type.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
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

/// A set of element types: what an op accepts, or what the type of a value may still become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ElemSet(u16);

impl ElemSet {
    /// The set of all element types.
    pub const ANY: ElemSet = ElemSet::of(&Elem::ALL);
    /// The set of `bool` alone.
    pub const BOOL: ElemSet = ElemSet::of(&[Elem::Bool]);
    /// The set of the signed integers.
    pub const SIGNED: ElemSet = ElemSet::of(&[Elem::I8, Elem::I16, Elem::I32, Elem::I64]);
    /// The set of the unsigned integers.
    pub const UNSIGNED: ElemSet = ElemSet::of(&[Elem::U8, Elem::U16, Elem::U32, Elem::U64]);
    /// The set of unsigned bytes alone.
    pub const BYTES: ElemSet = ElemSet::of(&[Elem::U8]);
    /// The set of all integers.
    pub const INTEGERS: ElemSet = ElemSet(Self::SIGNED.0 | Self::UNSIGNED.0);
    /// The unsigned integers that have the size of a float.
    pub const FLOAT_BITS: ElemSet = ElemSet::of(&[Elem::U16, Elem::U32, Elem::U64]);
    /// The set of `f16`, `bf16`, `f32` and `f64`.
    pub const FLOATS: ElemSet = ElemSet::of(&[Elem::F32, Elem::F64, Elem::F16, Elem::Bf16]);
    /// The set of integers and floats.
    pub const NUMBERS: ElemSet = ElemSet(Self::INTEGERS.0 | Self::FLOATS.0);
    /// Numbers that machines add and exchange in one step.
    pub const ATOMIC: ElemSet = ElemSet(Self::INTEGERS.0 | ElemSet::of(&[Elem::F32, Elem::F64]).0);
    /// Numbers that have a sign.
    pub const SIGNED_NUMBERS: ElemSet = ElemSet(Self::SIGNED.0 | Self::FLOATS.0);
    /// Integers and bools, whose bits can be combined.
    pub const BITS: ElemSet = ElemSet(Self::INTEGERS.0 | Self::BOOL.0);

    const fn of(elems: &[Elem]) -> ElemSet {
        let mut set = 0;
        let mut at = 0;
        while at < elems.len() {
            set |= 1 << elems[at] as u16;
            at += 1;
        }
        ElemSet(set)
    }

    /// Returns the set of one element type.
    pub const fn only(elem: Elem) -> ElemSet {
        ElemSet(1 << elem as u16)
    }

    /// Says whether the element type is in the set.
    pub const fn contains(self, elem: Elem) -> bool {
        self.0 & (1 << elem as u16) != 0
    }

    /// The element types that are in both.
    pub const fn and(self, other: ElemSet) -> ElemSet {
        ElemSet(self.0 & other.0)
    }

    /// Says whether nothing is left.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The one type left, if it is one.
    pub fn single(self) -> Option<Elem> {
        Elem::ALL.into_iter().find(|&elem| self == ElemSet::only(elem))
    }

    /// The name that messages have for an element of the set.
    pub fn describe(self) -> String {
        let known = match self {
            ElemSet::BOOL => "a bool",
            ElemSet::INTEGERS => "an integer",
            ElemSet::SIGNED => "a signed integer",
            ElemSet::UNSIGNED => "an unsigned integer",
            ElemSet::FLOAT_BITS => "an unsigned integer of 16, 32 or 64 bits",
            ElemSet::FLOATS => "a float",
            ElemSet::NUMBERS => "a number",
            ElemSet::SIGNED_NUMBERS => "a signed number",
            ElemSet::BITS => "an integer or a bool",
            _ => return self.single().map_or_else(|| "an element".to_owned(), |elem| format!("`{elem}`")),
        };
        known.to_owned()
    }
}

/// The item type of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellType {
    /// An element of a scalar type.
    Elem(Elem),
    /// A struct of elements; a `field` view has to choose one before a cell can be loaded or stored.
    Struct(Struct),
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Data: a scalar, or a vector.
    Data {
        /// The type of the elements.
        elem: Elem,
        /// The number of lanes of a vector; `None` for a scalar.
        lanes: Option<u16>,
    },
    /// A view of an array, or one for each lane.
    View {
        /// The items that the cells of the view hold.
        item: CellType,
        /// The number of subscripts that the view takes.
        rank: u8,
        /// The number of lanes; `None` for a single view.
        lanes: Option<u16>,
    },
}

impl Type {
    /// Returns the type of a scalar.
    pub const fn scalar(elem: Elem) -> Type {
        Type::Data { elem, lanes: None }
    }

    /// Returns the type of a vector of `lanes` elements.
    pub fn lanes_of(elem: Elem, lanes: u16) -> Type {
        Type::Data { elem, lanes: Some(lanes) }
    }

    /// Returns the type of a view of elements.
    pub fn view(elem: Elem, rank: u8) -> Type {
        Type::View { item: CellType::Elem(elem), rank, lanes: None }
    }

    /// Returns the number of lanes; `None` for a scalar or a single view.
    pub fn lanes(self) -> Option<u16> {
        match self {
            Type::Data { lanes, .. } | Type::View { lanes, .. } => lanes,
        }
    }

    /// The element type of data, or of the cells of a view of elements.
    pub fn elem(self) -> Option<Elem> {
        match self {
            Type::Data { elem, .. } | Type::View { item: CellType::Elem(elem), .. } => Some(elem),
            Type::View { item: CellType::Struct(_), .. } => None,
        }
    }

    /// The element type of data.
    pub fn data_elem(self) -> Option<Elem> {
        match self {
            Type::Data { elem, .. } => Some(elem),
            Type::View { .. } => None,
        }
    }

    /// The items that the cells of a view hold.
    pub fn item(self) -> Option<CellType> {
        match self {
            Type::View { item, .. } => Some(item),
            Type::Data { .. } => None,
        }
    }

    /// True if the type is a view.
    pub fn is_view(self) -> bool {
        matches!(self, Type::View { .. })
    }

    /// Returns the number of subscripts that a view takes; 0 for data.
    pub fn rank(self) -> u8 {
        match self {
            Type::View { rank, .. } => rank,
            Type::Data { .. } => 0,
        }
    }

    /// The type of an element of an array along its first dimension: a scalar, or a row.
    pub fn of_element(self) -> Type {
        match self {
            Type::View { item: CellType::Elem(elem), rank: 1, lanes } => Type::Data { elem, lanes },
            Type::View { item, rank, lanes } => Type::View { item, rank: rank.saturating_sub(1), lanes },
            data => data,
        }
    }

    /// The type of an array of such scalars or arrays.
    pub fn array_of(self) -> Type {
        match self {
            Type::Data { elem, .. } => Type::view(elem, 1),
            Type::View { item, rank, lanes } => Type::View { item, rank: rank.saturating_add(1), lanes },
        }
    }

    /// The type with another element type; a view of structs stays as it is.
    pub fn with_elem(self, new: Elem) -> Type {
        match self {
            Type::Data { lanes, .. } => Type::Data { elem: new, lanes },
            Type::View { item: CellType::Elem(_), rank, lanes } => {
                Type::View { item: CellType::Elem(new), rank, lanes }
            }
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
            Type::View { item: CellType::Elem(elem), rank, .. } => write!(f, "view{rank} of {elem}")?,
            Type::View { item: CellType::Struct(decl), rank, .. } => write!(f, "view{rank} of {decl}")?,
        }
        match self.lanes() {
            Some(lanes) => write!(f, "x{lanes}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_type_holds_a_narrower_one() {
        for (wide, narrow) in [
            ("i64", "i32"),
            ("i16", "u8"),
            ("f32", "i16"),
            ("f64", "u32"),
            ("f64", "f32"),
            ("f32", "f16"),
            ("f64", "bf16"),
            ("f16", "u8"),
            ("bf16", "i8"),
        ] {
            let [wide, narrow] = [wide, narrow].map(|name| Elem::from_name(name).expect("a scalar"));
            assert!(wide.holds(narrow) && !narrow.holds(wide), "{wide} {narrow}");
        }
        for (one, other) in [
            ("i32", "u32"),
            ("f32", "i32"),
            ("f64", "i64"),
            ("bool", "u8"),
            ("f16", "bf16"),
            ("f16", "i16"),
            ("bf16", "u16"),
        ] {
            let [one, other] = [one, other].map(|name| Elem::from_name(name).expect("a scalar"));
            assert!(!one.holds(other) && !other.holds(one), "{one} {other}");
        }
    }

    #[test]
    fn sets_hold_what_their_names_say() {
        for scalar in Elem::ALL {
            let name = scalar.name();
            assert_eq!(scalar.is_float(), name.trim_start_matches('b').starts_with('f'), "{name}");
            assert_eq!(ElemSet::SIGNED.contains(scalar), name.starts_with('i'), "{name}");
            assert_eq!(scalar.is_integer(), name.starts_with(['i', 'u']), "{name}");
            assert_eq!(ElemSet::BOOL.contains(scalar), name == "bool", "{name}");
            assert!(ElemSet::ANY.contains(scalar));
            assert_eq!(ElemSet::only(scalar).single(), Some(scalar));
            assert_eq!(Elem::from_name(name), Some(scalar));
        }
    }
}
