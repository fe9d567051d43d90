//! What functions are held against: those of Rust's standard library in `f64`, and formulas for those that it lacks.

use std::f64::consts::{LN_2, PI};

use ir::{Elem, Scalar};

/// The largest error of functions under `@fast`, in ulp.
const FAST: f64 = 4.0;

/// Describes a result that is further from the right one than the function's bound; none if it is within.
pub(super) fn misses(name: &str, elem: Elem, fast: bool, [x, y]: [Scalar; 2], found: Scalar) -> Option<String> {
    let (a, b) = (number(x), number(y));
    let right = match elem {
        Elem::F32 => of_f32(name, a, b),
        _ => of_f64(name, a, b),
    };
    let Some(Reference { value, error }) = right else {
        return Some("there is no reference to hold it against".to_owned());
    };
    let bound = match (fast, elem) {
        (true, _) => FAST,
        // Correctly rounded; what lies within a relative 2^-40 of a midpoint is decided by `benches/math.rs`.
        (false, Elem::F32) if matches!(name, "pow" | "atan2" | "hypot") => 0.51,
        (false, Elem::F32) => 0.5 + 1.0 / 65536.0,
        (false, _) => {
            if matches!(name, "pow" | "erf" | "erfc") {
                2.0
            } else {
                1.0
            }
        }
    };
    // The error of the reference itself counts in `f64` alone.
    let bound = if elem == Elem::F32 { bound } else { bound + error };
    let away = distance(elem, number(found), value);
    let wrong_zero =
        !fast && value == 0.0 && number(found) == 0.0 && value.is_sign_negative() != number(found).is_sign_negative();
    (away > bound || wrong_zero).then(|| format!("{found:?} for {x:?}, {y:?}, which is {away} ulp from {value:?}"))
}

fn number(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32(x) => x.into(),
        Scalar::F64(x) => x,
        Scalar::I32(x) => x.into(),
        other => panic!("{other:?} is no argument of a math function"),
    }
}

/// The distance of a result from the right one, in units in the last place of a float of the type and of that size.
fn distance(elem: Elem, found: f64, right: f64) -> f64 {
    let (largest, least, digits) = if elem == Elem::F32 { (128, -126, 23) } else { (1024, -1022, 52) };
    if found == right || (found.is_nan() && right.is_nan()) {
        return 0.0;
    }
    let is_f32 = elem == Elem::F32;
    if found.is_nan() || right.is_nan() || (is_f32 && right.is_infinite()) {
        return f64::INFINITY;
    }
    if is_f32 && right.abs() >= power_of_2(128) && found.is_infinite() && (found > 0.0) == (right > 0.0) {
        return 0.0;
    }
    // An infinity is the number behind the largest. In `f64` there is none, so both are made smaller.
    let is_huge = !is_f32 && (found.is_infinite() || right.is_infinite() || right.abs() > 1e300);
    let shift = if is_huge { 60 } else { 0 };
    let shifted = |x: f64| match x.is_infinite() {
        true => power_of_2(largest - shift).copysign(x),
        false => x * power_of_2(-shift),
    };
    let (found, right) = (shifted(found), shifted(right));
    let exponent = (right.abs().to_bits() >> 52) as i32 - 1023;
    let ulp = exponent.clamp(least - shift, largest - 1 - shift) - digits;
    // Scaled in two steps: one factor alone may be beyond the largest float.
    (found - right).abs() * power_of_2(-ulp / 2) * power_of_2(-ulp + ulp / 2)
}

fn power_of_2(exponent: i32) -> f64 {
    f64::from(exponent).exp2()
}

/// A right value, and the largest error that it has itself, in ulp of `f64`.
struct Reference {
    value: f64,
    error: f64,
}

fn of_f32(name: &str, x: f64, y: f64) -> Option<Reference> {
    let exact = |value: f32| Some(Reference { value: value.into(), error: 0.0 });
    match name {
        "ldexp" => exact(scaled(x, y) as f32),
        "nextafter" => exact(after(x as f32, y as f32)),
        _ => of_f64(name, x, y),
    }
}

fn of_f64(name: &str, x: f64, y: f64) -> Option<Reference> {
    // Functions of the C library are good for one ulp, compositions of them for some more.
    let (value, error) = match name {
        "exp" => (x.exp(), 1.0),
        "exp2" => (x.exp2(), 1.0),
        "exp10" => (10f64.powf(x), 1.0),
        "expm1" => (x.exp_m1(), 1.0),
        "log" => (x.ln(), 1.0),
        "log2" => (x.log2(), 1.0),
        "log10" => (x.log10(), 1.0),
        "log1p" => (x.ln_1p(), 1.0),
        "pow" => (x.powf(y), 1.0),
        "sin" => (x.sin(), 1.0),
        "cos" => (x.cos(), 1.0),
        "tan" => (x.tan(), 1.0),
        "sinpi" => (sinpi(x), 3.0),
        "cospi" => (cospi(x), 3.0),
        "asin" => (x.asin(), 1.0),
        "acos" => (x.acos(), 1.0),
        "atan" => (x.atan(), 1.0),
        "atan2" => (x.atan2(y), 1.0),
        "sinh" => (x.sinh(), 2.0),
        "cosh" => (x.cosh(), 2.0),
        "tanh" => (x.tanh(), 2.0),
        "asinh" => (asinh(x), 4.0),
        "acosh" => (acosh(x), 4.0),
        "atanh" => (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p().copysign(x), 4.0),
        "rsqrt" => (1.0 / x.sqrt(), 1.0),
        "cbrt" => (x.cbrt(), 1.0),
        "hypot" => (x.hypot(y), 1.0),
        "erf" => (erf(x), 6.0),
        "erfc" => (erfc(x), 6.0),
        "copysign" => (x.copysign(y), 0.0),
        "ldexp" => (scaled(x, y), 0.0),
        "frexp_fraction" => (fraction(x).0, 0.0),
        "frexp_exponent" => (fraction(x).1, 0.0),
        "nextafter" => (after_f64(x, y), 0.0),
        _ => return None,
    };
    Some(Reference { value, error })
}

/// `x` without the nearest multiple of 1/2, and the number of quarter turns that this is, from 0 to 3.
fn of_half_turns(x: f64) -> (f64, i32) {
    let rest = x % 2.0;
    let halves = (2.0 * rest).round_ties_even();
    (PI * (rest - 0.5 * halves), halves as i32 & 3)
}

fn sinpi(x: f64) -> f64 {
    let (angle, quarters) = of_half_turns(x);
    let value = [angle.sin(), angle.cos(), -angle.sin(), -angle.cos()][quarters as usize];
    if value == 0.0 { value.copysign(x) } else { value }
}

fn cospi(x: f64) -> f64 {
    let (angle, quarters) = of_half_turns(x);
    let value = [angle.cos(), -angle.sin(), -angle.cos(), angle.sin()][quarters as usize];
    if value == 0.0 { 0.0 } else { value }
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let value = if a > 1e8 { a.ln() + LN_2 } else { (a + a * a / (1.0 + a.hypot(1.0))).ln_1p() };
    value.copysign(x)
}

fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e8 { x.ln() + LN_2 } else { (t + (2.0 * t + t * t).sqrt()).ln_1p() }
}

/// The series of positive terms, which is good for small arguments.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a > 3.0 {
        return (1.0 - erfc(a)).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    let value = 2.0 / PI.sqrt() * exp_of_minus_square(x) * sum;
    if x.is_nan() || x == 0.0 { x } else { value }
}

/// One minus the series for small arguments, and else the continued fraction.
fn erfc(x: f64) -> f64 {
    if x.is_nan() || x < 0.8 {
        return 1.0 - erf(x);
    }
    let fraction = (1..1000).rev().fold(x, |below, n| x + f64::from(n) / 2.0 / below);
    if x > 30.0 { 0.0 } else { exp_of_minus_square(x) / PI.sqrt() / fraction }
}

fn exp_of_minus_square(x: f64) -> f64 {
    let square = x * x;
    let rest = x.mul_add(x, -square);
    (-square).exp() * (1.0 - rest)
}

fn scaled(x: f64, exponent: f64) -> f64 {
    // Only the last product is rounded, or nothing is left of it.
    let n = exponent.clamp(-2200.0, 2200.0) as i32;
    let factor = |n: i32| if n < -1022 { -969 } else { n.min(1023) };
    let (first, second) = (factor(n), factor(n - factor(n)));
    x * power_of_2(first) * power_of_2(second) * power_of_2((n - first - second).max(-1022))
}

fn fraction(x: f64) -> (f64, f64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0.0);
    }
    let (x, scaling) = if x.abs() < f64::MIN_POSITIVE { (x * power_of_2(54), -54) } else { (x, 0) };
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (x * power_of_2(-exponent / 2) * power_of_2(-exponent + exponent / 2), f64::from(exponent + scaling))
}

fn after(x: f32, y: f32) -> f32 {
    match x.partial_cmp(&y) {
        None => f32::NAN,
        Some(std::cmp::Ordering::Equal) => y,
        Some(std::cmp::Ordering::Less) => x.next_up(),
        Some(std::cmp::Ordering::Greater) => x.next_down(),
    }
}

fn after_f64(x: f64, y: f64) -> f64 {
    match x.partial_cmp(&y) {
        None => f64::NAN,
        Some(std::cmp::Ordering::Equal) => y,
        Some(std::cmp::Ordering::Less) => x.next_up(),
        Some(std::cmp::Ordering::Greater) => x.next_down(),
    }
}
