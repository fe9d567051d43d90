//! Restores the order of numbered messages that arrive in any order.

use std::collections::BTreeMap;

/// A reorder buffer: releases values in the order of their numbers, without gaps.
pub(crate) struct InOrder<T> {
    next: u64,
    early: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        InOrder { next: 0, early: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Adds a value with its number.
    pub(crate) fn push(&mut self, number: u64, what: T) {
        self.early.insert(number, what);
    }

    /// Removes the value with the next number, if it has arrived.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let found = self.early.remove(&self.next)?;
        self.next += 1;
        Some(found)
    }
}

#[test]
fn nothing_overtakes() {
    let mut order = InOrder::default();
    let mut out = Vec::new();
    for number in [2, 0, 4, 1, 3] {
        order.push(number, number);
        out.push(std::iter::from_fn(|| order.pop()).collect::<Vec<_>>());
    }
    assert_eq!(out, [vec![], vec![0], vec![], vec![1, 2], vec![3, 4]]);
}
