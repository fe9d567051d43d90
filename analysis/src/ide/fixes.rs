//! The ways out of findings, each tried before it is offered.
//!
//! A fix is applied to a copy of the file, and what it touched is analysed again. It is offered when the finding is gone then;
//! what is still wrong there is part of the offer, so that nobody is promised more than happens.

use std::sync::Arc;

use syntax::{Diagnostic, Fix, Severity, TextEdit, TextRange, TextSize, apply_edits, cut};

use super::hints::write_types_edits;
use crate::check::item_diagnostics;
use crate::db::{Database, File, cut_file};

/// A change that was tried and does what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedFix {
    /// What it lifts.
    pub diagnostic: Diagnostic,
    /// What it does, and what remains.
    pub title: String,
    /// The change.
    pub edits: Vec<TextEdit>,
    /// Whether it is the surest way out.
    pub preferred: bool,
}

/// A place with more findings than this is not about any one of them.
const MOST: usize = 32;

/// The fixes of what is found in a range, in order.
pub fn fixes(db: &dyn salsa::Database, file: File, range: TextRange) -> Vec<TriedFix> {
    let mut tried = Vec::new();
    for diagnostic in diagnostics_in(db, file, range).into_iter().take(MOST) {
        for (n, fix) in diagnostic.fixes.iter().enumerate() {
            db.unwind_if_revision_cancelled();
            if let Some(title) = try_fix(db, file, &diagnostic, fix) {
                let edits = fix.edits.clone();
                tried.push(TriedFix { diagnostic: diagnostic.clone(), title, edits, preferred: n == 0 });
            }
        }
    }
    tried
}

/// The edits that write down the types that the item at a place leaves out, if the item is then as right as before.
pub fn write_types(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextEdit> {
    let edits = write_types_edits(db, file, offset);
    let Outcome { before, after } = attempt(db, file, &edits);
    if !edits.is_empty() && count_errors(&after) <= count_errors(&before) { edits } else { Vec::new() }
}

/// What is found in a range; of an empty one, what it touches.
pub fn diagnostics_in(db: &dyn salsa::Database, file: File, range: TextRange) -> Vec<Diagnostic> {
    let cut = cut_file(db, file);
    let first = cut.starts.partition_point(|&start| start <= range.start()).saturating_sub(1);
    let items = cut.items.iter().zip(&cut.starts).skip(first).take_while(|(_, start)| **start <= range.end());
    let found = items.flat_map(|(&item, &start)| item_diagnostics(db, item, start));
    found.filter(|found| found.range.intersect(range).is_some()).collect()
}

/// The fix's title with what remains, if it lifts the finding.
fn try_fix(db: &dyn salsa::Database, file: File, diagnostic: &Diagnostic, fix: &Fix) -> Option<String> {
    let Outcome { before, after } = attempt(db, file, &fix.edits);
    let alike = |found: &&Diagnostic| found.code == diagnostic.code && found.message == diagnostic.message;
    let lifts = after.iter().filter(alike).count() < before.iter().filter(alike).count();
    lifts.then(|| match count_errors(&after) {
        // A warning is lifted for its own sake; that there are errors elsewhere is nothing new.
        0 => fix.title.clone(),
        _ if diagnostic.severity != Severity::Error => fix.title.clone(),
        1 => format!("{} (1 error remains here)", fix.title),
        n => format!("{} ({n} errors remain here)", fix.title),
    })
}

fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
}

/// What is wrong with the items that a change touches, before and after.
struct Outcome {
    before: Vec<Diagnostic>,
    after: Vec<Diagnostic>,
}

fn attempt(db: &dyn salsa::Database, file: File, edits: &[TextEdit]) -> Outcome {
    let text = file.text(db);
    let changed = apply_edits(text, edits);
    let (front, back) = same_items(text, &changed);
    let scratch = Database::default();
    let before = middle_diagnostics(db, file, front, back);
    // The copy has a database of its own. To ask that one in the midst of a question to the other has to be said.
    let after = salsa::attach_allow_change(&scratch, || {
        let file = File::new(&scratch, Arc::from(changed));
        middle_diagnostics(&scratch, file, front, back)
    });
    Outcome { before, after }
}

/// How many items at the start and at the end have the same text in both.
fn same_items(before: &str, after: &str) -> (usize, usize) {
    let (before, after) = (cut(before), cut(after));
    let same = |pair: &(&syntax::ItemCut<'_>, &syntax::ItemCut<'_>)| pair.0.text == pair.1.text;
    let front = before.iter().zip(&after).take_while(same).count();
    let rest = before.len().min(after.len()) - front;
    let back = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(same).count();
    (front, back)
}

fn middle_diagnostics(db: &dyn salsa::Database, file: File, front: usize, back: usize) -> Vec<Diagnostic> {
    let cut = cut_file(db, file);
    let middle = front..cut.items.len() - back;
    let items = cut.items[middle.clone()].iter().zip(&cut.starts[middle]);
    items.flat_map(|(&item, &start)| item_diagnostics(db, item, start)).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::ide::fixture::Fixture;

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let tried = fixes(&fixture.db, fixture.file, fixture.range());
        let show = |tried: TriedFix| {
            let preferred = if tried.preferred { "" } else { "or " };
            format!(
                "{}: {preferred}{}\n{}",
                tried.diagnostic.code,
                tried.title,
                apply_edits(&fixture.text, &tried.edits)
            )
        };
        expected.assert_eq(&tried.into_iter().map(show).collect::<String>());
    }

    #[test]
    fn what_remains_is_said() {
        check(
            "kernel k(a: f32[n], n: i32)«»\n    a[0] = 1\n",
            expect![[r#"
            expected-colon: write `:`
            kernel k(a: f32[n], n: i32):
                a[0] = 1
        "#]],
        );
        check(
            "kernel k(a: f32[n], n: i32)«»\n    a[0] = b\n    a[1] = c\n",
            expect![[r#"
            expected-colon: write `:` (2 errors remain here)
            kernel k(a: f32[n], n: i32):
                a[0] = b
                a[1] = c
        "#]],
        );
    }

    #[test]
    fn only_what_the_range_touches_is_fixed() {
        check(
            "kernel k(a: f32[n], n: i32):\n    let x = 1\n    a[n] = «n»\n    a[1.5] = 2\n",
            expect![[r#"
            type-mismatch: convert it to `f32` (1 error remains here)
            kernel k(a: f32[n], n: i32):
                let x = 1
                a[n] = f32(n)
                a[1.5] = 2
        "#]],
        );
    }

    #[test]
    fn a_fix_that_lifts_nothing_is_not_offered() {
        let fixture = Fixture::new("kernel k(a: f32[n], n: i32):\n    a[0] = n\n");
        let mut found = diagnostics_in(&fixture.db, fixture.file, fixture.range());
        let found = found.pop().expect("the two types differ");
        let useless = Fix { title: "do nothing".to_owned(), edits: Vec::new() };
        assert_eq!(try_fix(&fixture.db, fixture.file, &found, &useless), None);
    }

    #[test]
    fn types_are_written_where_that_keeps_the_item_right() {
        let fixture = Fixture::new("kernel k(a: f32[n], n):\n    $0let x = a[n - 1]\n    a[0] = x\n");
        let edits = write_types(&fixture.db, fixture.file, fixture.offset());
        expect![[r#"
            kernel k(a: f32[n], n: i32):
                let x: f32 = a[n - 1]
                a[0] = x
        "#]]
        .assert_eq(&apply_edits(&fixture.text, &edits));
    }
}
