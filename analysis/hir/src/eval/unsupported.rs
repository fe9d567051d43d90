//! Parts of the language that cannot be run yet.

use report::TextRange;
use rustc_hash::FxHashSet;

use super::program::{Program, Unit};
use crate::builtins::{BuiltinId, Means, TypeRule};
use crate::finding::ItemKey;
use crate::ty::Ty;
use crate::walk;
use crate::walk::Met;
use crate::{BinOp, Block, Body, Expr, ExprId, Stmt, StmtId};

/// A construct that cannot be run yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The item it is in.
    pub item: ItemKey,
    /// The range in the item's dense text.
    pub range: TextRange,
    /// The name of the construct, for a message.
    pub what: String,
}

/// Lists the constructs of a program that cannot be run yet: first in the kernel, then in the functions that it calls,
/// each in the order of the text. One inside another that is listed is not listed itself.
pub fn unsupported(program: &Program) -> Vec<Unsupported> {
    program.reached().into_iter().flat_map(|unit| of_unit(program, unit)).collect()
}

fn of_unit(program: &Program, unit: &Unit) -> Vec<Unsupported> {
    let mut found = Vec::new();
    expressions(program, unit, &mut found);
    statements(program, unit, &mut found);
    parameters(program, unit, &mut found);
    found.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
    let mut kept: Vec<Unsupported> = Vec::new();
    for (range, what) in found {
        if kept.last().is_none_or(|last| !last.range.contains_range(range)) {
            kept.push(Unsupported { item: unit.key.clone(), range, what });
        }
    }
    kept
}

type Found = Vec<(TextRange, String)>;

fn is_array(unit: &Unit, expr: ExprId) -> bool {
    matches!(unit.types.exprs.get(expr), Some(Ty::Array(..)))
}

fn expressions(program: &Program, unit: &Unit, found: &mut Found) {
    let body = &unit.body;
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
            Expr::Call(callee, _) => call(program, unit, id, &body.exprs[*callee]),
            Expr::Binary(BinOp::Pow, ..) if !unit.types.values.contains_key(&id) => Some("`**`".to_owned()),
            Expr::Unary(..) | Expr::Binary(..) if is_array(unit, id) => Some("arithmetic on whole arrays".to_owned()),
            Expr::Cond { .. } if is_array(unit, id) => Some("a choice between arrays".to_owned()),
            Expr::Builtin(builtin) if !callees.contains(&id) && builtin.get().shape != TypeRule::Value => {
                Some("a function as a value".to_owned())
            }
            Expr::Item(report::ItemKind::Fn, _) if !callees.contains(&id) => Some("a function as a value".to_owned()),
            Expr::Lambda(..) | Expr::Operator(_) => Some("a function as a value".to_owned()),
            _ => None,
        };
        found.extend(what.map(|what| (unit.map.exprs[id], what)));
    }
}

fn call(program: &Program, unit: &Unit, call: ExprId, callee: &Expr) -> Option<String> {
    match callee {
        Expr::Item(..) => None,
        Expr::Builtin(builtin) if program.function_of(*builtin).is_some() => None,
        Expr::Builtin(builtin) => builtin_call(*builtin, is_array(unit, call)),
        _ => Some("a function as a value".to_owned()),
    }
}

fn builtin_call(builtin: BuiltinId, gives_array: bool) -> Option<String> {
    let row = builtin.get();
    let runs = match row.means {
        Means::Prelude | Means::NotYet => false,
        Means::Select => !gives_array,
        _ => true,
    };
    (!runs).then(|| format!("`{}`", row.name))
}

fn statements(program: &Program, unit: &Unit, found: &mut Found) {
    let body = &unit.body;
    for (id, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::Assign { target, .. } if is_array(unit, *target) => {
                found.push((unit.map.exprs[*target], "assigning to a whole array, row or slice".to_owned()));
            }
            Stmt::Return(Some(value)) if is_array(unit, *value) && !is_only_exit(body, id) => {
                found.push((unit.map.exprs[*value], "giving an array from one of several places".to_owned()));
            }
            Stmt::Foreach { body: block, .. } if uses_lanes(program, unit, block) => {
                let inner = inner_foreach(program, unit, block);
                let what = "a `foreach` with lane operations in another one with such";
                found.extend(inner.map(|range| (range, what.to_owned())));
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

fn parameters(program: &Program, unit: &Unit, found: &mut Found) {
    if unit.key.name != program.kernel {
        return;
    }
    for &param in &unit.body.params {
        if let Some(Ty::Struct(_)) = unit.types.locals.get(param) {
            found.push((unit.map.locals[param], "a kernel's parameter that is a single struct".to_owned()));
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
                Expr::Builtin(builtin) => builtin.get().crosses_lanes,
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
