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

mod build;
mod element;
mod plan;
mod shared;
mod translate;

use rustc_hash::{FxHashMap, FxHashSet};

use facts::dependence::{Kind, Level, Limits};
use facts::loops;
use ir::entities::{Op, Origin, Region, Value};
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
    /// The places of what cannot be lowered yet, with the reason.
    pub refused: Vec<(Origin, Refusal)>,
}

/// The reason why something about whole arrays cannot be lowered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The sizes of an array have to be known before it is computed.
    UnknownSize,
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
pub fn sequential(kernel: &Kernel, limits: &Limits) -> Sequential {
    let mut ways: Ways = FxHashMap::default();
    let plan = Plan::of(kernel);
    loop {
        limits.cancel.check_cancelled();
        let (done, hazards) = Translator::run(kernel, &plan, &ways);
        if hazards.is_empty() {
            return done;
        }
        let found = loops::loops(&done.kernel, limits);
        let mut is_done = true;
        for hazard in hazards {
            // What a loop around the nest carries is between one assignment and the next, as it should be.
            let carries = |level: Level| level.op == hazard.nest || found.forest.encloses(hazard.nest, level.op);
            let mut flows = found.dependences.inside(hazard.nest).filter(|(_, dependence)| {
                dependence.kind == Kind::Flow
                    && hazard.stores.contains(&dependence.source)
                    && dependence.carrier().is_none_or(carries)
            });
            let flow = flows.next().map(|(_, dependence)| {
                let origin = |op: Op| done.kernel.ops[op].origin;
                (origin(dependence.source), origin(dependence.sink))
            });
            let is_unseen = found
                .dependences
                .unseen
                .iter()
                .any(|&(_, outer)| outer == hazard.nest || found.forest.encloses(outer, hazard.nest));
            if flow.is_none() && !is_unseen {
                continue;
            }
            is_done = false;
            let next = match hazard.way {
                Way::InOrder if hazard.turns => Way::Backwards,
                _ => Way::ByCopy,
            };
            ways.insert(hazard.assign, (next, flow));
        }
        if is_done {
            return done;
        }
    }
}

/// The way of each assignment that is not done in order, with the store and the load of which that would confuse the cells.
type Ways = FxHashMap<Op, (Way, Option<(Origin, Origin)>)>;

/// A loop nest that stores to an array which it may read, too.
struct Hazard {
    /// The op of the old kernel that it is for.
    assign: Op,
    /// The outermost loop.
    nest: Op,
    /// The stores.
    stores: FxHashSet<Op>,
    /// The way in which it was done.
    way: Way,
    /// It could be turned round.
    turns: bool,
}
