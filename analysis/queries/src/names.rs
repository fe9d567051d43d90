//! The names of a file: which item a name stands for.
//!
//! A name stands for the item of the file that has it; else for that of a file that it uses (see [`uses`](super::uses)), else for a struct of the
//! prelude. A query that needs to know what one name stands for asks [`named`], and runs again only when *that* changes: an item that comes,
//! goes or is renamed leaves alone all that do not mention it. The whole list is for completion and "did you mean".

use std::sync::Arc;

use report::{FileId, ItemKey, ItemKind};
use rustc_hash::FxHashMap;
use salsa::plumbing::AsId;

use super::db::{File, Item, cut_file, file_items};
use super::prelude;
use super::templates::instance_of;
use super::uses::{all_used, used_files};
use hir::expand::split_name;
use hir::{FileNames, Name};

/// Collects the names of a file's own items. Equal after any edit that adds, removes or renames no item.
#[salsa::tracked]
pub fn file_names(db: &dyn salsa::Database, file: File) -> Arc<FileNames> {
    Arc::new(FileNames::new(file_items(db, file).iter().map(|item| key(db, *item))))
}

/// Collects the names that are seen in a file: those of its own items, then those of the files that it uses.
#[salsa::tracked]
pub fn visible_names(db: &dyn salsa::Database, file: File) -> Arc<FileNames> {
    let own = file_names(db, file);
    let used = used_files(db, file);
    if used.is_empty() {
        return own.clone();
    }
    let of_others = used.iter().filter_map(|used| Some((&used.line, used.file?))).flat_map(|(line, of)| {
        let shown = file_names(db, of).in_order.iter().filter(|key| key.nth == 0 && is_shown(key));
        shown.filter(|key| line.takes(&key.name)).cloned()
    });
    Arc::new(FileNames::new(own.in_order.iter().cloned().chain(of_others)))
}

/// Says whether other files may use an item: a kernel is called from outside alone.
pub(super) fn is_shown(key: &ItemKey) -> bool {
    key.kind.is_type() || matches!(key.kind, ItemKind::Fn | ItemKind::Const)
}

/// Returns the key of an item, which stays the same while it is edited or moved. That of an instance is the one of its template,
/// where its places are.
pub fn key<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> ItemKey {
    if let Some(template) = item.template(db) {
        return key(db, template);
    }
    ItemKey { kind: item.kind(db), name: item.name(db).clone(), nth: item.nth(db), file: id_of(db, item.file(db)) }
}

/// The number that keys have for a file.
pub fn id_of(db: &dyn salsa::Database, file: File) -> FileId {
    if file == prelude::file(db) { FileId::PRELUDE } else { FileId(file.as_id().index()) }
}

/// The file of a number, which is `from`, one that it uses, or the prelude.
pub fn file_of(db: &dyn salsa::Database, from: File, id: FileId) -> File {
    if id == FileId::PRELUDE {
        return prelude::file(db);
    }
    if id == id_of(db, from) {
        return from;
    }
    all_used(db, from).iter().copied().find(|file| id_of(db, *file) == id).unwrap_or(from)
}

/// The position of each item in its file's list.
#[salsa::tracked]
fn item_table(db: &dyn salsa::Database, file: File) -> Arc<FxHashMap<ItemKey, u32>> {
    let items = file_items(db, file).iter().enumerate();
    Arc::new(items.map(|(n, item)| (key(db, *item), n as u32)).collect())
}

/// Returns the item of a key that a file, or one that it uses, has. For callers that show places: the answer changes with every item that is
/// added or removed.
pub fn item_of<'db>(db: &'db dyn salsa::Database, file: File, key: &ItemKey) -> Option<Item<'db>> {
    let file = file_of(db, file, key.file);
    let n = *item_table(db, file).get(key)?;
    file_items(db, file).get(n as usize).copied()
}

/// The item that a name stands for in a file, or an instance of one.
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
    visible_names(db, file).get(name).or_else(|| {
        let of_prelude = file_names(db, prelude::file(db)).get(name)?;
        of_prelude.kind.is_type().then_some(of_prelude)
    })
}

/// The struct of a name that a type has. Values of structs of a used file's functions are known though their name may not be seen.
#[salsa::tracked(returns(copy))]
pub fn struct_named<'db>(db: &'db dyn salsa::Database, file: File, name: Name) -> Option<Item<'db>> {
    let is_type = |key: &&ItemKey| key.kind.is_type();
    let seen = key_of_name(db, file, &name).filter(is_type);
    let elsewhere = || all_used(db, file).iter().find_map(|of| file_names(db, *of).get(&name).filter(is_type));
    item_of(db, file, seen.or_else(elsewhere)?)
}

/// The structs that are seen in a file, each name once, in order.
#[salsa::tracked]
pub fn structs<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    let names = &visible_names(db, file);
    let keys = names.in_order.iter().filter(|key| key.kind.is_type() && names.get(&key.name) == Some(key));
    keys.filter_map(|key| item_of(db, file, key)).collect()
}

/// Returns the position of an item in its file's list.
pub fn position_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<usize> {
    item_table(db, item.file(db)).get(&key(db, item)).map(|&n| n as usize)
}

/// Lets go of the items and names that a file had before its text became empty.
pub(super) fn forget(db: &dyn salsa::Database, file: File) {
    cut_file(db, file);
    file_names(db, file);
    item_table(db, file);
    visible_names(db, file);
    structs(db, file);
}
