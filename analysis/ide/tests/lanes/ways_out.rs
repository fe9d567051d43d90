//! What notes offer in place of what lanes pay for: it is what a person would write, it computes the same, and where there is
//! nothing to offer nothing is offered.

use crate::common;

use std::sync::Arc;

use ide::fixes::TrialText;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::run;
use queries::run::{Argument, Engine, ResultArray};
use queries::stages;
use queries::stages::Options;
use syntax::{Diagnostic, Severity, apply_edits};

/// A kernel whose only note has a way out.
struct Row {
    /// The kernel, without its first line's `kernel k`.
    before: &'static str,
    code: &'static str,
    /// The title of the way out.
    title: &'static str,
    /// The kernel with it.
    after: &'static str,
    /// Arguments for both; one that only one of them has is left out for the other.
    arguments: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        before: "(a: i32[n], b: i32[n], o: i32[n], n: i32):\n    for i in range(n):\n        o[i] = (a[i] + 1) / b[i]\n",
        code: "varying-division",
        title: "divide as `f64`, which is exact for 32 bits, if no divisor is 0",
        after: "(a: i32[n], b: i32[n], o: i32[n], n: i32):\n    for i in range(n):\n        o[i] = i32(f64(a[i] + 1) / f64(b[i]))\n",
        arguments: &[
            "a=[-8, 2147483646, -2147483648, 6, 7]",
            "b=[2, 2147483647, 2147483647, -7, -3]",
            "n=5",
            "o=[0, 0, 0, 0, 0]",
        ],
    },
    Row {
        before: "(a: i32[n], b: i32[n], o: i32[n], n: i32):\n    for i in range(n):\n        o[i] = 1 + a[i] // b[i]\n",
        code: "varying-division",
        title: "divide as `f64`, which is exact for 32 bits, if no divisor is 0",
        after: "(a: i32[n], b: i32[n], o: i32[n], n: i32):\n    for i in range(n):\n        o[i] = 1 + i32(floor(f64(a[i]) / f64(b[i])))\n",
        arguments: &[
            "a=[-8, 2147483646, -2147483648, 6, -7]",
            "b=[3, 2147483647, 2147483647, -7, -3]",
            "n=5",
            "o=[0, 0, 0, 0, 0]",
        ],
    },
    Row {
        before: "(a: u32[n], b: u32[n], o: u32[n], n: i32):\n    for i in range(n):\n        o[i] = 2 * (a[i] % b[i]) + 1\n",
        code: "varying-division",
        title: "divide as `f64`, which is exact for 32 bits, if no divisor is 0",
        after: "(a: u32[n], b: u32[n], o: u32[n], n: i32):\n    for i in range(n):\n        o[i] = 2 * (a[i] - b[i] * u32(f64(a[i]) / f64(b[i]))) + 1\n",
        arguments: &["a=[8, 4294967295, 4294967295, 6]", "b=[3, 65537, 3, 7]", "n=4", "o=[0, 0, 0, 0]"],
    },
    Row {
        before: "(a: i16[n], o: i16[n], k: i16, n: i32):\n    for i in range(n):\n        o[i] = a[i] % k * 3\n",
        code: "varying-division",
        title: "divide as `f64`, which is exact for 32 bits, if no divisor is 0",
        after: "(a: i16[n], o: i16[n], k: i16, n: i32):\n    for i in range(n):\n        o[i] = (a[i] - k * i16(f64(a[i]) / f64(k))) * 3\n",
        arguments: &["a=[-8, 32767, -32768, 6]", "k=7", "n=4", "o=[0, 0, 0, 0]"],
    },
    Row {
        before: "(q: i64[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = f32((q[i] + 1)) * 2\n",
        code: "wide-conversion",
        title: "go through `i32`, if it fits there",
        after: "(q: i64[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = f32(i32(q[i] + 1)) * 2\n",
        arguments: &["q=[-8, 2147483646, -2147483648, 6]", "n=4", "o=[0.0, 0.0, 0.0, 0.0]"],
    },
    Row {
        before: "(a: f64[n], o: u64[n], n: i32):\n    for i in range(n):\n        o[i] = u64(a[i])\n",
        code: "wide-conversion",
        title: "go through `u32`, if it fits there",
        after: "(a: f64[n], o: u64[n], n: i32):\n    for i in range(n):\n        o[i] = u64(u32(a[i]))\n",
        arguments: &["a=[8.5, 4294967295.0, 0.0, 6.0]", "n=4", "o=[0, 0, 0, 0]"],
    },
    Row {
        before: "(a: f32[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = a[(i - 8) / 2 + 4]\n",
        code: "gather-varying-index",
        title: "write `//`, which is the same where nothing is negative",
        after: "(a: f32[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = a[(i - 8) // 2 + 4]\n",
        arguments: &["a=[1.0]", "n=1", "o=[0.0]"],
    },
    Row {
        before: "(a: f32[m], o: f32[n], m: i32, n: i32):\n    assert m >= 8\n    for i in range(n):\n        o[i] = a[(i - 8) % 4 + 4]\n",
        code: "gather-varying-index",
        title: "write `& 3`, which is the same where nothing is negative",
        after: "(a: f32[m], o: f32[n], m: i32, n: i32):\n    assert m >= 8\n    for i in range(n):\n        o[i] = a[((i - 8) & 3) + 4]\n",
        arguments: &["a=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]", "m=8", "n=1", "o=[0.0]"],
    },
    Row {
        before: "(a: f32[n], o: f32[m], n: u32, m: u32, k: u32):\n    for i in range(m):\n        o[i] = a[2 + (i + k)]\n",
        code: "gather-varying-index",
        title: "count in `i64`, which does not wrap around",
        after: "(a: f32[n], o: f32[m], n: u32, m: u32, k: u32):\n    for i in range(m):\n        o[i] = a[2 + (i64(i) + i64(k))]\n",
        arguments: &["a=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "m=3", "n=6", "k=1", "o=[0.0, 0.0, 0.0]"],
    },
    Row {
        before: "(a: f32[n], c: bool[n], o: f32[n], n: i32):\n    for i in range(1, n):\n        o[i] = a[i if c[i] else i - 1] * 2\n",
        code: "gather-varying-index",
        title: "choose between the elements, in place of the subscripts",
        after: "(a: f32[n], c: bool[n], o: f32[n], n: i32):\n    for i in range(1, n):\n        o[i] = (a[i] if c[i] else a[i - 1]) * 2\n",
        arguments: &["a=[1.0, 2.0, 3.0, 4.0]", "c=[true, false, true, false]", "n=4", "o=[0.0, 0.0, 0.0, 0.0]"],
    },
    Row {
        before: "(m: f32[h, w], o: f32[h], h: i32, w: i32):\n    foreach i in range(h):\n        o[i] = m[i, w - 1]\n",
        code: "strided-load",
        title: "exchange the subscripts of `m`, if callers pass it the other way around",
        after: "(m: f32[w, h], o: f32[h], h: i32, w: i32):\n    foreach i in range(h):\n        o[i] = m[w - 1, i]\n",
        arguments: &["m=[7.0, 7.0, 7.0, 7.0, 7.0, 7.0]", "h=3", "w=2", "o=[0.0, 0.0, 0.0]"],
    },
    Row {
        before: "(m: f32[h, w], o: f32[h], h: i32, w: i32):\n    foreach i in range(h):\n        m[i, 1] = o[i]\n",
        code: "strided-store",
        title: "exchange the subscripts of `m`, if callers pass it the other way around",
        after: "(m: f32[w, h], o: f32[h], h: i32, w: i32):\n    foreach i in range(h):\n        m[1, i] = o[i]\n",
        arguments: &["m=[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]", "o=[7.0, 7.0, 7.0]", "h=3", "w=2"],
    },
    Row {
        before: "(p: P[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = p[i].y * 2\n",
        code: "strided-load",
        title: "give each field of `p` that is used an array of its own, if callers pass them so",
        after: "(p_y: f32[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = p_y[i] * 2\n",
        arguments: &["p=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "p_y=[2.0, 5.0]", "n=2", "o=[0.0, 0.0]"],
    },
];

/// Kernels with a note that has no way out.
const WITHOUT: &[(&str, &str)] = &[
    // The quotient of 64 bits does not fit into a float, and what is divided is called twice for the rest.
    ("(a: i64[n], b: i64[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] / b[i]\n", "varying-division"),
    (
        "(a: i32[n], b: i32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] % max(b[i], 1)\n",
        "varying-division",
    ),
    ("(a: i32[n], b: i32[n], n: i32):\n    for i in range(n):\n        a[i] /= b[i]\n", "varying-division"),
    // Data decides.
    (
        "(a: f32[n], x: i32[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = a[x[i]]\n",
        "gather-varying-index",
    ),
    // The other loop has the matrix as it is.
    (
        "(m: f32[h, h], o: f32[h], h: i32):\n    foreach i in range(h):\n        o[i] = m[i, 0]\n    foreach i in range(h):\n        o[i] += m[0, i]\n",
        "strided-load",
    ),
    // Its subscripts are made of it.
    ("(m: i32[h, h], o: i32[h], h: i32):\n    foreach i in range(h):\n        o[i] = m[i, m[0, 0]]\n", "strided-load"),
    // The name is taken.
    ("(p: P[n], p_y: f32[n], n: i32):\n    for i in range(n):\n        p_y[i] = p[i].y\n", "strided-load"),
    // It is handed on whole.
    (
        "(p: P[n], o: f32[n], n: i32):\n    for i in range(n):\n        o[i] = p[i].y\n    let q = p[1:]\n    o[0] = q[0].x\n",
        "strided-load",
    ),
];

const STRUCT: &str = "struct P:\n    x: f32\n    y: f32\n    z: f32\n\n";

fn program(kernel: &str) -> String {
    format!("{}kernel k{kernel}", if kernel.contains("P[n]") { STRUCT } else { "" })
}

/// The notes of a program with what was tried, and held.
fn tried(text: &str) -> Vec<Diagnostic> {
    let found = common::diagnostics(text);
    let errors: Vec<_> = found.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    TrialText::new(text).tried(found)
}

/// What the only kernel of a program leaves in its arrays.
fn arrays_after(text: &str, arguments: &[&str]) -> Vec<ResultArray> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let kernel = *file_items(&db, file).last().expect("a kernel");
    let lowered = queries::sequential(&db, kernel).kernel.as_ref().expect("a kernel");
    let params = lowered.params.iter().filter_map(|param| lowered.values[param.value].name.as_deref());
    let params: Vec<&str> = params.collect();
    let all = arguments.iter().map(|argument| common::argument(argument));
    let all: Vec<Argument> = all.filter(|argument| params.contains(&&*argument.name)).collect();
    let engine = Engine::Interp(stages::in_order(), Options::default());
    let outcome =
        run::run(&db, kernel, engine, &all, 10_000, &mut || false).unwrap_or_else(|why| panic!("{text}\n{why:?}"));
    assert_eq!(outcome.failure, None, "{text}");
    outcome.arrays
}

#[test]
fn a_way_out_is_what_a_person_would_write_and_computes_the_same() {
    for row in ROWS {
        let before = program(row.before);
        let after = before.replace(row.before, row.after);
        let notes = tried(&before);
        let [note] = &notes[..] else { panic!("{before}\n{}", common::render(&before, &notes)) };
        assert_eq!(note.code.name(), row.code, "{before}");
        let titles: Vec<&str> = note.fixes.iter().map(|fix| &*fix.title).collect();
        assert_eq!(titles, [row.title], "{before}");
        assert_eq!(apply_edits(&before, &note.fixes[0].edits), after);
        assert_eq!(common::diagnostics(&after), [], "{after}");
        // What a kernel leaves of a matrix that is the other way around is the other way around, too: its cells are equal.
        let left = [&before, &after].map(|text| arrays_after(text, row.arguments));
        let is_laid_out_anew = row.title.contains("the other way around") && row.code == "strided-store";
        if is_laid_out_anew {
            let sorted = left.map(|arrays| {
                let mut cells: Vec<String> = arrays[0].elements.iter().map(|cell| format!("{cell:?}")).collect();
                cells.sort();
                cells
            });
            assert_eq!(sorted[0], sorted[1], "{after}");
        } else {
            assert_eq!(left[0], left[1], "{after}");
        }
    }
}

#[test]
fn where_there_is_no_way_out_none_is_offered() {
    for (kernel, code) in WITHOUT {
        let text = program(kernel);
        let notes = tried(&text);
        assert!(notes.iter().any(|note| note.code.name() == *code), "{text}");
        let offered: Vec<_> = notes.iter().flat_map(|note| &note.fixes).map(|fix| &fix.title).collect();
        assert!(offered.is_empty(), "{text}\n{offered:?}");
    }
}

#[test]
fn what_is_left_of_many_notes_is_not_tried() {
    let kernel = |n: usize| {
        format!(
            "kernel k{n}(m: f32[h, w], o: f32[h], h: i32, w: i32):\n    foreach i in range(h):\n        o[i] = m[i, {n}]\n"
        )
    };
    let text: String = (0..2_000).map(kernel).collect();
    let notes = tried(&text);
    assert_eq!(notes.len(), 2_000);
    let n_offered = notes.iter().filter(|note| !note.fixes.is_empty()).count();
    assert!((100..1_000).contains(&n_offered), "{n_offered}");
    // By itself, the last of them has its way out.
    let last = notes.last().expect("a note");
    let raw = common::diagnostics(&text).pop().expect("a note");
    assert!(last.fixes.is_empty() && TrialText::new(&text).fixes(&raw).len() == 1);
}
