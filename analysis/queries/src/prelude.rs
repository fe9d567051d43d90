//! The prelude in the database: its file, and its functions by the builtins that they are.

use super::db::{File, Item, Prelude};
use super::names::named;
use super::run;
use hir::Name;
use hir::builtins::BuiltinId;
use hir::eval::{self, EvalLimits, Program};
use ir::{Elem, Scalar};
use report::FileId;

pub use super::surface::prelude::{NAME, TEXT, listing, told_of};

/// Returns the file of the prelude.
pub fn file(db: &dyn salsa::Database) -> File {
    Prelude::get(db).file(db)
}

/// The function that a builtin is written as, for a type: see [`Builtin::functions`](hir::builtins::Builtin::functions).
pub fn function<'db>(db: &'db dyn salsa::Database, builtin: BuiltinId, of: Elem, fast: bool) -> Option<Item<'db>> {
    builtin.get().functions(of, fast).find_map(|name| named(db, file(db), name.as_str().into()))
}

/// A function of the prelude with all that it reaches, for the evaluator.
pub(crate) fn program(db: &dyn salsa::Database, name: &str) -> Option<Program> {
    let item = named(db, file(db), name.into())?;
    let unit = |_, name: &Name| Some(run::unit(db, named(db, file(db), name.clone())?));
    Some(Program::new(FileId::PRELUDE, item.name(db).clone(), [], unit))
}

/// The result of such a function; `None` if it stops.
pub(crate) fn apply(program: &Program, args: &[Scalar]) -> Option<Scalar> {
    eval::apply(program, args, EvalLimits::default())
}
