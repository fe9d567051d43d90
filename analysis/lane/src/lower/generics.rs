//! What is decided at compile time: constant and type parameters, and the arguments for them.

use ir::Elem;
use report::{ItemKind, TextRange};
use syntax::ast::{self, AstNode};

use super::Lower;
use hir::builtins::Above;
use hir::errors;
use hir::{Expr, ExprId, Generic, InstanceOf, LocalKind, Name, Subscript, TypeRef};

impl Lower<'_> {
    /// The constant and type parameters of a kernel or function.
    pub(super) fn generics(&mut self, list: Option<ast::GenericList>) {
        let Some(list) = list else { return };
        self.header_in_doubt(list.close().is_none() || super::has_error(list.syntax()));
        for generic in list.generics() {
            let Some(name) = generic.name() else { continue };
            let text: Name = name.text().unwrap_or_default().into();
            let at = name.syntax().text_range();
            if let Some(first) = self.scopes.lookup_here(&text).filter(|_| !text.is_empty()) {
                self.find(errors::duplicate_local(at, &text, "parameter", self.map.locals[first]));
            }
            let ty = generic.ty().map(|ty| self.type_ref(&ty));
            let kind = if ty.is_some() { LocalKind::Constant } else { LocalKind::TypeParam };
            if let Some(ty) = &ty {
                self.check_constant_type(ty);
            }
            let default = generic.default().map(|default| self.generic_value(&default));
            let local = self.local(text, kind, at);
            self.body.locals[local].ty = ty;
            self.body.generics.push(Generic { local, default });
        }
    }

    /// A constant parameter is a scalar.
    fn check_constant_type(&mut self, ty: &TypeRef) {
        let is_scalar = ty.name.as_deref().is_none_or(|name| Elem::from_name(name).is_some());
        if !is_scalar || !ty.sizes.is_empty() || !ty.parts.is_empty() {
            self.find(errors::generic_not_scalar(ty.at));
        }
    }

    /// A kernel that is an instance of another one.
    pub(super) fn instance(&mut self, attrs: ast::AstChildren<ast::Attr>, it: &ast::Instance) {
        self.scopes.open(None);
        self.body.attrs = self.attrs(attrs, Above::Item);
        let of = match it.of() {
            Some(name) => self.expr(&ast::Expr::NameRef(name)),
            None => self.missing(it.syntax()),
        };
        self.body.header_in_doubt |= it.args().is_none();
        let mut args = Vec::new();
        for arg in it.args().into_iter().flat_map(|args| args.args()) {
            let value = self.generic_arg(&arg, of);
            args.push(value);
        }
        self.body.instance = Some(InstanceOf { of, args });
        self.scopes.close();
    }

    /// An argument for a constant or type parameter of an item, perhaps by its name.
    fn generic_arg(&mut self, arg: &ast::Expr, of: ExprId) -> ExprId {
        let value = self.generic_value(arg);
        if let (ast::Expr::NamedArg(named), Expr::Item(_, of)) = (arg, self.body.exprs[of].clone())
            && let Some(name) = named.name()
        {
            self.body.arg_names.insert(value, name.text().unwrap_or_default().into());
            self.map.arg_names.insert(value, (name.syntax().text_range(), of));
        }
        value
    }

    /// The value of an argument; a type stands for itself.
    fn generic_value(&mut self, arg: &ast::Expr) -> ExprId {
        let value = match arg {
            ast::Expr::NamedArg(named) => named.value().unwrap_or_else(|| arg.clone()),
            arg => arg.clone(),
        };
        match self.type_name(&value) {
            Some(elem) => self.alloc(Expr::Cast(elem, Vec::new()), value.syntax().text_range()),
            None => self.expr(&value),
        }
    }

    /// A function with arguments in brackets, `poly[4]`.
    pub(super) fn instance_of_function(&mut self, it: &ast::IndexExpr) -> Option<Expr> {
        let Some(ast::Expr::NameRef(name)) = it.base() else { return None };
        let text = name.text()?;
        if !matches!(self.resolve(&text), Some(Expr::Item(ItemKind::Fn, _))) {
            return None;
        }
        let base = self.expr(&ast::Expr::NameRef(name));
        let subscripts: Vec<_> = it.indices().into_iter().flat_map(|list| list.subscripts()).collect();
        let mut args = Vec::new();
        for subscript in subscripts {
            args.push(match ast::Expr::cast(subscript.syntax().clone()) {
                Some(arg) => Subscript::At(self.generic_arg(&arg, base)),
                None => self.subscript(&subscript),
            });
        }
        Some(if args.is_empty() { Expr::Missing } else { Expr::Index(base, args) })
    }

    /// A name in the place of a type is a type parameter.
    pub(super) fn names_type_param(&mut self, name: &str, at: TextRange) -> bool {
        match self.scopes.lookup(name) {
            Some(local) if self.body.locals[local].kind == LocalKind::TypeParam => {
                self.use_local(local, at);
                true
            }
            _ => false,
        }
    }
}
