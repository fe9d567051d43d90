//! Variables from outside of a block that it updates.

use rustc_hash::FxHashSet;

use super::walk::{self, Met};
use super::{Block, Body, ExprId, LocalId, Stmt};

/// The variables that are defined outside of a block and that it updates, wholly or in part, each with the first target of an
/// assignment, in the order of these.
pub fn updated_outside(body: &Body, block: &Block) -> Vec<(LocalId, ExprId)> {
    let mut defined: FxHashSet<LocalId> = FxHashSet::default();
    let mut updated: Vec<(LocalId, ExprId)> = Vec::new();
    walk::block(body, block, &mut |met| {
        if let Met::Stmt(stmt) = met {
            match &body.stmts[stmt] {
                Stmt::Define(local, _) => _ = defined.insert(*local),
                Stmt::Assign { target, .. } => {
                    if let Some(local) = body.assigned_local(*target)
                        && updated.iter().all(|(known, _)| *known != local)
                    {
                        updated.push((local, *target));
                    }
                }
                _ => {}
            }
        }
        true
    });
    updated.retain(|(local, _)| !defined.contains(local));
    updated
}
