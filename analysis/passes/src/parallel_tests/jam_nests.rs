//! Iterations of an outer loop that go through the loops inside together: which ones, and what they become.

use expect_test::expect;

use super::check;
use crate::{jam_nests, share_rows};

#[test]
fn loops_are_marked_whose_iterations_load_the_same_rows() {
    check(
        share_rows,
        "\
kernel cells(a: f32[n, k], b: f32[k, m], c: f32[n, m], n, k, m):
    for i in range(0, n):
        for j in range(0, m):
            let s = for p in range(0, k) with t = 0.0:
                yield (t + (a[i, p] * b[p, j]))
            c[i, j] = s
",
        expect![[r#"
            kernel cells(a: f32[n, k], b: f32[k, m], c: f32[n, m], n, k, m):
                @together(8)
                for i in range(0, n):
                    for j in range(0, m):
                        let s = for p in range(0, k) with t = 0.0:
                            yield (t + (a[i, p] * b[p, j]))
                        c[i, j] = s
        "#]],
    );
    check(
        share_rows,
        "\
kernel rows(a: f32[n, k], b: f32[k, m], c: f32[n, m], from: i32, n, k, m):
    for i in range(from, n):
        for j in range(0, m):
            c[i, j] = 0.0
        for p in range(0, k):
            for j in range(0, m):
                c[i, j] = (c[i, j] + (a[i, p] * b[p, j]))
",
        expect![[r#"
            kernel rows(a: f32[n, k], b: f32[k, m], c: f32[n, m], from_1, n, k, m):
                @together(4)
                for i in range(from_1, n):
                    for j in range(0, m):
                        c[i, j] = 0.0
                    for p in range(0, k):
                        for j_1 in range(0, m):
                            c[i, j_1] = (c[i, j_1] + (a[i, p] * b[p, j_1]))
        "#]],
    );
}

#[test]
fn iterations_go_through_loops_together_that_are_the_same_for_all() {
    // Eight iterations, then four, then those that are left; the branch is taken alike.
    check(
        jam_nests,
        "\
kernel cells(a: f32[n, k], b: f32[k, m], c: f32[n, m], n, k, m):
    @together(8)
    for i in range(0, n):
        for j in range(0, m):
            let s = for p in range(0, k) with t = 0.0:
                yield (t + (a[i, p] * b[p, j]))
            c[i, j] = s
        if (m < 3):
            c[i, 0] = b[0, 0]
",
        expect![[r#"
            kernel cells(a: f32[n, k], b: f32[k, m], c: f32[n, m], n, k, m):
                let _0 = (n - (n % 8))
                for i in range(0, _0, 8):
                    let _1 = (i + 1)
                    let _2 = (i + 2)
                    let _3 = (i + 3)
                    let _4 = (i + 4)
                    let _5 = (i + 5)
                    let _6 = (i + 6)
                    let _7 = (i + 7)
                    for j in range(0, m):
                        let _8, _9, _10, _11, _12, _13, _14, _15 = for p in range(0, k) with t = 0.0, t_1 = 0.0, t_2 = 0.0, t_3 = 0.0, t_4 = 0.0, t_5 = 0.0, t_6 = 0.0, t_7 = 0.0:
                            let _16 = a[i, p]
                            let _17 = a[_1, p]
                            let _18 = a[_2, p]
                            let _19 = a[_3, p]
                            let _20 = a[_4, p]
                            let _21 = a[_5, p]
                            let _22 = a[_6, p]
                            let _23 = a[_7, p]
                            let _24 = b[p, j]
                            yield (t + (_16 * _24)), (t_1 + (_17 * _24)), (t_2 + (_18 * _24)), (t_3 + (_19 * _24)), (t_4 + (_20 * _24)), (t_5 + (_21 * _24)), (t_6 + (_22 * _24)), (t_7 + (_23 * _24))
                        c[i, j] = _8
                        c[_1, j] = _9
                        c[_2, j] = _10
                        c[_3, j] = _11
                        c[_4, j] = _12
                        c[_5, j] = _13
                        c[_6, j] = _14
                        c[_7, j] = _15
                    if (m < 3):
                        let _25 = b[0, 0]
                        c[i, 0] = _25
                        c[_1, 0] = _25
                        c[_2, 0] = _25
                        c[_3, 0] = _25
                        c[_4, 0] = _25
                        c[_5, 0] = _25
                        c[_6, 0] = _25
                        c[_7, 0] = _25
                let _26 = max(_0, n)
                let _27 = (_26 -% ((_26 -% _0) & 3))
                for i_1 in range(_0, _27, 4):
                    let _28 = (i_1 + 1)
                    let _29 = (i_1 + 2)
                    let _30 = (i_1 + 3)
                    for j_1 in range(0, m):
                        let _31, _32, _33, _34 = for p_1 in range(0, k) with t_8 = 0.0, t_9 = 0.0, t_10 = 0.0, t_11 = 0.0:
                            let _35 = a[i_1, p_1]
                            let _36 = a[_28, p_1]
                            let _37 = a[_29, p_1]
                            let _38 = a[_30, p_1]
                            let _39 = b[p_1, j_1]
                            yield (t_8 + (_35 * _39)), (t_9 + (_36 * _39)), (t_10 + (_37 * _39)), (t_11 + (_38 * _39))
                        c[i_1, j_1] = _31
                        c[_28, j_1] = _32
                        c[_29, j_1] = _33
                        c[_30, j_1] = _34
                    if (m < 3):
                        let _40 = b[0, 0]
                        c[i_1, 0] = _40
                        c[_28, 0] = _40
                        c[_29, 0] = _40
                        c[_30, 0] = _40
                for i_2 in range(_27, n):
                    for j_2 in range(0, m):
                        let s = for p_2 in range(0, k) with t_12 = 0.0:
                            yield (t_12 + (a[i_2, p_2] * b[p_2, j_2]))
                        c[i_2, j_2] = s
                    if (m < 3):
                        c[i_2, 0] = b[0, 0]
        "#]],
    );
    // From another start on, the number of iterations that are left over is told by its last bits, whatever the bounds are. A loop over a
    // range of its own is copied whole.
    check(
        jam_nests,
        "\
kernel rows(a: f32[n, k], b: f32[k, m], c: f32[n, m], from: i32, n, k, m):
    @together(4)
    for i in range(from, n):
        for j in range(0, i):
            c[i, j] = 0.0
        for j in range(0, m):
            c[i, j] = (c[i, j] + b[0, j])
",
        expect![[r#"
            kernel rows(a: f32[n, k], b: f32[k, m], c: f32[n, m], from_1, n, k, m):
                let _0 = max(from_1, n)
                let _1 = (_0 -% ((_0 -% from_1) & 3))
                for i in range(from_1, _1, 4):
                    let _2 = (i + 1)
                    let _3 = (i + 2)
                    let _4 = (i + 3)
                    for j in range(0, i):
                        c[i, j] = 0.0
                    for j_1 in range(0, _2):
                        c[_2, j_1] = 0.0
                    for j_2 in range(0, _3):
                        c[_3, j_2] = 0.0
                    for j_3 in range(0, _4):
                        c[_4, j_3] = 0.0
                    for j_4 in range(0, m):
                        let _5 = c[i, j_4]
                        let _6 = c[_2, j_4]
                        let _7 = c[_3, j_4]
                        let _8 = c[_4, j_4]
                        let _9 = b[0, j_4]
                        c[i, j_4] = (_5 + _9)
                        c[_2, j_4] = (_6 + _9)
                        c[_3, j_4] = (_7 + _9)
                        c[_4, j_4] = (_8 + _9)
                for i_1 in range(_1, n):
                    for j_5 in range(0, i_1):
                        c[i_1, j_5] = 0.0
                    for j_6 in range(0, m):
                        c[i_1, j_6] = (c[i_1, j_6] + b[0, j_6])
        "#]],
    );
}

#[test]
fn loops_are_not_marked_whose_iterations_share_no_rows_or_wait_for_each_other() {
    // Rows of their own, two loops alone, a range of their own, a row that the iteration before has written, rows that are written
    // inside, and an array of their own.
    for (inner, sum) in [
        ("for p in range(0, k) with t = 0.0:", "(t + (a[i, p] * d[i, p, j]))"),
        ("for p in range(0, i) with t = 0.0:", "(t + (a[i, p] * b[p, j]))"),
        ("for p in range(1, k) with t = 0.0:", "(t + (c[max((i - 1), 0), j] * b[p, j]))"),
    ] {
        let text = format!(
            "kernel f(a: f32[n, k], b: f32[k, m], c: f32[n, m], d: f32[n, k, m], n, k, m):\n    for i in range(0, n):\n        \
             for j in range(0, m):\n            let s = {inner}\n                yield {sum}\n            c[i, j] = s\n"
        );
        check(share_rows, &text, expect!["unchanged"]);
    }
    check(
        share_rows,
        "\
kernel f(b: f32[m], c: f32[n, m], n, m):
    for i in range(0, n):
        for j in range(0, m):
            c[i, j] = (c[i, j] + b[j])
",
        expect!["unchanged"],
    );
    check(
        share_rows,
        "\
kernel f(a: f32[n, k], b: f32[k, m], c: f32[n, m], n, k, m):
    for i in range(0, n):
        let own = temp(k, type=f32)
        for p in range(0, k):
            own[p] = (a[i, p] * 2.0)
        for j in range(0, m):
            let s = for p in range(0, k) with t = 0.0:
                yield (t + (own[p] * b[p, j]))
            c[i, j] = s
",
        expect!["unchanged"],
    );
}
