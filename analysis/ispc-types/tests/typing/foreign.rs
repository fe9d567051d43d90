//! The mistakes that people make most who know C and C++: each is told once, with what to write.

use crate::{problems, read};

/// Texts with one mistake each, where it stands, and a part of what is told.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("#include <vector>\n", "<vector>", "take this line out"),
    (
        "#include <math.h>\nvoid f() { float x = sqrt(2.0f); }",
        "<math.h>",
        "its own functions of numbers are always there",
    ),
    ("#include <cstdio>\n", "<cstdio>", "`print` is always there"),
    ("void f(uniform float a[]) { a[0] = std::max(a[0], 0.0f); }", "std", "write `max` without `std::`"),
    ("void f() { std::vector<float> v; }", "std", "ISPC has no `std::vector`: use an array"),
    ("void f(std::vector<float> &v) { }", "std", "ISPC has no `std::vector`: use an array"),
    ("void f() { std::size_t n = 3; }", "std", "write `size_t` without `std::`"),
    ("void f() { auto x = 1; }", "auto", "write it in place of `auto`"),
    ("void f(float && x) { }", "&&", "write `&`"),
    ("class Point { float x; };", "class", "write `struct`"),
    ("struct Point { public: float x; };", "public", "take this out"),
    ("struct Point { float x; float length() { return x; } };", "{", "write one that takes the struct"),
    ("void f(uniform float * uniform a) { if (a == nullptr) { return; } }", "nullptr", "write `NULL`"),
    (
        "void f(uniform int n) { uniform float * uniform b = new float[n]; }",
        "new float[n]",
        "write `uniform new uniform` and the type",
    ),
    ("template <class T> T twice(T x) { return x + x; }", "class", "write `typename`"),
    ("void f() { float4 x; }", "float4", "a short vector is `float<4>`"),
    ("void f() { vec3 x; }", "vec3", "a short vector is `float<3>`"),
    ("void f() { __m256 x; }", "__m256", "a varying `float` is one"),
    ("void f() { float<3> x = float3(1, 2, 3); }", "float3", "declare one, `float<3> v = { … };`"),
    (
        "void f(uniform int n) { uniform float x[n]; }",
        "n",
        "`n` is a variable: write a number, make it `const`, or use `new`",
    ),
    ("void f(int n) { printf(\"%d\", n); }", "printf", "write `print("),
    ("void f(int n) { std::cout << n; }", "std", "ISPC has no `std::cout`: write `print("),
    ("void f() { unsigned char x = 1; }", "unsigned", "write `uint8`"),
    ("void f() { unsigned long long x = 1; }", "unsigned", "write `uint64`"),
    ("void f() { long long x = 1; }", "long", "write `int64`"),
    ("void f(uint32_t x) { }", "uint32_t", "write `uint32`"),
    ("void f(float x) { uniform bool b = x > 0; }", "x > 0", "ask by `any`, `all` or `none`"),
    ("void f(float x) { uniform float y = x; }", "x", "take one value by `extract`, `reduce_add`"),
    ("uniform float f(float x) { return x; }", "x", "which this function gives (`uniform float`)"),
    ("export void f(float * a) { }", "float * a", "write `uniform float * uniform a`"),
    ("export void f(uniform float a[], int n) { }", "int n", "write `uniform int n`"),
    ("export float f() { return 1; }", "export float", "give `uniform float`"),
    ("void f(uniform float a[]) { foreach (int i = 0 ... 8) { a[i] = 0; } }", "int", "write its name alone"),
    ("void f(uniform float a[]) { foreach (i = 0 .. 8) { a[i] = 0; } }", ".", "write `...`"),
    ("void f() { foreach (i = 0; i < 8; i++) { } }", ";", "write `foreach (i = 0 ... n)`"),
    ("void f(uniform float a[]) { for (float x : a) { } }", "float", "write `foreach (i = 0 ... n)`"),
    ("void f(float x) { float y = sqrtf(x); }", "sqrtf", "write `sqrt`"),
    ("void f(float x) { float y = std::sqrt(x); }", "std", "write `sqrt` without `std::`"),
    ("void f() { float x = M_PI; }", "M_PI", "write `PI`"),
    ("void f() { float x = static_cast<float>(1); }", "static_cast", "write the type in brackets"),
    ("namespace n { int x; }\nvoid f() { x = 1; }", "namespace", "take this and its braces out"),
    ("using namespace std;\nvoid f() { }", "using", "take this line out"),
    ("using Real = float;\n", "using", "write `typedef … Real;`"),
    ("constexpr int n = 4;\nint x[n];", "constexpr", "write `const`"),
    ("static constexpr int n = 4;", "constexpr", "write `const`"),
    ("void f() { float x = [](float y) { return y; }; }", "[", "write a function of its own"),
];

#[test]
fn mistakes_of_people_who_know_c_are_told_once_with_what_to_write() {
    for (text, place, part) in MISTAKES {
        let unit = read(text);
        let found = problems(&unit);
        let [problem] = &found[..] else { panic!("{text}\n{found:#?}") };
        assert!(problem.message.contains(part), "{text}\n{}", problem.message);
        assert_eq!(&unit.text(problem.place.file)[problem.place.range()], *place, "{text}\n{}", problem.message);
    }
}

/// What is ISPC, though it looks like one of these mistakes.
#[test]
fn names_that_are_declared_are_nobodys_mistake() {
    let fine = [
        "struct float4 { float x; }; void f(float4 v) { v.x = 1; }",
        "typedef float<3> vec3; vec3 float3(float x) { vec3 v; v.x = x; return v; } void f() { vec3 v = float3(1); }",
        "void f(int class, int public, float using, float volatile, int namespace) { class = public; using = volatile; namespace = 1; }",
        "void f() { const uniform int n = 4; uniform float x[n]; x[0] = 1; }",
        "enum { N = 4 }; static const int M = 2; void f() { float x[N * M]; x[0] = 1; }",
        "template <int n> void g() { float x[n]; x[0] = 1; } void f() { g<3>(); }",
        "void f(int n) { switch (n) { case 1: ; default: ; } l: n = n > 1 ? n : 2; goto l; }",
        "uniform float printf(uniform float x) { return x; } void f() { printf(1); }",
        "struct S { float x; }; export void f(uniform S &s, uniform float a[], float b[], uniform float * uniform p) { }",
        "export uniform int f(const uniform int n, uniform bool b) { return b ? n : 1; }",
        "void f(uniform float * uniform a) { for (uniform int i = 0; i < 8; ++i) { a[i] = i > 3 ? 1 : 2; } }",
    ];
    for text in fine {
        let unit = read(text);
        assert!(problems(&unit).is_empty(), "{text}\n{:#?}", problems(&unit));
    }
}
