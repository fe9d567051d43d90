//! Enums: `enum Kind: Low, High`, and those whose variants have data, one a line.
//!
//! `enum` is no reserved word: it starts an item where a name follows, and is a name like any other elsewhere.

use rowan::TextRange;

use super::{Parser, expressions, items, statements, types};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// Returns true at the word of an enum and a name.
pub(super) fn starts(p: &Parser<'_>) -> bool {
    p.at(IDENT) && p.current_text() == "enum" && (p.nth(1) == IDENT || p.nth(1).is_keyword())
}

/// Parses an enum; the current token is its word.
pub(super) fn item(p: &mut Parser<'_>) {
    p.bump();
    if p.at(STRUCT_KW) || p.at(IDENT) && p.current_text() == "class" && p.nth(1) == IDENT {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let help = "`enum` alone starts a type of several variants";
        let error = errors::needless_word(p.here(), gap, p.current_text(), help);
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    p.name("a name after `enum`");
    if p.at(L_PAREN) {
        let open = p.open();
        types::type_(p);
        p.close(open);
    }
    statements::colon(p, "the `enum` line");
    if p.silenced || p.at(NEWLINE) {
        let line = if p.silenced { items::line_of_any_item } else { variants };
        statements::block_of_header(p, "the `enum` line", "variants", line);
        return;
    }
    let block = p.start();
    variants(p);
    p.complete(block, BLOCK);
}

/// Parses a line of variants, with commas between them.
pub(super) fn variants(p: &mut Parser<'_>) {
    if p.at(PASS_KW) || !(p.at(IDENT) || p.current().is_keyword()) {
        statements::statement(p);
        return;
    }
    variant(p);
    while p.at(COMMA) && !p.silenced {
        p.bump();
        // A comma may stand at the end of the line.
        if p.at_line_end() {
            break;
        }
        variant(p);
    }
    statements::finish_line(p);
}

/// Parses a variant: a name, with its data or its number.
fn variant(p: &mut Parser<'_>) {
    let variant = p.start();
    if !p.name("a variant's name") {
        p.abandon(variant);
        return;
    }
    if p.at(L_PAREN) {
        items::params(p, "enum");
    }
    if p.eat(EQ) {
        expressions::expression(p, "as the variant's number");
    }
    p.complete(variant, VARIANT_DEF);
}
