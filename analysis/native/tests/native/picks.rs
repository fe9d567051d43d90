//! Lanes picked by numbers that are only known when it runs: the interpreter's bits for every element type and many
//! lane counts, and on each target the instructions that are there for it.

use expect_test::expect;
use ir::interp::Inputs;
use ir::{Elem, Kernel, Scalar, read, target};
use native::asm::Kind;
use native::client::Client;
use native::llvm::{self, find::OLDEST};

use crate::edges::everywhere;
use crate::shapes::assembly;

/// Lane counts, some of which fill no register of any target.
const LANES: &[u16] = &[1, 2, 3, 4, 5, 8, 16, 32, 64];

/// Lanes of tables, some of which are no power of two.
const TABLES: &[u16] = &[2, 4, 8, 16, 32, 64, 3, 7, 1, 48];

/// Lanes of tables of bytes.
const LONG_TABLES: &[u16] = &[128, 256, 144, 255];

/// A kernel that picks, and what it is run on.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) kernel: Kernel,
    pub(crate) inputs: Inputs,
}

/// Each element type in each lane count, by numbers of some type that is another one each time.
pub(crate) fn cases() -> Vec<Case> {
    let integers: Vec<Elem> = Elem::ALL.into_iter().filter(|elem| elem.is_integer()).collect();
    let all = Elem::ALL.into_iter().flat_map(|elem| LANES.iter().map(move |&lanes| (elem, lanes)));
    let case = |(number, (elem, lanes)): (usize, (Elem, u16))| {
        let mut rng = fastrand::Rng::with_seed(number as u64);
        case(&mut rng, elem, integers[number % integers.len()], lanes)
    };
    all.enumerate().map(case).collect()
}

fn case(rng: &mut fastrand::Rng, elem: Elem, number: Elem, lanes: u16) -> Case {
    // Two tables, wherever they begin. Those of bytes may have as many as a byte can number.
    let most = if elem.bytes() == 1 { 256 } else { 64 };
    let mut table = |_| match most > 64 && rng.bool() {
        true => LONG_TABLES[rng.usize(..LONG_TABLES.len())],
        false => TABLES[rng.usize(..TABLES.len())],
    };
    let tables: Vec<u16> = (0..2).map(&mut table).collect();
    let mut lookup = |of: &u16| format!("lookup(vector_load(a, {}, lanes={of}), by_lane)", rng.u16(..=most - of));
    let lookups: Vec<String> = tables.iter().map(&mut lookup).collect();
    let [lookup, other] = &lookups[..] else { panic!("two tables") };
    let text = format!(
        "kernel k(a: {elem}[n], at: {number}[n], by: {number}[n], one: {number}, out: {elem}[n], turned: {elem}[n], round: {elem}[n], \
         found: {elem}[n], other: {elem}[n], n: i32):\n    vector_for base in range(0, n, LANES):\n        \
         let x = vector_load(a, (base + lane_id))\n        let by_lane = vector_load(by, (base + lane_id))\n        \
         vector_store(out, base, shuffle(x, vector_load(at, (base + lane_id))))\n        \
         vector_store(turned, base, rotate(x, by_lane))\n        vector_store(round, base, rotate(x, one))\n        \
         vector_store(found, base, {lookup})\n        vector_store(other, base, {other})\n"
    );
    let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    // At least a whole table.
    let n = i64::from((2 * lanes).max(most).next_multiple_of(lanes));
    let mut column =
        |number: &mut dyn FnMut(&mut fastrand::Rng) -> Scalar| (0..n).map(|_| number(rng)).collect::<Vec<_>>();
    let cells = column(&mut |rng| any(rng, elem));
    let at = column(&mut |rng| Scalar::from_wide(number, rng.u16(..lanes).into()).expect("it fits"));
    let by = column(&mut |rng| any(rng, number));
    let zeros = vec![Scalar::zero(elem); n as usize];
    let inputs = Inputs::new().array(&cells, &[n]).array(&at, &[n]).array(&by, &[n]).scalar(any(rng, number));
    let inputs = (0..5).fold(inputs, |inputs, _| inputs.array(&zeros, &[n])).scalar(n as i32);
    Case { text, kernel, inputs }
}

/// Any value, of floats also what is no number.
fn any(rng: &mut fastrand::Rng, elem: Elem) -> Scalar {
    let bits = rng.u64(..) >> (8 * rng.u32(..8));
    Scalar::from_bits(elem, bits)
}

/// Interpreter and native code agree.
pub(crate) fn agree(client: &Client) {
    for Case { text, kernel, inputs } in cases() {
        everywhere(client, &kernel, &[inputs], &text);
    }
}

/// What there is, besides loads and stores, where lanes that fill a register are picked by numbers as wide as
/// they are: nothing on the stack, and no gather.
pub(crate) fn instructions(client: &Client) {
    let mut shown = String::new();
    for name in ["sse4", "avx2", "avx512", "neon", "sve256", "rvv256"] {
        let target = target::find(name).expect("a row of the table");
        for (elem, number) in [("u8", "u8"), ("i16", "u16"), ("f32", "i32"), ("f64", "i64")] {
            let text = format!(
                "kernel k(a: {elem}[?], at: {number}[?], out: {elem}[?]):\n    let x = vector_load(a, lane_id)\n    \
                 vector_store(out, 0, shuffle(x, vector_load(at, lane_id)))\n"
            );
            let lanes = target.lanes_for(Elem::ALL.into_iter().find(|it| it.name() == elem).map_or(1, Elem::bytes));
            let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
            let function = assembly(client, &kernel, target);
            let has = |kind: Kind| function.count(kind, false) > 0;
            assert!(![Kind::Gather, Kind::Spill, Kind::Call].into_iter().any(has), "{name} {elem}\n{function:#?}");
            let is_shown = |kind: Kind| matches!(kind, Kind::Vector | Kind::Shuffle | Kind::Broadcast);
            let lines = function.lines.iter().filter(|line| line.kind.is_some_and(is_shown));
            let names: Vec<&str> = lines.filter_map(|line| line.text.split_whitespace().next()).collect();
            shown += &format!("{name:7} {elem:3} {}\n", names.join(" "));
        }
    }
    // How numbers are kept below the lanes is LLVM's choice; shown is that of the Rust toolchain's.
    if llvm::llvm().expect("an LLVM").version().0 > OLDEST {
        expect![[r#"
            sse4    u8  pminub pshufb
            sse4    i16 pminuw pmullw paddw pshufb
            sse4    f32 pminud pslld pshufb por pshufb
            sse4    f64 pxor pcmpeqq pandn packusdw packusdw pshufb por pshufb
            avx2    u8  vpminub vpermq vpermq vpshufb vpaddb vpxor vpshufb vpxor
            avx2    i16 vpminuw vpermq vpermq vpmullw vpaddw vpshufb vpaddb vpxor vpshufb vpxor
            avx2    f32 vpminud vpermd
            avx2    f64 vpxor vpcmpgtq vblendvpd vpaddq vpshufd vpor vpermd
            avx512  u8  vpminub vshufi64x2 vshufi64x2 vshufi64x2 vshufi64x2 vpshufb vpshufb vptestnmb vpshufb vpshufb vpcmpltub vmovdqu8
            avx512  i16 vpminuw vpermw
            avx512  f32 vpminud vpermd
            avx512  f64 vpminuq vpermq
            neon    u8  movi umin tbl
            neon    i16 movi movi movi umin mla tbl
            neon    f32 movi dup umin movi mla tbl
            neon    f64 dup cmeq bic tbl orr tbl
            sve256  u8  umin tbl
            sve256  i16 umin tbl
            sve256  f32 umin tbl
            sve256  f64 umin tbl
            rvv256  u8  vminu.vx vrgather.vv
            rvv256  i16 vminu.vx vrgather.vv
            rvv256  f32 vminu.vx vrgather.vv
            rvv256  f64 vminu.vx vrgather.vv
        "#]].assert_eq(&shown);
    }
}
