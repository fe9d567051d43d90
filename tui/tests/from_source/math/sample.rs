//! Arguments to try functions on: special values, all exponents, usual ranges, and places where functions are hard.

use std::f64::consts::{FRAC_PI_2, PI};

use fastrand::Rng;
use ir::{Elem, Scalar};

/// Special values, and some around which functions change what they do.
const SPECIAL: &[f64] = &[
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    1.5,
    -2.5,
    10.0,
    1e-45,
    -1e-45,
    1.1754942e-38,
    1.1754944e-38,
    5e-324,
    2.2250738585072014e-308,
    3.4028235e38,
    -3.4028235e38,
    f64::MAX,
    f64::MIN,
    0.99999994,
    1.0000001,
    0.9999999999999999,
    1.0000000000000002,
    8388607.5,
    16777216.0,
    4503599627370497.5,
    9007199254740993.0,
    2147483648.0,
    -2147483648.0,
    88.72283,
    -103.97208,
    709.782712893384,
    -745.1332191019411,
    128.0,
    -149.5,
    1024.0,
    -1074.5,
    38.53184,
    308.2547155599167,
    89.41598,
    FRAC_PI_2,
    PI,
    6381956970095103.0 * 8.35e239,
    1e22,
];

/// The number of arguments from each usual range.
const USUAL: usize = 150;

/// Pairs of arguments; a function of one argument takes the first. `second` is the type of the second one.
pub(super) fn given(name: &str, elem: Elem, second: Option<Elem>) -> Vec<[Scalar; 2]> {
    let mut rng = Rng::with_seed(name.bytes().map(u64::from).sum());
    let firsts = firsts(&mut rng, elem);
    let zero = Scalar::wrap(Elem::I32, 0);
    match second {
        None => firsts.iter().map(|&x| [float(elem, x), zero]).collect(),
        Some(Elem::I32) => {
            let exponent = |rng: &mut Rng| if rng.bool() { rng.i32(-2200..2200) } else { rng.i32(..) >> rng.u32(..32) };
            firsts.iter().map(|&x| [float(elem, x), Scalar::I32(exponent(&mut rng))]).collect()
        }
        Some(_) => {
            let special = SPECIAL[..24].iter().flat_map(|&x| SPECIAL[..24].iter().map(move |&y| (x, y)));
            let close = firsts.iter().map(|&x| (x, of_size(&mut Rng::with_seed(x.to_bits()), name, elem, x)));
            // Powers just below the largest `f32`.
            let large = [(9.5364e18, 2.0302), (f64::from(f32::MAX), 1.0), (2.0, 127.99999)];
            let below = [0x5f04_5abd, 0x4001_eea5].map(|bits| f64::from(f32::from_bits(bits)));
            let large = large.into_iter().chain([(below[0], below[1])]);
            special.chain(close).chain(large).map(|(x, y)| [float(elem, x), float(elem, y)]).collect()
        }
    }
}

fn firsts(rng: &mut Rng, elem: Elem) -> Vec<f64> {
    let mut firsts = SPECIAL.to_vec();
    // All exponents, of both signs and with any mantissa.
    match elem {
        Elem::F32 => firsts.extend((0..0x1ff_u32).map(|high| f64::from(f32::from_bits(high << 23 | rng.u32(..) >> 9)))),
        _ => firsts.extend((0..0xfff_u64).step_by(4).map(|high| f64::from_bits(high << 52 | rng.u64(..) >> 12))),
    }
    for limit in [1.0, 10.0, 100.0, 750.0] {
        firsts.extend((0..USUAL).map(|_| (2.0 * rng.f64() - 1.0) * limit));
    }
    // Close to multiples of a quarter turn and of a half.
    for n in 1..40 {
        let far = 10f64.powi(-rng.i32(3..12));
        firsts.extend([f64::from(n) * FRAC_PI_2 + far, f64::from(n) * 0.5 - far]);
    }
    firsts
}

/// A second argument with which the function is neither too large nor too small.
fn of_size(rng: &mut Rng, name: &str, elem: Elem, x: f64) -> f64 {
    match (name, elem) {
        ("pow", Elem::F32) => (rng.f64() * 280.0 - 150.0) / x.abs().log2(),
        ("pow", _) => (rng.f64() * 2100.0 - 1075.0) / x.abs().log2(),
        _ => x * (rng.f64() * 40.0 - 20.0).exp2() * if rng.bool() { 1.0 } else { -1.0 },
    }
}

fn float(elem: Elem, number: f64) -> Scalar {
    if elem == Elem::F32 { Scalar::F32(number as f32) } else { Scalar::F64(number) }
}
