//! The main loop: takes events, performs effects, and draws a frame after each change.
//!
//! Work that takes time runs on other threads and comes back as an event, so a key waits only for the keys before it.
//! All queued events are processed before one frame is drawn.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::assembling::{Machinist, Nobody, Workers};
use crate::disk::{Disk, Task};
use crate::event::{Effect, Event};
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

/// Runs the explorer on the terminal until it ends.
pub fn run(state: &mut State) -> io::Result<Ended> {
    guard_panics();
    let (sender, inbox) = channel();
    // Sending fails only when the loop has ended, and the process is about to.
    let tell = Arc::new(move |event: Event| drop(sender.send(event)));
    let answered = tell.clone();
    let terminal = Terminal::take(state.settings.mouse)?;
    if state.settings.depth != Depth::None && !state.settings.ascii {
        let (graphics, typed) = terminal.graphics(state.settings.graphics_setting);
        state.settings.graphics = graphics;
        typed.into_iter().for_each(&*tell);
    }
    let mut house = House {
        disk: Disk::start(state.files.iter().map(|file| file.path.clone()).collect(), tell.clone())?,
        worker: Worker::start(machinist(), Arc::new(move |answer| answered(Event::Answer(answer))))?,
        screen: Screen::new()?,
        awaits_colours: None,
        terminal,
    };
    house.awaits_colours = ask_for_colours(state.settings.depth)?.then(|| Instant::now() + FIRST_GLANCE);
    listen(state.settings.terminal, tell)?;
    let ended = house.work(state, &inbox);
    house.screen.take_away(state.settings.graphics.protocol)?;
    house.disk.finish();
    ended
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
    /// Time until which the first frame waits for the terminal's colours.
    awaits_colours: Option<Instant>,
}

impl House {
    fn work(&mut self, state: &mut State, inbox: &Receiver<Event>) -> io::Result<Ended> {
        let (width, height) = self.screen.size()?;
        let mut next = Some(Event::Resize(width, height));
        loop {
            while let Some(event) = next.take() {
                let terminated = event == Event::Terminate;
                let mut resumed = None;
                for effect in state.apply(event) {
                    match effect {
                        Effect::Quit => return Ok(if terminated { Ended::Terminated } else { Ended::Quit }),
                        Effect::Suspend => resumed = Some(self.suspend(state)?),
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
            Effect::Suspend | Effect::Quit => {}
        }
        Ok(())
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
