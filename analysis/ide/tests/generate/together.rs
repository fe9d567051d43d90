//! Programs about what the lanes of a group have in common: arrays of theirs that all hold the same, or do not, branches that they are said
//! to take together, one inside of another, cells that those of them for which something holds fill one after the other in a row, and the
//! least and greatest of them under a condition.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

const ROWS: i64 = 3;
const COLUMNS: i64 = 37;

/// The cells of an array that an iteration has.
const OWN: i64 = 5;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x7de2_1b35);
    let ty = *pick(&mut rng, &["f32", "f32", "f64", "i32"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut together = Together { rng, ty };
    let mut params = Vec::new();
    for (name, ty, sizes) in [
        ("m", ty, vec![ROWS, COLUMNS]),
        ("o", ty, vec![ROWS, COLUMNS]),
        ("r", ty, vec![ROWS]),
        ("q", ty, vec![ROWS]),
        ("t", "i32", vec![OWN]),
        ("z", "i32", vec![ROWS, COLUMNS]),
        ("e", "i32", vec![ROWS]),
    ] {
        params.push(data::cells(&mut together.rng, name, ty, &sizes, if ty == "i32" { Mood::Calm } else { mood }));
    }
    for (name, end) in [("h", ROWS), ("w", COLUMNS)] {
        let number = if together.rng.u8(..3) > 0 { end } else { together.rng.i64(0..=end) };
        params.push(data::number(name, ir::Scalar::I32(number as i32)));
    }
    let mut body = Vec::new();
    for _ in 0..together.rng.usize(1..3) {
        match together.rng.u8(..4) {
            0 => together.packed(&mut body),
            1 => together.extremes(&mut body),
            _ => together.arrays(&mut body),
        }
    }
    let kernel = Function { attrs: Vec::new(), name: "k".into(), params, result: None, body };
    Tree { structs: Vec::new(), enums: Vec::new(), constants: Vec::new(), functions: Vec::new(), kernel }
}

struct Together {
    rng: Rng,
    /// The type of most cells.
    ty: &'static str,
}

impl Together {
    /// Rows into which those elements are packed for which something holds.
    fn packed(&mut self, out: &mut Vec<Stmt>) {
        let condition = self.condition();
        let count = || Expr::name("n");
        let row = if self.rng.u8(..4) == 0 { Expr::literal(1) } else { Expr::name("i") };
        let mut block = vec![Stmt::Set(Expr::at("o", vec![row.clone(), count()]), None, self.cell())];
        if self.rng.bool() {
            block.push(Stmt::Set(Expr::at("z", vec![row, count()]), None, Expr::name("j")));
        }
        block.push(Stmt::Set(count(), Some("+"), Expr::literal(1)));
        let word = self.word();
        let inner = vec![Stmt::If(word, condition, block, Vec::new())];
        let mut nest = vec![
            Stmt::Let("n".into(), Some("i32"), Expr::literal(0)),
            Stmt::For("for", "j".into(), self.range("w"), inner),
        ];
        nest.push(Stmt::Set(Expr::at("e", vec![Expr::name("i")]), None, count()));
        out.push(Stmt::For("for", "i".into(), self.range("h"), nest));
    }

    /// The least and greatest of rows, or of all of them.
    fn extremes(&mut self, out: &mut Vec<Stmt>) {
        let cell = || Expr::name("x");
        let of = |name: &'static str, word: &str| {
            Stmt::Set(Expr::name(name), None, Expr::call(word, vec![Expr::name(name), Expr::name("x")]))
        };
        let mut block = vec![of("l", "min")];
        match self.rng.u8(..3) {
            0 => {}
            1 => block.push(of("g", "max")),
            _ => {
                let (op, last) = if self.rng.bool() { (">", "g") } else { (">=", "g") };
                let set = vec![Stmt::Set(Expr::name(last), None, cell())];
                block.push(Stmt::If("if", Expr::binary(op, cell(), Expr::name(last)), set, Vec::new()));
            }
        }
        let mut inner = vec![Stmt::Let("x".into(), None, self.cell())];
        match self.rng.u8(..4) {
            0 => inner.append(&mut block),
            _ => {
                let condition = self.condition();
                let word = self.word();
                inner.push(Stmt::If(word, condition, block, Vec::new()));
            }
        }
        let start =
            |name: &str, array: &str| Stmt::Let(name.into(), Some(self.ty), Expr::at(array, vec![Expr::literal(0)]));
        let starts = [start("l", "r"), start("g", "q")];
        let ends = |row: Expr| {
            [("r", "l"), ("q", "g")]
                .map(|(array, name)| Stmt::Set(Expr::at(array, vec![row.clone()]), None, Expr::name(name)))
        };
        let (down, along) = (self.range("h"), self.range("w"));
        let row = Stmt::For("for", "j".into(), along, inner);
        if self.rng.bool() {
            let nest = starts.into_iter().chain([row]).chain(ends(Expr::name("i"))).collect();
            return out.push(Stmt::For("for", "i".into(), down, nest));
        }
        // Names of a block end with it.
        let all =
            starts.into_iter().chain([Stmt::For("for", "i".into(), down, vec![row])]).chain(ends(Expr::literal(1)));
        let all: Vec<Stmt> = all.collect();
        let once = Range { start: None, stop: Expr::literal(1), step: None };
        out.push(Stmt::For("for", "once".into(), once, all));
    }

    /// Iterations with arrays of their own.
    fn arrays(&mut self, out: &mut Vec<Stmt>) {
        let own = |place: Expr| Expr::at("a", vec![place]);
        let mut block = vec![
            Stmt::Filled("a".into(), format!("i32[{OWN}]"), None),
            Stmt::Let("n".into(), Some("i32"), Expr::literal(0)),
        ];
        for _ in 0..self.rng.usize(1..4) {
            // What is stored is mostly the same for all lanes, as is its place, and who stores.
            let value = match self.rng.u8(..6) {
                0 => Expr::name("j"),
                1 => Expr::binary("+", own(Expr::name("n")), Expr::literal(1)),
                2 => Expr::cond(Expr::call("any", vec![self.condition()]), Expr::literal(2), Expr::literal(3)),
                _ => Expr::at("t", vec![self.place()]),
            };
            let place = self.place();
            let store = Stmt::Set(own(place), None, value);
            let step = Stmt::Set(
                Expr::name("n"),
                None,
                Expr::binary("%", Expr::binary("+", Expr::name("n"), Expr::literal(1)), Expr::literal(OWN)),
            );
            match self.rng.u8(..6) {
                0 => {
                    let condition = self.condition();
                    let word = self.word();
                    block.push(Stmt::If(word, condition, vec![store], Vec::new()));
                }
                1 => {
                    let test = Expr::binary(">", Expr::at("t", vec![self.place()]), Expr::literal(0));
                    block.push(Stmt::If("if", test, vec![store, step], Vec::new()));
                }
                2 => block.push(Stmt::For(
                    "for",
                    "u".into(),
                    Range { start: None, stop: Expr::literal(3), step: None },
                    vec![store, step],
                )),
                _ => block.extend([store, step]),
            }
        }
        let sum = Expr::binary("+", own(self.place()), own(Expr::binary("%", Expr::name("j"), Expr::literal(OWN))));
        let cell = || Expr::at("z", vec![Expr::name("i"), Expr::name("j")]);
        let mut last = vec![Stmt::Set(cell(), None, sum)];
        for _ in 0..self.rng.u8(..4) {
            let condition = self.condition();
            let other = match self.rng.u8(..3) {
                0 => vec![Stmt::Set(Expr::at("o", vec![Expr::name("i"), Expr::name("j")]), None, self.cell())],
                _ => Vec::new(),
            };
            let word = if self.rng.u8(..4) > 0 { "cif" } else { "if" };
            last = vec![Stmt::If(word, condition, last, other)];
        }
        block.append(&mut last);
        let indices = vec![("i".to_owned(), self.range("h")), ("j".to_owned(), self.range("w"))];
        let lanes = (self.rng.u8(..4) == 0).then_some(8);
        out.push(Stmt::Foreach(lanes, indices, block));
    }

    fn word(&mut self) -> &'static str {
        if self.rng.u8(..3) == 0 { "cif" } else { "if" }
    }

    /// The place in an array of an iteration's own.
    fn place(&mut self) -> Expr {
        match self.rng.u8(..4) {
            0 => Expr::name("n"),
            1 => Expr::binary("%", Expr::name("i"), Expr::literal(OWN)),
            _ => Expr::literal(self.rng.i64(0..OWN)),
        }
    }

    fn cell(&mut self) -> Expr {
        let cell = Expr::at("m", vec![Expr::name("i"), Expr::name("j")]);
        if self.rng.u8(..4) == 0 { Expr::binary("+", cell, self.number(1)) } else { cell }
    }

    fn condition(&mut self) -> Expr {
        let op = *pick(&mut self.rng, &["<", ">", "<=", "!="]);
        let number = self.rng.i64(-2..3);
        let number = if self.ty.starts_with('u') { number.max(0) } else { number };
        Expr::binary(op, self.cell(), Expr::call(self.ty, vec![Expr::literal(number)]))
    }

    fn range(&mut self, name: &str) -> Range {
        Range { start: (self.rng.u8(..4) == 0).then(|| Expr::literal(1)), stop: Expr::name(name), step: None }
    }

    fn number(&self, number: i64) -> Expr {
        Expr::call(self.ty, vec![Expr::literal(number)])
    }
}
