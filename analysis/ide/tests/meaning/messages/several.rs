//! Structs and tuples.

use expect_test::expect;

use super::check;

#[test]
fn what_a_struct_is_made_of() {
    check(
        r"
struct V:
    x: f32
    y: f32

struct Line:
    from: V
    to: V

kernel k(a: f32[n], l: Line[n], n: i32):
    let p = V(1.0)
    let q = V(n, true)
    l[0] = Line(p, 1.0)
    l[1].to = l[0]
    l[2].to.z = 1.0
    a[0] = (q + p).x
",
        expect![[r#"
            error[argument-count]: `V(x, y)` takes 2 arguments, and is given 1
             10 |    let p = V(1.0)
                |            ^^^^^^
              1 |struct V:
                |       ^ `V` is defined here
            error[argument-type]: field `x` of `V` is `f32`, and this is `i32`
             11 |    let q = V(n, true)
                |              ^
              9 |kernel k(a: f32[n], l: Line[n], n: i32):
                |                                   ^^^ `n` is `i32`
              1 |struct V:
                |       ^ `V` is defined here
              fix: convert it to `f32`
                |    let q = V(f32(n), true)
            error[argument-type]: field `y` of `V` is `f32`, and this is `bool`
             11 |    let q = V(n, true)
                |                 ^^^^
              1 |struct V:
                |       ^ `V` is defined here
              fix: convert it to `f32`
                |    let q = V(n, f32(true))
            error[argument-type]: field `to` of `Line` is `V`, and this is a float
             12 |    l[0] = Line(p, 1.0)
                |                   ^^^
              5 |struct Line:
                |       ^^^^ `Line` is defined here
            error[type-mismatch]: what is assigned to is `V`, and its new value is `Line`
             13 |    l[1].to = l[0]
                |              ^^^^
              9 |kernel k(a: f32[n], l: Line[n], n: i32):
                |                       ^^^^^^^ `l` is `Line[n]`
            error[unknown-field]: `V` has no field `z`
             14 |    l[2].to.z = 1.0
                |            ^
              = its fields are `x`, `y`
        "#]],
    );
}

#[test]
fn structs_that_hold_themselves() {
    check(
        r"
struct Egg:
    hen: Hen

struct Hen:
    egg: Egg

struct List:
    rest: List
",
        expect![[r#"
            error[recursion]: `Egg` holds itself through `Hen`, so it would have no end
              2 |    hen: Hen
                |         ^^^
              = structs refer to each other by their indices in arrays: `next: i32`
            error[recursion]: `Hen` holds itself through `Egg`, so it would have no end
              5 |    egg: Egg
                |         ^^^
              = structs refer to each other by their indices in arrays: `next: i32`
            error[recursion]: `List` holds itself, so it would have no end
              8 |    rest: List
                |          ^^^^
              = structs refer to each other by their indices in arrays: `next: i32`
        "#]],
    );
}

#[test]
fn values_that_are_more_or_fewer_than_their_targets() {
    check(
        r"
fn divide(x: i32, y: i32):
    return x / y, x % y

kernel k(a: f32[n], n: i32):
    let q, r, s = divide(n, 3)
    let u, v = n
    let x, y = 1.0, 2.0, 3.0
    x, y = y
    a[0] = divide(n, 2)
    a[1] = x + y + f32(q + r + s + u + v)
",
        expect![[r#"
            error[tuple-count]: 3 values are taken here, and there are 2
              5 |    let q, r, s = divide(n, 3)
                |                  ^^^^^^^^^^^^
              = give each value a name; `_` is one that nothing reads
            error[tuple-count]: 2 values are taken here, and this is one value, `i32`
              6 |    let u, v = n
                |               ^
              = several values are written with commas: `a, b`; a function gives them by `return a, b`
            error[tuple-count]: 2 values are taken here, and there are 3
              7 |    let x, y = 1.0, 2.0, 3.0
                |               ^^^^^^^^^^^^^
              = give each value a name; `_` is one that nothing reads
            error[type-mismatch]: what is assigned to is `f32`, and its new value is `(i32, i32)`
              9 |    a[0] = divide(n, 2)
                |           ^^^^^^^^^^^^
              4 |kernel k(a: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              1 |fn divide(x: i32, y: i32):
                |   ^^^^^^ `divide` gives `(i32, i32)`
        "#]],
    );
}

#[test]
fn what_several_values_are_given_to() {
    check(
        r"
kernel k(a: f32[n], n: i32) -> (f32, f32):
    let x: i32, y = 1, 2.0
    x, y = y, x
    a[0:2], a[2:4] = a[2:4], a[0:2]
    (x + 1, y) = (1, 2.0)
    let pairs = map(\v -> (v, v + 1.0), a)
    return y, pairs[0]
",
        expect![[r#"
            error[type-mismatch]: what is assigned to is `i32`, and its new value is a float
              3 |    x, y = y, x
                |           ^
              2 |    let x: i32, y = 1, 2.0
                |           ^^^ `x` is `i32`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `i32`
                |    x, y = i32(y), x
            error[type-mismatch]: what is assigned to is a float, and its new value is `i32`
              3 |    x, y = y, x
                |              ^
              2 |    let x: i32, y = 1, 2.0
                |                ^ `y` is a float
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    x, y = y, f32(x)
            error[type-mismatch]: an assignment to several places stores one value in each, and this is an array
              4 |    a[0:2], a[2:4] = a[2:4], a[0:2]
                |    ^^^^^^
              = what one store changes the next could still read: write one assignment a line
            error[type-mismatch]: an assignment to several places stores one value in each, and this is an array
              4 |    a[0:2], a[2:4] = a[2:4], a[0:2]
                |            ^^^^^^
              = what one store changes the next could still read: write one assignment a line
            error[assign-to-fixed]: this value has no place in memory that could be assigned to
              5 |    (x + 1, y) = (1, 2.0)
                |     ^^^^^
              = assign to a variable, or to an element of an array that has a name
            error[type-mismatch]: no array holds tuples
              6 |    let pairs = map(\v -> (v, v + 1.0), a)
                |                    ^^^^^^^^^^^^^^^^^^
              = define a struct with a field for each value; an array holds structs
        "#]],
    );
}

#[test]
fn structs_that_double_at_every_step() {
    let mut program = "struct T0:\n    x: f32\n".to_owned();
    for n in 1..12 {
        program += &format!("struct T{n}:\n    a: T{}\n    b: T{}\n", n - 1, n - 1);
    }
    check(
        &program,
        expect![[r#"
            error[field-not-scalar]: `T9` comes to more than 1024 scalars, those of structs and arrays in it included
             31 |    a: T9
                |       ^^
              = values that are many are elements of an array
            error[field-not-scalar]: `T9` comes to more than 1024 scalars, those of structs and arrays in it included
             32 |    b: T9
                |       ^^
              = values that are many are elements of an array
            error[field-not-scalar]: `T10` comes to more than 1024 scalars, those of structs and arrays in it included
             34 |    a: T10
                |       ^^^
              = values that are many are elements of an array
            error[field-not-scalar]: `T10` comes to more than 1024 scalars, those of structs and arrays in it included
             35 |    b: T10
                |       ^^^
              = values that are many are elements of an array
        "#]],
    );
}

#[test]
fn names_of_the_values_of_a_tuple() {
    check(
        r"
fn f(x: f32) -> (half: f32, half: f32):
    return x / 2.0, x
fn g(x: f32) -> (f32, f32):
    return x, x
fn h(x: f32) -> (half: f32, twice: f32):
    return x / 2.0, x * 2.0
kernel k(x: f32) -> f32:
    let t = h(x)
    t.half = 1.0
    let u = g(x)
    return t.hlf + u.half
",
        expect![[r#"
            error[duplicate-name]: there is a value `half` already
              1 |fn f(x: f32) -> (half: f32, half: f32):
                |                            ^^^^
              1 |fn f(x: f32) -> (half: f32, half: f32):
                |                 ^^^^ `half` is defined here first
              = give one of the two another name
            error[assign-to-fixed]: the values of a tuple are not assigned to one by one
              9 |    t.half = 1.0
                |    ^^^^^^
              = take it apart, `let a, b = t`, and change these; or make it a struct, whose fields are assigned to
            error[unknown-field]: no value of this tuple is called `hlf`; there is `half`, `twice`
             11 |    return t.hlf + u.half
                |             ^^^
              = take it apart, `let a, b = t`, or name the values where their types are written: `-> (value: f32, at: i32)`
            error[not-a-struct]: this is a tuple, and its values have no names, such as `half`
             11 |    return t.hlf + u.half
                |                     ^^^^
              = take it apart, `let a, b = t`, or name the values where their types are written: `-> (value: f32, at: i32)`
        "#]],
    );
}
