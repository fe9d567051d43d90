//! The parser: tokens and layout of one item to events, and events to its tree.
//!
//! The parser is recursive descent with precedence climbing. It recovers from every error:
//!
//! - A *logical line* ends at a NEWLINE mark that no rule steps over, so a malformed statement ends with its line.
//! - Tokens that no rule accepts are wrapped in an ERROR node; the tree keeps all of the text.
//! - Each mistake is reported once: after an error the rest of the logical line is *silenced*, except where the parser knows
//!   exactly what was meant (`&&` for `and`) and continues as if that had been written.
//! - Depth is bounded, so that no input overflows the stack here or in any code that walks the tree.
//!
//! Rules write a flat list of events (start a node, take a token, finish a node); [`sink`] builds the tree from it and decides
//! where white space and comments go.

mod braces;
mod declarations;
mod enums;
mod expressions;
mod forms;
mod generics;
mod habits;
mod headers;
mod items;
mod matching;
mod others;
mod references;
mod sink;
mod statements;
mod types;
#[cfg(test)]
mod work;

use std::cell::Cell;
use std::collections::HashSet;

use report::{Diagnostic, ItemKind};
use rowan::{GreenNode, NodeCache, TextRange, TextSize};

use crate::errors;
use crate::kinds::SyntaxKind::{self, *};
use crate::layout::{Layout, NO_PARTNER, layout};
use crate::lexer::{Lexed, Oddity, lex};

pub(crate) use expressions::level as operator_level;

/// Maximum nesting of blocks.
const MAX_BLOCKS: u32 = 64;
/// Maximum nesting of brackets, prefix operators and lambdas in one expression.
const MAX_NESTING: u32 = 128;
/// Maximum number of `elif` branches of one `if`; each is nested in the `else` of the one before it.
pub const MAX_ELIFS: usize = 256;
/// Maximum height of an expression's tree; a chain of operators of one level is as high as it is long.
const MAX_HEIGHT: u32 = 600;

/// Maximum number of times that rules may inspect a token without taking one.
const MAX_LOOKS: u64 = 10_000;

/// Tree and errors of one item's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemParse {
    /// The lossless tree; its root is the node of the item's kind.
    pub green: GreenNode,
    /// Errors sorted by position, relative to the item's start.
    pub errors: Vec<Diagnostic>,
}

/// Parses the text of one item, as [`cut`](crate::cut) returned it.
pub fn parse_item(kind: ItemKind, text: &str) -> ItemParse {
    ParseBuffers::default().parse_item(kind, text)
}

/// Parses an item from its tokens and layout.
pub(crate) fn parse_tokens(kind: ItemKind, text: &str, lexed: &Lexed, layout: &Layout) -> ItemParse {
    parse_with(kind, text, lexed, layout, &mut Vec::new(), &mut NodeCache::default())
}

/// Memory that is reused from one item to the next: buffers, and the cache of green nodes that trees share. Results do not depend
/// on it.
#[derive(Default)]
pub(crate) struct ParseBuffers {
    lexed: Lexed,
    layout: Layout,
    events: Vec<Event>,
    cache: NodeCache,
}

impl ParseBuffers {
    pub(crate) fn parse_item(&mut self, kind: ItemKind, text: &str) -> ItemParse {
        self.lexed = lex(text, std::mem::take(&mut self.lexed));
        self.layout = layout(text, &self.lexed, std::mem::take(&mut self.layout));
        parse_with(kind, text, &self.lexed, &self.layout, &mut self.events, &mut self.cache)
    }
}

/// Parses an item with a given event buffer and node cache.
fn parse_with(
    kind: ItemKind,
    text: &str,
    lexed: &Lexed,
    layout: &Layout,
    events: &mut Vec<Event>,
    cache: &mut NodeCache,
) -> ItemParse {
    let mut p = Parser::new(text, lexed, layout, std::mem::take(events));
    items::item(&mut p, kind);
    let errors = all_errors(kind, text, lexed, layout, p.errors);
    *events = p.events;
    ItemParse { green: sink::build(text, lexed, layout, events, cache), errors }
}

/// Merges the errors of the rules with those of tokens and indentation, sorted by position.
fn all_errors(
    kind: ItemKind,
    text: &str,
    lexed: &Lexed,
    layout: &Layout,
    mut errors: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    if lexed.oddities.is_empty() && layout.errors.is_empty() {
        errors.sort_by_key(|error| error.range.start());
        return errors;
    }
    let oddities = odd_tokens(kind, text, lexed);
    // An error that a rule reports at a malformed token is a consequence of that token's own error.
    errors.retain(|error| oddities.binary_search_by_key(&error.range.start(), |odd| odd.range.start()).is_err());
    errors.extend(oddities);
    errors.extend(layout.errors.iter().cloned());
    errors.sort_by_key(|error| error.range.start());
    errors
}

fn odd_tokens(kind: ItemKind, text: &str, lexed: &Lexed) -> Vec<Diagnostic> {
    let n_lines = |from: u32, to: u32| {
        let between = &lexed.kinds[from as usize..to as usize];
        between.iter().filter(|&&kind| kind == NEWLINE).count()
    };
    let mut last_token = 0;
    let mut names = HashSet::new();
    let mut errors: Vec<Diagnostic> = Vec::new();
    // A byte order mark is allowed at the start of a file.
    let is_mark = |token| kind == ItemKind::Preamble && token == 0 && lexed.text(text, 0) == "\u{feff}";
    for &(token, oddity) in lexed.oddities.iter().filter(|(token, _)| !is_mark(*token)) {
        let range = TextRange::new(lexed.starts[token as usize].into(), lexed.starts[token as usize + 1].into());
        let word = lexed.text(text, token as usize);
        // A name beyond ASCII is reported once, however often it is used.
        let again = oddity == Oddity::NonAsciiName && !names.insert(word);
        if again {
            continue;
        }
        let found = match (oddity, kind) {
            (Oddity::Quoted, ItemKind::Use) => Some(errors::file_in_quotes(range, word)),
            _ => errors::oddity(oddity, range, text, lexed.kinds[token as usize]),
        };
        let Some(error) = found else { continue };
        let line = n_lines(last_token, token);
        last_token = token;
        match errors.last_mut() {
            Some(last) if line == 0 && last.message == error.message => last.join_fix(error),
            _ => errors.push(error),
        }
    }
    errors
}

/// An action of a rule, in order.
#[derive(Debug)]
enum Event {
    /// Starts a node. `parent` is the distance to the later event that starts its parent, for a node that became a child only
    /// after it was complete.
    Start { kind: SyntaxKind, parent: u32 },
    /// Finishes the node that started last.
    Finish,
    /// Takes the next token or mark.
    Take,
    /// A start whose node was abandoned.
    Abandoned,
}

/// A node that has started and must be completed.
#[must_use]
struct Marker {
    event: usize,
}

/// A complete node, which can still become the first child of another.
#[derive(Clone, Copy)]
struct Completed {
    event: usize,
    kind: SyntaxKind,
    /// Height of its tree, counted for expressions.
    height: u32,
    /// Index of its first token in the layout.
    first: usize,
}

struct Parser<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    layout: &'t Layout,
    pos: usize,
    /// Index of the last token that was taken, not counting marks.
    last: Option<usize>,
    /// Number of inspections in all, and at the last step. A rule that stops advancing is a bug, which this turns into a panic
    /// instead of an endless loop.
    looks: Cell<u64>,
    looks_before_step: u64,
    events: Vec<Event>,
    errors: Vec<Diagnostic>,
    /// Set once this logical line has reported an error.
    silenced: bool,
    /// Indices in the layout of the brackets that are open here.
    open: Vec<usize>,
    /// Number of braces that stood for a block's colon and have no closing brace yet.
    braces: u32,
    /// Set if the last statement was a malformed line with a block below it, which may have been meant as an `if`.
    lost_header: bool,
    blocks: u32,
    nesting: u32,
    /// The number of cases of the innermost `match`.
    n_cases: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, lexed: &'t Lexed, layout: &'t Layout, mut spent: Vec<Event>) -> Self {
        spent.clear();
        Parser {
            text,
            lexed,
            layout,
            pos: 0,
            last: None,
            looks: Cell::new(0),
            looks_before_step: 0,
            events: spent,
            errors: Vec::new(),
            silenced: false,
            open: Vec::new(),
            braces: 0,
            lost_header: false,
            blocks: 0,
            nesting: 0,
            n_cases: 0,
        }
    }

    // Inspecting tokens.

    fn nth(&self, ahead: usize) -> SyntaxKind {
        self.looks.set(self.looks.get() + 1);
        assert!(self.looks.get() - self.looks_before_step < MAX_LOOKS, "the parser is stuck at {}", self.pos);
        self.layout.kinds.get(self.pos + ahead).copied().unwrap_or(END)
    }

    fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    fn at_any(&self, kinds: &[SyntaxKind]) -> bool {
        kinds.contains(&self.current())
    }

    /// Returns true if no token of this logical line is left.
    fn at_line_end(&self) -> bool {
        matches!(self.current(), NEWLINE | INDENT | DEDENT | END)
    }

    fn token(&self, pos: usize) -> usize {
        self.layout.tokens[pos.min(self.layout.tokens.len() - 1)] as usize
    }

    fn is_mark(&self, pos: usize) -> bool {
        matches!(self.layout.kinds.get(pos), None | Some(NEWLINE | INDENT | DEDENT | END))
    }

    /// Range of a token; the mark of a last line without a line break is at the text's end.
    fn range(&self, pos: usize) -> TextRange {
        let token = self.token(pos);
        let end = (token + 1).min(self.lexed.len());
        TextRange::new(self.lexed.starts[token].into(), self.lexed.starts[end].into())
    }

    fn text_at(&self, pos: usize) -> &'t str {
        if self.is_mark(pos) { "" } else { self.lexed.text(self.text, self.token(pos)) }
    }

    fn current_text(&self) -> &'t str {
        self.text_at(self.pos)
    }

    /// Range of the current token; at a mark, the empty range behind the last token.
    fn here(&self) -> TextRange {
        if self.is_mark(self.pos) { self.behind() } else { self.range(self.pos) }
    }

    /// The empty range behind the last token, where something is missing.
    fn behind(&self) -> TextRange {
        TextRange::empty(self.last.map_or(TextSize::from(0), |pos| self.range(pos).end()))
    }

    /// Range from the token at `first` to the last one taken.
    fn since(&self, first: usize) -> TextRange {
        TextRange::new(self.range(first).start(), self.behind().end().max(self.range(first).start()))
    }

    /// Name of the current token in messages.
    fn found(&self) -> String {
        match self.current() {
            kind if kind.is_keyword() => format!("the keyword `{}`", self.current_text()),
            IDENT | INT | FLOAT if self.current_text().len() > 40 => "a long word".to_owned(),
            IDENT | INT | FLOAT => format!("`{}`", self.current_text()),
            INDENT | DEDENT | END => NEWLINE.describe().to_owned(),
            kind => kind.describe().to_owned(),
        }
    }

    // Taking tokens.

    fn start(&mut self) -> Marker {
        self.events.push(Event::Start { kind: ERROR, parent: 0 });
        Marker { event: self.events.len() - 1 }
    }

    fn complete(&mut self, marker: Marker, kind: SyntaxKind) {
        match &mut self.events[marker.event] {
            Event::Start { kind: slot, .. } => *slot = kind,
            _ => unreachable!("a marker points to a start"),
        }
        self.events.push(Event::Finish);
    }

    fn abandon(&mut self, marker: Marker) {
        if marker.event + 1 == self.events.len() {
            self.events.pop();
        } else {
            self.events[marker.event] = Event::Abandoned;
        }
    }

    /// Starts a node before a complete one, which becomes its first child.
    fn precede(&mut self, child: Completed) -> Marker {
        let marker = self.start();
        match &mut self.events[child.event] {
            Event::Start { parent, .. } => *parent = (marker.event - child.event) as u32,
            _ => unreachable!("a completed node starts with a start"),
        }
        marker
    }

    fn bump(&mut self) {
        debug_assert!(!self.at(END), "stepped over the end");
        if self.at(NEWLINE) {
            self.silenced = false;
        } else if !self.is_mark(self.pos) {
            self.last = Some(self.pos);
        }
        self.looks_before_step = self.looks.get();
        self.pos += 1;
        self.events.push(Event::Take);
    }

    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let there = self.at(kind);
        if there {
            self.bump();
        }
        there
    }

    // Reporting errors.

    /// Reports an error, unless it follows from an earlier one on this logical line.
    fn error(&mut self, error: Diagnostic) {
        // An error that was reported directly before explains the missing part, as in `a &&` at the end of a line.
        let reported = self.errors.last().is_some_and(|last| last.range.end() == error.range.start());
        if !(self.silenced || (reported && error.range.is_empty()) || self.follows_strange()) {
            // If the line ends inside an unclosed bracket, that bracket is the first error.
            let unclosed = self.open.iter().rev().find(|&&open| self.partner(open).is_none());
            let error = unclosed.filter(|_| self.at_line_end()).map_or(error, |&open| self.unclosed_bracket(open));
            self.errors.push(error);
        }
        self.silenced = true;
    }

    /// Reports an error whose meaning is clear all the same: the rest of the line is parsed and reported as usual.
    fn soft_error(&mut self, error: Diagnostic) {
        if !self.silenced {
            self.errors.push(error);
        }
    }

    /// Returns true if an unknown character stands directly before the current token. It has its own error, which explains what
    /// is missing there.
    fn follows_strange(&self) -> bool {
        if matches!(self.current(), INDENT | DEDENT | END) {
            // The character stands on the line before, which has ended, with a line break or without.
            return false;
        }
        let token = self.token(self.pos).min(self.lexed.len());
        let before = self.lexed.kinds[..token].iter().rev().take_while(|kind| kind.is_trivia());
        before.into_iter().any(|&kind| kind == STRANGE)
    }

    /// Index in [`Lexed`] of the bracket that closes the one at `open`.
    fn partner(&self, open: usize) -> Option<usize> {
        let partner = self.layout.partners[self.token(open)];
        (partner != NO_PARTNER).then_some(partner as usize)
    }

    fn unclosed_bracket(&self, open: usize) -> Diagnostic {
        let inner = self.open.iter().rev().filter(|&&inner| self.partner(inner).is_none());
        let closing = inner.filter_map(|&inner| self.layout.kinds[inner].closing()?.text()).collect::<String>();
        // A header's colon stands behind its brackets.
        let at_colon = self.last.filter(|&last| self.layout.kinds[last] == COLON && self.at_line_end());
        let until = at_colon.map_or(self.behind(), |colon| TextRange::empty(self.range(colon).start()));
        errors::unclosed_bracket(self.range(open), self.layout.kinds[open], until, &closing)
    }

    /// Index of the first token of this logical line, behind marks.
    fn start_of_line(&self) -> usize {
        let before = self.layout.kinds[..self.pos].iter().rposition(|&kind| matches!(kind, NEWLINE | INDENT | DEDENT));
        before.map_or(0, |at| at + 1)
    }

    /// White space at the start of the line of the token at `pos`.
    fn indentation(&self, pos: usize) -> &'t str {
        let start: usize = self.range(pos).start().into();
        let line = &self.text[self.text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Builds the error for a closing bracket without partner, and for all that follow it directly.
    fn stray_bracket(&self) -> Diagnostic {
        let stray = |pos: &usize| {
            let closing = self.layout.kinds.get(*pos).is_some_and(|kind| kind.is_closing());
            closing && self.partner(*pos).is_none()
        };
        let n_more = (self.pos + 1..).take_while(stray).count();
        let last = self.pos + n_more;
        // `};`, with which C ends a struct.
        let semicolon = self.kind_at(last) == R_BRACE && self.kind_at(last + 1) == SEMICOLON && self.is_mark(last + 2);
        let range = self.here().cover(self.range(last + usize::from(semicolon)));
        errors::stray_bracket(range, self.current(), n_more > 0)
    }

    /// Wraps the rest of the logical line, up to a token that `stop` accepts, in an ERROR node.
    fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        if self.at_line_end() || stop(self) {
            return;
        }
        let skipped = self.start();
        while !self.at_line_end() && !stop(self) {
            self.bump();
        }
        self.complete(skipped, ERROR);
    }

    fn skip_line(&mut self) {
        self.skip_until(|_| false);
    }

    /// Takes an opening bracket; returns its index, for [`close`](Self::close).
    fn open(&mut self) -> usize {
        let open = self.pos;
        self.open.push(open);
        self.bump();
        open
    }

    /// Takes the bracket that closes the one at `open`, or reports that it is missing.
    fn close(&mut self, open: usize) {
        let Some(partner) = self.partner(open) else {
            let error = self.unclosed_bracket(open);
            self.error(error);
            self.open.pop();
            return;
        };
        if !self.at_close(open) {
            let error = self.unexpected_in(open);
            self.error(error);
            self.skip_until(|p| p.at_close(open));
        }
        if !self.is_mark(self.pos) && self.token(self.pos) == partner {
            self.bump();
        }
        self.open.pop();
    }

    /// Builds the error for a token that neither continues nor closes the bracket at `open`.
    fn unexpected_in(&self, open: usize) -> Diagnostic {
        let kind = self.layout.kinds[open];
        let closing = kind.closing().unwrap_or(kind);
        if let Some(error) = habits::behind_value(self) {
            return error;
        }
        match self.current() {
            found if found.is_closing() => self.stray_bracket(),
            found if found.is_assignment() || found == COLON_EQ => errors::assignment_in_brackets(self.here()),
            _ if self.layout.kinds.get(open.wrapping_sub(1)).is_some_and(|&before| habits::ends_value(before)) => {
                errors::expected_comma_or(self.here(), closing, &self.found())
            }
            _ => errors::expected_operator_or(self.here(), closing, &self.found()),
        }
    }

    /// Returns true at the bracket that closes the one at `open`, and at the end of the line.
    fn at_close(&self, open: usize) -> bool {
        self.at_line_end() || (!self.is_mark(self.pos) && self.partner(open) == Some(self.token(self.pos)))
    }

    /// Takes a name into a NAME node; returns false and reports an error if there is none.
    fn name(&mut self, of_what: &str) -> bool {
        if self.at(IDENT) {
            let name = self.start();
            self.bump();
            self.complete(name, NAME);
            return true;
        }
        let named_by_keyword = self.current().is_keyword()
            && matches!(self.nth(1), EQ | COLON | COMMA | R_PAREN | L_PAREN | IN_KW | ARROW | NEWLINE | L_BRACKET);
        if named_by_keyword {
            let error = errors::reserved_word(self.here(), self.current_text());
            self.soft_error(error);
            let name = self.start();
            self.bump();
            self.complete(name, NAME);
            return true;
        }
        let error = errors::expected_name(self.here(), of_what, &self.found());
        self.error(error);
        false
    }

    /// Parses `element`s separated by commas, up to the bracket that closes the one at `open`. The bracket itself is left to the
    /// caller.
    fn separated(&mut self, open: usize, mut element: impl FnMut(&mut Self)) {
        while !self.at_close(open) {
            let before = self.pos;
            element(self);
            if self.at_close(open) {
                break;
            }
            if self.at(COMMA) {
                self.bump();
                continue;
            }
            let behind_value = self.pos > before && !self.silenced && habits::behind_value(self).is_none();
            if behind_value && expressions::starts_expression(self.current()) {
                let error = errors::expected_comma(self.behind(), &self.found());
                self.soft_error(error);
                continue;
            }
            if self.pos == before || !self.silenced {
                if self.partner(open).is_none() && habits::behind_value(self).is_none() {
                    // Behind an error the list may continue past the end that was meant.
                    return;
                }
                let error = self.unexpected_in(open);
                self.error(error);
            }
            let token = |p: &Self| p.at(COMMA) || p.at_close(open);
            self.skip_until(token);
            if self.at(COMMA) {
                self.bump();
            }
        }
    }
}
