//! Loops to ops.

use std::sync::Arc;

use ir::{Attr, Code, Control, Marks, Scalar as Constant, Type, Value};

use super::shape::{Exit, Part, assigned};
use super::vars::Checkpoint;
use super::{Frame, Lower, Lowered, Var, flags};
use hir::builtins::Sets;
use hir::{AttributeUse as HirAttr, Block, Body, ExprId, Joined, LocalId, LoopPlaces, Over, Range, Stmt, StmtId};

/// The variable that counts a loop's iterations.
pub(super) enum Counter {
    /// Its index.
    Index(LocalId),
    /// The elements of an array, of which a variable is one in each iteration.
    Element(LocalId, Lowered),
}

/// The variables of a `for` that have the fixed order: those that it joins something to, and the loop itself, for those that run on.
struct Order<'b> {
    joined: Vec<Joined>,
    attrs: &'b [HirAttr],
    stmt: StmtId,
}

impl Lower<'_> {
    pub(super) fn loop_(&mut self, stmt: StmtId, level: u32, inner: &[Part]) {
        let outer = self.begin_shared(level, inner);
        self.loop_as_it_is(stmt, level, inner);
        self.end_shared(stmt, level, outer);
    }

    fn loop_as_it_is(&mut self, stmt: StmtId, level: u32, inner: &[Part]) {
        let body = self.frame().body.clone();
        self.place_of(stmt);
        match &body.stmts[stmt] {
            Stmt::For { index, over, coherent, attrs, body: block } => {
                let marks = self.loop_marks(attrs, *coherent);
                let goes = assigned(&body, self.frame().number, inner).contains(&Var::Go(self.frame().number, level));
                let (counter, range) = match over {
                    Over::Range(range) => (Counter::Index(*index), self.range(*index, range)),
                    Over::Elements(array) => {
                        let array = self.expr(*array);
                        let size = self.size_of_array(&array);
                        let [zero, one] = [0, 1].map(|number| self.constant(Constant::I64(number)));
                        (Counter::Element(*index, array), [zero, size, one])
                    }
                };
                // The ops of the range have places of their own, so the place is set to the statement again.
                self.place_of(stmt);
                if goes {
                    self.for_with_exit(stmt, &counter, range, marks, level, inner);
                } else {
                    let order = Order { joined: self.joined(stmt, attrs, block), attrs, stmt };
                    self.for_(&counter, range, marks, &order, level, inner);
                }
            }
            Stmt::Foreach { attrs, .. } => {
                let marks = self.loop_marks(attrs, false);
                self.foreach(stmt, marks, level, inner);
            }
            Stmt::While { condition, coherent, attrs, body: block } => {
                let marks = self.loop_marks(attrs, *coherent);
                let alone = self.frames.len() == 1 && self.loop_places().stands_alone(stmt);
                let counted = hir::counted(&body, *condition, block, alone);
                match counted.and_then(|counted| Some((counted, self.start_of_count(&counted)?))) {
                    Some((counted, start)) if counted.exit == hir::Exit::None => {
                        self.counted_while(&counted, start, *condition, marks, level, inner);
                    }
                    Some((counted, start)) => self.counted_with_exit(stmt, &counted, start, marks, level, inner),
                    None => self.while_(*condition, marks, level, inner),
                }
            }
            _ => {}
        }
    }

    /// The places of the loops of the current function.
    fn loop_places(&self) -> &LoopPlaces {
        let frame = self.frame();
        frame.loop_places.get_or_init(|| Arc::new(LoopPlaces::of(&frame.body)))
    }

    /// The attributes of a loop. Those above an item are said of all loops that are written in it.
    fn loop_marks(&mut self, attrs: &[HirAttr], coherent: bool) -> Marks {
        let mut marks = Marks { coherent, ..Marks::default() };
        for attr in self.frame().body.attrs.iter().chain(attrs) {
            let count = attr.args.first().and_then(|arg| self.frame().inference.values.get(arg)?.wide());
            let count = count.and_then(|count| u16::try_from(count).ok());
            if let Sets::Loop(set) = attr.id.get().sets {
                set(&mut marks, count);
            }
        }
        marks
    }

    /// The variables that a loop joins something to in the fixed order.
    fn joined(&self, stmt: StmtId, attrs: &[HirAttr], block: &Block) -> Vec<Joined> {
        match self.has_fixed_order(stmt, attrs) {
            true => self.joined_in(&self.frame().body, block),
            false => Vec::new(),
        }
    }

    /// Says whether floats have the fixed order in a loop.
    pub(super) fn has_fixed_order(&self, stmt: StmtId, attrs: &[HirAttr]) -> bool {
        let Frame { key, reassoc, body, inference, .. } = self.frame();
        // Sums in the prelude's own functions keep their order, so that these have the same bits everywhere.
        let around = *reassoc && !key.in_prelude() && !hir::stays_in_order(body, &inference.values, stmt);
        around || attrs.iter().any(|attr| matches!(attr.id.get().sets, Sets::FixedOrder(_)))
    }

    /// The variables that a loop joins something to. Those that the lanes of a group share keep their order.
    pub(super) fn joined_in(&self, body: &Body, block: &Block) -> Vec<Joined> {
        let mut joined = hir::joined(body, block, &self.frame().inference.like_fields);
        joined.retain(|joined| !self.shared.contains(&self.local_var(joined.local)));
        joined
    }

    /// The bounds and the step of a range, all of the index's type. What is not understood is some number, so that the
    /// body keeps its facts.
    pub(super) fn range(&mut self, index: LocalId, range: &Range) -> [Value; 3] {
        let elem = self.local_type(index).scalar().filter(|elem| elem.is_integer());
        let elem = elem.unwrap_or(ir::Elem::I32);
        let start = range.start.map(|start| self.scalar_of(start, elem));
        let stop = self.scalar_of(range.stop, elem);
        let start = start.unwrap_or_else(|| self.constant(Constant::zero(elem)));
        let step = match range.step {
            Some(step) => match self.constant_step(step, elem) {
                Some(step) => self.constant(step),
                None => self.scalar_of(step, elem),
            },
            None => self.constant(Constant::one(elem)),
        };
        [start, stop, step]
    }

    /// The step of a range as a constant, if it is one that the index's type can hold: passes ask which way a loop counts, and how far.
    fn constant_step(&self, step: ExprId, elem: ir::Elem) -> Option<Constant> {
        let value = self.frame().inference.values.get(&step)?.wide()?;
        Constant::from_wide(elem, value).filter(|_| value != 0)
    }

    /// Returns the variables that a loop carries, those that its body assigns to and that are defined before it, with
    /// their values.
    pub(super) fn carried(&mut self, level: u32, inner: &[Part]) -> Vec<(Var, Lowered)> {
        let number = self.frame().number;
        let body = self.frame().body.clone();
        let own = [Var::Live(number, level), Var::Go(number, level)];
        let mut vars = assigned(&body, number, inner);
        vars.extend([Var::Steps(number, level)].into_iter().filter(|var| self.vars.contains_key(var)));
        self.spread_vars(vars.iter().copied());
        vars.into_iter()
            .filter(|var| !own.contains(var))
            .filter_map(|var| Some((var, self.vars.get(&var)?.clone())))
            .collect()
    }

    /// Names and starting values of what is carried, as the builder takes them.
    pub(super) fn inits(&mut self, carried: &[(Var, Lowered)]) -> Vec<(String, Value)> {
        let mut inits = Vec::new();
        for (var, lowered) in carried {
            let name = self.var_name(*var).map_or_else(|| "x".to_owned(), |name| name.to_string());
            self.named_values(name, lowered, &mut inits);
        }
        inits
    }

    /// The values that a variable is made of, each with a name.
    fn named_values(&mut self, name: String, lowered: &Lowered, values: &mut Vec<(String, Value)>) {
        match lowered {
            Lowered::Scalar(value) | Lowered::View(value) => values.push((name, *value)),
            Lowered::Struct(of, fields) | Lowered::Fields(of, fields) => {
                let names: Vec<_> = self.leaves_of(of).iter().map(|(field, _)| format!("{name}_{field}")).collect();
                let mut paths = Vec::new();
                // A struct without leaves is not whole, and may be a part of itself.
                if !names.is_empty() {
                    self.paths_of(of, &name, &mut paths);
                }
                self.fields.extend(names.iter().cloned().zip(paths));
                values.extend(names.into_iter().zip(fields.iter().copied()));
            }
            Lowered::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.named_values(format!("{name}_{n}"), part, values);
                }
            }
            Lowered::Zip(_) | Lowered::Function(_) | Lowered::Choice(_) | Lowered::Nothing => {}
        }
    }

    fn for_(
        &mut self,
        counter: &Counter,
        range: [Value; 3],
        marks: Marks,
        order: &Order<'_>,
        level: u32,
        inner: &[Part],
    ) {
        let mut carried = self.carried(level, inner);
        let running = self.running(order.attrs, order.stmt, &carried);
        self.carry_running(&running, (counter, range), &mut carried);
        self.place_of(order.stmt);
        let carrying = self.carrying(carried, &order.joined);
        let (inits, starts) = self.starts(&carrying);
        let inits: Vec<_> = inits.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let name = self.name_of_counter(counter);
        let before = self.vars.checkpoint();
        let control = Control { marks, ..Control::default() };
        let args = self.b.open_loop(Code::For, control, &name, range, &inits, &starts);
        self.start_counter(counter, args[0]);
        self.enter(&carrying, &args[1..]);
        self.begin_running(&running);
        self.start_level(level);
        self.parts(inner);
        self.leave(before, &carrying);
        self.end_running(&running);
    }

    fn name_of_counter(&self, counter: &Counter) -> hir::Name {
        match counter {
            Counter::Index(index) => self.frame().body.index_name(*index),
            Counter::Element(..) => "i".into(),
        }
    }

    /// Gives the index, or the variable that is an element, its value in an iteration.
    pub(super) fn start_counter(&mut self, counter: &Counter, index: Value) {
        match counter {
            Counter::Index(local) => self.start_local(*local, Lowered::Scalar(index)),
            Counter::Element(local, array) => {
                let element = self.element_of(array, index);
                let element = self.fitting(&self.local_type(*local), element);
                self.start_local(*local, element);
            }
        }
    }

    /// Ends a loop's body, and gives what it carries its values behind the loop. `first` is yielded before that; gives what
    /// becomes of it.
    pub(super) fn close_loop(&mut self, before: Checkpoint, carried: &[(Var, Lowered)], first: &[Value]) -> Vec<Value> {
        let yields = [first, &self.handed_on_values(carried)].concat();
        let results = self.b.close(&yields);
        self.vars.roll_back(before);
        self.unflatten(carried, &results[first.len()..]);
        results[..first.len()].to_vec()
    }

    /// A `for` that may be left: a `while` that carries the index and whether to go on. The index never leaves its
    /// type: where the next one would wrap, the loop has come to its end.
    fn for_with_exit(
        &mut self,
        stmt: StmtId,
        counter: &Counter,
        [lo, hi, step]: [Value; 3],
        marks: Marks,
        level: u32,
        inner: &[Part],
    ) {
        let number = self.frame().number;
        let zero = self.constant(Constant::zero(self.b.kernel().ty(step).data_elem().unwrap_or(ir::Elem::I32)));
        let known = self.b.kernel().as_const(step).filter(|step| *step != Constant::zero(step.elem()));
        let flag = Type::scalar(ir::Elem::Bool);
        let up = match known {
            Some(step) => {
                let up = step.wide().is_some_and(|step| step > 0);
                self.constant(Constant::Bool(up))
            }
            None => {
                // A range of no indices fails when its step is 0, as the loop itself would.
                self.b.open_for("_", [lo, lo, step], &[]);
                self.b.close(&[]);
                self.op(Code::Gt, Attr::None, &[step, zero], flag)
            }
        };
        let starts = self.before(up, lo, hi);
        let carried = self.carried(level, inner);
        let inits = self.inits(&carried);
        let name = self.name_of_counter(counter);
        let own = [(&*name, lo), (flags::GO, starts)];
        let inits: Vec<_> = own.into_iter().chain(inits.iter().map(|(name, value)| (name.as_str(), *value))).collect();
        let before = self.vars.checkpoint();
        let args = self.b.open_while(&inits);
        *self.b.marks() = Marks { counts: true, ..marks };
        self.b.next_block(&[args[1]]);
        let yes = self.constant(Constant::Bool(true));
        self.start_counter(counter, args[0]);
        self.vars.insert(Var::Go(number, level), Lowered::Scalar(yes));
        self.unflatten(&carried, &args[2..]);
        self.start_level(level);
        self.parts(inner);
        self.place_of(stmt);
        let go = self.scalar_var(Var::Go(number, level));
        let first = self.next_index(up, args[0], [step, hi], go);
        self.close_loop(before, &carried, &first);
    }

    /// The next index of a loop that may be left, and whether the loop goes on to it.
    fn next_index(&mut self, up: Value, index: Value, [step, hi]: [Value; 2], go: Value) -> [Value; 2] {
        let flag = Type::scalar(ir::Elem::Bool);
        let next = self.op(Code::WrappingAdd, Attr::None, &[index, step], self.b.kernel().ty(index));
        let moved = self.before(up, index, next);
        let inside = self.before(up, next, hi);
        let on = self.op(Code::And, Attr::None, &[moved, inside], flag);
        [next, self.op(Code::And, Attr::None, &[go, on], flag)]
    }

    /// `a` comes before `b`, for a loop that counts up, or down.
    fn before(&mut self, up: Value, a: Value, b: Value) -> Value {
        let flag = Type::scalar(ir::Elem::Bool);
        match self.b.kernel().as_const(up) {
            Some(Constant::Bool(true)) => self.op(Code::Lt, Attr::None, &[a, b], flag),
            Some(_) => self.op(Code::Gt, Attr::None, &[a, b], flag),
            None => {
                let less = self.op(Code::Lt, Attr::None, &[a, b], flag);
                let more = self.op(Code::Gt, Attr::None, &[a, b], flag);
                self.op(Code::Select, Attr::None, &[up, less, more], flag)
            }
        }
    }

    /// The number from which a `while` counts, if it does count.
    fn start_of_count(&self, counted: &hir::Counted) -> Option<Value> {
        let Some(Lowered::Scalar(start)) = self.vars.get(&self.local_var(counted.index)) else { return None };
        let elem = self.b.kernel().ty(*start).data_elem()?;
        (elem.is_integer() && (counted.rises || elem.is_signed())).then_some(*start)
    }

    /// A `while` that counts: a `for` over the range, behind which the variable has come to the bound.
    fn counted_while(
        &mut self,
        counted: &hir::Counted,
        start: Value,
        condition: ExprId,
        marks: Marks,
        level: u32,
        inner: &[Part],
    ) {
        let ty = self.b.kernel().ty(start);
        let at = self.at(condition);
        self.set_place(at);
        let stop = self.scalar(counted.bound);
        if self.b.kernel().ty(stop) != ty {
            // An error has been said about it.
            return self.while_(condition, marks, level, inner);
        }
        let elem = ty.data_elem().unwrap_or(ir::Elem::I32);
        let step = self.constant(Constant::wrap(elem, if counted.rises { 1 } else { -1 }));
        let var = self.local_var(counted.index);
        let index = [(var, Lowered::Scalar(start))];
        let mut carried = self.carried(level, inner);
        carried.retain(|(other, _)| *other != var);
        let inits = self.inits(&carried);
        let inits: Vec<_> = inits.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let name = self.frame().body.locals[counted.index].name.clone();
        let before = self.vars.checkpoint();
        let control = Control { marks, ..Control::default() };
        let args = self.b.open_loop(Code::For, control, &name, [start, stop, step], &inits, &[]);
        self.unflatten(&index, &args[..1]);
        self.unflatten(&carried, &args[1..]);
        self.start_level(level);
        self.parts(inner);
        self.close_loop(before, &carried, &[]);
        self.set_place(at);
        let code = if counted.rises { Code::Max } else { Code::Min };
        let end = self.op(code, Attr::None, &[start, stop], ty);
        self.unflatten(&index, &[end]);
    }

    /// A `while` that counts and may be left: what a `for` that may be left is. If that happens before the variable has moved
    /// in an iteration, it is one step behind the count then, so whether it happened is carried, too.
    fn counted_with_exit(
        &mut self,
        stmt: StmtId,
        counted: &hir::Counted,
        start: Value,
        marks: Marks,
        level: u32,
        inner: &[Part],
    ) {
        let body = self.frame().body.clone();
        let Stmt::While { condition, .. } = body.stmts[stmt] else { return };
        let (number, ty) = (self.frame().number, self.b.kernel().ty(start));
        let at = self.at(condition);
        self.set_place(at);
        let stop = self.scalar(counted.bound);
        if self.b.kernel().ty(stop) != ty {
            return self.while_(condition, marks, level, inner);
        }
        let tells =
            counted.exit == hir::Exit::Before && self.loop_places().is_named_outside(&body, counted.index, stmt);
        let yes = self.constant(Constant::Bool(true));
        let elem = ty.data_elem().unwrap_or(ir::Elem::I32);
        let [step, back] = [1, -1].map(|by| self.constant(Constant::wrap(elem, if counted.rises { by } else { -by })));
        let up = self.constant(Constant::Bool(counted.rises));
        let starts = self.before(up, start, stop);
        let index = [(self.local_var(counted.index), Lowered::Scalar(start))];
        let mut carried = self.carried(level, inner);
        carried.retain(|(other, _)| *other != index[0].0);
        let inits = self.inits(&carried);
        let name = body.locals[counted.index].name.clone();
        let own = [Some((&*name, start)), Some((flags::GO, starts)), tells.then_some((flags::STAYS, yes))];
        let inits = inits.iter().map(|(name, value)| (name.as_str(), *value));
        let inits: Vec<_> = own.into_iter().flatten().chain(inits).collect();
        let before = self.vars.checkpoint();
        self.place_of(stmt);
        let args = self.b.open_while(&inits);
        *self.b.marks() = Marks { counts: true, ..marks };
        self.b.next_block(&[args[1]]);
        self.unflatten(&index, &args[..1]);
        let (stays, args) = if tells { (args[2], &args[3..]) } else { (yes, &args[2..]) };
        let count = self.vars[&index[0].0].clone();
        self.vars.insert(Var::Go(number, level), Lowered::Scalar(stays));
        self.unflatten(&carried, args);
        self.start_level(level);
        match &counted.parts(&body, condition)[1..] {
            [] => self.parts(inner),
            rest => {
                let goes_on = self.all_of(rest);
                let leaves = Exit { go: vec![level], ..Exit::default() };
                self.branch(goes_on, Marks::default(), inner, &[Part::Exit(stmt, leaves)]);
            }
        }
        self.place_of(stmt);
        let Lowered::Scalar(count) = count else { return };
        let go = self.scalar_var(Var::Go(number, level));
        let mut first = self.next_index(up, count, [step, stop], go).to_vec();
        first.extend(tells.then_some(go));
        let ends = self.close_loop(before, &carried, &first);
        self.set_place(at);
        let end = match ends.get(2) {
            None => ends[0],
            Some(&stays) => {
                let before = self.op(Code::WrappingAdd, Attr::None, &[ends[0], back], ty);
                self.op(Code::Select, Attr::None, &[stays, ends[0], before], ty)
            }
        };
        self.unflatten(&index, &[end]);
    }

    fn while_(&mut self, condition: ExprId, marks: Marks, level: u32, inner: &[Part]) {
        let number = self.frame().number;
        let body = self.frame().body.clone();
        let goes = assigned(&body, number, inner).contains(&Var::Go(number, level));
        let carried = self.carried(level, inner);
        let inits = self.inits(&carried);
        let yes = self.constant(Constant::Bool(true));
        let own = goes.then_some((flags::GO, yes));
        let inits: Vec<_> = own.into_iter().chain(inits.iter().map(|(name, value)| (name.as_str(), *value))).collect();
        let before = self.vars.checkpoint();
        let args = self.b.open_while(&inits);
        *self.b.marks() = marks;
        let n_own = usize::from(goes);
        self.unflatten(&carried, &args[n_own..]);
        let at = self.at(condition);
        self.set_place(at);
        let test = if goes {
            // A loop that was left does not test again.
            self.b.open_if(args[0]);
            let test = self.condition(condition);
            self.b.next_block(&[test]);
            let no = self.constant(Constant::Bool(false));
            self.b.close(&[no])[0]
        } else {
            self.condition(condition)
        };
        self.b.next_block(&[test]);
        self.vars.insert(Var::Go(number, level), Lowered::Scalar(yes));
        self.start_level(level);
        self.parts(inner);
        let go = if goes { vec![self.scalar_var(Var::Go(number, level))] } else { Vec::new() };
        self.close_loop(before, &carried, &go);
    }
}
