//! The shape of a block after `break`, `continue` and early `return` are replaced by flags and guards.
//!
//! A region has one way out, so what stands behind a possible exit is done only if that exit was not taken. Where a
//! branch of an `if` always exits, the rest moves into the other branch, and nothing else is needed:
//!
//! ```text
//! for i in range(n):              for i in range(n):
//!     if a[i] < 0:                    if a[i] < 0:
//!         continue                        pass
//!     b[i] = a[i]                     else:
//!                                         b[i] = a[i]
//! ```
//!
//! (Where lanes run together, only if that keeps the order of what they do: one block of an `if` is run for the lanes that
//! take it, then the other for the rest of them.)
//!
//! Otherwise the exit clears a flag, and the rest stands behind a test of it. The flag of a *level* says that what
//! follows at that level is still to be done; a function's body is level 0, and each loop inside adds one. Where nothing
//! follows, no flag is cleared. A second flag says that a loop goes on.
//!
//! Of an `if` whose condition is known, by a constant or by the argument of a call, the block that is taken stands in its place: an exit in
//! the other one is none.
//!
//! The shape is worked out first, as data, so that what a part may assign to is known before it is lowered.

use std::collections::BTreeSet;

use super::Var;
use hir::{Block, Body, ExprId, Stmt, StmtId};

/// The number of nested `if`s that the rest may be moved into; behind that a flag does it.
const MAX_MOVED: u32 = 48;

/// A part of a shaped block.
#[derive(Debug)]
pub(super) enum Part {
    /// A statement without blocks, as it stands.
    Plain(StmtId),
    /// An `if` with the parts of its sides.
    If(StmtId, Vec<Part>, Vec<Part>),
    /// A loop, at its level, and its body.
    Loop(StmtId, u32, Vec<Part>),
    /// A `break`, `continue` or `return`.
    Exit(StmtId, Exit),
    /// Parts that are done only if what follows at a level is still to be done, with what they may assign to: a rest often has a rest in
    /// it, whose parts are not looked at again then.
    Rest(u32, Vec<Part>, Assigned),
    /// A line that was not understood, and its block.
    Broken(StmtId, Vec<Part>),
}

/// The flags that an exit clears.
#[derive(Debug, Default)]
pub(super) struct Exit {
    /// The levels at which nothing more is to be done.
    pub(super) live: Vec<u32>,
    /// The levels of the loops that end.
    pub(super) go: Vec<u32>,
    /// The exit gives the function's result.
    pub(super) gives: bool,
}

/// Shapes a function's body. It may be run by several lanes together, as may be the blocks of those `foreach` for which
/// `uses_lanes` says so. `known` gives the conditions whose values are known.
pub(super) fn shape(
    body: &Body,
    together: bool,
    uses_lanes: &dyn Fn(&Block) -> bool,
    known: &dyn Fn(ExprId) -> Option<bool>,
) -> Vec<Part> {
    let mut shaper = Shaper { body, uses_lanes, known, together, follows: vec![false], moved: 0 };
    shaper.block(&body.block)
}

struct Shaper<'a> {
    body: &'a Body,
    uses_lanes: &'a dyn Fn(&Block) -> bool,
    known: &'a dyn Fn(ExprId) -> Option<bool>,
    /// Lanes run together where the statement in question stands.
    together: bool,
    /// For each level, true if a statement follows there behind the one in question.
    follows: Vec<bool>,
    moved: u32,
}

impl Shaper<'_> {
    fn level(&self) -> u32 {
        self.follows.len() as u32 - 1
    }

    fn block(&mut self, stmts: &[StmtId]) -> Vec<Part> {
        let mut parts = Vec::new();
        for (n, &stmt) in stmts.iter().enumerate() {
            let rest = &stmts[n + 1..];
            if self.statement(stmt, rest, &mut parts) {
                break;
            }
        }
        parts
    }

    /// Shapes a statement; says whether the rest of its block is dealt with, too.
    fn statement(&mut self, stmt: StmtId, rest: &[StmtId], parts: &mut Vec<Part>) -> bool {
        match &self.body.stmts[stmt] {
            Stmt::Break | Stmt::Continue | Stmt::Return(_) => {
                parts.push(Part::Exit(stmt, self.exit(stmt)));
                true
            }
            Stmt::If { condition, then_block, else_block, .. } if let Some(holds) = (self.known)(*condition) => {
                let taken = if holds { then_block } else { else_block };
                parts.extend(self.block(&[&taken[..], rest].concat()));
                true
            }
            Stmt::If { then_block, else_block, .. } => {
                if self.moved < MAX_MOVED && !rest.is_empty() && self.always_exits(then_block) {
                    let moved = [&else_block[..], rest].concat();
                    parts.push(self.if_with_rest(stmt, then_block, &moved));
                    return true;
                }
                if self.moved < MAX_MOVED && !self.together && !rest.is_empty() && self.always_exits(else_block) {
                    let moved = [&then_block[..], rest].concat();
                    parts.push(self.if_with_rest(stmt, &moved, else_block));
                    return true;
                }
                let exits = self.exits(then_block) || self.exits(else_block);
                let before = self.behind(exits && !rest.is_empty());
                let (then_parts, else_parts) = (self.block(then_block), self.block(else_block));
                self.restore(before);
                parts.push(Part::If(stmt, then_parts, else_parts));
                exits && self.guarded(rest, parts)
            }
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Foreach { body, .. } => {
                let returns = self.returns(body);
                let before = self.behind(returns && !rest.is_empty());
                self.follows.push(false);
                let level = self.level();
                let outside = self.together;
                self.together |= matches!(self.body.stmts[stmt], Stmt::Foreach { .. }) && (self.uses_lanes)(body);
                let inner = self.block(body);
                self.together = outside;
                self.follows.pop();
                self.restore(before);
                parts.push(Part::Loop(stmt, level, inner));
                returns && self.guarded(rest, parts)
            }
            Stmt::Broken(_, block) => {
                let inner = self.block(block);
                parts.push(Part::Broken(stmt, inner));
                false
            }
            Stmt::Define(..) | Stmt::Assign { .. } | Stmt::Expr(_) | Stmt::Pass | Stmt::Assert(_) => {
                parts.push(Part::Plain(stmt));
                false
            }
        }
    }

    fn if_with_rest(&mut self, stmt: StmtId, then_block: &[StmtId], else_block: &[StmtId]) -> Part {
        self.moved += 1;
        let part = Part::If(stmt, self.block(then_block), self.block(else_block));
        self.moved -= 1;
        part
    }

    /// The rest of a block behind a statement that may have left it.
    fn guarded(&mut self, rest: &[StmtId], parts: &mut Vec<Part>) -> bool {
        if rest.is_empty() {
            return false;
        }
        let level = self.level();
        let rest = self.block(rest);
        let mut assigned = Assigned::new();
        collect(self.body, &rest, &mut assigned);
        parts.push(Part::Rest(level, rest, assigned));
        true
    }

    /// Marks that a statement may follow at this level from now on; returns the old mark.
    fn behind(&mut self, follows: bool) -> bool {
        let last = self.follows.last_mut().expect("a function has a level");
        std::mem::replace(last, *last || follows)
    }

    fn restore(&mut self, before: bool) {
        *self.follows.last_mut().expect("a function has a level") = before;
    }

    fn exit(&self, stmt: StmtId) -> Exit {
        let level = self.level();
        let follows = |level: &u32| self.follows[*level as usize];
        match &self.body.stmts[stmt] {
            Stmt::Continue => Exit { live: [level].into_iter().filter(follows).collect(), ..Exit::default() },
            Stmt::Break => Exit { live: [level].into_iter().filter(follows).collect(), go: vec![level], gives: false },
            _ => Exit { live: (0..=level).filter(follows).collect(), go: (1..=level).collect(), gives: true },
        }
    }

    /// The blocks of an `if` that may be taken.
    fn blocks(&self, stmt: StmtId) -> impl Iterator<Item = &Block> {
        let (known, blocks) = match &self.body.stmts[stmt] {
            Stmt::If { condition, then_block, else_block, .. } => {
                ((self.known)(*condition), [Some(then_block), Some(else_block)])
            }
            _ => (None, [None, None]),
        };
        blocks
            .into_iter()
            .flatten()
            .zip([true, false])
            .filter(move |(_, when)| known.is_none_or(|is| is == *when))
            .map(|(block, _)| block)
    }

    /// The block leaves its level on every way through.
    fn always_exits(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Break | Stmt::Continue | Stmt::Return(_) => true,
            Stmt::If { .. } => self.blocks(stmt).all(|block| self.always_exits(block)),
            _ => false,
        })
    }

    /// The block may leave its level.
    fn exits(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Break | Stmt::Continue | Stmt::Return(_) => true,
            Stmt::If { .. } => self.blocks(stmt).any(|block| self.exits(block)),
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Foreach { body, .. } => self.returns(body),
            _ => false,
        })
    }

    fn returns(&self, block: &Block) -> bool {
        block.iter().any(|&stmt| match &self.body.stmts[stmt] {
            Stmt::Return(_) => true,
            Stmt::If { .. } => self.blocks(stmt).any(|block| self.returns(block)),
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Foreach { body, .. } => self.returns(body),
            _ => false,
        })
    }
}

/// What some parts may assign to, in a fixed order, as variables of function 0.
type Assigned = BTreeSet<Var>;

/// The variables that some parts of a function may assign to, in a fixed order.
pub(super) fn assigned(body: &Body, function: u32, parts: &[Part]) -> BTreeSet<Var> {
    let mut vars = Assigned::new();
    collect(body, parts, &mut vars);
    vars.into_iter().map(|var| var.of_function(function)).collect()
}

fn collect(body: &Body, parts: &[Part], vars: &mut Assigned) {
    for part in parts {
        match part {
            Part::Plain(stmt) => {
                if let Stmt::Assign { target, .. } = &body.stmts[*stmt]
                    && let Some(local) = body.assigned_local(*target)
                {
                    vars.insert(Var::Local(0, local));
                }
            }
            Part::If(_, then_parts, else_parts) => {
                collect(body, then_parts, vars);
                collect(body, else_parts, vars);
            }
            Part::Loop(_, _, inner) | Part::Broken(_, inner) => collect(body, inner, vars),
            Part::Rest(_, _, assigned) => vars.extend(assigned),
            Part::Exit(_, exit) => {
                vars.extend(exit.live.iter().map(|&level| Var::Live(0, level)));
                vars.extend(exit.go.iter().map(|&level| Var::Go(0, level)));
                if exit.gives {
                    vars.insert(Var::Result(0));
                }
            }
        }
    }
}
