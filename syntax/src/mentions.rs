//! The words of an item that may stand for other items, by its tokens alone.
//!
//! Who asks that of all items of a long file has no time to parse them. So these are a few too many: a parameter is a word as any other. Words
//! behind a dot stand for members, and that behind the keyword of an item is its own name.

use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::{Lexed, lex};

/// The words of an item's text that may stand for items, sorted, each once.
pub fn mentions(text: &str) -> Vec<&str> {
    let tokens = lex(text, Lexed::default());
    let mut words = Vec::new();
    let mut before = NEWLINE;
    for (n, &kind) in tokens.kinds.iter().enumerate().filter(|(_, kind)| !kind.is_trivia()) {
        if kind == IDENT && !is_own(before) {
            words.push(tokens.text(text, n));
        }
        before = kind;
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Says whether the name behind a token is one that the item gives, or a member's.
fn is_own(before: SyntaxKind) -> bool {
    matches!(before, DOT | KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_may_stand_for_items() {
        let text =
            "## by `g`\n@simd\nfn f(a: P[n], n):  # see h\n    return g(a[N].x) +\n        a.f + 'c' + \"text\"\n";
        assert_eq!(mentions(text), ["N", "P", "a", "g", "n", "simd"]);
    }
}
