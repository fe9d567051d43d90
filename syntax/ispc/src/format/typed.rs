//! Formatting behind a key: the indentation of a line that was begun, and of a brace that ends a block.
//!
//! While somebody types, the text does not parse. So this looks at tokens alone, and asks the rest of the file how far statements stand
//! behind their blocks.

use std::ops::Range;

use super::FormatEdit;
use super::indents::{LineKind, usual};
use super::lines::SourceLines;
use crate::kinds::Kind;
use crate::unit::Unit;

/// The distance of statements where the file has none.
const USUAL: i64 = 4;

/// The change behind a line break at an offset: the line that was begun is indented as what it is to hold.
pub fn after_line_break(unit: &Unit, offset: u32) -> Vec<FormatEdit> {
    let Some(lines) = SourceLines::as_typed(unit) else { return Vec::new() };
    let line = lines.line_of(offset);
    let Some(at) = lines.all.get(line).copied().filter(|at| !lines.is_alone(at.start)) else { return Vec::new() };
    let is_close = lines.kind(lines.token_at(at.code)) == Some(Kind::RBrace);
    let wanted = if is_close { closing(&lines, line) } else { begun(&lines, line) };
    wanted.map_or_else(Vec::new, |wanted| indented(&lines, line, wanted))
}

/// The change behind a `}` at an offset: it stands where what it ends starts, if it is the first of its line.
pub fn after_brace(unit: &Unit, offset: u32) -> Vec<FormatEdit> {
    let Some(lines) = SourceLines::as_typed(unit) else { return Vec::new() };
    let line = lines.line_of(offset);
    let Some(at) = lines.all.get(line).copied().filter(|at| at.may_move) else { return Vec::new() };
    let is_close = lines.kind(lines.token_at(at.code)) == Some(Kind::RBrace) && at.code + 1 == offset;
    let wanted = if is_close { closing(&lines, line) } else { None };
    wanted.map_or_else(Vec::new, |wanted| indented(&lines, line, wanted))
}

pub(super) fn usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn indented(lines: &SourceLines<'_>, line: usize, column: i64) -> Vec<FormatEdit> {
    let at = lines.all[line];
    let text = lines.indentation(column.max(0) as u32);
    let range = at.start..at.code;
    match lines.file.text.get(usize_range(&range)) {
        Some(old) if old != text => vec![FormatEdit { range, text }],
        _ => Vec::new(),
    }
}

/// The distance of statements from the block around them: that of the functions that are right, else of any lines.
fn step(lines: &SourceLines<'_>) -> i64 {
    let sound = SourceLines::of(lines.unit);
    let usual = sound.and_then(|sound| usual(&sound).of(LineKind::Statement));
    usual.or_else(|| lines.step().map(i64::from)).unwrap_or(USUAL)
}

/// The column of a line that was begun; none if the line above goes on in it, or nothing is known.
fn begun(lines: &SourceLines<'_>, line: usize) -> Option<i64> {
    let end = lines.token_at(lines.all[line].start);
    let last = significant_before(lines, end)?;
    let step = step(lines);
    match lines.kind(last)? {
        Kind::LBrace => Some(column(lines, statement_start(lines, last)) + step),
        Kind::Semicolon | Kind::RBrace => match open_brace_before(lines, end) {
            Some(open) if is_switch(lines, open) => Some(column(lines, statement_start(lines, last))),
            Some(open) => Some(column(lines, statement_start(lines, open)) + step),
            None => Some(0),
        },
        Kind::RParen => {
            let word = head_word(lines, last)?;
            Some(column(lines, word) + step)
        }
        Kind::Name if lines.file.token_text(last) == "else" => Some(column(lines, last) + step),
        _ => None,
    }
}

/// The column of a `}` that a line starts with.
fn closing(lines: &SourceLines<'_>, line: usize) -> Option<i64> {
    let open = open_brace_before(lines, lines.token_at(lines.all[line].start))?;
    Some(column(lines, statement_start(lines, open)))
}

/// The column of the line that a token is on.
fn column(lines: &SourceLines<'_>, index: usize) -> i64 {
    let line = lines.line_of(lines.file.range(index).start as u32);
    i64::from(lines.all[line].column)
}

/// The last token in front of an index that is code: directives and text that is left alone are none.
fn significant_before(lines: &SourceLines<'_>, end: usize) -> Option<usize> {
    let is_code = |index: &usize| {
        let token = lines.file.tokens[*index];
        !token.kind.is_trivia() && !lines.is_directive(token.start)
    };
    (0..end.min(lines.file.tokens.len())).rev().find(is_code)
}

/// The brace in front of an index that is open there.
fn open_brace_before(lines: &SourceLines<'_>, end: usize) -> Option<usize> {
    let (mut depth, mut at) = (0, end);
    while let Some(index) = significant_before(lines, at) {
        match lines.kind(index)? {
            Kind::RBrace => depth += 1,
            Kind::LBrace if depth == 0 => return Some(index),
            Kind::LBrace => depth -= 1,
            _ => {}
        }
        at = index;
    }
    None
}

/// The first token of the statement that a token belongs to: behind the `;`, `{` or `}` in front of it, all in brackets passed over.
fn statement_start(lines: &SourceLines<'_>, of: usize) -> usize {
    let (mut start, mut depth) = (of, i32::from(lines.kind(of) == Some(Kind::RBrace)));
    while let Some(index) = significant_before(lines, start) {
        match lines.kind(index) {
            Some(Kind::RParen | Kind::RBracket) => depth += 1,
            Some(Kind::LParen | Kind::LBracket) if depth > 0 => depth -= 1,
            Some(Kind::RBrace) if depth > 0 => depth += 1,
            Some(Kind::LBrace) if depth > 0 => depth -= 1,
            Some(Kind::Semicolon | Kind::LBrace | Kind::RBrace) if depth == 0 => return start,
            Some(Kind::LParen | Kind::LBracket) => return start,
            _ => {}
        }
        start = index;
    }
    start
}

/// The word in front of the brackets that a `)` ends, if it starts a statement with a body.
fn head_word(lines: &SourceLines<'_>, close: usize) -> Option<usize> {
    let (mut depth, mut at) = (0, close + 1);
    while let Some(index) = significant_before(lines, at) {
        match lines.kind(index)? {
            Kind::RParen => depth += 1,
            Kind::LParen if depth == 1 => {
                let word = significant_before(lines, index)?;
                return HEADS.contains(&lines.file.token_text(word)).then_some(word);
            }
            Kind::LParen => depth -= 1,
            _ => {}
        }
        at = index;
    }
    None
}

/// The words of statements with a body.
const HEADS: &[&str] =
    &["if", "cif", "for", "cfor", "while", "cwhile", "foreach", "foreach_tiled", "foreach_active", "foreach_unique"];

fn is_switch(lines: &SourceLines<'_>, open: usize) -> bool {
    lines.file.token_text(statement_start(lines, open)) == "switch"
}
