//! The subcommands, one module each, with their arguments and their implementation.

pub mod asm;
pub mod bench;
pub mod build;
pub mod check;
pub mod compare;
pub mod completions;
pub mod dap;
pub mod doctor;
pub mod explain;
pub mod explore;
pub mod faster;
pub mod fmt;
pub mod learn;
pub mod lower;
pub mod lsp;
pub mod man;
pub mod new;
pub mod run;
pub mod start;
pub mod targets;
pub mod test;
pub mod worker;
