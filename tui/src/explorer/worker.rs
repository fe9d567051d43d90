//! The threads that work while the keys stay free: one that owns the analysis, and one for each run of a kernel.
//!
//! A question that is new stops the one that is being worked on; each question asks for all that is missing, so nothing
//! is lost with the one that was stopped. An analysis that panics is thrown away and begun anew: its failure is an
//! answer like any other.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use analysis::run::{Argument, Engine, NotRun};
use analysis::stages::{self, Options};
use analysis::{Cancelled, Host, Snapshot};

use crate::document::Document;
use crate::explorer::answers;
use crate::explorer::page::Page;
use crate::explorer::questions::{Answer, Question, Run};
use crate::{commands, spec};

/// Where answers go. Called on the worker's threads.
pub type Tell = Arc<dyn Fn(Answer) + Send + Sync>;

/// Analyses of deep programs need a deep stack.
const STACK: usize = 16 << 20;

/// A run that takes more steps than this is stopped: a person is waiting.
const FUEL: u64 = 100_000_000;

/// The threads, and the way to them.
pub struct Worker {
    questions: Sender<Question>,
    /// What stops the question that is being worked on.
    current: Arc<Mutex<Option<analysis::CancellationToken>>>,
    /// What stops the run that is going on.
    run: Option<Arc<AtomicBool>>,
    tell: Tell,
}

impl Worker {
    /// Starts the thread that owns the analysis.
    pub fn start(tell: Tell) -> std::io::Result<Worker> {
        let (questions, inbox) = channel();
        let current = Arc::new(Mutex::new(None));
        let desk = Desk { inbox, current: current.clone(), tell: tell.clone() };
        thread::Builder::new().name("analysis".to_owned()).stack_size(STACK).spawn(move || desk.work())?;
        Ok(Worker { questions, current, run: None, tell })
    }

    /// Asks a question; an older one is forgotten.
    pub fn ask(&self, question: Question) {
        // Held all along: the thread cannot begin with this question before the one that is stopped is the one before.
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread ends with this sender and not before, so there is always one who listens.
        let _ = self.questions.send(question);
        if let Some(token) = &*current {
            token.cancel();
        }
    }

    /// Runs a kernel; an older run is stopped.
    pub fn run(&mut self, path: &str, text: Arc<str>, run: Run) {
        self.stop_run();
        let stop = Arc::new(AtomicBool::new(false));
        self.run = Some(stop.clone());
        let (path, tell) = (path.to_owned(), self.tell.clone());
        let work = {
            let run = run.clone();
            let tell = tell.clone();
            move || {
                let page = catch_unwind(AssertUnwindSafe(|| run_kernel(&path, &text, &run, &stop)));
                let page = page.unwrap_or_else(|panic| answers::not_run(&words_of(&*panic), None));
                if !stop.load(Ordering::Relaxed) {
                    tell(Answer::Ran(run, page));
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("run".to_owned()).stack_size(STACK).spawn(work) {
            tell(Answer::Ran(run, answers::not_run(&error.to_string(), None)));
        }
    }

    /// Stops the run that is going on.
    pub fn stop_run(&mut self) {
        if let Some(stop) = self.run.take() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The analysis's own thread.
struct Desk {
    inbox: Receiver<Question>,
    current: Arc<Mutex<Option<analysis::CancellationToken>>>,
    tell: Tell,
}

impl Desk {
    fn work(self) {
        let mut host = Host::default();
        let mut next = self.inbox.recv().ok();
        while let Some(mut question) = next.take() {
            while let Ok(newer) = self.inbox.try_recv() {
                question = newer;
            }
            let worked = catch_unwind(AssertUnwindSafe(|| self.answer(&mut host, &question)));
            self.set_current(None);
            match worked {
                Ok(newer) => next = newer,
                Err(panic) => {
                    host = Host::default();
                    (self.tell)(Answer::Failed(question.wanted, words_of(&*panic)));
                }
            }
            next = next.or_else(|| self.inbox.recv().ok());
        }
    }

    /// Answers part by part, the one a person looks at first first. Returns a newer question, if there is one already.
    fn answer(&self, host: &mut Host, question: &Question) -> Option<Question> {
        host.set_text(&question.path, &question.text);
        let snapshot = host.snapshot();
        self.set_current(Some(snapshot.cancellation_token()));
        // One that came before the token was there did not stop anything.
        if let Ok(newer) = self.inbox.try_recv() {
            return Some(newer);
        }
        // Cancelled: a newer question is in the inbox, and asks for this again.
        let _ = self.parts(&snapshot, question);
        None
    }

    fn parts(&self, snapshot: &Snapshot, question: &Question) -> Result<(), Cancelled> {
        let Some(file) = snapshot.file(&question.path) else { return Ok(()) };
        let wanted = &question.wanted;
        if let Some(key) = &wanted.words {
            (self.tell)(Answer::Words(key.clone(), snapshot.catch(|db| answers::words(db, file, key))?));
        }
        if let Some(key) = &wanted.stage {
            (self.tell)(Answer::Stage(key.clone(), snapshot.catch(|db| answers::stage(db, file, key))?));
        }
        if let Some(key) = &wanted.place {
            (self.tell)(Answer::Place(key.clone(), snapshot.catch(|db| answers::place(db, file, key))?));
        }
        if let Some(key) = &wanted.samples {
            (self.tell)(Answer::Samples(key.clone(), snapshot.catch(|db| answers::samples(db, file, key))?));
        }
        if let Some(key) = &wanted.preview {
            (self.tell)(Answer::Preview(key.clone(), answers::preview(&question.text, key)));
        }
        Ok(())
    }

    fn set_current(&self, token: Option<analysis::CancellationToken>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

/// What a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

/// Runs a kernel on a text of its own: a run may take long, and the analysis is not to wait for it.
fn run_kernel(path: &str, text: &str, run: &Run, stop: &AtomicBool) -> Page {
    let document = Document::new(path, text);
    let db = document.db();
    let Some(item) = answers::find(db, document.file(), &run.item) else {
        return answers::not_run("the kernel is gone", None);
    };
    let arguments: Result<Vec<_>, _> = run.arguments.iter().map(|(name, text)| argument(name, text)).collect();
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(why) => return answers::not_run(&why, None),
    };
    // Of all stages this is the one whose errors say which iteration they are in.
    let engine = Engine::Interp(stages::in_order(), Options::default());
    let mut stopped = || stop.load(Ordering::Relaxed);
    match analysis::run::run(db, item, engine, &arguments, FUEL, &mut stopped) {
        Ok(outcome) => answers::ran(&outcome),
        Err(NotRun::Unfit(why) | NotRun::Stopped(why)) => answers::not_run(&why, None),
    }
}

fn argument(name: &str, text: &str) -> Result<Argument, String> {
    commands::run::argument(&spec::parse(&format!("{name}={text}"))?)
}
