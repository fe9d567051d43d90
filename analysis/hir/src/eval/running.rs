//! `@reassoc` and `@fast`: floats that run on through a loop, by blocks of 8 iterations.
//!
//! An iteration's step is what it makes of the variable: `factor * s + term`, where a sum has no factor and a product no term; of two
//! variables that run on together it is what it makes of both. The step of a few iterations is joined of those of its halves, where the
//! first half is the largest power of two that leaves something. What the variables are in an iteration is what the step of all
//! iterations of the block so far makes of the values in front of the block.

use ir::linear::{FormulaMath, LinearFormula, LinearOp};
use ir::running::RunningKind;
use ir::{Scalar, scalar};
use rustc_hash::FxHashMap;

use super::machine::{Machine, Run, Value};
use crate as hir;
use crate::ty::Ty;
use crate::{AttributeUse, BinOp, ExprId, LocalId, RunningCells, RunsOn, StmtId};

/// The number of iterations in a block.
const BLOCK: usize = 8;

/// Variables that run on through a loop, in all its lanes.
pub(super) struct Running {
    /// The depth of the function whose loop it is.
    depth: usize,
    runs_on: RunsOn,
    lanes: FxHashMap<usize, InBlock>,
    /// The values of the expressions that the step of this iteration has, as far as they are evaluated.
    known: FxHashMap<ExprId, Vec<Scalar>>,
}

/// The state of the variables that run on, in one lane.
struct InBlock {
    /// The values in front of the block.
    fronts: Vec<Scalar>,
    /// The steps of the block so far.
    steps: Vec<Step>,
    /// The values of this iteration.
    values: Vec<Scalar>,
}

/// The step of an iteration.
#[derive(Clone)]
enum Step {
    /// A term is added.
    Add(Scalar),
    /// The variable is multiplied by a factor.
    Scale(Scalar),
    /// The variable is multiplied by a factor, and a term is added.
    Linear { factor: Scalar, term: Scalar },
    /// Each of two variables becomes a sum of both, multiplied by the factors of its row, and a term.
    Pair { factors: [[Scalar; 2]; 2], terms: [Scalar; 2] },
}

impl Machine<'_> {
    /// Notes the variables that run on through a loop; gives the number that there were before.
    pub(super) fn start_running(&mut self, attrs: &[AttributeUse], stmt: StmtId, active: &[usize]) -> usize {
        let n_before = self.running.len();
        if !self.has_fixed_order(stmt, attrs) {
            return n_before;
        }
        let frame = self.frame();
        let mut new = Vec::new();
        let is_entry = self.frames.len() == 1;
        for runs_on in hir::running(&frame.unit.body, stmt, &frame.unit.types.like_fields, is_entry) {
            if let Some(cells) = &runs_on.cells {
                // Those in front are known when the first iteration is done.
                let in_block = || InBlock { fronts: Vec::new(), values: Vec::new(), steps: Vec::new() };
                let lanes = active.iter().map(|&lane| (lane, in_block())).collect();
                if matches!(self.type_of(cells.target), Ty::Scalar(elem) if elem.is_float()) {
                    new.push(Running { depth: self.frames.len(), runs_on, lanes, known: FxHashMap::default() });
                }
                continue;
            }
            let before = |lane: &usize, local: LocalId| match frame.lanes[*lane].vars.get(&local) {
                Some(&Value::Scalar(front)) if front.elem().is_float() => Some(front),
                _ => None,
            };
            let in_block = |lane: &usize| {
                let fronts = runs_on.variables.iter().map(|variable| before(lane, variable.local));
                let fronts: Vec<Scalar> = fronts.collect::<Option<_>>()?;
                Some((*lane, InBlock { values: fronts.clone(), fronts, steps: Vec::new() }))
            };
            if !runs_on.variables.iter().any(|variable| frame.shared.contains(&variable.local))
                && let Some(lanes) = active.iter().map(in_block).collect()
            {
                new.push(Running { depth: self.frames.len(), runs_on, lanes, known: FxHashMap::default() });
            }
        }
        self.running.extend(new);
        n_before
    }

    /// Evaluates what a statement has of the step of variables that run on, where that is known only later.
    pub(super) fn known_earlier(&mut self, stmt: StmtId, active: &[usize]) -> Run<()> {
        for number in 0..self.running.len() {
            let running = &self.running[number];
            let here = running.runs_on.earlier.iter().filter(|(other, _)| *other == stmt);
            if running.depth != self.frames.len() {
                continue;
            }
            let exprs: Vec<ExprId> = here.flat_map(|(_, exprs)| exprs.iter().copied()).collect();
            for expr in exprs {
                let values = self.scalars(expr, active)?;
                self.running[number].known.insert(expr, values);
            }
        }
        Ok(())
    }

    /// The number of the variables that run on through a loop, and of the one among them that a statement gives its next value, if it does.
    pub(super) fn running_at(&self, stmt: StmtId) -> Option<(usize, usize)> {
        let own = self.running.iter().enumerate().rev().filter(|(_, it)| it.depth == self.frames.len());
        let place = |it: &Running| it.runs_on.variables.iter().position(|variable| variable.stmt == stmt);
        own.map(|(number, it)| (number, place(it))).find_map(|(number, place)| Some((number, place?)))
    }

    /// Does the statement that gives a variable its next value, where it runs on. The first of two such statements does the step of both.
    pub(super) fn run_on(&mut self, (number, place): (usize, usize), at: ExprId, active: &[usize]) -> Run<()> {
        let RunsOn { variables, cells, .. } = self.running[number].runs_on.clone();
        let local = variables[place].local;
        if place == 0 {
            if let Some(cells) = &cells {
                self.cells_in_front(number, cells, active)?;
            }
            let steps = self.steps_of(number, at, active)?;
            for (step, lane) in steps.into_iter().zip(active) {
                let Some(block) = self.running[number].lanes.get_mut(lane) else { continue };
                block.steps.push(step);
                block.values = joined(&block.steps).apply(&block.fronts);
                if block.steps.len() == BLOCK {
                    block.fronts.clone_from(&block.values);
                    block.steps.clear();
                }
            }
        }
        let value = |lane: &usize| self.running[number].lanes.get(lane).map(|block| block.values[place]);
        let values: Vec<Value> = active.iter().filter_map(value).map(Value::Scalar).collect();
        if cells.is_some() {
            let targets = self.targets(at, active)?;
            return self.give(&targets, values, at, active);
        }
        for (&lane, value) in active.iter().zip(values) {
            self.set(local, lane, value);
        }
        Ok(())
    }

    /// Reads the cells in front of the first iteration.
    fn cells_in_front(&mut self, number: usize, cells: &RunningCells, active: &[usize]) -> Run<()> {
        let is_first = |lane: &usize| self.running[number].lanes.get(lane).is_some_and(|block| block.fronts.is_empty());
        let first: Vec<usize> = active.iter().copied().filter(is_first).collect();
        if first.is_empty() {
            return Ok(());
        }
        for back in 1..=self.running[number].runs_on.variables.len() {
            let Some(&(expr, _)) = cells.before.iter().find(|(_, other)| *other == back) else { continue };
            let fronts = self.scalars(expr, &first)?;
            for (lane, front) in first.iter().zip(fronts) {
                self.running[number].lanes.entry(*lane).and_modify(|block| block.fronts.push(front));
            }
        }
        Ok(())
    }

    /// The steps of this iteration, in the active lanes.
    fn steps_of(&mut self, number: usize, at: ExprId, active: &[usize]) -> Run<Vec<Step>> {
        let Running { runs_on, lanes, .. } = &self.running[number];
        let (runs_on, like) = (runs_on.clone(), lanes[&active[0]].fronts[0]);
        // An expression may stand in several formulas, and is evaluated once.
        let mut known = std::mem::take(&mut self.running[number].known);
        let mut computed = |formula: &LinearFormula<ExprId>| {
            formula.compute(&mut InLanes { machine: self, like, at, active, known: &mut known })
        };
        let step = runs_on.step();
        let factors: Vec<Vec<Scalar>> = step.factors.iter().map(&mut computed).collect::<Run<_>>()?;
        let terms: Vec<Vec<Scalar>> = step.terms.iter().map(&mut computed).collect::<Run<_>>()?;
        let step = |n: usize| match runs_on.kind() {
            RunningKind::Sum => Step::Add(terms[0][n]),
            RunningKind::Product => Step::Scale(terms[0][n]),
            RunningKind::Linear => Step::Linear { factor: factors[0][n], term: terms[0][n] },
            RunningKind::Pair => Step::Pair {
                factors: [[factors[0][n], factors[1][n]], [factors[2][n], factors[3][n]]],
                terms: [terms[0][n], terms[1][n]],
            },
        };
        Ok((0..active.len()).map(step).collect())
    }
}

/// The steps of some iterations as one.
fn joined(steps: &[Step]) -> Step {
    match steps {
        [step] => step.clone(),
        steps => {
            let half = steps.len().next_power_of_two() / 2;
            joined(&steps[half..]).behind(&joined(&steps[..half]))
        }
    }
}

impl Step {
    /// The values that the step makes of the variables.
    fn apply(&self, to: &[Scalar]) -> Vec<Scalar> {
        match *self {
            Step::Add(term) => vec![sum(to[0], term)],
            Step::Scale(factor) => vec![product(to[0], factor)],
            Step::Linear { factor, term } => vec![sum(product(factor, to[0]), term)],
            Step::Pair { factors, terms } => {
                let row = |[a, b]: [Scalar; 2], term| sum(product(a, to[0]), sum(product(b, to[1]), term));
                vec![row(factors[0], terms[0]), row(factors[1], terms[1])]
            }
        }
    }

    /// The step that does another one first.
    fn behind(&self, first: &Step) -> Step {
        match (self, first) {
            (&Step::Linear { factor, .. }, &Step::Linear { factor: first_factor, term }) => {
                Step::Linear { factor: product(factor, first_factor), term: self.apply(&[term])[0] }
            }
            (Step::Pair { factors, .. }, Step::Pair { factors: first_factors, terms }) => {
                let factor = |row: usize, column: usize| {
                    let [a, b] = factors[row];
                    sum(product(a, first_factors[0][column]), product(b, first_factors[1][column]))
                };
                let terms = self.apply(terms);
                Step::Pair {
                    factors: [0, 1].map(|row| [0, 1].map(|column| factor(row, column))),
                    terms: [terms[0], terms[1]],
                }
            }
            (Step::Scale(_), &Step::Scale(factor)) => Step::Scale(self.apply(&[factor])[0]),
            (_, &Step::Add(term)) => Step::Add(self.apply(&[term])[0]),
            _ => self.clone(),
        }
    }
}

fn sum(a: Scalar, b: Scalar) -> Scalar {
    scalar::add(a, b).unwrap_or(a)
}

fn product(a: Scalar, b: Scalar) -> Scalar {
    scalar::mul(a, b).unwrap_or(a)
}

/// The arithmetic of formulas, in lanes.
struct InLanes<'m, 'p> {
    machine: &'m mut Machine<'p>,
    /// A number of the variable's type.
    like: Scalar,
    at: ExprId,
    active: &'m [usize],
    known: &'m mut FxHashMap<ExprId, Vec<Scalar>>,
}

impl FormulaMath<ExprId> for InLanes<'_, '_> {
    type Number = Vec<Scalar>;
    type Error = Box<super::Error>;

    fn zero(&mut self) -> Vec<Scalar> {
        vec![Scalar::zero(self.like.elem()); self.active.len()]
    }

    fn one(&mut self) -> Vec<Scalar> {
        vec![Scalar::one(self.like.elem()); self.active.len()]
    }

    fn leaf(&mut self, &expr: &ExprId) -> Run<Vec<Scalar>> {
        if let Some(known) = self.known.get(&expr) {
            return Ok(known.clone());
        }
        let scalars = self.machine.scalars(expr, self.active)?;
        self.known.insert(expr, scalars.clone());
        Ok(scalars)
    }

    fn choice(&mut self, condition: &ExprId, a: Vec<Scalar>, b: Vec<Scalar>) -> Run<Vec<Scalar>> {
        let holds = self.leaf(condition)?;
        Ok(holds.iter().zip(a.into_iter().zip(b)).map(|(holds, (a, b))| if holds.is_true() { a } else { b }).collect())
    }

    fn neg(&mut self, a: Vec<Scalar>) -> Run<Vec<Scalar>> {
        let each = a.into_iter().zip(self.active);
        each.map(|(a, &lane)| self.machine.checked(scalar::neg(a), self.at, lane)).collect()
    }

    fn binary(&mut self, op: LinearOp, a: Vec<Scalar>, b: Vec<Scalar>) -> Run<Vec<Scalar>> {
        let op = match op {
            LinearOp::Add => BinOp::Add,
            LinearOp::Sub => BinOp::Sub,
            LinearOp::Mul => BinOp::Mul,
        };
        let each = a.into_iter().zip(b).zip(self.active);
        each.map(|((a, b), &lane)| self.machine.operate(op, a, b, self.at, lane)).collect()
    }
}
