//! Elements, rows and slices: what is read and written of arrays.

use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};
use report::TextRange;

use super::arrays::columns;
use super::{Lower, Lowered, Role};
use hir::ty::Ty;
use hir::{Expr, ExprId, Name, Subscript};

impl Lower<'_> {
    pub(super) fn access(&mut self, expr: ExprId) -> Lowered {
        if let Some(part) = self.part_of_struct(expr) {
            return part;
        }
        if let Some(cell) = self.cell_of_before(expr) {
            return Lowered::Scalar(cell);
        }
        let ty = self.type_of(expr);
        match ty {
            Ty::Array(..) => self.view(expr),
            Ty::Struct(ref name) => {
                let Some((place, indices)) = self.cell(expr) else { return self.unknown_of(&ty) };
                self.load_struct(expr, name, &place, &indices)
            }
            _ => match self.cell(expr) {
                Some((place, indices)) => self.load(expr, &place, &indices),
                None => self.unknown_of(&ty),
            },
        }
    }

    /// The array and the subscripts of an element that is read or written: `a[i]`.
    pub(super) fn cell(&mut self, expr: ExprId) -> Option<(Lowered, Vec<Value>)> {
        let body = self.frame().body.clone();
        match &body.exprs[expr] {
            Expr::Index(base, subscripts) => {
                let place = self.expr(*base);
                let mut indices = Vec::new();
                for subscript in subscripts {
                    let Subscript::At(index) = subscript else { return None };
                    indices.push(self.scalar(*index));
                }
                matches!(place, Lowered::View(_) | Lowered::Fields(..)).then_some((place, indices))
            }
            _ => None,
        }
    }

    /// The array of a leaf of an array of structs.
    pub(super) fn column(&mut self, place: &Lowered, field: usize) -> Option<Value> {
        match place {
            Lowered::View(view) => self.leaf_in_memory(*view, field),
            Lowered::Fields(_, columns) => columns.get(field).copied(),
            _ => None,
        }
    }

    pub(super) fn load(&mut self, expr: ExprId, place: &Lowered, indices: &[Value]) -> Lowered {
        if let Ty::Struct(name) = self.type_of(expr) {
            return self.load_struct(expr, &name, place, indices);
        }
        let ty = self.scalar_type(expr);
        let at = self.at(expr);
        self.set_place(at);
        let &Lowered::View(view) = place else { return Lowered::Scalar(self.unknown(ty)) };
        let operands = [&[view], indices].concat();
        Lowered::Scalar(self.op(Code::Load, Attr::None, &operands, ty))
    }

    /// All fields of a struct in an array.
    fn load_struct(&mut self, expr: ExprId, name: &Name, place: &Lowered, indices: &[Value]) -> Lowered {
        let (at, leaves) = (self.at(expr), self.leaves_of(name));
        let values = (0..leaves.len()).map(|n| self.load_field(at, place, n, indices)).collect();
        Lowered::Struct(name.clone(), values)
    }

    /// A leaf of a struct in an array. Each has a place of its own: what becomes of one says nothing of the others.
    pub(super) fn load_field(&mut self, at: TextRange, place: &Lowered, field: usize, indices: &[Value]) -> Value {
        self.set_place(at);
        let Some(field) = self.column(place, field) else { return self.unknown(Type::scalar(Elem::F32)) };
        let operands = [&[field], indices].concat();
        self.op(Code::Load, Attr::None, &operands, Type::scalar(Elem::F32))
    }

    pub(super) fn store(&mut self, target: ExprId, place: &Lowered, indices: &[Value], new: Lowered) {
        let at = self.at(target);
        self.set_place(at);
        self.write(at, Role::Target, &new);
        match (new, place) {
            (Lowered::Scalar(_), Lowered::View(view)) if self.refuses_stores(at, *view) => {}
            (Lowered::Scalar(value), Lowered::View(view)) => {
                let operands = [&[*view], indices, &[value]].concat();
                let _ = self.b.try_fitting(Code::Store, Attr::None, &operands);
            }
            (Lowered::Struct(_, values), place) => {
                for (n, value) in values.into_iter().enumerate() {
                    let Some(field) = self.column(place, n) else { return };
                    let operands = [&[field], indices, &[value]].concat();
                    let _ = self.b.try_fitting(Code::Store, Attr::None, &operands);
                }
            }
            _ => {}
        }
    }

    /// A row or a slice.
    pub(super) fn view(&mut self, expr: ExprId) -> Lowered {
        let body = self.frame().body.clone();
        let at = self.at(expr);
        let Expr::Index(base, subscripts) = &body.exprs[expr] else { return Lowered::Nothing };
        let whole = self.expr(*base);
        let Some(&view) = columns(&whole).first() else { return Lowered::Nothing };
        // All subscripts are evaluated before the first is checked against its dimension.
        let parts: Vec<_> =
            subscripts.iter().enumerate().map(|(n, subscript)| self.bounds(view, n, subscript)).collect();
        self.set_place(at);
        self.with_columns(&whole, |lower, view| lower.part_of(view, &parts))
    }

    /// The part of an array that subscripts leave; `None` for subscripts that do not fit.
    fn part_of(&mut self, mut view: Value, parts: &[Bounds]) -> Option<Value> {
        let mut dim = 0;
        for part in parts {
            let (code, operands) = match *part {
                Bounds::At(index) => (Code::Row, vec![view, index]),
                Bounds::Slice(lo, hi, step) => (Code::Slice, vec![view, lo, hi, step]),
            };
            let op = self.b.try_fitting(code, Attr::Number(dim), &operands).ok()?;
            view = self.b.kernel().ops[op].results[0];
            // An index removes a dimension, a slice keeps it.
            dim += i64::from(code == Code::Slice);
        }
        Some(view)
    }

    /// The values of the subscript of dimension `n` of a view.
    fn bounds(&mut self, view: Value, n: usize, subscript: &Subscript) -> Bounds {
        let (lo, hi, step) = match *subscript {
            Subscript::At(index) => return Bounds::At(self.scalar(index)),
            Subscript::Slice { lo, hi, step } => (lo, hi, step),
        };
        let lo = lo.map(|lo| self.scalar(lo));
        let hi = hi.map(|hi| self.scalar(hi));
        let step = step.map(|step| self.scalar(step));
        let step = step.unwrap_or_else(|| self.constant(Constant::I64(1)));
        let lo = lo.unwrap_or_else(|| self.open_end(view, n, step, true));
        let hi = hi.unwrap_or_else(|| self.open_end(view, n, step, false));
        Bounds::Slice(lo, hi, step)
    }

    /// The start, or the end, of a slice that leaves it out: a step that goes down starts at the last cell and ends behind the
    /// first.
    fn open_end(&mut self, view: Value, n: usize, step: Value, start: bool) -> Value {
        let i64 = Type::scalar(Elem::I64);
        let size = self.op(Code::Size, Attr::Number(n as i64), &[view], i64);
        let (zero, one, before) = (Constant::I64(0), Constant::I64(1), Constant::I64(-1));
        let up = if start { self.constant(zero) } else { size };
        let known = self.b.kernel().as_const(step).and_then(Constant::wide);
        if known.is_some_and(|step| step >= 0) {
            return up;
        }
        let down = if start {
            let one = self.constant(one);
            self.op(Code::WrappingSub, Attr::None, &[size, one], i64)
        } else {
            self.constant(before)
        };
        if known.is_some() {
            return down;
        }
        let elem = self.b.kernel().ty(step).data_elem().unwrap_or(Elem::I64);
        let none = self.constant(Constant::zero(elem));
        let falls = self.op(Code::Lt, Attr::None, &[step, none], Type::scalar(Elem::Bool));
        self.op(Code::Select, Attr::None, &[falls, down, up], i64)
    }
}

/// The values of a subscript.
enum Bounds {
    At(Value),
    Slice(Value, Value, Value),
}
