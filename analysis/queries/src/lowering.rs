//! Kernels as Lane IR, and the verdicts on their loops.

use std::sync::Arc;

use facts::dependence::DependenceLimits;
use facts::loops::Loops;
use ir::CancelToken;
use report::{FileId, ItemKind};

use super::db::{Item, equal_kernels};
use super::names::{file_of, key, named, struct_named};
use super::surface::{InDatabase, lowered};
use super::templates;
use super::types::{const_table, const_value, infer, signature, struct_fields};
use hir::eval::Array;
use hir::fields::Fields;
use hir::ty::Signature;
use hir::{BrokenRule, Name};
use lowering as lower;
use lowering::{Lowering, LoweringEnv, Unit, Written};
use passes::Decision;
use passes::arrays::ArrayRefusal;

/// Lowers a kernel to Lane IR with whole arrays.
#[salsa::tracked]
pub fn arrays<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Lowering> {
    if item.kind(db) != ItemKind::Kernel || templates::is_open(db, item) {
        return Arc::default();
    }
    let mut lowering = lower::lower(&InDatabase { db, item }, unit(db, item));
    if let Some(kernel) = lowering.kernel.as_mut().filter(|_| item.template(db).is_some()) {
        Arc::make_mut(kernel).name = templates::symbol(item.name(db));
        // The name of an instance with its arguments is no identifier.
        lowering.is_sound = ir::verify(kernel).is_ok();
    }
    Arc::new(lowering)
}

/// A kernel whose whole arrays have become loops.
#[derive(Debug, PartialEq, Eq)]
pub struct WithoutArrays {
    lowering: Arc<Lowering>,
    /// The places of the new loops that share their source with another loop, behind all others: each with the old place of that source.
    pub places_of_loops: Vec<u32>,
    /// The decisions about arrays.
    pub decisions: Vec<Decision>,
}

/// Lowers a kernel to scalar, sequential Lane IR.
pub fn sequential<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> &'db Arc<Lowering> {
    match without_arrays(db, item) {
        Some(done) => &done.lowering,
        None => arrays(db, item),
    }
}

/// Turns the whole arrays of a kernel into loops; `None` for a kernel that has none.
#[salsa::tracked]
pub fn without_arrays<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<WithoutArrays> {
    let lowering = arrays(db, item);
    let sound = lowering.kernel.as_ref().filter(|kernel| lowering.is_sound && kernel.has_whole_arrays());
    let kernel = sound?;
    let poll = || db.unwind_if_revision_cancelled();
    let limits = DependenceLimits { cancel: CancelToken::new(&poll), ..DependenceLimits::default() };
    let done = passes::arrays::sequential(kernel, &limits);
    let values = lowering.values.iter().filter_map(|written| {
        let (value, block) = (*done.values.get(&written.value)?, *done.regions.get(&written.block)?);
        Some(Written { value, block, ..*written })
    });
    let mut findings = lowering.findings.clone();
    for (origin, refusal) in done.refused {
        let rule = match refusal {
            ArrayRefusal::LateSize => BrokenRule::LateSize,
            ArrayRefusal::WrittenChoice => BrokenRule::HandedOnArray,
        };
        // Places in other items are shown where these are called.
        let own = key(db, item);
        let mut at = Some(origin);
        while let Some(origin) = at {
            let data = kernel.origins[origin];
            match lowering.places.get(data.place as usize) {
                Some((key, range)) if *key == own => {
                    findings.push(hir::errors::broken_rule(*range, rule));
                    break;
                }
                _ => at = data.call,
            }
        }
    }
    let lowering = Lowering {
        values: values.collect(),
        is_sound: ir::verify(&done.kernel).is_ok(),
        kernel: Some(Arc::new(done.kernel)),
        places: lowering
            .places
            .iter()
            .chain(done.places.iter().map(|&place| &lowering.places[place as usize]))
            .cloned()
            .collect(),
        fields: lowering.fields.clone(),
        findings,
    };
    Some(WithoutArrays { lowering: Arc::new(lowering), places_of_loops: done.places, decisions: done.decisions })
}

/// The verdicts on a kernel's loops, with their dependences: iterations can be lanes, or not. They do not depend on what the
/// kernel is made for. Nothing for an item that is no kernel.
#[salsa::tracked]
pub fn verdicts<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Loops> {
    // A kernel that still has whole arrays was not understood.
    let kernel = sequential(db, item).kernel.as_ref().filter(|kernel| !kernel.has_whole_arrays());
    let Some(kernel) = kernel else { return Arc::default() };
    let poll = || db.unwind_if_revision_cancelled();
    equal_kernels(db).verdicts.of(kernel, (), || {
        let limits = DependenceLimits { cancel: CancelToken::new(&poll), ..DependenceLimits::default() };
        facts::loops::loops(kernel, &limits)
    })
}

fn unit<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Unit {
    let lowered = lowered(db, item);
    Unit { key: key(db, item), body: lowered.body.clone(), map: lowered.map.clone(), types: infer(db, item).clone() }
}

impl<'db> InDatabase<'db> {
    /// The item that a name stands for in a file.
    fn named_in(&self, home: FileId, name: &Name) -> Option<Item<'db>> {
        named(self.db, file_of(self.db, self.item.file(self.db), home), name.clone())
    }
}

impl LoweringEnv for InDatabase<'_> {
    fn poll(&self) {
        self.db.unwind_if_revision_cancelled();
    }

    fn unit(&self, home: FileId, name: &Name) -> Option<Unit> {
        Some(unit(self.db, self.named_in(home, name)?))
    }

    fn signature(&self, home: FileId, name: &Name) -> Option<Arc<Signature>> {
        Some(signature(self.db, self.named_in(home, name)?).clone())
    }

    fn const_value(&self, home: FileId, name: &Name) -> Option<ir::Scalar> {
        *const_value(self.db, self.named_in(home, name)?)
    }

    fn const_table(&self, home: FileId, name: &Name) -> Option<Arc<Array>> {
        const_table(self.db, self.named_in(home, name)?).cloned()
    }

    fn fields_of(&self, name: &Name) -> Option<Arc<Fields>> {
        Some(struct_fields(self.db, struct_named(self.db, self.item.file(self.db), name.clone())?).clone())
    }
}
