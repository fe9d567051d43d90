//! A function of a file with its facts, and the words for them at a token.

use queries::db::File;
use queries::ispc::facts::mask::WHOLE;
use queries::ispc::facts::words::FactWords;
use queries::ispc::facts::{BodyFacts, facts_of};
use queries::ispc::typing::layers::Entity;
use queries::ispc::typing::{TypedFunction, function_at};

/// A function, typed, with its facts.
pub(super) struct KnownFunction<'db> {
    pub(super) function: TypedFunction<'db>,
    pub(super) facts: &'db BodyFacts,
    pub(super) words: FactWords<'db>,
}

/// The function around a token of a unit, if its facts are known.
pub(super) fn known_at(db: &dyn salsa::Database, file: File, token: u32) -> Option<KnownFunction<'_>> {
    known(db, file, function_at(db, file, token)?)
}

/// A function with its facts.
pub(super) fn known<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    function: TypedFunction<'db>,
) -> Option<KnownFunction<'db>> {
    let (facts, piece) = facts_of(db, file, &function)?;
    let words = FactWords { piece, layer: &function.types.layer, facts };
    Some(KnownFunction { function, facts, words })
}

/// The most regions of the mask that are told.
const MOST_REGIONS: usize = 3;

impl KnownFunction<'_> {
    /// The facts about the value of an expression, in sentences; nothing for one that is uniform by its type.
    pub(super) fn of_node(&self, node: usize) -> Vec<String> {
        let Some(own) = node.checked_sub(self.function.first().1) else { return Vec::new() };
        let layer = &self.function.types.layer;
        let ty = self.function.types.types[own];
        let mut told = Vec::new();
        if let Some(value) = self.facts.value(own).filter(|_| ty.is_known() && layer.is_varying(ty)) {
            let since = self.words.since(value.cause);
            told.extend(self.words.shape(value).map(|shape| format!("In the lanes: {shape}{since}.")));
        }
        if let Some(access) = self.facts.access(own as u32) {
            told.push(format!("In memory, {}: {}", self.words.order(access), self.words.access(access)));
        }
        told.extend(self.of_condition(own as u32));
        told
    }

    fn of_condition(&self, own: u32) -> Option<String> {
        let control = self.facts.controls.iter().find(|control| control.condition == own)?;
        Some(self.words.condition(control).to_owned())
    }

    /// Which lanes run at a token, if it is not all that came into the function.
    pub(super) fn mask_at(&self, token: u32) -> Option<String> {
        let own = token.checked_sub(self.function.first().0)?;
        let region = self.facts.region_at(own);
        if region == WHOLE || !self.facts.knows_mask {
            return None;
        }
        let regions = self.facts.regions.around(region).filter_map(|region| self.words.region(region));
        let told: Vec<String> = regions.take(MOST_REGIONS).collect();
        Some(format!("Here run {}.", told.join("; of these "))).filter(|_| !told.is_empty())
    }

    /// Why a variable could be `uniform`.
    pub(super) fn could_be_uniform(&self, entity: Entity) -> Option<String> {
        let variable = self.facts.uniforms.iter().find(|variable| variable.entity == entity)?;
        let is_it = |note: &&queries::ispc::facts::notes::PerformanceNote| {
            note.code == "ispc-perf-uniform" && note.tokens.start == variable.token
        };
        let note = self.facts.notes.iter().find(is_it)?;
        let help = note.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        Some(format!("Could be `uniform`: {}{help}.", note.message))
    }
}
