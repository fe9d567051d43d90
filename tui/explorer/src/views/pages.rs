//! Every pane but the source, as rows of a page.

use std::ops::Range;

use driver::stepping::StopTerms;

use super::canvas::{Canvas, Pen};
use crate::glyphs;
use crate::layout::{Area, Pane};
use crate::page::{Change, Frame, Line, Role, matches};
use crate::page_view::{FRAMES, GUTTER, Row};
use crate::state::State;
use crate::theme::{Paint, Part};

/// Draws the page of a pane.
pub(super) fn draw(state: &State, pane: Pane, area: Area, canvas: &mut Canvas) {
    let Some(view) = state.page_view(pane) else { return };
    let lit = state.light.lines(pane);
    let framed = view.page().has_frames();
    let is_stale = state.n_changes_since(pane).is_some();
    let op_line = state.op_line().filter(|_| pane == Pane::Stage);
    let breakpoints = if pane == Pane::Stage { state.stage_breakpoints() } else { Vec::new() };
    let rows = view.rows().iter().enumerate().skip(view.top());
    for (row, (n, shown)) in (0..area.h).zip(rows) {
        let line = &view.page().lines[shown.line];
        let is_cursor = n == view.cursor() && state.focus == pane;
        let is_lit = lit.binary_search(&shown.line).is_ok();
        let ground = match (is_cursor, is_lit, line.change) {
            (true, _, _) => canvas.part(Part::CursorLine),
            (false, true, _) => canvas.part(Part::Lit),
            _ => Paint::default(),
        };
        let mut pen = Pen::new(area, row);
        let mark = match is_cursor || is_lit {
            _ if op_line == Some(shown.line) => "►",
            true => "▌",
            false => " ",
        };
        canvas.text(&mut pen, mark, canvas.role(Role::Note));
        let terms = breakpoints.iter().find(|(line, _)| *line == shown.line).map(|(_, terms)| *terms);
        let (mark, role) = match line.change {
            _ if terms.is_some_and(StopTerms::is_empty) => ("◆", Role::Error),
            _ if terms.is_some() => ("◇", Role::Error),
            Change::Same => (" ", Role::Text),
            Change::Added => ("+", Role::Added),
            Change::Removed => ("-", Role::Removed),
        };
        canvas.text(&mut pen, mark, canvas.role(role).over(ground));
        if framed {
            let frame = match line.frame {
                Frame::None => "  ",
                Frame::Top => "┌ ",
                Frame::Side => "│ ",
                Frame::Bottom => "└ ",
            };
            canvas.text(&mut pen, frame, canvas.role(Role::Note).over(ground));
        }
        pen.scroll(view.left());
        canvas.text(&mut pen, &" ".repeat(shown.indent), ground);
        if is_stale {
            let stale = canvas.part(Part::Stale).over(ground);
            canvas.text(&mut pen, &view.text(shown), stale);
        } else if shown.fold.is_some() {
            let faint = canvas.role(Role::Faint).over(ground);
            canvas.text(&mut pen, &view.text(shown), faint);
        } else {
            draw_text(line, shown, &state.search, ground, &mut pen, canvas);
        }
        if let Some(terms) = terms.filter(|terms| !terms.is_empty()) {
            canvas.text(&mut pen, &format!("  ◇ {}", terms.text()), canvas.role(Role::Hint).over(ground));
        }
        let goes_on = shown.fold.is_none()
            && glyphs::width(&line.text[shown.range.clone()]) > view.left() + body_width(area, framed);
        canvas.rest(&mut pen, ground);
        if goes_on && area.w > 0 {
            let mut edge = Pen::new(Area { x: area.x + area.w - 1, w: 1, ..area }, row);
            canvas.text(&mut edge, "…", canvas.role(Role::Faint).over(ground));
        }
    }
}

/// Returns the number of columns for the text of a page.
fn body_width(area: Area, framed: bool) -> usize {
    usize::from(area.w).saturating_sub(GUTTER + if framed { FRAMES } else { 0 })
}

fn draw_text(line: &Line, row: &Row, search: &str, ground: Paint, pen: &mut Pen, canvas: &mut Canvas) {
    let base = match line.change {
        Change::Removed => canvas.role(Role::Removed).over(ground),
        Change::Same | Change::Added => ground,
    };
    let spans = line.spans.iter().filter(|_| line.change != Change::Removed).cloned();
    let found = matches(&line.text, search).into_iter().map(|range| (range, Role::Match));
    let paints: Vec<(Range<usize>, Paint)> =
        spans.chain(found).map(|(range, role)| (range, canvas.role(role))).collect();
    for glyph in glyphs::glyphs(&line.text[row.range.clone()]) {
        if pen.left() == 0 {
            return;
        }
        let at = row.range.start + glyph.at;
        let own = paints.iter().filter(|(range, _)| range.contains(&at));
        let paint = own.fold(base, |below, (_, paint)| paint.over(below));
        canvas.glyph(pen, &glyph, paint);
    }
}
