//! A place in a line, and what is read of a line alone.

use super::Read;
use super::lex::{Line, Token, TokenKind};
use crate::codes::ReasonCode;
use crate::ops::Key;
use crate::program::{Attr, LaneVerdict, Marks, SizeOperator};
use crate::scalar::Scalar;
use crate::types::{Elem, Type};

/// A place in a line.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    pub(super) line: &'t Line<'t>,
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(line: &'t Line<'t>) -> Self {
        Cursor { line, at: 0 }
    }

    pub(super) fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, distance: usize) -> Token<'t> {
        self.line.tokens.get(self.at + distance).copied().unwrap_or(Token { kind: TokenKind::End, text: "" })
    }

    pub(super) fn take(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes a token if it is this one.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_it = self.peek().text == text;
        self.at += usize::from(is_it);
        is_it
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(self.line.error(message))
    }

    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) {
            return Ok(());
        }
        match self.peek().text {
            "" => self.error(format!("`{text}` should stand where the line ends")),
            other => self.error(format!("`{text}` should stand where `{other}` does")),
        }
    }

    pub(super) fn name(&mut self) -> Read<&'t str> {
        let token = self.take();
        if token.kind == TokenKind::Word { Ok(token.text) } else { self.error(format!("`{}` is no name", token.text)) }
    }

    pub(super) fn elem(&mut self) -> Read<Elem> {
        let name = self.name()?;
        Elem::from_name(name).map_or_else(|| self.error(format!("`{name}` is no element type")), Ok)
    }

    pub(super) fn integer<T: std::str::FromStr>(&mut self) -> Read<T> {
        let sign = if self.eat("-") { "-" } else { "" };
        let text = self.take().text;
        format!("{sign}{text}").parse().or_else(|_| self.error(format!("`{text}` is no number that fits here")))
    }

    pub(super) fn end(&self) -> Read<()> {
        if self.peek().kind == TokenKind::End {
            Ok(())
        } else {
            self.error(format!("`{}` is too much", self.peek().text))
        }
    }

    /// Says whether a token stands further on in the line, outside of brackets.
    pub(super) fn has(&self, text: &str) -> bool {
        let mut depth = 0;
        self.line.tokens[self.at.min(self.line.tokens.len())..].iter().any(|token| {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            depth == 0 && token.text == text
        })
    }
}

/// A size before the parameters it mentions are known.
pub(super) enum RawSize<'t> {
    Own,
    Constant(i64),
    Name(&'t str),
    Arithmetic(SizeOperator, Box<RawSize<'t>>, Box<RawSize<'t>>),
}

/// A number at the cursor, sign included, if one stands there.
pub(super) fn literal(cursor: &mut Cursor) -> Option<String> {
    let is_number = |token: Token| {
        token.kind == TokenKind::Number || (token.kind == TokenKind::Word && matches!(token.text, "inf" | "nan"))
    };
    let token = cursor.peek();
    if token.text == "-" && is_number(cursor.ahead(1)) {
        cursor.take();
        return Some(format!("-{}", cursor.take().text));
    }
    let found = is_number(token) || matches!(token.text, "true" | "false");
    found.then(|| cursor.take().text.to_owned())
}

/// Reads `key=attribute`.
pub(super) fn keyword(cursor: &mut Cursor, key: Key) -> Read<Attr> {
    let word = cursor.name()?;
    cursor.expect("=")?;
    match key {
        Key::Elem | Key::NewElem if word == "type" => Ok(Attr::Elem(cursor.elem()?)),
        Key::NewElem if word == "unset" => Ok(Attr::Unset(cursor.elem()?)),
        Key::Cells if let Some(elem) = Elem::from_name(word) => {
            cursor.expect("[")?;
            let mut cells = Vec::new();
            while !cursor.eat("]") {
                let Some(cell) = literal(cursor).and_then(|text| Scalar::parse(elem, &text)) else {
                    return cursor.error(format!("this is no {elem}"));
                };
                cells.push(cell);
                if cursor.peek().text != "]" {
                    cursor.expect(",")?;
                }
            }
            Ok(Attr::Cells(elem, cells.into()))
        }
        Key::Type if word == "type" => type_name(cursor),
        Key::Through if word == "through" => {
            cursor.expect("memory")?;
            Ok(Attr::InMemory)
        }
        Key::Order if word == "order" => {
            cursor.expect("free")?;
            Ok(Attr::FreeOrder)
        }
        Key::Past if word == "past" => {
            cursor.expect("cache")?;
            Ok(Attr::PastCache)
        }
        Key::Lanes if word == "lanes" => Ok(Attr::Lanes(cursor.integer()?)),
        Key::Dim if word == "dim" => Ok(Attr::Number(cursor.integer()?)),
        Key::Number(name, _) if word == name => Ok(Attr::Number(cursor.integer()?)),
        Key::Pattern if word == "pattern" => {
            cursor.expect("[")?;
            let mut pattern = Vec::new();
            while !cursor.eat("]") {
                pattern.push(cursor.integer()?);
                if cursor.peek().text != "]" {
                    cursor.expect(",")?;
                }
            }
            Ok(Attr::Pattern(pattern.into()))
        }
        _ => cursor.error(format!("`{word}` cannot be said here")),
    }
}

/// Reads `f32` or `f32x8`.
pub(super) fn type_name(cursor: &mut Cursor) -> Read<Attr> {
    let name = cursor.name()?;
    let (elem, lanes) = name.split_once('x').map_or((name, None), |(elem, lanes)| (elem, Some(lanes)));
    let lanes = match lanes.map(str::parse) {
        Some(Err(_)) => return cursor.error(format!("`{name}` is no type")),
        lanes => lanes.and_then(Result::ok),
    };
    match Elem::from_name(elem) {
        Some(elem) => Ok(Attr::Type(Type::Data { elem, lanes })),
        None => cursor.error(format!("`{name}` is no type")),
    }
}

pub(super) fn raw_size<'t>(cursor: &mut Cursor<'t>) -> Read<RawSize<'t>> {
    if cursor.eat("?") {
        return Ok(RawSize::Own);
    }
    if cursor.eat("(") {
        let a = raw_size(cursor)?;
        let symbol = cursor.take().text;
        let Some(operator) = SizeOperator::ALL.into_iter().find(|operator| operator.symbol() == symbol) else {
            return cursor.error(format!("`{symbol}` joins no sizes"));
        };
        let b = raw_size(cursor)?;
        cursor.expect(")")?;
        return Ok(RawSize::Arithmetic(operator, Box::new(a), Box::new(b)));
    }
    match cursor.peek().kind {
        TokenKind::Word => Ok(RawSize::Name(cursor.take().text)),
        _ => Ok(RawSize::Constant(cursor.integer()?)),
    }
}

/// Reads one of the marks above a loop or branch, such as `@simd`.
pub(super) fn mark(cursor: &mut Cursor, marks: &mut Marks) -> Read<()> {
    cursor.expect("@")?;
    let word = cursor.name()?;
    let mut number = None;
    let mut code = None;
    if cursor.eat("(") {
        match cursor.peek().kind {
            TokenKind::Word => code = Some(reason_code(cursor)?),
            _ => number = Some(cursor.integer()?),
        }
        cursor.expect(")")?;
    }
    if word == "in_order" && number.is_none() {
        marks.verdict = Some(LaneVerdict::InOrder(code));
        return cursor.end();
    }
    match (word, number) {
        _ if code.is_some() => return cursor.error(format!("`@{word}` takes no code")),
        ("in_lanes", Some(lanes)) => marks.verdict = Some(LaneVerdict::InLanes(lanes)),
        ("inside_lanes", None) => marks.verdict = Some(LaneVerdict::InsideLanes),
        ("lanes", Some(_)) => marks.lanes = number,
        ("unroll", Some(_)) => marks.unroll = number,
        ("simd", None) => marks.simd = true,
        ("no_gather", None) => marks.no_gather = true,
        ("no_scatter", None) => marks.no_scatter = true,
        ("stream", None) => marks.stream = true,
        ("tiled", None) => marks.tiled = true,
        ("coherent", None) => marks.coherent = true,
        ("counts", None) => marks.counts = true,
        ("disjoint", None) => marks.disjoint = true,
        ("rolled", None) => marks.rolled = true,
        ("together", Some(_)) => marks.together = number,
        ("in_turn", None) => marks.in_turn = true,
        ("any_order", None) => marks.any_order = true,
        ("nested", None) => marks.nested = true,
        _ => return cursor.error(format!("`@{word}` says nothing about a loop")),
    }
    cursor.end()
}

/// Reads the code of a reason: words joined by hyphens.
fn reason_code(cursor: &mut Cursor) -> Read<ReasonCode> {
    let mut name = cursor.name()?.to_owned();
    while cursor.eat("-") {
        name = format!("{name}-{}", cursor.name()?);
    }
    let known = ReasonCode::ALL.iter().copied().find(|code| code.name() == name);
    known.map_or_else(|| cursor.error(format!("`{name}` is no code of a reason")), Ok)
}
