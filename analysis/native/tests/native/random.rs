//! Random kernels in the interpreter and as native code: the same bits, on every x86 level that this machine has, with
//! pages on both sides of each array that nothing may touch.

use std::sync::Arc;

use ir::interp::{Inputs, Machine, MachineStatus, Stop};
use ir::{CellType, Elem, Kernel, Scalar, Target, Type, print};
use native::client::Client;
use native::emit::Source;
use native::protocol::{Guard, Job};
use native::{host, run};
use passes::pipeline::Options;
use passes::{ACTIVE_LANES, Context, DISTANCES, INTERLEAVE, MERGE_STORES, PICKS, PRODUCTS, SCRATCH, TAIL};

use crate::{PATIENCE, generator};

/// Steps that a run of a random kernel may take.
const FUEL: u64 = 20_000;

/// Interpreter and native code agree.
pub(crate) fn agree(client: &Client) {
    let differences = compare(client);
    let shown: Vec<&str> = differences.iter().take(3).map(String::as_str).collect();
    assert!(differences.is_empty(), "{}\n{} differences", shown.join("\n\n"), differences.len());
}

/// Compares many kernels, or as many as `LANESCOPE_CASES` says; gives what differs.
fn compare(client: &Client) -> Vec<String> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (first, cases) = (number("LANESCOPE_SEED").unwrap_or(0), number("LANESCOPE_CASES").unwrap_or(150));
    let targets: Vec<Target> = ir::target::TARGETS.iter().filter(|target| host::runs(target)).cloned().collect();
    let (mut differences, mut compared) = (Vec::new(), 0);
    for seed in first..first + cases {
        let (kernel, inputs) = generator::case(seed);
        let Some((result, memory)) = interpreted(&kernel, &inputs) else { continue };
        let (kernel, interleaved) = (placed(&kernel), interleaved(&kernel));
        for (n, target) in targets.iter().enumerate() {
            compared += 1;
            let kernel = if n % 2 == 0 { &kernel } else { &interleaved };
            let guard = if (seed as usize + n).is_multiple_of(2) { Guard::Start } else { Guard::End };
            if let Some(difference) = difference(client, kernel, &inputs, target, guard, (result, &memory)) {
                differences.push(format!("seed {seed} on {}: {difference}\n{}", target.name, print(kernel).text));
            }
        }
        if differences.len() > 20 {
            break;
        }
    }
    assert!(compared > 0, "every kernel ended in an error");
    differences
}

/// A kernel whose new arrays have places.
pub(crate) fn placed(kernel: &Kernel) -> Kernel {
    let (options, mut kernel) = (Options::default(), kernel.clone());
    SCRATCH.apply(&mut kernel, &mut Context::new(&options));
    kernel
}

/// A kernel behind the passes that finish groups of lanes.
fn interleaved(kernel: &Kernel) -> Kernel {
    let (options, mut kernel) = (Options::default(), kernel.clone());
    let mut context = Context::new(&options);
    for pass in [MERGE_STORES, DISTANCES, TAIL, INTERLEAVE, PRODUCTS, ACTIVE_LANES, SCRATCH] {
        pass.apply(&mut kernel, &mut context);
    }
    kernel
}

/// A kernel whose lanes are picked as its target does it best, without which some have no native code.
pub(crate) fn settled(kernel: &Kernel, target: &Target) -> Kernel {
    let row = ir::target::find(target.name).expect("a row of the table");
    let (options, mut kernel) = (Options { lanes: None, target: row }, kernel.clone());
    PICKS.apply(&mut kernel, &mut Context::new(&options));
    kernel
}

/// What a run without an error gives.
pub(crate) fn interpreted(kernel: &Kernel, inputs: &Inputs) -> Option<(Option<Scalar>, Vec<Vec<u8>>)> {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
    match (machine.run_for(FUEL), machine.status()) {
        (Stop::Over, MachineStatus::Done(result)) => Some((*result, machine.memory()[..inputs.memory.len()].to_vec())),
        _ => None,
    }
}

pub(crate) fn difference(
    client: &Client,
    kernel: &Kernel,
    inputs: &Inputs,
    target: &Target,
    guard: Guard,
    (result, memory): (Option<Scalar>, &[Vec<u8>]),
) -> Option<String> {
    let kernel = &settled(kernel, target);
    let (job, payload) = match run::job(kernel, &Source::default(), target, inputs, guard) {
        Ok(job) => job,
        // What is never lowered is refused by name.
        Err(refused) => return (!is_refused_rightly(kernel)).then(|| refused.to_string()),
    };
    let ir = job.ir.clone();
    match run::ran(kernel, inputs, client.ask(Job::Run(job), &payload).wait(PATIENCE)) {
        Err(failure) => Some(format!("{failure}\n{ir}")),
        Ok(ran) if ran.result != result => Some(format!("gives {:?}, not {result:?}\n{ir}", ran.result)),
        Ok(ran) => first_difference_of(kernel, &ran.memory, memory).map(|what| format!("{what}\n{ir}")),
    }
}

/// Where the memories of arrays differ, other than in the bits of a NaN.
pub(crate) fn first_difference_of(kernel: &Kernel, native: &[Vec<u8>], interpreted: &[Vec<u8>]) -> Option<String> {
    let views = kernel.params.iter().map(|param| kernel.ty(param.value)).filter(|ty| ty.is_view());
    views.zip(native.iter().zip(interpreted)).find_map(|(ty, (native, interpreted))| {
        let at = first_difference(kernel, ty, native, interpreted)?;
        Some(format!("memory of {ty} differs at byte {at}"))
    })
}

/// Whether the kernel holds what there is no native code for.
fn is_refused_rightly(kernel: &Kernel) -> bool {
    let mut rightly = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let lanes = kernel.control(op).and_then(|control| control.width).map_or(1, usize::from);
        let together = kernel.lanes_of_foreach(op).is_some();
        let known = |&size: &ir::Value| kernel.as_const(size).is_some();
        rightly |= kernel.ops[op].code == ir::Code::Temp && !kernel.ops[op].operands.iter().all(known);
        rightly |= kernel.ops[op].code == ir::Code::Unknown || !64usize.is_multiple_of(lanes) || together;
    });
    rightly
}

/// The first byte at which two memories differ, other than in the bits of a NaN.
fn first_difference(kernel: &Kernel, ty: Type, a: &[u8], b: &[u8]) -> Option<usize> {
    let fields: Vec<(usize, Elem)> = match ty {
        Type::View { item: CellType::Elem(elem), .. } => vec![(0, elem)],
        Type::View { item: CellType::Struct(decl), .. } => {
            let decl = &kernel.structs[decl];
            decl.leaves().collect()
        }
        Type::Data { .. } => return None,
    };
    let step = match ty {
        Type::View { item, .. } => kernel.item_bytes(item),
        Type::Data { .. } => 1,
    };
    let scalar = |bytes: &[u8], at: usize, elem: Elem| {
        let mut bits = [0; 8];
        bits[..elem.bytes()].copy_from_slice(&bytes[at..at + elem.bytes()]);
        Scalar::from_bits(elem, u64::from_le_bytes(bits))
    };
    (0..a.len() / step)
        .flat_map(|cell| fields.iter().map(move |(offset, elem)| (cell * step + offset, *elem)))
        .find(|&(at, elem)| scalar(a, at, elem) != scalar(b, at, elem))
        .map(|(at, _)| at)
}
