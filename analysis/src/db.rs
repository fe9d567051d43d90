//! The database: texts in, everything else derived from them on demand and kept while it holds.
//!
//! The only inputs are the texts of files, and the targets that questions are about. A file is cut into items (see `syntax::cut`), and each item is
//! a tracked struct identified by its kind, its name and which of that name it is. So an edit inside one item, or
//! one that moves others, leaves what the queries of all others read *equal*, and they are not run again.
//!
//! The layers an item's text goes through, each one query:
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | [`parse`] | lossless tree, syntax errors | the item's text changes |
//! | [`dense`] | the tree without white space and comments | the same; equal after an edit of those |
//!
//! [`Host`] owns the one handle that can write. Readers get [`Snapshot`]s, which never write, and are unwound
//! as soon as a write waits for them.

#![allow(missing_docs, reason = "salsa's macros write functions without documentation")]

use std::sync::Arc;

use ir::pipeline::Options;
use salsa::{Durability, Setter};
use syntax::{GreenNode, ItemKind, ItemParse, TextSize};

use crate::dense::Dense;

/// A file: its text is an input.
#[salsa::input(debug)]
pub struct File {
    /// What the file says now.
    #[returns(ref)]
    pub text: Arc<str>,
}

/// The file of the [prelude](crate::prelude). Every database has this one.
#[salsa::input(singleton, debug)]
pub struct Prelude {
    /// The file.
    #[returns(copy)]
    pub file: File,
}

/// The targets that questions are about, unless they name another one. Every database has this one.
#[salsa::input(singleton, debug)]
pub struct MadeFor {
    /// What facts, hints and notes are told for.
    #[returns(copy)]
    pub options: Options,
    /// What promises are judged for.
    #[returns(ref)]
    pub promised: Arc<[Options]>,
}

/// What facts are told for.
pub fn made_for(db: &dyn salsa::Database) -> Options {
    MadeFor::get(db).options(db)
}

/// The targets that promises are judged for, that of [`made_for`] first.
pub fn promised_for(db: &dyn salsa::Database) -> Arc<[Options]> {
    MadeFor::get(db).promised(db).clone()
}

/// An item of a file. Its identity is all but its text, so it survives edits and moves.
#[salsa::tracked(debug)]
pub struct Item<'db> {
    /// The file it stands in.
    #[returns(copy)]
    pub file: File,
    /// What its line starts with.
    #[returns(copy)]
    pub kind: ItemKind,
    /// Its name; empty for one without.
    #[returns(ref)]
    pub name: Arc<str>,
    /// How many of the same kind and name stand before it.
    #[returns(copy)]
    pub nth: u32,
    /// Its text, from the item's start.
    #[tracked]
    #[returns(ref)]
    pub text: Arc<str>,
}

/// A file's items, and where each starts.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub struct Cut<'db> {
    /// The items, in order.
    pub items: Vec<Item<'db>>,
    /// Where each starts in the file's text.
    pub starts: Vec<TextSize>,
}

/// The items of a file with their places. Only what shows places reads this: it changes with every move.
#[salsa::tracked]
pub fn cut_file<'db>(db: &'db dyn salsa::Database, file: File) -> Cut<'db> {
    let mut seen = rustc_hash::FxHashMap::default();
    let mut cut = Cut { items: Vec::new(), starts: Vec::new() };
    for item in syntax::cut(file.text(db)) {
        // The first cut of a large text takes a while, and an edit or a cancel may be waiting.
        if cut.items.len().is_multiple_of(64) {
            db.unwind_if_revision_cancelled();
        }
        let nth = seen.entry((item.kind, item.name)).or_insert(0u32);
        cut.items.push(Item::new(db, file, item.kind, Arc::from(item.name), *nth, Arc::from(item.text)));
        cut.starts.push(TextSize::new(item.start as u32));
        *nth += 1;
    }
    cut
}

/// The items of a file, without their places.
#[salsa::tracked]
pub fn file_items<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    cut_file(db, file).items.clone()
}

/// An item's tree and syntax errors.
#[salsa::tracked]
pub fn parse<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<ItemParse> {
    Arc::new(syntax::parse_item(item.kind(db), item.text(db)))
}

/// An item's tree without white space and comments: what all meaning is derived from.
#[salsa::tracked]
pub fn dense<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> GreenNode {
    crate::dense::densify(&parse(db, item).green)
}

/// How the places of an item's dense tree map to its text.
#[salsa::tracked]
pub fn dense_map<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Dense {
    Dense::new(&parse(db, item).green)
}

/// The database itself. A clone is another handle to the same data.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

impl Default for Database {
    fn default() -> Self {
        Database::with_storage(salsa::Storage::new(None))
    }
}

impl Database {
    /// A database that tells `listener` what it does; tests ask which queries ran.
    pub fn with_listener(listener: Box<dyn Fn(salsa::Event) + Send + Sync>) -> Self {
        Database::with_storage(salsa::Storage::new(Some(listener)))
    }

    fn with_storage(storage: salsa::Storage<Database>) -> Self {
        let db = Database { storage };
        // It never changes, so no edit makes anyone look at what was derived from it.
        let file = File::builder(Arc::from(crate::prelude::TEXT)).durability(Durability::HIGH).new(&db);
        let _ = Prelude::builder(file).durability(Durability::HIGH).new(&db);
        let options = Options::default();
        let _ = MadeFor::builder(options, Arc::from([options])).durability(Durability::HIGH).new(&db);
        db
    }

    /// Sets the targets that questions are about: the first one for facts, hints and notes, and all of them for promises. Setting
    /// those that are set already changes nothing; of no targets the ones that were set before stay.
    pub fn set_made_for(&mut self, all: &[Options]) {
        let Some(&first) = all.first() else { return };
        let made_for = MadeFor::get(self);
        if made_for.options(self) != first {
            made_for.set_options(self).with_durability(Durability::HIGH).to(first);
        }
        if **made_for.promised(self) != *all {
            made_for.set_promised(self).with_durability(Durability::HIGH).to(Arc::from(all));
        }
    }
}
