//! The threads that answer questions, one question each at a time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use analysis::Snapshot;

use super::Event;
use crate::moment::{Moment, World};
use crate::question::Question;

/// A question, and the moment that it is asked of.
pub(crate) struct Job {
    pub(crate) question: Box<dyn Question>,
    pub(crate) snapshot: Snapshot,
    pub(crate) world: Arc<World>,
}

/// More threads than the machine has cores: some of them wait for native code, which is made elsewhere.
pub(crate) struct Readers {
    jobs: Vec<Sender<Job>>,
    free: Vec<usize>,
}

/// A tree is as deep as the parser allows, and walked by recursion.
const STACK: usize = 16 << 20;

impl Readers {
    /// Starts the threads; they tell `core` when they are done.
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

    /// How many have nothing to do.
    pub(crate) fn n_free(&self) -> usize {
        self.free.len()
    }

    /// Whether there is one to spare for something slow.
    pub(crate) fn may_be_slow(&self) -> bool {
        self.free.len() > 1
    }

    /// Gives a job to one that has nothing to do.
    pub(crate) fn start(&mut self, job: Job) -> usize {
        let reader = self.free.pop().unwrap_or_default();
        let _ = self.jobs[reader].send(job);
        reader
    }

    /// Takes note that one has nothing to do.
    pub(crate) fn free(&mut self, reader: usize) {
        self.free.push(reader);
    }
}

fn work(reader: usize, jobs: &Receiver<Job>, core: &Sender<Event>) {
    while let Ok(Job { mut question, snapshot, world }) = jobs.recv() {
        let outcome = question.ask(Moment::new(snapshot, &world));
        // The snapshot is gone by now; the core may be about to write.
        drop(world);
        if core.send(Event::Done(reader, question, outcome)).is_err() {
            return;
        }
    }
}
