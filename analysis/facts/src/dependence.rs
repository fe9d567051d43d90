//! Dependences: the accesses of a loop nest that touch the same cell, the iterations in which they do, and the proof.
//!
//! Two accesses to one array, at least one of them a store, *depend* on each other if some run has them touch the same
//! cell. The one that runs first is the *source*, the other the *sink*; a load after a store is a *flow*, a store after a
//! load an *anti*, a store after a store an *output* dependence. A dependence is *carried* by the outermost loop in whose
//! iterations source and sink differ; if there is none, it is within one iteration.
//!
//! ```text
//! for i in range(1, 29):
//!     a[i] = b[i - 1] + c[i]
//!     b[i] = a[i] * 2          flow to the load of b[i - 1], carried, distance 1:
//!                              iteration 1 writes b[1], iteration 2 reads b[1]
//! ```
//!
//! A dependence exists if it does for *some* values of the parameters that satisfy what the program states (sizes,
//! `assert`s, bounds, conditions on the way). Each is a question about whole numbers (see `scene`), answered exactly: a
//! dependence has a [`Witness`], and where no witness is possible there is no dependence. A dependence that rests on
//! data, is not linear or costs too much to decide is *possible*, with the [`Doubt`]s that say why.

mod cells;
mod chains;
mod classes;
mod induction;
mod meeting;
mod nest;
mod products;
mod scene;
mod terms;
mod whole;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use self::cells::{CellDistance, Cells};
use crate::integers::{Answers, Budget, TooHard};
use ir::cancel::CancelToken;
use ir::entities::{Op, Value};
use ir::forest::LoopForest;
use ir::program::Kernel;

pub use induction::Amount;
pub(super) use induction::of as induction_of;
pub use meeting::Meeting;
pub use nest::Level;
pub(super) use nest::Nest;
pub use report::lanes::DependenceKind as Kind;

/// The directions in which the sink's iteration of a level may lie from the source's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Direction {
    /// The sink may be in a later iteration.
    pub later: bool,
    /// The sink may be in the same iteration.
    pub same: bool,
    /// The sink may be in an earlier iteration.
    pub earlier: bool,
}

impl Direction {
    /// The usual sign for it: `<` where the source comes first.
    pub fn sign(self) -> &'static str {
        match (self.later, self.same, self.earlier) {
            (true, false, false) => "<",
            (false, true, false) => "=",
            (false, false, true) => ">",
            (true, true, false) => "<=",
            (false, true, true) => ">=",
            (true, false, true) => "<>",
            _ => "*",
        }
    }
}

/// The test that decided a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// No subscript depends on an iteration that may differ.
    Constant,
    /// Source and sink lie a fixed number of iterations apart.
    Distance,
    /// The equations and inequalities were solved in whole numbers.
    Integers,
    /// No test decided it, so the dependence is assumed.
    Undecided,
}

impl Test {
    /// Returns the name of the test in reports.
    pub fn name(self) -> &'static str {
        match self {
            Test::Constant => "constant",
            Test::Distance => "distance",
            Test::Integers => "integers",
            Test::Undecided => "undecided",
        }
    }
}

/// The reason why a dependence is possible rather than certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// The answer rests on this value, which comes from memory or from an earlier iteration.
    Data(Value),
    /// The answer rests on this value, which is not linear in the iterations.
    NotLinear(Value),
    /// The cells are the same ones; data decides only by this condition whether both are touched.
    Guard(Value),
    /// A product of two values had to be left open.
    Product,
    /// The question cost too much.
    TooHard,
    /// The arrays may overlap, as the kernel says.
    Overlap,
}

/// An unknown that a witness gives a value to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WitnessSymbol {
    /// A value that is the same in all iterations in question.
    Value(Value),
    /// The size of a dimension of an array.
    Size(Value, u8),
}

/// A list with one number for each loop, or for each dimension of an array.
pub type Numbers = SmallVec<[i128; 2]>;

/// An example of a dependence: two iterations that touch the same cell, and the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The index of each loop around the source, outermost first; a `while` counts from 0.
    pub source: Numbers,
    /// The iteration of the sink.
    pub sink: Numbers,
    /// The symbols that had to be chosen.
    pub symbols: SmallVec<[(WitnessSymbol, i128); 2]>,
    /// The subscripts of the cell, in the array.
    pub cell: Numbers,
    /// With these values, and with all others that there are, one of the two accesses lies outside of its array in another iteration.
    pub leaves: bool,
}

/// Two accesses that may touch one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The kind of the dependence.
    pub kind: Kind,
    /// The access that runs first.
    pub source: Op,
    /// The access that runs later.
    pub sink: Op,
    /// The array: a parameter, or the result of `temp`; that of the source, where two may overlap.
    pub array: Value,
    /// The levels around both, outermost first.
    pub levels: Arc<[Level]>,
    /// The iterations in which they touch one cell, and the test that found out.
    pub meeting: Arc<Meeting>,
}

impl Dependence {
    /// The level that carries it; `None` within one iteration.
    pub fn carrier(&self) -> Option<Level> {
        self.meeting.carried.map(|position| self.levels[position])
    }

    /// Says whether it exists only where two arrays overlap.
    pub fn is_overlap(&self) -> bool {
        self.meeting.doubts.contains(&Doubt::Overlap)
    }

    /// Says whether it exists for certain (for some values of the parameters).
    pub fn is_certain(&self) -> bool {
        self.meeting.doubts.is_empty()
    }
}

/// All dependences between accesses that have a loop around both. Those of two loops that follow each other are no
/// one's question: whatever is done to a loop's iterations, the loop before it is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependences {
    /// The dependences that exist or are possible.
    pub list: Vec<Dependence>,
    /// Arrays with more pairs of accesses than were looked at, and in which outermost loop: between any two of these
    /// there may be a dependence.
    pub unseen: Vec<(Value, Op)>,
    /// Arrays, likewise, of which the list has only dependences from which all others follow (see `chains`).
    pub chained: Vec<(Value, Op)>,
    /// The numbers of the dependences whose accesses are both inside of a loop, by loop.
    inside: FxHashMap<Op, Vec<usize>>,
}

impl Dependences {
    /// The dependences inside of a loop, with their numbers.
    pub fn inside(&self, op: Op) -> impl Iterator<Item = (usize, &Dependence)> {
        let numbers = self.inside.get(&op).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|&number| (number, &self.list[number]))
    }

    /// The dependences that a loop carries, over any of its indices, with their numbers.
    pub fn carried_by(&self, op: Op) -> impl Iterator<Item = (usize, &Dependence)> {
        self.inside(op).filter(move |(_, dependence)| dependence.carrier().is_some_and(|level| level.op == op))
    }

    fn push(&mut self, dependence: Dependence) {
        let mut before = None;
        for level in dependence.levels.iter() {
            // The levels of a `foreach` with several indices are of one loop.
            if before.replace(level.op) != Some(level.op) {
                self.inside.entry(level.op).or_default().push(self.list.len());
            }
        }
        self.list.push(dependence);
    }
}

/// The limits on the cost of the analysis.
#[derive(Debug, Clone, Copy)]
pub struct DependenceLimits<'w> {
    /// The cost of building and solving questions, for a kernel without accesses; each access adds to it.
    pub work: u64,
    /// The amount that each access of the kernel adds to that, so that the time that is spent grows with the kernel and no faster.
    pub work_an_access: u64,
    /// The cost of one pair of accesses at one level.
    pub work_each: u64,
    /// Pairs of accesses, for the whole kernel; arrays with few come first.
    pub pairs: usize,
    /// The token by which the analysis is cancelled.
    pub cancel: CancelToken<'w>,
    /// Answers to questions that were asked before, where these are kept; they change no result.
    pub answers: Option<&'w Answers>,
}

impl Default for DependenceLimits<'_> {
    fn default() -> Self {
        DependenceLimits {
            work: 40_000,
            work_an_access: 20,
            work_each: 20_000,
            pairs: 80_000,
            cancel: CancelToken::NONE,
            answers: None,
        }
    }
}

/// The share of the work that is kept for questions about innermost loops. They are the easy ones, and lanes need their answers most.
const RESERVED: u64 = 4;

/// The dependences of a scalar kernel.
pub fn dependences(kernel: &Kernel, limits: &DependenceLimits<'_>) -> Dependences {
    dependences_in(&Nest::new(kernel, Arc::new(LoopForest::of(kernel))), limits)
}

/// Returns true if a dependence stays although a value is positive, or if that takes too long to find out. This is asked before an
/// `assert` is proposed: one that changes nothing is no way out.
pub fn stays_if_positive(kernel: &Kernel, forest: &Arc<LoopForest>, it: &Dependence, value: Value) -> bool {
    let nest = Nest { positive: Some(value), ..Nest::new(kernel, forest.clone()) };
    let access = |op: Op| nest.accesses.iter().find(|access| access.op == op);
    let (Some(source), Some(sink)) = (access(it.source), access(it.sink)) else { return true };
    let mut budget = Budget::new(DependenceLimits::default().work_each);
    !matches!(meeting::find(&nest, source, sink, it.meeting.carried, None, &mut budget), Ok(None))
}

/// The dependences of some loops of a scalar kernel, as far as these or loops inside of them carry them, and those within an iteration.
pub fn dependences_of(
    kernel: &Kernel,
    forest: Arc<LoopForest>,
    loops: &[Op],
    limits: &DependenceLimits<'_>,
) -> Dependences {
    let mut nest = Nest::new(kernel, forest);
    let asked: FxHashSet<Op> = loops.iter().copied().collect();
    nest.accesses.retain(|access| nest.forest.around(access.op).any(|outer| asked.contains(&outer)));
    find(&nest, Some(&asked), limits)
}

/// The dependences of a kernel whose nest is known.
pub(super) fn dependences_in(nest: &Nest<'_>, limits: &DependenceLimits<'_>) -> Dependences {
    find(nest, None, limits)
}

fn find(nest: &Nest<'_>, within: Option<&FxHashSet<Op>>, limits: &DependenceLimits<'_>) -> Dependences {
    let classes = classes::of(nest);
    let mut sizes = vec![0; classes.len()];
    classes.iter().for_each(|&class| sizes[class as usize] += 1);
    let work = limits.work + limits.work_an_access * nest.accesses.len() as u64;
    let mut finder = Finder {
        nest,
        within,
        is_shared: classes.iter().map(|&class| sizes[class as usize] > 1).collect(),
        cells: Cells::of(nest, &classes),
        classes,
        relations: FxHashMap::default(),
        undecided: FxHashMap::default(),
        budget: Budget::new(work).with_answers(limits.answers),
        reserve: Budget::new(limits.work / RESERVED).with_answers(limits.answers),
        limits,
        found: Dependences::default(),
    };
    finder.all();
    finder.found
}

/// The meetings of an access with a later one: one for each level that may carry a dependence, and one within an
/// iteration of all of them.
type Relation = SmallVec<[Arc<Meeting>; 2]>;

/// The meetings that could not be decided: the level that carries one, the number of common levels, the distance.
type Undecided = (Option<usize>, usize, Option<i128>);

/// An array in an outermost loop.
type ArrayInNest = (Value, Op);

struct Finder<'n, 'k> {
    nest: &'n Nest<'k>,
    /// The loops that are asked about, if not about all.
    within: Option<&'n FxHashSet<Op>>,
    /// The class of each access: those of one class meet others in the same iterations.
    classes: Vec<u32>,
    /// True for each access that is not alone in its class.
    is_shared: Vec<bool>,
    /// The distances that subscripts decide without a solver.
    cells: Cells,
    /// The results for pairs of classes, so that equal questions are asked once.
    relations: FxHashMap<(u32, u32), Option<Arc<Relation>>>,
    /// Undecided meetings, which say little and are alike.
    undecided: FxHashMap<Undecided, Arc<Meeting>>,
    budget: Budget<'n>,
    /// For questions about innermost loops, when outer ones have used up the budget.
    reserve: Budget<'n>,
    limits: &'n DependenceLimits<'n>,
    found: Dependences,
}

impl Finder<'_, '_> {
    fn all(&mut self) {
        let mut places: Vec<ArrayInNest> = Vec::new();
        let mut accesses: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<ArrayInNest, usize> = FxHashMap::default();
        for (number, access) in self.nest.accesses.iter().enumerate() {
            let Some(outermost) = self.nest.levels_of(access.op).first() else { continue };
            let place = (access.root, outermost.op);
            let position = *known.entry(place).or_insert(places.len());
            if position == places.len() {
                places.push(place);
                accesses.push(Vec::new());
            }
            accesses[position].push(number);
        }
        let too_many = self.too_many(&places, &accesses);
        for (place, accesses) in places.iter().zip(&accesses) {
            match too_many.contains(place) {
                false => self.array(accesses),
                true if self.in_chains(accesses) => self.found.chained.push(*place),
                true => self.found.unseen.push(*place),
            }
        }
        for &(a, b) in &self.nest.kernel.marks.alias {
            for &(_, within) in places.iter().filter(|(array, _)| *array == a) {
                let of = |array: Value| {
                    let all = known.get(&(array, within)).map_or(&[][..], |&position| &accesses[position]);
                    // An access under a runtime alias check needs no answer: there the two arrays are disjoint for the
                    // whole run.
                    let open = |&access: &usize| !self.nest.tested_disjoint(self.nest.accesses[access].op, a, b);
                    all.iter().copied().filter(open).collect::<Vec<_>>()
                };
                self.overlapping(&of(a), &of(b), (a, within));
            }
        }
    }

    /// The arrays with the most pairs of accesses, as far as all together are too many.
    fn too_many(&self, places: &[ArrayInNest], accesses: &[Vec<usize>]) -> FxHashSet<ArrayInNest> {
        let n_pairs = |accesses: &[usize]| {
            let n_stores = accesses.iter().filter(|&&access| self.nest.accesses[access].is_store).count();
            n_stores * accesses.len()
        };
        let mut sizes: Vec<(usize, ArrayInNest)> =
            places.iter().zip(accesses).map(|(place, accesses)| (n_pairs(accesses), *place)).collect();
        sizes.sort();
        let mut sum = 0;
        let unseen = sizes.into_iter().filter(|(n_pairs, _)| {
            sum += n_pairs;
            sum > self.limits.pairs && *n_pairs > 0
        });
        unseen.map(|(_, place)| place).collect()
    }

    /// All pairs of accesses to one array in one outermost loop, of which one is a store.
    fn array(&mut self, accesses: &[usize]) {
        let is_store = |access: usize| self.nest.accesses[access].is_store;
        let stores: Vec<usize> = accesses.iter().copied().filter(|&access| is_store(access)).collect();
        for (position, &a) in accesses.iter().enumerate() {
            self.limits.cancel.check_cancelled();
            let others = match self.nest.accesses[a].is_store {
                true => &accesses[position..],
                false => &stores[stores.partition_point(|&store| store < a)..],
            };
            for &b in others {
                self.pair(a, b);
            }
        }
    }

    /// A pair of accesses, the first of which stands before the second or is it. Says whether the second one depends on the first, and
    /// the first on the second.
    fn pair(&mut self, a: usize, b: usize) -> (bool, bool) {
        let (first, second) = (&self.nest.accesses[a], &self.nest.accesses[b]);
        if !(first.is_store || second.is_store) || first.field != second.field {
            return (false, false);
        }
        if self.are_free(first.op, second.op) {
            return (false, false);
        }
        // An array made inside of a loop is another one in each iteration.
        let n_fresh = self.nest.depth_of(first.root);
        let before = self.found.list.len();
        if let Some(forward) = self.relation(a, b) {
            self.add(a, b, forward.iter().filter(|meeting| a != b || meeting.carried.is_some()), n_fresh);
        }
        let between = self.found.list.len();
        if a != b
            && let Some(backward) = self.relation(b, a)
        {
            self.add(b, a, backward.iter().filter(|meeting| meeting.carried.is_some()), n_fresh);
        }
        (between > before, self.found.list.len() > between)
    }

    /// Says whether two accesses are atomic ops of one kind, whose order does not matter.
    fn are_free(&self, first: Op, second: Op) -> bool {
        let [first, second] = [first, second].map(|op| &self.nest.kernel.ops[op]);
        first.code == second.code
            && first.attr == ir::program::Attr::FreeOrder
            && second.attr == ir::program::Attr::FreeOrder
    }

    fn add<'m>(
        &mut self,
        source: usize,
        sink: usize,
        meetings: impl Iterator<Item = &'m Arc<Meeting>>,
        n_fresh: usize,
    ) {
        let (source, sink) = (&self.nest.accesses[source], &self.nest.accesses[sink]);
        let kind = match (source.is_store, sink.is_store) {
            (true, false) => Kind::Flow,
            (false, _) => Kind::Anti,
            (true, true) => Kind::Output,
        };
        let n_common = self.nest.n_common(source.op, sink.op);
        let around = [source.op, sink.op].map(|op| self.nest.levels_of(op));
        // Nearly always one of them has no loop around it that is not around the other.
        let shared = around.into_iter().find(|levels| levels.len() == n_common).cloned();
        let levels: Arc<[Level]> = shared.unwrap_or_else(|| around[0][..n_common].into());
        for meeting in meetings.filter(|meeting| meeting.carried.is_none_or(|position| position >= n_fresh)) {
            self.found.push(Dependence {
                kind,
                source: source.op,
                sink: sink.op,
                array: source.root,
                levels: levels.clone(),
                meeting: meeting.clone(),
            });
        }
    }

    /// Returns the meetings of one access with another that runs later; `None` if there are none.
    fn relation(&mut self, a: usize, b: usize) -> Option<Arc<Relation>> {
        let key = (self.classes[a], self.classes[b]);
        if let Some(known) = self.relations.get(&key) {
            return known.clone();
        }
        self.limits.cancel.check_cancelled();
        let n_common = self.nest.n_common(self.nest.accesses[a].op, self.nest.accesses[b].op);
        let carried = (self.n_around(a)..n_common).map(Some).chain([None]);
        let relation: Relation = carried.filter_map(|carried| self.meeting(a, b, carried, n_common)).collect();
        let relation = (!relation.is_empty()).then(|| Arc::new(relation));
        if self.is_shared[a] || self.is_shared[b] {
            self.relations.insert(key, relation.clone());
        }
        relation
    }

    /// The number of levels around the loop that is asked about, which may carry what they will.
    fn n_around(&self, access: usize) -> usize {
        let levels = self.nest.levels_of(self.nest.accesses[access].op);
        let is_asked = |level: &Level| self.within.is_none_or(|within| within.contains(&level.op));
        levels.iter().position(is_asked).unwrap_or(0)
    }

    /// Returns the meeting of an access with a later one at a level, or within one iteration of all common levels.
    fn meeting(&mut self, a: usize, b: usize, carried: Option<usize>, n_common: usize) -> Option<Arc<Meeting>> {
        let distance = match self.cells.distance(self.nest, (a, b), carried) {
            CellDistance::Never => return None,
            CellDistance::By(distance) => Some(distance),
            CellDistance::Open => None,
        };
        let is_innermost = carried.is_none_or(|level| level + 1 == n_common);
        let from = match is_innermost && self.budget.left() < self.reserve.left() {
            true => &mut self.reserve,
            false => &mut self.budget,
        };
        let mut budget = from.at_most(self.limits.work_each);
        let before = budget.left();
        let (source, sink) = (&self.nest.accesses[a], &self.nest.accesses[b]);
        let found = meeting::find(self.nest, source, sink, carried, distance, &mut budget);
        // Spending more than there is leaves nothing.
        let _ = from.spend((before - budget.left()) as usize);
        match found {
            Ok(found) => found.map(Arc::new),
            Err(TooHard) => {
                let undecided = || Meeting::possible(carried, n_common, Doubt::TooHard).at_distance(distance);
                let known = self.undecided.entry((carried, n_common, distance));
                Some(known.or_insert_with(|| Arc::new(undecided())).clone())
            }
        }
    }
}

#[cfg(test)]
mod tests;
