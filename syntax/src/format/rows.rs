//! Rows: what stands on lines of its own. A statement or header is a row, over however many lines it
//! goes; so is a comment that stands alone.

use std::ops::Range;

use crate::errors::SyntaxCode;
use crate::kinds::SyntaxKind::*;
use crate::layout::Layout;
use crate::lexer::Lexed;
use report::Diagnostic;

/// A statement, a header, an attribute or a comment.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// From its first token to behind its last, a comment at its end included.
    pub(super) tokens: Range<usize>,
    /// How many blocks it stands in.
    pub(super) depth: u32,
    pub(super) content: Content,
    /// It has a mistake in it, so its words are left as they are.
    pub(super) verbatim: bool,
    /// What it is made of, among the item's [pieces](super::pieces).
    pub(super) pieces: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Comment,
    /// Belongs to the row below.
    Attribute,
    /// `else` or `elif`: belongs to the block above.
    Branch,
    Code,
}

impl Row {
    pub(super) fn new(tokens: Range<usize>, depth: u32, content: Content) -> Row {
        Row { tokens, depth, content, verbatim: false, pieces: 0..0 }
    }
}

/// The rows of an item, in order. Every token but white space and line breaks is in one.
pub(super) fn rows(lexed: &Lexed, layout: &Layout) -> Vec<Row> {
    let mut out = Rows { lexed, rows: Vec::new(), at: 0, depth: 0 };
    let mut n = 0;
    while n < layout.kinds.len() {
        let token = layout.tokens[n] as usize;
        match layout.kinds[n] {
            INDENT => {
                // Comments above a block's first statement are in the block.
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
    /// The first token that is in no row yet.
    at: usize,
    depth: u32,
}

impl Rows<'_> {
    /// A row for each comment before `until`, up to something else.
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

    /// The row that ends before the token `end`, and the comments above it.
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

/// Marks the rows that have errors in them. What says that something is missing below a row is no mistake of its
/// words: a header that is typed first has its form before its block is there. False when an error is about the rows'
/// indentation, or stands outside of all of them: nothing can then be said about any.
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
