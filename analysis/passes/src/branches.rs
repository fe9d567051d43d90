//! Neighbouring branches on one condition become one branch.
//!
//! ```text
//! let a = if none(rare):               let a, c = if none(rare):
//!     yield x                              let y = x + 1.0
//! else:                                    yield x, y
//!     let z = slow(x)                  else:
//!     yield z                      =>      let z = slow(x)
//! let y = x + 1.0                          let y_1 = x + 1.0
//! let c = if none(rare):                   ...
//!     yield y
//! else: ...
//! ```
//!
//! Functions that test for the same rare case, such as the sine and the cosine of an angle, then test for it once, and elimination of common
//! subexpressions finds what they share behind the test. The later branch moves up to the earlier one, which is possible
//! when all between them is pure and what it needs of that does not need the earlier one. Where lanes run together, in a `foreach` in
//! lanes, some of them take one side and some the other, one side after the other; there the order of all that has effects
//! would change, and nothing is merged.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel};

/// Merges branches on one condition.
pub fn merge_branches(kernel: &mut Kernel) -> bool {
    let mut merger = Merger { effects: kernel.effects_of_ops(), kernel, changed: false };
    merger.region(merger.kernel.body);
    merger.changed
}

struct Merger<'k> {
    kernel: &'k mut Kernel,
    /// The effect of each op; a merged branch has those of both.
    effects: EntityVec<Op, Effect>,
    changed: bool,
}

impl Merger<'_> {
    /// Merges the branches of a region, and then those inside of its ops, which merging may have brought together.
    fn region(&mut self, region: Region) {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept: Vec<Op> = Vec::with_capacity(ops.len());
        // The last branch on each condition, as a position in `kept`, and the position behind the last op that is not pure.
        let mut last: FxHashMap<Value, usize> = FxHashMap::default();
        let mut behind_effects = 0;
        for op in ops {
            let condition = self.condition(op);
            let earlier = condition.and_then(|condition| last.get(&condition).copied());
            // The earlier branch itself may have effects, which stay before those of the later one.
            if let Some(at) = earlier.filter(|&at| behind_effects <= at + 1)
                && let Some(needed) = self.needed_between(&kept[at..], op)
            {
                self.merge(kept[at], op);
                let (before, stay): (Vec<Op>, Vec<Op>) = kept.drain(at + 1..).partition(|op| needed.contains(op));
                let branch = kept.pop();
                kept.extend(before);
                kept.extend(branch);
                behind_effects = behind_effects.max(kept.len());
                kept.extend(stay);
                for (n, &op) in kept.iter().enumerate().skip(at) {
                    last.extend(self.condition(op).map(|condition| (condition, n)));
                }
                self.changed = true;
                continue;
            }
            last.extend(condition.map(|condition| (condition, kept.len())));
            kept.push(op);
            if self.effects[op] != Effect::Pure {
                behind_effects = kept.len();
            }
        }
        let inner = kept.iter().filter(|&&op| self.kernel.lanes_of_foreach(op).is_none());
        let inner: Vec<Region> = inner.flat_map(|&op| self.kernel.ops[op].regions.clone()).collect();
        self.kernel.regions[region].ops = kept;
        inner.into_iter().for_each(|inner| self.region(inner));
    }

    /// The condition of a branch.
    fn condition(&self, op: Op) -> Option<Value> {
        let data = &self.kernel.ops[op];
        (data.code == Code::If && data.regions.len() == 2).then(|| data.operands[0])
    }

    /// The ops behind a branch, the first of `ops`, that a later one needs; `None` if they need the branch themselves.
    fn needed_between(&self, ops: &[Op], later: Op) -> Option<FxHashSet<Op>> {
        let mut values = FxHashSet::default();
        self.for_each_use(later, &mut |value| _ = values.insert(value));
        let mut needed = FxHashSet::default();
        let mut values_of_needed = FxHashSet::default();
        for &op in ops[1..].iter().rev() {
            let is_needed = |value: &Value| values.contains(value) || values_of_needed.contains(value);
            if self.kernel.ops[op].results.iter().any(is_needed) {
                needed.insert(op);
                self.for_each_use(op, &mut |value| _ = values_of_needed.insert(value));
            }
        }
        let of_branch = &self.kernel.ops[ops[0]].results;
        (!of_branch.iter().any(|value| values_of_needed.contains(value))).then_some(needed)
    }

    /// Calls `visit` on the values that an op uses, itself and in its regions.
    fn for_each_use(&self, op: Op, visit: &mut dyn FnMut(Value)) {
        let data = &self.kernel.ops[op];
        data.operands.iter().for_each(|&value| visit(value));
        for &region in &data.regions {
            let inner = &self.kernel.regions[region];
            inner.ops.iter().for_each(|&op| self.for_each_use(op, visit));
            inner.yields.iter().for_each(|&value| visit(value));
        }
    }

    /// Puts a later branch behind an earlier one, side by side. On each side the results of the earlier branch are what it yields there.
    fn merge(&mut self, earlier: Op, later: Op) {
        self.effects[earlier] = self.effects[earlier].max(self.effects[later]);
        let results = self.kernel.ops[earlier].results.clone();
        let sides: Vec<(Region, Region)> = {
            let (to, from) = (&self.kernel.ops[earlier].regions, &self.kernel.ops[later].regions);
            to.iter().copied().zip(from.iter().copied()).collect()
        };
        for (to, from) in sides {
            let yields = self.kernel.regions[to].yields.clone();
            let known: FxHashMap<Value, Value> = results.iter().copied().zip(yields).collect();
            self.replace_in(from, &known);
            let (ops, yields) = {
                let from = &mut self.kernel.regions[from];
                (std::mem::take(&mut from.ops), std::mem::take(&mut from.yields))
            };
            let to = &mut self.kernel.regions[to];
            to.ops.extend(ops);
            to.yields.extend(yields);
        }
        let moved = std::mem::take(&mut self.kernel.ops[later].results);
        self.kernel.ops[later].regions.clear();
        for value in moved {
            let number = self.kernel.ops[earlier].results.len() as u32;
            self.kernel.values[value].def = Def::Result(earlier, number);
            self.kernel.ops[earlier].results.push(value);
        }
    }

    /// Replaces values in a region and in what is inside of it.
    fn replace_in(&mut self, region: Region, known: &FxHashMap<Value, Value>) {
        let by = |value: &mut Value| *value = known.get(value).copied().unwrap_or(*value);
        self.kernel.regions[region].yields.iter_mut().for_each(by);
        for op in self.kernel.regions[region].ops.clone() {
            self.kernel.ops[op].operands.iter_mut().for_each(by);
            for inner in self.kernel.ops[op].regions.clone() {
                self.replace_in(inner, known);
            }
        }
    }
}

/// Says whether a later branch gives what an earlier one gives, on both sides, and does nothing else. Values are compared by how they
/// are computed, so that it does not matter where on the way.
pub(super) fn are_equal(kernel: &Kernel, earlier: Op, later: Op) -> bool {
    let mut equality = Equality { kernel, known: FxHashMap::default(), compared: FxHashSet::default() };
    let n_results = kernel.ops[earlier].results.len();
    n_results == kernel.ops[later].results.len()
        && (0..n_results).all(|n| equality.of_results(earlier, later, n))
        && equality.has_compared_all_effects(later)
}

struct Equality<'k> {
    kernel: &'k Kernel,
    known: FxHashMap<(Value, Value), bool>,
    /// The ops of the later branch that were compared.
    compared: FxHashSet<Op>,
}

impl Equality<'_> {
    fn of_values(&mut self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let equal = match (self.kernel.values[a].def, self.kernel.values[b].def) {
            (Def::Result(of_a, n), Def::Result(of_b, other)) => n == other && self.of_ops(of_a, of_b, n as usize),
            _ => false,
        };
        self.known.insert((a, b), equal);
        equal
    }

    fn of_ops(&mut self, a: Op, b: Op, n: usize) -> bool {
        let (of_a, of_b) = (&self.kernel.ops[a], &self.kernel.ops[b]);
        if of_a.code != of_b.code || of_a.attr != of_b.attr || of_a.operands.len() != of_b.operands.len() {
            return false;
        }
        let is_branch = of_a.code == Code::If && of_a.regions.len() == 2 && of_b.regions.len() == 2;
        let may_be_shared = !of_a.code.is_control()
            && !matches!(of_a.code, Code::Temp | Code::Unknown)
            && !self.kernel.asks_active_lanes(a)
            && self.kernel.effect(a) <= Effect::Fails;
        let operands: Vec<_> = of_a.operands.iter().copied().zip(of_b.operands.iter().copied()).collect();
        self.compared.insert(b);
        (is_branch || may_be_shared)
            && operands.into_iter().all(|(a, b)| self.of_values(a, b))
            && (!is_branch || self.of_results(a, b, n))
    }

    /// Compares what two branches on one condition yield as a result.
    fn of_results(&mut self, a: Op, b: Op, n: usize) -> bool {
        let yields = |op: Op, side: usize| self.kernel.regions[self.kernel.ops[op].regions[side]].yields[n];
        let sides = [0, 1].map(|side| (yields(a, side), yields(b, side)));
        sides.into_iter().all(|(a, b)| self.of_values(a, b))
    }

    /// Ops that may fail or touch memory all made part of what was compared.
    fn has_compared_all_effects(&self, op: Op) -> bool {
        let regions = &self.kernel.ops[op].regions;
        regions.iter().flat_map(|&region| &self.kernel.regions[region].ops).all(|&inner| {
            let done = self.kernel.effect(inner) == Effect::Pure || self.compared.contains(&inner);
            done && self.has_compared_all_effects(inner)
        })
    }
}
