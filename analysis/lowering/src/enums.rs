//! Enums: values that are made by variants, their numbers, and the tests of patterns. A value is one value for each leaf, as a struct's
//! is, and the first of them is the number.

use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};

use super::structs::flatten;
use super::{Lower, Lowered};
use hir::enums::{Datum, TAG, field_of_datum, fields_of_form};
use hir::ty::Ty;
use hir::{BinOp, ExprId, Name};

impl Lower<'_> {
    /// A value of a variant with its data; all that belongs to others is zero.
    pub(super) fn variant(&mut self, expr: ExprId, variant: &Name, data: &[Lowered]) -> Lowered {
        let ty = match self.type_of(expr) {
            Ty::Fn(_, result) => *result,
            ty => ty,
        };
        let number = self.frame().inference.numbers.get(&expr).copied();
        let (Ty::Struct(name), Some(number)) = (&ty, number) else { return self.unknown_of(&ty) };
        let leaves = self.leaves_of(name);
        let mut values: Vec<_> = leaves.iter().map(|(_, elem)| self.constant(Constant::zero(*elem))).collect();
        let Some(tag) = values.first_mut() else { return self.unknown_of(&ty) };
        *tag = self.constant(number);
        let fields = fields_of_form(name, variant, &self.env.fields_of(name).unwrap_or_default());
        for (field, given) in fields.into_iter().zip(data) {
            let Some(part) = self.part_named(name, &[field]) else { return self.unknown_of(&ty) };
            let mut own = Vec::new();
            flatten(given, &mut own);
            for (n, slot) in part.leaves.enumerate() {
                let wanted = Type::scalar(leaves[slot].1);
                let given = own.get(n).copied().filter(|&given| self.b.kernel().ty(given) == wanted);
                values[slot] = given.unwrap_or_else(|| self.unknown(wanted));
            }
        }
        Lowered::Struct(name.clone(), values)
    }

    /// An enum without data, which is its number where the caller gives it; with the type of that.
    pub(super) fn plain_enum(&self, ty: &Ty) -> Option<(Name, Elem)> {
        let Ty::Struct(name) = ty else { return None };
        match &self.env.fields_of(name)?[..] {
            [(field, Ty::Scalar(elem))] if **field == *TAG => Some((name.clone(), *elem)),
            _ => None,
        }
    }

    /// The variant of a number, which has to be the number of one.
    pub(super) fn enum_of_number(&mut self, expr: ExprId, arg: ExprId) -> Lowered {
        let ty = self.type_of(expr);
        let numbers = self.frame().inference.to_enums.get(&expr).cloned().unwrap_or_default();
        let Ty::Struct(name) = &ty else { return self.unknown_of(&ty) };
        let Some(&(_, elem)) = self.leaves_of(name).first() else { return self.unknown_of(&ty) };
        let number = self.scalar(arg);
        let known = self.is_number_of(expr, number, &numbers);
        let at = self.at(expr);
        self.set_place(at);
        let _ = self.b.try_fitting(Code::Assert, Attr::None, &[known]);
        let tag = match self.b.kernel().ty(number) == Type::scalar(elem) {
            true => number,
            false => self.op(Code::Cast, Attr::Elem(elem), &[number], Type::scalar(elem)),
        };
        Lowered::Struct(name.clone(), vec![tag])
    }

    /// A number is one of several, which mostly follow each other.
    fn is_number_of(&mut self, expr: ExprId, number: Value, numbers: &[i128]) -> Value {
        let at = self.at(expr);
        let Some(elem) = self.b.kernel().ty(number).elem() else { return self.unknown(Type::scalar(Elem::Bool)) };
        let mut sorted: Vec<_> =
            numbers.iter().copied().filter(|&number| Constant::from_wide(elem, number).is_some()).collect();
        sorted.sort_unstable();
        let mut any: Option<Value> = None;
        for run in sorted.chunk_by(|a, b| *b == a + 1) {
            let (low, high) = (run[0], run[run.len() - 1]);
            let (low, high) = (self.constant(Constant::wrap(elem, low)), self.constant(Constant::wrap(elem, high)));
            let test = match low == high {
                true => self.arithmetic(BinOp::Eq, at, number, low),
                false => {
                    let from = self.arithmetic(BinOp::Ge, at, number, low);
                    let to = self.arithmetic(BinOp::Le, at, number, high);
                    self.arithmetic(BinOp::BitAnd, at, from, to)
                }
            };
            any = Some(match any {
                Some(before) => self.arithmetic(BinOp::BitOr, at, before, test),
                None => test,
            });
        }
        any.unwrap_or_else(|| self.constant(Constant::Bool(false)))
    }

    /// The number of a value of an enum; another value is itself.
    pub(super) fn number_of(&mut self, value: Lowered) -> Lowered {
        match value {
            Lowered::Struct(_, leaves) if !leaves.is_empty() => Lowered::Scalar(leaves[0]),
            value => value,
        }
    }

    /// A test for the form of a value: all values of a struct have its form.
    pub(super) fn is_of_form(&mut self, expr: ExprId, of: ExprId) -> Lowered {
        let at = self.at(expr);
        let value = self.expr(of);
        match (self.frame().inference.numbers.get(&expr).copied(), value) {
            (Some(number), Lowered::Struct(_, leaves)) if !leaves.is_empty() => {
                let number = self.constant(number);
                Lowered::Scalar(self.arithmetic(BinOp::Eq, at, leaves[0], number))
            }
            (None, Lowered::Struct(..)) => Lowered::Scalar(self.constant(Constant::Bool(true))),
            _ => Lowered::Scalar(self.unknown(Type::scalar(Elem::Bool))),
        }
    }

    /// The part of a value that a pattern takes out.
    pub(super) fn datum(&mut self, expr: ExprId, of: ExprId, form: &Name, datum: &Datum) -> Lowered {
        let field = match self.type_of(of) {
            Ty::Struct(name) => field_of_datum(&name, form, datum, &self.env.fields_of(&name).unwrap_or_default()),
            _ => None,
        };
        let ty = self.type_of(expr);
        match field {
            Some(field) => {
                let Lowered::Struct(name, leaves) = self.expr(of) else { return self.unknown_of(&ty) };
                let part = self.part_named(&name, &[field]);
                match part.and_then(|part| Some((leaves.get(part.leaves)?.to_vec(), part.ty))) {
                    Some((leaves, ty)) => self.of_leaves(&leaves, &ty),
                    None => self.unknown_of(&ty),
                }
            }
            None => self.unknown_of(&ty),
        }
    }
}
