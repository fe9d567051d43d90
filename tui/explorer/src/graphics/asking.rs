//! The queries by which a terminal is asked for its graphics, and what it answers.
//!
//! Three queries are sent at once: Kitty's own, with one pixel that is not to be shown; the size of a cell; and the attributes of the device,
//! which every terminal answers and which name Sixel. Since it comes last, no answer to the others is to come any more behind it.

use super::{CellSize, Graphics, GraphicsSetting, Protocol};

/// The queries.
pub const QUERIES: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";

/// The attribute of a device that has Sixel.
const SIXEL: &str = "4";

/// The answers of a terminal so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalAnswers {
    /// True if it knows Kitty's protocol.
    pub kitty: bool,
    /// True if it has Sixel.
    pub sixel: bool,
    /// The size of a cell, if it told one.
    pub cell: Option<CellSize>,
    /// True if the last answer has come.
    pub is_whole: bool,
    /// The bytes that are no answer: keys.
    pub others: Vec<u8>,
}

impl TerminalAnswers {
    /// Reads all bytes that a terminal sent.
    pub fn read(bytes: &[u8]) -> TerminalAnswers {
        let mut answers = TerminalAnswers::default();
        let mut rest = bytes;
        while let Some((first, behind)) = rest.split_first() {
            match sequence(rest) {
                // A sequence that is no answer, such as that of an arrow key, is dropped.
                Some((taken, sequence)) => {
                    answers.take(sequence);
                    rest = &rest[taken..];
                }
                None => {
                    answers.others.push(*first);
                    rest = behind;
                }
            }
        }
        answers
    }

    /// Takes over an answer.
    fn take(&mut self, sequence: Sequence<'_>) {
        match sequence {
            Sequence::Application(text) => {
                self.kitty |= text.strip_prefix("Gi=31").is_some_and(|rest| rest.ends_with(";OK"));
            }
            Sequence::Control(text) => {
                if let Some(attributes) = text.strip_prefix('?').and_then(|rest| rest.strip_suffix('c')) {
                    // The first number is the kind of terminal.
                    self.sixel |= attributes.split(';').skip(1).any(|attribute| attribute == SIXEL);
                    self.is_whole = true;
                    return;
                }
                let size = text.strip_prefix("6;").and_then(|rest| rest.strip_suffix('t'));
                let Some((height, width)) = size.and_then(|size| size.split_once(';')) else { return };
                let sizes = (width.parse().ok(), height.parse().ok());
                if let (Some(width @ 1..=200), Some(height @ 1..=400)) = sizes {
                    self.cell = Some(CellSize { width, height });
                }
            }
        }
    }

    /// Returns the graphics by these answers and the setting. `told` is the size of a cell that the system told.
    pub fn graphics(&self, setting: GraphicsSetting, told: Option<CellSize>) -> Graphics {
        let protocol = match setting {
            GraphicsSetting::Kitty => Protocol::Kitty,
            GraphicsSetting::Sixel => Protocol::Sixel,
            GraphicsSetting::Blocks => Protocol::Blocks,
            GraphicsSetting::Auto if self.kitty => Protocol::Kitty,
            GraphicsSetting::Auto if self.sixel => Protocol::Sixel,
            GraphicsSetting::Auto => Protocol::Blocks,
        };
        Graphics { protocol, cell: self.cell.or(told).unwrap_or_default() }
    }
}

/// A sequence of a terminal, without its ends.
enum Sequence<'b> {
    /// `ESC [ …`, with its last character.
    Control(&'b str),
    /// `ESC _ … ESC \`.
    Application(&'b str),
}

/// The sequence at the start of some bytes, and how many it takes; none if there is no whole one.
fn sequence(bytes: &[u8]) -> Option<(usize, Sequence<'_>)> {
    let text = |range: std::ops::Range<usize>| std::str::from_utf8(&bytes[range]).ok();
    match bytes {
        [0x1b, b'[', rest @ ..] => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))? + 3;
            Some((end, Sequence::Control(text(2..end)?)))
        }
        [0x1b, b'_', rest @ ..] => {
            let end = rest.windows(2).position(|two| two == b"\x1b\\")? + 2;
            Some((end + 2, Sequence::Application(text(2..end)?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protocol(bytes: &[u8]) -> Protocol {
        TerminalAnswers::read(bytes).graphics(GraphicsSetting::Auto, None).protocol
    }

    #[test]
    fn answers_of_terminals_tell_their_graphics() {
        // One that has Kitty's protocol and tells the size of a cell, and one with Sixel.
        let kitty = TerminalAnswers::read(b"\x1b_Gi=31;OK\x1b\\\x1b[6;18;9t\x1b[?62;c");
        assert_eq!(
            kitty,
            TerminalAnswers {
                kitty: true,
                sixel: false,
                cell: Some(CellSize { width: 9, height: 18 }),
                is_whole: true,
                others: Vec::new()
            }
        );
        assert_eq!(protocol(b"\x1b[6;20;10t\x1b[?62;4;22;28;29c"), Protocol::Sixel);
        assert_eq!(protocol(b"\x1b_Gi=31;ENOENT:no\x1b\\\x1b[?62;22c"), Protocol::Blocks);
        // The kind of a terminal is not an attribute of it.
        assert_eq!(protocol(b"\x1b[?4;6c"), Protocol::Blocks);
        // As tmux 3.3 answers, which has no Sixel.
        assert_eq!(protocol(b"\x1b[?1;2c"), Protocol::Blocks);
        assert_eq!(protocol(b""), Protocol::Blocks);
    }

    #[test]
    fn keys_among_the_answers_are_kept() {
        let answers = TerminalAnswers::read(b"j\x1b[6;18;9tk\x1b[?62;4cq\x1b");
        assert_eq!((answers.others, answers.sixel, answers.is_whole), (b"jkq\x1b".to_vec(), true, true));
        let cut = TerminalAnswers::read(b"\x1b[?62;4");
        assert!(!cut.is_whole && !cut.sixel);
        // A size that no cell has is no size.
        assert_eq!(TerminalAnswers::read(b"\x1b[6;0;0t").cell, None);
    }

    #[test]
    fn a_setting_forces_the_graphics() {
        let answers = TerminalAnswers::read(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4c");
        let told = CellSize { width: 7, height: 14 };
        let forced = |setting| answers.graphics(setting, Some(told));
        assert_eq!(forced(GraphicsSetting::Auto).protocol, Protocol::Kitty);
        assert_eq!(forced(GraphicsSetting::Sixel), Graphics { protocol: Protocol::Sixel, cell: told });
        assert_eq!(forced(GraphicsSetting::Blocks).protocol, Protocol::Blocks);
        assert_eq!(TerminalAnswers::default().graphics(GraphicsSetting::Kitty, None).protocol, Protocol::Kitty);
    }
}
