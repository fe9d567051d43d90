//! Statements and blocks.

use rowan::TextRange;

use super::expressions::AFTER_TOKEN;
use super::{
    MAX_BLOCKS, MAX_ELIFS, Marker, Parser, braces, declarations, expressions, forms, generics, habits, headers,
    matching, others, types,
};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Parses the block after a header: the colon, then either an indented block or one simple statement on the same line. `what`
/// names the header in messages.
pub(super) fn body(p: &mut Parser<'_>, what: &str) {
    colon(p, what);
    if p.at(NEWLINE) { indented(p, what, "statements", statement) } else { inline_body(p) }
}

/// Parses the colon and the block of a struct, which holds fields instead of statements.
pub(super) fn fields(p: &mut Parser<'_>, field: fn(&mut Parser<'_>)) {
    lines(p, "the `struct` line", "fields", field);
}

/// Parses the colon behind a header, and the block of `lines` below it, each by `line`.
pub(super) fn lines(p: &mut Parser<'_>, what: &str, lines: &str, line: fn(&mut Parser<'_>)) {
    colon(p, what);
    block_of_header(p, what, lines, line);
}

/// Parses the colon that ends a header, or the brace that stands for it.
pub(super) fn colon(p: &mut Parser<'_>, what: &str) {
    if !p.silenced && habits::statement_behind_header(p) {
        // The statement is the body, as if there were a colon.
        let error = errors::expected_colon(p.behind(), what);
        p.soft_error(error);
        return;
    }
    if p.at(L_BRACE)
        && !p.silenced
        && let Some((error, stop)) = braces::block(p, what)
    {
        p.error(error);
        skip_to(p, stop);
        return;
    }
    if !p.at(COLON) {
        let error = match p.current() {
            kind if kind.is_closing() => p.stray_bracket(),
            IDENT if p.current_text() == "then" => {
                let gap = TextRange::new(p.behind().end(), p.here().end());
                errors::needless_word(p.here(), gap, "then", "a `:` ends the line")
            }
            _ if p.at_line_end() => errors::expected_colon(p.behind(), what),
            _ => habits::behind_value(p).unwrap_or_else(|| {
                errors::expected_token(p.here(), "`:`", &format!("at the end of {what}"), &p.found())
            }),
        };
        p.error(error);
        // If there is a colon further on, it ends the header.
        p.skip_until(|p| p.at_any(&[COLON, L_BRACE]) && p.nth(1) == NEWLINE);
    }
    if p.at(L_BRACE) {
        let brace = p.start();
        p.bump();
        p.complete(brace, ERROR);
        p.braces += 1;
    } else {
        p.eat(COLON);
    }
}

/// Parses the block of a header behind its colon: `lines` below it, or the rest of the line.
pub(super) fn block_of_header(p: &mut Parser<'_>, what: &str, lines: &str, line: fn(&mut Parser<'_>)) {
    if p.at(NEWLINE) { indented(p, what, lines, line) } else { finish_line_before(p, line) }
}

/// Parses the line's end, and the block of `lines` below it, each by `line`.
fn indented(p: &mut Parser<'_>, what: &str, lines: &str, line: fn(&mut Parser<'_>)) {
    let header_end = p.behind();
    let failed = p.silenced;
    p.bump();
    if p.at(L_BRACE) && p.nth(1) == NEWLINE && p.nth(2) == INDENT {
        brace_below(p, header_end);
        block_with(p, line);
        p.lost_header = failed;
    } else if p.at(INDENT) {
        block_with(p, line);
        p.lost_header = failed;
    } else if !failed {
        // The line break has reset the silence, so this must be the header's only error.
        p.error(errors::expected_block(header_end, what, lines));
        p.silenced = false;
    }
}

/// Skips a brace on the line below its header, with the line's end.
fn brace_below(p: &mut Parser<'_>, header_end: TextRange) {
    let line = TextRange::new(header_end.end(), p.here().end());
    p.soft_error(errors::brace_below_header(p.here(), line));
    p.braces += 1;
    skip_to(p, p.pos + 2);
}

fn inline_body(p: &mut Parser<'_>) {
    if p.at_line_end() {
        return;
    }
    let node = p.start();
    let is_static = generics::is_static(p) && p.nth(1) != ASSERT_KW;
    if is_static || starts_loop(p.current()) || p.at_any(&[IF_KW, CIF_KW, AT]) {
        let error = errors::header_on_line_of_header(p.here(), &p.found());
        p.error(error);
    }
    if p.blocks == MAX_BLOCKS {
        let error = errors::too_deep(p.here(), "this nest of blocks", MAX_BLOCKS as usize);
        p.error(error);
        finish_line(p);
        p.complete(node, ERROR);
        return;
    }
    p.blocks += 1;
    let (first, n_errors) = (p.pos, p.errors.len());
    let gap = TextRange::new(p.behind().end(), p.here().start());
    statement(p);
    if p.at(INDENT) {
        if p.errors.len() == n_errors {
            let error = errors::block_in_two_places(p.since(first), gap, p.indentation(p.pos + 1));
            p.errors.push(error);
        }
        block(p);
    }
    p.complete(node, BLOCK);
    p.blocks -= 1;
}

/// Parses an indented block of statements; the current mark is its INDENT.
pub(super) fn block(p: &mut Parser<'_>) {
    block_with(p, statement);
}

/// Parses an indented block whose lines are parsed by `line`.
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

fn too_many_blocks(p: &mut Parser<'_>) {
    let place = p.range(p.pos + 1);
    p.error(errors::too_deep(place, "this nest of blocks", MAX_BLOCKS as usize));
    skip_block(p);
}

/// Skips a whole block with all blocks in it; the current mark is its INDENT.
pub(super) fn skip_block(p: &mut Parser<'_>) {
    let node = p.start();
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

/// Parses one statement, with the line breaks and blocks that belong to it. Always advances, unless the block is over.
pub(super) fn statement(p: &mut Parser<'_>) {
    if p.at(INDENT) {
        let place = p.range(p.pos + 1);
        p.error(errors::unexpected_indent(place, false));
        p.silenced = false;
        block(p);
        return;
    }
    let lost_header = std::mem::take(&mut p.lost_header);
    let first = p.pos;
    let node = p.start();
    if p.at(AT) {
        let n_errors = p.errors.len();
        attributes(p);
        if matches!(p.current(), DEDENT | END) {
            if p.errors.len() == n_errors {
                p.errors.push(errors::attribute_without_target(p.since(first)));
            }
            p.complete(node, STRAY_STMT);
            return;
        }
        if p.at(INDENT) {
            if p.errors.len() > n_errors {
                block(p);
                p.lost_header = true;
            }
            p.complete(node, STRAY_STMT);
            return;
        }
    }
    if p.at(R_BRACE) && p.braces > 0 {
        p.braces -= 1;
        closing_brace(p);
        p.complete(node, STRAY_STMT);
        return;
    }
    if matching::starts(p) || matching::starts_of_c(p) {
        let kind = matching::match_(p);
        p.complete(node, kind);
        return;
    }
    if p.at(IDENT) && matches!(p.nth(1), COLON | L_BRACE) && matches!(p.current_text(), "loop" | "do") {
        let kind = match (p.current_text(), p.nth(2)) {
            ("loop", NEWLINE) => Some(others::loop_of_rust(p)),
            ("loop", _) if p.nth(1) == L_BRACE => Some(others::loop_of_rust(p)),
            ("do", NEWLINE) => Some(others::do_while(p)),
            _ => None,
        };
        if let Some(kind) = kind {
            p.complete(node, kind);
            return;
        }
    }
    generics::static_word(p);
    let mut keyword = p.current();
    let misspelled = habits::statement_keyword(p);
    if let Some(meant) = misspelled {
        // Parsed as the statement that was meant, so that the tree has its parts.
        let error = errors::misspelled(p.here(), p.current_text(), meant);
        p.error(error);
        keyword = SyntaxKind::from_keyword(meant).unwrap_or(keyword);
    }
    let kind = match keyword {
        _ if misspelled == Some("match") => matching::match_(p),
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
        ELIF_KW | ELSE_KW => stray_else(p, lost_header),
        KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW => nested_item(p),
        kind if expressions::starts_expression(kind) || matches!(kind, PLUS | L_BRACE) => {
            expression_statement(p, node);
            return;
        }
        _ => stray(p),
    };
    p.lost_header |= misspelled.is_some();
    p.complete(node, kind);
}

/// Parses attributes, each on a line of its own.
pub(super) fn attributes(p: &mut Parser<'_>) {
    while p.at(AT) {
        let (attribute, at) = (p.start(), p.pos);
        p.bump();
        let named = p.name("an attribute's name after `@`");
        let of_class = named && p.text_at(p.pos - 1) == "dataclass";
        if of_class {
            let end = (p.pos..).find(|&pos| p.is_mark(pos)).unwrap_or(p.pos);
            let line = TextRange::new(p.range(at).start(), p.range(end + 1).start());
            p.soft_error(errors::line_of_others(
                p.range(at).cover(p.range(end - 1)),
                line,
                "a struct needs no decorator",
                "it is made by a call of its name, with the values of its fields",
            ));
            skip_to(p, end);
        } else if named && p.at(DOT) {
            let end = (p.pos..).find(|&pos| p.is_mark(pos)).unwrap_or(p.pos);
            let line = TextRange::new(p.range(at).start(), p.range(end + 1).start());
            p.soft_error(errors::attribute_of_python(p.range(at).cover(p.range(end - 1)), line));
            let skipped = p.start();
            while p.pos < end {
                p.bump();
            }
            p.complete(skipped, ERROR);
        }
        if p.at(L_PAREN) {
            let args = p.start();
            let open = p.open();
            p.separated(open, |p| {
                if expressions::named_argument(p).is_none() {
                    expressions::expression(p, "as the attribute's argument");
                }
            });
            p.close(open);
            p.complete(args, ATTR_ARGS);
        }
        let at_target =
            matches!(p.current(), AT | KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW) || starts_loop(p.current());
        let same_line = named && at_target;
        if same_line && !p.silenced {
            let gap = TextRange::new(p.behind().end(), p.here().start());
            p.error(errors::attribute_on_same_line(gap, p.indentation(p.pos)));
        }
        if same_line {
            p.complete(attribute, ATTR);
            continue;
        }
        end_line(p);
        p.complete(attribute, ATTR);
    }
}

fn starts_loop(kind: SyntaxKind) -> bool {
    matches!(kind, FOR_KW | CFOR_KW | FOREACH_KW | WHILE_KW | CWHILE_KW)
}

/// Parses the end of a simple statement's line; any other token there is an error.
pub(super) fn finish_line(p: &mut Parser<'_>) {
    finish_line_before(p, statement);
}

/// Parses the end of a line that may have been meant as a header, with a block below it whose lines are parsed by `line`.
pub(super) fn finish_line_before(p: &mut Parser<'_>, line: fn(&mut Parser<'_>)) {
    let failed = end_line(p);
    if failed && p.at(INDENT) {
        // Most likely the line was meant to be a header; its block is parsed as usual.
        let has_cases = matching::starts_case(p, p.pos + 1) || matching::starts_arm(p, p.pos + 1);
        block_with(p, if has_cases { matching::line } else { line });
        p.lost_header = true;
    }
}

/// Skips the rest of a logical line, and its end; returns true if the line had an error.
fn end_line(p: &mut Parser<'_>) -> bool {
    if !p.at_line_end() {
        let error = habits::behind_statement(p);
        p.error(error);
        p.skip_line();
    }
    let failed = p.silenced;
    p.eat(NEWLINE);
    failed
}

fn word(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    p.bump();
    finish_line(p);
    kind
}

fn let_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    let mutable = p.at(IDENT) && p.nth(1) == IDENT && matches!(p.current_text(), "mut" | "mutable");
    if mutable {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        p.soft_error(errors::needless_word(
            p.here(),
            gap,
            "mut",
            "every name but a parameter can be assigned to again",
        ));
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    } else if habits::type_before_name(p) {
        type_before_name(p, "");
    }
    name_and_value(p)
}

/// Parses the names that a `let` defines, their value, and the line's end.
fn name_and_value(p: &mut Parser<'_>) -> SyntaxKind {
    if !defined(p) || !(p.at_line_end() || p.at(SEMICOLON)) {
        value(p, "after the name that `let` defines");
    }
    if p.at(IN_KW) {
        let error = errors::foreign(p.here(), "a `let` has no `in`", "what follows stands on the next line");
        p.error(error);
    }
    finish_line(p);
    LET_STMT
}

/// Parses the name that a `let` defines, with its type, or several: `a, b`, or `(a, b)`. Returns true for one with the type of an
/// array, which needs no value.
fn defined(p: &mut Parser<'_>) -> bool {
    if p.at(L_PAREN) {
        let open = p.open();
        if p.at_close(open) {
            p.name("a name after `let`");
        }
        p.separated(open, |p| {
            let part = p.start();
            name_and_type(p);
            p.complete(part, LET_PART);
        });
        p.close(open);
        return false;
    }
    let part = p.start();
    let is_array = name_and_type(p);
    if !p.at(COMMA) || p.silenced {
        p.abandon(part);
        return is_array;
    }
    p.complete(part, LET_PART);
    while p.eat(COMMA) {
        let part = p.start();
        name_and_type(p);
        p.complete(part, LET_PART);
    }
    false
}

/// Parses a name, with its type if the text has one. Returns true for the type of an array.
fn name_and_type(p: &mut Parser<'_>) -> bool {
    p.name("a name after `let`");
    if p.eat(COLON) {
        let is_array = p.at_any(&[UNIFORM_KW, VARYING_KW]) && p.nth(2) == L_BRACKET || p.nth(1) == L_BRACKET;
        types::type_(p);
        return is_array;
    }
    false
}

/// Parses `= e`, as in `let` and `const`.
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
    if !others::match_as_value(p) {
        expressions::values(p, AFTER_TOKEN);
    }
}

fn return_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    if !(others::match_as_value(p) || p.at_line_end() || p.at(SEMICOLON)) {
        expressions::values(p, "after `return`");
    }
    finish_line(p);
    RETURN_STMT
}

fn assert_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    if p.at(BANG) && p.nth(1) == L_PAREN && p.behind().end() == p.here().start() {
        let error = errors::needless_word(p.here(), p.here(), "!", "`assert` is a statement: `assert c`");
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
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
    if p.at(COMMA) {
        let error = forms::second_index(p);
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

/// Parses a loop's index and range: `i in range(n)`, or several names and what has that many: `i, x in enumerate(a)`.
fn loop_index(p: &mut Parser<'_>, foreach: bool) {
    let index = p.start();
    let names = loop_header(p, foreach);
    if let Some(at) = names {
        range(p, foreach, at);
    }
    p.complete(index, LOOP_INDEX);
}

/// Parses the names of a loop or a comprehension, up to `in`. Gives the mark of the first name; `None` where there is no `in`.
pub(super) fn loop_header(p: &mut Parser<'_>, foreach: bool) -> Option<usize> {
    let keyword = if foreach { "foreach" } else { "for" };
    if let Some((error, stop)) = headers::in_parentheses(p, keyword) {
        skip_to(p, stop);
        p.error(error);
        return None;
    }
    if !(p.at(IDENT) || p.at(L_PAREN) && forms::is_names_in_parentheses(p) || p.current().is_keyword()) {
        let error = errors::expected_index(p.here(), &p.found(), foreach);
        p.error(error);
        return None;
    }
    let at = p.pos;
    let named = loop_names(p);
    if p.eat(IN_KW) {
        return Some(at);
    }
    if named {
        let place = if p.at_line_end() { p.behind() } else { p.here() };
        let error = headers::behind_index(p, at, keyword)
            .unwrap_or_else(|| errors::expected_in(place, p.text_at(at), &p.found(), p.at(EQ)));
        p.error(error);
    }
    None
}

/// Parses the name of a loop's index, or several. Returns false for a name that is none.
fn loop_names(p: &mut Parser<'_>) -> bool {
    let part = p.start();
    let in_parentheses = p.at(L_PAREN);
    let mut named = name_or_several(p);
    if !p.at(COMMA) && !in_parentheses {
        p.abandon(part);
        return named;
    }
    p.complete(part, LOOP_PART);
    while named && p.eat(COMMA) {
        named = loop_part(p);
    }
    named
}

/// Parses one of several names of a loop's header.
fn loop_part(p: &mut Parser<'_>) -> bool {
    let part = p.start();
    let named = name_or_several(p);
    p.complete(part, LOOP_PART);
    named
}

/// Parses a name, or several in parentheses.
fn name_or_several(p: &mut Parser<'_>) -> bool {
    if !p.at(L_PAREN) {
        return p.name("the loop's index");
    }
    let open = p.open();
    if p.at_close(open) {
        return p.name("a name in the parentheses");
    }
    let named = p.nested(|p| {
        let mut named = true;
        p.separated(open, |p| named &= loop_part(p));
        named
    });
    p.close(open);
    named.unwrap_or(false)
}

/// Parses what a loop goes over: a call of `range`, or an array.
///
/// `index`: the mark of the index.
fn range(p: &mut Parser<'_>, foreach: bool, index: usize) {
    let first = p.pos;
    if let Some((error, stop)) = forms::backwards(p) {
        skip_to(p, stop);
        p.error(error);
        return;
    }
    if p.at(L_PAREN)
        && let Some((error, stop)) = headers::range_of_rust(p)
    {
        p.soft_error(error);
        skip_to(p, stop);
        return;
    }
    let ranges = p.at(IDENT) && p.current_text() == "range" && p.nth(1) == L_PAREN;
    let over = expressions::expression(p, "after `in`");
    if p.at_any(&[DOT2, ELLIPSIS, IDENT])
        && let Some((error, stop)) = headers::dots_of_rust(p, first)
    {
        p.soft_error(error);
        skip_to(p, stop);
        return;
    }
    if p.at_any(&[DOT2, ELLIPSIS]) {
        let (dots, text) = (p.here(), p.current_text());
        let skipped = p.start();
        p.bump();
        expressions::expression(p, "as the end of the range");
        p.complete(skipped, ERROR);
        p.error(errors::range_with_dots(p.since(first), dots, text));
        return;
    }
    if let Some(error) = headers::between_numbers(p, first) {
        let skipped = p.start();
        p.bump();
        expressions::expression(p, "as the end of the range");
        p.complete(skipped, ERROR);
        p.error(error);
        return;
    }
    let is_range = ranges && over.is_some_and(|over| over.kind == CALL_EXPR);
    if over.is_none() || is_range {
        return;
    }
    // A loop may go over an array; what is none is found when types are.
    if foreach {
        let alone = p.pos == first + 1;
        let counts = match p.layout.kinds[first] {
            IDENT if alone => is_count(p, (index, first)),
            INT | FLOAT => alone,
            _ => false,
        };
        if counts {
            p.error(errors::expected_range(p.since(first), true));
        }
    }
}

/// Skips the tokens before the mark at `stop`.
pub(super) fn skip_to(p: &mut Parser<'_>, stop: usize) {
    let skipped = p.start();
    while p.pos < stop {
        p.bump();
    }
    p.complete(skipped, ERROR);
}

/// Says whether the name that a loop goes over is a count by the looks of it; `index` and `over` are the marks of the two names.
fn is_count(p: &Parser<'_>, (index, over): (usize, usize)) -> bool {
    let (element, name) = (p.text_at(index), p.text_at(over));
    habits::array_size(p.text, name).is_none()
        && (habits::is_count(p.text, name) || habits::is_subscript(p.text, element))
}

/// Returns true if this `else` was meant as an `elif`: a value follows, and a colon at the end of the line.
fn has_condition(p: &Parser<'_>) -> bool {
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    line.len() > 2 && expressions::starts_expression(line[1]) && line.last() == Some(&COLON)
}

fn while_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    condition(p, AFTER_TOKEN);
    body(p, "the `while` line");
    WHILE_STMT
}

fn if_(p: &mut Parser<'_>) -> SyntaxKind {
    let word = p.here();
    p.bump();
    if p.at(IDENT) && p.current_text() == "constexpr" && !matches!(p.nth(1), COLON | DOT) && !p.silenced {
        let error = errors::instead(word.cover(p.here()), "if constexpr", "static if");
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    if p.at(LET_KW) {
        let error = errors::foreign(
            word.cover(p.here()),
            "a condition takes no value apart",
            "write `match e:`, and below it `case Circle(r):`, with the statements of this block, and `case _: pass`",
        );
        p.error(error);
        p.skip_until(|p| p.at_any(&[COLON, L_BRACE]) && p.nth(1) == NEWLINE);
    } else {
        condition(p, "after `if`");
    }
    body(p, "the `if` line");
    let mut n_elifs = 0;
    while p.at(ELIF_KW) || (p.at(ELSE_KW) && (p.nth(1) == IF_KW || has_condition(p))) {
        if n_elifs == MAX_ELIFS {
            p.soft_error(errors::too_long(p.here(), "this chain of `elif`", MAX_ELIFS));
        }
        n_elifs += 1;
        let branch = p.start();
        if p.at(ELSE_KW) && p.nth(1) == IF_KW {
            let range = p.here().cover(p.range(p.pos + 1));
            p.soft_error(errors::instead(range, "else if", "elif"));
            p.bump();
        } else if p.at(ELSE_KW) {
            let error = errors::else_with_condition(p.here());
            p.soft_error(error);
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

/// Parses an `else` or `elif` without an `if`, and keeps its block.
fn stray_else(p: &mut Parser<'_>, lost_header: bool) -> SyntaxKind {
    if !lost_header {
        let error = errors::else_without_if(p.here(), p.current_text());
        p.error(error);
    }
    let conditional = p.at(ELIF_KW);
    p.bump();
    if conditional {
        condition(p, "after `elif`");
    }
    body(p, "this line");
    p.lost_header = true;
    STRAY_STMT
}

fn nested_item(p: &mut Parser<'_>) -> SyntaxKind {
    if p.at(CONST_KW)
        && let Some((error, declared, ends)) = declarations::statement(p)
    {
        return others::declaration(p, error, &declared, ends);
    }
    let of_c = if p.at(CONST_KW) { habits::qualified_name(p) } else { None };
    if let Some(error) = of_c {
        p.soft_error(error);
        p.bump();
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
        return name_and_value(p);
    }
    let error = errors::nested_item(p.here(), p.current_text());
    p.error(error);
    if p.at(CONST_KW) {
        return let_(p);
    }
    p.skip_line();
    finish_line(p);
    STRAY_STMT
}

fn stray(p: &mut Parser<'_>) -> SyntaxKind {
    let kind = p.current();
    if kind == R_BRACE && matches!(p.nth(1), ELSE_KW | ELIF_KW) {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let error = errors::brace_before_else(p.here(), gap);
        p.error(error);
        let brace = p.start();
        p.bump();
        p.complete(brace, ERROR);
        return stray_else(p, true);
    }
    if let Some((error, declared, ends)) =
        declarations::statement(p).filter(|_| kind == UNIFORM_KW || kind == VARYING_KW)
    {
        return others::declaration(p, error, &declared, ends);
    }
    let error = if kind.is_closing() {
        p.stray_bracket()
    } else if kind == UNIFORM_KW || kind == VARYING_KW {
        let word = p.current_text();
        habits::qualified_name(p).unwrap_or_else(|| {
            errors::foreign(
                p.here(),
                &format!("`{word}` stands before a type, not before a statement"),
                &format!("write `let x: {word} f32 = ...`"),
            )
        })
    } else {
        habits::first_word(p).unwrap_or_else(|| errors::expected_statement(p.here(), &p.found()))
    };
    p.error(error);
    p.skip_line();
    finish_line(p);
    STRAY_STMT
}

/// Parses the brace that closes a block opened by a brace in a colon's place; `else` may follow it.
fn closing_brace(p: &mut Parser<'_>) {
    let brace = p.start();
    p.bump();
    p.complete(brace, ERROR);
    if p.at_any(&[ELSE_KW, ELIF_KW]) {
        stray_else(p, true);
    } else {
        finish_line(p);
        p.lost_header = true;
    }
}

/// Parses `float x`: the type becomes an ERROR node, and the statement or parameter continues with the name.
pub(super) fn type_before_name(p: &mut Parser<'_>, keyword: &str) {
    let ty = habits::our_type(p.current_text());
    let range = p.here().cover(p.range(p.pos + 1));
    let error = errors::type_before_name(range, keyword, ty, p.text_at(p.pos + 1));
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    p.complete(skipped, ERROR);
}

/// Parses an assignment, or an expression whose value is not used.
fn expression_statement(p: &mut Parser<'_>, node: Marker) {
    let first = p.pos;
    let of_c = matches!(p.nth(1), IDENT | STAR | AMP | CONST_KW | COLON | LT) && !others::is_let_word(p);
    if let Some((error, declared, ends)) = of_c.then(|| declarations::statement(p)).flatten() {
        let kind = others::declaration(p, error, &declared, ends);
        p.complete(node, kind);
        return;
    }
    if habits::type_before_name(p) {
        type_before_name(p, "let ");
    } else if let Some(error) = habits::first_word(p) {
        p.error(error);
    }
    let target = expressions::values(p, "here");
    let annotated = p.at(COLON) && p.nth(1) != COLON && !p.silenced;
    if annotated && target.is_some_and(|target| target.kind == NAME_REF) {
        annotation(p, first);
    }
    let kind = if p.current().is_assignment() || p.at(COLON_EQ) {
        if !p.silenced
            && target.is_some_and(|target| !matches!(target.kind, NAME_REF | INDEX_EXPR | FIELD_EXPR | TUPLE_EXPR))
        {
            let of_call =
                target.filter(|target| target.kind == CALL_EXPR).and_then(|_| forms::element_of_call(p, first));
            let error = of_call.unwrap_or_else(|| errors::bad_target(p.since(first)));
            p.soft_error(error);
        }
        if p.at(COLON_EQ) {
            let error = errors::instead(p.here(), ":=", "=");
            p.soft_error(error);
        } else if !p.at(EQ) && target.is_some_and(|target| target.kind == TUPLE_EXPR) {
            let operator = p.current_text();
            let message = format!("`{operator}` changes one place, not several");
            p.soft_error(errors::foreign(p.here(), &message, "write one assignment a line"));
        }
        p.bump();
        if !others::match_as_value(p) {
            expressions::values(p, AFTER_TOKEN);
        }
        ASSIGN_STMT
    } else {
        let does_nothing = target.is_some_and(|target| target.kind != CALL_EXPR);
        if does_nothing && p.at(NEWLINE) && p.nth(1) == INDENT {
            let error = errors::block_of_no_header(p.since(first));
            p.error(error);
        }
        EXPR_STMT
    };
    finish_line(p);
    p.complete(node, kind);
}

/// Parses the type of `x: f32 = 1.0`; the statement then continues as an assignment.
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
