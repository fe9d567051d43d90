//! Expressions of a type that is asked for.

use fastrand::Rng;

use super::data::{Mood, pick};
use super::scope::{
    Access, Array, Callee, Cell, Dim, Gives, SCALARS, Scope, Takes, bits, greatest, is_float, is_integer, is_signed,
};
use super::tree::{Expr, Struct, Subscript, is_static};

/// About how many statements a run may take at most.
const MAX_COST: u64 = 20_000;

/// Makes a program.
pub(super) struct Maker {
    pub(super) rng: Rng,
    pub(super) mood: Mood,
    pub(super) structs: Vec<Struct>,
    /// Names and types.
    pub(super) enums: Vec<super::tree::Enum>,
    /// There is a function for each enum.
    pub(super) has_enum_functions: bool,
    pub(super) constants: Vec<(String, &'static str)>,
    pub(super) callees: Vec<Callee>,
    /// How many `a if c else b` and the like are around, whose sides only some lanes evaluate.
    pub(super) choices: u32,
    /// What has a `foreach` was called in the function that is being made.
    pub(super) calls_foreach: bool,
    pub(super) n_names: u32,
    /// How many of a hundred statements are about whole arrays.
    pub(super) arrays: u32,
    /// Functions that take and give arrays.
    pub(super) array_callees: Vec<super::arrays::ArrayCallee>,
    /// The names of sizes whose values are not known.
    pub(super) unknown_sizes: Vec<String>,
    /// The array that a value is to be made of where that can be.
    pub(super) preferred: Option<String>,
    /// The types that this program has most of its numbers of.
    pub(super) favourites: Vec<&'static str>,
}

/// Functions that the prelude has a text of for each float type, with the number of their operands; 0 stands for a float and an `i32`.
const MATH: [(&str, usize); 36] = [
    ("exp", 1),
    ("exp2", 1),
    ("exp10", 1),
    ("expm1", 1),
    ("log", 1),
    ("log2", 1),
    ("log10", 1),
    ("log1p", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("sinpi", 1),
    ("cospi", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("cbrt", 1),
    ("erf", 1),
    ("erfc", 1),
    ("fract", 1),
    ("sign", 1),
    ("degrees", 1),
    ("frexp_fraction", 1),
    ("pow", 2),
    ("atan2", 2),
    ("hypot", 2),
    ("nextafter", 2),
    ("step", 2),
    ("log_base", 2),
    ("ldexp", 0),
];

impl Maker {
    pub(super) fn fresh(&mut self, start: &str) -> String {
        self.n_names += 1;
        format!("{start}_{}", self.n_names)
    }

    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(..n) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        pick(&mut self.rng, from).clone()
    }

    pub(super) fn number_type(&mut self) -> &'static str {
        if !self.favourites.is_empty() && self.rng.bool() {
            let n = self.rng.usize(..self.favourites.len());
            return self.favourites[n];
        }
        let types = [
            "i32", "i32", "i32", "f32", "f32", "f32", "f64", "i64", "i8", "i16", "u8", "u16", "u32", "u64", "f16",
            "bf16",
        ];
        self.pick(&types)
    }

    pub(super) fn scalar_type(&mut self) -> &'static str {
        if self.one_in(8) { "bool" } else { self.number_type() }
    }

    /// An expression of a type.
    pub(super) fn expr(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        if depth == 0 || self.one_in(5) {
            return self.leaf(scope, ty);
        }
        if scope.foreach.as_ref().is_some_and(|foreach| foreach.in_lanes) && self.one_in(4) {
            return self.lane_operation(scope, ty, depth - 1);
        }
        if self.arrays > 0
            && self.rng.u32(..600) < self.arrays
            && let Some(made) = self.of_array(scope, ty, depth - 1)
        {
            return made;
        }
        if self.one_in(7)
            && let Some(call) = self.call(scope, Some(ty), depth - 1)
        {
            return call;
        }
        if self.one_in(8) {
            return self.choice(scope, ty, depth - 1);
        }
        if self.one_in(12)
            && let Some(made) = self.of_enums(scope, ty)
        {
            return made;
        }
        if self.one_in(10)
            && let Some(made) = self.of_records(scope, ty, depth - 1)
        {
            return made;
        }
        match ty {
            "bool" => self.bool(scope, depth - 1),
            ty if is_float(ty) => self.float(scope, ty, depth - 1),
            ty => self.integer(scope, ty, depth - 1),
        }
    }

    /// An expression whose value the checker does not know.
    pub(super) fn open_expr(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        match self.expr(scope, ty, depth) {
            expr if expr.is_constant() => self.open_leaf(scope, ty),
            expr => expr,
        }
    }

    // Leaves.

    pub(super) fn literal(&mut self, ty: &str) -> Expr {
        match ty {
            "bool" => Expr::literal(self.rng.bool()),
            ty if is_float(ty) => Expr::Literal(
                self.pick(&["0.5", "1.5", "2", "-0.25", "0.1", "3", "1e-3", "100.0", "-0.0", "1", "pi", "tau", "inf"])
                    .into(),
            ),
            ty if is_signed(ty) => Expr::literal(self.rng.i32(-4..=9)),
            _ => Expr::literal(self.rng.i32(0..=9)),
        }
    }

    pub(super) fn leaf(&mut self, scope: &Scope, ty: &'static str) -> Expr {
        if self.one_in(5) {
            let constants: Vec<_> = self.constants.iter().filter(|(_, own)| *own == ty).cloned().collect();
            if !constants.is_empty() && self.rng.bool() {
                return Expr::Constant(self.pick(&constants).0);
            }
            let known: Vec<_> = scope.vars.iter().filter(|var| var.ty == ty && is_static(&var.name)).cloned().collect();
            if !known.is_empty() && !self.one_in(4) {
                return Expr::name(self.pick(&known).name);
            }
            return self.literal(ty);
        }
        self.open_leaf(scope, ty)
    }

    /// A variable or an element, or one of another type that is cast.
    pub(super) fn open_leaf(&mut self, scope: &Scope, ty: &'static str) -> Expr {
        let found = match self.rng.u32(..4) {
            0 | 1 => self.element(scope, ty).or_else(|| self.variable(scope, ty)),
            2 => self.variable(scope, ty).or_else(|| self.record_field(scope, ty)),
            _ => self.record_field(scope, ty).or_else(|| self.element(scope, ty)),
        };
        found.or_else(|| self.variable(scope, ty)).unwrap_or_else(|| self.converted(scope, ty))
    }

    pub(super) fn variable(&mut self, scope: &Scope, ty: &str) -> Option<Expr> {
        let fitting: Vec<_> = scope.vars.iter().filter(|var| var.ty == ty && !is_static(&var.name)).collect();
        (!fitting.is_empty()).then(|| Expr::name(&*pick(&mut self.rng, &fitting).name))
    }

    fn record_field(&mut self, scope: &Scope, ty: &str) -> Option<Expr> {
        let records: Vec<_> = scope.records.iter().map(|record| (record.name.clone(), record.of)).collect();
        let (name, of) = (!records.is_empty()).then(|| self.pick(&records))?;
        if ty != "bool"
            && self.one_in(6)
            && let Some(joined) = self.of_array_in_record(scope, ty)
        {
            return Some(joined);
        }
        let field = self.field_of(of, ty)?;
        let field = self.way(scope, field);
        Some(Expr::name(name).field(field))
    }

    pub(super) fn field_of(&mut self, of: usize, ty: &str) -> Option<String> {
        let fields: Vec<_> = self.structs[of].fields.iter().filter(|(_, own)| *own == ty).cloned().collect();
        (!fields.is_empty()).then(|| self.pick(&fields).0)
    }

    /// An element of that type of some array.
    fn element(&mut self, scope: &Scope, ty: &str) -> Option<Expr> {
        let may = |array: &Array| matches!(array.access, Access::Free | Access::Read);
        if let Some((array, at)) = self.bytes(scope, ty, may)
            && self.one_in(3)
        {
            return Some(Expr::call(format!("load_{ty}"), vec![Expr::name(array), at]));
        }
        let has = |cell: &Cell| match cell {
            Cell::Scalar(own) => *own == ty,
            Cell::Struct(of) => self.structs[*of].fields.iter().any(|(_, own)| *own == ty),
        };
        let fitting: Vec<_> = scope.arrays.iter().filter(|array| has(&array.cell)).cloned().collect();
        let array = (!fitting.is_empty()).then(|| self.pick(&fitting))?;
        let element = self.cell(scope, &array)?;
        match array.cell {
            Cell::Scalar(_) => Some(element),
            Cell::Struct(of) => {
                let field = self.field_of(of, ty)?;
                Some(element.field(self.way(scope, field)))
            }
        }
    }

    /// An array of bytes that a number of a type has room in, and where it starts there.
    pub(super) fn bytes(&mut self, scope: &Scope, ty: &str, may: fn(&Array) -> bool) -> Option<(String, Expr)> {
        if !matches!(ty, "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "f32" | "f64") {
            return None;
        }
        let size = i64::from(bits(ty) / 8);
        let fitting: Vec<_> = scope.arrays.iter().filter(|array| array.is_of_bytes() && may(array)).cloned().collect();
        // Where there is none, nothing is drawn.
        let array = (!fitting.is_empty()).then(|| self.pick(&fitting))?;
        let starts = array.dims[0].value.map(|cells| cells - size + 1).filter(|starts| *starts > 0)?;
        let dim = Dim { text: Expr::literal(starts), value: Some(starts), constant: array.dims[0].constant };
        let at = self.subscript(scope, &dim)?;
        Some((array.name, at))
    }

    /// A cell of an array, with subscripts that lie within it as far as can be said.
    pub(super) fn cell(&mut self, scope: &Scope, array: &Array) -> Option<Expr> {
        let mut indices = match &array.access {
            Access::None | Access::Joined(_) => return None,
            Access::Own(own) => own.clone(),
            Access::Free | Access::Read => Vec::new(),
        };
        for dim in &array.dims[indices.len()..] {
            indices.push(self.subscript(scope, dim)?);
        }
        if indices.len() == 2 && self.one_in(4) {
            // `m[i][j]` is `m[i, j]`.
            let last = indices.pop()?;
            let row = Expr::at(&*array.name, indices);
            return Some(Expr::Index(Box::new(row), vec![Subscript::At(last)]));
        }
        Some(Expr::at(&*array.name, indices))
    }

    /// A variable of any type, cast.
    fn converted(&mut self, scope: &Scope, ty: &'static str) -> Expr {
        let open = scope.vars.iter().filter(|var| !is_static(&var.name));
        let vars: Vec<_> = open.map(|var| (var.name.clone(), var.ty)).collect();
        if vars.is_empty() {
            return self.literal(ty);
        }
        let (name, from) = self.pick(&vars);
        self.cast(Expr::name(name), from, ty)
    }

    /// A cast; of a float to an integer, mostly of one that fits.
    pub(super) fn cast(&mut self, value: Expr, from: &str, to: &'static str) -> Expr {
        let value = if is_float(from) && is_integer(to) && !self.one_in(30) {
            Expr::call("clamp", vec![value, Expr::literal(0), Expr::literal(100)])
        } else {
            value
        };
        Expr::call(to, vec![value])
    }

    // Subscripts.

    /// A subscript for a dimension; `None` when nothing suits.
    pub(super) fn subscript(&mut self, scope: &Scope, dim: &Dim) -> Option<Expr> {
        let Some(size) = dim.value else { return self.subscript_below(scope, dim) };
        let careless = self.one_in(150);
        let inside = |(lo, hi): (i64, i64)| careless || lo > hi || (lo >= 0 && hi < size);
        for _ in 0..6 {
            let (index, within) = self.affine(scope, dim)?;
            if inside(within) {
                return Some(index);
            }
        }
        // A loop's index that is too large is brought inside by force.
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.ty == "i32" && var.within.is_some()).cloned().collect();
        let var = (!vars.is_empty()).then(|| self.pick(&vars))?;
        let positive = var.within.is_some_and(|(lo, hi)| lo >= 0 || lo > hi);
        (positive && size > 0).then(|| Expr::binary("%", Expr::name(var.name), dim.text.clone()))
    }

    /// In a function that knows a size by its name only.
    fn subscript_below(&mut self, scope: &Scope, dim: &Dim) -> Option<Expr> {
        let text = dim.text.to_string();
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.below.as_ref() == Some(&text)).cloned().collect();
        let var = (!vars.is_empty()).then(|| self.pick(&vars))?;
        let index = Expr::name(var.name);
        Some(match self.rng.u32(..4) {
            0 => Expr::binary("/", index, Expr::literal(2)),
            1 => Expr::binary("-", Expr::binary("-", dim.text.clone(), Expr::literal(1)), index),
            _ => index,
        })
    }

    /// A subscript, and the values it may have.
    fn affine(&mut self, scope: &Scope, dim: &Dim) -> Option<(Expr, (i64, i64))> {
        let size = dim.value?;
        if self.one_in(10) && dim.constant && size > 0 {
            let at = self.rng.i64(0..size);
            return Some((Expr::literal(at), (at, at)));
        }
        if self.one_in(6)
            && let Some(found) = self.looked_up(scope, size)
        {
            return Some((found, (0, size - 1)));
        }
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.within.is_some()).cloned().collect();
        // Mostly the index of the innermost loops; the sizes, which stand first, rarely.
        let from = if self.one_in(8) { 0 } else { vars.len().saturating_sub(2) };
        let var = (!vars.is_empty()).then(|| self.pick(&vars[from..]))?;
        let (lo, hi) = var.within?;
        let index = Expr::name(&*var.name);
        let c = self.rng.i64(1..=3);
        let (index, within) = match self.rng.u32(..12) {
            0 | 1 => (Expr::binary("+", index, Expr::literal(c)), (lo + c, hi + c)),
            2 => (Expr::binary("-", index, Expr::literal(c)), (lo - c, hi - c)),
            3 => (Expr::binary("*", Expr::literal(2), index), (lo.saturating_mul(2), hi.saturating_mul(2))),
            4 => (Expr::binary("/", index, Expr::literal(c)), (lo / c, hi / c)),
            5 if lo >= 0 => (Expr::binary("%", index, Expr::literal(c)), (0, hi.min(c - 1))),
            6 if var.ty == "i32" => {
                let last = Expr::binary("-", dim.text.clone(), Expr::literal(1));
                (Expr::binary("-", last, index), (size - 1 - hi, size - 1 - lo))
            }
            _ => (index, (lo, hi)),
        };
        // What would leave the index's own type is no subscript.
        let fits = lo > hi || (within.0 >= if is_signed(var.ty) { -100 } else { 0 } && within.1 <= greatest(var.ty));
        Some((index, if fits { within } else { (-1, -1) }))
    }

    /// An element of an array that holds subscripts.
    pub(super) fn looked_up(&mut self, scope: &Scope, size: i64) -> Option<Expr> {
        let fits = |array: &&Array| array.indexes.is_some_and(|below| below <= size) && array.access == Access::Read;
        let tables: Vec<_> = scope.arrays.iter().filter(fits).cloned().collect();
        let table = (!tables.is_empty()).then(|| self.pick(&tables))?;
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.within.is_some()).cloned().collect();
        let var = (!vars.is_empty()).then(|| self.pick(&vars))?;
        let (lo, hi) = var.within?;
        (lo > hi || (lo >= 0 && hi < table.dims[0].value?)).then(|| Expr::at(table.name, vec![Expr::name(var.name)]))
    }

    /// The same, at the index of a loop.
    pub(super) fn looked_up_by(&mut self, scope: &Scope, size: i64, index: &str) -> Option<Expr> {
        let vars = scope.vars.iter().filter(|var| var.name == index).cloned().collect();
        self.looked_up(&Scope { vars, ..scope.clone() }, size)
    }

    // Operations.

    /// Two operands, of which the checker knows at most one.
    fn pair(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> (Expr, Expr) {
        let a = self.expr(scope, ty, depth);
        let b = if a.is_constant() { self.open_expr(scope, ty, depth) } else { self.expr(scope, ty, depth) };
        // Even what is asked to be open is not where there is nothing to name.
        if a.is_constant() && b.is_constant() { (a, self.converted(scope, ty)) } else { (a, b) }
    }

    fn choice(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        let condition = self.open_expr(scope, "bool", depth);
        if self.one_in(3) {
            let (a, b) = self.pair(scope, ty, depth);
            return Expr::call("select", vec![condition, a, b]);
        }
        self.choices += 1;
        let (a, b) = self.pair(scope, ty, depth);
        self.choices -= 1;
        Expr::cond(condition, a, b)
    }

    fn bool(&mut self, scope: &Scope, depth: u32) -> Expr {
        match self.rng.u32(..9) {
            0 => Expr::unary("not", self.open_expr(scope, "bool", depth)),
            1 | 2 => {
                let op = self.pick(&["and", "or"]);
                let a = self.open_expr(scope, "bool", depth);
                self.choices += 1;
                let b = self.open_expr(scope, "bool", depth);
                self.choices -= 1;
                Expr::binary(op, a, b)
            }
            3 => {
                let op = self.pick(&["&", "|", "^", "==", "!="]);
                let (a, b) = self.pair(scope, "bool", depth);
                Expr::binary(op, a, b)
            }
            4 => {
                let ty = self.pick(&["f32", "f64", "f16", "bf16"]);
                let name = self.pick(&["isnan", "isnan", "is_finite"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth)])
            }
            5 if self.rng.bool() => {
                let ty = self.number_type();
                let first = self.open_expr(scope, ty, depth);
                let mut others = Vec::new();
                for n in 0..self.rng.usize(2..=3) {
                    let op = self.pick(&["<", "<=", "<", "<=", ">", ">=", "==", "!="]);
                    self.choices += u32::from(n > 0);
                    others.push((op, self.open_expr(scope, ty, depth.min(1))));
                    self.choices -= u32::from(n > 0);
                }
                Expr::Chain(Box::new(first), others)
            }
            _ => {
                let ty = self.number_type();
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::binary(op, a, b)
            }
        }
    }

    /// A call of a function that the prelude has a text of. Each is worth some fifty operations, so there are few of them.
    fn math(&mut self, scope: &Scope, ty: &'static str) -> Expr {
        let (name, n_operands) = self.pick(&MATH);
        let mut operands = vec![self.open_leaf(scope, ty)];
        match n_operands {
            2 => operands.push(self.open_leaf(scope, ty)),
            // The exponent of `ldexp` is an `i32`.
            0 => operands.push(self.leaf(scope, "i32")),
            _ => {}
        }
        match (name, &operands[..]) {
            ("pow", [a, b]) if self.rng.bool() => Expr::binary("**", a.clone(), b.clone()),
            _ => Expr::call(name, operands),
        }
    }

    fn float(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        if self.one_in(24) {
            return self.math(scope, ty);
        }
        match self.rng.u32(..14) {
            0..=6 => {
                let op = self.pick(&["+", "+", "-", "*", "*", "/", "%", "//"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::binary(op, a, b)
            }
            7 => {
                let name = self.pick(&["sqrt", "rsqrt", "rcp", "floor", "ceil", "round", "trunc", "abs"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth)])
            }
            8 => {
                let name = self.pick(&["min", "max"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::call(name, vec![a, b])
            }
            9 => {
                let name = self.pick(&["fma", "clamp"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::call(name, vec![a, b, self.open_expr(scope, ty, depth)])
            }
            10 => Expr::unary("-", self.open_expr(scope, ty, depth)),
            11 => self.cast_from_any(scope, ty, depth),
            _ => self.leaf(scope, ty),
        }
    }

    fn cast_from_any(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        let from = self.pick(&SCALARS);
        let value = self.open_expr(scope, from, depth);
        if value.is_constant() { self.leaf(scope, ty) } else { self.cast(value, from, ty) }
    }

    fn integer(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        if self.one_in(24) {
            let (a, b) = self.pair(scope, ty, depth);
            return Expr::call("mul_high", vec![a, b]);
        }
        if self.one_in(32) {
            let base = self.open_leaf(scope, ty);
            let exponent = match self.rng.bool() {
                true => Expr::literal(self.rng.i32(0..=3)),
                false => Expr::binary("&", self.open_leaf(scope, ty), Expr::literal(3)),
            };
            return if base.is_constant() { base } else { Expr::binary("**", base, exponent) };
        }
        match self.rng.u32(..16) {
            0..=5 => {
                let op = self.pick(&["+", "+", "-", "&", "|", "^"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::binary(op, a, b)
            }
            6 => {
                let a = self.open_expr(scope, ty, depth.min(1));
                Expr::binary("*", a, Expr::literal(self.rng.i32(0..=4)))
            }
            7 | 8 => self.division(scope, ty, depth),
            9 => self.shift(scope, ty, depth),
            10 => {
                let name = self.pick(&["min", "max"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::call(name, vec![a, b])
            }
            11 => {
                let name = self.pick(&["popcount", "clz", "ctz", "byte_swap", "reverse_bits"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth)])
            }
            12 if is_signed(ty) => {
                let a = self.open_expr(scope, ty, depth);
                if self.rng.bool() { Expr::unary("-", a) } else { Expr::call("abs", vec![a]) }
            }
            15 if !is_signed(ty) => {
                let name = self.pick(&["rotate_left", "rotate_right", "abs_diff", "add_sat", "sub_sat", "avg_round"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::call(name, vec![a, b])
            }
            15 if self.rng.bool() => {
                let name = self.pick(&["add_sat", "sub_sat"]);
                let (a, b) = self.pair(scope, ty, depth);
                Expr::call(name, vec![a, b])
            }
            15 if self.one_in(3) => {
                let limit = self.pick(&["largest", "lowest"]);
                let name = self.pick(&["min", "max"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth), Expr::call(limit, vec![Expr::name(ty)])])
            }
            12 => Expr::unary("~", self.open_expr(scope, ty, depth)),
            13 if self.one_in(3) => {
                let from = self.number_type();
                let x = self.open_expr(scope, from, depth);
                Expr::call("cast_sat", vec![Expr::name(ty), x])
            }
            13 => self.cast_from_any(scope, ty, depth),
            14 => {
                let a = self.open_expr(scope, ty, depth);
                Expr::call("clamp", vec![a, self.literal(ty), Expr::literal(self.rng.i32(3..=100))])
            }
            _ => self.leaf(scope, ty),
        }
    }

    fn division(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        let op = self.pick(&["/", "//", "%", "%"]);
        let a = self.open_expr(scope, ty, depth);
        let b = match self.rng.u32(..20) {
            0 => self.open_leaf(scope, ty),
            1..=5 => Expr::binary("|", self.open_leaf(scope, ty), Expr::literal(1)),
            _ => Expr::literal(self.rng.i32(1..=9)),
        };
        // A zero that the checker knows would be refused.
        if a.is_constant() || (b.is_constant() && !matches!(b, Expr::Literal(_))) { a } else { Expr::binary(op, a, b) }
    }

    fn shift(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        let op = self.pick(&["<<", ">>"]);
        let a = self.open_expr(scope, ty, depth);
        let by = self.open_leaf(scope, ty);
        let b = match self.rng.u32(..20) {
            0 if !by.is_constant() => by,
            1..=6 if !by.is_constant() => Expr::binary("&", by, Expr::literal(7)),
            _ => Expr::literal(self.rng.u32(..bits(ty).min(8))),
        };
        if a.is_constant() { a } else { Expr::binary(op, a, b) }
    }

    // Lanes.

    fn lane_operation(&mut self, scope: &Scope, ty: &'static str, depth: u32) -> Expr {
        let all_on = self.choices == 0 && scope.foreach.as_ref().is_some_and(|foreach| foreach.all_on);
        let lane = Expr::name("lane_id");
        let shape = self.rng.u32(..8);
        match (ty, shape) {
            ("bool", 0..=4) => {
                let name = self.pick(&["any", "all", "none"]);
                Expr::call(name, vec![self.open_expr(scope, "bool", depth)])
            }
            ("i32", 0) => lane,
            ("i32", 1) => Expr::name("LANES"),
            // Every lane that asks is active itself.
            (_, 5 | 6) if self.one_in(3) => {
                let name = self.pick(&["broadcast", "shuffle"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth), lane])
            }
            (_, 5) if all_on || self.one_in(20) => {
                Expr::call("broadcast", vec![self.open_expr(scope, ty, depth), Expr::literal(0)])
            }
            (_, 6) if all_on => {
                // The even lane of each two: it is active where the odd one is.
                let even = Expr::binary("-", lane.clone(), Expr::binary("%", lane, Expr::literal(2)));
                Expr::call("shuffle", vec![self.open_expr(scope, ty, depth), even])
            }
            (_, 7) => {
                let by = i32::from(all_on && self.one_in(6));
                Expr::call("rotate", vec![self.open_expr(scope, ty, depth), Expr::literal(by)])
            }
            ("bool", _) => Expr::call("any", vec![self.open_expr(scope, "bool", depth)]),
            (_, 0..=2) => {
                let name = self.pick(&["reduce_min", "reduce_max"]);
                Expr::call(name, vec![self.open_expr(scope, ty, depth)])
            }
            (_, 3) if self.one_in(4) => Expr::call("scan_add", vec![self.open_expr(scope, ty, depth)]),
            (_, 3) => Expr::call("scan_add", vec![self.open_leaf(scope, ty)]),
            (_, 4) => self.expanded(scope, ty).unwrap_or_else(|| self.leaf(scope, ty)),
            _ => Expr::call("reduce_add", vec![self.open_leaf(scope, ty)]),
        }
    }

    /// Elements of the part of an array that belongs to the group, handed out to the active lanes.
    fn expanded(&mut self, scope: &Scope, ty: &'static str) -> Option<Expr> {
        let (index, trips) = scope.foreach.as_ref()?.groups.clone()?;
        let fits = |array: &&Array| {
            let whole = array.dims.len() == 1 && array.dims[0].value.is_some_and(|size| trips <= size);
            whole && array.cell == Cell::Scalar(ty) && array.access == Access::Read
        };
        let arrays: Vec<_> = scope.arrays.iter().filter(fits).map(|array| array.name.clone()).collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let at = Expr::binary("-", Expr::name(index), Expr::name("lane_id"));
        Some(Expr::call("expand_load", vec![Expr::name(array), at]))
    }

    /// Rows of an array, likewise.
    pub(super) fn expanded_row(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64]) -> Option<Expr> {
        let (index, trips) = scope.foreach.as_ref()?.groups.clone()?;
        let fits = |array: &&Array| {
            let values: Vec<_> = array.dims.iter().map(|dim| dim.value).collect();
            let whole = values.split_first().is_some_and(|(first, rest)| {
                first.is_some_and(|size| trips <= size) && rest.iter().copied().eq(sizes.iter().map(|&size| Some(size)))
            });
            whole && array.cell == *cell && array.access == Access::Read
        };
        let arrays: Vec<_> = scope.arrays.iter().filter(fits).map(|array| array.name.clone()).collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let at = Expr::binary("-", Expr::name(index), Expr::name("lane_id"));
        Some(Expr::call("expand_load", vec![Expr::name(array), at]))
    }

    // Calls.

    /// A call: of a function that gives a type, or of one that gives nothing.
    pub(super) fn call(&mut self, scope: &Scope, gives: Option<&'static str>, depth: u32) -> Option<Expr> {
        let fits = |callee: &Callee| match (&callee.result, gives) {
            (None, None) => true,
            (Some(Gives::Scalar(own)), Some(ty)) => *own == ty,
            (Some(Gives::Generic), Some(ty)) => ty != "bool",
            _ => false,
        };
        self.call_of(scope, &fits, gives, depth).map(|(call, _)| call)
    }

    /// A call of a function that fits, and what that gives.
    pub(super) fn call_of(
        &mut self,
        scope: &Scope,
        fits: &dyn Fn(&Callee) -> bool,
        gives: Option<&'static str>,
        depth: u32,
    ) -> Option<(Expr, Option<Gives>)> {
        let cheap = |callee: &&Callee| callee.cost.saturating_mul(scope.runs.max(1)) <= MAX_COST;
        let around = scope.foreach.as_ref();
        let in_lanes = around.is_some_and(|foreach| foreach.in_lanes);
        let no_lanes = in_lanes || around.is_some_and(|foreach| foreach.in_each_lane);
        let may =
            |callee: &&Callee| fits(callee) && (in_lanes || !callee.in_lanes) && !(no_lanes && callee.has_foreach);
        let callees: Vec<_> = self.callees.iter().filter(may).filter(cheap).cloned().collect();
        let callee = (!callees.is_empty()).then(|| self.pick(&callees))?;
        let mut args = Vec::new();
        for takes in &callee.params {
            args.push(match takes {
                Takes::Scalar(ty) => self.open_expr(scope, ty, depth),
                Takes::Generic => self.open_expr(scope, gives?, depth),
                Takes::Record(of) => self.record_value(scope, *of, depth),
                Takes::Anything => match scope.arrays.is_empty() || self.one_in(4) {
                    true => self.open_expr(scope, "i32", 1),
                    false => Expr::name(&*self.pick(&scope.arrays).name),
                },
                Takes::Array(ty, written) => self.array_argument(scope, ty, *written)?,
            });
        }
        self.calls_foreach |= callee.has_foreach;
        if !callee.names.is_empty() && self.one_in(3) {
            args = self.by_names(&callee.names, args);
        }
        Some((Expr::call(callee.name, args), callee.result))
    }

    /// Some last arguments of a call, in any order and by names, or not at all where parameters have defaults.
    pub(super) fn by_names(&mut self, names: &[(String, bool)], args: Vec<Expr>) -> Vec<Expr> {
        let n_first = self.rng.usize(..args.len());
        let (mut first, mut named) = (Vec::new(), Vec::new());
        for (n, (arg, (name, has_default))) in args.into_iter().zip(names).enumerate() {
            if n < n_first {
                first.push(arg);
            } else if !has_default || self.rng.bool() {
                named.push(Expr::Named(name.clone(), Box::new(arg)));
            }
        }
        self.rng.shuffle(&mut named);
        first.extend(named);
        first
    }

    /// A one-dimensional array, or a row of a matrix.
    fn array_argument(&mut self, scope: &Scope, ty: &'static str, written: bool) -> Option<Expr> {
        let may = |array: &&Array| match &array.access {
            Access::Free => true,
            Access::Read => !written,
            Access::Own(own) => array.dims.len() == 2 && own.len() == 1,
            Access::None | Access::Joined(_) => false,
        };
        let fits = |array: &&Array| {
            array.cell == Cell::Scalar(ty) && array.dims.len() <= 2 && (array.indexes.is_none() || !written)
        };
        let arrays: Vec<_> = scope.arrays.iter().filter(fits).filter(may).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        if array.dims.len() == 1 {
            return Some(Expr::name(array.name));
        }
        let row = match &array.access {
            Access::Own(own) => own[0].clone(),
            _ => self.subscript(scope, &array.dims[0])?,
        };
        Some(Expr::at(array.name, vec![row]))
    }
}
