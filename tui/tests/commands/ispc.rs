//! ISPC files: `check` tells what is wrong in them, `run` and `lower` take their functions; the other commands say that they cannot take them
//! yet.

use super::*;

const HEADER: &str = "#define TWICE(x) ((x) + (x)\n#if WIDTH != 8\n#error set WIDTH\n#endif\nstruct Ray { float t };\n";

#[test]
fn a_folder_gives_its_sources() {
    let files = [
        ("both/a.lane", "kernel k():\n    pass\n"),
        ("both/b.ispc", "#include \"b.isph\"\nNone n;\n"),
        ("both/b.isph", "int m\n"),
        ("both/.hidden/c.ispc", "?\n"),
        ("only/deep/d.ispc", "int a;\n"),
        ("none/e.txt", ""),
    ];
    check(
        &files,
        &["check", "both"],
        expect![[r#"
        error[ispc-syntax]: a `;` is missing behind this declaration: `None` stands there instead
         --> both/b.isph:1:5
          |
        1 | int m
          |     ^
          |
        note: included here
         --> both/b.ispc:1:10
          |
        1 | #include "b.isph"
          |          ^^^^^^^^

        error[ispc-unknown-type]: `None` is no type that is known here: declare it first, or include the header that does
         --> both/b.ispc:2:1
          |
        2 | None n;
          | ^^^^

        2 errors in 2 files
        --- exit 1 ---
    "#]],
    );
    check(
        &files,
        &["check", "only", "both/b.isph"],
        expect![[r#"
        error[ispc-syntax]: a `;` is missing behind this declaration: the file ends there instead
         --> both/b.isph:1:5
          |
        1 | int m
          |     ^

        1 error in 2 files
        --- exit 1 ---
    "#]],
    );
    check(
        &files,
        &["check", "none"],
        expect![[r#"
        --- stderr ---
        lanescope: none: no `.lane` files in this folder
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn errors_in_headers_and_macros_name_both_places() {
    check(
        &[
            ("include/ray.isph", HEADER),
            ("a.ispc", "#include \"ray.isph\"\nvoid f(uniform float a[]) {\n  a[0] = TWICE(1);\n}\n"),
        ],
        &["check", "a.ispc", "-I", "include", "-D", "WIDTH=4"],
        expect![[r#"
            error[ispc-told]: `#error` in the source: set WIDTH
             --> include/ray.isph:3:1
              |
            3 | #error set WIDTH
              | ^^^^^^
              |
            note: included here
             --> a.ispc:1:10
              |
            1 | #include "ray.isph"
              |          ^^^^^^^^^^

            error[ispc-syntax]: a `;` is missing behind this member: `}` stands there instead
             --> include/ray.isph:5:20
              |
            5 | struct Ray { float t };
              |                    ^
              |
            note: included here
             --> a.ispc:1:10
              |
            1 | #include "ray.isph"
              |          ^^^^^^^^^^

            error[ispc-syntax]: this `(` is never closed: add the `)` that belongs to it
             --> a.ispc:3:10
              |
            3 |   a[0] = TWICE(1);
              |          ^^^^^^^^
              |
            note: `;` stands here
             --> a.ispc:3:18
              |
            3 |   a[0] = TWICE(1);
              |                  ^
            note: in the macro `TWICE`
             --> include/ray.isph:1:18
              |
            1 | #define TWICE(x) ((x) + (x)
              |                  ^

            3 errors in 1 file
            --- exit 1 ---
        "#]],
    );
    check(
        &[("a.ispc", "#include \"ray.isph\"\nint a[TARGET_WIDTH == 4 ? 1 : ];\n")],
        &["check", "a.ispc", "--target", "sse4", "--json"],
        expect![[r#"
            {
              "version": 1,
              "diagnostics": [
                {
                  "file": "a.ispc",
                  "range": {
                    "line": 1,
                    "column": 10,
                    "end_line": 1,
                    "end_column": 20
                  },
                  "severity": "error",
                  "code": "ispc-include",
                  "message": "`ray.isph` is in none of the folders for headers, so what it declares is missing: add its folder by `-I`",
                  "help": null,
                  "related": [],
                  "fixes": []
                },
                {
                  "file": "a.ispc",
                  "range": {
                    "line": 2,
                    "column": 31,
                    "end_line": 2,
                    "end_column": 32
                  },
                  "severity": "error",
                  "code": "ispc-syntax",
                  "message": "an expression is missing: `]` stands here",
                  "help": null,
                  "related": [],
                  "fixes": []
                }
              ]
            }
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn arguments_come_from_the_list_of_commands() {
    let list = r#"[{"directory": ".", "file": "src/a.ispc", "command": "ispc -Iinclude -D WIDTH=8 --target=sse4-i32x4 src/a.ispc"}]"#;
    let header = "#if WIDTH == 8 && TARGET_WIDTH == 4\nint fine;\n#else\n#error not as told\n#endif\n";
    check(
        &[("compile_commands.json", list), ("include/b.isph", header), ("src/a.ispc", "#include \"b.isph\"\n")],
        &["check", "src/a.ispc"],
        expect![[r#"
            1 file: nothing to complain about
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn notes_tell_what_costs_lanes_and_refuse_nothing() {
    let text = "void f(uniform float a[], int k, uint u) {\n    a[k] = u / 2;\n    #pragma ignore warning(perf)\n    a[k + 1] = 0;\n}\n";
    check(
        &[("a.ispc", text)],
        &["check", "a.ispc"],
        expect![[r#"
        note[ispc-perf-scatter]: `a[k]`: each lane has to store to a cell of its own, since `k` is a parameter with a value of its own in each lane
         --> a.ispc:2:5
          |
        2 |     a[k] = u / 2;
          |     ^^^^
          |
          = help: let the lanes run along the cells that are stored, and gather what they need instead; `packed_store_active` stores what some lanes have side by side
        note: `k` is a parameter with a value of its own in each lane
         --> a.ispc:2:7
          |
        2 |     a[k] = u / 2;
          |       ^

        note[ispc-perf-conversion]: `u / 2` is converted from `uint` to `float` in each lane, for which units before AVX-512 have no instruction: it takes several
         --> a.ispc:2:12
          |
        2 |     a[k] = u / 2;
          |            ^^^^^
          |
          = help: convert by way of `int` if the numbers fit: `(int)`

        note[ispc-perf-division]: `u / 2` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane
         --> a.ispc:2:12
          |
        2 |     a[k] = u / 2;
          |            ^^^^^
          |
          = help: no lane is below zero here, so `>> 1` gives the same
        note: `u` is a parameter with a value of its own in each lane
         --> a.ispc:2:12
          |
        2 |     a[k] = u / 2;
          |            ^

        3 notes in 1 file
        --- exit 0 ---
    "#]],
    );
    check(
        &[("a.ispc", text)],
        &["check", "--json", "a.ispc"],
        expect![[r#"
        {
          "version": 1,
          "diagnostics": [
            {
              "file": "a.ispc",
              "range": {
                "line": 2,
                "column": 5,
                "end_line": 2,
                "end_column": 9
              },
              "severity": "note",
              "code": "ispc-perf-scatter",
              "message": "`a[k]`: each lane has to store to a cell of its own, since `k` is a parameter with a value of its own in each lane",
              "help": "let the lanes run along the cells that are stored, and gather what they need instead; `packed_store_active` stores what some lanes have side by side",
              "related": [
                {
                  "range": {
                    "line": 2,
                    "column": 7,
                    "end_line": 2,
                    "end_column": 8
                  },
                  "message": "`k` is a parameter with a value of its own in each lane"
                }
              ],
              "fixes": []
            },
            {
              "file": "a.ispc",
              "range": {
                "line": 2,
                "column": 12,
                "end_line": 2,
                "end_column": 17
              },
              "severity": "note",
              "code": "ispc-perf-conversion",
              "message": "`u / 2` is converted from `uint` to `float` in each lane, for which units before AVX-512 have no instruction: it takes several",
              "help": "convert by way of `int` if the numbers fit: `(int)`",
              "related": [],
              "fixes": []
            },
            {
              "file": "a.ispc",
              "range": {
                "line": 2,
                "column": 12,
                "end_line": 2,
                "end_column": 17
              },
              "severity": "note",
              "code": "ispc-perf-division",
              "message": "`u / 2` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane",
              "help": "no lane is below zero here, so `>> 1` gives the same",
              "related": [
                {
                  "range": {
                    "line": 2,
                    "column": 12,
                    "end_line": 2,
                    "end_column": 13
                  },
                  "message": "`u` is a parameter with a value of its own in each lane"
                }
              ],
              "fixes": [
                {
                  "title": "write `>> 1` for a division",
                  "edits": [
                    {
                      "range": {
                        "line": 2,
                        "column": 14,
                        "end_line": 2,
                        "end_column": 15
                      },
                      "text": ">>"
                    },
                    {
                      "range": {
                        "line": 2,
                        "column": 16,
                        "end_line": 2,
                        "end_column": 17
                      },
                      "text": "1"
                    }
                  ]
                }
              ]
            }
          ]
        }
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn other_commands_say_what_can_be_done() {
    for command in ["test", "compare"] {
        let folder = Folder::new(&[("a.ispc", "export void f() { }\n")]);
        let run = folder.run(&[command, "a.ispc"]);
        assert!(run.stderr.contains("this command takes no ISPC files yet"), "{command}: {}", run.stderr);
        assert_eq!(run.code, Some(2), "{command}");
    }
}

#[test]
fn exported_functions_are_built_for_one_target_or_several() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&scale_files());
    let run = folder.run(&["build", "scale.ispc", "-I", "include", "-o", "out", "--target", "avx2-i32x4"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), "out/scale.o\nout/scale.h\n"), "{}", run.stderr);
    let header = std::fs::read_to_string(folder.path().join("out/scale.h")).expect("a header");
    assert!(header.contains("extern float scale(float * a, int32_t n);\n"), "{header}");
    assert!(header.contains("namespace ispc {"), "{header}");
    let several = ["build", "scale.ispc", "-I", "include", "-o", "all", "--target", "sse4,avx2-i32x8,avx512skx-x16"];
    let run = folder.run(&several);
    let made = "all/scale.sse4.o\nall/scale.avx2.o\nall/scale.avx512.o\nall/scale.o\nall/scale.h\n";
    assert_eq!((run.code, &*run.stdout), (Some(0), made), "{}", run.stderr);
    let run = folder.run(&["build", "scale.ispc", "-I", "include", "-o", "out", "--emit", "llvm,asm"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), "out/scale.s\nout/scale.ll\n"), "{}", run.stderr);
}

/// Two files of which one calls the other, and a program in C that calls the first one, for one target and for several.
#[test]
fn files_that_call_each_other_are_linked() {
    let Some(compiler) = callers::c_compiler().filter(|_| has_llvm()) else { return };
    let folder = Folder::new(&[
        (
            "scene.ispc",
            "float shade(float x, uniform float by);\nexport void scene(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n) {\n        if (a[i] != 3) a[i] = shade(a[i], 2);\n    }\n}\n",
        ),
        ("shade.ispc", "float shade(float x, uniform float by) {\n    if (x < 0) return 0;\n    return x * by;\n}\n"),
        (
            "main.c",
            "#include <stdio.h>\n#include \"scene.h\"\nint main(void) {\n    float a[11];\n    for (int i = 0; i < 11; i++) a[i] = i - 4;\n    scene(a, 11);\n    for (int i = 0; i < 11; i++) printf(\"%g \", a[i]);\n    return 0;\n}\n",
        ),
    ]);
    for (targets, out) in [("sse4-i32x4", "one"), ("sse4-i32x4,avx2-i32x8", "both")] {
        let run = folder.run(&["build", "scene.ispc", "shade.ispc", "-o", out, "--target", targets]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let objects = run.stdout.lines().filter(|line| line.ends_with(".o"));
        let mut build = std::process::Command::new(compiler);
        build.current_dir(folder.path()).args(["-I", out, "main.c", "-o", "main"]).args(objects).arg("-lm");
        assert!(build.output().expect("a compiler").status.success(), "{targets}: {}", run.stdout);
        let printed = std::process::Command::new(folder.path().join("main")).output().expect("the program").stdout;
        assert_eq!(String::from_utf8_lossy(&printed), "0 0 0 0 0 2 4 3 8 10 12 ", "{targets}");
    }
    let run = folder.run(&["build", "shade.ispc", "-o", "out", "--target", "sse4-i32x4,sse4-i32x8"]);
    assert!(run.stderr.contains("two of the targets are `sse4`"), "{}", run.stderr);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
}

#[test]
fn assembly_is_that_of_exported_functions_or_of_one() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&scale_files());
    let run = folder.run(&["asm", "scale.ispc", "-I", "include", "--target", "avx2-i32x8"]);
    assert!(run.stdout.contains("scale:\n") && run.stdout.contains("vaddps"), "{}{}", run.stdout, run.stderr);
    let run = folder.run(&["asm", "scale.ispc", "-I", "include", "--target", "neon-i32x4", "--kernel", "move"]);
    assert!(run.stdout.contains("fadd"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn native_runs_of_functions_give_what_the_interpreter_gives() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&scale_files());
    let own = ["run", "scale.ispc", "-I", "include", "--lanes", "4"];
    for args in [&["--arg", "a=ramp(7)", "--arg", "n=7"][..], &["--arg", "a=[1.5, -2, 3]", "--arg", "n=3", "--json"]] {
        let interpreted = folder.run(&[&own, args].concat());
        for native in [&["--native"][..], &["--engine", "native"]] {
            let run = folder.run(&[&own, args, native].concat());
            assert_eq!((run.code, &run.stdout), (Some(0), &interpreted.stdout), "{}", run.stderr);
        }
    }
    let moved = ["--kernel", "move", "--arg", "points=[1, 2, 3, 4, 5, 6, 7, 8]", "--arg", "by=[1, 2, 3, 4]"];
    let none = folder.run(&[&own, &moved[..], &["--arg", "none=[0, 0]", "--native"]].concat());
    assert_eq!(none.code, Some(2), "{}", none.stdout);
}

/// The page of what has no machine code has a source of which that is so, and one that is built.
#[test]
fn the_page_of_what_cannot_be_compiled_has_it_and_lifts_it() {
    let pages = include_str!("../../../docs/ispc-reasons.md");
    let page = pages.split("\n## ").find(|page| page.starts_with("ispc-build-unsupported\n")).expect("the page");
    let sources: Vec<&str> = page.split("```ispc\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    let [has, lifted] = sources[..] else { panic!("{} sources", sources.len()) };
    for (text, code) in [(has, 1), (lifted, 0)] {
        let folder = Folder::new(&[("a.ispc", text)]);
        let run = folder.run(&["build", "a.ispc", "-o", "out", "--target", "avx2"]);
        assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
        assert_eq!((run.stdout + &run.stderr).contains("ispc-build-unsupported"), code == 1, "{text}");
    }
}

#[test]
fn what_cannot_be_compiled_is_told_with_its_place_and_a_way_out() {
    let run = |text: &str, args: &[&str]| {
        let folder = Folder::new(&[("a.ispc", text)]);
        let run = folder.run(args);
        (run.code, run.stdout + &run.stderr)
    };
    let build = ["build", "a.ispc", "-o", "out", "--target", "avx2"];
    let (code, told) = run("static void f() { }\n", &build);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("write `export` in front of those"), "{told}");
    let elsewhere = "static float g(float x);\nexport void f(uniform float a[]) {\n    a[programIndex] = g(1);\n}\n";
    let (code, told) = run(elsewhere, &build);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("error[ispc-build-unsupported]") && told.contains("a.ispc:3:"), "{told}");
    let point = "struct Point { float x; float y; };\n";
    for (by_value, why) in [
        ("uniform float f(uniform Point p) {\n    return p.x;\n}\n", "error[ispc-export]"),
        ("uniform Point f() {\n    uniform Point p;\n    return p;\n}\n", "by value"),
        ("void f(uniform float<3> p) {\n}\n", "by value"),
    ] {
        let (code, told) = run(&format!("{point}export {by_value}"), &build);
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains(why) && told.contains("a.ispc:2:"), "{told}");
    }
    let (code, told) =
        run(&format!("{point}export uniform float f(uniform Point &p) {{\n    return p.x;\n}}\n"), &build);
    assert_eq!(code, Some(0), "{told}");
    let (code, told) = run("export void f() { }\n", &["asm", "a.ispc", "--target", "wasm"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("choose another target"), "{told}");
    for module in ["rust", "cpp"] {
        let (_, told) = run("export void f() { }\n", &["build", "a.ispc", "-o", "out", "--emit", module]);
        assert!(told.contains("leave `cpp`, `rust` and `python` out"), "{told}");
    }
    let (code, told) = run("export void f() { None n; }\n", &build);
    assert_eq!(code, Some(1), "{told}");
}

const SCALE: &str = "#include \"by.isph\"\nexport uniform float scale(uniform float a[], uniform int n) {\n    uniform float sum = 0;\n    foreach (i = 0 ... n) {\n        a[i] *= BY;\n        sum += reduce_add(a[i]);\n    }\n    print(\"% lanes\\n\", programCount);\n    return sum;\n}\nstruct Point { float x; int tag; };\nvoid move(uniform Point points[], float by, uniform Point * varying none) { points[programIndex].x += by; }\n";

fn scale_files() -> [(&'static str, &'static str); 2] {
    [("scale.ispc", SCALE), ("include/by.isph", "#define BY 2\n")]
}

#[test]
fn a_function_runs_on_described_data() {
    let command = ["run", "scale.ispc", "-I", "include", "--arg", "a=ramp(5)", "--arg", "n=5", "--lanes", "4"];
    check(
        &scale_files(),
        &command,
        expect![[r#"
        4 lanes
        20.0
        a = [0.0, 2.0, 4.0, 6.0, 8.0]
        --- exit 0 ---
    "#]],
    );
    check(
        &scale_files(),
        &[&command[..], &["--json"]].concat(),
        expect![[r#"
            {
              "version": 1,
              "result": 20.0,
              "arrays": {
                "a": [
                  0.0,
                  2.0,
                  4.0,
                  6.0,
                  8.0
                ]
              },
              "printed": "4 lanes\n",
              "error": null,
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn a_fault_tells_the_place_and_the_lanes() {
    let command = ["run", "scale.ispc", "-I", "include", "--arg", "a=[1, 2]", "--arg", "n=4", "--lanes", "4"];
    check(
        &scale_files(),
        &command,
        expect![[r#"
            a = [1.0, 2.0]
            error[ispc-run-fault]: `scale` reads array `a` out of range: byte 8 of 8, in lanes 2 and 3
             --> scale.ispc:5:9
              |
            5 |         a[i] *= BY;
              |         ^^^^^^^^^^

            --- exit 1 ---
        "#]],
    );
    check(
        &scale_files(),
        &[&command[..], &["--json"]].concat(),
        expect![[r#"
            {
              "version": 1,
              "result": null,
              "arrays": {
                "a": [
                  1.0,
                  2.0
                ]
              },
              "printed": "",
              "error": {
                "file": "scale.ispc",
                "range": {
                  "line": 5,
                  "column": 9,
                  "end_line": 5,
                  "end_column": 19
                },
                "severity": "error",
                "code": "ispc-run-fault",
                "message": "`scale` reads array `a` out of range: byte 8 of 8, in lanes 2 and 3",
                "help": null,
                "related": [],
                "fixes": [],
                "lane": 2,
                "iteration": []
              },
              "diagnostics": []
            }
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn what_a_run_needs_is_told() {
    let asked = [
        "--arg a=ramp(5)",
        "--arg a=ramp(5) --arg m=5",
        "--arg a=ramp(5) --arg n=5.5",
        "--kernel scales",
        "--kernel move --arg points=ramp(8) --arg by=1",
        "--engine native",
    ];
    let mut told = String::new();
    for words in asked {
        let folder = Folder::new(&scale_files());
        let command = format!("run scale.ispc -I include --lanes 4 {words}");
        let run = folder.run(&command.split(' ').collect::<Vec<_>>());
        told += &format!("{words}\n{}{}--- exit {:?} ---\n", run.stdout, run.stderr, run.code);
    }
    expect![[r#"
        --arg a=ramp(5)
        lanescope: parameter `n` has no numbers; add `--arg n=...`
        --- exit Some(2) ---
        --arg a=ramp(5) --arg m=5
        lanescope: `scale` has no parameter `m`
        --- exit Some(2) ---
        --arg a=ramp(5) --arg n=5.5
        lanescope: `5.5` for `n` is no `int32`
        --- exit Some(2) ---
        --kernel scales
        lanescope: there is no function `scales` with a body; did you mean `scale`?
        --- exit Some(2) ---
        --kernel move --arg points=ramp(8) --arg by=1
        lanescope: `none` of `move` is a `uniform Point * varying`, which cannot be described by numbers: call it from a function that makes one
        --- exit Some(2) ---
        --engine native
        lanescope: parameter `a` has no numbers; add `--arg a=...`
        --- exit Some(2) ---
    "#]].assert_eq(&told);
}

#[test]
fn what_cannot_be_run_is_told() {
    let files = [("a.ispc", "void f() { goto inside; { inside: print(\"in\"); } }\n")];
    check(
        &files,
        &["run", "a.ispc"],
        expect![[r#"
            error[ispc-run-unsupported]: `f`: a jump into a block cannot be run: the label has to stand in a block around it
             --> a.ispc:1:12
              |
            1 | void f() { goto inside; { inside: print("in"); } }
              |            ^^^^^^^^^^^^

            --- exit 1 ---
        "#]],
    );
    check(
        &files,
        &["lower", "a.ispc", "--lanes", "8"],
        expect![[r#"
            lanes 8

            external function f()
            error[ispc-run-unsupported]: `f`: a jump into a block cannot be run: the label has to stand in a block around it
             --> a.ispc:1:12
              |
            1 | void f() { goto inside; { inside: print("in"); } }
              |            ^^^^^^^^^^^^

            --- exit 1 ---
        "#]],
    );
    check(
        &[("b.ispc", "void f() { return 1 }\n")],
        &["run", "b.ispc"],
        expect![[r#"
        error[ispc-syntax]: a `;` is missing behind this value: `}` stands there instead
         --> b.ispc:1:19
          |
        1 | void f() { return 1 }
          |                   ^

        --- exit 1 ---
    "#]],
    );
}

#[test]
fn functions_are_printed_as_blocks_of_lanes() {
    let files = [("a.ispc", "float twice(float x) { return x + x; }\nvoid other() { }\n")];
    check(
        &files,
        &["lower", "a.ispc", "--kernel", "twice", "--lanes", "8"],
        expect![[r#"
        lanes 8

        function twice(%0: varying float) -> varying float {
          local $0 `x`: 32 bytes
          %1: uniform pointer = address of $0
          store [%1], %0
          %2: varying float = load [%1]
          %3: varying float = load [%1]
          %4: varying float = add %2, %3
          return %4
        }
        --- exit 0 ---
    "#]],
    );
    check(
        &files,
        &["lower", "a.ispc", "--kernel", "none"],
        expect![[r#"
        --- stderr ---
        lanescope: there is no function `none` with a body
        --- exit 2 ---
    "#]],
    );
    check(
        &files,
        &["lower", "a.ispc", "--json"],
        expect![[r#"
        --- stderr ---
        error: ISPC files have one stage, which is printed as text: leave out `--stage`, `--diff` and `--json`

        Usage: lanescope lower [OPTIONS] [FILE]

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn lanes_that_meet_in_a_store_are_told() {
    let files = [(
        "a.ispc",
        "int f(uniform int a[]) {\n    a[programIndex / 3] = programIndex;\n    return programIndex;\n}\n",
    )];
    check(
        &files,
        &["run", "a.ispc", "--arg", "a=zeros(2)", "--lanes", "4"],
        expect![[r#"
        [0, 1, 2, 3]
        a = [2, 3]
        note[ispc-same-cell]: lanes 0, 1 and 2 store different numbers to one cell: that of the highest lane stays
         --> a.ispc:2:5
          |
        2 |     a[programIndex / 3] = programIndex;
          |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

        --- exit 0 ---
    "#]],
    );
    check(
        &files,
        &["run", "a.ispc", "--arg", "a=zeros(2)", "--lanes", "4", "--json"],
        expect![[r#"
        {
          "version": 1,
          "result": [
            0,
            1,
            2,
            3
          ],
          "arrays": {
            "a": [
              2,
              3
            ]
          },
          "printed": "",
          "error": null,
          "diagnostics": [
            {
              "file": "a.ispc",
              "range": {
                "line": 2,
                "column": 5,
                "end_line": 2,
                "end_column": 39
              },
              "severity": "note",
              "code": "ispc-same-cell",
              "message": "lanes 0, 1 and 2 store different numbers to one cell: that of the highest lane stays",
              "help": null,
              "related": [],
              "fixes": []
            }
          ]
        }
        --- exit 0 ---
    "#]],
    );
}
