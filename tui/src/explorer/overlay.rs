//! What lies over the panes and has the keys: one thing at a time.

use std::path::PathBuf;

use syntax::{TextEdit, TextRange};

use crate::explorer::actions::Action;
use crate::explorer::goal::{Goal, Writing};
use crate::explorer::page::Line;
use crate::explorer::picker::Picker;
use crate::explorer::prompt::Input;
use crate::explorer::questions::{Engine, Preview, PreviewKey, Which};
use crate::explorer::theme::Theme;

/// What lies over the panes.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// Every key; the first line on the screen.
    Help(usize),
    /// A list to pick from.
    Pick(Picker<Picked>),
    /// A line to type.
    Prompt(Prompt),
    /// A question with a few answers.
    Ask(Ask),
    /// A fix, and what it would change.
    Fix(FixPreview),
}

/// What can be picked.
#[derive(Debug, Clone, PartialEq)]
pub enum Picked {
    /// An item of the file.
    Item(Which),
    /// A kernel of another file, by its name's place.
    Kernel(usize, TextRange),
    /// An open file.
    File(usize),
    /// A stage.
    Stage(usize),
    /// A target, and what else stages and assembly are made for.
    Goal(Goal),
    /// What a second assembly is made for; none for no such assembly.
    Beside(Option<Goal>),
    /// What runs kernels.
    Engine(Engine),
    /// How machine code is written.
    Writing(Writing),
    /// A stage behind the last, which the assembly's pane shows.
    Machine(Writing),
    /// A number of lanes; none for what the target and the kernel say.
    Lanes(Option<u16>),
    /// Something to do.
    Action(Action),
    /// A theme.
    Theme(Theme),
    /// Data for a parameter of the kernel.
    Data(usize, String),
    /// Data that is to be typed.
    TypeData(usize, String),
    /// A fix of a problem.
    Fix(usize, usize),
}

/// A line to type, and what it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What is asked.
    pub title: String,
    /// What was typed.
    pub input: Input,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a line is typed for.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// To be found in the pane.
    Search,
    /// To filter the pane's lines by.
    Filter,
    /// The file to write the pane to.
    Export,
    /// The file to save the text as.
    SaveAs,
    /// Data for a parameter of the kernel.
    Data(usize),
}

/// A question with a few answers, each by its letter.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// What is asked.
    pub title: String,
    /// What there is to know before answering.
    pub lines: Vec<Line>,
    /// The answers.
    pub choices: Vec<(char, &'static str, Decision)>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Save everything, then quit.
    SaveAndQuit,
    /// Quit without saving.
    Discard,
    /// Keep the text as it is here; the disk's was seen, and may be written over.
    KeepMine(usize, String),
    /// Take the text that the disk has.
    TakeTheirs(usize, String),
    /// Write over what the disk has.
    Overwrite(usize, PathBuf),
    /// Write over a file that was there.
    Export(PathBuf, String),
    /// Nothing.
    Nothing,
}

/// A fix, and what it would change.
#[derive(Debug, Clone, PartialEq)]
pub struct FixPreview {
    /// What the fix does.
    pub title: String,
    /// Its edits.
    pub edits: Vec<TextEdit>,
    /// What was asked about it.
    pub key: PreviewKey,
    /// What it would change, once that is known.
    pub preview: Option<Preview>,
}
