//! Items: kernels, functions, structs, constants, and what stands in column 0 without being one.

use super::{Parser, expressions, statements, types};
use crate::errors;
use crate::items::ItemKind;
use crate::kinds::SyntaxKind::*;
use crate::layout::NO_PARTNER;
use crate::spelling;

/// Parses one item; the root node holds all of its text.
pub(super) fn item(p: &mut Parser<'_>, kind: ItemKind) {
    let root = p.start();
    let first = p.pos;
    statements::attributes(p);
    match p.current() {
        KERNEL_KW | FN_KW => function(p),
        STRUCT_KW => struct_(p),
        CONST_KW => const_(p),
        END if kind == ItemKind::Preamble => {}
        END if !p.errors.is_empty() => {}
        END => {
            let range = if p.pos > first { p.since(first) } else { doc_range(p) };
            p.error(errors::attribute_without_target(range));
        }
        _ => stray(p),
    }
    rest(p);
    p.complete(root, kind.node());
}

/// Where the doc comment is that nothing follows.
fn doc_range(p: &Parser<'_>) -> rowan::TextRange {
    let token = p.lexed.kinds.iter().position(|&kind| kind == DOC_COMMENT).unwrap_or(0);
    rowan::TextRange::new(p.lexed.starts[token].into(), p.lexed.starts[token + 1].into())
}

/// What is left of an item behind its end: lines that belong nowhere.
fn rest(p: &mut Parser<'_>) {
    while !p.at(END) {
        match p.current() {
            DEDENT | NEWLINE => p.bump(),
            _ => statements::statement(p),
        }
    }
}

fn function(p: &mut Parser<'_>) {
    let keyword = p.current_text();
    p.bump();
    p.name(&format!("a name after `{keyword}`"));
    if p.at(L_PAREN) {
        params(p);
    } else {
        let error = errors::expected_parameters(p.behind(), keyword);
        p.error(error);
    }
    if p.at(ARROW) || p.at(FAT_ARROW) {
        let result = p.start();
        if p.at(FAT_ARROW) {
            let error = errors::instead(p.here(), "=>", "->");
            p.soft_error(error);
        }
        p.bump();
        types::type_(p);
        p.complete(result, RET_TYPE);
    }
    statements::body(p, &format!("the `{keyword}` line"));
}

fn params(p: &mut Parser<'_>) {
    let list = p.start();
    let open = p.pos;
    p.bump();
    p.separated(open, param);
    p.close(open, "");
    p.complete(list, PARAM_LIST);
}

fn param(p: &mut Parser<'_>) {
    let param = p.start();
    let typed_like_c = p.at(IDENT) && p.nth(1) == IDENT;
    if typed_like_c {
        let (ty, name) = (p.current_text(), p.text_at(p.pos + 1));
        let error = errors::foreign(p.here(), "a type stands behind its name", &format!("write `{name}: {ty}`"));
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    if !p.name("a parameter's name") {
        p.abandon(param);
        return;
    }
    if p.at(COLON) {
        p.bump();
        types::type_(p);
    }
    if p.at(EQ) {
        let error =
            errors::foreign(p.here(), "parameters have no default values", "give the value where the kernel is called");
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        expressions::expression(p, "after `=`");
        p.complete(skipped, ERROR);
    }
    p.complete(param, PARAM);
}

fn struct_(p: &mut Parser<'_>) {
    p.bump();
    p.name("a name after `struct`");
    statements::body_of_lines(p, "the `struct` line", field);
}

/// `x: f32`, on a line of its own.
fn field(p: &mut Parser<'_>) {
    if p.at(INDENT) || p.at(PASS_KW) || !(p.at_any(&[IDENT, AT]) || p.current().is_keyword()) {
        statements::statement(p);
        return;
    }
    let field = p.start();
    if p.at(AT) {
        let error = errors::attribute_without_target(p.here());
        p.error(error);
        p.skip_line();
        statements::finish_line(p);
        p.complete(field, STRAY_STMT);
        return;
    }
    if p.name("a field's name") {
        if p.eat(COLON) {
            types::type_(p);
        } else {
            let place = if p.at_line_end() { p.behind() } else { p.here() };
            let error = errors::expected_token(place, "`:` and a type", "after the field's name", &p.found());
            p.error(error);
        }
    }
    if p.at(COMMA) && p.nth(1) == NEWLINE && !p.silenced {
        let error = errors::foreign(p.here(), "fields end with their line, not with `,`", "remove the comma");
        p.soft_error(error);
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    statements::finish_line(p);
    p.complete(field, FIELD_DEF);
}

fn const_(p: &mut Parser<'_>) {
    p.bump();
    p.name("a name after `const`");
    if p.eat(COLON) {
        types::type_(p);
    }
    statements::value(p, "after the constant's name");
    statements::finish_line(p);
}

/// A line in column 0 that starts no item: a slip in the keyword, or a statement that lost its indentation.
fn stray(p: &mut Parser<'_>) {
    if p.at(INDENT) {
        let place = p.range(p.pos + 1);
        p.error(errors::unexpected_indent(place, true));
        p.silenced = false;
        statements::block(p);
        return;
    }
    let header = p.at(IDENT) && (p.nth(1) == IDENT || heads_function(p));
    let word = p.current_text();
    let meant = match word {
        _ if !header => None,
        "def" | "func" | "function" | "fun" | "sub" | "proc" => Some("fn"),
        "class" | "record" | "type" => Some("struct"),
        "export" | "void" | "task" => Some("kernel"),
        "let" | "static" | "constexpr" | "define" => Some("const"),
        _ => spelling::closest(word, &["kernel", "fn", "struct", "const"]),
    };
    if let Some(meant) = meant {
        let error = errors::expected_item(p.here(), &p.found(), Some(meant));
        p.soft_error(error);
        // Parsed as what it was meant to be, so that its parts have their places in the tree.
        match meant {
            "struct" => struct_(p),
            "const" => const_(p),
            _ => function(p),
        }
        return;
    }
    let starts_statement = p.current().is_keyword() || (p.at(IDENT) && p.nth(1) != NEWLINE) || p.current().is_opening();
    if starts_statement && !p.current().is_closing() && !header {
        let error = errors::statement_outside_kernel(p.here());
        p.errors.push(error);
        let n_errors = p.errors.len();
        statements::statement(p);
        if p.at(INDENT) {
            statements::block_with(p, line_of_any_item);
        }
        // Where it stands is its one mistake.
        p.errors.truncate(n_errors);
        return;
    }
    let error = match p.current() {
        kind if kind.is_closing() => p.stray_bracket(),
        _ => errors::expected_item(p.here(), &p.found(), None),
    };
    p.error(error);
    p.skip_line();
    statements::finish_line_before(p, line_of_any_item);
}

/// `name(...)` that goes on as a `kernel` or `fn` line does.
fn heads_function(p: &Parser<'_>) -> bool {
    let closing = if p.nth(1) == L_PAREN { p.layout.partners[p.token(p.pos + 1)] } else { NO_PARTNER };
    let Ok(closing) = p.layout.tokens.binary_search(&closing) else { return false };
    match p.layout.kinds[closing + 1..] {
        [COLON | ARROW, ..] => true,
        [NEWLINE, INDENT, ..] => true,
        _ => false,
    }
}

/// A line below a header that is not understood: a field if it looks like one, else a statement.
fn line_of_any_item(p: &mut Parser<'_>) {
    let typed = p.nth(1) == COLON && p.nth(2) != NEWLINE;
    if p.at(IDENT) && typed { field(p) } else { statements::statement(p) }
}
