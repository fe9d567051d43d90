//! Subscripts, rows, slices, structs, sizes, and the order of an assignment.

use expect_test::expect;

use super::fixture::check;

#[test]
fn each_index_lies_within_its_own_dimension() {
    check(
        "kernel k(m: i32[2, 3], i: i32, j: i32) -> i32:
    return m[i, j] + m[i][j] * 10
",
        "m = [[1, 2, 3], [4, 5, 6]]; i = 1; j = 2",
        expect![[r#"
            result 66
        "#]],
    );
    check(
        "kernel k(m: i32[2, 3], i: i32, j: i32) -> i32:
    return m[i, j]
",
        "m = [[1, 2, 3], [4, 5, 6]]; i = 0; j = 3",
        expect![[r#"
            error index-out-of-range at `m[i, j]`: the index 3 is out of range: the size there is 3
        "#]],
    );
    check(
        "kernel k(a: i32[3], i: i64):
    a[i] = 1
",
        "a = [1, 2, 3]; i = -1",
        expect![[r#"
            error index-out-of-range at `a[i]`: the index -1 is out of range: the size there is 3
        "#]],
    );
    check(
        "kernel k(a: i32[3], i: u64):
    a[i] += 1
",
        "a = [1, 2, 3]; i = 18446744073709551615",
        expect![[r#"
            error index-out-of-range at `a[i]`: the index 18446744073709551615 is out of range: the size there is 3
        "#]],
    );
}

#[test]
fn rows_and_slices_are_views() {
    check(
        "kernel k(m: i32[2, 3], a: i32[8]) -> i32:
    row = m[1]
    row[0] = 10
    let odd = a[1:8:2]
    odd[3] = 70
    let down = a[6::-2]
    down[0] = 60
    down[3] = 5
    let column = m[:, 2]
    column[0] = 30
    let part = m[0:2, 1:]
    part[1, 0] += 100
    past = 9
    let none = a[past:3]
    for i in range(0):
        none[i] = 1
    return odd[0] * 1000 + down[1]
",
        "m = [[1, 2, 3], [4, 5, 6]]; a = [0, 1, 2, 3, 4, 5, 6, 7]",
        expect![[r#"
            result 1004
            m = [1, 2, 30, 10, 105, 6]
            a = [5, 1, 2, 3, 4, 5, 60, 70]
        "#]],
    );
    check(
        "kernel k(a: i32[8], hi: i32) -> i32:
    let part = a[2:hi]
    return part[0]
",
        "a = [0, 1, 2, 3, 4, 5, 6, 7]; hi = 9",
        expect![[r#"
            error index-out-of-range at `a[2:hi]`: the index 8 is out of range: the size there is 8
        "#]],
    );
    check(
        "kernel k(a: i32[8], step: i32) -> i32:
    let part = a[0:8:step]
    return part[0]
",
        "a = [0, 1, 2, 3, 4, 5, 6, 7]; step = 0",
        expect![[r#"
            error zero-step at `a[0:8:step]`: a step of 0 never gets anywhere
        "#]],
    );
}

#[test]
fn structs_are_values_and_their_fields_cells() {
    check(
        "struct P:
    x: f32
    n: i32
    on: bool

kernel k(p: P[n], n: i32) -> f32:
    let first = p[0]
    p[0] = p[1]
    p[1].x += 0.5
    p[1].n = p[0].n * 2
    first.x = first.x + 100
    p[2] = first
    p[2].on = not first.on
    return first.x if p[0].on else 0
",
        "p = [(1, 2, false), (3, 4, true), (0, 0, true)]; n = 3",
        expect![[r#"
            result 101.0
            p = [(3.0, 4, true), (3.5, 8, true), (101.0, 2, true)]
        "#]],
    );
}

#[test]
fn sizes_are_checked() {
    let text = "kernel k(a: i32[2 * n + 1], m: i32[n, 2], n: i32):\n    a[0] = m[0, 0]\n";
    check(
        text,
        "a = [1, 2, 3]; m = [[5, 6]]; n = 1",
        expect![[r#"
            a = [5, 2, 3]
        "#]],
    );
    check(
        text,
        "a = [1, 2]; m = [[5, 6]]; n = 1",
        expect![[r#"
            error size-mismatch at `i32[2 * n + 1]`: two sizes that have to be the same are 2 and 3
        "#]],
    );
    check(
        text,
        "a = [1]; m = [[5, 6, 7]]; n = 0",
        expect![[r#"
            error size-mismatch at `i32[n, 2]`: two sizes that have to be the same are 0 and 1
        "#]],
    );
    let text = "fn dot(a: i32[len], b: i32[len]) -> i32:
    let s = 0
    for i in range(len):
        s += a[i] * b[i]
    return s

kernel k(a: i32[n], b: i32[m], n: i32, m: i32) -> i32:
    let half: i32[2] = a[:n / 2]
    return dot(half, b)
";
    check(
        text,
        "a = [1, 2, 3, 4]; b = [10, 100]; n = 4; m = 2",
        expect![[r#"
            result 210
        "#]],
    );
    check(
        text,
        "a = [1, 2, 3, 4]; b = [10, 100, 1000]; n = 4; m = 3",
        expect![[r#"
            error size-mismatch at `b`: two sizes that have to be the same are 2 and 3
        "#]],
    );
    check(
        text,
        "a = [1, 2]; b = [10, 100, 1000]; n = 2; m = 3",
        expect![[r#"
            error size-mismatch at `a[:n / 2]`: two sizes that have to be the same are 1 and 2
        "#]],
    );
}

#[test]
fn arrays_may_overlap_where_the_kernel_says_so() {
    check(
        "@alias(a, b)
kernel k(a: i32[n], b: i32[n], n: i32):
    for i in range(n):
        b[i] = a[i] + 1
",
        "a = [0, 0, 0, 0]; b = a[from 0, 4]; n = 4",
        expect![[r#"
            a = [1, 1, 1, 1]
            b = [1, 1, 1, 1]
        "#]],
    );
    check(
        "@alias(a, b)
kernel k(a: i32[4], b: i32[3]):
    for i in range(3):
        b[i] = a[i] + 1
",
        "a = [5, 0, 0, 0]; b = a[from 1, 3]",
        expect![[r#"
            a = [5, 6, 7, 8]
            b = [6, 7, 8]
        "#]],
    );
}

#[test]
fn the_value_comes_before_the_subscripts_of_its_target() {
    check(
        "kernel k(a: i32[2], i: i32):
    a[i] = 1 / (i - 5)
",
        "a = [0, 0]; i = 5",
        expect![[r#"
            error division-by-zero at `1 / (i - 5)`: an integer is divided by zero
        "#]],
    );
    check(
        "fn bump(count):
    count[0] += 1
    return count[0]

kernel k(a: i32[4], count: i32[1]):
    a[bump(count)] = bump(count)
    a[0] = bump(count) * 10 + bump(count)
",
        "a = [0, 0, 0, 0]; count = [0]",
        expect![[r#"
            a = [34, 0, 1, 0]
            count = [4]
        "#]],
    );
    check(
        "kernel k(a: i8[1], x: i8):
    a[0] += x
    a[0] *= 2
",
        "a = [100]; x = 20",
        expect![[r#"
            a = [120]
            error overflow at `a[0]`: a signed result does not fit its type
        "#]],
    );
}
