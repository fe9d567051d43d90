//! The dependences of a nest, as arrows between its iterations.

use std::collections::BTreeSet;

use report::lanes::Witness;
use rustc_hash::FxHashMap;

use super::{Arrow, IterationSpace, NestLevels, SpaceDependence, Touches};
use crate::explain::{Dependence, Loop};

/// Limit on the arrows of a space: more are a blur.
const MAX_ARROWS: usize = 4_000;

/// The space of a nest with its dependences; its orders are still to come.
pub(super) fn with_dependences(
    nest: &NestLevels<'_>,
    loops: &[&Loop],
    all: &[Vec<i64>],
    touches: &Touches,
) -> IterationSpace {
    let found = dependences(nest, loops);
    let axes = axes(nest, &found);
    let held = |level: &usize| !axes.contains(level);
    let depth = nest.levels.len();
    // What is not on an axis is held where the first witness has it, if that is among the iterations.
    let ran: BTreeSet<&Vec<i64>> = all.iter().collect();
    let witnessed = found.iter().filter_map(|met| points_of(met.witness.as_ref()?, depth));
    let at = witnessed.map(|[source, _]| source).find(|point| ran.contains(point)).unwrap_or_else(|| all[0].clone());
    let fixed: Vec<(usize, i64)> = (0..depth).filter(held).map(|level| (level, at[level])).collect();
    let is_here = |point: &[i64]| fixed.iter().all(|&(level, index)| point[level] == index);
    let on_axes = |point: &[i64]| axes.iter().map(|&axis| point[axis]).collect::<Vec<i64>>();
    let mut points: Vec<Vec<i64>> = Vec::new();
    let mut known = BTreeSet::new();
    for point in all.iter().filter(|point| is_here(point)).map(|point| on_axes(point)) {
        if known.insert(point.clone()) {
            points.push(point);
        }
    }
    let whole = |on_axes: &[i64]| {
        let mut point = vec![0; depth];
        fixed.iter().for_each(|&(level, index)| point[level] = index);
        axes.iter().zip(on_axes).for_each(|(&axis, &index)| point[axis] = index);
        point
    };
    // A distance may hold for some iterations only; those that meet are seen in the run.
    let meet =
        |met: &Dependence, from: &[i64], to: &[i64]| touches.meet(met.kind, &met.array, &whole(from), &whole(to));
    let numbers = IterationNumbers::of(all);
    let mut arrows = BTreeSet::new();
    let mut told = Vec::new();
    for (number, met) in found.iter().enumerate() {
        let witness = met.witness.as_ref().and_then(|witness| points_of(witness, depth));
        let witness = witness.filter(|[source, sink]| is_here(source) && is_here(sink));
        let witness = witness.map(|[source, sink]| [on_axes(&source), on_axes(&sink)]);
        let witness = witness.filter(|pair| pair.iter().all(|point| known.contains(point)));
        let undrawn = undrawn(nest, met, &axes);
        let arrow = |from: &Vec<i64>, to: Vec<i64>| Arrow { dependence: number, from: from.clone(), to };
        if undrawn.is_none() {
            let drawn = points.iter().filter_map(|from| {
                let to = numbers.further(&whole(from), &met.distances)?;
                let to = Some(to).filter(|to| is_here(to)).map(&on_axes)?;
                (to != *from && meet(met, from, &to)).then(|| arrow(from, to))
            });
            arrows.extend(drawn);
        }
        // Without a distance the run tells which iteration is the next one that meets.
        let follows_data = undrawn.is_some() && met.directions.len() >= depth && leaves(nest, met, &axes).is_none();
        if follows_data {
            let wholes: Vec<Vec<i64>> = points.iter().map(|point| whole(point)).collect();
            let next = touches.next_meetings(met.kind, &met.array, &wholes);
            arrows.extend(next.into_iter().map(|(from, to)| arrow(&points[from], points[to].clone())));
        }
        told.push(SpaceDependence {
            kind: met.kind,
            array: met.array.to_string(),
            distances: met.distances.iter().take(depth).copied().collect(),
            directions: met.directions.iter().take(depth).copied().collect(),
            witness,
            words: met.in_short(),
            shift: None,
            undrawn,
            follows_data,
            sink: met.sink.range,
        });
    }
    for (number, met) in told.iter_mut().enumerate().filter(|(_, met)| met.undrawn.is_none()) {
        let own = arrows.iter().filter(|arrow: &&Arrow| arrow.dependence == number);
        let shifts = own.map(|arrow| arrow.to.iter().zip(&arrow.from).map(|(to, from)| to - from).collect());
        let shifts: BTreeSet<Vec<i64>> = shifts.collect();
        met.shift = shifts.first().filter(|_| shifts.len() == 1).cloned();
    }
    IterationSpace {
        levels: nest.levels.clone(),
        axes,
        fixed,
        points,
        arrows: arrows.into_iter().take(MAX_ARROWS).collect(),
        dependences: told,
        before: Vec::new(),
        after: Ok(Vec::new()),
        stage: "",
        done: Vec::new(),
        is_cut: false,
    }
}

/// The iterations of a nest by their numbers on each level, from 0 in each iteration of the level around: distances are differences of
/// those, while an index may begin elsewhere each time.
struct IterationNumbers<'a> {
    of_point: FxHashMap<&'a [i64], Vec<i64>>,
    points: FxHashMap<Vec<i64>, &'a [i64]>,
}

impl<'a> IterationNumbers<'a> {
    /// Numbers iterations, which are in order.
    fn of(all: &'a [Vec<i64>]) -> IterationNumbers<'a> {
        let mut inside: FxHashMap<&[i64], FxHashMap<i64, i64>> = FxHashMap::default();
        let mut numbers = IterationNumbers { of_point: FxHashMap::default(), points: FxHashMap::default() };
        for point in all {
            let number = (0..point.len()).map(|level| {
                let known = inside.entry(&point[..level]).or_default();
                let next = known.len() as i64;
                *known.entry(point[level]).or_insert(next)
            });
            let number: Vec<i64> = number.collect();
            numbers.of_point.insert(point, number.clone());
            numbers.points.insert(number, point);
        }
        numbers
    }

    /// The iteration so many numbers further on each level, if there is one.
    fn further(&self, from: &[i64], distances: &[Option<i64>]) -> Option<&'a [i64]> {
        let number = self.of_point.get(from)?;
        let to = number.iter().zip(distances).map(|(number, distance)| Some(number + (*distance)?));
        self.points.get(&to.collect::<Option<Vec<i64>>>()?).copied()
    }
}

/// The dependences that loops of the nest carry, each once.
fn dependences(nest: &NestLevels<'_>, loops: &[&Loop]) -> Vec<Dependence> {
    let mut found: Vec<Dependence> = Vec::new();
    for level in &nest.levels {
        let of_level = loops.iter().filter(|it| nest.line(it.range.start()) == level.line);
        for met in of_level.flat_map(|it| &it.dependences) {
            let is_carried = met.directions.iter().take(nest.levels.len()).any(|direction| *direction != "=");
            let is_same = |other: &Dependence| {
                (other.kind, other.source.range, other.sink.range) == (met.kind, met.source.range, met.sink.range)
                    && (&other.directions, &other.distances) == (&met.directions, &met.distances)
            };
            if is_carried && !found.iter().any(is_same) {
                found.push(met.clone());
            }
        }
    }
    found
}

/// The levels that are drawn: the two innermost of those that carry something, filled up with the innermost ones.
fn axes(nest: &NestLevels<'_>, found: &[Dependence]) -> Vec<usize> {
    let depth = nest.levels.len();
    let carrying = |met: &Dependence| met.directions.iter().position(|direction| *direction != "=");
    let carriers: BTreeSet<usize> = found.iter().filter_map(carrying).filter(|level| *level < depth).collect();
    let mut axes: Vec<usize> = carriers.into_iter().rev().take(2).collect();
    for level in (0..depth).rev() {
        if axes.len() < 2 && !axes.contains(&level) {
            axes.push(level);
        }
    }
    axes.sort_unstable();
    axes
}

/// The reason why a dependence has no arrow from each iteration.
fn undrawn(nest: &NestLevels<'_>, met: &Dependence, axes: &[usize]) -> Option<String> {
    let depth = nest.levels.len();
    let name = |level: usize| nest.levels[level].index.as_str();
    if met.directions.len() < depth {
        let inner = name(met.directions.len());
        return Some(format!("one of its accesses is outside of the loop along {inner}"));
    }
    if let Some(level) = (0..depth).find(|&level| met.distances.get(level).copied().flatten().is_none()) {
        let doubt = met.doubts.first().map_or_else(String::new, |doubt| format!(": {doubt}"));
        return Some(format!("its distance along {} is not always the same{doubt}", name(level)));
    }
    leaves(nest, met, axes)
}

/// The reason why a dependence has no arrows among the levels that are drawn: it leads on along another one.
fn leaves(nest: &NestLevels<'_>, met: &Dependence, axes: &[usize]) -> Option<String> {
    let levels = (0..nest.levels.len()).filter(|level| !axes.contains(level));
    let distances = levels.map(|level| (level, met.distances.get(level).copied().flatten().unwrap_or(0)));
    distances.into_iter().find(|(_, distance)| *distance != 0).map(|(level, distance)| {
        format!("it leads {distance} further along {}, out of what is drawn", nest.levels[level].index)
    })
}

/// The iterations of a witness, on the levels of a nest; nothing if one of the accesses is outside of some.
fn points_of(witness: &Witness, depth: usize) -> Option<[Vec<i64>; 2]> {
    let [source, sink] = &witness.all;
    Some([source.get(..depth)?.to_vec(), sink.get(..depth)?.to_vec()])
}
