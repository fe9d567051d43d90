//! The names that a file declares, by its tokens alone.

use expect_test::{Expect, expect};
use ispc::declared::declared_names;
use ispc::file::FileText;

fn check(text: &str, expected: Expect) {
    let names = declared_names(&FileText::new("a.ispc", text));
    let line = |name: &ispc::declared::DeclaredName| {
        let kind = name.kind.map_or("macro", |kind| kind.word());
        format!(
            "{kind} {}{}\n",
            &text[name.start as usize..name.end as usize],
            if name.is_definition { "" } else { ", declared" }
        )
    };
    expected.assert_eq(&names.iter().map(line).collect::<String>());
}

#[test]
fn all_that_stands_outside_of_functions() {
    check(
        "#pragma once\n#define WIDTH 8\n#define F(x) struct x { }\nstruct Ray { float t; int inside; };\nstruct Later;\ntypedef struct { int a; } Pair;\ntypedef float (*Shade)(const Ray &);\nenum Kind { ONE, TWO };\nstatic uniform int count = 3, other;\nuniform float table[4] = { 1, 2, 3, 4 };\nfloat declared(float x);\nfloat defined(float x);\ninline float defined(float x) { int local = 1; return x; }\nextern \"C\" {\nvoid c_one(uniform int n);\nuniform int c_two() { return 1; }\n}\nexport void entry(uniform float a[]) { foreach (i = 0 ... 4) { a[i] = 0; } }\ntemplate <typename T> T twice(T a) { return a + a; }\nMACRO_CALL(a, b)\ntask void work() { }\n",
        expect![[r#"
            macro WIDTH
            macro F
            struct Ray
            type Pair
            type Shade
            enumeration Kind
            global variable count
            global variable table
            function declared, declared
            function defined
            function c_one, declared
            function c_two
            function entry
            function twice
            function work
        "#]],
    );
}

#[test]
fn branches_with_braces_do_not_lose_the_count() {
    check(
        "void f() {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint g() { return 1; }\n}\nint h() { return 2; }\n",
        expect![[r#"
            function f
            function g
            function h
        "#]],
    );
}
