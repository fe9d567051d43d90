//! Where a command's words go: standard output for findings, standard error for trouble, and the exit code.
//!
//! Colour is used on a terminal only, and never with `NO_COLOR`. A reader that went away (`lanescope … | head`) ends
//! the command silently: it has what it wanted.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

/// How a command ended; the worst of several is the command's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All is well.
    Done,
    /// The kernels have errors, or a check failed.
    Refused,
    /// Something could not be read or written.
    Trouble,
}

/// What the reader of standard output can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Standard output is a terminal.
    pub terminal: bool,
    /// Colours are wanted.
    pub colour: bool,
    /// How many columns there are.
    pub width: usize,
}

impl Look {
    /// No colours, for a reader of unknown width.
    pub const PLAIN: Look = Look { terminal: false, colour: false, width: 140 };

    fn of_stdout() -> Look {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        // `CLICOLOR_FORCE` would colour a file as well, hence the question about the terminal.
        let colour = terminal && AutoStream::choice(&stdout) != ColorChoice::Never;
        let width = match terminal_size::terminal_size_of(&stdout) {
            // A terminal that does not know its width says 0.
            Some((width, _)) if width.0 > 0 => usize::from(width.0),
            _ => Look::PLAIN.width,
        };
        Look { terminal, colour, width }
    }

    /// The text in a style, where there is colour.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Standard output and standard error. Writing to it writes to standard output.
pub struct Console {
    look: Look,
    out: BufWriter<AutoStream<Stdout>>,
    progress: Progress,
}

impl Console {
    /// The process's own.
    pub fn new() -> Console {
        Console {
            look: Look::of_stdout(),
            // Whether to colour is decided by `look`; this stream only makes an old Windows console understand it.
            out: BufWriter::new(AutoStream::always(io::stdout())),
            progress: Progress { enabled: io::stderr().is_terminal(), drawn: None },
        }
    }

    /// What the reader of standard output can show.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Says on standard error what went wrong.
    pub fn trouble(&mut self, message: &str) -> io::Result<()> {
        self.note(&format!("lanescope: {message}"))
    }

    /// Says something on standard error that is no part of the output.
    pub fn note(&mut self, message: &str) -> io::Result<()> {
        self.out.flush()?;
        self.progress.clear();
        // When standard error is closed there is nobody to tell, about that as little as about anything else.
        let _ = writeln!(io::stderr(), "{message}");
        Ok(())
    }

    /// Shows on a terminal how far the work over `n_total` files has come.
    pub fn progress(&mut self, verb: &str, n_done: usize, n_total: usize, name: &str) -> io::Result<()> {
        if self.progress.is_due(n_total) {
            self.out.flush()?;
            self.progress.draw(&format!("{verb} {}/{n_total} {name}", n_done + 1));
        }
        Ok(())
    }

    /// The exit code that says how the command ended.
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

/// The line that says how far the work has come; it is drawn over itself, and gone when anything else is written.
struct Progress {
    enabled: bool,
    drawn: Option<Drawn>,
}

struct Drawn {
    at: Instant,
    visible: bool,
}

impl Progress {
    /// Fewer files than this are done before a person could read the line.
    const N_FILES: usize = 20;
    const INTERVAL: Duration = Duration::from_millis(50);

    fn is_due(&self, n_total: usize) -> bool {
        let rested = self.drawn.as_ref().is_none_or(|drawn| drawn.at.elapsed() >= Progress::INTERVAL);
        self.enabled && n_total >= Progress::N_FILES && rested
    }

    fn draw(&mut self, line: &str) {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        // A line that wraps could not be drawn over.
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
