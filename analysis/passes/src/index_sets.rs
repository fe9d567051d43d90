//! Index sets: a loop is divided where its index decides a branch, or where it comes to the cell that other iterations read.
//!
//! A loop with a branch that its index decides is as many loops as there are ranges in which the branch goes one way.
//!
//! ```text
//! for i in range(0, n):                  for i in range(0, m):
//!     if i < m:                              a[i] = x
//!         a[i] = x                =>     for i in range(m, n):
//!     else:                                  a[i] = b[i]
//!         a[i] = b[i]
//! ```
//!
//! No lane needs a mask then, and a dependence that only exists on one side of the branch keeps no iteration of the other ones
//! waiting. For `i == m` there are three loops, of which the second has one iteration at most.
//!
//! A number that the loop carries and that grows or falls by one from iteration to iteration is as good as the index: `k < m` above
//! `k += 1`.
//!
//! A cell that all iterations read and one of them writes is the old one up to there, and the new one from there on. So it is with
//! cells that are read from the end of the array to its beginning and written the other way, which meet in the middle:
//!
//! ```text
//! for i in range(0, n):                  for i in range(0, m + 1):
//!     a[i] = a[m] + b[i]          =>         a[i] = a[m] + b[i]
//!                                        for i in range(m + 1, n):
//!                                            a[i] = a[m] + b[i]
//! ```
//!
//! In no part does an iteration read what an earlier one of the part has written, and so both have lanes.
//!
//! Where one side of the branch does nothing, the loop over that range may do no more than count: what it counts stands in its place. Inside
//! of another loop the other part stands behind a test that it has an iteration: in most turns of the loop around there may be none.
//!
//! The iterations keep their order. Where the ranges meet is computed in 64 bits and kept between the ends
//! of the loop.

mod cells;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::trial::{self, Change, Trial};
use super::{Context, Replacements};
use crate::decision::{Decision, Said};
use facts::loops::Loops;
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{EntityVec, Op, Origin, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, RegionData};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use ir::uses::Uses;

/// The most ops of a loop that is written down more than once.
const MOST_OPS: usize = 120;

/// How often a loop is divided, and its parts again.
const MOST_ROUNDS: usize = 2;

/// Divides loops where the index decides a branch; says whether there are any.
pub fn index_sets(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let mut changed = false;
    for _ in 0..MOST_ROUNDS {
        let loops = context.loops(kernel);
        let innermost = loops.forest.loops().iter().filter(|&&op| loops.forest.loops_inside(op).is_empty());
        let found: Vec<Division> = innermost.filter_map(|&op| Division::of(kernel, &loops, op)).collect();
        if found.is_empty() {
            break;
        }
        let (mut decisions, mut decided, mut divided) = (Vec::new(), Vec::new(), Vec::new());
        let kept = trial::keep_better(kernel, &found, context, |trial, division, parts| {
            let decision = division.judge(trial, parts);
            let is_kept = decision.is_some();
            if is_kept {
                decided.extend(division.branch_origins(trial.before.kernel));
                if let Reason::Cells(pairs) = &division.reason {
                    divided.extend(pairs);
                }
            }
            decisions.extend(decision);
            is_kept
        });
        decisions.into_iter().for_each(|decision| context.decide(decision));
        context.outcomes.were_decided(kernel, &decided);
        context.outcomes.were_divided(kernel, &divided);
        if !kept.contains(&true) {
            break;
        }
        changed = true;
    }
    if changed {
        let (forest, uses) = (LoopForest::of(kernel), Uses::of(kernel));
        for &op in forest.loops() {
            if is_counting(kernel, op) {
                replace_by_counts(kernel, op, forest.region_of(op), &uses);
            }
        }
    }
    changed
}

/// Says whether nothing becomes of a loop but numbers that go with its index, as where a branch has no other side.
fn is_counting(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let Some(control) = kernel.for_loop(op).filter(|_| data.code == Code::For) else { return false };
    let body = &kernel.regions[data.regions[0]];
    // What such a loop counts is computed in the type of its index.
    let ty = kernel.ty(data.operands[0]);
    let is_line = |&arg: &Value| kernel.ty(arg) == ty && Line::without_constant(kernel, op, arg).is_some();
    kernel.as_const(data.operands[2]) == Some(Scalar::I32(1))
        && control.reductions.is_empty()
        && body.ops.iter().all(|&inner| kernel.ops[inner].code.is_elementwise())
        && body.args.iter().all(is_line)
}

/// Puts what such a loop counts in its place.
fn replace_by_counts(kernel: &mut Kernel, op: Op, home: Region, uses: &Uses) {
    let data = kernel.ops[op].clone();
    let args = kernel.regions[data.regions[0]].args.clone();
    let (mut made, mut counted) = (Vec::new(), Vec::new());
    let mut add = |kernel: &mut Kernel, code: Code, a: Value, b: Value| {
        let ty = kernel.ty(a);
        let op = kernel.add_op(code, Attr::None, [a, b].into_iter().collect(), &[ty], data.origin);
        made.push(op);
        kernel.ops[op].results[0]
    };
    let [lo, hi] = [data.operands[0], data.operands[1]];
    let is_used = |result: &Value| !uses.users(*result).is_empty();
    if data.results.iter().any(is_used) {
        let far = add(kernel, Code::Max, lo, hi);
        // The numbers that the loop would count wrap nowhere, and so it is right in the end if this does.
        let count = add(kernel, Code::WrappingSub, far, lo);
        for (&arg, &result) in args[1..].iter().zip(&data.results).filter(|(_, result)| is_used(result)) {
            let line = Line::without_constant(kernel, op, arg).expect("it counts");
            let code = if line.falls { Code::WrappingSub } else { Code::WrappingAdd };
            counted.push((result, add(kernel, code, line.first.unwrap_or(lo), count)));
        }
    }
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    counted.into_iter().for_each(|(result, by)| new[result] = Some(by));
    let ops = &mut kernel.regions[home].ops;
    let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
    ops.splice(place..=place, made);
    kernel.replace_uses(&new);
}

/// A loop, and the test that says where to divide it.
struct Division {
    op: Op,
    home: Region,
    /// The loops around it.
    around: Vec<Op>,
    reason: Reason,
    /// The places of the branches among the ops of the loop that the test decides.
    branches: Vec<usize>,
    test: Test,
}

/// The reason to divide a loop.
enum Reason {
    /// Branches have this condition.
    Branch(Value),
    /// An iteration writes the cell that later ones read; these are all stores and loads that keep the loop in order.
    Cells(Vec<[Op; 2]>),
}

/// A comparison of an index, or of a number that goes with it, with a number that no iteration changes.
struct Test {
    /// The order of the two, the index first.
    order: Order,
    /// The number that goes with the index.
    line: Line,
    /// The number that it is compared with.
    with: Value,
    /// If there is one, the sum of it and `with` is what twice the index is compared with.
    twice: Option<i128>,
}

/// A number that grows or falls by one from iteration to iteration.
struct Line {
    /// The number is the index if there is none, else it has this value in the first iteration.
    first: Option<Value>,
    /// True if it falls.
    falls: bool,
    /// What is added to it before it is compared.
    added: i128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    AtMost,
    Greater,
    AtLeast,
    Equal,
    Unequal,
}

impl Order {
    fn of(code: Code) -> Option<Order> {
        Some(match code {
            Code::Lt => Order::Less,
            Code::Le => Order::AtMost,
            Code::Gt => Order::Greater,
            Code::Ge => Order::AtLeast,
            Code::Eq => Order::Equal,
            Code::Ne => Order::Unequal,
            _ => return None,
        })
    }

    /// The order of the two the other way around.
    fn swapped(self) -> Order {
        match self {
            Order::Less => Order::Greater,
            Order::AtMost => Order::AtLeast,
            Order::Greater => Order::Less,
            Order::AtLeast => Order::AtMost,
            same => same,
        }
    }

    /// The answers in the ranges, first to last.
    fn answers(self) -> &'static [bool] {
        match self {
            Order::Less | Order::AtMost => &[true, false],
            Order::Greater | Order::AtLeast => &[false, true],
            Order::Equal => &[false, true, false],
            Order::Unequal => &[true, false, true],
        }
    }

    /// By how much the second range begins behind the number that is compared with.
    fn behind(self) -> i128 {
        matches!(self, Order::AtMost | Order::Greater).into()
    }
}

impl Division {
    fn of(kernel: &Kernel, loops: &Loops, op: Op) -> Option<Division> {
        let forest = &*loops.forest;
        let data = &kernel.ops[op];
        let control = kernel.for_loop(op).filter(|_| data.code == Code::For)?;
        let step = kernel.as_const(data.operands[2])?;
        if step != Scalar::I32(1) || control.marks.unroll.is_some() || !control.reductions.is_empty() {
            return None;
        }
        if kernel.count_inside(op) > MOST_OPS {
            return None;
        }
        let (home, around) = (forest.region_of(op), forest.around(op).collect());
        if let Some((reason, branches, test)) = Division::by_branch(kernel, forest, op) {
            return Some(Division { op, home, around, reason, branches, test });
        }
        let (reason, test) = cells::by_cell(kernel, loops, op)?;
        Some(Division { op, home, around, reason, branches: Vec::new(), test })
    }

    /// The first branches of a loop that its index decides.
    fn by_branch(kernel: &Kernel, forest: &LoopForest, op: Op) -> Option<(Reason, Vec<usize>, Test)> {
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let is_branch = |op: Op| kernel.ops[op].code == Code::If && kernel.ops[op].regions.len() == 2;
        let touches = |branch: Op| {
            let mut any = false;
            kernel.walk_inside(branch, &mut |op| any |= kernel.effect(op) != Effect::Pure);
            any
        };
        let candidates = body.ops.iter().filter(|&&op| is_branch(op) && touches(op));
        let (condition, test) = candidates.into_iter().find_map(|&branch| {
            let condition = kernel.ops[branch].operands[0];
            Some((condition, Test::of(kernel, forest, op, condition)?))
        })?;
        let decides = |&(_, &op): &(usize, &Op)| is_branch(op) && kernel.ops[op].operands[0] == condition;
        let branches = body.ops.iter().enumerate().filter(decides).map(|(place, _)| place).collect();
        Some((Reason::Branch(condition), branches, test))
    }

    /// The places of the branches that are gone.
    fn branch_origins(&self, kernel: &Kernel) -> Vec<Origin> {
        let body = &kernel.regions[kernel.ops[self.op].regions[0]];
        self.branches.iter().map(|&place| kernel.ops[body.ops[place]].origin).collect()
    }

    /// The decision to divide the loop, if its parts have lanes that cost less.
    fn judge(&self, trial: &Trial<'_>, parts: &[Op]) -> Option<Decision> {
        let (before, after) = (&trial.before, &trial.after);
        // Lanes along a loop around it need the loop as it is.
        if self.around.iter().any(|&around| before.choice().takes(around)) {
            return None;
        }
        let answers = self.test.order.answers();
        // One iteration costs nothing beside the others.
        let is_long = |number: usize| answers.len() < 3 || number != 1;
        let long = parts.iter().enumerate().filter(|(number, _)| is_long(*number)).map(|(_, &part)| part);
        let long: Vec<Op> = long.collect();
        if !long.iter().all(|&part| after.choice().takes(part) && after.in_lanes(part).is_some()) {
            return None;
        }
        let whole =
            before.in_lanes(self.op).map_or(before.in_order(self.op), |lanes| lanes.min(before.in_order(self.op)));
        let sum = long.iter().filter_map(|&part| after.in_lanes(part)).fold(0, u64::saturating_add);
        let percent = trial::share(sum / long.len() as u64, whole);
        let is_less = percent <= trial.costs().split_share.into();
        let kernel = before.kernel;
        let place = |op: Op| Said::Place(kernel.ops[op].origin);
        let mut because: Vec<Said> = match &self.reason {
            Reason::Branch(condition) => vec![
                place(kernel.def_op(*condition)?),
                "goes one way in each of".into(),
                (answers.len() as i128).into(),
                "ranges of the index, which are loops of their own now: they cost".into(),
            ],
            Reason::Cells(pairs) => {
                let &[store, load] = pairs.first()?;
                vec![
                    "no iteration of the first part reads in".into(),
                    place(load),
                    "what".into(),
                    place(store),
                    "writes there, and all that the second part reads was written before;".into(),
                    "both are loops of their own now: they cost".into(),
                ]
            }
        };
        because.extend([percent.into(), "% of what the loop did".into()]);
        let origin = kernel.ops[self.op].origin;
        is_less.then(|| Decision::taken(origin, ReasonCode::IndexSetSplit, because))
    }
}

impl Test {
    fn of(kernel: &Kernel, forest: &LoopForest, op: Op, condition: Value) -> Option<Test> {
        let data = &kernel.ops[kernel.def_op(condition)?];
        let order = Order::of(data.code)?;
        let &[a, b] = &data.operands[..] else { return None };
        let is_known =
            |value: Value| kernel.ty(value) == Type::scalar(Elem::I32) && can_move(kernel, forest, op, value);
        let (order, line, with) = match (Line::of(kernel, op, a), Line::of(kernel, op, b)) {
            (Some(line), None) if is_known(b) => (order, line, b),
            (None, Some(line)) if is_known(a) => (order.swapped(), line, a),
            _ => return None,
        };
        // What falls is less where the index is greater.
        Some(Test { order: if line.falls { order.swapped() } else { order }, line, with, twice: None })
    }
}

impl Line {
    /// The line of a value in a loop's body: the index or a carried number, and a constant.
    fn of(kernel: &Kernel, op: Op, value: Value) -> Option<Line> {
        if let Some(line) = Line::without_constant(kernel, op, value) {
            return Some(line);
        }
        let data = &kernel.ops[kernel.def_op(value)?];
        let &[a, b] = &data.operands[..] else { return None };
        let with = |value: Value, by: Value, sign: i128| {
            let added = sign * kernel.as_const(by)?.wide()?;
            Some(Line { added, ..Line::without_constant(kernel, op, value)? })
        };
        match data.code {
            Code::Add => with(a, b, 1).or_else(|| with(b, a, 1)),
            Code::Sub => with(a, b, -1),
            _ => None,
        }
    }

    fn without_constant(kernel: &Kernel, op: Op, value: Value) -> Option<Line> {
        let body = kernel.ops[op].regions[0];
        let Def::Arg(region, number) = kernel.values[value].def else { return None };
        let carried = match number as usize {
            _ if region != body => return None,
            0 => return Some(Line { first: None, falls: false, added: 0 }),
            number => number - 1,
        };
        let first = kernel.ops[op].operands[3 + carried];
        let step = &kernel.ops[kernel.def_op(kernel.regions[body].yields[carried])?];
        let by = |number: usize| step.operands.get(number).and_then(|&by| kernel.as_const(by)?.wide());
        let by = match step.code {
            Code::Add if step.operands[0] == value => by(1)?,
            Code::Add if step.operands[1] == value => by(0)?,
            Code::Sub if step.operands[0] == value => -by(1)?,
            _ => return None,
        };
        (by.abs() == 1).then_some(Line { first: Some(first), falls: by < 0, added: 0 })
    }
}

/// Says whether a value is there before a loop, or can be computed there: from such values, by ops that never fail or are made not to.
fn can_move(kernel: &Kernel, forest: &LoopForest, op: Op, value: Value) -> bool {
    let is_outside = |other: Op| other != op && !forest.encloses(op, other);
    let made = match kernel.values[value].def {
        Def::Const(_) | Def::Param(_) => return true,
        Def::Arg(region, _) => return forest.owner(region).is_some_and(is_outside),
        Def::Result(made, _) => made,
    };
    if is_outside(made) {
        return true;
    }
    let data = &kernel.ops[made];
    let is_divisor = |value: Value| kernel.as_const(value).and_then(Scalar::wide).is_some_and(|by| by > 0);
    let is_pure = match data.code {
        Code::Add | Code::Sub | Code::Mul | Code::Min | Code::Max => true,
        Code::Div | Code::FloorDiv => is_divisor(data.operands[1]),
        _ => false,
    };
    is_pure
        && forest.region_of(made) == kernel.ops[op].regions[0]
        && data.operands.iter().all(|&operand| can_move(kernel, forest, op, operand))
}

impl Change for Division {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let answers = self.test.order.answers();
        let mut made = Vec::new();
        let ends = self.ends(kernel, answers.len() - 1, &mut made);
        let lines = self.lines(kernel);
        let bounds: Vec<[Value; 2]> = self.bounds(kernel, &ends);
        // The last part is the loop itself, whose results stay what they are.
        let mut parts: Vec<Op> =
            (1..answers.len()).map(|_| copy::op(kernel, self.op, &mut FxHashMap::default())).collect();
        parts.push(self.op);
        let mut replaced = self.behind(kernel, &lines, &mut made);
        let starts = kernel.ops[self.op].operands[3..].to_vec();
        for (number, &part) in parts.iter().enumerate() {
            if number > 0 {
                let before = parts[number - 1];
                let mut handed_on = kernel.ops[before].results.clone();
                for &(carried, falls) in &lines {
                    let mut maker = Maker { kernel, division: self, made: &mut made };
                    handed_on[carried] = maker.line_at(starts[carried], falls, ends[number - 1]);
                }
                kernel.ops[part].operands[3..].copy_from_slice(&handed_on);
            }
            kernel.ops[part].operands[..2].copy_from_slice(&bounds[number]);
            replaced.extend(self.decide(kernel, part, answers[number]));
        }
        // Most branches store, and have no results.
        if !replaced.is_empty() {
            let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
            replaced.into_iter().for_each(|(result, by)| new[result] = Some(by));
            kernel.replace_uses(&new);
        }
        let is_all_there_is = lines.len() == kernel.ops[self.op].results.len();
        let does_nothing = parts.iter().filter(|&&part| is_counting(kernel, part)).count();
        let may_be_passed_by = !self.around.is_empty() && is_all_there_is && does_nothing + 1 == parts.len();
        for (number, &part) in parts.iter().enumerate() {
            let is_guarded = may_be_passed_by && !is_counting(kernel, part);
            let placed = if is_guarded { self.guarded(kernel, part, number, bounds[number], &mut made) } else { part };
            made.push(placed);
        }
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&other| other == self.op).expect("the block lists the loop");
        ops.splice(place..=place, made);
        parts
    }
}

impl Division {
    /// The bounds of each part.
    fn bounds(&self, kernel: &Kernel, ends: &[Value]) -> Vec<[Value; 2]> {
        let [lo, hi] = [0, 1].map(|number| kernel.ops[self.op].operands[number]);
        let starts = std::iter::once(lo).chain(ends.iter().copied());
        starts.zip(ends.iter().copied().chain([hi])).map(|(lo, hi)| [lo, hi]).collect()
    }

    /// The carried numbers that grow by one, or fall, from iteration to iteration, in a loop inside of others. What they are behind the loop is
    /// a formula then, so that a loop around that goes on with it does not wait for this one.
    fn lines(&self, kernel: &Kernel) -> Vec<(usize, bool)> {
        let data = &kernel.ops[self.op];
        let args = &kernel.regions[data.regions[0]].args;
        let line = |(number, &arg): (usize, &Value)| {
            let is_alike = kernel.ty(arg) == kernel.ty(data.operands[0]);
            Some((number, Line::without_constant(kernel, self.op, arg).filter(|_| is_alike)?.falls))
        };
        let carried = args[1..].iter().enumerate().filter(|_| !self.around.is_empty());
        carried.filter_map(line).collect()
    }

    /// What such numbers are behind the whole loop, each with the result that it stands for.
    fn behind(&self, kernel: &mut Kernel, lines: &[(usize, bool)], made: &mut Vec<Op>) -> Vec<(Value, Value)> {
        let data = kernel.ops[self.op].clone();
        let mut maker = Maker { kernel, division: self, made };
        let mut far = None;
        let mut formula = |&(number, falls): &(usize, bool)| {
            let far = *far.get_or_insert_with(|| maker.op(Code::Max, data.operands[0], data.operands[1]));
            (data.results[number], maker.line_at(data.operands[3 + number], falls, far))
        };
        lines.iter().map(&mut formula).collect()
    }

    /// A part that is passed by if its range is empty: of many runs of the loop, most may have none of its iterations. The first part is empty
    /// where the test goes the other way at once.
    fn guarded(&self, kernel: &mut Kernel, part: Op, number: usize, [lo, hi]: [Value; 2], made: &mut Vec<Op>) -> Op {
        let origin = kernel.ops[self.op].origin;
        let answers = self.test.order.answers();
        let mut maker = Maker { kernel, division: self, made };
        let holds = match number {
            0 if answers.len() == 2 => maker.test_at_start(answers[0]),
            _ => maker.add(Code::Lt, Attr::None, &[lo, hi], Elem::Bool),
        };
        let operands = std::iter::once(holds).collect();
        let branch = kernel.add_op(Code::If, Attr::Control(Box::default()), operands, &[], origin);
        let sides =
            [vec![part], Vec::new()].map(|ops| kernel.regions.push(RegionData { ops, ..RegionData::default() }));
        kernel.ops[branch].regions = sides.into_iter().collect();
        branch
    }

    /// Puts one side of the branches in their place; gives their results, each with the value of the side.
    fn decide(&self, kernel: &mut Kernel, part: Op, answer: bool) -> Vec<(Value, Value)> {
        let mut replaced = Vec::new();
        let body = kernel.ops[part].regions[0];
        for &place in self.branches.iter().rev() {
            let branch = kernel.regions[body].ops[place];
            let side = kernel.ops[branch].regions[usize::from(!answer)];
            let ops = std::mem::take(&mut kernel.regions[side].ops);
            let yields = std::mem::take(&mut kernel.regions[side].yields);
            replaced.extend(kernel.ops[branch].results.iter().copied().zip(yields));
            kernel.regions[body].ops.splice(place..=place, ops);
        }
        replaced
    }

    /// Says whether the index is compared with that of a loop around which has the same range.
    fn is_in_range(&self, kernel: &Kernel) -> bool {
        let Def::Arg(region, 0) = kernel.values[self.test.with].def else { return false };
        let ranges_of = |op: Op| &kernel.ops[op].operands[..3];
        let is_alike = |around: &Op| {
            let data = &kernel.ops[*around];
            data.code == Code::For && data.regions[0] == region && ranges_of(*around) == ranges_of(self.op)
        };
        self.test.line.first.is_none() && self.test.twice.is_none() && self.around.iter().any(is_alike)
    }

    /// Where the ranges meet, computed before the loop.
    fn ends(&self, kernel: &mut Kernel, n_ends: usize, made: &mut Vec<Op>) -> Vec<Value> {
        let first_end = self.test.order.behind() - self.test.line.added;
        if (0..2).contains(&first_end) && n_ends == 1 && self.is_in_range(kernel) {
            // It lies in the range, and no bound has to be kept.
            let mut maker = Maker { kernel, division: self, made };
            let by = maker.kernel.constant(Scalar::I32(1));
            let end = if first_end == 0 { self.test.with } else { maker.op(Code::Add, self.test.with, by) };
            return vec![end];
        }
        let mut maker = Maker { kernel, division: self, made };
        let [start, stop] = [0, 1].map(|n| maker.kernel.ops[self.op].operands[n]);
        let mut with = maker.moved(self.test.with);
        let [start, stop] = [start, stop].map(|value| maker.cast(value, Elem::I64));
        if let Some(added) = self.test.twice {
            let [added, two] = [added, 2].map(|number| maker.kernel.constant(Scalar::wrap(Elem::I64, number)));
            let sum = if self.test.twice == Some(0) { with } else { maker.op(Code::WrappingAdd, with, added) };
            with = maker.op(Code::FloorDiv, sum, two);
        }
        let Line { first, falls, added } = self.test.line;
        let added = if falls { added } else { -added };
        // Where the number that goes with the index is the one that it is compared with, but for a constant.
        let meets = match first.map(|first| maker.cast(first, Elem::I64)) {
            None => with,
            Some(first) => {
                let [from, to] = if falls { [with, first] } else { [first, with] };
                let distance = maker.op(Code::WrappingSub, to, from);
                maker.op(Code::WrappingAdd, start, distance)
            }
        };
        (0..n_ends)
            .map(|number| {
                let by = self.test.order.behind() + number as i128 + added;
                let by = (by != 0).then(|| maker.kernel.constant(Scalar::wrap(Elem::I64, by)));
                let end = by.map_or(meets, |by| maker.op(Code::WrappingAdd, meets, by));
                let end = maker.op(Code::Min, end, stop);
                let end = maker.op(Code::Max, end, start);
                maker.cast(end, Elem::I32)
            })
            .collect()
    }
}

/// Makes ops that stand before a loop.
struct Maker<'m> {
    kernel: &'m mut Kernel,
    division: &'m Division,
    made: &'m mut Vec<Op>,
}

impl Maker<'_> {
    /// A value that can be computed before the loop, computed there in 64 bits.
    fn moved(&mut self, value: Value) -> Value {
        let body = self.kernel.ops[self.division.op].regions[0];
        let Some(op) = self.kernel.def_op(value).filter(|op| self.kernel.regions[body].ops.contains(op)) else {
            return self.cast(value, Elem::I64);
        };
        let data = self.kernel.ops[op].clone();
        let operands: Vec<Value> = data.operands.iter().map(|&operand| self.moved(operand)).collect();
        // Where the loop's own would overflow, an iteration fails, if there is one.
        let code = match data.code {
            Code::Add => Code::WrappingAdd,
            Code::Sub => Code::WrappingSub,
            Code::Mul => Code::WrappingMul,
            code => code,
        };
        self.op(code, operands[0], operands[1])
    }

    /// A number that goes with the index, which is this in the first iteration, where the index is at some place behind.
    fn line_at(&mut self, first: Value, falls: bool, index: Value) -> Value {
        let start = self.kernel.ops[self.division.op].operands[0];
        let count = self.op(Code::WrappingSub, index, start);
        self.op(if falls { Code::WrappingSub } else { Code::WrappingAdd }, first, count)
    }

    /// Says whether the test has an answer in the first iteration.
    fn test_at_start(&mut self, answer: bool) -> Value {
        let test = &self.division.test;
        let Line { first, falls, added } = test.line;
        let with = self.moved(test.with);
        let first = first.unwrap_or(self.kernel.ops[self.division.op].operands[0]);
        let first = self.cast(first, Elem::I64);
        let added = (added != 0).then(|| self.kernel.constant(Scalar::wrap(Elem::I64, added)));
        let first = added.map_or(first, |added| self.op(Code::WrappingAdd, first, added));
        let order = if falls { test.order.swapped() } else { test.order };
        let code = match (order, answer) {
            (Order::Less, true) | (Order::AtLeast, false) => Code::Lt,
            (Order::AtMost, true) | (Order::Greater, false) => Code::Le,
            (Order::Greater, true) | (Order::AtMost, false) => Code::Gt,
            (Order::AtLeast, true) | (Order::Less, false) => Code::Ge,
            (Order::Equal, true) | (Order::Unequal, false) => Code::Eq,
            (Order::Equal, false) | (Order::Unequal, true) => Code::Ne,
        };
        self.add(code, Attr::None, &[first, with], Elem::Bool)
    }

    fn cast(&mut self, value: Value, to: Elem) -> Value {
        if let Some(number) = self.kernel.as_const(value).and_then(Scalar::wide) {
            return self.kernel.constant(Scalar::wrap(to, number));
        }
        self.add(Code::Cast, Attr::Elem(to), &[value], to)
    }

    fn op(&mut self, code: Code, a: Value, b: Value) -> Value {
        let elem = self.kernel.ty(a).data_elem().unwrap_or(Elem::I64);
        self.add(code, Attr::None, &[a, b], elem)
    }

    fn add(&mut self, code: Code, attr: Attr, operands: &[Value], elem: Elem) -> Value {
        let origin = self.kernel.ops[self.division.op].origin;
        let operands = operands.iter().copied().collect();
        let op = self.kernel.add_op(code, attr, operands, &[Type::scalar(elem)], origin);
        self.made.push(op);
        self.kernel.ops[op].results[0]
    }
}
