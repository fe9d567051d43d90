//! The pipeline of a kernel, as data: its stages, and the passes that lead to each.
//!
//! The explorer, `--stage` and the docs are generated from [`pipeline`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate as passes;
use crate::decision::{Decision, Said};
use crate::outcome::Outcomes;
use crate::{Context, Pass};
use ir::program::Kernel;
use ir::target;
use ir::target::Target;
use ir::verify::{Violation, verify, verify_scalar};

/// A point on the way, at which a kernel can be looked at.
#[derive(Debug, Clone, Copy)]
pub struct KernelStage {
    /// The name in options and reports.
    pub name: &'static str,
    /// The description: what has become visible there.
    pub shows: &'static str,
    /// The passes that lead to it, in order.
    pub passes: &'static [Pass],
    /// True if its passes, and the first one of the next stage, ask for facts: then entities are numbered after each change, so that the
    /// facts stand for all that follows.
    asks_for_facts: bool,
}

/// The stages of the pipeline, in order.
const STAGES: &[KernelStage] = &[
    KernelStage {
        name: "arrays",
        asks_for_facts: false,
        shows: "Lane IR: calls inlined, variables as values, early exits as flags, and operations on whole arrays with their shapes",
        passes: &[],
    },
    KernelStage {
        name: "sequential",
        asks_for_facts: false,
        shows: "scalar Lane IR: whole arrays fused, and as loops that build in place",
        passes: &[passes::ARRAYS],
    },
    KernelStage {
        name: "parallel",
        asks_for_facts: true,
        shows: "loops prepared for lanes: loops fused, divided and split, nests interchanged, statements reordered; each with the verdict about its lanes",
        passes: &[
            passes::REGISTERS,
            passes::LEGALISE,
            passes::UNSET,
            passes::COMMON_ACCESSES,
            passes::FUSE_LOOPS,
            passes::EARLY_EXIT,
            passes::ALIAS_CHECKS,
            passes::ALTERNATING,
            passes::DISTANCE_CHECKS,
            passes::UNIT_STEPS,
            passes::LANE_SUMS,
            passes::UNROLL,
            passes::PEEL,
            passes::INDEX_SETS,
            passes::INTERCHANGE,
            passes::SPLIT,
            passes::REORDER,
            passes::PROMOTE,
            passes::CARRY,
            passes::IN_TURN,
            passes::NARROW,
            passes::JAM,
            passes::SHARE_ROWS,
            passes::UNROLL,
            passes::EXTREMES,
            passes::VERDICTS,
        ],
    },
    KernelStage {
        name: "vector",
        asks_for_facts: false,
        shows: "loops in lanes: lane indices, masks of active lanes, masked loads and stores, gathers and scatters",
        passes: &[passes::TILES, passes::VECTOR],
    },
    KernelStage {
        name: "specialised",
        asks_for_facts: false,
        shows: "the main loop without masks, and a peeled tail with a mask, or a last group that overlaps the one before; no tail where no iteration can be left",
        passes: &[passes::SPECIALISE],
    },
    KernelStage {
        name: "memory",
        asks_for_facts: false,
        shows: "gathers and scatters with a known pattern replaced by contiguous loads and stores with shuffles",
        passes: &[passes::MEMORY, passes::ROWS],
    },
    KernelStage {
        name: "packed",
        asks_for_facts: false,
        shows: "iterations of outer loops taken together, loops unrolled as `@unroll` asks for, and statements in a row that do the same to neighbouring cells packed into vectors",
        passes: &[passes::JAM_NESTS, passes::PARTIAL_UNROLL, passes::PACK],
    },
    KernelStage {
        name: "final",
        asks_for_facts: false,
        shows: "constants folded, common subexpressions eliminated, loads reused, branches merged, loop invariants hoisted, dead code removed, \
         groups of lanes interleaved, checks of sizes moved to the entry, new arrays placed",
        passes: &[
            passes::FOLD,
            passes::CSE,
            passes::LOAD_REUSE,
            passes::DEMANDED_LANES,
            passes::FOLD,
            // What two of three sides load has become one load, for the other side of the first.
            passes::LOAD_REUSE,
            passes::MERGE_BRANCHES,
            passes::CSE,
            passes::MERGE_BRANCHES,
            passes::HOIST,
            passes::CSE,
            passes::DCE,
            passes::REDUCE_LATE,
            passes::MERGE_STORES,
            passes::DISTANCES,
            passes::CHOSEN_SUMS,
            passes::TAIL,
            passes::INTERLEAVE,
            passes::LAST_LANE,
            passes::PRODUCTS,
            passes::BYTE_SUMS,
            passes::REGROUP,
            passes::MEMORY_ORDER,
            passes::STREAM,
            passes::ACTIVE_LANES,
            passes::BRANCH_CHOICES,
            passes::DCE,
            passes::PICKS,
            passes::CHECKS,
            passes::SCRATCH,
        ],
    },
];

/// The stages that lead to machine code for a target. Their names are the same for all targets.
pub fn pipeline(_: &Target) -> &'static [KernelStage] {
    STAGES
}

/// The target and the lanes that a kernel is made for. Everything that changes what a pass does stands here, so the same kernel and the same
/// options always give the same stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Options {
    /// The number of lanes for all loops; `None` leaves each loop to its own marks and the target.
    pub lanes: Option<u16>,
    /// The target that the kernel is compiled for.
    pub target: &'static Target,
}

impl Default for Options {
    /// The default options: machines that most people have.
    fn default() -> Self {
        Options { lanes: None, target: target::reference() }
    }
}

/// A kernel at a stage, and how it came there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The name of the stage.
    pub stage: &'static str,
    /// The kernel there; the very one of the stage before where no pass changed anything.
    pub kernel: Arc<Kernel>,
    /// The runs of the stage's passes.
    pub passes: Vec<PassRun>,
    /// The outcomes of loops and accesses up to this stage.
    pub outcomes: Arc<Outcomes>,
}

/// The run of a pass.
#[derive(Debug, Clone)]
pub struct PassRun {
    /// The name of the pass.
    pub name: &'static str,
    /// True if it changed anything.
    pub changed: bool,
    /// The decisions, with their reasons.
    pub decisions: Vec<Decision>,
    /// The time that the pass took.
    pub time: Duration,
}

// The time is not compared: two runs that changed the same are equal, so that queries on one hold for the other.
impl PartialEq for PassRun {
    fn eq(&self, other: &PassRun) -> bool {
        (self.name, self.changed, &self.decisions) == (other.name, other.changed, &other.decisions)
    }
}

impl Eq for PassRun {}

impl Reached {
    /// Says whether the kernel differs from the stage before.
    pub fn changed(&self) -> bool {
        self.passes.iter().any(|pass| pass.changed)
    }
}

/// A pass that broke what holds for every kernel.
#[derive(Debug, Clone)]
pub struct Broken {
    /// The pass; `None` if the kernel was broken from the start.
    pub pass: Option<&'static str>,
    /// The invariants that are broken.
    pub violations: Vec<Violation>,
}

/// Takes a kernel at `arrays` through all stages, and verifies it after every pass if asked to.
pub fn run(kernel: Kernel, options: &Options, verified: bool) -> Result<Vec<Reached>, Broken> {
    run_in(kernel, Context::new(options), verified)
}

/// Takes a kernel through all stages in a context that may know something about it already.
pub fn run_in(kernel: Kernel, mut context: Context, verified: bool) -> Result<Vec<Reached>, Broken> {
    let mut reached: Vec<Reached> = Vec::new();
    let mut outcomes = Arc::new(context.outcomes.clone());
    through_stages(kernel, &mut context, verified, |stage, kernel, context, passes| {
        let shown = match reached.last() {
            Some(before) if passes.iter().all(|pass| !pass.changed) => before.kernel.clone(),
            _ => Arc::new(kernel.clone()),
        };
        if *outcomes != context.outcomes {
            outcomes = Arc::new(context.outcomes.clone());
        }
        reached.push(Reached { stage: stage.name, kernel: shown, passes, outcomes: outcomes.clone() });
    })?;
    Ok(reached)
}

/// The outcomes of a kernel's loops and accesses after all stages, for who does not want to see the stages.
pub fn outcomes_in(kernel: Kernel, mut context: Context, verified: bool) -> Result<Outcomes, Broken> {
    through_stages(kernel, &mut context, verified, |_, _, _, _| {})?;
    Ok(context.outcomes)
}

/// Takes a kernel through all stages, and shows each to `reach`, with the runs of its passes.
fn through_stages<'o>(
    mut kernel: Kernel,
    context: &mut Context<'o>,
    verified: bool,
    mut reach: impl FnMut(&KernelStage, &Kernel, &Context<'o>, Vec<PassRun>),
) -> Result<(), Broken> {
    let check = |kernel: &Kernel, pass| match verified.then(|| verify_scalar(kernel)) {
        Some(Err(violations)) => Err(Broken { pass, violations }),
        _ => Ok(()),
    };
    if verified {
        verify(&kernel).map_err(|violations| Broken { pass: None, violations })?;
    }
    for (n, stage) in pipeline(context.options.target).iter().enumerate() {
        let mut passes = Vec::new();
        // The marks of loops number nothing anew, so what is known about the kernel stands.
        let mut is_in_order = n > 0;
        for pass in stage.passes {
            let start = Instant::now();
            let changed = pass.apply(&mut kernel, context);
            let decisions = of_main_parts(&kernel, context.take_decisions());
            is_in_order &= !changed || pass.keeps_facts;
            if !is_in_order && stage.asks_for_facts {
                number(&mut kernel, context);
                is_in_order = true;
            }
            passes.push(PassRun { name: pass.name, changed, decisions, time: start.elapsed() });
            check(&kernel, Some(pass.name))?;
        }
        if !is_in_order {
            number(&mut kernel, context);
        }
        reach(stage, &kernel, context, passes);
    }
    if verified {
        let forgotten = context.outcomes.differs_from(&kernel);
        assert!(forgotten.is_empty(), "what became of the accesses at {forgotten:?} was not recorded as it is");
    }
    Ok(())
}

/// Numbers the entities of a kernel in order, and forgets what is known of it if that gave them other numbers.
fn number(kernel: &mut Kernel, context: &mut Context) {
    let (new, numbers) = ir::numbered(std::mem::replace(kernel, Kernel::new("")));
    *kernel = new;
    if !numbers.are_the_same {
        context.forget();
    }
}

/// The decisions about main parts, and about what has none, in terms of the places that all stages know: what a main part leaves is
/// done a few times at most, so what is decided there is not told.
fn of_main_parts(kernel: &Kernel, decisions: Vec<Decision>) -> Vec<Decision> {
    let is_main = |decision: &Decision| kernel.origins[decision.origin].rest_of.is_none();
    let mut kept: Vec<Decision> = decisions.into_iter().filter(is_main).collect();
    for said in kept.iter_mut().flat_map(|decision| &mut decision.because) {
        if let Said::Place(origin) = said {
            *origin = kernel.main_origin(*origin);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_those_of_the_last_stage() {
        let text = "\
kernel k(a: f32[n], b: f32[n], c: i32[n], n: i32):
    for i in range(0, n):
        b[i] = (a[((n - 1) - i)] * 2.0)
    for i in range(0, n):
        b[c[i]] = (a[(2 * i)] + b[i])
";
        let kernel = ir::read(text, None).expect("a kernel").remove(0);
        for target in target::names().into_iter().filter_map(target::find) {
            let options = Options { target, ..Options::default() };
            let reached = run(kernel.clone(), &options, true).expect("stages");
            let outcomes = outcomes_in(kernel.clone(), Context::new(&options), true).expect("outcomes");
            assert_eq!(Some(&outcomes), reached.last().map(|last| &*last.outcomes), "{}", target.name);
        }
    }

    #[test]
    fn what_is_known_of_a_kernel_in_order_stands() {
        let text = "\
kernel k(a: f32[n], n: i32):
    for i in range(0, n):
        a[i] = (a[i] * 2.0)
";
        let kernel = ir::read(text, None).expect("a kernel").remove(0);
        let options = Options::default();
        let n_lanes = |kernel: &Kernel, context: Context| {
            let mut n_lanes = None;
            let outcomes = outcomes_in(kernel.clone(), context, true).expect("outcomes");
            kernel.walk(kernel.body, &mut |_, op| {
                n_lanes = n_lanes.max(outcomes.lanes(kernel.origins[kernel.ops[op].origin].place));
            });
            n_lanes
        };
        // Who is told that there are no loops believes it, unless the kernel gets other numbers.
        let known = || Context::knowing(&options, Arc::default());
        assert!(n_lanes(&kernel, Context::new(&options)).is_some());
        assert_eq!(n_lanes(&kernel, known()), None);
        let mut other = kernel.clone();
        let body = other.regions[other.body].ops.clone();
        let unlisted = other.ops[body[0]].clone();
        other.regions[other.body].ops.clear();
        let moved = other.ops.push(unlisted);
        other.regions[other.body].ops.push(moved);
        assert!(n_lanes(&other, known()).is_some());
    }
}
