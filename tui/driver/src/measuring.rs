//! The running times of a kernel as scalar and as vector code, beside the peak rates of this machine.

use ide::variants::WantedVariants;
use native::ceiling::{self, Ceiling};
use native::emit::Source;
use native::protocol::{Guard, Job, Outcome as Answer, RunJob};
use native::work::counting::CountingCopy;
use native::work::{self, Work, WorkUnit};
use queries::db::Item;
use queries::run::{Argument, Engine, Inputs, NotRun};
use queries::stages::target::{Target, find};
use queries::stages::{Kernel, Options};
use report::Diagnostic;
use report::lanes::costs::shown;
use serde::Serialize;

use crate::document::Document;
use crate::failure::diagnostic;
use crate::machine_code::{self, NoCode};
use crate::running::divided;
use crate::spec;

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

#[derive(Debug, Serialize)]
struct Measured {
    /// `scalar`, the name of the target, or the number of threads that divide the run.
    name: String,
    runs: usize,
    /// Median time of a run, in nanoseconds.
    median: f64,
    least: f64,
    /// Distance from the lower to the upper quartile.
    spread: f64,
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
    let (kernel, inputs) = queries::run::prepare(document.db(), item, wanted.given).map_err(not_run)?;
    queries::run::check_inputs(&kernel, &inputs).map_err(not_run)?;
    let written: usize = queries::run::arrays_of(&kernel, &inputs, &inputs.memory)
        .iter()
        .map(|array| array.elements.iter().map(|element| element.elem().bytes()).sum::<usize>())
        .sum();
    let bytes = (inputs.memory.iter().map(Vec::len).sum::<usize>() + written) as f64;
    let scalar = find("scalar").filter(|row| native::host::runs(row));
    let work = match work::whole(&kernel, &inputs, STEPS) {
        Some(work) => Some(work),
        None => match failure(document, wanted) {
            Some(failure) => return Err(NoCode::Errors(vec![failure])),
            None => {
                let by = scalar.map_or((wanted.row, machine), |row| (row, row));
                counted(&kernel, &inputs, by, ask).or_else(|| work::sample(&kernel, &inputs, STEPS))
            }
        },
    };
    let mut report = Report {
        kernel: item.name(document.db()).to_string(),
        target: wanted.row.name,
        chosen: Vec::new(),
        bytes,
        elements: work.as_ref().map(Elements::of),
        per_element: work.as_ref().and_then(PerElement::of),
        operations: work.map(|work| work.operations as u64),
        measured: Vec::new(),
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
        report.measured.push(Measured::of(name, times(job, &memory, wanted.milliseconds, ask)?));
    }
    if let Some((part, division)) = divided(document, item, &inputs, wanted.options, wanted.threads) {
        let name = format!("{} threads", division.threads);
        told(&report, &name);
        let source = machine_code::source(document, item);
        let job = native::run::divided_job(&part, &source, machine, &inputs, Guard::End, division);
        let (job, memory) = job.map_err(|refused| NoCode::Trouble(refused.to_string()))?;
        report.measured.push(Measured::of(&name, times(job, &memory, wanted.milliseconds, ask)?));
    }
    let reached = |ceiling: Option<Ceiling>| -> Result<Option<f64>, NoCode> {
        let Some(Ceiling { kernel, inputs, amount }) = ceiling else { return Ok(None) };
        let job = native::run::job(&kernel, &Source::default(), machine, &inputs, Guard::End);
        let (job, memory) = job.map_err(|refused| NoCode::Trouble(refused.to_string()))?;
        Ok(Some(amount / Measured::of("", times(job, &memory, wanted.milliseconds, ask)?).least * 1e9))
    };
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
fn failure(document: &Document, wanted: &Wanted<'_>) -> Option<Diagnostic> {
    let engine = Engine::Interp(queries::stages::in_order(), wanted.options);
    let outcome = queries::run::run(document.db(), wanted.item, engine, wanted.given, STEPS, &mut || false).ok()?;
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

pub(crate) fn times(run: RunJob, memory: &[u8], milliseconds: u64, ask: &Ask<'_>) -> Result<Vec<f64>, NoCode> {
    match ask(Job::Bench { run, milliseconds }, memory)? {
        (Answer::Timed { nanoseconds }, _) => Ok(nanoseconds),
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
        bandwidth: None,
        bandwidth_here: None,
        peak: None,
        clock: None,
        cycles_per_element: None,
        estimated: Vec::new(),
    }
}

impl Measured {
    fn of(name: &str, mut times: Vec<f64>) -> Measured {
        let name = name.to_owned();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times.get((part * (times.len().max(1) - 1) as f64) as usize).copied().unwrap_or(f64::NAN);
        Measured { name, runs: times.len(), median: at(0.5), least: at(0.0), spread: at(0.75) - at(0.25) }
    }
}

/// Minimum time of a meaningful measurement: shorter runs are dominated by the start and end of the kernel, not its
/// loop.
const FEW_NANOSECONDS: f64 = 200.0;

/// Renders the measurements as lines: a bar for each, with the longest `widest` columns wide, and the rates that
/// follow.
pub fn chart(report: &Report, widest: usize) -> Vec<String> {
    let slowest = report.measured.iter().map(|one| one.median).fold(0.0, f64::max);
    let mut lines = Vec::new();
    for one in &report.measured {
        let bar = "#".repeat(((one.median / slowest * widest as f64).ceil() as usize).clamp(1, widest));
        let rate = report.bytes / one.median;
        let (name, time, spread) = (&one.name, shown_time(one.median), shown_time(one.spread));
        let operations = report.operations.filter(|count| *count > 0);
        let speed = operations.map_or_else(String::new, |count| format!(" {:7.2} Gflop/s", count as f64 / one.median));
        lines.push(format!("  {name:9} {time:>10} +- {spread:<10} {rate:7.2} GB/s{speed}  {bar}"));
    }
    if let [scalar, vector, divided @ ..] = &report.measured[..] {
        if scalar.median < FEW_NANOSECONDS {
            lines.push("  so few elements say little: the start of a kernel is most of this; measure more".to_owned());
        }
        let (name, times) = (&vector.name, scalar.median / vector.median);
        lines.push(format!("  {name} is {times:.2} times as fast as {}", scalar.name));
        let faster = divided.iter().map(|one| (&one.name, vector.median / one.median));
        lines.extend(faster.map(|(name, times)| format!("  {name} are {times:.2} times as fast as one")));
    }
    lines.extend(each_element(report));
    lines.extend(beside_estimates(report));
    let reached = reached(report);
    if !reached.is_empty() {
        lines.push(format!("  this machine: {}", reached.join(", ")));
    }
    lines
}

/// Says what this machine reaches. Rates that have not been measured, or not yet, are left out, and so is the bandwidth of
/// where the arrays lie if that is memory, whose bandwidth is measured on more.
fn reached(report: &Report) -> Vec<String> {
    let giga = |rate: f64, what: &str| format!("{:.1} {what}", rate / 1e9);
    let mut reached = Vec::new();
    let mut of_memory = "GB/s of memory".to_owned();
    if let Some(Bandwidth { of_bytes, level, rate }) = &report.bandwidth_here {
        let arrays = format!("where the {} of these arrays lie", shown_bytes(*of_bytes));
        match level.as_deref() {
            Some("memory") => of_memory += &format!(", {arrays}"),
            Some(level) => reached.push(giga(*rate, &format!("GB/s of {level}, {arrays}"))),
            None => reached.push(giga(*rate, &format!("GB/s {arrays}"))),
        }
    }
    reached.extend(report.bandwidth.map(|rate| giga(rate, &of_memory)));
    reached.extend(report.peak.map(|rate| giga(rate, "billion float operations a second")));
    reached
}

/// Says what an element is, and how much work it takes.
fn each_element(report: &Report) -> Option<String> {
    let (elements, PerElement { operations, bytes }) = (report.elements.as_ref()?, report.per_element.as_ref()?);
    let [operations, bytes] = [operations, bytes].map(|count| (count * 100.0).round() / 100.0);
    let Elements { are, arrays, number, exact } = elements;
    let s = if operations == 1.0 { "" } else { "s" };
    let about = if *exact { "" } else { " (counted on a sample)" };
    let (of, arrays) = (if arrays.is_empty() { "" } else { " of " }, arrays.join(", "));
    Some(format!(
        "  each of the {number} elements{of}{arrays} that are {are}: {operations} float operation{s}, {bytes} bytes loaded or \
         stored{about}"
    ))
}

/// Says what was measured in cycles, and beside it what was estimated. An iteration of a loop need not be an element of an array: of a nest,
/// several iterations are.
fn beside_estimates(report: &Report) -> Vec<String> {
    let Some((cycles, clock)) = report.cycles_per_element.zip(report.clock) else { return Vec::new() };
    let mut lines = vec![format!("  measured: {} cycles an element, at {:.1} GHz", shown(cycles), clock / 1e9)];
    for Estimated { line, cycles, cycles_from_memory, bound } in &report.estimated {
        let [cycles, from_memory] = [cycles, cycles_from_memory].map(|cycles| shown(*cycles));
        let beside = if cycles == from_memory { String::new() } else { format!(", {from_memory} from memory") };
        lines.push(format!(
            "  estimated: {cycles} cycles an iteration of the loop in line {line}{beside}, bound by {bound}"
        ));
    }
    lines
}

fn shown_bytes(bytes: usize) -> String {
    match bytes {
        bytes if bytes < 10_000 => format!("{bytes} bytes"),
        bytes if bytes < 10_000_000 => format!("{} kB", bytes / 1_000),
        bytes => format!("{} MB", bytes / 1_000_000),
    }
}

fn shown_time(nanoseconds: f64) -> String {
    match nanoseconds {
        time if time < 1e3 => format!("{time:.1} ns"),
        time if time < 1e6 => format!("{:.2} us", time / 1e3),
        time => format!("{:.2} ms", time / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn report(level: Option<&str>) -> Report {
        let measured =
            |name: &str, median| Measured { name: String::from(name), runs: 9, median, least: median, spread: 10.0 };
        let work = Work {
            unit: WorkUnit::Written,
            arrays: vec!["out".to_owned()],
            elements: 1000.0,
            operations: 10_000.0,
            bytes: 40_000.0,
            whole: level.is_some(),
        };
        Report {
            kernel: "blur".to_owned(),
            target: "avx2",
            chosen: Vec::new(),
            bytes: 12_000.0,
            elements: Some(Elements::of(&work)),
            per_element: PerElement::of(&work),
            operations: Some(10_000),
            measured: vec![measured("scalar", 4000.0), measured("avx2", 1000.0)],
            bandwidth: Some(20e9),
            bandwidth_here: Some(Bandwidth { of_bytes: 80_000, level: level.map(str::to_owned), rate: 150e9 }),
            peak: Some(1e11),
            clock: Some(3e9),
            cycles_per_element: Some(3.0),
            estimated: vec![Estimated { line: 4, cycles: 0.25, cycles_from_memory: 0.5, bound: "stores" }],
        }
    }

    #[test]
    fn figures_are_told_for_elements_and_beside_the_level_that_the_data_lie_in() {
        let text = |level| format!("blur\n{}", chart(&report(level), 8).join("\n"));
        expect![[r#"
            blur
              scalar       4.00 us +- 10.0 ns       3.00 GB/s    2.50 Gflop/s  ########
              avx2         1.00 us +- 10.0 ns      12.00 GB/s   10.00 Gflop/s  ##
              avx2 is 4.00 times as fast as scalar
              each of the 1000 elements of out that are written: 10 float operations, 40 bytes loaded or stored
              measured: 3 cycles an element, at 3.0 GHz
              estimated: 0.25 cycles an iteration of the loop in line 4, 0.5 from memory, bound by stores
              this machine: 150.0 GB/s of the level 2 cache, where the 80 kB of these arrays lie, 20.0 GB/s of memory, 100.0 billion float operations a second"#]]
        .assert_eq(&text(Some("the level 2 cache")));
        let last = |level| text(level).lines().last().unwrap_or_default().to_owned();
        expect!["  this machine: 20.0 GB/s of memory, where the 80 kB of these arrays lie, 100.0 billion float operations a second"]
            .assert_eq(&last(Some("memory")));
        expect!["  this machine: 150.0 GB/s where the 80 kB of these arrays lie, 20.0 GB/s of memory, 100.0 billion float operations a second"]
            .assert_eq(&last(None));
        assert!(text(None).contains("(counted on a sample)"));
    }
}
