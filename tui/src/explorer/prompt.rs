//! One line to type into: a search, a path, data, what a picker looks for.

use unicode_segmentation::UnicodeSegmentation;

use crate::explorer::keys::{Code, Key};

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    text: String,
    cursor: usize,
}

impl Input {
    /// A line to go on with.
    pub fn new(text: impl Into<String>) -> Input {
        let text = text.into();
        Input { cursor: text.len(), text }
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the next character goes, in bytes.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts a text where the cursor is; of several lines the first.
    pub fn insert(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        self.text.insert_str(self.cursor, line);
        self.cursor += line.len();
    }

    /// Does what a key does in a line; whether it did anything.
    pub fn key(&mut self, key: Key) -> bool {
        let before = self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
        let behind = self.cursor + self.text[self.cursor..].graphemes(true).next().map_or(0, str::len);
        match key.code {
            _ if key.typed().is_some() => self.insert(&key.typed().map(String::from).unwrap_or_default()),
            Code::Char('u') if key.ctrl => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            Code::Backspace => {
                self.text.drain(before..self.cursor);
                self.cursor = before;
            }
            Code::Delete => {
                self.text.drain(self.cursor..behind);
            }
            Code::Left => self.cursor = before,
            Code::Right => self.cursor = behind,
            Code::Home => self.cursor = 0,
            Code::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_typed_and_mended() {
        let mut input = Input::new("rmp(8)");
        for key in ["home", "right", "a", "end", "backspace", "é", "left", "delete", ")", "up"] {
            input.key(key.parse().expect("a key"));
        }
        assert_eq!(input.text(), "ramp(8)");
        input.key("ctrl-u".parse().expect("a key"));
        input.insert("zeros(4)\nmore");
        assert_eq!((input.text(), input.cursor()), ("zeros(4)", 8));
    }
}
