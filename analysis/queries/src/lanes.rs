//! Facts about lanes, by item, for the target that [questions are about](super::db::made_for).
//!
//! - [`contracts`]: promises of the source that are broken
//! - [`notes`]: performance notes
//!
//! A function has no facts of its own: it is inlined, and the facts about its places are joined from all kernels that call
//! it.

pub mod contracts;
pub mod notes;

use std::sync::Arc;

use ir::CancelToken;
use passes::pipeline::Options;
use report::lanes::{Dependence, Site};
use report::{ItemKey, ItemKind, TextRange};
use rustc_hash::FxHashMap;

use crate as queries;
use crate::db::{File, Item, file_items, made_for};
use crate::stage_cache::outcomes_here;
use crate::surface::mentions;
use crate::{sequential, verdicts, written};
use hir::Name;
use insight::{ArrayCost, ItemFacts, KernelFacts, collect, join};
use passes::{Outcomes, Said};

/// The facts of a kernel, for the target that [questions are about](crate::db::made_for); nothing for another item.
#[salsa::tracked]
pub fn of_kernel<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<KernelFacts> {
    Arc::new(find(db, item, made_for(db)))
}

/// The facts of a kernel for any target.
pub fn of_kernel_for(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Arc<KernelFacts> {
    if options == made_for(db) { of_kernel(db, item).clone() } else { Arc::new(find(db, item, options)) }
}

fn find(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> KernelFacts {
    let lowering = sequential(db, item);
    // A kernel with errors may have come out of lowering in a form that has no meaning, and then there is nothing to know.
    let Some(kernel) = lowering.kernel.as_ref().filter(|_| lowering.is_sound) else {
        return KernelFacts::default();
    };
    // A kernel that was understood in part gets facts, but no passes run on it, so it has no outcomes.
    let made = lowering.findings.is_empty().then(|| match options == made_for(db) {
        true => outcomes_here(db, item).clone(),
        false => queries::outcomes(db, item, options),
    });
    let text = |key: &ItemKey, at: TextRange| text_at(db, item.file(db), key, at);
    let check_cancelled = || db.unwind_if_revision_cancelled();
    let cancel = CancelToken::new(&check_cancelled);
    let mut found =
        collect::collect(kernel, lowering, verdicts(db, item), made.as_deref(), &text, options.target, cancel);
    found.arrays = array_costs(db, item, made.as_deref(), &mut found.items);
    found
}

/// The arrays of a kernel that are copied, or kept in temporary memory.
fn array_costs(
    db: &dyn salsa::Database,
    item: Item<'_>,
    made: Option<&Outcomes>,
    items: &mut Vec<ItemKey>,
) -> Vec<ArrayCost> {
    let Some(done) = queries::without_arrays(db, item) else { return Vec::new() };
    let lowering = sequential(db, item);
    let Some(kernel) = &lowering.kernel else { return Vec::new() };
    // An array that was kept in memory at first may have become values since.
    let is_gone = |origin| made.is_some_and(|made| made.has_registers(kernel.origins[origin].place));
    let left = done.decisions.iter().filter(|decision| !decision.taken && !is_gone(decision.origin));
    let costs = left.filter_map(|decision| {
        let (key, at) = lowering.place_of(kernel, decision.origin)?;
        let number = items.iter().position(|known| known == key).unwrap_or_else(|| {
            items.push(key.clone());
            items.len() - 1
        });
        let words = decision.because.iter().map(|said| match said {
            Said::Place(origin) => {
                let text =
                    lowering.place_of(kernel, *origin).and_then(|(key, at)| text_at(db, item.file(db), key, *at));
                text.map_or_else(
                    || said.to_string(),
                    |text| format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" ")),
                )
            }
            said => said.to_string(),
        });
        Some(ArrayCost {
            site: Site { item: number as u32, at: *at },
            code: decision.code,
            because: queries::stages::sentence(words),
        })
    });
    costs.collect()
}

/// All accesses that meet in the iterations of each loop of a kernel, in the order of its facts' loops; those that the loop carries
/// come first. A long kernel has ten thousands of them, so they are put into words for who asks, and not kept.
pub fn dependences_of(db: &dyn salsa::Database, kernel: Item<'_>) -> Vec<Vec<Dependence<Site>>> {
    if of_kernel(db, kernel).loops.is_empty() {
        return Vec::new();
    }
    let lowering = sequential(db, kernel);
    let Some(lowered) = &lowering.kernel else { return Vec::new() };
    let text = |key: &ItemKey, at: TextRange| text_at(db, kernel.file(db), key, at);
    let check_cancelled = || db.unwind_if_revision_cancelled();
    let (verdicts, target) = (verdicts(db, kernel), made_for(db).target);
    collect::dependences(lowered, lowering, verdicts, &text, target, CancelToken::new(&check_cancelled))
}

/// The source text of a place.
fn text_at(db: &dyn salsa::Database, file: File, key: &ItemKey, at: TextRange) -> Option<String> {
    let item = super::item_of(db, file, key)?;
    Some(written(db, item, at))
}

/// The kernels that an item's facts are about, in the order of its sources: itself, or those whose code it is part of.
pub fn sources_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Item<'db>> {
    match item.kind(db) {
        ItemKind::Kernel => vec![item],
        ItemKind::Fn => kernels_of(db, item).clone(),
        _ => Vec::new(),
    }
}

/// The facts about the places of an item, for any target.
pub fn of_item_for(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Arc<ItemFacts> {
    if options == made_for(db) {
        return of_item(db, item).clone();
    }
    let sources = sources_of(db, item).iter().map(|&kernel| of_kernel_for(db, kernel, options)).collect();
    Arc::new(join(&queries::key(db, item), sources))
}

/// The facts about the places of an item: a kernel's own, and for a function those of all calls, joined.
#[salsa::tracked]
pub fn of_item<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<ItemFacts> {
    let sources = sources_of(db, item).iter().map(|&kernel| of_kernel(db, kernel).clone()).collect();
    Arc::new(join(&queries::key(db, item), sources))
}

/// The kernels whose code a function is part of.
#[salsa::tracked]
fn kernels_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Item<'db>> {
    callers_of_file(db, item.file(db)).get(&item).cloned().unwrap_or_default()
}

/// The kernels that may reach each function of a file, by the words that they use: cheap to confirm after an edit.
#[salsa::tracked]
fn callers_of_file<'db>(db: &'db dyn salsa::Database, file: File) -> Arc<FxHashMap<Item<'db>, Vec<Item<'db>>>> {
    let words: FxHashMap<Item<'db>, &[Name]> = mentions(db, file).collect();
    let items = file_items(db, file);
    let mut fns: FxHashMap<&str, Item<'db>> = FxHashMap::default();
    for &item in items.iter().filter(|item| item.kind(db) == ItemKind::Fn) {
        fns.entry(item.name(db)).or_insert(item);
    }
    let mut callers: FxHashMap<Item<'db>, Vec<Item<'db>>> = FxHashMap::default();
    let mut kernels: Vec<_> = items.iter().copied().filter(|item| item.kind(db) == ItemKind::Kernel).collect();
    // The order of the kernels is by name, so that moving one changes nothing.
    kernels.sort_by_key(|kernel| (kernel.name(db), kernel.nth(db)));
    for kernel in kernels {
        let mut reached = rustc_hash::FxHashSet::default();
        let mut waiting = vec![kernel];
        while let Some(item) = waiting.pop() {
            let named = words[&item].iter().filter_map(|word| fns.get(&**word).copied());
            for callee in named.filter(|&callee| reached.insert(callee)) {
                callers.entry(callee).or_default().push(kernel);
                waiting.push(callee);
            }
        }
    }
    Arc::new(callers)
}
