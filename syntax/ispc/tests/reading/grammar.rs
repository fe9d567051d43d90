//! The grammar: programs that are whole, what tree they have, and what is told of mistakes.

use expect_test::{Expect, expect};
use ispc::unit::{FileId, Unit};

use super::{problems, read};

fn tree(unit: &Unit) -> String {
    let mut text = String::new();
    if let Some(root) = unit.tree.root() {
        show(unit, root, 0, &mut text);
    }
    text
}

fn show(unit: &Unit, node: usize, depth: usize, text: &mut String) {
    let tokens = unit.tree.tokens(node);
    let is_here = unit.place_of(tokens.clone()).is_some_and(|place| place.file != FileId::PREDEFINED);
    if is_here || depth == 0 {
        let shown = if depth == 0 { String::new() } else { unit.text_of(tokens) };
        *text += &format!("{}{:?} {shown}\n", "  ".repeat(depth), unit.tree.nodes[node].kind);
        unit.tree.children(node).into_iter().for_each(|child| show(unit, child, depth + 1, text));
    }
}

fn check(text: &str, expected: Expect) {
    let unit = read(text);
    expected.assert_eq(&(tree(&unit) + &problems(&unit)));
}

/// Programs that ispc takes are read without a word.
fn whole(text: &str) {
    assert_eq!(problems(&read(text)), "", "{text}");
}

#[test]
fn expressions() {
    check(
        "void f() { a = b + c * -d[1] << 2 ? x.y->z++ : (float)w, p = q += 1; }",
        expect![[r#"
        Unit 
          Function void f() { a = b + c * -d[1] << 2 ? x.y->z++ : (float)w, p = q += 1; }
            Specifiers void
            Declarator f()
              Params ()
            Block { a = b + c * -d[1] << 2 ? x.y->z++ : (float)w, p = q += 1; }
              Expression a = b + c * -d[1] << 2 ? x.y->z++ : (float)w, p = q += 1;
                Comma a = b + c * -d[1] << 2 ? x.y->z++ : (float)w, p = q += 1
                  Assign a = b + c * -d[1] << 2 ? x.y->z++ : (float)w
                    NameUse a
                    Conditional b + c * -d[1] << 2 ? x.y->z++ : (float)w
                      Binary b + c * -d[1] << 2
                        Binary b + c * -d[1]
                          NameUse b
                          Binary c * -d[1]
                            NameUse c
                            Prefix -d[1]
                              Index d[1]
                                NameUse d
                                Literal 1
                        Literal 2
                      Postfix x.y->z++
                        Member x.y->z
                          Member x.y
                            NameUse x
                      Cast (float)w
                        TypeName float
                          Specifiers float
                        NameUse w
                  Assign p = q += 1
                    NameUse p
                    Assign q += 1
                      NameUse q
                      Literal 1
    "#]],
    );
}

#[test]
fn types_at_every_level() {
    whole("struct S { float x; uniform int * uniform p; varying float v[3][4]; soa<8> struct S2 { int a; } b; };");
    whole(
        "export void f(uniform float a[], const varying S2 * uniform s, uniform float<3> &v) { } struct S2 { int a; };"
            .replace("S2 * uniform", "int * uniform")
            .as_str(),
    );
    whole("typedef float<4> vec4; typedef int (*callback)(uniform int, float * uniform); vec4 v; callback g;");
    whole(
        "static const uniform unsigned int8 table[2] = { 1, 2, }; unsigned x; signed int64 y; size_t n; uintptr_t p;",
    );
    whole("enum Color { RED, GREEN = 2, BLUE, }; enum { LAST = BLUE }; uniform enum Color c = RED; Color d;");
    whole("extern \"C\" void h(); extern \"C\" { void k(); } extern \"SYCL\" void m(); export { int8, uint16 };");
    whole(
        "__declspec(safe, cost0) static inline int f(); __attribute__((noescape)) int g; struct A { int a; } __attribute__((aligned(32)));",
    );
    whole("noinline __vectorcall int f(); __regcall float g(float); unmasked void u() { } task void t() { }");
    whole("void *uniform *varying p; const float * uniform const q; int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };");
    whole(
        "struct Empty { }; struct Later; void f(Later * uniform l, void (*g)(int), int, float * = NULL, int a[4] = 0);",
    );
}

#[test]
fn statements() {
    whole(
        "void f(uniform int n, int v) { if (v) ; else { } cif (v > 1) return; else ; switch (v) { case 1: break; default: v = 2; } }",
    );
    whole(
        "void f(uniform int n) { for (int i = 0, j = 1; i < n; ++i, --j) { continue; } for (;;) break; cfor (; n > 1; ) { } while (1) { } cwhile (n) ; do { } while (0); cdo n; while (0); }",
    );
    whole(
        "void f(uniform int n) { foreach (i = 0 ... n, j = 1 ... n + 1) { } foreach_tiled (i = 0 ... n) ; foreach_active (k) { k; } foreach_unique (v in programIndex) { v; } unmasked { int a; } }",
    );
    whole(
        "void f(int n) { goto end; print(\"% %\\n\", n, 1); assert(n > 1); delete p; delete[] q; sync; end: return; } ",
    );
    whole(
        "task void t(uniform int a) { } void f() { launch[4] t(1); launch[2, 3] t(1); launch[1][2][3] t(1); launch < t(2) >; launch t(1); sync; }",
    );
    whole(
        "void f() { uniform int * uniform p = uniform new int[10]; p = new uniform int; q = varying new float(1, 2); int<3> v = { 1, 2, 3 }; v.xy; alloca(4); }",
    );
    whole(
        "#pragma unroll 4\nvoid g(); void f(int n) { \n#pragma unroll(2)\nfor (int i = 0; i < n; i++) { }\n#pragma nounroll\nwhile (n) { } }",
    );
    whole(
        "void f() { float x = @llvm.sqrt.f32(1.0f); invoke_sycl(g, 1); sizeof(int * uniform); sizeof x; NULL; true; \"a\" \"b\"; f(-1, &x, *p, !x, ~1, (uniform int8)3); }",
    );
}

#[test]
fn templates_and_operators() {
    whole(
        "template <typename T, int N> noinline T add(T a, T b) { T<N> c; return a + b; } template <> int add<int, 3>(int a, int b) { return 1; } template float add<float, 2>(float, float);",
    );
    whole(
        "template <typename T> T twice(T x); void f() { twice<uniform float>(1.0f); twice(2); select<float, 4>(true, a, b); }",
    );
    whole(
        "struct V { float x; }; V operator+(V a, V b) { return a; } V operator<<(V a, int b); bool operator==(V a, V b); V operator-(V a); void f(V a) { V c = a + a << 2; }",
    );
}

#[test]
fn mistakes_are_told_once() {
    check(
        "void f() { int a = 1\n int b = ; g(1, ; a[1; if (a { } }\nint c",
        expect![[r#"
        Unit 
          Function void f() { int a = 1 int b = ; g(1, ; a[1; if (a { } }
            Specifiers void
            Declarator f()
              Params ()
            Block { int a = 1 int b = ; g(1, ; a[1; if (a { } }
              Declaration int a = 1
                Specifiers int
                InitDeclarator a = 1
                  Declarator a
                  Literal 1
              Declaration int b = ;
                Specifiers int
                InitDeclarator b =
                  Declarator b
              Expression g(1, ;
                Call g(1,
                  NameUse g
                  Args (1,
                    Literal 1
              Expression a[1;
                Index a[1
                  NameUse a
                  Literal 1
              If if (a { }
                NameUse a
                Block { }
          Declaration int c
            Specifiers int
            InitDeclarator c
              Declarator c
        error[ispc-syntax] main.ispc:1 `1`: a `;` is missing behind this declaration: `int` stands there instead
        error[ispc-syntax] main.ispc:2 `;`: an expression is missing: `;` stands here
        error[ispc-syntax] main.ispc:2 `;`: an expression is missing: `;` stands here
        error[ispc-syntax] main.ispc:2 `[`: this `[` is never closed: add the `]` that belongs to it
          main.ispc:2 `;`: `;` stands here
        error[ispc-syntax] main.ispc:2 `(`: this `(` is never closed: add the `)` that belongs to it
          main.ispc:2 `{`: `{` stands here
        error[ispc-syntax] main.ispc:3 `c`: a `;` is missing behind this declaration: the file ends there instead
    "#]],
    );
    check(
        "export void f(uniform float a[]) {\n  foreach (i = 0 ... n {\n    a[i] = 1;\n  }\n}\nvoid g() { }",
        expect![[r#"
            Unit 
              Function export void f(uniform float a[]) { foreach (i = 0 ... n { a[i] = 1; } }
                Specifiers export void
                Declarator f(uniform float a[])
                  Params (uniform float a[])
                    Param uniform float a[]
                      Specifiers uniform float
                      Declarator a[]
                        ArrayPart []
                Block { foreach (i = 0 ... n { a[i] = 1; } }
                  Foreach foreach (i = 0 ... n { a[i] = 1; }
                    Dimension i = 0 ... n
                      Literal 0
                      NameUse n
                    Block { a[i] = 1; }
                      Expression a[i] = 1;
                        Assign a[i] = 1
                          Index a[i]
                            NameUse a
                            NameUse i
                          Literal 1
              Function void g() { }
                Specifiers void
                Declarator g()
                  Params ()
                Block { }
            error[ispc-syntax] main.ispc:2 `(`: this `(` is never closed: add the `)` that belongs to it
              main.ispc:2 `{`: `{` stands here
        "#]],
    );
    check(
        "void f() {\n  if (1) {\n}\nvoid g() { }\n",
        expect![[r#"
        Unit 
          Function void f() { if (1) { } void g() { }
            Specifiers void
            Declarator f()
              Params ()
            Block { if (1) { } void g() { }
              If if (1) { }
                Literal 1
                Block { }
              Function void g() { }
                Specifiers void
                Declarator g()
                  Params ()
                Block { }
        error[ispc-syntax] main.ispc:4 `g`: a function cannot stand in a function: move it out, or close the function above by a `}`
        error[ispc-syntax] main.ispc:1 `{`: this `{` is never closed: add the `}` that belongs to it
    "#]],
    );
    check(
        "float f(vec3 v, char c) { long x; return float(1); } } int y;",
        expect![[r#"
        Unit 
          Function float f(vec3 v, char c) { long x; return float(1); }
            Specifiers float
            Declarator f(vec3 v, char c)
              Params (vec3 v, char c)
                Param vec3 v
                  Specifiers vec3
                  Declarator v
                Param char c
                  Specifiers char
                  Declarator c
            Block { long x; return float(1); }
              Declaration long x;
                Specifiers long
                InitDeclarator x
                  Declarator x
              Return return float(1);
                Call float(1)
                  Error float
                  Args (1)
                    Literal 1
          Error }
          Declaration int y;
            Specifiers int
            InitDeclarator y
              Declarator y
        error[ispc-unknown-type] main.ispc:1 `vec3`: there is no type `vec3`: a short vector is `float<3>`
        error[ispc-unknown-type] main.ispc:1 `char`: there is no type `char`: write `int8` or `uint8`
        error[ispc-unknown-type] main.ispc:1 `long`: there is no type `long`: write `int64`
        error[ispc-syntax] main.ispc:1 `float`: a type is not called in ISPC: write `(float)` in front of the value
        error[ispc-syntax] main.ispc:1 `}`: this `}` closes nothing: take it out, or look for a `{` that is missing above
    "#]],
    );
    check(
        "struct S { int a = 1; void f() { } }; foo(); x = 'a'; int z = 12q; int s = \"open\n;",
        expect![[r#"
        Unit 
          Declaration struct S { int a = 1; void f() { } };
            Specifiers struct S { int a = 1; void f() { } }
              Struct struct S { int a = 1; void f() { } }
                Field int a = 1;
                  Specifiers int
                  Declarator a
                  Literal 1
                Field void f() { }
                  Specifiers void
                  Declarator f()
                    Params ()
                  Error { }
          Error foo
          Error ();
          Error x = 'a';
          Declaration int z = 12q;
            Specifiers int
            InitDeclarator z = 12q
              Declarator z
              Literal 12q
          Declaration int s = "open ;
            Specifiers int
            InitDeclarator s = "open
              Declarator s
              Literal "open
        error[ispc-syntax] main.ispc:1 `=`: a member has no value of its own in ISPC: set it where the struct is made
        error[ispc-syntax] main.ispc:1 `{`: a struct has no functions in ISPC: write one that takes the struct
        error[ispc-syntax] main.ispc:1 `foo`: a declaration is missing: `foo` stands here
        error[ispc-token] main.ispc:1 `12q`: `12q` is no number in ISPC: look at its end
        error[ispc-token] main.ispc:1 `"open`: this string has no end on its line: add a `"`
    "#]],
    );
}

#[test]
fn an_error_of_a_macro_names_both_places() {
    check(
        "#include \"m.isph\"\nvoid f() { OUTER(2) }\nvoid g() { BROKEN(3 3) }\n//- m.isph\n#define BROKEN(x) int y = x x;\n#define OUTER(x) BROKEN(x)\nint header = ;\n",
        expect![[r#"
            Unit 
              Declaration int header = ;
                Specifiers int
                InitDeclarator header =
                  Declarator header
              Function void f() { int y = 2 2; }
                Specifiers void
                Declarator f()
                  Params ()
                Block { int y = 2 2; }
                  Declaration int y = 2 2;
                    Specifiers int
                    InitDeclarator y = 2
                      Declarator y
                      Literal 2
                    Error 2;
              Function void g() { int y = 3 3 3 3; }
                Specifiers void
                Declarator g()
                  Params ()
                Block { int y = 3 3 3 3; }
                  Declaration int y = 3 3 3 3;
                    Specifiers int
                    InitDeclarator y = 3
                      Declarator y
                      Literal 3
                    Error 3 3 3;
            error[ispc-syntax] m.isph:3 `;`: an expression is missing: `;` stands here
            error[ispc-syntax] main.ispc:2 `2`: a `;` is missing behind this declaration: `2` stands there instead
              m.isph:1 `BROKEN`: in an argument of the macro `BROKEN`
            error[ispc-syntax] main.ispc:3 `3`: a `;` is missing behind this declaration: `3` stands there instead
              m.isph:1 `BROKEN`: in an argument of the macro `BROKEN`
        "#]],
    );
}
