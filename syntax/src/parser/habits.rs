//! Syntax of other languages that people write out of habit, and its errors.
//!
//! The rules call these functions for tokens that they do not accept. None of them advances: each inspects tokens, and returns
//! the error to report.

use rowan::{TextRange, TextSize};

use super::forms::Span;
use super::{Parser, expressions, forms, headers, references};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};
use report::{Diagnostic, TextEdit, spelling};

/// Words that start statements, for "did you mean".
const STATEMENT_WORDS: &[&str] = &[
    "let", "for", "foreach", "while", "if", "elif", "else", "cif", "cwhile", "cfor", "break", "continue", "return",
    "pass", "assert", "match",
];

/// The item keyword that a word was most likely meant for.
pub(super) fn item_keyword(word: &str) -> Option<&'static str> {
    match word {
        "def" | "func" | "function" | "fun" | "sub" | "proc" => Some("fn"),
        "class" | "record" | "type" => Some("struct"),
        "export" | "void" | "task" | "__global__" | "__kernel" | "shader" => Some("kernel"),
        "__device__" | "__host__" | "__forceinline__" | "inline" | "__inline" => Some("fn"),
        "let" | "static" | "constexpr" | "define" => Some("const"),
        _ => spelling::closest(word, &["kernel", "fn", "struct", "enum", "const", "use"]),
    }
}

/// The keywords that a word of another language may be meant for, the likeliest first. What gives no value is called from
/// outside as a rule.
pub(super) fn item_keywords(p: &Parser<'_>, meant: &'static str) -> Vec<&'static str> {
    let words = (0..4).take_while(|&ahead| p.nth(ahead) == IDENT).count();
    let is_function = matches!(p.current_text(), "def" | "func" | "function" | "fun" | "sub" | "proc")
        || starts_function_of_c(p) && p.nth(words) != EQ;
    // A `return` of C without a value has its `;` right behind it.
    let gives_value = || places(p.text, "return").any(|at| p.text[at + "return".len()..].starts_with([' ', '(']));
    match is_function {
        true if gives_value() => vec!["fn", "kernel"],
        true => vec!["kernel", "fn"],
        false => vec![meant],
    }
}

/// Returns true at a word that a function of C may start with: a type, or what says how it is linked.
pub(super) fn starts_function_of_c(p: &Parser<'_>) -> bool {
    let word = p.current_text();
    is_type(word)
        || matches!(
            word,
            "void"
                | "static"
                | "inline"
                | "extern"
                | "constexpr"
                | "__device__"
                | "__host__"
                | "__global__"
                | "__kernel"
        )
}

/// The statement keyword that was most likely meant: a misspelling, or another language's word.
pub(super) fn statement_keyword(p: &Parser<'_>) -> Option<&'static str> {
    let names = p.at(IDENT) && matches!(p.nth(1), IDENT | INT | FLOAT | TRUE_KW | FALSE_KW | NOT_KW);
    let alone = p.at(IDENT) && p.nth(1) == COLON && p.nth(2) == NEWLINE;
    if !names && !alone {
        return None;
    }
    match p.current_text() {
        "var" | "auto" | "val" | "alias" | "comptime" | "final" if p.nth(1) == IDENT => Some("let"),
        "elsif" | "elseif" | "elsf" => Some("elif"),
        // Both start a `match` there.
        "switch" | "match" => None,
        word if other_statement(word).is_some() => None,
        word => spelling::closest(word, STATEMENT_WORDS),
    }
}

/// Builds the error for a statement's first word, if no statement starts with it.
pub(super) fn first_word(p: &Parser<'_>) -> Option<Diagnostic> {
    let place = p.here();
    let next = p.nth(1);
    let doubled = matches!(p.current(), PLUS | MINUS) && next == p.current() && touches(p, p.pos);
    match p.current() {
        SLASH2 | SLASH if is_comment_of_c(p) => return Some(errors::comment_of_c(place, p.text)),
        STAR => return Some(references::pointed(p)),
        PLUS | MINUS if doubled && p.nth(2) == IDENT && p.nth(3) == NEWLINE => {
            return Some(increment(p, p.text_at(p.pos + 2)));
        }
        IDENT => {}
        _ => return None,
    }
    let word = p.current_text();
    let ends_block = matches!(word, "end" | "endif" | "endfor" | "endwhile" | "fi" | "done");
    if ends_block && matches!(next, NEWLINE | IDENT | IF_KW | FOR_KW | WHILE_KW) {
        let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
        return Some(errors::end_of_block(place.cover(p.range(end - 1))));
    }
    if word.starts_with("foreach_") && next == L_PAREN {
        let help = "lanes run along the last index of `foreach y in range(h), x in range(w):`";
        return Some(errors::foreign(place, &format!("there is no `{word}`"), help));
    }
    if matches!(next, FOR_KW | FOREACH_KW | WHILE_KW) {
        let gap = TextRange::new(place.start(), p.range(p.pos + 1).start());
        let help = "what is asked of a loop stands above it, on a line of its own: `@lanes(8)`, `@unroll(4)`, `@simd`, `@fast`; `@threads` \
                    stands above a kernel";
        return Some(errors::needless_word(place, gap, word, help));
    }
    if next == BANG && matches!(word, "println" | "print" | "eprintln" | "eprint" | "dbg") && p.nth(2) == L_PAREN {
        let (message, help) = other_statement("print")?;
        return Some(errors::without_statement(errors::foreign(place, message, help), p.text, place));
    }
    let names = matches!(next, IDENT | INT | FLOAT | TRUE_KW | FALSE_KW | NOT_KW | TEXT | STRUCT_KW);
    let alone = next == COLON && p.nth(2) == NEWLINE;
    if !names && !alone {
        return None;
    }
    if matches!(word, "def" | "func" | "function") {
        return Some(errors::nested_item(place, word));
    }
    if alone && other_statement(word).is_none() {
        return Some(if p.nth(3) == INDENT { errors::named_block(place, word) } else { errors::label(place, word) });
    }
    let counts = word == "do" && next == IDENT && p.nth(2) == EQ;
    let help = "a loop that counts is written `for i in range(n):`; `n` is not one of its values";
    let other = match other_statement(word) {
        Some((message, _)) if counts => Some(errors::foreign(place, message, help)),
        other => other.map(|(message, help)| errors::foreign(place, message, help)),
    };
    let operator = matches!(next, IDENT) && between_values(p.text_at(p.pos + 1));
    other.or_else(|| (!operator && names).then(|| errors::unknown_statement(place, word)))
}

/// Message and help for a statement of another language.
fn other_statement(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "do" | "repeat" | "loop" | "until" => {
            ("there is no such loop", "`while c:` tests before each turn; `break` leaves a loop anywhere")
        }
        "switch" => {
            ("there is no `switch`", "choose with `match x:`, and below it `case 1:`, `case 2 | 3:`, `case _:`")
        }
        "match" => ("`match` has a value behind it", "write `match x:`, and its cases below it"),
        "case" | "default" => {
            ("a case stands in the block of a `match`", "write `match x:` above it, and indent the cases")
        }
        "use" => {
            ("a `use` stands in column 0", "move it to the top of the file; what it takes is seen in the whole file")
        }
        "print" | "printf" => ("kernels do not print", "store to an array parameter; `lanescope run` prints it"),
        "import" | "from" | "include" | "using" => (
            "other files are named by `use`",
            "`use filters` in column 0 takes what `filters.lane` has; the built-in functions are always there",
        ),
        "raise" | "throw" | "try" | "except" | "catch" => {
            ("there are no exceptions", "`assert c` states what must hold; a result says what went wrong")
        }
        "goto" => (
            "there is no `goto`",
            "`continue` goes on with the next iteration, `break` leaves a loop, `return` the kernel or function",
        ),
        "new" | "delete" | "del" | "free" => (
            "no memory is asked for or given back",
            "`let a: f32[8]` is an array that lasts as long as its block; large ones are parameters",
        ),
        "__shared__" | "shared" | "groupshared" | "threadgroup" | "local" | "__local" => (
            "lanes and threads share no memory of their own",
            "an array that is defined before the loop, `let s: f32[256]`, is one for all iterations",
        ),
        "yield" | "async" | "await" | "with" | "global" | "nonlocal" | "unmasked" | "launch" | "sync" => (
            "there is no such statement",
            "those there are: `let`, assignments, `for`, `foreach`, `while`, `if`, `match`, `break`, `continue`, `return`, `pass`, \
             `assert`",
        ),
        _ => return None,
    })
}

/// Builds the error for a line in column 0 that starts with another language's word.
pub(super) fn item_of_others(p: &Parser<'_>) -> Option<Diagnostic> {
    if is_comment_of_c(p) {
        return Some(errors::comment_of_c(p.here(), p.text));
    }
    if let "<<<<<<<" | "=======" | ">>>>>>>" | "|||||||" = p.text.get(..7)? {
        let marker = TextRange::up_to(7.into());
        return Some(errors::foreign(
            marker,
            "a merge was left unfinished here",
            "keep one side, and remove the marks",
        ));
    }
    if p.at(L_BRACE) && p.nth(1) == NEWLINE {
        return Some(errors::brace_on_line_of_its_own(p.here()));
    }
    let word = p.current_text();
    if word == "layout" && p.nth(1) == L_PAREN || word == "precision" && p.nth(1) == IDENT {
        return Some(errors::line_of_glsl(p.here(), TextRange::up_to(TextSize::new(p.text.trim_end().len() as u32))));
    }
    let imports = p.at(IDENT) && matches!(word, "import" | "from" | "include" | "using") && p.nth(1) != EQ;
    let (message, help) = other_statement(word).filter(|_| imports)?;
    if let Some(written) = use_of_imports(p) {
        let line = TextRange::up_to(TextSize::new(p.text.find(['\n', '\r']).unwrap_or(p.text.len()) as u32));
        let edit = TextEdit { range: line, text: written.clone() };
        return Some(errors::with_edits(
            errors::foreign(p.here(), message, help),
            format!("write `{written}`"),
            vec![edit],
        ));
    }
    let line = p.text.find('\n').map_or(p.text.len(), |end| end + 1);
    let edit = TextEdit { range: TextRange::up_to(TextSize::new(line as u32)), text: String::new() };
    Some(errors::with_edits(errors::foreign(p.here(), message, help), "remove the line".to_owned(), vec![edit]))
}

/// Builds the error for what other languages have beside items: `typedef float real;`, `impl P:`, `template<int R>`.
pub(super) fn no_item(p: &Parser<'_>) -> Option<Diagnostic> {
    if !p.at(IDENT) {
        return None;
    }
    let (word, next) = (p.current_text(), p.nth(1));
    let (message, help) = match word {
        "typedef" if next == IDENT => NO_ALIAS,
        "using" | "type" if next == IDENT && p.nth(2) == EQ => NO_ALIAS,
        "impl" | "extension" if matches!(next, IDENT | LT) => (
            "functions belong to no type",
            "each stands in column 0 and takes the value as a parameter, `fn len(p: P) -> f32:`; it is called by `len(p)`",
        ),
        "template" if next == LT => (
            "constant and type parameters stand in brackets behind the name that has them",
            "write `kernel blur[R: const i32](...)` for `template<int R>`, and `fn twice[T](x: T)` for a type",
        ),
        "trait" | "interface" | "protocol" | "concept" if next == IDENT => {
            ("types share no interfaces", "a `fn` takes all types for which its body has a meaning")
        }
        "namespace" | "mod" | "module" | "package" if next == IDENT => {
            ("names stand in files, not in modules", "another file's names are taken by `use filters: lowpass`")
        }
        _ => return None,
    };
    Some(errors::foreign(p.here(), message, help))
}

const NO_ALIAS: (&str, &str) = ("a type has no other name", "write the type itself, such as `f32`, where it is used");

/// Builds the error for Python's `class E(Enum):`.
pub(super) fn enum_of_python(p: &Parser<'_>) -> Option<Diagnostic> {
    let is_enum = p.at(IDENT)
        && p.current_text() == "class"
        && p.nth(1) == IDENT
        && p.nth(2) == L_PAREN
        && p.nth(4) == R_PAREN
        && matches!(p.text_at(p.pos + 3), "Enum" | "IntEnum");
    is_enum.then(|| {
        let whole = p.range_of((p.pos, p.pos + 5));
        let message = ("a type of several variants is an `enum`", "its variants stand below it, one a line");
        errors::rewritten(p.here(), whole, message, format!("enum {}", p.text_at(p.pos + 1)))
    })
}

/// Returns true at the arrow of `-> None`, `-> void` and `-> ()`.
pub(super) fn is_no_result(p: &Parser<'_>) -> bool {
    match p.nth(1) {
        IDENT => matches!(p.text_at(p.pos + 1), "None" | "void" | "Void" | "Unit"),
        L_PAREN => p.nth(2) == R_PAREN,
        _ => false,
    }
}

/// Builds the error for Rust's `use a::b::c;`, behind its word.
pub(super) fn use_of_rust(p: &Parser<'_>) -> Option<Diagnostic> {
    if !p.at(IDENT) || p.nth(1) != COLON || p.nth(2) != COLON {
        return None;
    }
    let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
    let line = TextRange::new(p.range(p.pos.checked_sub(1)?).start(), p.range(end - 1).end());
    let range = p.range_of((p.pos, end));
    let message = "a file is named by `use`, and what it has behind a `:`";
    if matches!(p.current_text(), "std" | "core" | "alloc" | "libm") {
        let whole = TextRange::new(line.start(), p.range(end).end());
        return Some(errors::line_of_others(
            range,
            whole,
            message,
            "the built-in functions and numbers are always there",
        ));
    }
    let stop = if p.kind_at(end - 1) == SEMICOLON { end - 1 } else { end };
    let path = p.text_of((p.pos, stop));
    let names: Vec<_> = path.split("::").filter(|name| !matches!(*name, "crate" | "super" | "self")).collect();
    let is_plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let help = "`use filters: lowpass` takes `lowpass` from `filters.lane`";
    match names.split_last() {
        Some((name, files)) if !files.is_empty() && names.iter().all(is_plain) => {
            Some(errors::rewritten(range, line, (message, help), format!("use {}: {name}", files.join("."))))
        }
        _ => Some(errors::foreign(range, message, help)),
    }
}

/// The `use` that Python's `import filters` or `from filters import lowpass` are meant for.
fn use_of_imports(p: &Parser<'_>) -> Option<String> {
    let line = p.text.lines().next()?.split('#').next()?.trim();
    let is_path = |path: &str| !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    let is_numpy = |path: &str| matches!(path, "numpy" | "math" | "np" | "jax" | "torch");
    if let Some(path) = line.strip_prefix("import ") {
        let path = path.trim();
        return (is_path(path) && !is_numpy(path)).then(|| format!("use {path}"));
    }
    let (path, names) = line.strip_prefix("from ")?.split_once(" import ")?;
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let is_plain = is_path(path.trim()) && !is_numpy(path.trim());
    match names[..] {
        ["*"] if is_plain => Some(format!("use {}", path.trim())),
        _ if is_plain && names.iter().all(|name| is_path(name)) => {
            Some(format!("use {}: {}", path.trim(), names.join(", ")))
        }
        _ => None,
    }
}

/// Returns true at a comment of C: `// ...` or `/* ...`.
pub(super) fn is_comment_of_c(p: &Parser<'_>) -> bool {
    p.at(SLASH2) || (p.at(SLASH) && p.nth(1) == STAR && touches(p, p.pos))
}

/// Returns true if a type stands before the name here, as in `float x`.
pub(super) fn type_before_name(p: &Parser<'_>) -> bool {
    let ends = matches!(p.nth(2), EQ | NEWLINE | L_BRACKET | SEMICOLON | COMMA | R_PAREN);
    let is_named = || p.nth(2) == EQ && other_statement(p.current_text()).is_none();
    p.at(IDENT) && p.nth(1) == IDENT && ends && (is_type(p.current_text()) || is_named())
}

/// Returns true if a parameter's type stands before its name, which needs no known type: `vec2 p`.
pub(super) fn type_before_parameter(p: &Parser<'_>) -> bool {
    let ends = matches!(p.nth(2), COMMA | R_PAREN);
    type_before_name(p) || (p.at(IDENT) && p.nth(1) == IDENT && ends && p.current_text() != "self")
}

/// Builds the error for `const float k`, `varying int x` and `uniform float y` where a statement starts.
pub(super) fn qualified_name(p: &Parser<'_>) -> Option<Diagnostic> {
    let is_form = p.nth(1) == IDENT && p.nth(2) == IDENT && matches!(p.nth(3), EQ | NEWLINE);
    if !is_form || !is_type(p.text_at(p.pos + 1)) {
        return None;
    }
    let word = if p.at(CONST_KW) { String::new() } else { format!("{} ", p.current_text()) };
    let (ty, name) = (format!("{word}{}", our_type(p.text_at(p.pos + 1))), p.text_at(p.pos + 2));
    Some(errors::type_before_name(p.here().cover(p.range(p.pos + 2)), "let ", &ty, name))
}

/// Returns true at an access qualifier of another language, such as `mut`.
pub(super) fn is_access_word(p: &Parser<'_>) -> bool {
    let words =
        ["mut", "inout", "out", "in", "ref", "const", "restrict", "__restrict", "readonly", "writeonly", "owned"];
    let is_word = |kind| matches!(kind, IDENT | CONST_KW | IN_KW);
    is_word(p.current()) && matches!(p.nth(1), IDENT | UNIFORM_KW | VARYING_KW) && words.contains(&p.current_text())
}

/// The Lane type for another language's type name.
pub(super) fn our_type(name: &str) -> &str {
    match name {
        "float" => "f32",
        "double" => "f64",
        "int" => "i32",
        "long" => "i64",
        "short" => "i16",
        "char" => "i8",
        "unsigned" | "uint" => "u32",
        "size_t" | "uint64_t" | "usize" => "u64",
        "int64_t" | "isize" => "i64",
        "int32_t" => "i32",
        "uint32_t" => "u32",
        "int16_t" => "i16",
        "uint16_t" | "ushort" => "u16",
        "int8_t" => "i8",
        "uint8_t" | "uchar" | "byte" => "u8",
        "half" => "f16",
        "float2" => "vec2",
        "float3" => "vec3",
        "float4" => "vec4",
        _ => name,
    }
}

pub(super) fn is_type(name: &str) -> bool {
    let ours = [
        "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "f16", "bf16", "vec2", "vec3",
        "vec4", "mat2", "mat3", "mat4",
    ];
    our_type(name) != name || ours.contains(&name)
}

/// Builds the error for a token behind a complete statement.
pub(super) fn behind_statement(p: &Parser<'_>) -> Diagnostic {
    let place = p.here();
    if let Some(error) = behind_value(p) {
        return error;
    }
    let own = p.layout.kinds[..p.pos]
        .iter()
        .rposition(|&kind| matches!(kind, NEWLINE | INDENT | DEDENT))
        .map_or(0, |at| at + 1);
    if let Some(comment) = (own + 1..p.pos).find(|&pos| p.layout.kinds[pos] == SLASH2) {
        return errors::comment_of_c(p.range(comment), p.text);
    }
    match p.current() {
        kind if kind.is_closing() => p.stray_bracket(),
        EQ | COLON_EQ => chained_assignment(p),
        COMMA if is_decimal_comma(p) => errors::decimal_comma(place),
        COMMA => errors::foreign(place, "no tuple stands here", "several values are `(a, b)`, in parentheses"),
        _ if is_cast_of_c(p) => headers::cast_of_c(p, our_type(p.text_at(p.pos - 2))),
        kind => {
            let behind_value = p.last.is_some_and(|last| ends_value(p.layout.kinds[last]));
            errors::expected_end_of_line(place, &p.found(), behind_value && expressions::starts_expression(kind))
        }
    }
}

/// Builds the error for the second `=` of `i = j = 2`.
fn chained_assignment(p: &Parser<'_>) -> Diagnostic {
    let error = errors::chained_assignment(p.here());
    let first = p.start_of_line();
    let plain = || {
        let end = (first..).find(|&pos| p.is_mark(pos) || p.kind_at(pos) == SEMICOLON)?;
        let parts = p.split((first, end), |kind| kind == EQ);
        let (&value, targets) = parts.split_last()?;
        // What is computed once is written once.
        let is_value = value.1 == value.0 + 1 && matches!(p.kind_at(value.0), IDENT | INT | FLOAT | TRUE_KW | FALSE_KW);
        let is_name = |&(first, end): &Span| end == first + 1 && p.kind_at(first) == IDENT;
        (is_value && targets.iter().all(is_name)).then_some((end, value, targets.to_vec()))
    };
    let Some((end, value, targets)) = plain() else { return error };
    let line = |&target: &Span| format!("{} = {}", p.text_of(target), p.text_of(value));
    let lines: Vec<_> = targets.iter().rev().map(line).collect();
    errors::on_lines(error, p.range_of((first, end)), &lines.join(&format!("\n{}", p.indentation(first))))
}

/// Builds the error for a token behind a complete expression, if another language would continue there.
pub(super) fn behind_value(p: &Parser<'_>) -> Option<Diagnostic> {
    let place = p.here();
    let next = p.nth(1);
    let both = || place.cover(p.range(p.pos + 1));
    Some(match p.current() {
        IDENT => match p.current_text() {
            "is" if next == NOT_KW => errors::instead(both(), "is not", "!="),
            "is" if p.text_at(p.pos + 1).starts_with(|c: char| c.is_ascii_uppercase()) => errors::foreign(
                place,
                "there is no test `is`",
                "`match x:` and `case Circle(r):` tell variants apart; of an enum without data, `x == Kind.Low`",
            ),
            "is" => errors::instead(place, "is", "=="),
            "xor" => errors::instead(place, "xor", "^"),
            "mod" => errors::instead(place, "mod", "%"),
            "as" => forms::cast_of_rust(p),
            _ => return None,
        },
        IN_KW | NOT_KW if p.at(IN_KW) || next == IN_KW => {
            errors::foreign(place, "there is no test for membership", "compare instead: `lo <= i and i < hi`")
        }
        AT => forms::matrix_product(p),
        ARROW => forms::arrow(p),
        FOR_KW => forms::comprehension(p),
        QUESTION => headers::choice_of_c(p),
        DOT2 | ELLIPSIS => {
            errors::foreign(place, &format!("there is no `{}` here", p.current_text()), "write `range(a, b)`")
        }
        COLON if next == COLON && p.nth(2) == IDENT && p.text_at(p.pos + 2) == "swap" => forms::swap(p),
        COLON if next == COLON => forms::path_of_names(p),
        SEMICOLON => semicolon(p),
        L_BRACE => forms::struct_in_braces(p).unwrap_or_else(|| brace(p)),
        _ => return None,
    })
}

/// Returns true at a statement behind a header that lacks its colon, as in `if c return x`.
pub(super) fn statement_behind_header(p: &Parser<'_>) -> bool {
    let starts = matches!(p.current(), RETURN_KW | BREAK_KW | CONTINUE_KW | PASS_KW | ASSERT_KW | LET_KW);
    if !starts && (!p.at(IDENT) || between_values(p.current_text())) {
        return false;
    }
    let line = p.layout.kinds[p.pos..].split(|&kind| kind == NEWLINE).next().unwrap_or_default();
    let assigns = || line.iter().any(|kind| kind.is_assignment());
    (starts || assigns()) && !matches!(line.last(), Some(COLON | L_BRACE))
}

fn semicolon(p: &Parser<'_>) -> Diagnostic {
    if p.nth(1) == NEWLINE {
        return errors::semicolon(p.here());
    }
    let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
    errors::two_statements(gap, p.indentation(p.pos))
}

/// Builds the error for a brace where a header's colon should be.
pub(super) fn brace(p: &Parser<'_>) -> Diagnostic {
    errors::brace(p.here(), TextRange::new(p.behind().end(), p.here().end()))
}

/// Builds the error for `i++` and `++i`; `name` is the variable.
pub(super) fn increment(p: &Parser<'_>, name: &str) -> Diagnostic {
    let sign = p.current_text();
    let both = p.here().cover(p.range(p.pos + 1));
    let error = errors::foreign(both, &format!("there is no `{sign}{sign}` here"), "a statement changes a variable");
    let is_first = p.nth(2) == IDENT;
    let whole = if is_first { both.cover(p.range(p.pos + 2)) } else { both };
    let text = if is_first { format!("{name} {sign}= 1") } else { format!(" {sign}= 1") };
    errors::with_edits(error, format!("write `{name} {sign}= 1`"), vec![TextEdit { range: whole, text }])
}

/// Builds the error for `out[i++] = x`, whose variable starts at the mark `first`.
pub(super) fn increment_inside(p: &Parser<'_>, first: usize) -> Diagnostic {
    let sign = p.current_text();
    let both = p.here().cover(p.range(p.pos + 1));
    let name = p.text_of((first, p.pos));
    let message = format!("there is no `{sign}{sign}` here: no value changes where it is used");
    let error = errors::foreign(both, &message, &format!("write `{name} {sign}= 1` on the line below"));
    let start = p.start_of_line();
    let plain = || {
        let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
        let stop = if p.kind_at(end - 1) == SEMICOLON { end - 1 } else { end };
        let is_once = (start..stop).filter(|&pos| p.text_at(pos) == name).count() == 1;
        let is_statement = (start..stop).any(|pos| p.kind_at(pos).is_assignment())
            && !(start..end).any(|pos| matches!(p.kind_at(pos), COLON | L_BRACE | WHILE_KW | IF_KW | FOR_KW));
        (is_once && is_statement && first + 1 == p.pos).then_some(stop)
    };
    let Some(stop) = plain() else { return error };
    let line = format!("\n{}{name} {sign}= 1", p.indentation(start));
    let edits = vec![
        TextEdit { range: both, text: String::new() },
        TextEdit { range: TextRange::empty(p.range(stop - 1).end()), text: line },
    ];
    errors::with_edits(error, format!("write `{name} {sign}= 1` below it"), edits)
}

/// The places of a word in a text.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        !word.is_empty() && !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// The size of an array by its name, as its type or its uses have it: `None` for what does not look like an array, and no
/// size where none is written that could be counted to.
pub(super) fn array_size<'t>(text: &'t str, name: &'t str) -> Option<Option<&'t str>> {
    let mut indexed = false;
    for at in places(text, name) {
        let behind = text[at + name.len()..].trim_start_matches([' ', '\t']);
        indexed |= behind.starts_with('[');
        let ty = behind.strip_prefix(':').map(|ty| ty.trim_start_matches([' ', '\t']));
        let end = |ty: &str| ty.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let sizes = ty.and_then(|ty| ty[end(ty)?..].strip_prefix('['));
        if let Some((size, _)) = sizes.and_then(|sizes| sizes.split_once(']')) {
            return Some(end(size).is_none().then_some(size));
        }
    }
    indexed.then_some(None)
}

/// Returns true if a name is that of an integer parameter, or of an array's size.
pub(super) fn is_count(text: &str, name: &str) -> bool {
    let integers = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    places(text, name).any(|at| {
        let behind = text[at + name.len()..].trim_start();
        let ty = behind.strip_prefix(':').map_or("", |ty| ty.trim_start());
        integers.iter().any(|integer| ty.starts_with(integer)) || is_between_brackets(text, at, name)
    })
}

/// Returns true if a name stands at the start of a subscript, or at the end of one.
pub(super) fn is_subscript(text: &str, name: &str) -> bool {
    places(text, name).any(|at| is_between_brackets(text, at, name))
}

fn is_between_brackets(text: &str, at: usize, name: &str) -> bool {
    text[..at].trim_end().ends_with('[') || text[at + name.len()..].trim_start().starts_with(']')
}

fn between_values(word: &str) -> bool {
    matches!(word, "is" | "as" | "xor" | "mod" | "then")
}

/// Returns true if an operand can end with a token of this kind.
pub(super) fn ends_value(kind: SyntaxKind) -> bool {
    matches!(kind, IDENT | INT | FLOAT | TEXT | TRUE_KW | FALSE_KW | R_PAREN | R_BRACKET)
}

/// Returns true at the comma of `1,5`, a decimal comma.
pub(super) fn is_decimal_comma(p: &Parser<'_>) -> bool {
    let before = p.last.is_some_and(|last| p.layout.kinds[last] == INT && touches(p, last));
    before && matches!(p.nth(1), INT) && touches(p, p.pos)
}

/// Returns true at the `x` of `(float) x`, a cast in C.
fn is_cast_of_c(p: &Parser<'_>) -> bool {
    let before = |back: usize| p.pos.checked_sub(back).map(|pos| p.layout.kinds[pos]);
    let in_parentheses = before(1) == Some(R_PAREN) && before(2) == Some(IDENT) && before(3) == Some(L_PAREN);
    in_parentheses && is_type(p.text_at(p.pos - 2))
}

/// Returns true if the token at `pos` touches the next one.
fn touches(p: &Parser<'_>, pos: usize) -> bool {
    p.range(pos).end() == p.range(pos + 1).start()
}
