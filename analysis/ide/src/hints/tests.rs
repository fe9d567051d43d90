//! Hints, drawn into the text that they belong to.

use std::sync::Arc;

use expect_test::{Expect, expect};
use lane::tree::SyntaxKind;
use report::apply_edits;

use super::*;
use crate::fixture::Fixture;
use queries::check::diagnostics;
use queries::db::Database;

/// The text with its hints; those that can be written down stand in `‹›`, the others in `()`.
fn check_with(text: &str, options: &HintOptions, expected: Expect) {
    let fixture = Fixture::new(text);
    let hints = type_hints(&fixture.db, fixture.file, fixture.range(), options);
    let mut out = fixture.text.clone();
    for hint in hints.iter().rev() {
        let (open, close) = if hint.edit.is_some() { ("‹", "›") } else { ("(", ")") };
        out.insert_str(usize::from(hint.offset), &format!("{open}{}{close}", hint.text));
    }
    expected.assert_eq(&out);
}

fn check(text: &str, expected: Expect) {
    check_with(text, &HintOptions::TYPES, expected);
}

#[test]
fn parts_lead_to_what_they_name() {
    let text = "\
struct P:
    x: f32

kernel k(a: f32[n], b: i32[n], p: P[n], out: f32[n], n: i32):
    foreach i in range(n):
        q = p[i]
        j = b[i]
        out[i] = a[j] + q.x + a[3 * i]

fn twice(v: P[m], w: f32[m]):
    return v
";
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for hint in type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default()) {
        for HintLink { part, target } in &hint.links {
            let line = text[..usize::from(target.start())].lines().count();
            out += &format!("{:?}: {} -> {} in line {line}\n", hint.text, &hint.text[*part], &text[*target]);
        }
    }
    expect![[r#"
            ": varying P": varying -> p[i] in line 6
            ": varying P": P -> P in line 1
            ": varying i32": varying -> b[i] in line 7
            " gather": gather -> j in line 8
            " strided by 3": strided by 3 -> 3 * i in line 8
            " -> P[m]": P -> P in line 1
            " -> P[m]": m -> m in line 10
    "#]]
    .assert_eq(&out);
}

#[test]
fn what_is_looked_up_is_no_plain_gather() {
    let text = "\
kernel k(curve: u8[16], x: u8[n], out: u8[n], n: i32):
    for i in range(n):
        out[i] = curve[x[i] & 15] + curve[i % 3] + curve[x[i]]
";
    check_with(
        text,
        &HintOptions { varying: false, ..HintOptions::default() },
        expect![[r#"
        kernel k(curve: u8[16], x: u8[n], out: u8[n], n: i32):
            for i in range(n):( 32 lanes)
                out[i] = curve[x[i] & 15]( gather of few cells) + curve[i % 3]( periodic) + curve[x[i]]( gather)
    "#]],
    );
}

#[test]
fn packed_cells_are_not_scattered() {
    check_with(
        "kernel k(a: f32[n], o: f32[n], n: i32) -> i32:\n    let m: i32 = 0\n    for i in range(n):\n        if a[i] > 0.0:\n            o[m] = a[i]\n            m += 1\n    return m\n",
        &HintOptions::default(),
        expect![[r#"
            kernel k(a: f32[n], o: f32[n], n: i32) -> i32:
                let m: i32 = 0
                for i in range(n):( 8 lanes)
                    if a[i] > 0.0:
                        o[m]( packed) = a[i]
                        m += 1
                return m
        "#]],
    );
}

#[test]
fn a_distance_that_is_a_formula_is_shown_while_it_is_short() {
    check_with(
        "kernel k(a: f32[h, w], b: f32[w, h], wide: f32[h, 2 * width + 1], h: i32, w: i32, width: i32):\n    foreach y in range(h):\n        b[0, y] = a[y, 0] + wide[y, 0]\n",
        &HintOptions::default(),
        expect![[r#"
            kernel k(a: f32[h, w], b: f32[w, h], wide: f32[h, 2 * width + 1], h: i32, w: i32, width: i32):
                foreach y in range(h):( 8 lanes)
                    b[0, y] = a[y, 0]( strided by w) + wide[y, 0]( strided)
        "#]],
    );
}

#[test]
fn a_header_that_is_being_typed_has_no_verdict() {
    let body = ":\n        a[i] = 1.0\n    for j in range(n):\n        a[j] = 2.0\n";
    for header in ["for i in range(", "for i in range(n", "for i in range(0, min(n, 4)"] {
        let text = format!("kernel k(a: f32[n], n: i32):\n    {header}\n    for j in range(n):\n        a[j] = 2.0\n");
        let fixture = Fixture::new(&text);
        let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default());
        let at = text.find(header).expect("the header") + header.len();
        assert!(hints.iter().all(|hint| usize::from(hint.offset) > at), "{text}\n{hints:?}");
    }
    // When it is done, it has.
    let text = format!("kernel k(a: f32[n], n: i32):\n    for i in range(n){body}");
    let fixture = Fixture::new(&text);
    let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default());
    assert_eq!(hints.len(), 2, "{hints:?}");
    // A mistake elsewhere on its line is none of the header.
    let fixture = Fixture::new(&text.replace("    ", "\t"));
    let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default());
    assert_eq!(hints.len(), 2, "{hints:?}");
}

#[test]
fn tooltips_tell_of_lanes_only_where_there_are_some() {
    let text = "\
struct P:
    x: f32
    y: f32
    z: f32

const K = 3

kernel filter(a: f32[n], t: f32[9], at: i32[n], o: f32[n], p: P[n], n: i32):
    state = 0.0
    for i in range(n):
        gain = t[at[i]]
        let own: f32 = a[i]
        state = state * own + gain
        o[i] = state
    for i in range(n):
        twice = a[i] * 2.0
        p[i].x += p[i].y + twice
";
    let fixture = Fixture::new(text);
    let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default());
    let told = hints.iter().filter(|hint| hint.kind != HintKind::Loop);
    let told = told.map(|hint| format!("{:?}: {}\n", hint.text, hint.tooltip)).collect::<String>();
    expect![[r#"
        ": i32": `K` is `i32`, like its value
        ": f32": `state` is `f32`, as it is used
        ": varying f32": `gain` is `f32`, as it is used; it differs from iteration to iteration, and would differ from lane to lane
        " would be a gather": if there were lanes: each lane has a cell of its own; the subscript is data, or made of it; keep the subscript inside of `t`, as by `% 9` of a number that is not negative: then all 9 cells are loaded at once
        "varying ": `own` differs from iteration to iteration, and would differ from lane to lane
        ": varying f32": `twice` is `f32`, as it is used; it differs from lane to lane
        " interleaved, strided by 3": interleaved: cell 1 of 3 that are loaded together

        strided by 3: the cells of neighbouring lanes lie 3 cells apart; an array of its own for each field makes this contiguous
        " interleaved": cell 2 of 3 that are loaded together
    "#]].assert_eq(&told);
}

#[test]
fn what_varies_and_what_is_gathered() {
    let text = "\
fn cell(a: f32[n], k: i32) -> f32:
    let r = a[k]
    return r

kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    let total = 0.0
    foreach i in range(n):
        let x: f32 = a[2 * i]
        j = b[i]
        let u = n + 1
        let z: varying i32 = j
        out[i] += cell(a, j) * x + f32(u + z)
        out[z] += 1.0
        out[3] = a[n - 1 - i]
";
    check_with(
        text,
        &HintOptions::default(),
        expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total‹: f32› = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]( strided by 2)
                        j‹: varying i32› = b[i]
                        let u‹: i32› = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
        "#]],
    );
    let types_off = HintOptions { params: false, variables: false, results: false, ..HintOptions::default() };
    check_with(
        text,
        &types_off,
        expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]( strided by 2)
                        j‹: varying i32› = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
        "#]],
    );
    check_with(
        text,
        &HintOptions { varying: false, ..types_off },
        expect![[r#"
                fn cell(a: f32[n], k: i32) -> f32:
                    let r = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: f32 = a[2 * i]( strided by 2)
                        j = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
        "#]],
    );
    check_with(
        text,
        &HintOptions { accesses: false, ..types_off },
        expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]
                        j‹: varying i32› = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z] += 1.0
                        out[3] = a[n - 1 - i]
        "#]],
    );
}

/// The text with every type written down that can be. What the analysis finds out must be as before.
fn written(text: &str) -> String {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut edits: Vec<_> =
        cut_file(&db, file).starts.iter().flat_map(|&start| write_types_edits(&db, file, start)).collect();
    edits.dedup();
    let written = apply_edits(text, &edits);
    let new = File::new(&db, Arc::from(&*written));
    assert_eq!(facts(&db, file), facts(&db, new), "of\n{text}\nand\n{written}");
    written
}

/// All types of an item's locals and its result, and the codes and messages of its findings.
fn facts(db: &Database, file: File) -> Vec<String> {
    let mut facts = Vec::new();
    for &item in &cut_file(db, file).items {
        let body = queries::body(db, item);
        let inference = queries::infer(db, item);
        for (id, local) in body.locals.iter() {
            facts.push(format!("{}: {:?}", local.name, inference.locals.get(id)));
        }
        facts.push(format!("{:?}", inference.signature));
    }
    facts.extend(diagnostics(db, file).into_iter().map(|found| format!("{} {}", found.code, found.message)));
    facts
}

fn check_written(text: &str, expected: Expect) {
    expected.assert_eq(&written(text));
}

#[test]
fn parameters_and_indices() {
    check(
        "kernel scale(samples, out, n, volume):\n    for i in range(n):\n        out[i] = samples[i] * volume\n",
        expect![[r#"
                kernel scale(samples(: f32[_]), out(: f32[_]), n‹: i32›, volume‹: f32›):
                    for i(: i32) in range(n):
                        out[i] = samples[i] * volume
        "#]],
    );
}

#[test]
fn what_is_written_has_no_hint() {
    check(
        "kernel k(a: f32[n], n: i32) -> f32:\n    let x: f32 = a[0]\n    return x\n",
        expect![[r#"
            kernel k(a: f32[n], n: i32) -> f32:
                let x: f32 = a[0]
                return x
    "#]],
    );
}

#[test]
fn variables_results_and_constants() {
    check(
        "const N = 4\nkernel sum(a: f64[n], n: i32):\n    total = 0.0\n    let k = n\n    for i in range(k):\n        total += a[i]\n    return total\n",
        expect![[r#"
                const N‹: i32› = 4
                kernel sum(a: f64[n], n: i32)‹ -> f64›:
                    total‹: f64› = 0.0
                    let k‹: i32› = n
                    for i(: i32) in range(k):
                        total += a[i]
                    return total
        "#]],
    );
}

#[test]
fn what_a_function_leaves_open_has_a_letter() {
    check(
        "fn mix(a, b, t):\n    return a * (1 - t) + b * t\nfn first(a): return a[0]\n",
        expect![[r#"
            fn mix(a(: T), b(: T), t(: T))( -> T):
                return a * (1 - t) + b * t
            fn first(a(: T[_]))( -> T): return a[0]
    "#]],
    );
}

#[test]
fn sizes_are_shown_by_their_names() {
    check(
        "fn f(a: f32[k], n: i32):\n    let b = map(\\x -> x + 1.0, a)\n    let c = replicate(2 * n + 1, true)\n    let d = a[0:n]\n    return b\n",
        expect![[r#"
                fn f(a: f32[k], n: i32)‹ -> f32[k]›:
                    let b‹: f32[k]› = map(\x‹: f32› -> x + 1.0, a)
                    let c‹: bool[2 * n + 1]› = replicate(2 * n + 1, true)
                    let d‹: f32[n]› = a[0:n]
                    return b
        "#]],
    );
}

#[test]
fn structs_matrices_and_rows() {
    check(
        "struct P:\n    x: f32\nkernel k(p, m, n: i32, w: f32[n, n]):\n    row = m[n]\n    a = row[1]\n    q = p[0]\n    p[0].x = a + q.x\n    let r = w[0]\n    w[1] = r\n",
        expect![[r#"
                struct P:
                    x: f32
                kernel k(p(: P[_]), m(: f32[_, _]), n: i32, w: f32[n, n]):
                    row(: f32[_]) = m[n]
                    a‹: f32› = row[1]
                    q‹: P› = p[0]
                    p[0].x = a + q.x
                    let r‹: f32[n]› = w[0]
                    w[1] = r
        "#]],
    );
}

#[test]
fn a_size_that_is_hidden_cannot_be_written() {
    check(
        "kernel k(n: i32, out):\n    let a = iota(n)\n    for i in range(2):\n        let n = 1\n        out[i] = a[n]\n",
        expect![[r#"
                kernel k(n: i32, out(: i32[_])):
                    let a(: i32[n]) = iota(n)
                    for i(: i32) in range(2):
                        let n‹: i32› = 1
                        out[i] = a[n]
        "#]],
    );
}

#[test]
fn what_went_wrong_or_is_half_typed_has_no_hint() {
    check(
        "kernel k(a:, b):\n    let x: = 1\n    y = nope\n    z: f32 = 2\n    b[0] = x + y + z\n",
        expect![[r#"
            kernel k(a:, b(: f32[_])):
                let x: = 1
                y = nope
                z: f32 = 2
                b[0] = x + y + z
    "#]],
    );
    check(
        "kernel k(a) ->:\n    return 1\n",
        expect![[r#"
            kernel k(a‹: f32›) ->:
                return 1
    "#]],
    );
    check(
        "kernel k(a\n    return 1\n",
        expect![[r#"
            kernel k(a‹: f32›
                return 1
    "#]],
    );
}

#[test]
fn options_choose() {
    let text = "kernel k(a, n):\n    x = n\n    for i in range(x):\n        let b = map(\\v -> v, a)\n        a[i] = b[i]\n    return 1\n";
    check_with(
        text,
        &HintOptions::default(),
        expect![[r#"
            kernel k(a(: f32[_]), n‹: i32›)‹ -> i32›:
                x‹: i32› = n
                for i in range(x):( 8 lanes)
                    let b(: f32[_]) = map(\v‹: varying f32› -> v, a)
                    a[i] = b[i]
                return 1
        "#]],
    );
    check_with(
        text,
        &HintOptions { defaulted_only: true, ..HintOptions::ALL },
        expect![[r#"
            kernel k(a(: f32[_]), n‹: i32›):
                x‹: i32› = n
                for i(: i32) in range(x):( 8 lanes · about 0.12 cycles an element)
                    let b(: f32[_]) = map(\v‹: varying f32› -> v, a)
                    a[i] = b[i]
                return 1
        "#]],
    );
    let none = HintOptions { params: false, variables: false, indices: false, lambdas: false, ..HintOptions::ALL };
    check_with(
        text,
        &none,
        expect![[r#"
            kernel k(a, n)‹ -> i32›:
                x = n
                for i in range(x):( 8 lanes · about 0.12 cycles an element)
                    let b = map(\v‹: varying f32› -> v, a)
                    a[i] = b[i]
                return 1
        "#]],
    );
}

#[test]
fn a_range_takes_its_own() {
    check(
        "kernel k(a, n):\n    «x = n\n    y» = n\n    z = n\n    a[x] = y + z\nkernel l(b): pass\n",
        expect![[r#"
            kernel k(a, n):
                x‹: i32› = n
                y‹: i32› = n
                z = n
                a[x] = y + z
            kernel l(b): pass
    "#]],
    );
}

#[test]
fn tooltips_say_where_a_type_is_from() {
    let fixture = Fixture::new("kernel k(a, b: f32, n):\n    a[n] = b\n    m = a[n]\n    x = 1\n    return x\n");
    let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::ALL);
    let tooltips: String = hints.iter().map(|hint| format!("{}\n", hint.tooltip)).collect();
    expect![[r#"
            `a` is `f32[_]`, as it is used; `_` is a size that nothing is known about
            nothing decides the type of `n`: `i32` is the default
            the result is `i32`, like the values that are returned
            `m` is `f32`, as it is used
            nothing decides the type of `x`: `i32` is the default
    "#]]
    .assert_eq(&tooltips);
}

#[test]
fn types_are_written_down() {
    check_written(
        "const N = 4\nkernel sum(a: f64[n], n, gain):\n    total = 0.0\n    let k = n\n    for i in range(k):\n        total += a[i] * f64(gain)\n    return total\n",
        expect![[r#"
                const N: i32 = 4
                kernel sum(a: f64[n], n: i32, gain: f32) -> f64:
                    let total: f64 = 0.0
                    let k: i32 = n
                    for i in range(k):
                        total += a[i] * f64(gain)
                    return total
        "#]],
    );
}

#[test]
fn arrays_with_named_sizes_are_written_down() {
    check_written(
        "fn f(a: f32[k], n: i32):\n    b = map(\\x -> x + 1.0, a)\n    let c = replicate(2 * n + 1, 0.5)\n    let d = map(\\x y -> x * y, a, b)\n    return map(\\r -> r[0], replicate(n, d))[0] + c[0]\n",
        expect![[r#"
                fn f(a: f32[k], n: i32) -> f32:
                    let b: f32[k] = map(\x: f32 -> x + 1.0, a)
                    let c: f32[2 * n + 1] = replicate(2 * n + 1, 0.5)
                    let d: f32[k] = map(\x: f32 y: f32 -> x * y, a, b)
                    return map(\r: f32[k] -> r[0], replicate(n, d))[0] + c[0]
        "#]],
    );
}

#[test]
fn written_sizes_mean_what_they_meant() {
    check_written(
        "kernel k(n: i32):\n    a = replicate(2 * (n / 2), 0.5)\n    b = replicate(1 - n // 2, 0.5)\n    c = replicate(n - 2 * (n + 1) % 3 * (n / 2), a[0])\n    return b[0] + c[0]\n",
        expect![[r#"
                kernel k(n: i32) -> f32:
                    let a: f32[2 * (n / 2)] = replicate(2 * (n / 2), 0.5)
                    let b: f32[-(n // 2) + 1] = replicate(1 - n // 2, 0.5)
                    let c: f32[n - (n / 2) * ((2 * n + 2) % 3)] = replicate(n - 2 * (n + 1) % 3 * (n / 2), a[0])
                    return b[0] + c[0]
        "#]],
    );
}

#[test]
fn nothing_is_written_into_broken_items() {
    check_written(
        "kernel k(a, n):\n    x = a[n] + true\nkernel l(n):\n    x = n\n    return x\n",
        expect![[r#"
            kernel k(a, n):
                x = a[n] + true
            kernel l(n: f32) -> f32:
                let x: f32 = n
                return x
    "#]],
    );
}

#[test]
fn written_types_change_nothing() {
    let texts = [
        include_str!("../../../../examples/audio.lane"),
        include_str!("../../../../examples/futhark.lane"),
        include_str!("../../../../examples/image.lane"),
        include_str!("../../../../examples/nbody.lane"),
        include_str!("../../../../examples/neural.lane"),
        include_str!("../../../../examples/particles.lane"),
        include_str!("../../tests/suites/sizes.lane"),
        include_str!("../../tests/suites/types.lane"),
    ];
    for text in &texts {
        let once = written(text);
        assert_eq!(written(&once), once, "all was written at once");
    }
    let mut random = fastrand::Rng::with_seed(7);
    let mut n_written = 0;
    for _ in 0..300 {
        let text = without_some_types(texts[random.usize(..texts.len())], &mut random);
        n_written += usize::from(written(&text) != text);
    }
    assert!(n_written > 200, "{n_written} of 300 had types to write");
}

/// The text with some of its types left out.
fn without_some_types(text: &str, random: &mut fastrand::Rng) -> String {
    let tree = lane::tree::SourceFile::parse(text).syntax();
    let typed = |node: &lane::tree::SyntaxNode| {
        matches!(node.kind(), SyntaxKind::PARAM | SyntaxKind::LET_STMT | SyntaxKind::CONST | SyntaxKind::RET_TYPE)
    };
    let mut edits = Vec::new();
    for node in tree.descendants().filter(typed) {
        let Some(ty) = node.children().find(|child| child.kind() == SyntaxKind::TYPE) else { continue };
        let mark = |kind| matches!(kind, SyntaxKind::COLON | SyntaxKind::ARROW);
        let Some(mark) = node.children_with_tokens().find(|part| mark(part.kind())) else { continue };
        if random.bool() {
            let range = TextRange::new(mark.text_range().start(), ty.text_range().end());
            edits.push(TextEdit { range, text: String::new() });
        }
    }
    edits.sort_by_key(|edit| edit.range.start());
    edits.dedup_by(|next, edit| next.range.start() < edit.range.end());
    apply_edits(text, &edits)
}

#[test]
fn literals_in_calls_have_the_names_of_their_parameters() {
    check_with(
        "struct Camera:
    at: vec3
    zoom: f32 = 1.0

enum Shape:
    Circle(r: f32)
    Rect(w: f32, h: f32)

fn blend(a, b, by: f32, twice: bool = false):
    return a * (1 - by) + b * by

fn one(x):
    return x

kernel k(out: f32[4], x: f32):
    let camera = Camera(vec3(0, x, -1), 2.5)
    let named = Camera(vec3(0, 1, 2), zoom=1)
    let shape = Shape.Rect(1, x)
    out[0] = blend(x, 2, by=0.5) + blend(x, x, 0.5, true) + one(3) + max(x, 1) + camera.zoom + named.zoom
    match shape:
        case Rect(w, 1): out[1] = w
        case _: pass
",
        &HintOptions {
            params: false,
            variables: false,
            lambdas: false,
            results: false,
            varying: false,
            accesses: false,
            loops: false,
            ..HintOptions::ALL
        },
        expect![[r#"
            struct Camera:
                at: vec3
                zoom: f32 = 1.0

            enum Shape:
                Circle(r: f32)
                Rect(w: f32, h: f32)

            fn blend(a, b, by: f32, twice: bool = false):
                return a * (1 - by) + b * by

            fn one(x):
                return x

            kernel k(out: f32[4], x: f32):
                let camera = Camera(vec3((x=)0, x, ‹z=›-1), ‹zoom=›2.5)
                let named = Camera(vec3((x=)0, (y=)1, ‹z=›2), zoom=1)
                let shape = Shape.Rect((w=)1, x)
                out[0] = blend(x, ‹b=›2, by=0.5) + blend(x, x, (by=)0.5, ‹twice=›true) + one(3) + max(x, 1) + camera.zoom + named.zoom
                match shape:
                    case Rect(w, 1): out[1] = w
                    case _: pass
        "#]],
    );
}
