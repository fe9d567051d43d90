//! Versions: a nest of loops and a copy of it behind a test, of which one runs.

use super::trial::Trial;
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel, Marks, OpData, RegionData};
use ir::types::Type;

/// The cost of a version of a nest that has lanes, as a share of the nest's, in per cent; `None` if it has none, if that is not little enough,
/// or if lanes along a loop around, of which `around` are those over ranges, need the nest as it is.
pub(super) fn share_with_lanes(trial: &Trial<'_>, (nest, around): (Op, &[Op]), version: Op) -> Option<i128> {
    let (before, after) = (&trial.before, &trial.after);
    if around.iter().any(|&outer| before.choice().takes(outer) && before.in_lanes(outer).is_some()) {
        return None;
    }
    let forest = &after.loops().forest;
    let is_inside = |&&op: &&Op| op == version || forest.encloses(version, op);
    let mut taken = after.choice().loops.iter().filter(is_inside);
    taken.any(|&op| after.in_lanes(op).is_some()).then_some(())?;
    Some(trial.share(nest, &[version])).filter(|percent| *percent <= trial.costs().split_share.into())
}

/// Puts a branch in the place of a nest, with the nest on one side and a copy on the other; the first side is that where the condition
/// holds. `made` are the ops that compute the condition, which go before the branch.
pub(super) fn branch_between(
    kernel: &mut Kernel,
    home: Region,
    nest: Op,
    sides: [Op; 2],
    (condition, mut made): (Value, Vec<Op>),
    marks: Marks,
) {
    let origin = kernel.ops[nest].origin;
    let results = std::mem::take(&mut kernel.ops[nest].results);
    let own: Vec<Type> = results.iter().map(|&result| kernel.ty(result)).collect();
    for (number, &ty) in own.iter().enumerate() {
        let result = kernel.add_value(ty, Def::Result(nest, number as u32), None);
        kernel.ops[nest].results.push(result);
    }
    let sides = sides.map(|side| {
        let yields = kernel.ops[side].results.iter().copied().collect();
        kernel.regions.push(RegionData { ops: vec![side], yields, ..RegionData::default() })
    });
    // The branch defines the results that the nest defined.
    let branch = kernel.ops.push(OpData {
        code: Code::If,
        attr: Attr::Control(Box::new(Control { marks, ..Control::default() })),
        operands: [condition].into_iter().collect(),
        results: results.clone(),
        regions: sides.into_iter().collect(),
        origin,
    });
    for (number, &result) in results.iter().enumerate() {
        kernel.values[result].def = Def::Result(branch, number as u32);
    }
    made.push(branch);
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == nest).expect("the block lists the loop");
    ops.splice(place..=place, made);
}
