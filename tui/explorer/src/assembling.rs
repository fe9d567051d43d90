//! The thread that produces machine code, and the worker processes behind it.
//!
//! The thread that owns the analysis hands over programs, such as fully lowered kernels. This thread prints them as LLVM IR and
//! sends that to a worker process, which may be slow and may crash, so that questions about the source never wait for LLVM. A
//! newer task replaces those that have not started.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use driver::program::MachineProgram;
use native::client::Client;
use native::protocol::{CompiledForm, Failure, Job, Outcome, Spec};
use queries::stages::target::Family;

use crate::comparing::compared;
use crate::goal::{Goal, Writing};
use crate::listing::{self, Listed};
use crate::page::{Line, Page, Role};
use crate::questions::{Answer, AssemblyKey, AssemblyView, Compared};
use crate::worker::{Tell, words_of};

/// Time limit of LLVM for one kernel.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time limit of one run of a kernel.
const RUN_PATIENCE: Duration = Duration::from_secs(60);

/// Interval at which a run is polled for its end and for a request to stop.
const GLANCE: Duration = Duration::from_millis(10);

/// A program, once for each goal that is wanted.
pub struct Task {
    /// Key of the request that the task answers.
    pub key: AssemblyKey,
    /// The program, as it is for the goal.
    pub program: Box<dyn MachineProgram>,
    /// The comparison goal, and the program as it is for that.
    pub other: Option<(Goal, Box<dyn MachineProgram>)>,
}

/// Interface to whatever compiles and runs machine code: worker processes, or none in [`Nobody`].
pub trait Machinist: Send + Sync {
    /// Describes the processor of this machine.
    fn host(&self) -> Result<Spec, Failure>;
    /// Compiles LLVM IR to one of LLVM's text forms.
    fn text(&self, ir: String, spec: Spec, form: CompiledForm) -> Result<String, Failure>;
    /// Compiles LLVM IR to assembly in Intel syntax.
    fn intel(&self, ir: String, spec: Spec) -> Result<String, Failure>;
    /// Executes a job that runs a kernel, until it ends or `stop` is set.
    fn run(&self, job: Job, memory: &[u8], stop: &AtomicBool) -> native::client::Answer;
}

/// Worker processes, which run this program or another that can act as a worker. The second process writes Intel
/// syntax, an option that LLVM takes once for a whole process. The third runs kernels, which may take long and crash
/// it.
pub struct Workers {
    plain: Client,
    intel: Client,
    running: Client,
}

impl Workers {
    /// Starts workers from a given program.
    pub fn of(program: impl Into<PathBuf>) -> Workers {
        let program = program.into();
        let [plain, running] = [(); 2].map(|()| Client::new(program.clone(), &["worker"]));
        Workers { plain, intel: Client::new(program, &["worker", "--intel"]), running }
    }

    /// Starts workers from this program.
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

    fn text(&self, ir: String, spec: Spec, form: CompiledForm) -> Result<String, Failure> {
        text_of(&self.plain, ir, spec, form)
    }

    fn intel(&self, ir: String, spec: Spec) -> Result<String, Failure> {
        text_of(&self.intel, ir, spec, CompiledForm::Assembly)
    }

    fn run(&self, job: Job, memory: &[u8], stop: &AtomicBool) -> native::client::Answer {
        let mut ticket = self.running.ask(job, memory);
        let begun = Instant::now();
        loop {
            if let Some(answer) = ticket.poll() {
                return answer;
            }
            // Dropping the ticket also ends the process that works on it.
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

fn text_of(client: &Client, ir: String, spec: Spec, form: CompiledForm) -> Result<String, Failure> {
    match client.compile(ir, spec, form, PATIENCE)? {
        (Outcome::Text(text), _) => Ok(text),
        _ => Err(no_answer()),
    }
}

fn no_answer() -> Failure {
    Failure::Died("it answers something else".to_owned())
}

/// A machinist without workers, which answers every request with the given sentence.
pub struct Nobody(pub String);

impl Machinist for Nobody {
    fn host(&self) -> Result<Spec, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn text(&self, _: String, _: Spec, _: CompiledForm) -> Result<String, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn intel(&self, _: String, _: Spec) -> Result<String, Failure> {
        Err(Failure::Refused(self.0.clone()))
    }

    fn run(&self, _: Job, _: &[u8], _: &AtomicBool) -> native::client::Answer {
        Err(Failure::Refused(self.0.clone()))
    }
}

/// Starts the thread. Each message replaces the tasks of the messages before it.
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

/// Compiles a kernel, and marks the lines that differ from whatever it is compared with.
fn made(task: &Task, machinist: &dyn Machinist) -> Result<AssemblyView, String> {
    let mut listed = listed(task, task.key.goal, &*task.program, machinist)?;
    let texts: Arc<Vec<String>> = Arc::new(listed.page.lines.iter().map(|line| line.text.clone()).collect());
    match (&task.key.against, &task.other) {
        (Compared::Lines(old), _) => {
            // Lines that are gone would shift what is folded, and a change must not hide in it.
            listed.page = Page { lines: compared(old, &texts, listed.page.lines), ..Page::default() };
        }
        (Compared::Goal(_), Some((goal, program))) => {
            let other = self::listed(task, *goal, &**program, machinist)?;
            let names = [task.key.goal, *goal].map(Goal::label);
            let lines = listing::beside::beside((&names[0], &listed.loops), (&names[1], &other.loops));
            let none = || vec![Line::of(Role::Faint, "# there are no loops to compare").from_source(None)];
            listed.put_in_front(if lines.is_empty() { none() } else { lines });
        }
        _ => {}
    }
    Ok(AssemblyView { page: listed.page, lines: texts })
}

fn listed(task: &Task, goal: Goal, program: &dyn MachineProgram, machinist: &dyn Machinist) -> Result<Listed, String> {
    let machine = if goal.tuned {
        goal.machine(&machinist.host().map_err(|failure| no_code(&failure))?)
    } else {
        goal.options.target.clone()
    };
    let module = program.ir(&machine);
    let module = module.map_err(|refused| format!("No machine code of {}: {refused}.", task.key.item.name))?;
    let (spec, family) = (Spec::of(&machine), machine.family);
    let text = |form| machinist.text(module.ir.clone(), spec.clone(), form);
    let shown = listing::ListedProgram { program, module: &module };
    let made = match task.key.writing {
        Writing::Llvm => Ok(unfolded(listing::llvm_ir(&module.ir, shown))),
        Writing::LlvmOpt => text(CompiledForm::Optimised).map(|text| unfolded(listing::llvm_ir(&text, shown))),
        Writing::Intel if family == Family::X86 => text(CompiledForm::Assembly).and_then(|att| {
            let intel = machinist.intel(module.ir.clone(), spec.clone())?;
            Ok(listing::assembly(&att, Some(&intel), family, shown))
        }),
        Writing::Att | Writing::Intel => {
            text(CompiledForm::Assembly).map(|att| listing::assembly(&att, None, family, shown))
        }
    };
    made.map_err(|failure| no_code(&failure))
}

fn unfolded(lines: Vec<Line>) -> Listed {
    Listed { page: Page { lines, ..Page::default() }, ..Listed::default() }
}

fn no_code(failure: &Failure) -> String {
    format!("No machine code: {failure}.")
}
