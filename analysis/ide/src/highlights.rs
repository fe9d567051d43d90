//! The places to mark in a file when the cursor rests on something: the other places of a name, or the ways out of a
//! loop.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{TextRange, TextSize};

use super::Located;
use super::references::{ReferenceKind, references_to};
use super::symbol::{Symbol, symbol_of_token};
use hir::LocalKind;
use queries::db::File;

/// A place to mark. Neither read nor written: a word that belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    /// The range to mark.
    pub range: TextRange,
    /// A value is taken there.
    pub reads: bool,
    /// A value is set there.
    pub writes: bool,
}

/// The places of the file that belong to what is at a place, in order.
pub fn highlights(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<Highlight> {
    let Some(located) = Located::at(db, file, offset) else { return Vec::new() };
    let Some(token) = located.token(offset) else { return Vec::new() };
    match symbol_of_token(db, &located, &token) {
        Some(symbol) => names(db, file, &symbol),
        None => flow(&located, &token),
    }
}

fn names(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> Vec<Highlight> {
    let gets_value = gets_value(db, file, symbol);
    let highlight = |reference: super::references::Reference| {
        let (reads, writes) = match reference.kind {
            ReferenceKind::Definition => (false, gets_value),
            ReferenceKind::Read => (true, false),
            ReferenceKind::Write => (false, true),
            ReferenceKind::Update => (true, true),
            ReferenceKind::Call | ReferenceKind::Type => (false, false),
        };
        Highlight { range: reference.range, reads, writes }
    };
    references_to(db, file, symbol).into_iter().map(highlight).collect()
}

/// Tells if the definition sets a value, as that of a variable does and that of a function does not.
fn gets_value(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> bool {
    let Symbol::Local(key, local) = symbol else { return false };
    let Some(item) = queries::item_of(db, file, key) else { return false };
    matches!(
        queries::body(db, item).locals[*local].kind,
        LocalKind::Let | LocalKind::Assigned | LocalKind::Element | LocalKind::ForIndex | LocalKind::ForeachIndex
    )
}

/// On a word that starts or leaves a loop, a kernel or a function: that word, and all ways out.
fn flow(located: &Located<'_>, token: &SyntaxToken) -> Vec<Highlight> {
    let Some(node) = token.parent() else { return Vec::new() };
    let around = match token.kind() {
        SyntaxKind::BREAK_KW | SyntaxKind::CONTINUE_KW => node.ancestors().find(is_loop),
        SyntaxKind::RETURN_KW => Some(located.root.clone()),
        kind if starts(kind) => Some(node),
        _ => None,
    };
    let Some(around) = around else { return Vec::new() };
    let words = around.descendants_with_tokens().filter_map(|element| element.into_token());
    let words = words.filter(|word| {
        let start = word.parent().as_ref() == Some(&around) && starts(word.kind());
        start || leaves(word, &around)
    });
    let highlight =
        |word: SyntaxToken| Highlight { range: word.text_range() + located.start, reads: false, writes: false };
    words.map(highlight).collect()
}

fn is_loop(node: &SyntaxNode) -> bool {
    matches!(node.kind(), SyntaxKind::FOR_STMT | SyntaxKind::FOREACH_STMT | SyntaxKind::WHILE_STMT)
}

/// A word that a loop, a kernel or a function starts with.
fn starts(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::FOR_KW
            | SyntaxKind::CFOR_KW
            | SyntaxKind::FOREACH_KW
            | SyntaxKind::WHILE_KW
            | SyntaxKind::CWHILE_KW
            | SyntaxKind::KERNEL_KW
            | SyntaxKind::FN_KW
    )
}

/// Tells if a word leaves, or ends an iteration of, the loop or function `around`.
fn leaves(word: &SyntaxToken, around: &SyntaxNode) -> bool {
    match word.kind() {
        SyntaxKind::RETURN_KW => true,
        SyntaxKind::BREAK_KW | SyntaxKind::CONTINUE_KW => {
            !ast::Item::can_cast(around.kind()) && word.parent_ancestors().find(is_loop).as_ref() == Some(around)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let found = highlights(&fixture.db, fixture.file, fixture.offset());
        let word = |found: &Highlight| match (found.reads, found.writes) {
            (true, true) => "rw",
            (true, false) => "r",
            (false, true) => "w",
            (false, false) => "",
        };
        expected.assert_eq(&fixture.marked(found.iter().map(|found| (found.range, word(found)))));
    }

    const LOOPS: &str = "\
kernel k(a, n):
    for i in range(n):
        while a[i] > 0:
            if a[i] > 9:
                break
            if a[i] > 8:
                continue
            a[i] -= 1
        if a[i] < 0:
            continue
        if a[i] < -1:
            return
    return
";

    fn check_at(word: &str, nth: usize, expected: Expect) {
        let (at, _) = LOOPS.match_indices(word).nth(nth).expect("the word is there");
        check(&format!("{}$0{}", &LOOPS[..at], &LOOPS[at..]), expected);
    }

    #[test]
    fn reads_and_writes() {
        check(
            "kernel k(a):\n    x = 1.0\n    x += a[0]\n    $0x = x * 2\n    a[1] = x\n",
            expect![[r#"
            kernel k(a):
                «w:x» = 1.0
                «rw:x» += a[0]
                «w:x» = «r:x» * 2
                a[1] = «r:x»
        "#]],
        );
    }

    #[test]
    fn an_element_that_is_set_writes_the_array() {
        check(
            "kernel k($0a, b, n):\n    for i in range(n):\n        a[i] = a[i] + b[i]\n",
            expect![[r#"
            kernel k(«a», b, n):
                for i in range(n):
                    «w:a»[i] = «r:a»[i] + b[i]
        "#]],
        );
    }

    #[test]
    fn a_function_is_neither() {
        check(
            "fn $0f(x):\n    return x\nkernel k(a):\n    a[0] = f(1)\n",
            expect![[r#"
            fn «f»(x):
                return x
            kernel k(a):
                a[0] = «f»(1)
        "#]],
        );
    }

    #[test]
    fn a_loop_and_its_ways_out() {
        check_at(
            "for",
            0,
            expect![[r#"
            kernel k(a, n):
                «for» i in range(n):
                    while a[i] > 0:
                        if a[i] > 9:
                            break
                        if a[i] > 8:
                            continue
                        a[i] -= 1
                    if a[i] < 0:
                        «continue»
                    if a[i] < -1:
                        «return»
                return
        "#]],
        );
    }

    #[test]
    fn an_inner_loop_and_its_ways_out() {
        check_at(
            "while",
            0,
            expect![[r#"
            kernel k(a, n):
                for i in range(n):
                    «while» a[i] > 0:
                        if a[i] > 9:
                            «break»
                        if a[i] > 8:
                            «continue»
                        a[i] -= 1
                    if a[i] < 0:
                        continue
                    if a[i] < -1:
                        return
                return
        "#]],
        );
    }

    #[test]
    fn a_break_leads_to_its_loop() {
        check_at(
            "break",
            0,
            expect![[r#"
            kernel k(a, n):
                for i in range(n):
                    «while» a[i] > 0:
                        if a[i] > 9:
                            «break»
                        if a[i] > 8:
                            «continue»
                        a[i] -= 1
                    if a[i] < 0:
                        continue
                    if a[i] < -1:
                        return
                return
        "#]],
        );
    }

    #[test]
    fn a_continue_leads_to_its_loop() {
        check_at(
            "continue",
            1,
            expect![[r#"
            kernel k(a, n):
                «for» i in range(n):
                    while a[i] > 0:
                        if a[i] > 9:
                            break
                        if a[i] > 8:
                            continue
                        a[i] -= 1
                    if a[i] < 0:
                        «continue»
                    if a[i] < -1:
                        «return»
                return
        "#]],
        );
    }

    #[test]
    fn a_return_leads_to_the_kernel() {
        check_at(
            "return",
            0,
            expect![[r#"
            «kernel» k(a, n):
                for i in range(n):
                    while a[i] > 0:
                        if a[i] > 9:
                            break
                        if a[i] > 8:
                            continue
                        a[i] -= 1
                    if a[i] < 0:
                        continue
                    if a[i] < -1:
                        «return»
                «return»
        "#]],
        );
    }

    #[test]
    fn a_kernel_and_its_returns() {
        check_at(
            "kernel",
            0,
            expect![[r#"
            «kernel» k(a, n):
                for i in range(n):
                    while a[i] > 0:
                        if a[i] > 9:
                            break
                        if a[i] > 8:
                            continue
                        a[i] -= 1
                    if a[i] < 0:
                        continue
                    if a[i] < -1:
                        «return»
                «return»
        "#]],
        );
    }

    #[test]
    fn a_foreach_and_its_continue() {
        check(
            "kernel k(a, n):\n    $0foreach i in range(n):\n        if a[i] > 0:\n            continue\n        a[i] = 0\n",
            expect![[r#"
                kernel k(a, n):
                    «foreach» i in range(n):
                        if a[i] > 0:
                            «continue»
                        a[i] = 0
            "#]],
        );
    }

    #[test]
    fn other_words_and_places_have_none() {
        check(
            "kernel k(a):\n    a[0] $0= 1\n",
            expect![[r#"
            kernel k(a):
                a[0] = 1
        "#]],
        );
        check(
            "kernel k(a):\n    $0pass\n",
            expect![[r#"
            kernel k(a):
                pass
        "#]],
        );
    }
}
