//! Text to preprocessing tokens, which tile it.
//!
//! A token is its kind and where it starts. A backslash at the end of a line is a token of its own between tokens, and part of the token
//! when it stands inside of one; [`spelling`] takes it out. Two liberties beyond C, both ispc's: a number ends in front of `...`, so
//! that `0...n` is a range, and `1.0d-3` is one number.

use std::borrow::Cow;

use crate::kinds::Kind;

/// A preprocessing token: it ends where the next one starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawToken {
    /// Its kind: never a keyword.
    pub kind: Kind,
    /// The byte at which it starts.
    pub start: u32,
}

/// Cuts a text into tokens. Their texts, one behind the other, are the text.
pub fn lex(text: &str) -> Vec<RawToken> {
    let mut lexer = Lexer { text: text.as_bytes(), source: text, at: 0 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    while lexer.at < text.len() {
        let start = lexer.at;
        let kind = lexer.token();
        debug_assert!(lexer.at > start && text.is_char_boundary(lexer.at));
        tokens.push(RawToken { kind, start: start as u32 });
    }
    tokens
}

/// The text of a token without continued lines in it.
pub fn spelling(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') || !(text.contains("\\\n") || text.contains("\\\r\n")) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\\\r\n", "").replace("\\\n", ""))
}

struct Lexer<'t> {
    text: &'t [u8],
    source: &'t str,
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length of a continued line's mark at a place, or 0.
    fn splice(&self, at: usize) -> usize {
        match self.text.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    fn token(&mut self) -> Kind {
        let first = self.peek(0);
        match first {
            b'\n' => self.take(1, Kind::Newline),
            b'\r' if self.peek(1) == b'\n' => self.take(2, Kind::Newline),
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.space(),
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' | b'\'' => self.quoted(first),
            b'L' if self.peek(1) == b'"' => {
                self.at += 1;
                self.quoted(b'"')
            }
            b'@' if self.text[self.at..].starts_with(b"@llvm.") => self.intrinsic(),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'\\' if self.splice(self.at) > 0 => self.take(self.splice(self.at), Kind::Splice),
            _ if self.name_length(self.at, true) > 0 => self.name(),
            _ => self.punctuation(),
        }
    }

    fn take(&mut self, n_bytes: usize, kind: Kind) -> Kind {
        self.at += n_bytes;
        kind
    }

    fn space(&mut self) -> Kind {
        while matches!(self.peek(0), b' ' | b'\t' | 0x0b | 0x0c) || (self.peek(0) == b'\r' && self.peek(1) != b'\n') {
            self.at += 1;
        }
        Kind::Space
    }

    fn line_comment(&mut self) -> Kind {
        while self.at < self.text.len() {
            match self.splice(self.at) {
                0 if self.peek(0) == b'\n' || (self.peek(0) == b'\r' && self.peek(1) == b'\n') => break,
                0 => self.at += 1,
                n_bytes => self.at += n_bytes,
            }
        }
        Kind::LineComment
    }

    fn block_comment(&mut self) -> Kind {
        self.at = match self.source[self.at + 2..].find("*/") {
            Some(length) => self.at + 2 + length + 2,
            None => self.text.len(),
        };
        Kind::BlockComment
    }

    /// A string or character: up to its quote, or to the end of the line if that comes first.
    fn quoted(&mut self, quote: u8) -> Kind {
        self.at += 1;
        while self.at < self.text.len() {
            match self.peek(0) {
                b'\n' => break,
                b'\r' if self.peek(1) == b'\n' => break,
                b'\\' if self.splice(self.at) > 0 => self.at += self.splice(self.at),
                b'\\' if matches!(self.peek(1), b'"' | b'\'' | b'\\') => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    break;
                }
                _ => self.at += 1,
            }
        }
        if quote == b'"' { Kind::Str } else { Kind::Char }
    }

    fn intrinsic(&mut self) -> Kind {
        self.at += 1;
        while self.peek(0).is_ascii_alphanumeric() || matches!(self.peek(0), b'.' | b'_') {
            self.at += 1;
        }
        Kind::Intrinsic
    }

    fn number(&mut self) -> Kind {
        let is_hex = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        while self.at < self.text.len() {
            let byte = self.peek(0);
            let is_sign_next = matches!(self.peek(1), b'+' | b'-');
            match byte {
                b'.' if self.text[self.at..].starts_with(b"...") => break,
                b'e' | b'E' if is_sign_next && !is_hex => self.at += 2,
                b'p' | b'P' if is_sign_next => self.at += 2,
                b'd' | b'D' if is_sign_next && !is_hex && self.peek(2).is_ascii_digit() => self.at += 2,
                b'.' | b'_' => self.at += 1,
                _ if byte.is_ascii_alphanumeric() => self.at += 1,
                _ => match self.continued(self.at) {
                    0 => break,
                    n_bytes => self.at += n_bytes,
                },
            }
        }
        Kind::Number
    }

    /// The length of a continued line's mark if a name or number goes on behind it.
    fn continued(&self, at: usize) -> usize {
        match self.splice(at) {
            0 => 0,
            n_bytes if self.name_length(at + n_bytes, false) > 0 => n_bytes,
            _ => 0,
        }
    }

    /// The length of a character that may stand in a name, or 0.
    fn name_length(&self, at: usize, first: bool) -> usize {
        match self.text.get(at).copied() {
            Some(b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z') => 1,
            Some(b'0'..=b'9') if !first => 1,
            Some(byte) if byte >= 0x80 => {
                let char = self.source[at..].chars().next().expect("a character");
                let fits = if first { unicode_ident::is_xid_start(char) } else { unicode_ident::is_xid_continue(char) };
                if fits { char.len_utf8() } else { 0 }
            }
            _ => 0,
        }
    }

    fn name(&mut self) -> Kind {
        loop {
            match self.name_length(self.at, false) {
                0 => match self.continued(self.at) {
                    0 => return Kind::Name,
                    n_bytes => self.at += n_bytes,
                },
                n_bytes => self.at += n_bytes,
            }
        }
    }

    fn punctuation(&mut self) -> Kind {
        use Kind::*;
        let digraph = match [self.peek(0), self.peek(1)] {
            [b'<', b'%'] => Some(LBrace),
            [b'%', b'>'] => Some(RBrace),
            [b'<', b':'] => Some(LBracket),
            [b':', b'>'] => Some(RBracket),
            _ => None,
        };
        if let Some(kind) = digraph {
            return self.take(2, kind);
        }
        let rest = &self.text[self.at..];
        let found = Kind::PUNCTUATION.iter().filter(|(_, text)| rest.starts_with(text.as_bytes()));
        match found.max_by_key(|(_, text)| text.len()) {
            Some((kind, text)) => self.take(text.len(), *kind),
            None => {
                let length = self.source[self.at..].chars().next().map_or(1, char::len_utf8);
                self.take(length, Stray)
            }
        }
    }
}
