//! Expressions over variables in scope: for conditions of breakpoints, for hovers and watches.
//!
//! They are those of Lane that need no type of their own: names, numbers, elements (`a[i + 1]`, `m[y, x]`), `+ - * / // %`, comparisons,
//! `and`, `or` and `not`. A number takes the type of what stands beside it. An expression over something that varies from lane to lane
//! has a value in each lane. Behind a scalar that does, `x[3]` is its value in lane 3. `all(x > 3.0)` and `any(x > 3.0)` are about the lanes that
//! are active.

use queries::run::{Elem, Scalar};
use queries::stepping::{Cell, Reg, Stepping, Type, Value, View, scalar};

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Expression {
    Number(String),
    Bool(bool),
    Name(String),
    Element(String, Vec<Expression>),
    Negated(Box<Expression>),
    Not(Box<Expression>),
    Both(String, Box<Expression>, Box<Expression>),
    /// A condition that holds in all active lanes.
    InAll(Box<Expression>),
    /// A condition that holds in some active lane.
    InAny(Box<Expression>),
}

/// The value of an expression in a run.
pub enum Evaluated {
    /// One value.
    One(Scalar),
    /// A value for each lane, or the reason why a lane has none.
    Lanes(Vec<Result<Scalar, String>>),
    /// An array, or a part of one: the value that it is.
    Array(Value),
}

/// The levels of operators that take two operands, loosest first.
const LEVELS: [&[&str]; 5] =
    [&["or"], &["and"], &["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["//", "*", "/", "%"]];

impl Expression {
    /// Parses an expression, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Expression, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, next: 0 };
        let expression = parser.level(0)?;
        match parser.peek() {
            None => Ok(expression),
            Some(token) => Err(format!("`{token}` is more than an expression")),
        }
    }

    /// Evaluates the expression where a run stands.
    pub fn evaluate(&self, stepping: &Stepping) -> Result<Evaluated, String> {
        if let Expression::Name(name) = self {
            let (value, ty) = variable(stepping, name)?;
            if ty.is_view() {
                return Ok(Evaluated::Array(value));
            }
        }
        self.values(stepping)
    }

    fn values(&self, scope: &dyn VariableScope) -> Result<Evaluated, String> {
        let scope = Scope { of: scope };
        match scope.n_lanes(self) {
            None => scope.value(self, 0).map(|operand| Evaluated::One(operand.settled())),
            Some(lanes) => {
                let values = (0..lanes).map(|lane| Ok(scope.value(self, lane)?.settled()));
                Ok(Evaluated::Lanes(values.collect()))
            }
        }
    }

    /// Returns true if the expression, a condition, holds: in some active lane, where it differs between them.
    pub fn holds(&self, scope: &dyn VariableScope) -> Result<bool, String> {
        let no_condition = || Err("this is no condition".to_owned());
        if let Expression::Name(name) = self
            && scope.is_array(name)
        {
            return no_condition();
        }
        match self.values(scope)? {
            Evaluated::One(Scalar::Bool(holds)) => Ok(holds),
            Evaluated::Lanes(lanes) => {
                let on = scope.lanes_on();
                let is_on = |lane: usize| on.get(lane).copied().unwrap_or(true);
                let active: Vec<_> = lanes.into_iter().enumerate().filter(|(lane, _)| is_on(*lane)).collect();
                if active.iter().any(|(_, holds)| *holds == Ok(Scalar::Bool(true))) {
                    return Ok(true);
                }
                // Where no lane has a value, there is none yet; later the line may have made it.
                let has_value = active.is_empty() || active.iter().any(|(_, value)| value.is_ok());
                match active.into_iter().find_map(|(_, value)| value.err()).filter(|_| !has_value) {
                    Some(why) => Err(why),
                    None => Ok(false),
                }
            }
            Evaluated::One(_) | Evaluated::Array(_) => no_condition(),
        }
    }
}

/// The variables that an expression is about, where a run stands.
pub trait VariableScope {
    /// The number of lanes that a variable has values in; none if it has one for all, or is not there.
    fn lanes_of(&self, name: &str) -> Option<usize>;
    /// Returns true for an array.
    fn is_array(&self, name: &str) -> bool;
    /// The value of a variable in a lane.
    fn in_lane(&self, name: &str, lane: usize) -> Result<Scalar, String>;
    /// An element of an array, as a lane has it.
    fn element(&self, name: &str, indices: &[i128], lane: usize) -> Result<Scalar, String>;
    /// For each lane, true if it is active; empty where none run together.
    fn lanes_on(&self) -> Vec<bool>;
}

/// A value, or a number whose type is that of what stands beside it.
#[derive(Debug, Clone)]
enum Operand {
    Typed(Scalar),
    Number(String),
}

impl Operand {
    /// The value; that of a number beside which nothing stands is an `i32` or an `f32`.
    fn settled(self) -> Scalar {
        match self {
            Operand::Typed(scalar) => scalar,
            Operand::Number(text) => {
                let parsed = [Elem::I32, Elem::I64, Elem::F32].into_iter().find_map(|elem| Scalar::parse(elem, &text));
                parsed.unwrap_or(Scalar::F32(f32::NAN))
            }
        }
    }

    fn of_type(self, elem: Elem) -> Result<Scalar, String> {
        match self {
            Operand::Typed(scalar) => Ok(scalar),
            Operand::Number(text) => {
                let as_float = || elem.is_float().then(|| Scalar::parse(elem, &format!("{text}.0"))).flatten();
                Scalar::parse(elem, &text).or_else(as_float).ok_or_else(|| format!("`{text}` is no `{elem}`"))
            }
        }
    }
}

struct Scope<'s> {
    of: &'s dyn VariableScope,
}

impl Scope<'_> {
    /// The number of lanes that an expression has values for; `None` if it has one for all.
    fn n_lanes(&self, expression: &Expression) -> Option<usize> {
        match expression {
            Expression::Number(_) | Expression::Bool(_) | Expression::InAll(_) | Expression::InAny(_) => None,
            Expression::Name(name) => self.of.lanes_of(name),
            Expression::Element(name, subscripts) => {
                let own = if self.of.is_array(name) { self.of.lanes_of(name) } else { None };
                own.or_else(|| subscripts.iter().find_map(|subscript| self.n_lanes(subscript)))
            }
            Expression::Negated(of) | Expression::Not(of) => self.n_lanes(of),
            Expression::Both(_, a, b) => self.n_lanes(a).or_else(|| self.n_lanes(b)),
        }
    }

    fn value(&self, expression: &Expression, lane: usize) -> Result<Operand, String> {
        Ok(Operand::Typed(match expression {
            Expression::Number(text) => return Ok(Operand::Number(text.clone())),
            Expression::Bool(value) => Scalar::Bool(*value),
            Expression::Name(name) => self.of.in_lane(name, lane)?,
            Expression::Element(name, subscripts) => self.element(name, subscripts, lane)?,
            Expression::Negated(of) => match self.value(of, lane)? {
                Operand::Number(text) => return Ok(Operand::Number(format!("-{text}"))),
                Operand::Typed(value) => checked(scalar::neg(value))?,
            },
            Expression::Not(of) => Scalar::Bool(!self.condition(of, lane)?),
            Expression::InAll(of) => Scalar::Bool(self.active(of)?.into_iter().all(|holds| holds)),
            Expression::InAny(of) => Scalar::Bool(self.active(of)?.into_iter().any(|holds| holds)),
            Expression::Both(operator, a, b) if operator == "and" => {
                Scalar::Bool(self.condition(a, lane)? && self.condition(b, lane)?)
            }
            Expression::Both(operator, a, b) if operator == "or" => {
                Scalar::Bool(self.condition(a, lane)? || self.condition(b, lane)?)
            }
            Expression::Both(operator, a, b) => joined(operator, self.value(a, lane)?, self.value(b, lane)?)?,
        }))
    }

    fn condition(&self, expression: &Expression, lane: usize) -> Result<bool, String> {
        match self.value(expression, lane)? {
            Operand::Typed(Scalar::Bool(value)) => Ok(value),
            _ => Err("`and`, `or` and `not` take conditions".to_owned()),
        }
    }

    /// A condition in each active lane; where lanes do not differ in it, once.
    fn active(&self, expression: &Expression) -> Result<Vec<bool>, String> {
        let Some(lanes) = self.n_lanes(expression) else { return Ok(vec![self.condition(expression, 0)?]) };
        let on = self.of.lanes_on();
        let active = (0..lanes).filter(|lane| on.get(*lane).copied().unwrap_or(true));
        active.map(|lane| self.condition(expression, lane)).collect()
    }

    fn element(&self, name: &str, subscripts: &[Expression], lane: usize) -> Result<Scalar, String> {
        let index = |subscript: &Expression| {
            let index = self.value(subscript, lane)?.settled().wide();
            index.ok_or_else(|| "a subscript is an integer".to_owned())
        };
        let indices: Vec<i128> = subscripts.iter().map(index).collect::<Result<_, String>>()?;
        if self.of.is_array(name) {
            return self.of.element(name, &indices, lane);
        }
        let [lane] = indices[..] else {
            self.of.in_lane(name, lane)?;
            return Err(format!("`{name}` is no array"));
        };
        let lane = usize::try_from(lane).map_err(|_| format!("there is no lane {lane}"))?;
        self.of.in_lane(name, lane)
    }
}

fn variable(stepping: &Stepping, name: &str) -> Result<(Value, Type), String> {
    let variables = stepping.variables();
    let found = variables.iter().find(|variable| *variable.name == *name);
    found
        .map(|found| (found.value, found.ty))
        .ok_or_else(|| format!("there is no `{name}` here, or it has no value yet"))
}

impl VariableScope for Stepping {
    fn lanes_of(&self, name: &str) -> Option<usize> {
        let (value, _) = variable(self, name).ok()?;
        match self.reg(value) {
            Reg::Lanes(cells) => Some(cells.len()),
            Reg::Empty | Reg::One(_) => None,
        }
    }

    fn is_array(&self, name: &str) -> bool {
        variable(self, name).is_ok_and(|(_, ty)| ty.is_view())
    }

    fn in_lane(&self, name: &str, lane: usize) -> Result<Scalar, String> {
        let (value, _) = variable(self, name)?;
        match self.reg(value).lane(lane) {
            Some(Cell::Data(scalar)) => Ok(*scalar),
            Some(Cell::View(_)) => Err(format!("`{name}` is an array; write which element")),
            Some(Cell::Failed(_)) => Err(format!("`{name}` has no value in lane {lane}: computing it failed")),
            Some(Cell::Off) | None => Err(format!("`{name}` has no value in lane {lane}, which is not active")),
        }
    }

    fn element(&self, name: &str, indices: &[i128], lane: usize) -> Result<Scalar, String> {
        let (value, ty) = variable(self, name)?;
        let (Some(item), Some(Cell::View(view))) = (ty.item(), self.reg(value).lane(lane)) else {
            return Err(format!("`{name}` has no value here"));
        };
        let at = cell_of(name, view, indices)?;
        let elements = self.elements(view, item, at..at + 1);
        match elements[..] {
            [element] => Ok(element),
            _ => Err(format!("an element of `{name}` is a struct; open it in the list of arrays")),
        }
    }

    fn lanes_on(&self) -> Vec<bool> {
        self.lanes_here().map(|lanes| lanes.on).unwrap_or_default()
    }
}

/// The number of a cell of an array by its subscripts.
fn cell_of(name: &str, view: &View, indices: &[i128]) -> Result<usize, String> {
    if indices.len() != view.dims.len() {
        return Err(format!("`{name}` takes {}", crate::words::count(view.dims.len(), "subscript")));
    }
    let mut at = 0;
    for (&index, dim) in indices.iter().zip(&view.dims) {
        if !(0..i128::from(dim.size)).contains(&index) {
            return Err(format!("the index {index} is outside of `{name}`, which has {} elements there", dim.size));
        }
        at = at * dim.size as usize + index as usize;
    }
    Ok(at)
}

fn joined(operator: &str, a: Operand, b: Operand) -> Result<Scalar, String> {
    let elem = match (&a, &b) {
        (Operand::Typed(scalar), _) | (_, Operand::Typed(scalar)) => scalar.elem(),
        (Operand::Number(x), Operand::Number(y)) => {
            let is_integer = [x, y].into_iter().all(|text| Scalar::parse(Elem::I32, text).is_some());
            if is_integer { Elem::I32 } else { Elem::F32 }
        }
    };
    let (a, b) = (a.of_type(elem)?, b.of_type(elem)?);
    if a.elem() != b.elem() {
        return Err(format!(
            "`{operator}` takes operands of one type, and these are `{}` and `{}`",
            a.elem(),
            b.elem()
        ));
    }
    let bool = |value| Ok(Scalar::Bool(value));
    match operator {
        "==" => return bool(scalar::eq(a, b)),
        "!=" => return bool(!scalar::eq(a, b)),
        _ if elem == Elem::Bool => return Err(format!("`{operator}` takes numbers")),
        "<" => return bool(scalar::lt(a, b)),
        "<=" => return bool(scalar::le(a, b)),
        ">" => return bool(scalar::lt(b, a)),
        ">=" => return bool(scalar::le(b, a)),
        _ => {}
    }
    checked(match operator {
        "+" => scalar::add(a, b),
        "-" => scalar::sub(a, b),
        "*" => scalar::mul(a, b),
        "/" => scalar::div(a, b),
        "//" => scalar::floor_div(a, b),
        _ => scalar::rem(a, b),
    })
}

fn checked(result: Result<Scalar, scalar::Fault>) -> Result<Scalar, String> {
    result.map_err(|fault| format!("no value: {}", fault.code().name().replace('-', " ")))
}

/// The tokens of an expression.
fn tokens(text: &str) -> Result<Vec<String>, String> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let is_word = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        match chars[at] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            c if c.is_ascii_digit() || c == '.' => {
                while chars.get(at).is_some_and(|c| is_word(c) || *c == '.') {
                    let is_exponent = matches!(chars[at], 'e' | 'E') && matches!(chars.get(at + 1), Some('+' | '-'));
                    at += if is_exponent { 2 } else { 1 };
                }
            }
            c if is_word(&c) => {
                while chars.get(at).is_some_and(|c| is_word(c) || *c == '.') {
                    at += 1;
                }
            }
            _ => {
                let two: String = chars[at..(at + 2).min(chars.len())].iter().collect();
                at += if ["==", "!=", "<=", ">=", "//"].contains(&&*two) { 2 } else { 1 };
            }
        }
        let token: String = chars[start..at].iter().collect();
        if !token.starts_with(is_word_start) && !"()[],".contains(&*token) && !is_operator(&token) {
            return Err(format!("`{token}` has no meaning here"));
        }
        tokens.push(token);
    }
    Ok(tokens)
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

fn is_operator(token: &str) -> bool {
    LEVELS.iter().any(|level| level.contains(&token))
}

struct Parser<'t> {
    tokens: &'t [String],
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.next).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let is_next = self.peek() == Some(token);
        self.next += usize::from(is_next);
        is_next
    }

    /// An expression whose operators are of this level or bind tighter.
    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else { return self.prefix() };
        if level == 2 && self.take("not") {
            return Ok(Expression::Not(Box::new(self.level(level)?)));
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.peek().filter(|token| operators.contains(token)).map(str::to_owned) {
            self.next += 1;
            let right = self.level(level + 1)?;
            left = Expression::Both(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expression, String> {
        if self.take("-") {
            return Ok(Expression::Negated(Box::new(self.prefix()?)));
        }
        if self.take("(") {
            let inside = self.level(0)?;
            return if self.take(")") { Ok(inside) } else { Err("a `)` is missing".to_owned()) };
        }
        let Some(token) = self.peek().map(str::to_owned) else { return Err("an expression is missing".to_owned()) };
        self.next += 1;
        match &*token {
            "all" | "any" if self.take("(") => {
                let inside = Box::new(self.level(0)?);
                match (self.take(")"), &*token) {
                    (false, _) => Err("a `)` is missing".to_owned()),
                    (true, "all") => Ok(Expression::InAll(inside)),
                    (true, _) => Ok(Expression::InAny(inside)),
                }
            }
            "true" => Ok(Expression::Bool(true)),
            "false" => Ok(Expression::Bool(false)),
            _ if token.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                let number = token.replace('_', "");
                let is_number = number.parse::<f64>().is_ok();
                is_number.then_some(Expression::Number(number)).ok_or_else(|| format!("`{token}` is no number"))
            }
            _ if token.starts_with(is_word_start) => self.named(token),
            _ => Err(format!("`{token}` has no meaning here")),
        }
    }

    fn named(&mut self, name: String) -> Result<Expression, String> {
        if !self.take("[") {
            return Ok(Expression::Name(name));
        }
        let mut subscripts = vec![self.level(0)?];
        while self.take(",") {
            subscripts.push(self.level(0)?);
        }
        if self.take("]") { Ok(Expression::Element(name, subscripts)) } else { Err("a `]` is missing".to_owned()) }
    }
}

#[cfg(test)]
mod tests;
