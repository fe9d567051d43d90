//! The mouse: a press moves the cursor, the wheel scrolls the pane under it, and a drag selects in the source, or moves
//! the edge between two panes that it began on.

use super::State;
use crate::event::{Effect, Mouse, MouseKind};
use crate::glyphs;
use crate::keys::{Code, Key};
use crate::layout::Pane;
use crate::overlay::Overlay;

/// Number of lines that one step of the wheel scrolls.
const WHEEL: isize = 3;

impl State {
    pub(super) fn mouse(&mut self, mouse: Mouse, effects: &mut Vec<Effect>) {
        let Mouse { kind, x, y } = mouse;
        if self.overlay.is_some() {
            return self.mouse_on_overlay(mouse, effects);
        }
        match kind {
            MouseKind::Press => self.dragged = self.arrangement.edge_at(x, y),
            MouseKind::Drag if self.drag_edge(x, y) => return,
            _ => {}
        }
        let Some(pane) = self.arrangement.pane_at(x, y) else { return };
        match kind {
            MouseKind::Press => self.press(pane, x, y, false),
            MouseKind::Drag if self.focus == Pane::Source && pane == Pane::Source => self.press(pane, x, y, true),
            MouseKind::Drag => {}
            MouseKind::WheelUp => self.wheel(pane, -WHEEL),
            MouseKind::WheelDown => self.wheel(pane, WHEEL),
        }
    }

    fn press(&mut self, pane: Pane, x: u16, y: u16, select: bool) {
        self.message = None;
        self.focus = pane;
        let body = self.body(pane);
        let Some(row) = y.checked_sub(body.y).map(usize::from) else { return };
        if let Some(view) = self.page_view_mut(pane) {
            let to = view.top() + row;
            if to < view.rows().len() {
                view.go_to(to);
            }
            return;
        }
        let file = self.file_mut();
        let column = (usize::from(x - body.x) + file.left).saturating_sub(file.gutter());
        let line = (file.top + row).min(file.buffer.n_lines() - 1);
        let column = column_without_hints(file, line, column);
        file.buffer.go_to_line(line, column, select);
    }

    fn wheel(&mut self, pane: Pane, n: isize) {
        let height = self.body(pane).h;
        match self.page_view_mut(pane) {
            Some(view) => view.scroll_rows(n, height),
            None => self.file_mut().scroll(n),
        }
    }

    fn mouse_on_overlay(&mut self, mouse: Mouse, effects: &mut Vec<Effect>) {
        let area = self.overlay_area();
        let inside = area.contains(mouse.x, mouse.y);
        let turn = match mouse.kind {
            MouseKind::WheelUp => Some(Code::Up),
            MouseKind::WheelDown => Some(Code::Down),
            MouseKind::Press if !inside => Some(Code::Esc),
            MouseKind::Press | MouseKind::Drag => None,
        };
        if let Some(code) = turn {
            return self.overlay_key(Key::plain(code), effects);
        }
        // The first row shows the title, the second the query.
        let row = usize::from(mouse.y - area.y.min(mouse.y)).checked_sub(2);
        if let (Some(Overlay::Pick(picker)), Some(row), MouseKind::Press) = (&mut self.overlay, row, mouse.kind)
            && picker.choose_shown(row)
        {
            self.overlay_key(Key::plain(Code::Enter), effects);
        }
    }
}

/// Converts a screen column to a text column, by subtracting the hints that are drawn between the words.
fn column_without_hints(file: &super::OpenFile, line: usize, column: usize) -> usize {
    let range = file.buffer.line_range(line);
    let mut shift = 0;
    for hint in file.hints_of(line) {
        let start = glyphs::column(file.buffer.line(line), usize::from(hint.at) - range.start) + shift;
        let width = glyphs::width(&hint.text);
        if column < start {
            break;
        }
        shift += width.min(column - start);
        if column < start + width {
            break;
        }
    }
    column - shift
}
