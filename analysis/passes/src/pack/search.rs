//! The search for the bundles of a block that pay most. Trees that start at stores, and at what a loop carries, are tried first; then those in which
//! values that are computed alike are vectors from the start, wherever they are stored.

use rustc_hash::FxHashSet;

use super::alike::{DEPTHS, Likeness, WHOLE};
use super::bundles::{Bundle, Bundles, Cuts};
use super::plan::{Planner, Tried};
use ir::entities::Value;

/// The most times that bundles are found anew, with what was put together from scalars before as vectors.
const MOST_ROUNDS: usize = 3;

/// A search for the bundles that pay most.
pub(super) struct Search<'b, 'k> {
    pub(super) planner: Planner<'b, 'k>,
    /// The stores to neighbouring cells.
    pub(super) runs: Vec<Vec<usize>>,
    /// The scalars that the loop carries, by kind.
    pub(super) carried: Vec<Vec<usize>>,
}

/// Groups of values that are computed alike.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Alike {
    /// Those that are vectors from the start.
    groups: Vec<Vec<Value>>,
    /// Where the trees of these end.
    cuts: Cuts,
    /// The scalars that the loop carries, by kind, in place of the kinds by the last op alone.
    carried: Vec<Vec<usize>>,
}

impl<'b, 'k> Search<'b, 'k> {
    /// The cheapest of what was found: from stores and carried values on, and from values that are computed alike.
    pub(super) fn best(&self) -> Found<'b, 'k> {
        let none = Alike::default();
        let widest = self.found(usize::MAX, &none);
        let scalars: Vec<Value> = widest.scalars_put_together().collect();
        let beside: Vec<Value> = widest.scalars_beside_vectors().collect();
        let mut begun: FxHashSet<Alike> = FxHashSet::default();
        let mut others: Vec<(Alike, Found)> = Vec::new();
        let Planner { block, target, .. } = self.planner;
        let mut whole = Likeness::new(block, target, WHOLE);
        for depth in std::iter::once(WHOLE).chain(DEPTHS) {
            let mut likeness = Likeness::new(block, target, depth);
            // What stands in neighbouring cells may be computed alike elsewhere, and so may what would be put together from scalars, and what
            // stays scalar though its operands are in vectors.
            let of_scalars = [&scalars, &beside].map(|scalars| likeness.groups_by_cells(scalars));
            for groups in std::iter::once(self.stored_alike(&mut likeness)).chain(of_scalars) {
                for cuts in [Cuts::Pairs, Cuts::Everywhere] {
                    let alike = Alike { groups: groups.clone(), cuts, ..Alike::default() };
                    if !groups.is_empty() && begun.insert(alike.clone()) {
                        self.extend(alike, widest.cost, [&mut whole, &mut likeness], &mut others);
                    }
                }
            }
        }
        let mut plain = self.narrowed(widest, &none);
        for carried in self.carried_alike() {
            let alike = Alike { carried, ..Alike::default() };
            let other = self.narrowed(self.found(usize::MAX, &alike), &alike);
            if other.cost < plain.cost {
                plain = other;
            }
        }
        match others.into_iter().min_by_key(|(_, found)| found.cost) {
            Some((alike, found)) => {
                let other = self.narrowed(found, &alike);
                if other.cost < plain.cost { other } else { plain }
            }
            None => plain,
        }
    }

    /// Those of the values in each run of neighbouring cells that are computed alike, unless all are.
    fn stored_alike(&self, likeness: &mut Likeness) -> Vec<Vec<Value>> {
        let mut alike = Vec::new();
        for run in &self.runs {
            let stored: Vec<Value> = run.iter().filter_map(|&store| self.planner.block.stored(store)).collect();
            let groups = likeness.groups(&stored);
            alike.extend(groups.into_iter().filter(|group| group.len() < run.len()));
        }
        alike
    }

    /// Kinds of what the loop carries, each divided by how an iteration computes it, in all ways that make a difference.
    fn carried_alike(&self) -> Vec<Vec<Vec<usize>>> {
        let Planner { block, target, .. } = self.planner;
        let mut all = vec![self.carried.clone()];
        for depth in std::iter::once(WHOLE).chain(DEPTHS) {
            let mut likeness = Likeness::new(block, target, depth);
            let mut kinds: Vec<Vec<usize>> = Vec::new();
            for kind in &self.carried {
                let next: Vec<Value> = kind.iter().map(|&position| block.carried[position].next).collect();
                let position_of =
                    |value: &Value| kind[next.iter().position(|other| other == value).expect("it is of the kind")];
                kinds.extend(likeness.groups(&next).iter().map(|group| group.iter().map(position_of).collect()));
            }
            if !kinds.is_empty() && !all.contains(&kinds) {
                all.push(kinds);
            }
        }
        all.split_off(1)
    }

    /// Adds what is found with some groups, and with those that this leaves to be put together from scalars, in turns, as long as it costs
    /// less than without any.
    fn extend(
        &self,
        mut alike: Alike,
        without: u32,
        [whole, likeness]: [&mut Likeness<'b, 'k>; 2],
        others: &mut Vec<(Alike, Found<'b, 'k>)>,
    ) {
        for _ in 0..MOST_ROUNDS {
            let found = self.found(usize::MAX, &alike);
            let scalars: Vec<Value> = found.scalars_put_together().collect();
            let pays = found.cost < without;
            others.push((alike.clone(), found));
            if !pays {
                return;
            }
            let new = |likeness: &mut Likeness| {
                let mut new = likeness.groups_by_cells(&scalars);
                new.retain(|group| !alike.groups.contains(group));
                new
            };
            let from_cells_on = new(whole);
            let mut new = if from_cells_on.is_empty() { new(likeness) } else { from_cells_on };
            if new.is_empty() {
                return;
            }
            // What others need comes first.
            new.append(&mut alike.groups);
            alike.groups = new;
        }
    }

    /// Narrower vectors in place of what was found, as long as they cost less: wide ones may have to be put together from parts.
    fn narrowed(&self, mut best: Found<'b, 'k>, alike: &Alike) -> Found<'b, 'k> {
        loop {
            let widest = best.tried.iter().filter(|tree| tree.is_kept()).map(Tried::width).max().unwrap_or(0);
            if widest <= 2 {
                return best;
            }
            let narrower = self.found((widest / 2).max(2), alike);
            if narrower.cost >= best.cost {
                return best;
            }
            best = narrower;
        }
    }

    /// Finds what pays with vectors of at most so many lanes, where some groups of values are vectors from the start.
    fn found(&self, most: usize, alike: &Alike) -> Found<'b, 'k> {
        let Search { planner, runs, carried } = self;
        let begins_alike = !alike.groups.is_empty();
        let planner = Planner { most, begins_alike, ..*planner };
        let mut bundles = Bundles::new(planner.block, planner.target, alike.cuts);
        let mut tried: Vec<Tried> = Vec::new();
        let mut cost = planner.cost(&bundles);
        if begins_alike {
            planner.choose_alike(&mut bundles, &alike.groups, runs, &mut cost, &mut tried);
            return Found { bundles, tried, cost };
        }
        let carried = if alike.carried.is_empty() { carried } else { &alike.carried };
        if !planner.choose_carried(&mut bundles, (carried, runs), &mut cost, &mut tried) {
            planner.choose_runs(&mut bundles, runs, &mut cost, &mut tried);
        }
        Found { bundles, tried, cost }
    }
}

/// The bundles of a block that pay, the trees that were looked at, and the cost of the block with them.
pub(super) struct Found<'b, 'k> {
    pub(super) bundles: Bundles<'b, 'k>,
    pub(super) tried: Vec<Tried>,
    cost: u32,
}

impl Found<'_, '_> {
    /// The scalars that the block computes and that have to be put together for vectors, or are all lanes of one.
    fn scalars_put_together(&self) -> impl Iterator<Item = Value> {
        let block = self.bundles.block;
        let scalars = self.bundles.list.iter().flat_map(Bundle::scalars).copied();
        let is_free =
            |value: &Value| block.maker(*value).is_some_and(|number| !self.bundles.of_op.contains_key(&number));
        scalars.filter(is_free)
    }

    /// The scalars that the block computes of cells that vectors load as well.
    fn scalars_beside_vectors(&self) -> impl Iterator<Item = Value> {
        let (block, bundles) = (self.bundles.block, &self.bundles);
        let is_in_vector = |&value: &Value| block.maker(value).is_some_and(|number| bundles.loads_at_once(number));
        let made = (0..block.ops.len()).filter(|number| !bundles.of_op.contains_key(number));
        let made = made.filter(move |&number| {
            let operands = &block.kernel.ops[block.ops[number]].operands;
            operands.len() > 1 && operands.iter().all(is_in_vector)
        });
        made.filter_map(|number| block.kernel.ops[block.ops[number]].results.first().copied())
    }
}
