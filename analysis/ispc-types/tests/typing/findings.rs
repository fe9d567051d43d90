//! What is wrong, and what is not.

use expect_test::{Expect, expect};

use crate::told;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&told(text));
}

fn fine(text: &str) {
    assert_eq!(told(text), "");
}

#[test]
fn names() {
    check(
        "void f(float scale) { float x = scal; y = 1; g(x); sqrtt(x); }",
        expect![[r#"
        `scal`: nothing that is called `scal` is declared here; did you mean `scale`? [ispc-unknown-name]
        `y`: nothing that is called `y` is declared here: declare it first, or include the header that does [ispc-unknown-name]
        `g`: nothing that is called `g` is declared here: declare it first, or include the header that does [ispc-unknown-name]
        `sqrtt`: nothing that is called `sqrtt` is declared here; did you mean `sqrt`? [ispc-unknown-name]
    "#]],
    );
    check(
        "struct Ray { float3 org; float t_near; }; void f(Ray r, Ray * uniform p, float x) { r.tnear; p->org; p.t_near; r->t_near; x.y; p->far; }",
        expect![[r#"
            `float3`: there is no type `float3`: a short vector is `float<3>` [ispc-unknown-type]
            `tnear`: `Ray` has no member `tnear`; did you mean `t_near`? [ispc-unknown-member]
                `Ray`: its members
            `.`: `.` is for structs, and this is a pointer, `uniform Ray * uniform`: write `->` [ispc-not-a-struct]
            `->`: `->` is for pointers, and this is a `varying Ray`: write `.` [ispc-not-a-struct]
            `y`: a `varying float` has no members [ispc-not-a-struct]
            `far`: `Ray` has no member `far` [ispc-unknown-member]
                `Ray`: its members
        "#]],
    );
    check(
        "struct A; void f(A * uniform a) { a->x = 1; }",
        expect![[r#"
        `x`: the members of `uniform A` are not known here, since it is only declared: include the header that defines it [ispc-unknown-member]
    "#]],
    );
}

#[test]
fn varying_where_uniform_is_wanted() {
    check(
        "void g(uniform int n);
        uniform int f(int v, uniform int u, uniform float * uniform p) {
            uniform int a = v + u; u = v; u += v; g(v); p += v; (uniform float)v; uniform int b = u; return v;
        }",
        expect![[r#"
            `v + u`: each lane has its own value here (`varying int`), but all lanes share one to start `a` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `a`: declared here
                `v`: `v` varies
            `v`: each lane has its own value here (`varying int`), but all lanes share one for `u` (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `u`: declared here
            `v`: each lane has its own value here (`varying int`), but all lanes share one for `u` (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `u`: declared here
            `v`: `g` cannot be called so: `n` has one value for all lanes (`uniform int`), and each lane gives its own (`varying int`) [ispc-no-overload]
                `g`: declared here
            `v`: each lane has its own value here (`varying int`), but all lanes share one to move (`uniform float * uniform`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
            `(uniform float)v`: each lane has its own value here (`varying int`), but all lanes share one (`uniform float`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
            `v`: each lane has its own value here (`varying int`), but all lanes share one, which this function gives (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
        "#]],
    );
}

#[test]
fn conversions() {
    check(
        "struct A { int x; }; struct B { int x; }; enum E { X };
        void f(A a, B b, E e, float * p, int * q, const float * c, uniform float * uniform u) {
            a = b; e = 1; p = q; p = 1; int i = p; q = u; u = p; a = 1;
        }",
        expect![[r#"
            `b`: a `varying B` cannot become a `varying A` for `a` [ispc-convert]
                `a`: declared here
            `1`: a `const uniform int` cannot become a `varying E` for `e` [ispc-convert]
                `e`: declared here
            `q`: a `uniform int * varying` cannot become a `uniform float * varying` for `p` [ispc-convert]
                `p`: declared here
            `1`: a `const uniform int` cannot become a `uniform float * varying` for `p` [ispc-convert]
                `p`: declared here
            `p`: a `uniform float * varying` cannot become a `varying int` to start `i` with [ispc-convert]
                `i`: declared here
            `u`: a `uniform float * uniform` cannot become a `uniform int * varying` for `q` [ispc-convert]
                `q`: declared here
            `p`: each lane has its own value here (`uniform float * varying`), but all lanes share one for `u` (`uniform float * uniform`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `u`: declared here
            `1`: a `const uniform int` cannot become a `varying A` for `a` [ispc-convert]
                `a`: declared here
        "#]],
    );
    fine(
        "struct A { int x; }; enum E { X };
        void f(A a, uniform A b, E e, float * p, uniform float v[], const float * c, void * uniform w) {
            a = b; int i = e; p = 0; p = NULL; p = v; c = p; w = v; bool t = p; float x = 1; uniform int8 s = 1.5; E g = X; float y = i;
        }",
    );
}

#[test]
fn calls() {
    check(
        "void one(float x); void two(uniform int x, float y); void two(uniform double x, float y); struct S { int x; };
        void f(S s, float v, uniform int n) { one(s); one(1, 2); one(); two(v, v); two(1); n(3); two(s, v); sin(s); sin(1, 2, 3); }",
        expect![[r#"
            `s`: `one` cannot be called so: `x` is a `varying float`, and a `varying S` cannot become one [ispc-no-overload]
                `one`: declared here
            `(1, 2)`: `one` takes 1 argument, and 2 are given [ispc-no-overload]
                `one`: declared here
            `()`: `one` takes 1 argument, and 0 are given [ispc-no-overload]
                `one`: declared here
            `two`: no `two` takes `varying float` and `varying float`: convert an argument by a cast, or declare one that does [ispc-no-overload]
                `two`: `x` has one value for all lanes (`uniform double`), and each lane gives its own (`varying float`)
                `two`: `x` has one value for all lanes (`uniform int`), and each lane gives its own (`varying float`)
            `(1)`: `two` takes 2 arguments, and 1 is given [ispc-no-overload]
            `n`: this is called as a function, but it is a `uniform int` [ispc-not-a-function]
            `two`: no `two` takes `varying S` and `varying float`: convert an argument by a cast, or declare one that does [ispc-no-overload]
                `two`: `x` has one value for all lanes (`uniform double`), and each lane gives its own (`varying S`)
                `two`: `x` has one value for all lanes (`uniform int`), and each lane gives its own (`varying S`)
            `sin`: no `sin` takes `varying S`: convert an argument by a cast, or declare one that does [ispc-no-overload]
                `sin`: `varying T<N> sin(varying T<N> a)` of the library: what its template takes does not follow from the arguments
                `sin`: `uniform T<N> sin(uniform T<N> a)` of the library: what its template takes does not follow from the arguments
                `sin`: `varying double sin(varying double x)` of the library: `x` is a `varying double`, and a `varying S` cannot become one
                `sin`: `uniform double sin(uniform double x)` of the library: `x` has one value for all lanes (`uniform double`), and each lane gives its own (`varying S`)
                `sin`: `varying float sin(varying float x)` of the library: `x` is a `varying float`, and a `varying S` cannot become one
                `sin`: `uniform float sin(uniform float x)` of the library: `x` has one value for all lanes (`uniform float`), and each lane gives its own (`varying S`)
            `(1, 2, 3)`: `sin` takes 1 argument, and 3 are given [ispc-no-overload]
        "#]],
    );
    check(
        "void f(uniform int a, float b); void f(float a, uniform int b); void g(uniform int x) { f(x, x); }",
        expect![[r#"
            `f`: more than one `f` takes `uniform int` and `uniform int` equally well, so ispc cannot choose: cast an argument to the type that is meant [ispc-ambiguous]
                `f`: this one fits
                `f`: this one fits
        "#]],
    );
}

#[test]
fn operands() {
    check(
        "struct V { float x; }; V operator+(V a, V b);
        void f(V v, float x, float * p, uniform int n) { v - v; v + x; x % x; x & 1; p * 2; p + p; ~x; *x; x[1]; void * uniform q = p; *q; }",
        expect![[r#"
            `v - v`: no `operator-` is declared that takes a `varying V` and a `varying V` [ispc-operands]
            `v + x`: no `operator+` is declared that takes a `varying V` and a `varying float` [ispc-operands]
                `operator`: `b` is a `varying V`, and a `varying float` cannot become one
            `x % x`: `%` has no meaning between a `varying float` and a `varying float` [ispc-operands]
            `x & 1`: `&` has no meaning between a `varying float` and a `const uniform int` [ispc-operands]
            `p * 2`: `*` has no meaning between a `uniform float * varying` and a `const uniform int` [ispc-operands]
            `p + p`: `+` has no meaning between a `uniform float * varying` and a `uniform float * varying` [ispc-operands]
            `~x`: `~` has no meaning for a `varying float` [ispc-operands]
            `x`: `*` needs a pointer or an array, and this is a `varying float` [ispc-not-a-pointer]
            `x`: `[…]` needs a pointer or an array, and this is a `varying float` [ispc-not-a-pointer]
            `p`: each lane has its own value here (`uniform float * varying`), but all lanes share one to start `q` with (`void * uniform`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `q`: declared here
            `q`: nothing can be read or written behind a `void * uniform`, whose values have no type: cast it to a pointer to what is there [ispc-not-a-pointer]
        "#]],
    );
}

#[test]
fn places_that_can_be_set() {
    check(
        "enum E { A }; struct S { float x; };
        void f(const int c, const S s, const uniform float a[], int n) {
            1 = n; c = 1; s.x = 1; a[0] = 1; n++ = 1; A = 1; c++; (n + 1) += 2;
            foreach (i = 0 ... 4) { i = 2; }
        }",
        expect![[r#"
            `1`: `1` is a value without a place of its own, so it cannot be set: set a variable [ispc-lvalue]
            `c`: `c` is `const varying int`, so it cannot be changed [ispc-lvalue]
            `s.x`: `s.x` is `const varying float`, so it cannot be changed [ispc-lvalue]
            `a[0]`: `a[0]` is `const uniform float`, so it cannot be changed [ispc-lvalue]
            `n++`: `n++` is a value without a place of its own, so it cannot be set: set a variable [ispc-lvalue]
            `A`: `A` is a value without a place of its own, so it cannot be set: set a variable [ispc-lvalue]
            `c`: `c` is `const varying int`, so it cannot be changed [ispc-lvalue]
            `(n + 1)`: `(n + 1)` is a value without a place of its own, so it cannot be set: set a variable [ispc-lvalue]
            `i`: `i` is `const varying int`, so it cannot be changed [ispc-lvalue]
        "#]],
    );
    fine(
        "struct S { float x; }; S & r(S & s) { return s; } void f(S s, float a[], S * p) { r(s).x = 1; a[0] = 1; p->x = 1; (*p).x++; s = *p; }",
    );
}

#[test]
fn statements() {
    check(
        "void f(int n) { break; continue; foreach (i = 0 ... 4) { if (i == n) break; return; } goto out; return n; }
        int g(int n) { switch (n) { case 1: break; default: continue; } return; }",
        expect![[r#"
            `break`: `break` stands in no loop or `switch`, so there is nothing to leave: take it out [ispc-jump]
            `continue`: `continue` stands in no loop, so there is nothing to leave: take it out [ispc-jump]
            `break`: `break` cannot stand in a `foreach`, whose lanes all go on: use `continue`, or a `for` loop [ispc-jump]
            `return`: `return` cannot stand in a `foreach`, whose lanes all go on: note the value, and return behind the loop [ispc-jump]
            `out`: this function has no label `out` [ispc-jump]
            `n`: this function is `void`, so no value can stand behind `return` [ispc-return]
            `continue`: `continue` stands in no loop, so there is nothing to leave: take it out [ispc-jump]
            `return`: this function gives a `varying int`, so a value must stand behind `return` [ispc-return]
        "#]],
    );
    check(
        "task void t(uniform int n) { } void u(); void f() { t(1); launch[4] t(2); launch u(); }",
        expect![[r#"
        `t`: `t` is a task, so it is started by `launch`, not called [ispc-launch]
            `t`: declared here
        `u`: `u` is no task, so it cannot be launched: call it, or make it a `task` [ispc-launch]
            `u`: declared here
    "#]],
    );
}

#[test]
fn unknown_things_are_told_once() {
    check(
        "void f(Unknown u) { u.x = 1; g(u); u + 1; int y = u; } float h() { return f(1).x; }",
        expect![[r#"
        `Unknown`: `Unknown` is no type that is known here: declare it first, or include the header that does [ispc-unknown-type]
        `g`: nothing that is called `g` is declared here: declare it first, or include the header that does [ispc-unknown-name]
        `x`: a `void` has no members [ispc-not-a-struct]
    "#]],
    );
    check(
        "void f(float x) { x = (1 + ; y = 3; }",
        expect![[r#"
        `;`: an expression is missing: `;` stands here [ispc-syntax]
    "#]],
    );
}

#[test]
fn conditions_that_vary_are_noted() {
    let unit = crate::read(
        "void f(int v, uniform int u) { uniform int n = 0; if (v > 0) { n = 1; while (u) { n += 2; } } if (u) n = 3; if (v) unmasked { n = 4; } }",
    );
    let (body, first) = &crate::typed(&unit)[0];
    let base = unit.tree.nodes.iter().position(|node| node.first == *first).unwrap_or_default();
    let written = |node: u32| unit.text_of(unit.tree.tokens(base + node as usize));
    let found: Vec<_> =
        body.under_varying.iter().map(|(node, condition)| (written(*node), written(*condition))).collect();
    assert_eq!(format!("{found:?}"), r#"[("n = 1", "v > 0"), ("n += 2", "v > 0")]"#);
}
