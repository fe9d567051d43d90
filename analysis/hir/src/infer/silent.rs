//! Expressions that mean something else in C, and that nothing else would complain about: arithmetic in a narrow type whose high bits are
//! gone before a cast, and comparisons with NaN.
//!
//! C computes with `int` at least. Here `a[i] + b[i]` of two `u8` is a `u8`, and wraps; a cast of the sum comes too late.

use ir::Elem;

use super::Infer;
use crate::builtins::Means;
use crate::errors;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, LocalId, Stmt};

impl Infer<'_, '_> {
    /// Finds them in the item.
    pub(super) fn silent_losses(&mut self) {
        let body = self.body;
        for (expr, data) in body.exprs.iter() {
            match data {
                Expr::Cast(to, args) => {
                    if let [arg] = args[..] {
                        self.cast_too_late(expr, *to, arg);
                    }
                }
                &Expr::Binary(op, lhs, rhs) if op.compares() => {
                    let is_nan = |side: ExprId| match body.exprs[side] {
                        Expr::Builtin(builtin) => {
                            matches!(builtin.get().means, Means::Number(number) if number.is_nan())
                        }
                        _ => false,
                    };
                    if is_nan(lhs) != is_nan(rhs) {
                        let value = if is_nan(lhs) { rhs } else { lhs };
                        self.find(errors::compared_with_nan(self.at(expr), op, self.at(value)));
                    }
                }
                _ => {}
            }
        }
    }

    /// A cast of arithmetic in a type of 8 or 16 bits, whose result has wrapped, or has overflowed, before it is converted.
    fn cast_too_late(&mut self, cast: ExprId, to: Elem, arg: ExprId) {
        let body = self.body;
        let Some(Ty::Scalar(from)) = self.out.exprs.get(arg).map(|ty| self.element(ty)) else { return };
        if !from.is_integer() || from.bits() >= 32 {
            return;
        }
        let is_wider = to.is_float() || to.is_integer() && to.bits() > from.bits();
        let (mut operands, mut wraps) = (Vec::new(), false);
        self.narrow_operands(arg, !is_wider, &mut operands, &mut wraps);
        // Who has converted an operand has chosen the type.
        let is_chosen = |at: &report::TextRange| {
            body.exprs.iter().any(|(expr, data)| matches!(data, Expr::Cast(..)) && self.at(expr) == *at)
        };
        if wraps && !operands.is_empty() && !operands.iter().any(is_chosen) {
            self.find(errors::cast_too_late(self.at(cast), from, to, &operands));
        }
    }

    /// Collects the operands of arithmetic that are no literals. `divided`: what is lost matters only
    /// where a part is divided.
    fn narrow_operands(&self, expr: ExprId, divided: bool, operands: &mut Vec<report::TextRange>, wraps: &mut bool) {
        match self.body.exprs[expr] {
            Expr::Literal(_) => {}
            Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, lhs, rhs) => {
                *wraps |= !divided;
                self.narrow_operands(lhs, divided, operands, wraps);
                self.narrow_operands(rhs, divided, operands, wraps);
            }
            Expr::Binary(BinOp::Div | BinOp::FloorDiv | BinOp::Rem | BinOp::Shr, lhs, rhs) => {
                self.narrow_operands(lhs, false, operands, wraps);
                self.narrow_operands(rhs, false, operands, wraps);
            }
            Expr::Local(local) if !divided && self.adds_up(local, operands) => *wraps = true,
            _ => operands.push(self.at(expr)),
        }
    }

    /// Collects the values that a variable without a written type is joined with in turn: `s += a[i]` takes the type of `a[i]`. Returns
    /// false for one that is no such sum.
    fn adds_up(&self, local: LocalId, operands: &mut Vec<report::TextRange>) -> bool {
        let body = self.body;
        if body.locals[local].ty.is_some() || body.params.contains(&local) {
            return false;
        }
        let is_it = |expr: ExprId| matches!(body.exprs[expr], Expr::Local(other) if other == local);
        let joined = body.stmts.iter().filter_map(|(_, stmt)| match stmt {
            Stmt::Assign { target, op: Some(BinOp::Add | BinOp::Mul), value } if is_it(*target) => Some(*value),
            Stmt::Assign { target, op: None, value } if is_it(*target) => match body.exprs[*value] {
                Expr::Binary(BinOp::Add | BinOp::Mul, lhs, rhs) if is_it(lhs) => Some(rhs),
                _ => None,
            },
            _ => None,
        });
        let joined: Vec<_> = joined.filter(|&value| !matches!(body.exprs[value], Expr::Literal(_))).collect();
        operands.extend(joined.iter().map(|&value| self.at(value)));
        !joined.is_empty()
    }
}
