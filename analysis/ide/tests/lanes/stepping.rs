//! Kernels in the interpreter, step by step: forward and back, to a place, and stopped on the way.

use std::collections::HashSet;
use std::sync::Arc;

use ir::interp::{Inputs, Limits, Machine, MachineStatus, NextStep, Stop};
use ir::{Kernel, Origin, Scalar};
use queries::db;
use queries::db::{Database, File};
use queries::sequential;

const PROGRAM: &str = "\
fn mix(x, y):
    if x > y:
        return x
    return y - x

kernel k(a: f32[n], out: f32[n], n: i32) -> f32:
    let sum = 0.0
    @reassoc
    for i in range(n):
        if a[i] < 0:
            continue
        sum += mix(a[i], 2)
    foreach i in range(n):
        out[i] = a[i] * sum
    let at = 0
    while at < n:
        out[at] = out[at] + 1
        if out[at] > 20:
            break
        at += 1
    return sum
";

/// A machine at its start, and the origins of what some text of the kernel became.
fn machine(source: &str) -> (Machine, HashSet<Origin>) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(PROGRAM));
    let item = queries::named(&db, file, "k".into()).expect("the kernel");
    let lowering = sequential(&db, item);
    let kernel: Arc<Kernel> = lowering.kernel.clone().expect("a kernel");
    let dense = db::dense_map(&db, item);
    let comes_from = |origin: &Origin| {
        let (key, range) = lowering.place_of(&kernel, *origin).expect("a place of the file");
        let text = item.text(&db).get(std::ops::Range::<usize>::from(dense.to_text(*range)));
        *key == queries::key(&db, item) && text == Some(source)
    };
    let origins = kernel.origins.keys().filter(comes_from).collect();
    let cells = [1.0f32, -1.0, 3.0, 0.5, 4.0].map(Scalar::F32);
    let inputs = Inputs::new().array(&cells, &[5]).array(&[Scalar::F32(0.0); 5], &[5]).scalar(5);
    (Machine::new(kernel, inputs).expect("inputs that fit"), origins)
}

#[test]
fn what_is_done_is_undone() {
    let (mut machine, _) = machine("");
    machine.record();
    let mut moments = Vec::new();
    while *machine.status() == MachineStatus::Running {
        moments.push(machine.clone());
        machine.step();
    }
    let end = machine.clone();
    assert_eq!(*end.status(), MachineStatus::Done(Some(Scalar::F32(9.5))));
    assert!(moments.len() > 100, "{}", moments.len());
    for (n, moment) in moments.iter().enumerate().rev() {
        assert!(machine.undo());
        assert!(machine.is_at_same_moment(moment), "step {n}");
    }
    assert!(!machine.undo());
    // From any moment there is one way forward, also after some steps back.
    for n in [3, 50, moments.len() - 1] {
        machine.run_for(n as u64);
        assert!(machine.is_at_same_moment(&moments[n]), "step {n}");
        (0..n).for_each(|_| assert!(machine.undo()));
    }
    machine.run_for(u64::MAX);
    assert!(machine.is_at_same_moment(&end));
}

#[test]
fn a_run_stops_at_a_place_in_each_iteration_that_comes_there() {
    let (mut machine, stops) = machine("sum");
    assert!(!stops.is_empty());
    let mut iterations = Vec::new();
    loop {
        let mut limits = Limits { fuel: 10_000, breakpoints: &stops, cancelled: &mut || false };
        match machine.run(&mut limits) {
            Stop::Breakpoint(_) => iterations.push(machine.iteration()),
            stop => break assert_eq!(stop, Stop::Over),
        }
    }
    iterations.dedup();
    // Iteration 1 is left before it comes there.
    assert_eq!(iterations, [[0], [2], [3], [4]]);
}

#[test]
fn a_cancelled_run_goes_on_as_if_nothing_had_been() {
    let (mut machine, _) = machine("");
    machine.run_for(50);
    let moment = machine.clone();
    let mut cancel = Limits { fuel: 10_000, breakpoints: &HashSet::new(), cancelled: &mut || true };
    assert_eq!(machine.run(&mut cancel), Stop::Cancelled);
    assert!(machine.is_at_same_moment(&moment));
    machine.run_for(u64::MAX);
    assert_eq!(machine.place(), NextStep::Over);
    assert_eq!(*machine.status(), MachineStatus::Done(Some(Scalar::F32(9.5))));
}
