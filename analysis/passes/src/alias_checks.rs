//! Alias checks: a loop over arrays that may overlap is vectorised behind a runtime check that the arrays are disjoint.
//!
//! An `@alias` of two arrays keeps loops from running as lanes if they do overlap, and only then. The nest is therefore
//! versioned: it is there twice, behind a runtime alias check, and passes that follow know for each copy what the check has
//! found. The check compares the cells that the nest [reaches](reach), so that two parts of one buffer that lie side by side
//! pass.
//!
//! ```text
//! for i in range(n):                  @disjoint
//!     a[i] = b[i]                     if overlap(a, b):
//!                                         for i in range(n):      in order, whatever overlaps
//!                                             a[i] = b[i]
//!                                     else:
//!                                         for i in range(n):      no cell that is touched here is both of a and of b
//!                                             a[i] = b[i]
//! ```
//!
//! The mark `@disjoint` says that the branch is such a check: a test that stands there for another reason, about other cells,
//! says nothing about the arrays.

mod ends;
mod reach;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use self::ends::Inside;
use self::reach::Maker;
use super::Context;
use crate::decision::{Decision, Said};
use crate::versions::branch_between;
use facts::dependence::Dependences;
use facts::loops::Loops;
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Kernel, Marks};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// Puts runtime alias checks before nests whose arrays may overlap, where that gives lanes; says whether it made any.
pub fn alias_checks(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || kernel.marks.alias.is_empty() {
        return false;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let mut plans = Vec::new();
    for nest in nests(kernel, &found.forest) {
        let pairs = pairs(kernel, &found, nest, &choice.loops);
        if !pairs.is_empty() {
            plans.push((found.forest.region_of(nest), nest, pairs));
        }
    }
    let changed = !plans.is_empty();
    for (region, nest, pairs) in plans {
        context.decide(decision(kernel, nest, &pairs));
        test_before(kernel, region, nest, &pairs);
    }
    changed
}

/// The outermost `for` loops, but for those behind a test.
fn nests(kernel: &Kernel, forest: &LoopForest) -> Vec<Op> {
    let hides = |outer: Op| kernel.ops[outer].code == Code::For || !kernel.tested_disjoint(outer).is_empty();
    let is_nest = |op: &Op| {
        let mut around = forest.regions_around(*op).filter_map(|region| forest.owner(region));
        kernel.ops[*op].code == Code::For && !around.any(hides)
    };
    forest.loops().iter().copied().filter(is_nest).collect()
}

/// The pairs of arrays that keep loops of a nest from having the lanes they would have.
fn pairs(kernel: &Kernel, found: &Loops, nest: Op, taken: &[Op]) -> BTreeSet<(Value, Value)> {
    let is_in_nest = |&&op: &&Op| op == nest || found.forest.encloses(nest, op);
    let waiting = taken.iter().filter(is_in_nest).filter_map(|&op| found.of(op));
    let waiting = waiting.filter(|known| known.verdict.is_vector);
    let reasons = waiting.flat_map(|known| &known.verdict.reasons);
    let overlaps = reasons.filter_map(|reason| overlap(kernel, &found.dependences, reason.dependence?));
    overlaps.collect()
}

/// The arrays of a dependence that exists only if they overlap.
fn overlap(kernel: &Kernel, dependences: &Dependences, number: usize) -> Option<(Value, Value)> {
    let dependence = &dependences.list[number];
    let root = |op: Op| kernel.root(kernel.ops[op].operands[0]);
    let (a, b) = (root(dependence.source), root(dependence.sink));
    dependence.is_overlap().then_some((a.min(b), a.max(b)))
}

fn decision(kernel: &Kernel, nest: Op, pairs: &BTreeSet<(Value, Value)>) -> Decision {
    let mut because = Vec::new();
    for &(a, b) in pairs {
        let and = if because.is_empty() { "whether the cells of" } else { ", and those of" };
        because.extend([and.into(), Said::value(kernel, a), "and of".into(), Said::value(kernel, b)]);
    }
    because.push(
        "that it touches overlap is tested before the loop, which runs in order where they do and in lanes where they do not"
            .into(),
    );
    Decision::taken(kernel.ops[nest].origin, ReasonCode::ArraysMayOverlap, because)
}

/// Puts a nest behind a test, once for each answer.
fn test_before(kernel: &mut Kernel, region: Region, nest: Op, pairs: &BTreeSet<(Value, Value)>) {
    let test = test(kernel, nest, pairs);
    let again = copy::op(kernel, nest, &mut FxHashMap::default());
    let marks = Marks { disjoint: true, ..Marks::default() };
    branch_between(kernel, region, nest, [nest, again], test, marks);
}

/// Returns a bool that is true if a nest touches a cell of both of two arrays, and the ops that compute it. Cells that
/// are only loaded do not count.
fn test(kernel: &mut Kernel, nest: Op, pairs: &BTreeSet<(Value, Value)>) -> (Value, Vec<Op>) {
    let mut reaches = BTreeSet::new();
    let mut large = BTreeSet::new();
    {
        let kernel = &*kernel;
        let mut inside = Inside::of(kernel, nest);
        for &(a, b) in pairs {
            let ((all_a, stored_a), (all_b, stored_b)) =
                (reach::of(kernel, &mut inside, a), reach::of(kernel, &mut inside, b));
            reaches.extend(stored_a.zip(all_b));
            reaches.extend(all_a.zip(stored_b));
        }
        let both = reaches.iter().flat_map(|(a, b)| [a, b]);
        both.for_each(|reach| reach.large(kernel, &mut large));
    }
    let mut maker = Maker::new(kernel, kernel.ops[nest].origin);
    let bool = Type::scalar(Elem::Bool);
    let mut parts: Vec<Value> = Vec::new();
    for (a, b) in &reaches {
        let (a, b) = (maker.view(a), maker.view(b));
        parts.push(maker.op(Code::Overlap, Attr::None, [a, b], bool));
    }
    for value in large {
        parts.push(maker.is_large(value));
    }
    let condition = parts.into_iter().reduce(|a, b| maker.op(Code::Or, Attr::None, [a, b], bool));
    let made = maker.made;
    (condition.unwrap_or_else(|| kernel.constant(Scalar::Bool(false))), made)
}
