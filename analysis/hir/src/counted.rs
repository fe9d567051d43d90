//! `while` loops that count: those that are a `for` over a range, written out.
//!
//! ```text
//! while i < n:            for i in range(i, n):
//!     a[i] = 0                a[i] = 0
//!     i += 1
//! ```
//!
//! Such a loop compares a variable with a bound that does not change, and moves the variable towards it by 1, once, as one of
//! the statements of its body itself. No iteration goes on to the next one early. So the variable never gets past the bound,
//! and how many iterations there are at most is known when the loop starts; one that may be left is a `for` with a `break`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{self, Met};
use super::{BinOp, Block, Body, Expr, ExprId, Literal, LocalId, Stmt, StmtId, UnaryOp};

/// The way in which a `while` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The variable that counts.
    pub index: LocalId,
    /// The bound that it is compared with.
    pub bound: ExprId,
    /// The variable rises to the bound; else it falls.
    pub rises: bool,
    /// The ways out before that.
    pub exit: Exit,
    /// True if the condition has more parts, which are asked at the start of the body.
    pub asks: bool,
}

impl Counted {
    /// The parts of the condition: the count is in range, and then all else that it says.
    pub fn parts(&self, body: &Body, condition: ExprId) -> Vec<ExprId> {
        if self.asks { conjuncts(body, condition) } else { vec![condition] }
    }
}

/// The places at which a counting loop may be left early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The loop is never left early.
    None,
    /// The loop may be left in an iteration before its variable has changed.
    Before,
    /// The loop is only left after the variable has changed, or together with the function.
    Behind,
}

/// The way in which a `while` with this condition and body counts, if it does. It does so only if the variable is an integer, and a
/// signed one if it falls: that is for the caller to see.
///
/// If the condition says more than that (`while i < n and a[i] != 0`), the rest is a way out at the start of the body, if
/// nothing goes around the loop, as `alone` tells: it may be a search then. Lanes that each go through a loop of their own ask
/// all of it at once.
pub fn counted(body: &Body, condition: ExprId, block: &Block, alone: bool) -> Option<Counted> {
    let parts = if alone { conjuncts(body, condition) } else { vec![condition] };
    let Expr::Binary(op, a, b) = body.exprs[parts[0]] else { return None };
    let local = |expr: ExprId| match body.exprs[expr] {
        Expr::Local(local) => Some(local),
        _ => None,
    };
    let candidates = match op {
        BinOp::Lt => [(a, b, true), (b, a, false)],
        BinOp::Gt => [(a, b, false), (b, a, true)],
        _ => return None,
    };
    let sides = candidates.into_iter().filter_map(|(index, bound, rises)| Some((local(index)?, bound, rises)));
    let asks = parts.len() > 1;
    let mut found = sides.map(|(index, bound, rises)| Counted { index, bound, rises, exit: Exit::None, asks });
    found.find_map(|counted| {
        let is_step = |&stmt: &StmtId| steps(body, stmt, &counted);
        let step = block.iter().position(is_step)?;
        let once = n_assigned(body, block, counted.index) == 1;
        let exit = exit(body, block, step, asks)?;
        (once && is_fixed(body, block, counted.bound)).then_some(Counted { exit, ..counted })
    })
}

/// What is asked of a function about the loops in it, found in one walk.
#[derive(Debug, Default)]
pub struct LoopPlaces {
    /// The statements that no loop encloses.
    alone: FxHashSet<StmtId>,
    /// The number of places at which each variable is read, or named as a target.
    n_named: FxHashMap<LocalId, usize>,
}

impl LoopPlaces {
    /// The loops of a function.
    pub fn of(body: &Body) -> LoopPlaces {
        let mut found = LoopPlaces { n_named: named(body, &body.block), ..LoopPlaces::default() };
        walk::block(body, &body.block, &mut |met| match met {
            Met::Stmt(stmt) => {
                found.alone.insert(stmt);
                !matches!(body.stmts[stmt], Stmt::For { .. } | Stmt::Foreach { .. } | Stmt::While { .. })
            }
            Met::Expr(_) => false,
        });
        found
    }

    /// Says whether no loop encloses a statement.
    pub fn stands_alone(&self, stmt: StmtId) -> bool {
        self.alone.contains(&stmt)
    }

    /// Says whether a variable is named somewhere outside of a statement.
    pub fn is_named_outside(&self, body: &Body, local: LocalId, inside: StmtId) -> bool {
        let all = self.n_named.get(&local).copied().unwrap_or(0);
        all > named(body, &vec![inside]).get(&local).copied().unwrap_or(0)
    }
}

/// The number of places at which each variable is named in a block.
fn named(body: &Body, block: &Block) -> FxHashMap<LocalId, usize> {
    let mut n_named = FxHashMap::default();
    walk::block(body, block, &mut |met| {
        if let Met::Expr(expr) = met
            && let Expr::Local(local) = body.exprs[expr]
        {
            *n_named.entry(local).or_default() += 1;
        }
        true
    });
    n_named
}

/// The conditions that all have to hold for one to hold, in the order in which they are asked.
fn conjuncts(body: &Body, condition: ExprId) -> Vec<ExprId> {
    match body.exprs[condition] {
        Expr::Binary(BinOp::And, a, b) => [conjuncts(body, a), conjuncts(body, b)].concat(),
        _ => vec![condition],
    }
}

/// The ways out of a loop whose step stands here; the start of its body is one if `asks` says so. Nothing where the variable
/// may be at either of two places then, or not move at all.
fn exit(body: &Body, block: &Block, step: usize, asks: bool) -> Option<Exit> {
    let mut ways = [Ways::default(); 2];
    for (n, &stmt) in block.iter().enumerate() {
        ways[usize::from(n > step)].add(body, stmt, true);
    }
    let [mut before, behind] = ways;
    before.leaves |= asks;
    let any = |of: fn(&Ways) -> bool| of(&before) || of(&behind);
    match () {
        _ if any(|ways| ways.goes_on) || before.leaves && behind.leaves => None,
        _ if before.leaves => Some(Exit::Before),
        _ if behind.leaves || any(|ways| ways.returns) => Some(Exit::Behind),
        _ => Some(Exit::None),
    }
}

/// The statement is `i += 1`, or `i = i + 1`, or the like for what falls.
fn steps(body: &Body, stmt: StmtId, counted: &Counted) -> bool {
    let Stmt::Assign { target, op, value } = body.stmts[stmt] else { return false };
    let is_index = |expr: ExprId| matches!(body.exprs[expr], Expr::Local(local) if local == counted.index);
    let wanted = if counted.rises { BinOp::Add } else { BinOp::Sub };
    let (op, by) = match (op, &body.exprs[value]) {
        (Some(op), _) => (op, value),
        (None, &Expr::Binary(op, a, b)) if is_index(a) => (op, b),
        _ => return false,
    };
    is_index(target) && op == wanted && matches!(body.exprs[by], Expr::Literal(Literal::Int(1)))
}

/// Counts how often a variable, or a part of it, is assigned to in a block.
fn n_assigned(body: &Body, block: &Block, local: LocalId) -> usize {
    let mut n_assigned = 0;
    walk::block(body, block, &mut |met| {
        if let Met::Stmt(stmt) = met
            && let Stmt::Assign { target, .. } = body.stmts[stmt]
        {
            n_assigned += usize::from(base(body, target) == Some(local));
        }
        true
    });
    n_assigned
}

/// The variable that an assignment changes.
fn base(body: &Body, target: ExprId) -> Option<LocalId> {
    match &body.exprs[target] {
        Expr::Local(local) => Some(*local),
        Expr::Field(inner, _) => base(body, *inner),
        _ => None,
    }
}

/// The expression is equal in each iteration: it reads no array, calls nothing, and its variables stay.
fn is_fixed(body: &Body, block: &Block, expr: ExprId) -> bool {
    match &body.exprs[expr] {
        Expr::Literal(_) | Expr::Item(..) => true,
        Expr::Local(local) => n_assigned(body, block, *local) == 0,
        Expr::Unary(UnaryOp::Neg, inner) => is_fixed(body, block, *inner),
        Expr::Binary(_, a, b) => is_fixed(body, block, *a) && is_fixed(body, block, *b),
        Expr::Cast(_, args) => args.iter().all(|&arg| is_fixed(body, block, arg)),
        _ => false,
    }
}

/// The ways in which statements end an iteration early.
#[derive(Debug, Clone, Copy, Default)]
struct Ways {
    /// A `break` of the loop in question.
    leaves: bool,
    /// `continue`, or what was not understood.
    goes_on: bool,
    /// A `return` from the function.
    returns: bool,
}

impl Ways {
    /// `own`: whether a `break` in there is of the loop in question.
    fn add(&mut self, body: &Body, stmt: StmtId, own: bool) {
        match &body.stmts[stmt] {
            Stmt::Break => self.leaves |= own,
            Stmt::Continue => self.goes_on |= own,
            Stmt::Return(_) => self.returns = true,
            Stmt::Broken(..) => self.goes_on = true,
            Stmt::If { then_block, else_block, .. } => {
                then_block.iter().chain(else_block).for_each(|&inner| self.add(body, inner, own));
            }
            // A `break` or `continue` in an inner loop is about that loop.
            Stmt::For { body: inner, .. } | Stmt::Foreach { body: inner, .. } | Stmt::While { body: inner, .. } => {
                inner.iter().for_each(|&inner| self.add(body, inner, false));
            }
            _ => {}
        }
    }
}
