//! Operators on whole arrays, element by element, and assignments to whole arrays, rows and slices.

use expect_test::expect;

use super::fixture::check;

#[test]
fn operators_work_element_by_element() {
    check(
        "kernel k(a: i32[3], b: i32[3], out: i32[3]):
    out[:] = (a + 2 * b) * -a - ~b ** 2
",
        "a = [1, 2, 3]; b = [10, 20, 30]; out = [0, 0, 0]",
        expect![[r#"
            out = [80, 317, 712]
        "#]],
    );
    check(
        "kernel k(m: f32[2, 3], n: f32[2, 3]):
    let sum = m + n / 2
    m[:] = sum ** 2
    n[:, 0] = sum[0, 1:]
",
        "m = [[1, 2, 3], [4, 5, 6]]; n = [[2, 4, 6], [8, 10, 12]]",
        expect![[r#"
            m = [4.0, 16.0, 36.0, 64.0, 100.0, 144.0]
            n = [4.0, 4.0, 6.0, 6.0, 10.0, 12.0]
        "#]],
    );
    check(
        "kernel k(a: i32[4], b: i32[4], out: i32[4]):
    let less = a < b
    let both = less & (a != 2) | (not (b > 0))
    let neither = not both
    for i in range(4):
        out[i] = 100 * i32(less[i]) + 10 * i32(both[i]) + i32(neither[i])
",
        "a = [1, 2, 3, 4]; b = [2, 3, 1, -4]; out = [0, 0, 0, 0]",
        expect![[r#"
            out = [110, 101, 1, 10]
        "#]],
    );
}

#[test]
fn views_are_read_where_they_lie() {
    check(
        "kernel k(a: i32[6], m: i32[2, 3], out: i32[3]):
    out[:] = a[::2] * 100 + a[5::-2] * 10 + m[1]
    m[:, 1] += m[:, 2] - m[:, 0]
",
        "a = [1, 2, 3, 4, 5, 6]; m = [[1, 2, 3], [4, 5, 7]]; out = [0, 0, 0]",
        expect![[r#"
            m = [1, 4, 3, 4, 8, 7]
            out = [164, 345, 527]
        "#]],
    );
}

#[test]
fn an_operation_of_nothing_gives_nothing() {
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let none = a[1:1] + a[2:2]
    a[3:3] = none
    return reduce(+, 7, none)
",
        "a = [1, 2, 3]; n = 3",
        expect![[r#"
            result 7
        "#]],
    );
}

#[test]
fn arrays_of_one_size_meet() {
    check(
        "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    let sum = a + b
    a[0] = sum[0]
",
        "a = [1, 2]; b = [10, 20]; n = 2; m = 2",
        expect![[r#"
            a = [11, 2]
        "#]],
    );
    check(
        "kernel k(a: i32[n], b: i32[m], n: i32, m: i32):
    a[0] = 9
    let sum = 1 + (a + b)
    a[0] = sum[0]
",
        "a = [1, 2]; b = [10, 20, 30]; n = 2; m = 3",
        expect![[r#"
            a = [9, 2]
            error size-mismatch at `a + b`: two sizes that have to be the same are 2 and 3
        "#]],
    );
    check(
        "kernel k(p: i32[n, m], q: i32[m, n], n: i32, m: i32):
    let less = p < q
    p[0, 0] = 1 if less[0, 0] else 0
",
        "p = [[1, 2]]; q = [[3], [4]]; n = 1; m = 2",
        expect![[r#"
            error size-mismatch at `p < q`: two sizes that have to be the same are 1 and 2
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, from: i32):
    a[1:] = a[:from]
",
        "a = [1, 2, 3]; n = 3; from = 1",
        expect![[r#"
            error size-mismatch at `a[:from]`: two sizes that have to be the same are 1 and 2
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32, from: i32):
    a[1:] += a[:from]
",
        "a = [1, 2, 3]; n = 3; from = 3",
        expect![[r#"
            error size-mismatch at `a[:from]`: two sizes that have to be the same are 2 and 3
        "#]],
    );
}

#[test]
fn an_element_that_fails_stops_the_run() {
    check(
        "kernel k(a: i8[3], out: i8[3]):
    out[0] = 1
    out[:] = a * 2
",
        "a = [1, 64, 3]; out = [0, 0, 0]",
        expect![[r#"
            out = [1, 0, 0]
            error overflow at `a * 2`: a signed result does not fit its type
        "#]],
    );
    check(
        "kernel k(a: i32[3], i: i32) -> i32:
    return (a + 1)[i]
",
        "a = [1, 2, 3]; i = 3",
        expect![[r#"
            error index-out-of-range at `(a + 1)[i]`: the index 3 is out of range: the size there is 3
        "#]],
    );
    check(
        "kernel k(a: i32[3], out: i32[3]):
    for i in range(3):
        let part = 6 / (a - i)
        out[i] = part[0]
",
        "a = [4, 5, 2]; out = [0, 0, 0]",
        expect![[r#"
            out = [1, 2, 0]
            error division-by-zero at `6 / (a - i)`, i = 2: an integer is divided by zero
        "#]],
    );
}

#[test]
fn one_value_fills_what_it_is_assigned_to() {
    check(
        "struct P:
    x: f32
    n: i32

kernel k(a: i32[5], m: i32[2, 2], p: P[3]):
    a[1:4] = 7
    m[1] = a[0]
    m[:, 0] += 1
    p[1:] = p[0]
    a[::4] -= 10
",
        "a = [1, 2, 3, 4, 5]; m = [[1, 2], [3, 4]]; p = [(1.5, 2), (0, 0), (0, 0)]",
        expect![[r#"
            a = [-9, 7, 7, 7, -5]
            m = [2, 2, 2, 1]
            p = [(1.5, 2), (1.5, 2), (1.5, 2)]
        "#]],
    );
}

#[test]
fn what_is_assigned_is_what_it_was_before() {
    check(
        "kernel k(a: i32[n], b: i32[n], n: i32):
    a[1:n] = a[:n - 1]
    b[:n - 1] = b[1:]
    b[::-1] = b
",
        "a = [1, 2, 3, 4]; b = [1, 2, 3, 4]; n = 4",
        expect![[r#"
            a = [1, 1, 2, 3]
            b = [4, 4, 3, 2]
        "#]],
    );
    check(
        "kernel k(a: i32[4]):
    a[1:] += a[:3]
    a[:] = a[::-1] + a
",
        "a = [1, 2, 3, 4]",
        expect![[r#"
            a = [8, 8, 8, 8]
        "#]],
    );
    check(
        "kernel k(m: i32[2, 2]):
    m[0] = m[:, 1]
    m[1] -= m[0]
",
        "m = [[1, 2], [3, 4]]",
        expect![[r#"
            m = [2, 4, 1, 0]
        "#]],
    );
    check(
        "fn bump(count):
    count[0] += 1
    return count[0]

kernel k(a: i32[4], count: i32[1]):
    a[bump(count):bump(count)] = count
    a[bump(count) - 2:] += bump(count)
",
        "a = [9, 9, 9, 9]; count = [0]",
        expect![[r#"
            a = [9, 0, 12, 12]
            count = [4]
        "#]],
    );
}

#[test]
fn whole_structs_are_assigned() {
    check(
        "struct P:
    x: f32
    n: i32

kernel k(p: P[3], q: P[2], i: i32):
    p[1:] = q
    q[:] = p[i:i + 2]
    p[:2] = p[1:]
",
        "p = [(1, 1), (2, 2), (3, 3)]; q = [(4, 4), (5, 5)]; i = 1",
        expect![[r#"
            p = [(4.0, 4), (5.0, 5), (5.0, 5)]
        "#]],
    );
}

#[test]
fn collisions_are_found_in_whole_arrays_and_new_ones_are_the_iterations_own() {
    check(
        "kernel k(a: i32[4], m: i32[4, 2]):
    foreach i in range(4):
        let twice = m[i] * 2
        twice[0] += 1
        m[i] = twice
        a[i] = twice[0]
",
        "a = [0, 0, 0, 0]; m = [[1, 2], [3, 4], [5, 6], [7, 8]]",
        expect![[r#"
            a = [3, 7, 11, 15]
            m = [3, 4, 7, 8, 11, 12, 15, 16]
        "#]],
    );
    check(
        "kernel k(a: i32[4], out: i32[4]):
    foreach i in range(4):
        out[i] = (a + 1)[i]
        a[3] = i
",
        "a = [1, 2, 3, 4]; out = [0, 0, 0, 0]",
        expect![[r#"
            a = [1, 2, 3, 0]
            out = [2, 0, 0, 0]
            error iterations-collide at `a + 1`, i = 1, against i = 0: this iteration reads what the one with i = 0 wrote
        "#]],
    );
    check(
        "kernel k(out: i32[4]):
    let made = out + 1
    foreach i in range(3):
        made[i:i + 2] = i
",
        "out = [0, 0, 0, 0]",
        expect![[r#"
            error iterations-collide at `made[i:i + 2]`, i = 1, against i = 0: this iteration writes what the one with i = 0 wrote
        "#]],
    );
}

#[test]
fn lanes_have_arrays_of_their_own() {
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let part = a[:i] * i
        part[:] += lane_id
        out[i] = reduce(+, 0, part) + 1000 * reduce_add(i)
",
        "a = [1, 2, 3, 4, 5]; out = [0, 0, 0, 0, 0]; n = 5",
        expect![[r#"
            out = [6000, 6002, 6010, 6027, 4040]
        "#]],
    );
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let part = 12 / (a[:i] - 2)
        out[i] = LANES + reduce(+, 0, part)
",
        "a = [1, 4, 2, 3]; out = [0, 0, 0, 0]; n = 4",
        expect![[r#"
            error division-by-zero at `12 / (a[:i] - 2)`, i = 3, lane 3: an integer is divided by zero
        "#]],
    );
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        if i % 2 == 1:
            let sum = a[:i] + a[1:i + lane_id - 2]
            out[i] = sum[0]
",
        "a = [1, 4, 2, 3]; out = [0, 0, 0, 0]; n = 4",
        expect![[r#"
            error size-mismatch at `a[:i] + a[1:i + lane_id - 2]`, i = 1, lane 1: two sizes that have to be the same are 0 and 1
        "#]],
    );
}
