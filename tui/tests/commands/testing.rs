//! `test` and `doctor`: examples in documentation, and the state of the machine.

use super::*;

const RIGHT: &str = "\
## > scale([1, 2], zeros(2), 2, 0.5)
## out = [0.5, 1.0]
kernel scale(a, out, n, by):
    for i in range(n):
        out[i] = a[i] * by

## > total([1, 2, 3], n = 3)
## 6.0
kernel total(a, n) -> f32:
    sum = 0.0
    for i in range(n):
        sum += a[i]
    return sum
";

const WRONG: &str = "\
## > double([1, 2], zeros(2), 2)
## out = [2.0, 5.0]
##
## > double([1], zeros(1))
## > double(ramp(1), zeros(2), 2)
## error[index-out-of-range]
kernel double(a, out, n):
    for i in range(n):
        out[i] = a[i] * 2.0
";

#[test]
fn examples_are_run_and_compared() {
    if !has_llvm() {
        return;
    }
    check(
        &[("right.lane", RIGHT), ("wrong.lane", WRONG)],
        &["test", "right.lane", "--target", "scalar"],
        expect![[r#"
            2 examples passed
            --- exit 0 ---
        "#]],
    );
    check(
        &[("wrong.lane", WRONG)],
        &["test", "wrong.lane", "--target", "scalar"],
        expect![[r#"
        wrong.lane:1: double([1, 2], zeros(2), 2)
          expected     out = [2.0, 5.0]
          evaluated    out = [2.0, 4.0]

        wrong.lane:4: double([1], zeros(1))
          cannot be run: no value is given for `n`; write `NAME = …` in the call

        1 of 3 examples passed
        --- exit 1 ---
    "#]],
    );
    check(
        &[("wrong.lane", WRONG)],
        &["test", "wrong.lane", "--target", "scalar", "--json"],
        expect![[r#"
        {
          "version": 1,
          "examples": [
            {
              "file": "wrong.lane",
              "line": 1,
              "call": "double([1, 2], zeros(2), 2)",
              "passed": false,
              "engine": "evaluated",
              "expected": "out = [2.0, 5.0]",
              "actual": "out = [2.0, 4.0]",
              "trouble": null
            },
            {
              "file": "wrong.lane",
              "line": 4,
              "call": "double([1], zeros(1))",
              "passed": false,
              "engine": null,
              "expected": null,
              "actual": null,
              "trouble": "no value is given for `n`; write `NAME = …` in the call"
            },
            {
              "file": "wrong.lane",
              "line": 5,
              "call": "double(ramp(1), zeros(2), 2)",
              "passed": true,
              "engine": null,
              "expected": null,
              "actual": null,
              "trouble": null
            }
          ],
          "not_native": null
        }
        --- exit 1 ---
    "#]],
    );
    check(
        &[("a.lane", "kernel k():\n    pass\n")],
        &["test", "a.lane"],
        expect![[r#"
        no examples; one is a `## > kernel(arguments)` line above a kernel
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn examples_that_cannot_run_natively_run_all_the_same() {
    let other = if cfg!(target_arch = "aarch64") { "rvv" } else { "neon" };
    let output = Folder::new(&[("right.lane", RIGHT)]).run(&["test", "right.lane", "--target", other]).to_string();
    assert!(output.contains("2 examples passed"), "{output}");
    assert!(
        output.contains(&format!("did not run natively: this machine does not run code for `{other}`")),
        "{output}"
    );
}

#[test]
fn all_engines_run_examples() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("right.lane", RIGHT)]);
    assert_eq!(folder.run(&["test", "."]).to_string(), "2 examples passed\n--- exit 0 ---\n");
}

#[test]
fn what_examples_give_is_written() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("wrong.lane", WRONG)]);
    let output = folder.run(&["test", "wrong.lane", "--update", "--target", "scalar"]).to_string();
    assert!(output.contains("wrong.lane: 1 example written"), "{output}");
    assert_eq!(folder.read("wrong.lane"), WRONG.replace("5.0", "4.0"));
    expect![[r#"
        --- stderr ---
        error: `--update` writes to files, and standard input is none

        Usage: lanescope test [OPTIONS] <FILE>...

        For more information, try '--help'.
        --- exit 2 ---
    "#]]
    .assert_eq(&run(folder.path(), &["test", "-", "--update"], WRONG).to_string());
}

#[test]
fn a_machine_without_llvm_is_told_what_to_do() {
    let folder = Folder::new(&[]);
    let output = command(folder.path(), &["doctor"]).env("LANESCOPE_LLVM", "/nowhere/libLLVM.so").output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let llvm = text.lines().skip_while(|line| !line.starts_with("broken   LLVM")).take(2).collect::<Vec<_>>();
    assert_eq!(llvm.len(), 2, "{text}");
    assert!(llvm[1].contains("/nowhere/libLLVM.so cannot be opened"), "{text}");
    assert!(llvm[1].contains("set LANESCOPE_LLVM to a libLLVM"), "{text}");
    assert!(!text.contains("native code  is made"), "{text}");
}

#[test]
fn a_machine_with_llvm_makes_and_runs_code() {
    if !has_llvm() {
        return;
    }
    let output = Folder::new(&[]).run(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let state = |name: &str| {
        let finding = findings.iter().find(|finding| finding["name"] == name);
        finding.map(|finding| finding["state"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(report["version"], 1);
    for name in ["lanescope", "LLVM", "this machine", "native code"] {
        assert_eq!(state(name).as_deref(), Some("fine"), "{name}: {report}");
    }
    for name in ["targets", "C compiler", "terminal", "editor"] {
        assert!(state(name).is_some(), "{name}: {report}");
    }
}
