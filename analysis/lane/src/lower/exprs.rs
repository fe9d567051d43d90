//! Expressions: names to what they stand for, numbers to values.

use ir::Elem;
use report::{ItemKind, TextRange};
use syntax::ast::{self, AstNode};
use syntax::text::Quoted;
use syntax::{SyntaxKind, SyntaxNode, TextSize};

use super::comprehensions::only;
use super::habits::{call_of_others, end_of_arguments, joined_already};
use super::{Loop, Lower, Spelling};
use hir::builtins::{BUILTINS, Builtin, BuiltinId, Means, TypeRule};
use hir::errors::{self, UseOfName};
use hir::scope::Ended;
use hir::{BinOp, Expr, ExprId, Literal, LocalId, LocalKind, Name, Stmt, Subscript, TypeRef, UnaryOp};

impl Lower<'_> {
    pub(super) fn alloc(&mut self, expr: Expr, at: TextRange) -> ExprId {
        let id = self.body.exprs.alloc(expr);
        self.map.exprs.insert(id, at);
        id
    }

    pub(super) fn missing(&mut self, near: &SyntaxNode) -> ExprId {
        self.alloc(Expr::Missing, TextRange::empty(near.text_range().end()))
    }

    pub(super) fn expr_or_missing(&mut self, expr: Option<ast::Expr>, near: &SyntaxNode) -> ExprId {
        match expr {
            Some(expr) => self.expr(&expr),
            None => self.missing(near),
        }
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> ExprId {
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
            ast::Expr::Comprehension(it) => self.stray_comprehension(it),
            ast::Expr::ArrayExpr(it) if let Some(it) = only(&it.elements().collect::<Vec<_>>()) => {
                self.array_of_comprehension(it)
            }
            ast::Expr::ArrayExpr(it) => {
                let elements: Vec<_> = it.elements().map(|element| self.expr(&element)).collect();
                if elements.is_empty() { Expr::Missing } else { Expr::Array(elements) }
            }
            ast::Expr::TupleExpr(it) => {
                let parts: Vec<_> = it.elements().map(|part| self.expr(&part)).collect();
                // A tuple of one value lacks another, which has its syntax error.
                if parts.len() > 1 { Expr::Tuple(parts) } else { Expr::Missing }
            }
            ast::Expr::PrefixExpr(it) => {
                let operand = self.expr_or_missing(it.operand(), it.syntax());
                match it.op().map(|op| op.kind()) {
                    Some(SyntaxKind::MINUS) => Expr::Unary(UnaryOp::Neg, operand),
                    Some(SyntaxKind::PLUS) => Expr::Unary(UnaryOp::Plus, operand),
                    Some(SyntaxKind::TILDE) => Expr::Unary(UnaryOp::BitNot, operand),
                    _ => Expr::Unary(UnaryOp::Not, operand),
                }
            }
            ast::Expr::BinExpr(it) if let Some(before) = chained(it) => self.chain(it, &before),
            ast::Expr::BinExpr(it) => {
                let lhs = self.expr_or_missing(it.lhs(), it.syntax());
                let rhs = self.expr_or_missing(it.rhs(), it.syntax());
                let op = it.op().and_then(|op| Some((binary_operator(op.kind())?, op.text_range())));
                if let Some((op, word)) = op.filter(|(op, _)| op.is_logical()) {
                    let id = self.alloc(Expr::Binary(op, lhs, rhs), at);
                    self.map.logical.insert(id, word);
                    return id;
                }
                op.map_or(Expr::Missing, |(op, _)| Expr::Binary(op, lhs, rhs))
            }
            ast::Expr::CondExpr(it) => Expr::Cond {
                then_value: self.expr_or_missing(it.then_value(), it.syntax()),
                condition: self.expr_or_missing(it.condition(), it.syntax()),
                else_value: self.expr_or_missing(it.else_value(), it.syntax()),
            },
            ast::Expr::CallExpr(it) => {
                let meant = self.call_of_module(it).or_else(|| self.cast_of_numpy(it));
                meant.unwrap_or_else(|| self.call(it))
            }
            ast::Expr::IndexExpr(it) => {
                if let Some(instance) = self.instance_of_function(it) {
                    return self.alloc(instance, at);
                }
                if let Some(meant) = self.index_of_numpy(it) {
                    return self.alloc(meant, at);
                }
                let base = self.expr_or_missing(it.base(), it.syntax());
                let subscripts: Vec<_> = it.indices().into_iter().flat_map(|list| list.subscripts()).collect();
                if subscripts.is_empty() {
                    Expr::Missing
                } else {
                    Expr::Index(base, subscripts.iter().map(|subscript| self.subscript(subscript)).collect())
                }
            }
            ast::Expr::FieldExpr(it) => {
                if let Some(meant) = self.value_of_module(expr) {
                    return self.alloc(meant, at);
                }
                let base = self.expr_or_missing(it.base(), it.syntax());
                match it.field().and_then(|field| field.text()) {
                    Some(field) => Expr::Field(base, field.into()),
                    None => Expr::Missing,
                }
            }
            ast::Expr::LambdaExpr(it) => self.lambda(it),
            ast::Expr::NamedArg(it) => return self.expr_or_missing(it.value(), it.syntax()),
        };
        self.alloc(lowered, at)
    }

    /// Comparisons in a chain, of which `it` is the last, behind those of `before`.
    fn chain(&mut self, it: &ast::BinExpr, before: &ast::BinExpr) -> Expr {
        let mut links = vec![it.clone()];
        let mut first = before.clone();
        while let Some(inner) = chained(&first) {
            links.push(std::mem::replace(&mut first, inner));
        }
        links.push(first.clone());
        if self.arguments_in_angles(&first, it) {
            return Expr::Missing;
        }
        let start = self.expr_or_missing(first.lhs(), first.syntax());
        let mut others = Vec::new();
        for link in links.iter().rev() {
            let op = link.op().and_then(|op| binary_operator(op.kind()));
            let right = self.expr_or_missing(link.rhs(), link.syntax());
            others.extend(op.map(|op| (op, right)));
        }
        Expr::Chain(start, others)
    }

    /// Finds `poly<4>(x)`, which is how C++ and Rust call an instance.
    fn arguments_in_angles(&mut self, first: &ast::BinExpr, last: &ast::BinExpr) -> bool {
        let (Some(ast::Expr::NameRef(callee)), Some(value @ ast::Expr::ParenExpr(_))) = (first.lhs(), last.rhs())
        else {
            return false;
        };
        let name = callee.text().unwrap_or_default();
        let angles =
            (first.op().map(|op| (op.kind(), op.text_range())), last.op().map(|op| (op.kind(), op.text_range())));
        if let (Some((SyntaxKind::LT, open)), Some((SyntaxKind::GT, close))) = angles
            && self.scopes.lookup(&name).is_none()
            && matches!(self.item_kind(&name), Some(ItemKind::Fn | ItemKind::Kernel))
        {
            self.find(errors::arguments_in_angles(last.syntax().text_range(), &name, open, close));
            self.body.in_doubt = true;
            self.lenient(|lower| lower.expr(&value));
            return true;
        }
        false
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
            SyntaxKind::TEXT => match syntax::text::quoted(token.text()) {
                Some(Quoted::Character(number)) => Expr::Literal(Literal::Int(number.into())),
                Some(Quoted::Text(bytes)) => self.text(&bytes, at),
                None => Expr::Missing,
            },
            _ => Expr::Missing,
        }
    }

    /// The array of a text's bytes. The first says that all are `u8`.
    fn text(&mut self, bytes: &[u8], at: TextRange) -> Expr {
        let inside = TextRange::new(at.start() + TextSize::new(1), at.end() - TextSize::new(1));
        let elements = bytes.iter().map(|&byte| self.alloc(Expr::Literal(Literal::Int(byte.into())), inside));
        let mut elements: Vec<ExprId> = elements.collect();
        if let Some(first) = elements.first_mut() {
            *first = self.alloc(Expr::Cast(Elem::U8, vec![*first]), inside);
        }
        Expr::Array(elements)
    }

    /// The meaning of a name, if it is known.
    pub(super) fn resolve(&self, name: &str) -> Option<Expr> {
        if let Some(local) = self.scopes.lookup(name) {
            return Some(Expr::Local(local));
        }
        if let Some(kind) = self.item_kind(name) {
            return Some(Expr::Item(kind, name.into()));
        }
        BuiltinId::from_name(name).map(Expr::Builtin)
    }

    fn name(&mut self, name: &str, at: TextRange) -> Expr {
        match self.resolve(name) {
            Some(Expr::Local(local)) => {
                self.use_local(local, at);
                Expr::Local(local)
            }
            Some(Expr::Builtin(builtin)) if self.may_be_variable(builtin.get()) => Expr::Missing,
            Some(Expr::Builtin(builtin)) => {
                if self.is_out_of_place(builtin.get()) {
                    let sum = self.call.as_ref().and_then(|call| joined_already(call, name));
                    self.find(errors::lane_operation_outside(at, name, sum));
                }
                Expr::Builtin(builtin)
            }
            Some(expr) => expr,
            None => self.unknown_name(name, at),
        }
    }

    /// A word such as `sum` that is not called may well be a variable that is defined in what was not understood.
    fn may_be_variable(&self, builtin: &Builtin) -> bool {
        let in_doubt = self.body.in_doubt || self.scopes.is_lenient() || self.unknown.contains(builtin.name);
        let may_be = matches!(builtin.shape, TypeRule::Function(_)) || matches!(builtin.means, Means::Number(_));
        in_doubt && self.call.is_none() && may_be
    }

    /// The builtin sees other lanes where there surely are none.
    fn is_out_of_place(&self, builtin: &Builtin) -> bool {
        let outside = !self.loops.iter().any(|around| matches!(around, Loop::Foreach { .. }));
        let sure = self.kind != ItemKind::Fn && !self.scopes.is_lenient() && !self.body.in_doubt;
        // A builtin that takes arrays does something else with them, which types decide.
        builtin.crosses_lanes && !builtin.takes_arrays && outside && sure
    }

    pub(super) fn use_local(&mut self, local: LocalId, at: TextRange) {
        self.map.uses.push((at, local));
        self.read.insert(local);
    }

    fn unknown_name(&mut self, name: &str, at: TextRange) -> Expr {
        if self.scopes.is_lenient() || self.unknown.contains(name) {
            return Expr::Missing;
        }
        if let Some(ended) = self.scopes.ended(name) {
            self.use_local(ended.local, at);
            if self.misplaced.insert(ended.local) {
                self.used_after_block(name, at, ended);
            }
            return Expr::Local(ended.local);
        }
        self.unknown.insert(name.into());
        if self.body.in_doubt || self.names.is_lost_with_use(name) {
            return Expr::Missing;
        }
        let is_run = matches!(self.kind, ItemKind::Kernel | ItemKind::Fn);
        let of_enum = is_run.then(|| self.names.enum_with(name)).flatten();
        if let Some(of) = of_enum {
            self.saw_all_names = true;
            self.find(errors::variant_needs_enum(at, name, &of));
        } else if let Some(scalar) = Elem::from_name(name) {
            self.find(errors::type_as_value(at, scalar));
        } else if self.indices_to_be.iter().any(|index| **index == *name) {
            self.find(errors::index_in_own_range(at, name));
        } else {
            let meant = self.meant(name);
            let meant = meant.as_deref();
            let used = match &self.call {
                Some(call) => {
                    UseOfName::Callee(n_arguments(call), self.definition_for(call, name), end_of_arguments(call))
                }
                None => UseOfName::Value(self.last_param.filter(|_| self.kind == ItemKind::Kernel)),
            };
            let found = errors::unknown_name(at, name, meant, used);
            let found = match &self.call {
                Some(call) => call_of_others(found, name, call),
                None => found,
            };
            let fits = |kind: ItemKind| match self.call.is_some() {
                true => kind == ItemKind::Fn || kind.is_type(),
                false => kind == ItemKind::Const,
            };
            let found = match (self.names.file_beside_with(name, &fits), self.names.library_of(name, &fits)) {
                (Some(file), _) => errors::of_file(found, name, &file),
                (None, Some(library)) => errors::of_library(found, name, &library),
                (None, None) => found,
            };
            // The suggested local counts as used, so that one slip is one finding.
            self.read.extend(meant.and_then(|meant| self.scopes.lookup(meant)));
            self.find(found);
        }
        Expr::Missing
    }

    /// The name that was most likely meant by one that nothing has: that of a local, an item or a builtin.
    fn meant(&mut self, name: &str) -> Option<Name> {
        let all = self.all_items();
        let Spelling { mut locals, mut others } = std::mem::take(&mut self.spelling);
        self.body.locals.iter().skip(locals.len()).for_each(|(_, local)| locals.push(local.name.clone()));
        if others.is_empty() {
            all.in_order.iter().for_each(|key| others.push(key.name.clone()));
            BUILTINS.iter().for_each(|builtin| others.push(builtin.name.into()));
        }
        // Names that cannot stand here are not suggested: no number is called.
        let called = self.call.is_some();
        let is_visible = |number: usize, name: &str| {
            !called && self.scopes.lookup(name).is_some_and(|local| local.into_raw().into_u32() as usize == number)
        };
        let fits = |number: usize, _: &str| match all.in_order.get(number) {
            Some(key) => !called || matches!(key.kind, ItemKind::Fn | ItemKind::Struct | ItemKind::Enum),
            None => {
                let builtin = &BUILTINS[number - all.in_order.len()];
                !(self.is_out_of_place(builtin) || called && builtin.shape == TypeRule::Value)
            }
        };
        // Of two that are equally close the local is nearer.
        let local = locals.closest(name, is_visible).map(|(distance, number)| (distance, locals.word(number).clone()));
        let other = others.closest(name, fits).map(|(distance, number)| (distance, others.word(number).clone()));
        self.spelling = Spelling { locals, others };
        local.into_iter().chain(other).min_by_key(|(distance, _)| *distance).map(|(_, meant)| meant)
    }

    /// The definition of a function that could be called as in a call. Its parameters have the names of the arguments, and the
    /// types of those that were declared with one; others take theirs from the call. It gives its first value back, which has
    /// the type that is wanted most likely.
    fn definition_for(&self, call: &ast::CallExpr, name: &str) -> Option<String> {
        if self.kind == ItemKind::Const {
            return None;
        }
        let (mut params, mut typed): (Vec<String>, Vec<String>) = Default::default();
        let mut result = None;
        let (mut n_sizes, mut gives_float) = (0, false);
        for arg in call.args().into_iter().flat_map(|args| args.args()) {
            let named = match &arg {
                ast::Expr::NameRef(name) => name.text().map(|text| text.to_string()),
                _ => None,
            };
            let ty = self.declared_type_of(&arg, &mut n_sizes);
            let is_array = ty.as_ref().is_some_and(|ty| ty.ends_with(']'));
            let free = || ["x", "y", "z", "w", "v", "u"].map(str::to_owned).into_iter().find(|it| !params.contains(it));
            let param = named.filter(|name| !params.contains(name)).or_else(free)?;
            // Counters and indices are rarely the result.
            let is_float = ty.as_deref().is_some_and(|ty| ir::Elem::from_name(ty).is_some_and(ir::Elem::is_float));
            if !is_array && (result.is_none() || is_float && !gives_float) {
                result = Some(param.clone());
                gives_float = is_float;
            }
            typed.push(ty.map_or(param.clone(), |ty| format!("{param}: {ty}")));
            params.push(param);
        }
        let is_statement = call.syntax().parent().is_some_and(|above| above.kind() == SyntaxKind::EXPR_STMT);
        let body = match result {
            _ if is_statement => "pass".to_owned(),
            result => format!("return {}", result.as_deref().unwrap_or("0")),
        };
        Some(format!("fn {name}({}):\n    {body}", typed.join(", ")))
    }

    fn declared_type(&self, name: &str) -> Option<&TypeRef> {
        self.body.locals[self.scopes.lookup(name)?].ty.as_ref()
    }

    /// The type that an argument has by the declaration of a name: the name itself, or an element, a row or a slice of it. A size that is
    /// no plain name or number gets a name of its own, of which there are `n_sizes` already.
    fn declared_type_of(&self, arg: &ast::Expr, n_sizes: &mut usize) -> Option<String> {
        let (name, subscripts) = match arg {
            ast::Expr::NameRef(name) => (name.text()?, Vec::new()),
            ast::Expr::IndexExpr(access) => match access.base()? {
                ast::Expr::NameRef(name) => (name.text()?, access.indices()?.subscripts().collect()),
                _ => return None,
            },
            _ => return None,
        };
        let ty = self.declared_type(&name)?;
        let scalar = ty.name.as_ref()?;
        let mut sizes = Vec::new();
        for (dim, size) in ty.sizes.iter().enumerate() {
            let is_slice = match subscripts.get(dim) {
                Some(ast::Subscript::Slice(_)) => true,
                Some(_) => continue,
                None => false,
            };
            sizes.push(match &self.body.exprs[*size] {
                Expr::Local(local) if !is_slice => self.body.locals[*local].name.to_string(),
                Expr::Literal(Literal::Int(size)) if !is_slice => size.to_string(),
                _ => {
                    *n_sizes += 1;
                    format!("size_{n_sizes}")
                }
            });
        }
        if subscripts.len() > ty.sizes.len() {
            return None;
        }
        Some(if sizes.is_empty() { scalar.to_string() } else { format!("{scalar}[{}]", sizes.join(", ")) })
    }

    fn used_after_block(&mut self, name: &str, at: TextRange, ended: Ended) {
        let defined = self.map.locals[ended.local];
        // The index of a loop is a value of the loop's alone; what it was last is worth a variable with a name.
        if matches!(
            self.body.locals[ended.local].kind,
            LocalKind::ForIndex | LocalKind::ForeachIndex | LocalKind::Element
        ) {
            self.find(errors::index_after_loop(at, name, defined));
            return;
        }
        // Other branches that define the name define what is meant to be one variable.
        let (kind, ty) = (self.body.locals[ended.local].kind, self.body.locals[ended.local].ty.is_none());
        let others = self.body.locals.iter().filter(|(_, local)| ty && local.kind == kind && *local.name == *name);
        self.read.extend(others.map(|(other, _)| other));
        let owner = ended.owner.map(|owner| self.map.stmts[owner]);
        let initial = if self.is_bool(ended.local) { "false" } else { "0" };
        self.find(errors::used_after_block(at, name, defined, owner, initial));
    }

    /// The value that defines a local is a bool by its form.
    fn is_bool(&self, local: LocalId) -> bool {
        let value = self.body.stmts.iter().find_map(|(_, stmt)| match stmt {
            Stmt::Define(defined, value) if *defined == local => Some(*value),
            _ => None,
        });
        value.is_some_and(|value| match &self.body.exprs[value] {
            Expr::Literal(Literal::Bool(_)) | Expr::Unary(UnaryOp::Not, _) => true,
            Expr::Binary(op, ..) => op.compares() || op.is_logical(),
            Expr::Chain(..) => true,
            _ => false,
        })
    }

    fn call(&mut self, it: &ast::CallExpr) -> Expr {
        let args: Vec<_> = it.args().into_iter().flat_map(|args| args.args()).collect();
        if let Some(comprehension) = only(&args)
            && let Some(call) = self.call_of_comprehension(it, comprehension)
        {
            return call;
        }
        let cast = match it.callee() {
            Some(ast::Expr::NameRef(name)) => {
                let text = name.text().unwrap_or_default();
                Elem::from_name(&text).filter(|_| self.scopes.lookup(&text).is_none())
            }
            _ => None,
        };
        if let Some(scalar) = cast {
            self.names_nothing(&args);
            return Expr::Cast(scalar, args.iter().map(|arg| self.expr(arg)).collect());
        }
        self.call = matches!(it.callee(), Some(ast::Expr::NameRef(_))).then(|| it.clone());
        let callee = self.expr_or_missing(it.callee(), it.syntax());
        self.call = None;
        let function = match &self.body.exprs[callee] {
            Expr::Item(ItemKind::Fn | ItemKind::Struct, name) => Some(name.clone()),
            Expr::Field(of, _) if matches!(&self.body.exprs[*of], Expr::Item(ItemKind::Enum, _)) => {
                let Expr::Item(_, name) = &self.body.exprs[*of] else { return Expr::Missing };
                Some(name.clone())
            }
            Expr::Builtin(builtin) if builtin.get().takes_names() && !args.iter().any(is_axis) => {
                Some(builtin.get().name.into())
            }
            Expr::Missing | Expr::Item(..) => None,
            _ => {
                self.names_nothing(&args);
                None
            }
        };
        let takes_type = matches!(&self.body.exprs[callee], Expr::Builtin(builtin) if builtin.get().shape.takes_type());
        let mut values = Vec::new();
        for arg in &args {
            let value = match self.type_name(arg).filter(|_| takes_type) {
                // A type stands for a value of it.
                Some(elem) => {
                    let zero = self.alloc(Expr::Literal(Literal::Int(0)), arg.syntax().text_range());
                    self.alloc(Expr::Cast(elem, vec![zero]), arg.syntax().text_range())
                }
                None => self.expr(arg),
            };
            values.push(value);
            if let (ast::Expr::NamedArg(named), Some(function)) = (arg, &function)
                && let Some(name) = named.name()
            {
                self.body.arg_names.insert(value, name.text().unwrap_or_default().into());
                self.map.arg_names.insert(value, (name.syntax().text_range(), function.clone()));
            }
        }
        // The rest of the call means something else than NumPy's call along an axis.
        if function.is_none() && args.iter().any(is_axis) { Expr::Missing } else { Expr::Call(callee, values) }
    }

    /// The type that a name by itself stands for.
    pub(super) fn type_name(&self, arg: &ast::Expr) -> Option<Elem> {
        let ast::Expr::NameRef(name) = arg else { return None };
        let text = name.text()?;
        Elem::from_name(&text).filter(|_| self.scopes.lookup(&text).is_none())
    }

    /// Arguments that are given by names to what has no parameters with names.
    pub(super) fn names_nothing(&mut self, args: &[ast::Expr]) {
        for arg in args {
            let ast::Expr::NamedArg(named) = arg else { continue };
            let (Some(name), Some(value)) = (named.name(), named.value()) else { continue };
            let at = name.syntax().text_range();
            let whole = TextRange::new(at.start(), value.syntax().text_range().start());
            self.find(errors::named_argument(at, &name.text().unwrap_or_default(), whole));
        }
    }

    pub(super) fn subscript(&mut self, subscript: &ast::Subscript) -> Subscript {
        match subscript {
            ast::Subscript::Slice(slice) => {
                let mut part = |part: Option<ast::Expr>| part.map(|part| self.expr(&part));
                let (lo, hi, step) = (part(slice.lo()), part(slice.hi()), part(slice.step()));
                Subscript::Slice { lo, hi, step }
            }
            other => {
                let expr = ast::Expr::cast(other.syntax().clone());
                if let Some(named) = expr.as_ref().filter(|expr| matches!(expr, ast::Expr::NamedArg(_))) {
                    self.names_nothing(std::slice::from_ref(named));
                }
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
                self.misplaced.insert(first);
            }
            let ty = param.ty().map(|ty| self.type_ref(&ty));
            let local = self.local(text, LocalKind::LambdaParam, at);
            self.body.locals[local].ty = ty;
            params.push(local);
        }
        let body = self.expr_or_missing(it.body(), it.syntax());
        // Its parameters are no variables of the block around it, so nobody means them behind it.
        self.scopes.forget();
        Expr::Lambda(params, body)
    }
}

/// The `axis=1` of NumPy's functions of arrays, which has a finding of its own.
pub(super) fn is_axis(arg: &ast::Expr) -> bool {
    let ast::Expr::NamedArg(named) = arg else { return false };
    named.name().and_then(|name| name.text()).as_deref() == Some("axis")
}

fn n_arguments(call: &ast::CallExpr) -> usize {
    call.args().into_iter().flat_map(|args| args.args()).count()
}

pub(super) fn binary_operator(kind: SyntaxKind) -> Option<BinOp> {
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
pub(super) fn parse_int(text: &str) -> Option<u128> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (&text[..], 10),
    };
    u128::from_str_radix(digits, radix).ok().filter(|&value| value <= u128::from(u64::MAX))
}

/// All digits of an integer are digits of its base.
fn is_int(text: &str) -> bool {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (&text[..], 10),
    };
    !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix))
}

/// The comparison before another one in a chain: `a < b` of `a < b < c`.
fn chained(it: &ast::BinExpr) -> Option<ast::BinExpr> {
    let compares = |it: &ast::BinExpr| it.op().and_then(|op| binary_operator(op.kind())).is_some_and(BinOp::compares);
    if !compares(it) {
        return None;
    }
    match it.lhs()? {
        ast::Expr::BinExpr(before) if compares(&before) => Some(before),
        _ => None,
    }
}
