//! A view in one file: a program, and behind it, as a comment in its last line, all that was chosen about it.
//!
//! ```text
//! # lanescope view: {"version":1,"kernel":"scale","line":3,"column":5,"stage":"vector","target":"avx2","topic":"lanes","step":12,…}
//! ```
//!
//! Such a file is a program as any other. Who opens it with the explorer sees what was seen when it was written: kernel, stage, target, panes,
//! data, breakpoints, and the step of a run. What is not known here is left as it is.

use driver::stepping::{Movement, StopTerms};
use driver::surface::Surface;
use driver::targets::parse_target;
use queries::stages;
use queries::stages::{Options, STAGES};
use report::TextSize;
use serde::{Deserialize, Serialize};

use super::file::SourceBreakpoint;
use super::{State, Topic};
use crate::event::Effect;
use crate::goal::{Goal, Writing};
use crate::layout::Pane;
use crate::page::Role;
use crate::pictures::PictureKind;
use crate::questions::{Engine, Which};

/// The version of the form; a file of a later one is open as any other.
const VERSION: u32 = 1;

/// The words before a view, behind the mark of a comment.
const WORDS: &str = "lanescope view:";

/// The part of a file's name in front of its ending by which an export is a view in one file: `blur.view.lane`.
const ENDING: &str = ".view";

/// All that is chosen about a program, by names that stay when places in lists change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct SharedView {
    version: u32,
    kernel: Option<String>,
    /// The number of earlier kernels of that name.
    nth: u32,
    /// The cursor's line and column, from 1.
    line: usize,
    column: usize,
    stage: Option<String>,
    target: Option<String>,
    lanes: Option<u16>,
    writing: Writing,
    assembly: bool,
    details: bool,
    zoomed: bool,
    focus: Pane,
    topic: SharedTopic,
    engine: Option<String>,
    /// The names of parameters and the data that they were given.
    data: Vec<(String, String)>,
    /// Lines with a breakpoint, from 1, and the terms of each.
    breakpoints: Vec<(usize, String)>,
    /// The number of steps that the run of lanes had made.
    step: Option<u64>,
}

/// The topics of the details that are about a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SharedTopic {
    #[default]
    Why,
    Problems,
    Run,
    Lanes,
    Variants,
    Iterations,
    Statements,
    Arrays,
}

impl SharedTopic {
    fn of(topic: Topic, picture: PictureKind) -> SharedTopic {
        match (topic, picture) {
            (Topic::Why | Topic::Task | Topic::Start, _) => SharedTopic::Why,
            (Topic::Problems, _) => SharedTopic::Problems,
            (Topic::Run, _) => SharedTopic::Run,
            (Topic::Lanes, _) => SharedTopic::Lanes,
            (Topic::Variants, _) => SharedTopic::Variants,
            (Topic::Pictures, PictureKind::Iterations) => SharedTopic::Iterations,
            (Topic::Pictures, PictureKind::Statements) => SharedTopic::Statements,
            (Topic::Pictures, PictureKind::Arrays) => SharedTopic::Arrays,
        }
    }

    fn topic(self) -> (Topic, Option<PictureKind>) {
        match self {
            SharedTopic::Why => (Topic::Why, None),
            SharedTopic::Problems => (Topic::Problems, None),
            SharedTopic::Run => (Topic::Run, None),
            SharedTopic::Lanes => (Topic::Lanes, None),
            SharedTopic::Variants => (Topic::Variants, None),
            SharedTopic::Iterations => (Topic::Pictures, Some(PictureKind::Iterations)),
            SharedTopic::Statements => (Topic::Pictures, Some(PictureKind::Statements)),
            SharedTopic::Arrays => (Topic::Pictures, Some(PictureKind::Arrays)),
        }
    }
}

/// Data that a file was opened with, for a kernel whose parameters are not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GivenData {
    kernel: String,
    nth: u32,
    /// Names of parameters and their data.
    pub(super) data: Vec<(String, String)>,
}

impl GivenData {
    /// Returns true if the data are those of an item.
    pub(super) fn is_of(&self, item: &Which) -> bool {
        *item.name == *self.kernel && item.nth == self.nth
    }
}

/// The start of a comment.
fn comment(surface: Surface) -> &'static str {
    match surface {
        Surface::Lane => "#",
        Surface::Ispc => "//",
    }
}

/// Splits a text into the program and the view behind it, as it is written.
fn parted(text: &str, surface: Surface) -> (&str, Option<&str>) {
    let whole = text.trim_end();
    let start = whole.rfind('\n').map_or(0, |at| at + 1);
    let view = whole[start..].strip_prefix(comment(surface)).map(str::trim_start);
    match view.and_then(|view| view.strip_prefix(WORDS)) {
        Some(view) => (&text[..start], Some(view.trim())),
        None => (text, None),
    }
}

/// Reads a view; an error is a reason, as the end of a sentence.
fn read(view: &str) -> Result<SharedView, String> {
    let view: SharedView =
        serde_json::from_str(view).map_err(|error| format!("it is not as it was written: {error}"))?;
    match view.version {
        VERSION => Ok(view),
        other => Err(format!("it is of version {other}, and this program knows version {VERSION}")),
    }
}

impl State {
    /// Returns true if an export by this name is a view in one file.
    pub(super) fn is_view_name(&self, name: &str) -> bool {
        name.ends_with(&format!("{ENDING}.{}", self.surface().ending()))
    }

    /// Returns the program with all that is chosen about it.
    pub(super) fn shared_text(&self) -> String {
        let surface = self.surface();
        let (file, settings) = (self.file(), &self.settings);
        let item = self.subject();
        let form = item.and_then(|item| self.forms.get(&(self.current, item.clone())));
        let breakpoints = file.breakpoints.iter().map(|set| {
            let line = file.buffer.line_of(usize::from(set.at)) + 1;
            (line, set.terms.text().to_owned())
        });
        let step = self.lanes.view().filter(|_| self.shows_lanes()).map(|view| view.n_steps);
        let view = SharedView {
            version: VERSION,
            kernel: item.map(|item| item.name.to_string()),
            nth: item.map_or(0, |item| item.nth),
            line: file.buffer.cursor_line() + 1,
            column: file.buffer.cursor_column() + 1,
            stage: (surface == Surface::Lane).then(|| STAGES[self.stage].name.to_owned()),
            target: Some(settings.goal.options.target.name.to_owned()),
            lanes: settings.goal.options.lanes,
            writing: settings.writing,
            assembly: settings.assembly,
            details: settings.details,
            zoomed: self.zoomed,
            focus: self.focus,
            topic: SharedTopic::of(self.topic, self.shown.kind),
            engine: Some(self.engine.name(surface).to_owned()),
            data: form.map(|form| form.said()).unwrap_or_default(),
            breakpoints: breakpoints.collect(),
            step: step.filter(|steps| *steps > 0),
        };
        let (program, _) = parted(file.buffer.text(), surface);
        let line_end = if program.is_empty() || program.ends_with('\n') { "" } else { "\n" };
        let view = serde_json::to_string(&view).expect("plain data is JSON");
        format!("{program}{line_end}{} {WORDS} {view}\n", comment(surface))
    }

    /// Shows the file at hand as the view in its last line says, if it has one. `keeps_goal`: the target stays as it was chosen.
    pub fn open_shared_view(&mut self, keeps_goal: bool) {
        let text = self.file().buffer.text().to_owned();
        let (_, Some(view)) = parted(&text, self.surface()) else { return };
        match read(view) {
            Ok(view) => self.take_view(view, keeps_goal),
            Err(why) => {
                let said = format!("the view in the last line cannot be opened: {why}; the file is open as any other");
                self.tell(Role::Warning, said);
            }
        }
    }

    fn take_view(&mut self, view: SharedView, keeps_goal: bool) {
        let surface = self.surface();
        if let Some(name) = view.target.filter(|_| !keeps_goal) {
            match parse_target(&name) {
                Ok(chosen) => {
                    let options = Options { target: chosen.row, lanes: view.lanes };
                    self.settings.goal = Goal { options, tuned: false };
                }
                Err(why) => self.tell(Role::Warning, format!("the view is of the target `{name}`: {why}")),
            }
        }
        let stage = view.stage.as_deref().and_then(stages::stage);
        if let Some(n) = stage.and_then(|stage| STAGES.iter().position(|other| other.name == stage.name)) {
            self.stage = n;
        }
        let engine = view.engine.as_deref();
        if let Some(engine) = Engine::all(surface).into_iter().find(|it| Some(it.name(surface)) == engine) {
            self.engine = engine;
        }
        let settings = &mut self.settings;
        (settings.writing, settings.assembly, settings.details) = (view.writing, view.assembly, view.details);
        (self.zoomed, self.focus) = (view.zoomed, view.focus);
        let (topic, picture) = view.topic.topic();
        self.topic = topic;
        if let Some(kind) = picture {
            self.shown.kind = kind;
            // Machine code runs when somebody asks for it.
            self.shown.asks_for_run = kind == PictureKind::Arrays && self.engine != Engine::Native;
        }
        self.lanes_to = view.step.filter(|_| topic == Topic::Lanes);
        let file = self.file_mut();
        file.buffer.go_to_line(view.line.saturating_sub(1), view.column.saturating_sub(1), false);
        file.given = view.kernel.map(|kernel| GivenData { kernel, nth: view.nth, data: view.data });
        for (line, terms) in view.breakpoints {
            let line = line.saturating_sub(1);
            if let (true, Ok(terms)) = (line < file.buffer.n_lines(), StopTerms::parse(&terms)) {
                let at = TextSize::new(file.buffer.line_range(line).start as u32);
                file.breakpoints.push(SourceBreakpoint { at, terms });
            }
        }
    }

    /// Takes a run to the step that a view is of, once it has been started.
    pub(super) fn go_to_shared_step(&mut self, effects: &mut Vec<Effect>) {
        if !self.shows_lanes() {
            self.lanes_to = None;
        }
        if self.lanes.is_pending || self.lanes.view().is_none() {
            return;
        }
        if let Some(step) = self.lanes_to.take() {
            self.step(Movement::ToStep(step), effects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_the_last_line_alone() {
        let lane = "kernel k():\n    pass\n";
        assert_eq!(parted(lane, Surface::Lane), (lane, None));
        let with = format!("{lane}# {WORDS} {{}}\n\n");
        assert_eq!(parted(&with, Surface::Lane), (lane, Some("{}")));
        assert_eq!(parted(&with, Surface::Ispc), (&*with, None));
        let inside = format!("# {WORDS} {{}}\n{lane}");
        assert_eq!(parted(&inside, Surface::Lane), (&*inside, None));
        assert_eq!(parted(&format!("// {WORDS} 1"), Surface::Ispc), ("", Some("1")));
    }

    #[test]
    fn what_cannot_be_read_has_a_reason() {
        assert_eq!(
            read("{\"version\":2}").expect_err("a reason"),
            "it is of version 2, and this program knows version 1"
        );
        assert!(read("{\"version\":").expect_err("a reason").starts_with("it is not as it was written: "));
        let view = read("{\"version\":1,\"unknown\":[1],\"stage\":\"vector\"}").expect("a view");
        assert_eq!((view.stage.as_deref(), view.topic), (Some("vector"), SharedTopic::Why));
    }
}
