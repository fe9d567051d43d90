//! Recordings of the screen, as players of terminals take them: [asciicast v2](https://docs.asciinema.org/manual/asciicast/v2/).
//!
//! A recording has a line of JSON with the size, and one for each frame: the seconds since the start, `"o"`, and what was written to the
//! terminal. A new size of the terminal is a line with `"r"`.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// A recording that is being made.
pub struct Recorder<W> {
    out: W,
    begun: Instant,
    /// Bytes of the frame that is being written.
    pending: Vec<u8>,
    /// The reason why it ended early.
    failure: Option<io::Error>,
}

/// The words at the head of a recording.
pub struct RecordingHead<'t> {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Seconds since 1970 at which it began; left out where the same keys are to give the same file.
    pub begun: Option<u64>,
    /// The kind of terminal.
    pub terminal: &'t str,
    /// The title.
    pub title: &'t str,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording with its head.
    pub fn begin(mut out: W, head: &RecordingHead<'_>) -> io::Result<Recorder<W>> {
        let mut line = json!({
            "version": 2,
            "width": head.size.0,
            "height": head.size.1,
            "title": head.title,
            "env": { "TERM": head.terminal },
        });
        if let Some(begun) = head.begun {
            line["timestamp"] = json!(begun);
        }
        writeln!(out, "{line}")?;
        Ok(Recorder { out, begun: Instant::now(), pending: Vec::new(), failure: None })
    }

    /// Takes bytes that were written to the terminal.
    pub fn take(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// Ends a frame, now.
    pub fn frame(&mut self) {
        self.frame_at(self.begun.elapsed());
    }

    /// Ends a frame at a time since the start. A character of which only a part is there waits for the rest.
    pub fn frame_at(&mut self, at: Duration) {
        let whole = match std::str::from_utf8(&self.pending) {
            Ok(_) => self.pending.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.pending.len(),
        };
        if whole > 0 {
            let text = String::from_utf8_lossy(&self.pending[..whole]).into_owned();
            self.pending.drain(..whole);
            self.line(at, "o", text);
        }
    }

    /// Notes a new size of the terminal.
    pub fn resize(&mut self, (width, height): (u16, u16)) {
        self.line(self.begun.elapsed(), "r", format!("{width}x{height}"));
    }

    fn line(&mut self, at: Duration, kind: &str, text: String) {
        // Microseconds are more than players need, and keep lines short.
        let seconds = (at.as_secs_f64() * 1e6).round() / 1e6;
        let line = Value::Array(vec![json!(seconds), json!(kind), Value::String(text)]);
        if self.failure.is_none() {
            self.failure = writeln!(self.out, "{line}").and_then(|()| self.out.flush()).err();
        }
    }

    /// Ends the recording; an error is the reason why not all of it was kept.
    pub fn end(mut self) -> io::Result<W> {
        self.frame();
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.out),
        }
    }
}

/// A recording in a file that is being made.
pub type FileRecorder = Recorder<BufWriter<File>>;

/// Begins a recording in a file, which must not be there yet.
pub fn begin_file(path: &Path, size: (u16, u16), title: &str) -> io::Result<FileRecorder> {
    let file = File::create_new(path)?;
    let terminal = std::env::var("TERM").unwrap_or_default();
    let begun = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    Recorder::begin(BufWriter::new(file), &RecordingHead { size, begun, terminal: &terminal, title })
}

/// Standard output, with a recording of what is written to it if one is made.
#[derive(Clone, Default)]
pub struct RecordedOutput {
    recorder: Option<Arc<Mutex<Option<FileRecorder>>>>,
}

impl RecordedOutput {
    /// Standard output with a recording.
    pub fn new(recorder: Option<FileRecorder>) -> RecordedOutput {
        RecordedOutput { recorder: recorder.map(|recorder| Arc::new(Mutex::new(Some(recorder)))) }
    }

    fn stdout() -> Stdout {
        io::stdout()
    }

    fn with(&self, act: impl FnOnce(&mut FileRecorder)) {
        if let Some(recorder) = &self.recorder {
            recorder.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(act);
        }
    }

    /// Notes a new size of the terminal.
    pub fn resize(&self, size: (u16, u16)) {
        self.with(|recorder| recorder.resize(size));
    }

    /// Ends the recording, if one is made.
    pub fn end(&self) -> io::Result<()> {
        let Some(recorder) = &self.recorder else { return Ok(()) };
        let ended = recorder.lock().unwrap_or_else(PoisonError::into_inner).take();
        ended.map_or(Ok(()), |recorder| recorder.end().map(drop))
    }
}

impl Write for RecordedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = RecordedOutput::stdout().write(bytes)?;
        self.with(|recorder| recorder.take(&bytes[..n]));
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(Recorder::frame);
        RecordedOutput::stdout().flush()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn frames_are_lines_with_their_times() {
        let head = RecordingHead { size: (80, 24), begun: None, terminal: "xterm-256color", title: "a.lane" };
        let mut recorder = Recorder::begin(Vec::new(), &head).expect("memory");
        recorder.take("\x1b[1mé".as_bytes());
        recorder.frame_at(Duration::from_millis(1500));
        // A frame with nothing in it is none.
        recorder.frame_at(Duration::from_secs(2));
        let arrow = "→".as_bytes();
        recorder.take(&arrow[..2]);
        recorder.frame_at(Duration::from_secs(3));
        recorder.take(&arrow[2..]);
        recorder.frame_at(Duration::from_secs(4));
        let written = String::from_utf8(recorder.end().expect("memory")).expect("JSON");
        expect![[r#"
            {"env":{"TERM":"xterm-256color"},"height":24,"title":"a.lane","version":2,"width":80}
            [1.5,"o","\u001b[1mé"]
            [4.0,"o","→"]
        "#]]
        .assert_eq(&written);
    }
}
