//! Errors of statements, and of syntax from other languages.

use report::{Diagnostic, Fix, TextEdit};
use rowan::{TextRange, TextSize};

use super::{SyntaxCode, surround};

pub(crate) fn expected_statement(range: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, range, format!("expected a statement, found {found}"))
}

/// A line in the block of a `match` that is no case.
pub(crate) fn expected_case(range: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, range, format!("expected `case`, found {found}"))
        .with_help("each case of a `match` stands behind its word: `case Circle(r):`, and `case _:` for all others")
}

/// A `match` behind `=` or `return`.
pub(crate) fn match_as_value(range: TextRange) -> Diagnostic {
    foreign(
        range,
        "a `match` is a statement, and gives no value",
        "assign in each case, or let the cases of a `fn` return: `case Low: return 1`",
    )
}

/// The `..` of a range in a pattern.
pub(crate) fn range_in_pattern(range: TextRange) -> Diagnostic {
    foreign(range, "a pattern is no range", "take the value by a name, with a condition: `case x if 0 <= x < 5:`")
}

/// The arm of a `match` in Rust, of which `colons` are the marks in paths.
pub(crate) fn arm_of_rust(
    start: TextRange,
    arrow: TextRange,
    comma: Option<TextRange>,
    colons: &[TextRange],
    body: Option<(TextRange, String)>,
) -> Diagnostic {
    let edit = |range, text: &str| TextEdit { range, text: text.to_owned() };
    let mut edits = vec![edit(TextRange::empty(start.start()), "case ")];
    edits.extend(colons.iter().map(|&colons| edit(colons, ".")));
    edits.push(edit(arrow, ":"));
    edits.extend(body.map(|(range, text)| TextEdit { range, text }));
    edits.extend(comma.map(|comma| edit(comma, "")));
    let error =
        Diagnostic::error(SyntaxCode::ForeignSyntax, start, "a case starts with `case`, and its pattern ends with `:`");
    super::with_edits(error, "write `case` and `:`".to_owned(), edits)
}

/// A case without its word.
pub(crate) fn case_without_word(place: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, place, "a case of a `match` starts with `case`").with_fix(
        "write `case`",
        TextRange::empty(place.start()),
        "case ",
    )
}

pub(crate) fn expected_colon(place: TextRange, after: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedColon, place, format!("expected `:` at the end of {after}")).with_fix(
        "write `:`",
        place,
        ":",
    )
}

/// `behind_value`: set where an operator could follow.
pub(crate) fn expected_end_of_line(range: TextRange, found: &str, behind_value: bool) -> Diagnostic {
    let expected = if behind_value { "an operator or the end of the line" } else { "the end of the line" };
    Diagnostic::error(SyntaxCode::ExpectedEndOfLine, range, format!("expected {expected}, found {found}"))
}

pub(crate) fn header_on_line_of_header(range: TextRange, found: &str) -> Diagnostic {
    expected_end_of_line(range, found, false)
        .with_help("only a simple statement can stand on the line of its header; start a new line")
}

pub(crate) fn unknown_statement(range: TextRange, word: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, range, format!("no statement starts with `{word}`"))
}

/// A statement or item whose first word is a misspelled keyword.
pub(crate) fn misspelled(range: TextRange, word: &str, meant: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, range, format!("no statement starts with `{word}`"))
        .with_help(format!("did you mean `{meant}`?"))
        .with_fix(format!("write `{meant}`"), range, meant)
}

pub(crate) fn semicolon(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "statements end with their line, not with `;`").with_fix(
        "remove it",
        range,
        "",
    )
}

/// `gap`: from the `;` to the next statement.
pub(crate) fn two_statements(gap: TextRange, indentation: &str) -> Diagnostic {
    let range = TextRange::at(gap.start(), TextSize::of(';'));
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "statements end with their line, not with `;`").with_fix(
        "start a new line",
        gap,
        format!("\n{indentation}"),
    )
}

/// `gap`: the brace and the white space before it.
pub(crate) fn brace(range: TextRange, gap: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "blocks are made by indentation, not by braces").with_fix(
        "write `:`",
        gap,
        ":",
    )
}

/// `text` is that of the item.
pub(crate) fn comment_of_c(range: TextRange, text: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a comment starts with `#`");
    if range.len() == TextSize::of("//") && text[range] == *"//" {
        return error.with_fix("write `#`", range, "#");
    }
    let rest = text[range.start().into()..].lines().next().unwrap_or_default().trim_end();
    match rest.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/")) {
        Some(said) if !said.contains("*/") => {
            let whole = TextRange::at(range.start(), TextSize::of(rest));
            error.with_fix("write `#`", whole, format!("# {}", said.trim_matches([' ', '*'])))
        }
        _ => error.with_help("each of its lines starts with `#`"),
    }
}

pub(crate) fn decimal_comma(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "numbers have a decimal point, not a comma").with_fix(
        "write `.`",
        range,
        ".",
    )
}

/// C's `float x`: `range` covers both words; `ty` is the type's name in Lane.
pub(crate) fn type_before_name(range: TextRange, word: &str, ty: &str, name: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a type stands behind its name").with_fix(
        format!("write `{word}{name}: {ty}`"),
        range,
        format!("{word}{name}: {ty}"),
    )
}

/// `mut a` or `a: mut f32`: `range` is the word, with the white space behind it.
pub(crate) fn no_access_word(range: TextRange, word: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ForeignSyntax,
        range,
        format!("there is no `{word}` here: what a kernel writes shows in its body"),
    )
    .with_fix(format!("remove `{word}`"), range, "")
    .with_help("elements of any array can be assigned, and parameters themselves cannot")
}

/// `lambda x: e`: the ranges of the word, of the white space behind it, and of the colon with the white space before it.
pub(crate) fn lambda_of_python(word: TextRange, space: TextRange, colon: TextRange) -> Diagnostic {
    let mut error =
        Diagnostic::error(SyntaxCode::ForeignSyntax, word, "a function without a name is written `\\x -> ...`");
    let edits = vec![
        TextEdit { range: word.cover(space), text: "\\".to_owned() },
        TextEdit { range: colon, text: " ->".to_owned() },
    ];
    error.fixes.push(Fix { title: "write `\\` and `->`".to_owned(), edits });
    error
}

pub(crate) fn else_with_condition(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "an `else` has no condition").with_fix(
        "write `elif`",
        range,
        "elif",
    )
}

pub(crate) fn default_value(range: TextRange, of_what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, format!("{of_what} have no default values")).with_help(help)
}

pub(crate) fn foreign(range: TextRange, message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, message).with_help(help)
}

/// `place`: in front of the type of a constant parameter.
pub(crate) fn const_of_generic(place: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedToken, place, "a constant parameter has `const` before its type")
        .with_help("its value is known when the program is built: `N: const i32`")
        .with_fix("write `const`", place, "const ")
}

/// The brackets between two sizes of an array, as in `f32[n][m]`.
pub(crate) fn more_sizes(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "the sizes of an array stand in one pair of brackets").with_fix(
        "write `, `",
        range,
        ", ",
    )
}

/// An array of no elements: `[]`.
pub(crate) fn empty_array(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedExpression, range, "an array that is written down has an element at least")
        .with_help("nothing says what its elements would be; `replicate(0, 0.0)` has none, and says so")
}

/// Another language's spelling of an operator or word that Lane has.
pub(crate) fn instead(range: TextRange, wrong: &str, right: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, format!("there is no `{wrong}` here; it is spelled `{right}`"))
        .with_fix(format!("write `{right}`"), range, right)
}

pub(crate) fn bad_target(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::BadTarget, range, "this cannot be assigned to")
        .with_help("assign to a name (`x = ...`), an element (`a[i] = ...`) or a field (`p[i].x = ...`)")
}

/// C's `!x`; `not` is the replacement, with a space behind it where one is needed.
pub(crate) fn bang(range: TextRange, not: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "there is no `!` here; it is spelled `not`").with_fix(
        "write `not`",
        range,
        not,
    )
}

/// A word of another language that has no meaning in Lane and can be removed.
pub(crate) fn needless_word(range: TextRange, gap: TextRange, word: &str, help: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, format!("there is no `{word}` here")).with_help(help).with_fix(
        "remove it",
        gap,
        "",
    )
}

pub(crate) fn chained_assignment(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ChainedAssignment, range, "a statement assigns once")
        .with_help("write one assignment a line")
}

/// `start`: the start of the statement, where the fix inserts `let`.
pub(crate) fn annotation_without_let(range: TextRange, start: TextSize, name: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ForeignSyntax,
        range,
        format!("only `let` gives a type to a name: `let {name}: ... = ...`"),
    )
    .with_fix("write `let`", TextRange::empty(start), "let ")
}

pub(crate) fn else_without_if(range: TextRange, keyword: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ElseWithoutIf, range, format!("this `{keyword}` has no `if` before it"))
        .with_help("it stands right below the block of an `if` or `elif`, in the same column as the `if`")
}

/// `counts`: what the loop goes over is likely a number.
pub(crate) fn expected_range(range: TextRange, counts: bool) -> Diagnostic {
    let mut error = Diagnostic::error(
        SyntaxCode::ExpectedRange,
        range,
        "a `foreach` goes over a range of integers, or over an array",
    )
    .with_help("write `foreach i in range(n):`; over the elements of an array goes `foreach x in a:`");
    if counts {
        error.fixes.push(surround("write `range(...)`", range, "range(", ")"));
    }
    error
}

pub(crate) fn with_edits(mut error: Diagnostic, title: String, edits: Vec<TextEdit>) -> Diagnostic {
    error.fixes.push(Fix { title, edits });
    error
}

/// `a..b`: `range` covers the whole, `dots` the mark between the operands.
pub(crate) fn range_with_dots(range: TextRange, dots: TextRange, text: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ExpectedRange, dots, format!("there is no `{text}` here"));
    let mut fix = surround("write `range(..., ...)`", range, "range(", ")");
    fix.edits.insert(1, TextEdit { range: dots, text: ", ".to_owned() });
    let mut error = error.with_help("a range of integers is written `range(a, b)`");
    error.fixes.push(fix);
    error
}

pub(crate) fn expected_index(range: TextRange, found: &str, foreach: bool) -> Diagnostic {
    let keyword = if foreach { "foreach" } else { "for" };
    Diagnostic::error(SyntaxCode::ExpectedName, range, format!("expected the loop's index, found {found}"))
        .with_help(format!("a loop is written `{keyword} i in range(n):`"))
}

pub(crate) fn expected_in(range: TextRange, index: &str, found: &str, equals: bool) -> Diagnostic {
    let error = Diagnostic::error(
        SyntaxCode::ExpectedToken,
        range,
        format!("expected `in` after the loop's index `{index}`, found {found}"),
    );
    if equals { error.with_fix("write `in`", range, "in") } else { error.with_help("write `for i in range(n):`") }
}

/// A loop header of C or ISPC; `ours` is how it is written.
pub(crate) fn header_of_others(range: TextRange, ours: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedRange, range, "a loop goes over a range of integers, or over an array")
        .with_help(format!("this one is written `{ours}`"))
}

/// A range of Julia or Fortran, `1:n`, whose end is its last value.
pub(crate) fn inclusive_range(range: TextRange, index: &str, from: &str, to: &str) -> Diagnostic {
    let message = "a range of integers is written `range(a, b)`, and `b` is not one of them";
    Diagnostic::error(SyntaxCode::ExpectedRange, range, message).with_help(format!(
        "indices start at 0: for all elements of an array of `n`, write `for {index} in range(n):`; from `{from}` to `{to}` goes \
         `range({from}, {to} + 1)`"
    ))
}

/// A word such as `end`, with what stands behind it on its line.
pub(crate) fn end_of_block(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "blocks end where their indentation does").with_fix(
        "remove it",
        range,
        "",
    )
}

/// `float a[n]` of C; `whole` is all of it.
pub(crate) fn array_of_c(range: TextRange, whole: TextRange, name: &str, ty: &str, sizes: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a type stands behind its name, and the sizes behind the type")
        .with_fix(format!("write `{name}: {ty}{sizes}`"), whole, format!("{name}: {ty}{sizes}"))
}

/// C's `float *a`; `ours` is the parameter as it is written here.
pub(crate) fn pointer_of_c(range: TextRange, whole: TextRange, ours: &str) -> Diagnostic {
    foreign(range, "there are no pointers", "an array says its size, `a: f32[n]`; one without a type is inferred")
        .with_fix(format!("write `{ours}`"), whole, ours)
}

/// A line such as `done:`.
pub(crate) fn label(range: TextRange, word: &str) -> Diagnostic {
    foreign(
        range,
        &format!("there are no labels such as `{word}:`"),
        "`continue` goes on with the next iteration, `break` leaves a loop, `return` the kernel or function",
    )
}

/// A line such as `unmasked:`, with a block below it.
pub(crate) fn named_block(range: TextRange, word: &str) -> Diagnostic {
    foreign(
        range,
        &format!("no block starts with `{word}:`"),
        "blocks follow lines such as `if c:`, `else:`, `while c:` and `for i in range(n):`",
    )
}

/// The `{` below a header.
pub(crate) fn brace_on_line_of_its_own(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "blocks are made by indentation, not by braces")
        .with_help("the line above ends in `:`, and the lines of the block are indented")
        .with_fix("remove it", range, "")
}

/// A brace on a line of its own; `line` is its line, with the end of the one above.
pub(crate) fn brace_below_header(range: TextRange, line: TextRange) -> Diagnostic {
    foreign(
        range,
        "blocks are made by indentation, not by braces",
        "the line above ends in `:`, and the lines of the block are indented",
    )
    .with_fix("remove it", line, "")
}

/// `layout(local_size_x = 64) in;` and `precision highp float;`.
pub(crate) fn line_of_glsl(range: TextRange, line: TextRange) -> Diagnostic {
    foreign(
        range,
        "a file has no settings of this kind",
        "`foreach i in range(n):` says what is computed for each element; `@lanes(8)` above it asks for so many lanes",
    )
    .with_fix("remove the line", line, "")
}

/// `a if c` without an `else`.
pub(crate) fn choice_without_else(range: TextRange, found: &str) -> Diagnostic {
    super::expected_token(range, "`else` and the value for when the condition is false", "", found)
        .with_help("where there is nothing to do then, the condition stands before the statement: `if c: x += y`")
}

/// Java's and JavaScript's `>>>`.
pub(crate) fn shift_of_java(range: TextRange) -> Diagnostic {
    instead(range, ">>>", ">>")
        .with_help("zeros come in at the top of an unsigned number, such as a `u32`; of a signed one the sign")
}

/// The `*` or `&` of a pointer's type, or the bracket of a slice's.
pub(crate) fn no_pointers(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "there are no pointers, references or slices as types")
        .with_help("an array says its size, `a: f32[n]`; what is stored to it is seen outside")
}

/// The `*` of `*p = x`.
pub(crate) fn no_pointer_here(range: TextRange) -> Diagnostic {
    foreign(range, "there are no pointers", "an element of an array is `a[i]`")
}

/// The `&` before an argument.
pub(crate) fn no_address(range: TextRange) -> Diagnostic {
    foreign(
        range,
        "there are no pointers",
        "an array is given by its name, a part of it as `a[i:]`; an atomic operation takes the array and the index: `atomic_add(a, i, x)`",
    )
}

/// `a(i) = x`.
pub(crate) fn target_of_call(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::BadTarget, range, "this cannot be assigned to: parentheses are a call")
        .with_help("an element of an array stands in brackets: `a[i]`")
}

/// `@cuda.jit`; `line`: all up to the next line's text.
pub(crate) fn attribute_of_python(range: TextRange, line: TextRange) -> Diagnostic {
    foreign(
        range,
        "there are no decorators of modules",
        "every kernel is compiled, and its loops get lanes where that keeps their meaning; attributes are `@fast`, `@lanes(8)`, `@threads` and \
         others",
    )
    .with_fix("remove it", line, "")
}

/// Another language's form, of which `whole` is written as `ours`.
pub(crate) fn rewritten(range: TextRange, whole: TextRange, (message, help): (&str, &str), ours: String) -> Diagnostic {
    foreign(range, message, help).with_fix(format!("write `{ours}`"), whole, ours)
}

/// Another language's form, which is several lines here.
pub(crate) fn on_lines(error: Diagnostic, whole: TextRange, lines: &str) -> Diagnostic {
    error.with_fix("write it on lines of its own", whole, lines)
}

/// A declaration of C, C++ or ISPC; `whole` is written as `ours`, where that is known.
pub(crate) fn declaration_of_c(range: TextRange, whole: TextRange, help: &str, ours: Option<&str>) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a type stands behind its name");
    let error = if help.is_empty() { error } else { error.with_help(help) };
    match ours {
        Some(ours) if ours.contains('\n') => on_lines(error, whole, ours),
        Some(ours) => error.with_fix(format!("write `{ours}`"), whole, ours),
        None => error,
    }
}

/// The name of a struct before the one of a variable, `P p;`.
pub(crate) fn value_without_call(range: TextRange, ty: &str, name: &str) -> Diagnostic {
    foreign(
        range,
        "a type stands behind its name, and a variable that is no array has a value from the start",
        &format!("write `let {name} = {ty}(...)`, with the values of its fields in their order"),
    )
}

/// A type of Rust or C++; `whole` is written as `ours`, where that is known.
pub(crate) fn type_of_others(range: TextRange, whole: TextRange, ours: Option<&str>) -> Diagnostic {
    match ours {
        Some(ours) => no_pointers(range).with_fix(format!("write `{ours}`"), whole, ours),
        None => no_pointers(range),
    }
}

/// The brace that closes a block, before an `else`; `gap`: from it to that word.
pub(crate) fn brace_before_else(range: TextRange, gap: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::StrayBracket, range, "nothing opens the bracket that this `}` closes")
        .with_help("blocks are made by indentation, not by braces")
        .with_fix("remove it", gap, "")
}

/// A block in braces on the line of its header; `gap`: the braces, and the white space before them.
pub(crate) fn block_in_braces(range: TextRange, gap: TextRange, ours: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ForeignSyntax, range, "blocks are made by indentation, not by braces");
    if ours.contains('\n') {
        return on_lines(error, gap, ours);
    }
    error.with_fix(format!("write `{ours}`"), gap, ours)
}

/// A line of another language that has nothing to say here; `line` is all that is removed.
pub(crate) fn line_of_others(range: TextRange, line: TextRange, message: &str, help: &str) -> Diagnostic {
    foreign(range, message, help).with_fix("remove the line", line, "")
}

/// A statement that does nothing here, on a line of its own: `range` is within it, and `text` around it.
pub(crate) fn without_statement(error: Diagnostic, text: &str, range: TextRange) -> Diagnostic {
    let start = text[..range.start().into()].rfind('\n').map_or(0, |end| end + 1);
    let behind = usize::from(range.end());
    let end = text[behind..].find('\n').map_or(text.len(), |at| behind + at + 1);
    let line = text[start..end].trim();
    if line.contains("; ") || !(line.ends_with(')') || line.ends_with(");")) {
        return error;
    }
    let deep = |line: &str| line.len() - line.trim_start().len();
    let is_text = |line: &&str| !line.trim().is_empty();
    let opens = text[..start].lines().rev().find(is_text).is_some_and(|above| above.trim_end().ends_with([':', '{']));
    let first = start + deep(&text[start..end]);
    let goes_on = text[end..]
        .lines()
        .find(is_text)
        .is_some_and(|below| deep(below) >= first - start && !below.trim_start().starts_with('}'));
    let range_of = |start: usize, end: usize| TextRange::new((start as u32).into(), (end as u32).into());
    if opens && !goes_on {
        return error.with_fix("write `pass`", range_of(first, first + line.len()), "pass");
    }
    error.with_fix("remove the line", range_of(start, end), "")
}

/// `do { ... } while (c);`: `header` is its first line, and `last` the one with the test, which is written as `test`.
pub(crate) fn loop_with_test_behind(error: Diagnostic, header: TextRange, last: TextRange, test: &str) -> Diagnostic {
    let edits = vec![
        TextEdit { range: header, text: "while true:".to_owned() },
        TextEdit { range: last, text: test.to_owned() },
    ];
    with_edits(error, "write `while true:`".to_owned(), edits)
}

/// C's `switch`; `breaks`: what is written instead of each `break` that ends a case.
pub(crate) fn switch_of_c(range: TextRange, breaks: &[(TextRange, &str)]) -> Diagnostic {
    let mut error = instead(range, "switch", "match");
    if let Some(fix) = error.fixes.first_mut() {
        fix.edits.extend(breaks.iter().map(|&(range, text)| TextEdit { range, text: text.to_owned() }));
    }
    if breaks.is_empty() {
        error
    } else {
        error.with_help("a case ends by itself: a `break` would leave the loop around it")
    }
}
