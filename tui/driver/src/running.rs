//! Runs of a kernel's machine code, by whoever has a worker.

use std::num::NonZeroUsize;

use native::client::Answer;
use native::protocol::{Division, Failure, Guard, Job};
use native::run::JoinInput;
use queries::Parts;
use queries::db::Item;
use queries::run::{self, Argument, Inputs, NotRun, RunOutcome};
use queries::stages::target::Target;
use queries::stages::{Kernel, Options};

use crate::document::Document;
use crate::machine_code;

/// The steps of the interpreter before a kernel's machine code runs, in which errors of the program are found. Machine code tells of
/// none but sizes, and would read and write where there is no element.
const STEPS_BEFORE: u64 = 3_000_000;

/// Runs the machine code of a kernel, under `@threads` by so many threads, or as many as there are processors; if the interpreter comes
/// to an error of the program soon, that run is the result. `ask` hands the job to a worker and waits for its answer. The outer error says
/// why the kernel was not given to a worker, the inner one why that returned no outcome.
pub fn natively(
    document: &Document,
    item: Item<'_>,
    arguments: &[Argument],
    options: Options,
    machine: &Target,
    threads: Option<usize>,
    ask: impl FnOnce(Job, &[u8]) -> Answer,
) -> Result<Result<RunOutcome, Failure>, NotRun> {
    let (kernel, inputs) = run::prepare(document.db(), item, arguments)?;
    run::check_inputs(&kernel, &inputs)?;
    if let Some(failed) = run::up_to_error(document.db(), item, arguments, STEPS_BEFORE) {
        return Ok(Ok(failed));
    }
    let last = machine_code::finished(document, item, options).unwrap_or_else(|| kernel.clone());
    let source = machine_code::source(document, item);
    let job = match divided(document, item, &inputs, options, threads) {
        Some((parts, division)) => {
            native::run::divided_job(of_parts(&parts), &source, machine, &inputs, Guard::End, division)
        }
        None => native::run::job(&last, &source, machine, &inputs, Guard::End),
    };
    let (job, memory) = job.map_err(|refused| NotRun::Unfit(refused.to_string()))?;
    Ok(machine_code::outcome(document, item, (&kernel, &last), &inputs, ask(Job::Run(job), &memory)))
}

/// The parts of a kernel under `@threads`, and how threads divide its iterations, or blocks of them; `None` for one thread and a kernel
/// without a result: it does the same in one piece. A result has the same bits whatever the number of threads is, also by one.
pub fn divided(
    document: &Document,
    item: Item<'_>,
    inputs: &Inputs,
    options: Options,
    threads: Option<usize>,
) -> Option<(Parts, Division)> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.unwrap_or_else(processors);
    let parts = queries::parts(document.db(), item, options).filter(|parts| threads > 1 || parts.join.is_some())?;
    let iterations = parts.count(inputs)?;
    Some((parts, Division { threads, iterations }))
}

/// The kernels of a divided run, as machine code is made of them.
pub fn of_parts(parts: &Parts) -> (&Kernel, Option<JoinInput<'_>>) {
    let join = parts.join.as_ref();
    (&parts.part, join.map(|it| JoinInput { kernel: &it.kernel, partials: &it.partials, given: &it.given }))
}
