//! What variables are, while a kernel is lowered.
//!
//! Behind a block all is as it was before, but for what the block yields. So every change is written down, and a block's
//! end takes back those since its start: that costs what the block changed, however many variables there are.

use std::ops::Index;

use rustc_hash::FxHashMap;

use super::{Lowered, Var};

/// What variables are.
#[derive(Default)]
pub(super) struct Vars {
    now: FxHashMap<Var, Lowered>,
    /// What was there before each change that can still be taken back.
    changes: Vec<(Var, Option<Lowered>)>,
}

/// A moment to which variables can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Moment(usize);

impl Vars {
    pub(super) fn get(&self, var: &Var) -> Option<&Lowered> {
        self.now.get(var)
    }

    pub(super) fn contains_key(&self, var: &Var) -> bool {
        self.now.contains_key(var)
    }

    pub(super) fn insert(&mut self, var: Var, value: Lowered) {
        let before = self.now.insert(var, value);
        self.changes.push((var, before));
    }

    pub(super) fn remove(&mut self, var: &Var) -> Option<Lowered> {
        let before = self.now.remove(var);
        self.changes.push((*var, before.clone()));
        before
    }

    /// How things are now.
    pub(super) fn moment(&self) -> Moment {
        Moment(self.changes.len())
    }

    /// Takes back all changes since a moment.
    pub(super) fn back_to(&mut self, Moment(n_changes): Moment) {
        for (var, before) in self.changes.drain(n_changes..).rev() {
            match before {
                Some(value) => self.now.insert(var, value),
                None => self.now.remove(&var),
            };
        }
    }
}

impl Index<&Var> for Vars {
    type Output = Lowered;

    fn index(&self, var: &Var) -> &Lowered {
        &self.now[var]
    }
}
