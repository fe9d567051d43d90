//! Whole arrays to loops: from the stage `arrays` to `sequential`.
//!
//! An op that makes an array is *delayed* where that pays: its elements are computed where they are used, so that a chain of maps is
//! one loop. What is used several times, and costs something, is *stored*, in the place where it is wanted in the end, if nothing else
//! is done to that place in between, and else in a temporary array. [`plan`] decides; [`translate`] builds the new kernel op by op;
//! [`element`] computes elements; [`build`] writes the loops that store them.
//!
//! An assignment whose right side reads the array that it stores to is built in place first. Then the dependences of its loops are
//! asked whether an iteration reads what an earlier one has written; if so, the loop is turned round, and where that does not help
//! either, the right side goes to a temporary array.

mod assign;
mod build;
mod carry;
mod element;
mod groups;
mod make;
mod names;
mod obstacles;
mod plan;
mod points;
mod shared;
mod sides;
mod sizes;
mod swaps;
mod translate;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use facts::dependence::{self, DependenceLimits, Dependences, Kind, Level};
use ir::entities::{Op, Origin, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;

use crate::Context;
use crate::decision::Decision;
use plan::Plan;
use translate::Translator;

/// A kernel without whole arrays, and what became of the old one's values and blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequential {
    /// The kernel at the stage `sequential`.
    pub kernel: Kernel,
    /// The new value of each old one that still is one.
    pub values: FxHashMap<Value, Value>,
    /// The new block of each old one that still is one.
    pub regions: FxHashMap<Region, Region>,
    /// The places of loops that share one with another loop: they are new, behind all that the old kernel's origins name, and each is for
    /// the same source as this old one.
    pub places: Vec<u32>,
    /// The decisions: what was fused, built in place, copied or kept in a temporary array, and why.
    pub decisions: Vec<Decision>,
    /// The places of what has no loops that it could become, with the reason.
    pub refused: Vec<(Origin, ArrayRefusal)>,
    /// The assumptions of the plan that turned out wrong.
    refuted: Refuted,
}

/// Assumptions of a plan that turned out otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Refuted {
    /// The assignments that cannot be done together with those before them.
    together: FxHashSet<Op>,
    /// The loops that cannot compute what they carry in the place of what it was before.
    in_place: FxHashSet<Op>,
    /// The branches that cannot give one array for those of its sides, or keep a loop from doing so.
    branches: Vec<Op>,
    /// The branches and loops that are to give the number of an array instead of a copy.
    names: Vec<Op>,
}

impl Refuted {
    fn len(&self) -> usize {
        self.together.len() + self.in_place.len()
    }
}

/// The reason why something about whole arrays cannot become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayRefusal {
    /// The sizes of an array have to be known before it is computed.
    LateSize,
    /// An array is written that may be one of several.
    WrittenChoice,
}

/// The way in which an assignment is done that reads what it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In the order of the cells.
    InOrder,
    /// From the last cell to the first.
    Backwards,
    /// By a copy of the right side.
    ByCopy,
}

/// How often names that branches and loops give become numbers, each time those of which that was not seen to be needed before.
const MOST_ROUNDS: usize = 8;

/// Turns whole arrays into loops, where there are some.
pub fn arrays(kernel: &mut Kernel, context: &mut Context) -> bool {
    if !kernel.has_whole_arrays() {
        return false;
    }
    let done = sequential(kernel, &context.limits);
    *kernel = done.kernel;
    done.decisions.into_iter().for_each(|decision| context.decide(decision));
    true
}

/// Turns a kernel's whole arrays into loops.
pub fn sequential(kernel: &Kernel, limits: &DependenceLimits) -> Sequential {
    let mut written_out = swaps::written_out(kernel);
    let mut n_rounds = 0;
    loop {
        let kernel = written_out.as_ref().unwrap_or(kernel);
        let done = in_loops(kernel, limits);
        let in_sides = done.refuted.branches.iter().find_map(|&branch| sides::written_out(kernel, branch));
        let next = match in_sides {
            Some(next) => Some(swaps::written_out(&next).unwrap_or(next)),
            // Arrays that branches make for names of others are not made into numbers once more.
            None if n_rounds == MOST_ROUNDS => None,
            None => {
                n_rounds += 1;
                names::as_numbers(kernel, &done.refuted.names)
            }
        };
        match next {
            Some(next) => written_out = Some(next),
            None => return done,
        }
    }
}

/// Turns a kernel's whole arrays into loops, of which those that carry arrays do not only hand on their names.
fn in_loops(kernel: &Kernel, limits: &DependenceLimits) -> Sequential {
    let mut ways: Ways = FxHashMap::default();
    let mut refuted = Refuted::default();
    let mut plan = Plan::of(kernel, &mut refuted);
    loop {
        limits.cancel.check_cancelled();
        let (done, hazards) = Translator::run(kernel, &plan, &ways);
        if !done.refuted.branches.is_empty() {
            return done;
        }
        let n_refuted = refuted.len();
        refuted.together.extend(&done.refuted.together);
        refuted.in_place.extend(&done.refuted.in_place);
        if hazards.is_empty() && n_refuted == refuted.len() {
            return done;
        }
        let forest = Arc::new(LoopForest::of(&done.kernel));
        let nests: Vec<Op> = hazards.iter().map(|hazard| hazard.nest).collect();
        let found = dependence::dependences_of(&done.kernel, forest.clone(), &nests, limits);
        let mut is_done = true;
        for hazard in hazards {
            // Two accesses of a chain may touch one cell although no dependence of theirs is listed.
            let mut not_listed = found.unseen.iter().chain(&found.chained);
            let is_unseen = not_listed.any(|&(_, outer)| outer == hazard.nest || forest.encloses(outer, hazard.nest));
            let confusion = hazard.confusion(&done.kernel, &found, &forest);
            if confusion.is_none() && !is_unseen {
                continue;
            }
            is_done = false;
            if !hazard.others.is_empty() {
                refuted.together.extend(&hazard.others);
                continue;
            }
            // An array that a loop carries is built in another memory instead, unless no op makes it.
            let carries = matches!(kernel.ops[hazard.assign].code, Code::For | Code::While | Code::Reduce);
            if carries && refuted.in_place.insert(hazard.assign) {
                continue;
            }
            let next = match hazard.way {
                Way::InOrder if hazard.can_reverse => Way::Backwards,
                _ => Way::ByCopy,
            };
            let before = ways.insert(hazard.assign, (next, confusion));
            assert_ne!(before.map(|(way, _)| way), Some(next), "each way to do an assignment is tried once");
        }
        if n_refuted != refuted.len() {
            plan = Plan::of(kernel, &mut refuted);
        } else if is_done {
            return done;
        }
    }
}

/// The way of each assignment that is not done in order, with the store and the load of which that would confuse the cells.
type Ways = FxHashMap<Op, (Way, Option<(Origin, Origin)>)>;

/// A loop nest that stores to an array which it may read, too, or to several that may have cells in common.
struct Hazard {
    /// The op of the old kernel that it is for; the last one, where one nest is for several.
    assign: Op,
    /// The ops that one nest is for, but for the first of them.
    others: Vec<Op>,
    /// The outermost loop.
    nest: Op,
    accesses: Accesses,
    /// The way in which it was done.
    way: Way,
    /// True if the nest can run backwards instead.
    can_reverse: bool,
}

/// The accesses of a nest, with the positions in the old block of what they are done for.
#[derive(Debug, Default)]
struct Accesses {
    loads: FxHashMap<Op, usize>,
    stores: FxHashMap<Op, usize>,
}

impl Hazard {
    /// A store and another access to the same cell that the nest does in the wrong order.
    fn confusion(&self, kernel: &Kernel, found: &Dependences, forest: &LoopForest) -> Option<(Origin, Origin)> {
        // A dependence that a loop around the nest carries is one between two assignments, as it should be.
        let carries = |level: Level| level.op == self.nest || forest.encloses(self.nest, level.op);
        let is_own = |array: Value| kernel.def_op(array).is_some_and(|maker| forest.encloses(self.nest, maker));
        let (loads, stores) = (&self.accesses.loads, &self.accesses.stores);
        let mut inside = found.inside(self.nest).map(|(_, dependence)| dependence);
        let confused = inside.find(|dependence| {
            let (source, sink) = (dependence.source, dependence.sink);
            let is_wrong = match dependence.kind {
                _ if self.others.is_empty() => dependence.kind == Kind::Flow && stores.contains_key(&source),
                // A load sees the array as it was before the assignment, unless it stands behind that.
                Kind::Flow => {
                    stores.get(&source).is_some_and(|store| loads.get(&sink).is_none_or(|load| load <= store))
                }
                Kind::Anti => {
                    stores.get(&sink).is_some_and(|store| loads.get(&source).is_some_and(|load| load > store))
                }
                Kind::Output => {
                    stores.get(&source).is_some_and(|first| stores.get(&sink).is_some_and(|second| first > second))
                }
            };
            is_wrong && dependence.carrier().is_none_or(carries) && !is_own(dependence.array)
        })?;
        let (store, other) = match confused.kind {
            Kind::Anti => (confused.sink, confused.source),
            _ => (confused.source, confused.sink),
        };
        Some((kernel.ops[store].origin, kernel.ops[other].origin))
    }
}

#[cfg(test)]
mod tests;
