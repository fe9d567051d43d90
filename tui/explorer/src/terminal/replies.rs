//! The answers of a terminal that is asked for its colours (OSC 4, 10 and 11).
//!
//! A reply comes among the keys, at any time or never: `ESC ] 11 ; rgb:0000/2b2b/3636 ESC \`. The library that decodes
//! keys knows no such replies, and takes this for Alt-`]`, the characters, and Alt-`\`; where the bytes come in two pieces, the
//! one cut behind the ESC, for Esc, `]`, and so on. So the keys are watched for a reply, and what turns out to be none is passed
//! on as it was typed: at the next key, or once nothing has followed for a moment. No key is lost.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::theme::{Rgb, TerminalColours};

/// Time in which replies are expected; over a slow line they take some.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time in which the second byte of a reply follows its first one. A key Esc that somebody pressed waits as long.
const SECOND_BYTE: Duration = Duration::from_millis(60);

/// Time in which the rest of a reply follows its first two bytes.
const REST: Duration = Duration::from_secs(1);

/// The characters behind the ESC of a reply: that of the system's commands, and that of applications.
const OF_SYSTEM: char = ']';
const OF_APPLICATION: char = '_';

/// The start of an answer about graphics.
const GRAPHICS: &str = "Gi=31;";

/// Longer than any reply.
const LONGEST: usize = 40;

/// Asks the terminal for its colours; the background, for which the first frame waits, comes last.
pub(super) fn ask() -> io::Result<()> {
    let mut out = io::stdout();
    for n in 0..16 {
        write!(out, "\x1b]4;{n};?\x1b\\")?;
    }
    write!(out, "\x1b]10;?\x1b\\\x1b]11;?\x1b\\")?;
    out.flush()
}

/// The outcome for an event that was watched.
#[derive(Debug, PartialEq)]
pub(super) enum Watched {
    /// These events are no part of a reply.
    Typed(Vec<Event>),
    /// The event may be a part of a reply.
    Held,
    /// The terminal told its background, and before that perhaps other colours.
    Colours(TerminalColours),
}

/// The watch for replies among the keys.
pub(super) struct Replies {
    until: Instant,
    colours: TerminalColours,
    /// The events that may be a reply.
    held: Vec<Event>,
    /// The text of the reply so far.
    text: String,
    /// True if it is the answer of an application, which comes late to the question about graphics and tells nothing any more.
    is_of_application: bool,
    /// True behind an Esc, which may begin the end of the reply.
    escaped: bool,
}

impl Replies {
    /// Begins to watch; `colours` are those known without a reply.
    pub(super) fn new(colours: TerminalColours) -> Replies {
        let until = Instant::now() + PATIENCE;
        Replies { until, colours, held: Vec::new(), text: String::new(), is_of_application: false, escaped: false }
    }

    /// Returns how long the events that are held may wait for the next one; `None` if none is held.
    pub(super) fn waits(&self) -> Option<Duration> {
        let is_esc = matches!(self.held[..], [Event::Key(KeyEvent { code: KeyCode::Esc, .. })]);
        (!self.held.is_empty()).then_some(if is_esc { SECOND_BYTE } else { REST })
    }

    /// Gives the events back that were held for a reply which has not gone on.
    pub(super) fn typed(&mut self) -> Vec<Event> {
        (self.text, self.escaped) = (String::new(), false);
        std::mem::take(&mut self.held)
    }

    /// Watches an event.
    pub(super) fn watch(&mut self, event: Event) -> Watched {
        let Event::Key(KeyEvent { code, modifiers, .. }) = event else { return Watched::Typed(vec![event]) };
        let alt = modifiers.contains(KeyModifiers::ALT);
        let ctrl = modifiers.contains(KeyModifiers::CONTROL);
        if self.held.is_empty() {
            let opens = matches!(code, KeyCode::Char(OF_SYSTEM | OF_APPLICATION)) && alt && !ctrl;
            if (code == KeyCode::Esc || opens) && self.expects() {
                self.is_of_application = code == KeyCode::Char(OF_APPLICATION);
                self.held.push(event);
                return Watched::Held;
            }
            return Watched::Typed(vec![event]);
        }
        self.held.push(event);
        if self.held.len() == 2 && self.is_behind_esc() {
            self.is_of_application = code == KeyCode::Char(OF_APPLICATION);
            let opens = matches!(code, KeyCode::Char(OF_SYSTEM | OF_APPLICATION)) && !ctrl;
            return if opens { Watched::Held } else { self.give_up() };
        }
        let ends = match code {
            KeyCode::Char('\\') => alt || self.escaped,
            KeyCode::Char('g') => ctrl,
            _ => false,
        };
        if ends {
            let known = !self.is_of_application && self.take();
            self.held.clear();
            (self.text, self.escaped) = (String::new(), false);
            return if known { Watched::Colours(self.colours) } else { Watched::Held };
        }
        match code {
            KeyCode::Esc if !self.escaped => self.escaped = true,
            KeyCode::Char(c) if !alt && !ctrl && !self.escaped && self.text.len() < LONGEST => self.text.push(c),
            _ => return self.give_up(),
        }
        let may_be_one = match self.is_of_application {
            true => may_be_of_graphics(&self.text),
            false => may_begin_a_reply(&self.text),
        };
        if may_be_one { Watched::Held } else { self.give_up() }
    }

    /// Returns true while a reply may come: for a while, and until the one that comes last.
    fn expects(&self) -> bool {
        self.colours.background.is_none() && Instant::now() < self.until
    }

    fn is_behind_esc(&self) -> bool {
        matches!(self.held.first(), Some(Event::Key(KeyEvent { code: KeyCode::Esc, .. })))
    }

    fn give_up(&mut self) -> Watched {
        Watched::Typed(self.typed())
    }

    /// Takes over the colour that a reply tells, and returns true if it is the background.
    fn take(&mut self) -> bool {
        let Some((which, colour)) = self.text.rsplit_once(';') else { return false };
        let Some(colour) = colour_of(colour) else { return false };
        match which.split_once(';') {
            None if which == "11" => self.colours.background = Some(colour),
            None if which == "10" => self.colours.foreground = Some(colour),
            Some(("4", n)) => {
                let slot = n.parse().ok().and_then(|n: usize| self.colours.sixteen.get_mut(n));
                slot.into_iter().for_each(|slot| *slot = Some(colour));
            }
            _ => {}
        }
        which == "11"
    }
}

/// Returns true if a text can be continued to a reply, or is one.
fn may_begin_a_reply(text: &str) -> bool {
    let begins = ["10;", "11;", "4;"].iter().any(|start| start.starts_with(text) || text.starts_with(start));
    begins && text.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ';' | ':' | '/' | '#' | 'r' | 'g'))
}

/// Returns true if a text can be continued to an answer about graphics, or is one: `Gi=31;OK`.
fn may_be_of_graphics(text: &str) -> bool {
    GRAPHICS.starts_with(text) || text.starts_with(GRAPHICS)
}

/// Reads a colour as terminals tell it: `rgb:0000/2b2b/3636` with one to four digits each, with `rgba:` at its start too.
fn colour_of(text: &str) -> Option<Rgb> {
    let parts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let part = |digits: &str| {
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        u8::try_from(u32::from_str_radix(digits, 16).ok()? * 255 / most).ok()
    };
    let parts: Option<Vec<u8>> = parts.split('/').take(3).map(part).collect();
    match parts?[..] {
        [r, g, b] => Some(Rgb(r, g, b)),
        _ => None,
    }
}

/// Returns true for a light background by the value of `COLORFGBG`, as `15;0` or `0;default;15`: the number of the
/// background is the last.
pub(super) fn is_light(colorfgbg: &str) -> Option<bool> {
    let background: u8 = colorfgbg.rsplit(';').next()?.parse().ok()?;
    (background < 16).then_some(background == 7 || background > 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    /// Watches the events that bytes of a terminal become: `]` and `\` are with Alt, `<` is Esc, `^` is Ctrl-g.
    fn watched(bytes: &str) -> (String, Option<TerminalColours>) {
        let mut replies = Replies::new(TerminalColours::default());
        let (mut typed, mut told) = (String::new(), None);
        for c in bytes.chars() {
            let event = match c {
                ']' | '\\' if !bytes.contains('<') || c == ']' => key(c, KeyModifiers::ALT),
                '<' => Event::Key(KeyCode::Esc.into()),
                '^' => key('g', KeyModifiers::CONTROL),
                c => key(c, KeyModifiers::NONE),
            };
            match replies.watch(event) {
                Watched::Held => {}
                Watched::Colours(colours) => told = Some(colours),
                Watched::Typed(events) => typed.extend(events.iter().filter_map(|event| match event {
                    Event::Key(KeyEvent { code: KeyCode::Char(c), .. }) => Some(*c),
                    Event::Key(_) => Some('<'),
                    _ => None,
                })),
            }
        }
        (typed, told)
    }

    #[test]
    fn a_reply_is_no_key_and_every_key_around_it_is() {
        for reply in ["]11;rgb:fdfd/f6f6/e3e3\\", "]11;rgb:fd/f6/e3^", "]11;rgb:fdfd/f6f6/e3e3<\\"] {
            let (typed, told) = watched(&format!("jk{reply}l"));
            assert_eq!(typed, "jkl");
            assert_eq!(told.and_then(|told| told.background), Some(Rgb::hex(0xfdf6e3)), "{reply}");
        }
        let (typed, told) = watched("]4;1;rgb:dcdc/3232/2f2f\\]10;rgb:ffff/0000/8080\\x]11;rgb:0/0/0\\");
        let told = told.expect("the background");
        assert_eq!((typed.as_str(), told.sixteen[1], told.sixteen[2]), ("x", Some(Rgb::hex(0xdc322f)), None));
        assert_eq!((told.foreground, told.background), (Some(Rgb::hex(0xff0080)), Some(Rgb::hex(0))));
    }

    #[test]
    fn a_reply_that_is_cut_behind_its_first_byte_is_no_key() {
        // `<` is the Esc that the library makes of the byte alone; the bracket behind it has no Alt.
        let mut replies = Replies::new(TerminalColours::default());
        let esc = || Event::Key(KeyCode::Esc.into());
        assert_eq!(replies.watch(esc()), Watched::Held);
        assert_eq!(replies.waits(), Some(SECOND_BYTE));
        for c in "]11;rgb:fdfd/f6f6/e3e3".chars() {
            assert_eq!(replies.watch(key(c, KeyModifiers::NONE)), Watched::Held, "{c}");
            assert_eq!(replies.waits(), Some(REST));
        }
        let Watched::Colours(told) = replies.watch(key('\\', KeyModifiers::ALT)) else { panic!("no colours") };
        assert_eq!(told.background, Some(Rgb::hex(0xfdf6e3)));
        // Behind the last reply Esc is a key at once.
        assert_eq!((replies.watch(esc()), replies.waits()), (Watched::Typed(vec![esc()]), None));
    }

    #[test]
    fn a_late_answer_about_graphics_is_no_key() {
        let mut replies = Replies::new(TerminalColours::default());
        let mut typed = Vec::new();
        let alt = |c| key(c, KeyModifiers::ALT);
        let plain = |c| key(c, KeyModifiers::NONE);
        let answer = [vec![plain('j'), alt('_')], "Gi=31;OK".chars().map(plain).collect(), vec![alt('\\'), plain('k')]];
        for event in answer.into_iter().flatten() {
            if let Watched::Typed(events) = replies.watch(event) {
                typed.extend(events);
            }
        }
        assert_eq!(typed, [plain('j'), plain('k')]);
        // Another text behind Alt-_ is typed.
        assert_eq!(replies.watch(alt('_')), Watched::Held);
        assert_eq!(replies.watch(plain('x')), Watched::Typed(vec![alt('_'), plain('x')]));
    }

    #[test]
    fn an_esc_that_nothing_follows_is_typed() {
        let mut replies = Replies::new(TerminalColours::default());
        let esc = Event::Key(KeyCode::Esc.into());
        assert_eq!(replies.watch(esc.clone()), Watched::Held);
        assert_eq!((replies.typed(), replies.waits()), (vec![esc.clone()], None));
        assert_eq!(replies.watch(esc.clone()), Watched::Held);
        let next = key('j', KeyModifiers::NONE);
        assert_eq!(replies.watch(next.clone()), Watched::Typed(vec![esc, next]));
    }

    #[test]
    fn what_is_no_reply_is_typed() {
        for typed in ["]", "]q", "]1x", "]11;rg<q", "<\\", "]11;]"] {
            let (got, told) = watched(&format!("{typed}q"));
            assert_eq!((got, told), (format!("{typed}q"), None));
        }
        assert_eq!(watched("]11;nonsense").0, "]11;nonsense");
        assert_eq!(watched(&format!("]11;{}", "1".repeat(60))).0.len(), 64);
    }

    #[test]
    fn the_environment_may_tell_the_background() {
        let told = ["15;0", "0;15", "0;default;15", "0;7", "7;8", "default", "", "1;99"].map(is_light);
        assert_eq!(told, [Some(false), Some(true), Some(true), Some(true), Some(false), None, None, None]);
    }
}
