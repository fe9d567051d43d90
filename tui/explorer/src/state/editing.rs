//! Keys that change the text, and saving.

use super::State;
use super::acting::moves;
use crate::buffer::{Buffer, Splice};
use crate::editor::EditorPlace;
use crate::event::Effect;
use crate::keys::{Code, Key};
use crate::layout::Pane;
use crate::overlay::{Ask, Decision, Overlay, Purpose};
use crate::page::{Line, Role};

impl State {
    /// Enters edit mode, in which keys type into the source.
    pub(super) fn edit(&mut self) {
        self.focus = Pane::Source;
        self.editing = true;
    }

    /// Handles a key in edit mode, and returns true if the key edits the text.
    pub(super) fn type_key(&mut self, key: Key) -> bool {
        if key.ctrl || key.alt {
            return false;
        }
        match key.code {
            Code::Char(c) => self.change(|buffer| buffer.insert(c.encode_utf8(&mut [0; 4]))),
            Code::Enter => self.change(Buffer::break_line),
            Code::Tab if !key.shift => self.change(Buffer::indent),
            Code::Backspace => self.change(Buffer::delete_back),
            Code::Delete => self.change(Buffer::delete),
            _ => return moves(key) && self.move_in_text(key),
        }
        true
    }

    /// Moves the cursor in edit mode, where movement keys move whatever else they are bound to.
    fn move_in_text(&mut self, key: Key) -> bool {
        let bound = self.settings.keymap.action(key.unshifted());
        if let Some(action) = bound {
            self.act(action, key.shift, &mut Vec::new());
        }
        bound.is_some()
    }

    /// Changes the text, and adjusts all positions in it.
    pub(super) fn change(&mut self, edit: impl FnOnce(&mut Buffer) -> Vec<Splice>) {
        let splices = edit(&mut self.file_mut().buffer);
        if splices.is_empty() {
            return;
        }
        self.file_mut().move_along(&splices);
        self.pages_move_along(&splices);
        self.details_epoch += 1;
    }

    /// Adjusts the positions in all pages to an edit.
    pub(super) fn pages_move_along(&mut self, splices: &[Splice]) {
        for pane in Pane::PAGES {
            self.page_view_mut(pane).into_iter().for_each(|view| view.move_along(splices));
        }
    }

    /// Inserts a text that the terminal pastes.
    pub(super) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => prompt.input.insert(&text),
            Some(Overlay::Pick(picker)) => {
                picker.input.insert(&text);
                picker.search();
            }
            Some(_) => {}
            None => {
                self.edit();
                self.change(|buffer| buffer.insert(&text));
            }
        }
    }

    pub(super) fn paste_clip(&mut self) {
        let text = std::mem::take(&mut self.clip);
        if text.is_empty() {
            return self.tell(Role::Faint, "nothing was cut or copied here; the terminal's own paste works too");
        }
        self.focus = Pane::Source;
        self.change(|buffer| buffer.insert(&text));
        self.clip = text;
    }

    pub(super) fn undo(&mut self) {
        self.focus = Pane::Source;
        let version = self.version();
        self.change(Buffer::undo);
        if version == self.version() {
            self.tell(Role::Faint, "there is nothing to undo");
        }
    }

    pub(super) fn redo(&mut self) {
        self.focus = Pane::Source;
        let version = self.version();
        self.change(Buffer::redo);
        if version == self.version() {
            self.tell(Role::Faint, "there is nothing to redo");
        }
    }

    pub(super) fn cut(&mut self, effects: &mut Vec<Effect>) {
        self.focus = Pane::Source;
        let range = self.file().buffer.taken();
        self.take(self.file().buffer.text()[range.clone()].to_owned(), effects);
        self.change(|buffer| buffer.remove(range));
    }

    /// Copies a text to the internal clipboard and to that of the terminal.
    pub(super) fn take(&mut self, text: String, effects: &mut Vec<Effect>) {
        if !text.is_empty() {
            effects.push(Effect::Copy(text.clone()));
            self.clip = text;
        }
    }

    pub(super) fn format(&mut self) {
        let text = self.file().buffer.text().to_owned();
        let (surface, name) = (self.surface(), self.file().name.clone());
        let formatted = surface.formatted(&name, &text, &self.settings.headers);
        let line = self.file().buffer.cursor_line();
        let column = self.file().buffer.cursor_column();
        self.change(|buffer| buffer.become_text(&formatted));
        let same = text == formatted;
        if !same {
            self.file_mut().buffer.go_to_line(line, column, false);
        }
        self.tell(Role::Faint, if same { surface.formed() } else { "formatted; undo takes it back" });
    }

    // Saving and quitting.

    pub(super) fn save(&mut self, effects: &mut Vec<Effect>) {
        if self.file().path.is_none() {
            return self.prompt(Purpose::SaveAs);
        }
        effects.extend(self.save_effect(self.current));
    }

    fn save_effect(&self, n: usize) -> Option<Effect> {
        let file = &self.files[n];
        Some(Effect::Save {
            file: n,
            path: file.path.clone()?,
            text: file.buffer.text().to_owned(),
            expected: Some(file.buffer.saved().to_owned()),
        })
    }

    pub(super) fn reload(&mut self, effects: &mut Vec<Effect>) {
        if self.file().path.is_some() {
            effects.push(Effect::Read(self.current));
        } else {
            self.tell(Role::Faint, "this text is in no file");
        }
    }

    /// Opens the file in the user's editor; text that is not saved is asked about first, since the editor would not see it.
    pub(super) fn ask_editor(&mut self, effects: &mut Vec<Effect>) {
        let file = self.file();
        if file.path.is_none() {
            return self
                .tell(Role::Faint, "this text is in no file that an editor could open: save it under a name first");
        }
        if !file.buffer.is_dirty() {
            return effects.extend(self.editor_effect());
        }
        self.overlay = Some(Overlay::Ask(Ask {
            title: format!("{} has changes that are not saved", file.name),
            lines: vec![Line::new("The editor opens what is on the disk.")],
            choices: vec![
                ('s', "save them, and open the editor", Decision::SaveAndEdit),
                ('c', "stay here", Decision::Nothing),
            ],
        }));
    }

    fn editor_effect(&self) -> Option<Effect> {
        let file = self.file();
        let (line, at) = (file.buffer.cursor_line(), file.buffer.cursor());
        let before = &file.buffer.text()[file.buffer.line_range(line).start..at];
        let place = EditorPlace { line: line + 1, column: before.chars().count() + 1, byte: before.len() + 1 };
        Some(Effect::Editor { file: self.current, path: file.path.clone()?, place })
    }

    pub(super) fn quit(&mut self, effects: &mut Vec<Effect>) {
        let unsaved: Vec<_> = self.files.iter().filter(|file| file.buffer.is_dirty()).collect();
        if unsaved.is_empty() {
            return effects.push(Effect::Quit);
        }
        let lines = unsaved.iter().map(|file| Line::new(file.name.clone())).collect();
        let mut choices =
            vec![('d', "quit, and lose what is not saved", Decision::Discard), ('c', "stay", Decision::Nothing)];
        // A text without a file needs a path first, so saving it is not among the answers.
        if unsaved.iter().all(|file| file.path.is_some()) {
            choices.insert(0, ('s', "save and quit", Decision::SaveAndQuit));
        }
        self.overlay =
            Some(Overlay::Ask(Ask { title: "There are changes that are not saved".to_owned(), lines, choices }));
    }

    /// Performs the decision of the user.
    pub(super) fn decide(&mut self, decision: Decision, effects: &mut Vec<Effect>) {
        match decision {
            Decision::Nothing => {}
            Decision::Discard => effects.push(Effect::Quit),
            Decision::SaveAndQuit => {
                let dirty = (0..self.files.len()).filter(|n| self.files[*n].buffer.is_dirty());
                effects.extend(dirty.filter_map(|n| self.save_effect(n)));
                effects.push(Effect::Quit);
            }
            Decision::SaveAndEdit => {
                effects.extend(self.save_effect(self.current));
                effects.extend(self.editor_effect());
            }
            Decision::KeepMine(n, text) => self.files[n].buffer.mark_saved(&text),
            Decision::TakeTheirs(n, text) => self.take_text(n, &text),
            Decision::Overwrite(file, path) => {
                let text = self.files[file].buffer.text().to_owned();
                effects.push(Effect::Save { file, path, text, expected: None });
            }
            Decision::Export(path, text) => effects.push(Effect::Export(path, text, true)),
        }
    }
}
