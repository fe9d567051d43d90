//! Items: kernels, functions, structs, constants, and lines in column 0 that are none of them.

use report::ItemKind;
use rowan::TextRange;

use super::{Parser, declarations, enums, expressions, forms, generics, habits, statements, types};
use crate::errors;
use crate::items::root_kind;
use crate::kinds::SyntaxKind::*;

/// Parses one item; the root node holds all of its text.
pub(super) fn item(p: &mut Parser<'_>, kind: ItemKind) {
    let root = p.start();
    let first = p.pos;
    statements::attributes(p);
    // Lines among the attributes that the cut counts among them: indented, or with a closing bracket.
    let has_line = !matches!(kind, ItemKind::Stray | ItemKind::Preamble);
    let is_use = |p: &Parser<'_>| kind == ItemKind::Use && p.at(IDENT) && p.current_text() == "use";
    while has_line && !p.at_any(&[KERNEL_KW, FN_KW, STRUCT_KW, CONST_KW, END]) && !enums::starts(p) && !is_use(p) {
        stray(p);
        p.eat(DEDENT);
        statements::attributes(p);
    }
    match p.current() {
        KERNEL_KW => function(p, "kernel"),
        FN_KW => function(p, "fn"),
        STRUCT_KW => struct_(p),
        CONST_KW => const_(p),
        _ if is_use(p) => use_(p),
        IDENT if enums::starts(p) => enums::item(p),
        END if kind == ItemKind::Preamble => {}
        END if !p.errors.is_empty() || !p.lexed.oddities.is_empty() => {}
        END => {
            let error = match p.pos > first {
                true => errors::attribute_without_target(p.since(first)),
                false => errors::documentation_of_nothing(doc_range(p)),
            };
            p.error(error);
        }
        _ => stray(p),
    }
    rest(p);
    p.complete(root, root_kind(kind));
}

/// Range of a doc comment without an item behind it.
fn doc_range(p: &Parser<'_>) -> TextRange {
    let token = p.lexed.kinds.iter().position(|&kind| kind == DOC_COMMENT).unwrap_or(0);
    TextRange::new(p.lexed.starts[token].into(), p.lexed.starts[token + 1].into())
}

/// Parses the text behind an item's end: lines that belong nowhere, or the item itself behind a line that the cut counted among
/// its attributes.
fn rest(p: &mut Parser<'_>) {
    while !p.at(END) {
        match p.current() {
            DEDENT | NEWLINE => p.bump(),
            _ => misplaced_item(p),
        }
    }
}

/// Parses a kernel or function; `keyword` is the word that starts it, as written or as meant.
fn function(p: &mut Parser<'_>, keyword: &str) {
    p.bump();
    let typed = p.at(IDENT) && p.nth(1) == IDENT && p.nth(2) == L_PAREN;
    if typed {
        // `kernel void f(`, and what macros of C leave before a name.
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let help = "the type of what it gives stands behind the parameters: `-> f32`";
        let error = errors::needless_word(p.here(), gap, p.current_text(), help);
        p.soft_error(error);
    }
    p.name(&format!("a name after `{keyword}`"));
    if typed {
        // The first word is the name by which the file knows the item.
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    if keyword == "kernel" && p.at(EQ) {
        generics::instance(p);
        return;
    }
    generics::generics(p);
    if p.at(L_PAREN) {
        params(p, keyword);
    } else {
        let error = errors::expected_parameters(p.behind(), keyword);
        p.error(error);
    }
    if p.at(ARROW) && habits::is_no_result(p) {
        let stop = p.pos + if p.nth(1) == L_PAREN { 3 } else { 2 };
        let gap = TextRange::new(p.behind().end(), p.range(stop - 1).end());
        let (range, help) = (p.range_of((p.pos, stop)), "what gives no value says nothing about it");
        p.soft_error(errors::needless_word(range, gap, p.text_of((p.pos, stop)), help));
        skip_until(p, stop);
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

pub(super) fn params(p: &mut Parser<'_>, keyword: &str) {
    let list = p.start();
    let open = p.open();
    p.separated(open, |p| param(p, keyword));
    p.close(open);
    p.complete(list, PARAM_LIST);
}

fn param(p: &mut Parser<'_>, keyword: &str) {
    let param = p.start();
    if let Some((error, declared)) = declarations::parameter(p, keyword) {
        p.soft_error(error);
        skip_until(p, declared.name);
        p.name("a parameter's name");
        skip_until(p, declared.stop);
        default(p, keyword);
        p.complete(param, PARAM);
        return;
    }
    skip_access_word(p);
    let of_c = forms::array_of_c(p).or_else(|| forms::pointer_of_c(p));
    if let Some((error, name, stop)) = of_c {
        p.soft_error(error);
        skip_until(p, name);
        p.name("a parameter's name");
        skip_until(p, stop);
        p.complete(param, PARAM);
        return;
    }
    if habits::type_before_parameter(p) {
        statements::type_before_name(p, "");
    }
    if !p.name("a parameter's name") {
        p.abandon(param);
        return;
    }
    if p.at(COLON) {
        p.bump();
        skip_access_word(p);
        types::type_(p);
    }
    default(p, keyword);
    p.complete(param, PARAM);
}

/// Parses the value that a parameter has where none is given.
fn default(p: &mut Parser<'_>, keyword: &str) {
    if p.at(EQ) && keyword == "fn" {
        p.bump();
        expressions::expression(p, "as the default value");
    } else if p.at(EQ) && keyword == "enum" {
        default_value(p, "the data of a variant", "whoever makes the value gives all of its data");
    } else if p.at(EQ) {
        default_value(
            p,
            "parameters of a kernel",
            "give the value where the kernel is called; those of a `fn` may have one",
        );
    }
}

/// Skips the tokens before the mark at `stop`, if there are any.
fn skip_until(p: &mut Parser<'_>, stop: usize) {
    if p.pos == stop {
        return;
    }
    let skipped = p.start();
    while p.pos < stop {
        p.bump();
    }
    p.complete(skipped, ERROR);
}

/// Skips `mut` and similar words, with an error.
fn skip_access_word(p: &mut Parser<'_>) {
    if !habits::is_access_word(p) {
        return;
    }
    let range = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
    let error = errors::no_access_word(range, p.current_text());
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    p.complete(skipped, ERROR);
}

pub(super) fn default_value(p: &mut Parser<'_>, of_what: &str, help: &str) {
    let error = errors::default_value(p.here(), of_what, help);
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    expressions::expression(p, "after `=`");
    p.complete(skipped, ERROR);
}

fn struct_(p: &mut Parser<'_>) {
    p.bump();
    if p.at(L_BRACE) {
        let error = errors::struct_without_name(p.here());
        p.error(error);
    }
    p.name("a name after `struct`");
    // A header with an error may not be meant as a struct at all.
    statements::fields(p, if p.silenced { line_of_any_item } else { field });
}

/// Parses a field on a line of its own: `x: f32`, or `x: f32 = 0.0`.
fn field(p: &mut Parser<'_>) {
    if p.at(INDENT) || p.at(PASS_KW) || !(p.at_any(&[IDENT, AT]) || p.current().is_keyword()) {
        statements::statement(p);
        return;
    }
    let field = p.start();
    if p.at(AT) {
        let error = errors::attribute_of_field(p.here());
        p.error(error);
        p.skip_line();
        statements::finish_line(p);
        p.complete(field, STRAY_STMT);
        return;
    }
    if let Some((error, stop)) = declarations::field(p).filter(|_| matches!(p.nth(1), IDENT | STAR | COLON | LT)) {
        p.error(error);
        skip_until(p, stop);
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
    if p.at(EQ) && !p.silenced {
        p.bump();
        expressions::expression(p, "as the default value");
    }
    if p.at(COMMA) && p.nth(1) == NEWLINE && !p.silenced {
        let error = errors::needless_word(p.here(), p.here(), ",", "fields end with their line");
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
    let misplaced = habits::type_before_name(p);
    if misplaced {
        statements::type_before_name(p, "");
    }
    p.name("a name after `const`");
    if misplaced && p.at(L_BRACKET) {
        // The sizes stand where they belong once the type does.
        let sizes = p.start();
        p.skip_until(|p| p.at_any(&[R_BRACKET, EQ]));
        p.eat(R_BRACKET);
        p.complete(sizes, ERROR);
    }
    if p.eat(COLON) {
        types::type_(p);
    }
    statements::value(p, "after the constant's name");
    statements::finish_line(p);
}

/// Parses `use shared.filters: lowpass, biquad`.
fn use_(p: &mut Parser<'_>) {
    p.bump();
    let path = p.start();
    if p.at(TEXT) {
        let error = errors::file_in_quotes(p.here(), p.current_text());
        p.error(error);
        p.bump();
        p.complete(path, ERROR);
        p.skip_line();
        statements::finish_line(p);
        return;
    }
    while p.at_any(&[DOT, DOT2, ELLIPSIS]) {
        p.bump();
    }
    if let Some(error) = habits::use_of_rust(p) {
        p.error(error);
        p.skip_line();
        p.complete(path, ERROR);
        statements::finish_line(p);
        return;
    }
    name_ref(p, "a file's name after `use`");
    while p.at_any(&[DOT, SLASH]) {
        if p.at(SLASH) {
            let error = errors::instead(p.here(), "/", ".");
            p.soft_error(error);
        }
        p.bump();
        name_ref(p, "a file's name after `.`");
    }
    p.complete(path, USE_PATH);
    if p.at(IDENT) && p.current_text() == "as" {
        let error = errors::foreign(
            p.here(),
            "a file has no other name here",
            "its names are used as they are: `use filters: lowpass` takes one of them",
        );
        p.error(error);
        p.skip_line();
    } else if p.eat(COLON) {
        let names = p.start();
        name_ref(p, "a name after `:`");
        while p.eat(COMMA) {
            name_ref(p, "a name after `,`");
        }
        p.complete(names, USE_NAMES);
    }
    statements::finish_line(p);
}

/// Parses a name of something that another file has, or of the file.
fn name_ref(p: &mut Parser<'_>, of_what: &str) {
    let name = p.start();
    if p.at(IDENT) {
        p.bump();
        p.complete(name, NAME_REF);
        return;
    }
    p.abandon(name);
    let error = errors::expected_name(p.here(), of_what, &p.found());
    p.error(error);
}

/// Parses a line in column 0 that starts no item: a misspelled keyword, or a statement without its indentation.
fn stray(p: &mut Parser<'_>) {
    if p.at(INDENT) {
        let place = p.range(p.pos + 1);
        if p.errors.is_empty() {
            p.errors.push(errors::unexpected_indent(place, true));
        }
        statements::block_with(p, misplaced_item);
        return;
    }
    if let Some((error, declared)) = declarations::constant(p) {
        p.soft_error(error);
        skip_until(p, declared.name);
        p.name("a name");
        if p.pos < declared.stop {
            skip_until(p, declared.stop);
        }
        statements::value(p, "after the constant's name");
        statements::finish_line(p);
        return;
    }
    if p.at(IDENT) && matches!(p.nth(1), KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW) {
        qualified(p);
        return;
    }
    if enums::starts(p) {
        // The cut knows an enum by its first word alone, and this one stands behind others.
        enums::item(p);
        return;
    }
    // More than three words in a row are no header.
    let words = (0..4).take_while(|&ahead| p.nth(ahead) == IDENT).count();
    if words > 1 && p.nth(words) == L_PAREN && habits::starts_function_of_c(p) {
        let meant = if (0..words).any(|ahead| p.text_at(p.pos + ahead) == "void") { "kernel" } else { "fn" };
        misnamed(p, meant, words - 1);
        return;
    }
    if let Some(error) = habits::no_item(p) {
        p.error(error);
        p.skip_line();
        p.eat(NEWLINE);
        if p.at(INDENT) {
            statements::skip_block(p);
        }
        return;
    }
    if let Some(error) = habits::enum_of_python(p) {
        p.error(error);
        p.bump();
        p.bump();
        p.skip_until(|p| p.at_any(&[COLON]));
        statements::lines(p, "the `enum` line", "variants", enums::variants);
        return;
    }
    if words > 1
        && let Some(meant) = habits::item_keyword(p.current_text())
    {
        misnamed(p, meant, words - 1);
        return;
    }
    let starts_statement = p.current().is_keyword() || (p.at(IDENT) && p.nth(1) != NEWLINE) || p.current().is_opening();
    if let Some(error) = habits::item_of_others(p) {
        p.error(error);
    } else if heads_function(p, words) {
        let place = if words > 1 { p.here() } else { TextRange::empty(p.here().start()) };
        let fix = if words > 1 { "kernel" } else { "kernel " };
        let error = errors::expected_function(p.here(), &p.found(), place, fix);
        p.error(error);
    } else if p.current().is_closing() {
        let error = p.stray_bracket();
        p.error(error);
    } else if starts_statement && words < 2 {
        outside_kernel(p);
        return;
    } else {
        let error = errors::expected_item(p.here(), &p.found(), &[]);
        p.error(error);
    }
    p.skip_line();
    statements::finish_line_before(p, line_of_any_item);
}

/// Parses an item with a wrong word, or several, for its keyword as the item that was meant, so that the tree has its parts.
fn misnamed(p: &mut Parser<'_>, meant: &'static str, n_words: usize) {
    let words = p.here().cover(p.range(p.pos + n_words - 1));
    let keywords = habits::item_keywords(p, meant);
    let meant = keywords[0];
    let error = errors::expected_item(words, &format!("`{}`", &p.text[words]), &keywords);
    p.error(error);
    for _ in 1..n_words {
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    }
    match meant {
        "struct" => struct_(p),
        "enum" => enums::item(p),
        "const" => const_(p),
        "use" => use_(p),
        meant => function(p, meant),
    }
}

/// Parses an item behind a word that nothing needs, as in `export kernel`; the word is its only error.
fn qualified(p: &mut Parser<'_>) {
    let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
    let help = match p.current_text() {
        "typedef" => "the name of a struct is a type by itself",
        _ => "each `kernel` can be called from outside",
    };
    let error = errors::needless_word(p.here(), gap, p.current_text(), help);
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    p.complete(skipped, ERROR);
    match p.current() {
        KERNEL_KW => function(p, "kernel"),
        FN_KW => function(p, "fn"),
        STRUCT_KW => struct_(p),
        _ => const_(p),
    }
}

/// Parses an item in a wrong place, which is its only error, or a statement.
fn misplaced_item(p: &mut Parser<'_>) {
    let node = p.start();
    match p.current() {
        KERNEL_KW => function(p, "kernel"),
        FN_KW => function(p, "fn"),
        STRUCT_KW => struct_(p),
        CONST_KW => const_(p),
        IDENT if enums::starts(p) => enums::item(p),
        _ => {
            p.abandon(node);
            statements::statement(p);
            return;
        }
    }
    p.complete(node, STRAY_STMT);
}

/// Parses a statement in column 0, whose place is its only error.
fn outside_kernel(p: &mut Parser<'_>) {
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    let constant = matches!(line, [IDENT, EQ, _, ..]) || matches!(line, [IDENT, COLON, ..]) && line.contains(&EQ);
    let is_upper = p.current_text().chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let error = errors::statement_outside_kernel(p.here(), constant, is_upper);
    p.errors.push(error);
    let n_errors = p.errors.len();
    statements::statement(p);
    if p.at(INDENT) {
        statements::block_with(p, line_of_any_item);
    }
    p.errors.truncate(n_errors);
}

/// Returns true at one word or more and `(...)` that continues like a `kernel` or `fn` line.
fn heads_function(p: &Parser<'_>, words: usize) -> bool {
    let open = p.pos + words;
    let closing = if words > 0 && p.nth(words) == L_PAREN { p.partner(open) } else { None };
    let Some(Ok(closing)) = closing.map(|closing| p.layout.tokens.binary_search(&(closing as u32))) else {
        return false;
    };
    matches!(p.layout.kinds[closing + 1..], [COLON | ARROW | L_BRACE, ..] | [NEWLINE, INDENT, ..])
}

/// Parses a line below a malformed header: a field if it looks like one, else a statement.
pub(super) fn line_of_any_item(p: &mut Parser<'_>) {
    let typed = p.nth(1) == COLON && p.nth(2) != NEWLINE;
    if p.at(IDENT) && typed { field(p) } else { statements::statement(p) }
}
