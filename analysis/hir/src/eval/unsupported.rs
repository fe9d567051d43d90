//! Parts of the language that cannot be run yet.

use report::TextRange;
use rustc_hash::FxHashSet;

use super::program::{Program, Unit};
use crate::builtins::{BuiltinId, Means, TypeRule};
use crate::finding::ItemKey;
use crate::infer::Inference;
use crate::not_yet::NotYet;
use crate::ty::Ty;
use crate::walk;
use crate::walk::Met;
use crate::{Block, Body, BodyMap, Expr, ExprId, Over, Stmt, StmtId};

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

/// Lists the constructs of a program that cannot be run yet: first in the kernel, then in the functions that it calls,
/// each in the order of the text. One inside another that is listed is not listed itself.
pub fn unsupported(program: &Program) -> Vec<Unsupported> {
    program.reached().into_iter().flat_map(|unit| of_unit(program, unit)).collect()
}

fn of_unit(program: &Program, unit: &Unit) -> Vec<Unsupported> {
    let mut found = Vec::new();
    expressions(&unit.body, &unit.map, &unit.types, &mut found);
    statements(&unit.body, &unit.map, &unit.types, &mut found);
    nested_lanes(program, unit, &mut found);
    parameters(program, unit, &mut found);
    let kept = outermost(found).into_iter();
    kept.map(|(range, what)| Unsupported { item: unit.key.clone(), range, what }).collect()
}

/// Lists the constructs of a function that cannot be run yet, whoever calls it, like [`unsupported`].
pub fn unsupported_in(body: &Body, map: &BodyMap, types: &Inference) -> Vec<(TextRange, NotYet)> {
    let mut found = Vec::new();
    expressions(body, map, types, &mut found);
    statements(body, map, types, &mut found);
    outermost(found)
}

/// Leaves out what stands inside of something else that is listed.
fn outermost(mut found: Found) -> Found {
    found.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
    let mut kept: Found = Vec::new();
    for (range, what) in found {
        if kept.last().is_none_or(|(last, _)| !last.contains_range(range)) {
            kept.push((range, what));
        }
    }
    kept
}

type Found = Vec<(TextRange, NotYet)>;

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
            Expr::Call(callee, _) if types.of_arrays.contains(callee) => match body.exprs[*callee] {
                Expr::Builtin(builtin) => Some(NotYet::Builtin(builtin)),
                _ => None,
            },
            Expr::Call(callee, _) => call(types, id, &body.exprs[*callee]),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(..) if is_array(types, id) => Some(NotYet::WholeArrays),
            Expr::Cond { .. } if is_array(types, id) => Some(NotYet::ArrayChoice),
            Expr::Builtin(builtin) if !callees.contains(&id) && builtin.get().shape != TypeRule::Value => {
                Some(NotYet::FunctionValue)
            }
            Expr::Item(report::ItemKind::Fn, _) if !callees.contains(&id) => Some(NotYet::FunctionValue),
            Expr::Array(_) => Some(NotYet::ArrayLiteral),
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
        Means::NotYet | Means::Length => false,
        Means::Prelude if matches!(row.shape, TypeRule::Function(_)) => false,
        Means::CompressStore | Means::ExpandLoad => true,
        _ => !gives_array,
    };
    (!runs).then_some(NotYet::Builtin(builtin))
}

fn statements(body: &Body, map: &BodyMap, types: &Inference, found: &mut Found) {
    for (id, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::Assign { target, .. } if is_array(types, *target) => {
                found.push((map.exprs[*target], NotYet::ArrayAssignment));
            }
            Stmt::For { over: Over::Elements(array), .. } => found.push((map.exprs[*array], NotYet::OverElements)),
            Stmt::Return(Some(value)) if is_array(types, *value) && !is_only_exit(body, id) => {
                found.push((map.exprs[*value], NotYet::ArrayFromPlaces));
            }
            _ => {}
        }
    }
}

/// A `foreach` with lane operations inside of another one with such.
fn nested_lanes(program: &Program, unit: &Unit, found: &mut Found) {
    for (_, stmt) in unit.body.stmts.iter() {
        if let Stmt::Foreach { body: block, .. } = stmt
            && uses_lanes(program, unit, block)
        {
            found.extend(inner_foreach(program, unit, block).map(|range| (range, NotYet::LanesInLanes)));
        }
    }
}

/// Says whether a `return` is the last statement of its function, and the only one.
fn is_only_exit(body: &Body, id: StmtId) -> bool {
    let n_returns = body.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Return(_))).count();
    n_returns == 1 && body.block.last() == Some(&id)
}

fn parameters(program: &Program, unit: &Unit, found: &mut Found) {
    if unit.key.name != program.kernel {
        return;
    }
    for &param in &unit.body.params {
        if let Some(Ty::Struct(_)) = unit.types.locals.get(param) {
            found.push((unit.map.locals[param], NotYet::StructParam));
        }
    }
}

/// Finds out whether the statements of a block use lane operations, themselves or by what they call. What an inner `foreach` does
/// counts for that one.
pub(super) fn uses_lanes(program: &Program, unit: &Unit, block: &Block) -> bool {
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
fn inner_foreach(program: &Program, unit: &Unit, block: &Block) -> Option<TextRange> {
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
