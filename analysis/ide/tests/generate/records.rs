//! Structs as values, and several values at once.

use super::expressions::Maker;
use super::scope::{Callee, Cell, Gives, Record, Scope, Takes, Var, is_float};
use super::tree::{Expr, Field, Function, Param, Stmt, Subscript};

impl Maker {
    /// A struct of some kind: a variable, an element, what a function gives, one of two, or one that is made here.
    pub(super) fn record_value(&mut self, scope: &Scope, of: usize, depth: u32) -> Expr {
        let found = match self.rng.u32(..8) {
            6 | 7 if depth > 0 => self.operated(scope, of, depth),
            0 | 1 => {
                let records: Vec<_> = scope.records.iter().filter(|record| record.of == of).cloned().collect();
                (!records.is_empty()).then(|| Expr::name(self.pick(&records).name))
            }
            2 => {
                let arrays: Vec<_> =
                    scope.arrays.iter().filter(|array| array.cell == Cell::Struct(of)).cloned().collect();
                let array = (!arrays.is_empty()).then(|| self.pick(&arrays));
                array.and_then(|array| self.cell(scope, &array))
            }
            // What it takes may be structs that functions give, so there is an end to it.
            3 if depth > 0 => {
                let gives = |callee: &Callee| callee.result == Some(Gives::Record(of));
                self.call_of(scope, &gives, None, (depth - 1).min(1)).map(|(call, _)| call)
            }
            4 if depth > 0 => {
                let condition = self.open_expr(scope, "bool", 1);
                let (a, b) = (self.record_value(scope, of, depth - 1), self.record_value(scope, of, depth - 1));
                Some(Expr::cond(condition, a, b))
            }
            _ => None,
        };
        found.unwrap_or_else(|| self.made(scope, of, depth))
    }

    /// A struct that an operator or a function of numbers makes of others, field by field, if all its fields are numbers.
    fn operated(&mut self, scope: &Scope, of: usize, depth: u32) -> Option<Expr> {
        let fields = self.structs[of].fields.clone();
        let all = |types: &[&str]| fields.iter().all(|(_, ty)| types.contains(ty));
        let (first, floats) = (fields.first()?.1, all(&["f32"]) || all(&["f64"]));
        if !all(&["i32", "u8", "f32", "f64"]) {
            return None;
        }
        let a = self.record_value(scope, of, depth - 1);
        // Integers keep small.
        let op = self.pick(if floats { &["+", "-", "*"] } else { &["+", "-"] });
        match self.rng.u32(..6) {
            0 | 1 => Some(Expr::binary(op, a, self.record_value(scope, of, depth - 1))),
            2 if all(&[first]) => {
                let x = self.open_expr(scope, first, 1);
                Some(if self.rng.bool() { Expr::binary(op, a, x) } else { Expr::binary(op, x, a) })
            }
            3 => Some(Expr::call(self.pick(&["min", "max"]), vec![a, self.record_value(scope, of, depth - 1)])),
            4 if floats => Some(Expr::call("normalize", vec![a])),
            5 if floats => Some(Expr::call("reflect", vec![a, self.record_value(scope, of, depth - 1)])),
            _ => None,
        }
    }

    /// A number that is made of structs: whether two are equal, or a function of vectors.
    pub(super) fn of_records(&mut self, scope: &Scope, ty: &str, depth: u32) -> Option<Expr> {
        let fits = |maker: &Self, of: usize| {
            let fields = &maker.structs[of].fields;
            ty == "bool" && !fields.is_empty() || !fields.is_empty() && fields.iter().all(|(_, own)| *own == ty)
        };
        if ty != "bool" && !is_float(ty) {
            return None;
        }
        let structs: Vec<_> = (0..self.structs.len()).filter(|&of| fits(self, of)).collect();
        let of = (!structs.is_empty()).then(|| self.pick(&structs))?;
        let (a, b) = (self.record_value(scope, of, depth.min(1)), self.record_value(scope, of, depth.min(1)));
        Some(match (ty, self.rng.u32(..3)) {
            ("bool", 0) => Expr::binary("!=", a, b),
            ("bool", _) => Expr::binary("==", a, b),
            (_, 0) => Expr::call("length", vec![a]),
            (_, 1) => Expr::call("distance", vec![a, b]),
            _ => Expr::call("dot", vec![a, b]),
        })
    }

    /// A struct that is made of the values of its fields.
    fn made(&mut self, scope: &Scope, of: usize, depth: u32) -> Expr {
        let of = self.structs[of].clone();
        let value = |maker: &mut Self, field: &Field| match field {
            Field::Scalar(ty) => maker.expr(scope, ty, depth.min(2)),
            Field::Struct(inner, _) => maker.record_value(scope, *inner, depth.saturating_sub(1)),
            Field::Array(ty, sizes) => maker.array_in_record(scope, ty, sizes, depth),
        };
        let n_given = of.written.len() - if self.one_in(3) { self.rng.usize(..=of.defaults.len()) } else { 0 };
        let mut values = of.written[..n_given].iter().map(|(_, field)| value(self, field)).collect();
        if n_given > 0 && self.one_in(3) {
            let names: Vec<_> = of.written[..n_given].iter().map(|(name, _)| (name.clone(), false)).collect();
            values = self.by_names(&names, values);
        }
        Expr::call(of.name, values)
    }

    /// The value of a field that is an array: its cells, one value for all of them, or such a field of a struct.
    fn array_in_record(&mut self, scope: &Scope, ty: &'static str, sizes: &[i64], depth: u32) -> Expr {
        match self.rng.u32(..4) {
            0 => self.open_expr(scope, ty, depth.min(1)),
            1 if let Some(other) = self.array_of_record(scope, ty, sizes) => other,
            _ => self.listed(sizes, &mut |maker| maker.expr(scope, ty, depth.min(1))),
        }
    }

    /// A field of a variable that is an array of these sizes.
    fn array_of_record(&mut self, scope: &Scope, ty: &str, sizes: &[i64]) -> Option<Expr> {
        let mut found = Vec::new();
        for record in &scope.records {
            for (name, field) in &self.structs[record.of].written {
                if matches!(field, Field::Array(own, dims) if *own == ty && dims == sizes) {
                    found.push(Expr::name(&*record.name).field(name));
                }
            }
        }
        (!found.is_empty()).then(|| self.pick(&found))
    }

    /// Gives a field that is a struct or an array a new value, or a row of an array, if there is such a field.
    pub(super) fn set_inner(&mut self, scope: &Scope, of: usize, place: &Expr) -> Option<Stmt> {
        let inner: Vec<_> =
            self.structs[of].written.iter().filter(|(_, field)| !matches!(field, Field::Scalar(_))).cloned().collect();
        let (name, field) = (!inner.is_empty()).then(|| self.pick(&inner))?;
        let place = place.clone().field(name);
        Some(match field {
            Field::Struct(of, _) => Stmt::Set(place, None, self.record_value(scope, of, 1)),
            Field::Array(ty, sizes) if is_float(ty) && self.one_in(3) => {
                let op = self.pick(&["+", "-", "*"]);
                Stmt::Set(place, Some(op), self.array_in_record(scope, ty, &sizes, 1))
            }
            Field::Array(ty, sizes) if sizes.len() > 1 && self.rng.bool() => {
                let row = self.index_in_record(scope, sizes[0]);
                let place = Expr::Index(Box::new(place), vec![Subscript::At(row)]);
                Stmt::Set(place, None, self.array_in_record(scope, ty, &sizes[1..], 1))
            }
            Field::Array(ty, sizes) => Stmt::Set(place, None, self.array_in_record(scope, ty, &sizes, 1)),
            Field::Scalar(_) => return None,
        })
    }

    /// A subscript of an array in a struct, which is nearly always in range. It is made of variables alone: an open
    /// expression could hold such a subscript again, and so on without an end.
    fn index_in_record(&mut self, scope: &Scope, size: i64) -> Expr {
        let Some(mut index) = self.variable(scope, "i32") else { return Expr::literal(self.rng.i64(0..size)) };
        if self.one_in(3) {
            let other = self.variable(scope, "i32").filter(|_| self.rng.bool());
            index = Expr::binary("^", index, other.unwrap_or_else(|| Expr::literal(self.rng.i64(1..8))));
        }
        match size {
            _ if self.one_in(40) => index,
            2 | 4 => Expr::binary("&", index, Expr::literal(size - 1)),
            size => Expr::literal(self.rng.i64(0..size)),
        }
    }

    /// The way to a scalar of a struct, in which the subscripts of an array may be ones that are computed.
    pub(super) fn way(&mut self, scope: &Scope, path: String) -> String {
        let Some((before, at)) = path.split_once('[').filter(|_| self.rng.bool()) else { return path };
        let Some((at, behind)) = at.split_once(']') else { return path.clone() };
        // Each array has at least two cells along each dimension.
        let subscripts: Vec<_> = at.split(", ").map(|_| self.index_in_record(scope, 2).to_string()).collect();
        format!("{before}[{}]{behind}", subscripts.join(", "))
    }

    /// A number that is made of an array in a struct.
    pub(super) fn of_array_in_record(&mut self, scope: &Scope, ty: &str) -> Option<Expr> {
        let sizes = self.pick(&[vec![2], vec![4], vec![3]]);
        let array = self.array_of_record(scope, ty, &sizes)?;
        let name = self.pick(&["sum", "minimum", "maximum"]);
        Some(if is_float(ty) || name != "sum" { Expr::call(name, vec![array]) } else { return None })
    }

    /// The operator of an assignment to a struct, if it has one: those of floats alone do not fail.
    pub(super) fn update_of_record(&mut self, of: usize) -> Option<&'static str> {
        let floats = self.structs[of].fields.iter().all(|(_, ty)| matches!(*ty, "f32" | "f64"));
        let has_fields = !self.structs[of].fields.is_empty();
        (floats && has_fields && self.rng.bool()).then(|| self.pick(&["+", "-", "*", "/"]))
    }

    // Several values.

    /// Several variables that are defined or changed at once.
    pub(super) fn several(&mut self, scope: &mut Scope) -> Option<Stmt> {
        match self.rng.u32(..4) {
            0 => {
                let several = |callee: &Callee| matches!(callee.result, Some(Gives::Several(_)));
                let (call, gives) = self.call_of(scope, &several, None, 2)?;
                let Some(Gives::Several(types)) = gives else { return None };
                let names = types.into_iter().map(|ty| self.named(scope, ty, false)).collect();
                Some(Stmt::LetAll(names, vec![call]))
            }
            1 => {
                let types: Vec<_> = (0..self.rng.u32(2..=3)).map(|_| self.scalar_type()).collect();
                let values: Vec<_> = types.iter().map(|ty| self.expr(scope, ty, 2)).collect();
                let names = types.into_iter().map(|ty| self.named(scope, ty, true)).collect();
                let values = if self.one_in(4) { vec![Expr::Tuple(values)] } else { values };
                Some(Stmt::LetAll(names, values))
            }
            _ => {
                let mut places = self.places(scope);
                let mut targets = Vec::new();
                for _ in 0..self.rng.u32(2..=3) {
                    if !places.is_empty() {
                        targets.push(places.swap_remove(self.rng.usize(..places.len())));
                    }
                }
                if targets.len() < 2 {
                    return None;
                }
                let own: Vec<_> = targets.clone();
                let value = |maker: &mut Self, (n, (place, ty)): (usize, &(Expr, &'static str))| {
                    // Most of it is that they change places.
                    let (other, other_type) = &own[(n + 1) % own.len()];
                    match maker.rng.u32(..3) {
                        0 => maker.expr(scope, ty, 2),
                        _ if other_type == ty => other.clone(),
                        _ => place.clone(),
                    }
                };
                let values = targets.iter().enumerate().map(|it| value(self, it)).collect();
                Some(Stmt::SetAll(targets.into_iter().map(|(place, _)| place).collect(), values))
            }
        }
    }

    /// A new variable; one whose value is a literal has its type written.
    fn named(&mut self, scope: &mut Scope, ty: &'static str, typed: bool) -> (String, Option<&'static str>) {
        let name = self.fresh("v");
        scope.vars.push(Var { name: name.clone(), ty, updatable: true, within: None, below: None });
        (name, (typed || self.rng.bool()).then_some(ty))
    }

    /// The places that may be assigned to here, with their types.
    fn places(&mut self, scope: &Scope) -> Vec<(Expr, &'static str)> {
        let vars = scope.vars.iter().filter(|var| var.updatable);
        let mut places: Vec<_> = vars.map(|var| (Expr::name(&*var.name), var.ty)).collect();
        for record in scope.records.iter().filter(|record| record.updatable) {
            let fields = &self.structs[record.of].fields;
            places.extend(fields.iter().map(|(path, ty)| (Expr::name(&*record.name).field(path), *ty)));
        }
        let arrays: Vec<_> = scope.arrays.iter().filter(|array| Self::writable(array)).cloned().collect();
        for array in arrays {
            let Some(cell) = self.cell(scope, &array) else { continue };
            match array.cell {
                Cell::Scalar(ty) => places.push((cell, ty)),
                Cell::Struct(of) => {
                    let (path, ty) = self.structs[of].fields[0].clone();
                    places.push((cell.field(path), ty));
                }
            }
        }
        places
    }

    // Functions.

    /// Parameters that are scalars and structs.
    fn mixed_params(&mut self, scope: &mut Scope) -> (Vec<Param>, Vec<Takes>) {
        let (mut params, mut takes) = (Vec::new(), Vec::new());
        for _ in 0..self.rng.u32(1..=3) {
            if !self.structs.is_empty() && self.rng.bool() {
                let (name, of) = (self.fresh("p"), self.rng.usize(..self.structs.len()));
                scope.records.push(Record { name: name.clone(), of, updatable: false });
                takes.push(Takes::Record(of));
                params.push(Param { name, ty: Some(self.structs[of].name.clone()), arg: None, default: None });
            } else {
                let (name, ty) = (self.fresh("x"), self.scalar_type());
                scope.vars.push(Var { name: name.clone(), ty, updatable: false, within: None, below: None });
                takes.push(Takes::Scalar(ty));
                params.push(Param { name, ty: Some(ty.to_owned()), arg: None, default: None });
            }
        }
        (params, takes)
    }

    /// A function that gives a struct, in one of several ways.
    pub(super) fn record_function(&mut self) -> Function {
        let of = self.rng.usize(..self.structs.len());
        self.giving(Gives::Record(of), &mut |maker, scope| maker.record_value(scope, of, 2))
    }

    /// A function that gives several values.
    pub(super) fn several_function(&mut self) -> Function {
        let types: Vec<_> = (0..self.rng.u32(2..=3)).map(|_| self.scalar_type()).collect();
        self.giving(Gives::Several(types.clone()), &mut |maker, scope| {
            // What is a literal has the type of what it joins.
            Expr::Tuple(types.iter().map(|&ty| Expr::call(ty, vec![maker.open_expr(scope, ty, 2)])).collect())
        })
    }

    fn giving(&mut self, gives: Gives, value: &mut dyn FnMut(&mut Self, &Scope) -> Expr) -> Function {
        let name = self.fresh("f");
        let mut scope = Scope { runs: 20, ..self.scope_of(None) };
        let (params, takes) = self.mixed_params(&mut scope);
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(..3) {
            let made = match self.rng.u32(..3) {
                0 => self.record(&mut scope),
                1 => self.several(&mut scope),
                _ => self.definition(&mut scope),
            };
            body.extend(made);
        }
        if self.rng.bool() {
            let condition = self.open_expr(&scope, "bool", 2);
            let early = Stmt::Return(Some(value(self, &scope)));
            body.push(Stmt::If("if", condition, vec![early], Vec::new()));
        }
        body.push(Stmt::Return(Some(value(self, &scope))));
        self.callees.push(Callee {
            names: Vec::new(),
            name: name.clone(),
            params: takes,
            result: Some(gives),
            cost: 20,
            in_lanes: false,
            has_foreach: false,
        });
        Function { attrs: Vec::new(), name, params, result: None, body }
    }
}
