//! Passes: plain functions from kernel to kernel, one in each file, and the table of all.
//!
//! Passes know ops by what the op table says of them: operands, results, regions, effects. A kernel that is
//! verified is still so after a pass; a run without an error gives the same bits. Most passes keep errors too, code,
//! iteration and place, as long as nothing runs in lanes; those that change the order of what is done may not.

mod alias_checks;
mod choice;
pub mod cost;
mod cse;
mod dce;
pub mod decision;
mod demanded_lanes;
mod distances;
pub mod docs;
mod early_exit;
mod fold;
mod hoist;
mod interchange;
mod interleave;
mod jam;
mod legalise;
mod load_reuse;
mod memory;
mod merge_stores;
pub mod outcome;
pub mod pipeline;
mod products;
mod reorder;
mod specialise;
mod split;
mod tail;
mod trial;
mod unroll;
mod vector;

use std::sync::Arc;

use crate::pipeline::Options;
use facts::dependence::Limits;
use facts::loops;
use facts::loops::Loops;
use ir::cancel::CancelToken;
use ir::entities::{EntityVec, Value};
use ir::forest::LoopForest;
use ir::program::Kernel;
use ir::uses::Uses;

pub use alias_checks::alias_checks;
pub use choice::{Candidate, Choice, choose};
pub use cse::cse;
pub use dce::dce;
pub use decision::{Decision, Said};
pub use demanded_lanes::demanded_lanes;
pub use distances::distances;
pub use early_exit::early_exit;
pub use fold::fold;
pub use hoist::hoist;
pub use interchange::interchange;
pub use interleave::interleave;
pub use jam::jam;
pub use legalise::legalise;
pub use load_reuse::load_reuse;
pub use memory::{MOST_LOOKED_UP, memory};
pub use merge_stores::merge_stores;
pub use outcome::{AccessForm, Outcomes};
pub use products::products;
pub use reorder::reorder;
pub use specialise::specialise;
pub use split::split;
pub use tail::tail;
pub use trial::total_cost;
pub use unroll::unroll;
pub use vector::{Refusal, refusal, vector};

/// A pass, and what is told about it.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// The name in options and reports.
    pub name: &'static str,
    /// The description.
    pub description: &'static str,
    /// Does it; says whether anything changed. Callers use [`Pass::apply`].
    run: fn(&mut Kernel, &mut Context) -> bool,
    /// A run that ends in an error ends in the same one, as long as nothing runs in lanes.
    pub keeps_errors: bool,
}

impl Pass {
    /// Runs the pass; says whether anything changed.
    pub fn apply(&self, kernel: &mut Kernel, context: &mut Context) -> bool {
        context.limits.cancel.check_cancelled();
        let changed = (self.run)(kernel, context);
        if changed {
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
    /// How much may be looked at, and what is called while that goes on.
    limits: Limits<'o>,
    /// The verdicts on the kernel as it is now, if somebody has asked for them.
    loops: Option<Arc<Loops>>,
    /// The loops that take the lanes, likewise.
    choice: Option<Arc<Choice>>,
    /// The loops as trees, likewise.
    forest: Option<Arc<LoopForest>>,
    /// The users of each value, likewise.
    uses: Option<Arc<Uses>>,
    /// The decisions since somebody took them out.
    decisions: Vec<Decision>,
    /// What became of loops and accesses so far.
    pub(crate) outcomes: Outcomes,
}

impl<'o> Context<'o> {
    /// The start of the way.
    pub fn new(options: &'o Options) -> Context<'o> {
        Context {
            options,
            limits: Limits::default(),
            loops: None,
            choice: None,
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
        Context { limits: Limits { cancel, ..self.limits }, ..self }
    }

    /// The verdicts on the loops of a scalar kernel. They are found once, and stand until a pass changes the kernel; a
    /// pass asks before it changes anything.
    pub fn loops(&mut self, kernel: &Kernel) -> Arc<Loops> {
        if self.loops.is_none() {
            let (forest, uses) = (self.forest(kernel), self.uses(kernel));
            self.loops = Some(Arc::new(loops::loops_in(kernel, forest, &uses, &self.limits)));
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

    /// Which loops take the lanes, and which they were chosen from; likewise.
    pub fn choice(&mut self, kernel: &Kernel) -> Arc<Choice> {
        let loops = self.loops(kernel);
        self.choice.get_or_insert_with(|| Arc::new(choose(kernel, &loops, self.options.target))).clone()
    }

    /// Forgets what is known about the kernel, which has been changed or has got other numbers.
    pub fn forget(&mut self) {
        (self.loops, self.choice, self.forest, self.uses) = (None, None, None, None);
    }

    /// Records a decision.
    pub fn decide(&mut self, decision: Decision) {
        self.decisions.push(decision);
    }

    /// The decisions since this was last asked.
    pub fn take_decisions(&mut self) -> Vec<Decision> {
        std::mem::take(&mut self.decisions)
    }
}

/// All passes.
pub const PASSES: &[Pass] = &[
    LEGALISE,
    EARLY_EXIT,
    ALIAS_CHECKS,
    REORDER,
    INTERCHANGE,
    SPLIT,
    JAM,
    UNROLL,
    VECTOR,
    SPECIALISE,
    MEMORY,
    FOLD,
    CSE,
    LOAD_REUSE,
    DEMANDED_LANES,
    HOIST,
    DCE,
    MERGE_STORES,
    DISTANCES,
    TAIL,
    INTERLEAVE,
    PRODUCTS,
];

/// Gives a form in lanes to what lanes that run together do by themselves.
pub const LEGALISE: Pass = Pass {
    name: "legalise",
    description: "writes what has no form in lanes as loops, loads and stores of each lane, where lanes run together",
    run: legalise,
    keeps_errors: false,
};

/// Lets loops that may be left early go in blocks.
pub const EARLY_EXIT: Pass = Pass {
    name: "early-exit",
    description: "asks of a whole block of iterations whether one of them is the last, and does in lanes those blocks that have none",
    run: early_exit,
    keeps_errors: false,
};

/// Tests whether arrays overlap.
pub const ALIAS_CHECKS: Pass = Pass {
    name: "alias-checks",
    description: "tests at run time whether arrays overlap that may, and lets loops over them run as lanes where they do not",
    run: alias_checks,
    keeps_errors: true,
};

/// Puts statements in an order that can run as lanes.
pub const REORDER: Pass = Pass {
    name: "reorder",
    description: "puts the statements of a loop in an order in which its iterations can run as lanes",
    run: reorder,
    keeps_errors: false,
};

/// Exchanges loops.
pub const INTERCHANGE: Pass = Pass {
    name: "interchange",
    description: "exchanges loops, one right inside the other, so that lanes run along the inner one, where that is less work",
    run: interchange,
    keeps_errors: false,
};

/// Takes loops apart.
pub const SPLIT: Pass = Pass {
    name: "split",
    description: "takes a loop apart into what can run as lanes and what cannot, where that is less work",
    run: split,
    keeps_errors: false,
};

/// Takes iterations of an outer loop together.
pub const JAM: Pass = Pass {
    name: "jam",
    description: "takes several iterations of an outer loop through the inner one together, where they change the same cells",
    run: jam,
    keeps_errors: false,
};

/// Writes short loops out.
pub const UNROLL: Pass = Pass {
    name: "unroll",
    description: "writes an inner loop of few rounds out, round by round, where a loop around it takes the lanes",
    run: unroll,
    keeps_errors: false,
};

/// Gives loops lanes.
pub const VECTOR: Pass = Pass {
    name: "vector",
    description: "runs the iterations of a loop as lanes where that is known to keep its meaning",
    run: vector,
    keeps_errors: false,
};

/// Takes the masks out of whole groups of lanes.
pub const SPECIALISE: Pass = Pass {
    name: "specialise",
    description: "runs whole groups of lanes without a mask, and what is left as one group with one",
    run: specialise,
    keeps_errors: false,
};

/// Takes neighbouring cells together.
pub const MEMORY: Pass = Pass {
    name: "memory",
    description: "loads and stores neighbouring cells and shuffles them, where lanes gather or scatter in a known order or out of a few cells",
    run: memory,
    keeps_errors: false,
};

/// Loads nothing twice.
pub const LOAD_REUSE: Pass = Pass {
    name: "load-reuse",
    description: "takes what was loaded or stored before, where it cannot have changed since, for what would be loaded again",
    run: load_reuse,
    keeps_errors: true,
};

/// Chooses nothing between lanes that nobody asks.
pub const DEMANDED_LANES: Pass = Pass {
    name: "demanded-lanes",
    description: "takes one side of a choice between lanes where only lanes are asked that take that side",
    run: |kernel, _| demanded_lanes(kernel),
    keeps_errors: true,
};

/// Computes what is known.
pub const FOLD: Pass = Pass {
    name: "fold",
    description: "computes what is known before the kernel runs, and drops arithmetic and branches that change nothing",
    run: fold,
    keeps_errors: true,
};

/// Shares equal values.
pub const CSE: Pass = Pass {
    name: "cse",
    description: "computes a value once where the same one is computed again",
    run: |kernel, _| cse(kernel),
    keeps_errors: true,
};

/// Moves what does not change out of loops.
pub const HOIST: Pass = Pass {
    name: "hoist",
    description: "computes before a loop what is the same in each of its iterations, if it cannot fail",
    run: |kernel, _| hoist(kernel),
    keeps_errors: true,
};

/// Drops what nobody uses.
pub const DCE: Pass = Pass {
    name: "dce",
    description: "drops what is not used and does nothing else, and what is carried for nobody",
    run: |kernel, _| dce(kernel),
    keeps_errors: true,
};

/// Stores once for two sides of a branch.
pub const MERGE_STORES: Pass = Pass {
    name: "merge-stores",
    description: "stores once what lanes chose, where they stored the same cells under a condition and under its opposite",
    run: |kernel, _| merge_stores(kernel),
    keeps_errors: false,
};

/// Takes magnitudes of differences for distances.
pub const DISTANCES: Pass = Pass {
    name: "distances",
    description: "takes the magnitude of a difference where lanes subtract the smaller number from the larger, if the target has no instruction for that",
    run: distances,
    keeps_errors: true,
};

/// Makes a branch of what is left.
pub const TAIL: Pass = Pass {
    name: "tail",
    description: "makes a branch of the loop over what whole groups of lanes leave, which has one group at most",
    run: |kernel, _| tail(kernel),
    keeps_errors: false,
};

/// Does several groups in each round.
pub const INTERLEAVE: Pass = Pass {
    name: "interleave",
    description: "does several groups of lanes in each round of a loop, where they do not wait for each other then",
    run: interleave,
    keeps_errors: false,
};

/// Adds products of short integers pair by pair.
pub const PRODUCTS: Pass = Pass {
    name: "products",
    description: "adds products of short integers to those of the next lane first, where the target has an instruction for both",
    run: products,
    keeps_errors: false,
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
