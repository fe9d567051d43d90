//! The tree of Lane, for what an editor asks of the text alone.

pub use syntax::errors::SyntaxCode;
pub use syntax::format::{format_edits, format_range};
pub use syntax::{
    ItemCut, SourceFile, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TokenAtOffset, ast, cut, parse_item, text,
    width,
};
