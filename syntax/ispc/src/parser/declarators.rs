//! Declarators: names with their pointers, arrays and parameters, and the values behind them.

use crate::kinds::Kind;
use crate::names::DeclKind;
use crate::tree::NodeKind;
use crate::unit::Name;

use super::Parser;
use super::declarations::{Declarator, ParamName, Where};

impl Parser<'_> {
    /// A declarator, with or without a name.
    pub(super) fn declarator(&mut self) -> Declarator {
        let mut found = Declarator::default();
        self.deeper(|parser| parser.declarator_into(&mut found));
        found
    }

    pub(super) fn declarator_into(&mut self, found: &mut Declarator) {
        let mark = self.open();
        while matches!(self.kind(), Kind::Star | Kind::Amp | Kind::AmpAmp) {
            if self.is(Kind::AmpAmp) {
                self.fail_at(self.at, "ISPC has no `&&` references: write `&`");
            }
            let part = self.open();
            let kind = if self.is(Kind::Star) { NodeKind::Pointer } else { NodeKind::Reference };
            self.bump();
            while self.kind().is_qualifier() {
                self.bump();
            }
            self.close(part, kind);
        }
        let mut is_plain = false;
        match self.kind() {
            Kind::Name if self.token().name == self.operator => {
                found.name = Some(self.at as u32);
                self.operator_name();
                is_plain = true;
                if self.is(Kind::Lt) {
                    self.template_args();
                }
            }
            Kind::Name => {
                found.name = Some(self.at as u32);
                self.bump();
                is_plain = true;
                if self.is(Kind::Lt) {
                    self.template_args();
                }
            }
            Kind::LParen if self.is_nested_declarator() => {
                let open = self.at as u32;
                self.bump();
                let inner = self.declarator();
                found.name = inner.name;
                self.expect_close(Kind::RParen, open);
            }
            _ => {}
        }
        let mut is_first = true;
        loop {
            match self.kind() {
                Kind::LBracket => self.array_part(),
                Kind::LParen => {
                    let (params, n_params) = self.params();
                    if is_first && is_plain {
                        (found.is_function, found.params, found.n_params) = (true, params, n_params);
                    }
                }
                _ => break,
            }
            is_first = false;
        }
        if self.at as u32 > mark.token {
            self.close(mark, NodeKind::Declarator);
        }
    }

    /// Takes `operator` and the operator behind it.
    pub(super) fn operator_name(&mut self) {
        self.bump();
        match self.kind() {
            Kind::LBracket | Kind::LParen | Kind::Name | Kind::End | Kind::Semicolon => {
                self.expected("an operator that can be declared");
                if self.is(Kind::LBracket) {
                    self.skip_group();
                }
            }
            _ => self.bump(),
        }
    }

    pub(super) fn is_nested_declarator(&self) -> bool {
        match self.nth(1) {
            Kind::Star | Kind::Amp | Kind::LParen | Kind::LBracket => true,
            Kind::Name => !self.is_type_name(self.nth_token(1).name) && self.nth(2) != Kind::Name,
            _ => false,
        }
    }

    pub(super) fn array_part(&mut self) {
        let mark = self.open();
        let open = self.at as u32;
        self.bump();
        if !self.is(Kind::RBracket) {
            self.constant();
        }
        self.expect_close(Kind::RBracket, open);
        self.close(mark, NodeKind::ArrayPart);
    }

    pub(super) fn params(&mut self) -> (Vec<ParamName>, u16) {
        let mark = self.open();
        let open = self.at as u32;
        let mut params = Vec::new();
        let mut n_params = 0;
        self.bump();
        while !matches!(self.kind(), Kind::RParen | Kind::End) {
            let before = self.at;
            if let Some(param) = self.param() {
                params.push(param);
            }
            n_params += 1;
            if self.at == before {
                self.expected("a parameter");
                break;
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        let is_void = n_params == 1 && params.is_empty() && self.unit.tokens[open as usize + 1].kind == Kind::Void;
        if !self.expect_close(Kind::RParen, open) {
            while !matches!(self.kind(), Kind::RParen | Kind::LBrace | Kind::Semicolon | Kind::RBrace | Kind::End) {
                self.bump();
            }
            self.eat(Kind::RParen);
        }
        self.close(mark, NodeKind::Params);
        (params, if is_void && self.at as u32 == open + 3 { 0 } else { n_params })
    }

    pub(super) fn param(&mut self) -> Option<ParamName> {
        let mark = self.open();
        let start = self.at as u32;
        let found = self.specifiers(Where::Global);
        if !found.has_type && self.at as u32 == start && self.is(Kind::Name) {
            let is_alone = matches!(self.nth(1), Kind::Comma | Kind::RParen | Kind::Star | Kind::Amp | Kind::LBracket);
            let is_known = self.scopes.find(self.token().name).is_some();
            if is_alone && !is_known {
                self.unknown_type();
            }
        }
        let declarator = self.declarator();
        let param = declarator.name.map(|token| ParamName { token, head: (start, self.at as u32) });
        if self.eat(Kind::Eq) {
            self.initializer();
        }
        if self.at as u32 > start {
            self.close(mark, NodeKind::Param);
        }
        param
    }

    pub(super) fn initializer(&mut self) {
        if !self.is(Kind::LBrace) {
            return self.assignment();
        }
        self.deeper(|parser| {
            let mark = parser.open();
            let open = parser.at as u32;
            parser.bump();
            while !matches!(parser.kind(), Kind::RBrace | Kind::End) {
                let before = parser.at;
                parser.initializer();
                if !parser.eat(Kind::Comma) || parser.at == before {
                    break;
                }
            }
            if !parser.expect_close(Kind::RBrace, open) {
                while !matches!(parser.kind(), Kind::RBrace | Kind::Semicolon | Kind::End) {
                    parser.bump();
                }
                parser.eat(Kind::RBrace);
            }
            parser.close(mark, NodeKind::InitializerList);
        });
    }

    /// `<…>` behind the name of a template.
    pub(super) fn template_args(&mut self) {
        let mark = self.open();
        self.bump();
        while !matches!(self.kind(), Kind::Gt | Kind::End | Kind::Semicolon | Kind::LBrace | Kind::RBrace) {
            if self.starts_type() {
                self.type_name();
            } else {
                if self.is(Kind::Name) {
                    self.use_name(false);
                }
                self.bump();
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Gt, "the arguments of the template");
        self.close(mark, NodeKind::TemplateArgs);
    }

    /// The specifiers of a type, without a declarator.
    pub(super) fn type_specifiers(&mut self) {
        self.specifiers(Where::Global);
    }

    /// Takes an unknown name for a type.
    pub(super) fn unknown_type_here(&mut self) {
        self.unknown_type();
    }

    /// Declares a variable of a statement's own: of `foreach` and its like.
    pub(super) fn declare_local(&mut self, token: u32) {
        let name: Name = self.unit.tokens[token as usize].name;
        let decl = self.declare(DeclKind::Local, token, (token, token + 1));
        self.scopes.declare(name, decl);
    }
}
