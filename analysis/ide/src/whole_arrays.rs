//! A loop over cells written as assignments to whole parts of arrays, as Fortran has them, and such an assignment written as a loop.
//!
//! Both are offered where they come to the same. One whole assignment is done after the other, so what two iterations need of each other has to
//! go from an earlier statement to a later one, and statements change places for that; within one statement all cells are read before any is
//! stored.

use lane::tree::ast::{self, AstNode};
use lane::whole_arrays::{LoopOverCells, WholeAssignment, loop_over_cells, whole_assignment};
use report::lanes::DependenceKind;
use report::{ItemKind, TextEdit, TextRange, TextSize};

use super::Located;
use super::explain::explain_item;
use queries::check::item_diagnostics;
use queries::db::File;

/// Another way to write a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The title, as an imperative.
    pub title: &'static str,
    /// The edits that do it.
    pub edits: Vec<TextEdit>,
}

/// The other ways to write the statement at a place; none while its item has errors.
pub fn rewrites(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<Rewrite> {
    let Some(located) = Located::at(db, file, offset).filter(|it| it.item.kind(db) == ItemKind::Kernel) else {
        return Vec::new();
    };
    let has_errors =
        || item_diagnostics(db, located.item, located.start).iter().any(|it| it.severity == report::Severity::Error);
    let at = offset - located.start;
    let around = located.root.token_at_offset(at).right_biased().into_iter().flat_map(|token| token.parent_ancestors());
    // Of what stands around the place the innermost statement counts.
    let statement = around.into_iter().find_map(|node| {
        let as_loop = || {
            let statement = ast::AssignStmt::cast(node.clone())?;
            let found = whole_assignment(&statement, &located.root)?;
            Some(Found::Whole(found))
        };
        let as_arrays = || Some(Found::Loop(loop_over_cells(&ast::ForStmt::cast(node.clone())?)?));
        as_loop().or_else(as_arrays)
    });
    let rewrite = match statement {
        Some(Found::Loop(found)) if !has_errors() => located.order(db, &found).map(|order| {
            let assignments: Vec<String> = order.into_iter().map(|number| found.assignments[number].clone()).collect();
            Rewrite {
                title: "write the loop as whole arrays",
                edits: vec![located.replaced(db, found.range, &assignments, "")],
            }
        }),
        Some(Found::Whole(found)) if !has_errors() && located.has_scalars(db, &found) => Some(Rewrite {
            title: "write the assignment as a loop",
            edits: vec![located.replaced(db, found.range, &found.text, "    ")],
        }),
        _ => None,
    };
    rewrite.into_iter().collect()
}

enum Found {
    Loop(LoopOverCells),
    Whole(WholeAssignment),
}

impl<'db> Located<'db> {
    /// An order in which a loop's statements can be done one after the other, each for all cells.
    fn order(&self, db: &'db dyn salsa::Database, found: &LoopOverCells) -> Option<Vec<usize>> {
        let header = found.header + self.start;
        let explained = explain_item(db, self.item).filter(|_| !self.may_alias())?;
        let known = explained.loops.iter().find(|it| it.function.is_none() && header.contains_range(it.range))?;
        let number = |at: TextRange| found.statements.iter().position(|own| (*own + self.start).contains_range(at));
        let mut earlier: Vec<Vec<usize>> = vec![Vec::new(); found.statements.len()];
        for met in &known.dependences {
            let (source, sink) = (number(met.source.range)?, number(met.sink.range)?);
            match source == sink {
                // A statement reads all cells before it stores the first.
                true if met.is_carried && met.kind != DependenceKind::Anti => return None,
                true => {}
                false => earlier[sink].push(source),
            }
        }
        let mut order: Vec<usize> = Vec::new();
        while order.len() < earlier.len() {
            let is_next =
                |number: &usize| !order.contains(number) && earlier[*number].iter().all(|it| order.contains(it));
            order.push((0..earlier.len()).find(is_next)?);
        }
        Some(order)
    }

    /// Says whether all names that an assignment uses as they are stand for scalars.
    fn has_scalars(&self, db: &'db dyn salsa::Database, found: &WholeAssignment) -> bool {
        let (lowered, inference) = (queries::lowered(db, self.item), queries::infer(db, self.item));
        let is_scalar = |at: TextRange| {
            let of_place = lowered.map.exprs.iter().find(|(_, dense)| self.range(db, **dense) == at + self.start);
            of_place.and_then(|(id, _)| inference.exprs.get(id)?.scalar()).is_some()
        };
        !self.may_alias() && found.scalars.iter().all(|&at| is_scalar(at))
    }

    /// Says whether the kernel's arrays may overlap.
    pub(crate) fn may_alias(&self) -> bool {
        self.root
            .descendants()
            .filter_map(ast::Attr::cast)
            .any(|attr| attr.syntax().text().to_string().contains("alias"))
    }

    /// The edit that puts lines in the place of a statement, those behind the first one further in.
    pub(crate) fn replaced(
        &self,
        db: &'db dyn salsa::Database,
        range: TextRange,
        lines: &[String],
        further: &str,
    ) -> TextEdit {
        let range = range + self.start;
        let text = self.item.file(db).text(db);
        let line = text[..range.start().into()].rfind('\n').map_or(0, |at| at + 1);
        let indent: String = text[line..].chars().take_while(|it| it.is_whitespace() && *it != '\n').collect();
        TextEdit { range, text: lines.join(&format!("\n{indent}{further}")) }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use report::apply_edits;

    use super::rewrites;
    use crate::fixture::Fixture;

    /// The program with the statement at the cursor written in the other way.
    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let found = rewrites(&fixture.db, fixture.file, fixture.offset());
        let shown = found.iter().map(|rewrite| apply_edits(&fixture.text, &rewrite.edits));
        expect.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn a_loop_is_written_as_whole_arrays_and_back() {
        check(
            "kernel add(a: f32[30], b: f32[30], c: f32[30]):\n    for i$0 in range(30):\n        a[i] = b[i] + c[i]\n",
            expect![[r#"
                kernel add(a: f32[30], b: f32[30], c: f32[30]):
                    a[0:30] = b[0:30] + c[0:30]
            "#]],
        );
        check(
            "kernel add(a: f32[30], b: f32[30], c: f32[30]):\n    a[0:30] =$0 b[0:30] + c[0:30]\n",
            expect![[r#"
            kernel add(a: f32[30], b: f32[30], c: f32[30]):
                for i in range(30):
                    a[i] = b[i] + c[i]
        "#]],
        );
    }

    #[test]
    fn statements_are_done_one_after_the_other_where_iterations_allow_it() {
        // What the second statement writes the first one reads in the next iteration.
        check(
            "kernel chained(a: f32[30], b: f32[30], c: f32[30]):\n    for i$0 in range(1, 29):\n        a[i] = b[i - 1] + c[i]\n        b[i] = a[i] * 2.0\n",
            expect![[r#""#]],
        );
        // Without that they change places, or have them already.
        check(
            "kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):\n    for i$0 in range(1, 29):\n        a[i] = b[i - 1] + c[i]\n        b[i] = c[i] * 2.0\n",
            expect![[r#"
                kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                    b[1:29] = c[1:29] * 2.0
                    a[1:29] = b[0:28] + c[1:29]
            "#]],
        );
        check(
            "kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):\n    for i$0 in range(1, 29):\n        b[i] = c[i] * 2.0\n        a[i] = b[i - 1] + c[i]\n",
            expect![[r#"
                kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                    b[1:29] = c[1:29] * 2.0
                    a[1:29] = b[0:28] + c[1:29]
            "#]],
        );
        // A sum of neighbours that the loop has changed already.
        check(
            "kernel sums(a: f32[n], n: i32):\n    for i$0 in range(1, n):\n        a[i] = a[i] + a[i - 1]\n",
            expect![[r#""#]],
        );
        // Neighbours that it has not.
        check(
            "kernel smooth(a: f32[n], n: i32):\n    for i$0 in range(n - 1):\n        a[i] = a[i] + a[i + 1]\n",
            expect![[r#"
                kernel smooth(a: f32[n], n: i32):
                    a[0:n - 1] = a[0:n - 1] + a[1:n]
            "#]],
        );
        check(
            "@alias(a, b)\nkernel copy(a: f32[n], b: f32[n], n: i32):\n    for i$0 in range(n):\n        a[i] = b[i]\n",
            expect![[r#""#]],
        );
    }

    #[test]
    fn only_scalars_are_used_as_they_are() {
        check(
            "kernel k(a: f32[n], b: f32[n], n: i32, s: f32):\n    a[1:n] = b[1:n] * s$0\n",
            expect![[r#"
            kernel k(a: f32[n], b: f32[n], n: i32, s: f32):
                for i in range(1, n):
                    a[i] = b[i] * s
        "#]],
        );
        check("kernel k(a: f32[n], b: f32[n], n: i32):\n    a[0:n] = b$0 * 2.0\n", expect![[r#""#]]);
    }
}
