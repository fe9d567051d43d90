//! What happens to the explorer, and what it wants done: the two ends of [`State::apply`](crate::explorer::state::State::apply).

use std::path::PathBuf;
use std::sync::Arc;

use crate::explorer::keys::Key;
use crate::explorer::questions::{Answer, Question, Run};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// A text was pasted by the terminal.
    Paste(String),
    /// The mouse did something.
    Mouse(Mouse),
    /// The screen has another size.
    Resize(u16, u16),
    /// The analysis has answered.
    Answer(Answer),
    /// A file on disk is not what it was: its text now, or `None` when it is gone.
    Disk(usize, Option<String>),
    /// A file was saved with this text.
    Saved(usize, PathBuf, String),
    /// A file was not saved, because the disk has this text that was never read.
    SaveConflict(usize, PathBuf, String),
    /// Something was written, or not; the sentence says which.
    Told(Result<String, String>),
    /// A file exists already, where a pane is to be written.
    ExportExists(PathBuf, String),
    /// Time has passed while something is waited for.
    Tick,
    /// The system wants the program to make room for the shell.
    Interrupt,
    /// The system wants the program to end.
    Terminate,
}

/// What the mouse did, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// What.
    pub kind: MouseKind,
    /// The column.
    pub x: u16,
    /// The row.
    pub y: u16,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MouseKind {
    Press,
    Drag,
    WheelUp,
    WheelDown,
}

/// Something to be done outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the analysis.
    Ask(Box<Question>),
    /// Run a kernel.
    Run(String, Arc<str>, Run),
    /// Stop the run.
    StopRun,
    /// Write a file, unless the disk has another text than was last seen there.
    Save {
        /// The file's number.
        file: usize,
        /// Where it is.
        path: PathBuf,
        /// Its text.
        text: String,
        /// What the disk is thought to have; `None` writes over whatever it has.
        expected: Option<String>,
    },
    /// Read a file again, and say so even if it is as it was.
    Read(usize),
    /// Write a text to a file, over one that is there only if the flag says so.
    Export(PathBuf, String, bool),
    /// Give a text to the terminal's clipboard.
    Copy(String),
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Draw everything anew.
    Redraw,
    /// Go to the shell.
    Suspend,
    /// End.
    Quit,
}
