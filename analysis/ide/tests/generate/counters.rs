//! Programs of loops that hand a subscript on: the index of an iteration before, and counters under a condition that packed cells are
//! stored to and loaded from, before they are increased and behind that.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The cells of each array: what is linear in an index stays below it.
const SIZE: i64 = 112;

/// The bound of an index.
const MOST: i64 = 50;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x71c3_05e9);
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
    let mut counters = Counters { rng, n_names: 0 };
    let mut body = Vec::new();
    for _ in 0..counters.rng.usize(1..4) {
        match counters.rng.u8(..5) {
            0 | 1 => counters.packed(&mut body),
            _ => counters.wrapped(&mut body),
        }
    }
    let attrs = if counters.rng.u8(..6) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Counters {
    rng: Rng,
    n_names: usize,
}

fn set(name: &str, value: Expr) -> Stmt {
    Stmt::Set(Expr::name(name), None, value)
}

fn plus(a: Expr, number: i64) -> Expr {
    match number {
        0 => a,
        ..0 => Expr::binary("-", a, Expr::literal(-number)),
        _ => Expr::binary("+", a, Expr::literal(number)),
    }
}

impl Counters {
    fn fresh(&mut self, out: &mut Vec<Stmt>, start: Expr) -> String {
        let name = format!("v{}", self.n_names);
        self.n_names += 1;
        out.push(Stmt::Let(name.clone(), Some("i32"), start));
        name
    }

    /// A bound of a range, or a subscript to begin with.
    fn number(&mut self) -> Expr {
        match self.rng.u8(..4) {
            0 => Expr::name("n"),
            1 => Expr::name("m"),
            _ => Expr::literal(self.rng.i64(0..MOST)),
        }
    }

    /// A range, which is empty at times, or has one iteration or two.
    fn range(&mut self) -> Range {
        let start = match self.rng.u8(..3) {
            0 => self.number(),
            _ => Expr::literal(self.rng.i64(0..4)),
        };
        let stop = match self.rng.u8(..6) {
            0 => plus(start.clone(), self.rng.i64(0..4)),
            1 => Expr::literal(self.rng.i64(0..4)),
            _ => self.number(),
        };
        match self.rng.u8(..6) {
            0 => Range { start: Some(stop), stop: start, step: Some(Expr::literal(-1)) },
            1 => Range { start: Some(start), stop, step: Some(Expr::literal(2)) },
            _ => Range { start: Some(start), stop, step: None },
        }
    }

    fn value(&mut self) -> Expr {
        let cell = |array: &str| Expr::at(array, vec![Expr::name("i")]);
        match self.rng.u8(..3) {
            0 => Expr::name("x"),
            1 => cell("a"),
            _ => cell("b"),
        }
    }

    fn condition(&mut self) -> Expr {
        let value = self.value();
        Expr::binary("<", Expr::at("b", vec![Expr::name("i")]), value)
    }

    /// Joins two values in a way that no integer overflows by.
    fn joined(&mut self, a: Expr, b: Expr) -> Expr {
        Expr::call(*pick(&mut self.rng, &["min", "max"]), vec![a, b])
    }

    /// A store of a cell that is subscripted by a name, or of one that is loaded so.
    fn access(&mut self, subscript: Expr) -> Stmt {
        let there = |array: &str| Expr::at(array, vec![subscript.clone()]);
        let value = self.value();
        match self.rng.u8(..5) {
            0 => Stmt::Set(there("p"), None, value),
            1 => Stmt::Set(there("o"), None, value),
            _ => {
                let from = *pick(&mut self.rng, &["a", "b", "a", "p"]);
                let value = self.joined(there(from), value);
                Stmt::Set(Expr::at("o", vec![Expr::name("i")]), None, value)
            }
        }
    }

    /// The index of the iteration before, or of the second before, which nothing but the first ones need be told.
    fn wrapped(&mut self, out: &mut Vec<Stmt>) {
        let start = self.number();
        let last = self.fresh(out, start);
        let start = self.number();
        let second = (self.rng.u8(..3) == 0).then(|| self.fresh(out, start));
        let counter = (self.rng.u8(..4) == 0).then(|| self.fresh(out, Expr::literal(self.n_names % 3)));
        let mut body = Vec::new();
        for name in [Some(&last), second.as_ref()].into_iter().flatten() {
            let away = if self.rng.u8(..4) == 0 { 1 } else { 0 };
            body.push(self.access(plus(Expr::name(&**name), away)));
        }
        if self.rng.u8(..6) == 0 {
            body.push(self.access(Expr::name("i")));
        }
        let index = counter.as_ref().map_or("i", |counter| counter);
        let next = match self.rng.u8(..8) {
            0 => plus(Expr::name(index), 1),
            1 => Expr::binary("*", Expr::literal(2), Expr::name(index)),
            2 => Expr::binary("-", Expr::literal(SIZE - 10), Expr::name(index)),
            3 => Expr::call("min", vec![Expr::name(index), Expr::name("m")]),
            _ => Expr::name(index),
        };
        let update = set(&last, next);
        body.extend(second.as_ref().map(|second| set(second, Expr::name(&*last))));
        body.push(match self.rng.u8(..8) {
            0 => Stmt::If("if", self.condition(), vec![update], Vec::new()),
            _ => update,
        });
        body.extend(counter.as_ref().map(|counter| Stmt::Set(Expr::name(&**counter), Some("+"), Expr::literal(1))));
        let range = self.range();
        out.push(Stmt::For("for", "i".into(), range, body));
        for name in [Some(&last), second.as_ref()].into_iter().flatten() {
            self.keep(name, out);
        }
    }

    /// Cells that are packed, or unpacked, with a counter that is increased before or behind, or between two of them.
    fn packed(&mut self, out: &mut Vec<Stmt>) {
        let start = match self.rng.u8(..3) {
            0 => self.number(),
            _ => Expr::literal(self.rng.i64(-1..3)),
        };
        let count = self.fresh(out, start);
        let mut block = Vec::new();
        for _ in 0..self.rng.usize(1..3) {
            // A counter that begins below the first cell is increased first, or it is an error where it is in time.
            let away = *pick(&mut self.rng, &[0, 0, 0, 1, 2, -1]);
            block.push(self.access(plus(Expr::name(&*count), away)));
        }
        let by = if self.rng.u8(..8) == 0 { 2 } else { 1 };
        let more = Stmt::Set(Expr::name(&*count), Some("+"), Expr::literal(by));
        block.insert(if self.rng.bool() { 0 } else { self.rng.usize(..=block.len()) }, more);
        let body = vec![Stmt::If("if", self.condition(), block, Vec::new())];
        let range = self.range();
        out.push(Stmt::For("for", "i".into(), range, body));
        self.keep(&count, out);
    }

    /// A store of what a number is behind its loop.
    fn keep(&mut self, name: &str, out: &mut Vec<Stmt>) {
        let cell = Expr::at("q", vec![Expr::literal(self.rng.i64(0..SIZE))]);
        out.push(Stmt::Set(cell, None, Expr::name(name)));
    }
}
