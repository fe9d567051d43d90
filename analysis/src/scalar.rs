//! The scalar types, and sets of them.

use std::fmt;

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Scalar {
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

impl Scalar {
    /// All of them, narrow before wide.
    pub const ALL: [Scalar; 11] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::F32,
        Scalar::F64,
    ];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The type written so.
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// `f32` or `f64`.
    pub fn is_float(self) -> bool {
        ScalarSet::FLOATS.contains(self)
    }

    /// Any of the integers.
    pub fn is_integer(self) -> bool {
        ScalarSet::INTEGERS.contains(self)
    }

    /// The smallest and the largest value of an integer type.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        let signed = |bits: u32| Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1));
        let unsigned = |bits: u32| Some((0, (1i128 << bits) - 1));
        match self {
            Scalar::I8 => signed(8),
            Scalar::I16 => signed(16),
            Scalar::I32 => signed(32),
            Scalar::I64 => signed(64),
            Scalar::U8 => unsigned(8),
            Scalar::U16 => unsigned(16),
            Scalar::U32 => unsigned(32),
            Scalar::U64 => unsigned(64),
            Scalar::Bool | Scalar::F32 | Scalar::F64 => None,
        }
    }

    /// Whether every value of `other` is a value of this type too.
    pub fn holds(self, other: Scalar) -> bool {
        match (self.integer_range(), other.integer_range()) {
            (Some((min, max)), Some((least, most))) => min <= least && most <= max,
            // All integers of so many bits are floats without rounding.
            (None, Some(_)) if self.is_float() => other.bits() < if self == Scalar::F32 { 24 } else { 53 },
            _ => self == other || (self, other) == (Scalar::F64, Scalar::F32),
        }
    }

    /// How many bits a value has.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The scalar types that a value may still have: what inference narrows down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScalarSet(u16);

impl ScalarSet {
    /// Only `bool`.
    pub const BOOL: ScalarSet = ScalarSet(1);
    /// The signed integers.
    pub const SIGNED: ScalarSet = ScalarSet(0b1_1110);
    /// All integers.
    pub const INTEGERS: ScalarSet = ScalarSet(0b1_1111_1110);
    /// `f32` and `f64`.
    pub const FLOATS: ScalarSet = ScalarSet(0b110_0000_0000);
    /// Integers and floats.
    pub const NUMBERS: ScalarSet = ScalarSet(Self::INTEGERS.0 | Self::FLOATS.0);
    /// Numbers that have a sign.
    pub const SIGNED_NUMBERS: ScalarSet = ScalarSet(Self::SIGNED.0 | Self::FLOATS.0);
    /// What has bits to combine: integers, and bools.
    pub const BITS: ScalarSet = ScalarSet(Self::INTEGERS.0 | Self::BOOL.0);
    /// Every scalar.
    pub const ANY: ScalarSet = ScalarSet(0b111_1111_1111);

    /// The set of one.
    pub fn only(scalar: Scalar) -> ScalarSet {
        ScalarSet(1 << scalar as u16)
    }

    /// Whether `scalar` is in it.
    pub fn contains(self, scalar: Scalar) -> bool {
        self.0 & (1 << scalar as u16) != 0
    }

    /// What is in both.
    pub fn and(self, other: ScalarSet) -> ScalarSet {
        ScalarSet(self.0 & other.0)
    }

    /// Whether nothing is left.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The one type left, if it is one.
    pub fn single(self) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|&scalar| self == ScalarSet::only(scalar))
    }

    /// What a message calls a value of one of these types.
    pub fn describe(self) -> String {
        match self {
            ScalarSet::BOOL => "a bool".into(),
            ScalarSet::INTEGERS => "an integer".into(),
            ScalarSet::SIGNED => "a signed integer".into(),
            ScalarSet::FLOATS => "a float".into(),
            ScalarSet::NUMBERS => "a number".into(),
            ScalarSet::SIGNED_NUMBERS => "a signed number".into(),
            ScalarSet::BITS => "an integer or a bool".into(),
            ScalarSet::ANY => "a scalar".into(),
            set => match set.single() {
                Some(scalar) => format!("`{scalar}`"),
                None => "a scalar".into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_type_holds_a_narrower_one() {
        for (wide, narrow) in [("i64", "i32"), ("i16", "u8"), ("f32", "i16"), ("f64", "u32"), ("f64", "f32")] {
            let [wide, narrow] = [wide, narrow].map(|name| Scalar::from_name(name).expect("a scalar"));
            assert!(wide.holds(narrow) && !narrow.holds(wide), "{wide} {narrow}");
        }
        for (one, other) in [("i32", "u32"), ("f32", "i32"), ("f64", "i64"), ("bool", "u8")] {
            let [one, other] = [one, other].map(|name| Scalar::from_name(name).expect("a scalar"));
            assert!(!one.holds(other) && !other.holds(one), "{one} {other}");
        }
    }

    #[test]
    fn sets_hold_what_their_names_say() {
        for scalar in Scalar::ALL {
            let name = scalar.name();
            assert_eq!(scalar.is_float(), name.starts_with('f'), "{name}");
            assert_eq!(ScalarSet::SIGNED.contains(scalar), name.starts_with('i'), "{name}");
            assert_eq!(scalar.is_integer(), name.starts_with(['i', 'u']), "{name}");
            assert_eq!(ScalarSet::BOOL.contains(scalar), name == "bool", "{name}");
            assert!(ScalarSet::ANY.contains(scalar));
            assert_eq!(ScalarSet::only(scalar).single(), Some(scalar));
            assert_eq!(Scalar::from_name(name), Some(scalar));
        }
    }
}
