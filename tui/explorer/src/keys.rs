//! Keys by name, as the config file binds them and as the help and the key line print them.
//!
//! A key is a code and the modifiers held with it: `q`, `ctrl-s`, `shift-tab`, `pageup`, `f1`. A character stands for
//! itself, so `G` already means `shift` and `g`, and `shift-` applies to other keys only.

use std::fmt;
use std::str::FromStr;

/// A key with the modifiers that are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The key without its modifiers.
    pub code: Code,
    /// True while Control is held.
    pub ctrl: bool,
    /// True while Alt is held.
    pub alt: bool,
    /// True while Shift is held; never set for characters, because Shift makes another character of them.
    pub shift: bool,
}

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

const NAMES: &[(Code, &str)] = &[
    (Code::Enter, "enter"),
    (Code::Esc, "esc"),
    (Code::Tab, "tab"),
    (Code::Backspace, "backspace"),
    (Code::Delete, "delete"),
    (Code::Up, "up"),
    (Code::Down, "down"),
    (Code::Left, "left"),
    (Code::Right, "right"),
    (Code::Home, "home"),
    (Code::End, "end"),
    (Code::PageUp, "pageup"),
    (Code::PageDown, "pagedown"),
    (Code::Char(' '), "space"),
];

impl Key {
    /// Returns a key without modifiers.
    pub fn plain(code: Code) -> Key {
        Key { code, ctrl: false, alt: false, shift: false }
    }

    /// Returns the key of a character, without modifiers.
    pub fn char(c: char) -> Key {
        Key::plain(Code::Char(c))
    }

    /// Returns this key without Shift.
    pub fn unshifted(self) -> Key {
        Key { shift: false, ..self }
    }

    /// Returns the character that the key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (self.shift, "shift-")] {
            if held {
                f.write_str(name)?;
            }
        }
        match (NAMES.iter().find(|(code, _)| *code == self.code), self.code) {
            (Some((_, name)), _) => f.write_str(name),
            (None, Code::Char(c)) => write!(f, "{c}"),
            (None, Code::F(n)) => write!(f, "f{n}"),
            (None, code) => write!(f, "{code:?}"),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Key, String> {
        let mut key = Key::char(' ');
        let mut rest = text;
        loop {
            let modifier = [("ctrl-", &mut key.ctrl), ("alt-", &mut key.alt), ("shift-", &mut key.shift)]
                .into_iter()
                .find_map(|(name, held)| Some((rest.strip_prefix(name)?, held)));
            // In `ctrl--`, the second `-` is the key itself.
            let Some((behind, held)) = modifier.filter(|(behind, _)| !behind.is_empty()) else { break };
            *held = true;
            rest = behind;
        }
        key.code = code(rest).ok_or_else(|| format!("`{text}` is no key"))?;
        if let (Code::Char(c), true) = (key.code, key.shift) {
            key = Key { code: Code::Char(c.to_uppercase().next().unwrap_or(c)), shift: false, ..key };
        }
        Ok(key)
    }
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(Code::Char(c));
    }
    let function = name.strip_prefix('f').and_then(|n| n.parse().ok()).filter(|n| (1..=12).contains(n)).map(Code::F);
    NAMES.iter().find(|(_, known)| *known == name).map(|(code, _)| *code).or(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_printed() {
        for text in
            ["q", "G", "?", "ctrl-s", "alt-u", "shift-tab", "ctrl-alt-delete", "f12", "space", "ctrl--", "-", "/"]
        {
            let key: Key = text.parse().expect("a key");
            assert_eq!(key.to_string(), text);
        }
        assert_eq!("shift-g".parse(), Ok(Key::char('G')));
        for text in ["", "ctrl-", "hyper-x", "f13", "return"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }
}
