//! `check`: its findings, its choice of files, and its output.

use super::*;

#[test]
fn findings_are_drawn_and_counted() {
    check(
        &[("a.lane", BROKEN), ("b.lane", WHOLE)],
        &["check", "b.lane", "a.lane"],
        expect![[r#"
        error[expected-colon]: expected `:` at the end of the `kernel` line
         --> a.lane:1:15
          |
        1 | kernel a(x, n)
          |               ^
          |
        help: write `:`
          |
        1 | kernel a(x, n):
          |               +

        1 error in 2 files
        --- exit 1 ---
    "#]],
    );
    check(
        &[("b.lane", WHOLE)],
        &["check", "b.lane"],
        expect![[r#"
        1 file: nothing to complain about
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn one_file_that_cannot_be_read_does_not_stop_the_others() {
    let folder = Folder::new(&[("a.lane", BROKEN), ("empty/readme.md", "")]);
    folder.write("latin1.lane", b"# fine\n# caf\xe9\n");
    folder.write("utf16.lane", b"\xff\xfek\0");
    let run = folder.run(&["check", "nowhere.lane", "latin1.lane", "utf16.lane", "a.lane", "empty"]);
    expect![[r#"
        error[expected-colon]: expected `:` at the end of the `kernel` line
         --> a.lane:1:15
          |
        1 | kernel a(x, n)
          |               ^
          |
        help: write `:`
          |
        1 | kernel a(x, n):
          |               +

        1 error in 1 file
        --- stderr ---
        lanescope: empty: no `.lane` files in this folder
        lanescope: latin1.lane: not UTF-8 text: line 2 has bytes that are no character
        lanescope: nowhere.lane: no such file or folder
        lanescope: utf16.lane: not UTF-8 text: line 1 has bytes that are no character (it looks like UTF-16; save it as UTF-8)
        --- exit 2 ---
    "#]].assert_eq(&run.to_string());
}

#[test]
fn folders_are_searched_and_sorted() {
    let files = [
        ("k/z.lane", BROKEN),
        ("k/b/deep/er.lane", BROKEN),
        ("k/a.lane", BROKEN),
        ("k/not.txt", BROKEN),
        ("k/.hidden/x.lane", BROKEN),
    ];
    let folder = Folder::new(&files);
    let run = folder.run(&["check", "k", "k/a.lane", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let found = report["diagnostics"].as_array().expect("a list");
    let names: Vec<_> = found.iter().map(|found| found["file"].as_str().expect("a name")).collect();
    assert_eq!(names, ["k/a.lane", "k/b/deep/er.lane", "k/z.lane"]);
    assert_eq!(run.code, Some(1));
}

#[test]
fn an_empty_file_is_fine() {
    check(
        &[("empty.lane", "")],
        &["check", "empty.lane"],
        expect![[r#"
        1 file: nothing to complain about
        --- exit 0 ---
    "#]],
    );
    check(
        &[("empty.lane", "")],
        &["empty.lane"],
        expect![[r#"
            empty.lane


            Items

              none

            Findings

              none

            Stage `vector`: loops in lanes: lane indices, masks of active lanes, masked loads and stores, gathers and scatters


            --- stderr ---
            lanescope: not a terminal: plain text, with the stage `vector` at its end
            --- exit 0 ---
        "#]],
    );
    check(
        &[("empty.lane", "")],
        &["lower", "empty.lane", "--json"],
        expect![[r#"
            {
              "version": 1,
              "file": "empty.lane",
              "stages": [
                {
                  "name": "vector",
                  "changed": false,
                  "passes": [],
                  "text": "",
                  "lines": [],
                  "decisions": []
                }
              ],
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn standard_input() {
    check_stdin(
        BROKEN,
        &["check", "-"],
        expect![[r#"
        error[expected-colon]: expected `:` at the end of the `kernel` line
         --> <stdin>:1:15
          |
        1 | kernel a(x, n)
          |               ^
          |
        help: write `:`
          |
        1 | kernel a(x, n):
          |               +

        1 error in 1 file
        --- exit 1 ---
    "#]],
    );
    check_stdin(
        WHOLE,
        &["check", "-", "--json"],
        expect![[r#"
        {
          "version": 1,
          "diagnostics": []
        }
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn json_counts_characters() {
    check_stdin(
        "kernel a(x):\r\n\tx[0] = 1\r\n    x[1] = 1 $ 2 # 😀\r\n    # 😀é\n",
        &["check", "-", "--json"],
        expect![[r#"
            {
              "version": 1,
              "diagnostics": [
                {
                  "file": "<stdin>",
                  "range": {
                    "line": 2,
                    "column": 1,
                    "end_line": 2,
                    "end_column": 2
                  },
                  "severity": "error",
                  "code": "tab-indent",
                  "message": "a line is indented with tabs",
                  "help": "indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces",
                  "related": [],
                  "fixes": [
                    {
                      "title": "indent with spaces",
                      "edits": [
                        {
                          "range": {
                            "line": 2,
                            "column": 1,
                            "end_line": 2,
                            "end_column": 2
                          },
                          "text": "    "
                        }
                      ]
                    }
                  ]
                },
                {
                  "file": "<stdin>",
                  "range": {
                    "line": 3,
                    "column": 14,
                    "end_line": 3,
                    "end_column": 15
                  },
                  "severity": "error",
                  "code": "bad-character",
                  "message": "`$` has no meaning here",
                  "help": "names are made of letters, digits and `_`",
                  "related": [],
                  "fixes": [
                    {
                      "title": "remove it",
                      "edits": [
                        {
                          "range": {
                            "line": 3,
                            "column": 14,
                            "end_line": 3,
                            "end_column": 15
                          },
                          "text": ""
                        }
                      ]
                    }
                  ]
                }
              ]
            }
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn every_example_is_clean() {
    let run = run(&root(), &["check", "examples"], "");
    assert_eq!(run.code, Some(0), "{run}");
}

/// A kernel whose promise holds where one instruction picks from sixteen cells.
const FEW_CELLS: &str = "@no_gather
kernel look_up(c: f32[16], x: i32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = c[x[i] & 15]
";

/// What `check`, `explain` and `build` say of a promise is the same for each target: that of its last stage.
#[test]
fn promises_are_judged_for_the_target_that_is_asked_for() {
    let folder = Folder::new(&[("few.lane", FEW_CELLS)]);
    for target in ["sse4", "avx2", "avx512", "neon", "sve128", "sve256", "rvv128", "rvv512", "scalar"] {
        let last = folder.run(&["lower", "few.lane", "--stage", "final", "--target", target]);
        let refused = Some(i32::from(last.stdout.contains("gather(")));
        let check = folder.run(&["check", "few.lane", "--target", target]);
        assert_eq!(
            (check.code, check.stdout.contains("error[broken-no-gather]")),
            (refused, refused == Some(1)),
            "{check}"
        );
        let explain = folder.run(&["explain", "few.lane", "--target", target]);
        assert_eq!(explain.stdout.contains("loaded at once"), refused == Some(0), "{target}: {explain}");
        if has_llvm() {
            let build = folder.run(&["build", "few.lane", "-o", "out", "--target", target]);
            assert_eq!(build.code, refused, "{target}: {build}");
        }
    }
}

#[test]
fn findings_name_the_targets_that_they_are_about() {
    let folder = Folder::new(&[("few.lane", FEW_CELLS)]);
    let run = folder.run(&["check", "few.lane", "--target", "sse4,avx2", "--target", "avx2"]);
    assert!(run.stdout.contains("(on sse4)"), "{run}");
    let all = folder.run(&["check", "few.lane", "--target", "all", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&all.stdout).expect("JSON");
    let targets = report["diagnostics"][0]["targets"].as_array().expect("a list");
    assert!(targets.iter().any(|target| target == "scalar") && !targets.iter().any(|target| target == "avx2"), "{all}");
    // Without a target it is the usual one, and nothing is to be named.
    assert_eq!(folder.run(&["check", "few.lane"]).code, Some(0));
    let both = folder.run(&["explain", "few.lane", "--target", "sse4,avx2", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&both.stdout).expect("JSON");
    let of_targets: Vec<_> = report["kernels"].as_array().expect("kernels").iter().map(|it| &it["target"]).collect();
    assert_eq!(of_targets, ["sse4", "avx2"]);
}
