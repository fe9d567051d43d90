//! The prelude: builtins that are written in Lane, in a file that comes with the program.
//!
//! What a builtin takes, and what its messages and hovers say, stands in its row of [`builtins`](crate::builtins). A function of
//! the same name in the prelude is what it *does*: it is analysed like any other, and a call is inlined or evaluated like a
//! call of any other. A function without a row is the prelude's own, so a file's names never meet the prelude's.

use crate::builtins::BuiltinId;
use crate::db::{File, Item, Prelude};
use crate::hir;

/// What the prelude says.
pub const TEXT: &str = include_str!("../prelude/math.lane");

/// What its file is called where files have names.
pub const NAME: &str = "prelude/math.lane";

/// The prelude's file.
pub fn file(db: &dyn salsa::Database) -> File {
    Prelude::get(db).file(db)
}

/// The function that a builtin is written as.
pub fn function<'db>(db: &'db dyn salsa::Database, builtin: BuiltinId) -> Option<Item<'db>> {
    hir::named(db, file(db), builtin.get().name.into())
}
