//! Parts of the language that cannot be lowered yet, as far as a function shows them by itself.

use report::TextRange;
use rustc_hash::FxHashSet;

use crate::builtins::{BuiltinId, Means, TypeRule};
use crate::infer::Inference;
use crate::not_yet::{NotYet, outermost};
use crate::ty::Ty;
use crate::{Body, BodyMap, Expr, ExprId, Stmt, StmtId};

type Found = Vec<(TextRange, NotYet)>;

/// Lists the constructs of a function that cannot be lowered yet, whoever calls it, in the order of the text. One inside another
/// that is listed is not listed itself.
pub fn not_lowered_in(body: &Body, map: &BodyMap, types: &Inference) -> Vec<(TextRange, NotYet)> {
    let mut found = Vec::new();
    expressions(body, map, types, &mut found);
    statements(body, map, types, &mut found);
    outermost(found)
}

fn is_array(types: &Inference, expr: ExprId) -> bool {
    matches!(types.exprs.get(expr), Some(Ty::Array(..)))
}

fn expressions(body: &Body, map: &BodyMap, types: &Inference, found: &mut Found) {
    let callees: FxHashSet<ExprId> = body
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr {
            Expr::Call(callee, _) => Some(*callee),
            _ => None,
        })
        .collect();
    for (id, expr) in body.exprs.iter() {
        let what = match expr {
            Expr::Call(callee, _) => call(types, id, &body.exprs[*callee]),
            Expr::Unary(..) | Expr::Binary(..) if is_array(types, id) => Some(NotYet::WholeArrays),
            Expr::Cond { .. } if is_array(types, id) => Some(NotYet::ArrayChoice),
            Expr::Builtin(builtin) if !callees.contains(&id) && builtin.get().shape != TypeRule::Value => {
                Some(NotYet::FunctionValue)
            }
            Expr::Item(report::ItemKind::Fn, _) if !callees.contains(&id) => Some(NotYet::FunctionValue),
            Expr::Lambda(..) | Expr::Operator(_) => Some(NotYet::FunctionValue),
            _ => None,
        };
        found.extend(what.map(|what| (map.exprs[id], what)));
    }
}

fn call(types: &Inference, call: ExprId, callee: &Expr) -> Option<NotYet> {
    match callee {
        Expr::Item(..) => None,
        Expr::Builtin(builtin) => builtin_call(*builtin, is_array(types, call)),
        _ => Some(NotYet::FunctionValue),
    }
}

fn builtin_call(builtin: BuiltinId, gives_array: bool) -> Option<NotYet> {
    let row = builtin.get();
    let runs = match row.means {
        Means::NotYet => false,
        Means::Select => !gives_array,
        _ => true,
    };
    (!runs).then_some(NotYet::Builtin(builtin))
}

fn statements(body: &Body, map: &BodyMap, types: &Inference, found: &mut Found) {
    for (id, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::Assign { target, .. } if is_array(types, *target) => {
                found.push((map.exprs[*target], NotYet::ArrayAssignment));
            }
            Stmt::Return(Some(value)) if is_array(types, *value) && !is_only_exit(body, id) => {
                found.push((map.exprs[*value], NotYet::ArrayFromPlaces));
            }
            _ => {}
        }
    }
}

/// Says whether a `return` is the last statement of its function, and the only one.
fn is_only_exit(body: &Body, id: StmtId) -> bool {
    let n_returns = body.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Return(_))).count();
    n_returns == 1 && body.block.last() == Some(&id)
}
