//! Programs of nests of three loops, in which iterations of the outer one may load the same rows: products of matrices in the forms in which
//! they are written, with other operators, and with what stands against taking iterations together.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The rows of the product, no multiple of those that go together, its columns, more than the lanes of most targets, and what is summed up.
const ROWS: i64 = 11;
const COLUMNS: i64 = 19;
const DEPTH: i64 = 6;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x51c4_90e7);
    let ty = *pick(&mut rng, &["f32", "f32", "f32", "f64", "i32", "i64", "u32"]);
    let mood = if rng.u8(..4) == 0 { Mood::Wild } else { Mood::Calm };
    let mut products = Products { rng, ty };
    let mut params = Vec::new();
    for (name, sizes) in [("a", [ROWS, DEPTH]), ("b", [DEPTH, COLUMNS]), ("c", [ROWS, COLUMNS])] {
        params.push(data::cells(&mut products.rng, name, ty, &sizes, mood));
    }
    for (name, end) in [("h", ROWS), ("w", COLUMNS), ("d", DEPTH)] {
        let number = if products.rng.u8(..3) > 0 { end } else { products.rng.i64(-5..=end) };
        params.push(data::number(name, ir::Scalar::I32(number as i32)));
    }
    let mut body = Vec::new();
    for _ in 0..products.rng.usize(1..3) {
        products.nest(&mut body);
    }
    let attrs = if products.rng.u8(..10) == 0 { vec!["@alias(b, c)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Products {
    rng: Rng,
    /// The type of all cells.
    ty: &'static str,
}

impl Products {
    fn nest(&mut self, out: &mut Vec<Stmt>) {
        let (down, across, through) = (self.range("h", ROWS), self.range("w", COLUMNS), self.range("d", DEPTH));
        // A range that is another one in each row keeps the rows apart.
        let through = match self.rng.u8(..8) {
            0 => Range { start: None, stop: Expr::call("min", vec![Expr::name("i"), Expr::name("d")]), step: None },
            _ => through,
        };
        let looped = |name: &str, range: Range, body: Vec<Stmt>| Stmt::For("for", name.into(), range, body);
        let cell = || Expr::at("c", vec![Expr::name("i"), Expr::name("j")]);
        if self.rng.bool() {
            // A sum for each cell.
            let start = if self.rng.bool() { cell() } else { self.number(0) };
            let mut inner = Vec::new();
            self.joined(Expr::name("s"), &mut inner);
            let mut block = vec![Stmt::Let("s".into(), Some(self.ty), start), looped("p", through, inner)];
            if self.rng.u8(..4) == 0 {
                block.push(Stmt::Set(
                    Expr::name("s"),
                    Some("+"),
                    Expr::at("b", vec![Expr::literal(1), Expr::name("j")]),
                ));
            }
            block.push(Stmt::Set(cell(), None, Expr::name("s")));
            return out.push(looped("i", down, vec![looped("j", across, block)]));
        }
        // Row by row of the second matrix, after cells that may be set first.
        let mut rows = Vec::new();
        if self.rng.bool() {
            let value =
                if self.rng.bool() { self.number(0) } else { Expr::at("b", vec![Expr::literal(0), Expr::name("j")]) };
            rows.push(looped("j", across.clone(), vec![Stmt::Set(cell(), None, value)]));
        }
        let mut inner = Vec::new();
        self.joined(cell(), &mut inner);
        rows.push(looped("p", through, vec![looped("j", across, inner)]));
        out.push(looped("i", down, rows));
    }

    /// What joins a product to a variable or a cell.
    fn joined(&mut self, to: Expr, out: &mut Vec<Stmt>) {
        let a = Expr::at("a", vec![Expr::name("i"), Expr::name("p")]);
        let b = Expr::at("b", vec![Expr::name("p"), Expr::name("j")]);
        let value = match self.rng.u8(..6) {
            0 => Expr::binary("-", b, a),
            1 => b,
            _ => Expr::binary("*", a, b),
        };
        match self.rng.u8(..10) {
            0 => out.push(Stmt::Set(to.clone(), None, Expr::call("max", vec![to, value]))),
            1 => {
                let more = vec![Stmt::Set(to.clone(), Some("+"), value.clone())];
                out.push(Stmt::If("if", Expr::binary("<", to, value), more, Vec::new()));
            }
            2 => {
                let other = Expr::at("c", vec![self.row_before(), Expr::name("j")]);
                out.push(Stmt::Set(to, Some("+"), Expr::binary("+", value, other)));
            }
            3 if self.rng.u8(..3) == 0 => {
                out.push(Stmt::Set(to, Some("+"), value));
                let shared = Expr::at("b", vec![Expr::name("p"), Expr::name("j")]);
                out.push(Stmt::Set(shared, Some("-"), self.number(1)));
            }
            _ => out.push(Stmt::Set(to, Some("+"), value)),
        }
    }

    /// Another row, which an iteration before has written, or this one.
    fn row_before(&mut self) -> Expr {
        if self.rng.bool() {
            Expr::name("i")
        } else {
            Expr::call("max", vec![Expr::binary("-", Expr::name("i"), Expr::literal(1)), Expr::literal(0)])
        }
    }

    /// Nearly all of a number of indices: their number is a parameter, or known.
    fn range(&mut self, name: &str, size: i64) -> Range {
        let start = (self.rng.u8(..3) == 0).then(|| Expr::literal(self.rng.i64(0..3)));
        let stop = if self.rng.u8(..3) == 0 { Expr::literal(self.rng.i64(size / 2..=size)) } else { Expr::name(name) };
        Range { start, stop, step: None }
    }

    fn number(&self, number: i64) -> Expr {
        Expr::call(self.ty, vec![Expr::literal(number)])
    }
}
