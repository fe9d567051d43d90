//! The command as a person or a script meets it: arguments and files in, output and exit code out.

mod support;

use std::io::Read;
use std::process::Stdio;

use expect_test::{Expect, expect};
use support::{Folder, command, root, run};

const BROKEN: &str = "kernel a(x, n)\n    x[0] = n\n";
const WHOLE: &str = "kernel a(x, n):\n    x[0] = n\n";

/// Runs the command in a folder with these files.
fn check(files: &[(&str, &str)], args: &[&str], expected: Expect) {
    expected.assert_eq(&Folder::new(files).run(args).to_string());
}

/// Runs the command with this standard input.
fn check_stdin(stdin: &str, args: &[&str], expected: Expect) {
    expected.assert_eq(&run(Folder::new(&[]).path(), args, stdin).to_string());
}

mod usage {
    use super::*;

    #[test]
    fn help_of_everything() {
        let folder = Folder::new(&[]);
        let mut help = folder.run(&["--help"]).to_string();
        for subcommand in tui::cli::subcommands() {
            help += &format!("\n=== {subcommand} ===\n{}", folder.run(&[&subcommand, "--help"]));
        }
        expect![[r#"
            See what the lanes of a data-parallel kernel do

            Usage: lanescope <FILE>...
                   lanescope <COMMAND>

            Commands:
              explore  Show a file: its source, its items, what is wrong, and the furthest stage (`lanescope
                       FILE` does the same)
              check    Find what is wrong with kernels
              explain  Say what the code of a finding means, and what lifts it
              lower    Print a program as it is at a stage on its way to vector code
              fmt      Bring files into the one canonical form
              help     Print this message or the help of the given subcommand(s)

            Arguments:
              <FILE>...  Files, folders (all `.lane` files in and under them), or `-` for standard input

            Options:
              -h, --help     Print help
              -V, --version  Print version

            Examples:
              lanescope examples/scale_audio.lane    show a file
              lanescope check examples/              find what is wrong in all files of a folder

            Exit codes: 0 done, 1 the kernels have errors (or a check failed), 2 wrong usage or no such file.
            --- exit 0 ---

            === explore ===
            Show a file: its source, its items, what is wrong, and the furthest stage (`lanescope FILE` does the
            same)

            Usage: lanescope explore <FILE>...

            Arguments:
              <FILE>...  Files, folders (all `.lane` files in and under them), or `-` for standard input

            Options:
              -h, --help  Print help

            Examples:
              lanescope explore examples/scale_audio.lane
              lanescope examples/scale_audio.lane            does the same
            --- exit 0 ---

            === check ===
            Find what is wrong with kernels

            Usage: lanescope check [OPTIONS] <FILE>...

            Arguments:
              <FILE>...  Files, folders (all `.lane` files in and under them), or `-` for standard input

            Options:
                  --deny <CODE>  Make findings with this code errors; may be given several times
                  --json         Print one JSON object, described in docs/json.md
              -h, --help         Print help

            Examples:
              lanescope check examples/
              lanescope check blur.lane --deny tab-indent
              lanescope check - --json < blur.lane
            --- exit 0 ---

            === explain ===
            Say what the code of a finding means, and what lifts it

            Usage: lanescope explain <CODE>

            Arguments:
              <CODE>  The code of a finding, as `check` prints it in brackets

            Options:
              -h, --help  Print help

            Examples:
              lanescope explain tab-indent
            --- exit 0 ---

            === lower ===
            Print a program as it is at a stage on its way to vector code

            Usage: lanescope lower [OPTIONS] [FILE]

            Arguments:
              [FILE]  A file, or `-` for standard input

            Options:
                  --kernel <NAME>  Print only this kernel (or `fn`, `struct`, `const`)
                  --stage <STAGE>  The stage to print, the furthest when left out; `list` names all and what
                                   they show
                  --json           Print one JSON object, described in docs/json.md
              -h, --help           Print help

            Examples:
              lanescope lower examples/scale_audio.lane
              lanescope lower blur.lane --kernel blur_rows --stage parsed
              lanescope lower --stage list
            --- exit 0 ---

            === fmt ===
            Bring files into the one canonical form

            Usage: lanescope fmt [OPTIONS] <FILE>...

            Arguments:
              <FILE>...  Files, folders (all `.lane` files in and under them), or `-` for standard input to
                         standard output

            Options:
                  --check  Write nothing: name the files that would change, and end with 1 if there are any
              -h, --help   Print help

            Examples:
              lanescope fmt examples/
              lanescope fmt --check examples/
              lanescope fmt - < blur.lane
            --- exit 0 ---
        "#]]
        .assert_eq(&help);
    }

    #[test]
    fn every_help_has_an_example() {
        let folder = Folder::new(&[]);
        for subcommand in tui::cli::subcommands() {
            let help = folder.run(&[&subcommand, "--help"]);
            assert_eq!(help.code, Some(0), "{subcommand}");
            assert!(help.stdout.contains(&format!("\n  lanescope {subcommand} ")), "{}", help.stdout);
        }
    }

    #[test]
    fn no_arguments_is_wrong_usage() {
        let run = Folder::new(&[]).run(&[]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("Usage: lanescope"), "{run}");
        assert_eq!(run.stdout, "");
    }

    #[test]
    fn version() {
        let version = concat!("lanescope ", env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(Folder::new(&[]).run(&["--version"]).stdout, version);
    }

    #[test]
    fn words_that_are_not_known() {
        check(
            &[("a.lane", WHOLE)],
            &["chekc", "a.lane"],
            expect![[r#"
            --- stderr ---
            lanescope: chekc: no such file or subcommand; did you mean `check`?
            --- exit 2 ---
        "#]],
        );
        check(
            &[("a.lane", WHOLE)],
            &["check", "a.lane", "--deny", "tab-indnet"],
            expect![[r#"
            --- stderr ---
            error: invalid value 'tab-indnet' for '--deny <CODE>': there is no such code; did you mean `tab-indent`?

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
        );
        check(
            &[("a.lane", WHOLE)],
            &["check", "a.lane", "--jsno"],
            expect![[r#"
            --- stderr ---
            error: unexpected argument '--jsno' found

              tip: a similar argument exists: '--json'

            Usage: lanescope check --json <FILE>...

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
        );
        check(
            &[("a.lane", WHOLE)],
            &["lower", "a.lane", "--stage", "prased"],
            expect![[r#"
            --- stderr ---
            error: invalid value 'prased' for '--stage <STAGE>': there is no such stage; did you mean `parsed`? (`--stage list` names them)

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
        );
        check(
            &[("a.lane", "kernel blur():\n    pass\n")],
            &["lower", "a.lane", "--kernel", "blurr"],
            expect![[r#"
            --- stderr ---
            lanescope: a.lane: there is no `blurr` in this file; did you mean `blur`?
            --- exit 2 ---
        "#]],
        );
        check(
            &[],
            &["lower"],
            expect![[r#"
            --- stderr ---
            error: a file to lower is missing, or `-` for standard input

            Usage: lanescope lower [OPTIONS] [FILE]

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
        );
    }
}

mod checking {
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

                Stage `parsed`: the tree that the text was parsed to; white space and line breaks are left out


                --- stderr ---
                lanescope: not a terminal: plain text, with the stage `parsed` at its end
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
                  "name": "parsed",
                  "changed": true,
                  "text": "",
                  "lines": []
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
                      "fixes": []
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
}

mod lowering {
    use super::*;

    #[test]
    fn the_stages_are_listed() {
        check(
            &[],
            &["lower", "--stage", "list"],
            expect![[r#"
            parsed  the tree that the text was parsed to; white space and line breaks are left out
            --- exit 0 ---
        "#]],
        );
    }

    #[test]
    fn a_tree_can_be_read() {
        check_stdin(
            "# é\n## Doc.\n@lanes(8)\nkernel a(x: f32[n], n):\n    # 😀\n    x[0] += -n if n > 0x2a else 1.5 # why\n",
            &["lower", "-", "--stage", "parsed"],
            expect![[r#"
                1:1-2:1    PREAMBLE COMMENT # é
                2:1-7:1    KERNEL
                2:1-2:8      DOC_COMMENT ## Doc.
                3:1-4:1      ATTR
                3:1-3:2        @
                3:2-3:7        NAME IDENT lanes
                3:7-3:10       ATTR_ARGS
                3:7-3:8          (
                3:8-3:9          LITERAL INT 8
                3:9-3:10         )
                4:1-4:7      kernel
                4:8-4:9      NAME IDENT a
                4:9-4:23     PARAM_LIST
                4:9-4:10       (
                4:10-4:19      PARAM
                4:10-4:11        NAME IDENT x
                4:11-4:12        :
                4:13-4:19        TYPE
                4:13-4:16          NAME_REF IDENT f32
                4:16-4:19          SIZE_LIST
                4:16-4:17            [
                4:17-4:18            NAME_REF IDENT n
                4:18-4:19            ]
                4:19-4:20      ,
                4:21-4:22      PARAM
                4:21-4:22        NAME IDENT n
                4:22-4:23      )
                4:23-4:24    :
                5:1-7:1      BLOCK
                5:5-5:8        COMMENT # 😀
                6:5-7:1        ASSIGN_STMT
                6:5-6:9          INDEX_EXPR
                6:5-6:6            NAME_REF IDENT x
                6:6-6:9            INDEX_LIST
                6:6-6:7              [
                6:7-6:8              LITERAL INT 0
                6:8-6:9              ]
                6:10-6:12        +=
                6:13-6:36        COND_EXPR
                6:13-6:15          PREFIX_EXPR
                6:13-6:14            -
                6:14-6:15            NAME_REF IDENT n
                6:16-6:18          if
                6:19-6:27          BIN_EXPR
                6:19-6:20            NAME_REF IDENT n
                6:21-6:22            >
                6:23-6:27            LITERAL INT 0x2a
                6:28-6:32          else
                6:33-6:36          LITERAL FLOAT 1.5
                6:37-6:42        COMMENT # why
                --- exit 0 ---
            "#]],
        );
    }

    #[test]
    fn errors_do_not_hide_the_tree() {
        check_stdin(
            "kernel a(x):\n    x[0] = ]\n",
            &["lower", "-"],
            expect![[r#"
            1:1-3:1    KERNEL
            1:1-1:7      kernel
            1:8-1:9      NAME IDENT a
            1:9-1:12     PARAM_LIST
            1:9-1:10       (
            1:10-1:11      PARAM
            1:10-1:11        NAME IDENT x
            1:11-1:12      )
            1:12-1:13    :
            2:1-3:1      BLOCK
            2:5-3:1        ASSIGN_STMT
            2:5-2:9          INDEX_EXPR
            2:5-2:6            NAME_REF IDENT x
            2:6-2:9            INDEX_LIST
            2:6-2:7              [
            2:7-2:8              LITERAL INT 0
            2:8-2:9              ]
            2:10-2:11        =
            2:12-2:13        ERROR ]
            --- stderr ---
            error[expected-expression]: expected an expression after `=`, found `]`
             --> <stdin>:2:11
              |
            2 |     x[0] = ]
              |           ^
            --- exit 1 ---
        "#]],
        );
    }

    #[test]
    fn one_kernel_of_several() {
        let text = "kernel a(x)\n    pass\n\nconst N = 1\n\nkernel b(y):\n    pass\n";
        check_stdin(
            text,
            &["lower", "-", "--kernel", "N"],
            expect![[r#"
            4:1-6:1    CONST
            4:1-4:6      const
            4:7-4:8      NAME IDENT N
            4:9-4:10     =
            4:11-4:12    LITERAL INT 1
            --- exit 0 ---
        "#]],
        );
        check_stdin(
            text,
            &["lower", "-", "--kernel", "b", "--json"],
            expect![[r#"
            {
              "version": 1,
              "file": "<stdin>",
              "stages": [
                {
                  "name": "parsed",
                  "changed": true,
                  "text": "6:1-8:1    KERNEL\n6:1-6:7      kernel\n6:8-6:9      NAME IDENT b\n6:9-6:12     PARAM_LIST\n6:9-6:10       (\n6:10-6:11      PARAM\n6:10-6:11        NAME IDENT y\n6:11-6:12      )\n6:12-6:13    :\n7:1-8:1      BLOCK\n7:5-8:1        PASS_STMT pass\n",
                  "lines": [
                    {
                      "line": 1,
                      "source_range": {
                        "line": 6,
                        "column": 1,
                        "end_line": 8,
                        "end_column": 1
                      }
                    },
                    {
                      "line": 2,
                      "source_range": {
                        "line": 6,
                        "column": 1,
                        "end_line": 6,
                        "end_column": 7
                      }
                    },
                    {
                      "line": 3,
                      "source_range": {
                        "line": 6,
                        "column": 8,
                        "end_line": 6,
                        "end_column": 9
                      }
                    },
                    {
                      "line": 4,
                      "source_range": {
                        "line": 6,
                        "column": 9,
                        "end_line": 6,
                        "end_column": 12
                      }
                    },
                    {
                      "line": 5,
                      "source_range": {
                        "line": 6,
                        "column": 9,
                        "end_line": 6,
                        "end_column": 10
                      }
                    },
                    {
                      "line": 6,
                      "source_range": {
                        "line": 6,
                        "column": 10,
                        "end_line": 6,
                        "end_column": 11
                      }
                    },
                    {
                      "line": 7,
                      "source_range": {
                        "line": 6,
                        "column": 10,
                        "end_line": 6,
                        "end_column": 11
                      }
                    },
                    {
                      "line": 8,
                      "source_range": {
                        "line": 6,
                        "column": 11,
                        "end_line": 6,
                        "end_column": 12
                      }
                    },
                    {
                      "line": 9,
                      "source_range": {
                        "line": 6,
                        "column": 12,
                        "end_line": 6,
                        "end_column": 13
                      }
                    },
                    {
                      "line": 10,
                      "source_range": {
                        "line": 7,
                        "column": 1,
                        "end_line": 8,
                        "end_column": 1
                      }
                    },
                    {
                      "line": 11,
                      "source_range": {
                        "line": 7,
                        "column": 5,
                        "end_line": 8,
                        "end_column": 1
                      }
                    }
                  ]
                }
              ],
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
        );
        let broken = run(Folder::new(&[]).path(), &["lower", "-", "--kernel", "a", "--json"], text);
        assert_eq!(broken.code, Some(1), "{broken}");
    }

    #[test]
    fn a_folder_is_no_file() {
        check(
            &[("k/a.lane", WHOLE)],
            &["lower", "k"],
            expect![[r#"
            --- stderr ---
            lanescope: k: a folder, where one file is wanted
            --- exit 2 ---
        "#]],
        );
    }
}

mod exploring {
    use super::*;

    #[test]
    fn a_file_as_a_whole() {
        let text = "\
## Twice as much.
## And more.
fn twice(
    x, # what
): # how
    return 2 * x

struct Point:
    x: f32

kernel a(p: Point[n], n: i32) -> f32:
\treturn twice(p[0].x)
";
        check(
            &[("a.lane", text)],
            &["a.lane"],
            expect![[r#"
                a.lane

                   1 | ## Twice as much.
                   2 | ## And more.
                   3 | fn twice(
                   4 |     x, # what
                   5 | ): # how
                   6 |     return 2 * x
                   7 |
                   8 | struct Point:
                   9 |     x: f32
                  10 |
                  11 | kernel a(p: Point[n], n: i32) -> f32:
                  12 |     return twice(p[0].x)

                Items

                  fn twice(x)  line 3
                      Twice as much.
                  struct Point  line 8
                  kernel a(p: Point[n], n: i32) -> f32  line 11

                Findings

                error[tab-indent]: a line is indented with tabs
                  --> a.lane:12:1
                   |
                12 |     return twice(p[0].x)
                   | ^^^^
                   |
                   = help: indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces
                help: indent with spaces
                   |
                12 |     return twice(p[0].x)
                   | ++++

                1 error in 1 file

                Stage `parsed`: the tree that the text was parsed to; white space and line breaks are left out

                  1:1-8:1      FN
                  1:1-1:18       DOC_COMMENT ## Twice as much.
                  2:1-2:13       DOC_COMMENT ## And more.
                  3:1-3:3        fn
                  3:4-3:9        NAME IDENT twice
                  3:9-5:2        PARAM_LIST
                  3:9-3:10         (
                  4:5-4:6          PARAM
                  4:5-4:6            NAME IDENT x
                  4:6-4:7          ,
                  4:8-4:14         COMMENT # what
                  5:1-5:2          )
                  5:2-5:3        :
                  5:4-5:9        COMMENT # how
                  6:1-7:1        BLOCK
                  6:5-7:1          RETURN_STMT
                  6:5-6:11           return
                  6:12-6:17          BIN_EXPR
                  6:12-6:13            LITERAL INT 2
                  6:14-6:15            *
                  6:16-6:17            NAME_REF IDENT x
                  8:1-11:1     STRUCT
                  8:1-8:7        struct
                  8:8-8:13       NAME IDENT Point
                  8:13-8:14      :
                  9:1-10:1       BLOCK
                  9:5-10:1         FIELD_DEF
                  9:5-9:6            NAME IDENT x
                  9:6-9:7            :
                  9:8-9:11           TYPE
                  9:8-9:11             NAME_REF IDENT f32
                  11:1-13:1    KERNEL
                  11:1-11:7      kernel
                  11:8-11:9      NAME IDENT a
                  11:9-11:30     PARAM_LIST
                  11:9-11:10       (
                  11:10-11:21      PARAM
                  11:10-11:11        NAME IDENT p
                  11:11-11:12        :
                  11:13-11:21        TYPE
                  11:13-11:18          NAME_REF IDENT Point
                  11:18-11:21          SIZE_LIST
                  11:18-11:19            [
                  11:19-11:20            NAME_REF IDENT n
                  11:20-11:21            ]
                  11:21-11:22      ,
                  11:23-11:29      PARAM
                  11:23-11:24        NAME IDENT n
                  11:24-11:25        :
                  11:26-11:29        TYPE
                  11:26-11:29          NAME_REF IDENT i32
                  11:29-11:30      )
                  11:31-11:37    RET_TYPE
                  11:31-11:33      ->
                  11:34-11:37      TYPE
                  11:34-11:37        NAME_REF IDENT f32
                  11:37-11:38    :
                  12:1-13:1      BLOCK
                  12:2-13:1        RETURN_STMT
                  12:2-12:8          return
                  12:9-12:22         CALL_EXPR
                  12:9-12:14           NAME_REF IDENT twice
                  12:14-12:22          ARG_LIST
                  12:14-12:15            (
                  12:15-12:21            FIELD_EXPR
                  12:15-12:19              INDEX_EXPR
                  12:15-12:16                NAME_REF IDENT p
                  12:16-12:19                INDEX_LIST
                  12:16-12:17                  [
                  12:17-12:18                  LITERAL INT 0
                  12:18-12:19                  ]
                  12:19-12:20              .
                  12:20-12:21              NAME_REF IDENT x
                  12:21-12:22            )

                --- stderr ---
                lanescope: not a terminal: plain text, with the stage `parsed` at its end
                --- exit 1 ---
            "#]],
        );
    }

    #[test]
    fn by_its_name_or_without_it() {
        let folder = Folder::new(&[("a.lane", WHOLE)]);
        assert_eq!(folder.run(&["a.lane"]).to_string(), folder.run(&["explore", "a.lane"]).to_string());
        let stdin = run(folder.path(), &["-"], WHOLE);
        assert_eq!(stdin.stdout.replace("<stdin>", "a.lane"), folder.run(&["a.lane"]).stdout);
    }
}

mod explaining {
    use super::*;

    #[test]
    fn a_code_has_a_page() {
        let run = Folder::new(&[]).run(&["explain", "tab-indent"]);
        let page = tui::catalogue::page("tab-indent").expect("a page");
        assert_eq!(run.to_string(), format!("{page}\n--- exit 0 ---\n"));
        check(
            &[],
            &["explain", "tab-indnet"],
            expect![[r#"
            --- stderr ---
            error: invalid value 'tab-indnet' for '<CODE>': there is no such code; did you mean `tab-indent`?

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
        );
    }
}

mod formatting {
    use super::*;

    const LOOSE: &str = "kernel  a( x,n ):\n  x[0]=n # é\n";

    #[test]
    fn files_are_brought_into_form_and_only_when_that_changes_them() {
        let folder = Folder::new(&[("a.lane", LOOSE), ("k/b.lane", WHOLE)]);
        let modified =
            |name: &str| folder.path().join(name).metadata().and_then(|data| data.modified()).expect("a time");
        let before = modified("k/b.lane");
        expect![[r#"
            a.lane changed
            2 files, 1 changed
            --- exit 0 ---
        "#]]
        .assert_eq(&folder.run(&["fmt", "a.lane", "k"]).to_string());
        expect![[r#"
            kernel a(x, n):
                x[0] = n  # é
        "#]]
        .assert_eq(&folder.read("a.lane"));
        assert_eq!(modified("k/b.lane"), before);
        expect![[r#"
            2 files, 0 changed
            --- exit 0 ---
        "#]]
        .assert_eq(&folder.run(&["fmt", "."]).to_string());
        let left: Vec<_> = folder.path().read_dir().expect("a folder").collect();
        assert_eq!(left.len(), 2, "no other file is left behind: {left:?}");
    }

    #[test]
    fn a_check_changes_nothing() {
        let folder = Folder::new(&[("a.lane", LOOSE), ("b.lane", WHOLE)]);
        expect![[r#"
            ./a.lane would change
            2 files, 1 would change
            --- exit 1 ---
        "#]]
        .assert_eq(&folder.run(&["fmt", "--check", "."]).to_string());
        assert_eq!(folder.read("a.lane"), LOOSE);
        expect![[r#"
            1 file, 0 would change
            --- exit 0 ---
        "#]]
        .assert_eq(&folder.run(&["fmt", "--check", "b.lane"]).to_string());
    }

    #[test]
    fn standard_input_goes_to_standard_output() {
        check_stdin(
            LOOSE,
            &["fmt", "-"],
            expect![[r#"
            kernel a(x, n):
                x[0] = n  # é
            --- exit 0 ---
        "#]],
        );
        check_stdin(
            LOOSE,
            &["fmt", "-", "--check"],
            expect![[r#"
            <stdin> would change
            1 file, 1 would change
            --- exit 1 ---
        "#]],
        );
        check_stdin(
            "",
            &["fmt", "-"],
            expect![[r#"
            --- exit 0 ---
        "#]],
        );
    }

    #[test]
    fn mistakes_are_not_its_business() {
        check_stdin(
            "kernel a( x )\n    x[0]=1\n    x[1] = = 2\n    x[ 2 ]=3\n",
            &["fmt", "-"],
            expect![[r#"
            kernel a( x )
                x[0] = 1
                x[1] = = 2
                x[2] = 3
            --- exit 0 ---
        "#]],
        );
    }

    #[test]
    fn every_example_is_in_form() {
        let run = run(&root(), &["fmt", "--check", "examples"], "");
        assert_eq!(run.code, Some(0), "{run}");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_are_kept() {
        use std::fs::{Permissions, metadata, set_permissions, symlink_metadata};
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = Folder::new(&[("a.lane", LOOSE), ("fixed.lane", LOOSE)]);
        let path = |name: &str| folder.path().join(name);
        set_permissions(path("a.lane"), Permissions::from_mode(0o640)).expect("permissions");
        set_permissions(path("fixed.lane"), Permissions::from_mode(0o444)).expect("permissions");
        symlink("a.lane", path("link.lane")).expect("a link");
        assert_eq!(folder.run(&["fmt", "link.lane"]).code, Some(0));
        assert_ne!(folder.read("a.lane"), LOOSE);
        assert_eq!(metadata(path("a.lane")).expect("a file").permissions().mode() & 0o777, 0o640);
        assert!(symlink_metadata(path("link.lane")).expect("a link").is_symlink());
        expect![[r#"
            1 file, 0 changed
            --- stderr ---
            lanescope: fixed.lane: cannot be written: the file is read-only
            --- exit 2 ---
        "#]]
        .assert_eq(&folder.run(&["fmt", "fixed.lane"]).to_string());
        assert_eq!(folder.read("fixed.lane"), LOOSE);
    }
}

mod pipes {
    use super::*;

    #[test]
    fn a_reader_that_goes_away_is_no_panic() {
        let text = BROKEN.repeat(5000);
        let folder = Folder::new(&[("a.lane", &text)]);
        for args in [&["check", "a.lane"][..], &["a.lane"], &["lower", "a.lane"], &["check", "a.lane", "--json"]] {
            let mut child = command(folder.path(), args)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the command starts");
            drop(child.stdout.take());
            let output = child.wait_with_output().expect("the command ends");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!stderr.contains("panic") && !stderr.contains("Broken pipe"), "{args:?}: {stderr}");
            assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
        }
    }

    #[test]
    fn no_colour_where_there_is_no_terminal() {
        let folder = Folder::new(&[("a.lane", BROKEN)]);
        for args in [&["check", "a.lane"][..], &["a.lane"]] {
            let output = command(folder.path(), args).env("CLICOLOR_FORCE", "1").output().expect("it runs");
            assert!(!output.stdout.contains(&0x1b), "{args:?}");
        }
    }
}

#[cfg(unix)]
mod terminals {
    use std::fs::{File, OpenOptions};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    /// Runs the command with a terminal as standard output and standard error; what the terminal got.
    fn on_a_terminal(folder: &Folder, args: &[&str], variables: &[(&str, &str)]) -> String {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("a terminal");
        unlockpt(&ours).expect("a terminal");
        let path = ptsname(&ours, Vec::new()).expect("a terminal's name");
        let theirs = OpenOptions::new().read(true).write(true).open(path.to_str().expect("UTF-8")).expect("a terminal");
        let mut child = command(folder.path(), args);
        child.envs(variables.iter().copied()).stdin(Stdio::null());
        child.stdout(theirs.try_clone().expect("a copy")).stderr(theirs);
        let mut running = child.spawn().expect("the command starts");
        // This side reads the end only once no other process holds the terminal open, and the builder does.
        drop(child);
        let mut bytes = Vec::new();
        // The end of a terminal is an error on Linux and an end on others.
        let _ = File::from(ours).read_to_end(&mut bytes);
        running.wait().expect("the command ends");
        String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
    }

    #[test]
    fn colour_on_a_terminal_but_not_with_no_color() {
        let folder = Folder::new(&[("a.lane", BROKEN)]);
        for args in [&["check", "a.lane"][..], &["a.lane"], &["lower", "--stage", "list"]] {
            assert!(on_a_terminal(&folder, args, &[]).contains("\x1b["), "{args:?}");
            let plain = on_a_terminal(&folder, args, &[("NO_COLOR", "1")]);
            assert!(!plain.contains('\x1b'), "{args:?}: {plain}");
            assert_eq!(plain, folder.run(args).stdout, "{args:?}");
        }
    }

    #[test]
    fn a_check_of_the_form_shows_the_difference() {
        let folder = Folder::new(&[("a.lane", "kernel a(x):\n  x[0]=1\n")]);
        expect![[r#"
            a.lane would change
            @@ -1,2 +1,2 @@
             kernel a(x):
            -  x[0]=1
            +    x[0] = 1
            1 file, 1 would change
        "#]]
        .assert_eq(&on_a_terminal(&folder, &["fmt", "--check", "a.lane"], &[("NO_COLOR", "1")]));
    }

    #[test]
    fn progress_over_many_files_leaves_nothing_behind() {
        let names: Vec<_> = (0..30).map(|n| format!("{n}.lane")).collect();
        let files: Vec<_> = names.iter().map(|name| (name.as_str(), WHOLE)).collect();
        let shown = on_a_terminal(&Folder::new(&files), &["check", "."], &[]);
        assert!(shown.starts_with("\r\x1b[Kchecking 1/30 ./0.lane"), "{shown:?}");
        assert!(shown.ends_with("\r\x1b[K30 files: nothing to complain about\n"), "{shown:?}");
        let few = on_a_terminal(&Folder::new(&files[..3]), &["check", "."], &[]);
        assert_eq!(few, "3 files: nothing to complain about\n");
    }
}
