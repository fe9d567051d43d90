//! Loops that whole arrays become, as a person would write them.

use crate::common;

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use ide::explain::explain_item;
use queries::db::{Database, File, cut_file};
use queries::stages::{Options, stage};
use syntax::{ItemKind, Severity};

/// The kernels of a program at the stage `sequential`.
fn check(text: &str, expected: Expect) {
    let errors = common::diagnostics(text).into_iter().filter(|found| found.severity == Severity::Error);
    assert_eq!(common::render(text, &errors.collect::<Vec<_>>()), "");
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let stage = stage("sequential").expect("it is one of the stages");
    let kernels = cut_file(&db, file).items.iter().filter(|item| item.kind(&db) == ItemKind::Kernel);
    let shown: String = kernels.map(|&item| stage.of(&db, item, Options::default()).text()).collect();
    expected.assert_eq(&shown);
}

#[test]
fn a_row_is_changed_in_place_in_each_iteration() {
    check(
        "kernel k(a: f32[n, m], sums: f32[c, m], at: i32[n], n: i32, m: i32, c: i32):
    for i in range(n):
        sums[at[i]] += a[i]
",
        expect![[r#"
            kernel k(a: f32[n, m], sums: f32[c, m], at: i32[n], n, m, c):
                for i in range(0, n):
                    let _0 = at[i]
                    for j in range(0, m):
                        sums[_0, j] = (sums[_0, j] + a[i, j])
        "#]],
    );
}

#[test]
fn an_array_that_one_loop_uses_twice_is_computed_there() {
    check(
        "kernel k(a: f32[n], out: f32[n], n: i32):
    let x = sqrt(a * 2.0 + 1.0)
    out[:] = x * x + (x - 1.0) * exp(x)
",
        expect![[r#"
            kernel k(a: f32[n], out: f32[n], n):
                for i in range(0, n):
                    let x = sqrt(((a[i] * 2.0) + 1.0))
                    let w = f64(min(89.0, max(-104.0, x)))
                    let shifted = mul_add(w, 1.4426950408889634, 6755399441056767.0)
                    let scale = bitcast((bitcast(shifted, type=u64) << 52), type=f64)
                    let _0 = mul_add(w, 6.331784189566044e-10, mul_add(w, 1.442695040255785, (-(shifted - 6755399441056767.0))))
                    let g = (_0 * _0)
                    let g2 = (g * g)
                    let c2 = mul_add(g, 0.00961812910760732, 0.24022650695910097)
                    let c6 = mul_add(g, 1.321544283977704e-6, 0.00015403530441205664)
                    let even = mul_add(g2, mul_add(g2, 7.072545264814946e-9, c6), c2)
                    let g_1 = (_0 * _0)
                    let g2_1 = (g_1 * g_1)
                    let c1 = mul_add(g_1, 0.05550410866482321, 0.6931471805599453)
                    let c5 = mul_add(g_1, 1.5252734103798873e-5, 0.0013333558146089513)
                    let c9 = mul_add(g_1, 4.468823819690841e-10, 1.0177960783878692e-7)
                    out[i] = ((x * x) + ((x - 1.0) * f32(mul_add(scale, mul_add(g, even, (_0 * mul_add(g2_1, mul_add(g2_1, c9, c5), c1))), scale))))
        "#]],
    );
    check(
        "kernel k(a: f32[n], out: f32[n], n: i32):
    let b = a * a - 1.0
    let c = b * b - 1.0
    let d = c * c - 1.0
    let e = d * d - 1.0
    out[:] = e * e
",
        expect![[r#"
            kernel k(a: f32[n], out: f32[n], n):
                for i in range(0, n):
                    let _0 = ((a[i] * a[i]) - 1.0)
                    let _1 = ((_0 * _0) - 1.0)
                    let _2 = ((_1 * _1) - 1.0)
                    let _3 = ((_2 * _2) - 1.0)
                    out[i] = (_3 * _3)
        "#]],
    );
}

/// The first element, which a maximum starts with, is no reason to keep all of them.
#[test]
fn one_element_alone_is_computed_again() {
    check(
        "kernel k(a: f32[n], n: i32) -> f32:
    return maximum(sqrt(a))
",
        expect![[r#"
            kernel k(a: f32[n], n) -> f32:
                assert_some(n)
                let _0 = for i in range(0, n) with s = sqrt(a[0]):
                    let x = sqrt(a[i])
                    yield max(s, x)
                return _0
        "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32) -> i32:
    return argmin(sqrt(a))
",
        expect![[r#"
            kernel k(a: f32[n], n) -> i32:
                assert_some(n)
                let least = sqrt(a[0])
                let at, least_1 = for i in range(1, n) with at_1 = 0, least_2 = least:
                    let x = sqrt(a[i])
                    let at_2, least_3 = if (x < least_2):
                        yield i, x
                    else:
                        yield at_1, least_2
                    yield at_2, least_3
                return at
        "#]],
    );
}

#[test]
fn a_function_of_scalars_is_applied_in_the_loop_of_its_arrays() {
    check(
        "fn mixed(x, y, t):
    return x + (y - x) * t

kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):
    out[:] = 2.0 * mixed(a, b, 0.25)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], out: f32[n], n):
                for i in range(0, n):
                    let x = a[i]
                    let y = b[i]
                    out[i] = (2.0 * (x + ((y - x) * 0.25)))
        "#]],
    );
}

/// The report of each kernel: its loops, and how the cells of its accesses lie.
fn check_told(text: &str, expected: Expect) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut told = String::new();
    for &item in &cut_file(&db, file).items {
        let Some(explained) = explain_item(&db, item) else { continue };
        let line = |at| text[..usize::from(at)].lines().count();
        for it in &explained.loops {
            let _ = writeln!(told, "line {}: {}", line(it.range.start()), it.headline());
        }
        for access in &explained.accesses {
            let _ = writeln!(told, "`{}`: {}", access.text, access.class);
        }
    }
    expected.assert_eq(&told);
}

/// The copy that such a loop starts with is a loop of its own, and what becomes of it says nothing of the one that was written.
#[test]
fn a_loop_that_hands_on_an_array_has_its_own_verdict() {
    check_told(
        "kernel relax(b: f64[n], x: f64[n], n: i32, rounds: i32):
    let r = b
    for k in range(rounds):
        r = 0.5 * r + b
    x[:] = r
",
        expect![[r#"
            line 3: in order: loop-carried-flow
            line 4: 4 lanes
            line 5: 4 lanes
            `for k in range ( rounds ) : r = 0.5 * r + b`: contiguous
            `for k in range ( rounds ) : r = 0.5 * r + b`: contiguous
            `0.5 * r + b`: contiguous
            `0.5 * r + b`: contiguous
            `0.5 * r`: contiguous
            `x[:] = r`: contiguous
            `x[:]`: contiguous
        "#]],
    );
}

#[test]
fn the_index_of_a_comprehension_has_its_name() {
    check(
        "kernel hamming(codes: u64[n, 4], query: u64[4], out: i32[n], n: i32):
    foreach i in range(n):
        out[i] = sum(i32(popcount(codes[i, k] ^ query[k])) for k in range(4))
",
        expect![[r#"
            kernel hamming(codes: u64[n, 4], query: u64[4], out: i32[n], n):
                foreach i in range(0, n):
                    let _0 = for k in range(0, 4) with s = 0:
                        let x = i32(popcount((codes[i, k] ^ query[k])))
                        yield (s + x)
                    out[i] = _0
        "#]],
    );
}
