//! Blocks of lanes as LLVM IR, in text: functions of ISPC as machine code has them.
//!
//! In reading order:
//!
//! - [`module`]: a program as a module, the functions that other programs call, and entries for runs
//! - `value`: registers as LLVM's values, rows, addresses; `parts`: what a module is made of; `function`: a function while it is written
//! - `flow`: where lanes part; `masks`; `control`, `loops`, `switches`: statements; `slots`: variables that stay in registers
//! - `arithmetic`, `wholes`, `conversions`, `halves`, `math`, `lanes`, `access`, `strided`, `memory`, `calls`, `globals`: ops by kind; `linked`: functions of several files
//! - [`debug`]: lines of the source
//! - [`header`]: declarations for C and C++
//! - [`run`]: a function and its arguments as a request to the worker
//!
//! A run without an error gives the bits that the machine of `ispc-ir` gives, but for functions of the C library. Which lanes are on follows
//! from the blocks: nothing is decided here that would change what a program does. LLVM itself is held by `native`'s worker alone.

mod access;
mod arithmetic;
mod calls;
mod control;
mod conversions;
pub mod debug;
mod flow;
mod function;
mod globals;
mod halves;
pub mod header;
mod lanes;
mod linked;
mod loops;
mod masks;
mod math;
mod memory;
pub mod module;
mod parts;
pub mod run;
mod slots;
mod strided;
mod switches;
mod value;
mod wholes;

use ispc_ir::module::TextPlace;

/// The reason why a program has no machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotCompiled {
    /// Where it stands.
    pub place: TextPlace,
    /// The function.
    pub function: String,
    /// The thing that is there, and what to do.
    pub message: String,
}

/// The codes of what is found when machine code is made.
pub const CODES: &[&str] = &[BUILD_UNSUPPORTED];

/// There is no machine code for what stands there, though the interpreter may run it.
pub const BUILD_UNSUPPORTED: &str = "ispc-build-unsupported";
