//! What machine code of ISPC functions is held to: the bits of the machine of `ispc-ir`, and what callers in C see.
//!
//! Functions are run by a worker, which this program is as well, so it has a `main` of its own. Without LLVM all is skipped, except where
//! `CI` is set: there it has to be.

mod callers;
mod linked;
// The programs and their own interpreter are those that facts are tried with.
#[path = "../../../ispc-facts/tests/facts/program.rs"]
mod program;
mod programs;
mod random;
#[allow(dead_code, reason = "facts are tried with more of it")]
#[path = "../../../ispc-facts/tests/facts/run.rs"]
mod run;
mod shapes;
mod strided;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ispc::config::{Config, Target};
use ispc::file::{FileText, NoFiles};
use ispc::unit::Unit;
use ispc_lowering::LoweredUnit;
use ispc_native::run::{GangRan, GangRun, job, ran};
use ispc_types::unit::{UnitTypes, declarations};
use native::client::Client;
use native::host;
use native::llvm;
use native::protocol::Job;

/// How long anything that ends by itself may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A test, and what it is called.
type Test = (&'static str, fn(&Client));

const TESTS: &[Test] = &[
    ("random::agree", random::agree),
    ("programs::whole_numbers", programs::whole_numbers),
    ("programs::floats", programs::floats),
    ("programs::math", programs::math),
    ("programs::lanes", programs::lanes),
    ("programs::memory", programs::memory),
    ("programs::structs", programs::structs),
    ("programs::tasks", programs::tasks),
    ("programs::have_code_for_all_targets", programs::have_code_for_all_targets),
    ("programs::what_cannot_be_is_told", programs::what_cannot_be_is_told),
    ("programs::every_code_has_a_page", programs::every_code_has_a_page),
    ("callers::in_c_and_cpp", callers::in_c_and_cpp),
    ("linked::in_several_files", linked::in_several_files),
    ("linked::by_symbols", linked::by_symbols),
    ("shapes::of_accesses", shapes::of_accesses),
    ("shapes::of_branches", shapes::of_branches),
    ("shapes::of_masks", shapes::of_masks),
    ("shapes::of_strides", shapes::of_strides),
    ("strided::loads", strided::loads),
    ("strided::structures", strided::structures),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "worker") {
        return native::worker::serve(native::worker::Syntax::Att).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if args.iter().any(|arg| arg == "--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    if let Err(error) = llvm::llvm() {
        println!("skipped, without LLVM: {error}");
        return if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let program = std::env::current_exe().expect("the path of this program");
    let client = Client::new(program, &["worker"]);
    let wanted =
        |name: &str| args.iter().filter(|arg| !arg.starts_with('-')).all(|filter| name.contains(filter.as_str()));
    let mut failed = Vec::new();
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        let ended = catch_unwind(AssertUnwindSafe(|| test(&client)));
        println!("test {name} ... {}", if ended.is_ok() { "ok" } else { "FAILED" });
        failed.extend(ended.is_err().then_some(*name));
    }
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Lowers all functions of a text that has no mistake.
fn lowered(text: &str, lanes: u32) -> LoweredUnit {
    lowered_with_types(text, lanes).0
}

fn lowered_with_types(text: &str, lanes: u32) -> (LoweredUnit, UnitTypes) {
    lowered_by(text, lanes, |unit, types| ispc_lowering::lower(unit, types, lanes, &[]))
}

/// Lowers what other programs and files know of a text that has no mistake.
fn shared_with_types(text: &str, lanes: u32) -> (LoweredUnit, UnitTypes) {
    lowered_by(text, lanes, |unit, types| ispc_lowering::lower_shared(unit, types, lanes, &[]))
}

fn lowered_by(text: &str, lanes: u32, lower: impl Fn(&Unit, &UnitTypes) -> LoweredUnit) -> (LoweredUnit, UnitTypes) {
    let target = Target::named(&format!("avx2-i32x{lanes}")).expect("a target");
    let config = Config { target, ..Config::default() };
    let unit = ispc::read(Arc::new(FileText::new("main.ispc", text)), &config, &NoFiles);
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    let found = ispc_types::whole::check(&unit);
    assert!(found.is_empty(), "{text}\n{found:?}");
    let types = declarations(&unit, None);
    let lowered = lower(&unit, &types);
    assert!(lowered.problems.is_empty(), "{text}\n{:?}", lowered.problems);
    (lowered, types)
}

/// The exported functions of a program: their names and numbers.
fn exports(lowered: &LoweredUnit) -> Vec<(String, usize)> {
    let entries = lowered.entries.iter().filter(|entry| entry.is_exported);
    entries.map(|entry| (entry.name.to_string(), entry.function)).collect()
}

/// The target of this machine.
fn here() -> ir::Target {
    host::tuned(host::row())
}

/// Runs a function of a program on this machine.
fn natively(client: &Client, lowered: &LoweredUnit, run: &GangRun) -> GangRan {
    let (request, payload) = job(&lowered.module, &here(), run).unwrap_or_else(|refused| panic!("{refused:?}"));
    let ir = request.ir.clone();
    let answer = client.ask(Job::Run(request), &payload).wait(PATIENCE);
    ran(&lowered.module, run, answer).unwrap_or_else(|failure| panic!("{failure}\n{ir}"))
}

/// What was printed, without the numbers of lanes that are off: those are nobody's.
fn shown(printed: &str) -> String {
    let mut shown = String::new();
    let mut rest = printed;
    while let Some((front, behind)) = rest.split_once("((") {
        shown += front;
        shown += "off";
        rest = behind.split_once("))").map_or("", |(_, behind)| behind);
    }
    shown + rest
}
