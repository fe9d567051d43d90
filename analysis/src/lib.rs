//! What Lane programs mean: names, types and sizes, kept up to date while a file is typed.
//!
//! In reading order:
//!
//! - [`db`]: the database, its one input (the texts of files) and its items
//! - [`dense`]: an item's tree without white space and comments, and the way back to its text
//! - [`hir`]: names resolved, in arenas without positions
//! - [`builtins`]: what is there without being defined
//! - [`prelude`]: builtins that are written in Lane
//! - [`size`], [`ty`]: types, and the symbolic sizes of arrays
//! - [`infer`](mod@infer): types by unification, values of constants
//! - [`errors`]: every finding's code, words and fixes
//! - [`finding`]: findings as data, and how they become diagnostics
//! - [`lower`](mod@lower): HIR to Lane IR
//! - [`facts`]: what is known about lanes, at the places of the source
//! - [`run`]: running a kernel on described data
//! - [`stages`]: the list of forms a program has on its way
//! - [`check`]: what is wrong with an item, and with a file
//! - [`eval`]: what a program means, in the plainest code possible
//! - [`ide`]: what an editor asks about a place
//! - [`host`]: who may write, and snapshots for readers
//!
//! What holds throughout: no query fails; a mistake in one item never hides what is known of another; an edit of white space
//! or comments runs nothing behind the parse again.
//!
//! This room knows nothing of LLVM, protocols, terminals, files on disk or threads.

pub mod builtins;
pub mod check;
pub mod db;
pub mod dense;
pub mod errors;
pub mod eval;
pub mod facts;
pub mod finding;
pub mod hir;
pub mod host;
pub mod ide;
pub mod infer;
pub mod kept;
pub mod lower;
pub mod prelude;
pub mod run;
pub mod size;
pub mod stages;
pub mod ty;

pub use db::{Database, File};
pub use host::{Host, Snapshot};
pub use salsa::{CancellationToken, Cancelled};
/// The forms of places, findings and edits, which are those of the room below.
pub use syntax::{Diagnostic, ItemKind, Severity, TextEdit, TextRange, TextSize, apply_edits, text};
