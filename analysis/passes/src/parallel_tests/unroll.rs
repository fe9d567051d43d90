//! Loops of few rounds that are written out.

use expect_test::expect;

use super::check;
use crate::unroll;

#[test]
fn short_loops_inside_of_lanes_are_written_out() {
    // The inner loop is unrolled first, and carried values go from one iteration to the next.
    check(
        unroll,
        "\
kernel taps(a: f32[(n + 4)], b: f32[n], n) -> i32:
    for i in range(0, n):
        let s = for x in range(3, -1, -2) with t = 0.0:
            let u = for y in range(0, 2) with v = t:
                yield (v + a[((i + x) + y)])
            yield (u * 0.5)
        b[i] = s
    return 0
",
        expect![[r#"
            kernel taps(a: f32[(n + 4)], b: f32[n], n) -> i32:
                for i in range(0, n):
                    b[i] = ((((((0.0 + a[((i + 3) + 0)]) + a[((i + 3) + 1)]) * 0.5) + a[((i + 1) + 0)]) + a[((i + 1) + 1)]) * 0.5)
                return 0
        "#]],
    );
}

#[test]
fn loops_stay_that_are_long_or_unknown_or_in_no_lanes_or_asked_to() {
    let kept = |header: &str, around: &str| {
        let text = format!(
            "\
kernel k(a: f32[n], b: f32[9, n], n, m):
    for i in range(0, n):
        {header}:
            b[x, i] = {around}
"
        );
        check(unroll, &text, expect!["unchanged"]);
    };
    kept("for x in range(0, 9)", "a[i]");
    kept("for x in range(0, m)", "a[i]");
    kept("@unroll(1)\n        for x in range(0, 3)", "a[i]");
    // An iteration reads what the one before has written.
    kept("for x in range(0, 3)", "b[x, (i - 1)]");
}

#[test]
fn longer_loops_are_written_out_where_that_is_asked_for() {
    check(
        unroll,
        "\
kernel k(a: i32[n], b: i32[9, n], n):
    for i in range(0, n):
        @unroll(9)
        for x in range(0, 9):
            b[x, i] = (a[i] +% x)
",
        expect![[r#"
            kernel k(a: i32[n], b: i32[9, n], n):
                for i in range(0, n):
                    b[0, i] = (a[i] +% 0)
                    b[1, i] = (a[i] +% 1)
                    b[2, i] = (a[i] +% 2)
                    b[3, i] = (a[i] +% 3)
                    b[4, i] = (a[i] +% 4)
                    b[5, i] = (a[i] +% 5)
                    b[6, i] = (a[i] +% 6)
                    b[7, i] = (a[i] +% 7)
                    b[8, i] = (a[i] +% 8)
        "#]],
    );
}

#[test]
fn a_short_loop_leaves_the_lanes_to_one_around_it() {
    check(
        unroll,
        "\
kernel halved(p: u8[(3 * n)], q: u8[(3 * n)], n):
    for i in range(0, n):
        for c in range(0, 3):
            q[((3 * i) + c)] = (p[((3 * i) + c)] >> 1)
",
        expect![[r#"
            kernel halved(p: u8[(3 * n)], q: u8[(3 * n)], n):
                for i in range(0, n):
                    q[((3 * i) + 0)] = (p[((3 * i) + 0)] >> 1)
                    q[((3 * i) + 1)] = (p[((3 * i) + 1)] >> 1)
                    q[((3 * i) + 2)] = (p[((3 * i) + 2)] >> 1)
        "#]],
    );
    // The programmer's word comes first.
    check(
        unroll,
        "\
kernel halved(p: u8[(3 * n)], q: u8[(3 * n)], n):
    for i in range(0, n):
        @lanes(4)
        for c in range(0, 3):
            q[((3 * i) + c)] = (p[((3 * i) + c)] >> 1)
",
        expect!["unchanged"],
    );
}
