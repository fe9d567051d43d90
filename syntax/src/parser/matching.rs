//! `match` and its cases.
//!
//! `match` and `case` are no reserved words. `match` starts a statement where a value follows that it could not be applied to, or
//! where the line ends as a header does; `case` starts a line in its block. A pattern is parsed as the value that it looks like:
//! `Circle(r)`, `1 | 2`, `(Low, x)`; what it means is decided behind the parser.

use super::{MAX_ELIFS, Parser, braces, expressions, statements};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Returns true at a `match` that is meant as a statement.
pub(super) fn starts(p: &Parser<'_>) -> bool {
    p.at(IDENT) && p.current_text() == "match" && heads(p)
}

/// Returns true at the `switch` of C, with what it looks at.
pub(super) fn starts_of_c(p: &Parser<'_>) -> bool {
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    p.at(IDENT) && p.current_text() == "switch" && heads_with(p, matches!(line.last(), Some(COLON | L_BRACE)))
}

/// Returns true at the word of a case.
pub(super) fn starts_case(p: &Parser<'_>, pos: usize) -> bool {
    let next = p.layout.kinds.get(pos + 1).copied().unwrap_or(END);
    p.text_at(pos) == "case" && !matches!(next, NEWLINE | COMMA | DOT) && !next.is_assignment()
}

/// Returns true at the arm of a `match` in Rust.
pub(super) fn starts_arm(p: &Parser<'_>, pos: usize) -> bool {
    let line = p.layout.kinds.get(pos..).and_then(|kinds| kinds.split(|&kind| kind == NEWLINE).next());
    line.is_some_and(|line| line.contains(&FAT_ARROW))
}

/// Returns true at a `match` where a value belongs, with a colon or braces behind what it looks at.
pub(super) fn starts_with_braces(p: &Parser<'_>) -> bool {
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    heads_with(p, line.last() == Some(&COLON) || line.contains(&L_BRACE))
}

/// Returns true at a word, and a value behind it that makes the line a header.
fn heads(p: &Parser<'_>) -> bool {
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    heads_with(p, line.last() == Some(&COLON))
}

fn heads_with(p: &Parser<'_>, is_header: bool) -> bool {
    match p.nth(1) {
        IDENT | INT | FLOAT | TRUE_KW | FALSE_KW | NOT_KW => true,
        L_PAREN | L_BRACKET | MINUS | PLUS | TILDE | BACKSLASH => is_header,
        _ => false,
    }
}

/// Parses a `match`; the current token is its word, or the one of C.
pub(super) fn match_(p: &mut Parser<'_>) -> SyntaxKind {
    if p.current_text() == "switch" {
        let error = errors::switch_of_c(p.here(), &braces::breaks(p));
        p.soft_error(error);
    }
    p.bump();
    expressions::values(p, "after `match`");
    let n_cases = std::mem::take(&mut p.n_cases);
    statements::lines(p, "the `match` line", "cases", line);
    p.n_cases = n_cases;
    MATCH_STMT
}

/// Parses a line of the block of a `match`, with the block below it.
pub(super) fn line(p: &mut Parser<'_>) {
    if starts_case(p, p.pos) {
        p.n_cases += 1;
        if p.n_cases == MAX_ELIFS + 1 {
            p.soft_error(errors::too_long(p.here(), "this list of cases", MAX_ELIFS));
        }
        case(p, Word::Own);
        return;
    }
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    let stands_for_all = p.at(ELSE_KW) || p.at(IDENT) && p.current_text() == "default";
    if stands_for_all && p.nth(1) == COLON {
        let error = errors::instead(p.here(), p.current_text(), "case _");
        p.soft_error(error);
        case(p, Word::ForAll);
        return;
    }
    if p.at(INDENT) || p.at(R_BRACE) || p.at(PASS_KW) {
        statements::statement(p);
        return;
    }
    if let Some(arrow) = line.iter().position(|&kind| kind == FAT_ARROW) {
        arm_of_rust(p, arrow, line.len());
        return;
    }
    let is_header = line.last() == Some(&COLON);
    let is_value = matches!(p.current(), INT | FLOAT | MINUS | TRUE_KW | FALSE_KW) && line.contains(&COLON);
    if is_value || is_header && matches!(p.current(), IDENT | L_PAREN) {
        let error = errors::case_without_word(p.here());
        p.soft_error(error);
        case(p, Word::None);
        return;
    }
    let error = errors::expected_case(p.here(), &p.found());
    p.error(error);
    statements::statement(p);
}

/// Parses a line with `=>`, which is taken for a case by nothing behind the parser.
fn arm_of_rust(p: &mut Parser<'_>, arrow: usize, length: usize) {
    let colons = (p.pos..p.pos + arrow).filter(|&pos| p.layout.kinds[pos] == COLON && p.layout.kinds[pos + 1] == COLON);
    let colons: Vec<_> = colons.map(|pos| p.range(pos).cover(p.range(pos + 1))).collect();
    let last = p.pos + length - 1;
    let arrow_at = p.pos + arrow;
    let comma = (p.layout.kinds[last] == COMMA).then(|| p.range(last));
    let before = p.range(p.pos + arrow.max(1) - 1).end();
    let arrow = rowan::TextRange::new(before, p.range(p.pos + arrow).end());
    let node = p.start();
    let body = braces::body_of_arm(p, arrow_at + 1);
    let error = errors::arm_of_rust(p.here(), arrow, comma, &colons, body);
    p.error(error);
    p.skip_line();
    statements::finish_line(p);
    p.complete(node, STRAY_STMT);
}

/// The word that a case starts with.
#[derive(PartialEq, Eq)]
enum Word {
    Own,
    /// Another one, which stands for the pattern, too.
    ForAll,
    None,
}

/// Parses a case.
fn case(p: &mut Parser<'_>, word: Word) {
    let case = p.start();
    if word == Word::ForAll {
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    } else {
        if word == Word::Own {
            p.bump();
        }
        pattern(p);
        if p.at_any(&[DOT2, ELLIPSIS]) {
            let error = errors::range_in_pattern(p.here());
            p.error(error);
            let skipped = p.start();
            p.skip_until(|p| p.at(COLON) || p.at_line_end());
            p.complete(skipped, ERROR);
        }
        if p.at(IDENT) && p.current_text() == "as" {
            p.bump();
            p.name("a name for the value after `as`");
        }
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
