//! Names: those that are not known, are known twice, or are not for this.

use expect_test::expect;

use crate::messages::check;

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
              fix: add the parameter `smaples`
                |kernel k(samples: f32[n], n: i32, smaples):
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
              = a variable that is changed starts somewhere: `let total = 0`, before the loop
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
              = did you mean `length`?
              fix: write `length`
                |    a[0] = fmaxf(a[1], length(a))
            error[unknown-name]: nothing here is called `print`
              3 |    print(a[0])
                |    ^^^^^
              = kernels do not print; store to an array parameter, and `lanescope run` prints it
              fix: remove the line
                (the line is gone)
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
              = give one of the two another name
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
              = give one of the two another name
            error[duplicate-name]: there is a field `x` already
             18 |    x: f32
                |    ^
             17 |    x: f32
                |    ^ `x` is defined here first
              = give one of the two another name
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
              = `let n_ = n` is a copy that changes
              fix: copy it to the variable `n_` first
                |    let n_ = n
                |    n_ = 3
                |    N += 1
                |    for i in range(n_):
            error[assign-to-fixed]: `N` is a constant; it cannot be given a new value
              5 |    N += 1
                |    ^
              = a constant keeps its value; a variable that starts with it is `let x = N`
            error[assign-to-fixed]: `i` is a loop index; it cannot be given a new value
              7 |        i = 4
                |        ^
              6 |    for i in range(n):
                |        ^ `i` is defined here
              = a `for` steps by itself; for other steps write a `while` over a variable of its own
            error[assign-to-fixed]: this value has no place in memory that could be assigned to
              8 |    map(\x -> x, a)[0] = 1
                |    ^^^^^^^^^^^^^^^^^^
              = assign to a variable, or to an element of an array that has a name
        "#]],
    );
}

#[test]
fn a_name_that_is_misspelled_is_no_unused_one() {
    check(
        r#"
kernel k(a: f32[n], n: i32, volume: f32):
    let count = 1.0
    for i in range(n):
        a[i] = a[i] * volumes + coutn
"#,
        expect![[r#"
            error[unknown-name]: nothing here is called `volumes`
              4 |        a[i] = a[i] * volumes + coutn
                |                      ^^^^^^^
              = did you mean `volume`?
              fix: write `volume`
                |        a[i] = a[i] * volume + coutn
              fix: add the parameter `volumes`
                |kernel k(a: f32[n], n: i32, volume: f32, volumes):
            error[unknown-name]: nothing here is called `coutn`
              4 |        a[i] = a[i] * volumes + coutn
                |                                ^^^^^
              = did you mean `count`?
              fix: write `count`
                |        a[i] = a[i] * volumes + count
              fix: add the parameter `coutn`
                |kernel k(a: f32[n], n: i32, volume: f32, coutn):
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
              = one is made by a call with the values of its fields: `P(...)`
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
              = end it with `return` and a value; a loop calls a function that only stores
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
              = the scalars are `bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16`; structs are defined with `struct`
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
    x: vec3[3]
    p: P
    (y)
    a: f32[n]
    b: f32[2, 0]
    c: f32[100, 100]
    d: f32[M + 1]
    e: f32[N + 1]

const M = min(3, 4)
const N = 3

kernel k(s: S[1], n: i32):
    let t = s[0]
    t.a[1:] = 1.0
    s[0].a[:2] = t.a[2:]
    t.a[4] = t.a[0, 1]

struct S:
    a: f32[4]
",
        expect![[r#"
            error[field-not-scalar]: fields are scalars, structs, enums or arrays of scalars, and `x` is `vec3[3]`
              2 |    x: vec3[3]
                |       ^^^^^^^
              = write an array for each field of its elements, or make the array a parameter of its own
            error[recursion]: `P` holds itself, so it would have no end
              3 |    p: P
                |       ^
              = structs refer to each other by their indices in arrays: `next: i32`
            error[statement-in-struct]: a struct holds fields, and this is none
              4 |    (y)
                |    ^^^
              = write `name: type`
            error[unknown-name]: nothing here is called `n`
              5 |    a: f32[n]
                |           ^
              = a name must be defined above: as a parameter, with `let`, or by an assignment
            error[bad-size]: `b` would have the size 0, and an array in a struct has one cell or more
              6 |    b: f32[2, 0]
                |              ^
              = write the number of its cells
            error[field-not-scalar]: `c` comes to more than 1024 scalars, those of structs and arrays in it included
              7 |    c: f32[100, 100]
                |       ^^^^^^^^^^^^^
              = values that are many are elements of an array
            error[bad-size]: the size of `d` is not known from the text, and all structs of one type have the same size
              8 |    d: f32[M + 1]
                |           ^^^^^
              = write a number, or the name of a constant whose value is written as one: `const N = 8`
            warning[unused-name]: the parameter `n` is never used
             14 |kernel k(s: S[1], n: i32):
                |                  ^
              fix: write `_n` to say that this is meant
                |kernel k(s: S[1], _n: i32):
            error[assign-to-fixed]: a slice of `a` is not stored to: read, it is an array of its own, and the struct keeps what it has
             16 |    t.a[1:] = 1.0
                |    ^^^^^^^
              = store to its cells one by one, or change a copy and store that: `let copy = p.a`, then `p.a = copy`
            error[assign-to-fixed]: a slice of `a` is not stored to: read, it is an array of its own, and the struct keeps what it has
             17 |    s[0].a[:2] = t.a[2:]
                |    ^^^^^^^^^^
              = store to its cells one by one, or change a copy and store that: `let copy = p.a`, then `p.a = copy`
            error[index-out-of-range]: the index 4 is outside of this dimension, which has 4 elements
             18 |    t.a[4] = t.a[0, 1]
                |        ^
            error[index-count]: this array has 1 dimension, and is given 2 indices
             18 |    t.a[4] = t.a[0, 1]
                |             ^^^^^^^^^
             15 |    let t = s[0]
                |        ^ `t` is `S`
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
fn a_size_that_has_no_name() {
    check(
        "\
kernel k(a: f32[_], n: i32):
    a[0] = f32(n)
",
        expect![[r#"
            error[unknown-name]: nothing here is called `_`
              1 |kernel k(a: f32[_], n: i32):
                |                ^
              = where types are shown, `_` stands for a size that has no name: give it one, as in `a: f32[n], n: i32`, or leave the type out
        "#]],
    );
}

#[test]
fn names_of_other_languages_have_a_way_out() {
    check(
        "
kernel k(a: f32[n], b: f32[n], dt: f32, n: i32):
    a[0] = dot(a, b) * dt
    a[1] = int(b[1])
    a[2] = float(n) + gain
    a[3] = floatbits(b[3])
    let x: half = a[4]
    foreach i in range(n):
        packed_store_active(a, i, x)
        atomic_add_local(a, i)
        scaled(a)
",
        expect![[r#"
            error[unknown-name]: nothing here is called `int`
              3 |    a[1] = int(b[1])
                |           ^^^
              = a cast is a call of the type: `i32(x)`
              fix: write `i32`
                |    a[1] = i32(b[1])
            error[unknown-name]: nothing here is called `float`
              4 |    a[2] = float(n) + gain
                |           ^^^^^
              = a cast is a call of the type: `f32(x)`
              fix: write `f32`
                |    a[2] = f32(n) + gain
            error[unknown-name]: nothing here is called `gain`
              4 |    a[2] = float(n) + gain
                |                      ^^^^
              = a name must be defined above: as a parameter, with `let`, or by an assignment
              fix: add the parameter `gain`
                |kernel k(a: f32[n], b: f32[n], dt: f32, n: i32, gain):
            error[unknown-name]: nothing here is called `floatbits`
              5 |    a[3] = floatbits(b[3])
                |           ^^^^^^^^^
              = did you mean `from_bits`?
              fix: write `from_bits`
                |    a[3] = from_bits(b[3])
            error[unknown-type]: there is no type `half`
              6 |    let x: half = a[4]
                |           ^^^^
              = did you mean `f16`?
              fix: write `f16`
                |    let x: f16 = a[4]
            error[unknown-name]: nothing here is called `packed_store_active`
              8 |        packed_store_active(a, i, x)
                |        ^^^^^^^^^^^^^^^^^^^
              = did you mean `compress_store`?
              fix: write `compress_store`
                |        compress_store(a, i, x)
            error[unknown-name]: nothing here is called `atomic_add_local`
              9 |        atomic_add_local(a, i)
                |        ^^^^^^^^^^^^^^^^
              = here that is `atomic_add(a, i, x)`: the array, the index and the value
              fix: write `atomic_add`
                |        atomic_add(a, i)
            error[unknown-name]: nothing here is called `scaled`
             10 |        scaled(a)
                |        ^^^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `scaled`
                |fn scaled(a: f32[n]):
                |    pass
                |
        "#]],
    );
    check(
        "\nkernel k(out: i32[n], n: i32):\n    for i in range(n):\n        out[i] = i * factor + factor\n",
        expect![[r#"
        error[unknown-name]: nothing here is called `factor`
          3 |        out[i] = i * factor + factor
            |                     ^^^^^^
          = a name must be defined above: as a parameter, with `let`, or by an assignment
          fix: add the parameter `factor`
            |kernel k(out: i32[n], n: i32, factor):
    "#]],
    );
}

#[test]
fn a_call_of_nothing_can_become_a_function() {
    check(
        r"
@fast
kernel k(a: f32[n], out: f32[n], n: i32, w: f32):
    for i in range(n):
        out[i] = shade(a, a[i], a[i] + 1.0, i, w) * 2.0
        mark(i)
        out[i] += constant()
",
        expect![[r#"
            error[unknown-name]: nothing here is called `shade`
              4 |        out[i] = shade(a, a[i], a[i] + 1.0, i, w) * 2.0
                |                 ^^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `shade`
                |fn shade(a: f32[n], x: f32, y, i, w: f32):
                |    return x
                |
            error[unknown-name]: nothing here is called `mark`
              5 |        mark(i)
                |        ^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `mark`
                |fn mark(i):
                |    pass
                |
            error[unknown-name]: nothing here is called `constant`
              6 |        out[i] += constant()
                |                  ^^^^^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `constant`
                |fn constant():
                |    return 0
                |
        "#]],
    );
}

#[test]
fn the_index_of_a_loop_without_its_block_is_no_unknown_name() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    for i in range(n)
    a[i] = 1.0
    foreach j in range(n)
    a[j] = 1.0
",
        expect![[r#"
            error[expected-colon]: expected `:` at the end of the `for` line
              2 |    for i in range(n)
                |                     ^
              fix: write `:`
                |    for i in range(n):
            error[expected-colon]: expected `:` at the end of the `foreach` line
              4 |    foreach j in range(n)
                |                         ^
              fix: write `:`
                |    foreach j in range(n):
        "#]],
    );
}

#[test]
fn arguments_by_names() {
    check(
        "
fn scaled(x, scale=1.0, offset=0.0):
    return x * scale + offset

kernel k(a: f32[n], n: i32):
    a[0] = scaled(a[0], scal=2)
    a[1] = scaled(a[0], factor=2)
    a[2] = scaled(a[0], 2, scale=2)
    a[3] = scaled(x=a[0], 2)
    a[4] = scaled(offset=1)
    a[5] = scaled(1, 2, 3, 4)
    a[6] = min(a[0], hi=1.0)
    a[7] = scaled(a[0], offset=n)
    a[8] = sum(a, axis=0)
    a[9] = clamp(a[0], 0, high=1)
    a[10] = clamp(a[0], high_end=1, low_end=0)
    a[11] = clamp(a[0], hi=1)
    a[12] = f32(x=n)

struct Ray:
    origin: f32
    t: f32

kernel rays(r: Ray[n], n: i32):
    r[0] = Ray(origin=1, time=2)
    r[1] = Ray(orgin=1, t=2)
    r[2] = Ray(t=1)
    r[3] = Ray(1, t=2, t=3)
    r[4] = Ray(t=1, 2)
    r[5] = Ray(t=n, origin=n)
",
        expect![[r#"
            error[keyword-argument]: `scaled` has no parameter `scal`
              5 |    a[0] = scaled(a[0], scal=2)
                |                        ^^^^
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              = did you mean `scale`?
              fix: write `scale`
                |    a[0] = scaled(a[0], scale=2)
            error[keyword-argument]: `scaled` has no parameter `factor`
              6 |    a[1] = scaled(a[0], factor=2)
                |                        ^^^^^^
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              = its parameters are `x`, `scale`, `offset`
            error[keyword-argument]: the parameter `scale` is given twice
              7 |    a[2] = scaled(a[0], 2, scale=2)
                |                           ^^^^^
              7 |    a[2] = scaled(a[0], 2, scale=2)
                |                        ^ this is `scale` already
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              = remove one of the two
            error[keyword-argument]: an argument without a name stands behind one with a name
              8 |    a[3] = scaled(x=a[0], 2)
                |                          ^
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              = move it in front of `x=`, or give it by its name too
            error[argument-count]: the parameter `x` of `scaled` is given no value
              9 |    a[4] = scaled(offset=1)
                |           ^^^^^^^^^^^^^^^^
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              = it has no default value: write `x=...`
            error[argument-count]: `scaled(x, scale=..., offset=...)` takes 1 to 3 arguments, and is given 4
             10 |    a[5] = scaled(1, 2, 3, 4)
                |           ^^^^^^^^^^^^^^^^^^
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
            error[keyword-argument]: `min` has no parameter `hi`
             11 |    a[6] = min(a[0], hi=1.0)
                |                     ^^
              = its parameters are `a`, `b`
            error[argument-type]: parameter `offset` of `scaled` is `f32`, and this is `i32`
             12 |    a[7] = scaled(a[0], offset=n)
                |                               ^
              4 |kernel k(a: f32[n], n: i32):
                |                       ^^^ `n` is `i32`
              1 |fn scaled(x, scale=1.0, offset=0.0):
                |   ^^^^^^ `scaled` is defined here
              fix: convert it to `f32`
                |    a[7] = scaled(a[0], offset=f32(n))
            error[keyword-argument]: this takes no arguments by name; they are given by their order
             13 |    a[8] = sum(a, axis=0)
                |                  ^^^^
              = a function of arrays is about all of an array; `map(sum, m)` is that of each row, `map(sum, transpose(m))` of each column
            error[keyword-argument]: `clamp` has no parameter `high`
             14 |    a[9] = clamp(a[0], 0, high=1)
                |                          ^^^^
              = its parameters are `x`, `lo`, `hi`
            error[keyword-argument]: `clamp` has no parameter `high_end`
             15 |    a[10] = clamp(a[0], high_end=1, low_end=0)
                |                        ^^^^^^^^
              = its parameters are `x`, `lo`, `hi`
            error[argument-count]: the parameter `lo` of `clamp` is given no value
             16 |    a[11] = clamp(a[0], hi=1)
                |            ^^^^^^^^^^^^^^^^^
              = it has no default value: write `lo=...`
            error[keyword-argument]: this takes no arguments by name; they are given by their order
             17 |    a[12] = f32(x=n)
                |                ^
              fix: remove `x=`
                |    a[12] = f32(n)
            error[keyword-argument]: `Ray` has no field `time`
             24 |    r[0] = Ray(origin=1, time=2)
                |                         ^^^^
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              = its fields are `origin`, `t`
            error[keyword-argument]: `Ray` has no field `orgin`
             25 |    r[1] = Ray(orgin=1, t=2)
                |               ^^^^^
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              = did you mean `origin`?
              fix: write `origin`
                |    r[1] = Ray(origin=1, t=2)
            error[argument-count]: the field `origin` of `Ray` is given no value
             26 |    r[2] = Ray(t=1)
                |           ^^^^^^^^
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              = write `origin=...`
            error[keyword-argument]: the field `t` is given twice
             27 |    r[3] = Ray(1, t=2, t=3)
                |                       ^
             27 |    r[3] = Ray(1, t=2, t=3)
                |                    ^ this is `t` already
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              = remove one of the two
            error[keyword-argument]: an argument without a name stands behind one with a name
             28 |    r[4] = Ray(t=1, 2)
                |                    ^
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              = move it in front of `t=`, or give it by its name too
            error[argument-type]: field `t` of `Ray` is `f32`, and this is `i32`
             29 |    r[5] = Ray(t=n, origin=n)
                |                 ^
             23 |kernel rays(r: Ray[n], n: i32):
                |                          ^^^ `n` is `i32`
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              fix: convert it to `f32`
                |    r[5] = Ray(t=f32(n), origin=n)
            error[argument-type]: field `origin` of `Ray` is `f32`, and this is `i32`
             29 |    r[5] = Ray(t=n, origin=n)
                |                           ^
             23 |kernel rays(r: Ray[n], n: i32):
                |                          ^^^ `n` is `i32`
             19 |struct Ray:
                |       ^^^ `Ray` is defined here
              fix: convert it to `f32`
                |    r[5] = Ray(t=n, origin=f32(n))
        "#]],
    );
}

/// Names of Rust, C++ and C for what is built in.
#[test]
fn names_of_other_languages() {
    check(
        "
kernel k(a: f32[n], b: u8[n], n: i32):
    b[0] = u8::MAX
    a[0] = f32::INFINITY
    a[1] = std::f32::consts::PI + f64::EPSILON
    b[1] = UINT8_MAX
    a[2] = FLT_EPSILON
    a[3] = std::min(a[0], 2.0)
    a[4] = a[0].sqrt()
    a[5] = (a[0] + 1).powf(a[1])
    a[6] = a[0].fubar()
    b[2] = b[0].saturating_add(b[1])
    a[7] = math.pi * np.clip(a[0], 0, 1) + math.inf
    a[8] = i32::parse
",
        expect![[r#"
            error[foreign-syntax]: there are no paths of names
              2 |    b[0] = u8::MAX
                |             ^^
              = all functions are called by name: `max(a, b)`
              fix: write `largest(u8)`
                |    b[0] = largest(u8)
            error[foreign-syntax]: there are no paths of names
              3 |    a[0] = f32::INFINITY
                |              ^^
              = all functions are called by name: `max(a, b)`
              fix: write `inf`
                |    a[0] = inf
            error[foreign-syntax]: there are no paths of names
              4 |    a[1] = std::f32::consts::PI + f64::EPSILON
                |              ^^
              = all functions are called by name: `max(a, b)`
              fix: write `pi`
                |    a[1] = pi + f64::EPSILON
            error[unknown-name]: nothing here is called `UINT8_MAX`
              5 |    b[1] = UINT8_MAX
                |           ^^^^^^^^^
              = did you mean `largest(u8)`?
              fix: write `largest(u8)`
                |    b[1] = largest(u8)
            error[unknown-name]: nothing here is called `FLT_EPSILON`
              6 |    a[2] = FLT_EPSILON
                |           ^^^^^^^^^^^
              = did you mean `1.1920929e-7`?
              fix: write `1.1920929e-7`
                |    a[2] = 1.1920929e-7
            error[foreign-syntax]: there are no paths of names
              7 |    a[3] = std::min(a[0], 2.0)
                |              ^^
              = all functions are called by name: `max(a, b)`
              fix: write `min`
                |    a[3] = min(a[0], 2.0)
            error[not-a-struct]: numbers have no methods such as `sqrt`: a function stands before what it is of
              8 |    a[4] = a[0].sqrt()
                |                ^^^^
              fix: write `sqrt(...)`
                |    a[4] = sqrt(a[0])
            error[not-a-struct]: numbers have no methods such as `powf`: a function stands before what it is of
              9 |    a[5] = (a[0] + 1).powf(a[1])
                |                      ^^^^
              fix: write `pow(...)`
                |    a[5] = pow((a[0] + 1), a[1])
            error[not-a-struct]: numbers have no methods such as `fubar`: a function stands before what it is of
             10 |    a[6] = a[0].fubar()
                |                ^^^^^
              = functions are called by their names: `sqrt(x)`
            error[not-a-struct]: numbers have no methods such as `saturating_add`: a function stands before what it is of
             11 |    b[2] = b[0].saturating_add(b[1])
                |                ^^^^^^^^^^^^^^
              fix: write `add_sat(...)`
                |    b[2] = add_sat(b[0], b[1])
            error[unknown-name]: nothing here is called `math`; what is built in stands without a module
             12 |    a[7] = math.pi * np.clip(a[0], 0, 1) + math.inf
                |           ^^^^^^^
              fix: write `pi`
                |    a[7] = pi * np.clip(a[0], 0, 1) + math.inf
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
             12 |    a[7] = math.pi * np.clip(a[0], 0, 1) + math.inf
                |                     ^^^^^^^
              fix: write `clamp`
                |    a[7] = math.pi * clamp(a[0], 0, 1) + math.inf
            error[unknown-name]: nothing here is called `math`; what is built in stands without a module
             12 |    a[7] = math.pi * np.clip(a[0], 0, 1) + math.inf
                |                                           ^^^^^^^^
              fix: write `inf`
                |    a[7] = math.pi * np.clip(a[0], 0, 1) + inf
            error[foreign-syntax]: there are no paths of names
             13 |    a[8] = i32::parse
                |              ^^
              = all functions are called by name: `max(a, b)`
        "#]],
    );
}
