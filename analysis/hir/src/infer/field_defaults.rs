//! Default values of the fields of a struct, which a call that makes one may leave out.
//!
//! One is known from its text alone: numbers, arithmetic of numbers, variants of enums, structs that are given all their values, and of a
//! field that is an array a list of such, or one for all its cells.
//! A default names no constant and calls no function, which may be made of the struct itself.

use std::sync::Arc;

use ir::Scalar;
use report::ItemKind;

use super::{Infer, Inference};
use crate::builtins::Means;
use crate::enums::{TAG, fields_of_form};
use crate::errors;
use crate::fields::Fields;
use crate::layout;
use crate::ty::Ty;
use crate::{Body, Expr, ExprId, Name};

impl Infer<'_, '_> {
    /// The default values of a struct's fields fit these.
    pub(super) fn field_defaults(&mut self) {
        let body = self.body;
        for field in &body.fields {
            let Some(default) = field.default else { continue };
            // Whatever may lead back to this struct is not looked at.
            if let Some(part) = self.part_that_is_not_known(default) {
                self.find(errors::default_not_known(self.at(part), &field.name));
                self.without_type(default);
                continue;
            }
            let ty = self.expr(default);
            let number = body.fields.iter().position(|other| other.name == field.name);
            let written = match &field.ty {
                Some(array) if !array.sizes.is_empty() => {
                    number.and_then(|n| self.out.fields.get(n)).map_or(Ty::Error, |(_, ty)| ty.clone())
                }
                Some(written) => self.type_ref(written),
                None => Ty::Error,
            };
            let written = self.or_of_cells(&ty, &written);
            self.fits(default, &ty, &written, &format!("the field `{}`", field.name));
        }
    }

    /// The first part of a default value that its text alone does not say.
    fn part_that_is_not_known(&self, expr: ExprId) -> Option<ExprId> {
        let body = self.body;
        let parts = |parts: &[ExprId]| parts.iter().find_map(|&part| self.part_that_is_not_known(part));
        match &body.exprs[expr] {
            Expr::Missing | Expr::Literal(_) => None,
            Expr::Builtin(builtin) if matches!(builtin.get().means, Means::Number(_)) => None,
            Expr::Unary(_, operand) => self.part_that_is_not_known(*operand),
            Expr::Binary(_, a, b) => parts(&[*a, *b]),
            Expr::Cast(_, args) | Expr::Array(args) => parts(args),
            Expr::Field(base, _) if self.enum_named(*base).is_some() => None,
            Expr::Call(callee, args) => {
                let makes_struct = matches!(&body.exprs[*callee], Expr::Item(ItemKind::Struct, name)
                    if self.env.fields_of(name).len() == args.len());
                let makes_variant =
                    matches!(&body.exprs[*callee], Expr::Field(base, _) if self.enum_named(*base).is_some());
                if makes_struct || makes_variant { parts(args) } else { Some(expr) }
            }
            _ => Some(expr),
        }
    }

    pub(super) fn without_type(&mut self, expr: ExprId) {
        self.out.exprs.insert(expr, Ty::Error);
        let body = self.body;
        body.for_each_part(expr, |part| self.without_type(part));
    }

    /// The numbers of the fields that a call leaves out, with their default values.
    pub(super) fn leave_out(&mut self, call: ExprId, name: &Name, order: &[Option<usize>]) {
        if self.kind == ItemKind::Struct || order.iter().all(Option::is_some) {
            return;
        }
        let defaults = self.env.field_defaults(name);
        let left_out = order.iter().enumerate().filter(|(_, arg)| arg.is_none());
        // One that is not known has its error.
        let left_out = left_out.map(|(n, _)| (n, defaults.get(n).cloned().flatten().unwrap_or_default()));
        self.out.defaults_of_fields.insert(call, left_out.collect());
    }

    /// The scalars of each field's default value, for the fields that have one.
    pub(super) fn values_of_defaults(&mut self) {
        let (env, body, out) = (self.env, self.body, &self.out);
        let fields_of = |name: &Name| env.fields_of(name);
        let known = body.fields.iter().zip(out.fields.iter()).map(|(field, (_, ty))| {
            let default = field.default?;
            let own = scalars(&fields_of, body, out, default)?;
            let n_cells = match ty {
                Ty::Array(_, sizes) => sizes.iter().try_fold(1, |n, size| Some(n * size.as_constant()? as usize))?,
                _ => return Some(own),
            };
            // One value is that of all cells.
            let is_one = matches!(out.exprs.get(default), Some(Ty::Scalar(_)));
            Some(if is_one { own.repeat(n_cells) } else { own })
        });
        let known = known.collect();
        self.out.field_defaults = known;
    }
}

/// The fields of a struct.
type FieldsOf<'f> = &'f dyn Fn(&Name) -> Arc<Fields>;

/// The scalars that a value is made of.
fn scalars(fields_of: FieldsOf<'_>, body: &Body, types: &Inference, expr: ExprId) -> Option<Vec<Scalar>> {
    let name = match types.exprs.get(expr)? {
        Ty::Struct(name) => name,
        Ty::Array(..) => {
            let Expr::Array(cells) = &body.exprs[expr] else { return None };
            let cells: Option<Vec<_>> = cells.iter().map(|&cell| scalars(fields_of, body, types, cell)).collect();
            return cells.map(|cells| cells.concat());
        }
        _ => return Some(vec![*types.values.get(&expr)?]),
    };
    let args = match &body.exprs[expr] {
        Expr::Call(_, args) => types.in_order(expr, args.clone()),
        _ => Vec::new(),
    };
    let given: Option<Vec<_>> = args.iter().map(|&arg| scalars(fields_of, body, types, arg)).collect();
    let given = given?;
    let Some(number) = types.numbers.get(&expr) else { return Some(given.concat()) };
    let variant = match &body.exprs[expr] {
        Expr::Call(callee, _) => *callee,
        _ => expr,
    };
    let Expr::Field(_, variant) = &body.exprs[variant] else { return None };
    let fields = |name: &Name| Some(fields_of(name));
    let mut made: Vec<_> = layout::leaves(&fields, name)?.into_iter().map(|(_, elem)| Scalar::zero(elem)).collect();
    *made.get_mut(layout::part(&fields, name, &[TAG.into()])?.leaves.start)? = *number;
    for (field, own) in fields_of_form(name, variant, &fields_of(name)).into_iter().zip(given) {
        made.get_mut(layout::part(&fields, name, &[field])?.leaves)?.copy_from_slice(&own);
    }
    Some(made)
}
