//! New arrays on the stack and in scratch memory: the interpreter's bits on every level of x86, with and without lanes, with pages
//! around the memory that nothing may touch, and as much of it as the kernel says.

use std::process::Command;
use std::sync::Arc;

use ir::interp::{Inputs, Machine, MachineStatus, Stop};
use ir::{Code, Kernel, Scalar, Target, print, read, target};
use native::client::Client;
use native::emit::{self, Input, Source};
use native::header::{Described, header};
use native::protocol::{CompiledForm, Failure, Guard, Job, Outcome, Spec};
use native::run::{self, NoJob};
use native::{dispatch, host};
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
    assert!(matches!(machine.status(), MachineStatus::Done(_)), "{:?}\n{}", machine.status(), print(kernel).text);
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

/// A program in C or C++ that calls kernels by their header: with memory that it allocates itself, with memory that it is not to
/// care about, and with more than there is.
const MAIN: &str = r#"
#include "kernels.h"
#include <stdio.h>
static _Bool_ ok(const char *what, _Bool_ holds) { if (!holds) printf("%s\n", what); return holds; }
int main(void) {
    float a[130], out[130], expected[130], sum = 0;
    for (int n = 0; n <= 130; n += 13) {
        for (int i = 0; i < n; i++) { a[i] = (float)(i % 19) / 4; out[i] = -1; }
        size_t bytes = chain_scratch(n);
        ok("bytes", bytes == (size_t)((4 * n + 63) / 64 * 64 + (8 * n + 63) / 64 * 64 + 4 * n));
        void *memory = malloc(bytes + 64);
        chain(a, out, n, lanescope_aligned(memory));
        free(memory);
        for (int i = 0; i < n; i++) {
            expected[i] = (i > 0 ? 2 * a[i] + 1 + a[i - 1] : 0) - 2 * a[n - 1 - i];
            ok("chain", out[i] == expected[i]);
            out[i] = -1;
        }
        ok("allocated", chain_alloc(a, out, n));
        for (int i = 0; i < n; i++) ok("again", out[i] == expected[i]);
    }
    ok("small", square_scratch(3) == 72);
    ok("called", square_alloc(a, 3, &sum) && sum == 9);
    ok("none", square_scratch(-1) == 0);
    ok("too large", square_scratch(INT64_C(1) << 31) == SIZE_MAX && !square_alloc(a, INT64_C(1) << 31, &sum));
    ok("more than there is", !square_alloc(a, INT64_C(1) << 29, &sum));
    for (uint32_t n = 0; n < 10; n += 3)
        for (int m = -7; m < 80; m += 6) printf("%zd ", (ptrdiff_t)wrapped_scratch(n, m, UINT64_C(1) << (54 + n)));
    puts("done");
    return 0;
}
"#;

/// A kernel with a result, and one whose bytes take all kinds of arithmetic.
const OTHERS: &str = "\
@scratch(array(8, n, n))
kernel square(a: f32[?], n: i64) -> f32:
    let t = scratch(0, n, n, unset=f64)
    t[(n - 1), (n - 1)] = f64((n * n))
    return f32(t[(n - 1), (n - 1)])

@scratch(((wrapped((n - 1), u32) + max(((n - m) // 2), min(m, 5))) + (aligned((m % 6)) - (array(1, m) * (k / 3)))))
kernel wrapped(n: u32, m: i32, k: u64):
    pass
";

pub(crate) fn is_passed_by_c(client: &Client) {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !cfg!(target_arch = "x86_64") || !has("gcc") || !has("g++") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).expect("a file");
    let targets: Vec<Target> =
        ["scalar", "sse4", "avx2", "avx512"].map(|name| target::find(name).expect("a row").clone()).into();
    let source = Source::default();
    let mut objects = Vec::new();
    let mut object = |name: &str, ir: String, target: &Target| {
        let made = client
            .compile(ir, Spec::of(target), CompiledForm::Object, PATIENCE)
            .unwrap_or_else(|failure| panic!("{failure}"));
        write(name, &made.1);
        objects.push(name.to_owned());
    };
    let rows = targets.iter().map(|row| finished(&kernel(CHAIN), target::find(row.name).expect("a row"), None));
    let mut chains: Vec<Kernel> = rows.collect();
    // As if one of the targets needed none.
    chains[0].marks.scratch = None;
    chains[0].regions.values_mut().for_each(|region| region.ops.clear());
    dispatch::agree(&mut chains);
    for (chain, target) in chains.iter().zip(&targets).skip(1) {
        let options = emit::ModuleOptions { entries: false, suffix: Some(target.name) };
        let ir = emit::emit(&[Input { kernel: chain, source: &source }], target, options).expect("LLVM IR");
        object(&format!("{}.o", target.name), ir, target);
    }
    object("chain.o", dispatch::module(&[&chains[0]], &targets[1..]), &targets[0]);
    let others = read(OTHERS, None).unwrap_or_else(|error| panic!("{error}"));
    let inputs: Vec<Input<'_>> = others.iter().map(|kernel| Input { kernel, source: &source }).collect();
    object("others.o", emit::emit(&inputs, &targets[0], emit::ModuleOptions::default()).expect("LLVM IR"), &targets[0]);
    let described: Vec<_> =
        [&chains[0]].into_iter().chain(&others).map(|kernel| Described { kernel, docs: &[] }).collect();
    write("kernels.h", header("kernels.lane", &described).as_bytes());
    for (compiler, main) in [("gcc", "main.c"), ("g++", "main.cpp")] {
        write(main, MAIN.replace("_Bool_", "bool").as_bytes());
        let mut link = Command::new(compiler);
        link.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", main, "-o", "main"]).args(&objects);
        let linked = link.output().expect("the compiler");
        assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
        let ran = Command::new(folder.path().join("main")).output().expect("the program");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), told(&others[1]));
    }
}

/// What the program is to print of the bytes that the kernel `wrapped` needs.
fn told(kernel: &Kernel) -> String {
    let mut text = String::new();
    for n in (0..10u32).step_by(3) {
        for m in (-7..80i32).step_by(6) {
            let bytes = Inputs::new().scalar(n).scalar(m).scalar(1u64 << (54 + n)).scratch_bytes(kernel);
            // A negative number stands for none.
            text += &format!("{} ", bytes.unwrap_or(-1));
        }
    }
    assert!(text.contains("-1 ") && text.contains(" 4294967"), "{text}");
    text + "done\n"
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
