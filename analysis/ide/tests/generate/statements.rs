//! Statements.

use super::data::pick;
use super::expressions::Maker;
use super::scope::{ANY_ROOT, Access, Array, Cell, Dim, Foreach, Record, Scope, Var, greatest, is_float, is_signed};
use super::tree::{Expr, Range, Stmt, Subscript};

/// How many times a statement inside of loops may be run.
pub(super) const MAX_RUNS: u64 = 2_000;

/// A range whose values are known, if the sizes in it are.
struct Counted {
    range: Range,
    /// The least and the greatest value.
    within: Option<(i64, i64)>,
    trips: i64,
    /// It is `range(size)`.
    plain: bool,
}

/// A float that a loop joins something to.
struct Sum {
    name: String,
    ty: &'static str,
    op: &'static str,
    /// How often in each iteration.
    n: u32,
}

impl Maker {
    /// Some statements; what they define is known in those behind them.
    pub(super) fn block(&mut self, scope: &mut Scope, n: u32) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..n {
            self.statement(scope, &mut out);
            if matches!(out.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
                break;
            }
        }
        out
    }

    pub(super) fn inner(&mut self, scope: &Scope) -> Scope {
        let mut inner = Scope { depth: scope.depth + 1, ..scope.clone() };
        if let Some(foreach) = &mut inner.foreach {
            foreach.all_on = false;
        }
        inner
    }

    fn inner_block(&mut self, scope: &Scope) -> Vec<Stmt> {
        let mut inner = self.inner(scope);
        let n = self.rng.u32(1..=3);
        self.block(&mut inner, n)
    }

    fn statement(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        if self.arrays > 0 && self.rng.u32(..100) < self.arrays {
            let made = self.array_statement(scope, out);
            out.extend(made);
            return;
        }
        let deep = scope.depth >= 3;
        // A kernel is mostly loops, and what is in them.
        let made = match self.rng.u32(..26) {
            0..=11 if scope.depth == 0 && !scope.in_function => match self.rng.u32(..15) {
                12 | 13 => self.ordered(scope),
                14 => self.handing_on(scope),
                0..=2 => self.for_(scope),
                3 if self.one_in(3) => self.cells_running_on(scope),
                3 => self.sum(scope, out),
                4..=6 => self.carrying(scope, out),
                7..=10 => self.foreach(scope, out),
                _ => self.while_(scope, out),
            },
            0..=3 => self.definition(scope),
            4..=6 => self.update(scope),
            7..=11 => self.store(scope),
            12 => self.view(scope),
            13 => match self.rng.u32(..4) {
                0 => self.several(scope),
                _ => self.record(scope),
            },
            14 | 15 if !deep => self.if_(scope),
            24 if !deep => self.match_(scope),
            25 => self.enum_statement(scope),
            16 if !deep => self.for_(scope),
            17 if !deep => match self.rng.u32(..3) {
                0 if self.one_in(3) => self.cells_running_on(scope),
                0 => self.sum(scope, out),
                1 => self.carrying(scope, out),
                _ => self.while_(scope, out),
            },
            18 if !deep => self.foreach(scope, out),
            19 | 20 => self.exit(scope),
            21 => self.call(scope, None, 2).map(Stmt::Do),
            22 if self.one_in(3) => self.static_(scope),
            22 if self.one_in(4) => Some(Stmt::Assert(self.likely(scope))),
            _ => self.store(scope).or_else(|| self.update(scope)),
        };
        out.extend(made);
    }

    /// A condition that mostly holds: only a NaN differs from itself.
    pub(super) fn likely(&mut self, scope: &Scope) -> Expr {
        let condition = self.open_expr(scope, "bool", 1);
        if self.one_in(8) {
            return condition;
        }
        let ty = self.number_type();
        let value = self.open_leaf(scope, ty);
        Expr::binary("or", condition, Expr::binary("==", value.clone(), value))
    }

    fn define_var(&mut self, scope: &mut Scope, ty: &'static str, value: Expr) -> Stmt {
        let name = self.fresh("v");
        scope.vars.push(Var { name: name.clone(), ty, updatable: true, within: None, below: None });
        // What a literal is, its type has to say.
        match self.rng.u32(..3) {
            0 if !value.is_constant() => Stmt::Define(name, value),
            1 if !value.is_constant() => Stmt::Let(name, None, value),
            _ => Stmt::Let(name, Some(ty), value),
        }
    }

    pub(super) fn definition(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let ty = self.scalar_type();
        let value = self.expr(scope, ty, 3);
        Some(self.define_var(scope, ty, value))
    }

    pub(super) fn update(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.updatable).cloned().collect();
        let var = (!vars.is_empty()).then(|| self.pick(&vars))?;
        let target = Expr::name(var.name);
        Some(self.assignment(scope, target, var.ty))
    }

    /// `target = e`, `target += e`.
    fn assignment(&mut self, scope: &Scope, target: Expr, ty: &'static str) -> Stmt {
        let op = match self.rng.u32(..3) {
            0 if ty == "bool" => Some(self.pick(&["&", "|", "^"])),
            0 if is_float(ty) => Some(self.pick(&["+", "-", "*", "/"])),
            0 => Some(self.pick(&["+", "+", "-", "&", "|", "^", "+"])),
            _ => None,
        };
        let value = if op.is_some() { self.open_expr(scope, ty, 2) } else { self.expr(scope, ty, 3) };
        Stmt::Set(target, op, value)
    }

    pub(super) fn writable(array: &Array) -> bool {
        array.indexes.is_none() && matches!(array.access, Access::Free | Access::Own(_))
    }

    pub(super) fn store(&mut self, scope: &mut Scope) -> Option<Stmt> {
        if let Some(atomic) = self.atomic(scope) {
            return Some(atomic);
        }
        let may = |array: &Array| array.indexes.is_none() && array.access == Access::Free;
        if scope.arrays.iter().any(|array| may(array) && array.is_of_bytes()) && self.one_in(3) {
            let number = self.pick(&["u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"]);
            let (bytes, at) = self.bytes(scope, number, may)?;
            let stored = self.expr(scope, number, 2);
            return Some(Stmt::Do(Expr::call(format!("store_{number}"), vec![Expr::name(bytes), at, stored])));
        }
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| Self::writable(array)).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let cell = self.cell(scope, &array)?;
        match array.cell {
            Cell::Scalar(ty) => Some(self.assignment(scope, cell, ty)),
            Cell::Struct(of) => {
                if self.one_in(3) {
                    return Some(Stmt::Set(cell, self.update_of_record(of), self.record_value(scope, of, 2)));
                }
                if let Some(stored) = self.set_inner(scope, of, &cell).filter(|_| self.one_in(3)) {
                    return Some(stored);
                }
                let fields = self.structs[of].fields.clone();
                let (field, ty) = self.pick(&fields);
                let field = self.way(scope, field);
                Some(self.assignment(scope, cell.field(field), ty))
            }
        }
    }

    /// A copy of a struct, or a change of one.
    pub(super) fn record(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let own: Vec<_> = scope.records.iter().filter(|record| record.updatable).cloned().collect();
        if !own.is_empty() && self.rng.bool() {
            let record = self.pick(&own);
            let name = Expr::name(&*record.name);
            match self.rng.u32(..4) {
                0 => {
                    let op = self.update_of_record(record.of);
                    return Some(Stmt::Set(name, op, self.record_value(scope, record.of, 2)));
                }
                1 => {
                    if let Some(set) = self.set_inner(scope, record.of, &name) {
                        return Some(set);
                    }
                }
                _ => {}
            }
            let fields = self.structs[record.of].fields.clone();
            let (field, ty) = self.pick(&fields);
            let field = self.way(scope, field);
            return Some(self.assignment(scope, Expr::name(record.name).field(field), ty));
        }
        if !self.structs.is_empty() && self.rng.bool() {
            let of = self.rng.usize(..self.structs.len());
            let value = self.record_value(scope, of, 2);
            let name = self.fresh("q");
            scope.records.push(Record { name: name.clone(), of, updatable: true });
            return Some(Stmt::Let(name, None, value));
        }
        let of_structs = |array: &&Array| matches!(array.cell, Cell::Struct(_));
        let arrays: Vec<_> = scope.arrays.iter().filter(of_structs).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (Cell::Struct(of), value) = (array.cell.clone(), self.cell(scope, &array)?) else { return None };
        let value = if self.one_in(3) { self.chosen_record(scope, &array, of, value) } else { value };
        let name = self.fresh("q");
        scope.records.push(Record { name: name.clone(), of, updatable: true });
        Some(Stmt::Let(name, None, value))
    }

    /// A struct, or another one of its kind if a condition says so.
    fn chosen_record(&mut self, scope: &Scope, array: &Array, of: usize, value: Expr) -> Expr {
        let condition = self.expr(scope, "bool", 2);
        let others: Vec<_> = scope.records.iter().filter(|record| record.of == of).cloned().collect();
        let other = if !others.is_empty() && self.rng.bool() {
            Some(Expr::name(self.pick(&others).name))
        } else {
            self.cell(scope, array)
        };
        match other {
            Some(other) => Expr::cond(condition, value, other),
            None => value,
        }
    }

    /// A row or a slice.
    fn view(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let is_open = |array: &Array| !matches!(array.access, Access::None | Access::Joined(_));
        let usable = |array: &&Array| array.indexes.is_none() && is_open(array) && array.dims.len() <= 2;
        let arrays: Vec<_> = scope.arrays.iter().filter(usable).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (subscripts, dims) = match (&array.access, array.dims.len()) {
            (Access::Own(own), 2) if own.len() == 1 => {
                (vec![Subscript::At(own[0].clone())], vec![array.dims[1].clone()])
            }
            (Access::Own(_) | Access::Joined(_), _) => return None,
            (_, 1) => {
                let (slice, dim) = self.slice(&array.dims[0])?;
                (vec![slice], vec![dim])
            }
            _ if self.rng.bool() => {
                let row = self.subscript(scope, &array.dims[0])?;
                (vec![Subscript::At(row)], vec![array.dims[1].clone()])
            }
            _ => {
                let (slice, dim) = self.slice(&array.dims[0])?;
                let column = self.subscript(scope, &array.dims[1])?;
                (vec![slice, Subscript::At(column)], vec![dim])
            }
        };
        let access = if array.access == Access::Read { Access::Read } else { Access::Free };
        let name = self.fresh("s");
        let value = Expr::Index(Box::new(Expr::name(array.name)), subscripts);
        let view = Array {
            name: name.clone(),
            cell: array.cell,
            dims,
            root: array.root,
            access,
            indexes: None,
            rebindable: false,
        };
        scope.arrays.push(view);
        Some(Stmt::Let(name, None, value))
    }

    /// A slice of a dimension whose size is known, and the slice's size.
    pub(super) fn slice(&mut self, dim: &Dim) -> Option<(Subscript, Dim)> {
        let size = dim.value?;
        if size < 2 {
            return None;
        }
        let (lo, hi) = (self.rng.i64(0..size), self.rng.i64(1..=size));
        let (lo, hi) = (lo.min(hi), lo.max(hi));
        let step = self.rng.i64(1..=3);
        let count = (hi - lo + step - 1) / step;
        let lo_text = (lo > 0 || self.rng.bool()).then(|| Expr::literal(lo));
        let (hi_text, count) = match self.rng.u32(..3) {
            0 => (None, (size - lo + step - 1) / step),
            _ => (Some(Expr::literal(hi)), count),
        };
        let step_text = (step > 1).then(|| Expr::literal(step));
        let dim = Dim { constant: false, ..Dim::constant(count) };
        Some((Subscript::Slice(lo_text, hi_text, step_text), dim))
    }

    // Branches.

    fn if_(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let word = if self.one_in(6) { "cif" } else { "if" };
        let condition = self.open_expr(scope, "bool", 2);
        let then_block = self.inner_block(scope);
        let else_block = if self.rng.bool() { self.inner_block(scope) } else { Vec::new() };
        Some(Stmt::If(word, condition, then_block, else_block))
    }

    /// A branch that leaves: an iteration, a loop, the function.
    fn exit(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let condition = self.open_expr(scope, "bool", 2);
        let leaving = match self.rng.u32(..3) {
            0 if scope.loops > 0 => Stmt::Break,
            1 if scope.foreach.is_none() => match scope.result {
                Some(ty) => Stmt::Return(Some(self.expr(scope, ty, 2))),
                None => Stmt::Return(None),
            },
            _ if scope.loops > 0 || scope.foreach.is_some() => Stmt::Continue,
            _ => return None,
        };
        if let Some(foreach) = &mut scope.foreach {
            foreach.all_on = false;
        }
        let mut block = Vec::new();
        if self.rng.bool() {
            let mut inner = self.inner(scope);
            block = self.block(&mut inner, 1);
        }
        if !matches!(block.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
            block.push(leaving);
        }
        Some(Stmt::If("if", condition, block, Vec::new()))
    }

    // Loops.

    /// The sizes that loops can go to.
    fn bounds(&mut self, scope: &Scope) -> Vec<Dim> {
        let mut dims: Vec<Dim> = scope.arrays.iter().flat_map(|array| array.dims.iter().cloned()).collect();
        if scope.vars.iter().all(|var| var.below.is_none()) {
            dims.push(Dim::constant(self.rng.i64(0..=6)));
        }
        dims
    }

    fn range(&mut self, scope: &Scope, ty: &'static str) -> Option<Counted> {
        let bounds = self.bounds(scope);
        let dim = (!bounds.is_empty()).then(|| self.pick(&bounds))?;
        let number = |expr: Expr| match expr {
            expr if ty == "i32" || matches!(expr, Expr::Literal(_)) => expr,
            expr => Expr::call(ty, vec![expr]),
        };
        let text = dim.text.clone();
        let Some(size) = dim.value.filter(|&size| size < greatest(ty)) else {
            let range = Range::to(number(text));
            // A size that is not known may be any that a kernel's array has.
            return Some(Counted { range, within: None, trips: 24, plain: true });
        };
        let c = self.rng.i64(1..=3);
        let less = |n: i64| number(Expr::binary("-", dim.text.clone(), Expr::literal(n)));
        let whole = || Counted {
            range: Range::to(number(text.clone())),
            within: Some((0, size - 1)),
            trips: size,
            plain: true,
        };
        Some(match self.rng.u32(..9) {
            0 => Counted {
                range: Range { start: Some(Expr::literal(c)), stop: number(text), step: None },
                within: Some((c, size - 1)),
                trips: size - c,
                plain: false,
            },
            1 => Counted {
                range: Range { start: None, stop: number(text), step: Some(Expr::literal(c)) },
                within: Some((0, (size - 1) / c * c)),
                trips: (size + c - 1) / c,
                plain: false,
            },
            2 if is_signed(ty) => {
                let range = Range { start: Some(less(1)), stop: Expr::literal(-1), step: Some(Expr::literal(-1)) };
                Counted { range, within: Some((0, size - 1)), trips: size, plain: false }
            }
            3 if is_signed(ty) => {
                Counted { range: Range::to(less(c)), within: Some((0, size - c - 1)), trips: size - c, plain: false }
            }
            4 => {
                let from: Vec<_> =
                    scope.vars.iter().filter(|var| var.ty == ty && var.within.is_some()).cloned().collect();
                if from.is_empty() {
                    return Some(whole());
                }
                let from = self.pick(&from);
                let lo = from.within.map_or(0, |(lo, _)| lo);
                let range = Range { start: Some(Expr::name(from.name)), stop: number(text), step: None };
                Counted { range, within: Some((lo, size - 1)), trips: size - lo, plain: false }
            }
            _ => whole(),
        })
    }

    fn index_type(&mut self) -> &'static str {
        self.pick(&["i32", "i32", "i32", "i32", "i64", "u32", "i16", "u8"])
    }

    /// Makes a loop's index known inside.
    fn index(&mut self, inner: &mut Scope, ty: &'static str, counted: &Counted, dim: Option<String>) -> String {
        let name = self.fresh("i");
        let below = if counted.within.is_none() { dim } else { None };
        inner.vars.push(Var { name: name.clone(), ty, updatable: false, within: counted.within, below });
        name
    }

    fn for_(&mut self, scope: &mut Scope) -> Option<Stmt> {
        self.turns(scope, |_, _, _, _| Vec::new())
    }

    /// A `for` whose block starts with what is made for its index and how often it goes around.
    pub(super) fn turns(
        &mut self,
        scope: &mut Scope,
        first: impl FnOnce(&mut Maker, &mut Scope, &Var, i64) -> Vec<Stmt>,
    ) -> Option<Stmt> {
        let ty = self.index_type();
        let counted = self.range(scope, ty)?;
        let runs = scope.runs.saturating_mul(counted.trips.max(1) as u64);
        if runs > MAX_RUNS {
            return None;
        }
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        let dim = (ty == "i32").then(|| counted.range.stop.to_string());
        let name = self.index(&mut inner, ty, &counted, dim);
        let index = inner.vars.last().cloned().expect("the index");
        let mut body = first(self, &mut inner, &index, counted.trips);
        // What stands beside it often keeps a loop from lanes.
        let n = if body.is_empty() { self.rng.u32(1..=4) } else { self.rng.u32(..3) };
        body.extend(self.block(&mut inner, n));
        if body.is_empty() {
            return None;
        }
        let word = if self.one_in(8) { "cfor" } else { "for" };
        Some(Stmt::For(word, name, counted.range, body).perhaps_unrolled(&mut self.rng))
    }

    /// A loop that joins to a float what may be joined in another order, and what becomes of the float.
    fn sum(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let sum = Sum {
            name: self.fresh("v"),
            ty: self.pick(&["f32", "f32", "f64"]),
            op: self.pick(&["+", "+", "-", "*"]),
            n: self.rng.u32(1..=2),
        };
        let runs_on = self.one_in(2);
        let other = (runs_on && self.one_in(2)).then(|| self.fresh("v"));
        let turns = self.turns(scope, |maker, inner, _, _| match (&other, runs_on) {
            (Some(other), _) => maker.running_on_together(inner, &sum, other),
            (None, true) => maker.running_on(inner, &sum),
            (None, false) => (0..sum.n).map(|_| maker.joining(inner, &sum)).collect(),
        })?;
        for name in [&sum.name].into_iter().chain(&other) {
            out.push(Stmt::Let(name.clone(), Some(sum.ty), self.literal(sum.ty)));
        }
        out.push(turns.marked("@reassoc"));
        scope.vars.push(Var { name: sum.name.clone(), ty: sum.ty, updatable: true, within: None, below: None });
        let floats = |array: &&Array| Self::writable(array) && matches!(array.cell, Cell::Scalar(ty) if is_float(ty));
        let arrays: Vec<_> = scope.arrays.iter().filter(floats).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (Cell::Scalar(of), cell) = (array.cell.clone(), self.cell(scope, &array)?) else { return None };
        let value = Expr::name(sum.name);
        Some(Stmt::Set(cell, None, if of == sum.ty { value } else { Expr::call(of, vec![value]) }))
    }

    /// A step of a sum, product or linear recurrence that runs on through a loop, and what mostly shows it.
    fn running_on(&mut self, scope: &mut Scope, sum: &Sum) -> Vec<Stmt> {
        let name = Expr::name(&*sum.name);
        let [a, b] = [0, 1].map(|_| self.open_expr(scope, sum.ty, 2));
        let step = match self.rng.u32(..7) {
            0 => Expr::binary("+", Expr::binary("*", a, name.clone()), b),
            1 => Expr::binary("-", b, Expr::binary("*", name.clone(), a)),
            2 => Expr::binary("+", name.clone(), Expr::binary("*", a, Expr::binary("-", b, name.clone()))),
            3 => Expr::binary("-", Expr::unary("-", name.clone()), a),
            4 => Expr::binary("*", Expr::binary("+", a, name.clone()), b),
            5 => Expr::binary("*", name.clone(), a),
            _ => Expr::binary(sum.op, name.clone(), a),
        };
        let mut made = match self.one_in(4) {
            // A local stands for a part of it.
            true => {
                let part = self.fresh("v");
                let shown = Expr::binary("+", name.clone(), Expr::name(&*part));
                vec![Stmt::Let(part, Some(sum.ty), step), Stmt::Set(name.clone(), None, shown)]
            }
            false => vec![Stmt::Set(name.clone(), None, step)],
        };
        self.show(scope, name, sum.ty, &mut made);
        made
    }

    /// A step of two variables of which each depends on both, as filters and oscillators have them, and what mostly shows it.
    fn running_on_together(&mut self, scope: &mut Scope, sum: &Sum, other: &str) -> Vec<Stmt> {
        let (s, t) = (Expr::name(&*sum.name), Expr::name(other));
        let part = self.fresh("v");
        let y = Expr::name(&*part);
        let [a, b, c, d] = [0, 1, 2, 3].map(|_| self.open_expr(scope, sum.ty, 1));
        let binary = Expr::binary;
        let times = |a: &Expr, b: &Expr| Expr::binary("*", a.clone(), b.clone());
        let of_both = |a: &Expr, b: &Expr, c: &Expr| binary("+", binary("-", times(a, &s), times(b, &t)), c.clone());
        let hold = |value: Expr| Stmt::Let(part.clone(), Some(sum.ty), value);
        let set = |to: &Expr, value: Expr| Stmt::Set(to.clone(), None, value);
        let mut made = match self.rng.u32(..5) {
            0 => vec![hold(of_both(&a, &b, &c)), set(&t, s.clone()), set(&s, y.clone())],
            1 => vec![
                hold(binary("+", times(&a, &b), s.clone())),
                set(&s, binary("+", binary("-", b, times(&c, &y)), t.clone())),
                set(&t, binary("-", d, times(&a, &y))),
            ],
            2 => vec![Stmt::Set(s.clone(), Some("-"), times(&a, &t)), Stmt::Set(t.clone(), Some("+"), times(&b, &s))],
            3 => vec![hold(of_both(&a, &b, &c)), set(&t, of_both(&b, &a, &d)), set(&s, y.clone())],
            _ => vec![
                Stmt::Set(s.clone(), Some("+"), times(&a, &t)),
                hold(binary("-", binary("-", b, s.clone()), times(&c, &t))),
                Stmt::Set(t.clone(), Some("+"), times(&a, &y)),
            ],
        };
        // The local is there behind the statement that defines it.
        let n_before = made.iter().position(|stmt| matches!(stmt, Stmt::Let(..))).map(|at| at + 1);
        match n_before.filter(|_| self.one_in(3)) {
            Some(n_before) => {
                let mut behind = made.split_off(n_before);
                self.show(scope, y, sum.ty, &mut behind);
                made.append(&mut behind);
            }
            None => {
                let shown = self.pick(&[s, t]);
                self.show(scope, shown, sum.ty, &mut made);
            }
        }
        made
    }

    /// A loop that computes each cell along the last dimension of an array of floats from the one before, or the two before.
    fn cells_running_on(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let is_it = |array: &&Array| {
            let is_long = array.dims.last().and_then(|dim| dim.value).is_some_and(|size| (3..=24).contains(&size));
            let is_free = !matches!(&array.access, Access::Own(own) if own.len() == array.dims.len());
            is_long && is_free && Self::writable(array) && matches!(array.cell, Cell::Scalar(ty) if is_float(ty))
        };
        let arrays: Vec<Array> = scope.arrays.iter().filter(is_it).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (Cell::Scalar(ty), Some(Expr::Index(base, mut subscripts))) = (&array.cell, self.cell(scope, &array))
        else {
            return None;
        };
        let (ty, last, back) = (*ty, array.dims.last()?.clone(), self.rng.i64(1..=2));
        let runs = scope.runs.saturating_mul(last.value? as u64);
        if runs > MAX_RUNS {
            return None;
        }
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        // The cell may lie in front of the index, or behind it.
        let ahead = self.rng.i64(0..=back);
        let (lo, hi) = (back - ahead, last.value? - 1 - ahead);
        let less =
            |n: i64| if n == 0 { last.text.clone() } else { Expr::binary("-", last.text.clone(), Expr::literal(n)) };
        let range = Range { start: Some(Expr::literal(lo)), stop: less(ahead), step: None };
        let counted = Counted { range, within: Some((lo, hi)), trips: hi + 1 - lo, plain: false };
        let name = self.index(&mut inner, "i32", &counted, None);
        let mut at = |distance: i64| {
            let index = Expr::name(&*name);
            let at = match distance {
                0 => index,
                1.. => Expr::binary("+", index, Expr::literal(distance)),
                _ => Expr::binary("-", index, Expr::literal(-distance)),
            };
            subscripts.pop();
            subscripts.push(Subscript::At(at));
            Expr::Index(base.clone(), subscripts.clone())
        };
        let (own, one, two) = (at(ahead), at(ahead - 1), at(ahead - 2));
        let [a, b, c] = [0, 1, 2].map(|_| self.open_expr(&inner, ty, 1));
        let binary = Expr::binary;
        let mut value = binary("+", binary("*", a, one), c);
        if back == 2 {
            value = binary("-", value, binary("*", b, two));
        }
        let part = self.fresh("v");
        let body = match self.rng.u32(..4) {
            0 => vec![Stmt::Set(own, Some("+"), value)],
            1 => vec![
                Stmt::Let(part.clone(), Some(ty), value),
                Stmt::Set(own, None, binary("-", Expr::name(&*part), Expr::literal(1))),
            ],
            2 => vec![
                Stmt::Let(part.clone(), Some(ty), own.clone()),
                Stmt::Set(own, None, binary("+", value, Expr::name(&*part))),
            ],
            _ => vec![Stmt::Set(own, None, value)],
        };
        Some(Stmt::For("for", name, counted.range, body).marked("@reassoc"))
    }

    /// Mostly stores a float somewhere between some statements.
    fn show(&mut self, scope: &mut Scope, shown: Expr, ty: &'static str, among: &mut Vec<Stmt>) {
        let floats = |array: &&Array| Self::writable(array) && matches!(array.cell, Cell::Scalar(ty) if is_float(ty));
        let arrays: Vec<_> = scope.arrays.iter().filter(floats).cloned().collect();
        if arrays.is_empty() {
            return;
        }
        let array = self.pick(&arrays);
        if let (Cell::Scalar(of), Some(cell)) = (array.cell.clone(), self.cell(scope, &array)) {
            let shown = if of == ty { shown } else { Expr::call(of, vec![shown]) };
            among.insert(self.rng.usize(..=among.len()), Stmt::Set(cell, None, shown));
        }
    }

    /// Joins something to a sum that the scope does not know.
    fn joining(&mut self, scope: &Scope, sum: &Sum) -> Stmt {
        let (value, name) = (self.open_expr(scope, sum.ty, 2), Expr::name(&*sum.name));
        let joined = Expr::binary(sum.op, name.clone(), value.clone());
        match self.rng.u32(..5) {
            0 => Stmt::Set(name, None, joined),
            1 if sum.op != "-" => Stmt::Set(name.clone(), None, Expr::binary(sum.op, value, name)),
            2 => {
                let condition = self.open_expr(scope, "bool", 2);
                Stmt::If("if", condition, vec![Stmt::Set(name, Some(sum.op), value)], Vec::new())
            }
            3 => {
                let condition = self.open_expr(scope, "bool", 2);
                Stmt::Set(name.clone(), None, Expr::cond(condition, joined, name))
            }
            _ => Stmt::Set(name, Some(sum.op), value),
        }
    }

    /// A loop that a counter of its own ends.
    fn while_(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let trips = self.rng.i64(1..=6);
        let runs = scope.runs.saturating_mul(trips as u64);
        if runs > MAX_RUNS {
            return None;
        }
        let counter = self.fresh("c");
        out.push(Stmt::Let(counter.clone(), Some("i32"), Expr::literal(0)));
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        let late = self.rng.bool();
        let within = Some((i64::from(!late), trips));
        let var = Var { name: counter.clone(), ty: "i32", updatable: false, within, below: None };
        inner.vars.push(var.clone());
        let more = Expr::binary("<", Expr::name(&*counter), Expr::literal(trips));
        let condition = match self.rng.u32(..3) {
            0 => Expr::binary("and", more, self.open_expr(scope, "bool", 2)),
            _ => more,
        };
        let count = Stmt::Set(Expr::name(counter), Some("+"), Expr::literal(1));
        let n = self.rng.u32(1..=3);
        let mut body = self.block(&mut inner, n);
        // Where a `continue` would leave it out, counting comes first.
        let ends = matches!(body.last(), Some(Stmt::Break | Stmt::Return(_)));
        let at = if late && !ends && !body.iter().any(goes_on) { body.len() } else { 0 };
        body.insert(at, count);
        // Where it was left is worth to be known.
        if self.rng.bool() {
            scope.vars.push(Var { within: Some((0, trips)), ..var });
        }
        let word = if self.one_in(8) { "cwhile" } else { "while" };
        Some(Stmt::While(word, condition, body))
    }

    // `foreach`.

    fn foreach(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let nested = scope.foreach.is_some();
        // Functions leave `foreach` to the kernel, which knows where they are called.
        if scope.in_function || (nested && !self.one_in(4)) {
            return None;
        }
        let in_each_lane = scope.foreach.as_ref().is_some_and(|foreach| foreach.in_lanes || foreach.in_each_lane);
        let n_indices = if self.one_in(4) { 2 } else { 1 };
        let in_lanes = !in_each_lane && self.one_in(3);
        let mut inner = Scope { loops: 0, ..self.inner(scope) };
        inner.vars.iter_mut().for_each(|var| var.updatable = false);
        inner.records.iter_mut().for_each(|record| record.updatable = false);
        inner.enums.iter_mut().for_each(|var| var.updatable = false);
        inner.arrays.iter_mut().for_each(|array| array.rebindable = false);
        let mut indices = Vec::new();
        let mut plain = n_indices == 1;
        for _ in 0..n_indices {
            let ty = if in_lanes { "i32" } else { self.index_type() };
            let counted = self.range(scope, ty)?;
            plain &= counted.plain && ty == "i32";
            inner.runs = inner.runs.saturating_mul(counted.trips.max(1) as u64);
            let name = self.index(&mut inner, ty, &counted, None);
            indices.push((name, counted));
        }
        if inner.runs > MAX_RUNS {
            return None;
        }
        let groups = indices.first().filter(|_| in_lanes && plain).map(|(name, counted)| (name.clone(), counted.trips));
        inner.foreach = Some(Foreach { in_lanes, in_each_lane, all_on: true, groups });
        self.share_out(&mut inner, &indices);
        let n = self.rng.u32(1..=4);
        let packed = if in_lanes && plain { self.packed(&mut inner, &indices[0]) } else { None };
        let mut body = self.block(&mut inner, n);
        body.extend(self.store(&mut inner));
        body.extend(packed);
        if in_lanes && body.iter().all(|stmt| !matches!(stmt, Stmt::Let(..) | Stmt::Set(..))) {
            body.push(Stmt::Let(self.fresh("v"), None, Expr::name("lane_id")));
        }
        let mut updated = Vec::new();
        if self.rng.bool() {
            let (name, counted) = indices.last().expect("a loop has an index");
            let index = inner.vars.iter().rfind(|var| var.name == *name).cloned().expect("the index");
            updated = self.sharing(&mut inner, (&index, counted.trips), in_lanes, &mut body, out);
        }
        let lanes = if in_lanes && self.rng.bool() { Some(self.lanes()) } else { None };
        let indices = indices.into_iter().map(|(name, counted)| (name, counted.range)).collect();
        let foreach = Stmt::Foreach(lanes, indices, body);
        let foreach = match n_indices > 1 && self.rng.bool() {
            true => Stmt::Marked("@tiled".into(), Box::new(foreach)),
            false => foreach,
        };
        if updated.is_empty() {
            return Some(foreach);
        }
        out.push(foreach);
        for (name, ty) in updated {
            out.extend(self.kept(scope, &name, ty));
        }
        None
    }

    /// Gives each iteration cells of its own in some arrays; the other arrays are only read.
    fn share_out(&mut self, inner: &mut Scope, indices: &[(String, Counted)]) {
        let mut arrays = inner.arrays.clone();
        let free: Vec<_> =
            arrays.iter().filter(|array| array.root == array.name && Self::writable(array)).cloned().collect();
        let mut owned: Vec<(String, Access)> = Vec::new();
        for array in free {
            if let Some(kind) = self.joined_by(&array) {
                owned.push((array.name.clone(), Access::Joined(kind)));
            } else if array.access == Access::Free
                && self.rng.u32(..3) > 0
                && let Some(own) = self.own_cells(inner, &array, indices)
            {
                owned.push((array.name.clone(), Access::Own(own)));
            }
        }
        for array in &mut arrays {
            let owner = owned.iter().find(|(root, _)| *root == array.root);
            array.access = match (owner, &array.access) {
                (Some((root, access)), _) if *root == array.name => access.clone(),
                // A view of an array that iterations write is left alone.
                (Some(_), _) => Access::None,
                (None, _) if array.root == ANY_ROOT && !owned.is_empty() => Access::None,
                (None, Access::None | Access::Own(_)) => Access::None,
                (None, Access::Joined(kind)) => Access::Joined(kind),
                (None, _) => Access::Read,
            };
        }
        inner.arrays = arrays;
    }

    /// First subscripts that no two iterations share; once in a while, some that they may.
    fn own_cells(&mut self, inner: &Scope, array: &Array, indices: &[(String, Counted)]) -> Option<Vec<Expr>> {
        let size = array.dims[0].value?;
        let (name, counted) = &indices[0];
        let (lo, hi) = counted.within?;
        let fits = |lo: i64, hi: i64, size: i64| lo > hi || (lo >= 0 && hi < size);
        if self.one_in(8) && indices.len() == 1 {
            return self.looked_up_by(inner, size, name).map(|index| vec![index]);
        }
        if let [_, (second, second_counted)] = indices {
            let (second_lo, second_hi) = second_counted.within?;
            let columns = array.dims.get(1)?.value?;
            let both = fits(lo, hi, size) && fits(second_lo, second_hi, columns);
            return both.then(|| vec![Expr::name(&**name), Expr::name(&**second)]);
        }
        let index = Expr::name(&**name);
        let ty = inner.vars.iter().find(|var| var.name == *name)?.ty;
        let shapes = [
            (index.clone(), lo, hi),
            (index.clone(), lo, hi),
            (Expr::binary("+", index.clone(), Expr::literal(1)), lo + 1, hi + 1),
            (Expr::binary("*", Expr::literal(2), index.clone()), 2 * lo, 2 * hi),
            (
                Expr::binary("-", Expr::binary("-", array.dims[0].text.clone(), Expr::literal(1)), index),
                size - 1 - hi,
                size - 1 - lo,
            ),
        ];
        // Of an index without a sign twice as much may wrap, for other arguments than these, to a cell that another one has.
        let n = match ty {
            "i32" => shapes.len(),
            ty if is_signed(ty) => shapes.len() - 1,
            _ => shapes.len() - 2,
        };
        let (shape, lo, hi) = pick(&mut self.rng, &shapes[..n]).clone();
        fits(lo, hi, size).then(|| vec![shape])
    }

    /// Active lanes pack values into the part of an array that belongs to their group.
    fn packed(&mut self, inner: &mut Scope, (index, counted): &(String, Counted)) -> Option<Stmt> {
        let (_, hi) = counted.within?;
        let fits = |array: &&mut Array| {
            matches!(array.access, Access::Own(_))
                && array.dims.len() <= 2
                && array.dims[0].value.is_some_and(|size| hi < size)
        };
        let array = inner.arrays.iter_mut().filter(fits).find(|array| matches!(array.cell, Cell::Scalar(_)))?;
        let Cell::Scalar(ty) = array.cell else { return None };
        array.access = Access::None;
        let (name, dims) = (array.name.clone(), array.dims[1..].to_vec());
        let at = Expr::binary("-", Expr::name(&**index), Expr::name("lane_id"));
        let condition = self.open_expr(inner, "bool", 2);
        self.choices += 1;
        let value = match self.sizes_of(&dims)[..] {
            [] => self.open_expr(inner, ty, 2),
            ref sizes => self.array_value(inner, &Cell::Scalar(ty), sizes, 2),
        };
        self.choices -= 1;
        let store = Stmt::Do(Expr::call("compress_store", vec![Expr::name(name), at, value]));
        Some(Stmt::If("if", condition, vec![store], Vec::new()))
    }
}

/// Whether a statement may go on with the next iteration of the loop around it.
fn goes_on(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Continue => true,
        Stmt::Match(_, cases) => cases.iter().flat_map(|(.., block)| block).any(goes_on),
        Stmt::If(_, _, then_block, else_block) => then_block.iter().chain(else_block).any(goes_on),
        _ => false,
    }
}
