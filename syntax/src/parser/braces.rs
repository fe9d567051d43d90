//! Blocks and values in braces on one line, as C and Rust have them: `if c { break; }`, `if c { a } else { b }`, `match k { 1 => a, _ => b }`.
//!
//! Nothing here advances, as in [`forms`](super::forms). Braces whose content goes on below are those of a block, which the layout knows.

use report::Diagnostic;
use rowan::TextRange;

use super::forms::Span;
use super::{Parser, habits};
use crate::errors;
use crate::kinds::SyntaxKind::*;

/// The mark that closes the brace at `open`, on the same line.
fn closing(p: &Parser<'_>, open: usize) -> Option<usize> {
    if p.kind_at(open) != L_BRACE {
        return None;
    }
    p.closing_of(open).filter(|&closing| !(open..closing).any(|pos| p.is_mark(pos)))
}

/// Builds the error for a block in braces behind its header, with the mark behind it and what goes on behind it.
pub(super) fn block(p: &Parser<'_>, what: &str) -> Option<(Diagnostic, usize)> {
    if matches!(what, "the `struct` line" | "the `enum` line" | "the `match` line") {
        return None;
    }
    let indentation = p.indentation(p.pos);
    let mut end = closing(p, p.pos)?;
    let first = statements(p, (p.pos + 1, end), what)?;
    let mut text = match &first[..] {
        [only] if what == "the `fn` line" && is_value(p, (p.pos + 1, end)) => format!(": return {only}"),
        [only] if p.kind_at(end + 1) != ELSE_KW => format!(": {only}"),
        _ => in_lines(&first, indentation),
    };
    while p.kind_at(end + 1) == ELSE_KW {
        let word = end + 1;
        let is_elif = p.kind_at(word + 1) == IF_KW;
        let open = (word..).find(|&pos| p.kind_at(pos) == L_BRACE || p.is_mark(pos))?;
        let last = closing(p, open)?;
        let header = if is_elif { format!("elif {}", p.text_of((word + 2, open))) } else { "else".to_owned() };
        let block = in_lines(&statements(p, (open + 1, last), "")?, indentation);
        text.push_str(&format!("\n{indentation}{header}{block}"));
        end = last;
    }
    if !p.is_mark(end + 1) {
        return None;
    }
    let gap = TextRange::new(p.behind().end(), p.range(end).end());
    Some((errors::block_in_braces(p.here(), gap, &text), end + 1))
}

fn in_lines(statements: &[&str], indentation: &str) -> String {
    statements.iter().fold(":".to_owned(), |text, statement| format!("{text}\n{indentation}    {statement}"))
}

/// Says whether the tokens between braces are the value that a function of Rust ends with.
fn is_value(p: &Parser<'_>, (first, end): Span) -> bool {
    !matches!(p.kind_at(first), RETURN_KW | BREAK_KW | CONTINUE_KW | PASS_KW | ASSERT_KW | LET_KW | CONST_KW)
        && !(first..end).any(|pos| p.kind_at(pos).is_assignment() || p.kind_at(pos) == SEMICOLON)
        && first < end
}

/// The statements between braces, as they stand there; `None` for what is no list of statements, and for blocks inside.
fn statements<'t>(p: &Parser<'t>, (first, end): Span, what: &str) -> Option<Vec<&'t str>> {
    let parts: Vec<_> = p.split((first, end), |kind| kind == SEMICOLON);
    let parts: Vec<_> = parts.into_iter().filter(|(first, end)| first < end).collect();
    let Some(&(start, stop)) = parts.first() else { return Some(vec!["pass"]) };
    let acts = |(start, stop): Span| {
        matches!(
            p.kind_at(start),
            RETURN_KW | BREAK_KW | CONTINUE_KW | PASS_KW | ASSERT_KW | LET_KW | CONST_KW | PLUS | MINUS
        ) || p.kind_at(start) == IDENT && p.kind_at(stop - 1) == R_PAREN
            || (start..stop).any(|pos| p.kind_at(pos).is_assignment())
            || p.kind_at(stop) == SEMICOLON
    };
    let is_plain = !(first..end).any(|pos| matches!(p.kind_at(pos), L_BRACE | IF_KW | FOR_KW | WHILE_KW));
    let is_field = p.kind_at(start) == IDENT && p.kind_at(start + 1) == COLON;
    let is_value = what == "the `fn` line" && is_value(p, (first, end));
    (is_plain && !is_field && (is_value || acts((start, stop))))
        .then(|| parts.iter().map(|&part| p.text_of(part)).collect())
}

/// Builds the error for Rust's `if c { a } else { b }` as a value, with the mark behind it.
pub(super) fn choice(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let (ours, stop) = choice_at(p, p.pos)?;
    let message =
        ("a value is chosen by `a if c else b`", "the condition stands in the middle, and there are no braces");
    Some((errors::rewritten(p.here(), p.range_of((p.pos, stop)), message, ours), stop))
}

fn choice_at(p: &Parser<'_>, word: usize) -> Option<(String, usize)> {
    let (condition, yes, end) = branch(p, word + 1)?;
    if p.kind_at(end + 1) != ELSE_KW {
        return None;
    }
    let (no, stop) = match p.kind_at(end + 2) {
        IF_KW => choice_at(p, end + 2)?,
        _ => {
            let (_, no, end) = branch(p, end + 2)?;
            (no.to_owned(), end + 1)
        }
    };
    Some((format!("{yes} if {condition} else {no}"), stop))
}

/// A condition, the value in the braces behind it, and the mark of the closing one.
fn branch<'t>(p: &Parser<'t>, first: usize) -> Option<(&'t str, &'t str, usize)> {
    let open = (first..).find(|&pos| p.kind_at(pos) == L_BRACE || p.is_mark(pos))?;
    let end = closing(p, open)?;
    let value = (open + 1, end);
    let is_value = value.0 < end
        && !(value.0..end).any(|pos| {
            matches!(p.kind_at(pos), SEMICOLON | L_BRACE | IF_KW | LET_KW | COMMA) || p.kind_at(pos).is_assignment()
        });
    is_value.then(|| (p.text_of((first, open)), p.text_of(value), end))
}

/// Adds what to write for `x = match k { 1 => a, _ => b }` to its error, where all of it is on one line. The mark is that of the word, and
/// `before` is what stands before each value: `x = `.
pub(super) fn arms(p: &Parser<'_>, error: Diagnostic, first: usize) -> Diagnostic {
    let lines = || {
        let open = (p.pos..).find(|&pos| p.kind_at(pos) == L_BRACE || p.is_mark(pos))?;
        let end = closing(p, open)?;
        if !(p.is_mark(end + 1) || p.kind_at(end + 1) == SEMICOLON && p.is_mark(end + 2)) {
            return None;
        }
        let (before, indentation) = (p.text_of((first, p.pos)), p.indentation(p.pos));
        let mut text = format!("match {}:", p.text_of((p.pos + 1, open)));
        for (start, stop) in p.split((open + 1, end), |kind| kind == COMMA).into_iter().filter(|(a, b)| a < b) {
            let arrow = (start..stop).find(|&pos| p.kind_at(pos) == FAT_ARROW)?;
            if (start..stop).any(|pos| matches!(p.kind_at(pos), L_BRACE | DOT2 | ELLIPSIS | IF_KW)) {
                return None;
            }
            let pattern = p.text_of((start, arrow)).replace("::", ".");
            text.push_str(&format!("\n{indentation}    case {pattern}: {before} {}", p.text_of((arrow + 1, stop))));
        }
        Some((p.range_of((first, end + 1)), text))
    };
    // A name that a `let` defines in a case ends with it.
    let is_whole = p.kind_at(first) != LET_KW && !(first..p.pos).any(|pos| p.kind_at(pos) == COLON);
    match lines().filter(|_| is_whole) {
        Some((whole, text)) => errors::on_lines(error, whole, &text),
        None => error,
    }
}

/// The statements between the braces of an arm of Rust as they stand behind a `:`, with the range of the braces; `open` is the mark of the
/// first one.
pub(super) fn body_of_arm(p: &Parser<'_>, open: usize) -> Option<(TextRange, String)> {
    let end = closing(p, open)?;
    let statements = statements(p, (open + 1, end), "")?;
    let text = match &statements[..] {
        [only] => format!(" {only}"),
        several => {
            let indentation = p.indentation(p.pos);
            several.iter().map(|statement| format!("\n{indentation}    {statement}")).collect()
        }
    };
    Some((TextRange::new(p.range(open - 1).end(), p.range(end).end()), text))
}

/// Builds the error for a lambda of C++, `[&](float v) { return v * 2; }`, with the mark behind it.
pub(super) fn lambda_of_cpp(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    if !matches!(p.nth(1), AMP | EQ | R_BRACKET) {
        return None;
    }
    let open = p.closing_of(p.pos)? + 1;
    if p.kind_at(open) != L_PAREN {
        return None;
    }
    let params = p.closing_of(open)?;
    // Between them is the type of what it gives at most.
    let brace = (params + 1..).take(8).find(|&pos| p.kind_at(pos) == L_BRACE)?;
    let message =
        ("a function without a name is written `\\x -> ...`", "it sees all names around it, and is one value");
    let Some(end) = closing(p, brace) else {
        let end = (brace..).find(|&pos| p.is_mark(pos))?;
        return Some((errors::foreign(p.range_of((p.pos, params + 1)), message.0, message.1), end));
    };
    let value = || {
        let stop = if p.kind_at(end - 1) == SEMICOLON { end - 1 } else { end };
        let is_value = p.kind_at(brace + 1) == RETURN_KW && !(brace + 1..stop).any(|pos| p.kind_at(pos) == SEMICOLON);
        let names: Option<Vec<_>> = p
            .split((open + 1, params), |kind| kind == COMMA)
            .into_iter()
            .map(|(first, stop)| super::declarations::parameter_of_lambda(p, first, stop))
            .collect();
        Some(format!("\\{} -> {}", names?.join(", "), p.text_of((brace + 2, stop)))).filter(|_| is_value)
    };
    let (range, whole) = (p.range_of((p.pos, params + 1)), p.range_of((p.pos, end + 1)));
    let error = match value() {
        Some(ours) => errors::rewritten(range, whole, message, ours),
        None => errors::foreign(range, message.0, message.1),
    };
    Some((error, end + 1))
}

/// Builds the error for Rust's `|x| x * 2`, without what it is worth; the mark is that of the second `|`.
pub(super) fn lambda_of_rust(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    let second = (p.pos + 1..).take(32).take_while(|&pos| !p.is_mark(pos)).find(|&pos| p.kind_at(pos) == PIPE)?;
    let params = p.split((p.pos + 1, second), |kind| kind == COMMA);
    let name = |&(first, end): &Span| {
        let first = first + usize::from(p.kind_at(first) == AMP);
        match (p.kind_at(first), p.kind_at(first + 1), end - first) {
            (IDENT, _, 1) => Some(p.text_of((first, end)).to_owned()),
            (IDENT, COLON, 3) => Some(format!("{}: {}", p.text_at(first), habits::our_type(p.text_at(first + 2)))),
            _ => None,
        }
    };
    let params: Vec<_> = params.iter().filter(|(first, end)| first < end).map(name).collect::<Option<_>>()?;
    let ours = format!("\\{} ->", params.join(", "));
    let range = p.range_of((p.pos, second + 1));
    let space = if p.range(second + 1).start() == range.end() { " " } else { "" };
    let error = errors::rewritten(
        range,
        range,
        ("a function without a name is not written with `|`", "its parameters stand between `\\` and `->`"),
        format!("{ours}{space}"),
    );
    Some((error, second)).filter(|_| !params.is_empty())
}

/// Builds the error for `do { ... } while (c);`, from the mark of its word and that of the `while`; `body` is the mark of its first statement.
pub(super) fn do_while(p: &Parser<'_>, word: usize, body: usize, ends: Option<(usize, usize)>) -> Diagnostic {
    let error = errors::foreign(
        p.range(word),
        "there is no such loop",
        "`while c:` tests before each turn; `while true:` with `if not c: break` at its end tests behind each",
    );
    let Some((last, end)) = ends else { return error };
    // What goes on with the next turn would pass by the test.
    let while_word = (last..end).find(|&pos| p.kind_at(pos) == WHILE_KW);
    let goes_on = (body..last).any(|pos| p.kind_at(pos) == CONTINUE_KW);
    let Some(while_word) = while_word.filter(|_| !goes_on) else { return error };
    let stop = if matches!(p.kind_at(end - 1), SEMICOLON | COLON) { end - 1 } else { end };
    let condition = p.text_of((while_word + 1, stop));
    let in_parentheses = p.kind_at(while_word + 1) == L_PAREN && p.closing_of(while_word + 1) == Some(stop - 1);
    let condition = if in_parentheses { condition.to_owned() } else { format!("({condition})") };
    let start = p.range(last).start() - rowan::TextSize::of(p.indentation(last));
    let line = TextRange::new(start, p.range(end - 1).end());
    let header = p.range_of((word, word + 2));
    errors::loop_with_test_behind(error, header, line, &format!("{}if not {condition}: break", p.indentation(body)))
}

/// Adds to the fix for a `switch` of C that the `break` at the end of each of its cases goes, which would leave a loop here.
pub(super) fn breaks(p: &Parser<'_>) -> Vec<(TextRange, &'static str)> {
    let mut found = Vec::new();
    let header = (p.pos..).find(|&pos| p.is_mark(pos)).unwrap_or(p.pos);
    if p.kind_at(header) != NEWLINE || p.kind_at(header + 1) != INDENT {
        return found;
    }
    // Set for each block that is open: a loop or another `switch` around it has its own `break`.
    let mut blocks: Vec<bool> = Vec::new();
    let (mut pos, mut is_inside) = (header + 1, false);
    loop {
        let of_other = blocks.iter().any(|&other| other) || is_inside;
        match p.kind_at(pos) {
            INDENT => blocks.push(is_inside),
            DEDENT => {
                blocks.pop();
                if blocks.is_empty() {
                    return found;
                }
            }
            END => return found,
            BREAK_KW if !of_other => found.push(without_break(p, pos)),
            _ => {}
        }
        // The first token of a line says whether its `break` is a loop's.
        if matches!(p.kind_at(pos), NEWLINE | INDENT | DEDENT) && !matches!(p.kind_at(pos + 1), INDENT | DEDENT) {
            is_inside = matches!(p.kind_at(pos + 1), FOR_KW | FOREACH_KW | WHILE_KW | CFOR_KW | CWHILE_KW)
                || p.text_at(pos + 1) == "switch";
        }
        pos += 1;
    }
}

/// The edit that removes a `break`, with its line where it has one.
fn without_break(p: &Parser<'_>, word: usize) -> (TextRange, &'static str) {
    let end = word + usize::from(p.kind_at(word + 1) == SEMICOLON);
    let before = p.kind_at(word - 1);
    let opens = before == COLON || before == INDENT && word.checked_sub(3).is_some_and(|pos| p.kind_at(pos) == COLON);
    if opens {
        return (p.range_of((word, end + 1)), "pass");
    }
    let last = (0..word).rev().find(|&pos| !p.is_mark(pos)).unwrap_or(word);
    (TextRange::new(p.range(last).end(), p.range(end).end()), "")
}
