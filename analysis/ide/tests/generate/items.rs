//! Items: structs, constants, functions, and the kernel with its arguments.

use fastrand::Rng;
use hir::eval::ArgValue;
use ir::Scalar;

use super::data::{self, Mood};
use super::expressions::Maker;
use super::scope::{Access, Array, Callee, Cell, Dim, Foreach, Gives, Record, Scope, Takes, Var, is_float};
use super::tree::{Constant, Expr, Field, Function, Param, Range, Stmt, Struct, TABLE, Tree};

/// The tree of a seed.
pub(super) fn tree(seed: u64, arrays: u32) -> Tree {
    let rng = Rng::with_seed(seed);
    let mut maker = Maker {
        rng,
        mood: Mood::Calm,
        structs: Vec::new(),
        enums: Vec::new(),
        has_enum_functions: false,
        constants: Vec::new(),
        callees: Vec::new(),
        choices: 0,
        calls_foreach: false,
        n_names: 0,
        arrays,
        array_callees: Vec::new(),
        unknown_sizes: Vec::new(),
        preferred: None,
        favourites: Vec::new(),
    };
    maker.favourites = vec![maker.number_type(), maker.number_type()];
    if maker.one_in(6) {
        maker.mood = Mood::Wild;
    }
    maker.tree()
}

/// The two sizes that arrays are made of.
struct Sizes {
    n: i64,
    m: i64,
}

impl Maker {
    fn tree(&mut self) -> Tree {
        for _ in 0..self.rng.u32(..4) {
            let made = self.struct_();
            self.structs.push(made);
        }
        for _ in 0..self.rng.u32(..3) {
            let made = self.enum_();
            self.enums.push(made);
        }
        let of_enums: Vec<_> = (0..self.enums.len()).map(|of| self.function_of_enum(of)).collect();
        self.has_enum_functions = true;
        let mut constants: Vec<_> = (0..self.rng.u32(..3)).map(|_| self.constant()).collect();
        let mut functions: Vec<_> = (0..self.rng.u32(..4)).map(|_| self.function()).collect();
        if self.arrays > 0 {
            functions.extend((0..self.rng.u32(..3)).map(|_| self.giving_array()));
        }
        let mut kernel = self.kernel(&mut constants);
        if self.one_in(8) {
            self.overlap(&mut kernel);
        }
        functions.splice(..0, of_enums);
        let enums = self.enums.clone();
        let mut tree = Tree { structs: self.structs.clone(), enums, constants, functions, kernel };
        if self.one_in(4) {
            self.leave_out_types(&mut tree);
        }
        tree
    }

    fn struct_(&mut self) -> Struct {
        let name = self.fresh("S");
        let (mut written, mut fields) = (Vec::new(), Vec::new());
        for n in 0..self.rng.u32(1..=4) {
            let field = format!("f{n}");
            // Those before it: none holds itself.
            if !self.structs.is_empty() && self.one_in(4) {
                let inner = self.rng.usize(..self.structs.len());
                let of = &self.structs[inner];
                fields.extend(of.fields.iter().map(|(path, ty)| (format!("{field}.{path}"), *ty)));
                written.push((field, Field::Struct(inner, of.name.clone())));
            } else if self.one_in(4) {
                let (ty, sizes) = (self.scalar_type(), self.pick(&[vec![2], vec![4], vec![3], vec![2, 2]]));
                let cells = cells_of(&sizes).into_iter().map(|at| (format!("{field}[{at}]"), ty));
                fields.extend(cells);
                written.push((field, Field::Array(ty, sizes)));
            } else {
                let ty = self.scalar_type();
                fields.push((field.clone(), ty));
                written.push((field, Field::Scalar(ty)));
            }
        }
        let mut defaults = Vec::new();
        for (_, field) in written.iter().rev() {
            let (ty, sizes) = match field {
                Field::Scalar(ty) => (ty, &[][..]),
                Field::Array(ty, sizes) if self.rng.bool() => (ty, &sizes[..]),
                // One value is that of all cells.
                Field::Array(ty, _) => (ty, &[][..]),
                Field::Struct(..) => break,
            };
            if self.rng.bool() {
                break;
            }
            let default = self.listed(sizes, &mut |maker| maker.literal(ty));
            defaults.insert(0, default);
        }
        Struct { name, written, fields, defaults }
    }

    /// An array that is written down cell by cell; without sizes, a value.
    pub(super) fn listed(&mut self, sizes: &[i64], value: &mut dyn FnMut(&mut Self) -> Expr) -> Expr {
        match sizes {
            [] => value(self),
            [size, inner @ ..] => Expr::List((0..*size).map(|_| self.listed(inner, value)).collect()),
        }
    }

    fn constant(&mut self) -> Constant {
        let (name, ty) = (self.fresh("C"), self.scalar_type());
        self.constants.push((name.clone(), ty));
        Constant { name, ty, sizes: Vec::new(), value: self.literal(ty) }
    }

    /// A constant array, which the kernel may read.
    fn table(&mut self, scope: &mut Scope) -> Constant {
        let (name, ty) = (self.fresh(TABLE), self.scalar_type());
        let sizes: Vec<_> = (0..self.pick(&[1, 1, 2])).map(|_| self.rng.i64(1..=6)).collect();
        let value = match self.rng.u32(..4) {
            0 => self.literal(ty),
            1 => {
                let elements = self.cells_of(ty, &sizes);
                Expr::call("map", vec![Expr::Lambda(vec!["x".to_owned()], Box::new(Expr::name("x"))), elements])
            }
            _ => self.cells_of(ty, &sizes),
        };
        scope.arrays.push(Array {
            name: name.clone(),
            cell: Cell::Scalar(ty),
            dims: sizes.iter().map(|&size| Dim { constant: false, ..Dim::constant(size) }).collect(),
            root: name.clone(),
            access: Access::Read,
            indexes: None,
            rebindable: false,
        });
        Constant { name, ty, sizes, value }
    }

    /// An array that is written down.
    fn cells_of(&mut self, ty: &'static str, sizes: &[i64]) -> Expr {
        let Some((&size, inner)) = sizes.split_first() else { return self.literal(ty) };
        Expr::List((0..size).map(|_| self.cells_of(ty, inner)).collect())
    }

    // Functions.

    fn function(&mut self) -> Function {
        self.calls_foreach = false;
        let mut function = match self.rng.u32(..10) {
            7 if !self.structs.is_empty() => self.record_function(),
            7 | 8 => self.several_function(),
            0 | 1 => self.generic_function(),
            2 => self.array_function(false),
            3 => self.array_function(true),
            4 if self.rng.bool() => self.lane_function(),
            5 => self.foreach_function(),
            9 => self.constant_function(),
            _ => self.scalar_function(),
        };
        if let Some(callee) = self.callees.last_mut() {
            callee.has_foreach |= self.calls_foreach;
        }
        if self.one_in(6) {
            self.add_unread(&mut function);
        }
        function
    }

    /// Gives the latest function a parameter that it has no use for, in front of those that it has.
    fn add_unread(&mut self, function: &mut Function) {
        let name = format!("_{}", self.fresh("u"));
        if let Some(callee) = self.callees.last_mut().filter(|callee| callee.name == function.name) {
            callee.params.insert(0, Takes::Anything);
            callee.names.clear();
            function.params.insert(0, Param { name, ty: None, arg: None, default: None });
        }
    }

    /// How many lanes run together: also such numbers as no register has.
    pub(super) fn lanes(&mut self) -> u32 {
        self.pick(&[1, 2, 3, 4, 4, 5, 7, 8, 8, 11, 16, 33, 64])
    }

    pub(super) fn scope_of(&self, result: Option<&'static str>) -> Scope {
        Scope { result, in_function: true, runs: 1, ..Scope::default() }
    }

    /// A function of scalars, with statements and early returns.
    fn scalar_function(&mut self) -> Function {
        let (name, result) = (self.fresh("f"), self.scalar_type());
        let mut scope = self.scope_of(Some(result));
        let mut params = Vec::new();
        let mut takes = Vec::new();
        let mut names = Vec::new();
        for _ in 0..self.rng.u32(1..=3) {
            let (param, ty) = (self.fresh("x"), self.scalar_type());
            scope.vars.push(Var { name: param.clone(), ty, updatable: true, within: None, below: None });
            takes.push(Takes::Scalar(ty));
            let default = self.one_in(3).then(|| self.literal(ty));
            names.push((param.clone(), default.is_some()));
            params.push(Param { name: param, ty: Some(ty.to_owned()), arg: None, default });
        }
        let n = self.rng.u32(..4);
        let mut body = self.block(&mut scope, n);
        body.push(Stmt::Return(Some(self.expr(&scope, result, 3))));
        let gives = Some(Gives::Scalar(result));
        self.callees.push(Callee {
            name: name.clone(),
            params: takes,
            result: gives,
            cost: if body.iter().any(has_loop) { 400 } else { 60 },
            in_lanes: false,
            has_foreach: false,
            names,
        });
        Function { attrs: Vec::new(), name, params, result: self.rng.bool().then_some(result), body }
    }

    /// A function of numbers of any one type.
    fn generic_function(&mut self) -> Function {
        let name = self.fresh("g");
        let params: Vec<_> = (0..self.rng.u32(1..=3)).map(|_| self.fresh("x")).collect();
        let mut body = Vec::new();
        if self.rng.bool() {
            let condition = self.generic_comparison(&params);
            let value = self.generic(&params, 1);
            body.push(Stmt::If("if", condition, vec![Stmt::Return(Some(value))], Vec::new()));
        }
        // Every parameter has its say, so that all have one type.
        let all = params.iter().map(Expr::name).reduce(|a, b| Expr::call("max", vec![a, b]));
        let value = self.generic(&params, 2);
        body.push(Stmt::Return(Some(Expr::call("min", vec![value, all.unwrap_or(Expr::literal(1))]))));
        let takes = vec![Takes::Generic; params.len()];
        let gives = Some(Gives::Generic);
        self.callees.push(Callee {
            name: name.clone(),
            params: takes,
            result: gives,
            cost: 3,
            in_lanes: false,
            has_foreach: false,
            names: Vec::new(),
        });
        let params = params.into_iter().map(|name| Param { name, ty: None, arg: None, default: None }).collect();
        Function { attrs: Vec::new(), name, params, result: None, body }
    }

    fn generic_comparison(&mut self, params: &[String]) -> Expr {
        let op = self.pick(&["<", ">", "==", ">="]);
        let a = Expr::name(self.pick(params));
        Expr::binary(op, a, self.generic(params, 1))
    }

    fn generic(&mut self, params: &[String], depth: u32) -> Expr {
        let leaf = Expr::name(self.pick(params));
        if depth == 0 {
            return if self.one_in(3) { Expr::literal(self.rng.i32(0..=9)) } else { leaf };
        }
        let other = self.generic(params, depth - 1);
        match self.rng.u32(..6) {
            0 => Expr::binary("+", leaf, other),
            1 => Expr::binary("-", leaf, other),
            2 => Expr::call("max", vec![leaf, other]),
            3 => Expr::call("clamp", vec![leaf, Expr::literal(0), Expr::literal(9)]),
            4 => Expr::cond(self.generic_comparison(params), leaf, other),
            _ => Expr::binary("/", leaf, Expr::literal(self.rng.i32(1..=4))),
        }
    }

    /// A function that goes through an array, and reads or writes it.
    fn array_function(&mut self, writes: bool) -> Function {
        let (name, array, size) = (self.fresh("f"), self.fresh("a"), self.fresh("k"));
        let (element, other) = (self.number_type(), self.scalar_type());
        let result = (!writes).then_some(element);
        let mut scope = self.scope_of(result);
        let dim = Dim { text: Expr::name(&*size), value: None, constant: false };
        let access = if writes { Access::Free } else { Access::Read };
        let view = Array {
            name: array.clone(),
            cell: Cell::Scalar(element),
            dims: vec![dim],
            root: array.clone(),
            access,
            indexes: None,
            rebindable: false,
        };
        scope.arrays.push(view);
        let param = self.fresh("x");
        scope.vars.push(Var { name: param.clone(), ty: other, updatable: true, within: None, below: None });
        let mut body = Vec::new();
        let sum = self.fresh("v");
        if !writes {
            scope.vars.push(Var { name: sum.clone(), ty: element, updatable: true, within: None, below: None });
            body.push(Stmt::Let(sum.clone(), Some(element), Expr::literal(0)));
        }
        let index = self.fresh("i");
        let mut inner = Scope { loops: 1, depth: 1, runs: 8, ..scope.clone() };
        let below = Some(size.clone());
        inner.vars.push(Var { name: index.clone(), ty: "i32", updatable: false, within: None, below });
        let n = self.rng.u32(..3);
        let mut turn = self.block(&mut inner, n);
        if !matches!(turn.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
            let cell = Expr::at(&*array, vec![Expr::name(&*index)]);
            turn.push(match writes {
                true => Stmt::Set(cell, None, self.expr(&inner, element, 2)),
                false if is_float(element) || self.rng.bool() => Stmt::Set(Expr::name(&*sum), Some("+"), cell),
                false => Stmt::Set(Expr::name(&*sum), None, Expr::call("max", vec![Expr::name(&*sum), cell])),
            });
        }
        let turns = Stmt::For("for", index, Range::to(Expr::name(&*size)), turn);
        body.push(if self.one_in(3) { turns.marked("@reassoc") } else { turns });
        body.extend((!writes).then(|| Stmt::Return(Some(Expr::name(sum)))));
        let takes = vec![Takes::Array(element, writes), Takes::Scalar(other)];
        let gives = result.map(Gives::Scalar);
        self.callees.push(Callee {
            name: name.clone(),
            params: takes,
            result: gives,
            cost: 200,
            in_lanes: false,
            has_foreach: false,
            names: Vec::new(),
        });
        let params = vec![
            Param { name: array, ty: Some(format!("{element}[{size}]")), arg: None, default: None },
            Param { name: param, ty: Some(other.to_owned()), arg: None, default: None },
        ];
        Function { attrs: Vec::new(), name, params, result, body }
    }

    /// A function whose iterations are independent, each with an element of an array.
    fn foreach_function(&mut self) -> Function {
        let (name, array, size) = (self.fresh("f"), self.fresh("a"), self.fresh("k"));
        let (index, param) = (self.fresh("i"), self.fresh("x"));
        let (element, other) = (self.number_type(), self.scalar_type());
        let mut scope = self.scope_of(None);
        scope.arrays.push(Array {
            name: array.clone(),
            cell: Cell::Scalar(element),
            dims: vec![Dim { text: Expr::name(&*size), value: None, constant: false }],
            root: array.clone(),
            access: Access::Own(vec![Expr::name(&*index)]),
            indexes: None,
            rebindable: false,
        });
        let below = Some(size.clone());
        scope.vars.push(Var { name: param.clone(), ty: other, updatable: false, within: None, below: None });
        scope.vars.push(Var { name: index.clone(), ty: "i32", updatable: false, within: None, below });
        let in_lanes = self.rng.bool();
        scope.foreach = Some(Foreach { in_lanes, in_each_lane: false, all_on: true, groups: None });
        let mut inner = Scope { depth: 1, runs: 8, ..scope };
        let n = self.rng.u32(..4);
        let mut turn = self.block(&mut inner, n);
        if !matches!(turn.last(), Some(Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
            let cell = Expr::at(&*array, vec![Expr::name(&*index)]);
            turn.push(Stmt::Set(cell, None, self.expr(&inner, element, 3)));
        }
        let lanes = self.rng.bool().then(|| self.lanes());
        let attrs = if self.one_in(4) { vec![format!("@lanes({})", self.lanes())] } else { Vec::new() };
        let attrs = if self.one_in(8) { [attrs, vec!["@stream".to_owned()]].concat() } else { attrs };
        let body = vec![Stmt::Foreach(lanes, vec![(index, Range::to(Expr::name(&*size)))], turn)];
        let takes = vec![Takes::Array(element, true), Takes::Scalar(other)];
        let callee = Callee {
            name: name.clone(),
            params: takes,
            result: None,
            cost: 200,
            in_lanes: false,
            has_foreach: true,
            names: Vec::new(),
        };
        self.callees.push(callee);
        let params = vec![
            Param { name: array, ty: Some(format!("{element}[{size}]")), arg: None, default: None },
            Param { name: param, ty: Some(other.to_owned()), arg: None, default: None },
        ];
        Function { attrs, name, params, result: None, body }
    }

    /// A function that sees other lanes.
    fn lane_function(&mut self) -> Function {
        let (name, param, ty) = (self.fresh("f"), self.fresh("x"), self.number_type());
        let mut scope = self.scope_of(Some(ty));
        scope.vars.push(Var { name: param.clone(), ty, updatable: false, within: None, below: None });
        scope.foreach = Some(Foreach { in_lanes: true, in_each_lane: false, all_on: false, groups: None });
        let condition = self.open_expr(&scope, "bool", 2);
        let early = Expr::call("reduce_max", vec![Expr::name(&*param)]);
        let body = vec![
            Stmt::If("if", condition, vec![Stmt::Return(Some(early))], Vec::new()),
            Stmt::Return(Some(self.expr(&scope, ty, 2))),
        ];
        let takes = vec![Takes::Scalar(ty)];
        let gives = Some(Gives::Scalar(ty));
        self.callees.push(Callee {
            name: name.clone(),
            params: takes,
            result: gives,
            cost: 3,
            in_lanes: true,
            has_foreach: false,
            names: Vec::new(),
        });
        let params = vec![Param { name: param, ty: Some(ty.to_owned()), arg: None, default: None }];
        Function { attrs: Vec::new(), name, params, result: Some(ty), body }
    }

    // The kernel.

    fn kernel(&mut self, constants: &mut Vec<Constant>) -> Function {
        let sizes =
            Sizes { n: self.pick(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 18, 20]), m: self.rng.i64(1..=5) };
        let result = self.one_in(3).then(|| self.scalar_type());
        let mut scope = Scope { result, runs: 1, ..Scope::default() };
        if self.one_in(3) {
            constants.push(self.table(&mut scope));
        }
        let mut params = Vec::new();
        for _ in 0..self.rng.u32(2..=5) {
            params.push(self.array(&mut scope, &sizes));
        }
        if self.rng.bool() {
            params.push(self.subscripts(&mut scope, &sizes));
        }
        if self.one_in(3) {
            params.extend(self.record_param(&mut scope));
        }
        for _ in 0..self.rng.u32(..3) {
            let (name, ty) = (self.fresh("x"), self.scalar_type());
            let value = data::scalar(&mut self.rng, ty, self.mood);
            params.push(Param {
                name: name.clone(),
                ty: Some(ty.to_owned()),
                arg: Some(ArgValue::Scalar(value)),
                default: None,
            });
            scope.vars.push(Var { name, ty, updatable: false, within: None, below: None });
        }
        for (name, value) in [("n", sizes.n), ("m", sizes.m)] {
            let arg = Some(ArgValue::Scalar(Scalar::I32(value as i32)));
            params.push(Param { name: name.to_owned(), ty: Some("i32".to_owned()), arg, default: None });
            let within = Some((value, value));
            scope.vars.push(Var { name: name.to_owned(), ty: "i32", updatable: false, within, below: None });
        }
        let n = self.rng.u32(2..=7);
        let mut body = self.block(&mut scope, n);
        if self.arrays > 0 {
            self.show_arrays(&scope, &mut body);
        }
        body.extend(result.map(|ty| Stmt::Return(Some(self.expr(&scope, ty, 3)))));
        let result = if self.rng.bool() { result } else { None };
        let attrs = if self.one_in(8) { vec![format!("@lanes({})", self.lanes())] } else { Vec::new() };
        let attrs = if self.one_in(8) { [attrs, vec!["@stream".to_owned()]].concat() } else { attrs };
        Function { attrs, name: "k".to_owned(), params, result, body }
    }

    fn dim(&mut self, sizes: &Sizes) -> Dim {
        let (n, m) = (Expr::name("n"), Expr::name("m"));
        let (text, value) = match self.rng.u32(..10) {
            0..=4 => (n, sizes.n),
            5 => (m, sizes.m),
            6 => {
                let times = self.pick(&[2, 2, 2, 3, 4, 8]);
                (Expr::binary("*", Expr::literal(times), n), times * sizes.n)
            }
            7 => (Expr::binary("+", n, Expr::literal(1)), sizes.n + 1),
            8 => (Expr::binary("*", n, m), sizes.n * sizes.m),
            9 if self.rng.bool() => match self.rng.u32(..3) {
                0 => (Expr::binary("/", n, Expr::literal(2)), sizes.n / 2),
                1 => (Expr::binary("//", n, m), sizes.n / sizes.m),
                _ => (Expr::binary("%", n, Expr::literal(3)), sizes.n % 3),
            },
            _ => {
                let size = self.rng.i64(1..=9);
                return Dim::constant(self.pick(&[size, size, 16, 37]));
            }
        };
        Dim { text, value: Some(value), constant: false }
    }

    fn array(&mut self, scope: &mut Scope, sizes: &Sizes) -> Param {
        let name = self.fresh("a");
        let rank = if self.one_in(4) { 2 } else { 1 } + usize::from(self.arrays > 0 && self.one_in(6));
        let dims: Vec<_> = (0..rank).map(|_| self.dim(sizes)).collect();
        let numbers: Vec<_> = dims.iter().filter_map(|dim| dim.value).collect();
        let of = (!self.structs.is_empty() && self.one_in(4)).then(|| self.rng.usize(..self.structs.len()));
        let (cell, fields, written) = match of {
            Some(of) => {
                let fields: Vec<_> = self.structs[of].fields.iter().map(|(_, ty)| *ty).collect();
                (Cell::Struct(of), fields, self.structs[of].name.clone())
            }
            None => {
                let ty = self.scalar_type();
                (Cell::Scalar(ty), vec![ty], ty.to_owned())
            }
        };
        let mood = if self.one_in(5) { Mood::Wild } else { self.mood };
        let array = data::array(&mut self.rng, &fields, of.is_some(), &numbers, mood);
        let texts: Vec<_> = dims.iter().map(|dim| dim.text.to_string()).collect();
        let root = name.clone();
        scope.arrays.push(Array {
            name: name.clone(),
            cell,
            dims,
            root,
            access: Access::Free,
            indexes: None,
            rebindable: false,
        });
        Param {
            name,
            ty: Some(format!("{written}[{}]", texts.join(", "))),
            arg: Some(ArgValue::Array(array)),
            default: None,
        }
    }

    /// A single struct.
    fn record_param(&mut self, scope: &mut Scope) -> Option<Param> {
        let of = (!self.structs.is_empty()).then(|| self.rng.usize(..self.structs.len()))?;
        let name = self.fresh("r");
        let fields: Vec<_> = self.structs[of].fields.iter().map(|(_, ty)| *ty).collect();
        let array = data::array(&mut self.rng, &fields, true, &[1], self.mood);
        scope.records.push(Record { name: name.clone(), of, updatable: false });
        let ty = Some(self.structs[of].name.clone());
        Some(Param { name, ty, arg: Some(ArgValue::Array(array)), default: None })
    }

    /// An array that holds subscripts of others.
    fn subscripts(&mut self, scope: &mut Scope, sizes: &Sizes) -> Param {
        let (name, dim) = (self.fresh("b"), self.dim(sizes));
        let ty = self.pick(&["i32", "i32", "i64", "u8", "u32", "i16"]);
        let below = scope.arrays.iter().filter_map(|array| array.dims[0].value).filter(|&size| size > 0).min();
        let below = below.unwrap_or(1);
        let array = data::subscripts(&mut self.rng, ty, dim.value.unwrap_or(0), below);
        let written = format!("{ty}[{}]", dim.text);
        let view = Array {
            name: name.clone(),
            cell: Cell::Scalar(ty),
            dims: vec![dim],
            root: name.clone(),
            access: Access::Read,
            indexes: Some(below),
            rebindable: false,
        };
        scope.arrays.push(view);
        Param { name, ty: Some(written), arg: Some(ArgValue::Array(array)), default: None }
    }
}

/// Whether a statement has a loop in it.
fn has_loop(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For(..) | Stmt::ForEach(..) | Stmt::Marked(..) | Stmt::Foreach(..) | Stmt::While(..) => true,
        Stmt::If(_, _, then_block, else_block) => then_block.iter().chain(else_block).any(has_loop),
        Stmt::Match(_, cases) => cases.iter().flat_map(|(.., block)| block).any(has_loop),
        _ => false,
    }
}

/// The subscripts of all cells of an array, row after row.
fn cells_of(sizes: &[i64]) -> Vec<String> {
    match sizes {
        [] => Vec::new(),
        [size] => (0..*size).map(|at| at.to_string()).collect(),
        [size, inner @ ..] => {
            let rows = |at: i64| cells_of(inner).into_iter().map(move |rest| format!("{at}, {rest}"));
            (0..*size).flat_map(rows).collect()
        }
    }
}
