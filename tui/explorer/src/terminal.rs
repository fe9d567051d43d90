//! The real terminal: entering and leaving its modes, and translating its keys and the system's signals to events.

mod graphics;
mod replies;

use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};

use crate::event::{Event, Mouse, MouseKind};
use crate::graphics::{Graphics, GraphicsSetting};
use crate::keys::{Code, Key};
use crate::recording::RecordedOutput;
use crate::theme::{Depth, TerminalColours};
use replies::{Replies, Watched};

/// True while the terminal is in raw mode and has to be restored, so that it is restored only once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal in raw mode, which is restored on drop.
pub struct Terminal {
    mouse: bool,
    out: RecordedOutput,
    gate: Arc<Gate>,
}

impl Terminal {
    /// Enters raw mode and the alternate screen.
    pub fn take(mouse: bool, out: RecordedOutput) -> io::Result<Terminal> {
        let terminal = Terminal { mouse, out, gate: Arc::default() };
        terminal.enter()?;
        Ok(terminal)
    }

    fn enter(&self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let mut out = self.out.clone();
        execute!(out, EnterAlternateScreen, EnableBracketedPaste)?;
        if self.mouse { execute!(out, EnableMouseCapture) } else { Ok(()) }
    }

    /// Asks the terminal what graphics it has, before anything else reads from it. Returns also the keys that were typed meanwhile.
    pub fn graphics(&self, setting: GraphicsSetting) -> (Graphics, Vec<Event>) {
        graphics::ask(setting)
    }

    /// Captures the mouse, or leaves it to the terminal.
    pub fn set_mouse(&mut self, on: bool) -> io::Result<()> {
        self.mouse = on;
        if on { execute!(io::stdout(), EnableMouseCapture) } else { execute!(io::stdout(), DisableMouseCapture) }
    }

    /// Copies a text to the terminal's clipboard (OSC 52), which even over SSH is that of the user's own machine.
    pub fn copy(&self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Lends the terminal to another program while `act` runs it: no key is read meanwhile.
    pub fn lend<T>(&self, act: impl FnOnce() -> T) -> io::Result<T> {
        self.gate.close();
        give_back();
        let result = act();
        let entered = self.enter();
        self.gate.open();
        entered.map(|()| result)
    }

    /// The gate through which the thread goes that reads keys.
    pub fn gate(&self) -> Arc<Gate> {
        self.gate.clone()
    }

    /// Suspends the process, until the shell continues it.
    pub fn suspend(&self) -> io::Result<()> {
        give_back();
        stop_process()?;
        self.enter()
    }
}

/// A gate that keeps keys for another program, while the terminal is lent to it.
#[derive(Default)]
pub struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    is_closed: bool,
    /// True while the thread that reads keys is not at the gate, so that it may be reading.
    is_reading: bool,
}

/// Time after which the thread that reads keys looks whether the gate is closed.
const GLANCE: Duration = Duration::from_millis(100);

impl Gate {
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_closed = true;
        while state.is_reading {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_closed = false;
        self.changed.notify_all();
    }

    fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_closed
    }

    /// Waits while the gate is closed.
    fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_reading = false;
        self.changed.notify_all();
        while state.is_closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_reading = true;
    }

    /// Lets the thread end that reads keys.
    fn leave(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_reading = false;
        self.changed.notify_all();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal's modes. Errors are ignored, because they mean that the terminal is gone.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
        let _ = out.flush();
    }
}

#[cfg(unix)]
fn stop_process() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
fn stop_process() -> io::Result<()> {
    Ok(())
}

/// Installs a panic hook that restores the terminal before the report. A panic of a worker's thread is caught there and
/// shown on the screen, so the hook must not write its report over that.
pub fn guard_panics() {
    let main = thread::current().id();
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == main {
            give_back();
            report(info);
        } else if !TAKEN.load(Ordering::SeqCst) {
            report(info);
        }
    }));
}

/// Returns what the environment says of the terminal's colours.
pub fn colours() -> TerminalColours {
    let light = std::env::var("COLORFGBG").ok().and_then(|value| replies::is_light(&value));
    TerminalColours { light, ..TerminalColours::default() }
}

/// Returns true if the terminal shows ASCII only, by the system's rule: the first of these variables that is set names the
/// locale, and without any it is `C`.
pub fn is_ascii() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    cfg!(unix) && !has_utf8(&locale.unwrap_or_default())
}

fn has_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Asks the terminal for its colours, which arrive as an event, and returns true if it may answer. The consoles that print
/// what they do not know are not asked.
pub fn ask_for_colours(depth: Depth) -> io::Result<bool> {
    let name = std::env::var("TERM").unwrap_or_default();
    let asked = depth != Depth::None && !["", "dumb", "linux"].contains(&name.as_str());
    if asked {
        replies::ask()?;
    }
    Ok(asked)
}

/// Reads keys, the mouse and the system's signals, on threads of their own. `colours` are those of the terminal that are
/// known.
pub fn listen(colours: TerminalColours, gate: Arc<Gate>, tell: Arc<dyn Fn(Event) + Send + Sync>) -> io::Result<()> {
    listen_to_signals(gate.clone(), tell.clone())?;
    let read = move || {
        let mut replies = Replies::new(colours);
        while let Ok(watched) = next(&mut replies, &gate) {
            match watched {
                Watched::Held => {}
                Watched::Colours(colours) => tell(Event::Colours(Box::new(colours))),
                Watched::Typed(events) => events.into_iter().filter_map(heard).for_each(&*tell),
            }
        }
        gate.leave();
        // The terminal is gone, and its user with it.
        tell(Event::Terminate);
    };
    thread::Builder::new().name("keys".to_owned()).spawn(read).map(|_| ())
}

/// Waits for the next event, or until those that are held for a reply are no reply.
fn next(replies: &mut Replies, gate: &Gate) -> io::Result<Watched> {
    if let Some(patience) = replies.waits() {
        return match event::poll(patience)? {
            false => Ok(Watched::Typed(replies.typed())),
            true => Ok(replies.watch(event::read()?)),
        };
    }
    loop {
        gate.pass();
        if event::poll(GLANCE)? {
            return Ok(replies.watch(event::read()?));
        }
    }
}

#[cfg(unix)]
fn listen_to_signals(gate: Arc<Gate>, tell: Arc<dyn Fn(Event) + Send + Sync>) -> io::Result<()> {
    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let signals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTSTP];
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    let wait = move || {
        for signal in signals.forever() {
            // What is typed to the program that has the terminal is not for this one, but both stop together.
            match signal {
                SIGINT | SIGQUIT if gate.is_closed() => continue,
                SIGTSTP if gate.is_closed() => {
                    let _ = stop_process();
                    continue;
                }
                _ => {}
            }
            tell(if signal == SIGTSTP { Event::Interrupt } else { Event::Terminate });
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(|_| ())
}

#[cfg(not(unix))]
fn listen_to_signals(_: Arc<Gate>, _: Arc<dyn Fn(Event) + Send + Sync>) -> io::Result<()> {
    Ok(())
}

fn heard(event: event::Event) -> Option<Event> {
    match event {
        event::Event::Key(key) if key.kind != KeyEventKind::Release => self::key(key).map(Event::Key),
        event::Event::Paste(text) => Some(Event::Paste(text)),
        event::Event::Resize(width, height) => Some(Event::Resize(width, height)),
        event::Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                _ => return None,
            };
            Some(Event::Mouse(Mouse { kind, x: mouse.column, y: mouse.row }))
        }
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let has = |modifier| event.modifiers.contains(modifier);
    let (ctrl, alt, shift) = (has(KeyModifiers::CONTROL), has(KeyModifiers::ALT), has(KeyModifiers::SHIFT));
    let code = match event.code {
        // Some keyboards encode ctrl-/ as ctrl-7, and the library reports that code.
        KeyCode::Char('7' | '_') if ctrl => Code::Char('/'),
        // Without bracketed paste, a line break in a pasted text arrives as ctrl-j.
        KeyCode::Char('j') if ctrl => return Some(Key { alt, ..Key::plain(Code::Enter) }),
        KeyCode::Char('h') if ctrl => return Some(Key { alt, ..Key::plain(Code::Backspace) }),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => return Some(Key { ctrl, alt, shift: true, code: Code::Tab }),
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    let shift = shift && !matches!(code, Code::Char(_));
    Some(Key { code, ctrl, alt, shift })
}

/// Returns the columns and rows of the terminal.
pub fn size() -> io::Result<(u16, u16)> {
    crossterm::terminal::size()
}

/// Detects the number of colours of standard output.
pub fn depth() -> Depth {
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match supports_color::on(supports_color::Stream::Stdout).filter(|_| !no_colour) {
        None => Depth::None,
        Some(level) if level.has_16m => Depth::True,
        Some(level) if level.has_256 => Depth::Palette,
        Some(_) => Depth::Sixteen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_terminal_are_keys() {
        let told = |code, modifiers| key(KeyEvent::new(code, modifiers)).map(|key| key.to_string());
        let none = KeyModifiers::NONE;
        assert_eq!(told(KeyCode::Char('G'), KeyModifiers::SHIFT).as_deref(), Some("G"));
        assert_eq!(told(KeyCode::BackTab, KeyModifiers::SHIFT).as_deref(), Some("shift-tab"));
        assert_eq!(told(KeyCode::Char('7'), KeyModifiers::CONTROL).as_deref(), Some("ctrl-/"));
        assert_eq!(told(KeyCode::Char('j'), KeyModifiers::CONTROL).as_deref(), Some("enter"));
        assert_eq!(told(KeyCode::Up, KeyModifiers::SHIFT).as_deref(), Some("shift-up"));
        assert_eq!(told(KeyCode::CapsLock, none), None);
    }

    #[test]
    fn a_locale_names_its_characters() {
        let locales = ["de_DE.UTF-8", "C.utf8", "C", "POSIX", "de_DE.ISO-8859-1", ""];
        assert_eq!(locales.map(has_utf8), [true, true, false, false, false, false]);
    }
}
