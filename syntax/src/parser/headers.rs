//! Loop headers of C, ISPC, Julia and Fortran, which a fix writes anew as a whole.
//!
//! Nothing here advances, as in [`forms`](super::forms). A fix is offered where the parts of the header are the usual ones: a start, an
//! end that is compared with the index, and a step by a number.

use report::{Diagnostic, TextEdit};
use rowan::TextRange;

use super::forms::Span;
use super::{Parser, declarations, habits};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// Builds the error for the header of a loop in parentheses, with the mark behind what is told: `for (int i = 0; i < n; i++) {` and
/// `foreach (i = 0 ... n) {`.
pub(super) fn in_parentheses(p: &Parser<'_>, keyword: &str) -> Option<(Diagnostic, usize)> {
    let closing = if p.at(L_PAREN) { p.closing_of(p.pos)? } else { return None };
    let inner = (p.pos + 1, closing);
    let indices = match p.split(inner, |kind| kind == SEMICOLON)[..] {
        [start, end, step] => vec![counted(p, start, end, step)?],
        [_] => match elements(p, inner).filter(|_| keyword == "for") {
            Some(over) => vec![over],
            None => {
                p.split(inner, |kind| kind == COMMA).into_iter().map(|part| from_to(p, part)).collect::<Option<_>>()?
            }
        },
        _ => return None,
    };
    if keyword == "for" && indices.len() > 1 {
        return None;
    }
    let stop = closing + 1;
    let ours = indices.join(", ");
    let (end, colon) = match p.kind_at(stop) {
        L_BRACE if p.is_mark(stop + 1) => (stop + 1, ":"),
        L_BRACE | COLON => (stop, ""),
        _ => (stop, ":"),
    };
    let range = p.range_of((p.pos, stop));
    let error = errors::header_of_others(range, &format!("{keyword} {ours}:"));
    let edit = TextEdit { range: p.range_of((p.pos, end)), text: format!("{ours}{colon}") };
    Some((errors::with_edits(error, format!("write `{keyword} {ours}:`"), vec![edit]), stop))
}

/// C++'s `auto v : a`, which is `v in a`.
fn elements(p: &Parser<'_>, inner: Span) -> Option<String> {
    let [name, over] = p.split(inner, |kind| kind == COLON)[..] else { return None };
    let declared = declarations::declared(p, name.0).filter(|declared| declared.stop == name.1)?;
    (over.0 < over.1).then(|| format!("{} in {}", p.text_at(declared.name), p.text_of(over)))
}

/// Builds the error for Rust's ranges with a method or in parentheses, `(0..n).rev()` and `(0..n).step_by(2)`, with the mark behind them.
pub(super) fn range_of_rust(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let closing = p.closing_of(p.pos)?;
    let (from, to) = ends(p, (p.pos + 1, closing))?;
    let method = closing + 2;
    let (ours, stop) = match (p.kind_at(closing + 1), p.text_at(method)) {
        (DOT, "rev") if p.kind_at(method + 2) == R_PAREN => (format!("reversed(range({from}, {to}))"), method + 3),
        (DOT, "step_by") if p.kind_at(method + 1) == L_PAREN => {
            let end = p.closing_of(method + 1)?;
            (format!("range({from}, {to}, {})", p.text_of((method + 2, end))), end + 1)
        }
        (DOT, _) => return None,
        _ => (format!("range({from}, {to})"), closing + 1),
    };
    let range = p.range_of((p.pos, stop));
    Some((errors::rewritten(range, range, RANGE, ours), stop))
}

const RANGE: (&str, &str) =
    ("a range of integers is written `range(a, b)`", "`b` is not one of them; `reversed` goes backwards");

/// Builds the error for Rust's `a..=b` and `0..n as usize`, from the mark of its first value on, with the mark behind it.
pub(super) fn dots_of_rust(p: &Parser<'_>, first: usize) -> Option<(Diagnostic, usize)> {
    let end = end_of_header(p)?;
    let stop = p.split((p.pos, end), |kind| kind == COMMA).first()?.1;
    let is_cast = |pos: usize| p.kind_at(pos) == IDENT && p.text_at(pos) == "as";
    if p.nth(1) != EQ && !(first..stop).any(is_cast) {
        return None;
    }
    let (from, to) = ends(p, (first, stop))?;
    let range = p.range_of((first, stop));
    Some((errors::rewritten(p.here(), range, RANGE, format!("range({from}, {to})")), stop))
}

/// The ends of a range of Rust, of which the second is not one of its numbers; a cast of an end says nothing here.
fn ends(p: &Parser<'_>, span: Span) -> Option<(String, String)> {
    let [from, to] = p.split(span, |kind| matches!(kind, DOT2 | ELLIPSIS))[..] else { return None };
    let inclusive = p.kind_at(to.0) == EQ;
    let value = |(first, end): Span| {
        let cast = first < end && end - first > 2 && p.text_at(end - 2) == "as";
        let end = if cast { end - 2 } else { end };
        let is_plain = first < end && !(first..end).any(|pos| matches!(p.kind_at(pos), DOT2 | EQ));
        is_plain.then(|| p.text_of((first, end)))
    };
    let (from, to) = (value(from)?, value((to.0 + usize::from(inclusive), to.1))?);
    Some((from.to_owned(), if inclusive { behind_last(to) } else { to.to_owned() }))
}

/// The end of a range whose last number this is: `k + 1`, and `n` for `n - 1`.
pub(super) fn behind_last(last: &str) -> String {
    if let Some(end) = last.parse().ok().and_then(|last: u64| last.checked_add(1)) {
        return end.to_string();
    }
    match last.strip_suffix("- 1").or_else(|| last.strip_suffix("-1")) {
        Some(end) if !end.trim().is_empty() => end.trim_end().to_owned(),
        _ => format!("{last} + 1"),
    }
}

/// Builds the error for the `=` behind the index of a loop that goes from one number to another: `foreach i = 0 ... n`, `for i = 1:n`.
pub(super) fn behind_index(p: &Parser<'_>, index: usize, keyword: &str) -> Option<Diagnostic> {
    if !p.at(EQ) || index + 1 != p.pos {
        return None;
    }
    let end = end_of_header(p)?;
    let indices: Vec<_> = match p.split((p.pos + 1, end), |kind| kind == COLON)[..] {
        [from, to] if from.0 < from.1 && to.0 < to.1 && keyword == "for" => {
            let (name, from, to) = (p.text_at(index), p.text_of(from), p.text_of(to));
            return Some(errors::inclusive_range(p.range_of((index, end)), name, from, to));
        }
        _ => p
            .split((index, end), |kind| kind == COMMA)
            .into_iter()
            .map(|part| from_to(p, part))
            .collect::<Option<_>>()?,
    };
    if keyword == "for" && indices.len() > 1 {
        return None;
    }
    let (range, ours) = (p.range_of((index, end)), indices.join(", "));
    let error = errors::header_of_others(range, &format!("{keyword} {ours}:"));
    Some(errors::with_edits(error, format!("write `{keyword} {ours}:`"), vec![TextEdit { range, text: ours }]))
}

/// Builds the error for the `:` between two numbers that a loop goes over, `for i in 1:n:`; `first` is the first mark behind `in`.
pub(super) fn between_numbers(p: &Parser<'_>, first: usize) -> Option<Diagnostic> {
    let end = end_of_header(p)?;
    let is_statement = p.text_at(first) == "range" || (p.pos..end).any(|pos| p.kind_at(pos).is_assignment());
    let opens = p.kind_at(end) == COLON || p.kind_at(end + 1) == INDENT && !is_statement;
    let value = matches!(p.nth(1), IDENT | INT | L_PAREN) && opens && p.pos + 1 < end;
    if !p.at(COLON) || !value || !matches!(p.split((first, end), |kind| kind == COLON)[..], [_, _]) {
        return None;
    }
    let index = p.text_at(first.checked_sub(2)?);
    let (from, to) = (p.text_of((first, p.pos)), p.text_of((p.pos + 1, end)));
    Some(errors::inclusive_range(p.range_of((first, end)), index, from, to))
}

/// The mark behind a header's last token before the colon or the brace that ends it, or the line.
fn end_of_header(p: &Parser<'_>) -> Option<usize> {
    let end = (p.pos..).find(|&pos| p.is_mark(pos))?;
    Some(if matches!(p.kind_at(end - 1), COLON | L_BRACE) { end - 1 } else { end })
}

/// One index of ISPC's `foreach`: `y = 0 ... h`.
fn from_to(p: &Parser<'_>, part: Span) -> Option<String> {
    let (name, from) = start_of(p, part)?;
    let [from, to] = p.split(from, |kind| matches!(kind, ELLIPSIS | DOT2))[..] else { return None };
    (from.0 < from.1 && to.0 < to.1).then(|| range_of_index(name, p.text_of(from), p.text_of(to), None))
}

/// The three parts of C's header: `int i = 0`, `i < n` and `i += 2`.
fn counted(p: &Parser<'_>, start: Span, (index, end): Span, step: Span) -> Option<String> {
    let (name, from) = start_of(p, start)?;
    if p.kind_at(index) != IDENT || p.text_at(index) != name || index + 2 >= end {
        return None;
    }
    let step = step_of(p, name, step)?;
    let (from, to) = (p.text_of(from), p.text_of((index + 2, end)));
    let to = match (p.kind_at(index + 1), step.starts_with('-')) {
        (LT, false) | (GT, true) => to.to_owned(),
        (LE, false) => format!("{to} + 1"),
        (GE, true) if to == "0" => "-1".to_owned(),
        (GE, true) => format!("{to} - 1"),
        // A loop that steps by one meets its end.
        (NE, _) if matches!(&*step, "1" | "-1") => to.to_owned(),
        _ => return None,
    };
    Some(range_of_index(name, from, &to, (step != "1").then_some(&step)))
}

/// The index that a loop starts with, `int i = 0`, and the marks of its first value.
fn start_of<'t>(p: &Parser<'t>, (first, end): Span) -> Option<(&'t str, Span)> {
    let typed = p.kind_at(first) == IDENT && p.kind_at(first + 1) == IDENT;
    if typed && !(habits::is_type(p.text_at(first)) || matches!(p.text_at(first), "auto" | "var" | "let")) {
        return None;
    }
    let name = first + usize::from(typed || p.kind_at(first) == LET_KW);
    let is_start = p.kind_at(name) == IDENT && p.kind_at(name + 1) == EQ && name + 2 < end;
    is_start.then(|| (p.text_at(name), (name + 2, end)))
}

/// The number that a loop's last part adds to its index: `i++`, `--i`, `i += 2`.
fn step_of(p: &Parser<'_>, name: &str, (first, end): Span) -> Option<String> {
    let text: String = p.text_of((first, end)).split_whitespace().collect();
    let rest = text.strip_prefix(name).or_else(|| text.strip_suffix(name))?;
    match rest {
        "++" => Some("1".to_owned()),
        "--" => Some("-1".to_owned()),
        _ => match rest.split_at_checked(2)? {
            ("+=", by) if is_plain(by) => Some(by.to_owned()),
            ("-=", by) if is_plain(by) => Some(format!("-{by}")),
            _ => None,
        },
    }
}

fn is_plain(by: &str) -> bool {
    !by.is_empty() && by.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn range_of_index(name: &str, from: &str, to: &str, step: Option<&str>) -> String {
    match (from, step) {
        ("0", None) => format!("{name} in range({to})"),
        (_, None) => format!("{name} in range({from}, {to})"),
        (_, Some(step)) => format!("{name} in range({from}, {to}, {step})"),
    }
}

/// Builds the error for the `?` of C's choice between two values, with a fix where its parts are plain to see.
pub(super) fn choice_of_c(p: &Parser<'_>) -> Diagnostic {
    let error =
        errors::foreign(p.here(), "there is no `?` here", "the condition stands in the middle: `a if c else b`");
    let whole = start_of_value(p).zip(end_of_value(p));
    let Some((whole, ours)) = whole.and_then(|whole| Some((whole, choice_in(p, whole, 0)?))) else { return error };
    let edit = TextEdit { range: p.range_of(whole), text: ours.clone() };
    errors::with_edits(error, format!("write `{ours}`"), vec![edit])
}

/// The choice that stands between two marks as it is written here, with those inside of its values.
fn choice_in(p: &Parser<'_>, (first, end): Span, depth: usize) -> Option<String> {
    const DEEPEST: usize = 8;
    let (_, question) = p.split((first, end), |kind| kind == QUESTION)[0];
    let is_plain = |span: Span| span.0 < span.1 && !(span.0..span.1).any(|pos| p.kind_at(pos) == QUESTION);
    if question == end {
        return is_plain((first, end)).then(|| p.text_of((first, end)).to_owned());
    }
    // Each `?` between this one and its `:` has one of its own.
    let (mut open, mut colon) = (0, question + 1);
    while colon < end {
        match p.kind_at(colon) {
            L_PAREN | L_BRACKET => colon = p.closing_of(colon)?,
            QUESTION => open += 1,
            COLON if open == 0 => break,
            COLON => open -= 1,
            _ => {}
        }
        colon += 1;
    }
    let condition = (first, question);
    if colon >= end || depth == DEEPEST || !is_plain(condition) {
        return None;
    }
    let yes = choice_in(p, (question + 1, colon), depth + 1)?;
    let yes = if is_plain((question + 1, colon)) { yes } else { format!("({yes})") };
    let no = choice_in(p, (colon + 1, end), depth + 1)?;
    Some(format!("{yes} if {} else {no}", p.text_of(condition)))
}

/// The first mark of the value that the parser is behind of: that behind the nearest `=`, comma, open bracket or word.
fn start_of_value(p: &Parser<'_>) -> Option<usize> {
    let mut first = p.pos;
    while let Some(before) = first.checked_sub(1) {
        match p.kind_at(before) {
            R_PAREN | R_BRACKET => {
                let partner = p.partner(before)?;
                first = (0..before).rev().find(|&open| !p.is_mark(open) && p.token(open) == partner)?;
            }
            COMMA | L_PAREN | L_BRACKET | RETURN_KW => break,
            kind if kind.is_assignment() || p.is_mark(before) => break,
            _ => first = before,
        }
    }
    (first < p.pos).then_some(first)
}

/// The mark behind the value that goes on here: at a comma, a closing bracket, a semicolon or the line's end.
pub(super) fn end_of_value(p: &Parser<'_>) -> Option<usize> {
    let mut pos = p.pos;
    loop {
        pos = match p.kind_at(pos) {
            L_PAREN | L_BRACKET => p.closing_of(pos)? + 1,
            COMMA | SEMICOLON | R_PAREN | R_BRACKET | END => return Some(pos),
            _ if p.is_mark(pos) => return Some(pos),
            _ => pos + 1,
        };
    }
}

/// Builds the error for `(float) x`, C's form of a cast, at its operand.
pub(super) fn cast_of_c(p: &Parser<'_>, ty: &str) -> Diagnostic {
    let first = p.pos - 3;
    let error = errors::foreign(p.here(), "a cast is written as a call", &format!("write `{ty}(x)`"));
    let Some(end) = super::forms::operand_from(p, p.pos) else { return error };
    let ours = format!("{ty}({})", p.text_of((p.pos, end)));
    let range = TextRange::new(p.range(first).start(), p.range(end - 1).end());
    errors::with_edits(error, format!("write `{ours}`"), vec![TextEdit { range, text: ours }])
}
