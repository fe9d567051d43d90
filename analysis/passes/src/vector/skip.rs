//! Branches around a side that perhaps no lane takes: made where running the side for nothing costs more than a
//! mispredicted branch.
//!
//! A side under a mask runs for nothing if no lane is in it. To test for that is cheap, but where groups with such a
//! lane and groups without one alternate, the processor mispredicts the branch and starts again. Running for nothing also takes the time
//! of the lines of memory that nothing else of the loop comes to:
//!
//! ```text
//! if d[i] <= 0:
//!     a[i] += b[i] * c[i]         c's lines, and no others: the rest of the loop goes through a and b as well
//! else:
//!     a[i] += b[i] * b[i]
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::wrapping;
use crate::Context;
use crate::cost::{self, Counter};
use crate::decision::{Decision, Said};
use facts::loops::Carried;
use facts::{Class, Facts};
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
    let mut branches = Vec::new();
    kernel.walk_inside(op, &mut |inner| branches.extend(Some(inner).filter(|&inner| parts(inner))));
    if branches.is_empty() {
        return FxHashSet::default();
    }
    let counter = Counter::in_lanes_of(kernel, target, facts, op, carried);
    let Some(walk) = counter.inside_of_lanes(op, lanes) else { return FxHashSet::default() };
    let all: Vec<Touched> = kernel.ops[op].regions.iter().flat_map(|&body| touched(kernel, facts, body)).collect();
    let walked = by_row(&all);
    let mut skipped = FxHashSet::default();
    for branch in branches {
        for &side in &kernel.ops[branch].regions {
            let own = touched(kernel, facts, side);
            let of_side = by_row(&own);
            let is_own = |it: &&Touched| it.row.is_none_or(|row| of_side.get(&row) == walked.get(&row));
            let lines = own.iter().filter(is_own).map(|it| walk.lines(it.block, it.op));
            let cost = lines.fold(walk.block_in_cache(side), u64::saturating_add);
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

/// An access outside of loops inside.
struct Touched {
    op: Op,
    block: Region,
    /// The array along which lanes go, where their cells lie side by side.
    row: Option<Value>,
}

/// The accesses of a block and of branches in it.
fn touched(kernel: &Kernel, facts: &Facts, block: Region) -> Vec<Touched> {
    let mut found = Vec::new();
    for &op in &kernel.regions[block].ops {
        let data = &kernel.ops[op];
        if data.code == Code::If {
            found.extend(data.regions.iter().flat_map(|&side| touched(kernel, facts, side)));
        }
        found.extend(facts.access(op).map(|access| {
            let is_row = !matches!(access.class, Class::Strided | Class::Gather | Class::Scatter);
            Touched { op, block, row: is_row.then(|| kernel.root(data.operands[0])) }
        }));
    }
    found
}

/// The number of accesses to each row.
fn by_row(all: &[Touched]) -> FxHashMap<Value, usize> {
    let mut counts = FxHashMap::default();
    all.iter().filter_map(|it| it.row).for_each(|row| *counts.entry(row).or_default() += 1);
    counts
}

/// The branches inside of a loop that its lanes are said to take together.
pub(super) struct Together {
    /// The sides that do something. Each is branched around where no lane takes it.
    pub(super) sides: Vec<Region>,
    /// Those whose sides are computed without masks as well, for when all lanes take one: masks cost something there.
    pub(super) unmasked: FxHashSet<Op>,
}

impl Together {
    /// Finds them in a loop whose iterations become lanes.
    ///
    /// What is computed from values alone is the same op with and without a mask, and so is a gather or what is loaded once for all lanes:
    /// to have these twice is code and no gain. Accesses to rows need a mask, or a loop over the lanes on targets without masks.
    pub(super) fn find(kernel: &Kernel, facts: &Facts, op: Op) -> Together {
        let mut found = Together { sides: Vec::new(), unmasked: FxHashSet::default() };
        let has_rows = |op: Op| {
            let class = facts.access(op).map(|access| access.class);
            class.is_some_and(|class| !matches!(class, Class::Broadcast | Class::Gather | Class::Scatter))
        };
        kernel.walk_inside(op, &mut |branch| {
            let data = &kernel.ops[branch];
            let is_told = data.attr.as_control().is_some_and(|control| control.marks.coherent);
            if data.code != Code::If || !is_told || facts.shape(data.operands[0]).is_uniform() {
                return;
            }
            found.sides.extend(data.regions.iter().filter(|&&side| !kernel.regions[side].ops.is_empty()));
            let mut pays = false;
            kernel.walk_inside(branch, &mut |inner| pays |= has_rows(inner));
            if pays {
                found.unmasked.insert(branch);
            }
        });
        found
    }
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
