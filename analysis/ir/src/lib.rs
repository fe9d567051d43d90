//! Lane IR: a kernel between its source and its machine code, as data that can be read, checked, changed and run.
//!
//! In reading order:
//!
//! - [`types`]: elements, lanes, views of arrays
//! - [`scalar`]: the language's arithmetic, one element at a time; [`range`]: that of all integers between two bounds
//! - [`run_code`]: the codes of errors that stop a run
//! - [`linear`]: what an expression makes of a variable that it is linear in
//! - [`running`]: running sums and linear recurrences in the fixed order
//! - [`ops`]: every op, in one table
//! - [`entities`], [`program`]: a kernel: regions, ops and values in arenas
//! - [`effects`]: what ops do besides making their results, and the arrays that they touch
//! - [`forest`], [`uses`]: the loops of a kernel as trees, and the users of each value, for one state of it
//! - [`typing`]: the types of an op's operands and results, by its row of the table
//! - `checks`: the sizes that native code compares before anything else
//! - [`scratch`]: the memory that a kernel needs besides its arrays, as a formula
//! - [`builder`]: building a kernel op by op
//! - [`shapes`]: the sizes of arrays as formulas of parameters
//! - `compact`: a kernel without what no region lists any more
//! - [`lines`]: the ops that get a line of their own in the text form; a kernel's canonical form
//! - `infer`: the types that the text form leaves out
//! - [`mod@print`], [`mod@read`]: kernels to text and back
//! - [`mod@verify`]: the invariants of every kernel
//! - [`interp`]: running a kernel at any stage, step by step
//! - [`cancel`]: tokens by which long computations are cancelled
//! - `copy`: copies of ops and regions
//! - [`target`]: the targets that kernels are compiled for, as data
//! - [`codes`]: the codes of verdicts and decisions
//!
//! Invariants: a kernel is plain data, complete in itself; a pass is a plain function from kernel to
//! kernel; every op knows where it came from.
//!
//! This package knows nothing of syntax, queries, files, threads or any back end.

pub mod atomics;
pub mod builder;
pub mod cancel;
mod checks;
pub mod codes;
mod compact;
pub mod copy;
pub mod effects;
pub mod entities;
mod equality;
pub mod forest;
pub mod halves;
mod infer;
pub mod interp;
pub mod linear;
pub mod lines;
pub mod ops;
pub mod print;
pub mod program;
pub mod range;
pub mod read;
pub mod run_code;
pub mod running;
pub mod scalar;
pub mod scratch;
pub mod shapes;
pub mod target;
pub mod types;
pub mod typing;
pub mod uses;
pub mod verify;

pub use atomics::AtomicRule;
pub use builder::Builder;
pub use cancel::CancelToken;
pub use codes::ReasonCode;
pub use compact::{NewNumbers, compact, numbered};
pub use effects::Effects;
pub use entities::{Entity, EntityVec, Op, Origin, Region, Struct, Value};
pub use forest::LoopForest;
pub use lines::canonical;
pub use ops::{Code, Effect};
pub use print::{Printed, print, print_with_comments};
pub use program::{
    Attr, Control, Def, DimSize, FieldDecl, Kernel, KernelMarks, LaneVerdict, Marks, Name, OpData, OriginData, Param,
    RegionData, SizeOperator, StructDecl, ValueData, Values,
};
pub use read::{ReadError, read, read_unverified};
pub use run_code::RunCode;
pub use scalar::{Fault, Fold, Scalar};
pub use shapes::Shapes;
pub use target::{Family, Masks, Streams, Target};
pub use types::{CellType, Elem, ElemSet, Type};
pub use uses::{Use, Uses};
pub use verify::{Violation, verify, verify_scalar};
