//! Declarations and types of C, C++, ISPC and Rust, and how they are written here: `const float *a`, `unsigned int x, y;`, `[f32; 8]`.
//!
//! Nothing here advances, as in [`forms`](super::forms).

use report::Diagnostic;
use rowan::TextRange;

use super::forms::{Span, count_in};
use super::{Parser, habits};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// A type and the name behind it, as C has them.
pub(super) struct NameOfC {
    /// `uniform `, `varying `, or nothing.
    qualifier: &'static str,
    /// Its type as it is written here, without its sizes.
    ty: String,
    /// The sizes behind the type or the name; an empty one is not told.
    sizes: Vec<String>,
    is_pointer: bool,
    /// Set if the type is one that Lane knows by this name or another.
    is_known: bool,
    /// Set if more than a word stands before the name.
    is_long: bool,
    /// The marks of its first word, of its name, and the one behind its sizes.
    first: usize,
    pub(super) name: usize,
    pub(super) stop: usize,
}

/// Words of C that say nothing here, before a type.
fn is_needless(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "static"
            | "constexpr"
            | "volatile"
            | "register"
            | "extern"
            | "inline"
            | "mutable"
            | "in"
            | "struct"
            | "__restrict"
            | "__restrict__"
            | "restrict"
            | "__constant__"
            | "thread_local"
    )
}

/// Reads a declaration from the mark at `first` on: what stands before the name, the name and its sizes.
pub(super) fn declared(p: &Parser<'_>, first: usize) -> Option<NameOfC> {
    let mut pos = first;
    let mut qualifier = "";
    loop {
        match p.kind_at(pos) {
            UNIFORM_KW => qualifier = "uniform ",
            VARYING_KW => qualifier = "varying ",
            IDENT | CONST_KW | STRUCT_KW | IN_KW if is_needless(p.text_at(pos)) => {}
            _ => break,
        }
        pos += 1;
    }
    while p.kind_at(pos) == IDENT && p.kind_at(pos + 1) == COLON && p.kind_at(pos + 2) == COLON {
        pos += 3;
    }
    let (ty, is_known, mut stop) = type_words(p, pos)?;
    let is_mark = |kind| matches!(kind, STAR | AMP | AMP2 | STAR2 | CONST_KW);
    let is_long = stop > first + 1 || is_mark(p.kind_at(stop));
    let sizes = Vec::new();
    let mut declared = NameOfC { qualifier, ty, sizes, is_pointer: false, is_known, is_long, first, name: 0, stop: 0 };
    if p.kind_at(stop) == LT {
        let close = (stop..).take(8).find(|&pos| p.kind_at(pos) == GT)?;
        let parts = p.split((stop + 1, close), |kind| kind == COMMA);
        let of = habits::our_type(p.text_of(*parts.first()?)).to_owned();
        (declared.is_known, declared.is_long) = (true, true);
        match (p.text_at(pos), &parts[..]) {
            ("array", [_, size]) => (declared.ty, declared.sizes) = (of, vec![p.text_of(*size).to_owned()]),
            ("vector" | "span" | "Vec" | "valarray", [_]) => (declared.ty, declared.is_pointer) = (of, true),
            // A short vector of ISPC.
            (_, [size]) if is_known && p.kind_at(size.0) == INT => match short_vector(&declared.ty, p.text_of(*size)) {
                Some(vector) => declared.ty = vector.to_owned(),
                None => declared.sizes.push(p.text_of(*size).to_owned()),
            },
            (_, [_, size]) => declared.ty = short_vector(&of, p.text_of(*size))?.to_owned(),
            _ => return None,
        }
        stop = close + 1;
    }
    if pos > first && p.kind_at(stop) != IDENT && !is_mark(p.kind_at(stop)) {
        // `const x`: the word is the name.
        return None;
    }
    loop {
        match p.kind_at(stop) {
            STAR | STAR2 => declared.is_pointer = true,
            IDENT if is_needless(p.text_at(stop)) && p.kind_at(stop + 1) == IDENT => {}
            AMP | AMP2 | CONST_KW => {}
            _ => return behind_type(p, declared, stop),
        }
        stop += 1;
    }
}

/// Reads the name at `name`, and the sizes behind it.
fn behind_type(p: &Parser<'_>, mut declared: NameOfC, mut name: usize) -> Option<NameOfC> {
    while matches!(p.kind_at(name), AMP | STAR) {
        declared.is_pointer |= p.kind_at(name) == STAR;
        name += 1;
    }
    if p.kind_at(name) != IDENT {
        return None;
    }
    let mut stop = name + 1;
    while p.kind_at(stop) == L_BRACKET {
        let closing = p.closing_of(stop)?;
        declared.sizes.push(p.text_of((stop + 1, closing)).to_owned());
        stop = closing + 1;
    }
    Some(NameOfC { name, stop, ..declared })
}

/// The words of a type such as `unsigned int`: how it is written here, if it is known, and the mark behind it.
fn type_words(p: &Parser<'_>, first: usize) -> Option<(String, bool, usize)> {
    if p.kind_at(first) != IDENT {
        return None;
    }
    let is_part = |pos: &usize| {
        let word = p.text_at(*pos);
        p.kind_at(*pos) == IDENT && matches!(word, "unsigned" | "signed" | "long" | "short" | "int" | "char" | "double")
    };
    let words: Vec<_> = (first..).take(4).take_while(is_part).map(|pos| p.text_at(pos)).collect();
    if words.len() < 2 && words.first() != Some(&"signed") {
        let word = p.text_at(first);
        return Some((habits::our_type(word).to_owned(), habits::is_type(word) || word == "auto", first + 1));
    }
    let has = |word: &str| words.contains(&word);
    let size = match () {
        () if has("double") => return Some(("f64".to_owned(), true, first + words.len())),
        () if has("char") => 8,
        () if has("short") => 16,
        () if has("long") => 64,
        () => 32,
    };
    let sign = if has("unsigned") { 'u' } else { 'i' };
    Some((format!("{sign}{size}"), true, first + words.len()))
}

impl NameOfC {
    /// `name: type[sizes]`; the name alone where a size is not told, and no parameter is likely to be it.
    fn ours(&self, p: &Parser<'_>, qualifier: &str) -> String {
        let (name, ty) = (p.text_at(self.name), &self.ty);
        let is_told = self.sizes.iter().all(|size| !size.is_empty()) && !self.is_pointer;
        if matches!(&**ty, "auto" | "var" | "let") {
            return name.to_owned();
        }
        match (is_told, self.sizes.is_empty(), count_in(p)) {
            (true, true, _) => format!("{name}: {qualifier}{ty}"),
            (true, false, _) => format!("{name}: {qualifier}{ty}[{}]", self.sizes.join(", ")),
            (false, _, Some(count)) if self.sizes.len() < 2 && self.is_known => format!("{name}: {ty}[{count}]"),
            _ => name.to_owned(),
        }
    }

    fn is_array(&self) -> bool {
        self.is_pointer || !self.sizes.is_empty()
    }

    /// The type alone, for a further name: the marks of a pointer and the sizes are those of one name.
    fn with_other_name(&self) -> NameOfC {
        NameOfC { ty: self.ty.clone(), sizes: Vec::new(), is_pointer: false, ..*self }
    }

    /// Returns true if a value of the type is made by a call.
    fn is_struct(&self) -> bool {
        let is_capital = self.ty.starts_with(|c: char| c.is_ascii_uppercase());
        !self.is_array() && (is_capital || self.ty.starts_with("vec") || self.ty.starts_with("mat"))
    }

    fn range(&self, p: &Parser<'_>) -> TextRange {
        p.range_of((self.first, self.name + 1))
    }
}

/// Builds the error for a parameter of C with more than a word before its name, such as `uniform float a[]` and `const float& x`.
pub(super) fn parameter(p: &Parser<'_>, keyword: &str) -> Option<(Diagnostic, NameOfC)> {
    if !matches!(p.current(), IDENT | UNIFORM_KW | VARYING_KW | CONST_KW) || matches!(p.nth(1), COLON | COMMA | R_PAREN)
    {
        return None;
    }
    let declared = declared(p, p.pos).filter(|declared| declared.is_long)?;
    if !matches!(p.kind_at(declared.stop), COMMA | R_PAREN | EQ) {
        return None;
    }
    // All parameters of a kernel are uniform.
    let qualifier = if keyword == "fn" && !declared.is_array() { declared.qualifier } else { "" };
    let ours = declared.ours(p, qualifier);
    let help = match declared.is_array() {
        true => "an array says its size, `a: f32[n]`; one without a type is inferred",
        false => "",
    };
    let whole = p.range_of((declared.first, declared.stop));
    let error = match declared.is_pointer {
        true => errors::pointer_of_c(p.range_of((declared.first, declared.name)), whole, &ours),
        false => errors::declaration_of_c(declared.range(p), whole, help, Some(&ours)),
    };
    Some((error, declared))
}

/// Builds the error for a declaration that is a statement; the flag is set if the error tells all of the line.
pub(super) fn statement(p: &Parser<'_>) -> Option<(Diagnostic, NameOfC, bool)> {
    let declared = declared(p, p.pos)?;
    let end = (declared.stop..).find(|&pos| p.is_mark(pos))?;
    let semicolon = p.kind_at(end - 1) == SEMICOLON && !(declared.stop..end - 1).any(|pos| p.kind_at(pos) == SEMICOLON);
    let end = if semicolon { end - 1 } else { end };
    let parts = p.split((declared.stop, end), |kind| kind == COMMA);
    let is_list = parts.len() > 1 && p.split((declared.first, end), |kind| kind == COMMA).len() > 1;
    let before = || (declared.first..declared.name).map(|pos| p.kind_at(pos));
    if p.kind_at(declared.stop) == EQ && before().any(|kind| kind == AMP) && !before().any(|kind| kind == CONST_KW) {
        let help = "an element is changed where it stands: `a[i] += 1`; an array has another name by `let b = a`";
        let error = errors::foreign(declared.range(p), "no variable is another name for an element", help);
        return Some((error, declared, true));
    }
    if let Some(error) = vector_of_list(p, &declared, end) {
        return Some((error, declared, true));
    }
    match p.kind_at(declared.stop) {
        EQ if is_list && declared.is_known => several(p, declared, end, &parts),
        EQ if declared.is_long && (declared.is_known || semicolon) => {
            // What a pointer goes to is an array of any size.
            let ours = match declared.is_pointer {
                true => format!("let {}", p.text_at(declared.name)),
                false => format!("let {}", declared.ours(p, declared.qualifier)),
            };
            let whole = p.range_of((declared.first, declared.stop));
            Some((errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)), declared, false))
        }
        COMMA if declared.is_known => several(p, declared, end, &parts),
        SEMICOLON | NEWLINE if !declared.is_long && declared.is_struct() => {
            let error = errors::value_without_call(declared.range(p), &declared.ty, p.text_at(declared.name));
            Some((error, declared, true))
        }
        SEMICOLON | NEWLINE if declared.is_known => {
            let ours = let_of(p, &declared, (declared.name, declared.stop));
            let whole = p.range_of((declared.first, declared.stop));
            Some((errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)), declared, true))
        }
        _ => None,
    }
}

/// Builds the error for a short vector with a list of its numbers, `float<3> v = {1, 2, 3}`, which is made by a call.
fn vector_of_list(p: &Parser<'_>, declared: &NameOfC, end: usize) -> Option<Diagnostic> {
    let open = declared.stop + 1;
    let is_list = p.kind_at(declared.stop) == EQ && matches!(p.kind_at(open), L_BRACE | L_BRACKET);
    if !is_list || !declared.ty.starts_with("vec") || p.closing_of(open)? + 1 != end {
        return None;
    }
    let (name, ty) = (p.text_at(declared.name), &declared.ty);
    let ours = format!("let {name} = {ty}({})", p.text_of((open + 1, end - 1)));
    let whole = p.range_of((declared.first, end));
    Some(errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)))
}

/// Builds the error for several names behind a type: `int i = 0, j = 1;`.
fn several(p: &Parser<'_>, declared: NameOfC, end: usize, parts: &[Span]) -> Option<(Diagnostic, NameOfC, bool)> {
    let first = (declared.name, parts[0].1);
    let mut lines = vec![let_of(p, &declared, first)];
    for &(start, end) in &parts[1..] {
        let next = behind_type(p, declared.with_other_name(), start)?;
        if next.stop < end && p.kind_at(next.stop) != EQ {
            return None;
        }
        lines.push(let_of(p, &next, (next.name, end)));
    }
    if p.pos != p.start_of_line() {
        return None;
    }
    let indentation = p.indentation(p.pos);
    let whole = p.range_of((declared.first, end));
    let ours = lines.join(&format!("\n{indentation}"));
    Some((errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)), declared, true))
}

/// The `let` for one name, whose value stands between its sizes and the end of the span, if it has one.
fn let_of(p: &Parser<'_>, declared: &NameOfC, (_, end): Span) -> String {
    let ours = declared.ours(p, declared.qualifier);
    if declared.stop < end {
        return format!("let {ours} {}", p.text_of((declared.stop, end)));
    }
    let zero = match &*declared.ty {
        _ if declared.is_array() => return format!("let {ours}"),
        "bool" => "false",
        ty if ty.starts_with(['f', 'b']) => "0.0",
        _ => "0",
    };
    format!("let {ours} = {zero}")
}

/// A parameter of a lambda of C++ as it is written here, with its type where that is told.
pub(super) fn parameter_of_lambda(p: &Parser<'_>, first: usize, stop: usize) -> Option<String> {
    let declared = declared(p, first).filter(|declared| declared.stop == stop && !declared.is_array())?;
    match declared.is_known {
        true => Some(declared.ours(p, "")),
        false => Some(p.text_at(declared.name).to_owned()),
    }
}

/// Builds the error for a constant in column 0: `constexpr float T = 2.0f;`, `static const float T[4] = {1, 2, 3, 4};`.
pub(super) fn constant(p: &Parser<'_>) -> Option<(Diagnostic, NameOfC)> {
    let declared = declared(p, p.pos)?;
    if p.kind_at(declared.stop) != EQ || !declared.is_known || declared.is_pointer {
        return None;
    }
    let ours = format!("const {}", declared.ours(p, ""));
    let whole = p.range_of((declared.first, declared.stop));
    Some((errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)), declared))
}

/// Builds the error for a field of C, `float x, y;`, with the mark behind all that it tells.
pub(super) fn field(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let declared = declared(p, p.pos)?;
    let end = (declared.stop..).find(|&pos| p.is_mark(pos))?;
    let stop = if p.kind_at(end - 1) == SEMICOLON { end - 1 } else { end };
    if !matches!(p.kind_at(declared.stop), SEMICOLON | COMMA | NEWLINE) || p.kind_at(stop - 1) == COMMA {
        return None;
    }
    let mut fields = vec![declared.ours(p, "")];
    for &(start, end) in &p.split((declared.stop, stop), |kind| kind == COMMA)[1..] {
        let next = behind_type(p, declared.with_other_name(), start).filter(|next| next.stop == end)?;
        fields.push(next.ours(p, ""));
    }
    if fields.len() > 1 && p.pos != p.start_of_line() {
        return None;
    }
    let ours = fields.join(&format!("\n{}", p.indentation(p.pos)));
    let whole = p.range_of((declared.first, end));
    Some((errors::declaration_of_c(declared.range(p), whole, "", Some(&ours)), end))
}

/// The vector of the prelude that `float<3>` and `vec<f32, 3>` stand for.
fn short_vector(ty: &str, size: &str) -> Option<&'static str> {
    match (ty, size) {
        ("f32", "2") => Some("vec2"),
        ("f32", "3") => Some("vec3"),
        ("f32", "4") => Some("vec4"),
        _ => None,
    }
}

/// A type of Rust or C++ as it is written here.
struct OtherType {
    ty: String,
    /// Its sizes; an empty one is not told.
    sizes: Vec<String>,
    stop: usize,
}

/// Builds the error for a type with others in angle brackets, or behind colons or a point, with the mark behind it: `Vec<f32>`,
/// `std::pair<float, int>`, `std::uint32_t`, `np.float32`, `list[float]`.
pub(super) fn type_of_names(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let mut name = p.pos;
    loop {
        name += match (p.kind_at(name + 1), p.kind_at(name + 2)) {
            (COLON, COLON) if p.kind_at(name + 3) == IDENT => 3,
            (DOT, IDENT) => 2,
            _ => break,
        };
    }
    let of = |span: Span| habits::our_type(p.text_of(span)).to_owned();
    let (open, close) = (name + 1, if p.kind_at(name + 1) == L_BRACKET { R_BRACKET } else { GT });
    let is_tuple = matches!(p.text_at(name), "tuple" | "Tuple");
    let is_list =
        close == R_BRACKET && (is_tuple || p.kind_at(open + 2) == R_BRACKET) && habits::is_type(p.text_at(open + 1));
    if close == R_BRACKET && !is_list {
        return None;
    }
    let is_inferred = matches!(p.text_at(name), "ndarray" | "NDArray" | "Tensor" | "array");
    let (ours, stop) = if is_list || p.kind_at(open) == LT {
        let close = (name..).take(16).find(|&pos| p.kind_at(pos) == close || p.is_mark(pos))?;
        let parts = p.split((name + 2, close), |kind| kind == COMMA);
        let ours = match (p.text_at(name), &parts[..]) {
            ("pair" | "tuple" | "Tuple", parts) => {
                let parts: Vec<_> = parts.iter().map(|&part| of(part)).collect();
                Some(format!("({})", parts.join(", ")))
            }
            ("array", [ty, size]) => Some(format!("{}[{}]", of(*ty), p.text_of(*size))),
            (_, [ty, size]) => short_vector(&of(*ty), p.text_of(*size)).map(str::to_owned),
            ("vec2" | "vec3" | "vec4", [ty]) if of(*ty) == "f32" => Some(p.text_at(name).to_owned()),
            ("vector" | "span" | "Vec" | "list" | "List" | "Sequence", [ty]) => {
                count_in(p).map(|count| format!("{}[{count}]", of(*ty)))
            }
            _ => None,
        };
        (ours, close + usize::from(matches!(p.kind_at(close), GT | R_BRACKET)))
    } else {
        let ours = match p.text_at(name) {
            "float32" => Some("f32".to_owned()),
            "float64" => Some("f64".to_owned()),
            word => habits::is_type(word).then(|| of((name, name + 1))),
        };
        (ours, name + 1)
    };
    let range = p.range_of((p.pos, stop));
    let (message, help) = (
        "a type is one word, with the sizes of an array behind it",
        "`f32`, `f32[n]`, `f32[h, w]`; several values are `(f32, i32)`",
    );
    // What is inferred needs no type.
    let named = p.pos.checked_sub(2).filter(|&name| p.kind_at(name) == IDENT && p.kind_at(name + 1) == COLON);
    let error = match (ours, named.filter(|_| is_inferred)) {
        (Some(ours), _) => errors::rewritten(range, range, (message, help), ours),
        (None, Some(name)) => {
            errors::rewritten(range, p.range_of((name, stop)), (message, help), p.text_at(name).to_owned())
        }
        (None, None) => errors::foreign(range, message, help),
    };
    Some((error, stop))
}

/// Builds the error for a type that starts with a mark, with the mark behind it: `[f32; 8]`, `&mut [f32]`, `*const f32`.
pub(super) fn type_of_others(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let OtherType { ty, mut sizes, stop } = foreign(p, p.pos, 0)?;
    let whole = p.range_of((p.pos, stop));
    let untold = sizes.iter().filter(|size| size.is_empty()).count();
    let count = count_in(p).filter(|_| untold == 1);
    if let Some(count) = count {
        sizes.iter_mut().filter(|size| size.is_empty()).for_each(|size| *size = count.to_owned());
    }
    let sizes = if sizes.is_empty() { String::new() } else { format!("[{}]", sizes.join(", ")) };
    if untold == 0 || count.is_some() {
        let ours = format!("{ty}{sizes}");
        return Some((errors::type_of_others(p.here(), whole, Some(&ours)), stop));
    }
    // What is inferred needs no type.
    let name = p.pos.checked_sub(2).filter(|&name| p.kind_at(name) == IDENT && p.kind_at(name + 1) == COLON);
    let whole = name.map(|name| p.range_of((name, stop)));
    let error = match (whole, name) {
        (Some(whole), Some(name)) => errors::type_of_others(p.here(), whole, Some(p.text_at(name))),
        _ => errors::type_of_others(p.here(), whole.unwrap_or(p.here()), None),
    };
    Some((error, stop))
}

fn foreign(p: &Parser<'_>, first: usize, depth: usize) -> Option<OtherType> {
    if depth > 8 {
        return None;
    }
    match p.kind_at(first) {
        AMP | STAR => {
            let word = first + 1;
            let is_word = matches!(p.text_at(word), "mut" | "const");
            let mut of = foreign(p, word + usize::from(is_word), depth + 1)?;
            if p.kind_at(first) == STAR {
                of.sizes.insert(0, String::new());
            }
            Some(of)
        }
        L_BRACKET => {
            let closing = p.closing_of(first)?;
            let parts = p.split((first + 1, closing), |kind| kind == SEMICOLON);
            let mut of = foreign(p, first + 1, depth + 1)?;
            let size = match parts[..] {
                [(_, end)] if of.stop == end => String::new(),
                [(_, end), size] if of.stop == end => p.text_of(size).to_owned(),
                _ => return None,
            };
            of.sizes.insert(0, size);
            Some(OtherType { stop: closing + 1, ..of })
        }
        IDENT => {
            let mut sizes = Vec::new();
            let mut stop = first + 1;
            if depth > 0 && p.kind_at(stop) == L_BRACKET {
                let closing = p.closing_of(stop)?;
                sizes.push(p.text_of((stop + 1, closing)).to_owned());
                stop = closing + 1;
            }
            Some(OtherType { ty: habits::our_type(p.text_at(first)).to_owned(), sizes, stop })
        }
        _ => None,
    }
}
