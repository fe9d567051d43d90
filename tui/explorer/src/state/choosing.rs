//! Pickers, prompts and questions: opening them, handling their keys, and performing choices.

use driver::spec;
use driver::surface::{DeclaredName, Surface};
use driver::words::count;
use queries::stages::Options;
use queries::stages::target;

use super::State;
use crate::actions::{ACTIONS, Action};
use crate::event::Effect;
use crate::goal::{Goal, Writing};
use crate::keys::{Code, Key};
use crate::layout::Pane;
use crate::overlay::{Ask, FixPreview, Overlay, Picked, Prompt, Purpose};
use crate::page::Role;
use crate::picker::{Picker, PickerEntry};
use crate::prompt::Input;
use crate::questions::{Engine, PreviewKey};
use crate::theme::Theme;

fn choice(label: impl Into<String>, detail: impl Into<String>, value: Picked) -> PickerEntry<Picked> {
    PickerEntry { label: label.into(), detail: detail.into(), aside: String::new(), value }
}

/// The numbers of lanes that the picker offers.
const LANES: &[u16] = &[1, 2, 4, 8, 16, 32, 64];

/// Lists all targets as name, description and goal, with this machine first.
fn targets() -> impl Iterator<Item = (&'static str, String, Goal)> {
    let native = Goal::native();
    let own = ("native", format!("this machine: {}, tuned to its processor", native.options.target.name), native);
    let rows = target::rows().map(|target| {
        let options = Options { target, lanes: None };
        (target.name, target.meaning.to_owned(), Goal { options, tuned: false })
    });
    [own].into_iter().chain(rows)
}

/// Returns the typed text as a choice, if the picker is for data and the text is valid data.
fn typed_data(picker: &Picker<Picked>) -> Option<PickerEntry<Picked>> {
    let mut values = picker.values();
    let field = values.find_map(|value| if let Picked::TypeData(n, _) = value { Some(*n) } else { None })?;
    let typed = picker.input.text().trim();
    spec::parse(&format!("x={typed}")).ok()?;
    Some(choice(typed, "as typed", Picked::Data(field, typed.to_owned())))
}

/// Replaces `~` at the start of a path by the home folder, as a shell does.
fn expanded(path: &str) -> Result<String, String> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(path.to_owned()) };
    if !rest.is_empty() && !rest.starts_with('/') {
        return Err(format!("`{path}` was not written: the folders of other users have to be spelled out"));
    }
    match etcetera::home_dir() {
        Ok(home) => Ok(format!("{}{rest}", home.display())),
        Err(_) => Err(format!("`{path}` was not written: this system does not say where the home folder is")),
    }
}

impl State {
    // Opening overlays.

    pub(super) fn pick_item(&mut self) {
        let items = self.file().words.outline.iter().map(|item| {
            let kind = self.surface().item_word(item.which.kind);
            let line = self.file().buffer.line_of(item.name.start().into()) + 1;
            PickerEntry {
                aside: format!("line {line}"),
                ..choice(&*item.which.name, format!("{kind} {}", item.detail), Picked::Item(item.which.clone()))
            }
        });
        let now = self.subject().cloned();
        let others = (0..self.files.len()).filter(|n| *n != self.current).flat_map(|n| self.kernels_of(n));
        let picker = Picker::new("Go to", items.chain(others).collect());
        self.pick(picker.choosing(|picked| matches!(picked, Picked::Item(which) if Some(which) == now.as_ref())));
    }

    /// Lists the kernels of a file from its text alone, since the file may not have been analysed yet.
    fn kernels_of(&self, n: usize) -> impl Iterator<Item = PickerEntry<Picked>> {
        let file = &self.files[n];
        let text = file.buffer.text();
        let surface = Surface::of(&file.name);
        surface.kernels_in(text).into_iter().map(move |DeclaredName { name, rest }| {
            let aside = format!("{} line {}", file.name, file.buffer.line_of(name.start().into()) + 1);
            let detail = format!("{} {rest}", surface.kernel_word());
            PickerEntry { aside, ..choice(&text[name], detail, Picked::Kernel(n, name)) }
        })
    }

    pub(super) fn pick_file(&mut self) {
        let files = self.files.iter().enumerate().map(|(n, file)| {
            let unsaved = if file.buffer.is_dirty() { "not saved" } else { "" };
            PickerEntry { aside: unsaved.to_owned(), ..choice(file.name.clone(), "", Picked::File(n)) }
        });
        let now = self.current;
        let picker = Picker::new("Files", files.collect());
        self.pick(picker.choosing(|picked| *picked == Picked::File(now)));
    }

    pub(super) fn pick_stage(&mut self) {
        let stages = self.surface().stages().iter().enumerate().map(|(n, stage)| {
            let aside = match self.stage_view.changed.get(n) {
                Some(Some(true)) => "",
                Some(Some(false)) => "changed nothing",
                _ => "not reached",
            };
            PickerEntry { aside: aside.to_owned(), ..choice(stage.name, stage.description, Picked::Stage(n)) }
        });
        // The stages behind the last have a pane of their own, where they can be shown beside any stage.
        let behind = Writing::BEHIND.map(|writing| {
            let aside =
                if self.settings.writing == writing { "in the assembly's pane, now" } else { "in the assembly's pane" };
            let stage = choice(writing.stage(), writing.description(), Picked::Machine(writing));
            PickerEntry { aside: aside.to_owned(), ..stage }
        });
        let now = self.shown_stage();
        let picker = Picker::new("Stages", stages.chain(behind).collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Stage(now)));
    }

    pub(super) fn pick_target(&mut self) {
        let goals = targets().map(|(label, meaning, goal)| {
            let lanes = self.settings.goal.options.lanes;
            choice(label, meaning, Picked::Goal(Goal { options: Options { lanes, ..goal.options }, ..goal }))
        });
        let now = self.settings.goal;
        let picker = Picker::new("Targets", goals.collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Goal(now)));
    }

    /// Opens the picker for the goal of the second assembly: another target, or this target with another number of
    /// lanes.
    pub(super) fn pick_beside(&mut self) {
        let nothing = choice("nothing", "one assembly only", Picked::Beside(None));
        let goals = targets().map(|(label, meaning, goal)| choice(label, meaning, Picked::Beside(Some(goal))));
        let own = self.settings.goal;
        let lanes = LANES.iter().map(|&n| {
            let goal = Goal { options: Options { lanes: Some(n), ..own.options }, ..own };
            choice(
                goal.label(),
                format!("the same target with {}", count(n.into(), "lane")),
                Picked::Beside(Some(goal)),
            )
        });
        let now = self.settings.beside;
        let picker = Picker::new("Assembly beside", [nothing].into_iter().chain(goals).chain(lanes).collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Beside(now)));
    }

    pub(super) fn pick_engine(&mut self) {
        let surface = self.surface();
        let choice_of = |engine: Engine| choice(engine.name(surface), engine.description(), Picked::Engine(engine));
        let engines = Engine::all(surface).into_iter().map(choice_of);
        let now = self.engine.in_surface(surface);
        let picker = Picker::new("Run by", engines.collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Engine(now)));
    }

    pub(super) fn pick_writing(&mut self) {
        let writings =
            Writing::ALL.map(|writing| choice(writing.name(), writing.description(), Picked::Writing(writing)));
        let now = self.settings.writing;
        let picker = Picker::new("Machine code as", writings.into());
        self.pick(picker.choosing(|picked| *picked == Picked::Writing(now)));
    }

    pub(super) fn pick_lanes(&mut self) {
        let usual = choice("auto", "as many as fill the target's registers", Picked::Lanes(None));
        let numbers =
            LANES.iter().map(|&n| choice(n.to_string(), if n == 1 { "lane" } else { "lanes" }, Picked::Lanes(Some(n))));
        let now = self.settings.goal.options.lanes;
        let picker = Picker::new("Lanes", [usual].into_iter().chain(numbers).collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Lanes(now)));
    }

    pub(super) fn pick_action(&mut self) {
        let actions = ACTIONS.iter().filter(|row| row.action != Action::Palette).map(|row| {
            let keys: Vec<_> = self.settings.keymap.keys(row.action).iter().map(Key::to_string).collect();
            PickerEntry { aside: keys.join(" "), ..choice(row.name, row.description, Picked::Action(row.action)) }
        });
        let picker = Picker::new("What to do", actions.collect());
        self.pick(picker);
    }

    pub(super) fn pick_theme(&mut self) {
        let themes = Theme::ALL.iter().map(|theme| choice(theme.name(), theme.description(), Picked::Theme(*theme)));
        let now = self.settings.theme;
        let picker = Picker::new("Themes", themes.collect());
        self.pick(picker.choosing(|picked| *picked == Picked::Theme(now)));
    }

    pub(super) fn pick_data(&mut self, n: usize) {
        let Some(item) = self.subject().cloned() else { return };
        let Some(form) = self.forms.get(&(self.current, item)) else { return };
        let Some((name, data)) = form.field(n) else { return };
        let title = format!("Data for {name}, now {data}");
        let picker = Picker::new(title, form.choices(n));
        self.pick(picker);
    }

    /// Lists the fixes of the problems in the cursor's line; a single one is previewed at once.
    pub(super) fn pick_fix(&mut self) {
        let file = self.file();
        let line = file.buffer.cursor_line();
        let here = file.words.diagnostics.iter().enumerate().filter(|(_, found)| file.lines_of(found.range).0 == line);
        let fixes: Vec<_> = here
            .flat_map(|(n, found)| {
                let offer = move |(fix, offered): (usize, &report::Fix)| {
                    choice(offered.title.clone(), found.message.clone(), Picked::Fix(n, fix))
                };
                found.fixes.iter().enumerate().map(offer)
            })
            .collect();
        match &fixes[..] {
            [] if file.words.diagnostics.is_empty() => {
                self.tell(Role::Added, "there is nothing to fix: nothing is wrong in this file");
            }
            [] => self.tell(Role::Faint, "no problem in this line has a fix; ] goes to the next problem"),
            [PickerEntry { value: Picked::Fix(n, fix), .. }] => self.preview_fix(*n, *fix),
            _ => self.pick(Picker::new("Fixes", fixes)),
        }
    }

    /// Previews a change that variants offer; it is of the text that they are about.
    pub(super) fn preview_change(&mut self, title: String, edits: Vec<report::TextEdit>) {
        if self.known.variants.as_ref().is_none_or(|key| key.of != self.version()) {
            return self.tell(Role::Faint, "the text is being analysed; try again");
        }
        let key = PreviewKey { of: self.version(), edits: edits.clone() };
        self.overlay = Some(Overlay::Fix(FixPreview { title, edits, key, preview: None, top: 0 }));
        self.known.preview = None;
    }

    pub(super) fn preview_fix(&mut self, problem: usize, fix: usize) {
        let found = self.file().words.diagnostics.get(problem).and_then(|found| found.fixes.get(fix)).cloned();
        // The ranges of a fix are valid only in the text that was analysed.
        let fresh = self.known.words.as_ref().is_some_and(|key| key.of == self.version());
        let Some(fix) = found.filter(|_| fresh) else {
            return self.tell(Role::Faint, "the text is being analysed; try again");
        };
        let key = PreviewKey { of: self.version(), edits: fix.edits.clone() };
        self.overlay =
            Some(Overlay::Fix(FixPreview { title: fix.title, edits: fix.edits, key, preview: None, top: 0 }));
        self.known.preview = None;
    }

    fn pick(&mut self, picker: Picker<Picked>) {
        self.overlay = Some(Overlay::Pick(picker));
    }

    pub(super) fn prompt(&mut self, purpose: Purpose) {
        let (title, text) = match &purpose {
            Purpose::Search => ("Search for".to_owned(), String::new()),
            Purpose::Filter => {
                let filter = self.page_view(self.focus).map(|view| view.filter().to_owned());
                ("Show lines with".to_owned(), filter.unwrap_or_default())
            }
            Purpose::Export => ("Write this pane to".to_owned(), self.export_name()),
            Purpose::SaveAs => ("Save as".to_owned(), String::new()),
            Purpose::Data(_) | Purpose::Terms(_) => (String::new(), String::new()),
        };
        self.overlay = Some(Overlay::Prompt(Prompt { title, input: Input::new(text), purpose }));
    }

    // Keys of overlays.

    pub(super) fn overlay_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(overlay) = self.overlay.take() else { return };
        let leaves = key.code == Code::Esc || (key.ctrl && matches!(key.code, Code::Char('c')));
        if leaves {
            return self.leave(overlay);
        }
        match overlay {
            Overlay::Help(top) => self.help_key(top, key),
            Overlay::Pick(picker) => self.picker_key(picker, key, effects),
            Overlay::Prompt(prompt) => self.prompt_key(prompt, key, effects),
            Overlay::Ask(ask) => self.ask_key(ask, key, effects),
            Overlay::Fix(fix) => self.fix_key(fix, key),
        }
    }

    /// Discards the input. A filter was applied while it was typed, and is removed.
    fn leave(&mut self, overlay: Overlay) {
        if let Overlay::Prompt(Prompt { purpose: Purpose::Filter, .. }) = overlay {
            self.set_filter(String::new());
        }
    }

    fn help_key(&mut self, top: usize, key: Key) {
        let page = usize::from(self.size.1.saturating_sub(4)).max(1);
        let action = self.settings.keymap.action(key);
        let top = match action {
            Some(Action::Up) => top.saturating_sub(1),
            Some(Action::Down) => top + 1,
            Some(Action::PageUp) => top.saturating_sub(page),
            Some(Action::PageDown) => top + page,
            Some(Action::Top) => 0,
            Some(Action::Bottom) => usize::MAX / 2,
            // Any other key closes the help.
            _ => return,
        };
        self.overlay = Some(Overlay::Help(top));
    }

    fn picker_key(&mut self, mut picker: Picker<Picked>, key: Key, effects: &mut Vec<Effect>) {
        match key.code {
            Code::Enter => {
                if let Some(picked) = picker.picked().cloned() {
                    return self.picked(picked, effects);
                }
            }
            Code::Up => picker.go(-1),
            Code::Down => picker.go(1),
            Code::Char('p' | 'k') if key.ctrl => picker.go(-1),
            Code::Char('n' | 'j') if key.ctrl => picker.go(1),
            Code::PageUp => picker.go(-10),
            Code::PageDown => picker.go(10),
            _ => {
                let before = picker.input.text().to_owned();
                picker.input.key(key);
                if picker.input.text() != before {
                    picker.search();
                    if let Some(choice) = typed_data(&picker) {
                        picker.offer_typed(choice);
                    }
                }
            }
        }
        self.overlay = Some(Overlay::Pick(picker));
    }

    fn prompt_key(&mut self, mut prompt: Prompt, key: Key, effects: &mut Vec<Effect>) {
        if key.code == Code::Enter {
            return self.typed(prompt, effects);
        }
        prompt.input.key(key);
        if prompt.purpose == Purpose::Filter {
            self.set_filter(prompt.input.text().to_owned());
        }
        self.overlay = Some(Overlay::Prompt(prompt));
    }

    fn ask_key(&mut self, ask: Ask, key: Key, effects: &mut Vec<Effect>) {
        let decided = ask.choices.iter().find(|(letter, _, _)| key.typed() == Some(*letter));
        match decided {
            Some((_, _, decision)) => self.decide(decision.clone(), effects),
            None => self.overlay = Some(Overlay::Ask(ask)),
        }
    }

    fn fix_key(&mut self, mut fix: FixPreview, key: Key) {
        if key.code != Code::Enter {
            let page = usize::from(self.overlay_area().h).saturating_sub(6).max(1);
            fix.top = match self.settings.keymap.action(key) {
                Some(Action::Up) => fix.top.saturating_sub(1),
                Some(Action::Down) => fix.top + 1,
                Some(Action::PageUp) => fix.top.saturating_sub(page),
                Some(Action::PageDown) => fix.top + page,
                _ => fix.top,
            };
            self.overlay = Some(Overlay::Fix(fix));
        } else if fix.key.of == self.version() {
            let title = fix.title;
            self.change(|buffer| buffer.apply(&fix.edits));
            self.tell(Role::Added, format!("applied: {title}; undo takes it back"));
        }
    }

    // Effects of choices.

    fn picked(&mut self, picked: Picked, effects: &mut Vec<Effect>) {
        match picked {
            Picked::Item(which) => {
                let name = self.file().words.outline.iter().find(|item| item.which == which).map(|item| item.name);
                if let Some(name) = name {
                    self.leave_mark();
                    self.go_to_source(name);
                    self.file_mut().subject = Some(which);
                }
            }
            Picked::Kernel(n, name) => {
                self.leave_mark();
                self.show_file(n);
                self.go_to_source(name);
            }
            Picked::File(n) => {
                self.leave_mark();
                self.show_file(n);
            }
            // The stage that was picked in a language with more of them stays.
            Picked::Stage(n) if n == self.shown_stage() => {}
            Picked::Stage(n) => self.stage = n,
            Picked::Goal(goal) => self.settings.goal = goal,
            Picked::Beside(goal) => self.settings.beside = goal,
            Picked::Engine(engine) => {
                self.engine = engine;
                self.details_epoch += 1;
            }
            Picked::Writing(writing) => self.settings.writing = writing,
            Picked::Machine(writing) => {
                self.settings.writing = writing;
                self.show_pane(Pane::Assembly);
            }
            Picked::Lanes(lanes) => self.settings.goal.options.lanes = lanes,
            Picked::Action(action) => self.act(action, false, effects),
            Picked::Theme(theme) => self.settings.theme = theme,
            Picked::Data(n, data) => self.say_data(n, data),
            Picked::TypeData(n, data) => {
                let title =
                    "Data, such as ramp(8), [1, 2.5], zeros(8), fill(8, 1), random(8, 1) or a number".to_owned();
                let input = Input::new(data);
                self.overlay = Some(Overlay::Prompt(Prompt { title, input, purpose: Purpose::Data(n) }));
            }
            Picked::Fix(problem, fix) => self.preview_fix(problem, fix),
        }
    }

    fn typed(&mut self, prompt: Prompt, effects: &mut Vec<Effect>) {
        let text = prompt.input.text().trim().to_owned();
        match prompt.purpose {
            Purpose::Search if text.is_empty() => {}
            Purpose::Search => self.search_for(prompt.input.text().to_owned()),
            Purpose::Filter => {}
            Purpose::Export => match expanded(&text) {
                Ok(path) => self.export(&path, effects),
                Err(why) => self.tell(Role::Error, why),
            },
            Purpose::SaveAs if text.is_empty() => {}
            Purpose::SaveAs => match expanded(&text) {
                Ok(path) => effects.push(Effect::Save {
                    file: self.current,
                    path: path.into(),
                    text: self.file().buffer.text().to_owned(),
                    // An existing file has not been read, so writing over it needs a confirmation.
                    expected: Some(String::new()),
                }),
                Err(why) => self.tell(Role::Error, why),
            },
            Purpose::Data(n) => match spec::parse(&format!("x={text}")) {
                Ok(_) => self.say_data(n, text),
                Err(why) => {
                    self.overlay = Some(Overlay::Prompt(prompt));
                    self.tell(Role::Error, why);
                }
            },
            Purpose::Terms(place) => {
                if let Err(why) = self.set_terms(place, &text) {
                    self.overlay = Some(Overlay::Prompt(prompt));
                    self.tell(Role::Error, why);
                }
            }
        }
    }

    fn say_data(&mut self, n: usize, data: String) {
        let Some(item) = self.subject().cloned() else { return };
        if let Some(form) = self.forms.get_mut(&(self.current, item)) {
            form.say(n, data);
            self.details_epoch += 1;
        }
    }

    fn set_filter(&mut self, filter: String) {
        let focus = self.focus;
        if let Some(view) = self.page_view_mut(focus) {
            view.set_filter(filter);
        }
    }

    /// Returns true if a filter hides some lines of a pane.
    pub fn is_filtered(&self, pane: Pane) -> bool {
        self.page_view(pane).is_some_and(|view| !view.filter().is_empty())
    }
}
