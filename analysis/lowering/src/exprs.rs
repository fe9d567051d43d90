//! Expressions to ops.

use ir::{Attr, Code, Elem, Marks, Scalar as Constant, Type, Value};
use report::{ItemKind, TextRange};

use super::arrays::columns;
use super::{Callee, Lower, Lowered, Role};
use hir::builtins::{Builtin, BuiltinId, Means, TypeRule, functions_of_power};
use hir::operators;
use hir::size::Size;
use hir::ty::Ty;
use hir::{BinOp, Expr, ExprId, Home, Literal, Name, NotYet, Subscript, UnaryOp};

impl Lower<'_> {
    /// A scalar; of what is none, nothing is known.
    pub(super) fn scalar(&mut self, expr: ExprId) -> Value {
        let ty = self.type_of(expr);
        match self.expr(expr) {
            Lowered::Scalar(value) => value,
            _ => self.unknown(Type::scalar(ty.scalar().unwrap_or(Elem::F32))),
        }
    }

    /// A scalar of a type that has to be this one; of what is another, nothing is known.
    pub(super) fn scalar_of(&mut self, expr: ExprId, elem: Elem) -> Value {
        let value = self.scalar(expr);
        match self.b.kernel().ty(value) == Type::scalar(elem) {
            true => value,
            false => self.unknown(Type::scalar(elem)),
        }
    }

    /// The condition of a branch.
    pub(super) fn condition(&mut self, expr: ExprId) -> Value {
        self.scalar_of(expr, Elem::Bool)
    }

    pub(super) fn scalar_type(&self, expr: ExprId) -> Type {
        Type::scalar(self.type_of(expr).scalar().unwrap_or(Elem::F32))
    }

    /// The value of an expression, which is written down.
    pub(super) fn expr(&mut self, expr: ExprId) -> Lowered {
        self.depth += 1;
        let lowered = self.compute(expr);
        self.depth -= 1;
        let role = match self.frame().body.exprs[expr] {
            Expr::Local(_) => Role::Use,
            Expr::Missing | Expr::Literal(_) | Expr::Item(..) => return lowered,
            _ => Role::Expression,
        };
        self.write(self.at(expr), role, &lowered);
        lowered
    }

    fn compute(&mut self, expr: ExprId) -> Lowered {
        let at = self.at(expr);
        let body = self.frame().body.clone();
        let ty = self.type_of(expr);
        match &body.exprs[expr] {
            Expr::Missing => self.unknown_of(&ty),
            Expr::Literal(literal) => self.literal(*literal, &ty),
            Expr::Local(local) => {
                let var = self.local_var(*local);
                match self.vars.get(&var).cloned() {
                    Some(lowered) => lowered,
                    None => {
                        self.not_yet(at, NotYet::SizeInExpression);
                        self.unknown_of(&ty)
                    }
                }
            }
            Expr::Item(ItemKind::Const, name) => self.const_item(name, &ty),
            Expr::Array(elements) => self.array_of_values(expr, elements),
            Expr::Builtin(builtin)
                if builtin.get().crosses_lanes && !self.frame().inference.of_arrays.contains(&expr) =>
            {
                self.lane_value(expr, builtin.get())
            }
            Expr::Item(..) | Expr::Operator(_) | Expr::Lambda(..) | Expr::Builtin(_) => match &ty {
                Ty::Fn(..) => self.closure(expr),
                _ => self.unknown_of(&ty),
            },
            Expr::Unary(op, operand) => {
                let code = match op {
                    UnaryOp::Plus => {
                        let operand = self.expr(*operand);
                        return self.converted(at, operand, None);
                    }
                    UnaryOp::Neg => Code::Neg,
                    UnaryOp::BitNot | UnaryOp::Not => Code::Not,
                };
                if matches!(ty, Ty::Array(..)) {
                    let operand = self.expr(*operand);
                    return self.elementwise(at, vec![operand], &mut |lower, operands| {
                        lower.set_place(at);
                        let ty = lower.b.kernel().ty(operands[0]);
                        let result = lower.op(code, Attr::None, operands, ty);
                        lower.lowered_of(result)
                    });
                }
                let is_literal = matches!(self.frame().body.exprs[*operand], Expr::Literal(_));
                let operand = self.scalar(*operand);
                if is_literal
                    && code == Code::Neg
                    && let Some(literal) = self.b.kernel().as_const(operand)
                {
                    // The least number of a type is written as what its literal wraps to, which is its own negative.
                    let negative = ir::scalar::neg(literal).unwrap_or(literal);
                    return Lowered::Scalar(self.constant(negative));
                }
                self.set_place(at);
                Lowered::Scalar(self.op(code, Attr::None, &[operand], self.scalar_type(expr)))
            }
            Expr::Binary(op, lhs, rhs) => self.binary(expr, *op, *lhs, *rhs),
            Expr::Cond { condition, then_value, else_value } => self.cond(expr, *condition, *then_value, *else_value),
            Expr::Call(callee, args) => self.call(expr, *callee, args),
            Expr::Cast(to, args) => {
                let [arg] = args[..] else { return self.unknown_of(&ty) };
                let arg = self.expr(arg);
                self.converted(at, arg, Some(*to))
            }
            Expr::Index(..) | Expr::Field(..) => self.access(expr),
        }
    }

    /// A scalar in another type, or in its own. Of an array a new one is made, whatever the type.
    fn converted(&mut self, at: TextRange, of: Lowered, to: Option<Elem>) -> Lowered {
        let value = self.data(of);
        let ty = self.b.kernel().ty(value);
        let Some(to) = to.or(ty.elem()).filter(|&to| ty != Type::scalar(to)) else { return Lowered::Scalar(value) };
        self.set_place(at);
        let cast = self.op(Code::Cast, Attr::Elem(to), &[value], Type::scalar(to));
        self.lowered_of(cast)
    }

    fn literal(&mut self, literal: Literal, ty: &Ty) -> Lowered {
        let Some(scalar) = ty.scalar() else { return self.unknown_of(ty) };
        let to = scalar;
        let constant = match literal {
            Literal::Bool(value) => Some(Constant::Bool(value)),
            Literal::Int(value) if to == Elem::F32 => Some(Constant::F32(value as f32)),
            Literal::Int(value) if to == Elem::F64 => Some(Constant::F64(value as f64)),
            // The literal of `-128` is 128: it wraps to what negating it wraps back.
            Literal::Int(value) => Some(Constant::wrap(to, value as i128)),
            Literal::Float(value) if to == Elem::F32 => Some(Constant::F32(value as f32)),
            Literal::Float(value) if to == Elem::F64 => Some(Constant::F64(value)),
            Literal::Float(_) => None,
        };
        match constant {
            Some(constant) => Lowered::Scalar(self.constant(constant)),
            None => self.unknown_of(ty),
        }
    }

    fn const_item(&mut self, name: &Name, ty: &Ty) -> Lowered {
        let value = self.env.const_value(self.home(), name);
        let Some(scalar) = ty.scalar() else { return self.unknown_of(ty) };
        let to = scalar;
        let constant = value.and_then(|value| match value.wide() {
            Some(wide) => Constant::from_wide(to, wide),
            None => Some(value).filter(|value| value.elem() == to),
        });
        match constant {
            Some(constant) => Lowered::Scalar(self.constant(constant)),
            None => self.unknown_of(ty),
        }
    }

    // Operators.

    fn binary(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Lowered {
        let at = self.at(expr);
        if matches!(self.type_of(lhs), Ty::Array(..)) || matches!(self.type_of(rhs), Ty::Array(..)) {
            let (a, b) = (self.expr(lhs), self.expr(rhs));
            return self.operate(expr, op, a, b, Some(rhs));
        }
        if op.is_logical() {
            return self.logical(expr, op, lhs, rhs);
        }
        if op == BinOp::Div
            && let Some(lowered) = self.reciprocal_root(expr, lhs, rhs)
        {
            return lowered;
        }
        let (a, b) = (self.scalar(lhs), self.scalar(rhs));
        match op {
            BinOp::Pow => self.power(expr, Some(rhs), a, b),
            op => Lowered::Scalar(self.arithmetic(op, at, a, b)),
        }
    }

    /// An operator on values, scalars or arrays of them. `exponent` is the expression of the exponent of a power.
    pub(super) fn operate(
        &mut self,
        expr: ExprId,
        op: BinOp,
        a: Lowered,
        b: Lowered,
        exponent: Option<ExprId>,
    ) -> Lowered {
        let at = self.at(expr);
        self.elementwise_if(op == BinOp::Pow, at, vec![a, b], &mut |lower, operands| match op {
            BinOp::Pow => lower.power(expr, exponent, operands[0], operands[1]),
            op => {
                let result = lower.arithmetic(op, at, operands[0], operands[1]);
                lower.lowered_of(result)
            }
        })
    }

    /// `1 / sqrt(x)` that `@fast` is about is `rsqrt(x)`.
    fn reciprocal_root(&mut self, expr: ExprId, lhs: ExprId, rhs: ExprId) -> Option<Lowered> {
        let is_one = self.frame().inference.values.get(&lhs).is_some_and(|&value| value == Constant::one(value.elem()));
        if !is_one || self.frame().key.in_prelude || !self.frame().fast.contains(expr) {
            return None;
        }
        let body = self.frame().body.clone();
        let Expr::Call(callee, args) = &body.exprs[rhs] else { return None };
        let Expr::Builtin(builtin) = body.exprs[*callee] else { return None };
        let is_root = matches!(builtin.get().means, Means::Scalars(_, Code::Sqrt));
        let rsqrt = is_root.then(|| BuiltinId::from_name("rsqrt")).flatten()?;
        let types: Vec<_> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let function = self.function_of(expr, rsqrt.get(), &types)?;
        let values = args.iter().map(|&arg| self.expr(arg)).collect();
        self.assumed(args);
        let ty = self.type_of(expr);
        Some(self.inline(expr, function, &types, &ty, values))
    }

    /// `a ** b`: a function of the prelude. Where the exponent of a float is known to be 2, and where that of an integer is
    /// known at all, it is a product.
    pub(super) fn power(&mut self, expr: ExprId, exponent: Option<ExprId>, a: Value, b: Value) -> Lowered {
        let at = self.at(expr);
        let ty = self.b.kernel().ty(a);
        let Some(elem) = ty.data_elem() else { return Lowered::Scalar(self.unknown(ty)) };
        self.set_place(at);
        if let Some(known) = self.known_call(expr, elem) {
            return known;
        }
        match exponent.and_then(|exponent| self.frame().inference.values.get(&exponent).copied()) {
            Some(known) if operators::is_square(known) => {
                return Lowered::Scalar(self.op(Code::Mul, Attr::None, &[a, a], ty));
            }
            Some(known) if let Some(exponent) = known.wide().and_then(|known| u32::try_from(known).ok()) => {
                return Lowered::Scalar(self.product(a, elem, exponent));
            }
            _ => {}
        }
        let functions = functions_of_power(elem, self.frame().fast.contains(expr));
        let function = functions.into_iter().find_map(|name| self.callee(Home::Prelude, name.as_str().into()));
        let Some(function) = function else { return Lowered::Scalar(self.unknown(ty)) };
        let ty = Ty::Scalar(elem);
        self.inline(expr, function, &[ty.clone(), ty.clone()], &ty, vec![Lowered::Scalar(a), Lowered::Scalar(b)])
    }

    /// The value of a call of a function in the prelude, where inference knows it.
    fn known_call(&mut self, expr: ExprId, elem: Elem) -> Option<Lowered> {
        let known = *self.frame().inference.values.get(&expr)?;
        (known.elem() == elem).then(|| Lowered::Scalar(self.constant(known)))
    }

    /// A power whose exponent is known, by squares, as `integer_power` of the prelude makes it.
    fn product(&mut self, a: Value, elem: Elem, exponent: u32) -> Value {
        let ty = Type::scalar(elem);
        let (mut power, mut square, mut left) = (None, a, exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = Some(power.map_or(square, |power| self.op(Code::Mul, Attr::None, &[power, square], ty)));
            }
            left /= 2;
            if left > 0 {
                square = self.op(Code::Mul, Attr::None, &[square, square], ty);
            }
        }
        power.unwrap_or_else(|| self.constant(Constant::one(elem)))
    }

    pub(super) fn arithmetic(&mut self, op: BinOp, at: TextRange, a: Value, b: Value) -> Value {
        let code = match op {
            BinOp::Add => Code::Add,
            BinOp::Sub => Code::Sub,
            BinOp::Mul => Code::Mul,
            BinOp::Div => Code::Div,
            BinOp::FloorDiv => Code::FloorDiv,
            BinOp::Rem => Code::Rem,
            BinOp::BitAnd | BinOp::And => Code::And,
            BinOp::BitOr | BinOp::Or => Code::Or,
            BinOp::BitXor => Code::Xor,
            BinOp::Shl => Code::Shl,
            BinOp::Shr => Code::Shr,
            BinOp::Lt => Code::Lt,
            BinOp::Le => Code::Le,
            BinOp::Gt => Code::Gt,
            BinOp::Ge => Code::Ge,
            BinOp::Eq => Code::Eq,
            BinOp::Ne => Code::Ne,
            BinOp::Pow => unreachable!("a power is no op"),
        };
        let ty = if op.compares() { Type::scalar(Elem::Bool) } else { self.b.kernel().ty(a) };
        self.set_place(at);
        self.op(code, Attr::None, &[a, b], ty)
    }

    /// `and` and `or`: the right side is evaluated only when it decides.
    fn logical(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Lowered {
        let at = self.at(expr);
        let a = self.condition(lhs);
        if self.cannot_fail(rhs) {
            let b = self.condition(rhs);
            return Lowered::Scalar(self.arithmetic(op, at, a, b));
        }
        self.set_place(at);
        self.b.open_if(a);
        let known = self.constant(Constant::Bool(op == BinOp::Or));
        let result = if op == BinOp::And {
            let b = self.condition(rhs);
            self.b.next_block(&[b]);
            self.b.close(&[known])
        } else {
            self.b.next_block(&[known]);
            let b = self.condition(rhs);
            self.b.close(&[b])
        };
        Lowered::Scalar(result[0])
    }

    fn cond(&mut self, expr: ExprId, condition: ExprId, then_value: ExprId, else_value: ExprId) -> Lowered {
        let ty = self.type_of(expr);
        let elem = match &ty {
            Ty::Scalar(scalar) => *scalar,
            Ty::Struct(name) => return self.cond_of_structs(expr, name, condition, [then_value, else_value]),
            _ => return self.cond_of_arrays(expr, condition, [then_value, else_value]),
        };
        let at = self.at(expr);
        let test = self.condition(condition);
        if self.cannot_fail(then_value) && self.cannot_fail(else_value) {
            let (a, b) = (self.scalar_of(then_value, elem), self.scalar_of(else_value, elem));
            self.set_place(at);
            return Lowered::Scalar(self.op(Code::Select, Attr::None, &[test, a, b], self.scalar_type(expr)));
        }
        self.set_place(at);
        self.b.open_if(test);
        *self.b.marks() = Marks::default();
        let a = self.scalar_of(then_value, elem);
        self.b.next_block(&[a]);
        let b = self.scalar_of(else_value, elem);
        Lowered::Scalar(self.b.close(&[b])[0])
    }

    fn cond_of_structs(&mut self, expr: ExprId, name: &Name, condition: ExprId, sides: [ExprId; 2]) -> Lowered {
        let at = self.at(expr);
        let test = self.condition(condition);
        self.set_place(at);
        self.b.open_if(test);
        *self.b.marks() = Marks::default();
        let a = self.fields(sides[0], name);
        self.b.next_block(&a);
        let b = self.fields(sides[1], name);
        Lowered::Struct(name.clone(), self.b.close(&b).to_vec())
    }

    /// The fields of a struct's value.
    fn fields(&mut self, expr: ExprId, name: &Name) -> Vec<Value> {
        match self.expr(expr) {
            Lowered::Struct(of, fields) if of == *name => fields,
            _ => match self.unknown_of(&Ty::Struct(name.clone())) {
                Lowered::Struct(_, fields) => fields,
                _ => Vec::new(),
            },
        }
    }

    /// Finds out whether evaluating an expression can be seen by its value alone: it cannot fail and reads no memory.
    fn cannot_fail(&self, expr: ExprId) -> bool {
        let body = &self.frame().body;
        let float = |expr: ExprId| self.type_of(expr).scalar().is_some_and(|scalar| scalar.is_float());
        match &body.exprs[expr] {
            Expr::Literal(_) | Expr::Local(_) | Expr::Item(ItemKind::Const, _) => true,
            Expr::Builtin(builtin) => builtin.get().shape == TypeRule::Value,
            Expr::Unary(UnaryOp::Neg, operand) => float(*operand) && self.cannot_fail(*operand),
            Expr::Unary(_, operand) => self.cannot_fail(*operand),
            Expr::Binary(op, lhs, rhs) => {
                let never = match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::FloorDiv | BinOp::Rem => float(*lhs),
                    BinOp::Shl | BinOp::Shr | BinOp::Pow => false,
                    _ => true,
                };
                never && self.cannot_fail(*lhs) && self.cannot_fail(*rhs)
            }
            _ => false,
        }
    }

    // Accesses.

    fn access(&mut self, expr: ExprId) -> Lowered {
        let ty = self.type_of(expr);
        let body = self.frame().body.clone();
        if let Expr::Field(base, field) = &body.exprs[expr]
            && !matches!(body.exprs[*base], Expr::Index(..))
        {
            return self.field_of_value(*base, field, &ty);
        }
        match ty {
            Ty::Array(..) => self.view(expr),
            Ty::Struct(ref name) => {
                let Some((place, indices)) = self.cell(expr) else { return self.unknown_of(&ty) };
                let fields = self.fields_of(name).unwrap_or_default();
                let values = (0..fields.len()).map(|n| self.load_field(expr, &place, n, &indices)).collect();
                Lowered::Struct(name.clone(), values)
            }
            _ => match self.cell(expr) {
                Some((place, indices)) => self.load(expr, &place, &indices),
                None => self.unknown_of(&ty),
            },
        }
    }

    fn field_of_value(&mut self, base: ExprId, field: &Name, ty: &Ty) -> Lowered {
        match self.expr(base) {
            Lowered::Struct(name, values) => {
                let position = self.fields_of(&name).unwrap_or_default().iter().position(|(other, _)| other == field);
                match position.and_then(|position| values.get(position)) {
                    Some(&value) => Lowered::Scalar(value),
                    None => self.unknown_of(ty),
                }
            }
            _ => self.unknown_of(ty),
        }
    }

    /// The array and the subscripts of an element that is read or written: `a[i]`, `p[i].x`.
    pub(super) fn cell(&mut self, expr: ExprId) -> Option<(Lowered, Vec<Value>)> {
        let body = self.frame().body.clone();
        match &body.exprs[expr] {
            Expr::Field(base, field) => {
                let Ty::Struct(name) = self.type_of(*base) else { return None };
                let (place, indices) = self.cell(*base)?;
                let position = self.fields_of(&name)?.iter().position(|(other, _)| other == field)?;
                Some((Lowered::View(self.column(&place, position)?), indices))
            }
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

    /// The array of a field of an array of structs.
    pub(super) fn column(&mut self, place: &Lowered, field: usize) -> Option<Value> {
        match place {
            Lowered::View(view) => {
                let op = self.b.try_fitting(Code::Field, Attr::Field(field as u16), &[*view]).ok()?;
                Some(self.b.kernel().ops[op].results[0])
            }
            Lowered::Fields(_, columns) => columns.get(field).copied(),
            _ => None,
        }
    }

    pub(super) fn load(&mut self, expr: ExprId, place: &Lowered, indices: &[Value]) -> Lowered {
        let ty = self.scalar_type(expr);
        let at = self.at(expr);
        self.set_place(at);
        let &Lowered::View(view) = place else { return Lowered::Scalar(self.unknown(ty)) };
        let operands = [&[view], indices].concat();
        Lowered::Scalar(self.op(Code::Load, Attr::None, &operands, ty))
    }

    fn load_field(&mut self, expr: ExprId, place: &Lowered, field: usize, indices: &[Value]) -> Value {
        let at = self.at(expr);
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

    // Calls.

    fn call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) -> Lowered {
        let ty = self.type_of(expr);
        let body = self.frame().body.clone();
        match &body.exprs[callee] {
            Expr::Builtin(builtin) => self.builtin(expr, *builtin, args),
            Expr::Item(ItemKind::Fn, name) => {
                let function = self.callee(self.home(), name.clone());
                match (function, self.type_of(callee)) {
                    (Some(function), Ty::Fn(params, result)) => {
                        let values: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
                        self.assumed(args);
                        self.inline(expr, function, &params, &result, values)
                    }
                    _ => self.unknown_of(&ty),
                }
            }
            // A callee that is missing has an error of its own.
            Expr::Missing => self.unknown_of(&ty),
            _ => {
                let function = self.expr(callee);
                let values: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
                self.assumed(args);
                self.apply(expr, &function, values)
            }
        }
    }

    fn builtin(&mut self, expr: ExprId, builtin: BuiltinId, args: &[ExprId]) -> Lowered {
        let row = builtin.get();
        let ty = self.type_of(expr);
        let of_arrays = row.takes_arrays && matches!(args.first().map(|&arg| self.type_of(arg)), Some(Ty::Array(..)));
        if row.crosses_lanes && !of_arrays {
            return self.lane_operation(expr, row, args);
        }
        let types: Vec<_> = args.iter().map(|&arg| self.type_of(arg)).collect();
        if self.function_of(expr, row, &types).is_some()
            && !matches!(row.means, Means::Scalars(..))
            && let Some(known) = ty.scalar().and_then(|elem| self.known_call(expr, elem))
        {
            return known;
        }
        let values: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        self.assumed(args);
        self.builtin_of(expr, builtin, &types, &ty, values)
    }

    /// What a builtin makes of values of these types. The call, or the name of the builtin, stands at `expr`.
    pub(super) fn builtin_of(
        &mut self,
        expr: ExprId,
        builtin: BuiltinId,
        types: &[Ty],
        ty: &Ty,
        args: Vec<Lowered>,
    ) -> Lowered {
        let row = builtin.get();
        let at = self.at(expr);
        let of_scalars = |ty: &Ty| match ty {
            Ty::Array(element, _) => (**element).clone(),
            other => other.clone(),
        };
        let elements: Vec<_> = types.iter().map(of_scalars).collect();
        let result = of_scalars(ty);
        let is_of_scalars = matches!(
            row.shape,
            TypeRule::Same(..)
                | TypeRule::To(..)
                | TypeRule::Scale(_)
                | TypeRule::Like
                | TypeRule::Bits(_)
                | TypeRule::Select
        );
        if is_of_scalars && let Some(function) = self.function_of(expr, row, &elements) {
            {
                let home = function.home;
                let name = function.name.clone();
                return self.elementwise_if(true, at, args, &mut |lower, operands| {
                    let values = operands.iter().map(|&value| Lowered::Scalar(value)).collect();
                    match lower.callee(home, name.clone()) {
                        Some(function) => lower.inline(expr, function, &elements, &result, values),
                        None => lower.unknown_of(&result),
                    }
                });
            }
        }
        let (code, attr) = match row.means {
            _ if row.takes_arrays => return self.of_arrays(expr, builtin, types, ty, args),
            Means::Scalars(_, code) => (code, Attr::None),
            Means::Select => (Code::Select, Attr::None),
            Means::Bits => match result.scalar() {
                Some(elem) => (Code::Bitcast, Attr::Elem(elem)),
                None => return self.unknown_of(&result),
            },
            Means::Like => match result.scalar() {
                Some(elem) => (Code::Cast, Attr::Elem(elem)),
                None => return self.unknown_of(&result),
            },
            _ => return self.of_arrays(expr, builtin, types, ty, args),
        };
        self.elementwise(at, args, &mut |lower, operands| {
            lower.set_place(at);
            let ty = Type::scalar(result.scalar().unwrap_or(Elem::F32));
            // Of the second operand of `cast_like` the type alone counts.
            let operands = if code == Code::Cast { &operands[..1] } else { operands };
            if code == Code::Cast && lower.b.kernel().ty(operands[0]) == ty {
                return Lowered::Scalar(operands[0]);
            }
            let result = lower.op(code, attr.clone(), operands, ty);
            lower.lowered_of(result)
        })
    }

    /// The function that a call of a builtin is, if the prelude has a text of it. In the prelude itself a builtin with an op is that op.
    fn function_of(&mut self, expr: ExprId, row: &Builtin, types: &[Ty]) -> Option<Callee> {
        let is_op = matches!(row.means, Means::Scalars(..));
        let is_fast = self.frame().fast.contains(expr) && !(is_op && self.frame().key.in_prelude);
        let of = types.first().and_then(|ty| match ty {
            Ty::Array(element, _) => element.scalar(),
            ty => ty.scalar(),
        });
        let mut functions = row.functions(of.unwrap_or(Elem::F32), is_fast);
        functions.find_map(|name| self.callee(Home::Prelude, name.as_str().into()))
    }

    /// The body of a function, in place of a call with these arguments.
    pub(super) fn inline(
        &mut self,
        expr: ExprId,
        function: Callee,
        params: &[Ty],
        result: &Ty,
        values: Vec<Lowered>,
    ) -> Lowered {
        let (at, ty) = (self.at(expr), result.clone());
        let in_fast = self.frame().fast.contains(expr);
        let Callee { home, name, signature } = function;
        if signature.params.len() != values.len() {
            return self.unknown_of(&ty);
        }
        if self.too_much(at) {
            return self.unknown_of(&ty);
        }
        let Some(unit) = self.env.unit(home, &name) else { return self.unknown_of(&ty) };
        let mut generics = vec![Ty::Error; signature.generics.len()];
        let formal = signature.params.iter().map(|(_, ty)| ty).chain(&signature.result);
        for (formal, actual) in formal.zip(params.iter().chain([result])) {
            bind(formal, actual, &mut generics);
        }
        let site = self.frame().site.unwrap_or(at);
        let given = self.given(expr, params);
        self.set_place(at);
        let place = self.places.len() as u32 - 1;
        let call = self.frame().call;
        let call = self.b.origin(place, call);
        self.push_frame(unit, generics, in_fast, Some((call, site)));
        let body = self.frame().body.clone();
        for (&param, value) in body.params.iter().zip(values) {
            let value = self.fitting(&self.local_type(param), value);
            self.start_local(param, value);
        }
        self.bind_sizes();
        self.check_params(&given);
        let result = self.frame().inference.signature.result.clone().map(|ty| self.bound(&ty));
        self.function_body(result.as_ref());
        let result = self.take_result();
        self.frames.pop();
        self.set_place(at);
        result.unwrap_or(Lowered::Nothing)
    }

    /// The types of the arguments of a call, and where they stand: at the call where they are not written.
    fn given(&mut self, call: ExprId, params: &[Ty]) -> Vec<(Ty, ir::Origin)> {
        let body = self.frame().body.clone();
        match &body.exprs[call] {
            Expr::Call(_, args) if args.len() == params.len() => {
                args.iter().map(|&arg| (self.type_of(arg), self.origin_of(self.at(arg)))).collect()
            }
            _ => params.iter().map(|ty| (ty.clone(), self.origin_of(self.at(call)))).collect(),
        }
    }

    /// Sizes that have to be equal for some arrays to stand where they do are checked there.
    pub(super) fn assumed(&mut self, arrays: &[ExprId]) {
        let inference = self.frame().inference.clone();
        for (site, a, b) in &inference.assumptions {
            if arrays.contains(site) {
                self.check_sizes(*site, a, b);
            }
        }
    }

    fn check_sizes(&mut self, site: ExprId, a: &Size, b: &Size) {
        let at = self.at(site);
        self.set_place(at);
        let (Some(a), Some(b)) = (self.size_value(a), self.size_value(b)) else { return };
        let _ = self.b.try_fitting(Code::AssertSize, Attr::None, &[a, b]);
    }
}

/// The limit on the number of calls that are inlined into one kernel. Functions that each call the one before twice
/// double at every step, so a page of them would fill any memory.
pub(super) const MAX_CALLS: u32 = 10_000;

/// The limit on the nesting of expressions and blocks at a call that is inlined. All later stages recurse to that
/// depth.
pub(super) const MAX_DEPTH: u32 = 600;

/// The values of a subscript.
enum Bounds {
    At(Value),
    Slice(Value, Value, Value),
}

/// Finds what the generic types in a signature's type are in a call's.
fn bind(formal: &Ty, actual: &Ty, generics: &mut [Ty]) {
    match (formal, actual) {
        (Ty::Generic(n), actual) => {
            if let Some(slot) = generics.get_mut(*n as usize) {
                *slot = actual.clone();
            }
        }
        // Of an array with more dimensions the elements are rows.
        (Ty::Array(formal, sizes), Ty::Array(actual, own)) => match own.get(sizes.len()..) {
            Some(rows @ [_, ..]) => bind(formal, &Ty::Array(actual.clone(), rows.to_vec()), generics),
            _ => bind(formal, actual, generics),
        },
        (Ty::Tuple(formal), Ty::Tuple(actual)) => formal.iter().zip(actual).for_each(|(f, a)| bind(f, a, generics)),
        (Ty::Fn(formal, f), Ty::Fn(actual, a)) => {
            formal.iter().zip(actual).for_each(|(f, a)| bind(f, a, generics));
            bind(f, a, generics);
        }
        _ => {}
    }
}
