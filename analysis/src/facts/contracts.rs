//! `uniform` and `varying` before types: promises about lanes, which are held against the facts.
//!
//! A promise is about all that a variable comes to be, wherever it is used. `uniform` is broken by one value that varies, in
//! one call; `varying` is broken when there is no value that does.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::{ItemKind, TextRange, TextSize};

use super::{ItemFacts, Step, of_item, related};
use crate::db::Item;
use crate::errors;
use crate::finding::Finding;
use crate::hir::{self, LocalKind, Promise, TypeRef};
use crate::lower::Role;

/// The promises of an item that are broken.
#[salsa::tracked]
pub fn broken<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Vec<Finding>> {
    let lowered = hir::lowered(db, item);
    let is_promise = |ty: &TypeRef| ty.promise.is_some();
    let any = lowered.body.locals.iter().any(|(_, local)| local.ty.as_ref().is_some_and(is_promise));
    if !any && !lowered.body.result.as_ref().is_some_and(is_promise) {
        return Arc::default();
    }
    let known = of_item(db, item);
    let judge = Judge { item: known.numbers(&hir::key(db, item)), known };
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    let mut findings = Vec::new();
    for (id, local) in lowered.body.locals.iter() {
        let Some(ty) = &local.ty else { continue };
        // That parameters of kernels are uniform is a rule of the language, and not found out.
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
            // Of an array it says what its elements are for, which is not looked into.
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
