//! Every syntax error there is: one function each, so that its code, words and fixes stand in one place.
//!
//! A message says what is wrong, with what was found; the help says what to write. The codes are
//! stable for good, and each has a page in `docs/reasons.md`.

use rowan::{TextRange, TextSize};

use crate::kinds::SyntaxKind;
use crate::lexer::Oddity;
use report::{Diagnostic, Fix, TextEdit};

report::codes! {
    /// The codes of all syntax errors.
    pub enum SyntaxCode {
        /// An assignment stands where a value is wanted.
        AssignmentInExpression = "assignment-in-expression",
        /// Nothing follows that an attribute or a documentation comment could belong to.
        AttributeWithoutTarget = "attribute-without-target",
        /// A character has no meaning in Lane.
        BadCharacter = "bad-character",
        /// A number is written as no number can be.
        BadNumber = "bad-number",
        /// The left side of an assignment is no place.
        BadTarget = "bad-target",
        /// A statement assigns more than once.
        ChainedAssignment = "chained-assignment",
        /// A comparison compares the result of another one.
        ChainedComparison = "chained-comparison",
        /// An `else` or `elif` has no `if` above it.
        ElseWithoutIf = "else-without-if",
        /// A header has no block below it.
        ExpectedBlock = "expected-block",
        /// A header does not end in a colon.
        ExpectedColon = "expected-colon",
        /// Two elements of a list have no comma between them.
        ExpectedComma = "expected-comma",
        /// A statement is followed by something else on its line.
        ExpectedEndOfLine = "expected-end-of-line",
        /// There is no expression where one is needed.
        ExpectedExpression = "expected-expression",
        /// A line in column 0 starts no item.
        ExpectedItem = "expected-item",
        /// There is no name where one is needed.
        ExpectedName = "expected-name",
        /// A kernel or function has no parentheses behind its name.
        ExpectedParameters = "expected-parameters",
        /// A loop goes over something other than a range.
        ExpectedRange = "expected-range",
        /// A line starts no statement.
        ExpectedStatement = "expected-statement",
        /// A particular word or sign is missing.
        ExpectedToken = "expected-token",
        /// There is no type where one is needed.
        ExpectedType = "expected-type",
        /// Another language's way to write something.
        ForeignSyntax = "foreign-syntax",
        /// A line's indentation fits no block around it.
        InconsistentIndent = "inconsistent-indent",
        /// An argument is given by name.
        KeywordArgument = "keyword-argument",
        /// A character looks like one of Lane's, and is another.
        LookAlike = "look-alike",
        /// An operand would be read wrongly without parentheses.
        NeedsParentheses = "needs-parentheses",
        /// An item stands inside another one.
        NestedItem = "nested-item",
        /// A name has letters beyond ASCII.
        NonAsciiName = "non-ascii-name",
        /// A reserved word stands in the place of a name.
        ReservedWord = "reserved-word",
        /// A statement stands in column 0.
        StatementOutsideKernel = "statement-outside-kernel",
        /// A closing bracket closes nothing.
        StrayBracket = "stray-bracket",
        /// A line is indented by tabs.
        TabIndent = "tab-indent",
        /// A text in quotes, which kernels do not have.
        TextLiteral = "text-literal",
        /// Something is nested deeper, or is longer, than is read.
        TooDeep = "too-deep",
        /// An opening bracket is never closed.
        UnclosedBracket = "unclosed-bracket",
        /// A line is indented deeper than its block.
        UnexpectedIndent = "unexpected-indent",
    }
}

// What is wrong with a token by itself.

pub(crate) fn oddity(oddity: Oddity, range: TextRange, text: &str, kind: SyntaxKind) -> Diagnostic {
    let number = |message: String| Diagnostic::error(SyntaxCode::BadNumber, range, message);
    match oddity {
        Oddity::StrangeCharacter => {
            let c = text.chars().next().unwrap_or(' ');
            let error =
                Diagnostic::error(SyntaxCode::BadCharacter, range, format!("{} has no meaning here", name_of(c)));
            let error = error.with_fix("remove it", range, "");
            match c {
                '$' => error.with_help("names are made of letters, digits and `_`"),
                '`' => error.with_help("names stand without quotes"),
                _ => error,
            }
        }
        Oddity::LookAlike => {
            let meant = kind.text().unwrap_or("a space");
            let c = text.chars().next().unwrap_or(' ');
            Diagnostic::error(
                SyntaxCode::LookAlike,
                range,
                format!("{} is not `{meant}`, though it looks like it", name_of(c)),
            )
            .with_fix(format!("write `{meant}`"), range, meant)
        }
        Oddity::StrangeSpace => {
            let c = text.chars().next().unwrap_or(' ');
            let invisible = !c.is_whitespace();
            Diagnostic::error(
                SyntaxCode::LookAlike,
                range,
                format!("{} looks like a space or like nothing, and is neither", name_of(c)),
            )
            .with_fix(
                if invisible { "remove it" } else { "write a space" },
                range,
                if invisible { "" } else { " " },
            )
        }
        Oddity::Text => {
            let error = Diagnostic::error(
                SyntaxCode::TextLiteral,
                range,
                "there are no texts in kernels: values are numbers and bools",
            );
            let documents = text.starts_with("\"\"\"") || text.starts_with("\'\'\'");
            if documents { error.with_help("documentation stands in `##` lines above the item") } else { error }
        }
        Oddity::NonAsciiName => Diagnostic::error(
            SyntaxCode::NonAsciiName,
            range,
            format!("the name `{text}` has letters beyond ASCII; it could not be called from C"),
        )
        .with_help("names are made of `a` to `z`, `A` to `Z`, digits and `_`"),
        Oddity::NoDigits => {
            number(format!("`{text}` has no digits")).with_help("write digits after it, as in `0x2a` or `0b101`")
        }
        Oddity::BadDigits => bad_digits(range, text),
        Oddity::Underscore => number(format!("an underscore in `{text}` does not stand between two digits")).with_fix(
            "remove the underscores",
            range,
            text.replace('_', ""),
        ),
        Oddity::LeadingZero => number(format!("`{text}` starts with a zero"))
            .with_help("C would read it as octal and Python refuses it; so does Lane")
            .with_fix("remove the zeros", range, text.trim_start_matches(['0', '_'])),
        Oddity::NoExponent => number(format!("`{text}` has no digits in its exponent"))
            .with_help("write digits after the `e`, as in `1e-3`"),
    }
}

fn bad_digits(range: TextRange, text: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::BadNumber, range, format!("`{text}` is not a number"));
    let lower = text.to_ascii_lowercase();
    if let Some(octal) = lower.strip_prefix("0o") {
        return match i64::from_str_radix(&octal.replace('_', ""), 8) {
            Ok(value) => error.with_help("octal numbers are not in Lane").with_fix(
                "write it as hexadecimal",
                range,
                format!("{value:#x}"),
            ),
            Err(_) => error.with_help("numbers are decimal, hexadecimal (`0x2a`) or binary (`0b101`)"),
        };
    }
    if lower.starts_with("0b") {
        return error.with_help("binary digits are `0` and `1`");
    }
    if lower.starts_with("0x") {
        return error.with_help("hexadecimal digits are `0` to `9` and `a` to `f`");
    }
    if lower.matches('.').count() > 1 {
        return error.with_help("a number has one decimal point");
    }
    let end = lower.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(lower.len());
    let (digits, suffix) = (text[..end].trim_end_matches('_'), &lower[end..]);
    let cast = match suffix {
        "f" => "f32",
        "u" => "u32",
        "l" | "ll" => "i64",
        "ul" | "ull" => "u64",
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64" => suffix,
        _ => return error.with_help("a name cannot start with a digit"),
    };
    let error = error.with_help("numbers have no suffix: they take the type that their place asks for");
    let plain = if suffix == "f" && !digits.contains(['.', 'e']) { format!("{digits}.0") } else { digits.to_owned() };
    let cast = format!("{cast}({digits})");
    let (first, second) = if matches!(suffix, "f" | "f32") { (plain, cast) } else { (cast, plain) };
    error.with_fix(format!("write `{first}`"), range, first).with_fix(format!("write `{second}`"), range, second)
}

fn name_of(c: char) -> String {
    let known = match c {
        '\u{a0}' => "a no-break space",
        '\u{3000}' => "an ideographic space",
        '\u{200b}' => "a zero-width space",
        '\u{200c}' => "a zero-width non-joiner",
        '\u{200d}' => "a zero-width joiner",
        '\u{feff}' => "a byte order mark",
        '\0' => "a NUL character",
        _ => "",
    };
    match (known, c.is_control() || c.is_whitespace()) {
        ("", true) => format!("the character U+{:04X}", c as u32),
        ("", false) if c.is_ascii() => format!("`{c}`"),
        ("", false) => format!("`{c}` (U+{:04X})", c as u32),
        (known, _) => format!("{known} (U+{:04X})", c as u32),
    }
}

// Indentation.

/// `lines`: the white space at the start of the line, and of those that belong with it, and the columns that they
/// should start in.
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

/// Gives each line, of which the white space at its start is told, a new indentation.
fn indent(title: String, lines: &[(TextRange, u32)]) -> Fix {
    let edits = lines.iter().map(|&(range, column)| TextEdit { range, text: " ".repeat(column as usize) });
    Fix { title, edits: edits.collect() }
}

/// `places`: the white space at the start of each line that has a tab in it, and the column it reaches.
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
        return error.with_help("items (`kernel`, `fn`, `struct`, `const`) start in column 0");
    }
    error.with_help("a block follows a line that ends in `:`; a long expression continues inside brackets")
}

/// `range`: an expression, with an indented block below it.
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

/// `lines`: what the block holds.
pub(crate) fn expected_block(place: TextRange, after: &str, lines: &str) -> Diagnostic {
    let nothing = if lines == "statements" { "; `pass` does nothing" } else { "" };
    Diagnostic::error(SyntaxCode::ExpectedBlock, place, format!("expected an indented block after {after}"))
        .with_help(format!("write its {lines} on the lines below, indented{nothing}"))
}

// Brackets.

/// `until`: the last place where it can be closed. `closing`: what closes it and those around it.
pub(crate) fn unclosed_bracket(range: TextRange, open: SyntaxKind, until: TextRange, closing: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::UnclosedBracket, range, format!("this {} is never closed", open.describe()))
        .with_related(until, format!("`{closing}` is missing here, or before"))
        .with_fix(format!("write `{closing}`"), until, closing)
}

/// `several`: more closing brackets follow it right away, and are in `range`.
pub(crate) fn stray_bracket(range: TextRange, kind: SyntaxKind, several: bool) -> Diagnostic {
    let (message, title) = if several {
        ("nothing opens the brackets that these close".to_owned(), "remove them")
    } else {
        (format!("nothing opens the bracket that this {} closes", kind.describe()), "remove it")
    };
    Diagnostic::error(SyntaxCode::StrayBracket, range, message).with_fix(title, range, "")
}

// Items.

/// `word`: what stands in an item keyword's place, and the keyword it could be.
pub(crate) fn expected_item(range: TextRange, found: &str, meant: Option<&str>) -> Diagnostic {
    let error = Diagnostic::error(
        SyntaxCode::ExpectedItem,
        range,
        format!("expected `kernel`, `fn`, `struct` or `const`, found {found}"),
    );
    match meant {
        Some(meant) => {
            error.with_help(format!("did you mean `{meant}`?")).with_fix(format!("write `{meant}`"), range, meant)
        }
        None => error.with_help("a line in column 0 starts an item; if it belongs to the item above, indent it"),
    }
}

/// A function's header without its keyword, or with another word in its place; `fix` says what `range` becomes.
pub(crate) fn expected_function(range: TextRange, found: &str, place: TextRange, fix: &str) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::ExpectedItem,
        range,
        format!("expected `kernel`, `fn`, `struct` or `const`, found {found}"),
    )
    .with_help("a `kernel` is called from outside, a `fn` by kernels")
    .with_fix("write `kernel`", place, fix)
}

pub(crate) fn statement_outside_kernel(range: TextRange) -> Diagnostic {
    Diagnostic::error(
        SyntaxCode::StatementOutsideKernel,
        range,
        "a statement stands in column 0, outside of any kernel",
    )
    .with_help("indent it to make it part of the kernel above")
    .with_fix("indent it", TextRange::empty(range.start()), "    ")
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
    Diagnostic::error(SyntaxCode::AttributeWithoutTarget, range, "nothing follows that this could belong to")
        .with_help("attributes and `##` comments stand above an item; attributes also above a loop")
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

// Statements.

pub(crate) fn expected_statement(range: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedStatement, range, format!("expected a statement, found {found}"))
}

pub(crate) fn expected_colon(place: TextRange, after: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedColon, place, format!("expected `:` at the end of {after}")).with_fix(
        "write `:`",
        place,
        ":",
    )
}

/// `behind_value`: an operator could stand here.
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

/// A statement or item starts with a word that is almost a keyword.
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

pub(crate) fn comment_of_c(range: TextRange) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ForeignSyntax, range, "a comment starts with `#`");
    if range.len() == TextSize::of("//") { error.with_fix("write `#`", range, "#") } else { error }
}

pub(crate) fn decimal_comma(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "numbers have a decimal point, not a comma").with_fix(
        "write `.`",
        range,
        ".",
    )
}

/// `float x`: `range` is the two; `ty` is our name for the type.
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

/// `lambda x: e`: the word and the colon, with the white space behind the first and before the other.
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

/// Another language's spelling of what is there all the same.
pub(crate) fn instead(range: TextRange, wrong: &str, right: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, format!("there is no `{wrong}` here; it is spelled `{right}`"))
        .with_fix(format!("write `{right}`"), range, right)
}

pub(crate) fn bad_target(range: TextRange) -> Diagnostic {
    Diagnostic::error(SyntaxCode::BadTarget, range, "this cannot be assigned to")
        .with_help("assign to a name (`x = ...`), an element (`a[i] = ...`) or a field (`p[i].x = ...`)")
}

/// `!x`; `not`: what to write, with the space that has to follow.
pub(crate) fn bang(range: TextRange, not: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ForeignSyntax, range, "there is no `!` here; it is spelled `not`").with_fix(
        "write `not`",
        range,
        not,
    )
}

/// A word that another language has here and that says nothing in this one.
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

/// `start`: where the statement starts, for the fix that declares the name.
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

pub(crate) fn expected_range(range: TextRange, foreach: bool) -> Diagnostic {
    let keyword = if foreach { "foreach" } else { "for" };
    let mut error =
        Diagnostic::error(SyntaxCode::ExpectedRange, range, format!("a `{keyword}` goes over a range of integers"))
            .with_help(format!("write `{keyword} i in range(n):` and use `a[i]` inside"));
    error.fixes.push(surround("write `range(...)`", range, "range(", ")"));
    error
}

/// `a..b`: the two, and what stands between them.
pub(crate) fn range_with_dots(range: TextRange, dots: TextRange, text: &str) -> Diagnostic {
    let error = Diagnostic::error(SyntaxCode::ExpectedRange, dots, format!("there is no `{text}` here"));
    let mut fix = surround("write `range(..., ...)`", range, "range(", ")");
    fix.edits.insert(1, TextEdit { range: dots, text: ", ".to_owned() });
    let mut error = error.with_help("a range of integers is written `range(a, b)`");
    error.fixes.push(fix);
    error
}

fn surround(title: &str, range: TextRange, before: &str, behind: &str) -> Fix {
    let edits = vec![
        TextEdit { range: TextRange::empty(range.start()), text: before.to_owned() },
        TextEdit { range: TextRange::empty(range.end()), text: behind.to_owned() },
    ];
    Fix { title: title.to_owned(), edits }
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

// Names and types.

pub(crate) fn expected_name(range: TextRange, of_what: &str, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedName, range, format!("expected {of_what}, found {found}"))
}

pub(crate) fn reserved_word(range: TextRange, word: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ReservedWord, range, format!("`{word}` is a reserved word and cannot be a name"))
        .with_fix(format!("write `{word}_`"), range, format!("{word}_"))
}

pub(crate) fn expected_type(range: TextRange, found: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ExpectedType, range, format!("expected a type, found {found}")).with_help(
        "a type is a scalar (`f32`, `i32`, `bool`, ...), a struct's name, or an array of those: `f32[n]`, `f32[n, m]`",
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

/// An assignment that is no statement, and no comparison either.
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

pub(crate) fn keyword_argument(range: TextRange, name: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::KeywordArgument, range, "arguments are given by their order, not by name").with_fix(
        format!("remove `{name} =`"),
        range,
        "",
    )
}

/// `middle`: the text of the operand that two comparisons share.
pub(crate) fn chained_comparison(operator: TextRange, middle: &str) -> Diagnostic {
    Diagnostic::error(SyntaxCode::ChainedComparison, operator, "comparisons do not chain: this one compares a bool")
        .with_help(format!("join the two with `and`: `... {middle} and {middle} ...`"))
        .with_fix("compare with `and`", TextRange::empty(operator.start()), format!("and {middle} "))
}

/// `whole`: what should stand in the parentheses.
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
