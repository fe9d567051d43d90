//! Statements.

use crate::kinds::Kind;
use crate::names::DeclKind;
use crate::tree::NodeKind;

use super::declarations::Where;
use super::{DEEPEST_STATEMENT, Mark, Parser};

impl Parser<'_> {
    /// `{ … }`, in the scope that is open.
    pub(super) fn block(&mut self) {
        let mark = self.open();
        let open = self.at as u32;
        self.bump();
        while !matches!(self.kind(), Kind::RBrace | Kind::End) {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.expected("a statement");
                self.skip_statement();
                if self.at == before {
                    self.bump();
                }
            }
        }
        self.expect_close(Kind::RBrace, open);
        self.close(mark, NodeKind::Block);
    }

    /// One statement.
    pub(super) fn statement(&mut self) {
        self.statement_depth += 1;
        if self.statement_depth > DEEPEST_STATEMENT {
            self.give_up();
        } else {
            self.statement_here();
        }
        self.statement_depth -= 1;
    }

    fn statement_here(&mut self) {
        let mark = self.open();
        match self.kind() {
            Kind::Pragma => {
                self.bump();
                if !self.is(Kind::RBrace) {
                    self.statement();
                }
            }
            Kind::LBrace => {
                self.push_scope();
                self.block();
                self.pop_scope();
            }
            Kind::Semicolon => {
                self.bump();
                self.close(mark, NodeKind::Empty);
            }
            Kind::If => self.selection(mark, NodeKind::If),
            Kind::Cif => self.selection(mark, NodeKind::Cif),
            Kind::Switch => self.condition_then_body(mark, NodeKind::Switch),
            Kind::While => self.condition_then_body(mark, NodeKind::While),
            Kind::Cwhile => self.condition_then_body(mark, NodeKind::Cwhile),
            Kind::Do => self.do_loop(mark, NodeKind::Do),
            Kind::Cdo => self.do_loop(mark, NodeKind::Cdo),
            Kind::For => self.for_loop(mark, NodeKind::For),
            Kind::Cfor => self.for_loop(mark, NodeKind::Cfor),
            Kind::Foreach => self.foreach(mark, NodeKind::Foreach),
            Kind::ForeachTiled => self.foreach(mark, NodeKind::ForeachTiled),
            Kind::ForeachActive => self.foreach_one(mark, NodeKind::ForeachActive),
            Kind::ForeachUnique => self.foreach_one(mark, NodeKind::ForeachUnique),
            Kind::Case | Kind::Default => self.case(mark),
            Kind::Name if self.nth(1) == Kind::Colon && !self.is_scope_at(0) => self.label(mark),
            Kind::Name if self.using() => {}
            Kind::Goto => self.goto(mark),
            Kind::Break => self.word(mark, NodeKind::Break, "`break`"),
            Kind::Continue => self.word(mark, NodeKind::Continue, "`continue`"),
            Kind::Sync => self.word(mark, NodeKind::Sync, "`sync`"),
            Kind::Return => self.word_and_value(mark, NodeKind::Return),
            Kind::Delete => self.word_and_value(mark, NodeKind::Delete),
            Kind::Print => self.call_statement(mark, NodeKind::Print),
            Kind::Assert => self.call_statement(mark, NodeKind::Assert),
            Kind::Unmasked if self.nth(1) == Kind::LBrace => {
                // As in ispc, what is declared in it outlives it.
                self.bump();
                self.block();
                self.close(mark, NodeKind::Unmasked);
            }
            Kind::Else => {
                self.fail_at(self.at, "this `else` has no `if`: take it out, or the `;` or `}` in front of it");
                self.bump();
                self.statement();
            }
            _ if self.starts_declaration(Where::Local) => self.declaration(Where::Local),
            _ => self.expression_statement(mark),
        }
    }

    fn expression_statement(&mut self, mark: Mark) {
        let before = self.at;
        self.expression();
        if self.at == before {
            return;
        }
        self.expect_semicolon("this expression");
        self.close(mark, NodeKind::Expression);
    }

    /// `( expression )`
    fn condition(&mut self, behind: &str) {
        let open = self.at as u32;
        if !self.expect(Kind::LParen, behind) {
            return;
        }
        self.expression();
        self.close_head(open);
    }

    /// The `)` of a statement's head; without it the body starts at the next block or line.
    fn close_head(&mut self, open: u32) {
        if self.expect_close(Kind::RParen, open) {
            return;
        }
        while !matches!(self.kind(), Kind::RParen | Kind::LBrace | Kind::RBrace | Kind::Semicolon | Kind::End) {
            if self.token().is(crate::unit::Token::LINE) {
                return;
            }
            self.bump();
        }
        self.eat(Kind::RParen);
    }

    /// The statement under a head, which has a scope of its own.
    fn body(&mut self) {
        self.push_scope();
        let before = self.at;
        if self.is(Kind::RBrace) {
            self.expected("a statement");
        } else {
            self.statement();
            if self.at == before {
                self.expected("a statement");
            }
        }
        self.pop_scope();
    }

    fn selection(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        self.condition("`if`");
        self.body();
        if self.eat(Kind::Else) {
            self.body();
        }
        self.close(mark, kind);
    }

    fn condition_then_body(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        self.condition("this word");
        self.body();
        self.close(mark, kind);
    }

    fn do_loop(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        self.body();
        if self.expect(Kind::While, "the body of `do`") {
            self.condition("`while`");
            self.expect_semicolon("the condition");
        }
        self.close(mark, kind);
    }

    fn for_loop(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        let open = self.at as u32;
        self.push_scope();
        if self.expect(Kind::LParen, "`for`") {
            if !self.element_loop() {
                self.for_head();
            }
            self.close_head(open);
        }
        self.body();
        self.pop_scope();
        self.close(mark, kind);
    }

    fn for_head(&mut self) {
        match self.kind() {
            Kind::Semicolon => self.bump(),
            _ if self.starts_declaration(Where::Local) => self.declaration(Where::Local),
            _ => {
                self.expression();
                self.expect(Kind::Semicolon, "the start of the loop");
            }
        }
        if !self.is(Kind::Semicolon) {
            self.expression();
        }
        self.expect(Kind::Semicolon, "the condition of the loop");
        if !self.is(Kind::RParen) {
            self.expression();
        }
    }

    fn foreach(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        let open = self.at as u32;
        self.push_scope();
        if self.expect(Kind::LParen, "`foreach`") {
            let mut variables = Vec::new();
            loop {
                let dimension = self.open();
                self.foreach_type();
                if self.is(Kind::Name) {
                    variables.push(self.at as u32);
                    self.bump();
                } else {
                    self.expected("the variable of the loop");
                    break;
                }
                self.expect(Kind::Eq, "the variable of the loop");
                self.eat(Kind::In);
                self.assignment();
                if !self.range_dots() {
                    while !matches!(self.kind(), Kind::RParen | Kind::LBrace | Kind::RBrace | Kind::End) {
                        self.bump();
                    }
                    self.close(dimension, NodeKind::Error);
                    break;
                }
                self.assignment();
                self.close(dimension, NodeKind::Dimension);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            variables.into_iter().for_each(|token| self.declare_local(token));
            self.close_head(open);
        }
        self.body();
        self.pop_scope();
        self.close(mark, kind);
    }

    /// `foreach_active (i)` and `foreach_unique (v in x)`.
    fn foreach_one(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        let open = self.at as u32;
        self.push_scope();
        if self.expect(Kind::LParen, "this word") {
            let variable = self.is(Kind::Name).then_some(self.at as u32);
            match variable {
                Some(_) => self.bump(),
                None => self.expected("the variable of the loop"),
            }
            if kind == NodeKind::ForeachUnique && self.expect(Kind::In, "the variable of the loop") {
                self.expression();
            }
            if let Some(token) = variable {
                self.declare_local(token);
            }
            self.close_head(open);
        }
        self.body();
        self.pop_scope();
        self.close(mark, kind);
    }

    fn case(&mut self, mark: Mark) {
        let is_case = self.is(Kind::Case);
        self.bump();
        if is_case {
            self.constant();
        }
        self.expect(Kind::Colon, if is_case { "the value" } else { "`default`" });
        if !self.is(Kind::RBrace) {
            self.statement();
        }
        self.close(mark, if is_case { NodeKind::Case } else { NodeKind::Default });
    }

    fn label(&mut self, mark: Mark) {
        let token = self.at as u32;
        let decl = self.declare(DeclKind::Label, token, (token, token + 1));
        self.labels.push(decl);
        self.bump();
        self.bump();
        if !self.is(Kind::RBrace) {
            self.statement();
        }
        self.close(mark, NodeKind::Label);
    }

    fn goto(&mut self, mark: Mark) {
        self.bump();
        if self.is(Kind::Name) {
            self.gotos.push((self.token().name, self.at as u32));
            self.bump();
        } else {
            self.expected("a label");
        }
        self.expect_semicolon("the label");
        self.close(mark, NodeKind::Goto);
    }

    fn word(&mut self, mark: Mark, kind: NodeKind, behind: &str) {
        self.bump();
        self.expect_semicolon(behind);
        self.close(mark, kind);
    }

    fn word_and_value(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        if kind == NodeKind::Delete && self.is(Kind::LBracket) && self.nth(1) == Kind::RBracket {
            self.bump();
            self.bump();
        }
        if !self.is(Kind::Semicolon) || kind == NodeKind::Delete {
            self.expression();
        }
        self.expect_semicolon("this value");
        self.close(mark, kind);
    }

    fn call_statement(&mut self, mark: Mark, kind: NodeKind) {
        self.bump();
        if self.is(Kind::LParen) {
            self.args();
        } else {
            self.expected("a `(`");
        }
        self.expect_semicolon("this statement");
        self.close(mark, kind);
    }
}
