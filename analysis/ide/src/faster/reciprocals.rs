//! Divisions by one value as products with its reciprocal.
//!
//! ```text
//! let length = sqrt(x * x + y * y)         let length = rsqrt(x * x + y * y)
//! u[i] = x / length                        u[i] = x * length
//! v[i] = y / length                        v[i] = y * length
//! ```
//!
//! A quotient takes several times as long as a product. It is rounded once, and the product twice, so the last bits of results may differ.

use hir::builtins::Means;
use hir::ty::Ty;
use hir::{BinOp, Body, Expr, ExprId, LocalId, LocalKind, Stmt};
use ir::Code;
use queries::db::{Item, dense_map};
use report::{TextEdit, TextRange, TextSize};

use crate::variants::KernelChange;

const RESULTS: &str = "quotients are products with a reciprocal, which is rounded itself: their last bits may differ";

/// The changes of a kernel that starts at `start` in a text, one for each variable that it does nothing with but divide by it.
pub(super) fn products(db: &dyn salsa::Database, kernel: Item<'_>, start: TextSize, text: &str) -> Vec<KernelChange> {
    let (lowered, types) = (queries::lowered(db, kernel), queries::infer(db, kernel));
    let body = &lowered.body;
    let dense = dense_map(db, kernel);
    let at = |expr: ExprId| dense.to_text(lowered.map.exprs[expr]) + start;
    let mut found = Vec::new();
    for (local, data) in body.locals.iter() {
        if data.updated || !matches!(data.kind, LocalKind::Let | LocalKind::Assigned) {
            continue;
        }
        let Some(value) = defined(body, local) else { continue };
        let is_float = matches!(types.exprs.get(value), Some(Ty::Scalar(elem)) if elem.is_float());
        let Some(divisions) = divisions_by(body, local).filter(|_| is_float) else { continue };
        let signs: Option<Vec<_>> = divisions.iter().map(|&(a, b)| sign(text, at(a), at(b))).collect();
        let Some(signs) = signs else { continue };
        let put = |at: TextSize, text: &str| TextEdit { range: TextRange::empty(at), text: text.to_owned() };
        let (title, mut edits): (String, Vec<TextEdit>) = match root(body, value) {
            Some(callee) => ("multiply by the reciprocal root".to_owned(), vec![put(at(callee).start(), "r")]),
            None if divisions.len() > 1 => {
                let whole = at(value);
                let edits = vec![put(whole.start(), "1.0 / ("), put(whole.end(), ")")];
                (format!("multiply by the reciprocal of `{}`", data.name), edits)
            }
            None => continue,
        };
        edits.extend(signs.into_iter().map(|range| TextEdit { range, text: "*".to_owned() }));
        edits.sort_by_key(|edit| edit.range.start());
        found.push(KernelChange { title, results: RESULTS, edits });
    }
    found
}

/// The one value that a variable is defined with.
fn defined(body: &Body, local: LocalId) -> Option<ExprId> {
    let mut values = body.stmts.iter().filter_map(|(_, stmt)| match stmt {
        Stmt::Define(defined, value) if *defined == local => Some(*value),
        _ => None,
    });
    values.next().filter(|_| values.next().is_none())
}

/// The divisions by a variable, each with what is divided and the divisor; `None` if something else is done with it, or nothing.
fn divisions_by(body: &Body, local: LocalId) -> Option<Vec<(ExprId, ExprId)>> {
    let is_it = |expr: ExprId| body.exprs[expr] == Expr::Local(local);
    let n_uses = body.exprs.iter().filter(|&(expr, _)| is_it(expr)).count();
    let division = |(_, expr): (ExprId, &Expr)| match *expr {
        Expr::Binary(BinOp::Div, a, b) if is_it(b) => Some((a, b)),
        _ => None,
    };
    let divisions: Vec<_> = body.exprs.iter().filter_map(division).collect();
    (n_uses > 0 && divisions.len() == n_uses).then_some(divisions)
}

/// The name of the function in the square root that a value is.
fn root(body: &Body, value: ExprId) -> Option<ExprId> {
    let Expr::Call(callee, _) = body.exprs[value] else { return None };
    let Expr::Builtin(builtin) = body.exprs[callee] else { return None };
    matches!(builtin.get().means, Means::Scalars(_, Code::Sqrt)).then_some(callee)
}

/// The place of the one `/` between two operands.
fn sign(text: &str, a: TextRange, b: TextRange) -> Option<TextRange> {
    let between = text.get(usize::from(a.end())..usize::from(b.start()))?;
    let at = between.find('/').filter(|at| between.rfind('/') == Some(*at))?;
    Some(TextRange::at(a.end() + TextSize::new(at as u32), TextSize::of('/')))
}
