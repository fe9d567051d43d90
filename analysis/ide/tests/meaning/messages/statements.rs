//! Statements, lanes and attributes.

use expect_test::expect;

use crate::messages::check;

#[test]
fn conditions_are_bools() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    if n & 1:
        pass
    while a > 0:
        pass
    if n if a[0] > 0 else 1:
        pass
    if not n or a[0]:
        pass
",
        expect![[r#"
            error[condition-not-bool]: a condition is a bool, and this is `i32`
              2 |    if n & 1:
                |       ^^^^^
              fix: compare with 0
                |    if n & 1 != 0:
            error[condition-not-bool]: a condition is a bool, and this is `bool[n]`
              4 |    while a > 0:
                |          ^^^^^
              = `reduce(and, true, c)` says whether all of an array hold, `reduce(or, false, c)` whether any does
            error[condition-not-bool]: a condition is a bool, and this is `i32`
              6 |    if n if a[0] > 0 else 1:
                |       ^^^^^^^^^^^^^^^^^^^^
              fix: compare with 0
                |    if (n if a[0] > 0 else 1) != 0:
            error[operand-type]: `not` takes a bool, and this is `i32`
              8 |    if not n or a[0]:
                |           ^
              1 |kernel k(a: f32[n], n: i32):
                |                       ^^^ `n` is `i32`
              fix: compare with 0
                |    if not n != 0 or a[0]:
            error[operand-type]: `or` takes a bool, and this is `f32`
              8 |    if not n or a[0]:
                |                ^^^^
              1 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              fix: compare with 0
                |    if not n or a[0] != 0:
        "#]],
    );
}

#[test]
fn ranges_are_of_integers_of_one_type() {
    check(
        r"
kernel k(a: f32[n], n: i32, m: i64, x: f32):
    for i in range(x):
        a[i] = 1
    for i in range(n, m):
        a[i] = 1
    for i in range(0, n, 0):
        a[i] = 1
    for i in range(1, 2, 3, 4):
        a[i] = 1
",
        expect![[r#"
            error[not-an-integer]: the end of a range is an integer, and this is `f32`
              2 |    for i in range(x):
                |                   ^
              1 |kernel k(a: f32[n], n: i32, m: i64, x: f32):
                |                                       ^^^ `x` is `f32`
              fix: convert it to `i32`
                |    for i in range(i32(x)):
            error[type-mismatch]: the parts of a range have different types: `i32` and `i64`
              4 |    for i in range(n, m):
                |                      ^
              1 |kernel k(a: f32[n], n: i32, m: i64, x: f32):
                |                       ^^^ `n` is `i32`
              1 |kernel k(a: f32[n], n: i32, m: i64, x: f32):
                |                               ^^^ `m` is `i64`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `i64`
                |    for i in range(i64(n), m):
              fix: convert it to `i32`
                |    for i in range(n, i32(m)):
            error[zero-step]: a range with a step of 0 never ends
              6 |    for i in range(0, n, 0):
                |                         ^
              = a negative step counts down
            error[range-arguments]: `range` takes 1 to 3 arguments, and has 4
              8 |    for i in range(1, 2, 3, 4):
                |             ^^^^^^^^^^^^^^^^^
              = `range(stop)`, `range(start, stop)` or `range(start, stop, step)`
        "#]],
    );
}

#[test]
fn what_a_foreach_forbids() {
    check(
        r"
kernel k(a: f32[n], m: f32[n, n], n: i32):
    total = 0.0
    foreach i in range(n):
        total += a[i]
        if total > 3:
            break
    foreach i in range(n), j in range(n):
        total = m[i, j]
        return
    a[0] = total
",
        expect![[r#"
            error[foreach-update]: the iterations of a `foreach` cannot share the variable `total`
              4 |        total += a[i]
                |        ^^^^^
              2 |    total = 0.0
                |    ^^^^^ `total` is defined here, outside of the loop
              3 |    foreach i in range(n):
                |    ^^^^^^^ its iterations are independent
              fix: use `for`
                |    for i in range(n):
            error[foreach-leaves]: `break` cannot leave a `foreach`: its iterations run together
              6 |            break
                |            ^^^^^
              3 |    foreach i in range(n):
                |    ^^^^^^^ in this loop
              fix: use `for`
                |    for i in range(n):
            error[foreach-update]: the iterations of a `foreach` cannot share the variable `total`
              8 |        total = m[i, j]
                |        ^^^^^
              2 |    total = 0.0
                |    ^^^^^ `total` is defined here, outside of the loop
              7 |    foreach i in range(n), j in range(n):
                |    ^^^^^^^ its iterations are independent
              = nested `for` loops run their iterations in order
            error[foreach-leaves]: `return` cannot leave a `foreach`: its iterations run together
              9 |        return
                |        ^^^^^^
              7 |    foreach i in range(n), j in range(n):
                |    ^^^^^^^ in this loop
              = nested `for` loops run their iterations in order
        "#]],
    );
}

#[test]
fn lanes_are_inside_foreach_only() {
    check(
        r"
fn sum(x):
    return reduce_add(x)

kernel k(a: f32[n], n: i32):
    a[0] = sum(a[1])
    if any(a[2] > 3):
        a[3] = f32(lane_id)
    foreach i in range(n):
        a[i] = f32(lane_id())
",
        expect![[r#"
            error[lanes-outside-foreach]: `sum` uses lane operations, and there are no lanes outside of a `foreach`
              5 |    a[0] = sum(a[1])
                |           ^^^^^^^^^
            error[lanes-outside-foreach]: `any` sees other lanes, and there are none outside of a `foreach`
              6 |    if any(a[2] > 3):
                |       ^^^
            error[lanes-outside-foreach]: `lane_id` sees other lanes, and there are none outside of a `foreach`
              7 |        a[3] = f32(lane_id)
                |                   ^^^^^^^
            error[not-a-function]: `lane_id` is a value, not a function
              9 |        a[i] = f32(lane_id())
                |                   ^^^^^^^^^
              fix: write `lane_id`
                |        a[i] = f32(lane_id)
        "#]],
    );
}

#[test]
fn ways_out_without_a_loop() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    if n > 3:
        break
    a[0] = 1
    continue
",
        expect![[r#"
            error[outside-loop]: there is no loop here that `break` could act on
              3 |        break
                |        ^^^^^
            error[outside-loop]: there is no loop here that `continue` could act on
              5 |    continue
                |    ^^^^^^^^
        "#]],
    );
}

#[test]
fn returns() {
    check(
        r"
fn f(x):
    if x > 0:
        return 1.5

fn g(x) -> f32:
    if x > 0:
        return
    return x

fn h(x: i32):
    if x > 0:
        return 1.5
    return x

kernel k(a: f32[n], n: i32) -> f32[n]:
    return a
",
        expect![[r#"
            error[missing-return]: not every way through ends in a `return`
              1 |fn f(x):
                |^^^^^^^
              3 |        return 1.5
                |        ^^^^^^^^^^ a value is given here
              = end the body with `return` and a value
            error[return-without-value]: this `return` gives no value
              7 |        return
                |        ^^^^^^
              5 |fn g(x) -> f32:
                |           ^^^ a value is promised here
            error[type-mismatch]: the values that are returned have different types: a float and `i32`
             13 |    return x
                |           ^
             12 |        return 1.5
                |               ^^^ this is a float
             10 |fn h(x: i32):
                |        ^^^ `x` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    return f32(x)
            error[not-scalar]: a kernel's result is a scalar, and this is `f32[n]`
             15 |kernel k(a: f32[n], n: i32) -> f32[n]:
                |                               ^^^^^^
              = arrays go out through parameters: store to `out[i]`
        "#]],
    );
}

#[test]
fn what_no_run_reaches_and_nobody_takes() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    for i in range(n):
        a[i] == 1
        sqrt(a[i])
        if i > 3:
            break
        else:
            continue
        a[i] = 1
        a[i] = 2
",
        expect![[r#"
            warning[no-effect]: this value is computed and thrown away
              3 |        a[i] == 1
                |        ^^^^^^^^^
              = assign it to something, or remove the line
            warning[no-effect]: this value is computed and thrown away
              4 |        sqrt(a[i])
                |        ^^^^^^^^^^
              = assign it to something, or remove the line
            warning[dead-code]: this is never reached
              9 |        a[i] = 1
                |        ^^^^^^^^...
              5 |        if i > 3:
                |        ^^^^^^^^^... nothing goes on behind this
        "#]],
    );
}

#[test]
fn attributes() {
    check(
        r"
@smid
@unroll(2)
@lanes(0)
@fast(1)
@alias(a, n)
kernel k(a: f32[n], n: i32):
    @alias(a, b)
    for i in range(n):
        a[i] = 1

@simd
const N = 1
",
        expect![[r#"
            error[unknown-attribute]: there is no attribute `@smid`
              1 |@smid
                | ^^^^
              = did you mean `simd`?
              fix: write `simd`
                |@simd
            error[misplaced-attribute]: `@unroll` says nothing about this; it stands above a loop
              2 |@unroll(2)
                |^^^^^^^^^^
            error[attribute-arguments]: `@lanes` takes a whole number from 1 to 64: `@lanes(8)`
              3 |@lanes(0)
                |^^^^^^^^^
            error[attribute-arguments]: `@fast` takes nothing in parentheses
              4 |@fast(1)
                |^^^^^^^^
            error[attribute-arguments]: `@alias` takes two array parameters or more: `@alias(a, b)`
              5 |@alias(a, n)
                |^^^^^^^^^^^^
            error[misplaced-attribute]: `@alias` says nothing about this; it stands above a kernel or a function
              7 |    @alias(a, b)
                |    ^^^^^^^^^^^^
            error[misplaced-attribute]: `@simd` says nothing about this; it stands above a loop, a kernel or a function
             11 |@simd
                |^^^^^
        "#]],
    );
}
