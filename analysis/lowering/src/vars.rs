//! The values of variables, while a kernel is lowered.
//!
//! Behind a block all is as it was before, but for what the block yields. So changes go to an undo log, and the end of a block
//! rolls back to the checkpoint at its start: that costs what the block changed, however many variables there are.

use std::ops::Index;

use rustc_hash::FxHashMap;

use super::{Lowered, Var};

/// The values of variables, with an undo log.
#[derive(Default)]
pub(super) struct Vars {
    now: FxHashMap<Var, Lowered>,
    /// The undo log: the value before each change that can still be rolled back.
    changes: Vec<(Var, Option<Lowered>)>,
}

/// A point of the undo log to which variables can be rolled back.
#[derive(Clone, Copy)]
pub(super) struct Checkpoint(usize);

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

    /// The point that the undo log is at.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.changes.len())
    }

    /// Rolls back all changes since a checkpoint.
    pub(super) fn roll_back(&mut self, Checkpoint(n_changes): Checkpoint) {
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
