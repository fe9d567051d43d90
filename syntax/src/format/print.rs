//! Printing: chooses the line breaks of rows, from pieces to gaps.
//!
//! A row that fits is one line. A longer one is broken inside its brackets, outermost first: a group stays on one line if it fits
//! together with what must follow on that line, up to the next break. Prefix sums of all widths are computed beforehand, so each
//! group takes constant time and printing is linear.

use super::gaps::{Gap, Wanted};
use super::pieces::Piece;
use super::rows::Row;
use super::{INDENTATION, WIDTH};
use crate::kinds::SyntaxKind::*;
use crate::layout::width;
use crate::lexer::{Lexed, is_doc};

/// State of printing an item: its tokens, and the gaps decided so far.
pub(super) struct Printer<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    pub(super) gaps: Vec<Gap>,
    /// End offset of the last token.
    end: usize,
    measures: Measures,
}

/// Widths of a row's pieces, if all of it stands on one line.
#[derive(Default)]
struct Measures {
    /// Total width of the pieces before a piece.
    before: Vec<u32>,
    /// Total width of the pieces before the next break at or behind a piece.
    next_break: Vec<u32>,
    /// Index of the end of the group that a piece starts.
    close: Vec<usize>,
    /// Number of comments before a piece.
    n_comments: Vec<u32>,
    /// Width of the space before the next token, which is dropped at the start of a line.
    space: Vec<u32>,
}

impl<'t> Printer<'t> {
    pub(super) fn new(text: &'t str, lexed: &'t Lexed) -> Self {
        Printer { text, lexed, gaps: Vec::with_capacity(lexed.len()), end: 0, measures: Measures::default() }
    }

    /// Number of line breaks between the last token and the next row.
    pub(super) fn n_breaks_before(&self, row: &Row) -> u32 {
        super::gaps::n_breaks(&self.text[self.end..self.start(row.tokens.start)])
    }

    /// Prints a row, its first token `n_breaks` lines below the last.
    pub(super) fn row(&mut self, row: &Row, n_breaks: u32, pieces: &[Piece]) {
        let indentation = INDENTATION * row.depth;
        let column = self.comment_column(row.tokens.start, indentation).unwrap_or(indentation);
        self.gap(row.tokens.start, Wanted::Breaks { breaks: n_breaks, column });
        if row.verbatim {
            self.verbatim(row, indentation);
        } else {
            self.broken(&pieces[row.pieces.clone()], indentation);
        }
    }

    /// Number of line breaks behind the last token.
    pub(super) fn n_breaks_behind(&self) -> u32 {
        super::gaps::n_breaks(&self.text[self.end..])
    }

    /// Sets the gap behind the last row.
    pub(super) fn finish(&mut self, n_breaks: u32) {
        let range = self.end..self.text.len();
        self.gaps.push(Gap { range, wanted: Wanted::Breaks { breaks: n_breaks, column: 0 } });
    }

    fn start(&self, token: usize) -> usize {
        self.lexed.starts[token] as usize
    }

    /// Records the gap before a token.
    fn gap(&mut self, token: usize, wanted: Wanted) {
        self.gaps.push(Gap { range: self.end..self.start(token), wanted });
        let text = self.lexed.text(self.text, token);
        let is_comment = matches!(self.lexed.kinds[token], COMMENT | DOC_COMMENT);
        let len = if is_comment { text.trim_end().len() } else { text.len() };
        self.end = self.start(token) + len;
    }

    /// Column of a comment that should stand in `column`; `None` for tokens that are no comments. In column 0 two `#` make
    /// documentation, so an ordinary comment is kept away from it, and documentation is kept there.
    fn comment_column(&self, token: usize, column: u32) -> Option<u32> {
        match self.lexed.kinds[token] {
            DOC_COMMENT => Some(0),
            COMMENT if column == 0 && is_doc(self.lexed.text(self.text, token)) => Some(1),
            COMMENT => Some(column),
            _ => None,
        }
    }

    /// Prints a row verbatim: its lines are shifted together.
    fn verbatim(&mut self, row: &Row, indentation: u32) {
        let shift = i64::from(indentation) - i64::from(self.column_found(row.tokens.start));
        for token in row.tokens.start + 1..row.tokens.end {
            if matches!(self.lexed.kinds[token], WHITESPACE | NEWLINE) {
                continue;
            }
            let breaks = super::gaps::n_breaks(&self.text[self.end..self.start(token)]);
            if breaks == 0 {
                self.gap(token, Wanted::AsIs);
                continue;
            }
            // Items start in column 0, so no line is moved to or from it.
            let column = match self.column_found(token) {
                0 => 0,
                found => (i64::from(found) + shift).max(1) as u32,
            };
            let column = self.comment_column(token, column).unwrap_or(column);
            self.gap(token, Wanted::Breaks { breaks, column });
        }
    }

    /// Original column of a token that is the first on its line.
    fn column_found(&self, token: usize) -> u32 {
        let before = &self.text[..self.start(token)];
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        width(0, &before[line..])
    }

    /// Prints the rest of a row whose first token stands in column `indentation`.
    fn broken(&mut self, pieces: &[Piece], indentation: u32) {
        self.measure(pieces);
        let mut column = indentation;
        let mut indent = indentation;
        let mut is_broken = vec![true];
        let mut at_start = true;
        let mut new_line = false;
        for (n, &piece) in pieces.iter().enumerate() {
            let broken = *is_broken.last().expect("the row itself is the outermost group");
            match piece {
                Piece::Open => {
                    let column = if new_line { indent.saturating_sub(self.measures.space[n]) } else { column };
                    is_broken.push(broken && !self.fits(n, column));
                }
                Piece::Close => {
                    is_broken.pop();
                }
                Piece::Indent => indent += INDENTATION,
                Piece::Outdent => indent -= INDENTATION,
                Piece::Break => new_line |= broken,
                Piece::Token { token, spaced } => {
                    if !std::mem::take(&mut at_start) {
                        let spaces = u32::from(spaced);
                        column = if new_line { indent } else { column + spaces };
                        let line = Wanted::Breaks { breaks: 1, column: indent };
                        self.gap(token, if new_line { line } else { Wanted::Spaces(spaces) });
                    }
                    new_line = false;
                    column += self.width(token);
                }
                Piece::Comment { token, own_line } => {
                    let column = self.comment_column(token, indent).unwrap_or(indent);
                    let line = Wanted::Breaks { breaks: 1, column };
                    if !std::mem::take(&mut at_start) {
                        self.gap(token, if own_line { line } else { Wanted::Spaces(2) });
                    }
                    new_line = true;
                }
            }
        }
    }

    fn width(&self, token: usize) -> u32 {
        self.lexed.starts[token + 1] - self.lexed.starts[token]
    }

    /// Returns true if the group that starts at piece `open` fits on the line from `column` on.
    fn fits(&self, open: usize, column: u32) -> bool {
        let Measures { before, next_break, close, n_comments, .. } = &self.measures;
        let close = close[open];
        n_comments[open] == n_comments[close] && column + (next_break[close] - before[open]) <= WIDTH
    }

    fn measure(&mut self, pieces: &[Piece]) {
        let mut measures = std::mem::take(&mut self.measures);
        let (mut width, mut n_comments) = (0, 0);
        measures.before.clear();
        measures.n_comments.clear();
        for piece in pieces {
            measures.before.push(width);
            measures.n_comments.push(n_comments);
            match *piece {
                Piece::Token { token, spaced } => width += u32::from(spaced) + self.width(token),
                Piece::Comment { .. } => n_comments += 1,
                _ => {}
            }
        }
        measures.next_break.clear();
        measures.next_break.resize(pieces.len(), width);
        measures.close.clear();
        measures.close.resize(pieces.len(), 0);
        measures.space.clear();
        measures.space.resize(pieces.len(), 0);
        let (mut next_break, mut space) = (width, 0);
        let mut closes = Vec::new();
        for (n, piece) in pieces.iter().enumerate().rev() {
            match piece {
                Piece::Break | Piece::Comment { .. } => next_break = measures.before[n],
                Piece::Token { spaced, .. } => space = u32::from(*spaced),
                Piece::Close => closes.push(n),
                Piece::Open => measures.close[n] = closes.pop().expect("groups that start also end"),
                _ => {}
            }
            measures.next_break[n] = next_break;
            measures.space[n] = space;
        }
        self.measures = measures;
    }
}
