//! Answers to questions that were asked before.
//!
//! Loops are asked about again after each pass, and a trial asks about loops that it did not touch, so most systems come several
//! times. An answer is kept with what it cost, and costs that again: what can be decided within a budget never rests on what was asked
//! before.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::{Budget, Model, System, TooHard};

/// The limit on the number of answers that are kept.
const MOST: usize = 4096;

/// The models of systems, by the system.
#[derive(Debug, Default)]
pub struct Answers {
    known: Mutex<FxHashMap<System, Answer>>,
}

#[derive(Debug, Clone)]
struct Answer {
    model: Option<Model>,
    /// The units of a budget that it took to find it.
    cost: u64,
}

impl Answers {
    /// The answer that is known, for what it cost; or the one that is found.
    pub(super) fn get_or_find(
        &self,
        system: &System,
        budget: &mut Budget<'_>,
        find: impl FnOnce(&mut Budget<'_>) -> Result<Option<Model>, TooHard>,
    ) -> Result<Option<Model>, TooHard> {
        // Nothing panics while the table is changed, so it is whole in any case.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known().get(system).cloned() {
            budget.spend(answer.cost as usize)?;
            return Ok(answer.model);
        }
        let before = budget.left();
        let model = find(budget)?;
        let mut known = known();
        if known.len() == MOST {
            known.clear();
        }
        known.insert(system.clone(), Answer { model: model.clone(), cost: before - budget.left() });
        Ok(model)
    }
}
