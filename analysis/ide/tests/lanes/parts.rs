//! Parts for threads: however the iterations of a kernel's outermost loop are divided, and in whatever order the parts run, memory holds
//! the same bits in the end, in order and in lanes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::interp::{Arg, Inputs, Limits, Machine, MachineStatus, Stop};
use ir::{Effect, Kernel, Op, Scalar};
use passes::parts::{iterations, loop_of_parts, part};
use passes::pipeline::{self, Options};
use queries::db::{Database, File, file_items};
use queries::sequential;

use crate::generate::{self, Generated, host, inputs::inputs};

/// The number of kernels whose iterations could be divided.
static N_DIVIDED: AtomicU64 = AtomicU64::new(0);

/// The lane counts that parts are tried with.
const LANES: [Option<u16>; 4] = [None, Some(4), Some(1), Some(16)];

#[test]
fn parts_in_any_order_are_the_whole() {
    let cases = generate::cases(300);
    generate::look_for(generate::seeds(cases), generate::program, differs);
    generate::look_for(generate::seeds(cases / 3), generate::array_program, differs);
    assert!(N_DIVIDED.load(Relaxed) > cases / 10, "{} kernels were divided", N_DIVIDED.load(Relaxed));
}

/// The difference between the parts of a program's kernel and the whole, if there is one.
fn differs(generated: &Generated) -> Option<String> {
    host::ask(&generated.text, |db, file| differs_in(db, file, generated))
}

fn differs_in(db: &Database, file: File, generated: &Generated) -> Option<String> {
    let item = *file_items(db, file).iter().find(|item| **item.name(db) == *generated.kernel)?;
    let lowering = sequential(db, item);
    let kernel = lowering.kernel.as_ref().filter(|_| lowering.findings.is_empty())?;
    ir::verify(kernel).ok()?;
    let storing = stores(kernel);
    storing.iter().find_map(|&op| differs_with(&alone(kernel, &storing, op), generated))
}

/// The ops of a kernel's body that write, and give nothing to those behind.
fn stores(kernel: &Kernel) -> Vec<Op> {
    let ops = kernel.regions[kernel.body].ops.iter().copied();
    ops.filter(|&op| kernel.ops[op].results.is_empty() && kernel.effect(op) == Effect::Writes).collect()
}

/// A kernel that gives no result, and of those ops has only one: most programs store in several places.
fn alone(kernel: &Kernel, storing: &[Op], kept: Op) -> Kernel {
    let mut alone = kernel.clone();
    let body = alone.body;
    alone.regions[body].ops.retain(|op| *op == kept || !storing.contains(op));
    (alone.result, alone.regions[body].yields) = (None, Default::default());
    alone
}

/// The difference between the parts of one kernel and the whole.
fn differs_with(kernel: &Kernel, generated: &Generated) -> Option<String> {
    let op = loop_of_parts(kernel, &loops(kernel, &DependenceLimits::default())).ok()?;
    let given = inputs(&generated.args);
    // A program that fails does not say what parts of it do.
    let whole = run(kernel, given.clone())?.0;
    N_DIVIDED.fetch_add(1, Relaxed);
    let (counting, counted_by) = iterations(kernel, op);
    let args = counted_by.iter().map(|&number| given.args[number].clone()).collect();
    let count = match run(&counting, Inputs { args, memory: given.memory.clone() }) {
        Some((_, Some(Scalar::I64(count)))) => count,
        other => return Some(format!("the iterations are not counted: {other:?}")),
    };
    let mut random = fastrand::Rng::with_seed(generated.text.len() as u64);
    let options = Options { lanes: LANES[random.usize(..LANES.len())], ..Options::default() };
    let part = part(kernel, op);
    if let Err(violations) = ir::verify(&part) {
        return Some(format!("{violations:?}\n{}", ir::print(&part).text));
    }
    let reached = match pipeline::run(part, &options, true) {
        Ok(reached) => reached,
        Err(broken) => return Some(format!("{broken:?}")),
    };
    for stage in reached.iter().filter(|stage| ["sequential", "parallel", "vector", "final"].contains(&stage.stage)) {
        let mut cuts: Vec<i64> = (0..random.usize(..5)).map(|_| random.i64(0..=count)).chain([0, count]).collect();
        cuts.sort_unstable();
        let mut parts: Vec<[i64; 2]> = cuts.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        // Numbers beyond the iterations that there are stand for none.
        parts.extend([[count, count + random.i64(0..9)], [-random.i64(0..9), 0]]);
        random.shuffle(&mut parts);
        let mut memory = given.memory.clone();
        for bounds in &parts {
            let bounds = bounds.map(|bound| Arg::Scalar(Scalar::I64(bound)));
            let args = bounds.into_iter().chain(given.args.iter().cloned()).collect();
            let Some((after, _)) = run(&stage.kernel, Inputs { args, memory }) else {
                return Some(format!("{}: a part fails\n{}", stage.stage, ir::print(&stage.kernel).text));
            };
            memory = after;
        }
        if memory != whole {
            return Some(format!("{}: {parts:?} of {count}\n{}", stage.stage, ir::print(&stage.kernel).text));
        }
    }
    None
}

/// The memory of the inputs and the result after a run that comes to its end.
fn run(kernel: &Kernel, inputs: Inputs) -> Option<(Vec<Vec<u8>>, Option<Scalar>)> {
    let n_pieces = inputs.memory.len();
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs).ok()?;
    let mut limits = Limits { fuel: 50_000_000, breakpoints: &Default::default(), cancelled: &mut || false };
    let stop = machine.run(&mut limits);
    match machine.status() {
        MachineStatus::Done(result) if stop == Stop::Over => Some((machine.memory()[..n_pieces].to_vec(), *result)),
        _ => None,
    }
}
