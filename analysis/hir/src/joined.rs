//! Variables that a loop only joins something to: those whose sums and products `@reassoc` and `@fast` let reorder.
//!
//! A loop *joins to* a variable of outside if all that its body does with the variable is to add to it or take from it, or all
//! is to multiply it:
//!
//! ```text
//! s += e        s = s + e      s = a + (s - b)      s = s + e if c else s
//! p *= e        p = e * p      t.sum += e
//! ```
//!
//! A field of a variable is joined to by itself if nothing in the body mentions more of the variable than other fields.
//!
//! The operand that is joined never mentions the variable, and neither does anything else in the body. It may stand under branches
//! and in inner loops, and there may be several such statements. A loop that a `break` or `return` may leave joins to
//! nothing: how many iterations it has would depend on their order.

use ir::{Fold, Scalar};
use rustc_hash::FxHashMap;

use super::infer::LikeFields;
use super::walk::{self, Met};
use super::{BinOp, Block, Body, Expr, ExprId, LocalId, Name, Over, Range, Stmt, StmtId, Subscript};

/// A variable of outside, or a field of one, that a loop's body only joins something to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// The variable.
    pub local: LocalId,
    /// The names of the fields that lead to the part of it, outermost first; none for all of it.
    pub path: Vec<Name>,
    /// The operator that joins.
    pub fold: Fold,
}

/// The number of iterations up to which a loop is short: those that are written out, where another order of a sum gains nothing.
const MOST_OF_SHORT: i128 = 16;

/// Says whether the attribute of an item leaves the sums of a `for` in their order: it has a constant number of iterations, and few, or it
/// goes down columns, or along a row that an array delimits.
pub fn stays_in_order(body: &Body, values: &FxHashMap<ExprId, Scalar>, stmt: StmtId) -> bool {
    is_short(body, values, stmt) || goes_down(body, stmt) || is_delimited(body, stmt)
}

fn is_short(body: &Body, values: &FxHashMap<ExprId, Scalar>, stmt: StmtId) -> bool {
    let Stmt::For { over: Over::Range(Range { start, stop, step }), .. } = &body.stmts[stmt] else { return false };
    let number = |expr: ExprId| values.get(&expr).and_then(|value| value.wide());
    let or = |expr: &Option<ExprId>, other: i128| expr.map_or(Some(other), number);
    let (Some(start), Some(stop), Some(step)) = (or(start, 0), number(*stop), or(step, 1)) else { return false };
    let (span, step) = if step < 0 { (start - stop, -step) } else { (stop - start, step) };
    step != 0 && span <= MOST_OF_SHORT * step
}

/// Says whether a loop's range goes from one element of an array to another one of it, `range(starts[i], starts[i + 1])`, as the rows of a
/// sparse matrix do, most of which are shorter than partial sums are many.
fn is_delimited(body: &Body, stmt: StmtId) -> bool {
    let Stmt::For { over: Over::Range(Range { start: Some(start), stop, .. }), .. } = &body.stmts[stmt] else {
        return false;
    };
    let array = |expr: ExprId| match &body.exprs[expr] {
        Expr::Index(base, _) => match body.exprs[*base] {
            Expr::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    };
    array(*start).is_some_and(|of_start| array(*stop) == Some(of_start))
}

/// Says whether a loop's index is mentioned in a subscript that is not the last one of its array: what its iterations look at does not lie
/// side by side, as `b[p, j]` does not for the iterations of a loop over `p`.
fn goes_down(body: &Body, stmt: StmtId) -> bool {
    let Stmt::For { index, body: block, .. } = &body.stmts[stmt] else { return false };
    let mentions = |subscript: &Subscript| {
        let Subscript::At(place) = subscript else { return false };
        let mut found = false;
        walk::expression(body, *place, &mut |met| {
            found |=
                matches!(met, Met::Expr(expr) if matches!(body.exprs[expr], Expr::Local(local) if local == *index));
            !found
        });
        found
    };
    let mut found = false;
    walk::block(body, block, &mut |met| {
        if let Met::Expr(expr) = met
            && let Expr::Index(base, subscripts) = &body.exprs[expr]
        {
            let others = subscripts.split_last().map_or(&[][..], |(_, others)| others);
            // Of `b[p][j]` the inner one is a row.
            let of_row = match &body.exprs[*base] {
                Expr::Index(_, subscripts) => subscripts.as_slice(),
                _ => &[],
            };
            found |= others.iter().chain(of_row).any(mentions);
        }
        !found
    });
    found
}

/// The variables of outside that a loop's body only joins something to, and how, in the order of their definition.
pub fn joined(body: &Body, block: &Block, like_fields: &LikeFields) -> Vec<Joined> {
    if may_leave(body, block) {
        return Vec::new();
    }
    let mut search = Search { body, like_fields, parts: FxHashMap::default() };
    walk::block(body, block, &mut |met| match met {
        Met::Stmt(stmt) => {
            search.statement(stmt);
            true
        }
        Met::Expr(expr) => match search.part(expr) {
            Some(part) => {
                search.parts.entry(part).or_default().mentions += 1;
                false
            }
            None => true,
        },
    });
    let parts = search.parts;
    let only_joined = |of: &Part| {
        let meet = |other: &Part| of.0 == other.0 && of.1.iter().zip(&other.1).all(|(a, b)| a == b);
        let (mentions, otherwise) = parts
            .iter()
            .filter(|(part, _)| meet(part))
            .fold((0, false), |all, (_, uses)| (all.0 + uses.mentions, all.1 || uses.otherwise));
        !otherwise && mentions == parts[of].joining
    };
    let found = parts.iter().filter(|(part, _)| only_joined(part));
    let mut found: Vec<_> = found
        .filter_map(|(part, uses)| Some(Joined { local: part.0, path: part.1.clone(), fold: uses.fold? }))
        .collect();
    found.sort_by(|a, b| (a.local, &a.path).cmp(&(b.local, &b.path)));
    found
}

/// A variable, and the names of the fields that lead to a part of it.
type Part = (LocalId, Vec<Name>);

/// The uses of a part of a variable in a body.
#[derive(Default)]
struct Uses {
    /// The number of times that the body mentions the part.
    mentions: u32,
    /// The number of those where something is joined to it.
    joining: u32,
    fold: Option<Fold>,
    /// The part is defined here, or assigned something else, or joined to in two ways.
    otherwise: bool,
}

/// An expression that is a part of a variable, with something joined to it.
struct Join {
    /// The operator; `None` if nothing is joined.
    fold: Option<Fold>,
    /// The number of mentions of the part for that.
    mentions: u32,
}

struct Search<'b> {
    body: &'b Body,
    like_fields: &'b LikeFields,
    parts: FxHashMap<Part, Uses>,
}

impl Search<'_> {
    /// The part of a variable that an expression is. Several fields at once are part of what they are fields of.
    fn part(&self, expr: ExprId) -> Option<Part> {
        let (mut at, mut path) = (expr, Vec::new());
        loop {
            match &self.body.exprs[at] {
                Expr::Field(inner, name) => {
                    match self.like_fields.contains_key(&at) {
                        true => path.clear(),
                        false => path.push(name.clone()),
                    }
                    at = *inner;
                }
                Expr::Local(local) => {
                    path.reverse();
                    return Some((*local, path));
                }
                _ => return None,
            }
        }
    }

    fn statement(&mut self, stmt: StmtId) {
        match &self.body.stmts[stmt] {
            Stmt::Define(local, _) => self.parts.entry((*local, Vec::new())).or_default().otherwise = true,
            Stmt::Assign { target, op, value } => {
                let Some(part) = self.part(*target) else { return };
                let is_whole = self.is_exact(*target);
                let join = match op {
                    _ if !is_whole => None,
                    None => self.join(*value, &part),
                    Some(op) => fold_of(*op).map(|fold| Join { fold: Some(fold), mentions: 0 }),
                };
                let uses = self.parts.entry(part).or_default();
                match join.and_then(|join| Some((same(uses.fold, join.fold)?, join.mentions))) {
                    Some((fold, mentions)) => {
                        uses.fold = fold;
                        uses.joining += mentions + 1;
                    }
                    None => uses.otherwise = true,
                }
            }
            _ => {}
        }
    }

    /// Says whether no fields are taken together on the way to a part.
    fn is_exact(&self, expr: ExprId) -> bool {
        match &self.body.exprs[expr] {
            Expr::Field(inner, _) => !self.like_fields.contains_key(&expr) && self.is_exact(*inner),
            _ => true,
        }
    }

    fn join(&self, expr: ExprId, part: &Part) -> Option<Join> {
        match self.body.exprs[expr] {
            Expr::Local(_) | Expr::Field(..) if self.is_exact(expr) && self.part(expr).as_ref() == Some(part) => {
                Some(Join { fold: None, mentions: 1 })
            }
            Expr::Binary(op, a, b) => {
                let fold = fold_of(op)?;
                // Only what stands before a `-` is kept by it.
                let held = self.join(a, part).or_else(|| (op != BinOp::Sub).then(|| self.join(b, part))?)?;
                Some(Join { fold: same(held.fold, Some(fold))?, ..held })
            }
            Expr::Cond { then_value, else_value, .. } => {
                let (a, b) = (self.join(then_value, part)?, self.join(else_value, part)?);
                Some(Join { fold: same(a.fold, b.fold)?, mentions: a.mentions + b.mentions })
            }
            _ => None,
        }
    }
}

fn fold_of(op: BinOp) -> Option<Fold> {
    match op {
        // A subtracted value is added with its sign changed, which is exact.
        BinOp::Add | BinOp::Sub => Some(Fold::Add),
        BinOp::Mul => Some(Fold::Mul),
        _ => None,
    }
}

/// The way to join that two uses have in common, if they have one.
fn same(a: Option<Fold>, b: Option<Fold>) -> Option<Option<Fold>> {
    (a.is_none() || b.is_none() || a == b).then_some(a.or(b))
}

/// A `break` or `return` in a loop's body may leave the loop.
fn may_leave(body: &Body, block: &Block) -> bool {
    has_exit(body, block, &|stmt, is_own| matches!(stmt, Stmt::Break) && is_own || matches!(stmt, Stmt::Return(_)))
}

/// A `break` or `return` in a loop's body may leave the loop, or a `continue` what is left of an iteration.
pub(super) fn leaves_or_skips(body: &Body, block: &Block) -> bool {
    let skips = |stmt: &Stmt, is_own| matches!(stmt, Stmt::Continue) && is_own;
    may_leave(body, block) || has_exit(body, block, &skips)
}

/// Says whether a loop's body has a statement that is such an exit, where it is known if that is about this loop, or one inside of it.
fn has_exit(body: &Body, block: &Block, is_exit: &dyn Fn(&Stmt, bool) -> bool) -> bool {
    block.iter().any(|&stmt| match &body.stmts[stmt] {
        Stmt::If { then_block, else_block, .. } => {
            has_exit(body, then_block, is_exit) || has_exit(body, else_block, is_exit)
        }
        // A `break` in an inner loop leaves that one.
        Stmt::For { body: inner, .. } | Stmt::Foreach { body: inner, .. } | Stmt::While { body: inner, .. } => {
            has_exit(body, inner, &|stmt, _| is_exit(stmt, false))
        }
        Stmt::Broken(_, inner) => has_exit(body, inner, is_exit),
        other => is_exit(other, true),
    })
}
