//! Loop invariants: values that are the same in every iteration are computed before the loop.
//!
//! The loop may have no iteration, so only pure ops are moved: an op that may fail, reads memory or has an effect stays
//! behind the guard that the loop is. An op that moves out of an inner loop may move out of the outer one too. An op
//! that asks the active lanes stays, because other lanes are active before the loop; and a lane's number stays inside
//! of the `foreach` whose lanes it counts.

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;

/// Moves invariants out of loops.
pub fn hoist(kernel: &mut Kernel) -> bool {
    let mut hoister = Hoister { home: EntityVec::filled(kernel.values.len(), None), changed: false, kernel };
    hoister.region(hoister.kernel.body);
    hoister.changed
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
