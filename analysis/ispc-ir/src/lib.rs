//! ISPC functions as data: blocks of ops that all lanes of a gang run in lock step, with a mask of the lanes that are on.
//!
//! - [`types`], [`op`], [`module`]: numbers, ops, functions
//! - [`print`](mod@print): a program as text
//! - [`walk`]: the parts of ops
//! - [`verify`]: the invariants
//! - [`machine`]: runs a program, lane by lane, with all checks
//!
//! A function's entry mask is that of its call. `if`, loops and `switch` hold blocks; which lanes run a block follows from the registers
//! that they test, so that no op has a mask as an operand, and code for any target can make one of its own. Structs, short vectors
//! and arrays are in memory, or one register a number. Memory is bytes; the cells of a varying number stand side by side, one a lane.
//! Nothing here knows trees or names of a surface.

pub mod machine;
pub mod module;
pub mod op;
pub mod print;
pub mod types;
pub mod verify;
pub mod walk;
