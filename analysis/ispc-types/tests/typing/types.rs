//! The types of expressions.

use expect_test::{Expect, expect};

use crate::types;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&types(text));
}

#[test]
fn what_says_nothing_is_varying_and_what_is_pointed_to_uniform() {
    check(
        "struct S { float x; uniform int n; float * next; };
        void f(float a, uniform float b, float * p, uniform float * uniform q, float v[], S s, uniform S t, S * uniform u) {
            a; b; p; q; v; s; t; u; *p; *q; s.x; s.n; t.x; t.next; u->x;
        }",
        expect![[r#"
            a: varying float
            b: uniform float
            p: uniform float * varying
            q: uniform float * uniform
            v: varying float * uniform
            s: varying S
            t: uniform S
            u: uniform S * uniform
            *p: varying float
            *q: uniform float
            s.x: varying float
            s.n: uniform int
            t.x: uniform float
            t.next: uniform float * uniform
            u->x: uniform float
        "#]],
    );
}

#[test]
fn an_index_that_varies_makes_a_value_vary_and_its_address() {
    check(
        "struct S { float x; uniform int n; };
        void f(uniform float a[], uniform S s[], varying float v[], uniform int m[4][8], int i, uniform int k) {
            a[k]; a[i]; &a[k]; &a[i]; s[i].x; s[i].n; &s[i].n; v[k]; v[i]; m[k]; m[k][i]; m[k] + 1; a + i;
        }",
        expect![[r#"
            a[k]: uniform float
            a[i]: varying float
            &a[k]: uniform float * uniform
            &a[i]: uniform float * varying
            s[i].x: varying float
            s[i].n: varying int
            &s[i].n: uniform int * varying
            v[k]: varying float
            v[i]: varying float
            m[k]: uniform int[8]
            m[k][i]: varying int
            m[k] + 1: uniform int * uniform
            a + i: uniform float * varying
        "#]],
    );
}

#[test]
fn operands_meet_in_the_more_general_type() {
    check(
        "enum E { A, B = 5 };
        void f(uniform int i, int j, uniform double d, float x, int64 l, uint8 b, E e, bool c, uniform int8 s) {
            i + j; i + d; x * d; l + x; b + i; e + 1; e == B; c && i; i < d; s << j; !i; -b; ~i; c ? i : d; i, x;
        }",
        expect![[r#"
            i + j: varying int
            i + d: uniform double
            x * d: varying double
            l + x: varying int64
            b + i: varying int
            e + 1: varying int
            e == B: varying bool
            c && i: varying bool
            i < d: uniform bool
            s << j: varying int8
            !i: uniform bool
            -b: varying uint8
            ~i: uniform int
            c ? i : d: varying double
            i, x: varying float
        "#]],
    );
}

#[test]
fn literals_have_the_type_that_their_end_says() {
    check(
        "void f() { 1; 1u; 3000000000; 1ll; 1ull; 0x7fffffffff; 1.; 1.5f; 1.0d; 1f16; 2k; true; NULL; sizeof(int); }",
        expect![[r#"
            1: const uniform int
            1u: const uniform uint
            3000000000: const uniform uint
            1ll: const uniform int64
            1ull: const uniform uint64
            0x7fffffffff: const uniform int64
            1.: const uniform float
            1.5f: const uniform float
            1.0d: const uniform double
            1f16: const uniform float16
            2k: const uniform int
            true: const uniform bool
            NULL: void * uniform
            sizeof(int): const uniform uint64
        "#]],
    );
}

#[test]
fn casts_take_the_variability_of_their_operand() {
    check(
        "void f(uniform int i, int j, uniform float * uniform p, float * q) {
            (float)i; (float)j; (varying float)i; (int * uniform)p; (uniform int8 *)p; (uniform int8 *)q; (double)i + j;
        }",
        expect![[r#"
            (float)i: uniform float
            (float)j: varying float
            (varying float)i: varying float
            (int * uniform)p: uniform int * uniform
            (uniform int8 *)p: uniform int8 * uniform
            (uniform int8 *)q: uniform int8 * varying
            (double)i + j: varying double
        "#]],
    );
}

#[test]
fn loops_bring_variables() {
    check(
        "void f(uniform float a[], int n) {
            foreach (i = 0 ... 8) { i; a[i]; }
            foreach_active (k) { k; }
            foreach_unique (u in n) { u; a[u]; }
            for (uniform int m = 0; m < 4; m++) { a[m]; programIndex; programCount; }
        }
        task void g() { taskIndex; }",
        expect![[r#"
            i: const varying int
            a[i]: varying float
            k: const uniform int64
            u: const uniform int
            a[u]: uniform float
            a[m]: uniform float
            programIndex: const varying int
            programCount: const uniform int
            taskIndex: const uniform uint
        "#]],
    );
}

#[test]
fn short_vectors_groups_and_typedefs() {
    check(
        "typedef float<3> V; typedef uniform float F; typedef float G; struct P { float x, y; };
        void f(V v, uniform V u, F a, G b, uniform G c, soa<8> P p[10], int i) {
            v.x; v.xy; u[1]; v + 1; u * v; v < 1; a; b; c; p[i].x; p[1].x; &p[i];
        }",
        expect![[r#"
            v.x: varying float
            v.xy: varying float<2>
            u[1]: uniform float
            v + 1: varying float<3>
            u * v: varying float<3>
            v < 1: varying bool<3>
            a: uniform float
            b: varying float
            c: uniform float
            p[i].x: varying float
            p[1].x: uniform float
            &p[i]: soa<8> P * varying
        "#]],
    );
}

#[test]
fn new_and_functions_as_values() {
    check(
        "float twice(float x) { return x * 2; }
        typedef float (*Map)(float);
        void f(Map m, uniform Map n, float x) {
            uniform new float[4]; new int; twice(1); m(x); n(x); twice; &twice;
        }",
        expect![[r#"
            uniform new float[4]: uniform float * uniform
            new int: uniform int * varying
            twice(1): varying float
            m(x): varying float
            n(x): varying float
            twice: varying float(varying float)
            &twice: varying float(varying float) (*) uniform
        "#]],
    );
}

#[test]
fn what_nobody_can_know_is_unknown_and_no_mistake() {
    check(
        "template <typename T> T f(T a, float b) { a; a + b; a * 2; b + 1; return a; }
        void g(float x) { @llvm.sqrt.f32(x); __internal(x); x; }",
        expect![[r#"
            a: T
            a + b: {unknown}
            a * 2: {unknown}
            b + 1: varying float
            @llvm.sqrt.f32(x): {unknown}
            __internal(x): {unknown}
            x: varying float
        "#]],
    );
}

#[test]
fn constants_are_folded() {
    check(
        "enum E { A = 3, B, C = B << 2 }; static const uniform int N = C + 1;
        void f() { uniform float a[N]; float b[A][B]; uniform int c[] = { 1, 2, 3 }; a; b; c; }",
        expect![[r#"
            a: uniform float[17]
            b: varying float[3][4]
            c: uniform int[3]
        "#]],
    );
}
