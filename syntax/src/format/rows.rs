//! Rows: the parts of an item with lines of their own. A statement or header is a row, over one line or several; so is a comment
//! that stands alone.

use std::ops::Range;

use crate::errors::SyntaxCode;
use crate::kinds::SyntaxKind::*;
use crate::layout::Layout;
use crate::lexer::Lexed;
use report::Diagnostic;

/// A statement, a header, an attribute or a comment.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Token range, including a comment at the row's end.
    pub(super) tokens: Range<usize>,
    /// Number of blocks that enclose it.
    pub(super) depth: u32,
    pub(super) content: Content,
    /// Set for a row with an error, whose inner spacing is kept.
    pub(super) verbatim: bool,
    /// Range of its pieces among the item's [pieces](super::pieces).
    pub(super) pieces: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Comment,
    /// An attribute, which belongs to the row below.
    Attribute,
    /// `else` or `elif`, which belongs to the block above.
    Branch,
    Code,
}

impl Row {
    pub(super) fn new(tokens: Range<usize>, depth: u32, content: Content) -> Row {
        Row { tokens, depth, content, verbatim: false, pieces: 0..0 }
    }
}

/// Splits an item into rows, in order. Every token but white space and line breaks is in one.
pub(super) fn rows(lexed: &Lexed, layout: &Layout) -> Vec<Row> {
    let mut out = Rows { lexed, rows: Vec::new(), at: 0, depth: 0 };
    let mut n = 0;
    while n < layout.kinds.len() {
        let token = layout.tokens[n] as usize;
        match layout.kinds[n] {
            INDENT => {
                // Comments above the first statement of a block belong to the block.
                out.depth += 1;
                out.comments(token);
            }
            DEDENT => {
                out.comments(token);
                out.depth -= 1;
            }
            END => out.comments(token),
            _ => {
                let ahead = layout.kinds[n..].iter().position(|&kind| kind == NEWLINE);
                n += ahead.expect("the layout ends every logical line");
                out.code(layout.tokens[n] as usize);
            }
        }
        n += 1;
    }
    out.rows
}

struct Rows<'t> {
    lexed: &'t Lexed,
    rows: Vec<Row>,
    /// Index of the first token that is in no row yet.
    at: usize,
    depth: u32,
}

impl Rows<'_> {
    /// Adds a row for each comment before `until`, up to another token.
    fn comments(&mut self, until: usize) {
        while self.at < until {
            match self.lexed.kinds[self.at] {
                COMMENT | DOC_COMMENT => self.rows.push(Row::new(self.at..self.at + 1, self.depth, Content::Comment)),
                WHITESPACE | NEWLINE => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Adds the row that ends before the token `end`, and the comments above it.
    fn code(&mut self, end: usize) {
        self.comments(end);
        let content = match self.lexed.kinds[self.at] {
            AT => Content::Attribute,
            ELSE_KW | ELIF_KW => Content::Branch,
            _ => Content::Code,
        };
        let n_behind = self.lexed.kinds[..end].iter().rev().take_while(|&&kind| kind == WHITESPACE).count();
        self.rows.push(Row::new(self.at..end - n_behind, self.depth, content));
        self.at = end;
    }
}

/// Marks the rows that have errors. An error about something missing below a row is not an error of the row: a header that is
/// typed first is formatted before its block is there. Returns false when an error is about indentation, or lies outside of all
/// rows: then no row of the item can be formatted safely.
pub(super) fn mark_errors(rows: &mut [Row], lexed: &Lexed, errors: &[Diagnostic]) -> bool {
    for error in errors.iter().filter(|error| error.code != SyntaxCode::TabIndent) {
        if matches!(SyntaxCode::of(error.code), Some(SyntaxCode::UnexpectedIndent | SyntaxCode::InconsistentIndent)) {
            return false;
        }
        let (start, end) = (u32::from(error.range.start()), u32::from(error.range.end()));
        let first = rows.partition_point(|row| lexed.starts[row.tokens.start] <= start).saturating_sub(1);
        let holds = |row: &Row| {
            let row_end = lexed.starts[row.tokens.end];
            lexed.starts[row.tokens.start] <= start && (start < row_end || (start == row_end && error.range.is_empty()))
        };
        if !rows.get(first).is_some_and(holds) {
            return false;
        }
        if matches!(SyntaxCode::of(error.code), Some(SyntaxCode::ExpectedBlock | SyntaxCode::AttributeWithoutTarget)) {
            continue;
        }
        for row in rows[first..].iter_mut().take_while(|row| lexed.starts[row.tokens.start] <= end) {
            row.verbatim = true;
        }
    }
    true
}
