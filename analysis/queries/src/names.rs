//! The names of a file: which item a name stands for.
//!
//! A query that needs to know what one name stands for asks [`named`], and runs again only when *that* changes: an item that comes,
//! goes or is renamed leaves alone all that do not mention it. The whole list is for completion and "did you mean".

use std::sync::Arc;

use report::{ItemKey, ItemKind};
use rustc_hash::FxHashMap;

use super::db::{File, Item, file_items};
use super::prelude;
use super::templates::instance_of;
use hir::expand::split_name;
use hir::{FileNames, Name};

/// Collects the names of a file. Equal after any edit that adds, removes or renames no item.
#[salsa::tracked]
pub fn file_names(db: &dyn salsa::Database, file: File) -> Arc<FileNames> {
    Arc::new(FileNames::new(file_items(db, file).iter().map(|item| key(db, *item))))
}

/// Returns the key of an item, which stays the same while it is edited or moved. That of an instance is the one of its template,
/// where its places are.
pub fn key<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> ItemKey {
    if let Some(template) = item.template(db) {
        return key(db, template);
    }
    ItemKey {
        kind: item.kind(db),
        name: item.name(db).clone(),
        nth: item.nth(db),
        in_prelude: item.file(db) == prelude::file(db),
    }
}

/// The position of each item in its file's list.
#[salsa::tracked]
fn item_table(db: &dyn salsa::Database, file: File) -> Arc<FxHashMap<ItemKey, u32>> {
    let items = file_items(db, file).iter().enumerate();
    Arc::new(items.map(|(n, item)| (key(db, *item), n as u32)).collect())
}

/// Returns the item of a key. For callers that show places: the answer changes with every item that is added or
/// removed.
pub fn item_of<'db>(db: &'db dyn salsa::Database, file: File, key: &ItemKey) -> Option<Item<'db>> {
    let file = if key.in_prelude { prelude::file(db) } else { file };
    let n = *item_table(db, file).get(key)?;
    file_items(db, file).get(n as usize).copied()
}

/// The item that a name stands for: the first of the file that has it, or a struct of the prelude; or an instance of one.
#[salsa::tracked(returns(copy))]
pub fn named<'db>(db: &'db dyn salsa::Database, file: File, name: Name) -> Option<Item<'db>> {
    if let Some((base, args)) = split_name(&name) {
        return instance_of(db, named(db, file, base.into())?, name.clone(), args);
    }
    item_of(db, file, key_of_name(db, file, &name)?)
}

/// The key of the item that a name stands for. For callers that show places, as [`item_of`] is.
/// That of an instance is its template.
pub fn key_of_name<'db>(db: &'db dyn salsa::Database, file: File, name: &str) -> Option<&'db ItemKey> {
    let name = split_name(name).map_or(name, |(base, _)| base);
    file_names(db, file).get(name).or_else(|| {
        let of_prelude = file_names(db, prelude::file(db)).get(name)?;
        (of_prelude.kind == ItemKind::Struct).then_some(of_prelude)
    })
}

/// The structs of a file, each name once, in order.
#[salsa::tracked]
pub fn structs<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    let keys = file_names(db, file).in_order.iter().filter(|key| key.kind == ItemKind::Struct && key.nth == 0);
    keys.filter_map(|key| item_of(db, file, key)).collect()
}

/// Returns the position of an item in its file's list.
pub fn position_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<usize> {
    item_table(db, item.file(db)).get(&key(db, item)).map(|&n| n as usize)
}

/// Lets go of the items and names that a file had before its text became empty.
pub(super) fn forget(db: &dyn salsa::Database, file: File) {
    file_names(db, file);
    item_table(db, file);
    structs(db, file);
}
