//! Programs of statements in a row: neighbouring cells get what is computed in the same way, or nearly so, from cells that lie
//! in some order. Outside of loops, in loops that run in order, and in branches.

use fastrand::Rng;
use hir::eval::ArgValue;

use super::data::{self, Mood, pick};
use super::tree::{Expr, Field, Function, Param, Range, Stmt, Struct, Subscript, Tree};

/// The cells of each array.
const SIZE: i64 = 32;

/// The types of cells.
const TYPES: [&str; 7] = ["f32", "f32", "f64", "i32", "u8", "i64", "u16"];

/// The fields of the struct.
const FIELDS: [&str; 4] = ["f0", "f1", "f2", "f3"];

/// The program of a seed.
pub(super) fn tree(seed: u64) -> Tree {
    let mut rng = Rng::with_seed(seed ^ 0x70ac_6b5e);
    let ty = *pick(&mut rng, &TYPES);
    let mood = if rng.u8(..3) == 0 { Mood::Wild } else { Mood::Calm };
    let mut rows = Rows { rng, ty, is_float: ty.starts_with('f'), index: None, n_names: 0, carried: Vec::new() };
    let mut body = Vec::new();
    for _ in 0..rows.rng.usize(1..4) {
        rows.statement(&mut body);
    }
    let mut params: Vec<Param> =
        ["a", "b", "o"].iter().map(|name| data::cells(&mut rows.rng, name, ty, &[SIZE], mood)).collect();
    params.push(data::cells(&mut rows.rng, "m", ty, &[SIZE / 4, 4], mood));
    let structs = data::array(&mut rows.rng, &[ty; 4], true, &[4], mood);
    params.push(Param::given("p", "P[4]".into(), ArgValue::Array(structs)));
    let structs = vec![Struct {
        name: "P".into(),
        written: FIELDS.iter().map(|field| ((*field).to_owned(), Field::Scalar(ty))).collect(),
        fields: FIELDS.iter().map(|field| ((*field).to_owned(), ty)).collect(),
        defaults: Vec::new(),
    }];
    for name in ["x", "y"] {
        let value = data::scalar(&mut rows.rng, ty, mood);
        params.push(data::number(name, value));
    }
    let attrs = if rows.rng.u8(..4) == 0 { vec!["@alias(a, o)".to_owned()] } else { Vec::new() };
    let kernel = Function { attrs, name: "k".into(), params, result: None, body };
    Tree { structs, enums: Vec::new(), constants: Vec::new(), functions: Vec::new(), kernel }
}

struct Rows {
    rng: Rng,
    ty: &'static str,
    is_float: bool,
    /// The index of the loop around, which is less than 4.
    index: Option<String>,
    /// The number of names that were given.
    n_names: i64,
    /// The groups of variables that the loop around carries.
    carried: Vec<Vec<String>>,
}

/// An expression with a lane's number open.
#[derive(Clone)]
enum Open {
    /// A cell: the array, where lane 0 has it, and how far the next lane's lies from there.
    Cell(&'static str, i64, i64),
    /// A cell of each lane's own choice.
    Cells(&'static str, Vec<i64>),
    /// A number that each lane has of its own.
    Numbers(Vec<i64>),
    Name(&'static str),
    /// A variable of each lane's own.
    Names(Vec<String>),
    /// An operator, that of the odd lanes, and its sides.
    Binary(&'static str, &'static str, Box<Open>, Box<Open>),
    Call(&'static str, Vec<Open>),
    /// One side where a comparison holds.
    Choice(Box<Open>, Box<Open>, Box<Open>),
}

impl Rows {
    /// Some rows, perhaps in a loop or branch.
    fn statement(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.u8(..6) {
            2 => self.fields(out),
            0 if self.index.is_none() => {
                self.index = Some("i".to_owned());
                let mut body = Vec::new();
                self.carry(out);
                self.rows(&mut body);
                self.update(&mut body);
                if self.rng.bool() {
                    self.fields(&mut body);
                }
                // A cell that is handed on keeps the iterations in order.
                body.push(Stmt::Set(self.cell_at("b", 0, false), None, self.cell_at("b", 1, false)));
                body.push(Stmt::Set(self.cell_at("b", 2, false), None, self.cell_at("b", 0, false)));
                self.index = None;
                let range = Range { start: None, stop: Expr::literal(4), step: None };
                out.push(Stmt::For("for", "i".into(), range, body).perhaps_unrolled(&mut self.rng));
                self.hand_over(out);
            }
            1 => {
                let test = Expr::Binary("<", Box::new(Expr::name("x")), Box::new(Expr::name("y")));
                let (mut then, mut other) = (Vec::new(), Vec::new());
                self.rows(&mut then);
                self.rows(&mut other);
                out.push(Stmt::If("if", test, then, other));
            }
            _ => self.rows(out),
        }
    }

    /// Some groups of variables, for a loop to carry.
    fn carry(&mut self, out: &mut Vec<Stmt>) {
        for _ in 0..self.rng.usize(0..3) {
            let n = *pick(&mut self.rng, &[2, 3, 4, 4, 4, 8]);
            let mut group = Vec::new();
            for _ in 0..n {
                let name = format!("c{}", self.n_names);
                self.n_names += 1;
                let value = match self.rng.u8(..3) {
                    0 => Expr::name("x"),
                    1 => Expr::name("y"),
                    _ => Expr::literal(if self.is_float { "1.5" } else { "3" }),
                };
                out.push(Stmt::Let(name.clone(), Some(self.ty), value));
                group.push(name);
            }
            self.carried.push(group);
        }
    }

    /// A change of each variable that the loop carries, in rows or mixed.
    fn update(&mut self, body: &mut Vec<Stmt>) {
        let mut changes = Vec::new();
        for group in self.carried.clone() {
            let value = self.open(2, group.len() as i64);
            let mixed = Open::Binary("+", "+", Box::new(Open::Names(group.clone())), Box::new(value.clone()));
            let value = if self.rng.u8(..4) == 0 { value } else { mixed };
            for (lane, name) in group.iter().enumerate() {
                changes.push(Stmt::Set(Expr::name(name.clone()), None, self.close(&value, lane as i64)));
            }
        }
        if self.rng.u8(..4) == 0 {
            self.rng.shuffle(&mut changes);
        }
        let at = if self.rng.bool() { body.len() } else { self.rng.usize(..=body.len()) };
        body.splice(at..at, changes);
    }

    /// Stores of what a loop has carried.
    fn hand_over(&mut self, out: &mut Vec<Stmt>) {
        for group in std::mem::take(&mut self.carried) {
            let n = if self.rng.bool() { group.len() } else { 1 };
            let start = self.rng.i64(0..8);
            for (lane, name) in group.into_iter().take(n).enumerate() {
                out.push(Stmt::Set(self.cell_at("o", start + lane as i64, false), None, Expr::name(name)));
            }
        }
    }

    /// Stores to all fields of a struct, perhaps one that data chooses, where its number is computed in a row of its own.
    fn fields(&mut self, out: &mut Vec<Stmt>) {
        let mut at = self.index.as_ref().map_or(Expr::literal(self.rng.i64(0..4)), |index| Expr::name(index.clone()));
        if self.ty == "i32" && self.rng.u8(..3) > 0 {
            let name = format!("j{}", self.n_names);
            self.n_names += 1;
            let start = self.rng.i64(0..8);
            let low_bits = |cell: Expr| Expr::Binary("&", Box::new(cell), Box::new(Expr::literal(3)));
            out.push(Stmt::Let(name.clone(), None, low_bits(self.cell_at("a", start, true))));
            at = Expr::name(name);
            for lane in 0..4 {
                let value = if lane == 0 { at.clone() } else { low_bits(self.cell_at("a", start + lane, true)) };
                out.push(Stmt::Set(self.cell_at("o", lane, true), None, value));
            }
        }
        let value = self.open(2, 4);
        for (lane, field) in FIELDS.iter().enumerate() {
            let of = Expr::Index(Box::new(Expr::name("p")), vec![Subscript::At(at.clone())]);
            let value = self.close(&value, lane as i64);
            out.push(Stmt::Set(Expr::Field(Box::new(of), (*field).to_owned()), None, value));
        }
    }

    /// Rows, whose statements may take turns.
    fn rows(&mut self, out: &mut Vec<Stmt>) {
        match self.rng.u8(..8) {
            0 | 1 => return self.side_by_side(out),
            2 => return self.shared(out),
            3 => return self.stages(out),
            _ => {}
        }
        let mut made: Vec<Stmt> = self.row();
        if self.rng.bool() {
            let other = self.row();
            if self.rng.bool() {
                let n = made.len().max(other.len());
                let take = |from: &[Stmt], at: usize| from.get(at).cloned();
                made = (0..n).flat_map(|at| [take(&made, at), take(&other, at)]).flatten().collect();
            } else {
                made.extend(other);
            }
        }
        if self.rng.u8(..4) == 0 {
            self.rng.shuffle(&mut made);
        }
        out.extend(made);
    }

    /// Stores of several expressions in turn, each again for other cells, to neighbouring cells.
    fn side_by_side(&mut self, out: &mut Vec<Stmt>) {
        let n = *pick(&mut self.rng, &[2, 3, 4, 4, 4, 8]);
        let n_values = self.rng.i64(2..=4).min(24 / n);
        let values: Vec<Open> = (0..n_values).map(|_| self.open(2, n)).collect();
        let (target, start) = (*pick(&mut self.rng, &["o", "o", "a", "m"]), self.rng.i64(0..2) * 4);
        let lanes = (0..n).flat_map(|lane| (0..n_values).map(move |number| (lane, number)));
        let mut made: Vec<Stmt> = Vec::new();
        for (lane, number) in lanes {
            let value = self.close(&values[number as usize], lane);
            made.push(Stmt::Set(self.cell_at(target, start + n_values * lane + number, true), None, value));
        }
        if self.rng.u8(..4) == 0 {
            self.rng.shuffle(&mut made);
        }
        out.extend(made);
    }

    /// Values that several statements use, each by cells of its own: three numbers by their length, say.
    fn shared(&mut self, out: &mut Vec<Stmt>) {
        let n = *pick(&mut self.rng, &[2, 4, 4, 5, 8]);
        let each = self.rng.i64(2..=3);
        let value = self.open(3, n);
        let names: Vec<String> = (0..n).map(|number| format!("s{}", self.n_names + number)).collect();
        self.n_names += n;
        for (lane, name) in names.iter().enumerate() {
            let value = self.close(&value, lane as i64);
            out.push(Stmt::Let(name.clone(), Some(self.ty), value));
        }
        let by: Vec<Open> = (0..each).map(|_| self.open(1, n)).collect();
        for (lane, name) in names.iter().enumerate() {
            for (number, by) in by.iter().enumerate() {
                let value = self.close(by, lane as i64);
                let value = Expr::Binary("*", Box::new(value), Box::new(Expr::name(name.clone())));
                let at = each * lane as i64 + number as i64;
                out.push(Stmt::Set(self.cell_at("o", at, true), None, value));
            }
        }
    }

    /// Rows that are stored, and then computed anew from each other in groups that lie across them: transforms in two dimensions, rounds of
    /// ciphers.
    fn stages(&mut self, out: &mut Vec<Stmt>) {
        let n = *pick(&mut self.rng, &[2, 4, 4]);
        for _ in 0..self.rng.u8(1..=2) {
            let rows: Vec<Open> = (0..n).map(|_| self.open(2, n)).collect();
            for lane in 0..n {
                for (row, value) in rows.iter().enumerate() {
                    let value = self.close(value, lane);
                    out.push(Stmt::Set(self.cell_at("o", n * row as i64 + lane, true), None, value));
                }
            }
        }
        let operators = if self.is_float { ["+", "-", "*"] } else { ["+", "-", "^"] };
        let across: Vec<(i64, i64, &str)> =
            (0..n).map(|_| (self.rng.i64(0..n), self.rng.i64(0..n), *pick(&mut self.rng, &operators))).collect();
        let (by_group, by_place) = if self.rng.bool() { (n, 1) } else { (1, n) };
        for group in 0..n {
            for (place, &(first, second, operator)) in across.iter().enumerate() {
                let [first, second] =
                    [first, second].map(|at| self.cell_at("o", by_group * group + by_place * at, true));
                let value = Expr::Binary(operator, Box::new(first), Box::new(second));
                let at = by_group * group + by_place * place as i64;
                out.push(Stmt::Set(self.cell_at("o", at, true), None, value));
            }
        }
    }

    /// Stores to neighbouring cells.
    fn row(&mut self) -> Vec<Stmt> {
        let n = *pick(&mut self.rng, &[2, 3, 4, 4, 4, 5, 8, 8, 9, 16]);
        let value = self.open(3, n);
        let target = *pick(&mut self.rng, &["o", "o", "o", "a", "m"]);
        let start = if target == "m" { 4 * self.rng.i64(0..2) } else { self.rng.i64(0..8) };
        let odd_one = if self.rng.u8(..5) == 0 { Some((self.rng.i64(0..n), self.open(2, n))) } else { None };
        let stores = (0..n).map(|lane| {
            let value = match &odd_one {
                Some((at, other)) if *at == lane => other.clone(),
                _ => value.clone(),
            };
            let value = self.close(&value, lane);
            Stmt::Set(self.cell_at(target, start + lane, true), None, value)
        });
        stores.collect()
    }

    fn open(&mut self, depth: u32, n: i64) -> Open {
        let array = *pick(&mut self.rng, &["a", "a", "b", "m", "o"]);
        if depth == 0 || self.rng.u8(..5) == 0 {
            let start = self.rng.i64(0..8);
            let group = self.carried.iter().find(|group| group.len() as i64 == n).cloned();
            if let Some(mut group) = group.filter(|_| self.rng.bool()) {
                group.rotate_left(if self.rng.u8(..4) == 0 { 1 } else { 0 });
                return Open::Names(group);
            }
            return match self.rng.u8(..10) {
                0..=3 => Open::Cell(array, start, 1),
                4 => Open::Cell(array, n - 1, -1),
                5 => Open::Cell(array, start % 2, if n <= 9 { 2 } else { 1 }),
                6 => Open::Cell(array, start, 0),
                7 => Open::Cells(array, (0..n).map(|_| self.rng.i64(0..n)).collect()),
                8 => Open::Numbers((0..n).map(|_| self.rng.i64(1..4)).collect()),
                _ => Open::Name(if self.rng.bool() { "x" } else { "y" }),
            };
        }
        let operators: &[(&str, &str)] = match self.is_float {
            true => &[("+", "+"), ("-", "-"), ("*", "*"), ("/", "/"), ("+", "-"), ("-", "+"), ("*", "*")],
            false => &[("+", "+"), ("-", "-"), ("*", "*"), ("+", "-"), ("&", "&"), ("|", "|"), ("^", "^"), ("+", "+")],
        };
        match self.rng.u8(..8) {
            0 => {
                let name = *pick(&mut self.rng, &["min", "max"]);
                Open::Call(name, vec![self.open(depth - 1, n), self.open(depth - 1, n)])
            }
            1 => Open::Choice(
                Box::new(self.open(depth - 1, n)),
                Box::new(self.open(depth - 1, n)),
                Box::new(self.open(depth - 1, n)),
            ),
            2 if self.is_float => Open::Call("sqrt", vec![self.open(depth - 1, n)]),
            _ => {
                let (even, odd) = *pick(&mut self.rng, operators);
                Open::Binary(even, odd, Box::new(self.open(depth - 1, n)), Box::new(self.open(depth - 1, n)))
            }
        }
    }

    /// The expression of a lane.
    fn close(&mut self, open: &Open, lane: i64) -> Expr {
        match open {
            Open::Cell(array, start, step) => self.cell_at(array, start + lane * step, true),
            Open::Cells(array, cells) => self.cell_at(array, cells[lane as usize], true),
            Open::Numbers(numbers) => {
                let number = numbers[lane as usize];
                Expr::literal(if self.is_float { format!("{number}.5") } else { number.to_string() })
            }
            Open::Name(name) => Expr::name(*name),
            Open::Names(names) => Expr::name(names[lane as usize].clone()),
            Open::Binary(even, odd, a, b) => {
                let (mut a, mut b) = (self.close(a, lane), self.close(b, lane));
                let operator = if lane % 2 == 0 { even } else { odd };
                if !operator.starts_with(['-', '/']) && self.rng.u8(..6) == 0 {
                    std::mem::swap(&mut a, &mut b);
                }
                Expr::Binary(operator, Box::new(a), Box::new(b))
            }
            Open::Call(name, args) => {
                Expr::Call((*name).to_owned(), args.iter().map(|arg| self.close(arg, lane)).collect())
            }
            Open::Choice(test, then, other) => {
                let test = Expr::Binary("<", Box::new(self.close(test, lane)), Box::new(Expr::name("x")));
                Expr::Cond(Box::new(test), Box::new(self.close(then, lane)), Box::new(self.close(other, lane)))
            }
        }
    }

    /// A cell of an array, behind the index of the loop around if there is one.
    fn cell_at(&self, array: &str, at: i64, moves: bool) -> Expr {
        let at = at.rem_euclid(SIZE - 4);
        let index = self.index.as_ref().filter(|_| moves);
        let number = |number: i64| Expr::literal(number);
        let behind = |name: &String, number: i64| {
            Expr::Binary("+", Box::new(Expr::name(name.clone())), Box::new(Expr::literal(number)))
        };
        let subscripts = match (array, index) {
            ("m", Some(name)) => vec![behind(name, at / 4), number(at % 4)],
            ("m", None) => vec![number(at / 4), number(at % 4)],
            (_, Some(name)) => vec![behind(name, at)],
            (_, None) => vec![number(at)],
        };
        Expr::Index(Box::new(Expr::name(array)), subscripts.into_iter().map(Subscript::At).collect())
    }
}
