//! What facts about lanes add to the answers about ISPC's files: hints, hovers, notes, fixes.

use expect_test::{Expect, expect};
use ide::hints::HintOptions;
use ide::ispc::hints::lane_hints;
use ide::ispc::hover::hover;
use ide::ispc::notes::{coherent_form, fixes, lane_notes, other_forms};
use queries::host::Host;
use report::{TextRange, TextSize, apply_edits};
use std::sync::Arc;

use super::ispc::Program;

const PICK: &str = "//- /w/a.ispc
struct Ray { float x, y; };
void pick(uniform float a[], uniform int index[], uniform Ray rays[], uniform int n, int v) {
    int rounds = n * 2;
    foreach (i = 0 ... n) {
        int k = index[i];
        a[i] = a[k] + rays[i].y / 2;
        if (v > 3) { a[i] = i / 4; }
        for (int m = 0; m < v; m++) { a[i] += rounds; }
    }
}
";

#[test]
fn hints_stand_behind_accesses_whose_cells_lie_apart() {
    let program = Program::new(PICK);
    let text = program.file.text(program.db()).clone();
    let mut shown = text.to_string();
    let all = TextRange::up_to(TextSize::of(&*text));
    let hints = lane_hints(program.db(), program.file, all, &HintOptions::default());
    for hint in hints.iter().rev() {
        shown.insert_str(hint.offset.into(), &format!("«{}»", hint.text.trim()));
        assert!(!hint.tooltip.is_empty());
    }
    expect![[r#"
        struct Ray { float x, y; };
        void pick(uniform float a[], uniform int index[], uniform Ray rays[], uniform int n, int v) {
            int rounds«could be uniform» = n * 2;
            foreach (i = 0 ... n) {
                int k = index[i];
                a[i] = a[k]«gather» + rays[i].y«strided by 2» / 2;
                if (v > 3) { a[i] = i / 4; }
                for (int m«could be uniform» = 0; m < v«lanes leave one by one»; m++) { a[i] += rounds; }
            }
        }
    "#]]
    .assert_eq(&shown);
    // Of a range only what is in it is told, and of a kind that is off nothing.
    let line = TextRange::new(
        TextSize::of(&text[..text.find("int k").unwrap()]),
        TextSize::of(&text[..text.find("a[k]").unwrap()]) + TextSize::new(4),
    );
    let few = lane_hints(program.db(), program.file, line, &HintOptions::default());
    assert_eq!(few.iter().map(|hint| &*hint.text).collect::<Vec<_>>(), [" gather"]);
    let none = HintOptions { accesses: false, varying: false, loops: false, ..HintOptions::ALL };
    assert!(lane_hints(program.db(), program.file, all, &none).is_empty());
}

fn check_hover(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let found = hover(program.db(), program.file, program.offset);
    let told =
        found.map_or("nothing".to_owned(), |it| format!("{}\n{}", program.shown(program.file, it.range), it.text));
    expected.assert_eq(&(told + "\n"));
}

#[test]
fn hovers_tell_the_lanes_of_expressions_accesses_and_conditions() {
    for (at, expected) in [
        (
            "a$0[k]",
            expect![[r#"
            /w/a.ispc:6 `a`
            ```ispc
            uniform float a[]
            ```

            Parameter, uniform: one value for all lanes.

            `a` is a `uniform float * uniform`.

            Here run all lanes, and in the last group those that have an element.
        "#]],
        ),
        (
            "rays[i].$0y",
            expect![[r#"
            /w/a.ispc:6 `y`
            ```ispc
            float y
            ```

            Member of `Ray`, uniform or varying as its struct is.

            `rays[i].y` is a `varying float`.

            In the lanes: a value of its own for each lane, since `rays[i].y` is loaded from another cell in each lane, and the lanes run along `i`.

            In memory, strided by 2: `rays[i].y`: the lanes load from cells that lie a struct apart: `Ray` has 8 bytes, since the lanes run along `i`.

            Here run all lanes, and in the last group those that have an element.
        "#]],
        ),
        (
            "v $0> 3",
            expect![[r#"
            /w/a.ispc:7 `v > 3`
            `v > 3` is a `varying bool`.

            In the lanes: a value of its own for each lane, since `foreach` turns on lanes that did not run where the value was set.

            Lanes may go different ways here: each way is run under a mask, by those that go it.

            Here run all lanes, and in the last group those that have an element.
        "#]],
        ),
        (
            "i $0/ 4",
            expect![[r#"
            /w/a.ispc:7 `i / 4`
            `i / 4` is a `const varying int`.

            In the lanes: a value of its own for each lane, since `i / 4` is no row any more, and the lanes run along `i`.

            Here run only lanes for which `v > 3` holds; of these all lanes, and in the last group those that have an element.
        "#]],
        ),
        (
            "int rou$0nds",
            expect![[r#"
            /w/a.ispc:3 `rounds`
            ```ispc
            int rounds
            ```

            Variable, varying, since neither `uniform` nor `varying` is written.

            Could be `uniform`: `rounds` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do; declare it `uniform`.
        "#]],
        ),
        (
            "+= rou$0nds",
            expect![[r#"
            /w/a.ispc:8 `rounds`
            ```ispc
            int rounds
            ```

            Variable, varying, since neither `uniform` nor `varying` is written.

            `rounds` is a `varying int`.

            In the lanes: one value for all lanes that run.

            Here run only lanes that have not left the loop over `m < v` yet; of these all lanes, and in the last group those that have an element.

            Could be `uniform`: `rounds` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do; declare it `uniform`.
        "#]],
        ),
    ] {
        check_hover(&PICK.replacen(&at.replace("$0", ""), at, 1), expected);
    }
}

#[test]
fn notes_have_fixes_that_leave_nothing_wrong() {
    let program = Program::new(PICK);
    let (db, file) = (program.db(), program.file);
    let text = file.text(db).clone();
    let mut told = String::new();
    for note in lane_notes(db, file, None) {
        told += &format!("{} [{}]\n", program.shown(file, note.range), note.code);
    }
    let all = TextRange::up_to(TextSize::of(&*text));
    for note in fixes(db, file, all) {
        for fix in &note.fixes {
            let new = apply_edits(&text, &fix.edits);
            let lines = new.lines().filter(|line| !text.lines().any(|old| old == *line));
            told += &format!("{}:\n{}\n", fix.title, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    expect![[r#"
        /w/a.ispc:3 `rounds` [ispc-perf-uniform]
        /w/a.ispc:6 `a[k]` [ispc-perf-gather]
        /w/a.ispc:6 `rays[i].y` [ispc-perf-strided]
        /w/a.ispc:7 `i / 4` [ispc-perf-division]
        /w/a.ispc:8 `m` [ispc-perf-uniform]
        declare `rounds` `uniform`:
            uniform int rounds = n * 2;
        write `>> 2` for a division:
                if (v > 3) { a[i] = i >> 2; }
        declare `m` `uniform`:
                for (uniform int m = 0; m < v; m++) { a[i] += rounds; }
    "#]]
    .assert_eq(&told);
}

#[test]
fn an_edit_in_one_function_finds_the_facts_of_that_one_again() {
    let ran = Arc::new(std::sync::Mutex::new(0));
    let heard = ran.clone();
    let mut host = Host::with_listener(Box::new(move |event: salsa::Event| {
        if let salsa::EventKind::WillExecute { database_key } = event.kind
            && format!("{database_key:?}").starts_with("body_facts")
        {
            *heard.lock().expect("no panic") += 1;
        }
    }));
    let first = "void f(uniform float a[], int i) { a[i] = 1; }\nvoid g(uniform float a[], int i) { a[i] = 2; }\n";
    let mut count = |text: &str| {
        host.share_ispc_text("/w/a.ispc", Some(Arc::from(text)));
        let snapshot = host.snapshot();
        let file = snapshot.ispc_file("/w/a.ispc").expect("it is there");
        assert!(!lane_notes(snapshot.db(), file, None).is_empty());
        std::mem::take(&mut *ran.lock().expect("no panic"))
    };
    assert_eq!(count(first), 2);
    assert_eq!(count(&first.replace("= 2", "= 3")), 1);
    assert_eq!(count(&first.replace("= 2", "=   3")), 0);
    assert_eq!(count(&format!("// a comment\n\n{}", first.replace("= 2", "= 3"))), 0);
}

#[test]
fn a_statement_at_which_lanes_part_has_a_coherent_form() {
    let of = |marked: &str| {
        let program = Program::new(&format!("//- /w/a.ispc\n{marked}"));
        let at = TextRange::empty(program.offset);
        coherent_form(program.db(), program.file, at).map(|fix| fix.title)
    };
    assert_eq!(of("void f(int v) { i$0f (v > 1) v = 2; }").as_deref(), Some("write `cif`"));
    assert_eq!(of("void f(int v) { for$0 (int i = 0; i < v; i++) ; }").as_deref(), Some("write `cfor`"));
    assert_eq!(of("void f(uniform int v) { i$0f (v > 1) v = 2; }"), None);
    assert_eq!(of("void f(int v) { c$0if (v > 1) v = 2; }"), None);
}

#[test]
fn a_loop_over_the_lanes_numbers_has_a_foreach() {
    let of = |marked: &str| {
        let program = Program::new(&format!("//- /w/a.ispc\n{marked}"));
        let at = TextRange::empty(program.offset);
        let text = program.file.text(program.db()).clone();
        let forms = other_forms(program.db(), program.file, at);
        let shown =
            |fix: &ide::ispc::notes::LaneFix| format!("{}: {}", fix.title, apply_edits(&text, &fix.edits).trim());
        forms.iter().map(shown).collect::<Vec<_>>()
    };
    const LOOP: &str = "export void f(uniform float a[], uniform int n) { f$0or (int i = programIndex; i < n; i += programCount) a[i] = 1; }";
    let cfor = LOOP.replace("f$0or", "cfor");
    let foreach = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = 1; }";
    assert_eq!(of(LOOP), [format!("write `cfor`: {cfor}"), format!("write `foreach`: {foreach}")]);
    // Where ISPC calls it some lanes may be off, and tasks are launched with all on.
    let called = format!("{LOOP} void g(uniform float a[], int x) {{ if (x > 1) {{ f(a, 3); }} }}");
    assert_eq!(of(&called).len(), 1);
    let task = LOOP.replace("export", "task") + " void g(uniform float a[]) { launch[2] f(a, 3); }";
    assert_eq!(of(&task).len(), 2);
    // What a macro brings stays, and what would be wrong then is not offered.
    assert_eq!(of(&format!("#define STEP i += programCount\n{}", LOOP.replace("i += programCount", "STEP"))).len(), 1);
    assert_eq!(of(&format!("#define COUNT n\n{}", LOOP.replace("i < n", "i < COUNT"))).len(), 2);
    assert_eq!(of(&LOOP.replace("a[i] = 1;", "{ a[i] = 1; if (a[i] > 2) break; }")).len(), 1);
}

#[test]
fn functions_in_front_of_an_include_have_what_others_have() {
    let body = "(uniform float a[], uniform int k[], uniform int m) { int rounds = m * 2; foreach (i = 0 ... m) { a[k[i]] = rounds; } }";
    let header = "inline void third(uniform float a[], uniform int k[], int i) { a[k[i]] = wrong; }";
    let program = Program::new(&format!(
        "//- /w/a.ispc\nvoid first{body}\n#include \"h.isph\"\nvoid second{body}\n//- /w/h.isph\n{header}\n"
    ));
    let (db, file) = (program.db(), program.file);
    let text = file.text(db).clone();
    let all = TextRange::up_to(TextSize::of(&*text));
    let mut told = String::new();
    for note in lane_notes(db, file, None) {
        told += &format!("{} [{}]\n", program.shown(file, note.range), note.code);
    }
    for hint in lane_hints(db, file, all, &HintOptions::default()) {
        told += &format!("{}{}\n", text[..hint.offset.into()].lines().count(), hint.text);
    }
    for note in fixes(db, file, all) {
        for fix in &note.fixes {
            let new = apply_edits(&text, &fix.edits);
            let lines = new.lines().filter(|line| !text.lines().any(|old| old == *line));
            told += &format!("{}:\n{}\n", fix.title, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    expect![[r#"
        /w/a.ispc:1 `rounds` [ispc-perf-uniform]
        /w/a.ispc:1 `a[k[i]]` [ispc-perf-scatter]
        /w/a.ispc:3 `rounds` [ispc-perf-uniform]
        /w/a.ispc:3 `a[k[i]]` [ispc-perf-scatter]
        1 could be uniform
        1 scatter
        3 could be uniform
        3 scatter
        declare `rounds` `uniform`:
        void first(uniform float a[], uniform int k[], uniform int m) { uniform int rounds = m * 2; foreach (i = 0 ... m) { a[k[i]] = rounds; } }
        declare `rounds` `uniform`:
        void second(uniform float a[], uniform int k[], uniform int m) { uniform int rounds = m * 2; foreach (i = 0 ... m) { a[k[i]] = rounds; } }
    "#]].assert_eq(&told);
}
