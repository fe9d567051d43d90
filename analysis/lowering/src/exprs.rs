//! Expressions to ops.

use std::convert::Infallible;

use ir::{Attr, Code, Elem, Marks, Scalar as Constant, Type, Value, scalar};
use report::{FileId, ItemKind, TextRange};

use super::{Lower, Lowered, Role};
use hir::builtins::{BuiltinId, Means, TypeRule, functions_of_power};
use hir::errors;
use hir::infer::LikeField;
use hir::operators;
use hir::ty::Ty;
use hir::{BinOp, BrokenRule, Expr, ExprId, Literal, Name, UnaryOp};

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

    /// The value of a condition, if it is known before the function's body is lowered: it is a constant, or one of arguments.
    pub(super) fn known_condition(&self, expr: ExprId) -> Option<bool> {
        match self.known(expr)? {
            Constant::Bool(holds) => Some(holds),
            _ => None,
        }
    }

    /// The value of an expression of constants, and of arguments that are constants.
    pub(super) fn known(&self, expr: ExprId) -> Option<Constant> {
        let frame = self.frame();
        if let Some(&value) = frame.inference.values.get(&expr) {
            return Some(value);
        }
        match frame.body.exprs[expr] {
            Expr::Local(local) if !frame.body.locals[local].updated => match self.vars.get(&self.local_var(local))? {
                Lowered::Scalar(value) => self.b.kernel().as_const(*value),
                _ => None,
            },
            Expr::Unary(UnaryOp::Not, operand) => Some(Constant::Bool(!self.known_condition(operand)?)),
            Expr::Binary(op, lhs, rhs) => {
                let (lhs, rhs) = (self.known(lhs)?, self.known(rhs)?);
                match joined(op, lhs.wide(), rhs.wide()) {
                    Some(joined) => Constant::from_wide(lhs.elem(), joined),
                    None => Some(Constant::Bool(compared(op, lhs, rhs)?)),
                }
            }
            _ => None,
        }
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
            Expr::Missing | Expr::Zero | Expr::Literal(_) | Expr::Item(..) => return lowered,
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
            Expr::Zero => self.zero(&ty),
            Expr::Literal(literal) => self.literal(*literal, &ty),
            Expr::Local(local) => {
                let var = self.local_var(*local);
                match self.vars.get(&var).cloned() {
                    Some(lowered) => lowered,
                    None => {
                        self.breaks(at, BrokenRule::OpenSize);
                        self.unknown_of(&ty)
                    }
                }
            }
            Expr::Item(ItemKind::Const, name) => self.const_item(name, &ty),
            Expr::Array(elements) => self.array_of_values(expr, elements),
            Expr::Builtin(builtin) if let Means::Number(number) = builtin.get().means => {
                self.literal(Literal::Float(number), &ty)
            }
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
                    if self.is_of_structs(&operand) {
                        return self
                            .over_elements(at, [operand], &mut |lower, [element]| lower.each_field(at, code, element));
                    }
                    return self.elementwise(at, vec![operand], &mut |lower, operands| {
                        lower.set_place(at);
                        let ty = lower.b.kernel().ty(operands[0]);
                        let result = lower.op(code, Attr::None, operands, ty);
                        lower.lowered_of(result)
                    });
                }
                if matches!(ty, Ty::Struct(_)) {
                    let operand = self.expr(*operand);
                    return self.each_field(at, code, operand);
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
            Expr::Chain(first, others) => {
                let first = self.scalar(*first);
                Lowered::Scalar(self.chain(at, first, others))
            }
            Expr::Cond { condition, then_value, else_value } => self.cond(expr, *condition, *then_value, *else_value),
            Expr::Call(callee, args) => self.call(expr, *callee, args),
            Expr::Cast(to, args) => {
                let [arg] = args[..] else { return self.unknown_of(&ty) };
                let arg = self.expr(arg);
                let arg = self.number_of(arg);
                self.converted(at, arg, Some(*to))
            }
            Expr::Field(base, _) if let Some(meant) = self.frame().inference.like_fields.get(&expr).cloned() => {
                let numbers = match meant {
                    LikeField::Swizzle(numbers) => numbers,
                    LikeField::OfTuple { number, .. } => return self.part_of_tuple(*base, number, &ty),
                };
                match (self.expr(*base), ty) {
                    (Lowered::Struct(_, fields), Ty::Struct(name)) => {
                        Lowered::Struct(name, numbers.iter().filter_map(|&n| fields.get(n).copied()).collect())
                    }
                    (_, ty) => self.unknown_of(&ty),
                }
            }
            Expr::Field(..) if matches!(ty, Ty::Fn(..)) => self.closure(expr),
            Expr::Field(_, variant) if self.frame().inference.numbers.contains_key(&expr) => {
                self.variant(expr, variant, &[])
            }
            Expr::Is(of, _) => self.is_of_form(expr, *of),
            Expr::Data { of, form, datum } => self.datum(expr, *of, form, datum),
            Expr::Index(..) | Expr::Field(..) => self.access(expr),
            Expr::Tuple(parts) => Lowered::Tuple(parts.iter().map(|&part| self.expr(part)).collect()),
            Expr::Part { tuple, number, .. } => self.part_of_tuple(*tuple, *number, &ty),
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
            Literal::Int(value) if to.is_float() => scalar::cast(Constant::F64(value as f64), to).ok(),
            // The literal of `-128` is 128: it wraps to what negating it wraps back.
            Literal::Int(value) => Some(Constant::wrap(to, value as i128)),
            Literal::Float(value) if to.is_float() => scalar::cast(Constant::F64(value), to).ok(),
            Literal::Float(_) => None,
        };
        match constant {
            Some(constant) => Lowered::Scalar(self.constant(constant)),
            None => self.unknown_of(ty),
        }
    }

    /// The value that the cells of an array start with.
    fn zero(&mut self, ty: &Ty) -> Lowered {
        match ty {
            Ty::Scalar(elem) => Lowered::Scalar(self.constant(Constant::zero(*elem))),
            Ty::Struct(name) => {
                let leaves = self.leaves_of(name);
                let values = leaves.iter().map(|(_, elem)| self.constant(Constant::zero(*elem)));
                Lowered::Struct(name.clone(), values.collect())
            }
            ty => self.unknown_of(ty),
        }
    }

    /// A constant array: data of the kernel, made before anything else.
    fn table(&mut self, name: &Name, ty: &Ty) -> Lowered {
        let key = (self.home(), name.clone());
        if let Some(&view) = self.tables.get(&key) {
            return Lowered::View(view);
        }
        let Some(table) = self.env.const_table(key.0, name) else { return self.unknown_of(ty) };
        let hir::eval::Element::Scalar(elem) = table.element else { return self.unknown_of(ty) };
        // Nothing is said of the bits of a NaN.
        let plain = |cell: &Constant| Constant::parse(elem, &cell.to_string()).unwrap_or(*cell);
        let cells = table.cells.iter().map(plain).collect();
        let sizes: Vec<_> = table.sizes.iter().map(|&size| self.constant(Constant::I64(size))).collect();
        let view = self.b.push_first(Code::Table, Attr::Cells(elem, cells), &sizes);
        self.b.name(view, name);
        self.tables.insert(key, view);
        Lowered::View(view)
    }

    /// Says that nothing can be written to an array that is a constant, or a part of one.
    pub(super) fn refuses_stores(&mut self, at: TextRange, view: Value) -> bool {
        let root = self.b.kernel().root(view);
        let Some(name) = self.tables.iter().find(|(_, table)| **table == root).map(|((_, name), _)| name.clone())
        else {
            return false;
        };
        self.refuse(at, &|at| errors::writes_constant(at, &name));
        true
    }

    fn const_item(&mut self, name: &Name, ty: &Ty) -> Lowered {
        if matches!(ty, Ty::Array(..)) {
            return self.table(name, ty);
        }
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
        if matches!(self.type_of(lhs), Ty::Struct(_)) || matches!(self.type_of(rhs), Ty::Struct(_)) {
            let (a, b) = (self.expr(lhs), self.expr(rhs));
            return self.operate_on_structs(expr, op, a, b);
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

    /// Comparisons of a value in a chain: what stands behind one is evaluated where that holds.
    fn chain(&mut self, at: TextRange, left: Value, others: &[(BinOp, ExprId)]) -> Value {
        let [(op, right), rest @ ..] = others else { return self.constant(Constant::Bool(true)) };
        let right = self.scalar(*right);
        let holds = self.arithmetic(*op, at, left, right);
        if rest.is_empty() {
            return holds;
        }
        self.b.open_if(holds);
        let others = self.chain(at, right, rest);
        self.b.next_block(&[others]);
        let no = self.constant(Constant::Bool(false));
        self.b.close(&[no])[0]
    }

    /// An operator on values, scalars, structs or arrays of them. `exponent` is the expression of the exponent of a power.
    pub(super) fn operate(
        &mut self,
        expr: ExprId,
        op: BinOp,
        a: Lowered,
        b: Lowered,
        exponent: Option<ExprId>,
    ) -> Lowered {
        let at = self.at(expr);
        if self.is_of_structs(&a) || self.is_of_structs(&b) {
            return self.operate_on_arrays_of_structs(expr, op, [a, b]);
        }
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
        if !is_one || self.frame().key.in_prelude() || !self.frame().fast.contains(expr) {
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
        let function = functions.into_iter().find_map(|name| self.callee(FileId::PRELUDE, name.as_str().into()));
        let Some(function) = function else { return Lowered::Scalar(self.unknown(ty)) };
        let ty = Ty::Scalar(elem);
        self.inline(expr, function, &[ty.clone(), ty.clone()], &ty, vec![Lowered::Scalar(a), Lowered::Scalar(b)])
    }

    /// The value of a call of a function in the prelude, where inference knows it.
    pub(super) fn known_call(&mut self, expr: ExprId, elem: Elem) -> Option<Lowered> {
        let known = *self.frame().inference.values.get(&expr)?;
        (known.elem() == elem).then(|| Lowered::Scalar(self.constant(known)))
    }

    /// A power whose exponent is known, by squares, as `integer_power` of the prelude makes it.
    fn product(&mut self, a: Value, elem: Elem, exponent: u32) -> Value {
        let ty = Type::scalar(elem);
        let power = ir::scalar::by_squares(a, exponent, |&a, &b| {
            Ok::<_, Infallible>(self.op(Code::Mul, Attr::None, &[a, b], ty))
        });
        let Ok(power) = power;
        power.unwrap_or_else(|| self.constant(Constant::one(elem)))
    }

    pub(super) fn arithmetic(&mut self, op: BinOp, at: TextRange, a: Value, b: Value) -> Value {
        let code = hir::operators::code(op).expect("a power is no op");
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
            Ty::Fn(..) => return self.cond_of_functions(expr, condition, [then_value, else_value]),
            Ty::Struct(_) | Ty::Tuple(_) => return self.cond_of_several(expr, condition, [then_value, else_value]),
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
}

/// The sum, difference or product of two integers.
fn joined(op: BinOp, lhs: Option<i128>, rhs: Option<i128>) -> Option<i128> {
    match op {
        BinOp::Add => lhs?.checked_add(rhs?),
        BinOp::Sub => lhs?.checked_sub(rhs?),
        BinOp::Mul => lhs?.checked_mul(rhs?),
        _ => None,
    }
}

/// The truth of a comparison of two integers, or of two bools.
fn compared(op: BinOp, lhs: Constant, rhs: Constant) -> Option<bool> {
    let number = |scalar: Constant| match scalar {
        Constant::Bool(holds) => Some(i128::from(holds)),
        scalar => scalar.wide(),
    };
    let (a, b) = (number(lhs)?, number(rhs)?);
    match op {
        BinOp::Eq => Some(a == b),
        BinOp::Ne => Some(a != b),
        BinOp::Lt => Some(a < b),
        BinOp::Le => Some(a <= b),
        BinOp::Gt => Some(a > b),
        BinOp::Ge => Some(a >= b),
        BinOp::And => Some(a != 0 && b != 0),
        BinOp::Or => Some(a != 0 || b != 0),
        _ => None,
    }
}
