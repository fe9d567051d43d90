//! `while` loops whose condition nothing in them changes: once entered, they never end.
//!
//! A condition may change where the loop assigns to a variable that it reads; where it reads a cell of an array, by any store and any
//! call. A loop with a `break` of its own or a `return` ends by that.

use ir::Scalar;

use super::Infer;
use crate::builtins::TypeRule;
use crate::errors;
use crate::walk::{Met, block};
use crate::{BinOp, Block, Expr, ExprId, LocalId, LocalKind, Stmt, StmtId};

impl Infer<'_, '_> {
    /// Finds them in the item.
    pub(super) fn endless(&mut self) {
        let body = self.body;
        if body.in_doubt {
            return;
        }
        for (stmt, data) in body.stmts.iter() {
            if let Stmt::While { condition, body: inside, .. } = data
                && self.never_changes(*condition, inside)
                && self.out.values.get(condition) != Some(&Scalar::Bool(false))
            {
                self.endless_loop(stmt, *condition, inside);
            }
        }
    }

    fn endless_loop(&mut self, stmt: StmtId, condition: ExprId, inside: &Block) {
        let at = self.map.header_of(stmt).map_or(self.at(condition), |header| header.at);
        let names: Vec<_> = {
            let variables = self.variables(condition).into_iter().filter(|&local| self.can_change(local));
            variables.map(|local| self.body.locals[local].name.clone()).collect()
        };
        let is_open = self.variables(condition).is_empty();
        let step = self.missing_step(condition).zip(inside.last().map(|&last| self.map.stmts[last]));
        self.find(errors::endless_loop(at, self.at(condition), is_open, &names, step));
    }

    /// Returns true for what a loop can change: a variable that has a name, or the cells of an array.
    fn can_change(&self, local: LocalId) -> bool {
        let data = &self.body.locals[local];
        let is_array = matches!(self.out.locals.get(local), Some(crate::ty::Ty::Array(..)));
        !data.name.is_empty() && (is_array || matches!(data.kind, LocalKind::Let | LocalKind::Assigned))
    }

    /// Each variable that an expression reads, once, in order.
    pub(super) fn variables(&self, expr: ExprId) -> Vec<LocalId> {
        let mut found = Vec::new();
        self.each_part(expr, &mut |_, data| {
            if let Expr::Local(local) = data
                && !found.contains(local)
            {
                found.push(*local);
            }
        });
        found
    }

    fn each_part(&self, expr: ExprId, visit: &mut dyn FnMut(ExprId, &Expr)) {
        visit(expr, &self.body.exprs[expr]);
        let mut parts = Vec::new();
        self.body.for_each_part(expr, |part| parts.push(part));
        parts.into_iter().for_each(|part| self.each_part(part, visit));
    }

    fn never_changes(&self, condition: ExprId, inside: &Block) -> bool {
        let body = self.body;
        let read = self.variables(condition);
        let (mut reads_cells, mut is_known) = (false, true);
        self.each_part(condition, &mut |_, data| match data {
            Expr::Index(..) => reads_cells = true,
            // A call may have an effect of its own, and a builtin may read what others write.
            Expr::Call(callee, _) => is_known &= self.is_of_values(*callee),
            Expr::Missing => is_known = false,
            _ => {}
        });
        if !is_known {
            return false;
        }
        let mut changes = false;
        block(body, inside, &mut |met| {
            match met {
                Met::Stmt(stmt) => match &body.stmts[stmt] {
                    Stmt::Broken(..) | Stmt::Return(_) => changes = true,
                    Stmt::Assign { target, .. } => {
                        let base = self.base(*target);
                        changes |= base.is_none_or(|base| read.contains(&base));
                        changes |= reads_cells && !matches!(body.exprs[*target], Expr::Local(_));
                    }
                    _ => {}
                },
                Met::Expr(expr) => match &body.exprs[expr] {
                    Expr::Missing => changes = true,
                    Expr::Call(callee, _) if reads_cells => {
                        changes |= !self.is_of_values(*callee);
                    }
                    _ => {}
                },
            }
            !changes
        });
        !changes && !self.breaks_out(inside)
    }

    /// Returns true for a builtin that computes with values and has no effect.
    fn is_of_values(&self, callee: ExprId) -> bool {
        let Expr::Builtin(builtin) = self.body.exprs[callee] else { return false };
        let shape = builtin.get().shape;
        shape.is_of_scalars() || shape == TypeRule::Length
    }

    /// The variable that a place is a part of.
    fn base(&self, place: ExprId) -> Option<LocalId> {
        match &self.body.exprs[place] {
            Expr::Local(local) => Some(*local),
            Expr::Index(base, _) | Expr::Field(base, _) => self.base(*base),
            _ => None,
        }
    }

    /// Returns true if a `break` leaves the loop that has this body.
    fn breaks_out(&self, inside: &Block) -> bool {
        inside.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Break => true,
            Stmt::If { then_block, else_block, .. } => self.breaks_out(then_block) || self.breaks_out(else_block),
            Stmt::Broken(_, block) => self.breaks_out(block),
            _ => false,
        })
    }

    /// The step that a count towards a bound lacks: `i += 1` for `while i < n`.
    fn missing_step(&self, condition: ExprId) -> Option<String> {
        let Expr::Binary(op, lhs, _) = self.body.exprs[condition] else { return None };
        let Expr::Local(local) = self.body.exprs[lhs] else { return None };
        let sign = match op {
            BinOp::Lt | BinOp::Le => '+',
            BinOp::Gt | BinOp::Ge => '-',
            _ => return None,
        };
        let data = &self.body.locals[local];
        let counts = matches!(data.kind, LocalKind::Let | LocalKind::Assigned);
        let ty = self.out.locals.get(local).map(|ty| self.table.resolve(ty));
        let is_integer = matches!(ty, Some(crate::ty::Ty::Scalar(elem)) if elem.is_integer());
        (counts && is_integer).then(|| format!("{} {sign}= 1", data.name))
    }
}
