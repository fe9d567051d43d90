//! The ways out of findings, each tried before it is offered.
//!
//! A fix is applied to a copy of the file, and the items that it touches are analysed again. It is offered if the
//! finding is gone then; the errors that remain are part of the offer, so that its title promises no more than it does.
//!
//! Finding the proposals needs the facts; trying them needs the text alone, so that a caller can release the database
//! before. An edit does not have to wait for fixes that are tried on a copy.

use lane::tree::cut;
use passes::pipeline::Options;
use report::{Diagnostic, Fix, Severity, TextEdit, TextRange, TextSize, apply_edits};

use super::hints::write_types_edits;
use super::whole_arrays::{Rewrite, rewrites};
use queries::check::item_diagnostics;
use queries::db::{File, Item, cut_file};
use queries::host::Host;
use queries::uses::Surroundings;

/// A change that was tried and does what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedFix {
    /// The finding that the fix lifts.
    pub diagnostic: Diagnostic,
    /// A description of the change, and of the errors that remain after it.
    pub title: String,
    /// The edits that make the change.
    pub edits: Vec<TextEdit>,
    /// True if this is the surest of the ways out.
    pub preferred: bool,
}

/// The fixes that are proposed for a range of a text, before any of them is tried.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Untried {
    /// The findings in the range, with their fixes.
    pub diagnostics: Vec<Diagnostic>,
    /// The edits that write down the types which the item leaves out.
    pub write_types: Vec<TextEdit>,
    /// Other ways to write the statement that the range starts in.
    pub rewrites: Vec<Rewrite>,
}

/// A place with more findings than this is not about any one of them.
const MOST: usize = 32;

/// Returns the fixes that are proposed for a range. An empty range stands for the finding that it touches; on the last character of a
/// line also for one at the line's end, where cursors that stand on characters never are.
pub fn untried(db: &dyn salsa::Database, file: File, range: TextRange) -> Untried {
    let cut = cut_file(db, file);
    let behind = file.text(db)[usize::from(range.end())..].chars().next();
    let next = range.end() + behind.map_or(TextSize::new(0), TextSize::of);
    let ends_line =
        file.text(db)[usize::from(next)..].starts_with(['\n', '\r']) || usize::from(next) == file.text(db).len();
    let range = if range.is_empty() && ends_line && behind != Some('\n') { range.cover_offset(next) } else { range };
    let first = cut.starts.partition_point(|&start| start <= range.start()).saturating_sub(1);
    let items = cut.items.iter().zip(&cut.starts).skip(first).take_while(|(_, start)| **start <= range.end());
    let found = items.flat_map(|(&item, &start)| item_diagnostics(db, item, start));
    let touched = found.filter(|found| found.range.intersect(range).is_some()).take(MOST);
    Untried {
        diagnostics: touched.collect(),
        write_types: write_types_edits(db, file, range.start()),
        rewrites: rewrites(db, file, range.start()),
    }
}

/// The limit on what is tried for one request, in bytes of the items that are analysed. Fixes that are untried by then
/// are not offered: with so many findings, each can be asked for by itself, at its place.
const MOST_BYTES: usize = 64 * 1024;

/// A text to try changes on.
pub struct TrialText<'t> {
    text: &'t str,
    host: Host,
    /// The place of the text, and the files that it uses.
    around: Surroundings,
    /// The number of bytes analysed so far, which is held against [`MOST_BYTES`].
    n_bytes: usize,
}

impl<'t> TrialText<'t> {
    /// A copy of a text.
    pub fn new(text: &'t str) -> TrialText<'t> {
        TrialText { text, host: Host::default(), around: Surroundings::default(), n_bytes: 0 }
    }

    /// Sets the targets: facts are computed for the first one, promises are checked for all of them.
    pub fn made_for(mut self, all: &[Options]) -> TrialText<'t> {
        self.host.set_made_for(all);
        self
    }

    /// Gives the text its place and the files that it uses.
    pub fn among(mut self, around: Surroundings) -> TrialText<'t> {
        for (name, text) in &around.used {
            self.host.share_text(name, text.clone());
        }
        self.around = around;
        self
    }

    /// Tries every fix of a finding. Those that leave the fewest errors come first, and the first of them is preferred, unless
    /// what the finding knows best was tried in vain: then nobody knows.
    pub fn fixes(&mut self, diagnostic: &Diagnostic) -> Vec<TriedFix> {
        let mut tried = Vec::new();
        for (n, fix) in diagnostic.fixes.iter().enumerate() {
            if let Some(left) = self.lifts(diagnostic, &fix.edits) {
                let title = format!("{}{}", fix.title, left.words);
                let (diagnostic, edits) = (diagnostic.clone(), fix.edits.clone());
                tried.push((left.n_errors, n, TriedFix { diagnostic, title, edits, preferred: false }));
            }
        }
        let best_held = tried.iter().any(|(_, n, _)| *n == 0);
        tried.sort_by_key(|(n_errors, n, _)| (*n_errors, *n));
        let mut tried: Vec<_> = tried.into_iter().map(|(.., fix)| fix).collect();
        if let Some(first) = tried.first_mut() {
            first.preferred = best_held;
        }
        tried
    }

    /// Findings with no fixes but those that do what they say, with what remains in their titles. Only notes are tried:
    /// what is written wrong has to be written in another way, whatever remains.
    pub fn tried(&mut self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_tried = |found: &Diagnostic| found.severity == Severity::Note && !found.fixes.is_empty();
        let most = self.n_bytes + MOST_BYTES;
        let mut try_one = |mut found: Diagnostic| {
            if is_tried(&found) {
                let tried = if self.n_bytes < most { self.fixes(&found) } else { Vec::new() };
                let tried = tried.into_iter();
                found.fixes = tried.map(|tried| Fix { title: tried.title, edits: tried.edits }).collect();
            }
            found
        };
        diagnostics.into_iter().map(&mut try_one).collect()
    }

    /// Returns true if the items that some edits touch have no more errors after the edits than before.
    pub fn stays_right(&mut self, edits: &[TextEdit]) -> bool {
        let (before, after) = self.attempt(edits, None);
        count_errors(&after) <= count_errors(&before)
    }

    /// Returns what remains after some edits, or `None` if they do not lift a finding.
    fn lifts(&mut self, diagnostic: &Diagnostic, edits: &[TextEdit]) -> Option<Left> {
        let (before, after) = self.attempt(edits, Some(diagnostic.range.start()));
        let alike = |found: &&Diagnostic| found.code == diagnostic.code && found.message == diagnostic.message;
        let of_code = |found: &&Diagnostic| found.code == diagnostic.code;
        let mut lifts = after.iter().filter(alike).count() < before.iter().filter(alike).count();
        if diagnostic.severity == Severity::Note {
            // A faster loop is not worth an error, and a note that only moves to another line is not lifted.
            let is_less = after.iter().filter(of_code).count() < before.iter().filter(of_code).count();
            lifts &= is_less && count_errors(&after) <= count_errors(&before);
        }
        let n_errors = count_errors(&after);
        let words = || match n_errors {
            // A warning is lifted for its own sake; that there are errors elsewhere is nothing new.
            _ if diagnostic.severity != Severity::Error => left_behind(&before, &after),
            0 => String::new(),
            1 => " (1 error remains here)".to_owned(),
            n => format!(" ({n} errors remain here)"),
        };
        lifts.then(|| Left { n_errors, words: words() })
    }

    /// Returns the findings of the items that some edits touch, before and after the edits, and of the item at `about`: one that is
    /// put above it leaves that as it is, and is made for it.
    fn attempt(&mut self, edits: &[TextEdit], about: Option<TextSize>) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let changed = apply_edits(self.text, edits);
        let (mut front, mut back) = same_items(self.text, &changed);
        if let Some(about) = about {
            let items = cut(self.text);
            let at = items.partition_point(|item| item.start <= usize::from(about)).saturating_sub(1);
            front = front.min(at);
            back = back.min(items.len().saturating_sub(at + 1));
        }
        // The text as it is has a file of its own, so that nothing of it is analysed twice.
        let before = self.diagnostics_between("text", self.text, front, back);
        (before, self.diagnostics_between("copy", &changed, front, back))
    }

    /// Returns the findings of the items of a text, without the first `front` and the last `back` items.
    fn diagnostics_between(&mut self, name: &str, text: &str, front: usize, back: usize) -> Vec<Diagnostic> {
        let file = self.host.set_text(&self.around.beside(name), text);
        let diagnostics = self.host.snapshot().catch(|db| {
            let cut = cut_file(db, file);
            let middle = front..cut.items.len() - back;
            let items = cut.items[middle.clone()].iter().zip(&cut.starts[middle]);
            let found =
                |(&item, &start): (&Item<'_>, &TextSize)| (item.text(db).len(), item_diagnostics(db, item, start));
            let (n_bytes, found): (Vec<_>, Vec<_>) = items.map(found).unzip();
            (n_bytes.iter().sum::<usize>(), found.into_iter().flatten().collect())
        });
        // Nobody else has this host, so nothing writes to it meanwhile.
        let (n_bytes, diagnostics) = diagnostics.unwrap_or_default();
        self.n_bytes += n_bytes;
        diagnostics
    }
}

/// The state after a change that lifts its finding.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    /// The number of errors in the items that the change touches.
    n_errors: usize,
    /// The part of the fix's title that says what remains.
    words: String,
}

/// The codes of findings that exist only after a change.
fn left_behind(before: &[Diagnostic], after: &[Diagnostic]) -> String {
    let is_new =
        |found: &&Diagnostic| !before.iter().any(|known| known.code == found.code && known.message == found.message);
    let mut codes: Vec<_> = after.iter().filter(is_new).map(|found| format!("`{}`", found.code)).collect();
    codes.sort_unstable();
    codes.dedup();
    match &codes[..] {
        [] => String::new(),
        [one] => format!(" (then {one} is left)"),
        [most @ .., last] => format!(" (then {} and {last} are left)", most.join(", ")),
    }
}

fn count_errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
}

/// Returns the number of items at the start and at the end that have the same text in both.
fn same_items(before: &str, after: &str) -> (usize, usize) {
    let (before, after) = (cut(before), cut(after));
    let same = |pair: &(&lane::tree::ItemCut<'_>, &lane::tree::ItemCut<'_>)| pair.0.text == pair.1.text;
    let front = before.iter().zip(&after).take_while(same).count();
    let rest = before.len().min(after.len()) - front;
    let back = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(same).count();
    (front, back)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let found = untried(&fixture.db, fixture.file, fixture.range()).diagnostics;
        let mut scratch = TrialText::new(&fixture.text);
        let tried: Vec<_> = found.iter().flat_map(|found| scratch.fixes(found)).collect();
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
    fn what_leaves_fewer_errors_is_preferred() {
        check(
            "kernel k(a: f32[n], b: f64[n], n: i32):\n    a[0] = a[0] +« »b[0]\n",
            expect![[r#"
            type-mismatch: convert it to `f32`
            kernel k(a: f32[n], b: f64[n], n: i32):
                a[0] = a[0] + f32(b[0])
            type-mismatch: or convert it to `f64` (1 error remains here)
            kernel k(a: f32[n], b: f64[n], n: i32):
                a[0] = f64(a[0]) + b[0]
        "#]],
        );
    }

    #[test]
    fn what_sees_other_lanes_is_meant_only_where_there_are_some() {
        check(
            "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = «nope»\n",
            expect![[r#"
            unknown-name: add the parameter `nope`
            kernel k(a: f32[n], n: i32, nope):
                for i in range(n):
                    a[i] = nope
        "#]],
        );
        check(
            "kernel k(a: i32[n], n: i32):\n    foreach i in range(n):\n        a[i] = «lane_i»\n",
            expect![[r#"
                unknown-name: write `lane_id`
                kernel k(a: i32[n], n: i32):
                    foreach i in range(n):
                        a[i] = lane_id
                unknown-name: or add the parameter `lane_i`
                kernel k(a: i32[n], n: i32, lane_i):
                    foreach i in range(n):
                        a[i] = lane_i
            "#]],
        );
    }

    #[test]
    fn a_call_of_nothing_becomes_a_function_above_the_item_and_its_documentation() {
        check(
            "const C = 1\n\n## Doc.\n@fast\nkernel k(a: f32[n], n: i32, w: f32):\n    for i in range(n):\n        a[i] = «shade»(a[i], w)\n",
            expect![[r#"
                unknown-name: define the function `shade`
                const C = 1

                fn shade(x: f32, w: f32):
                    return x

                ## Doc.
                @fast
                kernel k(a: f32[n], n: i32, w: f32):
                    for i in range(n):
                        a[i] = shade(a[i], w)
            "#]],
        );
    }

    #[test]
    fn the_arrays_of_a_new_function_have_the_types_that_are_declared() {
        check(
            "kernel k(a: f32[n], m: f32[n, 2 * k], p: f32[n, 4], n: i32, k: i32):\n    a[0] = «blend»(a, n, m, p[1], m[0, 0], a[1:])\n",
            expect![[r#"
                unknown-name: define the function `blend`
                fn blend(a: f32[n], n: i32, m: f32[n, size_1], x: f32[4], y: f32, z: f32[size_2]):
                    return y

                kernel k(a: f32[n], m: f32[n, 2 * k], p: f32[n, 4], n: i32, k: i32):
                    a[0] = blend(a, n, m, p[1], m[0, 0], a[1:])
                unknown-name: or write `use colour: blend` (2 errors remain here)
                use colour: blend


                kernel k(a: f32[n], m: f32[n, 2 * k], p: f32[n, 4], n: i32, k: i32):
                    a[0] = blend(a, n, m, p[1], m[0, 0], a[1:])
            "#]],
        );
        check(
            "kernel k(a: f32[n], n: i32):\n    a[0] = «total»(a)\n",
            expect![[r#"
                unknown-name: define the function `total`
                fn total(a: f32[n]):
                    return 0

                kernel k(a: f32[n], n: i32):
                    a[0] = total(a)
            "#]],
        );
    }

    #[test]
    fn the_loop_that_could_have_the_lanes_is_marked() {
        check(
            "kernel k(a: f32[n, m], x: f32[m], y: f32[n], n: i32, m: i32):\n    for i in range(n):\n        let s = 0.0\n        for j in range(m):\n            s += «a[i, j]» * x[j]\n        y[i] = s\n",
            expect![[r#"
                strided-load: write `@reassoc` above the loop over `j`
                kernel k(a: f32[n, m], x: f32[m], y: f32[n], n: i32, m: i32):
                    for i in range(n):
                        let s = 0.0
                        @reassoc
                        for j in range(m):
                            s += a[i, j] * x[j]
                        y[i] = s
                strided-load: or exchange the subscripts of `a`, if callers pass it the other way around
                kernel k(a: f32[m, n], x: f32[m], y: f32[n], n: i32, m: i32):
                    for i in range(n):
                        let s = 0.0
                        for j in range(m):
                            s += a[j, i] * x[j]
                        y[i] = s
            "#]],
        );
    }

    #[test]
    fn what_is_left_is_told_in_words() {
        check(
            "kernel k(a: f32[n], x: i32[n], n: i32):\n    for« »i in range(n):\n        a[x[i]] = a[i] + 1.0\n",
            expect![[r#"
                data-dependent-cell: write `foreach`, if no iteration touches what another one writes (then `iterations-may-collide` and `scatter-varying-index` are left)
                kernel k(a: f32[n], x: i32[n], n: i32):
                    foreach i in range(n):
                        a[x[i]] = a[i] + 1.0
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
        let found = untried(&fixture.db, fixture.file, fixture.range()).diagnostics;
        assert_eq!(found.len(), 1, "the two types differ");
        assert_eq!(TrialText::new(&fixture.text).lifts(&found[0], &[]), None);
    }

    #[test]
    fn types_are_written_where_that_keeps_the_item_right() {
        let fixture = Fixture::new("kernel k(a: f32[n], n):\n    $0let x = a[n - 1]\n    a[0] = x\n");
        let edits = untried(&fixture.db, fixture.file, TextRange::empty(fixture.offset())).write_types;
        assert!(TrialText::new(&fixture.text).stays_right(&edits));
        expect![[r#"
            kernel k(a: f32[n], n: i32):
                let x: f32 = a[n - 1]
                a[0] = x
        "#]]
        .assert_eq(&apply_edits(&fixture.text, &edits));
    }
}
