//! `@reassoc` and `@fast`: float sums and products of a loop in the language's fixed order.
//!
//! In such a loop, each iteration starts with the identity in the variable that it joins something to; what the variable is
//! at the iteration's end is that iteration's *element*. Element `k` joins partial result `k` mod P, the partial results
//! join by halves, and what the variable was before the loop joins last.

use ir::{Fold, Scalar, scalar};

use super::machine::{Machine, Run, Value};
use crate as hir;
use crate::builtins::Sets;
use crate::{Attr, Block, ExprId, LocalId};

/// A variable that a loop joins something to, in one lane.
pub(super) struct Joining {
    local: LocalId,
    lane: usize,
    fold: Fold,
    before: Scalar,
    partials: Vec<Scalar>,
}

impl Machine<'_> {
    /// The variables that a loop joins something to in the fixed order.
    pub(super) fn joining(&self, attrs: &[Attr], body: &Block, active: &[usize]) -> Vec<Joining> {
        let unit = self.frame().unit;
        // What the math of the prelude adds up keeps its order: its functions have the same bits everywhere.
        let around = self.frame().reassoc && !unit.key.in_prelude;
        if !around && !attrs.iter().any(|attr| matches!(attr.id.get().sets, Sets::FixedOrder(_))) {
            return Vec::new();
        }
        self.joining_always(body, active)
    }

    /// The variables that a loop joins something to, where that always has the fixed order. Those that lanes share keep theirs.
    pub(super) fn joining_always(&self, body: &Block, active: &[usize]) -> Vec<Joining> {
        let frame = self.frame();
        let mut joining = Vec::new();
        for (local, fold) in hir::joined(&frame.unit.body, body) {
            if frame.shared.contains(&local) {
                continue;
            }
            for &lane in active {
                let Some(&Value::Scalar(before)) = self.frame().lanes[lane].vars.get(&local) else { continue };
                // Only floats can tell one order from another.
                let Some(n_partials) = fold.partials(before.elem()) else { continue };
                let partials = vec![fold.identity(before.elem()); n_partials];
                joining.push(Joining { local, lane, fold, before, partials });
            }
        }
        joining
    }

    /// Prepares the variables for an iteration: each starts from the identity.
    pub(super) fn start_elements(&mut self, joining: &[Joining]) {
        for Joining { local, lane, fold, before, .. } in joining {
            self.set(*local, *lane, Value::Scalar(fold.identity(before.elem())));
        }
    }

    /// Behind an iteration. A lane without this iteration has the identity, which changes nothing.
    pub(super) fn join_elements(&mut self, joining: &mut [Joining], turn: i128, at: ExprId) -> Run<()> {
        for Joining { local, lane, fold, partials, .. } in joining {
            let partial = turn as usize % partials.len();
            let element = self.local(*local, at, *lane)?;
            let element = self.scalar(&element, at)?;
            partials[partial] = self.checked(fold.join(partials[partial], element), at, *lane)?;
        }
        Ok(())
    }

    /// Joins the partial results behind the loop.
    pub(super) fn join_partials(&mut self, joining: Vec<Joining>, at: ExprId) -> Run<()> {
        for Joining { local, lane, fold, before, partials } in joining {
            let total = self.checked(scalar::join_halving(fold, partials), at, lane)?;
            let joined = self.checked(fold.join(before, total), at, lane)?;
            self.set(local, lane, Value::Scalar(joined));
        }
        Ok(())
    }
}
