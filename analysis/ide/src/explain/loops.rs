//! Loops at the places of a file: those of an item's facts, whose places are sites.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Loop, Places, Quoted};
use hir::builtins::{BUILTINS, Builtin, TypeRule};
use insight::{KernelFacts, Site};
use ir::ReasonCode;
use passes::pipeline::Options;
use queries::costs::PlacedCost;
use queries::db::{Item, made_for};
use report::{ItemKey, ItemKind, TextRange};

/// All accesses that meet in the iterations of each loop of some facts.
type Met = Vec<Vec<report::lanes::Dependence<Site>>>;

/// The loops that stand in an item, by place, with those dependences that are reasons.
pub fn loops_of(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Loop> {
    let mut found = found(db, item, Vec::new(), None);
    found.retain(|it| it.function.is_none());
    found
}

/// The loops of an item, by place, with all dependences; behind those of a kernel stand those of the functions that it calls, as they
/// are where it calls them. Each has its cost for the target that questions are about.
pub(super) fn loops_in_full(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Loop> {
    let all = queries::lanes::sources_of(db, item).into_iter().map(|kernel| queries::lanes::dependences_of(db, kernel));
    found(db, item, all.collect(), Some(made_for(db)))
}

/// The estimated cost of the loop with a header, for the target that questions are about: of a function's loop, in the dearest of its calls.
pub fn cost_of_loop(db: &dyn salsa::Database, item: Item<'_>, header: TextRange) -> Option<PlacedCost> {
    let found = found(db, item, Vec::new(), Some(made_for(db)));
    found.into_iter().find(|it| it.function.is_none() && it.range == header)?.cost
}

/// The loops of a kernel that stand in its own text or are told there, with their costs for some options: those that were left of them behind
/// all passes.
pub(crate) fn costed(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Vec<Loop> {
    found(db, item, Vec::new(), Some(options))
}

/// The loops of an item; `all` has, for each source of its facts, all dependences of each loop, if they are wanted. With options, each has
/// its cost for them.
fn found(db: &dyn salsa::Database, item: Item<'_>, mut all: Vec<Met>, costs_for: Option<Options>) -> Vec<Loop> {
    let places = Places::new(db, item.file(db));
    let key = queries::key(db, item);
    let known = queries::lanes::of_item(db, item);
    let mut found: Vec<Loop> = Vec::new();
    let kernels = queries::lanes::sources_of(db, item);
    for (source, facts) in known.sources.iter().enumerate() {
        let of_kernel = |(options, &kernel)| queries::costs::of_kernel(db, kernel, options);
        let mut costs = costs_for.zip(kernels.get(source)).map(of_kernel).unwrap_or_default();
        for (n, own) in facts.loops.iter().enumerate() {
            let Some(own) = in_own_text(facts, n, own) else { continue };
            let owner = &facts.items[own.range.item as usize];
            if *owner != key && item.kind(db) != ItemKind::Kernel {
                continue;
            }
            let met = all.get_mut(source).and_then(|all| all.get_mut(n)).map(std::mem::take);
            let new = match met {
                Some(dependences) => places.of_loop(facts, &insight::Loop { dependences, ..own.into_owned() }),
                None => places.of_loop(facts, &own),
            };
            let Some(mut new) = new else { continue };
            new.cost = costs.get_mut(n).and_then(Option::take);
            new.function = (*owner != key).then(|| Arc::from(&*owner.name));
            // A function's loop is one loop, however many calls there are; the worst of them is told.
            match found.iter_mut().find(|other| other.range == new.range) {
                Some(other) if other.verdict.is_vector && !new.verdict.is_vector => *other = new,
                Some(other) if cycles(other) < cycles(&new) => other.cost = new.cost,
                Some(_) => {}
                None => found.push(new),
            }
        }
    }
    found.sort_by_key(|found| (found.function.is_some(), found.range.start(), std::cmp::Reverse(found.range.end())));
    found
}

fn cycles(it: &Loop) -> f64 {
    it.cost.as_ref().map_or(0.0, PlacedCost::cycles)
}

/// A loop of the file's own text, or that of a call of a builtin of arrays or of a function of a file that is used, which is told at the call. The
/// others of the prelude, such as those in math functions, take no lanes and are no one's concern.
fn in_own_text<'f>(facts: &'f KernelFacts, number: usize, own: &'f insight::Loop) -> Option<Cow<'f, insight::Loop>> {
    let is_elsewhere = |site: Site| facts.is_elsewhere(site);
    if !is_elsewhere(own.range) {
        return Some(Cow::Borrowed(own));
    }
    let call = (*facts.calls.get(number)?)?;
    let ItemKey { name, .. } = &facts.items[call.function as usize];
    let is_of_arrays = |row: &Builtin| row.takes_arrays || matches!(row.shape, TypeRule::Function(_));
    let is_of_file = !facts.items[own.range.item as usize].in_prelude();
    let is_told = is_of_file || own.is_lane_loop && BUILTINS.iter().any(|row| row.name == &**name && is_of_arrays(row));
    if !is_told {
        return None;
    }
    // A reader knows neither its index nor the names and places in there.
    let mut told = insight::Loop { range: call.site, index: String::new(), ..own.clone() };
    told.dependences.retain(|it| !is_elsewhere(it.source) && !is_elsewhere(it.sink));
    for reason in &mut told.verdict.reasons {
        let n_related = reason.related.len();
        reason.related.retain(|it| !is_elsewhere(it.place));
        if let Some(code) = ReasonCode::of(reason.code).filter(|_| reason.related.len() < n_related) {
            reason.message = code.meaning().to_owned();
            reason.dependence = None;
        }
    }
    Some(Cow::Owned(told))
}

impl Places<'_> {
    fn of_loop(&self, facts: &KernelFacts, own: &insight::Loop) -> Option<Loop> {
        let header = |site: &Site| self.header(facts, *site).ok_or(());
        own.try_map(&header, &|site| self.quoted(facts, *site).ok_or(())).ok()
    }

    fn quoted(&self, facts: &KernelFacts, site: Site) -> Option<Quoted> {
        let key = &facts.items[site.item as usize];
        // A loop is best shown by its header.
        let range = self.header_of(key, site.at).filter(|header| header.len() < site.at.len());
        let range = range.or_else(|| self.range(key, site.at))?;
        Some(Quoted { range, text: self.text(key, range)? })
    }
}
