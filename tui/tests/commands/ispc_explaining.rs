//! ISPC files in `explain` and `fmt`, and the lines of their source in `asm`.

use super::*;

const SHADE: &str = "\
#include \"by.isph\"
struct Ray { float x, y, z; };
static float one(const uniform Ray rays[], int which, uniform int n) {
    int twice = BY * n;
    return rays[which].y + twice;
}
export void shade(uniform Ray rays[], const uniform int index[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float s = rays[i].x;
        if (s > 0.5f)
            s = one(rays, index[i], n);
        while (s > 1)
            s = s / 2;
        for (uniform int j = 0; j < 3; j++)
            s += out[j];
        out[i] = n > 2 ? s : 0;
    }
}
";

fn files() -> [(&'static str, &'static str); 2] {
    [("shade.ispc", SHADE), ("include/by.isph", "#define BY 2\n")]
}

#[test]
fn functions_loops_and_branches_come_first_and_then_what_costs() {
    check(
        &files(),
        &["explain", "shade.ispc", "-I", "include", "--target", "avx2"],
        expect![[r#"
            function one  shade.ispc:3  accesses: 1 each its own
              4 |     int twice = BY * n;
                |         ^^^^^ could be uniform
                |               `twice` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is
                |               used: it takes 32 bytes of vector registers where one number would do
                |               to lift it: declare it `uniform`
              5 |     return rays[which].y + twice;
                |            ^^^^^^^^^^^^^ gather
                |                          `rays[which].y`: each lane has to load from a cell of its own
                |                          <- `which` is a parameter with a value of its own in each lane
                |                          to lift it: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where
                |                          they run along the cells, a subscript that is a row makes it a vector load

            export shade  shade.ispc:7  accesses: 1 of one cell, 2 of neighbours, 1 strided
            loop in line 8, `foreach`: the 8 lanes run along `i`; accesses: 2 of neighbours, 1 strided
            branch in line 10, `if`: lanes may go different ways
            loop in line 12, `while`: lanes leave one by one
            loop in line 14, `for`: all lanes leave together, since the condition is uniform; accesses: 1 of one cell
              9 |         float s = rays[i].x;
                |                   ^^^^^^^^^ strided by 3
                |                             `rays[i].x`: the lanes load from cells that lie a struct apart: `Ray` has 12 bytes
                |                             <- the lanes run along `i` (line 8)
                |                             to lift it: store each member in an array of its own, or make the array one of `soa<…>` structs: then
                |                             neighbouring lanes have neighbouring cells
             10 |         if (s > 0.5f)
                |             ^^^^^^^^ lanes may go different ways
                |                      <- `s` has its value from here (line 9)
                |                      <- `rays[i].x` is loaded from another cell in each lane
                |                      <- the lanes run along `i` (line 8)
             12 |         while (s > 1)
                |         ^^^^^^^^^^^^^ lanes leave one by one
                |                       <- lanes go different ways at `s > 0.5f` (line 10)
                |                       <- `s` has its value from here (line 9)
                |                       <- `rays[i].x` is loaded from another cell in each lane
                |                       <- the lanes run along `i` (line 8)
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn a_line_is_explained_down_to_its_expressions() {
    let args = ["explain", "shade.ispc", "-I", "include", "--target", "avx2", "--line"];
    let at = |line: &'static str| [&args[..], &[line]].concat();
    check(
        &files(),
        &at("11"),
        expect![[r#"
            export shade  shade.ispc:7  accesses: 1 of one cell, 2 of neighbours, 1 strided
             11 |             s = one(rays, index[i], n);
                |             ^^^^^^^^^^^^^^^^^^^^^^^^^^ varying
                |                                        <- `one(rays, index[i], n)` gives one value a lane
                |             ^ varying
                |               <- `one(rays, index[i], n)` gives one value a lane
                |                 ^^^^^^^^^^^^^^^^^^^^^^ varying
                |                                        <- `one(rays, index[i], n)` gives one value a lane
                |                           ^^^^^^^^ contiguous
                |                                    `index[i]` is one vector load: neighbouring lanes have neighbouring cells
                |                                 ^ varying, linear, stride 1
                |                                   <- the lanes run along `i` (line 8)
            --- exit 0 ---
        "#]],
    );
    check(
        &files(),
        &at("2"),
        expect![[r#"
        --- stderr ---
        there is nothing to explain on this line
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn the_functions_of_a_name_are_explained_for_several_targets() {
    let args = ["explain", "shade.ispc", "-I", "include", "--target", "sse4,avx512", "--kernel"];
    let of = |name: &'static str| [&args[..], &[name]].concat();
    check(
        &files(),
        &of("one"),
        expect![[r#"
            # sse4
            function one  shade.ispc:3  accesses: 1 each its own
              4 |     int twice = BY * n;
                |         ^^^^^ could be uniform
                |               `twice` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is
                |               used: it takes 16 bytes of vector registers where one number would do
                |               to lift it: declare it `uniform`
              5 |     return rays[which].y + twice;
                |            ^^^^^^^^^^^^^ gather
                |                          `rays[which].y`: each lane has to load from a cell of its own
                |                          <- `which` is a parameter with a value of its own in each lane
                |                          to lift it: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where
                |                          they run along the cells, a subscript that is a row makes it a vector load

            # avx512
            function one  shade.ispc:3  accesses: 1 each its own
              4 |     int twice = BY * n;
                |         ^^^^^ could be uniform
                |               `twice` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is
                |               used: it takes 64 bytes of vector registers where one number would do
                |               to lift it: declare it `uniform`
              5 |     return rays[which].y + twice;
                |            ^^^^^^^^^^^^^ gather
                |                          `rays[which].y`: each lane has to load from a cell of its own
                |                          <- `which` is a parameter with a value of its own in each lane
                |                          to lift it: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where
                |                          they run along the cells, a subscript that is a row makes it a vector load
            --- exit 0 ---
        "#]],
    );
    check(
        &files(),
        &of("shad"),
        expect![[r#"
        --- stderr ---
        lanescope: shade.ispc: there is no function `shad` with a body; did you mean `shade`?
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn errors_are_told_beside_what_is_known() {
    let text = "void right(uniform float a[]) { a[programIndex * 2] = 1; }\nvoid wrong() { int x = ; }\n";
    check(
        &[("a.ispc", text)],
        &["explain", "a.ispc", "--target", "avx2"],
        expect![[r#"
        function right  a.ispc:1  accesses: 1 strided
          1 | void right(uniform float a[]) { a[programIndex * 2] = 1; }
            |                                 ^^^^^^^^^^^^^^^^^^^ strided by 2
            |                                                     `a[programIndex * 2]`: the lanes store to cells that lie 8 bytes apart
            |                                                     <- `programIndex` is another number in each lane
            |                                                     to lift it: let the lanes run along neighbouring cells: take the factor out of the
            |                                                     subscript, or turn the array
        --- stderr ---
        error[ispc-syntax]: an expression is missing: `;` stands here
         --> a.ispc:2:24
          |
        2 | void wrong() { int x = ; }
          |                        ^
        --- exit 1 ---
    "#]],
    );
    check(
        &[("a.ispc", "typedef int N;\n")],
        &["explain", "a.ispc"],
        expect![[r#"
        --- stderr ---
        there is no function with a body to explain
        --- exit 0 ---
    "#]],
    );
    let run = Folder::new(&files()).run(&["explain", "shade.ispc", "--graph"]);
    assert!(run.stderr.contains("leave out `--graph`") && run.code == Some(2), "{}", run.stderr);
}

#[test]
fn json_has_the_form_of_lane_explanations() {
    let run = Folder::new(&files()).run(&[
        "explain",
        "shade.ispc",
        "-I",
        "include",
        "--target",
        "avx2",
        "--line",
        "11",
        "--json",
    ]);
    expect![[r#"
        {
          "version": 1,
          "file": "shade.ispc",
          "kernels": [
            {
              "name": "shade",
              "target": "avx2",
              "range": {
                "line": 7,
                "column": 1,
                "end_line": 7,
                "end_column": 101
              },
              "values": [
                {
                  "range": {
                    "line": 11,
                    "column": 13,
                    "end_line": 11,
                    "end_column": 39
                  },
                  "text": "s = one(rays, index[i], n)",
                  "type": "varying float",
                  "uniformity": "varying",
                  "shape": "arbitrary",
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "because": [
                    {
                      "range": {
                        "line": 11,
                        "column": 17,
                        "end_line": 11,
                        "end_column": 39
                      },
                      "text": "one(rays, index[i], n)",
                      "message": "`one(rays, index[i], n)` gives one value a lane"
                    }
                  ]
                },
                {
                  "range": {
                    "line": 11,
                    "column": 13,
                    "end_line": 11,
                    "end_column": 14
                  },
                  "text": "s",
                  "type": "varying float",
                  "uniformity": "varying",
                  "shape": "arbitrary",
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "because": [
                    {
                      "range": {
                        "line": 11,
                        "column": 17,
                        "end_line": 11,
                        "end_column": 39
                      },
                      "text": "one(rays, index[i], n)",
                      "message": "`one(rays, index[i], n)` gives one value a lane"
                    }
                  ]
                },
                {
                  "range": {
                    "line": 11,
                    "column": 17,
                    "end_line": 11,
                    "end_column": 39
                  },
                  "text": "one(rays, index[i], n)",
                  "type": "varying float",
                  "uniformity": "varying",
                  "shape": "arbitrary",
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "because": [
                    {
                      "range": {
                        "line": 11,
                        "column": 17,
                        "end_line": 11,
                        "end_column": 39
                      },
                      "text": "one(rays, index[i], n)",
                      "message": "`one(rays, index[i], n)` gives one value a lane"
                    }
                  ]
                },
                {
                  "range": {
                    "line": 11,
                    "column": 27,
                    "end_line": 11,
                    "end_column": 35
                  },
                  "text": "index[i]",
                  "type": "const varying int",
                  "uniformity": "varying",
                  "shape": "arbitrary",
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "because": [
                    {
                      "range": {
                        "line": 11,
                        "column": 27,
                        "end_line": 11,
                        "end_column": 35
                      },
                      "text": "index[i]",
                      "message": "`index[i]` is loaded from another cell in each lane"
                    },
                    {
                      "range": {
                        "line": 8,
                        "column": 14,
                        "end_line": 8,
                        "end_column": 25
                      },
                      "text": "i = 0 ... n",
                      "message": "the lanes run along `i`"
                    }
                  ]
                },
                {
                  "range": {
                    "line": 11,
                    "column": 33,
                    "end_line": 11,
                    "end_column": 34
                  },
                  "text": "i",
                  "type": "const varying int",
                  "uniformity": "varying",
                  "shape": "linear, stride 1",
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "because": [
                    {
                      "range": {
                        "line": 8,
                        "column": 14,
                        "end_line": 8,
                        "end_column": 25
                      },
                      "text": "i = 0 ... n",
                      "message": "the lanes run along `i`"
                    }
                  ]
                }
              ],
              "accesses": [
                {
                  "range": {
                    "line": 11,
                    "column": 27,
                    "end_line": 11,
                    "end_column": 35
                  },
                  "text": "index[i]",
                  "array": "index",
                  "kind": "load",
                  "class": "contiguous",
                  "stride": 1,
                  "in_some_calls": false,
                  "loop": {
                    "line": 8,
                    "column": 5,
                    "end_line": 8,
                    "end_column": 26
                  },
                  "control": "divergent",
                  "reason": "`index[i]` is one vector load: neighbouring lanes have neighbouring cells",
                  "lift": null,
                  "because": []
                }
              ],
              "branches": [],
              "loops": [],
              "decisions": [],
              "scratch": null,
              "lanes": 8,
              "could_be_uniform": []
            }
          ],
          "functions": [],
          "diagnostics": []
        }
    "#]]
    .assert_eq(&run.stdout);
    let run = Folder::new(&files()).run(&["explain", "shade.ispc", "-I", "include", "--target", "avx2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let [kernel, function] = ["kernels", "functions"].map(|key| json[key][0].clone());
    assert_eq!([&kernel["name"], &function["name"]], ["shade", "one"]);
    assert_eq!((kernel["lanes"].as_u64(), kernel["target"].as_str()), (Some(8), Some("avx2")));
    let loops = kernel["loops"].as_array().expect("a list");
    let told: Vec<_> = loops.iter().map(|it| (it["verdict"].as_str(), it["in_lanes"].as_str())).collect();
    let scalar = Some("scalar");
    assert_eq!(told, [(Some("vector"), None), (scalar, Some("until-the-last")), (scalar, Some("together"))]);
    assert_eq!(function["could_be_uniform"][0]["name"], "twice");
}

const UNTIDY: &str = "void f(uniform float a[]) {\n    a[0] = 1;\n  a[1]=2;   \n    a[2] = 3;\n}\n";

#[test]
fn files_are_formatted_in_their_own_style() {
    let folder = Folder::new(&[("a.ispc", UNTIDY), ("b.ispc", "void g() { }\n")]);
    let run = folder.run(&["fmt", "--check", "a.ispc", "b.ispc"]);
    assert_eq!((run.stdout.as_str(), run.code), ("a.ispc would change\n2 files, 1 would change\n", Some(1)));
    assert_eq!(folder.read("a.ispc"), UNTIDY);
    let run = folder.run(&["fmt", "a.ispc", "b.ispc"]);
    assert_eq!((run.stdout.as_str(), run.code), ("a.ispc changed\n2 files, 1 changed\n", Some(0)));
    assert_eq!(folder.read("a.ispc"), UNTIDY.replace("  a[1]=2;   ", "    a[1] = 2;"));
    let run = folder.run(&["fmt", "--check", "a.ispc", "none.ispc"]);
    assert!(run.stderr.contains("none.ispc: no such file") && run.code == Some(2), "{}", run.stderr);
}

#[test]
fn assembly_names_the_lines_that_it_comes_from() {
    if !has_llvm() {
        return;
    }
    let source = "#include \"twice.isph\"\nexport void scale(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n) {\n        a[i] = twice(a[i]);\n    }\n}\n";
    let header = "inline float twice(float x) {\n    return x * x + 1;\n}\n";
    let folder = Folder::new(&[("scale.ispc", source), ("twice.isph", header)]);
    let run = folder.run(&["asm", "scale.ispc", "--target", "avx2", "--source"]);
    assert!(run.stdout.contains("     4  # a[i] = twice(a[i]);"), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("twice.isph:2  # return x * x + 1;"), "{}", run.stdout);
    assert!(run.stdout.contains("# scale: "), "{}", run.stdout);
    let run = folder.run(&["asm", "scale.ispc", "--target", "avx2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let lines = json["asm"].as_array().expect("a list");
    let is_of = |line: &serde_json::Value, number: u64, in_header: bool| {
        line["source_line"] == number && line.get("source_file").is_some() == in_header
    };
    let multiplies = |line: &&serde_json::Value| line["text"].as_str().is_some_and(|text| text.contains("vmulps"));
    assert!(lines.iter().filter(multiplies).all(|line| is_of(line, 2, true)), "{}", run.stdout);
    assert!(lines.iter().any(|line| is_of(line, 4, false)), "{}", run.stdout);
    assert_eq!((json["functions"][0]["name"].as_str(), json["target"].as_str()), (Some("scale"), Some("avx2")));
    // Objects have these lines for debuggers, too.
    folder.run(&["build", "scale.ispc", "-o", "out", "--target", "avx2", "--emit", "asm"]);
    let text = folder.read("out/scale.s");
    assert!(text.contains(".file") && text.contains("twice.isph") && text.contains("scale.ispc"), "{text}");
}
