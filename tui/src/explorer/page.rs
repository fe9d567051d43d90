//! What a pane shows: lines of coloured text, each with the source it is from.
//!
//! A stage, assembly, what is known about a place, the problems of a file, and a run are all pages; a pane knows nothing
//! of where its page came from. So a new kind of fact is a new page, or new lines on one, and no new pane.

use std::ops::Range;

use syntax::TextRange;

use crate::explorer::buffer::Splice;

/// What a piece of text is; a theme says how that looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Role {
    Text,
    Keyword,
    Number,
    Type,
    Call,
    Item,
    Param,
    Variable,
    Index,
    Field,
    Constant,
    Operator,
    Comment,
    Doc,
    Attribute,
    Heading,
    Faint,
    Strong,
    Code,
    Error,
    Warning,
    Note,
    Added,
    Removed,
    Hint,
    Varying,
    Match,
}

/// What became of a line since whatever it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// It is as it was.
    #[default]
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// Which part of a frame around some lines a line has at its left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Frame {
    #[default]
    None,
    Top,
    Side,
    Bottom,
}

/// What Enter does on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Goes to the source that the line is from.
    Source,
    /// Asks for the data of a parameter of the kernel.
    Data(usize),
    /// Shows what a fix of the problem would change: the problem's and the fix's number.
    Fix(usize, usize),
    /// Runs the kernel.
    Run,
    /// Asks for what is to run it.
    Engine,
    /// Measures the kernel.
    Measure,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// The parts of it that are something other than text, in order.
    pub spans: Vec<(Range<usize>, Role)>,
    /// The source that it is from.
    pub source: Option<TextRange>,
    /// What became of it.
    pub change: Change,
    /// What it offers.
    pub offer: Option<Offer>,
    /// The frame that it is in.
    pub frame: Frame,
    /// Whether it is broken at the pane's edge, though what is around it is code.
    pub is_sentence: bool,
}

/// The lines of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether the lines are sentences, to be broken at the pane's edge, instead of code, to be scrolled.
    pub prose: bool,
}

impl Line {
    /// A line with no colours of its own.
    pub fn new(text: impl Into<String>) -> Line {
        Line { text: text.into(), ..Line::default() }
    }

    /// A line in one role.
    pub fn of(role: Role, text: impl Into<String>) -> Line {
        Line::default().and(role, text)
    }

    /// Adds text in a role.
    pub fn and(mut self, role: Role, text: impl Into<String>) -> Line {
        let start = self.text.len();
        self.text.push_str(&text.into());
        if role != Role::Text && self.text.len() > start {
            self.spans.push((start..self.text.len(), role));
        }
        self
    }

    /// Says what source it is from.
    pub fn from_source(mut self, source: Option<TextRange>) -> Line {
        self.source = source;
        self
    }

    /// Says what Enter does on it.
    pub fn offering(mut self, offer: Offer) -> Line {
        self.offer = Some(offer);
        self
    }
}

impl Page {
    /// Whether some of its lines are in a frame.
    pub fn has_frames(&self) -> bool {
        self.lines.iter().any(|line| line.frame != Frame::None)
    }

    /// A page of sentences.
    pub fn prose(lines: Vec<Line>) -> Page {
        Page { lines, prose: true }
    }

    /// A page that says why there is nothing to see.
    pub fn notice(text: impl Into<String>) -> Page {
        Page::prose(vec![Line::of(Role::Faint, text)])
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }

    /// Lets the places of the lines move along with an edit of the source.
    pub fn move_along(&mut self, splices: &[Splice]) {
        for source in self.lines.iter_mut().filter_map(|line| line.source.as_mut()) {
            for splice in splices {
                *source = splice.moved_range(*source);
            }
        }
    }
}

/// The places of a text in a line, letter case set aside unless the text has capitals.
pub fn matches(line: &str, wanted: &str) -> Vec<Range<usize>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let exact = wanted.chars().any(char::is_uppercase);
    if exact {
        return line.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    }
    // ASCII letters keep their length in either case, so the offsets stay those of the line.
    let lower = line.to_ascii_lowercase();
    lower.match_indices(&wanted.to_ascii_lowercase()).map(|(at, found)| at..at + found.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_make_a_search_exact() {
        let starts = |line, wanted| matches(line, wanted).iter().map(|range| range.start).collect::<Vec<_>>();
        assert_eq!(starts("Load load", "load"), [0, 5]);
        assert_eq!(starts("Load load", "Load"), [0]);
        assert_eq!(starts("é É", "É"), [3]);
        assert_eq!(starts("abc", ""), [0; 0]);
    }

    #[test]
    fn a_line_is_put_together_of_parts() {
        let line = Line::of(Role::Keyword, "let").and(Role::Text, " x = ").and(Role::Number, "1");
        assert_eq!((line.text.as_str(), line.spans), ("let x = 1", vec![(0..3, Role::Keyword), (8..9, Role::Number)]));
    }
}
