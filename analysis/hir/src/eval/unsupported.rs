//! Parts of the language that the evaluator cannot run. What cannot be lowered is another list, which is longer.

use report::TextRange;
use rustc_hash::FxHashSet;

use super::program::{CheckedUnit, Program};
use crate::builtins::TypeRule;
use crate::finding::ItemKey;
use crate::infer::Inference;
use crate::not_yet::{NotYet, outermost};
use crate::ty::Ty;
use crate::walk;
use crate::walk::Met;
use crate::{Block, Body, BodyMap, Expr, ExprId, Stmt};

/// A construct that cannot be run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The item it is in.
    pub item: ItemKey,
    /// The range in the item's dense text.
    pub range: TextRange,
    /// The construct.
    pub what: NotYet,
}

/// Lists the constructs of a program that the evaluator cannot run: first in the kernel, then in the functions that it calls,
/// each in the order of the text. One inside another that is listed is not listed itself.
pub fn unsupported(program: &Program) -> Vec<Unsupported> {
    program.reached().into_iter().flat_map(|unit| of_unit(program, unit)).collect()
}

fn of_unit(program: &Program, unit: &CheckedUnit) -> Vec<Unsupported> {
    let mut found = Vec::new();
    expressions(&unit.body, &unit.map, &unit.types, &mut found);
    nested_lanes(program, unit, &mut found);
    let kept = outermost(found).into_iter();
    kept.map(|(range, what)| Unsupported { item: unit.key.clone(), range, what }).collect()
}

type Found = Vec<(TextRange, NotYet)>;

fn expressions(body: &Body, map: &BodyMap, types: &Inference, found: &mut Found) {
    let type_of = |expr: ExprId| types.exprs.get(expr);
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
            Expr::Binary(op, ..) if op.is_logical() && matches!(type_of(id), Some(Ty::Array(..))) => {
                Some(NotYet::WholeArrays)
            }
            Expr::Builtin(builtin) if !callees.contains(&id) && builtin.get().crosses_lanes => {
                (builtin.get().shape != TypeRule::Value).then_some(NotYet::FunctionValue)
            }
            _ => None,
        };
        found.extend(what.map(|what| (map.exprs[id], what)));
    }
}

/// A `foreach` with lane operations inside of another one with such.
fn nested_lanes(program: &Program, unit: &CheckedUnit, found: &mut Found) {
    for (_, stmt) in unit.body.stmts.iter() {
        if let Stmt::Foreach { body: block, .. } = stmt
            && uses_lanes(program, unit, block)
        {
            found.extend(inner_foreach(program, unit, block).map(|range| (range, NotYet::LanesInLanes)));
        }
    }
}

/// Finds out whether the statements of a block use lane operations, themselves or by what they call. What an inner `foreach` does
/// counts for that one.
pub(super) fn uses_lanes(program: &Program, unit: &CheckedUnit, block: &Block) -> bool {
    let mut uses = false;
    walk::block(&unit.body, block, &mut |met| match met {
        Met::Stmt(stmt) => !matches!(unit.body.stmts[stmt], Stmt::Foreach { .. }),
        Met::Expr(expr) => {
            uses |= match &unit.body.exprs[expr] {
                Expr::Builtin(builtin) => builtin.get().crosses_lanes && !unit.types.of_arrays.contains(&expr),
                Expr::Item(_, name) => program.named(unit, name).is_some_and(|unit| unit.types.signature.crosses_lanes),
                _ => false,
            };
            true
        }
    });
    uses
}

/// The first place in a block that is a `foreach` with lane operations, or calls a function that has one.
fn inner_foreach(program: &Program, unit: &CheckedUnit, block: &Block) -> Option<TextRange> {
    let mut first = None;
    walk::block(&unit.body, block, &mut |met| {
        let place = match met {
            Met::Stmt(stmt) => match &unit.body.stmts[stmt] {
                Stmt::Foreach { body, .. } => uses_lanes(program, unit, body).then(|| unit.map.stmts[stmt]),
                _ => None,
            },
            Met::Expr(expr) => match &unit.body.exprs[expr] {
                Expr::Item(_, name) => program
                    .named(unit, name)
                    .filter(|callee| inner_foreach(program, callee, &callee.body.block).is_some())
                    .map(|_| unit.map.exprs[expr]),
                _ => None,
            },
        };
        first = first.or(place);
        first.is_none()
    });
    first
}
