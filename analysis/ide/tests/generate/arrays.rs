//! Values that are whole arrays, and scalars that are made of such.

use super::expressions::Maker;
use super::parts::n_elements;
use super::scope::{ANY_ROOT, Access, Array, Callee, Cell, Foreach, Func, Gives, Record, Scope, Takes, Var, is_float};
use super::statements::MAX_RUNS;
use super::tree::{Expr, Subscript};

/// A function that takes arrays of one size, and gives one of that size.
#[derive(Debug, Clone)]
pub(super) struct ArrayCallee {
    pub(super) name: String,
    pub(super) params: Vec<ArrayParam>,
    /// What the elements of its result are.
    pub(super) gives: &'static str,
}

#[derive(Debug, Clone)]
pub(super) enum ArrayParam {
    Array(&'static str),
    Scalar(&'static str),
    /// Types of its parameters and of what it gives.
    Function(Vec<&'static str>, &'static str),
}

impl Maker {
    /// An array of these sizes.
    pub(super) fn array_value(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        if depth == 0 || may_have_no_rows(sizes) || scope.runs * n_elements(sizes) > MAX_RUNS || self.one_in(6) {
            return self.array_leaf(scope, cell, sizes);
        }
        let ty = match cell {
            Cell::Scalar(ty) => *ty,
            Cell::Struct(_) => return self.array_of_structs(scope, cell, sizes, depth - 1),
        };
        match self.rng.u32(..20) {
            0..=4 => self.elementwise(scope, ty, sizes, depth - 1),
            5 => self.array_choice(scope, cell, sizes, depth - 1),
            6..=10 => self.mapped(scope, cell, sizes, depth - 1),
            11 => self.mapped_by_name(scope, ty, sizes, depth - 1),
            12 | 13 => self.scanned(scope, ty, sizes, depth - 1),
            14 => self.folded_array(scope, cell, sizes, depth - 1),
            15..=17 => self.of_vocabulary(scope, cell, sizes, depth - 1),
            18 => self.array_call(scope, ty, sizes, depth - 1),
            _ => self.array_leaf(scope, cell, sizes),
        }
    }

    /// An array that there is, or one of the simplest new ones.
    fn array_leaf(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64]) -> Expr {
        if self.one_in(3)
            && let Some(row) = self.expanded_row(scope, cell, sizes)
        {
            return row;
        }
        let found = if self.one_in(5) { None } else { self.stored(scope, cell, sizes) };
        if let Some(found) = found {
            return found;
        }
        if let (Cell::Scalar(ty), [_]) = (cell, sizes)
            && scope.runs < 100
            && self.one_in(60)
        {
            // Once in a while the sizes do not fit, and no type says so.
            let array = self.array_leaf(scope, cell, sizes);
            let function = self.function_value(scope, &[*ty], "bool", 1);
            return Expr::call("filter", vec![function, array]);
        }
        if let Cell::Scalar(ty) = cell {
            let from = self.scalar_type();
            if from != *ty
                && let Some(other) = self.stored(scope, &Cell::Scalar(from), sizes)
            {
                return self.cast(other, from, ty);
            }
        }
        let size = self.size_text(scope, sizes[0]);
        let single = sizes.len() == 1;
        match cell {
            Cell::Scalar("i32") if single && self.rng.bool() => Expr::call("iota", vec![size]),
            Cell::Scalar(ty) if single && self.rng.bool() => {
                let indices = Expr::call("iota", vec![size]);
                if *ty == "i32" { indices } else { Expr::call(*ty, vec![indices]) }
            }
            _ if single => self.repeated(scope, cell, sizes),
            _ => {
                let row = self.array_leaf(scope, cell, &sizes[1..]);
                Expr::call("replicate", vec![size, row])
            }
        }
    }

    /// A new array of one value.
    pub(super) fn repeated(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64]) -> Expr {
        let [size, inner @ ..] = sizes else {
            return match cell {
                Cell::Scalar(ty) => {
                    let value = self.open_leaf(scope, ty);
                    self.typed(value, ty)
                }
                Cell::Struct(of) => self.struct_value(scope, *of),
            };
        };
        let row = self.repeated(scope, cell, inner);
        Expr::call("replicate", vec![self.size_text(scope, *size), row])
    }

    /// A value whose type is not left to what is around.
    fn typed(&mut self, value: Expr, ty: &'static str) -> Expr {
        if value.is_constant() && ty != "bool" { Expr::call(ty, vec![value]) } else { value }
    }

    /// A struct of some array, or of a variable.
    pub(super) fn struct_value(&mut self, scope: &Scope, of: usize) -> Expr {
        let records: Vec<_> = scope.records.iter().filter(|record| record.of == of).cloned().collect();
        if !records.is_empty() && self.rng.bool() {
            return Expr::name(self.pick(&records).name);
        }
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| array.cell == Cell::Struct(of)).cloned().collect();
        let cells = (0..6).find_map(|_| {
            let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
            self.cell(scope, &array)
        });
        // One that may not be there, if nothing else is.
        cells.unwrap_or_else(|| match arrays.first() {
            Some(array) => Expr::at(&*array.name, vec![Expr::literal(0); array.dims.len()]),
            None => Expr::literal(0),
        })
    }

    /// Whether there is a struct of this kind to make others of.
    pub(super) fn has_struct(&self, scope: &Scope, of: usize) -> bool {
        scope.arrays.iter().any(|array| array.cell == Cell::Struct(of) && array.access != Access::None)
    }

    // Element by element.

    /// An operand of an operation on arrays: one of the sizes, or a scalar that counts for all elements.
    fn operand(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        match self.rng.u32(..5) {
            0 => self.leaf(scope, ty),
            1 => self.open_expr(scope, ty, depth.min(1)),
            _ => self.array_value(scope, &Cell::Scalar(ty), sizes, depth),
        }
    }

    fn operands(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> (Expr, Expr) {
        let array = self.array_value(scope, &Cell::Scalar(ty), sizes, depth);
        let other = self.operand(scope, ty, sizes, depth);
        if self.one_in(3) { (other, array) } else { (array, other) }
    }

    fn elementwise(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        let array = |maker: &mut Maker| maker.array_value(scope, &Cell::Scalar(ty), sizes, depth);
        if let Some(call) = self.called_with_arrays(scope, ty, sizes, depth) {
            return call;
        }
        match self.rng.u32(..12) {
            0 => {
                let condition = self.operand(scope, "bool", sizes, depth);
                let (a, b) = self.operands(scope, ty, sizes, depth);
                Expr::call("select", vec![condition, a, b])
            }
            1 | 2 => {
                let from = self.scalar_type();
                let value = self.array_value(scope, &Cell::Scalar(from), sizes, depth);
                self.cast(value, from, ty)
            }
            3 if ty == "bool" => Expr::unary("not", array(self)),
            3 if ty.starts_with('u') => Expr::unary("~", array(self)),
            3 => Expr::unary("-", array(self)),
            4..=7 if ty == "bool" => {
                let of = self.number_type();
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = self.operands(scope, of, sizes, depth);
                Expr::binary(op, a, b)
            }
            4 if is_float(ty) => {
                let name = self.pick(&["sqrt", "floor", "round", "abs", "rcp"]);
                Expr::call(name, vec![array(self)])
            }
            5 if ty != "bool" => {
                let name = self.pick(&["min", "max"]);
                let (a, b) = self.operands(scope, ty, sizes, depth);
                Expr::call(name, vec![a, b])
            }
            6 if ty != "bool" => {
                let (lo, hi) = (self.rng.i32(0..=4), self.rng.i32(5..=90));
                Expr::call("clamp", vec![array(self), Expr::literal(lo), Expr::literal(hi)])
            }
            7 if !is_float(ty) && ty != "bool" => {
                let op = self.pick(&["/", "//", "%", "*"]);
                Expr::binary(op, array(self), Expr::literal(self.rng.i32(1..=4)))
            }
            _ => {
                let op = match ty {
                    "bool" => self.pick(&["&", "|", "^", "==", "!="]),
                    ty if is_float(ty) => self.pick(&["+", "+", "-", "*", "*", "/", "%"]),
                    _ => self.pick(&["+", "+", "-", "&", "|", "^"]),
                };
                let (a, b) = self.operands(scope, ty, sizes, depth);
                Expr::binary(op, a, b)
            }
        }
    }

    /// A call of one of the file's functions of scalars, of which at least the first is given an array.
    fn called_with_arrays(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Option<Expr> {
        let runs = scope.runs * n_elements(sizes);
        let fits = |callee: &&Callee| {
            let takes_scalars = callee.params.iter().all(|takes| matches!(takes, Takes::Scalar(_)));
            let is_plain = !callee.in_lanes && !callee.has_foreach && runs * callee.cost < 2_000;
            takes_scalars && is_plain && !callee.params.is_empty() && callee.result == Some(Gives::Scalar(ty))
        };
        let known: Vec<Callee> = self.callees.iter().filter(fits).cloned().collect();
        if known.is_empty() || !self.one_in(4) {
            return None;
        }
        let callee = self.pick(&known);
        let args = callee.params.iter().enumerate().map(|(number, takes)| match takes {
            Takes::Scalar(of) if number == 0 => self.array_value(scope, &Cell::Scalar(of), sizes, depth.min(1)),
            Takes::Scalar(of) => self.operand(scope, of, sizes, depth.min(1)),
            _ => unreachable!("it takes scalars"),
        });
        let args: Vec<_> = args.collect();
        Some(Expr::call(&callee.name, args))
    }

    /// One of two arrays.
    fn array_choice(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        let condition = self.open_expr(scope, "bool", 1);
        let a = self.array_value(scope, cell, sizes, depth);
        let b = self.array_value(scope, cell, sizes, depth);
        Expr::cond(condition, a, b)
    }

    // Functions of elements.

    /// What a lambda can use that is called so many times.
    fn lambda_scope(&self, scope: &Scope, times: u64) -> Scope {
        let mut inner = Scope { runs: scope.runs * times.max(1), ..scope.clone() };
        inner.foreach = scope.foreach.is_some().then_some(Foreach {
            in_lanes: false,
            in_each_lane: true,
            all_on: false,
            groups: None,
        });
        inner
    }

    /// An array whose elements a function takes, and what is known of one of them.
    fn source(&mut self, scope: &Scope, inner: &mut Scope, like: &Cell, size: i64, depth: u32) -> (String, Expr) {
        let name = self.fresh("e");
        let plain = |ty: &'static str| Var { name: name.clone(), ty, updatable: false, within: None, below: None };
        let of_structs = (!self.structs.is_empty() && self.one_in(6)).then(|| self.rng.usize(..self.structs.len()));
        match (of_structs, self.rng.u32(..8)) {
            (Some(of), _) if self.has_struct(scope, of) => {
                inner.records.push(Record { name: name.clone(), of, updatable: false });
                (name, self.array_value(scope, &Cell::Struct(of), &[size], depth))
            }
            (_, 0 | 1) => {
                let mut var = plain("i32");
                match size {
                    0.. => var.within = Some((0, size - 1)),
                    _ => var.below = Some(self.size_text(scope, size).to_string()),
                }
                inner.vars.push(var);
                (name, Expr::call("iota", vec![self.size_text(scope, size)]))
            }
            (_, 2 | 3) => {
                let ty = self.scalar_type();
                let cell = if self.rng.bool() { like.clone() } else { Cell::Scalar(ty) };
                let width = self.rng.i64(0..=4);
                let sizes = vec![size, if self.one_in(3) { size.min(6) } else { width }];
                let value = self.array_value(scope, &cell, &sizes, depth);
                let dims = self.dims(&name, &sizes[1..]);
                self.know_array(inner, &name, cell, dims, Access::Read);
                (name, value)
            }
            _ => {
                let ty = match like {
                    Cell::Scalar(ty) if !self.one_in(3) => *ty,
                    _ => self.scalar_type(),
                };
                inner.vars.push(plain(ty));
                (name, self.array_value(scope, &Cell::Scalar(ty), &[size], depth))
            }
        }
    }

    pub(super) fn know_array(
        &mut self,
        scope: &mut Scope,
        name: &str,
        cell: Cell,
        dims: Vec<super::scope::Dim>,
        access: Access,
    ) {
        let root = ANY_ROOT.to_owned();
        scope.arrays.push(Array { name: name.to_owned(), cell, dims, root, access, indexes: None, rebindable: false });
    }

    /// Arrays of one first size, with names for their elements; sometimes zipped.
    fn sources(
        &mut self,
        scope: &Scope,
        inner: &mut Scope,
        like: &Cell,
        size: i64,
        depth: u32,
    ) -> (Vec<String>, Vec<Expr>) {
        let n = self.pick(&[1, 1, 1, 2, 2, 3]);
        let (names, arrays): (Vec<_>, Vec<_>) = (0..n).map(|_| self.source(scope, inner, like, size, depth)).unzip();
        let arrays = if n > 1 && self.one_in(5) { vec![Expr::call("zip", arrays)] } else { arrays };
        (names, arrays)
    }

    /// What a lambda gives, of these sizes.
    fn body(&mut self, inner: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        match (cell, sizes.is_empty()) {
            (_, false) => self.array_value(inner, cell, sizes, depth),
            (Cell::Scalar(ty), true) => {
                let value = self.open_expr(inner, ty, 2);
                self.typed(value, ty)
            }
            (Cell::Struct(of), true) => self.struct_value(inner, *of),
        }
    }

    fn mapped(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        let times = n_elements(&sizes[..1]);
        let mut inner = self.lambda_scope(scope, times);
        let (names, arrays) = self.sources(scope, &mut inner, cell, sizes[0], depth);
        let body = self.body(&inner, cell, &sizes[1..], depth);
        if self.one_in(3) {
            return comprehension(body, names, arrays, None);
        }
        let args = std::iter::once(Expr::Lambda(names, Box::new(body))).chain(arrays);
        Expr::call("map", args.collect())
    }

    /// A sum, a product or a vote over a comprehension, sometimes with a condition.
    fn joined_comprehension(&mut self, scope: &Scope, ty: &'static str, size: i64, depth: u32) -> Expr {
        let name = match ty {
            "bool" => self.pick(&["any", "all"]),
            "i32" => self.pick(&["sum", "product", "count"]),
            _ => self.pick(&["sum", "product"]),
        };
        let of = if name == "count" { "bool" } else { ty };
        let rows = if self.one_in(3) { self.rng.i64(1..=3) } else { 0 };
        let mut inner = self.lambda_scope(scope, n_elements(&[size]) * n_elements(&[rows.max(1)]));
        let mut around = String::new();
        if rows > 0 {
            let (names, arrays) = self.sources(scope, &mut inner, &Cell::Scalar(of), rows, 1);
            let condition = self.rng.bool().then(|| self.body(&inner, &Cell::Scalar("bool"), &[], 1));
            let condition = condition.map_or_else(String::new, |condition| format!(" if {condition}"));
            around = format!("{} in {}{condition} for ", names.join(", "), over_all(arrays));
        }
        let outside = if self.rng.bool() { inner.clone() } else { scope.clone() };
        let (mut names, arrays) = self.sources(&outside, &mut inner, &Cell::Scalar(of), size, depth);
        let body = self.body(&inner, &Cell::Scalar(of), &[], depth);
        let condition = self.rng.bool().then(|| self.body(&inner, &Cell::Scalar("bool"), &[], depth));
        names[0] = format!("{around}{}", names[0]);
        Expr::call(name, vec![comprehension(body, names, arrays, condition)])
    }

    /// A function that takes scalars of these types, or any, and gives one.
    pub(super) fn function_value(
        &mut self,
        scope: &Scope,
        params: &[&'static str],
        result: &'static str,
        depth: u32,
    ) -> Expr {
        if depth > 0 && self.rng.u32(..8) == 0 {
            let condition = self.open_expr(scope, "bool", 1);
            let sides = [0, 1].map(|_| self.function_value(scope, params, result, depth - 1));
            // An operator stands for a function in a call alone.
            let [a, b] = sides.map(|side| match side {
                Expr::Operator(_) => self.lambda(scope, params, result, depth - 1),
                side => side,
            });
            return Expr::cond(condition, a, b);
        }
        let known = scope.functions.iter().filter(|it| it.params == params && it.result == result);
        let mut names: Vec<Expr> = known.map(|it| Expr::name(&*it.name)).collect();
        let fits = |callee: &&Callee| {
            let takes = callee.params.iter().map(|takes| match takes {
                Takes::Scalar(ty) => Some(*ty),
                Takes::Generic if result != "bool" => Some(result),
                _ => None,
            });
            let gives = match callee.result {
                Some(Gives::Scalar(ty)) => ty == result,
                Some(Gives::Generic) => result != "bool",
                Some(Gives::Record(_) | Gives::Several(_)) | None => false,
            };
            gives && !callee.in_lanes && !callee.has_foreach && takes.eq(params.iter().map(|&ty| Some(ty)))
        };
        if scope.runs * 60 < 4_000 {
            names.extend(self.callees.iter().filter(fits).map(|callee| Expr::name(&*callee.name)));
        }
        if result != "bool" && params.iter().all(|&ty| ty == result) {
            match params.len() {
                1 => names.extend(
                    ["abs", "sqrt", "floor"]
                        .iter()
                        .take(if is_float(result) { 3 } else { 0 })
                        .map(|&it| Expr::name(it)),
                ),
                2 => {
                    names.extend(["min", "max"].map(Expr::name));
                    names.extend(["+", "-"].map(Expr::Operator));
                }
                _ => {}
            }
        }
        if result == "bool" && params == ["bool", "bool"] {
            names.extend(["&", "|", "^"].map(Expr::Operator));
        }
        if !names.is_empty() && self.rng.bool() {
            return self.pick(&names);
        }
        self.lambda(scope, params, result, depth)
    }

    fn lambda(&mut self, scope: &Scope, params: &[&'static str], result: &'static str, depth: u32) -> Expr {
        let mut inner = self.lambda_scope(scope, 8);
        let named: Vec<String> = params.iter().map(|_| self.fresh("e")).collect();
        for (name, &ty) in named.iter().zip(params) {
            inner.vars.push(Var { name: name.clone(), ty, updatable: false, within: None, below: None });
        }
        let body = self.body(&inner, &Cell::Scalar(result), &[], depth);
        Expr::Lambda(named, Box::new(body))
    }

    fn mapped_by_name(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        let params: Vec<&'static str> = match self.rng.u32(..4) {
            0 => vec![ty],
            1 => vec![ty, ty],
            2 => vec![self.scalar_type()],
            _ => vec![self.scalar_type(), ty],
        };
        let runs = scope.runs * n_elements(sizes);
        let function = self.function_value(&Scope { runs, ..scope.clone() }, &params, ty, 1);
        // A lambda's parameters are scalars here; what has a name works on rows as well, if it has no conditions.
        let sizes = match function {
            Expr::Name(_) | Expr::Lambda(..) | Expr::Cond(..) if sizes.len() > 1 => {
                return self.mapped(scope, &Cell::Scalar(ty), sizes, depth);
            }
            _ => sizes,
        };
        let arrays: Vec<_> =
            params.iter().map(|&ty| self.array_value(scope, &Cell::Scalar(ty), sizes, depth)).collect();
        Expr::call("map", std::iter::once(function).chain(arrays).collect())
    }

    /// What a fold starts with.
    fn zero(&mut self, scope: &Scope, ty: &'static str) -> Expr {
        let value = self.leaf(scope, ty);
        self.typed(value, ty)
    }

    fn scanned(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        let cell = Cell::Scalar(ty);
        if sizes.len() == 1 && self.rng.bool() {
            let array = self.array_value(scope, &cell, sizes, depth);
            let op = self.joining_function(ty);
            return Expr::call("scan", vec![op, self.zero(scope, ty), array]);
        }
        let times = n_elements(&sizes[..1]);
        let mut inner = self.lambda_scope(scope, times);
        self.fold("scan", scope, &mut inner, &cell, &sizes[1..], sizes[0], depth)
    }

    fn joining_function(&mut self, ty: &'static str) -> Expr {
        match ty {
            "bool" => Expr::Operator(self.pick(&["&", "|", "^"])),
            ty if is_float(ty) => {
                self.pick(&[Expr::Operator("+"), Expr::Operator("*"), Expr::name("min"), Expr::name("max")])
            }
            _ => self.pick(&[
                Expr::Operator("+"),
                Expr::Operator("^"),
                Expr::Operator("|"),
                Expr::name("min"),
                Expr::name("max"),
            ]),
        }
    }

    /// A `reduce` or `scan` whose accumulator has these sizes.
    #[expect(clippy::too_many_arguments, reason = "all of them are what is asked for")]
    fn fold(
        &mut self,
        name: &'static str,
        scope: &Scope,
        inner: &mut Scope,
        cell: &Cell,
        sizes: &[i64],
        size: i64,
        depth: u32,
    ) -> Expr {
        let state = self.fresh("s");
        let zero = match (cell, sizes.is_empty()) {
            (Cell::Scalar(ty), true) => {
                inner.vars.push(Var { name: state.clone(), ty, updatable: false, within: None, below: None });
                self.zero(scope, ty)
            }
            (Cell::Struct(of), true) => {
                inner.records.push(Record { name: state.clone(), of: *of, updatable: false });
                self.struct_value(scope, *of)
            }
            (cell, false) => {
                let dims = self.dims(&state, sizes);
                self.know_array(inner, &state, cell.clone(), dims, Access::Read);
                self.array_value(scope, cell, sizes, depth)
            }
        };
        let (names, mut arrays) = self.sources(scope, inner, cell, size, depth);
        if arrays.len() > 1 {
            arrays = vec![Expr::call("zip", arrays)];
        }
        let body = match (cell, sizes.is_empty()) {
            // A fold that forgets what it had is a dull one.
            (Cell::Scalar(ty), true) if !self.one_in(3) => {
                let value = self.open_expr(inner, ty, 1);
                let op = self.joining_function(ty);
                match op {
                    Expr::Operator(op) => Expr::binary(op, Expr::name(&*state), value),
                    op => Expr::call(op.to_string(), vec![Expr::name(&*state), value]),
                }
            }
            _ => self.body(inner, cell, sizes, depth.max(1)),
        };
        let names = std::iter::once(state).chain(names).collect();
        let args = [Expr::Lambda(names, Box::new(body)), zero].into_iter().chain(arrays);
        Expr::call(name, args.collect())
    }

    /// A `reduce` that gives an array.
    fn folded_array(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        let times = self.rng.i64(0..=3);
        let mut inner = self.lambda_scope(scope, times.max(1) as u64 * n_elements(sizes));
        inner.runs = scope.runs.saturating_mul(times.max(1) as u64);
        self.fold("reduce", scope, &mut inner, cell, sizes, times, depth)
    }

    // Functions of the prelude, and of the program.

    fn of_vocabulary(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        let array = |maker: &mut Maker, sizes: &[i64]| maker.array_value(scope, cell, sizes, depth);
        let known = sizes.iter().all(|&size| size >= 0);
        match (self.rng.u32(..10), sizes) {
            (0, _) => Expr::call("reverse", vec![array(self, sizes)]),
            (1, _) if self.rng.bool() => {
                let by = if self.rng.bool() { self.rng.i64(-4..=4) } else { self.rng.i64(-90..=90) };
                Expr::call("rotate", vec![array(self, sizes), Expr::literal(by)])
            }
            (1 | 2, [size, rest @ ..]) if known => {
                let first = self.rng.i64(0..=*size);
                let mut part = |size: i64| {
                    let sizes: Vec<_> = std::iter::once(size).chain(rest.iter().copied()).collect();
                    array(self, &sizes)
                };
                let (a, b) = (part(first), part(size - first));
                Expr::call("concat", vec![a, b])
            }
            (3, [rows, columns]) => Expr::call("transpose", vec![array(self, &[*columns, *rows])]),
            (3 | 4, [size]) if known => {
                let rows: Vec<i64> = (1..=*size).filter(|rows| size % rows == 0).collect();
                let rows = if rows.is_empty() { 0 } else { self.pick(&rows) };
                let columns = if rows == 0 { self.rng.i64(0..=2) } else { size / rows };
                Expr::call("flatten", vec![array(self, &[rows, columns])])
            }
            (4, [rows, columns]) if known => {
                let (r, c) = (self.size_text(scope, *rows), self.size_text(scope, *columns));
                Expr::call("reshape", vec![array(self, &[rows * columns]), r, c])
            }
            (5, [rows, columns]) if known => match cell {
                Cell::Scalar("bool") | Cell::Struct(_) => array(self, sizes),
                _ => {
                    let inner = self.rng.i64(0..=3);
                    let (a, b) = (array(self, &[*rows, inner]), array(self, &[inner, *columns]));
                    if self.rng.bool() {
                        return Expr::call("matmul", vec![a, b]);
                    }
                    let (a, b) = (array(self, &[*rows]), array(self, &[*columns]));
                    Expr::call("outer", vec![a, b])
                }
            },
            (5, [_]) if !matches!(cell, Cell::Scalar("bool") | Cell::Struct(_)) => {
                Expr::call("cumsum", vec![array(self, sizes)])
            }
            (6, [size]) if known && *size > 0 && !matches!(cell, Cell::Scalar("bool") | Cell::Struct(_)) => {
                Expr::call("diff", vec![array(self, &[size + 1])])
            }
            (7, [size]) if known => {
                let whole = self.rng.i64(1..=6);
                let at =
                    Expr::binary("%", Expr::call("iota", vec![self.size_text(scope, *size)]), Expr::literal(whole));
                Expr::call("gather", vec![array(self, &[whole]), at])
            }
            (8 | 9, [size @ 1..=4, rest @ ..]) => {
                let element = |maker: &mut Maker| match rest.is_empty() {
                    true => maker.body(scope, cell, &[], depth),
                    false => maker.array_value(scope, cell, rest, depth),
                };
                Expr::List((0..*size).map(|_| element(self)).collect())
            }
            _ => array(self, sizes),
        }
    }

    fn array_call(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        let fits = |callee: &&ArrayCallee| callee.gives == ty;
        let callees: Vec<_> = self.array_callees.iter().filter(fits).cloned().collect();
        if callees.is_empty() || sizes.len() > 1 || scope.runs * n_elements(sizes) > MAX_RUNS / 20 {
            return self.array_value(scope, &Cell::Scalar(ty), sizes, depth);
        }
        let callee = self.pick(&callees);
        let mut args = Vec::new();
        for param in &callee.params {
            args.push(match param {
                ArrayParam::Array(ty) => self.array_value(scope, &Cell::Scalar(ty), sizes, depth),
                ArrayParam::Scalar(ty) => self.open_expr(scope, ty, 1),
                ArrayParam::Function(params, result) => {
                    let runs = scope.runs * n_elements(sizes);
                    self.function_value(&Scope { runs, ..scope.clone() }, params, result, 1)
                }
            });
        }
        Expr::call(callee.name, args)
    }

    fn array_of_structs(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        match self.rng.u32(..8) {
            6 | 7 => match self.operated_arrays(scope, cell, sizes, depth) {
                Some(made) => made,
                None => self.mapped(scope, cell, sizes, depth),
            },
            0 | 1 => self.mapped(scope, cell, sizes, depth),
            2 => self.of_vocabulary(scope, cell, sizes, depth),
            3 => self.array_choice(scope, cell, sizes, depth),
            4 => {
                let mut inner = self.lambda_scope(scope, n_elements(&sizes[..1]));
                self.fold("scan", scope, &mut inner, cell, &sizes[1..], sizes[0], depth)
            }
            _ => self.array_leaf(scope, cell, sizes),
        }
    }

    /// An operator on arrays of structs of floats, or on one and a struct or an array of scalars.
    fn operated_arrays(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Option<Expr> {
        let Cell::Struct(of) = cell else { return None };
        let fields = self.structs[*of].fields.clone();
        let first = fields.first()?.1;
        if !fields.iter().all(|(_, ty)| matches!(*ty, "f32" | "f64")) {
            return None;
        }
        let a = self.array_value(scope, cell, sizes, depth);
        let b = match self.rng.u32(..3) {
            0 => self.struct_value(scope, *of),
            1 if fields.iter().all(|(_, ty)| *ty == first) => {
                self.array_value(scope, &Cell::Scalar(first), sizes, depth)
            }
            _ => self.array_value(scope, cell, sizes, depth),
        };
        let op = self.pick(&["+", "-", "*"]);
        Some(if self.rng.bool() { Expr::binary(op, a, b) } else { Expr::binary(op, b, a) })
    }

    // Scalars.

    /// A scalar that is made of whole arrays.
    pub(super) fn of_array(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Option<Expr> {
        let mut sizes = self.new_sizes(scope);
        sizes.truncate(1);
        let size = sizes[0];
        if scope.runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        let depth = depth.min(2);
        let cell = Cell::Scalar(ty);
        let array = |maker: &mut Maker, ty: &'static str| maker.array_value(scope, &Cell::Scalar(ty), &sizes, depth);
        Some(match self.rng.u32(..8) {
            0 => {
                let (op, zero, array) = (self.joining_function(ty), self.zero(scope, ty), array(self, ty));
                Expr::call("reduce", vec![op, zero, array])
            }
            1 | 2 => {
                let mut inner = self.lambda_scope(scope, n_elements(&sizes));
                self.fold("reduce", scope, &mut inner, &cell, &[], size, depth)
            }
            3 | 4 if self.one_in(3) => self.joined_comprehension(scope, ty, size, depth),
            3 if ty == "bool" => {
                let name = self.pick(&["any", "all"]);
                Expr::call(name, vec![array(self, "bool")])
            }
            3 if ty == "i32" => {
                let of = self.number_type();
                match self.rng.u32(..4) {
                    0 => Expr::call("count", vec![array(self, "bool")]),
                    1 => Expr::call("length", vec![array(self, of)]),
                    2 if size > 0 => Expr::call("argmin", vec![array(self, of)]),
                    _ if size > 0 => Expr::call("argmax", vec![array(self, of)]),
                    _ => return None,
                }
            }
            3 | 4 if ty != "bool" => {
                let name = self.pick(&["sum", "sum", "minimum", "maximum"]);
                if size <= 0 && name != "sum" && !self.one_in(20) {
                    return None;
                }
                Expr::call(name, vec![array(self, ty)])
            }
            5 if ty != "bool" && self.rng.bool() => Expr::call("dot", vec![array(self, ty), array(self, ty)]),
            5 if ty != "bool" => {
                let function = self.function_value(scope, &[ty], "bool", 1);
                Expr::call("sum", vec![Expr::call("filter", vec![function, array(self, ty)])])
            }
            6 => {
                let function = (!scope.functions.is_empty()).then(|| self.pick(&scope.functions))?;
                let Func { name, params, result } = function;
                if result != ty {
                    return None;
                }
                Expr::call(name, params.iter().map(|ty| self.open_expr(scope, ty, 1)).collect())
            }
            _ if size > 0 => {
                let at = self.rng.i64(0..size);
                match array(self, ty) {
                    Expr::Cond(..) => return None,
                    value => Expr::Index(Box::new(value), vec![Subscript::At(Expr::literal(at))]),
                }
            }
            _ => return None,
        })
    }
}

/// `[e for x, y in zip(a, b) if c]`
fn comprehension(value: Expr, names: Vec<String>, arrays: Vec<Expr>, condition: Option<Expr>) -> Expr {
    Expr::For(Box::new(value), names.join(", "), Box::new(over_all(arrays)), condition.map(Box::new))
}

/// A walk over the elements of all of some arrays.
fn over_all(mut arrays: Vec<Expr>) -> Expr {
    if arrays.len() > 1 { Expr::call("zip", arrays) } else { arrays.remove(0) }
}

/// Says whether there are perhaps no rows: the sizes of those that a function gives for no elements are not specified, unless types
/// know them.
pub(super) fn may_have_no_rows(sizes: &[i64]) -> bool {
    sizes.len() > 1 && sizes.iter().any(|&size| size <= 0)
}
