//! What accesses become: for each form and target, what the inner loop has of it and what it never has.

use std::collections::BTreeSet;

use expect_test::expect;
use ir::{Family, Kernel, Target, read, target};
use native::asm::{Function, Kind, listing};
use native::client::Client;
use native::emit::{Input, ModuleOptions, Source, emit};
use native::llvm::{self, find::OLDEST};
use native::protocol::{CompiledForm, Outcome, Spec};

use crate::PATIENCE;
use crate::random::settled;

/// An access by its name, and the body of a loop that has it: with `x` for what is loaded or stored.
const ACCESSES: &[(&str, &str)] = &[
    ("uniform", "vector_store(out, base, (x * a[7]))"),
    ("contiguous", "vector_store(out, base, (vector_load(a, (base + lane_id)) + 1.0))"),
    ("masked", "vector_store(out, base, (masked_load(a, (base + lane_id), ((base + lane_id) < n)) + 1.0))"),
    ("reversed", "vector_store(out, base, (reversed_load(a, (1000 - (base + lane_id))) + 1.0))"),
    ("strided 2", "vector_store(out, base, (strided_load(a, ((base + lane_id) * 2), stride=2) + 1.0))"),
    ("strided 3", "vector_store(out, base, (strided_load(a, ((base + lane_id) * 3), stride=3) + 1.0))"),
    ("gather", "vector_store(out, base, (gather(a, vector_load(at, (base + lane_id))) + 1.0))"),
    ("masked store", "masked_store(out, (base + lane_id), x, (x > 0.5))"),
    ("reversed store", "reversed_store(out, (1000 - (base + lane_id)), x)"),
    ("strided store", "strided_store(out, ((base + lane_id) * 2), x, stride=2)"),
    ("scatter", "scatter(out, vector_load(at, (base + lane_id)), x)"),
    ("compressed store", "compress_store(out, base, x, (x > 0.5))"),
    (
        "pairs",
        "let p, q = interleaved_load(a, ((base + lane_id) * 2), members=2)\n        vector_store(out, base, (p + q))",
    ),
    (
        "triples",
        "let p, q, r = interleaved_load(a, ((base + lane_id) * 3), members=3)\n        \
         vector_store(out, base, ((p + q) + r))",
    ),
    (
        "fours",
        "let p, q, r, s = interleaved_load(a, ((base + lane_id) * 4), members=4)\n        \
         vector_store(out, base, ((p + q) + (r + s)))",
    ),
    ("store pairs", "interleaved_store(out, ((base + lane_id) * 2), splat(true), x, (x + 1.0))"),
    ("store triples", "interleaved_store(out, ((base + lane_id) * 3), splat(true), x, (x + 1.0), (x + 2.0))"),
    ("store fours", "interleaved_store(out, ((base + lane_id) * 4), splat(true), x, (x + 1.0), (x + 2.0), (x + 3.0))"),
];

fn kernel(body: &str, lanes: u16) -> Kernel {
    let text = format!(
        "kernel k(a: f32[?], at: i32[?], out: f32[?], n: i32):\n    vector_for base in range(0, n, LANES):\n        \
         let x = vector_load(a, (base + lane_id))\n        {body}\n"
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

pub(crate) fn assembly(client: &Client, kernel: &Kernel, target: &Target) -> Function {
    let kernel = &settled(kernel, target);
    let ir = emit(&[Input { kernel, source: &Source::default() }], target, ModuleOptions::default());
    let made = client.compile(ir.expect("LLVM IR"), Spec::of(target), CompiledForm::Assembly, PATIENCE);
    let Ok((Outcome::Text(text), _)) = made else { panic!("{made:?}") };
    listing(&text, target.family).functions.remove(0)
}

pub(crate) fn of_accesses(client: &Client) {
    let mut shown = String::new();
    for name in ["sse4", "avx2", "avx512", "neon", "sve256", "rvv256"] {
        let target = target::find(name).expect("a row of the table");
        for (access, body) in ACCESSES {
            let mut kernel = kernel(body, target.lanes_for(4));
            let options = passes::pipeline::Options { lanes: None, target };
            for pass in [passes::INTERLEAVE, passes::ACTIVE_LANES] {
                pass.apply(&mut kernel, &mut passes::Context::new(&options));
            }
            let function = assembly(client, &kernel, target);
            let has = |kind: Kind| function.count(kind, true) > 0;
            assert!(!has(Kind::Call), "{name} {access}\n{function:#?}");
            let by_address = has(Kind::Gather) || has(Kind::Scatter);
            assert!(!by_address || is_by_address(access), "{name} {access}\n{function:#?}");
            let kinds = [Kind::Gather, Kind::Scatter, Kind::Shuffle, Kind::Spill];
            let kinds: Vec<&str> = kinds.into_iter().filter(|&kind| has(kind)).map(Kind::name).collect();
            shown += format!("{name:7} {access:16} {}", kinds.join(", ")).trim_end();
            shown.push('\n');
        }
    }
    expect![[r#"
        sse4    uniform
        sse4    contiguous
        sse4    masked           shuffle
        sse4    reversed         shuffle
        sse4    strided 2        shuffle
        sse4    strided 3        shuffle
        sse4    gather           shuffle
        sse4    masked store     shuffle
        sse4    reversed store   shuffle
        sse4    strided store    shuffle
        sse4    scatter          shuffle
        sse4    compressed store shuffle
        sse4    pairs
        sse4    triples          shuffle
        sse4    fours            shuffle
        sse4    store pairs      shuffle
        sse4    store triples    shuffle
        sse4    store fours      shuffle
        avx2    uniform
        avx2    contiguous
        avx2    masked
        avx2    reversed         shuffle
        avx2    strided 2        shuffle
        avx2    strided 3        shuffle
        avx2    gather           gather
        avx2    masked store
        avx2    reversed store   shuffle
        avx2    strided store    shuffle
        avx2    scatter          shuffle
        avx2    compressed store shuffle, spill
        avx2    pairs            shuffle
        avx2    triples          shuffle
        avx2    fours            shuffle, spill
        avx2    store pairs      shuffle
        avx2    store triples    shuffle
        avx2    store fours      shuffle
        avx512  uniform
        avx512  contiguous
        avx512  masked
        avx512  reversed         shuffle
        avx512  strided 2        shuffle
        avx512  strided 3        shuffle
        avx512  gather           gather
        avx512  masked store
        avx512  reversed store   shuffle
        avx512  strided store    scatter
        avx512  scatter          scatter
        avx512  compressed store shuffle
        avx512  pairs            shuffle
        avx512  triples          shuffle
        avx512  fours            shuffle
        avx512  store pairs      shuffle
        avx512  store triples    shuffle
        avx512  store fours      shuffle
        neon    uniform
        neon    contiguous
        neon    masked
        neon    reversed         shuffle
        neon    strided 2        shuffle
        neon    strided 3        shuffle
        neon    gather
        neon    masked store
        neon    reversed store   shuffle
        neon    strided store    shuffle
        neon    scatter
        neon    compressed store
        neon    pairs
        neon    triples
        neon    fours
        neon    store pairs
        neon    store triples
        neon    store fours
        sve256  uniform
        sve256  contiguous
        sve256  masked
        sve256  reversed         shuffle
        sve256  strided 2        shuffle, spill
        sve256  strided 3        shuffle, spill
        sve256  gather           gather
        sve256  masked store
        sve256  reversed store   shuffle
        sve256  strided store    scatter, shuffle
        sve256  scatter          scatter
        sve256  compressed store shuffle
        sve256  pairs
        sve256  triples
        sve256  fours
        sve256  store pairs
        sve256  store triples
        sve256  store fours
        rvv256  uniform
        rvv256  contiguous
        rvv256  masked
        rvv256  reversed         shuffle
        rvv256  strided 2
        rvv256  strided 3        shuffle
        rvv256  gather           gather
        rvv256  masked store
        rvv256  reversed store   shuffle
        rvv256  strided store
        rvv256  scatter          scatter
        rvv256  compressed store shuffle
        rvv256  pairs
        rvv256  triples
        rvv256  fours
        rvv256  store pairs
        rvv256  store triples
        rvv256  store fours
    "#]]
    .assert_eq(&shown);
}

/// Whether each lane of an access has an address of its own.
fn is_by_address(access: &str) -> bool {
    matches!(access, "gather" | "scatter" | "strided store")
}

/// What the inner loops of small kernels are made of on a target, from their scalar form through all passes: each
/// instruction's name once.
pub(crate) fn of_loops(client: &Client) {
    let kernels = [
        // The article's own: an addition with a memory operand and a store.
        ("increment", "kernel k(a: f32[n], n: i32):\n    for i in range(0, n):\n        a[i] = (a[i] + 1.0)\n"),
        // What is loaded above the branch is not loaded in it, and not set to 0 where nobody asks.
        (
            "swap",
            "kernel k(a: f32[n], b: f32[n], n: i32):\n    for i in range(0, n):\n        if (a[i] > b[i]):\n            \
             let t = a[i]\n            a[i] = b[i]\n            b[i] = t\n",
        ),
        // One store for both sides.
        (
            "either",
            "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):\n    for i in range(0, n):\n        \
             if (a[i] > b[i]):\n            out[i] = (a[i] - b[i])\n        else:\n            \
             out[i] = (b[i] + b[i])\n",
        ),
        (
            "distance",
            "kernel k(a: i32[n], b: i32[n], out: i32[n], n: i32):\n    for i in range(0, n):\n        \
             let d = if (a[i] > b[i]):\n            yield (a[i] - b[i])\n        else:\n            \
             yield (b[i] - a[i])\n        out[i] = d\n",
        ),
        // Neighbouring products are added by the instruction that multiplies.
        (
            "dot of shorts",
            "kernel k(a: i16[n], b: i16[n], n: i32) -> i32:\n    let s = for i in range(0, n) with t = 0:\n        \
             yield (t + (i32(a[i]) * i32(b[i])))\n    return s\n",
        ),
    ];
    let [mut everywhere, mut by_version] = [String::new(), String::new()];
    for name in ["sse4", "avx2", "avx512", "neon"] {
        let target = target::find(name).expect("a row of the table");
        for (what, text) in &kernels {
            let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
            let options = passes::pipeline::Options { lanes: None, target };
            let reached = passes::pipeline::run(kernel, &options, true).expect("a kernel that passes keep whole");
            let function = assembly(client, &reached.last().expect("stages").kernel, target);
            let lines = function
                .lines
                .iter()
                .filter(|line| line.in_inner_loop && line.kind.is_some_and(|kind| kind != Kind::Scalar));
            let names: BTreeSet<&str> = lines.filter_map(|line| line.text.split_whitespace().next()).collect();
            let adds_pairs = names.iter().any(|name| name.ends_with("pmaddwd"));
            assert_eq!(adds_pairs, *what == "dot of shorts" && target.family == Family::X86, "{name} {what}");
            let is_plain = matches!(name, "avx2" | "avx512") && !adds_pairs;
            let shown = if is_plain { &mut everywhere } else { &mut by_version };
            *shown += &format!("{name:7} {what:14} {}\n", names.into_iter().collect::<Vec<_>>().join(" "));
        }
    }
    expect![[r#"
        avx2    increment      vaddps vmovups
        avx2    swap           vmaxps vminps vmovups
        avx2    either         vaddps vblendvps vcmpltps vmovups vsubps
        avx2    distance       vmovdqu vpabsd vpsubd
        avx512  increment      vaddps vmovups
        avx512  swap           vcmpltps vmovups
        avx512  either         vaddps vcmpltps vmovups vsubps
        avx512  distance       vmovdqu64 vpabsd vpsubd
    "#]]
    .assert_eq(&everywhere);
    // Where a group's masks and tail are work, each LLVM has its own way; shown is the Rust toolchain's.
    if llvm::llvm().expect("an LLVM").version().0 > OLDEST {
        expect![[r#"
            sse4    increment      addps movups
            sse4    swap           cmpltps extractps movaps movmskps movss movups
            sse4    either         addps blendvps cmpltps movaps movups subps
            sse4    distance       movdqu pabsd psubd
            sse4    dot of shorts  movdqu paddd pmaddwd
            avx2    dot of shorts  vmovdqu vpaddd vpmaddwd
            avx512  dot of shorts  vmovdqu64 vpaddd vpmaddwd
            neon    increment      fadd ldp ldr stp str
            neon    swap           addv and fcmgt ldr st1 str umaxv
            neon    either         bif bit bsl fadd fcmgt fsub ldp ldr mov stp str
            neon    distance       ldp ldr sabd stp str
            neon    dot of shorts  ldp ldr smlal smlal2
        "#]]
        .assert_eq(&by_version);
    }
}
