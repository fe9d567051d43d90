//! Plain loops compared with clang and gcc, and kernels with those that are written by hand with intrinsics:
//! `cargo bench -p tui --bench rivals`, followed by `--` and names of loops, or what they begin with, to measure only those.
//!
//! Each loop of `loops/` is compiled by all three for this very machine and run on the same data, alternating, on one
//! core. The result is the least time of many, and its ratio to the better of the two. Several rules keep the
//! comparison fair:
//!
//! - Strict loops round after each operation, so clang and gcc get `-ffp-contract=off`. Loops under `@reassoc`, which may
//!   only reorder sums, also get `-fassociative-math`. Loops under `@fast` are compared with `-ffast-math`. Flags that
//!   change no result but allow more (`-fno-math-errno`, `-fno-trapping-math`) are always on.
//! - Both compilers may use registers of 512 bits, which they would not do by default.
//! - `-ffast-math` is not passed to the linker, where it would disable subnormals for the whole process.
//! - Results are compared with ours, bit by bit in strict loops; a compiler whose results differ is not ranked for that
//!   loop. (gcc 12 contracts complex products regardless of its flags.)
//! - What is by hand (`loops/hand.c`) is for AVX2, and so is our code that is compared with it.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use support::compilers::{self, FAST, REASSOC, STRICT};
use support::{Figures, run};

/// The files of loops, with the floating-point flags of the compilers.
const FILES: &[(&str, &[&str])] = &[
    ("strict", STRICT),
    ("packs", STRICT),
    ("exits", STRICT),
    ("classic", STRICT),
    ("numeric", STRICT),
    ("media", STRICT),
    ("records", STRICT),
    ("reassoc", REASSOC),
    ("fast", FAST),
];

/// The file of kernels that C has by hand, where this machine can run them.
const BY_HAND: (&str, &[&str]) = ("hand", STRICT);

/// Ratio below which a loop is reported as slower.
const BEHIND: f64 = 0.9;

fn main() -> ExitCode {
    let loops = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/loops");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = compilers::found();
    let Some(linker) = found.last() else { return ExitCode::SUCCESS };
    let files: Vec<_> = FILES.iter().copied().chain(runs_by_hand().then_some(BY_HAND)).collect();
    let mut libraries = vec![ours(&files, &loops, folder.path(), linker)];
    libraries.extend(found.iter().map(|compiler| compilers::theirs(compiler, &loops, &files, folder.path())));
    let driver = folder.path().join("driver");
    let mut build = Command::new(linker);
    build.args(runs_by_hand().then_some("-DHAND"));
    build.args(["-O2", "-w", "-I"]).arg(folder.path()).arg("-o").arg(&driver).arg(loops.join("driver.c"));
    run(build.args(["-ldl", "-lm"]));
    let wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let printed = run(Command::new(driver).args(&libraries).arg("--").args(wanted));
    let rows: Vec<_> = printed.lines().filter_map(Row::read).collect();
    let (by_hand, plain): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.name.starts_with(BY_HAND.0));
    for (of, rows) in [("loops", plain), ("kernels by hand", by_hand)] {
        if !rows.is_empty() {
            report(of, &found, &rows);
        }
    }
    ExitCode::SUCCESS
}

/// Says whether this machine runs what is written with the intrinsics of AVX2 and FMA.
fn runs_by_hand() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Builds our library of the loops, with their headers beside it.
fn ours(files: &[(&str, &[&str])], loops: &Path, folder: &Path, linker: &str) -> PathBuf {
    let lanescope = Path::new(env!("CARGO_BIN_EXE_lanescope"));
    for (file, _) in files {
        let source = loops.join(file).with_extension("lane");
        let target = if *file == BY_HAND.0 { "avx2" } else { "native" };
        run(Command::new(lanescope).arg("build").arg(source).args(["--target", target, "-o"]).arg(folder));
    }
    compilers::link(linker, folder, "lanescope", files.iter().map(|(file, _)| folder.join(file).with_extension("o")))
}

/// The output of the driver about a loop.
struct Row<'t> {
    name: &'t str,
    /// Nanoseconds per call, ours first.
    times: Vec<f64>,
    /// True for each program whose results equal ours.
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

    /// Returns our speed relative to a compiler's, or none if its results differ from ours.
    fn ratio(&self, compiler: usize) -> Option<f64> {
        self.agrees[compiler + 1].then(|| self.times[compiler + 1] / self.times[0])
    }

    /// Returns the ratio to the better of the compilers.
    fn to_the_better(&self) -> Option<f64> {
        (0..self.times.len() - 1).filter_map(|compiler| self.ratio(compiler)).min_by(f64::total_cmp)
    }
}

fn report(of: &str, compilers: &[&str], rows: &[Row<'_>]) {
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
    println!("\ngeometric mean {:.2}; {behind} of {} {of} under {BEHIND}\n", ratios.geometric_mean(), rows.len());
}
