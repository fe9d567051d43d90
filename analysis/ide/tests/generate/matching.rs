//! Enums, their values, and `match`.

use super::expressions::Maker;
use super::scope::{Record, Scope, Var, is_float};
use super::tree::{Case, Enum, Expr, Function, Param, Stmt};

impl Maker {
    /// An enum with variants that may have data.
    pub(super) fn enum_(&mut self) -> Enum {
        let number = self.enums.len();
        let plain = self.rng.bool();
        let width = if self.one_in(3) { Some(self.pick(&["u8", "i8", "i64", "u32"])) } else { None };
        let mut next = 0;
        let variants = (0..self.rng.usize(1..=4)).map(|n| {
            next += if self.one_in(4) { self.rng.i64(1..=5) } else { 0 };
            let n_data = if plain { 0 } else { self.rng.usize(..=2) };
            let data = (0..n_data).map(|field| (format!("d{field}"), self.scalar_type())).collect();
            next += 1;
            (format!("V{number}{}", ["A", "B", "C", "D"][n]), next - 1, data)
        });
        let variants = variants.collect();
        Enum { name: format!("E{number}"), width, variants }
    }

    /// The function of an enum that tells something of each of its values.
    pub(super) fn function_of_enum(&mut self, of: usize) -> Function {
        let mut scope = self.scope_of(Some("i32"));
        scope.vars.push(Var { name: "x".to_owned(), ty: "i32", updatable: false, within: None, below: None });
        scope.enums.push(Record { name: "e".to_owned(), of, updatable: false });
        let give = |maker: &mut Maker, scope: &mut Scope| vec![Stmt::Return(Some(maker.expr(scope, "i32", 2)))];
        let cases = self.cases_of(&scope, of, give);
        let param = |name: &str, ty: String| Param { name: name.to_owned(), ty: Some(ty), arg: None, default: None };
        Function {
            attrs: Vec::new(),
            name: format!("of_e{of}"),
            params: vec![param("e", self.enums[of].name.clone()), param("x", "i32".to_owned())],
            result: Some("i32"),
            body: vec![Stmt::Match(Expr::name("e"), cases)],
        }
    }

    /// A value of an enum.
    pub(super) fn enum_value(&mut self, scope: &Scope, of: usize, depth: u32) -> Expr {
        let own: Vec<_> = scope.enums.iter().filter(|var| var.of == of).cloned().collect();
        if !own.is_empty() && self.rng.bool() {
            return Expr::name(self.pick(&own).name);
        }
        if depth > 0 && self.one_in(3) {
            let condition = self.open_expr(scope, "bool", 1);
            let (a, b) = (self.enum_value(scope, of, depth - 1), self.enum_value(scope, of, depth - 1));
            return Expr::cond(condition, a, b);
        }
        let made = self.enums[of].clone();
        let is_plain = made.variants.iter().all(|(.., data)| data.is_empty());
        if is_plain && self.one_in(4) {
            // The number of one that is there, or now and then any number.
            let number = match self.one_in(6) {
                true => self.open_leaf(scope, "i32"),
                false => Expr::call("i32", vec![self.enum_value(scope, of, 0)]),
            };
            return Expr::call(made.name, vec![number]);
        }
        let (variant, _, data) = self.pick(&made.variants);
        let name = format!("{}.{variant}", made.name);
        if data.is_empty() {
            return Expr::name(name);
        }
        let mut values: Vec<_> = data.iter().map(|(_, ty)| self.expr(scope, ty, depth.min(2))).collect();
        if self.one_in(4) {
            let names = data.iter().map(|(name, _)| name.clone()).zip(values);
            values = names.map(|(name, value)| Expr::Named(name, Box::new(value))).rev().collect();
        }
        Expr::call(name, values)
    }

    /// A number or a bool that is made of enums.
    pub(super) fn of_enums(&mut self, scope: &Scope, ty: &str) -> Option<Expr> {
        if self.enums.is_empty() || !matches!(ty, "bool" | "i32") {
            return None;
        }
        let of = self.rng.usize(..self.enums.len());
        let value = self.enum_value(scope, of, 1);
        match ty {
            "bool" => {
                let op = self.pick(&["==", "==", "!="]);
                Some(Expr::binary(op, value, self.enum_value(scope, of, 1)))
            }
            _ if self.rng.bool() && self.has_enum_functions => {
                let x = self.expr(scope, "i32", 1);
                Some(Expr::call(format!("of_e{of}"), vec![value, x]))
            }
            _ => Some(Expr::call("i32", vec![value])),
        }
    }

    /// A variable that is an enum, or a change of one.
    pub(super) fn enum_statement(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let own: Vec<_> = scope.enums.iter().filter(|var| var.updatable).cloned().collect();
        if !own.is_empty() && self.rng.bool() {
            let var = self.pick(&own);
            return Some(Stmt::Set(Expr::name(var.name), None, self.enum_value(scope, var.of, 2)));
        }
        let of = (!self.enums.is_empty()).then(|| self.rng.usize(..self.enums.len()))?;
        let value = self.enum_value(scope, of, 2);
        let name = self.fresh("e");
        scope.enums.push(Record { name: name.clone(), of, updatable: true });
        Some(Stmt::Let(name, None, value))
    }

    /// A `match` of an enum, a number, a bool, or several of these.
    pub(super) fn match_(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let block = |maker: &mut Maker, inner: &mut Scope| {
            let n = maker.rng.u32(1..=2);
            maker.block(inner, n)
        };
        let choice = self.rng.u32(..4);
        if choice < 2 && !self.enums.is_empty() {
            let of = self.rng.usize(..self.enums.len());
            let value = self.enum_value(scope, of, 2);
            return Some(Stmt::Match(value, self.cases_of(scope, of, block)));
        }
        let types: Vec<_> = (0..if choice == 3 { 2 } else { 1 }).map(|_| self.scalar_type()).collect();
        let values: Vec<_> = types.iter().map(|ty| self.open_expr(scope, ty, 2)).collect();
        let mut cases = Vec::new();
        for _ in 0..self.rng.u32(1..=3) {
            let mut inner = self.inner(scope);
            let parts: Vec<_> = types.iter().map(|ty| self.pattern(&mut inner, ty)).collect();
            let guard = self.one_in(3).then(|| self.open_expr(&inner, "bool", 1));
            let block = block(self, &mut inner);
            cases.push((parts.join(", "), guard, block));
        }
        let mut inner = self.inner(scope);
        let block = block(self, &mut inner);
        cases.push(("_".to_owned(), None, block));
        let subject = if values.len() == 1 { values[0].clone() } else { Expr::Tuple(values) };
        Some(Stmt::Match(subject, cases))
    }

    /// A pattern for a scalar, with its names in the scope.
    fn pattern(&mut self, inner: &mut Scope, ty: &'static str) -> String {
        let literal = |maker: &mut Maker| match ty {
            "bool" => maker.pick(&["true", "false"]).to_owned(),
            ty if is_float(ty) => maker.pick(&["0.0", "1.0", "2.5"]).to_owned(),
            _ => maker.rng.u32(..6).to_string(),
        };
        match self.rng.u32(..6) {
            0 => "_".to_owned(),
            1 => {
                let name = self.fresh("v");
                inner.vars.push(Var { name: name.clone(), ty, updatable: true, within: None, below: None });
                name
            }
            2 => format!("({} | {})", literal(self), literal(self)),
            3 if ty.starts_with(['i', 'f']) => format!("-{}", literal(self)),
            _ => literal(self),
        }
    }

    /// Cases for all values of an enum, each with a block.
    fn cases_of(&mut self, scope: &Scope, of: usize, block: impl Fn(&mut Maker, &mut Scope) -> Vec<Stmt>) -> Vec<Case> {
        let made = self.enums[of].clone();
        let mut cases = Vec::new();
        let mut order: Vec<_> = made.variants.clone();
        self.rng.shuffle(&mut order);
        let n_left_out = if self.one_in(3) { self.rng.usize(..=order.len()) } else { 0 };
        let left_out = order.split_off(order.len() - n_left_out);
        for (variant, _, data) in order {
            let is_guarded = self.one_in(4);
            for guarded in [true, false] {
                if guarded && !is_guarded {
                    continue;
                }
                let mut inner = self.inner(scope);
                let name = if self.one_in(3) { format!("{}.{variant}", made.name) } else { variant.clone() };
                let parts: Vec<_> = data
                    .iter()
                    .map(|(_, ty)| match (guarded, self.rng.bool()) {
                        (true, _) => self.pattern(&mut inner, ty),
                        (false, true) => "_".to_owned(),
                        (false, false) => {
                            let name = self.fresh("v");
                            let var = Var { name: name.clone(), ty, updatable: true, within: None, below: None };
                            inner.vars.push(var);
                            name
                        }
                    })
                    .collect();
                let mut pattern = if parts.is_empty() { name } else { format!("{name}({})", parts.join(", ")) };
                if self.one_in(4) {
                    let whole = self.fresh("e");
                    pattern = format!("{pattern} as {whole}");
                    inner.enums.push(Record { name: whole, of, updatable: false });
                }
                let guard = guarded.then(|| self.open_expr(&inner, "bool", 1));
                let block = block(self, &mut inner);
                cases.push((pattern, guard, block));
            }
        }
        if !left_out.is_empty() {
            let mut inner = self.inner(scope);
            let block = block(self, &mut inner);
            cases.push(("_".to_owned(), None, block));
        }
        cases
    }
}
