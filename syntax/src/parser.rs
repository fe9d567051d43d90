//! Tokens and layout of one item to events, and events to its tree.
//!
//! The parser is recursive descent with precedence climbing. It never stops at a mistake:
//!
//! - A *logical line* ends at a NEWLINE mark that no rule steps over, so a broken statement ends with its line.
//! - What a rule cannot use is wrapped in an ERROR node; the tree keeps all of the text.
//! - One mistake gives one error: after an error the rest of the logical line is *silenced*, except where the
//!   parser knows exactly what was meant (`&&` for `and`) and goes on as if it had been written.
//! - Depth is bounded, so that no input overflows the stack here or in whoever walks the tree.
//!
//! Rules write a flat list of events (start a node, take a token, finish a node); [`sink`] makes the
//! tree of it and decides where white space and comments go.

mod expressions;
mod items;
mod sink;
mod statements;
mod types;

use std::cell::Cell;

use rowan::{GreenNode, TextRange, TextSize};

use crate::diagnostic::Diagnostic;
use crate::errors;
use crate::items::ItemKind;
use crate::kinds::SyntaxKind::{self, *};
use crate::layout::{Layout, NO_PARTNER, layout};
use crate::lexer::{Lexed, lex};

/// How deep blocks may nest.
const MAX_BLOCKS: u32 = 64;
/// How deep brackets, prefix operators and lambdas may nest in one expression.
const MAX_NESTING: u32 = 128;
/// How many `elif` branches one `if` may have; each stands in the `else` of the one before it.
pub const MAX_ELIFS: usize = 256;
/// How high an expression's tree may be; a chain of operators of one level is as high as it is long.
const MAX_HEIGHT: u32 = 600;

/// The tree and the errors of one item's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemParse {
    /// The lossless tree; its root is the node of the item's kind.
    pub green: GreenNode,
    /// What is wrong with it, by place, relative to the item's start.
    pub errors: Vec<Diagnostic>,
}

/// Parses the text of one item, as [`cut`](crate::cut) made it.
pub fn parse_item(kind: ItemKind, text: &str) -> ItemParse {
    let lexed = lex(text);
    let layout = layout(text, &lexed);
    let mut p = Parser::new(text, &lexed, &layout);
    items::item(&mut p, kind);
    let Parser { events, mut errors, .. } = p;
    errors.extend(layout.errors.iter().cloned());
    errors.extend(lexed.oddities.iter().map(|&(token, oddity)| {
        let token = token as usize;
        let range = TextRange::new(lexed.starts[token].into(), lexed.starts[token + 1].into());
        errors::oddity(oddity, range, lexed.text(text, token), lexed.kinds[token])
    }));
    errors.sort_by_key(|error| error.range.start());
    ItemParse { green: sink::build(text, &lexed, &layout, events), errors }
}

/// What a rule did, in order.
#[derive(Debug)]
enum Event {
    /// A node starts. `parent` is how far ahead the event is that starts its parent, for a node
    /// that turned out to be a child only after it was complete.
    Start { kind: SyntaxKind, parent: u32 },
    /// The node that started last is complete.
    Finish,
    /// The next token or mark.
    Take,
    /// A start that came to nothing.
    Abandoned,
}

/// A node that has started.
#[must_use]
struct Marker {
    event: usize,
}

/// A node that is complete, and can still become the first child of another.
#[derive(Clone, Copy)]
struct Completed {
    event: usize,
    kind: SyntaxKind,
    /// How high its tree is; counted for expressions.
    height: u32,
    /// Where its first token is, in the layout.
    first: usize,
}

struct Parser<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    layout: &'t Layout,
    pos: usize,
    /// Looks since the last step; a rule that stops stepping is a bug, not an endless loop.
    looks: Cell<u32>,
    events: Vec<Event>,
    errors: Vec<Diagnostic>,
    /// This logical line has its error already.
    silenced: bool,
    blocks: u32,
    nesting: u32,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, lexed: &'t Lexed, layout: &'t Layout) -> Self {
        Parser {
            text,
            lexed,
            layout,
            pos: 0,
            looks: Cell::new(0),
            events: Vec::with_capacity(3 * layout.kinds.len()),
            errors: Vec::new(),
            silenced: false,
            blocks: 0,
            nesting: 0,
        }
    }

    // Looking.

    fn nth(&self, ahead: usize) -> SyntaxKind {
        self.looks.set(self.looks.get() + 1);
        assert!(self.looks.get() < 100_000, "the parser is stuck at {:?}", self.here());
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

    /// No token of this logical line is left.
    fn at_line_end(&self) -> bool {
        matches!(self.current(), NEWLINE | INDENT | DEDENT | END)
    }

    fn token(&self, pos: usize) -> usize {
        self.layout.tokens[pos.min(self.layout.tokens.len() - 1)] as usize
    }

    fn is_mark(&self, pos: usize) -> bool {
        matches!(self.layout.kinds.get(pos), None | Some(NEWLINE | INDENT | DEDENT | END))
    }

    fn range(&self, pos: usize) -> TextRange {
        let token = self.token(pos);
        TextRange::new(self.lexed.starts[token].into(), self.lexed.starts[token + 1].into())
    }

    fn text_at(&self, pos: usize) -> &'t str {
        if self.is_mark(pos) { "" } else { self.lexed.text(self.text, self.token(pos)) }
    }

    fn current_text(&self) -> &'t str {
        self.text_at(self.pos)
    }

    /// The current token's place; at a mark, the place right behind the last token.
    fn here(&self) -> TextRange {
        if self.is_mark(self.pos) { self.behind() } else { self.range(self.pos) }
    }

    /// The place right behind the last token, where something is missing.
    fn behind(&self) -> TextRange {
        let last = (0..self.pos.min(self.layout.kinds.len())).rev().find(|&pos| !self.is_mark(pos));
        TextRange::empty(last.map_or(TextSize::from(0), |pos| self.range(pos).end()))
    }

    /// From the token at `first` to the last one taken.
    fn since(&self, first: usize) -> TextRange {
        TextRange::new(self.range(first).start(), self.behind().end().max(self.range(first).start()))
    }

    /// What a message calls the current token.
    fn found(&self) -> String {
        match self.current() {
            kind if kind.is_keyword() => format!("the keyword `{}`", self.current_text()),
            IDENT | INT | FLOAT => format!("`{}`", self.current_text()),
            INDENT | DEDENT | END => NEWLINE.describe().to_owned(),
            kind => kind.describe().to_owned(),
        }
    }

    // Stepping.

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
        }
        self.looks.set(0);
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

    // Going wrong.

    /// Reports a mistake, unless it follows from an earlier one on this logical line.
    fn error(&mut self, error: Diagnostic) {
        if !self.silenced && !self.follows_strange() {
            self.errors.push(error);
        }
        self.silenced = true;
    }

    /// Reports a mistake whose meaning is clear all the same: the rest of the line is parsed, and judged, as usual.
    fn soft_error(&mut self, error: Diagnostic) {
        if !self.silenced {
            self.errors.push(error);
        }
    }

    /// An unknown character stands right before the current token. It has its own error, and what the
    /// parser misses there is its doing.
    fn follows_strange(&self) -> bool {
        let token = self.token(self.pos).min(self.lexed.len());
        let before = self.lexed.kinds[..token].iter().rev().take_while(|kind| kind.is_trivia());
        before.into_iter().any(|&kind| kind == STRANGE)
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

    /// Takes the bracket that closes the one at `open`, or reports that there is none.
    fn close(&mut self, open: usize, context: &str) {
        let kind = self.layout.kinds[open];
        let closing = kind.closing().expect("an opening bracket");
        let partner = self.layout.partners[self.token(open)];
        if partner == NO_PARTNER {
            let until = self.behind();
            let error = errors::unclosed_bracket(self.range(open), kind, until);
            self.error(error);
            return;
        }
        let at_partner = |p: &Self| !p.is_mark(p.pos) && p.token(p.pos) == partner as usize;
        if !at_partner(self) {
            let error = match self.current() {
                found if found.is_closing() => errors::stray_bracket(self.here(), found),
                _ if context.is_empty() => errors::expected_comma_or(self.here(), closing, &self.found()),
                _ => errors::expected_token(self.here(), closing.describe(), context, &self.found()),
            };
            self.error(error);
            self.skip_until(at_partner);
        }
        if at_partner(self) {
            self.bump();
        }
    }

    /// The bracket that closes the one at `open` is the current token, or the line has come to its end without it.
    fn at_close(&self, open: usize) -> bool {
        let partner = self.layout.partners[self.token(open)];
        self.at_line_end() || (!self.is_mark(self.pos) && self.token(self.pos) == partner as usize)
    }

    /// Takes a name into a NAME node.
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

    /// A list of `element`s separated by commas, up to the bracket that closes the one at `open`. The
    /// bracket itself is left to the caller.
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
            if expressions::starts_expression(self.current()) && self.pos > before && !self.silenced {
                let error = errors::expected_comma(self.behind(), &self.found());
                self.soft_error(error);
                continue;
            }
            if self.pos == before || !self.silenced {
                let closing = self.layout.kinds[open].closing().expect("an opening bracket");
                let error = match self.current() {
                    found if found.is_closing() => errors::stray_bracket(self.here(), found),
                    _ => errors::expected_comma_or(self.here(), closing, &self.found()),
                };
                if self.layout.partners[self.token(open)] == NO_PARTNER {
                    // The list may well go on past the end that was meant.
                    return;
                }
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
