//! The subcommands, one module each: its arguments, and what it does with them.

pub mod check;
pub mod explore;
pub mod lower;
