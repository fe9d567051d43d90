//! Distances: lanes that take `a - b` where `a` is larger, else `b - a`, take the magnitude of the difference.
//!
//! A lane in which the side that is chosen overflows has failed, and the magnitude of the difference fails in the same lanes.
//! A back end cannot know that, so where the target has no instruction for distances it would take the smaller number from
//! the larger.

use super::Context;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, OpData, Values};

/// Replaces choices between two differences by magnitudes; says whether there are any.
pub fn distances(kernel: &mut Kernel, context: &mut Context) -> bool {
    if context.options.target.distances {
        return false;
    }
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if let Some(difference) = difference(kernel, op) {
            found.push((op, difference));
        }
    });
    for &(op, difference) in &found {
        let data = &mut kernel.ops[op];
        (data.code, data.attr, data.operands) = (Code::Abs, Attr::None, Values::from_slice(&[difference]));
    }
    !found.is_empty()
}

/// The difference whose magnitude a choice is.
fn difference(kernel: &Kernel, op: Op) -> Option<Value> {
    let made = |value: Value| kernel.def_op(value).map(|op| &kernel.ops[op]);
    let data = &kernel.ops[op];
    if data.code != Code::Select {
        return None;
    }
    let result = kernel.ty(data.results[0]);
    // For integers of 8 bytes, a magnitude may take more than a comparison and a choice.
    let fits = result.data_elem().is_some_and(|elem| elem.is_integer() && elem.is_signed() && elem.bytes() <= 4);
    if result.lanes().is_none() || !fits {
        return None;
    }
    let [test, then, otherwise] = [0, 1, 2].map(|number| made(data.operands[number]));
    let (test, then, otherwise) = (test?, then?, otherwise?);
    let (a, b) = match test.code {
        Code::Gt | Code::Ge => (test.operands[0], test.operands[1]),
        Code::Lt | Code::Le => (test.operands[1], test.operands[0]),
        _ => return None,
    };
    let subtracts = |data: &OpData, a: Value, b: Value| {
        let in_lanes = |value: &Value| kernel.ty(*value).lanes().is_some();
        data.code == Code::Sub && data.operands[..] == [a, b] && data.operands.iter().all(in_lanes)
    };
    (subtracts(then, a, b) && subtracts(otherwise, b, a)).then(|| data.operands[1])
}
