//! All that the explorer knows, and what it does when something happens. Knows nothing of terminals: an event goes in,
//! effects come out, and what is to be seen is a function of what is here.
//!
//! What has to be asked of the analysis is derived, never triggered: [`State::wanted`] compares what is known with what the
//! screen wants to know, and the difference is the next question. So nothing can be forgotten, whichever way the state
//! came about.
//!
//! - [`file`](mod@file): an open file
//! - [`run_form`]: the data that a kernel is run on
//! - [`acting`]: what each action does
//! - [`editing`]: keys that change the text
//! - [`choosing`]: pickers, prompts and questions
//! - [`hearing`]: what answers and the disk change
//! - [`details`]: the pages about the place under the cursor
//! - [`light`]: the one cursor in all panes
//! - [`pointing`]: the mouse
//! - [`taking`]: copies and exports
//! - [`wanting`]: the next question

pub mod acting;
pub mod choosing;
pub mod details;
pub mod editing;
pub mod file;
pub mod hearing;
pub mod light;
pub mod pointing;
pub mod run_form;
pub mod taking;
pub mod wanting;

use std::collections::HashMap;
use std::sync::Arc;

use analysis::stages::{STAGES, usual};
use syntax::{ItemKind, TextSize};

use crate::explorer::actions::Keymap;
use crate::explorer::event::{Effect, Event};
use crate::explorer::goal::{Goal, Writing};
use crate::explorer::layout::{self, Area, Arrangement, Pane, arrange};
use crate::explorer::overlay::Overlay;
use crate::explorer::page::Role;
use crate::explorer::page_view::PageView;
use crate::explorer::questions::{Engine, OutlineItem, StageView, Version, Wanted, Which};
use crate::explorer::theme::{Depth, Theme};

use file::{Hints, OpenFile};
use light::Light;
use run_form::RunForm;

/// What does not depend on any file.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How everything looks.
    pub theme: Theme,
    /// How many colours the screen has.
    pub depth: Depth,
    /// Which key does what.
    pub keymap: Keymap,
    /// Whether the mouse is the explorer's.
    pub mouse: bool,
    /// Whether inferred types are shown in the source.
    pub hints: bool,
    /// Whether stages that changed nothing are stepped over.
    pub hide_unchanged: bool,
    /// Whether the assembly is shown.
    pub assembly: bool,
    /// How it is written.
    pub writing: Writing,
    /// What a second assembly is made for, that is shown beside it.
    pub beside: Option<Goal>,
    /// Whether the details are shown.
    pub details: bool,
    /// What stages and assembly are made for.
    pub goal: Goal,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            theme: Theme::default(),
            depth: Depth::Sixteen,
            keymap: Keymap::default(),
            mouse: true,
            hints: true,
            hide_unchanged: false,
            assembly: true,
            writing: Writing::default(),
            beside: None,
            details: true,
            goal: Goal::default(),
        }
    }
}

/// What a stage is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Comparing {
    /// Nothing.
    #[default]
    Nothing,
    /// The stage before.
    Before,
    /// What it was before the last edit, or while there are errors, the last time there were none.
    LastGood,
}

/// What assembly is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AssemblyComparing {
    /// Nothing.
    #[default]
    Nothing,
    /// What is made for the goal that it is shown beside.
    Beside,
    /// What it was before the last edit.
    LastGood,
}

/// What was heard of machine code, of whichever kernel: the panes are where the best of it has its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Heard {
    /// Nothing.
    #[default]
    Nothing,
    /// Why there is none.
    Refusal,
    /// Code, once.
    Code,
}

/// What the details say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Topic {
    /// What is known about the place under the cursor.
    #[default]
    Why,
    /// What is wrong with the file.
    Problems,
    /// A run of the kernel.
    Run,
}

/// A sentence for the person, until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How it is meant.
    pub role: Role,
    /// The sentence.
    pub text: String,
}

/// All that the explorer knows.
pub struct State {
    /// What does not depend on any file.
    pub settings: Settings,
    /// The size of the screen.
    pub size: (u16, u16),
    /// Where everything is on it.
    pub arrangement: Arrangement,
    /// The open files; never empty.
    pub files: Vec<OpenFile>,
    /// The file that is shown.
    pub current: usize,
    /// The pane that has the keys.
    pub focus: Pane,
    /// Whether it has the whole screen.
    pub zoomed: bool,
    /// Whether keys type into the source.
    pub editing: bool,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// What there is to say.
    pub message: Option<Message>,
    /// The stage that is shown, by its place in the list.
    pub stage: usize,
    /// What it is compared with.
    pub comparing: Comparing,
    /// The item at the stage, as last heard.
    pub stage_view: StageView,
    /// The pages and where one is on them.
    pub stage_pane: PageView,
    /// What the assembly is compared with.
    pub assembly_comparing: AssemblyComparing,
    /// The assembly's pages and where one is on them.
    pub assembly_pane: PageView,
    /// The same, of the assembly beside it.
    pub beside_pane: PageView,
    /// The same, of the details.
    pub details_pane: PageView,
    /// What the details say.
    pub topic: Topic,
    /// What was last searched for.
    pub search: String,
    /// What the place under the cursor lights up.
    pub light: Light,
    /// How many ticks something has been waited for.
    pub waited: u32,
    /// What runs a kernel.
    pub engine: Engine,
    /// The kernel that is being run.
    pub running: Option<crate::explorer::questions::Run>,
    forms: HashMap<(usize, Which), RunForm>,
    goods: HashMap<(usize, Which, usize), Goods>,
    /// The same for assembly.
    assembly_goods: HashMap<(usize, Which, Goal, Writing), Goods>,
    /// What was heard of machine code so far.
    machine: Heard,
    clip: String,
    /// Which parts were last heard.
    known: Wanted,
    /// Which parts were last asked for and have not come.
    asked: Wanted,
    /// What the analysis knows of the place under the cursor.
    place: Vec<crate::explorer::page::Line>,
    /// Counts what the details are made of.
    details_epoch: u64,
    details_key: Option<details::Key>,
}

/// What an item at a stage was when it had no errors: now, and before that.
#[derive(Debug, Clone, Default)]
struct Goods {
    now: Arc<Vec<String>>,
    before: Option<Arc<Vec<String>>>,
}

impl Goods {
    /// Takes note of what it is now.
    fn take(&mut self, lines: &Arc<Vec<String>>) {
        if self.now.is_empty() {
            *self = Goods { now: lines.clone(), before: None };
        } else if self.now != *lines {
            self.before = Some(std::mem::replace(&mut self.now, lines.clone()));
        }
    }
}

impl State {
    /// The explorer of some files, of which there is at least one.
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
            forms: HashMap::new(),
            goods: HashMap::new(),
            assembly_goods: HashMap::new(),
            machine: Heard::default(),
            clip: String::new(),
            known: Wanted::default(),
            asked: Wanted::default(),
            place: Vec::new(),
            details_epoch: 0,
            details_key: None,
        }
    }

    /// What is to be done because of an event.
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
            Event::Tick => self.waited = self.waited.saturating_add(1),
            Event::Interrupt => effects.push(Effect::Suspend),
            Event::Terminate => effects.push(Effect::Quit),
        }
        self.settle();
        effects.extend(self.next_question().map(|question| Effect::Ask(Box::new(question))));
        effects
    }

    /// The file that is shown.
    pub fn file(&self) -> &OpenFile {
        &self.files[self.current]
    }

    /// The file that is shown.
    pub fn file_mut(&mut self) -> &mut OpenFile {
        &mut self.files[self.current]
    }

    /// The version of the text that is shown.
    pub fn version(&self) -> Version {
        Version { file: self.current, version: self.file().buffer.version() }
    }

    /// Says something, until the next key.
    pub fn tell(&mut self, role: Role, text: impl Into<String>) {
        self.message = Some(Message { role, text: text.into() });
    }

    /// Whether something is waited for long enough to say so.
    pub fn spins(&self) -> bool {
        self.waited > 0 && self.waits()
    }

    /// Whether something is waited for.
    pub fn waits(&self) -> bool {
        !self.asked.is_empty() || self.running.is_some()
    }

    /// The page of a pane; the source is none.
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

    /// The rows and columns of a pane below its title.
    pub fn body(&self, pane: Pane) -> Area {
        self.arrangement.area(pane).unwrap_or_default().body()
    }

    /// Whether a pane is on the screen, or would be if it had the keys.
    pub fn has_pane(&self, pane: Pane) -> bool {
        match pane {
            Pane::Source | Pane::Stage => true,
            Pane::Assembly => self.settings.assembly,
            Pane::Details => self.settings.details,
            Pane::Beside => self.settings.assembly && self.settings.beside.is_some(),
        }
    }

    /// The item that stage and run are about: the kernel that the cursor is in, else the item that was, else the first
    /// kernel. In a function it stays the kernel one came from, which has the function in it; and while one reads
    /// another pane, it stays what that pane shows.
    pub fn subject(&self) -> Option<&Which> {
        let file = self.file();
        let at = TextSize::new(file.buffer.cursor() as u32);
        let outline = &file.words.outline;
        let is_kernel = |item: &&OutlineItem| item.which.kind == ItemKind::Kernel;
        let follows = self.focus == Pane::Source;
        let inside = outline.iter().find(|item| follows && is_kernel(item) && item.range.contains_inclusive(at));
        let last = || outline.iter().find(|item| Some(&item.which) == file.subject.as_ref());
        let first = || outline.iter().find(is_kernel).or(outline.first());
        inside.or_else(last).or_else(first).map(|item| &item.which)
    }

    /// Brings everything that follows from the rest up to date.
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
        // How many lines a sentence takes is known when its pane has its width.
        self.arrange();
        self.shine();
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
