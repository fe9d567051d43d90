//! Variables that a loop only joins something to: those whose sums and products `@reassoc` and `@fast` let reorder.
//!
//! A loop *joins to* a variable of outside if all that its body does with the variable is to add to it or take from it, or all
//! is to multiply it:
//!
//! ```text
//! s += e        s = s + e      s = a + (s - b)      s = s + e if c else s
//! p *= e        p = e * p
//! ```
//!
//! The operand that is joined never mentions the variable, and neither does anything else in the body. It may stand under branches
//! and in inner loops, and there may be several such statements. A loop that a `break` or `return` may leave joins to
//! nothing: how many iterations it has would depend on their order.

use ir::Fold;
use rustc_hash::FxHashMap;

use super::walk::{self, Met};
use super::{BinOp, Block, Body, Expr, ExprId, LocalId, Stmt, StmtId};

/// The variables of outside that a loop's body only joins something to, and how, in the order of their definition.
pub fn joined(body: &Body, block: &Block) -> Vec<(LocalId, Fold)> {
    if may_leave(body, block) {
        return Vec::new();
    }
    let mut uses: FxHashMap<LocalId, Uses> = FxHashMap::default();
    walk::block(body, block, &mut |met| {
        match met {
            Met::Stmt(stmt) => statement(body, stmt, &mut uses),
            Met::Expr(expr) => {
                if let Expr::Local(local) = body.exprs[expr] {
                    uses.entry(local).or_default().mentions += 1;
                }
            }
        }
        true
    });
    let only_joined = |uses: &Uses| !uses.otherwise && uses.mentions == uses.joining;
    let joined = uses.into_iter().filter(|(_, uses)| only_joined(uses));
    let mut joined: Vec<_> = joined.filter_map(|(local, uses)| Some((local, uses.fold?))).collect();
    joined.sort_by_key(|(local, _)| *local);
    joined
}

/// The uses of a variable in a body.
#[derive(Default)]
struct Uses {
    /// The number of times that the body mentions the variable.
    mentions: u32,
    /// The number of those where something is joined to it.
    joining: u32,
    fold: Option<Fold>,
    /// The variable is defined here, or assigned something else, or joined to in two ways.
    otherwise: bool,
}

fn statement(body: &Body, stmt: StmtId, uses: &mut FxHashMap<LocalId, Uses>) {
    match &body.stmts[stmt] {
        Stmt::Define(local, _) => uses.entry(*local).or_default().otherwise = true,
        Stmt::Assign { target, op, value } => {
            let Expr::Local(local) = body.exprs[*target] else { return };
            let uses = uses.entry(local).or_default();
            let join = match op {
                None => join(body, *value, local),
                Some(op) => fold_of(*op).map(|fold| Join { fold: Some(fold), mentions: 0 }),
            };
            match join.and_then(|join| Some((same(uses.fold, join.fold)?, join.mentions))) {
                Some((fold, mentions)) => {
                    uses.fold = fold;
                    uses.joining += mentions + 1;
                }
                None => uses.otherwise = true,
            }
        }
        _ => {}
    }
}

/// An expression that is a variable, with something joined to it.
struct Join {
    /// The operator; `None` if nothing is joined.
    fold: Option<Fold>,
    /// The number of mentions of the variable for that.
    mentions: u32,
}

fn join(body: &Body, expr: ExprId, local: LocalId) -> Option<Join> {
    match body.exprs[expr] {
        Expr::Local(found) if found == local => Some(Join { fold: None, mentions: 1 }),
        Expr::Binary(op, a, b) => {
            let fold = fold_of(op)?;
            // Only what stands before a `-` is kept by it.
            let held = join(body, a, local).or_else(|| (op != BinOp::Sub).then(|| join(body, b, local))?)?;
            Some(Join { fold: same(held.fold, Some(fold))?, ..held })
        }
        Expr::Cond { then_value, else_value, .. } => {
            let (a, b) = (join(body, then_value, local)?, join(body, else_value, local)?);
            Some(Join { fold: same(a.fold, b.fold)?, mentions: a.mentions + b.mentions })
        }
        _ => None,
    }
}

fn fold_of(op: BinOp) -> Option<Fold> {
    match op {
        // A subtracted value is added with its sign changed, which is exact.
        BinOp::Add | BinOp::Sub => Some(Fold::Add),
        BinOp::Mul => Some(Fold::Mul),
        _ => None,
    }
}

/// The way to join that two uses have in common, if they have one.
fn same(a: Option<Fold>, b: Option<Fold>) -> Option<Option<Fold>> {
    (a.is_none() || b.is_none() || a == b).then_some(a.or(b))
}

/// A `break` or `return` in a loop's body may leave the loop.
fn may_leave(body: &Body, block: &Block) -> bool {
    leaves(body, block, true)
}

fn leaves(body: &Body, block: &Block, by_break: bool) -> bool {
    block.iter().any(|&stmt| match &body.stmts[stmt] {
        Stmt::Break => by_break,
        Stmt::Return(_) => true,
        Stmt::If { then_block, else_block, .. } => {
            leaves(body, then_block, by_break) || leaves(body, else_block, by_break)
        }
        // A `break` in an inner loop leaves that one.
        Stmt::For { body: inner, .. } | Stmt::Foreach { body: inner, .. } | Stmt::While { body: inner, .. } => {
            leaves(body, inner, false)
        }
        Stmt::Broken(_, inner) => leaves(body, inner, by_break),
        _ => false,
    })
}
