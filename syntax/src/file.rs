//! A whole file: the trees of its items side by side.

use std::sync::Arc;

use rowan::{GreenNode, NodeOrToken, TextSize};

use crate::diagnostic::Diagnostic;
use crate::items::{ItemKind, cut};
use crate::kinds::{SyntaxKind, SyntaxNode};
use crate::parser::{ItemParse, parse_item};

/// A file's items, parsed.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    items: Vec<FileItem>,
}

/// An item, and where it stands in its file.
#[derive(Debug, Clone)]
pub struct FileItem {
    /// What its line starts with.
    pub kind: ItemKind,
    /// Where its text starts in the file.
    pub start: TextSize,
    /// Its tree and errors, relative to its start.
    pub parse: Arc<ItemParse>,
    text: Arc<str>,
}

impl SourceFile {
    /// Parses a file.
    pub fn parse(text: &str) -> SourceFile {
        SourceFile::default().with_text(text)
    }

    /// The file with a new text; items whose text is as before keep their trees. The result is that of a parse
    /// from scratch, since an item's tree depends on its text alone.
    pub fn with_text(&self, text: &str) -> SourceFile {
        let cuts = cut(text);
        let same = |old: &FileItem, new: &crate::ItemCut<'_>| old.kind == new.kind && *old.text == *new.text;
        let n_front = self.items.iter().zip(&cuts).take_while(|(old, new)| same(old, new)).count();
        let n_back = self.items[n_front..]
            .iter()
            .rev()
            .zip(cuts[n_front..].iter().rev())
            .take_while(|(old, new)| same(old, new))
            .count();
        let (n_old, n_new) = (self.items.len(), cuts.len());
        let items = cuts.iter().enumerate().map(|(n, cut)| {
            let start = TextSize::new(cut.start as u32);
            let old = if n < n_front {
                Some(&self.items[n])
            } else if n >= n_new - n_back {
                Some(&self.items[n_old - (n_new - n)])
            } else {
                None
            };
            match old {
                Some(old) => FileItem { start, ..old.clone() },
                None => FileItem {
                    kind: cut.kind,
                    start,
                    parse: Arc::new(parse_item(cut.kind, cut.text)),
                    text: cut.text.into(),
                },
            }
        });
        SourceFile { items: items.collect() }
    }

    /// The items, in order.
    pub fn items(&self) -> &[FileItem] {
        &self.items
    }

    /// All errors, by place, relative to the file.
    pub fn errors(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.items.iter().flat_map(|item| item.parse.errors.iter().map(|error| error.clone().shifted(item.start)))
    }

    /// The whole file's tree.
    pub fn syntax(&self) -> SyntaxNode {
        join(self.items.iter().map(|item| item.parse.green.clone()))
    }
}

/// A whole file's tree, of the trees of its items.
pub fn join<I>(items: I) -> SyntaxNode
where
    I: IntoIterator<Item = GreenNode>,
    I::IntoIter: ExactSizeIterator,
{
    let children = items.into_iter().map(NodeOrToken::Node);
    SyntaxNode::new_root(GreenNode::new(SyntaxKind::SOURCE_FILE.into(), children))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_an_error_only_where_it_marks_nothing() {
        let codes = |text| SourceFile::parse(text).errors().map(|error| error.code).collect::<Vec<_>>();
        assert!(codes("\u{feff}## Doc.\nkernel a():\n    pass\n").is_empty());
        assert!(codes("kernel a():\n    pass\n\u{feff}# comment\n").contains(&"look-alike"));
    }

    #[test]
    fn a_line_of_strange_characters_needs_no_line_break_behind_it() {
        let codes = |text| SourceFile::parse(text).errors().map(|error| error.code).collect::<Vec<_>>();
        assert_eq!(codes(" \0"), codes(" \0\n"));
        assert_eq!(codes("@:{ \u{1}"), codes("@:{ \u{1}\n"));
        assert_eq!(codes(" @ \u{1}"), codes(" @ \u{1}\n"));
        assert_eq!(codes("\u{feff}]"), codes("]"));
    }
}
