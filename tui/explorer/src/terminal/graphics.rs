//! The question to the real terminal what graphics it has.

use crossterm::terminal::window_size;

use crate::event::Event;
use crate::graphics::asking::TerminalAnswers;
use crate::graphics::{CellSize, Graphics, GraphicsSetting};
use crate::keys::{Code, Key};

/// Returns the graphics of the terminal, and the keys that were typed while it was asked. A terminal that does not answer in time has
/// none; what it answers later is no key.
pub(super) fn ask(setting: GraphicsSetting) -> (Graphics, Vec<Event>) {
    let told = window_size().ok().and_then(|size| {
        let of = |pixels: u16, cells: u16| pixels.checked_div(cells).filter(|pixels| *pixels > 1);
        Some(CellSize { width: of(size.width, size.columns)?, height: of(size.height, size.rows)? })
    });
    let name = std::env::var("TERM").unwrap_or_default();
    let can_answer = setting == GraphicsSetting::Auto && !["", "dumb", "linux"].contains(&name.as_str());
    let answers = if can_answer { answers().unwrap_or_default() } else { TerminalAnswers::default() };
    (answers.graphics(setting, told), keys(&answers.others))
}

/// Sends the queries, and reads until the last answer or for as long as one waits for it.
#[cfg(unix)]
fn answers() -> std::io::Result<TerminalAnswers> {
    use std::fs::File;
    use std::io::{IsTerminal, Read, Write, stdin, stdout};
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};

    use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    use crate::graphics::asking::QUERIES;

    /// Time in which the answers are expected; a line that is slower than this is too slow for pictures.
    const PATIENCE: Duration = Duration::from_millis(150);
    /// Most bytes that are read.
    const MOST: usize = 4096;

    // Where the text comes from a pipe, keys come from the terminal itself.
    let mut terminal = match stdin().is_terminal() {
        true => File::from(stdin().as_fd().try_clone_to_owned()?),
        false => File::open("/dev/tty")?,
    };
    let before = tcgetattr(&terminal)?;
    // A read returns with what there is, or after a tenth of a second with nothing.
    let mut timed = before.clone();
    timed.special_codes[SpecialCodeIndex::VMIN] = 0;
    timed.special_codes[SpecialCodeIndex::VTIME] = 1;
    tcsetattr(&terminal, OptionalActions::Now, &timed)?;
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut read = || -> std::io::Result<TerminalAnswers> {
        stdout().write_all(QUERIES.as_bytes())?;
        stdout().flush()?;
        loop {
            let mut some = [0; 256];
            let n = terminal.read(&mut some)?;
            bytes.extend_from_slice(&some[..n]);
            let answers = TerminalAnswers::read(&bytes);
            if answers.is_whole || Instant::now() > until || bytes.len() > MOST {
                return Ok(answers);
            }
        }
    };
    let answers = read();
    tcsetattr(&terminal, OptionalActions::Now, &before)?;
    answers
}

#[cfg(not(unix))]
fn answers() -> std::io::Result<TerminalAnswers> {
    Ok(TerminalAnswers::default())
}

/// Reads bytes as keys that type a character, and the plainest others.
fn keys(bytes: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes);
    let key = |c: char| {
        let plain = |code| Some(Key::plain(code));
        match c {
            '\r' | '\n' => plain(Code::Enter),
            '\t' => plain(Code::Tab),
            '\x1b' => plain(Code::Esc),
            '\x7f' => plain(Code::Backspace),
            '\x01'..='\x1a' => {
                let letter = char::from(b'a' + c as u8 - 1);
                Some(Key { ctrl: true, ..Key::plain(Code::Char(letter)) })
            }
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => None,
            c => plain(Code::Char(c)),
        }
    };
    text.chars().filter_map(key).map(Event::Key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_answer_are_keys() {
        let names = |bytes: &[u8]| -> Vec<String> {
            let events = keys(bytes).into_iter();
            events.map(|event| if let Event::Key(key) = event { key.to_string() } else { String::new() }).collect()
        };
        assert_eq!(names("jé\r\x1b\x03\x00".as_bytes()), ["j", "é", "enter", "esc", "ctrl-c"]);
        assert!(names(b"").is_empty());
    }
}
