//! Runs ispc's functional tests: `cargo run -p ispc-native --example functional -- [--native] [--lanes N]… [--only NAME] [--fuel STEPS] [-v] TESTS`
//!
//! They run in the interpreter, or with `--native` as machine code of this machine. TESTS is the folder that has `func-tests` and the headers. Each file is a unit of its own; its function is called with arrays as ispc's
//! own harness fills them, and what it stores is compared with what its function `result` stores. The last lines of each width have the
//! counts, and the causes for which tests are not run.

mod machine_code;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc_ir::machine::{GangFault, GangMachine, MachineLimits};
use ispc_ir::types::NumberType;
use ispc_lowering::LoweredUnit;
use ispc_types::unit::declarations;
use ispc_types::whole;

/// The functions that tests have, with the number by which headers know them.
const SIGNATURES: [(&str, u32); 12] = [
    ("f_v", 0),
    ("f_f", 1),
    ("f_fu", 2),
    ("f_fi", 3),
    ("f_du", 4),
    ("f_duf", 5),
    ("f_di", 6),
    ("f_sz", 7),
    ("f_t", 8),
    ("print_uf", 32),
    ("print_f", 33),
    ("print_fuf", 34),
];
/// The elements of each array.
const N_ELEMENTS: u64 = 256;
/// The most ops of a test.
const FUEL: u64 = 40_000_000;

struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
        Some(Arc::new(FileText::new(path, text)))
    }
}

/// The outcome of a test.
enum TestOutcome {
    Passed,
    Skipped,
    WrongValue(String),
    Fault(String),
    NotLowered(String),
    Refused(String),
}

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|arg| arg == "worker") {
        return native::worker::serve(native::worker::Syntax::Att).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let run = std::thread::Builder::new().stack_size(1 << 28).spawn(run_all).expect("a thread");
    run.join().expect("no stop")
}

fn run_all() -> ExitCode {
    let (mut widths, mut folder, mut is_verbose, mut only, mut fuel) = (Vec::new(), None, false, None, FUEL);
    let mut machine_code = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--lanes" => widths.extend(args.next().and_then(|lanes| lanes.parse::<u32>().ok())),
            "-v" => is_verbose = true,
            "--native" => machine_code = Some(machine_code::MachineCode::new()),
            "--only" => only = args.next(),
            "--fuel" => fuel = args.next().and_then(|fuel| fuel.parse().ok()).unwrap_or(FUEL),
            _ => folder = Some(arg),
        }
    }
    let Some(folder) = folder else {
        eprintln!("the folder of the tests is missing");
        return ExitCode::FAILURE;
    };
    if widths.is_empty() {
        widths = vec![4, 8, 16];
    }
    let tests = Path::new(&folder).join("func-tests");
    let mut paths: Vec<_> = fs::read_dir(tests).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "ispc"));
    if let Some(only) = &only {
        paths.retain(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(only.as_str())));
    }
    paths.sort();
    for lanes in widths {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut causes: BTreeMap<String, usize> = BTreeMap::new();
        for path in &paths {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                test(path, &folder, lanes, fuel, machine_code.as_ref())
            }));
            let outcome = outcome.unwrap_or_else(|_| TestOutcome::Fault("the program stopped".to_owned()));
            let (word, told) = match outcome {
                TestOutcome::Passed => ("passed", None),
                TestOutcome::Skipped => ("skipped by rule", None),
                TestOutcome::WrongValue(told) => ("wrong value", Some(told)),
                TestOutcome::Fault(told) => ("fault", Some(told)),
                TestOutcome::NotLowered(told) => ("not lowered", Some(told)),
                TestOutcome::Refused(told) => ("refused by types", Some(told)),
            };
            *counts.entry(word).or_default() += 1;
            if let Some(told) = told {
                if is_verbose {
                    println!("{lanes}: {}: {word}: {told}", path.file_stem().unwrap_or_default().to_string_lossy());
                }
                if word != "wrong value" {
                    *causes.entry(format!("{word}: {told}")).or_default() += 1;
                }
            }
        }
        let mut causes: Vec<_> = causes.into_iter().collect();
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (cause, count) in causes.iter().take(60) {
            println!("{lanes} lanes, {count:4} {cause}");
        }
        let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        println!("{lanes} lanes: {} tests, {}", paths.len(), counts.join(", "));
    }
    ExitCode::SUCCESS
}

/// A test that is lowered: the function, its number among [`SIGNATURES`], and the function that tells what is right.
struct LoweredTest {
    lowered: LoweredUnit,
    name: &'static str,
    number: u32,
    result: &'static str,
}

fn lowered(path: &Path, folder: &str, lanes: u32) -> Result<LoweredTest, TestOutcome> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let has = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let behind = text[at + name.len()..].trim_start().starts_with('(');
            behind && before.is_some_and(|char| !char.is_alphanumeric() && char != '_')
        })
    };
    let signature = SIGNATURES.iter().find(|(name, _)| has(name));
    let Some((name, number)) = signature else {
        return Err(TestOutcome::Refused("no function of a test's name".to_owned()));
    };
    if !is_wanted(&text, lanes) {
        return Err(TestOutcome::Skipped);
    }
    let target = Target::named(&format!("avx2-i32x{lanes}")).expect("a target");
    let mut config = Config { target, include_folders: vec![folder.to_owned()], ..Config::default() };
    config.define(&format!("TEST_SIG={number}"));
    let Some(file) = Disk.file(&path.to_string_lossy()) else { return Err(TestOutcome::Refused("no file".to_owned())) };
    let unit = ispc::read(file, &config, &Disk);
    if let Some(problem) = unit.problems.iter().find(|problem| !problem.is_warning) {
        return Err(TestOutcome::Refused(problem.message.clone()));
    }
    if let Some(problem) = whole::check(&unit).first() {
        return Err(TestOutcome::Refused(format!("{} {}", problem.code, problem.message)));
    }
    let types = declarations(&unit, None);
    let is_print = *number >= 32;
    let result = if is_print { "print_result" } else { "result" };
    let lowered = ispc_lowering::lower(&unit, &types, lanes, &[name, result]);
    if let Some(problem) = lowered.problems.first() {
        return Err(TestOutcome::NotLowered(problem.message.clone()));
    }
    if let Some(error) = ispc_ir::verify::verify(&lowered.module).first() {
        return Err(TestOutcome::NotLowered(format!("`{}` breaks an invariant: {}", error.function, error.message)));
    }
    Ok(LoweredTest { lowered, name, number: *number, result })
}

fn test(
    path: &Path,
    folder: &str,
    lanes: u32,
    fuel: u64,
    machine_code: Option<&machine_code::MachineCode>,
) -> TestOutcome {
    let test = match lowered(path, folder, lanes) {
        Ok(test) => test,
        Err(outcome) => return outcome,
    };
    if let Some(machine_code) = machine_code {
        return machine_code.run(&test, lanes);
    }
    let LoweredTest { lowered, name, number, result } = test;
    let module = &lowered.module;
    let is_print = number >= 32;
    let told = |fault: GangFault| TestOutcome::Fault(format!("`{}` {}", fault.function, fault.message));
    let mut machine = match GangMachine::new(module, MachineLimits { fuel }) {
        Ok(machine) => machine,
        Err(fault) => return told(fault),
    };
    let array = |machine: &mut GangMachine<'_>, ty: NumberType, of: &dyn Fn(u64) -> u64| {
        let address = machine.memory.allocate("an array of the test", N_ELEMENTS * ty.bytes()).expect("memory");
        (0..N_ELEMENTS).for_each(|nth| machine.memory.write(address + nth * ty.bytes(), ty, of(nth)).expect("memory"));
        address
    };
    let float = |value: f32| u64::from(value.to_bits());
    let returned = array(&mut machine, NumberType::F32, &|_| float(-1e20));
    let expected = array(&mut machine, NumberType::F32, &|_| float(0.0));
    let vfloat = array(&mut machine, NumberType::F32, &|nth| float(nth as f32 + 1.0));
    let vdouble = array(&mut machine, NumberType::F64, &|nth| (nth as f64 + 1.0).to_bits());
    let vint = array(&mut machine, NumberType::I32, &|nth| 2 * (nth + 1));
    let vint2 = array(&mut machine, NumberType::I32, &|nth| nth + 5);
    let args = match number {
        0 | 7 | 8 => vec![returned],
        1 => vec![returned, vfloat],
        2 => vec![returned, vfloat, float(5.0)],
        3 => vec![returned, vfloat, vint],
        4 => vec![returned, vdouble, 5f64.to_bits()],
        5 => vec![returned, vdouble, float(5.0)],
        6 => vec![returned, vdouble, vint2],
        32 => vec![float(5.0)],
        33 => vec![vfloat],
        _ => vec![vfloat, float(5.0)],
    };
    let (Some(function), Some(result)) = (module.function(name), module.function(result)) else {
        return TestOutcome::Refused("the test's function has no body".to_owned());
    };
    let args: Vec<Vec<u64>> = args.into_iter().map(|arg| vec![arg]).collect();
    if module.functions[function].params.len() != args.len() {
        return TestOutcome::Refused("the test's function takes other arguments".to_owned());
    }
    if let Err(fault) = machine.run(function, &args) {
        return told(fault);
    }
    let printed = std::mem::take(&mut machine.printed);
    if let Err(fault) = machine.run(result, &if is_print { Vec::new() } else { vec![vec![expected]] }) {
        return told(fault);
    }
    if is_print {
        return match printed == machine.printed {
            true => TestOutcome::Passed,
            false => TestOutcome::WrongValue(format!("printed {printed:?}, expected {:?}", machine.printed)),
        };
    }
    for lane in 0..u64::from(lanes) {
        let of = |address: u64| {
            let bits = machine.memory.read(address + lane * 4, NumberType::F32).unwrap_or_default();
            f32::from_bits(bits as u32)
        };
        if of(returned) != of(expected) {
            return TestOutcome::WrongValue(format!("lane {lane} has {}, expected {}", of(returned), of(expected)));
        }
    }
    TestOutcome::Passed
}

/// Follows the lines that tell for which targets a test is there; the last one that fits holds.
fn is_wanted(text: &str, lanes: u32) -> bool {
    let mut is_wanted = true;
    for line in text.lines() {
        let Some((_, rule)) = line.split_once("rule:") else { continue };
        let words: Vec<&str> = rule.split_whitespace().collect();
        let ([action @ ("run" | "skip"), "on", condition], _) = (&words[..3.min(words.len())], ()) else { continue };
        let Some((key, value)) = condition.split_once('=') else { continue };
        let actual = match key {
            "arch" => "x86_64".to_owned(),
            "OS" => "linux".to_owned(),
            "cpu" => "core-avx2".to_owned(),
            "target" => format!("avx2-i32x{lanes}"),
            _ => "no".to_owned(),
        };
        let (is_not, value) = value.strip_prefix('!').map_or((false, value), |value| (true, value));
        if value.split('|').any(|pattern| fits(pattern.trim_matches(['(', ')']), &actual)) != is_not {
            is_wanted = *action == "run";
        }
    }
    is_wanted
}

/// Returns true if a text is of a pattern: any text stands for `.*` and `*`.
fn fits(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = if pattern == "*" { vec!["", ""] } else { pattern.split(".*").collect() };
    let mut rest = text;
    for (nth, part) in parts.iter().enumerate() {
        let is_last = nth + 1 == parts.len();
        let at = match nth {
            0 => rest.starts_with(part).then_some(0),
            _ if is_last => rest.ends_with(part).then(|| rest.len() - part.len()),
            _ => rest.find(part),
        };
        match at {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    parts.len() > 1 || rest.is_empty()
}
