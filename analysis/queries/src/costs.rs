//! What the loops of a kernel cost on a target, by the table that the passes decide by.
//!
//! Only for the target that questions are about it is kept: who looks at a loop comes back to it.

use std::sync::Arc;

use report::TextRange;
use report::lanes::LoopCost;
use rustc_hash::FxHashMap;

use crate::db::{Item, made_for};
use crate::lowering::{sequential, verdicts};
use crate::stage_cache::finished;
use crate::stages::places;
use ir::{Code, Kernel};
use passes::estimate::loop_costs;
use passes::pipeline::Options;
use passes::turns::steps;

/// The cost of a loop, with places of the file.
pub type PlacedCost = LoopCost<TextRange>;

/// The costs of a kernel's loops, with places by their numbers.
type Numbered = Vec<Option<LoopCost<u32>>>;

/// The cost of each loop of a kernel, in the order of its [facts](crate::lanes::of_kernel); `None` for one that is gone behind all passes.
/// Nothing for a kernel with errors. A loop that runs as one with another one has the cost of that.
pub fn of_kernel(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Vec<Option<PlacedCost>> {
    let in_file = places(db, item);
    let place = |place: &u32| in_file.get(*place as usize).copied().flatten();
    let placed = |costs: &Numbered| costs.iter().map(|cost| Some(cost.as_ref()?.map(&place))).collect();
    if options == made_for(db) { placed(here(db, item)) } else { placed(&find(db, item, options)) }
}

/// The costs for the target that [questions are about](crate::db::made_for).
#[salsa::tracked]
fn here<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Numbered> {
    Arc::new(find(db, item, made_for(db)))
}

fn find(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Numbered {
    let lowering = sequential(db, item);
    let sound = lowering.kernel.as_ref().filter(|_| lowering.is_sound && lowering.findings.is_empty());
    // What was not understood has no cost.
    let is_whole = |kernel: &&Arc<Kernel>| {
        let mut is_whole = true;
        kernel.walk(kernel.body, &mut |_, op| is_whole &= kernel.ops[op].code != Code::Unknown);
        is_whole
    };
    let sound = sound.filter(is_whole);
    let Some((kernel, last)) = sound.zip(finished(db, item, options)) else { return Vec::new() };
    let costs: FxHashMap<u32, LoopCost<u32>> =
        loop_costs(&last.kernel, options.target, &steps(kernel)).into_iter().collect();
    let of_loop = |op| {
        let own = kernel.origins[kernel.ops[op].origin].place;
        let cost = |of: u32| costs.get(&of).cloned();
        cost(own).or_else(|| cost(last.outcomes.runs_as(own)?))
    };
    verdicts(db, item).list.iter().map(|known| of_loop(known.op)).collect()
}
