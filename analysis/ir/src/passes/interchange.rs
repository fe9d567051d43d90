//! Interchange: of two loops, one right inside the other, the one whose iterations can run as lanes goes inside.
//!
//! ```text
//! for i in range(n):                  for j in range(1, n):
//!     for j in range(1, n):               for i in range(n):
//!         m[j, i] = m[j - 1, i] + 1           m[j, i] = m[j - 1, i] + 1
//! ```
//!
//! The loops have to be nothing but each other, with bounds that do not depend on one another. Iterations keep their
//! order wherever they meet: none that comes later in the outer loop may meet one that is earlier in the inner one.

use crate::entities::{Op, Region};
use crate::facts;
use crate::facts::dependence::{Dependence, Dependences};
use crate::facts::loops::Loops;
use crate::ops::Code;
use crate::passes::Context;
use crate::program::{Def, Kernel};

/// Exchanges loops where that gives lanes; says whether it changed any.
pub fn interchange(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let found = context.loops(kernel);
    let lane_loops = facts::lane_loops(kernel);
    let pairs: Vec<(Op, Op)> =
        found.list.iter().filter_map(|outer| Some((outer.op, only_loop_inside(kernel, outer.op)?))).collect();
    let mut changed = false;
    for (outer, inner) in pairs {
        if lane_loops.contains(&inner)
            && frees_lanes(&found, outer, inner)
            && keeps_order(&found.dependences, outer, inner)
        {
            exchange(kernel, outer, inner);
            changed = true;
        }
    }
    changed
}

/// The loop that is all that a loop does, if its range is the same in each iteration.
fn only_loop_inside(kernel: &Kernel, outer: Op) -> Option<Op> {
    let data = &kernel.ops[outer];
    if data.code != Code::For {
        return None;
    }
    let [inner] = kernel.regions[data.regions[0]].ops[..] else { return None };
    let own = &kernel.ops[inner];
    if own.code != Code::For || !data.results.is_empty() || !own.results.is_empty() {
        return None;
    }
    let body = data.regions[0];
    let fixed =
        own.operands.iter().all(|&bound| !matches!(kernel.values[bound].def, Def::Arg(region, _) if region == body));
    // A step of 0 is an error only where the loop is reached.
    let steps = [data.operands[2], own.operands[2]];
    let never_zero = steps.iter().all(|&step| kernel.as_const(step).is_some());
    (fixed && never_zero).then_some(inner)
}

/// Whether the outer loop can run as lanes and the inner one, which takes them where both can, cannot.
fn frees_lanes(found: &Loops, outer: Op, inner: Op) -> bool {
    let is_vector = |op: Op| found.of(op).is_some_and(|known| known.verdict.is_vector && !known.verdict.is_reordered);
    is_vector(outer) && found.of(inner).is_some_and(|known| !known.verdict.is_vector)
}

/// Whether iterations that meet keep their order: none is later in the outer loop and earlier in the inner one.
fn keeps_order(dependences: &Dependences, outer: Op, inner: Op) -> bool {
    let crossing = |position: usize, dependence: &Dependence| {
        let at = dependence.levels.iter().position(|level| level.op == inner);
        let direction = at.and_then(|at| dependence.meeting.directions.get(at));
        dependence.meeting.carried == Some(position) && direction.is_none_or(|direction| direction.earlier)
    };
    let about = dependences.list.iter().filter_map(|dependence| {
        let position = dependence.levels.iter().position(|level| level.op == outer)?;
        Some((position, dependence))
    });
    dependences.unseen.is_empty() && about.into_iter().all(|(position, dependence)| !crossing(position, dependence))
}

/// The outer loop takes the inner one's place and the other way round: they exchange ranges, marks and arguments.
fn exchange(kernel: &mut Kernel, outer: Op, inner: Op) {
    let (outer_data, inner_data) = (kernel.ops[outer].clone(), kernel.ops[inner].clone());
    kernel.ops[outer].operands = inner_data.operands;
    kernel.ops[outer].attr = inner_data.attr;
    kernel.ops[outer].origin = inner_data.origin;
    kernel.ops[inner].operands = outer_data.operands;
    kernel.ops[inner].attr = outer_data.attr;
    kernel.ops[inner].origin = outer_data.origin;
    let (body, inside) = (outer_data.regions[0], inner_data.regions[0]);
    let (outer_args, inner_args) = (kernel.regions[body].args.clone(), kernel.regions[inside].args.clone());
    set_args(kernel, body, inner_args);
    set_args(kernel, inside, outer_args);
}

fn set_args(kernel: &mut Kernel, region: Region, args: crate::program::Values) {
    for (number, &arg) in args.iter().enumerate() {
        kernel.values[arg].def = Def::Arg(region, number as u32);
    }
    kernel.regions[region].args = args;
}
