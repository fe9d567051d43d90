//! Typed ISPC units to blocks of lanes.
//!
//! - [`program`]: which functions and globals are made, and what cannot be
//! - [`entries`]: functions that can be run from outside
//! - `data`: types in memory; `emit`: ops as they are made; `place`: what is read and set
//! - `function`: a function; `statements`, `loops`, `expressions`, `operators`, `assigning`, `calls`: what it says
//! - `library`: ispc's own functions
//!
//! The types, overloads and names of [`ispc_types`] are taken as they are. Each local variable has memory of its own; which lanes run
//! follows from the statements' blocks. Of what cannot be lowered the function, the place and the cause are told; nothing is guessed.

mod assigning;
mod calls;
mod data;
mod emit;
pub mod entries;
mod expressions;
mod function;
mod globals;
mod library;
mod literals;
mod loops;
mod operators;
mod place;
pub mod program;
mod statements;

pub use program::{LoweredUnit, NotLowered, lower, lower_shared};

/// The codes of what a run finds: a fault, and what cannot be run.
pub const CODES: &[&str] = &[RUN_FAULT, RUN_UNSUPPORTED];

/// A run stops, since what the program does there has no meaning.
pub const RUN_FAULT: &str = "ispc-run-fault";

/// The interpreter has no ops for what stands there.
pub const RUN_UNSUPPORTED: &str = "ispc-run-unsupported";
