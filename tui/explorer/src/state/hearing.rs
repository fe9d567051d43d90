//! Updates of the state by answers of the analysis, and by changes on disk.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Heard, State};
use crate::overlay::{Ask, Decision, Overlay};
use crate::page::{Line, Page, Role};
use crate::pictures::Drawing;
use crate::questions::{Answer, AssemblyKey, AssemblyView, StageKey, StageView, Wanted};

impl State {
    /// Accepts an answer, if its key is still wanted.
    pub(super) fn hear(&mut self, answer: Answer) {
        self.expect_no_more(&answer);
        let wants = self.wants();
        match answer {
            Answer::Words(key, words) if wants.words.as_ref() == Some(&key) => {
                self.file_mut().words = words;
                self.known.words = Some(key);
                self.details_epoch += 1;
            }
            Answer::Stage(key, view) if wants.stage.as_ref() == Some(&key) => self.hear_stage(key, view),
            Answer::Place(key, lines) if wants.place.as_ref() == Some(&key) => {
                if self.place != lines {
                    self.place = lines;
                    self.details_epoch += 1;
                }
                self.known.place = Some(key);
            }
            Answer::Samples(key, samples) if wants.samples.as_ref() == Some(&key) => {
                let slot = (self.current, key.item.clone());
                match samples.is_empty() && self.has_errors() {
                    true => drop(self.forms.remove(&slot)),
                    false => {
                        let given = self.file_mut().given.take_if(|given| given.is_of(&key.item));
                        let form = self.forms.entry(slot).or_default();
                        form.offer(&samples);
                        given.into_iter().for_each(|given| form.give(&given.data));
                    }
                }
                self.known.samples = Some(key);
                self.details_epoch += 1;
            }
            Answer::Lesson(key, steps) if wants.lesson.as_ref() == Some(&key) => {
                self.steps = steps;
                self.known.lesson = Some(key);
                self.details_epoch += 1;
            }
            Answer::Variants(key, page) if wants.variants.as_ref() == Some(&key) => {
                self.variants = page;
                self.known.variants = Some(key);
                self.details_epoch += 1;
            }
            Answer::Picture(key, drawing) if wants.picture.as_ref() == Some(&key) => {
                self.shown.drawing = drawing;
                self.known.picture = Some(key);
                self.details_epoch += 1;
            }
            Answer::Preview(key, preview) if wants.preview.as_ref() == Some(&key) => {
                if let Some(Overlay::Fix(fix)) = &mut self.overlay {
                    fix.preview = Some(preview);
                }
                self.known.preview = Some(key);
            }
            // When both panes want the same machine code, one answer serves both.
            Answer::Assembly(key, view) => {
                if wants.beside.as_ref() == Some(&key) {
                    if !self.keeps_assembly(1, &key, &view) {
                        self.beside_pane.show(view.page.clone());
                    }
                    self.known.beside = Some(key.clone());
                }
                if wants.assembly.as_ref() == Some(&key) {
                    self.hear_assembly(key, view);
                }
            }
            Answer::Failed(wanted, why) => self.hear_failure(*wanted, &why),
            Answer::Ran(run, report) if self.running.as_ref() == Some(&run) => {
                self.running = None;
                let outcome = report.page;
                if run.of == self.version() {
                    self.file_mut().note_failure(&outcome);
                }
                let slot = (run.of.file, run.item);
                let form = self.forms.entry(slot).or_default();
                if form.is_on(&run.arguments) {
                    form.outcome = Some(outcome);
                    form.sweep = report.sweep;
                    form.remember(run.of, report.arrays);
                } else {
                    form.outcome = None;
                }
                self.details_epoch += 1;
            }
            Answer::Running(run, page) if self.running.as_ref() == Some(&run) => {
                let form = self.forms.entry((run.of.file, run.item)).or_default();
                form.outcome = form.is_on(&run.arguments).then_some(page);
                self.details_epoch += 1;
            }
            Answer::Lanes(number, stepped) => self.hear_lanes(number, stepped),
            // Answers about a text, position or run that is no longer shown.
            Answer::Words(..)
            | Answer::Stage(..)
            | Answer::Place(..)
            | Answer::Samples(..)
            | Answer::Lesson(..)
            | Answer::Variants(..)
            | Answer::Picture(..)
            | Answer::Preview(..)
            | Answer::Running(..)
            | Answer::Ran(..) => {}
        }
    }

    /// Removes an answered part from the pending ones; the other parts remain pending and are not requested again.
    fn expect_no_more(&mut self, answer: &Answer) {
        fn come<K: PartialEq>(asked: &mut Option<K>, key: &K) {
            if asked.as_ref() == Some(key) {
                *asked = None;
            }
        }
        match answer {
            Answer::Words(key, _) => come(&mut self.asked.words, key),
            Answer::Stage(key, _) => come(&mut self.asked.stage, key),
            Answer::Place(key, _) => come(&mut self.asked.place, key),
            Answer::Samples(key, _) => come(&mut self.asked.samples, key),
            Answer::Lesson(key, _) => come(&mut self.asked.lesson, key),
            Answer::Variants(key, _) => come(&mut self.asked.variants, key),
            Answer::Picture(key, _) => come(&mut self.asked.picture, key),
            Answer::Preview(key, _) => come(&mut self.asked.preview, key),
            Answer::Assembly(key, _) => {
                come(&mut self.asked.assembly, key);
                come(&mut self.asked.beside, key);
            }
            Answer::Failed(wanted, _) if self.asked == **wanted => self.asked = Wanted::default(),
            Answer::Failed(..) | Answer::Running(..) | Answer::Ran(..) | Answer::Lanes(..) => {}
        }
    }

    fn hear_stage(&mut self, key: StageKey, view: StageView) {
        if view.good {
            let goods = self.goods.entry((self.current, key.item.clone(), key.stage)).or_default();
            goods.take(&view.lines);
        }
        let is_same = |shown: &StageKey| {
            let StageKey { of, item, stage, options, .. } = shown;
            (of.file, item, stage, options) == (key.of.file, &key.item, &key.stage, &key.options)
        };
        // A text that is broken for a moment, as while a line is typed, has scalar code or none: what it was stays.
        match self.shown_stage.clone().filter(|shown| view.broken && is_same(shown)) {
            Some(shown) => self.stage_kept = Some(shown),
            None => {
                self.stage_pane.show(view.page.clone());
                self.stage_kept = None;
                self.shown_stage = (!view.broken).then(|| key.clone());
            }
        }
        self.stage_view = view;
        self.known.stage = Some(key);
    }

    /// Returns true if a pane keeps the machine code that it shows, because the text has errors since, and records what it
    /// shows.
    fn keeps_assembly(&mut self, n: usize, key: &AssemblyKey, view: &AssemblyView) -> bool {
        let is_same = |shown: &AssemblyKey| {
            let AssemblyKey { of, item, goal, writing, .. } = shown;
            (of.file, item, goal, writing) == (key.of.file, &key.item, &key.goal, &key.writing)
        };
        let broken = view.lines.is_empty() && self.stage_view.broken;
        let kept = self.shown_assembly[n].clone().filter(|shown| broken && is_same(shown));
        if kept.is_none() {
            self.shown_assembly[n] = (!view.lines.is_empty()).then(|| key.clone());
        }
        self.assembly_kept[n] = kept;
        self.assembly_kept[n].is_some()
    }

    fn hear_assembly(&mut self, key: AssemblyKey, view: AssemblyView) {
        if !view.lines.is_empty() {
            let slot = (self.current, key.item.clone(), key.goal, key.writing);
            self.assembly_goods.entry(slot).or_default().take(&view.lines);
            self.machine = Heard::Code;
        } else if self.machine == Heard::Nothing {
            self.machine = Heard::Refusal;
        }
        if !self.keeps_assembly(0, &key, &view) {
            self.assembly_pane.show(view.page);
        }
        self.known.assembly = Some(key);
    }

    /// Handles a failure of the analysis: marks the requested parts as answered, so that the failing question is not
    /// repeated.
    fn hear_failure(&mut self, wanted: Wanted, why: &str) {
        let known = &mut self.known;
        known.words = wanted.words.or(known.words.take());
        known.stage = wanted.stage.or(known.stage.take());
        known.place = wanted.place.or(known.place.take());
        known.samples = wanted.samples.or(known.samples.take());
        known.variants = wanted.variants.or(known.variants.take());
        known.picture = wanted.picture.or(known.picture.take());
        known.preview = wanted.preview.or(known.preview.take());
        known.assembly = wanted.assembly.or(known.assembly.take());
        known.beside = wanted.beside.or(known.beside.take());
        self.tell(Role::Error, format!("the analysis failed on this text, and starts anew with the next edit: {why}"));
    }

    fn has_errors(&self) -> bool {
        self.file().words.diagnostics.iter().any(|diagnostic| diagnostic.severity == report::Severity::Error)
    }

    /// Handles a change of a file on disk, or its removal, by another program.
    pub(super) fn disk(&mut self, n: usize, text: Option<String>) {
        let Some(file) = self.files.get_mut(n) else { return };
        let name = file.name.clone();
        match text {
            None => self.tell(Role::Warning, format!("{name} is gone from the disk; saving writes it again")),
            Some(text) if text == file.buffer.text() => file.buffer.mark_saved(&text),
            Some(text) if !file.buffer.is_dirty() => self.take_text(n, &text),
            Some(text) => self.ask_conflict(n, text),
        }
    }

    /// Replaces the buffer's text by that of the disk, as an edit that can be undone.
    pub(super) fn take_text(&mut self, n: usize, text: &str) {
        let file = &mut self.files[n];
        let splices = file.buffer.become_text(text);
        file.buffer.mark_saved(text);
        file.move_along(&splices);
        let name = file.name.clone();
        if n == self.current {
            self.pages_move_along(&splices);
        }
        self.tell(Role::Note, format!("{name} was read again from the disk"));
    }

    fn ask_conflict(&mut self, n: usize, text: String) {
        let name = &self.files[n].name;
        self.overlay = Some(Overlay::Ask(Ask {
            title: format!("{name} was changed by another program"),
            lines: vec![Line::new("There are changes here that are not saved, and others on the disk.")],
            choices: vec![
                ('t', "take the disk's text (undo brings back yours)", Decision::TakeTheirs(n, text.clone())),
                ('k', "keep yours; saving writes over the disk's", Decision::KeepMine(n, text)),
            ],
        }));
    }

    /// Handles a save that found a text on disk that was never read here.
    pub(super) fn save_conflict(&mut self, n: usize, path: PathBuf, text: String) {
        let Some(file) = self.files.get(n) else { return };
        let was_read = file.path.as_ref() == Some(&path);
        let mut choices =
            vec![('w', "write over it", Decision::Overwrite(n, path.clone())), ('c', "do not save", Decision::Nothing)];
        if was_read {
            choices.insert(1, ('t', "take the disk's text (undo brings back yours)", Decision::TakeTheirs(n, text)));
        }
        let why = if was_read { "is not what was read" } else { "is there already" };
        self.overlay = Some(Overlay::Ask(Ask {
            title: format!("{} {why}", path.display()),
            lines: was_read.then(|| Line::new("Another program has written it since.")).into_iter().collect(),
            choices,
        }));
    }

    /// Handles the completion of a save.
    pub(super) fn saved(&mut self, n: usize, path: PathBuf, text: &str) {
        let Some(file) = self.files.get_mut(n) else { return };
        file.buffer.mark_saved(text);
        if file.path.as_ref() != Some(&path) {
            file.name = path.display().to_string();
            file.path = Some(path);
            self.known = Wanted::default();
        }
        let name = self.files[n].name.clone();
        self.tell(Role::Added, format!("{name} saved"));
    }

    pub(super) fn ask_export(&mut self, path: PathBuf, text: String) {
        self.overlay = Some(Overlay::Ask(Ask {
            title: format!("{} exists already", path.display()),
            lines: Vec::new(),
            choices: vec![('w', "write over it", Decision::Export(path, text)), ('c', "do not", Decision::Nothing)],
        }));
    }

    /// Shows another open file in all panes.
    pub(super) fn show_file(&mut self, n: usize) {
        if n == self.current {
            return;
        }
        self.current = n;
        self.known = Wanted::default();
        self.stage_view = StageView { lines: Arc::default(), ..StageView::default() };
        for view in [&mut self.stage_pane, &mut self.assembly_pane, &mut self.beside_pane] {
            view.show(Page::default());
        }
        (self.shown_stage, self.stage_kept) = (None, None);
        (self.shown_assembly, self.assembly_kept) = ([None, None], [None, None]);
        self.place.clear();
        self.variants = Page::default();
        self.shown.drawing = Drawing::Nothing;
        self.details_epoch += 1;
    }
}
