//! Programs as trees, and how they are printed.

use std::fmt;

use fastrand::Rng;

use hir::eval::ArgValue;

/// A whole program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    pub(crate) structs: Vec<Struct>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) kernel: Function,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Struct {
    pub(crate) name: String,
    /// The fields as they are written.
    pub(crate) written: Vec<(String, Field)>,
    /// The scalars that it is made of, by the ways to them (`f0.f1`, `f0[1]`), and their types.
    pub(crate) fields: Vec<(String, &'static str)>,
    /// The default values of the last of those that are written.
    pub(crate) defaults: Vec<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Enum {
    pub(crate) name: String,
    /// The type of its numbers, if it is written.
    pub(crate) width: Option<&'static str>,
    /// The variants, with their numbers and data.
    pub(crate) variants: Vec<(String, i64, Data)>,
}

/// The names and types of what a variant holds.
pub(crate) type Data = Vec<(String, &'static str)>;

/// A case of a `match`: its pattern, its condition, its block.
pub(crate) type Case = (String, Option<Expr>, Vec<Stmt>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field {
    Scalar(&'static str),
    /// Another struct, by its number and its name.
    Struct(usize, String),
    /// An array of scalars, with its sizes.
    Array(&'static str, Vec<i64>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) ty: &'static str,
    /// The sizes of an array; none for a scalar.
    pub(crate) sizes: Vec<i64>,
    pub(crate) value: Expr,
}

/// What the names of constant arrays start with.
pub(crate) const TABLE: &str = "TABLE";

/// What the names of the indices of `static for` start with.
pub(crate) const STATIC_INDEX: &str = "st";

/// What the names of constant parameters start with.
pub(crate) const CONSTANT_PARAMETER: &str = "K";

/// Says whether a name is a number that the checker knows: the index of a `static for`, or a constant parameter.
pub(crate) fn is_static(name: &str) -> bool {
    name.starts_with(STATIC_INDEX) || name.starts_with(CONSTANT_PARAMETER)
}

/// A function, or the kernel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function {
    /// The lines above it.
    pub(crate) attrs: Vec<String>,
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) result: Option<&'static str>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Param {
    pub(crate) name: String,
    /// The type as it is written, if it is.
    pub(crate) ty: Option<String>,
    /// What a kernel's parameter is given.
    pub(crate) arg: Option<ArgValue>,
    /// The default value of a function's.
    pub(crate) default: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    /// A number or a bool, as it is written.
    Literal(String),
    Name(String),
    /// A constant of the file.
    Constant(String),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Comparisons in a chain: what the first is of, and each operator with what stands behind it.
    Chain(Box<Expr>, Vec<(&'static str, Expr)>),
    /// The condition, and the values where it holds and where not.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call, or a cast.
    Call(String, Vec<Expr>),
    /// An argument that is given by the name of its parameter.
    Named(String, Box<Expr>),
    Index(Box<Expr>, Vec<Subscript>),
    Field(Box<Expr>, String),
    /// The names of the parameters, and what it gives.
    Lambda(Vec<String>, Box<Expr>),
    /// A value for each element: the value, the names, what they go over, and a condition. Alone in a call it has no brackets.
    For(Box<Expr>, String, Box<Expr>, Option<Box<Expr>>),
    /// An operator that is passed on.
    Operator(&'static str),
    /// An array that is written down.
    List(Vec<Expr>),
    /// Several values, in parentheses.
    Tuple(Vec<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subscript {
    At(Expr),
    /// Start, end, step.
    Slice(Option<Expr>, Option<Expr>, Option<Expr>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Range {
    pub(crate) start: Option<Expr>,
    pub(crate) stop: Expr,
    pub(crate) step: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stmt {
    /// A name, its type if it is written, a value.
    Let(String, Option<&'static str>, Expr),
    /// An array: its name, its type with sizes, and the value of all its cells, if it is not zero.
    Filled(String, String, Option<Expr>),
    /// The first assignment to a name.
    Define(String, Expr),
    /// A target, the operator of `+=` and its kin, a value.
    Set(Expr, Option<&'static str>, Expr),
    /// `let` of several names, some with their types, and what they are: a value for each, or one that is all of them.
    LetAll(Vec<(String, Option<&'static str>)>, Vec<Expr>),
    /// Several targets, and a value for each.
    SetAll(Vec<Expr>, Vec<Expr>),
    /// `for` or `cfor`.
    For(&'static str, String, Range, Vec<Stmt>),
    /// `for x in a`, with all names.
    ForEach(String, Expr, Vec<Stmt>),
    /// A loop with an attribute above it.
    Marked(String, Box<Stmt>),
    /// `@lanes`, indices, a body.
    Foreach(Option<u32>, Vec<(String, Range)>, Vec<Stmt>),
    /// `while` or `cwhile`.
    While(&'static str, Expr, Vec<Stmt>),
    /// `if` or `cif`.
    If(&'static str, Expr, Vec<Stmt>, Vec<Stmt>),
    /// A `match`: the value, and its cases.
    Match(Expr, Vec<Case>),
    Return(Option<Expr>),
    Assert(Expr),
    Do(Expr),
    Break,
    Continue,
}

impl Param {
    /// A parameter of the kernel.
    pub(crate) fn given(name: &str, ty: String, arg: ArgValue) -> Param {
        Param { name: name.into(), ty: Some(ty), arg: Some(arg), default: None }
    }
}

impl Tree {
    /// A program that is one kernel.
    pub(crate) fn of(kernel: Function) -> Tree {
        Tree { structs: Vec::new(), enums: Vec::new(), constants: Vec::new(), functions: Vec::new(), kernel }
    }
}

impl Expr {
    pub(crate) fn name(name: impl Into<String>) -> Expr {
        Expr::Name(name.into())
    }

    pub(crate) fn literal(text: impl ToString) -> Expr {
        Expr::Literal(text.to_string())
    }

    pub(crate) fn binary(op: &'static str, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    pub(crate) fn unary(op: &'static str, a: Expr) -> Expr {
        Expr::Unary(op, Box::new(a))
    }

    pub(crate) fn call(name: impl Into<String>, args: Vec<Expr>) -> Expr {
        Expr::Call(name.into(), args)
    }

    pub(crate) fn cond(condition: Expr, then_value: Expr, else_value: Expr) -> Expr {
        Expr::Cond(Box::new(condition), Box::new(then_value), Box::new(else_value))
    }

    pub(crate) fn at(array: impl Into<String>, indices: Vec<Expr>) -> Expr {
        Expr::Index(Box::new(Expr::name(array)), indices.into_iter().map(Subscript::At).collect())
    }

    pub(crate) fn field(self, name: impl Into<String>) -> Expr {
        Expr::Field(Box::new(self), name.into())
    }

    /// Whether the checker may know its value: then an operation on it that fails is refused.
    pub(crate) fn is_constant(&self) -> bool {
        match self {
            Expr::Literal(_) | Expr::Constant(_) => true,
            Expr::Index(base, subscripts) => {
                let is_known = |subscript: &Subscript| matches!(subscript, Subscript::At(index) if index.is_constant());
                matches!(&**base, Expr::Name(name) if name.starts_with(TABLE)) && subscripts.iter().all(is_known)
            }
            Expr::Name(name) => is_static(name),
            Expr::Field(..) => false,
            Expr::Unary(_, a) | Expr::Named(_, a) => a.is_constant(),
            Expr::Chain(a, others) => a.is_constant() && others.iter().all(|(_, b)| b.is_constant()),
            Expr::Binary(_, a, b) => a.is_constant() && b.is_constant(),
            Expr::Cond(c, a, b) => c.is_constant() && a.is_constant() && b.is_constant(),
            Expr::Call(_, args) => args.iter().all(Expr::is_constant),
            Expr::Lambda(..) | Expr::For(..) | Expr::Operator(_) | Expr::List(_) | Expr::Tuple(_) => false,
        }
    }
}

impl Stmt {
    /// A loop under an attribute.
    pub(crate) fn marked(self, attribute: &str) -> Stmt {
        Stmt::Marked(attribute.to_owned(), Box::new(self))
    }

    /// A loop, at times under an attribute that says how many of its iterations, or groups of lanes, are done in each round.
    pub(crate) fn perhaps_unrolled(self, rng: &mut Rng) -> Stmt {
        match rng.u8(..6) {
            0 => self.marked(&format!("@unroll({})", rng.u8(1..9))),
            _ => self,
        }
    }
}

impl Range {
    pub(crate) fn to(stop: Expr) -> Range {
        Range { start: None, stop, step: None }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Struct { name, written, defaults, .. } in &self.structs {
            writeln!(f, "struct {name}:")?;
            for (n, (field, ty)) in written.iter().enumerate() {
                match ty {
                    Field::Scalar(ty) => write!(f, "    {field}: {ty}")?,
                    Field::Struct(_, ty) => write!(f, "    {field}: {ty}")?,
                    Field::Array(ty, sizes) => {
                        let sizes: Vec<_> = sizes.iter().map(i64::to_string).collect();
                        write!(f, "    {field}: {ty}[{}]", sizes.join(", "))?;
                    }
                }
                let default = (n + defaults.len()).checked_sub(written.len()).and_then(|n| defaults.get(n));
                default.iter().try_for_each(|default| write!(f, " = {default}"))?;
                writeln!(f)?;
            }
            writeln!(f)?;
        }
        for Enum { name, width, variants } in &self.enums {
            let width = width.map(|width| format!("({width})")).unwrap_or_default();
            writeln!(f, "enum {name}{width}:")?;
            for (variant, number, data) in variants {
                let data: Vec<_> = data.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                let data = if data.is_empty() { String::new() } else { format!("({})", data.join(", ")) };
                writeln!(f, "    {variant}{data} = {number}")?;
            }
            writeln!(f)?;
        }
        for Constant { name, ty, sizes, value } in &self.constants {
            let sizes: Vec<_> = sizes.iter().map(i64::to_string).collect();
            let sizes = if sizes.is_empty() { String::new() } else { format!("[{}]", sizes.join(", ")) };
            writeln!(f, "const {name}: {ty}{sizes} = {value}\n")?;
        }
        for function in &self.functions {
            print_function(f, "fn", function)?;
            writeln!(f)?;
        }
        print_function(f, "kernel", &self.kernel)
    }
}

fn print_function(f: &mut fmt::Formatter<'_>, word: &str, function: &Function) -> fmt::Result {
    let param = |param: &Param| {
        let ty = param.ty.as_ref().map(|ty| format!(": {ty}")).unwrap_or_default();
        let default = param.default.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
        format!("{}{ty}{default}", param.name)
    };
    let params: Vec<_> = function.params.iter().map(param).collect();
    let result = function.result.map(|ty| format!(" -> {ty}")).unwrap_or_default();
    function.attrs.iter().try_for_each(|attr| writeln!(f, "{attr}"))?;
    writeln!(f, "{word} {}({}){result}:", function.name, params.join(", "))?;
    print_block(f, &function.body, 1)
}

fn print_block(f: &mut fmt::Formatter<'_>, block: &[Stmt], depth: usize) -> fmt::Result {
    if block.is_empty() {
        return writeln!(f, "{:1$}pass", "", 4 * depth);
    }
    block.iter().try_for_each(|stmt| print_stmt(f, stmt, depth))
}

fn print_stmt(f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 4 * depth)?;
    match stmt {
        Stmt::Let(name, Some(ty), value) => writeln!(f, "let {name}: {ty} = {value}"),
        Stmt::Filled(name, ty, Some(value)) => writeln!(f, "let {name}: {ty} = {value}"),
        Stmt::Filled(name, ty, None) => writeln!(f, "let {name}: {ty}"),
        Stmt::Let(name, None, value) => writeln!(f, "let {name} = {value}"),
        Stmt::Define(name, value) => writeln!(f, "{name} = {value}"),
        Stmt::Set(target, op, value) => writeln!(f, "{target} {}= {value}", op.unwrap_or_default()),
        Stmt::LetAll(names, values) => {
            let name = |(name, ty): &(String, Option<&str>)| match ty {
                Some(ty) => format!("{name}: {ty}"),
                None => name.clone(),
            };
            let names: Vec<_> = names.iter().map(name).collect();
            writeln!(f, "let {} = {}", names.join(", "), joined(values))
        }
        Stmt::SetAll(targets, values) => writeln!(f, "{} = {}", joined(targets), joined(values)),
        Stmt::For(word, index, range, body) => {
            writeln!(f, "{word} {index} in {range}:")?;
            print_block(f, body, depth + 1)
        }
        Stmt::ForEach(element, array, body) => {
            writeln!(f, "for {element} in {array}:")?;
            print_block(f, body, depth + 1)
        }
        Stmt::Marked(attribute, inner) => {
            writeln!(f, "{attribute}")?;
            print_stmt(f, inner, depth)
        }
        Stmt::Foreach(lanes, indices, body) => {
            if let Some(lanes) = lanes {
                write!(f, "@lanes({lanes})\n{:1$}", "", 4 * depth)?;
            }
            let indices: Vec<_> = indices.iter().map(|(index, range)| format!("{index} in {range}")).collect();
            writeln!(f, "foreach {}:", indices.join(", "))?;
            print_block(f, body, depth + 1)
        }
        Stmt::While(word, condition, body) => {
            writeln!(f, "{word} {condition}:")?;
            print_block(f, body, depth + 1)
        }
        Stmt::If(word, condition, then_block, else_block) => {
            writeln!(f, "{word} {condition}:")?;
            print_block(f, then_block, depth + 1)?;
            if else_block.is_empty() {
                return Ok(());
            }
            writeln!(f, "{:1$}else:", "", 4 * depth)?;
            print_block(f, else_block, depth + 1)
        }
        Stmt::Match(value, cases) => {
            writeln!(f, "match {value}:")?;
            cases.iter().try_for_each(|(pattern, guard, block)| {
                let guard = guard.as_ref().map(|guard| format!(" if {guard}")).unwrap_or_default();
                writeln!(f, "{:1$}case {pattern}{guard}:", "", 4 * depth + 4)?;
                print_block(f, block, depth + 2)
            })
        }
        Stmt::Return(Some(value)) => writeln!(f, "return {value}"),
        Stmt::Return(None) => writeln!(f, "return"),
        Stmt::Assert(condition) => writeln!(f, "assert {condition}"),
        Stmt::Do(call) => writeln!(f, "{call}"),
        Stmt::Break => writeln!(f, "break"),
        Stmt::Continue => writeln!(f, "continue"),
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zero = Expr::literal(0);
        match (&self.start, &self.step) {
            (None, None) => write!(f, "range({})", self.stop),
            (Some(start), None) => write!(f, "range({start}, {})", self.stop),
            (start, Some(step)) => write!(f, "range({}, {}, {step})", start.as_ref().unwrap_or(&zero), self.stop),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Literal(text) | Expr::Name(text) | Expr::Constant(text) => f.write_str(text),
            Expr::Unary(op, a) if op.ends_with('t') => write!(f, "({op} {a})"),
            Expr::Unary(op, a) => write!(f, "({op}{a})"),
            Expr::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            Expr::Chain(a, others) => {
                write!(f, "({a}")?;
                others.iter().try_for_each(|(op, b)| write!(f, " {op} {b}"))?;
                write!(f, ")")
            }
            Expr::Named(name, value) => write!(f, "{name}={value}"),
            Expr::Cond(c, a, b) => write!(f, "({a} if {c} else {b})"),
            Expr::Call(name, args) => match &args[..] {
                [Expr::For(value, names, over, condition)] => {
                    write!(f, "{name}({value} for {names} in {over}")?;
                    condition.iter().try_for_each(|condition| write!(f, " if {condition}"))?;
                    write!(f, ")")
                }
                _ => write!(f, "{name}({})", joined(args)),
            },
            Expr::For(value, names, over, condition) => {
                write!(f, "[{value} for {names} in {over}")?;
                condition.iter().try_for_each(|condition| write!(f, " if {condition}"))?;
                write!(f, "]")
            }
            Expr::Index(base, subscripts) => write!(f, "{base}[{}]", joined(subscripts)),
            Expr::Field(base, name) => write!(f, "{base}.{name}"),
            Expr::Lambda(params, body) => write!(f, "(\\{} -> {body})", params.join(" ")),
            Expr::Operator(op) => f.write_str(op),
            Expr::List(elements) => write!(f, "[{}]", joined(elements)),
            Expr::Tuple(values) => write!(f, "({})", joined(values)),
        }
    }
}

impl fmt::Display for Subscript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subscript::At(index) => index.fmt(f),
            Subscript::Slice(lo, hi, step) => {
                let text = |part: &Option<Expr>| part.as_ref().map(Expr::to_string).unwrap_or_default();
                write!(f, "{}:{}", text(lo), text(hi))?;
                step.as_ref().map_or(Ok(()), |step| write!(f, ":{step}"))
            }
        }
    }
}

fn joined(parts: &[impl ToString]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
