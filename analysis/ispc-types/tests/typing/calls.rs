//! Which overload is chosen.

use expect_test::{Expect, expect};
use ispc_types::whole::signature;

use crate::{read, typed};

/// The calls of a text with what is called, one a line.
fn check(text: &str, expected: Expect) {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let mut shown = String::new();
    for (body, first) in typed(&unit) {
        for call in &body.calls {
            let written = unit.token_text(&unit.tokens[(first + call.token) as usize]);
            let chosen = call.chosen.map(|index| signature(&body.layer, call.candidates[index].entity));
            shown += &format!("{written}: {}\n", chosen.unwrap_or("none".to_owned()));
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn the_very_type_comes_before_a_copy_to_all_lanes_and_that_before_another_type() {
    check(
        "void f(uniform float x); void f(float x); void f(int x); void g(double x); void g(int x); void h(uniform int x); void h(float x);
        void t(uniform float u, float v, uniform int i, uniform int8 s) { f(u); f(v); f(i); g(u); g(s); h(u); h(v); }",
        expect![[r#"
            f: void f(uniform float x)
            f: void f(varying float x)
            f: void f(varying int x)
            g: void g(varying double x)
            g: none
            h: void h(varying float x)
            h: void h(varying float x)
        "#]],
    );
}

#[test]
fn references_want_the_very_type() {
    check(
        "struct V { float x; };
        void f(V & a); void f(const V & a); void f(const uniform V & a);
        void t(V a, uniform V b, const V c) { f(a); f(b); f(c); }",
        expect![[r#"
            f: void f(varying V & a)
            f: void f(const uniform V & a)
            f: void f(const varying V & a)
        "#]],
    );
}

#[test]
fn constants_cost_little_and_zero_is_a_pointer() {
    check(
        "void f(uniform int64 x, float y); void f(uniform float x, double y); void p(uniform float * uniform q); void p(float x);
        void t(float v) { f(1, v); p(0); p(NULL); p(1); }",
        expect![[r#"
            f: void f(uniform int64 x, varying float y)
            p: void p(uniform float * uniform q)
            p: void p(uniform float * uniform q)
            p: void p(varying float x)
        "#]],
    );
}

#[test]
fn the_library_and_own_overloads_are_one_set() {
    check(
        "struct V { float x; };
        V min(V a, V b); float sqrt(float x);
        void t(V a, uniform int i, float x, float<3> v) { min(a, a); min(i, 3); min(i, x); sqrt(x); sqrt(v); abs(-1.5f); reduce_add(x); }",
        expect![[r#"
            min: varying V min(varying V a, varying V b)
            min: uniform int min(uniform int a, uniform int b)
            min: varying int min(varying int a, varying int b)
            sqrt: varying float sqrt(varying float x)
            sqrt: varying T<N> sqrt(varying T<N> a)
            abs: uniform float abs(uniform float a)
            reduce_add: uniform float reduce_add(varying float v)
        "#]],
    );
}

#[test]
fn operators_of_structs_are_functions() {
    check(
        "struct V { float x; };
        V operator+(V a, V b); V operator*(V a, float b); uniform V operator-(uniform V a);
        void t(V a, uniform V b) { a + a * 2; -b; }",
        expect![[r#"
            *: varying V operator*(varying V a, varying float b)
            +: varying V operator+(varying V a, varying V b)
            -: uniform V operator-(uniform V a)
        "#]],
    );
}

#[test]
fn templates_follow_from_arguments_or_what_is_written() {
    check(
        "template <typename T> T f(T x); template <typename T, uint N> T g(T<N> x); template <typename T> void h(T * x, uniform int n);
        template <int N> int k(int x); void h(uniform float * uniform x, float y);
        void t(uniform int a, float b, float<4> v, uniform double * uniform p) { f(a); f(b); f<double>(a); g(v); h(p, 1); k<3>(a); }",
        expect![[r#"
            f: T f(T x)
            f: T f(T x)
            f: T f(T x)
            g: T g(T<N> x)
            h: void h(T * varying x, uniform int n)
            k: varying int k(varying int x)
        "#]],
    );
}

#[test]
fn defaults_fill_up_and_later_functions_are_not_seen() {
    check(
        "void f(int a, uniform int b = 3); void t(int x) { f(x); f(x, 1); }
        void f(uniform int a); void u(uniform int x) { f(x); }",
        expect![[r#"
            f: void f(varying int a, uniform int b)
            f: void f(varying int a, uniform int b)
            f: void f(uniform int a)
        "#]],
    );
}
