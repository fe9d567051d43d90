//! The effect of each action, and the dispatch of keys to actions.

use driver::stepping::Movement;
use report::{TextRange, TextSize};

use super::sizing::Towards;
use super::{AssemblyComparing, Comparing, Mark, State, Topic};
use crate::actions::Action;
use crate::event::Effect;
use crate::goal::Goal;
use crate::keys::{Code, Key};
use crate::layout::Pane;
use crate::overlay::{Overlay, Purpose};
use crate::page::{Offer, Role};
use crate::page_view::PageView;
use crate::pictures::PictureKind;
use crate::questions::How;

impl State {
    /// Handles a key: in the overlay, in the text, or by the keymap.
    pub(super) fn key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        self.message = None;
        if self.overlay.is_some() {
            return self.overlay_key(key, effects);
        }
        if self.editing && self.type_key(key) {
            return;
        }
        // Shift with a movement key selects, unless the combination itself is bound.
        let bound = self.settings.keymap.action(key).map(|action| (action, false));
        let unshifted = || self.settings.keymap.action(key.unshifted()).map(|action| (action, key.shift));
        if let Some((action, select)) = bound.or_else(unshifted) {
            self.act(action, select, effects);
        } else if let Some(c) = key.typed() {
            self.tell(Role::Faint, format!("{c} does nothing here; ? shows every key, i edits"));
        }
    }

    /// Performs an action; with `select`, movements extend the selection.
    pub(super) fn act(&mut self, action: Action, select: bool, effects: &mut Vec<Effect>) {
        if let Some(why) = self.action_lacks(action) {
            return self.tell(Role::Faint, why);
        }
        match action {
            Action::Up => self.go_lines(-1, select),
            Action::Down => self.go_lines(1, select),
            Action::PageUp => self.go_lines(-self.page_height(), select),
            Action::PageDown => self.go_lines(self.page_height(), select),
            Action::Top => self.go_lines(isize::MIN / 2, select),
            Action::Bottom => self.go_lines(isize::MAX / 2, select),
            Action::Left | Action::Right | Action::WordLeft | Action::WordRight => self.go_sideways(action, select),
            Action::LineStart | Action::LineEnd => self.go_to_end(action, select),
            Action::NextPane => self.go_panes(1),
            Action::PreviousPane => self.go_panes(-1),
            Action::Source => self.focus = Pane::Source,
            Action::Stage => self.focus = Pane::Stage,
            Action::Assembly => self.show_pane(Pane::Assembly),
            Action::Details => self.show_pane(Pane::Details),
            Action::Beside if self.settings.beside.is_none() => {
                self.pick_beside();
                self.tell(Role::Faint, "there is no pane 5 until something to see beside is picked");
            }
            Action::Beside => self.show_pane(Pane::Beside),
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::Fold => self.switch_folds(),
            Action::Wider => self.resize(Towards::Wider),
            Action::Narrower => self.resize(Towards::Narrower),
            Action::Taller => self.resize(Towards::Taller),
            Action::Shorter => self.resize(Towards::Shorter),
            Action::FitPane => self.fit_pane(),
            Action::ToggleAssembly => self.settings.assembly = !self.settings.assembly,
            Action::Open => self.open(effects),
            Action::NextStage => self.step_stage(1),
            Action::PreviousStage => self.step_stage(-1),
            Action::PickStage => self.pick_stage(),
            Action::PickTarget => self.pick_target(),
            Action::PickLanes => self.pick_lanes(),
            Action::PickBeside => self.pick_beside(),
            Action::PickWriting => self.pick_writing(),
            Action::PickKernel => self.pick_item(),
            Action::PickFile => self.pick_file(),
            Action::Diff if matches!(self.focus, Pane::Assembly | Pane::Beside) => self.compare_assembly_otherwise(),
            Action::Diff => self.compare_otherwise(),
            Action::HideUnchanged => self.hide_unchanged(),
            Action::Why => self.show_topic(Topic::Why),
            Action::Problems => self.show_topic(Topic::Problems),
            Action::Task if self.file().lesson.is_none() => {
                self.tell(Role::Faint, "this file is no lesson; `lanescope learn` opens those");
            }
            Action::Task => self.show_topic(Topic::Task),
            Action::Variants => self.show_topic(Topic::Variants),
            Action::Start => self.show_start(),
            Action::Run => self.run(How::Once(self.engine.in_surface(self.surface())), effects),
            Action::PickEngine => self.pick_engine(),
            Action::Bench => self.run(How::Measured, effects),
            Action::Sweep => self.run(How::Swept, effects),
            Action::Iterations => self.show_picture(PictureKind::Iterations),
            Action::Statements => self.show_picture(PictureKind::Statements),
            Action::Arrays => self.show_picture(PictureKind::Arrays),
            Action::NextForm => self.draw_otherwise(),
            Action::NextVersion => self.draw_other_run(),
            Action::Lanes => self.show_topic(Topic::Lanes),
            Action::StepOp => self.step(Movement::OpOn, effects),
            Action::BackOp => self.step(Movement::OpBack, effects),
            Action::StepLine => self.step(Movement::LineOn, effects),
            Action::BackLine => self.step(Movement::LineBack, effects),
            Action::StepGroup => self.step(Movement::GroupOn, effects),
            Action::BackGroup => self.step(Movement::GroupBack, effects),
            Action::RunOn => self.step(Movement::RunOn, effects),
            Action::RunBack => self.step(Movement::RunBack, effects),
            Action::ToDivergence => self.step(Movement::ToDivergence, effects),
            Action::BackToDivergence => self.step(Movement::BackToDivergence, effects),
            Action::ToStart => self.step(Movement::ToStart, effects),
            Action::ToEnd => self.step(Movement::ToEnd, effects),
            Action::Breakpoint => self.switch_breakpoint(),
            Action::Condition => self.ask_terms(),
            Action::NextProblem => self.go_problems(1),
            Action::PreviousProblem => self.go_problems(-1),
            Action::ApplyFix => self.pick_fix(),
            Action::Search => self.prompt(Purpose::Search),
            Action::NextMatch => self.go_to_match(false),
            Action::PreviousMatch => self.go_to_match(true),
            Action::Filter if self.focus == Pane::Source => {
                self.tell(Role::Faint, "the source shows every line; / searches it, and f filters the other panes");
            }
            Action::Filter => self.prompt(Purpose::Filter),
            Action::Edit => self.edit(),
            Action::Save => self.save(effects),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Cut => self.cut(effects),
            Action::Paste => self.paste_clip(),
            Action::Format => self.format(),
            Action::Reload => self.reload(effects),
            Action::Editor => self.ask_editor(effects),
            Action::Copy => self.copy(effects),
            Action::CopyPane => self.copy_pane(effects),
            Action::Export => self.prompt(Purpose::Export),
            Action::Palette => self.pick_action(),
            Action::Help => self.overlay = Some(Overlay::Help(0)),
            Action::Theme => self.pick_theme(),
            Action::Hints => self.settings.hints = !self.settings.hints,
            Action::Mouse => self.switch_mouse(effects),
            Action::Stop => self.stop(effects),
            Action::Suspend => effects.push(Effect::Suspend),
            Action::Redraw => effects.push(Effect::Redraw),
            Action::Quit => self.quit(effects),
        }
    }

    // Actions that move the cursor.

    fn page_height(&self) -> isize {
        (self.body(self.focus).h as isize - 1).max(1)
    }

    fn go_lines(&mut self, n: isize, select: bool) {
        match self.page_view_mut(self.focus) {
            Some(view) => view.go_rows(n),
            None => self.file_mut().buffer.go_lines(n, select),
        }
    }

    fn go_sideways(&mut self, action: Action, select: bool) {
        const STEP: isize = 8;
        let right = matches!(action, Action::Right | Action::WordRight);
        if let Some(view) = self.page_view_mut(self.focus) {
            let before = view.left();
            view.scroll_columns(if right { STEP } else { -STEP });
            if view.left() == before {
                let end = if right { "no line goes on at the right" } else { "this is the start of the lines" };
                self.tell(Role::Faint, end);
            }
            return;
        }
        let buffer = &mut self.file_mut().buffer;
        let at = buffer.cursor();
        let to = match action {
            Action::Left => buffer.before(at),
            Action::Right => buffer.behind(at),
            Action::WordLeft => buffer.word_left(),
            _ => buffer.word_right(),
        };
        buffer.go(to, select);
    }

    fn go_to_end(&mut self, action: Action, select: bool) {
        if let Some(view) = self.page_view_mut(self.focus) {
            return view.scroll_columns(if action == Action::LineStart { isize::MIN / 2 } else { isize::MAX / 2 });
        }
        let buffer = &mut self.file_mut().buffer;
        let line = buffer.line_range(buffer.cursor_line());
        let indent = line.start + buffer.text()[line.clone()].len() - buffer.text()[line.clone()].trim_start().len();
        let to = match action {
            Action::LineEnd => line.end,
            // The first press moves to the start of the text, the second to the start of the line.
            _ if buffer.cursor() == indent => line.start,
            _ => indent,
        };
        buffer.go(to, select);
    }

    fn go_panes(&mut self, n: isize) {
        let panes: Vec<_> = Pane::ALL.into_iter().filter(|pane| self.has_pane(*pane)).collect();
        let now = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        self.focus = panes[(now as isize + n).rem_euclid(panes.len() as isize) as usize];
    }

    pub(super) fn show_pane(&mut self, pane: Pane) {
        match pane {
            Pane::Assembly | Pane::Beside => self.settings.assembly = true,
            Pane::Details => self.settings.details = true,
            Pane::Source | Pane::Stage => {}
        }
        self.focus = pane;
    }

    /// Performs Enter: edits the source; in other panes, follows the line's offer, or else goes to its source.
    fn open(&mut self, effects: &mut Vec<Effect>) {
        let Some(view) = self.page_view(self.focus) else { return self.edit() };
        let Some(line) = view.line() else { return };
        if view.rows().get(view.cursor()).is_some_and(|row| row.fold.is_some()) {
            self.page_view_mut(self.focus).map(PageView::open_fold);
            return;
        }
        match (line.offer.clone(), line.source) {
            (Some(Offer::Data(n)), _) => self.pick_data(n),
            (Some(Offer::Fix(problem, fix)), _) => self.preview_fix(problem, fix),
            (Some(Offer::Run), _) => self.start_run(How::Once(self.engine.in_surface(self.surface())), effects),
            (Some(Offer::Engine), _) => self.pick_engine(),
            (Some(Offer::Lesson(lesson)), _) => self.go_to_lesson(lesson),
            (Some(Offer::Start(file)), _) => self.go_from_start(file),
            (Some(Offer::Beside(goal)), _) => self.show_beside(goal),
            (Some(Offer::Change(title, edits)), _) => self.preview_change(title, edits),
            (Some(Offer::Measure), _) => self.start_run(How::Measured, effects),
            (Some(Offer::Keep(sweep, row)), _) => self.keep_row(sweep, row),
            (Some(Offer::LetGo(n)), _) => self.let_go(n),
            (Some(Offer::Source) | None, Some(range)) => {
                self.leave_mark();
                self.go_to_source(range);
            }
            (Some(Offer::Source) | None, None) => self.tell(Role::Faint, "this line is from no place of the source"),
        }
    }

    /// Moves the cursor to a range of the source, and focuses the source.
    pub(super) fn go_to_source(&mut self, range: TextRange) {
        self.focus = Pane::Source;
        let file = self.file_mut();
        file.buffer.go(range.start().into(), false);
        let line = file.buffer.cursor_line();
        file.reveal(line);
    }

    // Actions on stages and comparisons.

    fn step_stage(&mut self, n: isize) {
        let mut to = self.shown_stage() as isize;
        let n_stages = self.surface().stages().len();
        loop {
            to += n;
            let Some(stage) = usize::try_from(to).ok().filter(|stage| *stage < n_stages) else {
                let end = match (n_stages, n > 0) {
                    (1, _) => "only stage; S shows LLVM IR in place of the assembly",
                    (_, true) => "last stage",
                    (_, false) => "first stage",
                };
                return self.tell(Role::Faint, format!("this is the {end}"));
            };
            let unchanged = self.stage_view.changed.get(stage) == Some(&Some(false));
            if !(self.settings.hide_unchanged && unchanged) {
                return self.stage = stage;
            }
        }
    }

    fn compare_otherwise(&mut self) {
        let (comparing, text) = match self.comparing {
            Comparing::Nothing => (Comparing::Before, "+ and - mark what differs from the stage before"),
            Comparing::Before => (Comparing::LastGood, "+ and - mark what the last edit changed"),
            Comparing::LastGood => (Comparing::Nothing, "no differences are marked"),
        };
        self.comparing = comparing;
        self.tell(Role::Faint, text);
    }

    fn compare_assembly_otherwise(&mut self) {
        let (comparing, text) = match (self.assembly_comparing, self.settings.beside) {
            (AssemblyComparing::Nothing, Some(goal)) => {
                (AssemblyComparing::Beside, format!("the loops on top are beside those of {}", goal.label()))
            }
            (AssemblyComparing::Nothing, None) | (AssemblyComparing::Beside, _) => {
                (AssemblyComparing::LastGood, "+ and - mark what the last edit changed".to_owned())
            }
            (AssemblyComparing::LastGood, _) => (AssemblyComparing::Nothing, "no differences are marked".to_owned()),
        };
        self.assembly_comparing = comparing;
        if comparing == AssemblyComparing::Beside {
            self.assembly_pane.begin_with_next();
        }
        self.tell(Role::Faint, text);
    }

    /// Shows the assembly for another goal beside the present one, with their loops held against each other.
    fn show_beside(&mut self, goal: Goal) {
        self.settings.assembly = true;
        self.settings.beside = Some(goal);
        self.assembly_comparing = AssemblyComparing::Beside;
        self.assembly_pane.begin_with_next();
        self.leave_mark();
        self.focus = Pane::Assembly;
        self.tell(
            Role::Faint,
            format!("5 is the assembly for {}; the loops on top are beside each other", goal.label()),
        );
    }

    fn switch_folds(&mut self) {
        let any = self.page_view_mut(self.focus).is_some_and(PageView::switch_folds);
        if !any {
            self.tell(
                Role::Faint,
                "nothing is folded in this pane; the assembly's hot loops are unfolded, and the rest is not",
            );
        }
    }

    fn hide_unchanged(&mut self) {
        self.settings.hide_unchanged = !self.settings.hide_unchanged;
        let text = if self.settings.hide_unchanged { "are stepped over" } else { "are shown, dimmed in the list" };
        self.tell(Role::Faint, format!("stages that changed nothing {text}"));
    }

    // Actions on the details.

    /// Goes to the file of a lesson, with its task in the details.
    fn go_to_lesson(&mut self, lesson: usize) {
        let Some(file) = self.lesson_file(lesson) else { return };
        self.leave_mark();
        self.show_file(file);
        self.settings.details = true;
        self.focus = Pane::Source;
        self.topic = Topic::Task;
    }

    pub(super) fn show_topic(&mut self, topic: Topic) {
        let shown = self.settings.details && self.topic == topic;
        let on_screen = self.arrangement.area(Pane::Details).is_some();
        self.topic = topic;
        self.settings.details = true;
        // A repeated request focuses the pane; on a small screen that is the only way to see it.
        if shown || !on_screen {
            self.focus_details();
        }
    }

    /// Goes to the details; the way back leads to where one was.
    pub(super) fn focus_details(&mut self) {
        if self.focus != Pane::Details {
            self.leave_mark();
            self.focus = Pane::Details;
        }
    }

    fn go_problems(&mut self, n: isize) {
        let file = self.file();
        let at = file.buffer.cursor();
        let starts: Vec<usize> = file.words.diagnostics.iter().map(|found| found.range.start().into()).collect();
        let next = if n > 0 {
            starts.iter().find(|start| **start > at).or(starts.first())
        } else {
            starts.iter().rev().find(|start| **start < at).or(starts.last())
        };
        match next {
            Some(&start) => {
                self.leave_mark();
                self.go_to_source(TextRange::empty((start as u32).into()));
                self.settings.details = true;
                self.topic = Topic::Why;
            }
            None => self.tell(Role::Added, "there is no problem to go to: nothing is wrong in this file"),
        }
    }

    // Actions on the explorer itself.

    fn switch_mouse(&mut self, effects: &mut Vec<Effect>) {
        self.settings.mouse = !self.settings.mouse;
        effects.push(Effect::Mouse(self.settings.mouse));
        let whose = if self.settings.mouse { "the explorer's" } else { "the terminal's: select as anywhere" };
        self.tell(Role::Faint, format!("the mouse is {whose}"));
    }

    /// Records where the cursor is, before it goes somewhere else; Esc comes back.
    pub(super) fn leave_mark(&mut self) {
        const MOST: usize = 100;
        let at = self.file().buffer.cursor();
        let row = self.page_view(self.focus).map_or(0, PageView::cursor);
        let mark = Mark { file: self.current, pane: self.focus, at, row };
        if self.marks.last() != Some(&mark) {
            self.marks.push(mark);
        }
        if self.marks.len() > MOST {
            self.marks.remove(0);
        }
    }

    /// Goes back to where the cursor was before it went somewhere else, and returns true if it did.
    fn go_back(&mut self) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        self.show_file(mark.file);
        let length = self.file().buffer.text().len();
        let at = TextSize::new(mark.at.min(length) as u32);
        self.go_to_source(TextRange::empty(at));
        if self.has_pane(mark.pane) {
            self.focus = mark.pane;
            self.go_to_row(mark.row);
        }
        true
    }

    /// Closes or stops one thing that is open or running, the most recent first.
    fn stop(&mut self, effects: &mut Vec<Effect>) {
        if self.editing {
            self.editing = false;
        } else if self.running.take().is_some() {
            effects.push(Effect::StopRun);
            self.details_epoch += 1;
            self.tell(Role::Faint, "the run was stopped");
        } else if self.halt_lanes(effects) {
            // It stands where it is, and says so.
        } else if self.file().buffer.selection().is_some() {
            let at = self.file().buffer.cursor();
            self.file_mut().buffer.go(at, false);
        } else if !self.search.is_empty() {
            self.search.clear();
        } else if self.page_view(self.focus).is_some_and(|view| !view.filter().is_empty()) {
            let focus = self.focus;
            if let Some(view) = self.page_view_mut(focus) {
                view.set_filter(String::new());
            }
        } else if self.zoomed {
            self.zoomed = false;
        } else if self.go_back() {
            // The way back is one step at a time.
        } else if self.focus != Pane::Source {
            self.focus = Pane::Source;
        } else {
            let quit = self.settings.keymap.keys(Action::Quit).first().map_or_else(String::new, Key::to_string);
            self.tell(Role::Faint, format!("{quit} quits"));
        }
    }
}

/// Returns true if a key only moves the cursor, so that Shift with it selects.
pub(super) fn moves(key: Key) -> bool {
    matches!(
        key.code,
        Code::Up | Code::Down | Code::Left | Code::Right | Code::Home | Code::End | Code::PageUp | Code::PageDown
    )
}
