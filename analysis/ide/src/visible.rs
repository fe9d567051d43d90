//! The names in scope at a place of an item: the locals that are defined above it in the blocks around it.

use report::TextSize;

use hir::{Block, Body, BodyMap, Expr, LocalId, LocalKind, Stmt, StmtId};

/// The locals and loops around a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visible {
    /// The locals that can be named, outermost first; of two with one name, only the inner.
    pub locals: Vec<LocalId>,
    /// The kind of the innermost loop around the place.
    pub innermost: Option<LoopKind>,
    /// True if any of the loops around the place is a `foreach`.
    pub in_foreach: bool,
}

/// The kind of a loop: whether its iterations are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// A `for` or `while` loop, whose iterations run in order.
    Ordered,
    /// A `foreach` loop, whose iterations are the lanes.
    Foreach,
}

/// Returns the locals in scope at a place of the dense text, and the loops around it.
pub fn visible(body: &Body, map: &BodyMap, at: TextSize) -> Visible {
    let mut walk = Walk { body, map, at, out: Visible::default() };
    let fixed = |kind| matches!(kind, LocalKind::Param | LocalKind::Size);
    let sizes_and_params = body.locals.iter().filter(|(_, local)| fixed(local.kind));
    walk.out.locals.extend(sizes_and_params.map(|(id, _)| id));
    walk.out.locals.extend(body.generics.iter().map(|generic| generic.local));
    walk.block(&body.block);
    walk.lambdas();
    walk.keep_innermost();
    walk.out
}

struct Walk<'a> {
    body: &'a Body,
    map: &'a BodyMap,
    at: TextSize,
    out: Visible,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for &stmt in block {
            let range = self.map.stmts[stmt];
            if range.start() > self.at {
                break;
            }
            if range.end() > self.at {
                self.inside(stmt);
                break;
            }
            self.behind(stmt);
        }
    }

    /// Adds the local that a statement above the place defines.
    fn behind(&mut self, stmt: StmtId) {
        if let Stmt::Define(local, _) = &self.body.stmts[stmt] {
            self.out.locals.push(*local);
        }
    }

    fn inside(&mut self, stmt: StmtId) {
        match &self.body.stmts[stmt] {
            Stmt::For { index, body, .. } => self.loop_body(LoopKind::Ordered, &[*index], body),
            Stmt::Foreach { indices, body, .. } => {
                let indices: Vec<_> = indices.iter().map(|&(index, _)| index).collect();
                self.loop_body(LoopKind::Foreach, &indices, body);
            }
            Stmt::While { body, .. } => self.loop_body(LoopKind::Ordered, &[], body),
            Stmt::If { then_block, else_block, .. } => {
                let block = if self.reaches(else_block) { else_block } else { then_block };
                self.block(block);
            }
            Stmt::Broken(_, block) => self.block(block),
            _ => {}
        }
    }

    fn loop_body(&mut self, kind: LoopKind, indices: &[LocalId], body: &Block) {
        // A loop's range does not see its index.
        if !self.reaches(body) {
            return;
        }
        self.out.innermost = Some(kind);
        self.out.in_foreach |= kind == LoopKind::Foreach;
        self.out.locals.extend(indices);
        self.block(body);
    }

    /// Tells if the block starts before the place: the place is in the block, or behind it.
    fn reaches(&self, block: &Block) -> bool {
        block.first().is_some_and(|&first| self.map.stmts[first].start() <= self.at)
    }

    /// The parameters of the lambdas in whose bodies the place is.
    fn lambdas(&mut self) {
        let around = self.body.exprs.iter().filter_map(|(_, expr)| match expr {
            Expr::Lambda(params, body) if self.map.exprs[*body].contains_inclusive(self.at) => Some((params, *body)),
            _ => None,
        });
        let mut around: Vec<_> = around.collect();
        around.sort_by_key(|&(_, body)| self.map.exprs[body].start());
        self.out.locals.extend(around.into_iter().flat_map(|(params, _)| params));
    }

    fn keep_innermost(&mut self) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut kept: Vec<_> = std::mem::take(&mut self.out.locals);
        kept.reverse();
        kept.retain(|&local| {
            let name = &self.body.locals[local].name;
            !name.is_empty() && seen.insert(name.clone())
        });
        kept.reverse();
        self.out.locals = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::Located;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let located = Located::at(&fixture.db, fixture.file, fixture.offset()).expect("an item");
        let token = located.token(fixture.offset()).expect("a token");
        let at = located.dense(&fixture.db, &token).expect("a token that means something").start();
        let lowered = queries::lowered(&fixture.db, located.item);
        let visible = visible(&lowered.body, &lowered.map, at);
        let names: Vec<_> = visible.locals.iter().map(|&local| &*lowered.body.locals[local].name).collect();
        expected.assert_eq(&format!("{} {:?} {}", names.join(" "), visible.innermost, visible.in_foreach));
    }

    #[test]
    fn a_block_s_names_end_with_it() {
        check(
            "kernel k(a, n):\n    x = 1\n    for i in range(n):\n        y = 2\n    z = 3\n    a[0] = $0x\n    w = 4\n",
            expect!["a n x z None false"],
        );
    }

    #[test]
    fn inside_a_loop_its_index_is_there() {
        check(
            "kernel k(a, n):\n    for i in range(n):\n        y = 2\n        a[i] = $0y\n",
            expect!["a n i y Some(Ordered) false"],
        );
        check("kernel k(a, n):\n    for i in range($0n):\n        a[i] = 1\n", expect!["a n None false"]);
    }

    #[test]
    fn a_definition_does_not_see_itself() {
        check("kernel k(a, n):\n    x = $0n\n", expect!["a n None false"]);
    }

    #[test]
    fn branches_see_what_stands_above_them_alone() {
        check(
            "kernel k(a, c: bool):\n    if c:\n        x = 1\n    elif not c:\n        y = 2\n        a[0] = $0y\n    else:\n        z = 3\n",
            expect!["a c y None false"],
        );
        check(
            "kernel k(a, c: bool):\n    if c:\n        x = 1\n    else:\n        z = 3\n        a[0] = $0z\n",
            expect!["a c z None false"],
        );
        check(
            "kernel k(a, c: bool):\n    if c:\n        x = 1\n        a[0] = $0x\n    else:\n        z = 3\n",
            expect!["a c x None false"],
        );
    }

    #[test]
    fn lambdas_see_their_parameters_and_the_inner_of_two_names_wins() {
        check(
            "fn f(x, a: f32[k]):\n    return map(\\x y -> map(\\z -> $0z, a), a, a)\n",
            expect!["a k x y z None false"],
        );
    }

    #[test]
    fn loops_around_are_known() {
        check(
            "kernel k(a, n):\n    foreach i in range(n), j in range(n):\n        while true:\n            a[i, j] = $0i\n",
            expect!["a n i j Some(Ordered) true"],
        );
    }
}
