//! The cut: a file's text to the texts of its items, by column 0 alone.
//!
//! A line that starts in column 0 with anything but a comment, white space or a closing bracket
//! starts an item. `@` and `##` lines belong to the item line that follows them. All that follows
//! an item line, up to the next start, is the item's; what stands before the first is the *preamble*.
//!
//! ```text
//! # a comment            preamble
//!
//! ## Doubles.            item 1: kernel `twice`
//! @simd
//! kernel twice(a, n):
//!     for i in range(n):
//! # a comment stays inside
//!         a[i] = 2 * a[i]
//!
//! const N = 4            item 2: const `N`
//! ```
//!
//! The cut needs no parsing, so one item's mistakes never reach another, and it costs about what
//! it costs to find the line breaks. Everything later works on one item's text at a time, with positions
//! that start at the item; an edit in one item leaves the text of all others equal, wherever they moved.

use report::ItemKind;

use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::{is_doc, is_odd_space};

/// The node that the tree of an item of this kind has as its root.
pub fn root_kind(kind: ItemKind) -> SyntaxKind {
    match kind {
        ItemKind::Preamble => PREAMBLE,
        ItemKind::Kernel => KERNEL,
        ItemKind::Fn => FN,
        ItemKind::Struct => STRUCT,
        ItemKind::Const => CONST,
        ItemKind::Stray => STRAY,
    }
}

/// One item's place in a file, and what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemCut<'t> {
    /// What the item's line starts with.
    pub kind: ItemKind,
    /// The name after the keyword; empty when there is none.
    pub name: &'t str,
    /// Where the item's text starts in the file, in bytes.
    pub start: usize,
    /// The item's text: white space and comments that follow it are its own.
    pub text: &'t str,
}

impl ItemCut<'_> {
    /// Whether there is more to the item than attributes and documentation that nothing follows.
    pub(crate) fn has_line(&self) -> bool {
        self.kind != ItemKind::Stray || Starts::of(self.text).any(|start| start.line.is_some())
    }
}

/// Cuts a file into items. The texts joined are the file; only an empty file has none.
pub fn cut(text: &str) -> Vec<ItemCut<'_>> {
    let mut cuts = Vec::new();
    let (mut start, mut line) = (0, None);
    for at in Starts::of(text) {
        if at.start > start {
            cuts.push(item(text, start, line, at.start));
        }
        (start, line) = (at.start, at.line);
    }
    if start < text.len() {
        cuts.push(item(text, start, line, text.len()));
    }
    cuts
}

fn item(text: &str, start: usize, line: Option<usize>, end: usize) -> ItemCut<'_> {
    let (kind, name) = match line {
        Some(line) => head(&text[line..end]),
        // Only the preamble, and `@` or `##` lines that nothing follows, are without an item line.
        None if start == 0 && !matches!(Line::of(strip_bom(&text[..end])), Line::Annotation) => {
            (ItemKind::Preamble, "")
        }
        None => (ItemKind::Stray, ""),
    };
    ItemCut { kind, name, start, text: &text[start..end] }
}

/// The kind and name of the item whose line `text` starts with.
fn head(text: &str) -> (ItemKind, &str) {
    let (word, rest) = split_word(text);
    let kind = match SyntaxKind::from_keyword(word) {
        Some(KERNEL_KW) => ItemKind::Kernel,
        Some(FN_KW) => ItemKind::Fn,
        Some(STRUCT_KW) => ItemKind::Struct,
        Some(CONST_KW) => ItemKind::Const,
        _ => return (ItemKind::Stray, ""),
    };
    (kind, split_word(rest.trim_start_matches([' ', '\t'])).0)
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// What a line means to the cut.
enum Line {
    /// It goes on with the item above it.
    Continues,
    /// An attribute or a doc comment: it belongs to the item below.
    Annotation,
    /// It starts an item, or is the item line after annotations.
    Item,
}

impl Line {
    fn of(line: &str) -> Line {
        match line.as_bytes().first() {
            None | Some(b' ' | b'\t' | 0x0b | 0x0c | b'\n' | b'\r' | b')' | b']' | b'}') => Line::Continues,
            Some(b'#') if is_doc(line) => Line::Annotation,
            Some(b'#') => Line::Continues,
            Some(b'@') => Line::Annotation,
            Some(0x80..) if line.starts_with(is_odd_space) => Line::Continues,
            Some(_) => Line::Item,
        }
    }
}

/// Where an item starts, and where its line is; the two differ when annotations precede the line.
struct Start {
    start: usize,
    line: Option<usize>,
}

/// The starts of all items, in order.
struct Starts<'t> {
    text: &'t str,
    /// The next line to look at.
    next: Option<usize>,
}

impl<'t> Starts<'t> {
    fn of(text: &'t str) -> Self {
        Starts { text, next: Some(text.len() - strip_bom(text).len()) }
    }
}

impl Iterator for Starts<'_> {
    type Item = Start;

    fn next(&mut self) -> Option<Start> {
        let mut annotated = None;
        while let Some(at) = self.next {
            self.next = next_line(self.text, at);
            match Line::of(&self.text[at..]) {
                Line::Continues => {}
                Line::Annotation => annotated = annotated.or(Some(at)),
                Line::Item => return Some(Start { start: annotated.unwrap_or(at), line: Some(at) }),
            }
        }
        annotated.map(|start| Start { start, line: None })
    }
}

/// The start of the line after the one that `at` is in.
fn next_line(text: &str, at: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[at..];
    let end = memchr::memchr2(b'\n', b'\r', bytes)?;
    let len = if bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n') { 2 } else { 1 };
    Some(at + end + len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let cuts = cut(text);
        assert_eq!(cuts.iter().map(|cut| cut.text).collect::<String>(), text);
        let shown: Vec<_> = cuts.iter().map(|cut| format!("{:?} {} {:?}\n", cut.kind, cut.name, cut.text)).collect();
        expected.assert_eq(&shown.concat());
    }

    #[test]
    fn items_start_in_column_0() {
        check(
            "# one\n\nkernel a(x):\n    pass\n\nfn b(y):\n# two\n    pass\nconst C = 1\n",
            expect![[r#####"
                Preamble  "# one\n\n"
                Kernel a "kernel a(x):\n    pass\n\n"
                Fn b "fn b(y):\n# two\n    pass\n"
                Const C "const C = 1\n"
            "#####]],
        );
    }

    #[test]
    fn annotations_belong_to_the_item_below() {
        check(
            "kernel a(x):\n    pass\n## Doc.\n\n# note\n@lanes(\n  8\n)\nkernel b(x):\n    pass\n@simd\n",
            expect![[r#####"
                Kernel a "kernel a(x):\n    pass\n"
                Kernel b "## Doc.\n\n# note\n@lanes(\n  8\n)\nkernel b(x):\n    pass\n"
                Stray  "@simd\n"
            "#####]],
        );
    }

    #[test]
    fn a_closing_bracket_in_column_0_continues() {
        check(
            "kernel a(\n    x,\n):\n    pass\nx = 1\n",
            expect![[r#"
                Kernel a "kernel a(\n    x,\n):\n    pass\n"
                Stray  "x = 1\n"
            "#]],
        );
    }

    #[test]
    fn line_ends_and_marks_of_all_kinds() {
        check(
            "\u{feff}kernel a():\r\n    pass\r\rfn b():",
            expect![[r#"
                Preamble  "\u{feff}"
                Kernel a "kernel a():\r\n    pass\r\r"
                Fn b "fn b():"
            "#]],
        );
        check("", expect![""]);
        check(
            "\u{feff}",
            expect![[r#"
                Preamble  "\u{feff}"
            "#]],
        );
        check(
            "## only a doc",
            expect![[r#####"
                Stray  "## only a doc"
            "#####]],
        );
    }
}
