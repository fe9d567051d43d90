//! The run that is stepped through, on a thread of its own: what the explorer asks of it, and what it answers.
//!
//! A request has a number, so that the state knows when the last one is answered. A movement that takes long tells how far it is,
//! ends where it is as soon as another request arrives, and stops by itself after very many steps: so keys stay alive, whatever the
//! kernel does. `page` shows an answer in the details.

pub(crate) mod page;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use driver::ispc_files::HeaderArguments;
use driver::stepping::looking::LanesView;
use driver::stepping::{Arrival, Movement, SteppedRun, Stops};
use queries::stages::Options;

use crate::questions::{Answer, Version, Which};
use crate::surfaces::answers_about;
use crate::worker::{STACK, Tell, words_of};

/// Limit on the steps of a movement, since a user is waiting for it.
const FUEL: u64 = 100_000_000;

/// Number of steps between two questions whether a movement is interrupted, at least.
const POLL: u64 = 4096;

/// Interval of reports on a movement.
const REPORT: Duration = Duration::from_millis(100);

/// The identity of a run that is stepped through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanesKey {
    /// Version of the text.
    pub of: Version,
    /// Kernel that runs.
    pub item: Which,
    /// Index of the stage in the list.
    pub stage: usize,
    /// Target and lanes that the stage is made for.
    pub options: Options,
    /// Arguments as name and typed text.
    pub arguments: Vec<(String, String)>,
    /// Arguments for ISPC files.
    pub headers: Arc<HeaderArguments>,
}

/// A request to the thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LanesAsk {
    /// Start a run, before its first op: name and text of the file, and what runs.
    Start(String, Arc<str>, LanesKey),
    /// Move the run.
    Go(Movement, Stops),
    /// End the movement in progress where it is.
    Halt,
}

/// An answer of the thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Stepped {
    /// There is no run, for this reason.
    Refused(String),
    /// A movement has made this many steps, and goes on.
    Moving(u64),
    /// The run stands still.
    At {
        /// All that is to be seen there.
        view: Arc<LanesView>,
        /// The end of the movement.
        arrival: Arrival,
        /// True if the movement has made as many steps as one may.
        is_spent: bool,
        /// A breakpoint's condition that had no value wherever the run came to it, and why.
        unasked: Option<String>,
    },
}

/// Starts the thread.
pub(crate) fn start(tell: Tell) -> std::io::Result<Sender<(u64, LanesAsk)>> {
    let (requests, inbox) = channel();
    let thread_state = SteppingThread { inbox, waiting: VecDeque::new(), tell, number: 0 };
    thread::Builder::new().name("stepping".to_owned()).stack_size(STACK).spawn(move || thread_state.work())?;
    Ok(requests)
}

/// The thread that has the run.
struct SteppingThread {
    inbox: Receiver<(u64, LanesAsk)>,
    /// Requests that have arrived and wait.
    waiting: VecDeque<(u64, LanesAsk)>,
    tell: Tell,
    /// The number of the request that is being answered.
    number: u64,
}

impl SteppingThread {
    fn work(mut self) {
        while let Some((number, ask)) = self.next() {
            let LanesAsk::Start(path, text, key) = ask else {
                (self.tell)(Answer::Lanes(number, Stepped::Refused("the run has not been started".to_owned())));
                continue;
            };
            // The run lasts as long as it is served, so it may borrow from what it was made of.
            self.number = number;
            let mut serve = |run: &mut dyn SteppedRun| self.serve(run);
            let step = || answers_about(&path).step(&path, &text, &key, &mut serve);
            let refusal = match catch_unwind(AssertUnwindSafe(step)) {
                Ok(served) => served.err(),
                Err(panic) => Some(words_of(&*panic)),
            };
            if let Some(why) = refusal {
                (self.tell)(Answer::Lanes(self.number, Stepped::Refused(why)));
            }
        }
    }

    /// Waits for the next request. What stands before a new start is of no interest any more.
    fn next(&mut self) -> Option<(u64, LanesAsk)> {
        if self.waiting.is_empty() {
            self.waiting.push_back(self.inbox.recv().ok()?);
        }
        self.waiting.extend(self.inbox.try_iter());
        if let Some(start) = self.waiting.iter().rposition(|(_, ask)| matches!(ask, LanesAsk::Start(..))) {
            self.waiting.drain(..start);
        }
        self.waiting.pop_front()
    }

    /// Answers all requests about a run, up to the start of another one, which waits then.
    fn serve(&mut self, run: &mut dyn SteppedRun) {
        self.stands(run, Arrival::Start, false);
        while let Some((number, ask)) = self.next() {
            self.number = number;
            let (arrival, is_spent) = match ask {
                LanesAsk::Start(..) => {
                    self.waiting.push_front((number, ask));
                    return;
                }
                LanesAsk::Go(movement, stops) => self.go(run, movement, &stops),
                LanesAsk::Halt => (Arrival::Interrupted, false),
            };
            self.stands(run, arrival, is_spent);
        }
    }

    /// Tells where the run stands, unless another request waits already, whose answer tells all.
    fn stands(&mut self, run: &mut dyn SteppedRun, arrival: Arrival, is_spent: bool) {
        self.waiting.extend(self.inbox.try_iter());
        if self.waiting.is_empty() {
            let unasked = run.unasked_condition();
            let stepped = Stepped::At { view: Arc::new(run.look()), arrival, is_spent, unasked };
            (self.tell)(Answer::Lanes(self.number, stepped));
        }
    }

    fn go(&mut self, run: &mut dyn SteppedRun, movement: Movement, stops: &Stops) -> (Arrival, bool) {
        let SteppingThread { inbox, waiting, tell, number } = self;
        let mut n_steps = 0;
        let mut told = Instant::now();
        let mut interrupted = || {
            n_steps += POLL;
            if told.elapsed() > REPORT {
                told = Instant::now();
                tell(Answer::Lanes(*number, Stepped::Moving(n_steps)));
            }
            waiting.extend(inbox.try_iter());
            !waiting.is_empty() || n_steps >= FUEL
        };
        let arrival = run.go(movement, stops, &mut interrupted);
        (arrival, arrival == Arrival::Interrupted && n_steps >= FUEL)
    }
}
