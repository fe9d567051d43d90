//! Stores of both sides of a branch to the same cells: `if a[i] > 0: b[i] = x` and `else: b[i] = y` are stores under
//! two masks, one the complement of the other. If nothing between them can observe the difference, they become one
//! store of the values that the lanes chose.
//!
//! ```text
//! masked_store(b, i, x, c)
//! masked_store(b, i, y, ~c)           vector_store(b, i, select(c, x, y))
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, EffectRule};
use ir::program::{Attr, Kernel, Values};

/// Makes one store of two; says whether there are any.
pub fn merge_stores(kernel: &mut Kernel) -> bool {
    let mut regions = vec![kernel.body];
    kernel.walk(kernel.body, &mut |_, op| regions.extend(&kernel.ops[op].regions));
    let mut changed = false;
    for region in regions {
        changed |= merge_in(kernel, region);
    }
    changed
}

/// Makes one store of two in a block.
fn merge_in(kernel: &mut Kernel, region: Region) -> bool {
    let ops = kernel.regions[region].ops.clone();
    let meeting = next_meeting(kernel, &ops);
    let mut left_out: FxHashSet<Op> = FxHashSet::default();
    let mut choices: FxHashMap<Op, Vec<Op>> = FxHashMap::default();
    for (&first, later) in ops.iter().zip(meeting) {
        let Some(later) = later else { continue };
        if let Some(outer) = complement(kernel, first, later) {
            choices.entry(later).or_default().push(merge(kernel, first, later, outer));
            left_out.insert(first);
        }
    }
    if left_out.is_empty() {
        return false;
    }
    let kept = ops.into_iter().filter(|op| !left_out.contains(op));
    kernel.regions[region].ops =
        kept.flat_map(|op| choices.remove(&op).unwrap_or_default().into_iter().chain([op])).collect();
    true
}

/// For each masked store of a block the next op that could tell that it has not been done, or can do what it does.
fn next_meeting(kernel: &Kernel, ops: &[Op]) -> Vec<Option<Op>> {
    let may_overlap = |array: Value| kernel.marks.alias.iter().any(|&(a, b)| a == array || b == array);
    // The last ones that were met, going backwards: of each array, of arrays that may overlap others, and with more inside.
    let mut of_array: FxHashMap<Value, usize> = FxHashMap::default();
    let (mut overlapping, mut inside): (Option<usize>, Option<usize>) = (None, None);
    let mut meeting = vec![None; ops.len()];
    for (number, &op) in ops.iter().enumerate().rev() {
        let data = &kernel.ops[op];
        match data.code.row().effect {
            EffectRule::Inside => inside = Some(number),
            EffectRule::Reads | EffectRule::Writes => {
                let array = kernel.root(data.operands[0]);
                let overlaps = may_overlap(array);
                if data.code == Code::MaskedStore {
                    let others = overlapping.filter(|_| overlaps);
                    let met = [of_array.get(&array).copied(), others, inside];
                    meeting[number] = met.into_iter().flatten().min().map(|number| ops[number]);
                }
                of_array.insert(array, number);
                if overlaps {
                    overlapping = Some(number);
                }
            }
            _ if data.regions.is_empty() => {}
            _ => inside = Some(number),
        }
    }
    meeting
}

/// The lanes that two stores to the same cells have together (nothing: all), if no lane has both.
fn complement(kernel: &Kernel, first: Op, later: Op) -> Option<Option<Value>> {
    let (a, b) = (&kernel.ops[first], &kernel.ops[later]);
    let n_cells = a.operands.len() - 2;
    if b.code != Code::MaskedStore || b.operands.len() != n_cells + 2 || a.operands[..n_cells] != b.operands[..n_cells]
    {
        return None;
    }
    let (a, b) = (a.operands[n_cells + 1], b.operands[n_cells + 1]);
    let made = |value: Value, code: Code| {
        kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == code).map(|data| &data.operands)
    };
    let are_opposite = |a: Value, b: Value| {
        let negates = |a: Value, b: Value| made(b, Code::Not).is_some_and(|operands| operands[0] == a);
        negates(a, b) || negates(b, a)
    };
    if are_opposite(a, b) {
        return Some(None);
    }
    let (a, b) = (made(a, Code::And)?, made(b, Code::And)?);
    let both = (0..2).flat_map(|m| (0..2).map(move |n| (m, n)));
    both.into_iter().find(|&(m, n)| a[m] == b[n] && are_opposite(a[1 - m], b[1 - n])).map(|(m, _)| Some(a[m]))
}

/// Makes the later one of two stores do what both do; gives the op that chooses what it stores.
fn merge(kernel: &mut Kernel, first: Op, later: Op, outer: Option<Value>) -> Op {
    let n_cells = kernel.ops[first].operands.len() - 2;
    let [stored, mask] = [0, 1].map(|number| kernel.ops[first].operands[n_cells + number]);
    let data = kernel.ops[later].clone();
    let sides: Values = smallvec![mask, stored, data.operands[n_cells]];
    let elem = kernel.ty(stored).data_elem().expect("what is stored is data");
    let ty = ir::Type::Data { elem, lanes: kernel.ty(mask).lanes() };
    let choice = kernel.add_op(Code::Select, Attr::None, sides, &[ty], data.origin);
    let chosen = kernel.ops[choice].results[0];
    let store = &mut kernel.ops[later];
    store.operands[n_cells] = chosen;
    match outer {
        Some(outer) => store.operands[n_cells + 1] = outer,
        None => {
            store.operands.pop();
            store.code = Code::VectorStore;
        }
    }
    choice
}
