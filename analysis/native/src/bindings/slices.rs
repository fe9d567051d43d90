//! What Rust's slices and C++'s spans have in common. An array is its cells in a row and their number: its length tells the size of one
//! dimension, rows are passed one behind the other, and sizes of inner dimensions stay parameters.
//!
//! Both languages call functions of the same names on sizes, in a module `sizes` of their own, and on numbers that may be none.

use ir::scratch::Join;
use ir::{CellType, DimSize, Elem};

use super::{Array, Atom, Callable, Notation, Plain, declared};
use crate::emit::abi::{Passed, What};

/// The most dimensions of an array whose sizes its length tells.
pub(super) const MOST_DIMS: usize = 1;

/// The spelling of such arrays, and of numbers of 64 bits that may be none.
pub(super) trait Slices {
    /// A number that is known.
    fn constant(&self, number: i64) -> String;
    /// An expression that has a number of 64 bits.
    fn some(&self, number: String) -> String;
    /// No number.
    fn none(&self) -> String;
    /// The cells of an array, as sizes are in the language.
    fn len(&self, array: &str) -> String;
    /// The cells of an array, as a number of 64 bits.
    fn signed_len(&self, array: &str) -> String;
}

/// The arguments that a caller gives: sizes of inner dimensions among them, which a length does not tell.
pub(super) fn given(callable: &Callable<'_>) -> Vec<usize> {
    let mut given: Vec<usize> = callable.given().collect();
    let is_inner = |what: &What| matches!(what, What::Size(dim) if *dim > 0);
    given.extend((0..callable.passed.len()).filter(|&at| is_inner(&callable.passed[at].what)));
    given.sort_unstable();
    given
}

/// The sizes of arrays as documentation says them: what lengths tell, and what lies row by row.
pub(super) fn told_docs(callable: &Callable<'_>) -> Vec<String> {
    let told = callable.told.iter().map(|&(param, array, _)| {
        format!("`{}` is the length of `{}`.", callable.name_of(param), callable.name_of(array))
    });
    let shapes = callable.arrays().filter(|array| array.sizes.len() > 1).map(|array| {
        let sizes: Vec<String> = (0..array.sizes.len())
            .map(|dim| declared(callable, &array.sizes[dim], &Plain).unwrap_or_else(|| "_".to_owned()))
            .collect();
        format!("`{}` has [{}] cells, row by row.", array.name, sizes.join(", "))
    });
    told.chain(shapes).collect()
}

/// Documentation of a function that takes or gives floats for which neither language has a type.
pub(super) fn halves_docs(callable: &Callable<'_>) -> Option<String> {
    let is_half = |elem: Elem| matches!(elem, Elem::F16 | Elem::Bf16);
    let has_halves = callable.passed.iter().any(|passed| match &passed.what {
        What::Scalar(elem) | What::Array { item: CellType::Elem(elem), .. } => is_half(*elem),
        _ => false,
    });
    (has_halves || callable.kernel.result.is_some_and(is_half))
        .then(|| "Floats of two bytes are passed as their bits.".to_owned())
}

/// Says whether the function compares sizes, or the kernel does.
pub(super) fn compares(callable: &Callable<'_>) -> bool {
    let has_sizes = |array: Array<'_>| array.sizes.iter().any(|size| *size != DimSize::Own);
    callable.kernel.marks.checked || callable.arrays().any(has_sizes)
}

/// The comparison of an array's length with its sizes.
pub(super) struct Comparison {
    /// The function that compares it: with a number of cells, or of those of a row.
    pub(super) function: &'static str,
    /// The number.
    pub(super) cells: String,
    /// The dimensions whose product it is.
    pub(super) dims: Vec<usize>,
}

/// The comparison of an array's length with its sizes; `None` where any length is right.
pub(super) fn comparison(callable: &Callable<'_>, array: &Array<'_>, slices: &dyn Slices) -> Option<Comparison> {
    let told_here = |size: &DimSize| match size {
        DimSize::Param(param) => callable.teller(*param).is_some_and(|(by, _)| by == array.value),
        _ => false,
    };
    match array.sizes {
        [only] if *only == DimSize::Own || told_here(only) => None,
        sizes => {
            let factor = |dim| Some((dim, size_of(callable, array, dim, slices)?));
            let (dims, factors): (Vec<usize>, Vec<String>) = (0..sizes.len()).filter_map(factor).unzip();
            let function = if factors.len() < sizes.len() { "check_rows" } else { "check" };
            let cells = factors.into_iter().reduce(|a, b| Checked(slices).join(Join::Mul, a, b));
            Some(Comparison { function, cells: cells.unwrap_or_else(|| slices.constant(1)), dims })
        }
    }
}

/// The size of a dimension; `None` for the first one of an array that tells it by its length.
fn size_of(callable: &Callable<'_>, array: &Array<'_>, dim: usize, slices: &dyn Slices) -> Option<String> {
    match &array.sizes[dim] {
        DimSize::Own if dim == 0 => None,
        DimSize::Own => Some(Checked(slices).atom(callable, Atom::Size(array.value, dim))),
        size => declared(callable, size, &Checked(slices)),
    }
}

/// The size of a dimension that is passed to the object's function: of the first one the rows that the length tells, of others the
/// parameter.
pub(super) fn size(callable: &Callable<'_>, array: &Array<'_>, dim: usize, slices: &dyn Slices) -> String {
    match dim {
        0 => rows(callable, array, slices),
        dim => size_param(callable, array, dim).unwrap_or("0").to_owned(),
    }
}

/// The rows of an array that tells their number by its length, as an expression.
fn rows(callable: &Callable<'_>, array: &Array<'_>, slices: &dyn Slices) -> String {
    let inner = (1..array.sizes.len()).filter_map(|dim| size_of(callable, array, dim, slices));
    match inner.reduce(|a, b| Checked(slices).join(Join::Mul, a, b)) {
        None => slices.signed_len(array.name),
        Some(cells) => format!("sizes::rows({}, {cells})", slices.len(array.name)),
    }
}

/// The parameter that is the size of an inner dimension.
pub(super) fn size_param<'c>(callable: &'c Callable<'_>, array: &Array<'_>, dim: usize) -> Option<&'c str> {
    let is_it = |passed: &Passed| passed.param == Some(array.value) && passed.what == What::Size(dim);
    callable.passed.iter().position(is_it).map(|at| &*callable.names[at])
}

/// Numbers that fit 64 bits, or are none.
pub(super) struct Checked<'s>(pub(super) &'s dyn Slices);

impl Notation for Checked<'_> {
    fn constant(&self, number: i64) -> String {
        self.0.constant(number)
    }

    fn join(&self, join: Join, a: String, b: String) -> String {
        let function = match join {
            Join::Add => "sum",
            Join::Sub => "difference",
            Join::Mul => "product",
            Join::Div => "quotient",
            Join::FloorDiv => "floored",
            Join::Rem => "rest",
            Join::Min => "least",
            Join::Max => "most",
        };
        format!("sizes::{function}({a}, {b})")
    }

    fn wrapped(&self, elem: Elem, number: String) -> String {
        format!("sizes::wrapped({number}, {}, {})", elem.bits(), elem.is_signed())
    }

    fn atom(&self, callable: &Callable<'_>, atom: Atom) -> String {
        match atom {
            Atom::Param(param) => format!("sizes::of({})", callable.name_of(param)),
            Atom::Size(array, dim) => {
                let size = callable.arrays().find(|it| it.value == array).and_then(|array| match dim {
                    0 => Some(rows(callable, &array, self.0)),
                    dim => size_param(callable, &array, dim).map(str::to_owned),
                });
                size.map_or_else(|| self.0.none(), |size| self.0.some(size))
            }
        }
    }
}
