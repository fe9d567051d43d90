//! Structs and tuples: values that are several values of Lane IR.
//!
//! A struct is one value for each of its leaves (see [`hir::layout`]), a tuple the values of its parts. Neither is in memory: what is
//! chosen, carried by a loop or given by a function is each value by itself.

use ir::{Attr, Code, Elem, Marks, Scalar as Constant, Type, Value};
use report::TextRange;

use super::{Lower, Lowered};
use hir::layout::Part;
use hir::size::Size;
use hir::ty::Ty;
use hir::vectors::{Arithmetic, Product, Vector};
use hir::{BinOp, ExprId, LocalId, Name};

impl Lower<'_> {
    /// The leaves of a struct; none of one that is not whole.
    pub(super) fn leaves_of(&self, name: &Name) -> Vec<(Name, Elem)> {
        let layout = self.layouts.of(&|name| self.env.fields_of(name), name);
        layout.map(|layout| layout.leaves.clone()).unwrap_or_default()
    }

    /// The leaves of a struct as a program names them, `s.origin.x`; those of an enum have no names, so they are called as it is.
    pub(super) fn paths_of(&self, of: &Name, whole: &str, paths: &mut Vec<String>) {
        let fields = self.env.fields_of(of).unwrap_or_default();
        let is_enum = fields.iter().any(|(field, _)| field.contains('.'));
        for (field, ty) in fields.iter() {
            let path = if is_enum { whole.to_owned() } else { format!("{whole}.{field}") };
            match ty {
                Ty::Struct(inner) => self.paths_of(inner, &path, paths),
                Ty::Array(_, sizes) => cells_of(&path, sizes, paths),
                _ => paths.push(path),
            }
        }
    }

    /// The value of a parameter. A struct is given as an array of one, which is read before anything else.
    pub(super) fn content_of_param(&mut self, param: LocalId, ty: &Ty, given: Lowered) -> Lowered {
        let (Ty::Struct(name), Lowered::View(_)) = (ty, &given) else { return given };
        let at = self.frame().map.locals[param];
        self.set_place(at);
        let first = self.constant(Constant::I64(0));
        let leaves = self.leaves_of(name);
        let mut values = Vec::new();
        for (n, (_, elem)) in leaves.iter().enumerate() {
            let ty = Type::scalar(*elem);
            values.push(match self.column(&given, n) {
                Some(field) => self.op(Code::Load, Attr::None, &[field, first], ty),
                None => self.unknown(ty),
            });
        }
        Lowered::Struct(name.clone(), values)
    }

    /// The part of a struct that a path of fields leads to.
    pub(super) fn part_named(&self, name: &Name, path: &[Name]) -> Option<Part> {
        self.layouts.part(&|name| self.env.fields_of(name), name, path)
    }

    /// A struct of which nothing is known.
    pub(super) fn unknown_struct(&mut self, name: &Name) -> Lowered {
        let leaves = self.leaves_of(name);
        let values = leaves.iter().map(|(_, elem)| self.unknown(Type::scalar(*elem))).collect();
        Lowered::Struct(name.clone(), values)
    }

    /// A struct that is made of the values of its fields.
    pub(super) fn construct(&mut self, name: &Name, fields: Vec<Lowered>) -> Lowered {
        let wanted: Vec<Elem> = self.leaves_of(name).iter().map(|(_, elem)| *elem).collect();
        let mut values = Vec::new();
        for ((field, _), given) in self.env.fields_of(name).unwrap_or_default().iter().zip(&fields) {
            let Some(part) = self.part_named(name, std::slice::from_ref(field)) else { break };
            match (&part.ty, given) {
                (Ty::Array(..), Lowered::Scalar(_) | Lowered::View(_)) => {
                    let elems = wanted.get(part.leaves.clone()).unwrap_or_default();
                    values.extend(self.leaves_for(elems, &part.ty, given));
                }
                _ => flatten(given, &mut values),
            }
        }
        let wanted = wanted.iter().map(|&elem| Type::scalar(elem));
        let fits = values.iter().map(|&value| self.b.kernel().ty(value)).eq(wanted);
        if fits { Lowered::Struct(name.clone(), values) } else { self.unknown_struct(name) }
    }

    /// A function of numbers, for each field where some of the values are structs: what is none counts for each of them.
    pub(super) fn by_fields(
        &mut self,
        values: Vec<Lowered>,
        once: &mut dyn FnMut(&mut Self, &[Value]) -> Value,
    ) -> Lowered {
        let like = values.iter().find(|value| matches!(value, Lowered::Struct(..))).or(values.first());
        let Some(like) = like.cloned() else { return Lowered::Nothing };
        let mut n_fields = Vec::new();
        flatten(&like, &mut n_fields);
        let mut made = Vec::new();
        for field in 0..n_fields.len() {
            let own: Option<Vec<_>> = values.iter().map(|value| value_of_field(value, field)).collect();
            made.push(match own {
                Some(own) => once(self, &own),
                None => self.unknown(Type::scalar(Elem::F32)),
            });
        }
        rebuild(&like, &mut made.into_iter())
    }

    /// An operation on each field of a struct.
    pub(super) fn each_field(&mut self, at: TextRange, code: ir::Code, value: Lowered) -> Lowered {
        self.by_fields(vec![value], &mut |lower, own| {
            lower.set_place(at);
            let ty = lower.b.kernel().ty(own[0]);
            lower.op(code, Attr::None, own, ty)
        })
    }

    /// An operator on structs, that stands at `expr` or is that of an assignment to it; of two that are compared, all fields are.
    pub(super) fn operate_on_structs(&mut self, expr: ExprId, op: BinOp, a: Lowered, b: Lowered) -> Lowered {
        let at = self.at(expr);
        if let (Some(product), Lowered::Struct(_, left), Lowered::Struct(_, right)) =
            (self.frame().inference.products.get(&expr).copied(), &a, &b)
        {
            let made = product.compute(left, right, &mut InKernel { lower: self, at });
            let like = if let Product::ByVector(_) = product { &b } else { &a };
            return rebuild(like, &mut made.unwrap_or_default().into_iter());
        }
        if let (Some(equality), Lowered::Struct(_, left), Lowered::Struct(_, right)) =
            (self.frame().inference.equalities.get(&expr).cloned(), &a, &b)
        {
            let same = equality.compare(op, left, right, &mut InKernel { lower: self, at });
            return same.map_or(Lowered::Nothing, Lowered::Scalar);
        }
        let made = self.by_fields(vec![a, b], &mut |lower, own| lower.arithmetic(op, at, own[0], own[1]));
        let Lowered::Struct(_, fields) = &made else { return made };
        let join = match op {
            BinOp::Eq => BinOp::BitAnd,
            BinOp::Ne => BinOp::BitOr,
            _ => return made,
        };
        let joined = fields.iter().copied().reduce(|a, b| self.arithmetic(join, at, a, b));
        joined.map_or(Lowered::Nothing, Lowered::Scalar)
    }

    /// A struct, or an array of such.
    pub(super) fn is_of_structs(&self, value: &Lowered) -> bool {
        match value {
            Lowered::Struct(..) | Lowered::Fields(..) => true,
            Lowered::View(view) => {
                let item = self.b.kernel().ty(*view).item();
                matches!(item, Some(ir::CellType::Struct(_)))
            }
            _ => false,
        }
    }

    /// An operator on structs, and on arrays of such element by element: what is no array counts for each of them.
    pub(super) fn operate_on_arrays_of_structs(&mut self, expr: ExprId, op: BinOp, sides: [Lowered; 2]) -> Lowered {
        let at = self.at(expr);
        self.over_elements(at, sides, &mut |lower, [a, b]| lower.operate_on_structs(expr, op, a, b))
    }

    /// A function of vectors.
    pub(super) fn of_vectors(&mut self, at: TextRange, vector: Vector, args: &[Lowered], ty: &Ty) -> Lowered {
        let fields = |value: &Lowered| match value {
            Lowered::Struct(_, fields) => Some(fields.clone()),
            _ => None,
        };
        let fields: Option<Vec<_>> = args.iter().map(fields).collect();
        // In a program with errors there may be other structs, and other numbers of them.
        let fit = |fields: &Vec<Vec<Value>>| {
            fields.len() == vector.n_args() && fields.iter().all(|it| vector.takes(it.len()))
        };
        let Some(fields) = fields.filter(fit) else { return self.unknown_of(ty) };
        let made = vector.compute(&fields, &mut InKernel { lower: self, at });
        match (made.unwrap_or_default(), ty) {
            (made, Ty::Struct(name)) => Lowered::Struct(name.clone(), made),
            (made, _) => made.first().map_or(Lowered::Nothing, |&made| Lowered::Scalar(made)),
        }
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
        let a = self.side(at, sides[0], &ty);
        let mut yields = Vec::new();
        flatten(&a, &mut yields);
        self.b.next_block(&yields);
        let b = self.side(at, sides[1], &ty);
        let mut others = Vec::new();
        flatten(&b, &mut others);
        let types =
            |lower: &Self, values: &[Value]| values.iter().map(|&value| lower.b.kernel().ty(value)).collect::<Vec<_>>();
        let wanted = types(self, &yields);
        if types(self, &others) != wanted {
            // One of them was not understood.
            let unknown: Vec<_> = wanted.into_iter().map(|ty| self.placeholder(ty)).collect();
            self.b.close(&unknown);
            return self.unknown_of(&ty);
        }
        let results = self.b.close(&others).to_vec();
        let given = rebuild(&a, &mut results.into_iter());
        self.one_of(test, [a, b], given)
    }

    /// A side of a choice at a place.
    fn side(&mut self, at: TextRange, expr: ExprId, ty: &Ty) -> Lowered {
        let value = self.expr(expr);
        let value = self.fitting(ty, value);
        let value = self.in_columns(value);
        self.check_known(at, ty, (&self.type_of(expr), &value));
        value
    }
}

/// Arithmetic of Lane IR, at a place.
struct InKernel<'k, 'l> {
    lower: &'k mut Lower<'l>,
    at: TextRange,
}

impl Arithmetic for InKernel<'_, '_> {
    type Value = Value;
    type Error = ();

    fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Result<Value, ()> {
        Ok(self.lower.arithmetic(op, self.at, a, b))
    }

    fn constant(&mut self, scalar: Constant) -> Value {
        self.lower.constant(scalar)
    }

    fn number(&mut self, number: i64, like: Value) -> Value {
        let elem = self.lower.b.kernel().ty(like).data_elem().unwrap_or(Elem::F32);
        self.lower.constant(if number == 0 { ir::Scalar::zero(elem) } else { ir::Scalar::one(elem) })
    }

    fn sqrt(&mut self, a: Value) -> Result<Value, ()> {
        let ty = self.lower.b.kernel().ty(a);
        self.lower.set_place(self.at);
        Ok(self.lower.op(Code::Sqrt, Attr::None, &[a], ty))
    }
}

/// The cells of an array in a struct as a program names them: `s.hits[0]`.
fn cells_of(array: &str, sizes: &[Size], paths: &mut Vec<String>) {
    let mut all = vec![String::new()];
    for size in sizes {
        let longer = |start: &String| {
            let comma = if start.is_empty() { "" } else { ", " };
            (0..size.as_constant().unwrap_or(0)).map(|n| format!("{start}{comma}{n}")).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    paths.extend(all.iter().map(|at| format!("{array}[{at}]")));
}

/// The value of a field; of what is no struct, the value itself.
fn value_of_field(lowered: &Lowered, field: usize) -> Option<Value> {
    match lowered {
        Lowered::Struct(_, fields) => fields.get(field).copied(),
        Lowered::Scalar(value) => Some(*value),
        _ => None,
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
