//! Iteration spaces: the iterations of a loop or a nest as points, the dependences between them as arrows, and the order in which a
//! stage runs them.
//!
//! Points are the iterations that the kernel goes through on some data; arrows are those of the facts, and stand for all data. A
//! dependence whose distance is not known has no arrows but that of its witness, and is told with the reason.
//!
//! The order is that of a run of the stage itself. Passes divide loops, exchange them and write them out, so an access of a later
//! stage is led back to its iteration by the cell that it touches: `order` says how. Iterations of one step run together, in lanes.

mod arrows;
mod order;

use std::collections::BTreeSet;

use ir::{Code, Kernel, Op};
use queries::check::start_of;
use queries::db::{Item, dense_map};
use queries::run::{Arg, Argument, Inputs, prepare};
use queries::stages::{Options, Stage, in_order};
use queries::stepping::tracing::{RunTrace, SiteNumbers, TracedLevel, trace};
use queries::{item_of, sequential};
use report::lanes::DependenceKind;
use report::{ItemKind, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::explain::{Loop, explain_item};
use order::ordered;

/// The iterations of a nest, projected to one or two of its levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationSpace {
    /// The levels of the nest, outermost first.
    pub levels: Vec<SpaceLevel>,
    /// The levels that are drawn, by number: one, or two with the one that goes down first.
    pub axes: Vec<usize>,
    /// The other levels, by number, and the index that they are held at.
    pub fixed: Vec<(usize, i64)>,
    /// The iterations on the axes, in the order of the program.
    pub points: Vec<Vec<i64>>,
    /// Arrows between iterations.
    pub arrows: Vec<Arrow>,
    /// The dependences, in the order of their numbers in arrows.
    pub dependences: Vec<SpaceDependence>,
    /// The order in which the program runs the points.
    pub before: Vec<Placed>,
    /// The order in which the stage does; else why that is not known.
    pub after: Result<Vec<Placed>, String>,
    /// The name of that stage.
    pub stage: &'static str,
    /// The changes that passes made to the loops of the nest: the pass, the line of the loop, and the reason.
    pub done: Vec<PassAction>,
    /// True if the run is too long to be followed to its end.
    pub is_cut: bool,
}

/// A level of a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceLevel {
    /// The name of the index.
    pub index: String,
    /// The line of the loop's header, from 0.
    pub line: u32,
    /// The distance from one index to the next, where that is a number.
    pub step: Option<i64>,
}

/// An arrow from the iteration that runs first to the one that depends on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The number of the dependence.
    pub dependence: usize,
    /// The point that it starts at.
    pub from: Vec<i64>,
    /// The point that it leads to.
    pub to: Vec<i64>,
}

/// A dependence of the nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceDependence {
    /// The kind.
    pub kind: DependenceKind,
    /// The array.
    pub array: String,
    /// The distance on each level of the nest, in iterations, as far as the two accesses have it in common and it is always the same.
    pub distances: Vec<Option<i64>>,
    /// The difference of the indices on the axes, if that of all its arrows is the same: an index may begin elsewhere in each iteration of
    /// the loop around.
    pub shift: Option<Vec<i64>>,
    /// The directions on the same levels.
    pub directions: Vec<&'static str>,
    /// Two iterations that meet, on the axes, if they lie in what is drawn.
    pub witness: Option<[Vec<i64>; 2]>,
    /// The dependence in words.
    pub words: String,
    /// The reason why its arrows are not the same from each iteration, or why it has none.
    pub undrawn: Option<String>,
    /// True if its arrows lead to the next iteration that meets on the data.
    pub follows_data: bool,
    /// The place of the access that runs later.
    pub sink: TextRange,
}

/// A point in the order of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The point.
    pub at: Vec<i64>,
    /// Its turn, from 0: points that run together have the same.
    pub turn: usize,
}

/// A change that a pass made to a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassAction {
    /// The pass.
    pub pass: &'static str,
    /// The code of what was done.
    pub code: &'static str,
    /// The line of the loop, from 0.
    pub line: u32,
    /// The reason.
    pub because: String,
    /// The place in the file.
    pub range: TextRange,
}

/// The iteration space of the nest around a loop, by the place of its header, on data, and the order of a stage; else why there is
/// none.
pub fn iteration_space(
    db: &dyn salsa::Database,
    item: Item<'_>,
    header: TextSize,
    stage: &Stage,
    options: Options,
    arguments: &[Argument],
) -> Result<IterationSpace, String> {
    if item.kind(db) != ItemKind::Kernel {
        return Err("functions are drawn in the kernels that call them".to_owned());
    }
    let unfit = || "the kernel has errors, so nothing of it can be run".to_owned();
    let kernel = in_order().kernel(db, item, options).ok_or_else(unfit)?;
    let explained = explain_item(db, item).ok_or_else(unfit)?;
    let nest = NestLevels::around(db, item, &kernel, header).ok_or("this loop is not one of the program any more")?;
    let (_, inputs) = prepare(db, item, arguments).map_err(|why| why.to_string())?;
    let mut sites = SiteNumbers::default();
    let levels: Vec<(u32, u8)> = nest.ops.iter().map(|&(op, number)| (sites.of(&kernel, op), number)).collect();
    let mut is_cancelled = || {
        db.unwind_if_revision_cancelled();
        false
    };
    let mut run = |kernel, sites: &mut SiteNumbers| {
        trace(kernel, &inputs, sites, &mut is_cancelled).map_err(|why| why.to_string())
    };
    let first = run(&kernel, &mut sites)?;
    let all = iterations_of(&first, &levels);
    if all.is_empty() {
        return Err("on these data the loop has no iteration; r shows the data".to_owned());
    }
    let own: Vec<&Loop> = explained.loops.iter().filter(|it| it.function.is_none()).collect();
    let touches = Touches::of(&first, &levels, &kernel, &inputs);
    let mut space = arrows::with_dependences(&nest, &own, &all, &touches);
    space.before = order::projected(&space, &order::of_iterations(&first, &levels));
    space.after = match stage.kernel(db, item, options) {
        None => Err(format!("the stage {} is there to be read, and nothing runs it", stage.name)),
        Some(later) => {
            let second = run(&later, &mut sites)?;
            ordered(&first, &second, &levels, &all, inputs.memory.len()).map(|order| order::projected(&space, &order))
        }
    };
    space.stage = stage.name;
    space.is_cut = first.is_cut;
    let lines: BTreeSet<u32> = nest.levels.iter().map(|level| level.line).collect();
    let own = explained.decisions.into_iter().filter(|decision| decision.taken);
    let done = own.filter_map(|decision| {
        let line = nest.line(decision.range.start());
        lines.contains(&line).then(|| PassAction {
            pass: decision.pass,
            code: decision.code.name(),
            line,
            because: decision.because,
            range: decision.range,
        })
    });
    space.done = done.collect();
    Ok(space)
}

/// The iterations of a nest by their indices, in the order in which a run in order begins them.
fn iterations_of(run: &RunTrace, levels: &[(u32, u8)]) -> Vec<Vec<i64>> {
    let mut known = BTreeSet::new();
    let found = run.iterations.iter().filter_map(|iteration| point_of(&iteration.levels, levels));
    found.filter(|point| known.insert(point.clone())).collect()
}

/// The number of a memory, and a byte in it.
type MemoryCell = (usize, usize);

/// The cells that the iterations of a nest touch in a run.
struct Touches {
    /// For each iteration its cells, and whether it writes them.
    of_points: FxHashMap<Vec<i64>, FxHashSet<(MemoryCell, bool)>>,
    /// The memory of each array among the parameters, by name.
    memories: FxHashMap<String, usize>,
}

impl Touches {
    fn of(run: &RunTrace, levels: &[(u32, u8)], kernel: &Kernel, inputs: &Inputs) -> Touches {
        let mut touches = Touches { of_points: FxHashMap::default(), memories: FxHashMap::default() };
        for access in &run.accesses {
            if let Some(point) = point_of(&access.levels, levels) {
                touches.of_points.entry(point).or_default().insert((access.cell, access.is_write));
            }
        }
        for (param, arg) in kernel.params.iter().zip(&inputs.args) {
            if let (Arg::Array { memory, .. }, Some(name)) = (arg, &kernel.values[param.value].name) {
                touches.memories.insert(name.to_string(), *memory);
            }
        }
        touches
    }

    /// For each of some iterations, which are in order, the next one that it meets, in the way of a kind of dependence.
    fn next_meetings(&self, kind: DependenceKind, array: &str, points: &[Vec<i64>]) -> Vec<(usize, usize)> {
        let (writes_first, writes_later) = accesses_of(kind);
        let memory = self.memories.get(array);
        let cells = |point: &Vec<i64>, writes: bool| {
            let all = self.of_points.get(point).into_iter().flatten();
            let own = all
                .filter(move |(cell, is_write)| *is_write == writes && memory.is_none_or(|memory| cell.0 == *memory));
            own.map(|(cell, _)| *cell).collect::<Vec<_>>()
        };
        let mut later: FxHashMap<MemoryCell, Vec<usize>> = FxHashMap::default();
        for (n, point) in points.iter().enumerate() {
            cells(point, writes_later).into_iter().for_each(|cell| later.entry(cell).or_default().push(n));
        }
        let next = |(n, point): (usize, &Vec<i64>)| {
            let of_cell = |cell: MemoryCell| {
                let numbers = later.get(&cell)?;
                numbers.get(numbers.partition_point(|number| *number <= n)).copied()
            };
            Some((n, cells(point, writes_first).into_iter().filter_map(of_cell).min()?))
        };
        points.iter().enumerate().filter_map(next).collect()
    }

    /// Says whether an iteration touches a cell of an array that a later one touches, in the way of a kind of dependence.
    fn meet(&self, kind: DependenceKind, array: &str, from: &[i64], to: &[i64]) -> bool {
        let (Some(first), Some(later)) = (self.of_points.get(from), self.of_points.get(to)) else { return false };
        let (writes_first, writes_later) = accesses_of(kind);
        let memory = self.memories.get(array);
        let in_array = |cell: &MemoryCell| memory.is_none_or(|memory| cell.0 == *memory);
        let own = first.iter().filter(|(cell, writes)| *writes == writes_first && in_array(cell));
        own.into_iter().any(|(cell, _)| later.contains(&(*cell, writes_later)))
    }
}

/// Says for the first and the later access of a kind of dependence whether it writes.
fn accesses_of(kind: DependenceKind) -> (bool, bool) {
    match kind {
        DependenceKind::Flow => (true, false),
        DependenceKind::Anti => (false, true),
        DependenceKind::Output => (true, true),
    }
}

/// The indices on the levels of a nest, of a place inside all of them.
fn point_of(around: &[TracedLevel], levels: &[(u32, u8)]) -> Option<Vec<i64>> {
    let index = |&(site, number): &(u32, u8)| {
        let level = around.iter().find(|level| (level.site, level.number) == (site, number))?;
        i64::try_from(level.index?).ok()
    };
    levels.iter().map(index).collect()
}

/// The levels of a nest.
struct NestLevels<'t> {
    text: &'t str,
    /// The loop of each level, and the number of its index.
    ops: Vec<(Op, u8)>,
    levels: Vec<SpaceLevel>,
}

impl<'t> NestLevels<'t> {
    /// The loops around one by the place of its header, that one, and those that stand alone inside of it.
    fn around(
        db: &'t dyn salsa::Database,
        item: Item<'t>,
        kernel: &Kernel,
        header: TextSize,
    ) -> Option<NestLevels<'t>> {
        let text = item.file(db).text(db);
        let mut nest = NestLevels { text, ops: Vec::new(), levels: Vec::new() };
        let lowering = sequential(db, item);
        let line_of = |op: Op| {
            let (key, range) = lowering.place_of(kernel, kernel.ops[op].origin)?;
            let at = item_of(db, item.file(db), key).filter(|at| *at == item)?;
            Some(nest.line((dense_map(db, at).to_text(*range) + start_of(db, at)?).start()))
        };
        let mut parents: FxHashMap<Op, Op> = FxHashMap::default();
        let mut lines: Vec<(Op, u32)> = Vec::new();
        let mut all = Vec::new();
        kernel.walk(kernel.body, &mut |_, op| all.push(op));
        for &op in &all {
            for &region in &kernel.ops[op].regions {
                parents.extend(kernel.regions[region].ops.iter().map(|&inner| (inner, op)));
            }
            if is_loop(kernel, op) {
                lines.extend(line_of(op).map(|line| (op, line)));
            }
        }
        let line = |op: Op| lines.iter().find(|(other, _)| *other == op).map(|(_, line)| *line);
        let asked = nest.line(header);
        let found = lines.iter().find(|(_, line)| *line == asked)?.0;
        let around = std::iter::successors(Some(found), |op| parents.get(op).copied());
        let mut chain: Vec<Op> = around.filter(|op| is_loop(kernel, *op)).collect();
        chain.reverse();
        while let Some(inner) = sole_loop_inside(kernel, chain[chain.len() - 1]) {
            chain.push(inner);
        }
        for op in chain {
            let data = &kernel.ops[op];
            let n_levels = if data.code == Code::While { 1 } else { kernel.n_ranges(op) };
            for number in 0..n_levels {
                let arg = data.regions.first().and_then(|&region| kernel.regions[region].args.get(number));
                let name = arg.filter(|_| data.code != Code::While).and_then(|&arg| kernel.values[arg].name.as_deref());
                let name = name.filter(|name| !name.is_empty()).unwrap_or("iteration");
                let step = match data.code {
                    Code::While => Some(1),
                    _ => data.operands.get(3 * number + 2).and_then(|&step| kernel.as_const(step)?.wide()),
                };
                let step = step.and_then(|step| i64::try_from(step).ok());
                nest.ops.push((op, number as u8));
                nest.levels.push(SpaceLevel { index: name.to_owned(), line: line(op).unwrap_or(asked), step });
            }
        }
        Some(nest)
    }

    fn line(&self, at: TextSize) -> u32 {
        self.text[..usize::from(at)].matches('\n').count() as u32
    }
}

fn is_loop(kernel: &Kernel, op: Op) -> bool {
    matches!(kernel.ops[op].code, Code::For | Code::Foreach | Code::While)
}

/// The loop inside of another one that has no other beside it.
fn sole_loop_inside(kernel: &Kernel, op: Op) -> Option<Op> {
    let body = *kernel.ops[op].regions.last()?;
    let mut inside = kernel.regions[body].ops.iter().copied().filter(|&op| is_loop(kernel, op));
    let first = inside.next()?;
    inside.next().is_none().then_some(first)
}

impl IterationSpace {
    /// The sizes of what is drawn: for each axis its indices, in the order in which the program runs through them.
    pub fn indices(&self) -> Vec<Vec<i64>> {
        let on = |axis: usize| {
            let mut indices: Vec<i64> = self.points.iter().map(|point| point[axis]).collect();
            indices.sort_unstable();
            indices.dedup();
            if self.levels[self.axes[axis]].step.is_some_and(|step| step < 0) {
                indices.reverse();
            }
            indices
        };
        (0..self.axes.len()).map(on).collect()
    }
}

#[cfg(test)]
mod tests;
