//! The end of an inference: defaults, what becomes generic, and the values of constant expressions.

use ir::scalar::{self, Checked};
use ir::{Elem, ElemSet, Fault, Scalar};
use report::{ItemKind, TextRange};
use rustc_hash::FxHashMap;

use super::{Infer, Inference};
use crate::builtins::{AttributeArgs, BuiltinId, Means, cycles, functions_of_power, type_of_bits};
use crate::errors::{self, Loss, Shifted};
use crate::operators;
use crate::size::{Atom, Size};
use crate::ty::{Need, Needed, Signature, Ty};
use crate::{BinOp, Expr, ExprId, Literal, LocalKind, Over, Range, Stmt, Subscript, UnaryOp};

/// A constant as it is shown, in as many digits as its type needs.
pub fn shown(value: Scalar) -> String {
    match value {
        Scalar::F32(value) => format!("{value:?}"),
        Scalar::F64(value) => format!("{value:?}"),
        Scalar::F16(_) | Scalar::Bf16(_) => value.to_string(),
        value => value.to_string(),
    }
}

impl Infer<'_, '_> {
    pub(super) fn finish(mut self) -> Inference {
        self.leftovers();
        self.settle_bits();
        self.check_assumptions();
        self.matches();
        let mut signature = if self.kind == ItemKind::Fn {
            let signature = self.generalise();
            self.settle();
            signature
        } else {
            // Only a function leaves anything open to its callers, so here the defaults, and who has them, come first.
            self.settle();
            self.generalise()
        };
        let mut folder = Folder {
            infer: &mut self,
            values: FxHashMap::default(),
            wide: FxHashMap::default(),
            generics: &signature.generics,
            needs: Vec::new(),
        };
        folder.all();
        let (values, mut needs) = (folder.values, folder.needs);
        self.out.values = values;
        self.check_calls(&mut needs);
        signature.needs = needs;
        self.find_ranges();
        self.bounds();
        self.named_numbers();
        self.outside_at_ends();
        self.endless();
        self.attribute_arguments();
        self.averages();
        self.silent_losses();
        self.arrays_of_functions();
        self.parts_of_constants();
        self.values_of_defaults();
        self.out.signature = std::sync::Arc::new(signature);
        self.out.exprs.shrink_to_fit();
        self.out.locals.shrink_to_fit();
        self.out.findings.sort_by_key(|finding| (finding.at.start(), finding.at.end()));
        self.out
    }

    /// Expressions that no statement asked about: the arguments of attributes.
    fn leftovers(&mut self) {
        for (expr, _) in self.body.exprs.iter() {
            if !self.out.exprs.contains_idx(expr) {
                let n_findings = self.out.findings.len();
                self.expr(expr);
                self.out.findings.truncate(n_findings);
            }
        }
    }

    /// Sizes that had to be assumed equal while something about them was open, and turn out to differ.
    fn check_assumptions(&mut self) {
        for (site, a, b) in std::mem::take(&mut self.out.assumptions) {
            let (a, b) = (self.table.resolve_size(&a), self.table.resolve_size(&b));
            match a.minus(&b).and_then(|difference| difference.as_constant()) {
                Some(0) => {}
                Some(_) => {
                    let (a, b) = (self.show_size(&a), self.show_size(&b));
                    self.find(errors::assumed_sizes_differ(self.at(site), &a, &b));
                }
                None => self.out.assumptions.push((site, a, b)),
            }
        }
    }

    /// The signature that others see of the item. In a function, what is open in its parameters and result becomes generic.
    fn generalise(&mut self) -> Signature {
        let mut signature = Signature {
            crosses_lanes: self.crosses_lanes,
            in_doubt: self.body.header_in_doubt,
            optional: (0..self.body.defaults.len()).filter(|&n| self.body.defaults[n].is_some()).collect(),
            ..Signature::default()
        };
        let mut sizes = Generics::default();
        for (local, data) in self.body.locals.iter() {
            if data.kind == LocalKind::Size {
                sizes.get(&Atom::Local(local));
            }
        }
        let params: Vec<_> = self
            .body
            .params
            .iter()
            .map(|&param| (self.body.locals[param].name.clone(), self.out.locals[param].clone()))
            .collect();
        for (name, ty) in params {
            let ty = self.outward(&ty, &mut signature, &mut sizes);
            signature.params.push((name, ty));
        }
        signature.result_labels = self.body.result.as_ref().map(crate::TypeRef::labels).unwrap_or_default();
        signature.result = self.result.clone().map(|ty| self.outward(&ty, &mut signature, &mut sizes));
        signature.n_sizes = sizes.known.len() as u32;
        signature
    }

    fn outward(&mut self, ty: &Ty, signature: &mut Signature, sizes: &mut Generics) -> Ty {
        let ty = self.table.resolve(ty);
        for var in open_in(&ty) {
            if self.kind == ItemKind::Fn {
                let set = self.table.scalars(var);
                let generic = Ty::Generic(signature.generics.len() as u32);
                signature.generics.push(set);
                self.table.make_generic(var, generic);
            } else {
                self.table.settle(var);
            }
        }
        let params = &self.body.params;
        let locals = &self.body.locals;
        self.table.resolve(&ty).replace(&mut |_| None, &mut |size| {
            let outward = size.replace(&mut |atom| match atom {
                Atom::Local(local) if locals[*local].kind == LocalKind::Param => {
                    params.iter().position(|param| param == local).map(|n| Size::atom(Atom::Param(n as u32)))
                }
                atom => Some(Size::atom(Atom::Generic(sizes.get(atom)))),
            });
            outward.unwrap_or_else(|| Size::atom(Atom::Generic(sizes.get(&Atom::Unknown(u32::MAX)))))
        })
    }

    /// Gives every type that is still open its default, and every expression and local its final type.
    fn settle(&mut self) {
        // Who is open is asked of all before any is settled: several may share one variable.
        for (local, ty) in self.out.locals.iter() {
            if !is_closed(ty) && !open_in(&self.table.resolve(ty)).is_empty() {
                self.out.defaulted.insert(local);
            }
        }
        for (expr, ty) in self.out.exprs.iter() {
            if let Expr::Literal(_) = self.body.exprs[expr]
                && let Some(cause) = self.table.cause(ty)
                && !matches!(self.body.exprs[cause], Expr::Literal(_))
            {
                self.literal_causes.insert(expr, cause);
            }
        }
        let locals = self.out.locals.iter().map(|(_, ty)| ty);
        let exprs = self.out.exprs.iter().map(|(_, ty)| ty);
        for ty in locals.chain(exprs).filter(|ty| !is_closed(ty)) {
            for var in open_in(&self.table.resolve(ty)) {
                self.table.settle(var);
            }
        }
        for (_, ty) in self.out.exprs.iter_mut().filter(|(_, ty)| !is_closed(ty)) {
            *ty = self.table.resolve(ty);
        }
        for (_, ty) in self.out.locals.iter_mut().filter(|(_, ty)| !is_closed(ty)) {
            *ty = self.table.resolve(ty);
        }
    }

    /// Arrays of functions, which are none: says so at the first part that is one.
    fn arrays_of_functions(&mut self) {
        let holds = |ty: &Ty| matches!(ty, Ty::Array(element, _) if matches!(**element, Ty::Fn(..)));
        let all = self.out.exprs.iter().filter(|(_, ty)| holds(ty)).map(|(expr, _)| self.at(expr));
        // If such parts lie in each other, the inner one makes the array.
        if let Some(at) = all.min_by_key(|at| (at.end(), std::cmp::Reverse(at.start()))) {
            self.find(errors::array_of_functions(at));
        }
    }

    /// The place that gave a literal its type, if that is not the literal's own.
    fn because_of(&self, expr: ExprId) -> Option<TextRange> {
        let literal = match self.body.exprs[expr] {
            Expr::Unary(_, operand) => operand,
            _ => expr,
        };
        let cause = *self.literal_causes.get(&literal)?;
        let (cause, at) = (self.at(cause), self.at(expr));
        // `x + 300` says it as well as the literal in it; of another statement it has to be said.
        (!cause.contains_range(at) && !at.contains_range(cause)).then_some(cause)
    }

    /// Indices and steps whose values are known.
    fn bounds(&mut self) {
        let body = self.body;
        for (_, data) in body.exprs.iter() {
            if let Expr::Index(base, subscripts) = data {
                self.index_bounds(*base, subscripts);
            }
        }
        for (_, stmt) in body.stmts.iter() {
            let ranges: Vec<&Range> = match stmt {
                Stmt::For { over: Over::Range(range), .. } => vec![range],
                Stmt::Foreach { indices, .. } => indices.iter().map(|(_, range)| range).collect(),
                _ => continue,
            };
            for step in ranges.into_iter().filter_map(|range| range.step) {
                if self.only_value(step) == Some(0) {
                    let n_findings = self.out.findings.len();
                    self.find(errors::zero_step(self.at(step)));
                    self.soften(n_findings, &[step]);
                }
            }
        }
    }

    /// Checks of an attribute's arguments what their form does not say: that `@alias` names arrays, and that a count is in range.
    fn attribute_arguments(&mut self) {
        let body = self.body;
        // The type of a parameter may not be typed yet.
        if body.header_in_doubt {
            return;
        }
        let on_loops = body.stmts.iter().flat_map(|(_, stmt)| match stmt {
            Stmt::For { attrs, .. } | Stmt::Foreach { attrs, .. } | Stmt::While { attrs, .. } => attrs.as_slice(),
            _ => &[],
        });
        for attr in body.attrs.iter().chain(on_loops) {
            let known = attr.id.get();
            let fits = |&arg: &ExprId| match known.args {
                AttributeArgs::None => true,
                AttributeArgs::Count(limit) => match (&body.exprs[arg], self.out.values.get(&arg)) {
                    (Expr::Item(..), Some(value)) => {
                        value.wide().is_some_and(|value| (1..=i128::from(limit)).contains(&value))
                    }
                    _ => true,
                },
                AttributeArgs::Cycles => match (&body.exprs[arg], self.out.values.get(&arg)) {
                    (Expr::Item(..), Some(value)) => cycles(*value).is_some(),
                    _ => true,
                },
                AttributeArgs::Arrays => match &body.exprs[arg] {
                    Expr::Local(local) => {
                        let array = matches!(self.out.locals.get(*local), Some(Ty::Array(..) | Ty::Error));
                        array && body.locals[*local].kind == LocalKind::Param
                    }
                    _ => true,
                },
            };
            if !attr.args.iter().all(fits) {
                self.find(errors::attribute_arguments(attr.at, known));
            }
        }
    }

    fn index_bounds(&mut self, base: ExprId, subscripts: &[Subscript]) {
        let Some(Ty::Array(_, sizes)) = self.out.exprs.get(base).cloned() else { return };
        for (dim, (subscript, size)) in subscripts.iter().zip(&sizes).enumerate() {
            let size = size.as_constant();
            let array = (base, dim);
            let n_findings = self.out.findings.len();
            match subscript {
                Subscript::At(index) => {
                    let Some(value) = self.only_value(*index) else { continue };
                    if value < 0 || size.is_some_and(|size| value >= i128::from(size)) {
                        let meant = self.counted_back(array, *index);
                        self.find(errors::index_out_of_range(self.at(*index), value, size, meant));
                        self.soften(n_findings, &[*index]);
                    }
                }
                Subscript::Slice { lo, hi, step } => {
                    self.slice_bounds(array, [*lo, *hi, *step], size);
                    let written = [*lo, *hi, *step].into_iter().flatten();
                    let known: Vec<_> = written.filter(|&expr| self.only_value(expr).is_some()).collect();
                    self.soften(n_findings, &known);
                }
            }
        }
    }

    /// The first and the last cell of a slice lie within its dimension, and its end does not lie on the other side of its start.
    fn slice_bounds(&mut self, array: (ExprId, usize), [lo, hi, step]: [Option<ExprId>; 3], size: Option<i64>) {
        let known = |expr: Option<ExprId>| expr.and_then(|expr| Some((expr, self.only_value(expr)?)));
        let (start, end) = (known(lo), known(hi));
        let by = match (step, known(step)) {
            (None, _) => 1,
            (Some(_), Some((_, by))) => by,
            // Which way it goes is not known.
            (Some(_), None) => return,
        };
        if by == 0 {
            self.find(errors::zero_slice_step(self.at(step.expect("only a step that is written is 0"))));
            return;
        }
        let n = size.map(i128::from);
        // A slice that goes up may start right behind the last cell, if it is empty; one that goes down starts at a cell.
        let top = if by > 0 { n } else { n.map(|n| n - 1) };
        if let Some((expr, value)) = start
            && (value < 0 || top.is_some_and(|top| value > top))
        {
            let meant = self.counted_back(array, expr);
            self.find(match by > 0 {
                true => errors::slice_out_of_range(self.at(expr), value, size, meant),
                false => errors::index_out_of_range(self.at(expr), value, size, meant),
            });
            return;
        }
        let first = match (lo, start) {
            (_, Some((_, value))) => Some(value),
            (None, _) if by > 0 => Some(0),
            (None, _) => top,
            _ => None,
        };
        let Some((expr, end)) = end else { return };
        if let (Some((lo, start)), true) = (start, first.is_some_and(|first| (end - first) * by.signum() < 0)) {
            self.find(errors::slice_backwards(self.at(lo).cover(self.at(expr)), start, end, by));
            return;
        }
        // With a larger step the last cell may lie before the end by more than one.
        let steps = first.map(|first| ((end - first) * by.signum() - 1).div_euclid(by.abs()));
        let outside = match first.zip(steps) {
            Some((_, ..0)) => false,
            Some((first, steps)) => first + steps * by < 0 || n.is_some_and(|n| first + steps * by >= n),
            // If the start is unknown, the end alone can tell, and only where the last cell is next to it.
            None if by > 0 => by == 1 && n.is_some_and(|n| end > n),
            None => by == -1 && end < -1,
        };
        if outside || by > 0 && end < 0 {
            let meant = self.counted_back(array, expr);
            self.find(errors::slice_out_of_range(self.at(expr), end, size, meant));
        }
    }

    /// An index that is written as a negative number, as what counts from the end of an array that has a name.
    fn counted_back(&self, (base, dim): (ExprId, usize), index: ExprId) -> Option<String> {
        let (Expr::Local(array), Expr::Unary(UnaryOp::Neg, number)) = (&self.body.exprs[base], &self.body.exprs[index])
        else {
            return None;
        };
        let Expr::Literal(Literal::Int(back)) = self.body.exprs[*number] else { return None };
        let name = &self.body.locals[*array].name;
        Some(match dim {
            0 => format!("length({name}) - {back}"),
            _ => format!("length({name}, {dim}) - {back}"),
        })
    }
}

/// Sizes that each call has its own of, by what they are inside.
#[derive(Default)]
struct Generics {
    known: Vec<Atom>,
}

impl Generics {
    fn get(&mut self, atom: &Atom) -> u32 {
        let n = self.known.iter().position(|known| known == atom);
        n.unwrap_or_else(|| {
            self.known.push(atom.clone());
            self.known.len() - 1
        }) as u32
    }
}

/// The variables in a type that nothing has decided, each once.
fn open_in(ty: &Ty) -> Vec<u32> {
    let mut open = Vec::new();
    collect_open(ty, &mut open);
    open
}

/// Returns true for a type in which nothing is left to find, as nearly all are.
fn is_closed(ty: &Ty) -> bool {
    let is_var = |atom: &Atom| matches!(atom, Atom::Var(_));
    match ty {
        Ty::Var(_) => false,
        Ty::Array(element, sizes) => is_closed(element) && !sizes.iter().any(|size| size.any(&is_var)),
        Ty::Tuple(parts) => parts.iter().all(is_closed),
        Ty::Fn(params, result) => params.iter().all(is_closed) && is_closed(result),
        _ => true,
    }
}

fn collect_open(ty: &Ty, open: &mut Vec<u32>) {
    match ty {
        Ty::Var(var) if !open.contains(var) => open.push(*var),
        Ty::Array(element, _) => collect_open(element, open),
        Ty::Tuple(parts) => parts.iter().for_each(|part| collect_open(part, open)),
        Ty::Fn(params, result) => {
            params.iter().for_each(|param| collect_open(param, open));
            collect_open(result, open);
        }
        _ => {}
    }
}

/// Works out the values of constant expressions, bottom up; an error in one has one finding, where it happens.
struct Folder<'i, 'a, 'db> {
    infer: &'i mut Infer<'a, 'db>,
    values: FxHashMap<ExprId, Scalar>,
    /// The values of integer constants whose type each call of the function has its own of.
    wide: FxHashMap<ExprId, i128>,
    /// The scalars that these types may be.
    generics: &'i [Option<ElemSet>],
    /// The demands of the function's constants on these types.
    needs: Vec<Need>,
}

impl Folder<'_, '_, '_> {
    fn all(&mut self) {
        // The literal of `-128` is 128, which as such would not fit: such a literal has its value as a part alone.
        let body = self.infer.body;
        let negated: FxHashMap<ExprId, ExprId> = body
            .exprs
            .iter()
            .filter_map(|(expr, data)| match data {
                Expr::Unary(UnaryOp::Neg, operand) if matches!(body.exprs[*operand], Expr::Literal(_)) => {
                    Some((*operand, expr))
                }
                _ => None,
            })
            .collect();
        // Parts come before what they are parts of in the arena.
        for (expr, data) in self.infer.body.exprs.iter() {
            let Some(scalar) = self.infer.out.exprs.get(expr).and_then(Ty::scalar) else {
                // The elements of an array are all divided by one number, or shifted by it.
                if let Expr::Binary(op, lhs, rhs) = data {
                    self.right_side(expr, *op, *lhs, *rhs);
                }
                if let Some(&Ty::Generic(generic)) = self.infer.out.exprs.get(expr)
                    && !negated.contains_key(&expr)
                    && let Some(value) = self.generic(expr, data, generic, &negated)
                {
                    self.wide.insert(expr, value);
                }
                continue;
            };
            let value = match data {
                Expr::Literal(_) if negated.contains_key(&expr) => None,
                Expr::Literal(literal) => self.literal(expr, *literal, scalar),
                Expr::Unary(UnaryOp::Neg, operand) if negated.contains_key(operand) => {
                    self.negative_literal(expr, *operand, scalar)
                }
                Expr::Item(ItemKind::Const, name) => self.infer.const_value(name),
                Expr::Index(base, subscripts) => self.of_table(*base, subscripts),
                Expr::Builtin(builtin) => match builtin.get().means {
                    Means::Number(number) => scalar::cast(Scalar::F64(number), scalar).ok(),
                    _ => None,
                },
                Expr::Unary(op, operand) => self.unary(expr, *op, *operand),
                Expr::Binary(op, lhs, rhs) => self.binary(expr, *op, *lhs, *rhs),
                Expr::Chain(first, others) => self.chain(*first, others),
                Expr::Cond { condition, then_value, else_value } => match self.values.get(condition) {
                    Some(Scalar::Bool(true)) => self.values.get(then_value).copied(),
                    Some(Scalar::Bool(false)) => self.values.get(else_value).copied(),
                    _ => None,
                },
                Expr::Call(callee, args) => match self.infer.body.exprs[*callee] {
                    Expr::Builtin(builtin) if matches!(builtin.get().means, Means::Length) => self.length(expr, args),
                    Expr::Builtin(builtin) => self.builtin(builtin, &self.infer.out.in_order(expr, args.clone())),
                    _ => None,
                },
                Expr::Cast(to, args) => args.first().and_then(|arg| self.cast(expr, *to, *arg)),
                _ => None,
            };
            if let Some(value) = value {
                self.values.insert(expr, value);
            }
        }
        for (_, stmt) in self.infer.body.stmts.iter() {
            if let Stmt::Assign { target, op: Some(op), value } = stmt {
                self.right_side(*value, *op, *target, *value);
            }
        }
    }

    /// The value of a constant expression whose type each call has its own of, with what it asks of that type.
    fn generic(
        &mut self,
        expr: ExprId,
        data: &Expr,
        generic: u32,
        negated: &FxHashMap<ExprId, ExprId>,
    ) -> Option<i128> {
        let body = self.infer.body;
        match data {
            Expr::Literal(Literal::Int(value)) => self.generic_number(expr, *value as i128, generic),
            Expr::Literal(Literal::Float(value)) => {
                self.need(generic, Needed::Float(value.to_bits()), expr);
                None
            }
            Expr::Unary(UnaryOp::Neg, operand) if negated.contains_key(operand) => match body.exprs[*operand] {
                Expr::Literal(Literal::Int(value)) => self.generic_number(expr, -(value as i128), generic),
                _ => None,
            },
            Expr::Unary(UnaryOp::Plus, operand) => self.wide.get(operand).copied(),
            Expr::Unary(UnaryOp::Neg, operand) => {
                let value = -self.wide.get(operand)?;
                self.need(generic, Needed::Result(value), expr);
                Some(value)
            }
            Expr::Binary(op, lhs, rhs) => {
                let value = exact(*op, *self.wide.get(lhs)?, *self.wide.get(rhs)?)?;
                self.need(generic, Needed::Result(value), expr);
                Some(value)
            }
            _ => None,
        }
    }

    fn generic_number(&mut self, expr: ExprId, value: i128, generic: u32) -> Option<i128> {
        self.need(generic, Needed::Number(value), expr);
        Some(value)
    }

    fn need(&mut self, generic: u32, what: Needed, expr: ExprId) {
        let at = self.at(expr);
        self.infer.need(&mut self.needs, self.generics, generic, what, at);
    }

    fn find(&mut self, finding: crate::finding::Finding) {
        self.infer.find(finding);
    }

    fn at(&self, expr: ExprId) -> report::TextRange {
        self.infer.at(expr)
    }

    fn literal(&mut self, expr: ExprId, literal: Literal, elem: Elem) -> Option<Scalar> {
        match literal {
            Literal::Bool(value) => Some(value.into()),
            Literal::Float(value) => self.float(expr, value, elem),
            Literal::Int(value) if elem.is_float() => self.float(expr, value as f64, elem),
            Literal::Int(value) => self.integer(expr, value as i128, elem),
        }
    }

    fn negative_literal(&mut self, expr: ExprId, operand: ExprId, elem: Elem) -> Option<Scalar> {
        match self.infer.body.exprs[operand] {
            Expr::Literal(Literal::Int(value)) if elem.is_integer() => self.integer(expr, -(value as i128), elem),
            Expr::Literal(literal) if elem.is_float() => scalar::neg(self.literal(operand, literal, elem)?).ok(),
            _ => None,
        }
    }

    fn integer(&mut self, expr: ExprId, value: i128, elem: Elem) -> Option<Scalar> {
        elem.integer_range()?;
        let fitting = Scalar::from_wide(elem, value);
        if fitting.is_none() {
            let because = self.infer.because_of(expr);
            self.find(errors::number_out_of_range(self.at(expr), &value.to_string(), elem, because));
        }
        fitting
    }

    fn float(&mut self, expr: ExprId, value: f64, elem: Elem) -> Option<Scalar> {
        let rounded = scalar::cast(value.into(), elem).ok().filter(|_| elem.is_float())?;
        if value.is_finite() && wide_float(rounded)?.is_infinite() {
            let because = self.infer.because_of(expr);
            self.find(errors::number_out_of_range(self.at(expr), &format!("{value:?}"), elem, because));
            return None;
        }
        Some(rounded)
    }

    fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Option<Scalar> {
        let value = *self.values.get(&operand)?;
        let is_bool = value.elem() == Elem::Bool;
        let fits = match op {
            UnaryOp::Plus => true,
            UnaryOp::Neg => !is_bool,
            UnaryOp::BitNot => value.elem().is_integer(),
            UnaryOp::Not => is_bool,
        };
        let result = fits.then(|| operators::unary(op, value))?;
        self.checked(expr, result, value.elem(), value.wide().map(|value| -value))
    }

    /// The result of an operation. `exact`: an integer result as it would be if its type held it.
    fn checked(&mut self, expr: ExprId, result: Checked, elem: Elem, exact: Option<i128>) -> Option<Scalar> {
        if result == Err(Fault::Overflow) {
            self.find(errors::constant_overflow(self.at(expr), exact, elem));
        }
        result.ok()
    }

    fn binary(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<Scalar> {
        if !self.right_side(expr, op, lhs, rhs) {
            return None;
        }
        let right = self.values.get(&rhs).copied();
        let left = *self.values.get(&lhs)?;
        match (op, left) {
            (BinOp::And, Scalar::Bool(false)) | (BinOp::Or, Scalar::Bool(true)) => return Some(left),
            _ => {}
        }
        let right = right?;
        let elem = left.elem();
        // Operands of two types have a finding of their own.
        if right.elem() != elem || !works_on(op, elem) {
            return None;
        }
        let result = match op {
            BinOp::And => Ok(scalar::and(left, right)),
            BinOp::Or => Ok(scalar::or(left, right)),
            BinOp::Pow if operators::is_square(right) => scalar::mul(left, left),
            BinOp::Pow if elem.is_float() => {
                return self.infer.env.call_prelude(&functions_of_power(elem, false), &[left, right]);
            }
            BinOp::Pow => scalar::pow(left, u32::try_from(right.wide()?).ok()?),
            op => operators::binary(op, left, right)?,
        };
        let exact = left.wide().zip(right.wide()).and_then(|(a, b)| exact(op, a, b));
        self.checked(expr, result, elem, exact)
    }

    /// The value of comparisons in a chain: one that does not hold decides, whatever stands behind it.
    fn chain(&self, first: ExprId, others: &[(BinOp, ExprId)]) -> Option<Scalar> {
        let mut left = *self.values.get(&first)?;
        for &(op, right) in others {
            let right = *self.values.get(&right)?;
            if right.elem() != left.elem() || !works_on(op, left.elem()) {
                return None;
            }
            let holds = operators::binary(op, left, right)?.ok()?;
            if !holds.is_true() {
                return Some(holds);
            }
            left = right;
        }
        Some(Scalar::Bool(true))
    }

    /// The value of a builtin of scalars.
    fn builtin(&mut self, builtin: BuiltinId, args: &[ExprId]) -> Option<Scalar> {
        let values: Option<Vec<_>> = args.iter().map(|arg| self.values.get(arg).copied()).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let row = builtin.get();
        if !row.shape.takes(&values) {
            return None;
        }
        match row.means {
            Means::Scalars(rule, _) if values.iter().all(|value| value.elem() == values[0].elem()) => {
                rule(&values).ok()
            }
            Means::Bits => Some(scalar::bitcast(values[0], type_of_bits(values[0].elem())?)),
            Means::Limit(limit) => Some(limit.of(values[0].elem())),
            Means::Saturate => Some(scalar::cast_sat(values[1], values[0].elem())),
            Means::Like => scalar::cast(values[0], values[1].elem()).ok(),
            Means::Prelude | Means::ByType => {
                let functions: Vec<_> = row.functions(values[0].elem(), false).collect();
                self.infer.env.call_prelude(&functions, &values)
            }
            _ => None,
        }
    }

    /// A size of an array that is a number.
    /// An element of a constant array, if the subscripts are known and lie inside.
    fn of_table(&self, base: ExprId, subscripts: &[Subscript]) -> Option<Scalar> {
        let Expr::Item(ItemKind::Const, name) = &self.infer.body.exprs[base] else { return None };
        let known = |subscript: &Subscript| match subscript {
            Subscript::At(index) => self.values.get(index)?.wide(),
            Subscript::Slice { .. } => None,
        };
        let subscripts: Vec<_> = subscripts.iter().map(known).collect::<Option<_>>()?;
        let table = self.infer.env.const_table(name).filter(|table| table.sizes.len() == subscripts.len())?;
        let at = subscripts.iter().zip(&table.sizes).try_fold(0, |at, (&index, &size)| {
            (0..size.into()).contains(&index).then_some(at * i128::from(size) + index)
        })?;
        table.cells.get(usize::try_from(at).ok()?).copied()
    }

    fn length(&mut self, expr: ExprId, args: &[ExprId]) -> Option<Scalar> {
        let elem = self.infer.out.exprs.get(expr)?.scalar()?;
        let size = self.infer.size_of_length(args)?.as_constant()?;
        self.integer(expr, size.into(), elem)
    }

    /// Checks a right side whose value is known: that it is no divisor of 0, and no shift by too much.
    fn right_side(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> bool {
        let element_type = match self.infer.out.exprs.get(lhs) {
            Some(Ty::Array(element, _)) => Some(&**element),
            other => other,
        };
        let element = element_type.and_then(Ty::scalar);
        let right = self.values.get(&rhs).and_then(|right| right.wide()).or_else(|| self.wide.get(&rhs).copied());
        let (Some(scalar), Some(right)) = (element, right) else {
            if let (Some(&Ty::Generic(generic)), Some(right)) = (element_type, right) {
                match op {
                    BinOp::Div | BinOp::FloorDiv | BinOp::Rem if right == 0 => {
                        self.need(generic, Needed::DividesByZero, rhs);
                    }
                    BinOp::Shl | BinOp::Shr => self.need(generic, Needed::Shift(right), rhs),
                    _ => {}
                }
            }
            return true;
        };
        match op {
            BinOp::Div | BinOp::FloorDiv | BinOp::Rem if right == 0 => {
                self.find(errors::division_by_zero(self.at(expr), self.at(rhs)));
                false
            }
            BinOp::Shl | BinOp::Shr if !(0..i128::from(scalar.bits())).contains(&right) => {
                // The left side of an assignment like `x <<= 40` stays a variable, so no other value can take its place.
                let is_value = lhs != expr && self.infer.body.exprs[expr] == Expr::Binary(op, lhs, rhs);
                let value = is_value.then(|| self.shifted((expr, op), lhs, scalar));
                self.find(errors::shift_out_of_range(self.at(rhs), right, scalar, value));
                false
            }
            _ => true,
        }
    }

    /// What a shift shifts, for a finding of it.
    fn shifted(&self, (shift, op): (ExprId, BinOp), value: ExprId, scalar: Elem) -> Shifted {
        let of_scalar = |expr: ExprId| self.infer.out.exprs.get(expr) == Some(&Ty::Scalar(scalar));
        let is_stored = self.infer.body.stmts.iter().any(
            |(_, stmt)| matches!(*stmt, Stmt::Assign { target, value, .. } if value == shift && of_scalar(target)),
        );
        Shifted {
            at: self.at(value),
            operands: self.infer.operands_of_lost(value, Loss::HighBits),
            // To the left the wide result is what was meant.
            stored: (op == BinOp::Shr && is_stored).then(|| self.at(shift)),
        }
    }

    fn cast(&mut self, expr: ExprId, to: Elem, arg: ExprId) -> Option<Scalar> {
        let value = *self.values.get(&arg)?;
        let result = scalar::cast(value, to);
        if result == Err(Fault::CastOutOfRange) {
            self.find(errors::number_out_of_range(self.at(expr), &format!("{:?}", wide_float(value)?), to, None));
        }
        result.ok()
    }
}

/// A float of any type.
fn wide_float(value: Scalar) -> Option<f64> {
    match scalar::cast(value, Elem::F64) {
        Ok(Scalar::F64(wide)) => Some(wide),
        _ => None,
    }
}

/// Finds out whether an operator works on values of a type.
fn works_on(op: BinOp, elem: Elem) -> bool {
    let set = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::FloorDiv | BinOp::Rem | BinOp::Pow => {
            ElemSet::NUMBERS
        }
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => ElemSet::NUMBERS,
        BinOp::Shl | BinOp::Shr => ElemSet::INTEGERS,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => ElemSet::BITS,
        BinOp::And | BinOp::Or => ElemSet::BOOL,
        BinOp::Eq | BinOp::Ne => ElemSet::ANY,
    };
    set.contains(elem)
}

/// The result that overflowed, for the message: of the operators that can do so, if it is not too large to be shown.
fn exact(op: BinOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div | BinOp::FloorDiv => a.checked_div(b),
        BinOp::Pow => a.checked_pow(b.try_into().ok()?),
        _ => None,
    }
}
