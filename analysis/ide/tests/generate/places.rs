//! Programs of loops in which it matters which cells iterations share: one cell that all of them work on, loads that a store would
//! spoil, cells that lie interleaved and are changed in place, and steps of every kind.

use fastrand::Rng;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Function, Range, Stmt, Tree};

/// The cells of each array.
const SIZE: i64 = 112;

/// The iterations of a loop at most: as many as the largest factor of a subscript allows.
const MOST: i64 = 27;

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x90ab_c177);
    let ty = *pick(&mut rng, &["i32", "i32", "u32", "f32", "i16", "u8", "i64"]);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut places = Places { rng, ty, step: 1, apart: 1 };
    let mut params = Vec::new();
    for name in ["a", "b", "o", "p"] {
        params.push(data::cells(&mut places.rng, name, ty, &[SIZE], mood));
    }
    if ty == "u8" {
        // A table that has a cell for each byte.
        params.push(data::cells(&mut places.rng, "t", ty, &[256], mood));
    }
    let value = data::scalar(&mut places.rng, ty, mood);
    params.push(data::number("x", value));
    for (name, end) in [("n", MOST), ("k", 8)] {
        params.push(data::number(name, ir::Scalar::I32(places.rng.i32(0..end as i32))));
    }
    places.apart = *pick(&mut places.rng, &[1, 1, 1, 1, 1, 2, 3, 0, -1, -2]);
    params.push(data::number("s", ir::Scalar::I32(places.apart as i32)));
    let mut body = Vec::new();
    for _ in 0..places.rng.usize(1..4) {
        places.loop_(false, &mut body);
    }
    if places.rng.u8(..3) == 0 {
        places.loop_(true, &mut body);
    }
    let attrs = if places.rng.u8(..6) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    Tree::of(Function { attrs, name: "k".into(), params, result: None, body })
}

struct Places {
    rng: Rng,
    /// The type of all cells.
    ty: &'static str,
    /// The step of the loop.
    step: i64,
    /// The parameter that cells may lie apart, or that may be the step.
    apart: i64,
}

impl Places {
    /// A loop; if asked for, one whose cells lie as far apart as a parameter says.
    fn loop_(&mut self, is_apart: bool, out: &mut Vec<Stmt>) {
        self.step = *pick(&mut self.rng, &[1, 1, 1, 2, 3, 5, -1, -2]);
        // A step of 0 is told at other places by the evaluator than by what is lowered.
        let is_named = is_apart && self.apart != 0 && self.rng.bool();
        if is_named {
            self.step = self.apart;
        }
        let mut body = Vec::new();
        // Bytes are summed more often than others: there is an instruction for them.
        let sum = (self.ty == "u8" && self.rng.u8(..3) == 0).then(|| format!("t{}", out.len()));
        if let Some(sum) = &sum {
            let wide = *pick(&mut self.rng, &["i32", "u32", "i64"]);
            out.push(Stmt::Let(sum.clone(), Some(wide), Expr::literal(0)));
            self.summed(sum, wide, &mut body);
        }
        match self.rng.u8(..6) {
            _ if sum.is_some() => {}
            _ if is_apart => self.apart(&mut body),
            0 | 1 => self.shared(&mut body),
            2 => self.spoiled(&mut body),
            3 => self.interleaved(&mut body),
            4 => self.crossed(&mut body),
            _ => self.widened(&mut body),
        }
        if self.rng.u8(..3) == 0 {
            let value = self.value();
            body.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, value));
        }
        let line = (self.rng.u8(..4) == 0).then(|| self.line(out, &mut body));
        // A number of another type than the index may go with it as well.
        let counted = (self.rng.u8(..4) == 0).then(|| format!("w{}", out.len()));
        if let Some(name) = &counted {
            let ty = *pick(&mut self.rng, &["i64", "u8", "i16", "i32"]);
            out.push(Stmt::Let(name.clone(), Some(ty), Expr::literal(self.rng.i64(0..4))));
        }
        if self.rng.u8(..4) == 0 || line.is_some() && self.rng.bool() {
            let index = line.as_ref().map_or("i", |(name, _)| name);
            body = vec![self.on_the_index(index, body)];
        }
        if let Some((name, way)) = line {
            let by = *pick(&mut self.rng, &[1, 1, 1, 2]);
            body.push(Stmt::Set(Expr::name(&*name), Some(way), Expr::literal(by)));
        }
        if let Some(name) = &counted {
            body.push(Stmt::Set(Expr::name(&**name), Some("+"), Expr::literal(1)));
        }
        let high = if self.rng.bool() { Expr::literal(self.rng.i64(0..MOST)) } else { Expr::name("n") };
        let low = Expr::literal(self.rng.i64(0..3));
        let range = match self.step {
            step if is_named => {
                let (start, stop) = if step < 0 { (high, low) } else { (low, high) };
                Range { start: Some(start), stop, step: Some(Expr::name("s")) }
            }
            1 => Range { start: Some(low), stop: high, step: None },
            step if step > 0 => Range { start: Some(low), stop: high, step: Some(Expr::literal(step)) },
            step => Range { start: Some(high), stop: low, step: Some(Expr::literal(step)) },
        };
        out.push(Stmt::For("for", "i".into(), range, body));
        if let Some(counted) = counted {
            let at = Expr::at("p", vec![Expr::literal(self.rng.i64(40..50))]);
            out.push(Stmt::Set(at, None, Expr::call(self.ty, vec![Expr::name(&*counted)])));
        }
        if let Some(sum) = sum {
            let at = Expr::at("p", vec![Expr::literal(self.rng.i64(30..40))]);
            out.push(Stmt::Set(at, None, Expr::call(self.ty, vec![Expr::name(&*sum)])));
        }
    }

    /// A sum of bytes, or of distances between bytes, some of which are computed in other types than the sum.
    fn summed(&mut self, sum: &str, wide: &'static str, out: &mut Vec<Stmt>) {
        let between = *pick(&mut self.rng, &["i32", "i16", "i64", "u16"]);
        let [x, y] = [(); 2].map(|()| Expr::call(between, vec![self.value()]));
        let value = match self.rng.u8(..4) {
            0 => x,
            1 => Expr::call("i8", vec![Expr::call("abs", vec![Expr::binary("-", x, y)])]),
            _ => Expr::call("abs", vec![Expr::binary("-", x, y)]),
        };
        out.push(Stmt::Set(Expr::name(sum), Some("+"), Expr::call(wide, vec![value])));
    }

    /// A value that lanes have at hand.
    fn value(&mut self) -> Expr {
        let array = *pick(&mut self.rng, &["a", "b", "b"]);
        let loaded = Expr::at(array, vec![Expr::name("i")]);
        match self.rng.u8(..4) {
            0 => Expr::name("x"),
            1 => Expr::call("min", vec![loaded, Expr::name("x")]),
            2 if self.ty == "u8" => Expr::at("t", vec![loaded]),
            _ => loaded,
        }
    }

    fn condition(&mut self) -> Expr {
        let (value, other) = (self.value(), self.value());
        Expr::binary(if self.rng.bool() { "<" } else { "!=" }, value, other)
    }

    /// A number that goes with the index, and perhaps a cell that it tells; gives its name, and how it changes.
    fn line(&mut self, out: &mut Vec<Stmt>, body: &mut Vec<Stmt>) -> (String, &'static str) {
        let name = format!("q{}", out.len());
        let (way, start) = match self.rng.u8(..3) {
            0 => ("+", Expr::name("k")),
            1 => ("+", Expr::literal(self.rng.i64(0..4))),
            _ => ("-", Expr::literal(self.rng.i64(2 * MOST..SIZE))),
        };
        out.push(Stmt::Let(name.clone(), Some("i32"), start));
        if self.rng.bool() {
            let loaded = Expr::at("b", vec![Expr::name(&*name)]);
            body.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, loaded));
        }
        (name, way)
    }

    /// Statements that are done in some range of the index, or of a number that goes with it, or in one iteration, and others in the rest.
    fn on_the_index(&mut self, index: &str, body: Vec<Stmt>) -> Stmt {
        let i = Expr::name(index);
        let index = match self.rng.u8(..3) {
            0 => Expr::binary("+", i, Expr::literal(self.rng.i64(1..4))),
            1 => Expr::binary("-", i, Expr::literal(self.rng.i64(1..4))),
            _ => i,
        };
        let with = match self.rng.u8(..4) {
            0 => Expr::name("k"),
            1 => Expr::binary("//", Expr::name("n"), Expr::literal(2)),
            2 => Expr::binary("-", Expr::name("n"), Expr::name("k")),
            _ => Expr::literal(self.rng.i64(-2..MOST)),
        };
        let order = *pick(&mut self.rng, &["<", "<=", ">", ">=", "==", "!="]);
        let test = match self.rng.bool() {
            true => Expr::binary(order, index, with),
            false => Expr::binary(order, with, index),
        };
        let mut other = Vec::new();
        if self.rng.bool() {
            let value = self.value();
            other.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, value));
        }
        Stmt::If("if", test, body, other)
    }

    /// Statements on one cell, or two, in an array that mostly nothing else touches.
    fn shared(&mut self, out: &mut Vec<Stmt>) {
        let cells: Vec<Expr> = (0..self.rng.usize(1..3))
            .map(|_| match self.rng.u8(..5) {
                0 => Expr::name("k"),
                1 => Expr::binary("+", Expr::name("k"), Expr::literal(1)),
                _ => Expr::literal(self.rng.i64(0..4)),
            })
            .collect();
        for at in cells {
            let cell = || Expr::at("o", vec![at.clone()]);
            for _ in 0..self.rng.usize(1..3) {
                let value = self.value();
                let new = match self.rng.u8(..6) {
                    0 | 1 => Expr::binary("+", cell(), value),
                    2 => Expr::call("max", vec![cell(), value]),
                    3 => Expr::call("min", vec![cell(), value]),
                    4 => Expr::binary("-", cell(), value),
                    5 if self.ty != "f32" => Expr::binary("^", cell(), value),
                    _ => value,
                };
                let set = Stmt::Set(cell(), None, new);
                let test = match self.rng.u8(..6) {
                    0 | 1 => Some(self.condition()),
                    2 => Some(Expr::binary("<", cell(), self.value())),
                    _ => None,
                };
                out.push(match test {
                    Some(test) => {
                        let (value, is_both) = (self.value(), self.rng.u8(..3) == 0);
                        let other = if is_both { vec![Stmt::Set(cell(), None, value)] } else { Vec::new() };
                        Stmt::If("if", test, vec![set], other)
                    }
                    None => set,
                });
            }
            if self.rng.u8(..4) == 0 {
                out.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, cell()));
            }
        }
        // Another cell of the array may be any of those.
        if self.rng.u8(..6) == 0 {
            let value = Expr::binary("+", Expr::at("o", vec![Expr::name("i")]), Expr::name("x"));
            out.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, value));
        }
    }

    /// A store to cells that go with the index, of what is loaded from a cell that is the same in all iterations, or from cells that go the
    /// other way, so that in one iteration both are the same cell.
    fn crossed(&mut self, out: &mut Vec<Stmt>) {
        let plus = |expr: Expr, by: i64| if by == 0 { expr } else { Expr::binary("+", expr, Expr::literal(by)) };
        let n = || Expr::name("n");
        let end = match self.rng.u8(..3) {
            0 => Expr::literal(self.rng.i64(MOST..2 * MOST)),
            1 => Expr::binary("+", n(), Expr::name("k")),
            _ => n(),
        };
        let falls = plus(Expr::binary("-", end, Expr::name("i")), self.rng.i64(0..3));
        let fixed = match self.rng.u8(..4) {
            0 => Expr::name("k"),
            1 => Expr::binary("//", n(), Expr::literal(2)),
            2 => Expr::binary("+", Expr::name("k"), Expr::literal(2)),
            _ => Expr::literal(self.rng.i64(0..MOST)),
        };
        let rises = plus(Expr::name("i"), self.rng.i64(0..3));
        let (stored, loaded) = match self.rng.u8(..5) {
            0 => (falls, rises),
            1 | 2 => (rises, falls),
            _ => (rises, fixed),
        };
        let (loaded, value) = (Expr::at("o", vec![loaded]), self.value());
        let new = match self.rng.u8(..3) {
            0 => Expr::call("min", vec![loaded, value]),
            1 => {
                let holds = Expr::call("i32", vec![Expr::binary("<", loaded, value)]);
                Expr::call(self.ty, vec![Expr::binary("^", holds, Expr::literal(1))])
            }
            _ => Expr::binary("+", loaded, value),
        };
        let new = if self.rng.bool() { new } else { Expr::binary("+", new, Expr::at("o", vec![stored.clone()])) };
        out.push(Stmt::Set(Expr::at("o", vec![stored]), None, Expr::call(self.ty, vec![new])));
    }

    /// A statement on cells that lie as far apart as a parameter says.
    fn apart(&mut self, out: &mut Vec<Stmt>) {
        let by = self.rng.i64(0..4);
        let at = |wide: bool| {
            let cast = |name: &str| if wide { Expr::call("i64", vec![Expr::name(name)]) } else { Expr::name(name) };
            let base = Expr::binary("*", cast("i"), cast("s"));
            if by == 0 { base } else { Expr::binary("+", base, Expr::literal(by)) }
        };
        let [stored, loaded] = [(); 2].map(|()| match self.rng.u8(..4) {
            0 => Expr::name("i"),
            number => at(number == 1),
        });
        let from = *pick(&mut self.rng, &["a", "b", "o"]);
        let value = Expr::binary("+", Expr::at(from, vec![loaded]), self.value());
        out.push(Stmt::Set(Expr::at("o", vec![stored]), None, value));
    }

    /// Statements of which some load what others have stored, or will store.
    fn spoiled(&mut self, out: &mut Vec<Stmt>) {
        let arrays = ["o", "p", "a"];
        for _ in 0..self.rng.usize(2..5) {
            let target = *pick(&mut self.rng, &arrays);
            let from = *pick(&mut self.rng, &arrays);
            let by = self.rng.i64(0..4) * self.step.signum();
            let by = if self.rng.u8(..4) == 0 { -by } else { by };
            let at = |by: i64| match by {
                0 => Expr::name("i"),
                by if by > 0 => Expr::binary("+", Expr::name("i"), Expr::literal(by)),
                // A negative index is the program's error now and then.
                by => Expr::binary("-", Expr::binary("+", Expr::name("i"), Expr::literal(4)), Expr::literal(4 + by)),
            };
            let loaded = Expr::at(from, vec![at(by)]);
            let value = self.value();
            let value = match self.rng.u8(..4) {
                0 => loaded,
                1 => Expr::call("max", vec![loaded, value]),
                _ => Expr::binary("+", loaded, value),
            };
            let by = if self.rng.u8(..4) == 0 { self.rng.i64(0..3) } else { 0 };
            out.push(Stmt::Set(Expr::at(target, vec![at(by)]), None, value));
        }
    }

    /// A number of `p` that is computed in a wider type from narrow ones.
    fn widened(&mut self, out: &mut Vec<Stmt>) {
        let wide = *pick(&mut self.rng, &["i32", "i32", "i64", "u32"]);
        let is_float = self.ty == "f32";
        // Numbers of a few bits, if the cells have more.
        let few = |maker: &mut Places| {
            let loaded = maker.value();
            match maker.ty {
                "f32" => Expr::call(wide, vec![Expr::binary("<", loaded, Expr::literal("1.5"))]),
                "u8" => Expr::call(wide, vec![loaded]),
                _ => Expr::call(wide, vec![Expr::call("u8", vec![Expr::binary("&", loaded, Expr::literal(127))])]),
            }
        };
        let mut value = few(self);
        for _ in 0..self.rng.usize(1..5) {
            let other = if self.rng.bool() { few(self) } else { Expr::literal(self.rng.i64(1..12)) };
            value = match self.rng.u8(..10) {
                0..=2 => Expr::binary("+", value, other),
                3 => Expr::binary("*", Expr::binary("&", value, Expr::literal(63)), Expr::literal(self.rng.i64(1..9))),
                4 => Expr::binary(">>", value, Expr::literal(self.rng.i64(0..4))),
                5 => Expr::binary("//", value, Expr::literal(self.rng.i64(1..10))),
                6 => Expr::call("max", vec![value, other]),
                7 => Expr::cond(Expr::binary("<", value.clone(), other.clone()), other, value),
                8 if wide != "u32" => Expr::binary("-", value, other),
                _ => Expr::binary("^", value, other),
            };
        }
        let value = match is_float {
            true => Expr::call("f32", vec![Expr::call("i16", vec![value])]),
            false => {
                let narrow = *pick(&mut self.rng, &["u8", "i16", "u16"]);
                Expr::call(self.ty, vec![Expr::call(narrow, vec![value])])
            }
        };
        out.push(Stmt::Set(Expr::at("p", vec![Expr::name("i")]), None, value));
    }

    /// Cells that lie interleaved, each changed in place, of integers mostly in a wider type.
    fn interleaved(&mut self, out: &mut Vec<Stmt>) {
        let factor = self.rng.i64(2..5);
        let wide = match self.ty {
            "u8" | "i16" => Some(*pick(&mut self.rng, &["i32", "u32", "u16", "i64"])),
            "i32" | "u32" => Some("i64"),
            _ => None,
        };
        let wide = wide.filter(|_| self.rng.u8(..4) > 0);
        let mut phases: Vec<i64> = (0..factor).collect();
        if self.rng.u8(..3) == 0 {
            self.rng.shuffle(&mut phases);
        }
        // Half of the time all cells are changed in one way, but for some, as the channels of pixels are.
        let are_alike = self.rng.bool();
        if !are_alike || self.rng.u8(..4) == 0 {
            phases.truncate(self.rng.usize(1..4));
        }
        let mut way = None;
        for phase in phases {
            let chosen = [3, 3, 4].map(|ways| self.rng.u8(..ways));
            let [source, operation, rest] = match way {
                Some(way) if are_alike && self.rng.u8(..6) > 0 => way,
                _ => chosen,
            };
            way = way.or(Some(chosen));
            let base = Expr::binary("*", Expr::literal(factor), Expr::name("i"));
            let at = || match phase {
                0 => base.clone(),
                _ => Expr::binary("+", base.clone(), Expr::literal(phase)),
            };
            let own = Expr::at("o", vec![at()]);
            let other = match source {
                0 => Expr::at("b", vec![at()]),
                _ => self.value(),
            };
            let as_wide = |value: Expr| match wide {
                Some(wide) => Expr::call(wide, vec![value]),
                None => value,
            };
            let (own, other) = (as_wide(own), as_wide(other));
            let value = match operation {
                0 => Expr::call("max", vec![own, other]),
                1 => Expr::binary("-", own, other),
                _ => Expr::binary("+", own, other),
            };
            let value = match (wide, rest) {
                (Some(_), 0) => Expr::binary(">>", value, Expr::literal(self.rng.i64(0..9))),
                (Some(_), 1) => Expr::binary("&", value, Expr::literal(self.rng.i64(0..256))),
                _ => value,
            };
            let value = if wide.is_some() { Expr::call(self.ty, vec![value]) } else { value };
            let set = Stmt::Set(Expr::at("o", vec![at()]), None, value);
            out.push(match self.rng.u8(..5) {
                0 => Stmt::If("if", self.condition(), vec![set], Vec::new()),
                _ => set,
            });
        }
    }
}
