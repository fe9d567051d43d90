//! Parts for threads: however the iterations of a kernel's outermost loop are divided, and in whatever order the parts run, memory holds
//! the same bits in the end, in order and in lanes; and so has the result that is joined from what they have come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::interp::{Arg, Inputs, Limits, Machine, MachineStatus, Stop};
use ir::{Code, Effect, Kernel, Op, Scalar};
use passes::dce;
use passes::parts::{DividedLoop, iterations, join, loop_of_parts, part};
use passes::pipeline::{self, Options};
use queries::db::{Database, File, file_items};
use queries::sequential;

use crate::generate::{self, Generated, host, inputs::inputs};

/// The number of kernels whose iterations could be divided.
static N_DIVIDED: AtomicU64 = AtomicU64::new(0);

/// The number of kernels whose results could be joined from blocks, and of those among them that hand on several values, and sums of floats.
static N_JOINED: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// The lane counts that parts are tried with.
const LANES: [Option<u16>; 4] = [None, Some(4), Some(1), Some(16)];

#[test]
fn parts_in_any_order_are_the_whole() {
    let cases = generate::cases(300);
    generate::look_for(generate::seeds(cases), generate::program, differs);
    generate::look_for(generate::seeds(cases / 3), generate::array_program, differs);
    assert!(N_DIVIDED.load(Relaxed) > cases / 10, "{} kernels were divided", N_DIVIDED.load(Relaxed));
    let joined = N_JOINED.each_ref().map(|number| number.load(Relaxed));
    let least = [cases / 10, cases / 40, cases / 40];
    assert!(joined.iter().zip(least).all(|(number, least)| *number > least), "{joined:?} kernels' results were joined");
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
    let without_result = storing.iter().map(|&op| alone(kernel, &storing, op));
    let with_result = results(kernel, &storing);
    without_result.chain(with_result).find_map(|kernel| differs_with(&kernel, generated))
}

/// Kernels that give what a loop of this one's body does, or this one's own result, and store in no other place than that loop.
fn results(kernel: &Kernel, storing: &[Op]) -> Vec<Kernel> {
    let mut made = Vec::new();
    let ops = kernel.regions[kernel.body].ops.clone();
    for &op in ops.iter().filter(|&&op| matches!(kernel.ops[op].code, Code::For | Code::Foreach)) {
        for &result in &kernel.ops[op].results {
            let mut alone = kernel.clone();
            let body = alone.body;
            alone.regions[body].ops.retain(|other| *other == op || kernel.effect(*other) != Effect::Writes);
            (alone.result, alone.regions[body].yields) = (alone.ty(result).data_elem(), [result].into_iter().collect());
            dce(&mut alone);
            made.push(alone);
        }
    }
    let stores = |op: Op| kernel.effect(op) == Effect::Writes;
    for kept in storing.iter().copied().map(Some).chain([None]).filter(|_| kernel.result.is_some()) {
        let mut whole = kernel.clone();
        let body = whole.body;
        whole.regions[body].ops.retain(|op| Some(*op) == kept || !stores(*op) || !kernel.ops[*op].results.is_empty());
        made.push(whole);
    }
    made
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
    ir::verify(kernel).ok()?;
    let mut divided = loop_of_parts(kernel, &loops(kernel, &DependenceLimits::default())).ok()?;
    let given = inputs(&generated.args);
    // A program that fails does not say what parts of it do.
    let whole = run(kernel, given.clone())?;
    N_DIVIDED.fetch_add(1, Relaxed);
    let mut random = fastrand::Rng::with_seed(generated.text.len() as u64);
    let mut is_exact = true;
    if let Some(blocks) = &mut divided.blocks {
        let has_sums = !blocks.are_exact();
        let is_sum = |start: Scalar| start.float().is_some_and(f64::is_finite);
        let counts = [true, blocks.partials.len() > 1, has_sums];
        for (number, counts) in N_JOINED.iter().zip(counts) {
            number.fetch_add(counts.into(), Relaxed);
        }
        // The programs' loops are shorter than one block is. In one block, what the loop joins in its own order is what the kernel has.
        let n_carried =
            kernel.ops[divided.op].results.len() - kernel.control(divided.op).map_or(0, |it| it.reductions.len());
        let is_own = blocks.partials.iter().all(|partial| !is_sum(partial.identity) || partial.number >= n_carried);
        if random.bool() {
            blocks.size = random.i64(1..6);
            is_exact = !has_sums;
        } else {
            is_exact = is_own;
        }
    }
    let whole = End { result: whole.1.filter(|_| is_exact), memory: whole.0 };
    differs_divided(kernel, &divided, &given, whole, &mut random)
}

/// What a run leaves.
#[derive(Debug, PartialEq)]
struct End {
    memory: Vec<Vec<u8>>,
    result: Option<Scalar>,
}

/// The difference between divided runs, or between one of them and the whole. Where the whole one's result is not given, all of them have
/// the same: that of the first.
fn differs_divided(
    kernel: &Kernel,
    divided: &DividedLoop,
    given: &Inputs,
    mut whole: End,
    random: &mut fastrand::Rng,
) -> Option<String> {
    let (counting, counted_by) = iterations(kernel, divided);
    let args = counted_by.iter().map(|&number| given.args[number].clone()).collect();
    let count = match run(&counting, Inputs { args, memory: given.memory.clone() }) {
        Some((_, Some(Scalar::I64(count)))) => count,
        other => return Some(format!("the iterations are not counted: {other:?}")),
    };
    let options = Options { lanes: LANES[random.usize(..LANES.len())], ..Options::default() };
    let part = part(kernel, divided);
    let join = join(kernel, divided);
    for kernel in [&part].into_iter().chain(join.as_ref().map(|(kernel, _)| kernel)) {
        if let Err(violations) = ir::verify(kernel) {
            return Some(format!("{violations:?}\n{}", ir::print(kernel).text));
        }
    }
    let stages = |kernel: Kernel| match pipeline::run(kernel, &options, true) {
        Ok(reached) => Ok(reached.into_iter().filter(|stage| STAGES.contains(&stage.stage)).collect::<Vec<_>>()),
        Err(broken) => Err(format!("{broken:?}")),
    };
    let of_part = match stages(part) {
        Ok(reached) => reached,
        Err(broken) => return Some(broken),
    };
    let joined_by = join.as_ref().map(|(_, given)| given.clone()).unwrap_or_default();
    let of_join = match join.map(|(kernel, _)| stages(kernel)).transpose() {
        Ok(reached) => reached.unwrap_or_default(),
        Err(broken) => return Some(broken),
    };
    for (at, stage) in of_part.iter().enumerate() {
        let mut cuts: Vec<i64> = (0..random.usize(..5)).map(|_| random.i64(0..=count)).chain([0, count]).collect();
        cuts.sort_unstable();
        let mut parts: Vec<[i64; 2]> = cuts.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        // Numbers beyond the iterations that there are stand for none.
        parts.extend([[count, count + random.i64(0..9)], [-random.i64(0..9), 0]]);
        random.shuffle(&mut parts);
        let mut memory = given.memory.clone();
        let mut arrays = Vec::new();
        for partial in divided.blocks.iter().flat_map(|blocks| &blocks.partials) {
            arrays.push(Arg::Array { memory: memory.len(), start: 0, sizes: vec![count] });
            // What is there before says nothing.
            memory.push(vec![random.u8(..2); count as usize * partial.identity.elem().bytes()]);
        }
        for bounds in &parts {
            let bounds = bounds.map(|bound| Arg::Scalar(Scalar::I64(bound)));
            let args = bounds.into_iter().chain(arrays.iter().cloned()).chain(given.args.iter().cloned()).collect();
            let Some((after, _)) = run(&stage.kernel, Inputs { args, memory }) else {
                return Some(format!("{}: a part fails\n{}", stage.stage, ir::print(&stage.kernel).text));
            };
            memory = after;
        }
        let mut result = None;
        let join = of_join.get(at).or(of_join.last());
        if let Some(stage) = join {
            let args =
                arrays.iter().cloned().chain(joined_by.iter().map(|&number| given.args[number].clone())).collect();
            let Some((after, found)) = run(&stage.kernel, Inputs { args, memory }) else {
                return Some(format!("{}: the join fails\n{}", stage.stage, ir::print(&stage.kernel).text));
            };
            (memory, result) = (after, found);
        }
        memory.truncate(given.memory.len());
        whole.result = whole.result.or(result);
        let found = End { memory, result };
        if found != whole {
            let join = join.map_or_else(String::new, |join| ir::print(&join.kernel).text);
            let shown = format!("{}\n{join}", ir::print(&stage.kernel).text);
            return Some(format!(
                "{}: {parts:?} of {count}\n{found:?}\n{whole:?}\n{}\n{shown}",
                stage.stage,
                ir::print(kernel).text
            ));
        }
    }
    None
}

/// The stages at which parts are run.
const STAGES: [&str; 4] = ["sequential", "parallel", "vector", "final"];

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
