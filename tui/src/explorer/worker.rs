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

use analysis::{Cancelled, Host, Snapshot};

use crate::explorer::answers;
use crate::explorer::assembling::{self, Machinist, Task};
use crate::explorer::questions::{Answer, AssemblyView, Question, Run};
use crate::explorer::running::run_kernel;
use crate::explorer::why::why;

/// Where answers go. Called on the worker's threads.
pub type Tell = Arc<dyn Fn(Answer) + Send + Sync>;

/// Analyses of deep programs need a deep stack.
const STACK: usize = 16 << 20;

/// The threads, and the way to them.
pub struct Worker {
    questions: Sender<Question>,
    /// What stops the question that is being worked on.
    current: Arc<Mutex<Option<analysis::CancellationToken>>>,
    /// What stops the run that is going on.
    run: Option<Arc<AtomicBool>>,
    tell: Tell,
    machinist: Arc<dyn Machinist>,
}

impl Worker {
    /// Starts the threads that own the analysis and the way to machine code.
    pub fn start(machinist: Arc<dyn Machinist>, tell: Tell) -> std::io::Result<Worker> {
        let (questions, inbox) = channel();
        let current = Arc::new(Mutex::new(None));
        let tasks = assembling::start(machinist.clone(), tell.clone())?;
        let desk = Desk { inbox, current: current.clone(), tell: tell.clone(), tasks };
        thread::Builder::new().name("analysis".to_owned()).stack_size(STACK).spawn(move || desk.work())?;
        Ok(Worker { questions, current, run: None, tell, machinist })
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
            let (tell, machinist) = (tell.clone(), self.machinist.clone());
            move || {
                let so_far = |page| {
                    if !stop.load(Ordering::Relaxed) {
                        tell(Answer::Running(run.clone(), page));
                    }
                };
                let page =
                    catch_unwind(AssertUnwindSafe(|| run_kernel(&path, &text, &run, &*machinist, &stop, &so_far)));
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
    /// What machine code is to be made of.
    tasks: Sender<Vec<Task>>,
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
                    (self.tell)(Answer::Failed(Box::new(question.wanted), words_of(&*panic)));
                }
            }
            next = next.or_else(|| self.inbox.recv().ok());
        }
    }

    /// Answers part by part, the one a person looks at first first. Returns a newer question, if there is one already.
    fn answer(&self, host: &mut Host, question: &Question) -> Option<Question> {
        host.set_text(&question.path, &question.text);
        host.set_made_for(question.wanted.made_for().as_slice());
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
            (self.tell)(Answer::Place(key.clone(), snapshot.catch(|db| why(db, file, key))?));
        }
        if let Some(key) = &wanted.samples {
            (self.tell)(Answer::Samples(key.clone(), snapshot.catch(|db| answers::samples(db, file, key))?));
        }
        if let Some(key) = &wanted.preview {
            (self.tell)(Answer::Preview(key.clone(), answers::preview(&question.text, key)));
        }
        let mut tasks = Vec::new();
        // One answer is heard by both panes where they want the same.
        let beside = wanted.beside.as_ref().filter(|_| wanted.beside != wanted.assembly);
        for key in wanted.assembly.iter().chain(beside) {
            match snapshot.catch(|db| answers::assembly(db, file, &question.path, key))? {
                Ok(task) => tasks.push(task),
                Err(page) => {
                    (self.tell)(Answer::Assembly(key.clone(), AssemblyView { page, ..AssemblyView::default() }))
                }
            }
        }
        if !tasks.is_empty() {
            // The thread ends with this sender and not before, so there is always one who listens.
            let _ = self.tasks.send(tasks);
        }
        Ok(())
    }

    fn set_current(&self, token: Option<analysis::CancellationToken>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

/// What a panic said.
pub fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}
