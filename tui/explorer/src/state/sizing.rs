//! Sizes of panes: by keys, by dragging their edges, and by what they have in them; and that of the overlay.

use super::{State, Topic};
use crate::glyphs;
use crate::help;
use crate::layout::{Area, Edge, Pane, Sizes};
use crate::overlay::Overlay;
use crate::page::Role;
use crate::page_view::{FRAMES, GUTTER};

/// The ways to resize a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Towards {
    Wider,
    Narrower,
    Taller,
    Shorter,
}

/// Number of columns, and of rows, that a key moves an edge by.
const COLUMNS: i32 = 4;
const ROWS: i32 = 1;

impl State {
    /// Makes the focused pane larger or smaller, by moving the edge behind it or else the one before it.
    pub(super) fn resize(&mut self, towards: Towards) {
        let Some(area) = self.arrangement.area(self.focus) else { return };
        let sideways = matches!(towards, Towards::Wider | Towards::Narrower);
        let grows = matches!(towards, Towards::Wider | Towards::Taller);
        let step = if sideways { COLUMNS } else { ROWS } * if grows { 1 } else { -1 };
        match self.edge_of(area, sideways) {
            Some((edge, at, is_behind)) => self.move_edge(edge, at, if is_behind { step } else { -step }),
            None if sideways => self.tell(Role::Faint, "this pane has the whole width"),
            None => self.tell(Role::Faint, "this pane has the whole height"),
        }
    }

    /// Returns the edge behind an area or before it, its place, and true if it is behind.
    fn edge_of(&self, area: Area, sideways: bool) -> Option<(Edge, Area, bool)> {
        let edges = || self.arrangement.edges.iter().filter(|(edge, _)| matches!(edge, Edge::Column(_)) == sideways);
        let overlaps = |at: Area| {
            let (columns, rows) =
                (at.x < area.x + area.w && area.x < at.x + at.w, at.y < area.y + area.h && area.y < at.y + at.h);
            if sideways { rows } else { columns }
        };
        let behind = edges()
            .find(|(_, at)| overlaps(*at) && if sideways { at.x == area.x + area.w } else { at.y == area.y + area.h });
        let before =
            edges().find(|(_, at)| overlaps(*at) && if sideways { at.x + 1 == area.x } else { at.y == area.y });
        behind.map(|(edge, at)| (*edge, *at, true)).or(before.map(|(edge, at)| (*edge, *at, false)))
    }

    /// Moves an edge by some columns to the right, or by some rows down.
    fn move_edge(&mut self, edge: Edge, at: Area, by: i32) {
        let bottom = self.arrangement.status.y;
        let sizes = &mut self.settings.sizes;
        let height = || Some(u16::try_from((i32::from(bottom - at.y) - by).max(0)).unwrap_or(u16::MAX));
        match edge {
            Edge::Column(n) => {
                let by = i16::try_from(by).unwrap_or(0);
                sizes.columns[n] = sizes.columns[n].saturating_add(by);
            }
            Edge::Details => sizes.details = height(),
            Edge::Assembly => sizes.assembly = height(),
            Edge::Lower => sizes.lower = height(),
        }
        self.settle_sizes();
    }

    /// Sets the sizes to what they came to be, so that an edge that was pushed against another one turns back at once.
    fn settle_sizes(&mut self) {
        let place = |state: &State, n: usize| {
            let of = |edge: &Edge| *edge == Edge::Column(n);
            state.arrangement.edges.iter().find(|(edge, _)| of(edge)).map(|(_, area)| i32::from(area.x))
        };
        let wanted = self.settings.sizes.columns;
        let usual = {
            self.settings.sizes.columns = [0; 3];
            self.arrange();
            [0, 1, 2].map(|n| place(self, n))
        };
        self.settings.sizes.columns = wanted;
        self.arrange();
        for n in 0..3 {
            if let (Some(now), Some(usual)) = (place(self, n), usual[n]) {
                self.settings.sizes.columns[n] = i16::try_from(now - usual).unwrap_or(0);
            }
        }
        self.arrange();
    }

    /// Moves the edge that is dragged to a cell, and returns true if there is one.
    pub(super) fn drag_edge(&mut self, x: u16, y: u16) -> bool {
        let Some(edge) = self.dragged else { return false };
        if let Some((_, at)) = self.arrangement.edges.iter().find(|(other, _)| *other == edge).copied() {
            let by = match edge {
                Edge::Column(_) => i32::from(x) - i32::from(at.x),
                Edge::Details | Edge::Assembly | Edge::Lower => i32::from(y) - i32::from(at.y),
            };
            self.move_edge(edge, at, by);
        }
        true
    }

    /// Gives the focused pane the size of its content; if it has it already, gives all panes their usual sizes.
    pub(super) fn fit_pane(&mut self) {
        let before = self.settings.sizes;
        let Some(area) = self.arrangement.area(self.focus) else { return };
        let (columns, rows) = self.content_size(self.focus);
        for (sideways, wanted, has) in [(true, columns, area.w), (false, rows + 1, area.h)] {
            let wanted = i32::try_from(wanted).unwrap_or(i32::MAX / 2);
            let area = self.arrangement.area(self.focus).unwrap_or(area);
            if let Some((edge, at, is_behind)) = self.edge_of(area, sideways) {
                let by = (wanted - i32::from(has)).clamp(-10_000, 10_000);
                self.move_edge(edge, at, if is_behind { by } else { -by });
            }
        }
        if self.settings.sizes == before {
            self.settings.sizes = Sizes::default();
            self.tell(Role::Faint, "the panes have their usual sizes");
        }
    }

    /// Returns the columns and rows that a pane needs to be seen whole.
    fn content_size(&self, pane: Pane) -> (usize, usize) {
        match self.page_view(pane) {
            Some(view) => {
                let frames = if view.page().has_frames() { FRAMES } else { 0 };
                let widths = view.rows().iter().map(|row| glyphs::width(&view.text(row)) + row.indent);
                (widths.max().unwrap_or(0) + GUTTER + frames, view.rows().len())
            }
            None => {
                let file = self.file();
                let lines = 0..file.buffer.n_lines();
                let hints = |line| file.hints_of(line).iter().map(|hint| glyphs::width(&hint.text)).sum::<usize>();
                let widths = lines.clone().map(|line| glyphs::width(file.buffer.line(line)) + hints(line));
                (widths.max().unwrap_or(0) + file.gutter() + 1, lines.len())
            }
        }
    }

    /// Returns the rows that the details need for the outcome of a run, for the task of a lesson, or for variants.
    pub(super) fn outcome_rows(&self) -> Option<u16> {
        if self.topic == Topic::Task && self.file().lesson.is_some() {
            return u16::try_from(self.details_pane.rows().len()).ok();
        }
        if matches!(self.topic, Topic::Variants | Topic::Pictures) {
            return u16::try_from(self.details_pane.rows().len()).ok();
        }
        if self.topic == Topic::Lanes {
            return u16::try_from(self.lanes.n_rows).ok();
        }
        let item = self.subject()?;
        let form = self.forms.get(&(self.current, item.clone())).filter(|_| self.topic == Topic::Run)?;
        form.outcome.as_ref()?;
        u16::try_from(self.details_pane.rows().len()).ok()
    }

    /// Returns the area of the overlay.
    pub fn overlay_area(&self) -> Area {
        let (width, height) = self.size;
        let (wanted_width, wanted_height) = match &self.overlay {
            Some(Overlay::Help(_)) => (96, height),
            Some(Overlay::Pick(picker)) => {
                (100, u16::try_from(picker.n_found().max(1)).unwrap_or(u16::MAX).saturating_add(3))
            }
            Some(Overlay::Prompt(_)) => (76, 3),
            Some(Overlay::Ask(ask)) => (76, (ask.lines.len() + ask.choices.len()) as u16 + 3),
            Some(Overlay::Fix(fix)) => {
                let n_lines = fix.rows(usize::from(width.min(90)).saturating_sub(4)).len().max(1);
                (90, u16::try_from(n_lines).unwrap_or(u16::MAX).saturating_add(6))
            }
            None => (0, 0),
        };
        let most = if matches!(self.overlay, Some(Overlay::Help(_))) { height } else { (height * 3 / 4).max(8) };
        let (w, h) = (wanted_width.min(width), wanted_height.min(most).min(height));
        Area { x: (width - w) / 2, y: (height - h) / 4, w, h }
    }

    pub(super) fn fit_overlay(&mut self) {
        let area = self.overlay_area();
        // Two rows belong to the frame, and in a picker one more to the input.
        let rows = usize::from(area.h.saturating_sub(2));
        match &mut self.overlay {
            Some(Overlay::Pick(picker)) => picker.fit(rows.saturating_sub(1)),
            Some(Overlay::Help(top)) => {
                let n_lines = help::lines(&self.settings.keymap, usize::from(area.w)).len();
                *top = (*top).min(n_lines.saturating_sub(rows.max(1)));
            }
            Some(Overlay::Fix(fix)) => {
                let n_rows = fix.rows(usize::from(area.w.saturating_sub(4))).len();
                fix.top = fix.top.min(n_rows.saturating_sub(rows.saturating_sub(4).max(1)));
            }
            _ => {}
        }
    }
}
