//! Kernels of common use, `examples/kernels`, held against plain C: each one's results in the evaluator, in the interpreter before and after
//! all passes, and as native code are those of a reference in `reference/`, which says the same in C as it is written for one element
//! after the other, with another algorithm where there is a simpler one. The sizes go from nothing over odd remainders to several groups of
//! lanes.
//!
//! | field | kernels |
//! |---|---|
//! | sound | three biquads, channels through a biquad, look-ahead limiter, FIR, FFT, echo, dithered 16-bit samples, Goertzel |
//! | pictures | bilinear resize, median 3x3, histogram, equalization, Sobel, Gauss, RGB to YUV, summed areas, alpha blending, Floyd-Steinberg |
//! | learning | softmax, attention, attention in one pass, quantization, products of bytes, convolution, RMS norm of halves, Adam, pooling, k-means |
//! | physics | SPH, lattice Boltzmann, heat, n bodies, tridiagonal systems, sparse product, conjugate gradients |
//! | finance | Black-Scholes, binomial tree, Monte Carlo, drawdown, moving averages |
//! | graphics | ray-sphere, Perlin noise, triangle, ray-boxes, projection, Julia's set |
//! | data | filter and compact, group-by, base64, UTF-8 count, CRC, bitonic sort, transpose, lower bound, run lengths, words, Hamming, edit distance, varints, enum |
//!
//! The programs of `examples/programs` are held in the same way (`programs.rs`).
//!
//! Without a C compiler, the engines are compared with each other; without LLVM, native code is left out.

mod cases;
mod programs;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use driver::document::Document;
use driver::{machine_code, running};
use ir::interp::{self, Inputs};
use ir::{Elem, Kernel, Scalar, Type};
use native::client::Client;
use queries::run::{self, Argument, Engine, ResultArray, RunOutcome};
use queries::stages::{self, Options};

use cases::{Case, Numbers};

/// A number of elements for each run of a case.
const SIZES: [usize; 5] = [0, 1, 7, 37, 100];

/// Largest number of steps of a run.
const FUEL: u64 = 50_000_000;

#[test]
fn sound() {
    held("audio", cases::sound());
}

#[test]
fn pictures() {
    held("image", cases::pictures());
}

#[test]
fn learning() {
    held("learning", cases::learning());
}

#[test]
fn physics() {
    held("physics", cases::physics());
}

#[test]
fn finance() {
    held("finance", cases::finance());
}

#[test]
fn graphics() {
    held("graphics", cases::graphics());
}

#[test]
fn data() {
    held("data", cases::data());
}

/// A run of a case: its kernel before all passes, what it is given, and what the evaluator gives.
struct Run {
    name: String,
    kernel: std::sync::Arc<Kernel>,
    inputs: Inputs,
    tolerance: Option<f64>,
    evaluated: RunOutcome,
}

/// Holds the kernels of a field.
fn held(field: &str, cases: Vec<Case>) {
    let reference = format!("tui/tests/kernels/reference/{field}.c");
    hold(&format!("examples/kernels/{field}.lane"), &reference, cases);
}

/// Runs the kernels of a file in all engines, which have to agree to the bit, and compares with the reference, a file of C.
fn hold(kernels: &str, reference: &str, cases: Vec<Case>) {
    let path = support::root().join(kernels);
    let text = std::fs::read_to_string(&path).expect("a file of kernels");
    let document = Document::new(path.to_string_lossy(), text);
    let of_cases: Vec<_> = cases.iter().map(|case| case.kernel).collect();
    let mut wrong = Vec::new();
    for item in document.kernels() {
        let name: &str = item.name(document.db());
        if !of_cases.contains(&name) {
            wrong.push(format!("`{name}` is compared with nothing: it needs a case"));
        }
    }
    let mut runs = Vec::new();
    for case in &cases {
        for n in case.sizes.unwrap_or(&SIZES) {
            match run_case(&document, case, *n) {
                Ok(run) => runs.push(run),
                Err(why) => wrong.push(format!("{} of {n}: {why}", case.kernel)),
            }
        }
    }
    if let Some(references) = referred(reference, &runs) {
        let pairs = runs.iter().zip(references);
        wrong.extend(pairs.filter_map(|(run, reference)| beyond(run, &reference)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run_case(document: &Document, case: &Case, n: usize) -> Result<Run, String> {
    let item = document.kernel_named(case.kernel)?;
    if let Some(error) = machine_code::errors(document, &[item]).first() {
        return Err(error.message.clone());
    }
    let arguments = (case.given)(n, &mut Numbers::new(n as u64 + 1));
    let (kernel, inputs) = run::prepare(document.db(), item, &arguments).map_err(|why| why.to_string())?;
    let interpreted = |engine| {
        let ran = run::run(document.db(), item, engine, &arguments, FUEL, &mut || false);
        let ran = ran.map_err(|why| why.to_string())?;
        ran.failure.as_ref().map_or(Ok(()), |failure| Err(failure.message.clone()))?;
        Ok::<_, String>(ran)
    };
    let evaluated = interpreted(Engine::Scalar)?;
    for stage in [stages::in_order(), stages::STAGES.last().expect("stages")] {
        let found = interpreted(Engine::Interp(stage, Options::default()))?;
        same(&evaluated, &found).map_err(|how| format!("at the stage {}: {how}", stage.name))?;
    }
    if let Some(found) = natively(document, case, &arguments) {
        same(&evaluated, &found?).map_err(|how| format!("natively: {how}"))?;
    }
    Ok(Run { name: format!("{} of {n}", case.kernel), kernel, inputs, tolerance: case.tolerance, evaluated })
}

fn natively(document: &Document, case: &Case, arguments: &[Argument]) -> Option<Result<RunOutcome, String>> {
    static CLIENT: OnceLock<Option<Client>> = OnceLock::new();
    let start = || support::has_llvm().then(|| Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]));
    let client = CLIENT.get_or_init(start).as_ref()?;
    let target = native::host::row();
    let item = document.kernel_named(case.kernel).ok()?;
    let options = Options { lanes: None, target };
    let ask = |job, memory: &[u8]| client.ask(job, memory).wait(Duration::from_secs(60));
    let ran = running::natively(document, item, arguments, options, target, None, ask);
    Some(ran.map_err(|why| why.to_string()).and_then(|ran| ran.map_err(|failure| failure.to_string())))
}

/// Compares two outcomes bit by bit, all NaN being one.
fn same(expected: &RunOutcome, found: &RunOutcome) -> Result<(), String> {
    let differ = |a: &Scalar, b: &Scalar| a.bits() != b.bits() && !(is_nan(*a) && is_nan(*b));
    if expected.result.zip(found.result).is_some_and(|(a, b)| differ(&a, &b)) {
        return Err(format!("{:?} in place of {:?}", found.result, expected.result));
    }
    for (a, b) in expected.arrays.iter().zip(&found.arrays) {
        if let Some(at) = a.elements.iter().zip(&b.elements).position(|(a, b)| differ(a, b)) {
            return Err(format!("`{}` is {} in place of {} at {at}", a.name, b.elements[at], a.elements[at]));
        }
    }
    Ok(())
}

fn is_nan(scalar: Scalar) -> bool {
    number(scalar).is_nan()
}

fn number(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Bool(value) => f64::from(u8::from(value)),
        _ => scalar.float().unwrap_or_else(|| scalar.wide().unwrap_or_default() as f64),
    }
}

/// Runs the references of a file, in one program; returns the arrays of each run as they are behind it, and its result.
fn referred(reference: &str, runs: &[Run]) -> Option<Vec<(Vec<ResultArray>, Option<f64>)>> {
    let root = support::root().canonicalize().expect("the repository");
    let folder = support::Folder::new(&[("main.c", &calls(&root.join(reference), runs))]);
    let compiler = ["cc", "gcc", "clang"].into_iter().find(|compiler| {
        Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    });
    let Some(compiler) = compiler else {
        eprintln!("not compared with the reference: there is no C compiler here");
        return None;
    };
    let mut build = Command::new(compiler);
    build.current_dir(folder.path()).args(["-std=c11", "-O1", "-ffp-contract=off", "-Wall", "-Werror"]);
    build.arg("-I").arg(root.join("tui/tests/kernels/reference"));
    let built = build.args(["main.c", "-o", "main", "-lm"]).output().expect("the compiler runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut program = Command::new(folder.path().join("main"));
    folder.write("given", runs.iter().flat_map(|run| run.inputs.memory.concat()).collect::<Vec<u8>>());
    let given = std::fs::File::open(folder.path().join("given")).expect("a file");
    let output = program.stdin(given).output().expect("the program runs");
    assert!(output.status.success(), "{:?}", output.status);
    let mut rest = &output.stdout[..];
    let mut take = |bytes: usize| rest.split_off(..bytes).expect("as many bytes as were given").to_vec();
    let read = |run: &Run| {
        let memory: Vec<_> = run.inputs.memory.iter().map(|piece| take(piece.len())).collect();
        let has_result = run.evaluated.result.is_some();
        let result = has_result.then(|| f64::from_ne_bytes(take(8).try_into().expect("eight bytes")));
        (run::arrays_of(&run.kernel, &run.inputs, &memory), result)
    };
    Some(runs.iter().map(read).collect())
}

/// Writes the program that calls the references.
fn calls(reference: &Path, runs: &[Run]) -> String {
    let mut text = format!("#include \"arrays.h\"\n#include \"{}\"\n\nint main(void)\n{{\n", reference.display());
    for run in runs {
        let (mut puts, mut arguments) = (String::new(), Vec::new());
        text.push_str("    {\n");
        for (param, arg) in run.kernel.params.iter().zip(&run.inputs.args) {
            match arg {
                interp::Arg::Array { memory, .. } => {
                    let bytes = run.inputs.memory[*memory].len();
                    let _ = writeln!(text, "        void *a{memory} = get({bytes});");
                    let _ = writeln!(puts, "        put(a{memory}, {bytes});");
                    arguments.push(format!("a{memory}"));
                }
                interp::Arg::Scalar(scalar) => {
                    let suffix = match run.kernel.ty(param.value) {
                        Type::Data { elem: Elem::F32, .. } => "f",
                        Type::Data { elem: Elem::U32, .. } => "u",
                        _ => "",
                    };
                    arguments.push(format!("{scalar}{suffix}"));
                }
            }
        }
        let name = &run.kernel.name;
        let call = format!("{name}({})", arguments.join(", "));
        let call = if run.evaluated.result.is_some() { format!("double r = {call}") } else { call };
        let _ = writeln!(text, "        {call};");
        text.push_str(&puts);
        if run.evaluated.result.is_some() {
            text.push_str("        result(r);\n");
        }
        text.push_str("    }\n");
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// Says where a run is further from its reference than the case allows, as a part of the largest number around.
fn beyond(run: &Run, (arrays, result): &(Vec<ResultArray>, Option<f64>)) -> Option<String> {
    let tolerance = run.tolerance.unwrap_or(0.0);
    let off = |found: f64, expected: f64, scale: f64| {
        let is_near = (found - expected).abs() <= tolerance * scale;
        found != expected && !(found.is_nan() && expected.is_nan()) && !is_near
    };
    for (found, expected) in run.evaluated.arrays.iter().zip(arrays) {
        let numbers = |array: &ResultArray| array.elements.iter().map(|&it| number(it)).collect::<Vec<_>>();
        let (found_numbers, expected) = (numbers(found), numbers(expected));
        let finite = expected.iter().filter(|it| it.is_finite());
        let scale = finite.fold(0.0f64, |most, it| most.max(it.abs()));
        let pairs = found_numbers.iter().zip(&expected);
        let mut pairs = pairs.enumerate().filter(|(_, (a, b))| off(**a, **b, scale));
        if let Some((at, (a, b))) = pairs.next() {
            return Some(format!("{}: `{}` is {a} at {at}, and {b} by the reference", run.name, found.name));
        }
    }
    let (found, expected) = (number(run.evaluated.result?), (*result)?);
    let is_other = !expected.is_nan() && off(found, expected, expected.abs());
    is_other.then(|| format!("{}: {found}, and {expected} by the reference", run.name))
}
