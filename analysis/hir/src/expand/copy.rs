//! Expressions, types and locals of a template, with what is known in the place of their names.

use report::{ItemKind, TextRange};

use super::{Bound, Expand};
use crate::builtins::BuiltinId;
use crate::errors;
use crate::{AttributeUse, Expr, ExprId, Literal, LocalId, LocalKind, Range, Stmt, StmtId, Subscript, TypeRef};

impl Expand<'_> {
    pub(super) fn alloc(&mut self, expr: Expr, at: TextRange) -> ExprId {
        let id = self.body.exprs.alloc(expr);
        self.map.exprs.insert(id, at);
        id
    }

    /// A copy of an expression.
    pub(super) fn expr(&mut self, raw: ExprId) -> ExprId {
        let at = self.raw.map.exprs[raw];
        let copy = self.copied(raw, at);
        let id = self.alloc(copy, at);
        if let Some(name) = self.raw.body.arg_names.get(&raw) {
            self.body.arg_names.insert(id, name.clone());
        }
        if let Some(place) = self.raw.map.arg_names.get(&raw) {
            self.map.arg_names.insert(id, place.clone());
        }
        self.subjects.entry(raw).or_insert(id);
        if let Some(word) = self.raw.map.logical.get(&raw) {
            self.map.logical.insert(id, *word);
        }
        if let Expr::Call(callee, _) = &self.body.exprs[id]
            && let Expr::Item(ItemKind::Fn, name) = &self.body.exprs[*callee]
            && self.is_template(name)
        {
            self.templates.push((*callee, id));
        }
        id
    }

    fn exprs(&mut self, raw: &[ExprId]) -> Vec<ExprId> {
        raw.iter().map(|&expr| self.expr(expr)).collect()
    }

    fn copied(&mut self, raw: ExprId, at: TextRange) -> Expr {
        match self.raw.body.exprs[raw].clone() {
            Expr::Local(local) => self.value_of(local, at),
            same @ (Expr::Missing
            | Expr::Literal(_)
            | Expr::Zero
            | Expr::Item(..)
            | Expr::Builtin(_)
            | Expr::Operator(_)) => same,
            Expr::Array(parts) => Expr::Array(self.exprs(&parts)),
            Expr::Tuple(parts) => Expr::Tuple(self.exprs(&parts)),
            Expr::Unary(op, operand) => Expr::Unary(op, self.expr(operand)),
            Expr::Binary(op, lhs, rhs) => Expr::Binary(op, self.expr(lhs), self.expr(rhs)),
            Expr::Chain(first, others) => {
                let first = self.expr(first);
                Expr::Chain(first, others.into_iter().map(|(op, other)| (op, self.expr(other))).collect())
            }
            Expr::Cond { condition, then_value, else_value } => {
                let then_value = self.expr(then_value);
                let condition = self.expr(condition);
                Expr::Cond { condition, then_value, else_value: self.expr(else_value) }
            }
            Expr::Call(callee, args) => self.call(callee, &args),
            // A type is no value, which lowering said where it stands in another place.
            Expr::Cast(_, args) if args.is_empty() => Expr::Missing,
            Expr::Cast(elem, args) => Expr::Cast(elem, self.exprs(&args)),
            Expr::Index(base, subscripts) => {
                if let Expr::Item(ItemKind::Fn, name) = &self.raw.body.exprs[base] {
                    return self.instance(base, name, &subscripts, at);
                }
                let base = self.expr(base);
                Expr::Index(base, subscripts.iter().map(|it| self.subscript(it)).collect())
            }
            Expr::Field(base, name) => Expr::Field(self.expr(base), name),
            Expr::Is(of, form) => Expr::Is(self.expr(of), form),
            Expr::Data { of, form, datum } => Expr::Data { of: self.expr(of), form, datum },
            Expr::Part { tuple, number, of } => Expr::Part { tuple: self.expr(tuple), number, of },
            Expr::Lambda(params, body) => {
                let params = params.into_iter().map(|param| self.define(param)).collect();
                Expr::Lambda(params, self.expr(body))
            }
        }
    }

    fn subscript(&mut self, raw: &Subscript) -> Subscript {
        match *raw {
            Subscript::At(index) => Subscript::At(self.expr(index)),
            Subscript::Slice { lo, hi, step } => Subscript::Slice {
                lo: lo.map(|part| self.expr(part)),
                hi: hi.map(|part| self.expr(part)),
                step: step.map(|part| self.expr(part)),
            },
        }
    }

    /// A local where it is a value: what is known of it, or itself.
    fn value_of(&mut self, local: LocalId, at: TextRange) -> Expr {
        match self.bound(local).cloned() {
            Some(Bound::Constant(value, elem)) => self.literal(value, elem, at),
            Some(Bound::Type(_) | Bound::Open(_)) => {
                let name = self.raw.body.locals[local].name.clone();
                self.find(errors::type_param_as_value(at, &name));
                Expr::Missing
            }
            None if self.raw.body.kept.iter().any(|it| it.known_as == local) => match self.current.get(&local) {
                Some(&copy) => Expr::Local(copy),
                None => {
                    let name = &self.raw.body.locals[local].name;
                    self.find(errors::of_other_branch(at, name, self.raw.map.locals[local]));
                    Expr::Missing
                }
            },
            None => Expr::Local(self.renamed.get(&local).copied().unwrap_or(local)),
        }
    }

    /// An argument that may be a type, which stands for a value of it then.
    fn type_or_value(&mut self, arg: ExprId) -> ExprId {
        let Expr::Local(local) = self.raw.body.exprs[arg] else { return self.expr(arg) };
        let at = self.raw.map.exprs[arg];
        let value = match self.bound(local).cloned() {
            Some(Bound::Type(name)) => match ir::Elem::from_name(&name) {
                Some(elem) => {
                    let zero = self.alloc(Expr::Literal(Literal::Int(0)), at);
                    Expr::Cast(elem, vec![zero])
                }
                None => Expr::Item(ItemKind::Struct, name),
            },
            Some(Bound::Open(_)) => Expr::Local(self.value_of_open(local)),
            _ => return self.expr(arg),
        };
        self.alloc(value, at)
    }

    /// A call: that of a type is a cast, or makes a struct.
    fn call(&mut self, callee: ExprId, args: &[ExprId]) -> Expr {
        let at = self.raw.map.exprs[callee];
        let takes_type = |builtin: &BuiltinId| builtin.get().shape.takes_type();
        let local = match &self.raw.body.exprs[callee] {
            Expr::Local(local) => *local,
            Expr::Builtin(builtin) if takes_type(builtin) => {
                let callee = self.expr(callee);
                return Expr::Call(callee, args.iter().map(|&arg| self.type_or_value(arg)).collect());
            }
            _ => {
                let callee = self.expr(callee);
                return Expr::Call(callee, self.exprs(args));
            }
        };
        match self.bound(local).cloned() {
            Some(Bound::Type(name)) if ir::Elem::from_name(&name).is_some() => {
                let elem = ir::Elem::from_name(&name).unwrap_or(ir::Elem::F32);
                Expr::Cast(elem, self.exprs(args))
            }
            Some(Bound::Type(name)) => {
                let callee = self.alloc(Expr::Item(ItemKind::Struct, name), at);
                Expr::Call(callee, self.exprs(args))
            }
            Some(Bound::Open(_)) => {
                let like = BuiltinId::from_name("cast_like").map_or(Expr::Missing, Expr::Builtin);
                let like = self.alloc(like, at);
                let value = self.value_of_open(local);
                let mut args = self.exprs(args);
                args.push(self.alloc(Expr::Local(value), at));
                Expr::Call(like, args)
            }
            _ => {
                let callee = self.expr(callee);
                Expr::Call(callee, self.exprs(args))
            }
        }
    }

    /// The variable whose type is one that each call decides, for where the type is a value.
    fn value_of_open(&mut self, local: LocalId) -> LocalId {
        if let Some(Bound::Open(Some(known))) = self.bound(local) {
            return *known;
        }
        let data = &self.raw.body.locals[local];
        let at = self.raw.map.locals[local];
        let ty = TypeRef {
            label: None,
            promise: None,
            name: Some(data.name.clone()),
            parts: Vec::new(),
            sizes: Vec::new(),
            at,
            name_at: at,
        };
        let value = self.body.locals.alloc(crate::Local {
            name: data.name.clone(),
            kind: LocalKind::Held,
            ty: Some(ty),
            updated: false,
        });
        self.map.locals.insert(value, at);
        self.bound.insert(local, Bound::Open(Some(value)));
        value
    }

    /// The definitions of the variables that stand for types.
    pub(super) fn open_types(&mut self) -> Vec<StmtId> {
        let raw = self.raw;
        let open = raw.body.generics.iter().filter_map(|it| match self.bound(it.local) {
            Some(Bound::Open(Some(value))) => Some((*value, raw.map.locals[it.local])),
            _ => None,
        });
        let open: Vec<_> = open.collect();
        let define = |(local, at)| {
            let zero = self.alloc(Expr::Literal(Literal::Int(0)), at);
            self.statement_at(Stmt::Define(local, zero), at)
        };
        open.into_iter().map(define).collect()
    }

    pub(super) fn statement_at(&mut self, stmt: Stmt, at: TextRange) -> StmtId {
        let id = self.body.stmts.alloc(stmt);
        self.map.stmts.insert(id, at);
        id
    }

    /// The local that a definition makes: the one of the template the first time, and another one each other time.
    pub(super) fn define(&mut self, local: LocalId) -> LocalId {
        let copy = self.defined_as(local);
        let mut known = Some(local);
        while let Some(local) = known {
            self.current.insert(local, copy);
            let outer = self.raw.body.kept.iter().find(|it| it.local == local && it.known_as != local);
            known = outer.map(|it| it.known_as);
        }
        let meant = self.raw.body.known_as(local);
        self.body.locals[copy].updated |= self.raw.body.locals[meant].updated;
        copy
    }

    fn defined_as(&mut self, local: LocalId) -> LocalId {
        if self.defined.insert(local) {
            self.local(local);
            return local;
        }
        let copy = self.body.locals.alloc(self.raw.body.locals[local].clone());
        self.map.locals.insert(copy, self.raw.map.locals[local]);
        if self.map.among.contains(&local) {
            self.map.among.insert(copy);
        }
        let ty = self.raw.body.locals[local].ty.as_ref().map(|ty| self.type_ref(ty));
        self.body.locals[copy].ty = ty;
        self.renamed.insert(local, copy);
        copy
    }

    /// Fills in the type of a local that keeps its number.
    pub(super) fn local(&mut self, local: LocalId) {
        let ty = self.raw.body.locals[local].ty.as_ref().map(|ty| self.type_ref(ty));
        self.body.locals[local].ty = ty;
    }

    /// A copy of a type.
    pub(super) fn type_ref(&mut self, raw: &TypeRef) -> TypeRef {
        TypeRef {
            name: raw.name.as_ref().map(|name| self.type_name(name).unwrap_or_else(|| name.clone())),
            parts: raw.parts.iter().map(|part| self.type_ref(part)).collect(),
            sizes: self.exprs(&raw.sizes),
            ..raw.clone()
        }
    }

    /// The type that a type parameter stands for.
    fn type_name(&self, name: &str) -> Option<crate::Name> {
        let body = &self.raw.body;
        let generic = body.generics.iter().find(|it| *body.locals[it.local].name == *name)?;
        match self.bound(generic.local)? {
            Bound::Type(name) => Some(name.clone()),
            _ => None,
        }
    }

    pub(super) fn attrs(&mut self, raw: &[AttributeUse]) -> Vec<AttributeUse> {
        let copies = raw.iter().map(|attr| AttributeUse { args: self.exprs(&attr.args), ..attr.clone() });
        copies.collect()
    }

    pub(super) fn range(&mut self, raw: &Range) -> Range {
        Range {
            start: raw.start.map(|part| self.expr(part)),
            stop: self.expr(raw.stop),
            step: raw.step.map(|part| self.expr(part)),
        }
    }

    pub(super) fn not_static(&mut self, at: TextRange, what: &str) {
        self.find(errors::static_not_constant(at, what));
    }
}
