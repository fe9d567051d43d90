//! A whole file: the trees of its items side by side.

use std::sync::Arc;

use report::{Diagnostic, ItemKind};
use rowan::{GreenNode, NodeOrToken, TextSize};

use crate::items::{ItemCut, cut};
use crate::kinds::{SyntaxKind, SyntaxNode};
use crate::parser::{ItemParse, ParseBuffers};

/// A parsed file, as the list of its items.
#[derive(Debug, Clone, Default)]
pub struct SourceFile {
    items: Vec<FileItem>,
}

/// An item, with its position in the file.
#[derive(Debug, Clone)]
pub struct FileItem {
    /// Kind of the item, from the first word of its line.
    pub kind: ItemKind,
    /// Offset of the item's text in the file.
    pub start: TextSize,
    /// Tree and errors of the item, relative to its start.
    pub parse: Arc<ItemParse>,
    text: Arc<str>,
}

impl SourceFile {
    /// Parses a file from scratch.
    pub fn parse(text: &str) -> SourceFile {
        SourceFile::default().with_text(text)
    }

    /// Parses a new text of the file; items whose text is unchanged keep their trees. The result equals that of a parse from
    /// scratch, since the tree of an item depends on its text alone.
    pub fn with_text(&self, text: &str) -> SourceFile {
        let change = self.change(text);
        let shift =
            |item: &FileItem| FileItem { start: TextSize::of(text) - (self.text_len() - item.start), ..item.clone() };
        let mut buffers = ParseBuffers::default();
        let mut items = self.items[..change.n_front].to_vec();
        let old = &self.items[change.n_front..self.items.len() - change.n_back];
        items.extend(replace(old, change.start, &change.cuts, &mut buffers));
        items.extend(self.items[self.items.len() - change.n_back..].iter().map(shift));
        SourceFile { items }
    }

    /// Finds the part of the text that has to be cut again.
    ///
    /// The end of an item is known only by the line that starts the next, so the last unchanged item in front of the edit is cut
    /// again, and so is the first one behind.
    fn change<'t>(&self, text: &'t str) -> Change<'t> {
        let bytes = text.as_bytes();
        let old_len = usize::from(self.text_len());
        let n_same = self.items.iter().take_while(|item| item.stands_at(bytes, item.start.into())).count();
        if n_same == self.items.len() && text.len() == old_len {
            return Change { n_front: n_same, n_back: 0, start: text.len(), cuts: Vec::new() };
        }
        // The last item of the old text may continue in the new text, even on its last line; the items before it may not.
        let n_front = n_same.min(self.items.len().saturating_sub(1)).saturating_sub(1);
        let start = self.items.get(n_front).map_or(0, |item| item.start.into());
        let place = |item: &FileItem| (text.len() + usize::from(item.start)).checked_sub(old_len);
        let stands = |item: &&FileItem| place(item).is_some_and(|at| at >= start && item.stands_at(bytes, at));
        let n_same = self.items[n_front..].iter().rev().take_while(stands).count();
        let mut n_back = n_same.saturating_sub(1);
        loop {
            let end = self.items[self.items.len() - n_back..].first().and_then(place).unwrap_or(text.len());
            let cuts = cut(&text[start..end]);
            // Attributes at the end would belong to the next item.
            if n_back == 0 || cuts.last().is_some_and(|last| last.has_line()) {
                return Change { n_front, n_back, start, cuts };
            }
            n_back = 0;
        }
    }

    fn text_len(&self) -> TextSize {
        self.items.last().map_or(TextSize::new(0), |item| item.start + TextSize::of(&*item.text))
    }

    /// The items, in the order of the text.
    pub fn items(&self) -> &[FileItem] {
        &self.items
    }

    /// All errors, sorted by position, relative to the file.
    pub fn errors(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.items.iter().flat_map(|item| item.parse.errors.iter().map(|error| error.clone().shifted(item.start)))
    }

    /// Tree of the whole file.
    pub fn syntax(&self) -> SyntaxNode {
        join(self.items.iter().map(|item| item.parse.green.clone()))
    }
}

/// Joins the trees of items to the tree of the whole file.
pub fn join<I>(items: I) -> SyntaxNode
where
    I: IntoIterator<Item = GreenNode>,
    I::IntoIter: ExactSizeIterator,
{
    let children = items.into_iter().map(NodeOrToken::Node);
    SyntaxNode::new_root(GreenNode::new(SyntaxKind::SOURCE_FILE.into(), children))
}

impl FileItem {
    /// Returns true if `text` has the item's text at `place`.
    fn stands_at(&self, text: &[u8], place: usize) -> bool {
        text.get(place..).is_some_and(|rest| rest.starts_with(self.text.as_bytes()))
    }
}

/// Result of comparing two texts: the items that stay, and the cut of the text between them.
struct Change<'t> {
    n_front: usize,
    n_back: usize,
    /// Offset of the text of `cuts`.
    start: usize,
    cuts: Vec<ItemCut<'t>>,
}

/// Builds items from `cuts`, in place of `old`. Items with equal text, counted from either end, keep their trees.
fn replace(old: &[FileItem], start: usize, cuts: &[ItemCut<'_>], buffers: &mut ParseBuffers) -> Vec<FileItem> {
    let same = |old: &FileItem, new: &ItemCut<'_>| old.kind == new.kind && *old.text == *new.text;
    let n_front = old.iter().zip(cuts).take_while(|(old, new)| same(old, new)).count();
    let (old_rest, new_rest) = (&old[n_front..], &cuts[n_front..]);
    let n_back = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| same(old, new)).count();
    let item = |(n, cut): (usize, &ItemCut<'_>)| {
        let behind = cuts.len() - n;
        let kept = if n < n_front {
            old.get(n)
        } else {
            old.len().checked_sub(behind).filter(|_| behind <= n_back).map(|n| &old[n])
        };
        let start = TextSize::new((start + cut.start) as u32);
        match kept {
            Some(kept) => FileItem { start, ..kept.clone() },
            None => {
                let parse = Arc::new(buffers.parse_item(cut.kind, cut.text));
                FileItem { kind: cut.kind, start, parse, text: cut.text.into() }
            }
        }
    };
    cuts.iter().enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_an_error_only_where_it_marks_nothing() {
        let codes = |text| SourceFile::parse(text).errors().map(|error| error.code.name()).collect::<Vec<_>>();
        assert!(codes("\u{feff}## Doc.\nkernel a():\n    pass\n").is_empty());
        assert!(codes("kernel a():\n    pass\n\u{feff}# comment\n").contains(&"look-alike"));
    }

    #[test]
    fn a_line_of_strange_characters_needs_no_line_break_behind_it() {
        let codes = |text| SourceFile::parse(text).errors().map(|error| error.code.name()).collect::<Vec<_>>();
        assert_eq!(codes(" \0"), codes(" \0\n"));
        assert_eq!(codes("@:{ \u{1}"), codes("@:{ \u{1}\n"));
        assert_eq!(codes(" @ \u{1}"), codes(" @ \u{1}\n"));
        assert_eq!(codes("\u{feff}]"), codes("]"));
    }
}
