//! The one cursor: the source that the line under the cursor is from, and everything that came from it, in all panes.

use syntax::{TextRange, TextSize};

use super::State;
use crate::explorer::layout::Pane;
use crate::explorer::page_view::{lines_within, lit_lines};

/// What is lit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Light {
    /// The source.
    pub range: Option<TextRange>,
    /// The pane that the light comes from.
    pub from: Pane,
    /// The lines of the stage's page.
    pub stage: Vec<usize>,
    /// The lines of the assembly's page.
    pub assembly: Vec<usize>,
    /// The lines of the page of the assembly beside it.
    pub beside: Vec<usize>,
}

impl Light {
    /// The lines of a pane's page that are lit.
    pub fn lines(&self, pane: Pane) -> &[usize] {
        match pane {
            Pane::Stage => &self.stage,
            Pane::Assembly => &self.assembly,
            Pane::Beside => &self.beside,
            Pane::Source | Pane::Details => &[],
        }
    }
}

impl State {
    /// Lights up what belongs to the place under the cursor, and brings it on the screen when the place is another.
    pub(super) fn shine(&mut self) {
        // A line from nowhere leaves the light where the source has its cursor.
        let (from, range) = match self.place_of_line() {
            Some(range) => (self.focus, Some(range)),
            None => (Pane::Source, self.place_in_source()),
        };
        let file = self.file();
        let lines_of = |range| file.lines_of(range);
        let lit = |pane: Pane| match (range, self.page_view(pane)) {
            (Some(range), Some(view)) if from == Pane::Source => lit_lines(view.page(), range, lines_of),
            (Some(range), Some(view)) if from == pane => lines_within(view.page(), range, true),
            (Some(range), Some(view)) => {
                let within = lines_within(view.page(), range, false);
                if within.is_empty() { lit_lines(view.page(), range, lines_of) } else { within }
            }
            _ => Vec::new(),
        };
        let [stage, assembly, beside] = [Pane::Stage, Pane::Assembly, Pane::Beside].map(lit);
        let light = Light { range, from, stage, assembly, beside };
        if light == self.light {
            return;
        }
        let focus = self.focus;
        for pane in [Pane::Stage, Pane::Assembly, Pane::Beside].into_iter().filter(|pane| *pane != focus) {
            let height = self.body(pane).h;
            let lines = light.lines(pane).to_vec();
            if let Some(view) = self.page_view_mut(pane) {
                view.reveal(&lines, height);
            }
        }
        let to_source = range.filter(|_| from != Pane::Source && light.range != self.light.range);
        self.light = light;
        if let Some(range) = to_source {
            let start = usize::from(range.start());
            self.file_mut().buffer.go(start, false);
            let line = self.file().buffer.cursor_line();
            self.file_mut().reveal(line);
        }
    }

    /// What the line under the cursor of a page is from.
    fn place_of_line(&self) -> Option<TextRange> {
        let end = TextSize::new(self.file().buffer.text().len() as u32);
        self.page_view(self.focus)?.line()?.source.filter(|range| range.end() <= end)
    }

    /// The text of the line that the source has its cursor in.
    fn place_in_source(&self) -> Option<TextRange> {
        let buffer = &self.file().buffer;
        let line = buffer.line_range(buffer.cursor_line());
        let text = &buffer.text()[line.clone()];
        let start = line.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        (start < end).then(|| TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)))
    }
}
