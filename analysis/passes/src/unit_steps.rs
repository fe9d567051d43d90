//! Unit steps: a nest whose cells lie as many apart as a number says that is known at run time alone gets a version for 1.
//!
//! ```text
//! for i in range(first, n, step):         if step == 1:
//!     a[i] = (a[i] + b[i])                    for i in range(first, n, 1):        contiguous loads and stores
//!                                     =>          a[i] = (a[i] + b[i])
//!                                         else:
//!                                             for i in range(first, n, step):     gathers and scatters
//!                                                 a[i] = (a[i] + b[i])
//! ```
//!
//! Such a number is the step of a range, what an index is multiplied with in a subscript (`a[i * step]`), or what a carried subscript grows
//! by. It is 1 more often than anything else: libraries pass it for all arrays that lie densely. Neighbouring lanes have neighbouring
//! cells then; and a loop whose iterations may touch one cell, because the number may be 0, has lanes.
//!
//! The test stands before the outermost loop in which the number is the same, and asks about all such numbers of the nest at once. A step of
//! 0, which is an error, is met in the version for all other numbers. The version is tried on a copy, and kept if it has lanes that
//! cost less.
//!
//! A number that is the size of an array or the end of a range is a length: it is 1 where there is nothing to do.

#[cfg(test)]
mod tests;

use super::Context;
use super::trial::{Change, Trial, keep_better};
use super::versions::{branch_between, share_with_lanes};
use crate::by_depth::FactsByDepth;
use crate::decision::{Decision, Said};
use facts::form::FormAtom;
use facts::{Access, Shape};
use ir::codes::ReasonCode;
use ir::copy::{Copied, Copier};
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Def, DimSize, Kernel, Marks};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

/// The most ops of a nest that is written down twice.
const MOST_OPS: usize = 120;

/// Makes versions of nests for steps of 1, where that gives lanes that cost less; says whether there are any.
pub fn unit_steps(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() || !may_have_steps(kernel) {
        return false;
    }
    let (forest, choice, by_depth) = (context.forest(kernel), context.choice(kernel), context.by_depth(kernel));
    let mut found: Vec<Version> = Vec::new();
    // Loops that stay in order since their lanes would take longer gain most.
    for row in choice.loops.iter().copied().chain(choice.left.iter().map(|(op, _)| *op)) {
        let Some(version) = Version::of(kernel, &forest, &by_depth, row) else { continue };
        // Of nests inside each other, the outer one has a version of the inner one.
        match found.iter_mut().find(|known| known.nest == version.nest || forest.are_nested(known.nest, version.nest)) {
            Some(known) if known.nest == version.nest => known.join(version),
            Some(_) => {}
            None => found.push(version),
        }
    }
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

/// Says whether anything in a kernel is a step that is known at run time alone, at first sight: most kernels have none, and need no facts.
fn may_have_steps(kernel: &Kernel) -> bool {
    let is_open = |&value: &Value| kernel.as_const(value).is_none();
    let is_integer = |value: Value| kernel.ty(value).data_elem().is_some_and(Elem::is_integer);
    let adds_open = |&value: &Value| {
        let made = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|_| is_integer(value));
        made.is_some_and(|made| made.code.is_elementwise() && made.operands.iter().all(is_open))
    };
    let mut any = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        any |= match data.code {
            Code::For => is_open(&data.operands[2]) || kernel.regions[data.regions[0]].yields.iter().any(adds_open),
            Code::Mul | Code::WrappingMul => is_integer(data.results[0]) && data.operands.iter().all(is_open),
            _ => false,
        };
    });
    any
}

/// A nest, and the numbers that are 1 in a version of it.
struct Version {
    nest: Op,
    home: Region,
    /// The loops over ranges around the nest.
    around: Vec<Op>,
    /// The loop that may have the lanes, whose cells lie so far apart.
    row: Op,
    numbers: Vec<Value>,
}

impl Version {
    /// The version of the largest nest around a loop in which the distances of its cells stay the same.
    fn of(kernel: &Kernel, forest: &LoopForest, by_depth: &FactsByDepth, row: Op) -> Option<Version> {
        let is = |code: Code| move |op: &Op| kernel.ops[*op].code == code;
        if !is(Code::For)(&row) || forest.around(row).any(|op| is(Code::Foreach)(&op)) {
            return None;
        }
        let facts = by_depth.of(kernel, row)?;
        let mut numbers = Vec::new();
        for &op in forest.inside(row) {
            let own = facts.access(op).filter(|access| access.lane_loop == Some(row));
            for number in own.map(distance).unwrap_or_default() {
                let number = before_casts(kernel, number);
                let is_known = numbers.contains(&number);
                let stays = !forest.is_made_inside(kernel, row, number);
                numbers.extend((!is_known && stays && may_be_step(kernel, number)).then_some(number));
            }
        }
        let is_in_nest = |outer: &Op| {
            let stay = |&number: &Value| !forest.is_made_inside(kernel, *outer, number);
            is(Code::For)(outer) && numbers.iter().all(stay) && kernel.count_inside(*outer) <= MOST_OPS
        };
        let nest = forest.around(row).take_while(is_in_nest).last().unwrap_or(row);
        let loops = std::iter::once(nest).chain(forest.loops_inside(nest).iter().copied());
        let ends: Vec<Value> =
            loops.filter(is(Code::For)).flat_map(|op| kernel.ops[op].operands[..2].to_vec()).collect();
        numbers.retain(|number| !ends.contains(number));
        let is_small = kernel.count_inside(nest) <= MOST_OPS;
        let around: Vec<Op> = forest.around(nest).filter(is(Code::For)).collect();
        // Inside of other loops it is asked for each of their iterations, which a loop by itself is worth.
        let is_alone = around.is_empty() || nest == row && forest.loops_inside(row).is_empty();
        let home = forest.region_of(nest);
        (!numbers.is_empty() && is_small && is_alone).then_some(Version { nest, home, around, row, numbers })
    }

    /// Joins the version of the same nest for cells of another loop in it.
    fn join(&mut self, other: Version) {
        let more = other.numbers.into_iter().filter(|number| !self.numbers.contains(number));
        self.numbers.extend(more.collect::<Vec<_>>());
    }

    /// The decision to keep the version, if it has lanes that cost less than the nest.
    fn judge(&self, trial: &Trial<'_>, made: &[Op]) -> Option<Decision> {
        let before = &trial.before;
        let &[version, _] = made else { return None };
        let percent = share_with_lanes(trial, (self.nest, &self.around), version)?;
        let mut because: Vec<Said> = Vec::new();
        for &number in &self.numbers {
            because.push(if because.is_empty() { "where" } else { "is 1 and" }.into());
            because.push(Said::value(before.kernel, number));
        }
        because.push("is 1, which is asked before the loop, a version of it runs: that costs".into());
        because.extend([percent.into(), "% of the loop for any number".into()]);
        Some(Decision::taken(before.kernel.ops[self.row].origin, ReasonCode::UnitStep, because))
    }
}

/// The numbers whose product is the distance of neighbouring lanes' cells; none unless it is such a product.
fn distance(access: &Access) -> Vec<Value> {
    let stride = access.stride().filter(|_| matches!(access.shape, Shape::Linear(_)));
    let Some(stride) = stride else { return Vec::new() };
    let mut terms = stride.terms();
    let (Some((atoms, 1 | -1)), None) = (terms.next(), terms.next()) else { return Vec::new() };
    let number = |atom: &FormAtom| match atom {
        FormAtom::Value(value) => Some(*value),
        _ => None,
    };
    atoms.iter().map(number).collect::<Option<_>>().unwrap_or_default()
}

/// The number that casts to other types of integers were made of: it is 1 where they are.
fn before_casts(kernel: &Kernel, number: Value) -> Value {
    let cast = kernel.def_op(number).filter(|&op| kernel.ops[op].code == Code::Cast);
    let of = cast.map(|op| kernel.ops[op].operands[0]);
    let of = of.filter(|&of| kernel.ty(of).data_elem().is_some_and(Elem::is_integer));
    of.map_or(number, |of| before_casts(kernel, of))
}

/// Says whether a number may be the distance of cells from each other, as far as it tells by itself: the index of a loop around is 1 once at
/// most, and a size is the distance of rows.
fn may_be_step(kernel: &Kernel, number: Value) -> bool {
    let is_index = matches!(kernel.values[number].def, Def::Arg(_, 0) | Def::Const(_));
    let is_integer = [Elem::I32, Elem::I64].iter().any(|&elem| kernel.ty(number) == Type::scalar(elem));
    let mut sizes = kernel.params.iter().flat_map(|param| &param.sizes);
    is_integer && !is_index && !sizes.any(|size| *size == DimSize::Param(number))
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
        let mut copied = Copied::default();
        let mut condition = None;
        for &number in &self.numbers {
            let elem = kernel.ty(number).data_elem().expect("it is an integer");
            let one = kernel.constant(Scalar::wrap(elem, 1));
            copied.insert(number, one);
            let is_one = add(kernel, Code::Eq, number, one);
            condition = Some(match condition {
                Some(others) => add(kernel, Code::And, others, is_one),
                None => is_one,
            });
        }
        let condition = condition.expect("a version is for a number");
        let version = AtOne { kernel, copied }.nest(self.nest);
        branch_between(kernel, self.home, self.nest, [version, self.nest], (condition, made), Marks::default());
        vec![version, self.nest]
    }
}

/// Copies a nest in which some numbers are 1.
struct AtOne<'k> {
    kernel: &'k mut Kernel,
    copied: Copied,
}

impl AtOne<'_> {
    fn nest(mut self, nest: Op) -> Op {
        let operands = self.operands(nest, self.kernel.body);
        self.copy_op(nest, operands)
    }

    /// Returns the value that an op computes if nothing has to be computed: a product with 1, or 1 in another type.
    fn known(&mut self, old: Op, operands: &[Value]) -> Option<Value> {
        let is_one = |value: Value| self.kernel.as_const(value).and_then(Scalar::wide) == Some(1);
        let data = &self.kernel.ops[old];
        match (data.code, operands) {
            (Code::Mul | Code::WrappingMul, &[a, b]) if is_one(b) => Some(a),
            (Code::Mul | Code::WrappingMul, &[a, b]) if is_one(a) => Some(b),
            (Code::Cast, &[a]) if is_one(a) => {
                let elem = self.kernel.ty(data.results[0]).data_elem().filter(|elem| elem.is_integer())?;
                Some(self.kernel.constant(Scalar::wrap(elem, 1)))
            }
            _ => None,
        }
    }
}

impl Copier for AtOne<'_> {
    fn source(&self) -> &Kernel {
        self.kernel
    }

    fn target(&mut self) -> &mut Kernel {
        self.kernel
    }

    fn value(&mut self, old: Value, _: Region) -> Value {
        self.copied.get(&old).copied().unwrap_or(old)
    }

    fn note(&mut self, old: Value, new: Value) {
        self.copied.insert(old, new);
    }

    fn op(&mut self, old: Op, into: Region) {
        let operands = self.operands(old, into);
        if let Some(known) = self.known(old, &operands) {
            return self.note(self.kernel.ops[old].results[0], known);
        }
        let op = self.copy_op(old, operands);
        self.kernel.regions[into].ops.push(op);
    }
}
