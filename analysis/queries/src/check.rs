//! The findings about an item, and about a file.

use std::borrow::Cow;
use std::sync::Arc;

use report::{Diagnostic, ItemKey, ItemKind, ReportCode, Severity, TextRange, TextSize};

use super::constants::{Content, const_content};
use super::db::{File, Item, cut_file, dense_map, file_items, parse};
use super::item_cache::ItemCache;
use super::lowering::sequential;
use super::names::{id_of, item_of, named, position_of};
use super::surface::{body, lowered, render};
use super::templates;
use super::types::infer;
use super::uses;
use crate::lanes::{contracts, notes};
use hir::errors;
use hir::errors::CheckCode;
use hir::finding::{Finding, Place};
use hir::rules_broken_in;

/// The findings about an item's names, types and values, by place.
#[salsa::tracked]
pub fn findings<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Vec<Finding>> {
    let mut findings = lowered(db, item).findings.clone();
    // Of what depends on arguments that nobody gives, nothing is known to be wrong.
    match templates::is_open(db, item) {
        true => {
            findings.extend(templates::without_instance(db, item));
            // What leads back to itself is known by names alone.
            let leads_back = |found: &&Finding| found.code == ReportCode::from(CheckCode::Recursion);
            findings.extend(infer(db, item).findings.iter().filter(leads_back).cloned());
        }
        false if templates::is_meant(db, item) => findings.extend(infer(db, item).findings.iter().cloned()),
        false => {}
    }
    findings.extend(templates::of_instances(db, item));
    if item.kind(db) == ItemKind::Use {
        findings.extend(uses::findings(db, item));
    }
    // A constant that leads back to itself is asked for nothing.
    if item.kind(db) == ItemKind::Const
        && let Content::Fails(finding) = const_content(db, item)
    {
        findings.push((**finding).clone());
    }
    findings.sort_by_key(|finding| (finding.at.start(), finding.at.end()));
    Arc::new(findings)
}

/// Returns the diagnostics of a file, by place. Ranges are of the file's text. Notes with one cause are one, with its places.
pub fn diagnostics(db: &dyn salsa::Database, file: File) -> Vec<Diagnostic> {
    let cut = cut_file(db, file);
    // From the top, so that what a function calls is mostly known before it. What lanes do in a function is asked of its
    // callers, which would otherwise lead down all calls at once.
    for &item in &cut.items {
        findings(db, item);
    }
    let mut all: Vec<_> =
        cut.items.iter().zip(&cut.starts).flat_map(|(&item, &start)| report(db, item).at(db, item, start)).collect();
    all.sort_by_key(|diagnostic| diagnostic.range.start());
    all
}

/// Returns the diagnostics of a file like [`diagnostics`], for a caller that asks after every key: `cache` has the
/// previous answers.
pub fn diagnostics_cached(db: &dyn salsa::Database, file: File, cache: &mut ItemCache<Report>) -> Vec<Diagnostic> {
    let plan = cache.plan(db, file);
    for item in plan.asked() {
        findings(db, item);
    }
    let found = plan.asked().map(|item| {
        db.unwind_if_revision_cancelled();
        report(db, item)
    });
    let found = found.collect();
    cache.update(db, &plan, found);
    let reports = plan.items.iter().zip(plan.starts).zip(cache.values());
    let mut all: Vec<_> = reports.flat_map(|((&item, &start), report)| report.at(db, item, start)).collect();
    all.sort_by_key(|diagnostic| diagnostic.range.start());
    all
}

/// Returns the diagnostics of an item that starts at `start` in its file, each note at its own place.
pub fn item_diagnostics<'db>(db: &'db dyn salsa::Database, item: Item<'db>, start: TextSize) -> Vec<Diagnostic> {
    report_of(db, item, Some(Notes::ByPlace)).at(db, item, start)
}

/// The diagnostics of an item, independent of its place in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Findings about this item alone, relative to its start.
    own: Vec<Diagnostic>,
    /// Findings that name the place of another item.
    with_others: Vec<Finding>,
}

impl Report {
    /// Returns true if a finding names the place of another item, so that it changes when that one moves.
    pub fn names_others(&self) -> bool {
        !self.with_others.is_empty()
    }

    /// The starts of the items whose places the findings name, for who keeps what was shown: while these stay, so does what [`Self::at`] gives.
    pub fn starts_of_others<'db>(
        &'db self,
        db: &'db dyn salsa::Database,
        item: Item<'db>,
    ) -> impl Iterator<Item = Option<TextSize>> {
        let places = self.with_others.iter().flat_map(|found| &found.related);
        places.map(move |(place, _)| start_of(db, other_at(db, item, place)?))
    }

    /// The findings of an item that starts at `start`, by place.
    pub fn at<'db>(&self, db: &'db dyn salsa::Database, item: Item<'db>, start: TextSize) -> Vec<Diagnostic> {
        let mut all: Vec<_> = self.own.iter().map(|found| found.clone().shifted(start)).collect();
        if !self.with_others.is_empty() {
            let others = self.with_others.iter();
            all.extend(others.map(|found| render(db, item, start, found, |place| place_of(db, item, place))));
            all.sort_by_key(|diagnostic| diagnostic.range.start());
        }
        all
    }
}

/// The order of the notes of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notes {
    /// Each at its own place, for who asks about a place.
    ByPlace,
    /// One for each cause, with its places, for a list.
    ByCause,
}

/// The findings about an item. Notes with one cause are one, with its places.
pub fn report<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Report {
    report_of(db, item, Some(Notes::ByCause))
}

/// The findings about an item's syntax, names and types. They are found long before those about lanes, which [`report`] has too.
pub fn report_without_lanes<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Report {
    report_of(db, item, None)
}

fn report_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>, of_lanes: Option<Notes>) -> Report {
    let syntax_errors = &parse(db, item).errors;
    let findings = findings(db, item);
    // Findings about lanes are shown only for an item without errors.
    let has_lanes = !templates::is_open(db, item) && !templates::is_named_instance(db, item);
    let is_right =
        has_lanes && syntax_errors.is_empty() && findings.iter().all(|finding| finding.severity != Severity::Error);
    let of_lanes: [Cow<'_, [Finding]>; 3] = match of_lanes.filter(|_| is_right) {
        Some(order) => {
            let notes = notes::notes(db, item);
            let notes = match order {
                Notes::ByPlace => Cow::Borrowed(&***notes),
                Notes::ByCause => Cow::Owned(notes::by_cause(notes)),
            };
            [broken_rules(db, item).into(), Cow::Borrowed(contracts::broken(db, item)), notes]
        }
        None => Default::default(),
    };
    if syntax_errors.is_empty() && findings.is_empty() && of_lanes.iter().all(|found| found.is_empty()) {
        return Report::default();
    }
    let broken = BrokenLines::of(item.text(db), syntax_errors);
    // In half an item, what looks unused or unreached may well be used, and reached, by the other half. And what a line
    // means is not judged before it is a line.
    let counts = |finding: &&Finding| match finding.severity {
        _ if syntax_errors.is_empty() => true,
        Severity::Error => !broken.contains(dense_map(db, item).to_text(finding.at).start()),
        _ => false,
    };
    let findings = findings.iter().filter(counts).chain(of_lanes.iter().flat_map(|found| found.iter()));
    let (with_others, alone): (Vec<_>, Vec<_>) = findings.partition(|finding| finding.names_others());
    let alone = alone.into_iter().map(|finding| render(db, item, TextSize::new(0), finding, |_| None));
    let mut own: Vec<_> = syntax_errors.iter().cloned().chain(alone).collect();
    own.sort_by_key(|diagnostic| diagnostic.range.start());
    Report { own, with_others: with_others.into_iter().cloned().collect() }
}

/// The errors of an item that are only seen when it is lowered, each where it stands: what a function has is said there, and not at its calls.
fn broken_rules<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Finding> {
    match item.kind(db) {
        ItemKind::Kernel => {
            // What a function of another file has is said there, too, but not to who looks at this one.
            let said_there = |key: &ItemKey| {
                let of = item_of(db, item.file(db), key).filter(|of| of.file(db) == item.file(db));
                of.is_some_and(|of| !of_function(db, of).is_empty())
            };
            let said = |(place, _): &(Place, String)| matches!(place, Place::NameOf(key) if said_there(key));
            let findings = sequential(db, item).findings.iter();
            findings.filter(|finding| !finding.related.iter().any(said)).cloned().collect()
        }
        ItemKind::Fn => of_function(db, item),
        _ => Vec::new(),
    }
}

fn of_function<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Finding> {
    let lowered = lowered(db, item);
    let found = rules_broken_in(&lowered.body, &lowered.map).into_iter();
    found.map(|(at, rule)| errors::broken_rule(at, rule)).collect()
}

/// A finding about an item as it shows now, in ranges of the file's text.
pub fn rendered<'db>(db: &'db dyn salsa::Database, item: Item<'db>, finding: &Finding) -> Diagnostic {
    render(db, item, start_of(db, item).unwrap_or_default(), finding, |place| place_of(db, item, place))
}

/// The other item of a place. One of another file is none that a finding shows.
fn other_at<'db>(db: &'db dyn salsa::Database, item: Item<'db>, place: &Place) -> Option<Item<'db>> {
    let (Place::NameOf(other) | Place::Need(other, _) | Place::In(other, _)) = place else { return None };
    let is_elsewhere = other.file != id_of(db, item.file(db));
    item_of(db, item.file(db), other).filter(|_| !is_elsewhere)
}

/// Returns a place in another item of the same file.
fn place_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>, place: &Place) -> Option<TextRange> {
    let other = other_at(db, item, place)?;
    match place {
        Place::Need(_, n) => {
            let at = *infer(db, other).need_places.get(*n as usize)?;
            Some(dense_map(db, other).to_text(at) + start_of(db, other)?)
        }
        Place::In(_, at) => Some(dense_map(db, other).to_text(*at) + start_of(db, other)?),
        _ => name_place(db, other),
    }
}

/// The items, and the functions, constants and structs that they use, directly or by way of others. Only mistakes in
/// these keep the items from working. Of items of other files stand the `use` lines, which tell of mistakes there.
pub fn reachable<'db>(db: &'db dyn salsa::Database, items: &[Item<'db>]) -> Vec<Item<'db>> {
    let Some(file) = items.first().map(|item| item.file(db)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut waiting: Vec<_> = items.iter().rev().copied().collect();
    while let Some(item) = waiting.pop() {
        if !seen.insert(item) {
            continue;
        }
        found.push(item);
        let used = body(db, item).uses_of_items();
        waiting.extend(used.into_iter().filter_map(|name| named(db, item.file(db), name)));
    }
    let is_of_others = |item: &Item<'db>| item.file(db) != file && item.file(db) != super::prelude::file(db);
    let uses_others = found.iter().any(is_of_others);
    found.retain(|item| item.file(db) == file);
    if uses_others {
        let uses = file_items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Use && !seen.contains(item));
        found.extend(uses);
    }
    found
}

/// The lines of an item that have syntax errors.
struct BrokenLines {
    /// The starts and ends of the lines, in order.
    lines: Vec<(usize, usize)>,
}

impl BrokenLines {
    fn of(text: &str, errors: &[Diagnostic]) -> BrokenLines {
        let line = |error: &Diagnostic| {
            let at = usize::from(error.range.start()).min(text.len());
            let start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
            let end = text[at..].find(['\n', '\r']).map_or(text.len(), |len| at + len);
            (start, end)
        };
        BrokenLines { lines: errors.iter().map(line).collect() }
    }

    fn contains(&self, offset: TextSize) -> bool {
        let offset = usize::from(offset);
        self.lines.iter().any(|&(start, end)| (start..=end).contains(&offset))
    }
}

/// Returns the place of an item's name in its file.
pub fn name_place<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<TextRange> {
    Some(name_in_item(db, item)? + start_of(db, item)?)
}

/// Returns the place of an item's name, from the item's start.
pub fn name_in_item<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<TextRange> {
    Some(dense_map(db, item).to_text(lowered(db, item).map.name?))
}

/// Returns the offset of an item in its file.
pub fn start_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<TextSize> {
    let n = position_of(db, item)?;
    cut_file(db, item.file(db)).starts.get(n).copied()
}
