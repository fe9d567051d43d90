//! The header of a loop in a tree, dense or not.

use syntax::{SyntaxKind, SyntaxNode, TextRange};

/// The header of the loop statement that a place is in, from its keyword up to its colon: the place may be anything in the
/// header, or the whole statement. A loop that is no statement has none.
pub(crate) fn header_around(root: &SyntaxNode, at: TextRange) -> Option<TextRange> {
    let is_loop = |node: &SyntaxNode| {
        matches!(node.kind(), SyntaxKind::FOR_STMT | SyntaxKind::FOREACH_STMT | SyntaxKind::WHILE_STMT)
    };
    let around = root.covering_element(at.intersect(root.text_range())?);
    let statement = around.ancestors().find(is_loop)?;
    // What stands in the body belongs to another loop.
    let body = statement.children().find(|child| child.kind() == SyntaxKind::BLOCK);
    if body.is_some_and(|body| body.text_range().contains_range(at)) {
        return None;
    }
    let own = || statement.children_with_tokens();
    // Its word, which may be misspelled, stands behind what is above it.
    let is_above = |kind: SyntaxKind| kind.is_between() || kind == SyntaxKind::ATTR;
    let start = own().find(|part| !is_above(part.kind()))?.text_range().start();
    let end = own().take_while(|part| part.kind() != SyntaxKind::COLON && part.kind() != SyntaxKind::BLOCK);
    let end = end.filter(|part| !part.kind().is_between()).last()?.text_range().end();
    Some(TextRange::new(start, end))
}
