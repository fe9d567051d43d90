//! Types: specifiers, structs, enumerations, short vectors, types without a name.

use crate::kinds::Kind;
use crate::names::DeclKind;
use crate::problems;
use crate::tree::NodeKind;

use super::Parser;
use super::declarations::{Specifiers, Where};

impl Parser<'_> {
    pub(super) fn specifiers(&mut self, place: Where) -> Specifiers {
        let mark = self.open();
        let mut found = Specifiers::default();
        loop {
            match self.kind() {
                Kind::Typedef => {
                    found.is_typedef = true;
                    self.bump();
                }
                Kind::Static => self.bump(),
                Kind::Extern => {
                    found.is_extern = true;
                    self.bump();
                    self.eat(Kind::Str);
                }
                Kind::Declspec | Kind::Attribute => self.attribute(),
                Kind::Soa => self.soa(),
                Kind::Uniform | Kind::Varying if self.nth(1) == Kind::New => break,
                Kind::Signed | Kind::Unsigned if self.unsigned_type() => found.has_type = true,
                Kind::Signed | Kind::Unsigned => {
                    found.has_type = !self.starts_type_at(1);
                    self.bump();
                }
                kind if kind.is_qualifier() => self.bump(),
                kind if kind.is_atomic_type() && !found.has_type => {
                    self.bump();
                    found.has_type = true;
                    self.short_vector();
                }
                kind if kind.is_atomic_type() => {
                    self.fail_at(self.at, "one type stands behind another: take one out, or put a `,` or `;` between");
                    self.bump();
                }
                Kind::Struct => {
                    self.struct_specifier();
                    found.has_type = true;
                    self.short_vector();
                }
                Kind::Enum => {
                    self.enum_specifier();
                    found.has_type = true;
                    self.short_vector();
                }
                Kind::Name if !found.has_type && self.is_scope_at(0) && self.starts_scoped_type() => {
                    found.has_type = self.scoped_type();
                }
                Kind::Name if !found.has_type && self.foreign_qualifier() => {}
                Kind::Name if !found.has_type && self.class_specifier() => found.has_type = true,
                Kind::Name if !found.has_type && self.is_type_name(self.token().name) => {
                    self.use_name(true);
                    self.bump();
                    found.has_type = true;
                    self.short_vector();
                }
                Kind::Name if !found.has_type && self.is_unknown_type(place) => {
                    self.unknown_type();
                    found.has_type = true;
                }
                _ => break,
            }
        }
        if self.at as u32 > mark.token {
            self.close(mark, NodeKind::Specifiers);
        }
        found
    }

    /// Returns true if an unknown name stands where a type must.
    pub(super) fn is_unknown_type(&self, place: Where) -> bool {
        self.looks_like_type(place)
            || (self.scopes.find(self.token().name).is_none()
                && self.nth(1) == Kind::Name
                && self.token().name != self.operator)
    }

    pub(super) fn unknown_type(&mut self) {
        let token = *self.token();
        self.names.unresolved.push(self.at as u32);
        if !self.unknown.contains(&token.name) {
            self.unknown.push(token.name);
            if !self.is_header {
                let problem = problems::unknown_type(self.unit.place(&token), self.unit.interner.text(token.name));
                self.tell(problem, &token);
            }
        }
        let is_number = self.is_foreign_at(0, &["long", "short"]);
        self.bump();
        if is_number {
            self.rest_of_number();
        }
        self.short_vector();
    }

    /// `<3>` behind a type.
    pub(super) fn short_vector(&mut self) {
        let is_length = matches!(self.nth(1), Kind::Number | Kind::Name);
        if !(self.is(Kind::Lt) && is_length && self.nth(2) == Kind::Gt) {
            return;
        }
        let mark = self.open();
        self.bump();
        if self.is(Kind::Name) {
            self.use_name(false);
        }
        self.bump();
        self.bump();
        self.close(mark, NodeKind::ShortVector);
    }

    pub(super) fn soa(&mut self) {
        let mark = self.open();
        self.bump();
        self.expect(Kind::Lt, "`soa`");
        if self.is(Kind::Name) {
            self.use_name(false);
        }
        self.bump();
        self.expect(Kind::Gt, "the width");
        self.close(mark, NodeKind::Soa);
    }

    pub(super) fn attribute(&mut self) {
        let mark = self.open();
        self.bump();
        if self.is(Kind::LParen) {
            let mut depth = 0;
            loop {
                match self.kind() {
                    Kind::LParen => depth += 1,
                    Kind::RParen => depth -= 1,
                    Kind::End | Kind::Semicolon | Kind::LBrace => break,
                    _ => {}
                }
                self.bump();
                if depth == 0 {
                    break;
                }
            }
        } else {
            self.expected("a `(`");
        }
        self.close(mark, NodeKind::Attribute);
    }

    pub(super) fn struct_specifier(&mut self) {
        let mark = self.open();
        let head = self.at as u32;
        self.bump();
        let name = self.is(Kind::Name).then_some(self.at as u32);
        let mut decl = None;
        if let Some(name) = name {
            let known = self.is_type_name(self.token().name);
            let defines = self.nth(1) == Kind::LBrace;
            if known && !defines {
                self.use_name(true);
            }
            self.bump();
            if !known || defines {
                let it = self.declare(DeclKind::Struct, name, (head, self.at as u32));
                self.names.decls[it as usize].is_definition = defines;
                self.scopes.declare_outside(self.unit.tokens[name as usize].name, it);
                decl = Some(it);
            }
        }
        if self.is(Kind::LBrace) {
            let outer = std::mem::replace(&mut self.container, decl);
            self.fields();
            self.container = outer;
            if self.is(Kind::Attribute) {
                self.attribute();
            }
            self.set_end(decl);
        } else if name.is_none() {
            self.expected("the name of the struct, or `{`,");
        }
        self.close(mark, NodeKind::Struct);
    }

    pub(super) fn fields(&mut self) {
        let open = self.at as u32;
        self.bump();
        while !matches!(self.kind(), Kind::RBrace | Kind::End) {
            let before = self.at;
            if self.access_specifier() {
                continue;
            }
            self.field();
            if self.at == before {
                self.expected("a member of the struct");
                self.skip_statement();
                if self.at == before {
                    self.bump();
                }
            }
        }
        self.expect_close(Kind::RBrace, open);
    }

    pub(super) fn field(&mut self) {
        let mark = self.open();
        let start = self.at as u32;
        self.specifiers(Where::Global);
        if self.at as u32 == start {
            return;
        }
        while !self.is(Kind::Semicolon) {
            let declarator = self.declarator();
            if let Some(name) = declarator.name {
                self.declare(DeclKind::Field, name, (start, self.at as u32));
            } else {
                self.expected("the name of a member");
            }
            if self.is(Kind::Eq) {
                self.fail_at(self.at, "a member has no value of its own in ISPC: set it where the struct is made");
                self.bump();
                self.initializer();
            }
            if self.is(Kind::LBrace) {
                self.fail_at(self.at, "a struct has no functions in ISPC: write one that takes the struct");
                self.skip_group();
                return self.close(mark, NodeKind::Field);
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect_semicolon("this member");
        self.close(mark, NodeKind::Field);
    }

    pub(super) fn enum_specifier(&mut self) {
        let mark = self.open();
        let head = self.at as u32;
        self.bump();
        let mut decl = None;
        if self.is(Kind::Name) {
            let (name, token) = (self.token().name, self.at as u32);
            let known = self.is_type_name(name);
            let defines = self.nth(1) == Kind::LBrace;
            if known && !defines {
                self.use_name(true);
            }
            self.bump();
            if !known || defines {
                let it = self.declare(DeclKind::Enum, token, (head, self.at as u32));
                self.names.decls[it as usize].is_definition = defines;
                self.scopes.declare_outside(name, it);
                decl = Some(it);
            }
        }
        if self.is(Kind::LBrace) {
            let open = self.at as u32;
            self.bump();
            let outer = std::mem::replace(&mut self.container, decl);
            while self.is(Kind::Name) {
                self.enumerator();
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
            self.container = outer;
            if !self.is(Kind::RBrace) {
                self.expected("a value of the enumeration");
                while !matches!(self.kind(), Kind::RBrace | Kind::Semicolon | Kind::End) {
                    self.bump();
                }
            }
            self.expect_close(Kind::RBrace, open);
            self.set_end(decl);
        }
        self.close(mark, NodeKind::Enum);
    }

    pub(super) fn enumerator(&mut self) {
        let mark = self.open();
        let token = self.at as u32;
        self.bump();
        if self.eat(Kind::Eq) {
            self.constant();
        }
        let decl = self.declare(DeclKind::Enumerator, token, (token, self.at as u32));
        self.scopes.declare(self.unit.tokens[token as usize].name, decl);
        self.close(mark, NodeKind::Enumerator);
    }

    /// A type without a name: in casts, `sizeof`, arguments of templates.
    pub(super) fn type_name(&mut self) {
        let mark = self.open();
        let before = self.at;
        let found = self.specifiers(Where::Global);
        if !found.has_type
            && self.is(Kind::Name)
            && matches!(self.nth(1), Kind::Star | Kind::RParen | Kind::Gt | Kind::Comma)
        {
            self.unknown_type();
        }
        if self.at == before {
            self.expected("a type");
        }
        self.declarator();
        self.close(mark, NodeKind::TypeName);
    }
}
