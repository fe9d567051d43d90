//! Loops as people and scripts read them: verdicts, reasons, dependences, each at its place.

use report::TextRange;

use super::{Because, Places};
use crate::db::Item;
use crate::facts::{self, KernelFacts, Site, loops};
use crate::queries;

pub use crate::facts::loops::Witness;

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Its header.
    pub range: TextRange,
    /// The name of the index that lanes run along; empty where there is none.
    pub index: String,
    /// It is the loop of its nest that has the lanes or, if there are none, would have them.
    pub is_lane_loop: bool,
    /// Its iterations run as lanes.
    pub is_vector: bool,
    /// It was taken apart, and a part of it runs as lanes.
    pub in_part: bool,
    /// How many lanes, if some of it runs as lanes.
    pub lanes: Option<u16>,
    /// In a few words: `8 lanes`, `in order: loop-carried-flow, 1 apart`.
    pub headline: String,
    /// The code of what stands against lanes most.
    pub code: Option<&'static str>,
    /// All there is to say, what stands against lanes first.
    pub reasons: Vec<Reason>,
    /// What would lift the first of them, each tried; see [`Explained::with_lifts`](super::Explained::with_lifts).
    pub lifts: Vec<String>,
    /// Accesses that meet in its iterations.
    pub dependences: Vec<Dependence>,
}

/// Something that speaks about a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Its code.
    pub code: &'static str,
    /// It keeps the loop from running as lanes.
    pub blocks: bool,
    /// What it says, as a sentence.
    pub message: String,
    /// The places that it is about.
    pub related: Vec<Because>,
    /// The dependence that it is, by its number among those of the loop.
    pub dependence: Option<usize>,
}

/// Two accesses that may touch one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The access that runs first, and what it does.
    pub source: Because,
    /// The access that runs later.
    pub sink: Because,
    /// All else.
    pub known: loops::Dependence,
}

/// The loops of an item, by place, with those dependences that are reasons.
pub fn loops_of(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Loop> {
    found(db, item, &[])
}

/// The same with all dependences.
pub(super) fn loops_in_full(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Loop> {
    let all = facts::sources_of(db, item).into_iter().map(|kernel| facts::dependences_of(db, kernel));
    found(db, item, &all.collect::<Vec<_>>())
}

/// The loops of an item; `all` has, for each source of its facts, all dependences of each loop, if they are wanted.
fn found(db: &dyn salsa::Database, item: Item<'_>, all: &[Vec<Vec<loops::Dependence>>]) -> Vec<Loop> {
    let places = Places::new(db, item.file(db));
    let key = queries::key(db, item);
    let known = facts::of_item(db, item);
    let mut found: Vec<Loop> = Vec::new();
    for (source, facts) in known.sources.iter().enumerate() {
        for (n, own) in facts.loops.iter().enumerate() {
            if facts.items[own.site.item as usize] != key {
                continue;
            }
            let shown: Vec<(u32, &loops::Dependence)> = match all.get(source).and_then(|all| all.get(n)) {
                Some(all) => (0..).zip(all).collect(),
                None => own.met.iter().map(|(number, it)| (*number, it)).collect(),
            };
            let Some(new) = of_loop(&places, facts, own, &shown) else { continue };
            // A function's loop is one loop, however many calls there are; the worst of them is told.
            match found.iter_mut().find(|other| other.range == new.range) {
                Some(other) if other.is_vector && !new.is_vector => *other = new,
                Some(_) => {}
                None => found.push(new),
            }
        }
    }
    found.sort_by_key(|found| (found.range.start(), std::cmp::Reverse(found.range.end())));
    found
}

/// A loop with these of its dependences, which have their numbers among all.
fn of_loop(
    places: &Places<'_>,
    facts: &KernelFacts,
    own: &loops::Loop,
    shown: &[(u32, &loops::Dependence)],
) -> Option<Loop> {
    let reasons = own.verdict.reasons.iter().map(|reason| Reason {
        code: reason.code,
        blocks: reason.blocks,
        message: reason.message.clone(),
        related: reason.related.iter().filter_map(|(site, message)| places.because(facts, *site, message)).collect(),
        dependence: reason.dependence.and_then(|own| shown.binary_search_by_key(&own, |(number, _)| *number).ok()),
    });
    let dependences = shown.iter().map(|(_, it)| {
        let source = places.because(facts, it.source, &it.words_at_source())?;
        let sink = places.because(facts, it.sink, &it.words_at_sink())?;
        Some(Dependence { source, sink, known: (*it).clone() })
    });
    Some(Loop {
        range: places.header(facts, own.site)?,
        index: own.name.to_string(),
        is_lane_loop: own.is_lane_loop,
        is_vector: own.verdict.is_vector,
        in_part: own.verdict.in_part,
        lanes: own.lanes.filter(|_| own.verdict.has_lanes()),
        headline: own.headline(),
        code: own.verdict.code(),
        reasons: reasons.collect(),
        lifts: Vec::new(),
        dependences: dependences.collect::<Option<Vec<_>>>()?,
    })
}

impl Loop {
    /// The reasons that are dependences with an access at a place, each with the other access.
    pub fn meets_at(&self, at: TextRange) -> impl Iterator<Item = (&Reason, &Dependence, &Because)> {
        self.reasons.iter().filter_map(move |reason| {
            let dependence = &self.dependences[reason.dependence?];
            let other = match (dependence.source.range == at, dependence.sink.range == at) {
                (true, _) => &dependence.sink,
                (false, true) => &dependence.source,
                _ => return None,
            };
            Some((reason, dependence, other))
        })
    }
}

impl Places<'_> {
    fn because(&self, facts: &KernelFacts, site: Site, message: &str) -> Option<Because> {
        let key = &facts.items[site.item as usize];
        // A loop is best shown by its header.
        let range = self.header_of(key, site.at).filter(|header| header.len() < site.at.len());
        let range = range.or_else(|| self.range(key, site.at))?;
        Some(Because { range, text: self.text(key, range)?, message: message.to_owned() })
    }
}
