//! The evaluator: what a Lane program means, in the plainest code possible.
//!
//! The evaluator runs a kernel's HIR by recursion, with variables in maps, and shares nothing with Lane IR but the arithmetic of
//! single elements ([`ir::scalar`]). So whatever lowers, transforms or emits a kernel can be held against it: a result, an
//! array or an error that differs is a mistake of one of the two. It is written to be believed, not to be fast.
//!
//! Decided here, because the language's page leaves it open:
//!
//! - Operands are evaluated from left to right. An assignment evaluates its value first, then the subscripts of its target,
//!   then (for `+=` and its kin) what the target holds; then it stores. The parts of a range are evaluated once, before the first
//!   iteration; a `foreach` evaluates all its ranges before it.
//! - A cell is accessed once all its subscripts are known; they are checked against their dimensions from the first to the
//!   last. `m[i][j]` checks `i` before it evaluates `j`; `m[i, j]` evaluates both first.
//! - A row or slice is a view: what is written to it is written to the array, and a variable defined as one stands for
//!   that part of the array. A struct is a value: reading one copies it.
//! - A slice takes the cells `lo`, `lo + step`, ... before `hi`. The first and last of them have to lie within the dimension, so an
//!   empty slice is never an error. A negative step goes down, and then an end that is left out is the array's last or first cell.
//! - Where a size is written, an array has to have it: arrays given to the kernel before anything else happens, those
//!   given to a function when all its arguments are evaluated, in order; those of variables and results when they are given.
//! - The place of an error is the expression whose operation failed: the whole access for a subscript, the target for the
//!   operation of `+=`, the step for a step of 0, the condition of an `assert`.
//!
//! A `foreach` runs its iterations in order, unless its own statements use lane operations, themselves or by what they call.
//! Then it runs in groups of lanes along its last index, all lanes of a group in lock step: each operation is done for all
//! active lanes, in lane order, before the next one is. A lane is inactive where its condition does not hold, or once it has left a
//! loop, an iteration or a function by `break`, `continue` or `return`; it takes part again behind the block that it left. There:
//!
//! - `reduce_add` and its kin join in halves: lane `k` and lane `k + half`, where inactive lanes, and those missing to a power of
//!   two, are left out. `scan_add` starts from 0 and adds in lane order.
//! - To name a lane that is not active, or that there is not, by `broadcast`, `rotate` or `shuffle`, is the program's error.
//! - `compress_store` and `expand_load` start at one place, which all active lanes have to agree on. It is checked when all
//!   arguments are evaluated; then all cells are checked to be within the array, before the first is accessed.
//!
//! A cell is one element: a field of a struct in an array is a cell of its own. Two iterations of a `foreach` collide when one
//! writes a cell and the other touches it; the run stops at the access that makes the second.
//!
//! Arrays behave as in NumPy: an operation that makes an array makes a new one, and a name stands for an array. There:
//!
//! - `x = e` of a variable makes it stand for the array of `e`; `x += e`, and an assignment to a row, a slice or `x[:]`, stores into the
//!   cells that its target has. What is stored is what the value was before the subscripts of the target are evaluated, and of `+=`
//!   and its kin all is computed before the first cell is stored.
//! - Operators and functions of scalars go over the elements in the order of the rows, in which scalars count for each. Where lanes run
//!   together, all of them do an element before any of them does the next.
//! - `map`, `reduce` and `scan` go along the first dimension in order. `reduce` with `+` or `*` of floats has the fixed order
//!   in an item that is marked `@reassoc` or `@fast`. The rows of a `map` over nothing have the sizes that their type knows, and 0 else.
//! - Sizes that have to be equal are checked before the first element; where inference takes two sizes to be equal, they are checked
//!   at the expression that it says.
//! - A function as a value keeps the values that the locals it mentions have when it is made. An operator, a builtin or a function that
//!   is given by its name fails there.
//!
//! Programs that break one of the [`rules`] are not evaluated.

mod arrays;
mod atomics;
mod collections;
mod enums;
mod exprs;
mod functions;
mod lanes;
mod loops;
mod machine;
mod memory;
mod places;
mod program;
mod reassoc;
mod rules;
mod running;
mod sizes;
mod stmts;

use ir::interp::ErrorKind;
use ir::{Elem, Scalar};
use report::{ReportCode, TextRange};

use crate::Name;
use crate::finding::ItemKey;

pub use program::{CheckedUnit, Program};

/// An argument: a parameter's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgValue {
    /// The value of a scalar parameter.
    Scalar(Scalar),
    /// An array of its own.
    Array(Array),
    /// A part of the array that is given for another parameter, which stands before it: for `@alias`.
    Part {
        /// The number of the other parameter.
        of: usize,
        /// The number of its cell that comes first.
        from: usize,
        /// The sizes of the dimensions.
        sizes: Vec<i64>,
    },
}

/// An array, exactly as large as its sizes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// The type of its cells.
    pub element: Element,
    /// The sizes of its dimensions.
    pub sizes: Vec<i64>,
    /// The elements, row after row; the leaves of a struct stand side by side.
    pub cells: Vec<Scalar>,
}

/// The type of an array's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// A scalar of this type.
    Scalar(Elem),
    /// Structs, with leaves of these types (see [`crate::layout`]).
    Struct(Vec<Elem>),
}

impl Element {
    /// The types of what stands side by side for each element.
    pub fn fields(&self) -> &[Elem] {
        match self {
            Element::Scalar(elem) => std::slice::from_ref(elem),
            Element::Struct(fields) => fields,
        }
    }
}

/// The limits at which a run is given up.
#[derive(Debug, Clone, Copy)]
pub struct EvalLimits {
    /// The number of statements, iterations, calls, and elements of new arrays that may run.
    pub fuel: u64,
    /// The bytes that the arrays which the program makes may take at a time.
    pub memory: u64,
}

impl Default for EvalLimits {
    fn default() -> EvalLimits {
        EvalLimits { fuel: 10_000_000, memory: 1 << 30 }
    }
}

/// The state at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalOutcome {
    /// The kernel's result, if it has one.
    pub result: Option<Scalar>,
    /// The arrays of its parameters, in order, as they were at the end.
    pub arrays: Vec<Array>,
    /// The error that stopped it.
    pub error: Option<Error>,
    /// The fuel that is left.
    pub fuel_left: u64,
}

/// An error that stops a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The code of the error.
    pub code: ReportCode,
    /// The item it happened in.
    pub item: ItemKey,
    /// The range in the item's dense text.
    pub range: TextRange,
    /// The calls that led there, outermost first.
    pub calls: Vec<(ItemKey, TextRange)>,
    /// The indices of the loops around, outermost first.
    pub iteration: Iteration,
    /// The earlier one of two iterations that collide.
    pub other: Option<Iteration>,
    /// The lane, where lanes run together.
    pub lane: Option<u32>,
    /// Its kind, where it is an error of the program that Lane IR has as well.
    pub kind: Option<ErrorKind>,
    /// A description of the error.
    pub message: String,
}

impl Error {
    /// Returns the place in the kernel's file: for an error inside of another one, or of the prelude, the call that led there.
    pub fn place(&self) -> (&ItemKey, TextRange) {
        let calls = self.calls.iter().rev().map(|(item, range)| (item, *range));
        let mut places = std::iter::once((&self.item, self.range)).chain(calls);
        let file = self.calls.first().map_or(&self.item, |(kernel, _)| kernel).file;
        places.find(|(item, _)| item.file == file).unwrap_or((&self.item, self.range))
    }
}

/// Names and values of loop indices.
pub type Iteration = Vec<(Name, i128)>;

report::codes! {
    /// The codes of what stops an evaluation though the program is not wrong, or has no meaning at all. Those of errors of the program are
    /// [`RunCode`](ir::RunCode)s.
    pub enum StopCode {
        /// More calls are inside each other than any program has reason for.
        CallsTooDeep = "calls-too-deep",
        /// The program has errors, so it has no meaning.
        HasErrors = "has-errors",
        /// The fuel is used up.
        OutOfFuel = "out-of-fuel",
        /// The arrays that the program has made take more memory than a run may use.
        OutOfMemory = "out-of-memory",
        /// An argument is of another type than the parameter, or missing.
        WrongArgument = "wrong-argument",
    }
}

/// Calls the function that a program begins with; `None` if it stops, or does not take such arguments.
pub fn apply(program: &Program, args: &[Scalar], limits: EvalLimits) -> Option<Scalar> {
    machine::apply(program, args, limits)
}

/// The value of a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// The value of a scalar.
    Scalar(Scalar),
    /// A table.
    Array(Array),
}

/// Computes the constant that a program begins with; `None` for what is neither a scalar nor an array.
pub fn constant(program: &Program, limits: EvalLimits) -> Result<Option<Constant>, Box<Error>> {
    machine::constant(program, limits)
}

/// Runs a kernel on arguments, within limits.
pub fn evaluate(program: &Program, args: Vec<ArgValue>, limits: EvalLimits) -> EvalOutcome {
    machine::run(program, args, limits)
}
