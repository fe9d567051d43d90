//! Lane for arrays that are written as objects: methods, properties, and arrays that a kernel gives back.

use ir::Elem;
use report::{TextRange, TextSize};

use super::Infer;
use crate::builtins::BuiltinId;
use crate::errors;
use crate::finding::{Edit, Finding};
use crate::ty::Ty;
use crate::{BinOp, Expr, ExprId, ItemKind, Literal, LocalId, LocalKind, Name, Stmt, Subscript};

impl Infer<'_, '_> {
    /// The base of an access is an array, or may be one as far as is known, and no struct has a field of that name.
    fn is_object(&mut self, base: ExprId, field: &Name) -> bool {
        let ty = self.expr(base);
        match self.table.shallow(&ty) {
            Ty::Array(element, _) => match self.table.shallow(&element) {
                Ty::Struct(name) => self.fields_of(&name).iter().all(|(other, _)| other != field),
                _ => true,
            },
            Ty::Var(var) => self.table.scalars(var).is_none() && self.struct_with(field).is_none(),
            _ => false,
        }
    }

    /// `a.name(…)` is a method of an array, or of what is one most likely.
    pub(super) fn is_method(&mut self, base: ExprId, name: &Name) -> bool {
        let ty = self.expr(base);
        self.is_number(&ty) || self.is_object(base, name) && (self.is_array(&ty) || errors::method(name).is_some())
    }

    fn is_number(&self, ty: &Ty) -> bool {
        match self.table.shallow(ty) {
            Ty::Scalar(elem) => elem != Elem::Bool,
            Ty::Var(var) => self.table.scalars(var).is_some(),
            _ => false,
        }
    }

    pub(super) fn method(
        &mut self,
        (call, callee): (ExprId, ExprId),
        base: ExprId,
        name: &Name,
        args: &[ExprId],
    ) -> Ty {
        args.iter().for_each(|&arg| _ = self.expr(arg));
        self.out.exprs.insert(callee, Ty::Error);
        let place = self.base_of(callee, base, name);
        let ty = self.out.exprs.get(base).cloned().unwrap_or(Ty::Error);
        let of_number = self.is_number(&ty);
        if let (true, Some(op), &[arg]) = (of_number, errors::operator_of_method(name), args) {
            let plain = !matches!(
                self.body.exprs[arg],
                Expr::Binary(..) | Expr::Unary(..) | Expr::Chain(..) | Expr::Cond { .. } | Expr::Lambda(..)
            );
            let own = self.table.shallow(&ty).scalar().filter(|elem| elem.is_signed());
            let signed = own.map(|own| (own, own.to_unsigned()));
            self.find(errors::wrapping_method(place, self.at(call), (name, op), plain, signed));
            return Ty::Error;
        }
        if !of_number && args.len() == 1 && matches!(&**name, "get" | "at" | "item" | "get_unchecked") {
            self.find(errors::element_by_method(place, self.at(call), name));
            return Ty::Error;
        }
        if let Some(finding) = self.method_of_names((call, callee), base, name, args, of_number) {
            self.find(finding);
            return Ty::Error;
        }
        let by_name = self.name_of(base).filter(|_| matches!(&**name, "map" | "filter"));
        if let (false, Some(array), 1) = (of_number, by_name, args.len()) {
            self.find(errors::function_before_array(place, self.at(call), name, &array));
            return Ty::Error;
        }
        self.find(errors::method_of(place, self.at(callee), name, !args.is_empty(), of_number));
        Ty::Error
    }

    /// The finding about a method whose parts are names and numbers, so that a fix can write them elsewhere.
    fn method_of_names(
        &mut self,
        (call, callee): (ExprId, ExprId),
        base: ExprId,
        name: &Name,
        args: &[ExprId],
        of_number: bool,
    ) -> Option<Finding> {
        let (at, whole) = (self.at(callee), self.at(call));
        let word = TextRange::new(at.end() - TextSize::of(&**name), at.end());
        match args {
            [] if !of_number => {
                let rest = TextRange::new(word.start() - TextSize::of('.'), whole.end());
                errors::end_of_array(word, rest, name, &self.name_of(base)?)
            }
            &[i, j] if !of_number && &**name == "swap" => {
                let (i, j) = (self.written(i)?, self.written(j)?);
                Some(errors::swap_by_method(word, whole, &self.name_of(base)?, [&i, &j]))
            }
            [_] if of_number => {
                let Expr::Index(array, subscripts) = &self.body.exprs[base] else { return None };
                let &[Subscript::At(index)] = &subscripts[..] else { return None };
                let to = TextRange::new(whole.start(), at.end() + TextSize::of('('));
                errors::atomic_by_method(word, to, name, (&self.name_of(*array)?, &self.written(index)?))
            }
            _ => None,
        }
    }

    /// A name or a number as it is written.
    fn written(&self, expr: ExprId) -> Option<String> {
        match &self.body.exprs[expr] {
            Expr::Literal(Literal::Int(number)) => Some(number.to_string()),
            _ => self.name_of(expr).map(|name| name.to_string()),
        }
    }

    /// The struct that `p.name(…)` is of, if that has no such field, and the function that is meant: one of that name, or the one that
    /// vectors have for it.
    pub(super) fn struct_of_method(&mut self, base: ExprId, name: &Name) -> Option<(Name, Name)> {
        let ty = self.expr(base);
        let Ty::Struct(of) = self.table.shallow(&ty) else { return None };
        let is_function =
            |name: &Name| self.env.kind_of(name) == Some(ItemKind::Fn) || BuiltinId::from_name(name).is_some();
        let names = [Some(name.clone()), errors::method_of_vector(name).map(Name::from)];
        let meant = names.into_iter().flatten().find(is_function)?;
        let has_field = self.is_enum(&of) || self.fields_of(&of).iter().any(|(field, _)| field == name);
        (!has_field).then_some((of, meant))
    }

    pub(super) fn method_of_struct(
        &mut self,
        callee: ExprId,
        base: ExprId,
        (of, meant): (&Name, &Name),
        args: &[ExprId],
    ) -> Ty {
        args.iter().for_each(|&arg| _ = self.expr(arg));
        self.out.exprs.insert(callee, Ty::Error);
        let Expr::Field(_, name) = self.body.exprs[callee].clone() else { return Ty::Error };
        let place = self.base_of(callee, base, &name);
        self.find(errors::method_of_struct(place, self.at(callee), (&name, of, meant), !args.is_empty()));
        Ty::Error
    }

    /// The finding about `a.size` and its like; `whole` is the access, with the subscript that chooses a dimension.
    pub(super) fn property(&mut self, whole: ExprId, access: ExprId, dim: Option<u128>) -> Option<Finding> {
        let Expr::Field(base, field) = self.body.exprs[access].clone() else { return None };
        if !self.is_object(base, &field) {
            return None;
        }
        let ty = self.expr(base);
        let rank = match self.table.shallow(&ty) {
            Ty::Array(_, sizes) => Some(sizes.len()),
            _ => None,
        };
        let (place, by_name) = (self.base_of(access, base, &field), self.name_of(base));
        errors::property_of_array(self.at(whole), (place, by_name.as_deref()), &field, dim, rank)
    }

    /// `a.shape[0]`, which is a size.
    pub(super) fn dimension_of_shape(&mut self, expr: ExprId, base: ExprId, subscripts: &[Subscript]) -> Option<Ty> {
        let [Subscript::At(dim)] = subscripts else { return None };
        let Expr::Literal(Literal::Int(number)) = self.body.exprs[*dim] else { return None };
        let finding = self.property(expr, base, Some(number))?;
        self.find(finding);
        self.expr(*dim);
        self.out.exprs.insert(base, Ty::Error);
        Some(self.table.integer())
    }

    /// The place of what stands before the point of an access, with its parentheses: in the dense text nothing else is between.
    fn base_of(&self, access: ExprId, base: ExprId, name: &str) -> TextRange {
        let end = self.at(access).end() - TextSize::of(name) - TextSize::of('.');
        let n_brackets = end - self.at(base).end();
        TextRange::new(self.at(base).start() - n_brackets, end)
    }

    /// The index of an access, if it is an array of bools.
    pub(super) fn mask_of(&mut self, access: ExprId) -> Option<ExprId> {
        let Expr::Index(_, subscripts) = &self.body.exprs[access] else { return None };
        let [Subscript::At(index)] = subscripts[..] else { return None };
        let ty = self.expr(index);
        let is_mask = self.is_array(&ty) && matches!(self.element(&ty), Ty::Scalar(Elem::Bool));
        is_mask.then_some(index)
    }

    /// `a[c]`: the elements for which a mask holds.
    pub(super) fn chosen(&mut self, access: ExprId, (base, ty): (ExprId, &Ty), mask: ExprId) -> Ty {
        let meant = self.name_of(base).zip(self.name_of(mask)).map(|(a, c)| {
            let text = format!("gather({a}, filter(\\i -> {c}[i], iota(length({a}))))");
            ("write a `gather`", vec![Edit::Replace(self.at(access), text)])
        });
        self.find_mask(mask, meant);
        match self.table.shallow(ty) {
            Ty::Array(element, sizes) if sizes.len() == 1 => Ty::array(*element, vec![self.table.unknown_size()]),
            _ => Ty::Error,
        }
    }

    /// `a[c] = x`: a store where a mask holds.
    pub(super) fn store_where(&mut self, target: ExprId, mask: ExprId, (op, value): (Option<BinOp>, ExprId)) {
        self.expr(value);
        self.out.exprs.insert(target, Ty::Error);
        let Expr::Index(base, _) = self.body.exprs[target] else { return };
        self.expr(base);
        let names = self.name_of(base).zip(self.name_of(mask)).filter(|_| op.is_none());
        let meant = names.map(|(a, c)| {
            let value = Edit::Surround(self.at(value), format!("select({c}, "), format!(", {a})"));
            ("write a `select`", vec![Edit::Replace(self.at(mask), ":".to_owned()), value])
        });
        self.find_mask(mask, meant);
    }

    fn find_mask(&mut self, mask: ExprId, meant: Option<(&str, Vec<Edit>)>) {
        let shown = self.out.exprs.get(mask).map(|ty| self.show(ty)).unwrap_or_default();
        self.find(errors::mask_as_index(self.at(mask), &shown, meant));
    }

    /// The name of a variable.
    fn name_of(&self, expr: ExprId) -> Option<Name> {
        match &self.body.exprs[expr] {
            Expr::Local(local) => Some(self.body.locals[*local].name.clone()),
            _ => None,
        }
    }

    /// The edits by which an array or a struct that a kernel gives goes out through a parameter instead, whose name is returned too.
    pub(super) fn through_parameter(&mut self, result: &Ty) -> Option<(&'static str, Vec<Edit>)> {
        const NAME: &str = "out";
        let one = match self.table.shallow(result) {
            Ty::Struct(name) => Some(name),
            Ty::Array(..) => None,
            _ => return None,
        };
        let last = *self.body.params.last()?;
        let taken =
            self.body.locals.iter().any(|(_, local)| *local.name == *NAME && local.kind != LocalKind::LambdaParam);
        let returns = self.body.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Return(_)));
        let mut returns = returns.map(|(id, _)| self.map.stmts[id]);
        let (Some(place), None, false) = (returns.next(), returns.next(), taken) else { return None };
        let shown = self.show(result);
        let ty = shown.strip_prefix('`').and_then(|ty| ty.strip_suffix('`')).filter(|ty| !ty.contains('_'));
        let param = match &one {
            Some(name) => format!(", {NAME}: {name}[1]"),
            None => ty.map_or(format!(", {NAME}"), |ty| format!(", {NAME}: {ty}")),
        };
        let end = self.body.locals[last].ty.as_ref().map_or(self.map.locals[last], |written| written.at).end();
        let word = TextRange::at(place.start(), TextSize::of("return"));
        // The type of the result goes with the bracket before it, which the parameter stands in front of.
        let header = match &self.body.result {
            Some(written) => {
                let arrow = TextRange::new(written.at.start() - TextSize::of(")->"), written.at.end());
                Edit::Replace(arrow, format!("{param})"))
            }
            None => Edit::Replace(TextRange::empty(end), param),
        };
        Some((NAME, vec![header, Edit::Replace(word, format!("{NAME}[{}] =", if one.is_some() { "0" } else { ":" }))]))
    }

    /// The array parameter that a kernel has stored to and gives, which needs no giving: its name, and the edits that leave it out.
    pub(super) fn returned_parameter(&self) -> Option<(Name, Vec<Edit>)> {
        let body = self.body;
        let returns: Vec<_> = body.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Return(_))).collect();
        let [(id, Stmt::Return(Some(value)))] = returns[..] else { return None };
        let Expr::Local(local) = body.exprs[*value] else { return None };
        let is_stored_to = body.stmts.iter().any(|(_, stmt)| match stmt {
            Stmt::Assign { target, .. } => self.array_of(*target) == Some(local),
            _ => false,
        });
        if !body.params.contains(&local) || !is_stored_to {
            return None;
        }
        let is_last = body.block.len() > 1 && body.block.last() == Some(&id);
        let mut edits = Vec::new();
        if is_last {
            edits.extend(body.result.as_ref().map(|written| {
                let arrow = TextRange::new(written.at.start() - TextSize::of("->"), written.at.end());
                Edit::Remove(arrow)
            }));
            edits.push(Edit::RemoveLine(self.map.stmts[id]));
        }
        Some((body.locals[local].name.clone(), edits))
    }

    /// The variable whose cells a target of an assignment is.
    fn array_of(&self, target: ExprId) -> Option<LocalId> {
        match &self.body.exprs[target] {
            Expr::Index(base, _) | Expr::Field(base, _) => match self.body.exprs[*base] {
                Expr::Local(local) => Some(local),
                _ => self.array_of(*base),
            },
            _ => None,
        }
    }
}
