//! The text form's tokens, line by line.

use super::ReadError;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a word of the text form.
    Word,
    /// A number, without its sign.
    Number,
    /// Punctuation and operators.
    Mark,
    /// The end of the line.
    End,
}

/// A token of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
}

/// A line that is not blank and not a comment.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// The number of the line, from 1.
    pub(super) number: usize,
    /// The number of spaces that it starts with.
    pub(super) indent: usize,
    pub(super) tokens: Vec<Token<'t>>,
}

impl<'t> Line<'t> {
    /// Returns the text of the first token.
    pub(super) fn word(&self) -> &'t str {
        self.tokens.first().map_or("", |token| token.text)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.number, message: message.into() }
    }
}

/// Marks of two characters; all others have one.
const PAIRS: &[&str] = &["->", "+%", "-%", "*%", "//", "<<", ">>", "<=", ">=", "==", "!="];

/// The lines of a text.
pub(super) fn lines(text: &str) -> Result<Vec<Line<'_>>, ReadError> {
    let mut lines = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let content = text.trim_start_matches(' ');
        let mut line = Line { number: index + 1, indent: text.len() - content.len(), tokens: Vec::new() };
        let mut rest = content.trim_end();
        while !rest.is_empty() && !rest.starts_with('#') {
            let (kind, len) = token(rest).ok_or_else(|| line.error("a character that no token starts with"))?;
            line.tokens.push(Token { kind, text: &rest[..len] });
            rest = rest[len..].trim_start_matches(' ');
        }
        if !line.tokens.is_empty() {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// The kind and length of the token that a text starts with.
fn token(text: &str) -> Option<(TokenKind, usize)> {
    let first = text.chars().next()?;
    if first.is_ascii_digit() {
        return Some((TokenKind::Number, number_len(text.as_bytes())));
    }
    if first.is_alphabetic() || first == '_' {
        let len = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        return Some((TokenKind::Word, len));
    }
    if PAIRS.iter().any(|pair| text.starts_with(pair)) {
        return Some((TokenKind::Mark, 2));
    }
    "()[]{}.,:=+-*/%&|^~<>@?".contains(first).then_some((TokenKind::Mark, 1))
}

/// The length of `12`, `1.5`, `1e-3`, …
fn number_len(text: &[u8]) -> usize {
    let digits = |from: usize| from + text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if text.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if text.get(end) == Some(&b'e') {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
