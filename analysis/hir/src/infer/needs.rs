//! The demands of a generic function's constants on the types that a call chooses.
//!
//! In `fn h(x): return x + 300` the literal takes the type of `x`, and so is one number for each call: of an `i32` it is 300,
//! and no `u8` is. The function is inferred once, so it shows such a constant as a [`Need`] of its signature; a call whose
//! types are known holds them against it, and one inside of another generic function hands it on.

use ir::ElemSet;
use report::TextRange;

use super::Infer;
use crate::ExprId;
use crate::errors;
use crate::ty::{Need, Needed, Ty};

impl Infer<'_, '_> {
    /// Adds a need of a constant of the function itself, unless all types that the generic one may be fulfil it.
    pub(super) fn need(
        &mut self,
        needs: &mut Vec<Need>,
        generics: &[Option<ElemSet>],
        generic: u32,
        what: Needed,
        at: TextRange,
    ) {
        let set = generics.get(generic as usize).copied().flatten().unwrap_or(ElemSet::NUMBERS);
        if ir::Elem::ALL.into_iter().filter(|&elem| set.contains(elem)).all(|elem| what.holds_for(elem)) {
            return;
        }
        let place = self.out.need_places.len() as u32;
        self.out.need_places.push(at);
        needs.push(Need { generic, what, item: self.env.own(), place });
    }

    /// Holds the needs of what is called against the types of each call. Of those of one call the first is said.
    pub(super) fn check_calls(&mut self, needs: &mut Vec<Need>) {
        for (call, generics, signature) in std::mem::take(&mut self.calls) {
            let mut said = false;
            for need in &signature.needs {
                match generics.get(need.generic as usize).map(|ty| self.table.resolve(ty)) {
                    Some(Ty::Scalar(elem)) if !said && !need.what.holds_for(elem) => {
                        said = true;
                        self.find(errors::need_of_call(self.at(call), need, elem));
                    }
                    Some(Ty::Generic(generic)) => {
                        let need = Need { generic, ..need.clone() };
                        if !needs.contains(&need) {
                            needs.push(need);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Remembers a call of a function with needs.
    pub(super) fn remember_call(
        &mut self,
        call: ExprId,
        generics: Vec<Ty>,
        signature: &std::sync::Arc<crate::ty::Signature>,
    ) {
        if !signature.needs.is_empty() {
            self.calls.push((call, generics, signature.clone()));
        }
    }
}
