//! Statements: what they define, update and leave.

use report::{ItemKind, TextRange};
use syntax::ast::{self, AstNode};
use syntax::{SyntaxKind, SyntaxNode};

use super::domains::{Domain, Pattern};
use super::exprs::binary_operator;
use super::several::is_of_several;
use super::{Loop, Lower};
use hir::builtins::{Above, AttributeId};
use hir::errors;
use hir::{
    AttributeUse, BinOp, Block, Expr, ExprId, Kept, Literal, LocalId, LocalKind, LoopHeader, Name, Over, Range, Stmt,
    StmtId,
};

impl Lower<'_> {
    pub(super) fn lenient<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open(None);
        self.scopes.be_lenient();
        let result = lower(self);
        self.scopes.close();
        result
    }

    /// The statements of a block whose scope is open.
    pub(super) fn statements(&mut self, block: &ast::Block) -> Block {
        let mut out = Block::new();
        for stmt in block.stmts() {
            match &stmt {
                ast::Stmt::LetStmt(it) if it.parts().next().is_some() => self.let_several(it, &mut out),
                ast::Stmt::AssignStmt(it) if is_of_several(it) => self.assign_several(it, &mut out),
                ast::Stmt::MatchStmt(it) => {
                    self.attrs_above_no_loop(it.attrs(), None);
                    let mut parts = Vec::new();
                    self.match_(it, &mut parts);
                    out.append(&mut self.before);
                    out.append(&mut parts);
                }
                stmt => {
                    let id = self.statement(stmt);
                    out.append(&mut self.before);
                    out.push(id);
                }
            }
        }
        if let Some(n) = out.iter().position(|stmt| self.leaving.contains(stmt))
            && let (Some(first), Some(last)) = (out.get(n + 1), out.last())
        {
            let dead = self.map.stmts[*first].cover(self.map.stmts[*last]);
            self.find(errors::dead_code(dead, self.map.stmts[out[n]]));
        }
        out
    }

    /// The block never goes on behind its end.
    fn leaves(&self, block: &Block) -> bool {
        block.iter().any(|stmt| self.leaving.contains(stmt))
    }

    /// The statement, whose blocks were looked at, never goes on with the next one.
    fn is_leaving(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Break | Stmt::Continue | Stmt::Return(_) => true,
            Stmt::If { then_block, else_block, .. } => self.leaves(then_block) && self.leaves(else_block),
            Stmt::While { condition, body, .. } => {
                let forever = self.body.exprs[*condition] == Expr::Literal(Literal::Bool(true));
                forever && !self.breaks(body)
            }
            _ => false,
        }
    }

    pub(super) fn set_statement(&mut self, id: StmtId, stmt: Stmt) {
        if self.is_leaving(&stmt) {
            self.leaving.insert(id);
        }
        self.body.stmts[id] = stmt;
    }

    fn block(&mut self, owner: StmtId, block: Option<ast::Block>) -> Block {
        self.scopes.open(Some(owner));
        let stmts = block.map(|block| self.statements(&block)).unwrap_or_default();
        self.scopes.close();
        stmts
    }

    /// The block of a branch. The names of one of a `static if` are known behind it.
    fn static_branch(&mut self, owner: StmtId, block: Option<ast::Block>, kept: &mut Vec<(Name, LocalId)>) -> Block {
        if !self.body.statics.contains(&owner) {
            return self.block(owner, block);
        }
        self.scopes.open(Some(owner));
        let stmts = block.map(|block| self.statements(&block)).unwrap_or_default();
        for (name, local) in self.scopes.take() {
            let first = kept.iter().find(|(known, _)| *known == name).map(|(_, local)| *local);
            if first.is_none() {
                kept.push((name, local));
            }
            self.body.kept.push(Kept { stmt: owner, local, known_as: first.unwrap_or(local) });
        }
        stmts
    }

    /// Makes the names of the branches of a `static if` known behind it, but those that its block has already.
    fn keep(&mut self, names: Vec<(Name, LocalId)>) {
        for (name, local) in names {
            if self.scopes.lookup_here(&name).is_none() {
                self.scopes.define(name, local);
            }
        }
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> StmtId {
        // The place in the arena is taken first, so that statements are numbered in the order of the text.
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, stmt.syntax().text_range());
        let outside = self.parent_loop;
        if is_static(stmt) {
            self.body.statics.insert(id);
        } else {
            self.map_header(id, stmt);
        }
        let lowered = self.statement_kind(id, stmt);
        self.parent_loop = outside;
        self.set_statement(id, lowered);
        id
    }

    /// Writes down where the header of a loop stands, or the word of an `if`.
    fn map_header(&mut self, id: StmtId, stmt: &ast::Stmt) {
        let parts = || stmt.syntax().children_with_tokens();
        let word = || parts().find(|part| part.kind().is_keyword()).map(|word| word.text_range());
        if matches!(stmt, ast::Stmt::IfStmt(_)) {
            self.map.if_words.extend(word().map(|word| (id, word)));
        }
        if !is_loop(stmt) {
            return;
        }
        // The word of a loop, which may be misspelled, stands behind the attributes.
        let mut own = parts().skip_while(|part| part.kind() == SyntaxKind::ATTR);
        let Some(first) = own.next() else { return };
        let in_header = own.take_while(|part| !matches!(part.kind(), SyntaxKind::COLON | SyntaxKind::BLOCK));
        let at = in_header.fold(first.text_range(), |at, part| at.cover(part.text_range()));
        let body = parts().find(|part| part.kind() == SyntaxKind::BLOCK).map(|body| body.text_range());
        let parent = self.parent_loop;
        self.parent_loop = Some(self.map.loops.len() as u32);
        self.map.loops.push(LoopHeader { stmt: id, at, word: word(), body, parent });
    }

    fn statement_kind(&mut self, id: StmtId, stmt: &ast::Stmt) -> Stmt {
        let attrs = stmt.syntax().children().filter_map(ast::Attr::cast);
        let attrs: Vec<_> = match stmt {
            ast::Stmt::ForeachStmt(it) if (2..=3).contains(&it.indices().count()) => self.attrs(attrs, Above::Ranges),
            _ if is_loop(stmt) => self.attrs(attrs, Above::Loop),
            _ => self.attrs_above_no_loop(attrs, Some(stmt)),
        };
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
            // One that is no line of a block has no meaning, and its syntax error.
            ast::Stmt::MatchStmt(_) | ast::Stmt::PassStmt(_) => Stmt::Pass,
            ast::Stmt::AssertStmt(it) => Stmt::Assert(self.expr_or_missing(it.condition(), it.syntax())),
            ast::Stmt::StrayStmt(it) => self.broken(it.syntax()),
            ast::Stmt::Block(it) => {
                // Indented for no reason: its statements count as if they were not. A line above it may be missing.
                self.body.in_doubt = true;
                Stmt::Broken(Vec::new(), self.statements(it))
            }
        }
    }

    /// `below`: the statement below them. A name alone may be the first letters of a loop, so its own error is enough.
    fn attrs_above_no_loop(
        &mut self,
        attrs: impl Iterator<Item = ast::Attr>,
        below: Option<&ast::Stmt>,
    ) -> Vec<AttributeUse> {
        let is_name =
            matches!(below, Some(ast::Stmt::ExprStmt(it)) if matches!(it.expr(), Some(ast::Expr::NameRef(_))));
        for attr in attrs {
            let Some(name) = attr.name().and_then(|name| name.text()) else { continue };
            match AttributeId::from_name(&name).map(AttributeId::get) {
                Some(_) if is_name => {}
                Some(known) => self.find(errors::misplaced_attribute(attr.syntax().text_range(), &name, known.above)),
                None => self.unknown_attribute(&attr, &name),
            }
        }
        Vec::new()
    }

    /// A statement with a block that is not its own, or one that makes no sense at all.
    pub(super) fn broken(&mut self, syntax: &SyntaxNode) -> Stmt {
        self.body.in_doubt = true;
        let block = syntax.children().find_map(ast::Block::cast);
        let stmts = self.lenient(|lower| block.map(|block| lower.statements(&block)).unwrap_or_default());
        Stmt::Broken(Vec::new(), stmts)
    }

    fn let_(&mut self, it: &ast::LetStmt) -> Stmt {
        let ty = it.ty().map(|ty| self.type_ref(&ty));
        let filled = it.ty().filter(|ty| it.value().is_none() && ty.sizes().is_some());
        let value = match &filled {
            Some(ty) => self.alloc(Expr::Zero, ty.syntax().text_range()),
            None => self.expr_or_missing(it.value(), it.syntax()),
        };
        self.body.in_doubt |= it.name().is_none() || it.value().is_none() && filled.is_none();
        let Some(name) = it.name() else { return Stmt::Broken(vec![value], Vec::new()) };
        let at = name.syntax().text_range();
        let text: Name = name.text().unwrap_or_default().into();
        let word = it.let_word().filter(|_| ty.is_none()).map(|word| word.text_range());
        Stmt::Define(self.let_local(text, at, ty, word), value)
    }

    /// The variable that a `let` defines; `word` is the `let` if it may be left out where the variable is there already.
    pub(super) fn let_local(
        &mut self,
        name: Name,
        at: TextRange,
        ty: Option<hir::TypeRef>,
        word: Option<TextRange>,
    ) -> LocalId {
        let is_kept = |local: &LocalId| self.body.kept.iter().any(|it| it.known_as == *local);
        if let Some(first) = self.scopes.lookup_here(&name).filter(|first| &*name != "_" && !is_kept(first)) {
            self.find(errors::let_again(at, &name, self.map.locals[first], word));
            self.misplaced.insert(first);
        }
        let local = self.local(name, LocalKind::Let, at);
        self.body.locals[local].ty = ty;
        local
    }

    fn assign(&mut self, it: &ast::AssignStmt) -> Stmt {
        let value = self.expr_or_missing(it.value(), it.syntax());
        let op = it.applied().and_then(binary_operator);
        match it.target() {
            Some(target) => self.assign_to(&target, op, value),
            None => Stmt::Broken(vec![value], Vec::new()),
        }
    }

    /// Finds `s += x` of a variable that nothing defines, and that no other name is near to.
    fn starts_nowhere(&mut self, name: &str, op: Option<BinOp>, at: TextRange) -> bool {
        let is_known = self.resolve(name).is_some() || self.scopes.ended(name).is_some();
        let in_doubt = self.body.in_doubt || self.scopes.is_lenient() || self.names.is_lost_with_use(name);
        let is_run = matches!(self.kind, ItemKind::Kernel | ItemKind::Fn);
        let visible = self.scopes.visible();
        let near = report::spelling::closest(name, &visible.iter().map(|(name, _)| &**name).collect::<Vec<_>>());
        if is_known || in_doubt || !is_run || near.is_some() || self.unknown.contains(name) {
            return false;
        }
        let outermost = self.scopes.outermost_owner().and_then(|owner| self.map.stmts.get(owner).copied());
        self.unknown.insert(name.into());
        self.find(errors::starts_nowhere(at, name, op, outermost));
        true
    }

    /// An assignment to one target, which may define a variable.
    pub(super) fn assign_to(&mut self, target: &ast::Expr, op: Option<BinOp>, value: ExprId) -> Stmt {
        let ast::Expr::NameRef(name) = target else {
            self.update_field(target);
            let target = self.expr(target);
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
                if let Some(Expr::Builtin(_)) = self.resolve(&text) {
                    if !self.body.in_doubt && !self.scopes.is_lenient() && !self.unknown.contains(&*text) {
                        self.find(errors::updates_builtin(at, &text));
                        // More uses of the variable are the same mistake.
                        self.unknown.insert(text.as_str().into());
                    }
                    return Stmt::Broken(vec![value], Vec::new());
                }
                if self.starts_nowhere(&text, op, at) {
                    return Stmt::Broken(vec![value], Vec::new());
                }
                let target = self.expr(target);
                Stmt::Assign { target, op, value }
            }
            None => {
                let local = self.local(text.into(), LocalKind::Assigned, at);
                Stmt::Define(local, value)
            }
        }
    }

    /// To assign to a field of a local that is a struct, or to a cell of such a field, is to update the local. Whether a parameter is one
    /// shows only when types are inferred.
    fn update_field(&mut self, target: &ast::Expr) {
        let (mut base, mut of_struct) = (Some(target.clone()), false);
        loop {
            (base, of_struct) = match base {
                Some(ast::Expr::FieldExpr(field)) => (field.base(), true),
                // What has a subscript itself is an array.
                Some(ast::Expr::IndexExpr(index)) => (index.base(), false),
                _ => break,
            };
        }
        let Some(ast::Expr::NameRef(name)) = base.filter(|_| of_struct) else { return };
        let Some(text) = name.text() else { return };
        let variable = |local: &LocalId| match self.body.locals[*local].kind {
            LocalKind::Let | LocalKind::Assigned => true,
            kind => kind == LocalKind::Param && self.kind == ItemKind::Fn,
        };
        if let Some(local) = self.scopes.lookup(&text).filter(variable) {
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
            LocalKind::Param | LocalKind::Element => {
                if self.assigned.iter().all(|(param, _)| *param != local) {
                    self.assigned.push((local, at));
                }
            }
            kind @ (LocalKind::ForIndex
            | LocalKind::ForeachIndex
            | LocalKind::Size
            | LocalKind::Constant
            | LocalKind::TypeParam
            | LocalKind::LambdaParam) => {
                self.find(errors::assign_to_fixed(at, name, kind, defined));
            }
            // No text names what is held.
            LocalKind::Held => {}
            LocalKind::Let | LocalKind::Assigned => {
                self.body.locals[local].updated = true;
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
        match &self.body.exprs[value] {
            // The first letters of a statement.
            Expr::Missing => self.body.in_doubt = true,
            _ if !has_effect => {
                let is_place =
                    matches!(expr, ast::Expr::NameRef(_) | ast::Expr::IndexExpr(_) | ast::Expr::FieldExpr(_));
                self.is_half_typed |= is_place;
                self.find(errors::no_effect(expr.syntax().text_range()));
            }
            _ => {}
        }
        Stmt::Expr(value)
    }

    fn for_(&mut self, id: StmtId, it: &ast::ForStmt, attrs: Vec<AttributeUse>) -> Stmt {
        let Some(index) = it.index() else { return self.broken(it.syntax()) };
        let pattern = Pattern::of(&index);
        let domain = self.domain(&index, &pattern, true);
        let before = std::mem::take(&mut self.before);
        self.scopes.open(Some(id));
        let mut body = Block::new();
        let kind = if it.static_word().is_some() { LocalKind::Constant } else { LocalKind::ForIndex };
        let local = self.open_domain(&domain, &pattern, kind, &mut body);
        self.body.in_doubt |= local.is_none();
        self.loops.push(Loop::Ordered);
        body.extend(it.body().map(|block| self.statements(&block)).unwrap_or_default());
        self.loops.pop();
        self.close_loop(it.body().is_some(), &[pattern]);
        self.before = before;
        let over = match domain {
            Domain::Range(range) | Domain::Held { range, .. } => Over::Range(range),
            Domain::Elements(array) => Over::Elements(array),
        };
        match local {
            Some(index) => Stmt::For { index, over, body, coherent: it.cfor_word().is_some(), attrs },
            None => Stmt::Broken(Vec::new(), body),
        }
    }

    fn foreach(&mut self, id: StmtId, it: &ast::ForeachStmt, attrs: Vec<AttributeUse>) -> Stmt {
        // What an index goes over may not use another index of the same loop: all stand outside of it.
        let patterns: Vec<_> = it.indices().map(|index| Pattern::of(&index)).collect();
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| pattern.names(&mut names));
        self.indices_to_be = names;
        let domains: Vec<_> =
            it.indices().zip(&patterns).map(|(index, pattern)| self.domain(&index, pattern, false)).collect();
        self.indices_to_be.clear();
        let before = std::mem::take(&mut self.before);
        let word = it.foreach_word().map_or(it.syntax().text_range(), |word| word.text_range());
        self.scopes.open(Some(id));
        let (mut indices, mut body) = (Vec::new(), Block::new());
        for (domain, pattern) in domains.into_iter().zip(&patterns) {
            let local = self.open_domain(&domain, pattern, LocalKind::ForeachIndex, &mut body);
            match (local, domain) {
                (Some(local), Domain::Range(range) | Domain::Held { range, .. }) => indices.push((local, range)),
                _ => self.body.in_doubt = true,
            }
        }
        self.loops.push(Loop::Foreach { word, single: patterns.len() == 1 });
        body.extend(it.body().map(|block| self.statements(&block)).unwrap_or_default());
        self.loops.pop();
        self.close_loop(it.body().is_some(), &patterns);
        self.before = before;
        if indices.is_empty() {
            return Stmt::Broken(Vec::new(), body);
        }
        Stmt::Foreach { indices, body, attrs }
    }

    /// Closes the scope of a loop. What stands below a header without a body was most likely meant as its body, so the uses of
    /// the indices there are no mistakes of their own.
    fn close_loop(&mut self, has_body: bool, patterns: &[Pattern]) {
        if has_body {
            self.scopes.close();
            return;
        }
        self.scopes.forget();
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| pattern.names(&mut names));
        self.unknown.extend(names);
    }

    /// A range that is missing, or that makes no sense.
    pub(super) fn missing_range(&mut self, near: &SyntaxNode) -> Range {
        Range { start: None, stop: self.missing(near), step: None }
    }

    /// The range of a call of `range`.
    pub(super) fn range(&mut self, call: &ast::CallExpr) -> Range {
        let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
        self.names_nothing(&args);
        let ids: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        match ids[..] {
            [stop] => Range { start: None, stop, step: None },
            [start, stop] => Range { start: Some(start), stop, step: None },
            [start, stop, step] => Range { start: Some(start), stop, step: Some(step) },
            _ => {
                let whole = call.args().is_some_and(|args| args.close().is_some());
                if whole {
                    self.find(errors::range_arguments(call.syntax().text_range(), ids.len()));
                }
                self.missing_range(call.syntax())
            }
        }
    }

    fn if_(&mut self, id: StmtId, it: &ast::IfStmt) -> Stmt {
        let condition = self.expr_or_missing(it.condition(), it.syntax());
        let mut kept = Vec::new();
        let then_block = self.static_branch(id, it.body(), &mut kept);
        let elifs: Vec<_> = it.elifs().take(syntax::MAX_ELIFS).collect();
        let else_block = self.elifs(id, &elifs, it.else_branch(), &mut kept);
        self.keep(kept);
        Stmt::If { condition, then_block, else_block, coherent: it.cif_word().is_some() }
    }

    fn elifs(
        &mut self,
        owner: StmtId,
        elifs: &[ast::ElifBranch],
        last: Option<ast::ElseBranch>,
        kept: &mut Vec<(Name, LocalId)>,
    ) -> Block {
        let Some((first, rest)) = elifs.split_first() else {
            return last.map(|branch| self.static_branch(owner, branch.body(), kept)).unwrap_or_default();
        };
        let id = self.body.stmts.alloc(Stmt::Pass);
        self.map.stmts.insert(id, first.syntax().text_range());
        if self.body.statics.contains(&owner) {
            self.body.statics.insert(id);
        }
        let condition = self.expr_or_missing(first.condition(), first.syntax());
        let then_block = self.static_branch(owner, first.body(), kept);
        let else_block = self.elifs(owner, rest, last, kept);
        self.set_statement(id, Stmt::If { condition, then_block, else_block, coherent: false });
        vec![id]
    }

    fn leave(&mut self, word: &str, at: TextRange, stmt: Stmt) -> Stmt {
        match self.loops.last() {
            None => {
                if !self.scopes.is_lenient() && !self.body.in_doubt {
                    self.find(errors::outside_loop(at, word));
                }
                return Stmt::Broken(Vec::new(), Vec::new());
            }
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

    /// A function that gives a value gives one on every way through it.
    pub(super) fn returns(&mut self) {
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
            Some(ty) => (ty.at, "promised"),
            None => (self.map.stmts[values[0]], "given"),
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
        let found_wanting = self.lacks_case || !bare.is_empty() || self.body.in_doubt || self.body.block.is_empty();
        if self.leaves(&self.body.block) {
            return;
        }
        self.lacks_return = true;
        if !found_wanting {
            let last = self.body.block.last().filter(|stmt| matches!(self.body.stmts[**stmt], Stmt::Expr(_)));
            let last = last.map(|stmt| self.map.stmts[*stmt]);
            self.find(errors::missing_return(self.map.header, because, last));
        }
    }

    /// A `break` in the block leaves the loop that the block is the body of.
    fn breaks(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Break => true,
            Stmt::If { then_block, else_block, .. } => self.breaks(then_block) || self.breaks(else_block),
            _ => false,
        })
    }
}

/// The word `static` stands in front of a statement.
fn is_static(stmt: &ast::Stmt) -> bool {
    let word = match stmt {
        ast::Stmt::ForStmt(it) => it.static_word(),
        ast::Stmt::IfStmt(it) => it.static_word(),
        ast::Stmt::AssertStmt(it) => it.static_word(),
        _ => None,
    };
    word.is_some()
}

fn is_loop(stmt: &ast::Stmt) -> bool {
    matches!(stmt, ast::Stmt::ForStmt(_) | ast::Stmt::ForeachStmt(_) | ast::Stmt::WhileStmt(_))
}
