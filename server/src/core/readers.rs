//! The threads that answer requests, one request each at a time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use queries::host::Snapshot;

use super::Event;
use crate::question::Question;
use crate::request_context::{RequestContext, ServerState};

/// A request, with the snapshot and the server state it is answered from.
pub(crate) struct Job {
    pub(crate) question: Box<dyn Question>,
    pub(crate) snapshot: Snapshot,
    pub(crate) state: Arc<ServerState>,
}

/// The pool of threads. It has more threads than the machine has cores, because some wait for native code, which is compiled on
/// other threads.
pub(crate) struct Readers {
    jobs: Vec<Sender<Job>>,
    free: Vec<usize>,
}

/// Stack size in bytes: trees are walked by recursion, as deep as the parser allows.
const STACK: usize = 16 << 20;

impl Readers {
    /// Starts the threads, which report finished requests to `core`.
    pub(crate) fn new(core: &Sender<Event>) -> Readers {
        let n = std::thread::available_parallelism().map_or(2, |n| n.get().min(8)) + 2;
        let start = |reader| {
            let (jobs, to_do) = channel();
            let core = core.clone();
            let thread = std::thread::Builder::new().name(format!("reader {reader}")).stack_size(STACK);
            thread.spawn(move || work(reader, &to_do, &core)).ok().map(|_| jobs)
        };
        let jobs: Vec<_> = (0..n).filter_map(start).collect();
        Readers { free: (0..jobs.len()).collect(), jobs }
    }

    /// Number of idle readers.
    pub(crate) fn n_free(&self) -> usize {
        self.free.len()
    }

    /// Returns true if an idle reader can be spared for a slow request.
    pub(crate) fn may_be_slow(&self) -> bool {
        self.free.len() > 1
    }

    /// Gives a job to an idle reader, and returns the reader's index.
    pub(crate) fn start(&mut self, job: Job) -> usize {
        let reader = self.free.pop().unwrap_or_default();
        let _ = self.jobs[reader].send(job);
        reader
    }

    /// Marks a reader as idle.
    pub(crate) fn free(&mut self, reader: usize) {
        self.free.push(reader);
    }
}

fn work(reader: usize, jobs: &Receiver<Job>, core: &Sender<Event>) {
    while let Ok(Job { mut question, snapshot, state }) = jobs.recv() {
        let outcome = question.ask(RequestContext::new(snapshot, &state));
        // The snapshot must be dropped before the core is notified, since the core may be about to write.
        drop(state);
        if core.send(Event::Done(reader, question, outcome)).is_err() {
            return;
        }
    }
}
