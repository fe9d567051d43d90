//! The parser: a unit's expanded tokens to its tree, its declarations, and the uses of their names.
//!
//! - [`declarations`], [`types`], [`declarators`]: items, and what they are made of
//! - [`statements`]
//! - [`expressions`]
//! - [`foreign`]: what people write who know C and C++
//!
//! All that ispc's grammar takes is taken; some more is, too, where nothing is gained by refusing. What cannot be read is told once,
//! at the first token that does not fit, and reading goes on at the next place where a statement or declaration may start. Every loop
//! advances.

mod declarations;
mod declarators;
mod expressions;
mod foreign;
mod statements;
mod types;

use crate::kinds::Kind;
use crate::names::{Decl, DeclKind, Names, Scopes, Use};
use crate::problems::{self, Problem};
use crate::shared::Shared;
use crate::tree::{NodeData, NodeKind, Tree};
use crate::unit::{Name, SourcePlace, Token, Unit};

/// The deepest that expressions, types and declarators may stand in each other.
const DEEPEST: u32 = 120;
/// The deepest that statements may.
const DEEPEST_STATEMENT: u32 = 400;

/// The state at the end of a prefix, beside its unit.
pub(crate) struct ParserState {
    scopes: Scopes,
    unknown: Vec<Name>,
}

/// Parses the tokens of a unit, and fills in tree, names and problems. In a header by itself unknown types are not told: what it is
/// included behind may declare them.
pub(crate) fn parse(unit: &mut Unit, is_header: bool) {
    run(unit, Scopes::default(), Vec::new(), is_header, true);
}

/// Parses the tokens of a prefix. Its tree has no root yet.
pub(crate) fn parse_front(unit: &mut Unit, is_header: bool) -> ParserState {
    let (scopes, unknown) = run(unit, Scopes::default(), Vec::new(), is_header, false);
    ParserState { scopes: scopes.shared(), unknown }
}

/// Parses the tokens behind a prefix.
pub(crate) fn parse_behind(unit: &mut Unit, state: &ParserState, is_header: bool) {
    run(unit, state.scopes.clone(), state.unknown.clone(), is_header, true);
}

fn run(unit: &mut Unit, scopes: Scopes, unknown: Vec<Name>, is_header: bool, is_whole: bool) -> (Scopes, Vec<Name>) {
    let operator = unit.interner.intern("operator");
    let standard = ["size_t", "ptrdiff_t", "intptr_t", "uintptr_t"].map(|name| unit.interner.intern(name));
    let names = std::mem::take(&mut unit.names);
    let nodes = std::mem::take(&mut unit.tree.nodes);
    let mut parser = Parser {
        at: unit.tokens.n_shared(),
        unit,
        nodes,
        names,
        scopes,
        problems: Vec::new(),
        error_at: None,
        depth: 0,
        statement_depth: 0,
        function: None,
        container: None,
        gotos: Vec::new(),
        labels: Vec::new(),
        unknown,
        operators: Vec::new(),
        standard,
        operator,
        is_header,
    };
    parser.unit(is_whole);
    let Parser { nodes, names, problems, operators, scopes, unknown, .. } = parser;
    unit.tree = Tree { nodes };
    unit.names = names;
    // Operators get names of their own, so that `operator+` and `operator-` are not overloads of each other.
    for (decl, text) in operators {
        unit.names.decls[decl as usize].name = unit.interner.intern(&text);
    }
    for problem in problems {
        unit.problems.push(problem);
    }
    (scopes, unknown)
}

/// Where a node starts: how many nodes and tokens are in front of it.
#[derive(Clone, Copy)]
struct Mark {
    n_nodes: usize,
    token: u32,
}

struct Parser<'u> {
    unit: &'u Unit,
    at: usize,
    nodes: Shared<NodeData>,
    names: Names,
    scopes: Scopes,
    problems: Vec<Problem>,
    /// The token at which something was told last.
    error_at: Option<usize>,
    depth: u32,
    statement_depth: u32,
    /// The function whose body is being read.
    function: Option<u32>,
    /// The struct or enumeration being read.
    container: Option<u32>,
    gotos: Vec<(Name, u32)>,
    labels: Vec<u32>,
    /// Unknown types that were told, once each.
    unknown: Vec<Name>,
    operators: Vec<(u32, String)>,
    /// Types that are there without a declaration.
    standard: [Name; 4],
    operator: Name,
    is_header: bool,
}

impl Parser<'_> {
    // Tokens.

    fn token(&self) -> &Token {
        self.nth_token(0)
    }

    fn nth_token(&self, n: usize) -> &Token {
        let last = self.unit.tokens.len() - 1;
        &self.unit.tokens[(self.at + n).min(last)]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn nth(&self, n: usize) -> Kind {
        self.nth_token(n).kind
    }

    fn is(&self, kind: Kind) -> bool {
        self.kind() == kind
    }

    fn bump(&mut self) {
        if self.at + 1 < self.unit.tokens.len() {
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let is_next = self.is(kind);
        if is_next {
            self.bump();
        }
        is_next
    }

    // Nodes.

    fn open(&self) -> Mark {
        Mark { n_nodes: self.nodes.len(), token: self.at as u32 }
    }

    fn close(&mut self, mark: Mark, kind: NodeKind) {
        let node = NodeData { kind, first: mark.token, end: self.at as u32, descendants: mark.n_nodes as u32 };
        self.nodes.push(node);
    }

    // Problems.

    /// The text of the next token, for messages.
    fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the file ends".to_owned(),
            _ => format!("`{}` stands", self.unit.token_text(self.token())),
        }
    }

    /// Tells that something else than the next token was expected.
    fn expected(&mut self, what: &str) {
        let message = format!("{what} is missing: {} here", self.found());
        self.fail_at(self.at, message);
    }

    fn fail_at(&mut self, token: usize, message: impl Into<String>) {
        if self.error_at.is_some_and(|at| at >= self.at) {
            return;
        }
        self.error_at = Some(self.at);
        let token = self.unit.tokens[token.min(self.unit.tokens.len() - 1)];
        let problem = problems::syntax(self.unit.place(&token), message);
        self.tell(problem, &token);
    }

    /// Tells a problem at a token: one out of a macro with the places in the macros.
    fn tell(&mut self, mut problem: Problem, token: &Token) {
        let expansions: Vec<_> = self.unit.expansions_of(token).copied().collect();
        if !token.is(Token::WRITTEN) {
            for (nth, expansion) in expansions.iter().enumerate().take(8) {
                let definition = &self.unit.macros[expansion.of as usize];
                let name = self.unit.interner.text(definition.name);
                let spelled = if nth == 0 { token.place } else { expansions[nth - 1].call };
                let is_inside = spelled.file == definition.place.file;
                let place = if is_inside { spelled } else { definition.name_place };
                problem = problem.with(place, format!("in the macro `{name}`"));
            }
        } else if let Some(expansion) = expansions.first() {
            let definition = &self.unit.macros[expansion.of as usize];
            let name = self.unit.interner.text(definition.name);
            problem = problem.with(definition.name_place, format!("in an argument of the macro `{name}`"));
        }
        self.problems.push(problem);
    }

    /// The last character of the token in front.
    fn behind(&self) -> (SourcePlace, Token) {
        let token = self.unit.tokens[self.at.saturating_sub(1)];
        let place = self.unit.place(&token);
        let text = self.unit.text(place.file).get(place.range()).unwrap_or_default();
        let last = text.chars().next_back().map_or(0, char::len_utf8) as u32;
        (SourcePlace { start: place.end - last, ..place }, token)
    }

    /// Takes a token that must stand here.
    fn expect(&mut self, kind: Kind, behind: &str) -> bool {
        if self.eat(kind) {
            return true;
        }
        let text = kind.text().unwrap_or_default();
        if self.error_at.is_none_or(|at| at < self.at) {
            self.error_at = Some(self.at);
            let (place, token) = self.behind();
            let message = format!("a `{text}` is missing behind {behind}: {} there instead", self.found());
            self.tell(problems::syntax(place, message), &token);
        }
        false
    }

    /// Takes a closing bracket, or tells that the opening one has none.
    fn expect_close(&mut self, kind: Kind, open: u32) -> bool {
        if self.eat(kind) {
            return true;
        }
        if self.error_at.is_none_or(|at| at < self.at) {
            let open = self.unit.tokens[open as usize];
            let (opening, closing) = (self.unit.token_text(&open).into_owned(), kind.text().unwrap_or_default());
            self.error_at = Some(self.at);
            let mut problem = problems::unclosed(self.unit.place(&open), &opening, closing);
            if !self.is(Kind::End) {
                let here = self.unit.place(self.token());
                problem = problem.with(here, format!("{} here", self.found()));
            }
            self.tell(problem, &open);
        }
        false
    }

    /// Takes the `;` at the end of a statement or declaration, or goes to where the next one may start.
    fn expect_semicolon(&mut self, behind: &str) {
        let already_told = self.error_at.is_some_and(|at| at >= self.at);
        if self.expect(Kind::Semicolon, behind) {
            return;
        }
        if self.token().is(Token::LINE) && !already_told {
            return;
        }
        self.skip_statement();
    }

    /// Skips to behind the next `;`, or in front of a bracket of a block or a line that starts a statement.
    fn skip_statement(&mut self) {
        let mark = self.open();
        let start = self.at;
        let mut depth = 0;
        loop {
            match self.kind() {
                Kind::End => break,
                Kind::RBrace if depth == 0 => break,
                Kind::LBrace if depth == 0 && self.at > start => break,
                Kind::Semicolon if depth == 0 => {
                    self.bump();
                    break;
                }
                Kind::LBrace => depth += 1,
                Kind::RBrace => depth -= 1,
                kind if depth == 0 && self.at > start && self.token().is(Token::LINE) && starts_line(kind) => break,
                _ => {}
            }
            self.bump();
        }
        if self.at > start {
            self.close(mark, NodeKind::Error);
        }
    }

    /// Runs a part of the grammar that may stand in itself; too deep, all that is left is skipped.
    fn deeper(&mut self, parse: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.give_up();
        } else {
            parse(self);
        }
        self.depth -= 1;
    }

    fn give_up(&mut self) {
        if !self.is(Kind::End) {
            let problem = problems::too_deep(self.unit.place(self.token()));
            self.problems.push(problem);
            let mark = self.open();
            self.at = self.unit.tokens.len() - 1;
            self.error_at = Some(self.at);
            self.close(mark, NodeKind::Error);
        }
    }

    // Names.

    /// Returns true if a name is that of a type here.
    fn is_type_name(&self, name: Name) -> bool {
        let is_type = |decl: u32| self.names.decls[decl as usize].kind.is_type();
        self.standard.contains(&name) || self.scopes.find_if(name, is_type).is_some()
    }

    fn is_template_name(&self, name: Name) -> bool {
        self.scopes.find(name).is_some_and(|decl| self.names.decls[decl as usize].is_template)
    }

    /// Notes that the next token, a name, is used.
    fn use_name(&mut self, as_type: bool) {
        let (name, token) = (self.token().name, self.at as u32);
        let is_type = |decl: u32| self.names.decls[decl as usize].kind.is_type();
        let found = if as_type { self.scopes.find_if(name, is_type) } else { self.scopes.find(name) };
        match found {
            Some(decl) => self.names.uses.push(Use { token, decl }),
            None => self.names.unresolved.push(token),
        }
    }

    fn declare(&mut self, kind: DeclKind, token: u32, head: (u32, u32)) -> u32 {
        let name = self.unit.tokens[token as usize].name;
        let decl = Decl {
            kind,
            name,
            token,
            head,
            end: head.1,
            within: self.container.or(self.function),
            n_params: 0,
            is_definition: true,
            is_template: false,
            scope: (token, u32::MAX),
        };
        self.names.decls.push(decl);
        self.names.decls.len() as u32 - 1
    }

    fn push_scope(&mut self) {
        self.scopes.push();
    }

    fn pop_scope(&mut self) {
        self.scopes.pop(&mut self.names, self.at as u32);
    }
}

/// Tokens that start a statement or declaration when they are the first of a line, whatever stands in front of it.
fn starts_line(kind: Kind) -> bool {
    use Kind::*;
    kind.is_qualifier()
        || kind.is_atomic_type()
        || matches!(
            kind,
            Typedef
                | Extern
                | Static
                | Struct
                | Enum
                | Template
                | If
                | Cif
                | For
                | Cfor
                | While
                | Cwhile
                | Do
                | Cdo
                | Foreach
                | ForeachTiled
                | ForeachActive
                | ForeachUnique
                | Switch
                | Return
                | Break
                | Continue
                | Goto
                | Case
                | Default
                | Sync
                | Launch
                | Print
                | Delete
        )
}
