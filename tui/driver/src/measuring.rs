//! The running times of a kernel as scalar and as vector code, beside the peak rates of this machine.
//!
//! - `chart`: a report as lines of text

mod chart;

use ide::variants::WantedVariants;
use native::ceiling::{self, Ceiling};
use native::emit::Source;
use native::protocol::{Guard, HardwareCounts, Job, Outcome as Answer, RunJob};
use native::work::counting::CountingCopy;
use native::work::{self, Work, WorkUnit};
use queries::db::Item;
use queries::run::{Argument, Engine, Inputs, NotRun};
use queries::stages::target::{Target, find};
use queries::stages::{Kernel, Options};
use report::Diagnostic;
use serde::Serialize;

use crate::document::Document;
use crate::failure::diagnostic;
use crate::machine_code::{self, NoCode};
use crate::running::{divided, of_parts};
use crate::spec;

pub use chart::chart;
pub(crate) use chart::{shown_bytes, shown_time};

/// Maximum number of interpreter steps for counting the operations of a run.
const STEPS: u64 = 10_000_000;

/// The measurements of a kernel.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Name of the kernel.
    pub kernel: String,
    target: &'static str,
    /// Data chosen for parameters without an argument, as `NAME=SPEC`; whoever chooses it notes it here.
    pub chosen: Vec<String>,
    /// Bytes of all arrays, with written ones counted twice: the memory traffic of a run without caches.
    bytes: f64,
    /// Elements of a run: what they are, and how many.
    elements: Option<Elements>,
    /// Work of one element, as counted on the program and not on its machine code.
    per_element: Option<PerElement>,
    /// Float operations of a run.
    operations: Option<u64>,
    measured: Vec<Measured>,
    /// The reason why the processor counted nothing, as the end of a sentence.
    uncounted: Option<String>,
    /// Memory bandwidth of copying a large array, in bytes per second.
    bandwidth: Option<f64>,
    /// Bandwidth of copying arrays that are as large together as those of the kernel.
    bandwidth_here: Option<Bandwidth>,
    /// Peak rate of chains of `a * b + c`, in float operations per second.
    peak: Option<f64>,
    /// Cycles a second, read off a chain of integer operations.
    clock: Option<f64>,
    /// The median time of a run on the target, in cycles of an element.
    cycles_per_element: Option<f64>,
    /// The estimated cost of each innermost loop on the target, in cycles of an iteration.
    estimated: Vec<Estimated>,
}

/// The estimated cost of a loop.
#[derive(Debug, Serialize)]
struct Estimated {
    /// The line of the loop.
    line: u32,
    /// Cycles of an iteration for arrays in the cache.
    cycles: f64,
    /// Cycles of an iteration if no line is in a cache.
    cycles_from_memory: f64,
    /// The resource that it is bound by.
    bound: &'static str,
}

/// The unit for which the work of a run is told: each element that the kernel writes, or reads where it reduces.
#[derive(Debug, Serialize)]
struct Elements {
    /// `written` or `read`.
    are: &'static str,
    /// The arrays that they are elements of.
    arrays: Vec<String>,
    number: u64,
    /// False if they and their work were counted on a sample of the run.
    exact: bool,
}

#[derive(Debug, Serialize)]
struct PerElement {
    /// Float operations; an `fma` counts as two.
    operations: f64,
    /// Bytes that are loaded or stored, whether from memory or from caches.
    bytes: f64,
}

/// The bandwidth of the level of memory that a kernel's arrays lie in.
#[derive(Debug, Serialize)]
struct Bandwidth {
    /// Bytes of the arrays that were copied, both together.
    of_bytes: usize,
    /// The level, if the system tells its caches.
    level: Option<String>,
    /// Bytes a second.
    rate: f64,
}

impl Elements {
    fn of(work: &Work) -> Elements {
        let are = match work.unit {
            WorkUnit::Written => "written",
            WorkUnit::Read => "read",
        };
        Elements { are, arrays: work.arrays.clone(), number: work.elements as u64, exact: work.whole }
    }
}

impl PerElement {
    fn of(work: &Work) -> Option<PerElement> {
        let per_element = |count: f64| count / work.elements;
        let counted = PerElement { operations: per_element(work.operations), bytes: per_element(work.bytes) };
        (work.elements > 0.0).then_some(counted)
    }
}

/// The times of many runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Measured {
    /// `scalar`, the name of the target, or the number of threads that divide the run.
    pub name: String,
    pub runs: usize,
    /// Median time of a run, in nanoseconds.
    pub median: f64,
    pub least: f64,
    /// Distance from the lower to the upper quartile.
    pub spread: f64,
    /// The counts of the processor in a run, where they can be read.
    pub counts: Option<HardwareCounts>,
}

/// A function that delegates a job to a worker.
pub type Ask<'a> = dyn Fn(Job, &[u8]) -> Result<(Answer, Vec<u8>), NoCode> + 'a;

/// The parameters of a measurement.
pub struct Wanted<'a> {
    /// Kernel to measure.
    pub item: Item<'a>,
    /// Target of the passes.
    pub row: &'static Target,
    /// Target description for LLVM.
    pub machine: Target,
    /// Options of the passes.
    pub options: Options,
    /// Arguments of the kernel.
    pub given: &'a [Argument],
    /// Number of threads for a kernel under `@threads`; as many as there are processors if left out.
    pub threads: Option<usize>,
    /// Duration of each measurement in milliseconds.
    pub milliseconds: u64,
}

/// Measures a kernel. `ask` delegates jobs to a worker; before each measurement, `told` receives the results so far and
/// the name of the next one.
pub fn measure(
    document: &Document,
    wanted: &Wanted<'_>,
    ask: &Ask<'_>,
    told: &mut dyn FnMut(&Report, &str),
) -> Result<Report, NoCode> {
    let (item, machine) = (wanted.item, &wanted.machine);
    let errors = machine_code::errors(document, &[item]);
    if !errors.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    if !native::host::runs(wanted.row) {
        return Err(NoCode::Trouble(format!("this machine does not run code for `{}`", wanted.row.name)));
    }
    let PreparedRun { inputs, bytes, work } = prepared(document, wanted, STEPS, ask)?;
    let scalar = scalar_here();
    let mut report = Report {
        kernel: item.name(document.db()).to_string(),
        target: wanted.row.name,
        chosen: Vec::new(),
        bytes,
        elements: work.as_ref().map(Elements::of),
        per_element: work.as_ref().and_then(PerElement::of),
        operations: work.map(|work| work.operations as u64),
        measured: Vec::new(),
        uncounted: None,
        bandwidth: None,
        bandwidth_here: None,
        peak: None,
        clock: None,
        cycles_per_element: None,
        estimated: estimated(document, item),
    };
    for (name, options, machine) in [
        scalar.map(|row| ("scalar", Options { lanes: Some(1), target: row }, row)),
        Some((wanted.row.name, wanted.options, machine)),
    ]
    .into_iter()
    .flatten()
    {
        told(&report, name);
        let (job, memory) = job(document, item, options, machine, &inputs)?;
        let (measured, uncounted) = measured(name, job, &memory, wanted.milliseconds, ask)?;
        report.measured.push(measured);
        report.uncounted = uncounted;
    }
    if let Some((parts, division)) = divided(document, item, &inputs, wanted.options, wanted.threads) {
        let name = format!("{} thread{}", division.threads, if division.threads == 1 { "" } else { "s" });
        told(&report, &name);
        let source = machine_code::source(document, item);
        let job = native::run::divided_job(of_parts(&parts), &source, machine, &inputs, Guard::End, division);
        let (job, memory) = job.map_err(|refused| NoCode::Trouble(refused.to_string()))?;
        report.measured.push(Measured::of(&name, times(job, &memory, wanted.milliseconds, ask)?));
    }
    let reached = |ceiling| reached(ceiling, machine, wanted.milliseconds, ask);
    told(&report, "this machine's memory");
    report.bandwidth = reached(ceiling::bandwidth(machine))?;
    let of_bytes: usize = inputs.memory.iter().map(Vec::len).sum();
    told(&report, "this machine's memory as far as the data reach");
    let rate = reached(ceiling::bandwidth_of(machine, of_bytes).filter(|_| of_bytes > 0))?;
    report.bandwidth_here = rate.map(|rate| Bandwidth { of_bytes, level: native::host::level_of(of_bytes), rate });
    told(&report, "this machine's arithmetic");
    report.peak = reached(ceiling::operations(machine))?;
    told(&report, "this machine's clock");
    report.clock = reached(ceiling::clock())?;
    let vector = report.measured.iter().find(|it| it.name == wanted.row.name).map(|it| it.median);
    let of_each = report.elements.as_ref().map(|it| it.number as f64).filter(|number| *number > 0.0);
    report.cycles_per_element =
        report.clock.zip(vector).zip(of_each).map(|((clock, median), number)| median / 1e9 * clock / number);
    Ok(report)
}

/// The data of a measurement, with what is known of a run on them without a clock.
pub(crate) struct PreparedRun {
    pub inputs: Inputs,
    /// Bytes of all arrays, with written ones counted twice.
    pub bytes: f64,
    /// The work of a run, where it can be counted.
    pub work: Option<Work>,
}

/// Makes the data of a measurement, and counts the work of a run on them: in so many steps of the interpreter, or natively if it takes more.
pub(crate) fn prepared(
    document: &Document,
    wanted: &Wanted<'_>,
    steps: u64,
    ask: &Ask<'_>,
) -> Result<PreparedRun, NoCode> {
    let (kernel, inputs) = queries::run::prepare(document.db(), wanted.item, wanted.given).map_err(not_run)?;
    queries::run::check_inputs(&kernel, &inputs).map_err(not_run)?;
    let written: usize = queries::run::arrays_of(&kernel, &inputs, &inputs.memory)
        .iter()
        .map(|array| array.elements.iter().map(|element| element.elem().bytes()).sum::<usize>())
        .sum();
    let bytes = (inputs.memory.iter().map(Vec::len).sum::<usize>() + written) as f64;
    let work = match work::whole(&kernel, &inputs, steps) {
        Some(work) => Some(work),
        None => match failure(document, wanted, steps) {
            Some(failure) => return Err(NoCode::Errors(vec![failure])),
            None => {
                let by = scalar_here().map_or((wanted.row, &wanted.machine), |row| (row, row));
                counted(&kernel, &inputs, by, ask).or_else(|| work::sample(&kernel, &inputs, steps))
            }
        },
    };
    Ok(PreparedRun { inputs, bytes, work })
}

/// The target of scalar code, if this machine runs it.
fn scalar_here() -> Option<&'static Target> {
    find("scalar").filter(|row| native::host::runs(row))
}

/// The rate that a kernel of our own reaches, in what it is limited by.
pub(crate) fn reached(
    ceiling: Option<Ceiling>,
    machine: &Target,
    milliseconds: u64,
    ask: &Ask<'_>,
) -> Result<Option<f64>, NoCode> {
    let Some(Ceiling { kernel, inputs, amount }) = ceiling else { return Ok(None) };
    let job = native::run::job(&kernel, &Source::default(), machine, &inputs, Guard::End);
    let (job, memory) = job.map_err(|refused| NoCode::Trouble(refused.to_string()))?;
    Ok(Some(amount / Measured::of("", times(job, &memory, milliseconds, ask)?).least * 1e9))
}

/// The estimated costs of a kernel's innermost loops on the target of the document.
fn estimated(document: &Document, item: Item<'_>) -> Vec<Estimated> {
    let rows = ide::variants::rows(document.db(), item, &WantedVariants::default());
    let loops = rows.into_iter().flat_map(|row| row.loops);
    let estimated = loops.map(|it| Estimated {
        line: document.place(it.header.start()).line,
        cycles: it.cost.cycles(),
        cycles_from_memory: it.cost.cycles_from_memory(),
        bound: it.cost.bound.in_words(),
    });
    estimated.collect()
}

/// The work of a run that counts it natively, if it can and comes to its end.
fn counted(
    kernel: &Kernel,
    inputs: &Inputs,
    (row, machine): (&'static Target, &Target),
    ask: &Ask<'_>,
) -> Option<Work> {
    let counting = CountingCopy::of(kernel, &Options { lanes: Some(1), target: row })?;
    let inputs = counting.inputs(inputs);
    let (run, memory) = native::run::job(&counting.kernel, &Source::default(), machine, &inputs, Guard::End).ok()?;
    let answer = ask(Job::Run(run), &memory).ok()?;
    counting.work(&native::run::ran(&counting.kernel, &inputs, Ok(answer)).ok()?.memory)
}

/// The error that the run ends with, if it comes to one in the steps that are counted: machine code that meets one may do anything, and
/// its times would say nothing.
fn failure(document: &Document, wanted: &Wanted<'_>, steps: u64) -> Option<Diagnostic> {
    let engine = Engine::Interp(queries::stages::in_order(), wanted.options);
    let outcome = queries::run::run(document.db(), wanted.item, engine, wanted.given, steps, &mut || false).ok()?;
    outcome.failure.as_ref().map(diagnostic)
}

pub(crate) fn not_run(why: NotRun) -> NoCode {
    match why {
        unfit @ (NotRun::Missing(_) | NotRun::Unfit(_)) => NoCode::Trouble(spec::not_run(&unfit)),
        NotRun::Stopped(message) => NoCode::Stopped(message),
    }
}

pub(crate) fn job(
    document: &Document,
    item: Item<'_>,
    options: Options,
    machine: &Target,
    inputs: &queries::run::Inputs,
) -> Result<(RunJob, Vec<u8>), NoCode> {
    let missing = || NoCode::Trouble("there is no such kernel".to_owned());
    let kernel = machine_code::finished(document, item, options).ok_or_else(missing)?;
    if let Some(failed) = queries::run::failed_check(document.db(), item, &kernel, inputs) {
        return Err(NoCode::Errors(vec![diagnostic(&failed)]));
    }
    let source = machine_code::source(document, item);
    native::run::job(&kernel, &source, machine, inputs, Guard::End)
        .map_err(|refused| NoCode::Trouble(refused.to_string()))
}

/// Times runs of a kernel, with what the processor counted in one of them; else the reason why it did not.
fn measured(
    name: &str,
    run: RunJob,
    memory: &[u8],
    milliseconds: u64,
    ask: &Ask<'_>,
) -> Result<(Measured, Option<String>), NoCode> {
    match ask(Job::Bench { run, milliseconds }, memory)? {
        (Answer::Timed { nanoseconds, counts, uncounted }, _) => {
            Ok((Measured { counts, ..Measured::of(name, nanoseconds) }, uncounted))
        }
        _ => Err(NoCode::Trouble("the worker gives no times".to_owned())),
    }
}

pub(crate) fn times(run: RunJob, memory: &[u8], milliseconds: u64, ask: &Ask<'_>) -> Result<Vec<f64>, NoCode> {
    match ask(Job::Bench { run, milliseconds }, memory)? {
        (Answer::Timed { nanoseconds, .. }, _) => Ok(nanoseconds),
        _ => Err(NoCode::Trouble("the worker gives no times".to_owned())),
    }
}

/// The measurements of a function of which no more than times and the bytes of its arrays are known: first those of one lane, if they were
/// measured, then those on the target.
pub(crate) fn report_of_times(
    kernel: &str,
    target: &'static str,
    bytes: f64,
    one_lane: Option<Vec<f64>>,
    lanes: Vec<f64>,
) -> Report {
    let one_lane = one_lane.map(|times| Measured::of("one lane", times));
    Report {
        kernel: kernel.to_owned(),
        target,
        chosen: Vec::new(),
        bytes,
        elements: None,
        per_element: None,
        operations: None,
        measured: one_lane.into_iter().chain([Measured::of(target, lanes)]).collect(),
        uncounted: None,
        bandwidth: None,
        bandwidth_here: None,
        peak: None,
        clock: None,
        cycles_per_element: None,
        estimated: Vec::new(),
    }
}

impl Measured {
    pub(crate) fn of(name: &str, mut times: Vec<f64>) -> Measured {
        let name = name.to_owned();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times.get((part * (times.len().max(1) - 1) as f64) as usize).copied().unwrap_or(f64::NAN);
        let spread = at(0.75) - at(0.25);
        Measured { name, runs: times.len(), median: at(0.5), least: at(0.0), spread, counts: None }
    }
}
