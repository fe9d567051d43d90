//! The ranges of integers: the least and the greatest value of an expression in all runs, as far as types, numbers, operators and
//! names tell.
//!
//! A variable that keeps its value has the range of what defines it, and one that changes the range of all that it is given:
//!
//! ```text
//! let s = u16(a[i]) + u16(b[i])      from 0 to 510
//! out[i] = u8((s + 1) >> 1)          `s + 1` is from 1 to 511, so nothing wraps
//! ```
//!
//! The elements of an array are integers, too, but nothing is known of those of an array that has a name: they may be stored to.

use std::cell::OnceCell;

use ir::{Code, Elem, range::ValueRange};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Infer;
use crate::builtins::{Bounded, BuiltinId, Means};
use crate::ty::Ty;
use crate::{BinOp, Body, Expr, ExprId, LocalId, LocalKind, Over, Range, Stmt, UnaryOp, operators};

/// A value that a variable is given, and the operator if the variable's own value is its left side.
pub(super) type GivenValue = (Option<BinOp>, ExprId);

/// The ranges that are narrower than the types of their expressions.
type NarrowRanges = ArenaMap<ExprId, ValueRange>;

/// The ranges of an item's expressions, and the values of its variables.
#[derive(Default)]
pub(super) struct Ranges {
    /// Those that are narrower than the type.
    narrow: NarrowRanges,
    /// All that variables are given.
    given: FxHashMap<LocalId, Vec<GivenValue>>,
    /// The numbers of places that name a local.
    n_named: FxHashMap<LocalId, usize>,
    /// The variables that the program asks for, once somebody wants to know.
    pub(super) asked: OnceCell<FxHashSet<LocalId>>,
}

impl Infer<'_, '_> {
    /// Finds the ranges of the item's integers.
    pub(super) fn find_ranges(&mut self) {
        self.ranges.given = given(self.body);
        for (_, data) in self.body.exprs.iter() {
            if let Expr::Local(local) = data {
                *self.ranges.n_named.entry(*local).or_default() += 1;
            }
        }
        let search = Search { infer: self, indices: indices(self.body), updated: FxHashMap::default() };
        let narrow = search.run();
        self.ranges.narrow = narrow;
    }

    /// The range of an integer, or of the elements of an array of integers; `None` for all else.
    pub(super) fn range_of(&self, expr: ExprId) -> Option<ValueRange> {
        let narrow = self.ranges.narrow.get(expr).copied();
        narrow.or_else(|| ValueRange::of(self.integer_type(expr)?))
    }

    /// The one value that an integer has, by whatever names.
    pub(super) fn only_value(&self, expr: ExprId) -> Option<i128> {
        let known = self.out.values.get(&expr).and_then(|value| value.wide());
        known.or_else(|| {
            let range = self.ranges.narrow.get(expr)?;
            (range.lo == range.hi).then_some(range.lo)
        })
    }

    /// The range that the result of an operator would have if its type held it.
    pub(super) fn exact_range(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<ValueRange> {
        exact(op, self.range_of(lhs)?, self.range_of(rhs)?, self.integer_type(lhs)?)
    }

    /// The value of a variable that keeps the one it is defined with.
    pub(super) fn fixed_value(&self, local: LocalId) -> Option<ExprId> {
        match self.given_values(local) {
            &[(None, value)] if !self.body.locals[local].updated => Some(value),
            _ => None,
        }
    }

    /// All values that a variable is given.
    pub(super) fn given_values(&self, local: LocalId) -> &[GivenValue] {
        self.ranges.given.get(&local).map_or(&[], |given| given)
    }

    /// Says whether no more than one place names a local after its definition.
    pub(super) fn is_named_once(&self, local: LocalId) -> bool {
        self.ranges.n_named.get(&local).is_none_or(|&n| n <= 1)
    }

    /// The expression that a name stands for, be it the name of a name; one that is no name stands for itself.
    pub(super) fn named_value(&self, mut expr: ExprId) -> ExprId {
        while let Expr::Local(local) = self.body.exprs[expr]
            // Definitions come first in the arena, so this ends.
            && let Some(value) = self.fixed_value(local).filter(|value| value.into_raw() < expr.into_raw())
        {
            expr = value;
        }
        expr
    }

    /// The type of an integer, or of the elements of an array of integers.
    pub(super) fn integer_type(&self, expr: ExprId) -> Option<Elem> {
        self.table.scalar_within(self.out.exprs.get(expr)?).filter(|elem| elem.is_integer())
    }
}

/// The result of an operator, before it is brought into its type.
fn exact(op: BinOp, a: ValueRange, b: ValueRange, elem: Elem) -> Option<ValueRange> {
    let b = match op {
        // All others are the program's errors.
        BinOp::Shl | BinOp::Shr => b.meet(ValueRange::new(0, i128::from(elem.bits()) - 1)?),
        BinOp::Div | BinOp::FloorDiv | BinOp::Rem if b.lo == 0 && b.hi > 0 => ValueRange { lo: 1, ..b },
        _ => b,
    };
    ValueRange::apply(operators::code(op)?, a, b)
}

/// Brings a result into its type: an unsigned one may wrap to any value, and a signed one that does not fit ends the program.
fn in_type(range: ValueRange, elem: Elem) -> Option<ValueRange> {
    let all = ValueRange::of(elem)?;
    (elem.is_signed() || range.is_in(all)).then(|| range.meet(all))
}

/// Moves the bounds into others.
fn clamped(range: ValueRange, within: ValueRange) -> ValueRange {
    ValueRange { lo: range.lo.clamp(within.lo, within.hi), hi: range.hi.clamp(within.lo, within.hi) }
}

/// The values that variables are given.
fn given(body: &Body) -> FxHashMap<LocalId, Vec<GivenValue>> {
    let mut given: FxHashMap<LocalId, Vec<GivenValue>> = FxHashMap::default();
    for (_, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::Define(local, value) => given.entry(*local).or_default().push((None, *value)),
            Stmt::Assign { target, op, value } => {
                if let Expr::Local(local) = body.exprs[*target] {
                    given.entry(local).or_default().push((*op, *value));
                }
            }
            _ => {}
        }
    }
    // The name of a `static if` stands for what its other branch gives it, too.
    body.kept.iter().flat_map(|kept| [kept.local, kept.known_as]).for_each(|local| {
        given.remove(&local);
    });
    let is_variable = |kind| matches!(kind, LocalKind::Let | LocalKind::Assigned | LocalKind::Held);
    given.retain(|local, _| is_variable(body.locals[*local].kind));
    given
}

/// The ranges that indices of loops go over.
fn indices(body: &Body) -> FxHashMap<LocalId, &Range> {
    let mut found = FxHashMap::default();
    for (_, stmt) in body.stmts.iter() {
        match stmt {
            Stmt::For { index, over: Over::Range(range), .. } => {
                found.insert(*index, range);
            }
            Stmt::Foreach { indices, .. } => found.extend(indices.iter().map(|(index, range)| (*index, range))),
            _ => {}
        }
    }
    found
}

/// A walk over all expressions, in the order of the arena: parts come before what they are parts of, and definitions before uses.
struct Search<'s, 'a, 'env> {
    infer: &'s Infer<'a, 'env>,
    indices: FxHashMap<LocalId, &'a Range>,
    /// The ranges of variables that change, once they are known.
    updated: FxHashMap<LocalId, ValueRange>,
}

impl Search<'_, '_, '_> {
    fn run(mut self) -> NarrowRanges {
        let narrow = self.walk();
        // A value that a variable is given may depend on the variable itself, for which the first walk has taken all of its type.
        for &local in self.infer.ranges.given.keys() {
            if self.infer.body.locals[local].updated
                && let Some(range) = self.all_given(local, &narrow)
            {
                self.updated.insert(local, range);
            }
        }
        if self.updated.is_empty() { narrow } else { self.walk() }
    }

    fn all_given(&self, local: LocalId, narrow: &NarrowRanges) -> Option<ValueRange> {
        let elem = self.type_of_local(local)?;
        let all = ValueRange::of(elem)?;
        let mut joined: Option<ValueRange> = None;
        for &(op, value) in self.infer.given_values(local) {
            let given = self.range(value, narrow)?;
            let given = match op {
                Some(op) => in_type(exact(op, all, given, elem)?, elem)?,
                None => given,
            };
            joined = Some(joined.map_or(given, |joined| joined.join(given)));
        }
        joined.filter(|range| *range != all && range.is_in(all))
    }

    fn type_of_local(&self, local: LocalId) -> Option<Elem> {
        match self.infer.out.locals.get(local)? {
            Ty::Scalar(elem) if elem.is_integer() => Some(*elem),
            _ => None,
        }
    }

    fn walk(&self) -> NarrowRanges {
        let mut narrow = NarrowRanges::default();
        for (expr, data) in self.infer.body.exprs.iter() {
            let Some(elem) = self.infer.integer_type(expr) else { continue };
            let found = match self.infer.out.values.get(&expr) {
                Some(&value) => ValueRange::exactly(value),
                None => self.expr(expr, data, elem, &narrow),
            };
            if let Some((range, all)) = found.zip(ValueRange::of(elem))
                && range != all
                && range.is_in(all)
            {
                narrow.insert(expr, range);
            }
        }
        narrow
    }

    fn range(&self, expr: ExprId, narrow: &NarrowRanges) -> Option<ValueRange> {
        narrow.get(expr).copied().or_else(|| ValueRange::of(self.infer.integer_type(expr)?))
    }

    fn expr(&self, expr: ExprId, data: &Expr, elem: Elem, narrow: &NarrowRanges) -> Option<ValueRange> {
        let range = |expr: ExprId| self.range(expr, narrow);
        match data {
            Expr::Local(local) => self.local(*local, narrow),
            Expr::Unary(UnaryOp::Plus, operand) => range(*operand),
            Expr::Unary(UnaryOp::Neg, operand) => in_type(range(*operand)?.negated(), elem),
            Expr::Unary(UnaryOp::BitNot, operand) => {
                let ValueRange { lo, hi } = range(*operand)?;
                // All bits of the type, or -1, without those of the value.
                let ones = if elem.is_signed() { -1 } else { ValueRange::of(elem)?.hi };
                ValueRange::new(ones - hi, ones - lo)
            }
            Expr::Binary(op, lhs, rhs) => in_type(exact(*op, range(*lhs)?, range(*rhs)?, elem)?, elem),
            Expr::Cond { then_value, else_value, .. } => Some(range(*then_value)?.join(range(*else_value)?)),
            Expr::Cast(_, args) => match args[..] {
                [arg] if self.is_bool(arg) => ValueRange::new(0, 1),
                [arg] => range(arg),
                _ => None,
            },
            Expr::Part { tuple, number, .. } => match &self.infer.body.exprs[self.infer.named_value(*tuple)] {
                Expr::Tuple(parts) => range(*parts.get(*number as usize)?),
                _ => None,
            },
            Expr::Call(callee, args) => match self.infer.body.exprs[*callee] {
                Expr::Builtin(builtin) => {
                    let args = self.infer.out.in_order(expr, args.clone());
                    self.builtin(builtin, &args, elem, narrow)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_bool(&self, expr: ExprId) -> bool {
        let ty = self.infer.out.exprs.get(expr);
        ty.is_some_and(|ty| self.infer.table.scalar_within(ty) == Some(Elem::Bool))
    }

    fn local(&self, local: LocalId, narrow: &NarrowRanges) -> Option<ValueRange> {
        self.type_of_local(local)?;
        if let Some(range) = self.updated.get(&local) {
            return Some(*range);
        }
        if let Some(value) = self.infer.fixed_value(local) {
            return narrow.get(value).copied();
        }
        let over = self.indices.get(&local)?;
        let first = match over.start {
            Some(start) => self.range(start, narrow)?,
            None => ValueRange::new(0, 0)?,
        };
        let stop = self.range(over.stop, narrow)?;
        match over.step.map_or(Some(1), |step| self.infer.out.values.get(&step)?.wide())? {
            1.. => ValueRange::new(first.lo, stop.hi - 1),
            0 => None,
            ..0 => ValueRange::new(stop.lo + 1, first.hi),
        }
    }

    fn builtin(&self, builtin: BuiltinId, args: &[ExprId], elem: Elem, narrow: &NarrowRanges) -> Option<ValueRange> {
        let range = |n: usize| self.range(*args.get(n)?, narrow);
        let apply = |code: Code| ValueRange::apply(code, range(0)?, range(1)?);
        let all = ValueRange::of(elem)?;
        match builtin.get().means {
            Means::Scalars(_, code @ (Code::Min | Code::Max)) => apply(code),
            Means::Scalars(_, Code::AddSat) => Some(clamped(apply(Code::Add)?, all)),
            Means::Scalars(_, Code::SubSat) => Some(clamped(apply(Code::Sub)?, all)),
            Means::Scalars(_, Code::Abs) => Some(range(0)?.magnitude().meet(all)),
            Means::Scalars(_, Code::Popcount | Code::Clz | Code::Ctz) => ValueRange::new(0, elem.bits().into()),
            Means::Saturate => Some(clamped(range(1)?, all)),
            Means::Like => range(0),
            Means::Select => Some(range(1)?.join(range(2)?)),
            _ => match builtin.get().bounded()? {
                Bounded::Within => {
                    let low = ValueRange::apply(Code::Max, range(0)?, range(1)?)?;
                    ValueRange::apply(Code::Min, low, range(2)?)
                }
                Bounded::Distance => in_type(apply(Code::Sub)?.magnitude(), elem),
                Bounded::Between => Some(range(0)?.join(range(1)?)),
            },
        }
    }
}
