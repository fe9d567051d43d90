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

use super::load_reuse::opposite;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, EffectRule};
use ir::program::{Attr, Kernel, Values};

/// Makes one store of two; says whether there are any.
pub fn merge_stores(kernel: &mut Kernel) -> bool {
    let mut regions = vec![kernel.body];
    kernel.walk(kernel.body, &mut |_, op| regions.extend(&kernel.ops[op].regions));
    regions.into_iter().map(|region| merge_in(kernel, region)).fold(false, |a, b| a | b)
}

/// Makes one store of two in a block.
fn merge_in(kernel: &mut Kernel, region: Region) -> bool {
    let (mut gone, mut choices) = (FxHashSet::default(), FxHashMap::default());
    for (first, later) in followed(kernel, region) {
        if let Some(outer) = complement(kernel, first, later) {
            gone.insert(first);
            choices.insert(later, merge(kernel, first, later, outer));
        }
    }
    if gone.is_empty() {
        return false;
    }
    let ops = std::mem::take(&mut kernel.regions[region].ops);
    // A store that has become another's may have become of one before it.
    let kept = |op: Op| choices.get(&op).copied().into_iter().chain(Some(op).filter(|op| !gone.contains(op)));
    kernel.regions[region].ops = ops.into_iter().flat_map(kept).collect();
    true
}

/// The masked stores of a block, in order, each with the first op behind it that could tell that it has not been done, if that is an
/// access.
fn followed(kernel: &Kernel, region: Region) -> Vec<(Op, Op)> {
    let ops = &kernel.regions[region].ops;
    if !ops.iter().any(|&op| kernel.ops[op].code == Code::MaskedStore) {
        return Vec::new();
    }
    // Of arrays that may overlap one, each may overlap all.
    let overlapping: FxHashSet<Value> = kernel.marks.alias.iter().flat_map(|&(a, b)| [a, b]).collect();
    let key = |array: Value| (!overlapping.contains(&array)).then_some(array);
    let mut next: FxHashMap<Option<Value>, Op> = FxHashMap::default();
    let mut found = Vec::new();
    for &op in ops.iter().rev() {
        let data = &kernel.ops[op];
        match data.code.row().effect {
            EffectRule::Reads | EffectRule::Writes => {
                let behind = next.insert(key(kernel.root(data.operands[0])), op);
                found.extend(behind.filter(|_| data.code == Code::MaskedStore).map(|behind| (op, behind)));
            }
            EffectRule::Inside => next.clear(),
            _ if !data.regions.is_empty() => next.clear(),
            _ => {}
        }
    }
    found.reverse();
    found
}

/// The lanes that two stores to the same cells have together (nothing: all), if no lane has both.
fn complement(kernel: &Kernel, first: Op, later: Op) -> Option<Option<Value>> {
    let (a, b) = (&kernel.ops[first], &kernel.ops[later]);
    let n_cells = a.operands.len() - 2;
    if b.code != Code::MaskedStore || b.operands.len() != n_cells + 2 || a.operands[..n_cells] != b.operands[..n_cells]
    {
        return None;
    }
    opposite(kernel, a.operands[n_cells + 1], b.operands[n_cells + 1])
}

/// Makes the later one of two stores do what both do; gives the choice of what it stores, which stands before it.
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
