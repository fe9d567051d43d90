//! Functions as values: lambdas, functions, builtins and operators, applied where they are called.

use std::sync::Arc;

use ir::{Attr, Code, Def, Elem, Op, Region, Type, Value};
use report::{ItemKind, TextRange};

use super::{Frame, Lower, Lowered, Var};
use hir::ty::Ty;
use hir::{BrokenRule, Expr, ExprId, Name};

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

    /// Says whether it is a function, or has one among its parts.
    pub(super) fn has_functions(&self) -> bool {
        match self {
            Lowered::Tuple(parts) => parts.iter().any(Lowered::has_functions),
            other => other.is_function(),
        }
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
        self.one_of(test, [a, b], Lowered::Nothing)
    }

    /// What an `if` gives, which was closed last: the functions in it are chosen one by one.
    pub(super) fn one_of(&mut self, test: Value, sides: [Lowered; 2], given: Lowered) -> Lowered {
        self.each_of(test, vec![(sides, given)]).pop().unwrap_or(Lowered::Nothing)
    }

    /// The values that an `if` gives, which was closed last, each with what its two blocks make of it. The functions in them are
    /// chosen one by one.
    pub(super) fn each_of(&mut self, test: Value, given: Vec<([Lowered; 2], Lowered)>) -> Vec<Lowered> {
        if !given.iter().any(|(sides, _)| sides.iter().any(Lowered::has_functions)) {
            return given.into_iter().map(|(_, given)| given).collect();
        }
        let block = self.b.block();
        let branch = *self.b.kernel().regions[block].ops.last().expect("an `if` was closed");
        let chosen = given.into_iter().map(|(sides, given)| self.with_functions(test, branch, sides, given)).collect();
        let kernel = self.b.kernel_mut();
        let does_nothing = |&inner: &Region| kernel.regions[inner].ops.is_empty();
        if kernel.ops[branch].results.is_empty() && kernel.ops[branch].regions.iter().all(does_nothing) {
            kernel.regions[block].ops.pop();
        }
        chosen
    }

    fn with_functions(&mut self, test: Value, branch: Op, sides: [Lowered; 2], given: Lowered) -> Lowered {
        match (sides, given) {
            ([Lowered::Tuple(a), Lowered::Tuple(b)], Lowered::Tuple(given)) if a.len() == b.len() => {
                let parts = a.into_iter().zip(b).zip(given);
                Lowered::Tuple(parts.map(|((a, b), own)| self.with_functions(test, branch, [a, b], own)).collect())
            }
            (sides, _) if sides.iter().any(Lowered::is_function) => self.one_function(test, branch, sides),
            (_, given) => given,
        }
    }

    /// One of two functions, each made in one of the two blocks of an `if`.
    fn one_function(&mut self, test: Value, branch: Op, sides: [Lowered; 2]) -> Lowered {
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
                true => self.handed_on(branch, blocks, side),
                // A way through a function that has not given its result yet.
                false => Lowered::Nothing,
            }
        });
        match sides {
            [function, Lowered::Nothing] | [Lowered::Nothing, function] => function,
            sides => Lowered::Choice(Arc::new(FunctionChoice { test, sides })),
        }
    }

    /// A function that a block of an `if` made, of values that are there behind it: what it keeps of the block's own, the block yields.
    fn handed_on(&mut self, branch: Op, blocks: (Region, Region), function: Lowered) -> Lowered {
        match function {
            Lowered::Function(closure) => {
                let captured = closure.captured.iter();
                let captured = captured.map(|(var, value)| (*var, self.handed_on(branch, blocks, value.clone())));
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
                let test = self.yielded(branch, blocks, choice.test);
                let sides = choice.sides.clone().map(|side| self.handed_on(branch, blocks, side));
                Lowered::Choice(Arc::new(FunctionChoice { test, sides }))
            }
            Lowered::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.handed_on(branch, blocks, part));
                Lowered::Tuple(parts.collect())
            }
            other => {
                let other = self.fields_inside(blocks.0, other);
                let parts = self.parts_of(&other);
                let parts: Vec<_> = parts.into_iter().map(|part| self.yielded(branch, blocks, part)).collect();
                if parts.is_empty() { other } else { self.like(&other, &parts) }
            }
        }
    }

    fn is_made_in(&self, block: Region, value: Value) -> bool {
        let kernel = self.b.kernel();
        let mut is_inside = false;
        kernel.walk(block, &mut |_, op| is_inside |= kernel.def_op(value) == Some(op));
        is_inside
    }

    /// A part of an array of structs that a block takes, field by field, at the end of that block; any other value as it is.
    fn fields_inside(&mut self, block: Region, value: Lowered) -> Lowered {
        let Lowered::View(view) = value else { return value };
        let Some(ir::CellType::Struct(decl)) = self.b.kernel().ty(view).item() else { return value };
        if !self.is_made_in(block, view) {
            return value;
        }
        let kernel = self.b.kernel_mut();
        let (decl, rank) = (kernel.structs[decl].clone(), kernel.ty(view).rank());
        let origin = kernel.ops[kernel.def_op(view).expect("the block makes it")].origin;
        let mut leaves = Vec::new();
        for (number, field) in decl.fields.iter().enumerate() {
            for at in field.cells() {
                let ty = Type::view(field.elem, rank + field.sizes.len() as u8);
                let mut cells = at_end(kernel, block, (Code::Field, Attr::Field(number as u16)), &[view], ty, origin);
                for subscript in at {
                    let subscript = kernel.constant(ir::Scalar::I64(subscript.into()));
                    let ty = Type::view(field.elem, kernel.ty(cells).rank() - 1);
                    let row = (Code::Row, Attr::Number(rank.into()));
                    cells = at_end(kernel, block, row, &[cells, subscript], ty, origin);
                }
                leaves.push(cells);
            }
        }
        Lowered::Fields(decl.name, leaves)
    }

    /// A value behind an `if`, one block of which computes it.
    fn yielded(&mut self, branch: Op, (own, other): (Region, Region), value: Value) -> Value {
        if !self.is_made_in(own, value) {
            return value;
        }
        let kernel = self.b.kernel();
        if let Some(known) = kernel.regions[own].yields.iter().position(|&yielded| yielded == value) {
            return kernel.ops[branch].results[known];
        }
        let (ty, origin) = (kernel.ty(value), kernel.ops[branch].origin);
        // The function is never called where the other block has run.
        let nothing = match ty.elem() {
            Some(elem) if ty.is_view() => {
                let none = self.constant(ir::Scalar::I64(0));
                let sizes = vec![none; usize::from(ty.rank())].into_iter().collect();
                let kernel = self.b.kernel_mut();
                let op = kernel.add_op(Code::Temp, Attr::Elem(elem), sizes, &[ty], origin);
                kernel.regions[other].ops.push(op);
                kernel.ops[op].results[0]
            }
            _ => self.constant(ir::Scalar::zero(ty.data_elem().unwrap_or(Elem::F32))),
        };
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
        let given = if a.is_function() { Lowered::Nothing } else { self.like(&a, &results) };
        self.one_of(choice.test, [a, b], given)
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
            (true, _) => BrokenRule::Calls(super::calls::MAX_CALLS),
            (_, true) => BrokenRule::Levels(super::calls::MAX_DEPTH),
            _ => return false,
        };
        // Once is enough: all calls after this one have the same cause.
        if !std::mem::replace(&mut self.is_full, true) {
            self.breaks(at, too_much);
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

/// Adds an op with one result at the end of a block.
fn at_end(
    kernel: &mut ir::Kernel,
    block: Region,
    (code, attr): (Code, Attr),
    operands: &[Value],
    ty: Type,
    origin: ir::Origin,
) -> Value {
    let op = kernel.add_op(code, attr, operands.iter().copied().collect(), &[ty], origin);
    kernel.regions[block].ops.push(op);
    kernel.ops[op].results[0]
}
