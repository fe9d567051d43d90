//! Runs that stop, and what is not run.

use expect_test::expect;

use super::check;

#[test]
fn accesses_out_of_range() {
    check(
        "void f() { uniform int a[4]; a[programIndex + 1] = 0; }",
        expect![[r#"
        stopped: `f` writes to `a` out of range: byte 16 of 16 in lane 3: a[programIndex + 1] = 0
    "#]],
    );
    check(
        "void f() { uniform int a[4]; print(\"%\", a[programIndex - 1]); }",
        expect![[r#"
        stopped: `f` reads `a` out of range: byte -4 of 16 in lane 0: a[programIndex - 1]
    "#]],
    );
    check(
        "void f() { int a[2]; uniform int i = 2; a[i] = 1; }",
        expect![[r#"
            stopped: `f` writes to `a` out of range: byte 32 of 32 in lanes 0, 1, 2 and 3: a[i] = 1
        "#]],
    );
}

#[test]
fn lanes_that_are_off_do_no_harm() {
    check(
        r#"void f() {
            uniform int a[4] = { 1, 2, 3, 4 };
            if (programIndex < 3) { print("% %\n", a[programIndex + 1], 6 / (3 - programIndex)); }
        }"#,
        expect![[r#"
            [2,3,4,((0))] [2,3,6,((0))]
        "#]],
    );
}

#[test]
fn memory_that_is_gone_or_none() {
    check(
        "void f() { uniform int * uniform p = NULL; *p = 1; }",
        expect![[r#"
            stopped: `f` writes by a null pointer : *p = 1
        "#]],
    );
    check(
        "struct S { int a; float b; }; void f() { uniform S * uniform p = NULL; p->b = 1; }",
        expect![[r#"
            stopped: `f` writes by a null pointer that was moved by 4 bytes : p->b = 1
        "#]],
    );
    check(
        "void f() { uniform int * uniform p = uniform new uniform int; delete p; *p = 1; }",
        expect![[r#"
        stopped: `f` writes to memory of `new`, which is given back already : *p = 1
    "#]],
    );
    check(
        "void f() { uniform int * uniform p = uniform new uniform int; delete p; delete p; }",
        expect![[r#"
        stopped: `f` gives memory of `new` back a second time : delete p;
    "#]],
    );
    check(
        "uniform int * uniform g() { uniform int x = 1; return &x; } void f() { print(\"%\", *g()); }",
        expect![[r#"
            stopped: `f` reads `x`, which is given back already : *g()
        "#]],
    );
}

#[test]
fn division_by_zero() {
    check(
        "void f() { print(\"%\", 5 / (programIndex & 1)); }",
        expect![[r#"
        stopped: `f` divides by zero in lanes 0 and 2: 5 / (programIndex & 1)
    "#]],
    );
    check(
        "void f() { uniform int x = 0; print(\"%\", 5 % x); }",
        expect![[r#"
        stopped: `f` divides by zero : 5 % x
    "#]],
    );
}

#[test]
fn asserts_and_lanes() {
    check(
        "void f() { assert(programIndex != 2); }",
        expect![[r#"
        stopped: `f` asserts `programIndex != 2`, which does not hold in lane 2: assert(programIndex != 2)
    "#]],
    );
    check(
        "void f() { uniform int lane = 9; print(\"%\", extract(programIndex, lane)); }",
        expect![[r#"
        stopped: `f` asks for lane 9 of 4 : extract(programIndex, lane)
    "#]],
    );
}

#[test]
fn what_never_ends() {
    check(
        "void f() { while (true) { } }",
        expect![[r#"
            stopped: `f` is not done after all the steps that a run may take : while (true) { }
        "#]],
    );
    check(
        "void g(int x) { g(x); } void f() { g(1); }",
        expect![[r#"
            stopped: `g` calls `g`, which calls itself too many times in a row : g(x)
        "#]],
    );
}

#[test]
fn what_is_elsewhere() {
    check(
        "extern \"C\" void outside(uniform int x); void f() { outside(1); }",
        expect![[r#"
            stopped: `f` calls `outside`, which has no body here, and what another program has cannot be run : outside(1)
        "#]],
    );
    check(
        "typedef void (*Op)(int); void f() { uniform Op op = NULL; op(1); }",
        expect![[r#"
        stopped: `f` calls a null pointer in lanes 0, 1, 2 and 3: op(1)
    "#]],
    );
}

#[test]
fn addresses_of_other_functions() {
    check(
        "typedef void (*Op)(int); typedef void (*Other)(float); void g(float x) { } void f() { uniform Other g_at = g; uniform Op op = (uniform Op)(void * uniform)g_at; op(1); }",
        expect![[r#"
            stopped: `f` calls a function that takes other arguments in lanes 0, 1, 2 and 3: op(1)
        "#]],
    );
    check(
        "typedef int (*Op)(int); typedef float (*Other)(int); float g(int x) { return x; } void f() { uniform Other g_at = g; uniform Op op = (uniform Op)(void * uniform)g_at; print(\"%\", op(1)); }",
        expect![[r#"
            stopped: `f` calls a function that gives something else in lanes 0, 1, 2 and 3: op(1)
        "#]],
    );
}

#[test]
fn what_is_not_run() {
    check(
        "void f() { uniform int x = 1; switch (x) { case 0: if (x == 0) { case 1: x = 5; } } }",
        expect![[r#"
        not run: `f`: case 1: x = 5;: a `case` inside of another statement than its `switch` cannot be run
    "#]],
    );
    check(
        "void f() { goto inside; { inside: print(\"in\"); } }",
        expect![[r#"
        not run: `f`: goto inside;: a jump into a block cannot be run: the label has to stand in a block around it
    "#]],
    );
}
