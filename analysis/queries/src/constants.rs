//! The values of constants, which are computed before anything runs.
//!
//! A constant that inference folds is known by that alone. For everything else the evaluator runs its expression, within limits that
//! no table of a program reaches. Nothing of that is asked of a constant that leads back to itself, and the findings about the items
//! that it is made of do not depend on it, so no question leads back to itself either.

use std::sync::Arc;

use report::{ItemKey, ItemKind, ReportCode, Severity};

use super::db::{Item, parse};
use super::names::{file_of, key, named};
use super::surface::{body, lowered};
use super::types::{cycle_of, infer, struct_fields};
use hir::Name;
use hir::errors;
use hir::eval::{self, Array, CheckedUnit, Constant, EvalLimits, Program, StopCode};
use hir::finding::{Finding, Place};
use hir::infer::Inference;
use hir::ty::Ty;
use hir::{Body, BodyMap};

/// The limits on what computes one constant.
const LIMITS: EvalLimits = EvalLimits { fuel: 1_000_000, memory: 1 << 26 };

/// The number of elements that a table may have.
const MAX_ELEMENTS: usize = 1 << 16;

/// The value of a constant, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing, as of one with errors.
    Unknown,
    /// The value of a scalar.
    Scalar(ir::Scalar),
    /// The elements of an array.
    Table(Arc<Array>),
    /// The constant has no value, as the finding says.
    Fails(Box<Finding>),
}

/// Returns what is known of the value of a constant.
#[salsa::tracked(returns(ref))]
pub fn const_content<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Content {
    let Some(value) = body(db, item).value else { return Content::Unknown };
    let types = infer(db, item);
    let own = key(db, item);
    let is_data = match &types.signature.result {
        Some(Ty::Array(element, _)) => matches!(**element, Ty::Scalar(_)),
        result => {
            if let Some(&known) = types.values.get(&value) {
                return Content::Scalar(known);
            }
            matches!(result, Some(Ty::Scalar(_)))
        }
    };
    if item.kind(db) != ItemKind::Const || !is_data || cycle_of(db, item).is_some() {
        return Content::Unknown;
    }
    let program = Program::new(own.file, item.name(db).clone(), [], |home, name: &Name| {
        Some(unit(db, named(db, file_of(db, item.file(db), home), name.clone())?))
    });
    let at = lowered(db, item).map.exprs[value];
    let fails = |at, why: &str, inside| Content::Fails(Box::new(errors::constant_fails(at, &own.name, why, inside)));
    match eval::constant(&program, LIMITS) {
        Ok(Some(Constant::Array(table))) if table.cells.len() > MAX_ELEMENTS => {
            fails(at, &format!("a table has up to {MAX_ELEMENTS} elements, and this has {}", table.cells.len()), None)
        }
        Ok(Some(Constant::Array(table))) => Content::Table(Arc::new(table)),
        Ok(Some(Constant::Scalar(value))) => Content::Scalar(value),
        Ok(None) => Content::Unknown,
        Err(error) if error.code == ReportCode::from(StopCode::HasErrors) => Content::Unknown,
        // A failure of another constant is reported there.
        Err(error) if items_of(&error).any(|item| item.kind == ItemKind::Const && *item != own) => Content::Unknown,
        Err(error) => {
            let in_own = |(item, _): &&(_, _)| *item == own;
            let (at, inside) = match error.calls.iter().find(in_own) {
                _ if error.item == own => (error.range, None),
                call => (call.map_or(at, |(_, range)| *range), Some(&error.item).filter(|item| !item.in_prelude())),
            };
            let why = match error.code == ReportCode::from(StopCode::OutOfFuel) {
                true => format!("that takes more than {} steps", LIMITS.fuel),
                false => error.message.clone(),
            };
            fails(at, &why, inside.map(|item| (Place::NameOf(item.clone()), "it stops in here")))
        }
    }
}

/// The value of a constant without a name, which stands in an item.
pub fn compute<'db>(
    db: &'db dyn salsa::Database,
    item: Item<'db>,
    body: &Body,
    map: &BodyMap,
    types: &Inference,
) -> Option<ir::Scalar> {
    let leads_back = |name: &Name| {
        let named = named(db, item.file(db), name.clone());
        named.is_none_or(|of| cycle_of(db, of).is_some())
    };
    if body.references().iter().any(|(_, name)| leads_back(name)) {
        return None;
    }
    // No item has this name.
    let name = Name::from("");
    let own = CheckedUnit {
        key: ItemKey { kind: ItemKind::Const, name: name.clone(), nth: 0, file: key(db, item).file },
        name: name.clone(),
        body: Arc::new(body.clone()),
        map: Arc::new(map.clone()),
        types: Arc::new(types.clone()),
        error: None,
    };
    let program = Program::new(own.key.file, name.clone(), [], |home, of: &Name| match *of == name {
        true => Some(own.clone()),
        false => Some(unit(db, named(db, file_of(db, item.file(db), home), of.clone())?)),
    });
    match eval::constant(&program, LIMITS) {
        Ok(Some(Constant::Scalar(value))) => Some(value),
        _ => None,
    }
}

/// The items in which an evaluation stopped: that of the place, and those that led there.
fn items_of(error: &eval::Error) -> impl Iterator<Item = &ItemKey> {
    error.calls.iter().map(|(item, _)| item).chain([&error.item])
}

/// An item that a constant is made of. Of a struct no types are inferred, since its sizes may be those of constants.
fn unit<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> CheckedUnit {
    let lowered = lowered(db, item);
    let types = match item.kind(db) {
        kind if kind.is_type() => {
            Arc::new(Inference { fields: struct_fields(db, item).clone(), ..Inference::default() })
        }
        _ => infer(db, item).clone(),
    };
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    let found = lowered.findings.iter().chain(&types.findings).find(is_error);
    let syntax_error = parse(db, item).errors.iter().find(|error| error.severity == Severity::Error);
    let error = syntax_error
        .map(|error| (lowered.map.header, error.message.clone()))
        .or_else(|| found.map(|finding| (finding.at, finding.message.clone())));
    CheckedUnit {
        key: key(db, item),
        name: item.name(db).clone(),
        body: lowered.body.clone(),
        map: lowered.map.clone(),
        types,
        error,
    }
}
