//! Whole programs compared with clang, gcc and ispc: `cargo bench -p tui --bench programs`, followed by `--` and names of kernels, or
//! what they begin with, to measure only those.
//!
//! The programs are those of `examples/programs`, with the Mandelbrot set and softmax of `examples`. Beside each stands, in
//! `programs/`, the same in C as C programmers write it, and in ISPC as those who use ispc do. All is run on the same data, in
//! turns, on one core; the result is the least time of many.
//!
//! - Each Lane program is built twice: as it stands, so that it gives the same bits everywhere, and with `@fast` above its kernels.
//! - clang and gcc get `-O3 -march=native -ffast-math` and may use registers of 512 bits. `-ffast-math` is not passed to the linker,
//!   where it would disable subnormals for the whole process.
//! - ispc is the program in `LANESCOPE_ISPC`, or else `ispc` on the path; `.ci/programs` tells how it is built. It is called with `-O3
//!   --target=host`, under which it contracts products and sums and approximates some functions.
//! - Results are compared within what rounding explains. A compiler whose results differ is not ranked for that program.
//!
//! Behind the times stand the sizes of the object files, and how long it took to make them.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use support::compilers::{self, FAST, FLAGS};
use support::{Figures, run};

/// The programs of `examples`.
const EXAMPLES: &[&str] = &["mandelbrot", "softmax"];

/// Those of `examples/programs`.
const PROGRAMS: &[&str] = &[
    "aobench",
    "dct",
    "deferred",
    "gmres",
    "noise",
    "options",
    "points",
    "rays",
    "sgemm",
    "sort",
    "stencil",
    "transpose",
    "volume",
];

/// How many of the columns are ours: as it stands, and with `@fast`.
const OURS: usize = 2;

/// A compiler's library of all programs, and what it took to make it.
struct Build {
    name: String,
    library: PathBuf,
    /// The size of each program's object file.
    bytes: Vec<u64>,
    times: Vec<Duration>,
}

fn main() -> ExitCode {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = compilers::found();
    let Some(linker) = found.last() else { return ExitCode::SUCCESS };
    let mut builds = vec![ours("strict", folder.path(), linker), ours("fast", folder.path(), linker)];
    builds.extend(found.iter().map(|compiler| c(compiler, &sources, folder.path())));
    match ispc_program() {
        Some(program) => builds.push(ispc(&program, &sources, folder.path(), linker)),
        None => println!("without ispc, which is not here: `.ci/programs` tells how it is built"),
    }
    let driver = folder.path().join("driver");
    let mut build = Command::new(linker);
    build.args(["-O2", "-w", "-I"]).arg(folder.path().join("strict")).arg("-o").arg(&driver);
    run(build.arg(sources.join("driver.c")).args(["-ldl", "-lm"]));
    let wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let libraries = builds.iter().map(|build| &build.library);
    let printed = run(Command::new(driver).args(libraries).arg("--").args(wanted));
    let rows: Vec<_> = printed.lines().filter_map(Row::read).collect();
    report_times(&builds, &rows);
    report_sizes(&builds);
    ExitCode::SUCCESS
}

fn names() -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().chain(PROGRAMS).copied()
}

/// Builds our library of the programs, with their headers beside it.
fn ours(name: &str, folder: &Path, linker: &str) -> Build {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folder = folder.join(name);
    std::fs::create_dir(&folder).expect("a folder");
    build(name, linker, &folder, |program| {
        let kind = if EXAMPLES.contains(&program) { "" } else { "programs" };
        let text = std::fs::read_to_string(examples.join(kind).join(program).with_extension("lane"));
        let text = text.expect("a program");
        let text = if name == "fast" { under_fast(&text) } else { text };
        let source = folder.join(program).with_extension("lane");
        std::fs::write(&source, text).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
        command.arg("build").arg(source).args(["--target", "native", "-o"]).arg(&folder);
        command
    })
}

/// Returns a program with `@fast` above each kernel.
fn under_fast(text: &str) -> String {
    let lines = text.lines().map(|line| match line.starts_with("kernel ") {
        true => format!("@fast\n{line}\n"),
        false => format!("{line}\n"),
    });
    lines.collect()
}

fn c(compiler: &str, sources: &Path, folder: &Path) -> Build {
    let folder = folder.join(compiler);
    std::fs::create_dir(&folder).expect("a folder");
    build(compiler, compiler, &folder, |program| {
        let mut command = Command::new(compiler);
        command.args(FLAGS).args(FAST).arg("-c").arg(sources.join(program).with_extension("c"));
        command.arg("-o").arg(folder.join(program).with_extension("o"));
        command
    })
}

/// Returns the ispc that the environment names, or that of the path.
fn ispc_program() -> Option<String> {
    let named = std::env::var("LANESCOPE_ISPC").ok();
    named.or_else(|| compilers::is_there("ispc").then(|| "ispc".to_owned()))
}

fn ispc(compiler: &str, sources: &Path, folder: &Path, linker: &str) -> Build {
    let folder = folder.join("ispc");
    std::fs::create_dir(&folder).expect("a folder");
    build("ispc", linker, &folder, |program| {
        let mut command = Command::new(compiler);
        command.args(["-O3", "--target=host", "--pic", "--woff"]).arg(sources.join(program).with_extension("ispc"));
        command.arg("-o").arg(folder.join(program).with_extension("o"));
        command
    })
}

/// Runs the command that makes each program's object file in a folder, and makes a library of them.
fn build(name: &str, linker: &str, folder: &Path, command: impl Fn(&str) -> Command) -> Build {
    let (mut bytes, mut times, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    for program in names() {
        let object = folder.join(program).with_extension("o");
        let begun = Instant::now();
        run(&mut command(program));
        times.push(begun.elapsed());
        bytes.push(std::fs::metadata(&object).expect("an object file").len());
        objects.push(object);
    }
    let library = compilers::link(linker, folder, "programs", objects);
    Build { name: name.to_owned(), library, bytes, times }
}

/// The output of the driver about a kernel.
struct Row<'t> {
    name: &'t str,
    /// Nanoseconds per call, of each library.
    times: Vec<f64>,
    /// True for each library whose results are those of the first.
    agrees: Vec<bool>,
}

impl<'t> Row<'t> {
    fn read(line: &'t str) -> Option<Row<'t>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, columns) = words.split_first()?;
        let times = columns.iter().step_by(2).map(|time| time.parse().unwrap_or(f64::NAN)).collect();
        let agrees = columns.iter().skip(1).step_by(2).map(|word| *word == "agrees").collect();
        Some(Row { name, times, agrees })
    }

    /// Returns the speed of one of ours relative to a rival's, or none if either's results differ.
    fn ratio(&self, ours: usize, rival: usize) -> Option<f64> {
        (self.agrees[ours] && self.agrees[rival]).then(|| self.times[rival] / self.times[ours])
    }
}

fn report_times(builds: &[Build], rows: &[Row<'_>]) {
    let rivals = OURS..builds.len();
    let pairs: Vec<(usize, usize)> =
        (0..OURS).flat_map(|ours| rivals.clone().map(move |rival| (ours, rival))).collect();
    let heads: Vec<String> = pairs
        .iter()
        .map(|(ours, rival)| format!("{:>16}", format!("{}:{}", builds[*ours].name, builds[*rival].name)))
        .collect();
    println!("{:20} {:>11} {:>11} {}", "times as fast as", "strict, ns", "fast, ns", heads.join(" "));
    let mut means: Vec<Figures> = pairs.iter().map(|_| Figures::default()).collect();
    for row in rows {
        let shown = pairs.iter().zip(&mut means).map(|((ours, rival), mean)| match row.ratio(*ours, *rival) {
            Some(ratio) => {
                mean.add(ratio);
                format!("{ratio:>16.2}")
            }
            None => format!("{:>16}", "differs"),
        });
        let shown: Vec<String> = shown.collect();
        println!("{:20} {:>11.0} {:>11.0} {}", row.name, row.times[0], row.times[1], shown.join(" "));
    }
    let means: Vec<String> = means.iter().map(|mean| format!("{:>16.2}", mean.geometric_mean())).collect();
    println!("{:20} {:>11} {:>11} {}\n", "geometric mean", "", "", means.join(" "));
}

fn report_sizes(builds: &[Build]) {
    let heads: Vec<String> = builds.iter().map(|build| format!("{:>18}", build.name)).collect();
    println!("{:20} {}", "bytes, milliseconds", heads.join(" "));
    for (at, program) in names().enumerate() {
        let cells = builds.iter().map(|build| {
            format!("{:>18}", format!("{} {:>6.0}", build.bytes[at], build.times[at].as_secs_f64() * 1e3))
        });
        println!("{program:20} {}", cells.collect::<Vec<_>>().join(" "));
    }
    let cells = builds.iter().map(|build| {
        let time: Duration = build.times.iter().sum();
        format!("{:>18}", format!("{} {:>6.0}", build.bytes.iter().sum::<u64>(), time.as_secs_f64() * 1e3))
    });
    println!("{:20} {}", "all", cells.collect::<Vec<_>>().join(" "));
}
