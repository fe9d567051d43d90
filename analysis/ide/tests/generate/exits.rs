//! Programs of loops that may be left early: searches that also write, tests of cells that the loop stores to, sums up to a mark,
//! searches in each row of a matrix, and `while`s without a bound.

use fastrand::Rng;
use hir::eval::{ArgValue, Array};

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Param, Range, Stmt, Tree};

/// The cells of each array.
const SIZE: i64 = 72;

/// The rows and columns of a matrix, and the array of a number for each row.
const ROWS: [i64; 2] = [19, 40];

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x7ab1_e59d);
    let ty = *pick(&mut rng, &["i32", "i32", "f32", "f64", "i16", "u8", "i64"]);
    let mood = if rng.u8(..4) == 0 { Mood::Wild } else { Mood::Calm };
    let mut params = Vec::new();
    let mut param = |name: &str, ty: String, arg: ArgValue| {
        params.push(Param::given(name, ty, arg));
    };
    for name in ["a", "b", "o", "p"] {
        let mark = rng.usize(..SIZE as usize);
        let cells = marked(&mut rng, ty, &[SIZE], mood, |number| number >= mark);
        param(name, format!("{ty}[{SIZE}]"), ArgValue::Array(cells));
    }
    let [n_rows, n_columns] = ROWS;
    let marks: Vec<usize> = (0..n_rows).map(|_| rng.usize(..2 * n_columns as usize)).collect();
    let is_behind = |number: usize| number % n_columns as usize >= marks[number / n_columns as usize];
    let cells = marked(&mut rng, ty, &ROWS, mood, is_behind);
    param("t", format!("{ty}[{n_rows}, {n_columns}]"), ArgValue::Array(cells));
    let cells = data::array(&mut rng, &["i32"], false, &[n_rows], Mood::Calm);
    param("w", format!("i32[{n_rows}]"), ArgValue::Array(cells));
    let stop = ir::Scalar::I32(rng.i32(0..=SIZE as i32 - 4));
    for (name, value) in [("n", stop), ("from", ir::Scalar::I32(rng.i32(0..4)))] {
        param(name, "i32".to_owned(), ArgValue::Scalar(value));
    }
    let mut exits = Exits { rng, ty, index: "i", down: false, step: 1 };
    let mut body = vec![
        Stmt::Let("s".into(), None, Expr::at("a", vec![Expr::literal(0)])),
        Stmt::Let("r".into(), None, Expr::literal(0)),
    ];
    for _ in 0..exits.rng.usize(1..3) {
        exits.loop_(&mut body);
    }
    body.push(Stmt::Set(Expr::at("p", vec![Expr::literal(0)]), None, Expr::name("s")));
    body.push(Stmt::Return(Some(Expr::name("r"))));
    let attrs = if exits.rng.u8(..8) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: Some("i32"), body })
}

/// An array in which marks are rare, so that whole blocks have none, but where `is_wild` says so.
fn marked(rng: &mut Rng, ty: &str, shape: &[i64], mood: Mood, is_wild: impl Fn(usize) -> bool) -> Array {
    let mut cells = data::array(rng, &[ty], false, shape, mood);
    for (number, cell) in cells.cells.iter_mut().enumerate() {
        if !is_wild(number) && rng.u8(..24) != 0 {
            let number = rng.i8(1..9);
            *cell = match data::elem(ty) {
                ir::Elem::F32 => ir::Scalar::F32(number.into()),
                ir::Elem::F64 => ir::Scalar::F64(number.into()),
                elem => ir::Scalar::wrap(elem, number.into()),
            };
        }
    }
    cells
}

struct Exits {
    rng: Rng,
    /// The type of the arrays' elements.
    ty: &'static str,
    /// The name of the index.
    index: &'static str,
    /// True if the loop goes through the arrays from their ends.
    down: bool,
    step: i64,
}

impl Exits {
    fn one_in(&mut self, n: u8) -> bool {
        self.rng.u8(..n) == 0
    }

    fn loop_(&mut self, out: &mut Vec<Stmt>) {
        (self.down, self.step) = (self.one_in(5), 1);
        match self.rng.u8(..6) {
            0 | 1 => {
                self.index = "j";
                self.while_(out);
            }
            2 => self.rows(out),
            _ => {
                self.index = "i";
                self.for_(out);
            }
        }
    }

    fn number(&self, number: i64) -> Expr {
        if self.ty.starts_with('f') { Expr::literal(format!("{number}.0")) } else { Expr::literal(number) }
    }

    /// A cell at the index, or beside it.
    fn cell(&mut self, array: &str) -> Expr {
        let index = Expr::name(self.index);
        let at = match self.rng.u8(..8) {
            0 if !self.down => Expr::binary("+", index, Expr::literal(self.rng.i64(1..4))),
            1 if self.step == 1 => {
                Expr::call("max", vec![Expr::binary("-", index, Expr::literal(1)), Expr::literal(0)])
            }
            _ => index,
        };
        Expr::at(array, vec![at])
    }

    fn own_cell(&self, array: &str) -> Expr {
        Expr::at(array, vec![Expr::name(self.index)])
    }

    fn value(&mut self) -> Expr {
        let array = *pick(&mut self.rng, &["a", "b", "o"]);
        let cell = self.cell(array);
        let number = self.rng.i64(1..3);
        let number = self.number(number);
        match self.rng.u8(..5) {
            0 => Expr::binary("-", cell, number),
            1 => Expr::call("max", vec![cell, number]),
            2 => {
                let other = self.cell("b");
                Expr::call("min", vec![cell, other])
            }
            _ => cell,
        }
    }

    fn store(&mut self) -> Stmt {
        let target = *pick(&mut self.rng, &["o", "o", "p", "a"]);
        let (place, value) = (self.own_cell(target), self.value());
        let stmt = Stmt::Set(place, None, value);
        if self.one_in(5) {
            let test = self.test();
            return Stmt::If("if", test, vec![stmt], Vec::new());
        }
        stmt
    }

    /// A condition that seldom holds.
    fn test(&mut self) -> Expr {
        let array = *pick(&mut self.rng, &["a", "a", "b", "o", "p"]);
        let cell = self.cell(array);
        match self.rng.u8(..4) {
            0 => Expr::binary("==", cell, self.number(0)),
            1 => Expr::binary(">", cell, self.number(8)),
            2 => {
                let other = self.value();
                let both = Expr::binary("==", cell, self.number(7));
                Expr::binary("and", both, Expr::binary("<", other, self.number(3)))
            }
            _ => Expr::binary("<", cell, self.number(1)),
        }
    }

    fn exit(&mut self) -> Stmt {
        let test = self.test();
        let leave = match self.rng.u8(..4) {
            0 => vec![Stmt::Return(Some(Expr::name(self.index)))],
            1 => vec![Stmt::Set(Expr::name("r"), None, Expr::name(self.index)), Stmt::Break],
            _ => vec![Stmt::Break],
        };
        Stmt::If("if", test, leave, Vec::new())
    }

    /// Stores, sums and exits in any order.
    fn inside(&mut self, leaves: bool) -> Vec<Stmt> {
        let mut inside = Vec::new();
        for _ in 0..self.rng.usize(0..3) {
            inside.push(self.store());
        }
        if self.one_in(3) {
            let value = self.value();
            let sum = Expr::call(if self.rng.bool() { "max" } else { "min" }, vec![Expr::name("s"), value]);
            inside.push(Stmt::Set(Expr::name("s"), None, sum));
        }
        if self.one_in(3) {
            inside.push(Stmt::Set(Expr::name("r"), None, Expr::binary("+", Expr::name("r"), Expr::literal(1))));
        }
        for _ in 0..if leaves { self.rng.usize(1..3) } else { 0 } {
            inside.push(self.exit());
        }
        self.rng.shuffle(&mut inside);
        inside
    }

    fn for_(&mut self, out: &mut Vec<Stmt>) {
        self.step = if self.one_in(5) { 2 } else { 1 };
        let low = Expr::literal(self.rng.i64(0..3));
        let high = if self.rng.bool() { Expr::literal(SIZE - 4) } else { Expr::name("n") };
        let range = match (self.down, self.step) {
            (true, step) => Range { start: Some(high), stop: low, step: Some(Expr::literal(-step)) },
            (false, 1) => Range { start: Some(low), stop: high, step: None },
            (false, step) => Range { start: Some(low), stop: high, step: Some(Expr::literal(step)) },
        };
        let inside = self.inside(true);
        out.push(Stmt::For("for", "i".into(), range, inside).perhaps_unrolled(&mut self.rng));
    }

    /// A search in each row of the matrix: rows are independent of each other, and each leaves its loop at a time of its own.
    fn rows(&mut self, out: &mut Vec<Stmt>) {
        let [n_rows, n_columns] = ROWS;
        let cell = || Expr::at("t", vec![Expr::name("row"), Expr::name("i")]);
        let set = |name: &str, value: Expr| Stmt::Set(Expr::name(name), None, value);
        let test = match self.rng.u8(..3) {
            0 => Expr::binary("==", cell(), self.number(0)),
            1 => Expr::binary(">", cell(), self.number(8)),
            _ => Expr::binary("<", cell(), self.number(1)),
        };
        let found = if self.rng.bool() { vec![set("r", Expr::name("i"))] } else { Vec::new() };
        let leave = Stmt::If("if", test, found.into_iter().chain([Stmt::Break]).collect(), Vec::new());
        let mut inside = vec![leave];
        if self.one_in(2) {
            let name = if self.rng.bool() { "max" } else { "min" };
            inside.push(set("s", Expr::call(name, vec![Expr::name("s"), cell()])));
        }
        if self.one_in(3) {
            inside.push(set("r", Expr::binary("+", Expr::name("r"), Expr::literal(1))));
        }
        self.rng.shuffle(&mut inside);
        let low = self.rng.i64(0..3);
        let columns = Range { start: Some(Expr::literal(low)), stop: Expr::literal(n_columns), step: None };
        let row = |array: &str| Expr::at(array, vec![Expr::name("row")]);
        let mut body = vec![set("r", Expr::literal(self.rng.i64(-1..1))), set("s", self.number(3))];
        body.push(Stmt::For("for", "i".into(), columns, inside));
        body.push(Stmt::Set(row("w"), None, Expr::name("r")));
        body.push(Stmt::Set(row("o"), None, Expr::name("s")));
        let rows = Range { start: None, stop: Expr::literal(n_rows), step: None };
        out.push(Stmt::For("for", "row".into(), rows, body));
    }

    /// A `while` without a bound: up to a mark, or out of the array.
    fn while_(&mut self, out: &mut Vec<Stmt>) {
        let start = match self.rng.u8(..4) {
            _ if self.down => Expr::literal(SIZE - 1),
            0 => Expr::name("from"),
            _ => Expr::literal(0),
        };
        out.push(Stmt::Set(Expr::name(self.index), None, start));
        let array = *pick(&mut self.rng, &["a", "a", "b", "o"]);
        let cell = self.own_cell(array);
        let mark = self.number(0);
        let test = match self.rng.u8(..3) {
            0 => Expr::binary(">", cell, mark),
            1 if self.one_in(3) => Expr::literal("true"),
            _ => Expr::binary("!=", cell, mark),
        };
        let leaves = test == Expr::literal("true") || self.one_in(4);
        let mut inside = self.inside(leaves);
        let way = if self.down { "-" } else { "+" };
        let moved =
            Stmt::Set(Expr::name(self.index), None, Expr::binary(way, Expr::name(self.index), Expr::literal(1)));
        let at = if self.one_in(4) { self.rng.usize(..=inside.len()) } else { inside.len() };
        inside.insert(at, moved);
        out.push(Stmt::While("while", test, inside));
    }
}
