//! Numbers that have a name: `let parts = 0`, and later `n / parts`.
//!
//! A number that stands where it is used is looked at when constants are folded, and what it breaks is an error. What a variable breaks
//! is a warning: the program may know that it never gets there. Where it asks for the variable, in a condition or as the end of a loop,
//! it likely does, and nothing is said.

use ir::range::ValueRange;
use report::Severity;
use rustc_hash::FxHashSet;

use super::Infer;
use crate::errors;
use crate::{BinOp, Body, Expr, ExprId, LocalId, Over, Range, Stmt};

impl Infer<'_, '_> {
    /// Finds divisions by zero, shifts that are too long and results that never fit their type, where names hide the numbers.
    pub(super) fn named_numbers(&mut self) {
        let body = self.body;
        for (expr, data) in body.exprs.iter() {
            if let &Expr::Binary(op, lhs, rhs) = data {
                self.named_right_side(expr, op, lhs, rhs);
                self.named_overflow(expr, op, lhs, rhs);
            }
        }
        for (_, stmt) in body.stmts.iter() {
            if let &Stmt::Assign { target, op: Some(op), value } = stmt {
                self.named_right_side(value, op, target, value);
            }
        }
    }

    fn named_right_side(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) {
        if self.out.values.contains_key(&rhs) {
            return;
        }
        let (Some(elem), Some(right)) = (self.integer_type(lhs), self.only_value(rhs)) else { return };
        let finding = match op {
            BinOp::Div | BinOp::FloorDiv | BinOp::Rem if right == 0 => {
                // The name says where its number comes from.
                let is_name = matches!(self.body.exprs[rhs], Expr::Local(_));
                errors::division_by_zero(self.at(expr), self.at(if is_name { expr } else { rhs }))
            }
            BinOp::Shl | BinOp::Shr if !(0..i128::from(elem.bits())).contains(&right) => {
                errors::shift_out_of_range(self.at(rhs), right, elem, None)
            }
            _ => return,
        };
        let n_findings = self.out.findings.len();
        self.find(finding);
        self.soften(n_findings, &[rhs]);
    }

    /// A result of signed integers that does not fit their type, whatever the operands are.
    fn named_overflow(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) {
        let is_named = |side| !self.out.values.contains_key(&side);
        if !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) || !is_named(lhs) && !is_named(rhs) {
            return;
        }
        let Some(elem) = self.integer_type(expr).filter(|elem| elem.is_signed()) else { return };
        let Some((exact, all)) = self.exact_range(op, lhs, rhs).zip(ValueRange::of(elem)) else { return };
        if exact.lo > all.hi || exact.hi < all.lo {
            let value = (exact.lo == exact.hi).then_some(exact.lo);
            let n_findings = self.out.findings.len();
            self.find(errors::constant_overflow(self.at(expr), value, elem));
            self.soften(n_findings, &[lhs, rhs]);
        }
    }

    /// Makes the findings behind the first `n_findings` warnings if they are about numbers that have names, and takes them back where the
    /// program asks for these names.
    pub(super) fn soften(&mut self, n_findings: usize, about: &[ExprId]) {
        if self.out.findings.len() == n_findings {
            return;
        }
        let named: Vec<_> = about.iter().filter(|expr| !self.out.values.contains_key(expr)).collect();
        if named.is_empty() {
            return;
        }
        let mut names = Vec::new();
        named.iter().for_each(|&&expr| self.names_behind(expr, &mut names));
        if self.ranges.asked.get_or_init(|| asked(self.body)).iter().any(|name| names.contains(name)) {
            self.out.findings.truncate(n_findings);
            return;
        }
        let mut numbers = Vec::new();
        for &&expr in &named {
            for local in self.variables(expr) {
                if let Some(value) = self.fixed_value(local).and_then(|value| self.only_value(value)) {
                    numbers.push((self.map.locals[local], format!("`{}` is {value}", self.body.locals[local].name)));
                }
            }
        }
        for finding in &mut self.out.findings[n_findings..] {
            finding.severity = Severity::Warning;
            finding.related.extend(numbers.iter().map(|(at, number)| ((*at).into(), number.clone())));
        }
    }

    /// Collects the variables that an expression is computed from, those behind others included.
    fn names_behind(&self, expr: ExprId, names: &mut Vec<LocalId>) {
        let mut left = vec![expr];
        while let Some(expr) = left.pop() {
            for local in self.variables(expr) {
                if !names.contains(&local) {
                    names.push(local);
                    left.extend(self.given_values(local).iter().map(|&(_, value)| value));
                }
            }
        }
    }
}

/// The variables that conditions, assertions and the ranges of loops name.
pub(super) fn asked(body: &Body) -> FxHashSet<LocalId> {
    let mut exprs = Vec::new();
    for (_, data) in body.exprs.iter() {
        match data {
            Expr::Cond { condition, .. } => exprs.push(*condition),
            Expr::Binary(op, lhs, _) if op.is_logical() => exprs.push(*lhs),
            _ => {}
        }
    }
    let ends = |range: &Range| [range.start, Some(range.stop)].into_iter().flatten();
    for (_, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::If { condition, .. } | Stmt::While { condition, .. } | Stmt::Assert(condition) => {
                exprs.push(*condition);
            }
            Stmt::For { over: Over::Range(range), .. } => exprs.extend(ends(range)),
            Stmt::Foreach { indices, .. } => exprs.extend(indices.iter().flat_map(|(_, range)| ends(range))),
            _ => {}
        }
    }
    let mut names = FxHashSet::default();
    while let Some(expr) = exprs.pop() {
        if let Expr::Local(local) = body.exprs[expr] {
            names.insert(local);
        }
        body.for_each_part(expr, |part| exprs.push(part));
    }
    names
}
