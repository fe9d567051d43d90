//! Forms of Python and C++ that fixes rewrite as a whole: matrix products, casts, swaps, sizes.
//!
//! As in [`habits`](super::habits), nothing here advances. A fix is offered where the tokens around leave no doubt about what the form
//! covers; else the help alone says what to write.

use report::{Diagnostic, TextEdit};
use rowan::TextRange;

use super::{Parser, habits};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// The tokens from the one at `first` up to that at `end`, by their indices in the layout.
pub(super) type Span = (usize, usize);

impl<'t> Parser<'t> {
    pub(super) fn kind_at(&self, pos: usize) -> SyntaxKind {
        self.layout.kinds.get(pos).copied().unwrap_or(END)
    }

    pub(super) fn range_of(&self, (first, end): Span) -> TextRange {
        if first < end {
            self.range(first).cover(self.range(end - 1))
        } else {
            TextRange::empty(self.range(first).start())
        }
    }

    pub(super) fn text_of(&self, span: Span) -> &'t str {
        &self.text[self.range_of(span)]
    }

    /// Index in the layout of the bracket that closes the one at `open`, which stands before `pos` or at it.
    pub(super) fn closing_of(&self, open: usize) -> Option<usize> {
        let partner = self.partner(open)?;
        (open..self.layout.kinds.len()).find(|&pos| !self.is_mark(pos) && self.token(pos) == partner)
    }

    /// Splits tokens at those that `is_mark` accepts, outside of brackets.
    pub(super) fn split(&self, (first, end): Span, is_mark: impl Fn(SyntaxKind) -> bool) -> Vec<Span> {
        let (mut parts, mut start, mut pos) = (Vec::new(), first, first);
        while pos < end {
            let kind = self.kind_at(pos);
            if matches!(kind, L_PAREN | L_BRACKET | L_BRACE) {
                pos = self.closing_of(pos).map_or(end, |closing| closing + 1);
                continue;
            }
            if is_mark(kind) {
                parts.push((start, pos));
                start = pos + 1;
            }
            pos += 1;
        }
        parts.push((start, end));
        parts
    }

    /// The arguments of a call of one of these names that is all of the tokens.
    fn call_of(&self, (first, end): Span, names: &[&str]) -> Option<Vec<Span>> {
        let is_call = self.kind_at(first) == IDENT && self.kind_at(first + 1) == L_PAREN;
        if !is_call || !names.contains(&self.text_at(first)) || self.closing_of(first + 1)? + 1 != end {
            return None;
        }
        let arguments = self.split((first + 2, end - 1), |kind| kind == COMMA);
        arguments.iter().all(|(first, end)| first < end).then_some(arguments)
    }
}

/// Builds the error for the `for` of a comprehension where none can stand.
pub(super) fn comprehension(p: &Parser<'_>) -> Diagnostic {
    errors::foreign(
        p.here(),
        "values with a `for` behind them stand in brackets, or by themselves in a call",
        "`[x * 2 for x in a]` is an array, `sum(x * 2 for x in a)` the sum of such values",
    )
}

/// Says whether a parenthesis in a loop's header is around names, as in `for (i, x) in enumerate(a)`.
pub(super) fn is_names_in_parentheses(p: &Parser<'_>) -> bool {
    p.closing_of(p.pos).is_some_and(|closing| matches!(p.kind_at(closing + 1), IN_KW | COMMA))
}

/// Builds the error for a further index in a `for`.
pub(super) fn second_index(p: &Parser<'_>) -> Diagnostic {
    errors::foreign(
        p.here(),
        "a `for` goes over one range, or one array",
        "nest a second `for` inside; `foreach i in range(n), j in range(m):` has several; over several arrays at once goes \
         `for x, y in zip(a, b):`",
    )
}

/// Builds the error for `range(n)[::-1]`, where that is all of a loop's header, and gives the mark behind it.
pub(super) fn backwards(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
    let stop = if p.kind_at(end - 1) == COLON { end - 1 } else { end };
    let of = (p.pos, stop.checked_sub(6).filter(|&open| p.text_of((open, stop)) == "[::-1]" && open > p.pos)?);
    p.call_of(of, &["range"])?;
    let range = p.range_of((p.pos, stop));
    let ours = format!("reversed({})", p.text_of(of));
    let error = errors::foreign(
        range,
        "a range has no elements to choose from",
        "a loop goes backwards over `reversed(range(n))`",
    );
    let edit = TextEdit { range, text: ours.clone() };
    Some((errors::with_edits(error, format!("write `{ours}`"), vec![edit]), stop))
}

/// Builds the error for the `@` of a matrix product.
pub(super) fn matrix_product(p: &Parser<'_>) -> Diagnostic {
    let error = errors::foreign(
        p.here(),
        "there is no `@` between values",
        "a matrix product is a call: `matmul(a, b)`; of a matrix and a vector it is `map(\\row -> dot(row, v), m)`, of two vectors \
         `dot(a, b)`",
    );
    let Some((left, right)) = operand_before(p).zip(operand_behind(p)) else { return error };
    let edits = vec![
        TextEdit { range: TextRange::empty(p.range(left).start()), text: "matmul(".to_owned() },
        TextEdit { range: TextRange::new(p.behind().end(), p.range(p.pos + 1).start()), text: ", ".to_owned() },
        TextEdit { range: TextRange::empty(p.range(right - 1).end()), text: ")".to_owned() },
    ];
    errors::with_edits(error, "write `matmul`".to_owned(), edits)
}

/// The first token of the operand that ends before this one, if nothing before it binds as tight as a product.
fn operand_before(p: &Parser<'_>) -> Option<usize> {
    let mut first = p.last?;
    loop {
        if matches!(p.kind_at(first), R_PAREN | R_BRACKET) {
            let partner = p.partner(first)?;
            first = (0..first).rev().find(|&open| !p.is_mark(open) && p.token(open) == partner)?;
            let of_name = first.checked_sub(1).is_some_and(|before| p.kind_at(before) == IDENT);
            first -= usize::from(of_name);
            if !of_name {
                break;
            }
        }
        let field = first.checked_sub(2).filter(|_| p.kind_at(first) == IDENT && p.kind_at(first - 1) == DOT);
        match field {
            Some(base) => first = base,
            None => break,
        }
    }
    let before = first.checked_sub(1).map(|before| p.kind_at(before));
    (!matches!(before, Some(STAR | SLASH | SLASH2 | PERCENT | STAR2))).then_some(first)
}

/// The end of the operand that starts behind this token, if nothing behind it binds tighter than a product.
fn operand_behind(p: &Parser<'_>) -> Option<usize> {
    let first = p.pos + 1;
    if matches!(p.kind_at(first), IDENT | L_PAREN) { operand_from(p, first) } else { None }
}

/// The end of the operand whose first mark this is, if nothing behind it binds tighter than a product.
pub(super) fn operand_from(p: &Parser<'_>, first: usize) -> Option<usize> {
    let mut end = match p.kind_at(first) {
        IDENT | INT | FLOAT => first + 1,
        L_PAREN => p.closing_of(first)? + 1,
        _ => return None,
    };
    loop {
        end = match p.kind_at(end) {
            L_PAREN | L_BRACKET => p.closing_of(end)? + 1,
            DOT if p.kind_at(end + 1) == IDENT => end + 2,
            STAR2 => return None,
            _ => return Some(end),
        };
    }
}

/// Builds the error for the `>` of `cast<i32>(x)`, C++'s form of a cast.
pub(super) fn cast_of_cpp(p: &Parser<'_>) -> Option<Diagnostic> {
    let first = p.pos.checked_sub(3)?;
    let form = p.at(GT)
        && p.kind_at(first) == IDENT
        && p.kind_at(first + 1) == LT
        && p.kind_at(first + 2) == IDENT
        && p.kind_at(p.pos + 1) == L_PAREN;
    if !form || !habits::is_type(p.text_at(first + 2)) {
        return None;
    }
    let range = p.range_of((first, p.pos + 1));
    if ["vec", "mat"].iter().any(|word| p.text_at(first).starts_with(word)) {
        let message = ("a vector is made without the type of its numbers", "`vec3(x, y, z)` has numbers of `f32`");
        return Some(errors::rewritten(range, range, message, p.text_at(first).to_owned()));
    }
    let ours = habits::our_type(p.text_at(first + 2));
    let error = errors::foreign(range, "a cast is written as a call of the type", &format!("write `{ours}(x)`"));
    let edit = TextEdit { range, text: ours.to_owned() };
    Some(errors::with_edits(error, format!("write `{ours}`"), vec![edit]))
}

/// Builds the error for `u8::MAX`, `std::min(x, y)` and other names behind colons.
pub(super) fn path_of_names(p: &Parser<'_>) -> Diagnostic {
    let at = p.here().cover(p.range(p.pos + 1));
    let error = errors::foreign(at, "there are no paths of names", "all functions are called by name: `max(a, b)`");
    let Some(first) = p.last else { return error };
    let mut end = p.pos;
    while p.kind_at(end) == COLON && p.kind_at(end + 1) == COLON && p.kind_at(end + 2) == IDENT {
        end += 3;
    }
    if end == p.pos || p.kind_at(first) != IDENT {
        return error;
    }
    if let Some(error) = path_in_angles(p, first, end - 1).or_else(|| between_iterators(p, first, end - 1)) {
        return error;
    }
    let (of, name) = (p.text_at(first), p.text_at(end - 1));
    let is_type = matches!(of, "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64");
    let called = p.kind_at(end) == L_PAREN;
    let ours = match name {
        "MAX" if is_type => format!("largest({of})"),
        "MIN" if is_type => format!("lowest({of})"),
        "INFINITY" => "inf".to_owned(),
        "NEG_INFINITY" => "-inf".to_owned(),
        "NAN" => "nan".to_owned(),
        "EPSILON" if of == "f64" => "2.220446049250313e-16".to_owned(),
        "EPSILON" => "1.1920929e-7".to_owned(),
        "PI" => "pi".to_owned(),
        "TAU" => "tau".to_owned(),
        // A variant of an enum, or what a newcomer takes for one.
        _ if end == p.pos + 3 && of.starts_with(|c: char| c.is_ascii_uppercase()) => {
            let colons = p.here().cover(p.range(p.pos + 1));
            return errors::instead(colons, "::", ".");
        }
        _ if called => name.to_owned(),
        _ => return error,
    };
    let edit = TextEdit { range: p.range_of((first, end)), text: ours.clone() };
    errors::with_edits(error, format!("write `{ours}`"), vec![edit])
}

/// Message and help for `t.0` and `std::get<0>(t)`.
pub(super) const PART_OF_TUPLE: (&str, &str) =
    ("the parts of a tuple have no numbers", "an assignment takes it apart: `let x, y = t`");

/// The members of `std::numeric_limits`, and what they are here.
const LIMITS: [(&str, &str); 5] =
    [("max", "largest"), ("lowest", "lowest"), ("min", "lowest"), ("infinity", "inf"), ("quiet_NaN", "nan")];

/// Builds the error for a name with a type or number in angle brackets: `std::get<0>(t)`, `std::numeric_limits<float>::max()`; `first` is the
/// mark of the path, and `name` that of the name before the `<`.
fn path_in_angles(p: &Parser<'_>, first: usize, name: usize) -> Option<Diagnostic> {
    let (argument, close) = (name + 2, name + 3);
    if p.kind_at(name + 1) != LT || p.kind_at(close) != GT {
        return None;
    }
    let whole = |stop: usize| p.range_of((first, stop));
    let at = p.here().cover(p.range(p.pos + 1));
    let ty = habits::our_type(p.text_at(argument));
    if p.text_at(name) == "get" && p.kind_at(argument) == INT {
        return Some(errors::foreign(at, PART_OF_TUPLE.0, PART_OF_TUPLE.1));
    }
    if p.text_at(name) == "bit_cast" {
        let help = "`to_bits(x)` are the bits of a float as an unsigned integer, and `from_bits(bits)` the float that has them";
        let ours = if ty.starts_with('f') { "from_bits" } else { "to_bits" };
        return Some(errors::rewritten(at, whole(close + 1), ("there is no such cast", help), ours.to_owned()));
    }
    let member = close + 3;
    let is_member = p.text_at(name) == "numeric_limits" && p.kind_at(close + 1) == COLON && p.kind_at(member) == IDENT;
    if !is_member || p.kind_at(member + 1) != L_PAREN || p.kind_at(member + 2) != R_PAREN {
        return None;
    }
    let (member_name, ours) = LIMITS.into_iter().find(|(name, _)| *name == p.text_at(member))?;
    // C++'s `min` of floats is the smallest one above 0.
    if member_name == "min" && ty.starts_with(['f', 'b']) {
        return None;
    }
    let ours = if ours.starts_with('l') { format!("{ours}({ty})") } else { ours.to_owned() };
    let message = (
        "there are no paths of names",
        "a type's numbers are `largest(f32)` and `lowest(f32)`; there are `inf` and `nan`",
    );
    Some(errors::rewritten(at, whole(member + 3), message, ours))
}

/// Builds the error for an algorithm of C++ on all elements of an array: `std::accumulate(a.begin(), a.end(), 0.0f)`. `first` is the mark of
/// the path, and `name` that of its last name.
fn between_iterators(p: &Parser<'_>, first: usize, name: usize) -> Option<Diagnostic> {
    let closing = if p.kind_at(name + 1) == L_PAREN { p.closing_of(name + 1)? } else { return None };
    let arguments = p.split((name + 2, closing), |kind| kind == COMMA);
    // The array whose `begin` or `end` an argument is.
    let of = |(first, stop): Span, method: &str| {
        let is_method = first + 5 == stop && p.kind_at(first + 1) == DOT && p.text_at(first + 2) == method;
        is_method.then(|| p.text_at(first))
    };
    let from = |start: Span, of_all: String| match p.text_of(start).trim_end_matches(['f', 'F']).parse::<f64>() {
        Ok(0.0) => of_all,
        _ => format!("({} + {of_all})", p.text_of(start)),
    };
    let ours = match (p.text_at(name), &arguments[..]) {
        ("accumulate" | "reduce", &[begin, end, zero]) if of(begin, "begin")? == of(end, "end")? => {
            from(zero, format!("sum({})", of(begin, "begin")?))
        }
        ("inner_product" | "transform_reduce", &[begin, end, other, zero])
            if of(begin, "begin")? == of(end, "end")? && of(other, "begin").is_some() =>
        {
            from(zero, format!("dot({}, {})", of(begin, "begin")?, of(other, "begin")?))
        }
        _ => return None,
    };
    let at = p.here().cover(p.range(p.pos + 1));
    let message = ("there are no iterators", "functions of arrays are about all their elements: `sum(a)`, `dot(a, b)`");
    Some(errors::rewritten(at, p.range_of((first, closing + 1)), message, ours))
}

/// Builds the error for Rust's `[x; n]`, at its `;`, with the mark of the closing bracket.
pub(super) fn filled_array(p: &Parser<'_>, open: usize) -> Option<(Diagnostic, usize)> {
    let closing = p.closing_of(open)?;
    if p.pos + 1 >= closing || (open..closing).any(|pos| p.is_mark(pos) || p.kind_at(pos) == COMMA) {
        return None;
    }
    let value = p.text_of((open + 1, p.pos));
    let ours = format!("replicate({}, {value})", p.text_of((p.pos + 1, closing)));
    let message = ("an array of one value is made by a call", "`replicate(n, x)` has `x` for each of `n` elements");
    Some((errors::rewritten(p.here(), p.range_of((open, closing + 1)), message, ours), closing))
}

/// Builds the error for `std::swap(x, y)`, at its colons.
pub(super) fn swap(p: &Parser<'_>) -> Diagnostic {
    let error = errors::foreign(
        p.here().cover(p.range(p.pos + 1)),
        "there are no paths of names, and no function changes its arguments",
        "two places are swapped by an assignment: `a, b = b, a`",
    );
    let call = p.pos + 2;
    let closing = if p.kind_at(call + 1) == L_PAREN { p.closing_of(call + 1) } else { None };
    let whole = p.last.zip(closing).filter(|(_, closing)| p.is_mark(closing + 1));
    let arguments = whole.and_then(|(_, closing)| p.call_of((call, closing + 1), &["swap"]));
    match (whole, arguments.as_deref()) {
        (Some((first, closing)), Some(&[x, y])) => {
            let (x, y) = (p.text_of(x), p.text_of(y));
            let edit = TextEdit { range: p.range_of((first, closing + 1)), text: format!("{x}, {y} = {y}, {x}") };
            errors::with_edits(error, "write an assignment".to_owned(), vec![edit])
        }
        _ => error,
    }
}

/// Builds the error for `Point { x: 1.0, y: 2.0 }`, at its brace, if it is one behind a name that is closed on its line.
pub(super) fn struct_in_braces(p: &Parser<'_>) -> Option<Diagnostic> {
    let name = p.last.filter(|&last| p.kind_at(last) == IDENT)?;
    let closing = p.closing_of(p.pos)?;
    if (p.pos..closing).any(|pos| p.is_mark(pos)) {
        return None;
    }
    if let Some(error) = definition_in_braces(p, name, closing) {
        return Some(error);
    }
    let fields = p.split((p.pos + 1, closing), |kind| kind == COMMA);
    let values: Vec<_> = fields
        .into_iter()
        .filter(|(first, end)| first < end)
        .map(|(first, end)| {
            // The name of the field, as Rust or C has it.
            let dot = usize::from(p.kind_at(first) == DOT);
            let named = p.kind_at(first + dot) == IDENT && matches!(p.kind_at(first + dot + 1), COLON | EQ);
            p.text_of((if named { first + dot + 2 } else { first }, end))
        })
        .collect();
    let call = format!("{}({})", p.text_at(name), values.join(", "));
    let error = errors::foreign(
        p.here(),
        "a struct is made by a call of its name, with the values of its fields in their order",
        &format!("write `{call}`"),
    );
    let edit = TextEdit { range: p.range_of((name, closing + 1)), text: call };
    Some(errors::with_edits(error, "write a call".to_owned(), vec![edit]))
}

/// Builds the error for `enum Kind { Low, High }` and `struct Point { float x; float y; }` on one line.
fn definition_in_braces(p: &Parser<'_>, name: usize, closing: usize) -> Option<Diagnostic> {
    let keyword = name.checked_sub(1)?;
    let is_struct = p.kind_at(keyword) == STRUCT_KW;
    if !is_struct && p.text_at(keyword) != "enum" {
        return None;
    }
    let parts = p.split((p.pos + 1, closing), |kind| matches!(kind, COMMA | SEMICOLON));
    let parts = parts.into_iter().filter(|(first, end)| first < end);
    let own = |(first, end): Span| match (p.kind_at(first), p.kind_at(first + 1), end - first) {
        (IDENT, IDENT, 2) => format!("{}: {}", p.text_at(first + 1), habits::our_type(p.text_at(first))),
        _ => p.text_of((first, end)).to_owned(),
    };
    let parts: Vec<_> = parts.map(own).collect();
    let text = if is_struct { format!(":\n    {}", parts.join("\n    ")) } else { format!(": {}", parts.join(", ")) };
    let end = closing + 1 + usize::from(p.kind_at(closing + 1) == SEMICOLON);
    let range = TextRange::new(p.range(name).end(), p.range(end - 1).end());
    let title = if is_struct { "write `:`, and each field on a line of its own" } else { "write `:`" };
    let error = Diagnostic { fixes: Vec::new(), ..errors::brace(p.here(), p.here()) };
    Some(errors::with_edits(error, title.to_owned(), vec![TextEdit { range, text }]))
}

/// Builds the error for an `->` behind a value: C's field of what a pointer points to, or a lambda without its mark.
pub(super) fn arrow(p: &Parser<'_>) -> Diagnostic {
    let lambda = p.last.filter(|&name| p.kind_at(name) == IDENT && name > 0).filter(|&name| {
        let before = p.kind_at(name - 1);
        (before.is_assignment() || matches!(before, COMMA | L_PAREN)) && p.range(name).end() != p.here().start()
    });
    match lambda {
        Some(name) => {
            let error = errors::foreign(
                p.here(),
                "a function without a name is written `\\x -> ...`",
                "`\\` stands before its parameters",
            );
            let edit = TextEdit { range: TextRange::empty(p.range(name).start()), text: "\\".to_owned() };
            errors::with_edits(error, "write `\\`".to_owned(), vec![edit])
        }
        None => errors::instead(p.here(), "->", "."),
    }
}

/// Builds the error for the tuple of `zeros((n, m))`, which has the sizes of an array; `open` is the mark of its bracket.
pub(super) fn sizes_as_tuple(p: &Parser<'_>, open: usize) -> Option<Diagnostic> {
    let (range, text) = sizes_of_call(p, open)?;
    let help = "an array of one value is `replicate(n, x)`, where `x` may be an array itself: `replicate(n, replicate(m, 0.0))`";
    let error = errors::foreign(range, "no function takes the sizes of an array as a tuple", help);
    Some(errors::with_edits(error, "write `replicate`".to_owned(), vec![TextEdit { range, text }]))
}

/// `np.zeros((n, m))` with its brackets as what makes such an array, with its range.
fn sizes_of_call(p: &Parser<'_>, open: usize) -> Option<(TextRange, String)> {
    let name = open.checked_sub(2).filter(|&name| p.kind_at(name) == IDENT && p.kind_at(open - 1) == L_PAREN)?;
    let value = match p.text_at(name) {
        "zeros" | "empty" => "0.0",
        "ones" => "1.0",
        _ => return None,
    };
    let closing = p.closing_of(open)?;
    if p.closing_of(open - 1)? != closing + 1 {
        return None;
    }
    let of_module = name >= 2 && p.kind_at(name - 1) == DOT && p.kind_at(name - 2) == IDENT;
    let sizes = p.split((open + 1, closing), |kind| kind == COMMA);
    let sizes: Vec<_> = sizes.into_iter().filter(|(first, end)| first < end).collect();
    let replicated =
        sizes.iter().rev().fold(value.to_owned(), |inner, &size| format!("replicate({}, {inner})", p.text_of(size)));
    Some((p.range_of((if of_module { name - 2 } else { name }, closing + 2)), replicated))
}

/// Builds the error for `a(i) = x`, with brackets for the parentheses; `first` is the mark of the name.
pub(super) fn element_of_call(p: &Parser<'_>, first: usize) -> Option<Diagnostic> {
    let arguments = p.call_of((first, p.pos), &[p.text_at(first)])?;
    let indices: Vec<_> = arguments.into_iter().map(|argument| p.text_of(argument)).collect();
    let range = p.range_of((first, p.pos));
    let text = format!("{}[{}]", p.text_at(first), indices.join(", "));
    let error = errors::target_of_call(range);
    Some(errors::with_edits(error, format!("write `{text}`"), vec![TextEdit { range, text }]))
}

/// Builds the error for a parameter such as `float a[n]`, with the mark of its name and that behind it.
pub(super) fn array_of_c(p: &Parser<'_>) -> Option<(Diagnostic, usize, usize)> {
    let (name, open) = (p.pos + 1, p.pos + 2);
    if !p.at(IDENT) || p.kind_at(name) != IDENT || p.kind_at(open) != L_BRACKET {
        return None;
    }
    let mut sizes = Vec::new();
    let mut stop = open;
    while p.kind_at(stop) == L_BRACKET {
        let closing = p.closing_of(stop)?;
        sizes.push(p.text_of((stop + 1, closing)));
        stop = closing + 1;
    }
    let sizes = match sizes.iter().all(|size| !size.is_empty()) {
        true => format!("[{}]", sizes.join(", ")),
        false => format!("[{}]", count_in(p)?),
    };
    let (whole, ty) = (p.range_of((p.pos, stop)), habits::our_type(p.current_text()));
    Some((errors::array_of_c(p.here().cover(p.range(name)), whole, p.text_at(name), ty, &sizes), name, stop))
}

/// Builds the error for a parameter such as `float *a` or `float* __restrict a`, with the mark of its name and that behind it.
pub(super) fn pointer_of_c(p: &Parser<'_>) -> Option<(Diagnostic, usize, usize)> {
    if !p.at(IDENT) || p.nth(1) != STAR {
        return None;
    }
    let stop = (p.pos + 1..).find(|&pos| !matches!(p.kind_at(pos), IDENT | STAR))?;
    let name = stop - 1;
    if p.kind_at(name) != IDENT {
        return None;
    }
    let (ty, of_name) = (habits::our_type(p.current_text()), p.text_at(name));
    let ours = match count_in(p) {
        Some(count) if habits::is_type(p.current_text()) => format!("{of_name}: {ty}[{count}]"),
        _ => of_name.to_owned(),
    };
    Some((errors::pointer_of_c(p.here().cover(p.range(p.pos + 1)), p.range_of((p.pos, stop)), &ours), name, stop))
}

/// The name of the item's parameter that is an integer, if there is only one: the size of its arrays, most likely.
pub(super) fn count_in<'t>(p: &Parser<'t>) -> Option<&'t str> {
    let kinds = &p.layout.kinds;
    let end = kinds.iter().position(|&kind| kind == NEWLINE).unwrap_or(kinds.len());
    let is_integer = |pos: usize| {
        let ty = habits::our_type(p.text_at(pos));
        habits::is_type(p.text_at(pos)) && ty.starts_with(['i', 'u'])
    };
    let of_c = (0..end).filter(|&pos| kinds[pos] == IDENT && p.kind_at(pos + 1) == IDENT && is_integer(pos));
    let ours = (2..end).filter(|&pos| {
        matches!(kinds[pos - 2..=pos], [IDENT, COLON, IDENT]) && is_integer(pos) && p.kind_at(pos + 1) != L_BRACKET
    });
    let is_count = |&pos: &usize| p.kind_at(pos + 1) != L_BRACKET && !habits::is_type(p.text_at(pos));
    let mut counts = of_c.map(|pos| pos + 1).chain(ours.map(|pos| pos - 2)).filter(is_count);
    let only = counts.next()?;
    counts.next().is_none().then(|| p.text_at(only))
}

/// Builds the error for Rust's `x as f32`.
pub(super) fn cast_of_rust(p: &Parser<'_>) -> Diagnostic {
    let error = errors::foreign(p.here(), "there is no `as`", "a cast is written as a call: `f32(x)`");
    let ty = p.pos + 1;
    let is_type = p.kind_at(ty) == IDENT && habits::is_type(p.text_at(ty));
    let Some(first) = operand_before(p).filter(|_| is_type) else { return error };
    let text = format!("{}({})", habits::our_type(p.text_at(ty)), p.text_of((first, p.pos)));
    let edit = TextEdit { range: p.range_of((first, ty + 1)), text: text.clone() };
    errors::with_edits(error, format!("write `{text}`"), vec![edit])
}

/// Says whether an argument has the name of its parameter and a `:` in front of it, as in Swift: `f(x: 2.0)`.
pub(super) fn is_named_with_colon(p: &Parser<'_>) -> bool {
    let in_call = p.open.last().is_some_and(|&open| p.kind_at(open) == L_PAREN);
    in_call
        && p.at(IDENT)
        && p.nth(1) == COLON
        && !matches!(p.nth(2), COLON | NEWLINE | COMMA | R_PAREN)
        && p.range(p.pos).end() == p.range(p.pos + 1).start()
        && p.range(p.pos + 1).end() < p.range(p.pos + 2).start()
}
