//! Everything that is derived from the texts of files, on demand, and kept while it holds.
//!
//! Each query is about one item or one file, and calls functions of the rooms around it, which take plain data. What those
//! need to know of other items they ask of a trait that [`surface::InDatabase`] implements, so that a query depends on the
//! answers it has used and no others.
//!
//! - [`db`]: the database, its inputs and its items
//! - [`surface`]: trees and HIR; here alone queries know what a surface gives
//! - [`names`]: which item a name stands for
//! - [`types`]: types, signatures, values of constants
//! - [`lowering`]: kernels as Lane IR, and the verdicts on their loops
//! - [`stage_cache`]: kernels at all stages, for those that were looked at last
//! - [`stages`]: the list of forms that a program has on its way
//! - [`check`]: the findings about an item, and about a file
//! - [`item_cache`]: a cache of answers for each item of a file, from one key to the next
//! - [`run`]: running a kernel
//! - [`prelude`]: builtins that are written in Lane
//! - [`host`]: who may write, and snapshots for readers
//!
//! No query fails; a mistake in one item never hides what is known of another; an edit of white space or comments runs
//! nothing behind the parse again.

pub mod check;
pub mod db;
pub mod host;
pub mod item_cache;
pub mod lanes;
pub mod lowering;
pub mod names;
pub mod prelude;
pub mod run;
pub mod stage_cache;
pub mod stages;
pub mod surface;
pub mod types;

pub use db::{Database, File};
pub use host::{Host, Snapshot};
pub use lowering::{sequential, verdicts};
pub use names::{file_names, item_of, key, named, position_of, structs};
pub use salsa::{CancellationToken, Cancelled};
pub use stage_cache::{outcomes, reached};
pub use surface::{body, lowered, lowered_as, mentions, rewrites, written};
pub use types::{const_value, infer, infer_body, signature, struct_fields, typed};
