//! Items, the pieces that a file is cut into, and how those of other items name them.

use std::sync::Arc;

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// White space and comments before the first item.
    Preamble,
    /// `kernel name(...)`.
    Kernel,
    /// `fn name(...)`.
    Fn,
    /// `struct Name:`.
    Struct,
    /// `enum Name:`.
    Enum,
    /// `const NAME = ...`.
    Const,
    /// `use file` or `use file: name, other`.
    Use,
    /// Any other line in column 0.
    Stray,
}

impl ItemKind {
    /// Says whether items of this kind are types.
    pub fn is_type(self) -> bool {
        matches!(self, ItemKind::Struct | ItemKind::Enum)
    }
}

/// A file of a program, by a number that only tells it from others of the same database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The file of the prelude, whose functions every file has as builtins.
    pub const PRELUDE: FileId = FileId(u32::MAX);
}

/// An item of a file, or of the prelude, by what stays the same while it is edited and moved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemKey {
    /// Its kind.
    pub kind: ItemKind,
    /// Its name.
    pub name: Arc<str>,
    /// The number of items of that kind and name that stand before it.
    pub nth: u32,
    /// The file that it stands in.
    pub file: FileId,
}

impl ItemKey {
    /// Returns true if the item is one of the prelude.
    pub fn in_prelude(&self) -> bool {
        self.file == FileId::PRELUDE
    }
}
