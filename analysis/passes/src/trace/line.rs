//! A loop's iterations as one straight line.
//!
//! The ops of each iteration are copied one behind the other. What an iteration hands on is what the next one starts from, and each index is
//! computed from the one before. Of a branch one side is followed: the one that stays in the loop, or the one that does something. That it is
//! taken is a *guard*, and so is that the index is still inside of its range.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::legalise::code_of;
use facts::access::declared_size;
use facts::counting::{Counting, index_of_while, known_where};
use facts::form::Form;
use facts::loops::{LaneForm, Loops};
use facts::{Facts, facts_of_values};
use ir::copy::{self, Copied};
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, Param, Values};
use ir::scalar::{Fold, Scalar};

/// The most ops on both sides of a branch that are computed, to choose one of the results.
const MOST_CHOSEN: usize = 8;

/// A statement of the line.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The op or the guard that the statement is.
    pub(super) does: Does,
    /// The iteration that it is of, from 0.
    pub(super) iteration: usize,
    /// The op of the loop that it is a copy of, or that the guard is about: those of several iterations have the same.
    pub(super) source: Op,
}

/// An op of a line, or a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Does {
    /// An op of the line.
    Op(Op),
    /// A guard: the line goes on if the condition holds.
    Guard(Condition),
}

/// The condition of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// The index has not reached the end of its range.
    Index {
        /// The index of the iteration.
        index: Value,
        /// The end.
        end: Value,
        /// True if the index grows.
        upwards: bool,
    },
    /// A cell that is loaded exists.
    Exists {
        /// The subscript.
        subscript: Value,
        /// The array.
        array: Value,
    },
    /// A value is true, or false.
    Is(Value, bool),
}

/// A straight line: the body of a loop, in a kernel of its own.
#[derive(Debug)]
pub(super) struct Line {
    /// The kernel, in which the line is the body of the loop, or of the kernel itself.
    pub(super) kernel: Kernel,
    /// The line.
    pub(super) region: Region,
    /// The statements, in order. Ops that are parts of addresses are none.
    pub(super) statements: Vec<Statement>,
    /// The number of iterations.
    pub(super) iterations: usize,
    /// The index of the first iteration, and what it grows by.
    pub(super) index: Option<(Value, i128)>,
    /// The index that the loop starts with, for one that counts.
    pub(super) start: Option<Value>,
    /// The values of which each iteration computes a part.
    pub(super) parts: Vec<Parts>,
}

/// The parts of a value that the loop joins to one behind its iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    /// The name of the value.
    pub(super) name: String,
    /// The operator that joins them, as the source writes it.
    pub(super) symbol: &'static str,
    /// The value that each iteration starts from.
    pub(super) starts: Vec<Value>,
    /// The value that each iteration comes to.
    pub(super) ends: Vec<Value>,
}

/// Says whether an op is part of an address, or only changes the type of an index: such ops are no statements.
pub(super) fn is_hidden(code: Code) -> bool {
    matches!(code, Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Index | Code::Size)
}

/// The loops of which there are lines: no loop is inside of them.
pub(super) fn innermost(kernel: &Kernel) -> Vec<Op> {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if matches!(kernel.ops[op].code, Code::For | Code::While | Code::Foreach) {
            let mut is_innermost = true;
            kernel.walk_inside(op, &mut |inner| {
                is_innermost &= !kernel.ops[inner].code.is_control() || kernel.ops[inner].code == Code::If;
            });
            if is_innermost {
                found.push(op);
            }
        }
    });
    found
}

impl Line {
    /// The line of so many iterations of a loop; `None` for a loop whose iterations run together in groups anyway.
    pub(super) fn of_loop(kernel: &Kernel, loops: &Loops, op: Op, iterations: usize) -> Option<Line> {
        if kernel.lanes_of_foreach(op).is_some() {
            return None;
        }
        let mut writer = Writer::new(kernel.clone());
        match kernel.ops[op].code {
            Code::For | Code::Foreach => writer.counted(loops, op, iterations),
            _ => writer.while_loop(loops, op, iterations)?,
        }
        writer.drop_unused();
        Some(writer.line)
    }

    /// The line of a kernel without loops.
    pub(super) fn of_body(kernel: &Kernel) -> Line {
        let mut writer = Writer::new(kernel.clone());
        let body = kernel.body;
        let ops = std::mem::take(&mut writer.line.kernel.regions[body].ops);
        writer.line.region = body;
        writer.flatten(&ops, &mut Copied::default(), &FxHashMap::default(), 0);
        writer.line.kernel.regions[body].ops = std::mem::take(&mut writer.ops);
        writer.line.kernel.regions[body].yields = Values::new();
        writer.drop_unused();
        writer.line
    }

    /// Adds the guards that loaded cells exist, where nothing shows it and a guard waits for the load: it would be done ahead of guards that
    /// the program tests first.
    pub(super) fn guard_cells(&mut self) {
        let facts = facts_of_values(&self.kernel, &[]);
        let fed = self.feeds_guards();
        let mut guarded = Vec::new();
        for (number, statement) in self.statements.iter().enumerate() {
            let Does::Op(op) = statement.does else { continue };
            let data = &self.kernel.ops[op];
            if data.code == Code::Load && fed.contains(&op) && !self.exists(&facts, statement.iteration, op) {
                let (array, subscript) = (data.operands[0], *data.operands.last().expect("a load has subscripts"));
                let condition = Condition::Exists { subscript, array };
                guarded.push((number, Statement { does: Does::Guard(condition), ..statement.clone() }));
            }
        }
        for (number, guard) in guarded.into_iter().rev() {
            self.statements.insert(number, guard);
        }
    }

    /// The loads that guards wait for.
    fn feeds_guards(&self) -> FxHashSet<Op> {
        let mut open: Vec<Value> = Vec::new();
        for statement in &self.statements {
            if let Does::Guard(Condition::Is(value, _)) = statement.does {
                open.push(value);
            }
        }
        let mut fed = FxHashSet::default();
        while let Some(value) = open.pop() {
            if let Some(op) = self.kernel.def_op(value)
                && fed.insert(op)
            {
                open.extend(self.kernel.ops[op].operands.iter().copied());
            }
        }
        fed
    }

    /// Says whether the index guard of an iteration shows that a cell exists.
    fn exists(&self, facts: &Facts, iteration: usize, load: Op) -> bool {
        let data = &self.kernel.ops[load];
        let [array, subscript] = data.operands[..] else { return false };
        let guard = self.statements.iter().find_map(|it| match &it.does {
            Does::Guard(Condition::Index { index, end, upwards: true }) if it.iteration == iteration => {
                Some((*index, *end))
            }
            _ => None,
        });
        let form = |value: Value| facts.values[value].exact_form().cloned();
        let (Some((index, end)), Some(size)) = (guard, declared_size(&self.kernel, array, 0)) else { return false };
        let shown = || {
            let ahead = form(subscript)?.sub(&form(index)?)?.as_constant()?;
            // The index is below the end, so the subscript is below the end and what it is ahead by.
            let left = size.sub(&form(end)?)?.as_constant()?;
            let is_natural = facts.ranges[subscript].as_ref().is_some_and(|range| range.is_natural());
            let first = self.start.and_then(|start| self.kernel.as_const(start)?.wide());
            Some(left >= ahead && (is_natural || first.is_some_and(|first| first + ahead >= 0)))
        };
        shown().unwrap_or(false)
    }
}

struct Writer {
    line: Line,
    ops: Vec<Op>,
}

impl Writer {
    fn new(kernel: Kernel) -> Writer {
        let region = kernel.body;
        let line =
            Line { kernel, region, statements: Vec::new(), iterations: 1, index: None, start: None, parts: Vec::new() };
        Writer { line, ops: Vec::new() }
    }

    /// The line of a loop over a range.
    fn counted(&mut self, loops: &Loops, op: Op, iterations: usize) {
        let kernel = &self.line.kernel;
        let data = kernel.ops[op].clone();
        let region = data.regions[0];
        let n_ranges = kernel.n_ranges(op);
        // Of several ranges the last one is the fastest.
        let [start, end, step] = data.operands[3 * (n_ranges - 1)..3 * n_ranges] else { return };
        let body = kernel.regions[region].clone();
        let index = body.args[n_ranges - 1];
        let by = kernel.as_const(step).and_then(Scalar::wide).unwrap_or(1);
        let carried = &body.args[n_ranges..];
        let n_joined = body.yields.len() - carried.len();
        let mut copied = Copied::default();
        let joined: Vec<Value> =
            (0..n_joined).map(|number| data.operands[data.operands.len() - n_joined + number]).collect();
        let folds = kernel.control(op).map(|control| control.reductions.clone()).unwrap_or_default();
        let parts = parts(loops, op);
        self.open_parts(&parts, carried);
        for (&fold, &start) in folds.iter().zip(&joined) {
            self.open_part(start, fold);
        }
        self.line.index = Some((index, by));
        self.line.start = Some(start);
        self.line.iterations = iterations;
        self.line.region = region;
        let mut at = index;
        for iteration in 0..iterations {
            if iteration > 0 {
                at = self.advance(op, at, step, iteration);
                copied.insert(index, at);
            }
            self.start_parts(&parts, carried, &mut copied, iteration);
            self.guard(Condition::Index { index: at, end, upwards: by > 0 }, iteration, op);
            self.flatten(&body.ops, &mut copied, &FxHashMap::default(), iteration);
            for (number, (&fold, &start)) in folds.iter().zip(&joined).enumerate() {
                let added = self.value(&copied, body.yields[carried.len() + number]);
                let start = if iteration == 0 { start } else { self.fresh(start, iteration) };
                let ty = self.line.kernel.ty(start);
                let origin = data.origin;
                let operands = [start, added].into_iter().collect();
                let joins = self.line.kernel.add_op(code_of(fold), Attr::None, operands, &[ty], origin);
                let end = self.line.kernel.ops[joins].results[0];
                let part = &mut self.line.parts[parts.len() + number];
                part.starts.push(start);
                part.ends.push(end);
                self.push(joins, joins_source(op, &body.ops, number), iteration);
            }
            let next: Vec<Value> = body.yields.iter().take(carried.len()).map(|&it| self.value(&copied, it)).collect();
            self.end_parts(&parts, &next);
            for (&arg, value) in carried.iter().zip(next) {
                copied.insert(arg, value);
            }
        }
        let handed_on = carried.iter().copied().chain(body.yields.iter().skip(carried.len()).copied());
        let yields = handed_on.map(|value| self.value(&copied, value)).collect();
        let kernel = &mut self.line.kernel;
        if iterations > 1
            && let Some(scalar) = kernel.as_const(step)
            && let Some(longer) = Scalar::from_wide(scalar.elem(), by * iterations as i128)
        {
            let longer = kernel.constant(longer);
            kernel.ops[op].operands[3 * n_ranges - 1] = longer;
        }
        kernel.regions[region].ops = std::mem::take(&mut self.ops);
        kernel.regions[region].yields = yields;
    }

    /// The line of a loop that goes on while a condition holds; `None` if the way through it cannot be followed.
    fn while_loop(&mut self, loops: &Loops, op: Op, iterations: usize) -> Option<()> {
        let kernel = &self.line.kernel;
        let counting = Counting::of(kernel, op);
        let data = kernel.ops[op].clone();
        let [test, body] = data.regions[..] else { return None };
        let (test_data, body_data) = (kernel.regions[test].clone(), kernel.regions[body].clone());
        let known = match &counting {
            Some(counting) => counting.known(kernel, op),
            None => known_where(kernel, test, *test_data.yields.first()?, true),
        };
        let by = match &counting {
            Some(counting) => kernel.as_const(counting.step).and_then(Scalar::wide)?,
            None => index_of_while(kernel, op).map_or(1, |index| index.step),
        };
        let index = match &counting {
            Some(counting) => Some(counting.index),
            None => index_of_while(kernel, op).map(|index| test_data.args[index.number]),
        };
        let parts = parts(loops, op);
        self.open_parts(&parts, &test_data.args);
        let mut copied = Copied::default();
        self.line.index = index.map(|index| (index, by));
        self.line.start = counting.as_ref().map(|counting| counting.lo);
        self.line.iterations = iterations;
        self.line.region = body;
        let mut at = index;
        for iteration in 0..iterations {
            self.start_parts(&parts, &test_data.args, &mut copied, iteration);
            if let Some(counting) = &counting {
                if iteration > 0 {
                    at = at.map(|before| self.advance(op, before, counting.step, iteration));
                    copied.insert(counting.index, at?);
                }
                self.guard(Condition::Index { index: at?, end: counting.hi, upwards: counting.upwards }, iteration, op);
            }
            self.flatten(&test_data.ops, &mut copied, &known, iteration);
            self.flatten(&body_data.ops, &mut copied, &known, iteration);
            let next: Vec<Value> = body_data.yields.iter().map(|&it| self.value(&copied, it)).collect();
            self.end_parts(&parts, &next);
            for (&arg, value) in test_data.args.iter().zip(next) {
                copied.insert(arg, value);
            }
        }
        // Flags by which the loop goes on, and what a way out hands on, are what the guards stand for.
        let flags: FxHashSet<Value> = counting.map(|counting| counting.goes).into_iter().chain(index).collect();
        let is_flag = |arg: Value| flags.contains(&arg) || kernel_is_bool(&self.line.kernel, arg);
        let yields =
            test_data.args.iter().map(|&arg| if is_flag(arg) { arg } else { self.value(&copied, arg) }).collect();
        let kernel = &mut self.line.kernel;
        kernel.regions[body].ops = std::mem::take(&mut self.ops);
        kernel.regions[body].yields = yields;
        Some(())
    }

    fn value(&self, copied: &Copied, old: Value) -> Value {
        copied.get(&old).copied().unwrap_or(old)
    }

    /// The index of the next iteration.
    fn advance(&mut self, around: Op, index: Value, step: Value, iteration: usize) -> Value {
        let kernel = &mut self.line.kernel;
        let (ty, origin) = (kernel.ty(index), kernel.ops[around].origin);
        let op = kernel.add_op(Code::Advance, Attr::None, [index, step].into_iter().collect(), &[ty], origin);
        self.push(op, around, iteration);
        self.line.kernel.ops[op].results[0]
    }

    fn open_parts(&mut self, parts: &[(usize, Fold)], args: &[Value]) {
        parts.iter().for_each(|(number, fold)| self.open_part(args[*number], *fold));
    }

    fn open_part(&mut self, of: Value, fold: Fold) {
        let name = self.line.kernel.values[of].name.as_deref().unwrap_or("the result").to_owned();
        self.line.parts.push(Parts { name, symbol: fold.symbol(), starts: Vec::new(), ends: Vec::new() });
    }

    /// Gives carried values a part for an iteration; the first one has what the loop starts with.
    fn start_parts(&mut self, parts: &[(usize, Fold)], args: &[Value], copied: &mut Copied, iteration: usize) {
        for (of, (number, _)) in parts.iter().enumerate() {
            let arg = args[*number];
            let start = if iteration == 0 { arg } else { self.fresh(arg, iteration) };
            self.line.parts[of].starts.push(start);
            copied.insert(arg, start);
        }
    }

    fn end_parts(&mut self, parts: &[(usize, Fold)], next: &[Value]) {
        for (of, (number, _)) in parts.iter().enumerate() {
            self.line.parts[of].ends.push(next[*number]);
        }
    }

    /// A value like another one, of which nothing is known.
    fn fresh(&mut self, like: Value, iteration: usize) -> Value {
        let kernel = &mut self.line.kernel;
        let name = kernel.values[like].name.as_deref().unwrap_or("part");
        let (ty, name) = (kernel.ty(like), format!("{name}_{iteration}"));
        let number = kernel.params.len() as u32;
        let value = kernel.add_value(ty, Def::Param(number), Some(name.as_str().into()));
        kernel.params.push(Param { value, sizes: Vec::new() });
        value
    }

    fn guard(&mut self, condition: Condition, iteration: usize, source: Op) {
        self.line.statements.push(Statement { does: Does::Guard(condition), iteration, source });
    }

    fn push(&mut self, op: Op, source: Op, iteration: usize) {
        self.ops.push(op);
        if !is_hidden(self.line.kernel.ops[op].code) {
            self.line.statements.push(Statement { does: Does::Op(op), iteration, source });
        }
    }

    /// Copies ops to the end of the line, following one side of each branch.
    fn flatten(&mut self, ops: &[Op], copied: &mut Copied, known: &FxHashMap<Value, bool>, iteration: usize) {
        for &op in ops {
            let data = self.line.kernel.ops[op].clone();
            if data.code == Code::If {
                self.branch(op, copied, known, iteration);
                continue;
            }
            let new = copy::op(&mut self.line.kernel, op, copied);
            self.push(new, op, iteration);
            let joins = matches!(data.code, Code::And | Code::Or | Code::Not);
            if let Some(&result) = data.results.first().filter(|_| !joins)
                && let Some(&holds) = known.get(&result)
            {
                self.guard(Condition::Is(self.value(copied, result), holds), iteration, op);
            }
        }
    }

    fn branch(&mut self, op: Op, copied: &mut Copied, known: &FxHashMap<Value, bool>, iteration: usize) {
        let data = self.line.kernel.ops[op].clone();
        let condition = data.operands[0];
        let sides: Vec<_> = data.regions.iter().map(|&region| self.line.kernel.regions[region].clone()).collect();
        let constant = self.line.kernel.as_const(self.value(copied, condition)).map(Scalar::is_true);
        let side = match constant.or_else(|| known.get(&condition).copied()) {
            Some(holds) => usize::from(!holds),
            None => {
                let kernel = &self.line.kernel;
                let is_cheap = |op: &Op| kernel.ops[*op].code.is_elementwise() && kernel.effect(*op) == Effect::Pure;
                let n_ops: usize = sides.iter().map(|side| side.ops.len()).sum();
                if n_ops <= MOST_CHOSEN && sides.iter().flat_map(|side| &side.ops).all(is_cheap) {
                    return self.choose(op, copied, known, iteration);
                }
                let does = |side: usize| {
                    let mut does = false;
                    for &op in &sides[side].ops {
                        does |= kernel.effect(op) == Effect::Writes;
                        kernel.walk_inside(op, &mut |inner| does |= kernel.effect(inner) == Effect::Writes);
                    }
                    does
                };
                let side = usize::from(!does(0) && does(1));
                self.guard(Condition::Is(self.value(copied, condition), side == 0), iteration, op);
                side
            }
        };
        self.flatten(&sides[side].ops, copied, known, iteration);
        for (&result, &yielded) in data.results.iter().zip(&sides[side].yields) {
            let value = self.value(copied, yielded);
            copied.insert(result, value);
        }
    }

    /// Computes both sides of a branch, and chooses.
    fn choose(&mut self, op: Op, copied: &mut Copied, known: &FxHashMap<Value, bool>, iteration: usize) {
        let data = self.line.kernel.ops[op].clone();
        let sides: Vec<_> = data.regions.iter().map(|&region| self.line.kernel.regions[region].clone()).collect();
        sides.iter().for_each(|side| self.flatten(&side.ops, copied, known, iteration));
        for (number, &result) in data.results.iter().enumerate() {
            let chosen = std::iter::once(data.operands[0]).chain(sides.iter().map(|side| side.yields[number]));
            let operands: Values = chosen.map(|value| self.value(copied, value)).collect();
            let ty = self.line.kernel.ty(result);
            let select = self.line.kernel.add_op(Code::Select, Attr::None, operands, &[ty], data.origin);
            let value = self.line.kernel.ops[select].results[0];
            self.line.kernel.values[value].name = self.line.kernel.values[result].name.clone();
            self.push(select, op, iteration);
            copied.insert(result, value);
        }
    }

    /// Drops what computes something that no store, guard or later iteration needs.
    fn drop_unused(&mut self) {
        let line = &mut self.line;
        let mut needed: FxHashSet<Value> = line.kernel.regions[line.region].yields.iter().copied().collect();
        needed.extend(line.parts.iter().flat_map(|parts| parts.ends.iter().copied()));
        for statement in &line.statements {
            match &statement.does {
                Does::Guard(Condition::Index { index, end, .. }) => needed.extend([*index, *end]),
                Does::Guard(Condition::Is(value, _)) => needed.extend([*value]),
                Does::Guard(Condition::Exists { .. }) | Does::Op(_) => {}
            }
        }
        let mut unused = FxHashSet::default();
        for &op in line.kernel.regions[line.region].ops.iter().rev() {
            let data = &line.kernel.ops[op];
            let only_computes = data.code.is_elementwise() || data.code == Code::Load || is_hidden(data.code);
            if only_computes && data.results.iter().all(|result| !needed.contains(result)) {
                unused.insert(op);
            } else {
                needed.extend(line.kernel.inputs(op));
            }
        }
        line.kernel.regions[line.region].ops.retain(|op| !unused.contains(op));
        line.statements.retain(|it| !matches!(it.does, Does::Op(op) if unused.contains(&op)));
    }
}

fn kernel_is_bool(kernel: &Kernel, value: Value) -> bool {
    kernel.ty(value).data_elem() == Some(ir::types::Elem::Bool)
}

/// The op that a sum of the language's own stands behind: the last one of the body with this number from the end.
fn joins_source(around: Op, ops: &[Op], number: usize) -> Op {
    ops.iter().rev().nth(number).copied().unwrap_or(around)
}

/// The numbers of the carried values of which lanes may have parts, each with the way in which they are joined.
fn parts(loops: &Loops, op: Op) -> Vec<(usize, Fold)> {
    let carried = loops.of(op).map(|known| &known.carried[..]).unwrap_or_default();
    let parts = carried.iter().enumerate().filter_map(|(number, carried)| match carried.form {
        Some(LaneForm::Parts(fold)) => Some((number, fold)),
        _ => None,
    });
    parts.collect()
}

/// The form of a value in the line, if it is exact.
pub(super) fn form(facts: &Facts, value: Value) -> Option<Form> {
    facts.values[value].exact_form().cloned()
}
