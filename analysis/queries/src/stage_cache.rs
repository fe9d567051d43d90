//! The stages of kernels, kept for those that were looked at last.
//!
//! The stages of a kernel take several times the memory of all else that is known about it, and are wanted of the few that
//! somebody looks at. So only the kernels that were looked at last keep them, and each for the few targets that were asked for last.
//! Questions about all kernels of a file keep what follows from the stages instead.

use std::sync::{Arc, Mutex, PoisonError};

use ir::{CancelToken, Kernel};
use passes::pipeline::{Broken, Options, Reached};
use passes::{Context, Outcomes, pipeline};

use super::db::{Item, equal_kernels, made_for};
use super::lowering::{arrays, sequential, verdicts};

/// The number of options for which a kernel keeps its stages.
const N_KEPT: usize = 4;

/// The stages of a kernel, for the options that they were asked for. Not a query of two keys: salsa keeps each pair of keys that
/// is asked for from outside of a query for as long as the database lives, also when the item is long gone.
#[derive(Debug, Default)]
struct StageCache(Mutex<Vec<(Options, Arc<Vec<Reached>>)>>);

/// The stage cache of a kernel, empty whenever the kernel is another one.
#[salsa::tracked(lru = 32, no_eq)]
fn stage_cache<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<StageCache> {
    let _ = (sequential(db, item), verdicts(db, item));
    Arc::default()
}

impl StageCache {
    fn find(&self, options: Options) -> Option<Arc<Vec<Reached>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| *known == options).map(|(_, reached)| reached.clone())
    }

    fn put(&self, options: Options, reached: &Arc<Vec<Reached>>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| *known != options);
        kept.truncate(N_KEPT - 1);
        kept.insert(0, (options, reached.clone()));
    }
}

/// A kernel at each stage of Lane IR, in the order of [the pipeline](passes::pipeline::pipeline). Empty for an item that is no kernel.
pub fn reached(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Arc<Vec<Reached>> {
    let cache = stage_cache(db, item);
    // Two who ask at the same time both work it out, and come to the same: neither holds the other up.
    cache.find(options).unwrap_or_else(|| {
        let reached = Arc::new(reach(db, item, options));
        cache.put(options, &reached);
        reached
    })
}

/// A kernel behind all passes. Where its stages are not kept, they are not kept for it, either: who compares all targets would push out those
/// that somebody looks at.
pub fn finished(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Option<Reached> {
    let kept = stage_cache(db, item).find(options).unwrap_or_else(|| Arc::new(reach(db, item, options)));
    kept.last().cloned()
}

/// The outcomes of a kernel's loops and accesses after all stages; the stages themselves are not kept for it.
pub fn outcomes(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Arc<Outcomes> {
    if let Some(kept) = stage_cache(db, item).find(options) {
        return kept.last().map(|last| last.outcomes.clone()).unwrap_or_default();
    }
    let Some(kernel) = &arrays(db, item).kernel else { return Arc::default() };
    equal_kernels(db)
        .outcomes
        .of(kernel, options, || run_with(db, item, options, pipeline::outcomes_in).unwrap_or_default())
}

/// The outcomes for the target that [questions are about](super::db::made_for).
#[salsa::tracked]
pub(crate) fn outcomes_here<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Outcomes> {
    outcomes(db, item, made_for(db))
}

fn reach(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Vec<Reached> {
    run_with(db, item, options, pipeline::run_in).unwrap_or_default()
}

/// Runs the passes on a kernel; `None` for a text with errors, which may have come out in a form that has no meaning.
fn run_with<T>(
    db: &dyn salsa::Database,
    item: Item<'_>,
    options: Options,
    run: fn(Kernel, Context, bool) -> Result<T, Broken>,
) -> Option<T> {
    let lowering = arrays(db, item);
    let kernel = lowering.kernel.as_ref().filter(|_| lowering.is_sound)?;
    let check_cancelled = || db.unwind_if_revision_cancelled();
    let context =
        Context::knowing(&options, verdicts(db, item).clone()).with_cancel(CancelToken::new(&check_cancelled));
    // A pass that breaks a kernel is a bug of ours; where assertions are on, it shows at once.
    let found = run(kernel.as_ref().clone(), context, cfg!(debug_assertions));
    Some(found.unwrap_or_else(|broken| panic!("{broken:?}")))
}
