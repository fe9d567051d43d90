//! Accuracy and speed of the math functions: `cargo bench -p tui --bench math -- SUBCOMMAND [NAME...]`. Names are those of builtins;
//! without any, all functions are measured.
//!
//! | subcommand | measures |
//! |---|---|
//! | `whole` | `f32` functions of one argument on all 2^32 inputs, or on `--count` of them |
//! | `again` | functions as with `whole`, of which an earlier text was measured on all inputs: their results beside its, which takes minutes less |
//! | `pairs` | `f32` functions of two arguments on `--count` pairs |
//! | `f64` | `f64` functions on `--count` inputs |
//! | `judge` | nothing of ours: what decides for `f64`, beside MPFR, on `--count` inputs |
//! | `speed` | cycles per element, beside glibc and SLEEF |
//! | `emulated` | nothing but bits: strict functions on targets that QEMU emulates, beside this machine's, on `--count` inputs |
//! | `table` | nothing: it renders `docs/math.md`, and what hovers say of speed, from what was measured |
//!
//! `--threads` limits the threads, and `--target` names the targets, separated by commas, instead of all that this machine runs (or
//! emulates).
//!
//! Kernels that apply a function to an array, strict and under `@fast`, are built by the command for each target, and programs in C
//! (`math/*.c`) open the libraries made of them. What is right is decided by libm's `f64` functions for `f32` and by its functions of
//! `long double` for `f64`, and by MPFR with 200 bits for results so close to the midpoint of two floats that libm cannot tell, and for
//! the largest errors; MPFR is opened when it is needed. Results are merged into `math/results.json`.
//!
//! `emulated` needs `qemu-user` and C compilers for 64-bit Arm and RISC-V, which `.ci/math` installs. Where bits differ it names the
//! first input, and fails.

#[path = "math/emulated.rs"]
mod emulated;
#[path = "math/functions.rs"]
mod functions;
#[path = "math/page.rs"]
mod page;
#[path = "math/programs.rs"]
mod programs;
#[path = "math/results.rs"]
mod results;
mod support;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use functions::{Function, Mode};
use programs::Programs;
use results::{Accuracy, Results, Row};

/// Numbers of inputs where `--count` says nothing.
const PAIRS: u64 = 1 << 28;
const F64_INPUTS: u64 = 1 << 22;
const JUDGED_INPUTS: u64 = 1_000_000;
const EMULATED_INPUTS: u64 = 10_000_000;

/// The words of the command line.
#[derive(Default)]
struct Words {
    subcommand: String,
    names: Vec<String>,
    count: Option<u64>,
    threads: Option<usize>,
    targets: Vec<String>,
}

fn main() -> ExitCode {
    let done = words().and_then(|words| match words.subcommand.as_str() {
        "whole" => accuracy(&words, "f32", &inputs_of_whole(&words), |function| !function.has_second()),
        "again" => again(&words),
        "pairs" => accuracy(&words, "f32", &words.count.unwrap_or(PAIRS).to_string(), |function| function.has_second()),
        "f64" => accuracy(&words, "f64", &words.count.unwrap_or(F64_INPUTS).to_string(), |_| true),
        "judge" => judge(&words, words.count.unwrap_or(JUDGED_INPUTS)),
        "speed" => speed(&words),
        "emulated" => emulated::measure(&words, words.count.unwrap_or(EMULATED_INPUTS)),
        "table" => table(),
        other => Err(format!(
            "there is no `{other}`: say `whole`, `again`, `pairs`, `f64`, `judge`, `speed`, `emulated` or `table` behind `--`"
        )),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn inputs_of_whole(words: &Words) -> String {
    words.count.map_or_else(|| "whole".to_owned(), |count| count.to_string())
}

fn words() -> Result<Words, String> {
    let mut words = Words::default();
    // Cargo adds a `--bench` of its own.
    let mut given = std::env::args().skip(1).filter(|word| word != "--bench");
    words.subcommand = given.next().unwrap_or_default();
    while let Some(word) = given.next() {
        let number = |text: Option<String>| text.and_then(|text| text.parse::<u64>().ok());
        match word.as_str() {
            "--count" => words.count = Some(number(given.next()).ok_or("`--count` takes a number")?),
            "--threads" => {
                words.threads = Some(number(given.next()).ok_or("`--threads` takes a number")?.max(1) as usize);
            }
            "--target" => words.targets = given.next().unwrap_or_default().split(',').map(str::to_owned).collect(),
            name if functions::all().iter().any(|function| function.name() == name) => words.names.push(word),
            _ => return Err(format!("`{word}` is neither a math function of the prelude nor an option")),
        }
    }
    Ok(words)
}

impl Words {
    fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        let wanted = |name: &str| self.names.is_empty() || self.names.iter().any(|wanted| wanted == name);
        functions::all().into_iter().filter(move |function| wanted(function.name()))
    }

    fn threads(&self) -> String {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(all).to_string()
    }
}

/// Measures the accuracy of all wanted functions of a type. `inputs` is what the program in C takes: `whole` or a number.
fn accuracy(words: &Words, elem: &str, inputs: &str, fits: impl Fn(&Function) -> bool) -> Result<(), String> {
    let programs = Programs::new(&words.targets)?;
    let program = programs.c("accuracy", &["-O3", "-march=native", "-ffp-contract=off"])?;
    let mut failed = Vec::new();
    for function in words.functions().filter(fits) {
        let libraries = match programs.libraries(&function, elem) {
            Ok(libraries) if libraries.is_empty() => continue,
            Ok(libraries) => libraries,
            Err(message) => {
                eprintln!("{message}");
                failed.push(function.name());
                continue;
            }
        };
        let mut command = Command::new(&program);
        command.args([function.name(), elem, inputs, &words.threads()]);
        command.args(libraries.iter().map(|library| format!("{}={}", library.target, library.path.display())));
        let printed = support::run(&mut command);
        let mut results = Results::read(&results_file())?;
        for line in printed.lines() {
            let row = accuracy_row(&function, elem, line).ok_or_else(|| format!("not understood: {line}"))?;
            println!("{row}");
            results.merge(row);
        }
        results.write(&results_file())?;
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not built: {}", failed.join(", "))) }
}

/// Holds functions whose text has changed against the results of the earlier one on all 2^32 inputs, by their hash. Where they are
/// the same, what was measured of that one is true of this: of the strict function on any target that had none misrounded, of the one
/// under `@fast` on the same target.
fn again(words: &Words) -> Result<(), String> {
    let programs = Programs::new(&words.targets)?;
    let program = programs.c("accuracy", &["-O3", "-march=native", "-ffp-contract=off"])?;
    let mut others = Vec::new();
    for function in words.functions().filter(|function| !function.has_second()) {
        let mut command = Command::new(&program);
        command.args([function.name(), "f32", "hashes", &words.threads()]);
        let libraries = programs.libraries(&function, "f32")?;
        command.args(libraries.iter().map(|library| format!("{}={}", library.target, library.path.display())));
        let printed = support::run(&mut command);
        let mut results = Results::read(&results_file())?;
        for line in printed.lines() {
            let now = accuracy_row(&function, "f32", line).ok_or_else(|| format!("not understood: {line}"))?;
            match now.accuracy.as_ref().and_then(|of_now| results.of_all_inputs(&now, &of_now.hash)) {
                Some(earlier) => {
                    let row = Row { accuracy: Some(earlier), ..now };
                    println!("{row}");
                    results.merge(row);
                }
                None => others.push(format!("{} for {} ({})", function.name(), now.target, now.program)),
            }
        }
        results.write(&results_file())?;
    }
    if others.is_empty() { Ok(()) } else { Err(format!("not as earlier: measure them whole: {}", others.join(", "))) }
}

/// A row of the function itself, in a mode; or of another library.
fn ours(function: &Function, elem: &str, program: &str, target: &str) -> Row {
    let mode = Mode::ALL.into_iter().find(|mode| mode.name() == program);
    let text = mode.map_or(String::new(), |mode| function.text(elem, mode));
    Row { timed: text.clone(), text, ..Row::new(function.name(), elem, program, target) }
}

/// Reads `MODE TARGET INPUTS MISROUNDED ERROR X Y HASH`.
fn accuracy_row(function: &Function, elem: &str, line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [mode, target, inputs, misrounded, error, x, y, hash] = words[..] else { return None };
    let error: f64 = error.parse().ok()?;
    let error = if error.is_finite() { Some(error) } else { None };
    let at =
        [Some(x), function.has_second().then_some(y)].into_iter().flatten().map(|bits| format!("0x{bits}")).collect();
    let (inputs, misrounded) = (inputs.parse().ok()?, misrounded.parse().ok()?);
    let accuracy = Accuracy { inputs, misrounded, error, at, hash: hash.to_owned() };
    Some(Row { accuracy: Some(accuracy), ..ours(function, elem, mode, target) })
}

/// The largest distance of libm's functions of `long double` from MPFR that may be, in their own ulp: half of what `accuracy.c` reckons
/// with.
const WIDE_DISTANCE: f64 = 4.0;

/// Holds the functions that decide what is right in `f64` against MPFR.
fn judge(words: &Words, count: u64) -> Result<(), String> {
    let programs = Programs::new(&words.targets)?;
    let program = programs.c("judge", &["-O2"])?;
    let mut too_far = Vec::new();
    for function in words.functions() {
        let printed = support::run(Command::new(&program).args([function.name(), &count.to_string()]));
        let Some(distance) = printed.split_whitespace().next() else { continue };
        println!("{:<8} {distance} ulp of x87", function.name());
        if distance.parse().map_or(true, |distance: f64| distance > WIDE_DISTANCE) {
            too_far.push(function.name());
        }
    }
    if too_far.is_empty() { Ok(()) } else { Err(format!("further than {WIDE_DISTANCE}: {}", too_far.join(", "))) }
}

/// Measures the speed of all wanted functions.
fn speed(words: &Words) -> Result<(), String> {
    let programs = Programs::new(&words.targets)?;
    let program = programs.c("speed", &["-O2"])?;
    let mut failed = Vec::new();
    for (function, elem) in words.functions().flat_map(|function| ["f32", "f64"].map(|elem| (function, elem))) {
        let libraries = match programs.libraries(&function, elem) {
            Ok(libraries) if libraries.is_empty() => continue,
            Ok(libraries) => libraries,
            Err(message) => {
                eprintln!("{message}");
                failed.push(function.name());
                continue;
            }
        };
        let mut command = Command::new(&program);
        command.args([function.name(), elem]);
        for library in &libraries {
            let calls = programs.vector_calls(library.target)?;
            command.arg(format!("{}={}={}", library.target, library.path.display(), calls.display()));
        }
        let printed = support::run(&mut command);
        let mut results = Results::read(&results_file())?;
        let targets: Vec<&str> = libraries.iter().map(|library| library.target).collect();
        results.machines.extend(targets.iter().map(|target| ((*target).to_owned(), programs::machine())));
        for line in printed.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [program, target, cycles] = words[..] else { return Err(format!("not understood: {line}")) };
            let cycles = cycles.parse().map_err(|_| format!("not understood: {line}"))?;
            // Scalar functions stand beside each target that ran with them.
            let of_targets = if target == "scalar" { targets.clone() } else { vec![target] };
            for target in of_targets {
                let row = Row { cycles: Some(cycles), ..ours(&function, elem, program, target) };
                println!("{row}");
                results.merge(row);
            }
        }
        results.write(&results_file())?;
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not built: {}", failed.join(", "))) }
}

/// Renders the page.
fn table() -> Result<(), String> {
    let results = Results::read(&results_file())?;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let write =
        |path: &str, text: String| std::fs::write(root.join(path), text).map_err(|error| format!("{path}: {error}"));
    write("docs/math.md", page::render(&results))?;
    write("analysis/lane/prelude/costs.txt", page::costs(&results))
}

fn results_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/math/results.json")
}
