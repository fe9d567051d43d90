//! Native code: assembly, runs and objects. Without LLVM these tests pass without a check, except where `CI` is set,
//! which requires LLVM.

use std::process::Command;

use super::*;

const SCALE: &str = "\
## Makes it louder.
kernel scale(samples, out, n, volume):
    for i in range(n):
        out[i] = samples[i] * volume
";

#[test]
fn assembly_stands_beside_its_source() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let run = folder.run(&["asm", "scale.lane", "--target", "avx2", "--source"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for wanted in ["scale:", "     4  # out[i] = samples[i] * volume", "vmulps", "# scale: "] {
        assert!(run.stdout.contains(wanted), "`{wanted}` is missing\n{}", run.stdout);
    }
    for noise in [".cfi", ".p2align", ".loc", ".globl", "vgather"] {
        assert!(!run.stdout.contains(noise), "`{noise}` is there\n{}", run.stdout);
    }
    let json = folder.run(&["asm", "scale.lane", "--target", "neon", "--json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let lines = report["asm"].as_array().expect("lines");
    let multiplies = |line: &&serde_json::Value| line["text"].as_str().is_some_and(|text| text.contains("fmul"));
    assert_eq!(lines.iter().find(multiplies).expect("a multiplication")["source_line"], 4);
}

#[test]
fn a_kernel_with_errors_keeps_no_other_from_its_code() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("two.lane", &format!("{SCALE}kernel wrong(a):\n    a[0] = nothing\n"))]);
    let run = folder.run(&["asm", "two.lane", "--target", "sse4"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("mulps") && run.stdout.contains("nothing"), "{}", run.stdout);
}

#[test]
fn stages_behind_lane_ir() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let text = |stage: &str| folder.run(&["lower", "scale.lane", "--stage", stage, "--target", "avx512"]).stdout;
    assert!(text("llvm").contains("  ; 4: out[i] = samples[i] * volume\n"), "{}", text("llvm"));
    assert!(text("llvm-opt").contains("<16 x float>"), "{}", text("llvm-opt"));
    assert!(text("asm").contains("zmm"), "{}", text("asm"));
}

#[test]
fn native_runs_give_what_the_interpreter_gives() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    for n in [0, 1, 7, 16, 50] {
        let (samples, out, n) = (format!("samples=random({n}, 3)"), format!("out=zeros({n})"), format!("n={n}"));
        let args =
            ["run", "scale.lane", "--arg", &samples, "--arg", &out, "--arg", &n, "--arg", "volume=0.3", "--json"];
        let with = |engine: &str| folder.run(&[&args[..], &["--engine", engine]].concat());
        assert_eq!(with("native").to_string(), with("interp").to_string());
    }
}

#[test]
fn sizes_that_differ_end_a_native_run_as_they_end_the_interpreter() {
    if !has_llvm() {
        return;
    }
    let text = "\
kernel add(a: f32[n], b: f32[m], out: f32[n], n: i32, m: i32):
    out[:] = a + b

kernel rows(a: f32[n, k], b: f32[m], n: i32, k: i32, m: i32) -> f32:
    sum = 0.0
    for i in range(n):
        sum += dot(a[i], b)
    return sum
";
    let folder = Folder::new(&[("add.lane", text)]);
    let add = |m: &str, n: &str| -> Vec<String> {
        let arrays = [format!("a=ramp({n})"), format!("b=ramp({m})"), format!("out=fill({n}, 9)")];
        let mut args = vec!["add.lane".to_owned(), "--kernel".to_owned(), "add".to_owned()];
        for one in arrays.into_iter().chain([format!("n={n}"), format!("m={m}")]) {
            args.extend(["--arg".to_owned(), one]);
        }
        args
    };
    let with = |before: &[&str], args: &[String]| {
        let args: Vec<&str> = before.iter().copied().chain(args.iter().map(String::as_str)).collect();
        folder.run(&args).to_string()
    };
    for (m, n) in [("5", "6"), ("6", "6"), ("1000", "999")] {
        for more in [&["run"][..], &["run", "--json"]] {
            let native = with(&[more, &["--engine", "native"]].concat(), &add(m, n));
            assert_eq!(native, with(more, &add(m, n)));
        }
    }
    expect![[r#"
        out = [9.0, 9.0, 9.0, 9.0, 9.0, 9.0]
        error[size-mismatch]: two sizes that have to be the same are 5 and 6
         --> add.lane:2:14
          |
        2 |     out[:] = a + b
          |              ^^^^^

        --- exit 1 ---
    "#]]
    .assert_eq(&with(&["run", "--engine", "native"], &add("5", "6")));
    // A benchmark says the same, before it measures.
    expect![[r#"
        error[size-mismatch]: two sizes that have to be the same are 5 and 6
         --> add.lane:2:14
          |
        2 |     out[:] = a + b
          |              ^^^^^

        --- exit 1 ---
    "#]]
    .assert_eq(&with(&["bench", "--time", "1"], &add("5", "6")));
    // In a loop, which has no iteration for some sizes.
    let rows = |n: &str| {
        let a = format!("a=zeros({})", 4 * n.parse::<usize>().expect("a number"));
        let n = format!("n={n}");
        let given = [&*a, "b=zeros(5)", &*n, "k=4", "m=5"].into_iter().flat_map(|one| ["--arg", one]);
        let args: Vec<String> = ["add.lane", "--kernel", "rows"].into_iter().chain(given).map(str::to_owned).collect();
        with(&["run", "--engine", "native"], &args)
    };
    expect![[r#"
        0.0
        --- exit 0 ---
        error[size-mismatch]: two sizes that have to be the same are 4 and 5
         --> add.lane:7:16
          |
        7 |         sum += dot(a[i], b)
          |                ^^^^^^^^^^^^
          |
          = help: in iteration 0

        --- exit 1 ---
    "#]]
    .assert_eq(&(rows("0") + &rows("3")));
}

/// Behind so many steps that the interpreter, which runs before, does not come to what is wrong.
#[test]
fn sizes_that_differ_late_are_told_by_the_code_itself_before_it_begins() {
    if !has_llvm() {
        return;
    }
    let text = "\
kernel add(a: f32[n], b: f32[m], out: f32[n], n: i32, m: i32):
    for i in range(4_000_000):
        out[0] = out[0] * 0.5 + 1.0
    out[:] = a + b
";
    let folder = Folder::new(&[("add.lane", text)]);
    let given = ["a=ramp(6)", "b=ramp(5)", "out=fill(6, 9)", "n=6", "m=5"].into_iter().flat_map(|one| ["--arg", one]);
    let args: Vec<_> = ["run", "add.lane", "--engine", "native"].into_iter().chain(given).collect();
    expect![[r#"
        out = [9.0, 9.0, 9.0, 9.0, 9.0, 9.0]
        error[size-mismatch]: two sizes that have to be the same are 5 and 6
         --> add.lane:4:14
          |
        4 |     out[:] = a + b
          |              ^^^^^

        --- exit 1 ---
    "#]]
    .assert_eq(&folder.run(&args).to_string());
}

#[test]
fn errors_in_loops_end_a_native_run_as_they_end_the_interpreter() {
    if !has_llvm() {
        return;
    }
    let text = "\
kernel out_of_a_temporary(a: f32[n], out: f32[n], at: i32, n: i32):
    for i in range(n):
        let t = map(\\x -> x * 2.0, a[:i])
        out[i] = t[at]
kernel quotients(a: i32[n], b: i32[n], n: i32):
    foreach i in range(n):
        a[i] = a[i] / b[i]
";
    let folder = Folder::new(&[("wrong.lane", text)]);
    let with = |engine: &str, kernel: &str, given: &[&str]| {
        let args = ["run", "wrong.lane", "--engine", engine, "--kernel", kernel];
        let given: Vec<_> = given.iter().flat_map(|one| ["--arg", one]).collect();
        folder.run(&[&args[..], &given].concat()).to_string()
    };
    for (kernel, given) in [
        ("out_of_a_temporary", &["a=ramp(6)", "out=zeros(6)", "at=3", "n=6"][..]),
        ("out_of_a_temporary", &["a=ramp(6)", "out=zeros(6)", "at=-1", "n=6"]),
        ("quotients", &["a=[7, 8, 9]", "b=[2, 0, 1]", "n=3"]),
    ] {
        let native = with("native", kernel, given);
        assert!(native.contains("help: in iteration"), "{native}");
        assert_eq!(native, with("interp", kernel, given));
    }
}

#[test]
fn what_goes_wrong_in_native_code_is_said() {
    if !has_llvm() {
        return;
    }
    let text = "\
kernel far(a, n: i32):
    a[n] = 1.0
kernel late(a, n: i32):
    for i in range(4_000_000):
        a[0] = a[0] * 0.5 + 1.0
    a[n] = 1.0
kernel forever(a):
    while a[0] < 1.0:
        a[1] = a[1] + 1.0
";
    let folder = Folder::new(&[("wrong.lane", text)]);
    let with = |command: &[&str], more: &[&str]| {
        let args = ["wrong.lane", "--timeout", "1", "--arg", "a=zeros(4)", "--kernel"];
        folder.run(&[command, &args[..], more].concat()).to_string()
    };
    let run = |more: &[&str]| with(&["run", "--engine", "native"], more);
    // A benchmark of a kernel that never ends reports the same error as a run, and so does that of one that fails: where.
    assert_eq!(with(&["bench", "--time", "1"], &["forever"]), run(&["forever"]));
    let far = ["far", "--arg", "n=100"];
    assert_eq!(run(&far), format!("a = [0.0, 0.0, 0.0, 0.0]\n{}", with(&["bench", "--time", "1"], &far)));
    expect![[r#"
        error[index-out-of-range]: the index 100 is outside of `a`, whose size there is 4
         --> wrong.lane:2:5
          |
        2 |     a[n] = 1.0
          |     ^^^^

        --- exit 1 ---
    "#]]
    .assert_eq(&with(&["bench", "--time", "1"], &far));
    expect![[r#"
        --- stderr ---
        lanescope: the kernel touched memory outside of `a`, at its byte 400
        --- exit 1 ---
        --- stderr ---
        lanescope: it took longer than 1 second, and was stopped; `--timeout` gives it more
        --- exit 1 ---
    "#]]
    .assert_eq(&(run(&["late", "--arg", "n=100"]) + &run(&["forever"])));
}

#[test]
fn an_object_and_its_header_are_called_from_c_and_cpp() {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_llvm() || !cfg!(target_arch = "x86_64") || !has("gcc") || !has("g++") {
        return;
    }
    let main = "#include <stdio.h>\n#include \"scale.h\"\nint main(void) {\n    float in[19], out[20] = {0};\n    \
                for (int i = 0; i < 19; i++) in[i] = (float)i;\n    for (int k = 0; k < 2; k++) scale(in, out, 19, 0.5f);\n    \
                for (int i = 0; i < 20; i++) printf(\"%g \", out[i]);\n    return 0;\n}\n";
    let folder = Folder::new(&[("scale.lane", SCALE), ("main.c", main), ("main.cpp", main)]);
    let build = folder.run(&["build", "scale.lane", "-o", ".", "--target", "scalar,sse4,avx2,avx512"]);
    assert_eq!(build.code, Some(0), "{build}");
    assert!(folder.read("scale.h").contains("void scale(const float *LANESCOPE_RESTRICT samples, "));
    for (compiler, main) in [("gcc", "main.c"), ("g++", "main.cpp")] {
        let mut link = Command::new(compiler);
        link.current_dir(folder.path()).args(["-Wall", "-Werror", main, "-o", "main", "scale.o"]);
        let linked = link.args(["scalar", "sse4", "avx2", "avx512"].map(|target| format!("scale.{target}.o"))).output();
        let linked = linked.expect("the compiler");
        assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
        let ran = Command::new(folder.path().join("main")).output().expect("the program");
        let expected = (0..19).map(|i| format!("{} ", f64::from(i) / 2.0)).collect::<String>() + "0 ";
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    }
}

#[test]
fn only_x86_targets_share_a_symbol() {
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    expect![[r#"
        --- stderr ---
        lanescope: `neon` cannot stand beside other targets: only x86 tells at run time what it can do
        --- exit 2 ---
    "#]]
    .assert_eq(&folder.run(&["build", "scale.lane", "-o", "out", "--target", "neon,avx2"]).to_string());
    expect![[r#"
        --- stderr ---
        lanescope: `zen4` cannot stand beside other targets: that a processor is one is not asked at run time; `avx512` is what it can do
        --- exit 2 ---
    "#]]
    .assert_eq(&folder.run(&["build", "scale.lane", "-o", "out", "--target", "zen4,avx2"]).to_string());
}

#[test]
fn beside_others_this_machine_is_its_instruction_set() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let run = folder.run(&["build", "scale.lane", "-o", "out", "--target", "native,scalar"]);
    assert_eq!(run.code, Some(0), "{run}");
    let set = ::native::host::row().set;
    assert!(run.stdout.lines().any(|line| line == format!("out/scale.{set}.o")), "{run}");
}

#[test]
fn two_files_of_one_name_do_not_overwrite_each_other() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("a/scale.lane", SCALE), ("b/scale.lane", SCALE)]);
    expect![[r#"
        out/scale.o
        out/scale.h
        --- stderr ---
        lanescope: b/scale.lane: out/scale.o is made of a/scale.lane already: build them into two folders
        --- exit 2 ---
    "#]]
    .assert_eq(&folder.run(&["build", "a", "b", "-o", "out"]).to_string());
}

/// A header needs no LLVM. Files of an earlier build are written again, those of others are kept.
#[test]
fn a_build_keeps_what_it_did_not_make() {
    let by_hand = "#pragma once\nvoid scale(void);\n";
    let folder = Folder::new(&[("scale.lane", SCALE), ("scale.h", by_hand), ("out/scale.h/in.txt", "")]);
    let build = |out: &str| folder.run(&["build", "scale.lane", "-o", out, "--emit", "header"]).to_string();
    expect![[r#"
        --- stderr ---
        lanescope: scale.lane: ./scale.h was not made by lanescope, and is kept: build into another folder with `-o`, or remove it
        --- exit 2 ---
    "#]].assert_eq(&build("."));
    assert_eq!(folder.read("scale.h"), by_hand);
    expect![[r#"
        --- stderr ---
        lanescope: scale.lane: out/scale.h is a folder, and a file is to be written there: build into another folder
        --- exit 2 ---
    "#]]
    .assert_eq(&build("out"));
    build("new");
    expect![[r#"
        new/scale.h
        --- exit 0 ---
    "#]]
    .assert_eq(&build("new"));
}

#[test]
fn the_audit_tells_what_its_pages_say() {
    if !has_llvm() {
        return;
    }
    for code in ::native::audit::AuditCode::ALL.iter().map(|code| code.name()) {
        let page = Folder::new(&[]).run(&["explain", code]).stdout;
        let programs: Vec<&str> =
            page.split("```lane\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
        let found = |program: &str| -> Vec<String> {
            let folder = Folder::new(&[("page.lane", program)]);
            let json = folder.run(&["asm", "page.lane", "--target", "avx2", "--json"]).stdout;
            let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            let audit = report["audit"].as_array().expect("what the audit found");
            audit.iter().map(|found| found["code"].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(found(programs[0]), [code], "{}", programs[0]);
        assert_eq!(found(programs[1]), [""; 0], "{code}\n{}", programs[1]);
    }
}

#[test]
fn objects_are_made_for_other_systems() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let build = |target: &str, triple: &str| {
        folder.run(&["build", "scale.lane", "-o", ".", "--target", target, "--triple", triple])
    };
    let starts = |file: &str, magic: &[u8]| {
        let object = std::fs::read(folder.path().join(file)).expect("an object");
        assert!(object.starts_with(magic), "{file} starts with {:?}", &object[..4]);
    };
    assert_eq!(build("neon", "arm64-apple-macosx14.0").code, Some(0));
    starts("scale.o", &[0xcf, 0xfa, 0xed, 0xfe]);
    assert_eq!(build("avx2", "x86_64-pc-windows-msvc").code, Some(0));
    starts("scale.obj", &[0x64, 0x86]);
    assert_eq!(build("rvv", "riscv64-unknown-linux-gnu").code, Some(0));
    starts("scale.o", b"\x7fELF");
    expect![[r#"
        --- stderr ---
        lanescope: `avx2` is no code for `arm64`, which `arm64-apple-macosx14.0` is about
        --- exit 2 ---
    "#]]
    .assert_eq(&build("avx2", "arm64-apple-macosx14.0").to_string());
}

#[test]
fn a_run_that_ends_with_an_error_is_not_measured() {
    if !has_llvm() {
        return;
    }
    let text = "kernel last(a: f32[m], out: f32[1], n: i32, m: i32):\n    for i in range(n):\n        out[0] = a[i]\n";
    let data = ["--arg", "a=ramp(2)", "--arg", "out=zeros(1)", "--arg", "m=2", "--arg", "n=5"];
    check_stdin(
        text,
        &[&["bench", "-", "--time", "1"], &data[..]].concat(),
        expect![[r#"
            error[index-out-of-range]: the index 2 is outside of `a`, whose size there is 2
             --> <stdin>:3:18
              |
            3 |         out[0] = a[i]
              |                  ^^^^
              |
              = help: in iteration 2

            --- exit 1 ---
        "#]],
    );
}

#[test]
fn a_benchmark_counts_what_it_measures() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let args = ["bench", "scale.lane", "--time", "1", "--json", "--arg", "samples=random(100, 1)"];
    let report = folder.run(&[&args[..], &["--arg", "out=zeros(100)", "--arg", "n=100", "--arg", "volume=2"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!(report["per_element"], serde_json::json!({ "operations": 1.0, "bytes": 8.0 }));
    assert_eq!(report["operations"], 100);
    assert_eq!(report["chosen"], serde_json::json!([]));
    // Parameters without an argument get generated data, which the report names.
    let report = folder.run(&["bench", "scale.lane", "--time", "1", "--json", "--arg", "n=200"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!(report["chosen"], serde_json::json!(["samples=ramp(200)", "out=zeros(200)", "volume=0.5"]));
    assert_eq!(report["operations"], 200);
}

#[test]
fn sweeps_measure_sizes_lanes_and_targets() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = Folder::new(&[("scale.lane", SCALE)]);
    let with = |more: &[&str]| {
        let few = ["bench", "scale.lane", "--time", "2", "--timeout", "300", "--target", "sse4"];
        folder.run(&[&few, more].concat())
    };
    let run = with(&["--sweep", "sizes,lanes,targets", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let names = |n: usize| -> Vec<&str> {
        let rows = report["sweeps"][n]["rows"].as_array().expect("rows");
        rows.iter().filter_map(|row| row["name"].as_str()).collect()
    };
    assert!(names(0).len() >= 6, "{report}");
    assert_eq!(names(1)[..3], ["1 lane", "4 lanes", "8 lanes"], "{report}");
    assert_eq!(names(2)[..2], ["scalar", "sse4"], "{report}");
    for row in report["sweeps"].as_array().expect("sweeps").iter().flat_map(|sweep| sweep["rows"].as_array()).flatten()
    {
        let verdict = row["verdict"].as_str().expect("a verdict");
        assert!(verdict.starts_with("bound by") || verdict.starts_with("far from"), "{verdict}");
        assert!(row["median"].as_f64() > Some(0.0) && row["of_bandwidth"].as_f64() > Some(0.0), "{row}");
    }
    // With an array that is given, sizes do not grow, and lanes are measured on it.
    let run =
        with(&["--sweep", "lanes,sizes", "--arg", "samples=ramp(1000)", "--arg", "n=1000", "--arg", "out=zeros(1000)"]);
    assert!(run.stdout.contains("`samples` is given") && run.stdout.contains("samples=ramp(1000)"), "{run}");
    let run = with(&["--sweep", "lane"]);
    assert!(run.stderr.contains("did you mean `lanes`?"), "{run}");
}
