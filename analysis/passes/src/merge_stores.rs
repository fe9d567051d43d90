//! Stores of both sides of a branch to the same cells: `if a[i] > 0: b[i] = x` and `else: b[i] = y` are stores under
//! two masks, one the complement of the other. If nothing between them can observe the difference, they become one
//! store of the values that the lanes chose.
//!
//! ```text
//! masked_store(b, i, x, c)
//! masked_store(b, i, y, ~c)           vector_store(b, i, select(c, x, y))
//! ```

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
        let mut at = 0;
        while at < kernel.regions[region].ops.len() {
            match later_store(kernel, region, at) {
                Some((later, outer)) => {
                    merge(kernel, region, at, later, outer);
                    changed = true;
                }
                None => at += 1,
            }
        }
    }
    changed
}

/// The store that can do what an earlier one does, and the lanes that both have together; nothing for all of them.
fn later_store(kernel: &Kernel, region: Region, at: usize) -> Option<(Op, Option<Value>)> {
    let ops = &kernel.regions[region].ops;
    let first = ops[at];
    if kernel.ops[first].code != Code::MaskedStore {
        return None;
    }
    for &later in &ops[at + 1..] {
        if let Some(outer) = complement(kernel, first, later) {
            return Some((later, outer));
        }
        if could_tell(kernel, first, later) {
            return None;
        }
    }
    None
}

/// Says whether an op between two stores could tell that the first one has not been done.
fn could_tell(kernel: &Kernel, store: Op, between: Op) -> bool {
    let data = &kernel.ops[between];
    match data.code.row().effect {
        EffectRule::Inside => true,
        EffectRule::Reads | EffectRule::Writes => {
            let (stored, touched) = (kernel.root(kernel.ops[store].operands[0]), kernel.root(data.operands[0]));
            let may_overlap = |array: Value| kernel.marks.alias.iter().any(|&(a, b)| a == array || b == array);
            stored == touched || may_overlap(stored) && may_overlap(touched)
        }
        _ => !data.regions.is_empty(),
    }
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

/// Makes the later one of two stores do what both do.
fn merge(kernel: &mut Kernel, region: Region, at: usize, later: Op, outer: Option<Value>) {
    let first = kernel.regions[region].ops.remove(at);
    let n_cells = kernel.ops[first].operands.len() - 2;
    let [stored, mask] = [0, 1].map(|number| kernel.ops[first].operands[n_cells + number]);
    let data = kernel.ops[later].clone();
    let sides: Values = smallvec![mask, stored, data.operands[n_cells]];
    let elem = kernel.ty(stored).data_elem().expect("what is stored is data");
    let ty = ir::Type::Data { elem, lanes: kernel.ty(mask).lanes() };
    let choice = kernel.add_op(Code::Select, Attr::None, sides, &[ty], data.origin);
    let chosen = kernel.ops[choice].results[0];
    let place = kernel.regions[region].ops.iter().position(|&op| op == later).expect("the block lists the store");
    kernel.regions[region].ops.insert(place, choice);
    let store = &mut kernel.ops[later];
    store.operands[n_cells] = chosen;
    match outer {
        Some(outer) => store.operands[n_cells + 1] = outer,
        None => {
            store.operands.pop();
            store.code = Code::VectorStore;
        }
    }
}
