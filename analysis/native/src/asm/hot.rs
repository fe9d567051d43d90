//! Hot loops: for each innermost loop of the source, the loop of the machine code that does most of its iterations a turn.
//!
//! One loop of the source becomes several: the main loop, one for what is left of whole groups, a tail with a mask. The main
//! loop does the most iterations a turn, and on enough data the others do not matter. In `for i in range(n)` with 16 lanes
//! in 4 interleaved groups a turn does 64 iterations. If one of those is a `while`, or a loop of its own in each lane, its
//! turns are counted as one of each lane's. A loop that is left early runs in blocks: a `while` whose index advances by a
//! block each turn. And where a rare case has a loop of its own in a turn, as the in-order path has that a maximum takes for a block
//! with a NaN, the main loop is what is around that.

use facts::counting::index_of_while;
use ir::{Code, Def, Kernel, LoopForest, Op, Value};

use super::counts::Counts;
use super::mark::Mark;
use super::{Function, InnerLoop};
use crate::emit::Source;

/// A hot loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hot {
    /// The line of the source's loop.
    pub source_line: Option<u32>,
    /// The number of iterations of the source's loop that one turn does.
    pub iterations: u64,
    /// The number of instructions.
    pub instructions: usize,
    /// The counts of what the instructions do in one turn.
    pub counts: Counts,
    /// The numbers of its lines in the function, from 0.
    pub lines: Vec<usize>,
}

impl Hot {
    /// A number of a turn, for one iteration of the source's loop.
    pub fn per_iteration(&self, number: usize) -> f64 {
        number as f64 / self.iterations as f64
    }
}

/// The hot loops of a function that was made of a kernel, in the order of the source's text.
pub fn hot_loops(function: &Function, kernel: &Kernel, source: &Source) -> Vec<Hot> {
    let forest = LoopForest::of(kernel);
    let place = |op: Op| kernel.origins[kernel.ops[op].origin].place;
    let mut found: Vec<(u32, Hot)> = Vec::new();
    let marked = |it: &InnerLoop| {
        let mark = mark_of(function, it)?;
        Some((*forest.loops().get(mark.number as usize)?, u64::from(mark.copies)))
    };
    let place_of = |it: &InnerLoop| marked(it).map(|(op, _)| place(op));
    let inner = &function.inner_loops;
    let around = function.outer_loops.iter().filter(|outer| {
        let own = place_of(&outer.own);
        own.is_some() && outer.inside.iter().all(|&number| place_of(&inner[number]) == own)
    });
    for inner in inner.iter().chain(around.map(|outer| &outer.own)) {
        let Some((op, copies)) = marked(inner) else { continue };
        // A block of a loop that is left early is a loop of the same place inside of the one over the blocks.
        let mut places = Vec::new();
        let mut iterations = copies;
        for op in std::iter::once(op).chain(forest.around(op)) {
            if !places.contains(&place(op)) {
                places.push(place(op));
                iterations = iterations.saturating_mul(iterations_a_turn(kernel, op, source));
            }
        }
        let hot = hot(function, inner, iterations, source.place(place(op)).map(|place| place.line));
        match found.iter_mut().find(|(known, _)| *known == place(op)) {
            Some((_, known)) if known.iterations >= iterations => {}
            Some((_, known)) => *known = hot,
            None => found.push((place(op), hot)),
        }
    }
    found.sort_by_key(|(place, hot)| (hot.source_line, *place));
    found.into_iter().map(|(_, hot)| hot).collect()
}

fn hot(function: &Function, inner: &InnerLoop, iterations: u64, source_line: Option<u32>) -> Hot {
    let lines = inner.lines.iter().map(|&at| &function.lines[at]);
    let instructions = lines.clone().filter(|line| line.kind.is_some()).count();
    let mut counts = Counts::default();
    lines.for_each(|line| counts += line.counts);
    Hot { source_line, iterations, instructions, counts, lines: inner.lines.clone() }
}

/// The mark of a loop: that of what leads back to its start, or if that has none, which most of its instructions have. A
/// loop inside of it of which LLVM has written each iteration out may have more instructions than itself.
fn mark_of(function: &Function, inner: &InnerLoop) -> Option<Mark> {
    let most = |lines: &[usize]| {
        let marks: Vec<Mark> = lines.iter().filter_map(|&at| function.lines[at].mark).collect();
        let count = |mark: &Mark| marks.iter().filter(|other| *other == mark).count();
        marks.iter().copied().max_by_key(count)
    };
    most(&inner.ends).or_else(|| most(&inner.lines))
}

/// The number of iterations of the source's loop that a turn of a loop of the kernel does: its lanes, and how many steps
/// of the source's it takes at once.
fn iterations_a_turn(kernel: &Kernel, op: Op, source: &Source) -> u64 {
    let lanes = kernel.control(op).and_then(|control| control.width).unwrap_or(1);
    let origin = kernel.origins[kernel.ops[op].origin].place;
    let step = advance(kernel, op);
    let of_source = source.steps.iter().find(|(place, _)| *place == origin).map(|(_, step)| i128::from(*step));
    let groups = match (step, of_source) {
        (Some(step), Some(of_source)) if of_source != 0 && step % of_source == 0 => step / of_source,
        _ => 1,
    };
    u64::from(lanes).saturating_mul(u64::try_from(groups).unwrap_or(1))
}

/// The step of each loop of a kernel in order, by its place, if it is known: [`Source::steps`].
pub fn steps(kernel: &Kernel) -> Vec<(u32, i64)> {
    // The first value that another `while` carries is no index, unless it is what arrays are looked up by.
    let counts = |op: Op| kernel.control(op).is_some_and(|control| control.marks.counts);
    let has_index = |op: Op| kernel.n_ranges(op) == 1 || counts(op) || index_of_while(kernel, op).is_some();
    let step = |&op: &Op| {
        let step = advance(kernel, op).filter(|_| has_index(op))?;
        Some((kernel.origins[kernel.ops[op].origin].place, i64::try_from(step).ok()?))
    };
    LoopForest::of(kernel).loops().iter().filter_map(step).collect()
}

/// The distance from the index of one turn of a loop to that of the next one, if it is a constant. The index of a `while` is
/// what arrays are looked up by, or of one that counts or does blocks the first value that it carries; a turn that stays where it is is its
/// last one.
fn advance(kernel: &Kernel, op: Op) -> Option<i128> {
    let data = &kernel.ops[op];
    let counts = kernel.control(op).is_some_and(|control| control.marks.counts);
    if let Some(index) = index_of_while(kernel, op).filter(|_| !counts) {
        return Some(index.step);
    }
    if data.code == Code::While {
        let index = *kernel.regions[data.regions[0]].args.first()?;
        let next = *kernel.regions[data.regions[1]].yields.first()?;
        return moved(kernel, index, next, MOST_SUMS).filter(|&by| by != 0);
    }
    let step = data.operands.get(2).filter(|_| kernel.n_ranges(op) == 1)?;
    kernel.as_const(*step)?.wide()
}

/// The most sums and choices between a loop's index and its next one.
const MOST_SUMS: u32 = 12;

/// The distance from a value to one that was made of it by so many sums with constants at most; of several ways, that of the
/// farthest.
fn moved(kernel: &Kernel, from: Value, to: Value, sums: u32) -> Option<i128> {
    if from == to {
        return Some(0);
    }
    let Def::Result(op, number) = kernel.values[to].def else { return None };
    let (data, sums) = (&kernel.ops[op], sums.checked_sub(1)?);
    let moved = |value: Value| moved(kernel, from, value, sums);
    let by = |n: usize| kernel.as_const(data.operands[n])?.wide();
    let farthest = |ways: [Value; 2]| ways.into_iter().filter_map(moved).max_by_key(|by| by.abs());
    match data.code {
        Code::Add | Code::WrappingAdd => Some(moved(data.operands[0])? + by(1)?),
        Code::Sub | Code::WrappingSub => Some(moved(data.operands[0])? - by(1)?),
        Code::Select => farthest([data.operands[1], data.operands[2]]),
        Code::If => {
            let side = |n: usize| kernel.regions[data.regions[n]].yields.get(number as usize).copied();
            farthest([side(0)?, side(1)?])
        }
        _ => None,
    }
}
