//! The expressions of `#if`: numbers of 64 bits, signed unless one is marked otherwise.

use crate::file::included_name;
use crate::kinds::Kind;
use crate::problems;
use crate::unit::{Name, SourcePlace, Token};

use super::Preprocessor;

/// The deepest that parentheses may stand in an expression.
const DEEPEST: u32 = 200;

impl Preprocessor<'_> {
    /// Returns true if a condition holds. One that cannot be read is told and does not.
    pub(super) fn condition(&mut self, tokens: &[Token], place: SourcePlace) -> bool {
        if tokens.is_empty() {
            let message = "the condition is missing, so it does not hold: write one behind the word";
            self.unit.problems.push(problems::condition(place, message));
            return false;
        }
        let known = self.replace_questions(tokens);
        let expanded = self.expand_line(&known);
        let expanded = self.replace_questions(&expanded);
        let mut reader = Reader { p: self, tokens: &expanded, at: 0, depth: 0, wrong: None };
        let value = reader.conditional(true);
        if reader.at < expanded.len() && reader.wrong.is_none() {
            reader.fail("the condition ends here, but more follows");
        }
        match reader.wrong {
            None => value.bits != 0,
            Some((at, message)) => {
                let place = expanded.get(at).map_or(place, |token| self.unit.place(token));
                let message = format!("{message}, so the condition does not hold: mend it");
                self.unit.problems.push(problems::condition(place, message));
                false
            }
        }
    }

    /// Puts numbers for `defined NAME` and `__has_include("…")`, before their names would be expanded.
    fn replace_questions(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut replaced = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let found = match token.name {
                name if name == Name::NONE => None,
                name if name == self.words.defined => self.defined_question(&tokens[at + 1..]),
                name if name == self.words.has_include => self.include_question(&tokens[at + 1..]),
                _ => None,
            };
            match found {
                Some((holds, n_tokens)) => {
                    let made = self.made(if holds { "1" } else { "0" }, token);
                    replaced.push(made);
                    at += 1 + n_tokens;
                }
                None => {
                    replaced.push(*token);
                    at += 1;
                }
            }
        }
        replaced
    }

    fn defined_question(&mut self, rest: &[Token]) -> Option<(bool, usize)> {
        let (name, n_tokens) = match rest {
            [open, name, close, ..] if open.kind == Kind::LParen && close.kind == Kind::RParen => (name, 3),
            [name, ..] => (name, 1),
            [] => return None,
        };
        if name.kind != Kind::Name {
            return None;
        }
        self.named(name);
        Some((self.defined.contains_key(&name.name), n_tokens))
    }

    fn include_question(&mut self, rest: &[Token]) -> Option<(bool, usize)> {
        let first = rest.first().filter(|token| token.kind == Kind::LParen).and(rest.get(1))?;
        let n_tokens = rest.iter().position(|token| token.kind == Kind::RParen)? + 1;
        let text = self.unit.text(first.place.file)[first.place.start as usize..].to_owned();
        let (name, is_quoted, _) = included_name(&text)?;
        let from = self.current_file()?.id;
        Some((self.find(from, name, is_quoted, first.place).is_some(), n_tokens))
    }
}

/// A number of a condition.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    is_unsigned: bool,
}

impl Value {
    fn truth(holds: bool) -> Value {
        Value { bits: i64::from(holds), is_unsigned: false }
    }
}

struct Reader<'a, 'f> {
    p: &'a Preprocessor<'f>,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
    wrong: Option<(usize, String)>,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Kind {
        self.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let is_next = self.peek() == kind;
        self.at += usize::from(is_next);
        is_next
    }

    fn fail(&mut self, message: impl Into<String>) {
        if self.wrong.is_none() {
            self.wrong = Some((self.at.min(self.tokens.len().saturating_sub(1)), message.into()));
        }
    }

    /// `a ? b : c`; only a live operand can be wrong in its value.
    fn conditional(&mut self, live: bool) -> Value {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.fail("the condition stands in too many parentheses");
            self.at = self.tokens.len();
            return Value::truth(false);
        }
        let condition = self.binary(0, live);
        let value = if self.eat(Kind::Question) {
            let holds = condition.bits != 0;
            let then = self.conditional(live && holds);
            if !self.eat(Kind::Colon) {
                self.fail("a `:` is missing behind `?`");
            }
            let otherwise = self.conditional(live && !holds);
            let is_unsigned = then.is_unsigned || otherwise.is_unsigned;
            Value { is_unsigned, ..if holds { then } else { otherwise } }
        } else {
            condition
        };
        self.depth -= 1;
        value
    }

    fn binary(&mut self, least: u8, live: bool) -> Value {
        let mut left = self.unary(live);
        loop {
            let op = self.peek();
            let Some(binds) = op.binding().filter(|binds| *binds >= least) else { return left };
            self.at += 1;
            let right_live = match op {
                Kind::AmpAmp => live && left.bits != 0,
                Kind::PipePipe => live && left.bits == 0,
                _ => live,
            };
            let right = self.binary(binds + 1, right_live);
            left = self.apply(op, left, right, live);
        }
    }

    fn apply(&mut self, op: Kind, left: Value, right: Value, live: bool) -> Value {
        let (a, b) = (left.bits, right.bits);
        let is_unsigned = left.is_unsigned || right.is_unsigned;
        let (ua, ub) = (a as u64, b as u64);
        let less = if is_unsigned { ua < ub } else { a < b };
        let bits = match op {
            Kind::AmpAmp => return Value::truth(a != 0 && b != 0),
            Kind::PipePipe => return Value::truth(a != 0 || b != 0),
            Kind::EqEq => return Value::truth(a == b),
            Kind::BangEq => return Value::truth(a != b),
            Kind::Lt => return Value::truth(less),
            Kind::GtEq => return Value::truth(!less),
            Kind::Gt => return Value::truth(!less && a != b),
            Kind::LtEq => return Value::truth(less || a == b),
            Kind::Pipe => a | b,
            Kind::Caret => a ^ b,
            Kind::Amp => a & b,
            Kind::LtLt => return Value { bits: a.checked_shl(b as u32).unwrap_or(0), ..left },
            Kind::GtGt if left.is_unsigned => {
                return Value { bits: ua.checked_shr(b as u32).unwrap_or(0) as i64, ..left };
            }
            Kind::GtGt => return Value { bits: a.checked_shr(b as u32).unwrap_or(a >> 63), ..left },
            Kind::Plus => a.wrapping_add(b),
            Kind::Minus => a.wrapping_sub(b),
            Kind::Star => a.wrapping_mul(b),
            _ if b == 0 => {
                if live {
                    self.fail("this divides by 0");
                }
                0
            }
            Kind::Slash if is_unsigned => (ua / ub) as i64,
            Kind::Slash => a.wrapping_div(b),
            _ if is_unsigned => (ua % ub) as i64,
            _ => a.wrapping_rem(b),
        };
        Value { bits, is_unsigned }
    }

    fn unary(&mut self, live: bool) -> Value {
        let kind = self.peek();
        let before = self.at;
        self.at += 1;
        match kind {
            Kind::Bang | Kind::Minus | Kind::Tilde | Kind::Plus => {
                self.depth += 1;
                let value = if self.depth > DEEPEST { Value::truth(false) } else { self.unary(live) };
                self.depth -= 1;
                match kind {
                    Kind::Bang => Value::truth(value.bits == 0),
                    Kind::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                    Kind::Tilde => Value { bits: !value.bits, ..value },
                    _ => value,
                }
            }
            Kind::LParen => {
                let value = self.conditional(live);
                if !self.eat(Kind::RParen) {
                    self.fail("a `)` is missing");
                }
                value
            }
            Kind::Number => self.number(before),
            Kind::Char => self.character(before),
            // A name that is no macro is 0; in front of `(` it is a macro that is missing.
            Kind::Name if self.peek() == Kind::LParen => {
                let name = self.p.unit.token_text(&self.tokens[before]).into_owned();
                self.at = before;
                self.fail(format!("`{name}` is no macro here"));
                self.at = self.tokens.len();
                Value::truth(false)
            }
            Kind::Name => Value::truth(false),
            _ => {
                self.at = before;
                self.fail("a number or name is missing");
                Value::truth(false)
            }
        }
    }

    fn number(&mut self, at: usize) -> Value {
        let text = self.p.unit.token_text(&self.tokens[at]).to_lowercase();
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = &text[digits.len()..];
        let parsed = match digits.as_bytes() {
            [b'0', b'x', ..] => u64::from_str_radix(&digits[2..], 16),
            [b'0', b'b', ..] => u64::from_str_radix(&digits[2..], 2),
            [b'0', _, ..] => u64::from_str_radix(&digits[1..], 8),
            _ => digits.parse(),
        };
        match parsed {
            Ok(bits) => Value { bits: bits as i64, is_unsigned: suffix.contains('u') || bits > i64::MAX as u64 },
            Err(_) => {
                self.at = at;
                self.fail(format!("`{text}` is no whole number"));
                self.at = self.tokens.len();
                Value::truth(false)
            }
        }
    }

    fn character(&self, at: usize) -> Value {
        let text = self.p.unit.token_text(&self.tokens[at]);
        let mut inner = text.trim_matches('\'').chars();
        let bits = match (inner.next(), inner.next()) {
            (Some('\\'), Some('n')) => 10,
            (Some('\\'), Some('t')) => 9,
            (Some('\\'), Some('0')) => 0,
            (Some('\\'), Some(other)) => i64::from(u32::from(other)),
            (Some(char), _) => i64::from(u32::from(char)),
            (None, _) => 0,
        };
        Value { bits, is_unsigned: false }
    }
}
