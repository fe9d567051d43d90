//! The dense tree: an item's tree without white space, comments and line breaks, and the way back.
//!
//! Everything that is derived from an item is derived from its dense tree, and every place in what is
//! derived is a range of the dense text. An edit of white space or a comment changes neither, so nothing
//! behind the parse runs again; only at the edge, where a place is shown, [`Dense`] turns it into a range of the
//! text as it is now.
//!
//! ```text
//! text         out[ i ] = 1   # one
//! dense text   out[i]=1
//! ```

use report::{TextRange, TextSize};
use syntax::{GreenNode, GreenNodeData, GreenToken, GreenTokenData, NodeOrToken, SyntaxKind};

/// The tree without the tokens that mean nothing. The parts that have none are the very ones of the tree.
pub fn densify(green: &GreenNode) -> GreenNode {
    without_nothing(green).unwrap_or_else(|| green.clone())
}

/// The tree without the tokens that mean nothing; `None` if it has none.
fn without_nothing(green: &GreenNodeData) -> Option<GreenNode> {
    let mut kept: Option<Vec<NodeOrToken<GreenNode, GreenToken>>> = None;
    for (n, child) in green.children().enumerate() {
        let new = match child {
            NodeOrToken::Node(node) => without_nothing(node).map(|node| Some(NodeOrToken::Node(node))),
            NodeOrToken::Token(token) => means_nothing(token.kind()).then_some(None),
        };
        if new.is_some() && kept.is_none() {
            kept = Some(green.children().take(n).map(owned).collect());
        }
        let Some(kept) = &mut kept else { continue };
        kept.extend(new.unwrap_or_else(|| Some(owned(child))));
    }
    kept.map(|kept| GreenNode::new(green.kind(), kept))
}

fn owned(child: NodeOrToken<&GreenNodeData, &GreenTokenData>) -> NodeOrToken<GreenNode, GreenToken> {
    match child {
        NodeOrToken::Node(node) => NodeOrToken::Node(node.to_owned()),
        NodeOrToken::Token(token) => NodeOrToken::Token(token.to_owned()),
    }
}

fn means_nothing(kind: syntax::RawKind) -> bool {
    SyntaxKind::from_raw(kind).is_between()
}

/// The positions in the text of the tokens of the dense text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dense {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    dense: TextSize,
    text: TextSize,
    len: TextSize,
}

impl Dense {
    /// Finds the places of an item's tokens.
    pub fn new(green: &GreenNode) -> Dense {
        let mut dense = Dense::default();
        dense.add(green, &mut (TextSize::new(0), TextSize::new(0)));
        dense
    }

    /// Adds the tokens of a node that starts at these places of the dense text and of the text, and moves both behind it.
    fn add(&mut self, green: &GreenNodeData, at: &mut (TextSize, TextSize)) {
        for child in green.children() {
            let token = match child {
                NodeOrToken::Node(node) => {
                    self.add(node, at);
                    continue;
                }
                NodeOrToken::Token(token) => token,
            };
            let len = TextSize::of(token.text());
            if !means_nothing(token.kind()) {
                self.tokens.push(Token { dense: at.0, text: at.1, len });
                at.0 += len;
            }
            at.1 += len;
        }
    }

    /// The range of the text that a range of the dense text stands for: from the start of its first token to
    /// the end of its last. An empty range is the place behind the token before it.
    pub fn to_text(&self, range: TextRange) -> TextRange {
        let end = self.end(range.end());
        if range.is_empty() {
            return TextRange::empty(end);
        }
        let first = self.tokens.partition_point(|token| token.dense + token.len <= range.start());
        let start = self.tokens.get(first).map_or(end, |token| token.text + (range.start() - token.dense));
        TextRange::new(start, end.max(start))
    }

    fn end(&self, end: TextSize) -> TextSize {
        let last = self.tokens.partition_point(|token| token.dense < end);
        match last.checked_sub(1).map(|last| self.tokens[last]) {
            Some(token) => token.text + (end - token.dense).min(token.len),
            None => self.tokens.first().map_or(TextSize::new(0), |token| token.text),
        }
    }

    /// The place in the dense text of an offset into the text, if a token is there or ends there.
    pub fn from_text(&self, offset: TextSize) -> Option<TextSize> {
        let last = self.tokens.partition_point(|token| token.text <= offset).checked_sub(1)?;
        let token = self.tokens[last];
        (offset <= token.text + token.len).then(|| token.dense + (offset - token.text))
    }
}

#[cfg(test)]
mod tests {
    use report::ItemKind;
    use syntax::{SyntaxNode, parse_item};

    use super::*;

    #[test]
    fn places_go_there_and_back_over_white_space_and_comments() {
        let text = "kernel k(a):  # first\n    # second\n    a[ 0 ] = 1   # third\n";
        let green = parse_item(ItemKind::Kernel, text).green;
        let dense_text = SyntaxNode::new_root(densify(&green)).text().to_string();
        assert_eq!(dense_text, "kernelk(a):a[0]=1");
        let dense = Dense::new(&green);
        let assigned = TextSize::of("kernelk(a):");
        let range = dense.to_text(TextRange::new(assigned, TextSize::of("kernelk(a):a[0]=1")));
        assert_eq!(&text[range], "a[ 0 ] = 1");
        assert_eq!(dense.from_text(range.start()), Some(assigned));
        assert_eq!(dense.from_text(TextSize::of("kernel k(a):  # ")), None);
        assert_eq!(&text[..usize::from(dense.to_text(TextRange::empty(assigned)).end())], "kernel k(a):");
    }

    #[test]
    fn an_edit_of_white_space_leaves_the_dense_tree_equal() {
        let before = parse_item(ItemKind::Kernel, "kernel k(a):\n    a[0]=1\n").green;
        let after = parse_item(ItemKind::Kernel, "kernel  k( a ):   # note\n\n  a[0] = 1").green;
        assert_ne!(before, after);
        assert_eq!(densify(&before), densify(&after));
    }
}
