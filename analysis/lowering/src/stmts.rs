//! Statements to ops.

use ir::{Attr, Code, Marks, Scalar as Constant, Type, Value};
use report::TextRange;

use super::shape::{Part, assigned, shape};
use super::structs::{flatten, rebuild, same_functions};
use super::{Lower, Lowered, Role, Var, flags};
use hir::errors;
use hir::ty::Ty;
use hir::{BinOp, BrokenRule, Expr, ExprId, LocalId, Stmt, StmtId};

impl Lower<'_> {
    /// The body of the current function, which leaves its result in [`Var::Result`].
    pub(super) fn function_body(&mut self, result: Option<&Ty>) {
        let body = self.frame().body.clone();
        let number = self.frame().number;
        let known = |condition| self.known_condition(condition);
        let parts = shape(&body, self.lanes.is_some(), &|block| self.uses_lanes(block), &known);
        if let Some(result) = result {
            let start = self.starting_value(result);
            self.vars.insert(Var::Result(number), start);
        }
        self.start_level(0);
        self.parts(&parts);
    }

    /// The result before a `return` gives one: every way through does, so nobody sees it.
    fn starting_value(&mut self, ty: &Ty) -> Lowered {
        match ty {
            Ty::Struct(name) => {
                let leaves = self.leaves_of(name);
                let zeros = leaves.iter().map(|(_, elem)| self.constant(Constant::zero(*elem))).collect();
                Lowered::Struct(name.clone(), zeros)
            }
            Ty::Tuple(parts) => Lowered::Tuple(parts.iter().map(|part| self.starting_value(part)).collect()),
            // If only some of several paths give the result, an empty array stands for it on the others.
            Ty::Array(element, sizes) if self.has_several_results() => self.empty_array(element, sizes.len()),
            Ty::Array(..) | Ty::Fn(..) => Lowered::Nothing,
            ty => {
                let elem = ty.scalar().unwrap_or(ir::Elem::F32);
                Lowered::Scalar(self.constant(Constant::zero(elem)))
            }
        }
    }

    /// At the start of a level all that follows is still to be done.
    pub(super) fn start_level(&mut self, level: u32) {
        self.count_step(level);
        let yes = self.constant(Constant::Bool(true));
        self.vars.insert(Var::Live(self.frame().number, level), Lowered::Scalar(yes));
    }

    pub(super) fn parts(&mut self, parts: &[Part]) {
        self.depth += 1;
        for part in parts {
            self.env.poll();
            match part {
                Part::Plain(stmt) => self.plain(*stmt),
                Part::If(stmt, then_parts, else_parts) => self.if_(*stmt, then_parts, else_parts),
                Part::Loop(stmt, level, inner) => self.loop_(*stmt, *level, inner),
                Part::Exit(stmt, exit) => {
                    self.place_of(*stmt);
                    if exit.gives {
                        self.give(*stmt);
                    }
                    let number = self.frame().number;
                    let no = self.constant(Constant::Bool(false));
                    for &level in &exit.live {
                        self.vars.insert(Var::Live(number, level), Lowered::Scalar(no));
                    }
                    for &level in &exit.go {
                        self.vars.insert(Var::Go(number, level), Lowered::Scalar(no));
                    }
                }
                Part::Rest(..) if self.depth > super::calls::MAX_LEVELS => {
                    if !std::mem::replace(&mut self.is_full, true) {
                        self.breaks(self.frame().map.header, BrokenRule::Levels(super::calls::MAX_LEVELS));
                    }
                    self.unknown(Type::scalar(ir::Elem::F32));
                }
                Part::Rest(level, rest, _) => {
                    let live = self.scalar_var(Var::Live(self.frame().number, *level));
                    self.branch(live, Marks::default(), rest, &[]);
                }
                Part::Broken(stmt, inner) => {
                    self.place_of(*stmt);
                    self.unknown(Type::scalar(ir::Elem::F32));
                    self.parts(inner);
                }
            }
        }
        self.depth -= 1;
    }

    pub(super) fn place_of(&mut self, stmt: StmtId) {
        let at = self.frame().map.stmts[stmt];
        self.set_place(at);
    }

    pub(super) fn scalar_var(&mut self, var: Var) -> Value {
        match self.vars.get(&var) {
            Some(Lowered::Scalar(value)) => *value,
            _ => self.unknown(Type::scalar(ir::Elem::Bool)),
        }
    }

    /// The value of a `return`.
    fn give(&mut self, stmt: StmtId) {
        let body = self.frame().body.clone();
        let Stmt::Return(Some(value)) = body.stmts[stmt] else { return };
        let lowered = self.expr(value);
        let result = self.frame().inference.signature.result.clone();
        if let Some(asked) = &result {
            let own = self.type_of(value);
            self.check_known(self.at(value), asked, (&own, &lowered));
        }
        self.assumed(&[value]);
        let Some(ty) = result else { return };
        let lowered = self.fitting(&self.bound(&ty), lowered);
        self.vars.insert(Var::Result(self.frame().number), lowered);
    }

    fn plain(&mut self, stmt: StmtId) {
        let body = self.frame().body.clone();
        self.place_of(stmt);
        self.known_earlier(stmt);
        match &body.stmts[stmt] {
            Stmt::Define(local, value) => {
                let lowered = self.expr(*value);
                let lowered = match (self.local_type(*local), lowered) {
                    (Ty::Array(_, sizes), one @ (Lowered::Scalar(_) | Lowered::Struct(..))) => {
                        self.filled(self.at(*value), one, &sizes)
                    }
                    (_, lowered) => self.own_copy(*value, lowered),
                };
                if body.locals[*local].ty.is_some() {
                    let (asked, own) = (self.local_type(*local), self.type_of(*value));
                    self.check_known(self.at(*value), &asked, (&own, &lowered));
                }
                self.assumed(&[*value]);
                let at = self.frame().map.locals[*local];
                self.define(*local, at, lowered);
            }
            Stmt::Assign { target, .. } if self.run_on(stmt, *target) => {}
            Stmt::Assign { target, op, value } => self.assign(stmt, *target, *op, *value),
            Stmt::Expr(expr) => {
                self.expr(*expr);
            }
            Stmt::Assert(condition) => {
                let at = self.at(*condition);
                let body = self.frame().body.clone();
                let (code, operands) = if let Some(sides) = body.asserted_sizes(*condition) {
                    let sizes = sides.map(|side| self.scalar(side));
                    let known = |lower: &Self, n: usize| {
                        lower.known(sides[n]).and_then(Constant::wide).or_else(|| lower.known_size(sizes[n]))
                    };
                    if let (Some(a), Some(b)) = (known(self, 0), known(self, 1))
                        && a != b
                    {
                        self.refuse(at, &|at| errors::assumed_sizes_differ(at, &a.to_string(), &b.to_string()));
                    }
                    (Code::AssertSize, sizes.to_vec())
                } else if let Some(size) = body.asserted_some(*condition) {
                    (Code::AssertSome, vec![self.scalar(size)])
                } else {
                    (Code::Assert, vec![self.condition(*condition)])
                };
                self.set_place(at);
                let _ = self.b.try_fitting(code, Attr::None, &operands);
            }
            _ => {}
        }
    }

    /// Gives a variable a value at a place, and the value the variable's name if it has none.
    pub(super) fn define(&mut self, local: LocalId, at: TextRange, value: Lowered) {
        let value = self.fitting(&self.local_type(local), value);
        self.write(at, Role::Definition, &value);
        let name = self.frame().body.locals[local].name.clone();
        if let Lowered::Scalar(value) | Lowered::View(value) = value {
            let kernel = self.b.kernel();
            let made_by_op = kernel.def_op(value).is_some();
            if made_by_op && kernel.values[value].name.is_none() && !name.is_empty() {
                self.b.name(value, &name);
            }
        }
        let var = self.local_var(local);
        self.vars.insert(var, value);
    }

    /// A value as one of a type: where they do not fit, something before was not understood.
    pub(super) fn fitting(&mut self, ty: &Ty, value: Lowered) -> Lowered {
        let value = match (ty, value) {
            (Ty::Tuple(types), Lowered::Tuple(parts)) if types.len() == parts.len() => {
                let parts = types.iter().zip(parts).map(|(ty, part)| self.fitting(ty, part));
                return Lowered::Tuple(parts.collect());
            }
            (_, value) => value,
        };
        let fits = match (ty, &value) {
            (Ty::Scalar(scalar), Lowered::Scalar(value)) => self.b.kernel().ty(*value) == Type::scalar(*scalar),
            (Ty::Struct(name), Lowered::Struct(of, _)) => name == of,
            (Ty::Scalar(_) | Ty::Struct(_), _) => false,
            (Ty::Array(..), Lowered::View(_) | Lowered::Fields(..) | Lowered::Zip(_)) => true,
            (Ty::Fn(..), Lowered::Function(_) | Lowered::Choice(_)) => true,
            (_, Lowered::Nothing) => true,
            _ => false,
        };
        match ty {
            _ if fits => value,
            Ty::Array(..) => Lowered::Nothing,
            ty => self.unknown_of(ty),
        }
    }

    fn assign(&mut self, stmt: StmtId, target: ExprId, op: Option<BinOp>, value: ExprId) {
        let body = self.frame().body.clone();
        if self.assign_part(target, op, value) {
            return;
        }
        if matches!(self.type_of(target), Ty::Array(..)) {
            return self.assign_array(stmt, target, op, value);
        }
        // The value is computed before the target's subscripts.
        let mut new = self.expr(value);
        if let Expr::Local(local) = body.exprs[target] {
            if let Some(op) = op {
                let old = self.expr(target);
                new = self.combine(op, target, value, &old, &new);
            }
            return self.define(local, self.at(target), new);
        }
        let Some((place, indices)) = self.cell(target) else { return };
        if let Some(op) = op {
            let old = self.load(target, &place, &indices);
            self.write(self.at(target), Role::Expression, &old);
            new = self.combine(op, target, value, &old, &new);
        }
        self.store(target, &place, &indices, new);
    }

    pub(super) fn combine(
        &mut self,
        op: BinOp,
        target: ExprId,
        value: ExprId,
        old: &Lowered,
        new: &Lowered,
    ) -> Lowered {
        let ty = self.type_of(target);
        match (old, new) {
            (Lowered::Scalar(old), Lowered::Scalar(new)) if op == BinOp::Pow => {
                self.power(target, Some(value), *old, *new)
            }
            (Lowered::Scalar(old), Lowered::Scalar(new)) => {
                let at = self.at(target);
                Lowered::Scalar(self.arithmetic(op, at, *old, *new))
            }
            (Lowered::Struct(..), _) => self.operate_on_structs(target, op, old.clone(), new.clone()),
            _ => self.unknown_of(&ty),
        }
    }

    // Branches.

    pub(super) fn if_(&mut self, stmt: StmtId, then_parts: &[Part], else_parts: &[Part]) {
        let body = self.frame().body.clone();
        let Stmt::If { condition, coherent, .. } = body.stmts[stmt] else { return };
        self.place_of(stmt);
        let value = self.condition(condition);
        let at = self.at(condition);
        self.set_place(at);
        self.branch(value, Marks { coherent, ..Marks::default() }, then_parts, else_parts);
    }

    /// The conjunction of some conditions, each asked only if those before it hold.
    pub(super) fn all_of(&mut self, conditions: &[ExprId]) -> Value {
        let first = self.condition(conditions[0]);
        if conditions.len() == 1 {
            return first;
        }
        self.b.open_if(first);
        let others = self.all_of(&conditions[1..]);
        self.b.next_block(&[others]);
        let no = self.constant(Constant::Bool(false));
        self.b.close(&[no])[0]
    }

    /// `if condition:` with what its blocks assign to as results.
    pub(super) fn branch(&mut self, condition: Value, marks: Marks, then_parts: &[Part], else_parts: &[Part]) {
        if !self.shared_branch(condition, &marks, [then_parts, else_parts]) {
            self.branch_as_it_is(condition, marks, then_parts, else_parts);
        }
    }

    pub(super) fn branch_as_it_is(&mut self, condition: Value, marks: Marks, then_parts: &[Part], else_parts: &[Part]) {
        let number = self.frame().number;
        let body = self.frame().body.clone();
        let mut vars = assigned(&body, number, then_parts);
        vars.extend(assigned(&body, number, else_parts));
        // Variables defined inside end with their block.
        vars.retain(|var| self.vars.contains_key(var));
        self.spread_vars(vars.iter().copied());
        let before = self.vars.checkpoint();
        self.b.open_if(condition);
        *self.b.marks() = marks;
        self.parts(then_parts);
        self.spread_vars(vars.iter().copied());
        let shapes: Vec<_> = vars.iter().map(|var| (*var, self.vars[var].clone())).collect();
        let then_yields = self.flatten(&shapes);
        self.vars.roll_back(before);
        let has_functions = shapes.iter().any(|(_, shape)| shape.has_functions());
        if then_yields.is_empty() && else_parts.is_empty() && !has_functions {
            self.b.close(&[]);
            return;
        }
        self.b.next_block(&then_yields);
        self.parts(else_parts);
        let else_yields = self.conforming(&shapes);
        let sides: Vec<_> = shapes.iter().map(|(var, shape)| [shape.clone(), self.vars[var].clone()]).collect();
        let results = self.b.close(&else_yields);
        self.vars.roll_back(before);
        self.unflatten(&shapes, &results);
        // A result that no `return` has given yet is not a function on that side.
        let with_functions: Vec<_> =
            shapes.iter().zip(sides).filter(|(_, sides)| sides.iter().any(Lowered::has_functions)).collect();
        let given = with_functions.iter().map(|((var, _), sides)| (sides.clone(), self.vars[var].clone())).collect();
        for (((var, _), _), chosen) in with_functions.iter().zip(self.each_of(condition, given)) {
            self.vars.insert(*var, chosen);
        }
    }

    /// The values that variables are made of, one after the other. A variable that is a function, or stands for zipped arrays, is none.
    pub(super) fn flatten(&mut self, vars: &[(Var, Lowered)]) -> Vec<Value> {
        let mut values = Vec::new();
        vars.iter().for_each(|(_, lowered)| flatten(lowered, &mut values));
        values
    }

    /// The values that variables are made of at the end of an iteration, which hands on no other functions than those it began with.
    pub(super) fn handed_on_values(&mut self, shapes: &[(Var, Lowered)]) -> Vec<Value> {
        for (var, shape) in shapes {
            if !same_functions(shape, &self.vars[var]) {
                let at = self.at_var(*var);
                self.breaks(at, BrokenRule::FunctionHandedOn);
            }
        }
        self.conforming(shapes)
    }

    /// The values that variables are made of now, which have the types of other values of theirs. What something before was not
    /// understood for is unknown, and so is what an array holds that was not.
    pub(super) fn conforming(&mut self, shapes: &[(Var, Lowered)]) -> Vec<Value> {
        let mut values = Vec::new();
        for (var, shape) in shapes {
            self.spread_vars([*var]);
            let now = self.vars[var].clone();
            let wanted = self.flatten(&[(*var, shape.clone())]);
            let own = self.flatten(&[(*var, now)]);
            let types = |lower: &Self, values: &[Value]| {
                values.iter().map(|&value| lower.b.kernel().ty(value)).collect::<Vec<_>>()
            };
            let wanted = types(self, &wanted);
            if types(self, &own) == wanted {
                values.extend(own);
                continue;
            }
            for ty in wanted {
                values.push(self.placeholder(ty));
            }
        }
        values
    }

    /// A value of a type of which nothing is known: of an array nothing but that it has no cells.
    pub(super) fn placeholder(&mut self, ty: Type) -> Value {
        match (ty.elem(), ty.is_view()) {
            (Some(elem), true) => {
                let none = vec![self.constant(Constant::I64(0)); usize::from(ty.rank())];
                self.unknown(Type::scalar(elem));
                self.b.op_with(Code::Temp, Attr::Elem(elem), &none)
            }
            _ => self.unknown(ty),
        }
    }

    /// Gives variables their new values, the other way around.
    pub(super) fn unflatten(&mut self, vars: &[(Var, Lowered)], values: &[Value]) {
        let mut values = values.iter().copied();
        for (var, lowered) in vars {
            let new = match lowered {
                Lowered::Scalar(_) | Lowered::View(_) => values.next().map(|value| {
                    if let Some(name) = self.var_name(*var)
                        && self.b.kernel().values[value].name.is_none()
                    {
                        self.b.name(value, &name);
                    }
                    self.lowered_of(value)
                }),
                other => Some(rebuild(other, &mut values)),
            };
            if let Some(new) = new {
                if let Var::Local(_, local) = var {
                    self.write(self.frame().map.locals[*local], Role::Later, &new);
                }
                self.vars.insert(*var, new);
            }
        }
    }

    /// The place where a variable is defined.
    fn at_var(&self, var: Var) -> TextRange {
        match var {
            Var::Local(_, local) => self.frame().map.locals[local],
            _ => self.frame().map.header,
        }
    }

    /// The name of a variable in the text form.
    pub(super) fn var_name(&self, var: Var) -> Option<hir::Name> {
        match var {
            Var::Local(_, local) => Some(self.frame().body.locals[local].name.clone()),
            Var::Live(..) => Some(flags::LIVE.into()),
            Var::Go(..) => Some(flags::GO.into()),
            Var::Steps(..) => Some("steps".into()),
            Var::Result(_) => Some("result".into()),
            Var::Running(_, stmt, part) => self.name_of_running(stmt, part),
        }
    }

    // Loops.
}
