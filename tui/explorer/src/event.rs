//! Events and effects: the input and output of [`State::apply`](crate::state::State::apply).

use std::path::PathBuf;
use std::sync::Arc;

use crate::editor::EditorPlace;
use crate::keys::Key;
use crate::lanes::LanesAsk;
use crate::questions::{Answer, Question, Run};
use crate::theme::TerminalColours;

/// An input to the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// The terminal pasted a text.
    Paste(String),
    /// The mouse was used.
    Mouse(Mouse),
    /// The screen changed its size.
    Resize(u16, u16),
    /// The analysis, or a run, answered a part of a question.
    Answer(Answer),
    /// A file changed on disk: its text now, or `None` if it was removed.
    Disk(usize, Option<String>),
    /// A file was saved with this text.
    Saved(usize, PathBuf, String),
    /// A file was not saved, because the disk has this text that was never read.
    SaveConflict(usize, PathBuf, String),
    /// A write succeeded or failed; the sentence reports it.
    Told(Result<String, String>),
    /// The target of an export exists already.
    ExportExists(PathBuf, String),
    /// The terminal told its colours.
    Colours(Box<TerminalColours>),
    /// Time has passed while an answer is pending.
    Tick,
    /// The system asks the program to give the terminal back to the shell.
    Interrupt,
    /// The system asks the program to end.
    Terminate,
}

/// A mouse event and its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// Kind of the event.
    pub kind: MouseKind,
    /// Column of the cell.
    pub x: u16,
    /// Row of the cell.
    pub y: u16,
}

/// The kinds of mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MouseKind {
    Press,
    Drag,
    WheelUp,
    WheelDown,
}

/// A request of the state to the outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the analysis.
    Ask(Box<Question>),
    /// Run a kernel: name and text of its file, and the request.
    Run(String, Arc<str>, Run),
    /// Stop the current run.
    StopRun,
    /// Ask something of the run that is stepped through, under a number.
    Lanes(u64, LanesAsk),
    /// Write a file, unless the disk has a text other than the one last seen there.
    Save {
        /// Number of the file in the explorer.
        file: usize,
        /// Path to write to.
        path: PathBuf,
        /// Text to write.
        text: String,
        /// Text that the disk is expected to have; `None` overwrites any text.
        expected: Option<String>,
    },
    /// Read a file again, and report it even if it is unchanged.
    Read(usize),
    /// Write a text to a file; an existing one is replaced only if the flag is set.
    Export(PathBuf, String, bool),
    /// Copy a text to the terminal's clipboard.
    Copy(String),
    /// Capture the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Redraw the whole screen.
    Redraw,
    /// Open a file in the editor of the user's choice, at a place, and read it again when that has ended.
    Editor {
        /// Number of the file in the explorer.
        file: usize,
        /// Path of the file.
        path: PathBuf,
        /// The place of the cursor.
        place: EditorPlace,
    },
    /// Suspend the program and return to the shell.
    Suspend,
    /// Leave the explorer.
    Quit,
}
