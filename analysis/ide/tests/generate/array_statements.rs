//! Statements about whole arrays: variables of them, stores to parts, loops that carry them, functions that give them.

use super::arrays::{ArrayCallee, ArrayParam, may_have_no_rows};
use super::expressions::Maker;
use super::parts::n_elements;
use super::scope::{ANY_ROOT, Access, Array, Cell, Dim, Func, Record, Scope, Var, is_float};
use super::statements::MAX_RUNS;
use super::tree::{Expr, Function, Param, Range, Stmt, TABLE};

impl Maker {
    pub(super) fn array_statement(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let deep = scope.depth >= 3;
        match self.rng.u32(..22) {
            0..=3 => self.new_array(scope),
            4 | 5 => self.rebound(scope),
            6..=12 => self.array_store(scope),
            13 if !deep => self.over_elements(scope),
            14 | 15 if !deep => self.carrying_arrays(scope, out),
            16 if !deep => self.filled(scope, out),
            17 if self.rng.bool() => self.function_of_branch(scope, out),
            17 => self.named_function(scope),
            20 | 21 => self.shared(scope, out),
            18 => {
                let ty = self.scalar_type();
                let value = self.of_array(scope, ty, 2)?;
                let value = if value.is_constant() { self.open_leaf(scope, ty) } else { value };
                let name = self.fresh("v");
                scope.vars.push(Var { name: name.clone(), ty, updatable: true, within: None, below: None });
                Some(Stmt::Let(name, Some(ty), value))
            }
            _ => self.array_store(scope),
        }
    }

    fn any_cell(&mut self, scope: &Scope) -> Cell {
        let of = (!self.structs.is_empty() && self.one_in(8)).then(|| self.rng.usize(..self.structs.len()));
        match of {
            Some(of) if self.has_struct(scope, of) => Cell::Struct(of),
            _ => Cell::Scalar(self.scalar_type()),
        }
    }

    /// The sizes of some array that there is, or others.
    fn fitting_sizes(&mut self, scope: &Scope) -> Vec<i64> {
        if scope.arrays.is_empty() || self.one_in(4) {
            return self.new_sizes(scope);
        }
        let dims = self.pick(&scope.arrays).dims;
        self.sizes_of(&dims)
    }

    fn new_array(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let (cell, sizes) = (self.any_cell(scope), self.fitting_sizes(scope));
        if scope.runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        if self.one_in(4) && sizes.iter().all(|&size| size >= 0) {
            return Some(self.one_for_all(scope, cell, &sizes));
        }
        let value = self.array_value(scope, &cell, &sizes, 3);
        Some(self.define_array(scope, cell, &sizes, value))
    }

    /// An array with its type, all of whose cells have one value.
    fn one_for_all(&mut self, scope: &mut Scope, cell: Cell, sizes: &[i64]) -> Stmt {
        let (ty, value) = match &cell {
            Cell::Scalar(ty) if self.rng.bool() => ((*ty).to_owned(), Some(self.expr(scope, ty, 2))),
            Cell::Scalar(ty) => ((*ty).to_owned(), None),
            Cell::Struct(of) => {
                let value = self.rng.bool().then(|| self.struct_value(scope, *of));
                (self.structs[*of].name.clone(), value)
            }
        };
        let texts: Vec<_> = sizes.iter().map(i64::to_string).collect();
        let zero = Expr::call("replicate", Vec::new());
        match self.define_array(scope, cell, sizes, zero) {
            Stmt::Let(name, ..) => Stmt::Filled(name, format!("{ty}[{}]", texts.join(", ")), value),
            other => other,
        }
    }

    fn define_array(&mut self, scope: &mut Scope, cell: Cell, sizes: &[i64], value: Expr) -> Stmt {
        let name = self.fresh("t");
        let is_view = !is_new(&value);
        let rebindable = self.rng.bool();
        let root = if is_view || rebindable { ANY_ROOT.to_owned() } else { name.clone() };
        let access = if is_writable(scope, &value) { Access::Free } else { Access::Read };
        let dims = self.dims(&name, sizes);
        scope.arrays.push(Array { name: name.clone(), cell, dims, root, access, indexes: None, rebindable });
        Stmt::Let(name, None, value)
    }

    /// An array that may be written to: of a constant, or of a parameter that a call may give a constant for, it is a copy.
    fn own_array(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64], depth: u32) -> Expr {
        let value = self.array_value(scope, cell, sizes, depth);
        let text = value.to_string();
        let reads = |array: &Array| array.access == Access::Read && text.contains(&array.name);
        if !text.contains(TABLE) && !scope.arrays.iter().any(reads) {
            return value;
        }
        if may_have_no_rows(sizes) {
            return self.repeated(scope, cell, sizes);
        }
        Expr::call("map", vec![Expr::Lambda(vec!["x".to_owned()], Box::new(Expr::name("x"))), value])
    }

    /// A variable is given another array of its sizes.
    fn rebound(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| array.rebindable).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let sizes = self.sizes_of(&array.dims);
        self.preferred = self.rng.bool().then(|| array.root.clone());
        let value = match array.access {
            Access::Free => self.own_array(scope, &array.cell, &sizes, 3),
            _ => self.array_value(scope, &array.cell, &sizes, 3),
        };
        self.preferred = None;
        Some(Stmt::Set(Expr::name(array.name), None, value))
    }

    /// A store to a part of an array, or to a whole one; often of what that very array has.
    fn array_store(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| Self::writable(array)).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (target, sizes) = match array.rebindable && self.one_in(4) {
            true => (Expr::name(&*array.name), self.sizes_of(&array.dims)),
            false => self.any_part(scope, &array)?,
        };
        if scope.runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        let is_name = matches!(target, Expr::Name(_));
        let op = match array.cell {
            Cell::Struct(_) => None,
            _ if !is_name && !self.one_in(4) => None,
            Cell::Scalar("bool") => Some(self.pick(&["&", "|", "^"])),
            Cell::Scalar(ty) if is_float(ty) => Some(self.pick(&["+", "-", "*", "/"])),
            Cell::Scalar(_) => Some(self.pick(&["+", "-", "&", "|", "^"])),
        };
        self.preferred = (!self.one_in(3)).then(|| array.root.clone());
        let value = match (&array.cell, self.one_in(6)) {
            // What is given to a variable is an array.
            (Cell::Scalar(ty), true) if !is_name || op.is_some() => self.expr(scope, ty, 2),
            (cell, _) => self.array_value(scope, cell, &sizes, 3),
        };
        self.preferred = None;
        Some(Stmt::Set(target, op, value))
    }

    /// An array, and stores of what is computed from it, one after the other.
    fn shared(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| Self::writable(array)).cloned().collect();
        let first = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (target, sizes) = self.any_part(scope, &first)?;
        if scope.runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        let value = self.array_value(scope, &first.cell, &sizes, 2);
        let mut targets = vec![target];
        for _ in 0..8 {
            let array = self.pick(&arrays);
            if array.cell == first.cell
                && targets.len() < 4
                && let Some((target, _)) = self.any_part(scope, &array).filter(|(_, own)| *own == sizes)
            {
                targets.push(target);
            }
        }
        out.push(self.define_array(scope, first.cell.clone(), &sizes, value));
        let root = scope.arrays.last().map(|array| array.root.clone());
        for target in targets {
            self.preferred = if self.one_in(4) { Some(first.root.clone()) } else { root.clone() };
            let value = self.array_value(scope, &first.cell, &sizes, 3);
            self.preferred = None;
            out.push(Stmt::Set(target, None, value));
        }
        out.pop()
    }

    fn over_elements(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let (cell, sizes) = (self.any_cell(scope), self.fitting_sizes(scope));
        let runs = scope.runs * n_elements(&sizes);
        if runs > MAX_RUNS {
            return None;
        }
        let found = if self.one_in(3) { None } else { self.stored(scope, &cell, &sizes) };
        let array = found.unwrap_or_else(|| self.array_value(scope, &cell, &sizes, 2));
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        let name = self.fresh("e");
        let (names, over) = self.beside_elements(scope, &mut inner, (name.clone(), array), &sizes);
        match (&cell, sizes.len()) {
            (Cell::Scalar(ty), 1) => {
                inner.vars.push(Var { name: name.clone(), ty, updatable: false, within: None, below: None });
            }
            (Cell::Struct(of), 1) => {
                inner.records.push(Record { name: name.clone(), of: *of, updatable: false });
            }
            _ => {
                let dims = self.dims(&name, &sizes[1..]);
                self.know_array(&mut inner, &name, cell, dims, Access::Read);
            }
        }
        let n = self.rng.u32(1..=3);
        let body = self.block(&mut inner, n);
        (!body.is_empty()).then_some(Stmt::ForEach(names, over, body))
    }

    /// The names of a loop over an array, and what it goes over: sometimes other arrays beside it, its indices, all of it backwards.
    fn beside_elements(
        &mut self,
        scope: &Scope,
        inner: &mut Scope,
        (name, array): (String, Expr),
        sizes: &[i64],
    ) -> (String, Expr) {
        let (mut names, mut over, mut is_single) = (name, array, true);
        if self.one_in(3) {
            let ty = self.scalar_type();
            let beside = self.fresh("e");
            let other = self.array_value(scope, &Cell::Scalar(ty), &sizes[..1], 1);
            inner.vars.push(Var { name: beside.clone(), ty, updatable: false, within: None, below: None });
            let backwards = if self.one_in(3) { Expr::call("reversed", vec![other.clone()]) } else { other };
            (over, names, is_single) = (Expr::call("zip", vec![over, backwards]), format!("{names}, {beside}"), false);
        }
        if self.one_in(3) {
            over = Expr::call("reversed", vec![over]);
        }
        if self.one_in(2) {
            let index = self.fresh("i");
            let start = if self.one_in(3) { self.rng.i64(..4) } else { 0 };
            let within = (sizes[0] > 0).then(|| (start, start + sizes[0] - 1));
            inner.vars.push(Var { name: index.clone(), ty: "i32", updatable: false, within, below: None });
            let elements = if is_single { names } else { format!("({names})") };
            let mut numbered = vec![over];
            if start > 0 {
                let start = Expr::literal(start);
                let by_name = self.rng.bool();
                numbered.push(if by_name { Expr::Named("start".to_owned(), Box::new(start)) } else { start });
            }
            (over, names) = (Expr::call("enumerate", numbered), format!("{index}, {elements}"));
        }
        (names, over)
    }

    /// A loop that makes an array anew from what it was, again and again.
    fn carrying_arrays(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let (cell, sizes) = (self.any_cell(scope), self.fitting_sizes(scope));
        let trips = self.rng.i64(0..=4);
        let runs = scope.runs.saturating_mul(trips.max(1) as u64);
        if runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        let mut names = Vec::new();
        for _ in 0..self.rng.u32(1..=2) {
            let value = self.own_array(scope, &cell, &sizes, 2);
            let name = self.fresh("t");
            let (dims, root) = (self.dims(&name, &sizes), ANY_ROOT.to_owned());
            let access = Access::Free;
            out.push(Stmt::Let(name.clone(), None, value));
            let array =
                Array { name: name.clone(), cell: cell.clone(), dims, root, access, indexes: None, rebindable: true };
            scope.arrays.push(array);
            names.push(name);
        }
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        let index = self.fresh("i");
        let within = Some((0, trips - 1));
        inner.vars.push(Var { name: index.clone(), ty: "i32", updatable: false, within, below: None });
        let next = self.fresh("t");
        self.preferred = Some(ANY_ROOT.to_owned());
        let value = self.own_array(&inner, &cell, &sizes, 3);
        self.preferred = None;
        let mut body = vec![Stmt::Let(next.clone(), None, value)];
        let dims = self.dims(&next, &sizes);
        self.know_array(&mut inner, &next, cell.clone(), dims, Access::Free);
        let n = self.rng.u32(..=2);
        body.extend(self.block(&mut inner, n));
        if !matches!(body.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
            match &names[..] {
                // Two names that change places.
                [a, b] if self.one_in(3) => {
                    let old = self.fresh("t");
                    let swap = vec![
                        Stmt::Let(old.clone(), None, Expr::name(&**a)),
                        Stmt::Set(Expr::name(&**a), None, Expr::name(&**b)),
                        Stmt::Set(Expr::name(&**b), None, Expr::name(&*old)),
                    ];
                    match self.one_in(3) {
                        true => {
                            body.push(Stmt::If("if", self.open_expr(&inner, "bool", 2), swap, Vec::new()));
                        }
                        false => body.extend(swap),
                    }
                }
                // Each stands for what the other did, or a new array does.
                [a, b] if self.rng.bool() => {
                    body.push(Stmt::Set(Expr::name(&**a), None, Expr::name(&**b)));
                    body.push(Stmt::Set(Expr::name(&**b), None, Expr::name(&*next)));
                }
                names => {
                    let name = self.pick(names);
                    let rebound = Stmt::Set(Expr::name(name), None, Expr::name(&*next));
                    body.push(match self.one_in(3) {
                        true => Stmt::If("if", self.open_expr(&inner, "bool", 2), vec![rebound], Vec::new()),
                        false => rebound,
                    });
                }
            }
        }
        Some(Stmt::For("for", index, Range::to(Expr::literal(trips)), body))
    }

    /// A new array, and a loop that stores to each of its elements.
    fn filled(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let (ty, mut sizes) = (self.scalar_type(), self.fitting_sizes(scope));
        sizes.truncate(2);
        let runs = scope.runs * n_elements(&sizes[..1]);
        if scope.runs * n_elements(&sizes) > MAX_RUNS {
            return None;
        }
        let value = self.array_value(scope, &Cell::Scalar(ty), &sizes, 1);
        let value = if is_new(&value) { value } else { Expr::call(ty, vec![value]) };
        let name = self.fresh("t");
        let (dims, root) = (self.dims(&name, &sizes), name.clone());
        let array = Array {
            name: name.clone(),
            cell: Cell::Scalar(ty),
            dims,
            root,
            access: Access::Free,
            indexes: None,
            rebindable: false,
        };
        scope.arrays.push(array.clone());
        out.push(Stmt::Let(name.clone(), None, value));
        let index = self.fresh("i");
        let mut inner = Scope { loops: scope.loops + 1, runs, ..self.inner(scope) };
        let within = (sizes[0] >= 0).then(|| (0, sizes[0] - 1));
        let below = (sizes[0] < 0).then(|| array.dims[0].text.to_string());
        inner.vars.push(Var { name: index.clone(), ty: "i32", updatable: false, within, below });
        let target = Expr::at(&*name, vec![Expr::name(&*index)]);
        self.preferred = Some(name);
        let value = match sizes.len() {
            1 => self.expr(&inner, ty, 3),
            _ => self.array_value(&inner, &Cell::Scalar(ty), &sizes[1..], 2),
        };
        self.preferred = None;
        let n = self.rng.u32(..=1);
        let mut body = self.block(&mut inner, n);
        if !matches!(body.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
            body.push(Stmt::Set(target, None, value));
        }
        Some(Stmt::For("for", index, Range::to(array.dims[0].text.clone()), body))
    }

    fn named_function(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let n = self.rng.usize(1..=2);
        let params: Vec<_> = (0..n).map(|_| self.scalar_type()).collect();
        let result = self.scalar_type();
        let value = self.function_value(scope, &params, result, 2);
        // What is not a lambda has no types of its own.
        let has_types = |value: &Expr| matches!(value, Expr::Lambda(..));
        if !has_types(&value) && !matches!(&value, Expr::Cond(_, a, _) if has_types(a)) {
            return None;
        }
        let name = self.fresh("h");
        scope.functions.push(Func { name: name.clone(), params, result });
        Some(Stmt::Let(name, None, value))
    }

    /// A function, in whose place a branch puts one that keeps an array which the branch makes.
    fn function_of_branch(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        let (ty, sizes) = (self.number_type(), self.fitting_sizes(scope));
        let [size] = sizes[..] else { return None };
        if size <= 0 || scope.runs * 60 > MAX_RUNS {
            return None;
        }
        let lambda = |body: Expr| Expr::Lambda(vec!["x".to_owned()], Box::new(body));
        let typed = |value: Expr| Expr::binary("+", Expr::name("x"), value);
        let first = lambda(typed(self.open_leaf(scope, ty)));
        let condition = self.open_expr(scope, "bool", 2);
        let mut inner = self.inner(scope);
        let name = self.fresh("t");
        let value = self.own_array(scope, &Cell::Scalar(ty), &sizes, 2);
        let dims = self.dims(&name, &sizes);
        self.know_array(&mut inner, &name, Cell::Scalar(ty), dims, Access::Read);
        let at = Expr::literal(self.rng.i64(0..size));
        let kept = lambda(typed(Expr::at(&*name, vec![at])));
        let function = self.fresh("h");
        out.push(Stmt::Let(function.clone(), None, first));
        scope.functions.push(Func { name: function.clone(), params: vec![ty], result: ty });
        let taken = vec![Stmt::Let(name, None, value), Stmt::Set(Expr::name(function), None, kept)];
        Some(Stmt::If("if", condition, taken, Vec::new()))
    }

    /// A function that gives an array of the size that those it takes have.
    pub(super) fn giving_array(&mut self) -> Function {
        let (name, size) = (self.fresh("f"), self.fresh("k"));
        let gives = self.number_type();
        let mut scope = Scope { runs: 20, ..self.scope_of(None) };
        // It gives no scalar, so nothing else returns from it.
        scope.result = None;
        let mut params = Vec::new();
        let mut takes = Vec::new();
        for _ in 0..self.rng.u32(1..=2) {
            let (param, ty) = (self.fresh("a"), self.scalar_type());
            let dims = vec![Dim { text: Expr::name(&*size), value: None, constant: false }];
            let array = Array {
                name: param.clone(),
                cell: Cell::Scalar(ty),
                dims,
                root: ANY_ROOT.to_owned(),
                access: Access::Read,
                indexes: None,
                rebindable: false,
            };
            scope.arrays.push(array);
            params.push(Param { name: param, ty: Some(format!("{ty}[{size}]")), arg: None, default: None });
            takes.push(ArrayParam::Array(ty));
        }
        if self.rng.bool() {
            let (param, ty) = (self.fresh("x"), self.scalar_type());
            scope.vars.push(Var { name: param.clone(), ty, updatable: false, within: None, below: None });
            params.push(Param { name: param, ty: Some(ty.to_owned()), arg: None, default: None });
            takes.push(ArrayParam::Scalar(ty));
        }
        if self.rng.bool() {
            let param = self.fresh("h");
            let n = self.rng.usize(1..=2);
            let of: Vec<_> = (0..n).map(|_| self.scalar_type()).collect();
            let result = if self.rng.bool() { gives } else { self.scalar_type() };
            scope.functions.push(Func { name: param.clone(), params: of.clone(), result });
            params.push(Param { name: param, ty: None, arg: None, default: None });
            takes.push(ArrayParam::Function(of, result));
        }
        let sizes = self.sizes_of(&scope.arrays[0].dims.clone());
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(..3) {
            let made = match self.rng.u32(..4) {
                0 => self.new_array(&mut scope),
                1 => self.filled(&mut scope, &mut body),
                2 => self.carrying_arrays(&mut scope, &mut body),
                _ => self.rebound(&mut scope),
            };
            body.extend(made.filter(|stmt| !returns(stmt)));
        }
        let cell = Cell::Scalar(gives);
        if self.one_in(3) {
            let condition = self.open_expr(&scope, "bool", 2);
            let early = self.array_value(&scope, &cell, &sizes, 2);
            body.push(Stmt::If("if", condition, vec![Stmt::Return(Some(early))], Vec::new()));
        }
        let value = match scope.functions.first().cloned() {
            Some(Func { name, params, result }) if result == gives => {
                let arrays: Vec<_> =
                    params.iter().map(|&ty| self.array_value(&scope, &Cell::Scalar(ty), &sizes, 1)).collect();
                Expr::call("map", std::iter::once(Expr::name(name)).chain(arrays).collect())
            }
            _ => self.array_value(&scope, &cell, &sizes, 3),
        };
        body.push(Stmt::Return(Some(value)));
        self.array_callees.push(ArrayCallee { name: name.clone(), params: takes, gives });
        Function { attrs: Vec::new(), name, params, result: None, body }
    }

    /// Stores something of each array variable to one of the kernel's arrays, so that it matters what is in it.
    pub(super) fn show_arrays(&mut self, scope: &Scope, body: &mut Vec<Stmt>) {
        let is_param = |array: &&Array| array.root == array.name && array.name.starts_with("a_");
        let params: Vec<_> = scope
            .arrays
            .iter()
            .filter(|array| is_param(array) && array.dims.len() == 1 && array.dims[0].value > Some(0))
            .filter(|array| matches!(array.cell, Cell::Scalar(ty) if ty != "bool"))
            .cloned()
            .collect();
        let shown: Vec<_> = scope.arrays.iter().filter(|array| array.name.starts_with("t_")).cloned().collect();
        for array in shown {
            let (Cell::Scalar(ty), true) = (&array.cell, !params.is_empty()) else { continue };
            let to = self.pick(&params);
            let Cell::Scalar(to_ty) = to.cell else { continue };
            let rows =
                (1..array.dims.len()).fold(Expr::name(&*array.name), |rows, _| Expr::call("flatten", vec![rows]));
            let (op, zero) = match *ty {
                "bool" => ("^", Expr::literal(false)),
                ty if is_float(ty) => ("+", Expr::literal("0.0")),
                _ => ("^", Expr::literal(0)),
            };
            if array.dims.len() > 2 {
                continue;
            }
            let value = Expr::call("reduce", vec![Expr::Operator(op), zero, rows]);
            let value = if *ty == to_ty { value } else { self.cast(value, ty, to_ty) };
            let at = self.rng.i64(0..to.dims[0].value.unwrap_or(1));
            body.push(Stmt::Set(Expr::at(&*to.name, vec![Expr::literal(at)]), None, value));
        }
    }
}

/// Whether an expression makes a new array: it is no part of one, nor one of several.
fn is_new(value: &Expr) -> bool {
    match value {
        Expr::Name(_) | Expr::Index(..) | Expr::Cond(..) => false,
        Expr::Call(name, _) => !name.starts_with("f_") && !matches!(&**name, "reduce"),
        _ => true,
    }
}

/// Whether the array that an expression gives may be written to: a new one, or such of which that may be done.
fn is_writable(scope: &Scope, value: &Expr) -> bool {
    let is_free = |array: &Array| array.access == Access::Free && Expr::name(&*array.name) == *value;
    match value {
        Expr::Cond(_, a, b) => is_writable(scope, a) && is_writable(scope, b),
        Expr::Index(base, _) => is_writable(scope, base),
        Expr::Name(_) => scope.arrays.iter().any(is_free),
        value => is_new(value),
    }
}

/// Whether a statement may leave the function.
fn returns(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Return(_) => true,
        Stmt::If(_, _, then_block, else_block) => then_block.iter().chain(else_block).any(returns),
        Stmt::For(.., body) | Stmt::ForEach(.., body) | Stmt::Foreach(.., body) | Stmt::While(.., body) => {
            body.iter().any(returns)
        }
        Stmt::Match(_, cases) => cases.iter().flat_map(|(.., block)| block).any(returns),
        Stmt::Marked(_, inner) => returns(inner),
        _ => false,
    }
}
