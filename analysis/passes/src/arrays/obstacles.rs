//! The conditions under which an array is built where it is assigned to, and the use that is in the way where one of them fails.
//!
//! An array has memory of its own, from which it is copied, if
//!
//! 1. it is computed from cells of the array that it is assigned to,
//! 2. it is used after the assignment,
//! 3. the place is used between the making of the array and its assignment,
//! 4. the place is known only once the array is made,
//! 5. it is assigned to more than one place,
//! 6. it is assigned in a block inside, which may not be run, or more than once,
//! 7. only a part of it is assigned, or
//! 8. what is assigned takes its elements in another order.

use rustc_hash::FxHashSet;

use ir::entities::{Op, Origin, Region, Value};
use ir::ops::Code;
use ir::program::Kernel;
use ir::uses::Use;

use super::plan::{Fate, Plan};

/// The reason why an array is not built where it is assigned to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Obstacle {
    pub(super) words: &'static str,
    /// The place of the access or use that is in the way.
    pub(super) at: Origin,
}

impl Obstacle {
    fn new(words: &'static str, at: Origin) -> Obstacle {
        Obstacle { words, at }
    }
}

impl Plan {
    /// The assignment that takes an array in the end, if it can be built where that stores it: nothing is done with it afterwards, and
    /// nothing else uses the memory that it is assigned to from its making on.
    pub(super) fn taken_by(&self, kernel: &Kernel, maker: Op, array: Value) -> Option<Op> {
        self.taken(kernel, maker, array)?.ok()
    }

    /// The reason why an array that is assigned to some place is not built there.
    pub(super) fn why_not_taken(&self, kernel: &Kernel, maker: Op, array: Value) -> Option<Obstacle> {
        match self.taken(kernel, maker, array) {
            Some(Err(obstacle)) => Some(obstacle),
            // The array would be built there, if the place were known by then.
            Some(Ok(assign)) => Some(Obstacle::new(
                "which cells those are is only known once it is made:",
                self.named(kernel, assign, 0),
            )),
            None => self.why_not_assigned(kernel, self.place(maker).0, array),
        }
    }

    /// `None` for an array that is not assigned, as a whole, in the block that makes it.
    fn taken(&self, kernel: &Kernel, maker: Op, array: Value) -> Option<Result<Op, Obstacle>> {
        let (home, start) = self.place(maker);
        let assign = self.assign_of(kernel, home, array)?;
        let end = self.place(assign).1;
        let mut target = FxHashSet::default();
        self.arrays_of(kernel, kernel.ops[assign].operands[0], &mut target);
        let mut reads = FxHashSet::default();
        self.reads(kernel, maker, &mut reads);
        let meets = |arrays: &FxHashSet<Value>| {
            arrays.iter().any(|&array| target.iter().any(|&target| kernel.may_overlap(array, target)))
        };
        if meets(&reads) {
            let at = self.reader(kernel, maker, &target).unwrap_or(kernel.ops[maker].origin);
            return Some(Err(Obstacle::new("it is computed from the same array, in", at)));
        }
        if !self.ends_with(kernel, array, assign) {
            let at = self.use_after(kernel, array, assign).unwrap_or(kernel.ops[assign].origin);
            return Some(Err(Obstacle::new("it is used after that, in", at)));
        }
        let touches = |op: Op| {
            let data = &kernel.ops[op];
            if matches!(data.code, Code::Row | Code::Slice | Code::Field | Code::Size) {
                return false;
            }
            data.operands.iter().filter(|&&operand| kernel.ty(operand).is_view()).any(|&operand| {
                let mut arrays = FxHashSet::default();
                self.arrays_of(kernel, operand, &mut arrays);
                // A delayed array is computed where it is used, and reads its operands there.
                let makers: Vec<Op> = arrays.iter().filter_map(|&array| kernel.def_op(array)).collect();
                for maker in makers.into_iter().filter(|maker| self.fates.get(maker) == Some(&Fate::Delayed)) {
                    self.reads(kernel, maker, &mut arrays);
                }
                meets(&arrays)
            })
        };
        let mut found = None;
        for &op in &kernel.regions[home].ops[start + 1..end] {
            found = found.or(touches(op).then_some(op));
            kernel.walk_inside(op, &mut |inner| found = found.or(touches(inner).then_some(inner)));
        }
        Some(match found {
            Some(op) => Err(Obstacle::new("what is there is used in between, in", kernel.ops[op].origin)),
            None => Ok(assign),
        })
    }

    /// The only assignment in a block that takes an array, or one that is computed from it element by element where it is used.
    fn assign_of(&self, kernel: &Kernel, home: Region, array: Value) -> Option<Op> {
        let mut assign = None;
        for user in self.uses.users(array) {
            let Use::Operand(op, number) = *user else { continue };
            let found = match kernel.ops[op].code {
                Code::Assign if number == 1 && self.place(op).0 == home => Some(op),
                _ if self.fates.get(&op) == Some(&Fate::Delayed) && self.aligned(kernel, op) == Some(array) => {
                    self.assign_of(kernel, home, kernel.ops[op].results[0])
                }
                _ => None,
            };
            if found.is_some() && assign.replace(found).is_some() {
                return None;
            }
        }
        assign.flatten()
    }

    /// The reason why an array that no assignment in its block takes as a whole is not built where its elements are assigned to.
    fn why_not_assigned(&self, kernel: &Kernel, home: Region, array: Value) -> Option<Obstacle> {
        let mut places = Vec::new();
        for user in self.uses.users(array) {
            let Use::Operand(op, number) = *user else { continue };
            let data = &kernel.ops[op];
            let is_assigned = |value: Value| {
                let users = self.uses.users(value).iter();
                users.clone().any(|user| matches!(*user, Use::Operand(op, 1) if kernel.ops[op].code == Code::Assign))
            };
            match data.code {
                Code::Assign if number == 1 && self.place(op).0 == home => places.push(self.named(kernel, op, 0)),
                Code::Assign if number == 1 => {
                    let at = self.named(kernel, op, 0);
                    return Some(Obstacle::new("that is done in a block that may not be run, or more than once:", at));
                }
                Code::Row | Code::Slice if is_assigned(data.results[0]) => {
                    return Some(Obstacle::new("only a part of it is:", data.origin));
                }
                Code::Load => {
                    let around =
                        self.owner(self.place(op).0).filter(|owner| self.fates.get(owner) == Some(&Fate::Delayed));
                    if around.is_some_and(|map| kernel.ops[map].results.iter().any(|&result| is_assigned(result))) {
                        return Some(Obstacle::new("its elements are taken in another order there:", data.origin));
                    }
                }
                _ => {}
            }
        }
        let second = places.get(1)?;
        Some(Obstacle::new("it is assigned to a second place, too:", *second))
    }

    /// The place at which the source names an operand: as a row or slice, or in the op that takes it.
    fn named(&self, kernel: &Kernel, op: Op, operand: usize) -> Origin {
        let part = kernel.def_op(kernel.ops[op].operands[operand]);
        let part = part.filter(|&part| matches!(kernel.ops[part].code, Code::Row | Code::Slice));
        kernel.ops[part.unwrap_or(op)].origin
    }

    /// The place at which an op, or what it is computed from, reads one of some arrays.
    fn reader(&self, kernel: &Kernel, maker: Op, targets: &FxHashSet<Value>) -> Option<Origin> {
        let mut seen: FxHashSet<Op> = [maker].into_iter().collect();
        let mut waiting = vec![maker];
        while let Some(op) = waiting.pop() {
            kernel.walk_inside(op, &mut |inner| waiting.extend(seen.insert(inner).then_some(inner)));
            for (number, &operand) in kernel.ops[op].operands.iter().enumerate() {
                if !kernel.ty(operand).is_view() {
                    continue;
                }
                let mut arrays = FxHashSet::default();
                self.arrays_of(kernel, operand, &mut arrays);
                if arrays.iter().any(|&array| targets.iter().any(|&target| kernel.may_overlap(array, target))) {
                    return Some(self.named(kernel, op, number));
                }
                let inner = kernel.def_op(kernel.root(operand)).filter(|inner| self.fates.contains_key(inner));
                waiting.extend(inner.filter(|&inner| seen.insert(inner)));
            }
        }
        None
    }

    /// The place of the first use of an array behind an op of its block.
    fn use_after(&self, kernel: &Kernel, array: Value, last: Op) -> Option<Origin> {
        let (home, end) = self.place(last);
        self.uses.users(array).iter().find_map(|user| {
            let Use::Operand(op, _) = *user else { return None };
            let data = &kernel.ops[op];
            let mut at = op;
            while self.place(at).0 != home {
                at = self.owner(self.place(at).0)?;
            }
            if self.place(at).1 > end {
                return Some(data.origin);
            }
            let goes_on = matches!(data.code, Code::Row | Code::Slice | Code::Field)
                || self.fates.get(&op) == Some(&Fate::Delayed);
            let mut results = data.results.iter().filter(|_| goes_on && op != last);
            results.find_map(|&result| self.use_after(kernel, result, last))
        })
    }
}
