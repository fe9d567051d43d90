//! Text to tree: the room of Lanescope that knows what Lane looks like, and nothing of what it means.
//!
//! In reading order:
//!
//! - [`kinds`]: every kind of token and node, in one table
//! - [`lexer`]: text to tokens that tile it
//! - [`items`]: a file's text to the texts of its items, by column 0 alone
//! - [`layout`]: where statements end, and where blocks open and close
//! - [`parser`]: one item's text to its lossless tree and its errors
//! - [`errors`]: every syntax error's code, words and fixes
//! - [`file`](mod@file): the trees of all items side by side
//! - [`ast`]: typed views of the tree
//! - [`format`](mod@format): the one way a text is spaced and broken into lines
//! - [`text`]: offsets to lines and columns, and back
//!
//! What holds throughout: parsing never fails; the tree's text is the text, for any text; an item's tree
//! and errors depend on that item's text alone.
//!
//! This room knows nothing of salsa, files, protocols or meaning.

pub mod ast;
pub mod errors;
mod file;
pub mod format;
mod items;
mod kinds;
mod layout;
mod lexer;
mod parser;
pub mod text;

pub use file::{FileItem, SourceFile, join};
pub use items::{ItemCut, cut, root_kind};
pub use kinds::{Lane, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxNodePtr, SyntaxToken};
pub use layout::width;
pub use parser::{ItemParse, MAX_ELIFS, parse_item};
pub use report::{Diagnostic, Fix, ItemKind, Related, Severity, TextEdit, apply_edits};
pub use rowan::SyntaxKind as RawKind;
pub use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize, TokenAtOffset, WalkEvent};
