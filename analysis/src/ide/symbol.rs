//! What the name at a place stands for: the one question under hover, definition, references and rename.

use syntax::ast::{self, AstNode};
use syntax::{ItemKind, SyntaxKind, SyntaxToken, TextRange, TextSize};

use super::Located;
use crate::builtins::{ATTRIBUTES, BuiltinId};
use crate::db::{File, Item};
use crate::finding::ItemKey;
use crate::hir::{self, Expr, ExprId, LocalId, Name};
use crate::infer;
use crate::scalar::Scalar;
use crate::ty::Ty;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A local of an item.
    Local(ItemKey, LocalId),
    /// An item of the file.
    Item(ItemKey),
    /// A field of a struct: the struct's name, and its own.
    Field(Name, Name),
    /// A builtin.
    Builtin(BuiltinId),
    /// A scalar type.
    Scalar(Scalar),
    /// An attribute, by its place in the table.
    Attribute(usize),
}

/// A name that stands for something, and where it is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// What it stands for.
    pub symbol: Symbol,
    /// The name's place in the file.
    pub range: TextRange,
}

/// What the name at a place stands for.
pub fn symbol_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<Occurrence> {
    let located = Located::at(db, file, offset)?;
    let token = located.token(offset)?;
    let symbol = symbol_of_token(db, &located, &token)?;
    Some(Occurrence { symbol, range: token.text_range() + located.start })
}

/// What a token stands for.
pub fn symbol_of_token(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken) -> Option<Symbol> {
    if token.kind() != SyntaxKind::IDENT {
        return None;
    }
    let parent = token.parent()?;
    let grandparent = parent.parent()?;
    let own = hir::key(db, located.item);
    match parent.kind() {
        SyntaxKind::NAME if grandparent.kind() == SyntaxKind::ATTR => {
            ATTRIBUTES.iter().position(|known| known.name == token.text()).map(Symbol::Attribute)
        }
        SyntaxKind::NAME if grandparent.kind() == SyntaxKind::FIELD_DEF => {
            Some(Symbol::Field(own.name, token.text().into()))
        }
        SyntaxKind::NAME if ast::Item::can_cast(grandparent.kind()) => Some(Symbol::Item(own)),
        SyntaxKind::NAME_REF if grandparent.kind() == SyntaxKind::TYPE => type_symbol(db, located.item, token.text()),
        SyntaxKind::NAME_REF if is_field_name(token) => field_symbol(db, located, token),
        SyntaxKind::NAME | SyntaxKind::NAME_REF => {
            local_symbol(db, located, token).or_else(|| name_symbol(db, located, token))
        }
        _ => None,
    }
}

fn is_field_name(token: &SyntaxToken) -> bool {
    let Some(access) = token.parent().and_then(|name| name.parent()).and_then(ast::FieldExpr::cast) else {
        return false;
    };
    access.field().is_some_and(|field| field.syntax().text_range() == token.text_range())
}

fn type_symbol(db: &dyn salsa::Database, item: Item<'_>, name: &str) -> Option<Symbol> {
    if let Some(scalar) = Scalar::from_name(name) {
        return Some(Symbol::Scalar(scalar));
    }
    let key = hir::file_names(db, item.file(db)).get(name)?.clone();
    (key.kind == ItemKind::Struct).then_some(Symbol::Item(key))
}

/// A local that is defined or used at exactly this token.
fn local_symbol(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken) -> Option<Symbol> {
    let at = located.dense(db, token)?;
    let map = &hir::lowered(db, located.item).map;
    let used = map.uses.iter().find(|(range, _)| *range == at).map(|&(_, local)| local);
    let defined = || map.locals.iter().find(|(_, range)| **range == at).map(|(local, _)| local);
    Some(Symbol::Local(hir::key(db, located.item), used.or_else(defined)?))
}

/// An item, a builtin or a cast at this token.
fn name_symbol(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken) -> Option<Symbol> {
    let at = located.dense(db, token)?;
    let body = hir::body(db, located.item);
    let (_, expr) = expr_at(db, located.item, at).map(|id| (id, &body.exprs[id]))?;
    match expr {
        Expr::Item(_, name) => hir::file_names(db, located.item.file(db)).get(name).cloned().map(Symbol::Item),
        Expr::Builtin(builtin) => Some(Symbol::Builtin(*builtin)),
        // The name of a cast is no expression of its own.
        _ => Scalar::from_name(token.text()).map(Symbol::Scalar),
    }
    .or_else(|| Scalar::from_name(token.text()).map(Symbol::Scalar))
}

fn field_symbol(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken) -> Option<Symbol> {
    let at = located.dense(db, token)?;
    let lowered = hir::lowered(db, located.item);
    let inference = infer::infer(db, located.item);
    lowered.body.exprs.iter().find_map(|(id, expr)| {
        let Expr::Field(base, field) = expr else { return None };
        if lowered.map.exprs[id].end() != at.end() {
            return None;
        }
        match inference.exprs.get(*base)? {
            Ty::Struct(name) => Some(Symbol::Field(name.clone(), field.clone())),
            _ => None,
        }
    })
}

/// The smallest expression that holds a range of the dense text.
pub fn expr_at(db: &dyn salsa::Database, item: Item<'_>, at: TextRange) -> Option<ExprId> {
    let map = &hir::lowered(db, item).map;
    let holding = map.exprs.iter().filter(|(_, range)| range.contains_range(at) && !range.is_empty());
    holding.min_by_key(|(_, range)| range.len()).map(|(id, _)| id)
}
