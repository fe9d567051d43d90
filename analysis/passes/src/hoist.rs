//! Loop invariants: values that are the same in every iteration are computed before the loop.
//!
//! The loop may have no iteration, so only pure ops are moved: an op that may fail, reads memory or has an effect stays
//! behind the guard that the loop is. An op that moves out of an inner loop may move out of the outer one too. An op
//! that asks the active lanes stays, because other lanes are active before the loop; and a lane's number stays inside
//! of the `foreach` whose lanes it counts.
//!
//! Loops can only change places where nothing stands between them. So invariants that stand beside an inner loop, such as the `h - 1` of its range, go
//! before the outer one early, if they are all that is there: arithmetic that could fail goes, too, where its operands are known to
//! be no numbers that it fails for.

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, DimSize, Kernel};
use ir::range::ValueRange;
use ir::types::Elem;

/// Moves invariants out of loops.
pub fn hoist(kernel: &mut Kernel) -> bool {
    let mut hoister = Hoister { home: EntityVec::filled(kernel.values.len(), None), changed: false, kernel };
    hoister.region(hoister.kernel.body);
    hoister.changed
}

/// Moves invariants out of loops that hold another loop, and beside it nothing but invariants; says whether there are any.
pub(crate) fn hoist_from_nests(kernel: &mut Kernel) -> bool {
    let mut homes = Vec::new();
    kernel.walk(kernel.body, &mut |home, op| homes.push((home, op)));
    let mut changed = false;
    // What leaves an inner nest stands beside the loop of an outer one.
    for (home, outer) in homes.into_iter().rev() {
        let Some(inner) = loop_among_invariants(kernel, outer) else { continue };
        let body = kernel.ops[outer].regions[0];
        let mut beside = std::mem::replace(&mut kernel.regions[body].ops, vec![inner]);
        beside.retain(|&op| op != inner);
        let ops = &mut kernel.regions[home].ops;
        let place = ops.iter().position(|&op| op == outer).expect("the block lists the loop");
        changed |= !beside.is_empty();
        ops.splice(place..place, beside);
    }
    changed
}

/// The loop inside of another one, if the ops beside it need nothing of the outer one.
fn loop_among_invariants(kernel: &Kernel, outer: Op) -> Option<Op> {
    let data = &kernel.ops[outer];
    let block = &kernel.regions[*data.regions.first().filter(|_| data.code == Code::For)?];
    let inner = block.ops.iter().copied().find(|&op| kernel.ops[op].code == Code::For)?;
    let is_outside = |&value: &Value| kernel.def_op(value) != Some(inner) && !block.args.contains(&value);
    let is_invariant = |&op: &Op| {
        let data = &kernel.ops[op];
        !data.code.is_control() && cannot_fail(kernel, op) && data.operands.iter().all(is_outside)
    };
    block.ops.iter().filter(|&&op| op != inner).all(is_invariant).then_some(inner)
}

/// Says whether an op is pure, or arithmetic whose operands are known to be in a range that it does not fail for.
fn cannot_fail(kernel: &Kernel, op: Op) -> bool {
    match kernel.effect(op) {
        Effect::Pure => true,
        Effect::Fails => {
            let data = &kernel.ops[op];
            let is_sum = matches!(data.code, Code::Add | Code::Sub | Code::Mul);
            let room = data.results.first().and_then(|&result| ValueRange::of(kernel.ty(result).data_elem()?));
            let made = is_sum.then(|| range_made(kernel, op, DEPTH)).flatten();
            room.zip(made).is_some_and(|(room, made)| made.is_in(room))
        }
        _ => false,
    }
}

/// The most ops over which a range is followed back.
const DEPTH: u32 = 4;

/// The range of what arithmetic makes, without regard to its type.
fn range_made(kernel: &Kernel, op: Op, depth: u32) -> Option<ValueRange> {
    let data = &kernel.ops[op];
    let &[a, b] = &data.operands[..] else { return None };
    ValueRange::apply(data.code, range(kernel, a, depth)?, range(kernel, b, depth)?)
}

/// A range that an integer is known to be in: the size of an array is not negative.
fn range(kernel: &Kernel, value: Value, depth: u32) -> Option<ValueRange> {
    let elem = kernel.ty(value).data_elem().filter(|elem: &Elem| elem.is_integer())?;
    let all = ValueRange::of(elem)?;
    if let Some(known) = kernel.as_const(value) {
        return ValueRange::exactly(known);
    }
    if kernel.params.iter().any(|param| param.sizes.contains(&DimSize::Param(value))) {
        return ValueRange::new(0, all.hi);
    }
    if let Def::Arg(region, 0) = kernel.values[value].def {
        return Some(range_of_index(kernel, region, depth).unwrap_or(all));
    }
    let made = kernel
        .def_op(value)
        .filter(|&op| depth > 0 && matches!(kernel.ops[op].code, Code::Add | Code::Sub | Code::Mul));
    let made = made.and_then(|op| range_made(kernel, op, depth - 1));
    Some(made.filter(|made| made.is_in(all)).unwrap_or(all))
}

/// The range of the index of a `for` upwards, by its block: the last one is below the bound.
fn range_of_index(kernel: &Kernel, block: Region, depth: u32) -> Option<ValueRange> {
    let mut owner = None;
    kernel.walk(kernel.body, &mut |_, op| {
        owner = owner.or(Some(op).filter(|&op| kernel.ops[op].regions.first() == Some(&block)));
    });
    let data = &kernel.ops[owner?];
    let goes_up = data.code == Code::For && kernel.as_const(data.operands[2])?.wide()? > 0;
    let bounds = data.operands.first().zip(data.operands.get(1)).filter(|_| goes_up && depth > 0);
    let (lo, hi) = bounds.map(|(&lo, &hi)| (range(kernel, lo, depth - 1), range(kernel, hi, depth - 1)))?;
    ValueRange::new(lo?.lo, hi?.hi - 1)
}

struct Hoister<'k> {
    kernel: &'k mut Kernel,
    /// The region that each value is made in, once it has been met.
    home: EntityVec<Value, Option<Region>>,
    changed: bool,
}

impl Hoister<'_> {
    fn region(&mut self, region: Region) {
        for &arg in &self.kernel.regions[region].args {
            self.home[arg] = Some(region);
        }
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            let inner = self.kernel.ops[op].regions.clone();
            inner.iter().for_each(|&inner| self.region(inner));
            if !inner.is_empty() && self.kernel.ops[op].code != Code::If {
                self.take_invariants(op, region, &mut kept);
            }
            self.keep(op, region, &mut kept);
        }
        self.kernel.regions[region].ops = kept;
    }

    /// Puts an op at the end of a region.
    fn keep(&mut self, op: Op, region: Region, kept: &mut Vec<Op>) {
        for &result in &self.kernel.ops[op].results {
            self.home[result] = Some(region);
        }
        kept.push(op);
    }

    /// Moves the invariants of a loop to the end of the region around it.
    fn take_invariants(&mut self, of: Op, outer: Region, kept: &mut Vec<Op>) {
        let inner = &self.kernel.ops[of].regions.clone();
        for &region in inner {
            let ops = std::mem::take(&mut self.kernel.regions[region].ops);
            let mut stay = Vec::with_capacity(ops.len());
            for op in ops {
                if self.is_invariant(op, of, inner) {
                    self.changed = true;
                    self.keep(op, outer, kept);
                } else {
                    stay.push(op);
                }
            }
            self.kernel.regions[region].ops = stay;
        }
    }

    /// Says whether an op gives the same in each iteration of a loop, whose regions are `inner`, and before it.
    fn is_invariant(&self, op: Op, of: Op, inner: &[Region]) -> bool {
        let data = &self.kernel.ops[op];
        let is_number = data.code == Code::LaneId && self.kernel.lanes_of_foreach(of).is_some();
        if is_number || self.kernel.asks_active_lanes(op) {
            return false;
        }
        let outside = |value: &Value| self.home[*value].is_none_or(|home| !inner.contains(&home));
        !data.code.is_control() && self.kernel.effect(op) == Effect::Pure && data.operands.iter().all(outside)
    }
}
