//! Numbers by their bits: what ops make of them.
//!
//! Whole numbers stand in the low bits, with zeros above; all of them fit into 128 bits with their signs, where they are computed.

use crate::op::{AtomicChange, GangComparison, LaneJoin, OneOperand, TwoOperands};
use crate::types::NumberType;

/// The reason why an op on numbers has no result.
pub(crate) const DIVISION_BY_ZERO: &str = "divides by zero";

/// A whole number with its sign.
pub(crate) fn whole(bits: u64, ty: NumberType) -> i128 {
    let unused = 64 - ty.bits();
    match ty.is_signed() {
        true => (((bits << unused) as i64) >> unused).into(),
        false => ((bits << unused) >> unused).into(),
    }
}

/// The bits of a whole number that wraps to a type.
pub(crate) fn wrapped(value: i128, ty: NumberType) -> u64 {
    if ty == NumberType::Bool {
        return u64::from(value != 0);
    }
    let unused = 64 - ty.bits();
    ((value as u64) << unused) >> unused
}

/// A floating-point number; each is one of 64 bits.
pub fn wide(bits: u64, ty: NumberType) -> f64 {
    match ty {
        NumberType::F16 => wide_half(bits as u16).into(),
        NumberType::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The bits of a floating-point number, rounded once to a type.
pub fn narrowed(value: f64, ty: NumberType) -> u64 {
    match ty {
        NumberType::F16 => half(value).into(),
        NumberType::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

fn wide_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = ((bits >> 10) & 31, f32::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::from_bits(u32::from(bits & 0x8000) << 16 | 0x7f80_0000 | u32::from(bits & 1023) << 13),
        _ => sign * (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
    }
}

/// The nearest number of 16 bits, halves to even.
fn half(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    if value.is_nan() {
        return sign | 0x7e00 | ((bits >> 42) & 0x3ff) as u16;
    }
    let size = value.abs();
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // A step of the result: numbers below the smallest normal one share its.
    let exponent = (((bits >> 52) & 2047) as i32 - 1023).max(-14);
    let step = 2f64.powi(exponent - 10);
    let steps = (size / step).round_ties_even() as u32;
    // `steps` has the leading one of a normal number, which carries into the exponent.
    sign | ((((exponent + 14) as u32) << 10) + steps) as u16
}

/// The number as one of another type.
pub fn converted(bits: u64, from: NumberType, to: NumberType) -> u64 {
    match (from.is_float(), to.is_float()) {
        _ if from == to => bits,
        (true, true) => narrowed(wide(bits, from), to),
        (true, false) => {
            let value = wide(bits, from);
            match to {
                NumberType::Bool => u64::from(value != 0.0),
                NumberType::U64 | NumberType::Pointer => value as u64,
                NumberType::I64 => value as i64 as u64,
                NumberType::U32 => wrapped((value as i64).into(), to),
                _ => wrapped((value as i32).into(), to),
            }
        }
        (false, true) => {
            let value = whole(bits, from);
            match to {
                // Rounded once, from the whole number itself.
                NumberType::F32 => (value as f32).to_bits().into(),
                _ => narrowed(value as f64, to),
            }
        }
        (false, false) => wrapped(whole(bits, from), to),
    }
}

/// The result of one operand.
pub(crate) fn one(op: OneOperand, ty: NumberType, bits: u64) -> u64 {
    use OneOperand::*;
    if ty.is_whole() {
        let value = whole(bits, ty);
        let n_unused = 64 - ty.bits();
        return match op {
            Negate => wrapped(-value, ty),
            Not if ty == NumberType::Bool => bits ^ 1,
            Not => wrapped(!value, ty),
            Abs => wrapped(value.abs(), ty),
            CountOnes => bits.count_ones().into(),
            LeadingZeros => (bits.leading_zeros() - n_unused).into(),
            TrailingZeros => bits.trailing_zeros().min(ty.bits()).into(),
            _ => bits,
        };
    }
    if op == IsNan {
        return u64::from(wide(bits, ty).is_nan());
    }
    if op == Negate {
        return bits ^ (1 << (ty.bits() - 1));
    }
    if op == Abs {
        return bits & !(1 << (ty.bits() - 1));
    }
    narrowed(real(op, wide(bits, ty)), ty)
}

/// Functions of real numbers. What is narrower is computed in 64 bits and rounded once.
fn real(op: OneOperand, value: f64) -> f64 {
    use OneOperand::*;
    match op {
        Sqrt => value.sqrt(),
        Round => value.round_ties_even(),
        Floor => value.floor(),
        Ceil => value.ceil(),
        Trunc => value.trunc(),
        Reciprocal => 1.0 / value,
        ReciprocalRoot => 1.0 / value.sqrt(),
        Sin => value.sin(),
        Cos => value.cos(),
        Tan => value.tan(),
        Asin => value.asin(),
        Acos => value.acos(),
        Atan => value.atan(),
        Sinh => value.sinh(),
        Cosh => value.cosh(),
        Tanh => value.tanh(),
        Asinh => value.asinh(),
        Acosh => value.acosh(),
        Atanh => value.atanh(),
        Exp => value.exp(),
        Exp2 => value.exp2(),
        Exp10 => 10f64.powf(value),
        Log => value.ln(),
        Log2 => value.log2(),
        Log10 => value.log10(),
        Cbrt => value.cbrt(),
        ExpMinusOne => value.exp_m1(),
        LogOnePlus => value.ln_1p(),
        Erf if value.abs() < 1.0 => erf_near_zero(value),
        Erf => (1.0 - erfc_far(value.abs())).copysign(value),
        Erfc if value.abs() < 1.0 => 1.0 - erf_near_zero(value),
        Erfc if value < 0.0 => 2.0 - erfc_far(-value),
        Erfc => erfc_far(value),
        Exponent => f64::from(parts(value).1),
        Fraction => parts(value).0,
        Negate | Not | Abs | CountOnes | LeadingZeros | TrailingZeros | IsNan => value,
    }
}

/// The error function near zero, by its series.
fn erf_near_zero(value: f64) -> f64 {
    let (mut term, mut sum) = (value, value);
    for nth in 1..40 {
        term *= -value * value / f64::from(nth);
        sum += term / f64::from(2 * nth + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

/// One less the error function, of 1 and more, by a continued fraction.
fn erfc_far(value: f64) -> f64 {
    if value.is_nan() || value > 30.0 {
        return if value.is_nan() { value } else { 0.0 };
    }
    let mut fraction = 0.0;
    for nth in (1..200).rev() {
        fraction = f64::from(nth) / 2.0 / (value + fraction);
    }
    (-value * value).exp() / (value + fraction) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

/// The fraction of a number, from 0.5 to 1, and its exponent.
fn parts(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    // A number below the smallest normal one is made one.
    let (value, less) = if value.abs() < f64::MIN_POSITIVE { (value * 2f64.powi(64), 64) } else { (value, 0) };
    let bits = value.to_bits();
    let exponent = ((bits >> 52) & 2047) as i32 - 1022;
    (f64::from_bits((bits & !(2047 << 52)) | 1022 << 52), exponent - less)
}

/// The result of two operands.
pub(crate) fn two(op: TwoOperands, ty: NumberType, left: u64, right: u64) -> Result<u64, &'static str> {
    if ty.is_float() { Ok(two_reals(op, ty, left, right)) } else { two_wholes(op, ty, left, right) }
}

fn two_reals(op: TwoOperands, ty: NumberType, left: u64, right: u64) -> u64 {
    use TwoOperands::*;
    if ty == NumberType::F32 && matches!(op, Add | Sub | Mul | Div) {
        let (a, b) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
        let found = match op {
            Add => a + b,
            Sub => a - b,
            Mul => a * b,
            _ => a / b,
        };
        return found.to_bits().into();
    }
    let (a, b) = (wide(left, ty), wide(right, ty));
    match op {
        Min => return if a < b { left } else { right },
        Max => return if a > b { left } else { right },
        And => return left & right,
        Or => return left | right,
        Xor => return left ^ right,
        _ => {}
    }
    let found = match op {
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Rem => {
            let found = a % b;
            if found.is_nan() && !a.is_nan() { f64::NAN.copysign(a) } else { found }
        }
        Pow => a.powf(b),
        Atan2 => a.atan2(b),
        // In two steps, since a power alone may be out of range where the product is not.
        TimesPowerOfTwo => {
            let power = b.clamp(-2200.0, 2200.0) as i32;
            a * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
        }
        _ => a + b,
    };
    narrowed(found, ty)
}

fn two_wholes(op: TwoOperands, ty: NumberType, left: u64, right: u64) -> Result<u64, &'static str> {
    use TwoOperands::*;
    let (a, b) = (whole(left, ty), whole(right, ty));
    let (least, most) = match ty.is_signed() {
        true => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
        false => (0, (1i128 << ty.bits()) - 1),
    };
    let held = |value: i128| Ok(wrapped(value.clamp(least, most), ty));
    let value = match op {
        Add => a + b,
        Sub => a - b,
        Mul => a.wrapping_mul(b),
        Div | Rem | SaturatingDiv if b == 0 => return Err(DIVISION_BY_ZERO),
        Div => a / b,
        Rem => a % b,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => match u32::try_from(b).ok().filter(|by| *by < ty.bits()) {
            Some(by) => a << by,
            None => 0,
        },
        Shr => a >> b.clamp(0, 127),
        Min => a.min(b),
        Max => a.max(b),
        SaturatingAdd => return held(a + b),
        SaturatingSub => return held(a - b),
        SaturatingMul => return held(a.saturating_mul(b)),
        SaturatingDiv => return held(a / b),
        AverageUp => (a + b + 1) >> 1,
        AverageDown => (a + b) >> 1,
        Pow | Atan2 | TimesPowerOfTwo => 0,
    };
    Ok(wrapped(value, ty))
}

/// The outcome of a comparison.
pub(crate) fn compare(relation: GangComparison, ty: NumberType, left: u64, right: u64) -> bool {
    let order = match ty.is_float() {
        true => wide(left, ty).partial_cmp(&wide(right, ty)),
        false => Some(whole(left, ty).cmp(&whole(right, ty))),
    };
    match relation {
        GangComparison::Equal => order.is_some_and(|it| it.is_eq()),
        GangComparison::NotEqual => !order.is_some_and(|it| it.is_eq()),
        GangComparison::Less => order.is_some_and(|it| it.is_lt()),
        GangComparison::LessEqual => order.is_some_and(|it| it.is_le()),
        GangComparison::Greater => order.is_some_and(|it| it.is_gt()),
        GangComparison::GreaterEqual => order.is_some_and(|it| it.is_ge()),
    }
}

/// `a * b + c`, rounded once.
pub(crate) fn fused(ty: NumberType, a: u64, b: u64, c: u64) -> u64 {
    match ty {
        NumberType::F32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            a.mul_add(b, c).to_bits().into()
        }
        _ if ty.is_float() => {
            let [a, b, c] = [a, b, c].map(|bits| wide(bits, ty));
            narrowed(a.mul_add(b, c), ty)
        }
        _ => wrapped(whole(a, ty).wrapping_mul(whole(b, ty)).wrapping_add(whole(c, ty)), ty),
    }
}

/// The operator that joins lanes.
pub(crate) fn joining(join: LaneJoin) -> TwoOperands {
    match join {
        LaneJoin::Add => TwoOperands::Add,
        LaneJoin::Min => TwoOperands::Min,
        LaneJoin::Max => TwoOperands::Max,
        LaneJoin::And => TwoOperands::And,
        LaneJoin::Or => TwoOperands::Or,
        LaneJoin::Xor => TwoOperands::Xor,
    }
}

/// The number that changes no other that it is joined to.
pub(crate) fn neutral(join: LaneJoin, ty: NumberType) -> u64 {
    let least = || match ty {
        _ if ty.is_float() => narrowed(f64::NEG_INFINITY, ty),
        _ if ty.is_signed() => 1 << (ty.bits() - 1),
        _ => 0,
    };
    let most = || match ty {
        _ if ty.is_float() => narrowed(f64::INFINITY, ty),
        _ if ty.is_signed() => wrapped(-1, ty) >> 1,
        _ => wrapped(-1, ty),
    };
    match join {
        LaneJoin::Add | LaneJoin::Or | LaneJoin::Xor => 0,
        LaneJoin::Min => most(),
        LaneJoin::Max => least(),
        LaneJoin::And => wrapped(-1, ty),
    }
}

/// The new value of a cell that an atomic changes.
pub(crate) fn changed(change: AtomicChange, ty: NumberType, old: u64, value: u64, compared: u64) -> u64 {
    let by = |op: TwoOperands| two(op, ty, old, value).unwrap_or(old);
    match change {
        AtomicChange::Add => by(TwoOperands::Add),
        AtomicChange::Sub => by(TwoOperands::Sub),
        AtomicChange::Min => by(TwoOperands::Min),
        AtomicChange::Max => by(TwoOperands::Max),
        AtomicChange::And => by(TwoOperands::And),
        AtomicChange::Or => by(TwoOperands::Or),
        AtomicChange::Xor => by(TwoOperands::Xor),
        AtomicChange::Swap => value,
        AtomicChange::CompareExchange if old == compared => value,
        AtomicChange::CompareExchange => old,
    }
}

#[cfg(test)]
mod tests {
    use super::{half, wide_half};

    #[test]
    fn all_halves_come_back() {
        for bits in 0..=u16::MAX {
            let value = wide_half(bits);
            if !value.is_nan() {
                assert_eq!(half(value.into()), bits, "{value}");
            }
        }
    }

    #[test]
    fn halves_are_rounded_to_even() {
        assert_eq!(half(2049.0), half(2048.0));
        assert_eq!(half(2051.0), half(2052.0));
        assert_eq!(half(65519.0), half(65504.0));
        assert_eq!(half(65520.0), 0x7c00);
        assert_eq!(half(2f64.powi(-25)), 0);
        assert_eq!(half(2f64.powi(-25) * 1.5), 1);
    }
}
