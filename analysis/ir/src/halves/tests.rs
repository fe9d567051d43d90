//! All values of both types, against arithmetic with whole numbers and against `f32`.

use super::*;
use crate::scalar::{self, Scalar};
use crate::types::Elem;

/// The values of a type that are numbers from 0 up, each with its bits, in order; behind the last one the power of two that infinity
/// stands in the place of.
fn numbers(format: Format) -> Vec<(u16, f64)> {
    let mut all: Vec<_> = (0..format.infinity()).map(|bits| (bits, format.wide(bits))).collect();
    all.push((format.infinity(), 2f64.powi(format.bias + 1)));
    all
}

#[test]
fn each_value_is_what_its_bits_say() {
    for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (1, 2f64.powi(-24)), (0x3555, 0.33325195)] {
        assert!((HALF.wide(bits) - value).abs() <= value.abs() * 1e-8, "{bits:04x}");
    }
    for bits in 0..=u16::MAX {
        let wide = f32::from_bits(u32::from(bits) << 16);
        let own = Bf16(bits).wide();
        assert!(own.to_bits() == wide.to_bits() || own.is_nan() && wide.is_nan(), "{bits:04x}");
        for format in [HALF, BRAIN] {
            let value = format.wide(bits);
            assert!(value.is_nan() || format.round(value) == bits, "{bits:04x}");
        }
    }
}

#[test]
fn between_two_values_the_nearer_is_taken_and_the_even_one_in_the_middle() {
    for format in [HALF, BRAIN] {
        for pair in numbers(format).windows(2) {
            let [(below, least), (above, greatest)] = [pair[0], pair[1]];
            let middle = (least + greatest) / 2.0;
            let even = if below % 2 == 0 { below } else { above };
            for (x, wanted) in [(middle.next_down(), below), (middle, even), (middle.next_up(), above)] {
                assert_eq!(format.round(x), wanted, "{x:e} between {below:04x} and {above:04x}");
                assert_eq!(format.round(-x), wanted | SIGN);
            }
        }
        assert_eq!(format.round(5e-324), 0);
        assert_eq!(format.round(f64::MAX), format.infinity());
    }
}

#[test]
fn what_is_printed_reads_back_and_is_short() {
    for elem in [Elem::F16, Elem::Bf16] {
        for bits in 0..=u16::MAX {
            let scalar = Scalar::from_bits(elem, bits.into());
            let text = scalar.to_string();
            assert_eq!(Scalar::parse(elem, &text), Some(scalar), "{text}");
        }
        assert_eq!(Scalar::parse(elem, "0.1").expect("a number").to_string(), "0.1");
    }
}

#[test]
fn large_integers_are_rounded_once() {
    // The nearest `f32` of 2^31 + 2^23 + 1 is the middle between two values of `bf16`.
    let tie = (1i128 << 31) + (1 << 23);
    assert_eq!(Bf16::of_integer(tie + 1).wide(), (tie + (1 << 23)) as f32);
    assert_eq!(Bf16::of_integer(tie).wide(), (1i64 << 31) as f32);
    assert_eq!(Bf16::of_integer(-(tie << 32) - 1).wide(), -(((tie + (1 << 23)) << 32) as f32));
    assert_eq!(F16::of_integer(65519).wide(), 65504.0);
    assert_eq!(F16::of_integer(65520).wide(), f32::INFINITY);
    for wide in -70000..=70000 {
        assert_eq!(F16::of_integer(wide), F16::round(wide as f64));
        assert_eq!(Bf16::of_integer(wide), Bf16::round(wide as f64));
    }
}

/// A value as a whole number of the least unit that products of the type have.
fn exact(format: Format, bits: u16) -> (i128, i32) {
    let magnitude = bits & !SIGN;
    let (exponent, fraction) =
        (i32::from(magnitude >> format.fraction), i128::from(magnitude & ((1 << format.fraction) - 1)));
    let significand = if exponent == 0 { fraction } else { fraction | 1 << format.fraction };
    let sign = if bits & SIGN == 0 { 1 } else { -1 };
    (sign * significand, exponent.max(1) - format.bias - format.fraction as i32)
}

#[test]
fn a_product_and_a_sum_are_rounded_once() {
    let mut rng = fastrand::Rng::with_seed(11);
    for (format, elem) in [(HALF, Elem::F16), (BRAIN, Elem::Bf16)] {
        for _ in 0..400_000 {
            // Exponents near each other, so that all parts of the sum count.
            let near = |rng: &mut fastrand::Rng, exponent: u16| {
                let exponent = exponent.saturating_add_signed(rng.i16(-9..=9)).clamp(0, 2 * format.bias as u16);
                rng.u16(..) & SIGN | exponent << format.fraction | rng.u16(..1 << format.fraction)
            };
            let middle = format.bias as u16;
            let (a, b) = (near(&mut rng, middle), near(&mut rng, middle));
            let c = near(&mut rng, middle);
            let [(x, one), (y, two), (z, three)] = [a, b, c].map(|bits| exact(format, bits));
            let least = (one + two).min(three);
            let sum = ((x * y) << (one + two - least)) + (z << (three - least));
            // An integer is rounded once, whatever its size; the unit is a power of two that does not change how.
            let magnitude = sum.unsigned_abs();
            let drop = (u128::BITS - magnitude.leading_zeros()).saturating_sub(53);
            let odd = magnitude >> drop | u128::from(magnitude & ((1 << drop) - 1) != 0);
            let value = odd as f64 * 2f64.powi(drop as i32 + least) * if sum < 0 { -1.0 } else { 1.0 };
            let [a, b, c] = [a, b, c].map(|bits| Scalar::from_bits(elem, bits.into()));
            let found = scalar::fma(a, b, c);
            let wanted = Scalar::from_bits(elem, format.round(value).into());
            assert!(found == wanted || sum == 0, "{a} * {b} + {c} = {found}, not {wanted}");
        }
    }
}

#[test]
fn arithmetic_is_rounded_correctly_though_it_goes_through_f32() {
    let mut rng = fastrand::Rng::with_seed(7);
    for elem in [Elem::F16, Elem::Bf16] {
        for _ in 0..300_000 {
            let [a, b] = [(); 2].map(|()| Scalar::from_bits(elem, rng.u16(..).into()));
            let [x, y] = [a, b].map(|scalar| scalar.float().expect("a float"));
            // In `f64` each is exact, or so near that the rounding of it cannot cross the middle between two values.
            let results = [
                (scalar::add(a, b), x + y),
                (scalar::sub(a, b), x - y),
                (scalar::mul(a, b), x * y),
                (scalar::div(a, b), x / y),
                (Ok(scalar::sqrt(a)), x.sqrt()),
                (scalar::rem(a, b), x % y),
            ];
            for (n, (found, wide)) in results.into_iter().enumerate() {
                assert_eq!(found, scalar::cast(wide.into(), elem), "operation {n} on {a} and {b}");
            }
            assert_eq!(scalar::lt(a, b), x < y);
            assert_eq!(scalar::eq(a, b), x == y);
        }
    }
}

#[test]
fn casts_go_there_and_back() {
    for elem in [Elem::F16, Elem::Bf16] {
        for bits in 0..=u16::MAX {
            let half = Scalar::from_bits(elem, bits.into());
            for wide in [Elem::F32, Elem::F64] {
                let there = scalar::cast(half, wide).expect("a float");
                assert_eq!(scalar::cast(there, elem), Ok(half), "{half}");
            }
            let whole = scalar::cast(half, Elem::I32);
            let value = half.float().expect("a float");
            assert_eq!(whole.is_ok(), value.abs() < 2_147_483_648.0 || value == -2_147_483_648.0, "{half}");
            if let Ok(Scalar::I32(whole)) = whole {
                assert_eq!(f64::from(whole), value.trunc());
            }
        }
    }
}
