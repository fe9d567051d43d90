//! ISPC files as machine code and as pages: hot loops, times, overloads by name, and the file where there is no terminal.

use super::*;

const SUMS: &str = "\
static inline float twice(float x) { return x + x; }
static inline float twice(float x, uniform float by) { return twice(x) * by; }
export void scale(uniform const float a[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        out[i] = twice(a[i], 0.5);
    }
}
export uniform float first(uniform const float a[], uniform int n) {
    uniform float sum = 0;
    for (uniform int i = 0; i < n; i++) {
        sum += a[i];
    }
    return sum;
}
";

#[test]
fn hot_loops_are_those_of_the_source() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("a.ispc", SUMS)]);
    let run = folder.run(&["asm", "a.ispc", "--kernel", "scale", "--target", "avx2-i32x8", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let hot = &json["functions"][0]["hot_loops"];
    assert_eq!(hot.as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(hot[0]["source_line"], 4, "{hot}");
    let iterations = hot[0]["iterations"].as_u64().expect("a number");
    assert!(iterations >= 8 && iterations.is_multiple_of(8), "lanes, times what LLVM has unrolled: {iterations}");
    let counts = hot[0]["counts"].as_array().expect("a list");
    assert!(counts.iter().any(|counted| counted["kind"] == "store"), "{hot}");
    // A loop of all lanes counts its turns.
    let run = folder.run(&["asm", "a.ispc", "--kernel", "first", "--target", "avx2-i32x8", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let hot = &json["functions"][0]["hot_loops"][0];
    assert_eq!(hot["source_line"], 10, "{json}");
    let run = folder.run(&["asm", "a.ispc", "--kernel", "scale", "--target", "avx2-i32x8"]);
    assert!(run.stdout.contains("hot loop of line 4, a turn for"), "{}", run.stdout);
}

#[test]
fn functions_are_timed_with_lanes_and_with_one() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("a.ispc", SUMS)]);
    let run = folder.run(&["bench", "a.ispc", "--kernel", "scale", "--time", "20"]);
    assert_eq!(run.code, Some(0), "{run}");
    for part in ["scale", "a=ramp(65536) out=zeros(65536) n=65536", "one lane", "times as fast as one lane", "GB/s"] {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
    let run = folder.run(&["bench", "a.ispc", "--kernel", "scale", "--time", "20", "--arg", "n=100", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(json["measured"].as_array().map(Vec::len), Some(2), "{json}");
    assert_eq!(json["measured"][0]["name"], "one lane");
    assert!(json["measured"][1]["median"].as_f64().is_some_and(|median| median > 0.0), "{json}");
    let run = folder.run(&["bench", "a.ispc"]);
    assert!(run.stderr.contains("say which function with `--kernel`: `scale`, `first`"), "{run}");
    assert_eq!(run.code, Some(2));
}

#[test]
fn overloads_are_named_by_the_types_that_they_take() {
    let folder = Folder::new(&[("a.ispc", SUMS)]);
    let run = folder.run(&["run", "a.ispc", "--kernel", "twice", "--arg", "x=1", "--lanes", "4"]);
    expect![[r#"
        --- stderr ---
        lanescope: there are several functions `twice`: name one with its types, `twice(varying float)`, `twice(varying float, uniform float)`
        --- exit 2 ---
    "#]]
    .assert_eq(&run.to_string());
    let one = |name: &str| {
        let mut args = vec!["run", "a.ispc", "--kernel", name, "--arg", "x=1", "--lanes", "4"];
        if name.contains("uniform") {
            args.extend(["--arg", "by=4"]);
        }
        folder.run(&args).stdout
    };
    assert_eq!(one("twice(varying float)"), "[2.0, 2.0, 2.0, 2.0]\n");
    assert_eq!(one("twice( varying float,uniform float )"), "[8.0, 8.0, 8.0, 8.0]\n");
    let lowered = folder.run(&["lower", "a.ispc", "--kernel", "twice(varying float)"]).stdout;
    assert_eq!(lowered.matches("twice").count(), 1, "{lowered}");
    let explained = folder.run(&["explain", "a.ispc", "--kernel", "twice(varying float, uniform float)"]).stdout;
    assert!(explained.contains("line 2") || explained.contains("a.ispc:2"), "{explained}");
}

#[test]
fn a_file_is_a_page_where_there_is_no_terminal() {
    let text = "#include \"by.isph\"\nexport void f(uniform float a[], const uniform int at[]) {\n    a[programIndex] = a[at[programIndex]] * BY;\n}\n";
    let folder = Folder::new(&[("a.ispc", text), ("include/by.isph", "#define BY 2.0f\n")]);
    let run = folder.run(&["a.ispc", "-I", "include", "--target", "avx2"]);
    expect![[r#"
        a.ispc

          1 | #include "by.isph"
          2 | export void f(uniform float a[], const uniform int at[]) {
          3 |     a[programIndex] = a[at[programIndex]] * BY;
          4 | }

        Functions

          f

        Findings

        note[ispc-perf-gather]: `a[at[programIndex]]`: each lane has to load from a cell of its own, since `at[programIndex]` is loaded from another cell in each lane, and `programIndex` is another number in each lane
         --> a.ispc:3:23
          |
        3 |     a[programIndex] = a[at[programIndex]] * BY;
          |                       ^^^^^^^^^^^^^^^^^^^
          |
          = help: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where they run along the cells, a subscript that is a row makes it a vector load
        note: `at[programIndex]` is loaded from another cell in each lane
         --> a.ispc:3:25
          |
        3 |     a[programIndex] = a[at[programIndex]] * BY;
          |                         ^^^^^^^^^^^^^^^^
        note: `programIndex` is another number in each lane
         --> a.ispc:3:28
          |
        3 |     a[programIndex] = a[at[programIndex]] * BY;
          |                            ^^^^^^^^^^^^


        Stage `lowered`: the function as blocks of lanes: each line is an op that all lanes run which are on there

          function f(%0: uniform pointer, %1: uniform pointer) {
            local $0 `a`: 8 bytes
            local $1 `at`: 8 bytes
            %2: uniform pointer = address of $0
            %3: uniform pointer = address of $1
            store [%2], %0
            store [%3], %1
            %4: uniform pointer = load [%2]
            %5: uniform pointer = load [%3]
            %6: varying int32 = lane index
            %7: varying int64 = convert %6
            %8: varying pointer = convert %7
            %9: uniform pointer = 4
            %10: varying pointer = spread %9
            %11: varying pointer = mul %8, %10
            %12: varying pointer = spread %5
            %13: varying pointer = add %12, %11
            %14: varying int32 = load [%13]
            %15: varying int64 = convert %14
            %16: varying pointer = convert %15
            %17: uniform pointer = 4
            %18: varying pointer = spread %17
            %19: varying pointer = mul %16, %18
            %20: varying pointer = spread %4
            %21: varying pointer = add %20, %19
            %22: varying float = load [%21]
            %23: uniform float = 2.0
            %24: varying float = spread %23
            %25: varying float = mul %22, %24
            %26: uniform pointer = load [%2]
            %27: varying int32 = lane index
            %28: varying int64 = convert %27
            %29: varying pointer = convert %28
            %30: uniform pointer = 4
            %31: varying pointer = spread %30
            %32: varying pointer = mul %29, %31
            %33: varying pointer = spread %26
            %34: varying pointer = add %33, %32
            store [%34], %25
          }

        --- stderr ---
        lanescope: not a terminal: plain text, with the stage `lowered` at its end
        --- exit 0 ---
    "#]].assert_eq(&run.to_string());
    let broken = Folder::new(&[("a.ispc", "export void f() { return x; }\n")]);
    let run = broken.run(&["explore", "a.ispc", "--plain"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("ispc-unknown-name"), "{run}");
}

const HALVES: &str = "#pragma once\nfloat half(float x);\nextern uniform int calls;\n";

#[test]
fn functions_of_other_files_of_the_folder_run() {
    let main = "#include \"half.isph\"\nexport void f(uniform float a[], uniform int n) {\n    foreach (i = 0 ... n) {\n        a[i] = half(a[i]) + quarter(a[i]);\n    }\n}\n";
    let main = main.replacen('\n', "\nfloat quarter(float x);\n", 1);
    let half =
        "#include \"half.isph\"\nuniform int calls = 0;\nfloat half(float x) {\n    calls++;\n    return x / 2;\n}\n";
    // This one needs the other in turn.
    let quarter = "#include \"half.isph\"\nfloat quarter(float x) { return half(half(x)); }\n";
    let files = [("f.ispc", &*main), ("half.isph", HALVES), ("half.ispc", half), ("quarter.ispc", quarter)];
    let folder = Folder::new(&files);
    let run = folder.run(&["run", "f.ispc", "--arg", "a=[4, 8]", "--arg", "n=2", "--lanes", "4"]);
    assert_eq!((&*run.stdout, run.code), ("a = [3.0, 6.0]\n", Some(0)), "{run}");
    // What no file has is told with its name, and what to do.
    let folder = Folder::new(&files[..3]);
    let run = folder.run(&["run", "f.ispc", "--arg", "a=[4, 8]", "--arg", "n=2", "--lanes", "4"]);
    assert_eq!(run.code, Some(1));
    for part in ["calls `quarter`", "a run takes it from an `.ispc` file of the same folder"] {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
}

#[test]
fn files_in_which_a_name_means_two_things_are_left_apart() {
    let main = "float g(float x);\nstatic float own(float x) { return x; }\nexport void f(uniform float a[]) {\n    a[programIndex] = g(own(1));\n}\n";
    let run = |other: &str| {
        let folder = Folder::new(&[("f.ispc", main), ("g.ispc", other)]);
        folder.run(&["run", "f.ispc", "--arg", "a=zeros(4)", "--lanes", "4"])
    };
    let met = run("static float own(float x) { return 2 * x; }\nfloat g(float x) { return own(x); }\n");
    assert!(met.stderr.contains("f.ispc and g.ispc both have a `own(varying float)`"), "{met}");
    assert_eq!(met.code, Some(1));
    let apart = run("static float other(float x) { return 2 * x; }\nfloat g(float x) { return other(x); }\n");
    assert_eq!(apart.stdout, "a = [2.0, 2.0, 2.0, 2.0]\n", "{apart}");
}
