//! Answers for editors and the explorer: plain questions about a place in a file, plain data in return.
//!
//! Places are offsets into the file's text as it is now. Every answer is computed from the queries of the item that the
//! place is in (and of those it names), and is data: no protocol's types, no formatting for a screen.
//!
//! - [`symbol`]: the thing that the name at a place stands for
//! - [`visible`](mod@visible): the names in scope at a place
//!
//! Features, one file each, stand on that:
//!
//! - [`explain`](mod@explain): the facts about lanes, for people and scripts
//! - [`hover`](mod@hover): the facts about the thing under the cursor
//! - [`signature_help`](mod@signature_help): the parameters of a call, while it is typed
//! - [`definition`](mod@definition): the definition of a name, or of its type
//! - [`references`](mod@references): the places that name something, and the use that each makes of it
//! - [`highlights`](mod@highlights): the same places for the eye, and the ways out of a loop
//! - [`rename`](mod@rename): another name, unless that would change the program's meaning
//! - [`completion`](mod@completion): the text that could be typed at a place
//! - [`symbols`]: the outline of a file, and the search for names in many
//! - [`folding`](mod@folding): the ranges that can be folded
//! - [`selection`](mod@selection): the steps by which a selection grows
//! - [`semantic_tokens`](mod@semantic_tokens): the kind of each word and mark
//! - [`stage_hover`]: the words of Lane IR, explained where they stand in a view
//! - [`hints`]: the types that a text leaves out, and the edits that write them
//! - [`fixes`](mod@fixes): the ways out of findings, each tried on a copy
//! - [`whole_arrays`](mod@whole_arrays): a loop over cells as whole arrays, and back
//! - [`variants`]: a kernel for other targets, with other lanes and attributes
//! - [`faster`]: changes of a kernel that may make it faster, for whoever can measure
//! - [`calls`]: the callers and the callees of a function
//! - [`graph`](mod@graph): the statements of a loop, and what they need of each other
//! - [`iterations`](mod@iterations): the iterations of a nest, their dependences, and the order of a stage
//! - [`links`](mod@links): the links in comments
//! - [`formatting`]: the one canonical form, also of what has just been typed
//!
//! [`ispc`] has the answers about ISPC's files, as far as their text and names tell.

pub mod calls;
pub mod completion;
pub mod definition;
pub mod explain;
pub mod faster;
pub mod fixes;
pub mod folding;
pub mod formatting;
pub mod graph;
pub mod highlights;
pub mod hints;
pub mod hover;
pub mod ispc;
pub mod iterations;
pub mod links;
pub mod references;
pub mod rename;
pub mod selection;
pub mod semantic_tokens;
pub mod signature_help;
pub mod stage_hover;
pub mod symbol;
pub mod symbols;
pub mod variants;
pub mod visible;
pub mod whole_arrays;
mod wording;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod templates;

use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken, TokenAtOffset};
use report::{TextRange, TextSize};

use queries::db::{File, Item, cut_file, dense_map, parse};

pub use symbol::{Symbol, symbol_at};
pub use wording::shape_in_words;

/// The item that a place is in, and where the item starts.
pub fn item_at<'db>(db: &'db dyn salsa::Database, file: File, offset: TextSize) -> Option<(Item<'db>, TextSize)> {
    let cut = cut_file(db, file);
    let n = cut.starts.partition_point(|&start| start <= offset).checked_sub(1)?;
    Some((cut.items[n], cut.starts[n]))
}

/// The loop that a place is in, the innermost: all of its statement.
pub fn loop_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<TextRange> {
    let located = Located::at(db, file, offset)?;
    let is_loop = |node: &SyntaxNode| {
        matches!(node.kind(), SyntaxKind::FOR_STMT | SyntaxKind::FOREACH_STMT | SyntaxKind::WHILE_STMT)
    };
    let found = located.token(offset)?.parent_ancestors().find(is_loop)?;
    Some(found.text_range() + located.start)
}

/// An item with what is needed to go from its text to its dense text and back.
pub struct Located<'db> {
    /// The item that the tree belongs to.
    pub item: Item<'db>,
    /// The offset of the item in its file.
    pub start: TextSize,
    /// The lossless tree of the item; ranges are relative to its start.
    pub root: SyntaxNode,
}

impl<'db> Located<'db> {
    /// The item that a place of a file is in.
    pub fn at(db: &'db dyn salsa::Database, file: File, offset: TextSize) -> Option<Located<'db>> {
        let (item, start) = item_at(db, file, offset)?;
        Some(Located::new(db, item, start))
    }

    /// An item of which is known where it starts.
    pub fn new(db: &'db dyn salsa::Database, item: Item<'db>, start: TextSize) -> Located<'db> {
        Located { item, start, root: SyntaxNode::new_root(parse(db, item).green.clone()) }
    }

    /// The range of the file for a range of the item's dense text.
    pub fn range(&self, db: &'db dyn salsa::Database, dense: TextRange) -> TextRange {
        dense_map(db, self.item).to_text(dense) + self.start
    }

    /// The range of the dense text for a token.
    pub fn dense(&self, db: &'db dyn salsa::Database, token: &SyntaxToken) -> Option<TextRange> {
        let start = dense_map(db, self.item).from_text(token.text_range().start())?;
        Some(TextRange::at(start, token.text_range().len()))
    }

    /// The token at a place of the file; between two, the name or number of the two.
    pub fn token(&self, offset: TextSize) -> Option<SyntaxToken> {
        match self.root.token_at_offset(offset.checked_sub(self.start)?) {
            TokenAtOffset::None => None,
            TokenAtOffset::Single(token) => Some(token),
            TokenAtOffset::Between(left, right) => Some(if rank(&right) >= rank(&left) { right } else { left }),
        }
    }
}

/// Ranks a token as the target of a cursor that stands between two tokens: names first, white space last.
fn rank(token: &SyntaxToken) -> u32 {
    match token.kind() {
        SyntaxKind::IDENT => 4,
        SyntaxKind::INT | SyntaxKind::FLOAT | SyntaxKind::TEXT => 3,
        kind if kind.is_keyword() => 3,
        kind if kind.is_punctuation() => 2,
        kind if kind.is_between() => 0,
        _ => 1,
    }
}
