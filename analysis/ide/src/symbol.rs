//! Name resolution at a place: the one question under hover, definition, references and rename.
//!
//! [`SymbolNames`] answers it for all names of one item after a single walk over its body. So to ask about each name of an
//! item takes time linear in the item's length, not quadratic.

use ir::Elem;
use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{ItemKind, TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::Located;
use super::links::named_items;
use hir::builtins::{AttributeId, BuiltinId};
use hir::enums::{Datum, PatternForm, field_name, members};
use hir::finding::ItemKey;
use hir::ty::Ty;
use hir::{Expr, ExprId, FastParts, LocalId, LocalKind, Name};
use queries::db::{File, Item};

/// The thing that a name stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A local of an item.
    Local(ItemKey, LocalId),
    /// An item of the file.
    Item(ItemKey),
    /// A field of a struct, a variant of an enum or the data of one (`Circle.r`): the type's name, and its own.
    Field(Name, Name),
    /// A builtin function of the language.
    Builtin(BuiltinId),
    /// A scalar type, such as `f32`.
    Scalar(Elem),
    /// An attribute of a loop, kernel or function.
    Attribute(AttributeId),
}

/// A name that stands for something, and where it is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The thing that the name stands for.
    pub symbol: Symbol,
    /// The name's place in the file.
    pub range: TextRange,
}

impl Symbol {
    /// Returns the name as programs write it; `None` if its item is no longer there.
    pub fn name(&self, db: &dyn salsa::Database, file: File) -> Option<Name> {
        match self {
            Symbol::Local(key, local) => {
                let item = queries::item_of(db, file, key)?;
                Some(queries::body(db, item).locals[*local].name.clone())
            }
            Symbol::Item(key) => Some(key.name.clone()),
            Symbol::Field(_, field) => Some(field.rsplit('.').next().unwrap_or(field).into()),
            Symbol::Builtin(builtin) => Some(builtin.get().name.into()),
            Symbol::Scalar(scalar) => Some(scalar.name().into()),
            Symbol::Attribute(id) => Some(id.get().name.into()),
        }
    }
}

/// Returns the symbol that the name at a place stands for; in documentation, the item that a link names.
pub fn symbol_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<Occurrence> {
    let located = Located::at(db, file, offset)?;
    let token = located.token(offset)?;
    if token.kind() == SyntaxKind::DOC_COMMENT {
        let named = named_items(db, file, token.text(), token.text_range().start() + located.start);
        let (range, key) = named.into_iter().find(|(range, _)| range.contains_inclusive(offset))?;
        return Some(Occurrence { symbol: Symbol::Item(key), range });
    }
    let symbol = symbol_of_token(db, &located, &token)?;
    Some(Occurrence { symbol, range: token.text_range() + located.start })
}

/// Returns the symbol that a token stands for. To ask about many tokens of an item, use [`SymbolNames`].
pub fn symbol_of_token(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken) -> Option<Symbol> {
    if token.kind() != SyntaxKind::IDENT {
        return None;
    }
    SymbolNames::new(db, located).symbol(token)
}

/// The symbols that the names of one item stand for.
pub struct SymbolNames<'a, 'db> {
    db: &'db dyn salsa::Database,
    located: &'a Located<'db>,
    /// The symbols that the HIR resolved, by the offset in the dense text at which the name starts.
    resolved: FxHashMap<TextSize, Symbol>,
}

impl<'a, 'db> SymbolNames<'a, 'db> {
    /// Collects what the names of an item were resolved to.
    pub fn new(db: &'db dyn salsa::Database, located: &'a Located<'db>) -> Self {
        let mut names = SymbolNames { db, located, resolved: FxHashMap::default() };
        names.items_and_fields();
        names.locals();
        names.arguments();
        names
    }

    fn items_and_fields(&mut self) {
        let (db, file) = (self.db, self.located.item.file(self.db));
        // What is written, in branches that are not there for this instance as well.
        let written = queries::resolved(self.db, self.located.item);
        for (id, expr) in written.body.exprs.iter() {
            let start = written.map.exprs[id].start();
            let symbol = match expr {
                Expr::Item(_, name) => queries::key_of_name(db, file, name).cloned().map(Symbol::Item),
                Expr::Builtin(builtin) => Some(Symbol::Builtin(*builtin)),
                _ => None,
            };
            if let Some(symbol) = symbol {
                self.resolved.insert(start, symbol);
            }
        }
        let lowered = queries::lowered(self.db, self.located.item);
        for (id, expr) in lowered.body.exprs.iter() {
            let at = lowered.map.exprs[id];
            let (start, symbol) = match expr {
                Expr::Field(base, field) => (at.end() - TextSize::of(&**field), self.field(*base, field)),
                Expr::Call(callee, args) => {
                    self.data_of_variant(*callee, args);
                    continue;
                }
                Expr::Is(of, form) => {
                    self.form(at.start(), *of, form);
                    continue;
                }
                Expr::Data { of, form, datum: Datum::Named(name, at) } => {
                    (at.start(), self.member(*of, &field_name(form, name)).or_else(|| self.member(*of, name)))
                }
                _ => continue,
            };
            if let Some(symbol) = symbol {
                self.resolved.insert(start, symbol);
            }
        }
    }

    fn field(&self, base: ExprId, field: &Name) -> Option<Symbol> {
        match &queries::body(self.db, self.located.item).exprs[base] {
            Expr::Item(ItemKind::Enum, name) => self.member_of(name, field),
            _ => self.member(base, field),
        }
    }

    /// A field, a variant or data of the type of an expression.
    fn member(&self, of: ExprId, member: &Name) -> Option<Symbol> {
        let Ty::Struct(name) = queries::infer(self.db, self.located.item).exprs.get(of)? else { return None };
        self.member_of(name, member)
    }

    fn member_of(&self, name: &Name, member: &Name) -> Option<Symbol> {
        let of = queries::struct_named(self.db, self.located.item.file(self.db), name.clone())?;
        let members = members(queries::body(self.db, of));
        members.iter().any(|(known, _)| known == member).then(|| Symbol::Field(name.clone(), member.clone()))
    }

    /// The names that a variant's data are given by in a call.
    fn data_of_variant(&mut self, callee: ExprId, args: &[ExprId]) {
        let lowered = queries::lowered(self.db, self.located.item);
        let Expr::Field(base, variant) = &lowered.body.exprs[callee] else { return };
        let Expr::Item(ItemKind::Enum, of) = &lowered.body.exprs[*base] else { return };
        for arg in args {
            let (Some(name), Some((at, _))) = (lowered.body.arg_names.get(arg), lowered.map.arg_names.get(arg)) else {
                continue;
            };
            if let Some(symbol) = self.member_of(of, &field_name(variant, name)) {
                self.resolved.insert(at.start(), symbol);
            }
        }
    }

    /// The names of a pattern that starts at a place and asks for a form.
    fn form(&mut self, start: TextSize, of: ExprId, form: &PatternForm) {
        let item = |name: &Name| queries::key_of_name(self.db, self.located.item.file(self.db), name).cloned();
        let written = form.of.as_ref().and_then(item).map(Symbol::Item);
        let own = self.member(of, &form.name).or_else(|| item(&form.name).map(Symbol::Item));
        self.resolved.extend(written.map(|symbol| (start, symbol)));
        self.resolved.extend(own.map(|symbol| (form.at.start(), symbol)));
    }

    fn locals(&mut self) {
        let own = queries::key(self.db, self.located.item);
        let lowered = queries::resolved(self.db, self.located.item);
        let map = &lowered.map;
        // A held local has no name of its own, and stands where its value does.
        let named = |local: LocalId| {
            lowered.body.locals[local].kind != LocalKind::Held && !lowered.body.results.contains(&local)
        };
        let defined = map.locals.iter().filter(|(local, _)| named(*local)).map(|(local, range)| (*range, local));
        for (range, local) in defined.chain(map.uses.iter().copied()) {
            self.resolved.insert(range.start(), Symbol::Local(own.clone(), lowered.body.known_as(local)));
        }
    }

    /// Names that arguments are given by stand for the parameters of the function that is called.
    fn arguments(&mut self) {
        let (db, file) = (self.db, self.located.item.file(self.db));
        let lowered = queries::resolved(db, self.located.item);
        for (arg, (range, function)) in &lowered.map.arg_names {
            let Some(name) = lowered.body.arg_names.get(arg) else { continue };
            let Some(key) = queries::key_of_name(db, file, function) else { continue };
            let Some(item) = queries::item_of(db, file, key) else { continue };
            let body = queries::body(db, item);
            if body.fields.iter().any(|field| field.name == *name) {
                self.resolved.insert(range.start(), Symbol::Field(key.name.clone(), name.clone()));
            }
            let generics = body.generics.iter().map(|it| &it.local);
            let param = body.params.iter().chain(generics).find(|param| body.locals[**param].name == *name);
            if let Some(&param) = param {
                self.resolved.insert(range.start(), Symbol::Local(key.clone(), param));
            }
        }
    }

    /// Returns the item that the names are in, with its tree.
    pub fn located(&self) -> &'a Located<'db> {
        self.located
    }

    /// Returns the symbol that a token stands for.
    pub fn symbol(&self, token: &SyntaxToken) -> Option<Symbol> {
        if token.kind() != SyntaxKind::IDENT {
            return None;
        }
        let item = self.located.item;
        let parent = token.parent()?;
        let around = parent.parent()?;
        match parent.kind() {
            SyntaxKind::NAME if around.kind() == SyntaxKind::ATTR => {
                AttributeId::from_name(token.text()).map(Symbol::Attribute)
            }
            SyntaxKind::NAME if around.kind() == SyntaxKind::FIELD_DEF => {
                let of_struct = item.kind(self.db) == ItemKind::Struct;
                of_struct.then(|| Symbol::Field(item.name(self.db).clone(), token.text().into()))
            }
            SyntaxKind::NAME if around.kind() == SyntaxKind::VARIANT_DEF => {
                Some(Symbol::Field(item.name(self.db).clone(), token.text().into()))
            }
            SyntaxKind::NAME if around.kind() == SyntaxKind::PARAM && item.kind(self.db) == ItemKind::Enum => {
                let variant = around.ancestors().find_map(ast::VariantDef::cast)?.name()?.text()?;
                Some(Symbol::Field(item.name(self.db).clone(), field_name(&variant, token.text())))
            }
            SyntaxKind::NAME if ast::Item::can_cast(around.kind()) => Some(Symbol::Item(queries::key(self.db, item))),
            SyntaxKind::NAME_REF if around.kind() == SyntaxKind::USE_NAMES => {
                queries::uses::key_of_taken(self.db, item, token.text()).cloned().map(Symbol::Item)
            }
            SyntaxKind::NAME_REF if around.kind() == SyntaxKind::TYPE => {
                let param = self.resolved.get(&self.located.dense(self.db, token)?.start());
                param.cloned().or_else(|| type_symbol(self.db, item, token.text()))
            }
            SyntaxKind::NAME | SyntaxKind::NAME_REF => {
                let resolved = self.resolved.get(&self.located.dense(self.db, token)?.start());
                // The name of a cast is no expression of its own.
                resolved.cloned().or_else(|| Elem::from_name(token.text()).map(Symbol::Scalar))
            }
            _ => None,
        }
    }

    /// The names of the item, in order, each with what it stands for.
    pub fn iter(&self) -> impl Iterator<Item = (SyntaxToken, Option<Symbol>)> {
        let tokens = self.located.root.descendants_with_tokens().filter_map(|element| element.into_token());
        tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| {
            let symbol = self.symbol(&token);
            (token, symbol)
        })
    }
}

/// Tells if a name stands in the pattern of a case.
pub(crate) fn is_in_pattern(name: &SyntaxNode) -> bool {
    let case = name.ancestors().take_while(|node| node.kind() != SyntaxKind::BLOCK).find_map(ast::MatchCase::cast);
    let pattern = case.and_then(|case| case.pattern());
    pattern.is_some_and(|pattern| pattern.syntax().text_range().contains_range(name.text_range()))
}

fn type_symbol(db: &dyn salsa::Database, item: Item<'_>, name: &str) -> Option<Symbol> {
    if let Some(scalar) = Elem::from_name(name) {
        return Some(Symbol::Scalar(scalar));
    }
    let key = queries::key_of_name(db, item.file(db), name)?.clone();
    key.kind.is_type().then_some(Symbol::Item(key))
}

/// The function of the prelude that a builtin is where a token names it: the one for the type and the mode of that call.
pub(super) fn function_called<'db>(
    db: &'db dyn salsa::Database,
    located: &Located<'db>,
    token: &SyntaxToken,
    builtin: BuiltinId,
) -> Option<Item<'db>> {
    let body = queries::body(db, located.item);
    let at = located.dense(db, token)?;
    let map = &queries::lowered(db, located.item).map;
    let types = queries::infer(db, located.item);
    let call = body.exprs.iter().find_map(|(call, expr)| match expr {
        Expr::Call(callee, args) if map.exprs[*callee] == at => Some((call, args)),
        _ => None,
    });
    if let Some((_, args)) = call
        && builtin.get().takes_arrays
    {
        let is_array = args.first().is_some_and(|arg| matches!(types.exprs.get(*arg), Some(Ty::Array(..))));
        let name = builtin.get().name;
        return is_array.then(|| queries::named(db, queries::prelude::file(db), name.into())).flatten();
    }
    let of = call.and_then(|(_, args)| types.exprs.get(*args.first()?)?.scalar());
    let fast = call.is_some_and(|(call, _)| FastParts::of(body, false).contains(call));
    queries::prelude::function(db, builtin, of.unwrap_or(Elem::F32), fast)
}

/// The innermost expression that a token is a part of, with its node. A parenthesised one is what stands inside.
pub fn expression_at(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    token: &SyntaxToken,
) -> Option<(SyntaxNode, ExprId)> {
    // The names of fields, casts and of `range` have the form of expressions, and are none: what is around them is meant.
    let around = token.parent_ancestors().take_while(|node| !ast::Stmt::can_cast(node.kind()));
    around.filter_map(ast::Expr::cast).find_map(|mut expr| {
        while let ast::Expr::ParenExpr(paren) = &expr {
            expr = paren.expr()?;
        }
        Some((expr.syntax().clone(), lowered_as(db, located, expr.syntax())?))
    })
}

/// The expression of the item that a node became.
pub(super) fn lowered_as(db: &dyn salsa::Database, located: &Located<'_>, node: &SyntaxNode) -> Option<ExprId> {
    let range = node.text_range() + located.start;
    let map = &queries::lowered(db, located.item).map;
    let first = located.dense(db, &node.first_token()?)?.start();
    let mut starting = map.exprs.iter().filter(|(_, dense)| dense.start() == first && !dense.is_empty());
    starting.find(|(_, dense)| located.range(db, **dense) == range).map(|(expr, _)| expr)
}
