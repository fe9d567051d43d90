//! Queries: all facts that are derived from the texts of files, computed on demand and kept as long as they hold.
//!
//! Each query is about one item or one file, and calls functions of other packages, which take plain data. They ask
//! about other items through a trait that [`surface::InDatabase`] implements, so that a query depends on the answers it
//! has used and no others.
//!
//! - [`db`]: the database, its inputs and its items
//! - [`surface`]: trees and HIR; the only module that knows Lane
//! - [`ispc`]: ISPC's files: units with their headers; the only module that knows that surface
//! - [`names`]: the items that names stand for
//! - [`templates`]: what is decided at compile time, by item and arguments
//! - [`uses`]: the files that a file uses
//! - [`types`]: types, signatures, values of constants
//! - [`lowering`]: kernels as Lane IR, and the verdicts on their loops
//! - [`stage_cache`]: the kernels that were looked at last, at all stages
//! - `equal_kernels`: results that kernels share which are equal but for their names
//! - [`costs`]: estimates of what loops cost on a target
//! - [`stages`]: the list of forms that a program goes through
//! - [`check`]: the findings about an item, and about a file
//! - [`item_cache`]: a cache of answers for each item of a file, from one key to the next
//! - [`run`]: running a kernel
//! - [`prelude`]: builtins that are written in Lane
//! - [`host`]: the one writer of the database, and snapshots for readers
//!
//! No query fails; a mistake in one item never hides what is known of another; an edit of white space or comments runs
//! nothing behind the parse again.

mod array_comments;
pub mod check;
pub mod constants;
pub mod costs;
pub mod db;
mod equal_kernels;
mod failures;
pub mod host;
pub mod ispc;
pub mod item_cache;
pub mod lanes;
pub mod lowering;
pub mod names;
mod parts;
pub mod prelude;
pub mod run;
pub mod stage_cache;
pub mod stages;
pub mod stepping;
pub mod surface;
pub mod templates;
pub mod types;
pub mod uses;

pub use db::{Database, File};
pub use host::{Host, Snapshot};
pub use lowering::{arrays, sequential, verdicts, without_arrays};
pub use names::{
    file_names, file_of, id_of, item_of, key, key_of_name, named, position_of, struct_named, structs, visible_names,
};
pub use parts::{JoinKernel, Parts, parts};
pub use salsa::{CancellationToken, Cancelled};
pub use stage_cache::{outcomes, reached};
pub use surface::{body, lowered, lowered_as, resolved, rewrites, written};
pub use templates::{kernel_of, kernels};
pub use types::{
    const_table, const_value, enums_of_params, infer, infer_body, optional_fields, signature, struct_fields, typed,
    variants,
};
