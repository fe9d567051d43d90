//! Functions as values: lambdas, functions, builtins and operators that are named, passed and called.

use expect_test::expect;

use super::fixture::check;

#[test]
fn functions_are_bound_and_called() {
    check(
        "fn twice(f, x):
    return f(f(x))

fn square(x):
    return x * x

kernel k(x: i32) -> i32:
    let add = \\a b -> a + b
    let f = square
    let most = max
    return twice(square, x) * 1000000 + twice(\\y -> y + 1, x) * 10000 + add(x, f(x)) * 100 + most(x, 1) + 2
",
        "x = 3",
        expect![[r#"
            result 81051205
        "#]],
    );
    check(
        "fn join(f, a, b):
    return f(a, b)

kernel k(x: i32, y: f32) -> f32:
    return join(+, y, 0.5) + f32(join(\\a b -> a * b, x, 4)) + join(pow, y, 2.0) + (\\z -> z * 100)(y)
",
        "x = 3; y = 1.5",
        expect![[r#"
            result 166.25
        "#]],
    );
}

#[test]
fn a_lambda_keeps_the_values_of_when_it_was_made() {
    check(
        "kernel k(a: i32[2], x: i32) -> i32:
    let n = x
    let f = \\y -> y + n + a[0]
    n = 100
    a[0] = 1000
    let first = f(1)
    f = \\y -> y * n
    return first * 10000 + f(2)
",
        "a = [10, 20]; x = 5",
        expect![[r#"
            result 10060200
            a = [1000, 20]
        "#]],
    );
    check(
        "fn adder(n):
    return \\x -> x + n

kernel k(a: i32[3], x: i32):
    let f = adder(x)
    let g = adder(10 * x)
    for i in range(3):
        let h = \\y -> f(y) + g(i)
        a[i] = h(a[i])
",
        "a = [1, 2, 3]; x = 5",
        expect![[r#"
            a = [56, 58, 60]
        "#]],
    );
}

#[test]
fn functions_of_functions() {
    check(
        "fn compose(f, g):
    return \\x -> f(g(x))

fn row_wise(f, m: i32[n, w]):
    return map(\\r -> f(r), m)

kernel k(m: i32[2, 2], x: i32) -> i32:
    let f = compose(compose(\\a -> a + 1, \\a -> a * 2), \\a -> a - x)
    let sums = row_wise(\\r -> reduce(+, 0, map(f, r)), m)
    m[0] = sums
    return f(10)
",
        "m = [[1, 2], [3, 4]]; x = 3",
        expect![[r#"
            result 15
            m = [-4, 4, 3, 4]
        "#]],
    );
}

#[test]
fn an_error_in_a_function_is_where_it_is_written() {
    check(
        "fn inverse(f, x):
    return 12 / f(x)

kernel k(a: i32[3], out: i32[3]):
    for i in range(3):
        out[i] = inverse(\\y -> y - 2, a[i])
",
        "a = [1, 2, 3]; out = [0, 0, 0]",
        expect![[r#"
            out = [-12, 0, 0]
            error division-by-zero at `12 / f(x)` in inverse, i = 1: an integer is divided by zero
        "#]],
    );
    check(
        "fn each(f, a):
    return map(f, a)

kernel k(a: i32[3]):
    a[:] = each(\\y -> 6 / (y - 2), a)
",
        "a = [1, 2, 3]",
        expect![[r#"
            error division-by-zero at `6 / (y - 2)`: an integer is divided by zero
        "#]],
    );
    check(
        "fn join(f, a, b):
    return f(a, b)

kernel k(x: i32) -> i32:
    return join(/, x, 0)
",
        "x = 1",
        expect![[r#"
            error division-by-zero at `/`: an integer is divided by zero
        "#]],
    );
    check(
        "kernel k(x: i32, a: i8[2]) -> i8:
    let f = abs
    return reduce(\\s y -> max(s, f(y)), 0, a)
",
        "x = 1; a = [5, -128]",
        expect![[r#"
            error overflow at `abs`: a signed result does not fit its type
        "#]],
    );
    check(
        "kernel k(a: i32[n], n: i32) -> i32:
    let first = \\r: i32[2] -> r[0]
    return first(a)
",
        "a = [1, 2, 3]; n = 3",
        expect![[r#"
            error size-mismatch at `a`: two sizes that have to be the same are 2 and 3
        "#]],
    );
}

#[test]
fn lanes_may_call_different_functions() {
    check(
        "kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        let f = \\x -> x + i
        if i % 2 == 0:
            f = \\x -> x * i
        out[i] = f(a[i]) + 100 * reduce_add(f(1))
",
        "a = [1, 2, 3, 4, 5]; out = [0, 0, 0, 0, 0]; n = 5",
        expect![[r#"
            out = [800, 803, 806, 807, 420]
        "#]],
    );
    check(
        "fn around(f, x):
    return f(x) + reduce_add(x)

kernel k(a: i32[n], out: i32[n], n: i32):
    @lanes(4)
    foreach i in range(n):
        out[i] = around(\\x -> reduce_max(x) + i, a[i])
",
        "a = [1, 2, 3, 4, 5]; out = [0, 0, 0, 0, 0]; n = 5",
        expect![[r#"
            out = [14, 15, 16, 17, 14]
        "#]],
    );
}

#[test]
fn powers_and_builtins_of_the_prelude_are_values() {
    check(
        "kernel k(a: f32[3], b: f32[3]):
    a[:] = map(exp, a)
    let steps = map(step, b, a) + step(b, 2.0) * 10
    b[:] = steps * 1000 + map(pow, b, replicate(3, 2.0)) + b ** 3 + 2.0 ** b
",
        "a = [0, 1, 2]; b = [1, 2, 3]",
        expect![[r#"
            a = [1.0, 2.7182817, 7.389056]
            b = [11004.0, 11016.0, 1044.0]
        "#]],
    );
}
