//! Cells that a block knows: what it loaded or stored before is not loaded again, and what it stores again before anybody looks is not
//! stored.
//!
//! ```text
//! a[0] = x
//! a[1] = y                    a[1] = y
//! b[0] = a[0] + a[1]          b[0] = x + y
//! a[0] = z                    a[0] = z
//! ```
//!
//! `load_reuse` does the former for whole kernels, and forgets an array at each store to it. Here the places of cells are compared, so that stores
//! to other cells do not count. What a stretch of statements hands to the next one through an array would keep the two apart.

use rustc_hash::FxHashMap;

use super::block::{self, Block};
use super::{may_have_packs, regions_in_order};
use crate::decision::{Decision, Told};
use crate::{Context, replace, replaced};
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::Kernel;

/// Drops what is loaded or stored once more; says whether there is any of it.
pub(super) fn forward(kernel: &mut Kernel, context: &mut Context) -> bool {
    let loads = drop_accesses(kernel, context, known_loads);
    let stores = drop_accesses(kernel, context, overwritten_stores);
    loads || stores
}

/// An access of a block that is not done, by its number there, and the one that has its value for it.
type Dropped = (usize, usize);

/// Drops the accesses of all blocks that a function finds; says whether there are any.
fn drop_accesses(kernel: &mut Kernel, context: &mut Context, find: fn(&Block, &Effects) -> Vec<Dropped>) -> bool {
    let forest = LoopForest::of(kernel);
    let mut regions = regions_in_order(kernel);
    regions.retain(|&region| may_have_packs(kernel, &forest, region, context.options.target));
    let facts = facts::facts_of_values(kernel, &[]);
    let effects = Effects::of(kernel);
    let visible = EntityVec::filled(kernel.values.len(), true);
    let mut found: Vec<(Region, Op, Op)> = Vec::new();
    for region in regions {
        for ops in block::windows(kernel, region) {
            let block = Block::new(kernel, &facts, &effects, (region, ops), (&forest, &visible));
            found.extend(find(&block, &effects).into_iter().map(|(op, by)| (region, block.ops[op], block.ops[by])));
        }
    }
    let mut new = EntityVec::filled(kernel.values.len(), None);
    let mut decisions = Told::default();
    for &(region, op, by) in &found {
        kernel.regions[region].ops.retain(|&other| other != op);
        let origin = kernel.ops[op].origin;
        if kernel.ops[op].code == Code::Store {
            context.outcomes.was_dropped(kernel, op);
            let because = vec!["its cell is stored to again, and nothing loads it in between".into()];
            decisions.push(Decision::taken(origin, ReasonCode::StoredAgain, because));
            continue;
        }
        context.outcomes.was_reused(kernel, op);
        let data = &kernel.ops[by];
        let known = match data.code {
            Code::Store => *data.operands.last().expect("a store has a value"),
            _ => data.results[0],
        };
        let known = replaced(&new, known);
        let result = kernel.ops[op].results[0];
        replace(kernel, &mut new, result, known);
        if !decisions.is_about(origin) {
            let because = vec!["its cells were loaded or stored shortly before".into()];
            decisions.push(Decision::taken(origin, ReasonCode::LoadedBefore, because));
        }
    }
    kernel.replace_uses(&new);
    decisions.into_list().into_iter().for_each(|decision| context.decide(decision));
    !found.is_empty()
}

/// The loads of cells that were loaded or stored before, with the access that was the last one.
fn known_loads(block: &Block, effects: &Effects) -> Vec<Dropped> {
    let mut last: FxHashMap<_, usize> = FxHashMap::default();
    let mut found = Vec::new();
    for (number, cell) in block.cells.iter().enumerate() {
        let Some(cell) = cell else { continue };
        let own = (cell.base, cell.elem, cell.at);
        if !cell.stores
            && let Some(&known) = last.get(&own)
            && block.waits[number].iter().all(|&other| other <= known || !may_write(block, effects, other))
        {
            found.push((number, known));
        } else {
            last.insert(own, number);
        }
    }
    found
}

/// The stores to cells that are stored to again, with the later store, where nothing in between looks at the cell or has to keep its place.
fn overwritten_stores(block: &Block, _: &Effects) -> Vec<Dropped> {
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); block.ops.len()];
    for (number, earlier) in block.waits.iter().enumerate() {
        earlier.iter().for_each(|&earlier| waiting[earlier].push(number));
    }
    let stored = |number: usize| block.cells[number].filter(|cell| cell.stores);
    let mut found = Vec::new();
    for (number, after) in waiting.iter().enumerate() {
        let (Some(cell), [next]) = (stored(number), &after[..]) else { continue };
        if stored(*next) == Some(cell) {
            found.push((number, *next));
        }
    }
    found
}

/// Says whether an op may change memory, or has to keep its place among those that do.
fn may_write(block: &Block, effects: &Effects, number: usize) -> bool {
    let op = block.ops[number];
    let code = block.kernel.ops[op].code;
    code != Code::Load && !code.is_elementwise() && effects.effect(op) != Effect::Pure
}
