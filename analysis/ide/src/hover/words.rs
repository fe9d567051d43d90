//! Hovers over words of the language of which nothing else is known at their place.

use lane::tree::{SyntaxKind, SyntaxToken};

/// The words, with what they do.
const WORDS: &[(&str, &str)] = &[
    (
        "kernel",
        "A function that is called from outside, from C for instance. What it is given is the same in all lanes.",
    ),
    ("fn", "A helper function: each call of it is inlined, and may have types of its own."),
    ("struct", "A type with named fields: scalars, or other structs."),
    ("enum", "A type whose values are several variants, which may have data."),
    ("const", "A value that is known when the program is built."),
    ("use", "Makes the items of another file, or of a library, known in this one."),
    ("uniform", "A promise: the value is the same in all lanes. It is an error where it is not."),
    ("varying", "A promise: the value may differ from lane to lane. It is an error where it does not."),
    ("let", "Defines a variable, which is known to the end of its block."),
    (
        "for",
        "Repeats a block in order. Its iterations run as lanes where that is proven to keep what the program means.",
    ),
    (
        "foreach",
        "Repeats a block in any order, side by side in lanes. No iteration may access a cell that another one writes.",
    ),
    ("cfor", "A `for` that tests when it runs whether all lanes are on, which saves the masks."),
    ("in", "Stands between a name and what it goes over: `range(n)`, or an array."),
    ("while", "Repeats a block as long as a condition holds."),
    ("cwhile", "A `while` that tests when it runs whether all lanes are on, which saves the masks."),
    ("if", "Runs a block where a condition holds."),
    ("cif", "An `if` that tests when it runs whether all lanes go the same way, which saves the masks."),
    ("elif", "Runs a block where no condition above holds and this one does."),
    ("else", "Stands before what is done, or is the value, where the condition does not hold."),
    ("break", "Leaves the innermost loop."),
    ("continue", "Goes on with the next iteration of the innermost loop."),
    ("return", "Ends the function, with a value if it gives one."),
    ("pass", "Does nothing, where a block needs a statement."),
    ("assert", "Ends the run with an error where the condition does not hold. What it says is used in proofs."),
    ("match", "Chooses by the form of a value: the first case whose pattern takes it is done, and no other."),
    ("case", "A pattern, and what is done for the values that it takes. `_` takes all."),
    (
        "static",
        "Done when the program is built: a `for` is written out, of an `if` one branch remains, an `assert` is checked.",
    ),
    ("and", "True where both sides are; the right one is evaluated only where the left one is true."),
    ("or", "True where one of the sides is; the right one is evaluated only where the left one is false."),
    ("not", "True where what stands behind it is false."),
    ("true", "The `bool` that holds."),
    ("false", "The `bool` that does not hold."),
];

/// Returns the sentence about a word.
pub(super) fn word(token: &SyntaxToken) -> Option<String> {
    let in_name = token.parent().is_some_and(|node| matches!(node.kind(), SyntaxKind::NAME | SyntaxKind::NAME_REF));
    let is_word = token.kind().is_keyword() || token.kind() == SyntaxKind::IDENT && !in_name;
    // In `static for` both words stand for one statement.
    let first = token.parent().and_then(|node| node.first_token()).filter(|first| first.text() == "static");
    let is_statement = matches!(token.kind(), SyntaxKind::FOR_KW | SyntaxKind::IF_KW | SyntaxKind::ASSERT_KW);
    let word = first.filter(|_| is_statement).unwrap_or_else(|| token.clone());
    let (_, words) = WORDS.iter().find(|(known, _)| is_word && *known == word.text())?;
    Some((*words).to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::WORDS;
    use crate::hover::tests::check;

    fn check_word(at: &str, expected: Expect) {
        let text = "\
kernel k(a: f32[n], n: i32):
    static for j in range(2):
        assert n > 2
    match n:
        case 0: pass
        case _:
            let match = a[0]
            a[0] = match
            return
";
        check(&text.replacen(&at.replace("$0", ""), at, 1), expected);
    }

    #[test]
    fn words_that_nothing_else_is_known_of() {
        check_word(
            "ker$0nel k",
            expect![[r#"
            «kernel» k(a: f32[n], n: i32):
            ----
            A function that is called from outside, from C for instance. What it is given is the same in all lanes.
        "#]],
        );
        check_word(
            "sta$0tic for",
            expect![[r#"
                «static» for j in range(2):
                ----
                Done when the program is built: a `for` is written out, of an `if` one branch remains, an `assert` is checked.
            "#]],
        );
        check_word(
            "f$0or j",
            expect![[r#"
                static «for» j in range(2):
                ----
                Done when the program is built: a `for` is written out, of an `if` one branch remains, an `assert` is checked.
            "#]],
        );
        check_word(
            "j i$0n",
            expect![[r#"
            static for j «in» range(2):
            ----
            Stands between a name and what it goes over: `range(n)`, or an array.
        "#]],
        );
        check_word(
            "asse$0rt",
            expect![[r#"
            «assert» n > 2
            ----
            Ends the run with an error where the condition does not hold. What it says is used in proofs.
        "#]],
        );
        check_word(
            "mat$0ch n",
            expect![[r#"
            «match» n:
            ----
            Chooses by the form of a value: the first case whose pattern takes it is done, and no other.
        "#]],
        );
        check_word(
            "ca$0se 0",
            expect![[r#"
            «case» 0: pass
            ----
            A pattern, and what is done for the values that it takes. `_` takes all.
        "#]],
        );
        check_word(
            "let mat$0ch",
            expect![[r#"
            let «match» = a[0]
            ----
            ```lane
            match: f32
            ```
        "#]],
        );
        check_word(
            "re$0turn",
            expect![[r#"
            «return»
            ----
            Ends the function, with a value if it gives one.
        "#]],
        );
    }

    #[test]
    fn each_keyword_has_a_row() {
        let language = include_str!("../../../../docs/language.md");
        let list = language.split_once("```text\nkernel fn").and_then(|(_, rest)| rest.split_once("```"));
        let (keywords, _) = list.expect("the list of keywords");
        let missing: Vec<_> =
            keywords.split_whitespace().filter(|keyword| WORDS.iter().all(|(word, _)| word != keyword)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
