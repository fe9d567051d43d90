//! Indices that lie outside of their array whenever they are used, as far as sizes and the ranges of loops tell.
//!
//! `a[n]` of an array with `n` elements is one, whatever `n` is. In a loop the first and the last iteration are looked at:
//!
//! ```text
//! for i in range(n):
//!     b[i] = a[i + 1] - a[i]       the last iteration reads a[n]
//! ```
//!
//! Only what each iteration does is looked at: nothing under a condition, nothing behind a `continue`, and not the last iteration of a
//! loop that may be left early.

use ir::Elem;
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::Infer;
use crate::errors::{self, End, OutsideInLoop};
use crate::size::{Atom, Size};
use crate::ty::Ty;
use crate::{BinOp, Block, Expr, ExprId, LocalId, Over, Range, Stmt, Subscript, UnaryOp};

/// A loop over a range, around a statement that each of its iterations gets to.
#[derive(Clone)]
struct Around {
    index: LocalId,
    range: Range,
    first: Size,
    /// The index of the last iteration, unless the loop may end before it.
    last: Option<Size>,
}

/// An index as a sum: how often it counts the index of each loop around it, and the rest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    times: SmallVec<[i64; 4]>,
    rest: Size,
}

/// Indices that are inside of their array at the ends of loops: the indices of these loops, the index as a sum, and the size. Statements of one loop have
/// many that are alike.
pub(super) type IndicesInside = FxHashSet<(SmallVec<[LocalId; 4]>, Sum, Size)>;

/// The number of names, each of which stands for an expression with the next one, that are followed in an index.
const MAX_NAMES: u32 = 4;

impl Infer<'_, '_> {
    /// Finds them in the item.
    pub(super) fn outside_at_ends(&mut self) {
        let body = self.body;
        // A parameter that is given another value is an error of its own, and no size any more.
        let is_param =
            |target: ExprId| matches!(body.exprs[target], Expr::Local(local) if body.params.contains(&local));
        let changes = |stmt: &Stmt| matches!(stmt, Stmt::Assign { target, .. } if is_param(*target));
        let is_sure = !body.in_doubt && !body.header_in_doubt && !body.stmts.iter().any(|(_, stmt)| changes(stmt));
        if is_sure {
            self.ends_of_block(&body.block, Vec::new());
        }
    }

    fn ends_of_block(&mut self, block: &Block, mut around: Vec<Around>) {
        let body = self.body;
        for &stmt in block {
            if body.statics.contains(&stmt) {
                continue;
            }
            match &body.stmts[stmt] {
                Stmt::Define(_, value) | Stmt::Expr(value) | Stmt::Assert(value) | Stmt::Return(Some(value)) => {
                    self.ends_of_expr(*value, &around);
                }
                Stmt::Assign { target, value, .. } => {
                    self.ends_of_expr(*target, &around);
                    self.ends_of_expr(*value, &around);
                }
                Stmt::For { index, over, body: inside, .. } => {
                    let range = match over {
                        Over::Range(range) => Some((*index, range)),
                        Over::Elements(_) => None,
                    };
                    self.ends_of_loop(range.as_slice(), inside, &around);
                }
                Stmt::Foreach { indices, body: inside, .. } => {
                    let ranges: Vec<_> = indices.iter().map(|(index, range)| (*index, range)).collect();
                    self.ends_of_loop(&ranges, inside, &around);
                }
                Stmt::While { body: inside, .. } => self.ends_of_block(inside, Vec::new()),
                Stmt::If { condition, then_block, else_block, .. } => {
                    self.ends_of_expr(*condition, &around);
                    self.ends_of_block(then_block, Vec::new());
                    self.ends_of_block(else_block, Vec::new());
                }
                Stmt::Broken(..) | Stmt::Break | Stmt::Continue | Stmt::Return(None) | Stmt::Pass => {}
            }
            // Some iterations may not get to what follows.
            if self.leaves(stmt, &|stmt| matches!(stmt, Stmt::Break | Stmt::Continue | Stmt::Return(_))) {
                around.clear();
            }
        }
    }

    fn ends_of_loop(&mut self, ranges: &[(LocalId, &Range)], inside: &Block, around: &[Around]) {
        let is_exit = |stmt: &Stmt| matches!(stmt, Stmt::Break | Stmt::Return(_));
        let is_left = inside.iter().any(|&stmt| self.leaves(stmt, &is_exit));
        let mut around = around.to_vec();
        for &(index, range) in ranges {
            match self.around(index, range, is_left) {
                Some(own) => around.push(own),
                None => return self.ends_of_block(inside, Vec::new()),
            }
        }
        self.ends_of_block(inside, around);
    }

    /// Returns true if a statement is, or has in it, one that `is_exit` accepts.
    fn leaves(&self, stmt: crate::StmtId, is_exit: &dyn Fn(&Stmt) -> bool) -> bool {
        let mut found = false;
        crate::walk::block(self.body, &vec![stmt], &mut |met| {
            if let crate::walk::Met::Stmt(stmt) = met {
                found |= is_exit(&self.body.stmts[stmt]);
                return true;
            }
            false
        });
        found
    }

    fn around(&mut self, index: LocalId, range: &Range, is_left: bool) -> Option<Around> {
        let first = match range.start {
            Some(start) => self.size_of(start)?,
            None => Size::constant(0),
        };
        let stop = self.size_of(range.stop)?;
        let step = match range.step {
            Some(step) => self.size_of(step)?.as_constant()?,
            None => 1,
        };
        let length = match step.signum() {
            1 => stop.minus(&first)?,
            -1 => first.minus(&stop)?,
            _ => return None,
        };
        let n_known = length.as_constant();
        if n_known.is_some_and(|n| n <= 0) {
            return None;
        }
        let last = match (n_known, step) {
            (Some(n), _) => first.plus(&Size::constant((n - 1) / step.abs() * step)),
            (None, 1) => stop.minus(&Size::constant(1)),
            (None, -1) => stop.plus(&Size::constant(1)),
            _ => None,
        };
        let last = last.filter(|_| !is_left);
        Some(Around { index, range: range.clone(), first, last })
    }

    /// Looks at the indices of an expression that is surely evaluated.
    fn ends_of_expr(&mut self, expr: ExprId, around: &[Around]) {
        let body = self.body;
        match &body.exprs[expr] {
            Expr::Cond { condition, .. } => self.ends_of_expr(*condition, around),
            Expr::Binary(op, lhs, _) if op.is_logical() => self.ends_of_expr(*lhs, around),
            Expr::Lambda(..) | Expr::Chain(..) => {}
            data => {
                if let Expr::Index(base, subscripts) = data {
                    self.ends_of_access(*base, subscripts, around);
                }
                body.for_each_part(expr, |part| self.ends_of_expr(part, around));
            }
        }
    }

    fn ends_of_access(&mut self, base: ExprId, subscripts: &[Subscript], around: &[Around]) {
        for (dim, subscript) in subscripts.iter().enumerate() {
            let Subscript::At(index) = *subscript else { continue };
            // An index that is known has been looked at.
            if self.only_value(index).is_some() || !self.is_wide_integer(index) {
                continue;
            }
            let Some(Ty::Array(_, sizes)) = self.out.exprs.get(base) else { return };
            let Some(size) = sizes.get(dim).map(|size| self.table.resolve_size(size)) else { return };
            let Some(sum) = self.sum(index, around, MAX_NAMES) else { continue };
            let alike = (around.iter().map(|it| it.index).collect(), sum, size);
            if !self.indices_inside.contains(&alike) && !self.ends_of_index(index, &alike.1, &alike.2, around) {
                self.indices_inside.insert(alike);
            }
        }
    }

    /// Looks at an index at the ends of the loops around it; gives whether it is outside of the array.
    fn ends_of_index(&mut self, index: ExprId, sum: &Sum, size: &Size, around: &[Around]) -> bool {
        let moved: SmallVec<[usize; 4]> = (0..around.len()).filter(|&n| sum.times[n] != 0).collect();
        let Some(&innermost) = moved.last() else {
            let is_outside = sum.rest.minus(size).and_then(|over| over.as_constant()).is_some_and(|over| over >= 0);
            if is_outside {
                let (index_shown, size_shown) = (self.show_size(&sum.rest), self.show_size(size));
                let last = size.minus(&Size::constant(1)).filter(is_named).map(|last| self.show_size(&last));
                self.find(errors::index_behind_end(self.at(index), &index_shown, &size_shown, last));
            }
            return is_outside;
        };
        // One end of the ranges has the lowest index, and the other one the highest.
        for end in [End::First, End::Last] {
            let (mut value, mut iteration) = (Some(sum.rest.clone()), End::First);
            for &n in &moved {
                let it = &around[n];
                let rises = it.range.step.is_none_or(|step| self.known_step(step) > 0) == (sum.times[n] > 0);
                iteration = if rises == (end == End::Last) { End::Last } else { End::First };
                let at = if iteration == End::Last { it.last.clone() } else { Some(it.first.clone()) };
                let part = at.and_then(|at| at.times(&Size::constant(sum.times[n])));
                value = value.zip(part).and_then(|(value, part)| value.plus(&part));
            }
            let Some(value) = value else { continue };
            let over = match end {
                End::First => value.as_constant().map(|value| -value),
                End::Last => value.minus(size).and_then(|over| over.as_constant()).map(|over| over + 1),
            };
            let Some(over) = over.filter(|&over| over > 0) else { continue };
            let it = &around[innermost];
            let simple = moved.len() == 1 && sum.times[innermost] == 1 && it.range.step.is_none();
            let outside = OutsideInLoop {
                end,
                index: self.show_size(&value),
                size: self.show_size(size),
                name: self.body.index_name(it.index).to_string(),
                iteration: (moved.len() == 1).then_some(iteration),
                index_at: self.map.locals[it.index],
                fix: if simple { self.shorter(&around[innermost], end, over) } else { None },
            };
            self.find(errors::outside_in_loop(self.at(index), &outside));
            return true;
        }
        false
    }

    /// The range of a loop with fewer iterations at one end: what is written in it, and what takes the place of that.
    fn shorter(&mut self, it: &Around, end: End, by: i64) -> Option<(report::TextRange, String)> {
        let written = |expr: ExprId| {
            matches!(
                self.body.exprs[expr],
                Expr::Literal(_) | Expr::Local(_) | Expr::Binary(BinOp::Add | BinOp::Sub, ..)
            )
        };
        if !written(it.range.stop) || it.range.start.is_some_and(|start| !written(start)) {
            return None;
        }
        let stop_at = self.at(it.range.stop);
        match end {
            End::Last => {
                let stop = self.size_of(it.range.stop)?.minus(&Size::constant(by)).filter(is_named)?;
                Some((stop_at, self.show_size(&stop)))
            }
            End::First => match it.range.start {
                Some(start) => {
                    let first = it.first.plus(&Size::constant(by)).filter(is_named)?;
                    Some((self.at(start), self.show_size(&first)))
                }
                None => Some((report::TextRange::empty(stop_at.start()), format!("{by}, "))),
            },
        }
    }

    fn known_step(&self, step: ExprId) -> i128 {
        self.out.values.get(&step).and_then(|value| value.wide()).unwrap_or(1)
    }

    /// Narrower integers wrap where people count.
    fn is_wide_integer(&self, expr: ExprId) -> bool {
        let ty = self.out.exprs.get(expr).map(|ty| self.table.known(ty));
        matches!(ty, Some(Ty::Scalar(elem)) if elem.is_integer() && *elem != Elem::Bool && elem.bits() >= 32)
    }

    /// The value of a variable that is no size: it may count the index of a loop.
    fn sum_behind(&self, local: LocalId) -> Option<ExprId> {
        self.fixed_value(local).filter(|_| !self.known_sizes.contains_key(&local))
    }

    /// `n_names`: how many names may stand for the sums that define them.
    fn sum(&mut self, expr: ExprId, around: &[Around], n_names: u32) -> Option<Sum> {
        let body = self.body;
        let none = || smallvec![0; around.len()];
        match &body.exprs[expr] {
            Expr::Local(local) if around.iter().any(|it| it.index == *local) => {
                let times = around.iter().map(|it| i64::from(it.index == *local)).collect();
                Some(Sum { times, rest: Size::constant(0) })
            }
            Expr::Unary(UnaryOp::Plus, operand) => self.sum(*operand, around, n_names),
            Expr::Unary(UnaryOp::Neg, operand) => self.sum(*operand, around, n_names)?.times(&Size::constant(-1)),
            Expr::Binary(BinOp::Add, lhs, rhs) => {
                self.sum(*lhs, around, n_names)?.plus(self.sum(*rhs, around, n_names)?)
            }
            Expr::Binary(BinOp::Sub, lhs, rhs) => {
                let rhs = self.sum(*rhs, around, n_names)?.times(&Size::constant(-1))?;
                self.sum(*lhs, around, n_names)?.plus(rhs)
            }
            Expr::Binary(BinOp::Mul, lhs, rhs) => {
                let (lhs, rhs) = (self.sum(*lhs, around, n_names)?, self.sum(*rhs, around, n_names)?);
                let is_fixed = |sum: &Sum| sum.times.iter().all(|times| *times == 0);
                match (is_fixed(&lhs), is_fixed(&rhs)) {
                    (true, _) => rhs.times(&lhs.rest),
                    (_, true) => lhs.times(&rhs.rest),
                    _ => None,
                }
            }
            data => {
                let behind = match data {
                    Expr::Local(local) if n_names > 0 => self.sum_behind(*local),
                    _ => None,
                };
                let sum = behind.and_then(|value| self.sum(value, around, n_names - 1));
                sum.or_else(|| Some(Sum { times: none(), rest: self.size_of(expr)? }))
            }
        }
    }
}

impl Sum {
    fn plus(self, other: Sum) -> Option<Sum> {
        let times = self.times.iter().zip(&other.times).map(|(a, b)| a.checked_add(*b)).collect::<Option<_>>()?;
        Some(Sum { times, rest: self.rest.plus(&other.rest)? })
    }

    /// The sum times a size, which is a number where the sum counts a loop's index.
    fn times(self, by: &Size) -> Option<Sum> {
        let rest = self.rest.times(by)?;
        if self.times.iter().all(|times| *times == 0) {
            return Some(Sum { rest, ..self });
        }
        let by = by.as_constant()?;
        let times = self.times.iter().map(|times| times.checked_mul(by)).collect::<Option<_>>()?;
        Some(Sum { times, rest })
    }
}

/// Returns true for a size that has a spelling in the program.
fn is_named(size: &Size) -> bool {
    !size.any(&|atom| !matches!(atom, Atom::Local(_)))
}
