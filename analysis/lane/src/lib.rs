//! The surface Lane: everything that knows its tree.
//!
//! Behind this module nothing knows which surface a program was written in. A second surface stands beside it and provides
//! the same door, which `queries::surface` alone goes through:
//!
//! | asked for | Lane answers by |
//! |---|---|
//! | the items of a text | [`cut`], [`recut`] |
//! | an item's lossless tree and syntax errors | [`parse_item`] |
//! | the tree without what means nothing, in whose text all places are | [`densify`](dense::densify) |
//! | the way from those places to the text and back | [`Dense`] |
//! | the words of an item that may stand for others | [`mentions`], [`for_each_name`] |
//! | the text of a place, as a person writes it | [`written`] |
//! | HIR with its source map, and findings about names | [`lower`](lower::lower), which asks [`Names`](hir::Names) |
//! | a finding as a diagnostic with edits of the text | [`render`](render::render) |
//! | rewrites of what lanes pay for | [`Rewrites`] |
//! | the tree as lines, the first stage | [`outline`](outline::outline) |
//! | the builtins that are written in a surface | [`prelude`] |
//!
//! The features that an editor asks of the text alone (folding, selection, the colours of words, formatting, what is being
//! typed) read the tree itself, through [`tree`]; a second surface provides those features for its own.
//!
//! - [`dense`]: the tree without white space and comments, and the way back
//! - [`words`]: names and the text of places
//! - [`lower`]: the dense tree to HIR
//! - [`render`]: findings to diagnostics, intents to edits
//! - [`rewrites`]: the fixes of notes
//! - [`outline`]: the tree as lines
//! - [`prelude`]: the builtins that are written in Lane
//! - [`libraries`]: files written in Lane that others use by name
//! - [`sums`]: sums one after the other as sums beside each other
//! - [`tree`]: the tree itself
//! - [`whole_arrays`]: loops over cells as assignments to whole parts of arrays, and back
//!
//! This room knows nothing of queries, of Lane IR, or of what an editor asks.

pub mod dense;
pub mod libraries;
pub mod lower;
pub mod outline;
pub mod prelude;
pub mod render;
pub mod rewrites;
pub mod sums;
pub mod tree;
pub mod whole_arrays;
pub mod words;

pub use dense::Dense;
pub use rewrites::{Rewrites, Rewritten};
pub use syntax::text::{ColumnUnit, LineIndex};
pub use syntax::{GreenNode as Tree, ItemCut, ItemParse, Recut, cut, mentions, parse_item, recut};
pub use words::{for_each_name, use_line, used_paths, written};

#[cfg(test)]
mod tests {
    #[test]
    fn no_finding_has_the_code_of_a_syntax_error() {
        for &code in hir::errors::CheckCode::ALL {
            assert_eq!(syntax::errors::SyntaxCode::of(code), None);
        }
    }
}
