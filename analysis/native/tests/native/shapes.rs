//! What accesses become: for each form and target, what the inner loop has of it and what it never has.

use expect_test::expect;
use ir::{Kernel, Target, read, target};
use native::asm::{Function, Kind, listing};
use native::client::Client;
use native::emit::{Input, Options, Source, emit};
use native::protocol::{Form, Outcome, Spec};

use crate::PATIENCE;

/// A load by its name, and as it is written.
const LOADS: &[(&str, &str)] = &[
    ("contiguous", "vector_load(a, (base + lane_id))"),
    ("masked", "masked_load(a, (base + lane_id), ((base + lane_id) < n))"),
    ("reversed", "reversed_load(a, (1000 - (base + lane_id)))"),
    ("strided 3", "strided_load(a, ((base + lane_id) * 3), stride=3)"),
    ("gather", "gather(a, vector_load(at, (base + lane_id)))"),
];

fn kernel(load: &str, lanes: u16) -> Kernel {
    let text = format!(
        "kernel k(a: f32[?], at: i32[?], out: f32[?], n: i32):\n    vector_for base in range(0, n, LANES):\n        \
         vector_store(out, base, ({load} + 1.0))\n"
    );
    read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0)
}

/// A loop that was decided to be scalar is, however LLVM would like it: no lanes, no library's `memcpy`.
pub(crate) fn scalar_loops_stay_scalar(client: &Client) {
    let text = "\
kernel k(a: i32[n], out: i32[n], n: i32) -> i32:
    for i in range(0, n):
        out[i] = a[i]
    let s = for i in range(0, n) with t = 0:
        yield (t + a[i])
    out[0] = (a[0] + 1)
    out[1] = (a[1] + 1)
    out[2] = (a[2] + 1)
    out[3] = (a[3] + 1)
    return s
";
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    for name in ["avx2", "avx512", "neon", "sve256", "rvv256"] {
        let target = target::find(name).expect("a row of the table");
        let function = assembly(client, &kernel, target);
        let counts = [Kind::Vector, Kind::Call].map(|kind| function.count(kind, false));
        assert_eq!(counts, [0, 0], "{name}\n{function:#?}");
    }
}

fn assembly(client: &Client, kernel: &Kernel, target: &Target) -> Function {
    let ir = emit(&[Input { kernel, source: &Source::default() }], target, Options::default());
    let made = client.compile(ir.expect("LLVM IR"), Spec::of(target), Form::Assembly, PATIENCE);
    let Ok((Outcome::Text(text), _)) = made else { panic!("{made:?}") };
    listing(&text, target.family).functions.remove(0)
}

pub(crate) fn of_accesses(client: &Client) {
    let mut shown = String::new();
    for name in ["sse4", "avx2", "avx512", "neon", "sve256", "rvv256"] {
        let target = target::find(name).expect("a row of the table");
        for (access, load) in LOADS {
            let kernel = kernel(load, target.lanes_for(4));
            let function = assembly(client, &kernel, target);
            let has = |kind: Kind| function.count(kind, true) > 0;
            let kinds = [Kind::Gather, Kind::Shuffle, Kind::Spill, Kind::Call];
            let kinds: Vec<&str> = kinds.into_iter().filter(|&kind| has(kind)).map(Kind::name).collect();
            shown += format!("{name:7} {access:10} {}", kinds.join(", ")).trim_end();
            shown.push('\n');
        }
    }
    expect![[r#"
        sse4    contiguous
        sse4    masked     shuffle
        sse4    reversed   shuffle
        sse4    strided 3  shuffle
        sse4    gather     shuffle
        avx2    contiguous
        avx2    masked     shuffle
        avx2    reversed   shuffle
        avx2    strided 3  shuffle
        avx2    gather     gather
        avx512  contiguous
        avx512  masked     shuffle
        avx512  reversed   shuffle
        avx512  strided 3  shuffle
        avx512  gather     gather
        neon    contiguous
        neon    masked
        neon    reversed   shuffle
        neon    strided 3
        neon    gather
        sve256  contiguous
        sve256  masked
        sve256  reversed   shuffle
        sve256  strided 3  shuffle, spill
        sve256  gather     gather
        rvv256  contiguous
        rvv256  masked
        rvv256  reversed   shuffle
        rvv256  strided 3  shuffle
        rvv256  gather     gather
    "#]]
    .assert_eq(&shown);
}
