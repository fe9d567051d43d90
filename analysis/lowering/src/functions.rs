//! Functions as values: lambdas, functions, builtins and operators, applied where they are called.

use std::sync::Arc;

use ir::{Elem, Type, Value};
use report::ItemKind;

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

impl Lower<'_> {
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
        let Lowered::Function(closure) = function else { return self.unknown_of(&ty) };
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
            _ => self.unknown_of(&closure.result),
        };
        self.depth -= 1;
        self.frames.pop();
        self.vars.roll_back(before);
        result
    }

    /// Says that there are too many calls, or that they are nested too deep, if so.
    pub(super) fn too_much(&mut self, at: report::TextRange) -> bool {
        self.n_calls += u32::from(!self.frame().key.in_prelude);
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
