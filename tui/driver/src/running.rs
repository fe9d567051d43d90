//! Runs of a kernel's machine code, by whoever has a worker.

use native::client::Answer;
use native::protocol::{Failure, Guard, Job};
use queries::db::Item;
use queries::run::{self, Argument, NotRun, RunOutcome};
use queries::stages::Options;
use queries::stages::target::Target;

use crate::document::Document;
use crate::machine_code;

/// Runs the machine code of a kernel. `ask` hands the job to a worker and waits for its answer. The outer error says why the
/// kernel was not given to a worker, the inner one why that returned no outcome.
pub fn natively(
    document: &Document,
    item: Item<'_>,
    arguments: &[Argument],
    options: Options,
    machine: &Target,
    ask: impl FnOnce(Job, &[u8]) -> Answer,
) -> Result<Result<RunOutcome, Failure>, NotRun> {
    let (kernel, inputs) = run::prepare(document.db(), item, arguments)?;
    run::check_inputs(&kernel, &inputs)?;
    let last = machine_code::finished(document, item, options).unwrap_or_else(|| kernel.clone());
    let source = machine_code::source(document, item);
    let job = native::run::job(&last, &source, machine, &inputs, Guard::End);
    let (job, memory) = job.map_err(|refused| NotRun::Unfit(refused.to_string()))?;
    Ok(machine_code::outcome(document, item, (&kernel, &last), &inputs, ask(Job::Run(job), &memory)))
}
