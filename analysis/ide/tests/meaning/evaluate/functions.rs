//! Calls and constants.

use expect_test::expect;

use super::fixture::check;

#[test]
fn functions_are_generic_and_return_early() {
    check(
        "fn lerp(a, b, t):
    return a + (b - a) * t

fn find(a, x):
    for i in range(4):
        if a[i] == x:
            return i
    return -1

fn twice(x):
    return x * 2

kernel k(a: f32[4], b: u8[4], c: f64) -> f64:
    a[0] = lerp(a[0], a[1], 0.25)
    a[1] = f32(find(a, 3.0))
    a[2] = f32(find(b, 200))
    b[0] = twice(twice(b[0]))
    return lerp(c, 2 * c, 0.5)
",
        "a = [1, 2, 3, 4]; b = [100, 200, 3, 4]; c = 1",
        expect![[r#"
            result 1.5
            a = [1.25, 2.0, 1.0, 4.0]
            b = [144, 200, 3, 4]
        "#]],
    );
    check(
        "fn halve(x: i32) -> i32:
    assert x % 2 == 0
    return x / 2

fn quarter(x: i32) -> i32:
    return halve(halve(x))

kernel k(a: i32[n], n: i32):
    for i in range(n):
        a[i] = quarter(a[i])
",
        "a = [8, 6]; n = 2",
        expect![[r#"
            a = [2, 6]
            error assert-failed at `x % 2 == 0` in halve, i = 1: what is asserted does not hold
        "#]],
    );
    check(
        "fn fill(row, x):
    for j in range(2):
        row[j] = x

fn pick(m: i32[r, c], i):
    return m[i]

kernel k(m: i32[2, 2]):
    fill(m[1], 7)
    let row = pick(m, 0)
    row[1] = 9
",
        "m = [[1, 2], [3, 4]]",
        expect![[r#"
            m = [1, 9, 7, 7]
        "#]],
    );
}

#[test]
fn constants_have_their_values() {
    check(
        "const N = 4
const HALF = N / 2
const RATE: f64 = 48000
const LOUD = true

kernel k(a: f64[N]):
    a[HALF] = RATE / 2 if LOUD else 0
",
        "a = [0, 0, 0, 0]",
        expect![[r#"
            a = [0.0, 0.0, 24000.0, 0.0]
        "#]],
    );
}

#[test]
fn a_parameter_of_a_function_is_a_copy() {
    check(
        "struct P:
    x: i32

fn gcd(a, b):
    while b != 0:
        let t = b
        b = a % b
        a = t
    return a

fn moved(p, by):
    p.x += by
    return p.x

fn later(a, c):
    let old = a
    if c:
        a = a + 10
    a[0] = 7
    old[1] = 8
    return sum(a)

fn grown(a: i32[k], by):
    a *= by
    by = by + k
    return by

kernel k(out: i32[6], p: P[1], a: i32[2], b: i32[2]):
    let x = 12
    out[0] = gcd(x, 18) + x
    out[1] = moved(p[0], 5) + p[0].x
    out[2] = later(a, true)
    out[3] = later(a, false)
    out[4] = grown(b, 3)
",
        "out = [0, 0, 0, 0, 0, 0]; p = [(1)]; a = [1, 2]; b = [3, 4]",
        expect![[r#"
            out = [18, 7, 19, 15, 5, 0]
            a = [7, 8]
            b = [9, 12]
        "#]],
    );
}

#[test]
fn arguments_have_names_and_parameters_defaults() {
    check(
        "const STEP = 10

fn shown(out: i32[k], i, x):
    out[i] = x
    return x

fn of(x, scale=2, offset: i32 = STEP, both=scale * offset):
    return x * scale + offset * 100 + both * 10000

fn twice(x, by=2):
    return x * by

fn size(a, n=length(a)):
    a[:] = n
    return n

kernel k(out: i32[10], halves: f64[2]):
    out[0] = of(1)
    out[1] = of(1, 3)
    out[2] = of(1, offset=4)
    out[3] = of(offset=5, x=2)
    out[4] = of(both=0, x=shown(out, 5, 7), scale=shown(out, 5, 8))
    out[6] = size(out[7:9])
    halves[:] = twice(halves) + twice(x=halves, by=0.5)
",
        "out = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; halves = [0.5, 1.5]",
        expect![[r#"
            out = [201002, 301003, 80402, 100504, 1056, 8, 2, 2, 2, 0]
            halves = [1.25, 3.75]
        "#]],
    );
}
