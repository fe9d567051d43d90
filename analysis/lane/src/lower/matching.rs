//! `match`, as a chain of `if` statements.
//!
//! ```text
//! match f(x):                      $1 = f(x)
//!     case Circle(r) if r > 0:     r = $1.Circle.0
//!         A                        if $1 is Circle and r > 0:
//!     case Rect(w, h):                 A
//!         B                        else:
//!                                      $1 is Rect
//!                                      w = $1.Rect.0 ...
//!                                      B
//! ```
//!
//! To take a part out of a value is never an error, so what a condition names is defined before it. Every value has a case, as
//! inference finds out, so the last case without a condition takes what is left; its test stays as a statement, for its types.

use report::{ItemKind, TextRange};
use syntax::SyntaxKind;
use syntax::ast::{self, AstNode};

use super::Lower;
use hir::enums::{Case, Datum, Match, Pattern, PatternForm};
use hir::errors;
use hir::{BinOp, Block, Expr, ExprId, Literal, Local, LocalId, LocalKind, Name, Stmt, StmtId, UnaryOp};

/// The meaning of a pattern.
struct Meaning {
    /// The test; `None` if it holds for every value.
    test: Option<ExprId>,
    /// The names that it defines.
    names: Vec<Bound>,
    pattern: Pattern,
}

/// A name that a pattern defines.
struct Bound {
    name: Name,
    at: TextRange,
    value: ExprId,
    /// Where other sides of a `|` define it, too.
    again: Vec<TextRange>,
}

impl Meaning {
    fn new(pattern: Pattern) -> Meaning {
        Meaning { test: None, names: Vec::new(), pattern }
    }
}

/// A way to the value that a pattern is about: a local, and what is taken out of it.
#[derive(Clone)]
struct Subject {
    local: Option<LocalId>,
    at: TextRange,
    path: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Part(u32, u32),
    Datum(Name, Datum),
}

impl Lower<'_> {
    /// Lowers a `match`; its statements go to `out`.
    pub(super) fn match_(&mut self, it: &ast::MatchStmt, out: &mut Block) {
        let whole = it.syntax().text_range();
        let value = self.expr_or_missing(it.subject(), it.syntax());
        let at = self.map.exprs[value];
        let header = TextRange::new(whole.start(), at.end().max(whole.start()));
        let local = self.subject(value, header, out);
        let subject = Subject { local: Some(local), at, path: Vec::new() };
        let cases: Vec<_> = it.body().into_iter().flat_map(|block| block.cases()).collect();
        let others = it.body().into_iter().flat_map(|block| block.stmts()).count();
        let n = self.body.matches.len();
        let of = self.value_of(&subject);
        let in_doubt = it.body().is_none() || others > 0 || self.body.exprs[value] == Expr::Missing;
        self.body.matches.push(Match { subject: of, header, cases: Vec::new(), in_doubt });
        let chain = self.cases(&subject, &cases, n);
        out.extend(chain);
        // Lines that are no cases have their syntax error; their names are known all the same.
        for stmt in it.body().into_iter().flat_map(|block| block.stmts()) {
            let lowered = self.lenient(|lower| lower.broken(stmt.syntax()));
            self.push_at(stmt.syntax().text_range(), lowered, out);
        }
    }

    /// The local that is looked at: the one that the value is, or one that holds it.
    fn subject(&mut self, value: ExprId, header: TextRange, out: &mut Block) -> LocalId {
        if let Expr::Local(local) = self.body.exprs[value] {
            return local;
        }
        let held = Local { name: Name::default(), kind: LocalKind::Held, ty: None, updated: false };
        let local = self.body.locals.alloc(held);
        self.map.locals.insert(local, self.map.exprs[value]);
        self.push_at(header, Stmt::Define(local, value), out);
        local
    }

    fn push_at(&mut self, at: TextRange, stmt: Stmt, out: &mut Block) {
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, at);
        self.set_statement(id, stmt);
        out.push(id);
    }

    fn cases(&mut self, subject: &Subject, cases: &[ast::MatchCase], n: usize) -> Block {
        let Some((case, rest)) = cases.split_first() else { return Block::new() };
        let mut out = Block::new();
        let whole = case.syntax().text_range();
        self.scopes.open(None);
        let Some(pattern) = case.pattern() else {
            self.body.matches[n].in_doubt = true;
            self.body.in_doubt = true;
            let block = case.body().map(|block| self.lenient(|lower| lower.statements(&block)));
            self.scopes.close();
            self.push_at(whole, Stmt::Broken(Vec::new(), block.unwrap_or_default()), &mut out);
            out.extend(self.cases(subject, rest, n));
            return out;
        };
        let mut meaning = self.pattern(&pattern, subject);
        meaning.names.extend(self.name_of_case(case, subject));
        let at = pattern.syntax().text_range();
        let name = match (&meaning.pattern, &meaning.names[..]) {
            (Pattern::Any, [bound]) => Some(bound.name.clone()),
            _ => None,
        };
        let guard = case.guard();
        let is_guarded = guard.is_some() || case.if_word().is_some();
        self.body.matches[n].cases.push(Case { pattern: meaning.pattern, is_guarded, at, whole, name });
        let header = TextRange::new(whole.start(), guard.as_ref().map_or(at, |it| it.syntax().text_range()).end());
        if is_guarded {
            // That a value may come to no case has a finding of its own.
            self.lacks_case |= rest.is_empty();
            self.define_names(meaning.names, &mut out);
            let guard = self.expr_or_missing(guard, case.syntax());
            let condition = match meaning.test {
                Some(test) => {
                    self.alloc(Expr::Binary(BinOp::And, test, guard), TextRange::new(at.start(), header.end()))
                }
                None => guard,
            };
            self.branch(case, (whole, condition), Vec::new(), (subject, rest, n), &mut out);
            return out;
        }
        match meaning.test {
            Some(test) if !rest.is_empty() => {
                self.branch(case, (whole, test), meaning.names, (subject, rest, n), &mut out);
                return out;
            }
            Some(test) => self.push_at(header, Stmt::Expr(test), &mut out),
            None => {}
        }
        self.define_names(meaning.names, &mut out);
        let block = case.body().map(|block| self.statements(&block)).unwrap_or_default();
        out.extend(block);
        self.scopes.close();
        // No value comes to the others; they are looked at all the same.
        let others = self.cases(subject, rest, n);
        if !others.is_empty() {
            let never = self.alloc(Expr::Literal(Literal::Bool(false)), at);
            let id = self.reserve(whole);
            self.body.stmts[id] =
                Stmt::If { condition: never, then_block: others, else_block: Block::new(), coherent: false };
            out.insert(0, id);
        }
        out
    }

    /// The `if` of a case whose scope is open, with the other cases in its `else`.
    fn branch(
        &mut self,
        case: &ast::MatchCase,
        (whole, condition): (TextRange, ExprId),
        names: Vec<Bound>,
        (subject, rest, n): (&Subject, &[ast::MatchCase], usize),
        out: &mut Block,
    ) {
        let id = self.reserve(whole);
        let mut then_block = Block::new();
        self.define_names(names, &mut then_block);
        let block = case.body().map(|block| self.statements(&block)).unwrap_or_default();
        then_block.extend(block);
        self.scopes.close();
        let else_block = self.cases(subject, rest, n);
        self.set_statement(id, Stmt::If { condition, then_block, else_block, coherent: false });
        out.push(id);
    }

    /// The name behind `as`, which is that of the whole value.
    fn name_of_case(&mut self, case: &ast::MatchCase, subject: &Subject) -> Option<Bound> {
        let name = case.name()?;
        let at = name.syntax().text_range();
        let value = self.value_of(&Subject { at, ..subject.clone() });
        Some(Bound { name: name.text()?.into(), at, value, again: Vec::new() })
    }

    fn reserve(&mut self, at: TextRange) -> StmtId {
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, at);
        id
    }

    fn define_names(&mut self, names: Vec<Bound>, out: &mut Block) {
        for Bound { name, at, value, again } in names {
            if let Some(first) = self.scopes.lookup_here(&name) {
                self.find(errors::duplicate_local(at, &name, "name", self.map.locals[first]));
                self.misplaced.insert(first);
            }
            let local = self.local(name, LocalKind::Let, at);
            self.map.among.insert(local);
            self.map.uses.extend(again.into_iter().map(|at| (at, local)));
            self.push_at(at, Stmt::Define(local, value), out);
        }
    }

    // Patterns.

    /// The value that a pattern is about.
    fn value_of(&mut self, subject: &Subject) -> ExprId {
        let mut value = match subject.local {
            Some(local) => self.alloc(Expr::Local(local), subject.at),
            None => self.alloc(Expr::Missing, subject.at),
        };
        for step in &subject.path {
            value = match step {
                Step::Part(number, of) => self.alloc(Expr::Part { tuple: value, number: *number, of: *of }, subject.at),
                Step::Datum(form, datum) => {
                    let data = Expr::Data { of: value, form: form.clone(), datum: datum.clone() };
                    self.alloc(data, subject.at)
                }
            };
        }
        value
    }

    fn inside(subject: &Subject, step: Step, at: TextRange) -> Subject {
        let mut path = subject.path.clone();
        path.push(step);
        Subject { local: subject.local, at, path }
    }

    fn pattern(&mut self, pattern: &ast::Expr, subject: &Subject) -> Meaning {
        let at = pattern.syntax().text_range();
        match pattern {
            ast::Expr::ParenExpr(it) => match it.expr() {
                Some(inner) => self.pattern(&inner, subject),
                None => Meaning::new(Pattern::Any),
            },
            ast::Expr::Literal(_) => self.equals(pattern, subject),
            ast::Expr::PrefixExpr(it) if matches!(it.operand(), Some(ast::Expr::Literal(_))) => {
                self.equals(pattern, subject)
            }
            ast::Expr::NameRef(it) => match it.text() {
                Some(name) => self.name_in_pattern(&name, at, subject),
                None => Meaning::new(Pattern::Some),
            },
            ast::Expr::FieldExpr(it) => match self.enum_and_variant(it) {
                Some((of, name, at)) => {
                    self.form(pattern, PatternForm { of: Some(of), name, at, n_data: None }, &[], subject)
                }
                None => self.no_pattern(pattern),
            },
            ast::Expr::CallExpr(it) => {
                let args: Vec<_> = it.args().into_iter().flat_map(|args| args.args()).collect();
                let named = args.iter().any(|arg| matches!(arg, ast::Expr::NamedArg(_)));
                let n_data = (!named).then_some(args.len() as u32);
                let form = match it.callee() {
                    Some(ast::Expr::NameRef(name)) => {
                        name.text().map(|text| (None, Name::from(text), name.syntax().text_range()))
                    }
                    Some(ast::Expr::FieldExpr(field)) => {
                        self.enum_and_variant(&field).map(|(of, name, at)| (Some(of), name, at))
                    }
                    _ => None,
                };
                match form {
                    Some((of, name, at)) => self.form(pattern, PatternForm { of, name, at, n_data }, &args, subject),
                    None => self.no_pattern(pattern),
                }
            }
            ast::Expr::TupleExpr(it) => {
                let parts: Vec<_> = it.elements().collect();
                let of = parts.len() as u32;
                let inner: Vec<_> = parts
                    .iter()
                    .enumerate()
                    .map(|(n, part)| {
                        let subject = Self::inside(subject, Step::Part(n as u32, of), part.syntax().text_range());
                        self.pattern(part, &subject)
                    })
                    .collect();
                self.all(inner, at, Pattern::Tuple)
            }
            ast::Expr::BinExpr(it) if it.op().is_some_and(|op| op.kind() == SyntaxKind::PIPE) => {
                self.either(pattern, it, subject)
            }
            _ => self.no_pattern(pattern),
        }
    }

    /// The enum and the variant of `Kind.Low`.
    fn enum_and_variant(&self, it: &ast::FieldExpr) -> Option<(Name, Name, TextRange)> {
        let ast::Expr::NameRef(of) = it.base()? else { return None };
        let (of, field) = (Name::from(of.text()?), it.field()?);
        let is_enum = self.scopes.lookup(&of).is_none() && self.item_kind(&of).is_none_or(ItemKind::is_type);
        is_enum.then(|| Some((of, field.text()?.into(), field.syntax().text_range())))?
    }

    fn no_pattern(&mut self, pattern: &ast::Expr) -> Meaning {
        if !super::has_error(pattern.syntax()) {
            self.find(errors::not_a_pattern(pattern.syntax().text_range()));
        }
        let value = self.lenient(|lower| lower.expr(pattern));
        self.body.in_doubt = true;
        if let Some(last) = self.body.matches.last_mut() {
            last.in_doubt = true;
        }
        let never = self.alloc(Expr::Missing, self.map.exprs[value]);
        Meaning { test: Some(never), ..Meaning::new(Pattern::Some) }
    }

    /// A name: `_`, a variant, a constant, or a new name for any value.
    fn name_in_pattern(&mut self, name: &str, at: TextRange, subject: &Subject) -> Meaning {
        if name == "_" {
            return Meaning::new(Pattern::Any);
        }
        let is_constant = self.item_kind(name) == Some(ItemKind::Const);
        if is_constant {
            let value = self.alloc(Expr::Item(ItemKind::Const, name.into()), at);
            let of = self.value_of(&Subject { at, ..subject.clone() });
            let test = self.alloc(Expr::Binary(BinOp::Eq, of, value), at);
            return Meaning { test: Some(test), ..Meaning::new(Pattern::Some) };
        }
        if name.starts_with(char::is_uppercase) {
            let form = PatternForm { of: None, name: name.into(), at, n_data: None };
            return self.form_at(at, form, &[], subject);
        }
        let value = self.value_of(&Subject { at, ..subject.clone() });
        let bound = Bound { name: name.into(), at, value, again: Vec::new() };
        Meaning { names: vec![bound], ..Meaning::new(Pattern::Any) }
    }

    /// A number or a bool, which the value is compared with.
    fn equals(&mut self, pattern: &ast::Expr, subject: &Subject) -> Meaning {
        let at = pattern.syntax().text_range();
        let value = self.expr(pattern);
        let (literal, negated) = match self.body.exprs[value] {
            Expr::Literal(literal) => (Some(literal), false),
            Expr::Unary(UnaryOp::Neg, inner) => match self.body.exprs[inner] {
                Expr::Literal(literal) => (Some(literal), true),
                _ => (None, false),
            },
            _ => (None, false),
        };
        let of = self.value_of(&Subject { at, ..subject.clone() });
        let test = self.alloc(Expr::Binary(BinOp::Eq, of, value), at);
        let pattern = literal.map_or(Pattern::Some, |literal| Pattern::Literal(literal, negated));
        Meaning { test: Some(test), ..Meaning::new(pattern) }
    }

    fn form(&mut self, pattern: &ast::Expr, form: PatternForm, args: &[ast::Expr], subject: &Subject) -> Meaning {
        self.form_at(pattern.syntax().text_range(), form, args, subject)
    }

    /// A variant or a struct, with patterns for its data.
    fn form_at(&mut self, at: TextRange, form: PatternForm, args: &[ast::Expr], subject: &Subject) -> Meaning {
        let of = self.value_of(&Subject { at: form.at, ..subject.clone() });
        let name = form.name.clone();
        let test = self.alloc(Expr::Is(of, form), at);
        let (mut data, mut inner) = (Vec::new(), Vec::new());
        for (n, arg) in args.iter().enumerate() {
            let (datum, pattern) = match arg {
                ast::Expr::NamedArg(it) => {
                    let (Some(name), Some(value)) = (it.name(), it.value()) else { continue };
                    let text = name.text().unwrap_or_default();
                    (Datum::Named(text.into(), name.syntax().text_range()), value)
                }
                pattern => (Datum::Number(n as u32), pattern.clone()),
            };
            let step = Step::Datum(name.clone(), datum.clone());
            let meaning = self.pattern(&pattern, &Self::inside(subject, step, pattern.syntax().text_range()));
            data.push(datum);
            inner.push(meaning);
        }
        inner.insert(0, Meaning { test: Some(test), ..Meaning::new(Pattern::Any) });
        self.all(inner, at, |mut patterns| {
            patterns.remove(0);
            Pattern::Form(test, data.into_iter().zip(patterns).collect())
        })
    }

    /// Patterns that all have to take their values.
    fn all(&mut self, parts: Vec<Meaning>, at: TextRange, make: impl FnOnce(Vec<Pattern>) -> Pattern) -> Meaning {
        let (mut test, mut names, mut patterns) = (None, Vec::new(), Vec::new());
        for part in parts {
            test = match (test, part.test) {
                (Some(a), Some(b)) => Some(self.alloc(Expr::Binary(BinOp::And, a, b), at)),
                (a, b) => a.or(b),
            };
            names.extend(part.names);
            patterns.push(part.pattern);
        }
        Meaning { test, names, pattern: make(patterns) }
    }

    /// `a | b`: the value of a name is that of the side that takes the value.
    fn either(&mut self, pattern: &ast::Expr, it: &ast::BinExpr, subject: &Subject) -> Meaning {
        let at = pattern.syntax().text_range();
        let (Some(lhs), Some(rhs)) = (it.lhs(), it.rhs()) else { return Meaning::new(Pattern::Some) };
        let (a, b) = (self.pattern(&lhs, subject), self.pattern(&rhs, subject));
        let test = match (a.test, b.test) {
            (Some(left), Some(right)) => Some(self.alloc(Expr::Binary(BinOp::Or, left, right), at)),
            _ => None,
        };
        let (mut names, mut others) = (Vec::new(), b.names);
        for mut bound in a.names {
            let other = others.iter().position(|other| other.name == bound.name).map(|n| others.swap_remove(n));
            match (other, a.test) {
                (Some(other), condition) => {
                    bound.again.push(other.at);
                    bound.again.extend(other.again);
                    if let Some(condition) = condition {
                        let value = Expr::Cond { condition, then_value: bound.value, else_value: other.value };
                        bound.value = self.alloc(value, bound.at);
                    }
                }
                (None, _) => self.find(errors::name_in_alternative(bound.at, &bound.name)),
            }
            names.push(bound);
        }
        for bound in others {
            self.find(errors::name_in_alternative(bound.at, &bound.name));
            names.push(bound);
        }
        Meaning { test, names, pattern: Pattern::Either(vec![a.pattern, b.pattern]) }
    }
}
