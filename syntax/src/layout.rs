//! Layout: the ends of statements, and the starts and ends of blocks.
//!
//! Indentation makes blocks, but the tokens do not record that, and the tree holds no empty tokens. So the layout is computed
//! beside the tokens, once, and the parser reads this list: the significant tokens, with NEWLINE, INDENT and DEDENT marks
//! inserted where a *logical line* ends or its indentation changes. A logical line is one or more lines of text: a line break
//! inside brackets does not end it.
//!
//! Blank lines and lines with only a comment are not logical lines; they never open or close a block. When a block closes, the
//! comments that follow its last statement are assigned to blocks by their indentation:
//!
//! ```text
//! for i in range(n):
//!     if c:
//!         x = 1
//!         # inside the `if`
//!     # inside the `for`
//! # outside of both
//! ```
//!
//! # Brackets that are never closed
//!
//! While someone types `x = min(a[i]`, the rest of the kernel must not be parsed as arguments. So brackets are paired first, over
//! the whole item: a *statement line* (one that starts with a word such as `let`, has a `:` after `for` or `if`, or assigns)
//! cannot stand inside brackets, so any bracket still open there is unclosed. The logical line of such a bracket ends before that
//! line, or before the first line that is indented no deeper than the statement, or where a line ends in a colon. A brace at the
//! end of a line counts as a colon, too.

use rowan::TextRange;

use crate::errors;
use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::Lexed;
use report::Diagnostic;

/// Width of a tab stop in columns. Tabs are an error; this only determines their block.
const TAB: u32 = 4;

/// Entry of [`Layout::partners`] for an unpaired bracket, and for tokens that are no brackets.
pub(crate) const NO_PARTNER: u32 = u32::MAX;

/// Input of the parser: the significant tokens, and the marks of the layout.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) kinds: Vec<SyntaxKind>,
    /// For a token, its index in [`Lexed`]. For a mark, the index of the token before which it stands: the tokens before that one
    /// belong before the mark.
    pub(crate) tokens: Vec<u32>,
    /// For each bracket, by its index in [`Lexed`], the index of its partner, or [`NO_PARTNER`].
    pub(crate) partners: Vec<u32>,
    /// Errors of indentation.
    pub(crate) errors: Vec<Diagnostic>,
}

impl Layout {
    fn push(&mut self, kind: SyntaxKind, token: usize) {
        self.kinds.push(kind);
        self.tokens.push(token as u32);
    }
}

/// Computes the layout of an item's tokens. The result reuses the memory of `spent`, the layout of another item.
pub(crate) fn layout(text: &str, lexed: &Lexed, spent: Layout) -> Layout {
    let lines = lines(text, lexed);
    let mut out = spent;
    out.kinds.clear();
    out.tokens.clear();
    out.errors.clear();
    pair_brackets(lexed, &lines, &mut out.partners);
    let mut blocks = vec![Block { column: 0, regular: 0 }];
    let mut n = 0;
    while n < lines.len() {
        let line = &lines[n];
        if line.is_blank() {
            n += 1;
            continue;
        }
        change_indentation(&mut out, lexed, &lines, n, &mut blocks);
        n = logical_line(&mut out, lexed, &lines, n);
    }
    close_blocks(&mut out, &lines, lines.len(), &mut blocks, 0);
    out.push(END, lexed.len());
    tabs(text, lexed, &lines, &mut out.errors);
    out
}

/// A line of text, as a range of tokens.
struct Line {
    /// Tokens of the line, including its NEWLINE if it has one.
    tokens: std::ops::Range<usize>,
    /// Index of the first token that is not white space.
    first: usize,
    /// Column of that token.
    column: u32,
    content: Content,
    /// Set if the last token is a colon, or the brace that other languages have for it: most likely a block follows.
    heads_block: bool,
}

/// A block that is open at the present line.
#[derive(Clone, Copy)]
struct Block {
    /// Column of its last line.
    column: u32,
    /// Column of its first line, before any misindented line.
    regular: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Blank,
    Comment,
    /// A line that may stand inside brackets.
    Code,
    /// A line that cannot stand inside brackets.
    Statement,
}

impl Line {
    fn is_blank(&self) -> bool {
        matches!(self.content, Content::Blank | Content::Comment)
    }

    /// Range of the white space at the start of the line.
    fn indentation(&self, lexed: &Lexed) -> TextRange {
        TextRange::new(lexed.starts[self.tokens.start].into(), lexed.starts[self.first].into())
    }
}

fn lines(text: &str, lexed: &Lexed) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut in_struct = false;
    while start < lexed.len() {
        let len = lexed.kinds[start..].iter().position(|&kind| kind == NEWLINE);
        let end = len.map_or(lexed.len(), |len| start + len + 1);
        let mut first = start;
        let mut column = 0;
        while lexed.kinds.get(first) == Some(&WHITESPACE) {
            column = width(column, lexed.text(text, first));
            first += 1;
        }
        let kinds = &lexed.kinds[first..end];
        let heads_block = matches!(kinds.iter().rfind(|kind| !kind.is_between()), Some(COLON | L_BRACE));
        in_struct |= kinds.first() == Some(&STRUCT_KW);
        let is_field = in_struct && matches!(kinds, [IDENT, COLON, ..]);
        let content = if is_field { Content::Statement } else { content(kinds) };
        lines.push(Line { tokens: start..end, first, column, content, heads_block });
        start = end;
    }
    lines
}

/// Column at the end of white space that starts in column `from`.
pub fn width(from: u32, space: &str) -> u32 {
    space.chars().fold(from, |column, c| match c {
        '\t' => (column / TAB + 1) * TAB,
        // Invisible characters, such as a zero-width space or a byte order mark, have no width.
        _ => column + u32::from(c.is_whitespace()),
    })
}

fn content(kinds: &[SyntaxKind]) -> Content {
    match kinds.first() {
        None | Some(NEWLINE) => return Content::Blank,
        Some(COMMENT | DOC_COMMENT) => return Content::Comment,
        Some(
            LET_KW | FOREACH_KW | CFOR_KW | WHILE_KW | CWHILE_KW | CIF_KW | ELIF_KW | BREAK_KW | CONTINUE_KW
            | RETURN_KW | PASS_KW | ASSERT_KW | AT | KERNEL_KW | FN_KW | STRUCT_KW | CONST_KW,
        ) => return Content::Statement,
        Some(_) => {}
    }
    let mut depth = 0;
    let mut is_statement = false;
    let mut open_ifs = 0;
    for &kind in kinds {
        if kind.is_opening() {
            depth += 1;
        } else if kind.is_closing() {
            depth -= 1;
        }
        if depth < 0 {
            // The line closes a bracket that an earlier line opened, so it is inside that bracket.
            return Content::Code;
        }
        if depth == 0 {
            open_ifs += i32::from(kind == IF_KW) - i32::from(kind == ELSE_KW);
            is_statement |= kind.is_assignment() || (kind == COLON && heads_block(kinds, open_ifs));
        }
    }
    // No statement starts or ends with a comma: such a line is a part of a list, with a default value or an argument's name.
    let mut solid = kinds.iter().filter(|kind| !kind.is_between());
    let in_list = solid.next() == Some(&COMMA) || solid.next_back() == Some(&COMMA);
    if is_statement && !in_list { Content::Statement } else { Content::Code }
}

/// Returns true if a colon outside of brackets ends the header of a block, in a line that has `open_ifs` more `if`s than `else`s before it.
///
/// A part of `a if c else b` may start a line too, inside brackets, and a slice's colon may follow: `else lo:`. The header of a
/// block has one `if` that no `else` completes, or is an `else` with nothing but another `if` behind it.
fn heads_block(kinds: &[SyntaxKind], open_ifs: i32) -> bool {
    match kinds[0] {
        IF_KW => open_ifs == 1,
        // One without a colon may be that of a comprehension.
        FOR_KW => true,
        ELSE_KW => matches!(kinds[1..].iter().find(|kind| !kind.is_between()), Some(COLON | IF_KW)),
        _ => false,
    }
}

/// Pairs the brackets.
fn pair_brackets(lexed: &Lexed, lines: &[Line], partners: &mut Vec<u32>) {
    partners.clear();
    partners.resize(lexed.len(), NO_PARTNER);
    let mut open: Vec<usize> = Vec::new();
    // Numbers of open brackets of each kind, so that a stray closing bracket needs no search.
    let mut counts = [0usize; 3];
    let place = |token: usize| match lexed.kinds[token] {
        L_PAREN | R_PAREN => 0,
        L_BRACKET | R_BRACKET => 1,
        _ => 2,
    };
    for line in lines {
        if line.content == Content::Statement {
            counts = [0; 3];
            open.clear();
        }
        for token in line.tokens.clone() {
            if lexed.kinds[token] == L_BRACE && line.heads_block {
                // The braces hold statements, which are no part of this line.
                continue;
            }
            if lexed.kinds[token].is_opening() {
                counts[place(token)] += 1;
                open.push(token);
            } else if lexed.kinds[token].is_closing() && counts[place(token)] > 0 {
                while let Some(top) = open.pop() {
                    counts[place(top)] -= 1;
                    if place(top) == place(token) {
                        partners[top] = token as u32;
                        partners[token] = top as u32;
                        break;
                    }
                }
            }
        }
    }
}

/// Inserts the INDENT or DEDENT marks before line `n`.
fn change_indentation(out: &mut Layout, lexed: &Lexed, lines: &[Line], n: usize, blocks: &mut Vec<Block>) {
    let line = &lines[n];
    let current = blocks.last_mut().expect("the item's own level is never closed");
    if line.column > current.column {
        let after_header = lines[..n].iter().rfind(|above| !above.is_blank()).is_some_and(|above| above.heads_block);
        if line.column == current.regular && !after_header {
            // The lines before this one were misindented; this one is in the block's column again.
            current.column = current.regular;
            return;
        }
        blocks.push(Block { column: line.column, regular: line.column });
        // Comments above the block's first statement stand before the mark, which is inside the block.
        out.push(INDENT, line.tokens.start);
    } else if line.column < current.column
        && let Some(kept) = close_blocks(out, lines, n, blocks, line.column)
    {
        // Between two levels: the line stays in the deeper block, as a statement of its own.
        out.errors.push(out_of_line(lexed, lines, n, kept.regular));
        *blocks.last_mut().expect("a level was kept") = Block { column: line.column, ..kept };
    }
}

/// Builds the error of line `n`, which should start in column `regular`. The lines that belong with it are moved along in the
/// fix.
fn out_of_line(lexed: &Lexed, lines: &[Line], n: usize, regular: u32) -> Diagnostic {
    let column = lines[n].column;
    let mut places = Vec::new();
    // Column of the header whose block contains the line.
    let mut header = None;
    for line in lines[n..].iter().filter(|line| line.content != Content::Blank) {
        if line.content != Content::Comment {
            header = header.filter(|&header| line.column > header);
            if line.column < column || (header.is_none() && line.column == regular) {
                break;
            }
            header = header.or(line.heads_block.then_some(line.column));
        }
        if line.column >= column {
            places.push((line.indentation(lexed), regular + line.column - column));
        }
    }
    errors::inconsistent_indent(column, &places)
}

/// Closes all blocks deeper than `column` before line `n`. A block that contains `column`, though not at its level, stays open
/// and is returned.
fn close_blocks(out: &mut Layout, lines: &[Line], n: usize, blocks: &mut Vec<Block>, column: u32) -> Option<Block> {
    // First of the blank and comment lines between the last statement and line `n`.
    let gap = (0..n).rev().take_while(|&above| lines[above].is_blank()).last().unwrap_or(n);
    let mut comments = (gap..n).filter(|&above| lines[above].content == Content::Comment).peekable();
    let mut boundary = gap;
    while let [.., outer, inner] = blocks[..] {
        if column >= inner.column {
            break;
        }
        if column > outer.column {
            return Some(inner);
        }
        while let Some(comment) = comments.next_if(|&comment| lines[comment].column >= inner.column) {
            boundary = comment + 1;
        }
        out.push(DEDENT, lines.get(boundary).map_or_else(|| end_of(lines), |line| line.tokens.start));
        blocks.pop();
    }
    None
}

fn end_of(lines: &[Line]) -> usize {
    lines.last().map_or(0, |line| line.tokens.end)
}

/// Adds the tokens of the logical line that starts at line `n`; returns the line after it.
fn logical_line(out: &mut Layout, lexed: &Lexed, lines: &[Line], mut n: usize) -> usize {
    let column = lines[n].column;
    let (mut depth, mut unclosed) = (0usize, 0usize);
    loop {
        let mut newline = None;
        for token in lines[n].first..lines[n].tokens.end {
            let kind = lexed.kinds[token];
            if kind.is_trivia() {
                continue;
            }
            if kind == NEWLINE {
                newline = Some(token);
                continue;
            }
            let paired = out.partners[token] != NO_PARTNER;
            if kind.is_opening() {
                if paired {
                    depth += 1;
                } else {
                    unclosed += 1;
                }
            } else if kind.is_closing() && paired {
                depth -= 1;
            }
            out.push(kind, token);
        }
        let next = (n + 1..lines.len()).find(|&below| !lines[below].is_blank());
        let continues = next.is_some_and(|below| {
            let line = &lines[below];
            let closes = lexed.kinds[line.first].is_closing();
            let may_go_on = !lines[n].heads_block && (line.column > column || closes);
            let inside = depth > 0 || (unclosed > 0 && may_go_on);
            inside && line.content != Content::Statement
        });
        if let (true, Some(below)) = (continues, next) {
            n = below;
            continue;
        }
        // The last line of the text may have no line break; its mark has no token then.
        out.push(NEWLINE, newline.unwrap_or(lines[n].tokens.end));
        return n + 1;
    }
}

/// Reports one error for all the tabs of an item, with a fix for all of them.
fn tabs(text: &str, lexed: &Lexed, lines: &[Line], errors: &mut Vec<Diagnostic>) {
    let lines = lines.iter().filter(|line| line.content != Content::Blank);
    let indentations = lines.map(|line| (line.indentation(lexed), line.column));
    let places: Vec<_> = indentations.filter(|&(range, _)| text[range].contains('\t')).collect();
    if !places.is_empty() {
        errors.push(errors::tab_indent(&places));
    }
}

#[cfg(test)]
mod tests {
    use crate::{ItemKind, parse_item};

    #[test]
    fn a_conditional_may_be_broken_before_a_slices_colon() {
        let text = "fn f(a):\n    x = a[\n        b\n        if c\n        else d:\n    ]\n    y = a[b\n        if c else d:\n    ]\n";
        assert_eq!(parse_item(ItemKind::Fn, text).errors, []);
    }
}
