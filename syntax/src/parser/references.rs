//! Addresses, references and slices of C and Rust: `&a[i]`, `&mut a`, `*p`, `a[1..n]`.
//!
//! Nothing here advances, as in [`forms`](super::forms).

use report::{Diagnostic, TextEdit};
use rowan::TextRange;

use super::{Parser, headers};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// Builds the error for the `&` of an argument, C's address of an element. Where an atomic operation is called, a fix makes two arguments
/// of it: the array and the index.
pub(super) fn address(p: &Parser<'_>) -> Option<Diagnostic> {
    let (name, open) = (p.pos + 1, p.pos + 2);
    if p.kind_at(name) != IDENT {
        return None;
    }
    let error = errors::no_address(p.here());
    let callee =
        p.pos.checked_sub(2).filter(|_| p.kind_at(p.pos - 1) == L_PAREN).map_or("", |callee| p.text_at(callee));
    let is_atomic =
        ["atomic", "interlocked", "fetch", "prefetch"].iter().any(|word| callee.to_lowercase().contains(word));
    let closing = if p.kind_at(open) == L_BRACKET { p.closing_of(open) } else { None };
    let Some(closing) = closing.filter(|_| is_atomic) else { return Some(error) };
    let text = format!("{}, {}", p.text_at(name), p.text_of((open + 1, closing)));
    let edit = TextEdit { range: p.range_of((p.pos, closing + 1)), text: text.clone() };
    Some(errors::with_edits(error, format!("write `{text}`"), vec![edit]))
}

/// Builds the error for `&a`, `&mut a` and `&a[1..n]`, which Rust has for an array or a part of it, with the mark of the name.
pub(super) fn borrowed(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let is_mut = p.kind_at(p.pos + 1) == IDENT && p.text_at(p.pos + 1) == "mut" && p.kind_at(p.pos + 2) == IDENT;
    let name = p.pos + 1 + usize::from(is_mut);
    if !p.at(AMP) || p.kind_at(name) != IDENT {
        return None;
    }
    // The address of an element may be meant as that of all behind it.
    let is_whole = match p.kind_at(name + 1) {
        L_BRACKET => {
            let closing = p.closing_of(name + 1)?;
            (name + 1..closing).any(|pos| matches!(p.kind_at(pos), DOT2 | COLON))
        }
        COMMA | R_PAREN | COLON | L_BRACE | SEMICOLON | NEWLINE => true,
        _ => false,
    };
    let gap = TextRange::new(p.here().start(), p.range(name).start());
    let word = p.text_of((p.pos, name));
    let help = "an array is given by its name, a part of it as `a[i:j]`";
    is_whole.then(|| (errors::needless_word(p.here(), gap, word, help), name))
}

/// Builds the error for the `*` of `*p = x`. The element that a loop goes over is its name; of another name it is the first element.
pub(super) fn pointed(p: &Parser<'_>) -> Diagnostic {
    let error = errors::no_pointer_here(p.here());
    let name = p.pos + 1;
    if p.kind_at(name) != IDENT || matches!(p.kind_at(name + 1), L_BRACKET | DOT | L_PAREN | PLUS | MINUS) {
        return error;
    }
    let is_element = (0..p.pos).filter(|&pos| p.kind_at(pos) == FOR_KW).any(|word| {
        let names = (word + 1..p.pos).take_while(|&pos| !p.is_mark(pos) && p.kind_at(pos) != IN_KW);
        names.filter(|&pos| p.kind_at(pos) == IDENT).any(|pos| p.text_at(pos) == p.text_at(name))
    });
    match is_element {
        true => {
            errors::with_edits(error, "remove it".to_owned(), vec![TextEdit { range: p.here(), text: String::new() }])
        }
        false => {
            let ours = format!("{}[0]", p.text_at(name));
            let edit = TextEdit { range: p.range_of((p.pos, name + 1)), text: ours.clone() };
            errors::with_edits(error, format!("write `{ours}`"), vec![edit])
        }
    }
}

/// Builds the error for a slice of Rust, `a[1..n]` or `a[..=k]`, at its dots, with the mark behind it; `first` is that of the subscript.
pub(super) fn slice(p: &Parser<'_>, first: usize) -> Option<(Diagnostic, usize)> {
    let stop = headers::end_of_value(p)?;
    let inclusive = p.nth(1) == EQ;
    let behind = p.pos + 1 + usize::from(inclusive);
    if behind > stop || (behind..stop).any(|pos| matches!(p.kind_at(pos), DOT2 | ELLIPSIS | EQ)) {
        return None;
    }
    let from = if first < p.pos { p.text_of((first, p.pos)) } else { "" };
    let to = match p.text_of((behind, stop)) {
        last if inclusive => headers::behind_last(last),
        to if behind < stop => to.to_owned(),
        _ => String::new(),
    };
    let range = p.range_of((first, stop));
    let message =
        ("a part of an array is written with a `:`", "`a[lo:hi]` ends before `hi`, and `a[:n]` are the first `n`");
    Some((errors::rewritten(p.here(), range, message, format!("{from}:{to}")), stop))
}
