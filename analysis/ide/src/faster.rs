//! Changes of a kernel that may make it faster, for whoever can measure: nothing here says that one does.
//!
//! They are the attributes that let the passes do more or otherwise, above the kernel and above each of its loops, the fixes of what was noted about
//! the kernel, and other ways to write its loops and divisions. Each is an edit of the text alone, and none was tried.

mod reciprocals;
mod sums;

use hir::builtins::AttributeId;
use queries::check::{item_diagnostics, start_of};
use queries::db::{Item, made_for};
use report::{ItemKind, Severity, TextEdit, TextRange, TextSize};

use crate::explain::explain_item;
use crate::variants::{FREEDOMS, KernelChange, changes};
use crate::whole_arrays::rewrites;

/// The changes of a kernel that are worth a trial, those of the whole kernel first.
pub fn candidates(db: &dyn salsa::Database, kernel: Item<'_>) -> Vec<KernelChange> {
    let Some(start) = start_of(db, kernel).filter(|_| kernel.kind(db) == ItemKind::Kernel) else { return Vec::new() };
    let file = kernel.file(db);
    let text: &str = file.text(db);
    let mut found = changes(db, kernel);
    let own = TextRange::at(start, TextSize::of(&**kernel.text(db)));
    let explained = explain_item(db, kernel);
    let headers = explained.iter().flat_map(|known| &known.loops).filter(|it| it.function.is_none());
    let headers: Vec<TextRange> = headers.map(|it| it.range).filter(|range| own.contains_range(*range)).collect();
    let most = made_for(db).target.lanes_for(1).max(1);
    for header in &headers {
        found.extend(above_loop(text, *header, most));
    }
    found.extend(reciprocals::products(db, kernel, start, text));
    let notes = item_diagnostics(db, kernel, start).into_iter().filter(|found| found.severity != Severity::Error);
    let fixes = notes.flat_map(|found| found.fixes);
    found.extend(fixes.map(|fix| KernelChange { title: fix.title, results: "", edits: fix.edits }));
    found.extend(headers.iter().filter_map(|header| sums::beside_each_other(db, file, *header)));
    let in_other_ways = headers.iter().flat_map(|header| rewrites(db, file, header.start()));
    found.extend(in_other_ways.map(|it| KernelChange { title: it.title.to_owned(), results: "", edits: it.edits }));
    // Several notes may have one way out, and an attribute may be one.
    let mut once: Vec<KernelChange> = Vec::new();
    for change in found {
        if !once.iter().any(|other| other.edits == change.edits) {
            once.push(change);
        }
    }
    once
}

/// The attributes that are tried above a loop, each instead of one of its name that stands there.
fn above_loop(text: &str, header: TextRange, most_lanes: u16) -> Vec<KernelChange> {
    let before = &text[..usize::from(header.start())];
    let (above, indent) = before.split_at(before.rfind('\n').map_or(0, |at| at + 1));
    if !indent.trim().is_empty() {
        return Vec::new();
    }
    let tried = FREEDOMS.map(|(id, results)| (id, None, results)).into_iter();
    let lanes = [4, 8, 16, 32, 64].into_iter().filter(|&lanes| lanes <= most_lanes);
    let tried = tried.chain(lanes.map(|lanes| (AttributeId::Lanes, Some(lanes), "")));
    let tried = tried.chain([1, 2, 4, 8, 16].map(|rounds| (AttributeId::Unroll, Some(rounds), "")));
    let tried = tried.chain([(AttributeId::Stream, None, "")]);
    // The attributes of the loop stand on the lines above it.
    let mut attributes: Vec<(TextSize, &str)> = Vec::new();
    let mut end = TextSize::of(above);
    for line in above.split_inclusive('\n').rev().take_while(|line| line.trim_start().starts_with('@')) {
        attributes.push((end - TextSize::of(line.trim_start()), line.trim()));
        end -= TextSize::of(line);
    }
    let start = TextSize::of(above);
    let number = above.matches('\n').count() + 1;
    let change = |(id, count, results): (AttributeId, Option<u16>, &'static str)| {
        let name = format!("@{}", id.get().name);
        let attribute = count.map_or_else(|| name.clone(), |count| format!("{name}({count})"));
        let is_own = |words: &str| words.split('(').next() == Some(&*name);
        let present = attributes.iter().find(|(_, words)| is_own(words));
        if present.is_some_and(|(_, words)| *words == attribute) {
            return None;
        }
        let edit = match present {
            Some((at, words)) => TextEdit { range: TextRange::at(*at, TextSize::of(*words)), text: attribute.clone() },
            None => TextEdit { range: TextRange::empty(start), text: format!("{indent}{attribute}\n") },
        };
        let title = format!("{attribute} above the loop in line {number}");
        Some(KernelChange { title, results, edits: vec![edit] })
    };
    tried.filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use queries::db::Database;
    use report::apply_edits;

    use super::*;

    fn tried(text: &str) -> String {
        let mut db = Database::default();
        let file = db.add_file("a.lane", text.into());
        let kernel = queries::db::file_items(&db, file)[0];
        let shown = |change: KernelChange| {
            let changed = apply_edits(text, &change.edits);
            let lines = changed.lines().filter(|line| !text.lines().any(|old| old == *line));
            format!("{}: {}\n", change.title, lines.map(str::trim).collect::<Vec<_>>().join(" / "))
        };
        candidates(&db, kernel).into_iter().map(shown).collect()
    }

    #[test]
    fn attributes_fixes_and_other_ways_to_write_a_loop_are_candidates() {
        let text = "kernel sum(a: f32[n], n: i32) -> f32:\n    s = 0.0\n    @lanes(8)\n    for i in range(n):\n        s += a[i]\n    return s\n";
        expect![[r#"
            @reassoc: @reassoc
            @fast: @fast
            @reassoc above the loop in line 4: @reassoc
            @fast above the loop in line 4: @fast
            @lanes(4) above the loop in line 4: @lanes(4)
            @lanes(16) above the loop in line 4: @lanes(16)
            @lanes(32) above the loop in line 4: @lanes(32)
            @unroll(1) above the loop in line 4: @unroll(1)
            @unroll(2) above the loop in line 4: @unroll(2)
            @unroll(4) above the loop in line 4: @unroll(4)
            @unroll(8) above the loop in line 4: @unroll(8)
            @unroll(16) above the loop in line 4: @unroll(16)
            @stream above the loop in line 4: @stream
        "#]]
        .assert_eq(&tried(text));
    }

    #[test]
    fn fixes_of_notes_and_other_ways_to_write_a_loop_are_candidates() {
        let of_text = |text: &str| {
            let tried = tried(text);
            tried.lines().filter(|line| !line.starts_with('@')).map(|line| format!("{line}\n")).collect::<String>()
        };
        expect![[r#"
            write the loop as whole arrays: b[0:n] = a[0:n]
        "#]]
        .assert_eq(&of_text("kernel k(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        b[i] = a[i]\n"));
        let title_and_lines = of_text(
            "kernel k(x: f32[n], y: f32[n], n: i32):\n    for i in range(n):\n        let length = sqrt(x[i] * x[i] + y[i] * y[i])\n        let scale = 2.0 * x[i] + 1.0\n        x[i] = (x[i] + 1.0) / (length)\n        y[i] = y[i]/length + 1.0 / scale + y[i] / scale\n        let kept = sqrt(x[i])\n        x[i] = kept / 3.0\n",
        );
        expect![[r#"
            multiply by the reciprocal root: let length = rsqrt(x[i] * x[i] + y[i] * y[i]) / x[i] = (x[i] + 1.0) * (length) / y[i] = y[i]*length + 1.0 / scale + y[i] / scale
            multiply by the reciprocal of `scale`: let scale = 1.0 / (2.0 * x[i] + 1.0) / y[i] = y[i]/length + 1.0 * scale + y[i] * scale
        "#]].assert_eq(&title_and_lines);
        expect![[r#"
            exchange the subscripts of `a`, if callers pass it the other way around: kernel k(a: f32[w, h], b: f32[w, h], h: i32, w: i32): / a[0, i] = s
        "#]].assert_eq(&of_text(
            "kernel k(a: f32[h, w], b: f32[w, h], h: i32, w: i32):\n    for i in range(h):\n        s = 0.0\n        for j in range(w):\n            s += b[j, i]\n        a[i, 0] = s\n",
        ));
    }

    #[test]
    fn sums_are_computed_beside_each_other() {
        let text = "kernel k(m: f32[h, w], y: f32[w], h: i32, w: i32):\n    for j in range(w):\n        let s = y[0]\n        for i in range(h):\n            s += m[i, j]\n        y[j] = s\n";
        assert!(!tried(text).contains("beside each other"), "the sums start with what is stored");
        let of_zero = tried(&text.replace("y[0]", "0.0"));
        let changed = of_zero.lines().find(|line| line.starts_with("compute the sums")).expect("the change");
        assert_eq!(
            changed,
            "compute the sums beside each other, in `y`: y[j] = 0.0 / for i in range(h): / for j in range(w): / y[j] += m[i, j]"
        );
        for (from, to) in [("range(h)", "range(j)"), ("y[j] = s", "y[j] = s * 2.0"), ("m[i, j]", "s * m[i, j]")] {
            assert!(!tried(&text.replace("y[0]", "0.0").replace(from, to)).contains("beside each other"), "{to}");
        }
    }
}
