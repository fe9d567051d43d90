//! Arrays that have several names.
//!
//! A branch or a loop gives an array that is one of several, and here each of these is copied to one place. That cannot be told from what it
//! should be, except where something is stored afterwards: to the array under its new name, which is to be seen under the old one, or the
//! other way round.
//!
//! ```text
//! let t = if c:            let t = loop s = m[0]:
//!     yield a                  yield [1, 2]
//! else:                    t[0] = 1              # is `m[0, 0] = 1`, if the loop had no iteration
//!     yield b
//! a[0] = 1                 # is `t[0] = 1`, if `c`
//! ```
//!
//! An array that nothing else has a name for from there on is *owned* by the branch or loop; a copy of it never shows.

use rustc_hash::FxHashSet;

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel};
use ir::uses::Use;

use super::plan::{Plan, makes_arrays};

impl Plan {
    /// Says whether it might show that what a branch or loop gives is a copy.
    pub(super) fn shows_copies(&self, kernel: &Kernel, op: Op) -> bool {
        let mut shared = FxHashSet::default();
        for number in 0..kernel.ops[op].results.len() {
            let sources = sources(kernel, op, number).into_iter();
            for source in sources.filter(|&source| kernel.ty(source).is_view()) {
                if !self.is_owned(kernel, source, op) {
                    self.arrays_of(kernel, source, &mut shared);
                }
            }
        }
        if shared.is_empty() {
            return false;
        }
        let (home, position) = self.place(op);
        let mut found = false;
        let mut look = |inner: Op| found |= self.stores_to(kernel, inner, &shared);
        if kernel.ops[op].code != Code::If {
            kernel.walk_inside(op, &mut look);
        }
        for &later in &kernel.regions[home].ops[position + 1..] {
            if matches!(kernel.ops[later].code, Code::Assign | Code::Store) && self.is_last_look(kernel, op, later) {
                continue;
            }
            look(later);
            kernel.walk_inside(later, &mut look);
        }
        found
    }

    /// Says whether a copy of what a branch or loop gives is as good as that, though an array that it may be is stored to: by
    /// another name, and with no look at the copy from then on.
    fn is_last_look(&self, kernel: &Kernel, op: Op, assign: Op) -> bool {
        let target = kernel.ops[assign].operands[0];
        let is_direct = match kernel.values[kernel.root(target)].def {
            Def::Arg(..) => false,
            Def::Result(maker, _) => !kernel.ops[maker].code.is_control() || makes_arrays(kernel, maker),
            _ => true,
        };
        let is_apart =
            |source: Value| matches!((field(kernel, source), field(kernel, target)), (Some(a), Some(b)) if a != b);
        let results = kernel.ops[op].results.iter().enumerate().filter(|(_, result)| kernel.ty(**result).is_view());
        is_direct
            && results.into_iter().all(|(number, &result)| {
                let mut sources = sources(kernel, op, number).into_iter();
                sources.all(|source| self.is_owned(kernel, source, op) || is_apart(source))
                    || self.ends_with(kernel, result, assign)
            })
    }

    fn stores_to(&self, kernel: &Kernel, op: Op, arrays: &FxHashSet<Value>) -> bool {
        let data = &kernel.ops[op];
        if !data.regions.is_empty() || kernel.effect(op) != Effect::Writes {
            return false;
        }
        let mut written = FxHashSet::default();
        self.arrays_of(kernel, data.operands[0], &mut written);
        written.iter().any(|&written| arrays.iter().any(|&array| kernel.may_overlap(written, array)))
    }

    /// Says whether nothing but a branch or loop has a name for an array from there on.
    fn is_owned(&self, kernel: &Kernel, array: Value, taker: Op) -> bool {
        match kernel.values[array].def {
            Def::Result(maker, _) if makes_arrays(kernel, maker) || kernel.ops[maker].code == Code::Temp => {
                self.is_given_up(kernel, array, self.place(maker).0, taker)
            }
            Def::Result(maker, number) if kernel.ops[maker].code.is_control() => {
                let sources = sources(kernel, maker, number as usize);
                sources.into_iter().all(|source| self.is_owned(kernel, source, maker))
                    && self.is_given_up(kernel, array, self.place(maker).0, taker)
            }
            // A part of what the block made: all parts of that count.
            Def::Result(maker, _) if matches!(kernel.ops[maker].code, Code::Row | Code::Slice) => {
                let root = kernel.root(array);
                let is_made_there = kernel.def_op(root).is_some_and(|whole| {
                    (makes_arrays(kernel, whole) || kernel.ops[whole].code == Code::Temp)
                        && self.owner(self.place(whole).0) == Some(taker)
                });
                is_made_there && self.n_gifts(kernel, root) == 1
            }
            // A carried array is owned by its loop, or is looked at where the loop is.
            Def::Arg(region, number) => {
                let is_carried = self.owner(region).is_some_and(|owner| number as usize >= kernel.n_arrays(owner));
                is_carried
                    && (self.owner(region) == Some(taker) || self.is_taken(kernel, array, region, taker))
                    && n_takes(self, kernel, array) == 1
            }
            _ => false,
        }
    }

    /// Says whether nothing uses an array of a block, or a part of it, after it was given to a branch or loop.
    fn is_given_up(&self, kernel: &Kernel, array: Value, home: Region, taker: Op) -> bool {
        match self.owner(home) == Some(taker) {
            // Nothing has a name for what the block made once it is over.
            true => self.n_gifts(kernel, array) == 1,
            false => self.is_taken(kernel, array, home, taker),
        }
    }

    /// The number of times that an array, or a part of it, is given to an op that may give it another name.
    fn n_gifts(&self, kernel: &Kernel, array: Value) -> usize {
        let parts = self.uses.users(array).iter().filter_map(|user| match *user {
            Use::Operand(op, _) => Some(op),
            Use::Yield(_) => None,
        });
        let is_part = |op: &Op| matches!(kernel.ops[*op].code, Code::Row | Code::Slice | Code::Field);
        let of_parts: usize = parts.filter(is_part).map(|part| self.n_gifts(kernel, kernel.ops[part].results[0])).sum();
        of_parts + n_takes(self, kernel, array)
    }

    /// Says whether a branch or loop is the last that uses an array, or a part of it.
    fn is_taken(&self, kernel: &Kernel, array: Value, home: Region, taker: Op) -> bool {
        let mut around = vec![self.place(taker)];
        while around.last().is_some_and(|&(region, _)| region != home) {
            let Some(owner) = around.last().and_then(|&(region, _)| self.owner(region)) else { return false };
            // A loop would take the array in each iteration.
            if kernel.ops[owner].code != Code::If {
                return false;
            }
            around.push(self.place(owner));
        }
        n_takes(self, kernel, array) <= 1 && self.is_used_before(kernel, array, &around, taker)
    }

    fn is_used_before(&self, kernel: &Kernel, array: Value, around: &[(Region, usize)], taker: Op) -> bool {
        self.uses.users(array).iter().all(|user| {
            let op = match *user {
                Use::Operand(op, _) => op,
                Use::Yield(region) => return self.owner(region) == Some(taker),
            };
            if op == taker {
                return true;
            }
            let data = &kernel.ops[op];
            let is_part = matches!(data.code, Code::Row | Code::Slice | Code::Field);
            let parts = || {
                data.results
                    .iter()
                    .all(|&part| n_takes(self, kernel, part) == 0 && self.is_used_before(kernel, part, around, taker))
            };
            self.is_before(kernel, op, around) && (!is_part || parts())
        })
    }

    /// Says whether an op is done before the last of some places, each of which is inside of the next.
    fn is_before(&self, kernel: &Kernel, op: Op, around: &[(Region, usize)]) -> bool {
        let mut at = op;
        loop {
            let (region, position) = self.place(at);
            if let Some(&(_, end)) = around.iter().find(|place| place.0 == region) {
                // The other side of a branch is not done at all.
                return position < end || position == end && kernel.ops[at].code == Code::If;
            }
            match self.owner(region) {
                Some(owner) => at = owner,
                None => return false,
            }
        }
    }
}

/// The number of times that an array is given to an op that may give it another name.
fn n_takes(plan: &Plan, kernel: &Kernel, array: Value) -> usize {
    let takes = |user: &&Use| match **user {
        Use::Yield(_) => true,
        Use::Operand(op, number) => {
            let carries = matches!(kernel.ops[op].code, Code::For | Code::While | Code::Reduce);
            carries && number >= kernel.n_head_operands(op)
        }
    };
    plan.uses.users(array).iter().filter(takes).count()
}

/// The field of structs that a view is of, if it is one.
fn field(kernel: &Kernel, view: Value) -> Option<&Attr> {
    let data = &kernel.ops[kernel.def_op(view)?];
    match data.code {
        Code::Field => Some(&data.attr),
        Code::Row | Code::Slice => field(kernel, data.operands[0]),
        _ => None,
    }
}

/// The arrays that a result of a branch or loop may be.
fn sources(kernel: &Kernel, op: Op, number: usize) -> Vec<Value> {
    let data = &kernel.ops[op];
    let yields = |region: Region| kernel.regions[region].yields.get(number).copied();
    match data.code {
        Code::If => data.regions.iter().filter_map(|&region| yields(region)).collect(),
        _ => {
            let last = data.regions.last().and_then(|&region| yields(region));
            data.operands.get(kernel.n_head_operands(op) + number).copied().into_iter().chain(last).collect()
        }
    }
}
