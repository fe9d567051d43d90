//! What is decided at compile time: the constant and type parameters of kernels and functions, `[R: const i32 = 1, T]`, the
//! kernels that are instances of others, `kernel blur3 = blur[R = 3]`, and the word `static`.

use report::TextRange;

use super::{Parser, expressions, forms, habits, statements, types};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Parses the constant and type parameters behind the name of a kernel or function, if there are some.
pub(super) fn generics(p: &mut Parser<'_>) {
    if p.at(LT) && matches!(p.nth(1), IDENT | CONST_KW) {
        let told = in_angles(p);
        let message = ("constant and type parameters stand in brackets here", "write `name[N: const i32, T](...)`");
        match told {
            Some((ours, stop)) => {
                let whole = p.range_of((p.pos, stop));
                p.soft_error(errors::rewritten(p.here(), whole, message, ours));
                statements::skip_to(p, stop);
            }
            None => {
                p.error(errors::foreign(p.here(), message.0, message.1));
                p.skip_until(|p| p.at_any(&[L_PAREN, COLON]));
            }
        }
        return;
    }
    if !p.at(L_BRACKET) {
        return;
    }
    let list = p.start();
    let open = p.open();
    if p.at(R_BRACKET) {
        let error = errors::expected_name(p.here(), "a constant or type parameter", &p.found());
        p.soft_error(error);
    }
    p.separated(open, generic);
    p.close(open);
    p.complete(list, GENERIC_LIST);
}

/// The parameters between `<` and `>` as they are written here, and the mark behind them.
fn in_angles(p: &Parser<'_>) -> Option<(String, usize)> {
    let close = (p.pos..).find(|&pos| p.kind_at(pos) == GT || p.kind_at(pos) == L_PAREN || p.is_mark(pos))?;
    if p.kind_at(close) != GT {
        return None;
    }
    let parameter = |(first, end): forms::Span| match (p.kind_at(first), p.text_at(first), end - first) {
        (CONST_KW, _, 4) if p.kind_at(first + 2) == COLON => {
            Some(format!("{}: const {}", p.text_at(first + 1), habits::our_type(p.text_at(first + 3))))
        }
        (IDENT, "typename" | "class", 2) => Some(p.text_at(first + 1).to_owned()),
        (IDENT, ty, 2) if habits::is_type(ty) => {
            Some(format!("{}: const {}", p.text_at(first + 1), habits::our_type(ty)))
        }
        (IDENT, name, 1) => Some(name.to_owned()),
        // What Rust asks of a type is found where it is used here.
        (IDENT, name, _) if p.kind_at(first + 1) == COLON => Some(name.to_owned()),
        _ => None,
    };
    let parts = p.split((p.pos + 1, close), |kind| kind == COMMA);
    let ours: Vec<_> = parts.into_iter().map(parameter).collect::<Option<_>>()?;
    Some((format!("[{}]", ours.join(", ")), close + 1))
}

/// Parses one constant parameter, `R: const i32`, or type parameter, `T`, with its default value if it has one.
fn generic(p: &mut Parser<'_>) {
    let generic = p.start();
    if p.at(CONST_KW) && p.nth(1) == IDENT && p.nth(2) == COLON {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let error = errors::needless_word(p.here(), gap, "const", "the word stands before the type: `N: const i32`");
        p.error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    if !p.name("a constant or type parameter's name") {
        p.abandon(generic);
        return;
    }
    if p.eat(COLON) {
        if !p.eat(CONST_KW) && !p.silenced {
            let error = errors::const_of_generic(TextRange::empty(p.here().start()));
            p.soft_error(error);
        }
        types::type_(p);
    }
    if p.eat(EQ) {
        expressions::expression(p, "as the default value");
    }
    p.complete(generic, GENERIC);
}

/// Parses what a kernel is an instance of: `= blur[R = 3]`; the current token is the `=`.
pub(super) fn instance(p: &mut Parser<'_>) {
    let instance = p.start();
    p.bump();
    if p.at(IDENT) {
        let name = p.start();
        p.bump();
        p.complete(name, NAME_REF);
    } else {
        let error = errors::expected_name(p.here(), "the kernel that this one is an instance of", &p.found());
        p.error(error);
    }
    if p.at(L_BRACKET) {
        let list = p.start();
        let open = p.open();
        p.separated(open, |p| {
            expressions::argument(p);
        });
        p.close(open);
        p.complete(list, GENERIC_ARGS);
    } else if !p.silenced {
        let error = errors::expected_token(p.here(), "the arguments in brackets", "as in `= blur[3]`", &p.found());
        p.error(error);
    }
    p.complete(instance, INSTANCE);
    statements::finish_line(p);
}

/// Takes the word `static` in front of a statement that is done at compile time; returns true if that is so.
pub(super) fn static_word(p: &mut Parser<'_>) -> bool {
    if !is_static(p) {
        return false;
    }
    if !matches!(p.nth(1), FOR_KW | IF_KW | ASSERT_KW) {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let error = errors::needless_word(p.here(), gap, "static", "it goes with `for`, `if` and `assert`");
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
        return true;
    }
    p.bump();
    true
}

/// Returns true at the word `static` in front of a statement's keyword. It is no keyword: a variable may have that name.
pub(super) fn is_static(p: &Parser<'_>) -> bool {
    let starts = |kind: SyntaxKind| {
        matches!(kind, FOR_KW | IF_KW | ASSERT_KW | FOREACH_KW | WHILE_KW | CFOR_KW | CIF_KW | CWHILE_KW)
    };
    p.at(IDENT) && p.current_text() == "static" && starts(p.nth(1))
}
