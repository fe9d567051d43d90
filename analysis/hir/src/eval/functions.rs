//! Functions as values: how they are made, and what a call of one does.
//!
//! A lambda keeps the values that the locals it mentions have when it is made. Each lane makes its own, so lanes may call different
//! functions in one place: those with the same code go together, in the order of their first lanes.

use std::cell::RefCell;
use std::rc::Rc;

use report::{FileId, ItemKind};

use super::StopCode;
use super::machine::{Machine, Run, Value};
use super::program::CheckedUnit;
use crate::size::Atom;
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, FastParts, LocalId, Name};

/// The limit on functions that keep each other, one inside the next. Each may call the one it keeps.
const MAX_KEPT: u32 = 200;

/// A function as a value: an expression that is one, with all that it needs wherever it is called.
#[derive(Debug)]
pub(super) struct Function {
    /// The item it is written in.
    unit: (FileId, Name),
    /// The lambda, or the name of a function, a builtin or an operator.
    expr: ExprId,
    /// The types that the item's generic types stood for.
    generics: Vec<Ty>,
    fast: Rc<FastParts>,
    /// Sums and products of floats have the fixed order there.
    reassoc: bool,
    /// The values of the locals that a lambda uses, as they were when it was made.
    captured: Vec<(LocalId, Value)>,
    /// The number of functions that are kept inside each other here.
    depth: u32,
}

impl Function {
    /// Says whether two functions do the same, but for what they have captured.
    fn has_code_of(&self, other: &Function) -> bool {
        std::ptr::eq(self, other)
            || (&self.unit, self.expr, &self.generics, &self.fast, self.reassoc)
                == (&other.unit, other.expr, &other.generics, &other.fast, other.reassoc)
    }
}

impl<'p> Machine<'p> {
    // Making.

    /// The value, in each lane, of an expression that is a function: a lambda, or a name.
    pub(super) fn function(&mut self, id: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let unit = self.frame().unit;
        let mentioned = match &unit.body.exprs[id] {
            Expr::Lambda(params, body) => mentioned(unit, params, *body),
            _ => Vec::new(),
        };
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
            let (unit, generics, fast) =
                ((unit.key.file, unit.name.clone()), frame.generics.clone(), frame.fast.clone());
            let reassoc = frame.reassoc;
            Ok(Value::Function(Rc::new(Function { unit, expr: id, generics, fast, reassoc, captured, depth })))
        })
    }

    /// The operator that a function is, if it is one.
    pub(super) fn operator(&self, function: &Function) -> Option<BinOp> {
        match self.unit(&function.unit)?.body.exprs[function.expr] {
            Expr::Operator(op) => Some(op),
            _ => None,
        }
    }

    // Calling.

    /// Calls the function of each active lane, for an expression that is the call, or applies it to elements.
    pub(super) fn apply(
        &mut self,
        id: ExprId,
        functions: &[Value],
        args: &[Vec<Value>],
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
            let given = self.deeper(self.at(id), |machine| machine.apply_together(id, &own, values, &lanes))?;
            group.iter().zip(given).for_each(|(&n, value)| results[n] = value);
            left = others;
        }
        Ok(results)
    }

    /// Calls functions that have the same code. What fails in an operator or a builtin fails at its name.
    fn apply_together(
        &mut self,
        id: ExprId,
        functions: &[Rc<Function>],
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let function = &functions[0];
        let Some(unit) = self.unit(&function.unit) else { return Err(self.no_meaning(id, active[0])) };
        let site = self.at(id);
        self.burn(site, active[0])?;
        let in_fast = self.frame().fast.contains(id);
        let fast = if in_fast { Rc::new(FastParts::All) } else { function.fast.clone() };
        let expr = function.expr;
        let way = (fast, function.reassoc);
        self.call(unit, function.generics.clone(), way, site, |machine| match (&unit.body.exprs[expr], &values[..]) {
            (Expr::Lambda(params, body), _) => {
                for (function, &lane) in functions.iter().zip(active) {
                    function.captured.iter().for_each(|(local, value)| machine.set(*local, lane, value.clone()));
                }
                machine.lambda(params, *body, values, active)
            }
            (Expr::Operator(op), [_, _]) => machine.binary(expr, *op, None, &values, active),
            (Expr::Builtin(builtin), _) => match machine.type_of(expr) {
                Ty::Fn(params, result) => machine.builtin(expr, builtin.get(), (&params, &result), values, active),
                _ => Err(machine.no_meaning(expr, active[0])),
            },
            (Expr::Item(ItemKind::Fn, name), _) => machine.enter_named(expr, expr, name, &[], values, active),
            (Expr::Item(ItemKind::Struct, _), _) => machine.construct(expr, &values, active),
            (Expr::Field(_, variant), _) => machine.variant(expr, variant, &values, active),
            _ => Err(machine.no_meaning(expr, active[0])),
        })
    }

    /// The body of a lambda, with these arguments.
    fn lambda(
        &mut self,
        params: &[LocalId],
        body: ExprId,
        values: Vec<Vec<Value>>,
        active: &[usize],
    ) -> Run<Vec<Value>> {
        for (&param, values) in params.iter().zip(values) {
            active.iter().zip(values).for_each(|(&lane, value)| self.set(param, lane, value));
        }
        if let Some(clash) = self.check_lambda(params, active) {
            let (unit, param) = (self.frame().unit, params[clash.param]);
            let at = unit.body.locals[param].ty.as_ref().map_or(unit.map.locals[param], |ty| ty.at);
            return Err(self.fault(clash.kind, at, clash.lane));
        }
        let values = self.expr(body, active)?;
        self.check_assumed(&[body], active)?;
        Ok(values)
    }

    /// The item of a function, by its file and name.
    fn unit(&self, (file, name): &(FileId, Name)) -> Option<&'p CheckedUnit> {
        self.program.named_in(*file, name)
    }
}

/// The number of functions that a value keeps inside each other.
fn kept(value: &Value) -> u32 {
    match value {
        Value::Function(function) => function.depth,
        Value::Tuple(parts) => parts.iter().map(kept).max().unwrap_or(0),
        _ => 0,
    }
}

/// The locals of outside that a lambda mentions, and those that sizes of arrays in it are made of.
fn mentioned(unit: &CheckedUnit, params: &[LocalId], body: ExprId) -> Vec<LocalId> {
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
