//! Overlays: dialogs on top of the panes, which receive the keys, one at a time.

use std::ops::Range;
use std::path::PathBuf;

use driver::stepping::breakpoints::StopPlace;
use report::{TextEdit, TextRange};

use crate::actions::Action;
use crate::glyphs::wrapped;
use crate::goal::{Goal, Writing};
use crate::page::{Change, Line, Role};
use crate::picker::Picker;
use crate::prompt::Input;
use crate::questions::{Engine, Preview, PreviewKey, Which};
use crate::theme::Theme;

/// An overlay on top of the panes.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Help on every key, with its first line on the screen.
    Help(usize),
    /// A list of choices.
    Pick(Picker<Picked>),
    /// A text input on one line.
    Prompt(Prompt),
    /// A question with a few answers.
    Ask(Ask),
    /// A preview of a fix.
    Fix(FixPreview),
}

/// The values of choices.
#[derive(Debug, Clone, PartialEq)]
pub enum Picked {
    /// An item of the file.
    Item(Which),
    /// A kernel of another file, by the range of its name.
    Kernel(usize, TextRange),
    /// An open file, by its number.
    File(usize),
    /// A stage, by its index in the list.
    Stage(usize),
    /// A compile goal for stages and assembly.
    Goal(Goal),
    /// The goal of the second assembly, or none to close it.
    Beside(Option<Goal>),
    /// An engine that runs kernels.
    Engine(Engine),
    /// A notation of machine code.
    Writing(Writing),
    /// A stage behind the last, which the assembly's pane shows.
    Machine(Writing),
    /// A number of lanes, or none for that of the target and the kernel.
    Lanes(Option<u16>),
    /// An action.
    Action(Action),
    /// A theme.
    Theme(Theme),
    /// Data for a parameter of the kernel.
    Data(usize, String),
    /// Data for a parameter that is still to be typed.
    TypeData(usize, String),
    /// A fix, by the numbers of its problem and itself.
    Fix(usize, usize),
}

/// A text input and its purpose.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Title, which says what to type.
    pub title: String,
    /// The typed text.
    pub input: Input,
    /// Purpose of the text.
    pub purpose: Purpose,
}

/// The purpose of a typed text.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// Text to search for in the pane.
    Search,
    /// Filter for the pane's lines.
    Filter,
    /// Path to export the pane to.
    Export,
    /// Path to save the text to.
    SaveAs,
    /// Data for a parameter of the kernel, by its number.
    Data(usize),
    /// The terms on which a breakpoint stops a run.
    Terms(StopPlace),
}

/// A question with a few answers, each with a letter as its key.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Question in a few words, as the title of the box.
    pub title: String,
    /// Background of the question.
    pub lines: Vec<Line>,
    /// The answers: key, label and decision.
    pub choices: Vec<(char, &'static str, Decision)>,
}

/// The decision behind an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Save everything, then quit.
    SaveAndQuit,
    /// Save the file, then open it in the user's editor.
    SaveAndEdit,
    /// Quit without saving.
    Discard,
    /// Keep the text of the buffer. The text on disk counts as seen and may be overwritten.
    KeepMine(usize, String),
    /// Take the text that is on disk.
    TakeTheirs(usize, String),
    /// Overwrite the text that is on disk.
    Overwrite(usize, PathBuf),
    /// Overwrite an existing file with an export.
    Export(PathBuf, String),
    /// Do nothing.
    Nothing,
}

/// A fix and its preview.
#[derive(Debug, Clone, PartialEq)]
pub struct FixPreview {
    /// Title of the fix.
    pub title: String,
    /// Edits of the fix.
    pub edits: Vec<TextEdit>,
    /// Request for the preview.
    pub key: PreviewKey,
    /// Effect of the fix, once it is known.
    pub preview: Option<Preview>,
    /// First row of the changes on the screen.
    pub top: usize,
}

impl FixPreview {
    /// Returns the changed lines as rows of at most some columns, so that nothing of them is lost past the edge.
    pub fn rows(&self, columns: usize) -> Vec<Line> {
        let lines = self.preview.iter().flat_map(|preview| &preview.lines);
        let rows = lines.flat_map(|line| {
            let (mark, role) = match line.change {
                Change::Removed => ("- ", Role::Removed),
                Change::Added | Change::Same => ("+ ", Role::Added),
            };
            let indent = line.text.len() - line.text.trim_start().len();
            let pieces = wrapped(&line.text, columns.saturating_sub(mark.len()), indent.min(columns / 3));
            let row = move |range: Range<usize>| {
                let indent = if range.start == 0 { 0 } else { indent.min(columns / 3) };
                Line::of(role, format!("{mark}{}{}", " ".repeat(indent), &line.text[range]))
            };
            pieces.into_iter().map(row)
        });
        rows.collect()
    }
}
