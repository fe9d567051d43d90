//! The lexer: text to tokens that tile it.
//!
//! The lexer never fails, and it neither drops nor adds a character. A character that the language does not know becomes a
//! [`STRANGE`](SyntaxKind::STRANGE) token, a malformed number is still one number, a name with letters beyond ASCII is still one
//! name; each is recorded as an [`Oddity`], and the parser reports the oddities of the tokens it takes.

use crate::kinds::SyntaxKind::{self, *};

/// Tokens of a text. Token `n` is `text[starts[n]..starts[n + 1]]`.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) kinds: Vec<SyntaxKind>,
    /// Start offsets, one more than there are tokens: the last is the length of the text.
    pub(crate) starts: Vec<u32>,
    /// Malformed tokens by their index, in order.
    pub(crate) oddities: Vec<(u32, Oddity)>,
}

impl Lexed {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn text<'t>(&self, text: &'t str, token: usize) -> &'t str {
        &text[self.starts[token] as usize..self.starts[token + 1] as usize]
    }
}

/// A lexical error of a single token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A character that starts no token.
    StrangeCharacter,
    /// A character that resembles a token, or is another notation for it, and is lexed as that token.
    LookAlike,
    /// White space that looks like a space but is another character, such as a no-break space.
    StrangeSpace,
    /// What stands in quotes, which may say nothing.
    Quoted,
    /// A name with letters beyond ASCII.
    NonAsciiName,
    /// `0x` or `0b` without a digit behind it.
    NoDigits,
    /// A letter or digit that the number's base does not have, or a suffix such as `f` or `u32`.
    BadDigits,
    /// An underscore that is not between two digits: `1__0`, `1_`, `0x_`.
    Underscore,
    /// A leading zero, as in `007`, which C would read as octal.
    LeadingZero,
    /// An exponent without digits: `1e` or `1e+`.
    NoExponent,
}

/// Splits `text`, which must start in column 0, into tokens. The result reuses the memory of `spent`, the tokens of another text.
pub(crate) fn lex(text: &str, mut spent: Lexed) -> Lexed {
    assert!(u32::try_from(text.len()).is_ok(), "a text of 4 GiB or more");
    spent.kinds.clear();
    spent.starts.clear();
    spent.oddities.clear();
    let mut lexer = Lexer { text, bytes: text.as_bytes(), pos: 0, out: spent };
    while lexer.pos < text.len() {
        let start = lexer.pos;
        let kind = lexer.token();
        debug_assert!(lexer.pos > start, "the lexer did not advance");
        lexer.out.kinds.push(kind);
        lexer.out.starts.push(start as u32);
    }
    lexer.out.starts.push(text.len() as u32);
    lexer.out
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn eat_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.bytes.get(self.pos).is_some_and(|&b| wanted(b)) {
            self.pos += 1;
        }
    }

    fn odd(&mut self, oddity: Oddity) {
        self.out.oddities.push((self.out.kinds.len() as u32, oddity));
    }

    fn token(&mut self) -> SyntaxKind {
        let first = self.bytes[self.pos];
        match first {
            b' ' | b'\t' | 0x0b | 0x0c => {
                self.eat_while(|b| matches!(b, b' ' | b'\t' | 0x0b | 0x0c));
                WHITESPACE
            }
            b'\n' => {
                self.pos += 1;
                NEWLINE
            }
            b'\r' => {
                self.pos += if self.peek(1) == b'\n' { 2 } else { 1 };
                NEWLINE
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() && !self.follows_operand() => self.number(),
            b'#' => self.comment(),
            b'"' | b'\'' => self.quoted(first),
            0xe2 if self.text[self.pos..].starts_with('“') => self.quoted_by_typesetter(),
            0x80.. => self.beyond_ascii(),
            _ => self.punctuation(),
        }
    }

    fn word(&mut self) -> SyntaxKind {
        let start = self.pos;
        self.eat_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        if self.peek(0) >= 0x80 && self.eat_name_beyond_ascii() {
            self.odd(Oddity::NonAsciiName);
            return IDENT;
        }
        SyntaxKind::from_keyword(&self.text[start..self.pos]).unwrap_or(IDENT)
    }

    /// Consumes the rest of a name whose next character is not ASCII; returns true if there was any.
    fn eat_name_beyond_ascii(&mut self) -> bool {
        let start = self.pos;
        for c in self.text[start..].chars() {
            if !unicode_ident::is_xid_continue(c) {
                break;
            }
            self.pos += c.len_utf8();
        }
        self.pos > start
    }

    /// Returns true behind an operand, where `p.0` is a malformed field access, not `p` next to `.0`.
    fn follows_operand(&self) -> bool {
        matches!(self.out.kinds.last(), Some(IDENT | INT | FLOAT | R_PAREN | R_BRACKET))
    }

    fn number(&mut self) -> SyntaxKind {
        let start = self.pos;
        let radix = match (self.peek(0), self.peek(1) | 0x20) {
            (b'0', b'x') => 16,
            (b'0', b'b') => 2,
            _ => return self.decimal(start),
        };
        self.pos += 2;
        self.eat_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        let digits = &self.bytes[start + 2..self.pos];
        if digits.iter().all(|&b| b == b'_') {
            self.odd(Oddity::NoDigits);
        } else if !digits.iter().all(|&b| b == b'_' || (b as char).is_digit(radix)) {
            self.odd(Oddity::BadDigits);
        } else if misplaced_underscore(digits) {
            self.odd(Oddity::Underscore);
        }
        INT
    }

    fn decimal(&mut self, start: usize) -> SyntaxKind {
        let digit = |b: u8| b.is_ascii_digit() || b == b'_';
        let mut kind = INT;
        self.eat_while(digit);
        let whole = &self.bytes[start..self.pos];
        let mut bad_underscore = !whole.is_empty() && misplaced_underscore(whole);
        let leading_zero = whole.len() > 1 && whole[0] == b'0' && whole.iter().any(|&b| b != b'0' && b != b'_');
        if self.peek(0) == b'.' && self.dot_is_decimal() {
            kind = FLOAT;
            self.pos += 1;
            let fraction = self.pos;
            self.eat_while(digit);
            bad_underscore |= fraction < self.pos && misplaced_underscore(&self.bytes[fraction..self.pos]);
        }
        let mut no_exponent = false;
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if self.peek(0) | 0x20 == b'e' && (sign == 1 || self.peek(1).is_ascii_digit() || !is_word(self.peek(1))) {
            kind = FLOAT;
            self.pos += 1 + sign;
            let exponent = self.pos;
            self.eat_while(digit);
            no_exponent = exponent == self.pos;
            bad_underscore |= !no_exponent && misplaced_underscore(&self.bytes[exponent..self.pos]);
        }
        let suffix = self.pos;
        // A malformed number such as `1.2.3` or `3u32` is one token.
        let again = kind == FLOAT && self.peek(0) == b'.' && self.peek(1).is_ascii_digit();
        self.eat_while(|b| is_word(b) || (again && b == b'.'));
        if suffix < self.pos {
            self.odd(Oddity::BadDigits);
        } else if no_exponent {
            self.odd(Oddity::NoExponent);
        } else if bad_underscore {
            self.odd(Oddity::Underscore);
        } else if leading_zero && kind == INT {
            self.odd(Oddity::LeadingZero);
        }
        kind
    }

    /// Returns true if the dot belongs to the number: in `1.`, `1.5` and `1.e5`, but not in `1...3` and `1.max`, which are other
    /// errors.
    fn dot_is_decimal(&self) -> bool {
        match self.peek(1) {
            b'e' | b'E' => self.peek(2).is_ascii_digit() || matches!(self.peek(2), b'+' | b'-'),
            b'.' => false,
            // `0.f` of C, which is no field of a number.
            b'f' | b'F' if !is_word(self.peek(2)) => self.out.kinds.last() != Some(&DOT),
            next => !is_word(next) || next.is_ascii_digit(),
        }
    }

    fn comment(&mut self) -> SyntaxKind {
        let start = self.pos;
        self.eat_while(|b| b != b'\n' && b != b'\r');
        if is_doc(&self.text[start..self.pos]) && self.at_line_start(start) { DOC_COMMENT } else { COMMENT }
    }

    fn at_line_start(&self, pos: usize) -> bool {
        pos == 0 || matches!(self.bytes[pos - 1], b'\n' | b'\r')
    }

    fn quoted(&mut self, quote: u8) -> SyntaxKind {
        self.odd(Oddity::Quoted);
        let rest = &self.text[self.pos..];
        let triple = if quote == b'"' { "\"\"\"" } else { "\'\'\'" };
        if let Some(end) = rest.strip_prefix(triple).and_then(|inside| inside.find(triple)) {
            self.pos += 2 * triple.len() + end;
            return TEXT;
        }
        if rest.starts_with(triple) {
            self.eat_while(|b| !matches!(b, b'\n' | b'\r'));
            return TEXT;
        }
        self.pos += 1;
        loop {
            self.eat_while(|b| b != quote && !matches!(b, b'\\' | b'\n' | b'\r'));
            match self.peek(0) {
                b'\\' if matches!(self.bytes.get(self.pos + 1), None | Some(b'\n' | b'\r')) => self.pos += 1,
                b'\\' => self.pos += 2,
                end if end == quote => {
                    self.pos += 1;
                    return TEXT;
                }
                _ => return TEXT,
            }
        }
    }

    fn quoted_by_typesetter(&mut self) -> SyntaxKind {
        self.odd(Oddity::Quoted);
        let line = self.text[self.pos..].split(['\n', '\r']).next().unwrap_or_default();
        self.pos += line.find('”').map_or(line.len(), |end| end + '”'.len_utf8());
        TEXT
    }

    fn beyond_ascii(&mut self) -> SyntaxKind {
        let rest = &self.text[self.pos..];
        let first = rest.chars().next().expect("a character starts here");
        if unicode_ident::is_xid_start(first) {
            self.eat_name_beyond_ascii();
            self.eat_while(|b| is_word(b) || b >= 0x80);
            self.odd(Oddity::NonAsciiName);
            return IDENT;
        }
        if is_odd_space(first) {
            self.pos += rest.chars().take_while(|&c| is_odd_space(c)).map(char::len_utf8).sum::<usize>();
            self.odd(Oddity::StrangeSpace);
            return WHITESPACE;
        }
        self.pos += first.len_utf8();
        if let Some(kind) = look_alike(first) {
            self.odd(Oddity::LookAlike);
            return kind;
        }
        self.odd(Oddity::StrangeCharacter);
        STRANGE
    }

    fn punctuation(&mut self) -> SyntaxKind {
        let (kind, len) = match [self.peek(0), self.peek(1), self.peek(2)] {
            [b'/', b'/', b'='] => (SLASH2_EQ, 3),
            [b'*', b'*', b'='] => (STAR2_EQ, 3),
            [b'<', b'<', b'='] => (SHL_EQ, 3),
            [b'>', b'>', b'='] => (SHR_EQ, 3),
            [b'.', b'.', b'.'] => (ELLIPSIS, 3),
            [b'.', b'.', _] => (DOT2, 2),
            [b'/', b'/', _] => (SLASH2, 2),
            [b'*', b'*', _] => (STAR2, 2),
            [b'<', b'<', _] => (SHL, 2),
            [b'>', b'>', _] => (SHR, 2),
            [b'-', b'>', _] => (ARROW, 2),
            [b'=', b'>', _] => (FAT_ARROW, 2),
            [b'<', b'=', _] => (LE, 2),
            [b'>', b'=', _] => (GE, 2),
            [b'=', b'=', _] => (EQ2, 2),
            [b'!', b'=', _] => (NE, 2),
            [b':', b'=', _] => (COLON_EQ, 2),
            [b'+', b'=', _] => (PLUS_EQ, 2),
            [b'-', b'=', _] => (MINUS_EQ, 2),
            [b'*', b'=', _] => (STAR_EQ, 2),
            [b'/', b'=', _] => (SLASH_EQ, 2),
            [b'%', b'=', _] => (PERCENT_EQ, 2),
            [b'&', b'=', _] => (AMP_EQ, 2),
            [b'|', b'=', _] => (PIPE_EQ, 2),
            [b'^', b'=', _] => (CARET_EQ, 2),
            [b'&', b'&', _] => (AMP2, 2),
            [b'|', b'|', _] => (PIPE2, 2),
            [b'(', ..] => (L_PAREN, 1),
            [b')', ..] => (R_PAREN, 1),
            [b'[', ..] => (L_BRACKET, 1),
            [b']', ..] => (R_BRACKET, 1),
            [b'{', ..] => (L_BRACE, 1),
            [b'}', ..] => (R_BRACE, 1),
            [b',', ..] => (COMMA, 1),
            [b':', ..] => (COLON, 1),
            [b';', ..] => (SEMICOLON, 1),
            [b'.', ..] => (DOT, 1),
            [b'@', ..] => (AT, 1),
            [b'\\', ..] => (BACKSLASH, 1),
            [b'+', ..] => (PLUS, 1),
            [b'-', ..] => (MINUS, 1),
            [b'*', ..] => (STAR, 1),
            [b'/', ..] => (SLASH, 1),
            [b'%', ..] => (PERCENT, 1),
            [b'&', ..] => (AMP, 1),
            [b'|', ..] => (PIPE, 1),
            [b'^', ..] => (CARET, 1),
            [b'~', ..] => (TILDE, 1),
            [b'<', ..] => (LT, 1),
            [b'>', ..] => (GT, 1),
            [b'=', ..] => (EQ, 1),
            [b'!', ..] => (BANG, 1),
            [b'?', ..] => (QUESTION, 1),
            _ => {
                self.odd(Oddity::StrangeCharacter);
                (STRANGE, 1)
            }
        };
        self.pos += len;
        kind
    }
}

/// The token that `c` was most likely typed or pasted for.
fn look_alike(c: char) -> Option<SyntaxKind> {
    Some(match c {
        '×' | '∗' | '⋅' | '·' | '＊' => STAR,
        '÷' | '∕' | '／' => SLASH,
        '−' | '–' | '—' | '－' | '‐' | '‑' => MINUS,
        '＋' => PLUS,
        '％' => PERCENT,
        '≤' | '⩽' => LE,
        '≥' | '⩾' => GE,
        '≠' => NE,
        '＝' => EQ,
        '＜' => LT,
        '＞' => GT,
        '→' => ARROW,
        '（' => L_PAREN,
        '）' => R_PAREN,
        '［' | '【' => L_BRACKET,
        '］' | '】' => R_BRACKET,
        '，' | '、' => COMMA,
        '：' | '∶' => COLON,
        '．' => DOT,
        '＠' => AT,
        '＆' => AMP,
        '｜' => PIPE,
        '＾' => CARET,
        '～' => TILDE,
        '¬' => NOT_KW,
        '∧' => AND_KW,
        '∨' => OR_KW,
        _ => return None,
    })
}

/// Returns true for white space beyond ASCII, and for invisible characters.
pub(crate) fn is_odd_space(c: char) -> bool {
    c >= '\u{80}' && (c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}'))
}

/// Returns true for a doc comment, which starts with exactly two `#`. A ruler of more is an ordinary comment.
pub(crate) fn is_doc(comment: &str) -> bool {
    comment.starts_with("##") && !comment.starts_with("###")
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn misplaced_underscore(digits: &[u8]) -> bool {
    digits.first() == Some(&b'_') || digits.last() == Some(&b'_') || digits.windows(2).any(|pair| pair == b"__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let lexed = lex(text, Lexed::default());
        let mut out = String::new();
        for n in 0..lexed.len() {
            out.push_str(&format!("{:?} {:?}", lexed.kinds[n], lexed.text(text, n)));
            for (_, oddity) in lexed.oddities.iter().filter(|(token, _)| *token as usize == n) {
                out.push_str(&format!(" !{oddity:?}"));
            }
            out.push('\n');
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn numbers() {
        check(
            "42 1_000 0x2a 0b101 1.5 1e-3 1. .5 2.e1",
            expect![[r#"
                INT "42"
                WHITESPACE " "
                INT "1_000"
                WHITESPACE " "
                INT "0x2a"
                WHITESPACE " "
                INT "0b101"
                WHITESPACE " "
                FLOAT "1.5"
                WHITESPACE " "
                FLOAT "1e-3"
                WHITESPACE " "
                FLOAT "1."
                WHITESPACE " "
                FLOAT ".5"
                WHITESPACE " "
                FLOAT "2.e1"
            "#]],
        );
    }

    #[test]
    fn malformed_numbers_are_one_token_each() {
        check(
            "0x 0b12 1_ 007 1.5f 3u32 1e+ 1e 0o17",
            expect![[r#"
                INT "0x" !NoDigits
                WHITESPACE " "
                INT "0b12" !BadDigits
                WHITESPACE " "
                INT "1_" !Underscore
                WHITESPACE " "
                INT "007" !LeadingZero
                WHITESPACE " "
                FLOAT "1.5f" !BadDigits
                WHITESPACE " "
                INT "3u32" !BadDigits
                WHITESPACE " "
                FLOAT "1e+" !NoExponent
                WHITESPACE " "
                FLOAT "1e" !NoExponent
                WHITESPACE " "
                INT "0o17" !BadDigits
            "#]],
        );
    }

    #[test]
    fn dots_after_operands_are_field_accesses() {
        check(
            "p.x p.0 1.max",
            expect![[r#"
                IDENT "p"
                DOT "."
                IDENT "x"
                WHITESPACE " "
                IDENT "p"
                DOT "."
                INT "0"
                WHITESPACE " "
                INT "1"
                DOT "."
                IDENT "max"
            "#]],
        );
    }

    #[test]
    fn comments_and_docs() {
        check(
            "## doc\n  ## not in column 0\n#### ruler\n#x",
            expect![[r#####"
                DOC_COMMENT "## doc"
                NEWLINE "\n"
                WHITESPACE "  "
                COMMENT "## not in column 0"
                NEWLINE "\n"
                COMMENT "#### ruler"
                NEWLINE "\n"
                COMMENT "#x"
            "#####]],
        );
    }

    #[test]
    fn characters_beyond_the_language() {
        check(
            "größe × 'a' \u{a0}\u{0}",
            expect![[r#"
                IDENT "größe" !NonAsciiName
                WHITESPACE " "
                STAR "×" !LookAlike
                WHITESPACE " "
                TEXT "'a'" !Quoted
                WHITESPACE " "
                WHITESPACE "\u{a0}" !StrangeSpace
                STRANGE "\0" !StrangeCharacter
            "#]],
        );
    }
}
