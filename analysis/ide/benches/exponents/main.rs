//! The growth of the time for one kernel with each thing that a kernel can have many of: statements, depth of branches, `continue`s,
//! subscripts, stores, arrays, loops.
//!
//! `cargo bench -p ide --bench exponents`, with words after `--` for some of the families alone, or with the path of a `.lane` file,
//! whose kernels are taken apart instead. The word `passes` shows the slowest passes of each family, too, each with its own exponent. Each family is written at two
//! sizes; the exponent says by which power of its size the time grows from one to the other (1.0 is linear). Absolute times depend on
//! the machine.

mod families;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use queries::db::{Database, File, Item, made_for};
use queries::{check, lanes, lowering};
use report::Severity;

use families::{FAMILIES, MISTAKEN};

/// A question about a kernel, by its name.
type Part = (&'static str, fn(&Database, Item<'_>));

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

/// The time for which kernels are measured, with five runs at least: the least of many says more on a machine that others use, too.
const ENOUGH: Duration = Duration::from_secs(3);

/// The time after which kernels are not measured once more, however few runs there were.
const TOO_LONG: Duration = Duration::from_secs(8);

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

/// The time that each part takes for each of some texts, the least of several runs. The texts take turns, so that what else the machine does
/// is in the times of all of them.
fn measure<const TEXTS: usize>(texts: [&str; TEXTS]) -> [Vec<Duration>; TEXTS] {
    let mut least = texts.map(|_| vec![Duration::MAX; PARTS.len()]);
    let start = Instant::now();
    for run in 1.. {
        for (text, least) in texts.iter().zip(&mut least) {
            with_kernels(text, |db, kernels| {
                for ((_, part), least) in PARTS.iter().zip(least) {
                    *least = (*least).min(time(|| kernels.iter().for_each(|kernel| part(db, *kernel))));
                }
            });
        }
        if start.elapsed() > TOO_LONG || (run >= 5 && start.elapsed() > ENOUGH) {
            break;
        }
    }
    least
}

/// The kernels of a text, in a database of their own.
fn with_kernels(text: &str, ask: impl FnOnce(&Database, &[Item<'_>])) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let items = queries::db::file_items(&db, file);
    let kernels: Vec<_> = items.iter().copied().filter(|item| item.kind(&db) == report::ItemKind::Kernel).collect();
    ask(&db, &kernels);
}

/// Says whether a text has errors, with which most parts have nothing to do.
fn has_errors(text: &str) -> bool {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    check::diagnostics(&db, file).iter().any(|found| found.severity == Severity::Error)
}

/// A pass that was run on all kernels of a text: its stage, its name and its time.
type PassTime = (&'static str, &'static str, Duration);

/// The times of the passes of all kernels, the least of three runs, in the order in which they run.
fn pass_times(text: &str) -> Vec<PassTime> {
    let mut least = one_run(text);
    for _ in 0..2 {
        least.iter_mut().zip(one_run(text)).for_each(|((.., least), (.., time))| *least = (*least).min(time));
    }
    least
}

/// The times of the passes of all kernels in one run.
fn one_run(text: &str) -> Vec<PassTime> {
    let mut passes: Vec<PassTime> = Vec::new();
    with_kernels(text, |db, kernels| {
        for &kernel in kernels {
            let reached = queries::reached(db, kernel, made_for(db));
            let runs = reached.iter().flat_map(|stage| stage.passes.iter().map(|pass| (stage.stage, pass)));
            for (number, (stage, pass)) in runs.enumerate() {
                match passes.get_mut(number) {
                    Some((.., time)) => *time += pass.time,
                    None => passes.push((stage, pass.name, pass.time)),
                }
            }
        }
    });
    passes
}

/// The command's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let with_passes = wanted.iter().any(|word| word == "passes");
    wanted.retain(|word| word != "passes");
    for path in wanted.iter().filter(|word| word.ends_with(".lane")) {
        let text = std::fs::read_to_string(path).expect("a file that can be read");
        println!("{path}");
        let [times] = measure([&text]);
        for ((name, _), took) in PARTS.iter().zip(times) {
            println!("    {name:<12} {took:>10.2?}");
        }
        if with_passes {
            show_passes(pass_times(&text), |_, _| String::new());
        }
    }
    if wanted.iter().any(|word| word.ends_with(".lane")) {
        return;
    }
    print!("{:<42}", "");
    PARTS.iter().for_each(|(name, _)| print!("{name:>18}"));
    println!("{:>18}", "all");
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    let families = FAMILIES.iter().map(|family| (family, false)).chain(MISTAKEN.iter().map(|family| (family, true)));
    for ((name, text, sizes), is_mistaken) in families.filter(|((name, ..), _)| is_wanted(name)) {
        let texts = sizes.map(text);
        for text in &texts {
            assert_eq!(has_errors(text), is_mistaken, "{name}, {} bytes", text.len());
        }
        let [mut small, mut large] = measure([&texts[0], &texts[1]]);
        [&mut small, &mut large].into_iter().for_each(|times| times.push(times.iter().sum()));
        print!("{:<42}", format!("{} {name}", sizes[1]));
        for (small, large) in small.iter().zip(&large) {
            print!("{:>18}", format!("{:.1} ms {}", large.as_secs_f64() * 1e3, exponent(*small, *large, *sizes)));
        }
        println!();
        if with_passes {
            let small = pass_times(&texts[0]);
            show_passes(pass_times(&texts[1]), |numbers, large| {
                let small = numbers.iter().filter_map(|number| small.get(*number)).map(|(.., time)| *time);
                exponent(small.sum(), large, *sizes)
            });
        }
    }
}

/// Writes by which power of the size the time grows.
fn exponent(small: Duration, large: Duration, sizes: [usize; 2]) -> String {
    format!("({:.2})", (large.as_secs_f64() / small.as_secs_f64()).log(sizes[1] as f64 / sizes[0] as f64))
}

/// Shows the passes that take more than a hundredth of the time of all, each with what is said of its number and time, and all others as one.
fn show_passes(passes: Vec<PassTime>, more: impl Fn(&[usize], Duration) -> String) {
    let sum = |passes: &[(usize, PassTime)]| passes.iter().map(|(_, (.., time))| *time).sum::<Duration>();
    let mut long: Vec<(usize, PassTime)> = passes.into_iter().enumerate().collect();
    let all = sum(&long);
    let short: Vec<(usize, PassTime)> = long.extract_if(.., |(_, (.., time))| *time * 100 < all).collect();
    long.sort_by_key(|(_, (.., time))| std::cmp::Reverse(*time));
    let show = |stage: &str, name: &str, numbers: &[usize], time: Duration| {
        println!("    {stage:>12}: {name:<20} {:>8.1} ms {}", time.as_secs_f64() * 1e3, more(numbers, time));
    };
    long.iter().for_each(|(number, (stage, pass, time))| show(stage, pass, &[*number], *time));
    let numbers: Vec<usize> = short.iter().map(|(number, _)| *number).collect();
    show("all", "others", &numbers, sum(&short));
}
