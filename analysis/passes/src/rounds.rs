//! Rounds: the part of a range whose iterations fill rounds of several, and the rest behind it.

use rustc_hash::FxHashMap;

use ir::builder::Builder;
use ir::copy::Copied;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;

/// The iterations of a round, and what the index moves by from one to the next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    pub(crate) times: u16,
    pub(crate) step: i128,
}

/// Writes a `for` as one over rounds; gives the ops that stand for it, of which the last is the loop itself, which goes on with the rest, and
/// what is handed on to it. `before` writes what stands in front of the rounds, and `first` what each begins with: it gives the values that
/// stand for some ops in each iteration of the round.
pub(crate) fn write<S>(
    kernel: &mut Kernel,
    op: Op,
    Round { times, step }: Round,
    before: impl FnOnce(&mut Builder) -> S,
    first: impl FnOnce(&mut Builder, S, Value) -> FxHashMap<Op, Vec<Value>>,
) -> (Vec<Op>, Vec<Value>) {
    let data = kernel.ops[op].clone();
    let body = kernel.regions[data.regions[0]].clone();
    let (lo, hi) = (data.operands[0], data.operands[1]);
    let elem = kernel.ty(lo).data_elem().expect("bounds are integers");
    let name = |value: Value, otherwise: &str| {
        kernel.values[value].name.as_ref().map_or_else(|| otherwise.to_owned(), ToString::to_string)
    };
    let index = name(body.args[0], "i");
    let names: Vec<String> = body.args[1..].iter().map(|&arg| name(arg, "x")).collect();
    let carried: Vec<(&str, Value)> =
        names.iter().map(String::as_str).zip(data.operands[3..].iter().copied()).collect();
    let mut control = kernel.control(op).cloned().unwrap_or_default();
    (control.marks.unroll, control.marks.rolled) = (None, true);

    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    b.set_origin(data.origin);
    let by = step * i128::from(times);
    let end = end(&mut b, [lo, hi], by, 0);
    if b.kernel().as_const(end).is_none() {
        b.name(end, "end");
    }
    let state = before(&mut b);
    let by = b.constant(Scalar::wrap(elem, by));
    let args = b.open_loop(Code::For, control.clone(), &index, [lo, end, by], &carried, &[]);
    let instead = first(&mut b, state, args[0]);
    let mut handed_on = args[1..].to_vec();
    for round in 0..times {
        let mut at = args[0];
        if round > 0 {
            let distance = b.constant(Scalar::wrap(elem, step * i128::from(round)));
            at = b.op(Code::Advance, &[at, distance]);
        }
        let mut copied = Copied::from_iter([(body.args[0], at)]);
        copied.extend(body.args[1..].iter().copied().zip(handed_on));
        for &inner in &body.ops {
            match instead.get(&inner) {
                Some(values) => {
                    copied.insert(b.kernel().ops[inner].results[0], values[usize::from(round)]);
                }
                None => _ = b.copy(inner, &mut copied),
            }
        }
        handed_on = body.yields.iter().map(|value| copied.get(value).copied().unwrap_or(*value)).collect();
    }
    let results = b.close(&handed_on).to_vec();
    let block = b.block();
    let rest = &mut b.kernel_mut().ops[op];
    rest.operands[0] = end;
    rest.operands[3..].copy_from_slice(&results);
    rest.attr = Attr::Control(Box::new(control));
    b.kernel_mut().regions[block].ops.push(op);
    let (made, block) = b.detach();
    *kernel = made;
    (std::mem::take(&mut kernel.regions[block].ops), results)
}

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
