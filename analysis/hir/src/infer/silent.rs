//! Expressions that mean something else in C, and that nothing else would complain about: arithmetic in a narrow type whose high bits are
//! gone before a cast, and comparisons with NaN.
//!
//! C computes with `int` at least. Here `a[i] + b[i]` of two `u8` is a `u8`, and wraps; a cast of the sum comes too late.

use ir::{Elem, range::ValueRange};
use report::ItemKind;

use super::Infer;
use crate::builtins::Means;
use crate::errors;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, LocalId, LocalKind};

/// The names that are followed to the arithmetic that they stand for, for one cast.
const MAX_NAMES: usize = 16;

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
                    let (left, right) = (self.is_nan(lhs), self.is_nan(rhs));
                    if left != right {
                        let value = if left { rhs } else { lhs };
                        self.find(errors::compared_with_nan(self.at(expr), op, self.at(value)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Says whether an expression is `nan`, or a name of it.
    fn is_nan(&self, expr: ExprId) -> bool {
        match self.body.exprs[self.named_value(expr)] {
            Expr::Builtin(builtin) => matches!(builtin.get().means, Means::Number(number) if number.is_nan()),
            _ => false,
        }
    }

    /// A cast of arithmetic in a type of 8 or 16 bits, whose result may have wrapped, or have overflowed, before it is converted.
    fn cast_too_late(&mut self, cast: ExprId, to: Elem, arg: ExprId) {
        let Some(Ty::Scalar(from)) = self.out.exprs.get(arg).map(|ty| self.element(ty)) else { return };
        if !from.is_integer() || from.bits() >= 32 {
            return;
        }
        let is_wider = to.is_float() || to.is_integer() && to.bits() > from.bits();
        let mut found = Narrow::default();
        self.narrow_arithmetic(arg, !is_wider, &mut found);
        // Who has converted an operand has chosen the type.
        if found.wraps && !found.operands.is_empty() && !found.operands.iter().any(|&operand| self.is_chosen(operand)) {
            let operands: Vec<_> = found.operands.iter().map(|&operand| self.at(operand)).collect();
            let named = found.named.map(|value| self.at(value));
            self.find(errors::cast_too_late(self.at(cast), from, to, &operands, named));
        }
    }

    /// Collects the operands of arithmetic that are no literals. `divided`: what is lost matters only
    /// where a part is divided.
    fn narrow_arithmetic(&self, expr: ExprId, divided: bool, found: &mut Narrow) {
        match self.body.exprs[expr] {
            Expr::Literal(_) => {}
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl), lhs, rhs) => {
                found.wraps |= !divided && !self.stays_in_type(expr, op, lhs, rhs);
                self.narrow_arithmetic(lhs, divided, found);
                self.narrow_arithmetic(rhs, divided, found);
            }
            Expr::Binary(BinOp::Div | BinOp::FloorDiv | BinOp::Rem | BinOp::Shr, lhs, rhs) => {
                self.narrow_arithmetic(lhs, false, found);
                self.narrow_arithmetic(rhs, false, found);
            }
            Expr::Local(local) if !divided && self.adds_up(local, &mut found.operands) => found.wraps = true,
            Expr::Local(local)
                if found.n_names < MAX_NAMES
                    && let Some(value) = self.read_once(local) =>
            {
                found.n_names += 1;
                let wraps = std::mem::take(&mut found.wraps);
                self.narrow_arithmetic(value, divided, found);
                if found.wraps {
                    found.named.get_or_insert(value);
                }
                found.wraps |= wraps;
            }
            _ => found.operands.push(expr),
        }
    }

    /// Says whether the result of arithmetic is in its type, whatever the operands are.
    fn stays_in_type(&self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> bool {
        let Some(Ty::Scalar(elem)) = self.out.exprs.get(expr).map(|ty| self.element(ty)) else { return false };
        let exact = self.exact_range(op, lhs, rhs);
        exact.zip(ValueRange::of(elem)).is_some_and(|(exact, all)| exact.is_in(all))
    }

    /// The arithmetic that a variable is defined as, if nothing but the one place that is asked about reads it: then its operands may
    /// be converted there.
    fn read_once(&self, local: LocalId) -> Option<ExprId> {
        let body = self.body;
        let value = self.fixed_value(local).filter(|_| body.locals[local].ty.is_none())?;
        let is_arithmetic = matches!(body.exprs[value], Expr::Binary(op, ..) if !op.compares() && !op.is_logical());
        (is_arithmetic && self.is_named_once(local)).then_some(value)
    }

    /// Says whether a cast, or a type that is written, has decided in which type an operand is: here, or where its name is given values.
    fn is_chosen(&self, operand: ExprId) -> bool {
        let body = self.body;
        match &body.exprs[operand] {
            Expr::Cast(..) => true,
            Expr::Local(local) => {
                let data = &body.locals[*local];
                let is_variable = matches!(data.kind, LocalKind::Let | LocalKind::Assigned);
                let has_cast = self.given_values(*local).iter().any(|(_, value)| self.has_cast(*value));
                is_variable && (has_cast || data.ty.is_some() && data.updated)
            }
            // Such a function has converted what it is given.
            Expr::Call(callee, args) if matches!(body.exprs[*callee], Expr::Item(ItemKind::Fn, _)) => {
                let bits = |expr: ExprId| match self.out.exprs.get(expr).map(|ty| self.element(ty)) {
                    Some(Ty::Scalar(elem)) => elem.bits(),
                    _ => u32::MAX,
                };
                !args.is_empty() && args.iter().all(|&arg| bits(arg) < bits(operand))
            }
            Expr::Call(callee, _) => {
                matches!(body.exprs[*callee], Expr::Builtin(builtin) if matches!(builtin.get().means, Means::Saturate | Means::Like))
            }
            _ => false,
        }
    }

    /// Says whether an operand of arithmetic is a cast.
    fn has_cast(&self, expr: ExprId) -> bool {
        match &self.body.exprs[expr] {
            Expr::Binary(op, lhs, rhs) if !op.compares() => self.has_cast(*lhs) || self.has_cast(*rhs),
            Expr::Cond { then_value, else_value, .. } => self.has_cast(*then_value) || self.has_cast(*else_value),
            Expr::Cast(..) => true,
            _ => false,
        }
    }

    /// Collects the values that a variable without a written type is joined with in turn: `s += a[i]` takes the type of `a[i]`. Returns
    /// false for one that is no such sum.
    fn adds_up(&self, local: LocalId, operands: &mut Vec<ExprId>) -> bool {
        let body = self.body;
        if body.locals[local].ty.is_some() || body.params.contains(&local) {
            return false;
        }
        let is_it = |expr: ExprId| matches!(body.exprs[expr], Expr::Local(other) if other == local);
        let joined = self.given_values(local).iter().filter_map(|&(op, value)| match (op, &body.exprs[value]) {
            (Some(BinOp::Add | BinOp::Mul), _) => Some(value),
            (None, &Expr::Binary(BinOp::Add | BinOp::Mul, lhs, rhs)) if is_it(lhs) => Some(rhs),
            _ => None,
        });
        let joined: Vec<_> = joined.filter(|&value| !matches!(body.exprs[value], Expr::Literal(_))).collect();
        operands.extend(&joined);
        !joined.is_empty()
    }
}

/// Arithmetic under a cast.
#[derive(Default)]
struct Narrow {
    /// The operands that are no literals.
    operands: Vec<ExprId>,
    /// A result may not fit.
    wraps: bool,
    /// The arithmetic that is computed under a name, if its result may not fit.
    named: Option<ExprId>,
    /// The number of names that were followed.
    n_names: usize,
}
