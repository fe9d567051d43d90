//! Programs of loops whose statements store and load neighbouring cells of the same arrays, and hand on what they load before it is stored
//! again: the loops in which it matters what may be done first in an iteration, and what the one before has just stored.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The cells of each array: an index, and what is away from it, stays inside.
const SIZE: i64 = 80;

/// The bound of an index.
const MOST: i64 = 70;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x0e16_4b04);
    let ty = *pick(&mut rng, &["f32", "f32", "f64", "i32", "u32", "i16", "u8"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut params = Vec::new();
    for name in ["a", "b", "o", "p"] {
        params.push(data::cells(&mut rng, name, ty, &[SIZE], mood));
    }
    params.push(data::number("x", data::scalar(&mut rng, ty, mood)));
    params.push(data::number("n", ir::Scalar::I32(rng.i32(0..MOST as i32))));
    params.push(data::number("d", ir::Scalar::I32(rng.i32(0..=10))));
    let mut neighbours = Neighbours {
        rng,
        is_float: ty.starts_with('f'),
        handed_on: Vec::new(),
        running: None,
        is_apart: false,
        flag: None,
        depth: None,
    };
    let mut body = Vec::new();
    for number in 0..neighbours.rng.usize(1..3) {
        neighbours.a_loop(number, ty, &mut body);
    }
    let attrs = if neighbours.rng.u8(..8) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Neighbours {
    rng: Rng,
    is_float: bool,
    /// The variables that the loop hands on.
    handed_on: Vec<String>,
    /// The array whose cells run on, which other statements do not mention.
    running: Option<&'static str>,
    /// True if cells lie as far from the index as a parameter says.
    is_apart: bool,
    /// A condition that the loop hands on.
    flag: Option<String>,
    /// A count that goes up in some iterations and down in others, and that conditions ask about.
    depth: Option<String>,
}

/// A cell that lies away from the index.
fn cell(array: &str, away: i64) -> Expr {
    let i = Expr::name("i");
    let subscript = match away {
        0 => i,
        ..0 => Expr::binary("-", i, Expr::literal(-away)),
        _ => Expr::binary("+", i, Expr::literal(away)),
    };
    Expr::at(array, vec![subscript])
}

impl Neighbours {
    fn a_loop(&mut self, number: usize, ty: &'static str, out: &mut Vec<Stmt>) {
        let n_handed_on = *pick(&mut self.rng, &[0, 0, 1, 1, 2]);
        self.handed_on = (0..n_handed_on).map(|which| format!("v{number}_{which}")).collect();
        out.extend(self.handed_on.iter().map(|name| Stmt::Let(name.clone(), Some(ty), Expr::name("x"))));
        self.running = (self.is_float && self.rng.u8(..3) == 0).then(|| self.array());
        self.is_apart = self.running.is_none() && self.rng.u8(..4) == 0;
        self.flag = (self.rng.u8(..4) == 0).then(|| format!("t{number}"));
        if let Some(flag) = &self.flag {
            out.push(Stmt::Let(flag.clone(), None, Expr::literal(*pick(&mut self.rng, &["true", "false"]))));
        }
        self.depth = (self.rng.u8(..5) == 0).then(|| format!("e{number}"));
        if let Some(depth) = &self.depth {
            out.push(Stmt::Let(depth.clone(), Some("i32"), Expr::literal(0)));
        }
        let counter = (self.rng.u8(..6) == 0).then(|| format!("c{number}"));
        let mut body: Vec<Stmt> = (0..self.rng.usize(1..5)).map(|_| self.statement()).collect();
        if let Some(array) = self.running {
            body.insert(self.rng.usize(..=body.len()), self.running_on(array));
        }
        if let Some(counter) = &counter {
            out.push(Stmt::Let(counter.clone(), Some("i32"), Expr::literal(0)));
            body.insert(self.rng.usize(..=body.len()), self.packed(counter));
        }
        if let Some(flag) = self.flag.clone() {
            body.insert(self.rng.usize(..=body.len()), self.next_flag(&flag));
        }
        if let Some(depth) = self.depth.clone() {
            body.insert(self.rng.usize(..=body.len()), self.next_depth(&depth));
        }
        // What is handed on from the next but one goes before what it is taken from.
        for name in self.handed_on.clone() {
            let value = self.next_of(&name);
            body.insert(self.rng.usize(..=body.len()), Stmt::Set(Expr::name(name), None, value));
        }
        let start = Expr::literal(self.rng.i64(4..6));
        let start = if self.is_apart { Expr::binary("+", Expr::name("d"), start) } else { start };
        let stop = if self.rng.bool() { Expr::name("n") } else { Expr::literal(self.rng.i64(0..MOST)) };
        let range = match self.rng.u8(..5) {
            0 if self.running.is_none() => Range { start: Some(stop), stop: start, step: Some(Expr::literal(-1)) },
            _ => Range { start: Some(start), stop, step: None },
        };
        let made = Stmt::For("for", "i".into(), range, body);
        out.push(if self.running.take().is_some() { made.marked("@reassoc") } else { made });
        self.depth = None;
        if let Some(flag) = self.flag.take() {
            let place = Expr::at("p", vec![Expr::literal(self.rng.i64(0..SIZE))]);
            out.push(Stmt::If("if", Expr::name(flag), vec![Stmt::Set(place, None, Expr::name("x"))], Vec::new()));
        }
        for name in std::mem::take(&mut self.handed_on) {
            let place = Expr::at("p", vec![Expr::literal(self.rng.i64(0..SIZE))]);
            out.push(Stmt::Set(place, None, Expr::name(name)));
        }
    }

    fn array(&mut self) -> &'static str {
        let all = ["a", "b", "o", "p"].into_iter().filter(|array| self.running != Some(array));
        let all: Vec<&str> = all.collect();
        all[self.rng.usize(..all.len())]
    }

    /// A cell that is computed from the one before, and perhaps from the second before.
    fn running_on(&mut self, array: &'static str) -> Stmt {
        let away = self.away();
        let mut value = Expr::binary("+", cell(array, away - 1), self.value());
        if self.rng.u8(..3) == 0 {
            let factor = self.value();
            value = Expr::binary("-", value, Expr::binary("*", cell(array, away - 2), factor));
        }
        Stmt::Set(cell(array, away), None, value)
    }

    fn away(&mut self) -> i64 {
        *pick(&mut self.rng, &[0, 0, 0, 0, 1, 1, -1, -1, 2, -2, 8])
    }

    fn value(&mut self) -> Expr {
        match self.rng.u8(..8) {
            0..3 if self.is_apart => {
                let sign = *pick(&mut self.rng, &["-", "-", "+"]);
                Expr::at(self.array(), vec![Expr::binary(sign, Expr::name("i"), Expr::name("d"))])
            }
            0 => Expr::name("x"),
            1 | 2 if !self.handed_on.is_empty() => Expr::name(pick(&mut self.rng, &self.handed_on).clone()),
            _ => {
                let away = self.away();
                cell(self.array(), away)
            }
        }
    }

    /// Two values, joined in a way that no integer overflows by.
    fn joined(&mut self) -> Expr {
        let (a, b) = (self.value(), self.value());
        if let Some(flag) = self.flag.clone().filter(|_| self.rng.bool()) {
            return Expr::cond(Expr::name(flag), a, b);
        }
        match self.rng.u8(..4) {
            0 if self.is_float => Expr::binary("+", a, b),
            1 if self.is_float => Expr::binary("*", a, b),
            0 | 2 => Expr::call("min", vec![a, b]),
            1 => a,
            _ => Expr::call("max", vec![a, b]),
        }
    }

    fn statement(&mut self) -> Stmt {
        let away = self.away();
        let place = cell(self.array(), away);
        let store = Stmt::Set(place, None, self.joined());
        match self.rng.u8(..8) {
            0 => Stmt::If("if", self.condition(), vec![store], Vec::new()),
            _ => store,
        }
    }

    fn condition(&mut self) -> Expr {
        if let Some(depth) = self.depth.clone().filter(|_| self.rng.bool()) {
            return Expr::binary("<", Expr::name(depth), Expr::literal(self.rng.i64(-1..3)));
        }
        Expr::binary("<", self.value(), self.value())
    }

    /// What a variable is in the next iteration: what this one loads, mostly, or what it makes of the variable.
    fn next_of(&mut self, name: &str) -> Expr {
        match self.rng.u8(..6) {
            0 => Expr::call("max", vec![Expr::name(name), self.value()]),
            // Its opposite, and bits that are joined to it.
            1 if self.is_float => Expr::unary("-", Expr::name(name)),
            1 => Expr::binary(["^", "|", "&"][self.rng.usize(..3)], Expr::name(name), self.value()),
            2 => self.joined(),
            _ => self.value(),
        }
    }

    /// A count goes up where one thing holds, and else down where another one does, of which the first may have been loaded before.
    fn next_depth(&mut self, depth: &str) -> Stmt {
        let step = |op: &'static str| Stmt::Set(Expr::name(depth), Some(op), Expr::literal(1));
        let [a, b, c] = [(); 3].map(|()| self.value());
        let d = if self.rng.u8(..3) == 0 { self.value() } else { a.clone() };
        let down = Stmt::If("if", Expr::binary("<", d, c), vec![step("-")], Vec::new());
        Stmt::If("if", Expr::binary("<", b, a), vec![step("+")], vec![down])
    }

    /// What a condition is in the next iteration: its opposite, or true, or false, in each one or where something holds.
    fn next_flag(&mut self, flag: &str) -> Stmt {
        let next = match self.rng.u8(..5) {
            0 => Expr::literal("true"),
            1 => Expr::literal("false"),
            _ => Expr::unary("not", Expr::name(flag)),
        };
        let set = Stmt::Set(Expr::name(flag), None, next);
        match self.rng.bool() {
            true => Stmt::If("if", self.condition(), vec![set], Vec::new()),
            false => set,
        }
    }

    /// A cell that is stored to under a condition from those that are next in a row, or to them.
    fn packed(&mut self, counter: &str) -> Stmt {
        let next = |array: &str| Expr::at(array, vec![Expr::name(counter)]);
        let array = self.array();
        let move_ = match self.rng.bool() {
            true => Stmt::Set(cell(self.array(), 0), None, next(array)),
            false => Stmt::Set(next(array), None, self.value()),
        };
        let more = Stmt::Set(Expr::name(counter), Some("+"), Expr::literal(1));
        Stmt::If("if", self.condition(), vec![move_, more], Vec::new())
    }
}
