//! The statements and expressions inside a block.

use super::{Block, Body, ExprId, Over, Range, Stmt, StmtId};

/// The things that a walk meets.
#[derive(Debug, Clone, Copy)]
pub enum Met {
    /// A statement; what is in it follows.
    Stmt(StmtId),
    /// An expression; its parts follow.
    Expr(ExprId),
}

/// Calls `visit` on everything in a block, in the order of the text. What is inside a statement is left out when `visit`
/// says `false` about it.
pub fn block(body: &Body, stmts: &Block, visit: &mut dyn FnMut(Met) -> bool) {
    for &stmt in stmts {
        if visit(Met::Stmt(stmt)) {
            inside(body, stmt, visit);
        }
    }
}

fn inside(body: &Body, stmt: StmtId, visit: &mut dyn FnMut(Met) -> bool) {
    match &body.stmts[stmt] {
        Stmt::Broken(exprs, stmts) => {
            exprs.iter().for_each(|&part| expr(body, part, visit));
            block(body, stmts, visit);
        }
        Stmt::Define(_, value) | Stmt::Expr(value) | Stmt::Assert(value) | Stmt::Return(Some(value)) => {
            expr(body, *value, visit);
        }
        Stmt::Assign { target, value, .. } => {
            expr(body, *target, visit);
            expr(body, *value, visit);
        }
        Stmt::For { over, body: stmts, .. } => {
            match over {
                Over::Range(over) => range(body, over, visit),
                Over::Elements(array) => expr(body, *array, visit),
            }
            block(body, stmts, visit);
        }
        Stmt::Foreach { indices, body: stmts, .. } => {
            indices.iter().for_each(|(_, over)| range(body, over, visit));
            block(body, stmts, visit);
        }
        Stmt::While { condition, body: stmts, .. } => {
            expr(body, *condition, visit);
            block(body, stmts, visit);
        }
        Stmt::If { condition, then_block, else_block, .. } => {
            expr(body, *condition, visit);
            block(body, then_block, visit);
            block(body, else_block, visit);
        }
        Stmt::Break | Stmt::Continue | Stmt::Return(None) | Stmt::Pass => {}
    }
}

fn range(body: &Body, range: &Range, visit: &mut dyn FnMut(Met) -> bool) {
    let parts = [range.start, Some(range.stop), range.step];
    parts.into_iter().flatten().for_each(|part| expr(body, part, visit));
}

/// Calls `visit` on an expression and its parts, as [`block`] does.
pub fn expression(body: &Body, id: ExprId, visit: &mut dyn FnMut(Met) -> bool) {
    expr(body, id, visit);
}

fn expr(body: &Body, id: ExprId, visit: &mut dyn FnMut(Met) -> bool) {
    if visit(Met::Expr(id)) {
        let mut parts = Vec::new();
        body.for_each_part(id, |part| parts.push(part));
        parts.into_iter().for_each(|part| expr(body, part, visit));
    }
}
