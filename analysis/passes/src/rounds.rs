//! Rounds: the part of a range whose iterations fill rounds of several, and the rest behind it.

use ir::builder::Builder;
use ir::entities::Value;
use ir::ops::Code;
use ir::program::Attr;
use ir::scalar::Scalar;

/// Computes where the rounds of a range end: as far from its start as whole rounds reach, each of which moves the index by `by`, with the
/// sign of the step. Fewer than a round are left behind it; with `left`, which only ranges upwards have, at least so many indices are.
pub(crate) fn end(b: &mut Builder, [lo, hi]: [Value; 2], by: i128, left: i128) -> Value {
    let elem = b.kernel().ty(lo).data_elem().expect("bounds are integers");
    let unsigned = elem.to_unsigned();
    let downwards = by < 0;
    let length = by.abs();
    let number = |b: &Builder, value: Value| b.kernel().as_const(value).and_then(Scalar::wide);
    let from = number(b, lo);
    if let (Some(lo), Some(hi)) = (from, number(b, hi)) {
        let distance = (if downwards { lo - hi } else { hi - lo } - left).max(0);
        return b.constant(Scalar::wrap(elem, lo + distance / length * by));
    }
    if from == Some(0) && !downwards {
        // There is no round before a bound that is negative.
        let least = b.constant(Scalar::wrap(elem, left));
        let mut count = match elem.is_signed() || left > 0 {
            true => b.op(Code::Max, &[hi, least]),
            false => hi,
        };
        if left > 0 {
            count = b.op(Code::WrappingSub, &[count, least]);
        }
        let by = b.constant(Scalar::wrap(elem, by));
        let rest = b.op(Code::Rem, &[count, by]);
        return b.op(Code::WrappingSub, &[count, rest]);
    }
    // The distance fits the unsigned type, whatever the bounds are.
    let far = b.op(if downwards { Code::Min } else { Code::Max }, &[lo, hi]);
    let (more, less) = if downwards { (lo, far) } else { (far, lo) };
    let mut distance = b.op(Code::WrappingSub, &[more, less]);
    let length = b.constant(Scalar::wrap(unsigned, length));
    if elem.is_signed() {
        distance = b.op_with(Code::Cast, Attr::Elem(unsigned), &[distance]);
    }
    if left > 0 {
        let one = b.constant(Scalar::one(unsigned));
        let some = b.op(Code::Max, &[distance, one]);
        distance = b.op(Code::WrappingSub, &[some, one]);
    }
    let rest = b.op(Code::Rem, &[distance, length]);
    let mut whole = b.op(Code::WrappingSub, &[distance, rest]);
    if elem.is_signed() {
        whole = b.op_with(Code::Cast, Attr::Elem(elem), &[whole]);
    }
    b.op(if downwards { Code::WrappingSub } else { Code::WrappingAdd }, &[lo, whole])
}
