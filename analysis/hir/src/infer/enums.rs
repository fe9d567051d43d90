//! Enums: values that are made by the names of variants, conversions from and to numbers, and the tests of patterns.

use std::sync::Arc;

use ir::{Elem, ElemSet, Scalar};
use report::{ItemKind, TextRange, TextSize};

use super::Infer;
use super::calls::Takes;
use super::exprs::Sides;
use crate::enums::{Datum, PatternForm, ShownVariant, field_of_datum, fields_of_form, width};
use crate::equality::{Equality, Types};
use crate::errors;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, Name};

impl Infer<'_, '_> {
    /// The definition of an enum.
    pub(super) fn enumeration(&mut self) {
        for variant in &self.body.variants {
            self.check_fields(&variant.data, true);
        }
        let elem = width(self.body);
        if let Some(written) = &self.body.value_type
            && (!written.sizes.is_empty() || written.name.as_deref().and_then(Elem::from_name) != Some(elem))
        {
            self.find(errors::enum_width(written.at));
        }
        let too_large = |number: i128| Scalar::from_wide(elem, number).is_none();
        if let Some(variant) = self.body.variants.iter().find(|variant| too_large(variant.number)) {
            self.find(errors::variant_out_of_range(variant.at, &variant.name, variant.number, elem));
        }
        self.out.fields = Arc::new(super::struct_fields(self.body, &|name| self.env.plain_number(name)));
    }

    pub(super) fn is_enum(&self, name: &Name) -> bool {
        self.env.kind_of(name) == Some(ItemKind::Enum)
    }

    /// The enum whose name an expression is.
    pub(super) fn enum_named(&self, expr: ExprId) -> Option<Name> {
        match &self.body.exprs[expr] {
            Expr::Item(ItemKind::Enum, name) => Some(name.clone()),
            _ => None,
        }
    }

    /// The enum that a value is, by its type.
    fn enum_of(&self, ty: &Ty) -> Option<Name> {
        match self.table.shallow(ty) {
            Ty::Struct(name) if self.is_enum(&name) => Some(name),
            _ => None,
        }
    }

    fn number_type(&self, name: &Name) -> Elem {
        match self.env.fields_of(name).first() {
            Some((_, Ty::Scalar(elem))) => *elem,
            _ => Elem::I32,
        }
    }

    /// A variant of an enum by its name, which ends the expression; or there is a finding.
    fn variant(&mut self, expr: ExprId, name: &Name, variant: &Name) -> Option<ShownVariant> {
        let end = self.at(expr).end();
        let at = TextRange::new(end - TextSize::of(&**variant), end);
        self.variant_at(at, name, variant)
    }

    fn variant_at(&mut self, at: TextRange, name: &Name, variant: &Name) -> Option<ShownVariant> {
        let variants = self.env.variants_of(name);
        if let Some(found) = variants.iter().find(|shown| shown.name == *variant) {
            return Some(found.clone());
        }
        if !self.env.is_header_in_doubt(name) {
            let names: Vec<_> = variants.iter().map(|shown| &*shown.name).collect();
            let finding = errors::unknown_variant(at, variant, name, &names);
            self.find(errors::defined_here(finding, name, self.key_of(name)));
        }
        None
    }

    fn set_number(&mut self, expr: ExprId, name: &Name, number: i128) {
        let number = Scalar::wrap(self.number_type(name), number);
        self.out.numbers.insert(expr, number);
    }

    /// `Kind.Low` as a value.
    pub(super) fn variant_value(&mut self, expr: ExprId, base: ExprId, name: &Name, variant: &Name) -> Ty {
        self.out.exprs.insert(base, Ty::Error);
        let Some(found) = self.variant(expr, name, variant) else { return Ty::Struct(name.clone()) };
        if !found.data.is_empty() {
            self.find(errors::variant_without_data(self.at(expr), name, variant, &found.data));
        }
        self.set_number(expr, name, found.number);
        Ty::Struct(name.clone())
    }

    /// `Shape.Circle(r)`: a value of a variant with its data.
    pub(super) fn construct_variant(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        name: &Name,
        variant: &Name,
        args: &[ExprId],
    ) -> Ty {
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        let made = Ty::Struct(name.clone());
        if let Expr::Field(base, _) = self.body.exprs[callee] {
            self.out.exprs.insert(base, Ty::Error);
        }
        self.out.exprs.insert(callee, Ty::Error);
        let Some(found) = self.variant(callee, name, variant) else { return made };
        self.set_number(expr, name, found.number);
        if found.data.is_empty() {
            self.find(errors::variant_has_no_data(self.at(expr), self.at(callee), name, variant));
            return made;
        }
        let fields = self.fields_of(name);
        let wanted: Vec<_> = fields_of_form(name, variant, &fields)
            .into_iter()
            .filter_map(|own| Some(fields.find(&own)?.1.clone()))
            .collect();
        let full: Name = format!("{name}.{variant}").into();
        let takes = Takes { name: &full, params: &found.data, optional: &[], what: errors::Named::Field };
        let order = match self.order(expr, &takes, args) {
            Ok(order) => self.reorder(expr, order),
            Err(finding) => {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
                return made;
            }
        };
        for ((n, data), wanted) in order.into_iter().zip(&found.data).zip(&wanted) {
            let (arg, ty) = (args[n], &types[n]);
            if let Err(finding) = self.argument(arg, ty, wanted, &format!("`{data}` of `{full}`")) {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
            }
        }
        made
    }

    /// The name of a variant with data as the function that makes a value of these: `map(Shape.Circle, radii)`.
    pub(super) fn constructor_of_variant(&mut self, expr: ExprId, base: ExprId, name: &Name, variant: &Name) -> Ty {
        let made = Ty::Struct(name.clone());
        self.out.exprs.insert(base, Ty::Error);
        let Some(found) = self.variant(expr, name, variant) else { return Ty::Error };
        if found.data.is_empty() {
            return self.variant_value(expr, base, name, variant);
        }
        self.set_number(expr, name, found.number);
        let fields = self.fields_of(name);
        let own = fields_of_form(name, variant, &fields).into_iter();
        let data = own.filter_map(|own| Some(fields.find(&own)?.1.clone()));
        Ty::Fn(data.collect(), Box::new(made))
    }

    /// `Kind(n)`: the variant of a number, which is one of an enum without data.
    pub(super) fn enum_of_number(&mut self, expr: ExprId, callee: ExprId, name: &Name, args: &[ExprId]) -> Ty {
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        self.out.exprs.insert(callee, Ty::Error);
        let made = Ty::Struct(name.clone());
        let variants = self.env.variants_of(name);
        if let Some(with_data) = variants.iter().find(|variant| !variant.data.is_empty()) {
            self.find(errors::enum_with_data_called(self.at(expr), name, &with_data.name, &with_data.data));
            return made;
        }
        let ([arg], [ty]) = (args, &types[..]) else {
            self.find(errors::to_enum_arguments(self.at(expr), name, args.len()));
            return made;
        };
        if self.enum_of(ty).as_ref() == Some(name) {
            self.find(errors::is_enum_already(self.at(expr), self.at(*arg), name));
            return made;
        }
        if self.integer(*arg, ty, "the number of a variant").is_ok() {
            self.out.to_enums.insert(expr, variants.iter().map(|variant| variant.number).collect());
        }
        made
    }

    /// `i32(kind)`: the number of a variant.
    pub(super) fn number_as(&mut self, arg: ExprId, to: Elem) -> Ty {
        if !ElemSet::NUMBERS.contains(to) {
            let ty = self.out.exprs[arg].clone();
            let shown = self.show(&ty);
            self.find(errors::cast_of_no_scalar(self.at(arg), &shown));
        }
        Ty::Scalar(to)
    }

    /// The type of an operator on enums; `None` where no side is one.
    pub(super) fn operator_on_enums(
        &mut self,
        expr: ExprId,
        op: BinOp,
        (lhs, a): (ExprId, &Ty),
        (rhs, b): (ExprId, &Ty),
    ) -> Option<Ty> {
        let name = self.enum_of(a).or_else(|| self.enum_of(b))?;
        let is_array = [a, b].iter().any(|ty| matches!(self.table.shallow(ty), Ty::Array(..)));
        let result = if op.compares() { Ty::Scalar(Elem::Bool) } else { Ty::Error };
        if is_array || !matches!(op, BinOp::Eq | BinOp::Ne) {
            self.find(errors::operator_on_enum(self.at(expr), op, &name));
            return Some(result);
        }
        if self.same(expr, Sides(op), (lhs, a), (rhs, b)) == Ty::Error {
            return Some(result);
        }
        self.compares(expr, &name);
        Some(result)
    }

    /// Keeps how two values of a type are compared, if there are enums with data in them.
    pub(super) fn compares(&mut self, expr: ExprId, name: &Name) {
        let types =
            Types { fields_of: &|name| self.env.fields_of(name), variants_of: &|name| self.env.variants_of(name) };
        if let Some(equality) = Equality::of(&types, name) {
            self.out.equalities.insert(expr, equality);
        }
    }

    // Patterns.

    /// A test of a pattern for the form of a value.
    pub(super) fn is_of_form(&mut self, expr: ExprId, of: ExprId, form: &PatternForm) -> Ty {
        let result = Ty::Scalar(Elem::Bool);
        let ty = self.expr(of);
        let Some(name) = self.type_with_form(of, &ty, form) else { return result };
        let n_own = if self.is_enum(&name) {
            let Some(found) = self.variant_at(form.at, &name, &form.name) else { return result };
            self.set_number(expr, &name, found.number);
            found.data.len()
        } else {
            fields_of_form(&name, &form.name, &self.env.fields_of(&name)).len()
        };
        if let Some(n) = form.n_data.filter(|&n| n as usize != n_own) {
            let finding = errors::pattern_count(self.at(expr), &form.name, n_own, n as usize);
            self.find(errors::defined_here(finding, &name, self.key_of(&name)));
        }
        result
    }

    /// The type that a pattern with a form is for: that of the value, or the one of the file that has it.
    fn type_with_form(&mut self, of: ExprId, ty: &Ty, form: &PatternForm) -> Option<Name> {
        let meant = match &form.of {
            Some(of) => Some(of.clone()),
            None if self.env.kind_of(&form.name) == Some(ItemKind::Struct) => Some(form.name.clone()),
            None => None,
        };
        let known = match self.table.shallow(ty) {
            Ty::Error => return None,
            Ty::Struct(name) => name,
            open @ Ty::Var(_) => {
                let name = meant.clone().or_else(|| self.env.enum_with(&form.name));
                return match name {
                    Some(name) if self.table.unify(&open, &Ty::Struct(name.clone())).is_ok() => Some(name),
                    _ => {
                        self.find(errors::form_of_unknown(form.at, &form.name));
                        None
                    }
                };
            }
            other => {
                let shown = self.show(&other);
                self.find(errors::form_of_other(form.at, &form.name, &shown, self.origin(of)));
                return None;
            }
        };
        let fits = meant.as_ref().is_none_or(|meant| *meant == known) && (meant.is_some() || self.is_enum(&known));
        if !fits {
            let shown = format!("`{known}`");
            self.find(errors::form_of_other(form.at, &form.name, &shown, self.origin(of)));
            return None;
        }
        Some(known)
    }

    /// The type of a part that a pattern takes out of a value.
    pub(super) fn datum(&mut self, of: ExprId, form: &Name, datum: &Datum) -> Ty {
        let ty = self.expr(of);
        let Ty::Struct(name) = self.table.shallow(&ty) else { return Ty::Error };
        let fields = self.fields_of(&name);
        if let Some(found) = field_of_datum(&name, form, datum, &fields) {
            return fields.find(&found).map_or(Ty::Error, |(_, ty)| ty.clone());
        }
        let has_form = **form == *name || self.env.variants_of(&name).iter().any(|variant| variant.name == *form);
        if let Datum::Named(wanted, at) = datum
            && has_form
            && !self.env.is_header_in_doubt(&name)
        {
            let own = fields_of_form(&name, form, &fields);
            let names: Vec<_> = own.iter().map(|own| own.rsplit('.').next().unwrap_or(own)).collect();
            let meant = report::spelling::closest(wanted, &names);
            self.find(errors::unknown_field(*at, wanted, form, meant, &names));
        }
        Ty::Error
    }
}
