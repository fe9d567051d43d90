//! `foreach`, one iteration after the other, and its collisions.

use expect_test::expect;

use super::fixture::check;

#[test]
fn foreach_runs_every_iteration() {
    check(
        "kernel k(m: i32[2, 3], n: i32, out: i32[2]):
    foreach i in range(2), j in range(n):
        if j == 1:
            continue
        m[i, j] = i * 10 + j
    foreach i in range(1, -1, -1):
        let s = 0
        for j in range(n):
            s += m[i, j]
        out[i] = s
",
        "m = [[7, 7, 7], [7, 7, 7]]; n = 3; out = [0, 0]",
        expect![[r#"
            m = [0, 7, 2, 10, 7, 12]
            out = [9, 29]
        "#]],
    );
}

#[test]
fn iterations_that_collide_are_found() {
    check(
        "kernel k(a: i32[8]):
    foreach i in range(8):
        a[i / 2] = i
",
        "a = [0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            error iterations-collide at `a[i / 2]`, i = 1, against i = 0: this iteration writes what the one with i = 0 wrote
        "#]],
    );
    check(
        "kernel k(a: i32[8]):
    foreach i in range(1, 8):
        a[i] = a[i - 1]
",
        "a = [1, 2, 3, 4, 5, 6, 7, 8]",
        expect![[r#"
            a = [1, 1, 3, 4, 5, 6, 7, 8]
            error iterations-collide at `a[i - 1]`, i = 2, against i = 1: this iteration reads what the one with i = 1 wrote
        "#]],
    );
    check(
        "kernel k(a: i32[4], out: i32[4]):
    foreach i in range(4):
        out[i] = a[0] + a[i]
        if i == 3:
            a[0] = 1
",
        "a = [1, 2, 3, 4]; out = [0, 0, 0, 0]",
        expect![[r#"
            out = [2, 3, 4, 5]
            error iterations-collide at `a[0]`, i = 3, against i = 0: this iteration writes what the one with i = 0 read
        "#]],
    );
    check(
        "struct P:
    x: f32
    y: f32

kernel k(p: P[4]):
    foreach i in range(3):
        p[i].x = 1
        p[i + 1].y = 2
    foreach i in range(2):
        foreach j in range(2):
            p[j].x += 1
",
        "p = [(0, 0), (0, 0), (0, 0), (0, 0)]",
        expect![[r#"
            p = [(2.0, 0.0), (2.0, 2.0), (1.0, 2.0), (0.0, 2.0)]
            error iterations-collide at `p[j].x`, i = 1, j = 0, against i = 0: this iteration reads what the one with i = 0 wrote
        "#]],
    );
    check(
        "kernel k(a: i32[4]):
    foreach i in range(2), j in range(2):
        a[i + j] = i
",
        "a = [0, 0, 0, 0]",
        expect![[r#"
            error iterations-collide at `a[i + j]`, i = 1, j = 0, against i = 0, j = 1: this iteration writes what the one with i = 0, j = 1 wrote
        "#]],
    );
}
