//! Answers about ISPC's files. Programs are a few files, each behind a line `//- path`; `$0` is the cursor.

use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};
use ide::ispc::completion::completion;
use ide::ispc::definition::{Wanted, definition};
use ide::ispc::diagnostics::diagnostics;
use ide::ispc::folding::folding;
use ide::ispc::hover::hover;
use ide::ispc::outline::{Entry, outline};
use ide::ispc::references::{highlights, references};
use ide::ispc::rename::{prepare_rename, rename};
use ide::ispc::semantic_tokens::semantic_tokens;
use queries::db::{Database, File};
use queries::host::{Host, Snapshot};
use report::{TextRange, TextSize, apply_edits};

/// The folder of the files that belong to nobody who could change them.
const OUTSIDE: &str = "/usr";

pub(super) struct Program {
    snapshot: Snapshot,
    pub(super) file: File,
    pub(super) offset: TextSize,
    pub(super) texts: Vec<(String, String)>,
}

impl Program {
    pub(super) fn new(marked: &str) -> Program {
        let mut host = Host::default();
        let mut asked: Option<(String, TextSize)> = None;
        let mut texts = Vec::new();
        for part in marked.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').expect("a path and a text");
            let text = match text.split_once("$0") {
                Some((before, behind)) => {
                    asked = Some((path.to_owned(), TextSize::of(before)));
                    format!("{before}{behind}")
                }
                None => text.to_owned(),
            };
            host.share_ispc_text(path, Some(Arc::from(&*text)));
            texts.push((path.to_owned(), text));
        }
        let (path, offset) = asked.unwrap_or((texts[0].0.clone(), TextSize::new(0)));
        let snapshot = host.snapshot();
        let file = snapshot.ispc_file(&path).expect("it is there");
        Program { snapshot, file, offset, texts }
    }

    pub(super) fn db(&self) -> &Database {
        self.snapshot.db()
    }

    /// All files with the ending of those that are compiled.
    pub(super) fn files(&self) -> Vec<File> {
        let all = queries::ispc::known_files(self.db()).into_iter();
        all.filter(|file| file.name(self.db()).ends_with(".ispc")).collect()
    }

    pub(super) fn shown(&self, file: File, range: TextRange) -> String {
        let text = file.text(self.db());
        let line = text[..usize::from(range.start())].matches('\n').count() + 1;
        format!("{}:{line} `{}`", file.name(self.db()), &text[range])
    }
}

fn check_definition(marked: &str, wanted: Wanted, expected: Expect) {
    let program = Program::new(marked);
    let found = definition(program.db(), &program.files(), program.file, program.offset, wanted);
    let lines = found
        .iter()
        .map(|it| format!("{} in {}\n", program.shown(it.file, it.focus), program.shown(it.file, it.range)));
    expected.assert_eq(&lines.collect::<String>());
}

fn check_references(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let found = references(program.db(), &program.files(), program.file, program.offset);
    let mut out = String::new();
    for it in found {
        let declares = if it.declares { " declares" } else { "" };
        let _ = writeln!(out, "{}{declares}", program.shown(it.site.file, it.site.range));
    }
    let _ = writeln!(out, "marked here: {}", highlights(program.db(), program.file, program.offset).len());
    expected.assert_eq(&out);
}

fn check_rename(marked: &str, new_name: &str, expected: Expect) {
    let program = Program::new(marked);
    let db = program.db();
    let may_change = |file: File| !file.name(db).starts_with(OUTSIDE);
    let out = match rename(db, &program.files(), program.file, program.offset, new_name, &may_change) {
        Err(refusal) => format!("refused: {refusal}\n"),
        Ok(edits) => {
            prepare_rename(db, program.file, program.offset).expect("it can be renamed");
            let changed = edits.iter().map(|(file, edits)| {
                let changed = apply_edits(file.text(db), edits);
                format!("//- {}\n{changed}", file.name(db))
            });
            changed.collect()
        }
    };
    expected.assert_eq(&out);
}

fn check_hover(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let found = hover(program.db(), program.file, program.offset);
    let shown = found.map(|it| format!("{}\n{}\n", program.shown(program.file, it.range), it.text));
    expected.assert_eq(&shown.unwrap_or_default());
}

/// Lists the completions but keywords and what every program has.
fn check_completion(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let empty = Program::new("//- /w/empty.ispc\n$0");
    let common: Vec<_> = completion(empty.db(), empty.file, empty.offset).into_iter().map(|it| it.label).collect();
    let mut out = String::new();
    for it in completion(program.db(), program.file, program.offset) {
        if !common.contains(&it.label) {
            let _ = writeln!(out, "{:?} {}: {}", it.kind, it.label, it.detail.unwrap_or_default());
        }
    }
    expected.assert_eq(&out);
}

fn check_diagnostics(marked: &str, expected: Expect) {
    let program = Program::new(marked);
    let mut out = String::new();
    for it in diagnostics(program.db(), program.file) {
        let _ = writeln!(out, "{} {}: {}", it.code, program.shown(program.file, it.range), it.message);
        for (site, note) in it.related {
            let _ = writeln!(out, "    {} {note}", program.shown(site.file, site.range));
        }
    }
    expected.assert_eq(&out);
}

const VECTORS: &str = "\
//- /w/vec.isph
#pragma once
/// A point of
/// three numbers.
struct Vec {
    float x, y; // its plane
    uniform int tag;
};
enum Axis { ALONG_X, ALONG_Y = 3 };
typedef uniform float<3> Triple;
#define SQUARE(a) ((a) * (a))
/* The length of a vector. */
float length(const Vec &v);
float length(const uniform Vec &v, uniform float scale);
";

fn with_vectors(rest: &str) -> String {
    format!("{VECTORS}{rest}")
}

#[test]
fn names_lead_to_their_definitions() {
    let program = "//- /w/a.ispc\n#include \"vec.isph\"\nfloat twice(float x) { return 2 * len$0gth(v); }\n";
    // Overloads are not told apart yet.
    check_definition(
        &with_vectors(program),
        Wanted::Declarations,
        expect![[r#"
        /w/vec.isph:12 `length` in /w/vec.isph:12 `float length(const Vec &v)`
        /w/vec.isph:13 `length` in /w/vec.isph:13 `float length(const uniform Vec &v, uniform float scale)`
    "#]],
    );
    check_definition(
        "//- /w/a.ispc\nint sum(int a);\nint f() { return su$0m(1); }\nint sum(int a) { return a; }\n",
        Wanted::Definitions,
        expect![[r#"
            /w/a.ispc:3 `sum` in /w/a.ispc:3 `int sum(int a) { return a; }`
        "#]],
    );
    check_definition(
        "//- /w/a.ispc\nint sum(int a);\nint f() { return su$0m(1); }\nint sum(int a) { return a; }\n",
        Wanted::Declarations,
        expect![[r#"
            /w/a.ispc:1 `sum` in /w/a.ispc:1 `int sum(int a)`
        "#]],
    );
    check_definition(
        &with_vectors("//- /w/a.ispc\n#include \"vec$0.isph\"\n"),
        Wanted::Definitions,
        expect![[r#"
        /w/vec.isph:1 `` in /w/vec.isph:1 ``
    "#]],
    );
    check_definition(
        &with_vectors("//- /w/a.ispc\n#include \"vec.isph\"\nint f() { return SQUARE$0(2); }\n"),
        Wanted::Definitions,
        expect![[r#"
            /w/vec.isph:10 `SQUARE` in /w/vec.isph:10 `SQUARE(a) ((a) * (a))`
        "#]],
    );
    check_definition(
        &with_vectors("//- /w/a.ispc\n#include \"vec.isph\"\nint f(Vec v) { return v.tag$0; }\n"),
        Wanted::Definitions,
        expect![[r#"
            /w/vec.isph:6 `tag` in /w/vec.isph:6 `uniform int tag`
        "#]],
    );
    // A name in an argument of a macro, and one in its body.
    check_definition(
        "//- /w/a.ispc\n#define ADD(a) (a + counter)\nint counter;\nint f(int b) { return ADD(b$0); }\n",
        Wanted::Definitions,
        expect![[r#"
            /w/a.ispc:3 `b` in /w/a.ispc:3 `int b`
        "#]],
    );
    check_definition(
        "//- /w/a.ispc\n#define ADD(a) (a + count$0er)\nint counter;\nint f(int b) { return ADD(b); }\n",
        Wanted::Definitions,
        expect![[r#"
            /w/a.ispc:2 `counter` in /w/a.ispc:2 `int counter`
        "#]],
    );
}

#[test]
fn a_function_is_defined_in_another_file() {
    check_definition(
        "//- /w/f.isph\nint f(int x);\n//- /w/a.ispc\n#include \"f.isph\"\nint g() { return f$0(1); }\n\
         //- /w/b.ispc\n#include \"f.isph\"\nint f(int x) { return x; }\n",
        Wanted::Definitions,
        expect![[r#"
            /w/b.ispc:2 `f` in /w/b.ispc:2 `int f(int x) { return x; }`
        "#]],
    );
}

#[test]
fn references_are_found_in_all_units() {
    check_references(
        "//- /w/f.isph\nint f$0(int x);\n#define M 1\n//- /w/a.ispc\n#include \"f.isph\"\nint g() { return f(M); }\n\
         //- /w/b.ispc\n#include \"f.isph\"\nint f(int x) { return f(x - M); }\n//- /w/c.ispc\nint f(int y) { return y; }\n",
        expect![[r#"
            /w/f.isph:1 `f` declares
            /w/a.ispc:2 `f`
            /w/b.ispc:2 `f` declares
            /w/b.ispc:2 `f`
            marked here: 1
        "#]],
    );
    check_references(
        "//- /w/f.isph\nint f(int x);\n#define M 1\n//- /w/a.ispc\n#include \"f.isph\"\nint g() { return f(M$0); }\n\
         //- /w/b.ispc\n#include \"f.isph\"\nint f(int x) { return f(x - M); }\n#ifdef M\n#endif\n",
        expect![[r#"
            /w/a.ispc:2 `M`
            /w/b.ispc:2 `M`
            /w/b.ispc:3 `M`
            /w/f.isph:2 `M` declares
            marked here: 1
        "#]],
    );
    check_references(
        "//- /w/a.ispc\nvoid f(uniform float a$0[], uniform int n) {\n  foreach (i = 0 ... n) { float a2 = a[i]; a[i] = a2; }\n}\nint a;\n",
        expect![[r#"
            /w/a.ispc:1 `a` declares
            /w/a.ispc:2 `a`
            /w/a.ispc:2 `a`
            marked here: 3
        "#]],
    );
}

#[test]
fn names_are_changed_in_all_files() {
    check_rename(
        "//- /w/f.isph\nint f(int x);\n//- /w/a.ispc\n#include \"f.isph\"\nint g() { return f$0(1); }\n\
         //- /w/b.ispc\n#include \"f.isph\"\nint f(int x) { return f(x); }\n",
        "first",
        expect![[r#"
            //- /w/a.ispc
            #include "f.isph"
            int g() { return first(1); }
            //- /w/b.ispc
            #include "f.isph"
            int first(int x) { return first(x); }
            //- /w/f.isph
            int first(int x);
        "#]],
    );
    check_rename(
        "//- /w/a.ispc\n#define W 4\nint a = W$0;\n#if W > 2\n#endif\n",
        "WIDTH",
        expect![[r#"
        //- /w/a.ispc
        #define WIDTH 4
        int a = WIDTH;
        #if WIDTH > 2
        #endif
    "#]],
    );
    check_rename(
        "//- /w/a.ispc\nint f(int x) { int y$0 = x; { int z = y; } return y; }\nint z;\n",
        "sum",
        expect![[r#"
            //- /w/a.ispc
            int f(int x) { int sum = x; { int z = sum; } return sum; }
            int z;
        "#]],
    );
}

#[test]
fn a_change_of_meaning_is_refused() {
    let refused = |program: &str, new_name: &str, expected| check_rename(program, new_name, expected);
    refused(
        "//- /w/a.ispc\nint f(int x$0) { int y = x; return y; }\n",
        "y",
        expect![[r#"
        refused: `y` is taken in line 1 of `a.ispc`
    "#]],
    );
    refused(
        "//- /w/a.ispc\nint f(int x$0) { return min(x, 1); }\n",
        "min",
        expect![[r#"
        refused: `min` is taken in line 1 of `a.ispc`
    "#]],
    );
    refused(
        "//- /w/a.ispc\nint f(int x$0) { return x; }\n",
        "varying",
        expect![[r#"
        refused: `varying` is a reserved word
    "#]],
    );
    refused(
        "//- /w/a.ispc\nint f(int x$0) { return x; }\n",
        "a b",
        expect![[r#"
        refused: `a b` is not a name: write letters, digits and `_`, with no digit first
    "#]],
    );
    refused(
        "//- /w/a.ispc\n#define M x\nint f(int x$0) { return M; }\n",
        "y",
        expect![[r#"
        refused: the body of the macro `M` has the name `x` in line 2 of `a.ispc`: rename it by hand
    "#]],
    );
    refused(
        "//- /w/a.ispc\n#define M(n) n ## _of\nint M(a)() { return 1; }\nint f() { return a_of$0(); }\n",
        "b",
        expect![[r#"
            refused: the body of the macro `M` makes the name `a_of` in line 2 of `a.ispc`: rename it by hand
        "#]],
    );
    refused(
        "//- /w/a.ispc\nint f(int x$0) {\n#ifdef DEBUG\n  print(\"%\", x);\n#endif\n  return x;\n}\n",
        "y",
        expect![[r#"
            refused: `x` also stands in text that a condition leaves out in line 3 of `a.ispc`, where nobody knows what it means: rename it by hand
        "#]],
    );
    refused(
        "//- /w/a.ispc\n#include \"/usr/h.isph\"\nint g() { return f$0(1); }\n//- /usr/h.isph\nint f(int x);\n",
        "g2",
        expect![[r#"
            refused: `f` also stands in `/usr/h.isph`, which is outside of the workspace and stays as it is
        "#]],
    );
    refused(
        "//- /w/a.ispc\nint f() { return program$0Count; }\n",
        "n",
        expect![[r#"
        refused: `programCount` is declared by ispc itself, so it stays as it is
    "#]],
    );
    refused(
        "//- /w/a.ispc\ntypedef struct S$0 S;\nstruct S { int a; };\nS s;\n",
        "T",
        expect![[r#"
        refused: `S` is declared twice, as another kind of type in line 1 of `a.ispc`: rename both by hand
    "#]],
    );
}

#[test]
fn a_hover_shows_the_declaration_and_what_it_is_to_the_lanes() {
    let hover = |rest: &str, expected| {
        check_hover(&with_vectors(&format!("//- /w/a.ispc\n#include \"vec.isph\"\n{rest}")), expected)
    };
    hover(
        "float f(Ve$0c v) { return 0; }\n",
        expect![[r#"
        /w/a.ispc:2 `Vec`
        ```ispc
        struct Vec { float x, y; uniform int tag; }
        ```

        Struct.

        A point of
        three numbers.

        From `vec.isph`, line 4.
    "#]],
    );
    hover(
        "float f(Vec v) { return length$0(v); }\n",
        expect![[r#"
            /w/a.ispc:2 `length`
            ```ispc
            float length(const Vec &v)
            ```

            Function; gives one value a lane, since neither `uniform` nor `varying` is written.

            Called here with `varying Vec`; gives `varying float`.

            Of the others:
            - `varying float length(const uniform Vec & v, uniform float scale)`: takes 2 arguments

            The length of a vector.

            From `vec.isph`, line 12.
        "#]],
    );
    hover(
        "float f(Vec v$0) { return v.x; }\n",
        expect![[r#"
        /w/a.ispc:2 `v`
        ```ispc
        Vec v
        ```

        Parameter, varying, since neither `uniform` nor `varying` is written.
    "#]],
    );
    hover(
        "float f(Vec v) { return v.x$0; }\n",
        expect![[r#"
            /w/a.ispc:2 `x`
            ```ispc
            float x
            ```

            Member of `Vec`, uniform or varying as its struct is.

            `v.x` is a `varying float`.

            In the lanes: a value of its own for each lane, since `v.x` is stored with a value for each lane.

            its plane

            From `vec.isph`, line 5.
        "#]],
    );
    hover(
        "float f(Vec v) { return v.tag$0; }\n",
        expect![[r#"
            /w/a.ispc:2 `tag`
            ```ispc
            uniform int tag
            ```

            Member of `Vec`, uniform: one value for all lanes.

            `v.tag` is a `uniform int`, copied to all lanes here.

            From `vec.isph`, line 6.
        "#]],
    );
    hover(
        "float f(float x) { return SQUARE$0(x + 1); }\n",
        expect![[r#"
        /w/a.ispc:2 `SQUARE`
        ```ispc
        #define SQUARE(a) ((a) * (a))
        ```

        Here it becomes
        ```ispc
        ((x + 1) * (x + 1))
        ```

        From `vec.isph`, line 10.
    "#]],
    );
    hover(
        "void f(uniform float * uniform p$0, varying Vec * uniform q) { }\n",
        expect![[r#"
            /w/a.ispc:2 `p`
            ```ispc
            uniform float * uniform p
            ```

            Parameter; the pointer is uniform: all lanes have the same.
        "#]],
    );
    hover(
        "void f(float * p$0) { }\n",
        expect![[r#"
            /w/a.ispc:2 `p`
            ```ispc
            float * p
            ```

            Parameter; the pointer is varying, since neither `uniform` nor `varying` is written behind its `*`.
        "#]],
    );
    hover(
        "void f(Triple t$0) { }\n",
        expect![[r#"
        /w/a.ispc:2 `t`
        ```ispc
        Triple t
        ```

        Parameter, uniform: one value for all lanes.
    "#]],
    );
    hover(
        "void f(uniform int n) { foreach (i$0 = 0 ... n) { } }\n",
        expect![[r#"
        /w/a.ispc:2 `i`
        ```ispc
        i
        ```

        Variable, varying: one value a lane.
    "#]],
    );
    hover(
        "int f() { return ALONG_Y$0; }\n",
        expect![[r#"
            /w/a.ispc:2 `ALONG_Y`
            ```ispc
            ALONG_Y = 3
            ```

            Value of an enumeration of `Axis`.

            `ALONG_Y` is a `const uniform Axis`, copied to all lanes here.

            From `vec.isph`, line 8.
        "#]],
    );
    hover(
        "/* For\n * nothing. */\nstatic const uniform int N = 3;\nint f() { return N$0; }\n",
        expect![[r#"
            /w/a.ispc:5 `N`
            ```ispc
            static const uniform int N
            ```

            Global variable, uniform: one value for all lanes.

            `N` is a `const uniform int`, copied to all lanes here.

            For
            nothing.
        "#]],
    );
    hover(
        "int f() { return programIndex$0; }\n",
        expect![[r#"
            /w/a.ispc:2 `programIndex`
            ```ispc
            static const int programIndex
            ```

            Global variable, varying, since neither `uniform` nor `varying` is written.

            `programIndex` is a `const varying int`.

            In the lanes: a row: each lane has 1 more than the one in front of it, since `programIndex` is another number in each lane.

            Defined by ispc, or where the file is compiled.
        "#]],
    );
}

#[test]
fn what_fits_is_offered() {
    let complete = |rest: &str, expected| {
        check_completion(&with_vectors(&format!("//- /w/a.ispc\n#include \"vec.isph\"\n{rest}")), expected)
    };
    complete(
        "float f(Vec vector) { { int inner; } float later; return ve$0 }\n",
        expect![[r#"
        Variable later: float later
        Variable vector: Vec vector
        Function f: float f(Vec vector)
        Function length: float length(const uniform Vec &v, uniform float scale)
        Type Triple: typedef uniform float<3> Triple
        Enumerator ALONG_Y: 
        Enumerator ALONG_X: 
        Type Axis: 
        Type Vec: 
        Macro SQUARE: SQUARE(a) ((a) * (a))
    "#]],
    );
    complete(
        "float f(Vec vector) { return vector.$0; }\n",
        expect![[r#"
            Member x: float x
            Member y: float y
            Member tag: uniform int tag
        "#]],
    );
    complete(
        "float f(Vec * vector) { return vector->ta$0g; }\n",
        expect![[r#"
            Member x: float x
            Member y: float y
            Member tag: uniform int tag
        "#]],
    );
    complete(
        "float f() { return 1.$0; }\n",
        expect![[r#"
        Function f: float f()
        Function length: float length(const uniform Vec &v, uniform float scale)
        Type Triple: typedef uniform float<3> Triple
        Enumerator ALONG_Y: 
        Enumerator ALONG_X: 
        Type Axis: 
        Type Vec: 
        Macro SQUARE: SQUARE(a) ((a) * (a))
    "#]],
    );
    complete("// f$0\n", expect![[""]]);
    complete(
        "#inc$0\n",
        expect![[r#"
        Directive include: 
        Directive define: 
        Directive undef: 
        Directive ifdef: 
        Directive ifndef: 
        Directive elif: 
        Directive endif: 
        Directive error: 
        Directive warning: 
        Directive pragma: 
    "#]],
    );
    complete(
        "#include \"$0\n",
        expect![[r#"
        Header vec.isph: 
    "#]],
    );
}

#[test]
fn mistakes_in_headers_and_macros_name_both_places() {
    check_diagnostics(
        "//- /w/a.ispc\n#include \"b.isph\"\n#define BAD(x) x +\nint f() { return BAD(1); }\nNone n;\n//- /w/b.isph\n#include \"c.isph\"\n//- /w/c.isph\nint g( { }\n",
        expect![[r#"
            ispc-syntax /w/a.ispc:1 `"b.isph"`: a parameter is missing: `{` stands here
                /w/c.isph:1 `{` the place in `c.isph`
                /w/b.isph:1 `"c.isph"` included here
            ispc-syntax /w/a.ispc:3 `;`: an expression is missing: `;` stands here
            ispc-unknown-type /w/a.ispc:4 `None`: `None` is no type that is known here: declare it first, or include the header that does
        "#]],
    );
}

#[test]
fn the_outline_has_what_the_file_declares() {
    let program =
        Program::new(&VECTORS.replacen("//- ", "//- /w/none.isph\n//- ", 1).replace("struct Vec", "$0struct Vec"));
    let mut out = String::new();
    fn list(program: &Program, entries: &[Entry], depth: usize, out: &mut String) {
        for entry in entries {
            let first = program.shown(program.file, entry.range);
            let first = first.lines().next().unwrap_or_default().to_owned();
            let _ = writeln!(
                out,
                "{:depth$}{:?} {}: {} | {first}",
                "",
                entry.kind,
                entry.name,
                entry.detail.clone().unwrap_or_default()
            );
            list(program, &entry.children, depth + 2, out);
        }
    }
    list(&program, &outline(program.db(), program.file), 0, &mut out);
    expect![[r#"
        Struct Vec:  | /w/vec.isph:4 `struct Vec {
          Field x: float x | /w/vec.isph:5 `float x`
          Field y: float y | /w/vec.isph:5 `float x, y`
          Field tag: uniform int tag | /w/vec.isph:6 `uniform int tag`
        Enum Axis:  | /w/vec.isph:8 `enum Axis { ALONG_X, ALONG_Y = 3 }`
          Enumerator ALONG_X:  | /w/vec.isph:8 `ALONG_X`
          Enumerator ALONG_Y:  | /w/vec.isph:8 `ALONG_Y = 3`
        Type Triple: typedef uniform float<3> Triple | /w/vec.isph:9 `typedef uniform float<3> Triple`
        Macro SQUARE:  | /w/vec.isph:10 `SQUARE(a) ((a) * (a))`
        Function length: float length(const Vec &v) | /w/vec.isph:12 `float length(const Vec &v)`
        Function length: float length(const uniform Vec &v, uniform float scale) | /w/vec.isph:13 `float length(const uniform Vec &v, uniform float scale)`
    "#]].assert_eq(&out);
}

const COLOURED: &str = "\
//- /w/a.ispc
/// Doubles.
#include <none.isph>
#define N 4
#if N > 8
int gone; /* and
             more */
#else
uniform float f(varying int x, uniform float * uniform p) {
    /* two
       lines */
    return N + p[0] * sqrt(x);
}
#endif
";

#[test]
fn tokens_tell_uniform_from_varying() {
    let program = Program::new(COLOURED);
    let mut out = String::new();
    for it in semantic_tokens(program.db(), program.file, None) {
        let modifiers = it.modifiers;
        let told =
            [(modifiers.definition, "definition"), (modifiers.uniform, "uniform"), (modifiers.varying, "varying")];
        let told: Vec<_> = told.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        let _ = writeln!(out, "{} {:?} {}", program.shown(program.file, it.range), it.kind, told.join(" "));
    }
    expect![[r#"
        /w/a.ispc:1 `/// Doubles.` DocComment 
        /w/a.ispc:2 `#` Keyword 
        /w/a.ispc:2 `include` Keyword 
        /w/a.ispc:2 `<` Text 
        /w/a.ispc:2 `none` Text 
        /w/a.ispc:2 `.` Text 
        /w/a.ispc:2 `isph` Text 
        /w/a.ispc:2 `>` Text 
        /w/a.ispc:3 `#` Keyword 
        /w/a.ispc:3 `define` Keyword 
        /w/a.ispc:3 `N` Macro definition
        /w/a.ispc:3 `4` Number 
        /w/a.ispc:4 `#` Keyword 
        /w/a.ispc:4 `if` Keyword 
        /w/a.ispc:4 `N` Macro 
        /w/a.ispc:4 `>` Operator 
        /w/a.ispc:4 `8` Number 
        /w/a.ispc:5 `int gone; /* and` Inactive 
        /w/a.ispc:6 `more */` Inactive 
        /w/a.ispc:7 `#` Keyword 
        /w/a.ispc:7 `else` Keyword 
        /w/a.ispc:8 `uniform` Keyword uniform
        /w/a.ispc:8 `float` BuiltinType 
        /w/a.ispc:8 `f` Function definition
        /w/a.ispc:8 `varying` Keyword varying
        /w/a.ispc:8 `int` BuiltinType 
        /w/a.ispc:8 `x` Parameter definition varying
        /w/a.ispc:8 `uniform` Keyword uniform
        /w/a.ispc:8 `float` BuiltinType 
        /w/a.ispc:8 `*` Operator 
        /w/a.ispc:8 `uniform` Keyword uniform
        /w/a.ispc:8 `p` Parameter definition uniform
        /w/a.ispc:9 `/* two` Comment 
        /w/a.ispc:10 `lines */` Comment 
        /w/a.ispc:11 `return` Keyword 
        /w/a.ispc:11 `N` Macro 
        /w/a.ispc:11 `+` Operator 
        /w/a.ispc:11 `p` Parameter uniform
        /w/a.ispc:11 `0` Number 
        /w/a.ispc:11 `*` Operator 
        /w/a.ispc:11 `sqrt` Function 
        /w/a.ispc:11 `x` Parameter varying
        /w/a.ispc:13 `#` Keyword 
        /w/a.ispc:13 `endif` Keyword 
    "#]]
    .assert_eq(&out);
}

#[test]
fn brackets_comments_and_branches_fold() {
    let program = Program::new(COLOURED);
    let mut out = String::new();
    for it in folding(program.db(), program.file) {
        let _ = writeln!(out, "{:?} {:?}", it.kind, &program.texts[0].1[it.range]);
    }
    expect![[r#"
        Region "\nint gone; /* and\n             more */"
        Comment "\n             more */"
        Region "\nuniform float f(varying int x, uniform float * uniform p) {\n    /* two\n       lines */\n    return N + p[0] * sqrt(x);\n}"
        Block "\n    /* two\n       lines */\n    return N + p[0] * sqrt(x);\n"
        Comment "\n       lines */"
    "#]].assert_eq(&out);
}

#[test]
fn nothing_is_asked_of_no_text() {
    for text in ["", "#", "#if", "\"", "/*", "a", "{", "#include \"", "a.", "/**/", "#define"] {
        let program = Program::new(&format!("//- /w/a.ispc\n{text}$0"));
        let (db, file, at) = (program.db(), program.file, program.offset);
        diagnostics(db, file);
        outline(db, file);
        folding(db, file);
        semantic_tokens(db, file, None);
        hover(db, file, at);
        completion(db, file, at);
        references(db, &[], file, at);
        let _ = rename(db, &[], file, at, "b", &|_| true);
    }
}
