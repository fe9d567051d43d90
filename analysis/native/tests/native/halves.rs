//! Floats of two bytes: every value is converted as the interpreter does it, rounding goes to even everywhere, and no target's code
//! calls a library.

use ir::interp::Inputs;
use ir::{Elem, Kernel, Scalar, read, scalar, target};
use native::asm::Kind;
use native::client::Client;

use crate::edges::everywhere;
use crate::shapes::assembly;

/// The values that one run is about: an interpreter's run may not be long.
const CHUNK: usize = 1021;

const HALVES: [Elem; 2] = [Elem::F16, Elem::Bf16];

/// A kernel that computes a value from operands of some types, alone or in lanes.
fn kernel(operands: &[Elem], result: Elem, value: &str, lanes: Option<u16>) -> (Kernel, String) {
    let params: Vec<String> = operands.iter().enumerate().map(|(n, elem)| format!("x{n}: {elem}[n]")).collect();
    let mut value = value.to_owned();
    for n in 0..operands.len() {
        let load = if lanes.is_some() { format!("masked_load(x{n}, i, active)") } else { format!("x{n}[i]") };
        value = value.replace(&format!("{{{n}}}"), &load);
    }
    let head = format!("kernel k({}, out: {result}[n], n: i32):\n", params.join(", "));
    let text = match lanes {
        None => format!("{head}    for i in range(0, n):\n        out[i] = {value}\n"),
        Some(_) => format!(
            "{head}    vector_for base in range(0, n, LANES):\n        let i = (base + lane_id)\n        \
             let active = (i < n)\n        masked_store(out, i, {value}, active)\n"
        ),
    };
    (read(&text, lanes).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0), text)
}

fn agree(client: &Client, columns: &[Vec<Scalar>], result: Elem, value: &str) {
    let elems: Vec<Elem> = columns.iter().map(|column| column[0].elem()).collect();
    let total = columns[0].len();
    let chunk = |first: usize| {
        let n = CHUNK.min(total - first) as i64;
        let own = columns.iter().map(|column| &column[first..first + n as usize]);
        let inputs = own.fold(Inputs::new(), |inputs, column| inputs.array(column, &[n]));
        inputs.array(&vec![Scalar::zero(result); n as usize], &[n]).scalar(n as i32)
    };
    let inputs: Vec<Inputs> = (0..total).step_by(CHUNK).map(chunk).collect();
    for lanes in [None, Some(8), Some(32)] {
        let (kernel, text) = kernel(&elems, result, value, lanes);
        everywhere(client, &kernel, &inputs, &text);
    }
}

fn all(elem: Elem) -> Vec<Scalar> {
    (0..=u16::MAX).map(|bits| Scalar::from_bits(elem, bits.into())).collect()
}

/// Wider values around each value of a type: itself, the middle between it and the next, and the neighbours of both.
fn around(elem: Elem, wide: Elem) -> Vec<Scalar> {
    let mut found = Vec::new();
    for bits in 0..u16::MAX {
        let [own, next] = [bits, bits + 1].map(|bits| Scalar::from_bits(elem, bits.into()).float().expect("a float"));
        // Beyond the last finite value the middle is as far as that of the last two.
        let next = if next.is_infinite() && own.is_finite() {
            own * (1.0 + 2f64.powi(1 - elem.precision().expect("a float") as i32))
        } else {
            next
        };
        for at in [own, (own + next) / 2.0] {
            let Ok(at) = scalar::cast(at.into(), wide) else { continue };
            let near = [at.bits(), at.bits().wrapping_add(1), at.bits().wrapping_sub(1)];
            found.extend(near.map(|bits| Scalar::from_bits(wide, bits)));
        }
    }
    found
}

/// All conversions of all values, and those to a half of what is hard to round.
pub(crate) fn conversions(client: &Client) {
    for elem in HALVES {
        for to in [Elem::F32, Elem::F64, Elem::Bool, Elem::F16, Elem::Bf16] {
            agree(client, &[all(elem)], to, &format!("{to}({{0}})"));
        }
        let small =
            all(elem).into_iter().filter(|half| half.float().is_some_and(|x| x.abs() < 127.0)).collect::<Vec<_>>();
        for to in [Elem::I8, Elem::I32, Elem::I64] {
            agree(client, std::slice::from_ref(&small), to, &format!("{to}({{0}})"));
        }
        for wide in [Elem::F32, Elem::F64] {
            agree(client, &[around(elem, wide)], elem, &format!("{elem}({{0}})"));
        }
    }
}

/// Integers of all sizes, among them those whose nearest `f32` or `f64` lies in the middle between two halves.
pub(crate) fn conversions_of_integers(client: &Client) {
    let mut rng = fastrand::Rng::with_seed(3);
    for elem in HALVES {
        for from in [Elem::I32, Elem::U32, Elem::I64, Elem::U64, Elem::I16, Elem::U8] {
            let numbers = (0..6_000).map(|_| {
                let digits = rng.u64(..1 << 12) << 52 >> rng.u32(..64);
                let near = digits.wrapping_add(rng.u64(..5)).wrapping_sub(2);
                Scalar::from_bits(from, if rng.bool() { near } else { near.wrapping_neg() })
            });
            agree(client, &[numbers.collect()], elem, &format!("{elem}({{0}})"));
        }
    }
}

/// Arithmetic on pairs of all sizes.
pub(crate) fn arithmetic(client: &Client) {
    let mut rng = fastrand::Rng::with_seed(5);
    for elem in HALVES {
        let [a, b, c] =
            [(); 3].map(|()| (0..9_000).map(|_| Scalar::from_bits(elem, rng.u16(..).into())).collect::<Vec<_>>());
        let near =
            |x: &Scalar, rng: &mut fastrand::Rng| Scalar::from_bits(elem, x.bits() ^ rng.u64(..1 << 11) ^ 0x8000);
        let close: Vec<Scalar> = a.iter().map(|x| near(x, &mut rng)).collect();
        for symbol in ["+", "-", "*", "/", "%", "//"] {
            agree(client, &[a.clone(), b.clone()], elem, &format!("({{0}} {symbol} {{1}})"));
        }
        agree(client, &[a.clone(), close.clone()], elem, "({0} + {1})");
        agree(client, &[a.clone(), close.clone()], Elem::Bool, "({0} < {1})");
        agree(client, &[a.clone(), close], elem, "min({0}, {1})");
        agree(client, std::slice::from_ref(&a), elem, "sqrt({0})");
        agree(client, std::slice::from_ref(&a), elem, "round({0})");
        // Products about as large as what is added.
        let one = |x: &Scalar| Scalar::from_bits(elem, x.bits() & 0x83ff | 0x3c00);
        let [x, y] = [&a, &b].map(|column| column.iter().map(one).collect::<Vec<_>>());
        let z: Vec<Scalar> = c.iter().map(|z| Scalar::from_bits(elem, z.bits() & 0x8fff | 0x3000)).collect();
        agree(client, &[x, y, z], elem, "fma({0}, {1}, {2})");
        agree(client, &[a, b, c], elem, "fma({0}, {1}, {2})");
    }
}

/// No target's code calls a function, whatever it has instructions for.
pub(crate) fn call_no_library(client: &Client) {
    for target in target::TARGETS {
        for elem in HALVES {
            let values = [
                (vec![elem, elem], elem, "(({0} * {1}) + sqrt({0}))".to_owned()),
                (vec![elem, elem, elem], elem, "fma({0}, {1}, {2})".to_owned()),
                (vec![elem], Elem::F64, "f64({0})".to_owned()),
                (vec![Elem::F64], elem, format!("{elem}({{0}})")),
                (vec![Elem::U64], elem, format!("{elem}({{0}})")),
                (vec![Elem::I32], elem, format!("{elem}({{0}})")),
                (vec![elem], Elem::I64, "i64({0})".to_owned()),
            ];
            for (operands, result, value) in values {
                for lanes in [None, Some(target.lanes_for(2)).filter(|lanes| *lanes > 1)] {
                    let (mut kernel, text) = kernel(&operands, result, &value, lanes);
                    let options = passes::pipeline::Options { lanes: None, target };
                    passes::ACTIVE_LANES.apply(&mut kernel, &mut passes::Context::new(&options));
                    let function = assembly(client, &kernel, target);
                    assert_eq!(function.count(Kind::Call, false), 0, "{}\n{text}{function:#?}", target.name);
                }
            }
        }
    }
}
