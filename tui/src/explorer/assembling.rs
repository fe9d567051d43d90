//! The thread that has machine code made, and who makes it.
//!
//! The thread that owns the analysis hands over kernels that are lowered to the end; here they become LLVM IR, and a
//! process of its own, which may take its time and may die, makes the rest. So questions about the source never wait
//! for LLVM. What is newer replaces what has not begun.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use analysis::stages::Kernel;
use analysis::stages::target::Family;
use native::client::Client;
use native::emit::{self, Input, Source};
use native::protocol::{Failure, Form, Job, Outcome, Spec};

use crate::explorer::answers::compared_by;
use crate::explorer::goal::{Goal, Writing};
use crate::explorer::listing;
use crate::explorer::page::{Line, Page};
use crate::explorer::questions::{Answer, AssemblyKey, AssemblyView, Compared};
use crate::explorer::worker::{Tell, words_of};

/// How long LLVM may take for one kernel.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a kernel may run.
const RUN_PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether a run has ended, or is to be stopped.
const GLANCE: Duration = Duration::from_millis(10);

/// A kernel that is lowered to the end, for each goal that it is wanted for.
pub struct Task {
    /// What it is the answer to.
    pub key: AssemblyKey,
    /// The kernel, made for the goal.
    pub kernel: Arc<Kernel>,
    /// The kernel made for the goal that it is compared with.
    pub other: Option<(Goal, Arc<Kernel>)>,
    /// Where it came from.
    pub source: Source,
}

/// Who makes machine code, and runs it.
pub trait Machinist: Send + Sync {
    /// What this machine is.
    fn host(&self) -> Result<Spec, Failure>;
    /// LLVM IR as a text that LLVM makes of it.
    fn text(&self, ir: String, spec: Spec, form: Form) -> Result<String, Failure>;
    /// LLVM IR as assembly in Intel's writing.
    fn intel(&self, ir: String, spec: Spec) -> Result<String, Failure>;
    /// Has a job done that runs a kernel, unless and until it is stopped.
    fn run(&self, job: Job, memory: &[u8], stop: &AtomicBool) -> native::client::Answer;
}

/// Worker processes: this program again, or another that is one. The second writes assembly as Intel does, which is
/// settled once for a whole process; the third runs kernels, which may take long and take it down.
pub struct Workers {
    plain: Client,
    intel: Client,
    running: Client,
}

impl Workers {
    /// Workers that are a program.
    pub fn of(program: impl Into<PathBuf>) -> Workers {
        let program = program.into();
        let [plain, running] = [(); 2].map(|()| Client::new(program.clone(), &["worker"]));
        Workers { plain, intel: Client::new(program, &["worker", "--intel"]), running }
    }

    /// Workers that are this program.
    pub fn of_this_program() -> Result<Workers, String> {
        let program = std::env::current_exe();
        program.map(Workers::of).map_err(|error| format!("this program does not know where it is: {error}"))
    }
}

impl Machinist for Workers {
    fn host(&self) -> Result<Spec, Failure> {
        match self.plain.ask(Job::Hello, &[]).wait(PATIENCE)? {
            (Outcome::Hello { host, .. }, _) => Ok(host),
            _ => Err(no_answer()),
        }
    }

    fn text(&self, ir: String, spec: Spec, form: Form) -> Result<String, Failure> {
        text_of(&self.plain, ir, spec, form)
    }

    fn intel(&self, ir: String, spec: Spec) -> Result<String, Failure> {
        text_of(&self.intel, ir, spec, Form::Assembly)
    }

    fn run(&self, job: Job, memory: &[u8], stop: &AtomicBool) -> native::client::Answer {
        let mut ticket = self.running.ask(job, memory);
        let begun = Instant::now();
        loop {
            if let Some(answer) = ticket.poll() {
                return answer;
            }
            // A ticket that is let go takes what it runs with it.
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Cancelled);
            }
            if begun.elapsed() > RUN_PATIENCE {
                return Err(Failure::TimedOut);
            }
            thread::sleep(GLANCE);
        }
    }
}

fn text_of(client: &Client, ir: String, spec: Spec, form: Form) -> Result<String, Failure> {
    match client.compile(ir, spec, form, PATIENCE)? {
        (Outcome::Text(text), _) => Ok(text),
        _ => Err(no_answer()),
    }
}

fn no_answer() -> Failure {
    Failure::Died("it answers something else".to_owned())
}

/// Nobody: what is said where machine code is asked for is a sentence.
pub struct Nobody(pub String);

impl Machinist for Nobody {
    fn host(&self) -> Result<Spec, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn text(&self, _: String, _: Spec, _: Form) -> Result<String, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn intel(&self, _: String, _: Spec) -> Result<String, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn run(&self, _: Job, _: &[u8], _: &AtomicBool) -> native::client::Answer {
        Err(Failure::Refused(self.0.clone()))
    }
}

/// Starts the thread; what it is sent replaces what it was sent before.
pub fn start(machinist: Arc<dyn Machinist>, tell: Tell) -> std::io::Result<Sender<Vec<Task>>> {
    let (tasks, inbox) = channel();
    thread::Builder::new().name("machine code".to_owned()).spawn(move || work(&inbox, &*machinist, &tell))?;
    Ok(tasks)
}

fn work(inbox: &Receiver<Vec<Task>>, machinist: &dyn Machinist, tell: &Tell) {
    let mut next = inbox.recv().ok();
    while let Some(mut tasks) = next.take() {
        while let Ok(newer) = inbox.try_recv() {
            tasks = newer;
        }
        for task in tasks {
            if let Ok(newer) = inbox.try_recv() {
                next = Some(newer);
                break;
            }
            let made = catch_unwind(AssertUnwindSafe(|| made(&task, machinist)));
            let view = match made {
                Ok(Ok(view)) => view,
                Ok(Err(why)) => AssemblyView { page: Page::notice(why), ..AssemblyView::default() },
                Err(panic) => AssemblyView { page: Page::notice(words_of(&*panic)), ..AssemblyView::default() },
            };
            tell(Answer::Assembly(task.key, view));
        }
        next = next.or_else(|| inbox.recv().ok());
    }
}

/// A kernel's machine code, with marks for what differs from what it is compared with.
fn made(task: &Task, machinist: &dyn Machinist) -> Result<AssemblyView, String> {
    let page = lines(task, task.key.goal, &task.kernel, machinist)?;
    let texts: Arc<Vec<String>> = Arc::new(page.iter().map(|line| line.text.clone()).collect());
    let old = match (&task.key.against, &task.other) {
        (Compared::Lines(lines), _) => Some(lines.to_vec()),
        (Compared::Goal(_), Some((goal, kernel))) => {
            let other = lines(task, *goal, kernel, machinist)?;
            Some(other.into_iter().map(|line| line.text).collect())
        }
        _ => None,
    };
    let lines = match old {
        Some(old) => compared_by(listing::without_label_names, &old, &texts, page),
        None => page,
    };
    Ok(AssemblyView { page: Page { lines, prose: false }, lines: texts })
}

fn lines(task: &Task, goal: Goal, kernel: &Kernel, machinist: &dyn Machinist) -> Result<Vec<Line>, String> {
    let machine = if goal.tuned {
        goal.machine(&machinist.host().map_err(|failure| no_code(&failure))?)
    } else {
        goal.options.target.clone()
    };
    let source = &task.source;
    let ir = emit::emit(&[Input { kernel, source }], &machine, emit::Options::default());
    let ir = ir.map_err(|refused| format!("No machine code of {}: {refused}.", task.key.item.name))?;
    let (spec, family) = (Spec::of(&machine), machine.family);
    let text = |ir: &str, form| machinist.text(ir.to_owned(), spec.clone(), form);
    let made = match task.key.writing {
        Writing::Llvm => Ok(listing::llvm_ir(&ir, &source.text)),
        Writing::LlvmOpt => text(&ir, Form::Optimised).map(|text| listing::llvm_ir(&text, &source.text)),
        Writing::Intel if family == Family::X86 => text(&ir, Form::Assembly).and_then(|att| {
            let intel = machinist.intel(ir.clone(), spec.clone())?;
            Ok(listing::assembly(&att, Some(&intel), family, &source.text))
        }),
        Writing::Att | Writing::Intel => {
            text(&ir, Form::Assembly).map(|att| listing::assembly(&att, None, family, &source.text))
        }
    };
    made.map_err(|failure| no_code(&failure))
}

fn no_code(failure: &Failure) -> String {
    format!("No machine code: {failure}.")
}
