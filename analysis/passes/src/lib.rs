//! Passes: plain functions from kernel to kernel, one in each file, and the table of all.
//!
//! Passes know ops by their rows in the op table: operands, results, regions, effects. A kernel that is verified is
//! still so after a pass; a run without an error gives the same bits. Most passes keep errors too, code, iteration and
//! place, as long as nothing is vectorised; those that reorder ops may not.

mod active_lanes;
mod alias_checks;
mod alternating;
pub mod arrays;
mod bounds;
mod branch_choices;
mod branches;
mod by_depth;
mod byte_sums;
mod carry;
mod checks;
mod choice;
mod chosen_sums;
mod common_accesses;
pub mod cost;
mod cse;
mod dce;
pub mod decision;
mod demanded_lanes;
mod distance_checks;
mod distances;
pub mod docs;
mod early_exit;
pub mod estimate;
mod extremes;
mod fold;
mod formulas;
mod fuse_loops;
mod handed_on;
mod hoist;
mod in_turn;
mod index_sets;
mod interchange;
mod interleave;
mod jam;
mod jam_nests;
mod lane_sums;
mod last_lane;
mod legalise;
mod load_reuse;
mod memory;
mod memory_order;
mod merge_stores;
mod narrow;
mod only_sum;
pub mod outcome;
mod pack;
mod partial_unroll;
pub mod parts;
mod peel;
mod picks;
pub mod pipeline;
mod products;
mod promote;
mod reduce_late;
mod registers;
mod regroup;
mod reorder;
mod rounds;
mod rows;
mod same;
mod scratch;
#[cfg(test)]
mod shown;
mod specialise;
mod split;
mod stream;
mod tail;
mod tiles;
pub mod trace;
mod trial;
pub mod turns;
mod unit_steps;
mod unroll;
mod unset;
mod vector;
mod verdicts;
mod versions;

use std::sync::Arc;

use crate::by_depth::FactsByDepth;
use crate::pipeline::Options;
use facts::Facts;
use facts::dependence::DependenceLimits;
use facts::integers::Answers;
use facts::loops;
use facts::loops::Loops;
use ir::cancel::CancelToken;
use ir::entities::{EntityVec, Value};
use ir::forest::LoopForest;
use ir::program::Kernel;
use ir::uses::Uses;

pub use active_lanes::active_lanes;
pub use alias_checks::alias_checks;
pub use alternating::alternating;
pub use branch_choices::branch_choices;
pub use branches::merge_branches;
pub use byte_sums::byte_sums;
pub use carry::carry;
pub use checks::checks;
pub use choice::{Candidate, LaneChoice, choose, lane_loops};
pub use chosen_sums::chosen_sums;
pub use common_accesses::common_accesses;
pub use cse::cse;
pub use dce::dce;
pub use decision::{Decision, Said};
pub use demanded_lanes::demanded_lanes;
pub use distance_checks::distance_checks;
pub use distances::distances;
pub use early_exit::early_exit;
pub use extremes::extremes;
pub use fold::fold;
pub use fuse_loops::fuse_loops;
pub use hoist::hoist;
pub use in_turn::in_turn;
pub use index_sets::index_sets;
pub use interchange::interchange;
pub use interleave::interleave;
pub use jam::jam;
pub use jam_nests::{jam_nests, share_rows};
pub use lane_sums::lane_sums;
pub use last_lane::last_lane;
pub use legalise::legalise;
pub use load_reuse::load_reuse;
pub use memory::{MOST_LOOKED_UP, memory};
pub use memory_order::memory_order;
pub use merge_stores::merge_stores;
pub use narrow::narrow;
pub use outcome::{AccessForm, Outcomes};
pub use pack::pack;
pub use partial_unroll::partial_unroll;
pub use peel::peel;
pub use picks::picks;
pub use products::products;
pub use promote::promote;
pub use reduce_late::reduce_late;
pub use registers::registers;
pub use regroup::regroup;
pub use reorder::reorder;
pub use rows::rows;
pub use scratch::scratch;
pub use specialise::specialise;
pub use split::split;
pub use stream::stream;
pub use tail::tail;
pub use tiles::tiles;
pub use trial::total_cost;
pub use unit_steps::unit_steps;
pub use unroll::unroll;
pub use unset::unset;
pub use vector::{Refusal, refusal, vector};
pub use verdicts::verdicts;

/// A pass, and what is told about it.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The name in options and reports.
    pub name: &'static str,
    /// The description in options and documentation.
    pub description: &'static str,
    /// The function of the pass, which says whether it changed anything. Callers use [`Pass::apply`].
    run: fn(&mut Kernel, &mut Context) -> bool,
    /// True if a run that ends in an error still ends in the same one, as long as nothing is vectorised.
    pub keeps_errors: bool,
    /// True if only marks are changed, so that all facts about the kernel stand.
    keeps_facts: bool,
}

impl Pass {
    /// Runs the pass; says whether anything changed.
    pub fn apply(&self, kernel: &mut Kernel, context: &mut Context) -> bool {
        context.limits.cancel.check_cancelled();
        let changed = (self.run)(kernel, context);
        if changed && !self.keeps_facts {
            context.forget();
        }
        changed
    }
}

/// The state that passes share beside the kernel.
#[derive(Debug)]
pub struct Context<'o> {
    /// The target and the lanes.
    pub options: &'o Options,
    /// The limits on the cost of the dependence analysis, with its cancellation check.
    limits: DependenceLimits<'o>,
    /// Answers about dependences, which are asked again after each change.
    answers: Arc<Answers>,
    /// The verdicts on the kernel as it is now, if somebody has asked for them.
    loops: Option<Arc<Loops>>,
    /// The loops that take the lanes, likewise.
    choice: Option<Arc<LaneChoice>>,
    /// The facts relative to each loop, likewise.
    by_depth: Option<Arc<FactsByDepth>>,
    /// The facts about the loops that take the lanes, likewise.
    facts: Option<Arc<Facts>>,
    /// The loops as trees, likewise.
    forest: Option<Arc<LoopForest>>,
    /// The users of each value, likewise.
    uses: Option<Arc<Uses>>,
    /// The decisions since somebody took them out.
    decisions: Vec<Decision>,
    /// The outcomes of loops and accesses so far.
    pub(crate) outcomes: Outcomes,
}

impl<'o> Context<'o> {
    /// The start of the way.
    pub fn new(options: &'o Options) -> Context<'o> {
        Context {
            options,
            limits: DependenceLimits::default(),
            answers: Arc::default(),
            loops: None,
            choice: None,
            by_depth: None,
            facts: None,
            forest: None,
            uses: None,
            decisions: Vec::new(),
            outcomes: Outcomes::default(),
        }
    }

    /// A context in which the verdicts on the kernel are known already.
    pub fn knowing(options: &'o Options, loops: Arc<Loops>) -> Context<'o> {
        Context { loops: Some(loops), ..Context::new(options) }
    }

    /// The context with a token by which the passes are cancelled.
    pub fn with_cancel(self, cancel: CancelToken<'o>) -> Context<'o> {
        Context { limits: DependenceLimits { cancel, ..self.limits }, ..self }
    }

    /// The context with answers that others found, or will ask for, too.
    pub fn with_answers(self, answers: Arc<Answers>) -> Context<'o> {
        Context { answers, ..self }
    }

    /// The limits, with the answers that are known.
    fn limits(&self) -> DependenceLimits<'_> {
        DependenceLimits { answers: Some(&self.answers), ..self.limits }
    }

    /// The verdicts on the loops of a scalar kernel. They are found once, and stand until a pass changes the kernel; a
    /// pass asks before it changes anything.
    pub fn loops(&mut self, kernel: &Kernel) -> Arc<Loops> {
        if self.loops.is_none() {
            let (forest, uses) = (self.forest(kernel), self.uses(kernel));
            self.loops = Some(Arc::new(loops::loops_in(kernel, forest, &uses, &self.limits())));
        }
        self.loops.clone().expect("they were found")
    }

    /// The loops of a kernel as trees; likewise.
    pub fn forest(&mut self, kernel: &Kernel) -> Arc<LoopForest> {
        if let Some(loops) = &self.loops {
            return loops.forest.clone();
        }
        self.forest.get_or_insert_with(|| Arc::new(LoopForest::of(kernel))).clone()
    }

    /// The users of each value; likewise.
    pub fn uses(&mut self, kernel: &Kernel) -> Arc<Uses> {
        self.uses.get_or_insert_with(|| Arc::new(Uses::of(kernel))).clone()
    }

    /// Returns the loops that take the lanes, and those that they were chosen from; likewise.
    pub fn choice(&mut self, kernel: &Kernel) -> Arc<LaneChoice> {
        let loops = self.loops(kernel);
        if self.choice.is_none() {
            let facts = self.by_depth(kernel);
            self.choice = Some(Arc::new(choice::choose_by(kernel, &loops, facts, self.options.target)));
        }
        self.choice.clone().expect("it was made")
    }

    /// The facts about the loops that take the lanes; likewise.
    pub fn facts(&mut self, kernel: &Kernel) -> Arc<Facts> {
        let choice = self.choice(kernel);
        if self.facts.is_none() {
            let known = self.by_depth(kernel).of_all(kernel, &choice.loops);
            self.facts = Some(known.unwrap_or_else(|| Arc::new(facts::facts_without_causes(kernel, &choice.loops))));
        }
        self.facts.clone().expect("they were found")
    }

    /// The facts relative to each loop; likewise.
    pub(crate) fn by_depth(&mut self, kernel: &Kernel) -> Arc<FactsByDepth> {
        let forest = self.forest(kernel);
        self.by_depth.get_or_insert_with(|| Arc::new(FactsByDepth::new(kernel, &forest))).clone()
    }

    /// Forgets what is known about the kernel, which has been changed or has got other numbers.
    pub fn forget(&mut self) {
        (self.loops, self.choice, self.by_depth, self.facts) = (None, None, None, None);
        (self.forest, self.uses) = (None, None);
    }

    /// Records a decision of the pass that runs.
    pub fn decide(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    /// The decisions since this was last asked.
    pub fn take_decisions(&mut self) -> Vec<Decision> {
        std::mem::take(&mut self.decisions)
    }
}

/// The table of all passes.
pub const PASSES: &[Pass] = &[
    ARRAYS,
    REGISTERS,
    LEGALISE,
    UNSET,
    COMMON_ACCESSES,
    FUSE_LOOPS,
    EARLY_EXIT,
    ALIAS_CHECKS,
    ALTERNATING,
    DISTANCE_CHECKS,
    UNIT_STEPS,
    LANE_SUMS,
    REORDER,
    PROMOTE,
    CARRY,
    IN_TURN,
    EXTREMES,
    NARROW,
    PEEL,
    INDEX_SETS,
    INTERCHANGE,
    SPLIT,
    JAM,
    UNROLL,
    VERDICTS,
    TILES,
    VECTOR,
    SPECIALISE,
    MEMORY,
    ROWS,
    PARTIAL_UNROLL,
    PACK,
    FOLD,
    CSE,
    LOAD_REUSE,
    DEMANDED_LANES,
    MERGE_BRANCHES,
    HOIST,
    DCE,
    REDUCE_LATE,
    MERGE_STORES,
    DISTANCES,
    CHOSEN_SUMS,
    TAIL,
    INTERLEAVE,
    LAST_LANE,
    PRODUCTS,
    BYTE_SUMS,
    REGROUP,
    MEMORY_ORDER,
    ACTIVE_LANES,
    BRANCH_CHOICES,
    PICKS,
    CHECKS,
    SCRATCH,
];

/// Turns operations on whole arrays into loops.
pub const ARRAYS: Pass = Pass {
    name: "arrays",
    description: "turns operations on whole arrays into loops over their elements: chains of them are fused, and arrays are built \
     where they are wanted",
    run: arrays::arrays,
    keeps_errors: false,
    keeps_facts: false,
};

/// Keeps small arrays in registers.
pub const REGISTERS: Pass = Pass {
    name: "registers",
    description: "keeps small arrays in registers, one value for each cell, where all subscripts are known once short loops are unrolled",
    run: registers,
    keeps_errors: false,
    keeps_facts: false,
};

/// Gives vector forms to ops inside of lanes that run together.
pub const LEGALISE: Pass = Pass {
    name: "legalise",
    description: "expands operations without a vector form into loops, loads and stores for each lane, in a `foreach` in lanes",
    run: legalise,
    keeps_errors: false,
    keeps_facts: false,
};

/// Leaves new arrays as they are that are written before they are read.
pub const UNSET: Pass = Pass {
    name: "unset",
    description: "does not fill new arrays with zeros whose cells are all written before any is read",
    run: |kernel, _| unset(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Fuses loops that share cells.
pub const FUSE_LOOPS: Pass = Pass {
    name: "fuse-loops",
    description: "runs loops over the same range as one if they share cells; arrays that live within an iteration then become values",
    run: fuse_loops,
    keeps_errors: false,
    keeps_facts: false,
};

/// Runs loops with early exits in blocks of iterations.
pub const EARLY_EXIT: Pass = Pass {
    name: "early-exit",
    description: "runs early-exit loops in blocks: tests for a whole block whether any iteration leaves the loop, and runs the \
     other blocks in lanes",
    run: early_exit,
    keeps_errors: false,
    keeps_facts: false,
};

/// Versions loops by runtime alias checks.
pub const ALIAS_CHECKS: Pass = Pass {
    name: "alias-checks",
    description: "adds a runtime alias check for arrays that may overlap, and a version of the loop that can run in lanes where \
     they do not",
    run: alias_checks,
    keeps_errors: true,
    keeps_facts: false,
};

/// Computes values that go back and forth between two from the index.
pub const ALTERNATING: Pass = Pass {
    name: "alternating",
    description: "computes a value that goes back and forth between two, as a sign does, from the index, where that gives the loop lanes",
    run: alternating,
    keeps_errors: true,
    keeps_facts: false,
};

/// Makes versions of nests for distances between iterations.
pub const DISTANCE_CHECKS: Pass = Pass {
    name: "distance-checks",
    description: "makes a version of a nest for iterations that are far enough apart where they touch one cell, behind a test of the numbers \
     that say how far, where that gives lanes",
    run: distance_checks,
    keeps_errors: true,
    keeps_facts: false,
};

/// Makes versions of nests for steps of 1.
pub const UNIT_STEPS: Pass = Pass {
    name: "unit-steps",
    description: "makes a version of a nest for steps of 1, behind a test of the numbers that say how far its cells lie apart, where that \
     lowers the cost",
    run: unit_steps,
    keeps_errors: true,
    keeps_facts: false,
};

/// Lets lanes along an outer loop join sums in the fixed order, each its own.
pub const LANE_SUMS: Pass = Pass {
    name: "lane-sums",
    description: "lets lanes along an outer loop compute sums in the fixed order, each its own with partial results of its own, where that lowers the \
     cost",
    run: lane_sums,
    keeps_errors: false,
    keeps_facts: false,
};

/// Puts statements in an order that can run as lanes.
pub const REORDER: Pass = Pass {
    name: "reorder",
    description: "reorders the statements of a loop so that its iterations can run as lanes",
    run: reorder,
    keeps_errors: false,
    keeps_facts: false,
};

/// Peels first iterations that have another index of the iteration before than all others.
pub const PEEL: Pass = Pass {
    name: "peel",
    description: "puts the first iteration before a loop, or the first two, where all others use the index of the one before \
     (`last = i` behind `b[last]`), and their lanes cost less so",
    run: peel,
    keeps_errors: false,
    keeps_facts: false,
};

/// Divides loops where the index decides a branch.
pub const INDEX_SETS: Pass = Pass {
    name: "index-sets",
    description: "divides a loop with a branch that its index decides (`if i < m:`) into loops in each of which it goes one way, where \
     their lanes cost less",
    run: index_sets,
    keeps_errors: false,
    keeps_facts: false,
};

/// Exchanges the loops of a nest.
pub const INTERCHANGE: Pass = Pass {
    name: "interchange",
    description: "interchanges perfectly nested loops so that lanes run along the inner one, where that lowers the cost",
    run: interchange,
    keeps_errors: false,
    keeps_facts: false,
};

/// Splits loops, so that a part of the statements can be vectorised.
pub const SPLIT: Pass = Pass {
    name: "split",
    description: "splits a loop into the statements that can run as lanes and those that cannot, where that lowers the cost",
    run: split,
    keeps_errors: false,
    keeps_facts: false,
};

/// Lets loops carry the cells that all their iterations work on.
pub const PROMOTE: Pass = Pass {
    name: "promote",
    description: "makes a cell that all iterations of a loop in order work on a value that the loop carries",
    run: promote,
    keeps_errors: false,
    keeps_facts: false,
};

/// Lets loops carry what they hand on by a cell.
pub const CARRY: Pass = Pass {
    name: "carry",
    description: "makes a cell of integers that each iteration stores to and the next one loads a value that the loop carries, where that \
     gives it lanes",
    run: carry,
    keeps_errors: false,
    keeps_facts: false,
};

/// Gives lanes to loops whose lanes compute what is handed on one after the other.
pub const IN_TURN: Pass = Pass {
    name: "in-turn",
    description: "gives lanes to loops that hand something on in the program's order: lanes compute that one after the other, and all \
     else together, where that lowers the cost",
    run: in_turn,
    keeps_errors: false,
    keeps_facts: false,
};

/// Moves what both sides of a branch load or store out of it.
pub const COMMON_ACCESSES: Pass = Pass {
    name: "common-accesses",
    description: "loads before a branch what both of its sides load from one cell, and stores behind it what both store to one",
    run: common_accesses,
    keeps_errors: false,
    keeps_facts: false,
};

/// Lets lanes keep the least and greatest floats over all iterations of a loop, and all rows of a nest.
pub const EXTREMES: Pass = Pass {
    name: "extremes",
    description: "lets lanes keep the least or greatest float of their own over all iterations of a loop, or over all rows of a nest, and \
     runs it again as it was where order decides",
    run: extremes,
    keeps_errors: true,
    keeps_facts: false,
};

/// Computes in 16 bits what fits them.
pub const NARROW: Pass = Pass {
    name: "narrow",
    description: "computes in 16 bits what fits them, between conversions from and to such types, in loops that take lanes",
    run: narrow,
    keeps_errors: true,
    keeps_facts: false,
};

/// Joins iterations of an outer loop in one pass over the inner loop.
pub const JAM: Pass = Pass {
    name: "jam",
    description: "runs several iterations of an outer loop through the inner loop together (unroll and jam), where they update \
     the same cells",
    run: jam,
    keeps_errors: false,
    keeps_facts: false,
};

/// Chooses loops whose iterations load the same rows in the loops inside.
pub const SHARE_ROWS: Pass = Pass {
    name: "share-rows",
    description: "marks outer loops of which several iterations are to go through the loops inside together, where they load the same rows",
    run: share_rows,
    keeps_errors: true,
    keeps_facts: true,
};

/// Joins iterations of an outer loop in one pass over all loops inside.
pub const JAM_NESTS: Pass = Pass {
    name: "jam-nests",
    description: "runs several iterations of an outer loop through the loops inside together (unroll and jam), as `share-rows` chose",
    run: jam_nests,
    keeps_errors: false,
    keeps_facts: false,
};

/// Unrolls short loops inside of lanes.
pub const UNROLL: Pass = Pass {
    name: "unroll",
    description: "fully unrolls a short inner loop, where an enclosing loop takes the lanes",
    run: unroll,
    keeps_errors: false,
    keeps_facts: false,
};

/// Marks each loop with the verdict about its lanes.
pub const VERDICTS: Pass = Pass {
    name: "verdicts",
    description: "marks each loop with the verdict about its lanes: how many it is to have, or the reason why it stays in order",
    run: verdicts,
    keeps_errors: true,
    keeps_facts: true,
};

/// Lets lanes run iterations together that lie close to each other in all ranges.
pub const TILES: Pass = Pass {
    name: "tiles",
    description: "writes a `foreach` that is marked `@tiled` as loops over tiles, whose iterations are the lanes",
    run: tiles,
    keeps_errors: false,
    keeps_facts: false,
};

/// Vectorises loops whose iterations can run as lanes.
pub const VECTOR: Pass = Pass {
    name: "vector",
    description: "runs the iterations of a loop as lanes, where that is known to be correct",
    run: vector,
    keeps_errors: false,
    keeps_facts: false,
};

/// Peels the tail of vector loops, and removes the masks from their whole groups.
pub const SPECIALISE: Pass = Pass {
    name: "specialise",
    description: "runs whole groups of lanes without a mask in a main loop, and the remaining iterations in a peeled tail with \
     a mask, or in a last group that overlaps",
    run: specialise,
    keeps_errors: false,
    keeps_facts: false,
};

/// Merges the accesses of lanes to neighbouring cells.
pub const MEMORY: Pass = Pass {
    name: "memory",
    description: "replaces gathers and scatters with a known pattern, or from few cells, by contiguous loads and stores with \
     shuffles",
    run: memory,
    keeps_errors: false,
    keeps_facts: false,
};

/// Loads parts of rows that lanes go along.
pub const ROWS: Pass = Pass {
    name: "rows",
    description: "loads 16 bytes of each row at once, and exchanges them in registers, where each lane goes along a row of its own",
    run: rows,
    keeps_errors: false,
    keeps_facts: false,
};

/// Runs several iterations of a loop in order in each round.
pub const PARTIAL_UNROLL: Pass = Pass {
    name: "partial-unroll",
    description: "does several iterations of a loop in order in each round, as `@unroll` asks for, and the rest one by one",
    run: partial_unroll,
    keeps_errors: false,
    keeps_facts: false,
};

/// Makes vector ops of statements in a row.
pub const PACK: Pass = Pass {
    name: "pack",
    description: "makes vector operations of statements in a row that do the same to neighbouring cells or to what a loop carries, where \
     that lowers the cost",
    run: pack,
    keeps_errors: false,
    keeps_facts: false,
};

/// Removes loads of cells whose value is known.
pub const LOAD_REUSE: Pass = Pass {
    name: "load-reuse",
    description: "reuses loaded or stored values instead of loading cells again that cannot have changed since",
    run: load_reuse,
    keeps_errors: true,
    keeps_facts: false,
};

/// Replaces each `select` by a side of it, where all demanded lanes take that side.
pub const DEMANDED_LANES: Pass = Pass {
    name: "demanded-lanes",
    description: "replaces a `select` by one of its sides, where only lanes that take this side are used",
    run: |kernel, _| demanded_lanes(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Evaluates and simplifies ops with known operands.
pub const FOLD: Pass = Pass {
    name: "fold",
    description: "folds constants, and removes arithmetic and branches without effect",
    run: fold,
    keeps_errors: true,
    keeps_facts: false,
};

/// Eliminates common subexpressions.
pub const CSE: Pass = Pass {
    name: "cse",
    description: "eliminates common subexpressions: a value that is computed again is reused",
    run: |kernel, _| cse(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Merges neighbouring branches on one condition.
pub const MERGE_BRANCHES: Pass = Pass {
    name: "merge-branches",
    description: "merges neighbouring branches on one condition, so that what they share is computed once",
    run: |kernel, _| merge_branches(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Moves loop-invariant ops out of loops.
pub const HOIST: Pass = Pass {
    name: "hoist",
    description: "hoists loop-invariant values that cannot fail out of their loop",
    run: |kernel, _| hoist(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Eliminates dead code.
pub const DCE: Pass = Pass {
    name: "dce",
    description: "removes unused values without effects, and carried values that are never used",
    run: |kernel, _| dce(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Merges the stores of the two sides of a branch.
pub const MERGE_STORES: Pass = Pass {
    name: "merge-stores",
    description: "merges two stores to the same cells, as under a condition and under its negation, into one store of a `select`, and stores all lanes where a \
     mask costs more",
    run: |kernel, context| merge_stores(kernel, context),
    keeps_errors: false,
    keeps_facts: false,
};

/// Replaces choices between a difference and its negative by the magnitude of the difference.
pub const DISTANCES: Pass = Pass {
    name: "distances",
    description: "computes the difference of the larger and the smaller of two numbers as the magnitude of a difference, if the \
     target has no instruction for it",
    run: distances,
    keeps_errors: true,
    keeps_facts: false,
};

/// Joins what branches choose to floats that loops carry.
pub const CHOSEN_SUMS: Pass = Pass {
    name: "chosen-sums",
    description: "joins what a branch chooses to a float that a loop carries, or what changes nothing, in place of a choice between the \
     float and the sum",
    run: |kernel, _| chosen_sums(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Replaces the loop over a peeled tail by a branch.
pub const TAIL: Pass = Pass {
    name: "tail",
    description: "turns the loop over the peeled tail, which has one group at most, into a branch",
    run: |kernel, _| tail(kernel),
    keeps_errors: false,
    keeps_facts: false,
};

/// Interleaves several groups of lanes in each iteration.
pub const INTERLEAVE: Pass = Pass {
    name: "interleave",
    description: "interleaves several groups of lanes in each iteration of a loop, where they do not depend on each other",
    run: interleave,
    keeps_errors: false,
    keeps_facts: false,
};

/// Adds products of short integers pair by pair.
pub const PRODUCTS: Pass = Pass {
    name: "products",
    description: "adds the products of short integers in pairs of neighbouring lanes first, where the target has an instruction \
     that multiplies and adds them",
    run: products,
    keeps_errors: false,
    keeps_facts: false,
};

/// Carries what a loop takes from the last lane of each group in all lanes.
pub const LAST_LANE: Pass = Pass {
    name: "last-lane",
    description: "carries what each group of lanes takes from the last lane of the one before in all lanes, so that groups do not wait for a \
     scalar",
    run: |kernel, _| last_lane(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Reduces behind a loop what each of its iterations reduced.
pub const REDUCE_LATE: Pass = Pass {
    name: "reduce-late",
    description: "joins lanes to lanes where each iteration of a loop reduced its own, and reduces them once behind the loop",
    run: |kernel, _| reduce_late(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Makes choices by the mask of a branch in the branch.
pub const BRANCH_CHOICES: Pass = Pass {
    name: "branch-choices",
    description: "makes choices by the mask of a branch in the branch, so that groups of lanes that do not take it choose nothing",
    run: |kernel, _| branch_choices(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Adds neighbouring bytes, or distances between bytes, first.
pub const BYTE_SUMS: Pass = Pass {
    name: "byte-sums",
    description: "adds bytes, or the distances between bytes, in groups of eight neighbouring lanes first, where the target has an \
     instruction for it",
    run: byte_sums,
    keeps_errors: false,
    keeps_facts: false,
};

/// Sees bytes as wider integers, and the other way around.
pub const REGROUP: Pass = Pass {
    name: "regroup",
    description: "sees neighbouring bytes that are joined to wider integers, or integers that are cut into bytes, as one vector of elements of \
     another size",
    run: |kernel, _| regroup(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Computes what is stored in turns in the order of the cells.
pub const MEMORY_ORDER: Pass = Pass {
    name: "memory-order",
    description: "computes values that are stored in turns, such as the members of pixels, in the order of their cells where they are computed \
     alike, so that the shuffles in front of it and behind it go",
    run: memory_order,
    keeps_errors: true,
    keeps_facts: false,
};

/// Computes masks of groups of lanes from the number of indices that are left.
pub const ACTIVE_LANES: Pass = Pass {
    name: "active-lanes",
    description: "computes the mask of a group of lanes from the number of indices that are left, instead of comparing the index of each lane",
    run: |kernel, _| active_lanes(kernel),
    keeps_errors: true,
    keeps_facts: false,
};

/// Has stores go past the cache where a loop asks for it.
pub const STREAM: Pass = Pass {
    name: "stream",
    description: "has full vectors that a loop marked `@stream` stores go past the cache, where the target has such stores",
    run: stream,
    keeps_errors: true,
    keeps_facts: true,
};

/// Decides whether lanes are picked by an instruction.
pub const PICKS: Pass = Pass {
    name: "picks",
    description: "has lanes that are picked by number stored to memory and loaded from there, where that costs less than the \
     target's instructions",
    run: picks,
    keeps_errors: true,
    keeps_facts: true,
};

/// Compares sizes that have to be equal before anything else is done.
pub const CHECKS: Pass = Pass {
    name: "checks",
    description: "moves checks of sizes, that they are equal or not 0, to the entry, where native code makes them as well, if parameters say the sizes \
     and whether the run gets to where they are needed",
    run: checks,
    keeps_errors: false,
    keeps_facts: false,
};

/// Gives new arrays places on the stack, or in memory that the caller passes.
pub const SCRATCH: Pass = Pass {
    name: "scratch",
    description: "gives new arrays places in scratch memory, which the caller passes, if they are large or of a size that parameters say; \
     small ones stay on the stack",
    run: scratch,
    keeps_errors: true,
    keeps_facts: false,
};

/// Values that are to be replaced by others.
type Replacements = EntityVec<Value, Option<Value>>;

/// The last replacement of a value.
fn replaced(new: &Replacements, mut value: Value) -> Value {
    while let Some(next) = new[value] {
        value = next;
    }
    value
}

/// Replaces a value; its name goes over to a value that has none.
fn replace(kernel: &mut Kernel, new: &mut Replacements, old: Value, by: Value) {
    new[old] = Some(by);
    if kernel.values[by].name.is_none() && kernel.as_const(by).is_none() {
        kernel.values[by].name = kernel.values[old].name.clone();
    }
}

#[cfg(test)]
mod group_tests;
#[cfg(test)]
mod parallel_tests;
#[cfg(test)]
mod tests;
