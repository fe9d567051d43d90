//! The dense tree to HIR.
//!
//! Names are resolved in the order of the text: a name must be defined above where it is used. A local is looked
//! for in the blocks around the place, then the name among the file's items, then among the builtins.
//!
//! Items, types, attributes and locals are lowered here, statements in [`statements`], those that assign to several targets in
//! [`several`], `match` in [`matching`], enums in [`enums`], what loops go over in [`domains`], what is decided at compile time
//! in [`generics`], expressions in [`exprs`], comprehensions in [`comprehensions`], and those of NumPy in [`habits`].

mod comprehensions;
mod domains;
mod enums;
mod exprs;
mod generics;
mod habits;
mod matching;
mod methods;
mod results;
mod several;
mod statements;

use std::sync::Arc;

use ir::Elem;
use report::spelling::{self, WordList};
use report::{ItemKey, ItemKind, TextRange, TextSize};
use rustc_hash::FxHashSet;
use syntax::ast::{self, AstNode};
use syntax::{GreenNode, SyntaxKind, SyntaxNode};

use exprs::parse_int;
use hir::builtins::{ATTRIBUTES, Above, Attribute, AttributeArgs, AttributeId};
use hir::errors;
use hir::finding::Finding;
use hir::scope::Scopes;
use hir::{
    AttributeUse, Body, BodyMap, Expr, ExprId, Field, FileNames, Local, LocalId, LocalKind, Lowered, Name, Names,
    Promise, StmtId, TypeRef,
};

/// Lowers the dense tree of an item, its own or one that stands in for it: resolves its names, and finds what is wrong with
/// them.
pub fn lower(names: &dyn Names, item: ItemKey, dense: &GreenNode) -> Lowered {
    let root = SyntaxNode::new_root(dense.clone());
    let mut lower = Lower::new(names, item);
    lower.name_and_header(&root);
    lower.forgive(&root);
    match ast::Item::cast(root) {
        Some(ast::Item::Kernel(it)) => match it.instance() {
            Some(instance) => lower.instance(it.attrs(), &instance),
            None => lower.function((it.attrs(), it.generics()), it.params(), it.result(), it.body(), it.syntax()),
        },
        Some(ast::Item::Fn(it)) => {
            lower.function((it.attrs(), it.generics()), it.params(), it.result(), it.body(), it.syntax());
        }
        Some(ast::Item::Struct(it)) => lower.struct_(&it),
        Some(ast::Item::Enum(it)) => lower.enum_(&it),
        Some(ast::Item::Const(it)) => lower.const_(&it),
        Some(ast::Item::Use(_)) | None => {}
    }
    lower.shrink();
    Lowered {
        body: Arc::new(lower.body),
        map: Arc::new(lower.map),
        findings: lower.findings,
        saw_all_names: lower.saw_all_names,
    }
}

/// A loop around a statement.
#[derive(Clone, Copy)]
enum Loop {
    /// A `for` or `while`, whose iterations run in order.
    Ordered,
    /// `foreach`, with the place of its word and whether it has one index.
    Foreach { word: TextRange, single: bool },
}

/// The names that can be meant by one that nothing has.
#[derive(Default)]
struct Spelling {
    /// Those of all locals, by their numbers.
    locals: WordList,
    /// Those of the items that are seen, in their order, and of the builtins behind them.
    others: WordList,
}

struct Lower<'n> {
    names: &'n dyn Names,
    item: ItemKey,
    kind: ItemKind,
    body: Body,
    map: BodyMap,
    findings: Vec<Finding>,
    saw_all_names: bool,
    scopes: Scopes,
    spelling: Spelling,
    loops: Vec<Loop>,
    /// Locals whose value something takes.
    read: FxHashSet<LocalId>,
    /// Names that are not known, and those that may be defined in what was not understood: that was said once, and more
    /// uses of one are the same mistake.
    unknown: FxHashSet<Name>,
    /// A statement is a place alone, as the first half of an assignment is.
    is_half_typed: bool,
    /// Locals that were used after their block, or defined twice: that was said.
    misplaced: FxHashSet<LocalId>,
    /// Statements that never go on with the next one.
    leaving: FxHashSet<StmtId>,
    /// The last parameter, behind which one could be added.
    last_param: Option<TextRange>,
    /// The innermost loop around the place, by the number of its header.
    parent_loop: Option<u32>,
    /// The indices of the `foreach` whose ranges are being lowered.
    indices_to_be: Vec<Name>,
    /// Statements that go before the one that is being lowered.
    before: hir::Block,
    /// The call whose function's name is being looked up.
    call: Option<ast::CallExpr>,
    /// The last case of a `match` has a condition.
    lacks_case: bool,
    /// Some way through the function does not end in a `return`, though it gives a value.
    lacks_return: bool,
    /// Parameters that are given a new value, and where each is first.
    assigned: Vec<(LocalId, TextRange)>,
}

impl<'n> Lower<'n> {
    fn new(names: &'n dyn Names, item: ItemKey) -> Lower<'n> {
        Lower {
            names,
            kind: item.kind,
            item,
            body: Body::default(),
            map: BodyMap::default(),
            findings: Vec::new(),
            saw_all_names: false,
            scopes: Scopes::default(),
            spelling: Spelling::default(),
            loops: Vec::new(),
            read: FxHashSet::default(),
            unknown: FxHashSet::default(),
            is_half_typed: false,
            misplaced: FxHashSet::default(),
            leaving: FxHashSet::default(),
            last_param: None,
            parent_loop: None,
            indices_to_be: Vec::new(),
            before: Vec::new(),
            call: None,
            lacks_case: false,
            lacks_return: false,
            assigned: Vec::new(),
        }
    }

    /// Gives back what arenas hold in reserve: most items are never lowered again.
    fn shrink(&mut self) {
        self.body.exprs.shrink_to_fit();
        self.body.stmts.shrink_to_fit();
        self.body.locals.shrink_to_fit();
        self.map.exprs.shrink_to_fit();
        self.map.stmts.shrink_to_fit();
        self.map.uses.shrink_to_fit();
        self.map.loops.shrink_to_fit();
        self.map.if_words.shrink_to_fit();
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
                self.unknown.insert(token.text().into());
            }
        }
    }

    // Items.

    fn name_and_header(&mut self, root: &SyntaxNode) {
        self.map.name = root.children().find_map(ast::Name::cast).map(|name| name.syntax().text_range());
        self.map.header = header(root);
        let Some(at) = self.map.name else { return };
        let name = self.item.name.clone();
        if Elem::from_name(&name).is_some() {
            self.find(errors::scalar_redefined(at, &name));
        }
        if let Some(first) = self.names.key_of(&name).filter(|first| *first != self.item) {
            self.find(errors::duplicate_item(at, &name, first));
        }
    }

    /// The kind of the item of a name.
    fn item_kind(&self, name: &str) -> Option<ItemKind> {
        self.names.kind_of(name)
    }

    /// All items of the file, for "did you mean".
    fn all_items(&mut self) -> &'n FileNames {
        self.saw_all_names = true;
        self.names.all()
    }

    fn function(
        &mut self,
        (attrs, generics): (ast::AstChildren<ast::Attr>, Option<ast::GenericList>),
        params: Option<ast::ParamList>,
        result: Option<ast::RetType>,
        body: Option<ast::Block>,
        syntax: &SyntaxNode,
    ) {
        self.scopes.open(None);
        let unclosed = params.as_ref().is_none_or(|list| list.close().is_none());
        self.header_in_doubt(unclosed || params.as_ref().is_some_and(|list| has_error(list.syntax())));
        self.generics(generics);
        let params: Vec<_> = params.into_iter().flat_map(|list| list.params()).collect();
        self.last_param = params.last().map(|param| param.syntax().text_range());
        for param in &params {
            self.param(param);
        }
        // A size may name a parameter that stands further on, so types come after all names.
        if self.kind == ItemKind::Fn {
            // A size that stands alone somewhere is that of an array, and is known before those that stand in sums.
            params.iter().filter_map(|param| param.ty()).for_each(|ty| self.introduce_sizes(&ty, false));
            params.iter().filter_map(|param| param.ty()).for_each(|ty| self.introduce_sizes(&ty, true));
        }
        for (n, param) in params.iter().enumerate() {
            let ty = param.ty().map(|ty| self.type_ref(&ty));
            let local = self.body.params[n];
            // The last type of an unclosed list may be half written, so its name is not looked up.
            let half = unclosed && n + 1 == params.len();
            self.body.locals[local].ty = ty.map(|ty| if half { TypeRef { name: None, ..ty } } else { ty });
        }
        let result = result.and_then(|result| result.ty());
        self.body.result = result.as_ref().map(|ty| self.result_type(ty));
        if self.kind == ItemKind::Kernel {
            let written = params.iter().filter_map(|param| param.ty()).chain(result);
            written.filter_map(|ty| ty.varying()).for_each(|word| self.find(errors::kernel_varying(word.text_range())));
        }
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
        self.assigned_params();
        self.returns();
        self.unused();
        self.results();
    }

    /// Parameters that are given new values. Those of a `fn` are copies, and so variables, but for one that the size of an array
    /// is made of. Any other is one mistake: a copy in the function's first line takes the parameter's place from there on.
    fn assigned_params(&mut self) {
        for (param, at) in std::mem::take(&mut self.assigned) {
            if self.body.locals[param].kind == LocalKind::Element {
                self.assigned_element(param, at);
                continue;
            }
            if self.kind == ItemKind::Fn && !self.is_in_size(param) {
                self.body.locals[param].updated = true;
                continue;
            }
            let name = self.body.locals[param].name.clone();
            let fixed = errors::assign_to_fixed(at, &name, LocalKind::Param, self.map.locals[param]);
            let finding = match self.kind {
                ItemKind::Fn => fixed.with_help(format!(
                    "the size of an array is written with it: `let {name}_ = {name}` is a copy that changes"
                )),
                _ if !self.is_array(param) && self.body.locals[param].ty.is_some() => {
                    fixed.with_help(format!("`let {name}_ = {name}` is a copy that changes"))
                }
                _ => fixed,
            };
            let copy = if !self.is_array(param) || self.is_given_array(at) { self.copy_of(param, &name) } else { None };
            let finding = match copy {
                Some((copy, before, uses)) => errors::with_copy(finding, &name, &copy, before, &uses),
                None if self.is_array(param) => errors::with_store(finding),
                None => finding,
            };
            // The parameter is not reported as unread besides.
            self.misplaced.insert(param);
            self.find(finding);
        }
    }

    /// An element that a loop goes over is given a new value.
    fn assigned_element(&mut self, element: LocalId, at: TextRange) {
        let name = self.body.locals[element].name.clone();
        let fixed = errors::assign_to_fixed(at, &name, LocalKind::Element, self.map.locals[element]);
        self.find(match hir::elements::by_number(&self.body, &self.map, element) {
            Some(by_number) => errors::with_index(fixed, by_number),
            None => fixed,
        });
    }

    /// Finds out whether the type of a parameter, or of the result, has a size that is made of a parameter.
    fn is_in_size(&self, param: LocalId) -> bool {
        let params = self.body.params.iter().filter_map(|&other| self.body.locals[other].ty.as_ref());
        let mut parts: Vec<_> = params.chain(&self.body.result).flat_map(|ty| ty.sizes.iter().copied()).collect();
        while let Some(part) = parts.pop() {
            if self.body.exprs[part] == Expr::Local(param) {
                return true;
            }
            self.body.for_each_part(part, |part| parts.push(part));
        }
        false
    }

    /// A parameter is an array by its type, or because something takes its elements; or by its only use, which is to take a value out
    /// of the kernel.
    fn is_array(&self, param: LocalId) -> bool {
        let indexes =
            |expr: &Expr| matches!(expr, Expr::Index(base, _) if self.body.exprs[*base] == Expr::Local(param));
        let Some(written) = &self.body.locals[param].ty else {
            return !self.read.contains(&param) || self.body.exprs.iter().any(|(_, expr)| indexes(expr));
        };
        !written.sizes.is_empty() || self.body.exprs.iter().any(|(_, expr)| indexes(expr))
    }

    /// The target at a place is one of several, as where two arrays are swapped.
    fn is_given_array(&self, at: TextRange) -> bool {
        self.body.stmts.iter().any(|(_, stmt)| match stmt {
            hir::Stmt::Assign { target, op: None, value } => {
                self.map.exprs[*target] == at && matches!(self.body.exprs[*value], Expr::Local(other) if self.body.locals[other].kind == LocalKind::Held)
            }
            _ => false,
        })
    }

    /// A name for a copy of a parameter, the statement that the copy goes before, and what names the parameter from
    /// there on.
    fn copy_of(&self, param: LocalId, name: &str) -> Option<(String, TextRange, Vec<TextRange>)> {
        if self.body.in_doubt {
            return None;
        }
        // A lone statement may stand on the line of the header.
        let [first, _, ..] = self.body.block[..] else { return None };
        let taken = |copy: &str| {
            self.body.locals.iter().any(|(_, other)| *other.name == *copy) || self.item_kind(copy).is_some()
        };
        let copy = std::iter::successors(Some(format!("{name}_")), |last| Some(format!("{last}_")))
            .find(|copy| !taken(copy))?;
        let first = self.map.stmts[first];
        let uses = self.map.uses.iter().filter(|(at, used)| *used == param && at.start() >= first.start());
        Some((copy, first, uses.map(|(at, _)| *at).collect()))
    }

    fn param(&mut self, param: &ast::Param) {
        let name = param.name();
        let text: Name = name.as_ref().and_then(ast::Name::text).unwrap_or_default().into();
        let at = name.map_or(param.syntax().text_range(), |name| name.syntax().text_range());
        let first = self.scopes.lookup_here(&text).filter(|_| !text.is_empty());
        if let Some(first) = first {
            self.find(errors::duplicate_local(at, &text, "parameter", self.map.locals[first]));
        }
        let default = param.default().filter(|_| self.kind == ItemKind::Fn).map(|default| self.expr(&default));
        self.body.defaults.push(default);
        let local = self.local(text, LocalKind::Param, at);
        self.misplaced.extend(first.into_iter().flat_map(|first| [first, local]));
        self.body.params.push(local);
    }

    fn struct_(&mut self, it: &ast::Struct) {
        self.scopes.open(None);
        self.body.attrs = self.attrs(it.attrs(), Above::Item);
        self.header_in_doubt(it.body().is_none_or(|block| has_error(block.syntax())));
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
            self.header_in_doubt(ty.is_none());
            let default = field.default().map(|default| self.expr(&default));
            self.body.fields.push(Field { name: text, ty, default, at });
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

    fn header_in_doubt(&mut self, in_doubt: bool) {
        self.body.header_in_doubt |= in_doubt;
        self.body.in_doubt |= in_doubt;
    }

    // Types and attributes.

    fn type_ref(&mut self, ty: &ast::Type) -> TypeRef {
        let of_others = ty.name().and_then(|name| name.text()).is_some_and(|name| errors::is_array_type(&name));
        // Another language's array has no sizes in its brackets.
        let sizes = if of_others { self.lenient(|lower| lower.sizes(ty)) } else { self.sizes(ty) };
        self.type_ref_with(ty, sizes)
    }

    fn sizes(&mut self, ty: &ast::Type) -> Vec<ExprId> {
        let sizes: Vec<_> = ty.sizes().into_iter().flat_map(|sizes| sizes.sizes()).collect();
        sizes.into_iter().map(|size| self.size(&size)).collect()
    }

    fn type_ref_with(&mut self, ty: &ast::Type, sizes: Vec<ExprId>) -> TypeRef {
        let promise = match (ty.uniform(), ty.varying()) {
            (Some(_), _) => Some(Promise::Uniform),
            (_, Some(_)) => Some(Promise::Varying),
            _ => None,
        };
        let name = ty.name();
        let name_at = name.as_ref().map_or(ty.syntax().text_range(), |name| name.syntax().text_range());
        let name = name.and_then(|name| name.text()).map(Name::from);
        if let Some(name) = &name {
            // A parameter without a type is inferred.
            let is_param = ty.syntax().parent().is_some_and(|parent| parent.kind() == SyntaxKind::PARAM);
            let whole = ty.syntax().text_range();
            let written = is_param.then(|| TextRange::new(whole.start() - TextSize::of(':'), whole.end()));
            self.check_type_name(name, name_at, written);
        }
        // An array whose sizes are still to be written is inferred.
        let name = name.filter(|_| ty.sizes().is_none() || !sizes.is_empty());
        let parts: Vec<_> = ty.parts().map(|part| self.type_ref(&part)).collect();
        self.check_labels(ty);
        let label = ty.label().and_then(|label| label.text()).map(Name::from);
        TypeRef { label, promise, name, parts, sizes, at: ty.syntax().text_range(), name_at }
    }

    /// No two values of a tuple have one name.
    fn check_labels(&mut self, tuple: &ast::Type) {
        let mut known: Vec<(String, TextRange)> = Vec::new();
        for label in tuple.parts().filter_map(|part| part.label()) {
            let (Some(text), at) = (label.text(), label.syntax().text_range()) else { continue };
            match known.iter().find(|(other, _)| *other == text) {
                Some((_, first)) => self.find(errors::duplicate_local(at, &text, "value", *first)),
                None => known.push((text.to_string(), at)),
            }
        }
    }

    fn result_type(&mut self, ty: &ast::Type) -> TypeRef {
        if self.kind != ItemKind::Kernel {
            return self.type_ref(ty);
        }
        // A kernel that returns an array has that one mistake: nobody asks for the array's sizes.
        let sizes = self.lenient(|lower| lower.sizes(ty));
        self.type_ref_with(ty, sizes)
    }

    /// `written`: the type of a parameter, with its colon.
    fn check_type_name(&mut self, name: &Name, at: TextRange, written: Option<TextRange>) {
        if self.names_type_param(name, at) {
            return;
        }
        let item = self.item_kind(name);
        if Elem::from_name(name).is_some() || item.is_some_and(ItemKind::is_type) || self.scopes.is_lenient() {
            return;
        }
        if self.names.is_lost_with_use(name) {
            return;
        }
        self.saw_all_names = true;
        if let Some(file) = self.names.file_beside_with(name, &ItemKind::is_type).filter(|_| item.is_none()) {
            self.find(errors::type_of_file(at, name, &file));
            return;
        }
        if let Some(library) = self.names.library_of(name, &ItemKind::is_type).filter(|_| item.is_none()) {
            self.find(errors::type_of_library(at, name, &library));
            return;
        }
        let structs = self.all_items().in_order.iter().filter(|key| key.kind.is_type());
        let mut candidates: Vec<&str> = Elem::ALL.into_iter().map(Elem::name).collect();
        candidates.extend(structs.map(|key| &*key.name));
        self.find(errors::unknown_type(at, name, item, spelling::closest(name, &candidates), written));
    }

    /// In the type of a function's parameter, makes each name that is no other parameter and no constant a size of its
    /// own, in arithmetic or where it is all of the size.
    fn introduce_sizes(&mut self, ty: &ast::Type, in_arithmetic: bool) {
        ty.parts().for_each(|part| self.introduce_sizes(&part, in_arithmetic));
        let sizes = ty.sizes().into_iter().flat_map(|sizes| sizes.sizes());
        let names = sizes.flat_map(|size| match size {
            ast::Expr::NameRef(name) => vec![name],
            size if in_arithmetic => names_in_arithmetic(&size),
            _ => Vec::new(),
        });
        for name in names.collect::<Vec<_>>() {
            let Some(text) = name.text() else { continue };
            if self.scopes.lookup(&text).is_none() && self.item_kind(&text) != Some(ItemKind::Const) {
                let local = self.local(text.into(), LocalKind::Size, name.syntax().text_range());
                self.read.insert(local);
            }
        }
    }

    /// A size in a type.
    fn size(&mut self, size: &ast::Expr) -> ExprId {
        if let (ItemKind::Kernel, ast::Expr::NameRef(name)) = (self.kind, size)
            && let Some(text) = name.text()
            && !self.scopes.is_lenient()
            && self.resolve(&text).is_none()
            && self.unknown.insert(text.as_str().into())
        {
            self.find(errors::unknown_size(name.syntax().text_range(), &text, self.last_param));
        }
        self.expr(size)
    }

    fn attrs(&mut self, attrs: impl Iterator<Item = ast::Attr>, above: Above) -> Vec<AttributeUse> {
        let mut known: Vec<AttributeUse> = Vec::new();
        for attr in attrs {
            let Some(attr) = self.attr(&attr, above) else { continue };
            // Several groups of arrays may overlap; all else is said once.
            let first = known.iter().find(|first| first.id == attr.id && attr.id != AttributeId::Alias);
            match first.map(|first| first.at) {
                Some(first) => self.find(errors::duplicate_attribute(attr.at, attr.id.get().name, first)),
                None => known.push(attr),
            }
        }
        known
    }

    fn attr(&mut self, attr: &ast::Attr, above: Above) -> Option<AttributeUse> {
        let name: Name = attr.name()?.text()?.into();
        let at = attr.syntax().text_range();
        let Some(known) = AttributeId::from_name(&name).map(AttributeId::get) else {
            self.unknown_attribute(attr, &name);
            return None;
        };
        let function = matches!(self.kind, ItemKind::Kernel | ItemKind::Fn);
        let allowed = match (known.above, above) {
            (Above::LoopOrItem | Above::Item, Above::Item) => function,
            (Above::Kernel, Above::Item) => self.kind == ItemKind::Kernel,
            (Above::LoopOrItem | Above::Loop, Above::Loop | Above::Ranges) => true,
            (Above::Ranges, Above::Ranges) => true,
            _ => false,
        };
        if !allowed {
            self.find(errors::misplaced_attribute(at, &name, known.above));
            return None;
        }
        let given: Vec<_> = attr.args().into_iter().flat_map(|args| args.args()).collect();
        self.check_attr_args(at, known, &given);
        let args = given.iter().map(|arg| self.expr(arg)).collect();
        Some(AttributeUse { id: known.id, args, at })
    }

    fn unknown_attribute(&mut self, attr: &ast::Attr, name: &str) {
        let names: Vec<_> = ATTRIBUTES.iter().map(|known| known.name).collect();
        let at = attr.name().map_or(attr.syntax().text_range(), |name| name.syntax().text_range());
        self.find(errors::unknown_attribute(at, name, spelling::closest(name, &names)));
    }

    fn check_attr_args(&mut self, at: TextRange, attribute: &Attribute, given: &[ast::Expr]) {
        // The text of a literal, and whether a name is that of a constant. One that is not known has a finding of its own.
        let text = |literal: &ast::Literal| literal.token().map(|token| token.text().to_owned()).unwrap_or_default();
        let is_constant = |name: &ast::NameRef| {
            name.text().is_none_or(|name| match self.resolve(&name) {
                Some(Expr::Local(local)) => self.body.locals[local].kind == LocalKind::Constant,
                Some(found) => matches!(found, Expr::Item(ItemKind::Const, _)),
                None => true,
            })
        };
        let fits = match attribute.args {
            AttributeArgs::None => given.is_empty(),
            AttributeArgs::Count(limit) => match given {
                [ast::Expr::Literal(literal)] => {
                    parse_int(&text(literal)).is_some_and(|value| (1..=u128::from(limit)).contains(&value))
                }
                [ast::Expr::NameRef(name)] => is_constant(name),
                _ => false,
            },
            AttributeArgs::Cycles => match given {
                [ast::Expr::Literal(literal)] => {
                    let text = text(literal);
                    let value =
                        parse_int(&text).map(|value| value as f64).or_else(|| text.replace('_', "").parse().ok());
                    value.is_some_and(|value: f64| value > 0.0 && value.is_finite())
                }
                [ast::Expr::NameRef(name)] => is_constant(name),
                _ => false,
            },
            AttributeArgs::Arrays => {
                let param = |arg: &ast::Expr| match arg {
                    ast::Expr::NameRef(name) => name
                        .text()
                        .is_none_or(|text| self.scopes.lookup(&text).is_some() || self.resolve(&text).is_none()),
                    _ => false,
                };
                let again = |n: usize| given[..n].iter().any(|other| other.syntax().text() == given[n].syntax().text());
                given.len() >= 2 && given.iter().all(param) && !(0..given.len()).any(again)
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

    /// A line of the item is half typed: a name that nothing has yet, or a place that nothing is done with. What it becomes may read any
    /// name.
    fn is_being_typed(&self) -> bool {
        self.is_half_typed || !self.unknown.is_empty()
    }

    fn unused(&mut self) {
        if self.is_being_typed() {
            return;
        }
        let mut findings = Vec::new();
        for (id, local) in self.body.locals.iter() {
            let counts = matches!(local.kind, LocalKind::Param | LocalKind::Let | LocalKind::Assigned);
            let meant = local.name.is_empty() || local.name.starts_with('_');
            // One that an error is about may be read once that is mended, and a parameter in the lines up to a `return` that lacks.
            let in_doubt = self.misplaced.contains(&id) || local.kind == LocalKind::Param && self.lacks_return;
            let kept = self.body.kept.iter().filter(|it| it.local == id);
            let is_read = kept.map(|it| it.known_as).chain([id]).any(|local| self.read.contains(&local));
            if !counts || meant || in_doubt || is_read {
                continue;
            }
            let updates = self.map.uses.iter().filter(|(_, used)| *used == id).map(|(at, _)| *at);
            findings.push(errors::unused(self.map.locals[id], local, updates));
        }
        self.findings.extend(findings);
    }
}

fn has_error(node: &SyntaxNode) -> bool {
    node.descendants().any(|node| node.kind() == SyntaxKind::ERROR)
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

/// The names in an expression of names, numbers and operators alone.
fn names_in_arithmetic(expr: &ast::Expr) -> Vec<ast::NameRef> {
    let parts: Vec<ast::Expr> = expr.syntax().descendants().filter_map(ast::Expr::cast).collect();
    let is_arithmetic = |part: &ast::Expr| {
        matches!(
            part,
            ast::Expr::NameRef(_)
                | ast::Expr::Literal(_)
                | ast::Expr::ParenExpr(_)
                | ast::Expr::PrefixExpr(_)
                | ast::Expr::BinExpr(_)
        )
    };
    if !parts.iter().all(is_arithmetic) {
        return Vec::new();
    }
    let names = parts.into_iter().filter_map(|part| match part {
        ast::Expr::NameRef(name) => Some(name),
        _ => None,
    });
    names.collect()
}
