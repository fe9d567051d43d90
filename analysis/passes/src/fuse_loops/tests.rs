//! Tests of loop fusion: what is fused, and what is left alone and why.

use expect_test::{Expect, expect};

use crate::pipeline::Options;
use crate::{Context, FUSE_LOOPS};
use ir::{print, read, verify};

fn check(text: &str, expect: Expect) {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options::default();
    let mut context = Context::new(&options);
    let changed = FUSE_LOOPS.apply(&mut kernel, &mut context);
    assert_eq!(verify(&kernel), Ok(()));
    let decisions = context.take_decisions();
    assert_eq!(changed, decisions.iter().any(|decision| decision.taken));
    let said = decisions.iter().map(|decision| {
        let words: Vec<String> = decision.because.iter().map(|said| said.to_string()).collect();
        format!("{} {}: {}\n", if decision.taken { "took" } else { "left" }, decision.code, words.join(" "))
    });
    expect.assert_eq(&format!("{}{}", print(&kernel).text, said.collect::<String>()));
}

#[test]
fn reductions_of_one_array_are_one_loop() {
    check(
        "\
kernel extremes(a: f32[n], out: f32[4], n):
    assert((n > 0))
    let least = for i in range(0, n) with s = a[0]:
        yield min(s, a[i])
    out[0] = least
    assert((n > 1))
    let most = for j in range(0, n) with s_1 = a[0]:
        yield max(s_1, a[j])
    out[1] = most
    let sum = for k in range(0, n) reducing + from 0.0:
        yield a[k]
    out[2] = sum
    let squares = for l in range(0, n) reducing + from 0.0:
        let x = (a[l] * a[l])
        yield x
    out[3] = squares
",
        expect![[r#"
            kernel extremes(a: f32[n], out: f32[4], n):
                assert((n > 0))
                let _0 = a[0]
                assert((n > 1))
                let least, most, sum, squares = for i in range(0, n) with s = _0, s_1 = a[0] reducing + from 0.0, + from 0.0:
                    let _1 = a[i]
                    let _2 = a[i]
                    let _3 = a[i]
                    let x = (a[i] * a[i])
                    yield min(s, _1), max(s_1, _2), _3, x
                out[0] = least
                out[1] = most
                out[2] = sum
                out[3] = squares
            took loops-fused: it runs as one with this , since both go through `a`
            took loops-fused: it runs as one with this , since both go through `a`
            took loops-fused: it runs as one with this , since both go through `a`
        "#]],
    );
}

#[test]
fn arrays_that_live_within_an_iteration_become_values() {
    check(
        "\
kernel k(a: f32[n], out: f32[n], more: f32[n], n):
    let t = temp(n, unset=f32)
    for i in range(0, n):
        t[i] = sqrt(a[i])
    let u = temp(n, unset=f32)
    for j in range(0, n):
        u[j] = (t[j] + 1.0)
    for k in range(0, n):
        out[k] = (t[k] * u[k])
    for l in range(0, n):
        if (u[l] > 2.0):
            more[l] = t[l]
",
        expect![[r#"
            kernel k(a: f32[n], out: f32[n], more: f32[n], n):
                for i in range(0, n):
                    let _0 = sqrt(a[i])
                    let _1 = (_0 + 1.0)
                    out[i] = (_0 * _1)
                    if (_1 > 2.0):
                        more[i] = _0
            took loops-fused: it runs as one with this , since both go through `t`
            took loops-fused: it runs as one with this , since both go through `u`
            took loops-fused: it runs as one with this , since both go through `t`
            took array-in-registers: each of its elements is a value, since the loops that make and use it run as one
            took array-in-registers: each of its elements is a value, since the loops that make and use it run as one
        "#]],
    );
}

#[test]
fn an_array_that_is_read_elsewhere_stays_in_memory() {
    check(
        "\
kernel k(a: f32[n], out: f32[n], more: f32[n], n):
    let t = temp(n, unset=f32)
    for i in range(0, n):
        t[i] = sqrt(a[i])
    for j in range(0, n):
        out[j] = t[j]
    for k in range(1, n):
        more[k] = t[(k - 1)]
",
        expect![[r#"
            kernel k(a: f32[n], out: f32[n], more: f32[n], n):
                let t = temp(n, unset=f32)
                for i in range(0, n):
                    t[i] = sqrt(a[i])
                    out[i] = t[i]
                for k in range(1, n):
                    more[k] = t[(k - 1)]
            took loops-fused: it runs as one with this , since both go through `t`
        "#]],
    );
}

#[test]
fn nests_are_fused_from_the_outside_in() {
    check(
        "\
kernel k(m: f32[h, w], t: f32[h, w], rows: f32[h], h, w):
    for i in range(0, h):
        for j in range(0, w):
            t[i, j] = (m[i, j] * 2.0)
    for y in range(0, h):
        let least = for x in range(0, w) with s = 0.0:
            yield min(s, m[y, x])
        rows[y] = least
",
        expect![[r#"
            kernel k(m: f32[h, w], t: f32[h, w], rows: f32[h], h, w):
                for i in range(0, h):
                    let least = for j in range(0, w) with s = 0.0:
                        t[i, j] = (m[i, j] * 2.0)
                        yield min(s, m[i, j])
                    rows[i] = least
            took loops-fused: it runs as one with this , since both go through `m`
        "#]],
    );
}

#[test]
fn an_iteration_must_not_come_before_one_that_it_needs() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, (n - 1)):
        b[i] = a[i]
    for j in range(0, (n - 1)):
        c[j] = (b[(j + 1)] + a[j])
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], n):
                for i in range(0, (n - 1)):
                    b[i] = a[i]
                for j in range(0, (n - 1)):
                    c[j] = (b[(j + 1)] + a[j])
            left loops-fused: it does not run as one with this , which shares `a` , because iteration 0 of this loop would come before iteration 1 of the other one, and both touch one cell of `b`
        "#]],
    );
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        b[i] = a[i]
    for j in range(1, n):
        c[j] = (b[(j - 1)] + a[j])
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], n):
                for i in range(1, n):
                    b[i] = a[i]
                for j in range(1, n):
                    c[j] = (b[(j - 1)] + a[j])
            left loops-fused: it does not run as one with this , which shares `a` , because iterations would load from `b` what earlier ones have only just stored, and wait for it
        "#]],
    );
    check(
        "\
kernel k(a: f32[n], b: f32[n], p: i32[n], n):
    for i in range(0, n):
        b[p[i]] = a[i]
    for j in range(0, n):
        b[j] = a[j]
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], p: i32[n], n):
                for i in range(0, n):
                    b[p[i]] = a[i]
                for j in range(0, n):
                    b[j] = a[j]
            left loops-fused: it does not run as one with this , which shares `a` , because iteration 0 of this loop would come before iteration 1 of the other one, and both touch one cell of `b`
        "#]],
    );
}

#[test]
fn loops_that_share_nothing_or_lose_their_lanes_stay_apart() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
    for i in range(0, n):
        b[i] = (a[i] * 2.0)
    for j in range(0, n):
        d[j] = c[j]
    for k in range(1, n):
        d[k] = (d[(k - 1)] + sqrt(c[k]))
    for l in range(1, n):
        b[l] = (sqrt(c[l]) + (c[l] * (c[l] / 3.0)))
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                for i in range(0, n):
                    b[i] = (a[i] * 2.0)
                for j in range(0, n):
                    d[j] = c[j]
                for k in range(1, n):
                    d[k] = (d[(k - 1)] + sqrt(c[k]))
                for l in range(1, n):
                    b[l] = (sqrt(c[l]) + (c[l] * (c[l] / 3.0)))
            left loops-fused: it does not run as one with this , which shares `c` , because the lanes that one of them has would be lost
        "#]],
    );
}

/// Iterations of the first loop can be lanes, which cost about as much as the iterations in order; the second one's cannot.
#[test]
fn lanes_are_not_given_up() {
    check(
        "\
kernel k(m: f32[r, c], s: f32[r], r, c):
    for i in range(0, r):
        let t = for j in range(0, c) with u = 0.0:
            yield (u + m[i, j])
        s[i] = t
    for y in range(0, r):
        let v = for x in range(0, c) with w = 0.0:
            yield (w + (m[y, x] * m[0, x]))
        m[y, 0] = v
",
        expect![[r#"
            kernel k(m: f32[r, c], s: f32[r], r, c):
                for i in range(0, r):
                    let t = for j in range(0, c) with u = 0.0:
                        yield (u + m[i, j])
                    s[i] = t
                for y in range(0, r):
                    let v = for x in range(0, c) with w = 0.0:
                        yield (w + (m[y, x] * m[0, x]))
                    m[y, 0] = v
            left loops-fused: it does not run as one with this , which shares `m` , because the lanes that one of them has would be lost
        "#]],
    );
}

#[test]
fn what_stands_between_goes_in_front_or_behind_or_keeps_the_loops_apart() {
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[4], n):
    let s = for i in range(0, n) reducing + from 0.0:
        yield a[i]
    let x = d[0]
    d[1] = s
    for j in range(0, n):
        c[j] = (a[j] * x)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[4], n):
                let x = d[0]
                let s = for i in range(0, n) reducing + from 0.0:
                    let _0 = a[i]
                    c[i] = (a[i] * x)
                    yield _0
                d[1] = s
            took loops-fused: it runs as one with this , since both go through `a`
        "#]],
    );
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[4], n):
    let s = for i in range(0, n) reducing + from 0.0:
        yield a[i]
    d[0] = 1.0
    let x = d[0]
    for j in range(0, n):
        c[j] = (a[j] * x)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[4], n):
                let s = for i in range(0, n) reducing + from 0.0:
                    yield a[i]
                d[0] = 1.0
                let x = d[0]
                for j in range(0, n):
                    c[j] = (a[j] * x)
        "#]],
    );
    check(
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, n):
        b[i] = a[i]
    let x = b[0]
    for j in range(0, n):
        c[j] = (a[j] * x)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], n):
                for i in range(0, n):
                    b[i] = a[i]
                let x = b[0]
                for j in range(0, n):
                    c[j] = (a[j] * x)
        "#]],
    );
}

#[test]
fn arrays_that_may_overlap_keep_loops_apart() {
    check(
        "\
@alias(b, c)
kernel k(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(0, n):
        b[i] = a[i]
    for j in range(0, n):
        a[j] = c[j]
",
        expect![[r#"
            @alias(b, c)
            kernel k(a: f32[n], b: f32[n], c: f32[n], n):
                for i in range(0, n):
                    b[i] = a[i]
                for j in range(0, n):
                    a[j] = c[j]
        "#]],
    );
}

/// Verdicts and costs of a whole kernel take long, and most pairs of loops are no candidates, or are apart for a dependence.
#[test]
fn verdicts_are_asked_only_where_loops_may_be_one() {
    let asks = |body: &str| {
        let text = format!("kernel k(a: f32[n], b: f32[n], out: f32[n], n):\n{body}");
        let mut kernel = read(&text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
        let options = Options::default();
        let mut context = Context::new(&options);
        super::fuse_loops(&mut kernel, &mut context);
        context.loops.is_some()
    };
    let [first, second] = ["i", "j"].map(|index| format!("    for {index} in range(0, n):\n        "));
    assert!(!asks(&format!("{first}b[i] = a[i]\n")), "a loop alone");
    assert!(!asks(&format!("{first}b[i] = 1.0\n{second}out[j] = a[j]\n")), "loops that share nothing");
    assert!(
        !asks(&format!("{first}b[i] = a[i]\n{second}out[j] = (b[((n - j) - 1)] + a[j])\n")),
        "cells in the other order"
    );
    assert!(asks(&format!("{first}b[i] = a[i]\n{second}out[j] = (b[j] + a[j])\n")), "loops that are one");
}
