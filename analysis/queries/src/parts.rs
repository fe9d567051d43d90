//! The kernels by which threads divide a kernel under `@threads`, behind all passes.

use std::sync::Arc;

use ir::interp::{Inputs, Limits, Machine, MachineStatus};
use ir::{CancelToken, Elem, Kernel, Scalar};
use passes::Context;
use passes::parts::{IterationBlocks, iterations, join, loop_of_parts, part};
use passes::pipeline::{self, Options};

use crate::db::Item;
use crate::lowering::{sequential, verdicts};

/// A kernel's part and the count of its iterations, or of blocks of them.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The kernel that runs a range of the iterations, behind all passes.
    pub part: Arc<Kernel>,
    /// The kernel that counts the iterations, behind all passes.
    pub iterations: Arc<Kernel>,
    /// The numbers of the parameters of the whole kernel that it has.
    counted_by: Vec<usize>,
    /// The kernel that joins what parts have come to, where the whole kernel gives a result.
    pub join: Option<JoinKernel>,
}

/// The kernel that joins partial results, one of each block of iterations, and gives the result.
#[derive(Debug, Clone)]
pub struct JoinKernel {
    /// The kernel, behind all passes.
    pub kernel: Arc<Kernel>,
    /// The elements of the arrays of partial results, which are its first parameters.
    pub partials: Vec<Elem>,
    /// The numbers of the parameters of the whole kernel that it has behind those.
    pub given: Vec<usize>,
    /// True if the result has the bits of the whole kernel's: sums and products of floats in blocks are others than in one piece.
    pub is_exact: bool,
}

impl Parts {
    /// The number of iterations that there are for inputs of the whole kernel.
    pub fn count(&self, inputs: &Inputs) -> Option<i64> {
        let args = self.counted_by.iter().map(|&number| inputs.args[number].clone()).collect();
        let inputs = Inputs { args, memory: inputs.memory.clone() };
        let mut machine = Machine::new(Arc::clone(&self.iterations), inputs).ok()?;
        let mut limits = Limits { fuel: 1_000_000, breakpoints: &Default::default(), cancelled: &mut || false };
        machine.run(&mut limits);
        match machine.status() {
            MachineStatus::Done(Some(Scalar::I64(count))) => Some(*count),
            _ => None,
        }
    }
}

/// The parts of a kernel for a target; `None` where it has no `@threads`, or breaks that promise.
pub fn parts(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Option<Parts> {
    let lowering = sequential(db, item);
    let is_whole = lowering.is_sound && lowering.findings.is_empty();
    let kernel = lowering.kernel.as_ref().filter(|kernel| is_whole && kernel.marks.threads)?;
    let divided = loop_of_parts(kernel, verdicts(db, item)).ok()?;
    let (iterations, counted_by) = iterations(kernel, &divided);
    let [part, iterations] = [part(kernel, &divided), iterations].map(|kernel| last(db, kernel, options));
    let join = join(kernel, &divided).map(|(kernel, given)| {
        let partials = divided.blocks.iter().flat_map(|blocks| &blocks.partials);
        let partials = partials.map(|partial| partial.identity.elem()).collect();
        let is_exact = divided.blocks.as_ref().is_some_and(IterationBlocks::are_exact);
        JoinKernel { kernel: last(db, kernel, options), partials, given, is_exact }
    });
    Some(Parts { part, iterations, counted_by, join })
}

/// A kernel behind all passes. A pass that breaks it is a bug of ours; where assertions are on, it shows at once.
fn last(db: &dyn salsa::Database, kernel: Kernel, options: Options) -> Arc<Kernel> {
    let check_cancelled = || db.unwind_if_revision_cancelled();
    let context = Context::new(&options).with_cancel(CancelToken::new(&check_cancelled));
    let reached = pipeline::run_in(kernel, context, cfg!(debug_assertions));
    let reached = reached.unwrap_or_else(|broken| panic!("{broken:?}"));
    reached.last().expect("a pipeline has stages").kernel.clone()
}
