//! The formatter: one canonical form for spaces and line breaks.
//!
//! The formatter never adds, drops or moves a token, and comments are tokens; it decides the white space between neighbouring
//! tokens, the *gaps*. So its result is a list of gaps to change, and an editor's cursor, folds and marks stay where they are.
//! The result does not depend on where lines were broken before.
//!
//! - [`rows`]: statements, headers and comments with lines of their own, and their depth
//! - [`pieces`]: the tokens, groups and possible breaks of a row
//! - [`print`](mod@print): the choice of line breaks
//! - [`gaps`]: gaps as they are, and as they should be
//! - [`range`]: formatting a part of a file
//!
//! # The form
//!
//! ```text
//! ## Documentation and attributes stand right above.
//! @fast
//! kernel blend(a: f32[n], b: f32[n], t: f32, out: f32[n], n: i32):
//!     # A block is indented by 4. One blank line at most stands inside, none at its start and end.
//!     for i in range(n):
//!         let x = a[i] * (1.0 - t)  # two spaces before a comment
//!
//!         if x > 0.0:
//!             out[i] = -x + map(\y -> y + 2, b[lo:hi])[i + 1 : n]
//!
//! const LONG = (
//!     what_does_not_fit_on_a_line
//!     + is_broken(inside, its, brackets)
//! )
//! ```
//!
//! Items are separated by one blank line; neighbouring constants may stand together. A comment in column 0 belongs to the item
//! below it. A bracket around a single name or number is never broken.
//!
//! # Errors
//!
//! A statement with an error keeps its inner spacing and moves with its block. An item with an error in its indentation is left
//! unchanged. In any case the formatted item is parsed again, and if its tree or its errors differ from before, the item is left
//! unchanged too.

mod gaps;
mod pieces;
mod print;
mod range;
mod rows;
#[cfg(test)]
mod tests;

use std::ops::Range;

use report::ItemKind;
use rowan::{GreenNodeData, GreenTokenData, Language, NodeOrToken, TextRange, TextSize};

use crate::errors::SyntaxCode;
use crate::items::{ItemCut, cut};
use crate::kinds::Lane;
use crate::kinds::SyntaxKind::*;
use crate::layout::{Layout, layout};
use crate::lexer::{Lexed, lex};
use crate::parser::{ItemParse, parse_item, parse_tokens};
use gaps::{Gap, Wanted};
use print::Printer;
use report::{Diagnostic, ReportCode, TextEdit, apply_edits};
use rows::{Content, Row};

/// Maximum width of a line in columns, before it is broken.
pub const WIDTH: u32 = 100;
/// Indentation of each block and bracket, in spaces.
pub const INDENTATION: u32 = 4;

/// Formats a text to canonical form.
pub fn format(text: &str) -> String {
    apply_edits(text, &format_edits(text))
}

/// Computes the edits that bring a text into canonical form: each replaces the white space between two tokens.
pub fn format_edits(text: &str) -> Vec<TextEdit> {
    formatting(text).edits
}

/// Computes the edits that format the lines of a range. If those cannot be formatted alone, the smallest enclosing set of lines
/// that can is formatted; all other lines stay unchanged.
pub fn format_range(text: &str, range: TextRange) -> Vec<TextEdit> {
    range::range_edits(text, range)
}

/// Edits that bring a text into canonical form, and the number of items that had to be left out.
#[derive(Debug, Clone, Default)]
pub struct Formatting {
    /// The edits, in the order of the text.
    pub edits: Vec<TextEdit>,
    /// Items whose meaning would have changed, and which were left unchanged therefore. There are none in a text without errors.
    pub n_rescued: usize,
}

/// Formats a text, and reports the items that were left unchanged.
pub fn formatting(text: &str) -> Formatting {
    let mut out = Formatting::default();
    for mut item in items(text, &(0..text.len() + 1)) {
        let mut edits = item.edits();
        if !item.keeps_meaning(&edits) {
            out.n_rescued += 1;
            item.leave_alone();
            edits = item.edits();
        }
        out.edits.extend(edits.into_iter().map(|edit| shifted(edit, item.start)));
    }
    out
}

fn shifted(edit: TextEdit, by: usize) -> TextEdit {
    TextEdit { range: edit.range + TextSize::new(by as u32), ..edit }
}

/// Formats the items of a file that overlap `lines`.
fn items<'t>(text: &'t str, lines: &Range<usize>) -> impl Iterator<Item = FormattedItem<'t>> {
    // A byte order mark belongs to no line.
    let n_mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let line_end = gaps::line_end(text);
    let mut cuts = cut(&text[n_mark..]);
    // A byte order mark inside the file is an error and must stay one, so the blank lines above it stay.
    if matches!(cuts[..], [above, mark, ..] if above.text.trim().is_empty() && mark.text.starts_with('\u{feff}')) {
        cuts.remove(0);
    }
    let nexts: Vec<_> = cuts.iter().skip(1).map(|cut| Some(spaced_as(cut))).chain([None]).collect();
    let lines = lines.clone();
    let reaches = move |cut: &ItemCut<'_>| {
        let start = cut.start + n_mark;
        start < lines.end && lines.start <= start + cut.text.len()
    };
    let pairs = cuts.into_iter().zip(nexts).filter(move |(cut, _)| reaches(cut));
    pairs.map(move |(cut, next)| FormattedItem::new(cut, n_mark, next, line_end))
}

/// The kind of item that an item is spaced as: an instance of a kernel has one line, as a constant has.
fn spaced_as(cut: &ItemCut<'_>) -> ItemKind {
    let header = cut.text.lines().find_map(|line| line.strip_prefix("kernel"));
    let is_instance = |header: &str| {
        let behind = header.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        behind.trim_start().starts_with('=')
    };
    match cut.kind {
        ItemKind::Kernel if header.is_some_and(is_instance) => ItemKind::Const,
        kind => kind,
    }
}

/// An item with the wanted gaps between its tokens. Offsets are relative to its start.
struct FormattedItem<'t> {
    kind: ItemKind,
    text: &'t str,
    /// Offset of the item in the file.
    start: usize,
    line_end: &'static str,
    parse: ItemParse,
    rows: Vec<Row>,
    /// Gaps of the item: one before each token, and one behind the last.
    gaps: Vec<Gap>,
    /// Indices of the gap before each row, and of the one behind the last.
    first_gaps: Vec<usize>,
}

impl<'t> FormattedItem<'t> {
    fn new(cut: ItemCut<'t>, n_mark: usize, next: Option<ItemKind>, line_end: &'static str) -> Self {
        let ItemCut { kind, text, start, .. } = cut;
        let spaced = spaced_as(&cut);
        let lexed = lex(text, Lexed::default());
        let layout = layout(text, &lexed, Layout::default());
        let parse = parse_tokens(kind, text, &lexed, &layout);
        let mut rows = rows::rows(&lexed, &layout);
        let sound = rows::mark_errors(&mut rows, &lexed, &parse.errors);
        let (rows, pieces) = pieces::pieces(&parse.green, &lexed, &layout, rows);

        let mut printer = Printer::new(text, &lexed);
        let mut first_gaps = Vec::with_capacity(rows.len() + 1);
        let mut spacing = Spacing { kind: spaced, next, last: None, in_head: kind != ItemKind::Preamble };
        for row in &rows {
            let n_breaks = spacing.breaks_before(row, printer.n_breaks_before(row));
            first_gaps.push(printer.gaps.len());
            printer.row(row, n_breaks, &pieces);
        }
        first_gaps.push(printer.gaps.len());
        printer.finish(spacing.breaks_at_end(printer.n_breaks_behind()));
        let gaps = printer.gaps;
        let mut item = FormattedItem { kind, text, start: start + n_mark, line_end, parse, rows, gaps, first_gaps };
        if !sound {
            item.leave_alone();
        }
        item
    }

    /// Resets all gaps to the original, except for the distance to the next item.
    fn leave_alone(&mut self) {
        if let [inside @ .., _] = &mut self.gaps[..] {
            inside.iter_mut().for_each(|gap| gap.wanted = Wanted::AsIs);
        }
    }

    fn edits(&self) -> Vec<TextEdit> {
        self.gaps.iter().filter_map(|gap| gap.edit(self.text, self.line_end)).collect()
    }

    /// Range of row `n`, from the start of its first token to the end of its last.
    fn row_place(&self, n: usize) -> Range<usize> {
        let (first, behind) = (self.first_gaps[n], self.first_gaps[n + 1]);
        self.gaps[first].range.end..self.gaps[behind].range.start
    }

    /// Returns true if the item has an equal tree and equal errors after some edits of its gaps.
    fn keeps_meaning(&self, edits: &[TextEdit]) -> bool {
        if edits.is_empty() || self.rows.is_empty() {
            return true;
        }
        let text = apply_edits(self.text, edits);
        let parse = parse_item(self.kind, &text);
        same_codes(&self.parse.errors, &parse.errors)
            && same_tree(&self.parse.green, &parse.green)
            && kinds_before_another(self.text) == kinds_before_another(&text)
    }
}

/// Kinds of the items that a text is cut into when another item follows. Attributes without an item line would attach to that
/// one.
fn kinds_before_another(text: &str) -> Vec<ItemKind> {
    cut(&format!("{text}\nconst")).iter().map(|cut| cut.kind).collect()
}

/// Returns true if two lists of errors have equal codes, apart from that of tabs, which formatting fixes.
fn same_codes(before: &[Diagnostic], after: &[Diagnostic]) -> bool {
    let codes = |errors: &'_ [Diagnostic]| -> Vec<ReportCode> {
        errors.iter().map(|error| error.code).filter(|&code| code != SyntaxCode::TabIndent).collect()
    };
    codes(before) == codes(after)
}

/// Returns true if two trees differ in white space alone.
fn same_tree(before: &GreenNodeData, after: &GreenNodeData) -> bool {
    fn solid(node: &GreenNodeData) -> impl Iterator<Item = NodeOrToken<&GreenNodeData, &GreenTokenData>> {
        node.children().filter(|child| match child {
            NodeOrToken::Node(_) => true,
            NodeOrToken::Token(token) => !matches!(Lane::kind_from_raw(token.kind()), WHITESPACE | NEWLINE),
        })
    }
    let (mut before_children, mut after_children) = (solid(before), solid(after));
    before.kind() == after.kind()
        && loop {
            match (before_children.next(), after_children.next()) {
                (None, None) => break true,
                (Some(NodeOrToken::Node(a)), Some(NodeOrToken::Node(b))) if same_tree(a, b) => {}
                (Some(NodeOrToken::Token(a)), Some(NodeOrToken::Token(b)))
                    if a.kind() == b.kind() && a.text().trim_end() == b.text().trim_end() => {}
                _ => break false,
            }
        }
}

/// Vertical spacing between the rows of an item.
struct Spacing {
    kind: ItemKind,
    /// Kind of the next item.
    next: Option<ItemKind>,
    /// Depth and content of the last row.
    last: Option<(u32, Content)>,
    /// Set among documentation and attributes, which must stand directly above their item.
    in_head: bool,
}

impl Spacing {
    /// Number of line breaks before a row, where the text has `found`.
    fn breaks_before(&mut self, row: &Row, found: u32) -> u32 {
        let n_blank = found.saturating_sub(1).min(1);
        let in_head = self.in_head;
        self.in_head = match row.content {
            Content::Attribute => true,
            Content::Comment => in_head,
            Content::Branch | Content::Code => false,
        };
        let Some((depth, content)) = self.last.replace((row.depth, row.content)) else { return 0 };
        let opens_block = row.depth > depth;
        if in_head || opens_block || row.content == Content::Branch {
            return 1;
        }
        let between_items = row.depth == 0 && row.content == Content::Comment && self.kind != ItemKind::Preamble;
        let follows_item = depth > 0 || content != Content::Comment;
        1 + if between_items && follows_item { self.blanks_to_next(n_blank) } else { n_blank }
    }

    /// Number of line breaks behind the last row, where the text has `found`.
    fn breaks_at_end(&self, found: u32) -> u32 {
        let Some((depth, content)) = self.last else { return 0 };
        if self.next.is_none() {
            return 1;
        }
        let n_blank = found.saturating_sub(1).min(1);
        let follows_comment = depth == 0 && content == Content::Comment;
        1 + if follows_comment { n_blank } else { self.blanks_to_next(n_blank) }
    }

    /// Number of blank lines between the item and the next, where the text has `found`. Constants, or instances, may stand together, and
    /// lines that are no item (yet) keep their distance.
    fn blanks_to_next(&self, found: u32) -> u32 {
        match (self.kind, self.next) {
            (ItemKind::Const, Some(ItemKind::Const))
            | (ItemKind::Use, Some(ItemKind::Use))
            | (ItemKind::Stray, _)
            | (_, Some(ItemKind::Stray)) => found,
            _ => 1,
        }
    }
}
