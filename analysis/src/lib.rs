//! What Lane programs mean: names, types and sizes, kept up to date while a file is typed.
//!
//! In reading order:
//!
//! - [`hir`]: names resolved, in arenas without positions
//! - [`builtins`]: what is there without being defined
//! - [`size`], [`ty`]: types, and the symbolic sizes of arrays
//! - [`infer`](mod@infer): types by unification, values of constants
//! - [`errors`]: every finding's code, words and fixes
//! - [`finding`]: findings as data
//! - [`eval`]: what a program means, in the plainest code possible
//! - [`lane`]: the surface Lane: its tree to HIR, and edits back
//! - [`lower`](mod@lower): HIR to Lane IR
//! - [`execution`]: running a kernel on described data
//! - [`queries`]: all of that by item, kept up to date while a file is typed
//! - [`insight`]: what is known about lanes, at the places of the source
//! - [`ide`]: what an editor asks about a place
//!
//! `tui/tests/architecture.rs` holds who of these may know whom.
//!
//! What holds throughout: no query fails; a mistake in one item never hides what is known of another; an edit of white space
//! or comments runs nothing behind the parse again.
//!
//! This room knows nothing of LLVM, protocols, terminals, files on disk or threads.

pub mod builtins;
pub mod errors;
pub mod eval;
pub mod execution;
pub mod finding;
pub mod hir;
pub mod ide;
pub mod infer;
pub mod insight;
pub mod lane;
pub mod lower;
mod operators;
pub mod queries;
pub mod size;
pub mod ty;

pub use lane::tree::text;
pub use queries::db::{Database, File};
pub use queries::host::{Host, Snapshot};
pub use queries::{check, db, host, item_cache, prelude, run, stages};
/// The forms of findings, places and edits, which are those of the room below.
pub use report::{Diagnostic, ItemKind, Severity, TextEdit, TextRange, TextSize, apply_edits};
pub use salsa::{CancellationToken, Cancelled};
