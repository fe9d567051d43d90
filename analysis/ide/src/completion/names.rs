//! The names that fit a place.

use ir::{Elem, ElemSet};
use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode};
use report::ItemKind;

use super::context::{Context, TypeAt, context};
use super::{CompletionItem, CompletionKind, Completions, Scratch, snippets};
use crate::visible::Visible;
use crate::wording::DomainWord;
use hir::builtins::{ATTRIBUTES, Above, Attribute, AttributeArgs, BUILTINS, Builtin, TypeRule};
use hir::finding::ItemKey;
use hir::infer::atom_name;
use hir::size::Atom;
use hir::ty::{Signature, Ty};
use hir::{Expr, ExprId, LocalId, LocalKind};
use queries::db::{Item, parse};

/// Adds everything that may stand where the placeholder stands.
pub(super) fn complete(db: &dyn salsa::Database, scratch: &Scratch<'_>, out: &mut Completions<'_>) {
    let Some(context) = context(&scratch.token) else { return };
    let visible = scratch.visible();
    let names = Names { db, scratch, visible };
    match context {
        Context::Attribute(above) => attributes(out, above),
        Context::AttributeArgument(attribute) => names.attribute_arguments(out, attribute),
        Context::Type(at) => names.types(out, at),
        Context::Size => names.sizes(out),
        Context::Field => names.fields(out),
        Context::Pattern => names.patterns(out),
        Context::Case(of) => names.cases(out, &of),
        Context::Parameter(list) => names.size_parameters(out, &list),
        Context::Range => names.ranges(out),
        Context::Statement { after_if } => names.statement(out, after_if),
        Context::Value { applied } => {
            names.value(out, applied);
            names.names_of_arguments(out);
        }
        Context::Words(words) => continuations(out, &words),
    }
}

struct Names<'a, 'db> {
    db: &'db dyn salsa::Database,
    scratch: &'a Scratch<'db>,
    visible: Visible,
}

impl<'db> Names<'_, 'db> {
    // Values.

    fn value(&self, out: &mut Completions<'_>, applied: bool) {
        for &local in self.visible.locals.iter().rev() {
            self.local(out, 0, local);
        }
        self.constants(out, 1, |_| true);
        self.functions(out, 1, applied);
        self.constructors(out, 1, applied);
        self.enums(out, 1);
        for builtin in BUILTINS {
            if self.may_use(builtin) {
                add_builtin(out, if builtin.crosses_lanes { 4 } else { 2 }, builtin, applied);
            }
        }
        if !applied {
            casts(out, 3);
            words(out, 3, &["true", "false", "not"]);
        }
    }

    fn statement(&self, out: &mut Completions<'_>, after_if: bool) {
        for &local in self.visible.locals.iter().rev() {
            if self.is_assignable(local) {
                self.local(out, 0, local);
            }
        }
        snippets::statements(out, 1, &self.visible, after_if);
        self.functions(out, 2, false);
        for builtin in BUILTINS.iter().filter(|builtin| builtin.shape.stores() || builtin.shape == TypeRule::Prefetch) {
            if self.may_use(builtin) {
                add_builtin(out, 3, builtin, false);
            }
        }
    }

    /// Variables are assigned to, and so are the elements of arrays.
    fn is_assignable(&self, local: LocalId) -> bool {
        let variable = matches!(self.scratch.lowered.body.locals[local].kind, LocalKind::Let | LocalKind::Assigned);
        let is_copy = self.scratch.item.kind(self.db) == ItemKind::Fn
            && self.scratch.lowered.body.locals[local].kind == LocalKind::Param;
        variable
            || is_copy
            || matches!(self.scratch.inference.locals.get(local), Some(Ty::Array(..)))
            || self.may_be_array(local)
    }

    /// A parameter that has no type and no use yet may become an array by the statement that is being typed.
    fn may_be_array(&self, local: LocalId) -> bool {
        let (body, map) = (&self.scratch.lowered.body, &self.scratch.lowered.map);
        let data = &body.locals[local];
        data.kind == LocalKind::Param && data.ty.is_none() && map.uses.iter().all(|(_, used)| *used != local)
    }

    /// A name of the item's or the file's own hides a builtin, and lane operations need a `foreach`. A function may have
    /// its `foreach` where it is called.
    fn may_use(&self, builtin: &Builtin) -> bool {
        let hidden = self.is_local(builtin.name) || self.file_names().get(builtin.name).is_some();
        let lanes = self.visible.in_foreach || self.scratch.item.kind(self.db) == ItemKind::Fn;
        !hidden && (!builtin.crosses_lanes || builtin.takes_arrays || lanes)
    }

    fn is_local(&self, name: &str) -> bool {
        let locals = &self.scratch.lowered.body.locals;
        self.visible.locals.iter().any(|&local| *locals[local].name == *name)
    }

    fn local<'o>(&self, out: &'o mut Completions<'_>, rank: u8, local: LocalId) -> &'o mut CompletionItem {
        let body = &self.scratch.lowered.body;
        let kind = match body.locals[local].kind {
            LocalKind::Param | LocalKind::LambdaParam => CompletionKind::Parameter,
            LocalKind::Let | LocalKind::Assigned | LocalKind::Element | LocalKind::Held => CompletionKind::Variable,
            LocalKind::ForIndex | LocalKind::ForeachIndex => CompletionKind::LoopIndex,
            LocalKind::Size | LocalKind::Constant | LocalKind::TypeParam => CompletionKind::Size,
        };
        let ty = self.scratch.inference.locals.get(local).filter(|ty| **ty != Ty::Error);
        // A type is a default only so far: the expression that is being typed may be the use that decides it.
        let open = if self.scratch.inference.defaulted.contains(&local) { ", by default" } else { "" };
        let item = out.add(rank, kind, &*body.locals[local].name);
        item.detail = ty.map(|ty| format!("{}{open}", ty.display(&|atom| atom_name(body, atom))));
        item
    }

    // Items of the file.

    fn file_names(&self) -> &'db hir::FileNames {
        queries::visible_names(self.db, self.scratch.item.file(self.db))
    }

    /// The items of a kind that a name of this place can stand for.
    fn items(&self, kind: ItemKind) -> impl Iterator<Item = (&'db ItemKey, Item<'db>)> {
        let own = queries::key(self.db, self.scratch.item);
        let names = self.file_names();
        names.in_order.iter().filter_map(move |key| {
            let meant = key.kind == kind && *key != own && names.get(&key.name) == Some(key);
            let usable = meant && *key.name != *super::PLACEHOLDER && !self.is_local(&key.name);
            if !usable {
                return None;
            }
            Some((key, queries::item_of(self.db, self.scratch.item.file(self.db), key)?))
        })
    }

    /// The structs that are there for every file, but for those whose names stand for something else here.
    fn structs_of_prelude(&self) -> impl Iterator<Item = (&'db ItemKey, Item<'db>)> {
        let (own, file) = (self.file_names(), queries::prelude::file(self.db));
        let names = queries::visible_names(self.db, file);
        names.in_order.iter().filter_map(move |key| {
            let is_hidden = own.get(&key.name).is_some() || self.is_local(&key.name);
            if key.kind != ItemKind::Struct || is_hidden {
                return None;
            }
            Some((key, queries::item_of(self.db, file, key)?))
        })
    }

    fn constants(&self, out: &mut Completions<'_>, rank: u8, wanted: impl Fn(&Ty) -> bool) {
        for (key, item) in self.items(ItemKind::Const) {
            let ty = queries::signature(self.db, item).result.as_ref();
            if !wanted(ty.unwrap_or(&Ty::Error)) {
                continue;
            }
            let shown = ty.map(|ty| ty.display(&|_| "_".to_owned()));
            let value = queries::const_value(self.db, item).map(hir::infer::shown);
            let added = out.add(rank, CompletionKind::Constant, &*key.name);
            added.detail = match (shown, value) {
                (Some(ty), Some(value)) => Some(format!("{ty} = {value}")),
                (ty, _) => ty,
            };
            added.docs = docs(self.db, item);
        }
    }

    fn functions(&self, out: &mut Completions<'_>, rank: u8, applied: bool) {
        for (key, item) in self.items(ItemKind::Fn) {
            let signature = queries::signature(self.db, item);
            let asked = signature.params.iter().enumerate().filter(|(n, _)| !signature.optional.contains(n));
            let params: Vec<_> = asked.map(|(_, (name, _))| &**name).collect();
            let added = if applied {
                out.add(rank, CompletionKind::Function, &*key.name)
            } else {
                out.add_call(rank, CompletionKind::Function, &key.name, &params)
            };
            added.detail = Some(show_signature(signature));
            added.docs = docs(self.db, item);
        }
    }

    /// The structs, each as the function that makes one of the values of its fields.
    fn constructors(&self, out: &mut Completions<'_>, rank: u8, applied: bool) {
        let optional = |item| queries::optional_fields(self.db, item);
        for (key, item) in self.items(ItemKind::Struct).chain(self.structs_of_prelude()) {
            let fields = queries::struct_fields(self.db, item).iter().enumerate();
            let asked = fields.filter(|(n, _)| !optional(item).contains(n));
            let names: Vec<_> = asked.map(|(_, (name, _))| &**name).collect();
            let added = if applied {
                out.add(rank, CompletionKind::Struct, &*key.name)
            } else {
                out.add_call(rank, CompletionKind::Struct, &key.name, &names)
            };
            added.detail = crate::wording::constructor(self.db, item);
            added.docs = docs(self.db, item);
        }
    }

    /// The enums, whose variants stand behind a dot.
    fn enums(&self, out: &mut Completions<'_>, rank: u8) {
        for (key, item) in self.items(ItemKind::Enum) {
            let added = out.add(rank, CompletionKind::Struct, &*key.name);
            added.detail = Some(format!("enum {}", key.name));
            added.docs = docs(self.db, item);
        }
    }

    /// The variants of an enum, each with its data.
    fn variants(&self, out: &mut Completions<'_>, of: Item<'db>) {
        for variant in queries::variants(self.db, of).iter() {
            let data: Vec<_> = variant.data.iter().map(|name| &**name).collect();
            let added = match data.is_empty() {
                true => out.add(0, CompletionKind::Constant, &*variant.name),
                false => out.add_call(0, CompletionKind::Constant, &variant.name, &data),
            };
            added.detail = Some(format!("variant of {}", of.name(self.db)));
        }
    }

    /// The variants of the enum that is matched, or of all while that is not known.
    fn patterns(&self, out: &mut Completions<'_>) {
        let at = self.scratch.at;
        let body = &self.scratch.lowered.body;
        let own = body.matches.iter().find(|it| it.cases.iter().any(|case| case.at.contains_range(at)));
        let whole = own.filter(|it| it.cases.iter().any(|case| case.at == at));
        let known = match whole.and_then(|it| self.scratch.inference.exprs.get(it.subject)) {
            Some(Ty::Struct(name)) => Some(name),
            _ => None,
        };
        for (key, item) in self.items(ItemKind::Enum) {
            if known.is_none_or(|name| *name == key.name) {
                self.variants(out, item);
            }
        }
        self.constants(out, 1, |ty| ty.scalar().is_some());
        out.add(2, CompletionKind::Keyword, "_").detail = Some("takes every value".to_owned());
    }

    /// The word of a case, and the cases of an enum's variants that the `match` has not yet.
    fn cases(&self, out: &mut Completions<'_>, of: &ast::MatchStmt) {
        let patterns = of.body().into_iter().flat_map(|block| block.cases()).filter_map(|case| case.pattern());
        let tokens = patterns.flat_map(|pattern| pattern.syntax().descendants_with_tokens());
        let taken: Vec<_> = tokens.filter_map(|part| part.into_token()).map(|token| token.text().to_owned()).collect();
        let is_open = |name: &str| taken.iter().all(|taken| *taken != *name);
        let variants = self.matched(of).map(|item| queries::variants(self.db, item).iter()).into_iter().flatten();
        for variant in variants.filter(|variant| is_open(&variant.name)) {
            let data = variant.data.join(", ");
            snippets::case(
                out,
                &if data.is_empty() { variant.name.to_string() } else { format!("{}({data})", variant.name) },
            );
        }
        snippets::any_case(out);
    }

    /// The enum whose values a `match` looks at.
    fn matched(&self, of: &ast::MatchStmt) -> Option<Item<'db>> {
        let root = of.syntax().ancestors().last()?;
        let start = lane::Dense::new(&root.green().into_owned()).from_text(of.syntax().text_range().start())?;
        let known = self.scratch.lowered.body.matches.iter().find(|known| known.header.start() == start)?;
        let Some(Ty::Struct(name)) = self.scratch.inference.exprs.get(known.subject) else { return None };
        self.items(ItemKind::Enum).find(|(key, _)| key.name == *name).map(|(_, item)| item)
    }

    /// The sizes that a kernel's arrays have, and that are no parameters yet.
    fn size_parameters(&self, out: &mut Completions<'_>, list: &ast::ParamList) {
        let known: Vec<_> = list.params().filter_map(|param| param.name()?.text()).collect();
        let sizes = list.syntax().descendants().filter(|node| node.kind() == SyntaxKind::SIZE_LIST);
        let mut added = Vec::new();
        for name in sizes.flat_map(|sizes| sizes.descendants()).filter_map(ast::NameRef::cast) {
            let Some(name) = name.text() else { continue };
            let is_constant = self.file_names().get(&name).is_some_and(|key| key.kind == ItemKind::Const);
            if !is_constant && !known.contains(&name) && !added.contains(&name) {
                let item = out.add(0, CompletionKind::Parameter, format!("{name}: i32"));
                item.detail = Some("the size of an array".to_owned());
                added.push(name);
            }
        }
    }

    /// The names of the parameters, or of a struct's fields, that the call around has no arguments for yet, each with the `=` behind it.
    fn names_of_arguments(&self, out: &mut Completions<'_>) {
        let list = self.scratch.token.parent().and_then(|name| name.parent());
        let call = list.filter(|list| list.kind() == SyntaxKind::ARG_LIST).and_then(|list| list.parent());
        let Some(call) = call.and_then(ast::CallExpr::cast) else { return };
        let Some(ast::Expr::NameRef(callee)) = call.callee() else { return };
        let name = callee.text().unwrap_or_default();
        let item = |kind| self.items(kind).find(|(key, _)| *key.name == *name).map(|(_, item)| item);
        let of_prelude = || self.structs_of_prelude().find(|(key, _)| *key.name == *name).map(|(_, item)| item);
        let params = match (item(ItemKind::Fn), item(ItemKind::Struct).or_else(of_prelude)) {
            (Some(function), _) => &queries::signature(self.db, function).params[..],
            (_, Some(made)) => &queries::struct_fields(self.db, made)[..],
            _ => return,
        };
        let at = self.scratch.token.text_range().start();
        let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
        let n_before = args.iter().filter(|arg| arg.syntax().text_range().end() <= at).count();
        let is_given = |name: &str| {
            args.iter().any(|arg| match arg {
                ast::Expr::NamedArg(arg) => arg.name().and_then(|name| name.text()).as_deref() == Some(name),
                _ => false,
            })
        };
        for (param, ty) in params.iter().skip(n_before).filter(|(param, _)| !is_given(param)) {
            let added = out.add(1, CompletionKind::Parameter, format!("{param}="));
            added.detail = Some(ty.display(&|_| "_".to_owned()));
        }
    }

    // Types.

    fn types(&self, out: &mut Completions<'_>, at: TypeAt) {
        for scalar in Elem::ALL {
            out.add(0, CompletionKind::Type, scalar.name());
        }
        if !at.scalar {
            self.enums(out, 1);
            for (key, item) in self.items(ItemKind::Struct).chain(self.structs_of_prelude()) {
                let added = out.add(1, CompletionKind::Struct, &*key.name);
                added.docs = docs(self.db, item);
            }
        }
        if !at.promised {
            // The parameters and results of a kernel are always uniform.
            let may_vary = !self.is_of_kernel();
            let words = [("uniform", "the same in every lane")];
            let words = words.into_iter().chain(may_vary.then_some(("varying", "may differ between lanes")));
            for (word, detail) in words {
                out.add(2, CompletionKind::Keyword, word).detail = Some(detail.to_owned());
            }
        }
    }

    /// Tells if the place is in the parameters or the result of a kernel.
    fn is_of_kernel(&self) -> bool {
        let is_head = |node: &SyntaxNode| matches!(node.kind(), SyntaxKind::PARAM_LIST | SyntaxKind::RET_TYPE);
        let head = self.scratch.token.parent_ancestors().find(is_head);
        head.and_then(|head| head.parent()).is_some_and(|item| item.kind() == SyntaxKind::KERNEL)
    }

    /// A size is made of integer parameters and constants.
    fn sizes(&self, out: &mut Completions<'_>) {
        // No array is the size of itself.
        let own =
            self.scratch.token.parent_ancestors().find_map(ast::Param::cast).and_then(|param| param.name()?.text());
        for &local in &self.visible.locals {
            let data = &self.scratch.lowered.body.locals[local];
            let is_other = own.as_deref() != Some(&*data.name);
            if matches!(data.kind, LocalKind::Param | LocalKind::Size) && is_other && self.may_count(local) {
                self.local(out, 0, local);
            }
        }
        self.integer_constants(out, 1);
    }

    fn integer_constants(&self, out: &mut Completions<'_>, rank: u8) {
        self.constants(out, rank, |ty| ty.scalar().is_some_and(Elem::is_integer));
    }

    /// Tells if a local is an integer, or may yet become one.
    fn may_count(&self, local: LocalId) -> bool {
        match self.scratch.inference.locals.get(local) {
            Some(Ty::Scalar(scalar)) => scalar.is_integer() || self.scratch.inference.defaulted.contains(&local),
            Some(Ty::Generic(n)) => {
                let set = self.scratch.inference.signature.generics.get(*n as usize).copied().flatten();
                set.is_none_or(|set| !set.and(ElemSet::INTEGERS).is_empty())
            }
            Some(Ty::Error) | None => true,
            Some(_) => false,
        }
    }

    fn ranges(&self, out: &mut Completions<'_>) {
        let body = &self.scratch.lowered.body;
        let is_fixed = |kind| !matches!(kind, LocalKind::ForIndex | LocalKind::ForeachIndex | LocalKind::Element);
        let is_integer = |local: &&LocalId| match self.scratch.inference.locals.get(**local) {
            Some(Ty::Scalar(scalar)) => scalar.is_integer() && is_fixed(body.locals[**local].kind),
            _ => false,
        };
        let stop = self.visible.locals.iter().find(is_integer).map_or("n", |&local| &*body.locals[local].name);
        let forms = [
            ("range(stop)", "from 0 up to, and without, `stop`", format!("range(${{1:{stop}}})")),
            (
                "range(start, stop)",
                "from `start` up to, and without, `stop`",
                format!("range(${{1:0}}, ${{2:{stop}}})"),
            ),
            (
                "range(start, stop, step)",
                "every `step`; a negative step counts down",
                format!("range(${{1:0}}, ${{2:{stop}}}, ${{3:2}})"),
            ),
        ];
        if out.word.called {
            out.add(0, CompletionKind::Keyword, "range");
            return;
        }
        let is_array = |local: &&LocalId| matches!(self.scratch.inference.locals.get(**local), Some(Ty::Array(..)));
        let array = self.visible.locals.iter().find(is_array).map_or("a", |&local| &*body.locals[local].name);
        for (word, detail) in DomainWord::OF_ARRAYS {
            let label = word.signature(0);
            let insert = match word {
                DomainWord::Enumerate => format!("enumerate(${{1:{array}}})"),
                DomainWord::Zip => format!("zip(${{1:{array}}}, ${{2:b}})"),
                _ => format!("reversed(${{1:{array}}})"),
            };
            let item = out.add(1, CompletionKind::Snippet, label);
            (item.insert, item.snippet, item.detail) = (insert, true, Some(detail.to_owned()));
        }
        for &local in &self.visible.locals {
            if matches!(self.scratch.inference.locals.get(local), Some(Ty::Array(..))) {
                self.local(out, 1, local);
            }
        }
        for (label, detail, insert) in forms {
            let item = out.add(0, CompletionKind::Snippet, label);
            (item.insert, item.snippet, item.detail) = (insert, true, Some(detail.to_owned()));
        }
    }

    // Fields and attributes.

    /// The fields of the struct before the dot. While nothing says which struct that is, those of all: the field decides.
    fn fields(&self, out: &mut Completions<'_>) {
        let at = self.scratch.at;
        let (body, map) = (&self.scratch.lowered.body, &self.scratch.lowered.map);
        let base = body.exprs.iter().find_map(|(id, expr)| match expr {
            Expr::Field(base, _) if map.exprs[id].end() == at.end() => Some(*base),
            _ => None,
        });
        if let Some(Expr::Item(ItemKind::Enum, name)) = base.map(|base| &body.exprs[base]) {
            let of = self.items(ItemKind::Enum).find(|(key, _)| key.name == *name);
            of.into_iter().for_each(|(_, item)| self.variants(out, item));
            return;
        }
        let ty = base.and_then(|base| self.scratch.inference.exprs.get(base));
        if let (Some(Ty::Tuple(parts)), Some(base)) = (ty, base) {
            let labels = self.scratch.inference.labels.get(&base).into_iter().flatten();
            for (label, ty) in labels.zip(parts).filter_map(|(label, ty)| Some((label.as_ref()?, ty))) {
                out.add(0, CompletionKind::Field, &**label).detail = Some(ty.display(&|_| "_".to_owned()));
            }
            return;
        }
        let named = match ty {
            Some(Ty::Struct(name)) => Some(name.clone()),
            // An error has its message; a number, or an array that lacks its index, has no fields.
            Some(Ty::Scalar(_) | Ty::Array(..)) if !base.is_some_and(|base| self.is_open(base)) => return,
            _ => None,
        };
        for (key, item) in self.items(ItemKind::Struct) {
            if named.as_ref().is_some_and(|name| *name != key.name) {
                continue;
            }
            for (field, ty) in queries::struct_fields(self.db, item).iter() {
                let ty = ty.display(&|_| "_".to_owned());
                let added = out.add(0, CompletionKind::Field, &**field);
                added.detail = Some(match named {
                    Some(_) => ty,
                    None => format!("{ty} of {}", key.name),
                });
            }
        }
    }

    /// Tells if the type of a local, or of an array's element, is a default because no use decides it.
    fn is_open(&self, mut expr: ExprId) -> bool {
        loop {
            match &self.scratch.lowered.body.exprs[expr] {
                Expr::Index(base, _) => expr = *base,
                Expr::Local(local) => return self.scratch.inference.defaulted.contains(local),
                _ => return false,
            }
        }
    }

    fn attribute_arguments(&self, out: &mut Completions<'_>, attribute: &Attribute) {
        match attribute.args {
            AttributeArgs::None => {}
            AttributeArgs::Count(_) => self.integer_constants(out, 0),
            AttributeArgs::Cycles => self.constants(out, 0, |ty| ty.scalar().is_some_and(|elem| elem != Elem::Bool)),
            AttributeArgs::Arrays => {
                for &param in &self.scratch.lowered.body.params {
                    if matches!(self.scratch.inference.locals.get(param), Some(Ty::Array(..))) {
                        self.local(out, 0, param);
                    }
                }
            }
        }
    }
}

fn attributes(out: &mut Completions<'_>, place: Above) {
    for attribute in ATTRIBUTES {
        let fits = match attribute.above {
            Above::LoopOrItem => true,
            Above::Kernel => place == Above::Item,
            Above::Loop => matches!(place, Above::Loop | Above::Ranges),
            above => above == place,
        };
        if !fits {
            continue;
        }
        let (label, args): (_, &[&str]) = match attribute.args {
            AttributeArgs::None => (attribute.name, &[]),
            AttributeArgs::Count(_) => (attribute.name, &["8"]),
            AttributeArgs::Cycles => (attribute.name, &["2.5"]),
            AttributeArgs::Arrays => (attribute.name, &["a", "b"]),
        };
        let item = match args {
            [] => out.add(0, CompletionKind::Attribute, label),
            args => out.add_call(0, CompletionKind::Attribute, label, args),
        };
        item.docs = Some(attribute.docs.to_owned());
    }
}

fn add_builtin(out: &mut Completions<'_>, rank: u8, builtin: &Builtin, applied: bool) {
    let args: Vec<_> = builtin
        .signature
        .split_once('(')
        .map(|(_, args)| args.trim_end_matches(')').split(", ").filter(|arg| *arg != "...").collect())
        .unwrap_or_default();
    let item = if applied || args.is_empty() {
        out.add(rank, CompletionKind::Builtin, builtin.name)
    } else {
        out.add_call(rank, CompletionKind::Builtin, builtin.name, &args)
    };
    item.detail = Some(builtin.signature.to_owned());
    item.docs = Some(builtin.docs.to_owned());
}

fn casts(out: &mut Completions<'_>, rank: u8) {
    for scalar in Elem::ALL {
        out.add_call(rank, CompletionKind::Type, scalar.name(), &["x"]).detail = Some("converts a value".to_owned());
    }
}

fn words(out: &mut Completions<'_>, rank: u8, words: &[&str]) {
    for &word in words {
        out.add(rank, CompletionKind::Keyword, word);
    }
}

/// Adds the words that may follow a value.
fn continuations(out: &mut Completions<'_>, words: &[&str]) {
    for &word in words {
        let item = out.add(0, CompletionKind::Keyword, word);
        if word == "if" {
            item.insert = "if ${1:condition} else ${2:value}".to_owned();
            item.snippet = true;
            item.detail = Some("`a if c else b`".to_owned());
        }
    }
}

/// `(a: f32[_], x: T) -> T`
fn show_signature(signature: &Signature) -> String {
    let name = |atom: &Atom| match atom {
        Atom::Param(n) => signature.params.get(*n as usize).map_or("_".into(), |(name, _)| name.to_string()),
        _ => "_".to_owned(),
    };
    let shown = |(n, (param, ty)): (usize, &(hir::Name, Ty))| {
        let default = if signature.optional.contains(&n) { " = ..." } else { "" };
        format!("{param}: {}{default}", ty.display(&name))
    };
    let params: Vec<_> = signature.params.iter().enumerate().map(shown).collect();
    let result = signature.result.as_ref().map(|ty| format!(" -> {}", ty.display(&name))).unwrap_or_default();
    format!("({}){result}", params.join(", "))
}

fn docs(db: &dyn salsa::Database, item: Item<'_>) -> Option<String> {
    ast::Item::cast(SyntaxNode::new_root(parse(db, item).green.clone()))?.docs()
}
