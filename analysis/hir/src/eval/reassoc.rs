//! `@reassoc` and `@fast`: float sums and products of a loop in the language's fixed order.
//!
//! In such a loop, each iteration starts with the identity in the variable that it joins something to; what the variable is
//! at the iteration's end is that iteration's *element*. Element `k` joins partial result `k` mod P, the partial results
//! join by halves, and what the variable was before the loop joins last.

use ir::{Fold, Scalar, scalar};

use super::machine::{Machine, Run, Value};
use crate as hir;
use crate::builtins::Sets;
use crate::layout;
use crate::ty::Ty;
use crate::{AttributeUse, Block, ExprId, LocalId, StmtId};

/// A number that a loop joins something to, in one lane: a variable, or a leaf of one.
pub(super) struct Joining {
    local: LocalId,
    /// The number of the leaf, of a struct.
    leaf: Option<usize>,
    lane: usize,
    fold: Fold,
    before: Scalar,
    partials: Vec<Scalar>,
}

impl Machine<'_> {
    /// The variables that a loop joins something to in the fixed order.
    pub(super) fn joining(&self, stmt: StmtId, attrs: &[AttributeUse], body: &Block, active: &[usize]) -> Vec<Joining> {
        if !self.has_fixed_order(stmt, attrs) {
            return Vec::new();
        }
        self.joining_always(body, active)
    }

    /// Says whether floats have the fixed order in a loop.
    pub(super) fn has_fixed_order(&self, stmt: StmtId, attrs: &[AttributeUse]) -> bool {
        let (unit, reassoc) = (self.frame().unit, self.frame().reassoc);
        // Sums in the prelude's own functions keep their order, so that these have the same bits everywhere.
        let around = reassoc && !unit.key.in_prelude() && !hir::stays_in_order(&unit.body, &unit.types.values, stmt);
        around || attrs.iter().any(|attr| matches!(attr.id.get().sets, Sets::FixedOrder(_)))
    }

    /// The variables that a loop joins something to, where that always has the fixed order. Those that lanes share keep theirs.
    pub(super) fn joining_always(&self, body: &Block, active: &[usize]) -> Vec<Joining> {
        let frame = self.frame();
        let mut joining = Vec::new();
        for hir::Joined { local, path, fold } in hir::joined(&frame.unit.body, body, &frame.unit.types.like_fields) {
            if frame.shared.contains(&local) {
                continue;
            }
            let part = match &frame.unit.types.locals[local] {
                Ty::Struct(of) => layout::part(&self.program.fields_of(), of, &path).map(|part| part.leaves),
                _ => None,
            };
            for &lane in active {
                let numbers: Vec<(Option<usize>, Scalar)> = match self.frame().lanes[lane].vars.get(&local) {
                    Some(&Value::Scalar(before)) => vec![(None, before)],
                    Some(Value::Struct(leaves)) => {
                        part.clone().into_iter().flatten().map(|leaf| (Some(leaf), leaves[leaf])).collect()
                    }
                    _ => continue,
                };
                for (leaf, before) in numbers {
                    // Only floats can tell one order from another.
                    let Some(n_partials) = fold.partials(before.elem()) else { continue };
                    let partials = vec![fold.identity(before.elem()); n_partials];
                    joining.push(Joining { local, leaf, lane, fold, before, partials });
                }
            }
        }
        joining
    }

    /// Changes a number that a loop joins something to.
    fn set_number(&mut self, (local, leaf, lane): (LocalId, Option<usize>, usize), number: Scalar) {
        let new = match (leaf, self.frame().lanes[lane].vars.get(&local)) {
            (Some(leaf), Some(Value::Struct(leaves))) => {
                let mut leaves = leaves.to_vec();
                leaves[leaf] = number;
                Value::Struct(leaves.into())
            }
            _ => Value::Scalar(number),
        };
        self.set(local, lane, new);
    }

    /// Prepares the variables for an iteration: each starts from the identity.
    pub(super) fn start_elements(&mut self, joining: &[Joining]) {
        for Joining { local, leaf, lane, fold, before, .. } in joining {
            self.set_number((*local, *leaf, *lane), fold.identity(before.elem()));
        }
    }

    /// Behind an iteration. A lane without this iteration has the identity, which changes nothing.
    pub(super) fn join_elements(&mut self, joining: &mut [Joining], iteration: i128, at: ExprId) -> Run<()> {
        for Joining { local, leaf, lane, fold, partials, .. } in joining {
            let partial = iteration as usize % partials.len();
            let element = match (self.local(*local, at, *lane)?, *leaf) {
                (Value::Struct(leaves), Some(leaf)) => leaves[leaf],
                (element, _) => self.scalar(&element, at)?,
            };
            partials[partial] = self.checked(fold.join(partials[partial], element), at, *lane)?;
        }
        Ok(())
    }

    /// Joins the partial results behind the loop.
    pub(super) fn join_partials(&mut self, joining: Vec<Joining>, at: ExprId) -> Run<()> {
        for Joining { local, leaf, lane, fold, before, partials } in joining {
            let total = self.checked(scalar::join_halving(fold, partials), at, lane)?;
            let joined = self.checked(fold.join(before, total), at, lane)?;
            self.set_number((local, leaf, lane), joined);
        }
        Ok(())
    }
}
