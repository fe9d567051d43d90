//! Cells that run on: an array of which each iteration of a `for` computes the next cell from the one before, or from the two before.
//!
//! ```text
//! for i in range(2, n):
//!     y[i] = b * x[i] - a1 * y[i - 1] - a2 * y[i - 2]
//! ```
//!
//! The cells before are then known without a look at the array, but for those in front of the first iteration.

use rustc_hash::FxHashSet;

use super::{changed, root};
use crate::builtins::AttributeId;
use crate::walk::{self, Met};
use crate::{BinOp, Block, Body, Expr, ExprId, Literal, LocalId, Over, Range, Stmt, StmtId, Subscript};

/// The cells of an array that run on through a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningCells {
    /// The array.
    pub array: LocalId,
    /// The cell that an iteration assigns.
    pub target: ExprId,
    /// The expressions that read a cell before that one, and how many cells before: 1 or 2.
    pub before: Vec<(ExprId, usize)>,
    /// How many cells before other statements read: 0, 1 or 2.
    pub n_seen: usize,
}

/// An array whose cells may run on.
pub(super) struct CellsOfLoop {
    pub(super) cells: RunningCells,
    /// The statement that assigns them.
    pub(super) stmt: StmtId,
    /// The reads of the cell itself, which has its old value up to that statement.
    pub(super) own: Vec<ExprId>,
    /// The reads of cells behind it, which have their old values all along.
    pub(super) ahead: Vec<ExprId>,
}

impl CellsOfLoop {
    /// The number of values that run on: as many as there are cells before which are read.
    pub(super) fn n_values(&self) -> usize {
        self.cells.before.iter().map(|&(_, back)| back).max().unwrap_or(1)
    }
}

/// The index of a `for` that counts up by 1.
fn counted(body: &Body, stmt: StmtId) -> Option<LocalId> {
    let Stmt::For { index, over: Over::Range(Range { step, .. }), .. } = &body.stmts[stmt] else { return None };
    let is_one = |step: ExprId| body.exprs[step] == Expr::Literal(Literal::Int(1));
    step.is_none_or(is_one).then_some(*index)
}

/// The array whose cells run on through a loop, of those that it stores to. Nothing is called, and all other stores are to arrays apart
/// from that one, so that no other name of the array, and no other array, has a part in it.
pub(super) fn of_loop(body: &Body, stmt: StmtId, block: &Block, is_entry: bool) -> Option<CellsOfLoop> {
    let index = counted(body, stmt)?;
    let stores = stores(body, block)?;
    let is_apart = |array: LocalId| {
        let is_param = |local: &LocalId| body.params.contains(local) && is_entry && !is_aliased(body);
        let others = stores.iter().map(|(_, root)| root);
        others.clone().filter(|root| **root == Some(array)).count() == 1
            && (stores.len() == 1 || is_param(&array) && others.flatten().all(is_param))
            && stores.iter().all(|(_, root)| root.is_some())
    };
    let own_of_block = stores.iter().filter(|(store, root)| block.contains(store) && root.is_some_and(is_apart));
    own_of_block.into_iter().find_map(|&(own, _)| of_store(body, (block, index), own))
}

/// The array whose cells run on by a statement.
fn of_store(body: &Body, (block, index): (&Block, LocalId), own: StmtId) -> Option<CellsOfLoop> {
    let Stmt::Assign { target, .. } = body.stmts[own] else { return None };
    let (array, subscripts) = accessed(body, target)?;
    let (dimension, offset) = moving(body, index, &subscripts)?;
    let mut assigned: FxHashSet<LocalId> = FxHashSet::from_iter([index]);
    changed(body, block, &mut |local, _| {
        assigned.insert(local);
    });
    assigned.remove(&array);
    let mut found = CellsOfLoop {
        cells: RunningCells { array, target, before: Vec::new(), n_seen: 0 },
        stmt: own,
        own: Vec::new(),
        ahead: Vec::new(),
    };
    let (mut n_mentions, mut n_accesses, mut fits) = (0, 0, true);
    walk::block(body, block, &mut |met| {
        let Met::Expr(expr) = met else { return true };
        n_mentions += usize::from(body.exprs[expr] == Expr::Local(array));
        let Some((_, others)) = accessed(body, expr).filter(|(of, _)| *of == array) else { return true };
        n_accesses += 1;
        let is_alike =
            |number: usize| number == dimension || is_same(body, &assigned, subscripts[number], others[number]);
        let back = (others.len() == subscripts.len() && (0..others.len()).all(is_alike))
            .then(|| at_offset(body, index, others[dimension]))
            .flatten()
            .and_then(|other| offset.checked_sub(other));
        match back {
            _ if expr == target => {}
            Some(back @ (1 | 2)) => found.cells.before.push((expr, back as usize)),
            Some(0) => found.own.push(expr),
            Some(..0) => found.ahead.push(expr),
            _ => fits = false,
        }
        true
    });
    let mut seen = found.cells.before.clone();
    walk::block(body, &vec![own], &mut |met| {
        if let Met::Expr(expr) = met {
            seen.retain(|(read, _)| *read != expr);
        }
        true
    });
    found.cells.n_seen = seen.iter().map(|&(_, back)| back).max().unwrap_or(0);
    let reads = |back: usize| found.cells.before.iter().any(|&(_, other)| other == back);
    (fits && n_mentions == n_accesses && reads(1)).then_some(found)
}

/// The statements of a block, and of those inside, that store to arrays, each with the array's local; `None` if something may be called
/// for its effect.
fn stores(body: &Body, block: &Block) -> Option<Vec<(StmtId, Option<LocalId>)>> {
    let mut stores = Vec::new();
    let mut is_plain = true;
    walk::block(body, block, &mut |met| {
        match met {
            Met::Stmt(stmt) => match &body.stmts[stmt] {
                Stmt::Assign { target, .. } if matches!(body.exprs[*target], Expr::Local(_)) => {}
                Stmt::Assign { target, .. } => stores.push((stmt, root(body, *target))),
                Stmt::Expr(_) | Stmt::Broken(..) => is_plain = false,
                _ => {}
            },
            Met::Expr(_) => {}
        }
        true
    });
    is_plain.then_some(stores)
}

/// Says whether parameters of an item may be one array.
fn is_aliased(body: &Body) -> bool {
    body.attrs.iter().any(|attr| attr.id == AttributeId::Alias)
}

/// The array and the subscripts of a cell: `a[j, i]`.
fn accessed(body: &Body, expr: ExprId) -> Option<(LocalId, Vec<ExprId>)> {
    let Expr::Index(base, subscripts) = &body.exprs[expr] else { return None };
    let Expr::Local(array) = body.exprs[*base] else { return None };
    let at = |subscript: &Subscript| match subscript {
        Subscript::At(expr) => Some(*expr),
        _ => None,
    };
    Some((array, subscripts.iter().map(at).collect::<Option<_>>()?))
}

/// The only dimension along which a cell moves with an index, and its distance from that.
fn moving(body: &Body, index: LocalId, subscripts: &[ExprId]) -> Option<(usize, i128)> {
    let mut offsets =
        subscripts.iter().enumerate().filter_map(|(number, &it)| Some((number, at_offset(body, index, it)?)));
    let found = offsets.next()?;
    offsets.next().is_none().then_some(found)
}

/// The number that a subscript adds to an index: 1 in `i + 1`.
fn at_offset(body: &Body, index: LocalId, subscript: ExprId) -> Option<i128> {
    let number = |expr: ExprId| match body.exprs[expr] {
        Expr::Literal(Literal::Int(number)) => i128::try_from(number).ok(),
        _ => None,
    };
    let is_index = |expr: ExprId| body.exprs[expr] == Expr::Local(index);
    match body.exprs[subscript] {
        Expr::Local(local) if local == index => Some(0),
        Expr::Binary(BinOp::Add, a, b) if is_index(a) => number(b),
        Expr::Binary(BinOp::Add, a, b) if is_index(b) => number(a),
        Expr::Binary(BinOp::Sub, a, b) if is_index(a) => number(b).map(|number| -number),
        _ => None,
    }
}

/// Says whether two subscripts are written alike, of what no iteration changes.
fn is_same(body: &Body, assigned: &FxHashSet<LocalId>, a: ExprId, b: ExprId) -> bool {
    match (&body.exprs[a], &body.exprs[b]) {
        (Expr::Local(a), Expr::Local(b)) => a == b && !assigned.contains(a),
        (Expr::Literal(a), Expr::Literal(b)) => a == b,
        (&Expr::Unary(op, a), &Expr::Unary(other, b)) => op == other && is_same(body, assigned, a, b),
        (&Expr::Binary(op, a, c), &Expr::Binary(other, b, d)) => {
            op == other && is_same(body, assigned, a, b) && is_same(body, assigned, c, d)
        }
        _ => false,
    }
}
