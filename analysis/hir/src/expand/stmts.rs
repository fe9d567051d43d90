//! The statements of a template: those that are `static` are done.

use ir::{Elem, Scalar};
use report::TextRange;

use super::{Bound, Expand};
use crate::errors;
use crate::{Block, ExprId, LocalId, Over, Range, Stmt, StmtId};

/// The limit on the statements that the `static for` of one item write.
const MAX_STATEMENTS: usize = 20_000;

/// The way on behind a statement that was copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// The next statement.
    Next,
    /// Behind the innermost loop, or to its next round, both of a `static for`.
    Break,
    Continue,
    /// Nothing that follows in the block is reached.
    Never,
}

impl Expand<'_> {
    /// Copies the statements of a block behind those that are there already.
    pub(super) fn block(&mut self, raw: &Block, out: &mut Block) -> Flow {
        self.block_in(raw, out, false)
    }

    /// As [`Self::block`]; `in_round` says that the block is one of a round of a `static for`, in no other loop or branch.
    fn block_in(&mut self, raw: &Block, out: &mut Block, in_round: bool) -> Flow {
        for &stmt in raw {
            if self.too_long {
                return Flow::Never;
            }
            let flow = match self.raw.body.statics.contains(&stmt) {
                true => self.done(stmt, out, in_round),
                false => self.copy(stmt, out, in_round),
            };
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    /// Does what a `static` statement says.
    fn done(&mut self, id: StmtId, out: &mut Block, in_round: bool) -> Flow {
        match &self.raw.body.stmts[id] {
            Stmt::If { condition, then_block, else_block, .. } => {
                let Some(holds) = self.condition(*condition, "the condition of a `static if`") else {
                    return Flow::Next;
                };
                // Names that the branch does not define are those of no round before.
                for kept in self.raw.body.kept.iter().filter(|it| it.stmt == id) {
                    self.current.remove(&kept.known_as);
                }
                let flow = self.block_in(if holds { then_block } else { else_block }, out, in_round);
                match out.last().map(|&last| &self.body.stmts[last]) {
                    Some(Stmt::Return(_)) if flow == Flow::Next => Flow::Never,
                    _ => flow,
                }
            }
            Stmt::For { index, over: Over::Range(range), body, .. } => self.rounds(id, *index, range, body, out),
            Stmt::For { over: Over::Elements(array), .. } => {
                self.not_constant(*array, "what a `static for` goes over, which is a `range`,");
                Flow::Next
            }
            Stmt::Assert(condition) => {
                if self.condition(*condition, "the condition of a `static assert`") == Some(false) {
                    let at = self.raw.map.stmts[id];
                    let values = self.values_in(*condition);
                    self.find(errors::static_assert_fails(at, &values));
                }
                Flow::Next
            }
            _ => self.copy(id, out, in_round),
        }
    }

    fn condition(&mut self, condition: ExprId, what: &str) -> Option<bool> {
        match self.constant(condition, Some(Elem::Bool), what) {
            Ok(Scalar::Bool(holds)) => Some(holds),
            Ok(_) => None,
            Err(finding) => {
                self.find(*finding);
                None
            }
        }
    }

    /// The constants that an expression names, with their values, for a message.
    fn values_in(&self, expr: ExprId) -> Vec<String> {
        let (mut found, mut left) = (Vec::new(), vec![expr]);
        while let Some(expr) = left.pop() {
            if let crate::Expr::Local(local) = self.raw.body.exprs[expr]
                && let Some(Bound::Constant(value, _)) = self.bound(local)
            {
                let text = format!("{} = {}", self.raw.body.locals[local].name, super::shown(*value));
                if !found.contains(&text) {
                    found.insert(0, text);
                }
            }
            self.raw.body.for_each_part(expr, |part| left.push(part));
        }
        found
    }

    /// Writes out the rounds of a `static for`.
    fn rounds(&mut self, id: StmtId, index: LocalId, range: &Range, body: &Block, out: &mut Block) -> Flow {
        let Some((start, stop, step)) = self.bounds(range) else { return Flow::Next };
        let mut at = start;
        while if step > 0 { at < stop } else { at > stop } {
            let Ok(value) = i64::try_from(at) else { break };
            let value = i32::try_from(value).map_or(Scalar::I64(value), Scalar::I32);
            self.bound.insert(index, Bound::Constant(value, None));
            let n_before = out.len();
            self.n_rounds += 1;
            let flow = self.block_in(body, out, true);
            self.n_rounds -= 1;
            self.n_written += 1;
            if self.n_written > MAX_STATEMENTS {
                return self.too_long(self.raw.map.stmts[id]);
            }
            let returns = |&last: &StmtId| matches!(self.body.stmts[last], Stmt::Return(_));
            if flow == Flow::Never || out.len() > n_before && out.last().is_some_and(returns) {
                return Flow::Never;
            }
            if flow == Flow::Break {
                break;
            }
            at += step;
        }
        Flow::Next
    }

    /// Ends a `static for` that writes out too much, and those around it; that is said of the innermost.
    fn too_long(&mut self, at: TextRange) -> Flow {
        if !std::mem::replace(&mut self.too_long, true) {
            self.find(errors::static_too_long(at, MAX_STATEMENTS));
        }
        if self.n_rounds > 0 {
            return Flow::Never;
        }
        (self.too_long, self.n_written) = (false, 0);
        Flow::Next
    }

    /// The start, the end and the step of a range.
    fn bounds(&mut self, range: &Range) -> Option<(i128, i128, i128)> {
        let mut part = |part: Option<ExprId>, default: i128| {
            let Some(expr) = part else { return Some(default) };
            let at = self.raw.map.exprs[expr];
            match self.constant(expr, None, "the range of a `static for`") {
                Ok(value) => value.wide().or_else(|| {
                    self.not_static(at, "the range of a `static for`, in integers,");
                    None
                }),
                Err(finding) => {
                    self.find(*finding);
                    None
                }
            }
        };
        let (start, stop, step) = (part(range.start, 0)?, part(Some(range.stop), 0)?, part(range.step, 1)?);
        if step == 0 {
            let at = range.step.map_or(self.raw.map.exprs[range.stop], |step| self.raw.map.exprs[step]);
            self.find(errors::zero_step(at));
            return None;
        }
        Some((start, stop, step))
    }

    /// A block of its own; one of which nothing is left does nothing.
    pub(super) fn inner(&mut self, raw: &Block) -> Block {
        let mut out = Block::new();
        self.block(raw, &mut out);
        if let (Some(&first), []) = (raw.first(), &out[..]) {
            out.push(self.statement_at(Stmt::Pass, self.raw.map.stmts[first]));
        }
        out
    }

    /// Copies a statement that is not `static`.
    fn copy(&mut self, id: StmtId, out: &mut Block, in_round: bool) -> Flow {
        let at = self.raw.map.stmts[id];
        self.n_written += 1;
        if self.n_written > MAX_STATEMENTS && self.n_rounds > 0 {
            return Flow::Never;
        }
        match &self.raw.body.stmts[id] {
            Stmt::Break if in_round => return Flow::Break,
            Stmt::Continue if in_round => return Flow::Continue,
            stmt @ (Stmt::Break | Stmt::Continue) if self.leaves_round(id) => {
                let word = if *stmt == Stmt::Break { "break" } else { "continue" };
                self.find(errors::static_leaves(at, word));
                return Flow::Next;
            }
            _ => {}
        }
        // The place in the arena is taken first, so that statements are numbered in the order of the text.
        let copy = self.statement_at(Stmt::Pass, at);
        if let Some(number) = self.raw.map.loops.iter().position(|header| header.stmt == id) {
            self.loops.push((number, crate::LoopHeader { stmt: copy, ..self.raw.map.loops[number] }));
        }
        let words = self.raw.map.if_words.iter().find(|(stmt, _)| *stmt == id).map(|(_, at)| (copy, *at));
        self.map.if_words.extend(words);
        let stmt = self.copied_stmt(id);
        self.body.stmts[copy] = stmt;
        out.push(copy);
        Flow::Next
    }

    fn copied_stmt(&mut self, id: StmtId) -> Stmt {
        match &self.raw.body.stmts[id] {
            Stmt::Broken(exprs, block) => {
                let exprs = exprs.iter().map(|&expr| self.expr(expr)).collect();
                Stmt::Broken(exprs, self.inner(block))
            }
            Stmt::Define(local, value) => {
                let value = self.expr(*value);
                Stmt::Define(self.define(*local), value)
            }
            Stmt::Assign { target, op, value } => {
                let value = self.expr(*value);
                Stmt::Assign { target: self.expr(*target), op: *op, value }
            }
            Stmt::Expr(value) => Stmt::Expr(self.expr(*value)),
            Stmt::For { index, over, body, coherent, attrs } => {
                let attrs = self.attrs(attrs);
                let over = match over {
                    Over::Range(range) => Over::Range(self.range(range)),
                    Over::Elements(array) => Over::Elements(self.expr(*array)),
                };
                let index = self.define(*index);
                Stmt::For { index, over, body: self.inner(body), coherent: *coherent, attrs }
            }
            Stmt::Foreach { indices, body, attrs } => {
                let attrs = self.attrs(attrs);
                let ranges: Vec<_> = indices.iter().map(|(_, range)| self.range(range)).collect();
                let indices = indices.iter().zip(ranges).map(|((index, _), range)| (self.define(*index), range));
                let indices = indices.collect();
                Stmt::Foreach { indices, body: self.inner(body), attrs }
            }
            Stmt::While { condition, body, coherent, attrs } => {
                let attrs = self.attrs(attrs);
                let condition = self.expr(*condition);
                Stmt::While { condition, body: self.inner(body), coherent: *coherent, attrs }
            }
            Stmt::If { condition, then_block, else_block, coherent } => {
                let condition = self.expr(*condition);
                let then_block = self.inner(then_block);
                let else_block = self.inner(else_block);
                Stmt::If { condition, then_block, else_block, coherent: *coherent }
            }
            Stmt::Return(value) => Stmt::Return(value.map(|value| self.expr(value))),
            Stmt::Assert(condition) => Stmt::Assert(self.expr(*condition)),
            same @ (Stmt::Break | Stmt::Continue | Stmt::Pass) => same.clone(),
        }
    }

    /// A `break` or `continue` under a condition of run time, whose innermost loop is a `static for`.
    fn leaves_round(&self, id: StmtId) -> bool {
        let at = self.raw.map.stmts[id];
        let mut innermost: Option<(TextRange, bool)> = None;
        for (stmt, data) in self.raw.body.stmts.iter() {
            let is_loop = matches!(data, Stmt::For { .. } | Stmt::Foreach { .. } | Stmt::While { .. });
            let around = self.raw.map.stmts[stmt];
            let inner = innermost.is_none_or(|(known, _)| known.contains_range(around));
            if is_loop && around.contains_range(at) && inner {
                innermost = Some((around, self.raw.body.statics.contains(&stmt)));
            }
        }
        innermost.is_some_and(|(_, is_static)| is_static)
    }
}
