//! Chains: the dependences of an array with so many accesses that not all pairs of them are compared.
//!
//! The accesses that touch one cell, in the order of time, are a *chain*: a store, the loads that see it, the next store. Each access
//! depends on its neighbours in the chain, and all its other dependences follow from theirs:
//!
//! ```text
//! a[i] = x         a[i] = x  ->  y = a[i]  ->  a[i] = z     three pairs that are compared
//! y = a[i]         a[i] = x  ->  a[i] = z
//! a[i] = z
//! w = a[i]         a[i] = x  ->  w = a[i]                   a pair that is not: it follows from a[i] = x -> a[i] = z -> w = a[i]
//! ```
//!
//! So the statements of a loop have the same order, and the same strongly connected components; and where lanes turn a dependence
//! round that follows from others, they turn one of these round, too, over no greater distance. What is listed is a number of
//! dependences that grows with the accesses and no faster.
//!
//! Two kinds of arrays have chains. Where few subscripts occur, the accesses with one of them are a chain, and so are those with two of
//! them, in the order of the program. Where all subscripts differ in nothing but a constant, an access with a greater constant
//! touches a cell iterations earlier (or later), and the chains are sorted by that.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{ArrayInNest, Doubt, Finder, Meeting};

/// The share of the pairs that a kernel may have which chains of equal subscripts may take.
const SHARE: usize = 4;

/// The limit on the accesses before it that an access turns out not to depend on; one with more of them is taken to depend on the others.
const MOST_APART: usize = 64;

/// The chains of an array.
enum Chains {
    /// Those of each subscript that occurs, in the order of the program.
    OfSubscripts(Vec<Vec<usize>>),
    /// Those of each cell, in the order of time.
    OfCells(Vec<Vec<usize>>),
}

impl Finder<'_, '_> {
    /// Finds the dependences of one array in one outermost loop from which all others follow; returns false if its subscripts are too
    /// many, and of too many kinds.
    pub(super) fn in_chains(&mut self, accesses: &[usize]) -> bool {
        let mut by_field: FxHashMap<Option<u16>, Vec<usize>> = FxHashMap::default();
        for &access in accesses {
            by_field.entry(self.nest.accesses[access].field).or_default().push(access);
        }
        let mut fields: Vec<_> = by_field.into_values().collect();
        fields.sort_unstable();
        let Some(all) = fields.iter().map(|accesses| self.chains(accesses)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        for chains in all {
            match chains {
                Chains::OfSubscripts(classes) => self.by_subscript(&classes),
                Chains::OfCells(chains) => chains.iter().for_each(|chain| self.by_time(chain)),
            }
        }
        true
    }

    /// Accesses to two arrays that may overlap: any of them may meet.
    pub(super) fn overlapping(&mut self, a: &[usize], b: &[usize], place: ArrayInNest) {
        // Where so many may meet, all do so by way of the first store of each array.
        let is_chained = a.len() * b.len() > self.limits.pairs;
        if is_chained {
            self.found.chained.push(place);
        }
        let is_store = |&&access: &&usize| self.nest.accesses[access].is_store;
        let [hub, other_hub] = [a, b].map(|accesses| accesses.iter().find(is_store).or(accesses.first()));
        for (one, other) in a.iter().flat_map(|one| b.iter().map(move |other| (one, other))) {
            if is_chained && Some(one) != hub && Some(other) != other_hub {
                continue;
            }
            let (&one, &other) = (one, other);
            let (first, second) = (&self.nest.accesses[one], &self.nest.accesses[other]);
            if !(first.is_store || second.is_store) {
                continue;
            }
            let n_common = self.nest.n_common(first.op, second.op);
            let possible = |carried| Arc::new(Meeting::possible(carried, n_common, Doubt::Overlap));
            let carried: Vec<_> = (0..n_common).map(|level| possible(Some(level))).collect();
            self.add(one, other, carried.iter(), 0);
            self.add(other, one, carried.iter(), 0);
            let (before, after) = if one < other { (one, other) } else { (other, one) };
            self.add(before, after, [possible(None)].iter(), 0);
        }
    }

    fn chains(&self, accesses: &[usize]) -> Option<Chains> {
        let (mut numbers, mut classes): (FxHashMap<u32, usize>, Vec<Vec<usize>>) = Default::default();
        for &access in accesses {
            let number = *numbers.entry(self.classes[access]).or_insert(classes.len());
            if number == classes.len() {
                classes.push(Vec::new());
            }
            classes[number].push(access);
        }
        // Where lanes touch as many cells as participate, equal subscripts are not equal cells.
        let packs = accesses.iter().any(|&access| self.nest.accesses[access].packs);
        if !packs && classes.len().saturating_mul(accesses.len()) <= self.limits.pairs / SHARE {
            return Some(Chains::OfSubscripts(classes));
        }
        let one = *accesses.first().filter(|_| !packs)?;
        let around = self.n_around(one).max(self.nest.depth_of(self.nest.accesses[one].root));
        self.cells.chains(self.nest, accesses, around).map(Chains::OfCells)
    }

    /// Chains of the accesses with equal subscripts, and of those with two of them.
    fn by_subscript(&mut self, classes: &[Vec<usize>]) {
        let mut compared = FxHashSet::default();
        for (number, class) in classes.iter().enumerate() {
            for &access in class.iter().filter(|&&access| self.nest.accesses[access].is_store) {
                self.pair(access, access);
            }
            self.neighbours(&[class], &mut compared);
            for other in &classes[number + 1..] {
                self.limits.cancel.check_cancelled();
                let (one, another) = (class[0], other[0]);
                if self.relation(one, another).is_some() || self.relation(another, one).is_some() {
                    self.neighbours(&[class, other], &mut compared);
                    self.at_the_ends(class, other, &mut compared);
                }
            }
        }
    }

    /// Compares the neighbours in the chain of one class, or in that of two; neighbours of one class are those of its own chain.
    fn neighbours(&mut self, classes: &[&Vec<usize>], compared: &mut FxHashSet<(usize, usize)>) {
        let mut all: Vec<(usize, usize)> = Vec::new();
        for (class, accesses) in classes.iter().enumerate() {
            all.extend(accesses.iter().map(|&access| (access, class)));
        }
        all.sort_unstable();
        let is_new = |other: usize, class: usize| classes.len() == 1 || other != class;
        let mut last_stores: [Option<usize>; 2] = [None; 2];
        let mut loads: Vec<(usize, usize)> = Vec::new();
        for (access, class) in all {
            let is_store = self.nest.accesses[access].is_store;
            for (of, store) in last_stores.into_iter().enumerate() {
                if let Some(store) = store.filter(|_| is_new(of, class)) {
                    self.compare(store, access, compared);
                }
            }
            if is_store {
                for (load, of) in std::mem::take(&mut loads) {
                    if is_new(of, class) {
                        self.compare(load, access, compared);
                    }
                }
                last_stores[class] = Some(access);
            } else {
                loads.push((access, class));
            }
        }
    }

    /// Compares the last accesses of each of two classes with the first ones of the other: an iteration's last ones come before a later
    /// iteration's first ones.
    fn at_the_ends(&mut self, one: &[usize], other: &[usize], compared: &mut FxHashSet<(usize, usize)>) {
        let (one, other) = (self.ends(one), self.ends(other));
        let is_store = |access: usize| self.nest.accesses[access].is_store;
        let mut pairs = Vec::new();
        for (stores, all) in [(&one, &other), (&other, &one)] {
            let stores = stores.iter().copied().filter(|&access| is_store(access));
            pairs.extend(stores.flat_map(|store| all.iter().map(move |&access| (store, access))));
        }
        pairs.into_iter().for_each(|(a, b)| self.compare(a, b, compared));
    }

    /// The first and the last accesses of a class: its loads up to the first store, this, the last store, and the loads behind it.
    fn ends(&self, class: &[usize]) -> Vec<usize> {
        let is_store = |&access: &usize| self.nest.accesses[access].is_store;
        let first = class.iter().position(is_store).unwrap_or(class.len());
        let last = class.iter().rposition(is_store).unwrap_or(class.len());
        let (start, end) = (&class[..class.len().min(first + 1)], &class[last.max(first + 1).min(class.len())..]);
        start.iter().chain(end).copied().collect()
    }

    fn compare(&mut self, a: usize, b: usize, compared: &mut FxHashSet<(usize, usize)>) {
        let pair = (a.min(b), a.max(b));
        if compared.insert(pair) {
            self.pair(pair.0, pair.1);
        }
    }

    /// One chain of accesses in the order of time.
    fn by_time(&mut self, accesses: &[usize]) {
        let mut chain = Chain::default();
        for &access in accesses {
            self.limits.cancel.check_cancelled();
            self.follow(&mut chain, access);
        }
    }

    /// Compares an access with those before it in its chain, the nearest ones first. Beyond one that it depends on it need not look.
    fn follow(&mut self, chain: &mut Chain, access: usize) {
        let is_store = self.nest.accesses[access].is_store;
        if is_store {
            self.pair(access, access);
        }
        let mut open = chain.stores.clone();
        if is_store {
            open.extend(&chain.loads);
        }
        let mut seen: FxHashSet<usize> = open.iter().copied().collect();
        let (mut near, mut n_apart) = (Vec::new(), 0);
        while let Some(earlier) = open.pop() {
            let is_asked = is_store || self.nest.accesses[earlier].is_store;
            if is_asked && (n_apart > MOST_APART && self.assume(earlier, access) || self.depends(earlier, access)) {
                near.push(earlier);
                continue;
            }
            n_apart += usize::from(is_asked);
            let before = chain.before.get(&earlier).into_iter().flatten();
            open.extend(before.filter(|&&before| seen.insert(before)));
        }
        if is_store {
            chain.stores.retain(|store| !near.contains(store));
            chain.loads.retain(|load| !near.contains(load));
            chain.stores.push(access);
        } else {
            chain.loads.push(access);
        }
        chain.before.insert(access, near);
    }

    /// Compares two accesses; returns true if the one that comes later in their chain depends on the other.
    fn depends(&mut self, earlier: usize, later: usize) -> bool {
        let (forward, backward) = self.pair(earlier.min(later), earlier.max(later));
        if earlier < later { forward } else { backward }
    }

    /// Takes an access to depend on another one, which is not asked.
    fn assume(&mut self, earlier: usize, later: usize) -> bool {
        let n_common = self.nest.n_common(self.nest.accesses[earlier].op, self.nest.accesses[later].op);
        let carried = (0..n_common).map(Some).chain((earlier < later).then_some(None));
        let meetings: Vec<_> =
            carried.map(|carried| Arc::new(Meeting::possible(carried, n_common, Doubt::TooHard))).collect();
        self.add(earlier, later, meetings.iter(), 0);
        true
    }
}

/// The accesses of a chain that were compared.
#[derive(Default)]
struct Chain {
    /// The stores on which no later store depends.
    stores: Vec<usize>,
    /// The loads on which no later store depends.
    loads: Vec<usize>,
    /// The accesses that each one was found to depend on.
    before: FxHashMap<usize, Vec<usize>>,
}

#[cfg(test)]
mod tests;
