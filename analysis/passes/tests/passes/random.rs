//! Random kernels: the text form reads back, passes keep what a run gives, and runs can be undone.
//!
//! `LANESCOPE_CASES` says how many kernels each test takes.

use crate::generator;

use std::sync::Arc;

use ir::interp::{Inputs, Machine, MachineStatus, Stop};
use ir::{Code, Kernel, canonical, print, read, verify_scalar};
use passes::pipeline::Options;
use passes::trace::{Trace, TraceOf};
use passes::{Context, PASSES};

fn n_cases(usual: u64) -> u64 {
    std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// More steps than any kernel that is looked at takes.
const FUEL: u64 = 20_000;

/// Takes kernels one after the other until `problem` finds one with a problem, and shows that made small.
fn for_each_kernel(usual: u64, problem: impl Fn(&Kernel, &Inputs) -> Option<String>) {
    for seed in 0..n_cases(usual) {
        let (kernel, inputs) = generator::case(seed);
        if let Some(first) = problem(&kernel, &inputs) {
            let small = generator::shrink(kernel, |kernel| problem(kernel, &inputs).is_some());
            let what = problem(&small, &inputs).unwrap_or(first);
            panic!("seed {seed}: {what}\n{}", print(&small).text);
        }
    }
}

#[test]
fn random_kernels_are_verified() {
    for seed in 0..n_cases(3000) {
        let (kernel, _) = generator::case(seed);
        if let Err(violations) = verify_scalar(&kernel) {
            panic!("seed {seed}: {}\n{}", violations[0], print(&kernel).text);
        }
    }
}

#[test]
fn what_is_printed_reads_back_equal() {
    for_each_kernel(3000, |kernel, _| {
        let text = print(kernel).text;
        let again = match read(&text, kernel.lanes) {
            Ok(kernels) => canonical(&kernels[0]),
            Err(error) => return Some(error.to_string()),
        };
        let printed_again = print(&again).text;
        if printed_again != text {
            return Some(format!("prints as something else\n{printed_again}"));
        }
        (again != canonical(kernel)).then(|| format!("{again:#?}\n{:#?}", canonical(kernel)))
    });
}

/// How a run ended, and what its arrays hold.
type Outcome = (Result<Option<ir::Scalar>, String>, Vec<Vec<u8>>);

/// How a run of a kernel ends; nothing for one that is too long to wait for.
fn outcome(kernel: &Kernel, inputs: &Inputs) -> Option<Outcome> {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
    if machine.run_for(FUEL) != Stop::Over {
        return None;
    }
    let ended = match machine.status() {
        MachineStatus::Done(result) => Ok(*result),
        // In lanes an error is that of the first lane and op to use a failed value, which sharing may change: with it changes what
        // was stored before.
        MachineStatus::Failed(_) if kernel.lanes.is_some() => return Some((Err("failed".to_owned()), Vec::new())),
        MachineStatus::Failed(error) => {
            let place = kernel.origins[error.origin].place;
            Err(format!("{} at {place} in {:?}", error.kind.code(), error.iteration))
        }
        MachineStatus::Running => return None,
    };
    let arrays = machine.memory()[..inputs.memory.len()].to_vec();
    Some((ended, arrays))
}

#[test]
fn the_order_of_the_text_keeps_what_a_run_gives() {
    for_each_kernel(1500, |kernel, inputs| {
        let before = outcome(kernel, inputs)?;
        // The canonical form has no origins, so only what is computed can be compared.
        let after = outcome(&canonical(kernel), inputs)?;
        let same =
            before.1 == after.1 && before.0.is_ok() == after.0.is_ok() && (before.0.is_err() || before.0 == after.0);
        (!same).then(|| format!("{:?}, then {:?}", before.0, after.0))
    });
}

#[test]
fn passes_keep_what_a_run_gives() {
    for_each_kernel(1500, |kernel, inputs| {
        let before = outcome(kernel, inputs)?;
        for pass in PASSES {
            let mut changed = kernel.clone();
            let says_changed = pass.apply(&mut changed, &mut Context::new(&Options::default()));
            if let Err(violations) = verify_scalar(&changed) {
                return Some(format!("{} breaks {}\n{}", pass.name, violations[0], print(&changed).text));
            }
            let changed = ir::compact(changed);
            if !says_changed && changed != ir::compact(kernel.clone()) {
                return Some(format!("{} changed something and does not say so", pass.name));
            }
            // In another order, what fails first may be something else.
            if before.0.is_err() && says_changed && !pass.keeps_errors {
                continue;
            }
            let after = outcome(&changed, inputs)?;
            if before != after {
                return Some(format!("{}: {:?}, then {:?}\n{}", pass.name, before.0, after.0, print(&changed).text));
            }
        }
        None
    });
}

#[test]
fn every_innermost_loop_has_a_trace() {
    for_each_kernel(1500, |kernel, _| {
        let mut n_loops = 0;
        kernel.walk(kernel.body, &mut |_, op| {
            let code = |op| kernel.ops[op].code;
            let mut is_innermost = matches!(code(op), Code::For | Code::While | Code::Foreach);
            kernel.walk_inside(op, &mut |inner| is_innermost &= !code(inner).is_control() || code(inner) == Code::If);
            n_loops += usize::from(is_innermost);
        });
        for lanes in [2, 4] {
            let options = Options { lanes: Some(lanes), ..Options::default() };
            let traces = passes::trace::traces(kernel, &mut Context::new(&options));
            // A kernel without loops has a trace of its own.
            if traces.len() != n_loops.max(1) {
                return Some(format!("{} traces of {n_loops} loops", traces.len()));
            }
            let titles = |trace: &Trace| trace.lines.iter().filter(|line| line.text.contains("# schedule:")).count();
            let is_silent = |trace: &&Trace| trace.of == TraceOf::Iterations(4) && trace.lines.is_empty();
            if traces.iter().any(|trace| titles(trace) > 1) || traces.iter().any(|trace| is_silent(&trace)) {
                return Some(format!("{traces:#?}"));
            }
        }
        None
    });
}

#[test]
fn the_pipeline_keeps_what_a_run_gives() {
    for_each_kernel(1000, |kernel, inputs| {
        let before = outcome(kernel, inputs)?;
        let reached = match passes::pipeline::run(kernel.clone(), &Options::default(), true) {
            Ok(reached) => reached,
            Err(broken) => return Some(format!("{:?} breaks {}", broken.pass, broken.violations[0])),
        };
        let last = &reached[reached.len() - 1].kernel;
        let changed = reached.iter().flat_map(|reached| &reached.passes).filter(|pass| pass.changed);
        let keeps_errors = |name: &str| PASSES.iter().any(|pass| pass.name == name && pass.keeps_errors);
        if before.0.is_err() && !changed.into_iter().all(|pass| keeps_errors(pass.name)) {
            return None;
        }
        let after = outcome(last, inputs)?;
        (before != after).then(|| format!("{:?}, then {:?}\n{}", before.0, after.0, print(last).text))
    });
}

#[test]
fn every_step_can_be_undone() {
    for_each_kernel(400, |kernel, inputs| {
        let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
        machine.record();
        machine.watch();
        let mut moments = Vec::new();
        while *machine.status() == MachineStatus::Running && moments.len() < 200 {
            moments.push(machine.clone());
            machine.step();
        }
        let end = machine.clone();
        for moment in moments.iter().rev() {
            machine.undo();
            if !machine.is_at_same_moment(moment) {
                return Some(format!("step {} is not taken back", moment.undoable()));
            }
        }
        machine.run_for(moments.len() as u64);
        (!machine.is_at_same_moment(&end)).then(|| "the way forward again leads elsewhere".to_owned())
    });
}

/// A text with a few of its pieces left out, doubled or exchanged.
fn damaged(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut pieces: Vec<&str> = text.split_inclusive([' ', '(', ',', '\n']).collect();
    for _ in 0..rng.usize(1..4) {
        let (at, other) = (rng.usize(..pieces.len()), rng.usize(..pieces.len()));
        match rng.u8(..3) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other]),
            _ => pieces.swap(at, other),
        }
        if pieces.is_empty() {
            break;
        }
    }
    pieces.concat()
}

#[test]
fn any_text_is_read_or_refused() {
    let mut read_again = 0;
    for seed in 0..n_cases(3000) {
        let (kernel, inputs) = generator::case(seed);
        let text = damaged(&print(&kernel).text, &mut fastrand::Rng::with_seed(seed));
        let Ok(kernels) = read(&text, kernel.lanes) else { continue };
        for kernel in kernels {
            read_again += 1;
            let printed = print(&kernel).text;
            let again = read(&printed, kernel.lanes).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{printed}"));
            assert_eq!(canonical(&again[0]), canonical(&kernel), "seed {seed}\n{text}");
            if let Ok(mut machine) = Machine::new(Arc::new(kernel), inputs.clone()) {
                machine.run_for(FUEL);
            }
        }
    }
    assert!(read_again > n_cases(3_000) / 30, "only {read_again} damaged texts could be read");
}

#[test]
fn any_change_is_refused_or_runs() {
    let mut accepted = 0;
    for seed in 0..n_cases(3000) {
        let (mut kernel, inputs) = generator::case(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let ops: Vec<ir::Op> = kernel.ops.keys().collect();
        let values: Vec<ir::Value> = kernel.values.keys().collect();
        if ops.is_empty() {
            continue;
        }
        let regions: Vec<ir::Region> = kernel.regions.keys().collect();
        let (op, value) = (ops[rng.usize(..ops.len())], values[rng.usize(..values.len())]);
        let other = &mut kernel.regions[regions[rng.usize(..regions.len())]];
        match rng.u8(..6) {
            0 => drop(other.ops.pop()),
            1 => other.ops.reverse(),
            2 => other.yields.iter_mut().for_each(|yielded| *yielded = value),
            3 => kernel.ops[op].operands.iter_mut().take(1).for_each(|operand| *operand = value),
            4 => kernel.ops[op].operands.iter_mut().skip(1).for_each(|operand| *operand = value),
            _ => kernel.ops[op].code = kernel.ops[ops[rng.usize(..ops.len())]].code,
        }
        if verify_scalar(&kernel).is_ok() {
            accepted += 1;
            let text = print(&kernel).text;
            let again = read(&text, kernel.lanes).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            assert_eq!(canonical(&again[0]), canonical(&kernel), "seed {seed}\n{text}");
            let mut machine = Machine::new(Arc::new(kernel), inputs).expect("inputs that fit");
            machine.run_for(FUEL);
        }
    }
    assert!(accepted > 100, "only {accepted} changed kernels were verified");
}

#[test]
fn runs_come_far() {
    let (mut done, mut failed, mut steps) = (0, 0, 0);
    for seed in 0..500 {
        let (kernel, inputs) = generator::case(seed);
        let mut machine = Machine::new(Arc::new(kernel), inputs).expect("inputs that fit");
        while *machine.status() == MachineStatus::Running && steps < 1_000_000 {
            machine.step();
            steps += 1;
        }
        match machine.status() {
            MachineStatus::Failed(_) => failed += 1,
            _ => done += 1,
        }
    }
    // If most runs ended early, the tests above would say little.
    assert!(done > 150 && failed > 50 && steps > 20_000, "{done} done, {failed} failed, {steps} steps");
}
