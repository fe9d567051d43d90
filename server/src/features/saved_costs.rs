//! The costs of loops as they were when the text was last saved, beside those that they are estimated to have now.
//!
//! Nothing is analysed twice for that. Costs are recorded when hints are asked for of an item whose text is the saved one, as it is after a
//! document was opened or saved; of an item that was never looked at in that form nothing is told.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ide::hints::{Hint, HintKind, HintedCost, loop_costs};
use queries::db::{Item, cut_file};
use queries::names;
use report::lanes::costs::shown;
use report::{ItemKey, TextSize};

use crate::request_context::{ClientDocument, RequestContext};

/// The saved text of a document, with the costs of its loops as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct SavedCosts {
    text: Arc<str>,
    /// The hashes of the texts of its items; none before they were seen.
    items: HashSet<u64>,
    /// The costs of the loops of items, with the target that they are for.
    costs: HashMap<ItemKey, (String, Vec<HintedCost>)>,
}

impl SavedCosts {
    /// Begins anew with another saved text; costs in the same one stay.
    pub(crate) fn save(&mut self, text: Arc<str>) {
        if self.text != text {
            *self = SavedCosts { text, ..SavedCosts::default() };
        }
    }

    /// Returns true if a text is the saved one, and its items were not seen yet.
    fn awaits(&self, text: &str) -> bool {
        self.items.is_empty() && *self.text == *text
    }
}

/// Adds to the hints of loops what they cost when the text was last saved, where that was something else.
pub(crate) fn add(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    (item, start): (Item<'_>, TextSize),
    hints: &mut [(Hint, bool)],
) {
    let has_costs = |(hint, is_kept): &(Hint, bool)| hint.kind == HintKind::Loop && !is_kept;
    if !ctx.config().hints.costs || !hints.iter().any(has_costs) {
        return;
    }
    let (db, target) = (ctx.db(), &ctx.config().target);
    let key: ItemKey = names::key(db, item);
    let now = loop_costs(db, item, start);
    let (memory, document) = (&ctx.state().memory, &place.document.key);
    if memory.with_saved(document, |saved| saved.awaits(place.text())) == Some(true) {
        let items = cut_file(db, place.file).items.iter().map(|item| hash(item.text(db))).collect();
        memory.with_saved(document, |saved| saved.items = items);
    }
    memory.with_saved(document, |saved| {
        if saved.items.contains(&hash(item.text(db))) {
            saved.costs.insert(key, (target.clone(), now));
            return;
        }
        let Some((_, before)) = saved.costs.get(&key).filter(|(of, _)| of == target) else { return };
        for (hint, _) in hints.iter_mut().filter(|hint| has_costs(hint)) {
            if let Some(cycles) = now.iter().position(|it| it.offset == hint.offset).and_then(|n| at(before, &now, n)) {
                hint.text += &format!(", {cycles} when saved");
            }
        }
    });
}

/// The cycles before of the loop with a number now, as they are shown, where they are others. Where loops have come or gone, it is known by its
/// header.
fn at(before: &[HintedCost], now: &[HintedCost], n: usize) -> Option<String> {
    let own = &now[n];
    let same = match before.len() == now.len() {
        true => &before[n],
        false => {
            let has_header = |it: &&HintedCost| it.header == own.header;
            let nth = now[..n].iter().filter(has_header).count();
            before.iter().filter(has_header).nth(nth)?
        }
    };
    let cycles = shown(same.cycles);
    (cycles != shown(own.cycles)).then_some(cycles)
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(loops: &[(&str, f64)]) -> Vec<HintedCost> {
        let cost = |&(header, cycles): &(&str, f64)| HintedCost { offset: 0.into(), header: header.to_owned(), cycles };
        loops.iter().map(cost).collect()
    }

    #[test]
    fn loops_are_known_by_their_order_or_else_by_their_headers() {
        let before = costs(&[("for i in a", 2.0), ("for j in b", 4.8)]);
        let now = costs(&[("for i in a", 2.01), ("for j in c", 2.1)]);
        assert_eq!(at(&before, &now, 0), None);
        assert_eq!(at(&before, &now, 1).as_deref(), Some("4.8"));
        let now = costs(&[("for j in b", 2.1), ("for j in b", 4.8), ("for i in a", 3.0)]);
        assert_eq!(at(&before, &now, 0).as_deref(), Some("4.8"));
        assert_eq!(at(&before, &now, 1), None);
        assert_eq!(at(&before, &now, 2).as_deref(), Some("2"));
    }
}
