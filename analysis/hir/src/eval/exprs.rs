//! Expressions, each for all active lanes: one value for each of them, in order.

use std::rc::Rc;

use ir::{Elem, Scalar, scalar};
use report::ItemKind;

use super::StopCode;
use super::machine::{Machine, Run, Value};
use crate::builtins::{Builtin, BuiltinId, Means, TypeRule, functions_of_power, type_of_bits};
use crate::errors::CheckCode;
use crate::infer::LikeField;
use crate::layout::{Layouts, Part};
use crate::operators;
use crate::size::Size;
use crate::ty::{self, Ty};
use crate::vectors::{Arithmetic, Product, Vector};
use crate::{BinOp, Expr, ExprId, FastParts, Literal, LocalId, Name, UnaryOp};

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
            Expr::Zero => {
                let zero = match self.type_of(id) {
                    Ty::Scalar(elem) => Value::Scalar(Scalar::zero(elem)),
                    ty => match self.element(&ty) {
                        Some(element) => {
                            Value::Struct(element.fields().iter().map(|&elem| Scalar::zero(elem)).collect())
                        }
                        None => return Err(self.no_meaning(id, active[0])),
                    },
                };
                Ok(vec![zero; active.len()])
            }
            Expr::Local(local) => self.each(active, |machine, _, lane| machine.local(*local, id, lane)),
            Expr::Item(ItemKind::Const, name) => {
                let value = self.named_constant(name, self.at(id))?;
                Ok(vec![value; active.len()])
            }
            Expr::Builtin(builtin) if let Means::Number(number) = builtin.get().means => {
                let value = self.literal(id, Literal::Float(number), false, active[0])?;
                Ok(vec![Value::Scalar(value); active.len()])
            }
            Expr::Builtin(builtin) if builtin.get().shape == TypeRule::Value => self.lane_value(id, *builtin, active),
            Expr::Item(ItemKind::Fn | ItemKind::Struct, _)
            | Expr::Builtin(_)
            | Expr::Operator(_)
            | Expr::Lambda(..) => self.function(id, active),
            Expr::Unary(op, operand) => self.unary(id, *op, *operand, active),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), lhs, rhs) => self.logical(*op, *lhs, *rhs, active),
            Expr::Binary(op, lhs, rhs) => {
                let sides = [self.expr(*lhs, active)?, self.expr(*rhs, active)?];
                self.binary(id, *op, Some(*rhs), &sides, active)
            }
            Expr::Chain(first, others) => self.chain(id, *first, others, active),
            Expr::Cond { condition, then_value, else_value } => {
                let (on, off) = self.split(*condition, active)?;
                let (then_values, else_values) = (self.expr(*then_value, &on)?, self.expr(*else_value, &off)?);
                let values = merge(active, &on, then_values, else_values);
                self.check_known(id, &values, active)?;
                Ok(values)
            }
            Expr::Call(callee, args) => match &unit.body.exprs[*callee] {
                Expr::Item(ItemKind::Fn, name) => {
                    let values = self.arguments(args, active)?;
                    // A function of scalars goes element by element over arrays.
                    match self.type_of(*callee) {
                        Ty::Fn(params, result) if ty::is_of_scalars(&params, &result) => {
                            self.check_assumed(args, active)?;
                            self.elementwise(id, &values, active, &mut |machine, values, lanes| {
                                machine.enter_named(id, *callee, name, args, values.to_vec(), lanes)
                            })
                        }
                        _ => self.enter_named(id, *callee, name, args, values, active),
                    }
                }
                Expr::Builtin(builtin) => self.call_builtin(id, *builtin, args, active),
                Expr::Item(ItemKind::Enum, _) => match (&args[..], unit.types.to_enums.get(&id)) {
                    ([arg], Some(numbers)) => self.enum_of_number(id, *arg, numbers, active),
                    _ => Err(self.no_meaning(id, active[0])),
                },
                Expr::Field(_, variant) if unit.types.numbers.contains_key(&id) => {
                    let values = self.arguments(args, active)?;
                    let values = unit.types.in_order(id, values);
                    self.variant(id, variant, &values, active)
                }
                Expr::Item(ItemKind::Struct, _) => {
                    let values = self.arguments(args, active)?;
                    self.check_assumed(args, active)?;
                    let values = unit
                        .types
                        .with_defaults(id, values, |scalars| vec![Value::Struct(scalars.into()); active.len()]);
                    self.construct(id, &values, active)
                }
                _ => {
                    let functions = self.expr(*callee, active)?;
                    let values = self.arguments(args, active)?;
                    self.check_assumed(args, active)?;
                    self.apply(id, &functions, &values, active)
                }
            },
            Expr::Cast(to, args) => match args[..] {
                [arg] => {
                    let values = self.expr(arg, active)?;
                    let values = self.numbers_as(values);
                    self.elementwise(id, &[values], active, &mut |machine, values, lanes| {
                        machine.each(lanes, |machine, n, lane| {
                            let result = scalar::cast(machine.scalar(&values[0][n], arg)?, *to);
                            machine.checked(result, id, lane).map(Value::Scalar)
                        })
                    })
                }
                _ => Err(self.no_meaning(id, active[0])),
            },
            Expr::Index(base, subscripts) => self.access(id, *base, subscripts, active),
            Expr::Field(base, _) if let Some(LikeField::OfTuple { number, .. }) = unit.types.like_fields.get(&id) => {
                let tuples = self.expr(*base, active)?;
                self.each(active, |machine, n, lane| match &tuples[n] {
                    Value::Tuple(parts) if (*number as usize) < parts.len() => Ok(parts[*number as usize].clone()),
                    _ => Err(machine.no_meaning(id, lane)),
                })
            }
            Expr::Field(base, _) if let Some(LikeField::Swizzle(numbers)) = unit.types.like_fields.get(&id) => {
                let structs = self.expr(*base, active)?;
                self.each(active, |machine, n, _| {
                    let field = |&number: &usize| machine.scalar(&field_of(&structs[n], number), id);
                    Ok(Value::Struct(numbers.iter().map(field).collect::<Run<Vec<_>>>()?.into()))
                })
            }
            Expr::Field(..) if matches!(unit.types.exprs.get(id), Some(Ty::Fn(..))) => self.function(id, active),
            Expr::Field(_, variant) if unit.types.numbers.contains_key(&id) => self.variant(id, variant, &[], active),
            Expr::Field(..) => match self.part_of_struct(id, active)? {
                Some(values) => Ok(values),
                None => Err(self.no_meaning(id, active[0])),
            },
            Expr::Is(of, _) => self.is_of_form(id, *of, active),
            Expr::Data { of, form, datum } => self.datum(*of, form, datum, active),
            Expr::Array(parts) => self.array_of(id, parts, active),
            Expr::Tuple(parts) => {
                let values = self.arguments(parts, active)?;
                Ok((0..active.len())
                    .map(|n| Value::Tuple(values.iter().map(|part| part[n].clone()).collect()))
                    .collect())
            }
            Expr::Part { tuple, number, .. } => {
                let tuples = self.expr(*tuple, active)?;
                self.each(active, |machine, n, lane| match &tuples[n] {
                    Value::Tuple(parts) if (*number as usize) < parts.len() => Ok(parts[*number as usize].clone()),
                    _ => Err(machine.error(StopCode::HasErrors, machine.at(*tuple), lane, "there is no tuple here")),
                })
            }
            Expr::Missing | Expr::Item(..) => Err(self.no_meaning(id, active[0])),
        }
    }

    /// Structs that are made of the values of their fields, those of structs in them in their place.
    pub(super) fn construct(&mut self, id: ExprId, values: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        let parts = self.fields_made(id);
        let mut made = Vec::new();
        for (n, &lane) in active.iter().enumerate() {
            let mut leaves = Vec::new();
            for (number, field) in values.iter().enumerate() {
                let value = match parts.get(number) {
                    Some(part) => self.leaves_for(part, field[n].clone(), id, lane)?,
                    None => field[n].clone(),
                };
                match &value {
                    Value::Scalar(scalar) => leaves.push(*scalar),
                    Value::Struct(inner) => leaves.extend_from_slice(inner),
                    _ => return Err(self.error(StopCode::HasErrors, self.at(id), lane, "no field holds this")),
                }
            }
            made.push(Value::Struct(leaves.into()));
        }
        Ok(made)
    }

    /// The fields of the struct that an expression makes, or that its result is if it is a function.
    fn fields_made(&self, id: ExprId) -> Vec<Part> {
        let name = match self.type_of(id) {
            Ty::Struct(name) => name,
            Ty::Fn(_, result) => match *result {
                Ty::Struct(name) => name,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let (fields_of, layouts) = (self.program.fields_of(), Layouts::default());
        let Some(whole) = layouts.part(&fields_of, &name, &[]) else { return Vec::new() };
        let fields = fields_of(&name).unwrap_or_default();
        fields.iter().filter_map(|(field, _)| layouts.field(&fields_of, &whole, field)).collect()
    }

    /// The error for something that no program without errors has, where it would be met.
    pub(super) fn no_meaning(&self, at: ExprId, lane: usize) -> Box<super::Error> {
        self.error(StopCode::HasErrors, self.at(at), lane, "this has no meaning")
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
        self.elementwise(id, &[values], active, &mut |machine, values, lanes| {
            machine.by_fields(values, operand, lanes, |machine, own| {
                machine.each(lanes, |machine, n, lane| {
                    let a = machine.scalar(&own[0][n], operand)?;
                    machine.checked(operators::unary(op, a), id, lane).map(Value::Scalar)
                })
            })
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

    /// Comparisons in a chain: each operand is evaluated in the lanes where all comparisons before it hold.
    fn chain(&mut self, id: ExprId, first: ExprId, others: &[(BinOp, ExprId)], active: &[usize]) -> Run<Vec<Value>> {
        let mut left = self.expr(first, active)?;
        let mut on = active.to_vec();
        for &(op, right) in others {
            if on.is_empty() {
                break;
            }
            let right = self.expr(right, &on)?;
            let mut still = Vec::new();
            for (n, &lane) in on.iter().enumerate() {
                let (a, b) = (self.scalar(&left[n], id)?, self.scalar(&right[n], id)?);
                if self.operate(op, a, b, id, lane)?.is_true() {
                    still.push((lane, right[n].clone()));
                }
            }
            (on, left) = still.into_iter().unzip();
        }
        Ok(active.iter().map(|lane| Value::Scalar(on.contains(lane).into())).collect())
    }

    /// `a op b`, element by element where a side is an array. `rhs` is the right side, where it is written.
    pub(super) fn binary(
        &mut self,
        id: ExprId,
        op: BinOp,
        rhs: Option<ExprId>,
        sides: &[Vec<Value>],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        if let Some(&product) = self.frame().unit.types.products.get(&id) {
            return self.elementwise(id, sides, active, &mut |machine, sides, lanes| {
                machine.product(id, product, sides, lanes)
            });
        }
        let equality = self.frame().unit.types.equalities.get(&id);
        self.elementwise(id, sides, active, &mut |machine, sides, lanes| {
            if op == BinOp::Pow {
                return machine.power(id, rhs, sides, lanes);
            }
            if let Some(equality) = equality
                && fields_among(sides).is_some()
            {
                return machine.each(lanes, |machine, n, lane| {
                    let [a, b] = [0, 1].map(|side: usize| machine.fields(&sides[side][n], id, lane));
                    equality.compare(op, &a?, &b?, &mut InLane { machine, id, lane }).map(Value::Scalar)
                });
            }
            let values = machine.by_fields(sides, id, lanes, |machine, own| {
                machine.each(lanes, |machine, n, lane| {
                    let [a, b] = [0, 1].map(|side: usize| machine.scalar(&own[side][n], id));
                    machine.operate(op, a?, b?, id, lane).map(Value::Scalar)
                })
            })?;
            // Structs are equal where all their fields are.
            let joined = |value| match value {
                Value::Struct(fields) if op == BinOp::Eq => Value::Scalar(fields.iter().all(|it| it.is_true()).into()),
                Value::Struct(fields) if op == BinOp::Ne => Value::Scalar(fields.iter().any(|it| it.is_true()).into()),
                value => value,
            };
            Ok(values.into_iter().map(joined).collect())
        })
    }

    /// `a ** b`: a function of the prelude. A float to a power that is known to be 2 is a product.
    fn power(&mut self, id: ExprId, rhs: Option<ExprId>, sides: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        if let Some(known) = self.known_call(id) {
            return Ok(vec![known; active.len()]);
        }
        let elem = self.scalar(&sides[0][0], id)?.elem();
        let exponent = rhs.and_then(|rhs| self.frame().unit.types.values.get(&rhs).copied());
        if exponent.is_some_and(operators::is_square) {
            return self.each(active, |machine, n, lane| {
                let a = machine.scalar(&sides[0][n], id)?;
                machine.operate(BinOp::Mul, a, a, id, lane).map(Value::Scalar)
            });
        }
        if let Some(exponent) = exponent.and_then(|known| u32::try_from(known.wide()?).ok()) {
            let base = self.each(active, |machine, n, _| machine.scalar(&sides[0][n], id))?;
            let power = scalar::by_squares(base, exponent, |a, b| {
                self.each(active, |machine, n, lane| machine.operate(BinOp::Mul, a[n], b[n], id, lane))
            })?;
            let power = power.unwrap_or_else(|| vec![Scalar::one(elem); active.len()]);
            return Ok(power.into_iter().map(Value::Scalar).collect());
        }
        let program = self.program;
        let Some(unit) = program.in_prelude(functions_of_power(elem, self.frame().fast.contains(id))) else {
            return Err(self.no_meaning(id, active[0]));
        };
        let ty = Ty::Scalar(elem);
        self.enter(id, unit, (&[ty.clone(), ty.clone()], &ty), &[], sides.to_vec(), active)
    }

    /// Says whether a call is of the function for `@fast`. In the prelude a builtin with an op is that op.
    fn is_fast(&self, row: &Builtin, id: ExprId) -> bool {
        let is_op = matches!(row.means, Means::Scalars(..)) && self.frame().unit.key.in_prelude();
        !is_op && self.frame().fast.contains(id)
    }

    /// The value of a call of a function in the prelude, where inference knows it.
    fn known_call(&self, id: ExprId) -> Option<Value> {
        self.frame().unit.types.values.get(&id).copied().map(Value::Scalar)
    }

    // Calls.

    /// The values of arguments, which are evaluated in their order.
    fn arguments(&mut self, args: &[ExprId], active: &[usize]) -> Run<Vec<Vec<Value>>> {
        args.iter().map(|&arg| self.expr(arg, active)).collect()
    }

    /// Runs the function that a name stands for, which has its type at `named`.
    pub(super) fn enter_named(
        &mut self,
        id: ExprId,
        named: ExprId,
        name: &Name,
        places: &[ExprId],
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let unit = self.program.named(self.frame().unit, name);
        let (Some(unit), Ty::Fn(params, result)) = (unit, self.type_of(named)) else {
            return Err(self.no_meaning(id, active[0]));
        };
        self.enter(id, unit, (&params, &result), places, values, active)
    }

    /// Runs a function on its arguments. `places` are those of the arguments, where they are written.
    fn enter(
        &mut self,
        id: ExprId,
        unit: &'p super::CheckedUnit,
        (params, result): (&[Ty], &Ty),
        places: &[ExprId],
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let generics = generics(unit, params, result, &mut |size| self.outside(size, active));
        let site = self.at(id);
        self.burn(site, active[0])?;
        let fast = Rc::new(FastParts::of(&unit.body, self.frame().fast.contains(id)));
        let reassoc = unit.body.frees_order() || self.frame().reassoc;
        // The number of each parameter's argument, for parameters in order; none for one that is left out.
        let order = self.frame().unit.types.orders.get(&id);
        let slots = order.cloned().unwrap_or_else(|| (0..values.len()).map(Some).collect());
        let called = self.call(unit, generics, (fast, reassoc), site, |machine| {
            for (n, &param) in unit.body.params.iter().enumerate() {
                let default = || unit.body.defaults.get(n).copied().flatten();
                let values = match slots.get(n).copied().flatten() {
                    Some(n) => values[n].clone(),
                    None => match default() {
                        Some(default) => machine.expr(default, active)?,
                        None => continue,
                    },
                };
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
            let written = slots.get(clash.param).copied().flatten().and_then(|n| places.get(n));
            let at = self.at(written.copied().unwrap_or(id));
            self.fault(clash.kind, at, clash.lane)
        })
    }

    fn call_builtin(&mut self, id: ExprId, builtin: BuiltinId, args: &[ExprId], active: &[usize]) -> Run<Vec<Value>> {
        let row = builtin.get();
        let is_array = matches!(args.first().map(|&arg| self.type_of(arg)), Some(Ty::Array(..)));
        if row.crosses_lanes && !(row.takes_arrays && is_array) {
            return self.lane_operation(id, row, args, active);
        }
        match (row.means, args) {
            (Means::Atomic(rule, _), &[array, at, x]) => return self.atomic(id, rule, (array, at, x), active),
            (Means::Prefetch, &[array, at]) => {
                self.expr(array, active)?;
                self.expr(at, active)?;
                return Ok(vec![Value::Nothing; active.len()]);
            }
            _ => {}
        }
        let values = self.arguments(args, active)?;
        self.check_assumed(args, active)?;
        let types = &self.frame().unit.types;
        let (values, args) = (types.in_order(id, values), types.in_order(id, args.to_vec()));
        if let (Means::Limit(limit), Some(elem)) = (row.means, self.type_of(id).scalar()) {
            return Ok(vec![Value::Scalar(limit.of(elem)); active.len()]);
        }
        if let Some(known) = self.known_call(id) {
            return Ok(vec![known; active.len()]);
        }
        if let (Some(vector), Some(Value::Struct(_))) = (row.of_vectors(), values.first().map(|values| &values[0])) {
            return self.of_vectors(id, vector, &values, active);
        }
        let params: Vec<_> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let result = self.type_of(id);
        self.builtin(id, row, (&params, &result), values, active)
    }

    /// A builtin of values: one of scalars goes element by element over arrays.
    pub(super) fn builtin(
        &mut self,
        id: ExprId,
        row: &Builtin,
        (params, result): (&[Ty], &Ty),
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        // Its name is also that of a lane operation.
        if row.takes_arrays
            && matches!(params.first(), Some(Ty::Array(..)))
            && let Some(unit) = self.program.in_prelude([row.name.to_owned()])
        {
            return self.enter(id, unit, (params, result), &[], values, active);
        }
        if row.shape.is_of_scalars() {
            return self.elementwise(id, &values, active, &mut |machine, values, lanes| {
                machine.builtin_of_scalars(id, row, values, lanes)
            });
        }
        match self.program.in_prelude(row.functions(Elem::F32, false)) {
            Some(unit) => self.enter(id, unit, (params, result), &[], values, active),
            None => self.collection(id, row.shape, &values, active),
        }
    }

    fn builtin_of_scalars(
        &mut self,
        id: ExprId,
        row: &Builtin,
        values: &[Vec<Value>],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        // A selection takes whole structs, the others their fields.
        if fields_among(values).is_some() && !matches!(row.means, Means::Select) {
            return self.by_fields(values, id, active, |machine, own| machine.builtin_of_scalars(id, row, own, active));
        }
        if matches!(row.means, Means::Select) {
            return self.each(active, |machine, n, _| {
                let chosen = if machine.scalar(&values[0][n], id)?.is_true() { 1 } else { 2 };
                Ok(values[chosen][n].clone())
            });
        }
        let own = |machine: &Self, n: usize| -> Run<Vec<Scalar>> {
            values.iter().map(|values| machine.scalar(&values[n], id)).collect()
        };
        if let Means::Bits = row.means {
            return self.each(active, |machine, n, _| {
                let own = own(machine, n)?[0];
                Ok(Value::Scalar(type_of_bits(own.elem()).map_or(own, |to| scalar::bitcast(own, to))))
            });
        }
        if let Means::Saturate = row.means {
            return self.each(active, |machine, n, _| {
                let own = own(machine, n)?;
                Ok(Value::Scalar(scalar::cast_sat(own[1], own[0].elem())))
            });
        }
        if let Means::Like = row.means {
            return self.each(active, |machine, n, lane| {
                let own = own(machine, n)?;
                machine.checked(scalar::cast(own[0], own[1].elem()), id, lane).map(Value::Scalar)
            });
        }
        let types: Vec<_> = own(self, 0)?.iter().map(|scalar| Ty::Scalar(scalar.elem())).collect();
        let of = types.first().and_then(Ty::scalar).unwrap_or(Elem::F32);
        let program = self.program;
        if let Some(unit) = program.in_prelude(row.functions(of, self.is_fast(row, id))) {
            // A text whose result is made of numbers alone has a type of its own for that.
            let result = match row.shape {
                TypeRule::To(_, to) => to.single().map_or(Ty::Error, Ty::Scalar),
                _ => types.first().cloned().unwrap_or(Ty::Error),
            };
            return self.enter(id, unit, (&types, &result), &[], values.to_vec(), active);
        }
        let Means::Scalars(rule, _) = row.means else { return Err(self.no_meaning(id, active[0])) };
        self.each(active, |machine, n, lane| machine.checked(rule(&own(machine, n)?), id, lane).map(Value::Scalar))
    }
}

impl Machine<'_> {
    /// A function of numbers, for each field where some of the values are structs: what is none counts for each of them. Each field is
    /// done in all lanes before the next, as in Lane IR, where each is an op of its own: of several errors the same one comes first.
    fn by_fields(
        &mut self,
        values: &[Vec<Value>],
        at: ExprId,
        active: &[usize],
        mut once: impl FnMut(&mut Self, &[Vec<Value>]) -> Run<Vec<Value>>,
    ) -> Run<Vec<Value>> {
        let Some(n_fields) = fields_among(values) else { return once(self, values) };
        let mut made = vec![Vec::new(); active.len()];
        for field in 0..n_fields {
            let own = |values: &Vec<Value>| values.iter().map(|value| field_of(value, field)).collect();
            let own: Vec<Vec<Value>> = values.iter().map(own).collect();
            for (made, result) in made.iter_mut().zip(once(self, &own)?) {
                made.push(self.scalar(&result, at)?);
            }
        }
        Ok(made.into_iter().map(|fields| Value::Struct(fields.into())).collect())
    }

    /// The scalars of a struct.
    fn fields(&self, value: &Value, at: ExprId, lane: usize) -> Run<Vec<Scalar>> {
        match value {
            Value::Struct(fields) => Ok(fields.to_vec()),
            _ => Err(self.error(StopCode::HasErrors, self.at(at), lane, "there is no struct here")),
        }
    }

    /// A product with a matrix, in each lane.
    fn product(&mut self, id: ExprId, product: Product, sides: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        self.each(active, |machine, n, lane| {
            let [a, b] = [0, 1].map(|side: usize| machine.fields(&sides[side][n], id, lane));
            Ok(Value::Struct(product.compute(&a?, &b?, &mut InLane { machine, id, lane })?.into()))
        })
    }

    /// A function of vectors, in each lane.
    fn of_vectors(&mut self, id: ExprId, vector: Vector, values: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        self.each(active, |machine, n, lane| {
            let args: Vec<_> = values.iter().map(|values| machine.fields(&values[n], id, lane)).collect::<Run<_>>()?;
            let result = vector.compute(&args, &mut InLane { machine, id, lane })?;
            Ok(if vector.gives_vector() { Value::Struct(result.into()) } else { Value::Scalar(result[0]) })
        })
    }
}

/// Arithmetic of one lane, of floats and of comparisons, which do not fail: each lane may then be done as a whole.
struct InLane<'m, 'p> {
    machine: &'m Machine<'p>,
    id: ExprId,
    lane: usize,
}

impl Arithmetic for InLane<'_, '_> {
    type Value = Scalar;
    type Error = Box<super::Error>;

    fn binary(&mut self, op: BinOp, a: Scalar, b: Scalar) -> Run<Scalar> {
        self.machine.operate(op, a, b, self.id, self.lane)
    }

    fn sqrt(&mut self, a: Scalar) -> Run<Scalar> {
        Ok(scalar::sqrt(a))
    }

    fn constant(&mut self, scalar: Scalar) -> Scalar {
        scalar
    }

    fn number(&mut self, number: i64, like: Scalar) -> Scalar {
        if number == 0 { Scalar::zero(like.elem()) } else { Scalar::one(like.elem()) }
    }
}

/// A field of a struct; of what is none, the value itself.
fn field_of(value: &Value, field: usize) -> Value {
    match value {
        Value::Struct(fields) => fields.get(field).copied().map_or(Value::Nothing, Value::Scalar),
        other => other.clone(),
    }
}

/// The number of scalars of the structs among some values, if there are any.
fn fields_among(values: &[Vec<Value>]) -> Option<usize> {
    values.iter().find_map(|values| match values.first() {
        Some(Value::Struct(fields)) => Some(fields.len()),
        _ => None,
    })
}

/// The values of active lanes, from those of the lanes that are on and those of the others.
fn merge(active: &[usize], on: &[usize], on_values: Vec<Value>, off_values: Vec<Value>) -> Vec<Value> {
    let (mut on_values, mut off_values) = (on_values.into_iter(), off_values.into_iter());
    let value = |lane: &usize| if on.contains(lane) { on_values.next() } else { off_values.next() };
    active.iter().map_while(value).collect()
}

/// The types that a function's generic types stand for in a call with these types.
fn generics(unit: &super::CheckedUnit, params: &[Ty], result: &Ty, outside: Outside<'_>) -> Vec<Ty> {
    let signature = &unit.types.signature;
    let mut generics = vec![Ty::Error; signature.generics.len()];
    let general = signature.params.iter().map(|(_, ty)| ty).chain(&signature.result);
    for (general, given) in general.zip(params.iter().chain([result])) {
        general.bind(given, &mut |n, given| {
            if *given != Ty::Error {
                generics[n as usize] = given.replace(&mut |_| None, &mut |size| outside(size));
            }
        });
    }
    generics
}

/// The view that a function has of a size that is not its own.
type Outside<'o> = &'o mut dyn FnMut(&Size) -> Size;

/// The lane numbers of a group are `i32`.
pub(super) fn lane_number(lane: u32) -> Value {
    Value::Scalar(Scalar::wrap(Elem::I32, lane.into()))
}
