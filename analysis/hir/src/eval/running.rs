//! `@reassoc` and `@fast`: floats that run on through a loop, by blocks of 8 iterations.
//!
//! An iteration's step is what it makes of the variable: `factor * s + term`, where a sum has no factor and a product no term. The
//! step of a few iterations is joined of those of its halves, where the first half is the largest power of two that leaves something. What
//! the variable is in an iteration is what the step of all iterations of the block so far makes of the value in front of the block.

use ir::linear::{FormulaMath, LinearForm, LinearFormula, LinearOp};
use ir::{Scalar, scalar};
use rustc_hash::FxHashMap;

use super::machine::{Machine, Run, Value};
use crate as hir;
use crate::{AttributeUse, BinOp, Block, ExprId, RunsOn, StmtId};

/// The number of iterations in a block.
const BLOCK: usize = 8;

/// A variable that runs on through a loop, in all its lanes.
pub(super) struct Running {
    /// The depth of the function whose loop it is.
    depth: usize,
    runs_on: RunsOn,
    lanes: FxHashMap<usize, InBlock>,
}

/// The state of a variable that runs on, in one lane.
struct InBlock {
    /// The value in front of the block.
    front: Scalar,
    /// The steps of the block so far.
    steps: Vec<Step>,
}

/// The step of an iteration: the variable is multiplied by a factor, and a term is added.
#[derive(Clone, Copy)]
struct Step {
    factor: Option<Scalar>,
    term: Option<Scalar>,
}

impl Machine<'_> {
    /// Notes the variables that run on through a loop; gives the number that there were before.
    pub(super) fn start_running(&mut self, attrs: &[AttributeUse], body: &Block, active: &[usize]) -> usize {
        let n_before = self.running.len();
        if !self.has_fixed_order(attrs) {
            return n_before;
        }
        let frame = self.frame();
        let mut new = Vec::new();
        for runs_on in hir::running(&frame.unit.body, body, &frame.unit.types.like_fields) {
            let before = |lane: &usize| match frame.lanes[*lane].vars.get(&runs_on.local) {
                Some(&Value::Scalar(front)) if front.elem().is_float() => {
                    Some((*lane, InBlock { front, steps: Vec::new() }))
                }
                _ => None,
            };
            if !frame.shared.contains(&runs_on.local)
                && let Some(lanes) = active.iter().map(before).collect()
            {
                new.push(Running { depth: self.frames.len(), runs_on, lanes });
            }
        }
        self.running.extend(new);
        n_before
    }

    /// The number of the variable that a statement gives its next value, if it runs on through a loop.
    pub(super) fn running_at(&self, stmt: StmtId) -> Option<usize> {
        self.running.iter().rposition(|it| it.depth == self.frames.len() && it.runs_on.stmt == stmt)
    }

    /// Does the statement that gives a variable its next value, where it runs on.
    pub(super) fn run_on(&mut self, number: usize, at: ExprId, active: &[usize]) -> Run<()> {
        let RunsOn { local, linear: LinearForm { factor, term }, .. } = self.running[number].runs_on.clone();
        // An expression may stand in both, and is evaluated once.
        let mut known = FxHashMap::default();
        let [factors, terms] = [factor, term]
            .map(|formula| formula.map(|formula| self.of_formula(&formula, local, at, active, &mut known)).transpose());
        let (factors, terms) = (factors?, terms?);
        for (n, lane) in active.iter().enumerate() {
            let step = Step { factor: factors.as_ref().map(|it| it[n]), term: terms.as_ref().map(|it| it[n]) };
            let Some(block) = self.running[number].lanes.get_mut(lane) else { continue };
            block.steps.push(step);
            let value = joined(&block.steps).apply(block.front);
            if block.steps.len() == BLOCK {
                block.front = value;
                block.steps.clear();
            }
            self.set(local, *lane, Value::Scalar(value));
        }
        Ok(())
    }

    /// The values of a formula, in the active lanes.
    fn of_formula(
        &mut self,
        formula: &LinearFormula<ExprId>,
        local: hir::LocalId,
        at: ExprId,
        active: &[usize],
        known: &mut FxHashMap<ExprId, Vec<Scalar>>,
    ) -> Run<Vec<Scalar>> {
        let like = self.local(local, at, active[0])?;
        let like = self.scalar(&like, at)?;
        formula.compute(&mut InLanes { machine: self, like, at, active, known })
    }
}

/// The steps of some iterations as one.
fn joined(steps: &[Step]) -> Step {
    match steps {
        [step] => *step,
        steps => {
            let half = steps.len().next_power_of_two() / 2;
            let (first, then) = (joined(&steps[..half]), joined(&steps[half..]));
            let factor = first.factor.zip(then.factor).map(|(first, then)| product(then, first));
            Step { factor, term: first.term.map(|term| then.apply(term)) }
        }
    }
}

impl Step {
    fn apply(self, to: Scalar) -> Scalar {
        let scaled = self.factor.map_or(to, |factor| product(factor, to));
        self.term.map_or(scaled, |term| scalar::add(scaled, term).unwrap_or(scaled))
    }
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
        let values = self.machine.expr(expr, self.active)?;
        let scalars: Vec<Scalar> = values.iter().map(|value| self.machine.scalar(value, expr)).collect::<Run<_>>()?;
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
