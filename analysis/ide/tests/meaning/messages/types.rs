//! Types, sizes, calls and values.

use expect_test::expect;

use crate::messages::check;

#[test]
fn two_sides_of_an_operator() {
    check(
        r"
const N = 4

fn half(x: f64) -> f64:
    return x / 2

kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
    a[0] = a[0] + b[0]
    a[1] = n * 0.5
    a[2] = a[2] * n
    u[0] = u[0] + n
    b[0] = a[0] * half(b[0]) + 1
    a[3] = a[0] * N
",
        expect![[r#"
            error[type-mismatch]: the two sides of `+` have different types: `f32` and `f64`
              7 |    a[0] = a[0] + b[0]
                |           ^^^^^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |                       ^^^^^^ `b` is `f64[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f64`
                |    a[0] = f64(a[0]) + b[0]
              fix: convert it to `f32`
                |    a[0] = a[0] + f32(b[0])
            error[type-mismatch]: the two sides of `*` have different types: `i32` and a float
              8 |    a[1] = n * 0.5
                |           ^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |                                             ^^^ `n` is `i32`
              8 |    a[1] = n * 0.5
                |               ^^^ this is a float
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[1] = f32(n) * 0.5
            error[type-mismatch]: the two sides of `*` have different types: `f32` and `i32`
              9 |    a[2] = a[2] * n
                |           ^^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |                                             ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[2] = a[2] * f32(n)
              fix: convert it to `i32`
                |    a[2] = i32(a[2]) * n
            error[type-mismatch]: the two sides of `+` have different types: `u32` and `i32`
             10 |    u[0] = u[0] + n
                |           ^^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |                                  ^^^^^^ `u` is `u32[n]`
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |                                             ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `u32`
                |    u[0] = u[0] + u32(n)
              fix: convert it to `i32`
                |    u[0] = i32(u[0]) + n
            error[type-mismatch]: the two sides of `*` have different types: `f32` and `f64`
             11 |    b[0] = a[0] * half(b[0]) + 1
                |           ^^^^^^^^^^^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              3 |fn half(x: f64) -> f64:
                |   ^^^^ `half` gives `f64`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f64`
                |    b[0] = f64(a[0]) * half(b[0]) + 1
              fix: convert it to `f32`
                |    b[0] = a[0] * f32(half(b[0])) + 1
            error[type-mismatch]: the two sides of `*` have different types: `f32` and `i32`
             12 |    a[3] = a[0] * N
                |           ^^^^^^^^
              6 |kernel k(a: f32[n], b: f64[n], u: u32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |const N = 4
                |      ^ `N` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[3] = a[0] * f32(N)
              fix: convert it to `i32`
                |    a[3] = i32(a[0]) * N
        "#]],
    );
}

#[test]
fn both_say_where_they_got_their_types() {
    check(
        r"
kernel k(a, b, at, n):
    x = a[at]
    y = 1.5
    y = y + sqrt(a[0])
    b[at] = x & 1
    for i in range(at):
        b[i] = y
",
        expect![[r#"
            warning[unused-name]: the parameter `n` is never used
              1 |kernel k(a, b, at, n):
                |                   ^
              fix: write `_n` to say that this is meant
                |kernel k(a, b, at, _n):
            error[operand-type]: `&` takes an integer or a bool, and this is a float
              5 |    b[at] = x & 1
                |            ^
              4 |    y = y + sqrt(a[0])
                |                 ^^^^ `x` is a float because of this
        "#]],
    );
}

#[test]
fn what_is_assigned_keeps_its_type() {
    check(
        r"
kernel k(a: f32[n], b: bool[n], n: i32):
    a[0] = n
    b[0] = 1
    let x: i64 = n
    x = 1.5
    a[x] += n
    a[1:3] = a[0:3]
    a[:] = true
",
        expect![[r#"
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `i32`
              2 |    a[0] = n
                |           ^
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |                                   ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[0] = f32(n)
            error[type-mismatch]: what is assigned to is `bool`, and its new value is a number
              3 |    b[0] = 1
                |           ^
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |                       ^^^^^^^ `b` is `bool[n]`
            error[type-mismatch]: expected `i64`, found `i32`
              4 |    let x: i64 = n
                |                 ^
              4 |    let x: i64 = n
                |           ^^^ the type is written here
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |                                   ^^^ `n` is `i32`
              fix: convert it to `i64`
                |    let x: i64 = i64(n)
            error[type-mismatch]: what is assigned to is `i64`, and its new value is a float
              5 |    x = 1.5
                |        ^^^
              4 |    let x: i64 = n
                |           ^^^ `x` is `i64`
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `i32`
              6 |    a[x] += n
                |            ^
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |                                   ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[x] += f32(n)
            error[size-mismatch]: what is assigned to and its new value have different sizes: `2` and `3`
              7 |    a[1:3] = a[0:3]
                |             ^^^^^^
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `bool`
              8 |    a[:] = true
                |           ^^^^
              1 |kernel k(a: f32[n], b: bool[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[:] = f32(true)
        "#]],
    );
}

#[test]
fn operands() {
    check(
        r"
kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
    a[0] = a[1] & 1
    a[1] = b[0] + 1
    u[0] = -u[1]
    b[1] = n and b[0]
    b[2] = b[0] < b[1]
    a[2] += true
",
        expect![[r#"
            error[operand-type]: `&` takes an integer or a bool, and this is `f32`
              2 |    a[0] = a[1] & 1
                |           ^^^^
              1 |kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[operand-type]: `+` takes a number, and this is `bool`
              3 |    a[1] = b[0] + 1
                |           ^^^^
              1 |kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
                |                       ^^^^^^^ `b` is `bool[n]`
              = a cast makes a number of it: `f32(c)` and `i32(c)` are 1 where `c` holds, and 0 elsewhere
            error[operand-type]: `-` takes a signed number, and this is `u8`
              4 |    u[0] = -u[1]
                |            ^^^^
              1 |kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
                |                                   ^^^^^ `u` is `u8[n]`
            error[operand-type]: `and` takes a bool, and this is `i32`
              5 |    b[1] = n and b[0]
                |           ^
              1 |kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
                |                                             ^^^ `n` is `i32`
              fix: compare with 0
                |    b[1] = n != 0 and b[0]
            error[operand-type]: `<` takes a number, and this is `bool`
              6 |    b[2] = b[0] < b[1]
                |           ^^^^
              1 |kernel k(a: f32[n], b: bool[n], u: u8[n], n: i32):
                |                       ^^^^^^^ `b` is `bool[n]`
            error[operand-type]: `+=` takes a number, and this is `bool`
              7 |    a[2] += true
                |            ^^^^
        "#]],
    );
}

#[test]
fn accesses() {
    check(
        r"
struct P:
    x: f32

kernel k(a: f32[n], p: P[n], n: i32, x: f32):
    a[x] = n[0]
    a[0, 1] = 2
    a[0][1] = 2
    a[1] = a(1)
    p.x = 1
    a[2].x = 1
    a[0 : n / 2.0] = 1

kernel q(p, i):
    p[i].y = 1
",
        expect![[r#"
            error[not-an-integer]: an index is an integer, and this is `f32`
              5 |    a[x] = n[0]
                |      ^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |                                        ^^^ `x` is `f32`
              fix: convert it to `i32`
                |    a[i32(x)] = n[0]
            error[not-an-array]: only an array has elements, and this is `i32`
              5 |    a[x] = n[0]
                |           ^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |                                ^^^ `n` is `i32`
            error[index-count]: this array has 1 dimension, and is given 2 indices
              6 |    a[0, 1] = 2
                |    ^^^^^^^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |            ^^^^^^ `a` is `f32[n]`
            error[not-an-array]: only an array has elements, and this is `f32`
              7 |    a[0][1] = 2
                |    ^^^^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |            ^^^^^^ `a` is `f32[n]`
            error[not-a-function]: only functions are called, and this is `f32[n]`
              8 |    a[1] = a(1)
                |           ^
              = an element is written with square brackets: `a[i]`
              fix: write square brackets
                |    a[1] = a[1]
            error[not-a-struct]: only a struct has fields, and this is `P[n]`
              9 |    p.x = 1
                |    ^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |                       ^^^^ `p` is `P[n]`
              = its elements have fields: `p[i].x`
            error[not-a-struct]: only a struct has fields, and this is `f32`
             10 |    a[2].x = 1
                |    ^^^^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |            ^^^^^^ `a` is `f32[n]`
            error[type-mismatch]: the two sides of `/` have different types: `i32` and a float
             11 |    a[0 : n / 2.0] = 1
                |          ^^^^^^^
              4 |kernel k(a: f32[n], p: P[n], n: i32, x: f32):
                |                                ^^^ `n` is `i32`
             11 |    a[0 : n / 2.0] = 1
                |              ^^^ this is a float
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[0 : f32(n) / 2.0] = 1
            error[not-a-struct]: nothing says which struct this is whose `y` is used
             14 |    p[i].y = 1
                |    ^^^^
              = write its type where it is defined: `p: Particle[n]`
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        r"
fn dot(a: f32[k], b: f32[k]) -> f32:
    return reduce(+, 0, map(*, a, b))

fn half(a: f32[2 * k], b: f32[k]) -> f32:
    return a[0] + b[0]

kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
    a[:] = a + b
    a[:] = m
    a[0] = dot(a, b)
    a[1] = dot(m, a)
    a[2] = half(replicate(6, 1.0), a[:4])
    a[:] = map(\x y -> x + y, a, b)
    let c: f32[n] = b
    a[3] = c[0]
",
        expect![[r#"
            note[ordered-float-sum]: this loop runs in order: a sum of floats keeps the order of its terms: `s`
              2 |    return reduce(+, 0, map(*, a, b))
                |           ^^^^^^^^^^^^^^^^^^^^^^^^^^
              2 |    return reduce(+, 0, map(*, a, b))
                |                  ^ here `s` gets its next value
            error[size-mismatch]: the two sides of `+` have different sizes: `n` and `n + 1`
              8 |    a[:] = a + b
                |           ^^^^^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                       ^^^^^^^^^^ `b` is `f32[n + 1]`
            error[size-mismatch]: what is assigned to and its new value have 1 dimension and 2 dimensions
              9 |    a[:] = m
                |           ^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                                      ^^^^^^^^^ `m` is `f32[n, n]`
            error[size-mismatch]: parameter `b` of `dot` and this array have different sizes: `n` and `n + 1`
             10 |    a[0] = dot(a, b)
                |                  ^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                       ^^^^^^^^^^ `b` is `f32[n + 1]`
              1 |fn dot(a: f32[k], b: f32[k]) -> f32:
                |   ^^^ `dot` is defined here
            error[size-mismatch]: parameter `a` of `dot` and this array have 1 dimension and 2 dimensions
             11 |    a[1] = dot(m, a)
                |               ^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                                      ^^^^^^^^^ `m` is `f32[n, n]`
              1 |fn dot(a: f32[k], b: f32[k]) -> f32:
                |   ^^^ `dot` is defined here
              = all elements of a matrix are `flatten(m)`; `map(f, m)` calls a function for each row, as in `map(sum, m)`
            error[size-mismatch]: parameter `b` of `half` and this array have different sizes: `3` and `4`
             12 |    a[2] = half(replicate(6, 1.0), a[:4])
                |                                   ^^^^^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              4 |fn half(a: f32[2 * k], b: f32[k]) -> f32:
                |   ^^^^ `half` is defined here
            error[size-mismatch]: these arrays have different sizes: `n` and `n + 1`
             13 |    a[:] = map(\x y -> x + y, a, b)
                |                                 ^
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                       ^^^^^^^^^^ `b` is `f32[n + 1]`
            error[size-mismatch]: the value and its type have different sizes: `n + 1` and `n`
             14 |    let c: f32[n] = b
                |                    ^
             14 |    let c: f32[n] = b
                |           ^^^^^^ the type is written here
              7 |kernel k(a: f32[n], b: f32[n + 1], m: f32[n, n], n: i32):
                |                       ^^^^^^^^^^ `b` is `f32[n + 1]`
        "#]],
    );
}

#[test]
fn what_is_no_size() {
    check(
        r"
kernel k(a: f32[x], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
    a[0] = b[0] + c[0]
",
        expect![[r#"
            error[not-an-integer]: a size is an integer, and this is `f32`
              1 |kernel k(a: f32[x], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
                |                ^
              1 |kernel k(a: f32[x], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
                |                                                   ^^^ `x` is `f32`
              fix: convert it to `i32`
                |kernel k(a: f32[i32(x)], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
            error[bad-size]: an array cannot have a negative size
              1 |kernel k(a: f32[x], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
                |                           ^^
              = a size counts elements: it is 0 or more
            error[bad-size]: a size is arithmetic over constants and integers that do not change
              1 |kernel k(a: f32[x], b: f32[-1], c: f32[n << 1], x: f32, n: i32):
                |                                       ^^^^^^
              = the operators are `+ - * / // %`
        "#]],
    );
}

#[test]
fn arguments() {
    check(
        r"
fn lerp(a: f32, b: f32, t: f32) -> f32:
    return a + (b - a) * t

kernel k(a: f32[n], n: i32):
    a[0] = lerp(0, 1)
    a[1] = lerp(0, n, 0.5)
    a[2] = lerp(a, a, 0.5)
    a[3] = clamp(1, 2)
    a[4] = sqrt(n)
    a[5] = sqrt(a)
    a[6] = max(a[0], n)
    a[:] = zip(a)
    a[7] = f32()
    a[8] = f32(a)
",
        expect![[r#"
            error[argument-count]: `lerp(a, b, t)` takes 3 arguments, and is given 2
              5 |    a[0] = lerp(0, 1)
                |           ^^^^^^^^^^
              1 |fn lerp(a: f32, b: f32, t: f32) -> f32:
                |   ^^^^ `lerp` is defined here
            error[argument-type]: parameter `b` of `lerp` is `f32`, and this is `i32`
              6 |    a[1] = lerp(0, n, 0.5)
                |                   ^
              4 |kernel k(a: f32[n], n: i32):
                |                       ^^^ `n` is `i32`
              1 |fn lerp(a: f32, b: f32, t: f32) -> f32:
                |   ^^^^ `lerp` is defined here
              fix: convert it to `f32`
                |    a[1] = lerp(0, f32(n), 0.5)
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `f32[n]`
              7 |    a[2] = lerp(a, a, 0.5)
                |           ^^^^^^^^^^^^^^^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |fn lerp(a: f32, b: f32, t: f32) -> f32:
                |   ^^^^ `lerp` gives `f32`, for each element of an array
            error[argument-count]: `clamp(x, lo, hi)` takes 3 arguments, and is given 2
              8 |    a[3] = clamp(1, 2)
                |           ^^^^^^^^^^^
            error[argument-type]: `sqrt` takes a float, and this is `i32`
              9 |    a[4] = sqrt(n)
                |                ^
              4 |kernel k(a: f32[n], n: i32):
                |                       ^^^ `n` is `i32`
              fix: convert it to `f32`
                |    a[4] = sqrt(f32(n))
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `f32[n]`
             10 |    a[5] = sqrt(a)
                |           ^^^^^^^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[type-mismatch]: the arguments of `max` have different types: `f32` and `i32`
             11 |    a[6] = max(a[0], n)
                |                     ^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              4 |kernel k(a: f32[n], n: i32):
                |                       ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[6] = max(a[0], f32(n))
              fix: convert it to `i32`
                |    a[6] = max(i32(a[0]), n)
            error[argument-count]: `zip(a, b, ...)` takes at least 2 arguments, and is given 1
             12 |    a[:] = zip(a)
                |           ^^^^^^
            error[argument-count]: the cast `f32(x)` takes 1 argument, and is given 0
             13 |    a[7] = f32()
                |           ^^^^^
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `f32[n]`
             14 |    a[8] = f32(a)
                |           ^^^^^^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
        "#]],
    );
}

#[test]
fn functions_for_elements() {
    check(
        r"
kernel k(a: f32[n], m: f32[n, n], n: i32):
    a[:] = map(\x y -> x + y, a)
    a[:] = map(max, a)
    a[:] = map(sqrt, m)
    a[:] = map(3, a)
    a[0] = reduce(\x y -> x > y, 0, a)
    a[1] = reduce(+, true, a)
    a[2] = reduce(and, true, a)
",
        expect![[r#"
            error[argument-count]: this function takes 2 arguments, and is applied to 1
              2 |    a[:] = map(\x y -> x + y, a)
                |               ^^^^^^^^^^^^^
            error[argument-count]: this function takes 2 arguments, and is applied to 1
              3 |    a[:] = map(max, a)
                |               ^^^
            error[size-mismatch]: what is assigned to and its new value have 1 dimension and 2 dimensions
              4 |    a[:] = map(sqrt, m)
                |           ^^^^^^^^^^^^
              1 |kernel k(a: f32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[not-a-function]: only functions are called, and this is a number
              5 |    a[:] = map(3, a)
                |               ^
            error[argument-type]: `reduce` starts with `f32`, and this function gives `bool`, which it would go on with
              6 |    a[0] = reduce(\x y -> x > y, 0, a)
                |                  ^^^^^^^^^^^^^
              = both have one type: convert the value that it starts with, or what the function gives
            error[argument-type]: what `reduce` starts with is `f32`, and this is `bool`
              7 |    a[1] = reduce(+, true, a)
                |                     ^^^^
              fix: convert it to `f32`
                |    a[1] = reduce(+, f32(true), a)
            error[argument-type]: what `reduce` starts with is `f32`, and this is `bool`
              8 |    a[2] = reduce(and, true, a)
                |                       ^^^^
              fix: convert it to `f32`
                |    a[2] = reduce(and, f32(true), a)
        "#]],
    );
}

#[test]
fn what_is_called() {
    check(
        r"
struct P:
    x: f32

kernel k(a: f32[n], n: i32):
    a[0] = n(1) + P(1)
    k(a, n)
",
        expect![[r#"
            error[not-a-function]: only functions are called, and this is `i32`
              5 |    a[0] = n(1) + P(1)
                |           ^
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `P`
              5 |    a[0] = n(1) + P(1)
                |           ^^^^^^^^^^^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[not-a-function]: `k` is a kernel, and only functions are called
              6 |    k(a, n)
                |    ^
              = kernels are called from outside; what several kernels share is a `fn`
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        r"
fn f(x):
    return f(x - 1)

fn even(n):
    return true if n == 0 else odd(n - 1)

fn odd(n):
    return even(n - 1)

const A = B
const B = C + 1
const C = A
",
        expect![[r#"
            error[recursion]: `f` calls itself
              2 |    return f(x - 1)
                |           ^
              = functions are inlined where they are called, so none can lead back to itself; use a loop
            error[recursion]: `odd` calls itself, by way of `even`
              8 |    return even(n - 1)
                |           ^^^^
              = functions are inlined where they are called, so none can lead back to itself; use a loop
            error[recursion]: `C` is defined by itself, by way of `A` and `B`
             12 |const C = A
                |          ^
        "#]],
    );
}

#[test]
fn constants_that_cannot_be_computed() {
    check(
        r"
const INVERSES = map(\i -> 6 / i, iota(3))
const HALVES = map(\x -> x / 2, INVERSES)
const FIFTH = nth(4)
const LONG = map(turns, iota(4))
const SOME = filter(\x -> x > 1, iota(4))

fn nth(i):
    let a = [1, 2, 3]
    return a[i]

fn turns(i):
    let k = i
    while k >= 0:
        k = (k + 1) % 1000
    return k

kernel k(a: i32[3]):
    a[:] = INVERSES + HALVES
    a[0] = FIFTH + LONG[0]
    HALVES[0] = 1
    let copy = HALVES
    copy[0] = 1
",
        expect![[r#"
            error[constant-fails]: `INVERSES` cannot be computed: an integer is divided by zero
              1 |const INVERSES = map(\i -> 6 / i, iota(3))
                |                           ^^^^^
              = a constant is computed before anything runs, so what it is made of must not fail
            error[constant-fails]: `FIFTH` cannot be computed: the index 4 is out of range: the size there is 3
              3 |const FIFTH = nth(4)
                |              ^^^^^^
              7 |fn nth(i):
                |   ^^^ it stops in here
              = a constant is computed before anything runs, so what it is made of must not fail
            error[constant-fails]: `LONG` cannot be computed: that takes more than 1000000 steps
              4 |const LONG = map(turns, iota(4))
                |             ^^^^^^^^^^^^^^^^^^^
             11 |fn turns(i):
                |   ^^^^^ it stops in here
              = a constant is computed before anything runs, so what it is made of must not fail
            error[bad-size]: the size of a constant is not known before it is computed
              5 |const SOME = filter(\x -> x > 1, iota(4))
                |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = write its type with the size, as in `const TABLE: f32[16] = ...`
            error[assign-to-fixed]: `HALVES` is a constant, so its elements are not written to
             20 |    HALVES[0] = 1
                |    ^^^^^^^^^
              = `let copy = HALVES` is an array of its own, which can be
              fix: copy it to the variable `halves` first
                |    let halves = HALVES
                |    a[:] = INVERSES + halves
                |    a[0] = FIFTH + LONG[0]
                |    halves[0] = 1
        "#]],
    );
}

#[test]
fn constant_arrays_that_are_written_to() {
    check(
        r"
const TABLE = [1, 2, 3]
const table_ = 3

fn one(table):
    TABLE[0] = table

kernel k(a: i32[n], n: i32):
    a[0] = TABLE[0]
    for i in range(3):
        TABLE[i] += table_
    let table = TABLE[1]
    a[1] = table

kernel l(a: i32[n], n: i32):
    @unroll(3)
    for i in range(3):
        TABLE[0:i] = TABLE[1]

kernel m(a: i32[n], n: i32):
    foreach i in range(n):
        TABLE[i] = a[i]
",
        expect![[r#"
            error[assign-to-fixed]: `TABLE` is a constant, so its elements are not written to
              5 |    TABLE[0] = table
                |    ^^^^^^^^
              = `let copy = TABLE` is an array of its own, which can be
            error[assign-to-fixed]: `TABLE` is a constant, so its elements are not written to
             10 |        TABLE[i] += table_
                |        ^^^^^^^^
              = `let copy = TABLE` is an array of its own, which can be
              fix: copy it to the variable `table__` first
                |    let table__ = TABLE
                |    a[0] = table__[0]
                |    for i in range(3):
                |        table__[i] += table_
                |    let table = table__[1]
            warning[unused-name]: the parameter `a` is never used
             14 |kernel l(a: i32[n], n: i32):
                |         ^
              fix: write `_a` to say that this is meant
                |kernel l(_a: i32[n], n: i32):
            error[assign-to-fixed]: `TABLE` is a constant, so its elements are not written to
             17 |        TABLE[0:i] = TABLE[1]
                |        ^^^^^^^^^^
              = `let copy = TABLE` is an array of its own, which can be
              fix: copy it to the variable `table` first
                |    let table = TABLE
                |    @unroll(3)
                |    for i in range(3):
                |        table[0:i] = table[1]
            error[assign-to-fixed]: `TABLE` is a constant, so its elements are not written to
             21 |        TABLE[i] = a[i]
                |        ^^^^^^^^
              = `let copy = TABLE` is an array of its own, which can be
              fix: copy it to the variable `table` first
                |    let table = TABLE
                |    foreach i in range(n):
                |        table[i] = a[i]
        "#]],
    );
}

#[test]
fn arrays_in_the_manner_of_c() {
    check(
        r"
const float V[3] = {1.0, 2.0, 3.0}

kernel k(a: f32[n], n: i32):
    float w[2] = {1, 2}
    let x: f32[2, 2] = {{1, 2}, {3, 4}}
    float u[3]
    a[0] = w[0] + x[0, 0] + u[0] + V[0]
",
        expect![[r#"
            error[foreign-syntax]: a type stands behind its name
              1 |const float V[3] = {1.0, 2.0, 3.0}
                |      ^^^^^^^
              fix: write `V: f32`
                |const V: f32[3] = {1.0, 2.0, 3.0}
            error[foreign-syntax]: no value is written in braces
              1 |const float V[3] = {1.0, 2.0, 3.0}
                |                   ^
              = an array is written in brackets: `[x, y]`
              fix: write brackets
                |const float V[3] = [1.0, 2.0, 3.0]
            error[foreign-syntax]: a type stands behind its name
              4 |    float w[2] = {1, 2}
                |    ^^^^^^^
              fix: write `let w: f32`
                |    let w: f32[2] = {1, 2}
            error[foreign-syntax]: no value is written in braces
              4 |    float w[2] = {1, 2}
                |                 ^
              = an array is written in brackets: `[x, y]`
              fix: write brackets
                |    float w[2] = [1, 2]
            error[foreign-syntax]: no value is written in braces
              5 |    let x: f32[2, 2] = {{1, 2}, {3, 4}}
                |                       ^
              = an array is written in brackets: `[x, y]`
              fix: write brackets
                |    let x: f32[2, 2] = [[1, 2], [3, 4]]
            error[foreign-syntax]: a type stands behind its name
              6 |    float u[3]
                |    ^^^^^^^
              fix: write `let u: f32[3]`
                |    let u: f32[3]
        "#]],
    );
}

#[test]
fn what_must_be_a_scalar() {
    check(
        r"
const A = (iota(4), 2)

kernel k(a: f32[n], n: i32):
    return a[1:]
",
        expect![[r#"
            error[not-scalar]: a constant is a scalar or an array of scalars, and this is `(?[4], ?)`
              1 |const A = (iota(4), 2)
                |           ^^^^^^^^^^
              = define it with `let` in the kernel that uses it
            error[not-scalar]: a kernel's result is a scalar or a struct, and this is `f32[n - 1]`
              4 |    return a[1:]
                |           ^^^^^
              = arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`
              fix: store to a parameter `out`
                |kernel k(a: f32[n], n: i32, out: f32[n - 1]):
                |    out[:] = a[1:]
        "#]],
    );
}

#[test]
fn numbers_and_what_they_come_to() {
    check(
        r"
kernel k(a: u8[n], b: i32[n], f: f32[4], n: i32):
    a[0] = 256
    a[1] = -1
    b[0] = 2147483648
    b[1] = 2147483647 + 1
    b[2] = n / (3 - 3)
    b[3] = n << 32
    b[4] = i32(3e9)
    b[5] = 99999999999999999999
    f[4] = 1e39
    f[-1] = 1
    f[2:5] = 1
    f[3:1] = 1
    b[6] /= 0
",
        expect![[r#"
            error[number-out-of-range]: `256` does not fit `u8`
              2 |    a[0] = 256
                |           ^^^
              = `u8` goes from 0 to 255
            error[number-out-of-range]: `-1` does not fit `u8`
              3 |    a[1] = -1
                |           ^^
              = `u8` goes from 0 to 255; all bits set is its largest value
              fix: write `largest(u8)`
                |    a[1] = largest(u8)
            error[number-out-of-range]: `2147483648` does not fit `i32`
              4 |    b[0] = 2147483648
                |           ^^^^^^^^^^
              = `i32` goes from -2147483648 to 2147483647
            error[constant-overflow]: the result, 2147483648, does not fit `i32`
              5 |    b[1] = 2147483647 + 1
                |           ^^^^^^^^^^^^^^
              = a run would end here: compute in a wider type, or in an unsigned one, which wraps
            error[division-by-zero]: this divides an integer by zero
              6 |    b[2] = n / (3 - 3)
                |           ^^^^^^^^^^^
              6 |    b[2] = n / (3 - 3)
                |                ^^^^^ this is 0
              = a run would end here; of floats the result is infinite
            error[shift-out-of-range]: a shift of `i32` is by 0 to 31, and this is 32
              7 |    b[3] = n << 32
                |                ^^
              = `i32` has 32 bits; convert the value before it is shifted
              fix: convert it to `i64`
                |    b[3] = i64(n) << 32
            error[number-out-of-range]: `3000000000.0` does not fit `i32`
              8 |    b[4] = i32(3e9)
                |           ^^^^^^^^
              = `i32` goes from -2147483648 to 2147483647
            error[number-out-of-range]: no type holds a number as large as `99999999999999999999`
              9 |    b[5] = 99999999999999999999
                |           ^^^^^^^^^^^^^^^^^^^^
              = integers go up to 18446744073709551615; as a float it is written with a point: `1e30`
            error[index-out-of-range]: the index 4 is outside of this dimension, which has 4 elements
             10 |    f[4] = 1e39
                |      ^
            error[number-out-of-range]: `1e39` does not fit `f32`
             10 |    f[4] = 1e39
                |           ^^^^
            error[index-out-of-range]: an index of -1 is before the first element
             11 |    f[-1] = 1
                |      ^^
              = indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size
              fix: write `length(f) - 1`
                |    f[length(f) - 1] = 1
            error[index-out-of-range]: this slice goes to 5, and this dimension has 4 elements
             12 |    f[2:5] = 1
                |        ^
            error[index-out-of-range]: this slice ends at 1, before its start at 3: it has no cell
             13 |    f[3:1] = 1
                |      ^^^
              = a slice that goes down has a negative step: `a[3:1:-1]`
            error[division-by-zero]: this divides an integer by zero
             14 |    b[6] /= 0
                |            ^
              = a run would end here; of floats the result is infinite
        "#]],
    );
}

#[test]
fn what_a_kernel_takes_and_gives() {
    check(
        r"
kernel gives(x: f32) -> f32[n]:
    return x

kernel takes(a: f32[n], x: varying f32, n: i32):
    a[0] = x
",
        expect![[r#"
            error[not-scalar]: a kernel's result is a scalar or a struct, and this is `f32[_]`
              1 |kernel gives(x: f32) -> f32[n]:
                |                        ^^^^^^
              = arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`
              fix: store to a parameter `out`
                |kernel gives(x: f32, out):
                |    out[:] = x
            error[varying-kernel]: what a kernel takes and gives is one value for all lanes, never `varying`
              4 |kernel takes(a: f32[n], x: varying f32, n: i32):
                |                           ^^^^^^^
              fix: remove `varying`
                |kernel takes(a: f32[n], x: f32, n: i32):
        "#]],
    );
}

#[test]
fn constants_of_a_function_fit_the_types_of_each_call() {
    check(
        "
fn raise(x):
    return x + 300

fn high(x):
    return x >> 13

fn both(x):
    return raise(x) + high(x)

fn deep(x):
    y = x
    y >>= 9
    return y - 100 * 2

fn none(x):
    return x / 0

fn far(x):
    return x * 1e300

kernel k(a: u8[n], b: i32[n], c: i8[n], d: f32[n], e: f64[n], n: i32):
    for i in range(n):
        b[i] = both(b[i])
        a[i] = raise(a[i])
        a[i] = high(a[i])
        a[i] = both(a[i])
        c[i] = deep(c[i])
        b[i] = none(b[i])
        d[i] = none(d[i])
        d[i] = far(d[i])
        e[i] = far(e[i])
",
        expect![[r#"
            error[number-out-of-range]: this call runs `raise` with `u8`, and its `300` does not fit `u8`
             24 |        a[i] = raise(a[i])
                |               ^^^^^^^^^^^
              2 |    return x + 300
                |               ^^^ this is a number of `u8` for that call
              = `u8` goes from 0 to 255; convert the argument to a type that holds the number, as in `i32(x)`
            error[shift-out-of-range]: this call runs `high` with `u8`, and a shift of `u8` is by 0 to 7, not by 13
             25 |        a[i] = high(a[i])
                |               ^^^^^^^^^^
              5 |    return x >> 13
                |                ^^ this shifts a value of `u8` for that call
              = convert the argument to a wider type, as in `i64(x)`
            error[number-out-of-range]: this call runs `raise` with `u8`, and its `300` does not fit `u8`
             26 |        a[i] = both(a[i])
                |               ^^^^^^^^^^
              2 |    return x + 300
                |               ^^^ this is a number of `u8` for that call
              = `u8` goes from 0 to 255; convert the argument to a type that holds the number, as in `i32(x)`
            error[constant-overflow]: this call runs `deep` with `i8`, and there the result 200 does not fit `i8`
             27 |        c[i] = deep(c[i])
                |               ^^^^^^^^^^
             13 |    return y - 100 * 2
                |               ^^^^^^^ this is computed in `i8` for that call
              = `i8` goes from -128 to 127; convert the argument to a type that holds the number, as in `i32(x)`
            error[division-by-zero]: this call runs `none` with `i32`, and there it divides an integer by zero
             28 |        b[i] = none(b[i])
                |               ^^^^^^^^^^
             16 |    return x / 0
                |               ^ this is 0
            error[number-out-of-range]: this call runs `far` with `f32`, and its `1e300` does not fit `f32`
             30 |        d[i] = far(d[i])
                |               ^^^^^^^^^
             19 |    return x * 1e300
                |               ^^^^^ this is a number of `f32` for that call
              = convert the argument to a wider type, as in `f64(x)`
        "#]],
    );
}

#[test]
fn slices_that_go_down() {
    check(
        "
kernel k(a: f32[64], i: i32):
    let down = a[24:8:-2]
    let all = a[63:-1:-1]
    let past = a[64:8:-2]
    let before = a[24:-3:-2]
    let just = a[24:-2:-2]
    let wrong = a[8:24:-2]
    let up = a[24:8]
    let still = a[1:8:0]
    let skip = a[0:64:9]
    let more = a[0:66:65]
    let open = a[i:65]
    let to = a[:-1:-1]
    down[0] = all[0] + just[1] + skip[2] + to[0]
    past[0] = before[0] + wrong[0] + up[0] + still[0] + more[0] + open[0]
    let small: f32[8] = a[24:8:-2]
    let other: f32[9] = a[24:8:-2]
    small[0] = other[0]
",
        expect![[r#"
            error[index-out-of-range]: the index 64 is outside of this dimension, which has 64 elements
              4 |    let past = a[64:8:-2]
                |                 ^^
            error[index-out-of-range]: an index of -3 is before the first element
              5 |    let before = a[24:-3:-2]
                |                      ^^
              = indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size
              fix: write `length(a) - 3`
                |    let before = a[24:length(a) - 3:-2]
            error[index-out-of-range]: this slice goes down, and ends at 24, above its start at 8: it has no cell
              7 |    let wrong = a[8:24:-2]
                |                  ^^^^
              = a slice that goes down starts at the higher index: `a[24:8:-2]`
            error[index-out-of-range]: this slice ends at 8, before its start at 24: it has no cell
              8 |    let up = a[24:8]
                |               ^^^^
              = a slice that goes down has a negative step: `a[24:8:-1]`
            error[zero-step]: a slice with a step of 0 never gets to its end
              9 |    let still = a[1:8:0]
                |                      ^
              = a negative step goes down
            error[index-out-of-range]: this slice goes to 66, and this dimension has 64 elements
             11 |    let more = a[0:66:65]
                |                   ^^
            error[index-out-of-range]: this slice goes to 65, and this dimension has 64 elements
             12 |    let open = a[i:65]
                |                   ^^
            error[size-mismatch]: the value and its type have different sizes: `8` and `9`
             17 |    let other: f32[9] = a[24:8:-2]
                |                        ^^^^^^^^^^
             17 |    let other: f32[9] = a[24:8:-2]
                |               ^^^^^^ the type is written here
              1 |kernel k(a: f32[64], i: i32):
                |            ^^^^^^^ `a` is `f32[64]`
        "#]],
    );
}

#[test]
fn casts_go_to_what_has_lost_nothing_yet() {
    check(
        "
kernel k(a: u8[n], b: u8[n], out: f32[n], wide: u32[n], n: i32, w: i32, hits: i32) -> f32:
    for px in range(n):
        out[px] = px / w * 3.5
        out[px] = sqrt(px / w)
        wide[px] = a[px] << 16
        wide[px] += a[px] * b[px]
        wide[px] = a[px] + b[px]
    let ratio: f32 = 4 * hits / n
    out[0] = ratio + (n - w)
    return 4 * hits / n
",
        expect![[r#"
            error[type-mismatch]: the two sides of `*` have different types: `i32` and a float
              3 |        out[px] = px / w * 3.5
                |                  ^^^^^^^^^^^^
              3 |        out[px] = px / w * 3.5
                |                  ^^^^^^ this is `i32`
              3 |        out[px] = px / w * 3.5
                |                           ^^^ this is a float
              = `/` of two integers drops the fraction, and a cast of the result cannot bring it back: convert the operands to `f32`
              fix: convert the operands to `f32`
                |        out[px] = f32(px) / f32(w) * 3.5
              fix: divide the integers without the fraction, then convert to `f32`
                |        out[px] = f32(px / w) * 3.5
            error[argument-type]: `sqrt` takes a float, and this is `i32`
              4 |        out[px] = sqrt(px / w)
                |                       ^^^^^^
              = `/` of two integers drops the fraction, and a cast of the result cannot bring it back: convert the operands to `f32`
              fix: convert the operands to `f32`
                |        out[px] = sqrt(f32(px) / f32(w))
              fix: divide the integers without the fraction, then convert to `f32`
                |        out[px] = sqrt(f32(px / w))
            error[type-mismatch]: what is assigned to is `u32`, and its new value is `u8`
              5 |        wide[px] = a[px] << 16
                |                   ^^^^^^^^^^^
              1 |kernel k(a: u8[n], b: u8[n], out: f32[n], wide: u32[n], n: i32, w: i32, hits: i32) -> f32:
                |                                                ^^^^^^ `wide` is `u32[n]`
              = the result wraps before it could be converted: convert the operands to `u32`
              fix: convert the operands to `u32`
                |        wide[px] = u32(a[px]) << 16
              fix: let the result wrap, then convert to `u32`
                |        wide[px] = u32(a[px] << 16)
            error[shift-out-of-range]: a shift of `u8` is by 0 to 7, and this is 16
              5 |        wide[px] = a[px] << 16
                |                            ^^
              = `u8` has 8 bits; convert the value before it is shifted
              fix: convert it to `u32`
                |        wide[px] = u32(a[px]) << 16
            error[type-mismatch]: what is assigned to is `u32`, and its new value is `u8`
              6 |        wide[px] += a[px] * b[px]
                |                    ^^^^^^^^^^^^^
              1 |kernel k(a: u8[n], b: u8[n], out: f32[n], wide: u32[n], n: i32, w: i32, hits: i32) -> f32:
                |                                                ^^^^^^ `wide` is `u32[n]`
              = the result wraps before it could be converted: convert the operands to `u32`
              fix: convert the operands to `u32`
                |        wide[px] += u32(a[px]) * u32(b[px])
              fix: let the result wrap, then convert to `u32`
                |        wide[px] += u32(a[px] * b[px])
            error[type-mismatch]: what is assigned to is `u32`, and its new value is `u8`
              7 |        wide[px] = a[px] + b[px]
                |                   ^^^^^^^^^^^^^
              1 |kernel k(a: u8[n], b: u8[n], out: f32[n], wide: u32[n], n: i32, w: i32, hits: i32) -> f32:
                |                                                ^^^^^^ `wide` is `u32[n]`
              = the result wraps before it could be converted: convert the operands to `u32`
              fix: convert the operands to `u32`
                |        wide[px] = u32(a[px]) + u32(b[px])
              fix: let the result wrap, then convert to `u32`
                |        wide[px] = u32(a[px] + b[px])
            error[type-mismatch]: expected `f32`, found `i32`
              8 |    let ratio: f32 = 4 * hits / n
                |                     ^^^^^^^^^^^^
              8 |    let ratio: f32 = 4 * hits / n
                |               ^^^ the type is written here
              = `/` of two integers drops the fraction, and a cast of the result cannot bring it back: convert the operands to `f32`
              fix: convert the operands to `f32`
                |    let ratio: f32 = 4 * f32(hits) / f32(n)
              fix: divide the integers without the fraction, then convert to `f32`
                |    let ratio: f32 = f32(4 * hits / n)
            error[type-mismatch]: the two sides of `+` have different types: `f32` and `i32`
              9 |    out[0] = ratio + (n - w)
                |             ^^^^^^^^^^^^^^^
              8 |    let ratio: f32 = 4 * hits / n
                |               ^^^ `ratio` is `f32`
              9 |    out[0] = ratio + (n - w)
                |                      ^^^^^ this is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    out[0] = ratio + (f32(n - w))
              fix: convert it to `i32`
                |    out[0] = i32(ratio) + (n - w)
            error[type-mismatch]: expected `f32`, found `i32`
             10 |    return 4 * hits / n
                |           ^^^^^^^^^^^^
              1 |kernel k(a: u8[n], b: u8[n], out: f32[n], wide: u32[n], n: i32, w: i32, hits: i32) -> f32:
                |                                                                                      ^^^ the type is written here
              = `/` of two integers drops the fraction, and a cast of the result cannot bring it back: convert the operands to `f32`
              fix: convert the operands to `f32`
                |    return 4 * f32(hits) / f32(n)
              fix: divide the integers without the fraction, then convert to `f32`
                |    return f32(4 * hits / n)
        "#]],
    );
}

#[test]
fn numbers_say_why_they_have_their_type() {
    check(
        "
kernel crc32(data: u8[n], n: i32) -> u32:
    crc = 0xffffffff
    for i in range(n):
        crc = crc ^ data[i]
    return u32(crc)
",
        expect![[r#"
            error[number-out-of-range]: `4294967295` does not fit `u8`
              2 |    crc = 0xffffffff
                |          ^^^^^^^^^^
              4 |        crc = crc ^ data[i]
                |              ^^^^^^^^^^^^^ the number is `u8` because of this
              = `u8` goes from 0 to 255; for a wider number write its type, as in `let x: u32 = 4294967295`, and convert what it meets there: `u32(...)`
        "#]],
    );
}

/// In NumPy it would leave out the last cell.
#[test]
fn a_slice_does_not_count_from_the_end() {
    check(
        "kernel k(a: f32[n], n):
    a[1:-1] = 0
",
        expect![[r#"
            error[index-out-of-range]: this slice ends at -1, before its start at 1: it has no cell
              2 |    a[1:-1] = 0
                |      ^^^^
              = indices do not count from the end; write `a[1:n - 1]`, with the array's size
        "#]],
    );
}

#[test]
fn averages_of_integers() {
    check(
        "
kernel untyped(a, out, n):
    m = sum(a) / length(a)
    for i in range(n):
        out[i] = a[i] - m

kernel counted(a: i32[n], n: i32) -> f32:
    let c = count(a > 0)
    return f32(c / n) + f32(sum(a) / length(a))

kernel looped(a: i32[n], n: i32) -> i32:
    let s = 0
    for i in range(n):
        s += a[i]
    return s / n

kernel meant(a: i32[n], b: f32[n], n: i32) -> f32:
    let s = 0
    for i in range(n):
        s += i
    return mean(b) + sum(b) / f32(length(b)) + f32(sum(a) // n + sum(a) / 2 + s / n)
",
        expect![[r#"
            warning[integer-average]: this divides integers, so an average loses its fraction; `a` has no type, so its elements are taken to be integers, too
              2 |    m = sum(a) / length(a)
                |        ^^^^^^^^^^^^^^^^^^
              = to keep the fraction, convert before dividing; write `//` if a whole number is meant
              fix: convert the divisor to `f32`
                |    m = sum(a) / f32(length(a))
            warning[integer-average]: this divides integers, so a share loses its fraction
              8 |    return f32(c / n) + f32(sum(a) / length(a))
                |               ^^^^^
              = to keep the fraction, convert before dividing; write `//` if a whole number is meant
              fix: convert the operands to `f32`
                |    return f32(f32(c) / f32(n)) + f32(sum(a) / length(a))
            warning[integer-average]: this divides integers, so an average loses its fraction
              8 |    return f32(c / n) + f32(sum(a) / length(a))
                |                            ^^^^^^^^^^^^^^^^^^
              = to keep the fraction, convert before dividing; write `//` if a whole number is meant
              fix: convert the operands to `f32`
                |    return f32(c / n) + f32(f32(sum(a)) / f32(length(a)))
            warning[integer-average]: this divides integers, so an average loses its fraction
             14 |    return s / n
                |           ^^^^^
              = to keep the fraction, convert before dividing; write `//` if a whole number is meant
              fix: convert the operands to `f32`
                |    return f32(s) / f32(n)
        "#]],
    );
}

#[test]
fn parts_of_constant_arrays_that_are_written_to() {
    check(
        r"
const TABLE = [1, 2, 3]
const ROWS = [[1, 2], [3, 4]]

kernel k(a: i32[2], n: i32) -> i32:
    let s = TABLE[1:3]
    let copy = TABLE
    copy[0] = 5
    for i in range(n):
        let t = a if n > 1 else TABLE[:2]
        s[0] = i
        s = t
    for row in ROWS:
        row[0] = 1
    s = a
    return s[0]
",
        expect![[r#"
            error[assign-to-fixed]: `TABLE` is a constant, so its elements are not written to
             10 |        s[0] = i
                |        ^^^^
              5 |    let s = TABLE[1:3]
                |            ^^^^^^^^^^ a slice or a row is the array's own cells, and no copy
              = `let copy = TABLE` is an array of its own, which can be
              fix: make a copy of that part
                |    let s = map(\x -> x, TABLE[1:3])
            error[assign-to-fixed]: `ROWS` is a constant, so its elements are not written to
             13 |        row[0] = 1
                |        ^^^^^^
             12 |    for row in ROWS:
                |               ^^^^ a slice or a row is the array's own cells, and no copy
              = `let copy = ROWS` is an array of its own, which can be
              fix: make a copy of that part
                |    for row in map(\x -> x, ROWS):
        "#]],
    );
}

#[test]
fn a_struct_goes_out_through_a_parameter() {
    check(
        r"
kernel k(a: f32) -> vec2:
    return vec2(a, 2 * a)
",
        expect![""],
    );
}

#[test]
fn what_wraps_before_its_cast_and_what_no_comparison_finds() {
    check(
        "\
kernel blur(a: u8[n], out: u8[n], n: i32):
    for i in range(1, n - 1):
        out[i] = u8((a[i - 1] + a[i] + a[i + 1]) / 3)

kernel product(a: i16[n], b: i16[n], n: i32) -> i32:
    let s = 0
    for i in range(n):
        s += i32(a[i] * b[i])
    return s

kernel total(a: u8[n], n: i32) -> f32:
    let s = 0
    for i in range(n):
        s += a[i]
    return f32(s)

kernel known(a: f32[n], n: i32) -> i32:
    let count = 0
    for i in range(n):
        if a[i] != nan and a[i] > nan:
            count += 1
    return count
",
        expect![[r#"
            warning[cast-too-late]: this arithmetic is done in `u8`, so a result that does not fit it wraps before it is converted
              3 |        out[i] = u8((a[i - 1] + a[i] + a[i + 1]) / 3)
                |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = operators keep the type of their operands: convert these to `i32`; where the low 8 bits are meant, write `& 0xff` before the cast
              fix: convert the operands to `i32`
                |        out[i] = u8((i32(a[i - 1]) + i32(a[i]) + i32(a[i + 1])) / 3)
            warning[cast-too-late]: this arithmetic is done in `i16`, so a result that does not fit it overflows, and a run would end here, before it is converted
              8 |        s += i32(a[i] * b[i])
                |             ^^^^^^^^^^^^^^^^
              = operators keep the type of their operands: convert these to `i32`; where the low 16 bits are meant, write `& 0xffff` before the cast
              fix: convert the operands to `i32`
                |        s += i32(i32(a[i]) * i32(b[i]))
            warning[cast-too-late]: this arithmetic is done in `u8`, so a result that does not fit it wraps before it is converted
             15 |    return f32(s)
                |           ^^^^^^
              = operators keep the type of their operands: convert these to `f32`; where the low 8 bits are meant, write `& 0xff` before the cast
              fix: convert the operands to `f32`
                |        s += f32(a[i])
            warning[compared-with-nan]: a comparison with NaN is always true: NaN equals nothing, itself included, and has no order
             20 |        if a[i] != nan and a[i] > nan:
                |           ^^^^^^^^^^^
              = `isnan(x)` asks whether `x` is NaN
              fix: write `not isnan(...)`
                |        if not isnan(a[i]) and a[i] > nan:
            warning[compared-with-nan]: a comparison with NaN is never true: NaN equals nothing, itself included, and has no order
             20 |        if a[i] != nan and a[i] > nan:
                |                           ^^^^^^^^^^
              = `isnan(x)` asks whether `x` is NaN
        "#]],
    );
}
