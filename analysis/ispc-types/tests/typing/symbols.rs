//! The names by which functions of several files are linked.

use expect_test::expect;
use ispc::names::DeclKind;
use ispc_types::symbols::symbol;
use ispc_types::unit;

use crate::read;

/// The symbols of the functions of a text, one a line.
fn symbols(text: &str) -> String {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let types = unit::declarations(&unit, None);
    let decls = unit.names.decls.iter().enumerate().filter(|(_, decl)| decl.kind == DeclKind::Function);
    let entities = decls.filter_map(|(nth, _)| types.entity(nth as u32));
    entities.map(|entity| symbol(&types.layer, entity).unwrap_or("none".to_owned()) + "\n").collect()
}

#[test]
fn symbols_spell_the_types_that_a_function_takes() {
    let text = "struct Light { float x; uniform Light * uniform next; };
        enum Mode { A, B };
        typedef unsigned int8 Byte;
        typedef float (*Choice)(float, uniform int);
        void none();
        float shade(float x);
        float shade(uniform float x);
        void at(const uniform Light * uniform p, Light l, uniform Light &r, Light * varying each, const Byte c);
        void all(uniform float a[], uniform int m[][4], float<3> v, uniform double<2> u, Mode mode, bool b);
        void groups(soa<8> Light * uniform s, void * uniform p, const void * uniform q);
        void by(uniform Choice f, uint64 n, float16 h);
        Light operator+(Light a, Light b);
        template <typename T> T twice(T x);";
    expect![[r#"
        none.void
        shade.v_float
        shade.u_float
        at.u_p_u_const_5Light.v_5Light.r_u_5Light.v_p_u_5Light.v_uint8
        all.u_p_u_float.u_p_a4_u_int.x3_v_float.x2_u_double.v_4Mode.v_bool
        groups.u_p_s8_5Light.u_p_void.u_p_const_void
        by.u_p_f2_v_float_v_float_u_int.v_uint64.v_float16
        operator$2b.v_5Light.v_5Light
        none
    "#]]
    .assert_eq(&symbols(text));
}

#[test]
fn a_declaration_has_the_symbol_of_its_definition() {
    let pairs = [
        ("void f(uniform float a[], float x);", "void f(uniform float * uniform a, varying float y) { }"),
        ("void f(const uniform int n);", "void f(uniform int n) { }"),
        ("typedef uniform int Number; float f(Number n);", "float f(uniform int n) { return 0; }"),
        ("struct S { float x; }; void f(S s);", "struct S { float x; }; void f(varying S s) { }"),
    ];
    for (declared, defined) in pairs {
        assert_eq!(symbols(declared), symbols(defined), "{declared}");
    }
    let others = [
        ("void f(const uniform float * uniform p);", "void f(uniform float * uniform p);"),
        ("void f(float x, float y);", "void f(float<2> x);"),
        ("struct a_b { int x; }; void f(uniform a_b x);", "struct b { int x; }; void f(uniform b x);"),
        ("void f(void (*g)(int), int x);", "void f(void (*g)(int, int));"),
    ];
    for (one, other) in others {
        assert_ne!(symbols(one), symbols(other), "{one}");
    }
}
