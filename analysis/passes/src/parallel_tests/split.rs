//! Tests of loops that are split.

use expect_test::expect;

use super::check;
use crate::split;

#[test]
fn loops_are_taken_apart_where_that_is_less_work() {
    check(
        split,
        "\
kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = ((b[i] * b[i]) + (d[i] * 0.5))
        a[i] = (a[(i - 1)] + b[i])
        c[i] = sqrt((x + (d[i] / (x + 1.0))))
",
        expect![[r#"
            kernel part(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                for i in range(1, n):
                    a[i] = (a[(i - 1)] + b[i])
                for i_1 in range(1, n):
                    let x = ((b[i_1] * b[i_1]) + (d[i_1] * 0.5))
                    c[i_1] = sqrt((x + (d[i_1] / (x + 1.0))))
        "#]],
    );
    // A value that both parts need comes from an array that the loop writes.
    check(
        split,
        "\
kernel shared(a: f32[n], c: f32[n], d: f32[n], n):
    for i in range(1, n):
        let x = a[(i - 1)]
        a[i] = (x + d[i])
        c[i] = sqrt(((x * d[i]) + (d[i] / (x + 1.0))))
",
        expect!["unchanged"],
    );
    // Too little is won.
    check(
        split,
        "\
kernel small(a: f32[n], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        a[i] = (a[(i - 1)] + b[i])
        c[i] = 1.0
",
        expect!["unchanged"],
    );
}

#[test]
fn sums_in_the_fixed_order_have_lanes_of_their_own() {
    check(
        split,
        "\
kernel norm(a: f32[n], b: f32[n], n) -> f32:
    let r, s, t = for i in range(1, n) with u = 1 reducing + from 0.0, max from 1.0:
        b[i] = (b[(i - 1)] * 0.5)
        let v = (u *% 3)
        yield v, sqrt((a[i] / (a[i] + 2.0))), sqrt((a[i] * 0.5))
    return s
",
        expect![[r#"
            kernel norm(a: f32[n], b: f32[n], n) -> f32:
                for i in range(1, n):
                    b[i] = (b[(i - 1)] * 0.5)
                let r, s, t = for i_1 in range(1, n) with u = 1 reducing + from 0.0, max from 1.0:
                    let v = (u *% 3)
                    yield v, sqrt((a[i_1] / (a[i_1] + 2.0))), sqrt((a[i_1] * 0.5))
                return s
        "#]],
    );
}

#[test]
fn loops_that_hand_on_values_are_taken_apart() {
    // The sum keeps its order, and the roots have lanes.
    check(
        split,
        "\
kernel total(a: f32[n], c: f32[n], n) -> f32:
    let s = for i in range(0, n) with t = 0.0:
        let x = a[i]
        c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
        yield (t + x)
    return s
",
        expect![[r#"
            kernel total(a: f32[n], c: f32[n], n) -> f32:
                for i in range(0, n):
                    let x = a[i]
                    c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
                let s = for i_1 in range(0, n) with t = 0.0:
                    let x_1 = a[i_1]
                    yield (t + x_1)
                return s
        "#]],
    );
    // A value that several parts need is carried by each of them; its final value comes from one.
    check(
        split,
        "\
kernel both(a: f32[n], c: f32[n], n) -> f32:
    let s, k = for i in range(0, n) with t = 0.0, k = 2:
        let x = a[(i + k)]
        c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
        yield (t + x), k
    return (s + f32(k))
",
        expect![[r#"
            kernel both(a: f32[n], c: f32[n], n) -> f32:
                let k = for i in range(0, n) with k_1 = 2:
                    let x = a[(i + k_1)]
                    c[i] = sqrt(((x * x) + (sqrt(x) / (x + 1.0))))
                    yield k_1
                let s, _0 = for i_1 in range(0, n) with t = 0.0, k_2 = 2:
                    let x_1 = a[(i_1 + k_2)]
                    yield (t + x_1), k_2
                return (s + f32(k))
        "#]],
    );
    // The running sum is what is stored.
    check(
        split,
        "\
kernel running(a: f32[n], c: f32[n], n):
    let s = for i in range(0, n) with t = 0.0:
        let u = (t + a[i])
        c[i] = sqrt((u * u))
        yield u
    c[0] = s
",
        expect!["unchanged"],
    );
}

#[test]
fn what_is_handed_on_again_stays_with_what_it_comes_from() {
    // The load has to stand behind the store of the second loop.
    check(
        split,
        "\
kernel k(a: f64[80], p: f64[80], c: f64[80], n) -> f64:
    let x, y = for i in range(4, n) with x = 0.0, y = 0.0:
        p[i] = (c[i] * c[i])
        a[i] = x
        let next = a[i]
        yield next, x
    return y
",
        expect![[r#"
            kernel k(a: f64[80], p: f64[80], c: f64[80], n) -> f64:
                for i in range(4, n):
                    p[i] = (c[i] * c[i])
                let x, y = for i_1 in range(4, n) with x_1 = 0.0, y_1 = 0.0:
                    a[i_1] = x_1
                    let next = a[i_1]
                    yield next, x_1
                return y
        "#]],
    );
}

#[test]
fn loops_of_nests_are_taken_apart() {
    // No loop of it may have lanes; along `i` the roots may.
    check(
        split,
        "\
kernel outer(a: f32[n], c: f32[n], d: f32[n, 4], e: f32[n], n):
    for i in range(1, n):
        let x = e[i]
        a[i] = (a[(i - 1)] + x)
        c[i] = (sqrt((x * x)) + (sqrt((x + 1.0)) / (x + 2.0)))
        for k in range(1, 4):
            d[i, k] = ((d[i, (k - 1)] * x) + a[i])
",
        expect![[r#"
            kernel outer(a: f32[n], c: f32[n], d: f32[n, 4], e: f32[n], n):
                for i in range(1, n):
                    let x = e[i]
                    a[i] = (a[(i - 1)] + x)
                for i_1 in range(1, n):
                    let x_1 = e[i_1]
                    c[i_1] = (sqrt((x_1 * x_1)) + (sqrt((x_1 + 1.0)) / (x_1 + 2.0)))
                    for k in range(1, 4):
                        d[i_1, k] = ((d[i_1, (k - 1)] * x_1) + a[i_1])
        "#]],
    );
    // The inner one, inside of one that has none either.
    check(
        split,
        "\
kernel inner(a: f32[n, n], b: f32[n, n], c: f32[n, n], n):
    for i in range(1, n):
        for j in range(1, n):
            a[i, j] = ((a[i, (j - 1)] + a[(i - 1), j]) * b[i, j])
            c[i, j] = (sqrt(b[i, j]) + (sqrt((b[i, j] + 1.0)) / (b[i, j] + 2.0)))
",
        expect![[r#"
            kernel inner(a: f32[n, n], b: f32[n, n], c: f32[n, n], n):
                for i in range(1, n):
                    for j in range(1, n):
                        a[i, j] = ((a[i, (j - 1)] + a[(i - 1), j]) * b[i, j])
                    for j_1 in range(1, n):
                        c[i, j_1] = (sqrt(b[i, j_1]) + (sqrt((b[i, j_1] + 1.0)) / (b[i, j_1] + 2.0)))
        "#]],
    );
    // Statements beside a vectorised loop may have lanes of their own, along the other loop.
    check(
        split,
        "\
kernel beside(a: f32[n, 8], b: f32[n], c: f32[n], n):
    for i in range(1, n):
        let x = b[i]
        c[i] = ((sqrt(x) / (x + 1.0)) + (sqrt((x + 3.0)) / (x + 2.0)))
        for j in range(0, 8):
            a[i, j] = (a[(i - 1), j] + x)
",
        expect![[r#"
            kernel beside(a: f32[n, 8], b: f32[n], c: f32[n], n):
                for i in range(1, n):
                    let x = b[i]
                    c[i] = ((sqrt(x) / (x + 1.0)) + (sqrt((x + 3.0)) / (x + 2.0)))
                for i_1 in range(1, n):
                    let x_1 = b[i_1]
                    for j in range(0, 8):
                        a[i_1, j] = (a[(i_1 - 1), j] + x_1)
        "#]],
    );
}
