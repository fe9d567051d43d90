//! The call hierarchy of ISPC's functions, the search for names, and the format, over several files.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use ide::ispc::calls::{IspcCall, callable, callees, callers};
use ide::ispc::formatting;
use ide::ispc::views::viewed_functions;
use ide::ispc::workspace::search;
use report::apply_edits;

use super::ispc::Program;

fn check(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let (db, files) = (program.db(), program.files());
    let mut out = String::new();
    let Some(item) = callable(db, &files, program.file, program.offset) else {
        expected.assert_eq("nothing is called\n");
        return;
    };
    let shown = |call: &IspcCall| {
        let places: Vec<String> = call.places.iter().map(|place| program.shown(call.item.file, *place)).collect();
        format!("{} ({})", program.shown(call.item.file, call.item.focus), places.join(", "))
    };
    let _ = writeln!(out, "{}: {}", program.shown(item.file, item.focus), item.detail);
    for call in callers(db, &files, item.file, item.focus.start(), &item.name) {
        let _ = writeln!(out, "from {}", shown(&call));
    }
    for call in callees(db, &files, item.file, item.focus.start(), &item.name) {
        let places: Vec<String> = call.places.iter().map(|place| program.shown(item.file, *place)).collect();
        let _ = writeln!(out, "to {} ({})", program.shown(call.item.file, call.item.focus), places.join(", "));
    }
    expected.assert_eq(&out);
}

const SHARED: &str = "//- /w/vec.isph
struct Vec { float x; };
inline float dot(const Vec &a, const Vec &b) { return a.x * b.x; }
inline float dot(float a, float b) { return a * b; }
float norm(const Vec &a);
#define NORM(a) norm(a)
inline Vec operator+(const Vec &a, const Vec &b) { Vec c; c.x = dot(a.x, b.x); return c; }
//- /w/norm.ispc
#include \"vec.isph\"
float norm(const Vec &a) { return sqrt(dot(a, a)); }
//- /w/b.ispc
#include \"vec.isph\"
float unit(Vec v) { Vec w = v + v; return NORM(w) + norm(v); }
export void entry(uniform float out[]) { Vec v; v.x = programIndex; out[programIndex] = unit(v) + dot(v, v); }
task void work() { launch[1] work(); }
";

fn at(place: &str) -> String {
    let marked = SHARED.replacen(place, &format!("$0{place}"), 1);
    assert_ne!(marked, SHARED);
    marked
}

#[test]
fn callers_are_in_all_units_that_include_the_header() {
    for place in ["norm(const Vec &a);", "norm(v)"] {
        check(
            &at(place),
            expect![[r#"
            /w/norm.ispc:2 `norm`: float norm(const Vec &a)
            from /w/b.ispc:2 `unit` (/w/b.ispc:2 `NORM(w)`, /w/b.ispc:2 `norm`)
            to /w/vec.isph:2 `dot` (/w/norm.ispc:2 `dot`)
        "#]],
        );
    }
}

#[test]
fn overloads_are_apart() {
    check(
        &at("dot(const"),
        expect![[r#"
        /w/vec.isph:2 `dot`: inline float dot(const Vec &a, const Vec &b)
        from /w/b.ispc:3 `entry` (/w/b.ispc:3 `dot`)
        from /w/norm.ispc:2 `norm` (/w/norm.ispc:2 `dot`)
    "#]],
    );
    check(
        &at("dot(float"),
        expect![[r#"
        /w/vec.isph:3 `dot`: inline float dot(float a, float b)
        from /w/vec.isph:6 `operator` (/w/vec.isph:6 `dot`)
    "#]],
    );
}

#[test]
fn operators_tasks_and_functions_that_nobody_calls() {
    check(
        &at("operator+"),
        expect![[r#"
        /w/vec.isph:6 `operator`: inline Vec operator+(const Vec &a, const Vec &b)
        from /w/b.ispc:2 `unit` (/w/b.ispc:2 `+`)
        to /w/vec.isph:3 `dot` (/w/vec.isph:6 `dot`)
    "#]],
    );
    check(
        &at("work()"),
        expect![[r#"
        /w/b.ispc:4 `work`: task void work()
        from /w/b.ispc:4 `work` (/w/b.ispc:4 `work`)
        to /w/b.ispc:4 `work` (/w/b.ispc:4 `work`)
    "#]],
    );
    check(
        &at("entry"),
        expect![[r#"
        /w/b.ispc:3 `entry`: export void entry(uniform float out[])
        to /w/b.ispc:2 `unit` (/w/b.ispc:3 `unit`)
        to /w/vec.isph:2 `dot` (/w/b.ispc:3 `dot`)
    "#]],
    );
    check(&at("Vec &a, const Vec &b) { return a.x"), expect![["nothing is called\n"]]);
}

#[test]
fn names_are_found_in_all_files() {
    let program = Program::new(SHARED);
    let all = queries::ispc::known_files(program.db());
    let found = |query: &str| {
        let found = search(program.db(), all.iter().copied(), query).into_iter();
        let line = |(_, it): (i32, ide::ispc::workspace::FoundName)| {
            format!("{:?} {}", it.kind, program.shown(it.file, it.focus))
        };
        found.map(line).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        Function /w/norm.ispc:2 `norm`
        Function /w/vec.isph:4 `norm`
        Macro /w/vec.isph:5 `NORM`"#]]
    .assert_eq(&found("no"));
    assert_eq!(found("").lines().count(), 9);
}

#[test]
fn the_format_changes_no_fact() {
    let text = "//- /w/a.ispc\n#define LOAD(a,i)  a[ i ]\nvoid f(uniform float a[],uniform int n) {\n    foreach (i = 0 ... n) {\n      a[i] = LOAD(a,i*2)+a[3*i];\n        a[n] = 1;  \n        if(a[i]>1) a[i]=n;\n    }\n}\n";
    let program = Program::new(text);
    let edits = formatting::document(program.db(), program.file);
    let formatted = apply_edits(program.file.text(program.db()), &edits);
    assert_ne!(formatted, **program.file.text(program.db()));
    let other = Program::new(&format!("//- /w/a.ispc\n{formatted}"));
    let facts = |program: &Program| {
        let functions = queries::ispc::typing::own_functions(program.db(), program.file);
        let facts = functions.iter().map(|it| queries::ispc::facts::facts_of(program.db(), program.file, it));
        facts.map(|found| found.map(|(facts, _)| (**facts).clone())).collect::<Vec<_>>()
    };
    assert_eq!(facts(&program), facts(&other));
}

#[test]
fn views_name_overloads_by_the_types_that_they_take() {
    let program = Program::new(
        "//- /w/a.ispc\n#include \"b.isph\"\nfloat f(float x) { return x; }\nvoid f(uniform int n) { }\nvoid g() { }\nfloat h(int x) { return x; }\n//- /w/b.isph\nfloat h(float x);\nvoid g();\n",
    );
    let names = viewed_functions(program.db(), program.file).into_iter().map(|function| function.name);
    let names: Vec<String> = names.collect();
    assert_eq!(names, ["f(varying float)", "f(uniform int)", "g", "h(varying int)"]);
}
