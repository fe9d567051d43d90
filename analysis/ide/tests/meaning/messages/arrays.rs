//! Messages about whole arrays, and about functions as values.

use expect_test::expect;

use super::check;

#[test]
fn and_and_or_of_arrays() {
    check(
        r#"
kernel k(a: f32[n], c: bool[n], n: i32):
    c[:] = a > 0 and a < 1
    c[:] = (a > 0) or c
    c[:] = not c and c
"#,
        expect![[r#"
            error[operand-type]: `and` takes two bools, and an operand here is an array of them
              2 |    c[:] = a > 0 and a < 1
                |                 ^^^
              = `&` works element by element; it binds tighter than a comparison, which needs parentheses: `(a > 0) & (b > 0)`
              fix: write `&`
                |    c[:] = (a > 0) & (a < 1)
            error[operand-type]: `or` takes two bools, and an operand here is an array of them
              3 |    c[:] = (a > 0) or c
                |                   ^^
              = `|` works element by element; it binds tighter than a comparison, which needs parentheses: `(a > 0) | (b > 0)`
              fix: write `|`
                |    c[:] = (a > 0) | c
            error[operand-type]: `and` takes two bools, and an operand here is an array of them
              4 |    c[:] = not c and c
                |                 ^^^
              = `&` works element by element; it binds tighter than a comparison, which needs parentheses: `(a > 0) & (b > 0)`
              fix: write `&`
                |    c[:] = (not c) & c
        "#]],
    );
}

#[test]
fn elements_of_several_arrays() {
    check(
        r#"
kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
    a[:] = max(a, b)
    a[:] = max(m, a)
    a[:] = max(a, i)
    a[:] = exp(i)
    a[:] = i
    a[0] = exp(a)
"#,
        expect![[r#"
            error[size-mismatch]: the arguments of `max` have different sizes: `n` and `n + 1`
              2 |    a[:] = max(a, b)
                |                  ^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |                       ^^^^^^^^^^ `b` is `f32[n + 1]`
            error[size-mismatch]: the arguments of `max` have 2 dimensions and 1 dimension
              3 |    a[:] = max(m, a)
                |                  ^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |                                                 ^^^^^^^^^ `m` is `f32[n, n]`
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
            error[type-mismatch]: the arguments of `max` have different types: `f32` and `i32`
              4 |    a[:] = max(a, i)
                |                  ^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |                                      ^^^^^^ `i` is `i32[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[:] = max(a, f32(i))
              fix: convert it to `i32`
                |    a[:] = max(i32(a), i)
            error[argument-type]: `exp` takes a float, and this is `i32[n]`
              5 |    a[:] = exp(i)
                |               ^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |                                      ^^^^^^ `i` is `i32[n]`
              fix: convert it to `f32`
                |    a[:] = exp(f32(i))
            error[type-mismatch]: what is assigned to is `f32[n]`, and its new value is `i32[n]`
              6 |    a[:] = i
                |           ^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |                                      ^^^^^^ `i` is `i32[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[:] = f32(i)
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `f32[n]`
              7 |    a[0] = exp(a)
                |           ^^^^^^
              1 |kernel k(a: f32[n], b: f32[n + 1], i: i32[n], m: f32[n, n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
        "#]],
    );
}

#[test]
fn arrays_that_are_given_scalars() {
    check(
        r#"
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let t = a + b
    t = 0.0
    b = t
    return t[0]
"#,
        expect![[r#"
            error[type-mismatch]: this variable is `f32[n]`, and its new value is a float
              3 |    t = 0.0
                |        ^^^
              2 |    let t = a + b
                |        ^ `t` is `f32[n]`
              = `=` makes a variable name another array; `[:]` stores a value in all elements of the one that it names
              fix: write `[:]`
                |    t[:] = 0.0
            error[assign-to-fixed]: `b` is a parameter; it cannot be given a new value
              4 |    b = t
                |    ^
              1 |kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
                |                    ^ `b` is defined here
              = copy it first: `let b_ = b`; an array's elements can be assigned: `b[:] = ...`, `b[i] = ...`
              fix: assign to its elements
                |    b[:] = t
        "#]],
    );
}

#[test]
fn functions_that_go_on_with_another_type() {
    check(
        r#"
kernel k(a: f32[n], c: bool[n], n: i32) -> f32:
    let s = reduce(\s x -> x, 0, c)
    return reduce(+, n, a)
"#,
        expect![[r#"
            warning[unused-name]: the variable `s` is never read
              2 |    let s = reduce(\s x -> x, 0, c)
                |        ^
              fix: write `_s` to say that this is meant
                |    let _s = reduce(\s x -> x, 0, c)
            error[argument-type]: `reduce` goes on with what this function gives: `bool`, where it starts with a number
              2 |    let s = reduce(\s x -> x, 0, c)
                |                   ^^^^^^^^^
            error[argument-type]: what `reduce` starts with is `f32`, and this is `i32`
              3 |    return reduce(+, n, a)
                |                     ^
              1 |kernel k(a: f32[n], c: bool[n], n: i32) -> f32:
                |                                   ^^^ `n` is `i32`
              fix: convert it to `f32`
                |    return reduce(+, f32(n), a)
        "#]],
    );
}

#[test]
fn functions_as_arguments() {
    check(
        r#"
fn twice(f, x):
    return f(f(x))

fn loops(x):
    return twice(loops, x)

kernel k(a: f32[n], n: i32) -> f32:
    let f = \x -> x + 1.0
    a[:] = f(a)
    a[0] = twice(max, 3.0)
    a[1] = twice(2.0, 3.0)
    a[2] = f(1, 2)
    return twice(\x -> x > 0.0, 1.0)
"#,
        expect![[r#"
            warning[not-lowered-yet]: a function as a value cannot be run or built yet
              2 |    return f(f(x))
                |           ^^^^^^^
              = call the function by its name, in a loop over the elements: `out[i] = f(a[i])`
            error[recursion]: `loops` calls itself
              5 |    return twice(loops, x)
                |                 ^^^^^
              = functions are inlined where they are called, so none can lead back to itself; use a loop
            error[argument-type]: the function's parameter is a float, and this is `f32[n]`
              9 |    a[:] = f(a)
                |             ^
              7 |kernel k(a: f32[n], n: i32) -> f32:
                |            ^^^^^^ `a` is `f32[n]`
              = `map` calls it for each element: `map(f, a)`
            error[argument-type]: parameter `f` of `twice` is a function from a value to a value, and this is a function from a number and a number to a number
             10 |    a[0] = twice(max, 3.0)
                |                 ^^^
              1 |fn twice(f, x):
                |   ^^^^^ `twice` is defined here
            error[argument-type]: parameter `f` of `twice` is a function from a value to a value, and this is a float
             11 |    a[1] = twice(2.0, 3.0)
                |                 ^^^
              1 |fn twice(f, x):
                |   ^^^^^ `twice` is defined here
            error[argument-count]: this function takes 1 argument, and is applied to 2
             12 |    a[2] = f(1, 2)
                |           ^^^^^^^
            error[argument-type]: parameter `f` of `twice` is a function from a float to a float, and this is a function from a float to `bool`
             13 |    return twice(\x -> x > 0.0, 1.0)
                |                 ^^^^^^^^^^^^^
              1 |fn twice(f, x):
                |   ^^^^^ `twice` is defined here
        "#]],
    );
}
