//! The arithmetic of Lane, one element at a time: the only place where it is written down.
//!
//! The interpreter, constant folding and the language's reference evaluator all compute by this file. It
//! knows nothing of the IR. What it holds:
//!
//! - Signed integers do not wrap: an overflow is a [`Fault`]. Unsigned ones wrap.
//! - Division truncates, `//` floors, `%` goes with `/`; on floats `%` is C's `fmod`.
//! - A shift by the width or more, or by less than nothing, is a fault; what is shifted out is lost.
//! - Floats are IEEE, one rounding for each operation; `f16` and `bf16` are computed as `f32` and rounded (see [`halves`](crate::halves)). NaNs are all the same: their sign and payload are
//!   not specified, so two scalars are *equal* when they have the same bits or are both NaN. (`0.0` and
//!   `-0.0` differ in that sense; [`eq`], the language's comparison, calls them equal and a NaN unequal.)
//! - Casts between integers keep the low bits; float to integer truncates, and a value that does not fit is
//!   a fault.
//!
//! Operands of one operation have one type; an operation is only asked of the types it is made for. Breaking
//! that is a bug of the caller, and panics.

use std::fmt;

use crate::halves::{Bf16, F16};
use crate::run_code::RunCode;
use crate::types::{Elem, ElemSet};

/// A scalar: one element of any type.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    F16(F16),
    Bf16(Bf16),
}

/// The ways in which arithmetic fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A signed result outside of its type.
    Overflow,
    /// An integer divided by zero.
    DivisionByZero,
    /// A shift by the width of the type or more, or by a negative amount.
    ShiftTooFar,
    /// A float that no integer of the type asked for stands for.
    CastOutOfRange,
}

impl Fault {
    /// The code of the error.
    pub fn code(self) -> RunCode {
        match self {
            Fault::Overflow => RunCode::Overflow,
            Fault::DivisionByZero => RunCode::DivisionByZero,
            Fault::ShiftTooFar => RunCode::ShiftTooFar,
            Fault::CastOutOfRange => RunCode::CastOutOfRange,
        }
    }
}

/// An operation's result, or what was wrong.
pub type Checked = Result<Scalar, Fault>;

/// The operations that are needed of each Rust integer type.
trait Integer: Copy + Ord + Into<Scalar> {
    const SIGNED: bool;
    const BITS: u32;
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> (Self, bool);
    fn minus(self, other: Self) -> (Self, bool);
    fn times(self, other: Self) -> (Self, bool);
    fn over(self, other: Self) -> (Self, bool);
    fn rest(self, other: Self) -> (Self, bool);
    fn left(self, amount: u32) -> Self;
    fn right(self, amount: u32) -> Self;
    fn wide(self) -> i128;
    fn low_bits(wide: i128) -> Self;
    fn ones(self) -> u32;
    fn leading(self) -> u32;
    fn trailing(self) -> u32;
}

macro_rules! integers {
    ($($variant:ident $ty:ident)*) => {$(
        impl Integer for $ty {
            const SIGNED: bool = $ty::MIN != 0;
            const BITS: u32 = $ty::BITS;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            fn plus(self, other: Self) -> (Self, bool) { self.overflowing_add(other) }
            fn minus(self, other: Self) -> (Self, bool) { self.overflowing_sub(other) }
            fn times(self, other: Self) -> (Self, bool) { self.overflowing_mul(other) }
            fn over(self, other: Self) -> (Self, bool) { self.overflowing_div(other) }
            fn rest(self, other: Self) -> (Self, bool) { self.overflowing_rem(other) }
            fn left(self, amount: u32) -> Self { self << amount }
            fn right(self, amount: u32) -> Self { self >> amount }
            fn wide(self) -> i128 { self as i128 }
            fn low_bits(wide: i128) -> Self { wide as $ty }
            fn ones(self) -> u32 { self.count_ones() }
            fn leading(self) -> u32 { self.leading_zeros() }
            fn trailing(self) -> u32 { self.trailing_zeros() }
        }
    )*};
}

macro_rules! from_rust {
    ($($variant:ident $ty:ident)*) => {$(
        impl From<$ty> for Scalar {
            fn from(value: $ty) -> Scalar { Scalar::$variant(value) }
        }
    )*};
}

integers! { I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 U64 u64 }
from_rust! { Bool bool I8 i8 I16 i16 I32 i32 I64 i64 U8 u8 U16 u16 U32 u32 U64 u64 F32 f32 F64 f64 F16 F16 Bf16 Bf16 }

/// Matches one scalar by kind; the arms' bodies are compiled for each type of the kind.
macro_rules! one {
    ($a:expr, integer $x:ident => $integer:expr, float $y:ident => $float:expr, bool $z:ident => $bool:expr) => {
        match $a {
            Scalar::I8($x) => $integer,
            Scalar::I16($x) => $integer,
            Scalar::I32($x) => $integer,
            Scalar::I64($x) => $integer,
            Scalar::U8($x) => $integer,
            Scalar::U16($x) => $integer,
            Scalar::U32($x) => $integer,
            Scalar::U64($x) => $integer,
            Scalar::F32($y) => $float,
            Scalar::F64($y) => $float,
            Scalar::F16($y) => {
                let $y = $y.wide();
                rounded(Elem::F16, || $float)
            }
            Scalar::Bf16($y) => {
                let $y = $y.wide();
                rounded(Elem::Bf16, || $float)
            }
            Scalar::Bool($z) => $bool,
        }
    };
}

/// Matches two scalars of one type by kind.
macro_rules! two {
    ($a:expr, $b:expr, |$x:ident, $y:ident| integer $integer:expr, float $float:expr, bool $bool:expr) => {
        match ($a, $b) {
            (Scalar::I8($x), Scalar::I8($y)) => $integer,
            (Scalar::I16($x), Scalar::I16($y)) => $integer,
            (Scalar::I32($x), Scalar::I32($y)) => $integer,
            (Scalar::I64($x), Scalar::I64($y)) => $integer,
            (Scalar::U8($x), Scalar::U8($y)) => $integer,
            (Scalar::U16($x), Scalar::U16($y)) => $integer,
            (Scalar::U32($x), Scalar::U32($y)) => $integer,
            (Scalar::U64($x), Scalar::U64($y)) => $integer,
            (Scalar::F32($x), Scalar::F32($y)) => $float,
            (Scalar::F64($x), Scalar::F64($y)) => $float,
            (Scalar::F16($x), Scalar::F16($y)) => {
                let ($x, $y) = ($x.wide(), $y.wide());
                rounded(Elem::F16, || $float)
            }
            (Scalar::Bf16($x), Scalar::Bf16($y)) => {
                let ($x, $y) = ($x.wide(), $y.wide());
                rounded(Elem::Bf16, || $float)
            }
            (Scalar::Bool($x), Scalar::Bool($y)) => {
                // An operation that bools do not have leaves both unused.
                let _ = ($x, $y);
                $bool
            }
            (a, b) => mismatch(a, b),
        }
    };
}

/// A result of `f32` arithmetic on halves.
trait FromWide {
    /// The result that the type of the operands has: a float is rounded, anything else stays.
    fn rounded(self, to: Elem) -> Self;
}

impl FromWide for Scalar {
    fn rounded(self, to: Elem) -> Scalar {
        match self {
            Scalar::F32(x) => float_of(x.into(), to),
            other => other,
        }
    }
}

impl FromWide for Checked {
    fn rounded(self, to: Elem) -> Checked {
        self.map(|scalar| scalar.rounded(to))
    }
}

impl FromWide for bool {
    fn rounded(self, _to: Elem) -> bool {
        self
    }
}

impl FromWide for Option<i128> {
    fn rounded(self, _to: Elem) -> Option<i128> {
        self
    }
}

fn rounded<T: FromWide>(to: Elem, wide: impl FnOnce() -> T) -> T {
    wide().rounded(to)
}

#[cold]
fn mismatch(a: Scalar, b: Scalar) -> ! {
    panic!("operands of different types: {} and {}", a.elem(), b.elem())
}

#[cold]
fn unfit(a: Scalar) -> ! {
    panic!("an operation that {} does not have", a.elem())
}

/// A result that may have left its type: an error if the type is signed.
fn checked<T: Integer>((value, overflow): (T, bool)) -> Checked {
    if overflow && T::SIGNED { Err(Fault::Overflow) } else { Ok(value.into()) }
}

/// Returns `a + b`; integers fail on overflow.
pub fn add(a: Scalar, b: Scalar) -> Checked {
    two!(a, b, |x, y| integer checked(x.plus(y)), float Ok((x + y).into()), bool unfit(a))
}

/// `a + b` of integers, which has to fit the type, signed or not.
pub fn advance(a: Scalar, b: Scalar) -> Checked {
    let sum = a.wide().zip(b.wide()).and_then(|(a, b)| a.checked_add(b));
    let fits = sum.filter(|sum| a.elem().integer_range().is_some_and(|(least, last)| (least..=last).contains(sum)));
    fits.map(|sum| Scalar::wrap(a.elem(), sum)).ok_or(Fault::Overflow)
}

/// Returns `a - b`; integers fail on overflow.
pub fn sub(a: Scalar, b: Scalar) -> Checked {
    two!(a, b, |x, y| integer checked(x.minus(y)), float Ok((x - y).into()), bool unfit(a))
}

/// Returns `a * b`; integers fail on overflow.
pub fn mul(a: Scalar, b: Scalar) -> Checked {
    two!(a, b, |x, y| integer checked(x.times(y)), float Ok((x * y).into()), bool unfit(a))
}

/// `a + b` of integers, keeping the low bits.
pub fn wrapping_add(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer x.plus(y).0.into(), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// `a - b` of integers, keeping the low bits.
pub fn wrapping_sub(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer x.minus(y).0.into(), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// `a * b` of integers, keeping the low bits.
pub fn wrapping_mul(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer x.times(y).0.into(), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// Returns `-a`; integers fail on overflow.
pub fn neg(a: Scalar) -> Checked {
    fn integer<T: Integer>(x: T) -> Checked {
        checked(T::ZERO.minus(x))
    }
    one!(a, integer x => integer(x), float x => Ok((-x).into()), bool _x => unfit(a))
}

/// `a / b`: integers truncate.
pub fn div(a: Scalar, b: Scalar) -> Checked {
    fn integer<T: Integer>(x: T, y: T) -> Checked {
        if y == T::ZERO { Err(Fault::DivisionByZero) } else { checked(x.over(y)) }
    }
    two!(a, b, |x, y| integer integer(x, y), float Ok((x / y).into()), bool unfit(a))
}

/// `a // b`: the quotient rounded down, of floats too.
pub fn floor_div(a: Scalar, b: Scalar) -> Checked {
    fn integer<T: Integer>(x: T, y: T) -> Checked {
        if y == T::ZERO {
            return Err(Fault::DivisionByZero);
        }
        let inexact_below = x.rest(y).0 != T::ZERO && (x < T::ZERO) != (y < T::ZERO);
        let (quotient, overflow) = x.over(y);
        checked((if inexact_below { quotient.minus(T::ONE).0 } else { quotient }, overflow))
    }
    two!(a, b, |x, y| integer integer(x, y), float Ok((x / y).floor().into()), bool unfit(a))
}

/// `a % b`: what `/` leaves; its sign is that of `a`. Fails where `/` fails.
pub fn rem(a: Scalar, b: Scalar) -> Checked {
    fn integer<T: Integer>(x: T, y: T) -> Checked {
        if y == T::ZERO { Err(Fault::DivisionByZero) } else { checked(x.rest(y)) }
    }
    two!(a, b, |x, y| integer integer(x, y), float Ok((x % y).into()), bool unfit(a))
}

/// `a ** exponent`, of integers.
pub fn pow(a: Scalar, exponent: u32) -> Checked {
    let power = by_squares(a, exponent, |a, b| mul(*a, *b))?;
    Ok(power.unwrap_or(Scalar::one(a.elem())))
}

/// A power as the products that make it, from the first to the last; `None` for the power 0, which is 1. One definition serves whoever
/// multiplies, scalars, a value of each lane or values of an IR, so that the first product that leaves the type is the same one for all.
pub fn by_squares<T: Clone, E>(
    base: T,
    exponent: u32,
    mut multiply: impl FnMut(&T, &T) -> Result<T, E>,
) -> Result<Option<T>, E> {
    let (mut power, mut square, mut left): (Option<T>, _, _) = (None, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            power = Some(match power {
                Some(power) => multiply(&power, &square)?,
                None => square.clone(),
            });
        }
        left /= 2;
        // A square that no factor is made of may leave the type.
        if left > 0 {
            square = multiply(&square, &square)?;
        }
    }
    Ok(power)
}

/// `a if a < b else b`.
pub fn min(a: Scalar, b: Scalar) -> Scalar {
    if lt(a, b) { a } else { b }
}

/// `a if a > b else b`.
pub fn max(a: Scalar, b: Scalar) -> Scalar {
    if lt(b, a) { a } else { b }
}

/// Returns the magnitude; integers fail on overflow.
pub fn abs(a: Scalar) -> Checked {
    fn integer<T: Integer>(x: T) -> Checked {
        if x < T::ZERO { checked(T::ZERO.minus(x)) } else { Ok(x.into()) }
    }
    one!(a, integer x => integer(x), float x => Ok(x.abs().into()), bool _x => unfit(a))
}

/// Defines operations of floats alone.
macro_rules! float_functions {
    ($($(#[$doc:meta])* $name:ident |$x:ident| $body:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: Scalar) -> Scalar {
            match a {
                Scalar::F32($x) => ($body).into(),
                Scalar::F64($x) => ($body).into(),
                Scalar::F16(half) => {
                    let $x = half.wide();
                    rounded(Elem::F16, || ($body).into())
                }
                Scalar::Bf16(half) => {
                    let $x = half.wide();
                    rounded(Elem::Bf16, || ($body).into())
                }
                _ => unfit(a),
            }
        }
    )*};
}

float_functions! {
    /// The square root, correctly rounded.
    sqrt |x| x.sqrt();
    /// `1 / sqrt(a)`, each rounded.
    rsqrt |x| 1.0 / x.sqrt();
    /// The reciprocal, `1 / a`.
    rcp |x| 1.0 / x;
    /// The greatest integer that is not above.
    floor |x| x.floor();
    /// The least integer that is not below.
    ceil |x| x.ceil();
    /// The nearest integer, the even one of two equally near.
    round |x| x.round_ties_even();
    /// The next integer towards zero.
    trunc |x| x.trunc();
    /// True if it is not a number.
    isnan |x| x.is_nan();
}

/// `a * b + c`, rounded once.
pub fn fma(a: Scalar, b: Scalar, c: Scalar) -> Scalar {
    match (a, b, c) {
        (Scalar::F32(x), Scalar::F32(y), Scalar::F32(z)) => x.mul_add(y, z).into(),
        (Scalar::F64(x), Scalar::F64(y), Scalar::F64(z)) => x.mul_add(y, z).into(),
        (Scalar::F16(x), Scalar::F16(y), Scalar::F16(z)) => x.fma(y, z).into(),
        (Scalar::Bf16(x), Scalar::Bf16(y), Scalar::Bf16(z)) => x.fma(y, z).into(),
        _ => unfit(a),
    }
}

/// `a * b + c`, each rounded: what targets without an instruction for both make of it.
pub fn mul_add(a: Scalar, b: Scalar, c: Scalar) -> Scalar {
    match (a, b, c) {
        (Scalar::F32(x), Scalar::F32(y), Scalar::F32(z)) => (x * y + z).into(),
        (Scalar::F64(x), Scalar::F64(y), Scalar::F64(z)) => (x * y + z).into(),
        (Scalar::F16(x), Scalar::F16(y), Scalar::F16(z)) => {
            float_of((x.wide() * y.wide() + z.wide()).into(), Elem::F16)
        }
        (Scalar::Bf16(x), Scalar::Bf16(y), Scalar::Bf16(z)) => {
            float_of((x.wide() * y.wide() + z.wide()).into(), Elem::Bf16)
        }
        _ => unfit(a),
    }
}

/// The upper half of the product of two integers.
pub fn mul_high(a: Scalar, b: Scalar) -> Scalar {
    fn integer<T: Integer>(x: T, y: T) -> Scalar {
        // Two factors below 2^64 have a product below 2^128: as unsigned numbers they have room here.
        let product = match T::SIGNED {
            true => x.wide() * y.wide(),
            false => (x.wide() as u128 * y.wide() as u128) as i128,
        };
        // The low bits are all that is kept of the shifted product, so its sign does not matter.
        T::low_bits(product >> T::BITS).into()
    }
    two!(a, b, |x, y| integer integer(x, y), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// Defines operations that count bits; the count has the operand's type.
macro_rules! bit_counts {
    ($($(#[$doc:meta])* $name:ident $method:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(a: Scalar) -> Scalar {
            fn integer<T: Integer>(x: T) -> Scalar {
                T::low_bits(i128::from(x.$method())).into()
            }
            one!(a, integer x => integer(x), float _x => unfit(a), bool _x => unfit(a))
        }
    )*};
}

bit_counts! {
    /// The number of bits that are set.
    popcount ones;
    /// The number of bits above the highest set one; all, if none is.
    clz leading;
    /// The number of bits below the lowest set one; all, if none is.
    ctz trailing;
}

/// The bytes of an integer in the opposite order.
pub fn byte_swap(a: Scalar) -> Scalar {
    in_order_of(a, u64::swap_bytes)
}

/// The bits of an integer in the opposite order.
pub fn reverse_bits(a: Scalar) -> Scalar {
    in_order_of(a, u64::reverse_bits)
}

/// An integer whose low bits come out at the upper end of a word.
fn in_order_of(a: Scalar, of_word: fn(u64) -> u64) -> Scalar {
    let Some(wide) = a.wide() else { unfit(a) };
    Scalar::wrap(a.elem(), i128::from(of_word(wide as u64) >> (64 - a.elem().bits())))
}

/// `a + b` of integers, or the end of the type that is nearest to it.
pub fn add_sat(a: Scalar, b: Scalar) -> Scalar {
    match (a.wide(), b.wide()) {
        (Some(x), Some(y)) => Scalar::saturate(a.elem(), x + y),
        _ => unfit(a),
    }
}

/// `a - b` of integers, or the end of the type that is nearest to it.
pub fn sub_sat(a: Scalar, b: Scalar) -> Scalar {
    match (a.wide(), b.wide()) {
        (Some(x), Some(y)) => Scalar::saturate(a.elem(), x - y),
        _ => unfit(a),
    }
}

/// A number as an integer type: of what does not fit the end that is nearest, of NaN 0. A float loses its fraction.
pub fn cast_sat(a: Scalar, to: Elem) -> Scalar {
    match a {
        Scalar::F32(x) => Scalar::saturate(to, f64::from(x) as i128),
        Scalar::F64(x) => Scalar::saturate(to, x as i128),
        Scalar::F16(x) => Scalar::saturate(to, x.wide() as i128),
        Scalar::Bf16(x) => Scalar::saturate(to, x.wide() as i128),
        a => Scalar::saturate(to, a.wide().unwrap_or_default()),
    }
}

/// `a & b`, of bools too.
pub fn and(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer (x & y).into(), float { _ = (x, y); unfit(a) }, bool (x & y).into())
}

/// `a | b`, of bools too.
pub fn or(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer (x | y).into(), float { _ = (x, y); unfit(a) }, bool (x | y).into())
}

/// `a ^ b`, of bools too.
pub fn xor(a: Scalar, b: Scalar) -> Scalar {
    two!(a, b, |x, y| integer (x ^ y).into(), float { _ = (x, y); unfit(a) }, bool (x ^ y).into())
}

/// `~a`; `not a` of a bool.
pub fn not(a: Scalar) -> Scalar {
    one!(a, integer x => (!x).into(), float _x => unfit(a), bool x => (!x).into())
}

/// The amount of a shift, if it is less than the width.
fn amount<T: Integer>(amount: T) -> Result<u32, Fault> {
    u32::try_from(amount.wide()).ok().filter(|amount| *amount < T::BITS).ok_or(Fault::ShiftTooFar)
}

/// Returns `a << b`; fails if `b` is not less than the width.
pub fn shl(a: Scalar, b: Scalar) -> Checked {
    fn integer<T: Integer>(x: T, y: T) -> Checked {
        Ok(x.left(amount(y)?).into())
    }
    two!(a, b, |x, y| integer integer(x, y), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// `a >> b`; a signed `a` keeps its sign.
pub fn shr(a: Scalar, b: Scalar) -> Checked {
    fn integer<T: Integer>(x: T, y: T) -> Checked {
        Ok(x.right(amount(y)?).into())
    }
    two!(a, b, |x, y| integer integer(x, y), float { _ = (x, y); unfit(a) }, bool unfit(a))
}

/// Returns `a < b`; false if one is NaN.
pub fn lt(a: Scalar, b: Scalar) -> bool {
    two!(a, b, |x, y| integer x < y, float x < y, bool unfit(a))
}

/// Returns `a <= b`; false if one is NaN.
pub fn le(a: Scalar, b: Scalar) -> bool {
    two!(a, b, |x, y| integer x <= y, float x <= y, bool unfit(a))
}

/// `a == b`, as the language compares: a NaN equals nothing, the two zeros are equal.
pub fn eq(a: Scalar, b: Scalar) -> bool {
    two!(a, b, |x, y| integer x == y, float x == y, bool x == y)
}

/// A conversion that the program asks for. A number is a true bool unless it is zero.
pub fn cast(a: Scalar, to: Elem) -> Checked {
    match a {
        Scalar::Bool(x) => Ok(Scalar::from_wide(to, i128::from(x)).unwrap_or_else(|| float_of(f64::from(x as u8), to))),
        Scalar::F16(x) => from_float(x.wide().into(), to),
        Scalar::Bf16(x) => from_float(x.wide().into(), to),
        Scalar::F32(x) => from_float(x.into(), to),
        Scalar::F64(x) => from_float(x, to),
        _ => Ok(from_integer(a, to)),
    }
}

/// Rounds to a float type.
fn float_of(x: f64, to: Elem) -> Scalar {
    match to {
        Elem::F16 => F16::round(x).into(),
        Elem::Bf16 => Bf16::round(x).into(),
        Elem::F32 => (x as f32).into(),
        _ => x.into(),
    }
}

/// A float to anything.
fn from_float(x: f64, to: Elem) -> Checked {
    if to.is_float() {
        return Ok(float_of(x, to));
    }
    let Some((least, greatest)) = to.integer_range() else { return Ok((x != 0.0).into()) };
    // Both bounds are powers of two or zero, so both are exact as floats; a NaN is outside too.
    let whole = x.trunc();
    if whole >= least as f64 && whole < (greatest + 1) as f64 {
        Ok(Scalar::wrap(to, whole as i128))
    } else {
        Err(Fault::CastOutOfRange)
    }
}

/// An integer to anything. Rust rounds an integer once, to nearest, even of two.
fn from_integer(a: Scalar, to: Elem) -> Scalar {
    let wide = a.wide().unwrap_or_else(|| unfit(a));
    match to {
        Elem::F32 => (wide as f32).into(),
        Elem::F64 => (wide as f64).into(),
        Elem::F16 => F16::of_integer(wide).into(),
        Elem::Bf16 => Bf16::of_integer(wide).into(),
        Elem::Bool => (wide != 0).into(),
        _ => Scalar::wrap(to, wide),
    }
}

/// The bits of a scalar, read as another type of the same size.
pub fn bitcast(a: Scalar, to: Elem) -> Scalar {
    Scalar::from_bits(to, a.bits())
}

impl Scalar {
    /// Returns the element type.
    pub fn elem(self) -> Elem {
        match self {
            Scalar::Bool(_) => Elem::Bool,
            Scalar::I8(_) => Elem::I8,
            Scalar::I16(_) => Elem::I16,
            Scalar::I32(_) => Elem::I32,
            Scalar::I64(_) => Elem::I64,
            Scalar::U8(_) => Elem::U8,
            Scalar::U16(_) => Elem::U16,
            Scalar::U32(_) => Elem::U32,
            Scalar::U64(_) => Elem::U64,
            Scalar::F32(_) => Elem::F32,
            Scalar::F64(_) => Elem::F64,
            Scalar::F16(_) => Elem::F16,
            Scalar::Bf16(_) => Elem::Bf16,
        }
    }

    /// Returns zero, or `false`, of a type.
    pub fn zero(elem: Elem) -> Scalar {
        Scalar::from_bits(elem, 0)
    }

    /// Returns one, or `true`, of a type.
    pub fn one(elem: Elem) -> Scalar {
        match elem {
            elem if elem.is_float() => float_of(1.0, elem),
            _ => Scalar::from_bits(elem, 1),
        }
    }

    /// The bits, zero-extended; what a NaN gives is the canonical quiet one.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::Bool(x) => x.into(),
            Scalar::I8(x) => (x as u8).into(),
            Scalar::I16(x) => (x as u16).into(),
            Scalar::I32(x) => (x as u32).into(),
            Scalar::I64(x) => x as u64,
            Scalar::U8(x) => x.into(),
            Scalar::U16(x) => x.into(),
            Scalar::U32(x) => x.into(),
            Scalar::U64(x) => x,
            Scalar::F32(x) if x.is_nan() => f32::NAN.to_bits().into(),
            Scalar::F32(x) => x.to_bits().into(),
            Scalar::F64(x) if x.is_nan() => f64::NAN.to_bits(),
            Scalar::F64(x) => x.to_bits(),
            Scalar::F16(x) => x.bits().into(),
            Scalar::Bf16(x) => x.bits().into(),
        }
    }

    /// The scalar with these low bits. Any bool byte but zero is true.
    pub fn from_bits(elem: Elem, bits: u64) -> Scalar {
        match elem {
            Elem::Bool => Scalar::Bool(bits & 0xff != 0),
            Elem::I8 => Scalar::I8(bits as i8),
            Elem::I16 => Scalar::I16(bits as i16),
            Elem::I32 => Scalar::I32(bits as i32),
            Elem::I64 => Scalar::I64(bits as i64),
            Elem::U8 => Scalar::U8(bits as u8),
            Elem::U16 => Scalar::U16(bits as u16),
            Elem::U32 => Scalar::U32(bits as u32),
            Elem::U64 => Scalar::U64(bits),
            Elem::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            Elem::F64 => Scalar::F64(f64::from_bits(bits)),
            Elem::F16 => Scalar::F16(F16(bits as u16)),
            Elem::Bf16 => Scalar::Bf16(Bf16(bits as u16)),
        }
    }

    /// The value of a float; `None` for an integer or a bool.
    pub fn float(self) -> Option<f64> {
        match self {
            Scalar::F32(x) => Some(x.into()),
            Scalar::F64(x) => Some(x),
            Scalar::F16(x) => Some(x.wide().into()),
            Scalar::Bf16(x) => Some(x.wide().into()),
            _ => None,
        }
    }

    /// The shortest decimal number that reads back to a float.
    pub fn shortest(self) -> Option<f64> {
        match self {
            Scalar::F32(x) => format!("{x:?}").parse().ok(),
            Scalar::F64(x) => Some(x),
            Scalar::F16(x) => Some(x.shortest()),
            Scalar::Bf16(x) => Some(x.shortest()),
            _ => None,
        }
    }

    /// Returns the value of an integer; `None` for a float or a bool.
    pub fn wide(self) -> Option<i128> {
        one!(self, integer x => Some(x.wide()), float _x => None, bool _x => None)
    }

    /// The low bits of a value, as an integer type (or, of a bool, whether it is not zero).
    pub fn wrap(elem: Elem, wide: i128) -> Scalar {
        Scalar::from_bits(elem, if elem == Elem::Bool { (wide != 0).into() } else { wide as u64 })
    }

    /// The value as an integer type (0 and 1 as a bool), if it fits.
    pub fn from_wide(elem: Elem, wide: i128) -> Option<Scalar> {
        let (least, greatest) = if elem == Elem::Bool { (0, 1) } else { elem.integer_range()? };
        (least <= wide && wide <= greatest).then(|| Scalar::wrap(elem, wide))
    }

    /// The value as an integer type, or the nearest that fits.
    pub fn saturate(elem: Elem, wide: i128) -> Scalar {
        let (least, greatest) = elem.integer_range().unwrap_or((0, 1));
        Scalar::wrap(elem, wide.clamp(least, greatest))
    }

    /// Says whether it is `true`.
    pub fn is_true(self) -> bool {
        matches!(self, Scalar::Bool(true))
    }

    /// Reads a number as it prints, as a value of this type: `42`, `-1`, `1.5`, `1e-3`, `inf`, `nan`, `true`.
    pub fn parse(elem: Elem, text: &str) -> Option<Scalar> {
        match elem {
            Elem::Bool => text.parse().ok().map(Scalar::Bool),
            Elem::F32 => text.parse().ok().map(Scalar::F32),
            Elem::F64 => text.parse().ok().map(Scalar::F64),
            Elem::F16 | Elem::Bf16 => text.parse().ok().map(|x| float_of(x, elem)),
            _ => Scalar::from_wide(elem, text.parse().ok()?),
        }
    }
}

/// Two scalars are equal if they have the same bits, or are both NaN.
impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.elem() == other.elem() && self.bits() == other.bits()
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.elem(), self.bits()).hash(state);
    }
}

/// The shortest number that reads back to the same bits; a float always shows that it is one.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn float(f: &mut fmt::Formatter<'_>, nan: bool, shown: &dyn fmt::Debug) -> fmt::Result {
            if nan { f.write_str("nan") } else { write!(f, "{shown:?}") }
        }
        match self {
            Scalar::F32(x) => float(f, x.is_nan(), x),
            Scalar::F64(x) => float(f, x.is_nan(), x),
            Scalar::F16(x) => float(f, x.is_nan(), &x.shortest()),
            Scalar::Bf16(x) => float(f, x.is_nan(), &x.shortest()),
            Scalar::Bool(x) => x.fmt(f),
            other => other.wide().unwrap_or_default().fmt(f),
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.elem())
    }
}

/// An operator that joins many elements into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Fold {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Fold {
    /// All operators, in the order of their declaration.
    pub const ALL: [Fold; 7] = [Fold::Add, Fold::Mul, Fold::Min, Fold::Max, Fold::And, Fold::Or, Fold::Xor];

    /// Returns the symbol of the operator, as the source writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Fold::Add => "+",
            Fold::Mul => "*",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::And => "&",
            Fold::Or => "|",
            Fold::Xor => "^",
        }
    }

    /// The element types it joins.
    pub fn class(self) -> ElemSet {
        match self {
            Fold::Add | Fold::Mul | Fold::Min | Fold::Max => ElemSet::NUMBERS,
            Fold::And | Fold::Or | Fold::Xor => ElemSet::BITS,
        }
    }

    /// Joins two elements by the operator.
    pub fn join(self, a: Scalar, b: Scalar) -> Checked {
        match self {
            Fold::Add => add(a, b),
            Fold::Mul => mul(a, b),
            Fold::Min => Ok(min(a, b)),
            Fold::Max => Ok(max(a, b)),
            Fold::And => Ok(and(a, b)),
            Fold::Or => Ok(or(a, b)),
            Fold::Xor => Ok(xor(a, b)),
        }
    }

    /// The element that changes nothing: joined to any other it gives that other's very bits. (Only of `min` and `max` it
    /// loses a NaN on its left, as `a if a < b else b` has it: see [`join_lanes`].)
    pub fn identity(self, elem: Elem) -> Scalar {
        let extreme = |least: bool| match (elem.integer_range(), least) {
            (Some((low, _)), true) => Scalar::wrap(elem, low),
            (Some((_, high)), false) => Scalar::wrap(elem, high),
            (None, true) => float_of(f64::NEG_INFINITY, elem),
            (None, false) => float_of(f64::INFINITY, elem),
        };
        match self {
            // 0.0 + -0.0 is 0.0, but -0.0 + x is x for every x.
            Fold::Add if elem.is_float() => float_of(-0.0, elem),
            Fold::Add | Fold::Or | Fold::Xor => Scalar::zero(elem),
            Fold::Mul => Scalar::one(elem),
            Fold::Min => extreme(false),
            Fold::Max => extreme(true),
            Fold::And => not(Scalar::zero(elem)),
        }
    }

    /// Returns the number of partial results that the fixed order of a reduction keeps; `None` where elements are
    /// joined in the order they come, because no other order can be told from it, or because it has to be kept.
    pub fn partials(self, elem: Elem) -> Option<usize> {
        match (self, elem) {
            (Fold::Add | Fold::Mul, Elem::F32 | Elem::F16 | Elem::Bf16) => Some(64),
            (Fold::Add | Fold::Mul, Elem::F64) => Some(32),
            _ => None,
        }
    }
}

/// Joins partial results in the fixed order: number `k` joins number `k + half`, halving.
///
/// There are a power of two of them, at least one.
pub fn join_halving(fold: Fold, mut partials: Vec<Scalar>) -> Checked {
    while partials.len() > 1 {
        let half = partials.len() / 2;
        for k in 0..half {
            partials[k] = fold.join(partials[k], partials[k + half])?;
        }
        partials.truncate(half);
    }
    Ok(partials[0])
}

/// Joins lanes in the same order; `None` of no lane at all. Lanes that have nothing to give, and those missing to a power
/// of two, are left out: nothing stands for them, since `min(NaN, x)` is `x` whatever `x` is.
pub fn join_lanes(fold: Fold, mut lanes: Vec<Option<Scalar>>) -> Result<Option<Scalar>, Fault> {
    lanes.resize(lanes.len().next_power_of_two(), None);
    while lanes.len() > 1 {
        let half = lanes.len() / 2;
        for k in 0..half {
            lanes[k] = match (lanes[k], lanes[k + half]) {
                (Some(a), Some(b)) => Some(fold.join(a, b)?),
                (a, b) => a.or(b),
            };
        }
        lanes.truncate(half);
    }
    Ok(lanes[0])
}

#[cfg(test)]
mod tests;
