//! The calls that may be of the approximate functions that `@fast` allows.

use rustc_hash::FxHashSet;

use crate::builtins::AttributeId;
use crate::walk::{self, Met};
use crate::{AttributeUse, Body, ExprId, Stmt};

/// The expressions of a body, as it stands in one call, that `@fast` is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FastParts {
    /// All of them: `@fast` stands above the item, or is about the call.
    All,
    /// The calls in loops that are marked.
    Only(FxHashSet<ExprId>),
}

impl FastParts {
    /// The parts of a body; `in_fast` says that `@fast` is about the call that it is inlined for.
    pub fn of(body: &Body, in_fast: bool) -> FastParts {
        let is_fast = |attrs: &[AttributeUse]| attrs.iter().any(|attr| attr.id == AttributeId::Fast);
        if in_fast || is_fast(&body.attrs) {
            return FastParts::All;
        }
        let mut parts = FxHashSet::default();
        for (_, stmt) in body.stmts.iter() {
            let (Stmt::For { attrs, body: block, .. }
            | Stmt::Foreach { attrs, body: block, .. }
            | Stmt::While { attrs, body: block, .. }) = stmt
            else {
                continue;
            };
            if is_fast(attrs) {
                walk::block(body, block, &mut |met| {
                    if let Met::Expr(expr) = met {
                        parts.insert(expr);
                    }
                    true
                });
            }
        }
        FastParts::Only(parts)
    }

    /// Says whether `@fast` is about an expression.
    pub fn contains(&self, expr: ExprId) -> bool {
        match self {
            FastParts::All => true,
            FastParts::Only(parts) => parts.contains(&expr),
        }
    }
}
