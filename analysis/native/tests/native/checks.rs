//! Checks of sizes: a run that they end in the interpreter ends so as native code, before it has written anything; any other does
//! what it does there.

use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;

use ir::interp::{Inputs, Machine, MachineStatus, RunError, Stop};
use ir::{Code, Kernel, Scalar, Target, print, read, target};
use native::client::Client;
use native::emit::{self, Input, Source};
use native::protocol::{CompiledForm, Failure, Guard, Job, Outcome, Spec};
use native::{host, run};
use passes::pipeline::{self, Options};

use crate::PATIENCE;
use crate::random::first_difference_of;

/// Steps that a run may take.
const FUEL: u64 = 100_000;

/// The end of a run: its result and the memory of its arrays, or the error.
type End = Result<(Option<Scalar>, Vec<Vec<u8>>), Arc<RunError>>;

fn interpreted(kernel: &Kernel, inputs: &Inputs) -> End {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
    assert_eq!(machine.run_for(FUEL), Stop::Over, "{}", print(kernel).text);
    match machine.status() {
        MachineStatus::Done(result) => Ok((*result, machine.memory()[..inputs.memory.len()].to_vec())),
        MachineStatus::Failed(error) => Err(error.clone()),
        MachineStatus::Running => unreachable!("it is over"),
    }
}

/// A kernel behind all passes, and the lines of the checks that native code does not make.
fn finished(kernel: &Kernel, target: &'static Target, lanes: Option<u16>) -> (Kernel, Vec<u32>) {
    let reached =
        pipeline::run(kernel.clone(), &Options { lanes, target }, true).unwrap_or_else(|broken| panic!("{broken:?}"));
    let passes = reached.iter().flat_map(|stage| &stage.passes);
    let assumed = passes.flat_map(|pass| &pass.decisions).filter(|said| said.code == ir::ReasonCode::SizeAssumed);
    let mut lines: Vec<u32> = assumed.map(|said| kernel.origins[said.origin].place).collect();
    let last = Kernel::clone(&reached.last().expect("a stage").kernel);
    // That there is an element is taken for granted in silence, where it is not known at the entry.
    let made = last.checks();
    last.walk(last.body, &mut |_, op| {
        if last.ops[op].code == Code::AssertSome && !made.contains(&op) {
            lines.push(last.origins[last.ops[op].origin].place);
        }
    });
    (last, lines)
}

/// Holds a native run against the kernel as it was; says whether checks ended it.
fn compare(
    client: &Client,
    kernel: &Kernel,
    (last, assumed): &(Kernel, Vec<u32>),
    target: &Target,
    inputs: &Inputs,
) -> bool {
    let what = || format!("on {}\n{}\n{}", target.name, print(kernel).text, print(last).text);
    let expected = interpreted(kernel, inputs);
    let line = |error: &RunError, kernel: &Kernel| kernel.origins[error.origin].place;
    if let Err(error) = &expected {
        let is_checked = kernel.ops[error.op].code.checks_sizes() && !assumed.contains(&line(error, kernel));
        if !is_checked {
            // Native code assumes that it does not happen.
            return false;
        }
    }
    let (job, payload) = run::job(last, &Source::default(), target, inputs, Guard::End).expect("native code");
    let answer = client.ask(Job::Run(job), &payload).wait(PATIENCE);
    let (status, memory) = match &answer {
        Ok((Outcome::Ran { status, .. }, memory)) => (*status, memory.clone()),
        other => panic!("{other:?}: {}", what()),
    };
    match (expected, run::ran(last, inputs, answer)) {
        (Ok((result, expected)), Ok(ran)) => {
            assert_eq!((status, ran.result), (0, result), "{}", what());
            assert_eq!(first_difference_of(kernel, &ran.memory, &expected), None, "{}", what());
            false
        }
        (Err(expected), Err(Failure::SizesDiffer)) => {
            assert_eq!((status, memory), (1, inputs.memory.concat()), "{}", what());
            let said = interpreted(&last.only_checks(), inputs).expect_err("a check that does not hold");
            // A check that stands on both sides of a branch, whose condition is data, has one place of the two.
            let text = print(kernel).text;
            let check = |line: u32| text.lines().nth(line as usize - 1).map(str::trim);
            assert_eq!(check(line(&said, last)), check(line(&expected, kernel)), "{}", what());
            assert_eq!(said.kind, expected.kind, "{}", what());
            true
        }
        (expected, found) => panic!("{expected:?} but {found:?}: {}", what()),
    }
}

const KERNELS: &[&str] = &[
    // Before all else.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool):
    assert_size(size(a), size(b))
    for i in range(0, size(a)):
        a[i] = (a[i] + b[i])
",
    // Behind a store, in loops that have no iteration for some numbers.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool):
    a[0] = 7.0
    for i in range(0, n):
        for j in range(m, 0, -1):
            assert_size(size(c, dim=1), size(b))
            for k in range(0, size(b)):
                c[i, k] = (c[i, k] + b[k])
",
    // On sides of branches, the one in the other, with a result.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool) -> f32:
    a[0] = 7.0
    if on:
        if (n > 2):
            assert_size(size(a), n)
            a[1] = 3.0
        else:
            assert_size(size(b), m)
            a[1] = 4.0
    else:
        assert_size(size(c, dim=1), (m + 1))
        a[1] = 5.0
    return a[1]
",
    // With scratch memory, and a result of a bool.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool) -> bool:
    let t = temp(size(a), unset=f32)
    for i in range(0, size(a)):
        t[i] = (a[i] * 2.0)
    if (size(b) > 3):
        assert_size(size(t), size(b))
        for j in range(0, size(b)):
            a[j] = t[((size(b) - j) - 1)]
    return (a[0] > b[0])
",
    // In lanes, with rows.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool):
    foreach i in range(0, size(c)):
        assert_size(size(c, dim=1), size(a))
        for j in range(0, size(a)):
            c[i, j] = (a[j] * c[i, j])
",
    // Arrays that need an element, if the run gets there.
    "\
kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool):
    if on:
        assert_some(size(b))
        a[0] = (a[0] + b[0])
    for i in range(0, n):
        assert_some(size(c))
        assert_size(size(a), size(b))
        c[0, 0] = 4.0
",
];

fn inputs(a: i64, b: i64, c: [i64; 2], n: i32, m: i32, on: bool) -> Inputs {
    let cells = |count: i64| -> Vec<Scalar> { (0..count).map(|i| Scalar::F32((i % 11) as f32 - 4.0)).collect() };
    Inputs::new()
        .array(&cells(a), &[a])
        .array(&cells(b), &[b])
        .array(&cells(c[0] * c[1]), &c)
        .scalar(n)
        .scalar(m)
        .scalar(on)
}

fn targets() -> impl Iterator<Item = &'static Target> {
    target::TARGETS.iter().filter(|target| host::runs(target))
}

/// Native code ends for the sizes for which the interpreter does.
pub(crate) fn agree(client: &Client) {
    let (mut compared, mut ended) = (0, 0);
    for text in KERNELS {
        let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        for (number, target) in targets().enumerate() {
            let last = finished(&kernel, target, [None, Some(4), Some(1)][number % 3]);
            assert!(last.0.marks.checked && last.1.is_empty(), "{}", print(&last.0).text);
            for (a, b, c) in [(5, 5, [3, 5]), (20, 4, [2, 4]), (20, 20, [4, 19]), (3, 20, [0, 7])] {
                for (n, m, on) in [(2, 4, true), (0, 3, false), (3, 0, true), (5, 4, true), (2, 18, false)] {
                    let inputs = inputs(a, b, c, n.min(c[0] as i32), m, on);
                    ended += usize::from(compare(client, &kernel, &last, target, &inputs));
                    compared += 1;
                }
            }
        }
    }
    assert!(ended > compared / 5 && ended < compared * 4 / 5, "{ended} of {compared} ended for their sizes");
}

/// A kernel of checks in loops and branches, some of which depend on data.
fn random_kernel(rng: &mut fastrand::Rng) -> String {
    fn pick<'a>(rng: &mut fastrand::Rng, of: &[&'a str]) -> &'a str {
        of[rng.usize(..of.len())]
    }
    fn block(rng: &mut fastrand::Rng, depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        for _ in 0..rng.usize(1..4) {
            match rng.u32(..8) {
                0 | 1 if depth < 4 => {
                    let condition =
                        pick(rng, &["on", "(n > m)", "(x < 1.0)", "(a[0] > 3.0)", "(on & (n != 3))", "(~on)"]);
                    text.push_str(&format!("{indent}if {condition}:\n"));
                    block(rng, depth + 1, text);
                    if rng.bool() {
                        text.push_str(&format!("{indent}else:\n"));
                        block(rng, depth + 1, text);
                    }
                }
                2 | 3 if depth < 4 => {
                    let range = ["0, n", "m, n", "n, 0, -1", "0, size(b)", "1, (n + m), 2", "0, i32(a[0])", "0, 3"];
                    text.push_str(&format!("{indent}for i{depth} in range({}):\n", pick(rng, &range)));
                    block(rng, depth + 1, text);
                }
                4 | 5 => {
                    let sizes = ["size(a)", "size(b)", "size(c, dim=1)", "n", "m", "(n + 1)", "min(n, m)", "i32(a[0])"];
                    let (one, other) = (pick(rng, &sizes), pick(rng, &sizes));
                    match rng.u32(..4) {
                        0 => text.push_str(&format!("{indent}assert_some({one})\n")),
                        _ => text.push_str(&format!("{indent}assert_size({one}, {other})\n")),
                    }
                }
                _ => text.push_str(&format!("{indent}a[0] = (a[0] + 1.0)\n")),
            }
        }
    }
    let mut text = "kernel k(a: f32[?], b: f32[?], c: f32[?, ?], n: i32, m: i32, on: bool, x: f32):\n".to_owned();
    block(rng, 1, &mut text);
    text
}

/// Random checks end those runs that they end in the interpreter, as many as are made at the entry, and no others.
pub(crate) fn random_ones_agree(client: &Client) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (first, cases) = (number("LANESCOPE_SEED").unwrap_or(0), number("LANESCOPE_CASES").unwrap_or(150));
    let targets: Vec<&Target> = targets().collect();
    let mut ended = 0;
    for seed in first..first + cases {
        let mut rng = fastrand::Rng::with_seed(seed);
        let text = random_kernel(&mut rng);
        let kernel = read(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let target = targets[seed as usize % targets.len()];
        let last = finished(&kernel, target, None);
        for _ in 0..8 {
            let [a, b, c] = [1, 0, 0].map(|least| rng.i64(least..5));
            let inputs = inputs(a, b, [2, c], rng.i32(-1..5), rng.i32(-1..5), rng.bool());
            let inputs = inputs.scalar(if rng.bool() { 0.5f32 } else { 1.5f32 });
            ended += usize::from(compare(client, &kernel, &last, target, &inputs));
        }
    }
    assert!(ended as u64 > cases / 2, "{ended} of {cases} kernels ended for their sizes");
}

/// Machines that this one is not have code for a kernel with checks, a result and scratch memory.
pub(crate) fn have_code_for_all_targets(client: &Client) {
    let kernel = read(KERNELS[3], None).expect("a kernel").remove(0);
    let mut shown = String::new();
    for name in ["scalar", "sse4", "avx2", "avx512", "neon", "sve256", "rvv256"] {
        let target = target::find(name).expect("a row of the table");
        let (last, _) = finished(&kernel, target, None);
        let ir =
            emit::emit(&[Input { kernel: &last, source: &Source::default() }], target, emit::ModuleOptions::default());
        let ir = ir.expect("LLVM IR");
        let defined = ir.lines().find(|line| line.starts_with("define") && line.contains("@k("));
        shown += &format!("{name}: {}\n", defined.expect("a function"));
        let made = client.compile(ir, Spec::of(target), CompiledForm::Assembly, PATIENCE);
        assert!(made.is_ok(), "{made:?} on {name}");
    }
    expect![[r#"
        scalar: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 align 64 {
        sse4: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 align 64 {
        avx2: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 align 64 {
        avx512: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 align 64 {
        neon: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 {
        sve256: define i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) nounwind {
        rvv256: define signext i32 @k(ptr noalias align 4 %a, i64 %a_size0, ptr noalias readonly align 4 %b, i64 %b_size0, ptr noalias readonly align 4 %c, i64 %c_size1, i32 %n, i32 %m, i1 zeroext %on, ptr align 1 %result, ptr noalias align 64 %scratch) #0 {
    "#]].assert_eq(&shown);
}

/// What is measured ends before it is timed.
pub(crate) fn stop_a_measurement(client: &Client) {
    let kernel = read(KERNELS[0], None).expect("a kernel").remove(0);
    let (last, _) = finished(&kernel, host::row(), None);
    let measured = |b: i64| {
        let inputs = inputs(4, b, [0, 0], 0, 0, true);
        let (run, payload) =
            run::job(&last, &Source::default(), host::row(), &inputs, Guard::End).expect("native code");
        client.ask(Job::Bench { run, milliseconds: 1 }, &payload).wait(PATIENCE + Duration::from_secs(1))
    };
    assert!(matches!(measured(4), Ok((Outcome::Timed { .. }, _))));
    assert_eq!(measured(5), Err(Failure::SizesDiffer));
}
