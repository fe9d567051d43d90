//! Copies to the clipboard, and exports of panes to files.

use std::path::PathBuf;

use serde::Serialize;

use super::State;
use crate::event::Effect;
use crate::layout::Pane;
use crate::page::{Change, Page, Role};

/// A pane as JSON.
#[derive(Serialize)]
struct Exported<'a> {
    version: u32,
    file: &'a str,
    item: Option<&'a str>,
    pane: &'static str,
    stage: Option<&'static str>,
    lines: Vec<ExportedLine<'a>>,
}

#[derive(Serialize)]
struct ExportedLine<'a> {
    line: usize,
    text: &'a str,
    change: &'static str,
    source_range: Option<Range>,
}

/// A source range; lines and columns count from 1, and columns are Unicode scalar values.
#[derive(Serialize)]
struct Range {
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl State {
    pub(super) fn copy(&mut self, effects: &mut Vec<Effect>) {
        let text = match self.page_view(self.focus) {
            Some(view) => view.line().map(|line| line.text.clone()).unwrap_or_default(),
            None => self.file().buffer.text()[self.file().buffer.taken()].to_owned(),
        };
        self.copied(text, effects);
    }

    pub(super) fn copy_pane(&mut self, effects: &mut Vec<Effect>) {
        let text = self.pane_text();
        self.copied(text, effects);
    }

    fn copied(&mut self, text: String, effects: &mut Vec<Effect>) {
        let n_lines = text.lines().count();
        self.tell(Role::Faint, format!("{} copied", driver::words::count(n_lines, "line")));
        self.take(text, effects);
    }

    fn pane_text(&self) -> String {
        match self.page_view(self.focus) {
            Some(view) => view.page().text(),
            None => self.file().buffer.text().to_owned(),
        }
    }

    /// Returns the default file name for an export of the pane.
    pub(super) fn export_name(&self) -> String {
        let item = self.subject().map_or("source", |item| &item.name);
        match self.focus {
            Pane::Source => format!("source.{}", self.surface().ending()),
            Pane::Stage => format!("{item}.{}.txt", self.stage_shown().name),
            Pane::Assembly | Pane::Beside => format!("{item}.s"),
            Pane::Details => match self.picture_name() {
                Some(picture) => format!("{item}.{picture}"),
                None => format!("{item}.details.txt"),
            },
        }
    }

    /// Exports the pane to a file, as JSON if the name ends in `.json`, the picture as SVG if it ends in `.svg`, all panes as HTML if
    /// it ends in `.html`, the program with all that is chosen about it if it ends in `.view.lane`, else the pane as text.
    pub(super) fn export(&mut self, name: &str, effects: &mut Vec<Effect>) {
        if name.is_empty() {
            return;
        }
        let text = match name.rsplit_once('.').map(|(_, ending)| ending) {
            _ if self.is_view_name(name) => self.shared_text(),
            Some("json") => self.pane_json(),
            Some("html") => self.view_html(),
            Some("svg") => match self.picture_svg() {
                Some(picture) => picture,
                None => {
                    let why = "only pictures are written as SVG: I, Q and A show them, in the details; .txt is text";
                    return self.tell(Role::Warning, why);
                }
            },
            _ => self.pane_text(),
        };
        effects.push(Effect::Export(PathBuf::from(name), text, false));
    }

    fn pane_json(&self) -> String {
        let file = self.file();
        let source_page;
        let page = match self.page_view(self.focus) {
            Some(view) => view.page(),
            None => {
                source_page = self.source_page();
                &source_page
            }
        };
        let lines = page.lines.iter().enumerate().map(|(n, line)| ExportedLine {
            line: n + 1,
            text: &line.text,
            change: match line.change {
                Change::Same => "same",
                Change::Added => "added",
                Change::Removed => "removed",
            },
            source_range: line.source.map(|range| {
                let place = |offset: report::TextSize| {
                    let at =
                        file.buffer.lines().line_column(file.buffer.text(), offset, syntax::text::ColumnUnit::Utf32);
                    (at.line as usize + 1, at.column as usize + 1)
                };
                let ((line, column), (end_line, end_column)) = (place(range.start()), place(range.end()));
                Range { line, column, end_line, end_column }
            }),
        });
        let exported = Exported {
            version: 1,
            file: &file.name,
            item: self.subject().map(|item| &*item.name),
            pane: match self.focus {
                Pane::Source => "source",
                Pane::Stage => "stage",
                Pane::Assembly => "assembly",
                Pane::Details => "details",
                Pane::Beside => "beside",
            },
            stage: (self.focus == Pane::Stage).then(|| self.stage_shown().name),
            lines: lines.collect(),
        };
        serde_json::to_string_pretty(&exported).expect("plain data is JSON") + "\n"
    }

    pub(super) fn source_page(&self) -> Page {
        let buffer = &self.file().buffer;
        let lines = (0..buffer.n_lines()).map(|line| {
            let range = buffer.lines().line_range(line as u32);
            crate::page::Line::new(buffer.line(line)).from_source(Some(range))
        });
        Page { lines: lines.collect(), ..Page::default() }
    }
}
