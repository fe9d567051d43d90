//! Sums of bytes, and of the distances between bytes: x86 adds the distances of each eight neighbouring bytes in one instruction.
//! If only the sum over all lanes is used in the end, eight bytes are added first, in an eighth of the lanes. The distance from
//! zero is the byte itself. To count the bytes for which something holds is to add the bytes 0 and 1.
//!
//! ```text
//! s +% abs(i32(x) - i32(y))            s +% permute(i32(regroup(sad(x, y, type=u64x8), type=u32x16)), zeros)
//! s +% i32(x)                          s +% permute(i32(regroup(sad(x, 0, type=u64x8), type=u32x16)), zeros)
//! select((x == 0), (s +% 1), s)        s +% permute(i32(regroup(sad(u8((x == 0)), 0, type=u64x8), type=u32x16)), zeros)
//! ```

use smallvec::smallvec;

use super::Context;
use super::fold::constant;
use super::only_sum::LaneSum;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// Adds neighbouring bytes first; says whether there are any.
pub fn byte_sums(kernel: &mut Kernel, context: &mut Context) -> bool {
    if !context.options.target.adds_differences {
        return false;
    }
    let counts = counts_as_sums(kernel);
    let sums = LaneSum::of_kernel(kernel, |added| Added::of(kernel, added).is_some());
    let found: Vec<_> = sums.iter().filter_map(|sum| Some((sum, Added::of(kernel, sum.added(kernel))?))).collect();
    for (sum, added) in &found {
        let to = kernel.ty(sum.added(kernel)).data_elem().expect("a sum of numbers");
        let lanes = added.lanes;
        sum.add_instead(kernel, |b| {
            let x = match added.are_bools {
                true => b.op_with(Code::Cast, Attr::Elem(Elem::U8), &[added.x]),
                false => added.x,
            };
            let y = added.y.unwrap_or_else(|| {
                let zero = b.constant(Scalar::zero(Elem::U8));
                b.op_with(Code::Splat, Attr::Lanes(lanes), &[zero])
            });
            let sums = b.op_with(Code::Sad, Attr::Type(Type::lanes_of(Elem::U64, lanes / 8)), &[x, y]);
            // The upper half of each sum is a zero, which may be added, too.
            let unsigned = to.to_unsigned();
            let sums = match to.bytes() {
                8 => sums,
                _ => b.op_with(Code::Regroup, Attr::Type(Type::lanes_of(unsigned, lanes / 4)), &[sums]),
            };
            if to == unsigned { sums } else { b.op_with(Code::Cast, Attr::Elem(to), &[sums]) }
        });
    }
    counts || !found.is_empty()
}

/// Makes counts of the bytes for which something holds sums of that; says whether there are any.
fn counts_as_sums(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| found.extend(Count::of(kernel, op).map(|count| (region, op, count))));
    for (region, op, count) in &found {
        let (ty, origin) = (kernel.ty(count.before), kernel.ops[*op].origin);
        let elem = ty.data_elem().expect("a count is a number");
        let mut new = Vec::new();
        let mut holds = count.test;
        if count.is_opposite {
            let mask = kernel.ty(holds);
            new.push(kernel.add_op(Code::Not, Attr::None, smallvec![holds], &[mask], origin));
            holds = kernel.ops[new[0]].results[0];
        }
        let number = kernel.add_op(Code::Cast, Attr::Elem(elem), smallvec![holds], &[ty], origin);
        new.push(number);
        let number = kernel.ops[number].results[0];
        let data = &mut kernel.ops[*op];
        (data.code, data.operands) = (Code::WrappingAdd, smallvec![count.before, number]);
        let ops = &mut kernel.regions[*region].ops;
        let place = ops.iter().position(|other| other == op).expect("the block lists the choice");
        ops.splice(place..place, new);
    }
    !found.is_empty()
}

/// A choice between a count and the next one, by a test of bytes.
struct Count {
    before: Value,
    test: Value,
    /// It is counted where the test does not hold.
    is_opposite: bool,
}

impl Count {
    fn of(kernel: &Kernel, op: Op) -> Option<Count> {
        let data = &kernel.ops[op];
        let &[test, yes, no] = data.operands.get(..3).filter(|_| data.code == Code::Select)? else { return None };
        let elem = kernel.ty(yes).data_elem().filter(|elem| elem.is_integer() && matches!(elem.bytes(), 4 | 8))?;
        let is_next = |next: Value, before: Value| {
            let sum = kernel.def_op(next).map(|op| &kernel.ops[op]).filter(|sum| sum.code == Code::WrappingAdd);
            sum.is_some_and(|sum| {
                sum.operands[0] == before && constant(kernel, sum.operands[1]) == Some(Scalar::one(elem))
            })
        };
        let is_in_lanes = |value: Value| kernel.ty(value).lanes().is_some_and(|lanes| lanes % 8 == 0);
        let (before, is_opposite) = if is_next(yes, no) { (no, false) } else { (yes, true) };
        let counts = !is_opposite || is_next(no, yes);
        (counts && is_in_lanes(test) && is_in_lanes(before) && tests_bytes(kernel, test)).then_some(Count {
            before,
            test,
            is_opposite,
        })
    }
}

/// Says whether what a mask is computed from are bytes, so that it is as wide as they are.
fn tests_bytes(kernel: &Kernel, mask: Value) -> bool {
    let Some(data) = kernel.def_op(mask).map(|op| &kernel.ops[op]) else { return false };
    match data.code {
        Code::Not => tests_bytes(kernel, data.operands[0]),
        Code::And | Code::Or | Code::Xor => data.operands.iter().all(|&part| tests_bytes(kernel, part)),
        Code::Eq | Code::Ne | Code::Lt | Code::Le | Code::Gt | Code::Ge => {
            match kernel.ty(data.operands[0]).data_elem() {
                // Two masks are as wide as what they were computed from.
                Some(Elem::Bool) => data.operands.iter().all(|&part| tests_bytes(kernel, part)),
                elem => elem.is_some_and(|elem| elem.bytes() == 1),
            }
        }
        _ => false,
    }
}

/// Bytes that are added, or whose distances are.
struct Added {
    x: Value,
    /// The bytes are 1 where a mask is on, and 0 elsewhere; `x` is the mask.
    are_bools: bool,
    /// The bytes that the distances are from; `None` for zeros.
    y: Option<Value>,
    lanes: u16,
}

impl Added {
    fn of(kernel: &Kernel, value: Value) -> Option<Added> {
        let ty = kernel.ty(value);
        let lanes = ty.lanes().filter(|lanes| lanes % 8 == 0)?;
        ty.data_elem().filter(|elem| matches!(elem.bytes(), 4 | 8))?;
        let x = byte(kernel, value);
        if let Some(x) = x {
            return Some(Added { x, are_bools: false, y: None, lanes });
        }
        let cast = &kernel.ops[kernel.def_op(value)?];
        if cast.code == Code::Cast && tests_bytes(kernel, cast.operands[0]) {
            return Some(Added { x: cast.operands[0], are_bools: true, y: None, lanes });
        }
        // A distance between bytes is one in every wider type.
        let mut magnitude = &kernel.ops[kernel.def_op(value)?];
        while magnitude.code == Code::Cast {
            kernel.ty(magnitude.operands[0]).data_elem().filter(|elem| elem.is_integer() && elem.bytes() > 1)?;
            magnitude = &kernel.ops[kernel.def_op(magnitude.operands[0])?];
        }
        let difference = &kernel.ops[kernel.def_op(*magnitude.operands.first()?)?];
        // An unsigned difference has wrapped where the second byte is the larger one.
        let is_signed = kernel.ty(difference.results[0]).data_elem().is_some_and(Elem::is_signed);
        let is_distance =
            is_signed && magnitude.code == Code::Abs && matches!(difference.code, Code::Sub | Code::WrappingSub);
        let &[x, y] = difference.operands.get(..2).filter(|_| is_distance)? else { return None };
        Some(Added { x: byte(kernel, x)?, are_bools: false, y: Some(byte(kernel, y)?), lanes })
    }
}

/// The bytes that a vector of wider integers was converted from.
fn byte(kernel: &Kernel, value: Value) -> Option<Value> {
    let cast = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|cast| cast.code == Code::Cast)?;
    let from = kernel.ty(cast.operands[0]);
    let is_wider = kernel.ty(value).data_elem().is_some_and(|elem| elem.is_integer() && elem.bytes() > 1);
    (from.data_elem() == Some(Elem::U8) && from.lanes().is_some() && is_wider).then(|| cast.operands[0])
}
