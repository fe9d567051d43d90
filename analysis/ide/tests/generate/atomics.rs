//! Atomic operations, and prefetches.

use super::expressions::Maker;
use super::scope::{Access, Array, Cell, Scope, Var, is_float};
use super::tree::{Expr, Stmt};

/// The operations whose order does not matter, on integers.
const FREE: &[&str] = &["add", "min", "max", "and", "or", "xor"];

/// All operations on integers.
const OF_INTEGERS: &[&str] = &["add", "min", "max", "and", "or", "xor", "exchange"];

/// The types of the cells.
const TYPES: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"];

impl Maker {
    /// The kind of operation by which all iterations of a `foreach` may join something to the cells of an array, once in a while.
    pub(super) fn joined_by(&mut self, array: &Array) -> Option<&'static str> {
        let is_fit =
            is_row(array) && array.access == Access::Free && !matches!(array.cell, Cell::Scalar(ty) if is_float(ty));
        (is_fit && self.one_in(4)).then(|| self.pick(FREE))
    }

    /// An atomic operation, or a prefetch, once in a while.
    pub(super) fn atomic(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let joined: Vec<_> =
            scope.arrays.iter().filter(|array| matches!(array.access, Access::Joined(_))).cloned().collect();
        if !joined.is_empty() && self.one_in(2) {
            let array = self.pick(&joined);
            let Access::Joined(kind) = array.access else { return None };
            return Some(Stmt::Do(self.atomic_call(scope, &array, kind)?));
        }
        if !self.one_in(6) {
            return None;
        }
        if self.one_in(4) {
            let known: Vec<_> = scope.arrays.iter().filter(|array| array.access != Access::None).cloned().collect();
            let array = (!known.is_empty()).then(|| self.pick(&known))?;
            let at = self.open_leaf(scope, "i32");
            return Some(Stmt::Do(Expr::call("prefetch", vec![Expr::name(array.name), at])));
        }
        let fits = |array: &&Array| is_row(array) && Self::writable(array);
        let arrays: Vec<_> = scope.arrays.iter().filter(fits).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let Cell::Scalar(ty) = array.cell else { return None };
        let kind = if is_float(ty) { self.pick(&["add", "exchange"]) } else { self.pick(OF_INTEGERS) };
        let call = self.atomic_call(scope, &array, kind)?;
        if self.rng.bool() {
            return Some(Stmt::Do(call));
        }
        let name = self.fresh("v");
        scope.vars.push(Var { name: name.clone(), ty, updatable: true, within: None, below: None });
        Some(Stmt::Let(name, Some(ty), call))
    }

    fn atomic_call(&mut self, scope: &mut Scope, array: &Array, kind: &str) -> Option<Expr> {
        let Cell::Scalar(ty) = array.cell else { return None };
        let at = match &array.access {
            Access::Own(own) => own[0].clone(),
            _ => self.subscript(scope, &array.dims[0])?,
        };
        let value = self.expr(scope, ty, 2);
        Some(Expr::call(format!("atomic_{kind}"), vec![Expr::name(&*array.name), at, value]))
    }
}

/// Says whether an array has one dimension, and cells that atomic operations work on.
fn is_row(array: &Array) -> bool {
    array.indexes.is_none() && array.dims.len() == 1 && matches!(array.cell, Cell::Scalar(ty) if TYPES.contains(&ty))
}
