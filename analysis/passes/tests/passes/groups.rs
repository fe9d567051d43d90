//! Random loops whose groups of lanes can be interleaved: sums of all kinds, stores of two sides, distances, cells that lie apart, bytes.
//! They give what their scalar form gives, bit by bit, behind all passes, for each target, at several lane counts.
//!
//! `LANESCOPE_CASES` says how many kernels are taken.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use ir::interp::{Inputs, Machine, MachineStatus, Stop};
use ir::target::TARGETS;
use ir::{Elem, Kernel, Scalar, canonical, print, read};
use passes::pipeline;
use passes::pipeline::Options;

/// The passes and decisions that the loops are made for, and in how many of a hundred kernels there is something for each at least.
const PASSES: &[(&str, usize)] = &[
    ("merge-stores", 10),
    ("distances", 10),
    ("last-group-overlaps", 10),
    ("tail", 50),
    ("interleave", 50),
    ("last-lane", 2),
    ("products", 3),
    ("byte-sums", 2),
];

/// A loop over an index of a type, in the text form of Lane IR; what it gives is stored.
fn a_loop(rng: &mut Rng, index: Elem, number: usize) -> String {
    let lo = rng.usize(..4);
    let mut carried: Vec<(String, &str)> = Vec::new();
    let mut yields: Vec<String> = Vec::new();
    let mut reducing: Vec<&str> = Vec::new();
    let mut joined: Vec<&str> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    let mut sums: Vec<(&str, &str)> = Vec::new();
    match rng.u8(..8) {
        0 | 1 => {
            let sum = [
                ("(s + (i32(c[i]) * i32(d[i])))", "5"),
                ("(s + (i32(c[i]) * i32(c[i])))", "x"),
                ("(s + b[i])", "x"),
                ("min(s, a[i])", "x"),
                ("max(s, (a[i] - b[i]))", "x"),
                ("(s & a[i])", "-1"),
                ("(s ^ b[i])", "x"),
                ("select((u[i] > 9), (s + 1), s)", "x"),
                ("select(((u[i] == 0) | (v[i] < 3)), s, (s + 1))", "5"),
            ];
            sums.push(sum[rng.usize(..sum.len())]);
        }
        2 => {
            reducing.push("+ from 0.5");
            joined.push("(f[i] * g[i])");
        }
        3 => {
            reducing.extend(["+ from 0.5", "* from 2.0"]);
            joined.extend(["f[i]", "(f[i] + 0.5)"]);
        }
        4 => {
            // What the last iteration put there in which a condition holds.
            carried.push(("h0".to_owned(), "x"));
            body.push(
                [
                    "let held = if (b[i] > x):\n        yield (a[i] + 1)\n    else:\n        yield h0\n    b[i] = (held -% 1)",
                    "let held = if (a[i] > 0):\n        yield h0\n    else:\n        yield b[i]\n    a[i] = held",
                    "let held = select((b[i] == x), i32(c[i]), h0)\n    a[i] = (a[i] -% held)",
                    "let held = (h0 + i32(c[i]))\n    a[i] = (b[i] -% held)",
                ][rng.usize(..4)],
            );
            yields.push("held".to_owned());
        }
        _ => {}
    }
    for (number, (next, start)) in sums.iter().enumerate() {
        let name = format!("s{number}");
        yields.push(
            next.replace("(s ", &format!("({name} "))
                .replace("(s,", &format!("({name},"))
                .replace(" s", &format!(" {name}")),
        );
        carried.push((name, start));
    }
    if !sums.is_empty() && rng.bool() {
        body.push("let p = (b[i] > x)");
        let (name, next) = (carried[0].0.clone(), yields[0].clone());
        yields[0] = format!("select(p, {next}, {name})");
    }
    let statements = [
        "a[i] = (b[i] + 3)",
        "if (b[i] > x):\n        a[i] = b[i]\n    else:\n        a[i] = (x - 1)",
        "if (f[i] > g[i]):\n        f[i] = g[i]\n    else:\n        f[i] = (f[i] * 0.5)",
        "let d_1 = if (a[i] > b[i]):\n        yield (a[i] - b[i])\n    else:\n        yield (b[i] - a[i])\n    a[i] = d_1",
        "let d_2 = if (a[i] <= b[i]):\n        yield (b[i] - a[i])\n    else:\n        yield (a[i] - b[i])\n    b[i] = d_2",
        "f[i] = (w[(index(i) * 2)] + w[((index(i) * 2) + 1)])",
        "f[i] = w[(index(i) * 2)]",
        "if (a[i] > 2):\n        b[i] = a[i]",
        "if (f[i] > 0.5):\n        g[i] = (f[i] + g[i])",
        "g[i] = ((f[i] * 2.0) + g[i])",
        "f[i] = f32(i)",
        "if (a[i] < 0):\n        b[i] = a[i]\n    else:\n        if (a[i] < 5):\n            b[i] = x\n        else:\n            b[i] = (a[i] - 3)",
        "if (f[i] < 0.5):\n        g[i] = ((f[i] / 3.0) / (g[i] + 0.5))\n    else:\n        if (f[i] < 2.0):\n            g[i] = ((f[i] / \
         0.75) / (f[i] + 1.0))\n        else:\n            g[i] = 1.0",
        "a[i] = (b[i] - 1)\n    if (b[i] > x):\n        a[i] = 7",
        "if (a[i] > b[i]):\n        let t = a[i]\n        a[i] = b[i]\n        b[i] = t",
        "if (f[i] > 0.5):\n        g[i] = f[i]\n    if (f[i] > 2.0):\n        g[i] = 0.25",
        "w[(index(i) * 2)] = f[i]",
        "v[i] = (u[i] ^ 255)",
        "v[i] = (u[i] +% u8(c[i]))\n    if (a[i] > x):\n        v[i] = 7",
    ];
    for _ in 0..rng.usize(usize::from(carried.is_empty() && joined.is_empty())..3) {
        let statement = statements[rng.usize(..statements.len())];
        if !body.contains(&statement) {
            body.push(statement);
        }
    }
    let mut text = String::from("let NAMES = for i in range(LO, n) with CARRIED reducing JOINED:\n");
    let names: Vec<String> = (0..carried.len() + joined.len()).map(|at| format!("r{number}_{at}")).collect();
    let starts: Vec<String> = carried.iter().map(|(name, start)| format!("{name} = {start}")).collect();
    text = match names.is_empty() {
        true => text.replace("let NAMES = ", ""),
        false => text.replace("NAMES", &names.join(", ")),
    };
    text = match starts.is_empty() {
        true => text.replace(" with CARRIED", ""),
        false => text.replace("CARRIED", &starts.join(", ")),
    };
    text = match reducing.is_empty() {
        true => text.replace(" reducing JOINED", ""),
        false => text.replace("JOINED", &reducing.join(", ")),
    };
    text = text.replace("LO", &format!("{index}({lo})"));
    body.iter().for_each(|statement| text += &format!("    {statement}\n"));
    yields.extend(joined.iter().map(ToString::to_string));
    if !yields.is_empty() {
        text += &format!("    yield {}\n", yields.join(", "));
    }
    for (at, name) in names.iter().enumerate() {
        let array = if at < carried.len() { "ints" } else { "floats" };
        text += &format!("{array}[{}] = {name}\n", 2 * number + at);
    }
    text
}

/// A kernel of one or two loops.
fn kernel(rng: &mut Rng) -> (String, Elem) {
    let index = [Elem::I32, Elem::I32, Elem::U32, Elem::I16, Elem::U8][rng.usize(..5)];
    let mut text = format!(
        "kernel k(a: i32[?], b: i32[?], c: i16[?], d: i16[?], f: f32[?], g: f32[?], w: f32[?], u: u8[?], v: u8[?], ints: i32[4], \
         floats: f32[4], n: {index}, x: i32):\n"
    );
    for number in 0..rng.usize(1..3) {
        a_loop(rng, index, number).lines().for_each(|line| text += &format!("    {line}\n"));
    }
    (text, index)
}

fn inputs(n: i32, index: Elem) -> Inputs {
    let sizes = [i64::from(n)];
    let of = |elem: Elem, by: i32, count: i32| -> Vec<Scalar> {
        let cell = |at: i32| Scalar::I32((at * by) % 23 - 11);
        (0..count).map(|at| ir::scalar::cast(cell(at), elem).expect("it fits")).collect()
    };
    let bytes = |by: i32| -> Vec<Scalar> { (0..n).map(|at| Scalar::U8((at * by % 23) as u8)).collect() };
    Inputs::new()
        .array(&of(Elem::I32, 3, n), &sizes)
        .array(&of(Elem::I32, 5, n), &sizes)
        .array(&of(Elem::I16, 7, n), &sizes)
        .array(&of(Elem::I16, 11, n), &sizes)
        .array(&of(Elem::F32, 2, n), &sizes)
        .array(&of(Elem::F32, 13, n), &sizes)
        .array(&of(Elem::F32, 17, 2 * n), &[i64::from(2 * n)])
        .array(&bytes(3), &sizes)
        .array(&bytes(5), &sizes)
        .array(&[Scalar::I32(0); 4], &[4])
        .array(&[Scalar::F32(0.0); 4], &[4])
        .scalar(ir::scalar::cast(Scalar::I32(n), index).expect("it fits"))
        .scalar(4)
}

/// The content of arrays in the end; nothing if the program has an error.
fn memory(kernel: &Kernel, inputs: &Inputs) -> Option<Vec<Vec<u8>>> {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone()).expect("inputs that fit");
    assert_eq!(machine.run_for(2_000_000), Stop::Over);
    matches!(machine.status(), MachineStatus::Done(_)).then(|| machine.memory()[..inputs.memory.len()].to_vec())
}

#[test]
fn interleaved_loops_give_what_scalar_ones_give() {
    let cases: usize = std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..cases {
        let mut rng = Rng::with_seed(seed as u64);
        let (text, index) = kernel(&mut rng);
        let scalar = read(&text, None).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}")).remove(0);
        let given: Vec<Inputs> = [0, 1, 7, 63, 64, 65, 127].map(|n| inputs(n, index)).into();
        let expected: Vec<_> = given.iter().map(|inputs| memory(&scalar, inputs)).collect();
        let mut changed: Vec<&str> = Vec::new();
        for target in TARGETS {
            let lanes = [None, None, Some(2), Some(4), Some(8), Some(16)][rng.usize(..6)];
            let reached = pipeline::run(scalar.clone(), &Options { lanes, target }, true)
                .unwrap_or_else(|broken| panic!("seed {seed}: {broken:?}\n{text}"));
            let passes = reached.iter().flat_map(|reached| &reached.passes).filter(|pass| pass.changed);
            changed.extend(passes.map(|pass| pass.name));
            let decisions = reached.iter().flat_map(|reached| &reached.passes).flat_map(|pass| &pass.decisions);
            changed.extend(decisions.filter(|decision| decision.taken).map(|decision| decision.code.name()));
            let last = &reached.last().expect("stages").kernel;
            let shown = print(last).text;
            let again = read(&shown, last.lanes).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{shown}"));
            assert_eq!(canonical(&again[0]), canonical(last), "seed {seed}\n{shown}");
            for (inputs, expected) in given.iter().zip(&expected) {
                // The order of what fails may be another one.
                if expected.is_some() {
                    let n = inputs.memory[0].len() / 4;
                    let name = target.name;
                    assert!(memory(last, inputs) == *expected, "seed {seed}, {name}, {lanes:?}, {n}\n{text}\n{shown}");
                }
            }
        }
        for &(pass, _) in PASSES {
            *seen.entry(pass).or_default() += usize::from(changed.contains(&pass));
        }
    }
    for (pass, least) in PASSES {
        assert!(100 * seen[pass] >= least * cases, "{pass} had something to do in {} of {cases}", seen[pass]);
    }
}
