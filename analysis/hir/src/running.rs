//! Variables that run on through a loop: those whose sums, products and linear recurrences `@reassoc` and `@fast` let be made by blocks
//! of iterations, though iterations use them.
//!
//! A variable *runs on* through a loop if one statement of the loop's own block gives it a value that is linear in it, and no other
//! statement of the body gives it any:
//!
//! ```text
//! s += e        s = s + e      s = a * s + b      y += a * (x - y)      p *= e
//! ```
//!
//! That statement is done in every iteration, so the loop has no `break`, `continue` or `return` of its own. Nothing that is added or
//! multiplied mentions the variable, or another variable that was computed from it.

use ir::linear::{LinearForm, LinearOp, LinearSide};
use ir::running::RunningKind;
use rustc_hash::FxHashSet;

use super::infer::LikeFields;
use super::joined::{Joined, joined, leaves_or_skips};
use super::walk::{self, Met};
use super::{BinOp, Block, Body, Expr, ExprId, LocalId, Stmt, StmtId, UnaryOp};

/// A variable that runs on through a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsOn {
    /// The variable.
    pub local: LocalId,
    /// The statement that gives it its next value.
    pub stmt: StmtId,
    /// The factor and the term of that, made of expressions that do not mention it.
    pub linear: LinearForm<ExprId>,
}

impl RunsOn {
    /// The kind of value that runs on: a sum, a product, or a linear recurrence.
    pub fn kind(&self) -> RunningKind {
        match (&self.linear.factor, &self.linear.term) {
            (None, _) => RunningKind::Sum,
            (_, None) => RunningKind::Product,
            _ => RunningKind::Linear,
        }
    }
}

/// The variables that run on through a loop's body, in the order of the statements that give them their values. Those that it only joins
/// something to have another order.
pub fn running(body: &Body, block: &Block, like_fields: &LikeFields) -> Vec<RunsOn> {
    if leaves_or_skips(body, block) {
        return Vec::new();
    }
    let mut only_joined: Option<Vec<Joined>> = None;
    let mut found = Vec::new();
    for &stmt in block {
        let Stmt::Assign { target, op, value } = body.stmts[stmt] else { continue };
        let Expr::Local(local) = body.exprs[target] else { continue };
        let Some(linear) = taken_apart(body, local, op, value).filter(|linear| *linear != LinearForm::default()) else {
            continue;
        };
        let runs_on = RunsOn { local, stmt, linear };
        let is_joined = |joined: &Joined| joined.local == local;
        if is_set_here_alone(body, block, local)
            && is_of_others(body, block, &runs_on)
            && !only_joined.get_or_insert_with(|| joined(body, block, like_fields)).iter().any(is_joined)
        {
            found.push(runs_on);
        }
    }
    found
}

/// Takes what a statement makes of a variable apart.
fn taken_apart(body: &Body, local: LocalId, op: Option<BinOp>, value: ExprId) -> Option<LinearForm<ExprId>> {
    let value = side(body, local, value)?;
    match (op, value) {
        (None, LinearSide::Of(linear)) => Some(linear),
        (None, LinearSide::Other(_)) => None,
        (Some(op), value) => LinearForm::combined(operator(op)?, LinearSide::Of(LinearForm::default()), value),
    }
}

/// The part that a variable has in an expression; `None` if it mentions it in a way that is not linear.
fn side(body: &Body, local: LocalId, expr: ExprId) -> Option<LinearSide<ExprId>> {
    let other = LinearSide::Other(expr);
    match body.exprs[expr] {
        Expr::Local(own) if own == local => Some(LinearSide::Of(LinearForm::default())),
        Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Plus), inner) => Some(match side(body, local, inner)? {
            LinearSide::Of(linear) if op == UnaryOp::Neg => LinearSide::Of(linear.negated()),
            LinearSide::Of(linear) => LinearSide::Of(linear),
            LinearSide::Other(_) => other,
        }),
        Expr::Binary(op, a, b) => match (side(body, local, a)?, side(body, local, b)?) {
            (LinearSide::Other(_), LinearSide::Other(_)) => Some(other),
            (a, b) => LinearForm::combined(operator(op)?, a, b).map(LinearSide::Of),
        },
        _ => (!mentions_any(body, &FxHashSet::from_iter([local]), expr)).then_some(other),
    }
}

fn operator(op: BinOp) -> Option<LinearOp> {
    match op {
        BinOp::Add => Some(LinearOp::Add),
        BinOp::Sub => Some(LinearOp::Sub),
        BinOp::Mul => Some(LinearOp::Mul),
        _ => None,
    }
}

/// Says whether an expression mentions one of some locals.
fn mentions_any(body: &Body, locals: &FxHashSet<LocalId>, expr: ExprId) -> bool {
    let mut found = false;
    walk::expression(body, expr, &mut |met| {
        if let Met::Expr(part) = met
            && let Expr::Local(local) = &body.exprs[part]
        {
            found |= locals.contains(local);
        }
        !found
    });
    found
}

/// Says whether a single statement of a loop's body gives a variable of outside its value.
fn is_set_here_alone(body: &Body, block: &Block, local: LocalId) -> bool {
    let mut n_set = 0;
    walk::block(body, block, &mut |met| {
        if let Met::Stmt(stmt) = met {
            match &body.stmts[stmt] {
                Stmt::Define(own, _) if *own == local => n_set += 2,
                Stmt::Assign { target, .. } if root(body, *target) == Some(local) => n_set += 1,
                _ => {}
            }
        }
        true
    });
    n_set == 1
}

/// Says whether what is added and multiplied mentions neither the variable nor others that were computed from it.
fn is_of_others(body: &Body, block: &Block, runs_on: &RunsOn) -> bool {
    let mut from_it = FxHashSet::from_iter([runs_on.local]);
    let mut n_before = 0;
    while from_it.len() > n_before {
        n_before = from_it.len();
        walk::block(body, block, &mut |met| {
            let Met::Stmt(stmt) = met else { return true };
            let (target, value) = match body.stmts[stmt] {
                Stmt::Define(local, value) => (Some(local), value),
                Stmt::Assign { target, value, .. } => (root(body, target), value),
                _ => return true,
            };
            if mentions_any(body, &from_it, value) {
                from_it.extend(target);
            }
            true
        });
    }
    let mut all = true;
    for formula in runs_on.linear.factor.iter().chain(&runs_on.linear.term) {
        formula.for_each_leaf(&mut |&expr| all &= !mentions_any(body, &from_it, expr));
    }
    all
}

/// The local that an assignment changes, or a part of.
fn root(body: &Body, target: ExprId) -> Option<LocalId> {
    match &body.exprs[target] {
        Expr::Local(local) => Some(*local),
        Expr::Field(inner, _) => root(body, *inner),
        Expr::Index(inner, _) => root(body, *inner),
        _ => None,
    }
}
