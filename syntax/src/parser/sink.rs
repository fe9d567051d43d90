//! Builds the tree from events, and places white space and comments in it.
//!
//! White space and comments before a node's first token stay outside the node, with two exceptions: a block holds the comments
//! above its first statement, and the item's own node holds all of its text. A comment behind a statement precedes the
//! statement's NEWLINE and is thus inside the statement. Comments below a block's last statement go where
//! [`layout`](crate::layout) puts them.

use rowan::{GreenNode, GreenNodeBuilder, NodeCache};

use super::Event;
use crate::kinds::SyntaxKind::{self, *};
use crate::layout::Layout;
use crate::lexer::Lexed;

/// Builds the tree that the events describe.
pub(super) fn build(
    text: &str,
    lexed: &Lexed,
    layout: &Layout,
    events: &mut [Event],
    cache: &mut NodeCache,
) -> GreenNode {
    let mut sink = Sink { text, lexed, builder: GreenNodeBuilder::with_cache(cache), token: 0 };
    let mut pos = 0;
    let mut started: Vec<SyntaxKind> = Vec::new();
    let last = events.len() - 1;
    for n in 0..events.len() {
        match std::mem::replace(&mut events[n], Event::Abandoned) {
            Event::Abandoned => {}
            Event::Start { kind, parent } => {
                started.push(kind);
                let mut ahead = parent as usize;
                let mut at = n;
                while ahead > 0 {
                    at += ahead;
                    // The parent starts here, around this node; its own event is then marked as used.
                    match std::mem::replace(&mut events[at], Event::Abandoned) {
                        Event::Start { kind, parent } => {
                            started.push(kind);
                            ahead = parent as usize;
                        }
                        _ => unreachable!("a parent is a start"),
                    }
                }
                if n > 0 && started.last() != Some(&BLOCK) {
                    sink.trivia_before(layout.tokens[pos] as usize);
                }
                for kind in started.drain(..).rev() {
                    sink.builder.start_node(kind.into());
                }
            }
            Event::Take => {
                let token = layout.tokens[pos] as usize;
                sink.trivia_before(token);
                let is_token = match layout.kinds[pos] {
                    INDENT | DEDENT | END => false,
                    // The last line may have no line break.
                    NEWLINE => token < lexed.len(),
                    _ => true,
                };
                if is_token {
                    sink.take();
                }
                pos += 1;
            }
            Event::Finish => {
                if n == last {
                    sink.trivia_before(lexed.len());
                }
                sink.builder.finish_node();
            }
        }
    }
    sink.builder.finish()
}

struct Sink<'t> {
    text: &'t str,
    lexed: &'t Lexed,
    builder: GreenNodeBuilder<'t>,
    token: usize,
}

impl Sink<'_> {
    fn trivia_before(&mut self, token: usize) {
        while self.token < token {
            self.take();
        }
    }

    fn take(&mut self) {
        let kind = self.lexed.kinds[self.token];
        self.builder.token(kind.into(), self.lexed.text(self.text, self.token));
        self.token += 1;
    }
}
