//! Text to tree: the package that knows the grammar of Lane, and nothing of its meaning.
//!
//! In reading order:
//!
//! - [`kinds`]: every kind of token and node, in one table
//! - [`lexer`]: text to tokens that tile it
//! - `quoted`: what characters and texts in quotes say
//! - [`items`]: a file's text to the texts of its items, by column 0 alone
//! - [`mentions`]: the words of an item that may stand for others
//! - [`layout`]: the ends of statements, and the starts and ends of blocks
//! - [`parser`]: one item's text to its lossless tree and its errors
//! - [`errors`]: every syntax error's code, words and fixes
//! - [`file`](mod@file): the trees of all items side by side
//! - [`ast`]: typed views of the tree
//! - [`format`](mod@format): the canonical form of spaces and line breaks
//! - [`text`]: offsets to lines and columns, and back
//!
//! Invariants: parsing never fails; the tree's text is the text, for any text; an item's tree and errors depend on that item's
//! text alone.
//!
//! This package knows nothing of salsa, files, protocols or meaning.

pub mod ast;
pub mod errors;
mod file;
pub mod format;
mod items;
mod kinds;
mod layout;
mod lexer;
mod mentions;
mod parser;
mod quoted;
pub mod text;

pub use file::{FileItem, SourceFile, join};
pub use items::{ItemCut, Recut, cut, recut, root_kind};
pub use kinds::{Lane, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxNodePtr, SyntaxToken};
pub use layout::width;
pub use mentions::mentions;
pub use parser::{ItemParse, MAX_ELIFS, parse_item};
pub use report::{Diagnostic, Fix, ItemKind, Related, Severity, TextEdit, apply_edits};
pub use rowan::SyntaxKind as RawKind;
pub use rowan::{
    GreenNode, GreenNodeData, GreenToken, GreenTokenData, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent,
};
