//! Calls: of functions, of builtins, and of what stands for a function.

use ir::{Elem, ElemSet, Scalar};
use report::{ItemKind, TextSize};

use super::exprs::operands;
use super::{Infer, Shown};
use crate::builtins::{Builtin, BuiltinId, Means, TypeRule, type_of_bits};
use crate::errors;
use crate::finding::Finding;
use crate::size::{Atom, Size};
use crate::ty::{self, Signature, Ty};
use crate::{BinOp, Expr, ExprId, Literal, LocalKind, Name};

impl Infer<'_, '_> {
    /// A constant's, or a function's, name as a value.
    pub(super) fn item_value(&mut self, expr: ExprId, kind: ItemKind, name: &Name) -> Ty {
        match kind {
            ItemKind::Const | ItemKind::Fn => {
                let Some(signature) = self.signature_of(expr, name) else { return Ty::Error };
                if kind == ItemKind::Const {
                    return signature.result.clone().unwrap_or(Ty::Error);
                }
                self.check_lanes(expr, &signature, name);
                let (params, result, generics) = self.instantiate(&signature, &[]);
                self.remember_call(expr, generics, &signature);
                Ty::Fn(params, Box::new(result))
            }
            _ => {
                self.find(errors::not_a_value(self.at(expr), name, kind));
                Ty::Error
            }
        }
    }

    /// The signature of a function or constant, unless it leads back here.
    fn signature_of(&mut self, site: ExprId, name: &Name) -> Option<std::sync::Arc<Signature>> {
        let cycle = match self.env.shown(name)? {
            Shown::Signature(signature) => return Some(signature).filter(|signature| !signature.in_doubt),
            Shown::OnCycle(cycle) => cycle,
        };
        let own = self.env.own();
        // A call of an instance leads to its template.
        let called = crate::expand::split_name(name).map_or(&**name, |(base, _)| base);
        let is_way = cycle.way.first().is_some_and(|first| **first == *called);
        if cycle.reporter == own && is_way && !self.cycle_reported {
            self.cycle_reported = true;
            self.find(errors::recursion(self.at(site), self.kind, &own.name, &cycle.way));
        }
        None
    }

    pub(super) fn const_value(&self, name: &Name) -> Option<Scalar> {
        self.env.const_value(name)
    }

    /// A copy of a signature of this call's own: the types of the parameters, of the result, and those that are generic. `args` give the values that sizes may name.
    fn instantiate(&mut self, signature: &Signature, args: &[Option<ExprId>]) -> (Vec<Ty>, Ty, Vec<Ty>) {
        let generics: Vec<_> = signature
            .generics
            .iter()
            .map(|set| match set {
                Some(set) => self.table.scalar(*set),
                None => self.table.any(),
            })
            .collect();
        // A size that only the result mentions is decided when the function runs.
        let of_params =
            |n: u32| signature.params.iter().any(|(_, ty)| mentions_size(ty, &|atom| *atom == Atom::Generic(n)));
        let sizes: Vec<_> = (0..signature.n_sizes)
            .map(|n| if of_params(n) { self.table.size() } else { self.table.unknown_size() })
            .collect();
        let values: Vec<_> = args.iter().map(|arg| arg.and_then(|arg| self.size_of(arg))).collect();
        let mut copy = |ty: &Ty| {
            ty.replace(
                &mut |ty| match ty {
                    Ty::Generic(n) => generics.get(*n as usize).cloned(),
                    _ => None,
                },
                &mut |size| {
                    let replaced = size.replace(&mut |atom| match atom {
                        Atom::Generic(n) => sizes.get(*n as usize).cloned(),
                        Atom::Param(n) => values.get(*n as usize).cloned().flatten(),
                        // A size of the function's own has no meaning outside of it.
                        _ => None,
                    });
                    replaced.unwrap_or_else(|| self.table.unknown_size())
                },
            )
        };
        let params = signature.params.iter().map(|(_, ty)| copy(ty)).collect();
        let result = signature.result.as_ref().map_or(Ty::Nothing, copy);
        (params, result, generics)
    }

    pub(super) fn call(&mut self, expr: ExprId, callee: ExprId, args: &[ExprId]) -> Ty {
        match self.body.exprs[callee].clone() {
            Expr::Missing => {
                args.iter().for_each(|&arg| _ = self.expr(arg));
                self.out.exprs.insert(callee, Ty::Error);
                Ty::Error
            }
            Expr::Builtin(builtin) => {
                self.out.exprs.insert(callee, Ty::Error);
                self.call_builtin(expr, callee, builtin, args)
            }
            Expr::Item(ItemKind::Fn, name) => self.call_function(expr, callee, &name, args),
            Expr::Item(ItemKind::Struct, name) => self.construct(expr, callee, &name, args),
            Expr::Item(ItemKind::Enum, name) => self.enum_of_number(expr, callee, &name, args),
            Expr::Field(base, variant) if let Some(name) = self.enum_named(base) => {
                self.construct_variant(expr, callee, &name, &variant, args)
            }
            Expr::Item(kind @ ItemKind::Kernel, name) => {
                args.iter().for_each(|&arg| _ = self.expr(arg));
                self.out.exprs.insert(callee, Ty::Error);
                self.find(errors::not_callable(self.at(callee), &name, kind));
                Ty::Error
            }
            Expr::Field(base, name) if self.is_method(base, &name) => self.method((expr, callee), base, &name, args),
            Expr::Field(base, name) if let Some((of, meant)) = self.struct_of_method(base, &name) => {
                self.method_of_struct(callee, base, (&of, &meant), args)
            }
            _ => {
                let ty = self.expr(callee);
                let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
                self.apply(expr, callee, &ty, args, &types)
            }
        }
    }

    /// The name of a struct as the function that makes one of the values of its fields.
    fn constructor(&mut self, name: &Name) -> Ty {
        let fields = self.fields_of(name).iter().map(|(_, ty)| ty.clone()).collect();
        Ty::Fn(fields, Box::new(Ty::Struct(name.clone())))
    }

    /// A struct that is made of the values of its fields.
    fn construct(&mut self, expr: ExprId, callee: ExprId, name: &Name, args: &[ExprId]) -> Ty {
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        let constructor = self.constructor(name);
        self.out.exprs.insert(callee, constructor);
        let made = Ty::Struct(name.clone());
        if self.env.is_header_in_doubt(name) {
            return made;
        }
        let fields = self.fields_of(name);
        let names: Vec<_> = fields.iter().map(|(field, _)| field.clone()).collect();
        let optional = self.env.optional_fields(name);
        let takes = Takes { name, params: &names, optional: &optional, what: errors::Named::Field };
        let order = match self.order(expr, &takes, args) {
            Ok(order) => order,
            Err(finding) => {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
                return made;
            }
        };
        for (n, (field, wanted)) in order.iter().zip(fields.iter()) {
            let Some(n) = *n else { continue };
            let (arg, ty) = (args[n], &types[n]);
            let wanted = &self.or_of_cells(ty, wanted);
            if let Err(finding) = self.argument(arg, ty, wanted, &format!("field `{field}` of `{name}`")) {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
            }
        }
        self.leave_out(expr, name, &order);
        self.reorder(expr, order);
        made
    }

    /// Keeps the order of the arguments of a struct or a builtin that are given, if it is not that in which they stand.
    pub(super) fn reorder(&mut self, expr: ExprId, order: Vec<Option<usize>>) -> Vec<usize> {
        let order: Vec<_> = order.into_iter().flatten().collect();
        if !order.is_sorted() {
            self.out.reordered.insert(expr, order.clone());
        }
        order
    }

    /// A function that sees other lanes is named where there are some.
    fn check_lanes(&mut self, site: ExprId, signature: &Signature, name: &Name) {
        self.crosses_lanes |= signature.crosses_lanes && !self.in_foreach;
        if signature.crosses_lanes && !self.in_foreach && self.kind != ItemKind::Fn {
            self.find(errors::lane_function_outside(self.at(site), name));
        }
    }

    fn call_function(&mut self, expr: ExprId, callee: ExprId, name: &Name, args: &[ExprId]) -> Ty {
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        let Some(signature) = self.signature_of(callee, name) else {
            self.out.exprs.insert(callee, Ty::Error);
            return Ty::Error;
        };
        self.check_lanes(expr, &signature, name);
        let params: Vec<_> = signature.params.iter().map(|(param, _)| param.clone()).collect();
        let takes = Takes { name, params: &params, optional: &signature.optional, what: errors::Named::Parameter };
        let order = self.order(expr, &takes, args);
        let given: Vec<_> = match &order {
            Ok(order) => order.iter().map(|arg| arg.map(|n| args[n])).collect(),
            Err(_) => args.iter().copied().map(Some).collect(),
        };
        let (params, result, generics) = self.instantiate(&signature, &given);
        self.out.exprs.insert(callee, Ty::Fn(params.clone(), Box::new(result.clone())));
        let order = match order {
            Ok(order) => order,
            Err(finding) => {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
                return if signature.generics.is_empty() { result } else { Ty::Error };
            }
        };
        let is_plain = order.len() == args.len() && order.iter().enumerate().all(|(n, arg)| *arg == Some(n));
        if !is_plain {
            self.out.orders.insert(expr, order.clone());
        }
        let of_elements = self.is_of_elements(&signature, &params, &result, &types);
        for (n, at) in order.iter().enumerate() {
            let Some(at) = *at else { continue };
            let (arg, ty) = (args[at], &types[at]);
            let param = &signature.params[n].0;
            let ty = if of_elements { &self.element(ty) } else { ty };
            if let Err(finding) = self.argument(arg, ty, &params[n], &format!("parameter `{param}` of `{name}`")) {
                self.find(errors::defined_here(*finding, name, self.key_of(name)));
                // The generic types come from a wrong argument here, so the other arguments are not checked against
                // them.
                return if signature.generics.is_empty() { result } else { Ty::Error };
            }
        }
        self.remember_call(expr, generics, &signature);
        if !of_elements {
            return result;
        }
        let args: Vec<_> = args.iter().copied().zip(types).collect();
        match self.shape(&format!("the arguments of `{name}`"), &args) {
            Ok(Some(sizes)) => Ty::array(result, sizes),
            Ok(None) => result,
            Err(()) => Ty::Error,
        }
    }

    /// The number of the argument of each parameter, or the finding about a call that does not give what is taken.
    pub(super) fn order(
        &self,
        expr: ExprId,
        takes: &Takes<'_>,
        args: &[ExprId],
    ) -> Result<Vec<Option<usize>>, Box<Finding>> {
        let mut order = vec![None; takes.params.len()];
        let mut named: Option<&Name> = None;
        for (n, arg) in args.iter().enumerate() {
            let Some(own) = self.body.arg_names.get(arg) else {
                if let Some(before) = named {
                    return Err(Box::new(errors::behind_named(self.at(*arg), before)));
                }
                match order.get_mut(n) {
                    Some(slot) => *slot = Some(n),
                    None => return Err(Box::new(self.wrong_count(expr, takes, args))),
                }
                continue;
            };
            named = Some(own);
            let at = self.map.arg_names.get(arg).map_or(self.at(*arg), |(at, _)| *at);
            let Some(slot) = takes.params.iter().position(|param| param == own) else {
                let names: Vec<_> = takes.params.iter().map(|name| &**name).collect();
                return Err(Box::new(errors::unknown_parameter(at, own, takes.name, takes.what, &names)));
            };
            if let Some(first) = order[slot].replace(n) {
                return Err(Box::new(errors::given_twice(at, own, takes.what, self.at(args[first]))));
            }
        }
        let missing: Vec<_> = (0..order.len()).filter(|n| order[*n].is_none() && !takes.optional.contains(n)).collect();
        match missing.first() {
            None => Ok(order),
            Some(_) if named.is_none() => Err(Box::new(self.wrong_count(expr, takes, args))),
            Some(&missing) => {
                let param = &takes.params[missing];
                Err(Box::new(errors::missing_argument(self.at(expr), param, takes.name, takes.what)))
            }
        }
    }

    fn wrong_count(&self, expr: ExprId, takes: &Takes<'_>, args: &[ExprId]) -> Finding {
        let n_params = takes.params.len();
        let shown = |(n, name): (usize, &Name)| match takes.optional.contains(&n) {
            true => format!("{name}=..."),
            false => name.to_string(),
        };
        let names: Vec<_> = takes.params.iter().enumerate().map(shown).collect();
        let call = format!("{}({})", takes.name, names.join(", "));
        let takes_so_many = (n_params - takes.optional.len(), n_params);
        let finding = errors::argument_count(self.at(expr), &call, takes_so_many, args.len());
        let vector = matches!(&**takes.name, "vec2" | "vec3" | "vec4");
        if !vector || args.len() >= n_params {
            return finding;
        }
        let one = match args {
            [only] => self.plain_text(*only).map(|text| (self.at(*only), text)),
            _ => None,
        };
        errors::vector_of_fewer(finding, takes.name, n_params, one)
    }

    /// A number or a name as it is written.
    fn plain_text(&self, expr: ExprId) -> Option<String> {
        match &self.body.exprs[expr] {
            Expr::Literal(Literal::Int(number)) => Some(number.to_string()),
            Expr::Literal(Literal::Float(number)) => Some(format!("{number:?}")),
            Expr::Local(local) => Some(self.body.locals[*local].name.to_string()),
            _ => None,
        }
    }

    /// Says whether a call applies a function to the elements of arrays: all that it takes and gives are scalars, and some of its
    /// arguments are arrays. What sees other lanes is about the lanes of its call.
    fn is_of_elements(&self, signature: &Signature, params: &[Ty], result: &Ty, args: &[Ty]) -> bool {
        let is_scalar = |ty: &Ty| match self.table.shallow(ty) {
            Ty::Scalar(_) => true,
            Ty::Var(var) => self.table.scalars(var).is_some(),
            _ => false,
        };
        let is_of_scalars = !signature.crosses_lanes && params.iter().chain([result]).all(is_scalar);
        is_of_scalars && args.iter().any(|ty| self.is_array(ty))
    }

    /// A call of a function of the prelude that a builtin is.
    fn call_of_prelude(&mut self, callee: ExprId, row: &Builtin, args: &[(ExprId, Ty)]) -> Ty {
        let Some(signature) = self.env.shown_of_prelude(row.name) else { return Ty::Error };
        let places: Vec<_> = args.iter().map(|(arg, _)| Some(*arg)).collect();
        let (params, result, generics) = self.instantiate(&signature, &places);
        for (n, (arg, ty)) in args.iter().enumerate() {
            let param = &signature.params[n].0;
            if let Err(finding) = self.argument(*arg, ty, &params[n], &format!("parameter `{param}` of `{}`", row.name))
            {
                self.find(self.with_vector(*finding, callee, args));
                return Ty::Error;
            }
        }
        self.out.exprs.insert(callee, Ty::Fn(params, Box::new(result.clone())));
        self.remember_call(callee, generics, &signature);
        result
    }

    /// The function of the prelude that a builtin is, as a value.
    fn value_of_prelude(&mut self, expr: ExprId, row: &Builtin) -> Ty {
        let Some(signature) = self.env.shown_of_prelude(row.name) else { return Ty::Error };
        let (params, result, generics) = self.instantiate(&signature, &[]);
        self.remember_call(expr, generics, &signature);
        Ty::Fn(params, Box::new(result))
    }

    /// An argument fits its parameter, or there is a finding.
    pub(super) fn argument(&mut self, arg: ExprId, ty: &Ty, param: &Ty, what: &str) -> Result<(), Box<Finding>> {
        self.table.site = Some(arg);
        match self.table.unify(param, ty) {
            Ok(assumed) => {
                self.assume(arg, assumed);
                Ok(())
            }
            Err(clash) => {
                let side = self.side(arg, ty, param);
                if let Some(clash) = self.show_clash(&clash) {
                    return Err(Box::new(errors::argument_size(side, what, &clash)));
                }
                let expected = self.show(param);
                let scalar = matches!(self.table.shallow(param), Ty::Scalar(_) | Ty::Var(_));
                let elements = scalar && matches!(self.table.shallow(ty), Ty::Array(..));
                Err(Box::new(errors::argument_type(side, what, &expected, elements)))
            }
        }
    }

    /// Adds the fix of a product of a matrix and a vector, both of which have names.
    fn with_vector(&self, finding: Finding, callee: ExprId, args: &[(ExprId, Ty)]) -> Finding {
        // Of the functions of the prelude, this one alone takes two matrices.
        let is_ranks = finding.code == errors::CheckCode::SizeMismatch && finding.fixes.is_empty();
        let is_array = |ty: &Ty, n: usize| matches!(self.table.shallow(ty), Ty::Array(_, sizes) if sizes.len() == n);
        let [(matrix, of_matrix), (vector, of_vector)] = args else { return finding };
        let names = [*matrix, *vector].map(|arg| match self.body.exprs[arg] {
            Expr::Local(local) => Some(&self.body.locals[local].name),
            _ => None,
        });
        match names {
            [Some(m), Some(v)] if is_ranks && is_array(of_matrix, 2) && is_array(of_vector, 1) => {
                errors::of_vector(finding, self.at(callee), (self.at(*matrix), m), (self.at(*vector), v))
            }
            _ => finding,
        }
    }

    /// What is asked of a value of a field: of a field that is an array the array, or its element where the value is one for all cells.
    pub(super) fn or_of_cells(&self, ty: &Ty, wanted: &Ty) -> Ty {
        match wanted {
            Ty::Array(element, _) if self.is_single(ty) => (**element).clone(),
            wanted => wanted.clone(),
        }
    }

    /// Checks an argument as above, and makes the finding.
    pub(super) fn fits(&mut self, arg: ExprId, ty: &Ty, param: &Ty, what: &str) -> bool {
        self.argument(arg, ty, param, what).map_err(|finding| self.find(*finding)).is_ok()
    }

    /// The result of a function value applied to arguments. The callee was inferred before.
    fn apply(&mut self, expr: ExprId, callee: ExprId, ty: &Ty, args: &[ExprId], types: &[Ty]) -> Ty {
        match self.table.shallow(ty) {
            Ty::Error => Ty::Error,
            Ty::Fn(params, result) => {
                if params.len() != types.len() {
                    self.find(errors::applied_to(self.at(expr), params.len(), types.len()));
                    return Ty::Error;
                }
                for (n, (ty, param)) in types.iter().zip(&params).enumerate() {
                    let fits = match args.get(n) {
                        Some(&arg) => self.fits(arg, ty, param, "the function's parameter"),
                        None => self.element_argument(callee, ty, param),
                    };
                    if !fits {
                        return Ty::Error;
                    }
                }
                *result
            }
            open @ Ty::Var(_) => {
                let result = self.table.any();
                self.table.site = Some(expr);
                if self.table.unify(&open, &Ty::Fn(types.to_vec(), Box::new(result.clone()))).is_err() {
                    let shown = self.show(&open);
                    self.find(errors::not_a_function(self.at(callee), &shown, false));
                    return Ty::Error;
                }
                result
            }
            other => {
                let shown = self.show(&other);
                let array = matches!(other, Ty::Array(..)) && !args.is_empty();
                let finding = errors::not_a_function(self.at(callee), &shown, array);
                self.find(if array { errors::element_of_call(finding, self.at(expr)) } else { finding });
                Ty::Error
            }
        }
    }

    /// A function that stands as an argument of `map` and its like, applied to elements of these types.
    fn apply_to_elements(&mut self, expr: ExprId, function: ExprId, elements: &[Ty]) -> Ty {
        if let Expr::Lambda(params, body) = self.body.exprs[function].clone() {
            let mut types = Vec::new();
            for param in &params {
                let ty = match &self.body.locals[*param].ty {
                    Some(written) => self.type_ref(written),
                    None => self.table.any(),
                };
                self.out.locals.insert(*param, ty.clone());
                types.push(ty);
            }
            if params.len() != elements.len() {
                self.find(errors::applied_to(self.at(function), params.len(), elements.len()));
                for &param in &params {
                    self.out.locals.insert(param, Ty::Error);
                }
                self.out.exprs.insert(function, Ty::Error);
                self.expr(body);
                return Ty::Error;
            }
            // The elements' types are known before the lambda's body is looked at.
            for (ty, element) in types.iter().zip(elements) {
                self.element_argument(function, element, ty);
            }
            let result = self.expr(body);
            self.out.exprs.insert(function, Ty::Fn(types, Box::new(result.clone())));
            return result;
        }
        let ty = match self.body.exprs[function].clone() {
            Expr::Operator(op) => return self.apply_operator(expr, function, op, elements),
            Expr::Builtin(builtin)
                if elements.iter().any(|ty| matches!(self.table.shallow(ty), Ty::Array(..) | Ty::Struct(_))) =>
            {
                return self.apply_builtin(function, builtin, elements);
            }
            Expr::Item(kind @ ItemKind::Kernel, name) => {
                self.find(errors::not_callable(self.at(function), &name, kind));
                Ty::Error
            }
            Expr::Item(ItemKind::Struct, name) => self.constructor(&name),
            Expr::Field(base, variant) if let Some(name) = self.enum_named(base) => {
                self.constructor_of_variant(function, base, &name, &variant)
            }
            _ => self.expr(function),
        };
        self.out.exprs.insert(function, ty.clone());
        self.apply(function, function, &ty, &[], elements)
    }

    /// A builtin of scalars applied to rows or structs.
    fn apply_builtin(&mut self, function: ExprId, builtin: BuiltinId, elements: &[Ty]) -> Ty {
        let row = builtin.get();
        let (least, most) = arity(row.shape);
        let args: Vec<_> = elements.iter().map(|ty| (function, ty.clone())).collect();
        let fits = (least..=most).contains(&args.len());
        match if fits { self.elementwise(row, &args) } else { None } {
            Some(result) => {
                self.out.exprs.insert(function, Ty::Fn(elements.to_vec(), Box::new(result.clone())));
                result
            }
            None => {
                let ty = self.expr(function);
                self.apply(function, function, &ty, &[], elements)
            }
        }
    }

    /// An element fits the parameter of the function that is applied to it; says whether it does.
    fn element_argument(&mut self, function: ExprId, element: &Ty, param: &Ty) -> bool {
        self.table.site = Some(function);
        match self.table.unify(element, param) {
            Ok(assumed) => {
                self.assume(function, assumed);
                true
            }
            Err(_) => {
                let (takes, found) = (self.show(param), self.show(element));
                let row = matches!(self.table.shallow(element), Ty::Array(..));
                self.find(errors::element_type(self.at(function), &takes, &found, row));
                false
            }
        }
    }

    fn apply_operator(&mut self, expr: ExprId, function: ExprId, op: BinOp, elements: &[Ty]) -> Ty {
        let [a, b] = elements else {
            self.out.exprs.insert(function, Ty::Error);
            self.find(errors::applied_to(self.at(function), 2, elements.len()));
            return Ty::Error;
        };
        if let Some(result) = self.on_structs(function, function, op, (function, a), (function, b)) {
            self.out.exprs.insert(function, Ty::Fn(elements.to_vec(), Box::new(result.clone())));
            return result;
        }
        let set = operands(op);
        for ty in [a, b] {
            self.table.site = Some(expr);
            let scalar = match self.table.shallow(ty) {
                Ty::Array(element, _) => *element,
                other => other,
            };
            if self.table.narrow(&scalar, set).is_err() {
                let shown = self.show(ty);
                self.out.exprs.insert(function, Ty::Error);
                self.find(errors::element_type(self.at(function), &ty::describe(set), &shown, false));
                return Ty::Error;
            }
        }
        let result = self.combine(function, op, (function, a), (function, b));
        self.out.exprs.insert(function, Ty::Fn(elements.to_vec(), Box::new(result.clone())));
        result
    }

    // Builtins.

    /// A builtin that is not called: a lane value, or a function for `map` and its like.
    pub(super) fn builtin_value(&mut self, expr: ExprId, builtin: BuiltinId) -> Ty {
        let row = builtin.get();
        if row.takes_arrays {
            self.out.of_arrays.insert(expr);
            return self.value_of_prelude(expr, row);
        }
        // The lanes of a `foreach` here are no concern of callers.
        self.crosses_lanes |= row.crosses_lanes && !self.in_foreach;
        match row.shape {
            TypeRule::Function(_) => self.value_of_prelude(expr, row),
            TypeRule::Value if matches!(row.means, Means::Number(_)) => self.table.scalar(ElemSet::FLOATS),
            TypeRule::Value => Ty::Scalar(Elem::I32),
            TypeRule::Same(set, n) => {
                let ty = self.table.scalar(set);
                Ty::Fn(vec![ty.clone(); n], Box::new(ty))
            }
            TypeRule::To(from, to) => Ty::Fn(vec![self.table.scalar(from)], Box::new(self.table.scalar(to))),
            TypeRule::Scale(set) => {
                let ty = self.table.scalar(set);
                Ty::Fn(vec![ty.clone(), Ty::Scalar(Elem::I32)], Box::new(ty))
            }
            TypeRule::Select => {
                let ty = self.table.any();
                Ty::Fn(vec![Ty::Scalar(Elem::Bool), ty.clone(), ty.clone()], Box::new(ty))
            }
            _ => {
                self.find(errors::builtin_needs_call(self.at(expr), row.name, row.signature));
                Ty::Error
            }
        }
    }

    fn call_builtin(&mut self, expr: ExprId, callee: ExprId, builtin: BuiltinId, args: &[ExprId]) -> Ty {
        let row = builtin.get();
        let args = &*match self.arguments_of_builtin(expr, row, args) {
            Ok(args) => args,
            Err(finding) => {
                args.iter().for_each(|&arg| self.misplaced_argument(arg));
                self.find(*finding);
                return Ty::Error;
            }
        };
        let (least, most) = arity(row.shape);
        if row.takes_arrays && args.len() == most {
            let args: Vec<_> = args.iter().map(|&arg| (arg, self.expr(arg))).collect();
            match self.table.shallow(&args[0].1) {
                Ty::Array(..) => {
                    self.out.of_arrays.insert(callee);
                    return self.call_of_prelude(callee, row, &args);
                }
                Ty::Error => return Ty::Error,
                _ if !self.in_foreach && self.kind != ItemKind::Fn && !self.body.in_doubt => {
                    self.find(errors::lane_operation_outside(self.at(callee), row.name, None));
                }
                _ => {}
            }
        }
        if row.shape == TypeRule::Length {
            // Arrays that are zipped have one length.
            self.zipped.extend(args.first());
        }
        if let Some(vector) = row.of_vectors()
            && let Some(ty) = self.of_vectors(row, vector, args)
        {
            return ty;
        }
        // The lanes of a `foreach` here are no concern of callers.
        self.crosses_lanes |= row.crosses_lanes && !self.in_foreach;
        if row.shape == TypeRule::Value {
            args.iter().for_each(|&arg| _ = self.expr(arg));
            self.find(errors::lane_value_called(self.at(expr), row.name));
            return if row.crosses_lanes { Ty::Scalar(Elem::I32) } else { Ty::Error };
        }
        if args.len() < least || args.len() > most {
            args.iter().for_each(|&arg| self.misplaced_argument(arg));
            let finding = errors::argument_count(self.at(expr), row.signature, (least, most), args.len());
            let scalar = |ty: &Ty| match self.table.shallow(ty) {
                Ty::Var(var) => self.table.scalars(var).is_some(),
                ty => matches!(ty, Ty::Scalar(_)),
            };
            let of_all = args.len() == 1 && !self.out.exprs.get(args[0]).is_some_and(scalar);
            self.find(match (row.name, args.len()) {
                ("round", 2) => errors::round_to_digits(finding),
                ("min" | "max", 3..) => {
                    let first = self.at(callee).end() + TextSize::of('(');
                    let middle = args[1..args.len() - 1].iter().map(|&arg| self.at(arg));
                    errors::nested_calls(finding, row.name, first, middle.collect())
                }
                _ if of_all && errors::of_all(row.name).is_some() => {
                    errors::of_all_elements(finding, self.at(callee), row.name)
                }
                _ => finding,
            });
            return Ty::Error;
        }
        match row.shape {
            TypeRule::Same(..)
            | TypeRule::To(..)
            | TypeRule::Scale(_)
            | TypeRule::Like
            | TypeRule::Saturate
            | TypeRule::Bits(_)
            | TypeRule::Select => {
                let args: Vec<_> = args.iter().map(|&arg| (arg, self.expr(arg))).collect();
                self.elementwise(row, &args).unwrap_or(Ty::Error)
            }
            TypeRule::Vote => {
                self.condition(args[0]);
                Ty::Scalar(Elem::Bool)
            }
            TypeRule::Move => {
                let ty = self.expr(args[0]);
                let ty = self.scalar_argument(row, ElemSet::ANY, &(args[0], ty));
                let lane = self.expr(args[1]);
                let _ = self.integer(args[1], &lane, "a lane");
                ty
            }
            TypeRule::CompressStore => {
                let element = self.elements(args[0]).map(|(element, _)| element);
                let at = self.expr(args[1]);
                let _ = self.integer(args[1], &at, "an index");
                let value = self.expr(args[2]);
                if let Some(element) = element {
                    self.fits(args[2], &value, &element, "an element of the array");
                }
                Ty::Scalar(Elem::I32)
            }
            TypeRule::Atomic => self.atomic(row, args),
            TypeRule::Prefetch => {
                let _ = self.elements(args[0]);
                let at = self.expr(args[1]);
                let _ = self.integer(args[1], &at, "an index");
                Ty::Nothing
            }
            TypeRule::ExpandLoad => {
                let element = self.elements(args[0]).map_or(Ty::Error, |(element, _)| element);
                let at = self.expr(args[1]);
                let _ = self.integer(args[1], &at, "an index");
                element
            }
            TypeRule::Function(_) => {
                let args: Vec<_> = args.iter().map(|&arg| (arg, self.expr(arg))).collect();
                self.call_of_prelude(callee, row, &args)
            }
            TypeRule::Length => self.length(args),
            TypeRule::Vectors(_) => {
                let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
                if self.table.shallow(&types[0]) != Ty::Error {
                    let side = self.side(args[0], &types[0], &Ty::Error);
                    self.find(errors::builtin_argument(side, row.name, "a struct of floats", false));
                }
                Ty::Error
            }
            TypeRule::Limit => {
                let ty = self.expr(args[0]);
                let ty = self.scalar_argument(row, ElemSet::NUMBERS, &(args[0], ty));
                if self.is_array(&self.out.exprs[args[0]].clone()) { self.element(&ty) } else { ty }
            }
            TypeRule::Map => self.map(expr, args),
            TypeRule::Reduce | TypeRule::Scan => self.fold_array(expr, row.shape, args),
            TypeRule::Iota => {
                let ty = self.expr(args[0]);
                let _ = self.integer(args[0], &ty, "a size");
                Ty::array(ty, vec![self.size_argument(args[0])])
            }
            TypeRule::Replicate => {
                let n = self.expr(args[0]);
                let _ = self.integer(args[0], &n, "a size");
                let element = self.expr(args[1]);
                let element = self.table.shallow(&element);
                Ty::array(element, vec![self.size_argument(args[0])])
            }
            TypeRule::Zip => {
                let ty = self.zip(expr, args);
                if self.zipped.contains(&expr) {
                    return ty;
                }
                self.find(errors::zipped_alone(self.at(expr)));
                Ty::Error
            }
            TypeRule::Value => Ty::Scalar(Elem::I32),
        }
    }

    /// The arguments of a builtin in the order of its parameters, some of which may be given by name.
    fn arguments_of_builtin(
        &mut self,
        expr: ExprId,
        row: &Builtin,
        args: &[ExprId],
    ) -> Result<Vec<ExprId>, Box<Finding>> {
        if args.iter().all(|arg| !self.body.arg_names.contains_key(arg)) {
            return Ok(args.to_vec());
        }
        let params: Vec<Name> = row.params().map(Name::from).collect();
        let takes = Takes { name: &row.name.into(), params: &params, optional: &[], what: errors::Named::Parameter };
        let order = self.order(expr, &takes, args)?;
        Ok(self.reorder(expr, order).into_iter().map(|n| args[n]).collect())
    }

    /// Settles what is open still of the types of `to_bits` and `from_bits`: of an argument and its result each follows from the
    /// other one, and where both are open the argument is the shorter of the types that it may be.
    pub(super) fn settle_bits(&mut self) {
        let mut calls = std::mem::take(&mut self.calls_of_bits);
        while !calls.is_empty() {
            let n_open = calls.len();
            calls.retain(|(arg, of, result)| !self.settle_bits_of(*arg, of, result));
            if calls.len() == n_open {
                let (_, of, _) = &calls[0];
                let shorter = [Elem::F32, Elem::U32].map(|elem| self.table.unify(of, &Ty::Scalar(elem)));
                if shorter.iter().all(Result::is_err) {
                    calls.remove(0);
                }
            }
        }
    }

    /// Settles one such call; says whether that was possible.
    fn settle_bits_of(&mut self, arg: ExprId, of: &Ty, result: &Ty) -> bool {
        let bits = |ty: &Ty| ty.scalar().and_then(type_of_bits).map(Ty::Scalar);
        let (of, result) = (self.table.shallow(of), self.table.shallow(result));
        if let Some(result_of) = bits(&of) {
            if self.table.unify(&result, &result_of).is_err() {
                let expected = bits(&result).unwrap_or(Ty::Error);
                let shown = self.show(&expected);
                let side = self.side(arg, &of, &expected);
                self.find(errors::argument_type(side, "the value whose bits are asked for", &shown, false));
            }
            return true;
        }
        bits(&result).is_some_and(|wanted| self.table.unify(&of, &wanted).is_ok())
    }

    /// Infers an argument whose place in the call is not known, so that it may well be a function for elements.
    fn misplaced_argument(&mut self, arg: ExprId) {
        match &self.body.exprs[arg] {
            Expr::Builtin(_) | Expr::Lambda(..) => self.forget(arg),
            _ => _ = self.expr(arg),
        }
    }

    fn size_argument(&mut self, arg: ExprId) -> Size {
        self.size_of(arg).unwrap_or_else(|| self.table.unknown_size())
    }

    /// The elements (or rows) of an array, and its first size.
    pub(super) fn elements(&mut self, array: ExprId) -> Option<(Ty, Size)> {
        let ty = self.expr(array);
        match self.table.shallow(&ty) {
            Ty::Array(element, sizes) => Some((Ty::indexed(&element, &sizes), sizes[0].clone())),
            Ty::Error => None,
            open @ Ty::Var(_) => {
                let (element, size) = (self.table.any(), self.table.size());
                let made = Ty::Array(Box::new(element.clone()), vec![size.clone()]);
                self.table.site = Some(array);
                if self.table.unify(&open, &made).is_err() {
                    self.no_elements(array, &open);
                    return None;
                }
                Some((element, size))
            }
            other => {
                self.no_elements(array, &other);
                None
            }
        }
    }

    /// Finds a value that has no elements. What a loop holds to go over it is told once.
    fn no_elements(&mut self, array: ExprId, ty: &Ty) {
        if let Expr::Local(held) = self.body.exprs[array]
            && self.body.locals[held].kind == LocalKind::Held
        {
            let counts = self.table.narrow(ty, ElemSet::INTEGERS).is_ok();
            let side = self.side(array, ty, &Ty::Error);
            self.find(errors::over_no_array(side, counts));
            self.out.locals.insert(held, Ty::Error);
            return;
        }
        let shown = self.show(ty);
        let origin = self.origin(array);
        self.find(errors::not_an_array(self.at(array), &shown, origin));
    }

    /// Returns the elements of several arrays of one size, with tuples split into their parts.
    fn columns(&mut self, expr: ExprId, arrays: &[ExprId]) -> Option<(Vec<Ty>, Size)> {
        let mut columns = Vec::new();
        let mut size: Option<(ExprId, Size)> = None;
        let mut whole = true;
        for &array in arrays {
            self.zipped.insert(array);
            let Some((element, own)) = self.elements(array) else {
                whole = false;
                continue;
            };
            if let Some((first, first_size)) = &size {
                let (first, first_size) = (*first, first_size.clone());
                whole &= self.same_size(expr, (first, &first_size), (array, &own));
            }
            size.get_or_insert((array, own));
            match element {
                Ty::Tuple(parts) => columns.extend(parts),
                element => columns.push(element),
            }
        }
        size.filter(|_| whole).map(|(_, size)| (columns, size))
    }

    fn same_size(&mut self, expr: ExprId, (a, a_size): (ExprId, &Size), (b, b_size): (ExprId, &Size)) -> bool {
        let array = |size: &Size| Ty::Array(Box::new(Ty::Error), vec![size.clone()]);
        match self.table.unify(&array(a_size), &array(b_size)) {
            Ok(assumed) => {
                self.assume(expr, assumed);
                true
            }
            Err(_) => {
                let side = |array: ExprId| {
                    let ty = self.out.exprs.get(array).cloned().unwrap_or(Ty::Error);
                    self.side(array, &ty, &Ty::Error)
                };
                let finding = errors::sizes_differ(side(a), side(b), &self.show_size(a_size), &self.show_size(b_size));
                self.find(finding);
                false
            }
        }
    }

    /// A size of an array: any integer, like one that is written down.
    fn length(&mut self, args: &[ExprId]) -> Ty {
        let _ = self.elements(args[0]);
        if let Some(&dim) = args.get(1) {
            let ty = self.expr(dim);
            let rank = match self.out.exprs.get(args[0]).map(|ty| self.table.shallow(ty)) {
                Some(Ty::Array(_, sizes)) => Some(sizes.len()),
                _ => None,
            };
            match self.body.exprs[dim] {
                Expr::Literal(Literal::Int(n)) if rank.is_none_or(|rank| n < rank as u128) => {
                    let _ = self.integer(dim, &ty, "a dimension");
                }
                Expr::Missing => {}
                _ => self.find(errors::no_dimension(self.at(dim), rank)),
            }
        }
        self.table.integer()
    }

    /// The size that a call of `length` gives.
    pub(super) fn size_of_length(&mut self, args: &[ExprId]) -> Option<Size> {
        let dim = match args.get(1).map(|&dim| &self.body.exprs[dim]) {
            None => 0,
            Some(Expr::Literal(Literal::Int(n))) => usize::try_from(*n).ok()?,
            Some(_) => return None,
        };
        let ty = self.out.exprs.get(*args.first()?)?.clone();
        match self.table.shallow(&ty) {
            Ty::Array(_, sizes) => sizes.get(dim).map(|size| self.table.resolve_size(size)),
            _ => None,
        }
    }

    fn map(&mut self, expr: ExprId, args: &[ExprId]) -> Ty {
        let (function, arrays) = (args[0], &args[1..]);
        let Some((columns, size)) = self.columns(expr, arrays) else {
            self.forget(function);
            return Ty::Error;
        };
        let result = self.apply_to_elements(expr, function, &columns);
        match self.table.shallow(&result) {
            Ty::Error => Ty::Error,
            Ty::Nothing => {
                self.find(errors::function_without_value(self.at(function)));
                Ty::Error
            }
            Ty::Tuple(_) => {
                self.find(errors::array_of_tuples(self.at(function)));
                Ty::Error
            }
            result => Ty::array(result, vec![size]),
        }
    }

    /// A function whose arguments are in error: its inside has no types, and no findings.
    fn forget(&mut self, function: ExprId) {
        if let Expr::Lambda(params, body) = self.body.exprs[function].clone() {
            for param in params {
                self.out.locals.insert(param, Ty::Error);
            }
            self.expr(body);
        }
        self.out.exprs.insert(function, Ty::Error);
    }

    fn fold_array(&mut self, expr: ExprId, shape: TypeRule, args: &[ExprId]) -> Ty {
        let [function, zero, array] = args[..] else { return Ty::Error };
        let zero_type = self.expr(zero);
        let Some((columns, size)) = self.columns(expr, &[array]) else {
            self.forget(function);
            return Ty::Error;
        };
        let name = if shape == TypeRule::Scan { "scan" } else { "reduce" };
        // An operator joins values of one type, so that the message can be about what it starts with.
        let joins_one_type = match &self.body.exprs[function] {
            Expr::Operator(op) => !op.compares(),
            Expr::Builtin(builtin) => matches!(builtin.get().shape, TypeRule::Same(_, 2)),
            _ => false,
        };
        if let ([element], true) = (&columns[..], joins_one_type)
            && !self.fits(zero, &zero_type, element, &format!("what `{name}` starts with"))
        {
            self.forget(function);
            return Ty::Error;
        }
        let mut values = vec![zero_type.clone()];
        values.extend(columns);
        let result = self.apply_to_elements(expr, function, &values);
        self.table.site = Some(function);
        match self.table.unify(&result, &zero_type) {
            Ok(assumed) => self.assume(function, assumed),
            Err(_) => {
                let (found, expected) = (self.show(&result), self.show(&zero_type));
                self.find(errors::joins_to_other_type(self.at(function), name, &expected, &found));
                return Ty::Error;
            }
        }
        let joined = self.with_known_sizes(&zero_type, &result);
        if shape == TypeRule::Reduce {
            return joined;
        }
        match self.table.shallow(&joined) {
            Ty::Tuple(_) => {
                self.find(errors::array_of_tuples(self.at(zero)));
                Ty::Error
            }
            joined => Ty::array(joined, vec![size]),
        }
    }

    fn zip(&mut self, expr: ExprId, args: &[ExprId]) -> Ty {
        match self.columns(expr, args) {
            Some((columns, size)) => Ty::Array(Box::new(Ty::Tuple(columns)), vec![size]),
            None => Ty::Error,
        }
    }
}

/// The parameters of a function, or the fields of a struct, as a call may give them, in order.
pub(super) struct Takes<'a> {
    pub(super) name: &'a Name,
    pub(super) params: &'a [Name],
    /// The numbers of those that need not be given.
    pub(super) optional: &'a [usize],
    pub(super) what: errors::Named,
}

/// A size in a type has such an atom.
fn mentions_size(ty: &Ty, is_meant: &dyn Fn(&Atom) -> bool) -> bool {
    let mut mentions = false;
    ty.replace(&mut |_| None, &mut |size| {
        mentions |= size.any(&|atom| is_meant(atom));
        size.clone()
    });
    mentions
}

/// The least and the largest number of arguments.
fn arity(shape: TypeRule) -> (usize, usize) {
    match shape {
        TypeRule::Same(_, n) => (n, n),
        TypeRule::Select | TypeRule::CompressStore | TypeRule::Atomic | TypeRule::Reduce | TypeRule::Scan => (3, 3),
        TypeRule::Value => (0, 0),
        TypeRule::Length => (1, 2),
        TypeRule::Function(n) | TypeRule::Vectors(n) => (n, n),
        TypeRule::Limit | TypeRule::To(..) | TypeRule::Bits(_) | TypeRule::Vote | TypeRule::Iota => (1, 1),
        TypeRule::Scale(_)
        | TypeRule::Like
        | TypeRule::Saturate
        | TypeRule::Move
        | TypeRule::ExpandLoad
        | TypeRule::Prefetch
        | TypeRule::Replicate => (2, 2),
        TypeRule::Map | TypeRule::Zip => (2, usize::MAX),
    }
}
