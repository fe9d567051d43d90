//! Loops over several arrays, with indices, backwards, and comprehensions.

use expect_test::expect;

use super::fixture::check;

#[test]
fn loops_over_elements_and_their_indices() {
    check(
        "kernel k(a: i32[3], b: i32[3], m: i32[2, 2], out: i32[3]) -> i32:
    for i, (x, y) in enumerate(zip(a, b)):
        out[i] = x * y
    let s = 0
    for (x, i), y in zip(enumerate(a), b):
        s = 10 * s + x + i * y
    foreach i, row in enumerate(m):
        row[i] = out[i]
    for p in zip(a, reversed(b)):
        let x, y = p
        s += x * y
    foreach x in a:
        s += x
    return s
",
        "a = [1, 2, 3]; b = [4, 5, 6]; m = [[0, 0], [0, 0]]; out = [0, 0, 0]",
        expect![[r#"
            result 564
            m = [4, 0, 0, 10]
            out = [4, 10, 18]
        "#]],
    );
}

#[test]
fn loops_backwards() {
    check(
        "kernel k(a: i32[3], out: i32[3], n: i32) -> i32:
    let s = 0
    for i in reversed(range(n)):
        s = 10 * s + i
        if i == 2:
            continue
        out[i] = s
    for i in reversed(range(1, n)):
        s = 10 * s + i
    for x in reversed(a):
        if x == 4:
            break
        s = 10 * s + x
    for i, x in enumerate(reversed(a)):
        s += i * x
    for x, y in reversed(zip(a, out)):
        s = 2 * s + x * y
    return s
",
        "a = [4, 5, 6]; out = [0, 0, 0]; n = 3",
        expect![[r#"
            result 16818474
            out = [210, 21, 0]
        "#]],
    );
}

#[test]
fn arrays_are_held_and_sizes_compared() {
    check(
        "kernel k(a: i32[n], b: i32[m], n: i32, m: i32) -> i32:
    let s = 0
    for x, y in zip(a, b):
        s += x * y
    return s
",
        "a = [1, 2]; b = [3]; n = 2; m = 1",
        expect![[r#"
            error size-mismatch at `zip(a, b)`: two sizes that have to be the same are 1 and 2
        "#]],
    );
    check(
        "kernel k(a: i32[2], b: i32[2]) -> i32:
    let s = 0
    let u, v = a, b
    for x, y in zip(u, v):
        s = 10 * s + x - y
        u, v = v, u
    return s
",
        "a = [9, 8]; b = [1, 2]",
        expect![[r#"
            result 86
        "#]],
    );
}

#[test]
fn comprehensions() {
    check(
        "kernel k(a: i32[4], b: i32[4], out: i32[4]) -> i32:
    out[:] = [x * y for x, y in zip(a, b)]
    let odd = [x for x in a if x % 2 == 1]
    let n = count(x > y for x, y in zip(a, b))
    let m = max(x * x for x in a) + min(y for y in b if y > 1)
    let s = sum(i * x for i, x in enumerate(a) if x > 1) + product(y for y in b)
    let r = sum(i for i in range(2, 5)) + sum([length(a) for _ in b])
    let t = sum(sum(x * y for y in b) for x in a)
    let u = sum(12 / x for x in [0, 3, 4] if x != 0)
    if any(x == 4 for x in a) and all(y < 9 for y in b) and not any(x > 9 for x in a):
        return ((((n * 100 + m) * 1000 + s) * 100 + r) + t) * 10 + u + length(odd)
    return -1
",
        "a = [1, 2, 3, 4]; b = [4, 1, 2, 2]; out = [0, 0, 0, 0]",
        expect![[r#"
            result 318037159
            out = [4, 2, 6, 8]
        "#]],
    );
    check(
        "kernel k(a: i32[2], b: i32[3]) -> i32:
    return sum(x * y for x, y in zip(a, b[1:]) if x > 0) + sum(i + x for i, x in enumerate([z * 2 for z in b]))
",
        "a = [1, 2]; b = [3, 4, 5]",
        expect![[r#"
            result 41
        "#]],
    );
}

#[test]
fn numbers_start_from_anywhere_and_ranges_with_steps_go_both_ways() {
    check(
        "kernel k(a: i32[3], out: i32[12], n: i32) -> i32:
    let s = 0
    for i, x in enumerate(a, 1):
        s = 10 * s + i * x
    for i, x in enumerate(a, start=n - 9):
        s += i * x
    foreach x, (i, y) in zip(a, enumerate(a, 5)):
        out[x] = i + y
    let at = 3
    for i in reversed(range(0, n, 3)):
        out[at] = i
        at += 1
    for i in reversed(range(n, 2, -4)):
        out[at] = i
        at += 1
    for i in reversed(range(5, 5, 2)):
        s = -1
    for i in reversed(range(4, 5, 2)):
        out[at] = i
        at += 1
    s += 1000 * sum([i for i in range(1, n, 4)]) + 100000 * sum(i * x for i, x in enumerate(a, 2))
    for i, x in zip(range(9, 3, -2), a):
        s += i * x
    return s
",
        "a = [0, 1, 2]; out = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; n = 10",
        expect![[r#"
            result 1115051
            out = [5, 7, 9, 9, 6, 3, 0, 6, 10, 4, 0, 0]
        "#]],
    );
}

#[test]
fn comprehensions_with_several_fors() {
    check(
        "kernel k(m: f32[2, 3], a: i32[3], out: f32[6], pairs: i32[9]) -> f32:
    out[:] = [m[i, j] + f32(10 * i) for i in range(2) for j in range(3)]
    pairs[:] = [10 * x + i + y for x in a for i, y in enumerate(a, 1)]
    let s = sum(m[i, j] for i in range(2) if i > 0 for j in range(3) if j != 1)
    let p = product(x + y for x in a if x > 0 for y in a)
    let c = count(x < y for x, z in zip(a, a) for y in a if z != 2)
    let e = any(x * y == 4 for x in a for y in a) and all(x + y + z < 7 for x in a for y in a for z in a)
    let t = sum(x * y * z for x in a for y in a for z in a)
    return s + 100 * f32(p) + 100000 * f32(c) + (1000000 if e else 0) + 10000000 * f32(t)
",
        "m = [[1, 2, 3], [4, 5, 6]]; a = [0, 1, 2]; out = [0, 0, 0, 0, 0, 0]; pairs = [0, 0, 0, 0, 0, 0, 0, 0, 0]",
        expect![[r#"
            result 271314400.0
            out = [1.0, 2.0, 3.0, 14.0, 15.0, 16.0]
            pairs = [1, 3, 5, 11, 13, 15, 21, 23, 25]
        "#]],
    );
}
