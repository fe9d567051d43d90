//! How far is what loops are estimated to cost from what they take? `cargo bench -p tui --bench costs`, followed by `--` and names of loops to
//! look at only those. A `+` in front of the names prints a row for each.
//!
//! Looked at are the kernels of `loops/` that have a single loop, over consecutive elements, whose arrays fit into the second cache. Each is
//! estimated for this machine's row of the targets, and timed on data of its own: floats from -1 to 1, and integers that are random where the
//! kernel goes over all elements with them. Its iterations are counted by the interpreter, and the clock is read off a chain of additions. The least
//! of many times counts, taken in several rounds over all loops, so that what else the machine does for a while is in none of them.
//!
//! Printed are Spearman's rank correlation, how the measured times lie about the estimates, and the loops that are furthest off.

#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use driver::document::Document;
use driver::machine_code;
use ide::variants::{WantedVariants, rows};
use ir::interp::{Inputs, Machine, MachineStatus, NextStep};
use ir::{Elem, Kernel, LoopForest};
use native::ceiling;
use native::client::Client;
use native::emit::Source;
use native::protocol::{Guard, Job, Outcome, RunJob};
use native::{host, llvm};
use queries::db::Item;
use queries::run::{Argument, DataSource, of_length, prepare, sample};
use queries::stages::Options;

use support::Figures;

/// The files of loops. Those of `packs` are no loops, and `hand` are kernels by hand.
const FILES: &[&str] = &["strict", "exits", "classic", "numeric", "media", "records", "reassoc", "fast"];

/// The number of elements: three arrays of floats lie in the first cache.
const LENGTH: i128 = 2048;

/// The most bytes of a kernel's arrays: they lie in the second cache.
const MOST_BYTES: usize = 256 << 10;

/// The share of the elements that a run has to go over; one that ends before is a measurement of its begin.
const LEAST_SHARE: f64 = 0.25;

/// The steps that a run of the interpreter may take.
const STEPS: u64 = 4_000_000;

/// The rounds over all loops, and the time of a loop in each.
const ROUNDS: usize = 4;
const MILLISECONDS: u64 = 30;

/// The number of loops that are told as furthest off.
const WORST: usize = 5;

/// A loop with its estimate and its measurement.
struct MeasuredLoop {
    name: String,
    file: &'static str,
    job: RunJob,
    memory: Vec<u8>,
    iterations: f64,
    /// Estimated cycles of an iteration, and what bounds them.
    estimated: f64,
    bound: &'static str,
    /// The least time of a run so far, in nanoseconds.
    least: f64,
    /// Measured cycles of an iteration.
    measured: f64,
}

impl MeasuredLoop {
    /// The measured cycles in times of the estimated ones.
    fn ratio(&self) -> f64 {
        self.measured / self.estimated
    }
}

fn main() -> ExitCode {
    if let Err(error) = llvm::llvm() {
        println!("nothing to measure: {error}");
        return ExitCode::SUCCESS;
    }
    let client = Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]);
    let options = Options { lanes: None, target: host::row() };
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let shows_all = words.iter().any(|word| word == "+");
    let wanted: Vec<&String> = words.iter().filter(|word| *word != "+").collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/loops");
    let mut loops = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(folder.join(file).with_extension("lane")).expect("the loops");
        let document = Document::new(format!("{file}.lane"), text).made_for(&[options]);
        for item in document.kernels() {
            let name = item.name(document.db()).to_string();
            if wanted.is_empty() || wanted.iter().any(|known| **known == name) {
                loops.extend(prepared(&document, item, file, options));
            }
        }
    }
    let mut clock = Figures::default();
    for _ in 0..ROUNDS {
        clock.add(cycles_a_nanosecond(&client));
        for it in &mut loops {
            it.least = it.least.min(least(&client, it.job.clone(), &it.memory));
        }
    }
    // The slowest readings are those that something else came into.
    let clock = clock.part(1.0);
    for it in &mut loops {
        it.measured = it.least * clock / it.iterations;
    }
    report(loops, options.target.name, shows_all);
    ExitCode::SUCCESS
}

/// A kernel with a single loop, its estimate, and data on which it goes over many elements; `None` for other kernels.
fn prepared(document: &Document, item: Item<'_>, file: &'static str, options: Options) -> Option<MeasuredLoop> {
    let db = document.db();
    let row = rows(db, item, &WantedVariants::default()).into_iter().next()?;
    let [of_loop] = &row.loops[..] else { return None };
    let (iterations, inputs) = data(document, item).into_iter().find_map(|arguments| {
        let (kernel, inputs) = prepare(db, item, &arguments).ok()?;
        let bytes: usize = inputs.memory.iter().map(Vec::len).sum();
        let iterations = (bytes <= MOST_BYTES).then(|| iterations(&kernel, &inputs)).flatten()?;
        (iterations >= LEAST_SHARE * LENGTH as f64).then_some((iterations, inputs))
    })?;
    let last = machine_code::finished(document, item, options)?;
    let source = machine_code::source(document, item);
    let (job, memory) = native::run::job(&last, &source, options.target, &inputs, Guard::End).ok()?;
    let (estimated, bound) = (of_loop.cost.cycles(), of_loop.cost.bound.in_words());
    let (least, measured) = (f64::INFINITY, f64::NAN);
    let name = item.name(db).to_string();
    Some(MeasuredLoop { name, file, job, memory, iterations, estimated, bound, least, measured })
}

/// Data for a kernel, the best first: random integers may be no subscripts, and what a loop looks for it may find soon.
fn data(document: &Document, item: Item<'_>) -> Vec<Vec<Argument>> {
    let db = document.db();
    let Some(chosen) = of_length(db, item, &[], LENGTH).filter(|chosen| chosen.iter().all(is_small)) else {
        return Vec::new();
    };
    let samples = sample(db, item, &[]).unwrap_or_default();
    let elem_of = |name: &str| {
        let ty = &samples.iter().find(|sample| sample.name == name && sample.is_array)?.ty;
        Elem::ALL.into_iter().find(|elem| ty.starts_with(&format!("{elem}[")))
    };
    let filled = |integers: bool| {
        let mut random = fastrand::Rng::with_seed(1);
        let own = |argument: &Argument| {
            let source = match (&argument.source, elem_of(&argument.name)) {
                (DataSource::Ramp(n) | DataSource::Zeros(n), Some(elem @ (Elem::F32 | Elem::F64))) => {
                    floats(elem, *n, &mut random)
                }
                (DataSource::Ramp(n), Some(_)) if integers => DataSource::Random(*n, random.u64(..)),
                (source, _) => source.clone(),
            };
            Argument { name: argument.name.clone(), source }
        };
        chosen.iter().map(own).collect()
    };
    let even = |argument: &Argument| {
        let source = match (&argument.source, elem_of(&argument.name)) {
            (DataSource::Ramp(n), Some(Elem::F32 | Elem::F64)) => DataSource::Fill(*n, "0.25".to_owned()),
            (DataSource::Ramp(n), Some(_)) => DataSource::Fill(*n, "1".to_owned()),
            (source, _) => source.clone(),
        };
        Argument { name: argument.name.clone(), source }
    };
    vec![filled(true), filled(false), chosen.clone(), chosen.iter().map(even).collect()]
}

/// Matrices of that many rows are no data that lie in a cache.
fn is_small(argument: &Argument) -> bool {
    match argument.source {
        DataSource::Ramp(n) | DataSource::Zeros(n) | DataSource::Fill(n, _) => n <= MOST_BYTES as u64,
        _ => true,
    }
}

/// Numbers from -1 to 1.
fn floats(elem: Elem, n: u64, random: &mut fastrand::Rng) -> DataSource {
    let bytes = (0..n).flat_map(|_| {
        let number = 2.0 * random.f64() - 1.0;
        if elem == Elem::F32 { (number as f32).to_le_bytes().to_vec() } else { number.to_le_bytes().to_vec() }
    });
    DataSource::Bytes(elem, bytes.collect())
}

/// The iterations of a kernel's one loop in a run; `None` if it has several, or does not come to its end.
fn iterations(kernel: &Arc<Kernel>, inputs: &Inputs) -> Option<f64> {
    let forest = LoopForest::of(kernel);
    let [of_kernel] = forest.loops() else { return None };
    let body = kernel.ops[*of_kernel].regions.last()?;
    let first = kernel.regions[*body].ops.first()?;
    let mut machine = Machine::new(Arc::clone(kernel), inputs.clone()).ok()?;
    let mut found = 0.0;
    for _ in 0..STEPS {
        match machine.place() {
            NextStep::Op(op) if op == *first => found += 1.0,
            NextStep::Over => return matches!(machine.status(), MachineStatus::Done(_)).then_some(found),
            _ => {}
        }
        machine.step();
    }
    None
}

fn cycles_a_nanosecond(client: &Client) -> f64 {
    let ceiling = ceiling::clock().expect("a chain of additions");
    let job = native::run::job(&ceiling.kernel, &Source::default(), host::row(), &ceiling.inputs, Guard::End);
    let (job, memory) = job.expect("code for the clock");
    ceiling.amount / least(client, job, &memory)
}

/// The least time of a run, in nanoseconds.
fn least(client: &Client, run: RunJob, memory: &[u8]) -> f64 {
    let job = Job::Bench { run, milliseconds: MILLISECONDS };
    match client.ask(job, memory).wait(Duration::from_secs(60)) {
        Ok((Outcome::Timed { nanoseconds, .. }, _)) => nanoseconds.into_iter().fold(f64::INFINITY, f64::min),
        _ => panic!("the worker gives no times"),
    }
}

fn report(mut loops: Vec<MeasuredLoop>, target: &str, shows_all: bool) {
    let (mut ratios, mut off) = (Figures::default(), Figures::default());
    for it in &loops {
        ratios.add(it.ratio());
        off.add(it.ratio().max(1.0 / it.ratio()));
    }
    let within = |factor: f64| {
        100.0 * off.all().iter().filter(|off| **off <= factor).count() as f64 / off.all().len().max(1) as f64
    };
    let of = |what: fn(&MeasuredLoop) -> f64| ranks(&loops.iter().map(what).collect::<Vec<_>>());
    println!("{} loops on {target}", loops.len());
    println!(
        "rank correlation of estimates and measurements (Spearman)  {:.2}",
        correlation(&of(|it| it.estimated), &of(|it| it.measured))
    );
    println!("median of measured over estimated                          {:.2}", ratios.part(0.5));
    println!("within a factor of 2                                       {:.0} %", within(2.0));
    println!("within a factor of 3                                       {:.0} %", within(3.0));
    loops.sort_by(|a, b| b.ratio().ln().abs().total_cmp(&a.ratio().ln().abs()));
    println!("\n{:24} {:10} {:>10} {:>10} {:>10}  bound by", "furthest off", "of", "estimated", "measured", "ratio");
    for it in loops.iter().take(if shows_all { loops.len() } else { WORST }) {
        let (estimated, measured, ratio) = (it.estimated, it.measured, it.ratio());
        println!("{:24} {:10} {estimated:>10.2} {measured:>10.2} {ratio:>10.2}  {}", it.name, it.file, it.bound);
    }
}

/// The ranks of figures; equal ones share the middle of theirs.
fn ranks(figures: &[f64]) -> Vec<f64> {
    let rank = |figure: &f64| {
        let below = figures.iter().filter(|other| *other < figure).count();
        let equal = figures.iter().filter(|other| *other == figure).count();
        below as f64 + (equal as f64 - 1.0) / 2.0
    };
    figures.iter().map(rank).collect()
}

/// The correlation of two rows of figures, from -1 to 1.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |of: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| of(a - mean_a, b - mean_b)).sum::<f64>();
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}
