//! Plain loops beside what clang and gcc make of them: `cargo bench -p tui --bench rivals`, with names of loops behind
//! `--` to see only those.
//!
//! Each loop of `loops/` is compiled by all three for this very machine and run on the same data, in turns, on one
//! core; what counts is the least time of many, and its ratio to the better of the two. What keeps that fair:
//!
//! - Strict loops keep to one rounding for each operation everywhere, so clang and gcc get `-ffp-contract=off`; so do
//!   loops under `@reassoc`, which may only take sums in another order, with `-fassociative-math`. Loops under `@fast`
//!   stand beside `-ffast-math`. Flags that change no result but allow more (`-fno-math-errno`, `-fno-trapping-math`) are on.
//! - Both of them are allowed registers of 512 bits, which they would not use by themselves.
//! - `-ffast-math` is not said when libraries are linked: it would turn subnormals off for the whole process.
//! - Results are compared with ours, bit by bit in strict loops; a compiler whose results differ is out of that race.
//!   (gcc 12 contracts complex products whatever it is told.)

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use support::{Figures, run};

/// The compilers that there may be, each by the names it goes by, best first.
const COMPILERS: &[&[&str]] = &[&["clang-19", "clang"], &["gcc"]];

/// What both are told about every loop.
const FLAGS: &[&str] =
    &["-O3", "-march=native", "-mprefer-vector-width=512", "-fPIC", "-fno-math-errno", "-fno-trapping-math", "-w"];

/// The files of loops, and what compilers are told about their floats.
const FILES: &[(&str, &[&str])] = &[
    ("strict", &["-ffp-contract=off"]),
    ("reassoc", &["-ffp-contract=off", "-fassociative-math", "-fno-signed-zeros"]),
    ("fast", &["-ffast-math"]),
];

/// A ratio that is behind.
const BEHIND: f64 = 0.9;

fn main() -> ExitCode {
    let loops = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/loops");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found: Vec<&str> =
        COMPILERS.iter().filter_map(|names| names.iter().copied().find(|name| is_there(name))).collect();
    let Some(linker) = found.last() else {
        println!("there is neither clang nor gcc here, so there is nothing to compare with");
        return ExitCode::SUCCESS;
    };
    let missing = COMPILERS.iter().filter(|names| names.iter().all(|name| !found.contains(name)));
    missing.for_each(|names| println!("without {}, which is not here", names[0]));
    let mut libraries = vec![ours(&loops, folder.path(), linker)];
    libraries.extend(found.iter().map(|compiler| theirs(compiler, &loops, folder.path())));
    let driver = folder.path().join("driver");
    let mut build = Command::new(linker);
    build.args(["-O2", "-w", "-I"]).arg(folder.path()).arg("-o").arg(&driver).arg(loops.join("driver.c"));
    run(build.args(["-ldl", "-lm"]));
    let printed = run(Command::new(driver).args(&libraries));
    let wanted: BTreeSet<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let rows = printed.lines().filter_map(Row::read).filter(|row| wanted.is_empty() || wanted.contains(row.name));
    report(&found, &rows.collect::<Vec<_>>());
    ExitCode::SUCCESS
}

fn is_there(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Our own library of the loops, with their headers beside it.
fn ours(loops: &Path, folder: &Path, linker: &str) -> PathBuf {
    let lanescope = Path::new(env!("CARGO_BIN_EXE_lanescope"));
    for (file, _) in FILES {
        let source = loops.join(file).with_extension("lane");
        run(Command::new(lanescope).arg("build").arg(source).arg("-o").arg(folder));
    }
    link(linker, folder, "lanescope", FILES.iter().map(|(file, _)| folder.join(file).with_extension("o")))
}

/// A compiler's library of the loops.
fn theirs(compiler: &str, loops: &Path, folder: &Path) -> PathBuf {
    let objects: Vec<PathBuf> = FILES
        .iter()
        .map(|(file, floats)| {
            let object = folder.join(format!("{compiler}.{file}.o"));
            let source = loops.join(file).with_extension("c");
            run(Command::new(compiler).args(FLAGS).args(*floats).arg("-c").arg(source).arg("-o").arg(&object));
            object
        })
        .collect();
    link(compiler, folder, compiler, objects)
}

fn link(linker: &str, folder: &Path, name: &str, objects: impl IntoIterator<Item = PathBuf>) -> PathBuf {
    let library = folder.join(format!("{name}.so"));
    run(Command::new(linker).args(["-shared", "-w", "-o"]).arg(&library).args(objects).arg("-lm"));
    library
}

/// What the driver says about a loop.
struct Row<'t> {
    name: &'t str,
    /// In nanoseconds a call, ours first.
    times: Vec<f64>,
    /// Whether the results are ours.
    agrees: Vec<bool>,
}

impl<'t> Row<'t> {
    fn read(line: &'t str) -> Option<Row<'t>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, columns) = words.split_first()?;
        let times = columns.iter().step_by(2).filter_map(|time| time.parse().ok()).collect();
        let agrees = columns.iter().skip(1).step_by(2).map(|word| *word == "agrees").collect();
        Some(Row { name, times, agrees })
    }

    /// How many times as fast as a compiler's ours is; nothing if that one computes something else.
    fn ratio(&self, compiler: usize) -> Option<f64> {
        self.agrees[compiler + 1].then(|| self.times[compiler + 1] / self.times[0])
    }

    /// The ratio to the better of them.
    fn to_the_better(&self) -> Option<f64> {
        (0..self.times.len() - 1).filter_map(|compiler| self.ratio(compiler)).min_by(f64::total_cmp)
    }
}

fn report(compilers: &[&str], rows: &[Row<'_>]) {
    let names: Vec<String> = compilers.iter().map(|name| format!("{name:>10}")).collect();
    println!("{:20} {:>10} {} {:>10}", "times as fast as", "ns", names.join(" "), "the better");
    let mut ratios = Figures::default();
    for row in rows {
        let shown = |ratio: Option<f64>| ratio.map_or("differs".to_owned(), |ratio| format!("{ratio:.2}"));
        let each: Vec<String> =
            (0..compilers.len()).map(|compiler| format!("{:>10}", shown(row.ratio(compiler)))).collect();
        let better = row.to_the_better();
        let mark = if better.is_some_and(|ratio| ratio < BEHIND) { "  behind" } else { "" };
        println!("{:20} {:>10.0} {} {:>10}{mark}", row.name, row.times[0], each.join(" "), shown(better));
        better.into_iter().for_each(|ratio| ratios.add(ratio));
    }
    let behind = ratios.all().iter().filter(|ratio| **ratio < BEHIND).count();
    println!("\ngeometric mean {:.2}; {behind} of {} loops under {BEHIND}", ratios.geometric_mean(), rows.len());
}
