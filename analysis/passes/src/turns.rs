//! Turns of loops: how many iterations of the source's loop one turn of a loop behind the passes does.
//!
//! ```text
//! for i in range(n):                                   a step of 1
//!     ...
//! vector_for base in range(0, n, (LANES * 4)):         8 lanes, and 4 groups of them in a turn: 32 iterations
//!     ...
//! ```
//!
//! Machine code is counted by it, and so are estimates of cost.

use facts::counting::index_of_while;
use ir::entities::{Op, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Def, Kernel};

/// The number of iterations of the source's loop that a turn of a loop of the kernel does: its lanes, and how many steps
/// of the source's it takes at once. `steps` are those of the source's loops, as [`steps`] finds them before any pass.
pub fn iterations_a_turn(kernel: &Kernel, op: Op, steps: &[(u32, i64)]) -> u64 {
    let lanes = kernel.control(op).and_then(|control| control.width).unwrap_or(1);
    let origin = kernel.origins[kernel.ops[op].origin].place;
    let step = advance(kernel, op);
    let of_source = steps.iter().find(|(place, _)| *place == origin).map(|(_, step)| i128::from(*step));
    let groups = match (step, of_source) {
        (Some(step), Some(of_source)) if of_source != 0 && step % of_source == 0 => step / of_source,
        _ => 1,
    };
    u64::from(lanes).saturating_mul(u64::try_from(groups).unwrap_or(1))
}

/// The step of each loop of a kernel in order, by its place, if it is known: the steps that [`iterations_a_turn`] is given.
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
