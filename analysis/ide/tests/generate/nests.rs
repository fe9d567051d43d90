//! Programs of nests in which lanes go along rows of a matrix, each along one of its own: sums of rows, updates of columns beside them, rows
//! that begin anywhere, and what is stored to the matrix in between.

use fastrand::Rng;
use hir::eval::ArgValue;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Param, Range, Stmt, Tree};

/// The rows of the matrix, more than the lanes of most targets, and its columns.
const ROWS: i64 = 37;
const COLUMNS: i64 = 11;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x2fd1_7ab3);
    let ty = *pick(&mut rng, &["f32", "f32", "i32", "f64", "i64", "u32", "i16"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut nests = Nests { rng, ty };
    let mut params = Vec::new();
    let mut array = |nests: &mut Nests, name: &str, sizes: &[i64]| {
        params.push(data::cells(&mut nests.rng, name, ty, sizes, mood));
    };
    array(&mut nests, "m", &[ROWS, COLUMNS]);
    array(&mut nests, "line", &[ROWS * COLUMNS]);
    array(&mut nests, "x", &[COLUMNS]);
    array(&mut nests, "c", &[ROWS]);
    array(&mut nests, "o", &[ROWS]);
    let at = data::subscripts(&mut nests.rng, "i32", ROWS, (ROWS - 1) * COLUMNS);
    params.push(Param::given("at", format!("i32[{ROWS}]"), ArgValue::Array(at)));
    for (name, end) in [("h", ROWS), ("w", COLUMNS)] {
        // Mostly all rows and columns.
        let number = if nests.rng.bool() { end } else { nests.rng.i64(0..=end) };
        params.push(data::number(name, ir::Scalar::I32(number as i32)));
    }
    let mut body = Vec::new();
    for _ in 0..nests.rng.usize(1..3) {
        nests.nest(&mut body);
    }
    let attrs = if nests.rng.u8(..8) == 0 { vec!["@alias(m, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Nests {
    rng: Rng,
    /// The type of all cells.
    ty: &'static str,
}

impl Nests {
    fn nest(&mut self, out: &mut Vec<Stmt>) {
        let (down, along) = (self.range("h", ROWS), self.range("w", COLUMNS));
        let looped = |name: &str, range: Range, body: Vec<Stmt>| Stmt::For("for", name.into(), range, body);
        if self.rng.u8(..4) == 0 {
            // What goes along the rows is the loop around.
            let value = self.product();
            let sum = Stmt::Set(Expr::at("c", vec![Expr::name("i")]), Some("+"), value);
            return out.push(looped("j", along, vec![looped("i", down, vec![sum])]));
        }
        let start = if self.rng.bool() { Expr::at("c", vec![Expr::name("i")]) } else { self.number(0) };
        let mut inner = Vec::new();
        if self.rng.u8(..4) == 0 {
            let column = Expr::at("x", vec![Expr::name("j")]);
            inner.push(Stmt::Set(column, Some("+"), self.cell()));
        }
        let value = self.product();
        inner.push(match self.rng.u8(..5) {
            0 => Stmt::Set(Expr::name("s"), None, Expr::call("max", vec![Expr::name("s"), value])),
            1 => Stmt::If("if", Expr::binary("<", Expr::name("s"), value.clone()), vec![self.added(value)], Vec::new()),
            _ => self.added(value),
        });
        if self.rng.u8(..6) == 0 {
            let cell = Expr::at("m", vec![Expr::name("i"), Expr::name("j")]);
            inner.push(Stmt::Set(cell, None, Expr::name("s")));
        }
        let store = Stmt::Set(Expr::at("o", vec![Expr::name("i")]), None, Expr::name("s"));
        let body = vec![Stmt::Let("s".into(), Some(self.ty), start), looped("j", along, inner), store];
        out.push(looped("i", down, body));
    }

    fn added(&self, value: Expr) -> Stmt {
        Stmt::Set(Expr::name("s"), Some("+"), value)
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

    /// A cell of the lane's row.
    fn cell(&mut self) -> Expr {
        let (i, j) = (|| Expr::name("i"), || Expr::name("j"));
        match self.rng.u8(..6) {
            0 => Expr::at("line", vec![Expr::binary("+", Expr::binary("*", i(), Expr::literal(COLUMNS)), j())]),
            1 => Expr::at("line", vec![Expr::binary("+", Expr::binary("*", i(), Expr::name("w")), j())]),
            2 => Expr::at("line", vec![Expr::binary("+", Expr::at("at", vec![i()]), j())]),
            // A column further on is none in the last iteration.
            3 if self.rng.u8(..4) == 0 => Expr::at("m", vec![i(), Expr::binary("+", j(), Expr::literal(1))]),
            _ => Expr::at("m", vec![i(), j()]),
        }
    }

    fn product(&mut self) -> Expr {
        let cell = self.cell();
        match self.rng.u8(..4) {
            0 => cell,
            1 => Expr::binary("-", cell, self.number(1)),
            2 => Expr::binary("-", cell, self.cell()),
            _ => Expr::binary("*", cell, Expr::at("x", vec![Expr::name("j")])),
        }
    }
}
