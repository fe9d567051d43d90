//! Common subexpression elimination: a value that is computed again from the same operands is computed once.
//!
//! An op replaces a later equal one if it is in scope there: then it has run, and if it could fail it has not. Ops that read
//! memory are left alone, and so are ops that make something new each time. An op that depends on the active lanes replaces
//! an equal one in the same block only: in another block other lanes are active.
//!
//! Slices with the same bounds of dimensions that are declared to be as large have the same size, so that what is computed
//! from rows of several arrays compares their sizes once.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::branches::are_equal;
use super::{Replacements, replace, replaced};
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, DimSize, Kernel, OpData};
use ir::types::Type;

/// Eliminates common subexpressions: an op that computes a value again is replaced by the first one.
pub fn cse(kernel: &mut Kernel) -> bool {
    let mut sharer = Sharer {
        new: EntityVec::filled(kernel.values.len(), None),
        last: FxHashMap::with_capacity_and_hasher(kernel.ops.len(), FxBuildHasher),
        in_scope: Vec::with_capacity(kernel.ops.len()),
        effects: kernel.effects_of_ops(),
        changed: false,
        kernel,
    };
    sharer.open_region(sharer.kernel.body);
    sharer.changed
}

/// The hash of all that a result depends on.
type Key = u64;

/// An op in scope. The region is part of what it depends on only if it asks the lanes active there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    op: Op,
    asked_in: Option<Region>,
}

/// An op in scope, with the place of the last one before it that has the same key.
#[derive(Debug, Clone, Copy)]
struct InScope {
    key: Key,
    known: Known,
    before: Option<u32>,
}

struct Sharer<'k> {
    kernel: &'k mut Kernel,
    new: Replacements,
    /// The place of the last op in scope that has a key.
    last: FxHashMap<Key, u32>,
    /// The ops in scope, in the order in which they came there.
    in_scope: Vec<InScope>,
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
        for InScope { key, before, .. } in self.in_scope.drain(scope..).rev() {
            match before {
                Some(before) => _ = self.last.insert(key, before),
                None => _ = self.last.remove(&key),
            }
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
        let before = self.known_or_put(Known { op, asked_in: None })?;
        are_equal(self.kernel, before, op).then_some(before)
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
        let asked_in = self.kernel.asks_active_lanes(op).then_some(region);
        self.known_or_put(Known { op, asked_in })
    }

    /// An op in scope that depends on the same; if there is none, this one is in scope from now on.
    fn known_or_put(&mut self, new: Known) -> Option<Op> {
        let key = self.key(new);
        let before = self.last.get(&key).copied();
        let with_key = std::iter::successors(before, |&at| self.in_scope[at as usize].before);
        let mut known = with_key.map(|at| self.in_scope[at as usize].known);
        if let Some(same) = known.find(|known| depend_on_the_same(self.kernel, *known, new)) {
            return Some(same.op);
        }
        self.last.insert(key, self.in_scope.len() as u32);
        self.in_scope.push(InScope { key, known: new, before });
        None
    }

    fn key(&self, Known { op, asked_in }: Known) -> Key {
        let data = &self.kernel.ops[op];
        let mut hasher = FxHasher::default();
        if let Some(size) = Measured::by(self.kernel, op) {
            (data.code, size.slices).hash(&mut hasher);
            return hasher.finish();
        }
        (data.code, &data.attr, asked_in).hash(&mut hasher);
        match data.operands[..] {
            [a, b] if commutes(data.code) => (a.min(b), a.max(b)).hash(&mut hasher),
            ref operands => operands.hash(&mut hasher),
        }
        data.results.iter().for_each(|&value| self.kernel.ty(value).hash(&mut hasher));
        hasher.finish()
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

/// The dimension whose size an op asks for.
struct Measured {
    /// The bounds and the step of each slice that was made along it, the last one first.
    slices: SmallVec<[Value; 6]>,
    /// What the first of them was made of, and the number of the dimension there.
    view: Value,
    dim: usize,
}

impl Measured {
    fn by(kernel: &Kernel, op: Op) -> Option<Measured> {
        let data = &kernel.ops[op];
        let (Code::Size, &Attr::Number(dim)) = (data.code, &data.attr) else { return None };
        let mut measured = Measured { slices: SmallVec::new(), view: data.operands[0], dim: dim as usize };
        while let Some(part) = kernel.def_op(measured.view).map(|op| &kernel.ops[op]) {
            match (part.code, &part.attr) {
                (Code::Slice, &Attr::Number(along)) if along as usize == measured.dim => {
                    measured.slices.extend_from_slice(&part.operands[1..]);
                }
                (Code::Slice, _) => {}
                // The dimensions behind those of the array are the field's own.
                (Code::Field, _) if measured.dim < kernel.ty(part.operands[0]).rank().into() => {}
                (Code::Row, &Attr::Number(along)) => measured.dim += usize::from(measured.dim >= along as usize),
                _ => break,
            }
            measured.view = part.operands[0];
        }
        Some(measured)
    }

    /// Says whether both sizes are the same: slices alike of one dimension, or of two that are declared to be as large.
    fn is_the_same(&self, other: &Measured, kernel: &Kernel) -> bool {
        let declared = |size: &Measured| {
            let param = kernel.params.iter().find(|param| param.value == size.view)?;
            param.sizes.get(size.dim).filter(|size| **size != DimSize::Own)
        };
        self.slices == other.slices
            && ((self.view, self.dim) == (other.view, other.dim)
                || declared(self).is_some_and(|size| declared(other) == Some(size)))
    }
}

fn depend_on_the_same(kernel: &Kernel, a: Known, b: Known) -> bool {
    let [of_a, of_b] = [a, b].map(|known| &kernel.ops[known.op]);
    // Rows that differ from lane to lane have a size in each lane.
    let have_same_types = types_of_results(kernel, of_a).eq(types_of_results(kernel, of_b));
    if let (Some(a), Some(b)) = (Measured::by(kernel, a.op), Measured::by(kernel, b.op)) {
        return have_same_types && a.is_the_same(&b, kernel);
    }
    let are_swapped = || match (&of_a.operands[..], &of_b.operands[..]) {
        (&[a, b], &[c, d]) => commutes(of_a.code) && (a, b) == (d, c),
        _ => false,
    };
    (of_a.code, &of_a.attr, a.asked_in) == (of_b.code, &of_b.attr, b.asked_in)
        && (of_a.operands == of_b.operands || are_swapped())
        && have_same_types
}

fn types_of_results<'k>(kernel: &'k Kernel, data: &'k OpData) -> impl Iterator<Item = Type> + use<'k> {
    data.results.iter().map(|&value| kernel.ty(value))
}

/// Says whether the order of an op's operands does not matter, to any bit.
pub(crate) fn commutes(code: Code) -> bool {
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
