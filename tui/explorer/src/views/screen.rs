//! The cells of the real terminal: each frame writes the cells that differ from the last one, in one batch.

use std::io::{self, BufWriter, Stdout};

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw;
use crate::state::State;

/// The cells of the terminal.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// Opens the cells of standard output.
    pub(crate) fn new() -> io::Result<Screen> {
        Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))? })
    }

    /// Returns the number of columns and rows.
    pub(crate) fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Draws a frame that shows the state.
    pub(crate) fn show(&mut self, state: &State) -> io::Result<()> {
        // Terminals that support synchronised updates show the frame at once; others ignore the commands.
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(state, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        io::Write::flush(self.terminal.backend_mut())
    }

    /// Discards the record of the terminal's contents, so that the next frame is written whole. (The library's own
    /// function for this queries the cursor position, and the thread that reads keys would take the reply for keys.)
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        *self = Screen::new()?;
        queue!(self.terminal.backend_mut(), Clear(ClearType::All))
    }
}
