//! Scopes: which name stands for which declaration, and which macro.

use expect_test::{Expect, expect};

use super::{read, shown};

/// Lists the uses of names with their declarations, and the uses of macros.
fn check(text: &str, expected: Expect) {
    let unit = read(text);
    let place = |token: u32| shown(&unit, unit.place(&unit.tokens[token as usize]));
    let mut found = String::new();
    for it in &unit.names.uses {
        let decl = &unit.names.decls[it.decl as usize];
        found += &format!("{} is {} {}\n", place(it.token), decl.kind.word(), place(decl.token));
    }
    for it in &unit.macro_uses {
        let definition = &unit.macros[it.of as usize];
        let (first, end) =
            unit.expansions.get((it.expansion as usize).wrapping_sub(1)).map_or((0, 0), |expansion| expansion.tokens);
        let becomes = unit.text_of(first..end);
        found += &format!("{} is macro {}: {becomes}\n", shown(&unit, it.place), shown(&unit, definition.name_place));
    }
    let unresolved: Vec<_> = unit.names.unresolved.iter().map(|token| place(*token)).collect();
    found += &format!("unresolved: {}\n", unresolved.join(", "));
    expected.assert_eq(&found);
}

#[test]
fn scopes_hide_and_end() {
    check(
        "int a;\nvoid f(int a) {\n  a;\n  {\n    float a;\n    a;\n  }\n  for (int a = 0; a < 1; ++a) a;\n  a;\n}\nint g = a;",
        expect![[r#"
            main.ispc:3 `a` is parameter main.ispc:2 `a`
            main.ispc:6 `a` is variable main.ispc:5 `a`
            main.ispc:8 `a` is variable main.ispc:8 `a`
            main.ispc:8 `a` is variable main.ispc:8 `a`
            main.ispc:8 `a` is variable main.ispc:8 `a`
            main.ispc:9 `a` is parameter main.ispc:2 `a`
            main.ispc:11 `a` is global variable main.ispc:1 `a`
            unresolved: 
        "#]],
    );
}

#[test]
fn types_labels_and_the_library() {
    check(
        "enum E { ONE };\nstruct S { E e; };\ntypedef S T;\nT f(T t) { goto out; sqrt(ONE); f(t);\nout: return (T)t; }\n\
         template <typename X> X id(X x) { return x; }",
        expect![[r#"
            main.ispc:2 `E` is enumeration main.ispc:1 `E`
            main.ispc:3 `S` is struct main.ispc:2 `S`
            main.ispc:4 `T` is type main.ispc:3 `T`
            main.ispc:4 `T` is type main.ispc:3 `T`
            main.ispc:4 `out` is label main.ispc:5 `out`
            main.ispc:4 `ONE` is value of an enumeration main.ispc:1 `ONE`
            main.ispc:4 `f` is function main.ispc:4 `f`
            main.ispc:4 `t` is parameter main.ispc:4 `t`
            main.ispc:5 `T` is type main.ispc:3 `T`
            main.ispc:5 `t` is parameter main.ispc:4 `t`
            main.ispc:6 `X` is parameter of a template main.ispc:6 `X`
            main.ispc:6 `X` is parameter of a template main.ispc:6 `X`
            main.ispc:6 `x` is parameter main.ispc:6 `x`
            unresolved: main.ispc:4 `sqrt`
        "#]],
    );
}

#[test]
fn macros_are_names_too() {
    check(
        "#define ADD(a, b) ((a) + (b))\n#define INC(a) ADD(a, 1)\nint v;\nint w = INC(v);\n#ifdef INC\n#undef INC\n#endif",
        expect![[r#"
            main.ispc:4 `v` is global variable main.ispc:3 `v`
            main.ispc:4 `INC` is macro main.ispc:2 `INC`: ((v) + (1))
            main.ispc:5 `INC` is macro main.ispc:2 `INC`: 
            main.ispc:6 `INC` is macro main.ispc:2 `INC`: 
            unresolved: 
        "#]],
    );
}
