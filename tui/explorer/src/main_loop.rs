//! The main loop: takes events, performs effects, and draws a frame after each change.
//!
//! Work that takes time runs on other threads and comes back as an event, so a key waits only for the keys before it.
//! All queued events are processed before one frame is drawn.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::assembling::{Machinist, Nobody, Workers};
use crate::disk::{Disk, Task};
use crate::editor::{self, EditorPlace};
use crate::event::{Effect, Event};
use crate::recording::{FileRecorder, RecordedOutput};
use crate::state::State;
use crate::terminal::{Terminal, ask_for_colours, guard_panics, listen};
use crate::theme::Depth;
use crate::views::screen::Screen;
use crate::worker::Worker;

/// Delay until the screen reports that an answer is pending, and interval of the updates after that.
const TICK: Duration = Duration::from_millis(100);

/// Longest delay of the first frame, so that it has the right colours already on a terminal that tells its own. Later
/// answers change the colours of what is shown.
const FIRST_GLANCE: Duration = Duration::from_millis(80);

/// The reason why the explorer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The user left the explorer.
    Quit,
    /// The system ended the program.
    Terminated,
}

/// Runs the explorer on the terminal until it ends, with a recording of what it shows if one is wanted. Returns why it ended, and whether
/// the recording is whole.
pub fn run(state: &mut State, recorder: Option<FileRecorder>) -> io::Result<(Ended, io::Result<()>)> {
    guard_panics();
    let (sender, inbox) = channel();
    // Sending fails only when the loop has ended, and the process is about to.
    let tell = Arc::new(move |event: Event| drop(sender.send(event)));
    let (answered, told) = (tell.clone(), tell.clone());
    let out = RecordedOutput::new(recorder);
    let terminal = Terminal::take(state.settings.mouse, out.clone())?;
    if state.settings.depth != Depth::None && !state.settings.ascii {
        let (graphics, typed) = terminal.graphics(state.settings.graphics_setting);
        state.settings.graphics = graphics;
        typed.into_iter().for_each(&*tell);
    }
    let mut house = House {
        disk: Disk::start(state.files.iter().map(|file| file.path.clone()).collect(), tell.clone())?,
        worker: Worker::start(machinist(), Arc::new(move |answer| answered(Event::Answer(answer))))?,
        screen: Screen::new(out.clone())?,
        awaits_colours: None,
        terminal,
        out,
    };
    house.awaits_colours = ask_for_colours(state.settings.depth)?.then(|| Instant::now() + FIRST_GLANCE);
    listen(state.settings.terminal, house.terminal.gate(), tell)?;
    let ended = house.work(state, &inbox, &*told);
    house.screen.take_away(state.settings.graphics.protocol)?;
    house.disk.finish();
    // What follows is the shell's.
    let recorded = house.out.end();
    ended.map(|ended| (ended, recorded))
}

/// Returns the workers that make machine code, or a substitute if this program cannot find its own executable.
fn machinist() -> Arc<dyn Machinist> {
    match Workers::of_this_program() {
        Ok(workers) => Arc::new(workers),
        Err(why) => Arc::new(Nobody(why)),
    }
}

/// The terminal and the threads around the state.
struct House {
    terminal: Terminal,
    screen: Screen,
    worker: Worker,
    disk: Disk,
    out: RecordedOutput,
    /// Time until which the first frame waits for the terminal's colours.
    awaits_colours: Option<Instant>,
}

impl House {
    fn work(&mut self, state: &mut State, inbox: &Receiver<Event>, tell: &dyn Fn(Event)) -> io::Result<Ended> {
        let (width, height) = self.screen.size()?;
        let mut next = Some(Event::Resize(width, height));
        loop {
            while let Some(event) = next.take() {
                let terminated = event == Event::Terminate;
                if let Event::Resize(width, height) = event {
                    self.out.resize((width, height));
                }
                let mut resumed = None;
                for effect in state.apply(event) {
                    match effect {
                        Effect::Quit => return Ok(if terminated { Ended::Terminated } else { Ended::Quit }),
                        Effect::Suspend => resumed = Some(self.suspend(state)?),
                        Effect::Editor { file, path, place } => {
                            if let Some(event) = self.edit(state, (file, &path, place), tell)? {
                                resumed = Some(event);
                            }
                        }
                        effect => self.perform(effect, state)?,
                    }
                }
                next = resumed.or_else(|| inbox.try_recv().ok());
            }
            if let Some(until) = self.awaits_colours.filter(|_| state.settings.terminal.background.is_none()) {
                next = inbox.recv_timeout(until.saturating_duration_since(Instant::now())).ok();
                if next.is_some() {
                    continue;
                }
            }
            self.awaits_colours = None;
            self.screen.show(state)?;
            match wait(state, inbox) {
                Some(event) => next = Some(event),
                None => return Ok(Ended::Terminated),
            }
        }
    }

    fn perform(&mut self, effect: Effect, state: &State) -> io::Result<()> {
        match effect {
            Effect::Ask(question) => self.worker.ask(*question),
            Effect::Run(path, text, run) => self.worker.run(&path, text, run),
            Effect::Lanes(number, ask) => self.worker.step(number, ask),
            Effect::StopRun => self.worker.stop_run(),
            Effect::Save { file, path, text, expected } => self.disk.ask(Task::Save(file, path, text, expected)),
            Effect::Read(file) => self.disk.ask(Task::Read(file)),
            Effect::Export(path, text, overwrite) => self.disk.ask(Task::Export(path, text, overwrite)),
            Effect::Copy(text) => self.terminal.copy(&text)?,
            Effect::Mouse(on) => self.terminal.set_mouse(on)?,
            Effect::Redraw => self.screen.forget(state.settings.graphics.protocol)?,
            // Effects that end or interrupt the loop are performed by the loop itself.
            Effect::Editor { .. } | Effect::Suspend | Effect::Quit => {}
        }
        Ok(())
    }

    /// Opens a file in the editor that the environment names, and reads it again when that has ended. What goes wrong is told.
    fn edit(
        &mut self,
        state: &State,
        (file, path, place): (usize, &Path, EditorPlace),
        tell: &dyn Fn(Event),
    ) -> io::Result<Option<Event>> {
        let editor = match editor::chosen(|name| std::env::var(name).ok()) {
            Ok(editor) => editor,
            Err(why) => {
                tell(Event::Told(Err(why)));
                return Ok(None);
            }
        };
        // The editor opens what was saved just before.
        self.disk.finish();
        let protocol = state.settings.graphics.protocol;
        self.screen.take_away(protocol)?;
        let ended = self.terminal.lend(|| command(&editor, path, place).status())?;
        self.screen.forget(protocol)?;
        let name = editor::name(&editor);
        match ended {
            Ok(status) if status.success() => {}
            Ok(status) => tell(Event::Told(Err(format!(
                "the editor `{name}` ended with {status}; {editor:?} is what was started"
            )))),
            Err(error) => tell(Event::Told(Err(format!("the editor `{name}` did not start: {error}")))),
        }
        self.disk.ask(Task::Read(file));
        let (width, height) = self.screen.size()?;
        Ok(Some(Event::Resize(width, height)))
    }

    /// Suspends the program; afterwards the screen may have another size.
    fn suspend(&mut self, state: &State) -> io::Result<Event> {
        let protocol = state.settings.graphics.protocol;
        self.screen.take_away(protocol)?;
        self.terminal.suspend()?;
        self.screen.forget(protocol)?;
        let (width, height) = self.screen.size()?;
        Ok(Event::Resize(width, height))
    }
}

/// The command that opens a file in an editor. The setting is words of the shell, as for other programs that start one.
fn command(editor: &str, path: &Path, place: EditorPlace) -> Command {
    let arguments = editor::arguments(editor, &path.to_string_lossy(), place);
    if cfg!(unix) {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).args(arguments);
        return command;
    }
    let mut words = editor.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or(editor));
    command.args(words).args(arguments);
    command
}

/// Waits for the next event; while an answer is pending, the passing of time is an event as well.
fn wait(state: &State, inbox: &Receiver<Event>) -> Option<Event> {
    if !state.waits() {
        return inbox.recv().ok();
    }
    match inbox.recv_timeout(TICK) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => Some(Event::Tick),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}
