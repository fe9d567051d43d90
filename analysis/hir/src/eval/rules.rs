//! Rules that a program has to keep to be evaluated, and that types say nothing about. Those that only show where a kernel is lowered are
//! none of the evaluator's.

use report::TextRange;

use super::program::{CheckedUnit, Program};
use crate::rules::{BrokenRule, lane_operations, outermost};
use crate::walk;
use crate::walk::Met;
use crate::{Block, Expr, Stmt};

/// The first place of a program that breaks a rule, with the function that it is in: first in the kernel, then in the functions that it calls.
pub(super) fn broken(program: &Program) -> Option<(&CheckedUnit, TextRange, BrokenRule)> {
    program.reached().into_iter().find_map(|unit| {
        let mut found = lane_operations(&unit.body, &unit.map);
        nested_lanes(program, unit, &mut found);
        let (range, rule) = outermost(found).into_iter().next()?;
        Some((unit, range, rule))
    })
}

/// A `foreach` with lane operations inside of another one with such.
fn nested_lanes(program: &Program, unit: &CheckedUnit, found: &mut Vec<(TextRange, BrokenRule)>) {
    for (_, stmt) in unit.body.stmts.iter() {
        if let Stmt::Foreach { body: block, .. } = stmt
            && uses_lanes(program, unit, block)
        {
            found.extend(inner_foreach(program, unit, block).map(|range| (range, BrokenRule::LanesInLanes)));
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
