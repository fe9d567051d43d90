//! The cut: splits the text of a file into the texts of its items, by column 0 alone.
//!
//! A line that starts in column 0 with anything but a comment, white space or a closing bracket starts an item. `@` and `##`
//! lines belong to the item line that follows them. All lines behind an item line, up to the next start, belong to the item; the
//! lines before the first are the *preamble*.
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
//! The cut needs no parsing, so errors in one item never affect another, and it costs about as much as finding the line breaks.
//! Every later stage works on the text of one item at a time, with offsets relative to the item; an edit in one item leaves the
//! texts of all others equal, wherever they moved. So after an edit in a long text only the lines around it are looked at
//! again: see [`recut`].

use report::ItemKind;

use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::{is_doc, is_odd_space};

/// Kind of the root node of an item's tree.
pub fn root_kind(kind: ItemKind) -> SyntaxKind {
    match kind {
        ItemKind::Preamble => PREAMBLE,
        ItemKind::Kernel => KERNEL,
        ItemKind::Fn => FN,
        ItemKind::Struct => STRUCT,
        ItemKind::Enum => ENUM,
        ItemKind::Const => CONST,
        ItemKind::Use => USE,
        ItemKind::Stray => STRAY,
    }
}

/// An item of the cut: its kind, name and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemCut<'t> {
    /// Kind of the item, from the first word of its line.
    pub kind: ItemKind,
    /// Name after the keyword; empty when there is none.
    pub name: &'t str,
    /// Byte offset of the item's text in the file.
    pub start: usize,
    /// Text of the item, including the white space and comments that follow it.
    pub text: &'t str,
}

impl ItemCut<'_> {
    /// Returns true if the item has a line of its own, not just attributes or documentation at the end of the file.
    pub(crate) fn has_line(&self) -> bool {
        self.kind != ItemKind::Stray || Starts::of(self.text).any(|start| start.line.is_some())
    }
}

/// Cuts a file into items. Their texts joined are the file; only an empty file has none.
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

/// The cut of a text that was cut before an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recut<'t> {
    /// The number of items at the start that are the same and stand in the same place.
    pub n_front: usize,
    /// The items between.
    pub between: Vec<ItemCut<'t>>,
    /// The number of items at the end that are the same, wherever they stand now.
    pub n_back: usize,
}

/// Cuts `text`, which is like `before` but for a part. Those were cut into items that start at `starts`.
///
/// A start depends on the line that it is in and on those above up to the start before it. So the items that end well before the first
/// difference stay; and from a start on that was one before, behind the last difference, all stay.
pub fn recut<'t>(before: &str, starts: &[usize], text: &'t str) -> Recut<'t> {
    let n_same = common_start(before.as_bytes(), text.as_bytes());
    let n_same_at_end = common_end(&before.as_bytes()[n_same..], &text.as_bytes()[n_same..]);
    // The item with the difference is cut anew, and two before it: each is longer than all that tells whether a line is a start.
    let n_front = starts.partition_point(|&start| start <= n_same).saturating_sub(3);
    let from_top = Recut { n_front: 0, between: Vec::new(), n_back: 0 };
    let Some(&from) = starts.get(n_front).filter(|_| n_front > 0) else {
        return Recut { between: cut(text), ..from_top };
    };
    let was_at = |start: usize| (start + before.len()).checked_sub(text.len());
    let mut between = Vec::new();
    let mut ongoing: Option<Start> = None;
    for at in (Starts { text, next: Some(from) }) {
        if let Some(Start { start, line }) = ongoing.take() {
            between.push(item(text, start, line, at.start));
        }
        let is_behind = at.start >= text.len() - n_same_at_end;
        let known = was_at(at.start).filter(|_| is_behind).and_then(|start| starts.binary_search(&start).ok());
        // The first one may be the preamble, which is no item elsewhere.
        if let Some(known) = known.filter(|&known| known > n_front) {
            return Recut { n_front, between, n_back: starts.len() - known };
        }
        ongoing = Some(at);
    }
    if let Some(Start { start, line }) = ongoing {
        between.push(item(text, start, line, text.len()));
    }
    Recut { n_front, between, n_back: 0 }
}

/// Number of bytes that are compared at once.
const CHUNK: usize = 1 << 12;

fn common_start(a: &[u8], b: &[u8]) -> usize {
    let n_chunks = a.chunks(CHUNK).zip(b.chunks(CHUNK)).take_while(|(a, b)| a == b).count();
    let from = (n_chunks * CHUNK).min(a.len()).min(b.len());
    from + a[from..].iter().zip(&b[from..]).take_while(|(a, b)| a == b).count()
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    let n_chunks = a.rchunks(CHUNK).zip(b.rchunks(CHUNK)).take_while(|(a, b)| a == b).count();
    let n_same = (n_chunks * CHUNK).min(a.len()).min(b.len());
    let (a, b) = (&a[..a.len() - n_same], &b[..b.len() - n_same]);
    n_same + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn item(text: &str, start: usize, line: Option<usize>, end: usize) -> ItemCut<'_> {
    let (kind, name) = match line {
        Some(line) => head(&text[line..end]),
        // Only the preamble, and `@` or `##` lines at the end of a file, have no item line.
        None if start == 0 && !matches!(Line::of(strip_bom(&text[..end])), Line::Annotation) => {
            (ItemKind::Preamble, "")
        }
        None => (ItemKind::Stray, ""),
    };
    ItemCut { kind, name, start, text: &text[start..end] }
}

/// Kind and name of the item whose line `text` starts with.
fn head(text: &str) -> (ItemKind, &str) {
    let (word, rest) = split_word(text);
    let rest_of_line = rest.trim_start_matches([' ', '\t']);
    // No word of the language: a name may be `use`, and a line with a statement in column 0 says something else behind it.
    if word == "use" && rest_of_line.len() < rest.len() && rest_of_line.starts_with(starts_path) {
        return (ItemKind::Use, split_word(rest_of_line).0);
    }
    let kind = match SyntaxKind::from_keyword(word) {
        Some(KERNEL_KW) => ItemKind::Kernel,
        Some(FN_KW) => ItemKind::Fn,
        Some(STRUCT_KW) => ItemKind::Struct,
        Some(CONST_KW) => ItemKind::Const,
        None if word == "enum" && starts_name(rest) => ItemKind::Enum,
        _ => return (ItemKind::Stray, ""),
    };
    (kind, split_word(rest_of_line).0)
}

/// Says whether the path of a `use` starts with a character; one in quotes is told how to be written.
fn starts_path(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '.' | '"' | '\'')
}

/// Says whether a name follows, behind spaces: `enum` is a word like any other elsewhere.
fn starts_name(rest: &str) -> bool {
    let name = rest.trim_start_matches([' ', '\t']);
    name.len() < rest.len() && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

fn strip_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Role of a line in the cut.
enum Line {
    /// Continues the item above it.
    Continues,
    /// An attribute or a doc comment, which belongs to the item below.
    Annotation,
    /// Starts an item, or is the item line after annotations.
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

/// Start of an item, and start of its line; the two differ when annotations precede the line.
struct Start {
    start: usize,
    line: Option<usize>,
}

/// Iterator over the starts of all items, in order.
struct Starts<'t> {
    text: &'t str,
    /// Offset of the next line to examine.
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

/// Offset of the line after the one that contains `at`.
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

    #[test]
    fn a_cut_after_an_edit_is_that_of_the_text() {
        let pieces =
            ["", "\n", "\r", "x", " ", "#", "##", "@", ")", "\u{feff}", "é", "\u{2028}", "kernel b():\n", "\n\nfn c"];
        let lines = [
            "kernel a(n):\n",
            "    pass\n",
            "\n",
            "## Doc.\n",
            "# note\n",
            "@simd\r\n",
            "const C = 1\n",
            "x = 1\r",
            ")\n",
        ];
        let mut random = fastrand::Rng::with_seed(26);
        let mut n_kept = 0;
        for _ in 0..300 {
            let mut before: String = (0..random.usize(..40)).map(|_| lines[random.usize(..lines.len())]).collect();
            for _ in 0..40 {
                let places: Vec<_> = before.char_indices().map(|(at, _)| at).chain([before.len()]).collect();
                let from = random.usize(..places.len());
                let to = (from + random.usize(..6)).min(places.len() - 1);
                let mut text = before.clone();
                text.replace_range(places[from]..places[to], pieces[random.usize(..pieces.len())]);
                let cuts = cut(&before);
                let starts: Vec<_> = cuts.iter().map(|cut| cut.start).collect();
                let Recut { n_front, between, n_back } = recut(&before, &starts, &text);
                n_kept += n_front + n_back;
                let by = text.len() as isize - before.len() as isize;
                let moved = |cut: &ItemCut<'_>| {
                    let start = cut.start.strict_add_signed(by);
                    (cut.kind, cut.name.to_owned(), start, cut.text.to_owned())
                };
                let own = |cut: &ItemCut<'_>| (cut.kind, cut.name.to_owned(), cut.start, cut.text.to_owned());
                let now = cuts[..n_front].iter().map(own).chain(between.iter().map(own));
                let now: Vec<_> = now.chain(cuts[cuts.len() - n_back..].iter().map(moved)).collect();
                assert_eq!(now, cut(&text).iter().map(own).collect::<Vec<_>>(), "{before:?} became {text:?}");
                before = text;
            }
        }
        assert!(n_kept > 40_000, "{n_kept} items were taken over");
    }

    #[test]
    fn an_edit_in_a_long_text_has_few_items_cut_again() {
        let before: String = (0..1000).map(|n| format!("kernel k{n}():\n    pass\n\n")).collect();
        let starts: Vec<_> = cut(&before).iter().map(|cut| cut.start).collect();
        let text = before.replacen("k500():\n", "k500():\n\n", 1);
        let Recut { n_front, between, n_back } = recut(&before, &starts, &text);
        assert_eq!((n_front, between.len(), n_back), (498, 3, 499));
    }
}
