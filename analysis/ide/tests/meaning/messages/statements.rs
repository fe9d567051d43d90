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
            warning[endless-loop]: nothing in this loop changes its condition, so it never ends once it is entered
              4 |    while a > 0:
                |    ^^^^^^^^^^^
              4 |    while a > 0:
                |          ^^^^^ the condition
              = change `a` in the loop, or leave it by `break`
            error[condition-not-bool]: a condition is a bool, and this is `bool[n]`
              4 |    while a > 0:
                |          ^^^^^
              = ask for one element, `c[i]`, or whether all hold, or any: `all(c)`, `any(c)`; `select(c, a, b)` chooses element by element
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
    foreach i in range(n):
        if a[i] > 3:
            break
    foreach i in range(n), j in range(n):
        m[i, j] = 0
        return

kernel in_order(a: f32[n], m: f32[n, n], n: i32) -> f32:
    let total = 0.0
    foreach i in range(n):
        total += a[i]
        if total > 3:
            a[i] = 0
    foreach i in range(n), j in range(n):
        total = m[i, j] - total
    return total

kernel disagreeing(a: f32[n], n: i32) -> f32:
    let total = 0.0
    let last = 0.0
    foreach i in range(n):
        total += a[i]
        if any(a[i] > 3):
            last = a[i] * reduce_add(a[i])
    return total + last
",
        expect![[r#"
            error[foreach-leaves]: `break` cannot leave a `foreach`: its iterations run together
              4 |            break
                |            ^^^^^
              2 |    foreach i in range(n):
                |    ^^^^^^^ in this loop
              fix: use `for`
                |    for i in range(n):
            error[foreach-leaves]: `return` cannot leave a `foreach`: its iterations run together
              7 |        return
                |        ^^^^^^
              5 |    foreach i in range(n), j in range(n):
                |    ^^^^^^^ in this loop
              = nested `for` loops run their iterations in order
            error[foreach-update]: the iterations of a `foreach` run in no order, and this update of `total` needs one
             12 |        total += a[i]
                |        ^^^^^
             10 |    let total = 0.0
                |        ^^^^^ `total` is defined here, outside of the loop
             11 |    foreach i in range(n):
                |    ^^^^^^^ in this loop
              = what iterations may update is a scalar that each joins a value to, as in `s += e`, `m = max(m, e)` or `n += 1`, and that the loop reads nowhere else
              fix: use `for`
                |    for i in range(n):
            error[foreach-update]: the iterations of a `foreach` run in no order, and this update of `total` needs one
             16 |        total = m[i, j] - total
                |        ^^^^^
             10 |    let total = 0.0
                |        ^^^^^ `total` is defined here, outside of the loop
             15 |    foreach i in range(n), j in range(n):
                |    ^^^^^^^ in this loop
              = what iterations may update is a scalar that each joins a value to, as in `s += e`, `m = max(m, e)` or `n += 1`, and that the loop reads nowhere else; nested `for` loops run their iterations in order
            error[foreach-update]: all lanes of a group share the variable `total`, and this gives it a value that varies from lane to lane
             23 |        total += a[i]
                |        ^^^^^
             20 |    let total = 0.0
                |        ^^^^^ `total` is defined here, outside of the loop
             22 |    foreach i in range(n):
                |    ^^^^^^^ this loop uses lane operations, so its iterations run in groups of lanes
             23 |        total += a[i]
                |                 ^^^^ computed from this, which varies
             22 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = `reduce_add(x)`, `reduce_min(x)`, `any(c)` and their kin make one value of those of all lanes
              fix: write `reduce_add(...)` around it
                |        total += reduce_add(a[i])
            error[foreach-update]: all lanes of a group share the variable `last`, and this gives it a value that varies from lane to lane
             25 |            last = a[i] * reduce_add(a[i])
                |            ^^^^
             21 |    let last = 0.0
                |        ^^^^ `last` is defined here, outside of the loop
             22 |    foreach i in range(n):
                |    ^^^^^^^ this loop uses lane operations, so its iterations run in groups of lanes
             25 |            last = a[i] * reduce_add(a[i])
                |                   ^^^^^^^^^^^^^^^^^^^^^^^ this varies
             25 |            last = a[i] * reduce_add(a[i])
                |                   ^^^^ computed from this, which varies
             22 |    foreach i in range(n):
                |            ^ lanes run along `i`
              = `reduce_add(x)`, `reduce_min(x)`, `any(c)` and their kin make one value of those of all lanes
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
              = write it in the block of a `foreach`; whole arrays have `sum(a)`, `maximum(a)` and their kin
            error[lanes-outside-foreach]: `any` sees other lanes, and there are none outside of a `foreach`
              6 |    if any(a[2] > 3):
                |       ^^^
              = write it in the block of a `foreach`; whole arrays have `sum(a)`, `maximum(a)` and their kin
            error[lanes-outside-foreach]: `lane_id` sees other lanes, and there are none outside of a `foreach`
              7 |        a[3] = f32(lane_id)
                |                   ^^^^^^^
              = write it in the block of a `foreach`; whole arrays have `sum(a)`, `maximum(a)` and their kin
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
              = `return` ends a kernel or a function; a loop's own block is indented below its header
            error[outside-loop]: there is no loop here that `continue` could act on
              5 |    continue
                |    ^^^^^^^^
              = `return` ends a kernel or a function; a loop's own block is indented below its header
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
              = write the value behind `return`
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
            error[not-scalar]: a kernel's result is a scalar or a struct, and this is `f32[n]`
             15 |kernel k(a: f32[n], n: i32) -> f32[n]:
                |                               ^^^^^^
              = arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`
              fix: store to a parameter `out`
                |kernel k(a: f32[n], n: i32, out: f32[n]):
                |    out[:] = a
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
                |        ^^^^^^^^^... the block ends here
              = move it in front of that, or remove it
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
            error[misplaced-attribute]: `@unroll` has no effect here: it belongs above a loop
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
            error[misplaced-attribute]: `@alias` has no effect here: it belongs above a kernel or a function
              7 |    @alias(a, b)
                |    ^^^^^^^^^^^^
            error[misplaced-attribute]: `@simd` has no effect here: it belongs above a loop, a kernel or a function
             11 |@simd
                |^^^^^
        "#]],
    );
}

#[test]
fn what_cannot_be_run_is_said_where_it_stands() {
    check(
        "
fn power(x):
    return x ** x

fn join(a: f32[n], n):
    return reduce(+, 0, a)

kernel k(a: f32[n], b: f32[n], n: i32):
    for i in range(n):
        a[i] = exp(b[i]) + power(b[i])
        a[i] += f32(power(i))
    a[0] = join(b, n)
    b[0] = join(a, n)
    let c = map(\\x -> x + 1, a)
    let d = a + b
    a[:] = 0
    b[1] = c[0] + d[0]

kernel fine(a: f32[n], n: i32):
    for i in range(n):
        a[i] = clamp(a[i], 0.0, 1.0)
",
        expect![[r#"
            note[ordered-float-sum]: this loop runs in order: a sum of floats keeps the order of its terms: `s`
              5 |    return reduce(+, 0, a)
                |           ^^^^^^^^^^^^^^^
              5 |    return reduce(+, 0, a)
                |                  ^ here `s` gets its next value
            note[array-stored]: this array is stored: what it is computed from is changed before it is used, so it takes temporary memory for `f32[n]`
             13 |    let c = map(\x -> x + 1, a)
                |            ^^^^^^^^^^^^^^^^^^^
             14 |    let d = a + b
                |            ^^^^^ and here
        "#]],
    );
}

#[test]
fn a_count_of_stored_lanes_that_is_thrown_away() {
    check(
        "
kernel keep(a: i32[n], b: i32[n], counts: i32[n], n: i32):
    let count = 0
    foreach i in range(n):
        if a[i] > 0:
            compress_store(b, count, a[i])
            let m = compress_store(b, count + 1, a[i])
            counts[i] = m
            compress_store(b, i - lane_id, a[i])
            let start = i - lane_id
            compress_store(b, start, a[i])

kernel count_only(a: i32[n], b: i32[r, n], at: i32, n: i32, r: i32) -> i32:
    let stored = 0
    let total = 0
    foreach i in range(n):
        stored += compress_store(b[1], 0, a[i])
        total = total + compress_store(b[at], total, a[i])
        total += compress_store(b[1], total, a[i])
    return stored + total
",
        expect![[r#"
            warning[no-effect]: the count of what was stored is thrown away, so each group of lanes overwrites what the group before it has stored
              5 |            compress_store(b, count, a[i])
                |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              5 |            compress_store(b, count, a[i])
                |                              ^^^^^ this is the same for each group
              = add the count to the place where the next group starts: `count += compress_store(a, count, x)`
              fix: write `count += ` before it
                |            count += compress_store(b, count, a[i])
            warning[no-effect]: each group of lanes starts to store at the same place, and overwrites what the group before it has stored
              6 |            let m = compress_store(b, count + 1, a[i])
                |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              6 |            let m = compress_store(b, count + 1, a[i])
                |                                      ^^^^^^^^^ this is the same for each group
              = add the count to the place where the next group starts: `count += compress_store(a, count, x)`
            warning[no-effect]: each group of lanes starts to store at the same place, and overwrites what the group before it has stored
             16 |        stored += compress_store(b[1], 0, a[i])
                |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
             16 |        stored += compress_store(b[1], 0, a[i])
                |                                       ^ this is the same for each group
              = add the count to the place where the next group starts: `count += compress_store(a, count, x)`
        "#]],
    );
}

#[test]
fn parameters_of_a_function_may_be_assigned() {
    check(
        "
fn gcd(a: i32, b: i32) -> i32:
    while b != 0:
        let t = b
        b = a - a // b * b
        a = t
    return a

fn first(a, b, c):
    if c:
        a = b
    return a[0]

fn spread(x, a):
    foreach i in range(length(a)):
        x += 1
        a[i] = x

kernel k(a: i32[n], b: i32[n], n: i32):
    a[0] = gcd(b[0], first(b, a, n > 3))
    spread(n, a)
",
        expect![""],
    );
}

#[test]
fn parameters_that_are_assigned_are_copied() {
    check(
        "
fn last(a: i32[m], m: i32, by):
    m -= by
    return a[m]

kernel k(a: i32[n], b: i32[n], n: i32, x, x_):
    x = x << 1
    a = b
    for i in range(n):
        a[i] = last(b, n, x) + x_
",
        expect![[r#"
            error[assign-to-fixed]: `m` is a parameter; it cannot be given a new value
              2 |    m -= by
                |    ^
              1 |fn last(a: i32[m], m: i32, by):
                |                   ^ `m` is defined here
              = the size of an array is written with it: `let m_ = m` is a copy that changes
              fix: copy it to the variable `m_` first
                |    let m_ = m
                |    m_ -= by
                |    return a[m_]
            error[assign-to-fixed]: `x` is a parameter; it cannot be given a new value
              6 |    x = x << 1
                |    ^
              5 |kernel k(a: i32[n], b: i32[n], n: i32, x, x_):
                |                                       ^ `x` is defined here
              = copy it first: `let x_ = x`; an array's elements can be assigned: `x[:] = ...`, `x[i] = ...`
              fix: copy it to the variable `x__` first
                |    let x__ = x
                |    x__ = x__ << 1
                |    a = b
                |    for i in range(n):
                |        a[i] = last(b, n, x__) + x_
            error[assign-to-fixed]: `a` is a parameter; it cannot be given a new value
              7 |    a = b
                |    ^
              5 |kernel k(a: i32[n], b: i32[n], n: i32, x, x_):
                |         ^ `a` is defined here
              = copy it first: `let a_ = a`; an array's elements can be assigned: `a[:] = ...`, `a[i] = ...`
              fix: assign to its elements
                |    a[:] = b
        "#]],
    );
}

#[test]
fn words_of_other_languages_at_the_start_of_an_item() {
    check(
        "
def scale(a: f32[n], n: i32):
    for i in range(n):
        a[i] *= 2.0
",
        expect![[r#"
            error[expected-item]: expected `kernel`, `fn`, `struct`, `enum`, `const` or `use`, found `def`
              1 |def scale(a: f32[n], n: i32):
                |^^^
              = a `kernel` is called from outside, a `fn` by kernels
              fix: write `kernel`
                |kernel scale(a: f32[n], n: i32):
              fix: write `fn`
                |fn scale(a: f32[n], n: i32):
        "#]],
    );
    check(
        "\ndef twice(x):\n    return 2 * x\n",
        expect![[r#"
            error[expected-item]: expected `kernel`, `fn`, `struct`, `enum`, `const` or `use`, found `def`
              1 |def twice(x):
                |^^^
              = a `kernel` is called from outside, a `fn` by kernels
              fix: write `fn`
                |fn twice(x):
              fix: write `kernel`
                |kernel twice(x):
        "#]],
    );
    check(
        "
export kernel scale(a: f32[n], n: i32):
    for i in range(n):
        a[i] *= 2.0
        a[i] += nothing
",
        expect![[r#"
            error[foreign-syntax]: there is no `export` here
              1 |export kernel scale(a: f32[n], n: i32):
                |^^^^^^
              = each `kernel` can be called from outside
              fix: remove it
                |kernel scale(a: f32[n], n: i32):
        "#]],
    );
}

#[test]
fn loops_over_the_elements_of_an_array() {
    check(
        "
kernel vowels(text: u8[n], n: i32) -> i32:
    let found = 0
    for c in text:
        if c == 97:
            found += 1
    return found
",
        expect![""],
    );
    check(
        "\nkernel k(a, n):\n    for i in n:\n        a[i] = 1.0\n",
        expect![[r#"
            error[not-an-array]: a loop goes over a range or the elements of an array, and this is an integer
              2 |    for i in n:
                |             ^
              1 |kernel k(a, n):
                |            ^ `n` is an integer
              fix: write `range(...)`
                |    for i in range(n):
        "#]],
    );
    check("\nkernel k(a, n):\n    for x in a:\n        n[0] = x\n", expect![""]);
}

/// What a loop hands on is kept in one memory for each name.
#[test]
fn an_array_that_an_iteration_makes_is_handed_to_one_name() {
    check(
        "
kernel k(a: f32[4], b: f32[4], n: i32):
    let one = a[:]
    let two = b[:]
    for i in range(n):
        two = one
        one = one * 2.0
        one[0] = 1.0
    two[1] = 3.0
",
        expect![[r#"
            error[handed-on-array]: of the arrays that its iterations make, a loop keeps one for each name; here another name may be handed one, and what it may be instead is assigned to
              4 |    for i in range(n):
                |    ^^^^^^^^^^^^^^^^^^...
              = give each variable an array of its own before the loop, and assign to its cells there: `x[:] = e`
        "#]],
    );
}

/// Rules about functions as values, lanes and sizes are told where they are broken.
#[test]
fn what_breaks_a_rule_is_told_where_it_stands() {
    check(
        "
kernel k(a: f32[n], n: i32):
    let f = abs
    for i in range(n):
        a[i] = f(a[i])
        f = \\x -> x + a[i]
",
        expect![[r#"
            error[function-handed-on]: no iteration hands a function on to the next: which one is called has to be known when the kernel is built
              2 |    let f = abs
                |        ^
              = call it where it is made, and hand on the result
        "#]],
    );
    check(
        "
fn corner(a: f32[n * n]) -> f32:
    return a[n - 1]

kernel k(a: f32[16]):
    a[0] = corner(a)
",
        expect![[r#"
            error[open-size]: the sizes of the arguments do not say what this size is: it stands in larger expressions alone
              5 |    a[0] = corner(a)
                |           ^^^^^^^^^
              1 |fn corner(a: f32[n * n]) -> f32:
                |   ^^^^^^ in this function, which is inlined here
              = give the size a parameter of its own: `a: f32[n * n], n: i32`
        "#]],
    );
    check(
        "
kernel k(a: i32[n], n: i32):
    foreach i in range(n):
        a[i] = sum(map(reduce_add, a))
",
        expect![[r#"
            error[foreach-collides]: iterations of this `foreach` touch one cell, whatever the data: they are not independent
              2 |    foreach i in range(n):
                |    ^^^^^^^
              3 |        a[i] = sum(map(reduce_add, a))
                |        ^^^^ iteration 1 writes `a[1]`
              fix: use `for`
                |    for i in range(n):
            error[lane-operation-value]: a lane operation is called, and is no value that could be passed on
              3 |        a[i] = sum(map(reduce_add, a))
                |                       ^^^^^^^^^^
              = call it in a lambda: `\x -> reduce_add(x)`
        "#]],
    );
}
