//! Calls: builtins to ops, and functions inlined.

use ir::{Attr, Code, Elem, Scalar, Type, Value, scalar};
use report::{FileId, ItemKind};

use super::{Callee, Lower, Lowered};
use hir::builtins::{Builtin, BuiltinId, Means};
use hir::size::{Atom, Size};
use hir::ty::Ty;
use hir::{Expr, ExprId};

/// The limit on the number of calls that are inlined into one kernel. Functions that each call the one before twice
/// double at every step, so a page of them would fill any memory.
pub(super) const MAX_CALLS: u32 = 10_000;

/// The limit on the nesting of expressions and blocks at a call that is inlined. All later stages recurse to that
/// depth.
pub(super) const MAX_DEPTH: u32 = 600;

/// The limit on the nesting of blocks behind exits: what follows each `continue`, `break` or `return` is one level deeper.
pub(super) const MAX_LEVELS: u32 = 1500;

impl Lower<'_> {
    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) -> Lowered {
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
                        let is_array = |value: &Lowered| matches!(value, Lowered::View(_));
                        if !hir::ty::is_of_scalars(&params, &result) || !values.iter().any(is_array) {
                            return self.inline(expr, function, &params, &result, values);
                        }
                        let name = name.clone();
                        self.elementwise_if(true, self.at(expr), values, &mut |lower, operands| {
                            let values = operands.iter().map(|&value| Lowered::Scalar(value)).collect();
                            match lower.callee(lower.home(), name.clone()) {
                                Some(function) => lower.inline(expr, function, &params, &result, values),
                                None => lower.unknown_of(&result),
                            }
                        })
                    }
                    _ => self.unknown_of(&ty),
                }
            }
            Expr::Item(ItemKind::Enum, _) => match args[..] {
                [arg] => self.enum_of_number(expr, arg),
                _ => self.unknown_of(&ty),
            },
            Expr::Field(_, variant) if self.frame().inference.numbers.contains_key(&expr) => {
                let data = args.iter().map(|&arg| self.expr(arg)).collect();
                let data = self.frame().inference.in_order(expr, data);
                self.variant(expr, variant, &data)
            }
            Expr::Item(ItemKind::Struct, name) => {
                let fields: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
                let inference = self.frame().inference.clone();
                self.check_arrays_of_fields(expr, name, args, &fields);
                let fields = inference.with_defaults(expr, fields, |scalars| {
                    Lowered::Struct(name.clone(), scalars.iter().map(|&scalar| self.constant(scalar)).collect())
                });
                self.construct(name, fields)
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
        match row.means {
            Means::Atomic(rule, code) => return self.atomic(expr, (rule, code), args),
            Means::Prefetch => return self.prefetch(expr, args),
            _ => {}
        }
        let types: Vec<_> = args.iter().map(|&arg| self.type_of(arg)).collect();
        let types = self.frame().inference.in_order(expr, types);
        if self.function_of(expr, row, &types).is_some()
            && !matches!(row.means, Means::Scalars(..))
            && let Some(known) = ty.scalar().and_then(|elem| self.known_call(expr, elem))
        {
            return known;
        }
        let values: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        self.assumed(args);
        let values = self.frame().inference.in_order(expr, values);
        self.builtin_of(expr, builtin, &types, &ty, values)
    }

    /// Lowers a builtin on values of these types. The call, or the name of the builtin, stands at `expr`.
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
        if let (Some(vector), Some(Lowered::Struct(..))) = (row.of_vectors(), args.first()) {
            return self.of_vectors(at, vector, &args, ty);
        }
        if args.iter().any(|arg| matches!(arg, Lowered::Struct(..))) && row.shape.is_of_scalars() {
            return self.by_fields(args, &mut |lower, own| {
                let elem = |lower: &Self, value| lower.b.kernel().ty(value).data_elem().unwrap_or(Elem::F32);
                let types: Vec<_> = own.iter().map(|&value| Ty::Scalar(elem(lower, value))).collect();
                let result = types.last().cloned().unwrap_or(Ty::Error);
                let args = own.iter().map(|&value| Lowered::Scalar(value)).collect();
                match lower.builtin_of(expr, builtin, &types, &result, args) {
                    Lowered::Scalar(value) => value,
                    _ => lower.unknown(Type::scalar(Elem::F32)),
                }
            });
        }
        let of_scalars = |ty: &Ty| match ty {
            Ty::Array(element, _) => (**element).clone(),
            other => other.clone(),
        };
        let elements: Vec<_> = types.iter().map(of_scalars).collect();
        let result = of_scalars(ty);
        if row.shape.is_of_scalars()
            && let Some(function) = self.function_of(expr, row, &elements)
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
        let (code, attr) = match row.means {
            _ if row.takes_arrays => return self.of_arrays(expr, builtin, types, ty, args),
            Means::Scalars(_, code) => (code, Attr::None),
            Means::Limit(limit) => {
                let elem = result.scalar().unwrap_or(Elem::F32);
                return Lowered::Scalar(self.constant(limit.of(elem)));
            }
            Means::Saturate => {
                let to = result.scalar().unwrap_or(Elem::I32);
                return self.elementwise_if(true, at, args, &mut |lower, operands| {
                    lower.set_place(at);
                    // The call is wrong where the value is left out.
                    match operands.get(1) {
                        Some(&value) => Lowered::Scalar(lower.saturated(value, to)),
                        None => lower.unknown_of(&Ty::Scalar(to)),
                    }
                });
            }
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
            // The second operand of `cast_like` gives only its type.
            let operands = if code == Code::Cast { &operands[..1] } else { operands };
            if code == Code::Cast && lower.b.kernel().ty(operands[0]) == ty {
                return Lowered::Scalar(operands[0]);
            }
            let result = lower.op(code, attr.clone(), operands, ty);
            lower.lowered_of(result)
        })
    }

    /// A number as an integer type; of what does not fit the nearest end, of NaN 0.
    fn saturated(&mut self, value: Value, to: Elem) -> Value {
        let ty = self.b.kernel().ty(value);
        if ty.data_elem().is_some_and(Elem::is_half) {
            // Integers lie between the greatest finite value and infinity.
            let wide = self.op(Code::Cast, Attr::Elem(Elem::F32), &[value], Type::scalar(Elem::F32));
            return self.saturated(wide, to);
        }
        let (from, target) = (ty.data_elem().unwrap_or(Elem::I32), Type::scalar(to));
        let Some((least, greatest)) = to.integer_range() else { return self.unknown(target) };
        let (lo, hi) = match from.integer_range() {
            Some((own_least, own_greatest)) => {
                let end = |end, needed: bool| needed.then(|| Scalar::wrap(from, end));
                (end(least, least > own_least), end(greatest, greatest < own_greatest))
            }
            // Both bounds of a float are floats; the upper one is the last that fits.
            None => (Some(float(from, least)), Some(float(from, greatest))),
        };
        let mut clamped = value;
        if from.is_float() && least < 0 {
            // A comparison by `max` turns NaN into the bound, which is right only if that is 0.
            let zero = self.constant(Scalar::zero(from));
            let is_number = self.op(Code::Eq, Attr::None, &[value, value], Type::scalar(Elem::Bool));
            clamped = self.op(Code::Select, Attr::None, &[is_number, value, zero], ty);
        }
        for (code, end) in [(Code::Max, lo), (Code::Min, hi)] {
            if let Some(end) = end {
                let end = self.constant(end);
                clamped = self.op(code, Attr::None, &[clamped, end], ty);
            }
        }
        let cast = if from == to { clamped } else { self.op(Code::Cast, Attr::Elem(to), &[clamped], target) };
        let Some(last) =
            hi.filter(|last| from.is_float() && scalar::cast_sat(*last, Elem::I64).wide() < Some(greatest))
        else {
            return cast;
        };
        let (last, end) = (self.constant(last), self.constant(Scalar::wrap(to, greatest)));
        let is_beyond = self.op(Code::Gt, Attr::None, &[value, last], Type::scalar(Elem::Bool));
        self.op(Code::Select, Attr::None, &[is_beyond, end, cast], target)
    }

    /// The function that a call of a builtin is, if the prelude has a text of it. In the prelude itself a builtin with an op is that op.
    pub(super) fn function_of(&mut self, expr: ExprId, row: &Builtin, types: &[Ty]) -> Option<Callee> {
        let is_op = matches!(row.means, Means::Scalars(..));
        let is_fast = self.frame().fast.contains(expr) && !(is_op && self.frame().key.in_prelude());
        let of = types.first().and_then(|ty| match ty {
            Ty::Array(element, _) => element.scalar(),
            ty => ty.scalar(),
        });
        let mut functions = row.functions(of.unwrap_or(Elem::F32), is_fast);
        functions.find_map(|name| self.callee(FileId::PRELUDE, name.as_str().into()))
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
        let order = self.frame().inference.orders.get(&expr).cloned();
        let values: Vec<Option<Lowered>> = match &order {
            Some(order) => order.iter().map(|arg| arg.and_then(|n| values.get(n).cloned())).collect(),
            None => values.into_iter().map(Some).collect(),
        };
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
            formal.bind(actual, &mut |n, actual| {
                if let Some(slot) = generics.get_mut(n as usize) {
                    *slot = actual.clone();
                }
            });
        }
        // Locals in the sizes of these are the caller's, which has others of the same numbers.
        let number = self.frame().number;
        let mut given: Vec<(u32, Size)> = Vec::new();
        for ty in &mut generics {
            *ty = ty.replace(&mut |_| None, &mut |size| {
                if size.as_constant().is_some() {
                    return size.clone();
                }
                let known = given.iter().position(|(_, known)| known == size).unwrap_or_else(|| {
                    given.push((number, size.clone()));
                    given.len() - 1
                });
                Size::atom(Atom::Given(known as u32))
            });
        }
        let site = self.frame().site.unwrap_or(at);
        let args = self.given(expr, params);
        self.set_place(at);
        let place = self.places.len() as u32 - 1;
        let call = self.frame().call;
        let call = self.b.origin(place, call);
        self.push_frame(unit, (generics, given), in_fast, Some((call, site)));
        let body = self.frame().body.clone();
        for (n, (&param, value)) in body.params.iter().zip(values).enumerate() {
            let value = match (value, body.defaults.get(n)) {
                (Some(value), _) => value,
                (None, Some(&Some(default))) => self.expr(default),
                _ => Lowered::Nothing,
            };
            let value = self.fitting(&self.local_type(param), value);
            self.start_local(param, value);
        }
        self.bind_sizes();
        self.solve_sizes(&args);
        self.check_params(&args);
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
        let order = self.frame().inference.orders.get(&call).cloned();
        match (&body.exprs[call], order) {
            (Expr::Call(_, args), Some(order)) => {
                let arg = |n: usize| order.get(n).copied().flatten().map(|arg| args[arg]);
                let of = |lower: &mut Self, (n, ty): (usize, &Ty)| match arg(n) {
                    Some(arg) => (lower.type_of(arg), lower.origin_of(lower.at(arg))),
                    None => (ty.clone(), lower.origin_of(lower.at(call))),
                };
                params.iter().enumerate().map(|param| of(self, param)).collect()
            }
            (Expr::Call(_, args), None) if args.len() == params.len() => {
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

/// The last float that is not beyond an integer.
fn float(of: Elem, end: i128) -> Scalar {
    match of {
        Elem::F32 if (end as f32) as i128 > end => Scalar::F32((end as f32).next_down()),
        Elem::F32 => Scalar::F32(end as f32),
        _ if (end as f64) as i128 > end => Scalar::F64((end as f64).next_down()),
        _ => Scalar::F64(end as f64),
    }
}
