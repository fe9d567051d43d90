//! Lists about a whole file, each element of which is about one item: symbols, folds, lenses.
//!
//! The elements of each item are kept as JSON. So a request after a key serialises those of one item, and puts the others into their
//! present lines.

use queries::db::Item;
use queries::item_cache::ItemCache;
use report::TextSize;
use serde::Serialize;

use crate::placed_json::{JsonList, PlacedJson};
use crate::request_context::{ClientDocument, RequestContext};

/// The elements of the items of a document.
#[derive(Default)]
pub(crate) struct KeptList {
    items: ItemCache<Vec<PlacedJson>>,
    /// The setting that they were made by.
    setting: String,
}

/// Builds the list of a method. `of_item` gives the elements of an item that starts at an offset of the file; beside the item and its
/// place these depend on `setting` alone.
pub(crate) fn list<T: Serialize>(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    method: &'static str,
    setting: &str,
    of_item: impl Fn(Item<'_>, TextSize) -> Vec<T>,
) -> JsonList {
    let line = |start| place.document.lines().line(start);
    ctx.state().memory.with_list(&place.document.key, method, |kept| {
        if kept.setting != setting {
            *kept = KeptList { items: ItemCache::default(), setting: setting.to_owned() };
        }
        let plan = kept.items.plan(ctx.db(), place.file);
        let asked = plan.numbers().iter().map(|&n| {
            ctx.unwind_if_cancelled();
            let start = plan.starts[n];
            of_item(plan.items[n], start).iter().map(|element| PlacedJson::of(element, line(start))).collect()
        });
        let found = asked.collect();
        kept.items.update(ctx.db(), &plan, found);
        let mut list = JsonList::default();
        for (elements, &start) in kept.items.values_mut().zip(plan.starts) {
            list.extend(elements, || line(start));
        }
        list
    })
}
