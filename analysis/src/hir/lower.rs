//! The dense tree to HIR.
//!
//! Names are resolved in the order of the text: a name must be defined above where it is used. A local is looked
//! for in the blocks around the place, then the name among the file's items, then among the builtins.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{self, AstNode};
use syntax::{ItemKind, SyntaxKind, SyntaxNode, TextRange};

use super::scope::Scopes;
use super::{
    Attr, BinOp, Block, Body, BodyMap, Expr, ExprId, Field, FileNames, Literal, Local, LocalId, LocalKind, Lowered,
    Name, Promise, Range, Stmt, StmtId, Subscript, TypeRef, UnaryOp,
};
use crate::builtins::{ATTRIBUTES, Above, Attribute, AttributeArgs, BUILTINS, BuiltinId};
use crate::db::{Item, dense};
use crate::errors;
use crate::finding::{Finding, ItemKey, Place};
use crate::scalar::Scalar;

pub(super) fn lower<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Lowered {
    let root = SyntaxNode::new_root(dense(db, item).clone());
    let mut lower = Lower {
        key: super::names::key(db, item),
        names: super::file_names(db, item.file(db)).clone(),
        ..Lower::default_for(item.kind(db))
    };
    lower.duplicate_of(
        |key| {
            let first = super::item_of(db, item.file(db), key)?;
            Some(name_place(&SyntaxNode::new_root(dense(db, first).clone())))
        },
        &root,
    );
    lower.forgive(&root);
    match ast::Item::cast(root) {
        Some(ast::Item::Kernel(it)) => {
            lower.function(it.attrs(), it.name(), it.params(), it.result(), it.body(), it.syntax())
        }
        Some(ast::Item::Fn(it)) => {
            lower.function(it.attrs(), it.name(), it.params(), it.result(), it.body(), it.syntax())
        }
        Some(ast::Item::Struct(it)) => lower.struct_(&it),
        Some(ast::Item::Const(it)) => lower.const_(&it),
        None => {}
    }
    Lowered { body: Arc::new(lower.body), map: Arc::new(lower.map), findings: lower.findings }
}

fn name_place(item: &SyntaxNode) -> TextRange {
    let name = item.children().find_map(ast::Name::cast);
    name.map_or(TextRange::empty(0.into()), |name| name.syntax().text_range())
}

/// A loop around a statement.
#[derive(Clone, Copy)]
enum Loop {
    /// `for` or `while`.
    Ordered,
    /// `foreach`, with the place of its word and whether it has one index.
    Foreach { word: TextRange, single: bool },
}

struct Lower {
    kind: ItemKind,
    key: ItemKey,
    names: Arc<FileNames>,
    body: Body,
    map: BodyMap,
    findings: Vec<Finding>,
    scopes: Scopes,
    loops: Vec<Loop>,
    /// Locals whose value something takes.
    read: FxHashSet<LocalId>,
    /// The first use of a name that is not known; more uses of it are the same mistake.
    unknown: FxHashMap<Name, TextRange>,
}

impl Lower {
    fn default_for(kind: ItemKind) -> Lower {
        Lower {
            kind,
            key: ItemKey { kind, name: Arc::from(""), nth: 0 },
            names: Arc::default(),
            body: Body::default(),
            map: BodyMap::default(),
            findings: Vec::new(),
            scopes: Scopes::default(),
            loops: Vec::new(),
            read: FxHashSet::default(),
            unknown: FxHashMap::default(),
        }
    }

    fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Names in what was not understood may be definitions: that they are not known elsewhere is no mistake of its own.
    fn forgive(&mut self, root: &SyntaxNode) {
        let broken =
            root.descendants().filter(|node| matches!(node.kind(), SyntaxKind::ERROR | SyntaxKind::STRAY_STMT));
        for token in broken.flat_map(|node| node.descendants_with_tokens()).filter_map(|element| element.into_token()) {
            if token.kind() == SyntaxKind::IDENT {
                self.unknown.insert(token.text().into(), token.text_range());
            }
        }
    }

    // Items.

    fn duplicate_of(&mut self, place: impl Fn(&ItemKey) -> Option<TextRange>, root: &SyntaxNode) {
        self.map.name = root.children().find_map(ast::Name::cast).map(|name| name.syntax().text_range());
        self.map.header = header(root);
        let Some(first) = self.names.get(&self.key.name).cloned() else { return };
        if let (true, Some(at)) = (first != self.key, self.map.name) {
            let related = place(&first).map(|range| Place { item: Some(first), range });
            self.find(errors::duplicate_item(at, &self.key.name, related));
        }
    }

    fn function(
        &mut self,
        attrs: ast::AstChildren<ast::Attr>,
        _name: Option<ast::Name>,
        params: Option<ast::ParamList>,
        result: Option<ast::RetType>,
        body: Option<ast::Block>,
        syntax: &SyntaxNode,
    ) {
        self.scopes.open(None);
        let params: Vec<_> = params.into_iter().flat_map(|list| list.params()).collect();
        for param in &params {
            self.param(param);
        }
        // A size may name a parameter that stands further on, so types come after all names.
        for (n, param) in params.iter().enumerate() {
            let ty = param.ty().map(|ty| self.type_ref(&ty));
            let local = self.body.params[n];
            self.body.locals[local].ty = ty;
        }
        self.body.result = result.and_then(|result| result.ty()).map(|ty| self.type_ref(&ty));
        self.body.attrs = self.attrs(attrs, Above::Item);
        if let Some(block) = body {
            self.scopes.open(None);
            self.body.block = self.statements(&block);
            self.scopes.close();
        }
        // Blocks that were indented for no reason stand behind the body.
        for stray in syntax.children().filter_map(ast::Block::cast).skip(1) {
            self.lenient(|lower| lower.statements(&stray));
        }
        self.scopes.close();
        self.unused();
        self.returns();
    }

    fn param(&mut self, param: &ast::Param) {
        let name = param.name();
        let text: Name = name.as_ref().and_then(ast::Name::text).unwrap_or_default().into();
        let at = name.map_or(param.syntax().text_range(), |name| name.syntax().text_range());
        if let Some(first) = self.scopes.lookup_here(&text).filter(|_| !text.is_empty()) {
            let first = self.map.locals[first];
            self.find(errors::duplicate_local(at, &text, "parameter", first));
        }
        let local = self.local(text, LocalKind::Param, at);
        self.body.params.push(local);
    }

    fn struct_(&mut self, it: &ast::Struct) {
        self.scopes.open(None);
        self.body.attrs = self.attrs(it.attrs(), Above::Item);
        let fields = it.body().into_iter().flat_map(|block| block.fields());
        for field in fields {
            let Some(name) = field.name() else { continue };
            let text: Name = name.text().unwrap_or_default().into();
            let at = name.syntax().text_range();
            let first = self.body.fields.iter().find(|other| other.name == text).map(|other| other.at);
            if let Some(first) = first {
                self.find(errors::duplicate_local(at, &text, "field", first));
            }
            let ty = field.ty().map(|ty| self.type_ref(&ty));
            self.body.fields.push(Field { name: text, ty, at });
        }
        for statement in it.body().into_iter().flat_map(|block| block.stmts()) {
            if !matches!(statement, ast::Stmt::PassStmt(_) | ast::Stmt::StrayStmt(_)) {
                self.find(errors::statement_in_struct(statement.syntax().text_range()));
            }
        }
        self.scopes.close();
    }

    fn const_(&mut self, it: &ast::Const) {
        self.scopes.open(None);
        self.body.attrs = self.attrs(it.attrs(), Above::Item);
        self.body.value_type = it.ty().map(|ty| self.type_ref(&ty));
        let value = it.value();
        self.body.value = Some(self.expr_or_missing(value, it.syntax()));
        self.scopes.close();
    }

    // Types and attributes.

    fn type_ref(&mut self, ty: &ast::Type) -> TypeRef {
        let promise = match (ty.uniform(), ty.varying()) {
            (Some(_), _) => Some(Promise::Uniform),
            (_, Some(_)) => Some(Promise::Varying),
            _ => None,
        };
        let name = ty.name();
        let name_at = name.as_ref().map_or(ty.syntax().text_range(), |name| name.syntax().text_range());
        let name = name.and_then(|name| name.text()).map(Name::from);
        if let Some(name) = &name {
            self.check_type_name(name, name_at);
        }
        let sizes = ty.sizes().into_iter().flat_map(|sizes| sizes.sizes());
        let sizes = sizes.collect::<Vec<_>>().into_iter().map(|size| self.size(&size)).collect();
        TypeRef { promise, name, sizes, at: ty.syntax().text_range(), name_at }
    }

    fn check_type_name(&mut self, name: &Name, at: TextRange) {
        let known =
            Scalar::from_name(name).is_some() || self.names.get(name).is_some_and(|key| key.kind == ItemKind::Struct);
        if !known && !self.scopes.is_lenient() {
            let structs = self.names.in_order.iter().filter(|key| key.kind == ItemKind::Struct).map(|key| &*key.name);
            let mut candidates: Vec<&str> = Scalar::ALL.into_iter().map(Scalar::name).collect();
            candidates.extend(structs);
            let other = self.names.get(name).map(|key| key.kind);
            let finding = errors::unknown_type(at, name, other, syntax::spelling::closest(name, &candidates));
            self.find(finding);
        }
    }

    /// A size in a type. In a function, a name that stands for nothing else is a size of its own.
    fn size(&mut self, size: &ast::Expr) -> ExprId {
        if let (ItemKind::Fn, ast::Expr::NameRef(name)) = (self.kind, size)
            && let Some(text) = name.text()
            && self.resolve(&text).is_none()
        {
            let local = self.local(text.into(), LocalKind::Size, name.syntax().text_range());
            self.read.insert(local);
        }
        if let (ItemKind::Kernel, ast::Expr::NameRef(name)) = (self.kind, size)
            && let Some(text) = name.text()
            && self.resolve(&text).is_none()
            && !self.unknown.contains_key(&*text)
        {
            let at = name.syntax().text_range();
            self.unknown.insert(text.as_str().into(), at);
            let list = self.body.params.last().map(|&last| self.param_end(last));
            self.find(errors::unknown_size(at, &text, list));
        }
        self.expr(size)
    }

    /// Where a parameter could be added behind the last one: its name, or its type where that has one.
    fn param_end(&self, last: LocalId) -> TextRange {
        let name = self.map.locals[last];
        self.body.locals[last].ty.as_ref().map_or(name, |ty| name.cover(ty.at))
    }

    fn attrs(&mut self, attrs: impl Iterator<Item = ast::Attr>, above: Above) -> Vec<Attr> {
        attrs.collect::<Vec<_>>().iter().filter_map(|attr| self.attr(attr, above)).collect()
    }

    fn attr(&mut self, attr: &ast::Attr, above: Above) -> Option<Attr> {
        let name: Name = attr.name()?.text()?.into();
        let at = attr.syntax().text_range();
        let Some(known) = ATTRIBUTES.iter().find(|known| known.name == &*name) else {
            let names: Vec<_> = ATTRIBUTES.iter().map(|known| known.name).collect();
            let name_at = attr.name()?.syntax().text_range();
            self.find(errors::unknown_attribute(name_at, &name, syntax::spelling::closest(&name, &names)));
            return None;
        };
        let function = matches!(self.kind, ItemKind::Kernel | ItemKind::Fn);
        let allowed = match (known.above, above) {
            (Above::LoopOrItem | Above::Item, Above::Item) => function,
            (Above::LoopOrItem | Above::Loop, Above::Loop) => true,
            _ => false,
        };
        if !allowed {
            self.find(errors::misplaced_attribute(at, &name, known.above));
            return None;
        }
        let given: Vec<_> = attr.args().into_iter().flat_map(|args| args.args()).collect();
        self.check_attr_args(at, known, &given);
        let args = given.iter().map(|arg| self.expr(arg)).collect();
        Some(Attr { name, args, at })
    }

    fn check_attr_args(&mut self, at: TextRange, attribute: &Attribute, given: &[ast::Expr]) {
        let fits = match attribute.args {
            AttributeArgs::None => given.is_empty(),
            AttributeArgs::Count(limit) => match given {
                [ast::Expr::Literal(literal)] => {
                    let token = literal.token();
                    let value = token.and_then(|token| parse_int(token.text()));
                    value.is_some_and(|value| (1..=u128::from(limit)).contains(&value))
                }
                [ast::Expr::NameRef(name)] => {
                    let constant = |name: String| self.names.get(&name).is_some_and(|key| key.kind == ItemKind::Const);
                    name.text().is_some_and(constant)
                }
                _ => false,
            },
            AttributeArgs::Arrays => {
                let param = |arg: &ast::Expr| match arg {
                    ast::Expr::NameRef(name) => {
                        let local = name.text().and_then(|text| self.scopes.lookup(&text));
                        local.is_some_and(|local| self.body.locals[local].kind == LocalKind::Param)
                    }
                    _ => false,
                };
                given.len() >= 2 && given.iter().all(param)
            }
        };
        if !fits {
            self.find(errors::attribute_arguments(at, attribute));
        }
    }

    // Locals.

    fn local(&mut self, name: Name, kind: LocalKind, at: TextRange) -> LocalId {
        let local = self.body.locals.alloc(Local { name: name.clone(), kind, ty: None, updated: false });
        self.map.locals.insert(local, at);
        if !name.is_empty() {
            self.scopes.define(name, local);
        }
        local
    }

    fn unused(&mut self) {
        let mut findings = Vec::new();
        for (id, local) in self.body.locals.iter() {
            let counts = matches!(local.kind, LocalKind::Param | LocalKind::Let | LocalKind::Assigned);
            if !counts || local.name.is_empty() || local.name.starts_with('_') || self.read.contains(&id) {
                continue;
            }
            findings.push(errors::unused(self.map.locals[id], local));
        }
        self.findings.extend(findings);
    }

    /// A function that gives a value gives one on every way through it.
    fn returns(&mut self) {
        let values: Vec<_> = self
            .body
            .stmts
            .iter()
            .filter(|(_, stmt)| matches!(stmt, Stmt::Return(Some(_))))
            .map(|(id, _)| id)
            .collect();
        let gives = self.body.result.is_some() || !values.is_empty();
        if !gives {
            return;
        }
        let because = match &self.body.result {
            Some(ty) => ty.at,
            None => self.map.stmts[values[0]],
        };
        let bare: Vec<_> = self
            .body
            .stmts
            .iter()
            .filter(|(_, stmt)| matches!(stmt, Stmt::Return(None)))
            .map(|(id, _)| self.map.stmts[id])
            .collect();
        for &at in &bare {
            self.find(errors::return_without_value(at, because));
        }
        let broken = self.body.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Broken(..)));
        if bare.is_empty() && !broken && !self.always_returns(&self.body.block) {
            self.find(errors::missing_return(self.map.header, because));
        }
    }

    fn always_returns(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Return(_) => true,
            Stmt::If { then_block, else_block, .. } => {
                self.always_returns(then_block) && self.always_returns(else_block)
            }
            Stmt::While { condition, body, .. } => {
                let forever = self.body.exprs[*condition] == Expr::Literal(Literal::Bool(true));
                forever && !self.breaks(body)
            }
            _ => false,
        })
    }

    /// Whether a `break` in the block leaves the loop that the block is the body of.
    fn breaks(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Break => true,
            Stmt::If { then_block, else_block, .. } => self.breaks(then_block) || self.breaks(else_block),
            _ => false,
        })
    }

    // Statements.

    fn lenient<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open(None);
        self.scopes.be_lenient();
        let result = lower(self);
        self.scopes.close();
        result
    }

    /// The statements of a block whose scope is open.
    fn statements(&mut self, block: &ast::Block) -> Block {
        let mut out = Vec::new();
        let mut left_by: Option<TextRange> = None;
        for stmt in block.stmts() {
            if let Some(leaving) = left_by.take() {
                self.find(errors::dead_code(stmt.syntax().text_range(), leaving));
            }
            let at = stmt.syntax().text_range();
            let id = self.statement(&stmt);
            if matches!(self.body.stmts[id], Stmt::Break | Stmt::Continue | Stmt::Return(_)) {
                left_by = Some(at);
            }
            out.push(id);
        }
        out
    }

    fn block(&mut self, owner: StmtId, block: Option<ast::Block>) -> Block {
        self.scopes.open(Some(owner));
        let stmts = block.map(|block| self.statements(&block)).unwrap_or_default();
        self.scopes.close();
        stmts
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> StmtId {
        // The place in the arena is taken first, so that statements are numbered in the order of the text.
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, stmt.syntax().text_range());
        let lowered = self.statement_kind(id, stmt);
        self.body.stmts[id] = lowered;
        id
    }

    fn statement_kind(&mut self, id: StmtId, stmt: &ast::Stmt) -> Stmt {
        let is_loop = matches!(stmt, ast::Stmt::ForStmt(_) | ast::Stmt::ForeachStmt(_) | ast::Stmt::WhileStmt(_));
        let attrs = stmt.syntax().children().filter_map(ast::Attr::cast);
        let attrs: Vec<_> = if is_loop { self.attrs(attrs, Above::Loop) } else { self.attrs_above_no_loop(attrs) };
        match stmt {
            ast::Stmt::LetStmt(it) => self.let_(it),
            ast::Stmt::AssignStmt(it) => self.assign(it),
            ast::Stmt::ExprStmt(it) => self.expr_statement(it),
            ast::Stmt::ForStmt(it) => self.for_(id, it, attrs),
            ast::Stmt::ForeachStmt(it) => self.foreach(id, it, attrs),
            ast::Stmt::WhileStmt(it) => {
                let condition = self.expr_or_missing(it.condition(), it.syntax());
                self.loops.push(Loop::Ordered);
                let body = self.block(id, it.body());
                self.loops.pop();
                Stmt::While { condition, body, coherent: it.cwhile_word().is_some(), attrs }
            }
            ast::Stmt::IfStmt(it) => self.if_(id, it),
            ast::Stmt::BreakStmt(it) => self.leave("break", it.syntax().text_range(), Stmt::Break),
            ast::Stmt::ContinueStmt(it) => self.leave("continue", it.syntax().text_range(), Stmt::Continue),
            ast::Stmt::ReturnStmt(it) => self.return_(it),
            ast::Stmt::PassStmt(_) => Stmt::Pass,
            ast::Stmt::AssertStmt(it) => Stmt::Assert(self.expr_or_missing(it.condition(), it.syntax())),
            ast::Stmt::StrayStmt(it) => self.broken(it.syntax()),
            ast::Stmt::Block(it) => {
                // Indented for no reason: its statements count as if they were not.
                Stmt::Broken(Vec::new(), self.statements(it))
            }
        }
    }

    fn attrs_above_no_loop(&mut self, attrs: impl Iterator<Item = ast::Attr>) -> Vec<Attr> {
        for attr in attrs {
            let Some(name) = attr.name().and_then(|name| name.text()) else { continue };
            let above = ATTRIBUTES.iter().find(|known| known.name == name).map_or(Above::Loop, |known| known.above);
            self.find(errors::misplaced_attribute(attr.syntax().text_range(), &name, above));
        }
        Vec::new()
    }

    /// A statement with a block that is not its own, or one that makes no sense at all.
    fn broken(&mut self, syntax: &SyntaxNode) -> Stmt {
        let block = syntax.children().find_map(ast::Block::cast);
        let stmts = self.lenient(|lower| block.map(|block| lower.statements(&block)).unwrap_or_default());
        Stmt::Broken(Vec::new(), stmts)
    }

    fn let_(&mut self, it: &ast::LetStmt) -> Stmt {
        let ty = it.ty().map(|ty| self.type_ref(&ty));
        let value = self.expr_or_missing(it.value(), it.syntax());
        let Some(name) = it.name() else { return Stmt::Broken(vec![value], Vec::new()) };
        let at = name.syntax().text_range();
        let text: Name = name.text().unwrap_or_default().into();
        if let Some(first) = self.scopes.lookup_here(&text) {
            let word = it.let_word().map(|word| word.text_range());
            self.find(errors::let_again(at, &text, self.map.locals[first], word));
        }
        let local = self.local(text, LocalKind::Let, at);
        self.body.locals[local].ty = ty;
        Stmt::Define(local, value)
    }

    fn assign(&mut self, it: &ast::AssignStmt) -> Stmt {
        let value = self.expr_or_missing(it.value(), it.syntax());
        let op = it.applied().and_then(binary_operator);
        let Some(target) = it.target() else { return Stmt::Broken(vec![value], Vec::new()) };
        let ast::Expr::NameRef(name) = &target else {
            self.update_field(&target);
            let target = self.expr(&target);
            return Stmt::Assign { target, op, value };
        };
        let Some(text) = name.text() else { return Stmt::Broken(vec![value], Vec::new()) };
        let at = name.syntax().text_range();
        match self.scopes.lookup(&text) {
            Some(local) => {
                self.update(local, &text, at);
                let target = self.alloc(Expr::Local(local), at);
                Stmt::Assign { target, op, value }
            }
            None if op.is_some() => {
                let target = self.expr(&target);
                Stmt::Assign { target, op, value }
            }
            None => {
                let local = self.local(text.into(), LocalKind::Assigned, at);
                Stmt::Define(local, value)
            }
        }
    }

    /// To assign to a field of a local that is a struct is to update the local.
    fn update_field(&mut self, target: &ast::Expr) {
        let ast::Expr::FieldExpr(field) = target else { return };
        let Some(ast::Expr::NameRef(name)) = field.base() else { return };
        let Some(text) = name.text() else { return };
        if let Some(local) = self.scopes.lookup(&text) {
            self.check_update(local, &text, name.syntax().text_range());
        }
    }

    fn update(&mut self, local: LocalId, name: &str, at: TextRange) {
        self.map.uses.push((at, local));
        self.check_update(local, name, at);
    }

    /// Checks that a local may be assigned to here.
    fn check_update(&mut self, local: LocalId, name: &str, at: TextRange) {
        let defined = self.map.locals[local];
        match self.body.locals[local].kind {
            kind @ (LocalKind::Param
            | LocalKind::ForIndex
            | LocalKind::ForeachIndex
            | LocalKind::Size
            | LocalKind::LambdaParam) => {
                self.find(errors::assign_to_fixed(at, name, kind, defined));
            }
            LocalKind::Let | LocalKind::Assigned => {
                self.body.locals[local].updated = true;
                let foreach = self.loops.iter().rev().find_map(|around| match around {
                    Loop::Foreach { word, single } => Some((*word, *single)),
                    Loop::Ordered => None,
                });
                if let (true, Some((word, single))) = (self.scopes.crosses_foreach(name), foreach) {
                    self.find(errors::foreach_update(at, name, defined, word, single));
                }
            }
        }
    }

    fn expr_statement(&mut self, it: &ast::ExprStmt) -> Stmt {
        let misunderstood =
            it.syntax().children().any(|child| matches!(child.kind(), SyntaxKind::BLOCK | SyntaxKind::ERROR));
        if misunderstood {
            return self.broken(it.syntax());
        }
        let Some(expr) = it.expr() else { return Stmt::Broken(Vec::new(), Vec::new()) };
        let has_effect = matches!(expr, ast::Expr::CallExpr(_));
        let value = self.expr(&expr);
        if !has_effect && self.body.exprs[value] != Expr::Missing {
            self.find(errors::no_effect(expr.syntax().text_range()));
        }
        Stmt::Expr(value)
    }

    fn for_(&mut self, id: StmtId, it: &ast::ForStmt, attrs: Vec<Attr>) -> Stmt {
        let Some(index) = it.index() else { return self.broken(it.syntax()) };
        let range = self.range(&index);
        self.scopes.open(Some(id));
        let local = self.index(&index, LocalKind::ForIndex);
        self.loops.push(Loop::Ordered);
        let body = it.body().map(|block| self.statements(&block)).unwrap_or_default();
        self.loops.pop();
        self.scopes.close();
        match local {
            Some(index) => Stmt::For { index, range, body, coherent: it.cfor_word().is_some(), attrs },
            None => Stmt::Broken(Vec::new(), body),
        }
    }

    fn foreach(&mut self, id: StmtId, it: &ast::ForeachStmt, attrs: Vec<Attr>) -> Stmt {
        // The range of an index may not use another index of the same loop: all stand outside of it.
        let indices: Vec<_> = it.indices().collect();
        let ranges: Vec<_> = indices.iter().map(|index| self.range(index)).collect();
        let word = it.foreach_word().map_or(it.syntax().text_range(), |word| word.text_range());
        self.scopes.open_foreach(id);
        let mut locals = Vec::new();
        for (index, range) in indices.iter().zip(ranges) {
            let again = index.name().and_then(|name| name.text()).and_then(|text| self.scopes.lookup_here(&text));
            if let (Some(first), Some(name)) = (again, index.name()) {
                let first = self.map.locals[first];
                self.find(errors::duplicate_local(
                    name.syntax().text_range(),
                    &name.text().unwrap_or_default(),
                    "loop index",
                    first,
                ));
            }
            if let Some(local) = self.index(index, LocalKind::ForeachIndex) {
                locals.push((local, range));
            }
        }
        self.loops.push(Loop::Foreach { word, single: indices.len() == 1 });
        let body = it.body().map(|block| self.statements(&block)).unwrap_or_default();
        self.loops.pop();
        self.scopes.close();
        if locals.is_empty() {
            return Stmt::Broken(Vec::new(), body);
        }
        Stmt::Foreach { indices: locals, body, attrs }
    }

    fn index(&mut self, index: &ast::LoopIndex, kind: LocalKind) -> Option<LocalId> {
        let name = index.name()?;
        Some(self.local(name.text().unwrap_or_default().into(), kind, name.syntax().text_range()))
    }

    fn range(&mut self, index: &ast::LoopIndex) -> Range {
        let missing = |lower: &mut Self| Range { start: None, stop: lower.missing(index.syntax()), step: None };
        let Some(ast::Expr::CallExpr(call)) = index.over() else {
            if let Some(over) = index.over() {
                self.lenient(|lower| lower.expr(&over));
            }
            return missing(self);
        };
        let named_range =
            matches!(call.callee(), Some(ast::Expr::NameRef(name)) if name.text().as_deref() == Some("range"));
        let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
        let ids: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        if !named_range {
            return missing(self);
        }
        match ids[..] {
            [stop] => Range { start: None, stop, step: None },
            [start, stop] => Range { start: Some(start), stop, step: None },
            [start, stop, step] => Range { start: Some(start), stop, step: Some(step) },
            _ => {
                let whole = call.args().is_some_and(|args| args.close().is_some());
                if whole {
                    self.find(errors::range_arguments(call.syntax().text_range(), ids.len()));
                }
                missing(self)
            }
        }
    }

    fn if_(&mut self, id: StmtId, it: &ast::IfStmt) -> Stmt {
        let condition = self.expr_or_missing(it.condition(), it.syntax());
        let then_block = self.block(id, it.body());
        let elifs: Vec<_> = it.elifs().collect();
        let else_block = self.elifs(id, &elifs, it.else_branch());
        Stmt::If { condition, then_block, else_block, coherent: it.cif_word().is_some() }
    }

    fn elifs(&mut self, owner: StmtId, elifs: &[ast::ElifBranch], last: Option<ast::ElseBranch>) -> Block {
        let Some((first, rest)) = elifs.split_first() else {
            return last.map(|branch| self.block(owner, branch.body())).unwrap_or_default();
        };
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, first.syntax().text_range());
        let condition = self.expr_or_missing(first.condition(), first.syntax());
        let then_block = self.block(owner, first.body());
        let else_block = self.elifs(owner, rest, last);
        self.body.stmts[id] = Stmt::If { condition, then_block, else_block, coherent: false };
        vec![id]
    }

    fn leave(&mut self, word: &str, at: TextRange, stmt: Stmt) -> Stmt {
        match self.loops.last() {
            None if !self.scopes.is_lenient() => self.find(errors::outside_loop(at, word)),
            Some(&Loop::Foreach { word: foreach, single }) if word == "break" => {
                self.find(errors::foreach_leaves(at, word, foreach, single));
            }
            _ => {}
        }
        stmt
    }

    fn return_(&mut self, it: &ast::ReturnStmt) -> Stmt {
        let foreach = self.loops.iter().find_map(|around| match around {
            Loop::Foreach { word, single } => Some((*word, *single)),
            Loop::Ordered => None,
        });
        if let Some((word, single)) = foreach {
            self.find(errors::foreach_leaves(it.syntax().text_range(), "return", word, single));
        }
        Stmt::Return(it.value().map(|value| self.expr(&value)))
    }

    // Expressions.

    fn alloc(&mut self, expr: Expr, at: TextRange) -> ExprId {
        let id = self.body.exprs.alloc(expr);
        self.map.exprs.insert(id, at);
        id
    }

    fn missing(&mut self, near: &SyntaxNode) -> ExprId {
        self.alloc(Expr::Missing, TextRange::empty(near.text_range().end()))
    }

    fn expr_or_missing(&mut self, expr: Option<ast::Expr>, near: &SyntaxNode) -> ExprId {
        match expr {
            Some(expr) => self.expr(&expr),
            None => self.missing(near),
        }
    }

    fn expr(&mut self, expr: &ast::Expr) -> ExprId {
        let at = expr.syntax().text_range();
        let lowered = match expr {
            ast::Expr::ParenExpr(it) => return self.expr_or_missing(it.expr(), it.syntax()),
            ast::Expr::Literal(it) => self.literal(it),
            ast::Expr::NameRef(it) => match it.text() {
                Some(text) => self.name(&text, at),
                None => Expr::Missing,
            },
            ast::Expr::OperatorRef(it) => match it.op().and_then(|op| binary_operator(op.kind())) {
                Some(op) => Expr::Operator(op),
                None => Expr::Missing,
            },
            ast::Expr::PrefixExpr(it) => {
                let operand = self.expr_or_missing(it.operand(), it.syntax());
                match it.op().map(|op| op.kind()) {
                    Some(SyntaxKind::MINUS) => Expr::Unary(UnaryOp::Neg, operand),
                    Some(SyntaxKind::PLUS) => Expr::Unary(UnaryOp::Plus, operand),
                    Some(SyntaxKind::TILDE) => Expr::Unary(UnaryOp::BitNot, operand),
                    _ => Expr::Unary(UnaryOp::Not, operand),
                }
            }
            ast::Expr::BinExpr(it) => {
                let lhs = self.expr_or_missing(it.lhs(), it.syntax());
                let rhs = self.expr_or_missing(it.rhs(), it.syntax());
                match it.op().and_then(|op| binary_operator(op.kind())) {
                    Some(op) => Expr::Binary(op, lhs, rhs),
                    None => Expr::Missing,
                }
            }
            ast::Expr::CondExpr(it) => Expr::Cond {
                then_value: self.expr_or_missing(it.then_value(), it.syntax()),
                condition: self.expr_or_missing(it.condition(), it.syntax()),
                else_value: self.expr_or_missing(it.else_value(), it.syntax()),
            },
            ast::Expr::CallExpr(it) => self.call(it),
            ast::Expr::IndexExpr(it) => {
                let base = self.expr_or_missing(it.base(), it.syntax());
                let subscripts: Vec<_> = it.indices().into_iter().flat_map(|list| list.subscripts()).collect();
                if subscripts.is_empty() {
                    Expr::Missing
                } else {
                    Expr::Index(base, subscripts.iter().map(|subscript| self.subscript(subscript)).collect())
                }
            }
            ast::Expr::FieldExpr(it) => {
                let base = self.expr_or_missing(it.base(), it.syntax());
                match it.field().and_then(|field| field.text()) {
                    Some(field) => Expr::Field(base, field.into()),
                    None => Expr::Missing,
                }
            }
            ast::Expr::LambdaExpr(it) => self.lambda(it),
        };
        self.alloc(lowered, at)
    }

    fn literal(&mut self, it: &ast::Literal) -> Expr {
        let Some(token) = it.token() else { return Expr::Missing };
        let at = token.text_range();
        match token.kind() {
            SyntaxKind::TRUE_KW => Expr::Literal(Literal::Bool(true)),
            SyntaxKind::FALSE_KW => Expr::Literal(Literal::Bool(false)),
            SyntaxKind::INT => match parse_int(token.text()) {
                Some(value) => Expr::Literal(Literal::Int(value)),
                None if is_int(token.text()) => {
                    self.find(errors::number_too_large(at, token.text()));
                    Expr::Missing
                }
                None => Expr::Missing,
            },
            SyntaxKind::FLOAT => match token.text().replace('_', "").parse::<f64>() {
                Ok(value) if value.is_infinite() => {
                    self.find(errors::number_too_large(at, token.text()));
                    Expr::Missing
                }
                Ok(value) => Expr::Literal(Literal::Float(value)),
                Err(_) => Expr::Missing,
            },
            _ => Expr::Missing,
        }
    }

    /// What a name stands for, if it is known.
    fn resolve(&self, name: &str) -> Option<Expr> {
        if let Some(local) = self.scopes.lookup(name) {
            return Some(Expr::Local(local));
        }
        if let Some(key) = self.names.get(name) {
            return Some(Expr::Item(key.kind, key.name.clone()));
        }
        BuiltinId::from_name(name).map(Expr::Builtin)
    }

    fn name(&mut self, name: &str, at: TextRange) -> Expr {
        match self.resolve(name) {
            Some(Expr::Local(local)) => {
                self.use_local(local, at);
                Expr::Local(local)
            }
            Some(Expr::Builtin(builtin)) => {
                let outside = !self.loops.iter().any(|around| matches!(around, Loop::Foreach { .. }));
                if builtin.get().crosses_lanes && outside && self.kind != ItemKind::Fn && !self.scopes.is_lenient() {
                    self.find(errors::lane_operation_outside(at, name));
                }
                Expr::Builtin(builtin)
            }
            Some(expr) => expr,
            None => self.unknown_name(name, at),
        }
    }

    fn use_local(&mut self, local: LocalId, at: TextRange) {
        self.map.uses.push((at, local));
        self.read.insert(local);
    }

    fn unknown_name(&mut self, name: &str, at: TextRange) -> Expr {
        if self.scopes.is_lenient() || self.unknown.contains_key(name) {
            return Expr::Missing;
        }
        if let Some(ended) = self.scopes.ended(name) {
            self.use_local(ended.local, at);
            let defined = self.map.locals[ended.local];
            let owner = ended.owner.map(|owner| self.map.stmts[owner]);
            let initial = if self.is_bool(ended.local) { "false" } else { "0" };
            self.find(errors::used_after_block(at, name, defined, owner, initial));
            return Expr::Local(ended.local);
        }
        self.unknown.insert(name.into(), at);
        let locals = self.scopes.visible();
        let candidates: Vec<&str> = locals
            .iter()
            .map(|(name, _)| &**name)
            .chain(self.names.in_order.iter().map(|key| &*key.name))
            .chain(BUILTINS.iter().map(|builtin| builtin.name))
            .collect();
        let finding = errors::unknown_name(at, name, syntax::spelling::closest(name, &candidates));
        self.find(finding);
        Expr::Missing
    }

    /// Whether the value that defines a local is a bool by its form.
    fn is_bool(&self, local: LocalId) -> bool {
        let value = self.body.stmts.iter().find_map(|(_, stmt)| match stmt {
            Stmt::Define(defined, value) if *defined == local => Some(*value),
            _ => None,
        });
        value.is_some_and(|value| match &self.body.exprs[value] {
            Expr::Literal(Literal::Bool(_)) | Expr::Unary(UnaryOp::Not, _) => true,
            Expr::Binary(op, ..) => op.compares() || op.is_logical(),
            _ => false,
        })
    }

    fn call(&mut self, it: &ast::CallExpr) -> Expr {
        let args: Vec<_> = it.args().into_iter().flat_map(|args| args.args()).collect();
        let cast = match it.callee() {
            Some(ast::Expr::NameRef(name)) => {
                let text = name.text().unwrap_or_default();
                Scalar::from_name(&text).filter(|_| self.scopes.lookup(&text).is_none())
            }
            _ => None,
        };
        if let Some(scalar) = cast {
            return Expr::Cast(scalar, args.iter().map(|arg| self.expr(arg)).collect());
        }
        let callee = self.expr_or_missing(it.callee(), it.syntax());
        Expr::Call(callee, args.iter().map(|arg| self.expr(arg)).collect())
    }

    fn subscript(&mut self, subscript: &ast::Subscript) -> Subscript {
        match subscript {
            ast::Subscript::Slice(slice) => {
                let mut part = |part: Option<ast::Expr>| part.map(|part| self.expr(&part));
                let (lo, hi, step) = (part(slice.lo()), part(slice.hi()), part(slice.step()));
                Subscript::Slice { lo, hi, step }
            }
            other => {
                let expr = ast::Expr::cast(other.syntax().clone());
                Subscript::At(self.expr_or_missing(expr, other.syntax()))
            }
        }
    }

    fn lambda(&mut self, it: &ast::LambdaExpr) -> Expr {
        self.scopes.open(None);
        let mut params = Vec::new();
        for param in it.params().into_iter().flat_map(|list| list.params()) {
            let Some(name) = param.name() else { continue };
            let text: Name = name.text().unwrap_or_default().into();
            let at = name.syntax().text_range();
            if let Some(first) = self.scopes.lookup_here(&text) {
                self.find(errors::duplicate_local(at, &text, "parameter", self.map.locals[first]));
            }
            let ty = param.ty().map(|ty| self.type_ref(&ty));
            let local = self.local(text, LocalKind::LambdaParam, at);
            self.body.locals[local].ty = ty;
            params.push(local);
        }
        let body = self.expr_or_missing(it.body(), it.syntax());
        self.scopes.close();
        Expr::Lambda(params, body)
    }
}

/// From an item's first own token to the end of its header, without the colon.
fn header(root: &SyntaxNode) -> TextRange {
    let part = |child: &SyntaxNode| !matches!(child.kind(), SyntaxKind::ATTR | SyntaxKind::BLOCK | SyntaxKind::ERROR);
    let start = root
        .children_with_tokens()
        .find_map(|child| child.into_token())
        .map_or(root.text_range().start(), |token| token.text_range().start());
    let end = root.children().filter(part).last().map_or(start, |last| last.text_range().end());
    TextRange::new(start, end.max(start))
}

fn binary_operator(kind: SyntaxKind) -> Option<BinOp> {
    Some(match kind {
        SyntaxKind::PLUS => BinOp::Add,
        SyntaxKind::MINUS => BinOp::Sub,
        SyntaxKind::STAR => BinOp::Mul,
        SyntaxKind::SLASH => BinOp::Div,
        SyntaxKind::SLASH2 => BinOp::FloorDiv,
        SyntaxKind::PERCENT => BinOp::Rem,
        SyntaxKind::STAR2 => BinOp::Pow,
        SyntaxKind::AMP => BinOp::BitAnd,
        SyntaxKind::PIPE => BinOp::BitOr,
        SyntaxKind::CARET => BinOp::BitXor,
        SyntaxKind::SHL => BinOp::Shl,
        SyntaxKind::SHR => BinOp::Shr,
        SyntaxKind::AND_KW | SyntaxKind::AMP2 => BinOp::And,
        SyntaxKind::OR_KW | SyntaxKind::PIPE2 => BinOp::Or,
        SyntaxKind::LT => BinOp::Lt,
        SyntaxKind::LE => BinOp::Le,
        SyntaxKind::GT => BinOp::Gt,
        SyntaxKind::GE => BinOp::Ge,
        SyntaxKind::EQ2 => BinOp::Eq,
        SyntaxKind::NE => BinOp::Ne,
        _ => return None,
    })
}

/// The value of an integer as written; `None` when it is malformed or does not even fit 64 bits.
fn parse_int(text: &str) -> Option<u128> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (&text[..], 10),
    };
    u128::from_str_radix(digits, radix).ok().filter(|&value| value <= u128::from(u64::MAX))
}

/// Whether all digits of an integer are digits of its base.
fn is_int(text: &str) -> bool {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (&text[..], 10),
    };
    !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix))
}
