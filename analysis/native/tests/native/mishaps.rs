//! What goes wrong in a worker comes back as an error that says what, and the next request finds another worker.

use std::time::Duration;

use ir::interp::Inputs;
use ir::{Scalar, read};
use native::client::Client;
use native::emit::Source;
use native::host;
use native::protocol::{CompiledForm, Failure, Guard, Job, Outcome, RunJob, Spec};
use native::run;

use crate::PATIENCE;

/// A request to run a kernel on an array of 10 cells.
fn job(text: &str, guard: Guard, n: i32) -> (RunJob, Vec<u8>) {
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let inputs = Inputs::new().array(&[Scalar::I32(0); 10], &[10]).scalar(n);
    let target = host::tuned(host::row());
    run::job(&kernel, &Source::default(), &target, &inputs, guard).expect("native code")
}

fn ask(client: &Client, text: &str, n: i32, patience: Duration) -> Result<Outcome, Failure> {
    let (run, memory) = job(text, Guard::End, n);
    client.ask(Job::Run(run), &memory).wait(patience).map(|(outcome, _)| outcome)
}

const WRITES: &str = "kernel k(cells: i32[?], n: i32):\n    cells[n] = 1\n";
const ENDLESS: &str =
    "kernel k(cells: i32[?], n: i32):\n    while (cells[0] == n):\n        cells[1] = (cells[1] +% 1)\n";

pub(crate) fn an_access_outside_names_its_array(client: &Client) {
    let outside = |n: i32, guard: Guard| {
        let (run, memory) = job(WRITES, guard, n);
        client.ask(Job::Run(run), &memory).wait(PATIENCE).map(|(outcome, _)| outcome)
    };
    let touched = |offset| Err(Failure::OutOfBounds { array: Some("cells".to_owned()), offset });
    assert_eq!(outside(10, Guard::End), touched(40));
    assert_eq!(outside(-1, Guard::Start), touched(-4));
    // At the other end there is room up to the page's, and what is written there shows afterwards.
    assert_eq!(outside(-1, Guard::End), Err(Failure::WroteOutside("cells".to_owned())));
    assert!(matches!(outside(9, Guard::End), Ok(Outcome::Ran { .. })));
}

pub(crate) fn what_is_measured_is_run_between_guards_first(client: &Client) {
    let measured = |text: &str, n: i32| {
        let (run, memory) = job(text, Guard::End, n);
        client.ask(Job::Bench { run, milliseconds: 1 }, &memory).wait(PATIENCE).map(|(outcome, _)| outcome)
    };
    assert_eq!(measured(WRITES, 10), Err(Failure::OutOfBounds { array: Some("cells".to_owned()), offset: 40 }));
    assert_eq!(measured(WRITES, -1), Err(Failure::WroteOutside("cells".to_owned())));
    assert!(matches!(measured(WRITES, 9), Ok(Outcome::Timed { nanoseconds, .. }) if nanoseconds.len() >= 5));
}

pub(crate) fn a_trap_says_what(client: &Client) {
    let text = "kernel k(cells: i32[?], n: i32):\n    cells[0] = (7 / n)\n";
    assert!(matches!(ask(client, text, 0, PATIENCE), Err(Failure::Trap(what)) if what.contains("division")));
    assert!(matches!(ask(client, text, 2, PATIENCE), Ok(Outcome::Ran { .. })));
}

pub(crate) fn an_endless_kernel_is_stopped(client: &Client) {
    assert_eq!(ask(client, ENDLESS, 0, Duration::from_millis(300)), Err(Failure::TimedOut));
    assert!(matches!(ask(client, WRITES, 1, PATIENCE), Ok(Outcome::Ran { .. })));
}

pub(crate) fn a_cancelled_request_makes_way(client: &Client) {
    let (run, memory) = job(ENDLESS, Guard::End, 0);
    let endless = client.ask(Job::Run(run), &memory);
    let (run, memory) = job(ENDLESS, Guard::End, 0);
    let waiting = client.ask(Job::Run(run), &memory);
    let (run, memory) = job(WRITES, Guard::End, 1);
    let last = client.ask(Job::Run(run), &memory);
    // One that waits, then (once it has begun) the one that is being worked on.
    waiting.cancel();
    std::thread::sleep(Duration::from_millis(200));
    endless.cancel();
    assert!(matches!(last.wait(PATIENCE), Ok((Outcome::Ran { .. }, _))));
}

pub(crate) fn a_killed_worker_is_replaced(client: &Client) {
    // A stack that runs out is no array's.
    let deep = "kernel k(cells: i32[?], n: i32):\n    let room = temp(536870912, unset=i32)\n    room[n] = n\n    room[cells[0]] = 7\n    cells[0] = room[cells[1]]\n";
    assert_eq!(ask(client, deep, 1, PATIENCE), Err(Failure::OutOfBounds { array: None, offset: 0 }));
    assert!(matches!(ask(client, WRITES, 1, PATIENCE), Ok(Outcome::Ran { .. })));
}

pub(crate) fn what_llvm_refuses_is_said(client: &Client) {
    let spec = Spec::of(host::row());
    let compile = |ir: &str, spec: Spec| client.compile(ir.to_owned(), spec, CompiledForm::Assembly, PATIENCE);
    let refused = |answer: native::client::Answer| match answer {
        Err(Failure::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused(compile("define", spec.clone())).contains("does not read"));
    let unknown = Spec { triple: "pdp11-unknown-unknown".to_owned(), ..spec.clone() };
    assert!(refused(compile("", unknown)).contains("makes no code for pdp11"));
    assert!(compile("", spec).is_ok());
}
