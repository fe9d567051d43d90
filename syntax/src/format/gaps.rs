//! Gaps: the white space between two neighbouring tokens, as it is and as it should be.

use std::ops::Range;

use rowan::{TextRange, TextSize};

use report::TextEdit;

/// The white space between two neighbouring tokens; it may be empty.
#[derive(Debug, Clone)]
pub(super) struct Gap {
    /// Byte range, relative to the item's start.
    pub(super) range: Range<usize>,
    pub(super) wanted: Wanted,
}

/// Wanted content of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Unchanged, except for the spelling of line breaks, which becomes that of the file.
    AsIs,
    /// A number of spaces, without a line break.
    Spaces(u32),
    /// Line breaks, then the indentation of the next line.
    Breaks { breaks: u32, column: u32 },
}

impl Gap {
    /// Computes the edit that gives the gap its wanted content; `None` when it has it already.
    pub(super) fn edit(&self, text: &str, line_end: &str) -> Option<TextEdit> {
        let found = &text[self.range.clone()];
        if self.is_fine(found, line_end) {
            return None;
        }
        let wanted = match self.wanted {
            // White space beyond ASCII has an error of its own, and must stay for it.
            _ if !found.is_ascii() => with_line_ends(found, line_end),
            Wanted::AsIs => with_line_ends(found, line_end),
            Wanted::Spaces(n) => " ".repeat(n as usize),
            Wanted::Breaks { breaks, column } => line_end.repeat(breaks as usize) + &" ".repeat(column as usize),
        };
        (wanted != found).then(|| TextEdit { range: text_range(&self.range), text: wanted })
    }

    /// Returns true if a gap has its wanted content. Most gaps do, so the comparison allocates nothing.
    fn is_fine(&self, found: &str, line_end: &str) -> bool {
        let is_spaces = |space: &str, n: u32| space.len() == n as usize && space.bytes().all(|byte| byte == b' ');
        match self.wanted {
            Wanted::AsIs => !found.contains(['\n', '\r']),
            Wanted::Spaces(n) => is_spaces(found, n),
            Wanted::Breaks { breaks, column } => {
                let rest = (0..breaks).try_fold(found, |rest, _| rest.strip_prefix(line_end));
                rest.is_some_and(|rest| is_spaces(rest, column))
            }
        }
    }
}

pub(super) fn text_range(range: &Range<usize>) -> TextRange {
    TextRange::new(TextSize::new(range.start as u32), TextSize::new(range.end as u32))
}

/// Counts the line breaks in white space.
pub(super) fn n_breaks(space: &str) -> u32 {
    let bytes = space.as_bytes();
    let ends = |n: usize| bytes[n] == b'\n' || (bytes[n] == b'\r' && bytes.get(n + 1) != Some(&b'\n'));
    (0..bytes.len()).filter(|&n| ends(n)).count() as u32
}

/// Replaces all line breaks in white space by `line_end`.
fn with_line_ends(space: &str, line_end: &str) -> String {
    space.replace("\r\n", "\n").replace('\r', "\n").replace('\n', line_end)
}

/// The most frequent line end of a text.
pub(super) fn line_end(text: &str) -> &'static str {
    let (mut n_lf, mut n_crlf) = (0usize, 0usize);
    let mut last = 0;
    for byte in text.bytes() {
        n_lf += usize::from(byte == b'\n');
        n_crlf += usize::from(byte == b'\n' && last == b'\r');
        last = byte;
    }
    if 2 * n_crlf > n_lf { "\r\n" } else { "\n" }
}
