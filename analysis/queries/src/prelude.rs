//! The prelude in the database: its file, and its functions by the builtins that they are.

use super::db::{File, Item, Prelude};
use super::names::named;
use hir::builtins::BuiltinId;

pub use super::surface::prelude::{NAME, TEXT, listing, told_of};

/// Returns the file of the prelude.
pub fn file(db: &dyn salsa::Database) -> File {
    Prelude::get(db).file(db)
}

/// The function that a builtin is written as.
pub fn function<'db>(db: &'db dyn salsa::Database, builtin: BuiltinId) -> Option<Item<'db>> {
    named(db, file(db), builtin.get().name.into())
}
