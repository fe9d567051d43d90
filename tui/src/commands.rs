//! The subcommands, one module each: its arguments, and what it does with them.

pub mod check;
pub mod completions;
pub mod explain;
pub mod explore;
pub mod fmt;
pub mod lower;
pub mod man;
pub mod run;
