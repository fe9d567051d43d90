//! The source pane: line numbers, marks, coloured words, hints between them, and problems behind the lines.

use std::ops::Range;

use driver::stepping::StopTerms;
use report::{Severity, TextRange};

use super::canvas::{Canvas, Pen};
use crate::answers::role_of_severity;
use crate::glyphs;
use crate::layout::{Area, Pane};
use crate::page::{Role, matches};
use crate::state::State;
use crate::state::file::OpenFile;
use crate::theme::{Paint, Part};

/// Draws the source, with its marks and hints, into an area.
pub(super) fn draw(state: &State, area: Area, canvas: &mut Canvas) {
    let file = state.file();
    for row in 0..area.h {
        let line = file.top + usize::from(row);
        if line < file.buffer.n_lines() {
            draw_line(state, file, line, &mut Pen::new(area, row), canvas);
        } else {
            canvas.rest(&mut Pen::new(area, row), Paint::default());
        }
    }
}

/// Returns the cursor's position on the screen.
pub(super) fn cursor(state: &State) -> Option<(u16, u16)> {
    let body = state.body(Pane::Source);
    let file = state.file();
    if state.focus != Pane::Source || body.w == 0 || body.h == 0 {
        return None;
    }
    let row = file.buffer.cursor_line().checked_sub(file.top)?;
    let column = file.cursor_column().checked_sub(file.left)? + file.gutter();
    let inside = row < usize::from(body.h) && column < usize::from(body.w);
    inside.then(|| (body.x + column as u16, body.y + row as u16))
}

fn draw_line(state: &State, file: &OpenFile, line: usize, pen: &mut Pen, canvas: &mut Canvas) {
    let range = file.buffer.line_range(line);
    let is_lit = is_lit(state, file, line);
    let is_cursor = line == file.buffer.cursor_line();
    let ground = match (is_cursor && state.focus == Pane::Source, is_lit) {
        (true, _) => canvas.part(Part::CursorLine),
        (false, true) => canvas.part(Part::Lit),
        (false, false) => Paint::default(),
    };
    let worst = worst_in(file, line);
    let breakpoint = file.breakpoint_in(line);
    let number = format!("{:>width$}", line + 1, width = file.gutter() - 2);
    let number_paint = if is_cursor { canvas.role(Role::Strong) } else { canvas.part(Part::Frame) };
    canvas.text(pen, &number, number_paint);
    let (mark, role) = match worst {
        _ if breakpoint.is_some_and(StopTerms::is_empty) => ("◆", Role::Error),
        _ if breakpoint.is_some() => ("◇", Role::Error),
        Some((Severity::Error, _)) => ("E", Role::Error),
        Some((Severity::Warning, _)) => ("W", Role::Warning),
        Some((Severity::Note, _)) => ("N", Role::Note),
        None => (" ", Role::Text),
    };
    canvas.text(pen, mark, canvas.role(role));
    let mark = match is_lit || is_cursor {
        _ if state.op_line_of_source() == Some(line) => "►",
        true => "▌",
        false => " ",
    };
    canvas.text(pen, mark, canvas.role(Role::Note));
    pen.scroll(file.left);
    let paints = paints(state, file, &range, canvas);
    let mut hints = file.hints_of(line).into_iter().peekable();
    for glyph in glyphs::glyphs(file.buffer.line(line)) {
        if pen.left() == 0 {
            return;
        }
        let at = range.start + glyph.at;
        while let Some(hint) = hints.next_if(|hint| usize::from(hint.at) <= at) {
            canvas.text(pen, &hint.text, canvas.role(hint.role).over(ground));
        }
        let own = paints.iter().filter(|(range, _)| range.contains(&at));
        let paint = own.fold(ground, |below, (_, paint)| paint.over(below));
        canvas.glyph(pen, &glyph, paint);
    }
    for hint in hints {
        canvas.text(pen, &hint.text, canvas.role(hint.role).over(ground));
    }
    if let Some(terms) = breakpoint.filter(|terms| !terms.is_empty()) {
        let text = format!("  ◇ {}", terms.text());
        canvas.text(pen, &text, canvas.role(Role::Hint).over(ground));
    }
    if let Some((severity, message)) = worst.filter(|_| !is_cursor || !state.editing) {
        let paint = Paint { italic: true, ..canvas.role(role_of_severity(severity)) }.over(ground);
        canvas.text(pen, "  ", ground);
        let message = glyphs::cut(message, pen.left());
        canvas.text(pen, &message, paint);
    }
    canvas.rest(pen, ground);
}

/// Returns true if a line is related to the line under the cursor of another pane.
fn is_lit(state: &State, file: &OpenFile, line: usize) -> bool {
    let lines = state.light.range.filter(|_| state.focus != Pane::Source).map(|range| file.lines_of(range));
    lines.is_some_and(|(first, last)| (first..=last).contains(&line))
}

/// Returns the most severe problem of a line.
fn worst_in(file: &OpenFile, line: usize) -> Option<(Severity, &str)> {
    let in_line = |range: TextRange| file.buffer.line_of(range.start().into()) == line;
    let failure = file.failure.iter().filter(|(range, _)| in_line(*range));
    let failure = failure.map(|(_, message)| (Severity::Error, message.as_str()));
    let range = file.buffer.lines().line_range(line as u32);
    let found = &file.words.diagnostics;
    // Diagnostics are sorted by position.
    let first = found.partition_point(|found| found.range.start() < range.start());
    let here = found[first..].iter().take_while(|found| in_line(found.range));
    failure.chain(here.map(|found| (found.severity, found.message.as_str()))).min_by_key(|(severity, _)| *severity)
}

/// Returns the styles of the parts of a line; later ones override earlier ones.
fn paints(state: &State, file: &OpenFile, line: &Range<usize>, canvas: &Canvas) -> Vec<(Range<usize>, Paint)> {
    let bytes = |range: TextRange| usize::from(range.start())..usize::from(range.end());
    let touches = |range: &Range<usize>| range.start <= line.end && range.end >= line.start;
    let roles = &file.words.roles;
    let first = roles.partition_point(|(range, _)| usize::from(range.end()) <= line.start);
    let words = roles[first..].iter().map(|(range, role)| (bytes(*range), canvas.role(*role)));
    let mut paints: Vec<_> = words.take_while(|(range, _)| range.start < line.end).collect();
    if let Some(range) = state.light.range.filter(|_| state.focus != Pane::Source).map(bytes).filter(touches) {
        paints.push((range, canvas.part(Part::LitPlace)));
    }
    let found = file.words.diagnostics.iter().map(|found| (bytes(found.range), role_of_severity(found.severity)));
    let failure = file.failure.iter().map(|(range, _)| (bytes(*range), Role::Error));
    for (mut range, role) in found.chain(failure).filter(|(range, _)| touches(range)) {
        // A problem at an empty range, such as a missing word, is shown at the character before.
        if range.is_empty() {
            range = file.buffer.before(range.start)..range.start;
        }
        paints.push((range, Paint { underline: true, fg: canvas.role(role).fg, ..Paint::default() }));
    }
    let text = &file.buffer.text()[line.clone()];
    let found = matches(text, &state.search).into_iter();
    paints.extend(found.map(|range| (range.start + line.start..range.end + line.start, canvas.role(Role::Match))));
    paints.extend(file.buffer.selection().filter(touches).map(|range| (range, canvas.part(Part::Selection))));
    paints
}
