//! What is decided at compile time: parameters in brackets, instances, `static` statements.

use expect_test::expect;

use crate::messages::check;

#[test]
fn arguments_in_brackets() {
    check(
        r"
fn poly[N: const i32](c: f32[N], x: f32) -> f32:
    return c[N - 1] * x

fn plain(x: f32) -> f32:
    return x

kernel k(c: f32[n], d: f32[4], a: f32[n], n: i32):
    a[0] = poly(c, 1.0)
    a[1] = poly[n](d, 1.0)
    a[2] = poly[f32](d, 1.0)
    a[3] = poly[4, 5](d, 1.0)
    a[4] = plain[4](a[0])
    a[5] = poly[3](d, 1.0)
    a[6] = poly[1.5](d, 1.0)
    a[7] = poly(x=1.0, c=d)
",
        expect![[r#"
            error[generic-arguments]: `N` of `poly` is not known in this call: the array that has it as its size is of a size that is known at run time alone
              8 |    a[0] = poly(c, 1.0)
                |           ^^^^
              1 |fn poly[N: const i32](c: f32[N], x: f32) -> f32:
                |   ^^^^ `poly` is defined here
              = write it in brackets: `poly[4](...)`
            error[static-not-constant]: an argument in brackets has to be known when the program is built, and this is not
              9 |    a[1] = poly[n](d, 1.0)
                |                ^
              = known are literals, `const` items, constant parameters, the index of a `static for`, and arithmetic over these; without `static` it is decided at run time
            error[generic-arguments]: this is a type, and a constant is asked for
             10 |    a[2] = poly[f32](d, 1.0)
                |                ^^^
              = arguments in brackets stand in the order of the parameters in brackets: `name[4, f32]`
            error[generic-arguments]: `poly[N: const i32]` is given 2 arguments in brackets
             11 |    a[3] = poly[4, 5](d, 1.0)
                |           ^^^^^^^^^^
              1 |fn poly[N: const i32](c: f32[N], x: f32) -> f32:
                |   ^^^^ `poly` is defined here
            error[generic-arguments]: `plain` has no parameters in brackets, so it takes no arguments there
             12 |    a[4] = plain[4](a[0])
                |           ^^^^^^^^
              4 |fn plain(x: f32) -> f32:
                |   ^^^^^ `plain` is defined here
              = call it as it is, `plain(...)`, or give it some: `fn plain[N: const i32](...)`
            error[size-mismatch]: parameter `c` of `poly[3]` and this array have different sizes: `3` and `4`
             13 |    a[5] = poly[3](d, 1.0)
                |                   ^
              7 |kernel k(c: f32[n], d: f32[4], a: f32[n], n: i32):
                |                       ^^^^^^ `d` is `f32[4]`
              1 |fn poly[N: const i32](c: f32[N], x: f32) -> f32:
                |   ^^^^ `poly[3]` is defined here
            error[type-mismatch]: expected `i32`, found a float
             14 |    a[6] = poly[1.5](d, 1.0)
                |                ^^^
              = this is `N` of `poly`
        "#]],
    );
}

#[test]
fn instances() {
    check(
        r"
kernel blur[R: const i32, S: const i32 = 1](a: f32[n], out: f32[n], n: i32):
    static assert R > 0 and S > 0
    static if R > 1:
        out[R] = a[S] + 1
    else:
        out[R] = a[S] + true

kernel two = blur[2]
kernel one = blur[1]
kernel none = blur[0]
kernel many = blur[1, 2, 3]
kernel named = blur[T=2]
kernel left_out = blur[S=2]
kernel of_float = blur[2.5]
kernel of_type = blur[f32]
kernel of_plain = two[3]
kernel of_nothing = blurr[3]
kernel alone = blur
",
        expect![[r#"
            error[operand-type]: in `blur[1, 1]`: `+` takes a number, and this is `bool`
              9 |kernel one = blur[1]
                |       ^^^
              6 |        out[R] = a[S] + true
                |                        ^^^^ it is here
              = a cast makes a number of it: `f32(c)` and `i32(c)` are 1 where `c` holds, and 0 elsewhere
            error[static-assert-fails]: in `blur[0, 1]`: this does not hold: here R = 0, S = 1
             10 |kernel none = blur[0]
                |       ^^^^
              2 |    static assert R > 0 and S > 0
                |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ it is here
              = a `static assert` says which arguments are meant; give others
            error[generic-arguments]: `blur[R: const i32, S: const i32]` is given 3 arguments in brackets
             11 |kernel many = blur[1, 2, 3]
                |              ^^^^
              1 |kernel blur[R: const i32, S: const i32 = 1](a: f32[n], out: f32[n], n: i32):
                |       ^^^^ `blur` is defined here
            error[generic-arguments]: `blur` has no parameter `T` in brackets; it has `R`, `S`
             12 |kernel named = blur[T=2]
                |                      ^
              1 |kernel blur[R: const i32, S: const i32 = 1](a: f32[n], out: f32[n], n: i32):
                |       ^^^^ `blur` is defined here
            error[generic-arguments]: `R` of `blur` has no argument and no default
             13 |kernel left_out = blur[S=2]
                |                  ^^^^
              1 |kernel blur[R: const i32, S: const i32 = 1](a: f32[n], out: f32[n], n: i32):
                |       ^^^^ `blur` is defined here
            error[type-mismatch]: expected `i32`, found a float
             14 |kernel of_float = blur[2.5]
                |                       ^^^
              = this is `R` of `blur`
            error[generic-arguments]: this is a type, and a constant is asked for
             15 |kernel of_type = blur[f32]
                |                      ^^^
              = arguments in brackets stand in the order of the parameters in brackets: `name[4, f32]`
            error[generic-arguments]: `two` is no kernel with parameters in brackets, so nothing is an instance of it
             16 |kernel of_plain = two[3]
                |                  ^^^
              8 |kernel two = blur[2]
                |       ^^^ `two` is defined here
              = `kernel blur3 = blur[3]` names an instance of `kernel blur[R: const i32](...)`
            error[unknown-name]: nothing here is called `blurr`
             17 |kernel of_nothing = blurr[3]
                |                    ^^^^^
              = did you mean `blur`?
              fix: write `blur`
                |kernel of_nothing = blur[3]
            error[expected-token]: expected the arguments in brackets as in `= blur[3]`, found the end of the line
             18 |kernel alone = blur
                |                   ^
        "#]],
    );
}

#[test]
fn no_instance() {
    check(
        r"
kernel blur[R: const i32, T](a: T[n], n: i32):
    a[R] = a[0] + true
",
        expect![[r#"
            warning[no-instance]: no instance of `blur` is named, so there is nothing to build, and its types are not checked: `R`, `T` have no value
              1 |kernel blur[R: const i32, T](a: T[n], n: i32):
                |       ^^^^
              = name one below it, `kernel blur_1 = blur[1, f32]`, or give each a default value
              fix: name an instance
                |kernel blur_1 = blur[1, f32]
                |
        "#]],
    );
}

#[test]
fn static_statements() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    static for i in range(n):
        a[i] += 1
    static for x in a:
        a[0] += x
    static if a[0] > 1:
        a[0] = 1
    static if 3:
        a[0] = 2
    static assert 2 + 2 == 5
    static for i in range(100000):
        a[0] += f32(i)
    static for i in range(4):
        if a[i] > 1:
            break
    static for i in range(0, 4, 0):
        a[i] = 1
",
        expect![[r#"
            error[static-not-constant]: the range of a `static for` has to be known when the program is built, and this is not
              2 |    static for i in range(n):
                |                          ^
              = known are literals, `const` items, constant parameters, the index of a `static for`, and arithmetic over these; without `static` it is decided at run time
            error[static-not-constant]: what a `static for` goes over, which is a `range`, has to be known when the program is built, and this is not
              4 |    static for x in a:
                |                    ^
              = known are literals, `const` items, constant parameters, the index of a `static for`, and arithmetic over these; without `static` it is decided at run time
            error[static-not-constant]: the condition of a `static if` has to be known when the program is built, and this is not
              6 |    static if a[0] > 1:
                |              ^^^^^^^^
              = known are literals, `const` items, constant parameters, the index of a `static for`, and arithmetic over these; without `static` it is decided at run time
            error[type-mismatch]: expected `bool`, found a number
              8 |    static if 3:
                |              ^
            error[static-assert-fails]: this does not hold
             10 |    static assert 2 + 2 == 5
                |    ^^^^^^^^^^^^^^^^^^^^^^^^
              = a `static assert` says which arguments are meant; give others
            error[static-too-long]: written out, this item has more than 20000 statements
             11 |    static for i in range(100000):
                |    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^...
              = a `for` without `static` is a loop
            error[static-leaves]: `break` in a `static for` is decided when the program is built, and this one at run time
             15 |            break
                |            ^^^^^
              = put it under a `static if`, or leave out the `static` of the loop
            error[zero-step]: a range with a step of 0 never ends
             16 |    static for i in range(0, 4, 0):
                |                                ^
              = a negative step counts down
        "#]],
    );
}

#[test]
fn spellings_of_others() {
    check(
        r"
kernel k(a: f32[n], n: i32):
    static while n > 3:
        a[0] = 3
",
        expect![[r#"
            error[foreign-syntax]: there is no `static` here
              2 |    static while n > 3:
                |    ^^^^^^
              = it goes with `for`, `if` and `assert`
              fix: remove it
                |    while n > 3:
        "#]],
    );
    check(
        r"
kernel blur<R>(a: f32[n], n: i32):
    a[R] = 1.0
",
        expect![[r#"
            error[foreign-syntax]: constant and type parameters stand in brackets here
              1 |kernel blur<R>(a: f32[n], n: i32):
                |           ^
              = write `name[N: const i32, T](...)`
              fix: write `[R]`
                |kernel blur[R](a: f32[n], n: i32):
        "#]],
    );
    check(
        r"
fn poly[const N: i32](c: f32[N]) -> f32:
    return c[0]

fn twice[N: i32](c: f32[N]) -> f32:
    return c[0]
",
        expect![[r#"
            error[foreign-syntax]: there is no `const` here
              1 |fn poly[const N: i32](c: f32[N]) -> f32:
                |        ^^^^^
              = the word stands before the type: `N: const i32`
              fix: remove it
                |fn poly[N: i32](c: f32[N]) -> f32:
            error[expected-token]: a constant parameter has `const` before its type
              4 |fn twice[N: i32](c: f32[N]) -> f32:
                |            ^
              = its value is known when the program is built: `N: const i32`
              fix: write `const`
                |fn twice[N: const i32](c: f32[N]) -> f32:
        "#]],
    );
    check(
        r"
kernel k(a: f32[n], n: i32):
    if constexpr (n > 3):
        a[0] = 1.0
    a[1] = poly<4>(a)
",
        expect![[r#"
            error[foreign-syntax]: there is no `if constexpr` here; it is spelled `static if`
              2 |    if constexpr (n > 3):
                |    ^^^^^^^^^^^^
              fix: write `static if`
                |    static if (n > 3):
            error[unknown-name]: nothing here is called `poly`
              4 |    a[1] = poly<4>(a)
                |           ^^^^
              = a name must be defined above: as a parameter, with `let`, or by an assignment
              fix: add the parameter `poly`
                |kernel k(a: f32[n], n: i32, poly):
            error[operand-type]: comparisons in a chain are joined by `and`, and an operand here is an array
              4 |    a[1] = poly<4>(a)
                |           ^^^^^^^^^^
              = of arrays, compare two at a time, and join the bools with `&`: `(a < b) & (b < c)`
        "#]],
    );
}

#[test]
fn arguments_in_brackets_by_name() {
    check(
        r"
fn poly[N: const i32](c: f32[N], x: f32) -> f32:
    return c[N - 1] * x

kernel k(d: f32[4], a: f32[n], n: i32):
    a[0] = poly[N=4](d, 1.0)
    a[1] = poly[M=4](d, 1.0)
    a[2] = poly[N=4, N=4](d, 1.0)
    a[N=3] = 1.0
",
        expect![[r#"
            error[generic-arguments]: `poly` has no parameter `M` in brackets; it has `N`
              6 |    a[1] = poly[M=4](d, 1.0)
                |                  ^
              1 |fn poly[N: const i32](c: f32[N], x: f32) -> f32:
                |   ^^^^ `poly` is defined here
            error[generic-arguments]: `poly[N: const i32]` is given 2 arguments in brackets
              7 |    a[2] = poly[N=4, N=4](d, 1.0)
                |           ^^^^^^^^^^^^^^
              1 |fn poly[N: const i32](c: f32[N], x: f32) -> f32:
                |   ^^^^ `poly` is defined here
            error[keyword-argument]: this takes no arguments by name; they are given by their order
              8 |    a[N=3] = 1.0
                |      ^
              fix: remove `N=`
                |    a[3] = 1.0
        "#]],
    );
}

#[test]
fn a_name_of_a_branch_that_is_not_taken() {
    check(
        r"
fn f[K: const i32](x: f32) -> f32:
    static if K == 0:
        let y = x
    else:
        let z = x
    return y

kernel k(a: f32[n], n: i32):
    a[0] = f[0](a[0])
    a[1] = f[1](a[1])
",
        expect![[r#"
            warning[unused-name]: the variable `z` is never read
              5 |        let z = x
                |            ^
              fix: write `_z` to say that this is meant
                |        let _z = x
            error[unknown-name]: in `f[1]`: the branch of the `static if` that is taken does not define `y`
             10 |    a[1] = f[1](a[1])
                |           ^^^^
              6 |    return y
                |           ^ it is here
              = define it in each branch, or use it where this branch is taken
        "#]],
    );
}

/// Each copy of what a `static for` writes out stands in the text once.
#[test]
fn a_fix_changes_the_text_of_a_static_for_once() {
    check(
        "
kernel k(a: u8[n], out: u8[n], n: i32):
    for i in range(1, n - 1):
        let sum = u16(0)
        static for d in range(-1, 2):
            sum += u16(a[i + d]) * u16(d + 2)
        out[i] = u8(sum >> 2)
",
        expect![[r#"
            warning[cast-too-late]: this arithmetic is done in `u16`, so a result that does not fit it wraps before it is converted
              6 |        out[i] = u8(sum >> 2)
                |                 ^^^^^^^^^^^^
              = operators keep the type of their operands: convert these to `i32`; where the low 16 bits are meant, write `& 0xffff` before the cast
              fix: convert the operands to `i32`
                |            sum += i32(u16(a[i + d]) * u16(d + 2))
        "#]],
    );
}
