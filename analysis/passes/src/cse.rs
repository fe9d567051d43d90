//! Common subexpression elimination: a value that is computed again from the same operands is computed once.
//!
//! An op replaces a later equal one if it is in scope there: then it has run, and if it could fail it has not. Ops that read
//! memory are left alone, and so are ops that make something new each time. An op that depends on the active lanes replaces
//! an equal one in the same block only: in another block other lanes are active.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::branches::are_equal;
use super::{Replacements, replace, replaced};
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, Values};
use ir::types::Type;

/// Eliminates common subexpressions: an op that computes a value again is replaced by the first one.
pub fn cse(kernel: &mut Kernel) -> bool {
    let mut sharer = Sharer {
        new: EntityVec::filled(kernel.values.len(), None),
        known: FxHashMap::default(),
        in_scope: Vec::new(),
        effects: kernel.effects_of_ops(),
        changed: false,
        kernel,
    };
    sharer.region(sharer.kernel.body);
    sharer.changed
}

/// The key of a result: all that it depends on. The region is part of it only for ops that ask the lanes active there.
type Key = (Code, Attr, Values, SmallVec<[Type; 1]>, Option<Region>);

struct Sharer<'k> {
    kernel: &'k mut Kernel,
    new: Replacements,
    known: FxHashMap<Key, Op>,
    /// The keys of `known`, in the order they came into scope.
    in_scope: Vec<Key>,
    /// The effects of the ops. Nothing that reads or writes memory is eliminated, so whether an op does so stands.
    effects: EntityVec<Op, Effect>,
    changed: bool,
}

impl Sharer<'_> {
    fn region(&mut self, region: Region) {
        let scope = self.in_scope.len();
        self.open_region(region);
        self.leave(scope);
    }

    fn leave(&mut self, scope: usize) {
        for key in self.in_scope.drain(scope..) {
            self.known.remove(&key);
        }
    }

    /// A region, whose values stay in scope.
    fn open_region(&mut self, region: Region) {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            for operand in &mut self.kernel.ops[op].operands {
                *operand = replaced(&self.new, *operand);
            }
            match self.equal_before(op, region) {
                Some(before) => self.share(op, before),
                None => {
                    self.inner_regions(op);
                    self.share_results(op);
                    match self.equal_branch_before(op) {
                        Some(before) => self.share(op, before),
                        None => kept.push(op),
                    }
                }
            }
        }
        let data = &mut self.kernel.regions[region];
        data.ops = kept;
        data.yields.iter_mut().for_each(|value| *value = replaced(&self.new, *value));
    }

    fn inner_regions(&mut self, op: Op) {
        match (self.kernel.ops[op].code, &self.kernel.ops[op].regions.clone()[..]) {
            // The body of a `while` sees what its test made.
            (Code::While, &[test, body]) => {
                let scope = self.in_scope.len();
                self.open_region(test);
                self.region(body);
                self.leave(scope);
            }
            (_, regions) => regions.iter().for_each(|&region| self.region(region)),
        }
    }

    /// A branch in scope that gave the same.
    fn equal_branch_before(&mut self, op: Op) -> Option<Op> {
        let data = &self.kernel.ops[op];
        let is_branch = data.code == Code::If && data.regions.len() == 2 && !data.results.is_empty();
        if !is_branch || self.effects[op] > Effect::Fails {
            return None;
        }
        let types = data.results.iter().map(|&value| self.kernel.ty(value)).collect();
        let key = (data.code, data.attr.clone(), data.operands.clone(), types, None);
        match self.known.get(&key) {
            Some(&before) => are_equal(self.kernel, before, op).then_some(before),
            None => {
                self.known.insert(key.clone(), op);
                self.in_scope.push(key);
                None
            }
        }
    }

    /// Results of a branch that are the same on both sides are one.
    fn share_results(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (Code::If, &[yes, no]) = (data.code, &data.regions[..]) else { return };
        let mut n = 1;
        while n < self.kernel.ops[op].results.len() {
            let column = |n: usize| (self.kernel.regions[yes].yields[n], self.kernel.regions[no].yields[n]);
            let Some(same) = (0..n).find(|&before| column(before) == column(n)) else {
                n += 1;
                continue;
            };
            let old = self.kernel.ops[op].results.remove(n);
            let by = self.kernel.ops[op].results[same];
            for region in [yes, no] {
                self.kernel.regions[region].yields.remove(n);
            }
            for number in n..self.kernel.ops[op].results.len() {
                let moved = self.kernel.ops[op].results[number];
                self.kernel.values[moved].def = Def::Result(op, number as u32);
            }
            replace(self.kernel, &mut self.new, old, by);
            self.changed = true;
        }
    }

    /// An op in scope that made the same; if there is none, this one is from now on.
    fn equal_before(&mut self, op: Op, region: Region) -> Option<Op> {
        let data = &self.kernel.ops[op];
        let makes_new = data.code.is_control() || matches!(data.code, Code::Temp | Code::Unknown);
        if makes_new || self.kernel.effect(op) > Effect::Fails {
            return None;
        }
        let mut operands = data.operands.clone();
        if commutes(data.code) {
            operands.sort();
        }
        let types = data.results.iter().map(|&value| self.kernel.ty(value)).collect();
        let asked_in = self.kernel.asks_active_lanes(op).then_some(region);
        let key = (data.code, data.attr.clone(), operands, types, asked_in);
        if let Some(&before) = self.known.get(&key) {
            return Some(before);
        }
        self.known.insert(key.clone(), op);
        self.in_scope.push(key);
        None
    }

    fn share(&mut self, op: Op, before: Op) {
        self.changed = true;
        let results: Vec<(Value, Value)> = {
            let (old, by) = (&self.kernel.ops[op].results, &self.kernel.ops[before].results);
            old.iter().copied().zip(by.iter().copied()).collect()
        };
        for (old, by) in results {
            replace(self.kernel, &mut self.new, old, by);
        }
    }
}

/// Says whether the order of an op's operands does not matter, to any bit.
fn commutes(code: Code) -> bool {
    matches!(
        code,
        Code::Add
            | Code::Mul
            | Code::WrappingAdd
            | Code::WrappingMul
            | Code::And
            | Code::Or
            | Code::Xor
            | Code::Eq
            | Code::Ne
    )
}
