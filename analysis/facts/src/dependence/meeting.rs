//! Meetings: the iterations in which two accesses touch one cell, and their distances.
//!
//! A long kernel has ten thousands of them, so short lists are stored inline and not on the heap.

use std::collections::BTreeSet;

use smallvec::{SmallVec, smallvec};

use super::nest::{Access, Level, Nest};
use super::products::{self, Found};
use super::scene::{Atom, Scene, Side, range_of};
use super::{Direction, Doubt, Numbers, Test, Witness, WitnessSymbol};
use crate::integers::{Budget, Formula, Linear, Model, System, TooHard, Var};
use ir::ops::Code;
use ir::types::Elem;

/// The directions from the source's iteration to the sink's, for each level around both accesses.
type Directions = SmallVec<[Direction; 4]>;

/// The numbers of iterations from the source to the sink, for each such level, where that is constant.
type Distances = SmallVec<[Option<i128>; 2]>;

/// A meeting of two accesses whose iterations differ first at one level, or at none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// The level, by its position among those around both, outermost first; `None` within one iteration.
    pub carried: Option<usize>,
    /// The directions from the source's iteration to the sink's, for each level around both.
    pub directions: Directions,
    /// The distances from the source's iteration to the sink's, for each level around both, where they are constant.
    pub distances: Distances,
    /// The test that decided it.
    pub test: Test,
    /// Two iterations that touch one cell; those of a possible meeting do for some data only.
    pub witness: Option<Witness>,
    /// The reasons why it is only possible; empty if it is certain.
    pub doubts: SmallVec<[Doubt; 1]>,
    /// The least distance between the two iterations at the carrying level.
    pub least: i128,
    /// The least distance where source and sink are in the same iteration of the inner levels.
    pub least_level: Option<i128>,
    /// The least distance where the sink is in an earlier iteration of the inner levels: as lanes, it would run first.
    pub least_ahead: Option<i128>,
    /// True if they meet for every value of the symbols that no loop bound mentions, once ranges are long enough.
    pub is_universal: bool,
}

impl Meeting {
    /// A meeting that no test excludes, because of a doubt.
    pub(super) fn possible(carried: Option<usize>, n_common: usize, doubt: Doubt) -> Meeting {
        let any = Direction { later: true, same: true, earlier: true };
        let direction = |position: usize| match carried {
            Some(level) if position == level => Direction { later: true, ..Direction::default() },
            Some(level) if position > level => any,
            _ => Direction { same: true, ..Direction::default() },
        };
        let inner = carried.is_some_and(|level| level + 1 < n_common);
        Meeting {
            carried,
            directions: (0..n_common).map(direction).collect(),
            distances: (0..n_common).map(|at| carried.is_none_or(|level| at < level).then_some(0)).collect(),
            test: Test::Undecided,
            witness: None,
            doubts: smallvec![doubt],
            least: i128::from(carried.is_some()),
            least_level: carried.map(|_| 1),
            least_ahead: inner.then_some(1),
            is_universal: false,
        }
    }

    /// A possible meeting whose distance is known.
    pub(super) fn at_distance(mut self, distance: Option<i128>) -> Meeting {
        if let (Some(level), Some(distance)) = (self.carried, distance) {
            self.distances[level] = Some(distance);
            self.least = distance;
            self.least_level = Some(distance);
            self.least_ahead = self.least_ahead.map(|_| distance);
        }
        self
    }
}

/// Finds the meeting of an access with a later one at a level; returns `None` if there is none. The number of iterations between
/// the two is given where their subscripts alone decide it.
pub(super) fn find(
    nest: &Nest<'_>,
    source: &Access,
    sink: &Access,
    carried: Option<usize>,
    distance: Option<i128>,
    budget: &mut Budget,
) -> Result<Option<Meeting>, TooHard> {
    let n_common = nest.n_common(source.op, sink.op);
    Question { nest, source, sink, carried, n_common, distance }.answer(false, budget)
}

/// Two iterations that touch one cell.
struct Built {
    /// Doubts about whether they run.
    entered: BTreeSet<Doubt>,
    /// The cell, as the source and as the sink computes it.
    cells: [Vec<Linear>; 2],
    /// The differences of the two.
    differences: Vec<Linear>,
}

pub(super) struct Question<'n, 'k> {
    pub(super) nest: &'n Nest<'k>,
    pub(super) source: &'n Access,
    pub(super) sink: &'n Access,
    pub(super) carried: Option<usize>,
    n_common: usize,
    /// The number of iterations of the carrying level between source and sink, where it is known beforehand.
    distance: Option<i128>,
}

impl<'n, 'k> Question<'n, 'k> {
    /// The answer; with `ranged`, every value is known to be one of its type from the start.
    fn answer(&self, ranged: bool, budget: &mut Budget) -> Result<Option<Meeting>, TooHard> {
        if budget.left() == 0 {
            return Err(TooHard);
        }
        let mut scene = Scene::new(self.nest, self.carried.unwrap_or(self.n_common), budget.left() as usize);
        let built = self.build(&mut scene);
        budget.spend(scene.n_translated())?;
        let Built { entered, cells: [cell, other], differences } = built?;
        let steps = self.iteration_distances(&mut scene)?;
        if let Some(level) = self.carried {
            scene.system.require(Formula::less(&Linear::default(), &steps[level])?);
        }
        if ranged {
            require_types(&mut scene)?;
        }
        let mut doubts = scene.found.clone();
        if doubts == entered && doubts.iter().all(|doubt| self.guard(&scene, *doubt).is_some()) {
            doubts = doubts.into_iter().filter_map(|doubt| self.guard(&scene, doubt)).collect();
        }
        let (model, system) = match products::solve(&scene.system, &scene.products, budget)? {
            Found::Nothing => return Ok(None),
            Found::Exact(model, system) => (model, system),
            Found::Inexact => {
                // The laws of products cost much, so they are asked only where nothing else has decided.
                let mut lawful = scene.system.clone();
                products::state_laws(&mut lawful, &scene.products)?;
                let Some(model) = lawful.solve(budget)? else { return Ok(None) };
                doubts.insert(Doubt::Product);
                (model, lawful)
            }
        };
        let products = if doubts.is_empty() { scene.products.clone() } else { Vec::new() };
        let mut search = Search { system, model, products: &products, budget };
        if let Some(level) = self.carried {
            search.lower(&steps[level], self.distance.unwrap_or(1))?;
        }
        let (directions, distances) = self.vectors(&scene.system, &search.model.clone(), &steps, search.budget)?;
        let (least, least_level, least_ahead) = self.leasts(&scene.system, &steps, search.budget)?;
        for counter in self.source_counters(&mut scene) {
            search.lower(&Linear::of(counter, 1), 0)?;
        }
        let (mut model, mut leaves) = (search.model, false);
        if let Some(level) = self.carried
            && let Ok(Some(choice)) = self.choose(&mut scene, &steps[level], &model, [&cell, &other], budget)
        {
            leaves = choice.leaves;
            if fits_types(&scene, &choice.model) {
                model = choice.model;
            }
        }
        if !ranged && !fits_types(&scene, &model) {
            return self.answer(true, budget);
        }
        let witness = Witness { leaves, ..self.witness(&mut scene, &model, &cell)? };
        let fixed = directions.iter().zip(&distances).all(|(_, distance)| distance.is_some());
        let test = match () {
            () if !doubts.is_empty() => Test::Undecided,
            () if differences.iter().all(|form| form.as_constant().is_some()) => Test::Constant,
            () if fixed => Test::Distance,
            () => Test::Integers,
        };
        let is_universal = doubts.is_empty() && entered.is_empty() && self.is_universal(&scene, &differences);
        Ok(Some(Meeting {
            carried: self.carried,
            directions,
            distances,
            test,
            witness: Some(witness),
            doubts: doubts.into_iter().collect(),
            least,
            least_level,
            least_ahead,
            is_universal,
        }))
    }

    /// Builds both iterations and requires that they touch one cell.
    fn build(&self, scene: &mut Scene<'_, '_>) -> Result<Built, TooHard> {
        scene.enter(self.source.op, Side::Source)?;
        scene.enter(self.sink.op, Side::Sink)?;
        if let Some(positive) = self.nest.positive {
            let form = scene.int(positive, Side::Source)?.form;
            scene.system.require(Formula::less(&Linear::default(), &form)?);
        }
        let entered = scene.found.clone();
        let cell = scene.cell(self.source, Side::Source)?;
        let other = scene.cell(self.sink, Side::Sink)?;
        let mut differences = Vec::new();
        for (a, b) in cell.iter().zip(&other) {
            let difference = a.minus(b)?;
            scene.require(Formula::Zero(difference.clone()));
            differences.push(difference);
        }
        self.first_in_bounds(scene, self.source, Side::Source, &cell)?;
        self.first_in_bounds(scene, self.sink, Side::Sink, &other)?;
        Ok(Built { entered, cells: [cell, other], differences })
    }

    /// Requires that an access which each iteration of the carrying level does lies in its array in the first one, too: else the
    /// program has stopped before two of its iterations meet. That is asked where a parameter moves the cell, and only then
    /// can it tell something new.
    fn first_in_bounds(
        &self,
        scene: &mut Scene<'_, '_>,
        access: &Access,
        side: Side,
        cell: &[Linear],
    ) -> Result<(), TooHard> {
        let levels = self.nest.levels_of(access.op).clone();
        let Some(level) = self.carried.filter(|level| level + 1 == levels.len()).map(|level| levels[level]) else {
            return Ok(());
        };
        if self.nest.forest.owner(self.nest.forest.region_of(access.op)) != Some(level.op) {
            return Ok(());
        }
        let counter = scene.counter(level, side);
        for (dim, form) in cell.iter().enumerate() {
            let times = form.terms().iter().find(|term| term.0 == counter).map_or(0, |term| term.1);
            let first = form.minus(&Linear::of(counter, times))?;
            if !scene.is_same_for_all(&first) {
                continue;
            }
            let size = scene.size(access.root, dim, side)?;
            scene.system.require(Formula::NotNegative(first.clone()));
            scene.system.require(Formula::less(&first, &size)?);
        }
        Ok(())
    }

    /// Returns the doubt about a condition alone; `None` if a doubt is about the numbers that choose iterations and cells.
    fn guard(&self, scene: &Scene<'_, '_>, doubt: Doubt) -> Option<Doubt> {
        let (Doubt::Data(value) | Doubt::NotLinear(value)) = doubt else { return None };
        let is_condition = self.nest.kernel.ty(value).data_elem() == Some(Elem::Bool);
        if is_condition { Some(Doubt::Guard(value)) } else { scene.guard(doubt).map(Doubt::Guard) }
    }

    /// Returns the distance from the source's iteration to the sink's, for each level around both.
    fn iteration_distances(&self, scene: &mut Scene<'_, '_>) -> Result<Vec<Linear>, TooHard> {
        let levels: Vec<Level> = self.nest.levels_of(self.source.op)[..self.n_common].to_vec();
        let steps = levels.into_iter().map(|level| {
            let (source, sink) = (scene.counter(level, Side::Source), scene.counter(level, Side::Sink));
            Linear::of(sink, 1).minus(&Linear::of(source, 1))
        });
        steps.collect()
    }

    /// The numbers of the source's iterations, of a few levels.
    pub(super) fn source_counters(&self, scene: &mut Scene<'_, '_>) -> Vec<Var> {
        let levels = self.nest.levels_of(self.source.op).clone();
        levels.iter().take(4).map(|&level| scene.counter(level, Side::Source)).collect()
    }

    fn vectors(
        &self,
        system: &System,
        model: &Model,
        steps: &[Linear],
        budget: &mut Budget,
    ) -> Result<(Directions, Distances), TooHard> {
        let (mut directions, mut distances) = (Directions::new(), Distances::new());
        let zero = Linear::default();
        for (position, form) in steps.iter().enumerate() {
            if self.carried.is_none_or(|level| position < level) {
                directions.push(Direction { same: true, ..Direction::default() });
                distances.push(Some(0));
                continue;
            }
            if self.carried == Some(position) && self.distance.is_some() {
                directions.push(Direction { later: true, ..Direction::default() });
                distances.push(self.distance);
                continue;
            }
            let known = model.value(form)?;
            let mut may = |formula: Formula| Ok(system.with(formula).solve(budget)?.is_some());
            let other = may(Formula::different(form, &Linear::constant(known))?)?;
            if !other {
                directions.push(Direction { later: known > 0, same: known == 0, earlier: known < 0 });
                distances.push(Some(known));
                continue;
            }
            directions.push(Direction {
                later: known > 0 || may(Formula::less(&zero, form)?)?,
                same: known == 0 || may(Formula::Zero(form.clone()))?,
                earlier: known < 0 || may(Formula::less(form, &zero)?)?,
            });
            distances.push(None);
        }
        Ok((directions, distances))
    }

    /// The least distance at the carrying level: of all, of those in one iteration of the levels inside, and of those
    /// whose sink is ahead there.
    fn leasts(
        &self,
        system: &System,
        steps: &[Linear],
        budget: &mut Budget,
    ) -> Result<(i128, Option<i128>, Option<i128>), TooHard> {
        let Some(level) = self.carried else { return Ok((0, None, None)) };
        // The model that is searched for may rest on a choice of factors; what holds for all may not.
        let least = match self.distance {
            Some(distance) => distance,
            None => match system.least(&steps[level], 1, budget)? {
                Some(model) => model.value(&steps[level])?,
                None => return Err(TooHard),
            },
        };
        let inner = &steps[level + 1..];
        if inner.is_empty() {
            return Ok((least, Some(least), None));
        }
        let same = Formula::All(inner.iter().map(|form| Formula::Zero(form.clone())).collect());
        let mut ahead = Vec::new();
        for (position, form) in inner.iter().enumerate() {
            let mut parts: Vec<Formula> = inner[..position].iter().map(|form| Formula::Zero(form.clone())).collect();
            parts.push(Formula::less(form, &Linear::default())?);
            ahead.push(Formula::All(parts));
        }
        let mut least_of = |formula: Formula| -> Result<Option<i128>, TooHard> {
            let model = system.with(formula).least(&steps[level], least, budget)?;
            model.map(|model| model.value(&steps[level])).transpose()
        };
        Ok((least, least_of(same)?, least_of(Formula::Any(ahead))?))
    }

    fn witness(&self, scene: &mut Scene<'_, '_>, model: &Model, cell: &[Linear]) -> Result<Witness, TooHard> {
        let source = iteration(scene, self.source, Side::Source, model)?;
        let sink = iteration(scene, self.sink, Side::Sink, model)?;
        let cell = cell.iter().map(|form| model.value(form)).collect::<Result<_, _>>()?;
        let symbols = scene.atoms.iter().filter_map(|&(var, atom)| Some((scene.symbol(atom)?, model.number(var))));
        // A size that nothing else mentions is that of any array of the class.
        let symbols = symbols.filter(|(symbol, _)| matches!(symbol, WitnessSymbol::Value(_))).collect();
        Ok(Witness { source, sink, symbols, cell, leaves: false })
    }

    /// Says whether the meeting mentions no symbol but those that loop bounds do, besides what sizes allow.
    fn is_universal(&self, scene: &Scene<'_, '_>, differences: &[Linear]) -> bool {
        let conditional = [self.source.op, self.sink.op]
            .into_iter()
            .flat_map(|op| self.nest.forest.regions_around(op))
            .any(|region| {
                self.nest.forest.owner(region).is_some_and(|owner| self.nest.kernel.ops[owner].code == Code::If)
            });
        !conditional && differences.iter().flat_map(|form| form.terms()).all(|&(var, _)| scene.is_free(var))
    }
}

/// The index of each loop around an access; the number of the iteration, from 0, where a `while` has no index.
fn iteration(scene: &mut Scene<'_, '_>, access: &Access, side: Side, model: &Model) -> Result<Numbers, TooHard> {
    let levels = scene.nest.levels_of(access.op).clone();
    let indices = levels.iter().map(|&level| match scene.index_of(level, side)? {
        Some(index) => model.value(&index.form),
        None => Ok(model.number(scene.counter(level, side))),
    });
    indices.collect()
}

/// Says whether each value that the model chooses is one of its type.
fn fits_types(scene: &Scene<'_, '_>, model: &Model) -> bool {
    type_ranges(scene).all(|(var, (low, high))| (low..=high).contains(&model.number(var)))
}

fn require_types(scene: &mut Scene<'_, '_>) -> Result<(), TooHard> {
    let ranges: Vec<_> = type_ranges(scene).collect();
    for (var, (low, high)) in ranges {
        scene.system.require(Formula::NotNegative(Linear::of(var, 1).add(-low)?));
        scene.system.require(Formula::NotNegative(Linear::of(var, -1).add(high)?));
    }
    Ok(())
}

fn type_ranges<'s>(scene: &'s Scene<'_, '_>) -> impl Iterator<Item = (Var, (i128, i128))> + 's {
    scene.atoms.iter().filter_map(|&(var, atom)| {
        let Atom::Value(value, _) = atom else { return None };
        Some((var, range_of(scene.nest.kernel.ty(value).data_elem()?)?))
    })
}

/// A model that gets better.
pub(super) struct Search<'b, 'a> {
    pub(super) system: System,
    pub(super) model: Model,
    /// The constraints on a model of the program.
    pub(super) products: &'b [products::Product],
    pub(super) budget: &'b mut Budget<'a>,
}

impl Search<'_, '_> {
    /// Makes a form as small as it gets, and keeps it there.
    pub(super) fn lower(&mut self, form: &Linear, bound: i128) -> Result<(), TooHard> {
        if self.model.value(form)? > bound
            && let Some(model) = self.system.least(form, bound, self.budget)?
            && products::broken(&model, self.products)?.is_none()
        {
            self.model = model;
        }
        let value = self.model.value(form)?;
        self.system.require(Formula::equal(form, &Linear::constant(value))?);
        Ok(())
    }
}
