//! The upper limits of this machine, bytes of memory and float operations a second, and its clock, measured by kernels of our own.

use ir::interp::Inputs;
use ir::{Kernel, Target};

/// A kernel that is limited by one thing only, what to run it on, and how much of that thing a run takes.
pub struct Ceiling {
    /// The kernel that is measured.
    pub kernel: Kernel,
    /// The inputs that it is run on.
    pub inputs: Inputs,
    /// Bytes that a run moves, or operations that it makes.
    pub amount: f64,
}

/// Cells of the arrays that bandwidth is measured on: far more than caches hold.
const CELLS: usize = 1 << 24;
/// Cells that are copied at least, in one run: enough that its start does not count.
const COPIED: usize = 1 << 18;
/// Rounds of the loop that operations are counted in.
const ROUNDS: i32 = 1 << 16;
/// The number of chains of dependent operations: enough to keep every unit busy.
const CHAINS: usize = 10;

/// Copying arrays that are far larger than the caches: two accesses a cell.
pub fn bandwidth(target: &Target) -> Option<Ceiling> {
    copy(target, CELLS)
}

/// Copying arrays that are as large together as this many bytes, so that they lie where other data of that size does; again
/// and again, until that takes long enough to be measured.
pub fn bandwidth_of(target: &Target, bytes: usize) -> Option<Ceiling> {
    let lanes = usize::from(target.lanes_for(4));
    copy(target, (bytes / 8 / lanes * lanes).clamp(lanes, CELLS))
}

fn copy(target: &Target, cells: usize) -> Option<Ceiling> {
    let text = "\
kernel copy(from: f32[n], to: f32[n], n: i32, rounds: i32):
    for round in range(0, rounds):
        vector_for base in range(0, n, LANES):
            vector_store(to, base, vector_load(from, base, lanes=LANES))
";
    let lanes = target.lanes_for(4);
    let text = text.replace("lanes=LANES", &format!("lanes={lanes}"));
    let kernel = ir::read(&text, Some(lanes)).ok()?.pop()?;
    let sizes = [cells as i64];
    let rounds = (COPIED / cells).max(1);
    let bytes = || vec![0; 4 * cells];
    let inputs = Inputs::new().bytes(bytes(), &sizes).bytes(bytes(), &sizes).scalar(cells as i32).scalar(rounds as i32);
    Some(Ceiling { kernel, inputs, amount: 8.0 * (cells * rounds) as f64 })
}

/// Many independent chains of `a * b + c` in registers: two operations a lane.
pub fn operations(target: &Target) -> Option<Ceiling> {
    let lanes = target.lanes_for(4);
    let names: Vec<String> = (0..CHAINS).map(|chain| format!("c{chain}")).collect();
    let starts: Vec<String> = names.iter().map(|name| format!("{name} = splat(x, lanes={lanes})")).collect();
    let steps: Vec<String> = names.iter().map(|name| format!("mul_add({name}, y, x)")).collect();
    let sum = (1..CHAINS).fold("r0".to_owned(), |sum, chain| format!("({sum} + r{chain})"));
    let results: Vec<String> = (0..CHAINS).map(|chain| format!("r{chain}")).collect();
    let text = format!(
        "kernel peak(x: f32, y: f32, n: i32) -> f32:\n    let {} = for i in range(0, n) with {}:\n        yield {}\n    \
         return reduce_add({sum})\n",
        results.join(", "),
        starts.join(", "),
        steps.join(", ")
    );
    let kernel = ir::read(&text, Some(lanes)).ok()?.pop()?;
    let inputs = Inputs::new().scalar(0.5f32).scalar(0.25f32).scalar(ROUNDS);
    let amount = f64::from(ROUNDS) * (CHAINS * usize::from(lanes) * 2) as f64;
    Some(Ceiling { kernel, inputs, amount })
}

/// Cycles of an iteration of the loop that the clock is read off: two operations, each of which waits for the one before.
const CYCLES_OF_CHAIN: f64 = 2.0;

/// A chain of integer operations that take a cycle each on any processor of today: as many cycles as it has operations.
pub fn clock() -> Option<Ceiling> {
    let text = "\
kernel clock(x: u64, n: i32) -> u64:
    let r = for i in range(0, n) with s = x:
        yield ((s ^ u64(i)) +% x)
    return r
";
    let kernel = ir::read(text, None).ok()?.pop()?;
    let inputs = Inputs::new().scalar(3u64).scalar(16 * ROUNDS);
    Some(Ceiling { kernel, inputs, amount: CYCLES_OF_CHAIN * f64::from(16 * ROUNDS) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_each() {
        for target in ir::target::TARGETS {
            assert!(bandwidth(target).is_some(), "{}", target.name);
            for bytes in [0, 100, 1 << 15, 1 << 40] {
                assert!(bandwidth_of(target, bytes).is_some(), "{}", target.name);
            }
            assert!(operations(target).is_some(), "{}", target.name);
        }
        assert!(clock().is_some());
    }
}
