//! What is decided at compile time: `static for`, `static if`, and functions with constant parameters.

use super::expressions::Maker;
use super::scope::{Callee, Gives, Scope, Takes, Var};
use super::tree::{CONSTANT_PARAMETER, Expr, Function, Param, Range, STATIC_INDEX, Stmt, is_static};

impl Maker {
    /// A `static for` over a few numbers, or a `static if` about one.
    pub(super) fn static_(&mut self, scope: &mut Scope) -> Option<Stmt> {
        match self.rng.u32(..3) {
            0 => {
                let condition = self.static_condition(scope);
                let mut then_block = self.static_block(scope);
                let mut else_block = if self.rng.bool() { self.static_block(scope) } else { Vec::new() };
                // A name that both branches define is known behind them.
                if self.rng.bool() {
                    let (name, ty) = (self.fresh("v"), self.scalar_type());
                    for block in [&mut then_block, &mut else_block] {
                        let value = self.expr(scope, ty, 2);
                        block.push(Stmt::Let(name.clone(), Some(ty), value));
                    }
                    scope.vars.push(Var { name, ty, updatable: true, within: None, below: None });
                }
                Some(Stmt::If("static if", condition, then_block, else_block))
            }
            _ => self.static_for(scope),
        }
    }

    fn static_for(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let (start, trips, step) = (self.rng.i64(-2..=2), self.rng.i64(0..=4), self.pick(&[1, 1, 1, 2, -1]));
        let runs = scope.runs.saturating_mul(trips.max(1) as u64);
        if runs > super::statements::MAX_RUNS || scope.depth >= 4 {
            return None;
        }
        let name = self.fresh(STATIC_INDEX);
        let last = start + step * (trips - 1).max(0);
        let mut inner = Scope { runs, ..self.inner(scope) };
        inner.vars.push(Var {
            name: name.clone(),
            ty: "i32",
            updatable: false,
            within: Some((start.min(last), start.max(last))),
            below: None,
        });
        // Each of the statements may be left out by its round.
        let mut body = Vec::new();
        if self.one_in(3) {
            let word = if self.rng.bool() { Stmt::Break } else { Stmt::Continue };
            let at = Expr::binary("==", Expr::name(&*name), Expr::literal(start + step * self.rng.i64(0..=3)));
            body.push(Stmt::If("static if", at, vec![word], Vec::new()));
        }
        body.extend(self.static_block(&inner));
        let (start, stop, step) = (Expr::literal(start), Expr::literal(start + step * trips), Expr::literal(step));
        let range = Range { start: Some(start), stop, step: Some(step) };
        Some(Stmt::For("static for", name, range, body))
    }

    /// Statements without `break` and `continue`, which would leave a round.
    fn static_block(&mut self, scope: &Scope) -> Vec<Stmt> {
        let mut inner = self.inner(scope);
        let mut out = Vec::new();
        for _ in 0..self.rng.u32(1..=3) {
            let made = match self.rng.u32(..8) {
                0 | 1 => self.definition(&mut inner),
                2 | 3 => self.update(&mut inner),
                4 => self.record(&mut inner),
                5 => self.static_(&mut inner),
                _ => self.store(&mut inner),
            };
            out.extend(made);
        }
        if out.is_empty() { vec![Stmt::Assert(Expr::binary("==", Expr::literal(1), Expr::literal(1)))] } else { out }
    }

    /// A condition about numbers that are known.
    fn static_condition(&mut self, scope: &Scope) -> Expr {
        let known: Vec<_> = scope.vars.iter().filter(|var| is_static(&var.name)).cloned().collect();
        let op = self.pick(&["<", ">", "==", "!="]);
        let number = Expr::literal(self.rng.i64(-1..=2));
        match known.is_empty() {
            true => Expr::binary(op, number, Expr::literal(1)),
            false => Expr::binary(op, Expr::name(self.pick(&known).name), number),
        }
    }

    /// A function with a constant parameter, which each call gives.
    pub(super) fn constant_function(&mut self) -> Function {
        let (name, ty) = (self.fresh("f"), self.number_type());
        let (constant, param) = (self.fresh(CONSTANT_PARAMETER), self.fresh("x"));
        let value = self.rng.i64(-3..=3);
        let mut scope = self.scope_of(Some(ty));
        let var = |name: &str, ty, updatable, within| Var { name: name.to_owned(), ty, updatable, within, below: None };
        scope.vars.push(var(&constant, "i32", false, Some((value, value))));
        scope.vars.push(var(&param, ty, true, None));
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(1..=2) {
            body.extend(self.static_(&mut scope));
        }
        if self.rng.bool() {
            let condition = self.static_condition(&scope);
            body.push(Stmt::If("static if", condition, vec![Stmt::Return(Some(self.expr(&scope, ty, 2)))], Vec::new()));
        }
        body.push(Stmt::Return(Some(self.expr(&scope, ty, 3))));
        let by_name = if self.rng.bool() { format!("{constant}=") } else { String::new() };
        self.callees.push(Callee {
            name: format!("{name}[{by_name}{value}]"),
            params: vec![Takes::Scalar(ty)],
            result: Some(Gives::Scalar(ty)),
            cost: 200,
            in_lanes: false,
            has_foreach: false,
            names: Vec::new(),
        });
        let params = vec![Param { name: param, ty: Some(ty.to_owned()), arg: None, default: None }];
        let name = format!("{name}[{constant}: const i32]");
        Function { attrs: Vec::new(), name, params, result: self.rng.bool().then_some(ty), body }
    }
}
