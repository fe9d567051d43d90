//! Snippets: templates of whole items and statements.

use super::{CompletionKind, Completions};
use crate::visible::{LoopKind, Visible};

/// A keyword, and what may be written with it.
struct Form {
    word: &'static str,
    detail: &'static str,
    snippet: &'static str,
}

const fn form(word: &'static str, detail: &'static str, snippet: &'static str) -> Form {
    Form { word, detail, snippet }
}

const ITEMS: &[Form] = &[
    form("kernel", "callable from outside", "kernel ${1:name}(${2:a}, ${3:n}):\n    $0"),
    form("fn", "a helper, inlined where it is called", "fn ${1:name}(${2:x}):\n    return $0"),
    form("struct", "scalar fields under one name", "struct ${1:Name}:\n    ${2:x}: ${3:f32}$0"),
    form("enum", "several variants under one name", "enum ${1:Name}:\n    ${2:Low}, ${3:High}$0"),
    form("const", "a named value", "const ${1:NAME} = $0"),
    form("use", "makes the items of another file or of a library known", "use $0"),
];

const STATEMENTS: &[Form] = &[
    form("let", "defines a variable", "let ${1:x} = $0"),
    form("for", "repeats in order", "for ${1:i} in range(${2:n}):\n    $0"),
    form("foreach", "repeats in any order, side by side", "foreach ${1:i} in range(${2:n}):\n    $0"),
    form(
        "@stream",
        "stores results past the cache",
        "@stream\nforeach ${1:i} in range(${2:n}):\n    ${3:out}[${1:i}] = $0",
    ),
    form("atomic", "adds to a cell that other iterations add to, too", "atomic_add(${1:bins}, ${2:at}, ${3:1})"),
    form("while", "repeats while a condition holds", "while ${1:condition}:\n    $0"),
    form("if", "runs a block if a condition holds", "if ${1:condition}:\n    $0"),
    form("match", "chooses by the form of a value", "match ${1:value}:\n    case ${2:_}:\n        $0"),
    form("cif", "an `if` that is tested for all lanes at once", "cif ${1:condition}:\n    $0"),
    form("cfor", "a `for` that is tested for all lanes at once", "cfor ${1:i} in range(${2:n}):\n    $0"),
    form("cwhile", "a `while` that is tested for all lanes at once", "cwhile ${1:condition}:\n    $0"),
    form(
        "static for",
        "a loop that is written out when the program is built",
        "static for ${1:i} in range(${2:4}):\n    $0",
    ),
    form("static if", "an `if` that is decided when the program is built", "static if ${1:condition}:\n    $0"),
    form("assert", "stops the run unless it holds", "assert ${1:condition}"),
    form("return", "ends the kernel or function", "return $0"),
    form("pass", "does nothing", "pass"),
];

const BRANCHES: &[Form] = &[
    form("elif", "runs a block if no condition above held and this one does", "elif ${1:condition}:\n    $0"),
    form("else", "runs a block if no condition above held", "else:\n    $0"),
];

const CASE: Form = form("case", "takes the values of a pattern", "case ${1:pattern}:\n    $0");
const OTHERS: Form = form("case _", "takes every other value", "case _:\n    $0");

const BREAK: Form = form("break", "leaves the loop", "break");
const CONTINUE: Form = form("continue", "goes on with the next iteration", "continue");

/// The items that a line in column 0 may start.
pub(super) fn items(out: &mut Completions<'_>) {
    for form in ITEMS {
        add(out, 0, form);
    }
}

/// The statements that may start at a place.
pub(super) fn statements(out: &mut Completions<'_>, rank: u8, visible: &Visible, after_if: bool) {
    let branches = if after_if { BRANCHES } else { &[] };
    for form in branches.iter().chain(STATEMENTS) {
        // A `foreach` is left by no `return`.
        if form.word != "return" || !visible.in_foreach {
            add(out, rank, form);
        }
    }
    if visible.innermost == Some(LoopKind::Ordered) {
        add(out, rank, &BREAK);
    }
    if visible.innermost.is_some() {
        add(out, rank, &CONTINUE);
    }
}

/// Adds a case of a pattern.
pub(super) fn case(out: &mut Completions<'_>, pattern: &str) {
    let whole = out.word.ends_line;
    let item = out.add(0, CompletionKind::Keyword, format!("case {pattern}"));
    item.detail = Some("takes this variant".to_owned());
    if whole {
        item.insert = format!("case {pattern}:\n    $0");
        item.snippet = true;
    }
}

/// Adds a case of any pattern, and the one of all that no other takes.
pub(super) fn any_case(out: &mut Completions<'_>) {
    add(out, 1, &CASE);
    add(out, 1, &OTHERS);
}

/// Adds a form; on a line that goes on already, its word alone.
fn add(out: &mut Completions<'_>, rank: u8, form: &Form) {
    let whole = out.word.ends_line;
    let item = out.add(rank, CompletionKind::Keyword, form.word);
    item.detail = Some(form.detail.to_owned());
    if whole {
        item.insert = form.snippet.to_owned();
        item.snippet = form.snippet.contains('$');
    }
}
