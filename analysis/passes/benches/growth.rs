//! How the time per op grows with the size of a kernel: reading, printing, verifying, facts and verdicts, each pass where it
//! stands among the others, running. One kernel has all of its statements in one loop, the other a loop for every few of them.
//!
//! Everything is compared with walking the same kernel once, in the same run; the last column says how the
//! time per op at 2,000 statements relates to that at 100 (1.0 is linear).

use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::dependence::DependenceLimits;
use facts::loops::loops;
use facts::{facts, lane_loops};
use ir::interp::{Inputs, Machine};
use ir::{Builder, Code, DimSize, Elem, Kernel, LoopForest, Scalar};
use passes::Context;
use passes::pipeline::{Options, pipeline};

/// How often each is run.
const N_RUNS: usize = 15;

/// `statements` statements of about four ops each, some of them equal or invariant, so many of them in each loop.
fn kernel(statements: usize, in_loop: usize) -> Kernel {
    let mut b = Builder::new("growth");
    let n = b.scalar("n", Elem::I32);
    let x = b.scalar("x", Elem::F32);
    let arrays: Vec<_> = (0..8).map(|k| b.array(&format!("a{k}"), Elem::F32, &[DimSize::Own])).collect();
    let [zero, one] = [0, 1].map(|k| b.constant(Scalar::I32(k)));
    let mut args = b.open_for("i", [zero, n, one], &[]);
    for k in 0..statements {
        if k > 0 && k % in_loop == 0 {
            b.close(&[]);
            args = b.open_for("i", [zero, n, one], &[]);
        }
        let factor = b.constant(Scalar::F32((k % 7) as f32));
        let cell = b.op(Code::Load, &[arrays[k % 8], args[0]]);
        let scaled = b.op(Code::Mul, &[x, factor]);
        let sum = b.op(Code::Add, &[cell, scaled]);
        if k % 3 == 0 {
            b.name(sum, "sum");
        }
        b.push(Code::Store, ir::Attr::None, &[arrays[(k + 3) % 8], args[0], sum]);
    }
    b.close(&[]);
    b.finish(None)
}

/// The time of one run.
fn once<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = run();
    let took = start.elapsed();
    drop(made);
    took
}

/// The least time of several runs.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    (0..N_RUNS).map(|_| once(&mut run)).min().unwrap_or_default()
}

/// What is measured, each by name with its time.
fn measure(kernel: &Kernel) -> Vec<(String, Duration)> {
    let text = ir::print(kernel).text;
    let mut times = vec![
        ("walk".to_owned(), time(|| kernel.use_counts())),
        ("print".to_owned(), time(|| ir::print(kernel))),
        ("read and verify".to_owned(), time(|| ir::read(&text, None))),
        ("verify".to_owned(), time(|| ir::verify(kernel))),
        ("canonical".to_owned(), time(|| ir::canonical(kernel))),
        ("clone".to_owned(), time(|| kernel.clone())),
        ("facts".to_owned(), time(|| facts(kernel, &lane_loops(kernel, &LoopForest::of(kernel), &[], None)))),
        ("verdicts".to_owned(), time(|| loops(kernel, &DependenceLimits::default()))),
    ];
    times.extend(passes(kernel));
    times.push((
        "all passes, verified".to_owned(),
        time(|| passes::pipeline::run(kernel.clone(), &Options::default(), true)),
    ));
    let shared = Arc::new(kernel.clone());
    let cells = vec![Scalar::F32(1.0); 4];
    let inputs = (0..8).fold(Inputs::new().scalar(4).scalar(2.0f32), |inputs, _| inputs.array(&cells, &[4]));
    let run = time(|| {
        let mut machine = Machine::new(Arc::clone(&shared), inputs.clone()).expect("inputs that fit");
        machine.run_for(u64::MAX)
    });
    times.push(("run, per iteration".to_owned(), run / 4));
    times
}

/// The least time of each pass, where it stands on the way through all stages.
fn passes(kernel: &Kernel) -> Vec<(String, Duration)> {
    let mut least: Vec<(String, Duration)> = Vec::new();
    for _ in 0..N_RUNS {
        let options = Options::default();
        let (mut kernel, mut context) = (kernel.clone(), Context::new(&options));
        let mut number = 0;
        for stage in pipeline(options.target) {
            for pass in stage.passes {
                let took = once(|| pass.apply(&mut kernel, &mut context));
                if number == least.len() {
                    least.push((format!("{}: {}", stage.name, pass.name), took));
                }
                least[number].1 = least[number].1.min(took);
                number += 1;
            }
            // Everything has another number now.
            kernel = ir::compact(kernel);
            context.forget();
        }
    }
    least
}

fn main() {
    for (shape, in_loop) in [("one loop", usize::MAX), ("many loops", 5)] {
        println!("{shape}");
        show(&[30, 100, 500, 2000].map(|statements| kernel(statements, in_loop)));
        println!();
    }
}

fn show(kernels: &[Kernel; 4]) {
    let measured = kernels.each_ref().map(measure);
    let ops = kernels.each_ref().map(|kernel| kernel.count_ops() as f64);
    println!("{:24}{:>12}{:>12}{:>16}{:>20}", "", "ns/op, 100", "ns/op, 2000", "x walk, 2000", "growth 100 to 2000");
    for (number, (name, _)) in measured[0].iter().enumerate() {
        let per_op = |size: usize| measured[size][number].1.as_nanos() as f64 / ops[size];
        let walk = measured[3][0].1.as_nanos() as f64 / ops[3];
        println!(
            "{name:24}{:12.1}{:12.1}{:16.1}{:20.2}",
            per_op(1),
            per_op(3),
            per_op(3) / walk,
            per_op(3) / per_op(1)
        );
    }
    let pipeline =
        measured[0].iter().find(|(name, _)| name.starts_with("all passes")).map_or(0.0, |(_, time)| time.as_secs_f64());
    println!("30 statements through all passes, verified: {:.3} ms", pipeline * 1e3);
}
