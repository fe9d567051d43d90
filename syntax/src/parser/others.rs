//! Statements of other languages that are parsed as what was meant, so that the tree has their parts: `loop {`, `do { ... } while (c);`,
//! declarations of C, and a `match` as a value.

use report::Diagnostic;

use super::{Parser, braces, declarations, matching, statements};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Skips a `match` where a value belongs, with an error; returns false where there is none.
pub(super) fn match_as_value(p: &mut Parser<'_>) -> bool {
    let heads = p.at(IDENT) && p.current_text() == "match" && matching::starts_with_braces(p);
    if !heads {
        return false;
    }
    let first = p.start_of_line();
    let error = braces::arms(p, errors::match_as_value(p.here()), first);
    p.error(error);
    p.skip_line();
    true
}

/// Parses Rust's `loop {`.
pub(super) fn loop_of_rust(p: &mut Parser<'_>) -> SyntaxKind {
    let error = errors::instead(p.here(), "loop", "while true");
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    p.complete(skipped, ERROR);
    statements::body(p, "the `while` line");
    WHILE_STMT
}

/// Parses `do { ... } while (c);`, with one error for all of it.
pub(super) fn do_while(p: &mut Parser<'_>) -> SyntaxKind {
    let word = p.pos;
    let skipped = p.start();
    p.bump();
    p.braces += u32::from(p.at(L_BRACE));
    p.bump();
    p.complete(skipped, ERROR);
    p.bump();
    let mut body = p.pos;
    if p.at(INDENT) {
        body += 1;
        statements::block(p);
    }
    let last = p.pos;
    let closes = p.at(R_BRACE) && p.nth(1) == WHILE_KW;
    let tests = p.at(WHILE_KW) && (p.pos..).find(|&pos| p.is_mark(pos)).is_some_and(|end| p.kind_at(end - 1) != COLON);
    let mut ends = None;
    if closes || tests {
        p.braces = p.braces.saturating_sub(u32::from(closes));
        p.skip_line();
        ends = Some((last, p.pos));
        p.eat(NEWLINE);
    }
    let error = braces::do_while(p, word, body, ends);
    p.errors.push(error);
    STRAY_STMT
}

/// Parses a declaration of C. `ends`: set if the error tells all of it.
pub(super) fn declaration(
    p: &mut Parser<'_>,
    error: Diagnostic,
    declared: &declarations::NameOfC,
    ends: bool,
) -> SyntaxKind {
    p.soft_error(error);
    statements::skip_to(p, declared.name);
    if ends {
        let silenced = std::mem::replace(&mut p.silenced, true);
        p.skip_until(|p| p.at(SEMICOLON));
        p.silenced = silenced;
        statements::finish_line(p);
        return STRAY_STMT;
    }
    p.name("a name");
    if p.pos < declared.stop {
        statements::skip_to(p, declared.stop);
    }
    statements::value(p, "after the name");
    statements::finish_line(p);
    LET_STMT
}

/// Returns true at a word of another language for `let`, which tells no type.
pub(super) fn is_let_word(p: &Parser<'_>) -> bool {
    matches!(p.current_text(), "var" | "auto" | "val" | "alias" | "comptime" | "final")
}
