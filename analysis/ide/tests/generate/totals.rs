//! Programs that join the cells of matrices to variables, row by row: sums, least and greatest, and bits, under conditions, of parts of rows,
//! with several variables at once, and with what stands against joining the lanes of all rows before they are reduced.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

const ROWS: i64 = 7;
const COLUMNS: i64 = 35;
const RESULTS: i64 = 8;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x2b67_10f3);
    let cell = *pick(&mut rng, &["u8", "i16", "i32", "i32", "u32", "i64", "f32", "f32", "f64"]);
    let total = if is_float(cell) { cell } else { *pick(&mut rng, &["i32", "i64", "u32"]) };
    let mood = if rng.u8(..4) == 0 { Mood::Wild } else { Mood::Calm };
    let mut totals = Totals { rng, cell, total };
    let mut params = Vec::new();
    for (name, ty, sizes) in
        [("a", cell, &[ROWS, COLUMNS][..]), ("b", cell, &[ROWS, COLUMNS]), ("out", total, &[RESULTS])]
    {
        params.push(data::cells(&mut totals.rng, name, ty, sizes, mood));
    }
    for (name, end) in [("h", ROWS), ("w", COLUMNS)] {
        let number = if totals.rng.u8(..3) > 0 { end } else { totals.rng.i64(-2..=end) };
        params.push(data::number(name, ir::Scalar::I32(number as i32)));
    }
    let mut body = Vec::new();
    for number in 0..totals.rng.usize(1..3) {
        totals.nest(number, &mut body);
    }
    let attrs = if totals.rng.u8(..6) == 0 { vec!["@fast".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Totals {
    rng: Rng,
    /// The types of the matrices' cells, and of the variables.
    cell: &'static str,
    total: &'static str,
}

impl Totals {
    fn nest(&mut self, number: usize, out: &mut Vec<Stmt>) {
        let names = ["s", "t", "u"].map(|name| format!("{name}{number}"));
        let n_names = self.rng.usize(1..=names.len());
        let operators = self.operators();
        let used: Vec<(&str, &str)> =
            names[..n_names].iter().map(|name| (&**name, *pick(&mut self.rng, operators))).collect();
        let looped = |name: &str, range: Range, body: Vec<Stmt>| Stmt::For("for", name.into(), range, body);
        let (down, across) = (self.range("h", ROWS), self.range("w", COLUMNS));
        let mut row = Vec::new();
        for &(name, op) in &used {
            self.joined(name, op, &Expr::name("x"), &mut row);
        }
        let mut rows = vec![looped("x", across, row)];
        match self.rng.u8(..8) {
            // A row sees what the rows before it came to.
            0 => {
                let place = Expr::at("out", vec![Expr::literal(self.rng.i64(0..RESULTS))]);
                rows.push(Stmt::Set(place, None, Expr::name(used[0].0)));
            }
            // A cell of the row is joined behind all of them.
            1 => {
                let column = Expr::literal(self.rng.i64(0..COLUMNS));
                self.joined(used[0].0, used[0].1, &column, &mut rows);
            }
            _ => {}
        }
        let mut nest = looped("y", down, rows);
        if self.rng.u8(..4) == 0 {
            let stop = Expr::literal(self.rng.i64(1..4));
            nest = looped("k", Range { start: None, stop, step: None }, vec![nest]);
        }
        for &(name, _) in &used {
            let start = Expr::literal(self.rng.i64(0..6));
            out.push(Stmt::Let(name.into(), None, Expr::call(self.total, vec![start])));
        }
        out.push(nest);
        for &(name, _) in &used {
            let place = Expr::at("out", vec![Expr::literal(self.rng.i64(0..RESULTS))]);
            out.push(Stmt::Set(place, None, Expr::name(name)));
        }
    }

    fn operators(&self) -> &'static [&'static str] {
        if is_float(self.total) { &["+", "min", "min", "max", "max"] } else { &["+", "+", "min", "max", "&", "|", "^"] }
    }

    /// Adds a statement that joins a cell to a variable, perhaps only under a condition.
    fn joined(&mut self, name: &str, op: &'static str, column: &Expr, out: &mut Vec<Stmt>) {
        let value = self.value(column);
        if self.rng.u8(..4) > 0 {
            out.push(self.join(name, op, value));
            return;
        }
        let limit = Expr::call(self.cell, vec![Expr::literal(self.rng.i64(0..9))]);
        let compares = *pick(&mut self.rng, &["<", ">", "!="]);
        if is_float(self.total) && self.rng.bool() {
            // What has compared as less or greater is no NaN.
            let number = format!("of_{name}");
            out.push(Stmt::Let(number.clone(), None, value));
            let join = self.join(name, op, Expr::name(&number));
            out.push(Stmt::If("if", Expr::binary(compares, Expr::name(&number), limit), vec![join], Vec::new()));
        } else {
            let join = self.join(name, op, value);
            out.push(Stmt::If("if", Expr::binary(compares, at("a", column), limit), vec![join], Vec::new()));
        }
    }

    /// A statement that joins a number to a variable.
    fn join(&mut self, name: &str, op: &'static str, value: Expr) -> Stmt {
        let variable = || Expr::name(name);
        let is_of_floats = is_float(self.total);
        match op {
            // Of floats, the order of the two decides about NaN and zeros.
            "min" | "max" if is_of_floats && self.rng.u8(..4) == 0 => {
                let compares = *pick(&mut self.rng, if op == "min" { &["<", "<="] } else { &[">", ">="] });
                let condition = Expr::binary(compares, value.clone(), variable());
                Stmt::If("if", condition, vec![Stmt::Set(variable(), None, value)], Vec::new())
            }
            "min" | "max" if is_of_floats && self.rng.bool() => {
                Stmt::Set(variable(), None, Expr::call(op, vec![value, variable()]))
            }
            "min" | "max" => Stmt::Set(variable(), None, Expr::call(op, vec![variable(), value])),
            _ => Stmt::Set(variable(), Some(op), value),
        }
    }

    /// A number of few bits, so that most sums end well.
    fn value(&mut self, column: &Expr) -> Expr {
        let (a, b) = (at("a", column), at("b", column));
        let small = |value: Expr| match self.cell {
            ty if is_float(ty) => value,
            "u8" => Expr::call(self.total, vec![value]),
            ty => {
                let low = Expr::binary("&", value, Expr::call(ty, vec![Expr::literal(63)]));
                Expr::call(self.total, vec![low])
            }
        };
        let (a, b) = (small(a), small(b));
        match self.rng.u8(..5) {
            0 if self.total != "u32" => Expr::call("abs", vec![Expr::binary("-", a, b)]),
            1 if self.total != "u32" => Expr::binary("-", a, b),
            2 => Expr::call("max", vec![a, b]),
            _ => a,
        }
    }

    /// Nearly all of a number of indices: their number is a parameter, or known, and then often small.
    fn range(&mut self, name: &str, size: i64) -> Range {
        let start = (self.rng.u8(..3) == 0).then(|| Expr::literal(self.rng.i64(0..3)));
        let stop = match self.rng.u8(..3) {
            0 => Expr::name(name),
            1 => Expr::literal(self.rng.i64(2..=size)),
            _ => Expr::literal(*pick(&mut self.rng, &[4, 8, 16, 32]).min(&size)),
        };
        Range { start, stop, step: None }
    }
}

/// A cell of the row.
fn at(array: &str, column: &Expr) -> Expr {
    Expr::at(array, vec![Expr::name("y"), column.clone()])
}

fn is_float(ty: &str) -> bool {
    matches!(ty, "f32" | "f64")
}
