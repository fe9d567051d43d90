//! The ranges that an editor can fold: bodies, lists over several lines, runs of comments, and the lines between `#
//! region` and `# endregion`.
//!
//! A range starts where the line that stays visible ends, behind the colon or the opening bracket, and ends with the
//! last thing that it hides. A range on one line would hide nothing and is left out.

use std::cmp::Reverse;

use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{TextRange, TextSize};

use super::Located;
use queries::db::{File, Item, cut_file};

/// A range that can be folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldRange {
    /// The text that is hidden.
    pub range: TextRange,
    /// The kind of text that is hidden, for editors that fold all of one kind.
    pub kind: FoldKind,
}

/// The kind of text that a fold hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// The body of a kernel, function or struct.
    Item,
    /// A block of statements, or what stands between brackets.
    Block,
    /// A run of comments on lines of their own.
    Comment,
    /// The lines between `# region` and `# endregion`.
    Region,
}

/// All folds of a file, by where they start.
pub fn folding(db: &dyn salsa::Database, file: File) -> Vec<FoldRange> {
    let cut = cut_file(db, file);
    let of_items = cut.items.iter().zip(&cut.starts).flat_map(|(&item, &start)| {
        db.unwind_if_revision_cancelled();
        item_folding(db, item, start)
    });
    let mut folds: Vec<_> = of_items.chain(region_folding(db, file)).collect();
    folds.sort_by_key(by_start);
    folds
}

/// The folds inside of an item that starts at `start`, by where they start.
pub fn item_folding(db: &dyn salsa::Database, item: Item<'_>, start: TextSize) -> Vec<FoldRange> {
    let text = item.text(db);
    let mut folds = item_folds(&Located::new(db, item, start).root);
    folds.retain(|fold| text[fold.range].contains(['\n', '\r']));
    let markers = markers(text);
    // Comments that mark something do not fold by themselves: it would be to hide the mark.
    let marks = |fold: &FoldRange| markers.iter().any(|(line, _)| fold.range.contains_range(*line));
    folds.retain(|fold| fold.kind != FoldKind::Comment || !marks(fold));
    folds.sort_by_key(by_start);
    folds.iter_mut().for_each(|fold| fold.range += start);
    folds
}

/// The regions of a file, which may reach over several items.
pub fn region_folding(db: &dyn salsa::Database, file: File) -> Vec<FoldRange> {
    let mut folds = regions(&markers(file.text(db)));
    folds.retain(|fold| file.text(db)[fold.range].contains(['\n', '\r']));
    folds
}

fn by_start(fold: &FoldRange) -> (TextSize, Reverse<TextSize>) {
    (fold.range.start(), Reverse(fold.range.end()))
}

/// The comments that start (`true`) and end regions, without their indentation. There are no texts over several lines, so that
/// a line that starts like a comment is one; lines of documentation mark nothing.
fn markers(text: &str) -> Vec<(TextRange, bool)> {
    if !text.contains("region") {
        return Vec::new();
    }
    let mut at = TextSize::new(0);
    let lines = text.split_inclusive(['\n', '\r']).filter_map(|line| {
        let indentation = TextSize::of(&line[..line.len() - line.trim_start().len()]);
        let range = TextRange::at(at + indentation, TextSize::of(line.trim()));
        at += TextSize::of(line);
        let words = line.trim_start().strip_prefix('#')?.trim_start();
        let word = words.split(|c: char| !c.is_alphanumeric()).next()?;
        matches!(word, "region" | "endregion").then_some((range, word == "region"))
    });
    lines.collect()
}

/// The regions between markers; a marker without its other marks nothing.
fn regions(markers: &[(TextRange, bool)]) -> Vec<FoldRange> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    for &(line, starts) in markers {
        if starts {
            open.push(line);
        } else if let Some(start) = open.pop() {
            found.push(FoldRange { range: TextRange::new(start.end(), line.end()), kind: FoldKind::Region });
        }
    }
    found
}

fn item_folds(root: &SyntaxNode) -> Vec<FoldRange> {
    let mut folds = Vec::new();
    for node in root.descendants() {
        let range = match node.kind() {
            SyntaxKind::BLOCK => block(&node),
            SyntaxKind::PARAM_LIST
            | SyntaxKind::ARG_LIST
            | SyntaxKind::INDEX_LIST
            | SyntaxKind::SIZE_LIST
            | SyntaxKind::ATTR_ARGS
            | SyntaxKind::ARRAY_EXPR
            | SyntaxKind::PAREN_EXPR => list(&node),
            _ => None,
        };
        let of_item = node.kind() == SyntaxKind::BLOCK && node.parent().as_ref() == Some(root);
        let kind = if of_item { FoldKind::Item } else { FoldKind::Block };
        folds.extend(range.map(|range| FoldRange { range, kind }));
    }
    let of_comments = |range| FoldRange { range, kind: FoldKind::Comment };
    folds.extend(comment_runs(root).into_iter().map(of_comments));
    folds
}

/// From the end of a block's header to the block's last token.
fn block(block: &SyntaxNode) -> Option<TextRange> {
    let mut header = block.first_token()?.prev_token();
    while let Some(token) = header.as_ref().filter(|token| token.kind().is_between()) {
        header = token.prev_token();
    }
    let end = last_shown(block)?.text_range().end();
    let start = header?.text_range().end();
    (start <= end).then(|| TextRange::new(start, end))
}

/// A node's last token that is no white space; a comment is one.
fn last_shown(node: &SyntaxNode) -> Option<SyntaxToken> {
    let mut last = node.last_token()?;
    while matches!(last.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE) {
        last = last.prev_token()?;
    }
    (last.text_range().start() >= node.text_range().start()).then_some(last)
}

/// Returns the range between the brackets of a list.
fn list(list: &SyntaxNode) -> Option<TextRange> {
    let bracket = |wanted: fn(SyntaxKind) -> bool| {
        let mut tokens = list.children_with_tokens().filter_map(|part| part.into_token());
        tokens.find(|token| wanted(token.kind()))
    };
    let open = bracket(SyntaxKind::is_opening)?;
    let close = bracket(SyntaxKind::is_closing)?;
    Some(TextRange::new(open.text_range().end(), close.text_range().start()))
}

/// Comments of one kind that stand alone on lines without a gap: each run of them, in order.
pub(super) fn comment_runs(root: &SyntaxNode) -> Vec<TextRange> {
    let mut runs = Vec::new();
    let mut run: Option<(SyntaxKind, TextRange)> = None;
    // The number of line breaks between the last comment, or token, and here. It starts at one: an item starts a line.
    let mut n_breaks = 1;
    for token in root.descendants_with_tokens().filter_map(|element| element.into_token()) {
        match token.kind() {
            SyntaxKind::NEWLINE => n_breaks += 1,
            SyntaxKind::WHITESPACE => {}
            kind @ (SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT) if n_breaks > 0 => {
                match &mut run {
                    Some((of, range)) if *of == kind && n_breaks == 1 => *range = range.cover(token.text_range()),
                    run => {
                        let next = (kind, token.text_range());
                        runs.extend(run.replace(next).map(|(_, range)| range));
                    }
                }
                n_breaks = 0;
            }
            _ => {
                runs.extend(run.take().map(|(_, range)| range));
                n_breaks = 0;
            }
        }
    }
    runs.extend(run.map(|(_, range)| range));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let folds = folding(&fixture.db, fixture.file);
        let shown = folds.iter().map(|fold| format!("{:?} {:?}\n", fold.kind, &fixture.text[fold.range]));
        expected.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn bodies_fold_behind_their_colons() {
        check(
            "kernel k(a, n):\n    for i in range(n):\n        a[i] = 1  # one\n        # last\n    if n > 1:\n        a[0] = 2\n    else:\n        a[0] = 3\n\nstruct P:\n    x: f32\n",
            expect![[r#"
                Item "\n    for i in range(n):\n        a[i] = 1  # one\n        # last\n    if n > 1:\n        a[0] = 2\n    else:\n        a[0] = 3"
                Block "\n        a[i] = 1  # one\n        # last"
                Block "\n        a[0] = 2"
                Block "\n        a[0] = 3"
                Item "\n    x: f32"
            "#]],
        );
    }

    #[test]
    fn lists_over_lines_fold_between_their_brackets() {
        check(
            "kernel k(\n    a,\n    n,\n):\n    a[0] = min(\n        n,\n        2)\n",
            expect![[r#"
            Block "\n    a,\n    n,\n"
            Item "\n    a[0] = min(\n        n,\n        2)"
            Block "\n        n,\n        2"
        "#]],
        );
    }

    #[test]
    fn what_is_on_one_line_stays() {
        check("kernel k(a, n): pass\nfn f(x): return x\nconst N = (1)\n# one comment\n", expect![""]);
    }

    #[test]
    fn comments_fold_in_runs() {
        check(
            "# a\n# b\n\n# c\n## d\n## e\nkernel k(n):\n    # f\n    # g\n    x = n  # h\n    # i\n    # j\n\n    # k\n    pass\n# l\n# m\n",
            expect![[r###"
                Comment "# a\n# b"
                Comment "## d\n## e"
                Item "\n    # f\n    # g\n    x = n  # h\n    # i\n    # j\n\n    # k\n    pass"
                Comment "# f\n    # g"
                Comment "# i\n    # j"
                Comment "# l\n# m"
            "###]],
        );
    }

    #[test]
    fn regions_fold_from_mark_to_mark() {
        check(
            "# region Filters\n\nfn f(x): return x\n\nkernel k(a):\n    # region\n    a[0] = 1\n    #endregion\n    a[1] = 1\n\n# endregion Filters\n# other\n# region regional\n",
            expect![[r#"
                Region "\n\nfn f(x): return x\n\nkernel k(a):\n    # region\n    a[0] = 1\n    #endregion\n    a[1] = 1\n\n# endregion Filters"
                Item "\n    # region\n    a[0] = 1\n    #endregion\n    a[1] = 1"
                Region "\n    a[0] = 1\n    #endregion"
            "#]],
        );
        // Without the other mark, or in documentation, or as the start of another word, it marks nothing.
        check("# endregion\nkernel k(a): pass\n# region\n## region\n# regional\nkernel l(a): pass\n", expect![[""]]);
    }

    #[test]
    fn half_typed_text_folds_where_it_can() {
        check(
            "kernel k(a,\n    for i in range(n)\n        a[i] = (\n",
            expect![[r#"
                Item "\n        a[i] = ("
            "#]],
        );
    }

    #[test]
    fn line_breaks_of_all_kinds() {
        check(
            "kernel k(n):\r\n    # a\r\n    # b\r\n    pass\r\n",
            expect![[r##"
            Item "\r\n    # a\r\n    # b\r\n    pass"
            Comment "# a\r\n    # b"
        "##]],
        );
    }
}
