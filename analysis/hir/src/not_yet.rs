//! Constructs of the language that are checked, and that cannot be run or built yet.

use report::TextRange;

use crate::builtins::{BuiltinId, TypeRule};

/// A construct that cannot be run yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotYet {
    /// A builtin without code.
    Builtin(BuiltinId),
    /// An operator on whole arrays.
    WholeArrays,
    /// `a if c else b` of tuples with functions in them, or of arrays that do not go together.
    ArrayChoice,
    /// A lane operation that is passed on instead of called.
    FunctionValue,
    /// A function that a loop gives its next iteration, or that keeps what only one branch computes.
    CarriedFunction,
    /// A `foreach` with lane operations inside of another one with such.
    LanesInLanes,
    /// `compress_store` or `expand_load` of whole rows.
    PackedRows(&'static str),
    /// A size that stands in a type as part of a larger expression alone.
    SizeInExpression,
    /// An array whose sizes are only known when it is computed.
    UnknownSize,
    /// An assignment to an array that may be one of several.
    WrittenChoice,
    /// A kernel that comes to more calls than this, all of which are inlined.
    Calls(u32),
    /// A kernel whose calls and blocks are nested deeper than this.
    Levels(u32),
}

impl NotYet {
    /// The construct, as a message names it.
    pub fn what(self) -> String {
        match self {
            NotYet::Builtin(builtin) => format!("`{}`", builtin.get().name),
            NotYet::WholeArrays => "arithmetic on whole arrays".to_owned(),
            NotYet::ArrayChoice => "a choice between tuples of functions".to_owned(),
            NotYet::FunctionValue => "a function as a value".to_owned(),
            NotYet::CarriedFunction => "a function that a loop or a branch makes and hands on".to_owned(),
            NotYet::LanesInLanes => "a `foreach` with lane operations in another one with such".to_owned(),
            NotYet::PackedRows(call) => format!("`{call}` of whole rows"),
            NotYet::SizeInExpression => "a size that only a larger expression gives".to_owned(),
            NotYet::UnknownSize => "an array whose sizes are only known when it is computed".to_owned(),
            NotYet::WrittenChoice => "an assignment to an array that may be one of several".to_owned(),
            NotYet::Calls(most) => format!("a kernel that comes to more than {most} calls"),
            NotYet::Levels(most) => format!("a kernel that is more than {most} levels deep"),
        }
    }

    /// Advice on what to write in its place.
    pub fn instead(self) -> &'static str {
        match self {
            NotYet::Builtin(builtin) => instead_of(builtin.get().shape),
            NotYet::WholeArrays => "write a loop over the elements: `for i in range(n): out[i] = a[i] + b[i]`",
            NotYet::ArrayChoice => "choose each of the functions by itself: `let f = g if c else h`",
            NotYet::FunctionValue => "call the function by its name, in a loop over the elements: `out[i] = f(a[i])`",
            NotYet::CarriedFunction => "call it where it is made, and hand on the result",
            NotYet::LanesInLanes => "make the inner loop a `for`",
            NotYet::PackedRows(_) => "move one column at a time: `compress_store(a[j], at, x)` takes elements",
            NotYet::SizeInExpression => "give the size a parameter of its own: `a: f32[2 * n], n: i32`",
            NotYet::UnknownSize => "give it the largest size that it may have, and use a slice of it",
            NotYet::WrittenChoice => "assign in each branch, or give the variable an array of its own first",
            NotYet::Calls(_) => "functions are inlined where they are called; call them in a loop, or fewer of them",
            NotYet::Levels(_) => {
                "functions are inlined where they are called, and what follows an exit is one level deeper; nest fewer calls and blocks, and \
                 join the conditions of exits"
            }
        }
    }
}

/// Leaves out what stands inside of something else that is listed.
pub(crate) fn outermost(mut found: Vec<(TextRange, NotYet)>) -> Vec<(TextRange, NotYet)> {
    found.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
    let mut kept: Vec<(TextRange, NotYet)> = Vec::new();
    for (range, what) in found {
        if kept.last().is_none_or(|(last, _)| !last.contains_range(range)) {
            kept.push((range, what));
        }
    }
    kept
}

fn instead_of(shape: TypeRule) -> &'static str {
    match shape {
        TypeRule::Length => "give the array a parameter for its size: `a: f32[n], n: i32`",
        TypeRule::Map => "write a loop: `for i in range(n): out[i] = f(a[i])`",
        TypeRule::Reduce => {
            "write a loop: `for i in range(n): s += a[i]`; `@reassoc` above it lets a sum of floats have lanes"
        }
        TypeRule::Scan => "write a loop that stores the running value: `s += a[i]`, then `out[i] = s`",
        TypeRule::Iota => "use the index of a loop: `for i in range(n): out[i] = i`",
        TypeRule::Replicate => "use the value itself, or store it in a loop: `out[i] = x`",
        TypeRule::Zip => "index all arrays in one loop: `a[i] * b[i]`",
        TypeRule::Select => "choose element by element, in a loop: `out[i] = select(c, a[i], b[i])`",
        _ => "compute it element by element, in a loop",
    }
}
