//! The items, trees and HIR that a surface gives of a file. Here alone queries go through its door (see [`lane`]).
//!
//! With a second surface, a file says which one it is written in, and each function here asks that one.
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | [`cut_file`] | the items, and where they start | the file's text changes |
//! | [`chunk_items`] | the items of a chunk of the file | the text of one of them changes |
//! | [`file_items`] | the items | one comes, goes, or is renamed |
//! | [`chunk_mentions`] | the names of others that the items of a chunk say | the words of one of them change, or what names there are |
//! | [`parse`] | lossless tree, syntax errors | the item's text changes |
//! | [`dense`] | the tree without white space and comments | likewise; equal after an edit of those |
//! | [`resolved`] | HIR as it is written | the dense tree changes, or a name in it comes to stand for another item |
//! | [`lowered`] | HIR with its source map, [compile time](super::templates) over | likewise, or what is decided then changes |

#![allow(missing_docs, reason = "salsa's macros write functions without documentation")]

mod last_cut;

use std::sync::Arc;

use report::{Diagnostic, ItemKey, ItemKind, TextRange, TextSize};

use super::db::{Chunk, File, Item};
use super::names::{file_names, key, named, struct_named, visible_names};
use super::templates::expanded;
use super::types::{infer, struct_fields};
use super::uses::{file_beside_with, library_with, used_files};
use hir::fields::Fields;
use hir::finding::{Finding, Place};
use hir::infer::Inference;
use hir::{Body, FileNames, Lowered, Name, Names, UseLine};
use lane::outline::Entry;
use lane::render::Rendered;
use lane::{Dense, ItemCut, ItemParse, Recut, Rewritten, Tree, recut};
use last_cut::LastCut;

pub use last_cut::{ChunkItems, KnownItem};

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
    /// The texts of the items, chunk by chunk.
    pub chunks: Vec<ChunkItems>,
}

/// The items of a file with their places. Only what shows places reads this: it changes with every move.
#[salsa::tracked]
pub fn cut_file<'db>(db: &'db dyn salsa::Database, file: File) -> Cut<'db> {
    let ChunkedText { chunks, starts } = chunked_text(db, file);
    let chunks = chunks.iter().map(|chunk| chunk.texts(db).clone()).collect();
    Cut { items: file_items(db, file).clone(), starts: starts.clone(), chunks }
}

/// The chunks of a file, and where its items start.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
struct ChunkedText<'db> {
    chunks: Vec<Chunk<'db>>,
    starts: Vec<TextSize>,
}

#[salsa::tracked]
fn chunked_text<'db>(db: &'db dyn salsa::Database, file: File) -> ChunkedText<'db> {
    let cut = cut_before(db, file).of(file.text(db));
    let chunks = cut.chunks.iter().map(|chunk| Chunk::new(db, file, chunk.number, chunk.items.clone())).collect();
    ChunkedText { chunks, starts: cut.starts.iter().map(|&start| TextSize::new(start as u32)).collect() }
}

/// The last cut of a file, which the next one is made from: it never runs again.
#[salsa::tracked(no_eq)]
fn cut_before(_db: &dyn salsa::Database, _file: File) -> Arc<LastCut> {
    Arc::default()
}

/// The chunks of a file, in the order of the text.
#[salsa::tracked]
pub fn file_chunks<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Chunk<'db>> {
    chunked_text(db, file).chunks.clone()
}

/// The items of a chunk. They come and go with it.
#[salsa::tracked]
fn chunk_items<'db>(db: &'db dyn salsa::Database, chunk: Chunk<'db>) -> Vec<Item<'db>> {
    let file = chunk.file(db);
    let items = chunk.texts(db).iter();
    items.map(|it| Item::new(db, file, it.kind, it.name.clone(), it.nth, None, Vec::new(), it.text.clone())).collect()
}

/// The items of a file, without their places.
#[salsa::tracked]
pub fn file_items<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    file_chunks(db, file).iter().flat_map(|&chunk| chunk_items(db, chunk).iter().copied()).collect()
}

/// The words of each item of a chunk that may stand for others, with spaces between. A few too many: a word is taken for a name wherever it stands,
/// so that nothing is parsed.
#[salsa::tracked]
fn chunk_words<'db>(db: &'db dyn salsa::Database, chunk: Chunk<'db>) -> Vec<Box<str>> {
    chunk.texts(db).iter().map(|it| lane::mentions(&it.text).join(" ").into()).collect()
}

/// The items of a chunk, each with the names of items of the file that it may mean, once each. Equal after most edits: other words do not count.
#[salsa::tracked]
pub fn chunk_mentions<'db>(db: &'db dyn salsa::Database, chunk: Chunk<'db>) -> Vec<(Item<'db>, Vec<Name>)> {
    let names = file_names(db, chunk.file(db));
    let names_in = |words: &str| words.split(' ').filter_map(|word| Some(names.get(word)?.name.clone())).collect();
    let items = chunk_items(db, chunk).iter().zip(chunk_words(db, chunk));
    items.map(|(&item, words)| (item, names_in(words))).collect()
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

/// The items of a file, each with the names of items that it may mean: see [`chunk_mentions`].
pub(super) fn mentions<'db>(
    db: &'db dyn salsa::Database,
    file: File,
) -> impl Iterator<Item = (Item<'db>, &'db [Name])> {
    let chunks = file_chunks(db, file).iter();
    chunks.flat_map(move |&chunk| chunk_mentions(db, chunk).iter().map(|(item, words)| (*item, &**words)))
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
