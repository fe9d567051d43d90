//! `run`: arguments, results, errors of the program.

use super::*;

const SCALE: &str = "kernel scale(a, out, n, by):\n    for i in range(n):\n        out[i] = a[i] * by\n";

#[test]
fn every_written_array_is_printed() {
    let args = ["run", "-", "--arg", "a=ramp(4)", "--arg", "out=zeros(4)", "--arg", "n=4", "--arg", "by=0.5"];
    check_stdin(
        SCALE,
        &args,
        expect![[r#"
        out = [0.0, 0.5, 1.0, 1.5]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        SCALE,
        &[&args[..], &["--json"]].concat(),
        expect![[r#"
            {
              "version": 1,
              "result": null,
              "arrays": {
                "out": [
                  0.0,
                  0.5,
                  1.0,
                  1.5
                ]
              },
              "error": null,
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn results_that_are_no_scalars_need_not_be_given() {
    let text = "struct Hit:\n    at: i32\n    value: f32\n\nkernel least(a: f32[n], n: i32) -> Hit:\n    let hit = Hit(-1, inf)\n    \
                for i, x in enumerate(a):\n        if x < hit.value:\n            hit = Hit(i, x)\n    return hit\n\n\
                kernel ends(a: f32[n], n: i32) -> (f32, f32):\n    return minimum(a), maximum(a)\n";
    let args = ["run", "-", "--arg", "n=3", "--arg", "a=[3, 1, 2]", "--kernel"];
    check_stdin(
        text,
        &[&args[..], &["least"]].concat(),
        expect![[r#"
            result = [1, 1.0]
            --- exit 0 ---
        "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["ends"]].concat(),
        expect![[r#"
            result0 = [1.0]
            result1 = [3.0]
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn results_and_special_numbers() {
    let text =
        "kernel k(a: f64[n], b: u8[n], n: i32) -> f64:\n    b[0] = 255\n    a[1] = -a[1]\n    return a[0] / 0.0\n";
    let args = ["run", "-", "--arg", "n=3", "--arg", "a=[1, 0, nan]", "--arg", "b=fill(3, 7)"];
    check_stdin(
        text,
        &args,
        expect![[r#"
        inf
        a = [1.0, -0.0, nan]
        b = [255, 7, 7]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["--json"]].concat(),
        expect![[r#"
            {
              "version": 1,
              "result": "inf",
              "arrays": {
                "a": [
                  1.0,
                  -0.0,
                  "NaN"
                ],
                "b": [
                  255,
                  7,
                  7
                ]
              },
              "error": null,
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn an_error_of_the_program_is_drawn_where_it_happened() {
    let args = ["run", "-", "--arg", "a=ramp(4)", "--arg", "out=zeros(3)", "--arg", "n=4", "--arg", "by=2"];
    check_stdin(
        SCALE,
        &args,
        expect![[r#"
            out = [0.0, 2.0, 4.0]
            error[index-out-of-range]: the index 3 is outside of `out`, whose size there is 3
             --> <stdin>:3:9
              |
            3 |         out[i] = a[i] * by
              |         ^^^^^^
              |
              = help: in iteration 3

            --- exit 1 ---
        "#]],
    );
}

#[test]
fn arguments_that_do_not_fit() {
    let with = |extra: &[&'static str]| [&["run", "-"], extra].concat();
    check_stdin(
        SCALE,
        &with(&["--arg", "a=ramp(4)"]),
        expect![[r#"
        --- stderr ---
        lanescope: no value is given for `out`, `n`, `by`; add `--arg NAME=...`
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        SCALE,
        &with(&["--arg", "b=ramp(4)"]),
        expect![[r#"
        --- stderr ---
        lanescope: `scale` has no parameter `b`
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        SCALE,
        &with(&["--arg", "a=ramp"]),
        expect![[r#"
        --- stderr ---
        error: invalid value 'a=ramp' for '--arg <NAME=SPEC>': `ramp` is no SPEC; a SPEC is a number, `[1, 2.5, 3]`, `"text"`, `ramp(n)`, `random(n, seed)`, `zeros(n)`, `fill(n, x)`, `@file.npy`, or `a[3:]`

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
    let matrix = "kernel k(m: f32[r, c], r: i32, c: i32):\n    m[0, 0] = 1\n";
    check_stdin(
        matrix,
        &with(&["--arg", "m=ramp(5)", "--arg", "r=2", "--arg", "c=3"]),
        expect![[r#"
        --- stderr ---
        lanescope: `m` is given 5 elements, and its type says [2, 3], which is 6
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        matrix,
        &with(&["--arg", "m=ramp(6)", "--arg", "r=2.5", "--arg", "c=3"]),
        expect![[r#"
        --- stderr ---
        lanescope: `2.5` is no `i32`, which `r` takes
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn sizes_that_divide() {
    let text = "kernel k(a: f32[n / 2], b: f32[2 * (n // m) + n % 3], n: i32, m: i32):\n    a[0] = 1\n    b[0] = 2\n";
    let of = |a: &'static str, b: &'static str, m: &'static str| {
        ["run", "-", "--arg", a, "--arg", b, "--arg", "n=7", "--arg", m]
    };
    check_stdin(
        text,
        &of("a=zeros(3)", "b=zeros(5)", "m=3"),
        expect![[r#"
        a = [1.0, 0.0, 0.0]
        b = [2.0, 0.0, 0.0, 0.0, 0.0]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &of("a=zeros(4)", "b=zeros(5)", "m=3"),
        expect![[r#"
        --- stderr ---
        lanescope: `a` is given 4 elements, and its type says 3
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        text,
        &of("a=zeros(3)", "b=zeros(5)", "m=0"),
        expect![[r#"
        --- stderr ---
        lanescope: no number stands for the size of `b`: it divides by 0, or is too large
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        text,
        &["lower", "-"],
        expect![[r#"
        kernel k(a: f32[(n / 2)], b: f32[((2 * (n // m)) + (n % 3))], n, m):
            a[0] = 1.0
            b[0] = 2.0
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn sizes_that_have_to_be_the_same_are_checked_by_both_engines() {
    let half = "fn half(a: f32[k / d], k: i32, d: i32) -> f32[k]:\n    return a[0:k / d]\n\n";
    let ways = [
        "    let x: f32[m] = a\n    a[0] = x[0]\n",
        "    let x = half(a, 2 * m, 2)\n    a[0] = x[0]\n",
        "    let x = half(a, n, n - 3)\n    a[0] = x[0]\n",
    ];
    for way in ways {
        let text = format!("{half}kernel k(a: f32[n], n: i32, m: i32):\n{way}");
        let ends = ["interp", "scalar"].map(|engine| {
            let args = ["run", "-", "--arg", "a=ramp(3)", "--arg", "n=3", "--arg", "m=4", "--engine", engine];
            let ended = run(Folder::new(&[]).path(), &args, &text).to_string();
            let end: Vec<_> = ended.lines().filter(|line| line.contains("error[") || line.contains("-->")).collect();
            assert!(end.len() == 2 && end[0].starts_with("error[size-mismatch]"), "{ended}");
            end[1].to_owned()
        });
        assert_eq!(ends[0], ends[1], "{text}");
    }
}

#[test]
fn an_argument_is_given_once() {
    check_stdin(
        SCALE,
        &["run", "-", "--arg", "n=4", "--arg", "by=1", "--arg", "n=5"],
        expect![[r#"
        --- stderr ---
        lanescope: `n` is given more than once
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn a_file_of_numbers_that_is_not_there() {
    let args = ["run", "-", "--arg", "a=@nofile.npy", "--arg", "out=zeros(1)", "--arg", "n=1", "--arg", "by=1"];
    check_stdin(
        SCALE,
        &args,
        expect![[r#"
        --- stderr ---
        lanescope: nofile.npy: no such file or folder
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn the_interpreter_runs_the_stage_that_is_asked_for() {
    // The `final` stage has loop-invariant code outside of the loop, so the steps suffice.
    let text =
        "kernel k(a: f32[n], n: i32, x: f32):\n    for i in range(n):\n        a[i] = (x + 1) * (x + 1) * (x + 2)\n";
    let args = ["run", "-", "--arg", "a=ramp(4)", "--arg", "n=4", "--arg", "x=1", "--fuel", "20"];
    check_stdin(
        text,
        &[&args[..], &["--stage", "sequential"]].concat(),
        expect![[r#"
        --- stderr ---
        lanescope: stopped after 20 steps: does a loop never end?
        --- exit 1 ---
    "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["--stage", "final"]].concat(),
        expect![[r#"
        a = [12.0, 12.0, 12.0, 12.0]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &args,
        expect![[r#"
            --- stderr ---
            lanescope: stopped after 20 steps: does a loop never end?
            --- exit 1 ---
        "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["--stage", "typed"]].concat(),
        expect![[r#"
            --- stderr ---
            error: invalid value 'typed' for '--stage <STAGE>': `typed` cannot be run; what can is `arrays`, `sequential`, `parallel`, `vector`, `specialised`, `memory`, `packed`, `final`

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["--stage", "finl"]].concat(),
        expect![[r#"
        --- stderr ---
        error: invalid value 'finl' for '--stage <STAGE>': there is no such stage; did you mean `final`? (`lower --stage list` names them)

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        text,
        &[&args[..], &["--stage", "final", "--engine", "scalar"]].concat(),
        expect![[r#"
        --- stderr ---
        error: `--stage` says what the interpreter runs; `--engine scalar` runs the program as it is written

        Usage: lanescope run [OPTIONS] <FILE>

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn arrays_that_overlap_and_kernels_that_never_end() {
    let text = "@alias(a, b)\nkernel shift(a: i32[n], b: i32[m], n: i32, m: i32):\n    for i in range(m):\n        a[i] = b[i]\n";
    let args = ["run", "-", "--arg", "a=ramp(6)", "--arg", "b=a[2:]", "--arg", "n=6", "--arg", "m=4"];
    check_stdin(
        text,
        &args,
        expect![[r#"
        a = [2, 3, 4, 5, 4, 5]
        --- exit 0 ---
    "#]],
    );
    let forever = "kernel k(a):\n    while a[0] == 0:\n        pass\n";
    check_stdin(
        forever,
        &["run", "-", "--arg", "a=zeros(1)", "--fuel", "1000"],
        expect![[r#"
            --- stderr ---
            lanescope: stopped after 1000 steps: does a loop never end?
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn what_is_in_error_or_cannot_be_lowered_is_refused() {
    check_stdin(
        "kernel k(a):\n    a[0] = b\n",
        &["run", "-", "--arg", "a=zeros(1)"],
        expect![[r#"
            error[unknown-name]: nothing here is called `b`
             --> <stdin>:2:12
              |
            2 |     a[0] = b
              |            ^
              |
              = help: a name must be defined above: as a parameter, with `let`, or by an assignment
            help: add the parameter `b`
              |
            1 | kernel k(a, b):
              |           +++

            --- exit 1 ---
        "#]],
    );
    let later = "kernel k(a: f32[n], n: i32):\n    a[0] = reduce(+, 0, a)\n";
    check_stdin(
        later,
        &["run", "-", "--arg", "a=zeros(2)", "--arg", "n=2"],
        expect![[r#"
            a = [0.0, 0.0]
            --- exit 0 ---
        "#]],
    );
    let two = "kernel a(x):\n    x[0] = 1\nkernel b(x):\n    x[0] = y\n";
    check_stdin(
        two,
        &["run", "-", "--kernel", "a", "--arg", "x=zeros(1)"],
        expect![[r#"
        x = [1.0]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        two,
        &["run", "-", "--kernel", "c"],
        expect![[r#"
        --- stderr ---
        lanescope: <stdin>: there is no kernel `c` in this file
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn both_engines_say_the_same() {
    let text = "struct P:\n    x: f32\n    n: u8\n@alias(a, b)\nkernel k(a: i32[n], b: i32[m], p: P[2], n: i32, m: i32) -> i32:\n    for i in range(m):\n        a[i] = b[i] + 1\n    p[1].n = p[0].n\n    return a[n - 1] / b[0]\n";
    let args = [
        "run",
        "-",
        "--arg",
        "a=ramp(6)",
        "--arg",
        "b=a[2:]",
        "--arg",
        "p=[1.5, 7, 0, 0]",
        "--arg",
        "n=6",
        "--arg",
        "m=4",
    ];
    let interp = [&args[..], &["--engine", "interp"]].concat();
    let scalar = [&args[..], &["--engine", "scalar"]].concat();
    check_stdin(
        text,
        &interp,
        expect![[r#"
        1
        a = [3, 4, 5, 6, 4, 5]
        p = [1.5, 7, 0.0, 7]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &scalar,
        expect![[r#"
        1
        a = [3, 4, 5, 6, 4, 5]
        p = [1.5, 7, 0.0, 7]
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn a_kernel_that_is_not_run_says_why_as_json_too() {
    let text = "kernel k(a: f32[n], n: i32):\n    a[0] = n\n";
    check_stdin(
        text,
        &["run", "-", "--arg", "a=zeros(1)", "--arg", "n=1", "--json"],
        expect![[r#"
        {
          "version": 1,
          "result": null,
          "arrays": {},
          "error": null,
          "diagnostics": [
            {
              "file": "<stdin>",
              "range": {
                "line": 2,
                "column": 12,
                "end_line": 2,
                "end_column": 13
              },
              "severity": "error",
              "code": "type-mismatch",
              "message": "what is assigned to is `f32`, and its new value is `i32`",
              "help": "no conversion is implicit; a cast such as `f32(x)` says it",
              "related": [
                {
                  "range": {
                    "line": 1,
                    "column": 13,
                    "end_line": 1,
                    "end_column": 19
                  },
                  "message": "`a` is `f32[n]`"
                },
                {
                  "range": {
                    "line": 1,
                    "column": 24,
                    "end_line": 1,
                    "end_column": 27
                  },
                  "message": "`n` is `i32`"
                }
              ],
              "fixes": [
                {
                  "title": "convert it to `f32`",
                  "edits": [
                    {
                      "range": {
                        "line": 2,
                        "column": 12,
                        "end_line": 2,
                        "end_column": 12
                      },
                      "text": "f32("
                    },
                    {
                      "range": {
                        "line": 2,
                        "column": 13,
                        "end_line": 2,
                        "end_column": 13
                      },
                      "text": ")"
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
    let text = "kernel k(a: f32[n], n: i32) -> f32:\n    return reduce(+, 0, a)\n";
    check_stdin(
        text,
        &["run", "-", "--arg", "a=zeros(1)", "--arg", "n=1", "--json"],
        expect![[r#"
            {
              "version": 1,
              "result": 0.0,
              "arrays": {},
              "error": null,
              "diagnostics": []
            }
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn instances_of_a_kernel_are_named_by_the_file_or_by_their_arguments() {
    let text = "kernel shift[R: const i32, T = f32](a: T[n], out: T[n], n: i32):\n    for i in range(n - R):\n        \
                out[i] = a[i + R]\n\nkernel shift1 = shift[1]\n";
    let run = |kernel| {
        let args = ["--arg", "a=ramp(4)", "--arg", "out=zeros(4)", "--arg", "n=4"];
        [&["run", "-", "--kernel", kernel][..], &args[..]].concat()
    };
    check_stdin(
        text,
        &run("shift1"),
        expect![[r#"
        out = [1.0, 2.0, 3.0, 0.0]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &run("shift[R=2, T=i16]"),
        expect![[r#"
        out = [2, 3, 0, 0]
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        text,
        &run("shift"),
        expect![[r#"
        --- stderr ---
        lanescope: <stdin>: the kernel `shift` has no value for `R`: name an instance, as in `shift[R=1]`, or one that the file names
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        text,
        &run("shift[1, 2, 3]"),
        expect![[r#"
        --- stderr ---
        lanescope: <stdin>: `shift[1, 2, 3]` gives other arguments than `shift[R: const i32, T]` takes
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        text,
        &["lower", "-", "--kernel", "shift[3]", "--stage", "sequential"],
        expect![[r#"
        kernel shift_3(a: f32[n], out: f32[n], n):
            for i in range(0, (n - 3)):
                out[i] = a[(i + 3)]
        --- exit 0 ---
    "#]],
    );
}
