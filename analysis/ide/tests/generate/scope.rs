//! What a place in a program can use, and what is known about it.

use super::tree::Expr;

/// The names of scalar types, narrow before wide.
pub(super) const SCALARS: [&str; 13] =
    ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "f16", "bf16"];

pub(super) fn is_float(ty: &str) -> bool {
    ty.trim_start_matches('b').starts_with('f')
}

pub(super) fn is_integer(ty: &str) -> bool {
    ty.starts_with(['i', 'u'])
}

pub(super) fn is_signed(ty: &str) -> bool {
    ty.starts_with('i')
}

/// The bits of a number's type.
pub(super) fn bits(ty: &str) -> u32 {
    ty.trim_start_matches(char::is_alphabetic).parse().unwrap_or(8)
}

/// The greatest value of an integer type, as far as that matters here.
pub(super) fn greatest(ty: &str) -> i64 {
    let bits = bits(ty) - u32::from(is_signed(ty));
    if bits >= 63 { i64::MAX } else { (1 << bits) - 1 }
}

/// A scalar variable.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: &'static str,
    /// It may be assigned to, unless a `foreach` stands between.
    pub(super) updatable: bool,
    /// The values it may have, if they are known: the least and the greatest.
    pub(super) within: Option<(i64, i64)>,
    /// It is less than a size that only its name is known of, and not negative.
    pub(super) below: Option<String>,
}

/// The size of a dimension.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dim {
    /// How it can be written, as an `i32`.
    pub(super) text: Expr,
    /// What it is, if that is known.
    pub(super) value: Option<i64>,
    /// The checker knows it, too.
    pub(super) constant: bool,
}

impl Dim {
    pub(super) fn constant(value: i64) -> Dim {
        Dim { text: Expr::literal(value), value: Some(value), constant: true }
    }
}

/// What an array's cells are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Scalar(&'static str),
    /// The number of a struct.
    Struct(usize),
}

/// An array, or a view of one.
#[derive(Debug, Clone)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) cell: Cell,
    pub(super) dims: Vec<Dim>,
    /// The parameter it is a part of.
    pub(super) root: String,
    pub(super) access: Access,
    /// All elements are valid subscripts of an array of this size.
    pub(super) indexes: Option<i64>,
    /// A variable that may stand for another array later, unless a `foreach` stands between.
    pub(super) rebindable: bool,
}

impl Array {
    /// Numbers can be loaded from it, byte by byte.
    pub(super) fn is_of_bytes(&self) -> bool {
        matches!((&self.cell, &self.dims[..]), (Cell::Scalar("u8"), [_]))
    }
}

/// The root of arrays that may be a part of any other one.
pub(super) const ANY_ROOT: &str = "?";

/// A function as a value.
#[derive(Debug, Clone)]
pub(super) struct Func {
    pub(super) name: String,
    pub(super) params: Vec<&'static str>,
    pub(super) result: &'static str,
}

/// What may be done with an array.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Access {
    Free,
    Read,
    /// In a `foreach`, only with these first subscripts: they belong to the iteration.
    Own(Vec<Expr>),
    /// In a `foreach`, atomic operations of one kind, which iterations may do to one cell.
    Joined(&'static str),
    /// Nothing.
    None,
}

/// A variable that is a struct.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) of: usize,
    pub(super) updatable: bool,
}

/// A function that can be called.
#[derive(Debug, Clone)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) params: Vec<Takes>,
    pub(super) result: Option<Gives>,
    /// About how many statements a call runs.
    pub(super) cost: u64,
    /// It uses lane operations.
    pub(super) in_lanes: bool,
    /// It has a `foreach`, or calls what has one.
    pub(super) has_foreach: bool,
    /// The names of its parameters and whether they have defaults, if its arguments may be given by names.
    pub(super) names: Vec<(String, bool)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Takes {
    Scalar(&'static str),
    /// A number of the type that the call is for.
    Generic,
    /// A struct, by its number.
    Record(usize),
    /// Whatever there is: nobody reads it.
    Anything,
    /// A one-dimensional array of scalars, and whether it is written.
    Array(&'static str, bool),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Gives {
    Scalar(&'static str),
    Generic,
    /// A struct, by its number.
    Record(usize),
    /// Several values of these types.
    Several(Vec<&'static str>),
}

/// All that a place can use.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) vars: Vec<Var>,
    pub(super) arrays: Vec<Array>,
    pub(super) records: Vec<Record>,
    /// The variables that are enums.
    pub(super) enums: Vec<Record>,
    pub(super) functions: Vec<Func>,
    /// What `return` gives, in a function or kernel that gives something.
    pub(super) result: Option<&'static str>,
    /// How many loops are around that `break` and `continue` may leave.
    pub(super) loops: u32,
    pub(super) foreach: Option<Foreach>,
    pub(super) in_function: bool,
    pub(super) depth: u32,
    /// How often this place is run, at most.
    pub(super) runs: u64,
}

/// The `foreach` around a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foreach {
    /// Its statements use lane operations.
    pub(super) in_lanes: bool,
    /// It stands in another one whose statements do, so that they may not.
    pub(super) in_each_lane: bool,
    /// No lane of a group that has an iteration is off here.
    pub(super) all_on: bool,
    /// Its index, if that is one that counts from 0, and to what it counts.
    pub(super) groups: Option<(String, i64)>,
}
