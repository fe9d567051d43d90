//! Tests of accesses that both sides of a branch have.

use expect_test::expect;

use super::check;
use crate::common_accesses;

#[test]
fn cases_of_one_cell_load_and_store_it_once() {
    check(
        common_accesses,
        "\
kernel k(a: f32[n], b: f32[n], q: i32[n], n: i32):
    for i in range(0, n):
        let c = q[i]
        if (c == 2):
            a[i] = (a[i] + b[i])
        else:
            if (c == 3):
                a[i] = (a[i] - b[i])
            else:
                a[i] = (a[i] * 2.0)
",
        expect![[r#"
            kernel k(a: f32[n], b: f32[n], q: i32[n], n):
                for i in range(0, n):
                    let c = q[i]
                    let _0 = a[i]
                    let _1 = if (c == 2):
                        yield (_0 + b[i])
                    else:
                        let _2 = if (c == 3):
                            yield (_0 - b[i])
                        else:
                            yield (_0 * 2.0)
                        yield _2
                    a[i] = _1
        "#]],
    );
}

#[test]
fn cells_are_compared_by_how_they_are_computed() {
    check(
        common_accesses,
        "\
kernel k(a: f32[n, n], b: f32[n], q: i32[n], n: i32):
    for i in range(0, n):
        if (b[i] > 0.0):
            a[i, (q[i] & 15)] = 1.0
        else:
            let at = (q[i] & 15)
            a[i, at] = b[i]
",
        expect![[r#"
            kernel k(a: f32[n, n], b: f32[n], q: i32[n], n):
                for i in range(0, n):
                    let _0 = b[i]
                    let _1 = q[i]
                    let _2 = if (_0 > 0.0):
                        let _3 = (_1 & 15)
                        yield 1.0
                    else:
                        let at = (_1 & 15)
                        yield b[i]
                    a[i, (_1 & 15)] = _2
        "#]],
    );
}

#[test]
fn what_stands_between_keeps_accesses_where_they_are() {
    let unchanged = |body: &str| {
        let text = format!(
            "kernel k(a: f32[n], b: f32[n], q: i32[n], n: i32):\n    for i in range(0, n):\n        if (q[i] > 0):\n{body}"
        );
        check(common_accesses, &text, expect!["unchanged"]);
    };
    // A store that another access follows, on either side, and a load that a store stands before.
    unchanged("            a[i] = 1.0\n            b[i] = a[0]\n        else:\n            a[i] = 2.0\n");
    unchanged("            a[i] = 1.0\n        else:\n            a[i] = 2.0\n            b[i] = a[(n - 1)]\n");
    unchanged(
        "            a[0] = 1.0\n            b[i] = a[i]\n        else:\n            a[1] = 2.0\n            b[0] = a[i]\n",
    );
    // Another cell, and a side without.
    unchanged("            a[i] = 1.0\n        else:\n            a[(i + 1)] = 2.0\n");
    unchanged("            a[i] = 1.0\n        else:\n            b[i] = 2.0\n");
    // Arrays that may overlap.
    let text = "\
@alias(a, b)
kernel k(a: f32[n], b: f32[n], q: i32[n], n: i32):
    for i in range(0, n):
        if (q[i] > 0):
            a[i] = 1.0
            b[i] = 1.0
        else:
            a[i] = 2.0
";
    check(common_accesses, text, expect!["unchanged"]);
}

#[test]
fn a_branch_that_waits_for_the_iteration_before_keeps_its_stores() {
    check(
        common_accesses,
        "\
kernel k(a: f32[n], b: f32[n], n: i32):
    let error = for i in range(0, n) with error = 0.0:
        let v = (a[i] + error)
        let next = if (v > 0.5):
            b[i] = 1.0
            yield (v - 1.0)
        else:
            b[i] = 0.0
            yield v
        yield next
",
        expect!["unchanged"],
    );
}
