//! Floats that run on through a loop in the language's fixed order: what a loop carries for them, and the statement that gives them
//! their next value.

use std::convert::Infallible;

use ir::linear::{FormulaMath, LinearFormula, LinearOp};
use ir::running::{LEVELS, RunningKind};
use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};
use rustc_hash::FxHashMap;

use super::{Lower, Lowered, Var};
use hir::{AttributeUse as HirAttr, BinOp, Block, ExprId, RunsOn, StmtId};

impl Lower<'_> {
    /// The floats that run on through a loop, from those values.
    pub(super) fn running(&self, attrs: &[HirAttr], block: &Block, carried: &[(Var, Lowered)]) -> Vec<RunsOn> {
        if !self.has_fixed_order(attrs) {
            return Vec::new();
        }
        let frame = self.frame();
        let mut running = hir::running(&frame.body, block, &frame.inference.like_fields);
        running.retain(|runs_on| {
            let var = self.local_var(runs_on.local);
            let is_float = |lowered: &Lowered| match lowered {
                Lowered::Scalar(value) => self.b.kernel().ty(*value).data_elem().is_some_and(Elem::is_float),
                _ => false,
            };
            !self.shared.contains(&var) && carried.iter().any(|(other, lowered)| *other == var && is_float(lowered))
        });
        running
    }

    /// Adds what a loop carries for the floats that run on through it, besides these: the number of the iteration, what is in front of
    /// its block, and what is joined in that.
    pub(super) fn carry_running(&mut self, running: &[RunsOn], carried: &mut Vec<(Var, Lowered)>) {
        let number = self.frame().number;
        for runs_on in running {
            let var = self.local_var(runs_on.local);
            let Some((_, Lowered::Scalar(start))) = carried.iter().find(|(other, _)| *other == var) else { continue };
            let start = *start;
            let elem = self.b.kernel().ty(start).data_elem().unwrap_or(Elem::F32);
            let first = self.constant(Constant::U32(0));
            carried.push((Var::Running(number, runs_on.stmt, 0), Lowered::Scalar(first)));
            let nothing = self.constant(Constant::zero(elem));
            for part in 1..=runs_on.kind().n_carried() {
                let value = if part == 1 { start } else { nothing };
                carried.push((Var::Running(number, runs_on.stmt, part as u8), Lowered::Scalar(value)));
            }
            self.running.insert((number, runs_on.stmt), runs_on.clone());
        }
    }

    /// Forgets, behind a loop, what it carried for the floats that run on through it.
    pub(super) fn end_running(&mut self, running: &[RunsOn]) {
        let number = self.frame().number;
        for runs_on in running {
            self.running.remove(&(number, runs_on.stmt));
            for part in 0..=runs_on.kind().n_carried() {
                self.vars.remove(&Var::Running(number, runs_on.stmt, part as u8));
            }
        }
    }

    /// The statement that gives a float its next value, where it runs on through a loop; says whether it is one.
    pub(super) fn run_on(&mut self, stmt: StmtId, target: ExprId) -> bool {
        let number = self.frame().number;
        let Some(runs_on) = self.running.get(&(number, stmt)).cloned() else { return false };
        let kind = runs_on.kind();
        let carried: Vec<Value> =
            (0..=kind.n_carried()).map(|part| self.scalar_var(Var::Running(number, stmt, part as u8))).collect();
        let ty = self.b.kernel().ty(carried[1]);
        let at = self.at(target);
        let mut known = FxHashMap::default();
        let factor = runs_on.linear.factor.as_ref().map(|formula| self.of_formula(formula, target, ty, &mut known));
        let term = runs_on.linear.term.as_ref().map(|formula| self.of_formula(formula, target, ty, &mut known));
        let (term, factor) = match kind {
            RunningKind::Sum => (term, None),
            RunningKind::Product => (factor, None),
            RunningKind::Linear => (term, factor),
        };
        let Some(term) = term else { return false };
        self.set_place(at);
        let (totals, factors) = carried[2..].split_at(LEVELS);
        let operands = [&carried[..2], &[term], totals, factor.as_slice(), factors].concat();
        for part in (0..=kind.n_carried()).rev() {
            let made = self.op(kind.code(), Attr::Number(part as i64), &operands, ty);
            match part {
                0 => self.define(runs_on.local, at, Lowered::Scalar(made)),
                _ => self.vars.insert(Var::Running(number, stmt, part as u8), Lowered::Scalar(made)),
            }
        }
        let one = self.constant(Constant::U32(1));
        let next = self.op(Code::WrappingAdd, Attr::None, &[carried[0], one], Type::scalar(Elem::U32));
        self.vars.insert(Var::Running(number, stmt, 0), Lowered::Scalar(next));
        true
    }

    /// The name of a part of what a loop carries for a float that runs on.
    pub(super) fn name_of_running(&self, stmt: StmtId, part: u8) -> Option<hir::Name> {
        let runs_on = self.running.get(&(self.frame().number, stmt))?;
        let name = &self.frame().body.locals[runs_on.local].name;
        let place = usize::from(part);
        Some(match place {
            0 => format!("{name}_count").into(),
            1 => format!("{name}_front").into(),
            _ if place < 2 + LEVELS => format!("{name}_of_{}", 1 << (place - 2)).into(),
            _ => format!("{name}_by_{}", 1 << (place - 2 - LEVELS)).into(),
        })
    }

    fn of_formula(
        &mut self,
        formula: &LinearFormula<ExprId>,
        target: ExprId,
        ty: Type,
        known: &mut FxHashMap<ExprId, Value>,
    ) -> Value {
        match formula.compute(&mut Ops { lower: self, target, ty, known }) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }
}

/// The ops that compute a formula.
struct Ops<'l, 'env> {
    lower: &'l mut Lower<'env>,
    target: ExprId,
    /// The type of the variable.
    ty: Type,
    /// The values of expressions, each of which is computed once.
    known: &'l mut FxHashMap<ExprId, Value>,
}

impl FormulaMath<ExprId> for Ops<'_, '_> {
    type Number = Value;
    type Error = Infallible;

    fn zero(&mut self) -> Value {
        self.lower.constant(Constant::zero(self.ty.data_elem().unwrap_or(Elem::F32)))
    }

    fn one(&mut self) -> Value {
        self.lower.constant(Constant::one(self.ty.data_elem().unwrap_or(Elem::F32)))
    }

    fn leaf(&mut self, &expr: &ExprId) -> Result<Value, Infallible> {
        if let Some(&known) = self.known.get(&expr) {
            return Ok(known);
        }
        let value = self.lower.scalar_of(expr, self.ty.data_elem().unwrap_or(Elem::F32));
        self.known.insert(expr, value);
        Ok(value)
    }

    fn choice(&mut self, condition: &ExprId, a: Value, b: Value) -> Result<Value, Infallible> {
        let condition = self.lower.condition(*condition);
        Ok(self.lower.op(Code::Select, Attr::None, &[condition, a, b], self.ty))
    }

    fn neg(&mut self, a: Value) -> Result<Value, Infallible> {
        let at = self.lower.at(self.target);
        self.lower.set_place(at);
        Ok(self.lower.op(Code::Neg, Attr::None, &[a], self.ty))
    }

    fn binary(&mut self, op: LinearOp, a: Value, b: Value) -> Result<Value, Infallible> {
        let op = match op {
            LinearOp::Add => BinOp::Add,
            LinearOp::Sub => BinOp::Sub,
            LinearOp::Mul => BinOp::Mul,
        };
        let at = self.lower.at(self.target);
        Ok(self.lower.arithmetic(op, at, a, b))
    }
}
