//! Functions as values: how they are made, and what a call of one does.
//!
//! A lambda keeps the values that the locals it mentions have when it is made. Each lane makes its own, so lanes may call different
//! functions in one place: those with the same code go together, in the order of their first lanes.

use std::cell::RefCell;
use std::rc::Rc;

use report::{ItemKey, ItemKind};

use super::StopCode;
use super::machine::{Machine, Run, Value};
use super::program::Unit;
use super::sizes::SizeClash;
use crate::builtins::BuiltinId;
use crate::size::Atom;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, FastParts, LocalId, Name};

/// The limit on functions that keep each other, one inside the next. Each may call the one it keeps.
const MAX_KEPT: u32 = 200;

/// A function as a value.
#[derive(Debug)]
pub(super) enum Function {
    /// A function of the file or of the prelude, with its type here.
    Item(ItemKey, Vec<Ty>, Ty),
    /// A builtin, with its type here.
    Builtin(BuiltinId, Vec<Ty>, Ty),
    /// An operator between two values.
    Operator(BinOp),
    /// A function without a name.
    Lambda(Lambda),
}

/// A lambda, with all that it needs wherever it is called.
#[derive(Debug)]
pub(super) struct Lambda {
    /// The item it is written in.
    unit: ItemKey,
    params: Vec<LocalId>,
    body: ExprId,
    /// What the item's generic types stood for.
    generics: Vec<Ty>,
    fast: Rc<FastParts>,
    captured: Vec<(LocalId, Value)>,
    /// The number of functions that are kept inside each other here.
    depth: u32,
}

impl Function {
    /// Says whether two functions do the same, but for what they have captured.
    fn has_code_of(&self, other: &Function) -> bool {
        match (self, other) {
            (Function::Item(a, params, _), Function::Item(b, others, _)) => a == b && params == others,
            (Function::Builtin(a, ..), Function::Builtin(b, ..)) => a == b,
            (Function::Operator(a), Function::Operator(b)) => a == b,
            (Function::Lambda(a), Function::Lambda(b)) => {
                (&a.unit, a.body, &a.generics, &a.fast) == (&b.unit, b.body, &b.generics, &b.fast)
            }
            _ => false,
        }
    }
}

impl<'p> Machine<'p> {
    // Making.

    /// The value of a function's or an operator's name.
    pub(super) fn named_function(&mut self, id: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let unit = self.frame().unit;
        let function = match (&unit.body.exprs[id], self.type_of(id)) {
            (Expr::Operator(op), _) => Function::Operator(*op),
            (Expr::Builtin(builtin), Ty::Fn(params, result)) => Function::Builtin(*builtin, params, *result),
            (Expr::Item(ItemKind::Fn, name), Ty::Fn(params, result)) => match self.program.named(unit, name) {
                Some(named) => Function::Item(named.key.clone(), params, *result),
                None => return Err(self.not_yet(id, active[0])),
            },
            _ => return Err(self.not_yet(id, active[0])),
        };
        Ok(vec![Value::Function(Rc::new(function)); active.len()])
    }

    /// The value of a lambda, in each lane.
    pub(super) fn lambda(&mut self, id: ExprId, params: &[LocalId], body: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let frame = self.frame();
        let mentioned = mentioned(frame.unit, params, body);
        self.each(active, |machine, _, lane| {
            let frame = machine.frame();
            let vars = &frame.lanes[lane].vars;
            let captured: Vec<_> =
                mentioned.iter().filter_map(|local| Some((*local, vars.get(local)?.clone()))).collect();
            let depth = captured.iter().map(|(_, value)| 1 + kept(value)).max().unwrap_or(0);
            if depth > MAX_KEPT {
                let message = "too many functions keep each other here";
                return Err(machine.error(StopCode::CallsTooDeep, machine.at(id), lane, message));
            }
            let (unit, generics) = (frame.unit.key.clone(), frame.generics.clone());
            let params = params.to_vec();
            let lambda = Lambda { unit, params, body, generics, fast: frame.fast.clone(), captured, depth };
            Ok(Value::Function(Rc::new(Function::Lambda(lambda))))
        })
    }

    // Calling.

    /// Calls the function of each active lane. `places` are those of the arguments, where they are written.
    pub(super) fn apply(
        &mut self,
        id: ExprId,
        functions: &[Value],
        args: &[Vec<Value>],
        places: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let functions = self.each(active, |machine, n, lane| match &functions[n] {
            Value::Function(function) => Ok(function.clone()),
            _ => Err(machine.error(StopCode::HasErrors, machine.at(id), lane, "there is no function here")),
        })?;
        let mut results = vec![Value::Nothing; active.len()];
        let mut left: Vec<usize> = (0..active.len()).collect();
        while let Some(&first) = left.first() {
            let (group, others): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|&n| functions[n].has_code_of(&functions[first]));
            let lanes: Vec<_> = group.iter().map(|&n| active[n]).collect();
            let own: Vec<_> = group.iter().map(|&n| functions[n].clone()).collect();
            let values = args.iter().map(|values| group.iter().map(|&n| values[n].clone()).collect()).collect();
            let given = self.deeper(self.at(id), |machine| machine.apply_together(id, &own, values, places, &lanes))?;
            group.iter().zip(given).for_each(|(&n, value)| results[n] = value);
            left = others;
        }
        Ok(results)
    }

    /// Calls functions that have the same code.
    fn apply_together(
        &mut self,
        id: ExprId,
        functions: &[Rc<Function>],
        values: Vec<Vec<Value>>,
        places: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        match &*functions[0] {
            Function::Item(key, params, result) => match self.unit(key) {
                Some(unit) => self.enter(id, unit, (params, result), places, values, active),
                None => Err(self.not_yet(id, active[0])),
            },
            Function::Builtin(builtin, params, result) => {
                self.builtin(id, builtin.get(), (params, result), places, values, active)
            }
            Function::Operator(op) => match <[Vec<Value>; 2]>::try_from(values) {
                Ok(sides) => self.binary(id, *op, None, sides, active),
                Err(_) => Err(self.not_yet(id, active[0])),
            },
            Function::Lambda(lambda) => self.call_lambda(id, lambda, functions, values, places, active),
        }
    }

    fn call_lambda(
        &mut self,
        id: ExprId,
        lambda: &Lambda,
        functions: &[Rc<Function>],
        values: Vec<Vec<Value>>,
        places: &[ExprId],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let Some(unit) = self.unit(&lambda.unit) else { return Err(self.not_yet(id, active[0])) };
        let site = self.at(id);
        self.burn(site, active[0])?;
        let in_fast = self.frame().fast.contains(id);
        let fast = if in_fast { Rc::new(FastParts::All) } else { lambda.fast.clone() };
        let called = self.call(unit, lambda.generics.clone(), fast, site, |machine| {
            for (function, &lane) in functions.iter().zip(active) {
                let Function::Lambda(own) = &**function else { continue };
                own.captured.iter().for_each(|(local, value)| machine.set(*local, lane, value.clone()));
            }
            for (&param, values) in lambda.params.iter().zip(values) {
                active.iter().zip(values).for_each(|(&lane, value)| machine.set(param, lane, value));
            }
            if let Some(clash) = machine.check_lambda(&lambda.params, active) {
                return Ok(Err(clash));
            }
            machine.expr(lambda.body, active).map(Ok)
        })?;
        called.map_err(|clash| self.size_error(id, places, clash))
    }

    /// The error for an argument of the wrong size, at the argument if that is written.
    pub(super) fn size_error(&self, id: ExprId, places: &[ExprId], clash: SizeClash) -> Box<super::Error> {
        let at = self.at(places.get(clash.param).copied().unwrap_or(id));
        self.error(ir::RunCode::SizeMismatch, at, clash.lane, clash.message)
    }

    /// The item of a key.
    fn unit(&self, key: &ItemKey) -> Option<&'p Unit> {
        let units = if key.in_prelude { &self.program.prelude } else { &self.program.units };
        units.get::<Name>(&key.name)
    }
}

/// The number of functions that a value keeps inside each other.
fn kept(value: &Value) -> u32 {
    match value {
        Value::Function(function) => match &**function {
            Function::Lambda(lambda) => lambda.depth,
            _ => 0,
        },
        _ => 0,
    }
}

/// The locals of outside that a lambda mentions, and those that sizes of arrays in it are made of.
fn mentioned(unit: &Unit, params: &[LocalId], body: ExprId) -> Vec<LocalId> {
    let found = RefCell::new(Vec::new());
    let add = |local: LocalId| {
        let mut found = found.borrow_mut();
        if !found.contains(&local) {
            found.push(local);
        }
    };
    let of_type = |ty: Option<&Ty>| {
        let Some(Ty::Array(_, sizes)) = ty else { return };
        for size in sizes {
            size.any(&|atom| {
                if let Atom::Local(local) | Atom::Own(local, _) = atom {
                    add(*local);
                }
                false
            });
        }
    };
    params.iter().for_each(|&param| of_type(unit.types.locals.get(param)));
    let mut left = vec![body];
    while let Some(expr) = left.pop() {
        of_type(unit.types.exprs.get(expr));
        match &unit.body.exprs[expr] {
            Expr::Local(local) => add(*local),
            Expr::Lambda(params, _) => params.iter().for_each(|&param| of_type(unit.types.locals.get(param))),
            _ => {}
        }
        unit.body.for_each_part(expr, |part| left.push(part));
    }
    found.into_inner()
}
