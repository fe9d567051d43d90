//! The edges of the arithmetic.

use super::*;

const TOP: Scalar = Scalar::I32(i32::MAX);
const LOW: Scalar = Scalar::I32(i32::MIN);
const MINUS: Scalar = Scalar::I32(-1);
const ZERO: Scalar = Scalar::I32(0);
const ONE: Scalar = Scalar::I32(1);

fn i(x: i32) -> Scalar {
    Scalar::I32(x)
}

fn f(x: f32) -> Scalar {
    Scalar::F32(x)
}

#[test]
fn signed_overflow_is_an_error_and_unsigned_wraps() {
    for (found, wanted) in [
        (add(TOP, ONE), Err(Fault::Overflow)),
        (sub(LOW, ONE), Err(Fault::Overflow)),
        (mul(TOP, i(2)), Err(Fault::Overflow)),
        (neg(LOW), Err(Fault::Overflow)),
        (abs(LOW), Err(Fault::Overflow)),
        (div(LOW, MINUS), Err(Fault::Overflow)),
        (floor_div(LOW, MINUS), Err(Fault::Overflow)),
        (rem(LOW, MINUS), Err(Fault::Overflow)),
        (add(Scalar::U8(255), Scalar::U8(2)), Ok(Scalar::U8(1))),
        (sub(Scalar::U8(1), Scalar::U8(2)), Ok(Scalar::U8(255))),
        (mul(Scalar::U64(u64::MAX), Scalar::U64(2)), Ok(Scalar::U64(u64::MAX - 1))),
        (neg(Scalar::U16(1)), Ok(Scalar::U16(65535))),
        (Ok(wrapping_add(TOP, ONE)), Ok(LOW)),
        (Ok(wrapping_sub(LOW, ONE)), Ok(TOP)),
        (Ok(wrapping_mul(TOP, i(2))), Ok(i(-2))),
    ] {
        assert_eq!(found, wanted);
    }
}

#[test]
fn division_truncates_or_floors_and_the_rest_goes_with_the_first() {
    // a, b, a / b, a // b, a % b
    for (a, b, quotient, floored, rest) in [
        (7, 2, 3, 3, 1),
        (-7, 2, -3, -4, -1),
        (7, -2, -3, -4, 1),
        (-7, -2, 3, 3, -1),
        (-6, 2, -3, -3, 0),
        (0, -5, 0, 0, 0),
    ] {
        assert_eq!(div(i(a), i(b)), Ok(i(quotient)), "{a} / {b}");
        assert_eq!(floor_div(i(a), i(b)), Ok(i(floored)), "{a} // {b}");
        assert_eq!(rem(i(a), i(b)), Ok(i(rest)), "{a} % {b}");
    }
    for of_zero in [div, floor_div, rem] {
        assert_eq!(of_zero(ONE, ZERO), Err(Fault::DivisionByZero));
        assert_eq!(of_zero(Scalar::U8(1), Scalar::U8(0)), Err(Fault::DivisionByZero));
    }
    assert_eq!(floor_div(Scalar::U8(250), Scalar::U8(7)), Ok(Scalar::U8(35)));
    assert_eq!(div(f(1.0), f(0.0)), Ok(f(f32::INFINITY)));
    assert_eq!(floor_div(f(-7.0), f(2.0)), Ok(f(-4.0)));
    assert_eq!(rem(f(-7.5), f(2.0)), Ok(f(-1.5)));
    assert_eq!(rem(f(1.0), f(0.0)), Ok(f(f32::NAN)));
}

#[test]
fn shifts_stay_within_the_width() {
    assert_eq!(shl(ONE, i(31)), Ok(LOW));
    assert_eq!(shl(i(3), i(31)), Ok(LOW), "what is shifted out is lost");
    assert_eq!(shr(i(-8), ONE), Ok(i(-4)));
    assert_eq!(shr(Scalar::U32(0x8000_0000), Scalar::U32(31)), Ok(Scalar::U32(1)));
    for too_far in [i(32), i(-1), TOP] {
        assert_eq!(shl(ONE, too_far), Err(Fault::ShiftTooFar));
        assert_eq!(shr(ONE, too_far), Err(Fault::ShiftTooFar));
    }
    assert_eq!(shl(Scalar::U64(1), Scalar::U64(u64::MAX)), Err(Fault::ShiftTooFar));
}

#[test]
fn casts_keep_low_bits_truncate_and_check() {
    use Elem::*;
    for (from, to, wanted) in [
        (i(-1), U8, Ok(Scalar::U8(255))),
        (i(300), I8, Ok(Scalar::I8(44))),
        (Scalar::U64(u64::MAX), I64, Ok(Scalar::I64(-1))),
        (i(-1), U64, Ok(Scalar::U64(u64::MAX))),
        (f(-0.9), U8, Ok(Scalar::U8(0))),
        (f(-1.0), U8, Err(Fault::CastOutOfRange)),
        (f(255.9), U8, Ok(Scalar::U8(255))),
        (f(256.0), U8, Err(Fault::CastOutOfRange)),
        (f(-2147483648.0), I32, Ok(LOW)),
        (f(2147483648.0), I32, Err(Fault::CastOutOfRange)),
        (Scalar::F64(9223372036854775808.0), I64, Err(Fault::CastOutOfRange)),
        (Scalar::F64(9223372036854774784.0), I64, Ok(Scalar::I64(9223372036854774784))),
        (Scalar::F64(9223372036854775808.0), U64, Ok(Scalar::U64(1 << 63))),
        (f(f32::NAN), I32, Err(Fault::CastOutOfRange)),
        (f(f32::NAN), Bool, Ok(Scalar::Bool(true))),
        (f(-0.0), Bool, Ok(Scalar::Bool(false))),
        (i(2), Bool, Ok(Scalar::Bool(true))),
        (Scalar::Bool(true), F32, Ok(f(1.0))),
        (Scalar::Bool(true), I8, Ok(Scalar::I8(1))),
        (Scalar::I64(16777217), F32, Ok(f(16777216.0))),
        (Scalar::U64(u64::MAX), F64, Ok(Scalar::F64(18446744073709551616.0))),
        (Scalar::F64(1e300), F32, Ok(f(f32::INFINITY))),
        (f(0.1), F64, Ok(Scalar::F64(0.10000000149011612))),
    ] {
        assert_eq!(cast(from, to), wanted, "{from:?} to {to}");
    }
    assert_eq!(bitcast(f(1.0), U32), Scalar::U32(0x3f80_0000));
}

#[test]
fn the_lesser_and_the_greater_are_conditional_expressions() {
    let nan = f(f32::NAN);
    for (a, b, least, greatest) in [
        (f(1.0), f(2.0), f(1.0), f(2.0)),
        (nan, f(2.0), f(2.0), f(2.0)),
        (f(2.0), nan, nan, nan),
        (f(0.0), f(-0.0), f(-0.0), f(-0.0)),
        (f(-0.0), f(0.0), f(0.0), f(0.0)),
    ] {
        assert_eq!((min(a, b), max(a, b)), (least, greatest), "{a:?}, {b:?}");
    }
}

#[test]
fn floats_round_once_and_to_even() {
    for (x, rounded) in [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0)] {
        assert_eq!(round(f(x)), f(rounded), "{x}");
    }
    assert_eq!(trunc(f(-1.9)), f(-1.0));
    assert_eq!(rcp(f(-0.0)), f(f32::NEG_INFINITY));
    assert_eq!(rsqrt(f(4.0)), f(0.5));
    let x = 1.0 + f32::EPSILON;
    assert_eq!(fma(f(x), f(x), f(-1.0 - 2.0 * f32::EPSILON)), f(f32::EPSILON * f32::EPSILON));
}

#[test]
fn equal_is_same_bits_and_the_language_compares() {
    assert_eq!(f(f32::NAN), f(-f32::NAN));
    assert_ne!(f(0.0), f(-0.0));
    assert_ne!(i(0), Scalar::U32(0));
    assert!(eq(f(0.0), f(-0.0)) && !eq(f(f32::NAN), f(f32::NAN)));
    assert!(!lt(f(f32::NAN), f(1.0)) && !le(f(1.0), f(f32::NAN)));
    assert!(lt(Scalar::U8(1), Scalar::U8(200)) && lt(i(-1), i(0)));
}

#[test]
fn bits_are_counted() {
    assert_eq!(popcount(MINUS), i(32));
    assert_eq!(clz(Scalar::U8(1)), Scalar::U8(7));
    assert_eq!(clz(ZERO), i(32));
    assert_eq!(ctz(Scalar::I64(0)), Scalar::I64(64));
    assert_eq!(ctz(i(8)), i(3));
    assert_eq!((not(ZERO), not(Scalar::Bool(true))), (MINUS, Scalar::Bool(false)));
}

#[test]
fn identities_change_nothing() {
    for fold in Fold::ALL {
        for elem in Elem::ALL.into_iter().filter(|&elem| fold.class().contains(elem)) {
            let identity = fold.identity(elem);
            let mut samples = vec![Scalar::zero(elem), Scalar::one(elem), identity];
            if elem.is_float() {
                samples.extend([-0.0, 1e30, f64::INFINITY, f64::NEG_INFINITY].map(|x| cast(x.into(), elem).unwrap()));
            }
            for x in samples {
                assert_eq!(fold.join(identity, x), Ok(x), "{fold:?} of {x:?}");
                assert_eq!(fold.join(x, identity), Ok(x), "{fold:?} of {x:?}");
            }
        }
    }
}

#[test]
fn partial_results_join_by_halves() {
    let partials = [1e8, 1.0, -1e8, 1.0].map(f).to_vec();
    // (1e8 + -1e8) + (1 + 1), and not from left to right.
    assert_eq!(join_halving(Fold::Add, partials), Ok(f(2.0)));
    assert_eq!(join_halving(Fold::Add, vec![f(-0.0)]), Ok(f(-0.0)));
}

#[test]
fn numbers_print_and_read_back() {
    for (scalar, text) in [
        (f(1.0), "1.0"),
        (f(0.1), "0.1"),
        (f(-0.0), "-0.0"),
        (f(1e-30), "1e-30"),
        (f(f32::NEG_INFINITY), "-inf"),
        (f(f32::NAN), "nan"),
        (Scalar::F64(0.1), "0.1"),
        (LOW, "-2147483648"),
        (Scalar::U64(u64::MAX), "18446744073709551615"),
        (Scalar::Bool(true), "true"),
    ] {
        assert_eq!(scalar.to_string(), text);
        assert_eq!(Scalar::parse(scalar.elem(), text), Some(scalar));
    }
    assert_eq!(Scalar::parse(Elem::I8, "128"), None);
    assert_eq!(Scalar::parse(Elem::U8, "-1"), None);
}

#[test]
fn bits_lead_back_to_the_scalar() {
    for elem in Elem::ALL {
        for scalar in [Scalar::zero(elem), Scalar::one(elem)] {
            assert_eq!(Scalar::from_bits(elem, scalar.bits()), scalar);
        }
    }
    assert_eq!(Scalar::from_bits(Elem::I8, Scalar::I8(-1).bits()), Scalar::I8(-1));
    assert_eq!(Scalar::saturate(Elem::I8, 1000), Scalar::I8(127));
    assert_eq!(Scalar::from_wide(Elem::U8, 256), None);
}
