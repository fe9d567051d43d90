//! Tails: a peeled tail has fewer iterations than a group of lanes, so the loop over it becomes a branch.
//!
//! ```text
//! vector_for base in range(whole, n, LANES):          if (whole < n):
//!     masked_store(o, (base + lane_id), …)                masked_store(o, (whole + lane_id), …)
//! ```
//!
//! How many lanes are on there is a difference of bounds, for which no mask has to be counted.

use smallvec::smallvec;

use crate::specialise::ends_whole_groups;
use ir::entities::{EntityVec, Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Kernel, RegionData};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// Replaces the loops over peeled tails by branches; says whether there are any.
pub fn tail(kernel: &mut Kernel) -> bool {
    let mut tails = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        if is_tail(kernel, op) {
            tails.push((region, op));
        }
    });
    let mut new = EntityVec::filled(kernel.values.len(), None);
    for &(region, op) in &tails {
        let test = branch(kernel, op, &mut new);
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.insert(place, test);
    }
    if !tails.is_empty() {
        kernel.replace_uses(&new);
    }
    !tails.is_empty()
}

/// Says whether a loop upwards begins where whole groups have ended.
fn is_tail(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let control = kernel.control(op).filter(|control| data.code == Code::VectorFor && control.reductions.is_empty());
    let Some(width) = control.and_then(|control| control.width) else { return false };
    let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide).filter(|step| *step > 0);
    step.is_some_and(|step| {
        ends_whole_groups(kernel, data.operands[0], None, data.operands[1], step * i128::from(width))
    })
}

/// Makes a loop a branch; gives the op that its condition is.
fn branch(kernel: &mut Kernel, op: Op, new: &mut EntityVec<Value, Option<Value>>) -> Op {
    let data = kernel.ops[op].clone();
    let (lo, hi, inits) = (data.operands[0], data.operands[1], data.operands[3..].to_vec());
    let test = kernel.add_op(Code::Lt, Attr::None, smallvec![lo, hi], &[Type::scalar(Elem::Bool)], data.origin);
    let body = data.regions[0];
    for count in counts_of_lanes(kernel, op) {
        let data = &mut kernel.ops[count];
        (data.code, data.attr, data.operands) = (Code::WrappingSub, Attr::None, smallvec![hi, lo]);
    }
    let args = std::mem::take(&mut kernel.regions[body].args);
    for (&arg, init) in args.iter().zip([lo].into_iter().chain(inits.iter().copied())) {
        new[arg] = Some(init);
    }
    let otherwise = kernel.regions.push(RegionData { yields: inits.into(), ..RegionData::default() });
    let holds = kernel.ops[test].results[0];
    let marks = kernel.control(op).map(|control| control.marks.clone()).unwrap_or_default();
    let branch = &mut kernel.ops[op];
    branch.code = Code::If;
    branch.operands = smallvec![holds];
    branch.regions = [body, otherwise].into_iter().collect();
    branch.attr = Attr::Control(Box::new(Control { marks, ..Control::default() }));
    test
}

/// The ops inside of a loop over a tail that count its active lanes, where the index has the type of a count.
fn counts_of_lanes(kernel: &Kernel, op: Op) -> Vec<Op> {
    let data = &kernel.ops[op];
    let (hi, base) = (data.operands[1], kernel.regions[data.regions[0]].args[0]);
    let made = |value: Value, code: Code| {
        kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == code).map(|data| &data.operands)
    };
    let is_active = |mask: Value| {
        let bounds = made(mask, Code::Lt).filter(|bounds| bounds[1] == hi);
        let lanes = bounds.and_then(|bounds| made(bounds[0], Code::LaneIndex));
        lanes.is_some_and(|lanes| lanes[0] == base && kernel.as_const(lanes[1]) == Some(Scalar::I32(1)))
    };
    let mut counts = Vec::new();
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        let counts_all = data.code == Code::CountOn && data.operands.len() == 1;
        counts.extend((counts_all && is_active(data.operands[0])).then_some(inner));
    });
    counts
}
