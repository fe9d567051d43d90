//! Types: `f32`, `uniform i32`, `f32[n, 2 * m]`, `Particle[n]`, `(f32, i32)`, `(value: f32, at: i32)`.

use report::{TextRange, TextSize};

use super::{Parser, declarations, expressions, statements};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// Parses a type, with `uniform` or `varying` before it if the text has one. Returns the height of its sizes.
pub(super) fn type_(p: &mut Parser<'_>) -> u32 {
    type_of(p, false)
}

/// Parses a type. In a tuple it may have the name of a value before it, with a colon.
fn type_of(p: &mut Parser<'_>, in_tuple: bool) -> u32 {
    if p.at_any(&[AMP, L_BRACKET, STAR])
        && let Some((error, stop)) = declarations::type_of_others(p)
    {
        p.soft_error(error);
        statements::skip_to(p, stop);
        return 0;
    }
    let of_others = p.at(IDENT)
        && match p.nth(1) {
            LT | DOT => true,
            COLON => p.nth(2) == COLON,
            L_BRACKET => matches!(p.current_text(), "list" | "List" | "Sequence" | "tuple" | "Tuple"),
            _ => false,
        };
    if let Some((error, stop)) = of_others.then(|| declarations::type_of_names(p)).flatten() {
        p.soft_error(error);
        statements::skip_to(p, stop);
        return 0;
    }
    let ty = p.start();
    let mut height = 0;
    if in_tuple && p.at(IDENT) && p.nth(1) == COLON {
        let name = p.start();
        p.bump();
        p.complete(name, NAME);
        p.bump();
    }
    let qualified = p.at_any(&[UNIFORM_KW, VARYING_KW]);
    if qualified {
        p.bump();
    }
    if p.at(IDENT) {
        let name = p.start();
        p.bump();
        p.complete(name, NAME_REF);
        if p.at(L_BRACKET) {
            height = sizes(p);
        } else if p.at(STAR) {
            let error = errors::no_pointers(p.here());
            p.soft_error(error);
            let skipped = p.start();
            while p.at(STAR) {
                p.bump();
            }
            p.complete(skipped, ERROR);
        }
    } else if p.at(L_PAREN) && p.nth(1) != R_PAREN {
        height = parts(p);
    } else {
        let place = if qualified { p.behind() } else { p.here() };
        let error = match p.current() {
            AMP | L_BRACKET if !qualified => errors::no_pointers(place),
            _ => errors::expected_type(place, &p.found()),
        };
        p.error(error);
        if !qualified {
            p.abandon(ty);
            return 0;
        }
    }
    p.complete(ty, TYPE);
    height
}

/// Parses the types of a tuple's values: `(f32, i32)`, with or without their names.
fn parts(p: &mut Parser<'_>) -> u32 {
    let mut height = 0;
    let open = p.open();
    p.separated(open, |p| height = height.max(p.nested(|p| type_of(p, true)).unwrap_or(0) + 1));
    p.close(open);
    height
}

fn sizes(p: &mut Parser<'_>) -> u32 {
    let mut height = 0;
    let sizes = p.start();
    let open = p.open();
    if p.at(R_BRACKET) {
        let error = errors::expected_size(p.here());
        p.soft_error(error);
    }
    let mut list = |p: &mut Parser<'_>, open: usize| {
        p.separated(open, |p| {
            let size = expressions::expression(p, "as the array's size");
            height = height.max(expressions::height_of(size) + 1);
        });
        p.close(open);
    };
    list(p, open);
    // `f32[n][m]`: the sizes of C's arrays.
    while p.at(L_BRACKET) && p.nth(1) != R_BRACKET && p.text[..p.here().start().into()].ends_with(']') {
        let closing = TextSize::of(']');
        let error = errors::more_sizes(TextRange::new(p.here().start() - closing, p.here().end()));
        p.soft_error(error);
        let open = p.open();
        list(p, open);
    }
    p.complete(sizes, SIZE_LIST);
    height
}
