//! `match` and its cases.
//!
//! `match` and `case` are no reserved words. `match` starts a statement where a value follows that it could not be applied to, or
//! where the line ends as a header does; `case` starts a line in its block. A pattern is parsed as the value that it looks like:
//! `Circle(r)`, `1 | 2`, `(Low, x)`; what it means is decided behind the parser.

use super::{Parser, expressions, statements};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Returns true at a `match` that is meant as a statement.
pub(super) fn starts(p: &Parser<'_>) -> bool {
    p.at(IDENT) && p.current_text() == "match" && heads(p)
}

/// Returns true at a word, and a value behind it that makes the line a header.
fn heads(p: &Parser<'_>) -> bool {
    match p.nth(1) {
        IDENT | INT | FLOAT | TRUE_KW | FALSE_KW | NOT_KW => true,
        L_PAREN | L_BRACKET | MINUS | TILDE => {
            let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
            line.last() == Some(&COLON)
        }
        _ => false,
    }
}

/// Parses a `match`; the current token is its word.
pub(super) fn match_(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    expressions::values(p, "after `match`");
    statements::lines(p, "the `match` line", "cases", line);
    MATCH_STMT
}

/// Parses a line of the block of a `match`, with the block below it.
fn line(p: &mut Parser<'_>) {
    let is_case = p.at(IDENT) && p.current_text() == "case" && !matches!(p.nth(1), NEWLINE) && !p.nth(1).is_assignment();
    if is_case {
        case(p, false);
        return;
    }
    let stands_for_all = p.at(ELSE_KW) || p.at(IDENT) && p.current_text() == "default";
    if stands_for_all && p.nth(1) == COLON {
        let error = errors::instead(p.here(), p.current_text(), "case _");
        p.soft_error(error);
        case(p, true);
        return;
    }
    if p.at(INDENT) || p.at(R_BRACE) || p.at(PASS_KW) {
        statements::statement(p);
        return;
    }
    let error = errors::expected_case(p.here(), &p.found());
    // The pattern of Rust, and of one who forgot the word.
    let is_header = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().is_some_and(|line| line.contains(&FAT_ARROW));
    if is_header {
        p.error(error);
        p.skip_line();
        statements::finish_line(p);
        return;
    }
    p.error(error);
    statements::statement(p);
}

/// Parses a case; `bare` for one whose word stands for the pattern, too.
fn case(p: &mut Parser<'_>, bare: bool) {
    let case = p.start();
    if bare {
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    } else {
        p.bump();
        pattern(p);
        if p.at(IF_KW) {
            p.bump();
            expressions::expression(p, "after `if`");
        }
    }
    statements::body(p, "the `case` line");
    p.complete(case, MATCH_CASE);
}

/// Parses a pattern, or several with commas between them, which are that of a tuple.
fn pattern(p: &mut Parser<'_>) {
    let Some(first) = expressions::pattern(p) else { return };
    if !p.at(COMMA) || p.silenced {
        return;
    }
    let tuple = p.precede(first);
    while p.eat(COMMA) {
        expressions::pattern(p);
    }
    p.complete(tuple, TUPLE_EXPR);
}
