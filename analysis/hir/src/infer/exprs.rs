//! The types of expressions.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use ir::{Elem, ElemSet};
use report::{ItemKind, TextRange, TextSize};

use super::table::Clash;
use super::{Infer, LikeField, Shown};
use crate::errors::{self, Cast, Loss, Lost, Origin, Side, SizeClash, ToBool};
use crate::fields::Fields;
use crate::finding::{Finding, Place};
use crate::layout;
use crate::size::{Atom, Size, SizeOp};
use crate::ty::{self, Ty};
use crate::{BinOp, Expr, ExprId, Literal, LocalId, LocalKind, Name, Over, Stmt, Subscript, TypeRef, UnaryOp};

impl Infer<'_, '_> {
    /// Infers an expression that must have a value, and all its parts, once.
    pub(super) fn expr(&mut self, expr: ExprId) -> Ty {
        if let Some(known) = self.out.exprs.get(expr) {
            return known.clone();
        }
        let ty = self.expr_or_nothing(expr);
        if self.table.shallow(&ty) != Ty::Nothing {
            return ty;
        }
        let callee = self.callee_key(expr);
        self.find(errors::no_value(self.at(expr), callee));
        self.out.exprs.insert(expr, Ty::Error);
        Ty::Error
    }

    /// Infers an expression that may be a call without a value.
    pub(super) fn expr_or_nothing(&mut self, expr: ExprId) -> Ty {
        self.env.poll();
        let ty = self.expr_kind(expr);
        self.out.exprs.insert(expr, ty.clone());
        ty
    }

    fn expr_kind(&mut self, expr: ExprId) -> Ty {
        match &self.body.exprs[expr] {
            // The zero of a definition without a value has the type of the cells that it fills.
            Expr::Missing | Expr::Zero => Ty::Error,
            Expr::Literal(Literal::Bool(_)) => Ty::Scalar(Elem::Bool),
            Expr::Literal(Literal::Int(_)) => self.table.scalar(ElemSet::NUMBERS),
            Expr::Literal(Literal::Float(_)) => self.table.scalar(ElemSet::FLOATS),
            Expr::Local(local) => self.out.locals.get(*local).cloned().unwrap_or(Ty::Error),
            Expr::Item(kind, name) => self.item_value(expr, *kind, &name.clone()),
            Expr::Builtin(builtin) => self.builtin_value(expr, *builtin),
            Expr::Operator(op) => self.operator_value(*op),
            Expr::Array(elements) => {
                let elements = elements.clone();
                self.array(&elements)
            }
            Expr::Unary(op, operand) => self.unary(expr, *op, *operand),
            Expr::Binary(op, lhs, rhs) => self.binary(expr, *op, *lhs, *rhs),
            Expr::Chain(first, others) => {
                let (first, others) = (*first, others.clone());
                self.chain(expr, first, &others)
            }
            Expr::Cond { condition, then_value, else_value } => {
                let (condition, then_value, else_value) = (*condition, *then_value, *else_value);
                self.condition(condition);
                let then_type = self.expr(then_value);
                let else_type = self.expr(else_value);
                self.same(expr, "the two values of `if ... else`", (then_value, &then_type), (else_value, &else_type))
            }
            Expr::Call(callee, args) => {
                let (callee, args) = (*callee, args.clone());
                self.call(expr, callee, &args)
            }
            Expr::Cast(scalar, args) => {
                let (scalar, args) = (*scalar, args.clone());
                self.cast(expr, scalar, &args)
            }
            Expr::Index(base, subscripts) => {
                let (base, subscripts) = (*base, subscripts.clone());
                self.index(expr, base, &subscripts)
            }
            Expr::Field(base, field) => {
                let (base, field) = (*base, field.clone());
                self.field(expr, base, &field)
            }
            Expr::Tuple(parts) => {
                let parts = parts.clone();
                Ty::Tuple(parts.into_iter().map(|part| self.expr(part)).collect())
            }
            Expr::Is(of, form) => {
                let (of, form) = (*of, form.clone());
                self.is_of_form(expr, of, &form)
            }
            Expr::Data { of, form, datum } => {
                let (of, form, datum) = (*of, form.clone(), datum.clone());
                self.datum(of, &form, &datum)
            }
            Expr::Part { tuple, number, of } => {
                let (tuple, number, of) = (*tuple, *number as usize, *of as usize);
                self.part_of_tuple(tuple, number, of)
            }
            Expr::Lambda(params, body) => {
                let (params, body) = (params.clone(), *body);
                let mut types = Vec::new();
                for param in params {
                    let ty = match &self.body.locals[param].ty {
                        Some(written) => self.type_ref(written),
                        None => self.open(param),
                    };
                    self.out.locals.insert(param, ty.clone());
                    types.push(ty);
                }
                let result = self.expr(body);
                Ty::Fn(types, Box::new(result))
            }
        }
    }

    /// Returns the type that a written one stands for.
    pub(super) fn type_ref(&mut self, written: &TypeRef) -> Ty {
        if !written.parts.is_empty() {
            return Ty::Tuple(written.parts.iter().map(|part| self.type_ref(part)).collect());
        }
        let Some(name) = &written.name else { return Ty::Error };
        let element = match Elem::from_name(name) {
            Some(scalar) => Ty::Scalar(scalar),
            None => match self.env.kind_of(name) {
                Some(kind) if kind.is_type() => Ty::Struct(name.clone()),
                _ => self.type_param(name).unwrap_or(Ty::Error),
            },
        };
        if written.sizes.is_empty() {
            return element;
        }
        let sizes = written.sizes.iter().map(|&size| self.written_size(size)).collect();
        Ty::Array(Box::new(element), sizes)
    }

    /// A size as written in a type: arithmetic over constants and integer parameters.
    fn written_size(&mut self, expr: ExprId) -> Size {
        let ty = self.expr(expr);
        if self.integer(expr, &ty, "a size").is_err() {
            return self.table.unknown_size();
        }
        match self.size_of(expr).filter(|_| !self.asks_for_length(expr)) {
            Some(size) => {
                if size.as_constant().is_some_and(|size| size < 0) {
                    self.find(errors::negative_size(self.at(expr)));
                    return self.table.unknown_size();
                }
                size
            }
            None => {
                if self.body.exprs[expr] != Expr::Missing && ty != Ty::Error {
                    self.find(errors::bad_size(self.at(expr)));
                }
                self.table.unknown_size()
            }
        }
    }

    /// The value of an integer expression as a size, if it is one that does not change while the kernel runs.
    pub(super) fn size_of(&mut self, expr: ExprId) -> Option<Size> {
        match &self.body.exprs[expr] {
            Expr::Literal(Literal::Int(value)) => i64::try_from(*value).ok().map(Size::constant),
            Expr::Local(local) if self.known_sizes.contains_key(local) => self.known_sizes.get(local).cloned(),
            Expr::Local(local) => {
                let data = &self.body.locals[*local];
                let fixed = !data.updated
                    && matches!(
                        data.kind,
                        LocalKind::Param | LocalKind::Size | LocalKind::Constant | LocalKind::Let | LocalKind::Assigned
                    );
                fixed.then(|| Size::atom(Atom::Local(*local)))
            }
            // A constant parameter, of a type of integers.
            Expr::Cast(elem, args) if elem.integer_range().is_some() && args.len() == 1 => {
                let arg = args[0];
                match self.body.exprs[arg] {
                    Expr::Literal(_) | Expr::Unary(UnaryOp::Neg, _) => {
                        self.size_of(arg)?.as_constant().map(Size::constant)
                    }
                    _ => None,
                }
            }
            Expr::Item(ItemKind::Const, name) => {
                let name = name.clone();
                i64::try_from(self.const_value(&name)?.wide()?).ok().map(Size::constant)
            }
            Expr::Unary(UnaryOp::Neg, operand) => {
                let operand = *operand;
                Size::constant(0).minus(&self.size_of(operand)?)
            }
            Expr::Unary(UnaryOp::Plus, operand) => {
                let operand = *operand;
                self.size_of(operand)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (op, lhs, rhs) = (*op, *lhs, *rhs);
                let (lhs, rhs) = (self.size_of(lhs)?, self.size_of(rhs)?);
                match op {
                    BinOp::Add => lhs.plus(&rhs),
                    BinOp::Sub => lhs.minus(&rhs),
                    BinOp::Mul => lhs.times(&rhs),
                    BinOp::Div => Size::quotient(SizeOp::Div, &lhs, &rhs),
                    BinOp::FloorDiv => Size::quotient(SizeOp::FloorDiv, &lhs, &rhs),
                    BinOp::Rem => Size::quotient(SizeOp::Rem, &lhs, &rhs),
                    _ => None,
                }
            }
            Expr::Call(_, args) if self.body.measured(expr).is_some() => {
                let args = args.clone();
                self.size_of_length(&args)
            }
            _ => None,
        }
    }

    /// A `length` in an expression: no type says its sizes by those of other arrays.
    fn asks_for_length(&self, expr: ExprId) -> bool {
        let mut asks = matches!(self.body.exprs[expr], Expr::Call(..));
        self.body.for_each_part(expr, |part| asks |= self.asks_for_length(part));
        asks
    }

    // Demands.

    /// A condition is a bool.
    pub(super) fn condition(&mut self, expr: ExprId) {
        let ty = self.expr(expr);
        self.bool(expr, &ty);
    }

    /// A value of this type is a bool.
    pub(super) fn bool(&mut self, expr: ExprId, ty: &Ty) {
        self.table.site = Some(expr);
        if self.table.narrow(ty, ElemSet::BOOL).is_err() {
            let array = self.is_array(ty);
            let side = self.side(expr, ty, &Ty::Error);
            self.find(errors::condition_not_bool(side, self.to_bool(expr, ty), array));
        }
    }

    /// Returns the edit by which a number becomes a bool: a comparison with 0, in parentheses where it needs some.
    fn to_bool(&self, expr: ExprId, ty: &Ty) -> Option<ToBool> {
        let number = match self.table.shallow(ty) {
            Ty::Scalar(scalar) => scalar != Elem::Bool,
            Ty::Var(var) => self.table.scalars(var).is_some(),
            _ => false,
        };
        let loose = match &self.body.exprs[expr] {
            Expr::Cond { .. } | Expr::Chain(..) | Expr::Lambda(..) | Expr::Unary(UnaryOp::Not, _) => true,
            Expr::Binary(op, ..) => op.is_logical() || op.compares(),
            _ => false,
        };
        number.then_some(if loose { ToBool::InParentheses } else { ToBool::AsItStands })
    }

    /// Requires that a count or an index is an integer.
    pub(super) fn integer(&mut self, expr: ExprId, ty: &Ty, what: &str) -> Result<(), ()> {
        self.table.site = Some(expr);
        let fits = self.table.narrow(ty, ElemSet::INTEGERS);
        if fits.is_err() {
            let side = self.side(expr, ty, &Ty::Scalar(Elem::I32));
            let counted = self.elements_gone_over(expr);
            self.find(errors::not_an_integer(side, what, counted));
        }
        fits
    }

    /// The array in the header of a loop whose elements a variable takes.
    fn elements_gone_over(&self, expr: ExprId) -> Option<TextRange> {
        let Expr::Local(local) = self.body.exprs[expr] else { return None };
        self.body.stmts.iter().find_map(|(_, stmt)| match stmt {
            Stmt::For { index, over: Over::Elements(array), .. } if *index == local => Some(self.at(*array)),
            _ => None,
        })
    }

    /// A value has the type that is written somewhere.
    pub(super) fn expect_written(&mut self, value: ExprId, ty: &Ty, wanted: &Ty, written: report::TextRange) {
        self.table.site = Some(value);
        match self.table.unify(ty, wanted) {
            Ok(assumed) => self.assume(value, assumed),
            Err(clash) => {
                let sizes = self.show_clash(&clash);
                let (value, expected) = (self.side(value, ty, wanted), self.show(wanted));
                self.find(errors::mismatch(value, (written, &expected), sizes));
            }
        }
    }

    /// Two values have one type, which is returned.
    pub(super) fn same(&mut self, site: ExprId, what: impl fmt::Display, a: (ExprId, &Ty), b: (ExprId, &Ty)) -> Ty {
        self.table.site = Some(site);
        match self.table.unify(a.1, b.1) {
            Ok(assumed) => {
                self.assume(site, assumed);
                self.unified(a.1, b.1)
            }
            Err(clash) => {
                let sizes = self.show_clash(&clash);
                let (a, b) = (self.side(a.0, a.1, b.1), self.side(b.0, b.1, a.1));
                self.find(errors::operands_differ(self.at(site), &what.to_string(), a, b, sizes));
                Ty::Error
            }
        }
    }

    /// The type that two values have which fit each other. Of one that fits only because the other is in error, nothing is
    /// known unless it is certain by itself.
    fn unified(&self, a: &Ty, b: &Ty) -> Ty {
        let known = |ty: &Ty| !matches!(self.table.known(ty), Ty::Error | Ty::Var(_));
        let error = [a, b].iter().any(|ty| *self.table.known(ty) == Ty::Error);
        match (error, known(a), known(b)) {
            (false, ..) => self.with_known_sizes(a, b),
            (_, true, _) => a.clone(),
            (_, _, true) => b.clone(),
            _ => Ty::Error,
        }
    }

    /// A type with those sizes that another one knows, which is the same but for sizes, and that it does not know itself.
    pub(super) fn with_known_sizes(&self, a: &Ty, b: &Ty) -> Ty {
        let (Ty::Array(element, own), Ty::Array(_, others)) = (self.table.shallow(a), self.table.shallow(b)) else {
            return a.clone();
        };
        if own.len() != others.len() {
            return a.clone();
        }
        let is_unknown = |size: &Size| size.any(&|atom| matches!(atom, Atom::Unknown(_)));
        let sizes = own.iter().zip(&others).map(|(own, other)| if is_unknown(own) { other } else { own }.clone());
        Ty::array(*element, sizes.collect())
    }

    /// Describes a side of a mismatch, for its finding.
    pub(super) fn side(&self, expr: ExprId, ty: &Ty, other: &Ty) -> Side {
        let cast = self.cast_for(ty, other);
        // The fraction of a literal was written on purpose.
        let fraction = matches!(self.body.exprs[expr], Expr::Literal(Literal::Float(_)));
        let cast = cast.filter(|cast| !fraction || cast.to.is_float());
        let lost = cast.and_then(|cast| self.lost(expr, self.table.shallow(ty).scalar()?, cast.to));
        let mut characters = Vec::new();
        self.characters(expr, &mut characters);
        Side { at: self.at(expr), shown: self.show(ty), origin: self.origin(expr), cast, lost, characters }
    }

    /// The texts of one character in an expression. That its first byte is a `u8` is written nowhere.
    fn characters(&self, expr: ExprId, found: &mut Vec<(report::TextRange, u8)>) {
        match &self.body.exprs[expr] {
            Expr::Binary(_, lhs, rhs) => [*lhs, *rhs].into_iter().for_each(|part| self.characters(part, found)),
            Expr::Unary(UnaryOp::Not, operand) => self.characters(*operand, found),
            Expr::Chain(first, others) => {
                self.characters(*first, found);
                others.iter().for_each(|(_, other)| self.characters(*other, found));
            }
            Expr::Array(elements) => {
                let [only] = elements[..] else { return };
                let Expr::Cast(Elem::U8, args) = &self.body.exprs[only] else { return };
                if let [number] = args[..]
                    && let Expr::Literal(Literal::Int(byte)) = self.body.exprs[number]
                    && self.at(number) == self.at(only)
                {
                    found.extend(u8::try_from(byte).map(|byte| (self.at(expr), byte)));
                }
            }
            _ => {}
        }
    }

    /// The operands that a conversion has to go to, if the result of an expression has lost something of what is asked for.
    fn lost(&self, expr: ExprId, from: Elem, to: Elem) -> Option<Lost> {
        let small = from.is_integer() && to.is_integer() && from.bits() < 32 && to.bits() > from.bits();
        let what = match () {
            () if from.is_integer() && to.is_float() => Loss::Fraction,
            () if small => Loss::HighBits,
            () => return None,
        };
        let operands = self.operands_of_lost(expr, what);
        (!operands.is_empty()).then_some(Lost { what, operands })
    }

    /// The operands of arithmetic that loses something in its result; none if nothing is lost.
    pub(super) fn operands_of_lost(&self, expr: ExprId, what: Loss) -> Vec<report::TextRange> {
        let (mut operands, mut loses) = (Vec::new(), false);
        self.operands_of(expr, what, &mut operands, &mut loses);
        if loses { operands } else { Vec::new() }
    }

    /// Collects the operands of arithmetic that are no literals, and finds out whether it loses anything.
    fn operands_of(&self, expr: ExprId, what: Loss, operands: &mut Vec<report::TextRange>, loses: &mut bool) {
        match &self.body.exprs[expr] {
            Expr::Literal(_) => {}
            Expr::Unary(UnaryOp::Neg | UnaryOp::Plus, operand) => self.operands_of(*operand, what, operands, loses),
            Expr::Binary(op, lhs, rhs) if is_arithmetic(*op, what) => {
                *loses |= match what {
                    Loss::Fraction => *op == BinOp::Div,
                    Loss::HighBits => matches!(op, BinOp::Add | BinOp::Mul | BinOp::Shl),
                };
                self.operands_of(*lhs, what, operands, loses);
                self.operands_of(*rhs, what, operands, loses);
            }
            _ => operands.push(self.at(expr)),
        }
    }

    pub(super) fn assume(&mut self, site: ExprId, assumed: Vec<(Size, Size)>) {
        self.out.assumptions.extend(assumed.into_iter().map(|(a, b)| (site, a, b)));
    }

    /// The cast that would make a value of one type fit the other.
    pub(super) fn cast_for(&self, from: &Ty, to: &Ty) -> Option<Cast> {
        // A cast of an array converts its elements.
        let (from, to) = match (self.table.shallow(from), self.table.shallow(to)) {
            (Ty::Array(from, xs), Ty::Array(to, ys)) if xs.len() == ys.len() && from != to => (*from, *to),
            types => types,
        };
        self.scalar_cast(&from, &to)
    }

    fn scalar_cast(&self, from: &Ty, to: &Ty) -> Option<Cast> {
        let from = match self.table.shallow(from) {
            Ty::Scalar(scalar) => ElemSet::only(scalar),
            Ty::Var(var) => self.table.scalars(var)?,
            _ => return None,
        };
        let (to, is_certain) = match self.table.shallow(to) {
            Ty::Scalar(scalar) => (scalar, true),
            Ty::Var(var) if self.table.scalars(var) == Some(ElemSet::FLOATS) => (Elem::F32, false),
            _ => return None,
        };
        // A bool is a number only when someone says which, and a number that is not yet any certain one is a literal.
        let is_number = from.and(ElemSet::NUMBERS) == from || from == ElemSet::BOOL && is_certain;
        let casts = to != Elem::Bool && is_number;
        let keeps = from.single().is_some_and(|from| to.holds(from));
        casts.then_some(Cast { to, keeps })
    }

    pub(super) fn show_clash(&self, clash: &Clash) -> Option<SizeClash> {
        match clash {
            Clash::Types => None,
            Clash::Ranks(a, b) => Some(SizeClash::Ranks(*a, *b)),
            Clash::Sizes(a, b) => Some(SizeClash::Sizes(self.show_size(a), self.show_size(b))),
        }
    }

    pub(super) fn show_size(&self, size: &Size) -> String {
        self.table.resolve_size(size).display(&|atom| super::atom_name(self.body, atom))
    }

    /// Returns the place that gave a value its type: the definition of the local that it is, or is an element of, and
    /// the use that decided it; or the item that gives it.
    pub(super) fn origin(&self, expr: ExprId) -> Origin {
        match &self.body.exprs[expr] {
            Expr::Local(local) => self.origin_of_local(expr, *local),
            Expr::Index(base, _) | Expr::Field(base, _) | Expr::Unary(_, base) => self.origin(*base),
            Expr::Part { tuple, .. } => self.origin(*tuple),
            Expr::Item(ItemKind::Const, name) => self.origin_of_item(expr, name, "is"),
            Expr::Call(callee, _) => match &self.body.exprs[*callee] {
                Expr::Item(ItemKind::Fn, name) => self.origin_of_item(expr, name, "gives"),
                _ => None,
            },
            _ => None,
        }
    }

    fn origin_of_local(&self, expr: ExprId, local: LocalId) -> Origin {
        let ty = self.out.locals.get(local)?;
        let data = &self.body.locals[local];
        if data.kind == LocalKind::Held {
            return None;
        }
        let (shown, name) = (self.show(ty), &data.name);
        if let Some(written) = &data.ty {
            return Some((written.at.into(), format!("`{name}` is {shown}")));
        }
        if let Some(cause) = self.table.cause(ty).filter(|&cause| cause != expr) {
            return Some((self.at(cause).into(), format!("`{name}` is {shown} because of this")));
        }
        Some((self.map.locals[local].into(), format!("`{name}` is {shown}")))
    }

    /// The function of the file that an expression calls.
    fn callee_key(&self, expr: ExprId) -> Option<crate::finding::ItemKey> {
        let Expr::Call(callee, _) = &self.body.exprs[expr] else { return None };
        let Expr::Item(ItemKind::Fn, name) = &self.body.exprs[*callee] else { return None };
        self.key_of(name)
    }

    /// The key of the item that a name stands for.
    pub(super) fn key_of(&self, name: &Name) -> Option<crate::finding::ItemKey> {
        self.env.key_of(name)
    }

    fn origin_of_item(&self, expr: ExprId, name: &Name, does: &str) -> Origin {
        let own = self.out.exprs.get(expr)?;
        // A function of scalars that is called with arrays gives an element of the result.
        let callee = match self.body.exprs[expr] {
            Expr::Call(callee, _) if self.is_array(own) => self.out.exprs.get(callee),
            _ => None,
        };
        let words = match callee.map(|callee| self.table.shallow(callee)) {
            Some(Ty::Fn(_, result)) if !self.is_array(&result) => {
                format!("`{name}` gives {}, for each element of an array", self.show(&result))
            }
            _ => format!("`{name}` {does} {}", self.show(own)),
        };
        Some((Place::NameOf(self.key_of(name)?), words))
    }

    /// The type of an array whose elements are written down, which have one type.
    fn array(&mut self, elements: &[ExprId]) -> Ty {
        let types: Vec<_> = elements.iter().map(|&element| (element, self.expr(element))).collect();
        let [(first, first_type), others @ ..] = &types[..] else { return Ty::Error };
        let mut element = first_type.clone();
        for (other, ty) in others {
            element = self.same(*other, "the elements of an array", (*first, &element), (*other, ty));
            if element == Ty::Error {
                return Ty::Error;
            }
        }
        match self.table.shallow(&element) {
            Ty::Error => Ty::Error,
            Ty::Tuple(_) => {
                self.find(errors::array_of_tuples(self.at(*first)));
                Ty::Error
            }
            element => Ty::array(element, vec![Size::constant(elements.len() as i64)]),
        }
    }

    // Operators.

    fn unary(&mut self, expr: ExprId, op: UnaryOp, operand: ExprId) -> Ty {
        let ty = self.expr(operand);
        if op == UnaryOp::Neg
            && let Some(negative) = self.negative_struct(operand, &ty)
        {
            return negative;
        }
        let literal = matches!(self.body.exprs[operand], Expr::Literal(_));
        let set = match op {
            // A negative number is checked against its type when that is known.
            UnaryOp::Neg if literal => ElemSet::NUMBERS,
            UnaryOp::Neg => ElemSet::SIGNED_NUMBERS,
            UnaryOp::Plus => ElemSet::NUMBERS,
            UnaryOp::BitNot => ElemSet::INTEGERS,
            UnaryOp::Not => ElemSet::BOOL,
        };
        match (self.operand(expr, op.text(), set, operand, &ty), op) {
            (true, _) => ty,
            (false, UnaryOp::Not) => Ty::Scalar(Elem::Bool),
            (false, _) => Ty::Error,
        }
    }

    /// An operand, or the elements of one that is an array, are scalars from a set.
    fn operand(&mut self, expr: ExprId, op: &str, set: ElemSet, operand: ExprId, ty: &Ty) -> bool {
        self.table.site = Some(expr);
        let element = self.element(ty);
        let fits = self.table.narrow(&element, set).is_ok();
        if !fits {
            let (shown, origin) = (self.show(ty), self.origin(operand));
            let to_bool = if set == ElemSet::BOOL { self.to_bool(operand, ty) } else { None };
            let finding = errors::operand_type(self.at(operand), op, &ty::describe(set), &shown, to_bool, origin);
            let is_float = self.table.narrow(&element, ElemSet::FLOATS).is_ok();
            let is_bool = self.table.narrow(&element, ElemSet::BOOL).is_ok();
            self.find(match op {
                "^" if is_float => errors::power_meant(finding, self.bare_operator(expr)),
                "+" | "-" | "*" | "/" if is_bool => errors::bool_in_arithmetic(finding),
                _ => finding,
            });
        }
        fits
    }

    /// The place of an operator of one letter without parentheses beside it: in the dense text nothing else is between the operands.
    fn bare_operator(&self, expr: ExprId) -> Option<TextRange> {
        let Expr::Binary(_, lhs, rhs) = self.body.exprs[expr] else { return None };
        let between = TextRange::new(self.at(lhs).end(), self.at(rhs).start());
        (between.len() == TextSize::of('^')).then_some(between)
    }

    fn binary(&mut self, expr: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Ty {
        let (a, b) = (self.expr(lhs), self.expr(rhs));
        if let Some(ty) = self.operator_on_enums(expr, op, (lhs, &a), (rhs, &b)) {
            return ty;
        }
        if let Some(ty) = self.on_structs(expr, expr, op, (lhs, &a), (rhs, &b)) {
            return ty;
        }
        let set = operands(op);
        let mut fits = self.operand(expr, op.text(), set, lhs, &a);
        // Each side of `and` can be made a bool by itself; for others, what is wrong with one side is mostly the operator.
        if fits || op.is_logical() {
            fits &= self.operand(expr, op.text(), set, rhs, &b);
        }
        if !fits {
            // An error in the operands is no reason for another one where the bool is used.
            let scalars = [&a, &b].iter().all(|ty| !matches!(self.table.shallow(ty), Ty::Array(..)));
            let bool_anyway = scalars && (op.compares() || op.is_logical());
            return if bool_anyway { Ty::Scalar(Elem::Bool) } else { Ty::Error };
        }
        if op.is_logical() && (self.is_array(&a) || self.is_array(&b)) {
            self.logical_of_arrays(expr, op, lhs, rhs);
        }
        self.combine(expr, op, (lhs, &a), (rhs, &b))
    }

    /// Comparisons in a chain, which are joined as by `and`: of arrays there are none.
    fn chain(&mut self, expr: ExprId, first: ExprId, others: &[(BinOp, ExprId)]) -> Ty {
        let mut left = (first, self.expr(first));
        for &(op, right) in others {
            let ty = self.expr(right);
            let fits = [(left.0, left.1.clone()), (right, ty.clone())]
                .iter()
                .all(|(operand, ty)| self.operand(expr, op.text(), operands(op), *operand, ty));
            if fits && (self.is_array(&left.1) || self.is_array(&ty)) {
                self.find(errors::chain_of_arrays(self.at(expr)));
                return Ty::Error;
            }
            if fits {
                self.combine(expr, op, (left.0, &left.1), (right, &ty));
            }
            left = (right, ty);
        }
        Ty::Scalar(Elem::Bool)
    }

    /// The type of an operator's result, for scalars and, element by element, arrays.
    pub(super) fn combine(&mut self, expr: ExprId, op: BinOp, (lhs, a): (ExprId, &Ty), (rhs, b): (ExprId, &Ty)) -> Ty {
        let (a, b) = (self.table.shallow(a), self.table.shallow(b));
        let (element, sizes) = match (&a, &b) {
            (Ty::Array(_, xs), Ty::Array(_, ys)) if xs.len() != ys.len() && xs.len().max(ys.len()) == 2 => {
                self.row_and_matrix(expr, op, (lhs, &a), (rhs, &b));
                return Ty::Error;
            }
            (Ty::Array(x, sizes), Ty::Array(..)) => match self.same(expr, Sides(op), (lhs, &a), (rhs, &b)) {
                Ty::Error => return Ty::Error,
                _ => ((**x).clone(), Some(sizes.clone())),
            },
            (Ty::Array(x, sizes), _) => (self.same(expr, Sides(op), (lhs, x), (rhs, &b)), Some(sizes.clone())),
            (_, Ty::Array(y, sizes)) => (self.same(expr, Sides(op), (lhs, &a), (rhs, y)), Some(sizes.clone())),
            _ => (self.same(expr, Sides(op), (lhs, &a), (rhs, &b)), None),
        };
        let element = if op.compares() { Ty::Scalar(Elem::Bool) } else { element };
        match sizes {
            Some(sizes) => Ty::array(element, sizes),
            None => element,
        }
    }

    /// A matrix and an array of one dimension, which NumPy would stretch.
    fn row_and_matrix(&mut self, expr: ExprId, op: BinOp, (lhs, a): (ExprId, &Ty), (rhs, b): (ExprId, &Ty)) {
        let (Ty::Array(_, xs), Ty::Array(_, ys)) = (a, b) else { return };
        let clash = SizeClash::Ranks(xs.len(), ys.len());
        let finding = errors::operands_differ(
            self.at(expr),
            &Sides(op).to_string(),
            self.side(lhs, a, &Ty::Error),
            self.side(rhs, b, &Ty::Error),
            Some(clash),
        );
        let is_left = xs.len() == 2;
        let (matrix, other) = if is_left { (lhs, rhs) } else { (rhs, lhs) };
        let (sizes, size) = if is_left { (xs, &ys[0]) } else { (ys, &xs[0]) };
        let same = |a: &Size, b: &Size| self.table.resolve_size(a) == self.table.resolve_size(b);
        let down = same(&sizes[0], size) && !same(&sizes[1], size);
        let name = |expr: ExprId| match &self.body.exprs[expr] {
            Expr::Local(local) => Some(self.body.locals[*local].name.clone()),
            _ => None,
        };
        let names = name(matrix).zip(name(other));
        let by_name = names.as_ref().map(|(matrix, other)| (&**matrix, &**other, is_left));
        self.find(errors::for_each_row(finding, op.text(), down, by_name));
    }

    fn operator_value(&mut self, op: BinOp) -> Ty {
        let operand = self.table.scalar(operands(op));
        let result = if op.compares() { Ty::Scalar(Elem::Bool) } else { operand.clone() };
        Ty::Fn(vec![operand.clone(), operand], Box::new(result))
    }

    fn cast(&mut self, expr: ExprId, scalar: Elem, args: &[ExprId]) -> Ty {
        let types: Vec<_> = args.iter().map(|&arg| self.expr(arg)).collect();
        let [arg] = args[..] else {
            self.find(errors::cast_arguments(self.at(expr), scalar, args.len()));
            return Ty::Scalar(scalar);
        };
        if matches!(self.table.shallow(&types[0]), Ty::Struct(name) if self.is_enum(&name)) {
            return self.number_as(arg, scalar);
        }
        if self.is_long_literal(arg, scalar) {
            // It has the type that it is cast to, or the widest one where that is a float.
            let wide = if scalar.is_float() { Elem::I64 } else { scalar };
            _ = self.table.unify(&types[0], &Ty::Scalar(wide));
        }
        self.table.site = Some(expr);
        let element = self.element(&types[0]);
        if self.table.narrow(&element, ElemSet::ANY).is_err() {
            let shown = self.show(&types[0]);
            self.find(errors::cast_of_no_scalar(self.at(arg), &shown));
        }
        match self.table.shallow(&types[0]) {
            Ty::Array(_, sizes) => Ty::Array(Box::new(Ty::Scalar(scalar)), sizes),
            _ => Ty::Scalar(scalar),
        }
    }

    /// An integer that is written down is too long for the type that nothing else would ask for, and a cast to a scalar holds it.
    fn is_long_literal(&self, arg: ExprId, scalar: Elem) -> bool {
        let number = |expr: ExprId| match self.body.exprs[expr] {
            Expr::Literal(Literal::Int(number)) => i128::try_from(number).ok(),
            _ => None,
        };
        let value = match self.body.exprs[arg] {
            Expr::Unary(UnaryOp::Neg, operand) => number(operand).map(|number| -number),
            _ => number(arg),
        };
        let fits = |elem: Elem| {
            let ((least, most), value) = (elem.integer_range()?, value?);
            Some((least..=most).contains(&value))
        };
        let held = if scalar.is_float() { Elem::I64 } else { scalar };
        fits(Elem::I32) == Some(false) && fits(held) == Some(true)
    }

    // Accesses.

    fn index(&mut self, expr: ExprId, base: ExprId, subscripts: &[Subscript]) -> Ty {
        if let Some(ty) = self.dimension_of_shape(expr, base, subscripts) {
            return ty;
        }
        let base_type = self.expr(base);
        if let Some(mask) = self.mask_of(expr) {
            return self.chosen(expr, (base, &base_type), mask);
        }
        let mut parts = Vec::new();
        for subscript in subscripts {
            parts.push(self.subscript(subscript));
        }
        let base_type = match self.table.shallow(&base_type) {
            Ty::Error => return Ty::Error,
            open @ Ty::Var(_) => {
                let sizes = subscripts.iter().map(|_| self.table.size()).collect();
                let array = Ty::Array(Box::new(self.table.any()), sizes);
                self.table.site = Some(expr);
                match self.table.unify(&open, &array) {
                    Ok(_) => array,
                    Err(_) => open,
                }
            }
            known => known,
        };
        let Ty::Array(element, sizes) = base_type else {
            let shown = self.show(&base_type);
            let origin = self.origin(base);
            let mut finding = errors::not_an_array(self.at(base), &shown, origin);
            if let Ty::Tuple(parts) = &base_type {
                finding = errors::taken_apart(finding, parts.len());
            }
            if let Ty::Struct(name) = &base_type {
                finding = self.by_field(finding, expr, name, subscripts);
            }
            self.find(finding);
            return Ty::Error;
        };
        if subscripts.len() > sizes.len() {
            let origin = self.origin(base);
            self.find(errors::too_many_indices(self.at(expr), sizes.len(), subscripts.len(), origin));
            return Ty::Error;
        }
        let mut left = Vec::new();
        for (part, size) in parts.into_iter().zip(&sizes) {
            if let Part::Slice { lo, hi, step } = part {
                left.push(self.slice_size(lo, hi, step, size));
            }
        }
        left.extend_from_slice(&sizes[subscripts.len()..]);
        if left.is_empty() { *element } else { Ty::array(*element, left) }
    }

    /// Adds to a finding about an index of a struct which field it may be meant for.
    fn by_field(&mut self, finding: Finding, expr: ExprId, of: &Name, subscripts: &[Subscript]) -> Finding {
        if self.is_enum(of) {
            return finding;
        }
        let names: Vec<_> = self.fields_of(of).iter().map(|(name, _)| name.clone()).collect();
        let [Subscript::At(index)] = *subscripts else { return errors::field_of_index(finding, &names, None) };
        let number = match self.body.exprs[index] {
            Expr::Literal(Literal::Int(number)) => usize::try_from(number).ok().filter(|&number| number < names.len()),
            _ => None,
        };
        // The bracket stands right before the index in the dense text.
        let brackets = TextRange::new(self.at(index).start() - TextSize::of('['), self.at(expr).end());
        errors::field_of_index(finding, &names, number.map(|number| (brackets, &*names[number])))
    }

    fn subscript(&mut self, subscript: &Subscript) -> Part {
        let bound = |infer: &mut Self, expr: Option<ExprId>, what| {
            let expr = expr?;
            let ty = infer.expr(expr);
            let _ = infer.integer(expr, &ty, what);
            Some(expr)
        };
        match *subscript {
            Subscript::At(index) => {
                bound(self, Some(index), "an index");
                Part::At
            }
            Subscript::Slice { lo, hi, step } => {
                bound(self, lo, "the start of a slice");
                bound(self, hi, "the end of a slice");
                bound(self, step, "the step of a slice");
                Part::Slice { lo, hi, step }
            }
        }
    }

    /// Returns the number of elements of a slice.
    fn slice_size(&mut self, lo: Option<ExprId>, hi: Option<ExprId>, step: Option<ExprId>, size: &Size) -> Size {
        let known = (|| {
            let step = step.map_or(Some(Size::constant(1)), |step| self.size_of(step))?.as_constant()?;
            // A step that goes down starts at the last cell, and ends before the first one.
            let (first, behind) = match step {
                0 | i64::MIN => return None,
                1.. => (Size::constant(0), size.clone()),
                _ => (size.minus(&Size::constant(1))?, Size::constant(-1)),
            };
            let lo = lo.map_or(Some(first), |lo| self.size_of(lo))?;
            let hi = hi.map_or(Some(behind), |hi| self.size_of(hi))?;
            let len = if step > 0 { hi.minus(&lo)? } else { lo.minus(&hi)? };
            match step.abs() {
                1 => Some(len),
                by => Size::quotient(SizeOp::Div, &len.plus(&Size::constant(by - 1))?, &Size::constant(by)),
            }
        })();
        // Bounds the wrong way round have a finding of their own.
        let known = known.filter(|size: &Size| size.as_constant().is_none_or(|size| size >= 0));
        known.unwrap_or_else(|| self.table.unknown_size())
    }

    fn field(&mut self, expr: ExprId, base: ExprId, field: &Name) -> Ty {
        if let Some(name) = self.enum_named(base) {
            return self.variant_value(expr, base, &name, field);
        }
        if let Some(finding) = self.property(expr, expr, None) {
            self.find(finding);
            return if &**field == "size" { self.table.integer() } else { Ty::Error };
        }
        let base_type = self.expr(base);
        let name = match self.table.shallow(&base_type) {
            Ty::Error => return Ty::Error,
            Ty::Struct(name) if self.is_enum(&name) => {
                self.find(errors::field_of_enum(self.at(expr), field, &name));
                return Ty::Error;
            }
            Ty::Struct(name) => name,
            open @ Ty::Var(_) => match self.struct_with(field) {
                Some(name) if self.table.unify(&open, &Ty::Struct(name.clone())).is_ok() => name,
                _ => {
                    self.find(errors::struct_unknown(self.at(base), field));
                    return Ty::Error;
                }
            },
            Ty::Tuple(parts) => {
                let labels = self.labels_of(base);
                let is_it = |label: &Option<Name>| label.as_ref() == Some(field);
                let number = labels.iter().position(is_it).filter(|&number| number < parts.len());
                if number.is_none() {
                    self.find(errors::no_label(self.field_name_place(expr, field), field, &labels));
                }
                self.out.labels.insert(base, labels);
                let Some(number) = number else { return Ty::Error };
                let meant = LikeField::OfTuple { number: number as u32, of: parts.len() as u32 };
                self.out.like_fields.insert(expr, meant);
                return parts[number].clone();
            }
            other => {
                let array = match &other {
                    Ty::Array(element, sizes) if matches!(**element, Ty::Struct(_)) => sizes.len(),
                    _ => 0,
                };
                let (shown, origin) = (self.show(&other), self.origin(base));
                self.find(errors::no_struct(self.at(base), &shown, array, origin));
                return Ty::Error;
            }
        };
        let fields = self.fields_of(&name);
        if let Some((_, ty)) = fields.find(field) {
            return ty.clone();
        }
        if let Some(ty) = self.swizzle(expr, &name, field) {
            return ty;
        }
        if !self.env.is_header_in_doubt(&name) && self.unknown_fields.insert((name.clone(), field.clone())) {
            let words = self.words_of_fields.entry(name.clone()).or_default();
            if words.is_empty() {
                fields.iter().for_each(|(name, _)| words.push(name.clone()));
            }
            let meant = words.closest(field, |_, _| true).map(|(_, number)| words.word(number).clone());
            let names: Vec<_> = fields.iter().map(|(name, _)| &**name).collect();
            let at = self.field_name_place(expr, field);
            self.find(errors::unknown_field(at, field, &name, meant.as_deref(), &names));
        }
        Ty::Error
    }

    /// A value of a tuple that is taken apart into so many. That there are others is said once, for the first of them.
    fn part_of_tuple(&mut self, tuple: ExprId, number: usize, of: usize) -> Ty {
        let ty = self.expr(tuple);
        match self.table.shallow(&ty) {
            Ty::Error => Ty::Error,
            Ty::Tuple(parts) if parts.len() == of => parts[number].clone(),
            open @ Ty::Var(var) if self.table.scalars(var).is_none() => {
                let parts: Vec<_> = (0..of).map(|_| self.table.any()).collect();
                self.table.site = Some(tuple);
                let part = parts[number].clone();
                if self.table.unify(&open, &Ty::Tuple(parts)).is_ok() { part } else { Ty::Error }
            }
            other => {
                if number == 0 {
                    let found = match &other {
                        Ty::Tuple(parts) => Ok(parts.len()),
                        other => Err(self.show(other)),
                    };
                    self.find(errors::tuple_count(self.at(tuple), of, found));
                }
                Ty::Error
            }
        }
    }

    /// The names of the values of a tuple, as far as they have some: those of the call that gives it, or of the variable's type.
    fn labels_of(&self, tuple: ExprId) -> Vec<Option<Name>> {
        match &self.body.exprs[tuple] {
            Expr::Call(callee, _) => match &self.body.exprs[*callee] {
                Expr::Item(ItemKind::Fn, name) => match self.env.shown(name) {
                    Some(Shown::Signature(signature)) => signature.result_labels.clone(),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
            Expr::Local(local) => {
                if let Some(written) = &self.body.locals[*local].ty {
                    return written.labels();
                }
                let defined = self.body.stmts.iter().find_map(|(_, stmt)| match stmt {
                    Stmt::Define(defined, value) if defined == local => Some(*value),
                    _ => None,
                });
                defined.map(|value| self.labels_of(value)).unwrap_or_default()
            }
            Expr::Cond { then_value, else_value, .. } => {
                let (labels, others) = (self.labels_of(*then_value), self.labels_of(*else_value));
                if labels == others { labels } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// The place of the field's name: the end of the access.
    fn field_name_place(&self, expr: ExprId, field: &str) -> report::TextRange {
        let end = self.at(expr).end();
        report::TextRange::new(end - report::TextSize::of(field), end)
    }

    /// The one struct of the file that has such a field.
    pub(super) fn struct_with(&mut self, field: &Name) -> Option<Name> {
        let mut with = Vec::new();
        self.env.for_each_struct(&mut |name, fields| {
            if fields.iter().any(|(other, _)| other == field) {
                with.push(name.clone());
            }
            // With a second one it is decided.
            if with.len() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        with.pop().filter(|_| with.is_empty())
    }

    /// The fields of a struct; those that are structs that are not whole are in error.
    pub(super) fn fields_of(&self, name: &Name) -> Arc<Fields> {
        if let Some(known) = self.fields.borrow().get(name) {
            return known.clone();
        }
        let known = |name: &Name| Some(self.env.fields_of(name)).filter(|fields| !fields.is_empty());
        let is_whole = |ty: &Ty| match ty {
            Ty::Struct(name) => layout::leaves(&known, name).is_some(),
            _ => true,
        };
        let mut fields = self.env.fields_of(name);
        if !fields.iter().all(|(_, ty)| is_whole(ty)) {
            let ty = |ty: &Ty| if is_whole(ty) { ty.clone() } else { Ty::Error };
            fields = Arc::new(fields.iter().map(|(field, of)| (field.clone(), ty(of))).collect());
        }
        self.fields.borrow_mut().insert(name.clone(), fields.clone());
        fields
    }
}

/// The sides of an operator, as messages name them.
pub(super) struct Sides(pub(super) BinOp);

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the two sides of `{}`", self.0.text())
    }
}

/// The effect of a subscript on a dimension.
enum Part {
    At,
    Slice { lo: Option<ExprId>, hi: Option<ExprId>, step: Option<ExprId> },
}

/// Finds out whether an operator on converted operands is what was meant.
fn is_arithmetic(op: BinOp, what: Loss) -> bool {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => true,
        BinOp::Div => what == Loss::Fraction,
        BinOp::Shl => what == Loss::HighBits,
        _ => false,
    }
}

/// The types that an operator's operands may have.
pub(super) fn operands(op: BinOp) -> ElemSet {
    match op {
        BinOp::And | BinOp::Or => ElemSet::BOOL,
        BinOp::Shl | BinOp::Shr => ElemSet::INTEGERS,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => ElemSet::BITS,
        BinOp::Eq | BinOp::Ne => ElemSet::ANY,
        _ => ElemSet::NUMBERS,
    }
}
