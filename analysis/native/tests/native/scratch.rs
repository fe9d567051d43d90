//! New arrays on the stack and in scratch memory: the interpreter's bits on every level of x86, with and without lanes, with pages
//! around the memory that nothing may touch, and as much of it as the kernel says.

use std::sync::Arc;

use ir::interp::{Inputs, Machine, Status, Stop};
use ir::{Code, Kernel, Scalar, Target, print, read};
use native::client::Client;
use native::emit::Source;
use native::host;
use native::protocol::{Failure, Guard, Job, Outcome};
use native::run::{self, NoJob};
use passes::pipeline::{self, Options};

use crate::PATIENCE;
use crate::random::first_difference_of;

/// Steps of the interpreter that each of these kernels comes to its end in.
const FUEL: u64 = 2_000_000;

/// Arrays one after the other, each made of the one before.
const CHAIN: &str = "\
kernel chain(a: f32[n], out: f32[n], n: i32):
    let t = temp(n, type=f32)
    for i in range(0, n):
        t[i] = (a[i] * 2.0)
    let u = temp(n, type=f64)
    for i in range(0, n):
        u[i] = f64((t[i] + 1.0))
    let v = temp(n, type=f32)
    for i in range(1, n):
        v[i] = (f32(u[i]) + a[(i - 1)])
    for i in range(0, n):
        out[i] = (v[i] - t[((n - 1) - i)])
";

/// Arrays of branches and of loops, of sizes that change, and one that lives around them.
const NESTED: &str = "\
kernel nested(a: f32[n], out: f32[n], n: i32):
    let kept = temp(n, 2, type=f32)
    for i in range(0, n):
        if (a[i] > 0.0):
            let t = temp((i + 1), type=f32)
            for j in range(0, (i + 1)):
                t[j] = (a[j] + 1.0)
            let s = for j in range(0, i) reducing + from 0.0:
                yield t[j]
            kept[i, 0] = s
        else:
            let t = temp((n - i), 3, type=f64)
            for j in range(0, (n - i)):
                t[j, 1] = f64(a[(j + i)])
            let s = for j in range(0, (n - i)) with s = f64(0.0):
                yield ((s + t[j, 0]) + t[j, 1])
            kept[i, 1] = f32(s)
    for i in range(0, n):
        out[i] = (kept[i, 0] - kept[i, 1])
";

/// An array of each iteration's own, in a loop that takes lanes.
const OF_LANES: &str = "\
kernel of_lanes(a: f32[n], out: f32[n], n: i32, m: i32):
    foreach i in range(0, n):
        let t = temp(m, type=f32)
        for j in range(0, m):
            t[j] = (a[i] * f32(j))
        let s = for j in range(0, m) with s = 0.0:
            yield (s + t[((m - 1) - j)])
        out[i] = s
";

/// Arrays that are too large for the stack because of their known size, and one that is not.
const KNOWN: &str = "\
kernel known(a: f32[n], out: f32[n], n: i32, m: i32):
    let large = temp(3000, type=f32)
    let small = temp(100, type=i16)
    for i in range(0, n):
        large[(i % 3000)] = (large[(i % 3000)] + a[i])
        small[(i % 100)] = i16((i % 7))
    for i in range(0, n):
        out[i] = (large[(i % 3000)] + f32(small[(i % 100)]))
";

fn kernel(text: &str) -> Kernel {
    read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0)
}

/// The content of a cell of `a`.
fn cell(i: i32) -> f32 {
    ((i * 37) % 19 - 9) as f32 / 4.0
}

fn inputs(n: i32, m: Option<i32>) -> Inputs {
    let cells: Vec<Scalar> = (0..n).map(|i| Scalar::F32(cell(i))).collect();
    let inputs = Inputs::new().array(&cells, &[n.into()]).bytes(vec![0; 4 * n as usize], &[n.into()]).scalar(n);
    match m {
        Some(m) => inputs.scalar(m),
        None => inputs,
    }
}

/// A kernel behind all passes.
fn finished(kernel: &Kernel, target: &'static Target, lanes: Option<u16>) -> Kernel {
    let reached =
        pipeline::run(kernel.clone(), &Options { lanes, target }, true).unwrap_or_else(|broken| panic!("{broken:?}"));
    Kernel::clone(&reached.last().expect("a stage").kernel)
}

/// What a kernel makes of the memory of its arrays.
fn interpreted(kernel: &Kernel, inputs: &Inputs) -> Vec<Vec<u8>> {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
    assert_eq!(machine.run_for(FUEL), Stop::Over, "{}", print(kernel).text);
    assert!(matches!(machine.status(), Status::Done(_)), "{:?}\n{}", machine.status(), print(kernel).text);
    machine.memory()[..inputs.memory.len()].to_vec()
}

pub(crate) fn agrees(client: &Client) {
    let cases = [
        (CHAIN, None),
        (NESTED, None),
        (OF_LANES, Some(0)),
        (OF_LANES, Some(5)),
        (OF_LANES, Some(40)),
        (KNOWN, Some(1)),
    ];
    let (mut compared, mut in_scratch) = (0, 0);
    for (text, m) in cases {
        let kernel = kernel(text);
        for n in [0, 1, 7, 64, 130] {
            let inputs = inputs(n, m);
            let expected = interpreted(&kernel, &inputs);
            for target in ir::target::TARGETS.iter().filter(|target| host::runs(target)) {
                for (lanes, guard) in [(None, Guard::End), (Some(4), Guard::Start), (Some(1), Guard::End)] {
                    let last = finished(&kernel, target, lanes);
                    let what = || format!("n = {n}, {} with {lanes:?} lanes\n{}", target.name, print(&last).text);
                    let staged = interpreted(&last, &inputs);
                    assert_eq!(first_difference_of(&kernel, &staged, &expected), None, "interpreted, {}", what());
                    let (job, payload) = run::job(&last, &Source::default(), target, &inputs, guard)
                        .unwrap_or_else(|refused| panic!("{refused}: {}", what()));
                    in_scratch += usize::from(job.scratch > 0);
                    let ran = run::ran(&last, &inputs, client.ask(Job::Run(job), &payload).wait(PATIENCE));
                    let ran = ran.unwrap_or_else(|failure| panic!("{failure}: {}", what()));
                    assert_eq!(first_difference_of(&kernel, &ran.memory, &expected), None, "{}", what());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 80 && in_scratch > compared / 2, "{in_scratch} of {compared} had scratch memory");
}

/// What no stack has room for.
pub(crate) fn holds_large_arrays(client: &Client) {
    let n = 10_000_000;
    let inputs = inputs(n, None);
    let last = finished(&kernel(CHAIN), host::row(), None);
    let (job, payload) = run::job(&last, &Source::default(), host::row(), &inputs, Guard::End).expect("native code");
    assert_eq!(job.scratch, 160_000_000);
    let ran = run::ran(&last, &inputs, client.ask(Job::Run(job), &payload).wait(PATIENCE)).expect("a run");
    let out = ir::interp::scalars_of(&ran.memory[1], ir::Elem::F32);
    for i in [1, 2, n / 2, n - 1] {
        let expected = ((2.0 * cell(i) + 1.0) + cell(i - 1)) - 2.0 * cell(n - 1 - i);
        assert_eq!(out[i as usize], Scalar::F32(expected), "cell {i}");
    }
}

/// The memory ends where it is said to.
pub(crate) fn is_guarded(client: &Client) {
    let text = "\
@scratch(array(4, n))
kernel k(cells: i32[?], n: i32, at: i32):
    let t = scratch(0, n, unset=i32)
    t[at] = 1
    cells[0] = t[at]
";
    let wrote = |at: i32, guard: Guard| {
        let inputs = Inputs::new().array(&[Scalar::I32(0); 4], &[4]).scalar(16).scalar(at);
        let (job, payload) =
            run::job(&kernel(text), &Source::default(), host::row(), &inputs, guard).expect("native code");
        assert_eq!(job.scratch, 64);
        client.ask(Job::Run(job), &payload).wait(PATIENCE).map(|(outcome, _)| outcome)
    };
    let scratch = "scratch".to_owned();
    assert!(matches!(wrote(15, Guard::End), Ok(Outcome::Ran { .. })));
    assert_eq!(wrote(16, Guard::End), Err(Failure::OutOfBounds { array: Some(scratch.clone()), offset: 64 }));
    assert_eq!(wrote(-1, Guard::Start), Err(Failure::OutOfBounds { array: Some(scratch.clone()), offset: -4 }));
    assert_eq!(wrote(16, Guard::Start), Err(Failure::WroteOutside(scratch)));
}

/// More than there can be, and more than can be told, is refused before anything runs.
pub(crate) fn refuses_what_cannot_be(_: &Client) {
    let text = "\
@scratch(array(8, n, n))
kernel k(cells: i32[?], n: i64):
    let t = scratch(0, n, n, unset=f64)
    t[0, 0] = f64(1.0)
    cells[0] = i32(t[0, 0])
";
    let refused = |text: &str, n: Scalar| {
        let inputs = Inputs::new().array(&[Scalar::I32(0); 4], &[4]).scalar(n);
        match run::job(&kernel(text), &Source::default(), host::row(), &inputs, Guard::End) {
            Err(NoJob::TooLarge(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let why = refused(text, Scalar::I64(1 << 31));
    assert_eq!(
        why,
        "`k` needs 8 * n * n bytes of scratch memory, which with these arguments do not fit 64 bits: give it smaller ones"
    );
    if host::free_memory().is_some() {
        let why = refused(text, Scalar::I64(1 << 28));
        assert!(
            why.contains("8 * n * n bytes of scratch memory, 576460752303423488 with these arguments, and "),
            "{why}"
        );
    }
    let unknown = "\
kernel k(cells: i32[?], n: i64):
    let t = temp(cells[0], type=f64)
    cells[1] = i32(t[0])
";
    let last = finished(&kernel(unknown), host::row(), None);
    assert!(last.marks.scratch.is_none() && has_temp(&last));
    let inputs = Inputs::new().array(&[Scalar::I32(1); 4], &[4]).scalar(1i64);
    let why =
        run::job(&last, &Source::default(), host::row(), &inputs, Guard::End).expect_err("no native code").to_string();
    assert!(
        why.contains("`t`, whose size is found while the kernel runs: its bytes have to be known before the call"),
        "{why}"
    );
}

fn has_temp(kernel: &Kernel) -> bool {
    let mut has = false;
    kernel.walk(kernel.body, &mut |_, op| has |= kernel.ops[op].code == Code::Temp);
    has
}
