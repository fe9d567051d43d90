//! All syntax errors, with one constructor function for each, so that its code, message and fixes are in one place.
//!
//! A message says what is wrong and names what was found; the help says what to write instead. Codes are stable, and each has a
//! page in `docs/reasons.md`.
//!
//! - `codes`: the list of codes
//! - `tokens`: characters and numbers
//! - `statements`: statements, and what other languages write instead
//! - here: indentation, brackets, items, names and expressions

mod codes;
mod statements;
mod tokens;

use rowan::TextRange;

use crate::kinds::SyntaxKind;
use report::{Diagnostic, Fix, Severity, TextEdit};

pub use codes::SyntaxCode;
pub(crate) use statements::*;
pub(crate) use tokens::*;

// Indentation.

/// `lines`: the white space at the start of the misindented line and of the lines that belong with it, each with its correct
/// column.
pub(crate) fn inconsistent_indent(found: u32, lines: &[(TextRange, u32)]) -> Diagnostic {
    let (range, block) = lines[0];
    let which = if lines.len() == 1 { "it" } else { "these lines" };
    let mut error = Diagnostic::error(
        SyntaxCode::InconsistentIndent,
        range,
        format!("this line is indented by {found}, which fits no block around it"),
    )
    .with_help("lines of one block start in the same column");
    error.fixes.push(indent(format!("indent {which} by {block}, as the lines above"), lines));
    error
}

/// Builds the fix that gives each line, identified by the white space at its start, a new indentation.
fn indent(title: String, lines: &[(TextRange, u32)]) -> Fix {
    let edits = lines.iter().map(|&(range, column)| TextEdit { range, text: " ".repeat(column as usize) });
    Fix { title, edits: edits.collect() }
}

/// `places`: the white space at the start of each line indented with a tab, and the column where it ends.
pub(crate) fn tab_indent(places: &[(TextRange, u32)]) -> Diagnostic {
    let n_lines = places.len();
    let lines = if n_lines == 1 { "a line is".to_owned() } else { format!("{n_lines} lines are") };
    let mut error = Diagnostic::error(SyntaxCode::TabIndent, places[0].0, format!("{lines} indented with tabs"))
        .with_help("indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces");
    error.fixes.push(indent("indent with spaces".to_owned(), places));
    error
}

pub(crate) fn unexpected_indent(range: TextRange, first_in_item: bool) -> Diagnostic {
    let error = Diagnostic::error(
        SyntaxCode::UnexpectedIndent,
        range,
        "this line is indented deeper than the one above, which opens no block",
    );
    if first_in_item {
        return error.with_help("items (`kernel`, `fn`, `struct`, `enum`, `const`, `use`) start in column 0");
    }
    error.with_help("a block follows a line that ends in `:`; a long expression continues inside brackets")
}

/// `range`: an expression with an indented block below it.
pub(crate) fn block_of_no_header(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::UnexpectedIndent,
        range,
        "this opens no block, yet the lines below are indented deeper",
    )
    .with_help("blocks follow lines such as `if c:`, `else:`, `while c:` and `for i in range(n):`")
}

/// `range`: the statement on the header's line; `gap`: the white space before it; `indentation`: that of the block.
pub(crate) fn block_in_two_places(range: TextRange, gap: TextRange, indentation: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::UnexpectedIndent,
        range,
        "the block starts on this line, yet goes on indented below it",
    )
    .with_help("a block is either one statement on the line of its header, or the indented lines below")
    .with_fix("move it to the block below", gap, format!("\n{indentation}"))
}

/// `lines`: the noun for the block's content, such as "statements".
pub(crate) fn expected_block(place: TextRange, after: &str, lines: &str) -> Diagnostic {
    let nothing = if lines == "statements" { "; `pass` does nothing" } else { "" };
    Diagnostic::error(SyntaxCode::ExpectedBlock, place, format!("expected an indented block after {after}"))
        .with_help(format!("write its {lines} on the lines below, indented{nothing}"))
}

// Brackets.

/// `until`: the last place where the bracket can be closed. `closing`: the closing brackets of it and of those around it.
pub(crate) fn unclosed_bracket(range: TextRange, open: SyntaxKind, until: TextRange, closing: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::UnclosedBracket, range, format!("this {} is never closed", open.describe()))
        .with_related(until, format!("`{closing}` is missing here, or before"))
        .with_fix(format!("write `{closing}`"), until, closing)
}

/// `several`: set if further closing brackets follow directly; `range` includes them.
pub(crate) fn stray_bracket(range: TextRange, kind: SyntaxKind, several: bool) -> Diagnostic {
    let (message, title) = if several {
        ("nothing opens the brackets that these close".to_owned(), "remove them")
    } else {
        (format!("nothing opens the bracket that this {} closes", kind.describe()), "remove it")
    };
    Diagnostic::error(SyntaxCode::StrayBracket, range, message).with_fix(title, range, "")
}

// Items.

/// The words that items start with.
const ITEM_WORDS: &str = "`kernel`, `fn`, `struct`, `enum`, `const` or `use`";

/// `found`: the word in the place of the item keyword; `meant`: the keywords that the words may be meant for, the likeliest first.
pub(crate) fn expected_item(range: TextRange, found: &str, meant: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ExpectedItem, range, format!("expected {ITEM_WORDS}, found {found}"));
    let error = match meant {
        [] => error.with_help("a line in column 0 starts an item; if it belongs to the item above, indent it"),
        [only] => error.with_help(format!("did you mean `{only}`?")),
        _ => error.with_help("a `kernel` is called from outside, a `fn` by kernels"),
    };
    meant.iter().fold(error, |error, meant| error.with_fix(format!("write `{meant}`"), range, *meant))
}

/// A function's header without its keyword, or with a wrong word in its place; `fix` is the replacement of `place`.
pub(crate) fn expected_function(range: TextRange, found: &str, place: TextRange, fix: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedItem, range, format!("expected {ITEM_WORDS}, found {found}"))
        .with_help("a `kernel` is called from outside, a `fn` by kernels")
        .with_fix("write `kernel`", place, fix)
}

/// `constant`: true for the definition of a value, which may be a constant; `is_upper`: true if its name looks like that of one.
pub(crate) fn statement_outside_kernel(range: TextRange, constant: bool, is_upper: bool) -> Diagnostic {
    let error = Diagnostic::error(
        SyntaxCode::StatementOutsideKernel,
        range,
        "a statement stands in column 0, outside of any kernel",
    );
    let place = TextRange::empty(range.start());
    let indented = |error: Diagnostic| error.with_fix("indent it", place, "    ");
    let as_constant = |error: Diagnostic| error.with_fix("write `const`", place, "const ");
    match (constant, is_upper) {
        (true, true) => indented(as_constant(error.with_help("a value of the file is a constant: `const N = 4`"))),
        (true, false) => as_constant(indented(error.with_help(
            "indent it to make it part of the kernel above; a value of the file is a constant: `const n = 4`",
        ))),
        (false, _) => indented(error.with_help("indent it to make it part of the kernel above")),
    }
}

pub(crate) fn nested_item(range: TextRange, keyword: &str) -> Diagnostic {
    let error =
        Diagnostic::error(SyntaxCode::NestedItem, range, format!("a `{keyword}` cannot stand inside another item"));
    match keyword {
        "const" => error.with_help("inside a kernel, `let` names a value").with_fix("write `let`", range, "let"),
        "struct" => error.with_help("items start in column 0"),
        _ => error.with_help("items start in column 0; a lambda (`\\x -> x + 1`) may stand inside"),
    }
}

pub(crate) fn expected_parameters(place: TextRange, keyword: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ExpectedParameters,
        place,
        format!("expected the parameters of this {keyword} in parentheses"),
    )
    .with_help("without parameters, write `()`")
}

pub(crate) fn attribute_without_target(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::AttributeWithoutTarget,
        range,
        "no item or loop follows that this attribute could be about",
    )
    .with_help("attributes stand above an item or a loop")
}

/// A documentation comment at the end of a file: its item may still be typed, so nothing is wrong.
pub(crate) fn documentation_of_nothing(range: TextRange) -> Diagnostic {
    let message = "no item follows that this comment could document";
    let warning = Diagnostic {
        severity: Severity::Warning,
        ..Diagnostic::error(SyntaxCode::AttributeWithoutTarget, range, message)
    };
    warning.with_help("`##` comments document the item below them; `#` starts any other comment")
}

pub(crate) fn attribute_of_field(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::AttributeWithoutTarget, range, "a field has no attributes")
        .with_help("attributes stand above an item or a loop")
}

pub(crate) fn attribute_on_same_line(place: TextRange, indentation: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedEndOfLine, place, "an attribute stands on a line of its own").with_fix(
        "start a new line",
        place,
        format!("\n{indentation}"),
    )
}

/// `text`: the file as it is written, with its quotes.
pub(crate) fn file_in_quotes(range: TextRange, text: &str) -> Diagnostic {
    let path = text.trim_matches(['"', '\'']).trim_end_matches(".lane").trim_start_matches("./");
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let error =
        Diagnostic::error(SyntaxCode::TextLiteral, range, "a file is named without quotes and without its ending");
    if !path.split('/').all(is_name) {
        return error
            .with_help("`use filters` is `filters.lane` beside this file, `use shared.filters` the one in `shared`");
    }
    let path = path.replace('/', ".");
    error.with_fix(format!("write `{path}`"), range, path)
}

// Names and types.

pub(crate) fn expected_name(range: TextRange, of_what: &str, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedName, range, format!("expected {of_what}, found {found}"))
}

/// C's `struct { float x; } P;`.
pub(crate) fn struct_without_name(range: TextRange) -> Diagnostic {
    expected_name(range, "a name after `struct`", "`{`").with_help(
        "a struct is written `struct P:`, with a line such as `x: f32` below it for each field; its name is a type",
    )
}

pub(crate) fn reserved_word(range: TextRange, word: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ReservedWord, range, format!("`{word}` is a reserved word and cannot be a name"))
        .with_fix(format!("write `{word}_`"), range, format!("{word}_"))
}

pub(crate) fn expected_type(range: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedType, range, format!("expected a type, found {found}")).with_help(
        "a type is a scalar (`f32`, `i32`, `bool`, ...), the name of a struct or an enum, or an array of those: `f32[n]`, `f32[n, m]`",
    )
}

pub(crate) fn expected_size(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedExpression, range, "expected the array's size between `[` and `]`")
        .with_help("name it (`f32[n]`), or leave the whole type out to have it inferred")
}

// Expressions.

pub(crate) fn expected_expression(range: TextRange, context: &str, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedExpression, range, format!("expected an expression {context}, found {found}"))
}

pub(crate) fn expected_token(range: TextRange, expected: &str, context: &str, found: &str) -> Diagnostic {
    let context = if context.is_empty() { String::new() } else { format!(" {context}") };
    Diagnostic::error(SyntaxCode::ExpectedToken, range, format!("expected {expected}{context}, found {found}"))
}

pub(crate) fn expected_comma(place: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedComma, place, format!("expected `,` before {found}")).with_fix(
        "write `,`",
        place,
        ",",
    )
}

pub(crate) fn expected_comma_or(range: TextRange, closing: SyntaxKind, found: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ExpectedToken,
        range,
        format!("expected `,` or {}, found {found}", closing.describe()),
    )
}

pub(crate) fn expected_operator_or(range: TextRange, closing: SyntaxKind, found: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ExpectedToken,
        range,
        format!("expected an operator or {}, found {found}", closing.describe()),
    )
}

/// An assignment inside an expression where no comparison can be meant.
pub(crate) fn assignment_in_brackets(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::AssignmentInExpression,
        range,
        "an assignment is a statement, not a part of an expression",
    )
    .with_help("assign on a line of its own, before this one")
}

pub(crate) fn assignment_in_expression(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::AssignmentInExpression, range, "`=` assigns, and a condition is no place to")
        .with_help("to compare, write `==`")
        .with_fix("write `==`", range, "==")
}

/// `whole`: the range to put in parentheses.
pub(crate) fn needs_parentheses(range: TextRange, what: &str, whole: TextRange) -> Diagnostic {
    let mut error = Diagnostic::error(SyntaxCode::NeedsParentheses, range, format!("{what} needs parentheses here"));
    error.fixes.push(surround("put it in parentheses", whole, "(", ")"));
    error
}

pub(crate) fn continued_line(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a line is not continued by `\\`")
        .with_help("a line goes on inside brackets: put the whole expression in parentheses")
}

pub(crate) fn too_deep(range: TextRange, what: &str, limit: usize) -> Diagnostic {
    Diagnostic::error(SyntaxCode::TooDeep, range, format!("{what} goes deeper than {limit} levels"))
        .with_help("name a part of it with `let`, or make it a `fn`")
}

pub(crate) fn too_long(range: TextRange, what: &str, limit: usize) -> Diagnostic {
    Diagnostic::error(SyntaxCode::TooDeep, range, format!("{what} is longer than {limit}"))
        .with_help("name a part of it with `let`, or make it a `fn`")
}

fn surround(title: &str, range: TextRange, before: &str, behind: &str) -> Fix {
    let edits = vec![
        TextEdit { range: TextRange::empty(range.start()), text: before.to_owned() },
        TextEdit { range: TextRange::empty(range.end()), text: behind.to_owned() },
    ];
    Fix { title: title.to_owned(), edits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_words_joined_by_hyphens() {
        let names: Vec<_> = SyntaxCode::ALL.iter().map(|code| code.name()).collect();
        assert!(names.is_sorted(), "{names:?}");
        for code in names {
            assert!(
                code.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())),
                "{code}"
            );
        }
    }
}
