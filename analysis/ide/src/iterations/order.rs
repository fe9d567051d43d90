//! The order in which a stage runs the iterations of a nest.
//!
//! A run in order tells for each access which iterations touch which cells. An access of another stage came from the same place, so
//! it belongs to one of the iterations that touch its cell there; where there are several, the indices of loops that the stage still
//! has choose among them. Accesses that are left with more than one iteration say nothing. Of all accesses of the nest, the one that tells most
//! iterations apart is followed.

use std::collections::{BTreeMap, BTreeSet};

use queries::stepping::tracing::{RunTrace, TracedAccess, TracedLevel};
use rustc_hash::FxHashMap;

use super::{IterationSpace, Placed, point_of};

/// Iterations with the steps in which they run.
pub(super) type Steps = BTreeMap<Vec<i64>, u64>;

/// The steps in which a run in order begins the iterations of a nest.
pub(super) fn of_iterations(run: &RunTrace, levels: &[(u32, u8)]) -> Steps {
    let mut steps = Steps::new();
    for iteration in &run.iterations {
        if let Some(point) = point_of(&iteration.levels, levels) {
            steps.entry(point).or_insert(iteration.step);
        }
    }
    steps
}

/// The steps in which a stage runs all iterations of a nest; else why they are not known.
pub(super) fn ordered(
    first: &RunTrace,
    second: &RunTrace,
    levels: &[(u32, u8)],
    all: &[Vec<i64>],
    n_inputs: usize,
) -> Result<Steps, String> {
    let followed = by_cells(first, second, levels, n_inputs);
    if followed.len() == all.len() {
        return Ok(followed);
    }
    let begun = by_groups(second, levels, all);
    if begun.len() == all.len() {
        return Ok(begun);
    }
    let n_known = followed.len().max(begun.len());
    Err(format!(
        "of {n_known} of the {} iterations it is known when this stage runs them: the others touch no cell of the arguments that \
         tells them apart, or are not run one by one",
        all.len()
    ))
}

/// The key of the cells that an access from a place touches.
type Touched = (u32, bool, (usize, usize));

/// The steps of iterations that their cells tell apart.
fn by_cells(first: &RunTrace, second: &RunTrace, levels: &[(u32, u8)], n_inputs: usize) -> Steps {
    let of_arguments = |access: &&TracedAccess| access.cell.0 < n_inputs;
    let mut touching: FxHashMap<Touched, Vec<Vec<i64>>> = FxHashMap::default();
    for access in first.accesses.iter().filter(of_arguments) {
        if let Some(point) = point_of(&access.levels, levels) {
            let points = touching.entry((access.site, access.is_write, access.cell)).or_default();
            if points.last() != Some(&point) {
                points.push(point);
            }
        }
    }
    let mut by_site: BTreeMap<(bool, u32), Steps> = BTreeMap::new();
    for access in second.accesses.iter().filter(of_arguments) {
        let Some(points) = touching.get(&(access.site, access.is_write, access.cell)) else { continue };
        if let Some(point) = the_one(points, access, levels) {
            let steps = by_site.entry((access.is_write, access.site)).or_default();
            steps.entry(point.clone()).or_insert(access.step);
        }
    }
    // Of places that tell equally many apart, a store is where an iteration is done.
    by_site.into_values().max_by_key(Steps::len).unwrap_or_default()
}

/// The one of several iterations that an access can belong to.
fn the_one<'p>(points: &'p [Vec<i64>], access: &TracedAccess, levels: &[(u32, u8)]) -> Option<&'p Vec<i64>> {
    if let [only] = points {
        return Some(only);
    }
    let agrees = |point: &&Vec<i64>| {
        levels.iter().zip(point.iter()).all(|(level, index)| {
            let open = access.levels.iter().find(|open| (open.site, open.number) == *level);
            let known = open.filter(|open| open.lanes.is_none() || access.lane.is_some());
            known.and_then(|open| open.index).is_none_or(|own| own == i128::from(*index))
        })
    };
    let mut agreeing = points.iter().filter(agrees);
    let one = agreeing.next()?;
    agreeing.all(|other| other == one).then_some(one)
}

/// The steps of iterations by the indices of the loops that a stage still has: each group begins with its first lane.
fn by_groups(second: &RunTrace, levels: &[(u32, u8)], all: &[Vec<i64>]) -> Steps {
    let known: BTreeSet<&Vec<i64>> = all.iter().collect();
    let mut steps = Steps::new();
    for iteration in &second.iterations {
        let of = |level: &(u32, u8)| iteration.levels.iter().find(|open| (open.site, open.number) == *level);
        let Some(open) = levels.iter().map(of).collect::<Option<Vec<&TracedLevel>>>() else { continue };
        let n_lanes = open.iter().filter_map(|level| level.lanes).map(|(_, n)| n).max().unwrap_or(1);
        for lane in 0..i128::from(n_lanes) {
            let index = |level: &&TracedLevel| {
                let ahead = level.lanes.map_or(0, |(step, _)| step * lane);
                i64::try_from(level.index? + ahead).ok()
            };
            let point: Option<Vec<i64>> = open.iter().map(index).collect();
            if let Some(point) = point.filter(|point| known.contains(point)) {
                steps.entry(point).or_insert(iteration.step);
            }
        }
    }
    steps
}

/// The points of a space in the order of a run; a turn is a step in which some of them run.
pub(super) fn projected(space: &IterationSpace, steps: &Steps) -> Vec<Placed> {
    let is_here = |point: &Vec<i64>| space.fixed.iter().all(|&(level, index)| point[level] == index);
    let here = steps.iter().filter(|(point, _)| is_here(point));
    let mut here: Vec<(u64, Vec<i64>)> =
        here.map(|(point, step)| (*step, space.axes.iter().map(|&axis| point[axis]).collect())).collect();
    here.sort();
    let mut placed: Vec<Placed> = Vec::with_capacity(here.len());
    let (mut turn, mut last) = (0, None);
    for (step, at) in here {
        if last.is_some_and(|last| last != step) {
            turn += 1;
        }
        last = Some(step);
        placed.push(Placed { at, turn });
    }
    placed
}
