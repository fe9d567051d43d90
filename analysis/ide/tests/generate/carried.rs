//! Loops that hand something from iteration to iteration, in the ways that people write.

use super::expressions::Maker;
use super::scope::{Access, Array, Cell, Scope, Var, is_float};
use super::tree::{Expr, Range, Stmt};

/// A value that a loop carries.
struct Carried {
    name: String,
    ty: &'static str,
    kind: Kind,
    /// The loop is a `for`; a `foreach` updates by what needs no order alone.
    in_order: bool,
}

/// What happens to it.
#[derive(Clone, Copy)]
enum Kind {
    /// Something is joined to it.
    Joined,
    /// The least or greatest, by a function or a comparison, perhaps with where it was found.
    Extreme {
        at: bool,
    },
    /// Whether something holds in some iteration, or in all.
    Flag,
    /// The first or last at which something holds.
    First,
    Last,
    /// The last so far at which something holds, looked at.
    Held,
    /// The same is added to it each time.
    Step,
    /// What the iteration before had, looked at.
    Previous,
    /// Joined to, and looked at.
    Running,
    /// How many were packed.
    Packed,
}

impl Maker {
    /// A loop that carries something, and what becomes of that.
    pub(super) fn carrying(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) -> Option<Stmt> {
        use Kind::{Extreme, First, Flag, Held, Joined, Last, Packed, Previous, Running, Step};
        let kinds = [
            Joined,
            Joined,
            Extreme { at: false },
            Extreme { at: true },
            Flag,
            First,
            Last,
            Held,
            Step,
            Previous,
            Running,
            Packed,
        ];
        let n = self.rng.u32(1..=3);
        let mut all: Vec<Carried> = Vec::new();
        for _ in 0..n {
            let kind = self.pick(&kinds);
            let ty = match kind {
                Flag => "bool",
                First | Packed => "i32",
                _ => self.number_type(),
            };
            all.push(Carried { name: self.fresh("v"), ty, kind, in_order: true });
        }
        let turns = self.turns(scope, |maker, inner, index, trips| {
            let mut body = Vec::new();
            for carried in &all {
                maker.carry(inner, carried, index, trips, &mut body);
            }
            if maker.one_in(3) {
                let at = maker.rng.usize(..=body.len());
                let leave = maker.leaving(inner, index, trips);
                body.insert(at, leave);
            }
            body
        })?;
        for carried in &all {
            let start = match carried.kind {
                First => Expr::literal(-1),
                Packed => Expr::literal(0),
                _ => self.literal(carried.ty),
            };
            out.push(Stmt::Let(carried.name.clone(), Some(carried.ty), start));
            if matches!(carried.kind, Extreme { at: true }) {
                out.push(Stmt::Let(at(carried), Some("i32"), Expr::literal(-1)));
            }
        }
        out.push(turns);
        for carried in &all {
            out.extend(self.kept(scope, &carried.name, carried.ty));
            if matches!(carried.kind, Extreme { at: true }) {
                out.extend(self.kept(scope, &at(carried), "i32"));
            }
        }
        None
    }

    /// What a `foreach` updates outside of it: lets before it, and statements among those of its body. Gives the names and types.
    pub(super) fn sharing(
        &mut self,
        inner: &mut Scope,
        (index, trips): (&Var, i64),
        in_lanes: bool,
        body: &mut Vec<Stmt>,
        out: &mut Vec<Stmt>,
    ) -> Vec<(String, &'static str)> {
        use Kind::{Extreme, Flag, Joined, Last, Step};
        let mut names = Vec::new();
        for _ in 0..self.rng.u32(1..=2) {
            let kind = self.pick(&[Joined, Joined, Extreme { at: false }, Extreme { at: true }, Flag, Last, Step]);
            let ty = match kind {
                Flag => "bool",
                _ if in_lanes => self.pick(&["f32", "u32", "i32", "f64", "f16", "bf16"]),
                _ => self.number_type(),
            };
            let carried = Carried { name: self.fresh("v"), ty, kind, in_order: false };
            let mut made = Vec::new();
            if in_lanes {
                made.extend(self.update_together(inner, &carried.name, ty, 2));
            } else {
                self.carry(inner, &carried, index, trips, &mut made);
            }
            // The names of the body are known behind their definitions, and those of a `static if` behind it.
            let defines = |stmt: &Stmt| match stmt {
                Stmt::Let(..) | Stmt::LetAll(..) | Stmt::Define(..) | Stmt::Filled(..) => true,
                Stmt::If(word, ..) => *word == "static if",
                _ => false,
            };
            let first = body.iter().rposition(defines).map_or(0, |last| last + 1);
            let place = self.rng.usize(first..=body.len());
            body.splice(place..place, made);
            out.push(Stmt::Let(carried.name.clone(), Some(ty), self.literal(ty)));
            if !in_lanes && matches!(kind, Extreme { at: true }) {
                out.push(Stmt::Let(at(&carried), Some("i32"), Expr::literal(-1)));
                names.push((at(&carried), "i32"));
            }
            names.push((carried.name, ty));
        }
        names
    }

    /// An update of what the lanes of a group share, by a value that those that are active agree about, perhaps where only some are.
    fn update_together(&mut self, inner: &mut Scope, name: &str, ty: &'static str, depth: u32) -> Vec<Stmt> {
        let condition = |maker: &mut Maker, inner: &Scope| maker.open_expr(inner, "bool", 2);
        match self.rng.u32(..if depth == 0 { 3 } else { 8 }) {
            0..=2 => {
                let update = self.update_by_all(inner, name, ty);
                vec![update]
            }
            3 => {
                let condition = condition(self, inner);
                let block = self.update_together(inner, name, ty, depth - 1);
                vec![Stmt::If(self.pick(&["if", "if", "cif"]), condition, block, Vec::new())]
            }
            4 | 5 => {
                let condition = condition(self, inner);
                let sides = [0, 1].map(|_| self.update_together(inner, name, ty, depth - 1));
                let [then, other] = sides;
                vec![Stmt::If("if", condition, then, other)]
            }
            6 => {
                let condition = condition(self, inner);
                let then = self.update_together(inner, name, ty, depth - 1);
                let mut stmts = self.update_together(inner, name, ty, depth - 1);
                stmts.push(Stmt::If("if", condition, then, Vec::new()));
                stmts.extend(self.update_together(inner, name, ty, depth - 1));
                stmts
            }
            _ => {
                let index = self.fresh("i");
                let stop = Expr::binary("%", Expr::name("lane_id"), Expr::literal(self.rng.i64(1..=4)));
                let range = Range { start: None, stop, step: None };
                let mut block = self.update_together(inner, name, ty, depth - 1);
                if self.one_in(3) {
                    let leaves = condition(self, inner);
                    let leave = if self.rng.bool() { Stmt::Break } else { Stmt::Continue };
                    block.insert(self.rng.usize(..=block.len()), Stmt::If("if", leaves, vec![leave], Vec::new()));
                }
                vec![Stmt::For("for", index, range, block)]
            }
        }
    }

    fn update_by_all(&mut self, inner: &mut Scope, name: &str, ty: &'static str) -> Stmt {
        let value = Expr::name(name);
        let set = |value: Expr| Stmt::Set(Expr::name(name), None, value);
        let x = self.expr(inner, ty, 2);
        let asked = |of: &'static str, x: Expr| Expr::call(of, vec![x]);
        match ty {
            "bool" => {
                let of = self.pick(&["any", "all", "none"]);
                set(Expr::binary(self.pick(&["or", "and", "!="]), value, asked(of, x)))
            }
            // How many there are, which never is too much.
            "i32" if self.rng.bool() => Stmt::Set(value, Some("+"), asked("reduce_add", Expr::literal(1))),
            _ => match self.rng.u32(..4) {
                0 => set(Expr::call("min", vec![value, asked("reduce_min", x)])),
                1 => set(Expr::call("max", vec![asked("reduce_max", x), value])),
                2 if is_float(ty) => {
                    let half = Expr::binary("*", value, Expr::literal(0.5));
                    set(Expr::binary("+", half, asked("reduce_max", x)))
                }
                _ if ty == "i32" => Stmt::Set(value, Some("^"), asked("reduce_max", x)),
                _ => Stmt::Set(value, Some("+"), asked("reduce_add", x)),
            },
        }
    }

    /// A way out of a loop, which is not taken before some iteration, so that lanes have something to do before.
    fn leaving(&mut self, inner: &Scope, index: &Var, trips: i64) -> Stmt {
        let here = Expr::call("i32", vec![Expr::name(&*index.name)]);
        let from = Expr::literal(self.rng.i64(0..=trips.max(1)));
        let (late, condition) = (Expr::binary(">=", here, from), self.open_expr(inner, "bool", 2));
        let parts = if self.rng.bool() { (late, condition) } else { (condition, late) };
        match self.rng.u32(..3) {
            0 => {
                let inside = Stmt::If("if", parts.1, vec![Stmt::Break], Vec::new());
                Stmt::If("if", parts.0, vec![inside], Vec::new())
            }
            _ => Stmt::If("if", Expr::binary("and", parts.0, parts.1), vec![Stmt::Break], Vec::new()),
        }
    }

    /// What a loop does with a value that it carries.
    fn carry(&mut self, inner: &mut Scope, carried: &Carried, index: &Var, trips: i64, body: &mut Vec<Stmt>) {
        let Carried { name, ty, kind, in_order } = carried;
        let value = Expr::name(&**name);
        let set = |value: Expr| Stmt::Set(Expr::name(&**name), None, value);
        let here = Expr::call("i32", vec![Expr::name(&*index.name)]);
        let x = self.expr(inner, ty, 2);
        let conditional = |maker: &mut Maker, inner: &Scope, block: Vec<Stmt>| {
            let condition = maker.open_expr(inner, "bool", 2);
            Stmt::If("if", condition, block, Vec::new())
        };
        match kind {
            Kind::Joined | Kind::Running => {
                let ops: &[&str] = if is_float(ty) { &["+", "-", "*"] } else { &["+", "+", "-", "*", "&", "|", "^"] };
                // Once in a while nothing is added, so what looks like a sum never changes.
                let x = if !is_float(ty) && self.one_in(12) { Expr::literal(0) } else { x };
                let set = Stmt::Set(value, Some(self.pick(ops)), x);
                let set = if self.one_in(3) { conditional(self, inner, vec![set]) } else { set };
                if matches!(kind, Kind::Running) {
                    self.look_at(inner, carried, set, body);
                } else {
                    body.push(set);
                }
            }
            Kind::Previous => self.look_at(inner, carried, set(x), body),
            Kind::Extreme { at: position } => {
                let set = if *position || self.rng.bool() {
                    // What is computed twice is known to be equal where it is simple.
                    let is_named = !in_order || self.rng.bool();
                    let x = if is_named { self.bound(ty, x, body) } else { x };
                    let compared = Expr::binary(self.pick(&["<", ">", "<=", ">="]), x.clone(), value);
                    let mut block = vec![set(x)];
                    block.extend(position.then(|| Stmt::Set(Expr::name(at(carried)), None, here)));
                    Stmt::If("if", compared, block, Vec::new())
                } else {
                    let operands = if self.rng.bool() { vec![value, x] } else { vec![x, value] };
                    set(Expr::call(self.pick(&["min", "max"]), operands))
                };
                body.push(if self.one_in(4) { conditional(self, inner, vec![set]) } else { set });
            }
            Kind::Flag => body.push(match self.rng.u32(..4) {
                0 => {
                    let found = set(Expr::literal(self.rng.bool()));
                    conditional(self, inner, vec![found])
                }
                1 => set(Expr::binary("and", value, x)),
                2 => set(Expr::binary("or", value, self.only_until_found(here))),
                _ => set(Expr::binary("or", x, value)),
            }),
            Kind::First => {
                let holds = if self.one_in(4) { self.only_until_found(here.clone()) } else { self.likely(inner) };
                let condition = Expr::binary("and", Expr::binary("<", value, Expr::literal(0)), holds);
                body.push(Stmt::If("if", condition, vec![set(here)], Vec::new()));
            }
            Kind::Last => body.push(conditional(self, inner, vec![set(x)])),
            Kind::Held => {
                let held = conditional(self, inner, vec![set(x)]);
                let store = self.kept_in(inner, name, ty);
                body.push(held);
                body.extend(store);
            }
            Kind::Step => {
                let step = self.rng.i64(1..=3);
                let sign = self.pick(&["+", "+", "-"]);
                let change = |by: i64| Stmt::Set(Expr::name(&**name), Some(sign), Expr::literal(by));
                match self.rng.u32(..4) {
                    // The same on each way through the iteration.
                    0 => {
                        let condition = self.open_expr(inner, "bool", 2);
                        body.push(Stmt::If("if", condition, vec![change(step)], vec![change(step)]));
                    }
                    // In two parts, and looked at between them.
                    1 if *in_order => {
                        self.look_at(inner, carried, change(step), body);
                        body.push(change(self.rng.i64(1..=2)));
                    }
                    _ => body.push(change(step)),
                }
            }
            Kind::Packed => body.extend(self.packing(inner, name, trips)),
        }
    }

    /// A name for a value.
    fn bound(&mut self, ty: &'static str, value: Expr, body: &mut Vec<Stmt>) -> Expr {
        let name = self.fresh("v");
        body.push(Stmt::Let(name.clone(), Some(ty), value));
        Expr::name(name)
    }

    /// A condition that holds in one iteration, and divides by zero in the next: nobody may ask it there who has found the
    /// first before.
    fn only_until_found(&mut self, here: Expr) -> Expr {
        let found = self.rng.i64(0..=3);
        let left = Expr::binary("-", Expr::literal(found + 1), here.clone());
        let divided = Expr::binary(">", Expr::binary("/", Expr::literal(7), left), Expr::literal(100));
        Expr::binary("or", Expr::binary("==", here, Expr::literal(found)), divided)
    }

    /// A change of a value, and a store of what it is before or behind it.
    fn look_at(&mut self, inner: &mut Scope, carried: &Carried, set: Stmt, body: &mut Vec<Stmt>) {
        let store = self.kept_in(inner, &carried.name, carried.ty);
        if self.rng.bool() {
            body.extend(store);
            body.push(set);
        } else {
            body.push(set);
            body.extend(store);
        }
    }

    /// Where something holds, it is stored to the next cell.
    fn packing(&mut self, inner: &mut Scope, name: &str, trips: i64) -> Option<Stmt> {
        let fits = |array: &&Array| {
            Self::writable(array)
                && array.access == Access::Free
                && array.dims.len() == 1
                && array.dims[0].value.is_some_and(|size| size >= trips)
        };
        let arrays: Vec<Array> = inner.arrays.iter().filter(fits).cloned().collect();
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let Cell::Scalar(ty) = array.cell else { return None };
        let (x, condition) = (self.expr(inner, ty, 2), self.open_expr(inner, "bool", 2));
        let cell = Expr::at(array.name, vec![Expr::name(name)]);
        let packed =
            |x: Expr| vec![Stmt::Set(cell.clone(), None, x), Stmt::Set(Expr::name(name), Some("+"), Expr::literal(1))];
        // Once in a while the other iterations store something, too.
        let other = if self.one_in(3) { packed(self.expr(inner, ty, 1)) } else { Vec::new() };
        Some(Stmt::If("if", condition, packed(x), other))
    }

    /// Makes a value known behind its loop, and stores it, so that it counts.
    pub(super) fn kept(&mut self, scope: &mut Scope, name: &str, ty: &'static str) -> Option<Stmt> {
        scope.vars.push(Var { name: name.to_owned(), ty, updatable: true, within: None, below: None });
        self.kept_in(scope, name, ty)
    }

    /// A store of a value, to an array of its type if there is one.
    fn kept_in(&mut self, scope: &mut Scope, name: &str, ty: &'static str) -> Option<Stmt> {
        let of = |array: &&Array| Self::writable(array) && matches!(array.cell, Cell::Scalar(_));
        let arrays: Vec<Array> = scope.arrays.iter().filter(of).cloned().collect();
        let own: Vec<Array> = arrays.iter().filter(|array| array.cell == Cell::Scalar(ty)).cloned().collect();
        let arrays = if own.is_empty() { arrays } else { own };
        let array = (!arrays.is_empty()).then(|| self.pick(&arrays))?;
        let (Cell::Scalar(of), cell) = (array.cell.clone(), self.cell(scope, &array)?) else { return None };
        let value = Expr::name(name);
        // A float that does not fit an integer would be an error more often than not.
        let value = match () {
            () if of == ty => value,
            () if is_float(ty) && !is_float(of) => {
                let zero = Expr::literal("0.0");
                Expr::call(of, vec![Expr::binary("<", value, zero)])
            }
            () => Expr::call(of, vec![value]),
        };
        Some(Stmt::Set(cell, None, value))
    }
}

/// What says where an extreme was found.
fn at(carried: &Carried) -> String {
    format!("{}_at", carried.name)
}
