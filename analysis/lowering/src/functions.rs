//! Functions as values: lambdas, functions, builtins and operators, applied where they are called.

use std::sync::Arc;

use ir::{Def, Elem, Op, Region, Type, Value};
use report::{ItemKind, TextRange};

use super::{Frame, Lower, Lowered, Var};
use hir::ty::Ty;
use hir::{Expr, ExprId, Name, NotYet};

/// A function as a value.
pub(super) struct Closure {
    /// The function that it was made in.
    frame: Frame,
    /// The expression that it is the value of.
    expr: ExprId,
    /// The variables that a lambda uses, with the values that they had when it was made.
    captured: Vec<(Var, Lowered)>,
    /// The types of its parameters and its result.
    params: Vec<Ty>,
    result: Ty,
}

// A function is itself alone.
impl PartialEq for Closure {
    fn eq(&self, other: &Closure) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Closure {}

impl std::fmt::Debug for Closure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a function of {}", self.frame.key.name)
    }
}

impl Closure {
    /// The expression that it is the value of.
    pub(super) fn callee(&self) -> &Expr {
        &self.frame.body.exprs[self.expr]
    }

    /// The names of a lambda's parameters.
    pub(super) fn names_of_params(&self) -> Vec<Name> {
        let body = &self.frame.body;
        match &body.exprs[self.expr] {
            Expr::Lambda(params, _) => {
                params.iter().map(|&param| super::ir_name(&body.locals[param].name).into()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// One of two functions, by a condition.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FunctionChoice {
    test: Value,
    sides: [Lowered; 2],
}

impl Lowered {
    /// Says whether it is a function.
    pub(super) fn is_function(&self) -> bool {
        matches!(self, Lowered::Function(_) | Lowered::Choice(_))
    }
}

impl Lower<'_> {
    /// `a if c else b` of functions.
    pub(super) fn cond_of_functions(&mut self, expr: ExprId, condition: ExprId, sides: [ExprId; 2]) -> Lowered {
        let test = self.condition(condition);
        let at = self.at(expr);
        self.set_place(at);
        self.b.open_if(test);
        let a = self.expr(sides[0]);
        self.b.next_block(&[]);
        let b = self.expr(sides[1]);
        self.b.close(&[]);
        self.one_of(at, test, [a, b])
    }

    /// One of two functions, each made in one of the two blocks of the `if` that was closed last.
    pub(super) fn one_of(&mut self, at: TextRange, test: Value, sides: [Lowered; 2]) -> Lowered {
        let block = self.b.block();
        let branch = *self.b.kernel().regions[block].ops.last().expect("an `if` was closed");
        let sides = match sides {
            [a, b] if a == b => return a,
            sides => sides,
        };
        let blocks = self.b.kernel().ops[branch].regions.clone();
        let mut number = 0;
        let sides = sides.map(|side| {
            let blocks = (blocks[number], blocks[1 - number]);
            number += 1;
            match side.is_function() {
                true => self.handed_on(at, branch, blocks, side),
                // A way through a function that has not given its result yet.
                false => Lowered::Nothing,
            }
        });
        let kernel = self.b.kernel_mut();
        if kernel.ops[branch].results.is_empty() && blocks.iter().all(|&block| kernel.regions[block].ops.is_empty()) {
            kernel.regions[block].ops.pop();
        }
        match sides {
            [function, Lowered::Nothing] | [Lowered::Nothing, function] => function,
            sides => Lowered::Choice(Arc::new(FunctionChoice { test, sides })),
        }
    }

    /// A function that a block of an `if` made, of values that are there behind it: what it keeps of the block's own, the block yields.
    fn handed_on(&mut self, at: TextRange, branch: Op, blocks: (Region, Region), function: Lowered) -> Lowered {
        match function {
            Lowered::Function(closure) => {
                let captured = closure.captured.iter();
                let captured = captured.map(|(var, value)| (*var, self.handed_on(at, branch, blocks, value.clone())));
                let captured: Vec<_> = captured.collect();
                match captured == closure.captured {
                    true => Lowered::Function(closure),
                    false => Lowered::Function(Arc::new(Closure {
                        frame: closure.frame.clone(),
                        params: closure.params.clone(),
                        result: closure.result.clone(),
                        expr: closure.expr,
                        captured,
                    })),
                }
            }
            Lowered::Choice(choice) => {
                let test = self.yielded(at, branch, blocks, choice.test);
                let sides = choice.sides.clone().map(|side| self.handed_on(at, branch, blocks, side));
                Lowered::Choice(Arc::new(FunctionChoice { test, sides }))
            }
            Lowered::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.handed_on(at, branch, blocks, part));
                Lowered::Tuple(parts.collect())
            }
            other => {
                let parts = self.parts_of(&other);
                let parts: Vec<_> = parts.into_iter().map(|part| self.yielded(at, branch, blocks, part)).collect();
                if parts.is_empty() { other } else { self.like(&other, &parts) }
            }
        }
    }

    /// A value behind an `if`, one block of which computes it.
    fn yielded(&mut self, at: TextRange, branch: Op, (own, other): (Region, Region), value: Value) -> Value {
        let kernel = self.b.kernel();
        let mut is_inside = false;
        kernel.walk(own, &mut |_, op| is_inside |= kernel.def_op(value) == Some(op));
        if !is_inside {
            return value;
        }
        if let Some(known) = kernel.regions[own].yields.iter().position(|&yielded| yielded == value) {
            return kernel.ops[branch].results[known];
        }
        let ty = kernel.ty(value);
        let Some(elem) = ty.data_elem() else {
            self.not_yet(at, NotYet::CarriedFunction);
            return value;
        };
        // The function is never called where the other block has run.
        let nothing = self.constant(ir::Scalar::zero(elem));
        let kernel = self.b.kernel_mut();
        kernel.regions[own].yields.push(value);
        kernel.regions[other].yields.push(nothing);
        let result = kernel.add_value(ty, Def::Result(branch, kernel.ops[branch].results.len() as u32), None);
        kernel.ops[branch].results.push(result);
        result
    }

    /// Applies `with` to the function that the choice takes at run time, at a place.
    pub(super) fn chosen(
        &mut self,
        at: TextRange,
        choice: &FunctionChoice,
        mut with: impl FnMut(&mut Self, &Lowered) -> Lowered,
    ) -> Lowered {
        self.set_place(at);
        self.b.open_if(choice.test);
        let a = with(self, &choice.sides[0]);
        let a = self.in_columns(a);
        let yields = self.parts_of(&a);
        self.b.next_block(&yields);
        let b = with(self, &choice.sides[1]);
        let b = self.in_columns(b);
        let others = self.parts_of(&b);
        let types = |values: &[Value]| values.iter().map(|&value| self.b.kernel().ty(value)).collect::<Vec<_>>();
        let others = match types(&others) == types(&yields) {
            true => others,
            // One of them was not understood.
            false => types(&yields).into_iter().map(|ty| self.placeholder(ty)).collect(),
        };
        let results = self.b.close(&others).to_vec();
        match a.is_function() || b.is_function() {
            true => self.one_of(at, choice.test, [a, b]),
            false => self.like(&a, &results),
        }
    }

    /// A lambda, or the name of a function, a builtin or an operator, as a value.
    pub(super) fn closure(&mut self, expr: ExprId) -> Lowered {
        let Ty::Fn(params, result) = self.type_of(expr) else { return Lowered::Nothing };
        let body = self.frame().body.clone();
        let mut captured = Vec::new();
        if let Expr::Lambda(own, inner) = &body.exprs[expr] {
            let mut parts = vec![*inner];
            while let Some(part) = parts.pop() {
                body.for_each_part(part, |part| parts.push(part));
                let Expr::Local(local) = &body.exprs[part] else { continue };
                let var = self.local_var(*local);
                if !own.contains(local)
                    && let Some(value) = self.vars.get(&var)
                {
                    captured.push((var, value.clone()));
                }
            }
        }
        let closure = Closure { frame: self.frame().clone(), expr, captured, params, result: *result };
        Lowered::Function(Arc::new(closure))
    }

    /// The result of a function that is called with these arguments. The call stands at `site`.
    pub(super) fn apply(&mut self, site: ExprId, function: &Lowered, args: Vec<Lowered>) -> Lowered {
        let ty = self.type_of(site);
        let closure = match function {
            Lowered::Function(closure) => closure,
            Lowered::Choice(choice) => {
                let at = self.at(site);
                return self.chosen(at, choice, |lower, function| lower.apply(site, function, args.clone()));
            }
            _ => return self.unknown_of(&ty),
        };
        if closure.params.len() != args.len() || self.too_much(self.at(site)) {
            return self.unknown_of(&closure.result);
        }
        let body = closure.frame.body.clone();
        let before = self.vars.checkpoint();
        self.frames.push(closure.frame.clone());
        self.depth += 1;
        for (var, value) in &closure.captured {
            self.vars.insert(*var, value.clone());
        }
        let args = closure.params.iter().zip(args).map(|(ty, arg)| self.fitting(ty, arg)).collect::<Vec<_>>();
        let result = match &body.exprs[closure.expr] {
            Expr::Lambda(params, inner) => {
                for (&param, arg) in params.iter().zip(args) {
                    self.start_local(param, arg);
                }
                let result = self.expr(*inner);
                self.assumed(&[*inner]);
                result
            }
            Expr::Operator(op) => match &args[..] {
                [a, b] => self.operate(closure.expr, *op, a.clone(), b.clone(), None),
                _ => self.unknown_of(&closure.result),
            },
            Expr::Builtin(builtin) => self.builtin_of(closure.expr, *builtin, &closure.params, &closure.result, args),
            Expr::Item(ItemKind::Fn, name) => match self.callee(self.home(), name.clone()) {
                Some(callee) => self.inline(closure.expr, callee, &closure.params, &closure.result, args),
                None => self.unknown_of(&closure.result),
            },
            Expr::Item(ItemKind::Struct, name) => self.construct(name, args),
            Expr::Field(_, variant) => self.variant(closure.expr, variant, &args),
            _ => self.unknown_of(&closure.result),
        };
        self.depth -= 1;
        self.frames.pop();
        self.vars.roll_back(before);
        result
    }

    /// Says that there are too many calls, or that they are nested too deep, if so.
    pub(super) fn too_much(&mut self, at: report::TextRange) -> bool {
        self.n_calls += u32::from(!self.frame().key.in_prelude());
        let too_much = match (self.n_calls > super::calls::MAX_CALLS, self.depth > super::calls::MAX_DEPTH) {
            (true, _) => NotYet::Calls(super::calls::MAX_CALLS),
            (_, true) => NotYet::Levels(super::calls::MAX_DEPTH),
            _ => return false,
        };
        // Once is enough: all calls after this one have the same cause.
        if !std::mem::replace(&mut self.is_full, true) {
            self.not_yet(at, too_much);
        }
        true
    }

    /// A value, as what its type makes of it.
    pub(super) fn lowered_of(&self, value: Value) -> Lowered {
        if self.b.kernel().ty(value).is_view() { Lowered::View(value) } else { Lowered::Scalar(value) }
    }

    /// A scalar or an array of scalars; of what is neither, nothing is known.
    pub(super) fn data(&mut self, lowered: Lowered) -> Value {
        match lowered {
            Lowered::Scalar(value) | Lowered::View(value) => value,
            _ => self.unknown(Type::scalar(Elem::F32)),
        }
    }
}
