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
            error size-mismatch at `zip(a, b)`: arrays of the sizes 2 and 1 meet here
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
