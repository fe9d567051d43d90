//! The real terminal's cells: what differs from the last frame is written, in one go.

use std::io::{self, BufWriter, Stdout};

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw;
use crate::explorer::state::State;

/// The terminal's cells.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// The cells of standard output.
    pub fn new() -> io::Result<Screen> {
        Ok(Screen { terminal: Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))? })
    }

    /// Its size.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Shows the state.
    pub fn show(&mut self, state: &State) -> io::Result<()> {
        // A terminal that knows these shows the frame at once; others ignore them.
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(state, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        io::Write::flush(self.terminal.backend_mut())
    }

    /// Forgets what the terminal shows: the next frame is written whole. (The library's own way asks the terminal where
    /// the cursor is, and the thread that reads keys would take the answer for keys.)
    pub fn forget(&mut self) -> io::Result<()> {
        *self = Screen::new()?;
        queue!(self.terminal.backend_mut(), Clear(ClearType::All))
    }
}
