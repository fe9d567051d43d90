//! The client: starts the worker when it is first needed, asks it, and starts another when it is gone.
//!
//! Any thread may make requests; each has a [`Ticket`] to wait on. When a worker dies, the request that it was working
//! on has failed, and those that it had not begun are sent to the next worker. A ticket that is dropped cancels its
//! request.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::protocol::{CompiledForm, Failure, Job, Outcome, Request, Response, Spec, read_frame, write_frame};

/// The outcome of a request, with the bytes that belong to it.
pub type Answer = Result<(Outcome, Vec<u8>), Failure>;

/// A worker, whether it is alive or not.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    program: PathBuf,
    args: Vec<OsString>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next_id: u64,
    /// The worker that is alive.
    worker: Option<Alive>,
    /// The number of workers that have been started.
    generation: u64,
    pending: BTreeMap<u64, Pending>,
    cache: Cache,
}

struct Alive {
    process: Child,
    stdin: ChildStdin,
    /// Reads what it says on standard error: LLVM's last words, when it gives up by itself.
    last_words: JoinHandle<String>,
}

struct Pending {
    frame: Vec<u8>,
    begun: bool,
    answer: Sender<Answer>,
}

/// Texts and objects that were made before, the newest kept.
#[derive(Default)]
struct Cache {
    made: HashMap<Key, (u64, Outcome, Vec<u8>)>,
    clock: u64,
}

type Key = (String, Spec, CompiledForm);

impl Cache {
    const MOST: usize = 128;

    fn get(&mut self, key: &Key) -> Option<(Outcome, Vec<u8>)> {
        self.clock += 1;
        let (used, outcome, bytes) = self.made.get_mut(key)?;
        *used = self.clock;
        Some((outcome.clone(), bytes.clone()))
    }

    fn put(&mut self, key: Key, outcome: Outcome, bytes: Vec<u8>) {
        self.clock += 1;
        if self.made.len() >= Cache::MOST {
            let oldest = self.made.iter().min_by_key(|(_, (used, ..))| *used).map(|(key, _)| key.clone());
            oldest.map(|oldest| self.made.remove(&oldest));
        }
        self.made.insert(key, (self.clock, outcome, bytes));
    }
}

/// A request that has been made.
pub struct Ticket {
    id: u64,
    answer: Receiver<Answer>,
    client: Client,
    answered: bool,
}

impl Client {
    /// A client of a worker that this program is, with these arguments. It is not started yet.
    pub fn new(program: impl Into<PathBuf>, args: &[&str]) -> Client {
        let args = args.iter().map(OsString::from).collect();
        Client { shared: Arc::new(Shared { program: program.into(), args, state: Mutex::default() }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request; returns a ticket for its answer.
    pub fn ask(&self, job: Job, payload: &[u8]) -> Ticket {
        let (sender, answer) = mpsc::channel();
        let mut state = self.lock();
        state.next_id += 1;
        let id = state.next_id;
        let mut frame = Vec::new();
        match write_frame(&mut frame, &Request { id, job }, payload) {
            Ok(()) => {
                state.pending.insert(id, Pending { frame, begun: false, answer: sender });
                self.send(&mut state, id);
            }
            Err(error) => drop(sender.send(Err(Failure::Refused(error.to_string())))),
        }
        Ticket { id, answer, client: self.clone(), answered: false }
    }

    /// Makes LLVM IR into something, or finds it made before.
    pub fn compile(&self, ir: String, spec: Spec, form: CompiledForm, timeout: Duration) -> Answer {
        self.compile_unless(ir, spec, form, timeout, &|| false)
    }

    /// Compiles like [`compile`](Self::compile), but gives up when the result is no longer wanted.
    pub fn compile_unless(
        &self,
        ir: String,
        spec: Spec,
        form: CompiledForm,
        timeout: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Answer {
        let key = (ir, spec, form);
        if let Some(made) = self.lock().cache.get(&key) {
            return Ok(made);
        }
        let job = Job::Compile { ir: key.0.clone(), spec: key.1.clone(), form };
        let (outcome, bytes) = self.ask(job, &[]).wait_unless(timeout, stopped)?;
        self.lock().cache.put(key, outcome.clone(), bytes.clone());
        Ok((outcome, bytes))
    }

    /// Sends a pending request to the worker that is alive, which may have to be started first.
    fn send(&self, state: &mut State, id: u64) {
        if let Err(error) = self.start(state) {
            let why = format!("the worker {} does not start: {error}", self.shared.program.display());
            if let Some(pending) = state.pending.remove(&id) {
                // The caller may have stopped waiting, which is no error.
                let _ = pending.answer.send(Err(Failure::Died(why)));
            }
            return;
        }
        let State { worker: Some(Alive { stdin, .. }), pending, .. } = state else { return };
        if let Some(pending) = pending.get(&id) {
            // A worker that is gone shows at its other end, where all that is pending is looked after.
            let _ = stdin.write_all(&pending.frame).and_then(|()| stdin.flush());
        }
    }

    fn start(&self, state: &mut State) -> std::io::Result<()> {
        if state.worker.is_some() {
            return Ok(());
        }
        let mut command = Command::new(&self.shared.program);
        command.args(&self.shared.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(std::io::Error::other("it has no pipes"));
        };
        state.generation += 1;
        state.worker = Some(Alive { process, stdin, last_words: thread::spawn(move || last_line(stderr)) });
        // The thread does not keep the client alive: when the last client is dropped, the worker ends.
        let (shared, generation) = (Arc::downgrade(&self.shared), state.generation);
        thread::spawn(move || read_answers(&shared, stdout, generation));
        Ok(())
    }

    /// Sends an answer to the caller that waits for it.
    fn hand_out(&self, Response { id, outcome }: Response, payload: Vec<u8>) {
        let mut state = self.lock();
        if outcome == Outcome::Begun {
            state.pending.get_mut(&id).into_iter().for_each(|pending| pending.begun = true);
            return;
        }
        let answer = match outcome {
            Outcome::Failed(failure) => Err(failure),
            outcome => Ok((outcome, payload)),
        };
        if let Some(pending) = state.pending.remove(&id) {
            let _ = pending.answer.send(answer);
        }
    }

    fn worker_is_gone(&self, generation: u64) {
        let mut state = self.lock();
        if state.generation != generation {
            return;
        }
        let Some(Alive { mut process, last_words, .. }) = state.worker.take() else { return };
        let _ = process.kill();
        let status = process.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let how = match last_words.join() {
            Ok(words) if !words.is_empty() => words,
            _ => status,
        };
        let begun: Vec<u64> = state.pending.iter().filter(|(_, pending)| pending.begun).map(|(&id, _)| id).collect();
        for id in begun {
            if let Some(pending) = state.pending.remove(&id) {
                let _ = pending.answer.send(Err(Failure::Died(how.clone())));
            }
        }
        let waiting: Vec<u64> = state.pending.keys().copied().collect();
        waiting.into_iter().for_each(|id| self.send(&mut state, id));
    }

    /// Gives a request up: what has begun takes its worker with it.
    fn give_up(&self, id: u64) {
        let mut state = self.lock();
        let Some(pending) = state.pending.remove(&id) else { return };
        let State { worker: Some(Alive { process, stdin, .. }), next_id, .. } = &mut *state else { return };
        if pending.begun {
            let _ = process.kill();
            return;
        }
        *next_id += 1;
        let mut frame = Vec::new();
        if write_frame(&mut frame, &Request { id: *next_id, job: Job::Cancel(id) }, &[]).is_ok() {
            let _ = stdin.write_all(&frame).and_then(|()| stdin.flush());
        }
    }
}

/// The last line that is not empty, once there are no more.
fn last_line(from: ChildStderr) -> String {
    let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
    let texts = lines.map(|line| String::from_utf8_lossy(&line).trim().to_owned());
    texts.filter(|line| !line.is_empty()).last().unwrap_or_default()
}

/// Hands answers out until the worker is gone.
fn read_answers(shared: &Weak<Shared>, stdout: ChildStdout, generation: u64) {
    let mut stdout = BufReader::new(stdout);
    let client = || shared.upgrade().map(|shared| Client { shared });
    while let Ok(Some((response, payload))) = read_frame::<Response>(&mut stdout) {
        let Some(client) = client() else { return };
        client.hand_out(response, payload);
    }
    if let Some(client) = client() {
        client.worker_is_gone(generation);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(Alive { mut process, stdin, .. }) = state.worker.take() {
            // The worker exits when its input closes.
            drop(stdin);
            let _ = process.wait();
        }
    }
}

impl Ticket {
    /// Waits for the answer, but no longer than this.
    pub fn wait(self, timeout: Duration) -> Answer {
        self.wait_unless(timeout, &|| false)
    }

    /// Waits for the answer, but no longer than the timeout, and not after `stopped` returns true.
    pub fn wait_unless(mut self, timeout: Duration, stopped: &dyn Fn() -> bool) -> Answer {
        /// The time between two checks for a caller that no longer waits.
        const GLANCE: Duration = Duration::from_millis(2);
        let deadline = Instant::now() + timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let failure = match self.answer.recv_timeout(left.min(GLANCE)) {
                Ok(answer) => {
                    self.answered = true;
                    return answer;
                }
                Err(RecvTimeoutError::Disconnected) => Failure::Died("it left nothing to say".to_owned()),
                Err(RecvTimeoutError::Timeout) if stopped() => Failure::Cancelled,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => Failure::TimedOut,
                Err(RecvTimeoutError::Timeout) => continue,
            };
            self.answered = true;
            self.client.give_up(self.id);
            return Err(failure);
        }
    }

    /// Returns the answer if it has arrived.
    pub fn poll(&mut self) -> Option<Answer> {
        let answer = self.answer.try_recv().ok()?;
        self.answered = true;
        Some(answer)
    }

    /// Gives the request up, by dropping its ticket.
    pub fn cancel(self) {}
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.answered {
            self.client.give_up(self.id);
        }
    }
}
