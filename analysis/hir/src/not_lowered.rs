//! Parts of the language that cannot be lowered yet, as far as a function shows them by itself.

use report::TextRange;
use rustc_hash::FxHashSet;

use crate::builtins::TypeRule;
use crate::infer::Inference;
use crate::not_yet::{NotYet, outermost};
use crate::ty::Ty;
use crate::{Body, BodyMap, Expr, ExprId};

type Found = Vec<(TextRange, NotYet)>;

/// Lists the constructs of a function that cannot be lowered yet, whoever calls it, in the order of the text. One inside another
/// that is listed is not listed itself.
pub fn not_lowered_in(body: &Body, map: &BodyMap, types: &Inference) -> Vec<(TextRange, NotYet)> {
    let mut found = Vec::new();
    expressions(body, map, types, &mut found);
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
            // Both sides are lazy, for which arrays have no meaning.
            Expr::Binary(op, ..) if op.is_logical() && is_array(types, id) => Some(NotYet::WholeArrays),
            Expr::Builtin(builtin) if !callees.contains(&id) && builtin.get().crosses_lanes => {
                (builtin.get().shape != TypeRule::Value).then_some(NotYet::FunctionValue)
            }
            _ => None,
        };
        found.extend(what.map(|what| (map.exprs[id], what)));
    }
}
