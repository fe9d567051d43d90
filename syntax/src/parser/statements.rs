//! Statements and blocks.

use rowan::TextRange;

use super::{MAX_BLOCKS, MAX_ELIFS, Marker, Parser, expressions, types};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};
use crate::spelling;

/// The words that statements start with, for "did you mean".
const STATEMENT_WORDS: &[&str] = &[
    "let", "for", "foreach", "while", "if", "elif", "else", "cif", "cwhile", "cfor", "break", "continue", "return",
    "pass", "assert",
];

/// The block after a header: the colon, then either an indented block or one simple statement on the same line.
/// `what` is what a message calls the header.
pub(super) fn body(p: &mut Parser<'_>, what: &str) {
    colon(p, what);
    if p.at(NEWLINE) { indented(p, what, block) } else { inline_body(p) }
}

/// The same for lines that are no statements: they cannot stand on the header's line.
pub(super) fn body_of_lines(p: &mut Parser<'_>, what: &str, line: fn(&mut Parser<'_>)) {
    colon(p, what);
    if p.at(NEWLINE) {
        indented(p, what, |p| block_with(p, line));
    } else {
        finish_line(p);
    }
}

/// The colon that ends a header.
fn colon(p: &mut Parser<'_>, what: &str) {
    if !p.at(COLON) {
        let place = if p.at_line_end() { p.behind() } else { p.here() };
        let error = match p.current() {
            kind if kind.is_closing() => errors::stray_bracket(p.here(), kind),
            L_BRACE => {
                errors::foreign(p.here(), "blocks are made by indentation, not by braces", "end the line with `:`")
            }
            _ if p.at_line_end() => errors::expected_colon(place, what),
            _ => errors::expected_token(place, "`:`", &format!("at the end of {what}"), &p.found()),
        };
        p.error(error);
        // A colon further on ends the header all the same.
        p.skip_until(|p| p.at(COLON) && p.nth(1) == NEWLINE);
    }
    p.eat(COLON);
}

/// The line's end, and the block below it.
fn indented(p: &mut Parser<'_>, what: &str, block: impl FnOnce(&mut Parser<'_>)) {
    let header_end = p.behind();
    let failed = p.silenced;
    p.bump();
    if p.at(INDENT) {
        block(p);
    } else if !failed {
        // The line break has ended the silence, so this is the header's one error.
        p.error(errors::expected_block(header_end, what));
        p.silenced = false;
    }
}

fn inline_body(p: &mut Parser<'_>) {
    if p.at_line_end() {
        return;
    }
    let node = p.start();
    if let FOR_KW | FOREACH_KW | CFOR_KW | WHILE_KW | CWHILE_KW | IF_KW | CIF_KW | AT = p.current() {
        let error = errors::expected_end_of_line(
            p.here(),
            &p.found(),
            Some("only a simple statement can stand on the line of its header; start a new line".to_owned()),
        );
        p.soft_error(error);
    }
    statement(p);
    p.complete(node, BLOCK);
}

/// An indented block of statements; the current mark is its INDENT.
pub(super) fn block(p: &mut Parser<'_>) {
    block_with(p, statement);
}

/// An indented block of whatever `line` parses.
pub(super) fn block_with(p: &mut Parser<'_>, line: fn(&mut Parser<'_>)) {
    if p.blocks == MAX_BLOCKS {
        too_many_blocks(p);
        return;
    }
    p.blocks += 1;
    let node = p.start();
    p.bump();
    while !matches!(p.current(), DEDENT | END) {
        let before = p.pos;
        line(p);
        assert!(p.pos > before, "a statement did not advance");
    }
    if p.at(DEDENT) {
        p.bump();
    }
    p.complete(node, BLOCK);
    p.blocks -= 1;
}

/// Takes a whole block, and all blocks in it, as one error.
fn too_many_blocks(p: &mut Parser<'_>) {
    let node = p.start();
    let place = p.range(p.pos + 1);
    p.error(errors::too_deep(place, "this nest of blocks", MAX_BLOCKS as usize));
    let mut depth = 0;
    loop {
        match p.current() {
            INDENT => depth += 1,
            DEDENT => depth -= 1,
            END => break,
            _ => {}
        }
        p.bump();
        p.silenced = true;
        if depth == 0 {
            break;
        }
    }
    p.silenced = false;
    p.complete(node, ERROR);
}

/// One statement, with the line breaks and blocks that belong to it. Always advances, unless the block is over.
pub(super) fn statement(p: &mut Parser<'_>) {
    if p.at(INDENT) {
        let place = p.range(p.pos + 1);
        p.error(errors::unexpected_indent(place, false));
        p.silenced = false;
        block(p);
        return;
    }
    let first = p.pos;
    let node = p.start();
    if p.at(AT) {
        attributes(p);
        if matches!(p.current(), DEDENT | END) {
            let error = errors::attribute_without_target(p.since(first));
            p.error(error);
            p.silenced = false;
            p.complete(node, STRAY_STMT);
            return;
        }
        if p.at(INDENT) {
            p.complete(node, STRAY_STMT);
            return;
        }
    }
    let kind = match p.current() {
        LET_KW => let_(p),
        FOR_KW | CFOR_KW => for_(p),
        FOREACH_KW => foreach(p),
        WHILE_KW | CWHILE_KW => while_(p),
        IF_KW | CIF_KW => if_(p),
        BREAK_KW => word(p, BREAK_STMT),
        CONTINUE_KW => word(p, CONTINUE_STMT),
        PASS_KW => word(p, PASS_STMT),
        RETURN_KW => return_(p),
        ASSERT_KW => assert_(p),
        ELIF_KW | ELSE_KW => stray_else(p),
        KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW => nested_item(p),
        kind if expressions::starts_expression(kind) || matches!(kind, PLUS | L_BRACKET | L_BRACE) => {
            expression_statement(p, node);
            return;
        }
        _ => stray(p),
    };
    p.complete(node, kind);
}

/// Attributes, each on a line of its own.
pub(super) fn attributes(p: &mut Parser<'_>) {
    while p.at(AT) {
        let attribute = p.start();
        p.bump();
        p.name("an attribute's name after `@`");
        if p.at(L_PAREN) {
            let args = p.start();
            let open = p.pos;
            p.bump();
            p.separated(open, |p| {
                expressions::expression(p, "as the attribute's argument");
            });
            p.close(open, "");
            p.complete(args, ATTR_ARGS);
        }
        if !p.at_line_end() && !p.silenced {
            let gap = TextRange::new(p.behind().end(), p.here().start());
            let indentation = " ".repeat(column_of_line(p) as usize);
            let error = errors::attribute_on_same_line(gap, &indentation);
            p.soft_error(error);
            p.complete(attribute, ATTR);
            continue;
        }
        finish_line(p);
        p.complete(attribute, ATTR);
    }
}

/// The width of the white space that the current token's line starts with.
fn column_of_line(p: &Parser<'_>) -> u32 {
    let start: usize = p.here().start().into();
    let line = &p.text[p.text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1)..];
    (line.len() - line.trim_start_matches(' ').len()) as u32
}

/// The end of a simple statement's line. What stands there instead is an error.
pub(super) fn finish_line(p: &mut Parser<'_>) {
    if !p.at_line_end() {
        let error = unexpected(p);
        p.error(error);
        p.skip_line();
    }
    let failed = p.silenced;
    p.eat(NEWLINE);
    if failed && p.at(INDENT) {
        // Most likely this was meant to be a header; its block is good all the same.
        block(p);
    }
}

/// What to say about a token behind a complete statement.
fn unexpected(p: &Parser<'_>) -> crate::diagnostic::Diagnostic {
    let place = p.here();
    match p.current() {
        SEMICOLON => errors::semicolon(place, p.nth(1) == NEWLINE),
        kind if kind.is_closing() => errors::stray_bracket(place, kind),
        EQ | COLON_EQ => errors::chained_assignment(place),
        COMMA => errors::foreign(place, "there are no tuples", "write one assignment a line"),
        QUESTION => {
            errors::foreign(place, "there is no `?` here", "the condition stands in the middle: `a if c else b`")
        }
        ELLIPSIS => errors::foreign(place, "there is no `...` here", "a range is written `range(a, b)`"),
        L_BRACE => errors::foreign(place, "blocks are made by indentation, not by braces", "end the line with `:`"),
        FOR_KW => {
            errors::foreign(place, "there are no comprehensions", "`map(\\x -> ..., a)` makes an array of another")
        }
        _ => errors::expected_end_of_line(place, &p.found(), None),
    }
}

fn word(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    p.bump();
    finish_line(p);
    kind
}

fn let_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    p.name("a name after `let`");
    if p.eat(COLON) {
        types::type_(p);
    }
    value(p, "after the name that `let` defines");
    finish_line(p);
    LET_STMT
}

/// `= e`, as `let` and `const` have it.
pub(super) fn value(p: &mut Parser<'_>, context: &str) {
    if p.at(COLON_EQ) {
        let error = errors::instead(p.here(), ":=", "=");
        p.soft_error(error);
        p.bump();
    } else if !p.eat(EQ) {
        let place = if p.at_line_end() { p.behind() } else { p.here() };
        let error = errors::expected_token(place, "`=` and a value", context, &p.found());
        p.error(error);
        return;
    }
    expressions::expression(p, "after `=`");
}

fn return_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    if !p.at_line_end() {
        expressions::expression(p, "after `return`");
    }
    finish_line(p);
    RETURN_STMT
}

fn assert_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    condition(p, "after `assert`");
    finish_line(p);
    ASSERT_STMT
}

fn condition(p: &mut Parser<'_>, context: &str) {
    expressions::expression(p, context);
    if p.at(EQ) {
        expressions::assignment_for_comparison(p);
    }
}

fn for_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    loop_index(p, false);
    if p.at(COMMA) && !p.silenced {
        let error = errors::foreign(
            p.here(),
            "a `for` has one index",
            "nest a second `for` inside; `foreach i in range(n), j in range(m):` has several",
        );
        p.error(error);
    }
    body(p, "the `for` line");
    FOR_STMT
}

fn foreach(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    loop_index(p, true);
    while p.at(COMMA) {
        p.bump();
        loop_index(p, true);
    }
    body(p, "the `foreach` line");
    FOREACH_STMT
}

/// `i in range(n)`.
fn loop_index(p: &mut Parser<'_>, foreach: bool) {
    let index = p.start();
    let at = p.pos;
    let named = p.name("the loop's index");
    if p.eat(IN_KW) {
        let first = p.pos;
        let ranges = p.at(IDENT) && p.current_text() == "range" && p.nth(1) == L_PAREN;
        let over = expressions::expression(p, "after `in`");
        let is_range = ranges && over.is_some_and(|over| over.kind == CALL_EXPR);
        if over.is_some() && !is_range {
            let error = errors::expected_range(p.since(first), foreach);
            p.soft_error(error);
        }
    } else if named {
        let place = if p.at_line_end() { p.behind() } else { p.here() };
        let context = format!("after the loop's index `{}`", p.text_at(at));
        let error = errors::expected_token(place, "`in`", &context, &p.found());
        p.error(error);
    }
    p.complete(index, LOOP_INDEX);
}

fn while_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    condition(p, "after `while`");
    body(p, "the `while` line");
    WHILE_STMT
}

fn if_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    condition(p, "after `if`");
    body(p, "the `if` line");
    let mut n_elifs = 0;
    while p.at(ELIF_KW) || (p.at(ELSE_KW) && p.nth(1) == IF_KW) {
        if n_elifs == MAX_ELIFS {
            p.soft_error(errors::too_deep(p.here(), "this chain of `elif`", MAX_ELIFS));
        }
        n_elifs += 1;
        let branch = p.start();
        if p.at(ELSE_KW) {
            let range = p.here().cover(p.range(p.pos + 1));
            p.soft_error(errors::instead(range, "else if", "elif"));
            p.bump();
        }
        p.bump();
        condition(p, "after `elif`");
        body(p, "the `elif` line");
        p.complete(branch, ELIF_BRANCH);
    }
    if p.at(ELSE_KW) {
        let branch = p.start();
        p.bump();
        body(p, "the `else` line");
        p.complete(branch, ELSE_BRANCH);
    }
    IF_STMT
}

/// `else` or `elif` where no `if` is: its block is kept.
fn stray_else(p: &mut Parser<'_>) -> SyntaxKind {
    let error = errors::else_without_if(p.here(), p.current_text());
    p.error(error);
    p.bump();
    p.skip_until(|p| p.at(COLON) && p.nth(1) == NEWLINE);
    body(p, "this line");
    STRAY_STMT
}

fn nested_item(p: &mut Parser<'_>) -> SyntaxKind {
    let error = errors::nested_item(p.here(), p.current_text());
    p.error(error);
    p.skip_line();
    finish_line(p);
    STRAY_STMT
}

fn stray(p: &mut Parser<'_>) -> SyntaxKind {
    let kind = p.current();
    let error = if kind.is_closing() {
        errors::stray_bracket(p.here(), kind)
    } else if kind == UNIFORM_KW || kind == VARYING_KW {
        let word = p.current_text();
        errors::foreign(
            p.here(),
            &format!("`{word}` stands before a type, not before a statement"),
            &format!("write `let x: {word} f32 = ...`"),
        )
    } else {
        errors::expected_statement(p.here(), &p.found())
    };
    p.error(error);
    p.skip_line();
    finish_line(p);
    STRAY_STMT
}

/// An assignment, or an expression whose value nobody takes.
fn expression_statement(p: &mut Parser<'_>, node: Marker) {
    let first = p.pos;
    if let Some(error) = wrong_first_word(p) {
        p.error(error);
    }
    let target = expressions::expression(p, "here");
    if p.at(COLON) && target.is_some_and(|target| target.kind == NAME_REF) && !p.silenced {
        annotation(p, first);
    }
    let kind = if p.current().is_assignment() || p.at(COLON_EQ) {
        if !p.silenced && target.is_some_and(|target| !matches!(target.kind, NAME_REF | INDEX_EXPR | FIELD_EXPR)) {
            let error = errors::bad_target(p.since(first));
            p.soft_error(error);
        }
        if p.at(COLON_EQ) {
            let error = errors::instead(p.here(), ":=", "=");
            p.soft_error(error);
        }
        let operator = p.current_text();
        p.bump();
        expressions::expression(p, &format!("after `{operator}`"));
        ASSIGN_STMT
    } else {
        EXPR_STMT
    };
    finish_line(p);
    p.complete(node, kind);
}

/// `x: f32 = 1.0`: the type is parsed, and the statement goes on as an assignment.
fn annotation(p: &mut Parser<'_>, first: usize) {
    let start = p.range(first).start();
    if p.nth(1) == NEWLINE {
        return;
    }
    let error = errors::annotation_without_let(p.here(), start, p.text_at(first));
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    types::type_(p);
    p.complete(skipped, ERROR);
}

/// Two words in a row start no statement: the first is a misspelled keyword, or one of another language.
fn wrong_first_word(p: &Parser<'_>) -> Option<crate::diagnostic::Diagnostic> {
    if !p.at(IDENT) {
        return None;
    }
    let (word, range) = (p.current_text(), p.here());
    let header = matches!(p.nth(1), IDENT | INT | FLOAT | TRUE_KW | FALSE_KW | NOT_KW | COLON);
    if !header {
        return None;
    }
    if p.nth(1) == COLON && p.nth(2) != NEWLINE {
        return None;
    }
    if p.nth(1) == IDENT
        && matches!(p.nth(2), EQ | NEWLINE | L_BRACKET)
        && spelling::closest(word, STATEMENT_WORDS).is_none()
    {
        let name = p.text_at(p.pos + 1);
        let help = format!("a type stands behind its name: `let {name}: {word} = ...`");
        return Some(errors::expected_end_of_line(p.range(p.pos + 1), &format!("`{name}`"), Some(help)));
    }
    if let Some(meant) = spelling::closest(word, STATEMENT_WORDS) {
        return Some(errors::misspelled(range, word, meant));
    }
    let (message, help) = match word {
        "var" | "auto" | "val" => return Some(errors::misspelled(range, word, "let")),
        "elsif" | "elseif" => return Some(errors::misspelled(range, word, "elif")),
        "def" | "func" | "function" => return Some(errors::nested_item(range, word)),
        "do" | "repeat" | "loop" | "until" => {
            ("there is no such loop", "`while c:` tests before each turn; `break` leaves a loop anywhere")
        }
        "switch" | "match" | "case" => ("there is no such statement", "choose with `if`, `elif` and `else`"),
        "print" => ("kernels do not print", "store to an array parameter; `lanescope run` prints it"),
        "import" | "from" | "include" | "using" => {
            ("there are no imports", "a file's items see each other; the built-in functions are always there")
        }
        _ => return None,
    };
    Some(errors::foreign(range, message, help))
}
