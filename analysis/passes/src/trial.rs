//! Trials: changes that are made to a copy of a kernel, and kept where the copy is better.
//!
//! A pass that cannot know beforehand if a change pays makes all its changes on one copy and compares. The facts about
//! either state are computed when they are first asked for, and go over to the pass's context if the copy becomes the
//! kernel.

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Context;
use super::choice::{self, LaneChoice};
use crate::by_depth::FactsByDepth;
use crate::cost::Counter;
use facts::dependence::DependenceLimits;
use facts::integers::Answers;
use facts::lane_loops::outermost_ranges;
use facts::loops;
use facts::loops::Loops;
use ir::entities::Op;
use ir::forest::LoopForest;
use ir::program::Kernel;
use ir::target::{Costs, Target};
use ir::uses::Uses;

/// A change that can be made to a kernel.
pub(super) trait Change {
    /// Makes it; gives the loops that stand in the place of the one that was changed.
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op>;
}

/// A state of a kernel, before or after a change, with the facts about it.
pub(super) struct State<'k> {
    pub(super) kernel: &'k Kernel,
    target: &'static Target,
    limits: DependenceLimits<'k>,
    forest: OnceCell<Arc<LoopForest>>,
    loops: OnceCell<Arc<Loops>>,
    choice: OnceCell<Arc<LaneChoice>>,
    by_depth: OnceCell<Arc<FactsByDepth>>,
    counter: OnceCell<Counter<'k>>,
}

impl<'k> State<'k> {
    /// A state of which nothing is known yet.
    fn unknown(kernel: &'k Kernel, context: &Context<'k>, answers: &'k Answers) -> State<'k> {
        State {
            kernel,
            target: context.options.target,
            limits: DependenceLimits { answers: Some(answers), ..context.limits },
            forest: OnceCell::new(),
            loops: OnceCell::new(),
            choice: OnceCell::new(),
            by_depth: OnceCell::new(),
            counter: OnceCell::new(),
        }
    }

    /// The loops and their verdicts.
    pub(super) fn loops(&self) -> &Arc<Loops> {
        self.loops.get_or_init(|| {
            Arc::new(loops::loops_in(self.kernel, self.forest().clone(), &Uses::of(self.kernel), &self.limits))
        })
    }

    /// The loops as trees.
    fn forest(&self) -> &Arc<LoopForest> {
        self.forest.get_or_init(|| match self.loops.get() {
            Some(loops) => loops.forest.clone(),
            None => Arc::new(LoopForest::of(self.kernel)),
        })
    }

    /// The loops that take the lanes.
    pub(super) fn choice(&self) -> &Arc<LaneChoice> {
        self.choice.get_or_init(|| {
            Arc::new(choice::choose_by(self.kernel, self.loops(), self.by_depth().clone(), self.target))
        })
    }

    /// The facts relative to each loop.
    fn by_depth(&self) -> &Arc<FactsByDepth> {
        self.by_depth.get_or_init(|| Arc::new(FactsByDepth::new(self.kernel, self.forest())))
    }

    fn counter(&self) -> &Counter<'k> {
        self.counter.get_or_init(|| Counter::new(self.kernel, self.loops(), self.by_depth().clone(), self.target))
    }

    /// The cost of a loop in order, whatever loops inside of it would do.
    pub(super) fn in_order(&self, op: Op) -> u64 {
        self.counter().in_order(op, &FxHashMap::default())
    }

    /// The cost of a loop with its iterations as lanes, if they can be.
    pub(super) fn in_lanes(&self, op: Op) -> Option<u64> {
        let counter = self.counter();
        choice::lanes_of(self.kernel, self.loops(), counter, op).and_then(|lanes| counter.in_lanes(op, lanes))
    }

    /// The cost of each part of a loop that has none inside, as a loop of its own that runs in order.
    pub(super) fn in_order_of_parts(&self, op: Op, parts: &[&[Op]]) -> Vec<u64> {
        self.counter().in_order_of_parts(op, parts)
    }

    /// The cost of some outermost loops that have none inside. Nothing else of the kernel is looked at.
    pub(super) fn cost_of_single(&self, loops: &[Op]) -> u64 {
        if loops.is_empty() {
            return 0;
        }
        let (kernel, forest) = (self.kernel, self.forest());
        let known = loops::loops_among(kernel, forest.clone(), &Uses::of(kernel), loops, &self.limits);
        let facts = facts::facts_among(kernel, forest, loops);
        let counter = Counter::new(kernel, &known, Arc::new(FactsByDepth::known(loops, facts)), self.target);
        let in_lanes = |op| choice::lanes_of(kernel, &known, &counter, op).and_then(|n| counter.in_lanes(op, n));
        let cost = |&op: &Op| in_lanes(op).unwrap_or_else(|| counter.in_order(op, &FxHashMap::default()));
        loops.iter().map(cost).fold(0, u64::saturating_add)
    }

    /// The cost of an outermost loop, with whatever lanes there are in it.
    pub(super) fn cost(&self, op: Op) -> u64 {
        if let Some(cost) = self.choice().cost_of_nest(op) {
            return cost;
        }
        self.in_lanes(op).unwrap_or_else(|| self.in_order(op))
    }
}

/// A kernel as it is, and its copy with all changes made.
pub(super) struct Trial<'k> {
    pub(super) before: State<'k>,
    pub(super) after: State<'k>,
}

impl Trial<'_> {
    /// The numbers of the target.
    pub(super) fn costs(&self) -> &'static Costs {
        &self.before.target.costs
    }

    /// The cost of what a nest has become, as a share of the nest's, in per cent.
    pub(super) fn share(&self, nest: Op, becomes: &[Op]) -> i128 {
        let whole = self.before.cost(nest);
        share(becomes.iter().map(|&nest| self.after.cost(nest)).fold(0, u64::saturating_add), whole)
    }
}

/// A cost as a share of another one, in per cent.
pub(super) fn share(cost: u64, of: u64) -> i128 {
    i128::from(cost) * 100 / i128::from(of.max(1))
}

/// The cost of all loops of a scalar kernel on a target, with whatever lanes they would have there.
pub fn total_cost(kernel: &Kernel, target: &'static Target) -> u64 {
    let options = crate::pipeline::Options { target, ..Default::default() };
    let context = Context::new(&options);
    let state = State::unknown(kernel, &context, &context.answers);
    let forest = &state.loops().forest;
    let nests = outermost_ranges(kernel, forest, forest.loops());
    nests.into_iter().map(|nest| state.cost(nest)).fold(0, u64::saturating_add)
}

/// Makes changes on a copy, asks of each whether it is to be kept, and makes those that are; gives which.
pub(super) fn keep_better<C: Change>(
    kernel: &mut Kernel,
    changes: &[C],
    context: &mut Context,
    mut is_kept: impl FnMut(&Trial<'_>, &C, &[Op]) -> bool,
) -> Vec<bool> {
    if changes.is_empty() {
        return Vec::new();
    }
    let mut copy = kernel.clone();
    let made: Vec<Vec<Op>> = changes.iter().map(|change| change.apply(&mut copy)).collect();
    let answers = context.answers.clone();
    let state = |kernel| State::unknown(kernel, context, &answers);
    let trial = Trial { before: state(kernel), after: state(&copy) };
    if let Some(loops) = &context.loops {
        let _ = trial.before.loops.set(loops.clone());
    }
    if let Some(choice) = &context.choice {
        let _ = trial.before.choice.set(choice.clone());
    }
    if let Some(by_depth) = &context.by_depth {
        let _ = trial.before.by_depth.set(by_depth.clone());
    }
    let kept: Vec<bool> = changes.iter().zip(&made).map(|(change, made)| is_kept(&trial, change, made)).collect();
    if !kept.contains(&true) {
        // The facts about the kernel stand.
        let State { loops, choice, by_depth, .. } = trial.before;
        (context.loops, context.choice, context.by_depth) =
            (loops.into_inner(), choice.into_inner(), by_depth.into_inner());
        return kept;
    }
    context.forget();
    if kept.iter().all(|kept| *kept) {
        let State { loops, choice, by_depth, .. } = trial.after;
        (context.loops, context.choice, context.by_depth) =
            (loops.into_inner(), choice.into_inner(), by_depth.into_inner());
        *kernel = copy;
    } else {
        let wanted = changes.iter().zip(&kept).filter(|(_, kept)| **kept);
        wanted.for_each(|(change, _)| drop(change.apply(kernel)));
    }
    kept
}
