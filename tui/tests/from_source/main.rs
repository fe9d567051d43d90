//! From source to machine code: a kernel's native results after all passes equal those of the interpreter on its Lane
//! IR as it was lowered, bit for bit, on every x86 level that this machine has, with guard pages on both sides of each
//! array.
//!
//! Without LLVM these tests pass without a check, except where `CI` is set, which requires LLVM.

#[path = "../../../analysis/ide/tests/generate/mod.rs"]
mod generate;

mod audit;
mod math;
mod plain_loops;
mod random;
#[path = "../support/mod.rs"]
mod support;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hir::eval::ArgValue;
use ir::interp::{self, Inputs, Limits, Machine, MachineStatus, Stop};
use ir::{Kernel, Scalar};
use mimalloc::MiMalloc;
use native::client::Client;
use native::emit::Source;
use native::protocol::{Division, Guard, Job};
use native::run::JoinInput;
use native::{host, run};
use queries::db::{Database, File};
use queries::db::{Item, file_items};
use queries::stages::Options;
use queries::stages::target::{self, Target};
use queries::{reached, sequential};

use generate::inputs::{cells, element_of, inputs, stride};

/// The command's allocator, with which thousands of programs take a seventh less time than with the system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Time limit of a run that should end by itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// Maximum number of steps of the interpreter.
const FUEL: u64 = 20_000_000;

/// Returns the client of this process's worker, if LLVM is available.
fn client() -> Option<&'static Client> {
    static CLIENT: OnceLock<Option<Client>> = OnceLock::new();
    let start = || support::has_llvm().then(|| Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]));
    CLIENT.get_or_init(start).as_ref()
}

/// Returns the targets whose code this machine can run.
fn targets() -> impl Iterator<Item = &'static Target> {
    target::rows().filter(|target| host::runs(target))
}

/// The results of a run without an error.
#[derive(Debug, Clone, PartialEq)]
struct End {
    result: Option<Scalar>,
    arrays: Vec<Vec<Scalar>>,
}

/// A configuration for native runs.
struct Configuration {
    options: Options,
    guard: Guard,
    /// The threads that divide a kernel under `@threads`.
    threads: usize,
}

/// Returns the kernel of a name.
fn kernel_named<'db>(db: &'db Database, file: File, name: &str) -> Item<'db> {
    *file_items(db, file).iter().find(|item| **item.name(db) == *name).expect("the kernel")
}

/// Runs a kernel in the interpreter, as it was lowered; returns none for an error or too many steps.
fn interpreted(db: &Database, item: Item<'_>, args: &[ArgValue]) -> Option<End> {
    let lowering = sequential(db, item);
    if !lowering.findings.is_empty() {
        return None;
    }
    let kernel = lowering.kernel.as_ref().expect("a kernel");
    let inputs = inputs(args);
    let mut machine = Machine::new(kernel.clone(), inputs.clone()).ok()?;
    let stop = machine.run(&mut Limits { fuel: FUEL, breakpoints: &Default::default(), cancelled: &mut || false });
    match (stop, machine.status()) {
        (Stop::Over, MachineStatus::Done(result)) => {
            Some(End { result: *result, arrays: arrays(args, &inputs, machine.memory()) })
        }
        _ => None,
    }
}

/// Describes the difference between the native and the expected results of a kernel, if there is one.
fn differs(
    client: &Client,
    db: &Database,
    item: Item<'_>,
    args: &[ArgValue],
    place: &Configuration,
    expected: &End,
) -> Option<String> {
    let Configuration { options, guard, threads } = place;
    let kernel: Arc<Kernel> = reached(db, item, *options).last().expect("stages").kernel.clone();
    let inputs = inputs(args);
    let shown = |what: String| {
        let Options { lanes, target } = options;
        let text = ir::print(&kernel).text;
        Some(format!("on {} with lanes {lanes:?}, guard {guard:?}, {threads} threads: {what}\n{text}", target.name))
    };
    let parts = queries::parts(db, item, *options).filter(|parts| *threads > 1 || parts.join.is_some());
    // A sum of floats in blocks is another one than that of the whole.
    let is_exact = parts.as_ref().and_then(|parts| parts.join.as_ref()).is_none_or(|join| join.is_exact);
    let divided = parts.and_then(|parts| {
        let division = Division { threads: *threads, iterations: parts.count(&inputs)? };
        let join = parts.join.as_ref();
        let join = join.map(|it| JoinInput { kernel: &it.kernel, partials: &it.partials, given: &it.given });
        Some(run::divided_job((&parts.part, join), &Source::default(), options.target, &inputs, *guard, division))
    });
    let whole = || run::job(&kernel, &Source::default(), options.target, &inputs, *guard);
    let (job, memory) = match divided.unwrap_or_else(whole) {
        Ok(job) => job,
        Err(refused) if lacks_memory(&kernel, &refused.to_string()) => return None,
        Err(refused) => return shown(refused.to_string()),
    };
    let ran = match run::ran(&kernel, &inputs, client.ask(Job::Run(job), &memory).wait(PATIENCE)) {
        Ok(ran) => ran,
        Err(failure) => return shown(failure.to_string()),
    };
    let result = if is_exact { ran.result } else { expected.result };
    let found = End { result, arrays: arrays(args, &inputs, &ran.memory) };
    if found == *expected { None } else { shown(format!("expected {expected:?}\nfound {found:?}")) }
}

/// Says whether a kernel is refused for arrays that it makes: of sizes that nobody can tell before the call, or of another one in each of the
/// lanes that run together, which have no vectors then.
fn lacks_memory(kernel: &Kernel, refused: &str) -> bool {
    let has_array_in_lanes = || ir::print(kernel).text.contains("@in_order(temporary-array)");
    refused.contains("its bytes have to be known before the call")
        || refused.contains("lanes that run together and were not put into vectors") && has_array_in_lanes()
}

/// Decodes the contents of the arrays, in the order of the parameters.
fn arrays(args: &[ArgValue], inputs: &Inputs, memory: &[Vec<u8>]) -> Vec<Vec<Scalar>> {
    let content = |(arg, given): (&ArgValue, &interp::Arg)| {
        let interp::Arg::Array { memory: piece, start, sizes } = given else { return None };
        let element = element_of(args, arg)?;
        let end = start + sizes.iter().product::<i64>() as usize * stride(element);
        Some(cells(&memory[*piece][*start..end], element))
    };
    args.iter().zip(&inputs.args).filter_map(content).collect()
}
