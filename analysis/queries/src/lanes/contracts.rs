//! `uniform` and `varying` before types, `@simd`, `@no_gather`, `@no_scatter`, `@no_copy`, `@no_scratch`, `@cost` and `@threads`: promises about lanes, memory, time
//! and threads, which are held against the facts. Those that a target may keep and another one break are judged for each of the targets that were asked for.
//!
//! A promise is about all that a variable comes to be, wherever it is used. `uniform` is broken by one value that varies, in
//! one call; `varying` is broken when there is no value that does.

use std::sync::Arc;

use report::{ItemKind, TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::notes::of_promised_accesses;
use super::{of_item, of_item_for, sources_of};
use crate as queries;
use crate::costs::{self, PlacedCost};
use crate::db::{Item, MadeFor, file_items};
use crate::surface::dense_map;
use hir::builtins::{AttributeId, cycles};
use hir::errors;
use hir::finding::Finding;
use hir::{LocalKind, Promise, Stmt, StmtId, TypeRef};
use insight::{ItemFacts, KernelFacts, Promised, Step, related};
use ir::ReasonCode;
use lowering::Role;
use passes::parts::{ITERATIONS, JOIN, PART};
use passes::pipeline::Options;

/// The promises of an item that are broken.
#[salsa::tracked]
pub fn broken<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Vec<Finding>> {
    let lowered = queries::lowered(db, item);
    let mut findings = of_promises(db, item);
    findings.extend(of_costs(db, item));
    findings.extend(of_foreach(db, item));
    findings.extend(of_copies(db, item));
    findings.extend(of_threads(db, item));
    let is_promise = |ty: &TypeRef| ty.promise.is_some();
    let any = lowered.body.locals.iter().any(|(_, local)| local.ty.as_ref().is_some_and(is_promise));
    if !any && !lowered.body.result.as_ref().is_some_and(is_promise) {
        return Arc::new(findings);
    }
    let known = of_item(db, item);
    let judge = Judge { item: known.numbers(&queries::key(db, item)), known };
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    for (id, local) in lowered.body.locals.iter() {
        let Some(ty) = &local.ty else { continue };
        // Parameters of kernels are uniform by a rule of the language, which needs no facts.
        if is_kernel && local.kind == LocalKind::Param {
            continue;
        }
        let uses = lowered.map.uses.iter().filter(|(_, used)| *used == id).map(|(at, _)| *at);
        let places: FxHashSet<TextRange> = std::iter::once(lowered.map.locals[id]).chain(uses).collect();
        let is_own = |step: &Step| !matches!(step.role, Role::Target | Role::Result) && places.contains(&step.site.at);
        findings.extend(judge.judge(ty, &format!("`{}`", local.name), is_own));
    }
    if let Some(ty) = &lowered.body.result {
        findings.extend(judge.judge(ty, "the result", |step| step.role == Role::Result && step.site.at == ty.at));
    }
    Arc::new(findings)
}

/// The promises of loops that are broken on one of the targets that promises are judged for, each told once.
fn of_promises(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Finding> {
    // Promises are the same for all targets.
    let is_promised =
        |facts: &KernelFacts| !facts.promised.is_empty() || facts.accesses.iter().any(|access| access.is_promised);
    let no_scratch = promised(db, item, AttributeId::NoScratch);
    if no_scratch.is_none() && !of_item(db, item).sources.iter().any(|facts| is_promised(facts)) {
        return Vec::new();
    }
    let targets = MadeFor::get(db).promised(db);
    // With the loop or access that each is about: several may stand under one mark.
    let mut broken: Vec<(TextRange, Finding)> = Vec::new();
    for &options in targets.iter() {
        db.unwind_if_revision_cancelled();
        let known = of_item_for(db, item, options);
        let of_accesses = of_promised_accesses(db, item, &known).into_iter().map(|finding| (finding.at, finding));
        let of_scratch =
            no_scratch.and_then(|at| of_scratch(db, item, &known, at)).map(|finding| (finding.at, finding));
        for (about, mut finding) in of_loops(db, item, &known).into_iter().chain(of_accesses).chain(of_scratch) {
            finding.targets.extend((targets.len() > 1).then_some(options.target.name));
            let is_it = |other: &&mut (TextRange, Finding)| other.0 == about && other.1.code == finding.code;
            match broken.iter_mut().find(is_it) {
                Some((_, known)) if known.targets.contains(&options.target.name) => {}
                Some((_, known)) if targets.len() > 1 => known.targets.append(&mut finding.targets),
                _ => broken.push((about, finding)),
            }
        }
    }
    broken.into_iter().map(|(_, finding)| finding).collect()
}

/// The place of a promise above an item.
pub(super) fn promised(db: &dyn salsa::Database, item: Item<'_>, promise: AttributeId) -> Option<TextRange> {
    let attrs = &queries::lowered(db, item).body.attrs;
    attrs.iter().find(|attr| attr.id == promise).map(|attr| attr.at)
}

/// A promise of `@no_spill`, which machine code alone can break, in ranges of the file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPromise {
    /// The attribute.
    pub at: TextRange,
    /// The loop that it is about, with its body, or the item.
    pub about: TextRange,
    /// True if it is about a loop.
    pub is_of_loop: bool,
}

/// The promises of `@no_spill` of an item, in order.
pub fn register_promises(db: &dyn salsa::Database, item: Item<'_>) -> Vec<RegisterPromise> {
    let lowered = queries::lowered(db, item);
    let start = queries::check::start_of(db, item).unwrap_or_default();
    let dense = dense_map(db, item);
    let in_file = |range: TextRange| dense.to_text(range) + start;
    let whole = TextRange::at(start, TextSize::of(&**item.text(db)));
    let of_item = promised(db, item, AttributeId::NoSpill);
    let of_item = of_item.map(|at| RegisterPromise { at: in_file(at), about: whole, is_of_loop: false });
    let of_loops = lowered.body.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::For { attrs, .. } | Stmt::Foreach { attrs, .. } | Stmt::While { attrs, .. } => {
            let attr = attrs.iter().find(|attr| attr.id == AttributeId::NoSpill)?;
            let about = in_file(lowered.map.stmts[id]);
            Some(RegisterPromise { at: in_file(attr.at), about, is_of_loop: true })
        }
        _ => None,
    });
    let mut all: Vec<_> = of_item.into_iter().chain(of_loops).collect();
    all.sort_by_key(|promise| promise.at.start());
    all
}

/// `@no_copy` above an item that copies an array: a kernel by whatever it calls, a function by itself.
fn of_copies(db: &dyn salsa::Database, item: Item<'_>) -> Option<Finding> {
    let at = promised(db, item, AttributeId::NoCopy)?;
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    let known = of_item(db, item);
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        let copies = facts.arrays.iter().filter(|cost| cost.code == ReasonCode::ArrayCopied);
        let (own, others): (Vec<_>, Vec<_>) = copies.partition(|cost| Some(cost.site.item) == number);
        let Some(first) = own.first().or(others.first().filter(|_| is_kernel)) else { continue };
        let finding = errors::broken_no_copy(at, &first.because);
        // The place of one in a function is that function's.
        return Some(own.iter().fold(finding, |finding, cost| finding.with_related(cost.site.at, "this is copied")));
    }
    None
}

/// `@threads` above a kernel whose iterations cannot be divided.
fn of_threads(db: &dyn salsa::Database, item: Item<'_>) -> Option<Finding> {
    let at = promised(db, item, AttributeId::Threads)?;
    let known = of_item(db, item);
    let gives = queries::lowered(db, item).body.result.is_some();
    let endings = [Some(PART), Some(ITERATIONS), gives.then_some(JOIN)].into_iter().flatten();
    let mut names = endings.map(|ending| format!("{}{ending}", item.name(db)));
    let others = file_items(db, item.file(db)).iter().filter(|other| other.kind(db) == ItemKind::Kernel);
    if let Some(name) = names.find(|name| others.clone().any(|other| **other.name(db) == **name)) {
        return Some(errors::broken_threads(
            at,
            &format!("the function that they call would be `{name}`, and this file has a kernel of that name"),
            "give one of the two kernels another name",
        ));
    }
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        let Some(Err(undivided)) = &facts.parts else { continue };
        let own = undivided.related.iter().filter(|because| Some(because.place.item) == number);
        let finding = errors::broken_threads(at, &undivided.because, undivided.way_out);
        return Some(own.fold(finding, |finding, it| finding.with_related(it.place.at, it.message.clone())));
    }
    None
}

/// `@no_scratch` above an item that needs scratch memory: a kernel for anything, a function for arrays that it makes itself.
fn of_scratch(db: &dyn salsa::Database, item: Item<'_>, known: &ItemFacts, at: TextRange) -> Option<Finding> {
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        let Some(scratch) = &facts.scratch else { continue };
        let own: Vec<_> = scratch.arrays.iter().filter(|(site, _)| Some(site.item) == number).collect();
        if own.is_empty() && !is_kernel {
            continue;
        }
        let finding = errors::broken_no_scratch(at, &scratch.bytes);
        // Arrays of other items are not pointed at: the place of a call would say nothing of them.
        return Some(own.into_iter().fold(finding, |finding, (site, bytes)| {
            finding.with_related(site.at, format!("this array takes {bytes} bytes"))
        }));
    }
    None
}

/// `@simd` above loops that do not become vector code; and above the item, if loops that are written in it do not.
fn of_loops(db: &dyn salsa::Database, item: Item<'_>, known: &ItemFacts) -> Vec<(TextRange, Finding)> {
    let lowered = queries::lowered(db, item);
    let simd = |attrs: &[hir::AttributeUse]| attrs.iter().find(|attr| attr.id == AttributeId::Simd).map(|attr| attr.at);
    let loops = lowered.body.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::For { attrs, .. } | Stmt::Foreach { attrs, .. } | Stmt::While { attrs, .. } => {
            Some((lowered.map.stmts[id], simd(attrs)))
        }
        _ => None,
    });
    let loops: Vec<(TextRange, Option<TextRange>)> = loops.collect();
    let above = simd(&lowered.body.attrs);
    if above.is_none() && loops.iter().all(|(_, own)| own.is_none()) {
        return Vec::new();
    }
    let mut findings: Vec<(TextRange, Finding)> = Vec::new();
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        for promised in facts.promised.iter().filter(|promised| Some(promised.site.item) == number) {
            let own = loops.iter().find(|(at, _)| *at == promised.site.at).and_then(|(_, own)| *own);
            // In a nest, the outermost loop speaks for those inside.
            let is_kept = if own.is_some() { promised.takes_lanes } else { promised.has_lanes || promised.is_inside };
            let Some(at) = own.or(above).filter(|_| !is_kept) else { continue };
            let above = own.is_none().then(|| word_of_loop(db, item, promised.site.at));
            let finding = (promised.site.at, broken_simd(promised, at, above));
            // A function's loop is judged in each call.
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// A loop under `@cost`.
struct Budget {
    of: StmtId,
    /// The place of the attribute.
    at: TextRange,
    /// The cycles that an iteration may take.
    allowed: f64,
}

/// The loops of an item that are under `@cost`.
fn budgets(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Budget> {
    let lowered = queries::lowered(db, item);
    let of_loops = lowered.body.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::For { attrs, .. } | Stmt::Foreach { attrs, .. } | Stmt::While { attrs, .. } => {
            Some((id, attrs.iter().find(|attr| attr.id == AttributeId::Cost)?))
        }
        _ => None,
    });
    let budget = |(id, attr): (StmtId, &hir::AttributeUse)| {
        let value = *queries::infer(db, item).values.get(attr.args.first()?)?;
        Some(Budget { of: id, at: attr.at, allowed: cycles(value)? })
    };
    of_loops.filter_map(budget).collect()
}

/// `@cost` above loops that are estimated to cost more on one of the targets that promises are judged for; told of the one on which the
/// loop is dearest. A loop of which nothing is left behind all passes has no estimate, and costs nothing.
fn of_costs(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Finding> {
    let budgets = budgets(db, item);
    if budgets.is_empty() {
        return Vec::new();
    }
    let targets = MadeFor::get(db).promised(db);
    let mut broken: Vec<Vec<(&'static str, PlacedCost)>> = budgets.iter().map(|_| Vec::new()).collect();
    for &options in targets.iter() {
        db.unwind_if_revision_cancelled();
        for ((budget, broken), cost) in budgets.iter().zip(&mut broken).zip(dearest(db, item, options, &budgets)) {
            let cost = cost.filter(|cost| cost.shown_cycles() > budget.allowed);
            broken.extend(cost.map(|cost| (options.target.name, cost)));
        }
    }
    let finding = |(budget, broken): (&Budget, Vec<(&'static str, PlacedCost)>)| {
        let (name, cost) = broken.iter().max_by(|(_, a), (_, b)| a.cycles().total_cmp(&b.cycles()))?;
        let several = targets.len() > 1;
        let on = several.then_some(*name);
        let mut finding = errors::broken_cost(budget.at, &budget.allowed.to_string(), &cost.in_words(), on);
        finding.targets.extend(broken.iter().filter(|_| several).map(|(name, _)| *name));
        Some(finding)
    };
    budgets.iter().zip(broken).filter_map(finding).collect()
}

/// The estimated cost of each of some loops, in the dearest call of a function.
fn dearest(db: &dyn salsa::Database, item: Item<'_>, options: Options, budgets: &[Budget]) -> Vec<Option<PlacedCost>> {
    let known = of_item_for(db, item, options);
    let map = &queries::lowered(db, item).map;
    let numbers = known.numbers(&queries::key(db, item));
    let mut dearest: Vec<Option<PlacedCost>> = budgets.iter().map(|_| None).collect();
    for ((facts, number), kernel) in known.sources.iter().zip(numbers).zip(sources_of(db, item)) {
        for (own, cost) in facts.loops.iter().zip(costs::of_kernel(db, kernel, options)) {
            let header = map.header_around(own.range.at).filter(|_| Some(own.range.item) == number);
            let at = header.and_then(|header| budgets.iter().position(|budget| budget.of == header.stmt));
            let Some((at, cost)) = at.zip(cost) else { continue };
            if dearest[at].as_ref().is_none_or(|other| other.cycles() < cost.cycles()) {
                dearest[at] = Some(cost);
            }
        }
    }
    dearest
}

/// A `foreach` whose iterations are known to collide, whatever the data.
fn of_foreach(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Finding> {
    let lowered = queries::lowered(db, item);
    let loops = lowered.body.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::Foreach { indices, .. } => Some((lowered.map.stmts[id], indices.len() == 1)),
        _ => None,
    });
    let loops: Vec<(TextRange, bool)> = loops.collect();
    if loops.is_empty() || lowered.body.in_doubt {
        return Vec::new();
    }
    let known = of_item(db, item);
    let mut findings: Vec<Finding> = Vec::new();
    for (facts, number) in known.sources.iter().zip(known.numbers(&queries::key(db, item))) {
        for (site, pair) in facts.collisions.iter().filter(|(site, _)| Some(site.item) == number) {
            let Some((at, single)) = loops.iter().find(|(at, _)| *at == site.at) else { continue };
            let mut finding = errors::foreach_collides(word_of_loop(db, item, *at), *single);
            for because in pair.related.iter().filter(|because| because.place.item == site.item) {
                finding = finding.with_related(because.place.at, because.message.clone());
            }
            if !findings.iter().any(|known| known.at == finding.at) {
                findings.push(finding);
            }
        }
        for unshared in facts.unshared.iter().filter(|it| Some(it.site.item) == number) {
            let finding = of_unshared(db, item, facts, unshared);
            findings.extend(finding.filter(|finding| !findings.iter().any(|known| known.at == finding.at)));
        }
    }
    findings
}

/// A variable that a `foreach` updates and its iterations cannot share.
fn of_unshared(
    db: &dyn salsa::Database,
    item: Item<'_>,
    facts: &KernelFacts,
    unshared: &insight::Unshared,
) -> Option<Finding> {
    let lowered = queries::lowered(db, item);
    let (body, map) = (&lowered.body, &lowered.map);
    let at = unshared.site.at;
    let (indices, block) = body.stmts.iter().find_map(|(id, stmt)| match stmt {
        Stmt::Foreach { indices, body: block, .. } if map.stmts[id] == at => Some((indices, block)),
        _ => None,
    })?;
    // A part of a variable has a name that starts with the variable's.
    let is_it = |name: &str| unshared.name == name || unshared.name.starts_with(&format!("{name}_"));
    let updated = hir::updated_outside(body, block);
    let (local, target) = updated.into_iter().rfind(|(local, _)| is_it(&body.locals[*local].name))?;
    // A variable that only has things joined to it has no order, even where lanes have no form of it.
    let like_fields = &queries::types::infer(db, item).like_fields;
    if !unshared.varies && hir::joined(body, block, like_fields).iter().any(|joined| joined.local == local) {
        return None;
    }
    let shared = errors::Shared {
        at: map.exprs[target],
        name: &body.locals[local].name,
        defined: map.locals[local],
        word: word_of_loop(db, item, at),
        single: indices.len() == 1,
    };
    if !unshared.varies {
        return Some(errors::foreach_update(&shared));
    }
    let mut sums = body.stmts.iter().filter_map(|(_, stmt)| match stmt {
        Stmt::Assign { target: own, op: Some(hir::BinOp::Add), value } if *own == target => Some(map.exprs[*value]),
        _ => None,
    });
    let finding = errors::foreach_update_varies(&shared, sums.next());
    Some(match unshared.step.filter(|&step| facts.is_understood(step)) {
        Some(step) => related(finding, facts, step, "this varies"),
        None => finding,
    })
}

/// The word that a loop starts with, behind its attributes.
fn word_of_loop(db: &dyn salsa::Database, item: Item<'_>, statement: TextRange) -> TextRange {
    let header = queries::lowered(db, item).map.header_around(statement);
    header.and_then(|header| header.word).unwrap_or(statement)
}

/// `word`: that of the loop, if what is said of it stands above the item.
fn broken_simd(promised: &Promised, at: TextRange, word: Option<TextRange>) -> Finding {
    let why: Vec<(&str, &str)> = promised.blockers.iter().map(|it| (&*it.message, it.code.name())).collect();
    let mut finding = errors::broken_simd(at, &why);
    if let Some(word) = word {
        finding = finding.with_related(word, "this loop");
    }
    for because in promised.blockers.iter().flat_map(|blocker| &blocker.related) {
        if because.place.item == promised.site.item {
            finding = finding.with_related(because.place.at, because.message.clone());
        }
    }
    finding
}

struct Judge<'f> {
    known: &'f ItemFacts,
    /// The item's number in each of the facts.
    item: Vec<Option<u32>>,
}

impl Judge<'_> {
    fn judge(&self, ty: &TypeRef, what: &str, is_own: impl Fn(&Step) -> bool) -> Option<Finding> {
        let promise = ty.promise?;
        let own = || {
            self.known.sources.iter().zip(&self.item).flat_map(|(facts, item)| {
                let steps = facts.steps.iter().enumerate().filter(|(_, step)| Some(step.site.item) == *item);
                steps.filter(|(_, step)| is_own(step)).map(move |(n, step)| (facts, n as u32, step))
            })
        };
        let varying = own().find(|(_, _, step)| !step.is_uniform());
        match (promise, varying) {
            (Promise::Uniform, Some((facts, n, _))) => {
                if !facts.is_understood(n) {
                    return None;
                }
                let finding = errors::broken_uniform(word(ty, "uniform"), what);
                Some(related(finding, facts, n, "this varies"))
            }
            // On an array, `varying` is about its elements, which are not looked into.
            (Promise::Varying, None) if ty.sizes.is_empty() && own().next().is_some() => {
                Some(errors::broken_varying(word(ty, "varying"), what))
            }
            _ => None,
        }
    }
}

/// The word of the promise, which a type starts with.
fn word(ty: &TypeRef, word: &str) -> TextRange {
    TextRange::at(ty.at.start(), TextSize::of(word))
}
