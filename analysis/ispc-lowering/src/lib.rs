//! Typed ISPC units to blocks of lanes.
//!
//! - [`program`]: which functions and globals are made, and what cannot be
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

pub use program::{LoweredUnit, NotLowered, lower};
