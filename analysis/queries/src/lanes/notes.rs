//! Performance notes: the costs of lanes, noted where it is certain that a loop is vectorised, and the loops that are
//! not.
//!
//! A note names its causes, step by step, and what would lift it. It is no error, unless its code is denied, or unless
//! a loop around it promises that there is no gather, or no scatter. Of a nest that is not vectorised one loop is
//! noted: the one that would take the lanes. A `while` is not: its form already says that it runs in order.

use std::sync::Arc;

use facts::Class;
use ir::ReasonCode;
use passes::AccessForm;
use report::{ItemKind, ReportCode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::of_item;
use crate as queries;
use crate::db::Item;
use crate::surface::Rewrites;
use hir::builtins::AttributeId;
use hir::errors;
use hir::errors::LoopPlace;
use hir::finding::{Finding, Place};
use hir::ty::Ty;
use hir::{ExprId, Stmt, StmtId};
use insight::{Access, ArrayCost, Branch, Cost, CostKind, ItemFacts, KernelFacts, Loop, Site, related};

/// The code of what a `foreach` is believed.
const MAY_COLLIDE: ReasonCode = ReasonCode::IterationsMayCollide;

/// A side of a branch that costs less than this many simple ops is hardly worth a jump around it.
const COSTLY: u32 = 24;

/// The performance notes of an item, costs of its vector code, by place.
#[salsa::tracked]
pub fn notes<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Vec<Finding>> {
    let known = of_item(db, item);
    let ways_out = queries::rewrites(db, item);
    let place = |at: TextRange| place_of_loop(db, item, at);
    let mut findings = Vec::new();
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        let Some(number) = number else { continue };
        let notes = Notes { facts, ways_out: &ways_out };
        let own = |site: &Site| site.item == number;
        findings.extend(facts.accesses.iter().filter(|it| own(&it.site)).filter_map(|it| notes.access(it, &place)));
        let kept = |it: &Access| Some(errors::not_streamed(it.site.at, &it.array, it.kept_in_cache.as_deref()?));
        findings.extend(facts.accesses.iter().filter(|it| own(&it.site)).filter_map(kept));
        findings.extend(facts.costs.iter().filter(|it| own(&it.site)).filter_map(|it| notes.cost(it)));
        // If a promise forbids copies, or scratch memory, each one is an error of its own, and no note besides.
        let is_error = |it: &ArrayCost| {
            let promise = match it.code {
                ReasonCode::ArrayCopied => AttributeId::NoCopy,
                _ => AttributeId::NoScratch,
            };
            super::contracts::promised(db, item, promise).is_some()
        };
        let arrays = facts.arrays.iter().filter(|it| own(&it.site) && !is_error(it));
        findings.extend(arrays.map(|it| errors::array_cost(it.site.at, it.code, &it.because)));
        let branches = facts.branches.iter().filter(|it| own(&it.site));
        findings.extend(branches.filter_map(|it| notes.branch(it, || word_of_branch(db, item, it.site.at))));
        let loops = facts.loops.iter().filter(|it| own(&it.range));
        findings.extend(loops.filter_map(|it| notes.of_loop(it, || place_of_loop(db, item, it.range.at))));
    }
    Arc::new(once_and_in_order(findings))
}

/// Notes as a list of them shows: those that say the same, for the same reason and with the same way out, are one note, with the
/// places of the others.
pub(crate) fn by_cause(notes: &[Finding]) -> Vec<Finding> {
    let mut found: Vec<(&Finding, Finding)> = Vec::new();
    let mut known: FxHashMap<(ReportCode, &str, Cause<'_>), Vec<usize>> = FxHashMap::default();
    for note in notes {
        let alike = known.entry((note.code, &note.message, cause_of(note))).or_default();
        let is_like = |one: &Finding| (one.severity, &one.help, &one.fixes) == (note.severity, &note.help, &note.fixes);
        match alike.iter().copied().find(|&n| is_like(found[n].0)) {
            Some(n) => found[n].1.related.push((Place::Here(note.at), "and here".to_owned())),
            None => {
                alike.push(found.len());
                found.push((note, note.clone()));
            }
        }
    }
    found.into_iter().map(|(_, note)| note).collect()
}

/// The places elsewhere that explain a note.
type Cause<'n> = Vec<&'n (Place, String)>;

/// The cause of a note, which may lie behind different arithmetic: of `a[k]` and `b[k + 1]` it is where `k` gets its value.
fn cause_of(note: &Finding) -> Cause<'_> {
    let is_own = |place: &Place| matches!(place, Place::Here(at) if note.at.contains_range(*at));
    note.related.iter().filter(|(place, _)| !is_own(place)).collect()
}

/// The broken promises about accesses of an item that has these facts.
pub(super) fn of_promised_accesses<'db>(
    db: &'db dyn salsa::Database,
    item: Item<'db>,
    known: &ItemFacts,
) -> Vec<Finding> {
    let ways_out = queries::rewrites(db, item);
    let place = |at: TextRange| place_of_loop(db, item, at);
    let mut findings = Vec::new();
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        let own = facts.accesses.iter().filter(|it| Some(it.site.item) == number);
        let notes = Notes { facts, ways_out: &ways_out };
        findings.extend(own.filter(|it| it.breaks_promise()).filter_map(|it| notes.of_access(it, &place)));
    }
    once_and_in_order(findings)
}

/// Findings by place; what a function does costs the same in each of its calls.
fn once_and_in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = FxHashSet::default();
    findings.retain(|finding| seen.insert((finding.at, finding.code)));
    findings.sort_by_key(|finding| (finding.at.start(), finding.at.end()));
    findings
}

struct Notes<'f, 'db> {
    facts: &'f KernelFacts,
    ways_out: &'f Rewrites<'db>,
}

/// Finds the header of the loop that is known by a place in an item.
type PlaceOfLoop<'p> = &'p dyn Fn(TextRange) -> Option<LoopPlace>;

impl Notes<'_, '_> {
    fn access(&self, access: &Access, place: PlaceOfLoop<'_>) -> Option<Finding> {
        // An access that breaks a promise has an error, so its cost is not noted.
        // One lane has no neighbours, and nothing to disagree with.
        let is_alone = access.lane_loop.is_some_and(|n| self.has_one_lane(n));
        if access.breaks_promise() || is_alone { None } else { self.of_access(access, place) }
    }

    fn of_access(&self, access: &Access, place: PlaceOfLoop<'_>) -> Option<Finding> {
        if !access.is_in_lanes || access.form == Some(AccessForm::Grouped) {
            return None;
        }
        let note = match (access.class, access.stores) {
            (Class::Strided, false) => errors::strided_load,
            (Class::Strided, true) => errors::strided_store,
            (_, false) if access.is_scattered() => errors::gather_varying_index,
            (_, true) if access.is_scattered() => errors::scatter_varying_index,
            _ => return None,
        };
        let because = self.because(access.lane_loop, access.because)?;
        let note = match (access.breaks_promise(), access.stores) {
            (false, _) => note,
            (true, false) => errors::broken_no_gather,
            (true, true) => errors::broken_no_scatter,
        };
        let mut finding = note(access.site.at, &access.array, &access.reason, access.lift.as_deref());
        let reordered = access.reordered.map(|n| &self.facts.loops[n as usize]);
        let reordered = reordered.filter(|it| it.range.item == access.site.item);
        let reordered = reordered.and_then(|it| Some((place(it.range.at)?, &*it.index)));
        finding.fixes = match access.class {
            Class::Strided => self.ways_out.of_stride(access.site.at),
            _ => self.ways_out.of_subscripts(access.site.at, &self.places(because, access.site.item)),
        };
        if let Some((place, index)) = reordered.filter(|(place, _)| place.is_statement) {
            finding.fixes.insert(0, errors::reassoc(&place, Some(index)));
        }
        Some(self.explained(finding, because, "the subscript, which varies"))
    }

    fn cost(&self, cost: &Cost) -> Option<Finding> {
        if self.has_one_lane(cost.lane_loop) {
            return None;
        }
        let because = self.because(Some(cost.lane_loop), cost.because)?;
        let at = cost.site.at;
        let (mut finding, way_out) = match cost.kind {
            CostKind::Division => (errors::varying_division(at), self.ways_out.of_division(at)),
            CostKind::Conversion => (errors::wide_conversion(at), self.ways_out.of_conversion(at)),
        };
        finding.fixes.extend(way_out);
        Some(self.explained(finding, because, "this varies"))
    }

    fn branch(&self, branch: &Branch, word: impl Fn() -> Option<TextRange>) -> Option<Finding> {
        if !branch.diverges || branch.coherent || branch.cost < COSTLY || self.has_one_lane(branch.lane_loop) {
            return None;
        }
        let because = self.because(Some(branch.lane_loop), Some(branch.because))?;
        let mut finding = errors::divergent_branch(branch.site.at, word());
        finding.fixes.extend(self.ways_out.of_choice(branch.site.at));
        Some(self.explained(finding, because, "this varies"))
    }

    fn of_loop(&self, it: &Loop, place: impl Fn() -> Option<LoopPlace>) -> Option<Finding> {
        if !it.is_lane_loop || it.index.is_empty() || self.is_outer_of_one(it) || self.is_wrong(it) {
            return None;
        }
        let mut blocking = it.verdict.reasons.iter().filter(|reason| reason.blocks);
        let (finding, reason) = match blocking.next() {
            // Why it was not understood is said elsewhere, and a collision is an error of the program.
            Some(reason) if reason.code == ReasonCode::NotUnderstood || it.verdict.collides => return None,
            Some(reason) => {
                let mut others: Vec<_> = blocking.map(|other| other.code).filter(|code| *code != reason.code).collect();
                others.sort_unstable();
                others.dedup();
                (errors::in_order(&place()?, reason, it.verdict.in_part, &others), reason)
            }
            None => {
                let reason = it.verdict.reasons.iter().find(|reason| reason.code == MAY_COLLIDE)?;
                (errors::may_collide(&place()?, reason), reason)
            }
        };
        Some(reason.related.iter().fold(finding, |finding, because| {
            let site = because.place;
            let place = match site.item == it.range.item {
                true => Place::Here(site.at),
                // An edit in there must leave the finding equal, so it names no more than the item.
                false => Place::NameOf(self.facts.items[site.item as usize].clone()),
            };
            finding.with_related(place, because.message.clone())
        }))
    }

    /// Says whether a loop is a `foreach` whose iterations need an order: that is an error.
    fn is_wrong(&self, it: &Loop) -> bool {
        self.facts.unshared.iter().any(|unshared| unshared.range == it.range)
    }

    /// Says whether the statement of a loop is one more loop inside: a `foreach` over several ranges that updates something is a nest.
    fn is_outer_of_one(&self, it: &Loop) -> bool {
        let last = self.facts.loops.iter().rfind(|other| other.range == it.range);
        last.is_some_and(|last| last.index != it.index)
    }

    fn has_one_lane(&self, lane_loop: u32) -> bool {
        self.facts.loops[lane_loop as usize].lanes == Some(1)
    }

    /// Returns the step to blame, if the loop is vectorised and the whole chain to the step is understood.
    fn because(&self, lane_loop: Option<u32>, because: Option<u32>) -> Option<Option<u32>> {
        let runs = lane_loop.is_some_and(|n| self.facts.loops[n as usize].verdict.has_lanes());
        let is_understood = because.is_none_or(|step| self.facts.is_understood(step));
        (runs && is_understood).then_some(because)
    }

    /// Returns the places of a step and of the steps that made it vary in an item, the nearest first.
    fn places(&self, step: Option<u32>, item: u32) -> Vec<TextRange> {
        let Some(step) = step else { return Vec::new() };
        let causes = self.facts.sites_of_causes(step);
        let sites = [self.facts.steps[step as usize].site].into_iter().chain(causes);
        sites.filter(|site| site.item == item).map(|site| site.at).collect()
    }

    fn explained(&self, finding: Finding, because: Option<u32>, message: &'static str) -> Finding {
        match because {
            Some(step) => related(finding, self.facts, step, message),
            None => finding,
        }
    }
}

/// The facts that fixes need about the loop whose header a place is in.
fn place_of_loop<'db>(db: &'db dyn salsa::Database, item: Item<'db>, at: TextRange) -> Option<LoopPlace> {
    let lowered = queries::lowered(db, item);
    let Some(header) = lowered.map.header_around(at).filter(|it| it.at.contains_range(at) || at.contains_range(it.at))
    else {
        // An operation on whole arrays is its own place.
        let (word, alias) = (None, None);
        return Some(LoopPlace { header: at, word, alias, is_statement: false, has_running_cells: false });
    };
    let is_for = matches!(lowered.body.stmts[header.stmt], Stmt::For { coherent: false, .. });
    let alias = lowered.body.attrs.iter().find(|attr| attr.id == AttributeId::Alias && attr.args.len() == 2);
    let alias = alias.and_then(|attr| lowered.map.exprs.get(attr.args[0]).copied());
    let word = header.word.filter(|_| is_for);
    let has_running_cells = has_running_cells(db, item, header.stmt);
    Some(LoopPlace { header: header.at, word, alias, is_statement: true, has_running_cells })
}

/// Says whether the cells of an array of floats would run on through a loop under `@reassoc`.
fn has_running_cells<'db>(db: &'db dyn salsa::Database, item: Item<'db>, stmt: StmtId) -> bool {
    let (lowered, inference) = (queries::lowered(db, item), queries::infer(db, item));
    let is_float = |expr: ExprId| matches!(inference.exprs.get(expr), Some(Ty::Scalar(elem)) if elem.is_float());
    let running = hir::running(&lowered.body, stmt, &inference.like_fields, item.kind(db) == ItemKind::Kernel);
    running.iter().filter_map(|runs_on| runs_on.cells.as_ref()).any(|cells| is_float(cells.target))
}

/// The `if` of the statement with this condition.
fn word_of_branch<'db>(db: &'db dyn salsa::Database, item: Item<'db>, condition: TextRange) -> Option<TextRange> {
    let lowered = queries::lowered(db, item);
    // An `elif` has no word there, and no coherent form.
    let words = lowered.map.if_words.iter();
    let mut of_condition = words.filter(|(stmt, _)| match &lowered.body.stmts[*stmt] {
        Stmt::If { condition: own, coherent: false, .. } => lowered.map.exprs[*own] == condition,
        _ => false,
    });
    of_condition.next().map(|(_, word)| *word)
}
