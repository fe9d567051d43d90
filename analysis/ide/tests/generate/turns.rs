//! Programs of loops that hand something on from iteration to iteration beside much other work: sums in order, filters, generators of
//! numbers, and cells that the iteration before has stored.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The cells of each array.
const SIZE: i64 = 56;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x1e57_0a3d);
    let ty = *pick(&mut rng, &["f32", "f32", "f32", "f64", "f64", "f16"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut turns = Turns { rng, step: 1, counts: false, n_names: 0 };
    let mut params = Vec::new();
    for (name, ty) in [("a", ty), ("b", ty), ("o", ty), ("p", ty), ("q", "u32")] {
        params.push(data::cells(&mut turns.rng, name, ty, &[SIZE], mood));
    }
    for (name, ty) in [("x", ty), ("y", ty), ("w", "u32")] {
        let value = data::scalar(&mut turns.rng, ty, mood);
        params.push(data::number(name, value));
    }
    let stop = ir::Scalar::I32(turns.rng.i32(0..SIZE as i32 - 2));
    params.push(data::number("n", stop));
    let mut body = vec![let_("s", Expr::name("x")), let_("t", Expr::name("y")), let_("v", Expr::name("w"))];
    body.push(let_("c", Expr::binary("<", Expr::name("x"), Expr::name("y"))));
    for _ in 0..turns.rng.usize(1..3) {
        turns.loop_(&mut body);
    }
    let result = match turns.rng.u8(..4) {
        3 => Expr::cond(Expr::name("c"), Expr::name("s"), Expr::name("t")),
        0 => Expr::binary("+", Expr::name("s"), Expr::name("t")),
        1 => Expr::name("t"),
        _ => Expr::name("s"),
    };
    body.push(Stmt::Set(Expr::at("q", vec![Expr::literal(0)]), None, Expr::name("v")));
    body.push(Stmt::Return(Some(result)));
    let attrs = if turns.rng.u8(..6) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: Some(ty), body })
}

struct Turns {
    rng: Rng,
    /// The step of the loop.
    step: i64,
    /// True if the loop changes the integer that it carries.
    counts: bool,
    n_names: usize,
}

fn let_(name: &str, value: Expr) -> Stmt {
    Stmt::Let(name.to_owned(), None, value)
}

fn set(name: &str, value: Expr) -> Stmt {
    Stmt::Set(Expr::name(name), None, value)
}

impl Turns {
    fn loop_(&mut self, out: &mut Vec<Stmt>) {
        self.step = *pick(&mut self.rng, &[1, 1, 1, 1, -1, 2]);
        self.counts = self.rng.u8(..3) == 0;
        self.n_names = 0;
        let mut body = Vec::new();
        for _ in 0..self.rng.usize(1..3) {
            self.work(&mut body);
        }
        let mut rest = Vec::new();
        for _ in 0..self.rng.usize(1..3) {
            let update = self.update();
            rest.push(update);
        }
        if self.counts {
            let update = self.count();
            rest.push(update);
        }
        if self.rng.u8(..4) == 0 {
            let (s, g) = (Expr::name("s"), self.any_work());
            let value = match self.rng.u8(..3) {
                0 => Expr::unary("not", Expr::name("c")),
                1 => Expr::binary("<", s, g),
                _ => Expr::binary("and", Expr::name("c"), Expr::binary("<", s, g)),
            };
            rest.push(set("c", value));
        }
        for _ in 0..self.rng.usize(0..3) {
            let store = self.store();
            rest.push(store);
        }
        if self.rng.u8(..4) == 0 {
            let store = self.cell();
            rest.push(store);
        }
        self.rng.shuffle(&mut rest);
        // Some work stands behind what does not need it.
        if self.rng.u8(..3) == 0 {
            let at = self.rng.usize(..=rest.len());
            let mut late = Vec::new();
            self.work(&mut late);
            let user = set("s", Expr::binary("+", Expr::name("s"), Expr::name(self.last())));
            late.push(user);
            rest.splice(at..at, late);
        }
        body.extend(rest);
        let is_known = self.rng.bool();
        let high = if is_known { Expr::literal(self.rng.i64(1..SIZE - 2)) } else { Expr::name("n") };
        let low = Expr::literal(self.rng.i64(1..4));
        let range = match self.step {
            1 => Range { start: Some(low), stop: high, step: None },
            step if step > 0 => Range { start: Some(low), stop: high, step: Some(Expr::literal(step)) },
            step => Range { start: Some(high), stop: low, step: Some(Expr::literal(step)) },
        };
        out.push(Stmt::For("for", "i".into(), range, body).perhaps_unrolled(&mut self.rng));
    }

    /// The name of the last work.
    fn last(&self) -> String {
        format!("g{}", self.n_names.saturating_sub(1))
    }

    fn any_work(&mut self) -> Expr {
        let number = self.rng.usize(..self.n_names.max(1));
        Expr::name(format!("g{number}"))
    }

    fn index(&mut self, array: &str) -> Expr {
        Expr::at(array, vec![Expr::name("i")])
    }

    /// What lanes do together.
    fn work(&mut self, out: &mut Vec<Stmt>) {
        let mut of = match self.rng.u8(..6) {
            0 => self.index("b"),
            1 => {
                let (a, b) = (self.index("a"), self.index("b"));
                Expr::binary("*", a, b)
            }
            2 => {
                let a = self.index("o");
                Expr::binary("+", a, Expr::name("x"))
            }
            3 => Expr::at("b", vec![Expr::binary("+", Expr::name("i"), Expr::literal(1))]),
            _ => self.index("a"),
        };
        if self.n_names > 0 && self.rng.bool() {
            of = Expr::binary("+", of, self.any_work());
        }
        let root = Expr::call("sqrt", vec![Expr::call("abs", vec![of.clone()])]);
        let below = Expr::binary("+", Expr::literal("1.0"), Expr::binary("*", of.clone(), of));
        let mut value = Expr::binary("/", root, below);
        if self.rng.bool() {
            let again = Expr::binary("+", value.clone(), Expr::literal("0.5"));
            value = Expr::binary("/", Expr::call("sqrt", vec![again]), Expr::binary("+", value, Expr::literal("2.0")));
        }
        let name = format!("g{}", self.n_names);
        self.n_names += 1;
        out.push(let_(&name, value));
    }

    /// A change of what is handed on.
    fn update(&mut self) -> Stmt {
        let (s, t) = if self.rng.u8(..3) == 0 { ("t", "s") } else { ("s", "t") };
        let g = self.any_work();
        let own = || Expr::name(s);
        let half = |of: Expr| Expr::binary("*", of, Expr::literal("0.5"));
        let value = match self.rng.u8(..12) {
            0..=2 => Expr::binary("+", own(), g),
            3 => Expr::binary("+", Expr::binary("*", own(), Expr::name("y")), g),
            4 => Expr::binary("+", own(), Expr::binary("*", Expr::binary("-", g, own()), Expr::name("x"))),
            5 => half(Expr::call("max", vec![own(), g])),
            6 => Expr::cond(Expr::binary("<", own(), g.clone()), g, half(own())),
            7 => Expr::binary("-", own(), Expr::binary("*", g, Expr::name(t))),
            8 => Expr::binary("+", Expr::call("sqrt", vec![Expr::call("abs", vec![own()])]), g),
            9 => {
                let test = Expr::binary("<", g.clone(), own());
                let then = vec![set(s, Expr::binary("-", half(own()), g.clone()))];
                let other = if self.rng.bool() { vec![set(s, Expr::binary("+", own(), g))] } else { Vec::new() };
                return Stmt::If("if", test, then, other);
            }
            10 => Expr::name(t),
            _ => Expr::binary("*", own(), Expr::binary("+", g, Expr::literal("0.5"))),
        };
        set(s, value)
    }

    /// A change of the integer.
    fn count(&mut self) -> Stmt {
        let own = || Expr::name("v");
        let value = match self.rng.u8(..4) {
            0 => Expr::binary("+", Expr::binary("*", own(), Expr::literal(1_664_525)), Expr::literal(1_013_904_223)),
            1 => Expr::binary("^", own(), Expr::binary(">>", own(), Expr::literal(3))),
            2 => {
                Expr::binary("+", Expr::binary("^", own(), Expr::literal(5)), Expr::call("u32", vec![Expr::name("i")]))
            }
            _ => Expr::binary("+", own(), self.index("q")),
        };
        set("v", value)
    }

    fn store(&mut self) -> Stmt {
        let target = *pick(&mut self.rng, &["o", "p", "p", "a"]);
        let s = Expr::name(if self.rng.bool() { "s" } else { "t" });
        let value = match self.rng.u8(..5) {
            4 => Expr::cond(Expr::name("c"), s, self.any_work()),
            0 => s,
            1 => Expr::binary("*", s, self.any_work()),
            2 => Expr::binary("/", self.any_work(), Expr::binary("+", s, Expr::literal("3.0"))),
            _ if self.counts => return Stmt::Set(self.index("q"), None, Expr::name("v")),
            _ => self.any_work(),
        };
        Stmt::Set(self.index(target), None, value)
    }

    /// A cell that is made of the one that the iteration before stored.
    fn cell(&mut self) -> Stmt {
        let target = *pick(&mut self.rng, &["o", "p"]);
        let way = if self.step < 0 { "+" } else { "-" };
        let before = Expr::at(target, vec![Expr::binary(way, Expr::name("i"), Expr::literal(1))]);
        let value = Expr::binary("+", Expr::binary("*", before, Expr::name("y")), self.any_work());
        Stmt::Set(self.index(target), None, value)
    }
}
