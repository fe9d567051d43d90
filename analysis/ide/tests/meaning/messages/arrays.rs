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
            error[argument-type]: `reduce` starts with a number, and this function gives `bool`, which it would go on with
              2 |    let s = reduce(\s x -> x, 0, c)
                |                   ^^^^^^^^^
              = both have one type: convert the value that it starts with, or what the function gives
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

#[test]
fn sizes_that_are_asked_for() {
    check(
        r#"
kernel k(a: f32[n], m: f32[n, 4], n: i32) -> i32:
    a[0] = length(a)
    a[1] = f32(length(n) + length(a, 1) + length(m, n))
    return len(a)
"#,
        expect![[r#"
            error[type-mismatch]: what is assigned to is `f32`, and its new value is an integer
              2 |    a[0] = length(a)
                |           ^^^^^^^^^
              1 |kernel k(a: f32[n], m: f32[n, 4], n: i32) -> i32:
                |            ^^^^^^ `a` is `f32[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[0] = f32(length(a))
            error[not-an-array]: only an array has elements, and this is `i32`
              3 |    a[1] = f32(length(n) + length(a, 1) + length(m, n))
                |                      ^
              1 |kernel k(a: f32[n], m: f32[n, 4], n: i32) -> i32:
                |                                     ^^^ `n` is `i32`
            error[index-count]: the dimension that `length` is about is a number that is written out: this array has dimension 0 alone
              3 |    a[1] = f32(length(n) + length(a, 1) + length(m, n))
                |                                     ^
            error[index-count]: the dimension that `length` is about is a number that is written out: this array has the dimensions 0 to 1
              3 |    a[1] = f32(length(n) + length(a, 1) + length(m, n))
                |                                                    ^
            error[unknown-name]: nothing here is called `len`
              4 |    return len(a)
                |           ^^^
              = did you mean `length`?
              fix: write `length`
                |    return length(a)
        "#]],
    );
}

#[test]
fn arrays_that_are_written_down() {
    check(
        r#"
kernel k(a: f32[n], m: f32[2, 2], n: i32):
    a[0:2] = [a[0], n]
    m[:] = [[1, 2], [3]]
    m[:] = [[1, 2], 3]
    a[:] = []
"#,
        expect![[r#"
            error[type-mismatch]: the elements of an array have different types: `f32` and `i32`
              2 |    a[0:2] = [a[0], n]
                |                    ^
              1 |kernel k(a: f32[n], m: f32[2, 2], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |kernel k(a: f32[n], m: f32[2, 2], n: i32):
                |                                     ^^^ `n` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    a[0:2] = [a[0], f32(n)]
              fix: convert it to `i32`
                |    a[0:2] = [i32(a[0]), n]
            error[size-mismatch]: the elements of an array have different sizes: `2` and `1`
              3 |    m[:] = [[1, 2], [3]]
                |                    ^^^
              3 |    m[:] = [[1, 2], [3]]
                |            ^^^^^^ this is an array, each element a number
            error[type-mismatch]: the elements of an array have different types: an array, each element a number and a number
              4 |    m[:] = [[1, 2], 3]
                |                    ^
              4 |    m[:] = [[1, 2], 3]
                |            ^^^^^^ this is an array, each element a number
            error[expected-expression]: an array that is written down has an element at least
              5 |    a[:] = []
                |           ^^
              = nothing says what its elements would be; `replicate(0, 0.0)` has none, and says so
        "#]],
    );
}

#[test]
fn loops_over_what_is_no_array() {
    check(
        r#"
kernel k(a: f32[n], p: f32[n], n: i32, m):
    for i in n:
        a[i] = 0
    for i in m:
        p[i] = 0
    for x in a[0]:
        a[1] = x
    for x in a:
        x = 2.0
"#,
        expect![[r#"
            error[not-an-array]: a loop goes over a range or the elements of an array, and this is `i32`
              2 |    for i in n:
                |             ^
              1 |kernel k(a: f32[n], p: f32[n], n: i32, m):
                |                                  ^^^ `n` is `i32`
              fix: write `range(...)`
                |    for i in range(n):
            error[not-an-array]: a loop goes over a range or the elements of an array, and this is an integer
              4 |    for i in m:
                |             ^
              3 |        a[i] = 0
                |               ^ `m` is an integer because of this
              fix: write `range(...)`
                |    for i in range(m):
            error[not-an-array]: a loop goes over a range or the elements of an array, and this is `f32`
              6 |    for x in a[0]:
                |             ^^^^
              1 |kernel k(a: f32[n], p: f32[n], n: i32, m):
                |            ^^^^^^ `a` is `f32[n]`
            error[assign-to-fixed]: `x` is a loop's element; it cannot be given a new value
              9 |        x = 2.0
                |        ^
              8 |    for x in a:
                |        ^ `x` is defined here
              = an element of an array is assigned by its index: `for i in range(length(a)): a[i] = ...`
              fix: go over the numbers of the elements, `j`
                |    for j in range(length(a)):
                |        a[j] = 2.0
        "#]],
    );
}

#[test]
fn pairs_of_elements() {
    check(
        r#"
kernel k(a: f32[n], n: i32):
    let z = zip(a, a)
    for x in zip(a, a):
        a[0] = 1
"#,
        expect![[r#"
            warning[unused-name]: the variable `z` is never read
              2 |    let z = zip(a, a)
                |        ^
              fix: write `_z` to say that this is meant
                |    let _z = zip(a, a)
            error[not-a-value]: `zip` stands in the header of a loop, or in a call of `map`, `reduce`, `scan` or `zip`, and is no array by itself
              2 |    let z = zip(a, a)
                |            ^^^^^^^^^
              = a loop goes over both arrays, `for x, y in zip(a, b):`, and so does a function: `map(\x y -> x * y, zip(a, b))`
        "#]],
    );
}

#[test]
fn functions_of_arrays() {
    check(
        r#"
kernel k(a: f32[n], c: bool[n], m: f32[n, n], n: i32) -> f32:
    total = sum(c) + sum(m)
    for x in a:
        sum += x
    a[0] = sum
    if any(n > 0):
        a[1] = dot(a)
    return filter(a, \x -> x > 0)
"#,
        expect![[r#"
            error[argument-type]: parameter `a` of `sum` is an array, each element a number, and this is `bool[n]`
              2 |    total = sum(c) + sum(m)
                |                ^
              1 |kernel k(a: f32[n], c: bool[n], m: f32[n, n], n: i32) -> f32:
                |                       ^^^^^^^ `c` is `bool[n]`
            error[size-mismatch]: parameter `a` of `sum` and this array have 1 dimension and 2 dimensions
              2 |    total = sum(c) + sum(m)
                |                         ^
              1 |kernel k(a: f32[n], c: bool[n], m: f32[n, n], n: i32) -> f32:
                |                                   ^^^^^^^^^ `m` is `f32[n, n]`
              = all elements of a matrix are `flatten(m)`; `map(f, m)` calls a function for each row, as in `map(sum, m)`
            error[unknown-name]: no variable here is called `sum`; what is built in of that name is a function
              4 |        sum += x
                |        ^^^
              = a variable is defined above: `let sum = 0`
            error[lanes-outside-foreach]: `any` sees other lanes, and there are none outside of a `foreach`
              6 |    if any(n > 0):
                |       ^^^
              = write it in the block of a `foreach`; whole arrays have `sum(a)`, `maximum(a)` and their kin
            error[argument-count]: `dot(a, b)` takes 2 arguments, and is given 1
              7 |        a[1] = dot(a)
                |               ^^^^^^
            error[argument-type]: parameter `f` of `filter` is a function from a value to `bool`, and this is `f32[n]`
              8 |    return filter(a, \x -> x > 0)
                |                  ^
              1 |kernel k(a: f32[n], c: bool[n], m: f32[n, n], n: i32) -> f32:
                |            ^^^^^^ `a` is `f32[n]`
        "#]],
    );
}
