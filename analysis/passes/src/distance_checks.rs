//! Distance checks: a loop that stays in order since a number may be small, which says how many iterations lie between the store and
//! the load of one cell, gets a version for when it is not.
//!
//! ```text
//! for i in range(d, n):                       if d >= 16:
//!     y[i] = (x[i] + (y[(i - d)] * g))            for i in range(d, n):       in 16 lanes
//!                                         =>          y[i] = (x[i] + (y[(i - d)] * g))
//!                                             else:
//!                                                 for i in range(d, n):       in order
//!                                                     y[i] = (x[i] + (y[(i - d)] * g))
//! ```
//!
//! Such a number is the length of an echo, the rows' width of an image that is flat, the weight of what is put in a knapsack. A cell that
//! is loaded so many iterations ahead of its store is no obstacle either, and that is what is asked where the number is added
//! to the subscript of the load.
//!
//! The test stands before the outermost loop in which the numbers are the same, and asks about all of the nest at once. What it has found is
//! known to the facts about the version, as any condition around a loop is. The version is tried on a copy, and kept if it has lanes that
//! cost less.

#[cfg(test)]
mod tests;

use super::Context;
use super::handed_on::open_loops;
use super::trial::{Change, Trial, keep_better};
use super::versions::{branch_between, share_with_lanes};
use crate::decision::{Decision, Said};
use facts::Facts;
use facts::access::address;
use facts::dependence::Dependence;
use facts::form::FormAtom;
use facts::loops::{Loop, Loops};
use ir::codes::ReasonCode;
use ir::copy::{self, Copied};
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Marks};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// The most ops of a nest that is written down twice.
const MOST_OPS: usize = 120;

/// The most numbers that are asked about.
const MOST_NUMBERS: usize = 4;

/// Makes versions of nests for distances that leave room for lanes, where that gives any; says whether there are some.
pub fn distance_checks(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let found = found(kernel, context);
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &found, context, |trial, version, made| {
        let decision = version.judge(trial, made);
        let is_kept = decision.is_some();
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// The versions that loops in order may have. Of nests inside each other, the outer one has a version of the inner one.
fn found(kernel: &Kernel, context: &mut Context) -> Vec<Version> {
    let (loops, choice) = (context.loops(kernel), context.choice(kernel));
    let mut open = open_loops(kernel, &loops, &choice).filter(|known| waits_for_cells(known)).peekable();
    if open.peek().is_none() {
        return Vec::new();
    }
    let by_depth = context.by_depth(kernel);
    let mut found: Vec<Version> = Vec::new();
    for known in open {
        let lanes = context.options.lanes.unwrap_or_else(|| usual_lanes(kernel, context, known.op));
        let version = by_depth.of(kernel, known.op).and_then(|facts| Version::of(kernel, &loops, facts, known, lanes));
        let Some(version) = version else { continue };
        let forest = &loops.forest;
        match found.iter_mut().find(|it| it.nest == version.nest || forest.are_nested(it.nest, version.nest)) {
            Some(other) if other.nest == version.nest => other.join(version),
            Some(_) => {}
            None => found.push(version),
        }
    }
    found
}

/// Says whether nothing keeps a loop in order but cells that two of its iterations touch.
fn waits_for_cells(known: &Loop) -> bool {
    let mut blocking = known.verdict.reasons.iter().filter(|reason| reason.blocks).peekable();
    blocking.peek().is_some() && blocking.all(|reason| reason.dependence.is_some())
}

/// The lanes that a loop of cells like these takes, if nothing else is known.
fn usual_lanes(kernel: &Kernel, context: &Context, op: Op) -> u16 {
    let mut widest = 1;
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        let cell = match data.code {
            Code::Load => data.results.first(),
            Code::Store => data.operands.last(),
            _ => None,
        };
        let bytes = cell.and_then(|&value| kernel.ty(value).data_elem()).map_or(1, Elem::bytes);
        widest = widest.max(bytes);
    });
    context.options.target.lanes_for(widest)
}

/// A nest, and the numbers that are at least so great in a version of it.
struct Version {
    nest: Op,
    home: Region,
    /// The loops over ranges around the nest.
    around: Vec<Op>,
    /// The loop that may have the lanes.
    row: Op,
    least: Vec<(Value, i128)>,
}

impl Version {
    /// The version of the largest nest around a loop in which the distances between its iterations stay the same.
    fn of(kernel: &Kernel, loops: &Loops, facts: &Facts, known: &Loop, lanes: u16) -> Option<Version> {
        let (forest, row) = (&loops.forest, known.op);
        let is_for = |op: Op| kernel.ops[op].code == Code::For;
        if forest.around(row).any(|op| kernel.ops[op].code == Code::Foreach) {
            return None;
        }
        let mut version =
            Version { nest: row, home: forest.region_of(row), around: Vec::new(), row, least: Vec::new() };
        for number in known.verdict.reasons.iter().filter_map(|reason| reason.dependence.filter(|_| reason.blocks)) {
            let (number, least) = least_of(kernel, facts, &loops.dependences.list[number], lanes)?;
            version.ask(number, least);
        }
        let stays = |outer: Op, number: Value| !forest.is_made_inside(kernel, outer, number);
        let stay = |outer: Op| version.least.iter().all(|&(number, _)| stays(outer, number));
        let is_in_nest = |outer: &Op| is_for(*outer) && stay(*outer) && kernel.count_inside(*outer) <= MOST_OPS;
        let fits = stay(row) && version.least.len() <= MOST_NUMBERS && kernel.count_inside(row) <= MOST_OPS;
        version.nest = forest.around(row).take_while(is_in_nest).last().unwrap_or(row);
        version.home = forest.region_of(version.nest);
        version.around = forest.around(version.nest).filter(|&op| is_for(op)).collect();
        fits.then_some(version)
    }

    /// Asks for a number to be so great, beside what else is asked.
    fn ask(&mut self, number: Value, least: i128) {
        match self.least.iter_mut().find(|(other, _)| *other == number) {
            Some((_, known)) => *known = (*known).max(least),
            None => self.least.push((number, least)),
        }
    }

    /// Joins the version of the same nest for another loop in it.
    fn join(&mut self, other: Version) {
        other.least.into_iter().for_each(|(number, least)| self.ask(number, least));
    }

    /// The decision to keep the version, if it has lanes that cost less than the nest.
    fn judge(&self, trial: &Trial<'_>, made: &[Op]) -> Option<Decision> {
        let kernel = trial.before.kernel;
        let &[version, _] = made else { return None };
        let percent = share_with_lanes(trial, (self.nest, &self.around), version)?;
        let mut because: Vec<Said> = Vec::new();
        for &(number, least) in &self.least {
            because.push(if because.is_empty() { "where" } else { "or more and" }.into());
            because.push(Said::value(kernel, number));
            because.extend(["is".into(), least.into()]);
        }
        because.push("or more, which is asked before the loop, a version of it has lanes: that costs".into());
        because.extend([percent.into(), "% of the loop in order".into()]);
        Some(Decision::taken(kernel.ops[self.row].origin, ReasonCode::DistanceCheck, because))
    }
}

/// The number that says how many iterations lie between two accesses of one cell, and the least that it has to be for these to be no obstacle to
/// so many lanes.
fn least_of(kernel: &Kernel, facts: &Facts, met: &Dependence, lanes: u16) -> Option<(Value, i128)> {
    let step = |op: Op| facts.access(op)?.stride_in_bytes();
    let by_iteration = step(met.source).filter(|own| *own != 0 && step(met.sink) == Some(*own))?;
    if kernel.root(kernel.ops[met.source].operands[0]) != kernel.root(kernel.ops[met.sink].operands[0]) {
        return None;
    }
    let apart = address(kernel, facts, met.source)?.sub(&address(kernel, facts, met.sink)?)?;
    let (mut number, mut constant) = (None, 0);
    for (atoms, factor) in apart.terms() {
        match atoms {
            [] => constant = factor,
            [FormAtom::Value(value)] if number.is_none() => number = Some((*value, factor)),
            _ => return None,
        }
    }
    let (number, factor) = number?;
    let elem =
        kernel.ty(number).data_elem().filter(|elem| elem.is_integer() && kernel.ty(number) == Type::scalar(*elem))?;
    // In the direction of the loop: the sink comes so many bytes behind the source.
    let sign = by_iteration.signum();
    let (factor, constant) = (factor * sign, constant * sign);
    let far = i128::from(lanes) * by_iteration.abs();
    let least = match factor > 0 {
        true => div_up(far - constant, factor),
        // The sink comes before the source, or in the same iteration.
        false => div_up(constant, -factor),
    };
    let (from, to) = elem.integer_range()?;
    (from < least && least <= to).then_some((number, least))
}

fn div_up(a: i128, b: i128) -> i128 {
    (a + b - 1).div_euclid(b)
}

impl Change for Version {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let origin = kernel.ops[self.nest].origin;
        let mut made = Vec::new();
        let mut add = |kernel: &mut Kernel, code: Code, a: Value, b: Value| {
            let operands = [a, b].into_iter().collect();
            let op = kernel.add_op(code, Attr::None, operands, &[Type::scalar(Elem::Bool)], origin);
            made.push(op);
            kernel.ops[op].results[0]
        };
        let mut condition = None;
        for &(number, least) in &self.least {
            let elem = kernel.ty(number).data_elem().expect("it is an integer");
            let least = kernel.constant(Scalar::wrap(elem, least));
            let is_far = add(kernel, Code::Ge, number, least);
            condition = Some(match condition {
                Some(others) => add(kernel, Code::And, others, is_far),
                None => is_far,
            });
        }
        let condition = condition.expect("a version is for a number");
        let version = copy::op(kernel, self.nest, &mut Copied::default());
        branch_between(kernel, self.home, self.nest, [version, self.nest], (condition, made), Marks::default());
        vec![version, self.nest]
    }
}
