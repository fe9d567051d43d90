//! Programs of loops with branches both sides of which load from the same cells and store to them, with other accesses in between.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The cells of each array: twice an index, and one more, stays below it.
const SIZE: i64 = 112;

/// The bound of an index.
const MOST: i64 = 50;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x51de_50fb);
    let ty = *pick(&mut rng, &["f32", "f32", "f64", "i32", "u32", "i16", "u8"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut params = Vec::new();
    for (name, ty) in [("a", ty), ("b", ty), ("o", ty), ("p", ty), ("q", "i32")] {
        params.push(data::cells(&mut rng, name, ty, &[SIZE], mood));
    }
    let value = data::scalar(&mut rng, ty, mood);
    params.push(data::number("x", value));
    for name in ["n", "m"] {
        params.push(data::number(name, ir::Scalar::I32(rng.i32(0..MOST as i32))));
    }
    let mut sides = Sides { rng, carried: None };
    let mut body = Vec::new();
    for number in 0..sides.rng.usize(1..3) {
        sides.a_loop(number, ty, &mut body);
    }
    // Another name hides that two accesses are to one array.
    if sides.rng.u8(..6) == 0 {
        body.insert(0, Stmt::Define("s".into(), Expr::name("o")));
        rename(&mut body, &mut sides.rng);
    }
    let attrs = if sides.rng.u8(..6) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

/// Gives some of the cells that are stored to the other name of their array.
fn rename(block: &mut [Stmt], rng: &mut Rng) {
    for stmt in block {
        match stmt {
            Stmt::Set(Expr::Index(array, _), ..) if **array == Expr::name("o") && rng.u8(..3) == 0 => {
                **array = Expr::name("s");
            }
            Stmt::For(.., body) | Stmt::Foreach(.., body) => rename(body, rng),
            Stmt::If(_, _, yes, no) => {
                rename(yes, rng);
                rename(no, rng);
            }
            _ => {}
        }
    }
}

struct Sides {
    rng: Rng,
    /// What the loop hands on, if it does.
    carried: Option<String>,
}

impl Sides {
    fn a_loop(&mut self, number: usize, ty: &'static str, out: &mut Vec<Stmt>) {
        let carried = (self.rng.u8(..4) == 0).then(|| format!("v{number}"));
        if let Some(name) = &carried {
            out.push(Stmt::Let(name.clone(), Some(ty), Expr::name("x")));
        }
        // Lanes of a `foreach` hand nothing on.
        let is_foreach = carried.is_none() && self.rng.u8(..3) == 0;
        self.carried = carried.clone();
        let mut body = Vec::new();
        if self.rng.u8(..3) == 0 {
            body.extend(self.statement());
        }
        let branch = self.branch(0);
        body.push(branch);
        if self.rng.u8(..3) == 0 {
            body.extend(self.statement());
        }
        let stop = if self.rng.bool() { Expr::name("n") } else { Expr::literal(self.rng.i64(0..MOST)) };
        let range = Range { start: Some(Expr::literal(self.rng.i64(0..3))), stop, step: None };
        out.push(match is_foreach {
            true => Stmt::Foreach(None, vec![("i".into(), range)], body),
            false => Stmt::For("for", "i".into(), range, body),
        });
        self.carried = None;
        out.extend(carried.map(|name| {
            let cell = Expr::at("p", vec![Expr::literal(self.rng.i64(0..SIZE))]);
            Stmt::Set(cell, None, Expr::name(name))
        }));
    }

    /// A subscript: mostly one that each iteration has for itself.
    fn subscript(&mut self) -> Expr {
        let i = || Expr::name("i");
        match self.rng.u8(..12) {
            0 => Expr::binary("+", i(), Expr::literal(1)),
            1 => Expr::binary("*", i(), Expr::literal(2)),
            2 => Expr::binary("&", Expr::at("q", vec![i()]), Expr::literal(63)),
            3 => Expr::literal(self.rng.i64(0..4)),
            4 => Expr::binary("-", Expr::literal(MOST), i()),
            _ => i(),
        }
    }

    fn value(&mut self) -> Expr {
        match self.rng.u8(..6) {
            0 => Expr::name("x"),
            1 => self.carried.clone().map_or_else(|| Expr::name("x"), Expr::name),
            _ => {
                let array = *pick(&mut self.rng, &["a", "b", "o", "p"]);
                let subscript = self.subscript();
                Expr::at(array, vec![subscript])
            }
        }
    }

    /// Two values joined in a way that no integer overflows by.
    fn joined(&mut self) -> Expr {
        let (a, b) = (self.value(), self.value());
        Expr::call(*pick(&mut self.rng, &["min", "max"]), vec![a, b])
    }

    fn condition(&mut self) -> Expr {
        match self.rng.u8(..6) {
            0 => Expr::binary("<", Expr::name("i"), Expr::name("m")),
            1 | 2 => {
                let bits = Expr::binary("&", Expr::at("q", vec![Expr::name("i")]), Expr::literal(3));
                Expr::binary("==", bits, Expr::literal(self.rng.i64(0..4)))
            }
            3 if let Some(carried) = self.carried.clone() => Expr::binary("<", Expr::name(carried), Expr::name("x")),
            _ => Expr::binary("<", self.value(), Expr::name("x")),
        }
    }

    fn statement(&mut self) -> Vec<Stmt> {
        let array = *pick(&mut self.rng, &["o", "o", "p", "a"]);
        let (subscript, value) = (self.subscript(), self.joined());
        match (&self.carried, self.rng.u8(..5)) {
            (Some(carried), 0 | 1) => vec![Stmt::Set(Expr::name(&**carried), None, value)],
            _ => vec![Stmt::Set(Expr::at(array, vec![subscript]), None, value)],
        }
    }

    /// A branch, most sides of which work on one cell.
    fn branch(&mut self, depth: usize) -> Stmt {
        let array = *pick(&mut self.rng, &["o", "p", "a"]);
        let cell = Expr::at(array, vec![self.subscript()]);
        let condition = self.condition();
        let [yes, no] = [(); 2].map(|()| self.side(&cell, depth));
        Stmt::If("if", condition, yes, if self.rng.u8(..12) == 0 { Vec::new() } else { no })
    }

    fn side(&mut self, cell: &Expr, depth: usize) -> Vec<Stmt> {
        let mut block = Vec::new();
        if self.rng.u8(..4) == 0 {
            block.extend(self.statement());
        }
        if depth < 2 && self.rng.u8(..3) == 0 {
            // An inner branch of the same cell, as `elif` and `match` have it.
            let condition = self.condition();
            let [yes, no] = [(); 2].map(|()| self.side(cell, depth + 1));
            block.push(Stmt::If("if", condition, yes, no));
        } else if self.rng.u8(..5) != 0 {
            let other = self.value();
            let value = match self.rng.u8(..3) {
                0 => other,
                _ => Expr::call(*pick(&mut self.rng, &["min", "max"]), vec![cell.clone(), other]),
            };
            block.push(Stmt::Set(cell.clone(), None, value));
        }
        if self.rng.u8(..4) == 0 {
            block.extend(self.statement());
        }
        if block.is_empty() { self.statement() } else { block }
    }
}
