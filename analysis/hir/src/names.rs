//! The names of a file, and what resolving a name asks of them.

use report::{ItemKey, ItemKind, TextRange};
use rustc_hash::FxHashMap;

use super::Name;

/// The named items of a file. Of two with one name the first counts, and the second has a finding.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileNames {
    first: FxHashMap<Name, ItemKey>,
    /// The items in the order of the file, for "did you mean" and completion.
    pub in_order: Vec<ItemKey>,
}

impl FileNames {
    /// Collects the items that have a name.
    pub fn new(items: impl Iterator<Item = ItemKey>) -> FileNames {
        let mut names = FileNames::default();
        for key in items {
            if key.name.is_empty() || matches!(key.kind, ItemKind::Preamble | ItemKind::Stray | ItemKind::Use) {
                continue;
            }
            names.first.entry(key.name.clone()).or_insert_with(|| key.clone());
            names.in_order.push(key);
        }
        names
    }

    /// The item of a name.
    pub fn get(&self, name: &str) -> Option<&ItemKey> {
        self.first.get(name)
    }
}

/// What a `use` says: a file, and the names that are taken of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseLine {
    /// The folders and the name of the file with dots between, as written: `..shared.filters`.
    pub path: Name,
    /// The place of the path in the dense text.
    pub at: TextRange,
    /// The names that are taken, each with its place; `None` if all are.
    pub names: Option<Vec<(Name, TextRange)>>,
}

impl UseLine {
    /// Says whether a name of the other file is taken. Names that start with `_` are the file's own.
    pub fn takes(&self, name: &str) -> bool {
        match &self.names {
            Some(names) => names.iter().any(|(taken, _)| **taken == *name),
            None => !name.starts_with('_'),
        }
    }
}

/// The items around the one whose names are resolved. An answer is remembered as one that the item depends on, so nothing
/// is asked for that is not needed.
pub trait Names {
    /// The kind of the item that a name stands for.
    fn kind_of(&self, name: &str) -> Option<ItemKind>;
    /// The item that a name stands for.
    fn key_of(&self, name: &str) -> Option<ItemKey>;
    /// The one enum of the file that has a variant of this name. Only kernels and functions ask.
    fn enum_with(&self, variant: &str) -> Option<Name>;
    /// All items of the file, for "did you mean".
    fn all(&self) -> &FileNames;
    /// Says whether a `use` that takes nothing would have given a name: that is the mistake, then.
    fn is_lost_with_use(&self, _name: &str) -> bool {
        false
    }
    /// The file beside this one that has an item of a name, of a kind that fits, as a `use` names it.
    fn file_beside_with(&self, _name: &str, _fits: &dyn Fn(ItemKind) -> bool) -> Option<Name> {
        None
    }
    /// The library that has an item of a name, of a kind that fits.
    fn library_of(&self, _name: &str, _fits: &dyn Fn(ItemKind) -> bool) -> Option<Name> {
        None
    }
}
