//! Operators and functions of numbers that are given structs: they work field by field.
//!
//! A struct counts by its scalars, those of structs in it included; a scalar beside it counts for each of them, and they have its type then.

use ir::{Elem, ElemSet};

use super::elementwise::Arg;
use super::exprs::Sides;
use super::{Infer, LikeField};
use crate::builtins::{Builtin, TypeRule};
use crate::errors;
use crate::layout;
use crate::ty::Ty;
use crate::vectors::{Product, Vector};
use crate::{BinOp, ExprId, Name};

/// The matrices of the prelude, by their numbers of rows from 2 on.
const MATRICES: [&str; 3] = ["mat2", "mat3", "mat4"];

impl Infer<'_, '_> {
    /// The scalars of a struct, with their names; `None` for one that is not whole, or has none.
    fn scalars_of(&self, name: &Name) -> Option<Vec<(Name, Elem)>> {
        let leaves = layout::leaves(&|name| Some(self.env.fields_of(name)), name)?;
        Some(leaves).filter(|leaves| !leaves.is_empty())
    }

    /// The name of the first struct among some types.
    fn struct_among<'t>(&self, types: impl IntoIterator<Item = &'t Ty>) -> Option<Name> {
        types.into_iter().find_map(|ty| match self.table.shallow(ty) {
            Ty::Struct(name) if !self.is_enum(&name) => Some(name),
            _ => None,
        })
    }

    /// All scalars of a struct are from a set, or there is a finding at `at`.
    fn are_scalars(&mut self, at: ExprId, what: &str, name: &Name, set: ElemSet) -> Option<Vec<Elem>> {
        let scalars = self.scalars_of(name)?;
        if let Some((field, elem)) = scalars.iter().find(|(_, elem)| !set.contains(*elem)) {
            let finding = errors::field_by_field(self.at(at), what, &crate::ty::describe(set), name, field, *elem);
            self.find(errors::defined_here(finding, name, self.key_of(name)));
            return None;
        }
        Some(scalars.into_iter().map(|(_, elem)| elem).collect())
    }

    /// The one type that all scalars of a struct have, which a scalar beside it needs.
    fn one_type(&mut self, at: ExprId, what: &str, name: &Name, scalars: &[Elem]) -> Option<Elem> {
        let first = *scalars.first()?;
        if let Some(other) = scalars.iter().find(|elem| **elem != first) {
            self.find(errors::fields_of_several_types(self.at(at), what, name, first, *other));
            return None;
        }
        Some(first)
    }

    /// The type of an operator where a side is a struct or an array of such, of which it joins the elements; `None` where none is. What is
    /// known of a product is kept at `key`.
    pub(super) fn on_structs(
        &mut self,
        key: ExprId,
        expr: ExprId,
        op: BinOp,
        (lhs, a): (ExprId, &Ty),
        (rhs, b): (ExprId, &Ty),
    ) -> Option<Ty> {
        if [a, b].iter().all(|ty| self.table.scalar_within(ty).is_some()) {
            return None;
        }
        let (x, y) = (self.element(a), self.element(b));
        let product = self.product(key, expr, op, (lhs, &x), (rhs, &y));
        let element = product.or_else(|| self.operator_on_structs(expr, op, (lhs, &x), (rhs, &y)))?;
        Some(match self.shape(&Sides(op).to_string(), &[(lhs, a.clone()), (rhs, b.clone())]) {
            Ok(Some(sizes)) if element != Ty::Error => Ty::array(element, sizes),
            Ok(None) => element,
            _ => Ty::Error,
        })
    }

    /// The type of an operator on structs, field by field; `None` where no side is one, or the operator has no such meaning.
    pub(super) fn operator_on_structs(
        &mut self,
        expr: ExprId,
        op: BinOp,
        (lhs, a): (ExprId, &Ty),
        (rhs, b): (ExprId, &Ty),
    ) -> Option<Ty> {
        let (a, b) = (self.table.shallow(a), self.table.shallow(b));
        let name = self.struct_among([&a, &b])?;
        let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
        if !is_equality && !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div) {
            return None;
        }
        let wrong = if is_equality { Ty::Scalar(Elem::Bool) } else { Ty::Error };
        if [&a, &b].iter().any(|ty| matches!(ty, Ty::Array(..) | Ty::Tuple(_) | Ty::Fn(..) | Ty::Nothing)) {
            return None;
        }
        let (at, other, other_type) = if matches!(a, Ty::Struct(_)) { (lhs, rhs, &b) } else { (rhs, lhs, &a) };
        let set = if is_equality { ElemSet::ANY } else { ElemSet::NUMBERS };
        let op_text = format!("`{}`", op.text());
        let Some(scalars) = self.are_scalars(at, &op_text, &name, set) else { return Some(wrong) };
        let is_open = matches!(other_type, Ty::Var(var) if self.table.scalars(*var).is_none());
        let by_scalar = !(is_equality || is_open && matches!(op, BinOp::Add | BinOp::Sub));
        if matches!(other_type, Ty::Struct(_) | Ty::Error) || !by_scalar {
            let made = self.same(expr, Sides(op), (lhs, &a), (rhs, &b));
            if is_equality && made != Ty::Error {
                self.compares(expr, &name);
            }
            return Some(if is_equality || made == Ty::Error { wrong } else { Ty::Struct(name) });
        }
        let Some(elem) = self.one_type(at, &op_text, &name, &scalars) else { return Some(wrong) };
        self.table.site = Some(expr);
        if self.table.unify(other_type, &Ty::Scalar(elem)).is_err() {
            let side = |infer: &Self, side: ExprId, ty: &Ty| {
                let to = if side == other { Ty::Scalar(elem) } else { Ty::Error };
                infer.side(side, ty, &to)
            };
            let sides = (side(self, lhs, &a), side(self, rhs, &b));
            self.find(errors::operands_differ(self.at(expr), &Sides(op).to_string(), sides.0, sides.1, None));
            return Some(wrong);
        }
        Some(Ty::Struct(name))
    }

    /// The number of rows of a matrix of the prelude, or a struct like it.
    fn rows_of_matrix(&self, name: &Name) -> Option<usize> {
        let n = MATRICES.iter().position(|matrix| **matrix == **name)? + 2;
        let scalars = self.scalars_of(name)?;
        (scalars.len() == n * n && scalars.iter().all(|(_, elem)| *elem == Elem::F32)).then_some(n)
    }

    /// A product in which a side is a matrix, and the struct that it is; `None` if none is, or the other side is a number. What is no
    /// product of matrices has a finding.
    pub(super) fn product(
        &mut self,
        key: ExprId,
        expr: ExprId,
        op: BinOp,
        (lhs, a): (ExprId, &Ty),
        (rhs, b): (ExprId, &Ty),
    ) -> Option<Ty> {
        let (a, b) = (self.table.shallow(a), self.table.shallow(b));
        let (Ty::Struct(left), Ty::Struct(right)) = (&a, &b) else {
            let Ty::Struct(divisor) = &b else { return None };
            let divides = op == BinOp::Div && self.rows_of_matrix(divisor).is_some();
            divides.then(|| self.find(errors::divides_by_matrix(self.at(expr))))?;
            return Some(Ty::Error);
        };
        let rows = (self.rows_of_matrix(left), self.rows_of_matrix(right));
        if rows == (None, None) || !matches!(op, BinOp::Mul | BinOp::Div) {
            return None;
        }
        if op == BinOp::Div {
            self.find(errors::divides_by_matrix(self.at(expr)));
            return Some(Ty::Error);
        }
        let is_vector = |name: &Name, n: usize| **name == *format!("vec{n}");
        let made = match rows {
            (Some(n), Some(m)) if n == m => Some((Product::Matrices(n), left.clone())),
            (Some(n), None) if is_vector(right, n) => Some((Product::ByVector(n), right.clone())),
            (None, Some(n)) if is_vector(left, n) => Some((Product::OfVector(n), left.clone())),
            _ => None,
        };
        let Some((product, name)) = made else {
            let sides = (self.side(lhs, &a, &Ty::Error), self.side(rhs, &b, &Ty::Error));
            self.find(errors::no_product(self.at(expr), sides.0, sides.1));
            return Some(Ty::Error);
        };
        self.out.products.insert(key, product);
        Some(Ty::Struct(name))
    }

    /// The type of `-v`; `None` for what is no struct, nor an array of structs.
    pub(super) fn negative_struct(&mut self, operand: ExprId, ty: &Ty) -> Option<Ty> {
        let element = self.element(ty);
        let name = self.struct_among([&element])?;
        let scalars = self.are_scalars(operand, "`-`", &name, ElemSet::SIGNED_NUMBERS);
        Some(scalars.map_or(Ty::Error, |_| ty.clone()))
    }

    /// The type of a function of numbers that is given structs, field by field; `None` where it is given none.
    pub(super) fn of_fields(&mut self, row: &Builtin, args: &[Arg]) -> Option<Ty> {
        let TypeRule::Same(set, _) = row.shape else { return None };
        let name = self.struct_among(args.iter().map(|(_, ty)| ty)).filter(|_| !row.crosses_lanes)?;
        let is_struct = |ty: &Ty| matches!(self.table.shallow(ty), Ty::Struct(_));
        let (first, first_type) = args.iter().find(|(_, ty)| is_struct(ty)).cloned()?;
        let what = format!("`{}`", row.name);
        let Some(scalars) = self.are_scalars(first, &what, &name, set) else { return Some(Ty::Error) };
        for (arg, ty) in args {
            let wanted = match self.table.shallow(ty) {
                Ty::Struct(_) | Ty::Error => first_type.clone(),
                _ => match self.one_type(first, &what, &name, &scalars) {
                    Some(elem) => Ty::Scalar(elem),
                    None => return Some(Ty::Error),
                },
            };
            if !self.fits(*arg, ty, &wanted, &format!("what {what} takes for `{name}`")) {
                return Some(Ty::Error);
            }
        }
        Some(Ty::Struct(name))
    }

    /// The type of a function of vectors, of which the first argument is one; `None` where it is none.
    pub(super) fn of_vectors(&mut self, row: &Builtin, vector: Vector, args: &[ExprId]) -> Option<Ty> {
        let first_type = self.expr(*args.first()?);
        if matches!(self.table.shallow(&first_type), Ty::Error) {
            // Nothing tells vectors from arrays.
            args.iter().for_each(|&arg| _ = self.expr(arg));
            return Some(Ty::Error);
        }
        if matches!(self.table.shallow(&first_type), Ty::Var(_)) {
            // A parameter without a type is what stands beside it.
            let others: Vec<_> = args[1..].iter().map(|&arg| self.expr(arg)).collect();
            if let Some(other) = others.iter().find(|ty| matches!(self.table.shallow(ty), Ty::Struct(_))) {
                let _ = self.table.unify(&first_type, other);
            }
        }
        let name = self.struct_among([&first_type]).filter(|_| args.len() == vector.n_args())?;
        let what = format!("`{}`", row.name);
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        let scalars = self.are_scalars(args[0], &what, &name, ElemSet::FLOATS);
        let Some(scalars) = scalars else { return Some(Ty::Error) };
        let Some(elem) = self.one_type(args[0], &what, &name, &scalars) else { return Some(Ty::Error) };
        if vector.of_matrices() && self.rows_of_matrix(&name).is_none() {
            self.find(errors::no_matrix(self.at(args[0]), &what, &name));
            return Some(Ty::Error);
        }
        if vector == Vector::Diagonal {
            let of_vec = (2..=4).contains(&scalars.len()) && *name == *format!("vec{}", scalars.len());
            if !of_vec {
                self.find(errors::no_vector(self.at(args[0]), &what, &name));
                return Some(Ty::Error);
            }
            return Some(Ty::Struct(MATRICES[scalars.len() - 2].into()));
        }
        if vector == Vector::Cross && scalars.len() != 3 {
            self.find(errors::cross_of(self.at(args[0]), &name, scalars.len()));
            return Some(Ty::Error);
        }
        for (&arg, ty) in args.iter().zip(&types).skip(1) {
            if !self.fits(arg, ty, &first_type, &format!("what {what} takes beside `{name}`")) {
                return Some(Ty::Error);
            }
        }
        Some(if vector.gives_vector() { Ty::Struct(name) } else { Ty::Scalar(elem) })
    }

    /// The type of several fields at once, by their letters: `v.zyx` of floats is a vector of the prelude.
    pub(super) fn swizzle(&mut self, expr: ExprId, of: &Name, letters: &Name) -> Option<Ty> {
        if !(2..=4).contains(&letters.len()) {
            return None;
        }
        let scalars = self.scalars_of(of)?;
        let is_meant = |letter: &str| scalars.iter().position(|(field, elem)| &**field == letter && *elem == Elem::F32);
        let numbers: Vec<_> = (0..letters.len()).map(|n| is_meant(letters.get(n..=n)?)).collect::<Option<_>>()?;
        let vector = Name::from(format!("vec{}", letters.len()));
        self.env.kind_of(&vector).filter(|kind| *kind == report::ItemKind::Struct)?;
        let fields = self.scalars_of(&vector)?;
        let fits = fields.len() == letters.len() && fields.iter().all(|(_, elem)| *elem == Elem::F32);
        if !fits {
            return None;
        }
        self.out.like_fields.insert(expr, LikeField::Swizzle(numbers));
        Some(Ty::Struct(vector))
    }
}
