//! Variables that stand for a part of a constant array, to whose cells nothing is written.
//!
//! A variable that is given a slice or a row stands for that part of the array: `row = TABLE[i]`. One that is given the constant itself has
//! a copy of its own. A variable may be given another array later, in a loop or a branch, so all that it is ever given counts.

use la_arena::ArenaMap;
use report::ItemKind;

use super::Infer;
use crate::errors;
use crate::ty::Ty;
use crate::{Expr, ExprId, LocalId, Name, Over, Stmt};

/// A part of a constant: the constant's name, and the expression that names the part.
type PartOf = (Name, ExprId);

impl Infer<'_, '_> {
    /// Finds assignments to the cells of variables that may be parts of constants.
    pub(super) fn parts_of_constants(&mut self) {
        let body = self.body;
        let names_table = |expr: &Expr| matches!(expr, Expr::Item(ItemKind::Const, _));
        if !body.exprs.iter().any(|(_, expr)| names_table(expr)) {
            return;
        }
        let mut given: ArenaMap<LocalId, PartOf> = ArenaMap::default();
        loop {
            let n_given = given.iter().count();
            for (_, stmt) in body.stmts.iter() {
                let (local, value) = match stmt {
                    Stmt::Define(local, value) => (*local, self.part_of_constant(&given, *value, false)),
                    Stmt::Assign { target, op: None, value } => match body.exprs[*target] {
                        Expr::Local(local) => (local, self.part_of_constant(&given, *value, false)),
                        _ => continue,
                    },
                    Stmt::For { index, over: Over::Elements(array), .. } => {
                        (*index, self.part_of_constant(&given, *array, true))
                    }
                    _ => continue,
                };
                let is_array = matches!(self.out.locals.get(local), Some(Ty::Array(..)));
                if let (Some(part), true, false) = (value, is_array, given.contains_idx(local)) {
                    given.insert(local, part);
                }
            }
            if given.iter().count() == n_given {
                break;
            }
        }
        for (_, stmt) in body.stmts.iter() {
            let Stmt::Assign { target, op, .. } = stmt else { continue };
            let mut base = *target;
            while let Expr::Index(inner, _) | Expr::Field(inner, _) = &body.exprs[base] {
                base = *inner;
            }
            let Expr::Local(local) = body.exprs[base] else { continue };
            // Another array takes the place of a name's, and its cells are not written to.
            let is_named_anew = base == *target && op.is_none();
            if let (Some((name, part)), false) = (given.get(local), is_named_anew) {
                let finding = errors::writes_part_of_constant(self.at(*target), name, self.at(*part));
                self.find(finding);
            }
        }
    }

    /// The constant that an array is a part of. `inside` says that it is not by itself what a variable is given, which would copy it.
    fn part_of_constant(&self, given: &ArenaMap<LocalId, PartOf>, expr: ExprId, inside: bool) -> Option<PartOf> {
        let of = |expr: &ExprId| self.part_of_constant(given, *expr, true);
        match &self.body.exprs[expr] {
            Expr::Item(ItemKind::Const, name) if inside => Some((name.clone(), expr)),
            Expr::Local(local) => given.get(*local).cloned(),
            Expr::Index(base, _) => of(base).map(|(name, _)| (name, expr)),
            Expr::Cond { then_value, else_value, .. } => of(then_value).or_else(|| of(else_value)),
            _ => None,
        }
    }
}
