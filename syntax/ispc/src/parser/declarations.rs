//! Items: functions, variables, blocks of linkage, templates.

use crate::kinds::Kind;
use crate::names::DeclKind;
use crate::problems;
use crate::tree::NodeKind;
use crate::unit::Token;

use super::{Mark, Parser};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Global,
    Local,
}

/// The specifiers in front of declarators.
#[derive(Clone, Copy, Default)]
pub(super) struct Specifiers {
    pub(super) is_typedef: bool,
    pub(super) is_extern: bool,
    pub(super) has_type: bool,
}

/// A parameter, to be declared where the body of its function starts.
#[derive(Clone, Copy)]
pub(super) struct ParamName {
    pub(super) token: u32,
    pub(super) head: (u32, u32),
}

/// A declarator that was read.
#[derive(Default)]
pub(super) struct Declarator {
    /// The token of its name.
    pub(super) name: Option<u32>,
    /// The name is followed by parameters, and no pointer to a function.
    pub(super) is_function: bool,
    pub(super) params: Vec<ParamName>,
    pub(super) n_params: u16,
}

impl Parser<'_> {
    /// All items, and around a whole unit the root.
    pub(super) fn unit(&mut self, is_whole: bool) {
        let mark = Mark { n_nodes: 0, token: 0 };
        while !self.is(Kind::End) {
            let before = self.at;
            self.item();
            if self.at == before {
                self.expected("a declaration");
                self.skip_item();
            }
        }
        if is_whole {
            self.close(mark, NodeKind::Unit);
        }
    }

    pub(super) fn skip_item(&mut self) {
        let mark = self.open();
        self.bump();
        self.close(mark, NodeKind::Error);
        while !(self.is(Kind::End) || self.token().is(Token::LINE) && self.starts_declaration(Where::Global)) {
            let before = self.at;
            self.skip_statement();
            if self.is(Kind::LBrace) {
                self.skip_group();
            }
            if self.at == before || self.is(Kind::RBrace) {
                self.bump();
            }
            if self.unit.tokens[self.at - 1].kind != Kind::End && self.starts_declaration(Where::Global) {
                break;
            }
        }
    }

    /// Skips a pair of brackets and all between.
    pub(super) fn skip_group(&mut self) {
        let mark = self.open();
        let mut depth = 0;
        loop {
            match self.kind() {
                Kind::LBrace | Kind::LParen | Kind::LBracket => depth += 1,
                Kind::RBrace | Kind::RParen | Kind::RBracket => depth -= 1,
                Kind::End => break,
                _ => {}
            }
            self.bump();
            if depth <= 0 {
                break;
            }
        }
        self.close(mark, NodeKind::Error);
    }

    pub(super) fn item(&mut self) {
        match self.kind() {
            Kind::Semicolon | Kind::Pragma => self.bump(),
            Kind::Template => self.template(),
            Kind::Extern if self.nth(1) == Kind::Str && self.nth(2) == Kind::LBrace => self.linkage_block(),
            Kind::Export if self.nth(1) == Kind::LBrace => self.export_types(),
            Kind::RBrace => {
                self.fail_at(self.at, "this `}` closes nothing: take it out, or look for a `{` that is missing above");
                let mark = self.open();
                self.bump();
                self.close(mark, NodeKind::Error);
            }
            Kind::Name if self.namespace_item() => {}
            _ => self.declaration(Where::Global),
        }
    }

    pub(super) fn linkage_block(&mut self) {
        let mark = self.open();
        self.bump();
        self.bump();
        let open = self.at as u32;
        self.bump();
        while !matches!(self.kind(), Kind::RBrace | Kind::End) {
            let before = self.at;
            self.item();
            if self.at == before {
                self.expected("a declaration");
                self.skip_statement();
                if self.at == before {
                    self.bump();
                }
            }
        }
        self.expect_close(Kind::RBrace, open);
        self.close(mark, NodeKind::LinkageBlock);
    }

    pub(super) fn export_types(&mut self) {
        let mark = self.open();
        self.bump();
        let open = self.at as u32;
        self.bump();
        loop {
            self.type_name();
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect_close(Kind::RBrace, open);
        self.expect_semicolon("these types");
        self.close(mark, NodeKind::ExportTypes);
    }

    // Templates.

    pub(super) fn template(&mut self) {
        let mark = self.open();
        self.bump();
        if !self.is(Kind::Lt) {
            self.declaration_in_template(false);
            return self.close(mark, NodeKind::Instantiation);
        }
        if self.nth(1) == Kind::Gt {
            self.bump();
            self.bump();
            self.declaration_in_template(true);
            return self.close(mark, NodeKind::Specialization);
        }
        self.bump();
        self.push_scope();
        loop {
            let before = self.at;
            self.template_param();
            if !self.eat(Kind::Comma) || self.at == before {
                break;
            }
        }
        self.expect(Kind::Gt, "the parameters of the template");
        self.declaration_in_template(true);
        self.pop_scope();
        self.close(mark, NodeKind::Template);
    }

    pub(super) fn template_param(&mut self) {
        let mark = self.open();
        let head = self.at as u32;
        let mut is_type = self.eat(Kind::Typename);
        if self.is_foreign_at(0, &["class"]) && self.nth(1) == Kind::Name {
            self.fail_at(
                self.at,
                "a type that a template takes has no `class` in front of it in ISPC: write `typename`",
            );
            self.bump();
            is_type = true;
        }
        if !is_type {
            self.specifiers(Where::Global);
        }
        if self.is(Kind::Name) {
            let token = self.at as u32;
            self.bump();
            let kind = if is_type { DeclKind::TemplateParam } else { DeclKind::Param };
            let decl = self.declare(kind, token, (head, self.at as u32));
            self.scopes.declare(self.unit.tokens[token as usize].name, decl);
        } else {
            self.expected("the name of a parameter of the template");
        }
        if self.eat(Kind::Eq) {
            if self.starts_type() { self.type_name() } else { self.bump() }
        }
        self.close(mark, NodeKind::TemplateParam);
    }

    pub(super) fn declaration_in_template(&mut self, is_template: bool) {
        let first = self.names.decls.len();
        self.declaration(Where::Global);
        for decl in first..self.names.decls.len() {
            if self.names.decls[decl].kind == DeclKind::Function {
                self.names.decls[decl].is_template = is_template;
            }
        }
    }

    // Declarations.

    /// A declaration, or the definition of a function.
    pub(super) fn declaration(&mut self, place: Where) {
        let mark = self.open();
        let start = self.at as u32;
        let specifiers = self.specifiers(place);
        if self.at as u32 == start {
            return;
        }
        if self.eat(Kind::Semicolon) {
            return self.close(mark, NodeKind::Declaration);
        }
        let mut is_first = true;
        loop {
            let init = self.open();
            let declarator = self.declarator();
            if declarator.name.is_none() && self.error_at.is_none_or(|at| at < self.at) {
                self.expected("the name of what is declared");
            }
            if let (false, Some(name)) = (specifiers.has_type, declarator.name)
                && self.error_at.is_none_or(|at| at < self.at)
            {
                let token = self.unit.tokens[name as usize];
                let problem = problems::no_type(self.unit.place(&token), &self.unit.token_text(&token));
                self.tell(problem, &token);
            }
            let decl = self.declare_it(place, start, specifiers, &declarator);
            if declarator.is_function && self.is(Kind::LBrace) && is_first {
                self.function_body(place, decl, &declarator);
                return self.close(mark, NodeKind::Function);
            }
            if self.eat(Kind::Eq) {
                self.initializer();
                self.set_defined(decl);
            }
            self.set_end(decl);
            self.close(init, NodeKind::InitDeclarator);
            is_first = false;
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect_semicolon("this declaration");
        self.close(mark, NodeKind::Declaration);
    }

    pub(super) fn declare_it(
        &mut self,
        place: Where,
        start: u32,
        specifiers: Specifiers,
        declarator: &Declarator,
    ) -> Option<u32> {
        let name = declarator.name?;
        let kind = match place {
            _ if specifiers.is_typedef => DeclKind::Typedef,
            _ if declarator.is_function => DeclKind::Function,
            Where::Global if self.function.is_none() => DeclKind::Global,
            _ => DeclKind::Local,
        };
        let decl = self.declare(kind, name, (start, self.at as u32));
        let it = &mut self.names.decls[decl as usize];
        it.n_params = declarator.n_params;
        it.is_definition = !(declarator.is_function || specifiers.is_extern);
        let spelled = self.unit.tokens[name as usize].name;
        if spelled == self.operator {
            let text = self.operator_text(name as usize);
            self.operators.push((decl, text));
        } else if kind == DeclKind::Function && place == Where::Global {
            self.scopes.declare_outside(spelled, decl);
        } else {
            self.scopes.declare(spelled, decl);
        }
        Some(decl)
    }

    pub(super) fn operator_text(&self, at: usize) -> String {
        let mut text = String::from("operator");
        for token in self.unit.tokens.from(at + 1) {
            let is_behind = text.len() > "operator".len();
            if token.kind == Kind::LParen || (is_behind && token.kind == Kind::Lt) {
                break;
            }
            text += &self.unit.token_text(token);
        }
        text
    }

    pub(super) fn set_end(&mut self, decl: Option<u32>) {
        if let Some(decl) = decl {
            self.names.decls[decl as usize].end = self.at as u32;
        }
    }

    pub(super) fn set_defined(&mut self, decl: Option<u32>) {
        if let Some(decl) = decl {
            self.names.decls[decl as usize].is_definition = true;
        }
    }

    pub(super) fn function_body(&mut self, place: Where, decl: Option<u32>, declarator: &Declarator) {
        if place == Where::Local {
            let message = "a function cannot stand in a function: move it out, or close the function above by a `}`";
            self.fail_at(declarator.name.map_or(self.at, |name| name as usize), message);
        }
        self.set_defined(decl);
        let outer = (self.function, std::mem::take(&mut self.gotos), std::mem::take(&mut self.labels));
        self.function = decl;
        self.push_scope();
        for param in &declarator.params {
            let param_decl = self.declare(DeclKind::Param, param.token, param.head);
            self.scopes.declare(self.unit.tokens[param.token as usize].name, param_decl);
        }
        self.block();
        self.pop_scope();
        self.resolve_labels();
        (self.function, self.gotos, self.labels) = outer;
        self.set_end(decl);
    }

    pub(super) fn resolve_labels(&mut self) {
        for (name, token) in std::mem::take(&mut self.gotos) {
            let decl = self.labels.iter().copied().find(|label| self.names.decls[*label as usize].name == name);
            match decl {
                Some(decl) => {
                    let uses = self.names.uses.own_mut();
                    let at = uses.partition_point(|it| it.token < token);
                    uses.insert(at, crate::names::Use { token, decl });
                }
                None => self.names.unresolved.push(token),
            }
        }
    }

    /// Returns true if a declaration starts here.
    pub(super) fn starts_declaration(&self, place: Where) -> bool {
        match self.kind() {
            Kind::Typedef | Kind::Extern | Kind::Static | Kind::Declspec | Kind::Attribute | Kind::Soa => true,
            Kind::Uniform | Kind::Varying if self.nth(1) == Kind::New => false,
            Kind::Unmasked if self.nth(1) == Kind::LBrace => false,
            Kind::Template | Kind::Export => place == Where::Global,
            Kind::Name if self.is_scope_at(0) => self.starts_scoped_type(),
            Kind::Name => {
                self.is_type_name(self.token().name)
                    || self.is_foreign_at(0, &["constexpr", "volatile", "register"])
                    || self.looks_like_type(place)
            }
            _ => self.starts_type(),
        }
    }

    /// Returns true if a type starts at the next token.
    pub(super) fn starts_type(&self) -> bool {
        self.starts_type_at(0)
    }

    pub(super) fn starts_type_at(&self, n: usize) -> bool {
        let kind = self.nth(n);
        match kind {
            Kind::Uniform | Kind::Varying if self.nth(n + 1) == Kind::New => false,
            Kind::Struct | Kind::Enum | Kind::Soa => true,
            Kind::Name => self.is_type_name(self.nth_token(n).name),
            _ => kind.is_qualifier() || kind.is_atomic_type(),
        }
    }

    /// Returns true if an unknown name can only be meant as a type.
    pub(super) fn looks_like_type(&self, place: Where) -> bool {
        if self.scopes.find(self.token().name).is_some() || self.token().name == self.operator {
            return false;
        }
        let mut n = 1;
        while matches!(self.nth(n), Kind::Star | Kind::Amp | Kind::Uniform | Kind::Varying | Kind::Const) {
            n += 1;
        }
        let is_qualified = (1..n).any(|index| !matches!(self.nth(index), Kind::Star | Kind::Amp));
        match self.nth(n) {
            Kind::Name if n == 1 || is_qualified || place == Where::Global => true,
            // A product whose value is used by nobody is no statement.
            Kind::Name => matches!(self.nth(n + 1), Kind::Semicolon | Kind::Eq | Kind::Comma),
            _ => false,
        }
    }
}
