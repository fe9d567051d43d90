//! What types add to the answers about ISPC's files: members, overloads, expressions.

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use fastrand::Rng;
use ide::hints::HintOptions;
use ide::ispc::completion::completion;
use ide::ispc::definition::{Wanted, definition};
use ide::ispc::diagnostics::diagnostics;
use ide::ispc::hints::lane_hints;
use ide::ispc::hover::hover;
use ide::ispc::notes::lane_notes;
use ide::ispc::references::references;
use ide::ispc::rename::rename;
use ide::ispc::semantic_tokens::semantic_tokens;
use ide::ispc::signature_help::signature_help;
use queries::host::Host;
use report::{TextRange, TextSize, apply_edits};

use super::ispc::Program;

const RAYS: &str = "//- /w/a.ispc
struct Vec { float x, y; };
struct Ray { Vec origin; uniform int id; float t; };
struct Box { float t; uniform Ray * uniform first; };
Vec operator+(Vec a, Vec b) { Vec c = { a.x + b.x, a.y + b.y }; return c; }
float area(float w) { return w * w; }
float area(float w, float h) { return w * h; }
uniform float area(uniform float w, uniform float h) { return w * h; }
";

fn with_rays(body: &str) -> Program {
    Program::new(&format!("{RAYS}{body}"))
}

fn check_hover(body: &str, expected: Expect) {
    let program = with_rays(body);
    let found = hover(program.db(), program.file, program.offset);
    let told =
        found.map_or("nothing".to_owned(), |it| format!("{}\n{}", program.shown(program.file, it.range), it.text));
    expected.assert_eq(&(told + "\n"));
}

#[test]
fn a_hover_shows_the_overload_that_is_called_and_why_no_other_is() {
    check_hover(
        "void f(float a, uniform float b) { float c = ar$0ea(a, b); }",
        expect![[r#"
        /w/a.ispc:8 `area`
        ```ispc
        float area(float w, float h)
        ```

        Function; gives one value a lane, since neither `uniform` nor `varying` is written.

        Called here with `varying float`, `uniform float`; gives `varying float`.

        Of the others:
        - `uniform float area(uniform float w, uniform float h)`: `w` has one value for all lanes (`uniform float`), and each lane gives its own (`varying float`)
        - `varying float area(varying float w)`: takes 1 argument
    "#]],
    );
    check_hover(
        "void f(uniform float b) { uniform float c = ar$0ea(b, b); }",
        expect![[r#"
        /w/a.ispc:8 `area`
        ```ispc
        uniform float area(uniform float w, uniform float h)
        ```

        Function; gives one value for all lanes.

        Called here with `uniform float`, `uniform float`; gives `uniform float`.

        Of the others:
        - `varying float area(varying float w, varying float h)`: a `uniform float` would have to become a `varying float`, which counts for more than `uniform float`
        - `varying float area(varying float w)`: takes 1 argument
    "#]],
    );
    check_hover(
        "void f(Vec a, Vec b) { a = a $0+ b; }",
        expect![[r#"
            /w/a.ispc:8 `a + b`
            `a + b` is a `varying Vec`.

            In the lanes: a value of its own for each lane, since `a + b` gives one value a lane.

            Called here with `varying Vec`, `varying Vec`; gives `varying Vec`.
        "#]],
    );
}

#[test]
fn a_hover_shows_functions_of_the_library() {
    check_hover(
        "float f(float a) { return sq$0rt(a); }",
        expect![[r#"
        /w/a.ispc:8 `sqrt`
        ```ispc
        varying float sqrt(varying float x)
        ```

        The square root.

        Of the standard library.

        Called here with `varying float`; gives `varying float`.

        Of the others:
        - `varying double sqrt(varying double x)`: a `varying float` would have to become a `varying double`, which counts for more than `varying float`
        - `varying float16 sqrt(varying float16 x)`: a `varying float` would have to become a `varying float16`, which counts for more than `varying float`
        - `uniform double sqrt(uniform double x)`: `x` has one value for all lanes (`uniform double`), and each lane gives its own (`varying float`)
        - `uniform float sqrt(uniform float x)`: `x` has one value for all lanes (`uniform float`), and each lane gives its own (`varying float`)
        - `uniform float16 sqrt(uniform float16 x)`: `x` has one value for all lanes (`uniform float16`), and each lane gives its own (`varying float`)
        - and 2 more
    "#]],
    );
    check_hover(
        "float f(Unknown a) { return red$0uce_add(a); }",
        expect![[r#"
        /w/a.ispc:8 `reduce_add`
        ```ispc
        uniform int8 reduce_add(varying int8 v)
        ```

        The sum over all active lanes.

        Of the standard library.

        And 10 more overloads.
    "#]],
    );
}

#[test]
fn a_hover_shows_the_type_of_any_expression() {
    check_hover(
        "float f(uniform Ray * uniform r, int i) { return r$0->t + i; }",
        expect![[r#"
        /w/a.ispc:8 `r`
        ```ispc
        uniform Ray * uniform r
        ```

        Parameter; the pointer is uniform: all lanes have the same.

        `r` is a `uniform Ray * uniform`.
    "#]],
    );
    check_hover(
        "float f(Ray r) { return r.origin.$0x; }",
        expect![[r#"
            /w/a.ispc:8 `x`
            ```ispc
            float x
            ```

            Member of `Vec`, uniform or varying as its struct is.

            `r.origin.x` is a `varying float`.

            In the lanes: a value of its own for each lane, since `r.origin.x` is stored with a value for each lane.
        "#]],
    );
    check_hover(
        "float f(Box b, uniform int i) { return b.first->t $0* i; }",
        expect![[r#"
        /w/a.ispc:8 `b.first->t * i`
        `b.first->t * i` is a `uniform float`, copied to all lanes here.
    "#]],
    );
    check_hover(
        "float f(uniform float a[], int i) { return a$0[i]; }",
        expect![[r#"
        /w/a.ispc:8 `a`
        ```ispc
        uniform float a[]
        ```

        Parameter, uniform: one value for all lanes.

        `a` is a `uniform float * uniform`.
    "#]],
    );
    check_hover(
        "void f(float v) { uniform int n = 0; if (v > 0) { n $0= 1; } }",
        expect![[r#"
            /w/a.ispc:8 `n = 1`
            `n = 1` is a `uniform int`. It is set under the condition `v > 0`, which varies: all lanes see the new value if one lane gets here.

            Here run only lanes for which `v > 0` holds.
        "#]],
    );
}

fn check_definition(body: &str, expected: Expect) {
    let program = with_rays(body);
    let found = definition(program.db(), &program.files(), program.file, program.offset, Wanted::Definitions);
    let lines = found.iter().map(|it| program.shown(it.file, it.focus) + "\n");
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn definitions_are_those_of_the_struct_and_of_the_overload() {
    check_definition(
        "float f(Box b) { return b.t$0; }",
        expect![[r#"
        /w/a.ispc:3 `t`
    "#]],
    );
    check_definition(
        "float f(Box b) { return b.first->t$0; }",
        expect![[r#"
        /w/a.ispc:2 `t`
    "#]],
    );
    check_definition(
        "float f(uniform float w) { return are$0a(w, w); }",
        expect![[r#"
        /w/a.ispc:7 `area`
    "#]],
    );
    check_definition(
        "float f(float w) { return are$0a(w); }",
        expect![[r#"
        /w/a.ispc:5 `area`
    "#]],
    );
}

#[test]
fn references_and_other_names_of_members_are_those_of_one_struct() {
    let program = with_rays("void f(Ray r, Box b) { r.t$0 = b.t; b.first->t += r.t; }");
    let found = references(program.db(), &program.files(), program.file, program.offset);
    let lines: String = found.iter().map(|it| program.shown(it.site.file, it.site.range) + "\n").collect();
    expect![[r#"
        /w/a.ispc:2 `t`
        /w/a.ispc:8 `t`
        /w/a.ispc:8 `t`
        /w/a.ispc:8 `t`
    "#]]
    .assert_eq(&lines);
    let edits =
        rename(program.db(), &program.files(), program.file, program.offset, "far", &|_| true).expect("it can be");
    let after = apply_edits(&program.texts[0].1, &edits[0].1);
    expect!["void f(Ray r, Box b) { r.far = b.t; b.first->far += r.far; }"]
        .assert_eq(after.lines().last().unwrap_or_default());
    let taken = rename(program.db(), &program.files(), program.file, program.offset, "id", &|_| true);
    assert!(taken.is_err_and(|refusal| refusal.to_string().contains("`id` is taken")));
    let unknown = with_rays("void f(Ray r, Other o) { r.t$0 = o.t; }");
    let refused = rename(unknown.db(), &unknown.files(), unknown.file, unknown.offset, "far", &|_| true);
    assert!(refused.is_err_and(|refusal| refusal.to_string().contains("does not tell whose")));
}

fn check_members(body: &str, expected: Expect) {
    let program = with_rays(body);
    let found = completion(program.db(), program.file, program.offset);
    let lines: String =
        found.iter().map(|it| format!("{} {}\n", it.label, it.detail.as_deref().unwrap_or_default())).collect();
    expected.assert_eq(&lines);
}

#[test]
fn members_are_offered_by_type() {
    check_members(
        "void f(Box b) { b.$0 }",
        expect![[r#"
        t float t
        first uniform Ray * uniform first
    "#]],
    );
    check_members(
        "void f(Box b) { b.first->$0; }",
        expect![[r#"
        origin Vec origin
        id uniform int id
        t float t
    "#]],
    );
    check_members(
        "void f(Box b) { float a = b.first->origin.$0; }",
        expect![[r#"
        x float x
        y float y
    "#]],
    );
    check_members(
        "void f(float<3> v) { v.$0 }",
        expect![[r#"
        x varying float
        y varying float
        z varying float
    "#]],
    );
}

fn check_signatures(body: &str, expected: Expect) {
    let program = with_rays(body);
    let mut told = String::new();
    if let Some(found) = signature_help(program.db(), program.file, program.offset) {
        for (nth, signature) in found.signatures.iter().enumerate() {
            let mark = if nth == found.active { "* " } else { "  " };
            let parameter = signature.parameters.get(found.argument).map_or("none", |range| &signature.label[*range]);
            let _ = writeln!(told, "{mark}{} at {parameter}", signature.label);
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn signatures_are_all_overloads_first_the_one_that_fits() {
    check_signatures(
        "void f(float a) { area($0); }",
        expect![[r#"
        * uniform float area(uniform float w, uniform float h) at uniform float w
          varying float area(varying float w, varying float h) at varying float w
          varying float area(varying float w) at varying float w
    "#]],
    );
    check_signatures(
        "void f(float a) { area(a, $0",
        expect![[r#"
        * uniform float area(uniform float w, uniform float h) at uniform float h
          varying float area(varying float w, varying float h) at varying float h
          varying float area(varying float w) at none
    "#]],
    );
    check_signatures(
        "void f(uniform float a) { area(a, (a + a$0)); }",
        expect![[r#"
        * uniform float area(uniform float w, uniform float h) at uniform float h
          varying float area(varying float w, varying float h) at varying float h
          varying float area(varying float w) at none
    "#]],
    );
    check_signatures("void f(uniform float a) { area(a, a)$0; }", expect![[r#""#]]);
    check_signatures(
        "void f(float a) { sqrt(a$0); }",
        expect![[r#"
          varying T<N> sqrt(varying T<N> a) at varying T<N> a
          uniform T<N> sqrt(uniform T<N> a) at uniform T<N> a
          varying double sqrt(varying double x) at varying double x
          uniform double sqrt(uniform double x) at uniform double x
        * varying float sqrt(varying float x) at varying float x
          uniform float sqrt(uniform float x) at uniform float x
          varying float16 sqrt(varying float16 x) at varying float16 x
          uniform float16 sqrt(uniform float16 x) at uniform float16 x
    "#]],
    );
}

#[test]
fn colours_tell_the_lanes_of_members_and_of_loops() {
    let program = with_rays("void f(Ray r, uniform Ray u) { foreach (i = 0 ... 4) { r.t = u.t + i + sqrt(u.id); } }");
    let mut out = String::new();
    for it in semantic_tokens(program.db(), program.file, None) {
        let is_last = program.shown(program.file, it.range).contains(":9 ");
        if is_last && (it.modifiers.uniform || it.modifiers.varying) {
            let word = if it.modifiers.uniform { "uniform" } else { "varying" };
            let _ = writeln!(out, "{} {:?} {word}", program.shown(program.file, it.range), it.kind);
        }
    }
    expect![[r#""#]].assert_eq(&out);
}

/// All answers about a file, told.
fn answers(host: &mut Host, path: &str) -> String {
    let snapshot = host.snapshot();
    let file = snapshot.ispc_file(path).expect("it is there");
    let db = snapshot.db();
    let mut told = String::new();
    for it in diagnostics(db, file) {
        let _ = writeln!(
            told,
            "{:?} {} {:?}",
            it.range,
            it.message,
            it.related.iter().map(|(_, note)| note).collect::<Vec<_>>()
        );
    }
    for it in semantic_tokens(db, file, None) {
        let _ = writeln!(told, "{:?} {:?} {:?}", it.range, it.kind, it.modifiers);
    }
    let length = file.text(db).len() as u32;
    let all = TextRange::up_to(TextSize::new(length));
    let _ = writeln!(told, "{:?}", lane_hints(db, file, all, &HintOptions::default()));
    for it in lane_notes(db, file, None) {
        let _ = writeln!(told, "{:?} {} {} {:?}", it.range, it.code, it.message, it.fixes);
    }
    for at in (0..length).step_by(37) {
        let at = TextSize::new(at);
        let _ = writeln!(told, "{:?}", hover(db, file, at));
        let _ = writeln!(told, "{:?}", signature_help(db, file, at));
    }
    told
}

#[test]
fn answers_after_random_edits_are_those_of_a_fresh_database() {
    const WORDS: &[&str] = &[
        "uniform ",
        "float ",
        "x",
        "r.t",
        "area(1, x)",
        "; ",
        "{ ",
        "} ",
        " + ",
        "(",
        ")",
        "int q = 1; ",
        "struct S { int a; }; ",
    ];
    let header = "struct H { float a; uniform int b; };\ninline float twice(H h) { return h.a * h.b; }\n";
    let first = format!(
        "#include \"h.isph\"\n{}float g(H h, Ray r) {{ return twice(h) + area(r.t) + r.id; }}\n",
        RAYS.split_once('\n').expect("a line").1
    );
    let mut rng = Rng::with_seed(3);
    let mut host = Host::default();
    host.share_ispc_text("/w/h.isph", Some(Arc::from(header)));
    let mut text = first;
    for _ in 0..60 {
        let at = rng.usize(..=text.len());
        if text.is_char_boundary(at) {
            match rng.bool() {
                true => text.insert_str(at, WORDS[rng.usize(..WORDS.len())]),
                false => _ = text.drain(at..(at + rng.usize(..6)).min(text.len())),
            }
        }
        host.share_ispc_text("/w/a.ispc", Some(Arc::from(&*text)));
        let mut fresh = Host::default();
        fresh.share_ispc_text("/w/h.isph", Some(Arc::from(header)));
        fresh.share_ispc_text("/w/a.ispc", Some(Arc::from(&*text)));
        assert_eq!(answers(&mut host, "/w/a.ispc"), answers(&mut fresh, "/w/a.ispc"), "{text}");
    }
}
