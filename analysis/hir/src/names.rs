//! The names of a file, and what resolving a name asks of them.

use report::{ItemKey, ItemKind};
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
            if key.name.is_empty() || matches!(key.kind, ItemKind::Preamble | ItemKind::Stray) {
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

/// The file in which a name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Home {
    /// The file that the question is about.
    File,
    /// The prelude, which every file sees.
    Prelude,
}

impl Home {
    /// The file in which the names of an item are looked up.
    pub fn of(item: &ItemKey) -> Home {
        if item.in_prelude { Home::Prelude } else { Home::File }
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
}
