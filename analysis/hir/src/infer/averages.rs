//! Averages of integers: a sum, or a count, that `/` divides as integers.
//!
//! Literals and sizes adapt to what they meet, so nothing in `sum(a) / length(a)` says that the elements of `a` are integers then, and
//! nothing fails: the fraction is gone. `//` says that this is meant.

use report::TextRange;

use super::Infer;
use crate::builtins::{Total, TypeRule};
use crate::errors;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, LocalId, Stmt};

/// A sum that something is divided into.
struct Sum {
    /// The array whose elements are added up, if it is a variable.
    of: Option<LocalId>,
    /// True if it tells how many elements there are of a kind.
    counts: bool,
}

impl Infer<'_, '_> {
    /// Finds the averages of integers in the item.
    pub(super) fn averages(&mut self) {
        let body = self.body;
        for (expr, data) in body.exprs.iter() {
            let &Expr::Binary(BinOp::Div, lhs, rhs) = data else { continue };
            let is_integer = |ty: &Ty| matches!(self.element(ty), Ty::Scalar(elem) if elem.is_integer());
            if !self.out.exprs.get(expr).is_some_and(is_integer) || matches!(body.exprs[rhs], Expr::Literal(_)) {
                continue;
            }
            let Some(sum) = self.sum_in(lhs) else { continue };
            // The elements have the type of what they are divided by because nothing else says which they have.
            let untyped = sum.of.filter(|&of| body.locals[of].ty.is_none() && body.params.contains(&of) && !sum.counts);
            let array = untyped.map(|of| &*body.locals[of].name);
            let operands: Vec<TextRange> = match array {
                Some(_) => vec![self.at(rhs)],
                None => vec![self.at(lhs), self.at(rhs)],
            };
            self.find(errors::average_of_integers(self.at(expr), array, sum.counts, &operands));
        }
    }

    /// The sum that an expression is: a call of a function of the prelude or of `reduce`, or a variable that is one, or comes to be one.
    fn sum_in(&self, expr: ExprId) -> Option<Sum> {
        match &self.body.exprs[expr] {
            Expr::Local(local) => self.sum_of_variable(*local),
            Expr::Call(callee, args) => {
                let Expr::Builtin(builtin) = self.body.exprs[*callee] else { return None };
                let (array, total) = match (builtin.get().total(), builtin.get().shape, &args[..]) {
                    (Some(total), _, [array, ..]) => (*array, total),
                    (_, TypeRule::Reduce, [function, _, array])
                        if self.body.exprs[*function] == Expr::Operator(BinOp::Add) =>
                    {
                        (*array, Total::Elements)
                    }
                    _ => return None,
                };
                let of = match self.body.exprs[array] {
                    Expr::Local(local) => Some(local),
                    _ => None,
                };
                Some(Sum { of, counts: total == Total::Matches })
            }
            _ => None,
        }
    }

    /// The sum that a variable is: one that is defined as a sum and keeps it, or one to which elements of an array are added.
    fn sum_of_variable(&self, local: LocalId) -> Option<Sum> {
        let body = self.body;
        let is_it = |expr: ExprId| matches!(body.exprs[expr], Expr::Local(other) if other == local);
        body.stmts.iter().find_map(|(_, stmt)| match stmt {
            Stmt::Define(defined, value) if *defined == local && !body.locals[local].updated => {
                let value = self.named_value(*value);
                match body.exprs[value] {
                    Expr::Local(other) if self.fixed_value(other).is_some() => None,
                    _ => self.sum_in(value),
                }
            }
            Stmt::Assign { target, op: Some(BinOp::Add), value } if is_it(*target) => match &body.exprs[*value] {
                Expr::Index(base, _) => match body.exprs[*base] {
                    Expr::Local(of) => Some(Sum { of: Some(of), counts: false }),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
    }
}
