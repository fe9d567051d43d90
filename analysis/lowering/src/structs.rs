//! Structs and tuples: values that are several values of Lane IR.
//!
//! A struct is one value for each of its leaves (see [`hir::layout`]), a tuple the values of its parts. Neither is in memory: what is
//! chosen, carried by a loop or given by a function is each value by itself.

use ir::{Elem, Marks, Type, Value};

use super::{Lower, Lowered};
use hir::layout::{self, Part};
use hir::ty::Ty;
use hir::{ExprId, Name, NotYet};

impl Lower<'_> {
    /// The leaves of a struct; none of one that is not whole.
    pub(super) fn leaves_of(&self, name: &Name) -> Vec<(Name, Elem)> {
        layout::leaves(&|name| self.env.fields_of(name), name).unwrap_or_default()
    }

    /// The part of a struct that a path of fields leads to.
    pub(super) fn part_of_struct(&self, name: &Name, path: &[Name]) -> Option<Part> {
        layout::part(&|name| self.env.fields_of(name), name, path)
    }

    /// A struct of which nothing is known.
    pub(super) fn unknown_struct(&mut self, name: &Name) -> Lowered {
        let leaves = self.leaves_of(name);
        let values = leaves.iter().map(|(_, elem)| self.unknown(Type::scalar(*elem))).collect();
        Lowered::Struct(name.clone(), values)
    }

    /// A struct that is made of the values of its fields.
    pub(super) fn construct(&mut self, name: &Name, fields: Vec<Lowered>) -> Lowered {
        let mut values = Vec::new();
        fields.iter().for_each(|field| flatten(field, &mut values));
        let wanted: Vec<_> = self.leaves_of(name).iter().map(|(_, elem)| Type::scalar(*elem)).collect();
        let fits = values.iter().map(|&value| self.b.kernel().ty(value)).eq(wanted);
        if fits { Lowered::Struct(name.clone(), values) } else { self.unknown_struct(name) }
    }

    /// A field, or a field of a field, of a struct's value.
    pub(super) fn field_of_value(&mut self, base: ExprId, path: &[Name], ty: &Ty) -> Lowered {
        let Lowered::Struct(name, values) = self.expr(base) else { return self.unknown_of(ty) };
        let part = self.part_of_struct(&name, path);
        match part.and_then(|part| Some((values.get(part.leaves)?.to_vec(), part.ty))) {
            Some((leaves, Ty::Struct(inner))) => Lowered::Struct(inner, leaves),
            Some((leaves, _)) => Lowered::Scalar(leaves[0]),
            None => self.unknown_of(ty),
        }
    }

    /// A struct with a new value of a field, or of a field of a field.
    pub(super) fn with_field(
        &mut self,
        (name, mut values): (Name, Vec<Value>),
        path: &[Name],
        new: &Lowered,
    ) -> Lowered {
        let leaves = self.part_of_struct(&name, path).map_or(0..0, |part| part.leaves);
        let mut given = Vec::new();
        flatten(new, &mut given);
        for (n, slot) in leaves.enumerate() {
            let Some(slot) = values.get_mut(slot) else { continue };
            let ty = self.b.kernel().ty(*slot);
            let given = given.get(n).copied().filter(|&given| self.b.kernel().ty(given) == ty);
            *slot = given.unwrap_or_else(|| self.unknown(ty));
        }
        Lowered::Struct(name, values)
    }

    /// One of the values of a tuple.
    pub(super) fn part_of_tuple(&mut self, tuple: ExprId, number: u32, ty: &Ty) -> Lowered {
        match self.expr(tuple) {
            Lowered::Tuple(mut parts) if (number as usize) < parts.len() => parts.swap_remove(number as usize),
            _ => self.unknown_of(ty),
        }
    }

    /// `a if c else b` of structs or tuples.
    pub(super) fn cond_of_several(&mut self, expr: ExprId, condition: ExprId, sides: [ExprId; 2]) -> Lowered {
        let (at, ty) = (self.at(expr), self.type_of(expr));
        let test = self.condition(condition);
        self.set_place(at);
        self.b.open_if(test);
        *self.b.marks() = Marks::default();
        let a = self.side(sides[0], &ty);
        let mut yields = Vec::new();
        flatten(&a, &mut yields);
        self.b.next_block(&yields);
        let b = self.side(sides[1], &ty);
        let mut others = Vec::new();
        flatten(&b, &mut others);
        let types =
            |lower: &Self, values: &[Value]| values.iter().map(|&value| lower.b.kernel().ty(value)).collect::<Vec<_>>();
        let wanted = types(self, &yields);
        if has_no_values(&a) || types(self, &others) != wanted {
            // One of them was not understood, or has a function among its values.
            let unknown: Vec<_> = wanted.into_iter().map(|ty| self.placeholder(ty)).collect();
            self.b.close(&unknown);
            self.not_yet(at, NotYet::ArrayChoice);
            return self.unknown_of(&ty);
        }
        let results = self.b.close(&others).to_vec();
        rebuild(&a, &mut results.into_iter())
    }

    fn side(&mut self, expr: ExprId, ty: &Ty) -> Lowered {
        let value = self.expr(expr);
        let value = self.fitting(ty, value);
        self.in_columns(value)
    }
}

/// The values that a value is made of, in order. Functions, and zipped arrays, have none.
pub(super) fn flatten(lowered: &Lowered, values: &mut Vec<Value>) {
    match lowered {
        Lowered::Scalar(value) | Lowered::View(value) => values.push(*value),
        Lowered::Struct(_, own) | Lowered::Fields(_, own) => values.extend(own),
        Lowered::Tuple(parts) => parts.iter().for_each(|part| flatten(part, values)),
        Lowered::Zip(_) | Lowered::Function(_) | Lowered::Choice(_) | Lowered::Nothing => {}
    }
}

/// A value like another, made of other values.
pub(super) fn rebuild(like: &Lowered, values: &mut dyn Iterator<Item = Value>) -> Lowered {
    match like {
        Lowered::Scalar(old) => Lowered::Scalar(values.next().unwrap_or(*old)),
        Lowered::View(old) => Lowered::View(values.next().unwrap_or(*old)),
        Lowered::Struct(name, own) => Lowered::Struct(name.clone(), values.take(own.len()).collect()),
        Lowered::Fields(name, own) => Lowered::Fields(name.clone(), values.take(own.len()).collect()),
        Lowered::Tuple(parts) => Lowered::Tuple(parts.iter().map(|part| rebuild(part, values)).collect()),
        other => other.clone(),
    }
}

/// Says whether two values have the same functions in them.
pub(super) fn same_functions(a: &Lowered, b: &Lowered) -> bool {
    match (a, b) {
        (Lowered::Tuple(a), Lowered::Tuple(b)) => a.iter().zip(b).all(|(a, b)| same_functions(a, b)),
        (a, b) => !a.is_function() || a == b,
    }
}

/// Something in it is not made of values.
fn has_no_values(lowered: &Lowered) -> bool {
    match lowered {
        Lowered::Tuple(parts) => parts.iter().any(has_no_values),
        other => matches!(other, Lowered::Zip(_) | Lowered::Function(_) | Lowered::Choice(_) | Lowered::Nothing),
    }
}
