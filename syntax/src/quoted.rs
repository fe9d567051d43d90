//! What stands in quotes: a character, which is a number, or a text, which is the array of its bytes.

use rowan::{TextRange, TextSize};

/// What quotes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quoted {
    /// `'a'`: the number of a character of ASCII.
    Character(u8),
    /// `"abc"`: bytes, in UTF-8.
    Text(Vec<u8>),
}

/// The reason why a token in quotes says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum QuotedError {
    /// Three quotes: documentation as Python writes it.
    Documentation,
    /// The quotes of a typesetter.
    Typeset,
    /// The quote at the end is missing.
    Unclosed,
    /// Nothing between the quotes.
    Empty,
    /// Several characters in single quotes.
    Several,
    /// A character in single quotes that is more than a byte.
    BeyondAscii(char),
    /// A backslash and what is behind it, at its place in the token.
    Escape(TextRange),
}

/// Reads a token in quotes; `None` if it says nothing, for which it has its syntax error.
pub fn quoted(token: &str) -> Option<Quoted> {
    read(token).ok()
}

/// Reads a token in quotes.
pub(crate) fn read(token: &str) -> Result<Quoted, QuotedError> {
    if token.starts_with("\"\"\"") || token.starts_with("'''") {
        return Err(QuotedError::Documentation);
    }
    let quote = token.chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or(QuotedError::Typeset)?;
    let (characters, end) = characters(&token[1..])?;
    if !token[1 + end..].starts_with(quote) {
        return Err(QuotedError::Unclosed);
    }
    match (quote, &characters[..]) {
        (_, []) => Err(QuotedError::Empty),
        ('"', _) => {
            let mut bytes = Vec::new();
            for character in characters {
                match character {
                    Character::Written(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    Character::Byte(byte) => bytes.push(byte),
                }
            }
            Ok(Quoted::Text(bytes))
        }
        (_, [Character::Byte(byte)]) => Ok(Quoted::Character(*byte)),
        (_, [Character::Written(c)]) if c.is_ascii() => Ok(Quoted::Character(*c as u8)),
        (_, [Character::Written(c)]) => Err(QuotedError::BeyondAscii(*c)),
        _ => Err(QuotedError::Several),
    }
}

/// A character between quotes.
enum Character {
    Written(char),
    /// By an escape.
    Byte(u8),
}

/// The characters up to the quote that closes a token, and that quote's place; `inside` is the token behind its first quote, which is the
/// last one, too.
fn characters(inside: &str) -> Result<(Vec<Character>, usize), QuotedError> {
    let end = inside.len() - usize::from(inside.ends_with(['"', '\'']));
    let mut found = Vec::new();
    let mut rest = inside.char_indices();
    while let Some((at, c)) = rest.next().filter(|(at, _)| *at < end) {
        if c != '\\' {
            found.push(Character::Written(c));
            continue;
        }
        let wrong = |behind: usize| {
            let [start, length] = [1 + at, 1 + behind].map(|offset| TextSize::new(offset as u32));
            QuotedError::Escape(TextRange::at(start, length))
        };
        let Some((_, which)) = rest.next() else { return Err(QuotedError::Unclosed) };
        found.push(Character::Byte(match which {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            '0' => 0,
            '\\' | '"' | '\'' => which as u8,
            'x' => {
                let digits = inside.get(at + 2..at + 4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or_else(|| wrong(1))?;
                rest.nth(1);
                byte
            }
            _ => return Err(wrong(which.len_utf8())),
        }));
        if at + 1 >= end {
            // The quote behind the backslash is one of the text, and none closes it.
            return Err(QuotedError::Unclosed);
        }
    }
    Ok((found, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(of: &str) -> Result<Quoted, QuotedError> {
        Ok(Quoted::Text(of.as_bytes().to_vec()))
    }

    #[test]
    fn characters_are_numbers_and_texts_are_bytes() {
        assert_eq!(read("'a'"), Ok(Quoted::Character(97)));
        assert_eq!(read(r"'\n'"), Ok(Quoted::Character(10)));
        assert_eq!(read(r"'\''"), Ok(Quoted::Character(39)));
        assert_eq!(read("'\"'"), Ok(Quoted::Character(34)));
        assert_eq!(read(r"'\xfF'"), Ok(Quoted::Character(255)));
        assert_eq!(read("\"a\""), text("a"));
        assert_eq!(read("\"it's\""), text("it's"));
        assert_eq!(read(r#""\"q\"\t\\""#), text("\"q\"\t\\"));
        assert_eq!(read("\"naïve\""), text("naïve"));
        assert_eq!(read(r#""\xc3\xaf""#), text("ï"));
    }

    #[test]
    fn what_is_wrong_is_known() {
        let escape = |start: u32, length: u32| Err(QuotedError::Escape(TextRange::at(start.into(), length.into())));
        assert_eq!(read("'ab'"), Err(QuotedError::Several));
        assert_eq!(read("'é'"), Err(QuotedError::BeyondAscii('é')));
        assert_eq!(read("\"\""), Err(QuotedError::Empty));
        assert_eq!(read("''"), Err(QuotedError::Empty));
        for unclosed in ["\"", "'", "\"abc", "'a", "\"abc'", r#""abc\""#, r#""\"#, "'\\"] {
            assert_eq!(read(unclosed), Err(QuotedError::Unclosed), "{unclosed}");
        }
        assert_eq!(read(r#""a\qb""#), escape(2, 2));
        assert_eq!(read(r#""\é""#), escape(1, 3));
        assert_eq!(read(r#""\xg0""#), escape(1, 2));
        assert_eq!(read(r#""\x1""#), escape(1, 2));
        assert_eq!(read("“one”"), Err(QuotedError::Typeset));
        assert_eq!(read("\"\"\"Sets.\"\"\""), Err(QuotedError::Documentation));
    }
}
