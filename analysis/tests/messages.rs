//! Every message, as a person reads it: where, what, why, and what to do.
//!
//! These are read one by one. A message says what was found, in the words of the kernel; a mismatch shows where both sides
//! come from; help says what to write; and a fix is offered where one is certain.

mod common;

use expect_test::{Expect, expect};

fn check(program: &str, expected: Expect) {
    // The program starts on the line below its opening quote.
    let program = program.trim_start_matches('\n');
    expected.assert_eq(&common::render(program, &common::diagnostics(program)));
}

/// Every code has a message that was read.
#[test]
fn no_message_is_unread() {
    let here = common::read("analysis/tests/messages.rs");
    let unread: Vec<_> = analysis::errors::CODES.iter().filter(|code| !here.contains(&format!("[{code}]"))).collect();
    assert!(unread.is_empty(), "{unread:?}");
}

// Names.

#[test]
fn an_unknown_name_was_almost_known() {
    check(
        r"
kernel k(samples: f32[n], n: i32):
    samples[0] = smaples[1]
",
        expect![[r#"
            error[unknown-name]: nothing here is called `smaples`
              2 |    samples[0] = smaples[1]
                |                 ^^^^^^^
              = did you mean `samples`?
              fix: write `samples`
                |    samples[0] = samples[1]
        "#]],
    );
}

#[test]
fn an_unknown_name_says_how_names_are_made() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    total += a[0]
",
        expect![[r#"
            error[unknown-name]: nothing here is called `total`
              2 |    total += a[0]
                |    ^^^^^
              = a name must be defined above: as a parameter, with `let`, or by an assignment
        "#]],
    );
}

#[test]
fn words_of_other_languages() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    a[0] = fmaxf(a[1], len(a))
    print(a[0])
    a[1] = range(3)
",
        expect![[r#"
            error[unknown-name]: nothing here is called `fmaxf`
              2 |    a[0] = fmaxf(a[1], len(a))
                |           ^^^^^
              = did you mean `max`?
              fix: write `max`
                |    a[0] = max(a[1], len(a))
            error[unknown-name]: nothing here is called `len`
              2 |    a[0] = fmaxf(a[1], len(a))
                |                       ^^^
              = an array does not know its size; give it a parameter for it: `a: f32[n], n: i32`
            error[unknown-name]: nothing here is called `print`
              3 |    print(a[0])
                |    ^^^^^
              = kernels do not print; store to an array parameter, and `lanescope run` prints it
            error[unknown-name]: nothing here is called `range`
              4 |    a[1] = range(3)
                |           ^^^^^
              = `range` stands in the header of a loop: `for i in range(n):`
        "#]],
    );
}

#[test]
fn a_size_that_is_no_parameter() {
    check(
        r"
kernel k(a: f32[n], count: i32):
    a[count] = 1
",
        expect![[r#"
            error[unknown-name]: nothing here is called `n`
              1 |kernel k(a: f32[n], count: i32):
                |                ^
              = the sizes of a kernel's arrays are arithmetic over constants and its own integer parameters
              fix: add the parameter `n`
                |kernel k(a: f32[n], count: i32, n: i32):
        "#]],
    );
}

#[test]
fn a_range_that_uses_an_index_of_its_own_loop() {
    check(
        r"
kernel k(m: f32[n, n], n: i32):
    foreach i in range(n), j in range(i):
        m[i, j] = 1
",
        expect![[r#"
            error[unknown-name]: `i` is an index of this `foreach`, and not known in its ranges
              2 |    foreach i in range(n), j in range(i):
                |                                      ^
              = where one range depends on another index, nest two loops
        "#]],
    );
}

#[test]
fn a_name_that_ended_with_its_block() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    for i in range(n):
        if a[i] > 0:
            found = true
    if found:
        a[0] = 1
    a[1] = i
",
        expect![[r#"
            error[used-after-block]: `found` ended with the block that defines it
              5 |    if found:
                |       ^^^^^
              4 |            found = true
                |            ^^^^^ `found` is defined here, inside the block
              = define `found` before the block; the assignment inside then updates it
              fix: write `let found = false` before the block
                |    let found = false
            error[used-after-block]: `i` ended with the loop whose index it is
              7 |    a[1] = i
                |           ^
              2 |    for i in range(n):
                |        ^ `i` is defined here
              = inside the loop, give its value to a variable that is defined before the loop
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `i32`
              7 |    a[1] = i
                |           ^
              1 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              2 |    for i in range(n):
                |        ^ `i` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[1] = f32(i)
        "#]],
    );
}

#[test]
fn names_that_are_defined_twice() {
    check(
        r"
fn f(x, x):
    return x

fn f(x):
    let y = x
    let y = y + 1
    let y: f32 = 3
    return y

@simd
@simd
kernel k(a: f32[n], n: i32):
    foreach i in range(n), i in range(n):
        a[i] = 1

struct P:
    x: f32
    x: f32
",
        expect![[r#"
            error[duplicate-name]: there is a parameter `x` already
              1 |fn f(x, x):
                |        ^
              1 |fn f(x, x):
                |     ^ `x` is defined here first
            error[duplicate-name]: this file defines `f` already
              4 |fn f(x):
                |   ^
              1 |fn f(x, x):
                |   ^ `f` is defined here first
              = give one of the two another name; the first is what the name stands for
            error[duplicate-name]: this block defines `y` already
              6 |    let y = y + 1
                |        ^
              5 |    let y = x
                |        ^ `y` is defined here first
              = without `let`, it is given a new value
              fix: remove `let`
                |    y = y + 1
            error[duplicate-name]: this block defines `y` already
              7 |    let y: f32 = 3
                |        ^
              6 |    let y = y + 1
                |        ^ `y` is defined here first
              = without `let`, it is given a new value
            error[duplicate-name]: `@simd` is said twice
             11 |@simd
                |^^^^^
             10 |@simd
                |^^^^^ `@simd` stands here first
              fix: remove it
                (the line is gone)
            error[duplicate-name]: there is a loop index `i` already
             13 |    foreach i in range(n), i in range(n):
                |                           ^
             13 |    foreach i in range(n), i in range(n):
                |            ^ `i` is defined here first
            error[duplicate-name]: there is a field `x` already
             18 |    x: f32
                |    ^
             17 |    x: f32
                |    ^ `x` is defined here first
        "#]],
    );
}

#[test]
fn an_item_takes_no_scalar_types_name() {
    check(
        r"
fn f32(x):
    return x + 1
kernel k(a: f64[n], n: i32):
    a[n - 1] = f64(f32(a[0]))
",
        expect![[r#"
            error[duplicate-name]: `f32` is a scalar type already
              1 |fn f32(x):
                |   ^^^
              = give this another name; `f32(x)` is a cast to the type
        "#]],
    );
}

#[test]
fn what_cannot_be_given_a_new_value() {
    check(
        r"
const N = 4

kernel k(a: f32[n], n: i32):
    n = 3
    N += 1
    for i in range(n):
        i = 4
    map(\x -> x, a)[0] = 1
",
        expect![[r#"
            error[assign-to-fixed]: `n` is a parameter; it cannot be given a new value
              4 |    n = 3
                |    ^
              3 |kernel k(a: f32[n], n: i32):
                |                    ^ `n` is defined here
              = copy it first: `let n_ = n`; an array's elements can be assigned: `n[i] = ...`
            error[assign-to-fixed]: `N` is a constant; it cannot be given a new value
              5 |    N += 1
                |    ^
            error[assign-to-fixed]: `i` is a loop index; it cannot be given a new value
              7 |        i = 4
                |        ^
              6 |    for i in range(n):
                |        ^ `i` is defined here
              = a `while` loop may step as it likes
            error[assign-to-fixed]: this value has no place that could be assigned to
              8 |    map(\x -> x, a)[0] = 1
                |    ^^^^^^^^^^^^^^^^^^
              = assign to a variable, or to an element of an array that has a name
        "#]],
    );
}

#[test]
fn what_is_never_read() {
    check(
        r"
kernel k(a: f32[n], n: i32, scale):
    count = 0
    for i in range(n):
        a[i] = 1
        count += 1
",
        expect![[r#"
            warning[unused-name]: the parameter `scale` is never used
              1 |kernel k(a: f32[n], n: i32, scale):
                |                            ^^^^^
              fix: write `_scale` to say that this is meant
                |kernel k(a: f32[n], n: i32, _scale):
            warning[unused-name]: the variable `count` is never read
              2 |    count = 0
                |    ^^^^^
              fix: write `_count` to say that this is meant
                |    _count = 0
                |    for i in range(n):
                |        a[i] = 1
                |        _count += 1
        "#]],
    );
}

#[test]
fn what_is_no_value() {
    check(
        r"
struct P:
    x: f32

fn clear(a):
    a[0] = 0

kernel k(a: f32[n], n: i32):
    a[0] = k
    a[1] = P
    a[2] = f32
    a[3] = clear(a)
    a[4] = map
    let b = map(clear, replicate(n, a))
    a[5] = b
",
        expect![[r#"
            error[not-a-value]: `k` is a kernel, not a value
              8 |    a[0] = k
                |           ^
            error[not-a-value]: `P` is a struct, not a value
              9 |    a[1] = P
                |           ^
            error[not-a-value]: `f32` is a type, not a value
             10 |    a[2] = f32
                |           ^^^
              = `f32(x)` converts `x`; the type of a variable is written `let x: f32 = ...`
            error[not-a-value]: this call gives no value
             11 |    a[3] = clear(a)
                |           ^^^^^^^^
              4 |fn clear(a):
                |   ^^^^^ `clear` has no `return` with a value
            error[not-a-value]: `map` stands for nothing by itself; call it: `map(f, a, ...)`
             12 |    a[4] = map
                |           ^^^
            error[not-a-value]: this function gives no value
             13 |    let b = map(clear, replicate(n, a))
                |                ^^^^^
        "#]],
    );
}

#[test]
fn types_that_do_not_exist() {
    check(
        r"
struct Particle:
    x: f32

kernel k(a: double[n], b: Particel[n], c: k, d: text, n: i32):
    a[0] = b[0].x + c + d
",
        expect![[r#"
            error[unknown-type]: there is no type `double`
              4 |kernel k(a: double[n], b: Particel[n], c: k, d: text, n: i32):
                |            ^^^^^^
              = did you mean `f64`?
              fix: write `f64`
                |kernel k(a: f64[n], b: Particel[n], c: k, d: text, n: i32):
            error[unknown-type]: there is no type `Particel`
              4 |kernel k(a: double[n], b: Particel[n], c: k, d: text, n: i32):
                |                          ^^^^^^^^
              = did you mean `Particle`?
              fix: write `Particle`
                |kernel k(a: double[n], b: Particle[n], c: k, d: text, n: i32):
            error[unknown-type]: `k` is a kernel, not a type
              4 |kernel k(a: double[n], b: Particel[n], c: k, d: text, n: i32):
                |                                          ^
            error[unknown-type]: there is no type `text`
              4 |kernel k(a: double[n], b: Particel[n], c: k, d: text, n: i32):
                |                                                ^^^^
              = the scalars are `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64`; structs are defined with `struct`
        "#]],
    );
}

#[test]
fn fields_that_do_not_exist() {
    check(
        r"
struct Particle:
    position: f32
    mass: f32

kernel k(p: Particle[n], n: i32):
    p[0].positoin = p[0].velocity
",
        expect![[r#"
            error[unknown-field]: `Particle` has no field `positoin`
              6 |    p[0].positoin = p[0].velocity
                |         ^^^^^^^^
              = did you mean `position`?
              fix: write `position`
                |    p[0].position = p[0].velocity
            error[unknown-field]: `Particle` has no field `velocity`
              6 |    p[0].positoin = p[0].velocity
                |                         ^^^^^^^^
              = its fields are `position`, `mass`
        "#]],
    );
}

#[test]
fn what_a_struct_holds() {
    check(
        r"
struct P:
    x: f32[3]
    p: P
    (y)
",
        expect![[r#"
            error[field-not-scalar]: fields are scalars, and `x` is `f32[3]`
              2 |    x: f32[3]
                |       ^^^^^^
            error[field-not-scalar]: fields are scalars, and `p` is `P`
              3 |    p: P
                |       ^
            error[statement-in-struct]: a struct holds fields, and this is none
              4 |    (y)
                |    ^^^
              = write `name: type`
        "#]],
    );
}

// Statements.

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

// Types.

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
            error[argument-type]: parameter `a` of `lerp` is `f32`, and this is `f32[n]`
              7 |    a[2] = lerp(a, a, 0.5)
                |                ^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |fn lerp(a: f32, b: f32, t: f32) -> f32:
                |   ^^^^ `lerp` is defined here
              = `map(f, a)` applies `f` to each element
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
            error[argument-type]: `sqrt` takes a float, and this is `f32[n]`
             10 |    a[5] = sqrt(a)
                |                ^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              = `map(sqrt, a)` applies it to each element
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
            error[argument-type]: only scalars are converted, and this is `f32[n]`
             14 |    a[8] = f32(a)
                |               ^
              = `map(\x -> f32(x), a)` converts each element
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
            error[argument-type]: this function takes a float, and is applied to elements that are `f32[n]`
              4 |    a[:] = map(sqrt, m)
                |               ^^^^
              = the elements of a matrix are its rows: `map(\row -> map(f, row), m)`
            error[not-a-function]: only functions are called, and this is a number
              5 |    a[:] = map(3, a)
                |               ^
            error[argument-type]: joining two elements must give an element (`f32`), and this gives `bool`
              6 |    a[0] = reduce(\x y -> x > y, 0, a)
                |                  ^^^^^^^^^^^^^
            error[argument-type]: what `reduce` starts with is `f32`, and this is `bool`
              7 |    a[1] = reduce(+, true, a)
                |                     ^^^^
            error[argument-type]: what `reduce` starts with is `f32`, and this is `bool`
              8 |    a[2] = reduce(and, true, a)
                |                       ^^^^
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
            error[not-a-function]: `P` is a struct, and only functions are called
              5 |    a[0] = n(1) + P(1)
                |                  ^
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
fn what_must_be_a_scalar() {
    check(
        r"
const A = iota(4)

kernel k(a: f32[n], n: i32):
    return a[1:]
",
        expect![[r#"
            error[not-scalar]: a constant is a scalar, and this is an array
              1 |const A = iota(4)
                |          ^^^^^^^
            error[not-scalar]: a kernel's result is a scalar, and this is `f32[n - 1]`
              4 |    return a[1:]
                |           ^^^^^
              = arrays go out through parameters: store to `out[i]`
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
              = `u8` goes from 0 to 255
            error[number-out-of-range]: `2147483648` does not fit `i32`
              4 |    b[0] = 2147483648
                |           ^^^^^^^^^^
              = `i32` goes from -2147483648 to 2147483647
            error[constant-overflow]: the result, 2147483648, does not fit `i32`
              5 |    b[1] = 2147483647 + 1
                |           ^^^^^^^^^^^^^^
            error[division-by-zero]: this divides an integer by zero
              6 |    b[2] = n / (3 - 3)
                |           ^^^^^^^^^^^
              6 |    b[2] = n / (3 - 3)
                |                ^^^^^ this is 0
            error[shift-out-of-range]: a shift of `i32` is by 0 to 31, and this is 32
              7 |    b[3] = n << 32
                |                ^^
            error[number-out-of-range]: `3000000000.0` does not fit `i32`
              8 |    b[4] = i32(3e9)
                |           ^^^^^^^^
              = `i32` goes from -2147483648 to 2147483647
            error[number-out-of-range]: no type holds a number as large as `99999999999999999999`
              9 |    b[5] = 99999999999999999999
                |           ^^^^^^^^^^^^^^^^^^^^
            error[index-out-of-range]: the index 4 is outside of this dimension, which has 4 elements
             10 |    f[4] = 1e39
                |      ^
            error[number-out-of-range]: `1e39` does not fit `f32`
             10 |    f[4] = 1e39
                |           ^^^^
            error[index-out-of-range]: an index of -1 is before the first element
             11 |    f[-1] = 1
                |      ^^
              = indices do not count from the end; write `n - 1`, with the array's size
            error[index-out-of-range]: this slice goes to 5, and this dimension has 4 elements
             12 |    f[2:5] = 1
                |        ^
            error[index-out-of-range]: this slice ends at 1, before its start at 3
             13 |    f[3:1] = 1
                |      ^^^
            error[division-by-zero]: this divides an integer by zero
             14 |    b[6] /= 0
                |            ^
        "#]],
    );
}
