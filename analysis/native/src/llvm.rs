//! LLVM, behind a small table of its C functions.
//!
//! - [`find`]: where one may be, and what is said when there is none
//! - [`table`]: the functions
//! - `module`: LLVM IR to assembly and objects
//! - `jit`: objects to code that runs here

pub mod find;
pub(crate) mod jit;
pub(crate) mod module;
pub mod table;

pub use find::{NotFound, llvm};
pub use table::Llvm;
