//! Registers: a small array becomes one value for each cell, where all subscripts are known.
//!
//! ```text
//! for i in range(n):                     for i in range(n):
//!     let w = temp(3)                        out[i] = (a[i] + a[(i + 1)])
//!     for k in range(2):
//!         w[k] = a[(i + k)]
//!     out[i] = (w[0] + w[1])
//! ```
//!
//! Loops whose indices are part of the subscripts are unrolled first, if they are short. Cells are stored to in the block of the array
//! alone; they are loaded there and in all blocks inside. A loop around the array can run as lanes then, since no iteration has an array
//! of its own any more.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::Scalar;
use ir::uses::{Use, Uses};

use crate::decision::Decision;
use crate::{Context, Replacements, fold, unroll};

/// The largest number of cells that values are kept for.
const MOST_CELLS: i128 = 64;

/// The largest number of ops that unrolling may make of the loops over one array.
const MOST_OPS: i128 = 1_024;

/// Keeps small arrays in registers; says whether there are any.
pub fn registers(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut arrays = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        if kernel.ops[op].code == Code::Temp {
            arrays.push((region, op));
        }
    });
    let mut changed = false;
    for (home, op) in arrays {
        let Some(sizes) = sizes(kernel, op) else { continue };
        let Some(loops) = loops_over(kernel, home, op) else { continue };
        let mut trial = kernel.clone();
        for (region, inner, rounds) in loops {
            unroll::write_out(&mut trial, region, inner, &rounds);
        }
        fold(&mut trial, context);
        // A block whose condition folding has found is no block of its own any more.
        let Some(home) = home_of(&trial, op) else { continue };
        if !promote_cells(&mut trial, home, op, &sizes) {
            continue;
        }
        let words = "each of its cells is a value, since all subscripts are known";
        context.decide(Decision::taken(kernel.ops[op].origin, ReasonCode::ArrayInRegisters, vec![words.into()]));
        *kernel = trial;
        changed = true;
    }
    changed
}

/// The block that an op stands in now.
fn home_of(kernel: &Kernel, op: Op) -> Option<Region> {
    let mut home = None;
    kernel.walk(kernel.body, &mut |region, inner| {
        if inner == op {
            home = Some(region);
        }
    });
    home
}

/// The sizes of a small array.
fn sizes(kernel: &Kernel, op: Op) -> Option<Vec<i128>> {
    let sizes = kernel.ops[op].operands.iter().map(|&size| kernel.as_const(size)?.wide());
    let sizes = sizes.collect::<Option<Vec<_>>>()?;
    let count = sizes.iter().try_fold(1, |count: i128, size| count.checked_mul(*size))?;
    (1..=MOST_CELLS).contains(&count).then_some(sizes)
}

/// The loops whose indices are part of an array's subscripts, inner ones first, with the index in each round. `None` if the array cannot
/// be kept in registers.
fn loops_over(kernel: &Kernel, home: Region, op: Op) -> Option<Vec<(Region, Op, Vec<Scalar>)>> {
    let (uses, forest) = (Uses::of(kernel), LoopForest::of(kernel));
    let mut found: FxHashSet<Op> = FxHashSet::default();
    for user in uses.users(kernel.ops[op].results[0]) {
        let Use::Operand(user, 0) = *user else { return None };
        let data = &kernel.ops[user];
        let n_indices = kernel.ops[op].operands.len();
        match data.code {
            Code::Load | Code::Store => {}
            Code::Size => continue,
            _ => return None,
        }
        let mut waiting: Vec<Value> = data.operands[1..=n_indices].to_vec();
        let mut seen = FxHashSet::default();
        while let Some(value) = waiting.pop().filter(|_| seen.len() < 64) {
            if !seen.insert(value) {
                continue;
            }
            match kernel.values[value].def {
                Def::Const(_) => {}
                Def::Result(inner, _) if kernel.ops[inner].code.is_elementwise() => {
                    waiting.extend(&kernel.ops[inner].operands);
                }
                Def::Arg(region, 0) => {
                    let owner = forest.owner(region).filter(|&owner| kernel.ops[owner].code == Code::For)?;
                    found.insert(owner);
                }
                _ => return None,
            }
        }
    }
    let mut inside = Vec::new();
    kernel.walk(home, &mut |region, inner| inside.extend(found.remove(&inner).then_some((region, inner))));
    // The index of a loop around the array is not known, however often that runs.
    if !found.is_empty() {
        return None;
    }
    let rounds = |&(region, inner): &(Region, Op)| Some((region, inner, rounds(kernel, inner)?));
    let loops = inside.iter().rev().map(rounds).collect::<Option<Vec<_>>>()?;
    let n_ops = |outer: Op| {
        let of_nest = loops.iter().filter(|(_, inner, _)| *inner == outer || forest.encloses(outer, *inner));
        let n_rounds: i128 = of_nest.map(|(_, _, rounds)| rounds.len() as i128).product();
        kernel.count_inside(outer) as i128 * n_rounds
    };
    loops.iter().all(|(_, outer, _)| n_ops(*outer) <= MOST_OPS).then_some(loops)
}

/// The index in each round of a loop, if these are known.
fn rounds(kernel: &Kernel, op: Op) -> Option<Vec<Scalar>> {
    let data = &kernel.ops[op];
    data.attr.as_control().filter(|control| control.reductions.is_empty() && !control.marks.simd)?;
    let [lo, hi, step] = [0, 1, 2].map(|bound| kernel.as_const(data.operands[bound]));
    let (lo, hi, step) = (lo?, hi?.wide()?, step?.wide()?);
    let (first, elem) = (lo.wide()?, lo.elem());
    let span = if step > 0 { hi - first + step - 1 } else { hi - first + step + 1 };
    let count = span.checked_div(step)?.max(0);
    (count <= MOST_CELLS).then(|| (0..count).map(|round| Scalar::wrap(elem, first + round * step)).collect())
}

/// Replaces loads of a small array by the values that were stored, and removes it; says whether that was possible.
fn promote_cells(kernel: &mut Kernel, home: Region, array: Op, sizes: &[i128]) -> bool {
    let Some(elem) = kernel.ty(kernel.ops[array].results[0]).elem() else { return false };
    let zero = kernel.constant(Scalar::zero(elem));
    let cell = |kernel: &Kernel, op: Op| -> Option<i128> {
        let operands = &kernel.ops[op].operands[1..=sizes.len()];
        operands.iter().zip(sizes).try_fold(0, |cell, (&index, size)| {
            let index = kernel.as_const(index)?.wide().filter(|index| (0..*size).contains(index))?;
            Some(cell * size + index)
        })
    };
    promote(kernel, home, array, Some(zero), &cell)
}

/// Replaces loads of an array's cells by the values that were stored in a block, and removes the array; says whether that was possible.
/// Cells have numbers; one that nothing was stored to yet is what it starts as, if that is known.
pub(super) fn promote(
    kernel: &mut Kernel,
    block: Region,
    array: Op,
    unset: Option<Value>,
    cell: &impl Fn(&Kernel, Op) -> Option<i128>,
) -> bool {
    let view = kernel.ops[array].results[0];
    let mut cells: FxHashMap<i128, Value> = FxHashMap::default();
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    let mut gone: FxHashSet<Op> = [array].into_iter().collect();
    let mut fits = true;
    for op in kernel.regions[block].ops.clone() {
        let data = &kernel.ops[op];
        if data.code == Code::Store && data.operands[0] == view {
            let stored = data.operands[data.operands.len() - 1];
            match cell(kernel, op) {
                Some(cell) => _ = cells.insert(cell, stored),
                None => return false,
            }
            gone.insert(op);
            continue;
        }
        let mut look = |inner: Op| {
            let data = &kernel.ops[inner];
            if data.operands.first() != Some(&view) || inner == array {
                return;
            }
            match data.code {
                Code::Load => match cell(kernel, inner).and_then(|cell| cells.get(&cell).copied().or(unset)) {
                    Some(value) => {
                        new[data.results[0]] = Some(value);
                        gone.insert(inner);
                    }
                    None => fits = false,
                },
                Code::Size => {
                    let Attr::Number(_) = data.attr else { return };
                    fits = false;
                }
                // A store inside of a block, of which it is not known whether it happens.
                _ => fits = false,
            }
        };
        look(op);
        kernel.walk_inside(op, &mut look);
        if !fits {
            return false;
        }
    }
    for region in kernel.regions.values_mut() {
        region.ops.retain(|op| !gone.contains(op));
    }
    // A stored value may itself be the result of a load that is replaced.
    kernel.replace_uses(&new);
    true
}
