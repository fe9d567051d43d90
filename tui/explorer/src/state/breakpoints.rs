//! Breakpoints in lines of the source and of the stage, and the terms on which they stop a run.

use std::collections::BTreeMap;

use driver::stepping::breakpoints::StopPlace;
use driver::stepping::{StopTerms, Stops};

use super::State;
use super::file::SourceBreakpoint;
use crate::lanes::LanesKey;
use crate::layout::Pane;
use crate::overlay::{Overlay, Prompt, Purpose};
use crate::page::Role;
use crate::prompt::Input;

/// Returns true if two runs are of the same program, on whatever data.
fn is_same_program(one: &LanesKey, other: &LanesKey) -> bool {
    (one.of, &one.item, one.stage, one.options) == (other.of, &other.item, other.stage, other.options)
}

impl State {
    /// Sets a breakpoint in the line of the cursor, of the source or the stage, or removes it.
    pub(super) fn switch_breakpoint(&mut self) {
        let Some(place) = self.breakpoint_place() else { return };
        match self.terms_at(place) {
            Some(_) => self.put_breakpoint(place, None),
            None => self.put_breakpoint(place, Some(StopTerms::default())),
        }
    }

    /// Asks for the terms of the breakpoint in the line of the cursor; where there is none, it is set with them.
    pub(super) fn ask_terms(&mut self) {
        let Some(place) = self.breakpoint_place() else { return };
        let text = self.terms_at(place).map(|terms| terms.text().to_owned()).unwrap_or_default();
        let title = format!("Stop in line {}, if: x > 3.0, all(x > 3.0), hits % 5", line_of(place) + 1);
        self.overlay = Some(Overlay::Prompt(Prompt { title, input: Input::new(text), purpose: Purpose::Terms(place) }));
    }

    /// Sets a breakpoint on the terms that were typed. Returns why they are none.
    pub(super) fn set_terms(&mut self, place: StopPlace, text: &str) -> Result<(), String> {
        let terms = StopTerms::parse(text)?;
        self.put_breakpoint(place, Some(terms));
        Ok(())
    }

    /// Returns the place of a breakpoint in the line of the cursor, if it can have one; else says why not.
    fn breakpoint_place(&mut self) -> Option<StopPlace> {
        if self.focus != Pane::Stage {
            return Some(StopPlace::Line(u32::try_from(self.file().buffer.cursor_line()).ok()?));
        }
        let row = self.stage_pane.rows().get(self.stage_pane.cursor()).map(|row| row.line);
        let line = self.program_lines().position(|line| Some(line) == row);
        let can_run = self.program_to_stop().is_some_and(|key| self.surface().stages()[key.stage].runs);
        if line.is_none() || !can_run {
            self.tell(Role::Faint, "nothing runs this line, so it has no breakpoint");
            return None;
        }
        line.map(StopPlace::TextLine)
    }

    /// Returns the program that the stage pane shows, with the data of the present run, or with some that are not known yet.
    fn program_to_stop(&self) -> Option<LanesKey> {
        let of_run = self.wanted_run().filter(|key| self.shows_program_of(key));
        of_run.or_else(|| {
            let shown = self.shown_stage.as_ref().filter(|_| self.stage_kept.is_none())?.clone();
            let (of, item, stage, options) = (shown.of, shown.item, shown.stage, shown.options);
            let headers = self.settings.headers.clone();
            Some(LanesKey { of, item, stage, options, arguments: Vec::new(), headers })
        })
    }

    /// Returns the terms of a breakpoint.
    fn terms_at(&self, place: StopPlace) -> Option<&StopTerms> {
        match place {
            StopPlace::Line(line) => self.file().breakpoint_in(line as usize),
            StopPlace::TextLine(line) => {
                let stops = self.lanes.text_stops.as_ref().filter(|(key, _)| self.shows_program_of(key));
                stops.and_then(|(_, lines)| lines.get(&line))
            }
        }
    }

    /// Sets a breakpoint on some terms, or removes it.
    fn put_breakpoint(&mut self, place: StopPlace, terms: Option<StopTerms>) {
        let line = line_of(place);
        let text = match &terms {
            None => format!("the breakpoint in line {} is gone", line + 1),
            Some(terms) if terms.is_empty() => format!("a breakpoint in line {}: c runs on to it", line + 1),
            Some(terms) => format!("a breakpoint in line {}, if {}: c runs on to it", line + 1, terms.text()),
        };
        match place {
            StopPlace::Line(_) => self.put_in_source(line, terms),
            StopPlace::TextLine(_) => self.put_in_text(line, terms),
        }
        self.tell(Role::Faint, text);
    }

    fn put_in_source(&mut self, line: usize, terms: Option<StopTerms>) {
        let file = self.file_mut();
        if line >= file.buffer.n_lines() {
            return;
        }
        let range = file.buffer.line_range(line);
        file.breakpoints.retain(|set| !(range.start..=range.end).contains(&usize::from(set.at)));
        if let Some(terms) = terms {
            let text = file.buffer.line(line);
            let indent = text.len() - text.trim_start().len();
            file.breakpoints.push(SourceBreakpoint { at: ((range.start + indent) as u32).into(), terms });
        }
    }

    fn put_in_text(&mut self, line: usize, terms: Option<StopTerms>) {
        let Some(key) = self.program_to_stop() else { return };
        let mut lines = match self.lanes.text_stops.take() {
            Some((of, lines)) if is_same_program(&of, &key) => lines,
            _ => BTreeMap::new(),
        };
        match terms {
            Some(terms) => drop(lines.insert(line, terms)),
            None => drop(lines.remove(&line)),
        }
        self.lanes.text_stops = Some((key, lines));
    }

    /// Returns the lines of the stage's page with breakpoints, and their terms.
    pub fn stage_breakpoints(&self) -> Vec<(usize, &StopTerms)> {
        let stops = self.lanes.text_stops.as_ref().filter(|(key, _)| self.shows_program_of(key));
        let Some((_, lines)) = stops else { return Vec::new() };
        self.program_lines().enumerate().filter_map(|(n, line)| Some((line, lines.get(&n)?))).collect()
    }

    /// Returns all breakpoints of the present run.
    pub(super) fn stops(&self) -> Stops {
        let file = self.file();
        let line = |set: &SourceBreakpoint| file.buffer.line_of(usize::from(set.at)) as u32;
        let of_run = |key: &LanesKey| self.lanes.key.as_ref().is_some_and(|run| is_same_program(run, key));
        let text_stops = self.lanes.text_stops.as_ref().filter(|(key, _)| of_run(key));
        Stops {
            lines: file.breakpoints.iter().map(|set| (line(set), set.terms.clone())).collect(),
            text_lines: text_stops.map(|(_, lines)| lines.clone()).unwrap_or_default(),
        }
    }
}

fn line_of(place: StopPlace) -> usize {
    match place {
        StopPlace::Line(line) => line as usize,
        StopPlace::TextLine(line) => line,
    }
}
