//! Where arithmetic is delicate: every elementwise op on the values at the edges of its type, and kernels of shapes that
//! went wrong somewhere once.

use ir::interp::{Arg, Inputs, evaluate};
use ir::{Attr, Code, Elem, Kernel, Scalar, read};
use native::client::Client;
use native::host;
use native::protocol::Guard;
use passes::pipeline::Options;
use passes::{ACTIVE_LANES, Context};

use crate::random::{difference, interpreted};

/// Every elementwise op, on many values at once, alone and in lanes: the interpreter's bits.
pub(crate) fn arithmetic(client: &Client) {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut compared = 0;
    let left_out = [Code::Select, Code::MulAdd];
    for code in Code::all().filter(|code| code.is_elementwise() && !left_out.contains(code)) {
        for elem in Elem::ALL {
            for attr in attributes_of(code, elem) {
                for lanes in [None, Some(8)] {
                    compared += usize::from(check(client, &mut rng, code, elem, &attr, lanes));
                }
            }
        }
    }
    assert!(compared > 400, "only {compared} ops were compared");
}

/// `mul_add` is rounded once on targets with an instruction for it, and twice on all others.
pub(crate) fn multiplication_with_addition(client: &Client) {
    let mut rng = fastrand::Rng::with_seed(9);
    for elem in [Elem::F32, Elem::F64] {
        let columns = columns(&mut rng, Code::Fma, &Attr::None, &[elem; 3]);
        let n = columns[0].len() as i64;
        let text = |value: &str| {
            let params: Vec<String> = (0..3).map(|number| format!("x{number}: {elem}[n]")).collect();
            let operands: Vec<String> = (0..3).map(|number| format!("masked_load(x{number}, i, active)")).collect();
            let value = value.replace("{0}", &operands[0]).replace("{1}", &operands[1]).replace("{2}", &operands[2]);
            format!(
                "kernel k({}, out: {elem}[n], n: i32):\n    vector_for base in range(0, n, LANES):\n        \
                 let i = (base + lane_id)\n        let active = (i < n)\n        \
                 masked_store(out, i, {value}, active)\n",
                params.join(", ")
            )
        };
        let inputs = columns.iter().fold(Inputs::new(), |inputs, column| inputs.array(column, &[n]));
        let inputs = inputs.array(&vec![Scalar::zero(elem); n as usize], &[n]).scalar(n as i32);
        let kernel = |value: &str| read(&text(value), Some(8)).expect("a kernel").remove(0);
        let expected = |value: &str| interpreted(&kernel(value), &inputs).expect("no error");
        let (once, twice) = (expected("fma({0}, {1}, {2})"), expected("(({0} * {1}) + {2})"));
        assert_ne!(once, twice, "some of the values tell the two apart");
        let kernel = kernel("mul_add({0}, {1}, {2})");
        for target in ir::target::TARGETS.iter().filter(|target| host::runs(target)) {
            let (result, memory) = if target.fma { &once } else { &twice };
            let found = difference(client, &kernel, &inputs, target, Guard::End, (*result, memory));
            assert_eq!(found, None, "on {}", target.name);
        }
    }
}

/// The attributes that an op may have on an element type: the types that a conversion leads to, or the parts of what runs on.
fn attributes_of(code: Code, elem: Elem) -> Vec<Attr> {
    match (code, code.as_running()) {
        (Code::Cast, _) => Elem::ALL.into_iter().map(Attr::Elem).collect(),
        (Code::Bitcast, _) => Elem::ALL.into_iter().filter(|to| to.bytes() == elem.bytes()).map(Attr::Elem).collect(),
        (_, Some(kind)) => (0..kind.n_parts() as i64).map(Attr::Number).collect(),
        _ => vec![Attr::None],
    }
}

/// Compares one op on one type; whether there is such an op.
fn check(client: &Client, rng: &mut fastrand::Rng, code: Code, elem: Elem, attr: &Attr, lanes: Option<u16>) -> bool {
    let n_operands = code.row().slots.len();
    let mut elems = vec![elem; n_operands];
    if code.as_running().is_some() {
        // The number of the iteration.
        elems[0] = Elem::U32;
    }
    let types: Vec<ir::Type> = elems.iter().map(|&elem| ir::Type::scalar(elem)).collect();
    if ir::typing::check(code, &types).is_err() {
        return false;
    }
    let result = match (code.row().gives, attr) {
        (ir::ops::Gives::Of(elem), _) => elem,
        (_, Attr::Elem(to)) => *to,
        _ => elem,
    };
    let columns = columns(rng, code, attr, &elems);
    let n = columns[0].len() as i64;
    let operand = |number: usize| match lanes {
        None => format!("x{number}[i]"),
        Some(_) => format!("masked_load(x{number}, i, active)"),
    };
    let operands: Vec<String> = (0..n_operands).map(operand).collect();
    let value = written(code, attr, &operands);
    let params: Vec<String> = elems.iter().enumerate().map(|(number, elem)| format!("x{number}: {elem}[n]")).collect();
    let head = format!("kernel k({}, out: {result}[n], n: i32):\n", params.join(", "));
    let body = match lanes {
        None => format!("    for i in range(0, n):\n        out[i] = {value}\n"),
        Some(_) => format!(
            "    vector_for base in range(0, n, LANES):\n        let i = (base + lane_id)\n        \
             let active = (i < n)\n        masked_store(out, i, {value}, active)\n"
        ),
    };
    let text = head + &body;
    let kernel = read(&text, lanes).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let mut inputs = Inputs::new();
    for column in &columns {
        inputs = inputs.array(column, &[n]);
    }
    let inputs = inputs.array(&vec![Scalar::zero(result); n as usize], &[n]).scalar(n as i32);
    everywhere(client, &kernel, &[inputs], &text);
    true
}

/// An op as the text form has it.
fn written(code: Code, attr: &Attr, operands: &[String]) -> String {
    use ir::ops::PrintForm;
    let name = code.row().name;
    match (code.row().form, attr, operands) {
        (PrintForm::Infix(symbol), _, [a, b]) => format!("({a} {symbol} {b})"),
        (PrintForm::Prefix(symbol), _, [a]) => format!("({symbol}{a})"),
        (PrintForm::Convert, Attr::Elem(to), [a]) => format!("{to}({a})"),
        (_, Attr::Elem(to), _) => format!("{name}({}, type={to})", operands[0]),
        (_, Attr::Number(part), _) => format!("{name}({}, part={part})", operands.join(", ")),
        _ => format!("{name}({})", operands.join(", ")),
    }
}

/// Operands, column by column, on which the op does not fail.
fn columns(rng: &mut fastrand::Rng, code: Code, attr: &Attr, elems: &[Elem]) -> Vec<Vec<Scalar>> {
    const ROWS: usize = 203;
    let mut columns = vec![Vec::new(); elems.len()];
    let mut tries = 0;
    while columns[0].len() < ROWS && tries < 100 * ROWS {
        tries += 1;
        let row: Vec<Scalar> = elems.iter().map(|&elem| edge(rng, elem)).collect();
        if evaluate(code, attr, &row).is_some_and(|checked| checked.is_ok()) {
            columns.iter_mut().zip(row).for_each(|(column, scalar)| column.push(scalar));
        }
    }
    columns
}

/// A value at the edge of its type, or any other.
fn edge(rng: &mut fastrand::Rng, elem: Elem) -> Scalar {
    let bits = match (elem, rng.u8(..8)) {
        (Elem::F64, 0..=3) => [
            0x0,
            0x8000_0000_0000_0000,
            0x1,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0xbff0_0000_0000_0001,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x41df_ffff_ffc0_0000,
            0x4350_0000_0000_0000,
            0x3fe0_0000_0000_0000,
        ][rng.usize(..14)],
        (Elem::F32, 0..=3) => [
            0x0,
            0x8000_0000,
            0x1,
            0x7f_ffff,
            0x80_0000,
            0x3f80_0000,
            0xbf80_0001,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x4eff_ffff,
            0x4b00_0000,
            0x3f00_0000,
        ][rng.usize(..14)],
        // Neighbours in size, so that sums cancel and quotients are not all 0 or infinite.
        (Elem::F64, 4..=5) => 0x3ff0_0000_0000_0000 ^ (rng.u64(..1 << 53)) ^ (rng.u64(..2) << 63),
        (Elem::F32, 4..=5) => 0x3f80_0000 ^ rng.u64(..1 << 24) ^ (rng.u64(..2) << 31),
        (_, 0..3) => {
            [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, 1 << 31, 1 << 15, 1 << 7, (1 << 63) - 1, (1 << 31) - 1, 127]
                [rng.usize(..11)]
        }
        (_, 3 | 4) => rng.u64(..70),
        _ => rng.u64(..),
    };
    Scalar::from_bits(elem, bits)
}

/// A kernel on each of several inputs, on every target that this machine runs.
pub(crate) fn everywhere(client: &Client, kernel: &Kernel, inputs: &[Inputs], text: &str) {
    let expected = |inputs| interpreted(kernel, inputs).unwrap_or_else(|| panic!("ends in an error\n{text}"));
    let expected: Vec<_> = inputs.iter().map(expected).collect();
    let (options, mut kernel) = (Options::default(), kernel.clone());
    ACTIVE_LANES.apply(&mut kernel, &mut Context::new(&options));
    let own = host::tuned(host::row());
    // What was made for a target is kept until the next one's turn.
    for target in ir::target::TARGETS.iter().filter(|target| host::runs(target)).chain([&own]) {
        let guards = [Guard::Start, Guard::End].into_iter().cycle();
        for ((inputs, (result, memory)), guard) in inputs.iter().zip(&expected).zip(guards) {
            let found = difference(client, &kernel, inputs, target, guard, (*result, memory));
            assert_eq!(found, None, "on {}\n{text}\n{inputs:?}", target.name);
        }
    }
}

/// What LLVM 22 once got wrong: a masked load that is only chosen by its own mask, with a store to the same cells
/// between.
pub(crate) fn the_swap_under_a_mask(client: &Client) {
    let text = "\
kernel swap(a: i32[n], b: i32[n], n: i32, rounds: i32):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let on = (active & (masked_load(b, i, active) > 0))
        let last = for round in range(0, rounds) with current = masked_load(b, i, active):
            let old = masked_load(a, i, on)
            masked_store(a, i, current, on)
            yield select(on, old, current)
        masked_store(b, i, last, on)
";
    for lanes in [4, 8, 16, 3] {
        let kernel = read(text, Some(lanes)).expect("a kernel").remove(0);
        let inputs = |n: i32| {
            let column = |by: i32| (0..n).map(|i| Scalar::I32(i * by % 7 - 2)).collect::<Vec<_>>();
            let sizes = [i64::from(n)];
            Inputs::new().array(&column(3), &sizes).array(&column(5), &sizes).scalar(n).scalar(3)
        };
        let inputs: Vec<Inputs> = (0..3 * i32::from(lanes) + 2).map(inputs).collect();
        everywhere(client, &kernel, &inputs, text);
    }
}

/// Which lanes are active is exact where an index would wrap.
pub(crate) fn loops_near_the_end_of_the_range(client: &Client) {
    for (elem, near, end) in [
        ("i32", "2147483600", i64::from(i32::MAX)),
        ("u8", "u8(240)", 255),
        ("i64", "i64(9223372036854775800)", i64::MAX),
    ] {
        let text = format!(
            "kernel count(end: {elem}, out: i64[1]):\n    let all = vector_for base in range({near}, end, LANES) with c = 0:\n        \
             yield (c + count_on(((base + lane_id) < end)))\n    let some = for i in range({near}, end, {step}) with d = 0:\n        \
             yield (d + 1)\n    out[0] = ((i64(all) * i64(1000)) + i64(some))\n",
            step = match elem {
                "i32" => "7",
                "u8" => "u8(7)",
                _ => "i64(3)",
            }
        );
        for lanes in [1, 3, 8] {
            let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
            let scalar = Scalar::from_wide(kernel.params[0].value.elem_in(&kernel), end.into()).expect("it fits");
            let inputs = Inputs::new().scalar(scalar).array(&[Scalar::I64(0)], &[1]);
            everywhere(client, &kernel, &[inputs], &text);
        }
    }
}

/// The least and greatest of a single lane is that lane's, also where it is no number, and wherever it stands.
pub(crate) fn a_lone_nan(client: &Client) {
    let text = "kernel lone(x: f32[8], n: i32, out: f32[2]):\n    vector_for base in range(0, n, LANES):\n        \
         let i = (base + lane_id)\n        let active = (i == (n - 1))\n        let y = masked_load(x, i, active)\n        \
         out[0] = reduce_min(y, active)\n        out[1] = reduce_max(y, active)\n";
    for lanes in [1_u16, 3, 4, 8] {
        let kernel = read(text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let cells = [Scalar::F32(f32::NAN); 8];
        let out = [Scalar::F32(0.0); 2];
        let inputs = |n: i32| Inputs::new().array(&cells, &[8]).scalar(Scalar::I32(n)).array(&out, &[2]);
        let inputs: Vec<Inputs> = (1..=i32::from(lanes)).map(inputs).collect();
        everywhere(client, &kernel, &inputs, text);
    }
}

/// Loops that are done several groups at a time, and what is left of them: joined in the fixed order, in parts, in order,
/// and stored.
pub(crate) fn several_groups_at_a_time(client: &Client) {
    let in_order = "\
kernel sums(a: ELEM[n], b: ELEM[n], n: i32, x: ELEM) -> ELEM:
    let sum, product, last = vector_for base in range(2, n, LANES) reducing + from x, * from x, max from x:
        let i = (base + lane_id)
        let active = (i < n)
        let y = masked_load(a, i, active)
        masked_store(b, i, (y * y), active)
        yield select(active, y, ELEM(-0.0)), select(active, y, ELEM(1.0)), select(active, y, x)
    return ((sum + product) + last)
";
    let in_parts = "\
kernel parts(a: ELEM[n], b: ELEM[n], n: i32, x: ELEM) -> ELEM:
    let sum, bits, least = vector_for base in range(2, n, LANES) with s = splat(x), t = splat(ELEM(-1)), u = splat(ELEM(90)):
        let i = (base + lane_id)
        let active = (i < n)
        let y = masked_load(a, i, active)
        masked_store(b, i, (masked_load(b, i, active) +% y), active)
        yield (s +% y), (t & select(active, y, ELEM(-1))), min(u, y)
    return ((reduce_add(sum) +% reduce_and(bits)) +% reduce_min(least))
";
    for (text, elem) in [(in_order, Elem::F32), (in_order, Elem::F64), (in_parts, Elem::I32), (in_parts, Elem::I8)] {
        let number = |by: i32, at: i32| Scalar::I32(if elem.is_float() { at * by % 3 - 1 } else { at * by % 11 - 5 });
        let cell = |by: i32| move |at: i32| ir::scalar::cast(number(by, at), elem).expect("it fits");
        let inputs = |n: i32| {
            let (column, sizes) = (|by: i32| (0..n).map(cell(by)).collect::<Vec<_>>(), [i64::from(n)]);
            Inputs::new().array(&column(3), &sizes).array(&column(5), &sizes).scalar(n).scalar(cell(1)(2))
        };
        let inputs: Vec<Inputs> = (0..300).step_by(23).chain([2, 65, 66, 67]).map(inputs).collect();
        for lanes in [4, 8, 32] {
            let text = text.replace("ELEM", elem.name());
            let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
            everywhere(client, &kernel, &inputs, &text);
            let mut interleaved = kernel;
            let target = ir::target::find("avx512").expect("a row of the table");
            let options = passes::pipeline::Options { lanes: None, target };
            assert!(passes::INTERLEAVE.apply(&mut interleaved, &mut passes::Context::new(&options)), "{text}");
            everywhere(client, &interleaved, &inputs, &text);
        }
    }
}

/// Loops that are taken through all passes: sides of branches that load what was loaded above them and store to the same
/// cells, differences either way around, and sums of products of short integers, which end at no lane in particular.
pub(crate) fn two_sides_of_a_branch(client: &Client) {
    let text = "\
kernel k(a: i32[n], b: i32[n], c: i16[n], n: i32) -> i32:
    for i in range(0, n):
        if (a[i] > b[i]):
            let t = a[i]
            a[i] = (b[i] + 3)
            b[i] = t
        else:
            a[i] = (b[i] * 2)
    for i in range(0, n):
        let d = if (a[i] > b[i]):
            yield (a[i] - b[i])
        else:
            let e = if (a[i] > 4):
                yield (b[i] - a[i])
            else:
                yield (b[i] + a[i])
            yield e
        a[i] = d
    for i in range(0, n):
        let d = if (a[i] < b[i]):
            yield (b[i] - a[i])
        else:
            yield (a[i] - b[i])
        b[i] = d
    let s = for i in range(0, n) with t = 5:
        yield (t + (i32(c[i]) * i32(c[i])))
    return s
";
    let inputs = |n: i32| {
        let column = |by: i32| (0..n).map(|at| Scalar::I32(at * by % 11 - 5)).collect::<Vec<_>>();
        let short: Vec<Scalar> = (0..n).map(|at| Scalar::I16((at * 7919 % 251 - 125) as i16)).collect();
        let sizes = [i64::from(n)];
        Inputs::new().array(&column(3), &sizes).array(&column(5), &sizes).array(&short, &sizes).scalar(n)
    };
    let inputs: Vec<Inputs> = (0..300).step_by(23).chain([2, 64, 65, 127, 128, 129]).map(inputs).collect();
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    for lanes in [None, Some(2), Some(8), Some(16)] {
        for target in ["sse4", "avx2", "avx512"] {
            let target = ir::target::find(target).expect("a row of the table");
            let options = passes::pipeline::Options { lanes, target };
            let reached =
                passes::pipeline::run(kernel.clone(), &options, true).expect("a kernel that passes keep whole");
            everywhere(client, &reached.last().expect("stages").kernel, &inputs, text);
        }
    }
}

/// Whether arrays overlap, wherever one lies to the other; arrays without cells, and sizes that nothing but the test asks for.
pub(crate) fn arrays_that_overlap(client: &Client) {
    let text = "@alias(a, b)\nkernel k(a: i32[?], b: i32[?, ?], out: i32[2]):\n    out[0] = i32(overlap(a, b))\n    \
                out[1] = i32(overlap(b, a))\n";
    let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let arg = |memory: usize, start: usize, sizes: &[i64]| Arg::Array { memory, start, sizes: sizes.to_vec() };
    for (from, size) in [(0, 12), (0, 4), (3, 1), (4, 4), (7, 0), (8, 2)] {
        for (other, sizes) in [(0, [2, 2]), (4, [2, 2]), (8, [1, 2]), (3, [2, 0]), (5, [0, 3]), (11, [1, 1])] {
            let args = vec![arg(0, 4 * from, &[size]), arg(0, 4 * other, &sizes), arg(1, 0, &[2])];
            let inputs = Inputs { memory: vec![vec![0; 48], vec![0; 8]], args };
            everywhere(client, &kernel, &[inputs], text);
        }
    }
}

/// The element type of a parameter.
trait ElemIn {
    fn elem_in(self, kernel: &Kernel) -> Elem;
}

impl ElemIn for ir::Value {
    fn elem_in(self, kernel: &Kernel) -> Elem {
        kernel.ty(self).data_elem().expect("a scalar")
    }
}

/// `fma` of 8-byte floats is computed by parts where there is no instruction: on operands drawn for every case of that.
pub(crate) fn fused_multiplication(client: &Client) {
    const ROWS: i64 = 601;
    let mut rng = fastrand::Rng::with_seed(11);
    let mut inputs = || {
        let rows: Vec<[f64; 3]> = (0..ROWS).map(|_| fused_operands(&mut rng)).collect();
        let column = |number: usize| rows.iter().map(|row| Scalar::F64(row[number])).collect::<Vec<_>>();
        let inputs = (0..3).fold(Inputs::new(), |inputs, number| inputs.array(&column(number), &[ROWS]));
        inputs.array(&vec![Scalar::F64(0.0); ROWS as usize], &[ROWS]).scalar(ROWS as i32)
    };
    let inputs: Vec<Inputs> = (0..10).map(|_| inputs()).collect();
    let head = "kernel k(a: f64[n], b: f64[n], c: f64[n], out: f64[n], n: i32):\n";
    let alone = "    for i in range(0, n):\n        out[i] = fma(a[i], b[i], c[i])\n";
    let in_lanes = "    vector_for base in range(0, n, LANES):\n        let i = (base + lane_id)\n        let active = (i < n)\n        \
                    let product = fma(masked_load(a, i, active), masked_load(b, i, active), masked_load(c, i, active))\n        \
                    masked_store(out, i, product, active)\n";
    for lanes in [None, Some(1), Some(2), Some(3), Some(8)] {
        let text = format!("{head}{}", if lanes.is_some() { in_lanes } else { alone });
        let kernel = read(&text, lanes).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        everywhere(client, &kernel, &inputs, &text);
    }
}

/// Two factors, and a summand that makes their `fma` hard: one that cancels, or leaves a tie for the lowest digits to decide.
fn fused_operands(rng: &mut fastrand::Rng) -> [f64; 3] {
    let (a, b) = match rng.u8(..8) {
        // A factor that is subnormal, and one so large that the product is not.
        0 => (f64::from_bits(rng.u64(..1 << 52) >> rng.u32(..52)), digits(rng, 1077..1900)),
        // The subnormal 2^26, in the middle between two upper parts, times what has all digits set but a few of the last.
        1 => {
            let large = 2.0 - f64::from(rng.u8(1..8)) * f64::EPSILON;
            (f64::from_bits((1 << 26) + rng.u64(..3) - 1), large * 2.0_f64.powi(rng.i32(200..600)))
        }
        _ => (any_size(rng), any_size(rng)),
    };
    let product = a * b;
    let error = a.mul_add(b, -product);
    let sign = [1.0, -1.0][rng.usize(..2)];
    let power = |exponent: i32| 2.0_f64.powi(exponent);
    match rng.u8(..8) {
        0 => [a, b, -product],
        1 => [a, b, f64::from_bits((-product).to_bits().wrapping_add(rng.u64(..9)).wrapping_sub(4))],
        2 => [a, b, sign * product * power(rng.i32(-120..120))],
        3 => [a, b, sign * error * power(rng.i32(-2..3))],
        4 => [a, b, sign * error * power(rng.i32(50..60))],
        // What is added is about half of the last digit of `c`, or a few quarters of it.
        5 => {
            let (size, near) = (rng.i32(-960..960), 1.0 + f64::from(rng.i32(-2..3)) * f64::EPSILON);
            let c = (1.0 + f64::from(rng.u8(..8)) * f64::EPSILON) * power(size);
            [f64::from(rng.u8(..7)) * power(-25), near * power(size - 30), sign * c]
        }
        6 => {
            let tail = f64::from(rng.u16(..1000)) * power(-26);
            [1.0 + tail, 1.0 - tail, sign * (1.0 + f64::from(rng.u8(..4)) * f64::EPSILON) * power(rng.i32(51..55))]
        }
        _ => [a, b, any_size(rng)],
    }
}

/// A number of any size, near 1, near the least or greatest, near the bounds of what is computed by parts, or no ordinary one.
fn any_size(rng: &mut fastrand::Rng) -> f64 {
    match rng.u8(..8) {
        0 => digits(rng, 0..2048),
        1 => digits(rng, 0..60),
        2 => digits(rng, 1986..2047),
        3 => digits(rng, 50..200),
        4 => digits(rng, 500..580),
        5 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, 1.0][rng.usize(..8)],
        _ => digits(rng, 1003..1043),
    }
}

/// A number with an exponent of these, and some or all of its 53 digits; often with long rows of equal ones.
fn digits(rng: &mut fastrand::Rng, exponents: std::ops::Range<u64>) -> f64 {
    let mut fraction = rng.u64(..1 << 52) >> rng.u32(..52) << rng.u32(..52);
    if rng.u8(..4) == 0 {
        fraction = !fraction;
    }
    f64::from_bits(rng.u64(..2) << 63 | rng.u64(exponents) << 52 | fraction & ((1 << 52) - 1))
}
