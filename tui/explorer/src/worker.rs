//! The worker threads, which keep the keys responsive: one owns the analysis, and each run of a kernel has its own.
//!
//! A new question cancels the one in progress. Each question asks for everything that is missing, so nothing is lost
//! with a cancelled one. An analysis that panics is discarded and started anew; its failure is reported as an answer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use queries::Cancelled;
use queries::host::Snapshot;

use crate::answers;
use crate::assembling::{self, Machinist, Task};
use crate::lanes::{self, LanesAsk, Stepped};
use crate::questions::{Answer, AssemblyView, Question, Run};
use crate::surfaces::{Analysis, RunJob, answers_about};
use crate::variants;

/// The receiver of answers. It is called on the worker's threads.
pub type Tell = Arc<dyn Fn(Answer) + Send + Sync>;

/// Stack size of the analysis thread, since deeply nested programs need a deep stack.
pub(crate) const STACK: usize = 16 << 20;

/// Handle of the worker threads.
pub struct Worker {
    questions: Sender<Question>,
    /// Cancel token of the question in progress.
    current: Arc<Mutex<Option<queries::CancellationToken>>>,
    /// Stop flag of the run in progress.
    run: Option<Arc<AtomicBool>>,
    /// Channel to the thread of the run that is stepped through, once there is one.
    stepping: Option<Sender<(u64, LanesAsk)>>,
    tell: Tell,
    machinist: Arc<dyn Machinist>,
}

impl Worker {
    /// Starts the threads for the analysis and for machine code.
    pub fn start(machinist: Arc<dyn Machinist>, tell: Tell) -> std::io::Result<Worker> {
        let (questions, inbox) = channel();
        let current = Arc::new(Mutex::new(None));
        let tasks = assembling::start(machinist.clone(), tell.clone())?;
        let thread_state = AnalysisThread { inbox, current: current.clone(), tell: tell.clone(), tasks };
        thread::Builder::new().name("analysis".to_owned()).stack_size(STACK).spawn(move || thread_state.work())?;
        Ok(Worker { questions, current, run: None, stepping: None, tell, machinist })
    }

    /// Asks a question, and cancels an older one.
    pub fn ask(&self, question: Question) {
        // The lock is held throughout. Otherwise the thread could start this question before the cancellation, which
        // would then hit the wrong one.
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread ends only after this sender is dropped, so sending cannot fail.
        let _ = self.questions.send(question);
        if let Some(token) = &*current {
            token.cancel();
        }
    }

    /// Starts a run of a kernel, and stops an older one.
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
                let job = RunJob { path: &path, text: &text, wish: &run, machinist: &*machinist, stop: &stop };
                let page = catch_unwind(AssertUnwindSafe(|| answers_about(&path).run(&job, &so_far)));
                let page = page.unwrap_or_else(|panic| answers::not_run(&words_of(&*panic), None).into());
                if !stop.load(Ordering::Relaxed) {
                    tell(Answer::Ran(run, page));
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("run".to_owned()).stack_size(STACK).spawn(work) {
            tell(Answer::Ran(run, answers::not_run(&error.to_string(), None).into()));
        }
    }

    /// Passes a request to the run that is stepped through.
    pub fn step(&mut self, number: u64, ask: LanesAsk) {
        if self.stepping.is_none() {
            match lanes::start(self.tell.clone()) {
                Ok(stepping) => self.stepping = Some(stepping),
                Err(error) => return (self.tell)(Answer::Lanes(number, Stepped::Refused(error.to_string()))),
            }
        }
        if let Some(stepping) = &self.stepping {
            // The thread ends only after this sender is dropped, so sending cannot fail.
            let _ = stepping.send((number, ask));
        }
    }

    /// Stops the run in progress.
    pub fn stop_run(&mut self) {
        if let Some(stop) = self.run.take() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The thread that owns the analysis.
struct AnalysisThread {
    inbox: Receiver<Question>,
    current: Arc<Mutex<Option<queries::CancellationToken>>>,
    tell: Tell,
    /// Channel to the thread that makes machine code.
    tasks: Sender<Vec<Task>>,
}

impl AnalysisThread {
    fn work(self) {
        let mut analysis = Analysis::default();
        let mut next = self.inbox.recv().ok();
        while let Some(mut question) = next.take() {
            while let Ok(newer) = self.inbox.try_recv() {
                question = newer;
            }
            let worked = catch_unwind(AssertUnwindSafe(|| self.answer(&mut analysis, &question)));
            self.set_current(None);
            match worked {
                Ok(newer) => next = newer,
                Err(panic) => {
                    analysis = Analysis::default();
                    (self.tell)(Answer::Failed(Box::new(question.wanted), words_of(&*panic)));
                }
            }
            next = next.or_else(|| self.inbox.recv().ok());
        }
    }

    /// Answers a question part by part, the most visible part first. Returns a newer question if one has arrived
    /// already.
    fn answer(&self, analysis: &mut Analysis, question: &Question) -> Option<Question> {
        answers_about(&question.path).read(analysis, question);
        let snapshot = analysis.host.snapshot();
        self.set_current(Some(snapshot.cancellation_token()));
        // A question that arrived before the token was set could not cancel this one.
        if let Ok(newer) = self.inbox.try_recv() {
            return Some(newer);
        }
        // On cancellation, a newer question is in the inbox, which asks for the missing parts again.
        let _ = self.parts(&snapshot, question);
        None
    }

    fn parts(&self, snapshot: &Snapshot, question: &Question) -> Result<(), Cancelled> {
        let answers = answers_about(&question.path);
        let Some(file) = answers.file(snapshot, question) else { return Ok(()) };
        let wanted = &question.wanted;
        if let Some(key) = &wanted.words {
            (self.tell)(Answer::Words(key.clone(), snapshot.catch(|db| answers.words(db, file, key))?));
        }
        if let Some(key) = &wanted.stage {
            (self.tell)(Answer::Stage(key.clone(), snapshot.catch(|db| answers.stage(db, file, key))?));
        }
        if let Some(key) = &wanted.place {
            (self.tell)(Answer::Place(key.clone(), snapshot.catch(|db| answers.place(db, file, key))?));
        }
        if let Some(key) = &wanted.samples {
            (self.tell)(Answer::Samples(key.clone(), snapshot.catch(|db| answers.samples(db, file, key))?));
        }
        if let Some(key) = &wanted.lesson {
            (self.tell)(Answer::Lesson(key.clone(), snapshot.catch(|db| answers.lesson(db, file, key))?));
        }
        if let Some(key) = &wanted.preview {
            (self.tell)(Answer::Preview(key.clone(), answers::preview(question, key)));
        }
        let mut tasks = Vec::new();
        // When both panes want the same machine code, one answer serves both.
        let beside = wanted.beside.as_ref().filter(|_| wanted.beside != wanted.assembly);
        for key in wanted.assembly.iter().chain(beside) {
            match snapshot.catch(|db| answers.assembly(db, file, &question.path, key))? {
                Ok(task) => tasks.push(task),
                Err(page) => {
                    (self.tell)(Answer::Assembly(key.clone(), AssemblyView { page, ..AssemblyView::default() }))
                }
            }
        }
        if !tasks.is_empty() {
            // The thread ends only after this sender is dropped, so sending cannot fail.
            let _ = self.tasks.send(tasks);
        }
        if let Some(key) = &wanted.picture {
            (self.tell)(Answer::Picture(key.clone(), snapshot.catch(|db| answers.picture(db, file, key))?));
        }
        if let Some(key) = &wanted.variants {
            let found = snapshot.catch(|db| answers.variants(db, file, key))?;
            // Attributes are tried in a database of their own, which no query of this one may ask.
            (self.tell)(Answer::Variants(key.clone(), variants::page(key, &question.text, found)));
        }
        Ok(())
    }

    fn set_current(&self, token: Option<queries::CancellationToken>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

/// Extracts the message of a panic.
pub fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}
