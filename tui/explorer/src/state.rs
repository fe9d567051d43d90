//! The whole state of the explorer, and its reaction to events. This module knows nothing of terminals: an event goes
//! in, effects come out, and the screen is a function of the state.
//!
//! Requests to the analysis are derived, never triggered: [`State::wanted`] compares the parts that the screen shows
//! with those that have been answered, and the difference is the next question. So no request can be forgotten,
//! whichever events led to the state.
//!
//! - [`file`](mod@file): an open file
//! - `settings`: the settings that apply to all files
//! - `run_form`: the data that a kernel is run on
//! - `running`: runs, measurements and rows of sweeps that are kept
//! - `acting`: the effect of each action
//! - `searching`: searches in panes
//! - `editing`: keys that change the text
//! - `choosing`: pickers, prompts and questions
//! - `hearing`: answers of the analysis, and changes on disk
//! - `stepping`: the run that is stepped through
//! - `breakpoints`: breakpoints, and their terms
//! - `language`: the language of the file that is shown, and what it lacks
//! - `details`: the pages about the position under the cursor
//! - `light`: highlights of related lines in all panes
//! - `picturing`: pictures
//! - `pointing`: the mouse
//! - `sharing`: a view in one file
//! - `sizing`: sizes of panes
//! - `starting`: the starting page
//! - `taking`: copies and exports
//! - `wanting`: the next question

mod acting;
mod breakpoints;
mod choosing;
mod details;
mod editing;
pub mod file;
mod hearing;
mod language;
mod light;
mod picturing;
mod pointing;
mod run_form;
mod running;
mod searching;
mod settings;
mod sharing;
mod sizing;
mod starting;
mod stepping;
mod taking;
mod wanting;

use std::collections::HashMap;
use std::sync::Arc;

use driver::sweeping::pins::Pin;
use queries::stages::{STAGES, usual};
use report::{ItemKind, TextSize};

use crate::event::{Effect, Event};
use crate::goal::{Goal, Writing};
use crate::layout::{self, Area, Arrangement, Edge, Pane, arrange};
use crate::overlay::Overlay;
use crate::page::{Page, Role};
use crate::page_view::PageView;
use crate::questions::{AssemblyKey, Engine, OutlineItem, StageKey, StageView, Version, Wanted, Which};
use crate::start::StartPage;

pub use settings::{AssemblyComparing, Comparing, Settings};

use file::{Hints, OpenFile};
use light::Light;
use picturing::ShownPicture;
use run_form::RunForm;
use stepping::LaneRun;

/// A place that the cursor left, for the way back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    file: usize,
    pane: Pane,
    /// Offset of the cursor in the source.
    at: usize,
    /// Row of the cursor in the page of the pane.
    row: usize,
}

/// The best answer so far to a request for machine code, of any kernel. The layout of the panes depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Heard {
    /// No answer yet.
    #[default]
    Nothing,
    /// Only reasons why there is no code.
    Refusal,
    /// Code, at least once.
    Code,
}

/// The topic of the details pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Topic {
    /// The facts about the position under the cursor.
    #[default]
    Why,
    /// The problems of the file.
    Problems,
    /// A run of the kernel.
    Run,
    /// A run of the kernel, stepped through lane by lane.
    Lanes,
    /// The task of the lesson that the file is of.
    Task,
    /// The kernel on other targets, with other lanes and attributes.
    Variants,
    /// A picture of a loop, or of the arrays of a run.
    Pictures,
    /// The starting page: recent files, lessons, examples.
    Start,
}

/// A sentence for the user, shown until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Role of the sentence, which shows its weight.
    pub role: Role,
    /// Text of the sentence.
    pub text: String,
}

/// The whole state of the explorer.
pub struct State {
    /// The settings that apply to all files.
    pub settings: Settings,
    /// The size of the screen, in columns and rows.
    pub size: (u16, u16),
    /// The position of everything on the screen.
    pub arrangement: Arrangement,
    /// The open files; never empty.
    pub files: Vec<OpenFile>,
    /// Index of the file that is shown.
    pub current: usize,
    /// The pane that receives the keys.
    pub focus: Pane,
    /// True if the focused pane has the whole screen.
    pub zoomed: bool,
    /// True if keys type into the source.
    pub editing: bool,
    /// The open overlay, which receives the keys.
    pub overlay: Option<Overlay>,
    /// The current message to the user.
    pub message: Option<Message>,
    /// The stage that was picked, by its index in the list; see [`State::shown_stage`].
    pub stage: usize,
    /// The version that the stage is compared with.
    pub comparing: Comparing,
    /// The latest answer about the item at the stage.
    pub stage_view: StageView,
    /// The stage's page and the position on it.
    pub stage_pane: PageView,
    /// The version that the assembly is compared with.
    pub assembly_comparing: AssemblyComparing,
    /// The assembly's page and the position on it.
    pub assembly_pane: PageView,
    /// The second assembly's page and the position on it.
    pub beside_pane: PageView,
    /// The details' page and the position on it.
    pub details_pane: PageView,
    /// The topic of the details.
    pub topic: Topic,
    /// The last search text.
    pub search: String,
    /// The highlights for the position under the cursor.
    pub light: Light,
    /// Number of ticks since an answer is pending.
    pub waited: u32,
    /// The engine that runs kernels.
    pub engine: Engine,
    /// The run in progress.
    pub running: Option<crate::questions::Run>,
    /// The run that is stepped through.
    pub lanes: LaneRun,
    /// The step that a view in one file is of, until its run has been taken there.
    lanes_to: Option<u64>,
    /// The picture that is shown.
    pub shown: ShownPicture,
    /// The files that the starting page offers, if there is one.
    pub start: Option<StartPage>,
    /// The file that was looked at last, and how many were so far, each time that another one was shown.
    last_shown: Option<usize>,
    n_shown: u64,
    forms: HashMap<(usize, Which), RunForm>,
    /// The rows of sweeps that are kept, in the order in which they were.
    pins: HashMap<(usize, Which), Vec<Pin>>,
    goods: HashMap<(usize, Which, usize), Goods>,
    /// Lines of assembly without errors, for comparisons.
    assembly_goods: HashMap<(usize, Which, Goal, Writing), Goods>,
    /// The best answer so far to a request for machine code.
    machine: Heard,
    clip: String,
    /// Places that the cursor left, the last at the end.
    marks: Vec<Mark>,
    /// The edge between panes that the mouse drags.
    dragged: Option<Edge>,
    /// The stage that is shown although the text has errors since: its key.
    stage_kept: Option<StageKey>,
    /// The machine code that is shown although the text has errors since: its key, and that of the second.
    assembly_kept: [Option<AssemblyKey>; 2],
    /// The keys of the good answers that the stage and the two assemblies show.
    shown_stage: Option<StageKey>,
    shown_assembly: [Option<AssemblyKey>; 2],
    /// The keys of the parts that were answered last.
    known: Wanted,
    /// The keys of the parts that were requested and are still pending.
    asked: Wanted,
    /// The facts about the position under the cursor.
    place: Vec<crate::page::Line>,
    /// The latest answer about the steps of the lesson's task.
    steps: Vec<crate::lessons::Step>,
    /// The latest answer about the variants of a kernel.
    variants: Page,
    /// Counter that grows with each change of the data behind the details.
    details_epoch: u64,
    details_key: Option<details::Key>,
}

/// The lines of an item without errors: the latest version, and the one before it.
#[derive(Debug, Clone, Default)]
struct Goods {
    now: Arc<Vec<String>>,
    before: Option<Arc<Vec<String>>>,
}

impl Goods {
    /// Records a new latest version.
    fn take(&mut self, lines: &Arc<Vec<String>>) {
        if self.now.is_empty() {
            *self = Goods { now: lines.clone(), before: None };
        } else if self.now != *lines {
            self.before = Some(std::mem::replace(&mut self.now, lines.clone()));
        }
    }
}

impl State {
    /// Creates the explorer of some files, of which there is at least one.
    pub fn new(files: Vec<OpenFile>, settings: Settings, size: (u16, u16)) -> State {
        assert!(!files.is_empty(), "the explorer is of some file");
        State {
            settings,
            size,
            arrangement: Arrangement::default(),
            files,
            current: 0,
            focus: Pane::Source,
            zoomed: false,
            editing: false,
            overlay: None,
            message: None,
            stage: STAGES.iter().position(|stage| stage.name == usual().name).unwrap_or(0),
            comparing: Comparing::Nothing,
            stage_view: StageView::default(),
            stage_pane: PageView::default(),
            assembly_comparing: AssemblyComparing::Nothing,
            assembly_pane: PageView::default(),
            beside_pane: PageView::default(),
            details_pane: PageView::default(),
            topic: Topic::Why,
            search: String::new(),
            light: Light::default(),
            waited: 0,
            engine: Engine::default(),
            running: None,
            lanes: LaneRun::default(),
            lanes_to: None,
            shown: ShownPicture::default(),
            start: None,
            last_shown: None,
            n_shown: 0,
            forms: HashMap::new(),
            pins: HashMap::new(),
            goods: HashMap::new(),
            assembly_goods: HashMap::new(),
            machine: Heard::default(),
            clip: String::new(),
            marks: Vec::new(),
            dragged: None,
            stage_kept: None,
            assembly_kept: [None, None],
            shown_stage: None,
            shown_assembly: [None, None],
            known: Wanted::default(),
            asked: Wanted::default(),
            place: Vec::new(),
            steps: Vec::new(),
            variants: Page::default(),
            details_epoch: 0,
            details_key: None,
        }
    }

    /// Processes an event, and returns the effects to perform.
    pub fn apply(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Key(key) => self.key(key, &mut effects),
            Event::Paste(text) => self.paste(&text),
            Event::Mouse(mouse) => self.mouse(mouse, &mut effects),
            Event::Resize(width, height) => self.size = (width, height),
            Event::Answer(answer) => self.hear(answer),
            Event::Disk(file, text) => self.disk(file, text),
            Event::Saved(file, path, text) => self.saved(file, path, &text),
            Event::SaveConflict(file, path, text) => self.save_conflict(file, path, text),
            Event::Told(Ok(text)) => self.tell(Role::Added, text),
            Event::Told(Err(text)) => self.tell(Role::Error, text),
            Event::ExportExists(path, text) => self.ask_export(path, text),
            Event::Colours(colours) => self.settings.terminal = *colours,
            Event::Tick => self.waited = self.waited.saturating_add(1),
            Event::Interrupt => effects.push(Effect::Suspend),
            Event::Terminate => effects.push(Effect::Quit),
        }
        self.note_shown();
        self.settle();
        if self.start_lanes(&mut effects) | self.run_for_arrays(&mut effects) {
            self.settle();
        }
        self.go_to_shared_step(&mut effects);
        effects.extend(self.next_question().map(|question| Effect::Ask(Box::new(question))));
        effects
    }

    /// Returns the file that is shown.
    pub fn file(&self) -> &OpenFile {
        &self.files[self.current]
    }

    /// Returns the file that is shown, for changes.
    pub fn file_mut(&mut self) -> &mut OpenFile {
        &mut self.files[self.current]
    }

    /// Returns the version of the text that is shown.
    pub fn version(&self) -> Version {
        Version { file: self.current, version: self.file().buffer.version() }
    }

    /// Shows a message until the next key.
    pub fn tell(&mut self, role: Role, text: impl Into<String>) {
        self.message = Some(Message { role, text: text.into() });
    }

    /// Returns true if an answer has been pending for long enough to show that.
    pub fn spins(&self) -> bool {
        self.waited > 0 && self.waits()
    }

    /// Returns true if an answer or a run is pending.
    pub fn waits(&self) -> bool {
        !self.asked.is_empty() || self.running.is_some() || self.lanes.is_pending
    }

    /// Returns the page of a pane; the source has none.
    pub fn page_view(&self, pane: Pane) -> Option<&PageView> {
        match pane {
            Pane::Source => None,
            Pane::Stage => Some(&self.stage_pane),
            Pane::Assembly => Some(&self.assembly_pane),
            Pane::Details => Some(&self.details_pane),
            Pane::Beside => Some(&self.beside_pane),
        }
    }

    fn page_view_mut(&mut self, pane: Pane) -> Option<&mut PageView> {
        match pane {
            Pane::Source => None,
            Pane::Stage => Some(&mut self.stage_pane),
            Pane::Assembly => Some(&mut self.assembly_pane),
            Pane::Details => Some(&mut self.details_pane),
            Pane::Beside => Some(&mut self.beside_pane),
        }
    }

    /// Returns the number of changes of the text since the version that a pane shows, if it shows an earlier one because
    /// the text has errors since.
    pub fn n_changes_since(&self, pane: Pane) -> Option<u64> {
        let of = match pane {
            Pane::Stage => self.stage_kept.as_ref()?.of,
            Pane::Assembly => self.assembly_kept[0].as_ref()?.of,
            Pane::Beside => self.assembly_kept[1].as_ref()?.of,
            Pane::Source | Pane::Details => return None,
        };
        let now = self.version();
        (of.file == now.file).then(|| now.version.saturating_sub(of.version))
    }

    /// Returns the area of a pane below its title.
    pub fn body(&self, pane: Pane) -> Area {
        self.arrangement.area(pane).unwrap_or_default().body()
    }

    /// Returns true if a pane is open, so that it is on the screen or would be if it had the focus.
    pub fn has_pane(&self, pane: Pane) -> bool {
        match pane {
            Pane::Source | Pane::Stage => true,
            Pane::Assembly => self.settings.assembly,
            Pane::Details => self.settings.details,
            Pane::Beside => self.settings.assembly && self.settings.beside.is_some(),
        }
    }

    /// Returns the item that stage and run are about: the kernel at the cursor, else the previous item, else the first
    /// kernel. While the cursor is in a function, the item remains the kernel that it came from, which has that
    /// function inlined; while another pane has the focus, the item remains the one that pane shows. While a run stands at
    /// the cursor, in a function that it calls, the item remains the one that runs.
    pub fn subject(&self) -> Option<&Which> {
        let file = self.file();
        let at = TextSize::new(file.buffer.cursor() as u32);
        let outline = &file.words.outline;
        let is_kernel = |item: &&OutlineItem| item.which.kind == ItemKind::Kernel;
        let follows = self.focus == Pane::Source;
        let inside = outline.iter().find(|item| follows && is_kernel(item) && item.range.contains_inclusive(at));
        let last = || outline.iter().find(|item| Some(&item.which) == file.subject.as_ref());
        let first = || outline.iter().find(is_kernel).or(outline.first());
        self.stepped_at(at).or_else(|| inside.or_else(last).or_else(first).map(|item| &item.which))
    }

    /// Updates everything that is derived from the rest of the state.
    fn settle(&mut self) {
        let subject = self.subject().cloned();
        self.file_mut().subject = subject;
        if !self.has_pane(self.focus) {
            self.focus = Pane::Source;
        }
        if self.focus != Pane::Source {
            self.editing = false;
        }
        self.show_details();
        self.arrange();
        // The height of a sentence is known only once its pane has its width, hence the second arrangement; so is that of a grid.
        self.show_details();
        self.arrange();
        self.follow_op(false);
        self.shine();
        self.follow_op(true);
        self.fit();
        if !self.waits() {
            self.waited = 0;
        }
    }

    fn arrange(&mut self) {
        let machine = match self.machine {
            Heard::Refusal => {
                layout::Machine::Notice(u16::try_from(self.assembly_pane.rows().len()).unwrap_or(u16::MAX))
            }
            Heard::Nothing | Heard::Code => layout::Machine::Code,
        };
        let wanted = layout::Wanted {
            focus: self.focus,
            zoomed: self.zoomed,
            assembly: self.settings.assembly.then_some(machine),
            beside: self.has_pane(Pane::Beside),
            details: self.settings.details,
            outcome: self.outcome_rows(),
            sizes: self.settings.sizes,
        };
        self.arrangement = arrange(self.size.0, self.size.1, wanted);
        self.fit();
    }

    fn fit(&mut self) {
        let source = self.body(Pane::Source);
        let hints = match (self.settings.hints, self.editing) {
            (false, _) => Hints::Nowhere,
            (true, true) => Hints::Elsewhere,
            (true, false) => Hints::Everywhere,
        };
        self.file_mut().fit(source.w, source.h, hints);
        for pane in Pane::PAGES {
            let body = self.body(pane);
            if let Some(view) = self.page_view_mut(pane).filter(|_| body.w > 0) {
                view.fit(body.w, body.h);
            }
        }
        self.fit_overlay();
    }
}
