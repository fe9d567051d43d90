//! The lossless tree of one file, as it is written: brackets, directives, conditionals with their branches. Nothing is expanded and no
//! branch is left out, so it depends on the file's text alone. `tree.text()` is that text.

use rowan::{GreenNode, GreenNodeBuilder};

use crate::file::FileText;
use crate::kinds::{Ispc, Kind};

/// A node of a file's tree.
pub type Node = rowan::SyntaxNode<Ispc>;

/// Builds the tree of a file.
pub fn file_tree(file: &FileText) -> Node {
    Node::new_root(green(file))
}

fn green(file: &FileText) -> GreenNode {
    let mut builder = Builder { file, green: GreenNodeBuilder::new(), open: vec![Kind::File], at: 0 };
    builder.green.start_node(Kind::File.into());
    let mut directives = file.directives.iter().map(|index| *index as usize).peekable();
    while builder.at < file.tokens.len() {
        if directives.peek() == Some(&builder.at) {
            directives.next();
            builder.directive();
        } else {
            builder.token();
        }
    }
    while !builder.open.is_empty() {
        builder.close();
    }
    builder.green.finish()
}

/// The deepest that nodes may stand in each other: brackets beyond are plain tokens.
const DEEPEST: usize = 500;

struct Builder<'f> {
    file: &'f FileText,
    green: GreenNodeBuilder<'static>,
    /// The open nodes, outermost first.
    open: Vec<Kind>,
    at: usize,
}

impl Builder<'_> {
    fn start(&mut self, kind: Kind) {
        self.green.start_node(kind.into());
        self.open.push(kind);
    }

    fn close(&mut self) {
        self.green.finish_node();
        self.open.pop();
    }

    fn push(&mut self) {
        let kind = self.file.tokens[self.at].kind;
        self.green.token(kind.into(), self.file.token_text(self.at));
        self.at += 1;
    }

    fn token(&mut self) {
        match self.file.tokens[self.at].kind {
            Kind::LParen | Kind::LBracket | Kind::LBrace if self.open.len() < DEEPEST => {
                self.start(Kind::Group);
                self.push();
            }
            Kind::RParen | Kind::RBracket | Kind::RBrace => {
                self.push();
                // A branch may close what was opened outside of it: the tree keeps to branches.
                if self.open.last() == Some(&Kind::Group) {
                    self.close();
                }
            }
            _ => self.push(),
        }
    }

    /// The word behind the `#` at this place.
    fn word(&self) -> &str {
        let rest = self.at + 1..self.file.tokens.len();
        let word = rest.into_iter().find(|index| {
            let kind = self.file.tokens[*index].kind;
            !kind.is_trivia() || kind == Kind::Newline
        });
        word.map_or("", |index| self.file.token_text(index))
    }

    fn directive(&mut self) {
        let word = self.word();
        let (opens, goes_on, ends) = (word.starts_with("if"), word.starts_with("el"), word == "endif");
        if opens && self.open.len() < DEEPEST {
            self.start(Kind::Conditional);
        } else if (goes_on || ends) && self.open.contains(&Kind::Conditional) {
            while self.open.last() != Some(&Kind::Conditional) {
                self.close();
            }
        }
        let is_inside = self.open.last() == Some(&Kind::Conditional);
        self.green.start_node(Kind::Directive.into());
        while self.at < self.file.tokens.len() && self.file.tokens[self.at].kind != Kind::Newline {
            self.push();
        }
        self.green.finish_node();
        if is_inside && ends {
            self.close();
        } else if is_inside && (opens || goes_on) {
            self.start(Kind::Branch);
        }
    }
}
