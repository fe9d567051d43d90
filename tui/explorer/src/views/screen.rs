//! The cells and pictures of the real terminal: each frame writes the cells that differ from the last one, in one batch, and sends and
//! takes away the pictures that do.

use std::io::{self, BufWriter, Write};

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::draw;
use super::images::images;
use crate::graphics::{Board, Protocol};
use crate::recording::RecordedOutput;
use crate::state::State;

/// Keeps the cursor and its style, and brings them back.
const CURSOR_KEPT: &str = "\x1b7";
const CURSOR_BACK: &str = "\x1b8";

/// The cells of the terminal, and the pictures over them.
pub(crate) struct Screen {
    terminal: Cells,
    out: RecordedOutput,
    board: Board,
    /// The size of the last frame, since another one clears the screen.
    last_size: (u16, u16),
}

type Cells = Terminal<CrosstermBackend<BufWriter<RecordedOutput>>>;

fn cells(out: &RecordedOutput) -> io::Result<Cells> {
    Terminal::new(CrosstermBackend::new(BufWriter::new(out.clone())))
}

impl Screen {
    /// Opens the cells of standard output.
    pub(crate) fn new(out: RecordedOutput) -> io::Result<Screen> {
        Ok(Screen { terminal: cells(&out)?, out, board: Board::default(), last_size: (0, 0) })
    }

    /// Returns the number of columns and rows.
    pub(crate) fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Draws a frame that shows the state.
    pub(crate) fn show(&mut self, state: &State) -> io::Result<()> {
        let graphics = state.settings.graphics;
        // Terminals that support synchronised updates show the frame at once; others ignore the commands.
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        if std::mem::replace(&mut self.last_size, state.size) != state.size {
            let taken = self.board.forget(graphics.protocol);
            write!(self.terminal.backend_mut(), "{taken}")?;
        }
        let change = self.board.change(&images(state), graphics);
        write!(self.terminal.backend_mut(), "{}", change.before)?;
        if change.redraw {
            self.clear()?;
        }
        self.terminal.draw(|frame| draw(state, frame))?;
        if !change.after.is_empty() {
            write!(self.terminal.backend_mut(), "{CURSOR_KEPT}{}{CURSOR_BACK}", change.after)?;
        }
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())
    }

    /// Discards the record of the terminal's contents, so that the next frame is written whole.
    pub(crate) fn forget(&mut self, protocol: Protocol) -> io::Result<()> {
        let taken = self.board.forget(protocol);
        write!(self.terminal.backend_mut(), "{taken}")?;
        Write::flush(self.terminal.backend_mut())?;
        self.clear()
    }

    /// Clears the screen and the record of its cells. (The library's own function for this queries the cursor position, and the
    /// thread that reads keys would take the reply for keys.)
    fn clear(&mut self) -> io::Result<()> {
        Write::flush(self.terminal.backend_mut())?;
        self.terminal = cells(&self.out)?;
        queue!(self.terminal.backend_mut(), Clear(ClearType::All))
    }

    /// Takes all pictures away, before the terminal is given back.
    pub(crate) fn take_away(&mut self, protocol: Protocol) -> io::Result<()> {
        let taken = self.board.forget(protocol);
        write!(self.terminal.backend_mut(), "{taken}")?;
        Write::flush(self.terminal.backend_mut())
    }
}
