//! The steps by which a selection grows: from the token under the cursor to the whole file.
//!
//! The steps are the units that a person names: a name, an expression, the text between two brackets, the lines of a
//! comment, a statement, a block, an item, the item with its documentation and attributes, the file. White space, and
//! comments behind a unit, are no part of it.

use lane::tree::{SyntaxKind, SyntaxNode};
use report::{TextRange, TextSize};

use super::Located;
use super::folding::comment_runs;
use super::symbols::trimmed;
use queries::db::File;

/// The ranges around a place, innermost first; each holds the one before it and is longer.
pub fn selection(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextRange> {
    let whole = TextRange::up_to(TextSize::of(&**file.text(db)));
    let mut steps = Steps { start: TextSize::new(0), offset, ranges: Vec::new() };
    if let Some(located) = Located::at(db, file, offset.min(whole.end())) {
        steps.start = located.start;
        let node = match located.token(offset.min(whole.end())) {
            Some(token) => {
                if !matches!(token.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE) {
                    steps.add(token.text_range());
                }
                if matches!(token.kind(), SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT) {
                    comment_runs(&located.root).into_iter().for_each(|run| steps.add(run));
                }
                token.parent()
            }
            None => Some(located.root.clone()),
        };
        for node in node.into_iter().flat_map(|node| node.ancestors()) {
            steps.node(&node, &located.root);
        }
    }
    steps.start = TextSize::new(0);
    steps.add(whole);
    steps.ranges
}

struct Steps {
    /// The offset that is added to every range: the start of the text that the ranges are relative to.
    start: TextSize,
    offset: TextSize,
    ranges: Vec<TextRange>,
}

impl Steps {
    /// Adds a range if it holds the place and what there is, and more.
    fn add(&mut self, range: TextRange) {
        let range = range + self.start;
        let grows = self.ranges.last().is_none_or(|last| range.contains_range(*last) && range != *last);
        if grows && range.contains_inclusive(self.offset) {
            self.ranges.push(range);
        }
    }

    fn node(&mut self, node: &SyntaxNode, root: &SyntaxNode) {
        self.between_brackets(node);
        if node == root {
            self.add(without_annotations(root));
        }
        self.add(trimmed(node));
    }

    fn between_brackets(&mut self, list: &SyntaxNode) {
        let mut tokens = list.children_with_tokens().filter_map(|part| part.into_token());
        let open = tokens.find(|token| token.kind().is_opening());
        let close = tokens.find(|token| token.kind().is_closing());
        let (Some(open), Some(close)) = (open, close) else { return };
        let mut first = open.next_token();
        while let Some(token) = first.as_ref().filter(|token| token.kind().is_between()) {
            first = token.next_token();
        }
        let mut last = close.prev_token();
        while let Some(token) = last.as_ref().filter(|token| token.kind().is_between()) {
            last = token.prev_token();
        }
        let (Some(first), Some(last)) = (first, last) else { return };
        let (start, end) = (first.text_range().start(), last.text_range().end());
        if start < end {
            self.add(TextRange::new(start, end));
        }
    }
}

/// An item from its keyword on.
fn without_annotations(root: &SyntaxNode) -> TextRange {
    let whole = trimmed(root);
    let annotates = |kind: SyntaxKind| kind.is_between() || kind == SyntaxKind::ATTR;
    let first = root.children_with_tokens().find(|part| !annotates(part.kind()));
    first.map_or(whole, |first| TextRange::new(first.text_range().start(), whole.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let ranges = selection(&fixture.db, fixture.file, fixture.offset());
        let shown: String = ranges.iter().map(|&range| format!("{:?}\n", &fixture.text[range])).collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn from_a_name_to_the_file() {
        check(
            "const N = 1\n## Doubles.\n@simd\nkernel k(a, n):\n    # all\n    for i in range(n):\n        a[i] = min(2 * a$0[i], 1)  # twice\n    pass\n\n# end\n",
            expect![[r###"
                "a"
                "a[i]"
                "2 * a[i]"
                "2 * a[i], 1"
                "(2 * a[i], 1)"
                "min(2 * a[i], 1)"
                "a[i] = min(2 * a[i], 1)"
                "for i in range(n):\n        a[i] = min(2 * a[i], 1)"
                "# all\n    for i in range(n):\n        a[i] = min(2 * a[i], 1)  # twice\n    pass"
                "kernel k(a, n):\n    # all\n    for i in range(n):\n        a[i] = min(2 * a[i], 1)  # twice\n    pass"
                "## Doubles.\n@simd\nkernel k(a, n):\n    # all\n    for i in range(n):\n        a[i] = min(2 * a[i], 1)  # twice\n    pass"
                "const N = 1\n## Doubles.\n@simd\nkernel k(a, n):\n    # all\n    for i in range(n):\n        a[i] = min(2 * a[i], 1)  # twice\n    pass\n\n# end\n"
            "###]],
        );
    }

    #[test]
    fn what_stands_between_brackets_is_a_step() {
        check(
            "fn f(x, $0y: f32[ 2 ]): return x\n",
            expect![[r#"
            "y"
            "y: f32[ 2 ]"
            "x, y: f32[ 2 ]"
            "(x, y: f32[ 2 ])"
            "fn f(x, y: f32[ 2 ]): return x"
            "fn f(x, y: f32[ 2 ]): return x\n"
        "#]],
        );
    }

    #[test]
    fn white_space_belongs_to_what_is_around_it() {
        check(
            "kernel k(a):\n    a[0] = 1\n  $0\n    a[1] = 2\n",
            expect![[r#"
            "a[0] = 1\n  \n    a[1] = 2"
            "kernel k(a):\n    a[0] = 1\n  \n    a[1] = 2"
            "kernel k(a):\n    a[0] = 1\n  \n    a[1] = 2\n"
        "#]],
        );
        check(
            "kernel k(a):\n    a[0] =$0  1\n",
            expect![[r#"
            "="
            "a[0] =  1"
            "kernel k(a):\n    a[0] =  1"
            "kernel k(a):\n    a[0] =  1\n"
        "#]],
        );
    }

    #[test]
    fn comments_are_selected_by_themselves() {
        check(
            "kernel k(a):\n    a[0] = 1  # the fi$0rst\n    a[1] = 2\n",
            expect![[r##"
            "# the first"
            "a[0] = 1  # the first\n    a[1] = 2"
            "kernel k(a):\n    a[0] = 1  # the first\n    a[1] = 2"
            "kernel k(a):\n    a[0] = 1  # the first\n    a[1] = 2\n"
        "##]],
        );
        check(
            "kernel k(a):\n    # one\n    # t$0wo\n\n    # three\n    a[1] = 2\n",
            expect![[r##"
                "# two"
                "# one\n    # two"
                "# one\n    # two\n\n    # three\n    a[1] = 2"
                "kernel k(a):\n    # one\n    # two\n\n    # three\n    a[1] = 2"
                "kernel k(a):\n    # one\n    # two\n\n    # three\n    a[1] = 2\n"
            "##]],
        );
        check(
            "# pre$0amble\n\nkernel k(a):\n    pass\n",
            expect![[r##"
            "# preamble"
            "# preamble\n\nkernel k(a):\n    pass\n"
        "##]],
        );
    }

    #[test]
    fn an_empty_file_and_broken_text() {
        check(
            "$0",
            expect![[r#"
            ""
        "#]],
        );
        check(
            "kernel k(a:\n    a[$0\n",
            expect![[r#"
                "["
                "a["
                "kernel k(a:\n    a["
                "kernel k(a:\n    a[\n"
            "#]],
        );
    }
}
