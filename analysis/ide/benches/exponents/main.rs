//! The growth of the time for one kernel with each thing that a kernel can have many of: statements, depth of branches, `continue`s,
//! subscripts, stores, arrays, loops, structs, cases, instances; and with the number of files that use each other.
//!
//! `cargo bench -p ide --bench exponents`, with words after `--` for some of the families alone, or with the path of a `.lane` file,
//! whose kernels are taken apart instead. The word `passes` shows the slowest passes of each family, too. Each family is written at two
//! sizes; the exponent says by which power of its size the time grows from one to the other (1.0 is linear). Absolute times depend on
//! the machine.

mod families;
mod files;
mod forms;

use std::sync::Arc;
use std::time::{Duration, Instant};

use queries::db::{Database, File, Item, made_for};
use queries::{check, lanes, lowering};
use report::Severity;

use families::FAMILIES;
use files::{FILES, Files};
use forms::FORMS;

/// A question about a kernel, by its name.
type Part = (&'static str, fn(&Database, Item<'_>));

/// The last part: all that is told of the files.
const LAST: &str = "whole files";

/// The questions that are asked of a kernel while it is typed, and about its last stage, in an order in which each part finds those before it done.
const PARTS: [Part; 6] = [
    ("types", |db, item| {
        let _ = queries::infer(db, item);
    }),
    ("sequential", |db, item| {
        let _ = lowering::sequential(db, item);
    }),
    ("verdicts", |db, item| {
        let _ = lowering::verdicts(db, item);
    }),
    ("stages", |db, item| {
        let _ = queries::reached(db, item, made_for(db));
    }),
    ("facts", |db, item| {
        let _ = lanes::of_item(db, item);
    }),
    ("findings", |db, item| {
        let _ = check::report(db, item);
    }),
];

/// The time after which a kernel is not measured once more.
const ENOUGH: Duration = Duration::from_secs(5);

/// The time for which this thread has had a processor, where the system tells it: other programs do not count in it.
fn worked() -> Option<Duration> {
    // It is counted when the thread leaves the processor.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The time that something takes.
fn time(run: impl FnOnce()) -> Duration {
    let (start, before) = (Instant::now(), worked());
    run();
    worked().zip(before).map_or_else(|| start.elapsed(), |(after, before)| after - before)
}

/// The time that each part takes, the least of several runs.
fn measure(files: &Files) -> Vec<Duration> {
    let mut least = vec![Duration::MAX; PARTS.len() + 1];
    let start = Instant::now();
    for _ in 0..5 {
        with_kernels(files, |db, kernels, files| {
            for ((_, part), least) in PARTS.iter().zip(&mut least) {
                *least = (*least).min(time(|| kernels.iter().for_each(|kernel| part(db, *kernel))));
            }
            let last = &mut least[PARTS.len()];
            *last = (*last).min(time(|| files.iter().for_each(|file| assert_good(db, *file))));
        });
        if start.elapsed() > ENOUGH {
            break;
        }
    }
    least
}

/// Asks for all that is told of a file.
fn assert_good(db: &Database, file: File) {
    let found = check::diagnostics(db, file);
    let error = found.iter().find(|found| found.severity == Severity::Error);
    assert!(error.is_none(), "the kernels of a family have no errors: {error:?}");
}

/// The kernels of some files in a database of their own, the instances of templates among them, and the files.
fn with_kernels(files: &Files, ask: impl FnOnce(&Database, &[Item<'_>], &[File])) {
    let mut db = Database::default();
    let files: Vec<File> = files.iter().map(|(name, text)| db.add_file(name, Arc::from(text.as_str()))).collect();
    let db = &db;
    let kernels: Vec<_> = files.iter().flat_map(|file| queries::kernels(db, *file)).collect();
    ask(db, &kernels, &files);
}

/// A text in a file.
fn alone(text: String) -> Files {
    vec![("k.lane".to_owned(), text)]
}

/// The time of each run of a pass, the least of several, in the order of the stages.
fn pass_times(files: &Files) -> Vec<(&'static str, &'static str, Duration)> {
    let mut least: Vec<(&'static str, &'static str, Duration)> = Vec::new();
    for _ in 0..3 {
        with_kernels(files, |db, kernels, _| {
            let Some(&kernel) = kernels.first() else { return };
            let reached = queries::reached(db, kernel, made_for(db));
            let runs = reached.iter().flat_map(|stage| stage.passes.iter().map(|pass| (stage.stage, pass)));
            let runs = runs.map(|(stage, pass)| (stage, pass.name, pass.time));
            match least.is_empty() {
                true => least = runs.collect(),
                false => least.iter_mut().zip(runs).for_each(|(least, (.., time))| least.2 = least.2.min(time)),
            }
        });
    }
    least
}

/// Prints the passes that take long, each with its time, and with the exponent to a smaller size.
fn show_passes(files: &Files, smaller: Option<(&Files, f64)>) {
    let times = pass_times(files);
    let before = smaller.map(|(files, ratio)| (pass_times(files), ratio));
    let all: Duration = times.iter().map(|(.., time)| *time).sum();
    let mut rows: Vec<_> = times.iter().enumerate().filter(|(_, (.., time))| *time * 33 > all).collect();
    rows.sort_by_key(|(_, (.., time))| std::cmp::Reverse(*time));
    for (n, (stage, pass, time)) in rows {
        // The same passes run at both sizes.
        let small = before.as_ref().and_then(|(times, ratio)| Some((times.get(n)?.2, ratio)));
        let exponent = small.map(|(small, ratio)| (time.as_secs_f64() / small.as_secs_f64()).log(*ratio));
        let exponent = exponent.map_or(String::new(), |exponent| format!(" ({exponent:.2})"));
        println!("    {stage:>12}: {pass:<20} {:>8.1} ms{exponent}", time.as_secs_f64() * 1e3);
    }
}

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let with_passes = wanted.iter().any(|word| word == "passes");
    wanted.retain(|word| word != "passes");
    for path in wanted.iter().filter(|word| word.ends_with(".lane")) {
        let text = std::fs::read_to_string(path).expect("a file that can be read");
        println!("{path}");
        let text = alone(text);
        for (name, took) in names().zip(measure(&text)) {
            println!("    {name:<12} {took:>10.2?}");
        }
        if with_passes {
            show_passes(&text, None);
        }
    }
    print!("{:<42}", "");
    names().for_each(|name| print!("{name:>18}"));
    println!("{:>18}", "all");
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    for (name, text, sizes) in FAMILIES.iter().chain(&FORMS).filter(|(name, ..)| is_wanted(name)) {
        show(name, *sizes, |size| alone(text(size)), with_passes);
    }
    for (name, files, sizes) in FILES.iter().filter(|(name, ..)| is_wanted(name)) {
        show(name, *sizes, files, with_passes);
    }
}

/// The names of the parts.
fn names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(name, _)| *name).chain([LAST])
}

/// Measures a family, and prints its row.
fn show(name: &str, sizes: [usize; 2], files: impl Fn(usize) -> Files, with_passes: bool) {
    let [mut small, mut large] = sizes.map(|size| measure(&files(size)));
    [&mut small, &mut large].into_iter().for_each(|times| times.push(times.iter().sum()));
    print!("{:<42}", format!("{} {name}", sizes[1]));
    for (small, large) in small.iter().zip(&large) {
        let exponent = (large.as_secs_f64() / small.as_secs_f64()).log(sizes[1] as f64 / sizes[0] as f64);
        print!("{:>18}", format!("{:.1} ms ({exponent:.2})", large.as_secs_f64() * 1e3));
    }
    println!();
    if with_passes {
        show_passes(&files(sizes[1]), Some((&files(sizes[0]), sizes[1] as f64 / sizes[0] as f64)));
    }
}
