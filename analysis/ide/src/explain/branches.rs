//! Branches as people and scripts read them: whether lanes agree about them, and if not, why.

use super::{Branch, Places};
use hir::finding::ItemKey;
use insight::ItemFacts;

/// Returns the branches of an item, by place; of a function's calls, one in which lanes diverge.
pub(super) fn branches_of(places: &Places<'_>, key: &ItemKey, known: &ItemFacts) -> Vec<Branch> {
    let mut found: Vec<Branch> = Vec::new();
    for facts in &known.sources {
        for it in facts.branches.iter().filter(|it| facts.items[it.site.item as usize] == *key) {
            let Some(range) = places.range(key, it.site.at) else { continue };
            let Some(text) = places.text(key, range) else { continue };
            let mut chain = if it.diverges { facts.chain(it.because) } else { Vec::new() };
            let own = facts.steps[it.because as usize].site;
            if it.diverges && own != it.site {
                chain.insert(0, insight::ChainLink { site: own, message: "this varies" });
            }
            let new = Branch {
                range,
                text,
                diverges: it.diverges,
                coherent: it.coherent,
                lane_loop: places.header(facts, facts.loops[it.lane_loop as usize].range),
                because: places.chain(facts, chain),
            };
            match found.iter_mut().find(|other| other.range == range) {
                Some(other) if new.diverges && !other.diverges => *other = new,
                Some(_) => {}
                None => found.push(new),
            }
        }
    }
    found.sort_by_key(|branch| branch.range.start());
    found
}
