//! How long the dependences and verdicts of a kernel take, by its number of statements.
//!
//! Everything is compared with walking the same kernel once, in the same run. `over 200 arrays` is what large kernels
//! look like; in `one array` every statement may meet every other, and the search is cut off.

use std::time::{Duration, Instant};

use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::{Attr, Builder, Code, DimSize, Elem, Kernel, Scalar};

/// A loop over statements `a[i + x] = a[i + y] * b[i]`, over so many arrays.
fn kernel(n_statements: usize, n_arrays: usize) -> Kernel {
    let mut b = Builder::new("statements");
    let n = b.scalar("n", Elem::I32);
    let arrays: Vec<_> = (0..n_arrays).map(|k| b.array(&format!("a{k}"), Elem::F32, &[DimSize::Own])).collect();
    let [eight, one] = [8, 1].map(|k| b.constant(Scalar::I32(k)));
    let index = b.open_for("i", [eight, n, one], &[])[0];
    for k in 0..n_statements {
        let offset = b.constant(Scalar::I32((k * 7 % 9) as i32));
        let moved = b.op(Code::Sub, &[index, offset]);
        let cell = b.op(Code::Load, &[arrays[k % n_arrays], moved]);
        let other = b.op(Code::Load, &[arrays[(k * 3 + 1) % n_arrays], index]);
        let product = b.op(Code::Mul, &[cell, other]);
        b.push(Code::Store, Attr::None, &[arrays[k % n_arrays], index, product]);
    }
    b.close(&[]);
    b.finish(None)
}

/// The least time of several runs.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let once = |run: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        drop(run());
        start.elapsed()
    };
    (0..5).map(|_| once(&mut run)).min().unwrap_or_default()
}

fn main() {
    for (name, n_arrays) in [("over 200 arrays", 200), ("over 20 arrays", 20), ("one array", 1)] {
        println!("{name}");
        for n_statements in [125, 250, 500, 1000, 2000] {
            let kernel = kernel(n_statements, n_arrays);
            let walk = time(|| kernel.use_counts());
            let found = loops(&kernel, &DependenceLimits::default());
            let took = time(|| loops(&kernel, &DependenceLimits::default()));
            println!(
                "  {n_statements:>5} statements: {:>8} dependences, {:>9.2?}, {:>7.2?} a statement, {:>6.0} walks{}",
                found.dependences.list.len(),
                took,
                took / n_statements as u32,
                took.as_secs_f64() / walk.as_secs_f64(),
                if found.dependences.unseen.is_empty() { "" } else { ", cut off" }
            );
        }
    }
}
