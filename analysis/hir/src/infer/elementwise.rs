//! Operations on scalars that are given arrays: they work element by element.
//!
//! An argument that is an array counts by its elements, any other for each of them. The arrays among the arguments have one shape,
//! which is the result's.

use ir::{Elem, ElemSet};

use super::Infer;
use crate::builtins::{Builtin, TypeRule, type_of_bits};
use crate::errors;
use crate::size::Size;
use crate::ty::{self, Ty};
use crate::{BinOp, Expr, ExprId, UnaryOp};

/// An argument with its type. Of a function that is applied to elements, the place is that of the function.
pub(super) type Arg = (ExprId, Ty);

/// The sizes of an operation's result; `None` for a scalar.
type Shape = Option<Vec<Size>>;

impl Infer<'_, '_> {
    /// The elements of a type that is an array, or the type itself.
    pub(super) fn element(&self, ty: &Ty) -> Ty {
        match self.table.shallow(ty) {
            Ty::Array(element, _) => *element,
            other => other,
        }
    }

    pub(super) fn is_array(&self, ty: &Ty) -> bool {
        matches!(self.table.known(ty), Ty::Array(..))
    }

    /// The shape that the arrays among some arguments have in common. `Err` when they have none, which is said.
    pub(super) fn shape(&mut self, what: &str, args: &[Arg]) -> Result<Shape, ()> {
        let mut first: Option<(Arg, Vec<Size>)> = None;
        for (arg, ty) in args {
            let known = self.table.shallow(ty);
            let Ty::Array(_, sizes) = &known else { continue };
            let Some(((other, other_type), other_sizes)) = &first else {
                first = Some(((*arg, known.clone()), sizes.clone()));
                continue;
            };
            let shape = |sizes: &Vec<Size>| Ty::Array(Box::new(Ty::Error), sizes.clone());
            self.table.site = Some(*arg);
            match self.table.unify(&shape(other_sizes), &shape(sizes)) {
                Ok(assumed) => self.assume(*arg, assumed),
                Err(clash) => {
                    let sizes = self.show_clash(&clash);
                    let (a, b) = (self.side(*other, other_type, &Ty::Error), self.side(*arg, &known, &Ty::Error));
                    self.find(errors::operands_differ(self.at(*arg), what, a, b, sizes));
                    return Err(());
                }
            }
        }
        Ok(first.map(|(_, sizes)| sizes))
    }

    /// The type of a builtin of scalars for some arguments; `None` for one that is none.
    pub(super) fn elementwise(&mut self, row: &Builtin, args: &[Arg]) -> Option<Ty> {
        if let Some(ty) = self.of_fields(row, args) {
            return Some(ty);
        }
        let what = format!("the arguments of `{}`", row.name);
        let element = match row.shape {
            TypeRule::Same(set, _) => self.same_arguments(row, set, args),
            TypeRule::To(from, to) => {
                self.scalar_argument(row, from, &args[0]);
                self.table.scalar(to)
            }
            TypeRule::Scale(set) => {
                let ty = self.scalar_argument(row, set, &args[0]);
                let (arg, by) = &args[1];
                let by = self.element(by);
                self.fits(*arg, &by, &Ty::Scalar(Elem::I32), &format!("the exponent of `{}`", row.name));
                ty
            }
            TypeRule::Like => {
                self.scalar_argument(row, ElemSet::NUMBERS, &args[0]);
                self.scalar_argument(row, ElemSet::NUMBERS, &args[1])
            }
            TypeRule::Saturate => {
                let to = self.scalar_argument(row, ElemSet::INTEGERS, &args[0]);
                self.scalar_argument(row, ElemSet::NUMBERS, &args[1]);
                to
            }
            TypeRule::Bits(set) => self.bits(row, set, &args[0]),
            TypeRule::Select => self.select(args),
            _ => return None,
        };
        let Ok(shape) = self.shape(&what, args) else { return Some(Ty::Error) };
        Some(match (element, shape) {
            (Ty::Error, _) => Ty::Error,
            (element, Some(sizes)) => Ty::array(element, sizes),
            (element, None) => element,
        })
    }

    /// An argument is a scalar from a set, or an array of such, whose elements have the type that is returned.
    pub(super) fn scalar_argument(&mut self, row: &Builtin, set: ElemSet, (arg, ty): &Arg) -> Ty {
        self.table.site = Some(*arg);
        // Lanes are joined by their scalars.
        let array = self.is_array(ty) && row.crosses_lanes;
        let element = self.element(ty);
        if array || self.table.narrow(&element, set).is_err() {
            let integer = element.scalar().filter(|scalar| scalar.is_integer() && !array);
            let meant = integer.and_then(|integer| match set {
                ElemSet::FLOATS => Some(Elem::F32),
                ElemSet::UNSIGNED | ElemSet::FLOAT_BITS => {
                    Some(integer.to_unsigned()).filter(|elem| set.contains(*elem))
                }
                _ => None,
            });
            let other = match (meant.map(Ty::Scalar), self.table.shallow(ty)) {
                (Some(elem), Ty::Array(_, sizes)) => Ty::array(elem, sizes),
                (meant, _) => meant.unwrap_or(Ty::Error),
            };
            let side = self.side(*arg, ty, &other);
            self.find(errors::builtin_argument(side, row.name, &ty::describe(set), array));
            return Ty::Error;
        }
        element
    }

    fn same_arguments(&mut self, row: &Builtin, set: ElemSet, args: &[Arg]) -> Ty {
        let mut types: Vec<_> = args.iter().map(|arg| (arg.0, self.scalar_argument(row, set, arg))).collect();
        let Some((first, first_type)) = types.first().cloned() else { return Ty::Error };
        for (arg, ty) in types.split_off(1) {
            let what = format!("the arguments of `{}`", row.name);
            if self.same(arg, &what, (first, &first_type), (arg, &ty)) == Ty::Error {
                return Ty::Error;
            }
        }
        first_type
    }

    fn bits(&mut self, row: &Builtin, set: ElemSet, arg: &Arg) -> Ty {
        let ty = self.scalar_argument(row, set, arg);
        match self.table.shallow(&ty) {
            Ty::Scalar(elem) => type_of_bits(elem).map_or(Ty::Error, Ty::Scalar),
            open @ Ty::Var(_) => {
                let others = if set == ElemSet::FLOATS { ElemSet::FLOAT_BITS } else { ElemSet::FLOATS };
                let result = self.table.scalar(others);
                self.calls_of_bits.push((arg.0, open, result.clone()));
                result
            }
            _ => Ty::Error,
        }
    }

    /// The elements that `select` chooses among.
    fn select(&mut self, args: &[Arg]) -> Ty {
        let (condition, ty) = &args[0];
        let element = self.element(ty);
        self.bool(*condition, &element);
        let ((a, a_type), (b, b_type)) = (&args[1], &args[2]);
        let (x, y) = (self.element(a_type), self.element(b_type));
        self.same(*b, "the two values of `select`", (*a, &x), (*b, &y))
    }

    /// `and` and `or` of arrays, which have operators of their own: nothing could be left out where elements differ.
    pub(super) fn logical_of_arrays(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) {
        let Some(&at) = self.map.logical.get(&expr) else { return };
        let loose = |operand: ExprId| match &self.body.exprs[operand] {
            Expr::Binary(op, ..) => op.compares() || op.is_logical() || matches!(op, BinOp::BitOr | BinOp::BitXor),
            Expr::Cond { .. } | Expr::Chain(..) | Expr::Lambda(..) | Expr::Unary(UnaryOp::Not, _) => true,
            _ => false,
        };
        // In the dense text nothing but a parenthesis stands between an operand and its operator.
        let open = [(lhs, self.at(lhs).end() == at.start()), (rhs, self.at(rhs).start() == at.end())];
        let bare = open.into_iter().filter(|&(operand, touches)| touches && loose(operand));
        let bare = bare.map(|(operand, _)| self.at(operand)).collect();
        self.find(errors::logical_of_arrays(at, op, bare));
    }
}
