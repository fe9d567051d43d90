//! Long work asks often whether it was cancelled.

use std::cell::Cell;
use std::sync::Arc;

use facts::dependence::DependenceLimits;
use facts::loops::loops;
use ir::{Attr, Builder, CancelToken, Code, DimSize, Elem, Kernel, Scalar};
use passes::pipeline::{Options, run_in};
use passes::{Context, PASSES};

/// A loop in which each of as many cells is made of the one before.
fn kernel(n_stores: i32) -> Kernel {
    let mut b = Builder::new("long");
    let n = b.scalar("n", Elem::I32);
    let a = b.array("a", Elem::F32, &[DimSize::Own]);
    let [zero, one] = [0, 1].map(|k| b.constant(Scalar::I32(k)));
    let args = b.open_for("i", [zero, n, one], &[]);
    for k in 0..n_stores {
        let offset = b.constant(Scalar::I32(k));
        let index = b.op(Code::Add, &[args[0], offset]);
        let cell = b.op(Code::Load, &[a, args[0]]);
        b.push(Code::Store, Attr::None, &[a, index, cell]);
    }
    b.close(&[]);
    b.finish(None)
}

/// How often something looks up.
fn count(work: impl FnOnce(CancelToken<'_>)) -> usize {
    let n = Cell::new(0);
    work(CancelToken::new(&|| n.set(n.get() + 1)));
    n.get()
}

#[test]
fn long_work_looks_up_as_often_as_it_is_long() {
    let verdicts = |n_stores| {
        let kernel = kernel(n_stores);
        count(|cancel| drop(loops(&kernel, &DependenceLimits { cancel, ..DependenceLimits::default() })))
    };
    // Each pair of accesses is a question of its own.
    assert!(verdicts(4) >= 4 * 4, "{}", verdicts(4));
    assert!(verdicts(20) >= 20 * 20, "{}", verdicts(20));
}

#[test]
fn passes_look_up_and_what_they_ask_does() {
    let options = Options::default();
    let passes = |n_stores| {
        let kernel = kernel(n_stores);
        let known = Arc::new(loops(&kernel, &DependenceLimits::default()));
        let run = |context: Context| count(|cancel| drop(run_in(kernel.clone(), context.with_cancel(cancel), false)));
        (run(Context::new(&options)), run(Context::knowing(&options, known)))
    };
    let (asked, known) = passes(1);
    assert!(known >= PASSES.len(), "{known}");
    assert!(asked >= known, "{asked}, {known}");
    // What is known beforehand is not asked again.
    let (asked, known) = passes(20);
    assert!(asked >= 20 * 20 && known < 20 * 20, "{asked}, {known}");
}
