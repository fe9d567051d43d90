//! The output streams of a command, standard output for findings and standard error for trouble, and its exit code.
//!
//! Colour is used on a terminal only, and never with `NO_COLOR`. If the reader has gone (`lanescope … | head`), the
//! command ends silently, because the reader has all it wanted.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

/// The outcome of a command. Of several outcomes, the worst is that of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Success.
    Done,
    /// The kernels have errors, or a check failed.
    Refused,
    /// A file or stream could not be read or written.
    Trouble,
}

/// The capabilities of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// True if standard output is a terminal.
    pub terminal: bool,
    /// True if colours are to be used.
    pub colour: bool,
    /// Width in columns.
    pub width: usize,
}

impl Look {
    /// Plain text, for a reader of unknown width.
    pub const PLAIN: Look = Look { terminal: false, colour: false, width: 140 };

    fn of_stdout() -> Look {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        // `CLICOLOR_FORCE` would colour files as well, so the terminal is required in addition.
        let colour = terminal && AutoStream::choice(&stdout) != ColorChoice::Never;
        let width = match terminal_size::terminal_size_of(&stdout) {
            // A terminal of unknown width reports 0.
            Some((width, _)) if width.0 > 0 => usize::from(width.0),
            _ => Look::PLAIN.width,
        };
        Look { terminal, colour, width }
    }

    /// Applies a style to a text, if colours are used.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Standard output and standard error. The `Write` implementation writes to standard output.
pub struct Console {
    look: Look,
    out: BufWriter<AutoStream<Stdout>>,
    progress: Progress,
}

impl Console {
    /// Opens the console of the process.
    pub fn new() -> Console {
        Console {
            look: Look::of_stdout(),
            // `look` decides on colours; this stream only translates them for old Windows consoles.
            out: BufWriter::new(AutoStream::always(io::stdout())),
            progress: Progress { enabled: io::stderr().is_terminal(), drawn: None },
        }
    }

    /// Returns the capabilities of standard output.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Reports trouble on standard error.
    pub fn trouble(&mut self, message: &str) -> io::Result<()> {
        self.note(&format!("lanescope: {message}"))
    }

    /// Writes a message that is no part of the output to standard error.
    pub fn note(&mut self, message: &str) -> io::Result<()> {
        self.out.flush()?;
        self.progress.clear();
        // If standard error is closed, no channel is left to report that on.
        let _ = writeln!(io::stderr(), "{message}");
        Ok(())
    }

    /// Shows the progress over `n_total` files, if standard error is a terminal.
    pub fn progress(&mut self, verb: &str, n_done: usize, n_total: usize, name: &str) -> io::Result<()> {
        if self.progress.is_due(n_total) {
            self.out.flush()?;
            self.progress.draw(&format!("{verb} {}/{n_total} {name}", n_done + 1));
        }
        Ok(())
    }

    /// Ends the output, and returns the exit code for an outcome.
    pub fn exit(mut self, outcome: io::Result<Outcome>) -> ExitCode {
        self.progress.clear();
        match outcome.and_then(|outcome| self.out.flush().map(|()| outcome)) {
            Ok(outcome) => ExitCode::from(outcome as u8),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => {
                let _ = writeln!(io::stderr(), "lanescope: cannot write the output: {error}");
                ExitCode::from(Outcome::Trouble as u8)
            }
        }
    }
}

impl Default for Console {
    fn default() -> Self {
        Console::new()
    }
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.clear();
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The progress line, which is redrawn in place and removed before any other output.
struct Progress {
    enabled: bool,
    drawn: Option<Drawn>,
}

struct Drawn {
    at: Instant,
    visible: bool,
}

impl Progress {
    /// Minimum number of files for progress: fewer are done before the line could be read.
    const N_FILES: usize = 20;
    const INTERVAL: Duration = Duration::from_millis(50);

    fn is_due(&self, n_total: usize) -> bool {
        let rested = self.drawn.as_ref().is_none_or(|drawn| drawn.at.elapsed() >= Progress::INTERVAL);
        self.enabled && n_total >= Progress::N_FILES && rested
    }

    fn draw(&mut self, line: &str) {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        // A line that wraps could not be redrawn in place.
        let line: String = line.chars().take(width.saturating_sub(1)).collect();
        let mut stderr = io::stderr();
        let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
        self.drawn = Some(Drawn { at: Instant::now(), visible: true });
    }

    fn clear(&mut self) {
        if let Some(drawn) = self.drawn.as_mut().filter(|drawn| drawn.visible) {
            drawn.visible = false;
            let mut stderr = io::stderr();
            let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
        }
    }
}
