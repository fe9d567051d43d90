//! Cells that one iteration hands on to the next.

use expect_test::expect;

use super::check;
use crate::carry::carry;

#[test]
fn a_running_sum_in_memory_is_one_of_values() {
    check(
        carry,
        "\
kernel k(a: i32[n], y: i32[n], n):
    for i in range(1, n):
        y[i] = (y[(i - 1)] + a[i])
",
        expect![[r#"
            kernel k(a: i32[n], y: i32[n], n):
                let _0 = if (1 < n):
                    yield y[(1 - 1)]
                else:
                    yield 0
                let _1 = for i in range(1, n) with before = _0:
                    let _2 = (i - 1)
                    let _3 = (before + a[i])
                    y[i] = _3
                    yield _3
        "#]],
    );
}

#[test]
fn a_running_sum_downwards_is_one_of_values() {
    check(
        carry,
        "\
kernel k(a: u16[n], y: u16[n], n):
    for i in range((n - 2), -1, -1):
        y[i] = (y[(i + 1)] +% a[i])
",
        expect![[r#"
            kernel k(a: u16[n], y: u16[n], n):
                let _0 = (n - 2)
                let _1 = if (_0 > -1):
                    yield y[(_0 + 1)]
                else:
                    yield 0
                let _2 = for i in range(_0, -1, -1) with before = _1:
                    let _3 = (i + 1)
                    let _4 = (before +% a[i])
                    y[i] = _4
                    yield _4
        "#]],
    );
}

#[test]
fn a_neighbour_that_was_just_stored_is_not_loaded_by_lanes() {
    check(
        carry,
        "\
kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
    for i in range(0, (n - 1)):
        a[(i + 1)] = (b[i] + c[i])
        d[i] = (a[i] * b[i])
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n):
                let _0 = (n - 1)
                let _1 = if (0 < _0):
                    yield a[0]
                else:
                    yield 0.0
                let _2 = for i in range(0, _0) with before = _1:
                    let _3 = (i + 1)
                    let _4 = (b[i] + c[i])
                    a[_3] = _4
                    d[i] = (before * b[i])
                    yield _4
        "#]],
    );
}

#[test]
fn what_lanes_cannot_share_stays_in_memory() {
    for text in [
        // A square of what was stored before, and a sum of floats, have no form in lanes that gives the same bits.
        "\
kernel k(a: i32[n], y: i32[n], n):
    for i in range(1, n):
        y[i] = ((y[(i - 1)] * y[(i - 1)]) + a[i])
",
        "\
kernel k(a: f32[n], y: f32[n], n):
    for i in range(1, n):
        y[i] = (y[(i - 1)] + a[i])
",
        // Another store to the array, and a cell two iterations apart.
        "\
kernel k(a: i32[n], y: i32[n], n):
    for i in range(1, n):
        y[i] = (y[(i - 1)] + a[i])
        y[0] = 3
",
        "\
kernel k(a: i32[n], y: i32[n], n):
    for i in range(2, n):
        y[i] = (y[(i - 2)] + a[i])
",
        // Another array may have the same cells.
        "\
@alias(a, y)
kernel k(a: i32[n], y: i32[n], n):
    for i in range(1, n):
        y[i] = (y[(i - 1)] + a[i])
",
    ] {
        check(carry, text, expect!["unchanged"]);
    }
}
