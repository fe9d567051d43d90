//! A single-line text input: for searches, paths, data and the queries of pickers.

use unicode_segmentation::UnicodeSegmentation;

use crate::keys::{Code, Key};

/// A line that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    text: String,
    cursor: usize,
}

impl Input {
    /// Creates an input with an initial text, and the cursor at its end.
    pub fn new(text: impl Into<String>) -> Input {
        let text = text.into();
        Input { cursor: text.len(), text }
    }

    /// Returns the typed text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Inserts a text at the cursor; of several lines, only the first.
    pub fn insert(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default();
        self.text.insert_str(self.cursor, line);
        self.cursor += line.len();
    }

    /// Handles an editing key, and returns true if it had an effect.
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
