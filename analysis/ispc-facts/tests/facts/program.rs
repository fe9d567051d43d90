//! Random programs, and their text.

use std::fmt::Write as _;

use fastrand::Rng;

/// A variable: of the lanes, or uniform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Name {
    Lanes(usize),
    Uniform(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i32),
    ProgramIndex,
    Variable(Name),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Load(Box<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// A declaration of a variable of the lanes.
    Declare(usize, Option<Expr>),
    Assign(Name, &'static str, Expr),
    Step(Name),
    /// An expression that is watched, by its number.
    Watch(usize, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    While(Expr, Vec<Stmt>),
    Do(Vec<Stmt>, Expr),
    /// `for (int v = …; …; v++)`.
    For(usize, Expr, Expr, Vec<Stmt>),
    Foreach(usize, Expr, Expr, Vec<Stmt>),
    Switch(Expr, Vec<(Option<i32>, Vec<Stmt>)>),
    Unmasked(Vec<Stmt>),
    Active(Vec<Stmt>),
    Block(Vec<Stmt>),
    Break,
    Continue,
    Return,
}

/// The parameters: so many of the lanes, and so many uniform ones.
pub(crate) const N_PARAMS: usize = 2;

/// A generator of programs.
pub(crate) struct Programs {
    pub(crate) rng: Rng,
    pub(crate) n_variables: usize,
    pub(crate) n_watched: usize,
    /// The variables in scope.
    scope: Vec<usize>,
    /// The variables that loops step.
    fixed: Vec<usize>,
    in_foreach: bool,
    in_loop: bool,
    in_switch: bool,
}

impl Programs {
    pub(crate) fn new(seed: u64) -> Programs {
        Programs {
            rng: Rng::with_seed(seed),
            n_variables: N_PARAMS,
            n_watched: 0,
            scope: (0..N_PARAMS).collect(),
            fixed: Vec::new(),
            in_foreach: false,
            in_loop: false,
            in_switch: false,
        }
    }

    pub(crate) fn program(&mut self) -> Vec<Stmt> {
        let mut all: Vec<Stmt> = (0..2).map(|_| self.declaration()).collect();
        all.extend(self.block(4, 8));
        all.extend(self.watch_all());
        all
    }

    fn declaration(&mut self) -> Stmt {
        let value = (self.rng.u32(..8) > 0).then(|| self.expr(2, false));
        let variable = self.n_variables;
        self.n_variables += 1;
        self.scope.push(variable);
        Stmt::Declare(variable, value)
    }

    fn watch_all(&mut self) -> Vec<Stmt> {
        self.scope.clone().into_iter().map(|variable| self.watch(Expr::Variable(Name::Lanes(variable)))).collect()
    }

    fn watch(&mut self, expr: Expr) -> Stmt {
        self.n_watched += 1;
        Stmt::Watch(self.n_watched - 1, expr)
    }

    fn block(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let n_outer = self.scope.len();
        let n = self.rng.usize(1..=most);
        let block = (0..n).map(|_| self.stmt(depth)).collect();
        self.scope.truncate(n_outer);
        block
    }

    fn settable(&mut self) -> Name {
        if self.rng.u32(..5) == 0 {
            return Name::Uniform(self.rng.usize(..N_PARAMS));
        }
        let free: Vec<usize> = self.scope.iter().copied().filter(|it| !self.fixed.contains(it)).collect();
        Name::Lanes(free[self.rng.usize(..free.len())])
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let kind = self.rng.u32(if depth == 0 { 0..9 } else { 0..20 });
        match kind {
            0 => self.declaration(),
            1..=3 => {
                let name = self.settable();
                let operator = ["=", "=", "+=", "-="][self.rng.usize(..4)];
                let value = self.expr(3, matches!(name, Name::Uniform(_)));
                Stmt::Assign(name, operator, value)
            }
            4 => Stmt::Step(self.settable()),
            5..=7 => {
                let expr = self.expr(3, false);
                self.watch(expr)
            }
            8 => match self.rng.u32(..4) {
                0 | 1 if self.in_loop || self.in_switch => Stmt::Break,
                2 if self.in_loop || self.in_foreach => Stmt::Continue,
                3 if !self.in_foreach => Stmt::Return,
                _ => Stmt::Step(self.settable()),
            },
            9..=12 => {
                let condition = self.expr(2, false);
                let yes = self.block(depth - 1, 4);
                let no = if self.rng.bool() { self.block(depth - 1, 3) } else { Vec::new() };
                Stmt::If(condition, yes, no)
            }
            13 | 14 => {
                let condition = self.expr(2, false);
                let body = self.inside(true, false, |it| it.block(depth - 1, 4));
                if kind == 13 { Stmt::While(condition, body) } else { Stmt::Do(body, condition) }
            }
            15 | 16 => {
                let (from, to) = (self.expr(1, false), self.expr(2, false));
                let variable = self.n_variables;
                self.n_variables += 1;
                self.scope.push(variable);
                let is_fixed = self.rng.u32(..4) > 0;
                if is_fixed {
                    self.fixed.push(variable);
                }
                let body = self.inside(true, false, |it| it.block(depth - 1, 4));
                if is_fixed {
                    self.fixed.pop();
                }
                self.scope.pop();
                Stmt::For(variable, from, to, body)
            }
            17 if !self.in_foreach => {
                let (from, to) = (self.expr(1, true), self.expr(1, true));
                let variable = self.n_variables;
                self.n_variables += 1;
                self.scope.push(variable);
                self.fixed.push(variable);
                self.in_foreach = true;
                let body = self.inside(false, false, |it| it.block(depth - 1, 4));
                self.in_foreach = false;
                self.fixed.pop();
                self.scope.pop();
                Stmt::Foreach(variable, from, to, body)
            }
            18 => {
                let over = self.expr(2, false);
                let n = self.rng.usize(1..4);
                let in_loop = self.in_loop;
                let mut labels: Vec<Option<i32>> = (0..n as i32).map(Some).collect();
                if self.rng.bool() {
                    labels.push(None);
                }
                let cases = labels.into_iter().map(|label| {
                    let body = self.inside(in_loop, true, |it| it.case_block(depth - 1));
                    (label, body)
                });
                Stmt::Switch(over, cases.collect())
            }
            _ if self.in_foreach => Stmt::Step(self.settable()),
            _ if self.rng.bool() => {
                self.in_foreach = true;
                let body = self.inside(false, false, |it| it.block(depth - 1, 4));
                self.in_foreach = false;
                Stmt::Active(body)
            }
            _ => {
                self.in_foreach = true;
                let body = self.inside(false, false, |it| it.plain_block(3));
                self.in_foreach = false;
                Stmt::Unmasked(body)
            }
        }
    }

    fn inside<T>(&mut self, in_loop: bool, in_switch: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = (self.in_loop, self.in_switch);
        (self.in_loop, self.in_switch) = (in_loop, in_switch);
        let found = walk(self);
        (self.in_loop, self.in_switch) = outer;
        found
    }

    /// The statements of a `case`, in a block, since a scope would go on in the next.
    fn case_block(&mut self, depth: usize) -> Vec<Stmt> {
        let mut block = vec![Stmt::Block(self.block(depth, 3))];
        if self.rng.u32(..3) > 0 {
            block.push(Stmt::Break);
        }
        block
    }

    /// Statements that jump nowhere.
    fn plain_block(&mut self, most: usize) -> Vec<Stmt> {
        let n_outer = self.scope.len();
        let block = (0..self.rng.usize(1..=most)).map(|_| self.stmt(0)).collect::<Vec<_>>();
        self.scope.truncate(n_outer);
        block.into_iter().filter(|stmt| !matches!(stmt, Stmt::Continue | Stmt::Break | Stmt::Return)).collect()
    }

    pub(crate) fn expr(&mut self, depth: usize, is_uniform: bool) -> Expr {
        if depth == 0 || self.rng.u32(..4) == 0 {
            return match self.rng.u32(..8) {
                0..=1 => Expr::Number(self.rng.i32(-1..5)),
                2..=3 => Expr::Variable(Name::Uniform(self.rng.usize(..N_PARAMS))),
                _ if is_uniform => Expr::Number(self.rng.i32(0..5)),
                4 => Expr::ProgramIndex,
                _ => Expr::Variable(Name::Lanes(self.scope[self.rng.usize(..self.scope.len())])),
            };
        }
        let operators = ["+", "-", "*", "+", "-", "<", "==", "&", "<<", "&&", "||", "%"];
        match self.rng.u32(..10) {
            0 => {
                let [a, b, c] = [(); 3].map(|()| Box::new(self.expr(depth - 1, is_uniform)));
                Expr::Choose(a, b, c)
            }
            1 => Expr::Load(Box::new(self.expr(depth - 1, is_uniform))),
            _ => {
                let operator = operators[self.rng.usize(..operators.len())];
                let left = Box::new(self.expr(depth - 1, is_uniform));
                let right = match operator {
                    "<<" => Box::new(Expr::Number(self.rng.i32(0..4))),
                    "%" => Box::new(Expr::Number(self.rng.i32(1..5))),
                    _ => Box::new(self.expr(depth - 1, is_uniform)),
                };
                Expr::Binary(operator, left, right)
            }
        }
    }
}

/// The text of a program.
pub(crate) fn text(program: &[Stmt], uniform: &[usize]) -> String {
    let mut text = String::from(
        "void watch(uniform int nth, int value);\nvoid f(uniform int t[], uniform int u0, uniform int u1, int v0, int v1) {\n",
    );
    write_block(&mut text, program, 1, uniform);
    text + "}\n"
}

fn write_block(text: &mut String, block: &[Stmt], depth: usize, uniform: &[usize]) {
    for stmt in block {
        write_stmt(text, stmt, depth, uniform);
    }
}

fn name(name: Name) -> String {
    match name {
        Name::Lanes(nth) => format!("v{nth}"),
        Name::Uniform(nth) => format!("u{nth}"),
    }
}

fn write_stmt(text: &mut String, stmt: &Stmt, depth: usize, uniform: &[usize]) {
    let indent = "    ".repeat(depth);
    let word = |variable: &usize| if uniform.contains(variable) { "uniform int" } else { "int" };
    let _ = match stmt {
        Stmt::Declare(variable, Some(value)) => {
            writeln!(text, "{indent}{} v{variable} = {};", word(variable), expr(value))
        }
        Stmt::Declare(variable, None) => writeln!(text, "{indent}{} v{variable};", word(variable)),
        Stmt::Assign(target, operator, value) => {
            writeln!(text, "{indent}{} {operator} {};", name(*target), expr(value))
        }
        Stmt::Step(target) => writeln!(text, "{indent}{}++;", name(*target)),
        Stmt::Watch(nth, value) => writeln!(text, "{indent}watch({nth}, {});", expr(value)),
        Stmt::If(condition, yes, no) => {
            let _ = writeln!(text, "{indent}if ({}) {{", expr(condition));
            write_block(text, yes, depth + 1, uniform);
            if !no.is_empty() {
                let _ = writeln!(text, "{indent}}} else {{");
                write_block(text, no, depth + 1, uniform);
            }
            writeln!(text, "{indent}}}")
        }
        Stmt::While(condition, body) => {
            let _ = writeln!(text, "{indent}while ({}) {{", expr(condition));
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Do(body, condition) => {
            let _ = writeln!(text, "{indent}do {{");
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}} while ({});", expr(condition))
        }
        Stmt::For(variable, from, to, body) => {
            let (from, to) = (expr(from), expr(to));
            let _ = writeln!(
                text,
                "{indent}for ({} v{variable} = {from}; v{variable} < {to}; v{variable}++) {{",
                word(variable)
            );
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Foreach(variable, from, to, body) => {
            let _ = writeln!(text, "{indent}foreach (v{variable} = {} ... {}) {{", expr(from), expr(to));
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Switch(over, cases) => {
            let _ = writeln!(text, "{indent}switch ({}) {{", expr(over));
            for (label, body) in cases {
                let _ = match label {
                    Some(label) => writeln!(text, "{indent}case {label}:"),
                    None => writeln!(text, "{indent}default:"),
                };
                let _ = writeln!(text, "{indent}    ;");
                write_block(text, body, depth + 1, uniform);
            }
            writeln!(text, "{indent}}}")
        }
        Stmt::Unmasked(body) => {
            let _ = writeln!(text, "{indent}unmasked {{");
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Active(body) => {
            let _ = writeln!(text, "{indent}foreach_active (lane) {{");
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Block(body) => {
            let _ = writeln!(text, "{indent}{{");
            write_block(text, body, depth + 1, uniform);
            writeln!(text, "{indent}}}")
        }
        Stmt::Break => writeln!(text, "{indent}break;"),
        Stmt::Continue => writeln!(text, "{indent}continue;"),
        Stmt::Return => writeln!(text, "{indent}return;"),
    };
}

fn expr(it: &Expr) -> String {
    match it {
        Expr::Number(number) => format!("({number})"),
        Expr::ProgramIndex => "programIndex".to_owned(),
        Expr::Variable(variable) => name(*variable),
        Expr::Binary(operator @ ("<" | "==" | "&&" | "||"), left, right) => {
            format!("(int)({} {operator} {})", expr(left), expr(right))
        }
        Expr::Binary(operator, left, right) => format!("({} {operator} {})", expr(left), expr(right)),
        Expr::Choose(condition, yes, no) => format!("({} ? {} : {})", expr(condition), expr(yes), expr(no)),
        Expr::Load(index) => format!("t[{}]", expr(index)),
    }
}
