//! Expressions, each for all active lanes: one value for each of them, in order.

use ir::{Elem, RunCode, Scalar, scalar};
use report::ItemKind;

use super::StopCode;
use super::machine::{Machine, Run, Value};
use crate::builtins::{Builtin, BuiltinId, Means, functions_of_power, type_of_bits};
use crate::errors::{CheckCode, LoweringCode};
use crate::operators;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, Literal, LocalId, Name, UnaryOp};

impl<'p> Machine<'p> {
    pub(super) fn expr(&mut self, id: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        // Without active lanes nothing is evaluated, so no error arises.
        if active.is_empty() {
            return Ok(Vec::new());
        }
        self.deeper(self.at(id), |machine| machine.expr_kind(id, active))
    }

    fn expr_kind(&mut self, id: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let unit = self.frame().unit;
        match &unit.body.exprs[id] {
            Expr::Literal(literal) => {
                let value = self.literal(id, *literal, false, active[0])?;
                Ok(vec![Value::Scalar(value); active.len()])
            }
            Expr::Local(local) => self.each(active, |machine, _, lane| machine.local(*local, id, lane)),
            Expr::Item(ItemKind::Const, name) => {
                let value = self.named_constant(name, self.at(id))?;
                Ok(vec![value; active.len()])
            }
            Expr::Builtin(builtin) => self.lane_value(id, *builtin, active),
            Expr::Unary(op, operand) => self.unary(id, *op, *operand, active),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), lhs, rhs) => self.logical(*op, *lhs, *rhs, active),
            Expr::Binary(BinOp::Pow, lhs, rhs) => {
                let (a, b) = (self.expr(*lhs, active)?, self.expr(*rhs, active)?);
                self.power(id, *lhs, *rhs, [a, b], active)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (a, b) = (self.expr(*lhs, active)?, self.expr(*rhs, active)?);
                self.each(active, |machine, n, lane| {
                    let (a, b) = (machine.scalar(&a[n], *lhs)?, machine.scalar(&b[n], *rhs)?);
                    machine.operate(*op, a, b, id, lane).map(Value::Scalar)
                })
            }
            Expr::Cond { condition, then_value, else_value } => {
                let (on, off) = self.split(*condition, active)?;
                let (then_values, else_values) = (self.expr(*then_value, &on)?, self.expr(*else_value, &off)?);
                Ok(merge(active, &on, then_values, else_values))
            }
            Expr::Call(callee, args) => match &unit.body.exprs[*callee] {
                Expr::Item(ItemKind::Fn, name) => self.call_function(id, *callee, name, args, active),
                Expr::Builtin(builtin) => self.call_builtin(id, *builtin, args, active),
                _ => Err(self.not_yet(id, active[0])),
            },
            Expr::Cast(to, args) => match args[..] {
                [arg] => {
                    let values = self.expr(arg, active)?;
                    self.each(active, |machine, n, lane| {
                        let result = scalar::cast(machine.scalar(&values[n], arg)?, *to);
                        machine.checked(result, id, lane).map(Value::Scalar)
                    })
                }
                _ => Err(self.not_yet(id, active[0])),
            },
            Expr::Index(base, subscripts) => self.access(id, *base, subscripts, active),
            Expr::Field(base, name) => self.field(id, *base, name, active),
            Expr::Missing | Expr::Item(..) | Expr::Operator(_) | Expr::Lambda(..) | Expr::Array(_) => {
                Err(self.not_yet(id, active[0]))
            }
        }
    }

    /// The error for something that is refused before a run begins, where it would be met.
    pub(super) fn not_yet(&self, at: ExprId, lane: usize) -> Box<super::Error> {
        self.error(LoweringCode::NotLoweredYet, self.at(at), lane, "this cannot be run yet")
    }

    pub(super) fn local(&mut self, local: LocalId, at: ExprId, lane: usize) -> Run<Value> {
        match self.frame().lanes[lane].vars.get(&local) {
            Some(value) => Ok(value.clone()),
            None => {
                let name = &self.frame().unit.body.locals[local].name;
                Err(self.error(StopCode::HasErrors, self.at(at), lane, format!("`{name}` has no value here")))
            }
        }
    }

    /// A number has the type that its place asks for.
    fn literal(&self, id: ExprId, literal: Literal, negated: bool, lane: usize) -> Run<Scalar> {
        let Some(elem) = self.type_of(id).scalar() else {
            return Err(self.error(StopCode::HasErrors, self.at(id), lane, "this number has no type"));
        };
        let float = |value: f64| {
            let value = Scalar::F64(if negated { -value } else { value });
            self.checked(scalar::cast(value, elem), id, lane)
        };
        match literal {
            Literal::Bool(value) => Ok(value.into()),
            Literal::Float(value) => float(value),
            Literal::Int(value) if elem.is_float() => float(value as f64),
            Literal::Int(value) => {
                let value = if negated { -(value as i128) } else { value as i128 };
                Scalar::from_wide(elem, value).ok_or_else(|| {
                    let message = format!("`{elem}`, which the call here makes this, has no {value}");
                    self.error(CheckCode::NumberOutOfRange, self.at(id), lane, message)
                })
            }
        }
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        // The number in `-128` is 128, which `i8` has not.
        if let (UnaryOp::Neg, Expr::Literal(literal)) = (op, &self.frame().unit.body.exprs[operand]) {
            let value = self.literal(operand, *literal, true, active[0])?;
            return Ok(vec![Value::Scalar(value); active.len()]);
        }
        let values = self.expr(operand, active)?;
        self.each(active, |machine, n, lane| {
            let result = operators::unary(op, machine.scalar(&values[n], operand)?);
            machine.checked(result, id, lane).map(Value::Scalar)
        })
    }

    /// `and` and `or`: the right side is evaluated in the lanes that need it.
    fn logical(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let (on, off) = self.split(lhs, active)?;
        if op == BinOp::And {
            let right = self.expr(rhs, &on)?;
            let left = vec![Value::Scalar(false.into()); off.len()];
            return Ok(merge(active, &on, right, left));
        }
        let right = self.expr(rhs, &off)?;
        let left = vec![Value::Scalar(true.into()); on.len()];
        Ok(merge(active, &on, left, right))
    }

    /// `a ** b`: a function of the prelude. A float to a power that is known to be 2 is a product.
    pub(super) fn power(
        &mut self,
        id: ExprId,
        lhs: ExprId,
        rhs: ExprId,
        [a, b]: [Vec<Value>; 2],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        if let Some(known) = self.known_call(id) {
            return Ok(vec![known; active.len()]);
        }
        let ty = self.type_of(lhs);
        let Some(elem) = ty.scalar() else { return Err(self.not_yet(id, active[0])) };
        if self.frame().unit.types.values.get(&rhs).is_some_and(|&known| operators::is_square(known)) {
            return self.each(active, |machine, n, lane| {
                let a = machine.scalar(&a[n], lhs)?;
                machine.operate(BinOp::Mul, a, a, id, lane).map(Value::Scalar)
            });
        }
        let exponent = self.frame().unit.types.values.get(&rhs).and_then(|known| known.wide());
        if let Some(exponent) = exponent.and_then(|exponent| u32::try_from(exponent).ok()) {
            return self.each(active, |machine, n, lane| {
                let a = machine.scalar(&a[n], lhs)?;
                machine.checked(scalar::pow(a, exponent), id, lane).map(Value::Scalar)
            });
        }
        let program = self.program;
        let Some(unit) = program.in_prelude(functions_of_power(elem, self.frame().fast.contains(id))) else {
            return Err(self.not_yet(id, active[0]));
        };
        self.enter(id, unit, (&[ty.clone(), ty.clone()], &ty), &[lhs, rhs], vec![a, b], active)
    }

    /// Says whether a call is of the function for `@fast`. In the prelude a builtin with an op is that op.
    fn is_fast(&self, row: &Builtin, id: ExprId) -> bool {
        let is_op = matches!(row.means, Means::Scalars(..)) && self.frame().unit.key.in_prelude;
        !is_op && self.frame().fast.contains(id)
    }

    /// The value of a call of a function in the prelude, where inference knows it.
    fn known_call(&self, id: ExprId) -> Option<Value> {
        self.frame().unit.types.values.get(&id).copied().map(Value::Scalar)
    }

    // Calls.

    fn call_function(
        &mut self,
        id: ExprId,
        callee: ExprId,
        name: &Name,
        args: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let mut values = Vec::new();
        for &arg in args {
            values.push(self.expr(arg, active)?);
        }
        let named = self.program.named(self.frame().unit, name);
        let (Some(unit), Ty::Fn(params, result)) = (named, self.type_of(callee)) else {
            return Err(self.not_yet(id, active[0]));
        };
        self.enter(id, unit, (&params, &result), args, values, active)
    }

    /// Runs a function on its arguments.
    fn enter(
        &mut self,
        id: ExprId,
        unit: &'p super::Unit,
        (params, result): (&[Ty], &Ty),
        args: &[ExprId],
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let generics = generics(unit, params, result);
        let site = self.at(id);
        self.burn(site, active[0])?;
        let in_fast = self.frame().fast.contains(id);
        let called = self.call(unit, generics, (site, in_fast), |machine| {
            for (&param, values) in unit.body.params.iter().zip(values) {
                for (&lane, value) in active.iter().zip(values) {
                    machine.set(param, lane, value);
                }
            }
            if let Some(clash) = machine.check_params(active) {
                return Ok(Err(clash));
            }
            machine.block(&unit.body.block, active)?;
            machine
                .each(active, |machine, _, lane| {
                    Ok(machine.frame_mut().lanes[lane].result.take().unwrap_or(Value::Nothing))
                })
                .map(Ok)
        })?;
        called.map_err(|clash| {
            let at = self.at(args[clash.param]);
            self.error(RunCode::SizeMismatch, at, clash.lane, clash.message)
        })
    }

    fn call_builtin(&mut self, id: ExprId, builtin: BuiltinId, args: &[ExprId], active: &[usize]) -> Run<Vec<Value>> {
        let row = builtin.get();
        if row.takes_arrays && matches!(args.first().map(|&arg| self.type_of(arg)), Some(Ty::Array(..))) {
            return Err(self.not_yet(id, active[0]));
        }
        if row.crosses_lanes {
            return self.lane_operation(id, row, args, active);
        }
        let mut values = Vec::new();
        for &arg in args {
            values.push(self.expr(arg, active)?);
        }
        if matches!(row.means, Means::Select) {
            return self.each(active, |machine, n, _| {
                let chosen = if machine.scalar(&values[0][n], args[0])?.is_true() { 1 } else { 2 };
                Ok(values[chosen][n].clone())
            });
        }
        if let Means::Bits = row.means {
            return self.each(active, |machine, n, _| {
                let own = machine.scalar(&values[0][n], args[0])?;
                Ok(Value::Scalar(type_of_bits(own.elem()).map_or(own, |to| scalar::bitcast(own, to))))
            });
        }
        if let Some(known) = self.known_call(id) {
            return Ok(vec![known; active.len()]);
        }
        let params: Vec<_> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let of = params.first().and_then(Ty::scalar).unwrap_or(Elem::F32);
        let program = self.program;
        if let Some(unit) = program.in_prelude(row.functions(of, self.is_fast(row, id))) {
            return self.enter(id, unit, (&params, &self.type_of(id)), args, values, active);
        }
        let Means::Scalars(rule, _) = row.means else { return Err(self.not_yet(id, active[0])) };
        self.each(active, |machine, n, lane| {
            let own: Vec<_> =
                args.iter().zip(&values).map(|(&arg, values)| machine.scalar(&values[n], arg)).collect::<Run<_>>()?;
            machine.checked(rule(&own), id, lane).map(Value::Scalar)
        })
    }
}

/// The values of active lanes, from those of the lanes that are on and those of the others.
fn merge(active: &[usize], on: &[usize], on_values: Vec<Value>, off_values: Vec<Value>) -> Vec<Value> {
    let (mut on_values, mut off_values) = (on_values.into_iter(), off_values.into_iter());
    let value = |lane: &usize| if on.contains(lane) { on_values.next() } else { off_values.next() };
    active.iter().map_while(value).collect()
}

/// The types that a function's generic types stand for in a call with these types.
fn generics(unit: &super::Unit, params: &[Ty], result: &Ty) -> Vec<Ty> {
    let signature = &unit.types.signature;
    let mut generics = vec![Ty::Error; signature.generics.len()];
    let general = signature.params.iter().map(|(_, ty)| ty).chain(&signature.result);
    for (general, given) in general.zip(params.iter().chain([result])) {
        bind(general, given, &mut generics);
    }
    generics
}

/// Finds what generic types stand for, by a general type and what it is in a call.
fn bind(general: &Ty, given: &Ty, generics: &mut [Ty]) {
    match (general, given) {
        (Ty::Generic(n), given) => generics[*n as usize] = given.clone(),
        (Ty::Array(general, _), Ty::Array(given, _)) => bind(general, given, generics),
        (Ty::Tuple(general), Ty::Tuple(given)) => {
            general.iter().zip(given).for_each(|(general, given)| bind(general, given, generics));
        }
        (Ty::Fn(general, general_result), Ty::Fn(given, result)) => {
            general.iter().zip(given).for_each(|(general, given)| bind(general, given, generics));
            bind(general_result, result, generics);
        }
        _ => {}
    }
}

/// The lane numbers of a group are `i32`.
pub(super) fn lane_number(lane: u32) -> Value {
    Value::Scalar(Scalar::wrap(Elem::I32, lane.into()))
}
