//! What is decided at compile time: the constant and type parameters of kernels and functions, `[R: const i32 = 1, T]`, the
//! kernels that are instances of others, `kernel blur3 = blur[R = 3]`, and the word `static`.

use report::TextRange;

use super::{Parser, expressions, statements, types};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// Parses the constant and type parameters behind the name of a kernel or function, if there are some.
pub(super) fn generics(p: &mut Parser<'_>) {
    if p.at(LT) && matches!(p.nth(1), IDENT | CONST_KW) {
        let error = errors::foreign(
            p.here(),
            "constant and type parameters stand in brackets here",
            "write `name[N: const i32, T](...)`",
        );
        p.error(error);
        p.skip_until(|p| p.at_any(&[L_PAREN, COLON]));
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
