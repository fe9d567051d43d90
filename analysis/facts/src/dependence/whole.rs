//! Whole runs: of all witnesses of a meeting, one whose loop gets to its end.
//!
//! ```text
//! for i in range(n):
//!     out[i] = x[i]
//!     if i >= delay:
//!         out[i] += out[i - delay]      with `delay` = -1 the last iteration reads `out[n]`
//! ```
//!
//! Two iterations meet even if a later one ends the program, so this is about the choice of an example alone: what is in question are the
//! values of parameters that move the cells. They are chosen such that the two accesses lie in their arrays in the first and in the
//! last iteration, too, and are not negative, where there are such values. The search has a small budget of its own.

use super::meeting::{Question, Search};
use super::nest::Level;
use super::scene::{Scene, Side};
use crate::integers::{Budget, Formula, Linear, Model, TooHard, Var};
use ir::entities::Op;
use ir::ops::Code;

/// The budget for one meeting.
const UNITS: u64 = 4000;

/// A model that was chosen.
pub(super) struct Choice {
    pub(super) model: Model,
    /// Whatever values are chosen, an access lies outside of its array in another iteration.
    pub(super) leaves: bool,
}

impl Search<'_, '_> {
    /// Chooses numbers for which a formula holds, too. Returns false if there are none.
    fn prefer(&mut self, formula: Formula) -> Result<bool, TooHard> {
        let system = self.system.with(formula);
        let Some(model) = system.solve(self.budget)? else { return Ok(false) };
        (self.system, self.model) = (system, model);
        Ok(true)
    }
}

/// An iteration that forms are to be seen from.
struct At<'l> {
    counter: Var,
    iteration: &'l Linear,
}

impl Question<'_, '_> {
    /// Chooses a better model, in which the same number of iterations lies between the two; `None` if no parameter moves the cells.
    pub(super) fn choose(
        &self,
        scene: &mut Scene<'_, '_>,
        steps: &Linear,
        model: &Model,
        cells: [&[Linear]; 2],
        budget: &mut Budget<'_>,
    ) -> Result<Option<Choice>, TooHard> {
        let moved = |form: &Linear| form.terms().iter().any(|&(var, _)| scene.is_shared_value(var));
        if !scene.products.is_empty() || !cells.iter().any(|cell| cell.iter().any(moved)) {
            return Ok(None);
        }
        let ends = self.inside_at_ends(scene, cells)?;
        let system = scene.system.with(Formula::equal(steps, &Linear::constant(model.value(steps)?))?);
        let mut budget = budget.at_most(UNITS);
        let mut search = Search { system, model: model.clone(), products: &[], budget: &mut budget };
        let is_whole = search.prefer(ends);
        let values: Vec<Var> = scene.atoms.iter().map(|(var, _)| *var).collect();
        for var in values.into_iter().filter(|&var| scene.is_shared_value(var)) {
            if search.model.number(var) < 0 {
                _ = search.prefer(Formula::NotNegative(Linear::of(var, 1)));
            }
        }
        for counter in self.source_counters(scene) {
            if search.lower(&Linear::of(counter, 1), 0).is_err() {
                break;
            }
        }
        Ok(Some(Choice { model: search.model, leaves: is_whole == Ok(false) }))
    }

    /// The formula that says that both accesses lie in their arrays in the first and the last iteration of the carrying level,
    /// as far as their cells are known there.
    fn inside_at_ends(&self, scene: &mut Scene<'_, '_>, cells: [&[Linear]; 2]) -> Result<Formula, TooHard> {
        let mut all = Vec::new();
        for (access, side, cell) in [(self.source, Side::Source, cells[0]), (self.sink, Side::Sink, cells[1])] {
            let levels = self.nest.levels_of(access.op).clone();
            let Some(level) = self.carried.filter(|level| level + 1 == levels.len()).map(|level| levels[level]) else {
                continue;
            };
            let Some(skipped) = self.skipped(scene, access.op, level, side)? else { continue };
            let ends = [Some(Linear::default()), self.last_iteration(scene, level, side)?];
            for end in ends.iter().flatten() {
                let at = At { counter: scene.counter(level, side), iteration: end };
                let Some(skipped) = at.formulas(scene, &skipped)? else { continue };
                for (dim, form) in cell.iter().enumerate() {
                    let form = at.form(form)?;
                    if scene.is_shared(&form) {
                        let size = scene.size(access.root, dim, side)?;
                        let inside = Formula::NotNegative(form.clone()).and(Formula::less(&form, &size)?);
                        all.push(Formula::Any([&skipped[..], &[inside]].concat()));
                    }
                }
            }
        }
        Ok(Formula::All(all))
    }

    /// The conditions under each of which an iteration of a level leaves an access out; `None` where more than branches is around it.
    fn skipped(
        &self,
        scene: &mut Scene<'_, '_>,
        op: Op,
        level: Level,
        side: Side,
    ) -> Result<Option<Vec<Formula>>, TooHard> {
        let mut conditions = Vec::new();
        let mut region = self.nest.forest.region_of(op);
        while let Some(owner) = self.nest.forest.owner(region) {
            if owner == level.op {
                return Ok(Some(conditions));
            }
            let data = &self.nest.kernel.ops[owner];
            if data.code != Code::If {
                return Ok(None);
            }
            let holds = scene.truth(data.operands[0], side)?;
            conditions.push(if data.regions[0] == region { holds.negated()? } else { holds });
            region = self.nest.forest.region_of(owner);
        }
        Ok(None)
    }

    /// The number of the last iteration of a loop by steps of 1 or -1, which nothing leaves early.
    fn last_iteration(&self, scene: &mut Scene<'_, '_>, level: Level, side: Side) -> Result<Option<Linear>, TooHard> {
        let data = &self.nest.kernel.ops[level.op];
        if data.code == Code::While {
            return Ok(None);
        }
        let mut bound = |n: usize| Ok(scene.int(data.operands[3 * level.index + n], side)?.form);
        let (start, stop, step) = (bound(0)?, bound(1)?, bound(2)?);
        Ok(match step.as_constant() {
            Some(1) => Some(stop.minus(&start)?.add(-1)?),
            Some(-1) => Some(start.minus(&stop)?.add(-1)?),
            _ => None,
        })
    }
}

impl At<'_> {
    /// The form as it is in that iteration.
    fn form(&self, form: &Linear) -> Result<Linear, TooHard> {
        let times = form.coefficient(self.counter);
        form.minus(&Linear::of(self.counter, times))?.combine(1, self.iteration, times)
    }

    /// The formulas as they are in that iteration; `None` where one is about values that another iteration may not have.
    fn formulas(&self, scene: &Scene<'_, '_>, formulas: &[Formula]) -> Result<Option<Vec<Formula>>, TooHard> {
        formulas.iter().map(|formula| self.formula(scene, formula)).collect()
    }

    fn formula(&self, scene: &Scene<'_, '_>, formula: &Formula) -> Result<Option<Formula>, TooHard> {
        let form = |form: &Linear| Ok(Some(self.form(form)?).filter(|form| scene.is_shared(form)));
        Ok(match formula {
            Formula::Zero(zero) => form(zero)?.map(Formula::Zero),
            Formula::NotNegative(least) => form(least)?.map(Formula::NotNegative),
            Formula::All(parts) => self.formulas(scene, parts)?.map(Formula::All),
            Formula::Any(parts) => self.formulas(scene, parts)?.map(Formula::Any),
        })
    }
}
