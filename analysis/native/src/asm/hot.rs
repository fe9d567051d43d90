//! Hot loops: for each innermost loop of the source, the loop of the machine code that does most of its iterations a turn.
//!
//! One loop of the source becomes several: the main loop, one for what is left of whole groups, a tail with a mask. The main
//! loop does the most iterations a turn, and on enough data the others do not matter. In `for i in range(n)` with 16 lanes
//! in 4 interleaved groups a turn does 64 iterations. If one of those is a `while`, or a loop of its own in each lane, its
//! turns are counted as one of each lane's. A loop that is left early runs in blocks: a `while` whose index advances by a
//! block each turn. And where a rare case has a loop of its own in a turn, as the in-order path has that a maximum takes for a block
//! with a NaN, the main loop is what is around that.

use ir::{Kernel, LoopForest, Op};
use passes::turns::iterations_a_turn;

use super::counts::Counts;
use super::critical::{LoopEstimate, estimate};
use super::mark::Mark;
use super::{Function, InnerLoop};
use crate::emit::Source;

pub use passes::turns::steps;

/// A hot loop.
#[derive(Debug, Clone, PartialEq)]
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
    /// The estimate of a turn; else the reason why there is no estimate, as the end of a sentence.
    pub estimate: Result<LoopEstimate, String>,
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
                iterations = iterations.saturating_mul(iterations_a_turn(kernel, op, &source.steps));
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

/// A loop of a source whose instructions have its number as their mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedLoop {
    /// The line of the source's loop.
    pub line: u32,
    /// The number of its iterations that a turn of a loop does which LLVM has not unrolled.
    pub iterations: u64,
}

/// The hot loops of a function whose marks are numbers of `loops`, in the order of the source's text. Of several loops that do as many
/// iterations a turn, the first is hot.
pub fn marked_hot_loops(function: &Function, loops: &[MarkedLoop]) -> Vec<Hot> {
    let mut found: Vec<(u32, Hot)> = Vec::new();
    for inner in &function.inner_loops {
        let Some(mark) = mark_of(function, inner) else { continue };
        let Some(marked) = loops.get(mark.number as usize) else { continue };
        let hot = hot(function, inner, marked.iterations.saturating_mul(mark.copies.into()), Some(marked.line));
        match found.iter_mut().find(|(number, _)| *number == mark.number) {
            Some((_, known)) if known.iterations >= hot.iterations => {}
            Some((_, known)) => *known = hot,
            None => found.push((mark.number, hot)),
        }
    }
    found.sort_by_key(|(number, hot)| (hot.source_line, *number));
    found.into_iter().map(|(_, hot)| hot).collect()
}

fn hot(function: &Function, inner: &InnerLoop, iterations: u64, source_line: Option<u32>) -> Hot {
    let lines = inner.lines.iter().map(|&at| &function.lines[at]);
    let instructions = lines.clone().filter(|line| line.kind.is_some()).count();
    let mut counts = Counts::default();
    lines.for_each(|line| counts += line.counts);
    let estimate = estimate(&function.lines, &inner.lines, function.family);
    Hot { source_line, iterations, instructions, counts, lines: inner.lines.clone(), estimate }
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
