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
    /// Any other line in column 0.
    Stray,
}

impl ItemKind {
    /// Says whether items of this kind are types.
    pub fn is_type(self) -> bool {
        matches!(self, ItemKind::Struct | ItemKind::Enum)
    }
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
    /// True if the item is one of the prelude.
    pub in_prelude: bool,
}
