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

#[test]
fn conditions() {
    check(
        "struct S { int x; }; void g();
        void f(S s, uniform S u, float<3> v, bool<3> b, const uniform int a[], int n, float * p) {
            uniform int cells[2];
            if (s) { } cif (u) { } while (v) { } do { } while (cells); for (int i = 0; s; ++i) { } for (; b; ) { }
            n = s ? 1 : 2; assert(u); if (g()) { } cwhile (s.x < n) { }
        }",
        expect![[r#"
            `s`: a `varying S` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `u`: a `uniform S` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `v`: a `varying float<3>` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `cells`: a `uniform int[2]` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `s`: a `varying S` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `b`: a `varying bool<3>` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `s`: a `varying S` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `u`: a `uniform S` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
            `g()`: a `void` is neither true nor false, so it cannot be a condition: compare it, or a part of it [ispc-truth]
        "#]],
    );
    fine(
        "struct S { int x; }; enum E { X };
        void f(E e, bool<3> b, float<3> v, const uniform int a[], int n, float * p, uniform double d, int8 & r) {
            if (e) { } if (n) { } if (p) { } if (a) { } if (d) { } if (r) { } while (!n) { } do { } while (n--);
            for (;;) { break; } for (int i = 0; ; ++i) { break; } for (n = 0; n < 3; ) { break; } for (int i = 0; i < 3; ++i) { }
            float<3> w = b ? v : 2 * v; n = p ? 1 : 2; assert(p != NULL); if (true && e) { }
        }",
    );
}

#[test]
fn labels_of_a_switch() {
    check(
        "struct S { int x; }; const uniform int two = 2; enum E { A, B = 7 };
        void f(int n, uniform int u, S s, E e, float * p) {
            switch (n) { case 1: case two: break; case 1 + 1: break; default: break; case u: break; case 1.5: case 0x100000000: default: break; }
            switch (s) { } switch (p) { case 1: break; }
            switch (e) { case A: { case 0: break; } case B: switch (n) { case 7: default: break; } break; case 7: break; }
            case 3: n = 1; default: n = 2;
        }",
        expect![[r#"
            `1 + 1`: this is a second `case` of this value, so it is not known where to go: take one of them out [ispc-case]
                `case`: the first one
            `u`: the value of a `case` is a whole number that is known when the file is compiled, and the value of `u` is not known then: write such a number, or use `if` [ispc-case]
            `1.5`: the value of a `case` is a whole number that is known when the file is compiled, and `1.5` is no whole number: write such a number, or use `if` [ispc-case]
            `0x100000000`: the value of a `case` is a whole number that is known when the file is compiled, and 4294967296 has more than 32 bits: write such a number, or use `if` [ispc-case]
            `default`: this is a second `default`, so it is not known where to go: take one of them out [ispc-case]
                `default`: the first one
            `s`: a `switch` is over a whole number, and this is a `varying S`: use `if`, or a member of it [ispc-case]
            `p`: a `switch` is over a whole number, and this is a `uniform float * varying`: use `if`, or a member of it [ispc-case]
            `case`: this is a second `case` of this value, so it is not known where to go: take one of them out [ispc-case]
                `case`: the first one
            `7`: this is a second `case` of this value, so it is not known where to go: take one of them out [ispc-case]
                `case`: the first one
            `case`: `case` stands in no `switch`, so nothing goes there: take it out [ispc-case]
            `default`: `default` stands in no `switch`, so nothing goes there: take it out [ispc-case]
        "#]],
    );
    fine(
        "const uniform int two = 2; enum E { A, B = 7 };
        void f(int n, int64 u, E e, float x, bool b) {
            switch (n) { case -1: case 0xFFFFFFFE: case two: case two + 1: case sizeof(n): break; default: break; }
            switch (u) { case 1: if (n) { case 2: n = 1; } } switch (e) { case A: case B: case 3: break; } switch (x) { case 1: break; } switch (b) { case true: break; }
        }",
    );
}

#[test]
fn print_delete_and_launch() {
    check(
        r#"struct S { int x; }; enum E { A }; void g(); task void t();
        void f(S s, E e, float<3> v, int n, float * uniform p) {
            uniform int cells[2];
            print("%\n", s); print("% %\n", e, v); print("%", g()); print("n = %\n"); print("\n", n); print("%%\n"); print("% " "%\n", n);
            delete n; delete cells; delete s; launch[n] t(); launch[2, s] t(); launch[1][n] t();
        }"#,
        expect![[r#"
            `s`: `print` shows numbers, truth values and addresses, and this is a `varying S`: print its numbers one by one [ispc-print]
            `e`: `print` shows numbers, truth values and addresses, and this is a `varying E`: cast it to `int` [ispc-print]
            `v`: `print` shows numbers, truth values and addresses, and this is a `varying float<3>`: print its numbers one by one [ispc-print]
            `g()`: `print` shows numbers, truth values and addresses, and this is a `void`: print what the function computes [ispc-print]
            `"n = %\n"`: each `%` of this text is the place of a value: it has 1, and 0 are given, so write as many of both [ispc-print]
            `"\n"`: each `%` of this text is the place of a value: it has 0, and 1 is given, so write as many of both [ispc-print]
            `"%%\n"`: each `%` of this text is the place of a value: it has 2, and 0 are given, so write as many of both [ispc-print]
            `"% " "%\n"`: each `%` of this text is the place of a value: it has 2, and 1 is given, so write as many of both [ispc-print]
            `n`: `delete` gives back the memory behind a pointer that `new` gave, and this is a `varying int`: take that pointer [ispc-not-a-pointer]
            `cells`: `delete` gives back the memory behind a pointer that `new` gave, and this is a `uniform int[2]`: take that pointer [ispc-not-a-pointer]
            `s`: `delete` gives back the memory behind a pointer that `new` gave, and this is a `varying S`: take that pointer [ispc-not-a-pointer]
            `n`: each lane has its own value here (`varying int`), but all lanes share one as a number of tasks (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
            `s`: each lane has its own value here (`varying S`), but all lanes share one as a number of tasks (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
            `n`: each lane has its own value here (`varying int`), but all lanes share one as a number of tasks (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
        "#]],
    );
    fine(
        r#"task void t(); void f(int n, uniform int64 m, float16 h, bool b, int8 * p, uniform float a[], float & r) {
            print("none\n"); print("% % % % % % %\n", n, m, h, b, p, a, r); print("%" "%\n", n, n + 1);
            delete p; delete[] a; launch[m] t(); launch[2, 3] t(); launch[m][2][m + 1] t(); launch t();
        }"#,
    );
}

#[test]
fn lists_in_braces() {
    check(
        "struct In { float a[2]; int<2> v; }; struct S { float x; In in1; int * uniform p; }; enum E { A };
        void f(int n, uniform int u, S s, E e) {
            uniform int a[2] = { 1, 2, 3 }; uniform int b[2][2] = { { 1 }, { 1, 2, 3 } }; int<3> v = { 1, 2, 3, 4 };
            S t = { 1, { { 1, 2 }, { 3, 4 } }, NULL, 4 }; S w = { s, { { 1, 2, 3 }, { e, 5, 6 } }, 7 };
            uniform int x = { 1, 2 }; uniform int y[] = { n, u }; uniform int z = { n }; int each = { 1, n, 3, 4 };
            uniform float g[2] = 0; uniform int h[2] = a; uniform E k[] = { A, 1 }; In inner = { 1, 2 }; float * q = { 1 };
        }",
        expect![[r#"
            `{ 1, 2, 3 }`: a `uniform int[2]` takes 2 values, and 3 stand in this list: take some out [ispc-list]
            `{ 1, 2, 3 }`: a `uniform int[2]` takes 2 values, and 3 stand in this list: take some out [ispc-list]
            `{ 1, 2, 3, 4 }`: a `varying int<3>` takes 3 values, and 4 stand in this list: take some out [ispc-list]
            `{ 1, { { 1, 2 }, { 3, 4 } }, NULL, 4 }`: a `varying S` takes 3 values, and 4 stand in this list: take some out [ispc-list]
            `s`: a `varying S` cannot become a `varying float` to start `w` with [ispc-convert]
                `w`: declared here
            `{ 1, 2, 3 }`: a `varying float[2]` takes 2 values, and 3 stand in this list: take some out [ispc-list]
            `{ e, 5, 6 }`: a `varying int<2>` takes 2 values, and 3 stand in this list: take some out [ispc-list]
            `7`: a `const uniform int` cannot become a `uniform int * uniform` to start `w` with [ispc-convert]
                `w`: declared here
            `{ 1, 2 }`: a `uniform int` takes one value, and 2 stand in this list: take some out [ispc-list]
            `n`: each lane has its own value here (`varying int`), but all lanes share one to start `y` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `y`: declared here
            `n`: each lane has its own value here (`varying int`), but all lanes share one to start `z` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `z`: declared here
            `n`: each lane has its own value here (`varying int`), but all lanes share one to start `each` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `each`: declared here
            `0`: `g` is an array, which starts with a list of its elements in braces: write that, or set them in a loop [ispc-list]
            `a`: `h` is an array, which starts with a list of its elements in braces: write that, or set them in a loop [ispc-list]
            `1`: a `const uniform int` cannot become a `uniform E` to start `k` with [ispc-convert]
                `k`: declared here
            `1`: a `const uniform int` cannot become a `varying float[2]` to start `inner` with [ispc-convert]
                `inner`: declared here
            `1`: a `const uniform int` cannot become a `uniform float * varying` to start `q` with [ispc-convert]
                `q`: declared here
        "#]],
    );
    fine(
        "struct In { float a[2]; int<2> v; }; struct S { float x; In in1; int * uniform p; }; enum E { A }; typedef void (*G)(int); void g(int x); void g(float x);
        struct None { };
        void f(int n, uniform int u, S s, E e, uniform int * uniform p) {
            uniform int a[2] = { 1, u, }; uniform int b[][2] = { { 1 }, { 1, 2 } }; int<3> v = { n, 2, 3 }; int<3> w = { }; uniform int c[3] = { };
            S t = { 1, { { 1, 2 }, { 3, 4 } }, NULL }; S r = { n, { { u }, 5 }, 0 }; S q = s;
            uniform int x = { 1 }; int each = { 1, 2, 3, 4 }; const float<4> zero = 0; uniform float<3> last[2] = { { 1, 2, 3 }, 4 };
            E k[] = { A, e }; uniform G call[] = { g, g }; soa<4> int so = { 1, 2, 3, 4 }; uniform int * uniform to = p; int a3[2][3][4] = { { { n } } };
            uniform In ins[2] = { { { 1, 2 }, { 3, 4 } } };
        }",
    );
}

#[test]
fn values_of_variables_that_last() {
    check(
        "struct S { int x; }; uniform int a = 1; uniform float b = a; uniform int c[2] = { 1, a }; extern uniform int d = 4; uniform S e = 1;
        int g(); uniform int h = g(), i = j; uniform int k[a]; uniform int l[2] = 3; uniform int m = programIndex; uniform int n[2] = { 1, 2, 3 };
        int f(int x) { static uniform int o = a; static int p = x; static int q = 3 + g(); return o + p; }
        export void r(S s, uniform S t); extern \"C\" void u(uniform S s); extern \"C\" { void v(const uniform S s, uniform S & t); int w(int x); }
        extern \"C\" void x(uniform S) { } export int y(float * z);",
        expect![[r#"
            `a`: `o` lasts as long as the program, so what it starts with is known when the file is compiled, and `a` is a variable: write a number or a `const`, or assign it in a function [ispc-first-value]
            `x`: `p` lasts as long as the program, so what it starts with is known when the file is compiled, and `x` is a variable: write a number or a `const`, or assign it in a function [ispc-first-value]
            `g()`: `q` lasts as long as the program, so what it starts with is known when the file is compiled, and `g()` is called: write a number or a `const`, or assign it in a function [ispc-first-value]
            `uniform S`: this is a `uniform S` by itself, and ispc passes no structs to C or from it: take its address, `uniform S * uniform` [ispc-export]
            `a`: `b` lasts as long as the program, so what it starts with is known when the file is compiled, and `a` is a variable: write a number or a `const`, or assign it in a function [ispc-first-value]
            `a`: `c` lasts as long as the program, so what it starts with is known when the file is compiled, and `a` is a variable: write a number or a `const`, or assign it in a function [ispc-first-value]
            `4`: `d` is `extern`, so what it starts with stands where it is defined: take the value out, or the word `extern` [ispc-first-value]
            `1`: a `const uniform int` cannot become a `uniform S` to start `e` with [ispc-convert]
                `e`: declared here
            `g()`: each lane has its own value here (`varying int`), but all lanes share one to start `h` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `h`: declared here
            `j`: nothing that is called `j` is declared here: declare it first, or include the header that does [ispc-unknown-name]
            `a`: the length of an array is known when the file is compiled, and `a` is a variable: write a number, make it `const`, or use `new` [ispc-length]
            `3`: `l` is an array, which starts with a list of its elements in braces: write that, or set them in a loop [ispc-list]
            `programIndex`: each lane has its own value here (`const varying int`), but all lanes share one to start `m` with (`uniform int`): make that varying, or take one value by `extract`, `reduce_add` or their like [ispc-varying-to-uniform]
                `m`: declared here
            `{ 1, 2, 3 }`: a `uniform int[2]` takes 2 values, and 3 stand in this list: take some out [ispc-list]
            `S s`: `s` is a `varying S` by itself, and ispc passes no structs to C or from it: take its address, `uniform S * uniform s` [ispc-export]
            `uniform S t`: `t` is a `uniform S` by itself, and ispc passes no structs to C or from it: take its address, `uniform S * uniform t` [ispc-export]
            `uniform S s`: `s` is a `uniform S` by itself, and ispc passes no structs to C or from it: take its address, `uniform S * uniform s` [ispc-export]
            `const uniform S s`: `s` is a `const uniform S` by itself, and ispc passes no structs to C or from it: take its address, `uniform S * uniform s` [ispc-export]
            `export int`: this exported function gives `varying int`, a value for each lane, and C takes one: give `uniform int`, or store to an array [ispc-export]
            `float * z`: `z` is `uniform float * varying`, with a value for each lane, and C passes one to an exported function: write `uniform float * uniform z` [ispc-export]
        "#]],
    );
    fine(
        "struct S { int x; float<3> v; uniform float u[2]; }; const uniform int a = 4; uniform float b = a / 2 + 1.5; uniform int c[] = { 1, a, sizeof(S) };
        uniform float * uniform d = &b; uniform float * uniform e = NULL; uniform int * uniform f = c; int g(int x); typedef int (*G)(int); uniform G h = g, i = &g;
        enum E { X, Y }; uniform E j = Y; uniform int k = X; uniform int l = -a, m = (int)2.5, n = a > 2 ? 1 : a, o[a + 1], p[2][3] = { { 1 } }; varying int q = 3; int r = { 1, 2, 3, 4 };
        static const S s = { 1, { 1, 2, 3 }, { 4 } }; S t = s; const int lane = programIndex; extern uniform int u; uniform int u = 3; int * uniform v = 0; uniform int w = sizeof(b);
        uniform uint64 x = 1ull << 40; uniform bool y = true; uniform float z = -1e10f; uniform int * uniform v2 = &c[1]; uniform int none[0] = { 1, 2 };
        int f2(int x) { static uniform int one = 1; static int each = programIndex; static uniform float * uniform at = &b; const uniform int two = one; return one + each; }
        export void f3(uniform S & s, S * uniform t, uniform float a[]); export void f7(void (* uniform g)(int)) { } extern \"C\" uniform S f4(); extern \"C\" { void f5(uniform S * uniform s); } S f6(S s);",
    );
}
