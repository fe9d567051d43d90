//! The content of panes: lines of coloured text, each with the source range that it comes from.
//!
//! Stages, assembly, the facts about a position, the problems of a file and runs are all pages; a pane knows nothing of
//! the origin of its page. A new kind of fact is therefore a new page, or new lines on one, and never a new pane.

use std::ops::Range;
use std::sync::Arc;

use crate::graphics::Raster;
use report::{TextEdit, TextRange};

use crate::buffer::Splice;
use crate::goal::Goal;

/// The role of a piece of text, to which a theme assigns its look.
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
    Load,
    Store,
    Arithmetic,
    Shuffle,
    Mask,
    Dear,
    ChangedWord,
    /// A piece of a picture: the colours of text and background, on screens that have such colours.
    Pixels([u8; 3], [u8; 3]),
}

/// The change of a line against the version that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// The line is unchanged.
    #[default]
    Same,
    /// The line is new.
    Added,
    /// The line was removed.
    Removed,
}

/// The part of a frame that is drawn to the left of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Frame {
    #[default]
    None,
    Top,
    Side,
    Bottom,
}

/// The effect of Enter on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Moves to the source that the line comes from.
    Source,
    /// Asks for the data of a parameter of the kernel.
    Data(usize),
    /// Previews a fix of a problem, by the numbers of the problem and the fix.
    Fix(usize, usize),
    /// Runs the kernel on the data of the form.
    Run,
    /// Asks for the engine of the run.
    Engine,
    /// Measures the kernel's machine code on the data of the form.
    Measure,
    /// Goes to a lesson, by its number in the list.
    Lesson(usize),
    /// Goes from the starting page to a file, by its number.
    Start(usize),
    /// Shows the assembly for another goal beside the present one.
    Beside(Goal),
    /// Previews a change of the text that has a title.
    Change(String, Vec<TextEdit>),
    /// Keeps a row of the last sweep, by the numbers of the sweep and the row, to compare others with.
    Keep(usize, usize),
    /// Lets go of a row that is kept, by its number.
    LetGo(usize),
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Text of the line, without a line break.
    pub text: String,
    /// The byte ranges with a role other than plain text, in order.
    pub spans: Vec<(Range<usize>, Role)>,
    /// Source range that the line comes from.
    pub source: Option<TextRange>,
    /// Change against the compared version.
    pub change: Change,
    /// Effect of Enter on the line.
    pub offer: Option<Offer>,
    /// Part of a frame to the left of the line.
    pub frame: Frame,
    /// True if the line is wrapped at the pane's edge although its page is code.
    pub is_sentence: bool,
    /// True if the line is not wrapped although its page is of sentences.
    pub is_whole: bool,
}

/// Lines that are shown as one until they are opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Indices of the lines.
    pub lines: Range<usize>,
    /// The name of these lines.
    pub title: &'static str,
}

/// The lines of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Lines of the page, from top to bottom.
    pub lines: Vec<Line>,
    /// True if the lines are sentences, which wrap at the pane's edge; lines of code scroll instead.
    pub prose: bool,
    /// Lines that are folded at first, in order and without overlap.
    pub folds: Vec<Fold>,
    /// The line that the page opens on, if it is not the first.
    pub start: Option<usize>,
    /// The pictures in characters that can be drawn as pixels instead, on terminals that have them.
    pub images: Vec<PageImage>,
}

/// A picture in the lines of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageImage {
    /// Index of its first line.
    pub line: usize,
    /// Number of its lines.
    pub rows: usize,
    /// Its first column.
    pub column: usize,
    /// Number of its columns.
    pub columns: usize,
    /// The picture.
    pub raster: Arc<Raster>,
}

impl Line {
    /// Creates a line of plain text.
    pub fn new(text: impl Into<String>) -> Line {
        Line { text: text.into(), ..Line::default() }
    }

    /// Creates a line of text in one role.
    pub fn of(role: Role, text: impl Into<String>) -> Line {
        Line::default().and(role, text)
    }

    /// Appends text in a role.
    pub fn and(mut self, role: Role, text: impl Into<String>) -> Line {
        let start = self.text.len();
        self.text.push_str(&text.into());
        if role != Role::Text && self.text.len() > start {
            self.spans.push((start..self.text.len(), role));
        }
        self
    }

    /// Sets the source range that the line comes from.
    pub fn from_source(mut self, source: Option<TextRange>) -> Line {
        self.source = source;
        self
    }

    /// Sets the effect of Enter on the line.
    pub fn offering(mut self, offer: Offer) -> Line {
        self.offer = Some(offer);
        self
    }
}

impl Page {
    /// Returns true if some of the lines are in a frame.
    pub fn has_frames(&self) -> bool {
        self.lines.iter().any(|line| line.frame != Frame::None)
    }

    /// Creates a page of sentences.
    pub fn prose(lines: Vec<Line>) -> Page {
        Page { lines, prose: true, ..Page::default() }
    }

    /// Creates a page that explains why there is nothing to show.
    pub fn notice(text: impl Into<String>) -> Page {
        Page::prose(vec![Line::of(Role::Faint, text)])
    }

    /// Returns the text of all lines.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }

    /// Adjusts the source ranges of the lines to an edit of the source.
    pub fn move_along(&mut self, splices: &[Splice]) {
        for source in self.lines.iter_mut().filter_map(|line| line.source.as_mut()) {
            for splice in splices {
                *source = splice.moved_range(*source);
            }
        }
    }
}

/// Finds the occurrences of a text in a line. Letter case is ignored unless the text has capitals.
pub fn matches(line: &str, wanted: &str) -> Vec<Range<usize>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let exact = wanted.chars().any(char::is_uppercase);
    if exact {
        return line.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    }
    // Changing the case of ASCII letters keeps their length, so the offsets are valid in the original line.
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
