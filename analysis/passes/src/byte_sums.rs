//! Sums of bytes, and of the distances between bytes: x86 adds the distances of each eight neighbouring bytes in one instruction.
//! If only the sum over all lanes is used in the end, eight bytes are added first, in an eighth of the lanes. The distance from
//! zero is the byte itself.
//!
//! ```text
//! s +% abs(i32(x) - i32(y))      s +% permute(i32(regroup(sad(x, y, type=u64x8), type=u32x16)), zeros)
//! s +% i32(x)                    s +% permute(i32(regroup(sad(x, 0, type=u64x8), type=u32x16)), zeros)
//! ```

use super::Context;
use super::only_sum::LaneSum;
use ir::entities::Value;
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// Adds neighbouring bytes first; says whether there are any.
pub fn byte_sums(kernel: &mut Kernel, context: &mut Context) -> bool {
    if !context.options.target.adds_differences {
        return false;
    }
    let sums = LaneSum::of_kernel(kernel, |added| Added::of(kernel, added).is_some());
    let found: Vec<_> = sums.iter().filter_map(|sum| Some((sum, Added::of(kernel, sum.added(kernel))?))).collect();
    for (sum, added) in &found {
        let to = kernel.ty(sum.added(kernel)).data_elem().expect("a sum of numbers");
        let lanes = added.lanes;
        sum.add_instead(kernel, |b| {
            let y = added.y.unwrap_or_else(|| {
                let zero = b.constant(Scalar::zero(Elem::U8));
                b.op_with(Code::Splat, Attr::Lanes(lanes), &[zero])
            });
            let sums = b.op_with(Code::Sad, Attr::Type(Type::lanes_of(Elem::U64, lanes / 8)), &[added.x, y]);
            // The upper half of each sum is a zero, which may be added, too.
            let unsigned = to.to_unsigned();
            let sums = match to.bytes() {
                8 => sums,
                _ => b.op_with(Code::Regroup, Attr::Type(Type::lanes_of(unsigned, lanes / 4)), &[sums]),
            };
            if to == unsigned { sums } else { b.op_with(Code::Cast, Attr::Elem(to), &[sums]) }
        });
    }
    !found.is_empty()
}

/// Bytes that are added, or whose distances are.
struct Added {
    x: Value,
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
            return Some(Added { x, y: None, lanes });
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
        Some(Added { x: byte(kernel, x)?, y: Some(byte(kernel, y)?), lanes })
    }
}

/// The bytes that a vector of wider integers was converted from.
fn byte(kernel: &Kernel, value: Value) -> Option<Value> {
    let cast = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|cast| cast.code == Code::Cast)?;
    let from = kernel.ty(cast.operands[0]);
    let is_wider = kernel.ty(value).data_elem().is_some_and(|elem| elem.is_integer() && elem.bytes() > 1);
    (from.data_elem() == Some(Elem::U8) && from.lanes().is_some() && is_wider).then(|| cast.operands[0])
}
