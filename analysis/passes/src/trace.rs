//! Traces: some iterations of a loop as one straight line with guards, and what of it can be done together.
//!
//! ```text
//! for i in range(n):            S_1  guard(i < n)               S_6   i_1 = i + 1
//!     a[i] = b[i] + c[i]        S_2  v2 = b[i]                  S_7   guard(i_1 < n)
//!                               S_3  v3 = c[i]                  S_8   v8 = b[i_1]
//!                               S_4  v4 = v2 + v3               …
//!                               S_5  a[i] = v4
//! ```
//!
//! A line has no loop header and no way but one: the way through the body that goes on, and the rest is *guards*. Where a guard fails the group
//! runs in order, from its first iteration on; as no store is done before all guards hold, nothing has to be taken back. The dependences
//! of a line are acyclic, so any two statements can be asked whether one waits for the other; the method ([`superwords`]) finds those
//! that do the same to neighbouring cells, and an order in which they are one.
//!
//! A trace is looked at, and not run: loops get their lanes as loops, and blocks are packed by `pack`, which shares the dependence graph. It
//! shows how a compiler for traces sees a loop, and why two statements cannot be done together.
//!
//! - [`line`]: the straight line
//! - [`superwords`]: pairs, packs, the guards that are left, the schedule
//! - [`words`]: all of that as text

mod line;
mod superwords;
mod words;

#[cfg(test)]
mod tests;

use crate::Context;
use crate::pack::block::Block;
use crate::pipeline::Options;
use facts::facts_of_values;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Origin};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::target::Target;
use line::{Line, innermost};
use superwords::Superwords;

/// The most ops of a line that are compared with each other.
const MOST_OPS: usize = 512;

/// The most iterations of a line that nobody has asked for.
const MOST_ITERATIONS: usize = 16;

/// The trace of a loop, or of a kernel that has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// The loop's place, or the kernel's.
    pub origin: Origin,
    /// The source of the line: so many iterations, or a whole kernel.
    pub of: TraceOf,
    /// The text about it.
    pub lines: Vec<TraceLine>,
}

/// The source of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceOf {
    /// The statements of a kernel without loops.
    Kernel,
    /// So many iterations of a loop.
    Iterations(usize),
    /// A loop whose iterations run together in groups, so that it has no line.
    Groups,
}

/// A line of text about a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceLine {
    /// The line, without a line break.
    pub text: String,
    /// The place that it is about.
    pub origin: Option<Origin>,
}

/// The traces of a scalar kernel's innermost loops, in order; of a kernel without loops, that of its statements. Each has as many iterations as
/// a register of the target has lanes, if the options do not say how many.
pub fn traces(kernel: &Kernel, context: &mut Context) -> Vec<Trace> {
    let options = context.options;
    let loops = innermost(kernel);
    if loops.is_empty() {
        let lines = told(Line::of_body(kernel), kernel.whole(), options.target);
        return vec![Trace { origin: kernel.whole(), of: TraceOf::Kernel, lines }];
    }
    let found = context.loops(kernel);
    let of_loop = |op: Op| {
        let origin = kernel.ops[op].origin;
        let iterations = n_iterations(kernel, op, options);
        match Line::of_loop(kernel, &found, op, iterations) {
            None => Trace { origin, of: TraceOf::Groups, lines: Vec::new() },
            Some(line) => {
                let lines = told(line, origin, options.target);
                Trace { origin, of: TraceOf::Iterations(iterations), lines }
            }
        }
    };
    loops.into_iter().map(of_loop).collect()
}

/// Returns the number of iterations of a loop's line: as many as a register has lanes for the widest cells that are loaded or stored.
fn n_iterations(kernel: &Kernel, op: Op, options: &Options) -> usize {
    if let Some(lanes) = options.lanes {
        return usize::from(lanes).max(1);
    }
    let mut widest = 1;
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        if matches!(data.code, Code::Load | Code::Store)
            && let Some(elem) = kernel.ty(data.operands[0]).elem()
        {
            widest = widest.max(elem.bytes());
        }
    });
    match options.target.has_lanes() {
        true => usize::from(options.target.lanes_for(widest)).clamp(2, MOST_ITERATIONS),
        false => 2,
    }
}

/// The text about a line.
fn told(line: Line, origin: Origin, target: &'static Target) -> Vec<TraceLine> {
    match packed(line, target) {
        Ok((line, found)) => words::lines(&line, &found, origin, target),
        Err(n_ops) => {
            let text = format!(
                "    # {n_ops} operations are more than the {MOST_OPS} that are compared: ask for fewer iterations with `--lanes`"
            );
            vec![TraceLine { text, origin: Some(origin) }]
        }
    }
}

/// A line with its last guards, and what of it is done together; the number of its ops if those are too many.
fn packed(mut line: Line, target: &'static Target) -> Result<(Line, Superwords), usize> {
    line.guard_cells();
    let kernel = &line.kernel;
    let ops = &kernel.regions[line.region].ops;
    if ops.len() > MOST_OPS {
        return Err(ops.len());
    }
    let facts = facts_of_values(kernel, &[]);
    let (effects, forest) = (Effects::of(kernel), LoopForest::of(kernel));
    let visible = EntityVec::filled(kernel.values.len(), true);
    let block = Block::new(kernel, &facts, &effects, (line.region, ops), (&forest, &visible));
    let found = Superwords::of(&line, &block, &facts, target);
    Ok((line, found))
}
