//! Assignments to several targets: `a, b = b, a`, `let q, r = divide(x, y)`.
//!
//! Such a line becomes several statements. First all values are computed, and *held* by locals without a name; then they are given to
//! the targets, from left to right. A value that is written down, and whose target is a new variable, is given at once: nothing before
//! the end of the line can name it.

use report::TextRange;
use syntax::ast::{self, AstNode};

use super::Lower;
use hir::errors;
use hir::{Block, Expr, ExprId, Local, LocalId, LocalKind, Name, Stmt};

/// A target of an assignment to several.
enum Target {
    /// A variable that `let` defines.
    Let(ast::LetPart),
    /// A variable or a place.
    Place(ast::Expr),
    /// Targets in parentheses, which take a tuple apart.
    Several(Vec<Target>),
}

/// A value that is held, or a part of it.
pub(super) struct Held {
    pub(super) local: LocalId,
    at: TextRange,
    /// From the whole to the part: the number of each, and how many there are.
    path: Vec<(u32, u32)>,
}

/// Says whether an assignment has several targets.
pub(super) fn is_of_several(it: &ast::AssignStmt) -> bool {
    it.target().is_some_and(|target| parts_of(&target).is_some())
}

/// The values of a tuple that is written down.
fn parts_of(expr: &ast::Expr) -> Option<Vec<ast::Expr>> {
    match expr {
        ast::Expr::ParenExpr(it) => parts_of(&it.expr()?),
        ast::Expr::TupleExpr(it) => Some(it.elements().collect()),
        _ => None,
    }
}

fn target_of(expr: ast::Expr) -> Target {
    match (parts_of(&expr), &expr) {
        (Some(parts), _) => Target::Several(parts.into_iter().map(target_of).collect()),
        (None, ast::Expr::ParenExpr(it)) => it.expr().map_or(Target::Place(expr.clone()), target_of),
        _ => Target::Place(expr),
    }
}

impl Lower<'_> {
    pub(super) fn let_several(&mut self, it: &ast::LetStmt, out: &mut Block) {
        self.body.in_doubt |= it.value().is_none();
        let targets = it.parts().map(Target::Let).collect();
        self.several(it.syntax().text_range(), targets, it.value(), out);
    }

    pub(super) fn assign_several(&mut self, it: &ast::AssignStmt, out: &mut Block) {
        let targets = it.target().and_then(|target| parts_of(&target)).unwrap_or_default();
        let targets = targets.into_iter().map(target_of).collect();
        self.several(it.syntax().text_range(), targets, it.value(), out);
    }

    fn several(&mut self, at: TextRange, mut targets: Vec<Target>, value: Option<ast::Expr>, out: &mut Block) {
        let written = value.as_ref().and_then(parts_of).filter(|values| values.len() == targets.len());
        let Some(written) = written else {
            let value = match &value {
                Some(value) => self.expr(value),
                None => self.alloc(Expr::Missing, TextRange::empty(at.end())),
            };
            // One name in parentheses is a name.
            if targets.len() == 1 {
                let target = targets.remove(0);
                let stmt = self.give(&target, value);
                return self.push(at, stmt, out);
            }
            let held = self.hold(at, value, out);
            return self.take_apart(at, &targets, &held, out);
        };
        let values: Vec<_> = written.iter().map(|value| self.expr(value)).collect();
        let mut left = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            if self.is_new(target) {
                let stmt = self.give(target, value);
                self.push(at, stmt, out);
            } else {
                left.push((target, self.hold(at, value, out)));
            }
        }
        for (target, held) in left {
            self.give_held(at, target, &held, out);
        }
    }

    /// The target is a variable that is not there yet.
    fn is_new(&self, target: &Target) -> bool {
        match target {
            Target::Let(_) => true,
            Target::Place(ast::Expr::NameRef(name)) => {
                name.text().is_some_and(|text| self.scopes.lookup(&text).is_none())
            }
            _ => false,
        }
    }

    fn push(&mut self, at: TextRange, stmt: Stmt, out: &mut Block) {
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, at);
        self.set_statement(id, stmt);
        out.push(id);
    }

    /// Computes a value, which nothing but the targets can name.
    pub(super) fn hold(&mut self, stmt: TextRange, value: ExprId, out: &mut Block) -> Held {
        let at = self.map.exprs[value];
        let held = Local { name: Name::default(), kind: LocalKind::Held, ty: None, updated: false };
        let local = self.body.locals.alloc(held);
        self.map.locals.insert(local, at);
        self.push(stmt, Stmt::Define(local, value), out);
        Held { local, at, path: Vec::new() }
    }

    fn take_apart(&mut self, at: TextRange, targets: &[Target], held: &Held, out: &mut Block) {
        for (n, target) in targets.iter().enumerate() {
            let mut path = held.path.clone();
            path.push((n as u32, targets.len() as u32));
            self.give_held(at, target, &Held { path, ..*held }, out);
        }
    }

    /// Gives a value that is held to its target.
    fn give_held(&mut self, at: TextRange, target: &Target, held: &Held, out: &mut Block) {
        if let Target::Several(inner) = target {
            return self.take_apart(at, inner, held, out);
        }
        let mut value = self.alloc(Expr::Local(held.local), held.at);
        for &(number, of) in &held.path {
            value = self.alloc(Expr::Part { tuple: value, number, of }, held.at);
        }
        let stmt = self.give(target, value);
        self.push(at, stmt, out);
    }

    fn give(&mut self, target: &Target, value: ExprId) -> Stmt {
        let place = match target {
            Target::Let(part) => {
                let ty = part.ty().map(|ty| self.type_ref(&ty));
                let Some(name) = part.name() else {
                    self.body.in_doubt = true;
                    return Stmt::Broken(vec![value], Vec::new());
                };
                let text: Name = name.text().unwrap_or_default().into();
                return Stmt::Define(self.let_local(text, name.syntax().text_range(), ty, None), value);
            }
            Target::Place(place) => place,
            Target::Several(_) => return Stmt::Broken(vec![value], Vec::new()),
        };
        if matches!(place, ast::Expr::NameRef(_) | ast::Expr::IndexExpr(_) | ast::Expr::FieldExpr(_)) {
            let stmt = self.assign_to(place, None, value);
            if let Stmt::Define(local, _) = stmt {
                self.map.among.insert(local);
            }
            return stmt;
        }
        self.find(errors::not_a_place(place.syntax().text_range()));
        Stmt::Broken(vec![value], Vec::new())
    }
}
