//! Kernels of whole arrays compared with the same kernels as loops, with clang and gcc, and with NumPy: `cargo bench -p tui --bench
//! arrays`, followed by `--` and names of kernels to measure only those.
//!
//! `arrays/arrays.lane` has each kernel as a user of NumPy writes it, `arrays/loops.lane` as loops, the C files and `arrays/kernels.py`
//! for the rivals. All are run on the same data by `arrays/measure.py`, in turns, on one core; the figures are ratios of the least
//! time of many calls. A program whose results differ from ours is not ranked. The flags of the compilers are those of `rivals.rs`.
//! The last column is the scratch memory that the kernel of whole arrays asks of its caller; the loops ask for none.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use support::compilers::{self, REASSOC, STRICT};
use support::{Figures, run};

/// The files of C, with the floating-point flags of the compilers.
const FILES: &[(&str, &[&str])] = &[("strict", STRICT), ("reassoc", REASSOC)];

/// Ratio above which whole arrays are reported as slower than loops.
const SLOWER: f64 = 1.1;

fn main() -> ExitCode {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/arrays");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = compilers::found();
    let Some(linker) = found.last() else { return ExitCode::SUCCESS };
    let has_numpy = Command::new("python3").args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        println!("there is no NumPy here, which makes the data and holds the results against each other");
        return ExitCode::SUCCESS;
    }
    let clock = folder.path().join("clock.so");
    run(Command::new(linker).args(["-O2", "-shared", "-fPIC", "-o"]).arg(&clock).arg(sources.join("clock.c")));
    let mut measure = Command::new("python3");
    measure.arg(sources.join("measure.py")).arg(&clock);
    // NumPy's own threads would not be one core.
    measure.env("OPENBLAS_NUM_THREADS", "1");
    for name in ["arrays", "loops"] {
        let library = ours(name, &sources, folder.path(), linker);
        let header = folder.path().join(name).with_extension("h");
        measure.arg(format!("{name}={}={}", library.display(), header.display()));
    }
    for compiler in &found {
        let library = compilers::theirs(compiler, &sources, FILES, folder.path());
        measure.arg(format!("{compiler}={}", library.display()));
    }
    measure.arg("--").args(std::env::args().skip(1).filter(|arg| !arg.starts_with('-')));
    let printed = run(&mut measure);
    report(&found, &printed.lines().filter_map(Row::read).collect::<Vec<_>>());
    ExitCode::SUCCESS
}

/// Builds our library of a file, with its header, and with the functions that tell the bytes of scratch memory.
fn ours(name: &str, sources: &Path, folder: &Path, linker: &str) -> PathBuf {
    let lanescope = Path::new(env!("CARGO_BIN_EXE_lanescope"));
    let source = sources.join(name).with_extension("lane");
    run(Command::new(lanescope).arg("build").arg(source).arg("-o").arg(folder));
    let scratch = folder.join(format!("{name}.scratch.o"));
    let header = format!("-DHEADER=\"{name}.h\"");
    let mut build = Command::new(linker);
    build.args(["-O2", "-fPIC", "-w", "-c", &header, "-I"]).arg(folder);
    run(build.arg(sources.join("scratch.c")).arg("-o").arg(&scratch));
    compilers::link(linker, folder, name, [folder.join(name).with_extension("o"), scratch])
}

/// What was measured of a kernel.
struct Row<'t> {
    kernel: &'t str,
    /// For whole arrays, loops, each compiler and NumPy: nanoseconds per call, or none if results differ or there is no such program.
    times: Vec<Option<f64>>,
    /// The bytes of scratch memory that whole arrays need.
    scratch: &'t str,
}

impl<'t> Row<'t> {
    fn read(line: &'t str) -> Option<Row<'t>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (kernel, columns) = words.split_first()?;
        let time = |column: &[&str]| column[0].parse().ok().filter(|_| column[1] == "agrees");
        Some(Row { kernel, times: columns.chunks(3).map(time).collect(), scratch: columns[2] })
    }

    /// Returns the time of whole arrays relative to another program's.
    fn ratio(&self, program: usize) -> Option<f64> {
        Some(self.times[0]? / self.times[program]?)
    }
}

fn report(compilers: &[&str], rows: &[Row<'_>]) {
    let names: Vec<&str> = ["loops"].iter().chain(compilers).chain(&["numpy"]).copied().collect();
    let titles: Vec<String> = names.iter().map(|name| format!("{name:>9}")).collect();
    println!("{:16} {:>10} {} {:>10} {:>10}", "arrays' time by", "ns", titles.concat(), "best of C", "scratch");
    let mut ratios: Vec<Figures> = names.iter().map(|_| Figures::default()).collect();
    for row in rows {
        let shown = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let each: Vec<String> = (1..=names.len()).map(|program| format!("{:>9}", shown(row.ratio(program)))).collect();
        let best = (2..names.len()).filter_map(|program| row.ratio(program)).max_by(f64::total_cmp);
        let mark = if row.ratio(1).is_none_or(|ratio| ratio > SLOWER) { "  slower than loops" } else { "" };
        let (ns, scratch) = (row.times[0].unwrap_or(f64::NAN), row.scratch);
        println!("{:16} {ns:>10.0} {} {:>10} {scratch:>10}{mark}", row.kernel, each.concat(), shown(best));
        for (program, figures) in ratios.iter_mut().enumerate() {
            row.ratio(program + 1).into_iter().for_each(|ratio| figures.add(ratio));
        }
    }
    let means: Vec<String> = ratios.iter().map(|figures| format!("{:>9.2}", figures.geometric_mean())).collect();
    println!("{:27} {}", "geometric mean", means.concat());
}
