//! Active lanes: a mask that compares the indices of a group of lanes with a bound is computed from the number of indices that
//! are left.
//!
//! ```text
//! ((i + lane_id) < n)      active_lanes(i, n)
//! ```
//!
//! That takes one subtraction of scalars, whose result every lane compares with its own number. Indices of one and two bytes fill
//! fewer registers than lane numbers do, so there the comparison stays.

use ir::entities::Op;
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::scalar::Scalar;

/// Replaces comparisons of lane indices with a bound; says whether there are any.
pub fn active_lanes(kernel: &mut Kernel) -> bool {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if let Some(change) = active(kernel, op) {
            found.push((op, change));
        }
    });
    for (op, (lanes, operands)) in &found {
        let data = &mut kernel.ops[*op];
        (data.code, data.attr, data.operands) = (Code::ActiveLanes, Attr::Lanes(*lanes), operands.clone());
    }
    !found.is_empty()
}

/// The lanes of a comparison of neighbouring indices with a bound; the first index and the bound.
fn active(kernel: &Kernel, op: Op) -> Option<(u16, Values)> {
    let data = &kernel.ops[op];
    let (index, bound) = match (data.code, &data.operands[..]) {
        (Code::Lt, &[index, bound]) | (Code::Gt, &[bound, index]) => (index, bound),
        _ => return None,
    };
    let lanes = kernel.ty(index).lanes()?;
    let of_index = &kernel.ops[kernel.def_op(index)?];
    let is_wide = kernel.ty(index).data_elem().is_some_and(|elem| elem.bytes() >= 4);
    if of_index.code != Code::LaneIndex || kernel.ty(bound).lanes().is_some() || !is_wide {
        return None;
    }
    let step = kernel.as_const(of_index.operands[1]).and_then(Scalar::wide);
    (step == Some(1)).then(|| (lanes, Values::from_slice(&[of_index.operands[0], bound])))
}
