//! Statements, each for all active lanes.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::{RunCode, Scalar};
use report::ItemKind;

use super::StopCode;
use super::loops::Iterations;
use super::machine::{Flow, Machine, Run, Value};
use super::places::{Cell, Target, View};
use super::sizes::sizes_of;
use crate::operators;
use crate::size::Size;
use crate::ty::Ty;
use crate::{BinOp, Block, Expr, ExprId, LocalId, LocalKind, Over, Stmt, StmtId};

impl Machine<'_> {
    pub(super) fn block(&mut self, block: &Block, active: &[usize]) -> Run<()> {
        for &stmt in block {
            let on = self.with_flow(active, Flow::On);
            if on.is_empty() {
                break;
            }
            let at = self.frame().unit.map.stmts[stmt];
            self.deeper(at, |machine| machine.statement(stmt, &on))?;
        }
        Ok(())
    }

    /// Selects, out of some lanes, those whose control flow state is `flow`.
    pub(super) fn with_flow(&self, lanes: &[usize], flow: Flow) -> Vec<usize> {
        lanes.iter().copied().filter(|&lane| self.frame().lanes[lane].flow == flow).collect()
    }

    fn set_flow(&mut self, lanes: &[usize], flow: Flow) {
        lanes.iter().for_each(|&lane| self.frame_mut().lanes[lane].flow = flow);
    }

    /// Lets those of some lanes that have left in one way take part again.
    pub(super) fn rejoin(&mut self, lanes: &[usize], from: Flow) {
        let back = self.with_flow(lanes, from);
        self.set_flow(&back, Flow::On);
    }

    fn statement(&mut self, id: StmtId, active: &[usize]) -> Run<()> {
        let unit = self.frame().unit;
        self.burn(unit.map.stmts[id], active[0])?;
        self.known_earlier(id, active)?;
        match &unit.body.stmts[id] {
            Stmt::Define(local, value) => self.define(*local, *value, active),
            Stmt::Assign { target, .. } if let Some(number) = self.running_at(id) => {
                self.run_on(number, *target, active)
            }
            Stmt::Assign { target, op, value } => self.assign(*target, *op, *value, active),
            Stmt::Expr(expr) => self.expr(*expr, active).map(drop),
            Stmt::For { index, over, body, attrs, .. } => {
                let (iterations, at) = match over {
                    Over::Range(range) => (Iterations::Range(self.steps(range, active)?), range.stop),
                    Over::Elements(array) => (self.iterations_of(*array, active)?, *array),
                };
                self.for_(id, *index, (&iterations, at), body, attrs, active)
            }
            Stmt::Foreach { indices, body, attrs } => self.foreach(id, indices, body, attrs, active),
            Stmt::While { condition, body, .. } => self.while_(id, *condition, body, active),
            Stmt::If { condition, then_block, else_block, .. } => {
                let (on, off) = self.split(*condition, active)?;
                self.block(then_block, &on)?;
                self.block(else_block, &off)
            }
            Stmt::Break => {
                self.set_flow(active, Flow::Broke);
                Ok(())
            }
            Stmt::Continue => {
                self.set_flow(active, Flow::Continued);
                Ok(())
            }
            Stmt::Return(value) => self.return_(*value, active),
            Stmt::Pass => Ok(()),
            Stmt::Assert(condition) if let Some(sides) = unit.body.asserted_sizes(*condition) => {
                let [a, b] = [self.integers(sides[0], active)?, self.integers(sides[1], active)?];
                match a.iter().zip(&b).position(|(a, b)| a != b) {
                    Some(n) => Err(self.fault(ErrorKind::SizesDiffer(a[n], b[n]), self.at(*condition), active[n])),
                    None => Ok(()),
                }
            }
            Stmt::Assert(condition) => {
                let (_, off) = self.split(*condition, active)?;
                match off.first() {
                    Some(&lane) => Err(self.fault(ErrorKind::AssertFailed, self.at(*condition), lane)),
                    None => Ok(()),
                }
            }
            Stmt::Broken(..) => {
                Err(self.error(StopCode::HasErrors, unit.map.stmts[id], active[0], "this line was not understood"))
            }
        }
    }

    /// The lanes where a condition holds, and those where it does not.
    pub(super) fn split(&mut self, condition: ExprId, active: &[usize]) -> Run<(Vec<usize>, Vec<usize>)> {
        let values = self.expr(condition, active)?;
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for (&lane, value) in active.iter().zip(&values) {
            if self.scalar(value, condition)?.is_true() { on.push(lane) } else { off.push(lane) }
        }
        Ok((on, off))
    }

    fn define(&mut self, local: LocalId, value: ExprId, active: &[usize]) -> Run<()> {
        let values = self.expr(value, active)?;
        let ty = self.frame().unit.types.locals.get(local).map(|ty| self.bound(ty)).unwrap_or(Ty::Error);
        let is_held = self.frame().unit.body.locals[local].kind == LocalKind::Held;
        let values = if is_held { values } else { self.own_copies(value, values, active)? };
        for (&lane, given) in active.iter().zip(values) {
            let given = match given {
                Value::Scalar(_) | Value::Struct(_) if matches!(ty, Ty::Array(..)) => {
                    self.filled(&ty, &given, value, lane)?
                }
                given => given,
            };
            if let Value::View(view) = &given
                && let Some(kind) = self.size_clash(local, view, lane)
            {
                return Err(self.fault(kind, self.at(value), lane));
            }
            self.set(local, lane, given);
        }
        self.check_assumed(&[value], active)
    }

    /// A variable that is given a constant array has a copy of its own.
    fn own_copies(&mut self, value: ExprId, values: Vec<Value>, active: &[usize]) -> Run<Vec<Value>> {
        if !matches!(self.frame().unit.body.exprs[value], Expr::Item(ItemKind::Const, _)) {
            return Ok(values);
        }
        self.each(active, |machine, n, lane| match &values[n] {
            Value::View(view) => machine.copy(view, value, lane),
            other => Ok(other.clone()),
        })
    }

    fn assign(&mut self, target: ExprId, op: Option<BinOp>, value: ExprId, active: &[usize]) -> Run<()> {
        let mut values = self.expr(value, active)?;
        let is_array = matches!(self.type_of(target), Ty::Array(..));
        if is_array {
            self.check_assumed(&[value, target], active)?;
        }
        let is_variable = matches!(self.frame().unit.body.exprs[target], Expr::Local(_));
        if op.is_none() && is_variable {
            // A variable names the array from then on.
            let values = self.own_copies(value, values, active)?;
            let targets = self.targets(target, active)?;
            self.check_rebound(&targets, &values, value, active)?;
            return self.give(&targets, values, target, active);
        }
        // An array that is stored is what it was before anything else happens; what an operator makes is a new one.
        if op.is_none() {
            values = self.copies(values, value, active)?;
        }
        let mut targets = self.targets(target, active)?;
        if let Some(op) = op {
            targets = self.each(active, |machine, n, lane| Ok(machine.named_array(&targets[n], lane)))?;
            let held = self.held(&targets, target, active)?;
            values = self.binary(target, op, Some(value), &[held, values], active)?;
        }
        self.give(&targets, values, target, active)
    }

    /// An array variable that is given another array: one of the sizes that are written for it, and that its array has.
    fn check_rebound(&self, targets: &[Target], values: &[Value], at: ExprId, active: &[usize]) -> Run<()> {
        for ((target, value), &lane) in targets.iter().zip(values).zip(active) {
            let Target::Local(local) = target else { continue };
            match (value, self.frame().lanes[lane].vars.get(local)) {
                (Value::View(view), old) => {
                    if let Some(kind) = self.size_clash(*local, view, lane) {
                        return Err(self.fault(kind, self.at(at), lane));
                    }
                    if let Some(Value::View(old)) = old
                        && sizes_of(old) != sizes_of(view)
                    {
                        return Err(self.sizes_differ(&sizes_of(old), &sizes_of(view), at, lane));
                    }
                }
                (_, Some(Value::View(_))) => {
                    return Err(self.error(StopCode::HasErrors, self.at(at), lane, "there is no array here"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The target of `x += e`: for a variable that names an array, the cells of that.
    fn named_array(&self, target: &Target, lane: usize) -> Target {
        match target {
            Target::Local(local) => match self.frame().lanes[lane].vars.get(local) {
                Some(Value::View(view)) => Target::View(view.clone()),
                _ => target.clone(),
            },
            other => other.clone(),
        }
    }

    /// Does something for each active lane.
    pub(super) fn each<T>(
        &mut self,
        active: &[usize],
        mut once: impl FnMut(&mut Self, usize, usize) -> Run<T>,
    ) -> Run<Vec<T>> {
        active.iter().enumerate().map(|(n, &lane)| once(self, n, lane)).collect()
    }

    /// `a op b`, with the place `at` if it fails.
    pub(super) fn operate(&self, op: BinOp, a: Scalar, b: Scalar, at: ExprId, lane: usize) -> Run<Scalar> {
        match operators::binary(op, a, b) {
            Some(result) => self.checked(result, at, lane),
            None => {
                let message = format!("`{}` has no meaning here", op.text());
                Err(self.error(StopCode::HasErrors, self.at(at), lane, message))
            }
        }
    }

    /// Checks arrays against sizes that are written at the result of a function.
    fn check_written(&self, at: ExprId, sizes: &[Size], values: &[Value], active: &[usize]) -> Run<()> {
        for (value, &lane) in values.iter().zip(active) {
            if let Value::View(view) = value
                && let Some(kind) = self.sizes_clash(sizes, view, lane)
            {
                return Err(self.fault(kind, self.at(at), lane));
            }
        }
        Ok(())
    }

    fn return_(&mut self, value: Option<ExprId>, active: &[usize]) -> Run<()> {
        if let Some(value) = value {
            let unit = self.frame().unit;
            let values = self.expr(value, active)?;
            match &unit.types.signature.result {
                Some(Ty::Array(_, sizes)) if unit.body.result.is_some() => {
                    self.check_written(value, sizes, &values, active)?;
                }
                // Where nothing is known of a size, the other values that are returned tell it.
                Some(ty) if unit.types.exprs.get(value).is_some_and(Ty::has_unknown_size) => {
                    self.check_sizes(value, ty, &values, active)?;
                }
                _ => {}
            }
            for (&lane, given) in active.iter().zip(values) {
                self.frame_mut().lanes[lane].result = Some(given);
            }
            self.check_assumed(&[value], active)?;
        }
        self.set_flow(active, Flow::Returned);
        Ok(())
    }
}

/// The old and new values of targets: one for each active lane, all of one kind.
impl Machine<'_> {
    fn held(&mut self, targets: &[Target], at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        if let Some(cells) = cells(targets) {
            return self.load(&cells, at, active);
        }
        self.each(active, |machine, n, lane| match &targets[n] {
            Target::Local(local) => machine.local(*local, at, lane),
            Target::Field(local, field) => match machine.local(*local, at, lane)? {
                Value::Struct(leaves) => machine.value_of(&leaves[field.leaves.clone()], &field.ty, at, lane),
                _ => Err(machine.no_struct(at, lane)),
            },
            Target::View(view) => Ok(Value::View(view.clone())),
            Target::Cell(_) => unreachable!("all targets are of one kind"),
        })
    }

    pub(super) fn give(&mut self, targets: &[Target], values: Vec<Value>, at: ExprId, active: &[usize]) -> Run<()> {
        let values = self.each(active, |machine, n, lane| {
            let part = match &targets[n] {
                Target::Field(_, part) => Some(part),
                Target::Cell(cell) => cell.field.as_ref(),
                _ => None,
            };
            part.map_or(Ok(values[n].clone()), |part| machine.leaves_for(part, values[n].clone(), at, lane))
        })?;
        if let Some(cells) = cells(targets) {
            return self.store(&cells, &values, at, active);
        }
        if let Some(views) = views(targets) {
            return self.store_all(&views, &values, at, active);
        }
        if let Some(Target::Local(local) | Target::Field(local, _)) = targets.first()
            && self.frame().shared.contains(local)
            && let Some(n) = values.iter().position(|value| !is_same(value, &values[0]))
        {
            let name = &self.frame().unit.body.locals[*local].name;
            let message = format!("lanes that are active here share `{name}`, and give it different values");
            return Err(self.error(RunCode::LanesDiffer, self.at(at), active[n], message));
        }
        for ((&lane, target), value) in active.iter().zip(targets).zip(values) {
            match target {
                Target::Local(local) => self.set(*local, lane, value),
                Target::Field(local, field) => {
                    let Value::Struct(leaves) = self.local(*local, at, lane)? else {
                        return Err(self.no_struct(at, lane));
                    };
                    let mut changed = leaves.to_vec();
                    match value {
                        Value::Scalar(scalar) => changed[field.leaves.start] = scalar,
                        Value::Struct(new) if new.len() == field.leaves.len() => {
                            changed[field.leaves.clone()].copy_from_slice(&new)
                        }
                        _ => return Err(self.no_struct(at, lane)),
                    }
                    self.set(*local, lane, Value::Struct(changed.into()));
                }
                Target::Cell(_) | Target::View(_) => unreachable!("all targets are of one kind"),
            }
        }
        Ok(())
    }

    fn no_struct(&self, at: ExprId, lane: usize) -> Box<super::Error> {
        self.error(StopCode::HasErrors, self.at(at), lane, "there is no struct here")
    }
}

/// Says whether two values are the same, bit by bit.
fn is_same(a: &Value, b: &Value) -> bool {
    let scalars = |a: &[Scalar], b: &[Scalar]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.bits() == b.bits());
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => scalars(&[*a], &[*b]),
        (Value::Struct(a), Value::Struct(b)) => scalars(a, b),
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| is_same(a, b)),
        _ => false,
    }
}

/// The cells that targets are, if they are cells.
fn cells(targets: &[Target]) -> Option<Vec<Cell>> {
    let cell = |target: &Target| match target {
        Target::Cell(cell) => Some(cell.clone()),
        _ => None,
    };
    targets.iter().map(cell).collect()
}

/// The arrays, rows or slices that targets are, if they are such.
fn views(targets: &[Target]) -> Option<Vec<Rc<View>>> {
    let view = |target: &Target| match target {
        Target::View(view) => Some(view.clone()),
        _ => None,
    };
    targets.iter().map(view).collect()
}
