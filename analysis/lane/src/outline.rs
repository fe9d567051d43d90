//! An item's tree as lines: one node or token a line.
//!
//! A node around a single token shares its line, and a token whose text says its kind stands for itself.

use report::TextRange;
use syntax::{GreenNode, SyntaxElement, SyntaxKind, SyntaxNode};

/// A line of the tree.
pub struct Entry {
    /// The number of nodes around it.
    pub depth: usize,
    /// The kind of the entry, with the text of a token.
    pub label: String,
    /// The place in the item's text.
    pub range: TextRange,
}

/// The entries of a tree, in order. A loop over the tree instead of recursion: trees are as deep as the parser allows,
/// which is no reason to need that much stack once more.
pub fn outline(tree: &GreenNode) -> Vec<Entry> {
    let root = SyntaxNode::new_root(tree.clone());
    let mut entries = Vec::new();
    let mut waiting = vec![(0, SyntaxElement::from(root))];
    while let Some((depth, element)) = waiting.pop() {
        let range = element.text_range();
        let label = match &element {
            SyntaxElement::Token(token) => token_label(token.kind(), token.text()),
            SyntaxElement::Node(node) => {
                let mut shown: Vec<_> = node.children_with_tokens().filter(is_shown).collect();
                match shown.as_slice() {
                    [SyntaxElement::Token(only)] => {
                        format!("{:?} {}", node.kind(), token_label(only.kind(), only.text()))
                    }
                    _ => {
                        waiting.extend(shown.drain(..).rev().map(|child| (depth + 1, child)));
                        format!("{:?}", node.kind())
                    }
                }
            }
        };
        entries.push(Entry { depth, label, range });
    }
    entries
}

fn is_shown(element: &SyntaxElement) -> bool {
    !matches!(element.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE)
}

fn token_label(kind: SyntaxKind, text: &str) -> String {
    match kind.text() {
        Some(text) => text.to_owned(),
        None => format!("{kind:?} {text:?}"),
    }
}
