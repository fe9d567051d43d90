//! Forms of Python and C++ that fixes rewrite as a whole: comprehensions, loops over pairs, matrix products, casts.
//!
//! As in [`habits`](super::habits), nothing here advances. A fix is offered where the tokens around leave no doubt about what the form
//! covers; else the help alone says what to write.

use report::{Diagnostic, TextEdit};
use rowan::TextRange;

use super::{Parser, habits};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

/// The tokens from the one at `first` up to that at `end`, by their indices in the layout.
type Span = (usize, usize);

impl<'t> Parser<'t> {
    fn kind_at(&self, pos: usize) -> SyntaxKind {
        self.layout.kinds.get(pos).copied().unwrap_or(END)
    }

    fn range_of(&self, (first, end): Span) -> TextRange {
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
    fn split(&self, (first, end): Span, is_mark: impl Fn(SyntaxKind) -> bool) -> Vec<Span> {
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

/// Builds the error for the `for` of a comprehension, whose fix is a `map`.
pub(super) fn comprehension(p: &Parser<'_>) -> Diagnostic {
    let error = errors::foreign(
        p.here(),
        "there are no comprehensions",
        "`map` makes an array of what a function gives, `filter` of the elements for which one holds: `map(\\x -> x * 2, a)`",
    );
    match as_map(p) {
        Some((range, map)) => {
            let edit = TextEdit { range, text: map };
            errors::with_edits(error, "write a `map`".to_owned(), vec![edit])
        }
        None => error,
    }
}

/// `[e for x in a if c]` as `map(\x -> e, filter(\x -> c, a))`, with the range that it stands for: the brackets of an array
/// too, and all between those of a call.
fn as_map(p: &Parser<'_>) -> Option<(TextRange, String)> {
    let open = *p.open.last()?;
    let closing = p.closing_of(open)?;
    let is_array = p.kind_at(open) == L_BRACKET
        && !open.checked_sub(1).is_some_and(|before| habits::ends_value(p.kind_at(before)));
    let element = (open + 1, p.pos);
    if !(is_array || p.kind_at(open) == L_PAREN) || p.split(element, |kind| kind == COMMA).len() > 1 {
        return None;
    }
    let [names, rest] = p.split((p.pos + 1, closing), |kind| kind == IN_KW)[..] else { return None };
    let (over, condition) = match p.split(rest, |kind| kind == IF_KW)[..] {
        [over] => (over, None),
        [over, condition] => (over, Some(condition)),
        _ => return None,
    };
    let names = p.split(names, |kind| kind == COMMA);
    let plain = names.iter().all(|&(first, end)| first + 1 == end && p.kind_at(first) == IDENT);
    let again = p.split(rest, |kind| matches!(kind, FOR_KW | ELSE_KW | COMMA)).len() > 1;
    if !plain || again || (names.len() > 1 && condition.is_some()) || over.0 == over.1 {
        return None;
    }
    let names: Vec<_> = names.into_iter().map(|name| p.text_of(name)).collect();
    let names = names.join(" ");
    let over = match p.call_of(over, &["range"]).as_deref() {
        Some(&[n]) => format!("iota({})", p.text_of(n)),
        Some(_) => return None,
        None => p.text_of(over).to_owned(),
    };
    let over = match condition {
        Some(condition) => format!("filter(\\{names} -> {}, {over})", p.text_of(condition)),
        None => over,
    };
    let of_map = open.checked_sub(1).is_some_and(|callee| p.text_at(callee) == "map");
    let map = format!("\\{names} -> {}, {over}", p.text_of(element));
    let map = match () {
        // The call is that of `map` already.
        () if of_map && !is_array => map,
        // An element that is kept as it is makes the call a `filter` by itself.
        () if p.text_of(element) == names && condition.is_some() => over,
        () => format!("map({map})"),
    };
    Some((p.range_of(if is_array { (open, closing + 1) } else { (open + 1, closing) }), map))
}

/// Builds the error for a further name in a `for`, whose fix goes over the indices of `zip` and `enumerate`; `first` is the mark of
/// the first name.
pub(super) fn second_index(p: &Parser<'_>, first: Option<usize>) -> Diagnostic {
    let place = p.here();
    let Some((edits, size)) = first.and_then(|first| over_indices(p, first)) else {
        return errors::foreign(
            place,
            "a `for` has one index",
            "nest a second `for` inside; `foreach i in range(n), j in range(m):` has several; of several arrays a loop goes over the \
             indices: `for i in range(length(a)):`, and `x = a[i]` inside",
        );
    };
    let help = format!("go over the indices, `for i in range({size}):`, and take the elements inside: `x = a[i]`");
    let error = errors::foreign(place, "a `for` has one index, or one element", &help);
    if edits.is_empty() { error } else { errors::with_edits(error, "go over the indices".to_owned(), edits) }
}

/// The edits that make `for x, y in zip(a, b):` a loop over indices, none where the block is not below, and the number of its rounds.
fn over_indices(p: &Parser<'_>, first: usize) -> Option<(Vec<TextEdit>, String)> {
    let end = (first..).find(|&pos| p.is_mark(pos))?;
    let [names, over] = p.split((first, end.checked_sub(1)?), |kind| kind == IN_KW)[..] else { return None };
    let names: Vec<_> = p.split(names, |kind| kind == COMMA);
    let plain = |span: &Span| span.0 + 1 == span.1 && p.kind_at(span.0) == IDENT;
    let text = |span: &Span| p.text_of(*span);
    let (index, pairs): (&str, Vec<_>) = match (p.call_of(over, &["zip"]), p.call_of(over, &["enumerate"])) {
        (Some(arrays), _) if arrays.len() == names.len() => {
            let free = ["i", "k", "m", "at"].into_iter().find(|&free| !habits::has_word(p.text, free))?;
            (free, names.iter().zip(&arrays).map(|(name, array)| (text(name), *array)).collect())
        }
        (_, Some(arrays)) if arrays.len() == 1 && names.len() == 2 => {
            (text(&names[0]), vec![(text(&names[1]), arrays[0])])
        }
        _ => return None,
    };
    if !names.iter().all(plain) || !pairs.iter().all(|(_, array)| plain(array)) {
        return None;
    }
    let size = format!("length({})", text(&pairs[0].1));
    let block = end + 2;
    if p.kind_at(end - 1) != COLON || p.kind_at(end + 1) != INDENT {
        return Some((Vec::new(), size));
    }
    let indentation = p.indentation(block);
    let lines: String =
        pairs.iter().map(|(name, array)| format!("{name} = {}[{index}]\n{indentation}", text(array))).collect();
    let header = TextEdit { range: p.range_of((first, end - 1)), text: format!("{index} in range({size})") };
    let elements = TextEdit { range: TextRange::empty(p.range(block).start()), text: lines };
    Some((vec![header, elements], size))
}

/// Builds the error for what Python goes over backwards, `reversed(range(n))`, `reversed(a)` and `range(n)[::-1]`, where that is all of
/// a loop's header, and gives the mark behind it.
pub(super) fn backwards(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
    let stop = if p.kind_at(end - 1) == COLON { end - 1 } else { end };
    let all = (p.pos, stop);
    let reversed = p.call_of(all, &["reversed"]);
    let of = match reversed.as_deref() {
        Some(&[of]) => of,
        Some(_) => return None,
        None => (p.pos, stop.checked_sub(6).filter(|&open| p.text_of((open, stop)) == "[::-1]" && open > p.pos)?),
    };
    let range = p.call_of(of, &["range"]);
    let (ours, what) = match range.as_deref() {
        Some(&[n]) => (Some(format!("range({}, -1, -1)", one_less(p, n))), "there is no range backwards"),
        Some(&[from, to]) => {
            let ours = format!("range({}, {}, -1)", one_less(p, to), one_less(p, from));
            (Some(ours), "there is no range backwards")
        }
        Some(_) => (None, "there is no range backwards"),
        None if reversed.is_none() => return None,
        None => (Some(format!("{}[::-1]", p.text_of(of))), "there is no `reversed`"),
    };
    let help = "a range goes down by its step, `range(n - 1, -1, -1)`; an array is gone over backwards as `a[::-1]`";
    let error = errors::foreign(p.range_of(all), what, help);
    let error = match ours {
        Some(ours) => {
            let title = format!("write `{ours}`");
            errors::with_edits(error, title, vec![TextEdit { range: p.range_of(all), text: ours }])
        }
        None => error,
    };
    Some((error, stop))
}

/// An integer less one, as it is written.
fn one_less(p: &Parser<'_>, span: Span) -> String {
    let text = p.text_of(span);
    if let Ok(number) = text.parse::<i64>() {
        return (number - 1).to_string();
    }
    let binds_tight = |kind: SyntaxKind| !matches!(kind, IF_KW | OR_KW | AND_KW | PIPE | AMP | CARET | SHL | SHR);
    if p.split(span, |kind| !binds_tight(kind)).len() == 1 { format!("{text} - 1") } else { format!("({text}) - 1") }
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
    let mut end = match p.kind_at(first) {
        IDENT => first + 1,
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
    let ours = habits::our_type(p.text_at(first + 2));
    let range = p.range_of((first, p.pos + 1));
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
