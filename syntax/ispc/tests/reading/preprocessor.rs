//! The preprocessor: what tokens a text becomes.

use expect_test::{Expect, expect};

use super::{expanded, problems, read};

fn check(text: &str, expected: Expect) {
    let unit = read(text);
    expected.assert_eq(&(expanded(&unit) + &problems(&unit)));
}

#[test]
fn macros_with_and_without_parameters() {
    check(
        "#define N 4\n#define SQUARE(x) ((x) * (x))\n#define EMPTY\nint a = SQUARE(N + 1); EMPTY int b = SQUARE;\nint c = SQUARE\n(2);",
        expect![[r#"
            int a = ((4 + 1) * (4 + 1)); int b = SQUARE;
            int c = ((2) * (2));
        "#]],
    );
}

#[test]
fn strings_and_pasting() {
    check(
        "#define STRING(x) #x\n#define TELL(x) STRING(x)\n#define PASTE(a, b) a ## b\n#define N 4\n\
         char a = STRING( N + \"q\\n\" ); char b = TELL(N); int PASTE(x, 1); int PASTE(, y); float f = PASTE(1, .5f);",
        expect![[r#"
            char a = "N + \"q\\n\""; char b = "4"; int x1; int y; float f = 1.5f;
            error[ispc-unknown-type] main.ispc:5 `char`: there is no type `char`: write `int8` or `uint8`
        "#]],
    );
}

#[test]
fn any_number_of_arguments() {
    check(
        "#define CALL(f, ...) f(__VA_ARGS__)\n#define LOG(s, ...) print(s, ## __VA_ARGS__)\n\
         #define OPT(a, ...) g(a __VA_OPT__(, __VA_ARGS__))\n#define NAMED(rest...) h(rest)\n\
         int a = CALL(f, 1, (2, 3)); LOG(\"x\"); LOG(\"%\", 1); OPT(1); OPT(1, 2, 3); NAMED(1, 2);",
        expect![[r#"
            int a = f(1, (2, 3)); print("x"); print("%", 1); g(1); g(1, 2, 3); h(1, 2);
            error[ispc-syntax] main.ispc:5 `LOG("x")`: a declaration is missing: `print` stands here
              main.ispc:2 `print`: in the macro `LOG`
        "#]],
    );
}

#[test]
fn recursion_ends() {
    // The examples of the C standard, 6.10.3.5.
    check(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
         #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n\
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
         p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };",
        expect![[r#"
            f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
            f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
            int i[] = { 1, 23, 4, 5, };
            error[ispc-syntax] main.ispc:15 `f(y+1)`: a declaration is missing: `f` stands here
              main.ispc:2 `f`: in the macro `f`
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        "#if defined(A) || !defined B && FROM_OUTSIDE == 7\nint a;\n#else\nint b;\n#endif\n\
         #ifdef A\nint c;\n#elif (1 ? 2 : 3) == 2 && -1 < 0 && 0x10u > 1 && 7 / 2 == 3 && (1 << 3 | 1) == 9\nint d;\n#else\nint e;\n#endif\n\
         #if 0\n#if 1\nint f;\n#else\nint g;\n#endif\n#elifdef ISPC\nint h;\n#endif\n#ifndef ISPC\n#error never\n#endif\n\
         #if TARGET_WIDTH == 8 && ISPC_POINTER_SIZE == 64 && defined(ISPC_TARGET_AVX2)\nint t;\n#endif",
        expect![[r#"
            int a;
            int d;
            int h;
            int t;
        "#]],
    );
}

#[test]
fn wrong_conditions_are_told_once() {
    check(
        "#if 1 / 0\n#endif\n#if 1 +\n#endif\n#if FOO(1)\n#endif\n#if (1\n#endif\n#if 1 2\n#endif\n#if\n#endif\n#else\n#endif\n#if 0 && 1 / 0\n#endif\n#ifdef\n#endif\n#if 1\n",
        expect![[r#"

            error[ispc-condition] main.ispc:1 `0`: this divides by 0, so the condition does not hold: mend it
            error[ispc-condition] main.ispc:3 `+`: a number or name is missing, so the condition does not hold: mend it
            error[ispc-condition] main.ispc:5 `FOO`: `FOO` is no macro here, so the condition does not hold: mend it
            error[ispc-condition] main.ispc:7 `1`: a `)` is missing, so the condition does not hold: mend it
            error[ispc-condition] main.ispc:9 `2`: the condition ends here, but more follows, so the condition does not hold: mend it
            error[ispc-condition] main.ispc:11 `#if`: the condition is missing, so it does not hold: write one behind the word
            error[ispc-directive] main.ispc:13 `#else`: `#else` without an `#if` above it: take it out, or add the `#if`
            error[ispc-directive] main.ispc:14 `#endif`: `#endif` without an `#if` above it: take it out, or add the `#if`
            error[ispc-directive] main.ispc:17 `#ifdef`: `#ifdef` needs the name of a macro behind it, so it does not hold: write one
            error[ispc-directive] main.ispc:19 `#if`: this condition has no `#endif`: add one where its text ends
        "#]],
    );
}

#[test]
fn headers_are_found_beside_and_in_folders() {
    check(
        "#include \"a.isph\"\n#include <b.isph>\n#define WHICH \"a.isph\"\n#include WHICH\n#include \"none.isph\"\n#include <short_vec.isph>\n\
         #if __has_include(\"a.isph\") && !__has_include(<c.isph>)\nint m;\n#endif\n\
         //- a.isph\n#pragma once\n#include \"sub/../b2.isph\"\nint a;\n//- b2.isph\nint b2;\n//- include/b.isph\n#ifndef B\n#define B\n#include \"b.isph\"\nint b;\n#endif\n",
        expect![[r#"
            int b2;
            int a;
            int b;
            int m;
            error[ispc-include] main.ispc:5 `"none.isph"`: `none.isph` is in none of the folders for headers, so what it declares is missing: add its folder by `-I`
        "#]],
    );
}

#[test]
fn a_header_that_includes_itself_ends() {
    let unit = read("#include \"a.isph\"\n//- a.isph\nint a;\n#include \"a.isph\"\n");
    assert!(problems(&unit).contains("included by itself without end"), "{}", problems(&unit));
}

#[test]
fn other_directives() {
    check(
        "#error this is wrong\n#warning this may be\n#pragma ignore warning(perf)\n#line 3 \"x\"\n#undef NONE\n#define\n#define f(\n#frob\n#\n\
         _Pragma(\"once\") int l = __LINE__; int c = __COUNTER__ + __COUNTER__;\n#define N 1\n#define N 2\n#define TWO(a, b) a b\nint t = TWO(1);",
        expect![[r#"
             int l = 10; int c = 0 + 1;
            int t = 1;
            error[ispc-told] main.ispc:1 `#error`: `#error` in the source: this is wrong
            warning[ispc-told] main.ispc:2 `#warning`: `#warning` in the source: this may be
            error[ispc-directive] main.ispc:6 `#define`: `#define` needs a name behind it, so nothing is defined: write one
            error[ispc-directive] main.ispc:7 `(`: the parameters of a macro are names between commas, then `)`: this macro is not defined
            error[ispc-directive] main.ispc:8 `#frob`: there is no directive `#frob`, so its line says nothing: take it out
            warning[ispc-macro] main.ispc:12 `N`: `N` is a macro with another body already, which this one replaces: `#undef N` first
              main.ispc:11 `N`: the definition before
            error[ispc-macro] main.ispc:14 `TWO`: the macro `TWO` takes 2 arguments, and 1 are given here: give it as many
              main.ispc:13 `TWO`: the macro
        "#]],
    );
}

#[test]
fn continued_lines_and_comments() {
    check(
        "#define LONG(a) \\\n    a + /* in\nside */ 1 // end\nint a = LONG(2); int na\\\nme = 1; // goes \\\non\nint b;",
        expect![[r#"
            int a = 2 + 1; int name = 1;
            int b;
        "#]],
    );
}

#[test]
fn ranges_and_numbers() {
    check(
        "#define M 9\nvoid f() { foreach (i = 0...M) { float x = 1.0d-3 + 1e+5 + 0x1p-3 + 4k + 1.5f16; } }",
        expect![[r#"
            void f() { foreach (i = 0...9) { float x = 1.0d-3 + 1e+5 + 0x1p-3 + 4k + 1.5f16; } }
        "#]],
    );
}

#[test]
fn macros_that_double_end() {
    let mut text = String::from("#define A0 x x\n");
    for n in 1..40 {
        text += &format!("#define A{n} A{} A{}\n", n - 1, n - 1);
    }
    let unit = read(&(text + "int a = A39;"));
    assert!(unit.tokens.len() < 5_000_000);
    assert!(problems(&unit).contains("no macro is expanded from here on"));
}
