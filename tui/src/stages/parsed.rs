//! The stage `parsed`: an item's tree, one node or token a line.
//!
//! Positions stand at the left, so that the tree can be read down the right:
//!
//! ```text
//! 1:1-2:9    KERNEL
//! 1:1-1:7      kernel
//! 1:8-1:9      NAME IDENT "a"
//! ```
//!
//! A node around a single token shares its line, a token whose text says its kind stands for itself, and white space
//! and line breaks are left out.

use syntax::{FileItem, SyntaxElement, SyntaxKind, SyntaxNode, TextRange, TextSize};

use crate::document::{Document, Place};
use crate::highlight::visible;
use crate::stages::{StageLine, StageText};

pub(super) fn lower(document: &Document, items: &[&FileItem]) -> StageText {
    let mut entries = Vec::new();
    for item in items {
        collect(SyntaxNode::new_root(item.parse.green.clone()), item.start, &mut entries);
    }
    let places: Vec<_> = entries.iter().map(|entry| format_places(document.places(entry.range))).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let lines = entries.iter().zip(&places).map(|(entry, places)| StageLine {
        text: format!("{places:width$}  {:indent$}{}", "", entry.label, indent = 2 * entry.depth),
        source: Some(entry.range),
    });
    StageText { changed: true, lines: lines.collect() }
}

fn format_places((start, end): (Place, Place)) -> String {
    format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
}

/// A line of the tree.
struct Entry {
    depth: usize,
    label: String,
    range: TextRange,
}

/// The entries of a tree, in order. A loop over the tree instead of recursion: trees are as deep as the parser allows,
/// which is no reason to need that much stack once more.
fn collect(root: SyntaxNode, start: TextSize, entries: &mut Vec<Entry>) {
    let mut waiting = vec![(0, SyntaxElement::from(root))];
    while let Some((depth, element)) = waiting.pop() {
        let range = element.text_range() + start;
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
}

fn is_shown(element: &SyntaxElement) -> bool {
    !matches!(element.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE)
}

fn token_label(kind: SyntaxKind, text: &str) -> String {
    match kind.text() {
        Some(text) => text.to_owned(),
        None => format!("{kind:?} {}", visible(text)),
    }
}
