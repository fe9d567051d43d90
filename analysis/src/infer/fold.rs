//! The end of an inference: defaults, what becomes generic, and the values of constant expressions.

use ir::{Elem, ElemSet};
use report::ItemKind;
use rustc_hash::FxHashMap;

use super::{Infer, Inference};
use crate::builtins::AttributeArgs;
use crate::errors;
use crate::hir::{BinOp, Expr, ExprId, Literal, LocalKind, Range, Stmt, Subscript, UnaryOp};
use crate::size::{Atom, Size};
use crate::ty::{Signature, Ty};

/// A value that is known without running anything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// An integer of some type, in whose range it is.
    Int(i128),
    /// A float; one of type `f32` is exactly representable as such.
    Float(f64),
    /// A bool.
    Bool(bool),
}

impl Value {
    /// The value as the size of an array.
    pub fn as_size(self) -> Option<i64> {
        match self {
            Value::Int(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }
}

impl Value {
    /// The value in as many digits as its type needs.
    pub fn of_type(self, ty: &Ty) -> String {
        match (self, ty.scalar()) {
            (Value::Float(value), Some(Elem::F32)) => format!("{:?}", value as f32),
            _ => self.to_string(),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Bool(value) => write!(f, "{value}"),
        }
    }
}

impl Infer<'_, '_> {
    pub(super) fn finish(mut self) -> Inference {
        self.leftovers();
        self.check_assumptions();
        let signature = if self.kind == ItemKind::Fn {
            let signature = self.generalise();
            self.settle();
            signature
        } else {
            // Only a function leaves anything open to its callers, so here the defaults, and who has them, come first.
            self.settle();
            self.generalise()
        };
        let mut folder = Folder { infer: &mut self, values: FxHashMap::default() };
        folder.all();
        let values = folder.values;
        self.out.values = values;
        self.bounds();
        self.attribute_arguments();
        self.out.signature = std::sync::Arc::new(signature);
        self.out.exprs.shrink_to_fit();
        self.out.locals.shrink_to_fit();
        self.out.findings.sort_by_key(|finding| (finding.at.start(), finding.at.end()));
        self.out
    }

    /// Expressions that no statement asked about: the arguments of attributes.
    fn leftovers(&mut self) {
        for (expr, _) in self.body.exprs.iter() {
            if !self.out.exprs.contains_idx(expr) {
                let n_findings = self.out.findings.len();
                self.expr(expr);
                self.out.findings.truncate(n_findings);
            }
        }
    }

    /// Sizes that had to be assumed equal while something about them was open, and turn out to differ.
    fn check_assumptions(&mut self) {
        for (site, a, b) in std::mem::take(&mut self.out.assumptions) {
            let (a, b) = (self.table.resolve_size(&a), self.table.resolve_size(&b));
            match a.minus(&b).and_then(|difference| difference.as_constant()) {
                Some(0) => {}
                Some(_) => {
                    let (a, b) = (self.show_size(&a), self.show_size(&b));
                    self.find(errors::assumed_sizes_differ(self.at(site), &a, &b));
                }
                None => self.out.assumptions.push((site, a, b)),
            }
        }
    }

    /// What others see of the item. In a function, what is open in its parameters and result becomes generic.
    fn generalise(&mut self) -> Signature {
        let mut signature = Signature {
            crosses_lanes: self.crosses_lanes,
            in_doubt: self.body.header_in_doubt,
            ..Signature::default()
        };
        let mut sizes = Generics::default();
        for (local, data) in self.body.locals.iter() {
            if data.kind == LocalKind::Size {
                sizes.get(&Atom::Local(local));
            }
        }
        let params: Vec<_> = self
            .body
            .params
            .iter()
            .map(|&param| (self.body.locals[param].name.clone(), self.out.locals[param].clone()))
            .collect();
        for (name, ty) in params {
            let ty = self.outward(&ty, &mut signature, &mut sizes);
            signature.params.push((name, ty));
        }
        signature.result = self.result.clone().map(|ty| self.outward(&ty, &mut signature, &mut sizes));
        signature.n_sizes = sizes.known.len() as u32;
        signature
    }

    fn outward(&mut self, ty: &Ty, signature: &mut Signature, sizes: &mut Generics) -> Ty {
        let ty = self.table.resolve(ty);
        for var in open_in(&ty) {
            if self.kind == ItemKind::Fn {
                let set = self.table.scalars(var);
                let generic = Ty::Generic(signature.generics.len() as u32);
                signature.generics.push(set);
                self.table.make_generic(var, generic);
            } else {
                self.table.settle(var);
            }
        }
        let params = &self.body.params;
        let locals = &self.body.locals;
        self.table.resolve(&ty).replace(&mut |_| None, &mut |size| {
            let outward = size.replace(&mut |atom| match atom {
                Atom::Local(local) if locals[*local].kind == LocalKind::Param => {
                    params.iter().position(|param| param == local).map(|n| Size::atom(Atom::Param(n as u32)))
                }
                atom => Some(Size::atom(Atom::Generic(sizes.get(atom)))),
            });
            outward.unwrap_or_else(|| Size::atom(Atom::Generic(sizes.get(&Atom::Unknown(u32::MAX)))))
        })
    }

    /// Gives every type that is still open its default, and every expression and local its final type.
    fn settle(&mut self) {
        // Who is open is asked of all before any is settled: several may share one variable.
        for (local, ty) in self.out.locals.iter() {
            if !open_in(&self.table.resolve(ty)).is_empty() {
                self.out.defaulted.insert(local);
            }
        }
        let locals = self.out.locals.iter().map(|(_, ty)| ty);
        let exprs = self.out.exprs.iter().map(|(_, ty)| ty);
        for ty in locals.chain(exprs) {
            for var in open_in(&self.table.resolve(ty)) {
                self.table.settle(var);
            }
        }
        for (_, ty) in self.out.exprs.iter_mut() {
            *ty = self.table.resolve(ty);
        }
        for (_, ty) in self.out.locals.iter_mut() {
            *ty = self.table.resolve(ty);
        }
    }

    /// Indices and steps whose values are known.
    fn bounds(&mut self) {
        let body = self.body;
        for (_, data) in body.exprs.iter() {
            if let Expr::Index(base, subscripts) = data {
                self.index_bounds(*base, subscripts);
            }
        }
        for (_, stmt) in body.stmts.iter() {
            let ranges: Vec<&Range> = match stmt {
                Stmt::For { range, .. } => vec![range],
                Stmt::Foreach { indices, .. } => indices.iter().map(|(_, range)| range).collect(),
                _ => continue,
            };
            for step in ranges.into_iter().filter_map(|range| range.step) {
                if self.out.values.get(&step) == Some(&Value::Int(0)) {
                    self.find(errors::zero_step(self.at(step)));
                }
            }
        }
    }

    /// What the form of an attribute's arguments does not say: that `@alias` names arrays, and what a constant's value is.
    fn attribute_arguments(&mut self) {
        let body = self.body;
        let on_loops = body.stmts.iter().flat_map(|(_, stmt)| match stmt {
            Stmt::For { attrs, .. } | Stmt::Foreach { attrs, .. } | Stmt::While { attrs, .. } => attrs.as_slice(),
            _ => &[],
        });
        for attr in body.attrs.iter().chain(on_loops) {
            let known = attr.id.get();
            let fits = |&arg: &ExprId| match known.args {
                AttributeArgs::None => true,
                AttributeArgs::Count(limit) => match (&body.exprs[arg], self.out.values.get(&arg)) {
                    (Expr::Item(..), Some(Value::Int(value))) => (1..=i128::from(limit)).contains(value),
                    (Expr::Item(..), value) => value.is_none(),
                    _ => true,
                },
                AttributeArgs::Arrays => match &body.exprs[arg] {
                    Expr::Local(local) => {
                        let array = matches!(self.out.locals.get(*local), Some(Ty::Array(..) | Ty::Error));
                        array && body.locals[*local].kind == LocalKind::Param
                    }
                    _ => true,
                },
            };
            if !attr.args.iter().all(fits) {
                self.find(errors::attribute_arguments(attr.at, known));
            }
        }
    }

    fn index_bounds(&mut self, base: ExprId, subscripts: &[Subscript]) {
        let Some(Ty::Array(_, sizes)) = self.out.exprs.get(base).cloned() else { return };
        for (subscript, size) in subscripts.iter().zip(&sizes) {
            let size = size.as_constant();
            match subscript {
                Subscript::At(index) => {
                    let Some(value) = self.known_integer(*index) else { continue };
                    if value < 0 || size.is_some_and(|size| value >= i128::from(size)) {
                        self.find(errors::index_out_of_range(self.at(*index), value, size));
                    }
                }
                Subscript::Slice { lo, hi, .. } => self.slice_bounds(*lo, *hi, size),
            }
        }
    }

    /// A slice starts and ends within its dimension; its end may be right behind it.
    fn slice_bounds(&mut self, lo: Option<ExprId>, hi: Option<ExprId>, size: Option<i64>) {
        for bound in [lo, hi].into_iter().flatten() {
            let Some(value) = self.known_integer(bound) else { continue };
            if value < 0 || size.is_some_and(|size| value > i128::from(size)) {
                self.find(errors::slice_out_of_range(self.at(bound), value, size));
                return;
            }
        }
        if let (Some(lo), Some(hi)) = (lo, hi)
            && let (Some(start), Some(end)) = (self.known_integer(lo), self.known_integer(hi))
            && end < start
        {
            self.find(errors::slice_backwards(self.at(lo).cover(self.at(hi)), start, end));
        }
    }

    fn known_integer(&self, expr: ExprId) -> Option<i128> {
        match self.out.values.get(&expr) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }
}

/// Sizes that each call has its own of, by what they are inside.
#[derive(Default)]
struct Generics {
    known: Vec<Atom>,
}

impl Generics {
    fn get(&mut self, atom: &Atom) -> u32 {
        let n = self.known.iter().position(|known| known == atom);
        n.unwrap_or_else(|| {
            self.known.push(atom.clone());
            self.known.len() - 1
        }) as u32
    }
}

/// The variables in a type that nothing has decided, each once.
fn open_in(ty: &Ty) -> Vec<u32> {
    let mut open = Vec::new();
    collect_open(ty, &mut open);
    open
}

fn collect_open(ty: &Ty, open: &mut Vec<u32>) {
    match ty {
        Ty::Var(var) if !open.contains(var) => open.push(*var),
        Ty::Array(element, _) => collect_open(element, open),
        Ty::Tuple(parts) => parts.iter().for_each(|part| collect_open(part, open)),
        Ty::Fn(params, result) => {
            params.iter().for_each(|param| collect_open(param, open));
            collect_open(result, open);
        }
        _ => {}
    }
}

/// Works out the values of constant expressions, bottom up; an error in one has one finding, where it happens.
struct Folder<'i, 'a, 'db> {
    infer: &'i mut Infer<'a, 'db>,
    values: FxHashMap<ExprId, Value>,
}

impl Folder<'_, '_, '_> {
    fn all(&mut self) {
        // The literal of `-128` is 128, which as such would not fit: such a literal has its value as a part alone.
        let body = self.infer.body;
        let negated: FxHashMap<ExprId, ExprId> = body
            .exprs
            .iter()
            .filter_map(|(expr, data)| match data {
                Expr::Unary(UnaryOp::Neg, operand) if matches!(body.exprs[*operand], Expr::Literal(_)) => {
                    Some((*operand, expr))
                }
                _ => None,
            })
            .collect();
        // Parts come before what they are parts of in the arena.
        for (expr, data) in self.infer.body.exprs.iter() {
            let Some(scalar) = self.infer.out.exprs.get(expr).and_then(Ty::scalar) else {
                // The elements of an array are all divided by one number, or shifted by it.
                if let Expr::Binary(op, lhs, rhs) = data {
                    self.right_side(expr, *op, *lhs, *rhs);
                }
                continue;
            };
            let value = match data {
                Expr::Literal(_) if negated.contains_key(&expr) => None,
                Expr::Literal(literal) => self.literal(expr, *literal, scalar),
                Expr::Unary(UnaryOp::Neg, operand) if negated.contains_key(operand) => {
                    self.negative_literal(expr, *operand, scalar)
                }
                Expr::Item(ItemKind::Const, name) => self.infer.const_value(name),
                Expr::Unary(op, operand) => self.unary(expr, *op, *operand, scalar),
                Expr::Binary(op, lhs, rhs) => self.binary(expr, *op, *lhs, *rhs),
                Expr::Cond { condition, then_value, else_value } => match self.values.get(condition) {
                    Some(Value::Bool(true)) => self.values.get(then_value).copied(),
                    Some(Value::Bool(false)) => self.values.get(else_value).copied(),
                    _ => None,
                },
                Expr::Cast(to, args) => args.first().and_then(|arg| self.cast(expr, *to, *arg)),
                _ => None,
            };
            if let Some(value) = value {
                self.values.insert(expr, value);
            }
        }
        for (_, stmt) in self.infer.body.stmts.iter() {
            if let Stmt::Assign { target, op: Some(op), value } = stmt {
                self.right_side(*value, *op, *target, *value);
            }
        }
    }

    fn find(&mut self, finding: crate::finding::Finding) {
        self.infer.find(finding);
    }

    fn at(&self, expr: ExprId) -> report::TextRange {
        self.infer.at(expr)
    }

    fn literal(&mut self, expr: ExprId, literal: Literal, scalar: Elem) -> Option<Value> {
        match literal {
            Literal::Bool(value) => Some(Value::Bool(value)),
            Literal::Float(value) => self.float(expr, value, scalar),
            Literal::Int(value) if scalar.is_float() => self.float(expr, value as f64, scalar),
            Literal::Int(value) => self.integer(expr, value as i128, scalar),
        }
    }

    fn negative_literal(&mut self, expr: ExprId, operand: ExprId, scalar: Elem) -> Option<Value> {
        match self.infer.body.exprs[operand] {
            Expr::Literal(Literal::Int(value)) if scalar.is_integer() => self.integer(expr, -(value as i128), scalar),
            Expr::Literal(literal) => match self.literal(operand, literal, scalar)? {
                Value::Float(value) => Some(Value::Float(-value)),
                _ => None,
            },
            _ => None,
        }
    }

    fn integer(&mut self, expr: ExprId, value: i128, scalar: Elem) -> Option<Value> {
        let (min, max) = scalar.integer_range()?;
        if !(min..=max).contains(&value) {
            self.find(errors::number_out_of_range(self.at(expr), &value.to_string(), scalar));
            return None;
        }
        Some(Value::Int(value))
    }

    fn float(&mut self, expr: ExprId, value: f64, scalar: Elem) -> Option<Value> {
        let rounded = round(value, scalar);
        if rounded.is_infinite() && value.is_finite() {
            self.find(errors::number_out_of_range(self.at(expr), &format!("{value:?}"), scalar));
            return None;
        }
        Some(Value::Float(rounded))
    }

    fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId, scalar: Elem) -> Option<Value> {
        match (op, *self.values.get(&operand)?) {
            (UnaryOp::Plus, value) => Some(value),
            (UnaryOp::Neg, Value::Float(value)) => Some(Value::Float(-value)),
            (UnaryOp::Neg, Value::Int(value)) => self.int(expr, -value, scalar),
            (UnaryOp::BitNot, Value::Int(value)) => Some(Value::Int(wrap(!value, scalar)?)),
            (UnaryOp::Not, Value::Bool(value)) => Some(Value::Bool(!value)),
            _ => None,
        }
    }

    /// An integer result: signed ones that leave their range are an error, unsigned ones wrap.
    fn int(&mut self, expr: ExprId, value: i128, scalar: Elem) -> Option<Value> {
        let (min, max) = scalar.integer_range()?;
        if (min..=max).contains(&value) {
            return Some(Value::Int(value));
        }
        if ElemSet::SIGNED.contains(scalar) {
            self.find(errors::constant_overflow(self.at(expr), value, scalar));
            return None;
        }
        Some(Value::Int(wrap(value, scalar)?))
    }

    fn binary(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<Value> {
        let scalar = self.infer.out.exprs.get(lhs)?.scalar()?;
        if !self.right_side(expr, op, lhs, rhs) {
            return None;
        }
        let right = self.values.get(&rhs).copied();
        let left = *self.values.get(&lhs)?;
        match (op, left) {
            (BinOp::And, Value::Bool(false)) => return Some(Value::Bool(false)),
            (BinOp::Or, Value::Bool(true)) => return Some(Value::Bool(true)),
            _ => {}
        }
        match (left, right?) {
            (Value::Int(a), Value::Int(b)) => self.ints(expr, op, a, b, scalar),
            (Value::Float(a), Value::Float(b)) => floats(op, a, b, scalar),
            (Value::Bool(a), Value::Bool(b)) => bools(op, a, b),
            _ => None,
        }
    }

    /// Whether a known right side does no harm: is no divisor of 0 and no shift by too much.
    fn right_side(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> bool {
        let element = match self.infer.out.exprs.get(lhs) {
            Some(Ty::Array(element, _)) => element.scalar(),
            other => other.and_then(Ty::scalar),
        };
        let (Some(scalar), Some(Value::Int(right))) = (element, self.values.get(&rhs).copied()) else { return true };
        match op {
            BinOp::Div | BinOp::FloorDiv | BinOp::Rem if right == 0 => {
                self.find(errors::division_by_zero(self.at(expr), self.at(rhs)));
                false
            }
            BinOp::Shl | BinOp::Shr if !(0..i128::from(scalar.bits())).contains(&right) => {
                self.find(errors::shift_out_of_range(self.at(rhs), right, scalar));
                false
            }
            _ => true,
        }
    }

    fn ints(&mut self, expr: ExprId, op: BinOp, a: i128, b: i128, scalar: Elem) -> Option<Value> {
        let value = match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            BinOp::Mul => a.checked_mul(b)?,
            BinOp::Div => a / b,
            BinOp::FloorDiv => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
            BinOp::Rem => a % b,
            BinOp::Pow => {
                let power = u32::try_from(b).ok()?;
                match a.checked_pow(power) {
                    Some(value) => value,
                    None if ElemSet::SIGNED.contains(scalar) => {
                        self.find(errors::constant_overflow(self.at(expr), i128::MAX, scalar));
                        return None;
                    }
                    None => return None,
                }
            }
            BinOp::BitAnd => a & b,
            BinOp::BitOr => a | b,
            BinOp::BitXor => a ^ b,
            // Bits that leave at the top are lost, as for any shift.
            BinOp::Shl => return Some(Value::Int(wrap(a << b, scalar)?)),
            BinOp::Shr => a >> b,
            _ => return compare(op, &a, &b),
        };
        self.int(expr, value, scalar)
    }

    fn cast(&mut self, expr: ExprId, to: Elem, arg: ExprId) -> Option<Value> {
        match (*self.values.get(&arg)?, to) {
            (Value::Bool(value), Elem::Bool) => Some(Value::Bool(value)),
            (Value::Bool(value), to) if to.is_float() => Some(Value::Float(f64::from(u8::from(value)))),
            (Value::Bool(value), _) => Some(Value::Int(i128::from(value))),
            (Value::Int(value), Elem::Bool) => Some(Value::Bool(value != 0)),
            (Value::Int(value), Elem::F32) => Some(Value::Float(f64::from(value as f32))),
            (Value::Int(value), Elem::F64) => Some(Value::Float(value as f64)),
            (Value::Int(value), to) => Some(Value::Int(wrap(value, to)?)),
            (Value::Float(value), Elem::Bool) => Some(Value::Bool(value != 0.0)),
            (Value::Float(value), to) if to.is_float() => Some(Value::Float(round(value, to))),
            (Value::Float(value), to) => {
                let (min, max) = to.integer_range()?;
                let whole = value.trunc();
                if !(whole >= min as f64 && whole <= max as f64 && whole as i128 <= max) {
                    self.find(errors::number_out_of_range(self.at(expr), &format!("{value:?}"), to));
                    return None;
                }
                Some(Value::Int(whole as i128))
            }
        }
    }
}

fn floats(op: BinOp, a: f64, b: f64, scalar: Elem) -> Option<Value> {
    // A result in f64, rounded once more, is the f32 result for these four: f64 has more than twice the digits.
    let value = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        _ => return compare(op, &a, &b),
    };
    Some(Value::Float(round(value, scalar)))
}

fn compare<T: PartialOrd>(op: BinOp, a: &T, b: &T) -> Option<Value> {
    Some(Value::Bool(match op {
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        BinOp::Ge => a >= b,
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        _ => return None,
    }))
}

fn bools(op: BinOp, a: bool, b: bool) -> Option<Value> {
    Some(Value::Bool(match op {
        BinOp::And | BinOp::BitAnd => a & b,
        BinOp::Or | BinOp::BitOr => a | b,
        BinOp::BitXor | BinOp::Ne => a != b,
        BinOp::Eq => a == b,
        _ => return None,
    }))
}

fn round(value: f64, scalar: Elem) -> f64 {
    if scalar == Elem::F32 { f64::from(value as f32) } else { value }
}

/// The low bits of a value, as its type has them.
fn wrap(value: i128, scalar: Elem) -> Option<i128> {
    let (min, max) = scalar.integer_range()?;
    let span = max - min + 1;
    Some((value - min).rem_euclid(span) + min)
}
