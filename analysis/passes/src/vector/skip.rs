//! Branches around a side that perhaps no lane takes: made where running the side for nothing costs more than a
//! mispredicted branch.
//!
//! A side under a mask runs for nothing if no lane is in it. To test for that is cheap, but where groups with such a
//! lane and groups without one alternate, the processor mispredicts the branch and starts again.

use rustc_hash::FxHashSet;

use super::wrapping;
use crate::Context;
use crate::cost::{self, Counter};
use crate::decision::{Decision, Said};
use facts::Facts;
use facts::loops::{Carried, CarriedRole};
use ir::codes::ReasonCode;
use ir::entities::{Op, Region, Value};
use ir::interp;
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use ir::scalar::Scalar;

/// The sides, of branches inside of a loop whose lanes may part, that are branched around.
pub(super) fn sides(
    kernel: &Kernel,
    facts: &Facts,
    carried: &[Carried],
    op: Op,
    lanes: u16,
    context: &mut Context,
) -> FxHashSet<Region> {
    let target = context.options.target;
    let price = cost::unit(target.costs.missed_branch);
    let parts = |branch: Op| {
        let data = &kernel.ops[branch];
        let is_told = data.attr.as_control().is_some_and(|control| control.marks.coherent);
        data.code == Code::If && !is_told && !facts.shape(data.operands[0]).is_uniform()
    };
    let (mut branches, mut accesses) = (Vec::new(), Vec::new());
    kernel.walk_inside(op, &mut |inner| {
        branches.extend(Some(inner).filter(|&inner| parts(inner)));
        accesses.extend(facts.access(inner).map(|access| access.op));
    });
    if branches.is_empty() {
        return FxHashSet::default();
    }
    let counts = |subscript: &Value| {
        let role = carried.iter().find(|value| value.arg == *subscript).map(|value| value.role);
        matches!(role, Some(CarriedRole::Compress | CarriedRole::Expand))
    };
    let packs = |access: &Op| kernel.ops[*access].operands.get(1).is_some_and(counts);
    let packed = accesses.into_iter().filter(packs).collect();
    let counter = Counter::in_lanes_of(kernel, target, facts, op, packed);
    let Some(walk) = counter.inside_of_lanes(op, lanes) else { return FxHashSet::default() };
    let mut skipped = FxHashSet::default();
    for branch in branches {
        for &side in &kernel.ops[branch].regions {
            let cost = walk.block(side);
            let percent: Said = (i128::from(cost) * 100 / i128::from(price.max(1))).into();
            let because =
                vec!["to run a side that no lane takes costs".into(), percent, "% of a mispredicted branch".into()];
            let origin = kernel.ops[branch].origin;
            if cost > price {
                skipped.insert(side);
                context.decide(Decision::taken(origin, ReasonCode::BranchAround, because));
            } else if cost > price / 2 {
                context.decide(Decision::left(origin, ReasonCode::BranchAround, because));
            }
        }
    }
    skipped
}

/// Adds the blocks, in one and with it, that need an active lane to run: because a scalar op in them may fail, or because they have
/// a loop. Says whether the block itself is one.
pub(super) fn needing_a_lane(kernel: &Kernel, facts: &Facts, block: Region, found: &mut FxHashSet<Region>) -> bool {
    let mut needs = false;
    for &op in &kernel.regions[block].ops {
        let data = &kernel.ops[op];
        let uniform = data.operands.iter().all(|&value| facts.shape(value).is_uniform());
        let fails = || kernel.effect(op) != Effect::Pure && wrapping(data.code).is_none() && !is_known(kernel, op);
        let scalar = uniform && fails();
        needs |=
            scalar || matches!(data.code, Code::For | Code::While | Code::Assert | Code::AssertSize | Code::AssertSome);
        for &inner in &data.regions {
            needs |= needing_a_lane(kernel, facts, inner, found);
        }
    }
    if needs {
        found.insert(block);
    }
    needs
}

/// Says whether an op computes a constant from constants, as loops do that were unrolled.
fn is_known(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let scalars: Option<Vec<Scalar>> = data.operands.iter().map(|&value| kernel.as_const(value)).collect();
    let scalars = scalars.filter(|_| data.code.is_elementwise());
    scalars
        .and_then(|scalars| interp::evaluate(data.code, &data.attr, &scalars))
        .is_some_and(|computed| computed.is_ok())
}
