//! Floats that run on through a loop in the language's fixed order: what a loop carries for them, and the statement that gives them
//! their next value.

use std::convert::Infallible;

use ir::linear::{FormulaMath, LinearFormula, LinearOp};
use ir::running::{self, LEVELS, RunningStep};
use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};
use rustc_hash::FxHashMap;

use super::loops::Counter;
use super::{Lower, Lowered, Var};
use hir::ty::Ty;
use hir::{AttributeUse as HirAttr, BinOp, ExprId, RunningCells, RunningVariable, RunsOn, StmtId};

/// Floats that run on through a loop around.
#[derive(Debug)]
pub(super) struct Running {
    /// The number of the frame whose loop it is.
    frame: u32,
    runs_on: RunsOn,
    /// The values of the expressions that the step of this iteration has, as far as they are computed.
    known: FxHashMap<ExprId, Value>,
    /// The values that the variables get in this iteration.
    values: Vec<Value>,
    /// Of cells: those that the iterations before have assigned and other statements read, the last one first.
    before: Vec<Value>,
}

/// The number of the first part that is a cell of an iteration before, behind all that an op computes.
const CELLS: u8 = 64;

impl Lower<'_> {
    /// The floats that run on through a loop, from those values.
    pub(super) fn running(&self, attrs: &[HirAttr], stmt: StmtId, carried: &[(Var, Lowered)]) -> Vec<RunsOn> {
        if !self.has_fixed_order(stmt, attrs) {
            return Vec::new();
        }
        let frame = self.frame();
        let mut running = hir::running(&frame.body, stmt, &frame.inference.like_fields, frame.call.is_none());
        let is_float = |lowered: &Lowered| match lowered {
            Lowered::Scalar(value) => self.b.kernel().ty(*value).data_elem().is_some_and(Elem::is_float),
            _ => false,
        };
        running.retain(|runs_on| {
            if let Some(cells) = &runs_on.cells {
                return matches!(self.type_of(cells.target), Ty::Scalar(elem) if elem.is_float());
            }
            runs_on.variables.iter().all(|variable| {
                let var = self.local_var(variable.local);
                !self.shared.contains(&var) && carried.iter().any(|(other, value)| *other == var && is_float(value))
            })
        });
        running
    }

    /// Adds what a loop carries for the floats that run on through it, besides these: the number of the iteration, what is in front of
    /// its block, and what is joined in that; of cells those of the iterations before, too.
    pub(super) fn carry_running(
        &mut self,
        running: &[RunsOn],
        (counter, range): (&Counter, [Value; 3]),
        carried: &mut Vec<(Var, Lowered)>,
    ) {
        let frame = self.frame().number;
        for runs_on in running {
            let start = |variable: &RunningVariable| {
                let var = self.local_var(variable.local);
                let found = carried.iter().find(|(other, _)| *other == var);
                found.and_then(|(_, lowered)| if let Lowered::Scalar(start) = lowered { Some(*start) } else { None })
            };
            let starts: Vec<Value> = match &runs_on.cells {
                Some(cells) => self.cells_in_front(cells, runs_on.variables.len(), counter, range),
                None => runs_on.variables.iter().filter_map(start).collect(),
            };
            let n_seen = runs_on.cells.as_ref().map_or(0, |cells| cells.n_seen);
            let before = starts[..n_seen].to_vec();
            let elem = self.b.kernel().ty(starts[0]).data_elem().unwrap_or(Elem::F32);
            let (first, nothing) = (self.constant(Constant::U32(0)), self.constant(Constant::zero(elem)));
            let parts = starts.into_iter().chain(std::iter::repeat(nothing)).take(runs_on.kind().n_carried());
            let stmt = runs_on.variables[0].stmt;
            carried.extend(
                [first]
                    .into_iter()
                    .chain(parts)
                    .zip(0..)
                    .map(|(value, part)| (Var::Running(frame, stmt, part), Lowered::Scalar(value))),
            );
            let of_before = before.iter().zip(CELLS..);
            carried.extend(of_before.map(|(&it, part)| (Var::Running(frame, stmt, part), Lowered::Scalar(it))));
            let (known, values) = (FxHashMap::default(), Vec::new());
            self.running.push(Running { frame, runs_on: runs_on.clone(), known, values, before });
        }
    }

    /// The cells in front of the first iteration, the nearest first; zeros where there is no iteration.
    fn cells_in_front(
        &mut self,
        cells: &RunningCells,
        n_cells: usize,
        counter: &Counter,
        [start, stop, _]: [Value; 3],
    ) -> Vec<Value> {
        let Ty::Scalar(elem) = self.type_of(cells.target) else { return Vec::new() };
        let goes = self.op(Code::Lt, Attr::None, &[start, stop], Type::scalar(Elem::Bool));
        let before = self.vars.checkpoint();
        self.b.open_if(goes);
        self.start_counter(counter, start);
        let reads = (1..=n_cells).filter_map(|back| cells.before.iter().find(|(_, other)| *other == back));
        let found: Vec<Value> = reads.map(|&(expr, _)| self.scalar_of(expr, elem)).collect();
        self.b.next_block(&found);
        let nothing = self.constant(Constant::zero(elem));
        let found = self.b.close(&vec![nothing; found.len()]);
        self.vars.roll_back(before);
        found.to_vec()
    }

    /// Notes, where a loop's body begins, the cells that the iterations before have assigned.
    pub(super) fn begin_running(&mut self, running: &[RunsOn]) {
        let first = self.running.len() - running.len();
        for number in first..self.running.len() {
            let Running { frame, runs_on, before, .. } = &self.running[number];
            let (frame, stmt, n_cells) = (*frame, runs_on.variables[0].stmt, before.len());
            let parts = (CELLS..).take(n_cells);
            self.running[number].before = parts.map(|part| self.scalar_var(Var::Running(frame, stmt, part))).collect();
        }
    }

    /// The cell that an expression reads, where an iteration before has assigned it.
    pub(super) fn cell_of_before(&self, expr: ExprId) -> Option<Value> {
        let frame = self.frame().number;
        self.running.iter().rev().filter(|running| running.frame == frame).find_map(|running| {
            let found = running.runs_on.cells.as_ref()?.before.iter().find(|(other, _)| *other == expr);
            found.and_then(|&(_, back)| running.before.get(back - 1).copied())
        })
    }

    /// Forgets, behind a loop, what it carried for the floats that run on through it.
    pub(super) fn end_running(&mut self, running: &[RunsOn]) {
        let frame = self.frame().number;
        for runs_on in running {
            let n_seen = runs_on.cells.as_ref().map_or(0, |cells| cells.n_seen);
            for part in (0..=runs_on.kind().n_carried() as u8).chain((CELLS..).take(n_seen)) {
                self.vars.remove(&Var::Running(frame, runs_on.variables[0].stmt, part));
            }
        }
        self.running.truncate(self.running.len() - running.len());
    }

    /// Computes what a statement has of the step of floats that run on, where that is known only later.
    pub(super) fn known_earlier(&mut self, stmt: StmtId) {
        let frame = self.frame().number;
        for number in 0..self.running.len() {
            let Running { frame: of, runs_on, .. } = &self.running[number];
            let here = runs_on.earlier.iter().filter(|(other, _)| *of == frame && *other == stmt);
            let exprs: Vec<ExprId> = here.flat_map(|(_, exprs)| exprs.iter().copied()).collect();
            if exprs.is_empty() {
                continue;
            }
            let front = self.scalar_var(Var::Running(frame, runs_on.variables[0].stmt, 1));
            let elem = self.b.kernel().ty(front).data_elem().unwrap_or(Elem::F32);
            for expr in exprs {
                let value = self.scalar_of(expr, elem);
                self.running[number].known.insert(expr, value);
            }
        }
    }

    /// The statement that gives a float its next value, where it runs on through a loop; says whether it is one. The first of the
    /// statements of two floats does the step of both.
    pub(super) fn run_on(&mut self, stmt: StmtId, target: ExprId) -> bool {
        let frame = self.frame().number;
        let place = |running: &Running| {
            let place = running.runs_on.variables.iter().position(|variable| variable.stmt == stmt);
            place.filter(|_| running.frame == frame)
        };
        let found = self.running.iter().enumerate().rev().map(|(number, running)| (number, place(running)));
        let Some((number, place)) = found.into_iter().find_map(|(number, place)| Some((number, place?))) else {
            return false;
        };
        if place == 0 {
            self.step_on(number, target);
        }
        let Running { runs_on, values, before, .. } = &self.running[number];
        let (local, value) = (runs_on.variables[place].local, values[place]);
        if runs_on.cells.is_some() {
            let carried: Vec<Value> = [value].into_iter().chain(before.iter().copied()).take(before.len()).collect();
            for (value, part) in carried.into_iter().zip(CELLS..) {
                self.vars.insert(Var::Running(frame, stmt, part), Lowered::Scalar(value));
            }
            let name = self.frame().body.locals[local].name.clone();
            self.b.name(value, &name);
            if let Some((place, indices)) = self.cell(target) {
                self.store(target, &place, &indices, Lowered::Scalar(value));
            }
            return true;
        }
        let at = self.at(target);
        self.set_place(at);
        self.define(local, at, Lowered::Scalar(value));
        true
    }

    /// Does the step of floats that run on: computes all its parts.
    fn step_on(&mut self, number: usize, target: ExprId) {
        let Running { frame, runs_on, .. } = &self.running[number];
        let (frame, stmt, kind, step) = (*frame, runs_on.variables[0].stmt, runs_on.kind(), runs_on.step());
        let carried: Vec<Value> =
            (0..=kind.n_carried()).map(|part| self.scalar_var(Var::Running(frame, stmt, part as u8))).collect();
        let ty = self.b.kernel().ty(carried[1]);
        let mut known = std::mem::take(&mut self.running[number].known);
        let mut computed = |formula: &LinearFormula<ExprId>| self.of_formula(formula, target, ty, &mut known);
        let factors = step.factors.iter().map(&mut computed).collect();
        let own = RunningStep { terms: step.terms.iter().map(&mut computed).collect(), factors };
        self.set_place(self.at(target));
        let running = running::Running::with(kind, &carried[1..], own);
        let operands = [&carried[..1], &running.operands()].concat();
        let n_values = kind.n_values();
        let mut values = vec![carried[0]; n_values];
        for part in (0..kind.n_parts()).rev() {
            let made = self.op(kind.code(), Attr::Number(part as i64), &operands, ty);
            match part.checked_sub(n_values) {
                None => values[part] = made,
                Some(place) => {
                    self.vars.insert(Var::Running(frame, stmt, 1 + place as u8), Lowered::Scalar(made));
                }
            }
        }
        let one = self.constant(Constant::U32(1));
        let next = self.op(Code::WrappingAdd, Attr::None, &[carried[0], one], Type::scalar(Elem::U32));
        self.vars.insert(Var::Running(frame, stmt, 0), Lowered::Scalar(next));
        self.running[number].values = values;
    }

    /// The name of a part of what a loop carries for floats that run on.
    pub(super) fn name_of_running(&self, stmt: StmtId, part: u8) -> Option<hir::Name> {
        let frame = self.frame().number;
        let is_it = |it: &&Running| it.frame == frame && it.runs_on.variables[0].stmt == stmt;
        let runs_on = &self.running.iter().find(is_it)?.runs_on;
        let kind = runs_on.kind();
        let name = |number: usize| {
            let name = &self.frame().body.locals[runs_on.variables[number].local].name;
            if number > 0 && runs_on.cells.is_some() { format!("{name}_before") } else { name.to_string() }
        };
        if let Some(number) = part.checked_sub(CELLS) {
            return Some(format!("{}_last", name(number.into())).into());
        }
        let (n_values, n_factors) = (kind.n_values(), kind.n_factors());
        let n_terms = LEVELS * n_values;
        Some(match usize::from(part).checked_sub(1) {
            None => format!("{}_count", name(0)).into(),
            Some(place) if place < n_values => format!("{}_front", name(place)).into(),
            Some(place) if place < n_values + n_terms => {
                let (level, value) = ((place - n_values) / n_values, (place - n_values) % n_values);
                format!("{}_of_{}", name(value), 1 << level).into()
            }
            Some(place) => {
                let place = place - n_values - n_terms;
                let (level, factor) = (place / n_factors, place % n_factors);
                let (row, column) = (factor / n_values, factor % n_values);
                match n_values {
                    1 => format!("{}_by_{}", name(0), 1 << level).into(),
                    _ => format!("{}_by_{}_of_{}", name(row), name(column), 1 << level).into(),
                }
            }
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
