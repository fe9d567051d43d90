//! The items, trees and HIR that a surface gives of a file. Here alone queries go through its door (see [`lane`]).
//!
//! With a second surface, a file says which one it is written in, and each function here asks that one.
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | [`cut_file`] | the items, and where they start | the file's text changes |
//! | [`parse`] | lossless tree, syntax errors | the item's text changes |
//! | [`dense`] | the tree without white space and comments | likewise; equal after an edit of those |
//! | [`resolved`] | HIR as it is written | the dense tree changes, or a name in it comes to stand for another item |
//! | [`lowered`] | HIR with its source map, [compile time](super::templates) over | likewise, or what is decided then changes |

#![allow(missing_docs, reason = "salsa's macros write functions without documentation")]

mod last_cut;

use std::sync::Arc;

use report::{Diagnostic, ItemKey, ItemKind, TextRange, TextSize};

use super::db::{File, Item};
use super::names::{key, named, struct_named, visible_names};
use super::templates::expanded;
use super::types::{infer, struct_fields};
use super::uses::{file_beside_with, library_with, used_files};
use hir::fields::Fields;
use hir::finding::{Finding, Place};
use hir::infer::Inference;
use hir::{Body, FileNames, Lowered, Name, Names, UseLine};
use lane::outline::Entry;
use lane::render::Rendered;
use lane::{Dense, ItemParse, Recut, Rewritten, Tree, recut};
use last_cut::LastCut;

pub use lane::{ColumnUnit, LineIndex, for_each_name, libraries, prelude};

/// The rewrites of an item of the database.
pub type Rewrites<'db> = lane::Rewrites<InDatabase<'db>>;

/// A file's items, and where each starts.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub struct Cut<'db> {
    /// The items, in the order of the text.
    pub items: Vec<Item<'db>>,
    /// The offset of each item in the file's text.
    pub starts: Vec<TextSize>,
}

/// The items of a file with their places. Only what shows places reads this: it changes with every move.
#[salsa::tracked]
pub fn cut_file<'db>(db: &'db dyn salsa::Database, file: File) -> Cut<'db> {
    let cut = cut_before(db, file).of(file.text(db));
    let mut items = Vec::with_capacity(cut.len());
    for (n, it) in cut.iter().enumerate() {
        // The first cut of a large text takes a while, and an edit or a cancel may be waiting.
        if n.is_multiple_of(64) {
            db.unwind_if_revision_cancelled();
        }
        items.push(Item::new(db, file, it.kind, it.name.clone(), it.nth, None, Vec::new(), it.text.clone()));
    }
    Cut { items, starts: cut.iter().map(|it| TextSize::new(it.start as u32)).collect() }
}

/// The last cut of a file, which the next one is made from: it never runs again.
#[salsa::tracked(no_eq)]
fn cut_before(_db: &dyn salsa::Database, _file: File) -> Arc<LastCut> {
    Arc::default()
}

/// The items of a file, without their places.
#[salsa::tracked]
pub fn file_items<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    cut_file(db, file).items.clone()
}

/// An item's tree and syntax errors.
#[salsa::tracked]
pub fn parse<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<ItemParse> {
    Arc::new(lane::parse_item(item.kind(db), item.text(db)))
}

/// An item's tree without white space and comments: all meaning is derived from it.
#[salsa::tracked]
pub fn dense<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Tree {
    lane::dense::densify(&parse(db, item).green)
}

/// The way from places of an item's dense tree to its text and back.
#[salsa::tracked]
pub fn dense_map<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Dense {
    Dense::new(&parse(db, item).green)
}

/// The words in an item that may stand for functions or constants, each once.
#[salsa::tracked]
pub fn mentions<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Name> {
    lane::mentions(dense(db, item))
}

/// What an item that is a `use` says.
pub(super) fn use_line<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<UseLine> {
    lane::use_line(dense(db, item))
}

/// The HIR of an item as it is written: nothing that is decided at compile time is decided.
#[salsa::tracked]
pub fn resolved<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Lowered {
    match item.template(db) {
        Some(template) => resolved(db, template).clone(),
        None => lane::lower::lower(&InDatabase { db, item }, key(db, item), dense(db, item)),
    }
}

/// Returns the HIR of an item, with its source map and findings.
#[salsa::tracked]
pub fn lowered<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Lowered {
    expanded(db, item, resolved(db, item))
}

/// The HIR that an item would have if `tree` were its tree: the file around it stays as it is. Nothing of this is kept.
pub fn lowered_as<'db>(db: &'db dyn salsa::Database, item: Item<'db>, tree: &Tree) -> Lowered {
    let raw = lane::lower::lower(&InDatabase { db, item }, key(db, item), &lane::dense::densify(tree));
    expanded(db, item, &raw)
}

/// The meaning of an item. Equal as long as its places are all that changed.
#[salsa::tracked]
pub fn body<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Body> {
    lowered(db, item).body.clone()
}

/// The text of a place of an item, as a person writes it.
pub fn written(db: &dyn salsa::Database, item: Item<'_>, at: TextRange) -> String {
    lane::written(dense(db, item), at)
}

/// The lines of an item's tree.
pub(super) fn outline(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Entry> {
    lane::outline::outline(&parse(db, item).green)
}

/// A finding about an item that starts at `start`. `name_of` tells where the name of another item stands.
pub(super) fn render(
    db: &dyn salsa::Database,
    item: Item<'_>,
    start: TextSize,
    finding: &Finding,
    place_of: impl Fn(&Place) -> Option<TextRange>,
) -> Diagnostic {
    let own = Rendered { text: item.text(db), dense: dense_map(db, item), start };
    lane::render::render(finding, &own, place_of)
}

/// The rewrites of an item.
pub fn rewrites<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Rewrites<'db> {
    Rewrites::new(InDatabase { db, item })
}

/// An item with the database that knows what is around it.
#[derive(Clone, Copy)]
pub struct InDatabase<'db> {
    pub(super) db: &'db dyn salsa::Database,
    pub(super) item: Item<'db>,
}

impl<'db> InDatabase<'db> {
    /// The item that a name of its file stands for.
    pub(super) fn named(&self, name: Name) -> Option<Item<'db>> {
        named(self.db, self.item.file(self.db), name)
    }
}

impl Names for InDatabase<'_> {
    fn kind_of(&self, name: &str) -> Option<ItemKind> {
        self.named(Name::from(name)).map(|item| item.kind(self.db))
    }

    fn key_of(&self, name: &str) -> Option<ItemKey> {
        self.named(Name::from(name)).map(|item| key(self.db, item))
    }

    fn enum_with(&self, variant: &str) -> Option<Name> {
        hir::infer::Env::enum_with(self, &variant.into())
    }

    fn all(&self) -> &FileNames {
        visible_names(self.db, self.item.file(self.db))
    }

    fn is_lost_with_use(&self, name: &str) -> bool {
        let used = used_files(self.db, self.item.file(self.db));
        used.iter().any(|used| used.file.is_none() && used.line.takes(name))
    }

    fn file_beside_with(&self, name: &str, fits: &dyn Fn(ItemKind) -> bool) -> Option<Name> {
        file_beside_with(self.db, self.item.file(self.db), name, fits)
    }

    fn library_of(&self, name: &str, fits: &dyn Fn(ItemKind) -> bool) -> Option<Name> {
        library_with(self.db, name, fits)
    }
}

impl Rewritten for InDatabase<'_> {
    fn kind(&self) -> ItemKind {
        self.item.kind(self.db)
    }

    fn dense(&self) -> &Tree {
        dense(self.db, self.item)
    }

    fn lowered(&self) -> &Lowered {
        lowered(self.db, self.item)
    }

    fn types(&self) -> &Inference {
        infer(self.db, self.item)
    }

    fn fields_of(&self, name: &Name) -> Option<Arc<Fields>> {
        Some(struct_fields(self.db, struct_named(self.db, self.item.file(self.db), name.clone())?).clone())
    }
}
