//! Expressions.

use crate::kinds::Kind;
use crate::lexer::spelling;
use crate::problems;
use crate::tree::NodeKind;

use super::Parser;

impl Parser<'_> {
    /// Assignments between commas.
    pub(super) fn expression(&mut self) {
        let mark = self.open();
        self.assignment();
        if self.is(Kind::Comma) {
            while self.eat(Kind::Comma) {
                self.assignment();
            }
            self.close(mark, NodeKind::Comma);
        }
    }

    /// An assignment, or what binds tighter.
    pub(super) fn assignment(&mut self) {
        self.deeper(|parser| {
            let mark = parser.open();
            let before = parser.at;
            if parser.starts_new() {
                return parser.new_expression();
            }
            parser.conditional();
            if is_assignment(parser.kind()) && parser.at > before {
                parser.bump();
                parser.assignment();
                parser.close(mark, NodeKind::Assign);
            }
        });
    }

    /// An expression without an assignment: of `case`, of the length of an array.
    pub(super) fn constant(&mut self) {
        self.deeper(Self::conditional);
    }

    fn conditional(&mut self) {
        let mark = self.open();
        self.binary(0);
        if self.eat(Kind::Question) {
            self.deeper(Self::expression);
            self.expect(Kind::Colon, "the value that holds if the condition does");
            self.deeper(Self::conditional);
            self.close(mark, NodeKind::Conditional);
        }
    }

    fn binary(&mut self, least: u8) {
        let mark = self.open();
        let before = self.at;
        self.cast();
        if self.at == before {
            return;
        }
        while let Some(binds) = self.kind().binding().filter(|binds| *binds >= least) {
            self.bump();
            self.binary(binds + 1);
            self.close(mark, NodeKind::Binary);
        }
    }

    /// Returns true if `(` starts a cast.
    fn starts_cast(&self) -> bool {
        if !self.is(Kind::LParen) {
            return false;
        }
        if self.starts_type_at(1) {
            return true;
        }
        // An unknown name and a star between parentheses is a pointer's type.
        let mut n = 2;
        while matches!(self.nth(n), Kind::Star | Kind::Uniform | Kind::Varying | Kind::Const) {
            n += 1;
        }
        let is_known = self.scopes.find(self.nth_token(1).name).is_some();
        self.nth(1) == Kind::Name && n > 2 && self.nth(n) == Kind::RParen && !is_known
    }

    fn cast(&mut self) {
        if !self.starts_cast() {
            return self.unary();
        }
        self.deeper(|parser| {
            let mark = parser.open();
            let open = parser.at as u32;
            parser.bump();
            parser.type_name();
            parser.expect_close(Kind::RParen, open);
            parser.operand();
            parser.close(mark, NodeKind::Cast);
        });
    }

    fn operand(&mut self) {
        let before = self.at;
        self.cast();
        if self.at == before {
            self.expected("an operand");
        }
    }

    fn unary(&mut self) {
        let mark = self.open();
        match self.kind() {
            Kind::PlusPlus
            | Kind::MinusMinus
            | Kind::Amp
            | Kind::Star
            | Kind::Plus
            | Kind::Minus
            | Kind::Tilde
            | Kind::Bang => {
                self.deeper(|parser| {
                    parser.bump();
                    parser.operand();
                });
                self.close(mark, NodeKind::Prefix);
            }
            Kind::Sizeof => {
                self.bump();
                let open = self.at as u32;
                if self.starts_cast() {
                    self.bump();
                    self.type_name();
                    self.expect_close(Kind::RParen, open);
                } else {
                    self.deeper(Self::unary);
                }
                self.close(mark, NodeKind::Sizeof);
            }
            Kind::Alloca => {
                self.bump();
                self.required_args();
                self.close(mark, NodeKind::AllocaCall);
            }
            Kind::InvokeSycl => {
                self.bump();
                self.required_args();
                self.close(mark, NodeKind::InvokeSycl);
            }
            _ => self.postfix(),
        }
    }

    fn required_args(&mut self) {
        if self.is(Kind::LParen) {
            self.args();
        } else {
            self.expected("a `(`");
        }
    }

    fn postfix(&mut self) {
        let mark = self.open();
        let before = self.at;
        self.primary();
        if self.at == before {
            return;
        }
        loop {
            match self.kind() {
                Kind::LBracket => {
                    let open = self.at as u32;
                    self.bump();
                    self.deeper(Self::expression);
                    self.close_bracket(Kind::RBracket, open);
                    self.close(mark, NodeKind::Index);
                }
                Kind::LParen => {
                    self.args();
                    self.close(mark, NodeKind::Call);
                }
                Kind::Dot if self.nth(1) == Kind::Dot => return,
                Kind::Dot | Kind::Arrow => {
                    self.bump();
                    if self.is(Kind::Name) {
                        self.names.members.push(self.at as u32);
                        self.bump();
                    } else {
                        self.expected("the name of a member");
                    }
                    self.close(mark, NodeKind::Member);
                }
                Kind::PlusPlus | Kind::MinusMinus => {
                    self.bump();
                    self.close(mark, NodeKind::Postfix);
                }
                _ => return,
            }
        }
    }

    /// Takes a closing bracket; without one, what is left in front of it is skipped if it comes soon.
    fn close_bracket(&mut self, kind: Kind, open: u32) {
        if self.expect_close(kind, open) {
            return;
        }
        let ahead =
            (0..64).take_while(|n| !matches!(self.nth(*n), Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End));
        let found = ahead.into_iter().find(|n| self.nth(*n) == kind);
        if let Some(n) = found {
            let mark = self.open();
            self.at += n;
            self.close(mark, NodeKind::Error);
            self.bump();
        }
    }

    /// Arguments in parentheses.
    pub(super) fn args(&mut self) {
        self.deeper(|parser| {
            let mark = parser.open();
            let open = parser.at as u32;
            parser.bump();
            while !matches!(parser.kind(), Kind::RParen | Kind::End) {
                let before = parser.at;
                parser.assignment();
                if parser.at == before {
                    parser.expected("an argument");
                    break;
                }
                if !parser.eat(Kind::Comma) {
                    break;
                }
                if parser.is(Kind::RParen) {
                    parser.expected("an argument");
                }
            }
            parser.close_bracket(Kind::RParen, open);
            parser.close(mark, NodeKind::Args);
        });
    }

    fn primary(&mut self) {
        let mark = self.open();
        if self.is(Kind::Name) {
            self.skip_scopes();
        }
        match self.kind() {
            Kind::Name if self.token().name == self.operator => {
                self.names.unresolved.push(self.at as u32);
                self.operator_name();
                self.close(mark, NodeKind::NameUse);
            }
            Kind::Name => {
                // Templates of the library are not declared here.
                let is_unknown = self.scopes.find(self.token().name).is_none();
                let is_template = self.is_template_name(self.token().name)
                    || (is_unknown && self.nth(1) == Kind::Lt && self.starts_type_at(2));
                self.use_name(false);
                self.bump();
                if is_template && self.is(Kind::Lt) {
                    self.template_args();
                }
                self.close(mark, NodeKind::NameUse);
            }
            Kind::Intrinsic => {
                self.bump();
                self.close(mark, NodeKind::NameUse);
            }
            Kind::Number => {
                self.check_number();
                self.bump();
                self.close(mark, NodeKind::Literal);
            }
            Kind::Str => {
                while self.is(Kind::Str) {
                    self.check_string();
                    self.bump();
                }
                self.close(mark, NodeKind::Literal);
            }
            Kind::True | Kind::False | Kind::Null => {
                self.bump();
                self.close(mark, NodeKind::Literal);
            }
            Kind::Char => {
                let token = *self.token();
                let message = "ISPC has no characters in single quotes: write the number of the character";
                self.tell(problems::token(self.unit.place(&token), message), &token);
                self.bump();
                self.close(mark, NodeKind::Literal);
            }
            Kind::LParen => {
                let open = self.at as u32;
                self.bump();
                self.deeper(Self::expression);
                self.close_bracket(Kind::RParen, open);
                self.close(mark, NodeKind::Paren);
            }
            Kind::Launch => self.launch(),
            Kind::LBracket if self.lambda() => {}
            kind if kind.is_atomic_type() && self.nth(1) == Kind::LParen => {
                let text = self.unit.token_text(self.token()).into_owned();
                self.fail_at(self.at, format!("a type is not called in ISPC: write `({text})` in front of the value"));
                self.bump();
                self.close(mark, NodeKind::Error);
            }
            Kind::Stray => {
                let text = self.unit.token_text(self.token()).into_owned();
                self.fail_at(self.at, format!("`{text}` has no meaning in ISPC: take it out"));
                self.bump();
                self.close(mark, NodeKind::Error);
            }
            _ => self.expected("an expression"),
        }
    }

    /// `launch[n] f(…)`, with up to three counts, and in the old form with `<` and `>`.
    fn launch(&mut self) {
        let mark = self.open();
        self.bump();
        while self.is(Kind::LBracket) {
            let open = self.at as u32;
            self.bump();
            self.deeper(Self::expression);
            self.close_bracket(Kind::RBracket, open);
        }
        let is_old = self.eat(Kind::Lt);
        self.deeper(Self::postfix);
        if is_old {
            self.expect(Kind::Gt, "the call");
        }
        self.close(mark, NodeKind::Launch);
    }

    fn starts_new(&self) -> bool {
        self.is(Kind::New) || (matches!(self.kind(), Kind::Uniform | Kind::Varying) && self.nth(1) == Kind::New)
    }

    fn new_expression(&mut self) {
        let mark = self.open();
        if !self.is(Kind::New) {
            self.bump();
        }
        self.bump();
        self.new_type();
        match self.kind() {
            Kind::LParen => self.args(),
            Kind::LBracket => {
                let open = self.at as u32;
                self.bump();
                self.deeper(Self::expression);
                self.close_bracket(Kind::RBracket, open);
            }
            _ => {}
        }
        self.close(mark, NodeKind::New);
    }

    /// The type behind `new`: without declarators, whose `(` and `[` are those of `new`.
    fn new_type(&mut self) {
        let mark = self.open();
        let before = self.at;
        self.type_specifiers();
        if self.at == before && self.is(Kind::Name) {
            self.unknown_type_here();
        }
        if self.at == before {
            self.expected("a type");
        }
        while self.is(Kind::Star) || self.kind().is_qualifier() {
            self.bump();
        }
        self.close(mark, NodeKind::TypeName);
    }

    // Tokens that are numbers or strings only for the preprocessor.

    fn check_number(&mut self) {
        let token = *self.token();
        let text = self.unit.token_text(&token).into_owned();
        if !is_number(&text) {
            let message = format!("`{text}` is no number in ISPC: look at its end");
            self.tell(problems::token(self.unit.place(&token), message), &token);
        }
    }

    fn check_string(&mut self) {
        let token = *self.token();
        let text = self.unit.text(token.place.file).get(token.place.range()).map(spelling).unwrap_or_default();
        let is_whole = text.trim_start_matches('L').len() >= 2 && text.ends_with('"');
        if !is_whole {
            let message = "this string has no end on its line: add a `\"`";
            self.tell(problems::token(self.unit.place(&token), message), &token);
        }
    }
}

/// Returns true for a number as ispc takes it.
fn is_number(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_whole = |digits: &str, radix: u32| {
        let end = digits.find(|char: char| !char.is_digit(radix)).unwrap_or(digits.len());
        // `k`, `M` and `G` multiply, in this very case.
        let rest = match text.as_bytes().get(text.len() - digits.len() + end) {
            Some(b'k' | b'M' | b'G') => &digits[end + 1..],
            _ => &digits[end..],
        };
        end > 0 && matches!(rest, "" | "u" | "l" | "ll" | "ul" | "ull" | "lu" | "llu")
    };
    if let Some(digits) = lower.strip_prefix("0x") {
        return is_whole(digits, 16) || is_hexadecimal_float(digits);
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return is_whole(digits, 2);
    }
    is_whole(&lower, 10) || is_decimal_float(&lower)
}

fn is_hexadecimal_float(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.split_once('p') else { return false };
    mantissa.chars().all(|char| char == '.' || char.is_ascii_hexdigit()) && is_exponent(exponent)
}

fn is_decimal_float(text: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_mantissa = |text: &str| match text.split_once('.') {
        Some((before, after)) => is_digits(before) && is_digits(after) && before.len() + after.len() > 0,
        None => !text.is_empty() && is_digits(text),
    };
    let body = text.strip_suffix("f16").or(text.strip_suffix(['f', 'd'])).unwrap_or(text);
    match body.split_once(['e', 'd']) {
        Some((mantissa, exponent)) => is_mantissa(mantissa) && is_exponent(exponent),
        None => is_mantissa(body),
    }
}

fn is_exponent(text: &str) -> bool {
    let text = text.strip_suffix("f16").or(text.strip_suffix(['f', 'd'])).unwrap_or(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_assignment(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, Eq | StarEq | SlashEq | PercentEq | PlusEq | MinusEq | LtLtEq | GtGtEq | AmpEq | CaretEq | PipeEq)
}
