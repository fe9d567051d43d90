//! Linked highlights: the source range of the line under the cursor, and all lines in all panes that come from it.

use report::{TextRange, TextSize};

use super::State;
use crate::layout::Pane;
use crate::page_view::{lines_within, lit_lines};

/// The lines that are highlighted in each pane, and their common source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Light {
    /// Source range that is highlighted.
    pub range: Option<TextRange>,
    /// Pane with the cursor that determines the range.
    pub from: Pane,
    /// Highlighted lines of the stage's page.
    pub stage: Vec<usize>,
    /// Highlighted lines of the assembly's page.
    pub assembly: Vec<usize>,
    /// Highlighted lines of the second assembly's page.
    pub beside: Vec<usize>,
}

impl Light {
    /// Returns the highlighted lines of a pane's page.
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
    /// Updates the highlights, and scrolls to them when the position has changed.
    pub(super) fn shine(&mut self) {
        // If the line has no source, the cursor of the source pane determines the highlights.
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

    /// Returns the source range of the line under the cursor of a page.
    fn place_of_line(&self) -> Option<TextRange> {
        let end = TextSize::new(self.file().buffer.text().len() as u32);
        self.page_view(self.focus)?.line()?.source.filter(|range| range.end() <= end)
    }

    /// Returns the range of the line's text at the cursor of the source.
    fn place_in_source(&self) -> Option<TextRange> {
        let buffer = &self.file().buffer;
        let line = buffer.line_range(buffer.cursor_line());
        let text = &buffer.text()[line.clone()];
        let start = line.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        (start < end).then(|| TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)))
    }
}
