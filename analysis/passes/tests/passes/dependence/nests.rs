//! Random loop nests as trees of their own, with their text and a plain enumeration of all they do.
//!
//! Every subscript is moved by a constant so that all cells lie in their arrays.

use std::fmt::Write;

use fastrand::Rng;

/// An integer.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Const(i64),
    /// The index of the loop at this depth.
    Index(usize),
    /// `n` or `k`.
    Symbol(usize),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Call(&'static str, Box<Expr>, Box<Expr>),
}

/// The values of indices and symbols.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    pub(crate) indices: Vec<i64>,
    pub(crate) symbols: [i64; 2],
}

impl Expr {
    pub(crate) fn eval(&self, env: &Env) -> i64 {
        match self {
            Expr::Const(number) => *number,
            Expr::Index(depth) => env.indices[*depth],
            Expr::Symbol(number) => env.symbols[*number],
            Expr::Binary(operator, a, b) | Expr::Call(operator, a, b) => {
                let (a, b) = (a.eval(env), b.eval(env));
                match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    "//" => a.div_euclid(b),
                    "%" => a % b,
                    "&" => a & b,
                    "min" => a.min(b),
                    _ => a.max(b),
                }
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Expr::Const(number) => number.to_string(),
            Expr::Index(depth) => format!("i{depth}"),
            Expr::Symbol(number) => ["n", "k"][*number].to_owned(),
            Expr::Binary(operator, a, b) => format!("({} {operator} {})", a.text(), b.text()),
            Expr::Call(name, a, b) => format!("{name}({}, {})", a.text(), b.text()),
        }
    }
}

/// A way to a cell of an array.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) number: usize,
    pub(crate) is_store: bool,
    /// 0 and 1 have one dimension, 2 has two.
    pub(crate) array: usize,
    pub(crate) subscripts: Vec<Expr>,
    /// Through a slice with this start and step.
    slice: Option<(i64, i64)>,
    /// Through a row.
    row: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    /// A store, after some loads.
    Assign(Vec<Access>),
    If(Expr, &'static str, Expr, Vec<Stmt>, Vec<Stmt>),
    For(Expr, Expr, Expr, Vec<Stmt>),
}

/// A nest.
#[derive(Debug, Clone)]
pub(crate) struct Nest {
    pub(crate) body: Vec<Stmt>,
    symbolic: bool,
    /// What is added to the subscripts of each array, in each dimension, and its size.
    shifts: [[i64; 2]; 3],
    pub(crate) sizes: [[i64; 2]; 3],
}

/// An iteration: the numbers of the loops around, each with that of its iteration and its index.
pub(crate) type At = [(usize, i64, i64)];

/// An access that was run.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) access: usize,
    pub(crate) is_store: bool,
    pub(crate) array: usize,
    /// The iteration.
    pub(crate) at: Vec<(usize, i64, i64)>,
    pub(crate) cell: Vec<i64>,
}

/// How large a nest gets.
pub(crate) fn generate(rng: &mut Rng, symbolic: bool) -> Nest {
    let mut generator = Generator { rng, symbolic, n_accesses: 0, left: 5 };
    let body = match generator.rng.u8(..10) {
        0..2 => generator.perfect(),
        2..5 => generator.parted(),
        _ => generator.block(0),
    };
    let mut nest = Nest { body, symbolic, shifts: [[0; 2]; 3], sizes: [[1; 2]; 3] };
    if symbolic {
        nest.shifts = [[60; 2]; 3];
    } else {
        nest.make_room(generator.rng.i64(0..2));
    }
    nest
}

struct Generator<'r> {
    rng: &'r mut Rng,
    symbolic: bool,
    n_accesses: usize,
    left: usize,
}

impl Generator<'_> {
    /// Two loops that are nothing but each other, around neighbouring cells of a matrix.
    fn perfect(&mut self) -> Vec<Stmt> {
        let mut statement = |depth: usize| {
            let near = |generator: &mut Self, level: usize| {
                binary("+", Expr::Index(level), Expr::Const(generator.rng.i64(-1..2)))
            };
            let accesses = [false, true].map(|is_store| {
                let across = if self.rng.bool() { near(self, depth - 2) } else { Expr::Index(depth - 2) };
                let subscripts = vec![near(self, depth - 1), across];
                self.n_accesses += 1;
                Access { number: self.n_accesses - 1, is_store, array: 2, subscripts, slice: None, row: false }
            });
            Stmt::Assign(accesses.to_vec())
        };
        let body = vec![statement(2)];
        let loop_to =
            |end: i64, body: Vec<Stmt>| vec![Stmt::For(Expr::Const(1), Expr::Const(end), Expr::Const(1), body)];
        // Rows are longer than a line of memory, so that it makes a difference which way the matrix is walked.
        loop_to(21, loop_to(6, body))
    }

    /// A long loop over statements of which some need what earlier iterations have made and others do not, in some order;
    /// perhaps inside of another loop.
    fn parted(&mut self) -> Vec<Stmt> {
        let depth = usize::from(self.rng.u8(..4) == 0);
        let n_statements = self.rng.usize(2..5);
        let handed_on = self.rng.usize(..n_statements);
        let statements = (0..n_statements).map(|number| match number == handed_on {
            true => {
                let (from, to) = (self.rng.i64(-2..1), self.rng.i64(0..3));
                let mut accesses = vec![self.beside(depth, false, 0, from)];
                if self.rng.bool() {
                    let offset = self.rng.i64(-1..2);
                    accesses.push(self.beside(depth, false, 1, offset));
                }
                accesses.push(self.beside(depth, true, 0, to));
                Stmt::Assign(accesses)
            }
            false => {
                let n_loads = self.rng.usize(1..4);
                let mut access = |is_store: bool| {
                    let array = [1, 2, 2, 2][self.rng.usize(..4)];
                    let offset = self.rng.i64(-1..2);
                    self.beside(depth, is_store, array, offset)
                };
                let mut accesses: Vec<Access> = (0..n_loads).map(|_| access(false)).collect();
                accesses.push(access(true));
                Stmt::Assign(accesses)
            }
        });
        let body = statements.collect();
        let inner = Stmt::For(Expr::Const(2), Expr::Const(50 + self.rng.i64(0..20)), Expr::Const(1), body);
        match depth {
            0 => vec![inner],
            _ => vec![Stmt::For(Expr::Const(0), Expr::Const(2), Expr::Const(1), vec![inner])],
        }
    }

    /// A cell beside that of the innermost loop's index, of the matrix in one of a few rows.
    fn beside(&mut self, depth: usize, is_store: bool, array: usize, offset: i64) -> Access {
        let at = binary("+", Expr::Index(depth), Expr::Const(offset));
        let subscripts = if array == 2 { vec![Expr::Const(self.rng.i64(0..4)), at] } else { vec![at] };
        self.n_accesses += 1;
        Access { number: self.n_accesses - 1, is_store, array, subscripts, slice: None, row: false }
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let n = self.rng.usize(1..3);
        (0..n).filter_map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Option<Stmt> {
        if self.left == 0 {
            return None;
        }
        let deeper = if depth == 0 { 10 } else { 4 };
        match self.rng.u8(..10) {
            roll if depth < 3 && roll < deeper => {
                let (lo, hi) = (self.bound(depth, 0), self.bound(depth, 5));
                let step = [1, 1, 1, 2, 3, -1, -2][self.rng.usize(..7)];
                let (lo, hi) = if step > 0 { (lo, hi) } else { (hi, lo) };
                let step = if self.symbolic && self.rng.u8(..8) == 0 { Expr::Symbol(1) } else { Expr::Const(step) };
                Some(Stmt::For(lo, hi, step, self.block(depth + 1)))
            }
            8 => {
                let (a, b) = (self.affine(depth), self.affine(depth));
                let a = if self.rng.u8(..3) == 0 { binary("%", a, Expr::Const(2)) } else { a };
                let operator = ["<", "<=", "==", "!=", ">", ">="][self.rng.usize(..6)];
                Some(Stmt::If(a, operator, b, self.block(depth), self.block(depth)))
            }
            _ => {
                self.left -= 1;
                let n_loads = self.rng.usize(0..3);
                let mut accesses: Vec<Access> = (0..n_loads).map(|_| self.access(depth, false)).collect();
                accesses.push(self.access(depth, true));
                Some(Stmt::Assign(accesses))
            }
        }
    }

    /// A loop bound: a number, a symbol, or what an outer index says.
    fn bound(&mut self, depth: usize, usual: i64) -> Expr {
        let number = Expr::Const(usual + self.rng.i64(-1..3));
        match self.rng.u8(..6) {
            0 if depth > 0 => binary("+", Expr::Index(self.rng.usize(..depth)), Expr::Const(self.rng.i64(-1..3))),
            1 if self.symbolic && usual > 0 => Expr::Symbol(0),
            2 if self.symbolic => binary("-", Expr::Symbol(0), Expr::Const(self.rng.i64(0..3))),
            3 if depth > 0 => Expr::Call(
                ["min", "max"][self.rng.usize(..2)],
                Box::new(Expr::Index(self.rng.usize(..depth))),
                Box::new(number),
            ),
            _ => number,
        }
    }

    fn affine(&mut self, depth: usize) -> Expr {
        let mut sum = Expr::Const(self.rng.i64(-3..4));
        for level in 0..depth {
            let factor = [0, 0, 1, 1, 1, 2, -1, 3, -2][self.rng.usize(..9)];
            if self.symbolic && self.rng.u8(..12) == 0 {
                sum = binary("+", sum, binary("*", Expr::Index(level), Expr::Symbol(1)));
            } else if factor != 0 {
                sum = binary("+", sum, binary("*", Expr::Index(level), Expr::Const(factor)));
            }
        }
        if self.symbolic && self.rng.u8(..4) == 0 {
            sum = binary(["+", "-"][self.rng.usize(..2)], sum, Expr::Symbol(self.rng.usize(..2)));
        }
        sum
    }

    fn subscript(&mut self, depth: usize) -> Expr {
        let affine = self.affine(depth);
        let by = Expr::Const(self.rng.i64(2..5));
        match self.rng.u8(..20) {
            0 => binary("/", affine, by),
            1 => binary("%", affine, by),
            2 => binary("//", affine, by),
            3 => binary("&", affine, Expr::Const([-4, 3, -2, 1][self.rng.usize(..4)])),
            4 => binary("+", binary("%", affine, by), self.affine(depth)),
            5 => Expr::Call(["min", "max"][self.rng.usize(..2)], Box::new(affine), Box::new(self.affine(depth))),
            _ => affine,
        }
    }

    fn access(&mut self, depth: usize, is_store: bool) -> Access {
        self.n_accesses += 1;
        let array = [0, 0, 1, 2, 2][self.rng.usize(..5)];
        let n = if array == 2 { 2 } else { 1 };
        let subscripts = (0..n).map(|_| self.subscript(depth)).collect();
        let sliced = array < 2 && !self.symbolic && self.rng.u8(..6) == 0;
        let slice = sliced.then(|| (self.rng.i64(0..4), [1, 2, 3, -1, -2][self.rng.usize(..5)]));
        let row = array == 2 && self.rng.bool();
        Access { number: self.n_accesses - 1, is_store, array, subscripts, slice, row }
    }
}

fn binary(operator: &'static str, a: Expr, b: Expr) -> Expr {
    Expr::Binary(operator, Box::new(a), Box::new(b))
}

/// No subscript is less than 0 after it was moved by this: three indices, none over 10, with factors of no less than -2.
const GENEROUS: i64 = 64;

/// How far a slice reaches beyond its start.
const REACH: i64 = 400;

impl Nest {
    /// Everything that is run, in order; nothing for a run that ends in an error, because a step is 0.
    pub(crate) fn run(&self, symbols: [i64; 2]) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        let mut env = Env { indices: Vec::new(), symbols };
        self.block(&self.body, &mut env, &mut Vec::new(), &mut 0, &mut events)?;
        Some(events)
    }

    fn block(
        &self,
        block: &[Stmt],
        env: &mut Env,
        at: &mut Vec<(usize, i64, i64)>,
        next_loop: &mut usize,
        events: &mut Vec<Event>,
    ) -> Option<()> {
        for stmt in block {
            match stmt {
                Stmt::Assign(accesses) => {
                    for access in accesses {
                        events.push(Event {
                            access: access.number,
                            is_store: access.is_store,
                            array: access.array,
                            at: at.clone(),
                            cell: self.cell(access, env),
                        });
                    }
                }
                Stmt::If(a, operator, b, yes, no) => {
                    let (a, b) = (a.eval(env), b.eval(env));
                    let holds = match *operator {
                        "<" => a < b,
                        "<=" => a <= b,
                        "==" => a == b,
                        "!=" => a != b,
                        ">" => a > b,
                        _ => a >= b,
                    };
                    // Loops have their numbers, whichever side is run.
                    let mut other = *next_loop;
                    if holds {
                        self.block(yes, env, at, next_loop, events)?;
                        *next_loop = other + count_loops(yes) + count_loops(no);
                    } else {
                        other += count_loops(yes);
                        self.block(no, env, at, &mut other, events)?;
                        *next_loop = other;
                    }
                }
                Stmt::For(lo, hi, step, body) => {
                    let number = *next_loop;
                    let (mut index, hi, step) = (lo.eval(env), hi.eval(env), step.eval(env));
                    let mut count = 0;
                    if step == 0 {
                        return None;
                    }
                    while if step > 0 { index < hi } else { index > hi } {
                        env.indices.push(index);
                        at.push((number, count, index));
                        self.block(body, env, at, &mut (number + 1), events)?;
                        at.pop();
                        env.indices.pop();
                        (index, count) = (index + step, count + 1);
                    }
                    *next_loop = number + 1 + count_loops(body);
                }
            }
        }
        Some(())
    }

    fn cell(&self, access: &Access, env: &Env) -> Vec<i64> {
        let subscripts = access.subscripts.iter().zip(self.shifts[access.array]);
        let moved: Vec<i64> = subscripts.map(|(subscript, shift)| subscript.eval(env) + shift).collect();
        match access.slice {
            Some((start, step)) if step > 0 => vec![start + step * moved[0]],
            Some((start, step)) => vec![start + REACH + step * moved[0]],
            None => moved,
        }
    }

    /// Moves subscripts so that the least is 0, and makes arrays as large as they have to be.
    fn make_room(&mut self, slack: i64) {
        let mut events = self.run([0; 2]).expect("steps are constant");
        let sliced = self.has_slice();
        for event in &events {
            for (dim, &subscript) in event.cell.iter().enumerate() {
                let shift = &mut self.shifts[event.array][dim];
                // What goes through a slice is scaled: a generous shift keeps it inside.
                let least = if sliced[event.array] { GENEROUS } else { -subscript };
                *shift = (*shift).max(least);
            }
        }
        events = self.run([0; 2]).expect("steps are constant");
        for event in &events {
            for (dim, &subscript) in event.cell.iter().enumerate() {
                let size = &mut self.sizes[event.array][dim];
                *size = (*size).max(subscript + 1 + slack);
            }
        }
        for (array, sliced) in sliced.into_iter().enumerate() {
            if sliced {
                self.sizes[array][0] = self.sizes[array][0].max(3 * REACH);
            }
        }
    }

    /// The number of the statement that each access belongs to.
    pub(crate) fn statements(&self) -> Vec<usize> {
        fn collect(block: &[Stmt], next: &mut usize, of: &mut Vec<usize>) {
            for stmt in block {
                match stmt {
                    Stmt::Assign(accesses) => {
                        of.extend(accesses.iter().map(|_| *next));
                        *next += 1;
                    }
                    Stmt::If(_, _, _, yes, no) => {
                        collect(yes, next, of);
                        collect(no, next, of);
                    }
                    Stmt::For(_, _, _, body) => collect(body, next, of),
                }
            }
        }
        let mut of = Vec::new();
        collect(&self.body, &mut 0, &mut of);
        of
    }

    fn has_slice(&self) -> [bool; 3] {
        let mut has = [false; 3];
        for_each_access(&self.body, &mut |access| has[access.array] |= access.slice.is_some());
        has
    }

    /// The text form.
    pub(crate) fn text(&self) -> String {
        let size = |array: usize, dim: usize| match self.symbolic {
            true => "?".to_owned(),
            false => self.sizes[array][dim].to_string(),
        };
        let mut out = format!(
            "kernel nest(a: i32[{}], b: i32[{}], m: i32[{}, {}], n: i32, k: i32):\n",
            size(0, 0),
            size(1, 0),
            size(2, 0),
            size(2, 1)
        );
        self.write(&self.body, 1, 0, &mut out);
        out
    }

    fn write(&self, block: &[Stmt], indent: usize, depth: usize, out: &mut String) {
        let space = "    ".repeat(indent);
        for stmt in block {
            match stmt {
                Stmt::Assign(accesses) => {
                    let mut cells = Vec::new();
                    for access in accesses {
                        cells.push(self.write_access(access, &space, out));
                    }
                    let (target, loads) = cells.split_last().expect("a store");
                    let sum = loads.iter().fold("1".to_owned(), |sum, load| format!("({sum} +% {load})"));
                    let _ = writeln!(out, "{space}{target} = {sum}");
                }
                Stmt::If(a, operator, b, yes, no) => {
                    let _ = writeln!(out, "{space}if ({} {operator} {}):", a.text(), b.text());
                    self.write_or_pass(yes, indent + 1, depth, out);
                    if !no.is_empty() {
                        let _ = writeln!(out, "{space}else:");
                        self.write_or_pass(no, indent + 1, depth, out);
                    }
                }
                Stmt::For(lo, hi, step, body) => {
                    let _ =
                        writeln!(out, "{space}for i{depth} in range({}, {}, {}):", lo.text(), hi.text(), step.text());
                    self.write_or_pass(body, indent + 1, depth + 1, out);
                }
            }
        }
    }

    fn write_or_pass(&self, block: &[Stmt], indent: usize, depth: usize, out: &mut String) {
        if block.is_empty() {
            let _ = writeln!(out, "{}pass", "    ".repeat(indent));
        }
        self.write(block, indent, depth, out);
    }

    fn write_access(&self, access: &Access, space: &str, out: &mut String) -> String {
        let name = ["a", "b", "m"][access.array];
        let shifts = self.shifts[access.array];
        let moved: Vec<String> =
            access.subscripts.iter().zip(shifts).map(|(sub, shift)| format!("({} + {shift})", sub.text())).collect();
        let view = format!("v{}", access.number);
        match access.slice {
            Some((start, step)) => {
                let (start, stop) = if step > 0 { (start, self.sizes[access.array][0]) } else { (start + REACH, -1) };
                let _ = writeln!(out, "{space}let {view} = slice({name}, {start}, {stop}, {step})");
                format!("{view}[{}]", moved[0])
            }
            None if access.row => {
                let _ = writeln!(out, "{space}let {view} = row({name}, {})", moved[0]);
                format!("{view}[{}]", moved[1])
            }
            None => format!("{name}[{}]", moved.join(", ")),
        }
    }
}

/// Calls `visit` for each access, in the order of the text.
pub(crate) fn for_each_access(block: &[Stmt], visit: &mut impl FnMut(&Access)) {
    for stmt in block {
        match stmt {
            Stmt::Assign(accesses) => accesses.iter().for_each(&mut *visit),
            Stmt::If(_, _, _, yes, no) => {
                for_each_access(yes, visit);
                for_each_access(no, visit);
            }
            Stmt::For(_, _, _, body) => for_each_access(body, visit),
        }
    }
}

fn count_loops(block: &[Stmt]) -> usize {
    let count = |stmt: &Stmt| match stmt {
        Stmt::Assign(_) => 0,
        Stmt::If(_, _, _, yes, no) => count_loops(yes) + count_loops(no),
        Stmt::For(_, _, _, body) => 1 + count_loops(body),
    };
    block.iter().map(count).sum()
}
